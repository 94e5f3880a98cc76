//! The search of one motion: [`Search`], which keeps pairs from position to position and the answers at the last ones.

use percussion_dynamics::{
    ContactName, ContactSearch, ContactSourceError, Dimension, Nearby, System, gap::PointContact,
    same_bits,
};

use crate::{
    collider::Collider,
    contact::{Contact, Found},
    reach::Reach,
    scene::{Kept, Scene, Workspace},
    solid::Solid,
};

/// Number of positions that a step comes back to: its start, a point where its contacts are evaluated, and its end, once with the
/// contacts expected and once with those found.
const ANSWERS: usize = 4;

/// A scene with scratch and with what is kept.
#[derive(Clone, Debug)]
pub(crate) struct Search {
    scene: Scene,
    kept: Kept,
    workspace: Workspace,
    answers: [Answer; ANSWERS],
    /// The oldest of them.
    oldest: usize,
    dimension: Dimension,
}

/// What was found at one position.
#[derive(Clone, Debug, Default)]
struct Answer {
    /// Empty before the first answer.
    coordinates: Vec<f64>,
    /// Sorted by name.
    found: Vec<Found>,
}

impl Search {
    pub(crate) fn new(scene: &Scene) -> Self {
        let of_body = |body: usize| {
            let own = scene.colliders().iter().filter(|one| one.body() == Some(body));
            let size = |collider: &Collider| match collider.solid() {
                Solid::HalfSpace { .. } => f64::INFINITY,
                _ => collider.radius(),
            };
            own.map(size).fold(f64::NAN, f64::max)
        };
        Self {
            kept: Kept::new((0..scene.body_count()).map(of_body).collect()),
            scene: scene.clone(),
            workspace: Workspace::default(),
            answers: Default::default(),
            oldest: 0,
            dimension: Dimension::Space,
        }
    }

    /// A contact that was found at these coordinates.
    fn known(&self, coordinates: &[f64], name: &ContactName) -> Option<&Found> {
        let is_there = |answer: &&Answer| same_bits(&answer.coordinates, coordinates);
        self.answers.iter().filter(is_there).find_map(|answer| {
            let place = answer.found.binary_search_by_key(name, |found| found.id.name());
            place.ok().map(|place| &answer.found[place])
        })
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
        let near = self
            .scene
            .find_kept(system, coordinates, &reach, (&mut self.kept, &mut self.workspace))
            .map_err(|error| ContactSourceError::Position { reason: error.to_string() })?;
        near.sort_unstable_by_key(|near| near.id.name());
        found.clear();
        found.extend(near.iter().map(|near| {
            let [friction, restitution] = near.coefficients;
            Nearby { name: near.id.name(), gap: near.witness.gap, friction, restitution }
        }));
        let answer = &mut self.answers[self.oldest];
        std::mem::swap(&mut answer.found, near);
        answer.coordinates.clear();
        answer.coordinates.extend_from_slice(coordinates);
        self.oldest = (self.oldest + 1) % ANSWERS;
        self.dimension = system.dimension();
        Ok(())
    }

    fn known_gap(&self, coordinates: &[f64], name: &ContactName) -> Option<f64> {
        self.known(coordinates, name).map(|found| found.witness.gap)
    }

    fn known_points(&self, coordinates: &[f64], name: &ContactName) -> Option<PointContact> {
        let found = self.known(coordinates, name)?;
        let colliders = found.id.colliders.map(|k| &self.scene.colliders()[k]);
        Contact::new(found, colliders, self.dimension).map(PointContact::from)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, Vector3};
    use percussion_dynamics::{Body, ContactSource, FreeBodies};

    use super::*;
    use crate::Shape;

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
}
