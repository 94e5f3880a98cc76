//! Units of mass, length and time change no status, and no answer beyond rounding.
//!
//! Half of the velocities are turning rates (rad/s), the others speeds, so that units of length also change the shape
//! of the mass matrix and of the rows. Settings that carry a unit are converted with the rest.

mod support;

use nalgebra::{DMatrix, DVector};
use percussion_impact::{
    Law, Mass, Problem, Status,
    anitescu_potra::AnitescuPotra,
    maximum_dissipation::MaximumDissipation,
    newton::Newton,
    plus::Plus,
    poisson::Poisson,
    propagative::Propagative,
    routh::{Restitution, Routh},
    sequential::Sequential,
    set_valued::{self, SetValuedRouth},
};
use proptest::prelude::*;
use support::Data;

/// How many of the old units a new one is.
#[derive(Clone, Copy, Debug)]
struct Units {
    mass: f64,
    length: f64,
    time: f64,
}

impl Units {
    const fn is_turning(i: usize) -> bool {
        i % 2 == 1
    }

    /// What a velocity reads in the new units.
    fn speed(&self, i: usize) -> f64 {
        if Self::is_turning(i) { self.time } else { self.time / self.length }
    }

    fn row(&self, row: &DVector<f64>) -> DVector<f64> {
        DVector::from_fn(row.len(), |i, _| {
            row[i] * if Self::is_turning(i) { 1.0 / self.length } else { 1.0 }
        })
    }

    fn percussion(&self) -> f64 {
        self.time / (self.mass * self.length)
    }

    fn problem(&self, data: &Data) -> Problem {
        let n = data.velocity.len();
        let size = |i: usize| if Self::is_turning(i) { 1.0 / self.length } else { 1.0 };
        let mass = DMatrix::from_fn(n, n, |i, j| data.mass[(i, j)] * size(i) * size(j) / self.mass);
        let velocity = DVector::from_fn(n, |i, _| data.velocity[i] * self.speed(i));
        let mut contacts = data.contacts.clone();
        for contact in &mut contacts {
            contact.normal = self.row(&contact.normal);
            contact.tangents = contact.tangents.iter().map(|row| self.row(row)).collect();
        }
        let mut joints = data.joints.clone();
        for mut row in joints.row_iter_mut() {
            let converted = self.row(&row.transpose());
            row.copy_from(&converted.transpose());
        }
        Problem::with_joints(Mass::Matrix(mass), velocity, contacts, joints)
            .expect("other units are as good")
    }

    fn laws(&self, contacts: usize, has_friction: bool) -> Vec<Box<dyn Law>> {
        let speed = self.time / self.length;
        let plus = Plus::default();
        let plus = Plus {
            v_capture: plus.v_capture * speed,
            v_plastic: plus.v_plastic * speed,
            v_transition: plus.v_transition * speed,
            theta_max: 0.25,
            ..plus
        };
        let routh = Routh { restitution: Restitution::Energetic, ..Routh::default() };
        let step = 0.3 * self.percussion();
        let sampled = set_valued::Settings { step, steps: 20, ..set_valued::Settings::default() };
        let mut laws: Vec<Box<dyn Law>> = vec![
            Box::new(Newton::default()),
            Box::new(Poisson::default()),
            Box::new(AnitescuPotra::default()),
            Box::new(Sequential::new(routh)),
            Box::new(plus),
            Box::new(SetValuedRouth::new(sampled)),
            Box::new(MaximumDissipation::default()),
            Box::new(MaximumDissipation::coulomb()),
        ];
        if !has_friction {
            laws.push(Box::new(Propagative::default()));
        }
        if contacts == 1 {
            laws.push(Box::new(routh));
        }
        laws
    }
}

fn factor() -> impl Strategy<Value = f64> {
    (-12.0..12.0).prop_map(|power: f64| 10.0_f64.powf(power))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..support::config() })]

    #[test]
    fn units_change_nothing(
        data in support::data(3),
        mass in factor(),
        length in factor(),
        time in factor(),
        is_smooth in any::<bool>(),
    ) {
        let mut data = data;
        if is_smooth {
            data.contacts.iter_mut().for_each(|contact| contact.friction = 0.0);
        }
        let ours = Units { mass: 1.0, length: 1.0, time: 1.0 };
        let theirs = Units { mass, length, time };
        let (here, there) = (data.problem(), theirs.problem(&data));
        let has_friction =
            data.contacts.iter().any(|c| c.friction > 0.0 && !c.tangents.is_empty());
        let laws = ours.laws(data.contacts.len(), has_friction);
        let others = theirs.laws(data.contacts.len(), has_friction);
        for (law, other) in laws.iter().zip(&others) {
            let (a, b) = (law.resolve(&here).unwrap(), other.resolve(&there).unwrap());
            let name = law.name();
            prop_assert_eq!(a.trace.status, b.trace.status, "{}", name);
            prop_assert_eq!(a.trace.restitution, b.trace.restitution, "{}", name);
            if a.trace.status != Status::Resolved && a.trace.status != Status::EnergyGained {
                continue;
            }
            // Iterations end at 1e-10, which conditions of up to 1e3 multiply; the others are exact to rounding.
            let size = a.velocity.amax().max(data.velocity.amax());
            let tolerance = if name == "maximum-dissipation" { 1e-6 } else { 1e-8 };
            for i in 0..data.velocity.len() {
                let converted = b.velocity[i] / theirs.speed(i);
                let difference = (converted - a.velocity[i]).abs();
                prop_assert!(difference <= tolerance * size, "{}: velocity {} is off by {}", name, i, difference);
            }
        }
    }
}
