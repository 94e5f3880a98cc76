//! Dry friction of joints at the ends of pieces.
//!
//! At the end of a piece the second half of the impulses of constraints, closed contacts and joints acts on the momentum. With friction
//! in joints these are determined together, as one [problem with blocks](mixed) with the velocity `M⁻¹ p`.

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_complementarity::friction::{
    self, Combined, Method,
    document::Document,
    mixed::{self, Block, Section},
};

use super::{Error, Model, Motion, StepReport, Variational};
use crate::{dry_joint::DryJoint, report::FrictionReport};

/// Residual of the problem relative to its velocities.
const SOLVED: f64 = 1e-13;

/// Residual that is accepted where rounding does not allow less.
const ACCEPTED: f64 = 1e-10;

/// Friction of a joint in a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rubbed {
    /// Sum of its impulses (N·s).
    pub(super) impulse: f64,
    /// Residual of the last problem (m/s).
    residual: f64,
}

/// Rows of a problem, one column each, with what they belong to.
struct Rows {
    columns: Vec<DVector<f64>>,
    blocks: Vec<Block>,
}

impl Rows {
    fn push(&mut self, columns: impl IntoIterator<Item = DVector<f64>>, block: Block) {
        self.columns.extend(columns);
        self.blocks.push(block);
    }
}

impl Variational {
    /// Enters the impulses of the joints at the start of the piece.
    pub(super) fn rub(&mut self) {
        for (rubbed, impulse) in self.rubbed.iter_mut().zip(self.piece.closed.joint_impulses()) {
            rubbed.impulse += impulse;
        }
    }

    /// Removes the approach of closed contacts, the constraint violations and the velocities of joints from the momentum as far as
    /// friction over the time `half` (s) does, without restitution.
    pub(super) fn settle_joints(&mut self, motion: &Motion, half: f64) -> Result<(), Error> {
        let time = self.state.time;
        let (model, system) = (&motion.model, motion.model.system());
        let coordinates = &self.state.coordinates;
        let mut rows = Rows { columns: Vec::new(), blocks: Vec::new() };
        for row in model.joints(coordinates).row_iter() {
            rows.push([row.transpose()], Block::bilateral(1));
        }
        let first_contact = rows.columns.len();
        for &contact in &self.closed {
            let contact = &motion.contacts.as_slice()[contact];
            contact.gap.rows(system, coordinates, &mut self.rows);
            let normal = DVector::from_column_slice(self.rows.normal());
            if contact.friction == 0.0 {
                rows.push([normal], Block::unilateral(1));
                continue;
            }
            let tangents = self.rows.tangent_count();
            let tangent = |k| DVector::from_column_slice(self.rows.tangent(k));
            let block = Block::contact(Section::Disc(contact.friction));
            let columns = std::iter::once(normal).chain((0..tangents).map(tangent));
            rows.push(columns, Block { rows: 1 + tangents, ..block });
        }
        let first_joint = rows.columns.len();
        for DryJoint { axis, bound, .. } in self.piece.closed.joints() {
            rows.push([axis.clone()], Block::bound(half * bound));
        }
        let columns = DMatrix::from_columns(&rows.columns);
        let mut responses = columns.clone();
        system.apply_inverse_mass(coordinates, &mut responses);
        let velocities = columns.tr_mul(&self.velocity);
        let problem = mixed::Problem::new(
            columns.tr_mul(&responses),
            velocities.as_slice().to_vec(),
            rows.blocks,
        )
        .map_err(|source| Error::Blocks { time, source })?;
        let solved = solve(&problem, time);
        let problem = self.settling.insert(problem);
        let impulses = solved?;
        let mut row = first_contact;
        for &contact in &self.closed {
            let rough = motion.contacts.as_slice()[contact].friction > 0.0;
            let count = if rough { 1 + self.rows.tangent_count() } else { 1 };
            let mut impulse = Vector3::zeros();
            impulse.as_mut_slice()[..count].copy_from_slice(&impulses[row..row + count]);
            self.carried.add(contact, impulse);
            row += count;
        }
        let figures = problem.block_figures(&impulses);
        let of_joints = figures[figures.len() - self.rubbed.len()..].iter();
        let impulses_of_joints = impulses[first_joint..].iter();
        for ((rubbed, impulse), figures) in
            self.rubbed.iter_mut().zip(impulses_of_joints).zip(of_joints)
        {
            rubbed.impulse += impulse;
            rubbed.residual = figures.largest();
        }
        self.momentum.gemv(1.0, &columns, &DVector::from_vec(impulses), 1.0);
        self.update_velocity(motion);
        Ok(())
    }

    /// Reports the friction of all joints at the end of a step.
    pub(super) fn report_joints(&self, model: &Model, report: &mut StepReport) {
        let frictions = model.joint_friction();
        let step_size = self.given.step_size;
        let velocities = self.velocity.len();
        report.joint_friction = vec![DVector::zeros(velocities); frictions.len()];
        let unheld = |(joint, friction): (usize, &crate::BoundedFriction)| {
            let rate = friction.axis().map_or(0.0, |axis| axis.dot(&self.velocity));
            let bound = step_size * friction.bound;
            FrictionReport { joint, impulse: 0.0, bound, velocity: rate, residual: 0.0 }
        };
        report.frictions = frictions.iter().enumerate().map(unheld).collect();
        for (joint, rubbed) in self.piece.closed.joints().iter().zip(&self.rubbed) {
            let DryJoint { number, axis, length, .. } = joint;
            report.joint_friction[*number] = axis * rubbed.impulse;
            let of_joint = &mut report.frictions[*number];
            of_joint.impulse = (rubbed.impulse * length).clamp(-of_joint.bound, of_joint.bound);
            of_joint.residual = rubbed.residual / length;
        }
    }
}

/// The document of a problem, with its solver.
pub(super) fn document(problem: &mixed::Problem) -> Document {
    Document::of_blocks(problem).with_method(method())
}

fn method() -> Method {
    Method::Combined(Combined { tolerance: SOLVED, ..Combined::default() })
}

/// The impulses of a problem, or the error of one that has none.
fn solve(problem: &mixed::Problem, time: f64) -> Result<Vec<f64>, Error> {
    let mut impulses = vec![0.0; problem.rows()];
    let report = method().solve_blocks_from(problem, &mut impulses)?;
    let relative_residual = report.relative_residual;
    match report.status {
        friction::Status::Solved => Ok(impulses),
        _ if relative_residual <= ACCEPTED => Ok(impulses),
        status => Err(Error::Unsolved { time, status, relative_residual }),
    }
}
