//! Single contacts with friction by all solvers.

use nalgebra::Vector3;
use percussion_benches::frictional;
use percussion_complementarity::friction::single::{
    Contact, alart_curnier, coulomb, maximum_dissipation, projection,
};
use percussion_snapshot::{Record, assert_stored};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const SEED: u64 = 2017;
const CASES: usize = 12;
/// Relative residual requested of the iterative solvers.
const TOLERANCE: f64 = 1e-12;

/// Sliding contacts; every third of them is turned into one that separates, and every third gets no friction.
fn contacts() -> Vec<(Contact, Vector3<f64>)> {
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let changed = |index: usize| {
        let (contact, b) = frictional::sliding(&mut random);
        match index % 3 {
            0 => (contact, b),
            1 => (contact, Vector3::new(-b.x, b.y, b.z)),
            _ => (Contact::new(contact.block(), 0.0).unwrap(), b),
        }
    };
    (0..CASES).map(changed).collect()
}

fn all_contacts_by(name: &str, add: impl Fn(&mut Record, &str, &Contact, &Vector3<f64>)) {
    let mut record = Record::new(&format!("contacts by {name}"));
    for (index, (contact, b)) in contacts().iter().enumerate() {
        add(&mut record, &format!("contact[{index}]"), contact, b);
    }
    assert_stored!("single", record);
}

#[test]
fn closed_forms() {
    all_contacts_by("maximum dissipation", |record, path, contact, b| {
        let impulse = maximum_dissipation::solve(contact, b);
        record.figures(&format!("{path}.impulse"), impulse.as_slice(), b.amax());
    });
    all_contacts_by("coulomb", |record, path, contact, b| {
        let impulse = coulomb::solve(contact, b);
        record.figures(&format!("{path}.impulse"), impulse.as_slice(), b.amax());
        let all = coulomb::all(contact, b);
        record.count(&format!("{path}.solutions"), all.as_slice().len());
        for (index, solution) in all.as_slice().iter().enumerate() {
            let path = format!("{path}.solution[{index}]");
            record.variant(&format!("{path}.mode"), solution.mode);
            record.figures(&format!("{path}.impulse"), solution.impulse.as_slice(), b.amax());
            record.figure(&format!("{path}.energy"), solution.energy, b.norm_squared());
        }
    });
}

#[test]
fn iterations() {
    all_contacts_by("alart-curnier", |record, path, contact, b| {
        let answer = alart_curnier::solve(contact, b, &Vector3::zeros(), TOLERANCE);
        record.count(&format!("{path}.iterations"), answer.iterations);
        record.residual(&format!("{path}.residual"), answer.residual, TOLERANCE * b.norm());
        record.figures(&format!("{path}.impulse"), answer.impulse.as_slice(), b.amax());
    });
    all_contacts_by("projection", |record, path, contact, b| {
        let answer = projection::solve(contact, b, &Vector3::zeros(), TOLERANCE);
        record.count(&format!("{path}.iterations"), answer.iterations);
        record.residual(&format!("{path}.residual"), answer.residual, TOLERANCE * b.norm());
        record.figures(&format!("{path}.impulse"), answer.impulse.as_slice(), b.amax());
    });
}
