//! The contacts of one motion: those of the model, and those that its
//! [source](percussion_dynamics::ContactSource) finds during the motion.

mod near;
mod tree;

use std::{collections::BTreeMap, mem, sync::Arc};

use nalgebra::Isometry3;
use percussion_dynamics::{
    ContactName, ContactSearch, ContactSource, ContactSourceError, Nearby, System,
};

use crate::model::{Contact, FoundCone, Model};
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

/// Contacts found by a source.
#[derive(Debug)]
struct Found {
    source: Arc<dyn ContactSource>,
    search: Box<dyn ContactSearch>,
    names: Vec<ContactName>,
    numbers: BTreeMap<ContactName, usize>,
    /// Contacts near at the start of the step, by name, with their numbers.
    near: Vec<(ContactName, usize)>,
    /// Their numbers, ascending.
    present: Vec<usize>,
    /// Result of the last search, with its place; none before the first search.
    last: Vec<Nearby>,
    place: Option<Place>,
    /// The proximity of the last look, and the reaches of the bodies, none or one each (m).
    proximity: f64,
    reaches: Vec<f64>,
    /// Scratch for wider reaches (m).
    wide: Vec<f64>,
    /// The [radius](ContactSource::radius) of each body and the longest way of a point of it in a step (m).
    radii: Vec<f64>,
    ways: Vec<f64>,
    /// Scratch for the poses of the bodies at the ends of a step.
    poses: [Vec<Isometry3<f64>>; 2],
    /// The cones that are not round.
    cones: Vec<FoundCone>,
}

/// Where and how far was searched.
#[derive(Debug, Default)]
struct Place {
    coordinates: Vec<f64>,
    /// (m)
    proximity: f64,
    /// Reaches of the bodies, none or one each (m).
    reaches: Vec<f64>,
}

impl Place {
    fn covers(&self, coordinates: &[f64], proximity: f64, reaches: &[f64]) -> bool {
        let known = self.reaches.iter().chain(std::iter::repeat(&0.0));
        self.coordinates == coordinates
            && self.proximity >= proximity
            && reaches.iter().zip(known).all(|(reach, known)| reach <= known)
    }
}

impl Contacts {
    /// Contacts of a motion: those that the model names, followed by those that its source will find.
    pub(crate) fn new(model: &Model) -> Self {
        let list = model.contacts().to_vec();
        let found = model.contact_source().map(|source| Found {
            search: source.search(),
            source: Arc::clone(source),
            names: Vec::new(),
            numbers: BTreeMap::new(),
            near: Vec::new(),
            present: Vec::new(),
            last: Vec::new(),
            place: None,
            proximity: 0.0,
            reaches: Vec::new(),
            wide: Vec::new(),
            ways: Vec::new(),
            radii: (0..model.system().body_count()).map(|body| source.radius(body)).collect(),
            poses: [Vec::new(), Vec::new()],
            cones: model.found_cones().to_vec(),
        });
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
        let mut wide = mem::take(&mut found.wide);
        wide.clear();
        wide.extend(found.reaches.iter().map(|reach| 2.0 * reach));
        let searched = found.find_within(system, coordinates, found.proximity, &wide);
        found.wide = wide;
        searched?;
        Ok(found.last.iter().fold(deepest, |deepest, nearby| deepest.max(-nearby.gap)))
    }
}

impl Found {
    /// Finds at least the contacts within `proximity` and the reaches of both bodies (m; none or one each). There is no search if the last one was at the same position and as far.
    fn find_within(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        proximity: f64,
        reaches: &[f64],
    ) -> Result<(), ContactSourceError> {
        if self.place.as_ref().is_some_and(|place| place.covers(coordinates, proximity, reaches)) {
            return Ok(());
        }
        let mut place = self.place.take().unwrap_or_default();
        self.search.find_within(system, coordinates, proximity, reaches, &mut self.last)?;
        place.proximity = proximity;
        for (known, new) in [(&mut place.coordinates, coordinates), (&mut place.reaches, reaches)] {
            known.clear();
            known.extend_from_slice(new);
        }
        self.place = Some(place);
        Ok(())
    }

    /// Takes as near what is within `proximity` (m) and the reaches of the bodies.
    fn look(
        &mut self,
        system: &dyn System,
        coordinates: &[f64],
        proximity: f64,
        list: &mut Vec<Contact>,
    ) -> Result<(), ContactSourceError> {
        let reaches = mem::take(&mut self.reaches);
        let searched = self.find_within(system, coordinates, proximity, &reaches);
        self.proximity = proximity;
        self.reaches = reaches;
        searched?;
        self.near.clear();
        let last = mem::take(&mut self.last);
        for nearby in &last {
            if nearby.gap > self.margin(&nearby.name) {
                continue;
            }
            let number = self.number(nearby, list);
            self.near.extend(number.map(|number| (nearby.name, number)));
        }
        self.last = last;
        self.present.clear();
        self.present.extend(self.near.iter().map(|(_, number)| *number));
        self.present.sort_unstable();
        Ok(())
    }

    /// The largest gap of a contact that is near (m).
    fn margin(&self, name: &ContactName) -> f64 {
        let of_body = |body: Option<usize>| body.and_then(|body| self.reaches.get(body)).copied();
        let reach = match self.source.bodies(name) {
            Some([first, second]) => of_body(first).unwrap_or(0.0) + of_body(second).unwrap_or(0.0),
            None => 2.0 * self.reaches.iter().copied().fold(0.0, f64::max),
        };
        self.proximity + reach
    }

    /// Measures the longest way of a point of each body from one position to the other.
    fn measure(&mut self, system: &dyn System, from: &[f64], to: &[f64]) {
        let [before, after] = &mut self.poses;
        system.poses(from, before);
        system.poses(to, after);
        let way = |((from, to), radius): ((&Isometry3<f64>, &Isometry3<f64>), &f64)| {
            let moved = (to.translation.vector - from.translation.vector).norm();
            moved + radius * from.rotation.angle_to(&to.rotation)
        };
        self.ways.clear();
        self.ways.extend(before.iter().zip(&*after).zip(&self.radii).map(way));
    }

    /// The contacts near at the start of the step between these surfaces.
    fn near_between(&self, surfaces: [usize; 2]) -> &[(ContactName, usize)] {
        let from = self.near.partition_point(|(name, _)| name.surfaces < surfaces);
        let to = self.near.partition_point(|(name, _)| name.surfaces <= surfaces);
        &self.near[from..to]
    }

    /// The number of a contact; a new one is appended to `list`. `None` if the source returns a name for
    /// which it has no gap.
    fn number(&mut self, nearby: &Nearby, list: &mut Vec<Contact>) -> Option<usize> {
        let Nearby { name, friction, restitution, .. } = *nearby;
        if let Some(&number) = self.numbers.get(&name) {
            return Some(number);
        }
        let gap = self.source.gap(&name)?;
        let number = list.len();
        let cone = FoundCone::between(name.surfaces, &self.cones).cloned();
        list.push(Contact { gap, friction, restitution, cone });
        self.names.push(name);
        self.numbers.insert(name, number);
        Some(number)
    }
}
