//! Summaries of a [set of outcomes](crate::set_valued), computed while its samples are generated.
//!
//! Each is a [`Summary`]. Its memory does not grow with the number of samples, except as stated here. Pairs,
//! triples and vectors of summaries are summaries too. Results do not depend on the number of threads, and
//! they are the same for samples recorded one by one and for parts that were merged.
//!
//! | summary | what it tells | memory |
//! | --- | --- | --- |
//! | [`Bounds`] | smallest and largest of each velocity and contact velocity | `2 (n_v + r)` numbers |
//! | [`Hull`] | convex hull in a [`Plane`], area, whether a point is in it | its vertices, up to a limit |
//! | [`Modes`] | how often contacts separate, slide and stick, alone and together | the modes seen, up to a limit |
//! | [`Extremes`] | the outcome that is farthest in given directions | one velocity a direction |
//! | [`Coverage`] | cells of a plane that were reached, and when; points for figures | the cells, bounded by the energy |
//! | [`Collect`] | the first velocities, or some at random | up to a limit |
//!
//! [`Membership`] tells whether another outcome lies inside a set, on its boundary or outside, from samples that were collected.
//!
//! Recording and merging a sample takes 0.02 µs (extremes) to 0.4 µs (coverage with 10⁴ cells) for three
//! velocities and two contacts, measured on one thread of a busy machine.
//!
//! Each outcome has the index of its sample, with which
//! [`SetValuedRouth::sample`](crate::set_valued::SetValuedRouth::sample) can follow its path again.
//!
//! # Example
//!
//! A block of 1 m × 2 m and 1 kg falls flat at 0.443 m/s on two corners with `μ = 1`. It comes to
//! rest or turns about a corner.
//!
//! ```
//! use nalgebra::{DMatrix, dvector};
//! use percussion_impact::{Contact, Mass, Problem, set_valued::SetValuedRouth};
//! use percussion_impact::outcome_set::{ContactMode, Hull, Modes, Plane};
//! use percussion_impact::set_valued::Settings;
//!
//! let corner = |x: f64| {
//!     Contact::new(dvector![0.0, 1.0, x]).with_friction(1.0, vec![dvector![1.0, 0.0, 1.0]])
//! };
//! let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 5.0 / 12.0]));
//! let speed = (2.0 * 9.81 * 0.01_f64).sqrt();
//! let block =
//!     Problem::new(mass, dvector![0.0, -speed, 0.0], vec![corner(-0.5), corner(0.5)])?;
//!
//! // The plane of turning against sliding.
//! let plane = Plane::new(dvector![0.0, 0.0, 1.0], dvector![1.0, 0.0, 0.0]);
//! let law = SetValuedRouth::new(Settings { step: 0.3, samples: 4096, ..Settings::default() });
//! let set = law.post_impact_set(&block, (Hull::new(plane), Modes::new(&block)), |_| ())?;
//! let (hull, modes) = set.summary;
//!
//! let polygon = hull.polygon();
//! assert!(polygon.contains([0.0, 0.0], 1e-12)); // rest
//! assert!(polygon.contains([0.05, -0.05], 1e-12)); // the left corner stays
//! assert!(!polygon.contains([0.1, -0.1], 1e-3)); // it never turns that fast
//! assert!(modes.joint().iter().all(|mode| mode.contacts.contains(&ContactMode::Stick)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use nalgebra::DVector;

use crate::{
    Problem,
    set_valued::{Sample, Summary},
};

mod bounds;
mod collect;
mod coverage;
mod extremes;
mod hull;
mod membership;
mod modes;
#[cfg(test)]
mod tests;

pub use bounds::Bounds;
pub use collect::{Collect, Collected, Order};
pub use coverage::{Cell, Coverage};
pub use extremes::{Extreme, Extremes};
pub use hull::{Hull, Polygon};
pub use membership::{ALPHA, Direction, LEAST, LIMIT, Location, Membership, Verdict};
pub use modes::{ContactMode, JointMode, Modes};

/// A plane of velocities: two linear functionals.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// Row of the horizontal axis (length `n_v`).
    pub x: DVector<f64>,
    /// Row of the vertical axis (length `n_v`).
    pub y: DVector<f64>,
}

impl Plane {
    /// The plane of two rows, each of the length `n_v` of the velocities.
    #[must_use]
    pub const fn new(x: DVector<f64>, y: DVector<f64>) -> Self {
        Self { x, y }
    }

    /// Plane of the sliding along the first tangent of contact `index` and its separation (m/s). `None` when
    /// there is no such contact, or when it has no tangent.
    #[must_use]
    pub fn of_contact(problem: &Problem, index: usize) -> Option<Self> {
        let contact = problem.contacts().get(index)?;
        Some(Self { x: contact.tangents.first()?.clone(), y: contact.normal.clone() })
    }

    /// The coordinates of a velocity.
    ///
    /// # Panics
    ///
    /// When `velocity` does not have the length of the rows.
    #[must_use]
    pub fn coordinates(&self, velocity: &DVector<f64>) -> [f64; 2] {
        // Adding zero turns a negative zero into a positive one.
        [self.x.dot(velocity) + 0.0, self.y.dot(velocity) + 0.0]
    }
}

/// Summaries side by side, such as one hull for each contact; both operands have the same number.
impl<S: Summary> Summary for Vec<S> {
    fn record(&mut self, sample: &Sample<'_>) {
        self.iter_mut().for_each(|summary| summary.record(sample));
    }

    fn merge(&mut self, later: Self) {
        self.iter_mut().zip(later).for_each(|(summary, later)| summary.merge(later));
    }
}
