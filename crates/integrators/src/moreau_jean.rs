//! The time stepping of Moreau and Jean: contacts by their velocities, forces by the θ-method, restitution by Newton.
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
//! for the contacts `j` that the forecast `q̄ = q ⊕ h v/2` closes, `g_j(q̄) ≤ ε_g` with a small
//! [tolerance](Settings::gap_tolerance); the others push not. `J`, `G` and `φ` are
//! those of `q̄`, `u = J v`, `u' = J v'`, and the tangential impulses obey a [friction law](Settings::law) with `u'`.
//!
//! - **Needs** `M` positive definite, and `h` times the rate of the forces' change small enough for the iteration below.
//! - **Penetration** is not removed: gaps are looked at for opening and closing only, and a contact penetrates by up to the
//!   way of half a step before it is seen. This drift of positions is the price for restitution that is exact.
//! - **Order**: for θ = 1/2 smooth motion is of second order; steps with impacts are of first.
//! - **Iteration**: forces and masses at `(q_θ, v_θ)` need `v'`. Beginning with `v' = v` they are evaluated and the contact
//!   problem solved again, until no coordinate of `q'` moves by more than [`Settings::iteration_tolerance`]. Constant
//!   forces take two passes.
//! - **Does not** accept a step whose iteration did not converge, nor one whose problem was not solved unless
//!   [`Settings::unsolved`] says so. Bounded friction in joints is refused.
//! - **Cost** some passes with one evaluation of the forces and one factorization of `M` each, and one evaluation of each
//!   gap.
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
//! had been separating, energy does not grow for `1/2 ≤ θ ≤ 1/(1 + e)`: with `e = 1` only for θ = 1/2. Friction takes energy
//! at the velocity `u'`, but may add some at `u` where the slip turns within a step.
//!
//! # Source
//!
//! M. Jean, J. J. Moreau, "Unilaterality and dry friction in the dynamics of rigid body collections", *Proceedings of the
//! Contact Mechanics International Symposium* 1992, 31–48; V. Acary, B. Brogliato, *Numerical Methods for Nonsmooth
//! Dynamical Systems*, Springer 2008, section 10.1. V. Acary, "Energy conservation and dissipation properties of
//! time-integration methods for nonsmooth elastodynamics with contact", *ZAMM* 96 (2016) 585–603 (the bounds of θ).

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::friction::{Document, Law, Method};
use serde::{Deserialize, Serialize};

use crate::{
    contacts::Contacts,
    energy::{EnergyAccount, Step},
    impulse_velocity::{Error, StepReport, Unsolved, check_model, contacts_at, settings, steps},
    model::{Model, State},
    scales::Scales,
    velocity_level::{Place, VelocityLevel},
};

/// Settings of the [`Integrator`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Step `h` (s), positive (default `0.001`).
    pub step_size: f64,
    /// `θ` in `[0, 1]` (default 1/2): 0 takes forces at the start of a step, 1 at its end.
    pub implicitness: f64,
    /// Friction law, which every problem of a step states (default Coulomb).
    pub law: Law,
    /// Solver, with a [rule](Method::laws) for the law; its own tolerance is not used (default [`Method::default`]).
    pub method: Method,
    /// Largest relative natural-map residual of a solved problem (≥ 0, default `1e-8`).
    pub tolerance: f64,
    /// Part `ε` of the errors of constraints that a step removes (in `[0, 1]`, default 0.2).
    pub error_reduction: f64,
    /// Length `L`, mass `m` and time `T` that tolerances are relative to; by default those of the model
    /// ([`Scales::of`]).
    pub scales: Option<Scales>,
    /// Largest change of a coordinate in the last pass of a step (m, rad; positive); by default `1e-10` of how far each
    /// coordinate goes while bodies move by `L`.
    pub iteration_tolerance: Option<f64>,
    /// Largest gap (m) of a contact that is closed (≥ 0); by default `1e-8 L`. It does not push bodies apart: with 0 a body
    /// that lies on several corners drops by a step's fall whenever rounding, or what the solver leaves, lifts one of them.
    pub gap_tolerance: Option<f64>,
    /// Largest number of passes of a step (≥ 2, default 50).
    pub iteration_limit: usize,
    /// Whether a solve begins with the impulses of the last step (default) or with none.
    pub warm_start: bool,
    /// What becomes of a step whose problem was not solved (default: it is refused).
    pub unsolved: Unsolved,
    /// Largest number of steps of one [`run`](Integrator::run) (default `10_000_000`).
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
            warm_start: true,
            unsolved: Unsolved::default(),
            step_limit: 10_000_000,
        }
    }
}

/// A motion in steps of equal length.
///
/// # Example
///
/// A ball of 2 kg is dropped with `e = 1/2` from 1.25 m above the floor and arrives after half a second at 5 m/s; the
/// impact leaves 2.5 m/s.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{Body, FreeBodies, MassProperties};
/// use percussion_integrators::moreau_jean::{Integrator, Settings};
/// use percussion_integrators::{Contact, Model, State};
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
/// let mut integrator = Integrator::new(model, settings, state)?;
/// let mut fastest = 0.0_f64;
/// integrator.run(0.6, |state, _| fastest = fastest.max(state.velocity[2]))?;
/// assert!((fastest - 2.5).abs() < 0.06); // the impact may be seen a step late
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Integrator {
    model: Model,
    contacts: Contacts,
    settings: Settings,
    scales: Scales,
    /// Largest change of each coordinate in the last pass (length `n_v`).
    tolerances: Vec<f64>,
    /// Largest gap of a closed contact (m).
    gap_tolerance: f64,
    state: State,
    start_time: f64,
    step_count: usize,
    level: VelocityLevel,
    account: EnergyAccount,
    active: Vec<usize>,
    /// `v_f`, then with the constraints.
    free: DVector<f64>,
    forces: DMatrix<f64>,
    /// `v'` of the last pass and of the one before.
    velocity: DVector<f64>,
    guess: DVector<f64>,
    tangent: DVector<f64>,
    /// `q̄`, `q_θ` and `q'`.
    forecast: Vec<f64>,
    middle: Vec<f64>,
    coordinates: Vec<f64>,
}

impl Integrator {
    /// A motion of `model` that starts at `state`; it may penetrate there.
    ///
    /// # Errors
    ///
    /// See [`Error`]: a setting out of range, a state that does not fit the system or is not finite, a mass matrix that is
    /// not symmetric positive definite, bounded friction in joints.
    pub fn new(model: Model, settings: Settings, state: State) -> Result<Self, Error> {
        let method = check(&settings)?;
        check_model(&model, &state)?;
        let contacts = contacts_at(&model, &state)?;
        let velocities = model.system().velocity_count();
        let coordinates = vec![0.0; model.system().coordinate_count()];
        let scales = settings.scales.unwrap_or_else(|| model.scales(&state, settings.step_size));
        let strides = scales.of_velocities(model.system(), &state.coordinates);
        let tolerance = |stride| settings.iteration_tolerance.unwrap_or(1e-10 * stride);
        Ok(Self {
            tolerances: strides.into_iter().map(tolerance).collect(),
            gap_tolerance: settings.gap_tolerance.unwrap_or(1e-8 * scales.length),
            scales,
            start_time: state.time,
            step_count: 0,
            level: VelocityLevel::new(&model, settings.law, method),
            account: EnergyAccount::of_contacts(
                model.system(),
                &contacts,
                &state,
                settings.step_size,
            ),
            active: Vec::new(),
            free: DVector::zeros(velocities),
            forces: DMatrix::zeros(velocities, 1),
            velocity: DVector::zeros(velocities),
            guess: DVector::zeros(velocities),
            tangent: DVector::zeros(velocities),
            forecast: coordinates.clone(),
            middle: coordinates.clone(),
            coordinates,
            model,
            contacts,
            settings,
            state,
        })
    }

    /// The model.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// The contacts by number, as reports have them.
    #[must_use]
    pub const fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Length, mass and time that tolerances are relative to.
    #[must_use]
    pub const fn scales(&self) -> &Scales {
        &self.scales
    }

    /// The state at the end of the last step.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// The contact problem of the last pass, as
    /// [`impulse_velocity::Integrator::document`](crate::impulse_velocity::Integrator::document).
    #[must_use]
    pub fn document(&self) -> Option<Document> {
        self.level.document()
    }

    /// Takes one step of [`Settings::step_size`].
    ///
    /// # Errors
    ///
    /// [`Error::Unsolved`], [`Error::IterationLimit`], [`Error::Problem`], [`Error::NotFinite`]; the state is then untouched.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        let h = self.settings.step_size;
        let system = self.model.system();
        let energy = system.energy(&self.state.coordinates, &self.state.velocity);
        let time = self.start_time + (self.step_count + 1) as f64 * h;
        let mut report = StepReport::new(time, energy);
        self.guess.copy_from_slice(&self.state.velocity);
        self.tangent.copy_from(&self.guess);
        self.tangent *= 0.5 * h;
        let tangent = self.tangent.as_slice();
        system.retract(&self.state.coordinates, tangent, &mut self.forecast);
        self.activate()?;
        let mut converged = false;
        let mut change = f64::INFINITY;
        while !converged {
            if report.passes == self.settings.iteration_limit {
                let limit = self.settings.iteration_limit;
                return Err(Error::IterationLimit { time: self.state.time, limit, change });
            }
            report.passes += 1;
            self.pass(&mut report)?;
            self.tangent.copy_from(&self.velocity);
            self.tangent -= &self.guess;
            self.tangent *= h * self.settings.implicitness;
            change = self.tangent.amax();
            let small = |(change, tolerance): (&f64, &f64)| change.abs() <= *tolerance;
            converged = self.tangent.iter().zip(&self.tolerances).all(small);
            self.guess.copy_from(&self.velocity);
        }
        self.finish(report)
    }

    /// Steps to the end of a step that is nearest to the time `until` (s), and shows every new state with its report to
    /// `observer`.
    ///
    /// # Errors
    ///
    /// [`Error::Time`] when `until` is not finite, [`Error::StepLimit`] when it is too far away, both before the first step,
    /// and those of [`step`](Self::step); the state is then that of the last successful step.
    pub fn run(
        &mut self,
        until: f64,
        mut observer: impl FnMut(&State, &StepReport),
    ) -> Result<(), Error> {
        let Settings { step_size, step_limit, .. } = self.settings;
        for _ in 0..steps(until - self.state.time, until, step_size, step_limit)? {
            let report = self.step()?;
            observer(&self.state, &report);
        }
        Ok(())
    }

    /// Finds the contacts that are closed half a step ahead.
    ///
    /// A gap that is NaN counts as closed, so that stating the problem refuses it.
    fn activate(&mut self) -> Result<(), Error> {
        let (system, start) = (self.model.system(), &self.state.coordinates);
        let lost = |source| Error::Contacts { time: self.state.time, source };
        let tolerance = self.gap_tolerance;
        let reach = self.contacts.reach(system, start, &self.forecast).max(tolerance);
        self.contacts.look(system, start, reach).map_err(lost)?;
        self.active.clear();
        let closed = (tolerance, |gap: f64| gap.is_nan() || gap <= tolerance);
        self.contacts.activate(system, &self.forecast, closed, &mut self.active).map_err(lost)?;
        Ok(())
    }

    /// Finds `v'` with the forces and the masses that `guess` leads to.
    fn pass(&mut self, report: &mut StepReport) -> Result<(), Error> {
        let Settings { step_size: h, implicitness: theta, .. } = self.settings;
        let (system, time) = (self.model.system(), self.state.time);
        // v_θ, then the way to q_θ.
        self.free.copy_from_slice(&self.state.velocity);
        self.free.axpy(theta, &self.guess, 1.0 - theta);
        self.tangent.copy_from(&self.free);
        self.tangent *= theta * h;
        system.retract(&self.state.coordinates, self.tangent.as_slice(), &mut self.middle);
        let (middle, velocity) = (&self.middle, self.free.as_slice());
        system.smooth_forces(middle, velocity, time + theta * h, self.forces.as_mut_slice());
        system.apply_inverse_mass(middle, &mut self.forces);
        self.free.copy_from_slice(&self.state.velocity);
        self.free.axpy(h, &self.forces.column(0), 1.0);
        if !self.free.iter().all(|v| v.is_finite()) {
            return Err(Error::NotFinite { quantity: "velocity under smooth forces", time });
        }
        let place = Place {
            coordinates: &self.forecast,
            mass_coordinates: &self.middle,
            correction: self.settings.error_reduction / h,
            time,
        };
        self.level.constrain(&self.model, &place, &mut self.free);
        let before = self.level.found();
        let (contacts, start) = (self.contacts.as_slice(), &self.state.velocity);
        let shift = |contact: usize, _, approach: f64| {
            -contacts[contact].restitution * (-approach).max(0.0)
        };
        let of = (&self.model, &self.contacts);
        self.level.state(of, &self.active, &place, &self.free, start, shift)?;
        self.level.begin(self.settings.warm_start);
        if report.passes > 1 {
            self.level.begin_with(&before.0, &before.1);
        }
        if let Some(solved) = self.level.solve()? {
            report.take(&solved);
            self.settings.unsolved.accept(time, &solved)?;
        }
        self.level.apply(&self.model, &place, &self.free, &mut self.velocity);
        Ok(())
    }

    /// Enters the step into the account of the energy; overlaps are not removed.
    fn enter(&mut self, report: &mut StepReport) {
        let (coordinates, velocity) = (&self.coordinates, self.velocity.as_slice());
        let coordinates_before = &self.state.coordinates;
        let pushes = report.normal_impulses().any(|(_, impulse)| impulse > 0.0);
        let keeps_energy = self.settings.implicitness < 1.0 && pushes;
        let exchanged = if keeps_energy { self.exchanged_before() } else { 0.0 };
        let step = Step { coordinates_before, coordinates, velocity, keeps_energy, exchanged };
        let times = (self.state.time, report.time);
        let residual = report.undecided_work();
        report.energy = self.account.enter(self.model.system(), step, times, residual);
    }

    /// `|T(q', v) − T(q, v)|` with the velocity before an impact: beside that with the velocity after it, which the account
    /// has, what the impact changes in the modified energy.
    fn exchanged_before(&self) -> f64 {
        let (system, State { coordinates, velocity, .. }) = (self.model.system(), &self.state);
        let kinetic = |coordinates: &[f64]| system.kinetic_energy(coordinates, velocity);
        (kinetic(&self.coordinates) - kinetic(coordinates)).abs()
    }

    /// Makes `(q', v')` the new state.
    fn finish(&mut self, mut report: StepReport) -> Result<StepReport, Error> {
        let Settings { step_size: h, implicitness: theta, .. } = self.settings;
        let system = self.model.system();
        self.tangent.copy_from_slice(&self.state.velocity);
        self.tangent.axpy(theta, &self.velocity, 1.0 - theta);
        self.tangent *= h;
        system.retract(&self.state.coordinates, self.tangent.as_slice(), &mut self.coordinates);
        report.energy_after = system.energy(&self.coordinates, self.velocity.as_slice());
        if !report.energy_after.is_finite() {
            return Err(Error::NotFinite { quantity: "energy", time: self.state.time });
        }
        let contacts = (system, &self.contacts);
        report.contacts = self.level.reports(contacts, &self.coordinates, &self.velocity);
        report
            .judge(&self.model, &mut self.contacts, &mut self.level.bilateral, &self.coordinates)
            .map_err(|source| Error::Contacts { time: self.state.time, source })?;
        self.enter(&mut report);
        self.level.finish();
        std::mem::swap(&mut self.state.coordinates, &mut self.coordinates);
        self.state.velocity.copy_from_slice(self.velocity.as_slice());
        self.state.time = report.time;
        self.step_count += 1;
        Ok(report)
    }
}

/// The method with the tolerance, if everything is in range and it has a rule for the law.
fn check(settings: &Settings) -> Result<Method, Error> {
    settings::positive("step_size", settings.step_size)?;
    if let Some(tolerance) = settings.iteration_tolerance {
        settings::positive("iteration_tolerance", tolerance)?;
    }
    if let Some(value) = settings.gap_tolerance.filter(|gap| !(gap.is_finite() && *gap >= 0.0)) {
        let (name, expected) = ("gap_tolerance", "a finite number of at least 0");
        return Err(Error::Setting { name, value, expected });
    }
    if let Some((name, value)) = settings.scales.and_then(|scales| scales.unusable()) {
        return Err(Error::Setting { name, value, expected: "a positive finite number" });
    }
    settings::fraction("implicitness", settings.implicitness)?;
    settings::fraction("error_reduction", settings.error_reduction)?;
    if settings.iteration_limit < 2 {
        let (name, value) = ("iteration_limit", settings.iteration_limit as f64);
        return Err(Error::Setting { name, value, expected: "at least 2" });
    }
    settings::method(settings.method, settings.law, settings.tolerance)
}
