//! The contacts and constraints of one step at velocity level, shared by the schemes that use it.
//!
//! With `J` at one position, `M` at that or another position, and the velocity `v_f` without contact impulses
//! but with constraints,
//!
//! ```math
//! v' = P\,(v_f + M^{-1} J^\mathsf{T} p), \qquad \hat u = J v' + d\, n = W p + J v_f + d\, n,
//! ```
//!
//! where `P` projects onto the constraints, `d` (m/s) is added to the normal velocities by the scheme, and
//! `û` satisfies a friction law with `p`. Rows of tangents that cannot move get a compliance of their own, so
//! that they have no impulse; a contact whose normal cannot move is left out.
//!
//! A model with friction in joints, or with cones that are not round, has one [problem with blocks](blocks) instead.

mod blocks;
mod cones;
mod exchange;
mod round;
mod statement;

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_complementarity::friction::{self, Law, Method, Report, Status, document::Document};
use percussion_dynamics::{BlockSparse, ContactSet, System};

use self::blocks::Blocks;
pub(crate) use self::exchange::Exchange;
use crate::{
    bilateral::Bilateral,
    contacts::Contacts,
    error::Error,
    model::{Contact, Model, State},
    report::{ContactReport, Residual, RoundCones, StepReport, Work},
    simulation::{End, Motion},
};

/// Treatment of a step whose contact problem was not solved to the tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Unsolved {
    /// It is refused as [`Error::Unsolved`], and the state is unchanged.
    #[default]
    Refuse,
    /// It is accepted with the best impulses found, which lie in their cones; its report states this.
    Accept,
}

impl Unsolved {
    fn accept(self, time: f64, solved: &Report) -> Result<(), Error> {
        let Report { status, relative_residual, .. } = *solved;
        match (status, self) {
            (Status::Solved, _) | (_, Self::Accept) => Ok(()),
            _ => Err(Error::Unsolved { time, status, relative_residual }),
        }
    }
}

/// Returns the method with the tolerance, if it supports the law.
pub(crate) fn method(method: Method, law: Law, tolerance: f64) -> Result<Method, Error> {
    if tolerance.is_nan() || tolerance < 0.0 {
        let (name, expected) = ("tolerance", "a number of at least 0");
        return Err(Error::Setting { name, value: tolerance, expected });
    }
    method.check_law(law)?;
    Ok(method.with_tolerance(tolerance))
}

/// Searches for the contacts of the start.
pub(crate) fn start(motion: &mut Motion) -> Result<(), Error> {
    let Motion { model, contacts, state } = motion;
    contacts
        .look(model.system(), &state.coordinates, 0.0)
        .map_err(|source| Error::Contacts { time: state.time, source })
}

/// The current problem and its data.
#[derive(Debug)]
pub(crate) struct VelocityLevel {
    set: ContactSet,
    /// The contacts and the coordinates whose rows are in the set; no coordinates if it is not filled.
    rows_of: (Vec<usize>, Vec<f64>),
    sparse: BlockSparse,
    pub(crate) bilateral: Bilateral,
    /// Multipliers of the constraints without the impulses of the problem.
    of_free: DVector<f64>,
    /// Contacts of the problem, ascending; some of the requested ones may be left out.
    contacts: Vec<usize>,
    /// Position of each contact of the problem in the set.
    slots: Vec<usize>,
    problem: Option<friction::Problem>,
    /// The blocks of a model that has a problem with them in place of `problem`.
    blocks: Option<Blocks>,
    /// The blocks of a model that needs them only in steps in which drives are stated.
    spare: Option<Blocks>,
    law: Law,
    method: Method,
    /// The impulses with which the last solve started, and those that it found, by the contacts of the
    /// problem.
    start: Vec<Vector3<f64>>,
    impulses: Vec<Vector3<f64>>,
    /// The contacts of the last step, ascending, and their impulses.
    last: (Vec<usize>, Vec<Vector3<f64>>),
    column: DMatrix<f64>,
    /// Cost of the current step so far.
    pub(crate) work: RoundCones,
}

/// The point at which a problem is stated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// Coordinates of contact rows and constraints.
    pub(crate) coordinates: &'a [f64],
    /// Coordinates of the mass matrix.
    pub(crate) mass_coordinates: &'a [f64],
    /// Fraction of the constraint errors that a step removes, over its length (1/s).
    pub(crate) correction: f64,
    /// Time at the start of the step (s).
    pub(crate) time: f64,
}

impl VelocityLevel {
    /// The level of steps of `step_size` (s) from `state`.
    pub(crate) fn new(
        model: &Model,
        state: &State,
        step_size: f64,
        (law, method): (Law, Method),
    ) -> Result<Self, Error> {
        let states_drives = law == Law::Coulomb && method.check_blocks().is_ok();
        let (mut blocks, mut spare) = (None, None);
        if Blocks::are_in(model) {
            blocks = Some(Blocks::new(model, state, step_size)?);
        } else if states_drives && model.driven().is_some() {
            spare = Some(Blocks::new(model, state, step_size)?);
        }
        if blocks.is_some() {
            method.check_blocks()?;
            if law != Law::Coulomb {
                return Err(Error::LawWithBlocks { law });
            }
        }
        Ok(Self {
            set: ContactSet::for_system(model.system()),
            rows_of: (Vec::new(), Vec::new()),
            sparse: BlockSparse::default(),
            bilateral: Bilateral::new(model),
            of_free: DVector::zeros(model.constraint_rows()),
            contacts: Vec::new(),
            slots: Vec::new(),
            problem: None,
            blocks,
            spare,
            law,
            method,
            start: Vec::new(),
            impulses: Vec::new(),
            last: (Vec::new(), Vec::new()),
            column: DMatrix::zeros(model.system().velocity_count(), 1),
            work: RoundCones::default(),
        })
    }

    /// Linearizes the constraints and projects `free`, the velocity under smooth forces, onto them.
    pub(crate) fn constrain(&mut self, model: &Model, place: &Place<'_>, free: &mut DVector<f64>) {
        let drives = model.driven().map_or_else(Vec::new, |driven| driven.stated());
        if !Blocks::are_in(model) && drives.is_empty() != self.blocks.is_none() {
            std::mem::swap(&mut self.blocks, &mut self.spare);
        }
        if let Some(blocks) = &mut self.blocks {
            blocks.keep(free, drives);
        }
        // The velocity that removes a fraction of the error in a step removes all of it in more steps.
        let (rest, step) = (DVector::zeros(free.len()), 1.0 / place.correction);
        self.bilateral.linearize(model, place.coordinates, place.mass_coordinates, &rest, step);
        self.bilateral.project(free);
        self.of_free.copy_from(&self.bilateral.impulses);
    }

    /// States the problem of the contacts `active` (ascending), with `free` from [`constrain`](Self::constrain).
    ///
    /// `shift` computes `d` from the number of a contact, its gap (m) and its normal velocity (m/s) at
    /// `velocity`.
    pub(crate) fn state(
        &mut self,
        (model, contacts): (&Model, &Contacts),
        active: &[usize],
        place: &Place<'_>,
        free: &DVector<f64>,
        velocity: &[f64],
        shift: impl Fn(usize, f64, f64) -> f64,
    ) -> Result<(), Error> {
        let not_finite =
            |_| Error::NotFinite { quantity: "gap or contact Jacobian", time: place.time };
        // Passes at one position have the same rows.
        if self.rows_of.0 != active || self.rows_of.1 != place.coordinates {
            self.rows_of.1.clear();
            self.set.clear();
            for &contact in active {
                let Contact { gap, friction, .. } = &contacts.as_slice()[contact];
                self.set
                    .push_gap(model.system(), place.coordinates, gap.as_ref(), *friction, 0.0)
                    .map_err(not_finite)?;
            }
            self.rows_of.0.clear();
            self.rows_of.0.extend_from_slice(active);
            self.rows_of.1.extend_from_slice(place.coordinates);
        }
        self.problem = None;
        self.contacts.clear();
        self.slots.clear();
        if let Some(blocks) = &mut self.blocks {
            let at = (model.system(), place.coordinates);
            blocks.cones.place(at, contacts.as_slice(), active, place.time)?;
            let before = self.contact_velocities(velocity);
            let shifts = active.iter().zip(self.set.gaps()).zip(before);
            let shifts: Vec<f64> = shifts.map(|((&c, &gap), u)| shift(c, gap, u.x)).collect();
            return self.state_blocks(model, place, free, active, &shifts);
        }
        if active.is_empty() {
            return Ok(());
        }
        self.set.divide_by_mass(model.system(), place.mass_coordinates).map_err(not_finite)?;
        let blocks = if self.bilateral.is_empty() {
            self.sparse_blocks().map_err(not_finite)?
        } else {
            self.reduced_blocks().map_err(not_finite)?
        };
        let before = self.contact_velocities(velocity);
        let mut velocities = self.contact_velocities(free.as_slice());
        for (slot, u) in velocities.iter_mut().enumerate() {
            u.x += shift(active[slot], self.set.gaps()[slot], before[slot].x);
        }
        self.state_problem(blocks, active, &velocities)
            .map_err(|source| Error::Problem { time: place.time, source })
    }

    /// `J v` of the contacts of the set (m/s).
    fn contact_velocities(&self, velocity: &[f64]) -> Vec<Vector3<f64>> {
        let width = self.set.component_count();
        let mut flat = vec![0.0; width * self.set.len()];
        let sized = self.set.contact_velocity(velocity, &mut flat);
        debug_assert!(sized.is_ok(), "one entry per component: {sized:?}");
        let vector = |u: &[f64]| Vector3::from_fn(|k, _| if k < width { u[k] } else { 0.0 });
        flat.chunks_exact(width).map(vector).collect()
    }

    /// Starts the next solve with the impulses of the last step, or with zero.
    pub(crate) fn begin(&mut self, warm: bool) {
        let (contacts, impulses) = &self.last;
        let last = |contact| match contacts.binary_search(contact) {
            Ok(at) if warm => impulses.get(at).copied().unwrap_or_default(),
            _ => Vector3::zeros(),
        };
        self.start.clear();
        self.start.extend(self.contacts.iter().map(last));
        if let Some(blocks) = &mut self.blocks {
            blocks.begin(&self.contacts, warm);
        }
    }

    /// Starts the next solve with the impulses that the current one found, for the contacts that it had.
    pub(crate) fn begin_with(&mut self, contacts: &[usize], impulses: &[Vector3<f64>]) {
        for (start, contact) in self.start.iter_mut().zip(&self.contacts) {
            if let Ok(at) = contacts.binary_search(contact) {
                *start = impulses[at];
            }
        }
        if let Some(blocks) = &mut self.blocks {
            blocks.begin_with_found(&self.contacts);
        }
    }

    /// The contacts of the current problem and the impulses found for them.
    pub(crate) fn found(&self) -> (Vec<usize>, Vec<Vector3<f64>>) {
        (self.contacts.clone(), self.impulses.clone())
    }

    /// The current problem, of a model without blocks.
    pub(crate) const fn problem(&self) -> Option<&friction::Problem> {
        self.problem.as_ref()
    }

    /// The gaps of the contacts of the problem (m).
    pub(crate) fn gaps(&self) -> Vec<f64> {
        self.slots.iter().map(|&slot| self.set.gaps()[slot]).collect()
    }

    /// `(J v)_n` of the contacts of the problem (m/s).
    pub(crate) fn approaches(&self, velocity: &[f64]) -> Vec<f64> {
        let velocities = self.contact_velocities(velocity);
        self.slots.iter().map(|&slot| velocities[slot].x).collect()
    }

    /// Whether its problem can state drives.
    pub(crate) fn states_drives(&self) -> bool {
        self.law == Law::Coulomb && self.method.check_blocks().is_ok()
    }

    pub(crate) const fn has_blocks(&self) -> bool {
        self.blocks.is_some()
    }

    /// Replaces the impulses found, in the order of [`found`](Self::found).
    pub(crate) fn set_impulses(&mut self, impulses: &[Vector3<f64>]) {
        self.impulses.clear();
        self.impulses.extend_from_slice(impulses);
    }

    /// Solves the stated problem, if there are contacts, and reports how the solve ended.
    pub(crate) fn solve(
        &mut self,
        unsolved: Unsolved,
        time: f64,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        self.impulses.clone_from(&self.start);
        let solved = match &self.problem {
            Some(problem) => Some(self.method.solve_from(problem, &mut self.impulses)?),
            None => self.solve_blocks()?,
        };
        let Some(solved) = solved else { return Ok(()) };
        report.status = solved.status;
        report.relative_residual = solved.relative_residual;
        self.work.sweeps += solved.iterations;
        unsolved.accept(time, &solved)
    }

    /// Writes `v'`, given the `v_f` of the stated problem.
    pub(crate) fn apply(
        &mut self,
        model: &Model,
        place: &Place<'_>,
        free: &DVector<f64>,
        velocity: &mut DVector<f64>,
    ) {
        velocity.copy_from(free);
        if self.problem.is_some() || self.blocks.is_some() {
            let width = self.set.component_count();
            let mut flat = vec![0.0; width * self.set.len()];
            for (&slot, impulse) in self.slots.iter().zip(&self.impulses) {
                flat[width * slot..width * (slot + 1)]
                    .copy_from_slice(&impulse.as_slice()[..width]);
            }
            let sized = self.set.generalized_impulse(&flat, self.column.as_mut_slice());
            debug_assert!(sized.is_ok(), "one entry per component: {sized:?}");
            if let Some(blocks) = &self.blocks {
                blocks.push(&mut self.column);
                blocks.hand_back(model);
            }
            let momentum = self.blocks.is_some().then(|| self.column.clone());
            model.system().apply_inverse_mass(place.mass_coordinates, &mut self.column);
            *velocity += self.column.column(0);
            self.project(velocity);
            if let (Some(blocks), Some(mut momentum)) = (&mut self.blocks, momentum) {
                self.bilateral.push(&mut momentum);
                model.system().apply_inverse_mass(place.mass_coordinates, &mut momentum);
                blocks.judge_motion(velocity, &momentum);
            }
            return;
        }
        self.project(velocity);
    }

    /// Projects a velocity that differs from the projected `v_f` by the impulses of the problem; the multipliers are then
    /// those of the whole step.
    fn project(&mut self, velocity: &mut DVector<f64>) {
        self.bilateral.project(velocity);
        self.bilateral.impulses += &self.of_free;
    }

    /// Moves the end of the step onto the constraints, and joints that exceed a limit back to it. Enters the work of this in the
    /// report (J).
    pub(crate) fn close(
        &mut self,
        motion: &Motion,
        coordinates: &mut [f64],
        velocity: &DVector<f64>,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        let Motion { model, contacts, state } = motion;
        let gaps = contacts.as_slice().iter().map(|contact| &*contact.gap);
        let limits: Vec<_> = gaps.filter(|gap| gap.is_limit()).collect();
        if self.bilateral.close(model, &limits, coordinates) {
            let energy = model.system().energy(coordinates, velocity.as_slice());
            if !energy.is_finite() {
                return Err(Error::NotFinite { quantity: "energy", time: state.time });
            }
            report.projection_work = energy - report.energy_after;
            report.energy_after = energy;
        }
        Ok(())
    }

    /// Reports the end of the step, and stores the impulses for the next one.
    pub(crate) fn finish(
        &mut self,
        motion: &mut Motion,
        end: End<'_>,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        let Motion { model, contacts, state } = motion;
        if let Some(blocks) = &mut self.blocks {
            blocks.judge();
        }
        report.contacts = self.reports((model.system(), contacts), end);
        report.penetration = contacts
            .penetration(model.system(), end.coordinates)
            .map_err(|source| Error::Contacts { time: state.time, source })?;
        report.constraint_impulses = self.bilateral.impulses.as_slice().to_vec();
        let violations = self.bilateral.violations(model, end.coordinates);
        report.constraint_error = violations.into_iter().fold(0.0, f64::max);
        report.work = Work::RoundCones(self.work);
        if let Some(blocks) = &mut self.blocks {
            report.joint_friction = blocks.generalized_impulses();
            report.frictions = blocks.reports(end.velocity);
            report.residuals = Some(blocks.residuals());
            blocks.finish();
        }
        self.keep();
        Ok(())
    }

    /// The current problem with its starting impulses and solver.
    pub(crate) fn document(&self) -> Option<Document> {
        if let Some(blocks) = &self.blocks {
            return blocks.document(self.method);
        }
        let problem = self.problem.as_ref()?;
        Some(Document::of(problem).with_start(&self.start).with_method(self.method))
    }

    /// Reports the contacts of the problem.
    fn reports(
        &self,
        (system, contacts): (&dyn System, &Contacts),
        end: End<'_>,
    ) -> Vec<ContactReport> {
        let residuals = match (&self.problem, &self.blocks) {
            (Some(problem), _) => problem.contact_residuals(&self.impulses),
            (None, Some(blocks)) => blocks.contact_residuals(self.contacts.len()),
            (None, None) => return Vec::new(),
        };
        let velocities = self.contact_velocities(end.velocity);
        (0..residuals.len())
            .map(|k| {
                let (contact, velocity) = (self.contacts[k], velocities[self.slots[k]]);
                let gap = contacts.gap(system, contact, end.coordinates);
                let residual = Residual::Velocity(residuals[k]);
                let report = ContactReport::new(contact, gap, self.impulses[k], velocity);
                let moment = self.blocks.as_ref().map_or_else(Vector3::zeros, |blocks| {
                    let moment = blocks.cones.found(k);
                    let cone = blocks.cones.get(self.slots[k]);
                    cone.map_or(moment, |cone| cone.cone.in_frame(&moment))
                });
                ContactReport { residual, moment, ..report }
            })
            .collect()
    }
}
