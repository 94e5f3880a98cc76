//! Samples for the impacts of a motion: [`Member`].
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), section 7, who propose samples of the set through time.

use super::{Draws, SetValuedRouth};
use crate::{
    Law, Outcome, Problem,
    certificate::Claims,
    law::{Error, judged},
};

/// One of many motions whose impacts have drawn outcomes: the impact with the number `k` of member `m` has the sample with the
/// index `m · 2³² + k`.
///
/// So every impact of every member has random numbers of its own, and each can be followed again by
/// [`SetValuedRouth::sample`] with [`index`](Self::index). [`SetValuedRouth`] itself is member 0.
///
/// # Example
///
/// Of two impacts of the same kind, in one motion or in two, each has an outcome of its own.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{Contact, Law, Mass, Problem, set_valued::{Member, SetValuedRouth}};
///
/// let contacts = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]];
/// let contacts = contacts.map(|normal| Contact::new(normal).with_restitution(1.0));
/// let mass = Mass::Matrix(DMatrix::identity(3, 3));
/// let problem = Problem::new(mass, dvector![1.0, 0.0, 0.0], contacts.to_vec())?;
///
/// let [one, two] = [0, 1].map(|member| Member::new(SetValuedRouth::default(), member));
/// let (one, two) = (one?, two?);
/// let outcomes = |member: &Member| -> Result<Vec<_>, percussion_impact::Error> {
///     (0..20).map(|impact| Ok(member.resolve_numbered(&problem, impact)?.velocity)).collect()
/// };
/// let drawn = outcomes(&one)?;
/// assert!(drawn.iter().any(|velocity| *velocity != drawn[0])); // by impact
/// assert_ne!(drawn, outcomes(&two)?); // by motion
/// assert_eq!(drawn, outcomes(&one)?); // the same again
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    law: SetValuedRouth,
    number: u32,
}

impl Member {
    /// The member with this number of the motions with the law `law`.
    ///
    /// # Errors
    ///
    /// [`Error::Draws`] for Sobol's sequence: its points are even over the samples of one impact, and those of different
    /// impacts would depend on each other.
    pub const fn new(law: SetValuedRouth, number: u32) -> Result<Self, Error> {
        match law.settings.draws {
            Draws::Random => Ok(Self { law, number }),
            Draws::Sobol => Err(Error::Draws),
        }
    }

    /// Index of the sample for the impact with this number; numbers from 2³² on repeat.
    #[must_use]
    pub const fn index(&self, impact: u64) -> u64 {
        ((self.number as u64) << 32) | (impact & 0xffff_ffff)
    }
}

impl Law for Member {
    fn name(&self) -> &'static str {
        self.law.name()
    }

    fn claims(&self, problem: &Problem) -> Claims {
        self.law.claims(problem)
    }

    fn answer(&self, problem: &Problem) -> Result<Outcome, Error> {
        self.law.answer_by_sample(problem, self.index(0))
    }

    fn resolve_numbered(&self, problem: &Problem, number: u64) -> Result<Outcome, Error> {
        let answer = self.law.answer_by_sample(problem, self.index(number))?;
        judged(problem, &self.claims(problem), answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::set_valued::Settings;

    #[test]
    fn members_and_impacts_have_samples_of_their_own() {
        let member = |number| Member::new(SetValuedRouth::default(), number).unwrap();
        assert_eq!(member(0).index(7), 7);
        assert_eq!(member(3).index(7), 3 * (1 << 32) + 7);
        assert_eq!(member(u32::MAX).index(0xffff_ffff), u64::MAX);
    }

    #[test]
    fn a_sequence_that_is_even_over_one_impact_is_refused() {
        let law = SetValuedRouth::new(Settings { draws: Draws::Sobol, ..Settings::default() });
        let refused = Member::new(law, 0).unwrap_err().to_string();
        assert!(
            refused.contains("`draws` is `sobol`") && refused.contains("`random`"),
            "{refused}"
        );
    }
}
