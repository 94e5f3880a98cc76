//! The simultaneous inelastic impact as one linear complementarity problem.
//!
//! Every contact pushes or separates, `0 ≤ Λ_n ⊥ u_n⁺ ≥ 0`, and friction opposes the sliding velocity after
//! the impact as much as the normal impulse allows. Restitution is ignored, and the [`Trace`] of an outcome
//! reports this.
//!
//! - **Needs** no special structure: planar and spatial contacts, joints and redundant contacts are accepted.
//! - **Guarantees** no approach, no adhesion, impulses in their cones and complementarity, to the
//!   tolerance of Lemke's method, which always finds a solution.
//! - **Energy** never grows: `Λ · (u⁺ + u⁻)/2 = Λ · u⁺ − ½ Λ W Λ ≤ 0`.
//! - **Does not** have a unique answer in general. [`AnitescuPotra::all`] returns all of them for
//!   small problems: in the plane up to five contacts with friction with the default limit.
//! - **Cost** one LCP; [`AnitescuPotra::all`] takes `2ⁿ` factorizations for `n` unknowns.
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
/// use percussion_impact::{Contact, Law, Mass, Problem, anitescu_potra::AnitescuPotra};
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
    /// Formulation and solver settings of the complementarity problem.
    pub settings: Settings,
}

/// All outcomes of [`AnitescuPotra`], each velocity once.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcomes {
    /// The outcomes: the vertices of the solution set of the LCP that have different velocities, in the order
    /// of the enumeration. Several solutions with one velocity are represented by the impulses found first.
    pub outcomes: Vec<Outcome>,
    /// For each outcome, whether it is isolated. When false, it is an end point of a continuum of velocities
    /// that are outcomes too.
    pub isolated: Vec<bool>,
    /// Whether the list is complete, with no solution missing; see [`enumerate::SolutionSet::unverified`].
    pub complete: bool,
}

impl AnitescuPotra {
    /// All outcomes, by enumeration of the solutions of the LCP.
    ///
    /// Velocities that agree to `settings.tolerance`, relative to the effects of the impulses, count as one.
    /// Without contacts, or when no contact approaches, the only outcome is the unchanged velocity.
    ///
    /// # Errors
    ///
    /// [`Error::Enumeration`] when there are more unknowns than the settings of the enumeration allow. A
    /// planar contact has 4 unknowns; a spatial one has 2 more than its number of directions.
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
