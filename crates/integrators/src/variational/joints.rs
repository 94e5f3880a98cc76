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

impl Variational {
    /// Enters the impulses of the joints at the start of the piece.
    pub(super) fn rub(&mut self) {
        for (rubbed, impulse) in self.rubbed.iter_mut().zip(self.piece.closed.joint_impulses()) {
            rubbed.impulse += impulse;
        }
    }

    /// Removes the approach of closed contacts, the constraint violations and the velocities of joints from the momentum as far as
    /// friction over the time `half` (s) does, without restitution. `stated` has the contacts and the constraints.
    pub(super) fn settle_joints(
        &mut self,
        stated: &percussion_impact::Problem,
        half: f64,
        motion: &Motion,
    ) -> Result<(), Error> {
        let time = self.state.time;
        let (of_constraints, of_contacts) =
            (stated.bilateral_jacobian(), stated.contact_jacobian());
        let joints = self.piece.closed.joints();
        let first_contact = of_constraints.nrows();
        let first_joint = first_contact + of_contacts.nrows();
        let mut columns = DMatrix::zeros(self.velocity.len(), first_joint + joints.len());
        columns.columns_range_mut(..first_contact).tr_copy_from(of_constraints);
        columns.columns_range_mut(first_contact..first_joint).tr_copy_from(of_contacts);
        let mut blocks = Vec::new();
        if first_contact > 0 {
            blocks.push(Block::bilateral(first_contact));
        }
        let width = of_contacts.nrows().checked_div(self.closed.len()).unwrap_or(1);
        for &contact in &self.closed {
            let friction = motion.contacts.as_slice()[contact].friction;
            blocks.push(match width {
                1 => Block::unilateral(1),
                rows => Block { rows, ..Block::contact(Section::Disc(friction)) },
            });
        }
        for (DryJoint { axis, bound, .. }, column) in joints.iter().zip(first_joint..) {
            columns.set_column(column, axis);
            blocks.push(Block::bound(half * bound));
        }
        let mut responses = columns.clone();
        motion.model.system().apply_inverse_mass(&self.state.coordinates, &mut responses);
        let velocities = columns.tr_mul(&self.velocity).as_slice().to_vec();
        let problem = mixed::Problem::new(columns.tr_mul(&responses), velocities, blocks)
            .map_err(|source| Error::Blocks { time, source })?;
        let rest = SOLVED * self.settings.scales.speed();
        let solved = solve(&problem, rest, time);
        let problem = self.settling.insert(problem);
        let impulses = solved?;
        let pushes = impulses[first_contact..first_joint].chunks(width);
        for (&contact, push) in self.closed.iter().zip(pushes) {
            let mut impulse = Vector3::zeros();
            impulse.as_mut_slice()[..width].copy_from_slice(push);
            self.carried.add(contact, impulse);
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
        report.joint_friction = DMatrix::zeros(velocities, frictions.len());
        let unheld = |(joint, friction): (usize, &crate::BoundedFriction)| {
            let rate = friction.axis().map_or(0.0, |axis| axis.dot(&self.velocity));
            let bound = step_size * friction.bound;
            FrictionReport { joint, impulse: 0.0, bound, velocity: rate, residual: 0.0 }
        };
        report.frictions = frictions.iter().enumerate().map(unheld).collect();
        for (joint, rubbed) in self.piece.closed.joints().iter().zip(&self.rubbed) {
            let DryJoint { number, axis, length, .. } = joint;
            report.joint_friction.set_column(*number, &(axis * rubbed.impulse));
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

/// The impulses of a problem, or the error of one that has none. Velocities up to `rest` (m/s) count as zero: those of a joint at rest
/// are rounding, which each problem divides further until it underflows.
fn solve(problem: &mixed::Problem, rest: f64, time: f64) -> Result<Vec<f64>, Error> {
    let mut impulses = vec![0.0; problem.rows()];
    let report = method().solve_blocks_from(problem, &mut impulses)?;
    let relative_residual = report.relative_residual;
    match report.status {
        friction::Status::Solved => Ok(impulses),
        _ if relative_residual <= ACCEPTED || problem.residual(&impulses) <= rest => Ok(impulses),
        status => Err(Error::Unsolved { time, status, relative_residual }),
    }
}
