//! The contacts of one motion: those of the model, and those that its
//! [source](percussion_dynamics::ContactSource) finds during the motion.

mod found;
mod near;
mod tree;

use std::mem;

use percussion_dynamics::{ContactName, ContactSet, ContactSetError, ContactSourceError, System};

use crate::model::{Contact, Model};
use found::Found;
use near::Near;

/// The contacts of one motion, by number.
///
/// Contacts are numbered. Those of [`Model::contacts`] come first, in their order. Each pair of features that
/// a source finds gets the next number when it is first near, and keeps it, so that impulses, modes and
/// reports of one step match those of the next.
///
/// At its start a step takes the features that are near, within twice the distance by which two surfaces may
/// approach each other. At its end it searches the source for overlapping surfaces. For two surfaces that
/// overlap, the features near at the start count that have closed; only if there are none, the features found
/// at the end count. Two kinds of features are thereby excluded as contacts: a corner that left the face it
/// was near to has a negative distance from the plane of that face, and two surfaces that overlap deeply have
/// a shorter way out than the one by which they came.
///
/// # Example
///
/// A box of 2 kg falls 0.1 m onto the ground of a scene and rests there on four corners, which carry
/// `2 · 10 · 0.01 N·s` per step.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_collision::{Collider, Scene, Shape};
/// use percussion_dynamics::{Body, FreeBodies, MassProperties};
/// use percussion_integrators::{Model, Simulation, State, impulse_velocity::{ImpulseVelocity, Settings}};
///
/// let half_extents = Vector3::new(0.3, 0.2, 0.1);
/// let body = Body::from_mass_properties(&MassProperties::solid_box(2.0, &(2.0 * half_extents))?);
/// let system = FreeBodies::new(vec![body], Vector3::new(0.0, 0.0, -10.0))?;
/// let scene = Scene::new(
///     vec![
///         Collider::on_body(0, Shape::Box { half_extents })?.with_friction(0.5)?,
///         Collider::fixed(Shape::HalfSpace { normal: Vector3::z() })?.with_friction(0.5)?,
///     ],
///     &system,
/// )?;
/// let model = Model::new(Box::new(system), vec![])?.with_contact_source(scene)?;
/// let coordinates = vec![0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0];
/// let start = State { time: 0.0, coordinates, velocity: vec![0.0; 6] };
///
/// let settings = Settings { step_size: 0.01, ..Settings::default() };
/// let mut motion = Simulation::<ImpulseVelocity>::new(model, settings, start)?;
/// let mut carried = 0.0;
/// motion.run(0.5, |_, report| {
///     carried = report.contacts.iter().map(|contact| contact.impulse.x).sum();
/// })?;
/// assert_eq!(motion.contacts().len(), 4);
/// assert!((motion.state().coordinates[2] - 0.1).abs() < 1e-6);
/// assert!((carried - 0.2_f64).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Contacts {
    /// Those of the model, then those found.
    list: Vec<Contact>,
    fixed: usize,
    /// The search among those of the model, once it is used.
    near: Option<Near>,
    found: Option<Found>,
}

impl Contacts {
    /// Contacts of a motion: those that the model names, followed by those that its source will find.
    pub(crate) fn new(model: &Model) -> Self {
        let list = model.contacts().to_vec();
        let found = model.contact_source().map(|source| Found::new(source, model));
        Self { fixed: list.len(), near: None, list, found }
    }

    /// Number of contacts so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there have been none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All contacts so far, by number.
    #[must_use]
    pub fn as_slice(&self) -> &[Contact] {
        &self.list
    }

    /// The name of a contact in the source, or `None` for the contacts of the model.
    #[must_use]
    pub fn name(&self, contact: usize) -> Option<ContactName> {
        let index = contact.checked_sub(self.fixed)?;
        self.found.as_ref()?.names.get(index).copied()
    }

    /// The gap of `contact` (m).
    pub(crate) fn gap(&self, system: &dyn System, contact: usize, coordinates: &[f64]) -> f64 {
        self.list[contact].gap.gap(system, coordinates)
    }

    /// The gap of `contact` (m), without computing it again if a search at these coordinates found it.
    pub(crate) fn known_gap(
        &self,
        system: &dyn System,
        contact: usize,
        coordinates: &[f64],
    ) -> f64 {
        let known = self.search_and_name(contact);
        let known = known.and_then(|(found, name)| found.search.known_gap(coordinates, &name));
        known.unwrap_or_else(|| self.gap(system, contact, coordinates))
    }

    /// Adds `contact` at `coordinates` to a set, without restitution. What a search at these coordinates found is not computed again.
    pub(crate) fn push(
        &self,
        system: &dyn System,
        contact: usize,
        coordinates: &[f64],
        set: &mut ContactSet,
    ) -> Result<(), ContactSetError> {
        let Contact { gap, friction, .. } = &self.list[contact];
        let known = self.search_and_name(contact);
        match known.and_then(|(found, name)| found.search.known_points(coordinates, &name)) {
            Some(points) => set.push_points(system, coordinates, points, *friction, 0.0),
            None => set.push_gap(system, coordinates, gap.as_ref(), *friction, 0.0),
        }
    }

    /// The search that found a contact, and the name of the contact in it.
    fn search_and_name(&self, contact: usize) -> Option<(&Found, ContactName)> {
        Some((self.found.as_ref()?, self.name(contact)?))
    }

    /// Searches at the start of a step; features within `reach` (m) are near.
    pub(crate) fn look(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        reach: f64,
    ) -> Result<(), ContactSourceError> {
        let Some(found) = &mut self.found else { return Ok(()) };
        found.reaches.clear();
        found.look(system, coordinates, reach, &mut self.list)
    }

    /// The same for a step that is expected to move the system from one position to the other: features are near within
    /// `proximity` (m) and twice the ways of both bodies, as two surfaces may move towards each other.
    pub(crate) fn look_ahead(
        &mut self,
        system: &dyn System,
        [from, to]: [&[f64]; 2],
        proximity: f64,
    ) -> Result<(), ContactSourceError> {
        let Some(found) = &mut self.found else { return Ok(()) };
        found.measure(system, from, to);
        // A displacement that is not finite is refused by the step.
        let reach = |way: &f64| if (4.0 * way).is_finite() { 2.0 * way } else { 0.0 };
        found.reaches.clear();
        found.reaches.extend(found.ways.iter().map(reach));
        found.look(system, from, proximity, &mut self.list)
    }

    /// The contacts of the model and those near at the start of the step, ascending.
    pub(crate) fn present(&self) -> impl Iterator<Item = usize> {
        let found = self.found.iter().flat_map(|found| found.present.iter().copied());
        (0..self.fixed).chain(found)
    }

    /// Writes contacts to `present`, ascending: those of the model among which are all whose gap at `coordinates` is
    /// at most `limit` (m) or NaN, then those of the source that are near at the start of the step.
    pub(crate) fn gather(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        limit: f64,
        present: &mut Vec<usize>,
    ) {
        present.clear();
        let near = self.near.get_or_insert_with(|| Near::new(&self.list[..self.fixed]));
        present.extend_from_slice(near.at(system, coordinates, limit));
        present.extend(self.found.iter().flat_map(|found| &found.present));
    }

    /// Whether `contact` is one of the model, or near at the start of the step.
    pub(crate) fn is_present(&self, contact: usize) -> bool {
        let is_near = |found: &Found| found.present.binary_search(&contact).is_ok();
        contact < self.fixed || self.found.as_ref().is_some_and(is_near)
    }

    /// Reach of [`look`](Self::look) for a step that is expected to move the system from one position to the
    /// other (m).
    pub(crate) fn reach(&mut self, system: &dyn System, from: &[f64], to: &[f64]) -> f64 {
        let Some(found) = &mut self.found else { return 0.0 };
        found.measure(system, from, to);
        let farthest = found.ways.iter().copied().fold(0.0, f64::max);
        // Two surfaces may move towards each other; a displacement that is not finite is refused by the step.
        if farthest.is_finite() { 4.0 * farthest } else { 0.0 }
    }

    /// Adds to `active` (ascending) the contacts of a step that are `closed` at `coordinates`, judged by
    /// their gap (m), and returns whether there were any new ones. No gap above `limit` (m, ≥ 0) is closed.
    pub(crate) fn activate(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        (limit, closed): (f64, impl Fn(f64) -> bool),
        active: &mut Vec<usize>,
    ) -> Result<bool, ContactSourceError> {
        let before = active.len();
        let near = self.near.get_or_insert_with(|| Near::new(&self.list[..self.fixed]));
        for &contact in near.at(system, coordinates, limit) {
            let is_new = active[..before].binary_search(&contact).is_err();
            if is_new && closed(self.list[contact].gap.gap(system, coordinates)) {
                active.push(contact);
            }
        }
        self.activate_found(system, coordinates, (limit, closed), active)?;
        active.sort_unstable();
        active.dedup();
        Ok(active.len() > before)
    }

    /// The part of [`activate`](Self::activate) that uses the source; it may append contacts that `active`
    /// contains already.
    fn activate_found(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        (limit, closed): (f64, impl Fn(f64) -> bool),
        active: &mut Vec<usize>,
    ) -> Result<(), ContactSourceError> {
        let Some(found) = &mut self.found else { return Ok(()) };
        found.find_within(system, coordinates, limit, &[])?;
        let last = mem::take(&mut found.last);
        for ends in last.chunk_by(|a, b| a.name.surfaces == b.name.surfaces) {
            let mut closed_ends = ends.iter().filter(|end| closed(end.gap)).peekable();
            let Some(first) = closed_ends.peek() else { continue };
            let all = active.len();
            for &(name, contact) in found.near_between(first.name.surfaces) {
                let measured = ends.iter().find(|end| end.name == name).map(|end| end.gap);
                let gap = || self.list[contact].gap.gap(system, coordinates);
                if closed(measured.unwrap_or_else(gap)) {
                    active.push(contact);
                }
            }
            if active.len() == all {
                active.extend(closed_ends.filter_map(|end| found.number(end, &mut self.list)));
            }
        }
        found.last = last;
        Ok(())
    }

    /// The deepest overlap at `coordinates` (m, ≥ 0).
    pub(crate) fn penetration(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
    ) -> Result<f64, ContactSourceError> {
        let near = self.near.get_or_insert_with(|| Near::new(&self.list[..self.fixed]));
        let of_model = near.at(system, coordinates, 0.0).iter();
        let gaps = of_model.map(|&contact| self.list[contact].gap.gap(system, coordinates));
        let deepest = gaps.fold(0.0, |deepest, gap| f64::max(deepest, -gap));
        let Some(found) = &mut self.found else { return Ok(deepest) };
        // The next step searches here, and will mostly look less than twice as far.
        found.find_widely(system, coordinates, found.proximity)?;
        Ok(found.last.iter().fold(deepest, |deepest, nearby| deepest.max(-nearby.gap)))
    }
}
