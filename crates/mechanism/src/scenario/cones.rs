//! The friction cones of a [`Scenario`] that are not round.

use std::sync::Arc;

use nalgebra::Vector3;
use percussion_integrators::{Cone, Feature, FoundCone, Rule};

use super::{Contact, Scenario, Space, bodies::Carrier, vectors};
use crate::{
    Error,
    mechanism::{Part, Surfaces},
    rules::{not_zero, refuse, require},
};

impl Scenario {
    /// Checks the section of a contact, and that the method has a rule for it.
    pub(super) fn check_section(&self, path: &str, contact: &Contact) -> Result<(), Error> {
        let along = format!("{path}.along");
        let Some(section) = &contact.section else {
            let expected = "no direction without a section, as the friction of a coefficient is the same all round";
            return require(&along, &contact.along, expected, contact.along.is_none());
        };
        section.check().map_err(|source| Error::Section { path: path.to_owned(), source })?;
        let expected = "no coefficient beside `section`, which has its own";
        require(
            &format!("{path}.friction"),
            &contact.friction,
            expected,
            contact.friction.is_none(),
        )?;
        let expected = "a coefficient `friction` in the plane, where there is one tangent";
        let path = format!("{path}.section");
        let is_in_space = self.dimension == Space::Space;
        require(&path, &section.to_string(), expected, is_in_space)?;
        let has_rule = self.integrator.method.rule(Feature::Cones) == Rule::Used;
        let expected = "a coefficient `friction`, or a method that has sections: stewart-trinkle, impulse-velocity or moreau-jean";
        require(&path, &section.to_string(), expected, has_rule)?;
        match &contact.along {
            Some(direction) => not_zero(&along, direction),
            None if section.is_isotropic() => Ok(()),
            None => refuse(&along, &"missing", "the direction of the first tangent of `section`"),
        }
    }

    /// The cones of the contacts that are found between these surfaces.
    pub(super) fn found_cones(
        &self,
        surfaces: &Surfaces,
        parts: &[Part],
        carriers: &[Carrier],
    ) -> Vec<FoundCone> {
        let mut cones = Vec::new();
        for contact in self.contacts.iter().flatten() {
            let Some(cone) = self.cone(contact, parts, carriers).map(Arc::new) else { continue };
            let count = surfaces.scene().colliders().len();
            let of = |name: &String| {
                (0..count).filter(|k| surfaces.owner(*k) == name).collect::<Vec<usize>>()
            };
            let [first, second] = contact.between.each_ref().map(of);
            let pairs = first.iter().flat_map(|a| second.iter().map(|b| [*a, *b]));
            cones.extend(pairs.map(|surfaces| FoundCone { surfaces, cone: Arc::clone(&cone) }));
        }
        cones
    }

    /// The cone of a contact, in a mechanism of these bodies, whose frames the `carriers` have.
    pub(super) fn cone(
        &self,
        contact: &Contact,
        parts: &[Part],
        carriers: &[Carrier],
    ) -> Option<Cone> {
        let cone = Cone::new(contact.section.clone()?);
        let Some(direction) = contact.along else { return Some(cone) };
        let direction = Vector3::from(direction);
        let name = &contact.between[0];
        let own = self.bodies.iter().position(|body| body.name == *name);
        if let Some(Carrier { body, placement }) = own.and_then(|index| carriers.get(index)) {
            return Some(cone.along(Some(*body), placement.rotation * direction));
        }
        let body = parts.iter().position(|part| part.name == *name);
        let fixed = self.fixed.iter().find(|fixed| fixed.name == *name);
        let turned = vectors::rotation(fixed.and_then(|fixed| fixed.orientation)) * direction;
        Some(cone.along(body, turned))
    }
}
