//! Outcomes of laws as motions: [`Played`].

use nalgebra::DVector;
use percussion_impact::{
    Impulse, Outcome,
    laws::{Answer, sampled::Sampled},
};
use percussion_record::view::{Motion, SetPlane, View};

use super::ImpactStage;

/// Maximum number of outcomes of a law that are played.
const OUTCOMES: usize = 200;

/// Maximum number of cells of a set that are drawn in a plane.
const CELLS: usize = 4000;

/// The motions that a page plays for the results of laws for one impact.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Played {
    /// The motions, in the order of the results.
    pub motions: Vec<Motion>,
    /// Planes of the sets among the results.
    pub sets: Vec<SetPlane>,
}

impl Played {
    /// Appends the motions and planes of another result.
    pub fn extend(&mut self, other: Self) {
        self.motions.extend(other.motions);
        self.sets.extend(other.sets);
    }
}

impl ImpactStage {
    /// The motions for the result of `law`: its outcome, or the first 200 of several outcomes. For a set they
    /// are the outcomes with the smallest and the largest contact velocities, followed by the first 200
    /// outcomes, and its planes are included.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_impact::laws::{Choice, Name};
    /// use percussion_mechanism::{impacts::ImpactScenario, view::ImpactStage};
    ///
    /// let impact = ImpactScenario::from_path("fixtures/compat/impacts/rocking-block.toml")?.build()?;
    /// let stage = ImpactStage::new(&impact);
    /// let answer = Choice::new(Name::Poisson, vec![], None)?.answer(&impact.problem, &|_share| ())?;
    /// let played = stage.play("poisson", &answer);
    /// assert_eq!(played.motions[0].name, "poisson");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn play(&self, law: &str, answer: &Answer) -> Played {
        let one = |name: &str, outcome: &Outcome| {
            self.finite(name, None, &outcome.velocity, &outcome.impulses)
        };
        match answer {
            Answer::One(outcome) => {
                Played { motions: one(law, outcome).into_iter().collect(), sets: Vec::new() }
            }
            Answer::Several(several) => {
                let several = several.outcomes.iter().take(OUTCOMES).zip(1_u32..);
                let motions =
                    several.filter_map(|(outcome, k)| one(&format!("{law} {k}"), outcome));
                Played { motions: motions.collect(), sets: Vec::new() }
            }
            Answer::Set(sampled) => Played {
                motions: self.samples(law, sampled),
                sets: sampled
                    .planes
                    .iter()
                    .map(|plane| {
                        let outcomes = plane.coverage.cells().map(|cell| cell.point).take(CELLS);
                        self.set_plane(plane.contact, plane.hull.polygon().vertices(), outcomes)
                    })
                    .collect(),
            },
        }
    }

    /// The view of these motions and planes.
    #[must_use]
    pub fn played(&self, played: Played) -> View {
        self.view(played.motions, played.sets)
    }

    /// The outcomes of a set with the smallest or largest contact velocities, and the first ones.
    fn samples(&self, law: &str, sampled: &Sampled) -> Vec<Motion> {
        let extremes = sampled.extreme_outcomes(self.problem()).map(|extreme| {
            let what = if extreme.component == 0 { "separation" } else { "sliding" };
            let contact = self.contact_name(extreme.contact);
            let name = format!("{law}, {} {what} at {contact}", extreme.side());
            (name, extreme.sample, extreme.velocity.clone())
        });
        let first = sampled.velocities.iter().take(OUTCOMES).zip(0..);
        let first = first.map(|(velocity, number)| {
            let velocity = DVector::from_column_slice(velocity);
            (format!("{law}, outcome {number}"), number, velocity)
        });
        extremes
            .chain(first)
            .filter_map(|(name, number, velocity)| self.finite(&name, Some(number), &velocity, &[]))
            .collect()
    }

    /// The motion of an outcome; `None` if it overflowed.
    fn finite(
        &self,
        name: &str,
        sample: Option<u64>,
        velocity: &DVector<f64>,
        impulses: &[Impulse],
    ) -> Option<Motion> {
        let is_finite = velocity.iter().all(|value| value.is_finite());
        is_finite.then(|| self.motion(name, sample, velocity, impulses))
    }
}
