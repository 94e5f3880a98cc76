//! The time stepping of Moreau and Jean: contacts at velocity level, forces by the θ-method, Newton's
//! restitution.
//!
//! One step from `(q, v)` to `(q', v')` over the time `h` satisfies, with `v_θ = (1 − θ) v + θ v'`,
//!
//! ```math
//! M(q_\theta) (v' - v) = h\, k(q_\theta, v_\theta, t + \theta h) + J^\mathsf{T} p + G^\mathsf{T} p_b, \qquad
//! q_\theta = q \oplus \theta h v_\theta, \quad q' = q \oplus h v_\theta,
//! ```
//! ```math
//! 0 \le p_{n,j} \perp u'_{n,j} - e_j \max(0, -u_{n,j}) \ge 0, \qquad G v' = -\varepsilon \varphi / h
//! ```
//!
//! for the contacts `j` that are closed at the predicted `q̄ = q ⊕ h v/2`, `g_j(q̄) ≤ ε_g` with a small
//! [tolerance](Settings::gap_tolerance); the others have no impulse. `J`, `G` and `φ` are those at `q̄`,
//! `u = J v`, `u' = J v'`, and the tangential impulses satisfy a [friction law](Settings::law) with `u'`.
//!
//! - **Friction in joints**, `|p_d| ≤ h η` against the velocity of its axis, stands in one problem with the constraints,
//!   limits and contacts, of [`mixed`](percussion_complementarity::friction::mixed); without it the problem is that of
//!   the contacts, and constraints are eliminated.
//! - **Needs** `M` positive definite, and `h` times the rate of change of the forces small enough for the iteration below.
//! - **Penetration** is not removed: gaps only determine whether a contact is open or closed, and a contact penetrates by
//!   up to the displacement of half a step before it is detected. This drift of positions is the price of exact restitution.
//! - **Order**: smooth motion is of second order for θ = 1/2; steps with impacts are of first order.
//! - **Iteration**: forces and masses at `(q_θ, v_θ)` depend on `v'`. Starting with `v' = v`, or with the change of the last step
//!   added where steps change `v` alike, they are evaluated and the contact problem is solved repeatedly, until no coordinate of
//!   `q'` moves by more than [`Settings::iteration_tolerance`], or would in all passes that could follow by more than a tenth of it:
//!   by the rate at which changes fell, or by the forces at `v'` under the impulses found. Velocities, and with them momenta, thus
//!   satisfy the equation above to that over `h θ`, and the laws of contacts to [`Settings::tolerance`].
//! - **Rest**: while `q̄` of a tree of bodies is within `1e-11` of the change of its coordinates that moves bodies by `L`, or a tenth of
//!   [`Settings::iteration_tolerance`] if that is less, of where its rows, masses and distances were evaluated last, they stay as they
//!   are. Its weights do within a hundredth of that.
//!   So the problem of a robot at rest is stated once ([`RoundCones::is_kept`]), whatever moves elsewhere.
//! - **Does not** accept a step whose iteration did not converge, nor one whose problem was not solved unless
//!   [`Settings::unsolved`] allows it.
//! - **Cost** usually one factorization of `M`, one Delassus operator and one evaluation of each gap; in each pass the inverse
//!   dynamics of one acceleration, and a solve that starts from the impulses of the pass before. At rest the inverse dynamics and the
//!   check of the impulses.
//! - **Deterministic**: the same bits on every run.
//!
//! # Energy
//!
//! With constant `M`, `k`, `J` and without constraint errors the step changes the energy by
//!
//! ```math
//! E' - E = -(\theta - \tfrac12) \|v' - v\|_M^2 + \sum_j p_j \cdot (\theta u'_j + (1 - \theta) u_j).
//! ```
//!
//! The normal part of a contact that approached is `p_n u_n (1 − θ (1 + e))`. Without friction, and if no contact that pushes
//! was separating before, energy does not grow for `1/2 ≤ θ ≤ 1/(1 + e)`: with `e = 1` only for θ = 1/2. Friction dissipates
//! energy at the velocity `u'`, but may add some at `u` where the slip turns within a step.
//!
//! # Source
//!
//! M. Jean, J. J. Moreau, "Unilaterality and dry friction in the dynamics of rigid body collections", *Proceedings of the
//! Contact Mechanics International Symposium* 1992, 31–48; V. Acary, B. Brogliato, *Numerical Methods for Nonsmooth
//! Dynamical Systems*, Springer 2008, section 10.1. V. Acary, "Energy conservation and dissipation properties of
//! time-integration methods for nonsmooth elastodynamics with contact", *ZAMM* 96 (2016) 585–603 (the bounds of θ).

mod anchor;
pub mod derivative;
mod given;
mod guess;
mod pass;
mod passes;

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::friction::{Law, Method, document::Document};
use percussion_dynamics::AddedMass;

use self::{
    anchor::{Anchor, OF_WEIGHTS},
    guess::Guess,
    passes::{Passes, STEADY},
};
use crate::{
    energy::Allowance,
    error::Error,
    model::{Feature, Rule, State},
    report::{RoundCones, StepReport},
    scales::Scales,
    settings,
    simulation::{End, Motion, Scheme},
    velocity_level::{self, Unsolved, VelocityLevel},
};

/// Settings of the [`MoreauJean`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Step `h` (s), positive (default `0.001`).
    pub step_size: f64,
    /// `θ` in `[0, 1]` (default 1/2): with 0 forces are evaluated at the start of a step, with 1 at its end.
    pub implicitness: f64,
    /// Friction law of the contact problems (default Coulomb).
    pub law: Law,
    /// Solver, with a [rule](Method::laws) for the law; its own tolerance is not used (default [`Method::default`]).
    pub method: Method,
    /// Maximum relative natural-map residual of a solved problem (≥ 0, default `1e-8`).
    pub tolerance: f64,
    /// Fraction `ε` of the errors of constraints that a step removes (in `[0, 1]`, default 0.2).
    pub error_reduction: f64,
    /// Length `L`, mass `m` and time `T` to which tolerances are relative; by default those of the model
    /// ([`Scales::of`]).
    pub scales: Option<Scales>,
    /// Maximum change of a coordinate in the last pass of a step (m, rad; positive); passes that would change it by a tenth of this are
    /// left out. By default `1e-10` of the change of each coordinate while bodies move by `L`.
    pub iteration_tolerance: Option<f64>,
    /// Maximum gap (m) of a closed contact (≥ 0); by default `1e-8 L`. It does not push bodies apart. With 0,
    /// a body that lies on several corners drops by the fall of one step whenever rounding, or the solver's
    /// residual, lifts one of them.
    pub gap_tolerance: Option<f64>,
    /// Maximum number of passes of a step (≥ 2, default 50).
    pub iteration_limit: usize,
    /// Whether a step ends with a projection of the coordinates onto the constraints, and of joints that exceed a limit onto
    /// it, by the smallest displacement in the kinetic metric (default no). Its work is in
    /// [`StepReport::projection_work`](crate::StepReport::projection_work) and in the energy account. Contacts of surfaces are not moved.
    pub projection: bool,
    /// Whether a solve starts with the impulses of the last step (default) or with zero.
    pub warm_start: bool,
    /// Treatment of a step whose problem was not solved (default: it is refused).
    pub unsolved: Unsolved,
    /// Maximum number of steps of one [`run`](crate::Simulation::run) (default `10_000_000`).
    pub step_limit: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            step_size: 0.001,
            implicitness: 0.5,
            law: Law::default(),
            method: Method::default(),
            tolerance: 1e-8,
            error_reduction: 0.2,
            scales: None,
            iteration_tolerance: None,
            gap_tolerance: None,
            iteration_limit: 50,
            projection: false,
            warm_start: true,
            unsolved: Unsolved::default(),
            step_limit: 10_000_000,
        }
    }
}

impl Settings {
    /// Returns the method with the tolerance, if all settings are in range and it supports the law.
    fn check(&self) -> Result<Method, Error> {
        settings::positive("step_size", self.step_size)?;
        if let Some(tolerance) = self.iteration_tolerance {
            settings::positive("iteration_tolerance", tolerance)?;
        }
        if let Some(gap) = self.gap_tolerance {
            settings::at_least_zero("gap_tolerance", gap)?;
        }
        settings::scales(self.scales)?;
        settings::fraction("implicitness", self.implicitness)?;
        settings::fraction("error_reduction", self.error_reduction)?;
        if self.iteration_limit < 2 {
            let (name, value) = ("iteration_limit", self.iteration_limit as f64);
            return Err(Error::Setting { name, value, expected: "at least 2" });
        }
        velocity_level::method(self.method, self.law, self.tolerance)
    }
}

/// The [scheme](self) of Moreau and Jean, for a [`Simulation`](crate::Simulation); the start may penetrate.
///
/// # Example
///
/// A ball of 2 kg with `e = 1/2` is dropped from 1.25 m above the floor and arrives after half a second at 5
/// m/s; it leaves at 2.5 m/s.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{Body, FreeBodies, MassProperties};
/// use percussion_integrators::{Contact, Model, Simulation, State, moreau_jean::MoreauJean};
/// use percussion_integrators::moreau_jean::Settings;
///
/// let ball = Body::from_mass_properties(&MassProperties::solid_sphere(2.0, 0.1)?);
/// let balls = FreeBodies::new(vec![ball], Vector3::new(0.0, 0.0, -10.0))?;
/// let floor = Plane::new(&Vector3::z(), &Vector3::zeros())?;
/// let contact = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.1), floor)?, 0.4).with_restitution(0.5);
/// let model = Model::new(Box::new(balls), vec![contact])?;
///
/// let coordinates = vec![0.0, 0.0, 1.35, 1.0, 0.0, 0.0, 0.0];
/// let state = State { time: 0.0, coordinates, velocity: vec![0.0; 6] };
/// let settings = Settings { step_size: 0.01, ..Settings::default() };
/// let mut simulation = Simulation::<MoreauJean>::new(model, settings, state)?;
/// let mut fastest = 0.0_f64;
/// simulation.run(0.6, |state, _| fastest = fastest.max(state.velocity[2]))?;
/// assert!((fastest - 2.5).abs() < 0.06); // the impact may be seen a step late
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MoreauJean {
    settings: Settings,
    scales: Scales,
    /// Displacement that moves bodies by the length of the scales, and maximum change in the last pass, of each coordinate.
    strides: Vec<f64>,
    tolerances: Vec<f64>,
    /// Maximum gap of a closed contact (m).
    gap_tolerance: f64,
    level: VelocityLevel,
    active: Vec<usize>,
    /// Of rows, masses, distances and energies, and of gravity.
    anchor: Anchor,
    weights: Anchor,
    /// Where is searched for contacts at both ends of the step, and where its energies are evaluated.
    places: [Vec<f64>; 2],
    /// Whether the caller has chosen the closed contacts, whose rows are then those at the end of the step.
    is_given: bool,
    /// `v_f` without the constraints, of the last pass and of the one before, and the former with them.
    free: DVector<f64>,
    free_before: DVector<f64>,
    constrained: DVector<f64>,
    forces: DMatrix<f64>,
    first_guess: Guess,
    /// `v'` of the last pass and of the one before.
    velocity: DVector<f64>,
    guess: DVector<f64>,
    tangent: DVector<f64>,
    /// `q̄`, `q_θ` of the current and of the last fresh pass, and `q'`.
    forecast: Vec<f64>,
    middle: Vec<f64>,
    of_masses: Vec<f64>,
    coordinates: Vec<f64>,
    /// The state near `(q_θ, v_θ)` of bodies, of which those that rest have that of an earlier step.
    near: Vec<f64>,
    moving: DVector<f64>,
    /// `h θ D + h² θ² K`, if it is not zero.
    implicit: Option<AddedMass>,
}

impl MoreauJean {
    /// Length, mass and time to which tolerances are relative.
    #[must_use]
    pub const fn scales(&self) -> &Scales {
        &self.scales
    }

    /// Moves the point of the contacts to the end of a step to `guess`.
    fn forecast_end(&mut self, Motion { model, state, .. }: &Motion) {
        let Settings { step_size: h, implicitness: theta, .. } = self.settings;
        self.tangent.copy_from_slice(&state.velocity);
        self.tangent.axpy(theta, &self.guess, 1.0 - theta);
        self.tangent *= h;
        model.system().retract(&state.coordinates, self.tangent.as_slice(), &mut self.forecast);
    }

    /// Finds the contacts that are closed half a step ahead.
    ///
    /// A NaN gap counts as closed, so that stating the problem refuses it.
    fn activate(&mut self, motion: &mut Motion) -> Result<(), Error> {
        let Motion { model, contacts, state } = motion;
        let system = model.system();
        let lost = |source| Error::Contacts { time: state.time, source };
        let tolerance = self.gap_tolerance;
        self.anchor.drop_at(system, &mut self.forecast);
        let [start, _] = &mut self.places;
        start.copy_from_slice(&state.coordinates);
        self.anchor.hold(system, start);
        let ends = [&start[..], &self.forecast];
        contacts.look_ahead(system, ends, tolerance).map_err(lost)?;
        self.active.clear();
        let closed = (tolerance, |gap: f64| gap.is_nan() || gap <= tolerance);
        contacts.activate(system, &self.forecast, closed, &mut self.active).map_err(lost)?;
        Ok(())
    }

    /// Writes `q' = q ⊕ h v_θ`.
    fn advance(&mut self, Motion { model, state, .. }: &Motion) {
        let Settings { step_size: h, implicitness: theta, .. } = self.settings;
        self.tangent.copy_from_slice(&state.velocity);
        self.tangent.axpy(theta, &self.velocity, 1.0 - theta);
        self.tangent *= h;
        let tangent = self.tangent.as_slice();
        model.system().retract(&state.coordinates, tangent, &mut self.coordinates);
    }

    /// Writes the place of `q'`.
    fn hold_end(&mut self, motion: &Motion) {
        let [_, end] = &mut self.places;
        end.copy_from_slice(&self.coordinates);
        self.anchor.hold(motion.model.system(), end);
    }

    /// `|T(q', v) − T(q, v)|` with the velocity before an impact. Together with the value for the velocity
    /// after it, which the account contains, this is the change of the modified energy by the impact.
    fn exchanged_before(&self, motion: &Motion) -> f64 {
        let State { velocity, .. } = &motion.state;
        let [start, end] =
            self.places.each_ref().map(|at| motion.model.system().kinetic_energy(at, velocity));
        (end - start).abs()
    }
}

impl Scheme for MoreauJean {
    type Settings = Settings;

    fn rule(feature: Feature) -> Rule {
        match feature {
            Feature::Forces => Rule::Refused,
            Feature::FoundContacts
            | Feature::Restitution
            | Feature::JointFriction
            | Feature::Cones
            | Feature::Constraints
            | Feature::VelocityConstraints => Rule::Used,
        }
    }

    fn start(settings: Settings, motion: &mut Motion) -> Result<Self, Error> {
        let method = settings.check()?;
        velocity_level::start(motion)?;
        let Motion { model, state, .. } = &*motion;
        let velocities = model.system().velocity_count();
        let coordinates = vec![0.0; model.system().coordinate_count()];
        let scales = settings.scales.unwrap_or_else(|| model.scales(state, settings.step_size));
        let strides = scales.of_velocities(model.system(), &state.coordinates);
        let tolerance = |stride| settings.iteration_tolerance.unwrap_or(1e-10 * stride);
        let held = |stride: &f64| STEADY * tolerance(*stride).min(1e-10 * stride);
        let held: Vec<f64> = strides.iter().map(held).collect();
        let weights = held.iter().map(|held| OF_WEIGHTS * held).collect();
        Ok(Self {
            tolerances: strides.iter().copied().map(tolerance).collect(),
            strides,
            gap_tolerance: settings.gap_tolerance.unwrap_or(1e-8 * scales.length),
            settings,
            scales,
            level: VelocityLevel::new(model, state, settings.step_size, (settings.law, method))?,
            active: Vec::new(),
            anchor: Anchor::new(model.system(), held),
            weights: Anchor::new(model.system(), weights),
            places: [coordinates.clone(), coordinates.clone()],
            is_given: false,
            free: DVector::zeros(velocities),
            free_before: DVector::zeros(velocities),
            constrained: DVector::zeros(velocities),
            forces: DMatrix::zeros(velocities, 1),
            first_guess: Guess::default(),
            velocity: DVector::zeros(velocities),
            guess: DVector::zeros(velocities),
            tangent: DVector::zeros(velocities),
            forecast: coordinates.clone(),
            middle: coordinates.clone(),
            of_masses: coordinates.clone(),
            near: coordinates.clone(),
            moving: DVector::zeros(velocities),
            coordinates,
            implicit: pass::implicit(model, settings.step_size, settings.implicitness),
        })
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn step_size(&self) -> f64 {
        self.settings.step_size
    }

    fn step_limit(&self) -> usize {
        self.settings.step_limit
    }

    fn displacement_share(&self) -> f64 {
        self.settings.implicitness
    }

    fn states_drives(&self) -> bool {
        self.level.states_drives()
    }

    fn solve(&mut self, motion: &mut Motion, report: &mut StepReport) -> Result<(), Error> {
        let Settings { step_size: h, implicitness: theta, iteration_limit: limit, .. } =
            self.settings;
        self.level.work = RoundCones::default();
        let Motion { model, state, .. } = &*motion;
        if self.is_given || !self.settings.warm_start {
            self.first_guess.forget();
        }
        let Self { first_guess, guess, tolerances, anchor, .. } = self;
        let is_small =
            |velocity: usize, change: f64| h * theta * change.abs() <= tolerances[velocity];
        first_guess.write(&state.velocity, (anchor.trees(), is_small), guess.as_mut_slice());
        self.tangent.copy_from_slice(&state.velocity);
        self.tangent *= 0.5 * h;
        let tangent = self.tangent.as_slice();
        model.system().retract(&state.coordinates, tangent, &mut self.forecast);
        match self.is_given {
            true => {
                self.anchor.lift();
                self.places[0].copy_from_slice(&state.coordinates);
            }
            false => self.activate(motion)?,
        }
        let (mut passes, mut converged) = (Passes::new(), false);
        while !converged {
            if self.level.work.passes == limit {
                let change = passes.change;
                return Err(Error::IterationLimit { time: motion.state.time, limit, change });
            }
            let fresh = passes.is_fresh();
            self.fall(motion, fresh)?;
            // The rows of a given step are those at its end, which change too.
            if !fresh && !self.is_given && self.is_steady() {
                break;
            }
            self.pass(motion, report)?;
            self.tangent.copy_from(&self.velocity);
            self.tangent -= &self.guess;
            self.tangent *= h * theta;
            converged = passes.enter(self.tangent.as_slice(), &self.tolerances, &self.strides);
            self.guess.copy_from(&self.velocity);
        }
        self.advance(motion);
        self.hold_end(motion);
        Ok(())
    }

    fn places<'a>(&'a self, _start: &'a [f64]) -> [&'a [f64]; 2] {
        self.places.each_ref().map(|place| &place[..])
    }

    fn end(&self) -> End<'_> {
        End { coordinates: &self.coordinates, velocity: self.velocity.as_slice() }
    }

    fn finish(&mut self, motion: &mut Motion, report: &mut StepReport) -> Result<Allowance, Error> {
        let Self { first_guess, velocity, strides, .. } = self;
        first_guess.enter(&motion.state.velocity, velocity.as_slice(), strides);
        if self.settings.projection {
            self.level.close(motion, &mut self.coordinates, &self.velocity, report)?;
            self.hold_end(motion);
        }
        let end = End { coordinates: &self.places[1], velocity: self.velocity.as_slice() };
        self.level.finish(motion, end, report)?;
        let pushes = report.normal_impulses().any(|(_, impulse)| impulse > 0.0);
        let keeps_energy = self.settings.implicitness < 1.0 && pushes;
        // At rest this is less than the rounding of an energy.
        let exchanges = keeps_energy && !self.level.rests();
        let exchanged = if exchanges { self.exchanged_before(motion) } else { 0.0 };
        // Overlaps are not removed.
        let projected = report.projection_work;
        Ok(Allowance { keeps_energy, exchanged, projected, ..Allowance::default() })
    }

    fn document(&self) -> Option<Document> {
        self.level.document()
    }
}
