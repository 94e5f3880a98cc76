//! Trees of rigid bodies joined by joints: the system [`Articulated`].

use std::ops::Range;

use nalgebra::Vector3;

use crate::{
    rotation::RotationUpdate,
    system::{Dimension, System},
};

mod assembly;
mod error;
mod forward_dynamics;
mod forward_kinematics;
mod geometry;
mod inverse_dynamics;
mod jacobian;
mod joint_forces;
mod kinematics;
mod lagrangian;
mod limits;
mod link;
mod mass_matrix;
mod momentum;
mod per_thread;
mod system;
mod tree;

pub use error::{ArticulatedError, ShapeError};
pub use joint_forces::{JointFriction, JointLimit, LimitSide};
pub use kinematics::Kinematics;
pub use limits::{SumLimit, SumTerm, TurnLimit};
pub use link::{Joint, JointKind, Link};
pub use momentum::CentroidalMomentum;

use assembly::Part;
use joint_forces::JointForces;
use per_thread::{At, PerThread};
use tree::Tree;

/// Smallest accepted pivot of the mass matrix relative to the terms of its diagonal entry. The rounding of entries
/// is some `eps` of these terms, so a smaller pivot would have fewer than four digits.
const SMALLEST_PIVOT: f64 = 1e-12;

/// Maximum number of degrees of freedom. The factors of the mass matrix are stored as a dense matrix, and their
/// computation for a chain of this length takes seconds.
const MOST_VELOCITIES: usize = 2000;

/// A system of links and joints, with the layout of coordinates below.
///
/// As a [`System`] it keeps a [`Kinematics`] for each of the threads that use it, up to 16 at once, beyond which they wait
/// for one another. The methods of a constant system therefore allocate nothing after their first call in a thread, and
/// results that they share at the same coordinates are computed once.
///
/// An articulated system is built from [`Link`]s, each carried by the world or by another link through a [`Joint`].
/// The system itself is constant. [`Kinematics`] holds the data that depend on the state and offers the algorithms
/// separately, without allocation:
///
/// | algorithm | gives | cost |
/// | --- | --- | --- |
/// | forward kinematics | frames, motions and accelerations of all links | `O(n)` |
/// | composite rigid bodies | the mass matrix `M`, and its factors `Lᵀ D L` | `O(n d)`, `O(n d²)` |
/// | recursive Newton–Euler | the forces `M v̇ + h` of a motion, and the bias `h` | `O(n)` |
/// | articulated bodies | the accelerations `M⁻¹ (τ − h)` that forces cause | `O(n)` |
/// | generalized momentum | `p = M v`, `ṗ` and [their derivatives](crate::Lagrangian) | `O(n d)` |
/// | centroidal momentum | momentum about the center of mass, and its matrix | `O(n)` |
/// | Jacobians | motion of points and frames, and `J̇ v` | `O(d)` |
///
/// for `n` velocities and a tree of depth `d`. They are derived in their modules, after R. Featherstone, *Rigid Body
/// Dynamics Algorithms*, Springer 2008, but in world axes, in which motions and inertias need no transformation from
/// link to link.
///
/// # Coordinates
///
/// The coordinates and the velocities of the joints are stored in the order of the links; [`JointKind`] lists them.
/// Body `i` of the [`System`] is link `i`.
///
/// # In the plane
///
/// A system is planar if its links cannot leave the x–y plane: gravity, the placements and the centers of mass have
/// `z = 0`, placements rotate about `z` only, axes of revolute joints are `±z` and those of prismatic joints lie in
/// the plane, and there are no spherical or free joints. These conditions must hold exactly, so a placement with a
/// rounded quarter turn makes a system in space. The spatial vectors of a planar system have three entries instead
/// of six.
///
/// # Source
///
/// R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, chapter 4 (models of joints and
/// trees).
///
/// # Example
///
/// A pendulum of a point of 2 kg on a massless horizontal arm of 3 m: `M = m l² = 18`, `k = −m g l`.
///
/// ```
/// use nalgebra::{DMatrix, Vector3};
/// use percussion_dynamics::{Articulated, Dimension, Joint, Link, MassProperties, System};
///
/// let bob = MassProperties::point(2.0)?.translated(&Vector3::new(3.0, 0.0, 0.0));
/// let arm = Link::new("arm", Joint::revolute(Vector3::z())).with_mass(bob);
/// let pendulum = Articulated::new(vec![arm], Vector3::new(0.0, -9.81, 0.0))?;
/// assert_eq!(pendulum.dimension(), Dimension::Plane);
///
/// let (mut mass_matrix, mut forces) = (DMatrix::zeros(1, 1), [0.0]);
/// pendulum.mass_matrix(&[0.0], &mut mass_matrix);
/// pendulum.smooth_forces(&[0.0], &[1.0], 0.0, &mut forces);
/// assert_eq!(mass_matrix[(0, 0)], 18.0);
/// assert!((forces[0] + 58.86).abs() < 1e-13);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Articulated {
    links: Vec<Link>,
    parents: Vec<Option<usize>>,
    coordinates: Vec<Range<usize>>,
    velocities: Vec<Range<usize>>,
    gravity: Vector3<f64>,
    /// For each link the velocities and the coordinates of its tree, including those of trees that overlap with it.
    trees: Vec<Range<usize>>,
    coordinate_trees: Vec<Range<usize>>,
    dimension: Dimension,
    parts: Vec<Part>,
    joint_forces: JointForces,
    rotation_update: RotationUpdate,
    per_thread: PerThread,
}

impl Articulated {
    /// Creates a system of `links` under `gravity` (m/s², world axes), with the exponential rotation update.
    ///
    /// The given order of the links is kept, except that a link comes after its parent: the next link is always the
    /// first remaining one whose parent already has a place. Axes and quaternions are normalized, and empty lists of
    /// joints are filled in.
    ///
    /// A mass matrix that is singular in some positions only is accepted here;
    /// [`check_coordinates`](System::check_coordinates) refuses those positions.
    ///
    /// # Errors
    ///
    /// See [`ArticulatedError`].
    pub fn new(links: Vec<Link>, gravity: Vector3<f64>) -> Result<Self, ArticulatedError> {
        if let Some(&value) = gravity.iter().find(|entry| !entry.is_finite()) {
            return Err(ArticulatedError::Gravity { value });
        }
        let (links, parents) = assembly::arrange(links)?;
        let links: Vec<Link> =
            links.into_iter().map(assembly::checked).collect::<Result<_, _>>()?;
        let coordinates = ranges(&links, |link| link.joint.kind.coordinate_count());
        let velocities = ranges(&links, |link| link.joint.kind.velocity_count());
        let count = velocities.last().map_or(0, |last| last.end);
        if count > MOST_VELOCITIES {
            return Err(ArticulatedError::TooManyVelocities { count, limit: MOST_VELOCITIES });
        }
        let neutral = assembly::neutral_coordinates(&links);
        let dimension = assembly::dimension(&links, &gravity);
        let kinematics = match dimension {
            Dimension::Plane => Kinematics::plane(Tree::new(&links, &parents, &gravity), &neutral),
            Dimension::Space => Kinematics::space(Tree::new(&links, &parents, &gravity), &neutral),
        };
        check_mass(&links, &velocities, kinematics.clone())?;
        Ok(Self {
            trees: assembly::trees(&parents, &velocities),
            coordinate_trees: assembly::trees(&parents, &coordinates),
            parts: assembly::parts(&links, &coordinates, &velocities),
            joint_forces: JointForces::new(&links, &coordinates, &velocities),
            links,
            parents,
            coordinates,
            velocities,
            gravity,
            dimension,
            rotation_update: RotationUpdate::default(),
            per_thread: PerThread::new(kinematics),
        })
    }

    /// The same system with another [rotation update](RotationUpdate).
    #[must_use]
    pub fn with_rotation_update(self, rotation_update: RotationUpdate) -> Self {
        Self { rotation_update, ..self }
    }

    /// The links, in the order of their numbers.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Number of the link called `name`.
    #[must_use]
    pub fn link_index(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link.name == name)
    }

    /// The link that carries link `link`, or `None` for the world.
    ///
    /// # Panics
    ///
    /// If there is no such link.
    #[must_use]
    pub fn parent(&self, link: usize) -> Option<usize> {
        self.parents[link]
    }

    /// The range of the coordinates of the joint of link `link` among all coordinates.
    ///
    /// # Panics
    ///
    /// If there is no such link.
    #[must_use]
    pub fn coordinates_of(&self, link: usize) -> Range<usize> {
        self.coordinates[link].clone()
    }

    /// The range of the velocities of the joint of link `link` among all velocities.
    ///
    /// # Panics
    ///
    /// If there is no such link.
    #[must_use]
    pub fn velocities_of(&self, link: usize) -> Range<usize> {
        self.velocities[link].clone()
    }

    /// Zero coordinates, with identity quaternions.
    #[must_use]
    pub fn neutral_coordinates(&self) -> Vec<f64> {
        assembly::neutral_coordinates(&self.links)
    }

    /// Gravity (m/s², world axes).
    #[must_use]
    pub fn gravity(&self) -> Vector3<f64> {
        self.gravity
    }

    /// Total mass (kg).
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.links.iter().filter_map(|link| link.mass_properties).map(|m| m.mass()).sum()
    }

    /// The kinematics with scratch for the algorithms, at neutral coordinates and at rest.
    #[must_use]
    pub fn kinematics(&self) -> Kinematics {
        self.per_thread.neutral().clone()
    }

    /// Adds the smooth forces of the joints (springs, dampers and efforts) to `forces` (length `n_v`; N, N·m).
    ///
    /// # Errors
    ///
    /// [`ShapeError`].
    pub fn add_joint_forces(
        &self,
        coordinates: &[f64],
        velocity: &[f64],
        forces: &mut [f64],
    ) -> Result<(), ShapeError> {
        let (nq, nv) = (self.coordinate_count(), self.velocity_count());
        kinematics::check("coordinates", coordinates.len(), nq)?;
        kinematics::check("velocity", velocity.len(), nv)?;
        kinematics::check("forces", forces.len(), nv)?;
        self.joint_forces.add(coordinates, velocity, forces);
        Ok(())
    }

    /// Replaces the constant actuation (N, N·m) of the joint of link `link`, one entry per velocity.
    ///
    /// # Errors
    ///
    /// [`ArticulatedError::UnknownLink`], [`ArticulatedError::Length`], [`ArticulatedError::NotFinite`]; the system is then unchanged.
    pub fn set_effort(&mut self, link: usize, effort: &[f64]) -> Result<(), ArticulatedError> {
        let Some(description) = self.links.get_mut(link) else {
            return Err(ArticulatedError::UnknownLink { link: link.to_string() });
        };
        assembly::check_list(
            &description.name,
            "effort",
            effort,
            description.joint.kind.velocity_count(),
        )?;
        description.joint.effort.copy_from_slice(effort);
        self.joint_forces.set_effort(self.velocities[link].clone(), effort);
        Ok(())
    }

    /// The limits of all joints, which can be used as gaps together with the contacts.
    #[must_use]
    pub fn joint_limits(&self) -> Vec<JointLimit> {
        joint_forces::limits(&self.links, &self.coordinates, &self.velocities)
    }

    /// The dry friction of all joints that have any.
    #[must_use]
    pub fn joint_friction(&self) -> Vec<JointFriction> {
        joint_forces::frictions(&self.links, &self.velocities)
    }

    /// Kinematics for this thread, with frames at `coordinates`.
    fn at(&self, coordinates: &[f64]) -> At<'_> {
        self.per_thread.at(coordinates)
    }
}

/// Consecutive ranges with the lengths that `count` gives.
fn ranges(links: &[Link], count: impl Fn(&Link) -> usize) -> Vec<Range<usize>> {
    let mut end = 0;
    let next = |link| {
        let start = end;
        end += count(link);
        start..end
    };
    links.iter().map(next).collect()
}

/// Refuses a mass matrix that is singular in every position.
///
/// Its determinant is an analytic function of the coordinates, so it is zero everywhere if it is zero at one generic
/// position.
fn check_mass(
    links: &[Link],
    velocities: &[Range<usize>],
    mut kinematics: Kinematics,
) -> Result<(), ArticulatedError> {
    kinematics.place(&assembly::generic_coordinates(links));
    let Some((velocity, fraction)) = kinematics.singular_velocity(SMALLEST_PIVOT) else {
        return Ok(());
    };
    let link = velocities.iter().position(|range| range.contains(&velocity)).unwrap_or(0);
    let index = velocity - velocities[link].start;
    Err(ArticulatedError::SingularMass { link: links[link].name.clone(), index, fraction })
}
