//! Tests of all solutions and of the choice among them.

use nalgebra::{Matrix3, Vector3, matrix, vector};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::friction::single::{
    Load,
    tests::{academic, random_contact},
};

fn modes(contact: &Contact, b: &Vector3<f64>) -> Vec<Mode> {
    all(contact, b).as_slice().iter().map(|solution| solution.mode).collect()
}

#[test]
fn contacts_without_friction_open_stick_or_slide() {
    let block = matrix![2.0, 0.0, 0.0; 0.0, 1.0, 0.0; 0.0, 0.0, 3.0];
    let contact = Contact::new(&block, 0.0).unwrap();
    assert_eq!(modes(&contact, &vector![-1.0, 1.0, 0.0]), [Mode::Open]);
    assert_eq!(modes(&contact, &vector![-1.0, 0.0, 0.0]), [Mode::Open]);
    assert_eq!(modes(&contact, &vector![0.0, 1.0, 0.0]), [Mode::Open]);
    assert_eq!(modes(&contact, &Vector3::zeros()), [Mode::Open]);
    assert_eq!(modes(&contact, &vector![3.0, 0.0, 0.0]), [Mode::Stick]);
    assert_eq!(modes(&contact, &vector![3.0, 1.0, 0.0]), [Mode::Slide]);
    let all = all(&contact, &vector![3.0, 1.0, 0.0]);
    assert_eq!(all.as_slice()[0].impulse, vector![1.5, 0.0, 0.0]);
}

/// Zero impulse at a contact at rest is open, and not a stick as well; the energy is that of the impulse.
#[test]
fn a_contact_at_rest_has_one_solution() {
    let contact = Contact::new(&(Matrix3::identity() * 2.0), 0.5).unwrap();
    assert_eq!(modes(&contact, &Vector3::zeros()), [Mode::Open]);
    let found = all(&contact, &vector![4.0, 1.0, 0.0]);
    let [stick] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((stick.mode, stick.impulse), (Mode::Stick, vector![2.0, 0.5, 0.0]));
    assert!((stick.energy + 4.25).abs() < 1e-15, "½ b·x, {stick:?}");
}

/// `P = I` and `q = y − slip`.
#[test]
fn friction_opposes_the_slip_or_is_none() {
    let contact = Contact::new(&Matrix3::identity(), 1.0).unwrap();
    for (y, slip, expected) in [
        ([1.0, 2.0], [-3.0, 1.0], true),
        ([1.0, 2.0], [-1.0, 0.25], true),
        ([1.0, 2.0], [3.0, -1.0], false),
        ([2.0, 0.5], [-0.25, 4.0], false),
        ([0.5, 2.0], [4.0, -0.25], false),
        ([0.5, 2.0], [0.5, -0.5], true),
        ([1.0, 2.0], [0.0, 0.0], false),
        ([1.0, 2.0], [2.0, -1.0], false),
    ] {
        let load = Load { normal: 1.0, tangent: [y[0] - slip[0], y[1] - slip[1]] };
        let conic = Conic::new(&contact, &load);
        assert_eq!(opposes(&conic, y), expected, "{y:?} {slip:?}");
    }
}

/// `μ a = (2, 0)` and `A_nn = 1` close the contact along `d` with `d_t = −½` for every length `r`. With the slip `−s d`
/// that friction opposes, `q = r P d + s d`, `P = diag(2, 1)`.
#[test]
fn a_jam_slides_along_its_rays() {
    let block = matrix![1.0, 1.0, 0.0; 1.0, 3.0, 0.0; 0.0, 0.0, 1.0];
    let contact = Contact::new(&block, 2.0).unwrap();
    for side in [1.0, -1.0] {
        let d = [-0.5, side * 0.75_f64.sqrt()];
        for (r, s) in [(3.0, 0.5), (0.1, 4.0), (2.0, -0.5), (-2.0, 0.5), (-1.0, -3.0)] {
            let q = [2.0 * r * d[0] + s * d[0], r * d[1] + s * d[1]];
            let b = vector![0.0, q[0], q[1]];
            let load = contact.load(&b);
            let conic = Conic::new(&contact, &load);
            let found = along_ray(&conic, Direction { cosine: d[0], sine: d[1] });
            let expected = vector![0.5 * r, r * d[0], r * d[1]];
            // Slip against friction at its limit, and a length.
            if r > 0.0 && s > 0.0 {
                let x = found.unwrap();
                assert!((x - expected).norm() <= 1e-14 * r, "{r} {s} {x}");
                let solutions = all(&contact, &b);
                let slides = solutions.as_slice().iter().filter(|x| x.mode == Mode::Slide);
                let nearest = slides.map(|x| (x.impulse - expected).norm());
                assert!(nearest.fold(f64::INFINITY, f64::min) <= 1e-14 * r, "{solutions:?}");
                let least = solutions.as_slice().iter().map(|x| x.energy).fold(0.0, f64::min);
                let chosen = contact.energy(&b, &solve(&contact, &b));
                assert!(least < 0.0 && (chosen - least).abs() <= 1e-14 * least.abs(), "{chosen}");
            } else {
                assert_eq!(found, None, "{r} {s}");
            }
        }
    }
}

/// Painlevé's rod of mass `m` at the angle `θ`, which slides at `v`: with `μ = μ*(θ)` all impulses from zero to
/// `(m v/8)(3 sin 2θ, 5 + 3 cos 2θ)` are solutions.
#[test]
fn a_rod_at_the_threshold_has_a_segment_of_solutions() {
    for scale in [1.0, 1e-200, 1e200] {
        for step in 1..90 {
            let (sine, cosine) = (f64::from(step) * std::f64::consts::FRAC_PI_2 / 90.0).sin_cos();
            let (nn, nt) = (1.0 + 3.0 * cosine * cosine, -3.0 * sine * cosine);
            let block = matrix![nn, nt, 0.0; nt, 1.0 + 3.0 * sine * sine, 0.0; 0.0, 0.0, 4.0];
            let threshold = nn / nt.abs();
            // The determinant of the rows of normal and tangent is 4.
            let stuck = vector![-nt, nn, 0.0] / 4.0;
            let b = vector![0.0, 1.0, 0.0] * scale;
            let at =
                |friction: f64, b: Vector3<f64>| all(&Contact::new(&block, friction).unwrap(), &b);
            let found = at(threshold, b);
            let [none, end] = found.segment().unwrap();
            assert_eq!(none, Vector3::zeros());
            assert!((end / scale - stuck).norm() <= 1e-14 * stuck.norm(), "{step} {end}");
            let modes: Vec<_> = found.as_slice().iter().map(|one| one.mode).collect();
            assert_eq!(modes, [Mode::Open, Mode::Stick], "{step}");
            let contact = Contact::new(&block, threshold).unwrap();
            for part in [0.1, 0.5, 0.9] {
                let x = part * end;
                let u = contact.velocity(&b, &x) / scale;
                let y = x.yz() / scale;
                assert!(u.x.abs() < 1e-14 && u.z == 0.0, "{u}");
                assert!((u.y + (1.0 - part)).abs() < 1e-14 && y.x > 0.0, "it slides against {y}");
                assert!((y.norm() - threshold * x.x / scale).abs() <= 1e-14 * y.norm());
            }
            // Just beside the threshold, with an approach, and with a load aside there is none.
            for other in [threshold * (1.0 - 1e-12), threshold * (1.0 + 1e-12)] {
                assert_eq!(at(other, b).segment(), None, "{step}");
            }
            for (n, o) in [(1e-9, 0.0), (-1e-9, 0.0), (0.0, 1e-9)] {
                let other = at(threshold, b + vector![n, 0.0, o] * scale);
                assert_eq!(other.segment(), None, "{step}");
            }
            assert_eq!(at(threshold, -b).segment(), None, "friction would drive the slip");
        }
    }
}

/// The rod turned about its normal, in other units of mass and with other loads: the segment turns with it.
#[test]
fn a_segment_turns_with_the_tangents_and_is_that_of_any_unit() {
    for step in 1..20 {
        let (sine, cosine) = (f64::from(step) * std::f64::consts::FRAC_PI_2 / 20.0).sin_cos();
        let (nn, nt) = (1.0 + 3.0 * cosine * cosine, -3.0 * sine * cosine);
        let rod = matrix![nn, nt, 0.0; nt, 1.0 + 3.0 * sine * sine, 0.0; 0.0, 0.0, 4.0];
        for turn in 0..12 {
            let (s, c) = (0.1 + 0.5 * f64::from(turn)).sin_cos();
            let turned = matrix![1.0, 0.0, 0.0; 0.0, c, -s; 0.0, s, c];
            for (size, load) in [(1.0, 1.0), (1.0 / 64.0, 1e3), (64.0, 1e-3), (64.0, 1e3)] {
                let block = turned * rod * turned.transpose() * size;
                let block = 0.5 * (block + block.transpose());
                let contact = Contact::new(&block, nn / nt.abs()).unwrap();
                let found = all(&contact, &(turned * vector![0.0, load, 0.0]));
                let [_, end] = found.segment().unwrap();
                let expected = turned * vector![-nt, nn, 0.0] * (load / size) / 4.0;
                let error = (end - expected).norm() / expected.norm();
                assert!(error < 1e-13, "{step} {turn} {size} {load}: {error}");
            }
            // Rows that turn the slip away from the impulse have no segment.
            let skew = turned * (rod + matrix![0.0, 0.0, 0.0; 0.0, 0.0, 0.5; 0.0, 0.5, 0.0]);
            let block = skew * turned.transpose();
            let contact =
                Contact::new(&(0.5 * (block + block.transpose())), nn / nt.abs()).unwrap();
            assert_eq!(all(&contact, &(turned * vector![0.0, 1.0, 0.0])).segment(), None);
        }
    }
}

/// A segment along one of two asymptotes: `d = (−½, √¾)` closes the contact, and `P d = d`.
#[test]
fn a_segment_along_one_of_two_rays() {
    let d = [-0.5, 0.75_f64.sqrt()];
    // P = 1, a = (1, 0), A_nn = 1 and μ = 2: A_to = P + a aᵀ/A_nn.
    let block = matrix![1.0, 1.0, 0.0; 1.0, 2.0, 0.0; 0.0, 0.0, 1.0];
    let contact = Contact::new(&block, 2.0).unwrap();
    let b = vector![0.0, 3.0 * d[0], 3.0 * d[1]];
    let [none, end] = all(&contact, &b).segment().unwrap();
    assert_eq!(none, Vector3::zeros());
    assert!((end - vector![1.5, 3.0 * d[0], 3.0 * d[1]]).norm() < 1e-14, "{end}");
    let u = contact.velocity(&b, &(0.5 * end));
    assert!((u - vector![0.0, -1.5 * d[0], -1.5 * d[1]]).norm() < 1e-14, "{u}");
}

/// Newton's method: an error of 10⁻³ is gone after three steps, from every side; from far away no step is taken.
#[test]
fn polishing_converges_from_near_and_does_nothing_from_afar() {
    let mut random = ChaCha8Rng::seed_from_u64(51);
    let mut seen = 0;
    while seen < 200 {
        let factor = Matrix3::from_fn(|_, _| random.random_range(-1.0..1.0));
        let block = factor.transpose() * factor + Matrix3::identity() * 0.3;
        let contact = Contact::new(&block, random.random_range(0.05..0.8)).unwrap();
        let mut b = Vector3::<f64>::from_fn(|_, _| random.random_range(-1.0..1.0));
        b.x = b.x.abs() + 0.1;
        let found = all(&contact, &b);
        let [Solution { mode: Mode::Slide, impulse: exact, .. }] = found.as_slice() else {
            continue;
        };
        seen += 1;
        let load = contact.load(&b);
        let conic = Conic::new(&contact, &load);
        let size = exact.yz().norm();
        let (s, c) = random.random_range(0.0..std::f64::consts::TAU).sin_cos();
        let moved = |distance: f64| {
            let y = exact.yz() + nalgebra::vector![c, s] * (distance * size);
            vector![0.0, y.x, y.y]
        };
        let polished = polish(&conic, moved(1e-3));
        assert!((polished - exact).norm() <= 1e-11 * size, "{contact:?} {b} {polished} {exact}");
        let unchanged = (polish(&conic, moved(10.0)) - moved(10.0)).yz().norm();
        assert!(unchanged <= 1e-15 * size * 10.0, "{contact:?} {b}");
    }
}

/// With several solutions that nearest to the guess is taken; a guess along one tangent is a guess too.
#[test]
fn the_guess_chooses_among_solutions() {
    let mut random = ChaCha8Rng::seed_from_u64(52);
    let (published, load) = academic(true);
    let (block, friction) = (published.block(), published.friction());
    let mut several = 0;
    for _ in 0..60 {
        let contact = Contact::new(block, friction).unwrap();
        let b = load.map(|entry| entry * random.random_range(0.9..1.1));
        let slides = all(&contact, &b);
        if slides.as_slice().iter().any(|solution| solution.mode != Mode::Slide) {
            continue;
        }
        several += usize::from(slides.as_slice().len() > 1);
        for solution in slides.as_slice() {
            let turned = |axis: usize| {
                // The frame in which the friction is along one tangent.
                let y = solution.impulse.yz().normalize();
                let rows = [[y.x, y.y], [-y.y, y.x]];
                let (first, second) = (rows[axis], rows[1 - axis]);
                matrix![
                    1.0, 0.0, 0.0; 0.0, first[0], first[1]; 0.0, second[0], second[1]
                ]
            };
            for turn in [Matrix3::identity(), turned(0), turned(1)] {
                let other = Contact::new(&(turn * block * turn.transpose()), friction).unwrap();
                let mut expected = turn * solution.impulse;
                for entry in expected.iter_mut().filter(|entry| entry.abs() < 1e-12) {
                    *entry = 0.0;
                }
                let found = solve_near(&other, &(turn * b), &expected);
                assert!((found - expected).norm() <= 1e-7 * expected.norm(), "{contact:?} {b}");
            }
        }
    }
    assert!(several > 30, "{several}");
}

/// Where stick ends, rounding may leave neither a stick nor a slide; the boundary is then the answer.
#[test]
fn the_limit_of_sticking_has_an_answer() {
    let mut random = ChaCha8Rng::seed_from_u64(53);
    let (mut none, mut tries) = (0, 0);
    while none < 5 && tries < 200_000 {
        tries += 1;
        let factor = Matrix3::from_fn(|_, _| random.random_range(-1.0..1.0));
        let block = factor.transpose() * factor + Matrix3::identity() * 0.3;
        let mut b = Vector3::<f64>::from_fn(|_, _| random.random_range(-1.0..1.0));
        b.x = b.x.abs() + 0.1;
        let stuck = block.try_inverse().unwrap() * b;
        if stuck.x <= 0.1 {
            continue;
        }
        let contact = Contact::new(&block, stuck.yz().norm() / stuck.x).unwrap();
        let x = solve(&contact, &b);
        assert!((x - stuck).norm() <= 1e-12 * stuck.norm(), "{contact:?} {b} {x} {stuck}");
        none += usize::from(all(&contact, &b).as_slice().is_empty());
    }
    assert!(none > 0, "{tries} tries");
}

#[test]
fn a_slide_without_the_other_tests_is_the_same() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let mut slides = 0;
    for _ in 0..5000 {
        let (contact, b) = random_contact(&mut random);
        let guess = Vector3::from_fn(|_, _| random.random_range(-1.0..1.0));
        if b.x < 0.0 || contact.stick(&contact.load(&b)).is_some() {
            continue;
        }
        slides += 1;
        let found = slide_near(&contact, &b, &guess);
        let same = found
            .iter()
            .zip(&solve_near(&contact, &b, &guess))
            .all(|(x, y)| x.to_bits() == y.to_bits());
        assert!(same, "{contact:?} {b}");
    }
    assert!(slides > 1000, "{slides}");
}
