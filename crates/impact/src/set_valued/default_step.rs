//! The largest increment of the impulses where none is given: [`default_step`].
//!
//! The impulses that are needed depend on the masses and on the velocity before the impact. The inelastic impact of all
//! contacts at once tells how large they are: with its largest normal impulse as increment `h`, one step in which every
//! contact takes its full increment stops all bodies.
//!
//! For one contact the number of steps then follows from sums of uniform numbers. Without restitution they must exceed 1,
//! which takes `e = 2.72` of them on average; with `e = 1` they must exceed 2, which takes `e² − e = 4.67`.
//! The chance that 10 steps do not suffice is `1/10! = 3e-7` without restitution and `(2¹⁰ − 10)/10! = 2.8e-4` with `e = 1`.
//! Several contacts that act in turn take more.
//!
//! # Source
//!
//! The mean numbers: W. Feller, *An Introduction to Probability Theory and Its Applications*, volume II, Wiley 1971,
//! section I.9 and problem XI.12.

use crate::{Law, Problem, anitescu_potra::AnitescuPotra, law::any_approach};

/// Returns the default of [`Settings::step`](super::Settings::step) (N·s, > 0): the largest normal impulse of the inelastic
/// impact of all contacts at once ([`AnitescuPotra`]).
///
/// Where this impulse is not known, because its complementarity problem is not solved or overflows, the default is the
/// impulse that stops the contact that is hardest to move, by itself and at the fastest contact velocity. The same applies
/// where no contact approaches; then no increment is drawn.
///
/// # Example
///
/// A ball of 1 kg strikes two that touch, at 1 m/s. Without restitution all three go on at 1/3 m/s, so the first contact
/// passes on 2/3 N·s and the second 1/3 N·s.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{Contact, Mass, Problem, set_valued::default_step};
///
/// let contacts = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]].map(Contact::new);
/// let mass = Mass::Matrix(DMatrix::identity(3, 3));
/// let problem = Problem::new(mass, dvector![1.0, 0.0, 0.0], contacts.to_vec())?;
/// assert!((default_step(&problem) - 2.0 / 3.0).abs() < 1e-14);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn default_step(problem: &Problem) -> f64 {
    let free = problem.borrow_free_contact_velocity();
    let fastest = free.amax();
    let [_, alone] = typical(problem, if fastest > 0.0 { fastest } else { 1.0 });
    if !any_approach(problem, free) {
        return alone;
    }
    let Ok(inelastic) = AnitescuPotra::default().answer(problem) else { return alone };
    if !inelastic.trace.status.came_to_its_end() {
        return alone;
    }
    let largest = inelastic.impulses.iter().map(|impulse| impulse.normal).fold(0.0, f64::max);
    if largest > 0.0 && largest.is_finite() { largest } else { alone }
}

/// A speed, and the impulse of the contact that is hardest to move at this speed.
pub(super) fn typical(problem: &Problem, speed: f64) -> [f64; 2] {
    let w = (0..problem.contacts().len()).map(|k| {
        let row = problem.rows(k).start;
        problem.delassus()[(row, row)]
    });
    let least = w.filter(|w| *w > 0.0).fold(f64::INFINITY, f64::min);
    let percussion = speed / least;
    [speed, if percussion.is_finite() && percussion > 0.0 { percussion } else { 1.0 }]
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, dmatrix, dvector};

    use super::*;
    use crate::{
        Contact, Mass,
        set_valued::{SetValuedRouth, Settings, Termination},
    };

    fn ball(restitution: f64) -> Problem {
        let ground = Contact::new(dvector![1.0]).with_restitution(restitution);
        Problem::new(Mass::Matrix(dmatrix![2.0]), dvector![-3.0], vec![ground]).unwrap()
    }

    #[test]
    fn one_step_stops_a_ball() {
        assert!((default_step(&ball(0.0)) - 6.0).abs() < 1e-12);
        // Restitution does not change it.
        assert!((default_step(&ball(1.0)) - 6.0).abs() < 1e-12);
    }

    /// `e` and `e² − e` steps on average; with 2¹⁴ samples and standard deviations of 0.87 and 1.2, four standard
    /// deviations of the mean are 0.04.
    #[test]
    fn a_ball_takes_as_many_steps_as_sums_of_uniform_numbers() {
        let e = std::f64::consts::E;
        for (restitution, expected) in [(0.0, e), (1.0, e * e - e)] {
            let settings = Settings { steps: 100, ..Settings::default() };
            let set = SetValuedRouth::new(settings)
                .post_impact_set(&ball(restitution), (), |_| ())
                .unwrap();
            let mean = set.statistics.mean_lcps();
            assert!((mean - expected).abs() < 0.04, "{restitution}: {mean}");
            assert_eq!(set.statistics.terminated, 1 << 14);
        }
    }

    /// Momentum scales with the masses and the velocities, and so does the default; the samples do not change.
    #[test]
    fn units_do_not_matter() {
        let strike = |mass: f64, speed: f64| {
            let contacts = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]].map(Contact::new);
            let mass = Mass::Matrix(DMatrix::identity(3, 3) * mass);
            Problem::new(mass, dvector![speed, 0.0, 0.0], contacts.to_vec()).unwrap()
        };
        let law = SetValuedRouth::new(Settings { steps: 100, ..Settings::default() });
        for index in 0..100 {
            let one = law.sample(&strike(1.0, 1.0), index).unwrap();
            let other = law.sample(&strike(4.0, 0.5), index).unwrap();
            assert_eq!(one.termination, Termination::Separated);
            let [one, other] = [one, other].map(|path| path.steps.last().unwrap().velocity.clone());
            assert!((one - other * 2.0).amax() < 1e-14);
        }
    }

    #[test]
    fn without_approach_or_contacts_there_is_still_a_step() {
        let mass = || Mass::Matrix(dmatrix![2.0]);
        let leaving = vec![Contact::new(dvector![1.0])];
        let leaving = Problem::new(mass(), dvector![3.0], leaving).unwrap();
        assert!((default_step(&leaving) - 6.0).abs() < 1e-12);
        let free = Problem::new(mass(), dvector![3.0], Vec::new()).unwrap();
        assert!(default_step(&free) > 0.0);
    }
}
