//! The results that are collected from a set of outcomes, sample by sample.

use std::ops::ControlFlow;

use nalgebra::DVector;

use crate::{
    Problem,
    certificate::is_inelastic,
    friction_cone::{self, FrictionCone},
    guarantee::{Cover, LcpBound, closing_distance, frictionless_lipschitz, unseen},
    law,
    outcome::Status,
    outcome_set::{Bounds, Collect, Coverage, Extremes, Hull, Modes, Order, Plane},
    outer_bounds::{self, Intervals, OuterBounds},
    set_valued::{Draws, Sample, SetValuedRouth, Statistics, Summary},
};

/// Number of cells of a plane from rest to the fastest contact velocity before the impact.
const CELLS: f64 = 100.0;

/// A set of outcomes, represented by its samples.
#[derive(Debug)]
#[non_exhaustive]
pub struct Sampled {
    /// How the samples ended.
    pub status: Status,
    /// Largest increment of a normal impulse in a step (N·s).
    pub step: f64,
    /// Counts of the samples.
    pub statistics: Statistics,
    /// Number of samples in the settings (≥ 1); fewer are drawn if the caller ends the work.
    pub asked: u64,
    /// The box around the outcomes.
    pub bounds: Bounds,
    /// Smallest and largest kinetic energy (J).
    pub energy: [f64; 2],
    /// How often contacts end in each mode.
    pub modes: Modes,
    /// One plane for each contact with tangents.
    pub planes: Vec<ContactPlane>,
    /// For each row of `J` the outcomes where it is smallest and largest, in this order.
    pub extremes: Extremes,
    /// The first velocities, up to the number to be kept.
    pub velocities: Vec<Vec<f64>>,
    /// Whether impulses can cancel, or why this is not known.
    pub cone: Result<FrictionCone, friction_cone::Error>,
    /// What the number of samples proves.
    pub guarantee: Guarantee,
    /// Approach that counts as none, as a fraction of the fastest contact velocity before the impact.
    pub tolerance: f64,
}

/// Plane of the sliding along the first tangent of a contact and its separation (m/s).
#[derive(Debug)]
#[non_exhaustive]
pub struct ContactPlane {
    /// Position of the contact.
    pub contact: usize,
    /// The convex hull of the outcomes.
    pub hull: Hull,
    /// The cells that outcomes lie in.
    pub coverage: Coverage,
    /// Side of a cell of the coverage (m/s).
    pub cell: f64,
}

/// The outcome where a component of a contact velocity is smallest or largest.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ExtremeOutcome<'a> {
    /// Position of the contact.
    pub contact: usize,
    /// 0 for the normal velocity, then the tangential ones.
    pub component: usize,
    /// Whether it is the largest.
    pub is_highest: bool,
    /// The component (m/s).
    pub value: f64,
    /// Number of the sample.
    pub sample: u64,
    /// The velocity after the impact (length `n_v`).
    pub velocity: &'a DVector<f64>,
}

impl ExtremeOutcome<'_> {
    /// `lowest` or `highest`.
    #[must_use]
    pub const fn side(&self) -> &'static str {
        if self.is_highest { "highest" } else { "lowest" }
    }
}

/// Guarantees from the number of samples; each may fail with the probability `failure`.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Guarantee {
    /// `δ`.
    pub failure: f64,
    /// Upper bound of the probability that one more sample that ends lies outside the bounding box.
    pub outside: Option<f64>,
    /// `ε` for the draws, in the unit of the largest increment.
    pub radius_of_draws: Option<f64>,
    /// Distance of the outcomes of as many steps from those found, in the metric of kinetic energy (√J): `ε`
    /// plus the effect of the last small step. Known without friction and restitution, if every sample ended.
    pub radius_of_outcomes: Option<f64>,
    /// Upper bound of the mean number of LCPs of a sample.
    pub mean_lcps: Option<f64>,
    /// Upper bound of the probability that a sample needs more LCPs than its limit.
    pub more_lcps: Option<f64>,
}

impl Sampled {
    /// Samples the outcomes of `law`. The first `keep` velocities are kept, and the guarantees may fail with
    /// the probability `failure`. `watch` is called with the completed fraction; if it breaks, the set has fewer samples.
    ///
    /// # Errors
    ///
    /// As [`SetValuedRouth::post_impact_set_while`].
    pub fn new(
        law: &SetValuedRouth,
        (keep, failure): (usize, f64),
        problem: &Problem,
        watch: &dyn Fn(f64) -> ControlFlow<()>,
    ) -> Result<Self, law::Error> {
        let law = &SetValuedRouth::new(law.settings.for_problem(problem));
        let settings = &law.settings;
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
        let share = |done: u64| done as f64 / samples;
        let set = law.post_impact_set_while(problem, summary, |done| watch(share(done)))?;

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
            step: settings.step,
            statistics: set.statistics,
            asked: settings.samples,
            bounds,
            energy: [energy.lowest, energy.highest],
            tolerance: settings.tolerance,
            modes,
            planes: planes.collect(),
            extremes,
            velocities,
            cone,
            guarantee,
        })
    }

    /// Whether the caller has ended the work before all samples were drawn.
    #[must_use]
    pub const fn is_cut(&self) -> bool {
        self.statistics.samples < self.asked
    }

    /// For each row of `J` of `problem`, the outcome where it is smallest, then the one where it is largest;
    /// empty before the first sample. `problem` must be the one that was sampled.
    pub fn extreme_outcomes(&self, problem: &Problem) -> impl Iterator<Item = ExtremeOutcome<'_>> {
        let rows = (0..problem.contacts().len())
            .flat_map(|contact| (0..problem.rows(contact).len()).map(move |row| (contact, row)))
            .collect::<Vec<_>>();
        let sides = rows.into_iter().flat_map(|row| [(row, false), (row, true)]);
        let extremes = sides.zip(self.extremes.extremes());
        extremes.filter_map(|(((contact, component), is_highest), extreme)| {
            let extreme = extreme.as_ref()?;
            let value = if is_highest { extreme.value } else { -extreme.value };
            let (sample, velocity) = (extreme.index, &extreme.velocity);
            Some(ExtremeOutcome { contact, component, is_highest, value, sample, velocity })
        })
    }

    /// Intervals that provably contain every outcome of `problem`, also those that were not sampled. They are computed
    /// here and not with the samples, because their linear programs take time.
    ///
    /// # Errors
    ///
    /// [`outer_bounds::Error::Argument`] when [`tolerance`](Self::tolerance) is outside its range.
    pub fn outer_bounds(&self, problem: &Problem) -> Result<Intervals, outer_bounds::Error> {
        let settings = outer_bounds::Settings {
            tolerance: self.tolerance,
            ..outer_bounds::Settings::default()
        };
        Ok(OuterBounds::new(problem, &settings)?.all())
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
        // All guarantees require independent draws.
        if settings.draws != Draws::Random {
            return guarantee;
        }
        // What is proven of steps and of distances is proven of implicit steps.
        let implicit = is_inelastic(problem);
        if let (Some(FrictionCone::Pointed(pointed)), true) = (cone, implicit) {
            let bound = LcpBound::new(problem, pointed, settings.step).ok();
            guarantee.mean_lcps = bound.map(|bound| bound.mean());
            guarantee.more_lcps = bound.map(|bound| bound.tail(settings.steps as u64));
        }
        // Two for every velocity, for every contact velocity, and for the energy.
        let sides = 2 * (problem.dimension() + problem.contact_jacobian().nrows() + 1) as u64;
        let ended = statistics.terminated + statistics.closed;
        guarantee.outside = unseen(ended, sides, failure).ok();
        let dimension = (settings.steps * problem.contacts().len()) as u64;
        let lipschitz = frictionless_lipschitz(problem, settings.step, settings.steps);
        guarantee.radius_of_draws = radius(dimension, 1.0, settings.samples, failure);
        if ended == settings.samples && implicit {
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
