//! Contact detection during a motion: the traits [`ContactSource`] and [`ContactSearch`].

use std::{fmt::Debug, sync::Arc};

use crate::{
    gap::{GapFunction, PointContact},
    system::System,
};

/// The name of a contact: the same as long as the same features of the same surfaces touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactName {
    /// Numbers of the surfaces of body 1 and of body 2 in the source.
    pub surfaces: [usize; 2],
    /// Numbers of the features of the two surfaces in the source.
    pub features: [usize; 2],
}

/// A contact that a search found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearby {
    /// Its name.
    pub name: ContactName,
    /// The gap (m): positive open, negative penetrating.
    pub gap: f64,
    /// Coulomb friction coefficient (≥ 0).
    pub friction: f64,
    /// Coefficient of restitution, in `[0, 1]`.
    pub restitution: f64,
}

/// The reason why a source is refused, or finds no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContactSourceError {
    /// The surfaces do not belong to the system.
    #[error("surfaces do not fit the system: {reason}")]
    System {
        /// The reason given by the source.
        reason: String,
    },
    /// The contacts could not be found at this position.
    #[error("contacts could not be found: {reason}")]
    Position {
        /// The reason given by the source.
        reason: String,
    },
}

/// The surfaces of a system that may touch, and their contact detection.
///
/// A [`GapFunction`] measures the distance of two given surfaces. Bodies with corners and edges have far more pairs
/// of features than ever touch, so a scheme uses a source to find the pairs that are near at a position. The source
/// returns a name for each pair, which stays the same while the same features touch, and for each name a gap
/// function that follows the pair. Schemes use only these traits; `percussion-collision` implements them for its
/// scenes.
///
/// # Example
///
/// A custom source: a ball, and a floor with an edge at `x = 0` and no ground on the left of it.
///
/// ```
/// use std::sync::Arc;
/// use nalgebra::{Matrix3, Vector3};
/// use percussion_dynamics::{ContactName, ContactSearch, ContactSource, Nearby, ContactSourceError};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{Body, FreeBodies, System, gap::GapFunction};
///
/// #[derive(Clone, Debug)]
/// struct Ledge(SpherePlane);
///
/// impl ContactSource for Ledge {
///     fn check(&self, system: &dyn System) -> Result<(), ContactSourceError> {
///         self.0.check(system).map_err(|error| ContactSourceError::System { reason: error.to_string() })
///     }
///     fn search(&self) -> Box<dyn ContactSearch> {
///         Box::new(self.clone())
///     }
///     fn gap(&self, _: &ContactName) -> Option<Arc<dyn GapFunction>> {
///         Some(Arc::new(self.0))
///     }
///     fn radius(&self, _: usize) -> f64 {
///         0.1
///     }
///     fn has_restitution(&self) -> bool {
///         false
///     }
/// }
///
/// impl ContactSearch for Ledge {
///     fn find(
///         &mut self,
///         system: &dyn System,
///         coordinates: &[f64],
///         proximity: f64,
///         found: &mut Vec<Nearby>,
///     ) -> Result<(), ContactSourceError> {
///         found.clear();
///         let gap = self.0.gap(system, coordinates);
///         if coordinates[0] >= 0.0 && gap <= proximity {
///             let name = ContactName { surfaces: [0, 1], features: [0, 0] };
///             found.push(Nearby { name, gap, friction: 0.5, restitution: 0.0 });
///         }
///         Ok(())
///     }
/// }
///
/// let system = FreeBodies::new(vec![Body::new(1.0, Matrix3::identity())], Vector3::zeros())?;
/// let floor = Plane::new(&Vector3::z(), &Vector3::zeros())?;
/// let mut search = Ledge(SpherePlane::new(Sphere::of_body(0, 0.1), floor)?).search();
/// let mut found = Vec::new();
/// search.find(&system, &[0.2, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], 1e-6, &mut found)?;
/// assert_eq!(found.len(), 1);
/// search.find(&system, &[-0.2, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], 1e-6, &mut found)?;
/// assert!(found.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ContactSource: Debug + Send + Sync {
    /// Checks that the surfaces exist in `system`. Callers use it once before a motion.
    ///
    /// # Errors
    ///
    /// [`ContactSourceError::System`].
    fn check(&self, system: &dyn System) -> Result<(), ContactSourceError>;

    /// Creates a search for one motion, with its own scratch.
    fn search(&self) -> Box<dyn ContactSearch>;

    /// The gap function of a contact that a search of this source found, which follows the contact while the bodies
    /// move; `None` for a name that does not belong to this source.
    fn gap(&self, name: &ContactName) -> Option<Arc<dyn GapFunction>>;

    /// Maximum distance of a point of the surfaces of `body` from the origin of its frame (m, ≥ 0); 0 without
    /// surfaces, and for an unbounded surface.
    fn radius(&self, body: usize) -> f64;

    /// The bodies of a contact, `None` for the world; or `None` if the source does not tell, which is always correct.
    fn bodies(&self, name: &ContactName) -> Option<[Option<usize>; 2]> {
        let _ = name;
        None
    }

    /// Whether a contact of this source may have a coefficient of restitution above 0, so that a scheme without
    /// restitution can say that it ignores it.
    fn has_restitution(&self) -> bool;
}

/// Finds the contacts of a [`ContactSource`] position by position.
pub trait ContactSearch: Debug + Send {
    /// Replaces the content of `found` by all contacts with a gap of at most `proximity` (m, ≥ 0), sorted by name,
    /// each once. The same input gives the same bits.
    ///
    /// # Errors
    ///
    /// [`ContactSourceError`]; the content of `found` must then not be used.
    fn find(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        proximity: f64,
        found: &mut Vec<Nearby>,
    ) -> Result<(), ContactSourceError>;

    /// As [`find`](Self::find), but each body has a reach of its own (m, ≥ 0, one per body), so that one fast body does not make
    /// all others look far: replaces the content of `found` by contacts among which are all with a gap of at most `proximity`
    /// and the reaches of both bodies together. That of the world is 0.
    ///
    /// The default searches as far as the two farthest reaches for all bodies.
    ///
    /// # Errors
    ///
    /// As [`find`](Self::find).
    fn find_within(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        proximity: f64,
        reaches: &[f64],
        found: &mut Vec<Nearby>,
    ) -> Result<(), ContactSourceError> {
        let farthest = reaches.iter().copied().fold(0.0, f64::max);
        self.find(system, coordinates, proximity + 2.0 * farthest, found)
    }

    /// The gap (m) of a contact that one of the last searches found at these coordinates, to the bit; `None` if none of those that
    /// the search keeps did, which is always correct and the default. It is the gap of the [source](ContactSource::gap), up to rounding,
    /// for a fraction of its time.
    fn known_gap(&self, coordinates: &[f64], name: &ContactName) -> Option<f64> {
        let _ = (coordinates, name);
        None
    }

    /// The [points](GapFunction::point_contact) between which such a contact acts.
    fn known_points(&self, coordinates: &[f64], name: &ContactName) -> Option<PointContact> {
        let _ = (coordinates, name);
        None
    }
}
