//! Motions of random scenes, by every scheme that accepts them.

mod generate;
mod run;

use nalgebra::{Isometry3, Matrix3, Translation3, UnitQuaternion, Vector2, Vector3};
use percussion_dynamics::{
    Articulated, Body as FreeBody, FreeBodies, Joint, Lagrangian, Link, MassProperties,
    PlanarBodies, PlanarBody, System,
    gap::{GapFunction, Plane, Sphere, SpherePlane, SphereSphere},
};
use percussion_verify::{Verdict, motion as judge};
use serde::{Deserialize, Serialize};

use crate::{Case, Source, Tally, fuzz};

/// Layout of the coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Free bodies in space.
    Space,
    /// Free bodies in the plane.
    Plane,
    /// A tree of links in the plane.
    Links,
}

/// One body; see [`judge::Body`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Body {
    /// Mass (kg).
    pub mass: f64,
    /// Principal moments (kg·m²).
    pub inertia: [f64; 3],
    /// Constant force (N).
    pub force: [f64; 3],
    /// The link that carries this one.
    pub parent: Option<usize>,
    /// Place of the joint (m).
    pub joint: [f64; 2],
    /// Center of mass of a link (m).
    pub center: [f64; 2],
}

/// A sphere on a body.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Ball {
    /// The body.
    pub body: usize,
    /// Center (m).
    pub center: [f64; 3],
    /// Radius (m).
    pub radius: f64,
}

/// The other side of a contact.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Other {
    /// Normal of length 1 and offset (m).
    Plane([f64; 3], f64),
    /// Another sphere.
    Ball(Ball),
}

/// A contact.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Contact {
    /// First surface.
    pub ball: Ball,
    /// Second surface.
    pub other: Other,
    /// `μ`.
    pub friction: f64,
    /// `e`.
    pub restitution: f64,
}

/// A scene, its start, and its integration settings.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Motion {
    /// Layout of the coordinates.
    pub kind: Kind,
    /// The bodies.
    pub bodies: Vec<Body>,
    /// Gravity (m/s²).
    pub gravity: [f64; 3],
    /// The contacts.
    pub contacts: Vec<Contact>,
    /// Start.
    pub coordinates: Vec<f64>,
    /// Start.
    pub velocity: Vec<f64>,
    /// Length of a step (s).
    pub step: f64,
    /// Number of steps.
    pub steps: usize,
    /// Units of mass, length and time that settings are in (kg, m, s).
    pub units: [f64; 3],
    /// Spring constant of compliant contacts (N/m).
    pub stiffness: f64,
    /// Damping ratio of compliant contacts.
    pub damping: f64,
}

/// The target for libFuzzer.
pub fn target(data: &[u8]) {
    fuzz::<Motion>(data);
}

impl Case for Motion {
    const NAME: &'static str = "motion";

    fn generate(source: &mut Source<'_>) -> Self {
        generate::motion(source)
    }

    fn check(&self, tally: &mut Tally) {
        let Some(system) = self.system() else {
            tally.count("scene", "Refused");
            return;
        };
        let scene = self.scene();
        if !self.is_sound(&scene) {
            tally.count("scene", "Unsound");
            return;
        }
        self.check_model(system.as_ref(), &scene, tally);
        run::all(self, &scene, tally);
    }

    fn smaller(&self) -> Vec<Self> {
        let mut list = Vec::new();
        for k in 0..self.contacts.len() {
            let mut smaller = self.clone();
            smaller.contacts.remove(k);
            list.push(smaller);
        }
        for steps in [self.steps / 2, self.steps - self.steps / 10, self.steps - 1] {
            if steps > 0 && steps < self.steps {
                list.push(Self { steps, ..self.clone() });
            }
        }
        list
    }
}

impl Motion {
    /// Whether the generator could have made the scene: simplified numbers must remain physically meaningful.
    fn is_sound(&self, scene: &judge::Scene) -> bool {
        let [_, length, time] = self.units;
        let moments = |b: &Body| {
            let [x, y, z] = b.inertia;
            match self.kind {
                Kind::Space => x.min(y).min(z) > 0.0 && x + y >= z && y + z >= x && z + x >= y,
                _ => z > 0.0,
            }
        };
        let unit = |c: &Contact| match c.other {
            Other::Plane(n, _) => (n.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12,
            Other::Ball(other) => c.ball.radius > 0.0 && other.radius > 0.0,
        };
        let turned = |q: &[f64]| (q[3..].iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-12;
        let open = |k| scene.gap(&self.coordinates, k) >= -1e-9 * length;
        // Planar motion has no forces out of the plane, and links have only gravity.
        let flat = self.gravity[2] == 0.0 && self.bodies.iter().all(|b| b.force[2] == 0.0);
        let free = self.bodies.iter().all(|b| b.force.iter().all(|f| *f == 0.0));
        self.units.iter().all(|unit| *unit > 0.0)
            && self.step <= 0.02 * time
            && (self.kind == Kind::Space || flat)
            && (self.kind != Kind::Links || free)
            && self.bodies.iter().all(|b| b.mass > 0.0 && moments(b))
            && self.contacts.iter().all(unit)
            && (self.kind != Kind::Space || self.coordinates.chunks(7).all(turned))
            && (0..self.contacts.len()).all(open)
    }

    /// The scene for the judge.
    fn scene(&self) -> judge::Scene {
        let ball = |b: &Ball| judge::Ball { body: b.body, center: b.center, radius: b.radius };
        let contact = |c: &Contact| judge::Contact {
            ball: ball(&c.ball),
            other: match &c.other {
                Other::Plane(normal, offset) => judge::Other::Plane(*normal, *offset),
                Other::Ball(other) => judge::Other::Ball(ball(other)),
            },
            friction: c.friction,
            restitution: c.restitution,
        };
        let body = |b: &Body| judge::Body {
            mass: b.mass,
            inertia: b.inertia,
            force: b.force,
            parent: b.parent,
            joint: b.joint,
            center: b.center,
        };
        judge::Scene {
            kind: match self.kind {
                Kind::Space => judge::Kind::Space,
                Kind::Plane => judge::Kind::Plane,
                Kind::Links => judge::Kind::Links,
            },
            bodies: self.bodies.iter().map(body).collect(),
            gravity: self.gravity,
            contacts: self.contacts.iter().map(contact).collect(),
        }
    }

    fn free_bodies(&self) -> Option<FreeBodies> {
        let body = |b: &Body| {
            FreeBody::new(b.mass, Matrix3::from_diagonal(&Vector3::from(b.inertia)))
                .with_force(Vector3::from(b.force))
        };
        FreeBodies::new(self.bodies.iter().map(body).collect(), Vector3::from(self.gravity)).ok()
    }

    fn planar_bodies(&self) -> Option<PlanarBodies> {
        let body = |b: &Body| {
            PlanarBody::new(b.mass, b.inertia[2]).with_force(Vector2::new(b.force[0], b.force[1]))
        };
        let gravity = Vector2::new(self.gravity[0], self.gravity[1]);
        PlanarBodies::new(self.bodies.iter().map(body).collect(), gravity).ok()
    }

    fn links(&self) -> Option<Articulated> {
        let link = |(i, b): (usize, &Body)| {
            let at = Translation3::new(b.joint[0], b.joint[1], 0.0);
            let center = Vector3::new(b.center[0], b.center[1], 0.0);
            let inertia = Matrix3::from_diagonal(&Vector3::from(b.inertia));
            let link = Link::new(i.to_string(), Joint::revolute(Vector3::z()))
                .at(Isometry3::from_parts(at, UnitQuaternion::identity()))
                .with_mass(MassProperties::new(b.mass, center, inertia).ok()?);
            Some(match b.parent {
                Some(parent) => link.on(parent.to_string()),
                None => link,
            })
        };
        let links = self.bodies.iter().enumerate().map(link).collect::<Option<Vec<_>>>()?;
        Articulated::new(links, Vector3::from(self.gravity)).ok()
    }

    fn system(&self) -> Option<Box<dyn System>> {
        Some(match self.kind {
            Kind::Space => Box::new(self.free_bodies()?),
            Kind::Plane => Box::new(self.planar_bodies()?),
            Kind::Links => Box::new(self.links()?),
        })
    }

    /// Systems with `q̇ = v`.
    fn lagrangian(&self) -> Option<Box<dyn Lagrangian>> {
        Some(match self.kind {
            Kind::Space => return None,
            Kind::Plane => Box::new(self.planar_bodies()?),
            Kind::Links => Box::new(self.links()?),
        })
    }

    fn gaps(&self) -> Option<Vec<Gap>> {
        let sphere = |b: &Ball| Sphere::on_body(b.body, Vector3::from(b.center), b.radius);
        let gap = |c: &Contact| {
            Some(match &c.other {
                Other::Plane(normal, offset) => {
                    let normal = Vector3::from(*normal);
                    let plane = Plane::new(&normal, &(*offset * normal)).ok()?;
                    Gap::Plane(SpherePlane::new(sphere(&c.ball), plane).ok()?)
                }
                Other::Ball(other) => {
                    Gap::Ball(SphereSphere::new(sphere(&c.ball), sphere(other)).ok()?)
                }
            })
        };
        self.contacts.iter().map(gap).collect()
    }

    /// Gaps and energies of the model at the start, compared with those of the judge.
    fn check_model(&self, system: &dyn System, scene: &judge::Scene, tally: &mut Tally) {
        let (q, v) = (&self.coordinates, &self.velocity);
        if system.check_coordinates(q).is_err() {
            return;
        }
        let mut verdict = Verdict::default();
        let kinetic = scene.kinetic(q, v);
        let error = (kinetic - system.kinetic_energy(q, v).into()).abs();
        // Of six factors each, in sums of up to the number of bodies squared.
        let part = 1e3 * f64::EPSILON;
        verdict.look("kinetic energy", 0, error, part * kinetic.value());
        let largest = q.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
        for (k, gap) in self.gaps().into_iter().flatten().enumerate() {
            let own = scene.gap(q, k);
            let length = self.contacts[k].ball.radius
                + largest
                + self.bodies.iter().map(|b| b.joint[0].hypot(b.joint[1])).sum::<f64>()
                + self.contacts[k].ball.center.iter().map(|x| x.abs()).sum::<f64>();
            let error = (own - gap.function().gap(system, q)).abs();
            verdict.look("gap", k, error.into(), part * length);
        }
        tally.judge("model", &verdict);
    }
}

/// The gap of a contact.
#[derive(Clone, Copy, Debug)]
enum Gap {
    Plane(SpherePlane),
    Ball(SphereSphere),
}

impl Gap {
    fn function(&self) -> &dyn GapFunction {
        match self {
            Self::Plane(gap) => gap,
            Self::Ball(gap) => gap,
        }
    }
}
