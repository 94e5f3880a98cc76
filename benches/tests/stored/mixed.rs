//! Problems with blocks: by Coulomb's law with joints eliminated, and by the convex relaxation.
//!
//! With several contacts impulses are seldom unique: statuses, velocities and work are stored.

use percussion_benches::mixed::mechanism;
use percussion_complementarity::friction::mixed::{Model, Settings};
use percussion_snapshot::{Record, assert_stored};

/// Part of its scale below which a record keeps nothing of a figure.
const ROUND_OFF: f64 = 1e-10;

#[test]
fn mechanisms_by_both_models() {
    let settings = Settings::default();
    let mut collection = Record::new("blocks");
    for (model, suffix) in [(Model::Coulomb, ""), (Model::ConvexRelaxation, ", convex relaxation")]
    {
        for (seed, contacts) in [(1, 1), (2, 2), (3, 3), (4, 5)] {
            let problem = mechanism(seed, contacts).with_model(model);
            let solution = problem.solve(&settings).unwrap();
            let mut record = Record::new(&format!("{contacts} contacts{suffix}"));
            record.variant("status", solution.report.status);
            record.residual("residual", solution.report.relative_residual, settings.tolerance);
            let scale = settings.tolerance / ROUND_OFF * problem.velocity_scale();
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
