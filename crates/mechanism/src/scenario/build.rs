//! From a [`Scenario`] to a model that moves: [`Setup`].

use std::mem;

use nalgebra::{DMatrix, Vector2, Vector3};
use percussion_collision::Shape;
use percussion_dynamics::{
    FreeBodies, GapFunction, PlanarBodies, PlanarBody, free_bodies,
    gap::{self, Rod, RodRod, Sphere, SpherePlane, SphereSphere, rounded_rod_plane},
};
use percussion_integrators::{BoundedFriction, Model, State, model, stewart_trinkle::Settings};

use super::{
    AngularVelocity, Body, Contact, JointFriction, Orientation, Part, Plane, Scenario, Space,
    Surfaces, found,
    vectors::{rotation, unit, vector3},
};
use crate::Error;

/// Accepted overlap at the start, in lengths of the model.
const ACCEPTED: f64 = 1e-9;

/// A scenario ready to be moved.
#[derive(Debug)]
pub struct Setup {
    /// Bodies and contacts.
    pub model: Model,
    /// Where they start, at time zero.
    pub state: State,
    /// How Stewart and Trinkle's scheme moves them; [`Scenario::stepping`] has the scheme of the scenario.
    pub settings: Settings,
    /// A name for each contact of the model, such as `ball 1–table` or `rod–table (end +)`.
    pub contact_names: Vec<String>,
    /// The names of the partners of each contact: body 1 and then body 2 of its contact frame.
    pub partners: Vec<[String; 2]>,
    /// The unit of the gap of each contact: m, or rad of a limit of an angle.
    pub gap_units: Vec<&'static str>,
    /// The bodies of the system.
    pub parts: Vec<Part>,
    /// What touches, where contacts are found on the way.
    pub surfaces: Option<Surfaces>,
}

/// The gap functions between two partners, each with the name of its contact.
type NamedGaps = Vec<(String, Box<dyn GapFunction>)>;

/// A pair of partners that can touch, the first always a body.
#[derive(Clone, Copy, Debug)]
enum Pair {
    Plane { body: usize, plane: usize },
    Bodies { first: usize, second: usize },
}

/// A surface that is round all over.
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
    /// Checks the scenario and builds its model, start and settings.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check), and [`Error::Bodies`], [`Error::Gap`], [`Error::NoGap`],
    /// [`Error::Penetration`], [`Error::Model`]; with joints [`Error::Mechanism`], [`Error::Joint`] and
    /// [`Error::JointFriction`]; with a robot `Error::Robot`, [`Error::RobotShape`] and [`Error::OutsideLimits`]; with
    /// contacts that are found [`Error::Shape`], [`Error::Surface`] and [`Error::Scene`].
    ///
    /// # Example
    ///
    /// ```
    /// let setup = percussion_mechanism::scenario::Scenario::from_path("fixtures/compat/scenarios/rod-on-table.toml")?.build()?;
    /// assert_eq!(setup.contact_names, ["rod–table (end +)", "rod–table (end −)"]);
    /// # Ok::<(), percussion_mechanism::Error>(())
    /// ```
    pub fn build(&self) -> Result<Setup, Error> {
        self.check()?;
        let mut mechanism = self.mechanism()?;
        let mut contacts = Vec::new();
        let (mut contact_names, mut partners, mut gap_units) = (Vec::new(), Vec::new(), Vec::new());
        for limit in mem::take(&mut mechanism.limits) {
            contacts.push(model::Contact::new(limit.limit, 0.0));
            contact_names.push(limit.name);
            partners.push(limit.between);
            gap_units.push(limit.unit);
        }
        let surfaces = self.finds_contacts().then(|| self.surfaces(&mechanism)).transpose()?;
        let named = if surfaces.is_none() { self.pairs() } else { Vec::new() };
        for (pair, [friction, restitution]) in named {
            for (name, gap) in self.gaps(pair)? {
                contacts.push(model::Contact { gap: gap.into(), friction, restitution });
                contact_names.push(name);
                partners.push(self.partners(pair).map(str::to_owned));
                gap_units.push("m");
            }
        }
        let (parts, state) = (mem::take(&mut mechanism.parts), mechanism.state.clone());
        let (friction, constraints) =
            (mem::take(&mut mechanism.friction), mem::take(&mut mechanism.constraints));
        let model = mechanism
            .into_model(contacts)?
            .with_joint_friction(friction)?
            .with_constraints(constraints)?;
        let model = match &surfaces {
            Some(surfaces) => model.with_contact_source(surfaces.scene().clone())?,
            None => model,
        };
        model.system().check_coordinates(&state.coordinates)?;
        self.check_penetration(&model, surfaces.as_ref(), &state, &contact_names)?;
        let settings = self.settings();
        Ok(Setup { model, state, settings, contact_names, partners, gap_units, parts, surfaces })
    }

    pub(super) fn planar_bodies(&self) -> Result<PlanarBodies, Error> {
        let body = |(index, body): (usize, &Body)| {
            Ok(PlanarBody::new(body.mass, self.inertia(index)?.m33))
        };
        let bodies = self.bodies.iter().enumerate().map(body).collect::<Result<_, Error>>()?;
        let gravity = Vector2::new(self.gravity[0], self.gravity[1]);
        Ok(PlanarBodies::new(bodies, gravity)?)
    }

    pub(super) fn free_bodies(&self) -> Result<FreeBodies, Error> {
        let body = |(index, body): (usize, &Body)| {
            Ok(free_bodies::Body::new(body.mass, self.inertia(index)?))
        };
        let bodies = self.bodies.iter().enumerate().map(body).collect::<Result<_, Error>>()?;
        Ok(FreeBodies::new(bodies, vector3(&self.gravity))?)
    }

    /// The pairs that can touch with their coefficients of friction and restitution, in the documented order.
    fn pairs(&self) -> Vec<(Pair, [f64; 2])> {
        let body = |name: &String| self.bodies.iter().position(|body| body.name == *name);
        let plane = |name: &String| self.planes.iter().position(|plane| plane.name == *name);
        let Some(contacts) = &self.contacts else {
            let coefficients = [self.friction, self.restitution].map(Option::unwrap_or_default);
            return self.all_pairs().map(|pair| (pair, coefficients)).collect();
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
            .filter_map(|contact| Some((pair(&contact.between)?, coefficients(contact))))
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

    /// The axis from which two spheres take their tangents: against gravity, `z` without gravity.
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

    pub(super) fn state(&self) -> State {
        let mut coordinates = Vec::new();
        let mut velocity = Vec::new();
        for body in &self.bodies {
            coordinates.extend(self.body_coordinates(body));
            velocity.extend(self.rates(&body.velocity, body.angular_velocity));
        }
        State { time: 0.0, coordinates, velocity }
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

    fn check_penetration(
        &self,
        model: &Model,
        surfaces: Option<&Surfaces>,
        state: &State,
        names: &[String],
    ) -> Result<(), Error> {
        let system = model.system();
        let scales = || model.scales(state, self.integrator.step_size);
        let limit = self.accepted_penetration.unwrap_or_else(|| ACCEPTED * scales().length);
        for (contact, name) in model.contacts().iter().zip(names) {
            let depth = -contact.gap.gap(system, &state.coordinates);
            if depth > limit {
                return Err(Error::Penetration { contact: name.clone(), depth, limit });
            }
        }
        let deepest = surfaces.map(|surfaces| found::deepest(surfaces, system, &state.coordinates));
        match deepest.transpose()?.flatten() {
            Some((depth, contact)) if depth > limit => {
                Err(Error::Penetration { contact, depth, limit })
            }
            _ => Ok(()),
        }
    }
}
