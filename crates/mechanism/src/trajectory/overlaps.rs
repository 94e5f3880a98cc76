//! Surfaces that overlap at the samples of a motion, and bodies that pass through others within a step: [`Overlap`] and
//! [`Passing`].
//!
//! A time-stepping scheme sees the contacts at the ends of its steps. A body that moves farther in a step than it and a
//! wall are thick can be on one side of the wall at one end and on the other side at the next.

use nalgebra::Vector3;
use percussion_collision::{Collider, Face, Settings, Shape, Workspace};
use percussion_dynamics::System;

use super::Trajectory;
use crate::{mechanism::Surfaces, scenario::Setup};

/// Maximum number of samples whose overlaps are examined.
const MOST_SAMPLES: usize = 200;

/// Maximum number of configurations within a step that are examined.
const MOST_PARTS: f64 = 64.0;

/// Two surfaces that overlap at a sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// Time of the sample (s).
    pub time: f64,
    /// The bodies or fixed objects with the surfaces.
    pub between: [String; 2],
    /// Depth (m), positive.
    pub depth: f64,
    /// The smaller of the smallest widths of the surfaces (m); infinite for half-spaces.
    pub thickness: f64,
}

/// Two surfaces that are apart at both ends of a step and overlap within it.
#[derive(Clone, Debug, PartialEq)]
pub struct Passing {
    /// Time at the start of the step (s).
    pub time: f64,
    /// The bodies or fixed objects with the surfaces.
    pub between: [String; 2],
    /// Distance by which the centers of the surfaces move relative to each other in the step (m).
    pub way: f64,
    /// Sum of the smallest widths of the surfaces (m).
    pub thickness: f64,
}

impl Trajectory {
    /// The deepest overlap of surfaces at up to 200 samples, evenly chosen with the last one, if the contacts are found during the
    /// motion. Limits of joints are not among them.
    #[must_use]
    pub fn deepest_overlap(&self, setup: &Setup) -> Option<Overlap> {
        let mut search = Search::new(setup)?;
        let stride = self.samples.len().div_ceil(MOST_SAMPLES).max(1);
        let mut deepest: Option<Overlap> = None;
        for sample in self.samples.iter().rev().step_by(stride) {
            for (pair, gap) in search.overlaps(&sample.coordinates) {
                if deepest.as_ref().is_none_or(|other| -gap > other.depth) {
                    let [one, two] = pair.map(|surface| search.widths[surface]);
                    deepest = Some(Overlap {
                        time: sample.time,
                        between: search.owners(pair),
                        depth: -gap,
                        thickness: one.min(two),
                    });
                }
            }
        }
        deepest
    }

    /// The first step in which a body passes through another one, if the contacts are found during the motion.
    ///
    /// Only steps that move a surface farther than its smallest width and that of the thinnest other one are examined, at up to
    /// 64 configurations between the ends, through which all bodies are taken to move uniformly. A pass that is less deep than a
    /// fourth of the widths may not be found.
    #[must_use]
    pub fn first_passing(&self, setup: &Setup) -> Option<Passing> {
        let mut search = Search::new(setup)?;
        self.samples.windows(2).find_map(|ends| {
            let passing = search.between([&ends[0].coordinates, &ends[1].coordinates])?;
            Some(Passing { time: ends[0].time, ..passing })
        })
    }
}

/// The surfaces of a mechanism, with scratch.
struct Search<'a> {
    surfaces: &'a Surfaces,
    system: &'a dyn System,
    /// The smallest width of each surface (m); infinite for half-spaces.
    widths: Vec<f64>,
    /// The smallest of them (m).
    thinnest: f64,
    workspace: Workspace,
}

impl<'a> Search<'a> {
    fn new(setup: &'a Setup) -> Option<Self> {
        let surfaces = setup.mechanism.surfaces.as_ref()?;
        let widths: Vec<f64> =
            surfaces.scene().colliders().iter().map(|one| width(one.shape())).collect();
        let thinnest = widths.iter().copied().fold(f64::INFINITY, f64::min);
        let system = setup.mechanism.model.system();
        Some(Self { surfaces, system, widths, thinnest, workspace: Workspace::default() })
    }

    /// Two surfaces that overlap between the ends of a step (coordinates) and at neither of them; the time is not known here.
    fn between(&mut self, ends: [&[f64]; 2]) -> Option<Passing> {
        // All centers of one end before those of the other, because a system keeps what it computed for its last coordinates.
        let [before, after] = ends.map(|end| self.centers(end));
        let ways = before.iter().zip(&after).map(|(before, after)| (after - before).norm());
        let excess = |(way, width): (f64, &f64)| way / (width + self.thinnest);
        let ratio = ways.zip(&self.widths).map(excess).fold(0.0, f64::max);
        // Two surfaces that each move half of this may still meet.
        if !(ratio.is_finite() && ratio > 0.5) {
            return None;
        }
        let touching = ends.map(|end| self.overlaps(end));
        let mut tangent = vec![0.0; self.system.velocity_count()];
        self.system.difference(ends[0], ends[1], &mut tangent);
        let parts = (8.0 * ratio).ceil().min(MOST_PARTS);
        let mut moved = ends[0].to_vec();
        let mut part = 1.0;
        while part < parts {
            let share: Vec<f64> = tangent.iter().map(|entry| entry * part / parts).collect();
            self.system.retract(ends[0], &share, &mut moved);
            let deep = self.overlaps(&moved).into_iter().find(|(pair, gap)| {
                let was = touching.iter().flatten().any(|(other, _)| other == pair);
                !was && -gap > 0.1 * self.thickness(*pair)
            });
            if let Some((pair, _)) = deep {
                return Some(Passing {
                    time: 0.0,
                    between: self.owners(pair),
                    way: {
                        let [one, two] = pair.map(|surface| after[surface] - before[surface]);
                        (one - two).norm()
                    },
                    thickness: self.thickness(pair),
                });
            }
            part += 1.0;
        }
        None
    }

    /// The pairs of surfaces that overlap, with their gaps (m).
    fn overlaps(&mut self, coordinates: &[f64]) -> Vec<([usize; 2], f64)> {
        let settings = Settings { proximity: 0.0 };
        // Where contacts cannot be decided there is nothing to say.
        let found = self.surfaces.scene().contacts(
            self.system,
            coordinates,
            &settings,
            &mut self.workspace,
        );
        let overlapping = found.unwrap_or_default().iter().filter(|one| one.is_overlapping());
        overlapping.map(|one| (one.id.colliders, one.gap)).collect()
    }

    fn owners(&self, pair: [usize; 2]) -> [String; 2] {
        pair.map(|surface| self.surfaces.owner(surface).to_owned())
    }

    /// The centers of all surfaces (m).
    fn centers(&self, coordinates: &[f64]) -> Vec<Vector3<f64>> {
        let center = |collider: &Collider| {
            let body = collider.body().map(|body| self.system.pose(coordinates, body));
            (body.unwrap_or_default() * collider.pose()).translation.vector
        };
        self.surfaces.scene().colliders().iter().map(center).collect()
    }

    fn thickness(&self, pair: [usize; 2]) -> f64 {
        pair.iter().map(|surface| self.widths[*surface]).sum()
    }
}

/// The smallest width of a shape (m).
fn width(shape: &Shape) -> f64 {
    match shape {
        Shape::Sphere { radius }
        | Shape::Disc { radius }
        | Shape::Capsule { radius, .. }
        | Shape::Rod { radius, .. } => 2.0 * radius,
        Shape::Box { half_extents } => 2.0 * half_extents.min(),
        Shape::Rectangle { half_extents } => 2.0 * half_extents.min(),
        Shape::Cylinder { half_height, radius } => 2.0 * half_height.min(*radius),
        Shape::Hull(hull) => {
            let below = |face: &Face| {
                let depths = hull.vertices().iter().map(|at| face.offset - face.normal.dot(at));
                depths.fold(0.0, f64::max)
            };
            hull.faces().iter().map(below).fold(f64::INFINITY, f64::min)
        }
        _ => f64::INFINITY,
    }
}
