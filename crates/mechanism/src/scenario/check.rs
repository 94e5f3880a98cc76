//! The rules for a [`Scenario`], checked field by field.

use std::collections::BTreeSet;

use percussion_collision::{Shape, ShapeError};
use percussion_integrators::schemes::Name;
use toml::Value;

use super::{
    AngularVelocity, BODY_LIMIT, Body, BodyShape, Contact, Fixed, Inertia, JointFriction, MeshFile,
    Orientation, Plane, STEP_LIMIT, Scenario, Space,
};
use crate::{
    Error, Expected,
    rules::{
        FRICTION, NOT_EMPTY, NOT_ZERO, POSITIVE_MASS, at_least_zero, count, finite, not_zero,
        positive, refuse, require, require_choice,
    },
};

const POSITIVE_LENGTH: &str = "a positive finite number (m)";
const LENGTH_OF_SHAPE: &str = "a number between 1e-12 and 1e12 (m)";
const POSITIVE_TIME: &str = "a positive finite number (s)";

/// Largest accepted distance of the norm of a quaternion from one, as in `percussion-dynamics`.
const QUATERNION_TOLERANCE: f64 = 1e-6;

impl Scenario {
    /// Checks every field.
    ///
    /// # Errors
    ///
    /// The first broken rule, with its place in the file.
    pub fn check(&self) -> Result<(), Error> {
        for (path, text) in [("name", &self.name), ("title", &self.title), ("source", &self.source)]
        {
            require(path, text, NOT_EMPTY, !text.trim().is_empty())?;
        }
        self.check_vector("gravity", &self.gravity)?;
        positive("duration", self.duration, POSITIVE_TIME)?;
        if let Some(friction) = self.friction {
            at_least_zero("friction", friction, FRICTION)?;
        }
        check_restitution("restitution", self.restitution)?;
        let expected = "a finite number of at least 0 (m)";
        if let Some(depth) = self.accepted_penetration {
            at_least_zero("accepted_penetration", depth, expected)?;
        }
        self.check_counts()?;
        for (i, body) in self.bodies.iter().enumerate() {
            self.check_body(&format!("bodies[{i}]"), body)?;
        }
        for (i, plane) in self.planes.iter().enumerate() {
            self.check_plane(&format!("planes[{i}]"), plane)?;
        }
        for (i, fixed) in self.fixed.iter().enumerate() {
            self.check_fixed(&format!("fixed[{i}]"), fixed)?;
        }
        self.check_robot()?;
        self.check_names()?;
        self.check_joints()?;
        self.check_contacts()?;
        for (i, friction) in self.joint_friction.iter().enumerate() {
            self.check_joint_friction(&format!("joint_friction[{i}]"), friction)?;
        }
        self.check_integrator()?;
        check_numbers("experiment", self.experiment.iter())?;
        Expected::check_all(&self.expected)
    }

    fn check_counts(&self) -> Result<(), Error> {
        let least = usize::from(self.robot.is_none());
        let within = format!("{least} to {BODY_LIMIT}");
        let bodies = self.bodies.len();
        count("bodies", bodies, (least..=BODY_LIMIT).contains(&bodies), &within)?;
        let at_most = format!("at most {BODY_LIMIT}");
        for (path, found) in [("planes", self.planes.len()), ("fixed", self.fixed.len())] {
            count(path, found, found <= BODY_LIMIT, &at_most)?;
        }
        let shapes: usize = self.bodies.iter().map(|body| body.shapes.len()).sum();
        count(
            "bodies.shapes",
            shapes,
            shapes <= 4 * BODY_LIMIT,
            &format!("at most {}", 4 * BODY_LIMIT),
        )
    }

    fn check_body(&self, path: &str, body: &Body) -> Result<(), Error> {
        require(&format!("{path}.name"), &body.name, NOT_EMPTY, !body.name.trim().is_empty())?;
        positive(&format!("{path}.mass"), body.mass, POSITIVE_MASS)?;
        check_read(path, body.mesh.as_ref())?;
        self.check_shape(&format!("{path}.shape"), body.shape.as_ref())?;
        let one = body.shape.is_none() || body.shapes.is_empty();
        require(&format!("{path}.shapes"), &body.shapes.len(), "no `shapes` beside `shape`", one)?;
        for (k, part) in body.shapes.iter().enumerate() {
            self.check_body_shape(&format!("{path}.shapes[{k}]"), part)?;
        }
        self.check_inertia(&format!("{path}.inertia"), body)?;
        self.check_vector(&format!("{path}.position"), &body.position)?;
        if let Some(orientation) = &body.orientation {
            self.check_orientation(&format!("{path}.orientation"), orientation)?;
        }
        if let Some(velocity) = &body.velocity {
            self.check_vector(&format!("{path}.velocity"), velocity)?;
        }
        self.check_angular_velocity(&format!("{path}.angular_velocity"), body.angular_velocity)
    }

    pub(super) fn check_angular_velocity(
        &self,
        path: &str,
        angular_velocity: Option<AngularVelocity>,
    ) -> Result<(), Error> {
        match (angular_velocity, self.dimension) {
            (None, _) => Ok(()),
            (Some(AngularVelocity::Scalar(spin)), Space::Plane) => finite(path, &[spin]),
            (Some(AngularVelocity::Vector(spin)), Space::Space) => finite(path, &spin),
            (Some(other), Space::Plane) => refuse(path, &other, "one number in the plane (rad/s)"),
            (Some(other), Space::Space) => refuse(path, &other, "three numbers in space (rad/s)"),
        }
    }

    fn check_shape(&self, path: &str, shape: Option<&Shape>) -> Result<(), Error> {
        let Some(shape) = shape else { return Ok(()) };
        if matches!(shape, Shape::HalfSpace { .. }) {
            return refuse(path, &shape.name(), "a shape of finite size; planes are `[[planes]]`");
        }
        if !shape.fits(self.dimension.into()) {
            let expected = match self.dimension {
                Space::Plane => "a disc, a rod or a rectangle in the plane",
                Space::Space => "a shape of space, such as a sphere, a rod or a box",
            };
            return refuse(path, &shape.name(), expected);
        }
        match shape.check() {
            Err(ShapeError::Length { shape, field, value }) => {
                refuse(&format!("{path}.{shape}.{field}"), &value, LENGTH_OF_SHAPE)
            }
            Err(source) => Err(Error::Shape { path: path.to_owned(), source }),
            Ok(()) => Ok(()),
        }
    }

    fn check_required_shape(&self, path: &str, shape: Option<&Shape>) -> Result<(), Error> {
        let path = format!("{path}.shape");
        match shape {
            None => refuse(&path, &"missing", "a `shape` or a `mesh`"),
            shape => self.check_shape(&path, shape),
        }
    }

    fn check_body_shape(&self, path: &str, part: &BodyShape) -> Result<(), Error> {
        check_read(path, part.mesh.as_ref())?;
        self.check_required_shape(path, part.shape.as_ref())?;
        self.check_place(path, part.position.as_ref(), part.orientation.as_ref())?;
        check_coefficients(path, [part.friction, part.restitution])
    }

    fn check_fixed(&self, path: &str, fixed: &Fixed) -> Result<(), Error> {
        require(&format!("{path}.name"), &fixed.name, NOT_EMPTY, !fixed.name.trim().is_empty())?;
        check_read(path, fixed.mesh.as_ref())?;
        self.check_required_shape(path, fixed.shape.as_ref())?;
        self.check_place(path, fixed.position.as_ref(), fixed.orientation.as_ref())?;
        check_coefficients(path, [fixed.friction, fixed.restitution])
    }

    fn check_place(
        &self,
        path: &str,
        position: Option<&Vec<f64>>,
        orientation: Option<&Orientation>,
    ) -> Result<(), Error> {
        if let Some(position) = position {
            self.check_vector(&format!("{path}.position"), position)?;
        }
        match orientation {
            Some(orientation) => {
                self.check_orientation(&format!("{path}.orientation"), orientation)
            }
            None => Ok(()),
        }
    }

    /// Checks sign and type; the definiteness of tensors is checked when the system is built.
    fn check_inertia(&self, path: &str, body: &Body) -> Result<(), Error> {
        let positive_moments = "positive finite numbers (kg·m²)";
        match (body.inertia, self.dimension) {
            (None, _) if body.shape.is_none() && body.shapes.is_empty() => {
                refuse(path, &"missing", "an inertia or a shape to compute it from")
            }
            (None, _) => Ok(()),
            (Some(Inertia::Scalar(moment)), _) => positive(path, moment, positive_moments),
            (Some(other), Space::Plane) => refuse(path, &other, "one number in the plane (kg·m²)"),
            (Some(Inertia::Diagonal(moments)), Space::Space) => {
                moments.into_iter().try_for_each(|moment| positive(path, moment, positive_moments))
            }
            (Some(Inertia::Tensor(rows)), Space::Space) => finite(path, rows.as_flattened()),
        }
    }

    pub(super) fn check_orientation(
        &self,
        path: &str,
        orientation: &Orientation,
    ) -> Result<(), Error> {
        match (orientation, self.dimension) {
            (Orientation::Angle(angle), Space::Plane) => finite(path, &[*angle]),
            (Orientation::AxisAngle { axis, angle }, Space::Space) => {
                finite(&format!("{path}.angle"), &[*angle])?;
                not_zero(&format!("{path}.axis"), axis)
            }
            (Orientation::Quaternion { quaternion }, Space::Space) => {
                let path = format!("{path}.quaternion");
                finite(&path, quaternion)?;
                let norm = quaternion.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
                let unit = (norm - 1.0).abs() <= QUATERNION_TOLERANCE;
                require(&path, quaternion, "a quaternion of norm 1 within 1e-6", unit)
            }
            (other, Space::Plane) => refuse(path, other, "an angle in the plane (rad)"),
            (other, Space::Space) => {
                refuse(path, other, "an axis with an angle, or a quaternion, in space")
            }
        }
    }

    fn check_plane(&self, path: &str, plane: &Plane) -> Result<(), Error> {
        require(&format!("{path}.name"), &plane.name, NOT_EMPTY, !plane.name.trim().is_empty())?;
        self.check_vector(&format!("{path}.point"), &plane.point)?;
        self.check_vector(&format!("{path}.normal"), &plane.normal)?;
        not_zero(&format!("{path}.normal"), &plane.normal)?;
        match &plane.tangent {
            Some(tangent) => {
                self.check_vector(&format!("{path}.tangent"), tangent)?;
                not_zero(&format!("{path}.tangent"), tangent)
            }
            None => Ok(()),
        }
    }

    fn check_names(&self) -> Result<(), Error> {
        let mut used = BTreeSet::new();
        let bodies =
            self.bodies.iter().enumerate().map(|(i, body)| (format!("bodies[{i}]"), &body.name));
        let planes =
            self.planes.iter().enumerate().map(|(i, plane)| (format!("planes[{i}]"), &plane.name));
        let fixed =
            self.fixed.iter().enumerate().map(|(i, fixed)| (format!("fixed[{i}]"), &fixed.name));
        for (path, name) in bodies.chain(planes).chain(fixed) {
            if !used.insert(name) {
                let path = format!("{path}.name");
                return Err(Error::DuplicateName { path, name: name.clone() });
            }
        }
        Ok(())
    }

    fn check_contacts(&self) -> Result<(), Error> {
        if self.finds_contacts() {
            self.check_friction()?;
        }
        let Some(contacts) = &self.contacts else {
            if self.finds_contacts() {
                return Ok(());
            }
            return require("friction", &"missing", FRICTION, self.friction.is_some());
        };
        let mut used = BTreeSet::new();
        for (i, contact) in contacts.iter().enumerate() {
            self.check_contact(&format!("contacts[{i}]"), contact)?;
            let [a, b] = &contact.between;
            if !used.insert([a.min(b), a.max(b)]) {
                let path = format!("contacts[{i}].between");
                return Err(Error::DuplicateName { path, name: format!("{a}, {b}") });
            }
        }
        Ok(())
    }

    fn check_contact(&self, path: &str, contact: &Contact) -> Result<(), Error> {
        let is_body = |name: &String| self.bodies.iter().any(|body| body.name == *name);
        let is_fixed = |name: &String| {
            self.planes.iter().any(|plane| plane.name == *name)
                || self.fixed.iter().any(|fixed| fixed.name == *name)
        };
        // Links of a robot are known only when it is read.
        let is_body = |name: &String| is_body(name) || (self.robot.is_some() && !is_fixed(name));
        for (i, name) in contact.between.iter().enumerate() {
            if !is_body(name) && !is_fixed(name) {
                let bodies = self.bodies.iter().map(|body| body.name.as_str());
                let planes = self.planes.iter().map(|plane| plane.name.as_str());
                let fixed = self.fixed.iter().map(|fixed| fixed.name.as_str());
                let known = bodies.chain(planes).chain(fixed).collect::<Vec<_>>().join(", ");
                let path = format!("{path}.between[{i}]");
                return Err(Error::UnknownName { path, name: name.clone(), known });
            }
        }
        let [first, second] = &contact.between;
        let valid = first != second && (is_body(first) || is_body(second));
        let expected = "two different names, at least one of them of a body";
        require(&format!("{path}.between"), &contact.between, expected, valid)?;
        check_restitution(&format!("{path}.restitution"), contact.restitution)?;
        self.check_section(path, contact)?;
        if contact.section.is_some() {
            return Ok(());
        }
        let friction = contact.friction.or(self.friction);
        let path = format!("{path}.friction");
        match friction {
            Some(friction) => at_least_zero(&path, friction, FRICTION),
            // In this case the surfaces have their own.
            None if self.finds_contacts() => Ok(()),
            None => refuse(&path, &"missing", FRICTION),
        }
    }

    fn check_joint_friction(&self, path: &str, friction: &JointFriction) -> Result<(), Error> {
        if !self.bodies.iter().any(|body| body.name == friction.body) {
            let known =
                self.bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>().join(", ");
            let (path, name) = (format!("{path}.body"), friction.body.clone());
            return Err(Error::UnknownName { path, name, known });
        }
        let bound = "a finite number of at least 0 (N·m)";
        at_least_zero(&format!("{path}.bound"), friction.bound, bound)?;
        let path = format!("{path}.axis");
        match (&friction.axis, self.dimension) {
            (Some(axis), Space::Space) => not_zero(&path, axis),
            (None, Space::Plane) => Ok(()),
            (Some(axis), Space::Plane) => refuse(&path, axis, "no axis in the plane"),
            (None, Space::Space) => refuse(&path, &"missing", NOT_ZERO),
        }
    }

    fn check_integrator(&self) -> Result<(), Error> {
        let integrator = &self.integrator;
        positive("integrator.step_size", integrator.step_size, POSITIVE_TIME)?;
        // For event-driven motion it is the time between samples.
        let fits = integrator.method == Name::EventDriven || integrator.step_size <= self.duration;
        require("integrator.step_size", &integrator.step_size, "at most the duration (s)", fits)?;
        let few = (1..=STEP_LIMIT).contains(&self.step_count());
        let expected = "at least a millionth of `duration` (s)";
        require("integrator.step_size", &integrator.step_size, expected, few)?;
        if let Some(directions) = integrator.directions {
            let valid = match self.dimension {
                Space::Plane => directions == 2,
                Space::Space => directions >= 4 && directions.is_multiple_of(2) && directions <= 64,
            };
            let expected = "2 in the plane, an even number from 4 to 64 in space";
            require("integrator.directions", &directions, expected, valid)?;
        }
        if self.finds_contacts() {
            let expected = "a scheme for joints, such as \"moreau-jean\"";
            let moves = integrator.method != Name::Variational || !self.is_tree();
            require_choice("integrator.method", &integrator.method, expected, moves)?;
        }
        if self.is_tree() {
            let found = self.joint_friction.len();
            let expected = "none beside joints, which have a `friction` of their own";
            require("joint_friction", &found, expected, found == 0)?;
        }
        if let Some(limit) = integrator.outer_iteration_limit {
            require("integrator.outer_iteration_limit", &limit, "at least 1", limit > 0)?;
        }
        for (name, value) in [
            ("error_reduction", integrator.error_reduction),
            ("implicitness", integrator.implicitness),
        ] {
            if let Some(value) = value {
                let valid = (0.0..=1.0).contains(&value);
                require(&format!("integrator.{name}"), &value, "a number in [0, 1]", valid)?;
            }
        }
        if let Some(tolerance) = integrator.solver_tolerance {
            positive("integrator.solver_tolerance", tolerance, "a positive finite number")?;
        }
        match integrator.tolerance {
            Some(tolerance) => positive("integrator.tolerance", tolerance, POSITIVE_LENGTH),
            None => Ok(()),
        }
    }

    pub(super) fn check_vector(&self, path: &str, vector: &[f64]) -> Result<(), Error> {
        let expected = self.dimension.vector_length();
        count(path, vector.len(), vector.len() == expected, &expected.to_string())?;
        finite(path, vector)
    }
}

fn check_coefficients(path: &str, [friction, restitution]: [Option<f64>; 2]) -> Result<(), Error> {
    if let Some(friction) = friction {
        at_least_zero(&format!("{path}.friction"), friction, FRICTION)?;
    }
    check_restitution(&format!("{path}.restitution"), restitution)
}

pub(super) fn check_restitution(path: &str, restitution: Option<f64>) -> Result<(), Error> {
    let valid = restitution.is_none_or(|restitution| (0.0..=1.0).contains(&restitution));
    require(path, &restitution.unwrap_or_default(), "a number from 0 to 1", valid)
}

/// Returns an error if a table contains a number that is not finite.
fn check_numbers<'a>(
    path: &str,
    table: impl Iterator<Item = (&'a String, &'a Value)>,
) -> Result<(), Error> {
    for (key, value) in table {
        check_number(&format!("{path}.{key}"), value)?;
    }
    Ok(())
}

fn check_number(path: &str, value: &Value) -> Result<(), Error> {
    match value {
        Value::Float(number) => finite(path, &[*number]),
        Value::Array(entries) => {
            let mut entries = entries.iter().enumerate();
            entries.try_for_each(|(index, entry)| check_number(&format!("{path}[{index}]"), entry))
        }
        Value::Table(table) => check_numbers(path, table.iter()),
        _ => Ok(()),
    }
}

/// Returns an error for a mesh whose file has not been read.
fn check_read(path: &str, mesh: Option<&MeshFile>) -> Result<(), Error> {
    let expected = "a mesh that `Scenario::read_meshes` has replaced by its hull";
    mesh.map_or(Ok(()), |mesh| refuse(&format!("{path}.mesh"), &mesh.file, expected))
}
