//! Poisson's law of restitution for all contacts at once: compression, then expansion.
//!
//! The *compression* is an inelastic impact with impulses `C`. In the *expansion* every contact returns at
//! least the fraction `e` of its normal impulse, and more only where it would otherwise approach:
//!
//! ```math
//! 0 \le \Lambda_{n} - (1 + e)\, C_{n} \perp u_n^{+} \ge 0,
//! ```
//!
//! with friction that opposes the sliding velocity at the end of each phase and is bounded by `μ`
//! times the normal impulse of that phase. There is no restitution of tangential impulses.
//!
//! - **Needs** no special structure: planar and spatial contacts, joints and redundant contacts are accepted.
//! - **Guarantees** no approach, no adhesion, impulses in their cones, to the tolerance of Lemke's
//!   method; both LCPs are solvable. A contact that is struck through others can separate although it
//!   did not approach, which Newton's law does not allow.
//! - **Energy** never grows in the compression. It *can grow* in the expansion, because the returned impulses
//!   do not account for the work they do: with friction and contacts of different `e` a particle can triple
//!   its energy, with [`Status::EnergyGained`], or all `e` are [reduced](crate::energy) if
//!   [`Poisson::energy`] asks for it. **Without friction it never grows**, for any number of
//!   contacts and any `e_i ∈ [0, 1]`, which is a theorem (below). With friction and one `e` for all contacts
//!   20 000 random pairs of contacts showed no gain; this is a search and not a proof.
//! - **Does not** have a unique answer when the compression has none; the solution that Lemke's method finds
//!   is taken.
//! - **Cost** two LCPs.
//!
//! # Energy without friction
//!
//! Let `C` be the impulses of the compression, `u^c ≥ 0` the velocities after it, `C · u^c = 0`, and `Z`
//! those of the expansion: `Z ≥ E C` with `E = diag(e_i)`, `u^+ = u^c + W Z ≥ 0` and `(Z − E C) · u^+ = 0`. These are
//! the conditions of Karush, Kuhn and Tucker under which `Z` minimizes the convex `½ ZᵀWZ + Z · u^c` over
//! `Z ≥ E C`. As `e_i ≤ 1`, `C` is one of these, and has `½ CᵀWC`. So
//!
//! ```math
//! E^{+} - E^{-} = \underbrace{Z \cdot u^c + \tfrac12 Z^\mathsf{T} W Z}_{\text{expansion}}
//!               - \underbrace{\tfrac12 C^\mathsf{T} W C}_{\text{compression}} \;\le\; 0 .
//! ```
//!
//! A row of three equal balls with `e = (1, 0)` attains zero: the first at 1 m/s, it ends at (−1/3, 2/3, 2/3) m/s.
//!
//! # Source
//!
//! Ch. Glocker, F. Pfeiffer, "Multiple impacts with friction in rigid multibody systems", *Nonlinear
//! Dynamics* 7 (1995) 471–497;
//! F. Pfeiffer, Ch. Glocker, *Multibody Dynamics with Unilateral Contacts*, Wiley 1996, chapter 8.

use nalgebra::DVector;

use crate::{
    Law, Outcome, Problem,
    certificate::{Claims, is_inelastic, still},
    energy::Energy,
    law::{Error, any_approach},
    outcome::{Phase, RestitutionUse, Stage, Status, Trace},
    settings::{self, FromSettings},
    step_lcp::{Settings, StepLcp},
};

/// Poisson's law of restitution after Glocker and Pfeiffer; see the [module](self).
///
/// # Example
///
/// A ball that arrives at 2 m/s is stopped by 6 N·s, and `e = 1/2` gives 3 N·s back.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_impact::{Contact, Law, Mass, Problem, poisson::Poisson};
///
/// let ground = Contact::new(dvector![1.0]).with_restitution(0.5);
/// let problem = Problem::new(Mass::Matrix(dmatrix![3.0]), dvector![-2.0], vec![ground])?;
/// let outcome = Poisson::default().resolve(&problem)?;
/// assert!((outcome.impulses[0].normal - 9.0).abs() < 1e-12);
/// assert!((outcome.velocity[0] - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poisson {
    /// Formulation and solver settings of the complementarity problems.
    pub settings: Settings,
    /// Whether restitution is reduced where the energy would grow (default [`Energy::AsGiven`]); without friction it
    /// never does.
    pub energy: Energy,
}

impl Default for Poisson {
    fn default() -> Self {
        Self { settings: Settings::default(), energy: Energy::AsGiven }
    }
}

impl Law for Poisson {
    fn name(&self) -> &'static str {
        "poisson"
    }

    fn claims(&self, problem: &Problem) -> Claims {
        Claims::new(RestitutionUse::Used)
            .dissipating(self.energy == Energy::NeverGrows || is_inelastic(problem))
            .leaving_part(self.settings.lemke.tolerance)
    }

    fn answer(&self, problem: &Problem) -> Result<Outcome, Error> {
        let tolerance = 10.0 * self.settings.lemke.tolerance;
        self.energy.resolve(problem, tolerance, |problem| self.solve(problem))
    }
}

impl Poisson {
    /// The outcome with the restitution of `problem` as it is.
    fn solve(&self, problem: &Problem) -> Result<Outcome, Error> {
        let step = StepLcp::new(problem, &self.settings)?;
        let free = problem.free_contact_velocity();
        if !any_approach(problem, &free) {
            return Ok(problem.outcome(&DVector::zeros(free.len()), Trace::resolved(vec![])));
        }
        let [(compression, compressed), (impulse, expanded)] = phases(problem, &step)?;
        let between = problem.outcome(&compression, Trace::resolved(vec![])).velocity;

        let mut outcome = problem.outcome(&impulse, Trace::new(Status::Resolved, vec![]));
        let after = outcome.velocity.clone();
        let solved = compressed == Status::Resolved
            && expanded == Status::Resolved
            && self.is_complementary(problem, &compression, (&impulse, &after));
        if !solved {
            outcome.trace.status = Status::Unsolved;
        }
        outcome.trace.stages = vec![
            Stage { phase: Phase::Compression, contact: None, velocity: between },
            Stage { phase: Phase::Expansion, contact: None, velocity: after },
        ];
        Ok(outcome)
    }
}

impl Poisson {
    /// The impulses of compression and expansion (length `r` each, N·s).
    pub(crate) fn percussions(&self, problem: &Problem) -> Result<[DVector<f64>; 2], Error> {
        let free = problem.borrow_free_contact_velocity();
        if !any_approach(problem, free) {
            return Ok([0.0 * free, 0.0 * free]);
        }
        let [compression, all] = phases(problem, &StepLcp::new(problem, &self.settings)?)?;
        let expansion = all.0 - &compression.0;
        Ok([compression.0, expansion])
    }

    /// Whether `0 ≤ Λ_n − (1 + e) C_n ⊥ u_n⁺ ≥ 0` holds to the tolerance for rest, with the impulses `C` of
    /// the compression, and `Λ` and the velocity `after` the impact. The complementarity problem of the
    /// expansion has a scale of its own, and certificates do not contain `C`.
    fn is_complementary(
        &self,
        problem: &Problem,
        compression: &DVector<f64>,
        (impulse, after): (&DVector<f64>, &DVector<f64>),
    ) -> bool {
        let velocity = problem.contact_velocity(after);
        let still = still(problem, self.settings.lemke.tolerance);
        problem.contacts().iter().enumerate().all(|(k, contact)| {
            let row = problem.rows(k).start;
            let more = impulse[row] - (1.0 + contact.restitution) * compression[row];
            let pressed = more * problem.delassus()[(row, row)];
            pressed >= -still[row] && velocity[row].min(pressed) <= still[row]
        })
    }
}

/// The impulses of the compression and all impulses, and how their problems were solved.
fn phases(problem: &Problem, step: &StepLcp<'_>) -> Result<[(DVector<f64>, Status); 2], Error> {
    let contacts = problem.contacts();
    let none = DVector::zeros(contacts.len());
    let compression = step.solve(&problem.free_contact_velocity(), &none, &none)?;
    let given_back = DVector::from_fn(contacts.len(), |k, _| {
        contacts[k].restitution * compression.0[problem.rows(k).start]
    });
    let mut impulse = compression.0.clone();
    for (k, &normal) in given_back.iter().enumerate() {
        impulse[problem.rows(k).start] += normal;
    }
    if given_back.iter().all(|percussion| *percussion <= 0.0) {
        return Ok([compression, (impulse, Status::Resolved)]);
    }
    let (more, status) = step.solve(&driven(problem, &impulse), &none, &given_back)?;
    Ok([compression, (impulse + more, status)])
}

/// The contact velocity after impulses, with entries that are rounding of their terms set to zero. A
/// complementarity problem that consists of rounding alone has no scale for its tolerance.
fn driven(problem: &Problem, impulse: &DVector<f64>) -> DVector<f64> {
    let free = problem.borrow_free_contact_velocity();
    let terms = free.abs() + problem.delassus().abs() * impulse.abs();
    let rounding = 2.0 * (problem.dimension() + impulse.len()) as f64 * f64::EPSILON;
    let velocity = free + problem.delassus() * impulse;
    velocity.zip_map(
        &terms,
        |velocity, terms| {
            if velocity.abs() <= rounding * terms { 0.0 } else { velocity }
        },
    )
}
impl FromSettings for Poisson {
    fn from_settings(settings: &mut settings::Settings) -> Result<Self, settings::Error> {
        Ok(Self {
            settings: FromSettings::from_settings(settings)?,
            energy: settings.choice("energy", &Energy::choices(Self::default().energy))?,
        })
    }
}
