//! Random impacts, their changes along random directions, and a ball.

use nalgebra::{DMatrix, DVector, dvector};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::{Direction, accurate};
use crate::{Contact, Mass, Problem, maximum_dissipation::MaximumDissipation};

/// An impact and its data.
#[derive(Debug)]
pub(in crate::derivative) struct Case {
    pub(in crate::derivative) law: MaximumDissipation,
    pub(in crate::derivative) problem: Problem,
    mass: DMatrix<f64>,
}

impl Case {
    /// The same bodies and contacts without restitution.
    pub(in crate::derivative) fn without_restitution(mut self) -> Self {
        self.problem = self.problem.with_restitution_times(0.0);
        self
    }

    /// The impact after a step along `direction`; `None` if a coefficient leaves its range.
    pub(in crate::derivative) fn moved(&self, direction: &Direction, step: f64) -> Option<Problem> {
        let problem = &self.problem;
        let plus = |start: &DMatrix<f64>, change: &Option<DMatrix<f64>>| match change {
            Some(change) => start + step * change,
            None => start.clone(),
        };
        let mass = plus(&self.mass, &direction.mass);
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
        Problem::with_joints(Mass::Matrix(mass), velocity, contacts.collect(), joints).ok()
    }
}

/// The opposite direction.
pub(in crate::derivative) fn reversed(direction: &Direction) -> Direction {
    let negated = |numbers: &Vec<f64>| numbers.iter().map(|number| -number).collect();
    Direction {
        velocity: direction.velocity.as_ref().map(|change| -change),
        mass: direction.mass.as_ref().map(|change| -change),
        jacobian: direction.jacobian.as_ref().map(|change| -change),
        joints: direction.joints.as_ref().map(|change| -change),
        friction: direction.friction.as_ref().map(negated),
        restitution: direction.restitution.as_ref().map(negated),
    }
}

/// A ball of 1 kg and radius 1 m that slides at 1 m/s and falls at 2 m/s on a floor.
pub(in crate::derivative) fn ball(friction: f64, restitution: f64) -> Problem {
    let floor = Contact::new(dvector![0.0, 1.0, 0.0])
        .with_friction(friction, vec![dvector![1.0, 0.0, 1.0]])
        .with_restitution(restitution);
    let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 0.4]));
    Problem::new(mass, dvector![1.0, -2.0, 0.0], vec![floor]).expect("a valid problem")
}

/// Random numbers.
pub(in crate::derivative) struct Draw(ChaCha8Rng);

impl Draw {
    pub(in crate::derivative) fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// In [-1, 1).
    fn signed(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(in crate::derivative) fn below(&mut self, count: usize) -> usize {
        let random = usize::try_from(self.0.next_u64() >> 33).expect("31 bits");
        random % count
    }

    pub(in crate::derivative) fn vector(&mut self, length: usize) -> DVector<f64> {
        DVector::from_fn(length, |_, _| self.signed())
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| self.signed())
    }

    /// One to three contacts without or with friction, in the plane or in space, on bodies with joints; one contact in
    /// twelve cannot move along its normal.
    pub(in crate::derivative) fn case(&mut self) -> Case {
        let n = 4 + self.below(4);
        let root = self.matrix(n, n);
        let mass = &root * root.transpose() + DMatrix::identity(n, n);
        let count = self.below(3);
        let joints = self.matrix(count, n);
        let contacts = (0..1 + self.below(3)).map(|_| {
            let held = count > 0 && self.below(12) == 0;
            let normal = if held { joints.row(0).transpose() * 0.5 } else { self.vector(n) };
            let tangents = (0..self.below(3)).map(|_| self.vector(n)).collect();
            let friction = if self.below(5) == 0 { 0.0 } else { 0.6 + 0.5 * self.signed() };
            let restitution = if self.below(3) == 0 { 0.0 } else { 0.5 + 0.4 * self.signed() };
            Contact::new(normal).with_friction(friction, tangents).with_restitution(restitution)
        });
        let contacts = contacts.collect();
        let velocity = 2.0 * self.vector(n);
        let law = match self.below(2) {
            0 => MaximumDissipation::default(),
            _ => MaximumDissipation::coulomb(),
        };
        let problem = Problem::with_joints(Mass::Matrix(mass.clone()), velocity, contacts, joints)
            .expect("a valid problem");
        Case { law: accurate(law), problem, mass }
    }

    /// The same without friction, and without tangents.
    pub(in crate::derivative) fn smooth_case(&mut self) -> Case {
        let Case { law, problem, mass } = self.case();
        let smooth = problem.contacts().iter().map(|contact| {
            Contact::new(contact.normal.clone()).with_restitution(contact.restitution)
        });
        let (contacts, joints) = (smooth.collect(), problem.bilateral_jacobian().clone());
        let velocity = problem.velocity().clone();
        let problem = Problem::with_joints(Mass::Matrix(mass.clone()), velocity, contacts, joints);
        Case { law, problem: problem.expect("a valid problem"), mass }
    }

    /// The same with one tangent at each contact, and with the first contact only.
    pub(in crate::derivative) fn planar_contact(&mut self) -> Case {
        let mut case = self.planar_case();
        case.problem = case.problem.contact_problem(0).expect("a contact");
        case
    }

    /// The same with two tangents at each contact, and with the first contact only.
    pub(in crate::derivative) fn spatial_contact(&mut self) -> Case {
        let mut case = self.case_with_tangents(2);
        case.problem = case.problem.contact_problem(0).expect("a contact");
        case
    }

    /// The same with one tangent at each contact.
    pub(in crate::derivative) fn planar_case(&mut self) -> Case {
        self.case_with_tangents(1)
    }

    /// The same with this number of tangents at each contact.
    pub(in crate::derivative) fn case_with_tangents(&mut self, count: usize) -> Case {
        let Case { law, problem, mass } = self.case();
        let n = problem.dimension();
        let contacts = problem.contacts().to_vec().into_iter().map(|contact| {
            let tangents = (0..count).map(|_| self.vector(n)).collect();
            Contact { tangents, ..contact }
        });
        let (contacts, joints) = (contacts.collect(), problem.bilateral_jacobian().clone());
        let velocity = problem.velocity().clone();
        let problem = Problem::with_joints(Mass::Matrix(mass.clone()), velocity, contacts, joints);
        Case { law, problem: problem.expect("a valid problem"), mass }
    }

    /// A change of some of the data; coefficients that are zero stay so, and what cannot move stays so.
    pub(in crate::derivative) fn direction(&mut self, case: &Case) -> Direction {
        let problem = &case.problem;
        let (n, joints) = (problem.dimension(), problem.bilateral_jacobian().nrows());
        let contacts = problem.contacts();
        let locked: Vec<_> =
            (0..problem.contact_jacobian().nrows()).map(|row| problem.is_locked(row)).collect();
        let held = locked.contains(&true);
        let mut jacobian = self.matrix(locked.len(), n);
        for (row, _) in locked.iter().enumerate().filter(|(_, locked)| **locked) {
            jacobian.row_mut(row).fill(0.0);
        }
        let mass = self.matrix(n, n).symmetric_part();
        let by_joints = if held { DMatrix::zeros(joints, n) } else { self.matrix(joints, n) };
        let mut change = |value: f64| if value > 0.0 { self.signed() } else { 0.0 };
        let friction = contacts.iter().map(|contact| change(contact.friction)).collect();
        let restitution = contacts.iter().map(|contact| change(contact.restitution)).collect();
        let all = Direction {
            velocity: Some(self.vector(n)),
            mass: Some(mass),
            jacobian: Some(jacobian),
            joints: Some(by_joints),
            friction: Some(friction),
            restitution: Some(restitution),
        };
        // All at once, or one of them.
        let none = Direction::default;
        match self.below(10) {
            0 => Direction { velocity: all.velocity, ..none() },
            1 => Direction { mass: all.mass, ..none() },
            2 => Direction { jacobian: all.jacobian, ..none() },
            3 => Direction { joints: all.joints, ..none() },
            4 => Direction { friction: all.friction, ..none() },
            5 => Direction { restitution: all.restitution, ..none() },
            _ => all,
        }
    }
}
