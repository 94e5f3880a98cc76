//! Variational integration of a [`Model`] with impacts: discrete momentum, conserved.
//!
//! The action of a motion is made discrete first, and the equations of motion follow. With the midpoint
//! rule `L_d(q_a, q_b) = h L((q_a + q_b)/2, (q_b − q_a)/h)` the discrete Euler–Lagrange equations say
//! that the momentum at the end of a piece of the path is that at the start of the next,
//!
//! ```math
//! p_k = \frac{\partial L_d}{\partial q_k}(q_{k-1}, q_k) + f^{+}_{d}
//!     = -\frac{\partial L_d}{\partial q_k}(q_k, q_{k+1}) - f^{-}_{d} ,
//! ```
//!
//! which is solved for `q_{k+1}` by Newton's method with exact derivatives. The state is `(q, p)`; the
//! velocity reported is `M⁻¹ p`.
//!
//! - **Impacts** are located within the step: the piece that ends where a gap closes is solved for, the
//!   percussions of any [`Law`] without friction are added to its momentum, and the path goes on with
//!   what is left of the step. All contacts that touch then take part, so that impacts may propagate
//!   through contacts at rest. A momentum in whose direction no contact acts is conserved exactly.
//! - **Zeno rule**: a contact hit more than [`Settings::chatter_limit`] times within one step chatters
//!   faster than the step, and the impact is plastic ([`Impact::is_plastic`]).
//! - **Closed contacts**, those that touch and neither approach nor separate, are unilateral
//!   constraints: impulses at the start of a piece keep the gap from closing further at its end, and a
//!   plastic impact at its end takes the approach out of the momentum. Both are half of the impulse of
//!   a steady force, and the scheme is that of RATTLE while contacts push. **Friction** acts there, by
//!   maximum dissipation within the cone (a polygon in space); impacts are without friction.
//! - **Bilateral constraints** hold at the ends of pieces in the same way, with multipliers of any
//!   sign.
//! - **Forces** of the system (springs, dampers, efforts) and every [`Force`] enter at the midpoint.
//!
//! # What is conserved
//!
//! Without forces, damping and friction the map `(q_k, p_k) → (q_{k+1}, p_{k+1})` is symplectic,
//! symmetric and of second order, and it conserves the momenta of symmetries that act linearly on the
//! coordinates: to rounding those that belong to a coordinate, to the residual of Newton's method the
//! angular momentum. The energy stays within `O(h²)` of its value for exponentially long times, if the
//! system is analytic and the motion bounded, because smooth motion keeps a modified energy `H_h` ([`Integrator::modified_energy`]) that differs from it
//! by `O(h²)`.
//!
//! **Impacts** keep the energy `½ pᵀ M⁻¹ p + V` at their moments exactly if their law does, but not
//! `H_h`: left alone, impacts at irregular moments make the energy walk at random in steps of `O(h²)`.
//! For a [conservative model](Model::is_conservative) the integrator therefore keeps a ledger of what
//! `H_h` should be: what it was before the first impact, plus what laws have taken since. After an
//! impact one factor `σ`, by which the normal velocities of all contacts that touch are multiplied,
//! makes `H_h` agree with the ledger, as if the restitution were `σ` times as large. The error of energy
//! then is bounded by `h²` times a constant of the motion as long as impacts are corrected, or soon
//! followed by one that is. [`Impact`] reports the error found and the factor, [`Settings::correction_limit`] bounds it
//! (0 leaves impacts to their law), and the derivation is in the module `ledger`. Chains of hinged rods
//! of 1 m and 1 kg that bounce for a million steps, in the example `variational_energy` (largest error
//! of energy in J):
//!
//! | rods | energy | 2 ms, no ledger: first tenth, all | 2 ms: first tenth, all | 1 ms | 0.5 ms |
//! | --- | --- | --- | --- | --- | --- |
//! | 1 | 21.8 | 0.025, 0.060 | 0.0021, 0.0021 | 0.00052 | 0.00013 |
//! | 2 | 44.3 | 0.041, 0.35 | 0.019, 0.022 | 0.0057 | 0.0013 |
//! | 3 | 62.2 | 0.050, 0.19 | 0.052, 0.052 | 0.011 | 0.0024 |
//! | 4 | 73.0 | 0.15, 0.80 | 0.076, 0.11 | 0.021 | 0.0038 |
//!
//! **Free bodies** ([`Model::free_bodies`]) move by the discrete Euler–Poincaré equations with the
//! Cayley map, derived in the module `discrete`. The angular momentum in world axes is conserved to
//! rounding; the map is symmetric, a Poisson map on the body momenta, and of second order. The energy
//! of a free body oscillates within `O(h²)`.
//!
//! - **Needs** `q̇ = v` or free bodies; independent constraint equations; a start without penetration.
//! - **Does not** see contacts that open and close again within a piece on their way through each
//!   other, nor friction in impacts, nor limits and dry friction of joints unless they are given as
//!   contacts.
//! - **Cost** three or four iterations for a step in smooth motion, each the derivatives of the
//!   momentum and the elimination of an `n_v × n_v` matrix. Such steps allocate nothing, with bilateral
//!   constraints, closed contacts and impacts they do.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Source
//!
//! J. E. Marsden, M. West, "Discrete mechanics and variational integrators", *Acta Numerica* 10 (2001)
//! 357–514. V. Seghete, T. D. Murphey, "A propagative model of simultaneous impact: existence,
//! uniqueness, and design consequences", *IEEE Transactions on Automation Science and Engineering* 11
//! (2014) 154–168, section VI (the scheme, equations 28 to 30) and VII (Zeno rule, friction,
//! actuation). How contacts that stay closed are treated is not printed there and is ours.

mod closed;
mod discrete;
mod error;
mod force;
mod impact;
mod ledger;
mod lu;
mod model;
mod piece;
mod report;
mod settings;

use nalgebra::{DMatrix, DVector};
use percussion_dynamics::ContactRows;
use percussion_impact::Law;

pub use error::Error;
pub use force::{Drive, Force};
pub use model::Model;
pub use report::{ClosedContact, Impact, StepReport};
pub use settings::Settings;

use crate::{
    contacts::Contacts,
    energy::{EnergyAccount, Step},
    model::{Contact, State},
    scales::Scales,
};
use piece::Piece;
use settings::Resolved;

/// Pieces of a step that may follow one another without an impact: contacts that come to rest on others close softly, each
/// once or twice, and one that curves into its surface at rest closes for ever.
const SOFT: usize = 100;

/// A motion in steps of equal length.
///
/// # Example
///
/// A ball falls from 0.2 m and bounces without loss. It meets the floor after `√(2 · 0.2/10) = 0.2 s` and
/// is back at its height after 0.4 s; on parabolas the midpoint rule is exact, so are the impacts, although
/// they come in the middle of steps of 0.03 s.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_impact::Propagative;
/// use percussion_integrators::variational::{Integrator, Model, Settings};
/// use percussion_integrators::{Contact, State};
///
/// let ball = PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -10.0))?;
/// let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
/// let contact = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.1), floor)?, 0.0);
/// let model = Model::new(Box::new(ball), vec![contact])?;
///
/// let start = State { time: 0.0, coordinates: vec![0.0, 0.3, 0.0], velocity: vec![0.0; 3] };
/// let settings = Settings { step_size: 0.03, ..Settings::default() };
/// let law = Box::new(Propagative::default());
/// let mut integrator = Integrator::new(model, law, settings, start)?;
/// let mut impacts = Vec::new();
/// integrator.run(0.39, |_, report| impacts.extend(report.impacts.iter().map(|i| i.time)))?;
///
/// assert_eq!(impacts.len(), 1);
/// assert!((impacts[0] - 0.2).abs() < 1e-11);
/// // 0.01 s before the top: 0.3 − ½ · 10 · 0.01² m.
/// assert!((integrator.state().coordinates[1] - 0.2995).abs() < 1e-11);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Integrator {
    model: Model,
    contacts: Contacts,
    law: Box<dyn Law>,
    given: Settings,
    settings: Resolved,
    state: State,
    /// `v` of the state, for products.
    velocity: DVector<f64>,
    momentum: DVector<f64>,
    start_time: f64,
    step_count: usize,
    /// Contacts that are closed, ascending.
    closed: Vec<usize>,
    /// Contacts that touch, ascending, and their normal velocities (m/s).
    touching: Vec<(usize, f64)>,
    /// `H_h` as it should be (J), from the first impact on.
    ledger: Option<f64>,
    /// How often each contact was hit in the step under way.
    hits: Vec<usize>,
    piece: Piece,
    account: EnergyAccount,
    /// Work of the forces without a potential in the step under way, and what its rule leaves undecided (J).
    work: (f64, f64),
    rows: ContactRows,
    column: DMatrix<f64>,
    saved: Saved,
}

/// What a step that fails goes back to.
#[derive(Debug)]
struct Saved {
    time: f64,
    coordinates: Vec<f64>,
    momentum: DVector<f64>,
    closed: Vec<usize>,
    ledger: Option<f64>,
}

impl Integrator {
    /// A motion of `model` that starts at `state`, with impacts by `law`.
    ///
    /// # Errors
    ///
    /// See [`Error`]: a setting out of range, a state that does not fit the system or is not finite,
    /// penetration or constraint errors above [`Settings::touching`].
    pub fn new(
        model: Model,
        law: Box<dyn Law>,
        settings: Settings,
        state: State,
    ) -> Result<Self, Error> {
        settings.check()?;
        state.check(model.system())?;
        let given = settings;
        let settings = Resolved::new(&given, &model, &state)?;
        let n = state.velocity.len();
        let mut mass_matrix = DMatrix::zeros(n, n);
        model.system().mass_matrix(&state.coordinates, &mut mass_matrix);
        let velocity = DVector::from_column_slice(&state.velocity);
        let momentum = mass_matrix * &velocity;
        let mut integrator = Self {
            start_time: state.time,
            step_count: 0,
            closed: Vec::new(),
            touching: Vec::new(),
            ledger: None,
            hits: Vec::new(),
            piece: Piece::new(&model, &settings, &state.coordinates),
            // What overlaps at the start is within the rounding of positions.
            account: EnergyAccount::new(
                model.system(),
                &state,
                settings.step_size,
                std::iter::empty(),
            ),
            work: (0.0, 0.0),
            rows: ContactRows::for_system(model.system()),
            column: DMatrix::zeros(n, 1),
            saved: Saved {
                time: state.time,
                coordinates: state.coordinates.clone(),
                momentum: momentum.clone(),
                closed: Vec::new(),
                ledger: None,
            },
            contacts: Contacts::of(model.contacts(), model.contact_source()),
            model,
            law,
            given,
            settings,
            state,
            velocity,
            momentum,
        };
        integrator.check_start()?;
        Ok(integrator)
    }

    /// The model.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// Replaces the forces beside those of the system, from the next step on.
    pub fn set_forces(&mut self, forces: Vec<Box<dyn Force>>) {
        self.model.set_forces(forces);
        self.ledger = None;
    }

    /// The contacts by number, as reports have them.
    #[must_use]
    pub const fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// The impact law.
    #[must_use]
    pub fn law(&self) -> &dyn Law {
        self.law.as_ref()
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.given
    }

    /// Length, mass and time that tolerances are relative to.
    #[must_use]
    pub const fn scales(&self) -> &Scales {
        &self.settings.scales
    }

    /// The state at the end of the last step.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }

    /// The discrete momentum `p` at the end of the last step (length `n_v`; N·s, N·m·s): of free bodies the
    /// linear momentum and the angular momentum about the center of mass, in world axes.
    #[must_use]
    pub const fn momentum(&self) -> &DVector<f64> {
        &self.momentum
    }

    /// Takes one step of [`Settings::step_size`].
    ///
    /// # Errors
    ///
    /// See [`Error`]; the state is then untouched.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        self.saved.time = self.state.time;
        self.saved.coordinates.clone_from(&self.state.coordinates);
        self.saved.momentum.copy_from(&self.momentum);
        self.saved.closed.clone_from(&self.closed);
        self.saved.ledger = self.ledger;
        let result = self.advance();
        match result {
            Ok(_) => self.step_count += 1,
            Err(_) => {
                self.state.time = self.saved.time;
                self.state.coordinates.clone_from(&self.saved.coordinates);
                self.momentum.copy_from(&self.saved.momentum);
                self.closed.clone_from(&self.saved.closed);
                self.ledger = self.saved.ledger;
                self.update_velocity();
            }
        }
        result
    }

    /// Steps to the end of a step that is nearest to the time `until` (s), and shows every new state
    /// with its report to `observer`.
    ///
    /// # Errors
    ///
    /// [`Error::Time`] when `until` is not finite, [`Error::StepLimit`] when it is too far away, both
    /// before the first step, and those of [`step`](Self::step); the state is then that of the last
    /// successful step.
    pub fn run(
        &mut self,
        until: f64,
        mut observer: impl FnMut(&State, &StepReport),
    ) -> Result<(), Error> {
        if !until.is_finite() {
            return Err(Error::Time { value: until });
        }
        let (h, limit) = (self.settings.step_size, self.settings.step_limit);
        let required = ((until - self.state.time) / h).round();
        if required > limit as f64 {
            return Err(Error::StepLimit { required, limit });
        }
        for _ in 0..limit {
            if until - self.state.time <= 0.5 * h {
                break;
            }
            let report = self.step()?;
            observer(&self.state, &report);
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<StepReport, Error> {
        let h = self.settings.step_size;
        let end = self.start_time + (self.step_count + 1) as f64 * h;
        let mut report = StepReport::new(end, self.energy());
        self.hits.fill(0);
        self.work = (0.0, 0.0);
        let mut soft = 0;
        let mut left = end - self.state.time;
        loop {
            let impacts = report.impacts.len();
            self.resolve_impacts(&mut report)?;
            soft = if report.impacts.len() > impacts { 0 } else { soft + 1 };
            if soft > SOFT {
                return Err(Error::Stalled { time: self.saved.time, limit: SOFT });
            }
            // What is left below this is the rounding of durations.
            if left <= 4.0 * f64::EPSILON * h {
                break;
            }
            left -= self.follow(left, &mut report)?;
        }
        self.state.time = end;
        self.judge(&mut report)?;
        Ok(report)
    }

    fn judge(&mut self, report: &mut StepReport) -> Result<(), Error> {
        report.energy_after = self.energy();
        if !report.energy_after.is_finite() {
            return Err(Error::NotFinite { quantity: "energy", time: self.saved.time });
        }
        let coordinates = &self.state.coordinates;
        report.penetration = self
            .contacts
            .penetration(self.model.system(), coordinates)
            .map_err(|source| Error::Contacts { time: self.saved.time, source })?;
        report.constraint_error = self.piece.constraints.evaluate(&self.model, coordinates);
        let step = Step {
            coordinates_before: &self.saved.coordinates,
            coordinates,
            velocity: &self.state.velocity,
            exchanged: self.exchanged(),
            keeps_energy: !(report.impacts.is_empty() && report.closed.is_empty()),
        };
        report.energy = self.account.enter_with(self.model.system(), step, self.work);
        Ok(())
    }

    fn energy(&self) -> f64 {
        self.model.system().energy(&self.state.coordinates, &self.state.velocity)
    }

    /// `2 |H − H_h|` of free bodies (J), whose modified energy differs from the energy by more than the kinetic energy
    /// changes as they turn. Other systems have it in what potential and mass matrix exchange.
    fn exchanged(&self) -> f64 {
        match self.model.mechanics {
            model::Mechanics::Bodies(_) => 2.0 * (self.energy() - self.modified_energy()).abs(),
            model::Mechanics::Coordinates(_) => 0.0,
        }
    }

    /// `v = M⁻¹ p`.
    fn update_velocity(&mut self) {
        self.column.copy_from(&self.momentum);
        self.model.system().apply_inverse_mass(&self.state.coordinates, &mut self.column);
        self.velocity.copy_from(&self.column.column(0));
        self.state.velocity.copy_from_slice(self.velocity.as_slice());
    }

    fn check_start(&mut self) -> Result<(), Error> {
        let accepted = self.settings.touching;
        self.look_around()?;
        for contact in self.contacts.present() {
            let gap = self.contacts.gap(self.model.system(), contact, &self.state.coordinates);
            if gap.is_nan() || gap < -accepted {
                return Err(Error::InitialPenetration { contact, depth: -gap, accepted });
            }
        }
        self.piece.constraints.evaluate(&self.model, &self.state.coordinates);
        for (equation, value) in self.piece.constraints.value.iter().enumerate() {
            let violation = value.abs();
            if violation.is_nan() || violation > accepted {
                return Err(Error::InitialConstraint { equation, violation, accepted });
            }
        }
        Ok(())
    }
}
