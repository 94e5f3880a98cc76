//! Trees of rigid bodies joined by joints: the system [`Articulated`].
//!
//! An articulated system is built from [`Link`]s, each carried by the world or by another link through
//! a [`Joint`]. The system itself is constant; [`Kinematics`] holds what depends on the state and offers
//! the algorithms one by one, without allocation:
//!
//! | algorithm | gives | cost |
//! | --- | --- | --- |
//! | forward kinematics | frames, motions and accelerations of all links | `O(n)` |
//! | composite rigid bodies | the mass matrix `M`, and its factors `Lᵀ D L` | `O(n d)`, `O(n d²)` |
//! | recursive Newton–Euler | the forces `M v̇ + h` of a motion, and the bias `h` | `O(n)` |
//! | articulated bodies | the accelerations `M⁻¹ (τ − h)` that forces cause | `O(n)` |
//! | generalized momentum | `p = M v`, `ṗ` and [their derivatives](crate::lagrangian) | `O(n d)` |
//! | centroidal momentum | momentum about the center of mass, and its matrix | `O(n)` |
//! | Jacobians | motion of points and frames, and `J̇ v` | `O(d)` |
//!
//! for `n` velocities and a tree `d` velocities deep. They are derived where they are implemented, after
//! R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, but in world axes: there, motions
//! and inertias need no transformation from link to link.
//!
//! # Coordinates
//!
//! The coordinates and the velocities of the joints stand one after another in the order of the
//! links; [`JointKind`] tells what they are. Body `i` of the [`System`] is link `i`.
//!
//! # In the plane
//!
//! A system is planar if its links cannot leave the x–y plane: gravity, the placements and the centers
//! of mass have `z = 0`, placements turn about `z` only, axes of revolute joints are `±z` and those of
//! prismatic joints lie in the plane, and there are no spherical or free joints; all exactly, so a
//! placement with a rounded quarter turn makes a system in space. Its spatial vectors then have three
//! entries instead of six.
//!
//! # Source
//!
//! R. Featherstone, *Rigid Body Dynamics Algorithms*, Springer 2008, chapter 4 (models of joints and
//! trees).

use std::{
    ops::Range,
    sync::{Mutex, MutexGuard, PoisonError},
};

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
mod link;
mod mass_matrix;
mod momentum;
mod system;
mod tree;

pub use error::{Error, ShapeError};
pub use joint_forces::{JointFriction, JointLimit, LimitSide};
pub use kinematics::Kinematics;
pub use link::{Joint, JointKind, Link};
pub use momentum::CentroidalMomentum;

use assembly::Part;
use joint_forces::JointForces;
use tree::Tree;

/// Smallest pivot of a regular mass matrix relative to the terms of its diagonal entry. Entries are known to some
/// `eps` of these terms, so a smaller pivot would have fewer than four digits.
const SMALLEST_PIVOT: f64 = 1e-12;

/// Largest number of degrees of freedom: the factors of the mass matrix are dense in memory, and those
/// of a chain of this length take seconds.
const MOST_VELOCITIES: usize = 2000;

/// Links joined to trees, with the layout of coordinates in the [module head](self).
///
/// As a [`System`] it keeps one [`Kinematics`] behind a lock, so that the methods of a
/// constant system allocate nothing and what they share at the same coordinates is computed once.
/// Threads that use the same system wait for one another: give each a clone.
///
/// # Example
///
/// A pendulum of a point of 2 kg on a massless arm of 3 m, level: `M = m l² = 18`, `k = −m g l`.
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
#[derive(Debug)]
pub struct Articulated {
    links: Vec<Link>,
    parents: Vec<Option<usize>>,
    coordinates: Vec<Range<usize>>,
    velocities: Vec<Range<usize>>,
    gravity: Vector3<f64>,
    /// For each link the velocities of its tree, and of others that they overlap with.
    trees: Vec<Range<usize>>,
    dimension: Dimension,
    parts: Vec<Part>,
    joint_forces: JointForces,
    rotation_update: RotationUpdate,
    scratch: Mutex<Kinematics>,
}

impl Clone for Articulated {
    fn clone(&self) -> Self {
        Self {
            links: self.links.clone(),
            parents: self.parents.clone(),
            coordinates: self.coordinates.clone(),
            velocities: self.velocities.clone(),
            gravity: self.gravity,
            trees: self.trees.clone(),
            dimension: self.dimension,
            parts: self.parts.clone(),
            joint_forces: self.joint_forces.clone(),
            rotation_update: self.rotation_update,
            scratch: Mutex::new(self.lock().clone()),
        }
    }
}

impl Articulated {
    /// The links under `gravity` (m/s², world axes), with the exponential rotation update.
    ///
    /// Links keep the order given, except that a link stands behind its parent: the next is always
    /// the first of those left whose parent is already there. Axes and quaternions are normalized
    /// and empty lists of joints filled in.
    ///
    /// A mass matrix that is singular in some positions only is accepted here and refused by
    /// [`check_coordinates`](System::check_coordinates) in those positions.
    ///
    /// # Errors
    ///
    /// See [`Error`].
    pub fn new(links: Vec<Link>, gravity: Vector3<f64>) -> Result<Self, Error> {
        if let Some(&value) = gravity.iter().find(|entry| !entry.is_finite()) {
            return Err(Error::Gravity { value });
        }
        let (links, parents) = assembly::arrange(links)?;
        let links: Vec<Link> =
            links.into_iter().map(assembly::checked).collect::<Result<_, _>>()?;
        let coordinates = ranges(&links, |link| link.joint.kind.coordinate_count());
        let velocities = ranges(&links, |link| link.joint.kind.velocity_count());
        let count = velocities.last().map_or(0, |last| last.end);
        if count > MOST_VELOCITIES {
            return Err(Error::TooManyVelocities { count, limit: MOST_VELOCITIES });
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
            parts: assembly::parts(&links, &coordinates, &velocities),
            joint_forces: JointForces::new(&links, &coordinates, &velocities),
            links,
            parents,
            coordinates,
            velocities,
            gravity,
            dimension,
            rotation_update: RotationUpdate::default(),
            scratch: Mutex::new(kinematics),
        })
    }

    /// The same system with another way for rotations to follow tangent vectors.
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

    /// Where the coordinates of the joint of link `link` stand among all coordinates.
    ///
    /// # Panics
    ///
    /// If there is no such link.
    #[must_use]
    pub fn coordinates_of(&self, link: usize) -> Range<usize> {
        self.coordinates[link].clone()
    }

    /// Where the velocities of the joint of link `link` stand among all velocities.
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

    /// Scratch for the algorithms, at neutral coordinates or wherever this system was last evaluated.
    #[must_use]
    pub fn kinematics(&self) -> Kinematics {
        self.lock().clone()
    }

    /// Adds the smooth forces of the joints, springs, dampers and efforts, to `forces` (length `n_v`;
    /// N, N·m).
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
    /// [`Error::UnknownLink`], [`Error::Length`], [`Error::NotFinite`], and nothing has changed.
    pub fn set_effort(&mut self, link: usize, effort: &[f64]) -> Result<(), Error> {
        let Some(description) = self.links.get_mut(link) else {
            return Err(Error::UnknownLink { link: link.to_string() });
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

    /// The limits of all joints, to be used as gaps beside the contacts.
    #[must_use]
    pub fn joint_limits(&self) -> Vec<JointLimit> {
        joint_forces::limits(&self.links, &self.coordinates, &self.velocities)
    }

    /// The dry friction of all joints that have any.
    #[must_use]
    pub fn joint_friction(&self) -> Vec<JointFriction> {
        joint_forces::frictions(&self.links, &self.velocities)
    }

    /// The scratch, wherever it is.
    fn lock(&self) -> MutexGuard<'_, Kinematics> {
        // A panic elsewhere leaves flags that say what is valid, so the scratch is still good.
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The scratch, with frames at `coordinates`.
    fn at(&self, coordinates: &[f64]) -> MutexGuard<'_, Kinematics> {
        let mut kinematics = self.lock();
        kinematics.place(coordinates);
        kinematics
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

/// Refuses a mass matrix that is singular everywhere.
///
/// Its determinant is an analytic function of the coordinates, so it is zero everywhere if it is zero
/// at one position of no special kind.
fn check_mass(
    links: &[Link],
    velocities: &[Range<usize>],
    mut kinematics: Kinematics,
) -> Result<(), Error> {
    kinematics.place(&assembly::generic_coordinates(links));
    let Some((velocity, fraction)) = kinematics.singular_velocity(SMALLEST_PIVOT) else {
        return Ok(());
    };
    let link = velocities.iter().position(|range| range.contains(&velocity)).unwrap_or(0);
    let index = velocity - velocities[link].start;
    Err(Error::SingularMass { link: links[link].name.clone(), index, fraction })
}
