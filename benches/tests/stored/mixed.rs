//! Problems with blocks: by Coulomb's law with joints eliminated, and by the convex relaxation.
//!
//! With several contacts impulses are seldom unique: statuses, velocities and work are stored.

use percussion_benches::mixed::mechanism;
use percussion_complementarity::friction::mixed::{Model, Settings};
use percussion_snapshot::{Record, assert_stored};

/// Relative residual that is asked for: a hundredth of the part of its scale below which a record keeps nothing of a figure.
const TOLERANCE: f64 = 1e-12;

#[test]
fn mechanisms_by_both_models() {
    let settings = Settings { tolerance: TOLERANCE, ..Settings::default() };
    let mut collection = Record::new("blocks");
    for (model, suffix) in [(Model::Coulomb, ""), (Model::ConvexRelaxation, ", convex relaxation")]
    {
        for (seed, contacts) in [(1, 1), (2, 2), (3, 3), (4, 5)] {
            let problem = mechanism(seed, contacts).with_model(model);
            let solution = problem.solve(&settings).unwrap();
            let mut record = Record::new(&format!("{contacts} contacts{suffix}"));
            record.variant("status", solution.report.status);
            record.residual("residual", solution.report.relative_residual, TOLERANCE);
            let scale = problem.velocity_scale();
            record.figures("velocity", &solution.velocities, scale);
            let terms = || solution.impulses.iter().zip(&solution.velocities);
            let work: f64 = terms().map(|(p, u)| p * u).sum();
            let size: f64 = terms().map(|(p, _)| p.abs()).sum::<f64>() * scale;
            record.figure("work", work, size);
            collection.append(&format!("{contacts} contacts{suffix}"), &record);
        }
    }
    assert_stored!("friction", collection);
}
