//! The problem of a step with [blocks](mixed): constraints, limits, friction in joints, and contacts with any friction cone.
//!
//! Friction in joints and forces of contacts determine each other, so a model with friction in joints, or with
//! [cones](crate::Cone) that are not round, has all rows in one problem. With the velocity `v_f` without any of these
//! impulses, the axes `d` of the joints and the rows `A` of the [moments](super::cones) of such contacts,
//!
//! ```math
//! v' = v_f + M^{-1}(G^\mathsf{T} p_b + J^\mathsf{T} p + A^\mathsf{T} m + d\, p_d), \qquad |p_d| \le h\,\eta .
//! ```
//!
//! The rows are those of the constraints (bilateral), of the contacts (unilateral for limits and contacts without
//! friction, with a section for the others), of the joints (intervals), and of
//! drives that take turns at a limit of their force in the step. Contacts, tangents of discs and joints that cannot move
//! while the constraints hold are left out. The constraints are stated with the velocities `G (v_f − P v_f)`, which are
//! consistent even if the errors of redundant rows differ. The velocity of the solution is projected onto the
//! constraints once more, which removes the rounding of the solve.
//!
//! # Source
//!
//! The laws and the solver are those of [`mixed`]; the statement for a step is derived here.

use std::ops::Range;

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::friction::{
    Method,
    document::Document,
    mixed::{self, Block, Figures, Judgement, Problem},
};

use super::cones::Cones;
use crate::{
    error::Error,
    model::{Feature, Model, State, StatedDrive},
    report::{FrictionReport, Residuals},
    scales::Scales,
};

/// The friction of all joints, the cones of contacts, and the current problem.
#[derive(Debug)]
pub(super) struct Blocks {
    /// The cones of the contacts of the problem, with their moments.
    pub(super) cones: Cones,
    /// The drives that are stated, and their impulses (N·s, N·m·s).
    pub(super) drives: Vec<StatedDrive>,
    pub(super) driven: Vec<f64>,
    /// The axis `d` of each joint (`n_v × n_d`).
    pub(super) axes: DMatrix<f64>,
    /// Largest force of each (N, N·m), and largest impulse in a step (N·s, N·m·s).
    forces: Vec<f64>,
    pub(super) bounds: Vec<f64>,
    pub(super) scales: Scales,
    /// Displacement along each velocity (m or rad) that moves bodies by the length of the scales.
    pub(super) strides: Vec<f64>,
    pub(super) stated: Option<Stated>,
    /// `v_f` before it is projected onto the constraints.
    pub(super) unconstrained: DVector<f64>,
    /// Impulses of the joints: those with which the solve starts, those that it found, and those of the last step.
    pub(super) start: Vec<f64>,
    pub(super) impulses: Vec<f64>,
    last: Vec<f64>,
    /// Residual of the equations of motion (m/s).
    motion: f64,
}

/// A problem, with the places of its rows, its start and its solution.
#[derive(Debug)]
pub(super) struct Stated {
    pub(super) problem: Problem,
    pub(super) entries: Vec<Entry>,
    /// The rows, one per column (`n_v × r`), their transpose, and what is added to the velocity of each (m/s, rad/s).
    pub(super) rows: DMatrix<f64>,
    pub(super) along: DMatrix<f64>,
    pub(super) shifts: Vec<f64>,
    pub(super) start: Vec<f64>,
    pub(super) impulses: Vec<f64>,
    /// Velocities and figures of `impulses`, and whether they are up to date.
    pub(super) judgement: Judgement,
    pub(super) is_judged: bool,
}

/// One row of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Entry {
    Constraint,
    /// A component of a contact, by the number of the contact in the problem: 0 to 2 of the impulse, from 3 of the moment.
    Contact(usize, usize),
    Joint(usize),
    /// A stated drive, by its place in the list.
    Drive(usize),
}

impl Stated {
    /// The first row of each block with its figures.
    fn figures(&self) -> impl Iterator<Item = (&Block, Entry, Figures)> {
        let mut first = 0;
        self.problem.blocks().iter().zip(&self.judgement.figures).map(move |(block, figures)| {
            let entry = self.entries[first];
            first += block.rows;
            (block, entry, *figures)
        })
    }
}

impl Blocks {
    /// Whether a model has friction in joints or cones.
    pub(super) fn are_in(model: &Model) -> bool {
        !model.joint_friction().is_empty() || model.has(Feature::Cones)
    }

    /// Those of a model in steps of `step_size` (s) from `state`.
    pub(super) fn new(model: &Model, state: &State, step_size: f64) -> Result<Self, Error> {
        let frictions = model.joint_friction();
        let scales = model.scales(state, step_size);
        let mut axes = DMatrix::zeros(model.system().velocity_count(), frictions.len());
        for (joint, friction) in frictions.iter().enumerate() {
            let axis = friction.axis().ok_or(Error::FrictionDirections { joint })?;
            axes.set_column(joint, &axis);
        }
        let zeros = vec![0.0; frictions.len()];
        let mut blocks = Self {
            cones: Cones::new(axes.nrows(), model.component_count()),
            drives: Vec::new(),
            driven: Vec::new(),
            unconstrained: DVector::zeros(axes.nrows()),
            axes,
            forces: frictions.iter().map(|friction| friction.bound).collect(),
            bounds: Vec::new(),
            strides: scales.of_velocities(model.system(), &state.coordinates),
            scales,
            stated: None,
            start: zeros.clone(),
            impulses: zeros.clone(),
            last: zeros,
            motion: 0.0,
        };
        blocks.resize(step_size);
        Ok(blocks)
    }

    /// Sets the length of the next step (s).
    pub(super) fn resize(&mut self, step_size: f64) {
        self.bounds.clear();
        self.bounds.extend(self.forces.iter().map(|force| step_size * force));
    }

    /// Whether a joint with friction or a stated drive has entries in the range of `velocities`.
    pub(super) fn has_rows_in(&self, velocities: &Range<usize>) -> bool {
        let in_range = |entry: &(usize, f64)| velocities.contains(&entry.0);
        let mut of_joints = self.axes.rows_range(velocities.clone()).into_iter();
        of_joints.any(|entry| *entry != 0.0)
            || self.drives.iter().any(|drive| drive.axis.iter().any(in_range))
    }

    /// Begins a statement with these drives.
    pub(super) fn begin_statement(&mut self, drives: Vec<StatedDrive>) {
        self.driven.clear();
        self.driven.resize(drives.len(), 0.0);
        self.drives = drives;
        self.stated = None;
    }

    /// Starts the next solve of these `contacts` with the impulses of the last step, or with zero.
    pub(super) fn begin(&mut self, contacts: &[usize], warm: bool) {
        let Self { start, last, .. } = self;
        start.iter_mut().zip(last).for_each(|(to, from)| *to = if warm { *from } else { 0.0 });
        self.cones.begin(contacts, warm);
    }

    /// Starts the next solve of these `contacts` with the impulses that the current one found.
    pub(super) fn begin_with_found(&mut self, contacts: &[usize]) {
        self.start.copy_from_slice(&self.impulses);
        self.cones.begin_with_found(contacts);
    }

    /// Measures the figures of the solution, for the reports, to a hundredth of the relative `tolerance` of a solve.
    pub(super) fn judge(&mut self, tolerance: f64) {
        let Some(Stated { problem, impulses, judgement, is_judged, .. }) = &mut self.stated else {
            return;
        };
        let accuracy = 0.01 * tolerance * problem.velocity_scale();
        if !(*is_judged && judgement.rounding <= accuracy) {
            judgement.figures = problem.block_figures_within(impulses, accuracy);
        }
    }

    /// Stores the impulses for the next step.
    pub(super) fn finish(&mut self) {
        self.last.copy_from_slice(&self.impulses);
        self.cones.finish();
    }

    /// The length (m) by which the velocity of a row is multiplied to be comparable with that of a contact.
    pub(super) fn length_of(&self, row: &[f64]) -> f64 {
        self.scales.length_along(row, &self.strides)
    }

    /// Adds `d p_d` of all joints and `Aᵀ m` of all moments.
    pub(super) fn push(&self, momentum: &mut DMatrix<f64>) {
        self.cones.push(momentum);
        for (drive, impulse) in self.drives.iter().zip(&self.driven) {
            drive.axis.iter().for_each(|&(row, gear)| momentum[(row, 0)] += gear * impulse);
        }
        for (axis, &impulse) in self.axes.column_iter().zip(&self.impulses) {
            momentum.column_mut(0).axpy(impulse, &axis, 1.0);
        }
    }

    /// Hands the impulses of stated drives back to the model.
    pub(super) fn hand_back(&self, model: &Model) {
        let Some(driven) = model.driven() else { return };
        for (drive, &impulse) in self.drives.iter().zip(&self.driven) {
            driven.take(drive.actuator, impulse);
        }
    }

    /// Measures by how much `velocity` differs from `v_f` and the `response` to all impulses.
    pub(super) fn judge_motion(&mut self, velocity: &DVector<f64>, response: &DMatrix<f64>) {
        let missing = velocity - &self.unconstrained - response.column(0);
        self.motion = self.scales.fastest(missing.as_slice(), &self.strides);
    }

    /// The document of the current problem.
    pub(super) fn document(&self, method: Method) -> Option<Document> {
        let Stated { problem, start, .. } = self.stated.as_ref()?;
        let start = Some(start.clone());
        Some(Document { start, ..Document::of_blocks(problem).with_method(method) })
    }

    /// The generalized impulses of all joints (`n_v × n_d`).
    pub(super) fn generalized_impulses(&self) -> DMatrix<f64> {
        let mut impulses = self.axes.clone();
        for (mut column, impulse) in impulses.column_iter_mut().zip(&self.impulses) {
            column.as_mut_slice().iter_mut().for_each(|entry| *entry *= impulse);
        }
        impulses
    }

    /// The friction of all joints at the end of the step.
    pub(super) fn reports(&self, velocity: &[f64]) -> Vec<FrictionReport> {
        let mut residuals = vec![0.0; self.bounds.len()];
        for (block, entry, figures) in self.stated.iter().flat_map(Stated::figures) {
            if let Entry::Joint(joint) = entry {
                residuals[joint] = figures.largest() / block.length;
            }
        }
        let report = |(joint, residual)| {
            let axis = self.axes.column(joint);
            FrictionReport {
                joint,
                impulse: self.impulses[joint],
                bound: self.bounds[joint],
                velocity: axis.as_slice().iter().zip(velocity).map(|(d, v)| d * v).sum(),
                residual,
            }
        };
        residuals.into_iter().enumerate().map(report).collect()
    }

    /// The residual of each contact of the problem (m/s).
    pub(super) fn contact_residuals(&self, contacts: usize) -> Vec<f64> {
        let mut residuals = vec![0.0; contacts];
        for (_, entry, figures) in self.stated.iter().flat_map(Stated::figures) {
            if let Entry::Contact(contact, _) = entry {
                residuals[contact] = figures.largest();
            }
        }
        residuals
    }

    /// The largest residuals of the problem, by kind of row and by part of the laws.
    pub(super) fn residuals(&self) -> Residuals {
        let mut all = Residuals { motion: self.motion, ..Residuals::default() };
        for (block, _, figures) in self.stated.iter().flat_map(Stated::figures) {
            let of_kind = match block.set {
                mixed::Set::Bilateral => &mut all.constraints,
                mixed::Set::Interval { .. } => &mut all.joint_friction,
                mixed::Set::Contact(_) => &mut all.contacts,
                _ => &mut all.limits,
            };
            *of_kind = of_kind.max(figures.largest());
            all.primal = all.primal.max(figures.bilateral).max(figures.approach);
            all.dual = all.dual.max(figures.adhesion).max(figures.cone);
            all.complementarity = all.complementarity.max(figures.complementarity);
            all.natural_map = all.natural_map.max(figures.slip);
        }
        all
    }
}
