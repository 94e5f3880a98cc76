//! The search of one motion: [`Search`], which keeps pairs from position to position and the answers at the last ones.

use percussion_dynamics::{
    ContactName, ContactSearch, ContactSourceError, Dimension, Nearby, System, gap::PointContact,
};

use crate::{
    answers::Answers,
    contact::{Contact, Found},
    reach::Reach,
    scene::{Kept, Scene, SceneError, Workspace},
    solid::Solid,
};

/// A scene with scratch and with what is kept.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    scene: Scene,
    kept: Kept,
    workspace: Workspace,
    answers: Answers,
    dimension: Dimension,
}

impl Search {
    pub(crate) fn new(scene: &Scene) -> Self {
        let mut radii = vec![f64::NAN; scene.body_count()];
        for (collider, may_touch) in scene.colliders().iter().zip(scene.may_touch()) {
            let Some(body) = collider.body().filter(|_| may_touch) else { continue };
            let size = match collider.solid() {
                Solid::HalfSpace { .. } => f64::INFINITY,
                _ => collider.radius(),
            };
            radii[body] = size.max(radii[body]);
        }
        Self {
            kept: Kept::new(radii),
            scene: scene.clone(),
            workspace: Workspace::default(),
            answers: Answers::default(),
            dimension: Dimension::Space,
        }
    }
}

impl ContactSearch for Search {
    fn find(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        proximity: f64,
        found: &mut Vec<Nearby>,
    ) -> Result<(), ContactSourceError> {
        self.find_within(system, coordinates, proximity, &[], found)
    }

    fn find_within(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        proximity: f64,
        reaches: &[f64],
        found: &mut Vec<Nearby>,
    ) -> Result<(), ContactSourceError> {
        let reach = Reach { proximity, of_bodies: reaches };
        let Self { scene, kept, workspace, answers, .. } = self;
        let refused =
            |error: SceneError| ContactSourceError::Position { reason: error.to_string() };
        let bodies = scene.bodies_at(system, coordinates, &reach, workspace).map_err(refused)?;
        let of = |near: &Found| {
            let [friction, restitution] = near.coefficients;
            Nearby { name: near.id.name(), gap: near.witness.gap, friction, restitution }
        };
        found.clear();
        if let Some(near) = answers.again(coordinates, (bodies, kept.moving()), &reach) {
            found.extend(near.iter().map(of));
            return Ok(());
        }
        self.dimension = system.dimension();
        let near = scene.find_kept(self.dimension, &reach, (&mut *kept, &mut *workspace));
        let (bodies, near) = near.map_err(refused)?;
        near.sort_unstable_by_key(|near| near.id.name());
        found.extend(near.iter().map(of));
        answers.keep(coordinates, (bodies, kept.moving()), &reach, near);
        Ok(())
    }

    fn known_gap(&self, coordinates: &[f64], name: &ContactName) -> Option<f64> {
        self.answers.known(coordinates, name).map(|found| found.witness.gap)
    }

    fn known_points(&self, coordinates: &[f64], name: &ContactName) -> Option<PointContact> {
        let found = self.answers.known(coordinates, name)?;
        let colliders = found.id.colliders.map(|k| &self.scene.colliders()[k]);
        Contact::new(found, colliders, self.dimension).map(PointContact::from)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, Vector3};
    use percussion_dynamics::{Body, ContactSource, FreeBodies};

    use super::*;
    use crate::{Collider, Pair, Shape};

    /// Balls of radius 1 m have a slack of 0.05 m: one that moves by 4 mm a step needs a reference every 9th step.
    #[test]
    fn slow_motion_rarely_makes_a_reference_and_rest_none() {
        let bodies = vec![Body::new(1.0, Matrix3::identity()); 2];
        let system = FreeBodies::new(bodies, Vector3::zeros()).unwrap();
        let ball = |body| Collider::on_body(body, Shape::Sphere { radius: 1.0 }).unwrap();
        let scene = Scene::new(vec![ball(0), ball(1)], &system).unwrap();
        assert!(scene.check(&system).is_ok());
        let mut search = Search::new(&scene);
        let mut found = Vec::new();
        let mut touches = Vec::new();
        for step in 0..90 {
            let x = 2.201 - 0.004 * f64::from(step);
            let mut q = vec![0.0; 14];
            (q[3], q[7], q[10]) = (1.0, x, 1.0);
            for _ in 0..3 {
                search.find(&system, &q, 0.0, &mut found).unwrap();
            }
            touches.push(!found.is_empty());
        }
        assert_eq!(touches.iter().position(|touch| *touch), Some(51));
        assert!(search.kept.references <= 12, "{}", search.kept.references);
    }

    /// Two balls that may touch and one that may not, which falls: what is found at a place of the first two is found again.
    #[test]
    fn what_cannot_touch_changes_nothing() {
        let bodies = vec![Body::new(1.0, Matrix3::identity()); 3];
        let system = FreeBodies::new(bodies, Vector3::zeros()).unwrap();
        let ball = |body| Collider::on_body(body, Shape::Sphere { radius: 1.0 }).unwrap();
        let pair = Pair { colliders: [0, 1], friction: 0.5, restitution: 0.0 };
        let scene = Scene::new(vec![ball(0), ball(1), ball(2)], &system).unwrap();
        let scene = scene.with_pairs(&[pair]).unwrap();
        let mut search = Search::new(&scene);
        let (mut found, mut touches) = (Vec::new(), 0);
        for step in 0..99 {
            let mut q = vec![0.0; 21];
            (q[3], q[7], q[10]) = (1.0, 2.0 + 8e-4 * f64::from(step % 3), 1.0);
            (q[16], q[17]) = (-0.3 * f64::from(step), 1.0);
            let proximity = 5e-4 * f64::from(1 + step % 2);
            for _ in 0..2 {
                search.find(&system, &q, proximity, &mut found).unwrap();
                let mut anew = Vec::new();
                Search::new(&scene).find(&system, &q, proximity, &mut anew).unwrap();
                assert_eq!(found, anew, "step {step}");
                for near in &anew {
                    assert_eq!(search.known_gap(&q, &near.name), Some(near.gap), "step {step}");
                }
                touches += anew.len();
            }
        }
        // A larger proximity than the first one makes a reference.
        assert_eq!((search.kept.references, touches), (2, 100));
    }
}
