//! The friction of the joints of a step, with its constraints, limits and contacts: one problem with [blocks](mixed).
//!
//! Friction in joints and forces of contacts determine each other, so a model with friction in joints has all rows in
//! one problem. With the velocity `v_f` without any of these impulses and the axes `d` of the joints,
//!
//! ```math
//! v' = v_f + M^{-1}(G^\mathsf{T} p_b + J^\mathsf{T} p + d\, p_d), \qquad |p_d| \le h\,\eta .
//! ```
//!
//! The rows are those of the constraints (bilateral), of the contacts (unilateral for limits and contacts without
//! friction, with a disc for the others) and of the joints (intervals). Contacts, tangents and joints that cannot move
//! while the constraints hold are left out. The constraints are stated with the velocities `G (v_f − P v_f)`, which are
//! consistent even if the errors of redundant rows differ. The velocity of the solution is projected onto the
//! constraints once more, which removes the rounding of the solve.
//!
//! # Source
//!
//! The laws and the solver are those of [`mixed`]; the statement for a step is derived here.

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_complementarity::friction::{
    Method, Report,
    document::Document,
    mixed::{self, Block, Figures, Problem, Section},
};

use super::{Place, VelocityLevel};
use crate::{
    error::Error,
    model::{Model, State},
    report::{FrictionReport, Residuals},
};

/// The friction of all joints, and the current problem.
#[derive(Debug)]
pub(super) struct Joints {
    /// The axis `d` of each joint (`n_v × n_d`).
    axes: DMatrix<f64>,
    /// Largest impulse of each (N·s, N·m·s).
    bounds: Vec<f64>,
    /// Displacement along each velocity (m or rad) that moves bodies by `length` (m).
    strides: Vec<f64>,
    length: f64,
    stated: Option<Stated>,
    /// `v_f`, not projected onto the constraints.
    unconstrained: DVector<f64>,
    /// Impulses of the joints: those with which the solve starts, those that it found, and those of the last step.
    start: Vec<f64>,
    impulses: Vec<f64>,
    last: Vec<f64>,
    /// Residual of the equations of motion (m/s).
    motion: f64,
}

/// A problem, with the places of its rows, its start and its solution.
#[derive(Debug)]
struct Stated {
    problem: Problem,
    entries: Vec<Entry>,
    start: Vec<f64>,
    impulses: Vec<f64>,
    /// The figures of each block for `impulses`, measured at the end of the step.
    figures: Vec<Figures>,
}

/// One row of a problem.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Entry {
    Constraint,
    /// A component of a contact, by the number of the contact in the problem.
    Contact(usize, usize),
    Joint(usize),
}

impl Stated {
    /// The first row of each block with its figures.
    fn figures(&self) -> impl Iterator<Item = (&Block, Entry, Figures)> {
        let mut first = 0;
        self.problem.blocks().iter().zip(&self.figures).map(move |(block, figures)| {
            let entry = self.entries[first];
            first += block.rows;
            (block, entry, *figures)
        })
    }
}

impl Joints {
    /// The friction of the joints in steps of `step_size` (s) from `state`; `None` if there is none.
    pub(super) fn new(model: &Model, state: &State, step_size: f64) -> Result<Option<Self>, Error> {
        let frictions = model.joint_friction();
        if frictions.is_empty() {
            return Ok(None);
        }
        let scales = model.scales(state, step_size);
        let mut axes = DMatrix::zeros(model.system().velocity_count(), frictions.len());
        for (joint, friction) in frictions.iter().enumerate() {
            let axis = friction.axis().ok_or(Error::FrictionDirections { joint })?;
            axes.set_column(joint, &axis);
        }
        let zeros = vec![0.0; frictions.len()];
        Ok(Some(Self {
            unconstrained: DVector::zeros(axes.nrows()),
            axes,
            bounds: frictions.iter().map(|friction| step_size * friction.bound).collect(),
            strides: scales.of_velocities(model.system(), &state.coordinates),
            length: scales.length,
            stated: None,
            start: zeros.clone(),
            impulses: zeros.clone(),
            last: zeros,
            motion: 0.0,
        }))
    }

    /// Stores `v_f` before it is projected onto the constraints. Nothing is stated yet.
    pub(super) fn keep(&mut self, free: &DVector<f64>) {
        self.unconstrained.copy_from(free);
        self.stated = None;
    }

    /// Starts the next solve with the impulses of the last step, or with zero.
    pub(super) fn begin(&mut self, warm: bool) {
        let Self { start, last, .. } = self;
        start.iter_mut().zip(last).for_each(|(to, from)| *to = if warm { *from } else { 0.0 });
    }

    /// Starts the next solve with the impulses that the current one found.
    pub(super) fn begin_with_found(&mut self) {
        self.start.copy_from_slice(&self.impulses);
    }

    /// Measures the figures of the solution, for the reports.
    pub(super) fn judge(&mut self) {
        if let Some(stated) = &mut self.stated {
            stated.figures = stated.problem.block_figures(&stated.impulses);
        }
    }

    /// Stores the impulses for the next step.
    pub(super) fn finish(&mut self) {
        self.last.copy_from_slice(&self.impulses);
    }

    /// The length (m) by which the velocity of a row is multiplied to be comparable with that of a contact.
    fn length_of(&self, row: &[f64]) -> f64 {
        let moved: f64 = row.iter().zip(&self.strides).map(|(r, stride)| r.abs() * stride).sum();
        let length = self.length / moved;
        if length.is_finite() && length > 0.0 { length } else { 1.0 }
    }

    /// Adds `d p_d` of all joints.
    pub(super) fn push(&self, momentum: &mut DMatrix<f64>) {
        for (axis, &impulse) in self.axes.column_iter().zip(&self.impulses) {
            momentum.column_mut(0).axpy(impulse, &axis, 1.0);
        }
    }

    /// Measures by how much `velocity` differs from `v_f` and the `response` to all impulses.
    pub(super) fn judge_motion(&mut self, velocity: &DVector<f64>, response: &DMatrix<f64>) {
        let missing = velocity - &self.unconstrained - response.column(0);
        let sizes = missing.iter().zip(&self.strides);
        self.motion = sizes.map(|(v, stride)| v.abs() * self.length / stride).fold(0.0, f64::max);
    }

    /// The document of the current problem.
    pub(super) fn document(&self, method: Method) -> Option<Document> {
        let Stated { problem, start, .. } = self.stated.as_ref()?;
        let start = Some(start.clone());
        Some(Document { start, ..Document::of_blocks(problem).with_method(method) })
    }

    /// The generalized impulses of all joints (`n_v` each).
    pub(super) fn generalized_impulses(&self) -> Vec<DVector<f64>> {
        self.axes.column_iter().zip(&self.impulses).map(|(axis, p)| axis * *p).collect()
    }

    /// The friction of all joints at the end of the step.
    pub(super) fn reports(&self, velocity: &[f64]) -> Vec<FrictionReport> {
        let mut residuals = vec![0.0; self.bounds.len()];
        for (block, entry, figures) in self.stated.iter().flat_map(Stated::figures) {
            if let Entry::Joint(joint) = entry {
                residuals[joint] = figures.largest() / block.length;
            }
        }
        let report = |(joint, residual)| FrictionReport {
            joint,
            impulse: self.impulses[joint],
            bound: self.bounds[joint],
            velocity: self.axes.column(joint).iter().zip(velocity).map(|(d, v)| d * v).sum(),
            residual,
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

/// The rows of a problem while it is stated.
struct Statement<'a> {
    /// All rows that a problem may have, one per column (`n_v × r`): of the constraints, the contacts and the joints.
    all: &'a DMatrix<f64>,
    unconstrained: &'a DVector<f64>,
    kept: Vec<usize>,
    velocities: Vec<f64>,
    entries: Vec<Entry>,
    blocks: Vec<Block>,
}

impl Statement<'_> {
    fn push(&mut self, row: usize, velocity: f64, entry: Entry) {
        self.kept.push(row);
        self.velocities.push(velocity);
        self.entries.push(entry);
    }

    /// The velocity of a row without impulses of the problem.
    fn velocity(&self, row: usize) -> f64 {
        self.all.column(row).dot(self.unconstrained)
    }
}

impl VelocityLevel {
    /// States the problem of the constraints, the contacts `active` and the joints, with the projected velocity `free`
    /// and the velocities `shifts` that the scheme adds to the normals.
    pub(super) fn state_blocks(
        &mut self,
        model: &Model,
        place: &Place<'_>,
        free: &DVector<f64>,
        active: &[usize],
        shifts: &[f64],
    ) -> Result<(), Error> {
        let Some(joints) = &self.joints else { return Ok(()) };
        let all = self.rows_of_blocks(joints, active.len());
        let mut responses = all.clone();
        model.system().apply_inverse_mass(place.mass_coordinates, &mut responses);
        let product = all.tr_mul(&responses);
        let moves = self.moving(&all, &product);
        let mut statement = Statement {
            all: &all,
            unconstrained: &joints.unconstrained,
            kept: Vec::new(),
            velocities: Vec::new(),
            entries: Vec::new(),
            blocks: Vec::new(),
        };
        let length = |row: usize| joints.length_of(all.column(row).as_slice());
        let lost = &joints.unconstrained - free;
        let constraints = self.bilateral.rows().nrows();
        for row in 0..constraints {
            statement.blocks.push(Block::bilateral(1).with_length(length(row)));
            statement.push(row, all.column(row).dot(&lost), Entry::Constraint);
        }
        let width = self.set.component_count();
        let (mut contacts, mut slots) = (Vec::new(), Vec::new());
        for slot in 0..active.len() {
            let normal = constraints + width * slot;
            if !moves[normal] {
                continue;
            }
            let friction = self.set.friction()[slot];
            let before = statement.kept.len();
            for component in 0..width {
                let row = normal + component;
                if component == 0 || (friction > 0.0 && moves[row]) {
                    let shift = if component == 0 { shifts[slot] } else { 0.0 };
                    let velocity = statement.velocity(row) + shift;
                    statement.push(row, velocity, Entry::Contact(slots.len(), component));
                }
            }
            statement.blocks.push(match statement.kept.len() - before {
                1 => Block::unilateral(1).with_length(length(normal)),
                rows => Block { rows, ..Block::contact(Section::Disc(friction)) },
            });
            contacts.push(active[slot]);
            slots.push(slot);
        }
        for (joint, &bound) in joints.bounds.iter().enumerate() {
            let row = constraints + width * active.len() + joint;
            if moves[row] {
                statement.blocks.push(Block::bound(bound).with_length(length(row)));
                statement.push(row, statement.velocity(row), Entry::Joint(joint));
            }
        }
        let stated = stated(place, statement, &product)?;
        self.contacts = contacts;
        self.slots = slots;
        if let Some(joints) = &mut self.joints {
            joints.stated = stated;
        }
        Ok(())
    }

    /// The rows of the constraints, of the contacts of the set and of the joints, one per column (`n_v × r`).
    fn rows_of_blocks(&self, joints: &Joints, contacts: usize) -> DMatrix<f64> {
        let mut jacobian = DMatrix::zeros(0, joints.axes.nrows());
        if contacts > 0 {
            self.set.contact_jacobian(&mut jacobian);
        }
        let constraints = self.bilateral.rows();
        let (first, second) = (constraints.nrows(), constraints.nrows() + jacobian.nrows());
        let mut all = DMatrix::zeros(joints.axes.nrows(), second + joints.axes.ncols());
        all.columns_range_mut(..first).tr_copy_from(constraints);
        all.columns_range_mut(first..second).tr_copy_from(&jacobian);
        all.columns_range_mut(second..).copy_from(&joints.axes);
        all
    }

    /// Marks the rows that can move while the constraints hold, given their `delassus` operator. A row that is not finite is
    /// marked too, so that the problem refuses it.
    fn moving(&self, rows: &DMatrix<f64>, delassus: &DMatrix<f64>) -> Vec<bool> {
        let held = self.bilateral.along(rows);
        // The remainder of a row that the constraints hold is the rounding of sums of n_v products.
        let rounding = 16.0 * rows.nrows() as f64 * f64::EPSILON;
        let is_held = |row: usize| {
            let size = delassus[(row, row)];
            size - held.column(row).norm_squared() <= rounding * size
        };
        (0..rows.ncols()).map(|row| !is_held(row)).collect()
    }

    /// Solves the problem with blocks; `None` if it has no row.
    pub(super) fn solve_blocks(&mut self) -> Result<Option<Report>, Error> {
        let Some(joints) = &mut self.joints else { return Ok(None) };
        joints.impulses.fill(0.0);
        let Some(stated) = &mut joints.stated else { return Ok(None) };
        for (value, entry) in stated.start.iter_mut().zip(&stated.entries) {
            *value = match *entry {
                Entry::Constraint => 0.0,
                Entry::Contact(contact, component) => self.start[contact][component],
                Entry::Joint(joint) => joints.start[joint],
            };
        }
        stated.impulses.copy_from_slice(&stated.start);
        let report = self.method.solve_blocks_from(&stated.problem, &mut stated.impulses)?;
        self.impulses.fill(Vector3::zeros());
        for (&value, entry) in stated.impulses.iter().zip(&stated.entries) {
            match *entry {
                Entry::Constraint => {}
                Entry::Contact(contact, component) => self.impulses[contact][component] = value,
                Entry::Joint(joint) => joints.impulses[joint] = value,
            }
        }
        Ok(Some(report))
    }
}

/// The problem of the kept rows, given the `product` of all rows and their responses; `None` if there are none.
fn stated(
    place: &Place<'_>,
    statement: Statement<'_>,
    product: &DMatrix<f64>,
) -> Result<Option<Stated>, Error> {
    let Statement { kept, velocities, entries, blocks, .. } = statement;
    if kept.is_empty() {
        return Ok(None);
    }
    let entry =
        |i: usize, j: usize| 0.5 * (product[(kept[i], kept[j])] + product[(kept[j], kept[i])]);
    let delassus = DMatrix::from_fn(kept.len(), kept.len(), entry);
    let problem = Problem::new(delassus, velocities, blocks)
        .map_err(|source| Error::Blocks { time: place.time, source })?;
    let zeros = vec![0.0; entries.len()];
    Ok(Some(Stated {
        problem,
        entries,
        start: zeros.clone(),
        impulses: zeros,
        figures: Vec::new(),
    }))
}
