//! Answers that the judge of blocks takes, and wrong ones that it refuses.

use super::*;

fn verdict(set: Set, b: &[f64], impulse: &[f64]) -> Verdict {
    let rows = b.len();
    let identity: Vec<f64> =
        (0..rows * rows).map(|k| f64::from(u8::from(k % (rows + 1) == 0))).collect();
    let blocks = [Block { rows, length: 1.0, set }];
    let problem =
        Problem { operator: &identity, free_velocity: b, blocks: &blocks, relaxed: false };
    judge(&problem, impulse, 1e-10)
}

#[test]
fn ellipses_are_judged_by_their_normals() {
    let set = || Set::Ellipsoids(vec![vec![0.5, 0.1]]);
    // Slip along (1, 5) with λ_n = 1: the friction is −A² t/‖A t‖ with A t = (0.5, 0.5).
    let root = 0.5_f64.sqrt();
    let right = [1.0, -0.5 * root, -0.1 * root];
    let b = [-1.0, 1.0 - right[1], 5.0 - right[2]];
    assert!(verdict(set(), &b, &right).holds(), "{}", verdict(set(), &b, &right));
    let b = [-1.0, 1.0 - right[1], 4.9 - right[2]];
    assert!(verdict(set(), &b, &right).refuses("slip"));
    assert!(verdict(set(), &b, &[1.0, -0.5, -0.1]).refuses("cone"));
    assert!(verdict(set(), &[-1.0, 0.0, 0.0], &[0.5, 0.0, 0.0]).refuses("approach"));
    assert!(verdict(set(), &[1.0, 0.0, 0.0], &[0.5, 0.0, 0.0]).refuses("complementarity"));
}

#[test]
fn corners_of_polygons_bear_a_range_of_slips() {
    let square =
        || Set::Polygon(vec![[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [0.1, 0.0]]);
    for slip in [[3.0, 1.0], [1.0, 3.0]] {
        let b = [-1.0, slip[0] + 1.0, slip[1] + 1.0];
        assert!(verdict(square(), &b, &[1.0, -1.0, -1.0]).holds());
    }
    let b = [-1.0, 3.0 + 1.0, 1.0 + 0.5];
    assert!(verdict(square(), &b, &[1.0, -1.0, -0.5]).refuses("slip"));
    assert!(verdict(square(), &[-1.0, 1.0, 1.5], &[1.0, -1.0, -1.5]).refuses("cone"));
    // Straight slip on an edge, and sticking inside.
    assert!(verdict(square(), &[-1.0, 3.0, 0.3], &[1.0, -1.0, -0.3]).holds());
    assert!(verdict(square(), &[-1.0, 0.3, 0.2], &[1.0, -0.3, -0.2]).holds());
}

#[test]
fn a_polygon_of_nothing_but_the_origin_has_no_friction() {
    let set = || Set::Polygon(vec![[0.0, 0.0], [-0.0, 0.0]]);
    assert!(verdict(set(), &[-1.0, 0.0, 0.0], &[1.0, 0.0, 0.0]).holds());
    assert!(verdict(set(), &[-1.0, 3.0, 0.0], &[1.0, 0.0, 0.0]).holds());
    assert!(verdict(set(), &[-1.0, 3.0, 0.0], &[1.0, -0.1, 0.0]).refuses("cone"));
}

#[test]
fn components_of_rolling_have_cones_of_their_own() {
    let set = || Set::Ellipsoids(vec![vec![0.5, 0.5], vec![0.1], vec![0.2, 0.2]]);
    // Only the rolling moment is at its bound; in the length 0.2 it slips.
    let b = [-1.0, 0.3, 0.0, 0.05, 1.2, 0.0];
    let right = [1.0, -0.3, 0.0, -0.05, -0.2, 0.0];
    assert!(verdict(set(), &b, &right).holds(), "{}", verdict(set(), &b, &right));
    let less = [1.0, -0.3, 0.0, -0.05, -0.19, 0.0];
    assert!(verdict(set(), &b, &less).refuses("slip"));
}

#[test]
fn a_half_axis_of_zero_allows_nothing() {
    let set = || Set::Ellipsoids(vec![vec![0.5, 0.0]]);
    assert!(verdict(set(), &[-1.0, 0.3, 2.0], &[1.0, -0.3, 0.0]).holds());
    assert!(verdict(set(), &[-1.0, 0.3, 2.0], &[1.0, -0.3, -0.1]).refuses("cone"));
}

#[test]
fn welds_that_contradict_each_other_have_no_solution() {
    let blocks = [Block { rows: 2, length: 1.0, set: Set::Bilateral }];
    let problem = Problem {
        operator: &[1.0, 1.0, 1.0, 1.0],
        free_velocity: &[1.0, 2.0],
        blocks: &blocks,
        relaxed: false,
    };
    assert!(judge_infeasible(&problem, &[1.0, -1.0]).holds());
    assert!(judge_infeasible(&problem, &[-1.0, 1.0]).refuses("drive"));
    assert!(judge_infeasible(&problem, &[1.0, 0.0]).refuses("effect"));
    assert!(judge(&problem, &[-1.5, 0.0], 1e-10).refuses("joint"));
}

#[test]
fn the_relaxation_lifts_what_slides() {
    let blocks = [Block { rows: 2, length: 1.0, set: Set::Ellipsoids(vec![vec![0.5]]) }];
    let operator = [0.5, 0.0, 0.0, 0.5];
    let problem = Problem {
        operator: &operator,
        free_velocity: &[-2.0, 3.0],
        blocks: &blocks,
        relaxed: true,
    };
    assert!(judge(&problem, &[5.6, -2.8], 1e-10).holds());
    assert!(judge(&problem, &[4.0, -2.0], 1e-10).refuses("approach"));
    assert!(judge(&Problem { relaxed: false, ..problem }, &[4.0, -2.0], 1e-10).holds());
}

#[test]
fn compliances_whose_product_overflows_are_judged() {
    let set = Set::Ellipsoids(vec![vec![0.5, 0.0]]);
    let blocks = [Block { rows: 3, length: 1.0, set }];
    let operator = [1e200, 0.0, 0.0, 0.0, 1e200, 0.0, 0.0, 0.0, 1e200];
    let free_velocity = [1.0, 0.0, 3.0];
    let problem = Problem {
        operator: &operator,
        free_velocity: &free_velocity,
        blocks: &blocks,
        relaxed: false,
    };
    assert!(judge(&problem, &[0.0; 3], 1e-10).holds(), "{}", judge(&problem, &[0.0; 3], 1e-10));
    assert!(judge(&problem, &[0.0, 0.0, 1e-200], 1e-10).refuses("cone"));
}

/// With a half axis of 1e160 the parameter of the nearest point is a product of two of them.
#[test]
fn nearest_points_of_huge_ellipsoids_are_found() {
    for unit in [1.0, 1e160, 1e-160] {
        let near = nearest_of_ellipsoid(&[unit, 2.0 * unit], &[3.0 * unit, 0.0]);
        assert!((near[0] / unit - 1.0).abs() < 1e-12 && near[1] == 0.0, "{unit}: {near:?}");
        let near = nearest_of_ellipsoid(&[unit, unit], &[3.0 * unit, 4.0 * unit]);
        assert!((near[0] / unit - 0.6).abs() < 1e-12, "{unit}: {near:?}");
        assert!((near[1] / unit - 0.8).abs() < 1e-12, "{unit}: {near:?}");
    }
}

fn block(rows: usize, set: Set) -> Block {
    Block { rows, length: 1.0, set }
}

/// `J Jᵀ` by rows.
fn gram(jacobian: &[&[f64]]) -> Vec<f64> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum();
    jacobian.iter().flat_map(|a| jacobian.iter().map(move |b| dot(a, b))).collect()
}

#[test]
fn what_cannot_help_is_no_flaw_of_a_proof() {
    // A weld on which nothing but a limit can push, in one direction: `g = (0, −1)` or `(0, 1)`.
    let refused = |own: f64, pull: f64, second: Set| {
        let operator = [own, pull, pull, 0.0];
        let blocks = [block(1, Set::Bilateral), block(1, second)];
        let free_velocity = [-1.0, 0.0];
        let problem = Problem {
            operator: &operator,
            free_velocity: &free_velocity,
            blocks: &blocks,
            relaxed: false,
        };
        let verdict = judge_infeasible(&problem, &[1.0, 0.0]);
        assert_eq!(verdict.refuses("effect"), !verdict.holds(), "{verdict}");
        verdict.refuses("effect")
    };
    assert!(!refused(0.0, -1.0, Set::Unilateral));
    assert!(refused(0.0, 1.0, Set::Unilateral), "the limit can push");
    assert!(refused(0.0, -1.0, Set::Bilateral), "a weld can pull");
    assert!(refused(1.0, -1.0, Set::Unilateral), "the weld moves itself");
}

#[test]
fn a_contact_helps_along_its_normal_and_within_its_section() {
    let contact = |axes: Vec<f64>| block(3, Set::Ellipsoids(vec![axes]));
    let polygon = |friction: f64| {
        block(3, Set::Polygon(vec![[friction, 0.0], [-friction, 0.0], [0.0, friction]]))
    };
    // The weld is the first row; `g` of the contact is `(−1, 0.5, 0)`.
    let mut operator = vec![0.0; 16];
    for (row, entry) in [(1, -1.0), (2, 0.5)] {
        operator[row] = entry;
        operator[4 * row] = entry;
        operator[5 * row] = 1.0;
    }
    let free_velocity = [-1.0, 0.0, 0.0, 0.0];
    for (blocks, holds) in [
        ([block(1, Set::Bilateral), contact(vec![1.9, 0.0])], true),
        ([block(1, Set::Bilateral), contact(vec![2.1, 0.0])], false),
        ([block(1, Set::Bilateral), contact(vec![0.0, 9.0])], true),
        ([block(1, Set::Bilateral), polygon(1.9)], true),
        ([block(1, Set::Bilateral), polygon(2.1)], false),
    ] {
        let problem = Problem {
            operator: &operator,
            free_velocity: &free_velocity,
            blocks: &blocks,
            relaxed: false,
        };
        let verdict = judge_infeasible(&problem, &[1.0, 0.0, 0.0, 0.0]);
        assert_eq!(verdict.holds(), holds, "{blocks:?}: {verdict}");
    }
}

#[test]
fn rows_of_far_units_prove_nothing_by_being_small() {
    // The limit could help by 0.2 of what its row can; in the units of the weld that is `2e-16`.
    let rows: [&[f64]; 2] = [&[1e-6, 0.0], &[0.9e9, 4.358_898_943_540_673e8]];
    let operator = gram(&rows);
    let blocks = [block(1, Set::Bilateral), block(1, Set::Unilateral)];
    let problem = Problem {
        operator: &operator,
        free_velocity: &[1.0, 0.0],
        blocks: &blocks,
        relaxed: false,
    };
    let verdict = judge_infeasible(&problem, &[-1.0, 1e-15 / 0.9]);
    assert!(verdict.refuses("effect"), "{verdict}");
}

/// Powers of `1e150` times `1e150` and squares of `1e160` do not overflow.
#[test]
fn sizes_do_not_matter() {
    let operator = |unit: f64| [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0].map(|w| w * unit);
    let octagon: Vec<[f64; 2]> = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
        .map(|k| (k * std::f64::consts::FRAC_PI_4).sin_cos())
        .map(|(y, x)| [0.5 * x, 0.5 * y])
        .to_vec();
    for set in [Set::Ellipsoids(vec![vec![0.5, 0.5]]), Set::Polygon(octagon)] {
        let blocks = [block(3, set)];
        for (mass, speed) in [(1.0, 1.0), (1e-150, 1e150), (1.0, 1e160), (1.0, 1e-160)] {
            let operator = operator(mass);
            let free_velocity = [-2.0 * speed, 3.0 * speed, 0.0];
            let problem = Problem {
                operator: &operator,
                free_velocity: &free_velocity,
                blocks: &blocks,
                relaxed: false,
            };
            let pushed = |tangent: f64| [2.0 * speed / mass, tangent * speed / mass, 0.0];
            let verdict = judge(&problem, &pushed(-1.0), 1e-9);
            assert!(verdict.holds(), "{mass:e}, {speed:e}: {verdict}");
            for wrong in [0.9, -0.9, -1.1, -1.0 + 1e-6, 0.0] {
                let verdict = judge(&problem, &pushed(wrong), 1e-9);
                assert!(!verdict.holds(), "{mass:e}, {speed:e}: {wrong}");
            }
        }
    }
}
