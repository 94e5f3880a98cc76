//! The bodies of a slab of space with their contacts, the unit of [parallel](crate::parallel) work.

use nalgebra::{Isometry3, Point3, Vector3};
use percussion_collision::{self as collision, Collider, SceneError, Workspace, between};

use super::{
    body::{Body, Boundary},
    contact::{Contact, Motion, Name, Push, Shift, With},
    settings::{Error, Settings},
};
use crate::{
    contact::{Account, larger},
    parallel::Range,
};

/// All bodies and boundaries at the beginning of the step.
#[derive(Clone, Copy)]
pub(super) struct Start<'a> {
    pub(super) bodies: &'a [Body],
    pub(super) identities: &'a [u64],
    pub(super) boundaries: &'a [Boundary],
    pub(super) settings: &'a Settings,
    /// Gap (m) up to which contacts can close within the step.
    pub(super) reach: f64,
}

/// A body, and another one or a boundary.
struct Sides<'a> {
    bodies: [Option<u32>; 2],
    with: With,
    centers: [Vector3<f64>; 2],
    poses: [&'a Isometry3<f64>; 2],
}

/// Several layers of cells.
#[derive(Clone, Debug, Default)]
pub(super) struct Slab {
    pub(super) index: usize,
    pub(super) start: u32,
    pub(super) len: u32,
    /// Bodies that may touch before the pairs are searched again; the first is in this slab.
    pub(super) pairs: Vec<[u32; 2]>,
    /// Bodies of this slab and boundaries.
    pub(super) boundary_pairs: Vec<[u32; 2]>,
    pub(super) contacts: Vec<Contact>,
    pushes: Vec<Push>,
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
    /// Lists the boundaries near the bodies of the slab.
    pub(super) fn list_boundaries(&mut self, start: &Start<'_>, skin: f64) {
        self.boundary_pairs.clear();
        let settings = collision::Settings { proximity: skin };
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
        }
    }

    /// Finds the contacts that can close within the step, and assigns them the impulses of `memory`. The
    /// motions, of all bodies, are those without contact impulses.
    pub(super) fn assemble(
        &mut self,
        start: &Start<'_>,
        motions: &[Motion],
        memory: &[(Name, Vector3<f64>)],
    ) {
        self.contacts.clear();
        let boundary_pairs = std::mem::take(&mut self.boundary_pairs);
        for &[body, boundary] in &boundary_pairs {
            self.touch_boundary(start, body, boundary, motions);
        }
        self.boundary_pairs = boundary_pairs;
        let pairs = std::mem::take(&mut self.pairs);
        for pair in &pairs {
            // In the order of identities, so that only the sweeps depend on the order of places.
            let [a, b] = *pair;
            let identity = |body: u32| start.identities[body as usize];
            self.touch(start, if identity(a) < identity(b) { [a, b] } else { [b, a] }, motions);
        }
        self.pairs = pairs;
        self.scale = 0.0;
        let local = &motions[self.start as usize..];
        for contact in &mut self.contacts {
            self.scale = self.scale.max(contact.shifted_velocity(local).norm());
            if let Ok(place) = memory.binary_search_by_key(&contact.name, |(name, _)| *name) {
                contact.take_over(&memory[place].1);
            }
        }
    }

    /// Finds the contacts of two bodies.
    fn touch(&mut self, start: &Start<'_>, pair: [u32; 2], motions: &[Motion]) {
        let [a, b] = pair.map(|body| &start.bodies[body as usize]);
        let near = |apart: Vector3<f64>, sum: f64| {
            let reach = sum + start.reach;
            apart.norm_squared() <= reach * reach
        };
        if !near(a.position - b.position, a.form.radius() + b.form.radius()) {
            return;
        }
        let poses = [a.pose(), b.pose()];
        let sides = Sides {
            bodies: pair.map(Some),
            with: With::Body(start.identities[pair[1] as usize]),
            centers: [a.position, b.position],
            poses: [&poses[0], &poses[1]],
        };
        for (p, part_a) in (0..).zip(&a.form.parts) {
            let center = poses[0] * Point3::from(part_a.center);
            for (q, part_b) in (0..).zip(&b.form.parts) {
                let apart = center - poses[1] * Point3::from(part_b.center);
                if near(apart, part_a.radius + part_b.radius) {
                    let parts = [(p, &part_a.collider), (q, &part_b.collider)];
                    self.find(start, &sides, parts, |_| Vector3::zeros(), motions);
                }
            }
        }
    }

    /// Finds the contacts of a body and a boundary.
    fn touch_boundary(&mut self, start: &Start<'_>, body: u32, index: u32, motions: &[Motion]) {
        let (place, boundary) = (&start.bodies[body as usize], &start.boundaries[index as usize]);
        let sides = Sides {
            bodies: [Some(body), None],
            with: With::Boundary(index),
            centers: [place.position, Vector3::zeros()],
            poses: [&place.pose(), &boundary.pose],
        };
        for (p, part) in (0..).zip(&place.form.parts) {
            let parts = [(p, &part.collider), (0, &boundary.collider)];
            self.find(start, &sides, parts, |point| boundary.surface_velocity(point), motions);
        }
    }

    /// Finds the contacts of two parts, given as their indices and colliders.
    fn find(
        &mut self,
        start: &Start<'_>,
        sides: &Sides<'_>,
        [(p, part), (q, other)]: [(u32, &Collider); 2],
        drive: impl Fn(&Vector3<f64>) -> Vector3<f64>,
        motions: &[Motion],
    ) {
        let Sides { bodies, with, centers, poses } = *sides;
        let Some(first) = bodies[0] else { return };
        let settings = collision::Settings { proximity: start.reach };
        let contacts = match between([part, other], poses, &settings, &mut self.workspace) {
            Ok(contacts) => contacts,
            Err(source) => return self.refuse(start, first, source),
        };
        let both = bodies.map(|body| body.map(|body| &motions[body as usize]));
        let local = bodies.map(|body| body.map(|body| body - self.start));
        let body = start.identities[first as usize];
        for found in contacts {
            let name = Name { body, with, parts: [p, q], features: found.id.features };
            let step = start.settings.step_size;
            match Contact::new(found, name, local, centers, both, &drive, step) {
                Some(contact) => self.contacts.push(contact),
                None => {
                    let source = SceneError::Undecided { colliders: [0, 1] };
                    self.fault = self.fault.or(Some(Error::Contacts { identity: body, source }));
                }
            }
        }
    }

    /// Records that the contacts of a body could not be found.
    fn refuse(&mut self, start: &Start<'_>, body: u32, source: SceneError) {
        let identity = start.identities[body as usize];
        self.fault = self.fault.or(Some(Error::Contacts { identity, source }));
    }

    /// Applies the impulses carried over. `motions` begin with those of this slab, here and below.
    pub(super) fn warm_start(&mut self, motions: &mut [Motion]) {
        self.contacts.iter().for_each(|contact| contact.warm_start(motions));
    }

    /// Solves every contact in turn with the others fixed, in reverse order in every other sweep.
    pub(super) fn sweep(&mut self, settings: &Settings, backwards: bool, motions: &mut [Motion]) {
        let mut change = 0.0;
        let mut solve = |contact: &mut Contact| {
            change = larger(change, contact.sweep(settings.law, motions));
        };
        if backwards {
            self.contacts.iter_mut().rev().for_each(&mut solve);
        } else {
            self.contacts.iter_mut().for_each(&mut solve);
        }
        self.change = change;
    }

    /// Evaluates the impulses with the motions after them.
    pub(super) fn certify(&mut self, settings: &Settings, motions: &[Motion]) {
        self.account = Account::default();
        for contact in &self.contacts {
            contact.certify(settings.law, motions, settings.step_size, &mut self.account);
        }
    }

    /// Collects the pushes that remove overlaps, and those of contacts that may overlap as a result.
    pub(super) fn prepare_pushes(&mut self, settings: &Settings, motions: &[Motion], deepest: f64) {
        let step = settings.step_size;
        let near = |contact: &&Contact| contact.gap + step * contact.velocity(motions).x < deepest;
        let push = |contact: &Contact| contact.prepare_push(settings.correction, motions, step);
        self.pushes.clear();
        self.pushes.extend(self.contacts.iter().filter(near).map(push));
    }

    /// Pushes the bodies of each overlap apart, one after another. `shifts` begin with those of this slab.
    pub(super) fn push(&mut self, shifts: &mut [Shift]) {
        self.pushes.iter_mut().for_each(|push| push.sweep(shifts));
    }

    /// The deepest overlap at the beginning of the step (m, ≥ 0).
    pub(super) fn overlap(&self) -> f64 {
        self.contacts.iter().map(|contact| -contact.gap).fold(0.0, f64::max)
    }
}
