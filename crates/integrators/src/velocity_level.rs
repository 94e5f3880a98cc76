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
mod ending;
mod exchange;
mod holding;
mod outline;
mod resting;
mod round;
mod statement;

use std::borrow::Cow;

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_complementarity::friction::{self, Law, Method, Report, Status};
use percussion_dynamics::{ContactSet, System, same_bits};

pub(crate) use self::exchange::Exchange;
use self::{blocks::Blocks, holding::Holding, outline::Outline, resting::Refining};
use crate::{
    bilateral::Bilateral,
    contacts::Contacts,
    error::Error,
    masses::Masses,
    model::{Model, State},
    report::{RoundCones, StepReport},
    simulation::Motion,
    trees::{Tree, trees},
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
    trees: Vec<Tree>,
    /// The contacts and the coordinates whose rows are in the set; no coordinates if it is not filled.
    rows_of: (Vec<usize>, Vec<f64>),
    /// Whether the current problem has the rows that are in the set, and the coordinates of its masses, with the
    /// [revision](crate::model::Driven::revision) of the drives.
    has_rows_of_set: bool,
    masses_of: (Vec<f64>, u64),
    /// The trees in which its problem has rows.
    rows_in: Vec<usize>,
    pub(crate) bilateral: Bilateral,
    /// Multipliers of the constraints without the impulses of the problem.
    of_free: DVector<f64>,
    /// Contacts of the problem, ascending; some of the requested ones may be left out.
    contacts: Vec<usize>,
    /// Position of each contact of the problem in the set.
    slots: Vec<usize>,
    problem: Option<friction::Problem>,
    /// Its contacts, of a problem without constraints. It stands alone as long as no solve needs the operator.
    outline: Option<Outline>,
    /// Factors of the contacts that hold.
    holding: Holding,
    refining: Refining,
    /// Whether the problem of the step is that of the one before, and the time at the start of the step that stated it (s).
    rests: bool,
    stated_at: f64,
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
    /// Whether `column` has the response of the system to the impulses.
    has_response: bool,
    /// Cost of the current step so far.
    pub(crate) work: RoundCones,
}

/// The point at which a problem is stated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// Coordinates of contact rows and constraints.
    pub(crate) coordinates: &'a [f64],
    pub(crate) masses: Masses<'a>,
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
            trees: trees(model.system()),
            rows_in: Vec::new(),
            rows_of: (Vec::new(), Vec::new()),
            has_rows_of_set: false,
            masses_of: (Vec::new(), 0),
            bilateral: Bilateral::new(model),
            of_free: DVector::zeros(model.constraint_rows()),
            contacts: Vec::new(),
            slots: Vec::new(),
            problem: None,
            outline: None,
            holding: Holding::default(),
            refining: Refining::default(),
            rests: false,
            stated_at: 0.0,
            blocks,
            spare,
            law,
            method,
            start: Vec::new(),
            impulses: Vec::new(),
            last: (Vec::new(), Vec::new()),
            column: DMatrix::zeros(model.system().velocity_count(), 1),
            has_response: false,
            work: RoundCones::default(),
        })
    }

    /// Linearizes the constraints and projects `free`, the velocity under smooth forces, onto them.
    pub(crate) fn constrain(&mut self, model: &Model, place: &Place<'_>, free: &mut DVector<f64>) {
        let revision = model.driven().map_or(0, |driven| driven.revision());
        if !self.is_stated(place) || self.masses_of.1 != revision {
            self.has_rows_of_set = false;
            self.masses_of.1 = revision;
            let drives = model.driven().map_or_else(Vec::new, |driven| driven.stated());
            if !Blocks::are_in(model) && drives.is_empty() != self.blocks.is_none() {
                std::mem::swap(&mut self.blocks, &mut self.spare);
            }
            if let Some(blocks) = &mut self.blocks {
                blocks.begin_statement(drives);
            }
            // The velocity that removes a fraction of the error in a step removes all of it in more steps.
            let (rest, step) = (DVector::zeros(free.len()), 1.0 / place.correction);
            self.bilateral.linearize(model, place.coordinates, place.masses, &rest, step);
        }
        if let Some(blocks) = &mut self.blocks {
            blocks.unconstrained.copy_from(free);
        }
        self.bilateral.project(free);
        self.of_free.copy_from(&self.bilateral.impulses);
    }

    /// States the problem of the contacts `active` (ascending), with `free` from [`constrain`](Self::constrain).
    ///
    /// `shift` computes `d` from the number of a contact, its gap (m) and its normal velocity (m/s) at `velocity`, if there is one that
    /// matters.
    pub(crate) fn state(
        &mut self,
        (model, contacts): (&Model, &Contacts),
        active: &[usize],
        place: &Place<'_>,
        free: &DVector<f64>,
        velocity: Option<&[f64]>,
        shift: impl Fn(usize, f64, f64) -> f64,
    ) -> Result<(), Error> {
        let not_finite =
            |_| Error::NotFinite { quantity: "gap or contact Jacobian", time: place.time };
        if self.is_stated(place) && self.rows_of.0 == active {
            self.rests = place.time > self.stated_at && !self.rows_in.is_empty();
            self.work.is_kept |= self.rests;
            let shifts = self.shifts(active, velocity, shift);
            return self.restate(place.time, free, &shifts);
        }
        // Passes at one position have the same rows.
        let has_rows = self.rows_of.0 == active && same_bits(&self.rows_of.1, place.coordinates);
        self.has_rows_of_set = false;
        (self.rests, self.stated_at) = (false, place.time);
        self.masses_of.0.clear();
        self.masses_of.0.extend_from_slice(place.masses.coordinates);
        if !has_rows {
            self.rows_of.1.clear();
            self.set.clear();
            for &contact in active {
                contacts
                    .push(model.system(), contact, place.coordinates, &mut self.set)
                    .map_err(not_finite)?;
            }
            self.rows_of.0.clear();
            self.rows_of.0.extend_from_slice(active);
            self.rows_of.1.extend_from_slice(place.coordinates);
        }
        (self.problem, self.outline) = (None, None);
        self.refining = Refining::default();
        self.contacts.clear();
        self.slots.clear();
        let shifts = self.shifts(active, velocity, shift);
        if let Some(blocks) = &mut self.blocks {
            let at = (model.system(), place.coordinates);
            blocks.cones.place(at, contacts.as_slice(), active, place.time)?;
            self.state_blocks(model, place, free, active, &shifts)?;
        } else if !active.is_empty() {
            let Masses { coordinates, added } = place.masses;
            self.set.divide_by_sum(model.system(), coordinates, added).map_err(not_finite)?;
            let velocities = self.free_velocities(free, &shifts);
            if self.bilateral.is_empty() {
                self.state_outline(active, &velocities, place.time)?;
            } else {
                let blocks = self.reduced_blocks().map_err(not_finite)?;
                self.state_problem(blocks, active, &velocities)
                    .map_err(|source| Error::Problem { time: place.time, source })?;
            }
        }
        self.has_rows_of_set = true;
        self.find_rows();
        Ok(())
    }

    /// Gives the current problem the velocities that follow from `free`.
    fn restate(&mut self, time: f64, free: &DVector<f64>, shifts: &[f64]) -> Result<(), Error> {
        if self.blocks.is_some() {
            return self.restate_blocks(time, free, shifts);
        }
        let velocities = self.free_velocities(free, shifts);
        let velocities: Vec<_> = self.slots.iter().map(|&slot| velocities[slot]).collect();
        if let Some(problem) = &mut self.problem {
            problem
                .set_free_velocity(&velocities)
                .map_err(|source| Error::Problem { time, source })?;
        }
        if let Some(outline) = &mut self.outline {
            outline.free_velocity = velocities;
        }
        Ok(())
    }

    /// `d` of each contact of the set (m/s).
    fn shifts(
        &self,
        active: &[usize],
        velocity: Option<&[f64]>,
        shift: impl Fn(usize, f64, f64) -> f64,
    ) -> Vec<f64> {
        let before = velocity.map(|velocity| self.contact_velocities(velocity));
        let approach = |slot: usize| before.as_ref().map_or(0.0, |before| before[slot].x);
        let contacts = active.iter().zip(self.set.gaps()).enumerate();
        contacts.map(|(slot, (&contact, &gap))| shift(contact, gap, approach(slot))).collect()
    }

    /// `J v_f + d n` of the contacts of the set (m/s).
    fn free_velocities(&self, free: &DVector<f64>, shifts: &[f64]) -> Vec<Vector3<f64>> {
        let mut velocities = self.contact_velocities(free.as_slice());
        velocities.iter_mut().zip(shifts).for_each(|(u, shift)| u.x += shift);
        velocities
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
    pub(crate) fn problem(&self) -> Option<Cow<'_, friction::Problem>> {
        match (&self.problem, &self.outline) {
            (Some(problem), _) => Some(Cow::Borrowed(problem)),
            (None, Some(outline)) => self.completed(outline).ok().map(Cow::Owned),
            (None, None) => None,
        }
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
        self.has_response = false;
    }

    /// Solves the stated problem, if there are contacts, and reports how the solve ended.
    pub(crate) fn solve(
        &mut self,
        (system, place): (&dyn System, &Place<'_>),
        unsolved: Unsolved,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        self.impulses.clone_from(&self.start);
        let known = match self.judge_start(system, place)? {
            None => self.hold(system, place)?,
            known => known,
        };
        self.has_response = known.is_some();
        let known = known.map(|known| self.refine(system, place, known)).transpose()?;
        if known.is_none() {
            self.complete(place.time)?;
        }
        let solved = match (known, &self.problem) {
            (Some(known), _) => Some(known),
            (None, Some(problem)) => Some(self.method.solve_from(problem, &mut self.impulses)?),
            (None, None) => self.solve_blocks()?,
        };
        let Some(solved) = solved else { return Ok(()) };
        report.status = solved.status;
        report.relative_residual = solved.relative_residual;
        self.work.sweeps += solved.iterations;
        unsolved.accept(place.time, &solved)
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
        if self.blocks.is_some() {
            self.apply_with_blocks(model, place, velocity);
            return;
        }
        if self.problem.is_some() || self.outline.is_some() {
            if !self.has_response {
                self.respond(model.system(), place);
            }
            *velocity += self.column.column(0);
        }
        self.project(velocity);
    }

    fn apply_with_blocks(&mut self, model: &Model, place: &Place<'_>, velocity: &mut DVector<f64>) {
        self.push_contacts();
        if let Some(blocks) = &self.blocks {
            blocks.push(&mut self.column);
            blocks.hand_back(model);
        }
        let mut momentum = self.column.clone();
        place.masses.divide(model.system(), &mut self.column);
        *velocity += self.column.column(0);
        if self.bilateral.is_empty() {
            // The equations of motion hold as they were solved.
            return;
        }
        self.project(velocity);
        if let Some(blocks) = &mut self.blocks {
            self.bilateral.push(&mut momentum);
            place.masses.divide(model.system(), &mut momentum);
            blocks.judge_motion(velocity, &momentum);
        }
    }

    /// Writes `Jᵀ p` to `column`.
    fn push_contacts(&mut self) {
        let width = self.set.component_count();
        let mut flat = vec![0.0; width * self.set.len()];
        for (&slot, impulse) in self.slots.iter().zip(&self.impulses) {
            flat[width * slot..width * (slot + 1)].copy_from_slice(&impulse.as_slice()[..width]);
        }
        let sized = self.set.generalized_impulse(&flat, self.column.as_mut_slice());
        debug_assert!(sized.is_ok(), "one entry per component: {sized:?}");
    }

    /// Projects a velocity that differs from the projected `v_f` by the impulses of the problem; the multipliers are then
    /// those of the whole step.
    fn project(&mut self, velocity: &mut DVector<f64>) {
        self.bilateral.project(velocity);
        self.bilateral.impulses += &self.of_free;
    }
}
