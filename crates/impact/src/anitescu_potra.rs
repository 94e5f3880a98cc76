//! The simultaneous inelastic impact as one linear complementarity problem.
//!
//! Every contact pushes or separates, `0 ≤ Λ_n ⊥ u_n⁺ ≥ 0`, and friction opposes the sliding velocity
//! after the impact with all that the normal percussion allows. Restitution is ignored, and the
//! [`Trace`] of an outcome says so.
//!
//! - **Needs** nothing: planar and spatial contacts, joints, redundant contacts.
//! - **Guarantees** no approach, no adhesion, percussions in their cones and complementarity, to the
//!   tolerance of Lemke's method, which always finds a solution.
//! - **Energy** never grows: `Λ · (u⁺ + u⁻)/2 = Λ · u⁺ − ½ Λ W Λ ≤ 0`.
//! - **Does not** have a unique answer in general. [`AnitescuPotra::all`] returns all of them for
//!   small problems: in the plane up to five contacts with friction with the default limit.
//! - **Cost** one LCP; all answers `2ⁿ` factorizations for `n` unknowns.
//!
//! # Source
//!
//! M. Anitescu, F. A. Potra, "Formulating dynamic multi-rigid-body contact problems with friction as
//! solvable linear complementarity problems", *Nonlinear Dynamics* 14 (1997) 231–247 (solvability);
//! Ch. Glocker, F. Pfeiffer, "Multiple impacts with friction in rigid multibody systems", *Nonlinear
//! Dynamics* 7 (1995) 471–497 (the same as their compression).

use nalgebra::DVector;
use percussion_complementarity::lcp::enumerate;

use crate::{
    Law, Outcome, Problem,
    certificate::{Claims, Complementarity, Friction},
    law::{Error, any_approach, judged},
    outcome::{Phase, RestitutionUse, Stage, Status, Trace},
    step_lcp::{Settings, StepLcp},
};

/// The simultaneous inelastic impact; see the [module](self).
///
/// # Example
///
/// A particle of 1 kg slides at 2 m/s and falls at 3 m/s: `μ = 1/2` takes 1.5 m/s from the sliding.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_impact::{AnitescuPotra, Contact, Law, Mass, Problem};
///
/// let ground = Contact::new(dvector![0.0, 1.0]).with_friction(0.5, vec![dvector![1.0, 0.0]]);
/// let mass = Mass::Matrix(dmatrix![1.0, 0.0; 0.0, 1.0]);
/// let problem = Problem::new(mass, dvector![2.0, -3.0], vec![ground])?;
/// let outcome = AnitescuPotra::default().resolve(&problem)?;
/// assert!((outcome.velocity - dvector![0.5, 0.0]).amax() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AnitescuPotra {
    /// How the complementarity problem is stated and solved.
    pub settings: Settings,
}

/// All outcomes of [`AnitescuPotra`], each velocity once.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcomes {
    /// The outcomes: vertices of the solution set of the LCP with different velocities, in the order of
    /// the enumeration, each with the first of its percussions.
    pub outcomes: Vec<Outcome>,
    /// For each outcome, whether it stands alone; when false it is an end of a continuum of velocities
    /// that are outcomes too.
    pub isolated: Vec<bool>,
    /// Whether no solution can be missing; see [`enumerate::SolutionSet::unverified`].
    pub complete: bool,
}

impl AnitescuPotra {
    /// All outcomes, by enumeration of the solutions of the LCP.
    ///
    /// Velocities that agree to `settings.tolerance`, relative to the percussions' effects, count as
    /// one. Without contacts, and when none approaches, the velocity stays as it is and that is all.
    ///
    /// # Errors
    ///
    /// [`Error::Enumeration`] when there are more unknowns than the settings of the enumeration allow:
    /// 4 for each contact in the plane, 2 more than its directions for one in space.
    pub fn all(
        &self,
        problem: &Problem,
        settings: &enumerate::Settings,
    ) -> Result<Outcomes, Error> {
        let step = StepLcp::new(problem, &self.settings)?;
        let free = problem.free_contact_velocity();
        if !any_approach(problem, &free) {
            let still = problem.outcome(&DVector::zeros(free.len()), Trace::resolved(vec![]));
            let still = judged(problem, &self.claims(problem), still)?;
            return Ok(Outcomes { outcomes: vec![still], isolated: vec![true], complete: true });
        }
        let none = DVector::zeros(problem.contacts().len());
        let lcp = step.problem(&free, &none, &none)?;
        let solutions = enumerate::solve(&lcp, settings)?;
        let to_impulse = step.impulse_map();
        let to_velocity = problem.response() * &to_impulse;
        // The map has a column for each unknown, and enumeration has accepted the tolerance.
        let images = solutions.images(&to_velocity, settings.tolerance).unwrap_or_default();
        // Vertices are solutions to the tolerance of the enumeration.
        let claims = self.claims(problem).within(settings.tolerance);
        let outcomes = images.iter().map(|image| {
            let impulse = &to_impulse * &solutions.vertices[image.vertices[0]].z;
            judged(problem, &claims, finish(problem, &impulse, Status::Resolved))
        });
        Ok(Outcomes {
            outcomes: outcomes.collect::<Result<_, _>>()?,
            isolated: images.iter().map(|image| image.is_isolated).collect(),
            complete: solutions.unverified == 0,
        })
    }
}

impl Law for AnitescuPotra {
    fn name(&self) -> &'static str {
        "anitescu-potra"
    }

    fn claims(&self, _problem: &Problem) -> Claims {
        Claims::new(RestitutionUse::Ignored)
            .with_complementarity(Complementarity::Inelastic)
            .with_friction(Friction::Polygon(self.settings.directions))
            .dissipating(true)
            .leaving_part(self.settings.lemke.tolerance)
    }

    fn answer(&self, problem: &Problem) -> Result<Outcome, Error> {
        let step = StepLcp::new(problem, &self.settings)?;
        let free = problem.free_contact_velocity();
        if !any_approach(problem, &free) {
            return Ok(problem.outcome(&DVector::zeros(free.len()), Trace::resolved(vec![])));
        }
        let none = DVector::zeros(problem.contacts().len());
        let (impulse, status) = step.solve(&free, &none, &none)?;
        Ok(finish(problem, &impulse, status))
    }
}

fn finish(problem: &Problem, impulse: &DVector<f64>, status: Status) -> Outcome {
    let mut outcome = problem.outcome(impulse, Trace::new(status, vec![]));
    let velocity = outcome.velocity.clone();
    outcome.trace.stages.push(Stage { phase: Phase::Impact, contact: None, velocity });
    outcome
}
