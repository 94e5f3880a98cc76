//! The equations of motion under compliant contacts, and their derivative.
//!
//! The unknowns are `y = (e, v, P)`: the displacement of the coordinates `e = q − q₀` from the start, the
//! generalized velocity, and the impulses of all contact components since the start,
//!
//! ```math
//! \dot e = N(q)\, v, \qquad M(q)\, \dot v = k(q, v, t) + J(q)^\mathsf{T} f, \qquad \dot P = f,
//! ```
//!
//! with the contact forces `f(g, J v)`. Differences of nearly equal contact forces would lose the digits that
//! stiff laws need. Derivatives therefore treat two parts separately: the change of the forces in closed
//! form, and the rest by central differences with fixed forces.

use nalgebra::{DMatrix, Vector2};
use percussion_dynamics::gap::ContactRows;

use super::{Model, Snapshot, State};

/// Step of the central differences, relative to the strides of the unknowns (their changes while bodies move
/// by the length of the model). Their error is `h² + eps/h`, some 1e-10, and affects only the speed of the
/// iteration.
const DIFFERENCE: f64 = 1e-5;

#[derive(Debug)]
pub(super) struct Equations<'a> {
    pub(super) model: &'a Model,
    origin: &'a [f64],
    /// Changes of displacements and velocities while bodies move by the length of the model.
    strides: &'a [f64],
    /// Whether each contact acts: its gap was not open at the last restart.
    pub(super) touching: Vec<bool>,
    pub(super) evaluations: usize,
    /// Quantities of the state evaluated last.
    pub(super) coordinates: Vec<f64>,
    /// The coordinates of a snapshot, and a displacement of zero.
    shown: Vec<f64>,
    nowhere: Vec<f64>,
    pub(super) gaps: Vec<f64>,
    pub(super) contact_velocity: Vec<f64>,
    pub(super) forces: Vec<f64>,
    rows: Vec<ContactRows>,
    acceleration: DMatrix<f64>,
    scratch: Scratch,
}

/// Memory of the derivative.
#[derive(Debug)]
struct Scratch {
    shifted: Vec<f64>,
    rate: Vec<f64>,
    smooth: Vec<f64>,
}

impl<'a> Equations<'a> {
    pub(super) fn new(model: &'a Model, start: &'a State, strides: &'a [f64]) -> Self {
        let system = model.system();
        let (contacts, components) = (model.contacts().len(), model.component_count());
        let size = system.coordinate_count() + system.velocity_count() + contacts * components;
        Self {
            model,
            origin: &start.coordinates,
            strides,
            touching: vec![false; contacts],
            evaluations: 0,
            coordinates: start.coordinates.clone(),
            shown: start.coordinates.clone(),
            nowhere: vec![0.0; system.velocity_count()],
            gaps: vec![0.0; contacts],
            contact_velocity: vec![0.0; contacts * components],
            forces: vec![0.0; contacts * components],
            rows: vec![ContactRows::for_system(system); contacts],
            acceleration: DMatrix::zeros(system.velocity_count(), 1),
            scratch: Scratch {
                shifted: vec![0.0; size],
                rate: vec![0.0; size],
                smooth: vec![0.0; system.velocity_count()],
            },
        }
    }

    /// The unknowns of a state.
    pub(super) fn unknowns(start: &State) -> Vec<f64> {
        let displacement = vec![0.0; start.coordinates.len()];
        [displacement.as_slice(), &start.velocity, &start.impulses].concat()
    }

    /// Displacement, velocity and impulses.
    pub(super) fn split<'y>(&self, y: &'y [f64]) -> (&'y [f64], &'y [f64], &'y [f64]) {
        let system = self.model.system();
        let (displacement, rest) = y.split_at(system.coordinate_count());
        let (velocity, impulses) = rest.split_at(system.velocity_count());
        (displacement, velocity, impulses)
    }

    /// Returns a snapshot of `y` with normalized quaternions: step errors accumulate in their lengths, on
    /// which no equation depends.
    pub(super) fn snapshot<'s>(&'s mut self, time: f64, y: &'s [f64]) -> Snapshot<'s> {
        self.evaluate_contacts(y);
        self.model.system().retract(&self.coordinates, &self.nowhere, &mut self.shown);
        let (_, velocity, impulses) = self.split(y);
        Snapshot {
            time,
            coordinates: &self.shown,
            velocity,
            impulses,
            gaps: &self.gaps,
            contact_velocity: &self.contact_velocity,
            forces: &self.forces,
            touching: &self.touching,
        }
    }

    /// The state of `y` with normalized quaternions.
    pub(super) fn state(&mut self, time: f64, y: &[f64]) -> State {
        self.set_coordinates(y);
        let (_, velocity, impulses) = self.split(y);
        let mut coordinates = self.coordinates.clone();
        self.model.system().retract(&self.coordinates, &self.nowhere, &mut coordinates);
        State { time, coordinates, velocity: velocity.to_vec(), impulses: impulses.to_vec() }
    }

    /// Sizes of the generalized forces, of the system and of the contacts, at `y` (N, N·m).
    pub(super) fn pulls(&mut self, time: f64, y: &[f64]) -> Vec<f64> {
        self.evaluate_contacts(y);
        let (_, velocity, _) = self.split(y);
        let smooth = &mut self.scratch.smooth;
        self.model.system().smooth_forces(&self.coordinates, velocity, time, smooth);
        let mut contact = vec![0.0; velocity.len()];
        let components = self.model.component_count();
        for (rows, force) in self.rows.iter().zip(self.forces.chunks_exact(components)) {
            add_transposed(rows, force, &mut contact);
        }
        smooth.iter().zip(&contact).map(|(k, f)| k.abs() + f.abs()).collect()
    }

    /// Power of the forces without a potential at `y` (W).
    pub(super) fn other_power(&mut self, time: f64, y: &[f64]) -> f64 {
        self.set_coordinates(y);
        let (_, velocity, _) = self.split(y);
        self.model.system().other_power(&self.coordinates, velocity, time)
    }

    /// Energy of the system and its contacts at `y` (J).
    pub(super) fn energy(&mut self, y: &[f64]) -> f64 {
        self.set_coordinates(y);
        let (_, velocity, _) = self.split(y);
        self.model.energy(&self.coordinates, velocity)
    }

    /// Whether a gap has changed sides since the last restart.
    pub(super) fn opened_or_closed(&mut self, y: &[f64]) -> bool {
        self.locate(y);
        self.touching.iter().zip(&self.gaps).any(|(touching, gap)| *touching != (*gap <= 0.0))
    }

    /// Sets coordinates and gaps to those of `y`.
    pub(super) fn locate(&mut self, y: &[f64]) {
        self.set_coordinates(y);
        for (gap, contact) in self.gaps.iter_mut().zip(self.model.contacts()) {
            *gap = contact.gap.gap(self.model.system(), &self.coordinates);
        }
    }

    /// Sets coordinates, gaps, contact velocity and contact forces to those of `y`.
    pub(super) fn evaluate_contacts(&mut self, y: &[f64]) {
        self.set_coordinates(y);
        self.evaluations += 1;
        let (_, velocity, _) = self.split(y);
        let components = self.model.component_count();
        for (index, contact) in self.model.contacts().iter().enumerate() {
            let rows = &mut self.rows[index];
            let gap = contact.gap.rows(self.model.system(), &self.coordinates, rows);
            let u = &mut self.contact_velocity[components * index..components * (index + 1)];
            apply_rows(rows, velocity, u);
            let force = &mut self.forces[components * index..components * (index + 1)];
            if self.touching[index] {
                // Just outside, where a step may end before the opening is located, the law is continued from
                // the closed side, so that there is no jump within a step.
                let (normal, tangent) = contact.law.force(gap.min(0.0), u[0], slip(u));
                write_force(force, normal, &tangent);
            } else {
                force.fill(0.0);
            }
            self.gaps[index] = gap;
        }
    }

    /// Writes `ẏ`.
    pub(super) fn rate(&mut self, time: f64, y: &[f64], rate: &mut [f64]) {
        self.evaluate_contacts(y);
        self.rate_with_held_forces(time, y, rate);
    }

    /// Writes the derivative of `ẏ` along `direction`.
    pub(super) fn rate_change(
        &mut self,
        time: f64,
        y: &[f64],
        direction: &[f64],
        change: &mut [f64],
    ) {
        change.fill(0.0);
        let (displacement, velocity, _) = self.split(direction);
        if displacement.iter().chain(velocity).all(|d| *d == 0.0) {
            return; // Nothing depends on the impulses.
        }
        self.evaluate_contacts(y);
        self.add_held_change(time, y, direction, change);
        self.add_force_change(y, direction, change);
    }

    /// The change with fixed contact forces.
    fn add_held_change(&mut self, time: f64, y: &[f64], direction: &[f64], change: &mut [f64]) {
        let scale = length(direction, self.strides);
        let step = DIFFERENCE / scale;
        let mut shifted = std::mem::take(&mut self.scratch.shifted);
        let mut rate = std::mem::take(&mut self.scratch.rate);
        for side in [step, -step] {
            for ((s, y), d) in shifted.iter_mut().zip(y).zip(direction) {
                *s = y + side * d;
            }
            self.set_coordinates(&shifted);
            for (contact, rows) in self.model.contacts().iter().zip(&mut self.rows) {
                contact.gap.rows(self.model.system(), &self.coordinates, rows);
            }
            self.rate_with_held_forces(time, &shifted, &mut rate);
            for (c, r) in change.iter_mut().zip(&rate) {
                *c += r / (2.0 * side);
            }
        }
        self.scratch.shifted = shifted;
        self.scratch.rate = rate;
        // The fixed forces do not contribute to the change of the impulses.
        let states = self.origin.len() + self.model.system().velocity_count();
        change[states..].fill(0.0);
    }

    /// Adds `M⁻¹ Jᵀ δf` to the acceleration and `δf` to the rate of the impulses.
    fn add_force_change(&mut self, y: &[f64], direction: &[f64], change: &mut [f64]) {
        let (positions, velocities) = (self.origin.len(), self.model.system().velocity_count());
        let components = self.model.component_count();
        self.set_coordinates(y);
        let (displacement_change, velocity_change, _) = self.split(direction);
        let scale = length(displacement_change, self.strides);
        self.acceleration.fill(0.0);
        for (index, contact) in self.model.contacts().iter().enumerate() {
            if !self.touching[index] {
                continue;
            }
            let system = self.model.system();
            let gap_change = if scale == 0.0 {
                0.0
            } else {
                let step = DIFFERENCE / scale;
                let mut gap_at = |side: f64| {
                    let moved = &mut self.scratch.shifted[..positions];
                    for ((m, q), d) in
                        moved.iter_mut().zip(&self.coordinates).zip(displacement_change)
                    {
                        *m = q + side * d;
                    }
                    contact.gap.gap(system, moved)
                };
                (gap_at(step) - gap_at(-step)) / (2.0 * step)
            };
            let rows = &mut self.rows[index];
            contact.gap.rows(system, &self.coordinates, rows);
            let mut u_change = [0.0; 3];
            apply_rows(rows, velocity_change, &mut u_change[..components]);
            let u = &self.contact_velocity[components * index..components * (index + 1)];
            let (normal, tangent) = contact.law.force_change(
                (self.gaps[index].min(0.0), u[0], slip(u)),
                (gap_change, u_change[0], slip(&u_change[..components])),
            );
            let start = positions + velocities + components * index;
            let force_change = &mut change[start..start + components];
            write_force(force_change, normal, &tangent);
            add_transposed(rows, force_change, self.acceleration.as_mut_slice());
        }
        self.model.system().apply_inverse_mass(&self.coordinates, &mut self.acceleration);
        for (c, a) in change[positions..positions + velocities].iter_mut().zip(&self.acceleration) {
            *c += a;
        }
    }

    /// Writes `ẏ` at the current coordinates and rows, with fixed forces.
    fn rate_with_held_forces(&mut self, time: f64, y: &[f64], rate: &mut [f64]) {
        let system = self.model.system();
        let (_, velocity, _) = self.split(y);
        let (coordinate_rate, rest) = rate.split_at_mut(self.origin.len());
        let (acceleration, impulse_rate) = rest.split_at_mut(velocity.len());
        system.coordinate_rate(&self.coordinates, velocity, coordinate_rate);
        system.smooth_forces(&self.coordinates, velocity, time, &mut self.scratch.smooth);
        self.acceleration.as_mut_slice().copy_from_slice(&self.scratch.smooth);
        let components = self.model.component_count();
        for (rows, force) in self.rows.iter().zip(self.forces.chunks_exact(components)) {
            add_transposed(rows, force, self.acceleration.as_mut_slice());
        }
        system.apply_inverse_mass(&self.coordinates, &mut self.acceleration);
        acceleration.copy_from_slice(self.acceleration.as_slice());
        impulse_rate.copy_from_slice(&self.forces);
    }

    fn set_coordinates(&mut self, y: &[f64]) {
        for ((q, origin), e) in self.coordinates.iter_mut().zip(self.origin).zip(y) {
            *q = origin + e;
        }
    }
}

/// The largest entry of `direction`, each relative to its stride.
fn length(direction: &[f64], strides: &[f64]) -> f64 {
    direction.iter().zip(strides).map(|(d, stride)| d.abs() / stride).fold(0.0, f64::max)
}

/// The tangential part of a contact velocity; its second entry is zero in the plane.
fn slip(contact_velocity: &[f64]) -> Vector2<f64> {
    Vector2::new(contact_velocity[1], contact_velocity.get(2).copied().unwrap_or(0.0))
}

fn write_force(force: &mut [f64], normal: f64, tangent: &Vector2<f64>) {
    force[0] = normal;
    for (f, t) in force[1..].iter_mut().zip(tangent) {
        *f = *t;
    }
}

fn row(rows: &ContactRows, component: usize) -> &[f64] {
    if component == 0 { rows.normal() } else { rows.tangent(component - 1) }
}

fn apply_rows(rows: &ContactRows, velocity: &[f64], contact_velocity: &mut [f64]) {
    for (component, u) in contact_velocity.iter_mut().enumerate() {
        *u = row(rows, component).iter().zip(velocity).map(|(j, v)| j * v).sum();
    }
}

fn add_transposed(rows: &ContactRows, force: &[f64], sum: &mut [f64]) {
    for (component, f) in force.iter().enumerate() {
        for (s, j) in sum.iter_mut().zip(row(rows, component)) {
            *s += j * f;
        }
    }
}
