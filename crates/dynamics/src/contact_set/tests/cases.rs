//! Systems with contacts: free bodies, bodies in the plane, and a robot of several trees.

use nalgebra::{Isometry3, UnitQuaternion, Vector2, Vector3};

use super::{super::*, dense};
use crate::{
    Articulated, Body, ContactFrame, FreeBodies, Joint, Link, MassProperties, PlanarBodies,
    PlanarBody,
};

/// A system, a position of it and contacts between its bodies.
pub(super) struct Case {
    pub(super) system: Box<dyn System>,
    pub(super) coordinates: Vec<f64>,
    pub(super) contacts: Vec<Contact>,
}

/// Reproducible numbers in (−1, 1), by a linear congruential generator.
pub(super) struct Numbers(pub(super) u64);

impl Numbers {
    pub(super) fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        #[expect(clippy::cast_precision_loss, reason = "random digits")]
        let unit = (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        2.0 * unit - 1.0
    }

    pub(super) fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.next())
    }

    pub(super) fn list(&mut self, length: usize) -> Vec<f64> {
        (0..length).map(|_| self.next()).collect()
    }

    pub(super) fn mass(&mut self) -> MassProperties {
        let half = self.vector().map(|h| 0.2 + 0.1 * h.abs());
        MassProperties::solid_box(1.0 + self.next().abs(), &(half * 2.0)).unwrap()
    }

    /// A contact of two of `count` bodies, or of one with the world.
    pub(super) fn contact(&mut self, number: usize, count: usize, dimension: Dimension) -> Contact {
        let first = (7 * number + 3) % count;
        let second = if number.is_multiple_of(3) { None } else { Some((first + number) % count) };
        let second = second.filter(|second| *second != first);
        let flat = Vector3::new(1.0, 1.0, 0.0);
        let (point, normal) = (self.vector(), self.vector());
        let (point, frame) = match dimension {
            Dimension::Plane => {
                let normal = normal.component_mul(&flat);
                (point.component_mul(&flat), ContactFrame::planar(&normal).unwrap())
            }
            Dimension::Space => {
                (point, ContactFrame::from_normal(&normal, &self.vector()).unwrap())
            }
        };
        let gap = 0.1 * self.next();
        Contact::new([Some(first), second], [point + gap * frame.normal, point], frame)
            .with_friction(self.next().abs())
            .with_restitution(self.next().abs())
    }
}

/// A floating trunk with four legs of two revolute joints, and beside it an arm on the world.
pub(super) fn robot(numbers: &mut Numbers) -> Articulated {
    let mut links = vec![Link::new("trunk", Joint::free()).with_mass(numbers.mass())];
    for leg in 0..4 {
        let (thigh, shank) = (format!("thigh {leg}"), format!("shank {leg}"));
        let hip = Isometry3::new(numbers.vector(), numbers.vector());
        let axis = numbers.vector();
        let thigh_joint = Joint::revolute(axis);
        links.push(Link::new(&thigh, thigh_joint).on("trunk").at(hip).with_mass(numbers.mass()));
        let knee = Isometry3::new(numbers.vector(), numbers.vector());
        let shank_joint = Joint::revolute(numbers.vector());
        links.push(Link::new(shank, shank_joint).on(thigh).at(knee).with_mass(numbers.mass()));
    }
    links.push(Link::new("arm", Joint::spherical()).with_mass(numbers.mass()));
    links.push(Link::new("wall", Joint::fixed()));
    Articulated::new(links, Vector3::new(0.0, 0.0, -9.81)).unwrap()
}

pub(super) fn quaternion(numbers: &mut Numbers) -> [f64; 4] {
    let unit = UnitQuaternion::new(numbers.vector());
    [unit.w, unit.i, unit.j, unit.k]
}

/// Coordinates of the robot.
pub(super) fn posture(numbers: &mut Numbers) -> Vec<f64> {
    let mut coordinates = numbers.list(3);
    coordinates.extend(quaternion(numbers));
    coordinates.extend(numbers.list(8));
    coordinates.extend(quaternion(numbers));
    coordinates
}

pub(super) fn cases(seed: u64, count: usize) -> [Case; 3] {
    let mut numbers = Numbers(seed);
    let mut contacts = |bodies: usize, dimension| {
        (0..count).map(|i| numbers.contact(i, bodies, dimension)).collect::<Vec<_>>()
    };
    let of_bodies = contacts(5, Dimension::Space);
    let of_plane = contacts(4, Dimension::Plane);
    let of_robot = contacts(11, Dimension::Space);
    let bodies = (0..5).map(|_| Body::from_mass_properties(&numbers.mass())).collect();
    let free = FreeBodies::new(bodies, Vector3::new(0.0, 0.0, -9.81)).unwrap();
    let mut free_coordinates = Vec::new();
    for _ in 0..5 {
        free_coordinates.extend(numbers.list(3));
        free_coordinates.extend(quaternion(&mut numbers));
    }
    let discs = (0..4).map(|i| PlanarBody::new(1.0 + f64::from(i), 0.3)).collect();
    let plane = PlanarBodies::new(discs, Vector2::new(0.0, -9.81)).unwrap();
    let robot = robot(&mut numbers);
    [
        Case { system: Box::new(free), coordinates: free_coordinates, contacts: of_bodies },
        Case { system: Box::new(plane), coordinates: numbers.list(12), contacts: of_plane },
        Case { system: Box::new(robot), coordinates: posture(&mut numbers), contacts: of_robot },
    ]
}

impl Case {
    pub(super) fn set(&self) -> ContactSet {
        let mut set = ContactSet::for_system(&*self.system);
        for contact in &self.contacts {
            set.push(&*self.system, &self.coordinates, contact).unwrap();
        }
        set
    }

    pub(super) fn delassus(&self) -> DMatrix<f64> {
        let mut set = self.set();
        set.divide_by_mass(&*self.system, &self.coordinates).unwrap();
        dense(&set)
    }
}
