//! Whether an outcome lies in a sampled set: [`Membership`].
//!
//! A set is only known by samples, so the answer has a tolerance. Distances are those of the kinetic metric,
//! `‖v‖ = √(vᵀ M v)` (√J), as parts of that of the velocity before the impact. In it impulses and velocities of all bodies are comparable.
//!
//! - The **distance** of an outcome from the set is that from the nearest of the first half of the samples.
//! - The **tolerance** is what distances of samples of the second half are, up to the share `α` with the largest. So an outcome
//!   that is drawn like the samples is farther away with a probability of at most `α`: of `n` samples and one more, all ranks of
//!   the one are equally likely, and with `k = ⌊α (n + 1)⌋` it is among the `k` farthest with the probability `k/(n + 1)`.
//! - An outcome is **outside** if it is farther away than the tolerance.
//! - An outcome that is not outside is on the **boundary** if, in one of the directions below, no sample is farther out by more than
//!   the tolerance while some are farther back; otherwise it is **inside**. Directions: faster separation of each contact, its
//!   tangential velocities, both ways, and less and more kinetic energy. Slower separation is none, because every closed contact is
//!   at its end.
//!
//! - **Does not** prove anything: an outcome of the set that samples reach seldom, such as one where a contact gets no share at all,
//!   may count as outside, and one in a hole of the set that is smaller than the tolerance as inside.
//! - **Cost** `n²/4` distances for `n` samples, of which at most [`LIMIT`] are used.
//!
//! # Source
//!
//! The level of the tolerance: V. Vovk, A. Gammerman, G. Shafer, *Algorithmic Learning in a Random World*, Springer 2005,
//! section 4.1 (split conformal prediction).

use nalgebra::DVector;

use crate::Problem;

/// Maximum number of samples that are used, the first ones.
pub const LIMIT: usize = 4096;

/// Smallest number of samples for which there is an answer at the level [`ALPHA`].
pub const LEAST: usize = 200;

/// Probability `α` with which an outcome that is drawn like the samples counts as outside, at most.
pub const ALPHA: f64 = 0.01;

/// Distances below this part of the velocity before the impact are rounding or tolerance of the samples.
const SMALL: f64 = 1e-6;

/// Samples of a set, prepared to judge outcomes.
///
/// # Example
///
/// A ball strikes two that touch, all elastic. The outcomes lie on an arc, from (0, 0, 1) to (−1/3, 2/3, 2/3).
/// Without restitution all three move on together, which is no outcome of elastic balls.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::outcome_set::{Collect, Membership, Order, Verdict};
/// use percussion_impact::{Contact, Mass, Problem, set_valued::{SetValuedRouth, Settings}};
///
/// let contacts = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]];
/// let contacts = contacts.map(|normal| Contact::new(normal).with_restitution(1.0));
/// let mass = Mass::Matrix(DMatrix::identity(3, 3));
/// let problem = Problem::new(mass, dvector![1.0, 0.0, 0.0], contacts.to_vec())?;
/// let law = SetValuedRouth::new(Settings { samples: 1024, steps: 100, ..Settings::default() });
/// let set = law.post_impact_set(&problem, Collect::new(1024, Order::First), |_| ())?;
///
/// let samples = set.summary.outcomes().into_iter().map(|outcome| outcome.velocity.clone()).collect();
/// let set = Membership::new(&problem, samples).expect("enough samples");
/// assert_eq!(set.judge(&dvector![-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]).verdict, Verdict::Boundary);
/// let together = set.judge(&dvector![1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]);
/// assert_eq!(together.verdict, Verdict::Outside);
/// assert!(together.distance > 0.5); // of the velocity before
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Membership<'a> {
    problem: &'a Problem,
    samples: Vec<DVector<f64>>,
    /// `‖v⁻‖` (√J), or 1 at rest.
    size: f64,
    /// Tolerance as a part of `size`.
    tolerance: f64,
}

/// Where an outcome lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Verdict {
    /// As near to samples as they are to each other, and not extreme.
    Inside,
    /// As near, and at the end of the set in a [direction](Location::extreme).
    Boundary,
    /// Farther from all samples than they are from each other.
    Outside,
}

/// A direction in which no sample is farther out than an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Direction {
    /// The component `row` of the contact velocities, a row of `J`.
    Least {
        /// The row.
        row: usize,
    },
    /// The same, in the other direction.
    Greatest {
        /// The row.
        row: usize,
    },
    /// Less kinetic energy.
    LeastEnergy,
    /// More kinetic energy.
    GreatestEnergy,
}

/// Place of an outcome relative to a set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Location {
    /// Inside, on the boundary, or outside.
    pub verdict: Verdict,
    /// Distance from the set in the kinetic metric, as a part of the velocity before the impact.
    pub distance: f64,
    /// Distance up to which an outcome is not outside, as the same part.
    pub tolerance: f64,
    /// Direction in which it is extreme, for the boundary.
    pub extreme: Option<Direction>,
}

impl<'a> Membership<'a> {
    /// Prepares the outcomes `samples` (velocities of length `n_v`, in the order in which they were drawn) of a set of
    /// `problem`. `None` with fewer than [`LEAST`] of them.
    #[must_use]
    pub fn new(problem: &'a Problem, mut samples: Vec<DVector<f64>>) -> Option<Self> {
        samples.truncate(LIMIT);
        if samples.len() < LEAST {
            return None;
        }
        let size = norm(problem, problem.velocity());
        let size = if size > 0.0 && size.is_finite() { size } else { 1.0 };
        let mut set = Self { problem, samples, size, tolerance: 0.0 };
        let half = set.samples.len() / 2;
        let mut distances: Vec<f64> =
            set.samples[half..].iter().map(|sample| set.distance(sample)).collect();
        distances.sort_unstable_by(f64::total_cmp);
        #[expect(clippy::cast_possible_truncation, reason = "below the number of samples")]
        let beyond = (ALPHA * (distances.len() + 1) as f64) as usize;
        // One more sample is farther away than this one with the probability `beyond/(n + 1)`.
        set.tolerance = distances[distances.len() - beyond.max(1)].max(SMALL);
        Some(set)
    }

    /// Distance up to which an outcome is not outside, as a part of the velocity before the impact in the kinetic metric.
    #[must_use]
    pub const fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Where `velocity` (length `n_v`) lies.
    ///
    /// # Panics
    ///
    /// When `velocity` does not have the length of the problem.
    #[must_use]
    pub fn judge(&self, velocity: &DVector<f64>) -> Location {
        let (distance, tolerance) = (self.distance(velocity), self.tolerance);
        let place = |verdict, extreme| Location { verdict, distance, tolerance, extreme };
        if !velocity.iter().all(|v| v.is_finite()) || distance > tolerance {
            return place(Verdict::Outside, None);
        }
        match self.extreme(velocity) {
            Some(direction) => place(Verdict::Boundary, Some(direction)),
            None => place(Verdict::Inside, None),
        }
    }

    /// Distance from the nearest of the first half of the samples.
    fn distance(&self, velocity: &DVector<f64>) -> f64 {
        let half = &self.samples[..self.samples.len() / 2];
        let distances = half.iter().map(|sample| norm(self.problem, &(sample - velocity)));
        distances.fold(f64::INFINITY, f64::min) / self.size
    }

    /// A direction in which no sample is farther out than `velocity` by more than the tolerance, while some are farther back.
    fn extreme(&self, velocity: &DVector<f64>) -> Option<Direction> {
        let problem = self.problem;
        let unit = self.size * self.tolerance;
        let rows = problem.contact_jacobian();
        let normals: Vec<_> =
            (0..problem.contacts().len()).map(|k| problem.rows(k).start).collect();
        for row in 0..rows.nrows() {
            let along = rows.row(row).transpose();
            let values = self.samples.iter().map(|sample| along.dot(&(sample - velocity)));
            // A change of velocity of the size 1 in the metric changes the row by at most the root of its diagonal entry.
            let unit = problem.delassus()[(row, row)].max(0.0).sqrt() * unit;
            match end(values, unit) {
                Some(End::Least) if !normals.contains(&row) => {
                    return Some(Direction::Least { row });
                }
                Some(End::Greatest) => return Some(Direction::Greatest { row }),
                _ => (),
            }
        }
        let own = norm(problem, velocity);
        match end(self.samples.iter().map(|sample| norm(problem, sample) - own), unit) {
            Some(End::Least) => Some(Direction::LeastEnergy),
            Some(End::Greatest) => Some(Direction::GreatestEnergy),
            None => None,
        }
    }
}

/// An end of the values that samples take.
enum End {
    Least,
    Greatest,
}

/// Whether zero is at an end of `values`, up to `unit`. Values that do not extend beyond `unit` have no ends.
fn end(values: impl Iterator<Item = f64>, unit: f64) -> Option<End> {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    match (low >= -unit, high <= unit) {
        (true, false) => Some(End::Least),
        (false, true) => Some(End::Greatest),
        _ => None,
    }
}

/// `√(vᵀ M v)`.
fn norm(problem: &Problem, velocity: &DVector<f64>) -> f64 {
    problem.root_of_energy(velocity)
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, dvector};

    use super::*;
    use crate::{
        Contact, Law, Mass,
        anitescu_potra::AnitescuPotra,
        outcome_set::{Collect, Order},
        set_valued::{SetValuedRouth, Settings},
    };

    /// The block of 1 m × 2 m falls flat at `speed`; its outcomes are rest and pivots.
    fn block(mass: f64, speed: f64) -> Problem {
        let corner = |x: f64| {
            Contact::new(dvector![0.0, 1.0, x]).with_friction(1.0, vec![dvector![1.0, 0.0, 1.0]])
        };
        let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 5.0 / 12.0]) * mass);
        Problem::new(mass, dvector![0.0, -speed, 0.0], vec![corner(-0.5), corner(0.5)]).unwrap()
    }

    fn samples(problem: &Problem, seed: u64, count: usize) -> Vec<DVector<f64>> {
        let samples = count as u64;
        let law =
            SetValuedRouth::new(Settings { samples, seed, steps: 100, ..Settings::default() });
        let set = law.post_impact_set(problem, Collect::new(count, Order::First), |_| ()).unwrap();
        set.summary.outcomes().into_iter().map(|one| one.velocity.clone()).collect()
    }

    /// Turning about the left corner at `spin` (rad/s), about the right one where that is negative.
    fn pivot(spin: f64) -> DVector<f64> {
        dvector![-spin, 0.5 * spin.abs(), spin]
    }

    #[test]
    fn rest_and_the_fastest_pivot_are_the_ends_and_a_slow_pivot_lies_between() {
        let problem = block(1.0, (2.0 * 9.81 * 0.01_f64).sqrt());
        let set = Membership::new(&problem, samples(&problem, 1, 4096)).unwrap();
        assert!(set.tolerance() < 0.02, "{}", set.tolerance());
        let rest = set.judge(&AnitescuPotra::default().resolve(&problem).unwrap().velocity);
        assert_eq!(rest.verdict, Verdict::Boundary, "{rest:?}");
        assert!(rest.distance < 1e-9);
        // One corner lifts at 7/10 · 3/10 of the fall, 1 m from the other.
        let fastest = 0.21 * (2.0 * 9.81 * 0.01_f64).sqrt();
        for side in [-1.0, 1.0] {
            let slow = set.judge(&pivot(side * 0.4 * fastest));
            assert_eq!(slow.verdict, Verdict::Inside, "{slow:?}");
            let twice = set.judge(&pivot(side * 2.0 * fastest));
            assert_eq!(twice.verdict, Verdict::Outside, "{twice:?}");
        }
        // A bounce without restitution.
        let bounce = set.judge(&dvector![0.0, 0.2, 0.0]);
        assert_eq!(bounce.verdict, Verdict::Outside, "{bounce:?}");
    }

    /// Outcomes with other draws are outside at most as often as the level says.
    #[test]
    fn outcomes_with_other_draws_are_seldom_outside() {
        let problem = block(1.0, 0.443);
        let set = Membership::new(&problem, samples(&problem, 1, 4096)).unwrap();
        let others = samples(&problem, 2, 4096);
        let outside =
            others.iter().filter(|one| set.judge(one).verdict == Verdict::Outside).count();
        // The share outside varies from set to set: with 2048 samples to compare, 0.0022 are one standard deviation,
        // and as many draws add 0.0016; four times their root of squares.
        assert!((outside as f64 / 4096.0) < ALPHA + 4.0 * 0.0027, "{outside}");
    }

    #[test]
    fn units_do_not_matter() {
        let (one, other) = (block(1.0, 0.443), block(8.0, 0.443));
        let of = |problem: &Problem| {
            let set = Membership::new(problem, samples(problem, 1, 512)).unwrap();
            let location = set.judge(&pivot(0.05));
            (location.distance, set.tolerance())
        };
        let (a, b) = (of(&one), of(&other));
        assert!((a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12, "{a:?} {b:?}");
    }

    #[test]
    fn few_samples_have_no_answer_and_numbers_that_are_none_are_outside() {
        let problem = block(1.0, 0.443);
        assert!(Membership::new(&problem, samples(&problem, 1, LEAST - 1)).is_none());
        let set = Membership::new(&problem, samples(&problem, 1, LEAST)).unwrap();
        assert_eq!(set.judge(&dvector![f64::NAN, 0.0, 0.0]).verdict, Verdict::Outside);
    }
}
