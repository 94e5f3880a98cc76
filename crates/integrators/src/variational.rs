//! Variational integration of a [`Model`] with impacts: a discrete momentum that is conserved.
//!
//! The action of a motion is discretized first, and the equations of motion follow. With the midpoint rule
//! `L_d(q_a, q_b) = h L((q_a + q_b)/2, (q_b − q_a)/h)` the discrete Euler–Lagrange equations state that the
//! momentum at the end of a piece of the path is that at the start of the next,
//!
//! ```math
//! p_k = \frac{\partial L_d}{\partial q_k}(q_{k-1}, q_k) + f^{+}_{d}
//!     = -\frac{\partial L_d}{\partial q_k}(q_k, q_{k+1}) - f^{-}_{d} ,
//! ```
//!
//! which is solved for `q_{k+1}` by Newton's method with exact derivatives. The state is `(q, p)`; the
//! reported velocity is `M⁻¹ p`.
//!
//! - **Impacts** are located within the step. The piece that ends where a gap closes is computed, the
//!   impulses of any [`Law`] without friction, by default [`Newton`]'s, are added to its momentum, and the
//!   path continues with the rest of the step. All contacts that touch then take part, so that impacts may
//!   propagate through contacts at rest. A momentum in a direction in which no contact acts is conserved
//!   exactly.
//! - **Zeno rule**: a contact that is hit more than [`Settings::chatter_limit`] times within one step
//!   chatters faster than the step, and the impact is plastic ([`Impact::is_plastic`]).
//! - **Closed contacts**, which touch and neither approach nor separate, are unilateral constraints: impulses
//!   at the start of a piece keep the gap from closing further at its end, and a plastic impact at its end
//!   removes the approach from the momentum. Each is half of the impulse of a steady force, and the scheme is
//!   that of RATTLE while contacts push. **Friction** acts at closed contacts, by maximum dissipation within
//!   the cone (a polygon in space); impacts are without friction.
//! - **Dry friction of joints** acts like that of closed contacts: half of its largest impulse at the start of a piece against the
//!   constant velocity of the piece, and half at its end against the velocity there, in one problem with constraints and closed
//!   contacts. A joint at rest stays at rest up to rounding, and one that turns loses energy with an error of second order. In impacts
//!   its finite force has no impulse.
//! - **Bilateral constraints** hold at the ends of pieces in the same way, with multipliers of either sign.
//! - **Forces** of the system (springs, dampers, efforts) and every [`Force`] enter at the midpoint.
//!
//! # What is conserved
//!
//! Without forces, damping and friction the map `(q_k, p_k) → (q_{k+1}, p_{k+1})` is symplectic, symmetric
//! and of second order. It conserves the momenta of symmetries that act linearly on the coordinates: to
//! rounding those that belong to a coordinate, to the residual of Newton's method the angular momentum. The
//! energy stays within `O(h²)` of its value for exponentially long times, if the system is analytic and the
//! motion bounded, because smooth motion conserves a modified energy `H_h`
//! ([`Simulation::modified_energy`](crate::Simulation::modified_energy)) that differs from it by `O(h²)`.
//!
//! **Impacts** conserve the energy `½ pᵀ M⁻¹ p + V` at their moments exactly if their law does, but not
//! `H_h`: without a correction, the energy performs a random walk with steps of `O(h²)` when impacts occur at
//! irregular times. For a [conservative model](Model::is_conservative) the integrator therefore keeps a
//! ledger of the correct value of `H_h`: its value before the first impact, plus the changes of energy by
//! laws since then. After an impact the normal velocities of all contacts that touch are multiplied by one
//! factor `σ`, so that `H_h` agrees with the ledger; this is equivalent to a restitution that is `σ` times as
//! large. The error of energy then is bounded by `h²` times a constant of the motion as long as impacts are
//! corrected, or soon followed by one that is. [`Impact`] contains the error found and the factor, and
//! [`Settings::correction_limit`] bounds it (with 0, no impact is corrected). The derivation is in the module
//! `ledger`. The table shows chains of hinged rods of 1 m and 1 kg that bounce for a million steps, from the
//! example `variational_energy` (largest error of energy in J):
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
//! - **Does not** detect contacts that open and close again within a piece while they pass through each
//!   other. It has no friction in impacts, and no limits of joints unless they are given as contacts.
//! - **Cost** three or four iterations for a step in smooth motion, each with the derivatives of the momentum
//!   and the elimination of an `n_v × n_v` matrix. Such steps do not allocate; steps with bilateral
//!   constraints, closed contacts or impacts do.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Source
//!
//! J. E. Marsden, M. West, "Discrete mechanics and variational integrators", *Acta Numerica* 10 (2001)
//! 357–514. V. Seghete, T. D. Murphey, "A propagative model of simultaneous impact: existence,
//! uniqueness, and design consequences", *IEEE Transactions on Automation Science and Engineering* 11
//! (2014) 154–168, section VI (the scheme, equations 28 to 30) and VII (Zeno rule, friction,
//! actuation). The treatment of contacts that stay closed is not printed there and is our own.

mod closed;
mod discrete;
mod impact;
mod joints;
mod ledger;
mod lu;
mod piece;
mod settings;

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_complementarity::friction::{document::Document, mixed};
use percussion_dynamics::gap::ContactRows;
use percussion_impact::{Law, newton::Newton};

pub use settings::Settings;

use crate::{
    dry_joint::DryJoint,
    energy::Allowance,
    error::Error,
    model::{Contact, Feature, Force, Model, Rule, State},
    report::{ContactReport, Impact, Pieces, StepReport, Work},
    scales::Scales,
    simulation::{End, Motion, Scheme, Simulation},
};
use joints::Rubbed;
use piece::Piece;
use settings::Resolved;

/// Maximum number of consecutive pieces of a step without an impact. Contacts that come to rest on others
/// close softly, each once or twice; a contact that curves into its surface at rest closes endlessly.
const SOFT: usize = 100;

/// The variational [scheme](self), for a [`Simulation`].
///
/// # Example
///
/// A ball falls from 0.2 m and bounces without loss. It meets the floor after `√(2 · 0.2/10) = 0.2 s` and is
/// back at its height after 0.4 s. On parabolas the midpoint rule is exact, and so are the impacts, although
/// they occur within steps of 0.03 s.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_impact::propagative::Propagative;
/// use percussion_integrators::variational::Settings;
/// use percussion_integrators::{Contact, Model, Simulation, State, variational::Variational};
///
/// let ball = PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -10.0))?;
/// let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
/// let contact = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.1), floor)?, 0.0);
/// let model = Model::lagrangian(Box::new(ball), vec![contact])?;
///
/// let start = State { time: 0.0, coordinates: vec![0.0, 0.3, 0.0], velocity: vec![0.0; 3] };
/// let settings = Settings { step_size: 0.03, ..Settings::default() };
/// let law = Box::new(Propagative::default());
/// let mut simulation = Simulation::<Variational>::with_law(model, law, settings, start)?;
/// let mut impacts = Vec::new();
/// simulation.run(0.39, |_, report| impacts.extend(report.impacts.iter().map(|i| i.time)))?;
///
/// assert_eq!(impacts.len(), 1);
/// assert!((impacts[0] - 0.2).abs() < 1e-11);
/// // 0.01 s before the top: 0.3 − ½ · 10 · 0.01² m.
/// assert!((simulation.state().coordinates[1] - 0.2995).abs() < 1e-11);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Variational {
    law: Box<dyn Law>,
    given: Settings,
    settings: Resolved,
    /// The data with which the next step starts, in addition to the state of the motion.
    last: Last,
    /// Current state within the step.
    state: State,
    /// `v` of the state, for products.
    velocity: DVector<f64>,
    momentum: DVector<f64>,
    /// Contacts that are closed, ascending.
    closed: Vec<usize>,
    /// Contacts that touch, ascending, and their normal velocities (m/s).
    touching: Vec<(usize, f64)>,
    /// The correct value of `H_h` (J), from the first impact on.
    ledger: Option<f64>,
    /// Number of times that each contact was hit in the current step.
    hits: Vec<usize>,
    piece: Piece,
    carried: Carried,
    /// Friction of the joints in the current step.
    rubbed: Vec<Rubbed>,
    /// The problem of the joints at the end of the last piece, if there are any.
    settling: Option<mixed::Problem>,
    counts: Pieces,
    /// Work of the forces without a potential in the current step, and the uncertainty of its quadrature (J).
    work: (f64, f64),
    rows: ContactRows,
    column: DMatrix<f64>,
}

/// Data that are kept from step to step.
#[derive(Debug)]
struct Last {
    momentum: DVector<f64>,
    closed: Vec<usize>,
    ledger: Option<f64>,
}

/// Impulses of contacts while they were closed in the current step, by contact, ascending (N·s).
#[derive(Debug, Default)]
struct Carried(Vec<(usize, Vector3<f64>)>);

impl Carried {
    fn add(&mut self, contact: usize, impulse: Vector3<f64>) {
        let place = self.0.binary_search_by_key(&contact, |carried| carried.0);
        let index = place.unwrap_or_else(|index| {
            self.0.insert(index, (contact, Vector3::zeros()));
            index
        });
        self.0[index].1 += impulse;
    }

    /// Whether friction has dissipated energy.
    fn is_rubbed(&self) -> bool {
        self.0.iter().any(|(_, impulse)| impulse.y != 0.0 || impulse.z != 0.0)
    }
}

impl Simulation<Variational> {
    /// Starts a motion of `model` at `state`, with impacts by `law`.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new), which uses [`Newton`]'s law for impacts.
    pub fn with_law(
        model: Model,
        law: Box<dyn Law>,
        settings: Settings,
        state: State,
    ) -> Result<Self, Error> {
        Self::begin(model, state, |motion| Variational::with_law(law, settings, motion))
    }

    /// Replaces the forces in addition to those of the system, from the next step on.
    pub fn set_forces(&mut self, forces: Vec<Box<dyn Force>>) {
        let (motion, scheme) = self.parts();
        motion.model.set_forces(forces);
        scheme.last.ledger = None;
    }

    /// The impact law.
    #[must_use]
    pub fn law(&self) -> &dyn Law {
        self.scheme().law.as_ref()
    }

    /// The discrete momentum `p` at the end of the last step (length `n_v`; N·s, N·m·s): for free bodies the
    /// linear momentum and the angular momentum about the center of mass, in world axes.
    #[must_use]
    pub fn momentum(&self) -> &DVector<f64> {
        &self.scheme().last.momentum
    }
}

impl Variational {
    /// Length, mass and time to which tolerances are relative.
    #[must_use]
    pub const fn scales(&self) -> &Scales {
        &self.settings.scales
    }

    fn with_law(law: Box<dyn Law>, given: Settings, motion: &mut Motion) -> Result<Self, Error> {
        given.check()?;
        let Motion { model, state, .. } = &*motion;
        check_model(model)?;
        let settings = Resolved::new(&given, model, state)?;
        let joints = DryJoint::all(model, &settings.scales, state)
            .map_err(|joint| Error::FrictionDirections { joint })?;
        let rubbed = vec![Rubbed::default(); joints.len()];
        let n = state.velocity.len();
        let mut mass_matrix = DMatrix::zeros(n, n);
        model.system().mass_matrix(&state.coordinates, &mut mass_matrix);
        let velocity = DVector::from_column_slice(&state.velocity);
        let momentum = mass_matrix * &velocity;
        let mut scheme = Self {
            law,
            given,
            settings,
            last: Last { momentum: momentum.clone(), closed: Vec::new(), ledger: None },
            state: state.clone(),
            velocity,
            momentum,
            closed: Vec::new(),
            touching: Vec::new(),
            ledger: None,
            hits: Vec::new(),
            piece: Piece::new(model, &settings, joints, &state.coordinates),
            rubbed,
            settling: None,
            carried: Carried::default(),
            counts: Pieces::default(),
            work: (0.0, 0.0),
            rows: ContactRows::for_system(model.system()),
            column: DMatrix::zeros(n, 1),
        };
        scheme.check_start(motion)?;
        Ok(scheme)
    }

    fn check_start(&mut self, motion: &mut Motion) -> Result<(), Error> {
        let accepted = self.settings.touching;
        self.look_around(motion)?;
        let Motion { model, contacts, state } = motion;
        let mut present = Vec::new();
        contacts.gather(model.system(), &state.coordinates, 0.0, &mut present);
        for contact in present {
            let gap = contacts.gap(model.system(), contact, &state.coordinates);
            if gap.is_nan() || gap < -accepted {
                return Err(Error::InitialPenetration { contact, depth: -gap, accepted });
            }
        }
        self.piece.constraints.evaluate(model, &state.coordinates);
        let mut values = self.piece.constraints.value.iter();
        for (constraint, equations) in model.constraints().iter().enumerate() {
            for value in values.by_ref().take(equations.row_count(model.system())) {
                let violation = value.abs();
                if violation.is_nan() || violation > accepted {
                    return Err(Error::InitialConstraint { constraint, violation, accepted });
                }
            }
        }
        Ok(())
    }

    fn energy(&self, motion: &Motion) -> f64 {
        motion.model.system().energy(&self.state.coordinates, &self.state.velocity)
    }

    /// `2 |H − H_h|` of free bodies (J), whose modified energy differs from the energy by more than the
    /// change of the kinetic energy as they turn. For other systems the exchange between potential and mass
    /// matrix includes it.
    fn exchanged(&self, motion: &Motion) -> f64 {
        if motion.model.as_free_bodies().is_none() {
            return 0.0;
        }
        2.0 * (self.energy(motion) - self.modified_energy(motion)).abs()
    }

    /// `v = M⁻¹ p`.
    fn update_velocity(&mut self, motion: &Motion) {
        self.column.copy_from(&self.momentum);
        motion.model.system().apply_inverse_mass(&self.state.coordinates, &mut self.column);
        self.velocity.copy_from(&self.column.column(0));
        self.state.velocity.copy_from_slice(self.velocity.as_slice());
    }

    /// The contacts that were closed or took part in an impact, with the sums of their impulses.
    fn contacts(&mut self, motion: &Motion, impacts: &[Impact]) -> Vec<ContactReport> {
        let closed = self.carried.0.iter();
        let start = |(contact, impulse): &(usize, Vector3<f64>)| (*contact, *impulse, 0.0);
        let mut sums: Vec<(usize, Vector3<f64>, f64)> = closed.map(start).collect();
        for impact in impacts {
            for (&contact, &normal) in impact.contacts.iter().zip(&impact.impulses) {
                let place = sums.binary_search_by_key(&contact, |sum| sum.0);
                let index = place.unwrap_or_else(|index| {
                    sums.insert(index, (contact, Vector3::zeros(), 0.0));
                    index
                });
                sums[index].1.x += normal;
                sums[index].2 += normal;
            }
        }
        let mut report = |(contact, impulse, percussion): (usize, Vector3<f64>, f64)| {
            let gap = &motion.contacts.as_slice()[contact].gap;
            let gap = gap.rows(motion.model.system(), &self.state.coordinates, &mut self.rows);
            let mut velocity = Vector3::zeros();
            for k in 0..=self.rows.tangent_count() {
                velocity[k] = dot(self.rows.row_mut(k), &self.state.velocity);
            }
            ContactReport { percussion, ..ContactReport::new(contact, gap, impulse, velocity) }
        };
        sums.into_iter().map(&mut report).collect()
    }
}

impl Scheme for Variational {
    type Settings = Settings;

    fn rule(feature: Feature) -> Rule {
        match feature {
            Feature::Cones | Feature::VelocityConstraints => Rule::Refused,
            Feature::FoundContacts
            | Feature::JointFriction
            | Feature::Restitution
            | Feature::Constraints
            | Feature::Forces => Rule::Used,
        }
    }

    fn start(settings: Settings, motion: &mut Motion) -> Result<Self, Error> {
        Self::with_law(Box::new(Newton::default()), settings, motion)
    }

    fn settings(&self) -> &Settings {
        &self.given
    }

    fn step_size(&self) -> f64 {
        self.given.step_size
    }

    fn step_limit(&self) -> usize {
        self.given.step_limit
    }

    fn solve(&mut self, motion: &mut Motion, report: &mut StepReport) -> Result<(), Error> {
        let State { time, coordinates, velocity } = &motion.state;
        self.state.time = *time;
        self.state.coordinates.clone_from(coordinates);
        self.state.velocity.clone_from(velocity);
        self.velocity.copy_from_slice(velocity);
        self.momentum.copy_from(&self.last.momentum);
        self.closed.clone_from(&self.last.closed);
        self.ledger = self.last.ledger;
        self.hits.fill(0);
        self.carried.0.clear();
        self.rubbed.fill(Rubbed::default());
        self.counts = Pieces::default();
        self.work = (0.0, 0.0);
        let (start, mut soft) = (*time, 0);
        let mut left = report.time - start;
        loop {
            let impacts = report.impacts.len();
            self.resolve_impacts(motion, report)?;
            soft = if report.impacts.len() > impacts { 0 } else { soft + 1 };
            if soft > SOFT {
                return Err(Error::Stalled { time: start, limit: SOFT });
            }
            // The remainder is below the rounding of durations.
            if left <= 4.0 * f64::EPSILON * self.settings.step_size {
                break;
            }
            left -= self.follow(left, motion, report)?;
        }
        self.state.time = report.time;
        report.work = Work::Pieces(self.counts);
        Ok(())
    }

    fn end(&self) -> End<'_> {
        End { coordinates: &self.state.coordinates, velocity: &self.state.velocity }
    }

    fn finish(&mut self, motion: &mut Motion, report: &mut StepReport) -> Result<Allowance, Error> {
        let Motion { model, contacts, state } = &mut *motion;
        let coordinates = &self.state.coordinates;
        report.penetration = contacts
            .penetration(model.system(), coordinates)
            .map_err(|source| Error::Contacts { time: state.time, source })?;
        report.constraint_error = self.piece.constraints.evaluate(model, coordinates);
        self.report_joints(&motion.model, report);
        report.contacts = self.contacts(motion, &report.impacts);
        self.last.momentum.copy_from(&self.momentum);
        self.last.closed.clone_from(&self.closed);
        self.last.ledger = self.ledger;
        Ok(Allowance {
            exchanged: self.exchanged(motion),
            keeps_energy: !report.contacts.is_empty(),
            work: Some(self.work),
            overlap_rate: None,
            projected: 0.0,
        })
    }

    fn document(&self) -> Option<Document> {
        self.settling.as_ref().map(joints::document)
    }
}

/// Refuses models whose discrete Lagrangian is not known, or whose constraints are not on positions.
fn check_model(model: &Model) -> Result<(), Error> {
    let system = model.system();
    if model.as_free_bodies().is_none() {
        if model.as_lagrangian().is_none() {
            return Err(Error::NotLagrangian);
        }
        let (coordinates, velocities) = (system.coordinate_count(), system.velocity_count());
        if coordinates != velocities {
            return Err(Error::Quaternions { coordinates, velocities });
        }
    }
    Ok(())
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
