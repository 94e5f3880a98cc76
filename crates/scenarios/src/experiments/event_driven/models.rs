//! The block and the pendulum of their fixtures.

use nalgebra::{Isometry3, Matrix3, Vector2, Vector3};
use percussion_dynamics::{
    Anchor, Articulated, Joint, Link, MassProperties, PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane},
};
use percussion_integrators::{Contact, Model, State};
use serde::Deserialize;

use crate::{error::Error, scenario::Expected};

/// The file of the rocking block.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Block {
    gravity: f64,
    mass: f64,
    inertia: f64,
    corner: [f64; 2],
    friction: f64,
    angle: f64,
    height: f64,
    pub(super) duration: f64,
    pub(super) interval: f64,
    pub(super) expected: Vec<Expected>,
}

impl Block {
    /// The block on its two corners, and where it starts to fall.
    pub(super) fn model(&self) -> Result<(Model, State), Error> {
        let body = PlanarBody::new(self.mass, self.inertia);
        let block = PlanarBodies::new(vec![body], Vector2::new(0.0, -self.gravity))?;
        let [half_width, half_height] = self.corner;
        let corner = |(name, x): (&str, f64)| {
            let sphere = Sphere::on_body(0, Vector3::new(x, -half_height, 0.0), 0.0);
            contact(sphere, name, self.friction)
        };
        let corners = [("left corner", -half_width), ("right corner", half_width)].map(corner);
        let contacts = corners.into_iter().collect::<Result<_, Error>>()?;
        let (sin, cos) = self.angle.sin_cos();
        let lowest = half_height * cos + half_width * sin.abs();
        let coordinates = vec![0.0, lowest + self.height, self.angle];
        let start = State { time: 0.0, coordinates, velocity: vec![0.0; 3] };
        Ok((Model::new(Box::new(block), contacts)?, start))
    }
}

/// The file of the triple pendulum.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Pendulum {
    gravity: f64,
    pin: f64,
    length: f64,
    radius: f64,
    mass: f64,
    sphere_radius: f64,
    friction: f64,
    restitution: f64,
    angles: [f64; 3],
    pub(super) flight: f64,
    pub(super) damping: f64,
    pub(super) duration: f64,
    pub(super) interval: f64,
    pub(super) expected: Vec<Expected>,
}

impl Pendulum {
    /// The pendulum with dampers of `damping` (N·m·s) in its pins, and where it starts to swing.
    pub(super) fn model(&self, damping: f64) -> Result<(Model, State), Error> {
        let Self { length, radius, mass, sphere_radius, .. } = *self;
        let refused = |source| Error::Mass { path: "mass".to_owned(), source };
        let about = |moment: f64, distance: f64| {
            let center = Vector3::new(0.0, -distance, 0.0);
            MassProperties::new(mass, center, Matrix3::from_diagonal_element(moment))
                .map_err(refused)
        };
        let cylinder =
            about(mass * (3.0 * radius * radius + length * length) / 12.0, 0.5 * length)?;
        let sphere = about(0.4 * mass * sphere_radius * sphere_radius, length)?;
        let last = MassProperties::composite(&[cylinder, sphere]).map_err(refused)?;
        let pin = || Joint::revolute(Vector3::z()).with_damping(&[damping]);
        let below = Isometry3::translation(0.0, -length, 0.0);
        let links = vec![
            Link::new("first", pin())
                .at(Isometry3::translation(0.0, self.pin, 0.0))
                .with_mass(cylinder),
            Link::new("second", pin()).on("first").at(below).with_mass(cylinder),
            Link::new("third", pin()).on("second").at(below).with_mass(last),
        ];
        let pendulum = Articulated::new(links, Vector3::new(0.0, -self.gravity, 0.0))?;
        let center = Anchor::on_body(2, Vector3::new(0.0, -length, 0.0));
        let sphere = contact(Sphere { center, radius: sphere_radius }, "sphere", self.friction)?
            .with_restitution(self.restitution);
        let [first, second, third] = self.angles.map(f64::to_radians);
        let coordinates = vec![first, second - first, third - second];
        let start = State { time: 0.0, coordinates, velocity: vec![0.0; 3] };
        Ok((Model::new(Box::new(pendulum), vec![sphere])?, start))
    }
}

/// A contact with the ground at `y = 0`.
fn contact(sphere: Sphere, name: &str, friction: f64) -> Result<Contact, Error> {
    let refused = |source| Error::Gap { contact: name.to_owned(), source };
    let ground = Plane::new(&Vector3::y(), &Vector3::zeros()).map_err(refused)?;
    Ok(Contact::new(SpherePlane::new(sphere, ground).map_err(refused)?, friction))
}
