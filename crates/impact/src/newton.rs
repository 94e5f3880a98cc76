//! Newton's law of restitution for all contacts at once, with polyhedral friction.
//!
//! Each contact that approaches at `u_n⁻ < 0` separates at least at `−e u_n⁻`, and pushes only if it
//! separates at exactly that speed; the others may not approach:
//!
//! ```math
//! 0 \le \Lambda_n \perp u_n^{+} - e \max(0, -u_n^{-}) \ge 0,
//! ```
//!
//! together with friction that opposes the sliding velocity after the impact.
//!
//! - **Needs** no special structure: planar and spatial contacts, joints and redundant contacts are accepted.
//! - **Guarantees** no approach, no adhesion, impulses in their cones, to the tolerance of Lemke's
//!   method. With `e = 0` everywhere it is [`AnitescuPotra`](crate::anitescu_potra::AnitescuPotra).
//! - **Energy** does not grow without friction if no contact separates before the impact: each one that
//!   pushes adds `−½ (1 − e) Λ_n |u_n⁻|`. It *can grow* with friction, because the impulse that reaches the
//!   prescribed speed does not account for the work of friction during the impact. It can also grow where a
//!   contact that separates has to push to avoid an approach. Then the status is
//!   [`EnergyGained`](crate::outcome::Status::EnergyGained), or all `e` are [reduced](crate::energy) if
//!   [`Newton::energy`] asks for it.
//! - **Does not** always have a solution. Between opposite normals of which one requires a rebound there is
//!   none; the status is [`Status::Infeasible`](crate::outcome::Status::Infeasible), with a proof. For
//!   `e > 0` with friction the matrix is copositive, but there may be no solution either; this is reported as
//!   [`Status::Unsolved`](crate::outcome::Status::Unsolved).
//! - **Cost** one LCP.
//!
//! # Source
//!
//! J. J. Moreau, "Unilateral contact and dry friction in finite freedom dynamics", in *Nonsmooth
//! Mechanics and Applications*, CISM 302, Springer 1988, 1–82 (restitution in complementarity form).
//! T. R. Kane, D. A. Levinson, *Dynamics: Theory and Applications*, McGraw-Hill 1985 (a double pendulum
//! that gains energy).

use nalgebra::DVector;

use crate::{
    Law, Outcome, Problem,
    certificate::{Claims, Complementarity, Friction, is_inelastic},
    energy::Energy,
    law::{Error, any_approach},
    outcome::{Phase, RestitutionUse, Stage, Trace},
    settings::{self, FromSettings},
    step_lcp::{Settings, StepLcp},
};

/// Newton's law of restitution; see the [module](self).
///
/// # Example
///
/// A ball that arrives at 2 m/s with `e = 1/2` leaves at 1 m/s.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_impact::{Contact, Law, Mass, Problem, newton::Newton};
///
/// let ground = Contact::new(dvector![1.0]).with_restitution(0.5);
/// let problem = Problem::new(Mass::Matrix(dmatrix![3.0]), dvector![-2.0], vec![ground])?;
/// let outcome = Newton::default().resolve(&problem)?;
/// assert!((outcome.velocity[0] - 1.0).abs() < 1e-12);
/// assert!((outcome.impulses[0].normal - 9.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// Formulation and solver settings of the complementarity problem.
    pub settings: Settings,
    /// Whether restitution is reduced where the energy would grow (default [`Energy::AsGiven`]).
    pub energy: Energy,
}

impl Default for Newton {
    fn default() -> Self {
        Self { settings: Settings::default(), energy: Energy::AsGiven }
    }
}

impl Law for Newton {
    fn name(&self) -> &'static str {
        "newton"
    }

    fn claims(&self, problem: &Problem) -> Claims {
        Claims::new(RestitutionUse::Used)
            .with_complementarity(Complementarity::Newton)
            .with_friction(Friction::Polygon(self.settings.directions))
            .dissipating(self.energy == Energy::NeverGrows || is_inelastic(problem))
            .leaving_part(self.settings.lemke.tolerance)
    }

    fn answer(&self, problem: &Problem) -> Result<Outcome, Error> {
        let tolerance = 10.0 * self.settings.lemke.tolerance;
        self.energy.resolve(problem, tolerance, |problem| self.solve(problem))
    }
}

impl Newton {
    /// The outcome with the restitution of `problem` as it is.
    fn solve(&self, problem: &Problem) -> Result<Outcome, Error> {
        let step = StepLcp::new(problem, &self.settings)?;
        let free = problem.free_contact_velocity();
        if !any_approach(problem, &free) {
            return Ok(problem.outcome(&DVector::zeros(free.len()), Trace::resolved(vec![])));
        }
        let contacts = problem.contacts();
        let separation = DVector::from_fn(contacts.len(), |k, _| {
            contacts[k].restitution * (-free[problem.rows(k).start]).max(0.0)
        });
        let acting = DVector::zeros(contacts.len());
        let (impulse, status) = step.solve(&free, &separation, &acting)?;
        let mut outcome = problem.outcome(&impulse, Trace::new(status, vec![]));
        let velocity = outcome.velocity.clone();
        outcome.trace.stages.push(Stage { phase: Phase::Impact, contact: None, velocity });
        Ok(outcome)
    }
}
impl FromSettings for Newton {
    fn from_settings(settings: &mut settings::Settings) -> Result<Self, settings::Error> {
        Ok(Self {
            settings: FromSettings::from_settings(settings)?,
            energy: settings.choice("energy", &Energy::choices(Self::default().energy))?,
        })
    }
}
