//! Linear complementarity problems of all families by all methods, and all solutions of the smallest.

use nalgebra::DVector;
use percussion_benches::families::Family;
use percussion_complementarity::lcp::{Method, enumerate};
use percussion_snapshot::{Record, assert_stored};

const SEED: u64 = 1996;
/// Problems of each family.
const CASES: u64 = 4;
/// Entries of a result that are stored; for the rest, their norms are stored.
const LISTED: usize = 24;
/// Solvers guarantee `1e-10`; the result is stored, and its residual only if it is worse.
const RESIDUAL: f64 = 1e-10;

fn all_families_by(method: &Method) {
    let mut collection = Record::new(&format!("by {}", method.name()));
    for family in Family::all() {
        let mut record = Record::new(&format!("{} by {}", family.name(), method.name()));
        for index in 0..CASES {
            let problem = family.problem(SEED, index);
            let path = |name: &str| format!("problem[{index}].{name}");
            match method.solve(&problem) {
                Ok(solution) => {
                    let report = &solution.report;
                    record.variant(&path("status"), report.status);
                    record.count(&path("iterations"), report.iterations);
                    record.residual(&path("residual"), report.relative_residual, RESIDUAL);
                    let z = &solution.z;
                    let terms = problem.matrix().abs() * z.abs() + problem.vector().abs();
                    add(&mut record, &path("z"), z, 0.0);
                    add(&mut record, &path("w"), &solution.w, terms.amax());
                }
                Err(error) => {
                    record.word(&path("refused"), error);
                }
            }
        }
        collection.append(family.name(), &record);
    }
    assert_stored!("lcp", collection);
}

/// `scale` is the largest sum of absolute terms of an entry: round-off is a part of it.
fn add(record: &mut Record, path: &str, vector: &DVector<f64>, scale: f64) {
    let scale = vector.amax().max(scale);
    record.figure(&format!("{path}.norm"), vector.norm(), scale);
    let listed = &vector.as_slice()[..vector.len().min(LISTED)];
    record.figures(path, listed, scale);
}

#[test]
fn one_solution() {
    for method in Method::all() {
        all_families_by(&method);
    }
}

#[test]
fn all_solutions() {
    let mut collection = Record::new("by enumerate");
    for family in [Family::PlanarBlock, Family::PlanarBlockRandom] {
        let mut record = Record::new(&format!("{} by enumerate", family.name()));
        for index in 0..CASES {
            let problem = family.problem(SEED, index);
            let all = enumerate::solve(&problem, &enumerate::Settings::default()).unwrap();
            let path = |name: &str| format!("problem[{index}].{name}");
            record.count(&path("vertices"), all.vertices.len());
            record.count(&path("rays"), all.rays.len());
            record.count(&path("pieces"), all.pieces.len());
            record.count(&path("bases"), all.bases);
            record.count(&path("excluded bases"), all.excluded_bases);
            record.count(&path("singular bases"), all.singular_bases);
            record.count(&path("unverified"), all.unverified);
            for (place, vertex) in all.vertices.iter().enumerate() {
                record.figures(&path(&format!("vertex[{place}].z")), vertex.z.as_slice(), 1.0);
                record.figures(&path(&format!("vertex[{place}].w")), vertex.w.as_slice(), 1.0);
            }
        }
        collection.append(family.name(), &record);
    }
    assert_stored!("lcp", collection);
}
