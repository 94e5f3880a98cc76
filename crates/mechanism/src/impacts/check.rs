//! The rules for the file of an [`ImpactScenario`].

use std::collections::BTreeSet;

use super::{Body, Contact, Disc, ImpactScenario, Joint, Partner};
use crate::{
    Error, Expected,
    rules::{
        FRICTION, NOT_EMPTY, POSITIVE_MASS, at_least_zero, count, finite, not_zero, positive,
        require, require_choice,
    },
    scenario::{BODY_LIMIT, Inertia, Space},
};

impl ImpactScenario {
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
        let within = format!("1 to {BODY_LIMIT}");
        count("bodies", self.bodies.len(), (1..=BODY_LIMIT).contains(&self.bodies.len()), &within)?;
        self.check_names()?;
        for (i, body) in self.bodies.iter().enumerate() {
            self.check_body(&format!("bodies[{i}]"), body)?;
        }
        for (i, plane) in self.planes.iter().enumerate() {
            let path = format!("planes[{i}]");
            let length = self.dimension.vector_length();
            for (field, vector) in [("point", &plane.point), ("normal", &plane.normal)] {
                let (found, expected) = (vector.len(), length.to_string());
                count(&format!("{path}.{field}"), found, found == length, &expected)?;
            }
            finite(&format!("{path}.point"), &plane.point)?;
            not_zero(&format!("{path}.normal"), &plane.normal)?;
        }
        for (i, contact) in self.contacts.iter().enumerate() {
            self.check_contact(&format!("contacts[{i}]"), contact)?;
        }
        let sampling = &self.set_valued;
        // There is no default; NaN means that no step was given.
        if !sampling.step.is_nan() {
            positive("set_valued.step", sampling.step, "a positive finite number (N·s)")?;
        }
        require("set_valued.steps", &sampling.steps, "at least 1", sampling.steps > 0)?;
        require("set_valued.samples", &sampling.samples, "at least 1", sampling.samples > 0)?;
        self.compliant.check()?;
        Expected::check_all(&self.expected)
    }

    /// Checks a vector of finite numbers, whose third entry in the plane is 0.
    fn check_vector(&self, path: &str, vector: &[f64; 3]) -> Result<(), Error> {
        finite(path, vector)?;
        let fits = self.dimension == Space::Space || vector[2] == 0.0;
        require(path, vector, "a vector of the plane: two numbers", fits)
    }

    fn check_names(&self) -> Result<(), Error> {
        let bodies = self.bodies.iter().enumerate();
        let bodies = bodies.map(|(i, body)| (format!("bodies[{i}].name"), &body.name));
        let planes = self.planes.iter().enumerate();
        let planes = planes.map(|(i, plane)| (format!("planes[{i}].name"), &plane.name));
        check_distinct(bodies.chain(planes))?;
        let contacts = self.contacts.iter().enumerate();
        check_distinct(contacts.map(|(i, contact)| (format!("contacts[{i}].name"), &contact.name)))
    }

    fn check_body(&self, path: &str, body: &Body) -> Result<(), Error> {
        if let Some(carrier) = &body.on {
            self.check_body_name(&format!("{path}.on"), carrier)?;
        }
        let joint = "a joint within the plane";
        let fits = self.dimension == Space::Space || body.joint != Joint::Free;
        require_choice(&format!("{path}.joint"), &body.joint, joint, fits)?;
        self.check_vector(&format!("{path}.placement"), &body.placement)?;
        if let Some(mass) = body.mass {
            positive(&format!("{path}.mass"), mass, POSITIVE_MASS)?;
        }
        self.check_inertia(&format!("{path}.inertia"), body)?;
        self.check_vector(&format!("{path}.center_of_mass"), &body.center_of_mass)?;
        for (corner, point) in body.outline.iter().flatten().enumerate() {
            finite(&format!("{path}.outline[{corner}]"), point)?;
        }
        let (coordinates, velocities) =
            (body.joint.coordinate_count(), body.joint.velocity_count());
        for (field, list, length) in [
            ("coordinates", &body.coordinates, coordinates),
            ("velocity", &body.velocity, velocities),
        ] {
            if let Some(list) = list {
                let path = format!("{path}.{field}");
                count(&path, list.len(), list.len() == length, &length.to_string())?;
                finite(&path, list)?;
            }
        }
        Ok(())
    }

    /// Checks the inertia of a body; `MassProperties` checks whether a tensor is physically possible.
    fn check_inertia(&self, path: &str, body: &Body) -> Result<(), Error> {
        let massless = "0 for a body without `mass`";
        if let Inertia::Scalar(moment) = body.inertia {
            at_least_zero(path, moment, "a finite number of at least 0 (kg·m²)")?;
            return require(path, &moment, massless, body.mass.is_some() || moment == 0.0);
        }
        let fits = self.dimension == Space::Space;
        require(path, &body.inertia, "one number in the plane (kg·m²)", fits)?;
        require(path, &body.inertia, massless, body.mass.is_some())
    }

    fn check_contact(&self, path: &str, contact: &Contact) -> Result<(), Error> {
        self.check_disc(&format!("{path}.disc"), &contact.disc)?;
        match &contact.on {
            Partner::Plane(name) => {
                let known = self.planes.iter().map(|plane| &plane.name);
                check_known(&format!("{path}.on.plane"), name, known)?;
            }
            Partner::Disc(disc) => {
                self.check_disc(&format!("{path}.on.disc"), disc)?;
                let other = "another body than that of `disc`";
                let differs = disc.body != contact.disc.body;
                require(&format!("{path}.on.disc.body"), &disc.body, other, differs)?;
            }
        }
        at_least_zero(&format!("{path}.friction"), contact.friction, FRICTION)?;
        let within = (0.0..=1.0).contains(&contact.restitution);
        let expected = "a number from 0 to 1";
        require(&format!("{path}.restitution"), &contact.restitution, expected, within)?;
        let Some(tangent) = &contact.tangent else { return Ok(()) };
        let path = format!("{path}.tangent");
        require(&path, tangent, "none in space", self.dimension == Space::Plane)?;
        not_zero(&path, tangent)
    }

    fn check_disc(&self, path: &str, disc: &Disc) -> Result<(), Error> {
        self.check_body_name(&format!("{path}.body"), &disc.body)?;
        self.check_vector(&format!("{path}.center"), &disc.center)?;
        at_least_zero(&format!("{path}.radius"), disc.radius, "a finite number of at least 0 (m)")
    }

    fn check_body_name(&self, path: &str, name: &String) -> Result<(), Error> {
        check_known(path, name, self.bodies.iter().map(|body| &body.name))
    }
}

fn check_known<'a>(
    path: &str,
    name: &String,
    mut known: impl Iterator<Item = &'a String> + Clone,
) -> Result<(), Error> {
    let names = known.clone();
    if known.any(|known| known == name) {
        return Ok(());
    }
    let known = names.map(String::as_str).collect::<Vec<_>>().join(", ");
    Err(Error::UnknownName { path: path.to_owned(), name: name.clone(), known })
}

fn check_distinct<'a>(names: impl Iterator<Item = (String, &'a String)>) -> Result<(), Error> {
    let mut used = BTreeSet::new();
    for (path, name) in names {
        require(&path, name, NOT_EMPTY, !name.trim().is_empty())?;
        if !used.insert(name) {
            return Err(Error::DuplicateName { path, name: name.clone() });
        }
    }
    Ok(())
}
