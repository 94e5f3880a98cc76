//! Semi-implicit impulse–velocity time stepping with round friction cones.
//!
//! One step from `(q, v)` to `(q', v')` over the time `h` satisfies
//!
//! ```math
//! M (v' - v_f) = J^\mathsf{T} p + G^\mathsf{T} p_b,\qquad q' = q \oplus h v',
//! ```
//! ```math
//! 0 \le p_{n,j} \perp u'_{n,j} + \frac{\max(0, g_j) + \varepsilon \min(0, g_j)}{h} \ge 0,\qquad
//! \|p_{t,j}\| \le \mu_j p_{n,j},\qquad G v' = -\varepsilon \varphi / h
//! ```
//!
//! with the [velocity under smooth forces](System::smooth_velocity) `v_f = v + h M⁻¹ k(q, v, t)`, where the
//! gyroscopic torque of free bodies is implicit. `M`, the gaps `g`, the contact Jacobian `J`, `u' = J v'` and
//! the constraints `φ`, `G` are taken at `q`, and the tangential impulses satisfy [Coulomb's law or maximum
//! dissipation](percussion_complementarity::friction::Law). An open gap may close within the step but not
//! become negative; of a penetration, the fraction `ε` of its depth is removed. Impacts are inelastic.
//!
//! - **Contacts of the problem**: those that penetrate at `q`, those violated at `q ⊕ h v_f`, where `v_f`
//!   is the velocity without contact impulses, and, with a warm start, those that pressed in the last step and are
//!   near. When others are violated at `q'`, they are added and the step is solved again; contacts are only added,
//!   so this ends. The contacts left out would carry no impulse, up to the curvature of their gaps within a step.
//! - **One problem per step**, solved by any [`Method`], from the impulses of the last step. It is linearized
//!   only once: gaps hold at `q'` up to their curvature within the step, a penetration of order `h²`, which
//!   later steps remove.
//! - **Friction in joints**, `|p_d| ≤ h η` against the velocity of its axis, stands in one problem with the constraints,
//!   limits and contacts, of [`mixed`](percussion_complementarity::friction::mixed); without it the problem is that of
//!   the contacts, and constraints are eliminated.
//! - **Needs** `M` positive definite and, for mechanisms, `h` small compared with the rates at which
//!   velocities turn, because their smooth forces are explicit. The paper's rotation is
//!   [`RotationUpdate::NormalizedEuler`](percussion_dynamics::rotation::RotationUpdate).
//! - **Does not** accept a step whose problem was not solved unless [`Settings::unsolved`] allows it; the
//!   failing problem is [`Simulation::document`](crate::Simulation::document), which can be written and
//!   solved again to the same bits. It does not detect surfaces that pass through each other within a step.
//! - **Cost** one evaluation of the forces, three of each gap, one factorization of `M`, the blocks of `W` of contacts that
//!   share a body, and the solve. With bilateral constraints `W` is dense.
//! - **Deterministic**: the same bits on every run.
//!
//! # Energy
//!
//! With constant `M`, `k`, `J` and no constraint errors the step changes the energy by
//!
//! ```math
//! E' - E = -\tfrac12 \|v' - v\|_M^2 + \sum_j p_j \cdot u'_j
//!     \le -\tfrac12 \|v' - v\|_M^2 + \frac{\varepsilon}{h} \sum_j p_{n,j} \max(0, -g_j),
//! ```
//!
//! with either law: both allow `p_t = 0` with the same normal velocity, so that `p_t · u'_t ≤ 0`. Therefore
//! only the removal of penetration can add energy, at most the work of the impulses over the depth removed.
//! For free bodies `M` may vary: the step from `v` to `v_f` conserves the kinetic energy of rotation except
//! for the work of torques, and turning by `h v'` conserves `½ v'ᵀ M v'`.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely inelastic impacts",
//! 2017, section 3.1; T. Preclik, "Models and algorithms for ultrascale simulations of non-smooth granular dynamics",
//! dissertation, Erlangen 2014. The energy balance is derived here, the constraints are an addition.

pub mod derivative;

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::friction::{Law, Method, document::Document};
use percussion_dynamics::System;

use crate::{
    energy::Allowance,
    error::Error,
    masses::Masses,
    model::{Feature, Rule, State},
    report::{RoundCones, StepReport},
    settings,
    simulation::{End, Motion, Scheme},
    velocity_level::{self, Place, Unsolved, VelocityLevel},
};

/// Settings of [`ImpulseVelocity`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Step `h` (s), positive (default `0.001`).
    pub step_size: f64,
    /// Friction law of the contact problems (default Coulomb).
    pub law: Law,
    /// Solver, with a [rule](Method::laws) for the law; its own tolerance is not used (default [`Method::default`]).
    pub method: Method,
    /// Maximum relative natural-map residual of a solved problem (≥ 0, default `1e-8`).
    ///
    /// It is relative to the largest contact velocity without impulses: velocities in a scene that moves at 1
    /// m/s have errors of some `1e-8` m/s.
    pub tolerance: f64,
    /// Fraction `ε` of a penetration, and of the errors of constraints, that a step removes (in `[0, 1]`,
    /// default 0.2; the paper excludes 1, which is allowed here and removes all).
    pub error_reduction: f64,
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
            law: Law::default(),
            method: Method::default(),
            tolerance: 1e-8,
            error_reduction: 0.2,
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
        settings::fraction("error_reduction", self.error_reduction)?;
        velocity_level::method(self.method, self.law, self.tolerance)
    }
}

/// The [scheme](self) of impulses and velocities, for a [`Simulation`](crate::Simulation); the start may penetrate.
///
/// # Example
///
/// A block of 2 kg slides on a floor at 3 m/s with `μ = 0.5`. Friction of 10 N stops it within 0.6 s.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_integrators::{Contact, Model, Simulation, State, impulse_velocity::ImpulseVelocity};
/// use percussion_integrators::impulse_velocity::Settings;
///
/// let block = PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -10.0))?;
/// let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
/// let foot = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, 0.5);
/// let model = Model::new(Box::new(block), vec![foot])?;
///
/// let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![3.0, 0.0, 0.0] };
/// let settings = Settings { step_size: 0.1, ..Settings::default() };
/// let mut simulation = Simulation::<ImpulseVelocity>::new(model, settings, start)?;
/// let report = simulation.step()?;
/// assert!((report.contacts[0].impulse.x - 2.0).abs() < 1e-12); // m g h
/// assert!((report.contacts[0].impulse.y + 1.0).abs() < 1e-12); // −μ m g h
/// simulation.run(0.6, |_, _| ())?;
/// assert!(simulation.state().velocity[0].abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct ImpulseVelocity {
    settings: Settings,
    level: VelocityLevel,
    active: Vec<usize>,
    /// `v_f`.
    free: DVector<f64>,
    column: DMatrix<f64>,
    /// `v'` and `q'` of the current step.
    velocity: DVector<f64>,
    coordinates: Vec<f64>,
    tangent: DVector<f64>,
}

impl ImpulseVelocity {
    /// States and solves the problem of the active contacts, and computes `v'`.
    fn pass(&mut self, motion: &Motion, report: &mut StepReport) -> Result<(), Error> {
        let Motion { model, contacts, state } = motion;
        let Settings { step_size: h, error_reduction, warm_start, unsolved, .. } = self.settings;
        let Self { level, active, free, velocity, .. } = self;
        let place = place(&self.settings, state);
        level.work.passes += 1;
        let before = level.found();
        let shift = |_, gap: f64, _| (gap.max(0.0) + error_reduction * gap.min(0.0)) / h;
        level.state((model, contacts), active, &place, free, None, shift)?;
        level.begin(warm_start);
        if level.work.passes > 1 {
            level.begin_with(&before.0, &before.1);
        }
        level.solve((model.system(), &place), unsolved, report)?;
        level.apply(model, &place, free, velocity);
        Ok(())
    }

    /// Adds the contacts that overlap at one end of the step and returns whether there were any.
    ///
    /// A NaN gap counts as an overlap, so that stating the problem refuses it.
    fn activate(&mut self, motion: &mut Motion, at: Position) -> Result<bool, Error> {
        let Motion { model, contacts, state } = motion;
        let coordinates = match at {
            Position::Start => &state.coordinates,
            Position::End => &self.coordinates,
        };
        let closed = |gap: f64| gap.is_nan() || gap < 0.0;
        contacts
            .activate(model.system(), coordinates, (0.0, closed), &mut self.active)
            .map_err(|source| Error::Contacts { time: state.time, source })
    }

    /// Adds the contacts that pressed in the last step and are near: most of them press again, which would otherwise be
    /// known only after a solve without them.
    fn expect_pressed(&mut self, motion: &Motion) {
        if self.settings.warm_start {
            let near = |contact: &usize| motion.contacts.is_present(*contact);
            self.active.extend(self.level.pressed().filter(near));
            self.active.sort_unstable();
            self.active.dedup();
        }
    }

    /// Writes `q' = q ⊕ h v'`.
    fn advance(&mut self, motion: &Motion) {
        self.tangent.copy_from(&self.velocity);
        self.tangent *= self.settings.step_size;
        let (start, tangent) = (&motion.state.coordinates, self.tangent.as_slice());
        motion.model.system().retract(start, tangent, &mut self.coordinates);
    }
}

impl Scheme for ImpulseVelocity {
    type Settings = Settings;

    fn rule(feature: Feature) -> Rule {
        match feature {
            Feature::Restitution => Rule::Ignored,
            Feature::Forces => Rule::Refused,
            Feature::FoundContacts
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
        Ok(Self {
            settings,
            level: VelocityLevel::new(model, state, settings.step_size, (settings.law, method))?,
            active: Vec::new(),
            free: DVector::zeros(velocities),
            column: DMatrix::zeros(velocities, 1),
            velocity: DVector::zeros(velocities),
            coordinates: vec![0.0; model.system().coordinate_count()],
            tangent: DVector::zeros(velocities),
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

    fn states_drives(&self) -> bool {
        self.level.states_drives()
    }

    fn solve(&mut self, motion: &mut Motion, report: &mut StepReport) -> Result<(), Error> {
        let Motion { model, state, .. } = &*motion;
        self.level.work = RoundCones::default();
        free_velocity(model.system(), state, self.settings.step_size, &mut self.column)?;
        self.free.copy_from(&self.column.column(0));
        self.level.constrain(model, &place(&self.settings, state), &mut self.free);

        self.velocity.copy_from(&self.free);
        self.advance(motion);
        let Motion { model, contacts, state } = &mut *motion;
        let (system, start) = (model.system(), &state.coordinates);
        contacts
            .look_ahead(system, [start, &self.coordinates], 0.0)
            .map_err(|source| Error::Contacts { time: state.time, source })?;
        self.active.clear();
        self.activate(motion, Position::Start)?;
        self.activate(motion, Position::End)?;
        self.expect_pressed(motion);
        loop {
            self.pass(motion, report)?;
            self.advance(motion);
            if !self.activate(motion, Position::End)? {
                return Ok(());
            }
        }
    }

    fn end(&self) -> End<'_> {
        End { coordinates: &self.coordinates, velocity: self.velocity.as_slice() }
    }

    fn finish(&mut self, motion: &mut Motion, report: &mut StepReport) -> Result<Allowance, Error> {
        let Settings { step_size: h, error_reduction, .. } = self.settings;
        if self.settings.projection {
            self.level.close(motion, &mut self.coordinates, &self.velocity, report)?;
        }
        let end = End { coordinates: &self.coordinates, velocity: self.velocity.as_slice() };
        self.level.finish(motion, end, report)?;
        let projected = report.projection_work;
        Ok(Allowance { overlap_rate: Some(error_reduction / h), projected, ..Allowance::default() })
    }

    fn document(&self) -> Option<Document> {
        self.level.document()
    }
}

/// The place with all quantities at the start of the step.
fn place<'a>(settings: &Settings, state: &'a State) -> Place<'a> {
    Place {
        coordinates: &state.coordinates,
        masses: Masses::at(&state.coordinates),
        correction: settings.error_reduction / settings.step_size,
        time: state.time,
    }
}

/// Writes the velocity `v_f` without contacts and constraints, with all quantities at the start of the step.
fn free_velocity(
    system: &dyn System,
    state: &State,
    h: f64,
    free: &mut DMatrix<f64>,
) -> Result<(), Error> {
    let State { time, coordinates, velocity } = state;
    system
        .smooth_velocity(coordinates, velocity, *time, h, free)
        .map_err(|source| Error::SmoothVelocity { time: *time, source })?;
    if free.iter().all(|v| v.is_finite()) {
        return Ok(());
    }
    Err(Error::NotFinite { quantity: "velocity under smooth forces", time: *time })
}

/// An end of a step.
#[derive(Clone, Copy, Debug)]
enum Position {
    Start,
    End,
}
