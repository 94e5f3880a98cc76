//! A set of outcomes as `impact --json` prints it.

use std::path::PathBuf;

use anyhow::Result;
use percussion_impact::{
    Problem, RestitutionUse, Status,
    certificate::Claims,
    friction_cone::FrictionCone,
    laws::sampled::{self, ExtremeOutcome, Sampled},
    outcome_set::Bounds,
    outer_bounds::Intervals,
    set_valued::Statistics,
};
use serde::Serialize;

use crate::output::name_of;

/// A set of outcomes, given by samples; bounds, modes and planes cover the samples that ended without
/// approach.
#[derive(Debug, Serialize)]
pub(super) struct Set {
    /// That of the law, or `time-limit` if samples are missing.
    pub(super) status: String,
    #[serde(skip)]
    pub(super) is_resolved: bool,
    /// Number of samples that were wanted.
    pub(super) asked: u64,
    /// Use of nonzero coefficients of restitution by the law.
    pub(super) restitution: RestitutionUse,
    /// Largest increment of a normal impulse in a step (N·s).
    pub(super) step: f64,
    pub(super) statistics: SetStatistics,
    /// The bounding box; `None` if no sample ended.
    pub(super) bounds: Option<BoundingBox>,
    /// Intervals that provably contain every outcome, also those that were not sampled.
    pub(super) outer_bounds: OuterBounds,
    pub(super) modes: Modes,
    pub(super) planes: Vec<Plane>,
    pub(super) extremes: Vec<Extreme>,
    pub(super) friction_cone: Cone,
    pub(super) guarantee: Guarantee,
    pub(super) velocities: Vec<Vec<f64>>,
    /// Written files.
    pub(super) files: Vec<PathBuf>,
}

#[derive(Debug, Serialize)]
pub(super) struct SetStatistics {
    #[serde(flatten)]
    pub(super) samples: Statistics,
    pub(super) mean_lcps: f64,
    pub(super) max_lcps: usize,
}

/// The bounding box.
#[derive(Debug, Serialize)]
pub(super) struct BoundingBox {
    pub(super) velocity: [Vec<f64>; 2],
    pub(super) contact_velocity: [Vec<f64>; 2],
    /// Smallest and largest kinetic energy (J).
    pub(super) energy: [f64; 2],
}

/// Intervals that provably contain every outcome; a bound that is not known is infinite, `null` in the document.
#[derive(Debug, Serialize)]
pub(super) struct OuterBounds {
    #[serde(flatten)]
    pub(super) ends: BoundingBox,
    /// Upper bound of the sum of the normal impulses (N·s).
    pub(super) impulse: f64,
}

/// Frequencies of the contact modes.
#[derive(Debug, Serialize)]
pub(super) struct Modes {
    /// Contact velocity that counts as zero (m/s).
    pub(super) threshold: f64,
    pub(super) joint: Vec<JointMode>,
    /// Samples whose mode is not listed.
    pub(super) unlisted: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct JointMode {
    pub(super) contacts: Vec<String>,
    pub(super) count: u64,
    /// The first sample of the mode.
    pub(super) first: u64,
}

/// The set in the plane of two velocities of a contact: separation, and sliding along the first tangent.
#[derive(Debug, Serialize)]
pub(super) struct Plane {
    pub(super) contact: usize,
    /// Vertices of the convex hull (m/s), counterclockwise.
    pub(super) hull: Vec<[f64; 2]>,
    /// Its area (m²/s²).
    pub(super) area: f64,
    /// Side of a cell of the coverage (m/s).
    pub(super) cell: f64,
    /// Number of cells that were reached.
    pub(super) cells: usize,
    /// Estimated probability that the next outcome reaches a new cell.
    pub(super) new_cell_rate: f64,
    /// The first outcome in each cell.
    #[serde(skip)]
    pub(super) points: Vec<[f64; 2]>,
}

/// The outcome where a component of a contact velocity is smallest or largest.
#[derive(Debug, Serialize)]
pub(super) struct Extreme {
    pub(super) contact: usize,
    /// Index of the component: 0 for the normal velocity, then the tangential ones.
    pub(super) component: usize,
    pub(super) side: &'static str,
    /// Value of the component (m/s).
    pub(super) value: f64,
    pub(super) sample: u64,
    pub(super) velocity: Vec<f64>,
}

/// Whether impulses can cancel.
#[derive(Debug, Serialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub(super) enum Cone {
    /// Impulses cannot cancel.
    Pointed {
        direction: Vec<f64>,
        /// Least push `c` of a unit impulse (kg^−½).
        constant: f64,
        constant_bound: f64,
    },
    /// Impulses that cancel, one entry for each row of the contacts (N·s).
    Jammed { impulse: Vec<f64>, resultant: f64 },
    /// Neither case could be proved.
    Undecided { error: Option<String> },
}

/// Bounds for independent draws and steps solved exactly; null where nothing is known. Each of the first three is wrong
/// with a probability of at most `failure`; those of the LCPs hold without exception.
#[derive(Debug, Serialize)]
pub(super) struct Guarantee {
    pub(super) failure: f64,
    pub(super) outside_bounds: Option<f64>,
    pub(super) radius_of_draws: Option<f64>,
    pub(super) radius_of_outcomes: Option<f64>,
    pub(super) mean_lcps: Option<f64>,
    pub(super) more_lcps: Option<f64>,
}

impl Set {
    pub(super) fn new(problem: &Problem, claims: &Claims, sampled: Sampled) -> Result<Self> {
        let is_cut = sampled.is_cut();
        let outer_bounds = sampled.outer_bounds(problem)?.into();
        let planes = sampled.planes.iter().map(plane).collect();
        let extremes = extremes(problem, &sampled);
        let Sampled {
            status,
            step,
            statistics,
            asked,
            bounds,
            energy,
            modes,
            velocities,
            cone,
            guarantee,
            ..
        } = sampled;
        let ended = statistics.terminated + statistics.closed;
        let joint = modes.joint().into_iter().map(|mode| JointMode {
            contacts: mode.contacts.iter().map(ToString::to_string).collect(),
            count: mode.count,
            first: mode.first,
        });
        let (mean_lcps, max_lcps) = (statistics.mean_lcps(), statistics.max_lcps());
        Ok(Self {
            status: if is_cut { "time-limit".to_owned() } else { name_of(&status) },
            is_resolved: status == Status::Resolved,
            asked,
            restitution: claims.restitution_of(problem),
            step,
            statistics: SetStatistics { samples: statistics, mean_lcps, max_lcps },
            bounds: (ended > 0).then(|| BoundingBox::new(bounds, energy)),
            outer_bounds,
            modes: Modes {
                threshold: modes.threshold(),
                joint: joint.collect(),
                unlisted: modes.unlisted(),
            },
            planes,
            extremes,
            friction_cone: match cone {
                Ok(cone) => Cone::new(problem, cone),
                Err(error) => Cone::Undecided { error: Some(error.to_string()) },
            },
            guarantee: guarantee.into(),
            velocities,
            files: Vec::new(),
        })
    }
}

impl BoundingBox {
    fn new(bounds: Bounds, energy: [f64; 2]) -> Self {
        Self {
            velocity: [bounds.velocity_min, bounds.velocity_max].map(|ends| ends.data.into()),
            contact_velocity: [bounds.contact_velocity_min, bounds.contact_velocity_max]
                .map(|ends| ends.data.into()),
            energy,
        }
    }
}

impl From<Intervals> for OuterBounds {
    fn from(outer: Intervals) -> Self {
        let ends = BoundingBox {
            velocity: [outer.velocity_min, outer.velocity_max].map(|ends| ends.data.into()),
            contact_velocity: [outer.contact_velocity_min, outer.contact_velocity_max]
                .map(|ends| ends.data.into()),
            energy: outer.energy,
        };
        Self { ends, impulse: outer.impulse }
    }
}

impl Cone {
    fn new(problem: &Problem, cone: FrictionCone) -> Self {
        match cone {
            FrictionCone::Pointed(pointed) => Self::Pointed {
                direction: pointed.direction.data.into(),
                constant: pointed.constant,
                constant_bound: pointed.constant_bound,
            },
            FrictionCone::Jammed(jam) => {
                Self::Jammed { resultant: jam.resultant(problem), impulse: jam.impulse.data.into() }
            }
            _ => Self::Undecided { error: None },
        }
    }
}

impl From<sampled::Guarantee> for Guarantee {
    fn from(guarantee: sampled::Guarantee) -> Self {
        Self {
            failure: guarantee.failure,
            outside_bounds: guarantee.outside,
            radius_of_draws: guarantee.radius_of_draws,
            radius_of_outcomes: guarantee.radius_of_outcomes,
            mean_lcps: guarantee.mean_lcps,
            more_lcps: guarantee.more_lcps,
        }
    }
}

fn plane(plane: &sampled::ContactPlane) -> Plane {
    let polygon = plane.hull.polygon();
    let cells = plane.coverage.cells();
    Plane {
        contact: plane.contact,
        hull: polygon.vertices().to_vec(),
        area: polygon.area(),
        cell: plane.cell,
        cells: cells.len(),
        new_cell_rate: plane.coverage.new_cell_rate(),
        points: plane.coverage.cells().map(|cell| cell.point).collect(),
    }
}

fn extremes(problem: &Problem, sampled: &Sampled) -> Vec<Extreme> {
    let extreme = |extreme: ExtremeOutcome<'_>| Extreme {
        contact: extreme.contact,
        component: extreme.component,
        side: extreme.side(),
        value: extreme.value,
        sample: extreme.sample,
        velocity: extreme.velocity.as_slice().to_vec(),
    };
    sampled.extreme_outcomes(problem).map(extreme).collect()
}
