//! Contacts of bodies with the pieces of walls.

use nalgebra::{Isometry3, Vector3};
use percussion_collision::{Feature, Near, Place, SceneError, Shape};

use super::{
    super::{
        body::Body,
        contact::{Contact, Local, NO_BODY},
        form::Part,
        walls::{Facet, Kind, each_corner, stretch},
    },
    Slab, Stand, Start,
};
use crate::wall::Wall;

/// A part of a body near a piece of a wall.
struct Meeting<'a> {
    start: &'a Start<'a>,
    wall: &'a Wall,
    body: &'a Body,
    part: &'a Part,
    number: u32,
    friction: f64,
    sides: (u32, [u32; 2]),
}

impl Meeting<'_> {
    fn contact(
        &self,
        points: [Vector3<f64>; 2],
        touch: (f64, Vector3<f64>),
        features: [Feature; 2],
    ) -> Contact {
        let local = Local { parts: [self.number, 0], features };
        let drive = |point: &Vector3<f64>| self.wall.surface_velocity(point);
        Contact::at(points, touch, self.friction, local, self.sides, drive)
    }

    fn found(&self, found: &Near) -> Contact {
        self.contact(found.points, (found.gap, found.normal), found.features)
    }

    /// The contact with a prism that stands for a triangle, if it is not for another triangle.
    fn faceted(&self, found: &Near, facet: &Facet) -> Option<Contact> {
        let at = found.points[1] - self.wall.surface.reference();
        let touch = facet.corrected(found.features[1], &at, (found.gap, found.normal))?;
        Some(self.contact(found.points, touch, found.features))
    }
}

impl Slab {
    /// Finds the contacts of a body and a piece of a wall.
    pub(super) fn touch_wall(&mut self, stand: &Stand<'_>, pair: u32, [place, number]: [u32; 2]) {
        let Stand { start, .. } = stand;
        let (body, piece) = (&start.bodies[place as usize], start.walls.piece(number));
        let (wall, sides) = (start.walls.of(piece), (pair, [place - self.start, NO_BODY]));
        let materials = start.materials;
        for (number, part) in (0..).zip(&body.form.parts) {
            let friction = if materials.is_empty() {
                (part.collider.friction() * wall.friction).sqrt()
            } else {
                materials.between(body.form.material, wall.material).friction
            };
            let meeting = Meeting { start, wall, body, part, number, friction, sides };
            match (&piece.kind, part.collider.shape()) {
                (Kind::Whole, Shape::Sphere { radius }) => self.touch_ball(&meeting, *radius),
                (Kind::Whole, _) | (_, Shape::Sphere { .. }) => {}
                (Kind::Tube { axis, radius }, _) => self.touch_tube(&meeting, axis, *radius),
                (kind, _) => self.touch_piece(stand, &meeting, (place, piece.wall), kind),
            }
        }
    }

    fn touch_ball(&mut self, meeting: &Meeting<'_>, radius: f64) {
        let Meeting { body, part, wall, start, .. } = meeting;
        let center = body.position + body.orientation * part.center;
        let (gap, normal) = wall.gap(&center, radius);
        if gap <= start.reach {
            let points = [center - radius * normal, center - (radius + gap) * normal];
            self.contacts.push(meeting.contact(points, (gap, normal), [Feature::Whole; 2]));
        }
    }

    fn touch_tube(&mut self, meeting: &Meeting<'_>, axis: &Vector3<f64>, radius: f64) {
        let Meeting { body, part, wall, start, .. } = meeting;
        let pose: Isometry3<f64> = body.pose() * part.collider.pose();
        let reference = wall.surface.reference();
        each_corner(part.collider.shape(), &pose, |number, corner| {
            let from = corner - reference;
            let across = from - from.dot(axis) * axis;
            let distance = across.norm();
            let gap = radius - distance;
            if gap <= start.reach && distance > 0.0 {
                let normal = -across / distance;
                let features = [Feature::Vertex(number), Feature::Whole];
                let points = [corner, corner - gap * normal];
                self.contacts.push(meeting.contact(points, (gap, normal), features));
            }
        });
    }

    /// Contacts with what `percussion_collision` knows as a shape.
    fn touch_piece(
        &mut self,
        stand: &Stand<'_>,
        meeting: &Meeting<'_>,
        (place, wall): (u32, u32),
        kind: &Kind,
    ) {
        let (start, first) = (meeting.start, meeting.sides.1[0]);
        let poses = [&stand.places[place as usize], &stand.wall_places[wall as usize]];
        let own = &meeting.part.collider;
        match kind {
            Kind::Solid(collider) => {
                let contact = |found: &Near| Some(meeting.found(found));
                self.find(start, [own, collider], poses, first, contact);
            }
            Kind::Facet(facet) => {
                let contact = |found: &Near| meeting.faceted(found, facet);
                self.find(start, [own, &facet.collider], poses, first, contact);
            }
            Kind::Cylinder { turn, radius } => {
                let reference = meeting.wall.surface.reference();
                let at = meeting.body.position - reference;
                let reach = meeting.body.form.radius() + start.reach;
                match stretch(turn, *radius, &at, reach) {
                    Ok((collider, mut pose)) => {
                        pose.translation.vector += reference;
                        let contact = |found: &Near| Some(meeting.found(found));
                        let poses = [poses[0], &Place::new(&pose)];
                        self.find(start, [own, &collider], poses, first, contact);
                    }
                    Err(source) => {
                        let source = SceneError::Collider { index: 1, source };
                        self.refuse(start, self.start + first, source);
                    }
                }
            }
            Kind::Whole | Kind::Tube { .. } => {}
        }
    }
}
