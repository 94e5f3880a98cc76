//! All colliders of a system and the contacts between them: [`Scene`].

mod error;
mod kept;

use nalgebra::Isometry3;
use percussion_dynamics::{Dimension, System};

use crate::{
    broad_phase::BroadPhase,
    collider::{Collider, check_pose},
    contact::{self, Contact, ContactId, FeatureGap, Found},
    pair::{Pair, Pairs},
    pairs::{self, Active},
    reach::Reach,
    solid::{Aabb, Placed, Solid},
};

pub use error::SceneError;
pub(crate) use kept::Kept;

/// Up to this number of bounded colliders, all their pairs are compared, which takes less time than a tree.
const FEW: usize = 40;

/// Settings of [`Scene::contacts`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Maximum gap (m) of the contacts found, at least 0; default `1e-6`.
    ///
    /// For impacts it should be the uncertainty of positions: the tolerance of the search for the time of impact
    /// times the speed, or that of the integrator. For time stepping it should be the distance by which bodies
    /// approach in a step.
    pub proximity: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { proximity: 1e-6 }
    }
}

/// The colliders of a system.
///
/// Colliders of the same body never touch each other. Neither do two colliders that are fixed in the world, or those
/// of bodies that are [excluded](Scene::exclude).
///
/// An impact begins when two features that were apart are first found to overlap. The other contacts that take part
/// in it are a matter of tolerance. Positions are known only up to some uncertainty, and a box that falls flat on
/// the ground touches it with four corners, although one of them overlaps first because of rounding. So every pair
/// of features with a gap of at most [`Settings::proximity`] is *proximal* and belongs to the impact, and all such
/// pairs are resolved at once. Otherwise the result would depend on rounding, symmetry would be lost and a load
/// would not be distributed over several points.
///
/// # Source
///
/// T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact: modelling simultaneous
/// frictional collisions in spatial multibody systems", *Proceedings of the Royal Society A* 471
/// (2015) 20140859, section 3(a).
///
/// # Example
///
/// A box of 1 kg with edges of 2 m lies on the ground: four contacts, one per lower corner.
///
/// ```
/// use nalgebra::{Matrix3, Vector3};
/// use percussion_collision::{Collider, Scene, Settings, Shape, Workspace};
/// use percussion_dynamics::{Body, FreeBodies};
///
/// let bodies = vec![Body::new(1.0, Matrix3::identity())];
/// let system = FreeBodies::new(bodies, Vector3::new(0.0, 0.0, -9.81))?;
/// let scene = Scene::new(
///     vec![
///         Collider::on_body(0, Shape::Box { half_extents: Vector3::repeat(1.0) })?,
///         Collider::fixed(Shape::HalfSpace { normal: Vector3::z() })?,
///     ],
///     &system,
/// )?;
/// let mut workspace = Workspace::default();
/// let lying = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0];
/// let contacts = scene.contacts(&system, &lying, &Settings::default(), &mut workspace)?;
/// assert_eq!(contacts.len(), 4);
/// assert!(contacts.iter().all(|contact| contact.gap == 0.0 && contact.frame.normal == Vector3::z()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    colliders: Vec<Collider>,
    /// Colliders with a bounding box, and those without one.
    bounded: Vec<usize>,
    half_spaces: Vec<usize>,
    /// Sorted pairs of bodies.
    excluded: Vec<[usize; 2]>,
    /// Sorted list of bodies that do not touch anything fixed.
    at_rest: Vec<usize>,
    /// The pairs that may touch, if not all may.
    pairs: Option<Pairs>,
    /// Of a few colliders with a bounding box those that can touch, by their places in `bounded`, ascending.
    few: Option<Vec<[usize; 2]>>,
    body_count: usize,
    coordinate_count: usize,
}

/// Scratch of [`Scene::contacts`]. The caller keeps it, so that later steps allocate nothing.
///
/// Pairs whose distance parry's iteration computes are the exception: it allocates a little.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// Poses of the bodies, and of the colliders in the world.
    bodies: Vec<Isometry3<f64>>,
    poses: Vec<Isometry3<f64>>,
    /// Of the bounded colliders.
    boxes: Vec<Aabb>,
    broad_phase: BroadPhase,
    pairs: Vec<[usize; 2]>,
    pub(crate) active: Vec<Active>,
    pub(crate) found: Vec<Found>,
    pub(crate) contacts: Vec<Contact>,
}

impl Workspace {
    /// The contacts of the last call, sorted.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.contacts
    }
}

impl Scene {
    /// Creates a scene of these colliders on the bodies of `system`.
    ///
    /// # Errors
    ///
    /// [`SceneError::Collider`], [`SceneError::TwoHalfSpaces`].
    pub fn new(colliders: Vec<Collider>, system: &dyn System) -> Result<Self, SceneError> {
        for (index, collider) in colliders.iter().enumerate() {
            collider.check(system).map_err(|source| SceneError::Collider { index, source })?;
        }
        let is_half_space = |&k: &usize| matches!(colliders[k].solid(), Solid::HalfSpace { .. });
        let (half_spaces, bounded): (Vec<usize>, Vec<usize>) =
            (0..colliders.len()).partition(is_half_space);
        for (position, &i) in half_spaces.iter().enumerate() {
            for &j in &half_spaces[position + 1..] {
                if colliders[i].body() != colliders[j].body() {
                    return Err(SceneError::TwoHalfSpaces { colliders: [i, j] });
                }
            }
        }
        Ok(Self {
            colliders,
            bounded,
            half_spaces,
            excluded: Vec::new(),
            at_rest: Vec::new(),
            pairs: None,
            few: None,
            body_count: system.body_count(),
            coordinate_count: system.coordinate_count(),
        }
        .with_few())
    }

    /// The same scene with the pairs of a few colliders listed.
    fn with_few(mut self) -> Self {
        let count = self.bounded.len();
        let pairs = || (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j]));
        let touch = |pair: &[usize; 2]| self.can_touch(pair.map(|k| self.bounded[k]));
        self.few = (count <= FEW).then(|| pairs().filter(touch).collect());
        self
    }

    /// The same scene without contacts between the two bodies, for bodies that a joint connects.
    ///
    /// # Errors
    ///
    /// [`SceneError::Excluded`].
    pub fn exclude(mut self, body: usize, other: usize) -> Result<Self, SceneError> {
        let count = self.body_count;
        if let Some(&body) = [body, other].iter().find(|body| **body >= count) {
            return Err(SceneError::Excluded { body, count });
        }
        let pair = [body.min(other), body.max(other)];
        if let Err(position) = self.excluded.binary_search(&pair) {
            self.excluded.insert(position, pair);
        }
        Ok(self.with_few())
    }

    /// The same scene without contacts between the body and everything fixed in the world, for bodies that are fixed
    /// themselves.
    ///
    /// # Errors
    ///
    /// [`SceneError::Excluded`].
    pub fn exclude_world(mut self, body: usize) -> Result<Self, SceneError> {
        let count = self.body_count;
        if body >= count {
            return Err(SceneError::Excluded { body, count });
        }
        if let Err(position) = self.at_rest.binary_search(&body) {
            self.at_rest.insert(position, body);
        }
        Ok(self.with_few())
    }

    /// The same scene, in which only these pairs of colliders touch, with the coefficients of the pair instead of
    /// those of the surfaces. Pairs that never touch, such as those of bodies that are [excluded](Scene::exclude),
    /// remain without contacts.
    ///
    /// # Errors
    ///
    /// [`SceneError::Pair`].
    pub fn with_pairs(self, pairs: &[Pair]) -> Result<Self, SceneError> {
        let pairs = Pairs::new(pairs, self.colliders.len())
            .map_err(|(index, source)| SceneError::Pair { index, source })?;
        Ok(Self { pairs: Some(pairs), ..self }.with_few())
    }

    /// Whether each collider may touch any other; said of all where it would take long to find out.
    pub(crate) fn may_touch(&self) -> Vec<bool> {
        let Some(few) = &self.few else { return vec![true; self.colliders.len()] };
        let mut may = vec![false; self.colliders.len()];
        let among = few.iter().map(|pair| pair.map(|k| self.bounded[k]));
        let ground = self.half_spaces.iter();
        let over = ground.flat_map(|ground| self.bounded.iter().map(|above| [*above, *ground]));
        for pair in among.chain(over.filter(|pair| self.can_touch(*pair))) {
            pair.into_iter().for_each(|k| may[k] = true);
        }
        may
    }

    /// The pairs with coefficients of their own, if not all colliders may touch.
    pub(crate) const fn pairs(&self) -> Option<&Pairs> {
        self.pairs.as_ref()
    }

    /// The colliders, in the order of the indices in contacts.
    #[must_use]
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// Number of bodies of the system.
    pub(crate) const fn body_count(&self) -> usize {
        self.body_count
    }

    /// The gap function of a contact of this scene, which follows it while the bodies move. `None` if the scene has
    /// no such colliders, their shapes have [no such features](Collider::has), or both are the same collider.
    #[must_use]
    pub fn gap_function(&self, id: &ContactId) -> Option<FeatureGap> {
        let [i, j] = id.colliders;
        let colliders = [self.colliders.get(i)?, self.colliders.get(j)?];
        let named = i != j && (0..2).all(|k| colliders[k].has(id.features[k]));
        named.then(|| FeatureGap::new(colliders.map(Clone::clone), id.features))
    }

    /// Finds the contacts with a gap of at most [`Settings::proximity`], sorted by their
    /// [identifiers](ContactId).
    ///
    /// Body 1 of a pair carries the collider with the smaller index. A half-space and everything fixed in the world
    /// is always body 2, so that normals point out of the ground.
    ///
    /// # Errors
    ///
    /// [`SceneError::Proximity`]; [`SceneError::Length`] for coordinates or a system of a different size; [`SceneError::Collider`]
    /// for a position that is not finite; [`SceneError::Undecided`].
    pub fn contacts<'w>(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        settings: &Settings,
        workspace: &'w mut Workspace,
    ) -> Result<&'w [Contact], SceneError> {
        let reach = Reach { proximity: settings.proximity, of_bodies: &[] };
        self.find(system, coordinates, &reach, workspace)?;
        let Workspace { found, contacts, .. } = workspace;
        contacts.clear();
        for near in &*found {
            let undecided = SceneError::Undecided { colliders: near.id.colliders };
            let both = near.id.colliders.map(|index| &self.colliders[index]);
            contacts.push(Contact::new(near, both, system.dimension()).ok_or(undecided)?);
        }
        contacts.sort_unstable();
        Ok(contacts)
    }

    /// Finds the features of [`contacts`](Self::contacts), without the data that the rows of a contact need.
    pub(crate) fn find<'w>(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        reach: &Reach<'_>,
        workspace: &'w mut Workspace,
    ) -> Result<&'w [Found], SceneError> {
        self.check(system, coordinates, reach)?;
        system.poses(coordinates, &mut workspace.bodies);
        self.place(&workspace.bodies, &mut workspace.poses)?;
        self.find_pairs(reach, workspace);
        let Workspace { poses, pairs, active, found, .. } = workspace;
        found.clear();
        for pair in pairs {
            let indices = self.in_order(*pair);
            let placed = indices.map(|k| Placed::new(self.colliders[k].solid(), poses[k]));
            let coefficients = match self.pairs.as_ref().and_then(|pairs| pairs.get(*pair)) {
                Some(own) => [own.friction, own.restitution],
                None => contact::coefficients(indices.map(|k| &self.colliders[k])),
            };
            let [a, b] = indices.map(|k| reach.of(&self.colliders[k]));
            let named = (indices, coefficients);
            append(named, &placed, system.dimension(), reach.proximity + a + b, active, found)?;
        }
        Ok(found)
    }

    /// Writes the poses of the colliders, given those of the bodies.
    fn place(
        &self,
        bodies: &[Isometry3<f64>],
        poses: &mut Vec<Isometry3<f64>>,
    ) -> Result<(), SceneError> {
        poses.clear();
        for (index, collider) in self.colliders.iter().enumerate() {
            let pose = match collider.body() {
                Some(body) => bodies[body] * collider.pose(),
                None => *collider.pose(),
            };
            check_pose(&pose).map_err(|source| SceneError::Collider { index, source })?;
            poses.push(pose);
        }
        Ok(())
    }

    fn check(
        &self,
        system: &dyn System,
        coordinates: &[f64],
        reach: &Reach<'_>,
    ) -> Result<(), SceneError> {
        let numbers = std::iter::once(&reach.proximity).chain(reach.of_bodies);
        for &value in numbers {
            if !(value.is_finite() && value >= 0.0) {
                return Err(SceneError::Proximity { value });
            }
        }
        self.check_system(system)?;
        let (expected, found) = (self.coordinate_count, coordinates.len());
        if found != expected {
            return Err(SceneError::Length { quantity: "length of coordinates", expected, found });
        }
        let (expected, found) = (self.body_count, reach.of_bodies.len());
        if found != 0 && found != expected {
            return Err(SceneError::Length { quantity: "number of reaches", expected, found });
        }
        Ok(())
    }

    /// Refuses a system whose size is not that of the scene.
    pub(crate) fn check_system(&self, system: &dyn System) -> Result<(), SceneError> {
        let counts = [
            ("number of bodies", self.body_count, system.body_count()),
            ("number of coordinates", self.coordinate_count, system.coordinate_count()),
        ];
        match counts.into_iter().find(|(_, expected, found)| expected != found) {
            Some((quantity, expected, found)) => {
                Err(SceneError::Length { quantity, expected, found })
            }
            None => Ok(()),
        }
    }

    /// Writes the pairs of colliders whose boxes are within reach.
    fn find_pairs(&self, reach: &Reach<'_>, workspace: &mut Workspace) {
        let Workspace { poses, boxes, broad_phase, pairs, .. } = workspace;
        boxes.clear();
        boxes.extend(self.bounded.iter().filter_map(|&index| {
            let aabb = self.colliders[index].solid().aabb(&poses[index])?;
            Some(aabb.grown(0.5 * reach.proximity + reach.of(&self.colliders[index])))
        }));
        match &self.few {
            Some(few) => {
                pairs.clear();
                pairs.extend(few.iter().filter(|[i, j]| boxes[*i].overlaps(&boxes[*j])));
            }
            None => {
                broad_phase.pairs(boxes, pairs);
                pairs.retain(|pair| self.can_touch(pair.map(|k| self.bounded[k])));
            }
        }
        for pair in pairs.iter_mut() {
            *pair = pair.map(|k| self.bounded[k]);
        }
        for &half_space in &self.half_spaces {
            let collider = &self.colliders[half_space];
            let solid = collider.solid();
            let (normal, offset) = Placed::new(solid, poses[half_space]).face(0);
            // The boxes have their own reach and the other half of the proximity.
            let level = offset + 0.5 * reach.proximity + reach.of(collider);
            for (&bounded, aabb) in self.bounded.iter().zip(&*boxes) {
                let pair = [bounded, half_space];
                if aabb.reaches_below(&normal, level) && self.can_touch(pair) {
                    pairs.push(pair);
                }
            }
        }
    }

    fn can_touch(&self, pair: [usize; 2]) -> bool {
        if self.pairs.as_ref().is_some_and(|pairs| pairs.get(pair).is_none()) {
            return false;
        }
        match pair.map(|index| self.colliders[index].body()) {
            [None, None] => false,
            [Some(a), Some(b)] => {
                a != b && self.excluded.binary_search(&[a.min(b), a.max(b)]).is_err()
            }
            [Some(body), None] | [None, Some(body)] => self.at_rest.binary_search(&body).is_err(),
        }
    }

    /// The pair with body 1 first.
    fn in_order(&self, pair: [usize; 2]) -> [usize; 2] {
        let key = |index: usize| {
            let collider = &self.colliders[index];
            let is_half_space = matches!(collider.solid(), Solid::HalfSpace { .. });
            (is_half_space, collider.body().is_none(), index)
        };
        let [i, j] = pair;
        if key(i) <= key(j) { [i, j] } else { [j, i] }
    }
}

/// Appends the features of one pair that are near, sorted; returns a lower bound of the gap (m) if there are none.
pub(crate) fn append(
    (colliders, coefficients): ([usize; 2], [f64; 2]),
    [a, b]: &[Placed<'_>; 2],
    dimension: Dimension,
    margin: f64,
    active: &mut Vec<Active>,
    found: &mut Vec<Found>,
) -> Result<f64, SceneError> {
    let undecided = SceneError::Undecided { colliders };
    active.clear();
    let gap = pairs::manifold(a, b, dimension, margin, active).ok_or(undecided)?;
    for (features, witness) in &*active {
        if !witness.is_finite() {
            return Err(undecided);
        }
        let id = ContactId { colliders, features: *features };
        found.push(Found { id, witness: *witness, coefficients });
    }
    Ok(gap)
}
