//! Solution sets known by hand, and the limits of the enumeration.

use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use proptest::prelude::*;

use super::*;

fn all(matrix: DMatrix<f64>, vector: DVector<f64>) -> SolutionSet {
    let problem = Problem::new(matrix, vector).unwrap();
    let set = solve(&problem, &Settings::default()).unwrap();
    assert_eq!(set.unverified, 0, "{set:?}");
    set
}

#[test]
fn minus_identity_has_a_solution_in_every_basis() {
    let set = all(-DMatrix::identity(6, 6), DVector::from_element(6, 1.0));
    assert_eq!((set.pieces.len(), set.bases, set.singular_bases), (64, 64, 0));
    assert!(set.pieces.iter().all(Piece::is_isolated), "{set:?}");
    for (index, vertex) in set.vertices.iter().enumerate() {
        let bits = DVector::from_fn(6, |i, _| f64::from(u8::from(index >> i & 1 == 1)));
        assert_eq!(vertex.z, bits, "the order is that of binary numbers");
    }
}

#[test]
fn a_degenerate_solution_is_reported_once() {
    let set = all(DMatrix::identity(3, 3), dvector![0.0, 0.0, -1.0]);
    assert_eq!(set.pieces.len(), 1);
    assert_eq!(set.vertices[0].z, dvector![0.0, 0.0, 1.0]);
}

/// `z₁ + z₂ = 1`, `z ≥ 0`.
#[test]
fn a_segment_has_two_ends() {
    let set = all(dmatrix![1.0, 1.0; 1.0, 1.0], dvector![-1.0, -1.0]);
    assert_eq!(set.singular_bases, 1);
    assert_eq!(set.pieces, [Piece { vertices: vec![0, 1], rays: vec![] }]);
    assert_eq!(set.vertices[0].z, dvector![1.0, 0.0]);
    assert_eq!(set.vertices[1].z, dvector![0.0, 1.0]);
}

/// `M = [[1, −1], [−1, 1 + δ]]`, `q = (−1, −1)` has the solution `z = (2/δ + 1, 2/δ)`, by hand. As long as
/// the rounding of `z` is below the tolerance it is found; beyond the rank tolerance, where the matrix counts as singular and its equations contradict one another, the basis is
/// counted. For `δ = 0` there is none.
#[test]
fn a_solution_beyond_the_rank_tolerance_is_announced() {
    let set = |delta: f64| all(dmatrix![1.0, -1.0; -1.0, 1.0 + delta], dvector![-1.0, -1.0]);
    let found = set(1e-4);
    assert!((found.vertices[0].z[1] * 0.5e-4 - 1.0).abs() < 1e-6, "{found:?}");
    assert_eq!((found.far_out_bases, found.singular_bases, found.has_none()), (0, 0, false));
    for delta in [1e-13, 1e-15] {
        let missed = set(delta);
        assert_eq!((missed.far_out_bases, missed.singular_bases, missed.is_empty()), (1, 1, true));
        assert!(!missed.has_none(), "{missed:?}");
    }
    let none = set(0.0);
    assert_eq!((none.far_out_bases, none.singular_bases, none.has_none()), (0, 1, true));
    // Where the equations agree, there is a continuum in place of the far point.
    let segment = all(dmatrix![1.0, 1.0; 1.0, 1.0 + 1e-14], dvector![-1.0, -1.0]);
    assert_eq!((segment.far_out_bases, segment.pieces.len(), segment.has_none()), (0, 1, false));
}

/// `w = 0` for all `z ≥ 0`.
#[test]
fn a_zero_problem_is_solved_by_the_orthant() {
    let set = all(DMatrix::zeros(3, 3), DVector::zeros(3));
    assert_eq!(set.pieces, [Piece { vertices: vec![0], rays: vec![0, 1, 2] }]);
    assert_eq!(set.vertices[0].z, DVector::zeros(3));
    assert_eq!(set.rays[2].z, dvector![0.0, 0.0, 1.0]);
}

/// `w₁ = 0` always and `w₂ = z₁ − 1 ⊥ z₂`: a vertical and a horizontal half-line that share the
/// vertex `(1, 0)`, which belongs to no regular basis.
#[test]
fn a_vertex_without_a_regular_basis_is_found() {
    let set = all(dmatrix![0.0, 0.0; 1.0, 0.0], dvector![0.0, -1.0]);
    assert_eq!(set.vertices.len(), 1);
    assert_eq!(set.vertices[0].z, dvector![1.0, 0.0]);
    let half_line = |ray| Piece { vertices: vec![0], rays: vec![ray] };
    assert_eq!(set.pieces, [half_line(0), half_line(1)]);
}

#[test]
fn a_problem_without_solutions_has_none() {
    let set = all(dmatrix![0.0, 0.0; 0.0, 1.0], dvector![-1.0, 1.0]);
    assert!(set.is_empty(), "{set:?}");
    let set = all(dmatrix![-1.0], dvector![-1.0]);
    assert!(set.is_empty(), "{set:?}");
}

/// The example of Murty on which Lemke's method needs `2ⁿ` pivots; `M` is a P-matrix, so there is
/// one solution, `z = (0, …, 0, 1)`.
#[test]
fn the_exponential_example_of_murty_has_one_solution() {
    let n = 8;
    let matrix = DMatrix::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => 2.0,
        std::cmp::Ordering::Equal => 1.0,
        std::cmp::Ordering::Greater => 0.0,
    });
    let set = all(matrix, DVector::from_element(n, -1.0));
    let mut expected = DVector::zeros(n);
    expected[n - 1] = 1.0;
    assert_eq!(set.pieces.len(), 1);
    assert_eq!(set.vertices[0].z, expected);
}

/// Matching pennies with costs `A`, `B` shifted to be positive: both play each side half the time,
/// `A y = e`, `Bᵀ x = e`; and coordination, with two pure equilibria and one mixed.
#[test]
fn equilibria_of_bimatrix_games_are_all_found() {
    let game = |a: DMatrix<f64>, b: DMatrix<f64>| {
        let mut matrix = DMatrix::zeros(4, 4);
        matrix.view_mut((0, 2), (2, 2)).copy_from(&a);
        matrix.view_mut((2, 0), (2, 2)).copy_from(&b.transpose());
        all(matrix, DVector::from_element(4, -1.0))
    };
    let pennies = game(dmatrix![1.0, 3.0; 3.0, 1.0], dmatrix![3.0, 1.0; 1.0, 3.0]);
    assert_eq!(pennies.pieces.len(), 1);
    assert!((&pennies.vertices[0].z - DVector::from_element(4, 0.25)).amax() < 1e-15);
    let coordination = game(dmatrix![1.0, 2.0; 2.0, 1.0], dmatrix![1.0, 2.0; 2.0, 1.0]);
    assert_eq!(coordination.pieces.len(), 3);
    assert_eq!(coordination.vertices[0].z, dvector![1.0, 0.0, 1.0, 0.0]);
}

/// A block on two frictionless supports under its middle that touch the same point: the impulses share 6 N·s in any
/// ratio, and the change of velocity is 3 m/s.
#[test]
fn a_map_merges_impulses_that_cause_one_velocity() {
    let set = all(dmatrix![0.5, 0.5; 0.5, 0.5], dvector![-3.0, -3.0]);
    let images = set.images(&dmatrix![0.5, 0.5], 1e-9).unwrap();
    assert_eq!(images.len(), 1);
    assert_eq!(images[0].value, dvector![3.0]);
    assert_eq!(images[0].vertices, [0, 1]);
    assert!(images[0].is_isolated, "the velocity is unique");
    let images = set.images(&dmatrix![1.0, 0.0], 1e-9).unwrap();
    assert_eq!(images.len(), 2);
    assert!(!images[0].is_isolated, "the first impulse is not unique");
    let error = set.images(&dmatrix![1.0], 1e-9).unwrap_err();
    assert_eq!(error, MapError::Columns { expected: 2, found: 1 });
    assert_eq!(set.images(&dmatrix![1.0, 1.0], -1.0).unwrap_err(), MapError::Tolerance(-1.0));
}

/// A planar block (1 kg, 0.1 kg m², half a meter high) falls flat on two corners with friction ½ while it slides.
/// Its corners have the same tangents, so friction is shared in any ratio; the velocity after the impact is unique.
#[test]
fn redundant_friction_is_a_continuum_with_one_velocity() {
    let (weight, velocity) = (dvector![1.0, 1.0, 10.0], dvector![0.1, -1.0, 0.0]);
    let corner = |x: f64| [[1.0, 0.0, 0.25], [-1.0, 0.0, -0.25], [0.0, 1.0, x]];
    let (left, right) = (corner(-0.5), corner(0.5));
    let rows = [left[0], left[1], right[0], right[1], left[2], right[2]];
    let j = DMatrix::from_fn(6, 3, |row, column| rows[row][column]);
    let inverse_mass = DMatrix::from_diagonal(&weight);
    let mut m = DMatrix::zeros(8, 8);
    m.view_mut((0, 0), (6, 6)).copy_from(&(&j * &inverse_mass * j.transpose()));
    for (contact, row) in [(0, 6), (1, 7)] {
        m[(row, 4 + contact)] = 0.5;
        for direction in [2 * contact, 2 * contact + 1] {
            m[(direction, row)] = 1.0;
            m[(row, direction)] = -1.0;
        }
    }
    let mut q = DVector::zeros(8);
    q.rows_mut(0, 6).copy_from(&(&j * &velocity));
    let set = all(m, q);
    assert!(set.vertices.len() > 1 && !set.pieces[0].is_isolated(), "{set:?}");
    let mut map = DMatrix::zeros(3, 8);
    map.view_mut((0, 0), (3, 6)).copy_from(&(inverse_mass * j.transpose()));
    let images = set.images(&map, 1e-9).unwrap();
    assert_eq!(images.len(), 1, "{images:?}");
    assert!(
        images[0].is_isolated && (&images[0].value + velocity).amax() < 1e-12,
        "the block rests"
    );
}

#[test]
fn points_between_vertices_belong_to_their_piece() {
    let problem = Problem::new(dmatrix![1.0, 1.0; 1.0, 1.0], dvector![-1.0, -1.0]).unwrap();
    let set = solve(&problem, &Settings::default()).unwrap();
    assert_eq!(set.piece_with(&problem, &dvector![0.3, 0.7], 1e-9), Some(0));
    assert_eq!(set.piece_with(&problem, &dvector![0.3, 0.8], 1e-9), None);
}

#[test]
fn sizes_and_settings_out_of_range_are_refused() {
    let problem = Problem::new(DMatrix::identity(3, 3), DVector::zeros(3)).unwrap();
    let refuse = |settings| solve(&problem, &settings).unwrap_err();
    let error = refuse(Settings { max_dimension: 2, ..Settings::default() });
    assert_eq!(error, Error::TooLarge { dimension: 3, limit: 2 });
    assert_eq!(error.to_string(), "problem has 3 unknowns, expected at most 2");
    for settings in [
        Settings { max_dimension: 31, ..Settings::default() },
        Settings { tolerance: f64::NAN, ..Settings::default() },
        Settings { rank_tolerance: 0.0, ..Settings::default() },
    ] {
        assert!(matches!(refuse(settings), Error::Setting { .. }), "{settings:?}");
    }
}

/// The maximal faces of all bases, none of them excluded by signs.
fn every_basis(problem: &Problem) -> SolutionSet {
    let settings = Settings::default();
    let (scaled, equilibration) = Equilibration::of(problem);
    let (mut basis, mut faces) = (Basis::default(), Faces::default());
    for alpha in 0..1_u32 << problem.dimension() {
        faces.bases += 1;
        basis.factor(&scaled, alpha, settings.rank_tolerance);
        let generators = face::generators(&scaled, alpha, &basis, settings.tolerance).unwrap();
        let generators = generators.unwrap_or_default();
        faces.insert(problem, &equilibration, alpha, &generators, settings.tolerance);
    }
    faces.maximal()
}

proptest! {
    #[test]
    fn excluding_bases_by_signs_loses_nothing(
        entries in prop::collection::vec(-1_i8..2, 25),
        vector in prop::collection::vec(-1_i8..2, 5),
    ) {
        let m = DMatrix::from_iterator(5, 5, entries.into_iter().map(f64::from));
        let q = DVector::from_iterator(5, vector.into_iter().map(f64::from));
        let problem = Problem::new(m, q).unwrap();
        let (set, full) = (solve(&problem, &Settings::default()).unwrap(), every_basis(&problem));
        prop_assert_eq!(set.pieces, full.pieces);
        prop_assert_eq!(set.vertices.len(), full.vertices.len());
        for (vertex, other) in set.vertices.iter().zip(&full.vertices) {
            prop_assert!((&vertex.z - &other.z).amax() <= 1e-12 * (1.0 + vertex.z.amax()));
        }
    }

    /// Entries from {−2, …, 2} make singular bases and degenerate solutions common. The units of the
    /// rows span `2¹²`: the rounding of `M z`, about `2¹² · 2⁶ · 2⁻⁵³` of `q`, stays below the
    /// tolerance of about `2⁻³⁰`.
    #[test]
    fn the_set_follows_permutations_and_units(
        entries in prop::collection::vec(-2_i8..3, 16),
        vector in prop::collection::vec(-2_i8..3, 4),
        exponents in prop::collection::vec(-6_i32..7, 8),
    ) {
        let m = DMatrix::from_iterator(4, 4, entries.into_iter().map(f64::from));
        let q = DVector::from_iterator(4, vector.into_iter().map(f64::from));
        let set = all(m.clone(), q.clone());
        let order = [2, 0, 3, 1];
        let permuted = all(
            DMatrix::from_fn(4, 4, |i, j| m[(order[i], order[j])]),
            DVector::from_fn(4, |i, _| q[order[i]]),
        );
        let unit = |i: usize| f64::from(exponents[i]).exp2();
        let scaled = all(
            DMatrix::from_fn(4, 4, |i, j| unit(i) * m[(i, j)] * unit(4 + j)),
            DVector::from_fn(4, |i, _| unit(i) * q[i]),
        );
        for other in [&permuted, &scaled] {
            prop_assert_eq!(other.vertices.len(), set.vertices.len());
            prop_assert_eq!(other.rays.len(), set.rays.len());
            prop_assert_eq!(other.pieces.len(), set.pieces.len());
        }
        for (scaled, vertex) in scaled.vertices.iter().zip(&set.vertices) {
            for i in 0..4 {
                let z = scaled.z[i] * unit(4 + i);
                prop_assert!((z - vertex.z[i]).abs() <= 1e-12 * (1.0 + vertex.z.amax()));
            }
        }
    }

    /// Midpoints of vertices of a piece, and points along its rays, are solutions.
    #[test]
    fn pieces_are_convex_and_consist_of_solutions(
        entries in prop::collection::vec(-1_i8..2, 16),
        vector in prop::collection::vec(-1_i8..2, 4),
    ) {
        let m = DMatrix::from_iterator(4, 4, entries.into_iter().map(f64::from));
        let q = DVector::from_iterator(4, vector.into_iter().map(f64::from));
        let problem = Problem::new(m.clone(), q.clone()).unwrap();
        let set = all(m, q);
        for piece in &set.pieces {
            let count = f64::from(u32::try_from(piece.vertices.len()).unwrap());
            let vertices = piece.vertices.iter().map(|&k| set.vertices[k].z.clone());
            let mut point = vertices.sum::<DVector<f64>>() / count;
            for &k in &piece.rays {
                point += 3.0 * &set.rays[k].z;
            }
            prop_assert!(problem.natural_map_residual(&point) <= 1e-12);
            prop_assert!(set.piece_with(&problem, &point, 1e-9).is_some());
        }
    }
}
