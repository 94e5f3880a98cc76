//! Symptom: an impact at 1.7e308 m/s was "resolved", with a velocity that is no number (`null` in JSON).
//! Cause: nothing looked at the numbers of an answer.
//! Expected: a typed error that names what overflowed.

use nalgebra::{dmatrix, dvector};
use percussion_impact::{
    Contact, Error, Law, Mass, Problem, Status, anitescu_potra::AnitescuPotra,
    maximum_dissipation::MaximumDissipation, newton::Newton, plus::Plus, poisson::Poisson,
    propagative::Propagative, routh::Routh, sequential::Sequential, set_valued::SetValuedRouth,
};

#[test]
fn numbers_that_overflow_are_an_error() {
    let ground = Contact::new(dvector![1.0]).with_restitution(1.0);
    let laws: Vec<Box<dyn Law>> = vec![
        Box::new(Newton::default()),
        Box::new(Poisson::default()),
        Box::new(AnitescuPotra::default()),
        Box::new(MaximumDissipation::default()),
        Box::new(Sequential::new(Routh::default())),
        Box::new(Propagative::default()),
        Box::new(Routh::default()),
        Box::new(Plus::default()),
    ];
    for (mass, speed) in [(1.0, 1.7e308), (1.0, 1e200), (1e3, 1.7e308)] {
        let mass = Mass::Matrix(dmatrix![mass]);
        let problem = Problem::new(mass, dvector![-speed], vec![ground.clone()]).unwrap();
        for law in &laws {
            match law.resolve(&problem) {
                // By the law's own problem, or by its answer.
                Err(error @ (Error::Overflow(_) | Error::Lcp(_) | Error::RoundCones(_))) => {
                    assert!(error.to_string().contains("finite"), "{}: {error}", law.name());
                }
                other => panic!("{} at {speed:e} m/s: {other:?}", law.name()),
            }
        }
    }
    // A set is refused before its first sample, whose energy would be compared with infinity.
    let mass = Mass::Matrix(dmatrix![1.0]);
    let problem = Problem::new(mass, dvector![-1e200], vec![ground.clone()]).unwrap();
    match SetValuedRouth::default().post_impact_set(&problem, (), |_| ()) {
        Err(error @ Error::Overflow(_)) => {
            assert!(error.to_string().contains("kinetic energy before"), "{error}");
        }
        other => panic!("{other:?}"),
    }
    // What a square can hold is resolved.
    let mass = Mass::Matrix(dmatrix![1.0]);
    let problem = Problem::new(mass, dvector![-1e150], vec![ground]).unwrap();
    for law in &laws {
        let outcome = law.resolve(&problem).unwrap();
        assert_eq!(outcome.trace.status, Status::Resolved, "{}", law.name());
    }
}
