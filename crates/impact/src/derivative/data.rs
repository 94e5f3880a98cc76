//! How contact problems and velocities depend on the data of an impact: [`Data`].

use nalgebra::{DMatrix, DVector};

use super::{Direction, Error, Gradient, Motion, error::check_vector};
use crate::{Contact, Mass, Problem};

/// An impact and the motion with and without its contact impulses.
#[derive(Clone, Debug)]
pub(super) struct Data {
    pub(super) problem: Problem,
    /// `Λ` (length `r`).
    pub(super) impulse: DVector<f64>,
    /// `v⁺`, `λ`.
    after: Motion,
    /// `w`, `λ_w`.
    before: Motion,
}

/// A direction as it acts on velocities and on the contact problem.
pub(super) struct Loaded {
    /// `dv⁺` without the change of the impulses.
    pub(super) velocity: DVector<f64>,
    /// `d(J w)`, zero in rows that cannot move.
    pub(super) free: DVector<f64>,
    /// `dW`; `None` is no change.
    pub(super) delassus: Option<DMatrix<f64>>,
}

impl Data {
    pub(super) fn new(problem: &Problem, impulse: DVector<f64>) -> Self {
        let none = DVector::zeros(impulse.len());
        let (after, before) = (Motion::new(problem, &impulse), Motion::new(problem, &none));
        Self { problem: problem.clone(), impulse, after, before }
    }

    pub(super) const fn velocity(&self) -> &DVector<f64> {
        &self.after.velocity
    }

    /// See the head of the [module](super).
    pub(super) fn load(&self, direction: &Direction) -> Result<Loaded, Error> {
        let problem = &self.problem;
        direction.check(problem)?;
        let n = problem.dimension();
        let Direction { velocity, mass, jacobian, joints, .. } = direction;
        let mass = mass.as_ref().map(DMatrix::symmetric_part);
        let mut carried = velocity.clone().unwrap_or_else(|| DVector::zeros(n));
        problem.joint_span().project(&mut carried);

        // The momenta by which changes of mass, contacts and joints act, with and without the impulses.
        let (mut with, mut without) = (DVector::zeros(n), DVector::zeros(n));
        let (after, before) = (&self.after, &self.before);
        if let Some(mass) = &mass {
            with += mass * (problem.velocity() - &after.velocity);
            without += mass * (problem.velocity() - &before.velocity);
        }
        if let Some(jacobian) = jacobian {
            with += jacobian.tr_mul(&self.impulse);
        }
        if let Some(joints) = joints {
            with += joints.tr_mul(&after.joints);
            without += joints.tr_mul(&before.joints);
        }
        let changed = |momentum: &DVector<f64>, velocity: &DVector<f64>| {
            &carried + problem.velocity_of(momentum) - self.moved_joints(joints.as_ref(), velocity)
        };
        let velocity = changed(&with, &after.velocity);
        let mut free = problem.contact_jacobian() * changed(&without, &before.velocity);
        if let Some(jacobian) = jacobian {
            free += jacobian * &before.velocity;
        }
        self.clear_locked(&mut free);
        let delassus = self.delassus_change(mass.as_ref(), jacobian.as_ref(), joints.as_ref());
        Ok(Loaded { velocity, free, delassus })
    }

    /// `dW`; `None` is no change.
    fn delassus_change(
        &self,
        mass: Option<&DMatrix<f64>>,
        jacobian: Option<&DMatrix<f64>>,
        joints: Option<&DMatrix<f64>>,
    ) -> Option<DMatrix<f64>> {
        if mass.is_none() && jacobian.is_none() && joints.is_none() {
            return None;
        }
        let response = self.problem.response();
        let mut half = DMatrix::zeros(response.ncols(), response.ncols());
        if let Some(jacobian) = jacobian {
            half += jacobian * response;
        }
        if let Some(joints) = joints {
            let span = self.problem.joint_span();
            let speeds = span.impulses.tr_mul(&(joints * response));
            half -= self.problem.contact_jacobian() * (&span.velocities * speeds);
        }
        let mut change = &half + half.transpose();
        if let Some(mass) = mass {
            change -= response.tr_mul(&(mass * response));
        }
        for row in (0..change.nrows()).filter(|row| self.problem.is_locked(*row)) {
            change.row_mut(row).fill(0.0);
            change.column_mut(row).fill(0.0);
        }
        Some(change)
    }

    /// Sets to zero the rows of `vector` (length `r`) that cannot move.
    pub(super) fn clear_locked(&self, vector: &mut DVector<f64>) {
        for (row, value) in vector.iter_mut().enumerate() {
            if self.problem.is_locked(row) {
                *value = 0.0;
            }
        }
    }

    /// `K dG v`, or zero without a change of the joints.
    fn moved_joints(&self, joints: Option<&DMatrix<f64>>, velocity: &DVector<f64>) -> DVector<f64> {
        joints.map_or_else(
            || DVector::zeros(velocity.len()),
            |change| self.problem.joint_span().shortest_step(&(change * velocity)).0,
        )
    }

    /// Refuses weights of a wrong length, or with an entry that is not finite.
    pub(super) fn check_weights(
        &self,
        velocity: &DVector<f64>,
        impulses: &DVector<f64>,
    ) -> Result<(), Error> {
        check_vector("velocity", velocity.as_slice(), self.problem.dimension())?;
        check_vector("impulses", impulses.as_slice(), self.impulse.len())
    }

    /// The derivative by all data from that by `J w`, `W`, `μ` and `e`, for the weights `velocity` of `v⁺`.
    pub(super) fn gradient(
        &self,
        velocity: &DVector<f64>,
        by_free: &DVector<f64>,
        by_delassus: &DMatrix<f64>,
        (friction, restitution): (Vec<Option<f64>>, Vec<f64>),
    ) -> Gradient {
        let problem = &self.problem;
        let response = problem.response();
        let mut by_free = by_free.clone();
        self.clear_locked(&mut by_free);
        let mut by_delassus = by_delassus.clone();
        for row in (0..by_delassus.nrows()).filter(|row| problem.is_locked(*row)) {
            by_delassus.row_mut(row).fill(0.0);
            by_delassus.column_mut(row).fill(0.0);
        }
        let (after, before) = (&self.after, &self.before);
        let moved = problem.velocity_of(velocity);
        let pushed = response * &by_free;
        let both = &by_delassus + by_delassus.transpose();
        let operator = &both * response.transpose();
        let jacobian =
            &self.impulse * moved.transpose() + &by_free * before.velocity.transpose() + &operator;
        let mass = &moved * (problem.velocity() - &after.velocity).transpose()
            + &pushed * (problem.velocity() - &before.velocity).transpose()
            - response * &by_delassus * response.transpose();

        let span = problem.joint_span();
        // `Kᵀ` times a vector or a matrix.
        let to_joints = |columns: &DMatrix<f64>| &span.impulses * span.velocities.tr_mul(columns);
        let column =
            |vector: &DVector<f64>| DMatrix::from_column_slice(vector.len(), 1, vector.as_slice());
        let carried = velocity + problem.contact_jacobian().tr_mul(&by_free);
        let by_velocity = &carried - span.momenta.tr_mul(&span.velocities.tr_mul(&carried));
        let independent = span.rank() == problem.bilateral_jacobian().nrows();
        let joints = independent.then(|| {
            let contacts = problem.contact_jacobian().tr_mul(&column(&by_free));
            &after.joints * moved.transpose()
                - to_joints(&column(velocity)) * after.velocity.transpose()
                + &before.joints * pushed.transpose()
                - to_joints(&contacts) * before.velocity.transpose()
                - to_joints(&problem.contact_jacobian().tr_mul(&operator))
        });
        let mass = mass.symmetric_part();
        Gradient { velocity: by_velocity, mass, jacobian, joints, friction, restitution }
    }

    /// The impact after a step along `direction`.
    pub(super) fn moved(&self, direction: &Direction, step: f64) -> Result<Problem, Error> {
        let problem = &self.problem;
        let n = problem.dimension();
        let unit = |column: usize| DVector::from_fn(n, |row, _| f64::from(u8::from(row == column)));
        let columns: Vec<_> = (0..n).map(|column| problem.momentum(&unit(column))).collect();
        let mass = if n == 0 { DMatrix::zeros(0, 0) } else { DMatrix::from_columns(&columns) };
        let plus = |start: &DMatrix<f64>, change: &Option<DMatrix<f64>>| match change {
            Some(change) => start + step * change,
            None => start.clone(),
        };
        let change = direction.mass.as_ref().map(DMatrix::symmetric_part);
        let mass = plus(&mass.symmetric_part(), &change);
        let jacobian = plus(problem.contact_jacobian(), &direction.jacobian);
        let joints = plus(problem.bilateral_jacobian(), &direction.joints);
        let velocity = match &direction.velocity {
            Some(change) => problem.velocity() + step * change,
            None => problem.velocity().clone(),
        };
        let add = |start: f64, change: &Option<Vec<f64>>, index: usize| {
            start + change.as_ref().map_or(0.0, |change| step * change[index])
        };
        let contacts = problem.contacts().iter().enumerate().map(|(index, contact)| {
            let rows = problem.rows(index);
            let row = |row: usize| jacobian.row(row).transpose();
            let tangents = rows.clone().skip(1).map(row).collect();
            Contact::new(row(rows.start))
                .with_friction(add(contact.friction, &direction.friction, index), tangents)
                .with_restitution(add(contact.restitution, &direction.restitution, index))
        });
        let moved = Problem::with_joints(Mass::Matrix(mass), velocity, contacts.collect(), joints);
        Ok(moved.map_err(crate::Error::from)?)
    }
}
