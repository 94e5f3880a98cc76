//! Routh's method: a single contact followed through the impact, with dry friction at every instant.
//!
//! The normal impulse `p` takes the place of time. With the contact velocity `u = (u_n, u_t)` and
//! the Delassus operator `W`,
//!
//! ```math
//! \frac{du}{dp} = W \begin{pmatrix} 1 \\ f \end{pmatrix}, \qquad
//! f = -\mu \frac{u_t}{\lVert u_t \rVert} \text{ while sliding}, \qquad
//! W_{tt} f = -w_{tn}, \; \lVert f \rVert \le \mu \text{ while sticking}.
//! ```
//!
//! Where sliding ends, the contact sticks if that requires no more than `μ`; otherwise it continues to slide
//! in the only direction in which the sliding velocity can grow. The *compression* ends where `u_n = 0`, and
//! [`Restitution`] determines where the impact ends.
//!
//! **In the plane** the path consists of straight segments, computed in closed form: the contact slides, then
//! it sticks, reverses or continues to slide. While the friction of sliding jams the contact
//! (`W_nn < μ |W_nt|` against it), the approach grows although the contact pushes; the jam ends because
//! sliding ends.
//!
//! **In space** a sliding segment is a curve, integrated with the error control of an embedded Runge–Kutta
//! pair. When the sliding direction turns into a jam, a contact that separates can approach again; this is
//! another compression, and [`Restitution`] compares the sums of all expansions and all compressions. The
//! parameter `τ` with `dp = ‖u_t‖ dτ` makes the equation regular where sliding ends, and events are located
//! to rounding.
//!
//! - **Needs** one contact, or none; joints are allowed.
//! - **Guarantees** no adhesion and impulses in the cone; no approach. Planar and frictionless
//!   answers to rounding, spatial ones to the tolerance.
//! - **Energy** never grows with [`Restitution::Energetic`], nor with `e = 0`. With
//!   [`Restitution::Kinematic`] it *can grow* when friction changes within the impact, with
//!   [`Status::EnergyGained`]. With [`Restitution::Kinetic`] the work of the expansion is not bounded by that
//!   of the compression; 30 000 random impacts in the plane and 30 000 in space showed no gain of energy,
//!   friction included.
//! - **Does not** start an impact at a contact that slides without approaching, even if its friction would
//!   jam (Painlevé's impact without collision).
//! - **Dependent rows**: a contact whose normal depends on its tangents cannot move along its normal while it
//!   sticks. Its compression ends where its sliding ends. With [`Restitution::Kinematic`] or
//!   [`Restitution::Energetic`] and `e > 0` it has no outcome, because no impulse separates it
//!   ([`Status::Unsolved`]).
//! - **Cost** in the plane a few dozen operations; in space from one to a few thousand evaluations of the
//!   slope at the default tolerance, measured at 0.1 to 0.3 ms.
//!
//! # Source
//!
//! E. J. Routh, *Dynamics of a System of Rigid Bodies*, part I, Macmillan (the method in the plane);
//! J. B. Keller, "Impact with friction", *Journal of Applied Mechanics* 53 (1986) 1–4 (space);
//! Y. Wang, M. T. Mason, "Two-dimensional rigid-body collisions with friction", *Journal of Applied
//! Mechanics* 59 (1992) 635–642 (cases in the plane);
//! W. J. Stronge, "Rigid body collisions with friction", *Proceedings of the Royal Society of London A*
//! 431 (1990) 169–181 (energetic restitution).

use nalgebra::{DVector, Matrix3, Vector3};

use crate::{
    Law, Outcome, Problem,
    certificate::{Claims, is_inelastic},
    law::{Error, any_approach},
    outcome::{Phase, RestitutionUse, Stage, Status, Trace},
    settings::{self, FromSettings},
};

mod curve;
mod path;
impl FromSettings for Routh {
    fn from_settings(settings: &mut settings::Settings) -> Result<Self, settings::Error> {
        let defaults = Self::default();
        let restitutions = [
            ("kinetic", Restitution::Kinetic),
            ("kinematic", Restitution::Kinematic),
            ("energetic", Restitution::Energetic),
        ];
        Ok(Self {
            restitution: settings.choice("restitution", &restitutions)?,
            tolerance: settings.number(
                "tolerance",
                defaults.tolerance,
                "a number in [1e-14, 1e-3]",
            )?,
            step_limit: settings.count("step_limit", defaults.step_limit, settings::AT_LEAST_1)?,
        })
    }
}

#[cfg(test)]
mod tests;

pub(crate) use curve::{ERROR, STAGES};
pub(crate) use path::{Leg, LegEnd};
use path::{Path, Walk};

/// End of an impact, as a function of the coefficient of restitution `e` of the contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Restitution {
    /// Newton: the speed of separation is `e` times that of approach.
    Kinematic,
    /// Poisson: the normal impulse while separating is `e` times that while approaching.
    #[default]
    Kinetic,
    /// Stronge: the work of the normal impulse while separating is `e²` times the work it absorbed while
    /// approaching.
    Energetic,
}

/// Routh's method for a single contact; see the [module](self).
///
/// # Example
///
/// A rod end with `W = [4 3; 3 4]/m` that falls straight is thrown sideways. With `μ = 1` it sticks, and the
/// impulse stops it within `1/(4 − 9/4)` N·s.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_impact::{Contact, Law, Mass, Phase, Problem, routh::Routh};
///
/// let end = Contact::new(dvector![1.0, 0.0]).with_friction(1.0, vec![dvector![0.0, 1.0]]);
/// let inverse = dmatrix![4.0, 3.0; 3.0, 4.0];
/// let mass = Mass::Matrix(dmatrix![4.0, -3.0; -3.0, 4.0] / 7.0);
/// let problem = Problem::new(mass, dvector![-1.0, 0.0], vec![end])?;
/// assert!((problem.delassus() - inverse).amax() < 1e-12);
///
/// let outcome = Routh::default().resolve(&problem)?;
/// assert!((outcome.impulses[0].normal - 4.0 / 7.0).abs() < 1e-12);
/// assert_eq!(outcome.trace.stages[0].phase, Phase::Stick);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Routh {
    /// Rule for the end of the impact.
    pub restitution: Restitution,
    /// Relative error allowed in a step of a curved path, and the fraction of the speed before the impact
    /// below which sliding has ended (in `[1e-14, 1e-3]`, default `1e-12`).
    pub tolerance: f64,
    /// Maximum number of steps along a curved path (≥ 1, default 100 000).
    pub step_limit: usize,
}

impl Default for Routh {
    fn default() -> Self {
        Self { restitution: Restitution::Kinetic, tolerance: 1e-12, step_limit: 100_000 }
    }
}

impl Law for Routh {
    fn name(&self) -> &'static str {
        "routh"
    }

    fn claims(&self, problem: &Problem) -> Claims {
        let dissipates = self.restitution == Restitution::Energetic || is_inelastic(problem);
        Claims::new(RestitutionUse::Used).dissipating(dissipates).within(self.tolerance)
    }

    fn answer(&self, problem: &Problem) -> Result<Outcome, Error> {
        self.check(problem)?;
        let free = problem.free_contact_velocity();
        let Some((path, end)) = self.follow(problem) else {
            return Ok(problem.outcome(&DVector::zeros(free.len()), Trace::resolved(vec![])));
        };
        let status = match end {
            Walk::Ended => Status::Resolved,
            Walk::Limit => Status::Limit,
            Walk::On => Status::Unsolved,
        };
        let impulse = |leg: &Vector3<f64>| DVector::from_fn(free.len(), |i, _| leg[i]);
        let stages = path.legs.iter().map(|leg| {
            let impulse = impulse(&leg.percussion);
            let velocity = problem.outcome(&impulse, Trace::resolved(vec![])).velocity;
            Stage { phase: leg.phase, contact: Some(0), velocity }
        });
        let trace = Trace::new(status, stages.collect());
        Ok(problem.outcome(&impulse(&path.percussion), trace))
    }
}

impl Routh {
    /// The segments of the path of a problem with one contact; none if it does not approach.
    pub(crate) fn legs(&self, problem: &Problem) -> Vec<Leg> {
        self.follow(problem).map_or_else(Vec::new, |(path, _)| path.legs)
    }

    /// The path of a problem with one contact; `None` if it does not approach.
    fn follow<'a>(&self, problem: &'a Problem) -> Option<(Path<'a>, Walk)> {
        let free = problem.borrow_free_contact_velocity();
        if !any_approach(problem, free) {
            return None;
        }
        let (contact, delassus) = (&problem.contacts()[0], problem.delassus());
        let rows = free.len();
        // Missing tangents do not move.
        let delassus =
            Matrix3::from_fn(|i, j| if i < rows && j < rows { delassus[(i, j)] } else { 0.0 });
        let start = Vector3::from_fn(|i, _| if i < rows { free[i] } else { 0.0 });
        // A fourth of the tolerance of the certificate for velocities.
        let rounding = problem.rounding() / 4.0;
        let mut path = Path::new(delassus, start, contact, self.restitution, rounding);
        let end = match contact.tangents.len() {
            0 => path.straight(Phase::Slide, [0.0; 2], f64::INFINITY),
            1 => in_plane(&mut path),
            _ => self.in_space(&mut path),
        };
        Some((path, end))
    }

    fn check(&self, problem: &Problem) -> Result<(), Error> {
        if !(1e-14..=1e-3).contains(&self.tolerance) {
            let (name, expected) = ("tolerance", "a number in [1e-14, 1e-3]");
            return Err(Error::Setting { name, value: self.tolerance, expected });
        }
        if self.step_limit == 0 {
            return Err(Error::Setting { name: "step_limit", value: 0.0, expected: "at least 1" });
        }
        let found = problem.contacts().len();
        if found > 1 {
            return Err(Error::Contacts {
                found,
                expected: "at most 1; the law `sequential` takes more, one after another",
            });
        }
        Ok(())
    }

    fn in_space(&self, path: &mut Path<'_>) -> Walk {
        let slides = path.tangential_velocity().norm() > self.tolerance * path.start.norm();
        if slides && path.friction == 0.0 {
            return path.straight(Phase::Slide, [0.0; 2], f64::INFINITY);
        }
        if slides {
            match curve::follow(path, self.tolerance, self.step_limit) {
                Walk::On => {}
                end => return end,
            }
        }
        let (phase, tangential) = path.after_sliding();
        // A normal that depends on the tangents moves by their velocity times the friction of sticking.
        path.left = self.tolerance * tangential[0].hypot(tangential[1]).max(1.0);
        path.straight(phase, tangential, f64::INFINITY)
    }
}

fn in_plane(path: &mut Path<'_>) -> Walk {
    let sliding = path.start.y;
    if sliding != 0.0 {
        let friction = -path.friction * sliding.signum();
        let growth = path.delassus[(1, 0)] + path.delassus[(1, 1)] * friction;
        let slows = growth * sliding < 0.0;
        let duration = if slows { -sliding / growth } else { f64::INFINITY };
        match path.straight(Phase::Slide, [friction, 0.0], duration) {
            Walk::On => {}
            end => return end,
        }
    }
    let (phase, tangential) = path.after_sliding();
    path.straight(phase, tangential, f64::INFINITY)
}
