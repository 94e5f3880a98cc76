//! Packs beside one contact after another, with the vectors of the processor and without.

mod single;

use nalgebra::UnitQuaternion;
use percussion_collision::Feature;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use self::single::{Given, Push, Single};
use super::{
    assemble::{frame, inverse},
    *,
};
use crate::{
    bodies::contact::{Local, Yielding},
    contact::larger,
    grains::narrow,
    packs::{lanes::Single as Lane, processor::with_each, vectors::Vectors},
};

const LAWS: [Law; 2] = [Law::Coulomb, Law::MaximumDissipation];
const STEP: f64 = 0.3;

fn vector(random: &mut ChaCha8Rng) -> Vector3<f64> {
    Vector3::from_fn(|_, _| random.random_range(-1.0..1.0))
}

/// Bodies with random motions, some of them at rest, and contacts in the order of a slab: walls first.
fn random_slab(seed: u64) -> (Vec<Given>, Vec<Motion>) {
    let random = &mut ChaCha8Rng::seed_from_u64(seed);
    let count = random.random_range(2..25_u32);
    let motion = |random: &mut ChaCha8Rng| {
        let speed = if random.random_bool(0.3) { 0.0 } else { 1.0 };
        let turn = UnitQuaternion::from_scaled_axis(3.0 * vector(random)).to_rotation_matrix();
        let principal = Matrix3::from_diagonal(&vector(random).map(|x| 2.0 + 1.5 * x));
        let inverse_inertia = turn.matrix() * principal * turn.matrix().transpose();
        Motion {
            twist: Twist::new(speed * vector(random), speed * vector(random)),
            yielding: Yielding::new(random.random_range(0.1..10.0), &inverse_inertia),
        }
    };
    let motions: Vec<Motion> = (0..count).map(|_| motion(random)).collect();
    let mut bodies: Vec<[u32; 2]> = (0..count).map(|body| [body, NO_BODY]).collect();
    // From a chain, in which each contact needs the one before, to many that share nothing.
    let reach = random.random_range(1..count + 1);
    bodies
        .extend((0..count).flat_map(|a| (a + 1..(a + 1 + reach).min(count)).map(move |b| [a, b])));
    let mut givens = Vec::new();
    for bodies in bodies {
        if !random.random_bool(0.4) {
            continue;
        }
        // Several contacts of a pair, as bricks have.
        for _ in 0..random.random_range(1..5) {
            let is_wall = bodies[1] == NO_BODY;
            let none = Vector3::zeros();
            givens.push(Given {
                bodies,
                normal: vector(random),
                arms: [vector(random), if is_wall { none } else { vector(random) }],
                gap: random.random_range(-0.1..0.1),
                friction: [0.0, 0.3, 0.5, 1e8][random.random_range(0..4)],
                drive: if is_wall { vector(random) } else { none },
                impulse: if random.random_bool(0.5) { vector(random) } else { none },
            });
        }
    }
    (givens, motions)
}

fn contact(given: &Given) -> Contact {
    let Given { bodies, normal, gap, friction, drive, .. } = *given;
    let local = Local { parts: [0; 2], features: [Feature::Whole; 2] };
    let (point, impulse) = (Vector3::zeros(), Vector3::zeros());
    Contact { bodies, pair: 0, local, friction, gap, normal, point, drive, impulse }
}

fn packed(givens: &[Given], motions: &[Motion], law: Law) -> (Packs, f64) {
    let mut packs = Packs::default();
    for (number, given) in givens.iter().enumerate() {
        if number == givens.len() / 2 {
            packs.close();
        }
        packs.push(&contact(given), narrow(number), (given.arms, None), &given.impulse);
    }
    let largest = packs.assemble(motions, law, STEP).unwrap();
    (packs, largest)
}

/// The impulses in the frames, in the order of contacts.
fn impulses(packs: &Packs) -> Vec<Vector3<f64>> {
    let groups = [&packs.walls.packs, &packs.pairs.packs];
    let mut all: Vec<(u32, Vector3<f64>)> = Vec::new();
    for pack in groups.into_iter().flatten() {
        all.extend((0..LANES).map(|k| (pack.contacts[k], work::vector(&pack.impulse, k))));
    }
    all.sort_by_key(|(number, _)| *number);
    all.dedup_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, impulse)| impulse).collect()
}

#[test]
fn packs_give_the_bits_of_one_contact_after_another() {
    with_each(|| {
        let mut slides = 0;
        for seed in 0..300 {
            let law = LAWS[usize::from(seed % 2 == 1)];
            let (givens, motions) = random_slab(seed);
            let (mut packs, largest) = packed(&givens, &motions, law);
            let single = |given| Single::new(given, &motions, STEP);
            let mut singly: Vec<Single> = givens.iter().map(single).collect();
            let square = |contact: &Single| contact.shifted_velocity(&motions).norm_squared();
            let expected = singly.iter().map(square).fold(0.0, f64::max);
            assert_eq!(largest.to_bits(), expected.to_bits(), "{seed}");
            let of = |singly: &[Single]| singly.iter().map(|c| c.impulse).collect::<Vec<_>>();
            assert_eq!(impulses(&packs), of(&singly), "{seed}");

            let (mut found, mut expected) = (motions.clone(), motions.clone());
            packs.warm_start(&mut found);
            singly.iter().for_each(|contact| contact.warm_start(&mut expected));
            assert_eq!(found, expected, "{seed}");
            for count in 0..6 {
                let backwards = count % 2 == 1;
                let mut largest = 0.0;
                let mut solve = |contact: &mut Single| {
                    largest = larger(largest, contact.sweep(law, &mut expected));
                };
                if backwards {
                    singly.iter_mut().rev().for_each(&mut solve);
                } else {
                    singly.iter_mut().for_each(&mut solve);
                }
                let change = packs.sweep(law, &mut found, backwards);
                assert_eq!(change.to_bits(), largest.to_bits(), "{seed}");
                assert_eq!(found, expected, "{seed}");
                assert_eq!(impulses(&packs), of(&singly), "{seed}");
            }
            let is_at_limit = |(given, contact): &(&Given, &Single)| {
                let limit = given.friction * contact.impulse.x;
                limit > 0.0 && contact.impulse.yz().norm() > 0.999 * limit
            };
            slides += givens.iter().zip(&singly).filter(is_at_limit).count();
        }
        assert!(slides > 1000, "{slides}");
    });
}

#[test]
fn packs_are_judged_as_one_contact_after_another() {
    with_each(|| {
        for seed in 0..300 {
            let law = LAWS[usize::from(seed % 2 == 1)];
            let (givens, start) = random_slab(seed);
            let (mut packs, _) = packed(&givens, &start, law);
            let mut singly: Vec<Single> =
                givens.iter().map(|given| Single::new(given, &start, STEP)).collect();
            let mut motions = start.clone();
            packs.sweep(law, &mut motions, false);
            let mut swept = start.clone();
            let mut account = Account::default();
            for contact in &mut singly {
                contact.sweep(law, &mut swept);
            }
            singly.iter().for_each(|contact| contact.certify(law, &swept, STEP, &mut account));
            let mut contacts: Vec<Contact> = givens.iter().map(contact).collect();
            let found = packs.certify(&mut contacts, &motions, law, STEP);
            assert_eq!(found.residual.to_bits(), account.residual.to_bits(), "{seed}");
            assert_eq!(found.overlap.to_bits(), account.overlap.to_bits(), "{seed}");
            assert_eq!(found.closed, account.closed, "{seed}");
            for (contact, single) in contacts.iter().zip(&singly) {
                assert_eq!(contact.impulse, single.world_impulse(), "{seed}");
            }
            // Sums are added up in another order.
            let size = |contact: &Single| {
                contact.impulse.norm() * (contact.shifted_velocity(&swept).norm() + 2.0)
            };
            let sizes = singly.iter().map(size).sum::<f64>();
            assert!((found.work - account.work).abs() <= 1e-13 * sizes, "{seed}");
            assert!((found.wall_work - account.wall_work).abs() <= 1e-13 * sizes, "{seed}");
            let away = (found.wall_impulse - account.wall_impulse).norm();
            assert!(away <= 1e-13 * sizes, "{seed}");
        }
    });
}

#[test]
fn packs_move_bodies_apart_as_one_push_after_another() {
    with_each(|| {
        for seed in 0..300 {
            let (law, part) = (Law::Coulomb, 0.2);
            let (givens, start) = random_slab(seed);
            let (mut packs, _) = packed(&givens, &start, law);
            let mut singly: Vec<Single> =
                givens.iter().map(|given| Single::new(given, &start, STEP)).collect();
            let mut motions = start.clone();
            packs.sweep(law, &mut motions, false);
            let mut swept = start.clone();
            for contact in &mut singly {
                contact.sweep(law, &mut swept);
            }
            let mut contacts: Vec<Contact> = givens.iter().map(contact).collect();
            let deepest = packs.certify(&mut contacts, &motions, law, STEP).overlap;
            packs.prepare_pushes(&motions, [part, deepest]);
            let push = |contact: &Single| {
                let gap = contact.gap_after(&swept, STEP);
                (gap < deepest).then(|| Push::new(contact, gap, part, &swept))
            };
            let mut pushes: Vec<Push> = singly.iter().filter_map(push).collect();
            let mut found = vec![Twist::new(Vector3::zeros(), Vector3::zeros()); start.len()];
            let mut expected = found.clone();
            for _ in 0..4 {
                packs.push_apart(&mut found);
                pushes.iter_mut().for_each(|push| push.sweep(&mut expected));
                assert_eq!(found, expected, "{seed}");
            }
        }
    });
}

/// Blocks without coupling and with equal tangents, and units in which powers overflow or underflow.
#[test]
fn unusual_contacts_give_the_bits_of_one_contact_after_another() {
    with_each(|| {
        for seed in 0..90 {
            let unit = [1e-80, 1.0, 1e80][(seed % 3) as usize];
            let (mut givens, mut motions) = random_slab(1000 + seed);
            for given in givens.iter_mut().step_by(2) {
                given.arms = [Vector3::zeros(); 2];
            }
            for motion in &mut motions {
                motion.yielding.0 = motion.yielding.0.map(|entry| entry * unit);
            }
            let law = Law::Coulomb;
            let (mut packs, _) = packed(&givens, &motions, law);
            let mut singly: Vec<Single> =
                givens.iter().map(|given| Single::new(given, &motions, STEP)).collect();
            let mut expected = motions.clone();
            for _ in 0..3 {
                packs.sweep(law, &mut motions, false);
                for contact in &mut singly {
                    contact.sweep(law, &mut expected);
                }
                assert_eq!(motions, expected, "{seed}");
            }
            let mut account = Account::default();
            singly.iter().for_each(|contact| contact.certify(law, &expected, STEP, &mut account));
            let mut contacts: Vec<Contact> = givens.iter().map(contact).collect();
            let found = packs.certify(&mut contacts, &motions, law, STEP);
            assert_eq!(found.residual.to_bits(), account.residual.to_bits(), "{seed}");
        }
    });
}

#[test]
fn a_velocity_that_is_no_number_stays_at_its_contacts() {
    with_each(|| {
        for seed in 0..20 {
            let (givens, start) = random_slab(seed);
            let (mut packs, _) = packed(&givens, &start, Law::Coulomb);
            let mut motions = start.clone();
            motions[0].twist.0[0] = f64::NAN;
            let mut expected = motions.clone();
            packs.sweep(Law::Coulomb, &mut motions, false);
            for given in &givens {
                Single::new(given, &start, STEP).sweep(Law::Coulomb, &mut expected);
            }
            for (found, expected) in motions.iter().zip(&expected) {
                let is_number = expected.twist.0[0].is_finite();
                assert_eq!(found.twist.0[0].is_finite(), is_number, "{seed}");
                assert!(!is_number || found == expected, "{seed}");
            }
        }
    });
}

#[test]
fn a_contact_with_a_number_that_is_not_finite_is_named() {
    let (mut givens, motions) = random_slab(5);
    let wrong = givens.len() / 2;
    givens[wrong].arms[0].y = f64::NAN;
    for law in LAWS {
        let mut packs = Packs::default();
        for (number, given) in (0..).zip(&givens) {
            packs.push(&contact(given), number, (given.arms, None), &given.impulse);
        }
        assert_eq!(packs.assemble(&motions, law, STEP), Err(narrow(wrong)));
    }
}

#[test]
fn frames_are_orthonormal_and_right_handed_for_every_normal() {
    let mut normals = vec![Vector3::z(), -Vector3::z(), Vector3::x(), -Vector3::y()];
    normals.push(Vector3::new(1e-9, 1e-9, -1.0));
    normals.extend((0..50).map(|k| {
        let k = f64::from(k);
        Vector3::new(k.sin(), (1.7 * k).cos(), (2.3 * k).sin() - 0.5)
    }));
    for normal in normals {
        let lanes = Vectors(<[f64; 3]>::from(normal).map(|x| Lane::all((), x)));
        let [n, t, o] = frame((), lanes).map(|axis| work::vector(&axis.values(), 1).transpose());
        let frame = Matrix3::from_rows(&[n, t, o]);
        let error = (frame * frame.transpose() - Matrix3::identity()).amax();
        assert!(error < 4.0 * f64::EPSILON, "{normal}: {error:e}");
        assert!((frame.determinant() - 1.0).abs() < 8.0 * f64::EPSILON, "{normal}");
        assert!((frame.row(0).transpose() - normal.normalize()).amax() < f64::EPSILON);
    }
}

#[test]
fn blocks_are_inverted_unless_they_are_nearly_singular() {
    let inverted = |block: &Matrix3<f64>, mean: f64| {
        let entries = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
        let entries = entries.map(|at| Lane::all((), block[at]));
        inverse((), entries, Lane::all((), mean)).map(|entry| entry.values()[2])
    };
    let block = Matrix3::new(4.0, 1.0, -0.5, 1.0, 3.0, 0.2, -0.5, 0.2, 2.0);
    for size in [1e-200, 1.0, 1e200] {
        let [nn, nt, no, tt, to, oo] = inverted(&(block * size), 3.0 * size);
        let found = Matrix3::new(nn, nt, no, nt, tt, to, no, to, oo);
        let error = (found * size * block - Matrix3::identity()).amax();
        assert!(error < 1e-14, "{size:e}: {error:e}");
    }
    let singular = Matrix3::new(1.0, 1.0, 0.0, 1.0, 1.0 + 1e-8, 0.0, 0.0, 0.0, 1.0);
    assert!(inverted(&singular, 1.0).iter().all(|entry| entry.is_nan()));
}
