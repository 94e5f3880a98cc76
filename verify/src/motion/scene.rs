//! Scenes of motions by plain numbers: bodies, forces, and surfaces that may touch.
//!
//! Everything is derived independently from coordinates: positions from quaternions or angles, kinetic energy from the velocity
//! of each body, distances from centers and radii.

use crate::Extended;

/// A vector of the world.
pub(super) type Vector = [Extended; 3];

/// Layout of coordinates and velocities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Free bodies in space: position and unit quaternion (`w` first); velocity of the center of mass and angular velocity,
    /// both in world axes.
    Space,
    /// Free bodies in the plane: `x`, `y`, angle; their rates.
    Plane,
    /// Links in the plane that turn about joints: the angle of each against its parent; its rate.
    Links,
}

/// One body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Mass (kg).
    pub mass: f64,
    /// Principal moments of inertia about the center of mass, in body axes (kg·m²); in the plane the last one.
    pub inertia: [f64; 3],
    /// Constant force at the center of mass besides gravity (N).
    pub force: [f64; 3],
    /// Links only: the link that carries this one.
    pub parent: Option<usize>,
    /// Links only: position of the joint in the frame of the parent (m).
    pub joint: [f64; 2],
    /// Links only: position of the center of mass in the frame of the link, whose origin is the joint (m).
    pub center: [f64; 2],
}

/// A sphere on a body, at a point of its frame: the center of mass and body axes of a free body, the joint of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// The body.
    pub body: usize,
    /// The center of the sphere (m).
    pub center: [f64; 3],
    /// Its radius (m).
    pub radius: f64,
}

/// The other side of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Other {
    /// The plane `n·x = d`, solid below.
    Plane([f64; 3], f64),
    /// A sphere on another body.
    Ball(Ball),
}

/// Two surfaces that may touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The first surface.
    pub ball: Ball,
    /// The second.
    pub other: Other,
    /// Friction coefficient.
    pub friction: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
}

/// The bodies, forces and contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Layout of the coordinates.
    pub kind: Kind,
    /// The bodies.
    pub bodies: Vec<Body>,
    /// Gravity (m/s²).
    pub gravity: [f64; 3],
    /// The contacts.
    pub contacts: Vec<Contact>,
}

/// Position and axes of a body's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) origin: Vector,
    /// Images of the body axes.
    axes: [Vector; 3],
}

pub(super) fn vector(values: &[f64]) -> Vector {
    std::array::from_fn(|k| values.get(k).copied().map_or(Extended::ZERO, Extended::from))
}

pub(super) fn plus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] + b[k])
}

pub(super) fn minus(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] - b[k])
}

pub(super) fn times(s: Extended, a: Vector) -> Vector {
    a.map(|x| s * x)
}

pub(super) fn dot(a: Vector, b: Vector) -> Extended {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn size(a: Vector) -> f64 {
    dot(a, a).sqrt().value()
}

impl Frame {
    fn planar(origin: Vector, angle: f64) -> Self {
        let (sine, cosine) = (Extended::from(angle.sin()), Extended::from(angle.cos()));
        let (zero, one) = (Extended::ZERO, Extended::ONE);
        Self { origin, axes: [[cosine, sine, zero], [-sine, cosine, zero], [zero, zero, one]] }
    }

    /// The rotation of a quaternion of any length.
    fn turned(origin: Vector, quaternion: &[f64]) -> Self {
        let [w, x, y, z] = std::array::from_fn(|k| Extended::from(quaternion[k]));
        let s = Extended::from(2.0) / (w * w + x * x + y * y + z * z);
        let one = Extended::ONE;
        let axes = [
            [one - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)],
            [s * (x * y - w * z), one - s * (x * x + z * z), s * (y * z + w * x)],
            [s * (x * z + w * y), s * (y * z - w * x), one - s * (x * x + y * y)],
        ];
        Self { origin, axes }
    }

    /// A vector of the body in world axes.
    fn out(&self, local: Vector) -> Vector {
        plus(
            plus(times(local[0], self.axes[0]), times(local[1], self.axes[1])),
            times(local[2], self.axes[2]),
        )
    }

    /// `I a` in world axes.
    pub(super) fn inertia(&self, moments: [f64; 3], a: Vector) -> Vector {
        let local = std::array::from_fn(|k| Extended::from(moments[k]) * dot(self.axes[k], a));
        self.out(local)
    }
}

impl Scene {
    /// Number of coordinates of all bodies.
    #[must_use]
    pub fn coordinate_count(&self) -> usize {
        self.bodies.len() * [7, 3, 1][self.kind as usize]
    }

    /// Number of velocities of all bodies.
    #[must_use]
    pub fn velocity_count(&self) -> usize {
        self.bodies.len() * [6, 3, 1][self.kind as usize]
    }

    /// Whether the mass matrix is constant.
    #[must_use]
    pub fn is_constant(&self) -> bool {
        let round =
            |body: &Body| body.inertia.iter().all(|i| i.to_bits() == body.inertia[0].to_bits());
        match self.kind {
            Kind::Space => self.bodies.iter().all(round),
            Kind::Plane => true,
            Kind::Links => false,
        }
    }

    pub(super) fn frames(&self, q: &[f64]) -> Vec<Frame> {
        let mut frames: Vec<Frame> = Vec::with_capacity(self.bodies.len());
        let mut angles = Vec::new();
        for (i, body) in self.bodies.iter().enumerate() {
            frames.push(match self.kind {
                Kind::Space => {
                    Frame::turned(vector(&q[7 * i..7 * i + 3]), &q[7 * i + 3..7 * i + 7])
                }
                Kind::Plane => Frame::planar(vector(&q[3 * i..3 * i + 2]), q[3 * i + 2]),
                Kind::Links => {
                    let joint = vector(&body.joint);
                    let (origin, angle) = body.parent.map_or((joint, 0.0), |parent| {
                        let frame = &frames[parent];
                        (plus(frame.origin, frame.out(joint)), angles[parent])
                    });
                    angles.push(angle + q[i]);
                    Frame::planar(origin, angle + q[i])
                }
            });
        }
        frames
    }

    /// Velocity of the origin and angular velocity of every frame.
    pub(super) fn rates(&self, frames: &[Frame], v: &[f64]) -> Vec<(Vector, Vector)> {
        let mut rates: Vec<(Vector, Vector)> = Vec::with_capacity(self.bodies.len());
        for (i, body) in self.bodies.iter().enumerate() {
            rates.push(match self.kind {
                Kind::Space => (vector(&v[6 * i..6 * i + 3]), vector(&v[6 * i + 3..6 * i + 6])),
                Kind::Plane => (vector(&v[3 * i..3 * i + 2]), vector(&[0.0, 0.0, v[3 * i + 2]])),
                Kind::Links => {
                    let own = vector(&[0.0, 0.0, v[i]]);
                    body.parent.map_or(([Extended::ZERO; 3], own), |parent| {
                        let (speed, spin) = rates[parent];
                        let arm = minus(frames[i].origin, frames[parent].origin);
                        (plus(speed, cross(spin, arm)), plus(spin, own))
                    })
                }
            });
        }
        rates
    }

    /// Position of the center of mass.
    fn mass_center(&self, frames: &[Frame], body: usize) -> Vector {
        let frame = &frames[body];
        if self.kind == Kind::Links {
            return plus(frame.origin, frame.out(vector(&self.bodies[body].center)));
        }
        frame.origin
    }

    /// Kinetic energy (J).
    #[must_use]
    pub fn kinetic(&self, q: &[f64], v: &[f64]) -> Extended {
        let frames = self.frames(q);
        let rates = self.rates(&frames, v);
        let mut twice = Extended::ZERO;
        for (i, body) in self.bodies.iter().enumerate() {
            let (speed, spin) = rates[i];
            let arm = minus(self.mass_center(&frames, i), frames[i].origin);
            let speed = plus(speed, cross(spin, arm));
            twice += Extended::from(body.mass) * dot(speed, speed);
            twice += dot(spin, frames[i].inertia(body.inertia, spin));
        }
        twice * Extended::from(0.5)
    }

    /// Potential energy of gravity and of the constant forces (J), and the sum of its absolute terms.
    #[must_use]
    pub fn potential(&self, q: &[f64]) -> (Extended, f64) {
        let frames = self.frames(q);
        let (mut sum, mut absolute) = (Extended::ZERO, 0.0);
        for (i, body) in self.bodies.iter().enumerate() {
            let place = self.mass_center(&frames, i);
            for (load, place) in self.load(body).into_iter().zip(place) {
                let term = load * place;
                sum -= term;
                absolute += term.abs().value();
            }
        }
        (sum, absolute)
    }

    /// Gravity and constant force of a body (N).
    pub(super) fn load(&self, body: &Body) -> Vector {
        plus(times(Extended::from(body.mass), vector(&self.gravity)), vector(&body.force))
    }

    /// Gap of a contact (m), the normal from the second to the first, and the points of both surfaces.
    pub(super) fn touch(
        &self,
        frames: &[Frame],
        contact: &Contact,
    ) -> (Extended, Vector, [Vector; 2]) {
        let place = |ball: &Ball| {
            let frame = &frames[ball.body];
            plus(frame.origin, frame.out(vector(&ball.center)))
        };
        let (center, radius) = (place(&contact.ball), Extended::from(contact.ball.radius));
        match contact.other {
            Other::Plane(normal, offset) => {
                let normal = vector(&normal);
                let gap = dot(normal, center) - Extended::from(offset) - radius;
                let point = minus(center, times(radius, normal));
                (gap, normal, [point, point])
            }
            Other::Ball(other) => {
                let (second, other_radius) = (place(&other), Extended::from(other.radius));
                let way = minus(center, second);
                let distance = dot(way, way).sqrt();
                let normal = times(Extended::ONE / distance, way);
                let points = [
                    minus(center, times(radius, normal)),
                    plus(second, times(other_radius, normal)),
                ];
                (distance - radius - other_radius, normal, points)
            }
        }
    }

    /// Gap of a contact (m).
    #[must_use]
    pub fn gap(&self, q: &[f64], contact: usize) -> f64 {
        self.touch(&self.frames(q), &self.contacts[contact]).0.value()
    }

    /// Velocity of the first surface against the second, at `points`.
    pub(super) fn slip(
        &self,
        frames: &[Frame],
        rates: &[(Vector, Vector)],
        contact: &Contact,
        points: &[Vector; 2],
    ) -> Vector {
        let at = |body: usize, point: Vector| {
            let (speed, spin) = rates[body];
            plus(speed, cross(spin, minus(point, frames[body].origin)))
        };
        let first = at(contact.ball.body, points[0]);
        match contact.other {
            Other::Plane(..) => first,
            Other::Ball(other) => minus(first, at(other.body, points[1])),
        }
    }

    /// Largest distance between a point of a contact and its center of rotation (m), which is the curvature
    /// of its path divided by the square of the rotation rate.
    pub(super) fn reach(&self, contact: &Contact) -> f64 {
        let local = |ball: &Ball| {
            let own = size(vector(&ball.center));
            if self.kind != Kind::Links {
                return own;
            }
            let way: f64 = self.bodies.iter().map(|body| size(vector(&body.joint))).sum();
            own + way
        };
        let other = if let Other::Ball(other) = &contact.other { local(other) } else { 0.0 };
        local(&contact.ball) + other
    }

    /// Bound of the rate of turning of any body (rad/s).
    pub(super) fn turning(&self, v: &[f64]) -> f64 {
        match self.kind {
            Kind::Space => v.chunks(6).map(|v| size(vector(&v[3..]))).fold(0.0, f64::max),
            Kind::Plane => v.chunks(3).map(|v| v[2].abs()).fold(0.0, f64::max),
            Kind::Links => v.iter().map(|v| v.abs()).sum(),
        }
    }
}
