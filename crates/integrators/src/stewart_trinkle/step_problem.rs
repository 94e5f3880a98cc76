//! The LCP of one step: its assembly from a [`Linearization`] and the impulses from its answer.
//!
//! The unknowns are, with `m` active contacts of `k` directions each and the bounded frictions `j`,
//!
//! ```math
//! z = (\beta_1, \dots, \beta_m,\; c_{n,1}, \dots, c_{n,m},\; \lambda_1, \dots, \lambda_m,\;
//!      \beta^{(1)}, \lambda^{(1)}, \beta^{(2)}, \lambda^{(2)}, \dots).
//! ```
//!
//! Impulses are measured in multiples of a mass, so that all of `z` and `w` are velocities: the residual of
//! the LCP then does not mix N·s with m/s, and its tolerance has the same meaning for all masses.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::{Problem, ProblemError, Report, lemke};

use super::{Contact, Model, linearization::Linearization, polygon::Direction, settings::Resolved};

/// Rounding of a component of a tangential velocity, relative to the velocity: that of a dozen operations.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Positions of the unknowns and the generators of each kind.
#[derive(Debug, Default)]
struct Layout {
    contacts: usize,
    directions: usize,
    tangents: usize,
    /// Number of directions of each bounded friction.
    joints: Vec<usize>,
}

impl Layout {
    fn dimension(&self) -> usize {
        self.contacts * (self.directions + 2) + self.joints.iter().map(|k| k + 1).sum::<usize>()
    }

    fn generator_count(&self) -> usize {
        self.contacts * (1 + self.tangents) + self.joints.iter().sum::<usize>()
    }

    /// First `β` of a contact.
    fn friction(&self, slot: usize) -> usize {
        slot * self.directions
    }

    fn normal(&self, slot: usize) -> usize {
        self.contacts * self.directions + slot
    }

    /// `λ` of a contact.
    fn slip(&self, slot: usize) -> usize {
        self.contacts * (self.directions + 1) + slot
    }

    /// Normal generator of a contact; its tangents follow.
    fn generator(&self, slot: usize) -> usize {
        slot * (1 + self.tangents)
    }

    /// For each bounded friction, the first `β`, the first generator and the number of directions.
    fn joints(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let unknown = self.contacts * (self.directions + 2);
        let first = (unknown, self.generator(self.contacts));
        self.joints.iter().scan(first, |(unknown, generator), &count| {
            let joint = (*unknown, *generator, count);
            (*unknown, *generator) = (*unknown + count + 1, *generator + count);
            Some(joint)
        })
    }
}

#[derive(Debug)]
pub(super) struct StepProblem {
    layout: Layout,
    problem: Problem,
    workspace: lemke::Workspace,
    /// `z`.
    answer: DVector<f64>,
    /// The mass (kg) by which the LCP divides impulses: that of the most movable generator, `1 / max W_ii`,
    /// rounded to a power of two, which causes no rounding errors.
    mass: f64,
    /// Impulses `p` of the generators of the linearization.
    pub(super) impulses: DVector<f64>,
    /// Velocities of the generators for one friction direction.
    response: DVector<f64>,
}

impl StepProblem {
    /// # Errors
    ///
    /// None: the placeholder problem is valid.
    pub(super) fn new(model: &Model, settings: &Resolved) -> Result<Self, ProblemError> {
        let layout = Layout {
            contacts: 0,
            directions: settings.directions,
            tangents: model.system().dimension().tangent_count(),
            joints: model.joint_friction().iter().map(|j| j.directions.ncols()).collect(),
        };
        Ok(Self {
            layout,
            problem: Problem::new(DMatrix::identity(1, 1), DVector::zeros(1))?,
            workspace: lemke::Workspace::default(),
            answer: DVector::zeros(0),
            mass: 1.0,
            impulses: DVector::zeros(0),
            response: DVector::zeros(0),
        })
    }

    /// Sizes the problem for `contacts` active contacts and returns its dimension, which may be 0.
    pub(super) fn resize(&mut self, contacts: usize) -> usize {
        self.layout.contacts = contacts;
        let (dimension, generators) = (self.layout.dimension(), self.layout.generator_count());
        if self.answer.len() != dimension {
            self.answer = DVector::zeros(dimension);
        }
        if self.impulses.len() != generators {
            self.impulses = DVector::zeros(generators);
            self.response = DVector::zeros(generators);
        }
        dimension
    }

    /// Assembles the LCP of the active contacts, for which it was resized.
    ///
    /// # Errors
    ///
    /// When an entry is not finite.
    pub(super) fn assemble(
        &mut self,
        (model, contacts): (&Model, &[Contact]),
        settings: &Resolved,
        active: &[usize],
        of: &Linearization,
    ) -> Result<(), ProblemError> {
        let Self { layout, problem, answer, mass, response, .. } = self;
        let n = answer.len();
        let largest = of.delassus.diagonal().amax();
        *mass = if largest > 0.0 { (-largest.log2().floor()).exp2() } else { 1.0 };
        let mass = *mass;
        problem.refill(|matrix, vector| {
            if vector.len() != n {
                *matrix = DMatrix::zeros(n, n);
                *vector = DVector::zeros(n);
            }
            write_contacts(contacts, layout, active, of, mass, response, matrix);
            for (first, generator, count) in layout.joints() {
                for i in 0..count {
                    let column = column(matrix, first + i);
                    response.axpy(mass, &of.delassus.column(generator + i), 0.0);
                    write_velocities(layout, of, response.as_slice(), column);
                    column[first + count] = -1.0;
                }
                let column = column(matrix, first + count);
                column.fill(0.0);
                column[first..first + count].fill(1.0);
            }
            write_vector(model, settings, layout, of, mass, vector.as_mut_slice());
        })
    }

    /// Solves the assembled LCP and stores the impulses of the generators.
    pub(super) fn solve(
        &mut self,
        settings: &lemke::Settings,
        of: &Linearization,
    ) -> Result<Report, lemke::Error> {
        let report = lemke::solve(&self.problem, settings, &mut self.workspace, &mut self.answer)?;
        let Self { layout, answer, impulses, .. } = self;
        impulses.fill(0.0);
        for slot in 0..layout.contacts {
            let (generator, first) = (layout.generator(slot), layout.friction(slot));
            impulses[generator] = answer[layout.normal(slot)];
            for (i, direction) in directions(layout, of, slot).iter().enumerate() {
                for (t, component) in direction.iter().enumerate().take(layout.tangents) {
                    impulses[generator + 1 + t] += component * answer[first + i];
                }
            }
        }
        for (first, generator, count) in layout.joints() {
            impulses.rows_mut(generator, count).copy_from(&answer.rows(first, count));
        }
        *impulses *= self.mass;
        Ok(report)
    }

    /// Impulses of the directions of each bounded friction (N·s).
    pub(super) fn joint_impulses(&self) -> impl Iterator<Item = nalgebra::DVectorView<'_, f64>> {
        self.layout.joints().map(|(_, generator, count)| self.impulses.rows(generator, count))
    }
}

/// Writes the columns of `β`, `c_n` and `λ` of the active contacts.
fn write_contacts(
    contacts: &[Contact],
    layout: &Layout,
    active: &[usize],
    of: &Linearization,
    mass: f64,
    response: &mut DVector<f64>,
    matrix: &mut DMatrix<f64>,
) {
    for (slot, &contact) in active.iter().enumerate() {
        let (generator, first) = (layout.generator(slot), layout.friction(slot));
        for (i, direction) in directions(layout, of, slot).iter().enumerate() {
            for (k, response) in response.iter_mut().enumerate() {
                let tangential = [1, layout.tangents].map(|t| of.delassus[(k, generator + t)]);
                *response = mass * along(*direction, &tangential[..layout.tangents]);
            }
            let column = column(matrix, first + i);
            write_velocities(layout, of, response.as_slice(), column);
            column[layout.slip(slot)] = -1.0;
        }
        let normal = column(matrix, layout.normal(slot));
        response.axpy(mass, &of.delassus.column(generator), 0.0);
        write_velocities(layout, of, response.as_slice(), normal);
        normal[layout.slip(slot)] = reach(&contacts[contact]);
        let slip = column(matrix, layout.slip(slot));
        slip.fill(0.0);
        slip[first..first + layout.directions].fill(1.0);
    }
}

/// By what the directions of a contact are multiplied: the points of a cone have their lengths.
pub(super) fn reach(contact: &Contact) -> f64 {
    if contact.cone.is_some() { 1.0 } else { contact.friction }
}

/// Writes `(Dᵀ u_c, Nᵀ u_c + g(q̂)/h − n · v̂, 0, D_jᵀ u_c, h η / mass)`, with zeros for velocities that all are rounding.
fn write_vector(
    model: &Model,
    settings: &Resolved,
    layout: &Layout,
    of: &Linearization,
    mass: f64,
    vector: &mut [f64],
) {
    if of.is_still(settings) {
        vector.fill(0.0);
    } else {
        write_velocities(layout, of, of.free_velocity.as_slice(), vector);
        for (slot, gap_velocity) in of.gap_velocities.iter().enumerate() {
            vector[layout.normal(slot)] += gap_velocity;
        }
    }
    for ((first, _, count), joint) in layout.joints().zip(model.joint_friction()) {
        vector[first + count] = settings.step_size * joint.bound / mass;
    }
}

/// Writes `(Dᵀ u, Nᵀ u, 0, D_jᵀ u, 0)` for the velocities `u` of the generators.
fn write_velocities(layout: &Layout, of: &Linearization, velocities: &[f64], column: &mut [f64]) {
    for slot in 0..layout.contacts {
        let (generator, first) = (layout.generator(slot), layout.friction(slot));
        let tangential = &velocities[generator + 1..=generator + layout.tangents];
        for (i, direction) in directions(layout, of, slot).iter().enumerate() {
            column[first + i] = along(*direction, tangential);
        }
        column[layout.normal(slot)] = velocities[generator];
        column[layout.slip(slot)] = 0.0;
    }
    for (first, generator, count) in layout.joints() {
        column[first..first + count].copy_from_slice(&velocities[generator..generator + count]);
        column[first + count] = 0.0;
    }
}

/// `d · u`, or zero where that is rounding, as along a tangent in which bodies cannot move.
///
/// An entry of rounding instead of zero would let the friction of that direction be as large as it likes.
fn along(direction: Direction, tangential: &[f64]) -> f64 {
    let (mut sum, mut largest) = (0.0, 0.0_f64);
    for (d, u) in direction.iter().zip(tangential) {
        sum += d * u;
        largest = largest.max(u.abs());
    }
    if sum.abs() > ROUNDING * largest { sum } else { 0.0 }
}

fn directions<'a>(layout: &Layout, of: &'a Linearization, slot: usize) -> &'a [Direction] {
    let first = layout.friction(slot);
    &of.directions[first..first + layout.directions]
}

fn column(matrix: &mut DMatrix<f64>, index: usize) -> &mut [f64] {
    let rows = matrix.nrows();
    &mut matrix.as_mut_slice()[index * rows..(index + 1) * rows]
}
