//! Random trees and states, and derivatives by differences, for the tests of articulated systems.

#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use nalgebra::{DMatrix, DVector, Isometry3, Translation3, UnitQuaternion, Vector3};
use percussion_dynamics::{
    Articulated, ArticulatedError, Joint, JointKind, Link, MassProperties, System,
};
use proptest::{prelude::*, test_runner::RngSeed};

/// Step of central differences, whose error is some `h²/6 f''' + eps f/h`.
pub(crate) const STEP: f64 = 1e-5;

/// Settings of the property tests: a fixed seed, so that every run tries the same cases.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(0x7065_7263),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Random data of one link of a tree.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    kind: u8,
    parent: usize,
    axis: Vector3<f64>,
    placement: Isometry3<f64>,
    mass: f64,
    is_massless: bool,
    sizes: Vector3<f64>,
    center: Vector3<f64>,
    turn: UnitQuaternion<f64>,
    forces: [f64; 3],
}

fn vectors() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-1.0..1.0).prop_map(Vector3::from)
}

fn rotations() -> impl Strategy<Value = UnitQuaternion<f64>> {
    vectors().prop_map(|v| UnitQuaternion::from_scaled_axis(v * 3.0))
}

prop_compose! {
    fn parts()(
        kind in 0_u8..6,
        parent in 0_usize..30,
        axis in vectors().prop_filter("too short", |v| v.norm() > 0.1),
        shift in vectors(),
        placed in rotations(),
        mass in 0.5..2.0,
        massless in 0_u8..8,
        sizes in vectors(),
        center in vectors(),
        turn in rotations(),
        forces in prop::array::uniform3(0.0..1.0),
    ) -> Part {
        Part {
            kind,
            parent,
            axis,
            placement: Isometry3::from_parts(Translation3::from(0.5 * shift), placed),
            mass,
            is_massless: massless == 0,
            sizes: sizes.map(|s| 0.6 + 0.4 * s),
            center: 0.3 * center,
            turn,
            forces,
        }
    }
}

impl Part {
    fn joint(&self, is_planar: bool) -> Joint {
        let in_plane = Vector3::new(self.axis.x, self.axis.y, 0.0);
        let joint = match (self.kind, is_planar) {
            (0, _) => Joint::fixed(),
            (1, false) => Joint::revolute(self.axis),
            (1 | 3, true) => Joint::revolute(Vector3::z() * self.axis.z.signum()),
            (2, false) => Joint::prismatic(self.axis),
            (2 | 4, true) => Joint::prismatic(in_plane + Vector3::x() * 1.5),
            (3, false) => Joint::spherical(),
            (4, false) => Joint::free(),
            _ => Joint::planar(),
        };
        let n = joint.kind.velocity_count();
        let [stiffness, damping, effort] = self.forces;
        let joint = joint.with_damping(&vec![damping; n]).with_effort(&vec![effort; n]);
        Joint { stiffness: vec![stiffness; n], ..joint }
    }

    fn link(&self, number: usize, is_planar: bool, is_massless: bool) -> Link {
        let (mut placement, mut center) = (self.placement, self.center);
        if is_planar {
            let angle = 3.0 * self.axis.x;
            placement.translation.z = 0.0;
            placement.rotation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
            center.z = 0.0;
        }
        let mut link = Link::new(number.to_string(), self.joint(is_planar)).at(placement);
        // Every other link is attached to the previous one, so that trees become deep.
        let parent =
            if self.parent.is_multiple_of(2) { number } else { self.parent % (number + 1) };
        if parent > 0 {
            link = link.on((parent - 1).to_string());
        }
        let solid = MassProperties::solid_box(self.mass, &self.sizes).unwrap();
        let solid = if is_planar { solid } else { solid.rotated(&self.turn) };
        if is_massless { link } else { link.with_mass(solid.translated(&center)) }
    }
}

/// The tree of these parts, with massless links only where they leave the mass matrix regular.
fn tree(parts: &[Part], is_planar: bool, gravity: Vector3<f64>) -> Articulated {
    let links = |with_massless: bool| -> Vec<Link> {
        let link = |(number, part): (usize, &Part)| {
            part.link(number, is_planar, with_massless && part.is_massless)
        };
        parts.iter().enumerate().map(link).collect()
    };
    match Articulated::new(links(true), gravity) {
        Err(ArticulatedError::SingularMass { .. }) => {
            Articulated::new(links(false), gravity).unwrap()
        }
        result => result.unwrap(),
    }
}

/// A system at a state.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) system: Articulated,
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    /// Further random numbers, one per velocity.
    pub(crate) w: Vec<f64>,
    /// A point of the last link, in its frame.
    pub(crate) point: Vector3<f64>,
}

fn coordinates(system: &Articulated, numbers: &[f64]) -> Vec<f64> {
    let mut q = numbers[..system.coordinate_count()].to_vec();
    for (i, link) in system.links().iter().enumerate() {
        if let Some(first) = link.joint.kind.quaternion() {
            let first = system.coordinates_of(i).start + first;
            q[first] += 1.5;
            let norm = DVector::from_column_slice(&q[first..first + 4]).norm();
            q[first..first + 4].iter_mut().for_each(|c| *c /= norm);
        }
    }
    q
}

prop_compose! {
    /// Trees in space of up to 30 joints of every kind.
    pub(crate) fn trees()(
        parts in prop::collection::vec(parts(), 1..31),
        q in prop::collection::vec(-1.0..1.0, 210),
        v in prop::collection::vec(-1.0..1.0, 180),
        w in prop::collection::vec(-1.0..1.0, 180),
        point in vectors(),
    ) -> Case {
        let system = tree(&parts, false, Vector3::new(0.3, -0.2, -9.81));
        let n = system.velocity_count();
        Case { q: coordinates(&system, &q), v: v[..n].to_vec(), w: w[..n].to_vec(), system, point }
    }
}

prop_compose! {
    /// Planar trees of up to 30 joints, and the same trees as systems in space. Gravity along `z`, in which no joint
    /// can move, makes them systems in space.
    pub(crate) fn planar_trees()(
        parts in prop::collection::vec(parts(), 1..31),
        q in prop::collection::vec(-1.0..1.0, 90),
        v in prop::collection::vec(-1.0..1.0, 90),
        w in prop::collection::vec(-1.0..1.0, 90),
        point in vectors(),
    ) -> (Case, Articulated) {
        let system = tree(&parts, true, Vector3::new(0.3, -9.81, 0.0));
        let in_space = tree(&parts, true, Vector3::new(0.3, -9.81, 1.0));
        let n = system.velocity_count();
        let point = Vector3::new(point.x, point.y, 0.0);
        let case =
            Case { q: q[..n].to_vec(), v: v[..n].to_vec(), w: w[..n].to_vec(), system, point };
        (case, in_space)
    }
}

/// The number of joints of each kind.
pub(crate) fn kinds(system: &Articulated) -> [usize; 6] {
    let mut counts = [0; 6];
    for link in system.links() {
        let index = match link.joint.kind {
            JointKind::Fixed => 0,
            JointKind::Revolute { .. } => 1,
            JointKind::Prismatic { .. } => 2,
            JointKind::Planar => 3,
            JointKind::Spherical => 4,
            _ => 5,
        };
        counts[index] += 1;
    }
    counts
}

/// `q ⊕ s v`.
pub(crate) fn moved(system: &dyn System, q: &[f64], v: &[f64], s: f64) -> Vec<f64> {
    let tangent: Vec<f64> = v.iter().map(|c| s * c).collect();
    let mut moved = vec![f64::NAN; q.len()];
    system.retract(q, &tangent, &mut moved);
    moved
}

/// Derivative along `q ⊕ t v`, on which the velocity `v` is constant, by central differences with one
/// extrapolation: the error is some `h⁴ f⁗' + eps f/h`.
pub(crate) fn rate<T>(system: &dyn System, q: &[f64], v: &[f64], f: impl Fn(&[f64]) -> T) -> T
where
    T: std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    let h = 1e-3;
    let difference =
        |h: f64| (f(&moved(system, q, v, h)) - f(&moved(system, q, v, -h))) * (0.5 / h);
    difference(0.5 * h) * (4.0 / 3.0) - difference(h) * (1.0 / 3.0)
}

pub(crate) fn mass_matrix(system: &dyn System, q: &[f64]) -> DMatrix<f64> {
    let n = system.velocity_count();
    let mut matrix = DMatrix::from_element(n, n, f64::NAN);
    system.mass_matrix(q, &mut matrix);
    matrix
}

pub(crate) fn smooth_forces(system: &dyn System, q: &[f64], v: &[f64]) -> DVector<f64> {
    let mut forces = DVector::from_element(system.velocity_count(), f64::NAN);
    system.smooth_forces(q, v, 0.0, forces.as_mut_slice());
    forces
}

/// The largest entry of a difference.
pub(crate) fn gap(a: &DMatrix<f64>, b: &DMatrix<f64>) -> f64 {
    (a - b).amax()
}
