//! Trees of rigid bodies joined by joints: the system [`Articulated`].
//!
//! # Coordinates
//!
//! The coordinates and the velocities of the joints stand one after another in the order of the
//! links; [`JointKind`] tells what they are. Body `i` of the [`System`](crate::System) is link `i`.

use std::ops::Range;

use nalgebra::Vector3;

mod assembly;
mod error;
mod link;

pub use error::{Error, ShapeError};
pub use link::{Joint, JointKind, Link};

/// A tree, or several, of links.
#[derive(Clone, Debug)]
pub struct Articulated {
    links: Vec<Link>,
    parents: Vec<Option<usize>>,
    coordinates: Vec<Range<usize>>,
    velocities: Vec<Range<usize>>,
    gravity: Vector3<f64>,
}

impl Articulated {
    /// The links under `gravity` (m/s², world axes).
    ///
    /// Links keep the order given, except that a link stands behind its parent: the next is always
    /// the first of those left whose parent is already there. Axes and quaternions are normalized
    /// and empty lists of joints filled in.
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
        Ok(Self { links, parents, coordinates, velocities, gravity })
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
    #[must_use]
    pub fn parent(&self, link: usize) -> Option<usize> {
        self.parents[link]
    }

    /// Where the coordinates of the joint of link `link` stand among all coordinates.
    #[must_use]
    pub fn coordinates_of(&self, link: usize) -> Range<usize> {
        self.coordinates[link].clone()
    }

    /// Where the velocities of the joint of link `link` stand among all velocities.
    #[must_use]
    pub fn velocities_of(&self, link: usize) -> Range<usize> {
        self.velocities[link].clone()
    }

    /// Zero coordinates, with identity quaternions.
    #[must_use]
    pub fn neutral_coordinates(&self) -> Vec<f64> {
        let of_link = |link: &Link| {
            let kind = link.joint.kind;
            assembly::neutral(kind).into_iter().take(kind.coordinate_count())
        };
        self.links.iter().flat_map(of_link).collect()
    }

    /// Gravity (m/s², world axes).
    #[must_use]
    pub fn gravity(&self) -> Vector3<f64> {
        self.gravity
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
