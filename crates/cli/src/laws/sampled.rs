//! What is gathered of a set of outcomes, sample by sample.

use anyhow::{Result, ensure};
use percussion_impact::{
    Problem, SetValuedRouth,
    set_valued::{Sample, Statistics, Summary},
};
use serde::Serialize;

/// A set of outcomes, known by its samples.
#[derive(Debug)]
pub(crate) struct Sampled {
    pub(crate) statistics: Statistics,
    /// The first velocities, as many as were to be kept.
    pub(crate) velocities: Vec<Vec<f64>>,
    /// Of each entry of the velocity (m/s, rad/s).
    pub(crate) velocity: Range,
    /// Of each row of the contact velocity (m/s).
    pub(crate) contact_velocity: Range,
    /// Of the kinetic energy (J).
    pub(crate) energy: Range,
}

/// The bounding box of some vectors.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Range {
    pub(crate) lowest: Vec<f64>,
    pub(crate) highest: Vec<f64>,
}

impl Sampled {
    pub(super) fn new(
        law: &SetValuedRouth,
        keep: usize,
        problem: &Problem,
        progress: &dyn Fn(f64),
    ) -> Result<Self> {
        ensure!(
            !law.settings.step.is_nan(),
            "setting `step` is missing, expected the largest increment of a normal percussion (N·s), \
             such as a tenth of what stops the bodies"
        );
        let samples = law.settings.samples as f64;
        let gathered = Gathered {
            problem,
            keep,
            velocities: Vec::new(),
            velocity: Range::empty(problem.dimension()),
            contact_velocity: Range::empty(problem.contact_jacobian().nrows()),
            energy: Range::empty(1),
        };
        let set = law.post_impact_set(problem, gathered, |done| progress(done as f64 / samples))?;
        let Gathered { velocities, velocity, contact_velocity, energy, .. } = set.summary;
        Ok(Self { statistics: set.statistics, velocities, velocity, contact_velocity, energy })
    }
}

#[derive(Clone, Debug)]
struct Gathered<'a> {
    problem: &'a Problem,
    keep: usize,
    velocities: Vec<Vec<f64>>,
    velocity: Range,
    contact_velocity: Range,
    energy: Range,
}

impl Summary for Gathered<'_> {
    fn record(&mut self, sample: &Sample<'_>) {
        if self.velocities.len() < self.keep {
            self.velocities.push(sample.velocity.as_slice().to_vec());
        }
        self.velocity.widen(sample.velocity.as_slice());
        self.contact_velocity.widen(sample.contact_velocity.as_slice());
        self.energy.widen(&[self.problem.kinetic_energy(sample.velocity)]);
    }

    fn merge(&mut self, later: Self) {
        let room = self.keep.saturating_sub(self.velocities.len());
        self.velocities.extend(later.velocities.into_iter().take(room));
        self.velocity.merge(&later.velocity);
        self.contact_velocity.merge(&later.contact_velocity);
        self.energy.merge(&later.energy);
    }
}

impl Range {
    fn empty(length: usize) -> Self {
        Self { lowest: vec![f64::INFINITY; length], highest: vec![f64::NEG_INFINITY; length] }
    }

    fn widen(&mut self, values: &[f64]) {
        self.merge_with(values, values);
    }

    fn merge(&mut self, other: &Self) {
        self.merge_with(&other.lowest, &other.highest);
    }

    fn merge_with(&mut self, lowest: &[f64], highest: &[f64]) {
        for (own, value) in self.lowest.iter_mut().zip(lowest) {
            *own = own.min(*value);
        }
        for (own, value) in self.highest.iter_mut().zip(highest) {
            *own = own.max(*value);
        }
    }
}
