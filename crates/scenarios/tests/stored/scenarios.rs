//! A built-in scenario by every scheme.

use percussion_complementarity::friction;
use percussion_impact::{
    Law, anitescu_potra::AnitescuPotra, maximum_dissipation::MaximumDissipation, newton::Newton,
    plus::Plus, poisson::Poisson, sequential::Sequential,
};
use percussion_integrators::{StepReport, Work, schemes::Name};
use percussion_mechanism::{
    event_motion::EventMotion,
    trajectory::{Sample, Trajectory},
};
use percussion_scenarios::fixtures;
use percussion_snapshot::Record;

/// The time-stepping schemes, with their friction laws.
fn schemes() -> [(&'static str, Name, Option<friction::Law>); 6] {
    let (coulomb, dissipation) = (friction::Law::Coulomb, friction::Law::MaximumDissipation);
    [
        ("stewart-trinkle", Name::StewartTrinkle, None),
        ("impulse-velocity", Name::ImpulseVelocity, Some(coulomb)),
        ("impulse-velocity, maximum-dissipation", Name::ImpulseVelocity, Some(dissipation)),
        ("moreau-jean", Name::MoreauJean, Some(coulomb)),
        ("moreau-jean, maximum-dissipation", Name::MoreauJean, Some(dissipation)),
        ("variational", Name::Variational, None),
    ]
}

/// The laws of event-driven motions.
fn laws() -> [(&'static str, Box<dyn Law>); 6] {
    [
        ("poisson", Box::new(Poisson::default())),
        ("newton", Box::new(Newton::default())),
        ("anitescu-potra", Box::new(AnitescuPotra::default())),
        ("maximum-dissipation", Box::new(MaximumDissipation::default())),
        ("sequential", Box::new(Sequential::new(Poisson::default()))),
        ("plus", Box::new(Plus::default())),
    ]
}

/// Adds the motions of the scenario `known`.
pub(crate) fn add_motions(collection: &mut Record, known: &str) {
    for (name, method, law) in schemes() {
        let mut scenario = fixtures::scenario(known).unwrap();
        scenario.integrator.method = method;
        scenario.integrator.friction_law = law;
        let mut record = Record::new(&format!("{known} by {name}"));
        match scenario.simulate(&mut |_| ()) {
            Ok(trajectory) => add_trajectory(&mut record, &trajectory),
            Err(error) => {
                record.word("refused", error);
            }
        }
        collection.append(name, &record);
    }
    for (name, law) in laws() {
        let scenario = fixtures::scenario(known).unwrap();
        let name = format!("event-driven, {name}");
        let mut record = Record::new(&format!("{known} by {name}"));
        match scenario.simulate_events(&*law, &mut |_| ()) {
            Ok(motion) => add_motion(&mut record, &motion),
            Err(error) => {
                record.word("refused", error);
            }
        }
        collection.append(&name, &record);
    }
}

fn add_trajectory(record: &mut Record, trajectory: &Trajectory) {
    record.count("steps", trajectory.reports.len());
    let mut totals: Vec<(&str, usize)> = Vec::new();
    for report in &trajectory.reports {
        for (index, counter) in counters(report).into_iter().enumerate() {
            match totals.get_mut(index) {
                Some((_, total)) => *total += counter.1,
                None => totals.push(counter),
            }
        }
    }
    for (name, total) in totals {
        record.count(&format!("work.{name}"), total);
    }
    let active = trajectory.reports.iter().map(|report| report.contacts.len()).sum::<usize>();
    record.count("contacts of all steps", active);
    // The round-off of a zero gap is far below the least gap that matters.
    record.figure("deepest penetration", trajectory.deepest_penetration(), 1.0);
    let energy = trajectory.samples.iter().map(|sample| sample.energy.abs()).fold(0.0, f64::max);
    record.figure("largest increase of energy", trajectory.largest_energy_increase(), energy);
    let middle = &trajectory.samples[trajectory.samples.len() / 2];
    add_sample(record, "middle", middle, energy);
    add_sample(record, "end", trajectory.end(), energy);
    for (index, name) in trajectory.contact_names.iter().enumerate() {
        let impulses = trajectory.reports.iter().flat_map(|report| &report.contacts);
        let total = impulses
            .filter(|contact| contact.contact == index)
            .map(|contact| contact.impulse)
            .sum::<nalgebra::Vector3<f64>>();
        record.figures(&format!("impulse of {name}"), total.as_slice(), 0.0);
    }
}

fn counters(report: &StepReport) -> Vec<(&'static str, usize)> {
    match report.work {
        Work::Polygons(work) => vec![
            ("active set passes", work.active_set_passes),
            ("outer iterations", work.outer_iterations),
            ("LCPs", work.lcp_solves),
            ("pivots", work.pivots),
        ],
        Work::RoundCones(work) => vec![("passes", work.passes), ("sweeps", work.sweeps)],
        Work::Pieces(work) => vec![
            ("pieces", work.pieces),
            ("Newton iterations", work.newton_iterations),
            ("impacts", report.impacts.len()),
        ],
        _ => vec![],
    }
}

fn add_sample(record: &mut Record, name: &str, sample: &Sample, energy: f64) {
    // Positions of the order of 1 m and speeds of 1 m/s determine the size of round-off.
    record.figure(&format!("{name}.time"), sample.time, 0.0);
    record.figures(&format!("{name}.coordinates"), &sample.coordinates, 1.0);
    record.figures(&format!("{name}.velocity"), &sample.velocity, 1.0);
    record.figures(&format!("{name}.gap"), &sample.gaps, 1.0);
    record.figure(&format!("{name}.energy"), sample.energy, energy);
}

fn add_motion(record: &mut Record, motion: &EventMotion) {
    let report = &motion.report;
    record.variant("status", report.status);
    record.count("counters.steps", report.counters.steps);
    record.count("counters.evaluations", report.counters.evaluations);
    record.count("counters.impacts", report.counters.impacts);
    record.count("counters.mode changes", report.counters.mode_changes);
    record.count("counters.mode LCPs", report.counters.mode_lcps);
    record.count("counters.projections", report.counters.projections);
    record.count("events", report.events.len());
    record.variant("modes", &report.modes);
    for (name, index) in [("first event", 0), ("last event", report.events.len().wrapping_sub(1))] {
        if let Some(event) = report.events.get(index) {
            record.figure(&format!("{name}.time"), event.time, 1.0);
        }
    }
    let (energy, account) = (report.energy.start.abs(), report.energy);
    record.figure("energy.start", account.start, energy);
    record.figure("energy.end", account.end, energy);
    record.figure("energy.impacts", account.impacts, energy);
    record.figure("energy.friction", account.friction, energy);
    record.figure("energy.other work", account.other_work, energy);
    record.figure("energy.projections", account.projections, energy);
    add_sample(record, "end", motion.trajectory.end(), energy);
}
