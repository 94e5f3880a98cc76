//! Stacks of boxes in the plane.

use nalgebra::{Vector2, Vector3};
use percussion_collision::{Collider, Feature, Scene, Shape};
use percussion_dynamics::{ContactName, PlanarBodies, PlanarBody};
use percussion_integrators::{Contacts, Model, State};
use serde::Deserialize;

use crate::error::Error;

/// A stack of equal boxes over level ground.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stack {
    pub(super) count: usize,
    /// Mass of a box (kg).
    pub(super) mass: f64,
    /// Half of its width (m).
    pub(super) half_width: f64,
    /// Half of its height (m).
    pub(super) half_height: f64,
    /// Gap below every box at the start (m).
    pub(super) gap: f64,
    pub(super) friction: f64,
    /// Acceleration of gravity (m/s²).
    pub(super) gravity: f64,
}

impl Stack {
    pub(super) fn build(&self) -> Result<(Model, State), Error> {
        let Self { count, mass, half_width: a, half_height: b, .. } = *self;
        let body = PlanarBody::new(mass, mass * (a * a + b * b) / 3.0);
        let system = PlanarBodies::new(vec![body; count], Vector2::new(0.0, -self.gravity))?;
        let shape = Shape::Rectangle { half_extents: Vector2::new(a, b) };
        let refused = |source| Error::Surface { name: "box or ground".to_owned(), source };
        let of_box = |body| Collider::on_body(body, shape.clone());
        let ground = Collider::fixed(Shape::HalfSpace { normal: Vector3::y() });
        let colliders = (0..count).map(of_box).chain([ground]);
        let rough = colliders.map(|collider| collider?.with_friction(self.friction));
        let colliders = rough.collect::<Result<Vec<_>, _>>().map_err(refused)?;
        let scene = Scene::new(colliders, &system)?;
        let height = |k: usize| b + (2.0 * b) * k as f64 + self.gap * (k + 1) as f64;
        let coordinates = (0..count).flat_map(|k| [0.0, height(k), 0.0]).collect();
        let state = State { time: 0.0, coordinates, velocity: vec![0.0; 3 * count] };
        Ok((Model::new(Box::new(system), vec![])?.with_contact_source(scene)?, state))
    }

    /// Index of the contact between the ground and a lower corner of the lowest box: corner 0 is the left one, 1 the right one.
    pub(super) fn on_ground(&self, contacts: &Contacts, corner: usize) -> Option<usize> {
        let features = [Feature::Vertex(corner), Feature::Face(0)].map(Feature::number);
        let is_it = |name: ContactName| name == ContactName { surfaces: [0, self.count], features };
        (0..contacts.len()).find(|&contact| contacts.name(contact).is_some_and(is_it))
    }
}
