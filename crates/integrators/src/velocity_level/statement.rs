//! States the problem of a step with blocks, and solves it.

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_complementarity::{
    friction::{
        Method, Report,
        mixed::{Block, Judgement, Problem, Section},
    },
    vectorized,
};

use super::{
    Place, VelocityLevel,
    blocks::{Blocks, Entry, Stated},
};
use crate::{error::Error, model::Model, scales::Scales};

/// The rows of a problem while it is stated.
struct Statement<'a> {
    /// All rows that a problem may have, one per column (`n_v × r`): of the constraints, the contacts, the
    /// joints and the moments of cones.
    all: &'a DMatrix<f64>,
    kept: Vec<usize>,
    /// The velocities (m/s, rad/s) that scheme and drives add to the kept rows.
    shifts: Vec<f64>,
    entries: Vec<Entry>,
    blocks: Vec<Block>,
    /// Of the kept rows, as far as any has one.
    compliance: Vec<f64>,
}

/// The rows of a contact among all rows.
#[derive(Clone, Copy, Debug)]
struct ContactRows {
    /// Its place in the set, and its number in the problem.
    slot: usize,
    contact: usize,
    /// Its first row, and the first one of all moments.
    normal: usize,
    moments: usize,
}

impl Statement<'_> {
    /// Adds a contact with its friction coefficient, or its cone, and the velocity that the scheme adds to its normal.
    fn push_contact(
        &mut self,
        own: &Blocks,
        moves: &[bool],
        at: ContactRows,
        (friction, shift): (f64, f64),
    ) {
        let ContactRows { slot, contact, normal, moments } = at;
        let (before, width) = (self.kept.len(), own.cones.width());
        self.push(normal, shift, Entry::Contact(contact, 0));
        let cone = own.cones.get(slot);
        for component in 1..width {
            let row = normal + component;
            if cone.is_some() || (friction > 0.0 && moves[row]) {
                self.push(row, 0.0, Entry::Contact(contact, component));
            }
        }
        let (first, count) = cone.map_or((0, 0), |cone| cone.moments);
        for k in 0..count {
            let row = moments + first + k;
            self.push(row, 0.0, Entry::Contact(contact, width + k));
        }
        let length = own.length_of(self.all.column(normal).as_slice());
        self.blocks.push(match (cone, self.kept.len() - before) {
            (Some(cone), _) => Block::contact(cone.cone.section.clone()),
            (None, 1) => Block::unilateral(1).with_length(length),
            (None, rows) => Block { rows, ..Block::contact(Section::Disc(friction)) },
        });
    }

    /// Adds the stated drives, whose rows begin at `first`.
    fn push_drives(&mut self, own: &Blocks, first: usize) {
        for (number, drive) in own.drives.iter().enumerate() {
            let row = first + number;
            let length = own.length_of(self.all.column(row).as_slice());
            let [lower, upper] = drive.bounds;
            self.blocks.push(Block::interval(lower, upper).with_length(length));
            self.push(row, drive.shift, Entry::Drive(number));
            self.compliance.resize(self.kept.len() - 1, 0.0);
            self.compliance.push(drive.compliance);
        }
    }

    fn push(&mut self, row: usize, shift: f64, entry: Entry) {
        self.kept.push(row);
        self.shifts.push(shift);
        self.entries.push(entry);
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
        let Some(own) = &self.blocks else { return Ok(()) };
        let all = self.rows_of_blocks(own, active.len());
        let mut responses = all.clone();
        let (system, masses) = (model.system(), place.masses);
        // The product of a copy takes a fraction of the time of `tr_mul`, which takes dot products.
        let product = if masses.whiten(system, &mut responses) {
            responses.transpose() * &responses
        } else {
            masses.divide(system, &mut responses);
            all.transpose() * &responses
        };
        let moves = self.moving(&all, &product);
        let mut statement = Statement {
            all: &all,
            kept: Vec::new(),
            shifts: Vec::new(),
            entries: Vec::new(),
            blocks: Vec::new(),
            compliance: Vec::new(),
        };
        let length = |row: usize| own.length_of(all.column(row).as_slice());
        let constraints = self.bilateral.rows().nrows();
        for row in 0..constraints {
            statement.blocks.push(Block::bilateral(1).with_length(length(row)));
            statement.push(row, 0.0, Entry::Constraint);
        }
        let width = self.set.component_count();
        let joints = constraints + width * active.len();
        let moments = joints + own.bounds.len();
        let (mut contacts, mut slots) = (Vec::new(), Vec::new());
        for slot in 0..active.len() {
            let normal = constraints + width * slot;
            if !moves[normal] {
                continue;
            }
            let friction = self.set.friction()[slot];
            let rows = ContactRows { slot, contact: slots.len(), normal, moments };
            statement.push_contact(own, &moves, rows, (friction, shifts[slot]));
            contacts.push(active[slot]);
            slots.push(slot);
        }
        for (joint, &bound) in own.bounds.iter().enumerate() {
            let row = joints + joint;
            if moves[row] {
                statement.blocks.push(Block::bound(bound).with_length(length(row)));
                statement.push(row, 0.0, Entry::Joint(joint));
            }
        }
        statement.push_drives(own, moments + own.cones.rows().ncols());
        let velocities = |rows: [&DMatrix<f64>; 2], of: (&[Entry], &[f64])| {
            let scales = (&own.scales, &own.strides[..]);
            free_velocities((&own.unconstrained, free), scales, rows, of)
        };
        let stated = stated(place.time, statement, &product, velocities)?;
        self.contacts = contacts;
        self.slots = slots;
        if let Some(own) = &mut self.blocks {
            own.stated = stated;
            own.cones.expect(&self.contacts, &self.slots);
        }
        Ok(())
    }

    /// Gives the stated problem the velocities that follow from the projected velocity `free`, the one before projection, and what the
    /// scheme adds to the normal velocities `of_contacts` of the set.
    pub(super) fn restate_blocks(
        &mut self,
        time: f64,
        free: &DVector<f64>,
        of_contacts: &[f64],
    ) -> Result<(), Error> {
        let Some(Blocks { unconstrained, scales, strides, stated, .. }) = &mut self.blocks else {
            return Ok(());
        };
        let Some(Stated { problem, entries, rows, along, shifts, .. }) = stated else {
            return Ok(());
        };
        for (shift, entry) in shifts.iter_mut().zip(&*entries) {
            if let Entry::Contact(contact, 0) = *entry {
                *shift = of_contacts[self.slots[contact]];
            }
        }
        let (from, scales) = ((&*unconstrained, free), (&*scales, &strides[..]));
        let velocities = free_velocities(from, scales, [rows, along], (entries, shifts));
        problem.set_free_velocity(&velocities).map_err(|source| Error::Blocks { time, source })
    }

    /// The rows of the constraints, of the contacts of the set, of the joints, of the moments and of the drives, one per column (`n_v × r`).
    fn rows_of_blocks(&self, own: &Blocks, contacts: usize) -> DMatrix<f64> {
        let mut jacobian = DMatrix::zeros(0, own.axes.nrows());
        if contacts > 0 {
            self.set.contact_jacobian(&mut jacobian);
        }
        let (constraints, moments) = (self.bilateral.rows(), own.cones.rows());
        let first = constraints.nrows();
        let second = first + jacobian.nrows();
        let third = second + own.axes.ncols();
        let fourth = third + moments.ncols();
        let mut all = DMatrix::zeros(own.axes.nrows(), fourth + own.drives.len());
        all.columns_range_mut(..first).tr_copy_from(constraints);
        all.columns_range_mut(first..second).tr_copy_from(&jacobian);
        all.columns_range_mut(second..third).copy_from(&own.axes);
        all.columns_range_mut(third..fourth).copy_from(moments);
        for (number, drive) in own.drives.iter().enumerate() {
            drive.axis.iter().for_each(|&(row, gear)| all[(row, fourth + number)] += gear);
        }
        let width = self.set.component_count();
        for (slot, cone) in (0..contacts).filter_map(|slot| Some((slot, own.cones.get(slot)?))) {
            let mut rows = all.columns_mut(first + width * slot, width);
            for mut along in rows.row_iter_mut() {
                let turned = cone.cone.in_cone(&Vector3::new(along[0], along[1], along[2]));
                along.copy_from(&turned.transpose());
            }
        }
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
        let Some(own) = &mut self.blocks else { return Ok(None) };
        own.impulses.fill(0.0);
        let Some(stated) = &mut own.stated else { return Ok(None) };
        for (value, entry) in stated.start.iter_mut().zip(&stated.entries) {
            *value = match *entry {
                Entry::Constraint => 0.0,
                Entry::Contact(contact, component @ 0..3) => {
                    let impulse = self.start[contact];
                    own.cones
                        .get(self.slots[contact])
                        .map_or(impulse, |cone| cone.cone.in_cone(&impulse))[component]
                }
                Entry::Contact(contact, component) => own.cones.start(contact)[component - 3],
                Entry::Joint(joint) => own.start[joint],
                Entry::Drive(_) => 0.0,
            };
        }
        stated.impulses.copy_from_slice(&stated.start);
        stated.is_judged = false;
        let held = match self.method {
            Method::Combined(of) => self.holding.hold_blocks(&self.contacts, stated, of.tolerance),
            _ => None,
        };
        let tolerance = self.method.tolerance();
        let report = match held {
            Some(known) => self.refining.refine_blocks(self.rests, stated, (tolerance, known))?,
            None => self.method.solve_blocks_from(&stated.problem, &mut stated.impulses)?,
        };
        self.impulses.fill(Vector3::zeros());
        for (&value, entry) in stated.impulses.iter().zip(&stated.entries) {
            match *entry {
                Entry::Constraint => {}
                Entry::Contact(contact, component @ 0..3) => {
                    self.impulses[contact][component] = value;
                }
                Entry::Contact(contact, component) => own.cones.set(contact, component - 3, value),
                Entry::Joint(joint) => own.impulses[joint] = value,
                Entry::Drive(number) => own.driven[number] = value,
            }
        }
        for (impulse, &slot) in self.impulses.iter_mut().zip(&self.slots) {
            if let Some(cone) = own.cones.get(slot) {
                *impulse = cone.cone.in_frame(impulse);
            }
        }
        Ok(Some(report))
    }
}

/// The velocities of rows, given one a column and one a row, without impulses of the problem: those of constraints are what projection
/// took from the velocity `unconstrained`.
///
/// All are zero if they are rounding of the velocity `free`, as in free fall: a problem of rounding errors may not be solved to a
/// tolerance relative to them.
fn free_velocities(
    (unconstrained, free): (&DVector<f64>, &DVector<f64>),
    (scales, strides): (&Scales, &[f64]),
    [rows, along]: [&DMatrix<f64>; 2],
    (entries, shifts): (&[Entry], &[f64]),
) -> Vec<f64> {
    let mut velocities = vec![0.0; shifts.len()];
    let columns = along.as_slice().chunks_exact(shifts.len().max(1));
    vectorized(
        #[inline(always)]
        || {
            for (column, velocity) in columns.zip(unconstrained.as_slice()) {
                velocities.iter_mut().zip(column).for_each(|(sum, entry)| *sum += entry * velocity);
            }
        },
    );
    velocities.iter_mut().zip(shifts).for_each(|(velocity, shift)| *velocity += shift);
    let constraints = entries.iter().take_while(|entry| **entry == Entry::Constraint).count();
    if constraints > 0 {
        let lost = along.rows(0, constraints) * (unconstrained - free);
        velocities[..constraints].copy_from_slice(lost.as_slice());
    }
    let of = (free.as_slice(), strides);
    if scales.are_rounding(velocities.iter().copied(), rows, of) {
        velocities.fill(0.0);
    }
    velocities
}

/// The problem of the kept rows, given the `product` of all rows and their responses, and the `velocities` without impulses of rows, one
/// a column and one a row, with their entries and shifts; `None` if there are none.
fn stated(
    time: f64,
    statement: Statement<'_>,
    product: &DMatrix<f64>,
    velocities: impl Fn([&DMatrix<f64>; 2], (&[Entry], &[f64])) -> Vec<f64>,
) -> Result<Option<Stated>, Error> {
    let Statement { all, kept, shifts, entries, blocks, compliance } = statement;
    if kept.is_empty() {
        return Ok(None);
    }
    let entry =
        |i: usize, j: usize| 0.5 * (product[(kept[i], kept[j])] + product[(kept[j], kept[i])]);
    let delassus = DMatrix::from_fn(kept.len(), kept.len(), entry);
    let rows = all.select_columns(&kept);
    let along = rows.transpose();
    let velocities = velocities([&rows, &along], (&entries, &shifts));
    let problem = Problem::new(delassus, velocities, blocks).and_then(|problem| {
        if compliance.is_empty() { Ok(problem) } else { problem.with_compliance(compliance) }
    });
    let problem = problem.map_err(|source| Error::Blocks { time, source })?;
    let zeros = vec![0.0; entries.len()];
    Ok(Some(Stated {
        problem,
        entries,
        rows,
        along,
        shifts,
        start: zeros.clone(),
        impulses: zeros,
        judgement: Judgement::default(),
        is_judged: false,
    }))
}
