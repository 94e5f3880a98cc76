//! Closed contacts within a piece of a step: the complementarity problem of their impulses.
//!
//! Impulses at the start of the piece keep the contacts from penetrating at its end, and friction opposes the
//! constant velocity `w` of the piece as strongly as possible. With the rows `n'` of the gaps at the end,
//! linearized about the last `w`, and the friction directions `d` at the start,
//!
//! ```math
//! 0 \le \lambda_i \perp n'_i (w^{+} - w) + g_i(q_b)/s \ge 0, \quad
//! 0 \le \beta_{ij} \perp d_{ij} w^{+} + \sigma_i \ge 0, \quad
//! 0 \le \sigma_i \perp \mu_i \lambda_i - \sum_j \beta_{ij} \ge 0,
//! ```
//!
//! where `w⁺ = w_f + Y (λ, β)` is the next iterate of Newton's method. Dry friction `η` of a joint with the axis `d` has the impulse
//! `β⁺ − β⁻` with
//!
//! ```math
//! 0 \le β^{\pm} \perp γ \pm d\,w^{+} \ge 0, \quad 0 \le γ \perp \tfrac{1}{2} s η - β^{+} - β^{-} \ge 0 ,
//! ```
//!
//! and the other half at the end of the piece, as contacts have it.
//!
//! Closed contacts overlap by up to the gap tolerances, and pieces may be as short as rounding. An overlap
//! `−g_a` at the start of a piece is therefore removed at the rate at which a whole step `h` removes it:
//! `g_i` is replaced by `g_i(q_b) − min(0, g_a)(1 − s/h)`. Otherwise an overlap of 1e-12 m, removed within
//! 1e-15 s, would throw bodies apart at 1 km/s. For the same reason, where the gap tolerance over the
//! duration is faster than the rest speed, a gap within the tolerance is zero.
//!
//! # Source
//!
//! D. E. Stewart, J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic
//! collisions and Coulomb friction", *International Journal for Numerical Methods in Engineering* 39
//! (1996) 2673–2691, equations 25–29, for the form of the problem.

use std::f64::consts::TAU;

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::{Problem, Status, lemke};
use percussion_dynamics::{Dimension, System, gap::ContactRows};

use super::{Contact, Model, settings::Resolved};
use crate::dry_joint::DryJoint;

/// Number of unknowns of a joint with friction.
const OF_JOINT: usize = 3;

/// The fraction of the position errors at its start that a piece keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kept {
    /// The fraction `1 − s/h`.
    pub(super) fraction: f64,
    /// Errors up to this count as zero (m, rad).
    pub(super) slack: f64,
    /// Half of the duration (s).
    pub(super) half: f64,
}

impl Kept {
    /// The values for a piece of `duration` (s).
    pub(super) fn of(settings: &Resolved, duration: f64) -> Self {
        let is_short = settings.gap_tolerance > settings.rest_speed * duration;
        Self {
            fraction: (1.0 - duration / settings.step_size).max(0.0),
            slack: if is_short { settings.gap_tolerance } else { 0.0 },
            half: 0.5 * duration,
        }
    }
}

/// One closed contact and the positions of its unknowns.
#[derive(Clone, Copy, Debug)]
struct Place {
    contact: usize,
    friction: f64,
    /// First unknown `λ`; `β` and `σ` follow. Also its first generator, minus the `σ` before.
    unknown: usize,
    generator: usize,
    /// Number of friction directions, 0 without friction.
    directions: usize,
}

#[derive(Debug)]
pub(super) struct ClosedContacts {
    places: Vec<Place>,
    joints: Vec<DryJoint>,
    /// Half of the largest impulse of each joint in the piece (N·s).
    bounds: Vec<f64>,
    /// Columns: normal and friction directions of each contact, at the start, and the axes of the joints.
    pub(super) generators: DMatrix<f64>,
    /// Impulses of the generators (N·s).
    pub(super) impulses: DVector<f64>,
    /// Unit vectors in the tangent plane.
    corners: Vec<[f64; 2]>,
    /// Overlap that each contact keeps at the end of the piece (m, ≤ 0).
    floors: Vec<f64>,
    /// Gaps up to this count as zero (m).
    slack: f64,
    /// For each contact, the row of the gap at the end, and the gap above its floor.
    end_rows: DMatrix<f64>,
    end_gaps: Vec<f64>,
    rows: ContactRows,
    workspace: lemke::Workspace,
}

impl ClosedContacts {
    pub(super) fn new(model: &Model, settings: &Resolved, joints: Vec<DryJoint>) -> Self {
        let system = model.system();
        let count = match system.dimension() {
            Dimension::Plane => 2,
            Dimension::Space => settings.directions,
        };
        // The second half is the exact negative of the first.
        let corner = |i: usize| {
            let sign = if i < count / 2 { 1.0 } else { -1.0 };
            let angle = TAU * (i % (count / 2)) as f64 / count as f64;
            [sign * angle.cos(), sign * angle.sin()]
        };
        Self {
            places: Vec::new(),
            joints,
            bounds: Vec::new(),
            generators: DMatrix::zeros(system.velocity_count(), 0),
            impulses: DVector::zeros(0),
            corners: (0..count).map(corner).collect(),
            floors: Vec::new(),
            slack: 0.0,
            end_rows: DMatrix::zeros(0, system.velocity_count()),
            end_gaps: Vec::new(),
            rows: ContactRows::for_system(system),
            workspace: lemke::Workspace::default(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.joints.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Sets the `closed` contacts of a piece that starts at `coordinates`, with these overlaps and gaps,
    /// without impulses.
    pub(super) fn start(
        &mut self,
        (system, contacts): (&dyn System, &[Contact]),
        coordinates: &[f64],
        closed: &[usize],
        kept: Kept,
    ) {
        self.places.clear();
        self.floors.clear();
        self.slack = kept.slack;
        self.bounds.clear();
        self.bounds.extend(self.joints.iter().map(|joint| kept.half * joint.bound));
        if closed.is_empty() && self.joints.is_empty() {
            return;
        }
        let (mut unknown, mut generator) = (0, 0);
        for &contact in closed {
            let friction = contacts[contact].friction;
            let directions = if friction > 0.0 { self.corners.len() } else { 0 };
            self.places.push(Place { contact, friction, unknown, generator, directions });
            unknown += 1 + directions + usize::from(directions > 0);
            generator += 1 + directions;
        }
        let n = system.velocity_count();
        self.generators = DMatrix::zeros(n, generator + self.joints.len());
        self.impulses = DVector::zeros(generator + self.joints.len());
        for (joint, column) in self.joints.iter().zip(generator..) {
            self.generators.set_column(column, &joint.axis);
        }
        self.end_rows = DMatrix::zeros(closed.len(), n);
        self.end_gaps = vec![0.0; closed.len()];
        for place in &self.places {
            let gap = &contacts[place.contact].gap;
            let gap = gap.rows(system, coordinates, &mut self.rows);
            self.floors.push(kept.fraction * gap.min(0.0));
            let mut normal = self.generators.column_mut(place.generator);
            normal.copy_from_slice(self.rows.normal());
            for (corner, j) in self.corners.iter().take(place.directions).zip(1..) {
                let mut column = self.generators.column_mut(place.generator + j);
                for (tangent, &along) in (0..self.rows.tangent_count()).zip(corner) {
                    for (entry, row) in column.iter_mut().zip(self.rows.tangent(tangent)) {
                        *entry += along * row;
                    }
                }
            }
        }
    }

    /// Evaluates the gaps at the end `coordinates` and returns the error of the gaps and the impulses:
    /// penetration, and gaps of contacts that push (m).
    pub(super) fn finish(
        &mut self,
        (system, contacts): (&dyn System, &[Contact]),
        coordinates: &[f64],
    ) -> f64 {
        let mut violation = 0.0_f64;
        for (slot, place) in self.places.iter().enumerate() {
            let gap = &contacts[place.contact].gap;
            let gap = gap.rows(system, coordinates, &mut self.rows);
            let gap = gap - self.floors[slot];
            self.end_gaps[slot] = gap;
            for (entry, row) in self.end_rows.row_mut(slot).iter_mut().zip(self.rows.normal()) {
                *entry = *row;
            }
            let pushes = self.impulses[place.generator] > 0.0;
            violation = violation.max(if pushes { gap.abs() } else { -gap });
        }
        violation
    }

    /// Computes the impulses with which `free + responses · impulses` is the next velocity, where `velocity`
    /// is the last one. The error is the relative residual.
    pub(super) fn solve(
        &mut self,
        duration: f64,
        velocity: &DVector<f64>,
        free: &DVector<f64>,
        responses: &DMatrix<f64>,
    ) -> Result<(), f64> {
        let of_contacts = self.places.last().map_or(0, |last| {
            last.unknown + 1 + last.directions + usize::from(last.directions > 0)
        });
        let first_joint = self.generators.ncols() - self.joints.len();
        let joints = || (first_joint..).zip((of_contacts..).step_by(OF_JOINT)).zip(&self.bounds);
        // Each unknown that is an impulse, with its generator and the sign along it.
        let of_place = |place: &Place| {
            let Place { unknown, generator, directions, .. } = *place;
            (0..=directions).map(move |j| (unknown + j, generator + j, 1.0))
        };
        let mut pairs: Vec<_> = self.places.iter().flat_map(of_place).collect();
        pairs.extend(joints().flat_map(|((generator, unknown), _)| {
            [(unknown, generator, 1.0), (unknown + 1, generator, -1.0)]
        }));
        let unknowns = of_contacts + OF_JOINT * self.joints.len();
        let mut matrix = DMatrix::zeros(unknowns, unknowns);
        let mut vector = DVector::zeros(unknowns);
        let of_gaps = &self.end_rows * responses;
        let of_friction = self.generators.tr_mul(responses);
        let free_friction = self.generators.tr_mul(free);
        for (slot, place) in self.places.iter().enumerate() {
            let row = place.unknown;
            let approach = self.end_rows.row(slot).transpose().dot(&(free - velocity));
            let gap = self.end_gaps[slot];
            let gap = if gap.abs() <= self.slack { 0.0 } else { gap };
            vector[row] = approach + gap / duration;
            for j in 1..=place.directions {
                vector[row + j] = free_friction[place.generator + j];
            }
            for &(column, generator, sign) in &pairs {
                matrix[(row, column)] = sign * of_gaps[(slot, generator)];
                for i in 1..=place.directions {
                    let entry = of_friction[(place.generator + i, generator)];
                    matrix[(row + i, column)] = sign * entry;
                }
            }
            if place.directions > 0 {
                let slip = row + place.directions + 1;
                matrix[(slip, row)] = place.friction;
                for i in 1..=place.directions {
                    matrix[(row + i, slip)] = 1.0;
                    matrix[(slip, row + i)] = -1.0;
                }
            }
        }
        for ((along, first), bound) in joints() {
            let gamma = first + 2;
            for (row, side) in [(first, 1.0), (first + 1, -1.0)] {
                vector[row] = side * free_friction[along];
                for &(column, generator, sign) in &pairs {
                    matrix[(row, column)] = side * sign * of_friction[(along, generator)];
                }
                matrix[(row, gamma)] = 1.0;
                matrix[(gamma, row)] = -1.0;
            }
            vector[gamma] = *bound;
        }
        let Ok(problem) = Problem::new(matrix, vector) else { return Err(f64::NAN) };
        let mut answer = DVector::zeros(unknowns);
        let settings = lemke::Settings::default();
        match lemke::solve(&problem, &settings, &mut self.workspace, &mut answer) {
            Ok(report) if report.status == Status::Solved => {}
            Ok(report) => return Err(report.relative_residual),
            Err(_) => return Err(f64::NAN),
        }
        self.impulses.fill(0.0);
        for (unknown, generator, sign) in pairs {
            self.impulses[generator] += sign * answer[unknown];
        }
        Ok(())
    }

    /// Impulses of the joints (N·s).
    pub(super) fn joint_impulses(&self) -> &[f64] {
        if self.joints.is_empty() {
            return &[];
        }
        &self.impulses.as_slice()[self.impulses.len() - self.joints.len()..]
    }

    pub(super) fn joints(&self) -> &[DryJoint] {
        &self.joints
    }

    /// For each contact, its number, its normal impulse and its friction along the tangents (N·s).
    pub(super) fn report(&self) -> impl Iterator<Item = (usize, f64, [f64; 2])> {
        self.places.iter().map(|place| {
            let mut friction = [0.0; 2];
            for (corner, j) in self.corners.iter().take(place.directions).zip(1..) {
                let impulse = self.impulses[place.generator + j];
                friction[0] += impulse * corner[0];
                friction[1] += impulse * corner[1];
            }
            (place.contact, self.impulses[place.generator], friction)
        })
    }
}
