//! Tests of the figures against the law, part by part.
#![expect(clippy::float_cmp, reason = "these numbers are exact")]

use nalgebra::{Matrix3, Vector3, matrix, vector};
use proptest::prelude::*;

use super::*;
use crate::friction::{cone, single};

fn contact(friction: f64) -> Contact {
    Contact::new(&Matrix3::identity(), friction).unwrap()
}

/// A block with the size 2, whose normal and first tangent are coupled.
fn coupled(friction: f64) -> Contact {
    Contact::new(&matrix![2.0, 0.5, 0.0; 0.5, 2.0, 0.0; 0.0, 0.0, 2.0], friction).unwrap()
}

#[test]
fn each_part_of_the_law_has_its_figure() {
    let of = |friction: f64, impulse: Vector3<f64>, velocity: Vector3<f64>| {
        let contact = Contact::new(&(2.0 * Matrix3::identity()), friction).unwrap();
        let f = Figures::of(Law::Coulomb, &contact, &impulse, &velocity);
        [f.approach, f.adhesion, f.cone, f.complementarity, f.slip]
    };
    let zero = Vector3::zeros();
    // No impulse, open, sticking, sliding on the boundary against the friction: all figures are zero.
    assert_eq!(of(0.5, zero, zero), [0.0; 5]);
    assert_eq!(of(0.5, zero, vector![1.0, 2.0, 3.0]), [0.0; 5]);
    assert_eq!(of(0.5, vector![4.0, 1.0, 1.0], zero), [0.0; 5]);
    assert_eq!(of(0.5, vector![4.0, 2.0, 0.0], vector![0.0, -3.0, 0.0]), [0.0; 5]);
    // w = 2 turns impulses into velocities.
    assert_eq!(of(0.5, zero, vector![-3.0, 2.0, 0.0]), [3.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(of(0.5, vector![-4.0, 0.0, 0.0], zero), [0.0, 8.0, 0.0, 0.0, 0.0]);
    assert_eq!(of(0.5, vector![4.0, 0.0, 5.0], zero), [0.0, 0.0, 6.0, 0.0, 6.0]);
    assert_eq!(of(0.5, vector![4.0, 0.0, 0.0], vector![3.0, 0.0, 0.0])[3], 3.0);
    assert_eq!(of(0.5, vector![1.0, 0.0, 0.0], vector![3.0, 0.0, 0.0])[3], 2.0);
    // A tangential impulse violates complementarity of an open contact, however small the normal impulse is.
    assert_eq!(of(1e8, vector![1e-8, 1.0, 0.0], vector![3.0, -1.0, 0.0])[3], 2.0);
    // Slip within the cone, slip along the friction, slip across it: the figure is never more than the slip.
    assert_eq!(of(0.5, vector![8.0, 1.0, 0.0], vector![0.0, -3.0, 0.0])[4], 3.0);
    assert_eq!(of(0.5, vector![8.0, 3.75, 0.0], vector![0.0, -3.0, 0.0])[4], 0.5);
    assert_eq!(of(0.5, vector![8.0, 4.0, 0.0], vector![0.0, 3.0, 0.0])[4], 3.0);
    // w p_T − u_T = (12, −5) of length 13 is projected to the radius of 8.
    let [.., slip] = of(0.5, vector![8.0, 4.0, 0.0], vector![0.0, -4.0, 5.0]);
    assert!((slip - (8.0 - 96.0 / 13.0_f64).hypot(40.0 / 13.0)).abs() < 1e-14, "{slip}");
    // A very small friction force may act in any direction.
    assert!(of(0.5, vector![1e-9, 5e-10, 0.0], vector![0.0, 3.0, 0.0])[4] <= 2e-9);
    // Without friction slip is allowed, and tangential impulses are not.
    assert_eq!(of(0.0, vector![4.0, 0.0, 0.0], vector![0.0, 3.0, 4.0]), [0.0; 5]);
    assert_eq!(of(0.0, vector![4.0, 1.0, 0.0], vector![0.0, 3.0, 4.0])[2], 2.0);
}

/// Symptom: for `W = I`, `u = (−1, 0.5, 0.1)` and `μ = 10⁸` no impulse was accepted as a solution, with 1 m/s of
/// approach; at `10⁵` answers were wrong by a tenth. Cause: the distance of `û` from the dual cone divides the
/// approach by `√(1 + μ²)`. Expected: the approach itself.
#[test]
fn strong_friction_hides_no_approach() {
    for friction in [0.0, 1.0, 1e5, 1e8, 1e300] {
        let velocity = vector![-1.0, 0.5, 0.1];
        for law in [Law::Coulomb, Law::MaximumDissipation] {
            for contact in [contact(friction), coupled(friction)] {
                let figures = Figures::of(law, &contact, &Vector3::zeros(), &velocity);
                assert!(figures.largest() >= 1.0, "{law:?} {friction} {figures:?}");
            }
            let figures =
                Figures::of(law, &contact(friction), &vector![1.0, 0.0, 0.0], &Vector3::zeros());
            assert_eq!(figures.largest(), 0.0, "sticking is no matter of μ");
        }
    }
}

/// Symptom: no impulse was accepted under maximum dissipation although `b_n = 0`, `μ‖a‖ > A_nn` and a jam dissipates
/// energy. Cause: without an impulse every slip was allowed. Expected: the closed form decides.
#[test]
fn a_contact_that_jams_by_itself_is_struck() {
    let block = matrix![1.0, 0.006, -0.004; 0.006, 1.0, -0.009; -0.004, -0.009, 1.0];
    let contact = Contact::new(&block, 4000.0).unwrap();
    let figures =
        Figures::of(Law::MaximumDissipation, &contact, &Vector3::zeros(), &vector![0.0, 0.0, -1.0]);
    assert!(figures.slip > 0.1, "{figures:?}");
}

/// Symptom: the same for a singular block, for which a jam dissipates unbounded energy and the closed form has no
/// answer. Cause: without an impulse every slip was accepted. Expected: `−u_T` is a multiple of `k + e`, here within
/// 45° of (1, 1), or no impulse is wrong.
#[test]
fn a_singular_contact_that_jams_by_itself_is_not_left_alone() {
    let contact = Contact::new(&Matrix3::repeat(64.0), 1.0).unwrap();
    let of = |t: f64, o: f64| {
        Figures::of(Law::MaximumDissipation, &contact, &Vector3::zeros(), &vector![0.0, t, o]).slip
    };
    assert!((of(0.25, 0.0) - 0.25).abs() < 1e-15);
    assert!((of(0.25, -0.5) - 0.25).abs() < 1e-15, "the nearest is (0, 0.5)");
    assert!(of(0.25, 0.5) > 0.5);
    assert!(of(-0.25, 0.0) < 1e-15, "on the edge");
    assert_eq!(of(-0.25, -0.5), 0.0);
    // Slip outside the normals of a narrow cone has no root of the quadratic equation: 45° from an axis with the
    // sine 1/‖k‖.
    let narrow = Contact::new(&Matrix3::repeat(512.0), 9.75).unwrap();
    let figures =
        Figures::of(Law::MaximumDissipation, &narrow, &Vector3::zeros(), &vector![0.0, 0.0, -1.0]);
    let expected = (std::f64::consts::FRAC_PI_4 - (1.0 / (9.75 * 2.0_f64.sqrt())).asin()).sin();
    assert!((figures.slip - expected).abs() < 1e-14, "{figures:?}");
    // A contact that opens has no impulse for any slip.
    let opens = vector![1e-9, 0.25, 0.0];
    let figures = Figures::of(Law::MaximumDissipation, &contact, &Vector3::zeros(), &opens);
    assert_eq!(figures.largest(), 0.0);
}

/// Symptom: a slip of 27 mm/s that was 2.6 µrad off the friction was accepted. Cause: it was lost in velocities of
/// impulses, 6e10 m/s. Expected: the figure is the component across, however large the impulse is.
#[test]
fn faint_slip_beside_large_impulses_is_seen() {
    let contact = contact(1.0);
    let impulse = vector![1e10, 6e9, 8e9];
    let of = |along: f64, across: f64| {
        let velocity = vector![0.0, 0.6 * along - 0.8 * across, 0.8 * along + 0.6 * across];
        Figures::of(Law::Coulomb, &contact, &impulse, &velocity).slip
    };
    assert!((of(-1e-3, 1e-6) - 1e-6).abs() < 1e-15);
    assert!(of(-1e-3, 0.0) < 1e-15);
    assert!((of(1e-3, 1e-6) - 1e-3).abs() < 1e-8, "friction does not drive");
    // Friction along one tangent.
    for p in [[1e10, 0.0], [0.0, 1e10]] {
        let u = p.map(|p| -1e-13 * p + if p == 0.0 { 1e-6 } else { 0.0 });
        assert!((off_disk(p, u, 1e10) - 1e-6).abs() < 1e-15, "{p:?}");
    }
    // The same with small impulses.
    for size in [1e3, 1e5, 1e7] {
        let impulse = impulse * (size / 1e10);
        let velocity = vector![0.0, -0.6, -0.8] + vector![0.0, -0.008, 0.006];
        let figures = Figures::of(Law::Coulomb, &contact, &impulse, &velocity);
        assert!((figures.slip - 0.01).abs() < 0.02 / size + 1e-9, "{size} {figures:?}");
    }
}

/// Symptom: two contacts at the same place were solved by maximum dissipation with 0.92 m/s of slip in a wrong
/// direction. Cause: `b_n` was only rounding, so the closed form returned its guess with an undetermined length, and
/// the check used the same form. Expected: the better of the two rays, by hand `r = drive/bend` along (−0.8, −0.6).
#[test]
fn the_length_of_a_jam_is_determined_without_approach() {
    let block = matrix![8.0, 4.0, 8.0; 4.0, 4.0, 4.0; 8.0, 4.0, 17.0];
    let contact = Contact::new(&block, 1.0).unwrap();
    let wrong = vector![1.0, -0.8, -0.6];
    let tangential = vector![-3.6168, -1.1752];
    let r = (0.8 * 3.6168 + 0.6 * 1.1752) / (2.0 * 0.64 + 9.0 * 0.36);
    let right = r * wrong;
    for normal in [0.0, 1e-18, 1e-16, 4e-16, 1e-14, 1e-10] {
        let b = vector![normal, tangential[0], tangential[1]];
        let figures = |impulse: &Vector3<f64>| {
            let velocity = block * impulse - b;
            Figures::of(Law::MaximumDissipation, &contact, impulse, &velocity)
        };
        assert!(figures(&wrong).slip > 0.5, "{normal} {:?}", figures(&wrong));
        let found = single::solve(Law::MaximumDissipation, &contact, &b).unwrap();
        assert!((found - right).norm() < 1e-8, "{normal} {found}");
        assert!(figures(&right).slip < 1e-8, "{normal} {:?}", figures(&right));
    }
}

/// Maximum dissipation of a coupled contact: by hand, `b = (1, q, 0)` with `A = [[2, ½], [½, 2]]`, `μ = ½`: on the boundary
/// `y = μ (1 − y/2)/2`, so `y = 2/9` and `x_n = 4/9`, where the slip is `½ x_n + 2 y − q = 2/3 − q`.
#[test]
fn maximum_dissipation_slides_along_the_normal_of_the_edge() {
    let contact = coupled(0.5);
    let impulse = vector![4.0 / 9.0, 2.0 / 9.0, 0.0];
    let velocity = |q: f64| vector![0.0, 2.0 / 3.0 - q, 0.0];
    let of = |u: &Vector3<f64>| Figures::of(Law::MaximumDissipation, &contact, &impulse, u);
    assert!(of(&velocity(1.0)).largest() < 1e-14, "slides back");
    assert!(of(&velocity(0.5)).slip > 0.1, "friction does not drive");
    // In the plane of both tangents ν = (1 + μ a/A_nn, 0) for this impulse, rotated with a for others.
    let turned = vector![4.0 / 9.0, 0.0, 2.0 / 9.0];
    let along = vector![0.0, -0.125, -1.0];
    let figures = Figures::of(Law::MaximumDissipation, &contact, &turned, &along);
    assert!(figures.slip < 1e-14, "{figures:?}");
    assert!(
        Figures::of(Law::Coulomb, &contact, &turned, &along).slip > 0.03,
        "other than Coulomb's"
    );
    // A contact that opens by itself has no impulse: (u − A p)_n = 2 − 8/9 − 1/9.
    assert!((of(&vector![2.0, 0.0, 0.0]).complementarity - 1.0).abs() < 0.02);
    assert!(of(&vector![1.2, 0.0, 0.0]).complementarity > 0.19);
}

#[test]
fn what_is_not_finite_is_infinite() {
    let contact = contact(0.5);
    for law in [Law::Coulomb, Law::MaximumDissipation] {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for entry in 0..3 {
                let mut wrong = Vector3::zeros();
                wrong[entry] = bad;
                let zero = Vector3::zeros();
                assert_eq!(Figures::of(law, &contact, &wrong, &zero).largest(), f64::INFINITY);
                assert_eq!(Figures::of(law, &contact, &zero, &wrong).largest(), f64::INFINITY);
            }
        }
    }
}

proptest! {
    /// Both directions of the head of the module: a state within `ε` of one that satisfies the law has figures of at
    /// most `3 ε`, and figures of `ε` mean that with a friction within `ε` of this one the contact sticks or slides
    /// within `ε`.
    #[test]
    fn figures_are_small_where_the_law_nearly_holds_and_nowhere_else(
        p in prop::array::uniform3(-1.0..1.0), u in prop::array::uniform3(-1.0..1.0),
        size in -9.0..0.0, which in 0..4, friction in prop::sample::select(vec![0.0, 0.3, 1.0, 50.0, 1e8]),
        off in prop::array::uniform3(-1.0..1.0), other in prop::array::uniform3(-1.0..1.0),
    ) {
        let (p, u): (Vector3<f64>, Vector3<f64>) = (p.into(), u.into());
        let contact = contact(friction);
        // A state that satisfies the law: no impulse, open, sticking, sliding.
        let (impulse, velocity) = match which {
            0 => (p, u),
            1 => (Vector3::zeros(), vector![u.x.abs(), u.y, u.z]),
            2 => (cone::project(&p, friction), Vector3::zeros()),
            _ => {
                let normal = p.x.abs();
                let edge = p.yz().normalize() * (friction * normal);
                let slip = -edge * u.x.abs();
                (vector![normal, edge.x, edge.y], vector![0.0, slip.x, slip.y])
            }
        };
        let size = 10_f64.powf(size) / 3.0_f64.sqrt();
        let mut impulse = impulse + Vector3::<f64>::from(off) * size;
        // The limit of friction must not move by more than that either.
        if friction > 1.0 {
            impulse.x -= off[0] * size * (1.0 - 1.0 / friction);
        }
        let velocity = velocity + Vector3::<f64>::from(other) * size;
        let figures = Figures::of(Law::Coulomb, &contact, &impulse, &velocity);
        let rounding = 1e-14 * (1.0 + impulse.norm() + velocity.norm());
        if which > 0 {
            let within = size * 3.0_f64.sqrt();
            prop_assert!(figures.largest() <= 3.0 * within + rounding, "{figures:?} {within}");
        }
        let e = figures.largest() + rounding;
        prop_assert!(velocity.x >= -e && impulse.x >= -e);
        prop_assert!(impulse.norm() <= e || velocity.x.abs() <= e);
        let limit = friction * impulse.x.max(0.0);
        prop_assert!(impulse.yz().norm() <= limit + e);
        let trial = impulse.yz() - velocity.yz();
        let inside = trial.norm() <= limit;
        let d = if inside { trial } else { trial * (limit / trial.norm()) };
        prop_assert!((d - impulse.yz()).norm() <= e && d.norm() <= limit + rounding);
        if inside {
            prop_assert!(velocity.yz().norm() <= e, "sticks");
        } else if limit > 0.0 {
            let along = -velocity.yz().dot(&d).min(0.0) / d.norm_squared().max(1e-300);
            prop_assert!((velocity.yz() + d * along).norm() <= e, "slides");
        }
    }
}

/// The conditions of maximum dissipation as the head of the module states them, by bisection and search: `ũ = u + s k`
/// has the length `s`, and friction `p` opposes it.
mod dissipative {
    use std::f64::consts::TAU;

    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// All `s ≥ 0` with `‖u + s k‖ = s`, by their signs on a grid that is finer near zero.
    fn lengths(k: [f64; 2], u: [f64; 2]) -> Vec<f64> {
        let excess = |s: f64| (u[0] + s * k[0]).hypot(u[1] + s * k[1]) - s;
        let grid = |i: i32| 1e-4 * 1.01_f64.powi(i);
        let mut found = Vec::new();
        for i in 0..2000 {
            let (mut left, mut right) = (grid(i), grid(i + 1));
            if (excess(left) > 0.0) == (excess(right) > 0.0) {
                continue;
            }
            for _ in 0..60 {
                let middle = 0.5 * (left + right);
                if (excess(middle) > 0.0) == (excess(left) > 0.0) {
                    left = middle;
                } else {
                    right = middle;
                }
            }
            found.push(0.5 * (left + right));
        }
        found
    }

    /// The least value of a function on a grid, improved around its best point.
    fn least(mut from: f64, mut to: f64, function: impl Fn(f64) -> f64) -> f64 {
        let mut best = f64::INFINITY;
        for _ in 0..12 {
            let at = |i: i32| from + (to - from) * f64::from(i) / 60.0;
            let i = (0..=60).min_by(|i, j| function(at(*i)).total_cmp(&function(at(*j)))).unwrap();
            best = best.min(function(at(i)));
            (from, to) = (at((i - 1).max(0)), at((i + 1).min(60)));
        }
        best
    }

    fn stated(k: [f64; 2], p: [f64; 2], u: [f64; 2], limit: f64, opens: bool) -> f64 {
        let (slip, size) = (u[0].hypot(u[1]), p[0].hypot(p[1]));
        if slip == 0.0 {
            return (size - limit).max(0.0);
        }
        let with = |s: f64| {
            let trial = [p[0] - u[0] - s * k[0], p[1] - u[1] - s * k[1]];
            let length = trial[0].hypot(trial[1]);
            if length <= limit {
                return slip;
            }
            let nearest = trial.map(|x| x * limit / length);
            (p[0] - nearest[0]).hypot(p[1] - nearest[1])
        };
        let roots = lengths(k, u).into_iter().map(with);
        if k[0].hypot(k[1]) < 1.0 {
            return roots.fold(f64::INFINITY, f64::min);
        }
        let e = p.map(|x| x / size);
        let along = least(0.0, 1e3, |s| (u[0] + s * (e[0] + k[0])).hypot(u[1] + s * (e[1] + k[1])));
        let slides = (limit - size).abs().max(along);
        // min ‖u + s (k + e)‖ over ‖e‖ ≤ 1 is max(0, ‖u + s k‖ − s).
        let normals = least(0.0, 1e3, |s| ((u[0] + s * k[0]).hypot(u[1] + s * k[1]) - s).max(0.0));
        let nothing = size.max(limit).max(if opens { 0.0 } else { normals });
        roots.fold(f64::INFINITY, f64::min).min(slip).min(slides).min(nothing)
    }

    #[test]
    fn the_slip_is_the_distance_from_the_stated_conditions() {
        let mut random = ChaCha8Rng::seed_from_u64(71);
        let mut parts = [0; 4];
        for _ in 0..600 {
            let (s, c) = random.random_range(0.0..TAU).sin_cos();
            let size = random.random_range(0.0..3.0);
            let k = [size * c, size * s];
            let mut p = [0; 2].map(|_| random.random_range(-1.0..1.0));
            let mut limit = random.random_range(0.0..1.5);
            let mut u = [0; 2].map(|_| random.random_range(-1.0..1.0));
            match random.random_range(0..4) {
                // On the boundary, sliding as the law demands, or nearly.
                0 => {
                    limit = f64::hypot(p[0], p[1]);
                    let s = random.random_range(0.0..1.0);
                    u = [0, 1].map(|i| -s * (p[i] / limit + k[i]) + random.random_range(-0.1..0.1));
                }
                // A small impulse.
                1 => {
                    p = p.map(|x| 0.05 * x);
                    limit *= 0.05;
                }
                // A small slip.
                2 => u = u.map(|x| 0.2 * x),
                _ => {}
            }
            let opens = random.random_bool(0.3);
            let (found, expected) =
                (dissipative_slip(k, p, u, limit, opens), stated(k, p, u, limit, opens));
            let what = || format!("{k:?} {p:?} {u:?} {limit} {opens}: {found} {expected}");
            // The unit vectors of a double root are known to the root of the rounding.
            assert!((found - expected).abs() <= 1e-7 * (1.0 + expected), "{}", what());
            parts[usize::from(size >= 1.0) + 2 * usize::from(expected < 0.1)] += 1;
        }
        assert!(parts.iter().all(|count| *count > 30), "{parts:?}");
    }

    /// Without slip only the limit of friction is left.
    #[test]
    fn without_slip_only_the_limit_of_friction_counts() {
        assert_eq!(dissipative_slip([0.5, 2.0], [3.0, 4.0], [0.0, 0.0], 2.0, false), 3.0);
        assert_eq!(dissipative_slip([0.5, 2.0], [3.0, 4.0], [0.0, 0.0], 6.0, false), 0.0);
    }

    #[test]
    fn the_distances_from_a_ray_and_a_cone_are_the_least_ones() {
        let mut random = ChaCha8Rng::seed_from_u64(72);
        for _ in 0..300 {
            let mut pair = || [0; 2].map(|_| random.random_range(-2.0..2.0));
            let (u, v) = (pair(), pair());
            let ray = least(0.0, 1e3, |s| (u[0] + s * v[0]).hypot(u[1] + s * v[1]));
            assert!((off_ray(u, v) - ray).abs() <= 1e-7, "{u:?} {v:?}");
            if v[0].hypot(v[1]) >= 1.0 {
                let cone =
                    least(0.0, 1e3, |s| ((u[0] + s * v[0]).hypot(u[1] + s * v[1]) - s).max(0.0));
                assert!((off_normals(v, u) - cone).abs() <= 1e-7, "{v:?} {u:?}");
            }
        }
        // A parabola, ‖k‖ = 1: without an impulse, an opening contact may slip.
        assert_eq!(dissipative_slip([1.0, 0.0], [0.0, 0.0], [0.3, 0.4], 0.0, true), 0.0);
        assert_eq!(off_ray([3.0, 4.0], [0.0, 0.0]), 5.0, "a ray without a direction");
        assert_eq!(off_ray([3.0, 4.0], [4.0, -3.0]), 5.0, "across");
    }
}

/// Of a slip far below the friction, and of one just above that, the same distance is found.
#[test]
fn faint_and_clear_slips_have_the_same_figure() {
    // Exact: friction (4, 3) at a limit of 5 ± 1/1024, and slips along and across it.
    for limit in [5.0 - 1.0 / 1024.0, 5.0, 5.0 + 1.0 / 1024.0] {
        for (along, across) in [
            (1e-6, 0.0),
            (-1e-6, 0.0),
            (0.0, 1e-6),
            (-3e-7, 2e-6),
            (8e-6, -4e-6),
            (5e-3, 0.0),
            (-5e-3, 2e-3),
        ] {
            let u = [0.8 * along - 0.6 * across, 0.6 * along + 0.8 * across];
            // p − u = (5 − along, −across) in the frame of the friction.
            let size = f64::hypot(5.0 - along, across);
            let expected = if size <= limit {
                f64::hypot(along, across)
            } else {
                f64::hypot(5.0 - limit * (5.0 - along) / size, limit * across / size)
            };
            for found in [off_disk([4.0, 3.0], u, limit), off_disk_faint([4.0, 3.0], u, limit)] {
                assert!(
                    (found - expected).abs() <= 1e-14,
                    "{limit} {along} {across} {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn figures_are_converted_and_compared_one_by_one() {
    let figures =
        Figures { approach: 1.5, adhesion: 2.0, cone: 3.0, complementarity: 4.0, slip: 5.0 };
    let twice =
        Figures { approach: 0.375, adhesion: 0.5, cone: 0.75, complementarity: 1.0, slip: 1.25 };
    assert_eq!(figures.scaled(0.25), twice);
    let other =
        Figures { approach: 2.0, adhesion: 1.0, cone: 5.0, complementarity: 3.0, slip: 6.0 };
    let largest =
        Figures { approach: 2.0, adhesion: 2.0, cone: 5.0, complementarity: 4.0, slip: 6.0 };
    assert_eq!((figures.max(&other), figures.largest()), (largest, 5.0));
}
