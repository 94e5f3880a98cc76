//! Stacks of boxes in the plane, whose lower corners meet what is below.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::{
    Anchor, ContactFrame, ContactRows, GapFunction, PlanarBodies, PlanarBody, System,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_integrators::{Contact, Model, State};
use serde::Deserialize;

use crate::error::Error;

/// A stack of equal boxes over level ground.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stack {
    pub(super) count: usize,
    /// kg.
    pub(super) mass: f64,
    /// m.
    pub(super) half_width: f64,
    /// m.
    pub(super) half_height: f64,
    /// Gap below every box at the start (m).
    pub(super) gap: f64,
    pub(super) friction: f64,
    /// m/s².
    pub(super) gravity: f64,
}

impl Stack {
    /// Contacts `2 k` and `2 k + 1` are those of the corners of box `k`.
    pub(super) fn build(&self) -> Result<(Model, State), Error> {
        let Self { count, mass, half_width: a, half_height: b, .. } = *self;
        let body = PlanarBody::new(mass, mass * (a * a + b * b) / 3.0);
        let system = PlanarBodies::new(vec![body; count], Vector2::new(0.0, -self.gravity))?;
        let refused = |source| Error::Gap { contact: "corner–ground".to_owned(), source };
        let ground = Plane::new(&Vector3::y(), &Vector3::zeros()).map_err(refused)?;
        let mut contacts = Vec::new();
        for above in 0..count {
            for x in [-a, a] {
                let corner = Anchor::on_body(above, Vector3::new(x, -b, 0.0));
                let gap: Box<dyn GapFunction> = match above.checked_sub(1) {
                    Some(below) => Box::new(CornerOnTop { corner, below, half_height: b }),
                    None => {
                        let corner = Sphere { center: corner, radius: 0.0 };
                        Box::new(SpherePlane::new(corner, ground).map_err(refused)?)
                    }
                };
                contacts.push(Contact { gap, friction: self.friction, restitution: 0.0 });
            }
        }
        let height = |k: usize| b + (2.0 * b) * k as f64 + self.gap * (k + 1) as f64;
        let coordinates = (0..count).flat_map(|k| [0.0, height(k), 0.0]).collect();
        let state = State { time: 0.0, coordinates, velocity: vec![0.0; 3 * count] };
        Ok((Model::new(Box::new(system), contacts)?, state))
    }
}

/// A corner over the line through the top of the box below.
#[derive(Clone, Copy, Debug)]
struct CornerOnTop {
    corner: Anchor,
    below: usize,
    half_height: f64,
}

impl CornerOnTop {
    /// The gap, the corner and the outward normal of the top.
    fn place(&self, system: &dyn System, coordinates: &[f64]) -> (f64, Vector3<f64>, Vector3<f64>) {
        let below = system.pose(coordinates, self.below);
        let normal = below.rotation * Vector3::y();
        let corner = self.corner.position(system, coordinates);
        (normal.dot(&(corner - below.translation.vector)) - self.half_height, corner, normal)
    }
}

impl GapFunction for CornerOnTop {
    fn gap(&self, system: &dyn System, coordinates: &[f64]) -> f64 {
        self.place(system, coordinates).0
    }

    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
        let (gap, corner, normal) = self.place(system, coordinates);
        rows.clear();
        if let Ok(frame) = ContactFrame::planar(&normal) {
            // The line is rigid, so any of its points below the corner gives the gradient of the gap.
            let below = Anchor::on_body(self.below, Vector3::zeros());
            rows.add_point(system, coordinates, &self.corner, &corner, &frame, 1.0);
            rows.add_point(system, coordinates, &below, &corner, &frame, -1.0);
        }
        gap
    }
}
