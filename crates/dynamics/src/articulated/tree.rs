//! Data shared by the algorithms: the constant [`Tree`] and the [`Scratch`] that they fill.

use std::ops::Range;

use nalgebra::{DMatrix, UnitQuaternion, Vector3};

use super::{
    JointKind, Link,
    geometry::{Geometry, Inertia, Spatial},
};

/// Number of columns that are divided by the mass matrix at once.
pub(super) const LANES: usize = 4;

/// The links of a system in the plane or in space, parents first.
#[derive(Clone, Debug)]
pub(super) struct Tree<G: Geometry> {
    pub(super) branches: Vec<Branch<G>>,
    pub(super) coordinate_count: usize,
    /// The velocity before each velocity on the path to the world, and the link that it moves.
    pub(super) velocities: Vec<VelocityNode>,
    /// The ways from the world to each velocity, itself included, one after another, and the range of each.
    ways: Vec<usize>,
    way_ranges: Vec<Range<usize>>,
    /// The parts that move by themselves, one after another.
    pub(super) groups: Vec<Group>,
    pub(super) gravity: G::Linear,
}

/// Links that follow one another, with a tree or several: their frames, inertias and masses depend on their own coordinates alone.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) links: Range<usize>,
    pub(super) coordinates: Range<usize>,
    pub(super) velocities: Range<usize>,
}

/// One velocity, or degree of freedom, as a node of a separate tree: the velocities of one joint follow one another,
/// and the first follows the last one of the nearest ancestor that has any.
#[derive(Clone, Copy, Debug)]
pub(super) struct VelocityNode {
    pub(super) parent: Option<usize>,
    pub(super) link: usize,
    /// Inertia of the joint's own motion.
    pub(super) armature: f64,
}

/// One link.
#[derive(Clone, Debug)]
pub(super) struct Branch<G: Geometry> {
    pub(super) parent: Option<usize>,
    pub(super) motion: Motion<G>,
    /// Pose of the joint frame in the frame of the parent, and whether it is turned.
    pub(super) is_turned: bool,
    pub(super) rotation: G::Rotation,
    pub(super) translation: G::Linear,
    pub(super) first_coordinate: usize,
    pub(super) velocities: Range<usize>,
    /// Number of its velocities that translate; they come before those that rotate.
    pub(super) translation_count: usize,
    /// The last velocity that moves the link.
    pub(super) last_velocity: Option<usize>,
    pub(super) mass: f64,
    /// Center of mass and moments about it in the frame of the link.
    pub(super) center: G::Linear,
    pub(super) moments: G::Moments,
}

/// [`JointKind`] with its axes in the geometry.
#[derive(Clone, Copy, Debug)]
pub(super) enum Motion<G: Geometry> {
    Fixed,
    Revolute(G::Angular),
    Prismatic(G::Linear),
    Planar,
    Spherical,
    Free,
}

/// All data that depend on position and velocity, with one entry per link or per velocity.
///
/// All vectors are in world axes and about the **origin** of the link: the current position of the frame of the
/// first link of its tree. An inertial frame at that position is equivalent to any other, and avoids a loss of
/// digits far from the world's origin.
#[derive(Clone, Debug)]
pub(super) struct Scratch<G: Geometry> {
    pub(super) frames: Vec<Frame<G>>,
    /// Motion of the link per unit of each velocity.
    pub(super) columns: Vec<Spatial<G>>,
    /// The rates of `columns` during the motion.
    pub(super) column_rates: Vec<Spatial<G>>,
    pub(super) inertias: Vec<Inertia<G>>,
    pub(super) composites: Vec<Inertia<G>>,
    pub(super) motions: Vec<Spatial<G>>,
    /// Acceleration of each link relative to its parent at constant velocities.
    pub(super) drifts: Vec<Spatial<G>>,
    /// Acceleration of each link at constant velocities.
    pub(super) biases: Vec<Spatial<G>>,
    pub(super) accelerations: Vec<Spatial<G>>,
    pub(super) forces: Vec<Spatial<G>>,
    /// The forces that hold the links at rest, for each velocity.
    pub(super) weights: Vec<f64>,
    pub(super) tensors: Vec<G::Tensor>,
    /// For each velocity: its articulated force, the inverse of its pivot and its remaining force.
    pub(super) pivots: Vec<Pivot<G>>,
    /// The factors of the mass matrix and what was added to it: for each velocity the entries of those on its [way](Tree::way).
    pub(super) factor: Vec<f64>,
    /// `D^(−1/2)` of the pivots.
    pub(super) inverse_roots: Vec<f64>,
    /// Columns side by side while they are divided.
    pub(super) lanes: Vec<f64>,
    /// Which results for each group are up to date.
    pub(super) current: Vec<Current>,
    /// The number of what `factor` includes besides the mass matrix; 0 if there is none.
    pub(super) added: u64,
}

/// Whether `inertias`, `composites`, `factor` and `weights` of a group belong to its current position, and whether all its motions are
/// zero.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Current {
    pub(super) inertias: bool,
    pub(super) composites: bool,
    pub(super) factor: bool,
    pub(super) weights: bool,
    pub(super) rests: bool,
}

impl<G: Geometry> Scratch<G> {
    /// Whether the inertias of all links belong to the current positions.
    pub(super) fn is_weighed(&self) -> bool {
        self.current.iter().all(|current| current.inertias)
    }
}

/// The pose of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame<G: Geometry> {
    pub(super) rotation: G::Rotation,
    pub(super) origin: G::Linear,
    /// Position of the frame of the link relative to `origin`.
    pub(super) arm: G::Linear,
}

impl<G: Geometry> Frame<G> {
    /// The arm from the origin to the world position `point`.
    pub(super) fn arm_to(&self, point: &Vector3<f64>) -> G::Linear {
        G::linear(point) - self.origin
    }
}

/// Data that the articulated-body algorithm stores for one velocity.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pivot<G: Geometry> {
    pub(super) force: Spatial<G>,
    pub(super) inverse: f64,
    pub(super) rest: f64,
}

impl<G: Geometry> Branch<G> {
    pub(super) fn translations(&self) -> Range<usize> {
        self.velocities.start..self.velocities.start + self.translation_count
    }

    pub(super) fn rotations(&self) -> Range<usize> {
        self.velocities.start + self.translation_count..self.velocities.end
    }
}

impl<G: Geometry> Tree<G> {
    pub(super) fn new(links: &[Link], parents: &[Option<usize>], gravity: &Vector3<f64>) -> Self {
        let mut tree = Self {
            branches: Vec::with_capacity(links.len()),
            coordinate_count: 0,
            velocities: Vec::new(),
            ways: Vec::new(),
            way_ranges: Vec::new(),
            groups: Vec::new(),
            gravity: G::linear(gravity),
        };
        for (link, &parent) in links.iter().zip(parents) {
            tree.push(link, parent);
        }
        tree.group();
        tree
    }

    fn push(&mut self, link: &Link, parent: Option<usize>) {
        let kind = link.joint.kind;
        let number = self.branches.len();
        let first_velocity = self.velocities.len();
        let mut last_velocity = parent.and_then(|parent| self.branches[parent].last_velocity);
        for velocity in first_velocity..first_velocity + kind.velocity_count() {
            let own = link.joint.armature.get(velocity - first_velocity);
            let armature = own.copied().unwrap_or(0.0);
            self.velocities.push(VelocityNode { parent: last_velocity, link: number, armature });
            self.push_way(last_velocity);
            last_velocity = Some(velocity);
        }
        let (motion, translation_count) = match kind {
            JointKind::Fixed => (Motion::Fixed, 0),
            JointKind::Revolute { axis } => (Motion::Revolute(G::angular(&axis)), 0),
            JointKind::Prismatic { axis } => (Motion::Prismatic(G::linear(&axis)), 1),
            JointKind::Planar => (Motion::Planar, 2),
            JointKind::Spherical => (Motion::Spherical, 0),
            JointKind::Free => (Motion::Free, 3),
        };
        let mass = link.mass_properties.as_ref();
        let zero = Vector3::zeros();
        self.branches.push(Branch {
            parent,
            motion,
            is_turned: link.placement.rotation != UnitQuaternion::identity(),
            rotation: G::rotation(&link.placement.rotation),
            translation: G::linear(&link.placement.translation.vector),
            first_coordinate: self.coordinate_count,
            velocities: first_velocity..self.velocities.len(),
            translation_count,
            last_velocity,
            mass: mass.map_or(0.0, |mass| mass.mass()),
            center: G::linear(&mass.map_or(zero, |mass| mass.center_of_mass())),
            moments: G::moments(&mass.map_or_else(nalgebra::Matrix3::zeros, |mass| mass.inertia())),
        });
        self.coordinate_count += kind.coordinate_count();
    }

    /// Adds the way to a new velocity, before which is `parent`.
    fn push_way(&mut self, parent: Option<usize>) {
        let first = self.ways.len();
        if let Some(parent) = parent {
            self.ways.extend_from_within(self.way_ranges[parent].clone());
        }
        self.ways.push(self.way_ranges.len());
        self.way_ranges.push(first..self.ways.len());
    }

    /// Cuts the links where no later one is carried by an earlier one that moves. What cannot move belongs to what is before it.
    fn group(&mut self) {
        let moves = |branch: &Branch<G>| branch.last_velocity.is_some();
        // From the last link on: the first one that carries one of those seen, unless it cannot move.
        let mut first_carrier = self.branches.len();
        let mut is_cut = vec![false; self.branches.len()];
        for (link, branch) in self.branches.iter().enumerate().rev() {
            let carrier = branch.parent.filter(|parent| moves(&self.branches[*parent]));
            first_carrier = first_carrier.min(carrier.unwrap_or(link));
            is_cut[link] = first_carrier >= link && moves(branch);
        }
        let starts = (0..is_cut.len()).filter(|&link| link == 0 || is_cut[link]);
        let mut starts = starts.peekable();
        while let Some(start) = starts.next() {
            let end = starts.peek().copied();
            let before = |link: usize| {
                let branch = &self.branches[link];
                (branch.first_coordinate, branch.velocities.start)
            };
            let all = (self.coordinate_count, self.velocities.len());
            let ((from, first), (to, last)) = (before(start), end.map_or(all, before));
            self.groups.push(Group {
                links: start..end.unwrap_or(self.branches.len()),
                coordinates: from..to,
                velocities: first..last,
            });
        }
    }

    pub(super) fn velocity_count(&self) -> usize {
        self.velocities.len()
    }

    /// The velocities on the way from the world to `velocity`, which is the last one.
    #[inline]
    pub(super) fn way(&self, velocity: usize) -> &[usize] {
        &self.ways[self.row(velocity)]
    }

    /// The entries of the [way](Self::way) to `velocity` in a list of the ways to all.
    #[inline]
    pub(super) fn row(&self, velocity: usize) -> Range<usize> {
        self.way_ranges[velocity].clone()
    }

    /// The velocities that move `link`, from the nearest to the farthest.
    pub(super) fn path(&self, link: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.branches[link].last_velocity, |&k| self.velocities[k].parent)
    }

    pub(super) fn scratch(&self) -> Scratch<G> {
        let (links, n) = (self.branches.len(), self.velocity_count());
        let zero = Vector3::zeros();
        let frame = Frame {
            rotation: G::rotation(&UnitQuaternion::identity()),
            origin: G::linear(&zero),
            arm: G::linear(&zero),
        };
        let inertia = Inertia {
            mass: 0.0,
            first: G::linear(&zero),
            moments: G::moments(&nalgebra::Matrix3::zeros()),
        };
        let pivot = Pivot { force: Spatial::zero(), inverse: 0.0, rest: 0.0 };
        let vectors = vec![Spatial::zero(); links];
        Scratch {
            frames: vec![frame; links],
            columns: vec![Spatial::zero(); n],
            column_rates: vec![Spatial::zero(); n],
            inertias: vec![inertia; links],
            composites: vec![inertia; links],
            motions: vectors.clone(),
            drifts: vectors.clone(),
            biases: vectors.clone(),
            accelerations: vectors.clone(),
            forces: vectors,
            weights: vec![0.0; n],
            tensors: vec![G::tensor(&inertia); links],
            pivots: vec![pivot; n],
            factor: vec![0.0; self.ways.len()],
            inverse_roots: vec![0.0; n],
            lanes: vec![0.0; LANES * n],
            current: vec![Current::default(); self.groups.len()],
            added: 0,
        }
    }
}

/// Writes `vector` to the entries of a column of a Jacobian, the linear part first.
pub(super) fn write_column<G: Geometry>(matrix: &mut DMatrix<f64>, k: usize, vector: &Spatial<G>) {
    let linear = G::linear_to_vector(vector.linear);
    let angular = G::angular_to_vector(vector.angular);
    let entries: &[f64] = match G::DIMENSION {
        crate::Dimension::Plane => &[linear.x, linear.y, angular.z],
        crate::Dimension::Space => &[linear.x, linear.y, linear.z, angular.x, angular.y, angular.z],
    };
    matrix.column_mut(k).copy_from_slice(entries);
}

#[cfg(test)]
mod tests {
    use super::{super::geometry::Space, *};
    use crate::Joint;

    /// Branches whose velocities are numbered by turns, and a free root.
    #[test]
    fn ways_are_the_paths_to_the_world() {
        let parents = [None, Some(0), Some(0), Some(1), Some(2), Some(3), Some(5), None, Some(7)];
        let joint = |number: usize| match number {
            0 => Joint::free(),
            2 => Joint::fixed(),
            6 => Joint::spherical(),
            _ => Joint::revolute(Vector3::z()),
        };
        let links: Vec<Link> =
            (0..parents.len()).map(|i| Link::new(format!("{i}"), joint(i))).collect();
        let tree = Tree::<Space>::new(&links, &parents, &Vector3::zeros());
        for k in 0..tree.velocity_count() {
            let path: Vec<usize> =
                std::iter::successors(tree.velocities[k].parent, |&j| tree.velocities[j].parent)
                    .collect();
            let [before @ .., own] = tree.way(k) else { panic!("no way to velocity {k}") };
            assert_eq!((before.iter().rev().copied().collect::<Vec<_>>(), *own), (path, k));
        }
        // One branch is interrupted by the velocity of the other.
        assert_eq!(tree.way(10), [0, 1, 2, 3, 4, 5, 6, 7, 9, 10]);
    }

    /// A free body, a table with two arms whose links take turns, and an arm on a fixed rail with a fixed tool.
    #[test]
    fn groups_are_cut_where_nothing_carries_what_follows() {
        let parents = [None, None, None, Some(1), Some(2), None, Some(5), Some(6)];
        let joint = |number: usize| match number {
            0 => Joint::free(),
            5 | 7 => Joint::fixed(),
            _ => Joint::revolute(Vector3::z()),
        };
        let links: Vec<Link> =
            (0..parents.len()).map(|i| Link::new(format!("{i}"), joint(i))).collect();
        let tree = Tree::<Space>::new(&links, &parents, &Vector3::zeros());
        let links: Vec<_> = tree.groups.iter().map(|group| group.links.clone()).collect();
        assert_eq!(links, [0..1, 1..6, 6..8]);
        let coordinates: Vec<_> =
            tree.groups.iter().map(|group| group.coordinates.clone()).collect();
        assert_eq!(coordinates, [0..7, 7..11, 11..12]);
        let velocities: Vec<_> = tree.groups.iter().map(|group| group.velocities.clone()).collect();
        assert_eq!(velocities, [0..6, 6..10, 10..11]);
        assert!(Tree::<Space>::new(&[], &[], &Vector3::zeros()).groups.is_empty());
    }
}
