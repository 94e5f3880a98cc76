//! From a [`Scenario`] to a model that moves: [`Setup`].

use nalgebra::{DMatrix, Matrix3, Quaternion, Unit, UnitQuaternion, Vector2, Vector3};
use percussion_dynamics::{
    FreeBodies, GapFunction, MassProperties, PlanarBodies, PlanarBody, System, free_bodies,
    gap::{self, Rod, RodRod, Sphere, SpherePlane, SphereSphere, rounded_rod_plane},
};
use percussion_integrators::{
    BoundedFriction, Model, Scales, State, impulse_velocity, model, moreau_jean,
    stewart_trinkle::Settings, variational,
};

use super::{
    AngularVelocity, Body, Contact, Inertia, JointFriction, Orientation, Plane, Scenario, Shape,
    Space,
};
use crate::error::Error;

/// Accepted overlap at the start, in lengths of the model.
const ACCEPTED: f64 = 1e-9;

/// A scenario ready to be moved.
#[derive(Debug)]
pub struct Setup {
    /// Bodies and contacts.
    pub model: Model,
    /// Where they start, at time zero.
    pub state: State,
    /// How Stewart and Trinkle's scheme moves them; those of the others are
    /// [`Scenario::impulse_velocity_settings`], [`Scenario::moreau_jean_settings`] and
    /// [`Scenario::variational_settings`].
    pub settings: Settings,
    /// A name for each contact of the model, such as `ball 1–table` or `rod–table (end +)`.
    pub contact_names: Vec<String>,
    /// The names of the partners of each contact: body 1 and then body 2 of its contact frame.
    pub partners: Vec<[String; 2]>,
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
    /// [`Error::Penetration`], [`Error::Model`].
    ///
    /// # Example
    ///
    /// ```
    /// let setup = percussion_scenarios::Scenario::named("stewart-trinkle/rod-on-table")?.build()?;
    /// assert_eq!(setup.contact_names, ["rod–table (end +)", "rod–table (end −)"]);
    /// # Ok::<(), percussion_scenarios::Error>(())
    /// ```
    pub fn build(&self) -> Result<Setup, Error> {
        self.check()?;
        let system = self.system()?;
        let mut contacts = Vec::new();
        let (mut contact_names, mut partners) = (Vec::new(), Vec::new());
        for (pair, [friction, restitution]) in self.pairs() {
            for (name, gap) in self.gaps(pair)? {
                contacts.push(model::Contact { gap, friction, restitution });
                contact_names.push(name);
                partners.push(self.partners(pair).map(str::to_owned));
            }
        }
        let model = Model::new(system, contacts)?.with_joint_friction(self.joint_friction())?;
        let state = self.state();
        let gaps = model.contacts().iter().map(|contact| &contact.gap);
        self.check_penetration(model.system(), gaps, &state, &contact_names)?;
        let settings = self.settings();
        Ok(Setup { model, state, settings, contact_names, partners })
    }

    fn system(&self) -> Result<Box<dyn System>, Error> {
        Ok(match self.dimension {
            Space::Plane => Box::new(self.planar_bodies()?),
            Space::Space => Box::new(self.free_bodies()?),
        })
    }

    fn planar_bodies(&self) -> Result<PlanarBodies, Error> {
        let bodies = self.bodies.iter().map(planar_body).collect();
        let gravity = Vector2::new(self.gravity[0], self.gravity[1]);
        Ok(PlanarBodies::new(bodies, gravity)?)
    }

    fn free_bodies(&self) -> Result<FreeBodies, Error> {
        let bodies = self.bodies.iter().map(spatial_body).collect();
        Ok(FreeBodies::new(bodies, vector3(&self.gravity))?)
    }

    /// The bodies and contacts of a checked scenario for the variational integrator.
    pub(crate) fn variational_model(&self) -> Result<variational::Model, Error> {
        let mut contacts = Vec::new();
        for (pair, [friction, restitution]) in self.pairs() {
            for (_, gap) in self.gaps(pair)? {
                contacts.push(model::Contact { gap, friction, restitution });
            }
        }
        Ok(match self.dimension {
            Space::Plane => variational::Model::new(Box::new(self.planar_bodies()?), contacts)?,
            Space::Space => variational::Model::free_bodies(self.free_bodies()?, contacts)?,
        })
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
                match self.bodies[body].shape {
                    Some(Shape::Sphere(round) | Shape::Disc(round)) => {
                        let sphere = Sphere::of_body(body, round.radius);
                        let gap = SpherePlane::new(sphere, plane).map_err(refused)?;
                        Ok(vec![(name, Box::new(gap))])
                    }
                    Some(Shape::Rod(rod)) => {
                        let [plus, minus] = rounded_rod_plane(body, rod.length, rod.radius, plane)
                            .map_err(refused)?;
                        Ok(vec![
                            (format!("{name} (end +)"), Box::new(plus)),
                            (format!("{name} (end −)"), Box::new(minus)),
                        ])
                    }
                    None => Err(no_gap()),
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
        match self.bodies[body].shape? {
            Shape::Sphere(round) | Shape::Disc(round) => {
                Some(Round::Sphere(Sphere::of_body(body, round.radius)))
            }
            Shape::Rod(rod) => Some(Round::Rod(Rod::of_body(body, rod.length, rod.radius))),
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

    fn joint_friction(&self) -> Vec<BoundedFriction> {
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

    fn state(&self) -> State {
        let mut coordinates = Vec::new();
        let mut velocity = Vec::new();
        for body in &self.bodies {
            coordinates.extend(&body.position);
            match (body.orientation, self.dimension) {
                (Some(Orientation::Angle(angle)), _) => coordinates.push(angle),
                (None, Space::Plane) => coordinates.push(0.0),
                (orientation, _) => coordinates.extend(quaternion(orientation)),
            }
            match &body.velocity {
                Some(linear) => velocity.extend(linear),
                None => velocity.extend(vec![0.0; self.dimension.vector_length()]),
            }
            match (body.angular_velocity, self.dimension) {
                (Some(AngularVelocity::Scalar(spin)), _) => velocity.push(spin),
                (Some(AngularVelocity::Vector(spin)), _) => velocity.extend(spin),
                (None, Space::Plane) => velocity.push(0.0),
                (None, Space::Space) => velocity.extend([0.0; 3]),
            }
        }
        State { time: 0.0, coordinates, velocity }
    }

    fn settings(&self) -> Settings {
        let defaults = match self.dimension {
            Space::Plane => Settings::planar(),
            Space::Space => Settings::default(),
        };
        Settings {
            step_size: self.integrator.step_size,
            directions: self.integrator.directions.unwrap_or(defaults.directions),
            tolerance: self.integrator.tolerance,
            outer_iteration_limit: self
                .integrator
                .outer_iteration_limit
                .unwrap_or(defaults.outer_iteration_limit),
            penetration_tolerance: self.accepted_penetration,
            ..defaults
        }
    }

    /// Settings of the impulse–velocity scheme for this scenario, whatever its method.
    #[must_use]
    pub fn impulse_velocity_settings(&self) -> impulse_velocity::Settings {
        let defaults = impulse_velocity::Settings::default();
        let integrator = &self.integrator;
        impulse_velocity::Settings {
            step_size: integrator.step_size,
            law: integrator.friction_law.unwrap_or(defaults.law),
            error_reduction: integrator.error_reduction.unwrap_or(defaults.error_reduction),
            ..defaults
        }
    }

    /// Settings of the variational integrator for this scenario, whatever its method.
    #[must_use]
    pub fn variational_settings(&self) -> variational::Settings {
        let defaults = variational::Settings::default();
        let integrator = &self.integrator;
        variational::Settings {
            step_size: integrator.step_size,
            // In the plane there are two, and the setting is not used.
            directions: integrator.directions.unwrap_or(defaults.directions).max(4),
            ..defaults
        }
    }

    /// Settings of the scheme of Moreau and Jean for this scenario, whatever its method.
    #[must_use]
    pub fn moreau_jean_settings(&self) -> moreau_jean::Settings {
        let defaults = moreau_jean::Settings::default();
        let integrator = &self.integrator;
        moreau_jean::Settings {
            step_size: integrator.step_size,
            law: integrator.friction_law.unwrap_or(defaults.law),
            implicitness: integrator.implicitness.unwrap_or(defaults.implicitness),
            ..defaults
        }
    }

    fn check_penetration<'a>(
        &self,
        system: &dyn System,
        gaps: impl Iterator<Item = &'a Box<dyn GapFunction>>,
        state: &State,
        names: &[String],
    ) -> Result<(), Error> {
        let gaps: Vec<_> = gaps.map(|gap| gap.as_ref()).collect();
        let scales = || Scales::of(system, gaps.clone(), state, self.integrator.step_size);
        let limit = self.accepted_penetration.unwrap_or_else(|| ACCEPTED * scales().length);
        for (gap, name) in gaps.iter().zip(names) {
            let depth = -gap.gap(system, &state.coordinates);
            if depth > limit {
                return Err(Error::Penetration { contact: name.clone(), depth, limit });
            }
        }
        Ok(())
    }
}

fn planar_body(body: &Body) -> PlanarBody {
    let inertia = match (body.inertia, body.shape) {
        (Some(Inertia::Scalar(moment)), _) => moment,
        (_, Some(Shape::Disc(round))) => 0.5 * body.mass * round.radius.powi(2),
        (_, Some(Shape::Rod(rod))) => body.mass * stadium(rod.length, rod.radius),
        // Nothing else passes the checks; a system with a moment of zero is refused.
        _ => 0.0,
    };
    PlanarBody::new(body.mass, inertia)
}

/// Moment about the center, per mass, of the region within `r` of a segment of length `l`: a
/// rectangle of area `2 r l` and two half-discs whose centroids lie `4 r / 3π` beyond its ends.
fn stadium(l: f64, r: f64) -> f64 {
    let (rectangle, disc) = (2.0 * r * l, std::f64::consts::PI * r * r);
    let beyond = 4.0 * r / (3.0 * std::f64::consts::PI);
    let moment =
        rectangle * (l * l + 4.0 * r * r) / 12.0 + disc * (0.5 * r * r + 0.25 * l * l + l * beyond);
    moment / (rectangle + disc)
}

fn spatial_body(body: &Body) -> free_bodies::Body {
    let inertia = match (body.inertia, body.shape) {
        (Some(inertia), _) => inertia.tensor(),
        (None, shape) => solid(body.mass, shape).unwrap_or_else(Matrix3::zeros),
    };
    free_bodies::Body::new(body.mass, inertia)
}

/// Inertia of a homogeneous solid; none where the checks have not been passed.
fn solid(mass: f64, shape: Option<Shape>) -> Option<Matrix3<f64>> {
    match shape? {
        Shape::Sphere(round) => {
            Some(MassProperties::solid_sphere(mass, round.radius).ok()?.inertia())
        }
        Shape::Rod(rod) => {
            Some(MassProperties::capsule(mass, rod.radius, rod.length).ok()?.inertia())
        }
        Shape::Disc(_) => None,
    }
}

fn quaternion(orientation: Option<Orientation>) -> [f64; 4] {
    let unit = match orientation {
        Some(Orientation::AxisAngle { axis, angle }) => {
            UnitQuaternion::from_axis_angle(&Unit::new_unchecked(unit(axis)), angle)
        }
        Some(Orientation::Quaternion { quaternion: [w, x, y, z] }) => {
            UnitQuaternion::new_normalize(Quaternion::new(w, x, y, z))
        }
        _ => UnitQuaternion::identity(),
    };
    [unit.w, unit.i, unit.j, unit.k]
}

/// The direction of a vector that is not zero, scaled first so that no square overflows or underflows.
fn unit(vector: [f64; 3]) -> Vector3<f64> {
    let vector = Vector3::from(vector);
    (vector / vector.amax()).normalize()
}

/// A vector of the plane or of space as one of space.
fn vector3(vector: &[f64]) -> Vector3<f64> {
    Vector3::new(vector[0], vector[1], vector.get(2).copied().unwrap_or_default())
}
