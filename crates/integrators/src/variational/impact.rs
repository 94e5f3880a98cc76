//! Impacts: the time at which a path meets a contact, and the jump of the discrete momentum there.
//!
//! The gap at the end of a piece is a function `g(q_b(s))` of its duration, whose slope is `n · v_b` with the
//! velocity `v_b` at the end, up to terms that vanish with `s²`. Newton's method in `s` from the end of the
//! step therefore converges fast, and a bracket safeguards it where it does not. The piece that ends at the
//! root is a piece like any other; after the jump the path continues with the rest of the step.
//!
//! # Source
//!
//! R. C. Fetecau, J. E. Marsden, M. Ortiz, M. West, "Nonsmooth Lagrangian mechanics and variational
//! collision integrators", *SIAM Journal on Applied Dynamical Systems* 2 (2003) 381–416, section 3.
//! V. Seghete, T. D. Murphey, "A propagative model of simultaneous impact: existence, uniqueness, and
//! design consequences", *IEEE Transactions on Automation Science and Engineering* 11 (2014) 154–168,
//! equation 30.

use nalgebra::{DMatrix, DVector, Vector3};
use percussion_dynamics::{System, gap::ContactRows};
use percussion_impact::{
    Coefficients, Law, Mass, Outcome, Problem, ProblemError, Status, anitescu_potra::AnitescuPotra,
};

use super::{
    Contact, Error, Impact, Model, Motion, StepReport, Variational, discrete::Start, dot,
    ledger::Correction, piece::Piece,
};
use crate::contacts::Contacts;

/// Maximum number of trials in the search for one moment of impact: more than bisection of a double takes.
const TRIALS: usize = 200;

impl Model {
    /// The impact problem at `coordinates` with the velocity `velocity` (m/s, rad/s) and these contacts of
    /// the model, without friction.
    ///
    /// # Errors
    ///
    /// [`ProblemError`] when a value is not finite or has the wrong length.
    ///
    /// # Panics
    ///
    /// When there is no such contact.
    pub fn impact_problem(
        &self,
        coordinates: &[f64],
        velocity: &DVector<f64>,
        contacts: &[usize],
    ) -> Result<Problem, ProblemError> {
        let contacts: Vec<_> = contacts.iter().map(|&contact| &self.contacts()[contact]).collect();
        self.problem_of(coordinates, velocity, &contacts, in_impact)
    }

    /// The problem of these contacts with these coefficients; a contact without friction has no tangents.
    fn problem_of(
        &self,
        coordinates: &[f64],
        velocity: &DVector<f64>,
        contacts: &[&Contact],
        coefficients: impl Fn(&Contact) -> Coefficients,
    ) -> Result<Problem, ProblemError> {
        let coefficients: Vec<_> = contacts.iter().map(|contact| coefficients(contact)).collect();
        let rough = coefficients.iter().any(|one| one.friction > 0.0);
        let width = if rough { 1 + self.system().dimension().tangent_count() } else { 1 };
        let system = self.system();
        let mut rows = ContactRows::for_system(system);
        let mut jacobian = DMatrix::zeros(width * contacts.len(), velocity.len());
        for (k, contact) in contacts.iter().enumerate() {
            contact.gap.rows(system, coordinates, &mut rows);
            jacobian.row_mut(width * k).copy_from_slice(rows.normal());
            for tangent in 1..width {
                jacobian.row_mut(width * k + tangent).copy_from_slice(rows.tangent(tangent - 1));
            }
        }
        let (mass, velocity) = (mass(system, coordinates), velocity.clone());
        let joints = self.joints(coordinates);
        Problem::from_jacobian(mass, velocity, &jacobian, &coefficients, joints)
    }

    /// `G` of the constraints.
    pub(super) fn joints(&self, coordinates: &[f64]) -> DMatrix<f64> {
        let system = self.system();
        let rows = self.constraint_rows();
        let mut jacobian = DMatrix::zeros(rows, system.velocity_count());
        let mut value = vec![0.0; rows];
        let mut row = 0;
        for constraint in self.constraints() {
            let count = constraint.row_count(system);
            let value = &mut value[row..row + count];
            constraint.evaluate(system, coordinates, value, &mut jacobian, row);
            row += count;
        }
        jacobian
    }
}

/// Impacts have no friction.
fn in_impact(contact: &Contact) -> Coefficients {
    Coefficients { friction: 0.0, restitution: contact.restitution }
}

/// Contacts that stay closed have no restitution.
fn while_closed(contact: &Contact) -> Coefficients {
    Coefficients { friction: contact.friction, restitution: 0.0 }
}

fn mass(system: &dyn System, coordinates: &[f64]) -> Mass {
    let n = system.velocity_count();
    let mut matrix = DMatrix::zeros(n, n);
    system.mass_matrix(coordinates, &mut matrix);
    Mass::Matrix(matrix)
}

impl Variational {
    /// Follows the path for at most `duration`, up to the first impact, and returns the duration of the
    /// piece.
    pub(super) fn follow(
        &mut self,
        mut duration: f64,
        motion: &mut Motion,
        report: &mut StepReport,
    ) -> Result<f64, Error> {
        self.piece.iterations = 0;
        self.piece.velocity.copy_from(&self.velocity);
        self.solve_piece(duration, motion)?;
        self.look_ahead(motion)?;
        // Each turn leaves at least one violated contact fewer.
        let mut turns = 0;
        while let Some(contact) = self.violated(motion)?.filter(|_| turns <= motion.contacts.len())
        {
            duration = self.locate(contact, duration, motion)?;
            turns += 1;
        }
        self.enter_work(duration, motion);
        self.counts.pieces += 1;
        self.counts.newton_iterations += self.piece.iterations;
        report.relative_residual = report.relative_residual.max(self.piece.residual);
        for (contact, normal, [first, second]) in self.piece.closed.report() {
            self.carried.add(contact, Vector3::new(normal, first, second));
        }
        std::mem::swap(&mut self.state.coordinates, &mut self.piece.discrete.end);
        self.momentum.copy_from(&self.piece.momentum);
        self.state.time += duration;
        self.update_velocity(motion);
        self.rub();
        self.settle(motion, duration)?;
        if self.carried.is_rubbed() || self.rubbed.iter().any(|joint| joint.impulse != 0.0) {
            self.ledger = None;
        }
        Ok(duration)
    }

    /// Adds the work of the forces without a potential over the piece by the midpoint rule, which differs from the
    /// trapezoidal rule by three times its error.
    fn enter_work(&mut self, duration: f64, motion: &Motion) {
        if motion.model.is_conservative() {
            return;
        }
        let (model, time) = (&motion.model, self.state.time);
        let Piece { discrete, velocity, momentum, .. } = &self.piece;
        let forces = &mut self.column;
        let mut power = |coordinates: &[f64], velocity: &[f64], time: f64| {
            forces.fill(0.0);
            for force in model.forces() {
                force.add(coordinates, velocity, time, forces.as_mut_slice());
            }
            model.system().other_power(coordinates, velocity, time)
                + dot(forces.as_slice(), velocity)
        };
        let start = power(&self.state.coordinates, self.velocity.as_slice(), time);
        let middle = power(&discrete.middle, velocity.as_slice(), time + 0.5 * duration);
        let mut reached = DMatrix::from_column_slice(momentum.len(), 1, momentum.as_slice());
        model.system().apply_inverse_mass(&discrete.end, &mut reached);
        let end = power(&discrete.end, reached.as_slice(), time + duration);
        self.work.0 += duration * middle;
        self.work.1 += duration * (0.5 * (start + end) - middle).abs();
    }

    fn solve_piece(&mut self, duration: f64, motion: &Motion) -> Result<(), Error> {
        let start = Start {
            time: self.state.time,
            coordinates: &self.state.coordinates,
            momentum: &self.momentum,
        };
        let model = (&motion.model, motion.contacts.as_slice());
        self.piece.solve(model, &self.settings, start, duration, &self.closed)
    }

    /// Searches for contacts within the reach of the piece.
    fn look_ahead(&mut self, motion: &mut Motion) -> Result<(), Error> {
        let Motion { model, contacts, .. } = motion;
        let ends = [self.state.coordinates.as_slice(), &self.piece.discrete.end];
        contacts
            .look_ahead(model.system(), ends, self.settings.touching)
            .map_err(|source| Error::Contacts { time: self.state.time, source })
    }

    /// Searches for the contacts that touch.
    pub(super) fn look_around(&mut self, motion: &mut Motion) -> Result<(), Error> {
        motion
            .contacts
            .look(motion.model.system(), &self.state.coordinates, self.settings.touching)
            .map_err(|source| Error::Contacts { time: self.state.time, source })
    }

    /// The first open contact that penetrates at the end of the piece.
    fn violated(&mut self, motion: &mut Motion) -> Result<Option<usize>, Error> {
        let Motion { model, contacts, .. } = motion;
        let (system, end) = (model.system(), &self.piece.discrete.end);
        let time = self.state.time;
        let tolerance = self.settings.gap_tolerance;
        let mut violated = Vec::new();
        contacts
            .activate(system, end, (0.0, |gap| gap.is_nan() || gap < -tolerance), &mut violated)
            .map_err(|source| Error::Contacts { time, source })?;
        if violated.iter().any(|&contact| contacts.gap(system, contact, end).is_nan()) {
            return Err(Error::NotFinite { quantity: "gap", time });
        }
        Ok(violated.into_iter().find(|contact| !self.closed.contains(contact)))
    }

    /// Computes the piece that ends where `contact` closes, from one that penetrates after `duration`.
    fn locate(&mut self, contact: usize, duration: f64, motion: &Motion) -> Result<f64, Error> {
        let (mut before, mut after, mut trial) = (0.0, duration, duration);
        let mut gap = self.gap_at_end(contact, motion);
        for _ in 0..TRIALS {
            if gap.abs() <= self.settings.gap_tolerance {
                return Ok(trial);
            }
            if gap < 0.0 {
                after = trial;
            } else {
                before = trial;
            }
            if after - before <= f64::EPSILON * after {
                break;
            }
            let next = trial - gap / self.closing_speed(contact, motion);
            trial = if before < next && next < after { next } else { 0.5 * (before + after) };
            self.solve_piece(trial, motion)?;
            gap = self.gap_at_end(contact, motion);
        }
        if gap.abs() <= self.settings.touching {
            return Ok(trial);
        }
        Err(Error::Location { contact, time: self.state.time, gap })
    }

    fn gap_at_end(&self, contact: usize, motion: &Motion) -> f64 {
        motion.contacts.gap(motion.model.system(), contact, &self.piece.discrete.end)
    }

    /// `n · v` at the end of the piece.
    fn closing_speed(&mut self, contact: usize, motion: &Motion) -> f64 {
        self.column.copy_from(&self.piece.momentum);
        let (system, end) = (motion.model.system(), &self.piece.discrete.end);
        system.apply_inverse_mass(end, &mut self.column);
        let gap = &motion.contacts.as_slice()[contact].gap;
        gap.rows(system, end, &mut self.rows);
        dot(self.rows.normal(), self.column.as_slice())
    }

    /// Removes the approach of closed contacts and the constraint violations from the momentum: the second
    /// half of their impulses in a piece of this `duration`, with friction, as a plastic impact.
    fn settle(&mut self, motion: &mut Motion, duration: f64) -> Result<(), Error> {
        self.look_around(motion)?;
        let Motion { model, contacts, .. } = &*motion;
        let (coordinates, touching) = (&self.state.coordinates, self.settings.touching);
        let gap = |contact| contacts.gap(model.system(), contact, coordinates);
        self.closed.retain(|&contact| contacts.is_present(contact) && gap(contact) <= touching);
        let has_joints = !self.piece.closed.joints().is_empty();
        if self.closed.is_empty() && model.constraints().is_empty() && !has_joints {
            return Ok(());
        }
        let time = self.state.time;
        let problem = model
            .problem_of(
                coordinates,
                &self.velocity,
                &contacts_of(contacts, &self.closed),
                while_closed,
            )
            .map_err(|source| Error::Impact { time, source })?;
        if has_joints {
            return self.settle_joints(&problem, 0.5 * duration, motion);
        }
        let outcome = AnitescuPotra::default()
            .resolve(&problem)
            .map_err(|source| Error::Law { time, source })?;
        check(&outcome, time)?;
        for (&contact, impulse) in self.closed.iter().zip(&outcome.impulses) {
            let tangent = |k: usize| impulse.tangent.get(k).copied().unwrap_or(0.0);
            self.carried.add(contact, Vector3::new(impulse.normal, tangent(0), tangent(1)));
        }
        self.jump(&problem, &outcome, motion);
        Ok(())
    }

    /// Resolves impacts until no contact that touches approaches; those that rest are closed.
    pub(super) fn resolve_impacts(
        &mut self,
        motion: &mut Motion,
        report: &mut StepReport,
    ) -> Result<(), Error> {
        while self.is_approached(motion)? {
            if report.impacts.len() == self.settings.impact_limit {
                let time = report.time - self.settings.step_size;
                return Err(Error::ImpactLimit { time, limit: self.settings.impact_limit });
            }
            let impact = self.resolve(motion)?;
            report.impacts.push(impact);
        }
        let resting = self.touching.iter().filter(|(_, speed)| *speed <= self.settings.rest_speed);
        self.closed.clear();
        self.closed.extend(resting.map(|(contact, _)| *contact));
        Ok(())
    }

    /// Lists the contacts that touch, with their normal velocity, and returns whether one approaches.
    fn is_approached(&mut self, motion: &mut Motion) -> Result<bool, Error> {
        self.look_around(motion)?;
        self.touching.clear();
        let Motion { model, contacts, .. } = motion;
        let (system, coordinates) = (model.system(), &self.state.coordinates);
        let mut present = Vec::new();
        contacts.gather(system, coordinates, self.settings.touching, &mut present);
        for contact in present {
            let gap = &contacts.as_slice()[contact].gap;
            if gap.gap(system, coordinates) <= self.settings.touching {
                gap.rows(system, coordinates, &mut self.rows);
                let speed = dot(self.rows.normal(), self.velocity.as_slice());
                self.touching.push((contact, speed));
            }
        }
        Ok(self.touching.iter().any(|(_, speed)| *speed < -self.settings.rest_speed))
    }

    /// The impact of all contacts that touch.
    fn resolve(&mut self, motion: &Motion) -> Result<Impact, Error> {
        let time = self.state.time;
        let mut is_plastic = false;
        self.hits.resize(motion.contacts.len(), 0);
        for &(contact, speed) in &self.touching {
            if speed < -self.settings.rest_speed {
                self.hits[contact] += 1;
                is_plastic |= self.hits[contact] > self.settings.chatter_limit;
            }
        }
        let contacts: Vec<usize> = self.touching.iter().map(|(contact, _)| *contact).collect();
        let problem = motion
            .model
            .problem_of(
                &self.state.coordinates,
                &self.velocity,
                &contacts_of(&motion.contacts, &contacts),
                in_impact,
            )
            .map_err(|source| Error::Impact { time, source })?;
        let plastic = AnitescuPotra::default();
        let law: &dyn Law = if is_plastic { &plastic } else { self.law.as_ref() };
        let outcome = law.resolve(&problem).map_err(|source| Error::Law { time, source })?;
        check(&outcome, time)?;
        self.open_ledger(motion);
        let velocity_before = self.velocity.clone();
        self.jump(&problem, &outcome, motion);
        let energy_change =
            problem.kinetic_energy(&self.velocity) - problem.kinetic_energy(&velocity_before);
        if !energy_change.is_finite() {
            return Err(Error::NotFinite { quantity: "energy of an impact", time });
        }
        let mut impulses: Vec<f64> =
            outcome.impulses.iter().map(|impulse| impulse.normal).collect();
        let Correction { error, factor } =
            self.balance(&problem, energy_change, &mut impulses, motion)?;
        Ok(Impact {
            time,
            contacts,
            impulses,
            coordinates: self.state.coordinates.clone(),
            velocity_before,
            velocity_after: self.velocity.clone(),
            is_plastic,
            status: outcome.trace.status,
            energy_change,
            energy_error: error,
            correction: factor,
        })
    }

    /// Adds the impulses of `outcome` to the momentum.
    pub(super) fn jump(&mut self, problem: &Problem, outcome: &Outcome, motion: &Motion) {
        let impulses = outcome.impulses.iter();
        let percussions = impulses.flat_map(|i| std::iter::once(i.normal).chain(i.tangent.clone()));
        let percussions = DVector::from_iterator(problem.contact_jacobian().nrows(), percussions);
        self.momentum.gemv_tr(1.0, problem.contact_jacobian(), &percussions, 1.0);
        let joints = problem.bilateral_jacobian();
        self.momentum.gemv_tr(1.0, joints, &outcome.bilateral_impulses, 1.0);
        self.update_velocity(motion);
    }
}

/// The contacts with these numbers.
fn contacts_of<'c>(contacts: &'c Contacts, numbers: &[usize]) -> Vec<&'c Contact> {
    numbers.iter().map(|&contact| &contacts.as_slice()[contact]).collect()
}

/// Refuses an outcome whose certificate does not hold; a law may gain energy, which the report of an impact shows.
fn check(outcome: &Outcome, time: f64) -> Result<(), Error> {
    match outcome.trace.status {
        Status::Resolved | Status::EnergyGained => Ok(()),
        status => Err(Error::ImpactUnresolved { time, status }),
    }
}
