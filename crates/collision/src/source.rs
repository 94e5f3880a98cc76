//! The implementation of [`ContactSource`] for a [`Scene`].

use std::sync::Arc;

use percussion_dynamics::{
    ContactName, ContactSearch, ContactSource, ContactSourceError, System, gap::GapFunction,
};

use crate::{
    collider::Collider,
    contact::ContactId,
    feature::Feature,
    scene::{Scene, SceneError},
    search::Search,
};

/// The number of a surface is that of its [collider](Scene::colliders), and the number of a feature is
/// [`Feature::number`].
impl ContactSource for Scene {
    fn check(&self, system: &dyn System) -> Result<(), ContactSourceError> {
        let refused = |error: SceneError| ContactSourceError::System { reason: error.to_string() };
        self.check_system(system).map_err(refused)?;
        self.colliders()
            .iter()
            .enumerate()
            .try_for_each(|(index, collider)| {
                collider.check(system).map_err(|source| SceneError::Collider { index, source })
            })
            .map_err(refused)
    }

    fn search(&self) -> Box<dyn ContactSearch> {
        Box::new(Search::new(self))
    }

    fn gap(&self, name: &ContactName) -> Option<Arc<dyn GapFunction>> {
        let gap = self.gap_function(&ContactId::from_name(name)?)?;
        Some(Arc::new(gap))
    }

    fn radius(&self, body: usize) -> f64 {
        let of_body = |collider: &&Collider| collider.body() == Some(body);
        self.colliders().iter().filter(of_body).map(Collider::radius).fold(0.0, f64::max)
    }

    fn bodies(&self, name: &ContactName) -> Option<[Option<usize>; 2]> {
        let [first, second] = name.surfaces.map(|surface| self.colliders().get(surface));
        Some([first?.body(), second?.body()])
    }

    fn has_restitution(&self) -> bool {
        match self.pairs() {
            Some(pairs) => pairs.have_restitution(),
            // The coefficient of a contact is the geometric mean of those of both surfaces.
            None => self.colliders().iter().filter(|one| one.restitution() > 0.0).count() > 1,
        }
    }
}

impl ContactId {
    /// The same name as numbers.
    #[must_use]
    pub fn name(&self) -> ContactName {
        ContactName { surfaces: self.colliders, features: self.features.map(Feature::number) }
    }

    /// The contact with this name, or `None` if its features do not exist in any shape.
    #[must_use]
    pub fn from_name(name: &ContactName) -> Option<Self> {
        let [first, second] = name.features.map(Feature::from_number);
        Some(Self { colliders: name.surfaces, features: [first?, second?] })
    }
}

/// Number of kinds of features.
const KINDS: usize = 5;

impl Feature {
    /// The unique number of the feature.
    #[must_use]
    pub fn number(self) -> usize {
        let (kind, index) = match self {
            Self::Vertex(index) => (0, index),
            Self::Rim(index) => (1, index),
            Self::Edge(index) => (2, index),
            Self::Face(index) => (3, index),
            Self::Whole => (4, 0),
        };
        KINDS * index + kind
    }

    /// The feature with this [number](Self::number), or `None` if there is none.
    #[must_use]
    pub fn from_number(number: usize) -> Option<Self> {
        let index = number / KINDS;
        match number % KINDS {
            0 => Some(Self::Vertex(index)),
            1 => Some(Self::Rim(index)),
            2 => Some(Self::Edge(index)),
            3 => Some(Self::Face(index)),
            _ => (index == 0).then_some(Self::Whole),
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Vector3};
    use percussion_dynamics::{Body, FreeBodies};

    use super::*;
    use crate::Shape;

    #[test]
    fn features_keep_their_numbers() {
        let features = [
            Feature::Vertex(7),
            Feature::Rim(1),
            Feature::Edge(11),
            Feature::Face(3),
            Feature::Whole,
        ];
        for feature in features {
            assert_eq!(Feature::from_number(feature.number()), Some(feature));
        }
        assert_eq!(Feature::from_number(KINDS + 4), None);
    }

    #[test]
    fn radius_reaches_the_farthest_point() {
        let at = Isometry3::translation(3.0, 0.0, 0.0);
        let far = |shape, expected: f64| {
            let collider = Collider::on_body(0, shape).unwrap().with_pose(at).unwrap();
            assert!((collider.radius() - expected).abs() < 1e-14, "{collider:?}");
        };
        far(Shape::Sphere { radius: 0.5 }, 3.5);
        far(Shape::Box { half_extents: Vector3::new(1.0, 2.0, 5.0) }, 45.0_f64.sqrt());
        far(Shape::Capsule { half_length: 4.0, radius: 0.5 }, 5.5);
        far(Shape::Cylinder { half_height: 3.0, radius: 1.0 }, 5.0);
        far(Shape::HalfSpace { normal: Vector3::z() }, 0.0);
    }

    #[test]
    fn other_systems_are_refused() {
        let of = |count| {
            let bodies = vec![Body::new(1.0, nalgebra::Matrix3::identity()); count];
            FreeBodies::new(bodies, Vector3::zeros()).unwrap()
        };
        let ball = Collider::on_body(1, Shape::Sphere { radius: 0.5 }).unwrap();
        let scene = Scene::new(vec![ball], &of(2)).unwrap();
        assert_eq!(scene.check(&of(2)), Ok(()));
        assert!(matches!(scene.check(&of(3)), Err(ContactSourceError::System { .. })));
    }
}
