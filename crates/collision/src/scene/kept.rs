//! Pairs of colliders that are kept from search to search: [`Kept`].
//!
//! At a *reference* position the pairs within reach and a slack are listed. The points of a body, which are at most `R` from the origin
//! of its frame, have since moved by at most `‖m‖ + t`, and those of two bodies beside each other by at most `d`,
//!
//! ```math
//! m = x - x^\circ, \quad t = 2 R\, \lVert q - q^\circ \rVert, \qquad d_{ij} = \lVert m_i - m_j \rVert + t_i + t_j
//! ```
//!
//! with positions `x` and unit quaternions `q`: a turn by `θ` moves a point by at most `2 R sin(θ/2)`, and quaternions by `2 sin(θ/4)`.
//! While each body has moved by less than its slack, the listed pairs are all that can be within reach; then the
//! current position becomes the reference. A pair without features near was moreover at least its *clearance* `c` apart when it was
//! last examined. With the `d` of that time subtracted from `c`, it is at least `c − d` apart now, and while this is out of reach
//! it is not examined. What falls as a whole has a small `d`. Where neither body has moved at all, what was found is found again.
//!
//! What is found is the same as by a search without a reference, whose lists are larger or smaller only by pairs without features near.
//!
//! - **Needs** nothing of the motion: the bounds hold however far bodies move from one search to the next.
//! - **Does not** keep pairs of a scene in which a body carries a half-space, whose points move without bound.
//! - **Cost** of a search some 20 operations for each body, and those of the pairs that touch or nearly touch.
//! - **Deterministic**.
//!
//! # Source
//!
//! L. Verlet, "Computer experiments on classical fluids. I. Thermodynamical properties of Lennard-Jones molecules", *Physical Review* 159
//! (1967) 98–103 (lists of near pairs with a margin). The bounds are derived here.

use nalgebra::{Isometry3, Vector3};
use percussion_dynamics::{Dimension, System};

use super::{Scene, SceneError, Workspace, append};
use crate::{contact, contact::Found, reach::Reach, solid::Placed};

/// Slack of a body: a fraction of its radius, and multiples of its reach, which is about the way of a step.
const OF_RADIUS: f64 = 0.05;
const OF_REACH: f64 = 4.0;

/// Rounding of lengths in units of their terms, and the error of rotations by quaternions whose squared norm is 1 up to [`NORMALIZED`].
const ROUNDING: f64 = 64.0 * f64::EPSILON;
const NORMALIZED: f64 = 1e-9;

/// `m` and `t` of what has not moved.
const NO_WAY: (Vector3<f64>, f64) = (Vector3::new(0.0, 0.0, 0.0), 0.0);

/// A pair within reach and slack at the reference.
#[derive(Clone, Debug)]
struct Candidate {
    /// The colliders in the order of the search for pairs, and that of body 1 first.
    pair: [usize; 2],
    colliders: [usize; 2],
    bodies: [Option<usize>; 2],
    /// Coefficients of friction and of restitution.
    coefficients: [f64; 2],
    /// Rounding of the clearance (m).
    rounding: f64,
    /// `c`, less the `d` of that time (m).
    clearance: f64,
    /// The last examination; none as long as no features were near.
    last: Option<Box<Examined>>,
}

/// The features that were found for a pair, where its bodies were and how far was searched.
#[derive(Clone, Debug)]
struct Examined {
    poses: [Isometry3<f64>; 2],
    /// (m)
    margin: f64,
    found: Vec<Found>,
}

/// The pairs of one scene and the position at which they were listed; see the [module head](self).
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// `R` (m), infinite for a body with a half-space, and the bodies with colliders that may touch others.
    radii: Vec<f64>,
    moving: Vec<usize>,
    /// Poses of all bodies at the reference; empty without one.
    reference: Vec<Isometry3<f64>>,
    /// The proximity and the reaches of the bodies for which pairs were listed, slack included (m).
    proximity: f64,
    reaches: Vec<f64>,
    /// What moving bodies leave of the reaches when rounding is subtracted (m).
    bounds: Vec<f64>,
    /// `m` and `t` of each body (m), and whether they are those of the current position.
    ways: Vec<(Vector3<f64>, f64)>,
    is_measured: bool,
    /// Sorted by their pairs.
    pairs: Vec<Candidate>,
    /// Those of the reference before, with clearances at the current one.
    before: Vec<Candidate>,
    /// Number of references so far.
    #[cfg(test)]
    pub(crate) references: usize,
}

impl Candidate {
    /// Keeps what was found.
    fn remember(&mut self, poses: &[Isometry3<f64>; 2], margin: f64, found: &[Found]) {
        match &mut self.last {
            Some(last) => {
                (last.poses, last.margin) = (*poses, margin);
                last.found.clear();
                last.found.extend_from_slice(found);
            }
            None if found.is_empty() => {}
            None => {
                let found = found.to_vec();
                self.last = Some(Box::new(Examined { poses: *poses, margin, found }));
            }
        }
    }
}

impl Kept {
    /// Nothing kept yet; `radii` are those of the bodies (m), NaN for a body without colliders that may touch others.
    pub(crate) fn new(radii: Vec<f64>) -> Self {
        Self {
            moving: (0..radii.len()).filter(|&body| !radii[body].is_nan()).collect(),
            ways: vec![NO_WAY; radii.len()],
            bounds: vec![0.0; radii.len()],
            is_measured: false,
            radii,
            reference: Vec::new(),
            proximity: 0.0,
            reaches: Vec::new(),
            pairs: Vec::new(),
            before: Vec::new(),
            #[cfg(test)]
            references: 0,
        }
    }

    /// The bodies with colliders that may touch others.
    pub(crate) fn moving(&self) -> &[usize] {
        &self.moving
    }

    /// Measures how far bodies have moved, and returns whether the pairs are all that can be within reach.
    fn covers(&mut self, bodies: &[Isometry3<f64>], reach: &Reach<'_>) -> bool {
        self.is_measured = self.reference.len() == bodies.len();
        if !self.is_measured {
            return false;
        }
        // A comparison with NaN does not hold.
        let mut covers = reach.proximity <= self.proximity;
        for &body in &self.moving {
            let (from, to) = (&self.reference[body], &bodies[body]);
            let (radius, turned) = (self.radii[body], to.rotation.coords - from.rotation.coords);
            let moved = to.translation.vector - from.translation.vector;
            let turned = 2.0 * radius * turned.norm();
            let needed = moved.norm() + turned + 0.5 * reach.proximity + reach.of_body(body);
            let norm = to.rotation.coords.norm_squared();
            covers &= needed <= self.bounds[body] && (norm - 1.0).abs() <= NORMALIZED;
            self.ways[body] = (moved, turned);
        }
        covers
    }

    /// Ends the reference: clearances become those at the current position, whose ways have been measured, or are lost.
    fn keep_clearances(&mut self) {
        let mut before = std::mem::replace(&mut self.before, std::mem::take(&mut self.pairs));
        before.clear();
        self.pairs = before;
        if self.is_measured {
            for k in 0..self.before.len() {
                self.before[k].clearance -= self.way(self.before[k].bodies);
            }
        } else {
            self.before.clear();
        }
        self.reference.clear();
    }

    /// `d` of the bodies of two colliders (m).
    fn way(&self, bodies: [Option<usize>; 2]) -> f64 {
        let [(moved, turned), (other, others)] =
            bodies.map(|body| body.map_or(NO_WAY, |body| self.ways[body]));
        (moved - other).norm() + turned + others
    }
}

impl Scene {
    /// Checks a search, and returns the poses of all bodies.
    pub(crate) fn bodies_at<'w>(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        reach: &Reach<'_>,
        workspace: &'w mut Workspace,
    ) -> Result<&'w [Isometry3<f64>], SceneError> {
        self.check(system, coordinates, reach)?;
        system.poses(coordinates, &mut workspace.bodies);
        Ok(&workspace.bodies)
    }

    /// [`find`](Self::find) for the [bodies](Self::bodies_at) of the workspace, with pairs that are kept from the searches before. Returns
    /// those bodies too.
    pub(crate) fn find_kept<'w>(
        &self,
        dimension: Dimension,
        reach: &Reach<'_>,
        (kept, workspace): (&mut Kept, &'w mut Workspace),
    ) -> Result<(&'w [Isometry3<f64>], &'w mut Vec<Found>), SceneError> {
        if !kept.covers(&workspace.bodies, reach) {
            self.refer(reach, kept, workspace)?;
        }
        let mut pairs = std::mem::take(&mut kept.pairs);
        workspace.found.clear();
        let examined = pairs.iter_mut().try_for_each(|pair| {
            let [a, b] = pair.colliders.map(|k| &self.colliders[k]);
            let margin = reach.proximity + reach.of(a) + reach.of(b);
            let way = kept.way(pair.bodies);
            if pair.clearance - way > margin + pair.rounding {
                return Ok(());
            }
            let poses = pair
                .bodies
                .map(|body| body.map_or_else(Isometry3::identity, |body| workspace.bodies[body]));
            if let Some(last) = &pair.last
                && last.poses == poses
                && last.margin.to_bits() == margin.to_bits()
            {
                workspace.found.extend_from_slice(&last.found);
                return Ok(());
            }
            let before = workspace.found.len();
            let gap = self.examine(pair, (margin, reach), dimension, workspace)?;
            pair.clearance = gap - way;
            pair.remember(&poses, margin, &workspace.found[before..]);
            Ok(())
        });
        kept.pairs = pairs;
        examined?;
        Ok((&workspace.bodies, &mut workspace.found))
    }

    /// Appends the features of a pair that are near. Returns a lower bound of the gap, or one of no use if there are features.
    fn examine(
        &self,
        Candidate { colliders, coefficients, .. }: &Candidate,
        (margin, reach): (f64, &Reach<'_>),
        dimension: Dimension,
        workspace: &mut Workspace,
    ) -> Result<f64, SceneError> {
        let Workspace { bodies, active, found, .. } = workspace;
        let placed = colliders.map(|k| {
            let collider = &self.colliders[k];
            let pose = match collider.body() {
                Some(body) => bodies[body] * collider.pose(),
                None => *collider.pose(),
            };
            Placed::new(collider.solid(), pose)
        });
        let named = (*colliders, *coefficients);
        match append(named, &placed, dimension, margin, active, found) {
            Ok(gap) if active.is_empty() => Ok(gap),
            Ok(_) => Ok(f64::NEG_INFINITY),
            // A search without a reference would not have examined pairs whose boxes are out of reach.
            Err(undecided) => {
                let boxes = [0, 1].map(|k: usize| {
                    let by = 0.5 * reach.proximity + reach.of(&self.colliders[colliders[k]]);
                    Some(placed[k].solid.aabb(&placed[k].pose)?.grown(by))
                });
                match boxes {
                    [Some(a), Some(b)] if !a.overlaps(&b) => Ok(f64::NEG_INFINITY),
                    _ => Err(undecided),
                }
            }
        }
    }

    /// Makes the current position the reference.
    fn refer(
        &self,
        reach: &Reach<'_>,
        kept: &mut Kept,
        workspace: &mut Workspace,
    ) -> Result<(), SceneError> {
        kept.keep_clearances();
        self.place(&workspace.bodies, &mut workspace.poses)?;
        let size = |body: usize| workspace.bodies[body].translation.vector.amax();
        let is_bounded = kept.moving.iter().all(|&body| kept.radii[body].is_finite());
        kept.reaches.clear();
        kept.reaches.resize(self.body_count, 0.0);
        for &body in &kept.moving {
            let own = reach.of_body(body);
            let radius = if is_bounded { kept.radii[body] } else { 0.0 };
            let errors = 4.0 * NORMALIZED * radius + ROUNDING * (size(body) + radius);
            kept.reaches[body] = own + OF_RADIUS * radius + OF_REACH * own + 2.0 * errors;
            kept.bounds[body] = 0.5 * reach.proximity + kept.reaches[body] - errors;
            kept.ways[body] = NO_WAY;
        }
        kept.proximity = reach.proximity;
        let wide = Reach { proximity: reach.proximity, of_bodies: &kept.reaches };
        self.find_pairs(&wide, workspace);
        workspace.pairs.sort_unstable();
        let (radii, before) = (&kept.radii, std::mem::take(&mut kept.before));
        let mut known = before.iter().peekable();
        let candidate = |pair: &[usize; 2]| {
            let colliders = self.in_order(*pair);
            while known.next_if(|known| known.pair < *pair).is_some() {}
            let known = known.next_if(|known| known.pair == *pair);
            let clearance = known.map_or(f64::NEG_INFINITY, |known| known.clearance);
            let sizes = colliders.iter().filter_map(|&k| self.colliders[k].body()).map(|body| {
                ROUNDING * (workspace.bodies[body].translation.vector.amax() + radii[body])
                    + 4.0 * NORMALIZED * radii[body]
            });
            Candidate {
                colliders,
                bodies: colliders.map(|k| self.colliders[k].body()),
                coefficients: match self.pairs.as_ref().and_then(|pairs| pairs.get(*pair)) {
                    Some(own) => [own.friction, own.restitution],
                    None => contact::coefficients(colliders.map(|k| &self.colliders[k])),
                },
                rounding: 2.0 * sizes.sum::<f64>(),
                clearance: clearance.max(self.separation(*pair, &wide, workspace)),
                last: known.and_then(|known| known.last.clone()),
                pair: *pair,
            }
        };
        kept.pairs.clear();
        kept.pairs.extend(workspace.pairs.iter().map(candidate));
        kept.before = before;
        if is_bounded {
            kept.reference.extend_from_slice(&workspace.bodies);
        }
        #[cfg(test)]
        {
            kept.references += 1;
        }
        Ok(())
    }

    /// A lower bound of the gap of two colliders by their boxes, which were grown for the search `wide` (m).
    fn separation(&self, pair: [usize; 2], wide: &Reach<'_>, workspace: &Workspace) -> f64 {
        let reach = |k: usize| 0.5 * wide.proximity + wide.of(&self.colliders[k]);
        let place = |k: usize| self.bounded.binary_search(&k).ok().map(|at| &workspace.boxes[at]);
        match pair.map(place) {
            [Some(a), Some(b)] => {
                let along = |k: usize| (b.low[k] - a.high[k]).max(a.low[k] - b.high[k]);
                along(0).max(along(1)).max(along(2)) + reach(pair[0]) + reach(pair[1])
            }
            [Some(above), None] => {
                let half_space = self.colliders[pair[1]].solid();
                let (normal, offset) = Placed::new(half_space, workspace.poses[pair[1]]).face(0);
                above.lowest(&normal) - offset + reach(pair[0])
            }
            _ => f64::NEG_INFINITY,
        }
    }
}
