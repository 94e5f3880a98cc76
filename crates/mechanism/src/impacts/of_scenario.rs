//! The impact at the start of a scenario: [`Setup::impact`].

use std::sync::Arc;

use nalgebra::Vector3;
use percussion_collision::{Settings, Workspace};
use percussion_dynamics::{ContactFrame, ContactSet};
use percussion_impact::set_valued;
use percussion_integrators::{Cone, FoundCone};

use super::{
    Impact, Origin, compliant, labels,
    problem::{TOUCHING, problem, size},
};
use crate::{
    Error,
    mechanism::{Mechanism, Surfaces},
    scenario::Setup,
};

/// Larger than any accepted distance (m).
const FAR: f64 = 1e13;

/// The contacts that touch at one position.
struct Touching {
    set: ContactSet,
    names: Vec<String>,
    places: Vec<Option<(Vector3<f64>, ContactFrame)>>,
    /// The smallest gap, and the contact that has it.
    nearest: Option<(f64, String)>,
}

impl Setup {
    /// The impact of the mechanism with the velocities of the start, at all contacts that touch there.
    ///
    /// A contact takes part if its gap is at most `1e-9` of the size of the bodies, or if it is negative and
    /// the scenario accepts that. The contacts are those known beforehand, joint limits, and features of
    /// surfaces. Contacts have the friction and the restitution of the scenario; limits have neither. Joints
    /// that close loops are joints of the impact. Gravity, springs, dampers and friction of bounded force are
    /// finite and have no impulse during an impact, so they have no effect on it.
    ///
    /// # Errors
    ///
    /// [`Error::NothingTouches`]; [`Error::ContactSet`] and [`Error::Impact`] for contacts without a normal.
    ///
    /// # Example
    ///
    /// A ball of 2 kg strikes the floor at 3 m/s with `e = 1/2` and leaves it at 1.5 m/s, by `2 · 4.5 = 9 N·s`.
    ///
    /// ```
    /// use percussion_impact::{Law, newton::Newton};
    /// use percussion_mechanism::scenario::Scenario;
    ///
    /// let impact = Scenario::from_toml_str(r#"
    ///     name = "bounce"
    ///     title = "A ball strikes the floor"
    ///     source = "first year mechanics"
    ///     dimension = "space"
    ///     gravity = [0.0, 0.0, -9.81]
    ///     duration = 1.0
    ///     friction = 0.3
    ///     restitution = 0.5
    ///
    ///     [[bodies]]
    ///     name = "ball"
    ///     mass = 2.0
    ///     shape.sphere.radius = 0.1
    ///     position = [0.0, 0.0, 0.1]
    ///     velocity = [0.0, 0.0, -3.0]
    ///
    ///     [[planes]]
    ///     name = "floor"
    ///     point = [0.0, 0.0, 0.0]
    ///     normal = [0.0, 0.0, 1.0]
    ///
    ///     [integrator]
    ///     method = "moreau-jean"
    ///     step_size = 0.001
    /// "#)?.build()?.impact()?;
    /// assert_eq!(impact.contacts, ["ball–floor"]);
    /// assert_eq!(impact.velocities[2].name, "ball z");
    /// let outcome = Newton::default().resolve(&impact.problem)?;
    /// assert!((outcome.velocity[2] - 1.5).abs() < 1e-12);
    /// assert!((outcome.impulses[0].normal - 9.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn impact(&self) -> Result<Impact, Error> {
        let Self { scenario, mechanism, .. } = self;
        let size = size(mechanism);
        let mut touching = Touching::new(mechanism);
        touching.add_named(mechanism, size)?;
        if let Some(surfaces) = &mechanism.surfaces {
            touching.add_found(mechanism, surfaces, TOUCHING * size)?;
            if touching.set.is_empty() {
                touching.look_far(mechanism, surfaces)?;
            }
        }
        let Touching { set, names, places, nearest } = touching;
        if set.is_empty() {
            let scenario = scenario.name.clone();
            let nearest = nearest.map_or_else(
                || "and nothing could".to_owned(),
                |(gap, contact)| format!("the nearest is `{contact}` with a gap of {gap:?}"),
            );
            return Err(Error::NothingTouches { scenario, nearest });
        }
        Ok(Impact {
            name: scenario.name.clone(),
            title: scenario.title.clone(),
            problem: problem(mechanism, &set)?,
            velocities: labels(mechanism),
            contacts: names,
            set_valued: set_valued::Settings::default(),
            compliant: compliant::Settings::default(),
            places,
            origin: Origin::Scenario(Arc::new(scenario.clone())),
            mechanism: mechanism.clone(),
        })
    }
}

impl Touching {
    fn new(mechanism: &Mechanism) -> Self {
        let set = ContactSet::for_system(mechanism.model.system());
        Self { set, names: Vec::new(), places: Vec::new(), nearest: None }
    }

    /// Adds the contacts known beforehand that touch, in a mechanism of this size (m).
    fn add_named(&mut self, mechanism: &Mechanism, size: f64) -> Result<(), Error> {
        let Mechanism { model, state, .. } = mechanism;
        let (system, coordinates) = (model.system(), &state.coordinates);
        for (contact, named) in model.contacts().iter().zip(&mechanism.contacts) {
            // An angle of one radian counts as one size.
            let scale = if named.unit == "rad" { 1.0 } else { size };
            let gap = contact.gap.gap(system, coordinates);
            if gap <= TOUCHING * scale {
                check_round(contact.cone.as_ref(), || named.name.clone())?;
                let (friction, restitution) = (contact.friction, contact.restitution);
                self.set.push_gap(system, coordinates, &*contact.gap, friction, restitution)?;
                let at = contact.gap.contact_point(system, coordinates);
                self.names.push(named.name.clone());
                self.places.push(at.map(|at| (at.point, at.frame)));
            } else {
                self.see(gap, || named.name.clone());
            }
        }
        Ok(())
    }

    /// Adds the features that are within `proximity` (m).
    fn add_found(
        &mut self,
        mechanism: &Mechanism,
        surfaces: &Surfaces,
        proximity: f64,
    ) -> Result<(), Error> {
        let (system, coordinates) = (mechanism.model.system(), &mechanism.state.coordinates);
        let (settings, mut workspace) = (Settings { proximity }, Workspace::default());
        let found = surfaces.scene().contacts(system, coordinates, &settings, &mut workspace)?;
        for contact in found {
            let name = contact.id.name();
            let cone = FoundCone::between(name.surfaces, mechanism.model.found_cones());
            check_round(cone, || surfaces.contact(&name))?;
            self.set.push(system, coordinates, &contact.into())?;
            self.names.push(surfaces.contact(&contact.id.name()));
            self.places.push(Some((contact.points[0], contact.frame)));
        }
        Ok(())
    }

    /// Determines the distance of the surfaces that do not touch.
    fn look_far(&mut self, mechanism: &Mechanism, surfaces: &Surfaces) -> Result<(), Error> {
        let (system, coordinates) = (mechanism.model.system(), &mechanism.state.coordinates);
        let (settings, mut workspace) = (Settings { proximity: FAR }, Workspace::default());
        let found = surfaces.scene().contacts(system, coordinates, &settings, &mut workspace)?;
        for contact in found {
            self.see(contact.gap, || surfaces.contact(&contact.id.name()));
        }
        Ok(())
    }

    fn see(&mut self, gap: f64, name: impl FnOnce() -> String) {
        if self.nearest.as_ref().is_none_or(|(nearest, _)| gap < *nearest) {
            self.nearest = Some((gap, name()));
        }
    }
}

/// Returns an error for a friction cone that is not round.
fn check_round(cone: Option<&Arc<Cone>>, name: impl FnOnce() -> String) -> Result<(), Error> {
    match cone {
        None => Ok(()),
        Some(cone) => Err(Error::NotRound { contact: name(), section: cone.section.to_string() }),
    }
}
