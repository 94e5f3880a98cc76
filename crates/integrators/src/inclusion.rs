//! Motion through impacts without jumps: the time-augmented differential inclusion of Halm and Posa for a planar
//! [`Model`].
//!
//! The state is `(q, v, t)`, a function of a parameter `s`; time is part of the state. In free motion time
//! advances, in an impact it stands still, and lasting contact is a mixture of the two: with `τ = dt/ds` and
//! the rates `λ` of the contact impulses,
//!
//! ```math
//! q' = \tau N(q) v, \qquad M v' = \tau k + J^\mathsf{T} \lambda, \qquad
//! \tau + \sum_i \lambda_{n,i} = 1, \qquad \tau, \lambda_{n,i} \ge 0,
//! ```
//! ```math
//! \lambda_{t,i} \in -\mu_i \lambda_{n,i}\, \mathrm{Unit}(u_{t,i}), \qquad
//! \lambda_{n,i} = 0 \ \text{unless}\ g_i \le 0 \ \text{and}\ u_{n,i} \le 0 .
//! ```
//!
//! Where contacts carry forces `f` that keep their gaps closed, `λ = τ f` and `τ = 1/(1 + ‖f_n‖₁)`, so a
//! weight of 10 N slows time down by a factor of eleven. `s` is the sum of the time in seconds and the normal
//! impulses in newton-seconds, the latter divided by 1 N: `s = t + Σ P_n/(1 N)`. Another reference force
//! changes the parameter but not the motion. Velocities are continuous in `s`, and infinitely many impacts in
//! a finite time take a finite `s`.
//!
//! [`build`] constructs one solution, [`certify`] checks any solution against the inclusion, [`Accumulation`]
//! finds the point where impacts accumulate, and [`rest`] continues beyond it.
//!
//! - **Phases.** In a smooth phase contacts stick, slide or are open; forces keep the points of contact together,
//!   and those of sticking contacts at rest (with least norm where contacts are redundant). An impact consists of
//!   straight pieces, one contact at a time, each by Routh's rule in the plane: it slips, stops, and sticks or slips
//!   back. Any other order or mixture is also a solution.
//! - **Painlevé's case.** Where no force keeps a sliding contact closed, because its friction presses it down by more
//!   than its normal force lifts it, an impact without a collision stops its slip. Where the contact may also be left,
//!   or carry a force that friction needs, these come first: several solutions exist, and one is built.
//! - **Needs** a system in the plane.
//! - **Overlap.** Gaps are evaluated at intervals in which bodies move by a quarter of the length `L` of the
//!   model, and again at every recorded moment. A solution in which one is below the tolerance ends there as
//!   [`Status::Overlap`].
//! - **Energy** is accounted for, see [`Solution::energy`]: sticking contacts do no work, sliding ones and impacts
//!   dissipate energy. A solution with more energy than it can have ends as [`Status::EnergyGained`].
//! - **Does not** find a force that grows without bound while a contact slides toward Painlevé's case: steps become
//!   too small, and the [`Status`] reports this.
//! - **Cost** dense matrices of the size of the system at each stage of each step.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # The rocking block
//!
//! A block of 1 m × 2 m and 1 kg rocks from corner to corner, initially at 1 rad/s. Each impact leaves 0.7 of
//! the spin `ω`, and the time to the next, with `κ = m g l/(I + m l²)` and the angle `α` of the half diagonal
//! `l`, is
//!
//! ```math
//! T(\omega) = \int_{-\omega}^{\omega} \frac{\mathrm{d}w}{\kappa \sqrt{1 - \sigma(w)^2}}, \qquad
//! \sigma(w) = \sin \alpha + \frac{\omega^2 - w^2}{2 \kappa} .
//! ```
//!
//! Impacts accumulate at `t∞ = Σ T(0.7^k) = 2.671 421 398 s` and, by the balance of momentum,
//! `s∞ = (1 + m g) t∞ − m l cos α ω₀ = 28.378 065 316`. In the solution of twenty impacts the errors are
//! 1e-10 in the spins and 1e-9 in the times, and the inclusion is violated by at most 1e-10 at its 1717
//! moments. Its continuation gives the limits with errors of 1.5e-9 and 1.6e-8.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), section 4: equations 43 to 53 (the inclusion),
//! 56 to 70 (the rocking block). J. Lygeros et al., "Dynamical properties of hybrid automata", *IEEE
//! Transactions on Automatic Control* 48 (2003) 2–17, for that block.

mod certificate;
mod contacts;
mod error;
mod impact;
mod modes;
mod smooth;
mod solution;
#[cfg(test)]
mod tests;

use percussion_dynamics::Dimension;

use crate::{
    energy::controlled::{ControlledAccount, Reached},
    model::{Feature, Model, Rule, State},
    scales::Scales,
};
use contacts::{Contacts, Hold};

pub use certificate::{Certificate, certify};
pub use error::Error;
pub use solution::{Accumulation, Kind, Moment, Phase, Solution, Status};

/// Settings of [`build`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Tolerance of a step of a smooth phase, in `[1e-13, 1e-3]` (default `1e-12`): relative to an entry of
    /// the state and to its change while bodies move by the length `L` of the model in its time `T`.
    pub tolerance: f64,
    /// Length `L`, mass `m` and time `T` to which tolerances are relative; by default those of the model
    /// ([`Scales::of`]). Forces and accelerations up to `1e-9` of these scales count as zero.
    pub scales: Option<Scales>,
    /// Maximum gap of a closed contact (m; > 0, default `1e-9 L`).
    pub gap_tolerance: Option<f64>,
    /// Maximum contact velocity that counts as zero (m/s; > 0, default `1e-9 L/T`).
    pub velocity_tolerance: Option<f64>,
    /// Maximum number of impacts (≥ 1, default 20).
    pub impact_limit: usize,
    /// Maximum number of phases, and of pieces of one impact (≥ 1, default 1000).
    pub phase_limit: usize,
    /// Maximum total number of steps (≥ 1, default `1_000_000`).
    pub step_limit: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-12,
            scales: None,
            gap_tolerance: None,
            velocity_tolerance: None,
            impact_limit: 20,
            phase_limit: 1000,
            step_limit: 1_000_000,
        }
    }
}

impl Settings {
    fn check(&self) -> Result<(), Error> {
        let value = self.tolerance;
        if !(1e-13..=1e-3).contains(&value) {
            let (name, expected) = ("tolerance", "a number from 1e-13 to 1e-3");
            return Err(Error::Setting { name, value, expected });
        }
        if let Some((name, value)) = self.scales.and_then(|scales| scales.unusable()) {
            return Err(Error::Setting { name, value, expected: "a positive finite number" });
        }
        for (name, value) in
            [("gap_tolerance", self.gap_tolerance), ("velocity_tolerance", self.velocity_tolerance)]
        {
            if let Some(value) = value.filter(|value| !(value.is_finite() && *value > 0.0)) {
                return Err(Error::Setting { name, value, expected: "a positive finite number" });
            }
        }
        for (name, value) in [
            ("impact_limit", self.impact_limit),
            ("phase_limit", self.phase_limit),
            ("step_limit", self.step_limit),
        ] {
            if value == 0 {
                return Err(Error::Setting { name, value: 0.0, expected: "at least 1" });
            }
        }
        Ok(())
    }
}

/// The settings of one solution, with defaults from the scales of the model filled in.
#[derive(Clone, Debug)]
struct Resolved {
    scales: Scales,
    tolerance: f64,
    /// Absolute tolerances of coordinates, velocities and the impulse.
    absolute_tolerances: Vec<f64>,
    gap_tolerance: f64,
    velocity_tolerance: f64,
    impact_limit: usize,
    phase_limit: usize,
    step_limit: usize,
}

impl Resolved {
    fn new(settings: &Settings, model: &Model, start: &State, span: f64) -> Self {
        let system = model.system();
        let gaps = model.contacts().iter().map(|contact| contact.gap.as_ref());
        let scales = settings.scales.unwrap_or_else(|| Scales::of(system, gaps, start, span));
        let positions = scales.of_coordinates(system, &start.coordinates);
        let speeds = scales.of_velocities(system, &start.coordinates);
        let speeds = speeds.iter().map(|stride| stride / scales.time);
        let all = positions.into_iter().chain(speeds).chain([scales.impulse()]);
        Self {
            scales,
            tolerance: settings.tolerance,
            absolute_tolerances: all.map(|scale| settings.tolerance * scale).collect(),
            gap_tolerance: settings.gap_tolerance.unwrap_or(1e-9 * scales.length),
            velocity_tolerance: settings.velocity_tolerance.unwrap_or(1e-9 * scales.speed()),
            impact_limit: settings.impact_limit,
            phase_limit: settings.phase_limit,
            step_limit: settings.step_limit,
        }
    }
}

/// How the inclusion treats a feature of a model.
#[must_use]
pub const fn rule(feature: Feature) -> Rule {
    match feature {
        Feature::FoundContacts
        | Feature::Restitution
        | Feature::JointFriction
        | Feature::Cones
        | Feature::Constraints
        | Feature::VelocityConstraints
        | Feature::Forces => Rule::Refused,
    }
}

/// Builds a solution from `start`, with `s = 0` there, until the time `end` (s) or a limit.
///
/// # Errors
///
/// See [`Error`]: invalid input. If a solution ends early, the reason is its [`Status`].
///
/// # Example
///
/// A point of 1 kg falls from 1.25 m at 10 m/s². It lands after 0.5 s at 5 m/s; the impact takes another 5 of
/// `s`, and then each second of rest takes 11.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_integrators::inclusion::{Kind, Settings, build};
/// use percussion_integrators::{Contact, Model, State};
///
/// let point = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -10.0))?;
/// let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
/// let contact = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, 0.5);
/// let model = Model::new(Box::new(point), vec![contact])?;
///
/// let start = State { time: 0.0, coordinates: vec![0.0, 1.25, 0.0], velocity: vec![0.0; 3] };
/// let solution = build(&model, &Settings::default(), &start, 1.5)?;
/// let kinds: Vec<_> = solution.phases.iter().map(|phase| phase.kind).collect();
/// assert_eq!(kinds, [Kind::Free, Kind::Impact, Kind::Sustained]);
/// let ends: Vec<_> = solution.phases.iter().map(|phase| phase.end().s).collect();
/// for (found, expected) in ends.iter().zip([0.5, 5.5, 16.5]) {
///     assert!((found - expected).abs() < 1e-8);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn build(
    model: &Model,
    settings: &Settings,
    start: &State,
    end: f64,
) -> Result<Solution, Error> {
    settings.check()?;
    check_model(model)?;
    start.check(model.system())?;
    if !(end.is_finite() && end > start.time) {
        return Err(Error::End { start: start.time, end });
    }
    let settings = &Resolved::new(settings, model, start, end - start.time);
    let mut contacts = Contacts::new(model);
    contacts.locate(&start.coordinates, &start.velocity);
    contacts.check_start(settings)?;
    let mut moment = Moment::at(start, model.contacts().len());
    let system = model.system();
    let State { time, coordinates, velocity } = start;
    let energy = system.energy(coordinates, velocity);
    let reached = Reached { time: *time, coordinates, velocity, energy };
    let mut account = ControlledAccount::new(system, reached);
    let (mut phases, mut impacts, mut steps) = (Vec::new(), 0, 0);
    let status = loop {
        if phases.len() >= settings.phase_limit {
            break Status::PhaseLimit;
        }
        contacts.locate(&moment.coordinates, &moment.velocity);
        match next(&mut contacts, settings, &moment) {
            Next::Stuck => break Status::NoSticking,
            Next::Impact(_) if impacts == settings.impact_limit => break Status::ImpactLimit,
            Next::Impact(first) => {
                impacts += 1;
                match impact::resolve(&mut contacts, settings, &moment, first) {
                    Ok(pieces) => phases.extend(pieces),
                    Err(status) => break status,
                }
            }
            Next::Smooth(carriers) => {
                let counts = (&mut steps, &mut account);
                let (phase, ending) =
                    smooth::advance(&mut contacts, settings, (&moment, &carriers), end, counts)?;
                phases.extend(phase);
                if let Some(status) = ending {
                    break status;
                }
            }
        }
        if let Some(last) = phases.last() {
            moment = last.end().clone();
        }
    };
    let last = phases.last().map_or(&moment, Phase::end);
    let energy = account.balance(system.energy(&last.coordinates, &last.velocity));
    let status = match status {
        Status::EndReached | Status::ImpactLimit if energy.is_breached() => Status::EnergyGained,
        status => status,
    };
    Ok(Solution { phases, status, energy, scales: settings.scales })
}

/// What follows a moment of a solution.
enum Next {
    /// An impact whose first piece is that of this contact.
    Impact(usize),
    /// A smooth phase with these carrying contacts.
    Smooth(Vec<(usize, Hold)>),
    /// Nothing that is built.
    Stuck,
}

fn next(contacts: &mut Contacts<'_>, settings: &Resolved, at: &Moment) -> Next {
    if let Some(contact) = contacts.approaching(settings) {
        return Next::Impact(contact);
    }
    match modes::carriers(contacts, settings, at) {
        Some(carriers) => Next::Smooth(carriers),
        None => modes::jammed(contacts, settings, at).map_or(Next::Stuck, Next::Impact),
    }
}

/// Continues beyond an accumulation point: the system stays at rest there for `duration` (s), carried by all
/// closed contacts.
///
/// # Errors
///
/// [`Error::NotAtRest`] when no sticking of the closed contacts holds the system at rest, [`Error::End`] for
/// a duration that is not positive.
pub fn rest(
    model: &Model,
    settings: &Settings,
    point: &Accumulation,
    duration: f64,
) -> Result<Phase, Error> {
    settings.check()?;
    check_model(model)?;
    if !(duration.is_finite() && duration > 0.0) {
        return Err(Error::End { start: point.time, end: point.time + duration });
    }
    let velocity = vec![0.0; model.system().velocity_count()];
    let state = State { time: point.time, coordinates: point.coordinates.clone(), velocity };
    state.check(model.system())?;
    let settings = &Resolved::new(settings, model, &state, duration);
    let start = Moment { s: point.s, ..Moment::at(&state, model.contacts().len()) };
    smooth::stay(&mut Contacts::new(model), settings, &start, duration)
}

fn check_model(model: &Model) -> Result<(), Error> {
    if let Some(feature) = model.refused(rule) {
        return Err(Error::NoRule { feature });
    }
    if model.system().dimension() != Dimension::Plane {
        return Err(Error::Space);
    }
    if model.contacts().is_empty() {
        return Err(Error::NoContacts);
    }
    Ok(())
}
