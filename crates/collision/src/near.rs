//! Contacts of two colliders at given poses, without a scene: [`between`], and [`near`] for millions of pairs.

use nalgebra::{Isometry3, Matrix3, Vector3};
use percussion_dynamics::Dimension;

use crate::{
    collider::{Collider, ColliderError, check_pose},
    contact::{self, Contact},
    feature::Feature,
    pairs::{self, Active},
    scene::{SceneError, Settings, Workspace, append},
    solid::{Placed, Solid},
};

/// The contacts of two colliders whose bodies have these `poses` (m), for callers without a system of bodies.
///
/// The first collider is body 1 and the second body 2, which must be the half-space if there is one;
/// [`ContactId::colliders`](crate::ContactId::colliders) is `[0, 1]`. The given pose also applies to a collider that is
/// fixed in the world. The frames are those of space.
///
/// # Errors
///
/// [`SceneError::Proximity`]; [`SceneError::Collider`] for an invalid pose; [`SceneError::TwoHalfSpaces`] if the first is one;
/// [`SceneError::Undecided`].
///
/// # Example
///
/// A ball of 0.5 m whose center is 0.4 m above the ground overlaps it by 0.1 m.
///
/// ```
/// use nalgebra::{Isometry3, Vector3};
/// use percussion_collision::{Collider, Settings, Shape, Workspace};
///
/// let ball = Collider::on_body(0, Shape::Sphere { radius: 0.5 })?;
/// let ground = Collider::fixed(Shape::HalfSpace { normal: Vector3::z() })?;
/// let poses = [&Isometry3::translation(3.0, 0.0, 0.4), &Isometry3::identity()];
/// let mut workspace = Workspace::default();
/// let contacts = percussion_collision::between([&ball, &ground], poses, &Settings::default(), &mut workspace)?;
/// assert!((contacts[0].gap + 0.1).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn between<'w>(
    colliders: [&Collider; 2],
    poses: [&Isometry3<f64>; 2],
    settings: &Settings,
    workspace: &'w mut Workspace,
) -> Result<&'w [Contact], SceneError> {
    check(colliders[0], settings)?;
    for (index, pose) in poses.into_iter().enumerate() {
        check_pose(pose).map_err(|source| SceneError::Collider { index, source })?;
    }
    let placed =
        [0, 1].map(|k: usize| Placed::new(colliders[k].solid(), poses[k] * colliders[k].pose()));
    let Workspace { active, found, contacts, .. } = workspace;
    found.clear();
    let named = ([0, 1], contact::coefficients(colliders));
    append(named, &placed, Dimension::Space, settings.proximity, active, found)?;
    contacts.clear();
    for near in &*found {
        let undecided = SceneError::Undecided { colliders: [0, 1] };
        contacts.push(Contact::new(near, colliders, Dimension::Space).ok_or(undecided)?);
    }
    Ok(contacts)
}

/// The pose of a body, checked and prepared for [`near`]. Make it once for all pairs of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    pose: Isometry3<f64>,
    /// Axes of the body in the world, as columns.
    axes: Matrix3<f64>,
}

impl Place {
    /// The place of a body at `pose` (m).
    ///
    /// # Errors
    ///
    /// [`ColliderError::Pose`], [`ColliderError::QuaternionNorm`].
    pub fn new(pose: &Isometry3<f64>) -> Result<Self, ColliderError> {
        check_pose(pose)?;
        Ok(Self { pose: *pose, axes: pose.rotation.to_rotation_matrix().into_inner() })
    }

    /// A collider on this body.
    #[inline(always)]
    fn of<'a>(&self, collider: &'a Collider) -> Placed<'a> {
        let Self { pose, axes } = *self;
        if collider.is_centered() {
            Placed { solid: collider.solid(), pose, axes }
        } else {
            Placed::new(collider.solid(), pose * collider.pose())
        }
    }
}

/// Features of two colliders that touch or nearly touch: a [`Contact`] without its frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Near {
    /// The features, of collider 1 and of collider 2.
    pub features: [Feature; 2],
    /// The gap (m): positive open, negative penetrating.
    pub gap: f64,
    /// The points of the two surfaces (m, world): `points[0] − points[1] = gap · normal`.
    pub points: [Vector3<f64>; 2],
    /// Unit normal from collider 2 to collider 1.
    pub normal: Vector3<f64>,
    /// Friction coefficient, the geometric mean of the two surfaces'.
    pub friction: f64,
}

/// What [`near`] finds.
#[derive(Clone, Copy, Debug)]
pub struct Nearby<'w> {
    active: &'w [Active],
    friction: f64,
    clearance: f64,
}

impl Nearby<'_> {
    /// A lower bound of the gap (m) if no features are near: at least the proximity, and larger if it is known. While
    /// the surfaces have not approached by more, nothing is near.
    ///
    /// `None` if there are features.
    #[must_use]
    pub fn clearance(&self) -> Option<f64> {
        self.active.is_empty().then_some(self.clearance)
    }

    /// The features, sorted.
    pub fn iter(&self) -> impl Iterator<Item = Near> {
        self.active.iter().map(|(features, witness)| Near {
            features: *features,
            gap: witness.gap,
            points: witness.points,
            normal: witness.normal,
            friction: self.friction,
        })
    }
}

/// The features that [`between`] finds, for many pairs: the poses are prepared and checked before, and frames are
/// left to the caller.
///
/// # Errors
///
/// Those of [`between`].
///
/// # Example
///
/// A brick lies on another one and overhangs: two of its corners and two crossings of edges touch.
///
/// ```
/// use nalgebra::{Isometry3, Vector3};
/// use percussion_collision::{Collider, Feature, Place, Settings, Shape, Workspace, near};
///
/// let brick = Collider::on_body(0, Shape::Box { half_extents: Vector3::new(0.1, 0.05, 0.03) })?;
/// let poses = [Isometry3::translation(0.12, 0.01, 0.06), Isometry3::identity()];
/// let places = [Place::new(&poses[0])?, Place::new(&poses[1])?];
/// let mut workspace = Workspace::default();
/// let colliders = [&brick, &brick];
/// let found = near(colliders, [&places[0], &places[1]], &Settings::default(), &mut workspace)?;
/// let corners = found.iter().filter(|near| matches!(near.features[0], Feature::Vertex(_)));
/// assert_eq!((found.iter().count(), corners.count()), (4, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn near<'w>(
    colliders: [&Collider; 2],
    places: [&Place; 2],
    settings: &Settings,
    workspace: &'w mut Workspace,
) -> Result<Nearby<'w>, SceneError> {
    check(colliders[0], settings)?;
    let [a, b] = [places[0].of(colliders[0]), places[1].of(colliders[1])];
    let undecided = SceneError::Undecided { colliders: [0, 1] };
    let Workspace { active, .. } = workspace;
    active.clear();
    let clearance =
        pairs::manifold(&a, &b, Dimension::Space, settings.proximity, active).ok_or(undecided)?;
    if active.iter().any(|(_, witness)| !witness.is_finite()) {
        return Err(undecided);
    }
    let friction = if active.is_empty() { 0.0 } else { contact::friction(colliders) };
    Ok(Nearby { active, friction, clearance })
}

/// Refuses an invalid proximity, and a half-space as the first collider.
fn check(first: &Collider, settings: &Settings) -> Result<(), SceneError> {
    let value = settings.proximity;
    if !(value.is_finite() && value >= 0.0) {
        return Err(SceneError::Proximity { value });
    }
    if matches!(first.solid(), Solid::HalfSpace { .. }) {
        return Err(SceneError::TwoHalfSpaces { colliders: [0, 1] });
    }
    Ok(())
}

#[cfg(test)]
#[cfg(feature = "hulls")]
mod tests {
    use nalgebra::UnitQuaternion;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::Shape;

    #[test]
    fn near_finds_what_between_finds_and_its_clearance_is_below_the_gap() {
        let hull = [Vector3::x(), Vector3::y(), Vector3::z(), -Vector3::repeat(0.4)];
        let shapes = [
            Shape::Box { half_extents: Vector3::new(0.5, 0.8, 0.3) },
            Shape::Box { half_extents: Vector3::repeat(0.4) },
            Shape::Capsule { half_length: 0.6, radius: 0.2 },
            Shape::Sphere { radius: 0.5 },
            Shape::hull(&hull).unwrap(),
        ];
        let moved = Isometry3::new(Vector3::new(0.1, 0.0, -0.2), Vector3::new(0.0, 0.5, 0.0));
        let colliders: Vec<Collider> = (0..)
            .zip(shapes)
            .map(|(k, shape)| {
                let collider =
                    Collider::on_body(0, shape).unwrap().with_friction(0.1 * f64::from(k));
                let collider = collider.unwrap();
                if k % 2 == 0 { collider.with_pose(moved).unwrap() } else { collider }
            })
            .collect();
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let (mut workspace, mut other) = (Workspace::default(), Workspace::default());
        let settings = Settings { proximity: 0.1 };
        let (mut empty, mut tight) = (0, 0);
        for _ in 0..3000 {
            let mut vector = |size: f64| Vector3::from_fn(|_, _| random.random_range(-size..size));
            let poses = [0, 1].map(|_| {
                let turn = UnitQuaternion::from_scaled_axis(vector(3.0));
                Isometry3::from_parts(vector(1.0).into(), turn)
            });
            let pair = [0, 1].map(|_| &colliders[random.random_range(0..colliders.len())]);
            let places = poses.map(|pose| Place::new(&pose).unwrap());
            let found = near(pair, [&places[0], &places[1]], &settings, &mut workspace).unwrap();
            let poses = [&poses[0], &poses[1]];
            let expected = between(pair, poses, &settings, &mut other).unwrap();
            assert_eq!(found.iter().count(), expected.len());
            for (near, contact) in found.iter().zip(expected) {
                assert_eq!((near.features, near.gap), (contact.id.features, contact.gap));
                assert_eq!((near.points, near.friction), (contact.points, contact.friction));
                assert!((near.normal - contact.frame.normal).norm() < 1e-14);
            }
            let Some(clearance) = found.clearance() else { continue };
            empty += 1;
            assert!(clearance >= settings.proximity && expected.is_empty());
            let everything = Settings { proximity: 100.0 };
            let all = between(pair, poses, &everything, &mut other).unwrap();
            let gap = all.iter().map(|contact| contact.gap).fold(f64::INFINITY, f64::min);
            assert!(clearance <= gap + 1e-12, "{clearance} {gap} {pair:?}");
            tight += usize::from(clearance > 0.5 * gap);
        }
        assert!(empty > 500 && tight > 50, "{empty} {tight}");
    }
}
