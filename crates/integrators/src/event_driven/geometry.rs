//! Gaps, bilateral equations and their rows at one position, and products of rows with the inverse mass
//! matrix.
//!
//! All rows are in one matrix: first the bilateral equations, then the axes of joints with friction, then normal and tangents of
//! each contact.

use nalgebra::{DMatrix, DVector};
use percussion_dynamics::{ContactSourceError, gap::ContactRows};

use super::{Error, Model};
use crate::{contacts::Contacts, dry_joint::DryJoint};

/// The shortest distance of searches as a fraction of the longest.
const LEAST_REACH: f64 = 0.02;

/// Position, velocity and time of a system.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment<'a> {
    pub(super) time: f64,
    pub(super) coordinates: &'a [f64],
    pub(super) velocity: &'a [f64],
}

#[derive(Debug)]
pub(super) struct Geometry<'m> {
    pub(super) model: &'m Model,
    pub(super) contacts: Contacts,
    /// Longest distance within which the source searches for contacts, a few steps ahead at least (m).
    farthest: f64,
    /// Distance within which the source searches for contacts (m).
    reach: f64,
    /// Error of the source since the last check.
    lost: Option<ContactSourceError>,
    /// Contacts located by the last call of `locate_all`, ascending: those of the model, and those near.
    present: Vec<usize>,
    /// Components of one contact.
    pub(super) components: usize,
    /// Number of bilateral equations.
    pub(super) ties: usize,
    /// The joints with friction.
    pub(super) joints: Vec<DryJoint>,
    /// Gaps by contact; infinite for those that are not near.
    pub(super) gaps: Vec<f64>,
    /// Violations of the bilateral equations; 0 for those of velocities alone.
    pub(super) tie_values: Vec<f64>,
    /// All rows; those of contacts that were not located are out of date.
    pub(super) rows: DMatrix<f64>,
    contact_rows: ContactRows,
}

impl<'m> Geometry<'m> {
    /// `farthest` is the longest distance within which contacts are searched for (m).
    pub(super) fn new(model: &'m Model, joints: Vec<DryJoint>, farthest: f64) -> Self {
        let system = model.system();
        let (components, contacts) = (model.component_count(), model.contacts().len());
        let ties = model.constraints().iter().map(|tie| tie.row_count(system)).sum();
        let velocities = system.velocity_count();
        let first = ties + joints.len();
        let mut rows = DMatrix::zeros(first + components * contacts, velocities);
        for (joint, row) in joints.iter().zip(ties..) {
            rows.row_mut(row).copy_from(&joint.axis.transpose());
        }
        Self {
            model,
            contacts: Contacts::new(model),
            farthest,
            reach: farthest,
            lost: None,
            present: (0..contacts).collect(),
            components,
            ties,
            gaps: vec![0.0; contacts],
            tie_values: vec![0.0; ties],
            rows,
            joints,
            contact_rows: ContactRows::for_system(system),
        }
    }

    /// The contacts that [`locate_all`](Self::locate_all) located.
    pub(super) fn present(&self) -> Vec<usize> {
        self.present.clone()
    }

    /// Chooses the distance of searches for a step that moves the system from one position to the other.
    ///
    /// It is four times the longest way of a body, as two surfaces may move towards each other and back, and at least a part of the
    /// longest distance, so that it rarely changes.
    pub(super) fn expect(&mut self, from: &[f64], to: &[f64]) {
        let way = self.contacts.reach(self.model.system(), from, to);
        self.reach = way.clamp(LEAST_REACH * self.farthest, self.farthest);
    }

    /// Locates all contacts at a position; those that a source does not find there have an infinite gap.
    pub(super) fn locate_all(&mut self, coordinates: &[f64]) {
        if let Err(error) = self.contacts.look(self.model.system(), coordinates, self.reach) {
            self.lost.get_or_insert(error);
        }
        let count = self.contacts.len();
        self.gaps.resize(count, f64::INFINITY);
        let rows = self.first_row(count);
        if rows > self.rows.nrows() {
            self.rows.resize_vertically_mut(rows, 0.0);
        }
        self.gaps[self.model.contacts().len()..].fill(f64::INFINITY);
        self.present.clear();
        self.present.extend(self.contacts.present());
        let present = std::mem::take(&mut self.present);
        self.locate(coordinates, &present);
        self.present = present;
    }

    /// Returns an error if the source has failed since the last check.
    pub(super) fn found(&mut self, time: f64) -> Result<(), Error> {
        self.lost.take().map_or(Ok(()), |source| Err(Error::Contacts { time, source }))
    }

    /// Row of the axis of a joint.
    pub(super) const fn joint_row(&self, joint: usize) -> usize {
        self.ties + joint
    }

    /// Velocity along the axis of a joint (m/s).
    pub(super) fn rate(&self, joint: usize, velocity: &[f64]) -> f64 {
        self.speed(self.joint_row(joint), velocity)
    }

    /// First row of `contact`.
    pub(super) fn first_row(&self, contact: usize) -> usize {
        self.ties + self.joints.len() + self.components * contact
    }

    /// Sets rows and values of the bilateral equations and of `contacts` to those of a position.
    pub(super) fn locate(&mut self, coordinates: &[f64], contacts: &[usize]) {
        let system = self.model.system();
        let mut first = 0;
        for tie in self.model.constraints() {
            let end = first + tie.row_count(system);
            let values = &mut self.tie_values[first..end];
            tie.evaluate(system, coordinates, values, &mut self.rows, first);
            first = end;
        }
        for &contact in contacts {
            let gap = &self.contacts.as_slice()[contact].gap;
            self.gaps[contact] = gap.rows(system, coordinates, &mut self.contact_rows);
            let first = self.first_row(contact);
            self.rows.row_mut(first).copy_from_slice(self.contact_rows.normal());
            for tangent in 1..self.components {
                let row = self.contact_rows.tangent(tangent - 1);
                self.rows.row_mut(first + tangent).copy_from_slice(row);
            }
        }
    }

    /// Velocity of one row.
    pub(super) fn speed(&self, row: usize, velocity: &[f64]) -> f64 {
        self.rows.row(row).iter().zip(velocity).map(|(j, v)| j * v).sum()
    }

    /// Normal velocity of a contact (m/s).
    pub(super) fn normal_speed(&self, contact: usize, velocity: &[f64]) -> f64 {
        self.speed(self.first_row(contact), velocity)
    }

    /// Slip of a contact (m/s); the second entry is zero in the plane.
    pub(super) fn slip(&self, contact: usize, velocity: &[f64]) -> [f64; 2] {
        let first = self.first_row(contact);
        let mut slip = [0.0; 2];
        for tangent in 1..self.components {
            slip[tangent - 1] = self.speed(first + tangent, velocity);
        }
        slip
    }

    /// Component of the slip of a contact in the direction `along` (m/s).
    pub(super) fn slip_along(&self, contact: usize, velocity: &[f64], along: [f64; 2]) -> f64 {
        let slip = self.slip(contact, velocity);
        slip[0] * along[0] + slip[1] * along[1]
    }

    /// `Ṙ v` of all rows (m/s²), zero for contacts other than `contacts`.
    pub(super) fn bias(&mut self, moment: &Moment<'_>, contacts: &[usize]) -> DVector<f64> {
        let system = self.model.system();
        let Moment { coordinates, velocity, .. } = *moment;
        let mut bias = DVector::zeros(self.rows.nrows());
        for &contact in contacts {
            let first = self.first_row(contact);
            let entries = &mut bias.as_mut_slice()[first..first + self.components];
            self.contacts.as_slice()[contact].gap.bias(system, coordinates, velocity, entries);
        }
        let mut first = 0;
        for tie in self.model.constraints() {
            let end = first + tie.row_count(system);
            let entries = &mut bias.as_mut_slice()[first..end];
            tie.bias(system, coordinates, velocity, entries);
            first = end;
        }
        bias
    }

    /// `M⁻¹ k`: the acceleration without contacts, bilateral constraints and joints at rest. Joints that turn have friction against
    /// these signs.
    pub(super) fn free_acceleration(
        &self,
        moment: &Moment<'_>,
        turning: &[(usize, f64)],
    ) -> DVector<f64> {
        let system = self.model.system();
        let mut forces = DMatrix::zeros(moment.velocity.len(), 1);
        let Moment { time, coordinates, velocity } = *moment;
        system.smooth_forces(coordinates, velocity, time, forces.as_mut_slice());
        for &(joint, sign) in turning {
            let DryJoint { axis, bound, .. } = &self.joints[joint];
            forces.column_mut(0).axpy(-sign * bound, axis, 1.0);
        }
        system.apply_inverse_mass(coordinates, &mut forces);
        forces.column(0).into_owned()
    }

    /// `M⁻¹ columns`.
    pub(super) fn divide(&self, coordinates: &[f64], mut columns: DMatrix<f64>) -> DMatrix<f64> {
        self.model.system().apply_inverse_mass(coordinates, &mut columns);
        columns
    }
}

/// Rows that are linearly independent in the kinetic metric, collected one after another.
#[derive(Debug)]
pub(super) struct Independent {
    /// Cholesky factor of the mass matrix; `None` if it has none.
    factor: Option<DMatrix<f64>>,
    basis: Vec<DVector<f64>>,
}

/// Fraction of its length below which a projected row depends on the others: rounding leaves `1e-15`.
const DEPENDENT: f64 = 1e-9;

impl Independent {
    pub(super) fn new(geometry: &Geometry<'_>, coordinates: &[f64]) -> Self {
        let count = geometry.rows.ncols();
        let mut mass = DMatrix::zeros(count, count);
        geometry.model.system().mass_matrix(coordinates, &mut mass);
        let factor = nalgebra::Cholesky::new(mass).map(nalgebra::Cholesky::unpack);
        Self { factor, basis: Vec::new() }
    }

    /// Adds `row` if it does not depend on the rows so far, and returns whether it did.
    pub(super) fn take(&mut self, row: &DVector<f64>) -> bool {
        let Some(factor) = &self.factor else { return false };
        let mut scaled = row.clone();
        factor.solve_lower_triangular_mut(&mut scaled);
        let length = scaled.norm();
        // Two passes suffice.
        for _ in 0..2 {
            for member in &self.basis {
                let along = member.dot(&scaled);
                scaled.axpy(-along, member, 1.0);
            }
        }
        let left = scaled.norm();
        let taken = left.is_finite() && left > DEPENDENT * length;
        if taken {
            self.basis.push(scaled / left);
        }
        taken
    }
}
