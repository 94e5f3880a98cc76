//! Problems of many contacts with friction by all methods and both laws.

use std::thread;

use percussion_benches::{frictional, piles};
use percussion_complementarity::friction::{Law, Method, Problem};
use percussion_snapshot::{Record, assert_stored};

/// Relative residual that is requested.
const TOLERANCE: f64 = 1e-9;
/// Fraction of its scale below which a figure is not stored.
const ROUND_OFF: f64 = 1e-10;
/// Contacts whose impulses are stored; for the rest, their sums are stored.
const LISTED: usize = 8;

fn problems() -> Vec<(&'static str, Problem)> {
    vec![
        ("packing", frictional::packing(1, 12, 4.0, 0.5)),
        ("packing without friction", frictional::packing(2, 12, 4.0, 0.0)),
        ("packing with strong friction", frictional::packing(3, 12, 4.0, 2.0)),
        ("dense packing", frictional::packing(4, 40, 12.0, 0.3)),
        ("stack", piles::stack(3, 1.0, 0.05, 0.5)),
        ("stack of growing boxes", piles::stack(3, 2.0, 0.05, 0.5)),
        ("card house", piles::card_house(2, 0.6)),
    ]
}

fn add_all_problems(collection: &mut Record, method: &Method, law: Law, suffix: &str) {
    for (name, problem) in problems() {
        let mut record = Record::new(&format!("{name} by {}{suffix}", method.name()));
        let problem = problem.with_law(law);
        let solution = method.with_tolerance(TOLERANCE).solve(&problem);
        match solution {
            Ok(solution) => {
                let report = &solution.report;
                record.variant("status", report.status);
                record.count("iterations", report.iterations);
                record.residual("residual", report.relative_residual, TOLERANCE);
                // A result is accurate to the tolerance, so nothing below it is stored.
                let tolerance = TOLERANCE / ROUND_OFF;
                let largest = solution.impulses.iter().map(|p| p.amax()).fold(0.0, f64::max);
                let largest = tolerance * largest;
                let speed = tolerance * problem.velocity_scale();
                let sum: nalgebra::Vector3<f64> = solution.impulses.iter().sum();
                let terms = largest * solution.impulses.len() as f64;
                record.figures("sum of impulses", sum.as_slice(), terms);
                let energy = problem.velocity_scale() * largest;
                let work: f64 = solution
                    .impulses
                    .iter()
                    .zip(&solution.velocities)
                    .map(|(impulse, velocity)| impulse.dot(velocity))
                    .sum();
                record.figure("work", work, energy);
                for (index, impulse) in solution.impulses.iter().take(LISTED).enumerate() {
                    record.figures(&format!("impulse[{index}]"), impulse.as_slice(), largest);
                }
                for (index, velocity) in solution.velocities.iter().take(LISTED).enumerate() {
                    let path = format!("velocity[{index}]");
                    record.figures(&path, velocity.as_slice(), speed);
                }
            }
            Err(error) => {
                record.word("refused", error);
            }
        }
        collection.append(&format!("{name}{suffix}"), &record);
    }
}

#[test]
fn all_methods() {
    let by_both_laws = |method: Method| {
        let mut collection = Record::new(&format!("by {}", method.name()));
        add_all_problems(&mut collection, &method, Law::Coulomb, "");
        add_all_problems(
            &mut collection,
            &method,
            Law::MaximumDissipation,
            ", maximum-dissipation",
        );
        assert_stored!("friction", collection);
    };
    thread::scope(|scope| {
        for method in Method::all() {
            scope.spawn(move || by_both_laws(method));
        }
    });
}
