//! Random impact problems, shared by the tests.

use nalgebra::{DMatrix, DVector};
use percussion_impact::{Contact, Mass, Problem};
use proptest::{prelude::*, test_runner::RngSeed};

/// The same cases on every run, 256 unless the environment asks for more.
pub(crate) fn config() -> ProptestConfig {
    let rng_seed = RngSeed::Fixed(0x7065_7263);
    ProptestConfig { rng_seed, failure_persistence: None, ..ProptestConfig::default() }
}

/// The data of a [`Problem`], to be transformed by tests.
#[derive(Clone, Debug)]
pub(crate) struct Data {
    pub(crate) mass: DMatrix<f64>,
    pub(crate) velocity: DVector<f64>,
    pub(crate) contacts: Vec<Contact>,
    pub(crate) joints: DMatrix<f64>,
}

impl Data {
    pub(crate) fn problem(&self) -> Problem {
        let mass = Mass::Matrix(self.mass.clone());
        let (contacts, joints) = (self.contacts.clone(), self.joints.clone());
        Problem::with_joints(mass, self.velocity.clone(), contacts, joints)
            .expect("the strategy makes problems")
    }
}

fn row(n: usize) -> impl Strategy<Value = DVector<f64>> {
    prop::collection::vec(-1.0..1.0, n).prop_map(DVector::from_vec)
}

prop_compose! {
    fn contact(n: usize)
        (rows in prop::collection::vec(row(n), 1..=3), friction in 0.0..1.5, restitution in 0.0..=1.0)
        -> Contact
    {
        let tangents = rows[1..].to_vec();
        Contact { normal: rows[0].clone(), tangents, friction, restitution }
    }
}

prop_compose! {
    /// Up to `most` contacts, planar, spatial and frictionless mixed, on five velocities with
    /// `M = A Aᵀ + 1/4`, whose condition number is below 100, and up to three joints, the third of
    /// which is the sum of the others.
    pub(crate) fn data(most: usize)
        (contacts in prop::collection::vec(contact(5), 1..=most),
         mass in prop::collection::vec(-1.0..1.0, 25),
         velocity in row(5),
         joints in prop::collection::vec(row(5), 0..=2))
        -> Data
    {
        let factor = DMatrix::from_vec(5, 5, mass);
        let mass = &factor * factor.transpose() + DMatrix::identity(5, 5) * 0.25;
        let mut rows: Vec<_> = joints.iter().map(DVector::transpose).collect();
        if rows.len() == 2 {
            rows.push(&rows[0] + &rows[1]);
        }
        let joints = if rows.is_empty() { DMatrix::zeros(0, 5) } else { DMatrix::from_rows(&rows) };
        Data { mass, velocity, contacts, joints }
    }
}
