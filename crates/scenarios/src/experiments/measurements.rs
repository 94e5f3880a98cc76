//! The quantities that an experiment measures, compared with those that its fixture expects: [`Measurements`].

use std::borrow::Cow;

use percussion_integrators::{ContactReport, stewart_trinkle::Settings};
use percussion_mechanism::{
    Expected,
    scenario::{Scenario, Setup, Space},
    trajectory::Trajectory,
};
use percussion_record::Row;

use crate::{error::Error, experiments::Progress, fault::Faults};

/// Largest gap that counts as touching (m): ten times the tolerance of the scenarios at a step end.
const TOUCHING: f64 = 1e-9;

/// The rows of an experiment: each measurement with the entry of its fixture that expects it.
pub(super) struct Measurements<'a> {
    experiment: &'a str,
    expected: &'a [Expected],
    measured: Vec<(String, f64)>,
    /// Whether names may differ from the expected ones, because parameters that occur in names are changed.
    is_partial: bool,
}

impl<'a> Measurements<'a> {
    pub(super) fn new(experiment: &'a str, expected: &'a [Expected]) -> Self {
        Self { experiment, expected, measured: Vec::new(), is_partial: false }
    }

    /// The same measurements, but [`finish`](Self::finish) keeps only rows that are both measured and expected.
    pub(super) fn partial(self) -> Self {
        Self { is_partial: true, ..self }
    }

    /// Whether inputs are changed, so that rows without a verdict need not be measured.
    pub(super) const fn is_partial(&self) -> bool {
        self.is_partial
    }

    pub(super) fn add(&mut self, quantity: impl Into<String>, measured: f64) {
        self.measured.push((quantity.into(), measured));
    }

    /// Adds the rows that every simulation by Stewart and Trinkle's scheme must have.
    pub(super) fn add_dependability(&mut self, setup: &Setup, trajectory: &Trajectory) {
        self.add("deepest penetration at step ends", trajectory.deepest_penetration());
        self.add("largest relative LCP residual", trajectory.largest_residual());
        self.add(
            "largest relative violation of the contact laws",
            contact_law_violation(setup, trajectory),
        );
        self.add(
            "largest increase of energy in a step",
            trajectory.largest_energy_increase().max(0.0),
        );
    }

    /// Rows in the order of the file, and the notes of the entries.
    pub(super) fn finish(self) -> Result<(Vec<Row>, Vec<String>), Error> {
        let disagreement = |quantity: &str| Error::Expectation {
            experiment: self.experiment.to_owned(),
            quantity: quantity.to_owned(),
        };
        let is_expected = |name: &String| self.expected.iter().any(|one| one.quantity == *name);
        let unexpected = self.measured.iter().find(|(name, _)| !is_expected(name));
        if let (false, Some((quantity, _))) = (self.is_partial, unexpected) {
            return Err(disagreement(quantity));
        }
        let row = |expected: &Expected| {
            let same = |(quantity, _): &&(String, f64)| *quantity == expected.quantity;
            match self.measured.iter().find(same) {
                Some((_, measured)) => Some(Ok(expected.row(self.experiment, *measured))),
                None if self.is_partial => None,
                None => Some(Err(disagreement(&expected.quantity))),
            }
        };
        let rows = self.expected.iter().filter_map(row).collect::<Result<_, Error>>()?;
        let note = |expected: &Expected| {
            Some(format!("{}: {}", expected.quantity, expected.note.as_ref()?))
        };
        Ok((rows, self.expected.iter().filter_map(note).collect()))
    }
}

/// Simulates `setup` with the fault of the experiment, if it has one, and reports progress as the part of the
/// experiment between `from` and `to`.
pub(super) fn simulate(
    setup: &Setup,
    faults: Faults,
    progress: &mut Progress<'_>,
    [from, to]: [f64; 2],
) -> Result<Trajectory, Error> {
    let mut setup = Cow::Borrowed(setup);
    let settings = setup.scenario.impulse_velocity_settings();
    let tolerance = faults.tolerance(settings.tolerance);
    if tolerance > settings.tolerance {
        setup.to_mut().scenario.integrator.solver_tolerance = Some(tolerance);
    }
    let scenario = &setup.scenario;
    let what = format!("{}, h = {} s", scenario.title, scenario.integrator.step_size);
    let mut run = setup.simulate(&mut |fraction| progress(from + fraction * (to - from), &what))?;
    faults.trajectory(&setup.mechanism.model, &mut run);
    Ok(run)
}

/// The largest violation of the contact laws in any step, from gaps, velocities and impulses at its end alone.
///
/// A contact may neither pull nor act while it is open, friction may not exceed its bound, and the polygon must
/// dissipate at least the part `cos(π/d)` of what the cone would, with `d` directions. Impulses are relative to the
/// largest normal impulse of the motion, velocities to the largest entry of its velocities.
fn contact_law_violation(setup: &Setup, trajectory: &Trajectory) -> f64 {
    let contacts = || trajectory.reports.iter().flat_map(|step| &step.contacts);
    let impulse = contacts().map(|one| one.impulse.x).fold(0.0, f64::max);
    let velocities = trajectory.samples.iter().flat_map(|sample| &sample.velocity);
    let speed = velocities.fold(0.0, |speed: f64, velocity| speed.max(velocity.abs()));
    if impulse <= 0.0 || speed <= 0.0 {
        return 0.0;
    }
    let scenario = &setup.scenario;
    let part = match scenario.dimension {
        Space::Plane => 1.0,
        Space::Space => {
            let directions = scenario.integrator.directions;
            let directions = directions.unwrap_or(Settings::default().directions);
            (std::f64::consts::PI / directions as f64).cos()
        }
    };
    let known = setup.mechanism.model.contacts();
    let friction = |contact: usize| known.get(contact).map_or(f64::NAN, |one| one.friction);
    let violation = |one: &ContactReport| {
        let bound = friction(one.contact) * one.impulse.x;
        let (friction, slip) = (one.impulse.yz(), one.velocity.yz());
        let excess = friction.norm() - bound;
        let lacks = part * bound * slip.norm() + friction.dot(&slip);
        let acts = one.impulse.x * one.gap.max(0.0) / trajectory.step_size;
        let of_impulses = excess.max(-one.impulse.x) / impulse;
        of_impulses.max(lacks.max(acts) / (impulse * speed))
    };
    // A NaN is kept, and no reading.
    contacts().map(violation).fold(0.0, |worst, one| if one <= worst { worst } else { one })
}

/// The first time at which a gap closes.
pub(super) fn touch(
    scenario: &Scenario,
    trajectory: &Trajectory,
    contact: &str,
    event: &'static str,
) -> Result<f64, Error> {
    trajectory
        .contact(contact)
        .and_then(|contact| trajectory.first_touch(contact, TOUCHING))
        .map(|sample| sample.time)
        .ok_or_else(|| Error::NoEvent { scenario: scenario.name.clone(), event })
}
