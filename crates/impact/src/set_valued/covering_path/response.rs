//! The impulses at `τ = 0` for given states, from the data of the problem.
//!
//! `Zero` and `Bound` prescribe the impulse of a row or, for a tangent, its ratio to the normal impulse. Those of the
//! rows `Between` follow from their equations `y = 0`.

use super::{
    contacts::{Contacts, State},
    factorization::{factorize, substitute},
};

/// The impulses, with the memory for them.
#[derive(Clone, Debug)]
pub(super) struct Response {
    pub(super) impulses: Vec<f64>,
    velocities: Vec<f64>,
    /// Rows in between: those of the unknowns, and those of the equations in the order of the factors.
    unknowns: Vec<usize>,
    equations: Vec<usize>,
    system: Vec<f64>,
    answers: Vec<f64>,
}

impl Response {
    pub(super) fn new(size: usize) -> Self {
        let zeros = vec![0.0; size];
        Self {
            impulses: zeros.clone(),
            velocities: zeros.clone(),
            unknowns: Vec::with_capacity(size),
            equations: Vec::with_capacity(size),
            system: vec![0.0; size * size],
            answers: zeros,
        }
    }

    /// Solves for the impulses from the velocities `u` with the `increment` of each normal; returns false if the
    /// equations are singular to rounding.
    pub(super) fn solve(
        &mut self,
        contacts: &Contacts,
        states: &[State],
        u: &[f64],
        increment: impl Fn(usize) -> f64,
    ) -> bool {
        self.impulses.fill(0.0);
        self.velocities.copy_from_slice(u);
        self.unknowns.clear();
        for (row, data) in contacts.rows.iter().enumerate() {
            match states[row] {
                State::Zero => {}
                State::Between(_) => self.unknowns.push(row),
                State::Bound(side) => {
                    // For a tangent, the part that does not depend on a normal impulse in between.
                    let bound = data.normal.map_or_else(
                        || increment(row),
                        |(normal, friction)| friction * self.impulses[normal],
                    );
                    self.push(contacts, row, side.sign() * bound);
                }
            }
        }
        let Self { impulses, velocities, unknowns, equations, system, answers } = self;
        equations.clone_from(unknowns);
        let rank = unknowns.len();
        let system = &mut system[..rank * rank];
        fill(contacts, states, unknowns, system);
        if !factorize(system, equations) {
            return false;
        }
        for (answer, &row) in answers.iter_mut().zip(&*equations) {
            *answer = -velocities[row];
        }
        substitute(system, &mut answers[..rank]);
        for (&row, &answer) in unknowns.iter().zip(&*answers) {
            impulses[row] += answer;
            if let Some((tangent, share)) = contacts.sliding(states, row) {
                impulses[tangent] += share * answer;
            }
        }
        true
    }

    /// Adds an impulse at one row, and its effect on the velocities.
    fn push(&mut self, contacts: &Contacts, row: usize, impulse: f64) {
        self.impulses[row] += impulse;
        for (velocity, response) in self.velocities.iter_mut().zip(contacts.response(row)) {
            *velocity += response * impulse;
        }
    }
}

/// Writes the matrix of the equations of the rows in between.
fn fill(contacts: &Contacts, states: &[State], between: &[usize], system: &mut [f64]) {
    let rank = between.len();
    for (column, &j) in between.iter().enumerate() {
        let slide = contacts.sliding(states, j);
        for (row, &i) in between.iter().enumerate() {
            let mut entry = contacts.response(j)[i];
            if let Some((tangent, share)) = slide {
                entry += share * contacts.response(tangent)[i];
            }
            system[row * rank + column] = entry;
        }
    }
}
