//! The contacts of a planar model at one state, and the forces of those that carry.
//!
//! Let contact `i` carry `f_i`. A sticking contact has two unknown forces, for the accelerations of its normal and of
//! its tangent; a sliding one has one, `f_n`, with `f_t = −μ σ f_n` against the slip of sign `σ`. With the rows `A` of
//! all accelerations that have to vanish and the columns `B = M⁻¹ (J_n − μ σ J_t)ᵀ`, or both of a sticking contact,
//!
//! ```math
//! A B f = -(A a + \dot A v),
//! ```
//!
//! where `a` is the acceleration without contacts. Without sliding `A B` is a Delassus operator and symmetric. With it
//! `J_n M^{-1} (J_n − μ σ J_t)ᵀ` may be negative: then no positive force keeps a contact closed that is accelerated
//! into its surface, which is Painlevé's case.

use nalgebra::{DMatrix, DVector};
use percussion_dynamics::gap::ContactRows;

use super::{Error, Resolved};
use crate::model::Model;

/// Singular values of a Delassus operator below this fraction of the largest belong to redundant contacts:
/// rounding leaves about `1e-15` of them.
const RANK: f64 = 1e-10;

/// Maximum number of iterations of a singular value decomposition; a handful for each row are usual.
const DECOMPOSITION: usize = 10_000;

/// The behavior of a contact that carries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Hold {
    /// Its points stay together.
    Stick,
    /// It slides in the direction of this sign of the tangential velocity, 1 or −1.
    Slide(f64),
}

/// The contacts that carry, ascending.
pub(super) type Carriers = [(usize, Hold)];

/// Gaps, contact Jacobian and its change at one state, and the forces of carrying contacts there.
#[derive(Debug)]
pub(super) struct Contacts<'a> {
    pub(super) model: &'a Model,
    pub(super) gaps: Vec<f64>,
    /// Normal and tangent rows, contact by contact.
    pub(super) jacobian: DMatrix<f64>,
    /// `u = J v` (m/s).
    pub(super) u: DVector<f64>,
    rows: ContactRows,
}

impl<'a> Contacts<'a> {
    pub(super) fn new(model: &'a Model) -> Self {
        let (count, velocities) = (model.contacts().len(), model.system().velocity_count());
        Self {
            model,
            gaps: vec![0.0; count],
            jacobian: DMatrix::zeros(2 * count, velocities),
            u: DVector::zeros(2 * count),
            rows: ContactRows::for_system(model.system()),
        }
    }

    /// Sets gaps, Jacobian and contact velocity to those of a state.
    pub(super) fn locate(&mut self, coordinates: &[f64], velocity: &[f64]) {
        for (index, contact) in self.model.contacts().iter().enumerate() {
            let gap = contact.gap.rows(self.model.system(), coordinates, &mut self.rows);
            self.gaps[index] = gap;
            for (component, row) in [self.rows.normal(), self.rows.tangent(0)].iter().enumerate() {
                self.jacobian.row_mut(2 * index + component).copy_from_slice(row);
            }
        }
        self.u = &self.jacobian * DVector::from_column_slice(velocity);
    }

    /// The first contact that is closed and approaches.
    pub(super) fn approaching(&self, settings: &Resolved) -> Option<usize> {
        (0..self.gaps.len()).find(|&i| {
            self.gaps[i] <= settings.gap_tolerance && self.u[2 * i] < -settings.velocity_tolerance
        })
    }

    /// Whether bodies overlap by more than the gap tolerance; also true if a gap is NaN.
    pub(super) fn overlap(&self, settings: &Resolved) -> bool {
        self.gaps.iter().any(|gap| gap.is_nan() || *gap < -settings.gap_tolerance)
    }

    /// Refuses a start at which bodies overlap.
    pub(super) fn check_start(&self, settings: &Resolved) -> Result<(), Error> {
        let accepted = settings.gap_tolerance;
        let overlaps = |(_, gap): &(usize, &f64)| gap.is_nan() || **gap < -accepted;
        match self.gaps.iter().enumerate().find(overlaps) {
            Some((contact, gap)) => Err(Error::Penetration { contact, depth: -gap, accepted }),
            None => Ok(()),
        }
    }

    /// Contacts that are closed and neither separate nor approach.
    pub(super) fn closed(&self, settings: &Resolved) -> Vec<usize> {
        let closed = |&i: &usize| {
            self.gaps[i] <= settings.gap_tolerance
                && self.u[2 * i].abs() <= settings.velocity_tolerance
        };
        (0..self.gaps.len()).filter(closed).collect()
    }

    /// The closed contacts that do not slip either.
    pub(super) fn still(&self, settings: &Resolved) -> Vec<usize> {
        let mut contacts = self.closed(settings);
        contacts.retain(|&i| self.u[2 * i + 1].abs() <= settings.velocity_tolerance);
        contacts
    }

    /// The slip of each of the carrying contacts, positive in the direction in which it slides (m/s); 0 for those
    /// that stick.
    pub(super) fn slips(&self, carriers: &Carriers) -> Vec<f64> {
        let slip = |&(i, hold): &(usize, Hold)| match hold {
            Hold::Stick => 0.0,
            Hold::Slide(sign) => sign * self.u[2 * i + 1],
        };
        carriers.iter().map(slip).collect()
    }

    /// `M⁻¹ x`.
    pub(super) fn divide(&self, coordinates: &[f64], x: DMatrix<f64>) -> DMatrix<f64> {
        let mut x = x;
        self.model.system().apply_inverse_mass(coordinates, &mut x);
        x
    }

    /// The acceleration without contact forces.
    pub(super) fn free_acceleration(&self, moment: (&[f64], &[f64], f64)) -> DVector<f64> {
        let (coordinates, velocity, time) = moment;
        let mut forces = DMatrix::zeros(velocity.len(), 1);
        let system = self.model.system();
        system.smooth_forces(coordinates, velocity, time, forces.as_mut_slice());
        self.divide(coordinates, forces).column(0).into_owned()
    }

    /// `J̇ v` (m/s²).
    pub(super) fn bias(&self, coordinates: &[f64], velocity: &[f64]) -> DVector<f64> {
        let mut bias = DVector::zeros(self.u.len());
        for (contact, entries) in
            self.model.contacts().iter().zip(bias.as_mut_slice().chunks_exact_mut(2))
        {
            contact.gap.bias(self.model.system(), coordinates, velocity, entries);
        }
        bias
    }

    /// The part of the normal force that friction has at a contact that slides in the direction of `sign`.
    pub(super) fn friction(&self, contact: usize, sign: f64) -> f64 {
        -sign * self.model.contacts()[contact].friction
    }

    /// Forces of all contact components (N) that keep the contacts in `carriers` closed and those of them that
    /// stick at rest, and the resulting acceleration.
    pub(super) fn hold(
        &mut self,
        carriers: &Carriers,
        moment: (&[f64], &[f64], f64),
    ) -> (DVector<f64>, DVector<f64>) {
        let (coordinates, velocity, _) = moment;
        self.locate(coordinates, velocity);
        let mut forces = DVector::zeros(self.u.len());
        let acceleration = self.free_acceleration(moment);
        if carriers.is_empty() {
            return (forces, acceleration);
        }
        let bias = self.bias(coordinates, velocity);
        let mut components = Vec::new();
        let mut directions = Vec::new();
        for &(i, hold) in carriers {
            let [normal, tangent] = [2 * i, 2 * i + 1].map(|row| self.jacobian.row(row));
            components.push(2 * i);
            match hold {
                Hold::Stick => {
                    components.push(2 * i + 1);
                    directions.extend([normal.transpose(), tangent.transpose()]);
                }
                Hold::Slide(sign) => {
                    directions.push((normal + tangent * self.friction(i, sign)).transpose());
                }
            }
        }
        let jacobian = self.jacobian.select_rows(&components);
        let columns = self.divide(coordinates, DMatrix::from_columns(&directions));
        let wanted = -(&jacobian * &acceleration + bias.select_rows(&components));
        let held = least_norm(&jacobian * &columns, &wanted);
        for (component, force) in components.iter().zip(&held) {
            forces[*component] = *force;
        }
        for &(i, hold) in carriers {
            if let Hold::Slide(sign) = hold {
                forces[2 * i + 1] = self.friction(i, sign) * forces[2 * i];
            }
        }
        (forces, acceleration + columns * held)
    }

    /// Sizes of the generalized forces, of the system and of the contacts `carriers` (N, N·m).
    pub(super) fn pulls(&mut self, carriers: &Carriers, moment: (&[f64], &[f64], f64)) -> Vec<f64> {
        let (coordinates, velocity, time) = moment;
        let (forces, _) = self.hold(carriers, moment);
        let of_contacts = self.jacobian.tr_mul(&forces);
        let mut smooth = vec![0.0; velocity.len()];
        self.model.system().smooth_forces(coordinates, velocity, time, &mut smooth);
        smooth.iter().zip(&of_contacts).map(|(k, f)| k.abs() + f.abs()).collect()
    }

    /// The nearest forces within their cones, normal by normal: those of sticking contacts leave them by up
    /// to the tolerance of forces.
    pub(super) fn within_cones(&self, mut forces: DVector<f64>) -> DVector<f64> {
        for (force, contact) in forces.as_mut_slice().chunks_exact_mut(2).zip(self.model.contacts())
        {
            force[0] = force[0].max(0.0);
            let bound = contact.friction * force[0];
            force[1] = force[1].clamp(-bound, bound);
        }
        forces
    }

    /// Amount by which forces leave their cones: zero where all push within their friction (N).
    pub(super) fn cone_violation(&self, forces: &DVector<f64>) -> f64 {
        let of = |(i, contact): (usize, &crate::model::Contact)| {
            let (normal, tangent) = (forces[2 * i], forces[2 * i + 1]);
            (-normal).max(tangent.abs() - contact.friction * normal)
        };
        self.model.contacts().iter().enumerate().map(of).fold(0.0, f64::max)
    }
}

/// The solution of least norm; not finite where the decomposition fails.
fn least_norm(delassus: DMatrix<f64>, wanted: &DVector<f64>) -> DVector<f64> {
    let nowhere = || DVector::from_element(wanted.len(), f64::NAN);
    // The decomposition computes squares. NaN is not below the bound either.
    if !delassus.iter().chain(wanted).all(|entry| entry.abs() < 1e150) {
        return nowhere();
    }
    let svd = delassus.try_svd(true, true, 5.0 * f64::EPSILON, DECOMPOSITION);
    svd.map_or_else(nowhere, |svd| {
        let accepted = RANK * svd.singular_values.max();
        svd.solve(wanted, accepted).unwrap_or_else(|_| nowhere())
    })
}
