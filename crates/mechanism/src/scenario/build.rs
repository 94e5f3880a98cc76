//! From a [`Scenario`] to a simulation: [`Setup`].

use std::sync::Arc;

use nalgebra::{DMatrix, Vector3};
use percussion_collision::Shape;
use percussion_dynamics::{
    PlanarBody,
    gap::{self, GapFunction, Rod, RodRod, Sphere, SpherePlane, SphereSphere, rounded_rod_plane},
};
use percussion_integrators::{BoundedFriction, stewart_trinkle::Settings};

use super::{
    AngularVelocity, Body, Contact, JointFriction, Orientation, Plane, Scenario, Space,
    bodies::Carrier,
    found,
    vectors::{rotation, unit, vector3},
};
use crate::{
    Error,
    mechanism::{Builder, Mechanism, NamedContact},
};

/// Accepted overlap at the start, in lengths of the model.
const ACCEPTED: f64 = 1e-9;

/// A scenario ready to be simulated: a mechanism with a scheme.
///
/// Simulations, tables, pages and figures all use it, so that nothing is built twice.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Setup {
    /// The scenario from which it was built.
    pub scenario: Scenario,
    /// Bodies, contacts and the initial state.
    pub mechanism: Mechanism,
    /// Settings of Stewart and Trinkle's scheme; [`Scenario::stepping`] has the scheme of the scenario.
    pub settings: Settings,
}

/// The gap functions between two partners, each with the name of its contact.
type NamedGaps = Vec<(String, Box<dyn GapFunction>)>;

/// A pair of partners that can touch, the first always a body.
#[derive(Clone, Copy, Debug)]
enum Pair {
    Plane { body: usize, plane: usize },
    Bodies { first: usize, second: usize },
}

/// A surface that is round everywhere.
#[derive(Clone, Copy, Debug)]
enum Round {
    Sphere(Sphere),
    Rod(Rod),
}

impl From<Round> for Rod {
    fn from(round: Round) -> Self {
        match round {
            Round::Sphere(sphere) => sphere.into(),
            Round::Rod(rod) => rod,
        }
    }
}

impl Scenario {
    /// Checks the scenario and builds its mechanism and settings.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check), and [`Error::Bodies`], [`Error::Gap`], [`Error::NoGap`],
    /// [`Error::Penetration`], [`Error::Model`]; with joints [`Error::Mechanism`] and [`Error::Joint`]; with a robot
    /// `Error::Robot`, [`Error::RobotShape`] and [`Error::OutsideLimits`]; with contacts that are found [`Error::Shape`], [`Error::Surface`] and [`Error::Scene`].
    ///
    /// # Example
    ///
    /// ```
    /// let setup = percussion_mechanism::scenario::Scenario::from_path("fixtures/compat/scenarios/rod-on-table.toml")?.build()?;
    /// let names: Vec<_> = setup.mechanism.contacts.iter().map(|contact| contact.name.as_str()).collect();
    /// assert_eq!(names, ["rod–table (end +)", "rod–table (end −)"]);
    /// # Ok::<(), percussion_mechanism::Error>(())
    /// ```
    pub fn build(&self) -> Result<Setup, Error> {
        let mechanism = self.mechanism()?;
        self.check_penetration(&mechanism)?;
        Ok(Setup { scenario: self.clone(), mechanism, settings: self.settings() })
    }

    /// Adds the contacts that are known beforehand.
    pub(super) fn add_gaps(
        &self,
        builder: &mut Builder,
        carriers: &[Carrier],
    ) -> Result<(), Error> {
        for (pair, [friction, restitution], stated) in self.pairs() {
            let cone = stated.and_then(|stated| self.cone(stated, builder.parts(), carriers));
            let cone = cone.map(Arc::new);
            for (name, gap) in self.gaps(pair)? {
                let between = self.partners(pair).map(str::to_owned);
                let (gap, cone) = (gap.into(), cone.clone());
                let contact = percussion_integrators::Contact { gap, friction, restitution, cone };
                builder.add_contact(NamedContact { name, between, unit: "m" }, contact);
            }
        }
        Ok(())
    }

    pub(super) fn planar_bodies(&self) -> Result<Vec<PlanarBody>, Error> {
        let body = |(index, body): (usize, &Body)| {
            Ok(PlanarBody::new(body.mass, self.inertia(index)?.m33))
        };
        self.bodies.iter().enumerate().map(body).collect()
    }

    pub(super) fn free_bodies(&self) -> Result<Vec<percussion_dynamics::Body>, Error> {
        let body = |(index, body): (usize, &Body)| {
            Ok(percussion_dynamics::Body::new(body.mass, self.inertia(index)?))
        };
        self.bodies.iter().enumerate().map(body).collect()
    }

    /// The pairs that can touch with their coefficients of friction and restitution and what the file states, in the documented order.
    fn pairs(&self) -> Vec<(Pair, [f64; 2], Option<&Contact>)> {
        let body = |name: &String| self.bodies.iter().position(|body| body.name == *name);
        let plane = |name: &String| self.planes.iter().position(|plane| plane.name == *name);
        let Some(contacts) = &self.contacts else {
            let coefficients = [self.friction, self.restitution].map(Option::unwrap_or_default);
            return self.all_pairs().map(|pair| (pair, coefficients, None)).collect();
        };
        let pair = |[a, b]: &[String; 2]| match (body(a), body(b)) {
            (Some(first), Some(second)) => Some(Pair::Bodies { first, second }),
            (Some(body), None) => Some(Pair::Plane { body, plane: plane(b)? }),
            (None, Some(body)) => Some(Pair::Plane { body, plane: plane(a)? }),
            (None, None) => None,
        };
        let coefficients = |contact: &Contact| {
            let friction = contact.friction.or(self.friction);
            let restitution = contact.restitution.or(self.restitution);
            [friction, restitution].map(Option::unwrap_or_default)
        };
        contacts
            .iter()
            .filter_map(|contact| {
                Some((pair(&contact.between)?, coefficients(contact), Some(contact)))
            })
            .collect()
    }

    fn all_pairs(&self) -> impl Iterator<Item = Pair> {
        let touches = |body: &usize| self.bodies[*body].shape.is_some();
        (0..self.bodies.len()).filter(touches).flat_map(move |first| {
            let planes =
                (0..self.planes.len()).map(move |plane| Pair::Plane { body: first, plane });
            let later = (first + 1..self.bodies.len()).filter(touches);
            planes.chain(later.map(move |second| Pair::Bodies { first, second }))
        })
    }

    fn partners(&self, pair: Pair) -> [&str; 2] {
        match pair {
            Pair::Plane { body, plane } => [&self.bodies[body].name, &self.planes[plane].name],
            Pair::Bodies { first, second } => [&self.bodies[first].name, &self.bodies[second].name],
        }
    }

    /// The gap functions of a pair with their names.
    fn gaps(&self, pair: Pair) -> Result<NamedGaps, Error> {
        let [first, second] = self.partners(pair).map(str::to_owned);
        let name = format!("{first}–{second}");
        let refused = |source| Error::Gap { contact: name.clone(), source };
        let no_gap = || Error::NoGap { first: first.clone(), second: second.clone() };
        match pair {
            Pair::Plane { body, plane } => {
                let plane = self.half_space(&self.planes[plane]).map_err(refused)?;
                match &self.bodies[body].shape {
                    Some(Shape::Sphere { radius } | Shape::Disc { radius }) => {
                        let sphere = Sphere::of_body(body, *radius);
                        let gap = SpherePlane::new(sphere, plane).map_err(refused)?;
                        Ok(vec![(name, Box::new(gap))])
                    }
                    Some(Shape::Rod { length, radius }) => {
                        let [plus, minus] =
                            rounded_rod_plane(body, *length, *radius, plane).map_err(refused)?;
                        Ok(vec![
                            (format!("{name} (end +)"), Box::new(plus)),
                            (format!("{name} (end −)"), Box::new(minus)),
                        ])
                    }
                    _ => Err(no_gap()),
                }
            }
            Pair::Bodies { first, second } => {
                let up = self.vertical();
                let gap: Box<dyn GapFunction> = match [first, second].map(|body| self.round(body)) {
                    [Some(Round::Sphere(one)), Some(Round::Sphere(two))] => {
                        let gap = SphereSphere::new(one, two).and_then(|gap| gap.with_axis(&up));
                        Box::new(gap.map_err(refused)?)
                    }
                    [Some(one), Some(two)] => {
                        let gap = RodRod::new(one, two).and_then(|gap| gap.with_axis(&up));
                        Box::new(gap.map_err(refused)?)
                    }
                    _ => return Err(no_gap()),
                };
                Ok(vec![(name, gap)])
            }
        }
    }

    /// The shape of a body as a sphere or a rod, or `None` if it has none.
    fn round(&self, body: usize) -> Option<Round> {
        match self.bodies[body].shape.as_ref()? {
            Shape::Sphere { radius } | Shape::Disc { radius } => {
                Some(Round::Sphere(Sphere::of_body(body, *radius)))
            }
            Shape::Rod { length, radius } => Some(Round::Rod(Rod::of_body(body, *length, *radius))),
            _ => None,
        }
    }

    fn half_space(&self, plane: &Plane) -> Result<gap::Plane, gap::Error> {
        let (normal, point) = (vector3(&plane.normal), vector3(&plane.point));
        match &plane.tangent {
            Some(tangent) => gap::Plane::with_tangent(&normal, &point, &vector3(tangent)),
            None => gap::Plane::new(&normal, &point),
        }
    }

    /// The axis that defines the tangents of two spheres: opposite to gravity, or `z` without gravity.
    fn vertical(&self) -> Vector3<f64> {
        let up = -vector3(&self.gravity);
        if up == Vector3::zeros() { Vector3::z() } else { up }
    }

    pub(super) fn joint_friction(&self) -> Vec<BoundedFriction> {
        let (stride, first_spin) = match self.dimension {
            Space::Plane => (3, 2),
            Space::Space => (6, 3),
        };
        let of_body = |friction: &JointFriction| {
            let body = self.bodies.iter().position(|body| body.name == friction.body)?;
            let mut axes = DMatrix::zeros(stride * self.bodies.len(), 1);
            let spin = stride * body + first_spin;
            match friction.axis {
                Some(axis) => {
                    let axis = unit(axis);
                    axes.fixed_view_mut::<3, 1>(spin, 0).copy_from(&axis);
                }
                None => axes[(spin, 0)] = 1.0,
            }
            Some(BoundedFriction::along(&axes, friction.bound))
        };
        self.joint_friction.iter().filter_map(of_body).collect()
    }

    /// The coordinates of a free body.
    pub(super) fn body_coordinates(&self, body: &Body) -> Vec<f64> {
        let mut coordinates = body.position.clone();
        match (body.orientation, self.dimension) {
            (Some(Orientation::Angle(angle)), _) => coordinates.push(angle),
            (None, Space::Plane) => coordinates.push(0.0),
            (orientation, _) => {
                let unit = rotation(orientation);
                coordinates.extend([unit.w, unit.i, unit.j, unit.k]);
            }
        }
        coordinates
    }

    /// The velocities of a free body.
    pub(super) fn rates(
        &self,
        velocity: &Option<Vec<f64>>,
        angular_velocity: Option<AngularVelocity>,
    ) -> Vec<f64> {
        let mut rates =
            velocity.clone().unwrap_or_else(|| vec![0.0; self.dimension.vector_length()]);
        match (angular_velocity, self.dimension) {
            (Some(AngularVelocity::Scalar(spin)), _) => rates.push(spin),
            (Some(AngularVelocity::Vector(spin)), _) => rates.extend(spin),
            (None, Space::Plane) => rates.push(0.0),
            (None, Space::Space) => rates.extend([0.0; 3]),
        }
        rates
    }

    fn check_penetration(&self, mechanism: &Mechanism) -> Result<(), Error> {
        let Mechanism { model, state, .. } = mechanism;
        let system = model.system();
        let scales = || model.scales(state, self.integrator.step_size);
        let limit = self.accepted_penetration.unwrap_or_else(|| ACCEPTED * scales().length);
        for (contact, named) in model.contacts().iter().zip(&mechanism.contacts) {
            let depth = -contact.gap.gap(system, &state.coordinates);
            if depth > limit {
                return Err(Error::Penetration { contact: named.name.clone(), depth, limit });
            }
        }
        let surfaces = mechanism.surfaces.as_ref();
        let deepest = surfaces.map(|surfaces| found::deepest(surfaces, system, &state.coordinates));
        match deepest.transpose()?.flatten() {
            Some((depth, contact)) if depth > limit => {
                Err(Error::Penetration { contact, depth, limit })
            }
            _ => Ok(()),
        }
    }
}
