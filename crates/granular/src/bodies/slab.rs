//! The bodies of a slab of space with their contacts, the unit of [parallel](crate::parallel) work.

mod bounce;
mod rolls;
mod servos;
mod walls;

use nalgebra::{Isometry3, Point3, Vector3};
use percussion_collision::{
    self as collision, Collider, ColliderError, Near, Place, SceneError, Workspace, between, near,
};

use self::{rolls::Roll, servos::Copies};
use super::{
    body::{Body, Boundary},
    contact::{Contact, Local, Motion, NO_BODY, With},
    memory::{Kept, Memory, Name, Walk},
    packs::{Packs, Seat},
    settings::{Error, Settings},
    twist::Twist,
    walls::Walls,
};
use crate::{
    contact::{Account, larger},
    grains::narrow,
    materials::Materials,
    parallel::Range,
    servo::Servo,
};

/// All bodies and boundaries at the beginning of the step.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    pub(super) bodies: &'a [Body],
    pub(super) identities: &'a [u64],
    pub(super) boundaries: &'a [Boundary],
    pub(super) walls: &'a Walls,
    pub(super) materials: &'a Materials,
    pub(super) servos: &'a [Servo],
    pub(super) settings: &'a Settings,
    /// Gap (m) up to which contacts can close within the step.
    pub(super) reach: f64,
}

/// The state of all bodies and boundaries that contacts need.
#[derive(Clone, Copy)]
pub(super) struct Stand<'a> {
    pub(super) start: Start<'a>,
    /// Places, or the errors of bodies out of range, which matter only near another body.
    pub(super) places: &'a [Result<Place, ColliderError>],
    pub(super) boundary_places: &'a [Result<Place, ColliderError>],
    /// Of the references of walls.
    pub(super) wall_places: &'a [Result<Place, ColliderError>],
    /// Upper bound of the way of each body and its surface since the pairs were listed (m).
    pub(super) travel: &'a [f64],
    /// Motions without contact impulses.
    pub(super) motions: &'a [Motion],
    pub(super) memory: &'a Memory,
    pub(super) moments: &'a Memory,
}

/// Parts of the radii of two bodies and of their coordinates by which a gap that is remembered over steps is reduced.
/// The closed form of boxes is accurate to `4e-9` of their sizes; positions are rounded in every step, of which there
/// may be some thousand between two searches.
const CERTAIN: [f64; 2] = [1e-8, 1e-12];

/// Several layers of cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Slab {
    pub(super) index: usize,
    pub(super) start: u32,
    pub(super) len: u32,
    /// Bodies of this slab and boundaries, which are numbered before the pieces of walls.
    pub(super) boundary_pairs: Vec<[u32; 2]>,
    /// Bodies that may touch before the pairs are searched again; the first is in this slab. They are numbered after
    /// the boundary pairs.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Of each of `pairs`: while both bodies together have [traveled](Stand::travel) less than this minus the reach,
    /// they have no contacts (m).
    clear: Vec<f64>,
    pub(super) contacts: Vec<Contact>,
    /// The same contacts in the form in which they are swept.
    packs: Packs,
    copies: Copies,
    /// Moments of contacts of balls, and where the impulses of all contacts are if there are any.
    rolls: Vec<Roll>,
    seats: Vec<Seat>,
    /// Numbers and impulses of the contacts that slid in the last step, while packs are filled.
    slid: Vec<(u32, Vector3<f64>)>,
    /// Impulses of the last step, in the order of the pairs.
    kept: Vec<Kept>,
    /// Its moments in the same order (N·m·s).
    kept_moments: Vec<Kept>,
    workspace: Workspace,
    /// The error of the search for contacts.
    pub(super) fault: Option<Error>,
    /// Largest free velocity of a contact (m/s).
    pub(super) scale: f64,
    /// Square of the largest change that the last sweep made, as a velocity (m/s)².
    pub(super) change: f64,
    pub(super) account: Account,
}

impl Range for Slab {
    fn start(&self) -> u32 {
        self.start
    }

    fn len(&self) -> u32 {
        self.len
    }
}

impl Slab {
    /// The slab with these lists of a former search.
    pub(super) fn listed(
        index: usize,
        [start, len]: [u32; 2],
        boundary_pairs: Vec<[u32; 2]>,
        pairs: Vec<[u32; 2]>,
    ) -> Self {
        Self { index, start, len, boundary_pairs, pairs, ..Self::default() }
    }

    /// Lists the boundaries near the bodies of the slab.
    pub(super) fn list_boundaries(&mut self, start: &Start<'_>, skin: f64) {
        self.boundary_pairs.clear();
        let settings = collision::Settings { proximity: skin };
        let (mut found, first) = (Vec::new(), narrow(start.boundaries.len()));
        for body in self.start..self.start + self.len {
            let Body { form, position, .. } = &start.bodies[body as usize];
            let place = Isometry3::translation(position.x, position.y, position.z);
            for (index, boundary) in (0..).zip(start.boundaries) {
                let (colliders, poses) =
                    ([&form.hull, &boundary.collider], [&place, &boundary.pose]);
                match between(colliders, poses, &settings, &mut self.workspace) {
                    Ok([]) => {}
                    Ok(_) => self.boundary_pairs.push([body, index]),
                    Err(source) => self.refuse(start, body, source),
                }
            }
            let pairs = &mut self.boundary_pairs;
            start.walls.list(form, position, skin, &mut found, &mut |piece| {
                pairs.push([body, first + piece]);
            });
        }
    }

    /// Finds the contacts that can close within the step, and assigns them the impulses of the last step.
    pub(super) fn assemble(&mut self, stand: &Stand<'_>) {
        self.forget_contacts();
        self.copies.clear();
        let (boundary_pairs, pairs) =
            (std::mem::take(&mut self.boundary_pairs), std::mem::take(&mut self.pairs));
        let pieces = narrow(stand.start.boundaries.len());
        for (pair, &[body, boundary]) in (0..).zip(&boundary_pairs) {
            match boundary.checked_sub(pieces) {
                None => self.touch_boundary(stand, pair, [body, boundary]),
                Some(piece) => self.touch_wall(stand, pair, [body, piece]),
            }
        }
        let mut clear = std::mem::take(&mut self.clear);
        clear.resize(pairs.len(), f64::NEG_INFINITY);
        let identity = |body: u32| stand.start.identities[body as usize];
        let first = narrow(boundary_pairs.len());
        for ((pair, &[a, b]), clear) in (first..).zip(&pairs).zip(&mut clear) {
            let traveled = stand.travel[a as usize] + stand.travel[b as usize];
            if traveled + stand.start.reach < *clear {
                continue;
            }
            // In the order of identities, so that only the sweeps depend on the order of places.
            let both = if identity(a) < identity(b) { [a, b] } else { [b, a] };
            *clear = traveled + self.touch(stand, pair, both);
        }
        self.clear = clear;
        (self.boundary_pairs, self.pairs) = (boundary_pairs, pairs);
        if stand.start.servos.is_empty() {
            self.take_over(stand);
        } else {
            // Their mass is not yet divided among the slabs.
            self.note_servos(&stand.start);
        }
    }

    /// Prepares the contacts for the sweeps, with the impulses of the last step.
    pub(super) fn take_over(&mut self, stand: &Stand<'_>) {
        let Stand { start, motions, memory, .. } = stand;
        let mut walk = Walk::new(&self.kept);
        let lists = [&*self.boundary_pairs, &*self.pairs];
        let bodies = &start.bodies[self.start as usize..];
        let arms = |contact: &Contact| {
            contact.bodies.map(|body| match body {
                NO_BODY => Vector3::zeros(),
                body => contact.point - bodies[body as usize].position,
            })
        };
        let copies = &self.copies;
        let push = |packs: &mut Packs, contact: &Contact, number: u32, impulse: &Vector3<f64>| {
            let servo = copies.of(number);
            let arms = arms(contact);
            let arms = servo.map_or(arms, |(_, arm)| [arms[0], arm]);
            packs.push(contact, number, (arms, servo.map(|(place, _)| place)), impulse);
        };
        self.packs.clear();
        for (number, contact) in (0..).zip(&self.contacts) {
            let Contact { pair, local, .. } = contact;
            let impulse = if memory.is_current {
                memory.find(&name_of(lists, start.identities, *pair, local))
            } else {
                walk.find(*pair, local)
            };
            match impulse {
                Some(impulse) if contact.slid(impulse) => self.slid.push((number, *impulse)),
                impulse => {
                    let impulse = impulse.copied().unwrap_or_default();
                    push(&mut self.packs, contact, number, &impulse);
                }
            }
        }
        self.packs.close();
        for (number, impulse) in self.slid.drain(..) {
            let contact = &self.contacts[number as usize];
            push(&mut self.packs, contact, number, &impulse);
        }
        let Settings { law, step_size, .. } = *start.settings;
        let motions = &motions[self.start as usize..];
        let mut copies = std::mem::take(&mut self.copies);
        if !copies.is_empty() {
            copies.lend(motions);
        }
        let motions = if copies.is_empty() { motions } else { copies.lent() };
        match self.packs.assemble(motions, law, step_size) {
            Ok(largest) => {
                self.scale = largest.sqrt();
                if start.materials.bounce() {
                    self.bounce(start, motions, &copies);
                }
                if start.materials.roll() {
                    self.resist(stand, motions);
                }
            }
            Err(number) => {
                let body = self.start + self.contacts[number as usize].bodies[0];
                self.refuse(start, body, SceneError::Undecided { colliders: [0, 1] });
            }
        }
        self.copies = copies;
    }

    /// Stores the impulses of the contacts for the next step.
    pub(super) fn keep(&mut self) {
        self.kept.clear();
        for &Contact { pair, local, impulse, .. } in &self.contacts {
            if impulse != Vector3::zeros() {
                self.kept.push(Kept { pair, local, impulse });
            }
        }
        self.keep_moments();
    }

    /// The impulses that were [kept](Self::keep), or the moments, while the lists of pairs are those of that step.
    pub(super) fn kept<'a>(
        &'a self,
        identities: &'a [u64],
        moments: bool,
    ) -> impl Iterator<Item = (Name, Vector3<f64>)> + 'a {
        let lists = [&*self.boundary_pairs, &*self.pairs];
        let kept = if moments { &self.kept_moments } else { &self.kept };
        kept.iter().map(move |Kept { pair, local, impulse }| {
            (name_of(lists, identities, *pair, local), *impulse)
        })
    }

    /// Finds the contacts of two bodies, and returns a distance by which they can approach each other without
    /// coming within reach of a contact, plus the reach (m).
    fn touch(&mut self, stand: &Stand<'_>, pair: u32, both: [u32; 2]) -> f64 {
        let Stand { start, places, .. } = stand;
        let [a, b] = both.map(|body| &start.bodies[body as usize]);
        let radii = a.form.radius() + b.form.radius();
        // Less than the gap by far more than is rounded, so that no contact depends on it.
        let rounded = CERTAIN[0] * radii + CERTAIN[1] * (a.position.norm() + b.position.norm());
        let certain = |gap: f64| gap - rounded;
        let gap = (a.position - b.position).norm() - radii;
        if gap > start.reach {
            return certain(gap);
        }
        let [first, second] = both.map(|body| body as usize);
        let sides = (pair, both.map(|body| body - self.start));
        let poses = [&places[first], &places[second]];
        let materials = [a, b].map(|body| body.form.material);
        let friction = (!start.materials.is_empty())
            .then(|| start.materials.between(materials[0], materials[1]).friction);
        let contact = |parts: [u32; 2]| {
            move |found: &Near| {
                let local = Local { parts, features: found.features };
                let made = Contact::new(found, local, sides, |_| Vector3::zeros());
                Some(Contact { friction: friction.unwrap_or(made.friction), ..made })
            }
        };
        if let ([part_a], [part_b]) = (&*a.form.parts, &*b.form.parts) {
            let colliders = [&part_a.collider, &part_b.collider];
            return certain(self.find(start, colliders, poses, sides.1[0], contact([0, 0])));
        }
        let mut least = f64::INFINITY;
        let center = |body: &Body, part: Vector3<f64>| body.pose() * Point3::from(part);
        for (p, part_a) in (0..).zip(&a.form.parts) {
            let center_a = center(a, part_a.center);
            for (q, part_b) in (0..).zip(&b.form.parts) {
                let apart = (center_a - center(b, part_b.center)).norm();
                let mut gap = apart - part_a.radius - part_b.radius;
                if gap <= start.reach {
                    let colliders = [&part_a.collider, &part_b.collider];
                    gap = self.find(start, colliders, poses, sides.1[0], contact([p, q]));
                }
                least = least.min(gap);
            }
        }
        certain(least)
    }

    /// Finds the contacts of a body and a boundary.
    fn touch_boundary(&mut self, stand: &Stand<'_>, pair: u32, [body, index]: [u32; 2]) {
        let Stand { start, places, boundary_places, .. } = stand;
        let place = body as usize;
        let (Body { form, .. }, boundary) =
            (&start.bodies[place], &start.boundaries[index as usize]);
        let sides = (pair, [body - self.start, NO_BODY]);
        let poses = [&places[place], &boundary_places[index as usize]];
        for (p, part) in (0..).zip(&form.parts) {
            let colliders = [&part.collider, &boundary.collider];
            let drive = |point: &Vector3<f64>| boundary.surface_velocity(point);
            self.find(start, colliders, poses, sides.1[0], |found| {
                let local = Local { parts: [p, 0], features: found.features };
                Some(Contact::new(found, local, sides, drive))
            });
        }
    }

    /// Finds the contacts of two colliders, the first on `body`, counted from the first of the slab; `contact` makes a contact of what
    /// is near, or leaves it out. Returns a lower bound of the gap, or minus infinity if something is near (m).
    fn find(
        &mut self,
        start: &Start<'_>,
        colliders: [&Collider; 2],
        places: [&Result<Place, ColliderError>; 2],
        body: u32,
        contact: impl Fn(&Near) -> Option<Contact>,
    ) -> f64 {
        self.append(start, colliders, places, contact).unwrap_or_else(|source| {
            self.refuse(start, self.start + body, source);
            f64::NEG_INFINITY
        })
    }

    /// [`find`](Self::find), or the reason why it is not possible.
    fn append(
        &mut self,
        start: &Start<'_>,
        colliders: [&Collider; 2],
        [a, b]: [&Result<Place, ColliderError>; 2],
        contact: impl Fn(&Near) -> Option<Contact>,
    ) -> Result<f64, SceneError> {
        let invalid = |index| move |source| SceneError::Collider { index, source };
        let places = [a.as_ref().map_err(|e| *e), b.as_ref().map_err(|e| *e)];
        let places = [places[0].map_err(invalid(0))?, places[1].map_err(invalid(1))?];
        let settings = collision::Settings { proximity: start.reach };
        let nearby = near(colliders, places, &settings, &mut self.workspace)?;
        for found in nearby.iter() {
            self.contacts.extend(contact(&found));
        }
        Ok(nearby.clearance().unwrap_or(f64::NEG_INFINITY))
    }

    /// Records that the contacts of a body could not be found.
    fn refuse(&mut self, start: &Start<'_>, body: u32, source: SceneError) {
        let identity = start.identities[body as usize];
        self.fault = self.fault.or(Some(Error::Contacts { identity, source }));
    }

    /// Forgets the gaps of the pairs, whose list has changed.
    pub(super) fn forget_gaps(&mut self) {
        self.clear.clear();
    }

    /// Deletes the contacts, but keeps their impulses.
    pub(super) fn forget_contacts(&mut self) {
        self.contacts.clear();
        self.rolls.clear();
    }

    /// Applies the impulses carried over. `motions` begin with those of this slab, here and below.
    pub(super) fn warm_start(&mut self, motions: &mut [Motion]) {
        self.with_copies(motions, |packs, rolls, motions| {
            packs.warm_start(motions);
            rolls::warm_start(rolls, motions);
        });
    }

    /// Solves every contact in turn with the others fixed, in reverse order in every other sweep, and then the moments.
    pub(super) fn sweep(&mut self, settings: &Settings, backwards: bool, motions: &mut [Motion]) {
        self.change = self.with_copies(motions, |packs, rolls, motions| {
            let change = packs.sweep(settings.law, motions, backwards);
            match rolls.is_empty() {
                true => change,
                false => larger(change, rolls::sweep(rolls, packs, motions, backwards)),
            }
        });
    }

    /// Does work with motions behind which are the copies of servos, if some are near.
    fn with_copies<T>(
        &mut self,
        motions: &mut [Motion],
        work: impl FnOnce(&mut Packs, &mut [Roll], &mut [Motion]) -> T,
    ) -> T {
        let Self { packs, rolls, copies, .. } = self;
        if copies.is_empty() {
            return work(packs, rolls, motions);
        }
        let result = work(packs, rolls, copies.lend(motions));
        copies.take_back(motions);
        result
    }

    /// Evaluates the impulses with the motions after them.
    pub(super) fn certify(&mut self, settings: &Settings, motions: &[Motion]) {
        let (law, step) = (settings.law, settings.step_size);
        let Self { packs, rolls, copies, contacts, .. } = self;
        let motions = if copies.is_empty() { motions } else { copies.lend(motions) };
        self.account = packs.certify(contacts, motions, law, step);
        rolls::certify(rolls, packs, motions, &mut self.account);
        self.account.wall_work += copies.work();
    }

    /// Collects the pushes that remove overlaps, and those of contacts that may overlap as a result.
    pub(super) fn prepare_pushes(&mut self, settings: &Settings, motions: &[Motion], deepest: f64) {
        self.packs.prepare_pushes(motions, [settings.correction, deepest]);
    }

    /// Pushes the bodies of each overlap apart, one after another. `shifts` begin with those of this slab.
    pub(super) fn push(&mut self, shifts: &mut [Twist]) {
        self.packs.push_apart(shifts);
    }

    /// The deepest overlap at the beginning of the step (m, ≥ 0).
    pub(super) fn overlap(&self) -> f64 {
        self.contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max)
    }
}

/// The name of a contact of pair `pair`, counted through the boundary pairs and the pairs of a slab.
fn name_of(
    [boundary_pairs, pairs]: [&[[u32; 2]]; 2],
    identities: &[u64],
    pair: u32,
    local: &Local,
) -> Name {
    let (pair, local) = (pair as usize, *local);
    if let Some(&[body, index]) = boundary_pairs.get(pair) {
        return Name { body: identities[body as usize], with: With::Boundary(index), local };
    }
    let [a, b] = pairs[pair - boundary_pairs.len()].map(|body| identities[body as usize]);
    Name { body: a.min(b), with: With::Body(a.max(b)), local }
}
