//! Every built-in impact by the laws that have several outcomes.

use percussion_complementarity::lcp::enumerate;
use percussion_impact::{
    Error,
    anitescu_potra::AnitescuPotra,
    outcome_set::{Bounds, Collect, Modes, Order},
    poisson::Poisson,
    propagative::Propagative,
    sequential::Sequential,
    set_valued::{Draws, SetValuedRouth, Settings},
};
use percussion_mechanism::impacts::Impact;
use percussion_scenarios::fixtures;
use percussion_snapshot::{Record, assert_stored};

use crate::impacts::add_outcome;

/// Samples of a set, few enough to be quick, and several per chunk.
const SAMPLES: u64 = 256;
/// Outcomes of a set that are stored.
const KEPT: usize = 4;
/// Outcomes of laws with several outcomes that are stored.
const LISTED: usize = 6;

/// Compares the records that `add` makes of all built-in impacts with the stored snapshots.
fn all_impacts_by(name: &str, add: impl Fn(&mut Record, &Impact) -> Result<(), Error>) {
    let mut collection = Record::new(&format!("by {name}"));
    for impact in fixtures::IMPACTS {
        let mut record = Record::new(&format!("{impact} by {name}"));
        if let Err(error) = add(&mut record, &fixtures::problem(impact).unwrap()) {
            record.word("refused", error);
        }
        collection.append(impact, &record);
    }
    assert_stored!("impacts", collection);
}

#[test]
fn all_solutions_of_anitescu_potra() {
    all_impacts_by("anitescu-potra, all", |record, impact| {
        let settings = enumerate::Settings::default();
        let all = AnitescuPotra::default().all(&impact.problem, &settings)?;
        record.count("outcomes", all.outcomes.len()).variant("complete", all.complete);
        for (index, (outcome, isolated)) in
            all.outcomes.iter().zip(&all.isolated).take(LISTED).enumerate()
        {
            record.variant(&format!("outcome[{index}].isolated"), isolated);
            add_outcome(record, &format!("outcome[{index}]."), &impact.problem, outcome);
        }
        Ok(())
    });
}

#[test]
fn all_orders_of_sequential() {
    all_impacts_by("sequential, all", |record, impact| {
        let all = Sequential::new(Poisson::default()).all(&impact.problem)?.outcomes;
        record.count("outcomes", all.len());
        for (index, outcome) in all.iter().take(LISTED).enumerate() {
            add_outcome(record, &format!("outcome[{index}]."), &impact.problem, outcome);
        }
        Ok(())
    });
}

#[test]
fn all_sequences_of_propagative() {
    all_impacts_by("propagative, all", |record, impact| {
        let all = Propagative::default().outcomes(&impact.problem)?;
        record.variant("status", all.status).count("outcomes", all.branches.len());
        record.figure("indeterminacy", all.indeterminacy, 1.0);
        for (index, branch) in all.branches.iter().take(LISTED).enumerate() {
            let path = format!("outcome[{index}].");
            record.count(&format!("{path}sequences"), branch.sequence_count);
            if let Some(first) = branch.sequences.first() {
                record.variant(&format!("{path}first sequence"), first);
            }
            add_outcome(record, &path, &impact.problem, &branch.outcome);
        }
        Ok(())
    });
}

#[test]
fn set_valued_routh() {
    for (name, draws) in
        [("set-valued-routh", Draws::Random), ("set-valued-routh, sobol", Draws::Sobol)]
    {
        all_impacts_by(name, |record, impact| {
            // As on the command line the step and the number of steps are those of the file, if it has any.
            let Settings { mut step, steps, .. } = impact.set_valued;
            if step.is_nan() {
                step = 0.1 * impact.problem.momentum(impact.problem.velocity()).amax();
            }
            let samples = SAMPLES;
            add_set(record, impact, Settings { step, steps, samples, draws, ..Settings::default() })
        });
    }
}

fn add_set(record: &mut Record, impact: &Impact, settings: Settings) -> Result<(), Error> {
    let problem = &impact.problem;
    let summary = (Bounds::new(problem), Modes::new(problem), Collect::new(KEPT, Order::First));
    let set = SetValuedRouth::new(settings).post_impact_set(problem, summary, |_| ())?;
    let statistics = &set.statistics;
    record.count("samples", statistics.samples);
    record.count("terminated", statistics.terminated);
    record.count("closed", statistics.closed);
    record.count("limit", statistics.limit);
    record.count("unsolved", statistics.unsolved);
    record.count("lcps", statistics.total_lcps());
    record.count("fallbacks", statistics.fallbacks);
    let (bounds, modes, kept) = set.summary;
    let before = problem.velocity().amax();
    let contact = problem.contact_velocity(problem.velocity()).amax().max(before);
    record.figures("velocity min", bounds.velocity_min.as_slice(), before);
    record.figures("velocity max", bounds.velocity_max.as_slice(), before);
    record.figures("contact velocity min", bounds.contact_velocity_min.as_slice(), contact);
    record.figures("contact velocity max", bounds.contact_velocity_max.as_slice(), contact);
    for mode in modes.joint() {
        record.count(&format!("mode {:?}", mode.contacts), mode.count);
    }
    for outcome in kept.outcomes() {
        let path = format!("sample[{}].velocity", outcome.index);
        record.figures(&path, outcome.velocity.as_slice(), before);
    }
    Ok(())
}
