//! Lemke solves every random problem of every family: no wrong answer, no failure, no blow-up.

use nalgebra::DVector;
use percussion_benches::families::Family;
use percussion_complementarity::lcp::{Problem, Status, lemke};

const SEED: u64 = 1996;
const CASES: u64 = 10_000;

/// Largest relative natural-map residual accepted, recomputed here from its definition.
const TOLERANCE: f64 = 1e-9;

#[test]
fn every_planar_block_is_solved() {
    every_problem_is_solved(Family::PlanarBlock);
    every_problem_is_solved(Family::PlanarBlockRandom);
}

#[test]
fn every_pair_of_contacts_is_solved() {
    every_problem_is_solved(Family::TwoContacts);
}

#[test]
fn every_box_on_its_corners_is_solved() {
    every_problem_is_solved(Family::Box4);
    every_problem_is_solved(Family::Box8);
}

#[test]
fn every_redundant_set_of_seven_contacts_is_solved() {
    every_problem_is_solved(Family::SevenContacts);
}

#[test]
fn every_group_of_four_spheres_is_solved() {
    every_problem_is_solved(Family::FourSpheres);
}

/// Solves [`CASES`] problems only by the first path and checks each from its definition.
fn every_problem_is_solved(family: Family) {
    let settings = lemke::Settings { restarts: 0, ..lemke::Settings::default() };
    let mut workspace = lemke::Workspace::default();
    let mut z = DVector::zeros(0);
    for index in 0..CASES {
        let problem = family.problem(SEED, index);
        let n = problem.dimension();
        z.resize_vertically_mut(n, 0.0);
        let report = lemke::solve(&problem, &settings, &mut workspace, &mut z)
            .expect("sizes and settings are right");
        let name = family.name();
        assert_eq!(report.status, Status::Solved, "{name} {index}: {report:?}");
        let residual = relative_natural_map(&problem, &z);
        assert!(residual <= TOLERANCE, "{name} {index}: residual {residual:e}");
        assert!(z.min() >= 0.0, "{name} {index}: negative impulse");
        // Cycling or wandering would show as a blow-up.
        assert!(report.iterations <= 2 * n, "{name} {index}: {} pivots", report.iterations);
    }
}

fn relative_natural_map(problem: &Problem, z: &DVector<f64>) -> f64 {
    let w = problem.matrix() * z + problem.vector();
    z.zip_map(&w, f64::min).amax() / problem.vector().amax()
}
