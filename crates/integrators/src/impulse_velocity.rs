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
//! with the [velocity under smooth forces](System::smooth_velocity) `v_f = v + h M⁻¹ k(q, v, t)`, where the gyroscopic
//! torque of free bodies is implicit, `M`, the gaps `g`, the contact Jacobian `J`, `u' = J v'` and the constraints `φ`, `G` at `q`, and for the
//! tangential impulses [Coulomb's law or maximum dissipation](percussion_complementarity::friction::Law). An open gap may close within the step but not more than
//! close; of a penetration `ε` times its depth is removed. Impacts are inelastic.
//!
//! - **Contacts of the problem**: those that penetrate at `q` and those violated at `q ⊕ h v_f`, where `v_f` is the velocity
//!   without contact impulses. When others are violated at `q'` they are added and the step is solved again; contacts are
//!   only added, so this ends. Those left out would carry no impulse.
//! - **One problem a step**, by any [`Method`](percussion_complementarity::friction::Method), from the impulses of the last step. Nothing is linearized again: gaps hold
//!   at `q'` up to what they curve within the step, a penetration of order `h²`, which later steps remove.
//! - **Needs** `M` positive definite and, for mechanisms, `h` small against the rates at which velocities turn: their
//!   smooth forces are explicit. The paper's rotation is [`RotationUpdate::NormalizedEuler`](percussion_dynamics::RotationUpdate).
//! - **Does not** accept a step whose problem was not solved unless [`Settings::unsolved`] says so; the failing problem is
//!   [`Integrator::document`], which can be written and solved again to the same bits. It does not see surfaces that pass
//!   through each other within a step. Bounded friction in joints is refused.
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
//! by either law: both allow `p_t = 0` beside the same normal velocity, whence `p_t · u'_t ≤ 0`. So only the removal of
//! penetration can add energy, at most the work of the impulses over the depth removed. For free bodies `M` may vary: the
//! step from `v` to `v_f` keeps the kinetic energy of rotation but for the work of torques, and turning by `h v'` keeps
//! `½ v'ᵀ M v'`.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely inelastic impacts",
//! 2017, section 3.1; T. Preclik, "Models and algorithms for ultrascale simulations of non-smooth granular dynamics",
//! dissertation, Erlangen 2014. The energy balance is derived here, the constraints are an addition.

mod error;
mod report;
pub(crate) mod settings;

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::friction::Document;
use percussion_dynamics::System;

use crate::{
    contacts::Contacts,
    energy::{EnergyAccount, Step},
    model::{Model, State, check_mass_matrix},
    velocity_level::{Place, VelocityLevel},
};

pub use error::Error;
pub use report::{ContactReport, StepReport};
pub use settings::{Settings, Unsolved};

/// A motion in steps of equal length.
///
/// # Example
///
/// A block of 2 kg slides on a floor at 3 m/s with `μ = 0.5`. Friction of 10 N stops it within 0.6 s.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_integrators::impulse_velocity::{Integrator, Settings};
/// use percussion_integrators::{Contact, Model, State};
///
/// let block = PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -10.0))?;
/// let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
/// let foot = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, 0.5);
/// let model = Model::new(Box::new(block), vec![foot])?;
///
/// let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![3.0, 0.0, 0.0] };
/// let settings = Settings { step_size: 0.1, ..Settings::default() };
/// let mut integrator = Integrator::new(model, settings, start)?;
/// let report = integrator.step()?;
/// assert!((report.contacts[0].impulse.x - 2.0).abs() < 1e-12); // m g h
/// assert!((report.contacts[0].impulse.y + 1.0).abs() < 1e-12); // −μ m g h
/// integrator.run(0.6, |_, _| ())?;
/// assert!(integrator.state().velocity[0].abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Integrator {
    model: Model,
    contacts: Contacts,
    settings: Settings,
    state: State,
    start_time: f64,
    step_count: usize,
    level: VelocityLevel,
    account: EnergyAccount,
    active: Vec<usize>,
    /// `v_f`.
    free: DVector<f64>,
    column: DMatrix<f64>,
    /// `v'` and `q'` of the step under way.
    velocity: DVector<f64>,
    coordinates: Vec<f64>,
    tangent: DVector<f64>,
}

impl Integrator {
    /// A motion of `model` that starts at `state`; it may penetrate there.
    ///
    /// # Errors
    ///
    /// See [`Error`]: a setting out of range, a state that does not fit the system or is not finite, a mass matrix that is
    /// not symmetric positive definite, bounded friction in joints.
    pub fn new(model: Model, settings: Settings, state: State) -> Result<Self, Error> {
        let method = settings.check()?;
        check_model(&model, &state)?;
        let contacts = contacts_at(&model, &state)?;
        let velocities = model.system().velocity_count();
        Ok(Self {
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
            column: DMatrix::zeros(velocities, 1),
            velocity: DVector::zeros(velocities),
            coordinates: vec![0.0; model.system().coordinate_count()],
            tangent: DVector::zeros(velocities),
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

    /// The state at the end of the last step.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// The contact problem of the last step, failed or not, with the impulses that its solve began with and its solver; none
    /// before the first step and when nothing was in contact.
    ///
    /// `document().solve()` repeats the solve to the same bits, and so does `percussion solve friction` with the file that
    /// holds `document().to_string()`.
    #[must_use]
    pub fn document(&self) -> Option<Document> {
        self.level.document()
    }

    /// Takes one step of [`Settings::step_size`].
    ///
    /// # Errors
    ///
    /// [`Error::Unsolved`], [`Error::Problem`], [`Error::NotFinite`]; the state is then untouched.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        let h = self.settings.step_size;
        let system = self.model.system();
        let energy = system.energy(&self.state.coordinates, &self.state.velocity);
        let time = self.start_time + (self.step_count + 1) as f64 * h;
        let mut report = StepReport::new(time, energy);
        free_velocity(system, &self.state, h, &mut self.column)?;
        self.free.copy_from(&self.column.column(0));
        let start = self.state.coordinates.clone();
        let place = Place {
            coordinates: &start,
            mass_coordinates: &start,
            correction: self.settings.error_reduction / h,
            time: self.state.time,
        };
        self.level.constrain(&self.model, &place, &mut self.free);

        self.velocity.copy_from(&self.free);
        self.advance();
        let system = self.model.system();
        let reach = self.contacts.reach(system, &start, &self.coordinates);
        let lost = |source| Error::Contacts { time: place.time, source };
        self.contacts.look(system, &start, reach).map_err(lost)?;
        self.active.clear();
        self.activate(Position::Start)?;
        self.activate(Position::End)?;
        loop {
            report.passes += 1;
            let before = self.level.found();
            self.solve(&place, &before, &mut report)?;
            self.advance();
            if !self.activate(Position::End)? {
                break;
            }
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
        for _ in 0..steps(
            until - self.state.time,
            until,
            self.settings.step_size,
            self.settings.step_limit,
        )? {
            let report = self.step()?;
            observer(&self.state, &report);
        }
        Ok(())
    }

    /// States and solves the problem of the active contacts, and finds `v'`.
    fn solve(
        &mut self,
        place: &Place<'_>,
        before: &(Vec<usize>, Vec<nalgebra::Vector3<f64>>),
        report: &mut StepReport,
    ) -> Result<(), Error> {
        let Settings { step_size: h, error_reduction, .. } = self.settings;
        let shift = |_, gap: f64, _| (gap.max(0.0) + error_reduction * gap.min(0.0)) / h;
        self.level.state(
            (&self.model, &self.contacts),
            &self.active,
            place,
            &self.free,
            &self.state.velocity,
            shift,
        )?;
        self.level.begin(self.settings.warm_start);
        if report.passes > 1 {
            self.level.begin_with(&before.0, &before.1);
        }
        if let Some(solved) = self.level.solve()? {
            report.take(&solved);
            self.settings.unsolved.accept(place.time, &solved)?;
        }
        self.level.apply(&self.model, place, &self.free, &mut self.velocity);
        Ok(())
    }

    /// Adds the contacts that overlap at one end of the step and returns whether there were any.
    ///
    /// A gap that is NaN counts as an overlap, so that stating the problem refuses it.
    fn activate(&mut self, at: Position) -> Result<bool, Error> {
        let coordinates = match at {
            Position::Start => &self.state.coordinates,
            Position::End => &self.coordinates,
        };
        let closed = |gap: f64| gap.is_nan() || gap < 0.0;
        self.contacts
            .activate(self.model.system(), coordinates, (0.0, closed), &mut self.active)
            .map_err(|source| Error::Contacts { time: self.state.time, source })
    }

    /// Writes `q' = q ⊕ h v'`.
    fn advance(&mut self) {
        self.tangent.copy_from(&self.velocity);
        self.tangent *= self.settings.step_size;
        let tangent = self.tangent.as_slice();
        self.model.system().retract(&self.state.coordinates, tangent, &mut self.coordinates);
    }

    /// Enters the step into the account of the energy.
    fn enter(&mut self, report: &mut StepReport) {
        let Settings { step_size: h, error_reduction, .. } = self.settings;
        let (start, rate) = (&self.state, error_reduction / h);
        let impulses = report.normal_impulses();
        let contacts = (self.model.system(), &self.contacts);
        self.account.remove_overlaps(contacts, &start.coordinates, rate, impulses);
        let (coordinates, velocity) = (&self.coordinates, self.velocity.as_slice());
        let coordinates_before = &self.state.coordinates;
        let (keeps_energy, exchanged) = (false, 0.0);
        let step = Step { coordinates_before, coordinates, velocity, keeps_energy, exchanged };
        let times = (self.state.time, report.time);
        let residual = report.undecided_work();
        report.energy = self.account.enter(self.model.system(), step, times, residual);
    }

    /// Makes `(q', v')` the new state.
    fn finish(&mut self, mut report: StepReport) -> Result<StepReport, Error> {
        let system = self.model.system();
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

/// Writes the velocity `v_f` without contacts and constraints, with everything at the start of the step.
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

/// The contacts of a motion that begins at `state`, with those that overlap there.
pub(crate) fn contacts_at(model: &Model, state: &State) -> Result<Contacts, Error> {
    let mut contacts = Contacts::new(model);
    contacts
        .look(model.system(), &state.coordinates, 0.0)
        .map_err(|source| Error::Contacts { time: state.time, source })?;
    Ok(contacts)
}

/// Refuses what a scheme on the level of velocities has no rule for.
pub(crate) fn check_model(model: &Model, state: &State) -> Result<(), Error> {
    state.check(model.system())?;
    check_mass_matrix(model.system(), &state.coordinates)?;
    if model.joint_friction().is_empty() { Ok(()) } else { Err(Error::JointFriction) }
}

/// Number of steps of length `h` (s) to the one that ends nearest to `until`, `span` (s) from now.
pub(crate) fn steps(span: f64, until: f64, h: f64, limit: usize) -> Result<usize, Error> {
    if !until.is_finite() {
        return Err(Error::Time { value: until });
    }
    let required = (span / h).round().max(0.0);
    if required > limit as f64 {
        return Err(Error::StepLimit { required, limit });
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number from 0 to the limit"
    )]
    let count = required as usize;
    Ok(count)
}
