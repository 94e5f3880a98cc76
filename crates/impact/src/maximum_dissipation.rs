//! Round friction cones for all contacts at once, by the principle of maximum dissipation or by Coulomb's law.
//!
//! A contact that approaches at `u_n⁻ < 0` ends at least at the speed `s = −e u_n⁻` of Newton's restitution,
//! and pushes only if it ends at exactly that speed. With `û = u⁺ − s n` the impulses obey
//!
//! ```math
//! 0 \le \Lambda_n \perp \hat u_n \ge 0,\qquad \|\Lambda_t\| \le \mu \Lambda_n,
//! ```
//!
//! and, with the impulses of the other contacts fixed, each of them satisfies one of two laws:
//!
//! - **Maximum dissipation** (the default): of all `Λ` that satisfy these conditions and do not by themselves
//!   move the contact inwards, `(W Λ)_n ≥ 0`, it minimizes `½ ΛᵀWΛ + Λ·û⁻`, with the `û⁻` without its own
//!   impulse. This is the kinetic energy `½ ûᵀ W⁻¹ û` of the motion relative to `s n`, up to a constant; for
//!   `e = 0` it is the energy of the contact itself. Without `(W Λ)_n ≥ 0` a contact that separates could be
//!   struck: `W = [[1, −0.9, 0], [−0.9, 1, 0], [0, 0, 1]]`, `û⁻ = (0.1, −1, 0)`, `μ = 2` and
//!   `Λ = (4.21, 4.79, 0)` have −2.18 J. One contact has one answer if `W` is positive definite. If `W` is
//!   singular, its velocity is unique, its impulse is not, and there may be no answer, because the minimum
//!   need not be attained on a round cone.
//! - **Coulomb's law**: friction opposes the remaining slip, `Λ_t = −μ Λ_n u_t⁺/‖u_t⁺‖`. One contact may have
//!   up to five answers when normal and tangents are coupled; the one with the most dissipation is taken.
//!
//! Without coupling of normal and tangents, and with equal responses to both tangents (spheres), the two agree.
//!
//! - **One contact** is solved in closed form, by [`friction::single`]; several by a [`Method`] for many contacts, to a relative
//!   natural-map residual of at most [`MaximumDissipation::tolerance`].
//! - **Needs** no special structure: planar and spatial contacts, joints, redundant contacts and rows of any
//!   length are accepted. Impulses and friction are measured in the units of the rows, so the rows of
//!   tangents should be as long as that of the normal.
//! - **Guarantees** no adhesion and impulses in their cones, exactly; no approach, and Newton's speeds of
//!   separation, to the tolerance. No facets: turning the tangents of a contact turns its impulse.
//! - **Energy** of inelastic impacts (`e = 0`) never grows, with either law and for any number of contacts,
//!   in an answer that satisfies the conditions. On the plane `(W Λ)_n = −û_n⁻` the allowed set is convex and
//!   contains an impulse without tangential part, so `Λ_t·u_t⁺ ≤ 0` at the minimum. With `Λ_n u_n⁺ = 0` it
//!   follows that `ΔE = Λ·u⁺ − ½ ΛᵀWΛ ≤ −½ ΛᵀWΛ`. With restitution as given it can grow by up to
//!   `Σ Λ_n s − ½ ΛᵀWΛ`, except without friction if no contact separates before the impact. By default all `e` are
//!   then [reduced by one factor](crate::energy) so that it does not; with [`Energy::AsGiven`] it grows, with
//!   [`Status::EnergyGained`].
//! - **Does not** minimize the energy over all contacts together: each contact minimizes its own. With
//!   several contacts an answer need not exist nor be unique. An impact that was not solved has the status
//!   [`Status::Unsolved`], also where its impulses cancel so far that their rounding moves the contacts by more than ten
//!   times the tolerance, or [`Status::Infeasible`] where a proof shows that there is no answer. The proof
//!   consists of weights: those of the solver's own [`Infeasibility`], where they are a proof for the impact
//!   too, or those of the search that all laws with speeds of separation share.
//! - **Self-locking**: a contact that slides without approaching (`u_n⁻ = 0`) and jams, as Painlevé's rod
//!   does, receives an impulse although nothing collides, if `μ` is large enough. Zero impulse is also
//!   consistent there; this one is the limit for an approach that tends to zero. No other law of this crate
//!   has this property.
//! - **Cost** some 0.1 µs for one contact in addition to the matrices; sweeps over the contacts for several.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely inelastic
//! impacts", 2017, equation 3 and section 3.2. Restitution is an addition, as in J. J. Moreau, "Unilateral contact and
//! dry friction in finite freedom dynamics", CISM 302, Springer 1988.

use nalgebra::{DVector, Matrix3, Vector3};
use percussion_complementarity::friction::{
    self, Delassus, Infeasibility, Method, Reduction, single,
};

use crate::{
    Law, Outcome, Problem,
    certificate::{Claims, Complementarity, is_inelastic},
    energy::Energy,
    law::Error,
    outcome::{Phase, RestitutionUse, Stage, Status, Trace},
    settings::{self, FromSettings},
};

/// Maximum dissipation, or Coulomb's law, with round cones; see the [module](self).
///
/// # Example
///
/// A ball of 1 kg and radius 1 m slides at 1 m/s while it falls at 2 m/s on a rough floor with `e = 1/2`.
/// Sticking removes 2/7 of the sliding velocity, for any larger friction too; the ball leaves at 1 m/s,
/// rolling.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{Contact, Law, Mass, Problem, maximum_dissipation::MaximumDissipation};
///
/// // Velocities: horizontal, vertical, and angular with the floor below the center.
/// let floor = Contact::new(dvector![0.0, 1.0, 0.0])
///     .with_friction(0.5, vec![dvector![1.0, 0.0, 1.0]])
///     .with_restitution(0.5);
/// let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 0.4]));
/// let problem = Problem::new(mass, dvector![1.0, -2.0, 0.0], vec![floor])?;
///
/// let outcome = MaximumDissipation::default().resolve(&problem)?;
/// assert!((&outcome.velocity - dvector![5.0 / 7.0, 1.0, -5.0 / 7.0]).amax() < 1e-15);
/// assert!((outcome.impulses[0].normal - 3.0).abs() < 1e-15); // N·s
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaximumDissipation {
    /// Law that selects the impulse of a contact within its cone (default maximum dissipation).
    pub friction: friction::Law,
    /// Solver for several contacts; its own tolerance is not used (default [`Method::default`]). A method
    /// [without a rule](Method::laws) for the law is refused for every impact.
    pub method: Method,
    /// Maximum relative natural-map residual of a solved impact with several contacts (≥ 0, default `1e-10`).
    pub tolerance: f64,
    /// Whether restitution is reduced where the energy would grow (default [`Energy::NeverGrows`]). Growth up to ten
    /// times the tolerance, as a fraction of the energy before the impact, counts as none.
    pub energy: Energy,
}

impl Default for MaximumDissipation {
    fn default() -> Self {
        let friction = friction::Law::MaximumDissipation;
        Self { friction, method: Method::default(), tolerance: 1e-10, energy: Energy::NeverGrows }
    }
}

impl MaximumDissipation {
    /// Returns Coulomb's law instead of maximum dissipation.
    #[must_use]
    pub fn coulomb() -> Self {
        Self { friction: friction::Law::Coulomb, ..Self::default() }
    }
}

impl Law for MaximumDissipation {
    fn name(&self) -> &'static str {
        "maximum-dissipation"
    }

    fn claims(&self, problem: &Problem) -> Claims {
        Claims::new(RestitutionUse::Used)
            .with_complementarity(Complementarity::Newton)
            .dissipating(self.energy == Energy::NeverGrows || is_inelastic(problem))
            .leaving_part(self.tolerance)
    }

    fn answer(&self, problem: &Problem) -> Result<Outcome, Error> {
        self.energy.resolve(problem, 10.0 * self.tolerance, |problem| self.solve(problem))
    }
}

impl MaximumDissipation {
    /// The outcome with the restitution of `problem` as it is.
    fn solve(&self, problem: &Problem) -> Result<Outcome, Error> {
        self.method.check_law(self.friction)?;
        let method = self.method.with_tolerance(self.tolerance);
        let none = || {
            problem.outcome(&DVector::zeros(problem.delassus().nrows()), Trace::resolved(vec![]))
        };
        let Some(stated) = RoundCones::state(problem)? else { return Ok(none()) };
        let stated = stated.with_law(self.friction);
        let mut proof = None;
        let (impulses, status) = match stated.problem.contacts() {
            [contact] => {
                let b = -stated.problem.free_velocity()[0];
                match single::solve(self.friction, contact, &b) {
                    Ok(impulse) => (vec![impulse], Status::Resolved),
                    Err(unsolved) => (vec![unsolved.impulse], Status::Unsolved),
                }
            }
            _ => {
                let solution = method.solve(&stated.problem)?;
                let solved = solution.report.status == friction::Status::Solved;
                if solution.report.status == friction::Status::Infeasible {
                    proof = Infeasibility::find(&stated.problem).map(|found| {
                        let mut weights = DVector::zeros(problem.contacts().len());
                        for (&contact, weight) in stated.contacts.iter().zip(found.weights) {
                            weights[contact] = weight;
                        }
                        weights
                    });
                }
                let status = if solved { Status::Resolved } else { Status::Unsolved };
                (solution.impulses, status)
            }
        };
        if status == Status::Resolved && impulses.iter().all(|impulse| *impulse == Vector3::zeros())
        {
            return Ok(none());
        }
        let impulse = stated.rows(problem, &impulses);
        let mut outcome = problem.outcome(&impulse, Trace::new(status, vec![]));
        outcome.trace.infeasibility = proof;
        let ends = status == Status::Resolved;
        if ends && !stated.agrees(problem, &impulses, &outcome.velocity, 10.0 * self.tolerance) {
            outcome.trace.status = Status::Unsolved;
        }
        let velocity = outcome.velocity.clone();
        outcome.trace.stages.push(Stage { phase: Phase::Impact, contact: None, velocity });
        Ok(outcome)
    }
}

/// An impact as a frictional contact problem with round cones, for the bodies in their joints.
///
/// Contacts that cannot move along their normal are left out. A contact with fewer than two tangents, or with
/// tangents that cannot move, receives uncoupled substitutes, on which no impulse acts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RoundCones {
    /// The problem, with Newton's speeds of separation in its free velocity.
    pub problem: friction::Problem,
    /// The index in the impact of each contact of the problem, ascending.
    pub contacts: Vec<usize>,
}

impl RoundCones {
    /// States `problem` with Coulomb's law; `None` when every contact separates or cannot move.
    ///
    /// # Errors
    ///
    /// [`Error::RoundCones`] on overflow.
    ///
    /// # Example
    ///
    /// A particle of 4 kg that slides at 1 m/s and falls at 3 m/s on ground with `e = 1/2`.
    ///
    /// ```
    /// use nalgebra::{dmatrix, dvector, vector};
    /// use percussion_impact::{Contact, Mass, Problem, maximum_dissipation::RoundCones};
    ///
    /// let ground = Contact::new(dvector![0.0, 1.0])
    ///     .with_friction(0.5, vec![dvector![1.0, 0.0]])
    ///     .with_restitution(0.5);
    /// let mass = Mass::Matrix(dmatrix![4.0, 0.0; 0.0, 4.0]);
    /// let problem = Problem::new(mass, dvector![1.0, -3.0], vec![ground])?;
    /// let stated = RoundCones::state(&problem)?.ok_or("the particle approaches")?;
    /// assert_eq!(stated.problem.free_velocity(), [vector![-4.5, 1.0, 0.0]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn state(problem: &Problem) -> Result<Option<Self>, Error> {
        let (delassus, free) = (problem.delassus(), problem.borrow_free_contact_velocity());
        let mut normals = (0..problem.contacts().len()).map(|contact| problem.rows(contact).start);
        if normals.all(|normal| free[normal] > 0.0 || delassus[(normal, normal)] <= 0.0) {
            return Ok(None);
        }
        let friction: Vec<f64> =
            problem.contacts().iter().map(|contact| contact.friction).collect();
        Self::with_friction(problem, &friction)
    }

    /// States `problem` with these coefficients of friction, also when every contact separates.
    pub(crate) fn with_friction(
        problem: &Problem,
        friction: &[f64],
    ) -> Result<Option<Self>, Error> {
        let (delassus, free) = (problem.delassus(), problem.borrow_free_contact_velocity());
        let count = problem.contacts().len();
        let block = |a: usize, b: usize| {
            let (rows, columns) = (problem.rows(a), problem.rows(b));
            let mut block = Matrix3::zeros();
            block.view_mut((0, 0), (rows.len(), columns.len())).copy_from(
                &delassus.view((rows.start, columns.start), (rows.len(), columns.len())),
            );
            block
        };
        let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
        let blocks: Vec<_> = pairs
            .map(|(a, b)| (a, b, block(a, b)))
            .filter(|(a, b, block)| a == b || *block != Matrix3::zeros())
            .collect();
        let velocity = |contact: usize| {
            let rows = problem.rows(contact);
            let mut velocity = Vector3::zeros();
            velocity.rows_mut(0, rows.len()).copy_from(&free.rows(rows.start, rows.len()));
            velocity.x -= problem.contacts()[contact].restitution * (-velocity.x).max(0.0);
            velocity
        };
        let velocities: Vec<_> = (0..count).map(velocity).collect();
        let reduction = Reduction::new(blocks, &velocities, friction)?;
        Ok(reduction.map(|Reduction { problem, contacts, .. }| Self { problem, contacts }))
    }

    /// Returns the same problem with another friction law.
    #[must_use]
    pub fn with_law(self, law: friction::Law) -> Self {
        Self { problem: self.problem.with_law(law), ..self }
    }

    /// The entries of `rows` (length `r`) for each contact of the stated problem, zero where it has no such row.
    pub(crate) fn vectors(&self, problem: &Problem, rows: &DVector<f64>) -> Vec<Vector3<f64>> {
        let entry = |contact: usize, component| problem.rows(contact).nth(component);
        let vector = |&contact: &usize| {
            Vector3::from_fn(|i, _| entry(contact, i).map_or(0.0, |row| rows[row]))
        };
        self.contacts.iter().map(vector).collect()
    }

    /// Whether the contacts have at `velocity` the velocities that the stated problem has by `impulses`, up to the
    /// fraction `tolerance` of its scale and the rounding of velocities.
    ///
    /// Where rows of a contact depend on each other, or joints nearly hold them, impulses of any size may cancel, and
    /// with them the rounding of the responses, `n eps` of every row's own size, becomes a velocity.
    fn agrees(
        &self,
        problem: &Problem,
        impulses: &[Vector3<f64>],
        velocity: &DVector<f64>,
        tolerance: f64,
    ) -> bool {
        let (delassus, free) = (self.problem.delassus(), self.problem.free_velocity());
        let stated = delassus.compensated_velocities(impulses, free);
        let after = problem.movable_contact_velocity(velocity);
        let free = problem.borrow_free_contact_velocity();
        let sizes = problem.free_row_sizes();
        let rounding = problem.velocity_rounding();
        let allowed = tolerance * self.problem.velocity_scale();
        self.contacts.iter().zip(stated).all(|(&contact, stated)| {
            let restitution = problem.contacts()[contact].restitution;
            problem.rows(contact).enumerate().all(|(component, row)| {
                let target = if component == 0 { restitution * (-free[row]).max(0.0) } else { 0.0 };
                let missed = (after[row] - target - stated[component]).abs();
                missed <= allowed + rounding * sizes[row]
            })
        })
    }

    /// The impulses of the stated problem at the rows of the contact Jacobian of `problem` (length `r`, N·s).
    pub(crate) fn rows(&self, problem: &Problem, impulses: &[Vector3<f64>]) -> DVector<f64> {
        let mut rows = DVector::zeros(problem.delassus().nrows());
        for (&contact, impulse) in self.contacts.iter().zip(impulses) {
            for (component, row) in problem.rows(contact).enumerate() {
                rows[row] = impulse[component];
            }
        }
        rows
    }
}
impl FromSettings for MaximumDissipation {
    fn from_settings(settings: &mut settings::Settings) -> Result<Self, settings::Error> {
        let defaults = Self::default();
        let frictions = [friction::Law::MaximumDissipation, friction::Law::Coulomb];
        let frictions = frictions.map(|law| (law.name(), law));
        let solvers = Method::all().map(|method| (method.name(), method));
        let residual = "a relative residual of at least 0, for several contacts";
        Ok(Self {
            friction: settings.choice("friction", &frictions)?,
            method: settings.choice("solver", &solvers)?,
            tolerance: settings.number("tolerance", defaults.tolerance, residual)?,
            energy: settings.choice("energy", &Energy::choices(defaults.energy))?,
        })
    }
}
