//! The reset maps in coordinates: the contact velocities represent the momentum.
//!
//! With the given normals `n_i`, `u_i = ⟨p, n_i⟩` and the Delassus operator `W_ij = ⟨n_i, n_j⟩`, the
//! reflection at contact `k` is `u ← u − (2 u_k / W_kk) W_k`. Normals are not scaled to unit length, which
//! keeps simple numbers exact. Contacts with the same normal share one mirror, and contacts that cannot move
//! have none.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::elimination::Span;

use crate::{Problem, ProblemError, law::Error};

#[derive(Debug)]
pub(super) struct Mirrors {
    /// First contact of each mirror.
    pub(super) contacts: Vec<usize>,
    /// Mirror of each contact.
    pub(super) mirror_of: Vec<Option<usize>>,
    /// `W_kj` of the mirrors (kg⁻¹), row after row.
    delassus: Vec<f64>,
    /// `2 W_kj / W_kk`, row after row.
    steps: Vec<f64>,
    /// `u` before the impact (m/s).
    pub(super) start: Vec<f64>,
    /// `‖p⁻‖` (`√(2 J)`).
    pub(super) size: f64,
    /// Bodies approach at a contact below `−threshold` (m/s).
    pub(super) thresholds: Vec<f64>,
}

/// The plastic impact.
#[derive(Debug)]
pub(super) struct Plastic {
    /// Impulses of the mirrors (N·s).
    pub(super) impulses: Vec<f64>,
    /// `v` after them (length `n_v`).
    pub(super) velocity: DVector<f64>,
    /// Whether they hold all contacts, to rounding.
    pub(super) holds: bool,
}

impl Mirrors {
    /// # Errors
    ///
    /// When a product overflows.
    pub(super) fn new(problem: &Problem, tolerance: f64) -> Result<Self, Error> {
        let free = problem.free_velocity();
        let size = (2.0 * problem.kinetic_energy(&free)).sqrt();
        let contact_velocity = problem.movable_contact_velocity(&free);
        let w = problem.delassus();
        let count = problem.contacts().len();
        // Each of the three entries of a cosine has a rounding of at most n_v eps.
        let parallel = 1.0 - 4.0 * problem.dimension() as f64 * f64::EPSILON;
        let mut contacts: Vec<usize> = Vec::with_capacity(count);
        let mut mirror_of = Vec::with_capacity(count);
        for contact in 0..count {
            let row = problem.rows(contact).start;
            let own = w[(row, row)];
            let known = (0..contacts.len()).find(|&mirror| {
                let other = problem.rows(contacts[mirror]).start;
                w[(row, other)] / own.sqrt() / w[(other, other)].sqrt() >= parallel
            });
            let moves = own > 0.0;
            if moves && known.is_none() {
                mirror_of.push(Some(contacts.len()));
                contacts.push(contact);
            } else {
                mirror_of.push(known.filter(|_| moves));
            }
        }
        let m = contacts.len();
        let (mut delassus, mut steps) = (Vec::with_capacity(m * m), Vec::with_capacity(m * m));
        let (mut start, mut thresholds) = (Vec::with_capacity(m), Vec::with_capacity(m));
        for &contact in &contacts {
            let row = problem.rows(contact).start;
            start.push(contact_velocity[row]);
            thresholds.push(tolerance * size * w[(row, row)].sqrt());
            for &other in &contacts {
                let column = problem.rows(other).start;
                delassus.push(w[(row, column)]);
                steps.push(2.0 * (w[(row, column)] / w[(row, row)]));
            }
        }
        if let Some(&value) = start.iter().chain([&size]).find(|value| !value.is_finite()) {
            let field = "momentum before the impact".to_string();
            return Err(ProblemError::Entry { field, value, expected: "a finite number" }.into());
        }
        Ok(Self { contacts, mirror_of, delassus, steps, start, size, thresholds })
    }

    /// `W_kk`.
    fn own(&self, k: usize) -> f64 {
        self.delassus[k * (self.start.len() + 1)]
    }

    /// `⟨u, v⟩` of the unit normals of two mirrors.
    pub(super) fn cosine(&self, i: usize, j: usize) -> f64 {
        if i == j {
            return 1.0;
        }
        self.delassus[i * self.start.len() + j] / self.own(i).sqrt() / self.own(j).sqrt()
    }

    /// Impulse of the reflection at mirror `k` at this velocity of its contact (N·s).
    pub(super) fn percussion_at(&self, velocity: f64, k: usize) -> f64 {
        -2.0 * velocity / self.own(k)
    }

    pub(super) fn reflect(&self, state: &mut [f64], k: usize) {
        let speed = state[k];
        let row = &self.steps[k * state.len()..];
        for (value, step) in state.iter_mut().zip(row) {
            *value -= speed * step;
        }
    }

    pub(super) fn is_approached(&self, state: &[f64], k: usize) -> bool {
        state[k] < -self.thresholds[k]
    }

    /// `⟨p, u_k⟩` with the unit normal, up to a factor common to all.
    pub(super) fn product(&self, state: &[f64], k: usize) -> f64 {
        state[k] / self.own(k).sqrt()
    }

    /// The mirrors with approach, in their order.
    pub(super) fn approached(&self, state: &[f64]) -> impl Iterator<Item = usize> {
        (0..state.len()).filter(|&k| self.is_approached(state, k))
    }

    pub(super) fn feasible(&self, state: &[f64]) -> bool {
        state.iter().zip(&self.thresholds).all(|(value, threshold)| *value >= -threshold)
    }

    /// Impulses that bring all `u` to zero. If they are not unique, those of least norm after scaling by
    /// `√W_ii`, by the rank rule of [`Span`].
    ///
    /// A normal that the rule calls redundant may have a part of up to `√eps` that is independent of the others. If
    /// bodies still move along it, the contact is not held, and whether it is decides on all the energy of this motion.
    pub(super) fn plastic(&self, problem: &Problem) -> Plastic {
        let (m, n) = (self.start.len(), problem.dimension());
        let (mut momenta, mut responses) = (DMatrix::zeros(m, n), DMatrix::zeros(n, m));
        for (mirror, &contact) in self.contacts.iter().enumerate() {
            let response: DVector<f64> =
                problem.response().column(problem.rows(contact).start).into();
            momenta.set_row(mirror, &problem.momentum(&response).transpose());
            responses.set_column(mirror, &response);
        }
        let span = Span::new(&momenta, &responses);
        let mut velocity = problem.free_velocity();
        let speeds = &span.momenta * &velocity;
        let impulses = (-(&span.impulses * speeds)).as_slice().to_vec();
        // By the basis, whose rounding no large impulses increase.
        span.project(&mut velocity);
        let left = problem.movable_contact_velocity(&velocity);
        let sizes = problem.free_row_sizes();
        let rounding = problem.velocity_rounding();
        // Also of contacts that share a mirror, whose normals may differ by the rounding of a cosine, `1e-7`.
        let holds = (0..self.mirror_of.len()).all(|contact| {
            let row = problem.rows(contact).start;
            left[row].abs() <= rounding * sizes[row]
        });
        Plastic { impulses, velocity, holds }
    }

    /// Impulses at the rows of `J`, from those of the mirrors: contacts that share a mirror contribute
    /// equally to the change of the momentum.
    pub(super) fn spread(&self, problem: &Problem, impulse: &[f64]) -> DVector<f64> {
        let mut spread = DVector::zeros(problem.delassus().nrows());
        for (contact, mirror) in self.mirror_of.iter().enumerate() {
            let Some(mirror) = *mirror else { continue };
            let sharing = self.mirror_of.iter().filter(|other| **other == Some(mirror)).count();
            let row = problem.rows(contact).start;
            let ratio = self.own(mirror) / problem.delassus()[(row, row)];
            spread[row] = impulse[mirror] * ratio.sqrt() / sharing as f64;
        }
        spread
    }
}
