//! Tests of the solvers for one contact against the published example, brute force and one another.

use std::f64::consts::TAU;

use nalgebra::{Matrix3, Vector3, matrix, vector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;

mod definition;

/// Section 4.1 of Preclik, Eibl and Rüde (2017): six mass points on the axes; `normalized` makes the
/// contact frame orthonormal, which the printed table does not.
pub(super) fn academic(normalized: bool) -> (Contact, Vector3<f64>) {
    let (arm, masses) = (10.0, [0.03, 65.0, 50.0]);
    let normal = vector![0.25, 0.36, -0.9].normalize();
    let mut tangent = normal.cross(&Vector3::x());
    if normalized {
        tangent = tangent.normalize();
    }
    let frame = Matrix3::from_columns(&[normal, tangent, normal.cross(&tangent)]);
    let inertia = Matrix3::from_diagonal(&vector![
        2.0 * (masses[1] + masses[2]),
        2.0 * (masses[0] * arm * arm + masses[2]),
        2.0 * (masses[0] * arm * arm + masses[1])
    ]);
    let cross = Vector3::x().cross_matrix();
    let inverse = inertia.try_inverse().unwrap();
    let mass = 2.0 * masses.iter().sum::<f64>();
    let block = Matrix3::identity() / mass - arm * arm * cross * inverse * cross;
    let contact = Contact::new(&(frame.transpose() * block * frame), 3.7).unwrap();
    (contact, frame.transpose() * vector![0.06, 0.7, 0.23])
}

fn close(left: &Vector3<f64>, right: [f64; 3], tolerance: f64) -> bool {
    (left - Vector3::from(right)).amax() <= tolerance
}

/// The table is reproduced with `t = n × e_x` of length 0.969, not normalized; figures as printed, two digits.
#[test]
fn the_printed_table_is_reproduced_with_the_frame_as_printed() {
    let (contact, b) = academic(false);
    let x = maximum_dissipation::solve(&contact, &b);
    assert!(close(&x, [1.60310, -1.08186, -5.83196], 1e-5), "{x}");
    assert!(close(&contact.velocity(&b, &x), [0.0, -0.05748, 0.03449], 1e-5));
    assert!((contact.energy(&b, &x) + 0.63401).abs() < 1e-5);
    let all = coulomb::all(&contact, &b);
    let published = [
        ([0.12, -0.44, -0.065], [0.0, 0.40, 0.060], -0.252, [0.005, 0.005, 0.0005]),
        ([0.29, -0.89, -0.62], [0.0, 0.082, 0.057], -0.393, [0.005, 0.005, 0.005]),
        ([1.56, -0.99, -5.7], [0.0, 0.0061, 0.035], -0.631, [0.005, 0.005, 0.05]),
    ];
    assert_eq!(all.as_slice().len(), 3);
    for (impulse, velocity, energy, digits) in published {
        let found = all.as_slice().iter().any(|solution| {
            let off = (solution.impulse - Vector3::from(impulse)).abs();
            let speed = contact.velocity(&b, &solution.impulse) - Vector3::from(velocity);
            (0..3).all(|i| off[i] <= digits[i])
                && speed.amax() <= 0.005
                && (solution.energy - energy).abs() <= 0.0005
        });
        assert!(found, "{impulse:?} in {all:?}");
    }
}

/// Computed by another program with 40 digits and an orthonormal frame.
#[test]
fn an_orthonormal_frame_has_its_own_solutions() {
    let (contact, b) = academic(true);
    let x = maximum_dissipation::solve(&contact, &b);
    assert!(close(&x, [2.77829, -1.05090, -10.22580], 1e-5), "{x}");
    assert!((contact.energy(&b, &x) + 0.748317).abs() < 1e-6);
    let all = coulomb::all(&contact, &b);
    assert_eq!(all.as_slice().len(), 3);
    for (impulse, energy) in [
        ([0.12449, -0.45509, -0.07122], -0.264343),
        ([0.26071, -0.83521, -0.48265], -0.383551),
        ([2.67798, -0.96719, -9.86122], -0.745300),
    ] {
        let found = all.as_slice().iter().any(|solution| {
            close(&solution.impulse, impulse, 1e-5) && (solution.energy - energy).abs() < 1e-6
        });
        assert!(found, "{impulse:?} in {all:?}");
    }
    assert!((contact.energy(&b, &coulomb::solve(&contact, &b)) + 0.745300).abs() < 1e-6);
}

/// Section 4.2: a rod of unit mass and length 2 that slides at 1 m/s with its tip on the ground. It sticks
/// exactly if `μ ≥ (cos θ + 1/(3 cos θ))/sin θ`, with the impulse `(5 + 3 cos 2θ, 3 sin 2θ)/8`.
#[test]
fn a_rod_sticks_exactly_above_the_friction_of_painleve() {
    for i in 1..40 {
        let angle = 1.5 * f64::from(i) / 40.0;
        let (sine, cosine) = angle.sin_cos();
        let block = matrix![
            1.0 + 3.0 * cosine * cosine, -3.0 * sine * cosine, 0.0;
            -3.0 * sine * cosine, 1.0 + 3.0 * sine * sine, 0.0;
            0.0, 0.0, 1.0
        ];
        let threshold = (cosine + 1.0 / (3.0 * cosine)) / sine;
        for (friction, sticks) in [(threshold * 1.0001, true), (threshold * 0.9999, false)] {
            let contact = Contact::new(&block, friction).unwrap();
            let x = maximum_dissipation::solve(&contact, &vector![0.0, 1.0, 0.0]);
            let double = 2.0 * angle;
            let expected = [3.0 * double.sin() / 8.0, (5.0 + 3.0 * double.cos()) / 8.0, 0.0];
            let expected = if sticks { expected } else { [0.0; 3] };
            assert!(close(&x, expected, 1e-12), "{angle} {friction} {x}");
        }
    }
}

/// A random block, well or badly conditioned, with `b_n` of both signs and zero and μ from 0 to 100.
pub(crate) fn random_contact(random: &mut ChaCha8Rng) -> (Contact, Vector3<f64>) {
    let mut factor = Matrix3::from_fn(|_, _| random.random_range(-1.0..1.0));
    if random.random_bool(0.5) {
        for row in 0..3 {
            let scale = 10_f64.powf(random.random_range(-3.0..1.0));
            factor.row_mut(row).scale_mut(scale);
        }
    }
    let mut block = factor.transpose() * factor;
    if random.random_bool(0.5) {
        block += Matrix3::identity() * 0.1 * block.trace();
    }
    let friction = match random.random_range(0..4) {
        0 => random.random_range(0.0..1.0),
        1 => random.random_range(0.0..100.0),
        2 => 10_f64.powf(random.random_range(-4.0..2.0)),
        _ => random.random_range(0.0..3.0),
    };
    let mut b = Vector3::<f64>::from_fn(|_, _| random.random_range(-1.0..1.0));
    if random.random_bool(0.1) {
        b.x = 0.0;
    } else if random.random_bool(0.8) {
        b.x = b.x.abs();
    }
    (Contact::new(&block, friction).unwrap(), b)
}

/// The least energy on the boundary of the conic, by a search over the angle that ends with golden sections.
fn brute_force(contact: &Contact, b: &Vector3<f64>) -> f64 {
    let [t, o] = [contact.block()[(0, 1)], contact.block()[(0, 2)]];
    let energy = |angle: f64| {
        let (sine, cosine) = angle.sin_cos();
        let width = contact.block()[(0, 0)] + contact.friction() * (t * cosine + o * sine);
        if width <= 0.0 {
            return f64::INFINITY;
        }
        let normal = b.x / width;
        let r = contact.friction() * normal;
        contact.energy(b, &vector![normal, r * cosine, r * sine])
    };
    let count = 720;
    let grid = |i: i32| TAU * f64::from(i) / f64::from(count);
    let mut best = f64::INFINITY;
    for i in 0..count {
        let here = energy(grid(i));
        if here <= energy(grid(i - 1)) && here <= energy(grid(i + 1)) {
            let (mut left, mut right) = (grid(i - 1), grid(i + 1));
            for _ in 0..60 {
                let (a, b) = (left + 0.382 * (right - left), right - 0.382 * (right - left));
                if energy(a) < energy(b) { right = b } else { left = a }
            }
            best = best.min(energy(0.5 * (left + right))).min(here);
        }
    }
    best
}

/// The violation of the claimed properties by the answers to one random contact; shared with long trials.
pub(crate) fn examine(contact: &Contact, b: &Vector3<f64>, search: bool) {
    let x = maximum_dissipation::solve(contact, b);
    let what = || format!("{contact:?}\n{b:?}\n{x:?}");
    assert!(x.iter().all(|entry| entry.is_finite()), "{}", what());
    let size = contact.block().row(0).transpose().abs().dot(&x.abs()) + b.x.abs();
    let velocity = contact.velocity(b, &x);
    let slack = 1e-10;
    assert!(x.yz().norm() <= contact.friction() * x.x * (1.0 + slack), "{}", what());
    assert!(velocity.x >= -slack * size, "{}", what());
    assert!(x.x * velocity.x <= slack * size * x.x, "{}", what());
    assert!((velocity.x + b.x) >= -slack * size, "{}", what());

    let energy = contact.energy(b, &x);
    // The required tolerance, plus the round-off of evaluating an energy in nearly singular directions.
    let tolerance = |x: &Vector3<f64>| {
        let size = x.abs();
        1e-10 * (0.5 * x.dot(&(contact.block() * x)) + size.dot(&b.abs()))
            + 16.0 * f64::EPSILON * size.dot(&(contact.block().abs() * size))
    };
    if b.x < 0.0 {
        assert_eq!(x, Vector3::zeros());
    } else if search && b.x > 0.0 && contact.friction() > 0.0 && x.yz().norm() > 0.0 {
        let stick = contact.stick(&contact.load(b)).is_some();
        let searched = brute_force(contact, b);
        assert!(energy <= searched + tolerance(&x), "{energy} {searched} {}", what());
        assert!(stick || energy >= searched - tolerance(&x), "{energy} {searched} {}", what());
    }
    let all = coulomb::all(contact, b);
    for solution in all.as_slice() {
        let impulse = solution.impulse;
        let velocity = contact.velocity(b, &impulse);
        let size = (contact.block().abs() * impulse.abs() + b.abs()).norm();
        assert!(
            impulse.yz().norm() <= contact.friction() * impulse.x * (1.0 + slack),
            "{solution:?} {}",
            what()
        );
        assert!(
            velocity.x >= -1e-9 * size && velocity.x * impulse.x <= 1e-9 * size * impulse.x,
            "{solution:?} {}",
            what()
        );
        if solution.mode == coulomb::Mode::Slide && contact.friction() > 0.0 {
            let (slip, y) = (velocity.yz(), impulse.yz());
            let turn = (slip.x * y.y - slip.y * y.x).abs();
            assert!(turn <= 1e-8 * size * y.norm(), "{solution:?} {turn} {size} {}", what());
            assert!(slip.dot(&y) <= 0.0, "{solution:?} {}", what());
        }
        if b.x >= 0.0 {
            assert!(
                energy <= solution.energy + tolerance(&x).max(tolerance(&solution.impulse)),
                "{energy} {solution:?} {}",
                what()
            );
        }
    }
    let chosen = coulomb::solve(contact, b);
    assert!(chosen.iter().all(|entry| entry.is_finite()), "{}", what());
    if search && b.x != 0.0 && contact.friction() > 0.0 {
        every_scanned_slide_is_found(contact, b, all.as_slice());
    }
}

fn every_scanned_slide_is_found(contact: &Contact, b: &Vector3<f64>, all: &[coulomb::Solution]) {
    let [t, o] = [contact.block()[(0, 1)], contact.block()[(0, 2)]];
    // The impulse against the slip direction α, and the angle of its slip from that direction.
    let state = |angle: f64| {
        let (sine, cosine) = angle.sin_cos();
        let width = contact.block()[(0, 0)] - contact.friction() * (t * cosine + o * sine);
        let r = contact.friction() * b.x / width;
        let x = vector![r / contact.friction(), -r * cosine, -r * sine];
        let slip = contact.velocity(b, &x).yz();
        (r, slip.y * cosine - slip.x * sine, slip.x * cosine + slip.y * sine)
    };
    let count = 2000;
    let mut expected = 0;
    for i in 0..count {
        let angles = [i, i + 1].map(|i| TAU * f64::from(i) / f64::from(count));
        let [left, right] = angles.map(state);
        let clear = |s: (f64, f64, f64)| s.0 > 0.0 && s.2 > 1e-6;
        // At a pole the angle changes its sign without a root.
        let jumps = left.0 > 1e3 * right.0.abs() || right.0 > 1e3 * left.0.abs();
        if (left.1 < 0.0) != (right.1 < 0.0) && clear(left) && clear(right) && !jumps {
            expected += 1;
        }
    }
    let slides = all.iter().filter(|solution| solution.mode == coulomb::Mode::Slide).count();
    assert!(slides >= expected, "{contact:?}\n{b:?}\n{all:?}, {expected} expected");
}

#[test]
fn random_contacts_meet_their_conditions() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    // A million contacts take half a minute in a release build.
    let slow = std::env::var_os("PERCUSSION_SLOW").is_some();
    for index in 0..if slow { 1_000_000 } else { 20_000 } {
        let (contact, b) = random_contact(&mut random);
        examine(&contact, &b, index % 20 == 0);
    }
}

#[test]
fn both_laws_agree_where_tangents_are_alike() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..1000 {
        let tangent = random.random_range(0.1..10.0);
        let block =
            Matrix3::from_diagonal(&vector![random.random_range(0.1..10.0), tangent, tangent]);
        let contact = Contact::new(&block, random.random_range(0.0..3.0)).unwrap();
        let b = Vector3::from_fn(|_, _| random.random_range(-1.0..1.0));
        let x = maximum_dissipation::solve(&contact, &b);
        assert_eq!(x, coulomb::solve(&contact, &b));
        let all = coulomb::all(&contact, &b);
        assert_eq!(all.as_slice().len(), 1, "{all:?}");
        assert!((all.as_slice()[0].impulse - x).norm() <= 1e-14 * x.norm());
    }
}

#[test]
fn weakly_coupled_contacts_have_the_one_solution_that_steps_find() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    let mut seen = 0;
    for _ in 0..4000 {
        let (contact, mut b) = random_contact(&mut random);
        b.x = b.x.abs() + 1e-3;
        if !contact.monotone || contact.friction() == 0.0 {
            continue;
        }
        let all = coulomb::all(&contact, &b);
        // At the boundary between stick and slide round-off may give both, or neither.
        let [first, ..] = all.as_slice() else { continue };
        assert!(all.as_slice().len() <= 2, "{contact:?} {b} {all:?}");
        let x = coulomb::solve(&contact, &b);
        assert!((x - first.impulse).norm() <= 1e-9 * x.norm(), "{contact:?} {b} {x} {all:?}");
        seen += usize::from(first.mode == coulomb::Mode::Slide);
    }
    assert!(seen > 100, "{seen} slide");
}

#[test]
fn turning_the_tangents_turns_the_answer() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for _ in 0..1000 {
        let (contact, b) = random_contact(&mut random);
        // Rotation changes the rounding of the block, and a singular block would then have a different answer.
        let block = contact.block() + Matrix3::identity() * 1e-3 * contact.block().trace();
        let contact = Contact::new(&block, contact.friction()).unwrap();
        let (s, c) = random.random_range(0.0..TAU).sin_cos();
        let turn = matrix![1.0, 0.0, 0.0; 0.0, c, -s; 0.0, s, c];
        let turned =
            Contact::new(&(turn * contact.block() * turn.transpose()), contact.friction()).unwrap();
        let x = maximum_dissipation::solve(&contact, &b);
        let y = maximum_dissipation::solve(&turned, &(turn * b));
        let scale = x.dot(&(contact.block() * x)) + x.abs().dot(&b.abs());
        let energies = [contact.energy(&b, &x), turned.energy(&(turn * b), &y)];
        assert!(
            (energies[0] - energies[1]).abs() <= 1e-9 * scale,
            "{contact:?} {b} {x} {y} {energies:?}"
        );
    }
}

#[test]
fn iterative_solvers_find_a_solution_of_the_closed_form() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..200 {
        let (contact, b) = random_contact(&mut random);
        let block = contact.block() + Matrix3::identity() * contact.block().trace();
        let contact = Contact::new(&block, contact.friction().min(0.8)).unwrap();
        let all = coulomb::all(&contact, &b);
        let zero = Vector3::zeros();
        for answer in [
            projection::solve(&contact, &b, &zero, 1e-12),
            alart_curnier::solve(&contact, &b, &zero, 1e-12),
        ] {
            let nearest = all
                .as_slice()
                .iter()
                .map(|solution| (solution.impulse - answer.impulse).norm())
                .fold(f64::INFINITY, f64::min);
            assert!(nearest <= 1e-9 * (b.norm() / block.trace()), "{answer:?} {all:?}");
        }
    }
}

#[test]
fn bad_blocks_are_refused_by_entry() {
    let good = Matrix3::identity();
    let with = |row: usize, column: usize, value: f64| {
        let mut block = good;
        block[(row, column)] = value;
        Contact::new(&block, 1.0).unwrap_err()
    };
    assert!(matches!(with(1, 2, f64::NAN), Error::Entry { row: 1, column: 2, .. }));
    assert_eq!(with(1, 1, 0.0), Error::Diagonal { row: 1, value: 0.0 });
    assert!(matches!(with(0, 2, 0.1), Error::Unsymmetric { row: 0, column: 2, .. }));
    let block = matrix![1.0, 0.0, 0.0; 0.0, 1.0, 2.0; 0.0, 2.0, 1.0];
    let error = Contact::new(&block, 1.0).unwrap_err();
    assert_eq!(error, Error::Indefinite { rows: [1, 2], value: -3.0 });
    assert_eq!(Contact::new(&good, -1.0).unwrap_err(), Error::Friction { value: -1.0 });
    assert!(matches!(Contact::new(&good, f64::NAN).unwrap_err(), Error::Friction { .. }));
}

#[test]
fn what_is_not_finite_or_extreme_stays_harmless() {
    let contact = Contact::new(&Matrix3::identity(), 1.0).unwrap();
    assert_eq!(
        maximum_dissipation::solve(&contact, &vector![f64::NAN, 0.0, 0.0]),
        Vector3::zeros()
    );
    assert_eq!(coulomb::solve(&contact, &vector![1.0, f64::INFINITY, 0.0]), Vector3::zeros());
    let singular = matrix![1.0, 1.0, 1.0; 1.0, 1.0, 1.0; 1.0, 1.0, 1.0];
    for friction in [1e-12, 1.0, 1e12] {
        let contact = Contact::new(&singular, friction).unwrap();
        for b in [
            vector![1.0, 1.0, 1.0],
            vector![1.0, 0.0, 0.0],
            vector![0.0, 1.0, 1.0],
            vector![1e-300, 1.0, -1.0],
        ] {
            for x in [maximum_dissipation::solve(&contact, &b), coulomb::solve(&contact, &b)] {
                assert!(x.iter().all(|entry| entry.is_finite()), "{friction} {b} {x}");
            }
        }
    }
}

/// Symptom: for a `b` outside of the range of a singular `A` closed forms returned a finite impulse that does not
/// satisfy the law, without an error. Expected: `A = [[1, 1], [1, 1]]` turns friction of `μ > 1` against the slip of
/// `b = (1, −1)` into more approach than the normal impulse removes.
#[test]
fn singular_contacts_without_answer_are_errors() {
    let block = matrix![1.0, 1.0, 0.0; 1.0, 1.0, 0.0; 0.0, 0.0, 1.0];
    let b = vector![1.0, -1.0, 0.0];
    for law in [Law::Coulomb, Law::MaximumDissipation] {
        for friction in [1.5, 10.0, 1e8] {
            let unsolved = solve(law, &Contact::new(&block, friction).unwrap(), &b).unwrap_err();
            assert!(unsolved.figures.largest() > unsolved.allowed, "{unsolved:?}");
            assert!(unsolved.impulse.iter().all(|entry| entry.is_finite()), "{unsolved:?}");
            assert!(unsolved.to_string().contains("the block is singular"), "{unsolved}");
        }
        // Within the range, and where friction is weak, there are answers: x_t = −μ x_n and (1 − μ) x_n = 1.
        let weak = solve(law, &Contact::new(&block, 0.5).unwrap(), &b).unwrap();
        assert!((weak - vector![2.0, -1.0, 0.0]).norm() < 1e-14, "{law:?} {weak}");
        let stick = vector![1.0, 1.0, 0.0];
        assert!(solve(law, &Contact::new(&block, 1.5).unwrap(), &stick).is_ok());
        for bad in [f64::NAN, f64::INFINITY] {
            let contact = Contact::new(&Matrix3::identity(), 0.5).unwrap();
            assert!(solve(law, &contact, &vector![1.0, bad, 0.0]).is_err());
            assert!(solve(law, &contact, &vector![bad, 0.0, 0.0]).is_err());
        }
        assert_eq!(
            solve(law, &Contact::new(&block, 0.5).unwrap(), &Vector3::zeros()),
            Ok(Vector3::zeros())
        );
    }
}

/// Powers of these entries overflow or underflow. The units are powers of two, so the bits do not change.
#[test]
fn contacts_of_any_size_are_solved_alike() {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    for _ in 0..200 {
        let (contact, b) = random_contact(&mut random);
        let x = [maximum_dissipation::solve(&contact, &b), coulomb::solve(&contact, &b)];
        let all = coulomb::all(&contact, &b);
        // Units that are solved without conversion.
        for [mass, speed] in [[600, 0], [-600, 0], [0, 500], [0, -500], [400, 400], [-400, 400]] {
            let scaled = contact.block().map(|entry| shifted(entry, mass));
            let scaled = Contact::new(&scaled, contact.friction()).unwrap();
            let load = b.map(|entry| shifted(entry, speed));
            let back = |x: Vector3<f64>| x.map(|entry| shifted(entry, mass - speed));
            let found =
                [maximum_dissipation::solve(&scaled, &load), coulomb::solve(&scaled, &load)]
                    .map(back);
            let near = [Law::MaximumDissipation, Law::Coulomb].map(|law| {
                let figures = |x: &Vector3<f64>| {
                    Figures::of(law, &contact, x, &contact.velocity(&b, x)).largest()
                };
                let k = usize::from(law == Law::Coulomb);
                figures(&found[k]) <= 1e-6 * b.norm() || figures(&x[k]) > 1e-7 * b.norm()
            });
            assert_eq!(near, [true; 2], "{contact:?} {b} {x:?} {found:?}");
            let others = coulomb::all(&scaled, &load);
            assert_eq!(others.as_slice().len(), all.as_slice().len(), "{contact:?} {b}");
        }
    }
}

/// Coupled normals and tangents without friction: only the normal matters, and slip dissipates nothing.
#[test]
fn contacts_without_friction_push_along_the_normal() {
    let mut random = ChaCha8Rng::seed_from_u64(13);
    for _ in 0..200 {
        let (contact, b) = random_contact(&mut random);
        let contact = Contact::new(contact.block(), 0.0).unwrap();
        let expected = vector![b.x.max(0.0) / contact.block()[(0, 0)], 0.0, 0.0];
        for law in [Law::Coulomb, Law::MaximumDissipation] {
            let x = solve(law, &contact, &b).unwrap();
            assert!((x - expected).norm() <= 1e-15 * expected.norm(), "{law:?} {x} {expected}");
        }
    }
}

/// Below 2⁻¹⁰²² numbers lose digits, which counts beside the largest of them only.
#[test]
fn digits_are_kept_as_far_as_the_largest_entry_has_them() {
    let small = 2.0_f64.powi(-600);
    let fine = small * (1.0 + 2.0_f64.powi(-30));
    let keeps = |entries: &[f64], exponent| keep_digits(entries.iter().copied(), exponent);
    assert!(keeps(&[fine, small], -400));
    assert!(!keeps(&[fine, small], -450));
    assert!(keeps(&[fine, 2.0_f64.powi(23) * small], -450), "rounding beside the largest");
    assert!(!keeps(&[1e300], 100), "too large");
}
