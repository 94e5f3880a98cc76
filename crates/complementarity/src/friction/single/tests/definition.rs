//! What a prepared contact knows about its block, against the definitions and closed forms of other programs.
#![expect(clippy::float_cmp, reason = "these numbers are exact")]

use super::*;

fn contact(block: Matrix3<f64>, friction: f64) -> Contact {
    Contact::new(&block, friction).unwrap()
}

/// Blocks that are far from singular, with couplings of any sign.
fn regular_block(random: &mut ChaCha8Rng) -> Matrix3<f64> {
    let factor = Matrix3::from_fn(|_, _| random.random_range(-1.0..1.0));
    factor.transpose() * factor + Matrix3::identity() * 0.2
}

#[test]
fn sizes_near_one_are_those_between_the_limits() {
    for near in [1.0, 0.25, 3.0, 1e50, 1e-50, NEAR / 2.0, 2.0 / NEAR] {
        assert!(is_near(near), "{near}");
    }
    for far in [0.0, NEAR, 1.0 / NEAR, NEAR * 4.0, 0.25 / NEAR, f64::INFINITY, f64::NAN] {
        assert!(!is_near(far), "{far}");
    }
    let unit = contact(Matrix3::identity(), 1.0);
    for row in 0..3 {
        let mut b = Vector3::zeros();
        b[row] = 1.0;
        assert!(!unit.is_far(&b) && !unit.is_far(&-b), "{row}");
        assert!(unit.is_far(&(b * 1e-70)) && unit.is_far(&(b * 1e70)), "{row}");
    }
    assert!(!unit.is_far(&vector![1.0, 2.0, -4.0]));
    assert!(unit.is_far(&Vector3::zeros()));
    for row in 0..3 {
        let mut block = Matrix3::identity();
        block[(row, row)] = 1e70;
        assert!(contact(block, 1.0).is_far(&Vector3::x()), "{row}");
    }
}

/// A change of one entry by a rounding is a coupling or another compliance.
#[test]
fn only_uncoupled_contacts_with_equal_tangents_are_isotropic() {
    let of = |t: f64, o: f64, to: f64, tt: f64, oo: f64| {
        contact(matrix![2.0, t, o; t, tt, to; o, to, oo], 0.5).isotropic
    };
    assert!(of(0.0, 0.0, 0.0, 3.0, 3.0));
    assert!(!of(0.5, 0.0, 0.0, 3.125, 3.0), "P is isotropic");
    assert!(!of(0.0, 0.5, 0.0, 3.0, 3.125), "P is isotropic");
    assert!(!of(0.0, 0.0, 0.5, 3.0, 3.0));
    assert!(!of(0.0, 0.0, 0.0, 3.0, 3.0 + 1e-15));
    assert!(!of(0.0, 0.0, 0.0, 3.0 + 1e-15, 3.0));
}

/// `P⁻¹` is the block of the tangents in `A⁻¹`, by another program.
#[test]
fn the_inverse_is_the_part_of_the_whole_inverse() {
    let mut random = ChaCha8Rng::seed_from_u64(31);
    for _ in 0..300 {
        let block = regular_block(&mut random);
        let contact = contact(block, 0.7);
        let whole = contact.block.try_inverse().unwrap();
        let expected = [whole[(1, 1)], whole[(1, 2)], whole[(2, 2)]];
        for (found, expected) in contact.inverse.iter().zip(expected) {
            assert!((found - expected).abs() <= 1e-11 * whole.norm(), "{contact:?}");
        }
        let b = Vector3::from_fn(|_, _| random.random_range(-1.0..1.0));
        let stuck = whole * b;
        let found = contact.sticking(&contact.load(&b));
        assert!((found[0] - stuck.y).hypot(found[1] - stuck.z) <= 1e-11 * stuck.norm());
        assert_eq!(contact.inverse_mass(), contact.block.trace() / 3.0);
        assert!(!contact.singular);
    }
}

/// `aᵀ P⁻¹ a = A_nn² ((A⁻¹)_nn − 1/A_nn)`, and the trace of `P` from the block: the limit of `μ` for one solution.
#[test]
fn contacts_are_monotone_up_to_the_derived_friction() {
    let mut random = ChaCha8Rng::seed_from_u64(32);
    for _ in 0..300 {
        let block = regular_block(&mut random);
        let a = contact(block, 0.0).block;
        let n = a[(0, 0)];
        let coupling = n * n * (a.try_inverse().unwrap()[(0, 0)] - 1.0 / n);
        let trace = a.trace() - n - (a[(0, 1)] * a[(0, 1)] + a[(0, 2)] * a[(0, 2)]) / n;
        let limit = n / (coupling * trace).sqrt();
        assert!(contact(block, limit * (1.0 - 1e-6)).monotone, "{block}");
        assert!(!contact(block, limit * (1.0 + 1e-6)).monotone, "{block}");
    }
    // μ² aᵀ P⁻¹ a tr(P) = 1 · 1/4 · 4 = A_nn²: the limit itself is not below the limit.
    let exact = matrix![1.0, 0.5, 0.0; 0.5, 1.25, 0.0; 0.0, 0.0, 3.0];
    assert!(!contact(exact, 1.0).monotone);
    assert!(contact(exact, 0.999).monotone);
    assert!(!contact(Matrix3::repeat(1.0), 0.1).monotone, "a singular block");
}

/// The answer of a closed form is checked further where `det P ≤ 10⁻⁶ A_tt A_oo`, `‖μ a‖² > 0.9 A_nn²`, or units are
/// far; `det P = det A/A_nn` is linear in `A_oo`.
#[test]
fn contacts_are_doubtful_beyond_the_stated_limits() {
    let mut random = ChaCha8Rng::seed_from_u64(33);
    for _ in 0..300 {
        let block = regular_block(&mut random);
        let a = contact(block, 0.0).block;
        let reach = (a[(0, 1)] * a[(0, 1)] + a[(0, 2)] * a[(0, 2)]).sqrt();
        let limit = (0.9_f64).sqrt() * a[(0, 0)] / reach;
        assert!(!contact(block, limit * (1.0 - 1e-9)).is_doubtful(), "{block}");
        assert!(contact(block, limit * (1.0 + 1e-9)).is_doubtful(), "{block}");
        assert!(contact(block * 1e70, 0.1 * limit).is_doubtful(), "{block}");
        // P_tt (A_oo − o²/n) − P_to² = ratio A_tt A_oo, solved for A_oo.
        let [n, t, o] = [a[(0, 0)], a[(0, 1)], a[(0, 2)]];
        let [tt, to] = [a[(1, 1)] - t * t / n, a[(1, 2)] - t * o / n];
        for (ratio, doubtful) in [(1e-6 * (1.0 - 1e-6), true), (1e-6 * (1.0 + 1e-6), false)] {
            let mut thin = a;
            thin[(2, 2)] = (tt * o * o / n + to * to) / (tt - ratio * a[(1, 1)]);
            let thin = contact(thin, 0.1 * limit);
            assert_eq!(thin.is_doubtful(), doubtful, "{thin:?}");
        }
    }
    assert!(!contact(Matrix3::identity(), 1e9).is_doubtful(), "isotropic");
    assert!(!contact(1e70 * Matrix3::identity(), 1e9).is_doubtful(), "isotropic");
    // det P = 10¹² − 10⁶ − 999999² = 999999 = 10⁻⁶ A_tt A_oo, exactly, and one more.
    let limit = |oo: f64| matrix![1.0, 0.0, 0.0; 0.0, 1e6, 999_999.0; 0.0, 999_999.0, oo];
    assert!(contact(limit(999_999.0), 1.0).is_doubtful());
    assert!(!contact(limit(999_999.001), 1.0).is_doubtful());
    // ‖μ a‖² = 0.9 A_nn² exactly, or the next number: `0.9 · 4` and `1.8² + 0.6²` in these numbers.
    let wide = |t: f64| contact(matrix![1.0, t, 0.0; t, 2.0, 0.0; 0.0, 0.0, 3.0], 1.0);
    assert!(
        !wide(0.9_f64.sqrt() - 1e-15).is_doubtful() && wide(0.9_f64.sqrt() + 1e-15).is_doubtful()
    );
}

/// Moore and Penrose: `P P⁺ P = P` and `P⁺ P P⁺ = P⁺`, symmetric products.
#[test]
fn a_singular_matrix_has_its_pseudo_inverse() {
    for [x, y] in [[1.0, 0.0], [0.0, 1.0], [1.0, 2.0], [-3.0, 0.5], [1e-3, 1e3], [1e20, 1e20]] {
        let p = nalgebra::matrix![x * x, x * y; x * y, y * y];
        let ([tt, to, oo], singular) = pseudo_inverse([p[(0, 0)], p[(0, 1)], p[(1, 1)]]);
        assert!(singular, "{p}");
        let inverse = nalgebra::matrix![tt, to; to, oo];
        assert!((p * inverse * p - p).norm() <= 1e-14 * p.norm(), "{p}");
        assert!((inverse * p * inverse - inverse).norm() <= 1e-14 * inverse.norm(), "{p}");
    }
    assert_eq!(pseudo_inverse([0.0; 3]), ([0.0; 3], true));
    // 1/λ overflows.
    assert_eq!(pseudo_inverse([1e-310, 0.0, 0.0]), ([0.0; 3], true));
    // A determinant of 8 ε is a rounding, one of 9 ε is not: (1 − 4 ε)² rounds to 1 − 8 ε.
    let epsilon = f64::EPSILON;
    assert!(pseudo_inverse([1.0, 1.0 - 4.0 * epsilon, 1.0]).1);
    assert!(!pseudo_inverse([1.0, 1.0 - 4.5 * epsilon, 1.0]).1);
}

/// `A x = b` for every `b` in the range, and none where `b` leaves it by more than the rounding of its terms: 10⁻¹² of
/// `‖q‖ + max|A| max|x|`.
#[test]
fn singular_contacts_stick_within_their_range() {
    for v in [vector![1.0, 0.5, 0.25], vector![2.0, -1.0, 0.5], vector![1e3, 300.0, 100.0]] {
        let contact = contact(v * v.transpose(), 1.0);
        let b = v * 3.0;
        let x = contact.stick(&contact.load(&b)).unwrap();
        assert!((contact.velocity(&b, &x)).norm() <= 1e-14 * b.norm(), "{x}");
        let outside = b + vector![0.0, 1e-9 * b.x, 0.0];
        assert_eq!(contact.stick(&contact.load(&outside)), None);
        assert_eq!(contact.stick(&contact.load(&Vector3::zeros())), Some(Vector3::zeros()));
    }
    for [n, p, normal, s] in [
        [1.0, 1.0, 1.0, 1e-3],
        [1.0, 1.0, 1e3, 1e-3],
        [1.0, 16.0, 1.0, 1.0],
        [64.0, 1e-2, 1.0, 1e-6],
        [1e-3, 1e-3, 1.0, 1.0],
        [1e3, 1e3, 1e3, 1e3],
    ] {
        // Normal and tangents apart, P = p [[1, 1], [1, 1]], and q = (s + d, s − d) with P y = (s, s).
        let contact = contact(matrix![n, 0.0, 0.0; 0.0, p, p; 0.0, p, p], 1e3);
        let impulse = (normal / n).max(s / (2.0 * p));
        let allowed = 1e-12 * (s * 2.0_f64.sqrt() + n.max(p) * impulse) / 2.0_f64.sqrt();
        for (d, sticks) in [(0.9 * allowed, true), (1.1 * allowed, false)] {
            let b = vector![normal, s + d, s - d];
            let found = contact.stick(&contact.load(&b));
            assert_eq!(found.is_some(), sticks, "{n} {p} {normal} {s}");
        }
    }
}

#[test]
fn exponents_are_those_of_normal_numbers() {
    for power in [-1022, -500, -1, 0, 1, 52, 1023] {
        assert_eq!(exponent(2.0_f64.powi(power)), power);
    }
    assert_eq!(exponent(1.99), 0);
    for none in [0.0, -2.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN] {
        assert_eq!(exponent(none), 0, "{none}");
    }
    assert_eq!(shifted(3.0, 4), 48.0);
    assert_eq!(shifted(3.0 * 2.0_f64.powi(-1000), 1999), 3.0 * 2.0_f64.powi(999));
    assert_eq!(shifted(3.0 * 2.0_f64.powi(1000), -1999), 3.0 * 2.0_f64.powi(-999));
    assert_eq!(shifted(1.5, 5000), f64::INFINITY);
}

/// Exact numbers: `(1 + δ)² − (1 + 2 δ) = δ²` with `δ = 2⁻³⁰`, which is below the rounding of its terms.
#[test]
fn velocities_that_cancel_are_added_up_precisely() {
    let tiny = 2.0_f64.powi(-30);
    for [unit, size] in [[1.0, 1.0], [1_048_576.0, 1_048_576.0], [0.25, 64.0], [64.0, 0.25]] {
        let a = (1.0 + tiny) * unit;
        let block = matrix![a, -unit, 0.0; -unit, a, 0.0; 0.0, 0.0, unit];
        let contact = contact(block, 1.0);
        let impulse = vector![1.0 + tiny, 1.0 + 2.0 * tiny, 0.0] * size;
        // One hundredth of the terms: below a thousandth of their size velocities are added up precisely.
        for b in [Vector3::zeros(), vector![0.0, 0.0, 1e-4 * unit * size]] {
            let velocity = contact.compensated_velocity(&b, &impulse);
            assert_eq!(velocity.x, tiny * tiny * unit * size, "{unit} {size}");
        }
    }
    // Terms of a thousand times b are added up as they are, larger ones are not.
    let block = matrix![1.0 + tiny, -1.0, 0.0; -1.0, 1.0 + tiny, 0.0; 0.0, 0.0, 1.0];
    let contact = contact(block, 1.0);
    let impulse = vector![1.0 + tiny, 1.0 + 2.0 * tiny, 0.0];
    let size = (1.0 + tiny) * (1.0 + 2.0 * tiny);
    for (share, is_precise) in [(0.999e-3, true), (1.001e-3, false)] {
        let velocity = contact.compensated_velocity(&vector![0.0, 0.0, share * size], &impulse);
        assert_eq!(velocity.x == tiny * tiny, is_precise, "{share}");
    }
}

/// A guess chooses among several solutions in any units, although its own units are far from one.
#[test]
fn the_guess_of_a_far_contact_chooses_as_that_of_a_near_one() {
    let (contact, b) = academic(true);
    let all = coulomb::all(&contact, &b);
    assert_eq!(all.as_slice().len(), 3);
    for [mass, speed] in [[600, 500], [-600, -500], [500, -300], [-500, 300]] {
        let far = contact.block.map(|entry| shifted(entry, mass));
        let far = Contact::new(&far, contact.friction).unwrap();
        let load = b.map(|entry| shifted(entry, speed));
        let others = coulomb::all(&far, &load);
        for (solution, other) in all.as_slice().iter().zip(others.as_slice()) {
            let back = |x: &Vector3<f64>| x.map(|entry| shifted(entry, mass - speed));
            let size = solution.impulse.norm();
            assert!((back(&other.impulse) - solution.impulse).norm() <= 1e-9 * size);
            let near = coulomb::solve_near(&contact, &b, &solution.impulse);
            assert!((near - solution.impulse).norm() <= 1e-9 * size, "{solution:?}");
            let found = back(&coulomb::solve_near(&far, &load, &other.impulse));
            assert!((found - solution.impulse).norm() <= 1e-9 * size, "{solution:?} {found}");
        }
    }
}

#[test]
fn the_allowed_error_is_relative_to_the_velocity() {
    let block = matrix![1.0, 1.0, 0.0; 1.0, 1.0, 0.0; 0.0, 0.0, 1.0];
    let contact = contact(block, 1.5);
    for size in [1e-6, 1.0, 1e6] {
        let b = vector![3.0, -4.0, 0.0] * size;
        for law in [Law::Coulomb, Law::MaximumDissipation] {
            let unsolved = solve(law, &contact, &b).unwrap_err();
            assert!((unsolved.allowed - 5e-8 * size).abs() <= 1e-15 * size, "{unsolved:?}");
        }
    }
}

/// The limits themselves are allowed.
#[test]
fn blocks_are_checked_by_the_stated_limits() {
    let with = |entry: f64| {
        let mut block = Matrix3::identity();
        block[(0, 1)] = entry;
        Contact::new(&block, 1.0)
    };
    assert!(with(SYMMETRY).is_ok());
    assert!(matches!(
        with(SYMMETRY * 1.000_001),
        Err(Error::Unsymmetric { row: 0, column: 1, .. })
    ));
    // `1 − c²` of the cosine, relative to the diagonal entries of any size.
    for [n, t] in [[1.0, 1.0], [1e6, 1e-4]] {
        let of = |cosine: f64| {
            let entry = cosine * f64::sqrt(n * t);
            Contact::new(&matrix![n, entry, 0.0; entry, t, 0.0; 0.0, 0.0, 1.0], 1.0)
        };
        assert!(of((1.0 + 0.999 * SYMMETRY).sqrt()).is_ok());
        assert!(matches!(of((1.0 + 1.001 * SYMMETRY).sqrt()), Err(Error::Indefinite { .. })));
    }
}
