//! What is gathered of a set of outcomes, sample by sample.

use anyhow::{Result, ensure};
use percussion_impact::{
    Problem, SetValuedRouth,
    friction_cone::{self, FrictionCone},
    guarantee::{Cover, LcpBound, closing_distance, frictionless_lipschitz, unseen},
    outcome::Status,
    outcome_set::{Bounds, Collect, Coverage, Extremes, Hull, Modes, Order, Plane},
    set_valued::{Draws, Sample, Statistics, Summary},
};

/// Cells of a plane from rest to the fastest contact velocity before the impact.
const CELLS: f64 = 100.0;

/// A set of outcomes, known by its samples.
#[derive(Debug)]
pub(crate) struct Sampled {
    pub(crate) status: Status,
    pub(crate) statistics: Statistics,
    pub(crate) bounds: Bounds,
    /// Smallest and largest kinetic energy (J).
    pub(crate) energy: [f64; 2],
    pub(crate) modes: Modes,
    /// Of each contact with tangents.
    pub(crate) planes: Vec<ContactPlane>,
    /// For each row of `J` the outcomes where it is smallest and largest, one after the other.
    pub(crate) extremes: Extremes,
    /// The first velocities, as many as were to be kept.
    pub(crate) velocities: Vec<Vec<f64>>,
    /// Whether percussions can cancel, or why that is not known.
    pub(crate) cone: Result<FrictionCone, friction_cone::Error>,
    pub(crate) guarantee: Guarantee,
}

/// Sliding along the first tangent of a contact against its separation (m/s).
#[derive(Debug)]
pub(crate) struct ContactPlane {
    /// Position of the contact.
    pub(crate) contact: usize,
    pub(crate) hull: Hull,
    pub(crate) coverage: Coverage,
    /// Side of a cell of the coverage (m/s).
    pub(crate) cell: f64,
}

/// What the number of samples proves, but for the probability `failure`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Guarantee {
    /// `δ`.
    pub(crate) failure: f64,
    /// Probability that one more sample that ends lies outside of the bounding box, at most.
    pub(crate) outside: Option<f64>,
    /// `ε` for the draws, in the unit of the largest increment.
    pub(crate) radius_of_draws: Option<f64>,
    /// Distance of the outcomes of as many steps from those found, in the metric of kinetic energy (√J):
    /// `ε` and what the last small step moves; known without friction where every sample ended.
    pub(crate) radius_of_outcomes: Option<f64>,
    /// Bound of the mean number of LCPs of a sample.
    pub(crate) mean_lcps: Option<f64>,
    /// Bound of the probability that a sample needs more LCPs than it is given.
    pub(crate) more_lcps: Option<f64>,
}

impl Sampled {
    /// The first `keep` velocities are kept, and guarantees hold but for the probability `failure`.
    pub(super) fn new(
        law: &SetValuedRouth,
        (keep, failure): (usize, f64),
        problem: &Problem,
        progress: &dyn Fn(f64),
    ) -> Result<Self> {
        let settings = &law.settings;
        ensure!(
            !settings.step.is_nan(),
            "setting `step` is missing, expected the largest increment of a normal percussion (N·s), \
             such as a tenth of what stops the bodies"
        );
        let cell = problem.free_contact_velocity().amax().max(f64::MIN_POSITIVE) / CELLS;
        let planes: Vec<_> = (0..problem.contacts().len())
            .filter_map(|contact| Some((contact, Plane::of_contact(problem, contact)?)))
            .collect();
        let hulls: Vec<_> = planes.iter().map(|(_, plane)| Hull::new(plane.clone())).collect();
        let coverages: Vec<_> =
            planes.iter().map(|(_, plane)| Coverage::new(plane.clone(), cell)).collect();
        let rows = problem.contact_jacobian().row_iter().map(|row| row.transpose());
        let extremes = Extremes::new(rows.flat_map(|row| [-&row, row]).collect());
        let summary = (
            (Bounds::new(problem), Energy::new(problem), Modes::new(problem)),
            (hulls, coverages),
            (extremes, Collect::new(keep, Order::First)),
        );
        let samples = settings.samples as f64;
        let set = law.post_impact_set(problem, summary, |done| progress(done as f64 / samples))?;

        let ((bounds, energy, modes), (hulls, coverages), (extremes, kept)) = set.summary;
        let planes = planes.iter().zip(hulls).zip(coverages);
        let planes = planes.map(|(((contact, _), hull), coverage)| ContactPlane {
            contact: *contact,
            hull,
            coverage,
            cell,
        });
        let velocities =
            kept.outcomes().iter().map(|one| one.velocity.as_slice().to_vec()).collect();
        let directions = settings.directions;
        let cone = friction_cone::analyze(
            problem,
            &friction_cone::Settings { directions, ..friction_cone::Settings::default() },
        );
        let guarantee = Guarantee::new(law, failure, problem, &set.statistics, cone.as_ref().ok());
        Ok(Self {
            status: law.status(problem, &set.statistics),
            statistics: set.statistics,
            bounds,
            energy: [energy.lowest, energy.highest],
            modes,
            planes: planes.collect(),
            extremes,
            velocities,
            cone,
            guarantee,
        })
    }
}

impl Guarantee {
    fn new(
        law: &SetValuedRouth,
        failure: f64,
        problem: &Problem,
        statistics: &Statistics,
        cone: Option<&FrictionCone>,
    ) -> Self {
        let settings = &law.settings;
        let mut guarantee = Self { failure, ..Self::default() };
        // All of it rests on draws that are independent.
        if settings.draws != Draws::Random {
            return guarantee;
        }
        if let Some(FrictionCone::Pointed(pointed)) = cone {
            let bound = LcpBound::new(problem, pointed, settings.step).ok();
            guarantee.mean_lcps = bound.map(|bound| bound.mean());
            guarantee.more_lcps = bound.map(|bound| bound.tail(settings.steps as u64));
        }
        // Two of every velocity, of every contact velocity, and of the energy.
        let sides = 2 * (problem.dimension() + problem.contact_jacobian().nrows() + 1) as u64;
        let ended = statistics.terminated + statistics.closed;
        guarantee.outside = unseen(ended, sides, failure).ok();
        let dimension = (settings.steps * problem.contacts().len()) as u64;
        let lipschitz = frictionless_lipschitz(problem, settings.step, settings.steps);
        guarantee.radius_of_draws = radius(dimension, 1.0, settings.samples, failure);
        if ended == settings.samples {
            let last =
                if statistics.closed > 0 { settings.closing_step * settings.step } else { 0.0 };
            guarantee.radius_of_outcomes = lipschitz
                .and_then(|lipschitz| radius(dimension, lipschitz, settings.samples, failure))
                .map(|radius| radius + closing_distance(problem, last));
        }
        guarantee
    }
}

fn radius(dimension: u64, lipschitz: f64, samples: u64, failure: f64) -> Option<f64> {
    Cover::new(dimension, lipschitz).ok()?.radius_for(samples, failure).ok()
}

/// The smallest and the largest kinetic energy (J).
#[derive(Clone, Debug)]
struct Energy<'a> {
    problem: &'a Problem,
    lowest: f64,
    highest: f64,
}

impl<'a> Energy<'a> {
    const fn new(problem: &'a Problem) -> Self {
        Self { problem, lowest: f64::INFINITY, highest: f64::NEG_INFINITY }
    }
}

impl Summary for Energy<'_> {
    fn record(&mut self, sample: &Sample<'_>) {
        let energy = self.problem.kinetic_energy(sample.velocity);
        self.lowest = self.lowest.min(energy);
        self.highest = self.highest.max(energy);
    }

    fn merge(&mut self, later: Self) {
        self.lowest = self.lowest.min(later.lowest);
        self.highest = self.highest.max(later.highest);
    }
}
