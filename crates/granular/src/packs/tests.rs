//! Packs beside one contact after another, with the vectors of the processor and without.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{processor::with_each, *};
use crate::{
    contact::{Contact, larger},
    correction::{Push, target},
    grains::narrow,
};

fn vector(random: &mut ChaCha8Rng) -> Vector3<f64> {
    Vector3::from_fn(|_, _| random.random_range(-1.0..1.0))
}

/// Grains with random motions, some of them at rest, and pairs that are near in the order of a slab.
fn random_slab(seed: u64) -> (Vec<Near>, Vec<Motion>, Settings) {
    let random = &mut ChaCha8Rng::seed_from_u64(seed);
    let count = random.random_range(2..40);
    let motions: Vec<Motion> = (0..count)
        .map(|_| {
            let speed = if random.random_bool(0.3) { 0.0 } else { 1.0 };
            Motion {
                velocity: speed * vector(random),
                spin: speed * vector(random),
                inverse_mass: random.random_range(0.1..10.0),
                spin_yield: random.random_range(0.1..20.0),
            }
        })
        .collect();
    // From a chain, in which each contact needs the one before, to a star and to many that share nothing.
    let reach = random.random_range(1..count as u32 + 1);
    let mut nears = Vec::new();
    for a in 0..count as u32 {
        for b in a + 1..(a + 1 + reach).min(count as u32) {
            if !random.random_bool(0.4) {
                continue;
            }
            // Gaps, overlaps, centers that coincide, and warm and cold starts.
            let apart = if random.random_bool(0.03) { Vector3::zeros() } else { vector(random) };
            let touching = apart.norm() + random.random_range(-0.1..0.1);
            let impulse = if random.random_bool(0.5) { vector(random) } else { Vector3::zeros() };
            let pair = narrow(nears.len());
            nears.push(Near { grains: [a, b], pair, apart, touching, impulse });
        }
    }
    let part = random.random_range(0.0..1.0);
    let correction = if random.random_bool(0.5) {
        Correction::Position { part, sweeps: 10 }
    } else {
        Correction::Velocity { part }
    };
    let friction = [0.0, 0.3, 1e8][random.random_range(0..3)];
    (nears, motions, Settings { friction, correction, step_size: 0.3, ..Settings::default() })
}

fn packed(nears: &[Near], motions: &[Motion], settings: &Settings) -> (Packs, [f64; 2]) {
    let mut packs = Packs::default();
    nears.iter().for_each(|near| packs.push(near));
    let figures = packs.assemble(motions, settings, (&Materials::default(), &[]));
    (packs, figures)
}

/// The contacts one after another, with the deepest overlap and the square of the largest free velocity.
fn single(nears: &[Near], motions: &[Motion], settings: &Settings) -> (Vec<Contact>, [f64; 2]) {
    let (mut overlap, mut scale) = (0.0_f64, 0.0_f64);
    let contact = |near: &Near| {
        let distance = near.apart.norm();
        let normal = if distance > 0.0 { near.apart / distance } else { Vector3::z() };
        let gap = distance - near.touching;
        let places = near.grains.map(|grain| &motions[grain as usize]);
        let gaps = [gap, settings.bias(gap)];
        let mut contact =
            Contact::new(normal, gaps, settings.friction, places, near.grains, near.pair);
        overlap = overlap.max(-gap);
        let free = contact.velocity(motions) + contact.law.bias * normal;
        scale = scale.max(free.norm_squared());
        contact.law.take_over(&near.impulse);
        contact
    };
    let contacts = nears.iter().map(contact).collect();
    (contacts, [overlap, scale])
}

/// The contacts of packs in the order of their pairs.
fn sorted(packs: &Packs, motions: &[Motion]) -> Vec<Contact> {
    let biases = packs.packs.iter().zip(packs.order.filled());
    let biases = biases.flat_map(|(pack, filled)| &pack.bias[..usize::from(*filled)]);
    let contact = |(contact, bias): (Packed, &f64)| {
        let Packed { grains, pair, normal, gap, impulse } = contact;
        let places = grains.map(|grain| &motions[grain as usize]);
        let mut contact =
            Contact::new(normal, [gap, *bias], packs.friction.all, places, grains, pair);
        contact.law.impulse = impulse;
        contact
    };
    let mut contacts: Vec<Contact> = packs.iter().zip(biases).map(contact).collect();
    contacts.sort_by_key(|contact| contact.pair);
    contacts
}

#[test]
fn packs_give_the_bits_of_one_contact_after_another() {
    with_each(|| {
        for seed in 0..500 {
            let (nears, motions, settings) = random_slab(seed);
            let (mut packs, figures) = packed(&nears, &motions, &settings);
            let (mut singly, expected) = single(&nears, &motions, &settings);
            assert_eq!(figures.map(f64::to_bits), expected.map(f64::to_bits), "{seed}");
            assert_eq!(sorted(&packs, &motions), singly, "{seed}");
            let (mut found, mut expected) = (motions.clone(), motions.clone());
            singly.iter().for_each(|contact| contact.push(&contact.law.impulse, &mut expected));
            packs.warm_start(&mut found);
            assert_eq!(found, expected, "{seed}");
            for count in 0..6 {
                let solve = |contact: &mut Contact| contact.sweep(&mut expected);
                let backwards = count % 2 == 1;
                let changes: Vec<f64> = if backwards {
                    singly.iter_mut().rev().map(solve).collect()
                } else {
                    singly.iter_mut().map(solve).collect()
                };
                let largest = changes.into_iter().fold(0.0, larger);
                let change = packs.sweep(&mut found, backwards);
                assert_eq!(change.to_bits(), largest.to_bits(), "{seed}");
                assert_eq!(found, expected, "{seed}");
                assert_eq!(sorted(&packs, &motions), singly, "{seed}");
            }
        }
    });
}

#[test]
fn packs_are_judged_as_one_contact_after_another() {
    with_each(|| {
        for seed in 0..500 {
            let (nears, mut motions, settings) = random_slab(seed);
            let (mut packs, _) = packed(&nears, &motions, &settings);
            packs.sweep(&mut motions, false);
            let mut expected = Account::default();
            let contacts = sorted(&packs, &motions);
            let step = settings.step_size;
            contacts.iter().for_each(|contact| contact.certify(&motions, step, &mut expected));
            let found = packs.certify(&motions, &settings);
            assert_eq!(found.residual.to_bits(), expected.residual.to_bits(), "{seed}");
            assert_eq!(found.overlap.to_bits(), expected.overlap.to_bits(), "{seed}");
            assert_eq!(found.closed, expected.closed, "{seed}");
            let sizes = |term: fn(&Contact, &Vector3<f64>) -> f64| -> f64 {
                contacts
                    .iter()
                    .map(|contact| term(contact, &contact.velocity(&motions)).abs())
                    .sum()
            };
            let work = sizes(|contact, velocity| contact.law.impulse.dot(velocity));
            assert!((found.work - expected.work).abs() <= 1e-13 * work, "{seed}");
            let lifting = expected.lifting;
            assert!((found.lifting - lifting).abs() <= 1e-13 * lifting, "{seed}");
        }
    });
}

#[test]
fn packs_resist_rolling_as_one_contact_after_another() {
    with_each(|| {
        for seed in 0..500 {
            let (nears, motions, settings) = random_slab(seed);
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut length = || random.random_range(0.0..2.0);
            let (friction, rolling, spinning) = (settings.friction, length(), length());
            let all = Interaction { friction, rolling, spinning, ..Interaction::default() };
            let materials = Materials::uniform(all);
            let radii: Vec<f64> = motions.iter().map(|_| 0.5 + length()).collect();
            let moments: Vec<_> = nears.iter().map(|_| vector(&mut random)).collect();
            let own = vec![0; motions.len()];
            let mut packs = Packs::default();
            nears.iter().for_each(|near| packs.push(near));
            packs.assemble(&motions, &settings, (&materials, &own));
            packs.resist((&materials, &own), &radii, &moments, &motions);
            let mut singly = sorted(&packs, &motions);
            let turn = |contact: &Contact| {
                let radii = contact.grains.map(|grain| 1.0 / radii[grain as usize]);
                Turn::new(&moments[contact.pair as usize], radii, &all, &contact.law)
            };
            let mut turns: Vec<Turn> = singly.iter().map(turn).collect();
            let (mut found, mut expected) = (motions.clone(), motions.clone());
            packs.warm_start(&mut found);
            for contact in &singly {
                contact.push(&contact.law.impulse, &mut expected);
            }
            for (contact, turn) in singly.iter().zip(&turns) {
                turn.warm_start(contact.grains, &mut expected);
            }
            assert_eq!(found, expected, "{seed}");
            for count in 0..6 {
                let backwards = count % 2 == 1;
                let mut largest = 0.0;
                for done in 0..singly.len() {
                    let at = if backwards { singly.len() - 1 - done } else { done };
                    largest = larger(largest, singly[at].sweep(&mut expected));
                    let Contact { law, grains, .. } = &singly[at];
                    largest = larger(largest, turns[at].sweep(law, *grains, &mut expected));
                }
                let change = packs.sweep(&mut found, backwards);
                assert_eq!(change.to_bits(), largest.to_bits(), "{seed}");
                assert_eq!(found, expected, "{seed}");
            }
            let mut account = Account::default();
            for (contact, turn) in singly.iter().zip(&turns) {
                contact.certify(&found, settings.step_size, &mut account);
                turn.certify(&contact.law, contact.grains, &found, &mut account);
            }
            let judged = packs.certify(&found, &settings);
            assert_eq!(judged.residual.to_bits(), account.residual.to_bits(), "{seed}");
            let size = account.work.abs() + 100.0;
            assert!((judged.work - account.work).abs() <= 1e-12 * size, "{seed}");
            let kept: Vec<_> = packs.iter().map(|one| one.pair).zip(packs.moments()).collect();
            assert!(kept.iter().all(|(pair, moment)| *moment == turns[*pair as usize].moment));
        }
    });
}

#[test]
fn packs_move_grains_apart_as_one_push_after_another() {
    with_each(|| {
        for seed in 0..500 {
            let (nears, mut motions, settings) = random_slab(seed);
            let Correction::Position { part, .. } = settings.correction else { continue };
            let (mut packs, _) = packed(&nears, &motions, &settings);
            packs.sweep(&mut motions, false);
            packs.certify(&motions, &settings);
            let push = |contact: &Contact| {
                let gap = contact.end_gap(&motions, settings.step_size);
                Push::new(contact, target(gap, part))
            };
            let mut pushes: Vec<Push> = sorted(&packs, &motions).iter().map(push).collect();
            let mut found: Vec<Shift> = motions.iter().map(Shift::none).collect();
            let mut expected = found.clone();
            for _ in 0..4 {
                packs.shift(&mut found);
                pushes.iter_mut().for_each(|push| push.sweep(&mut expected));
                assert_eq!(found, expected, "{seed}");
            }
        }
    });
}

#[test]
fn a_velocity_that_is_no_number_is_reported_and_stays_at_its_contact() {
    let good = |motions: &[Motion]| motions.iter().filter(|m| m.velocity.x.is_finite()).count();
    with_each(|| {
        let (nears, mut motions, settings) = random_slab(3);
        let (mut packs, _) = packed(&nears, &motions, &settings);
        motions[0].velocity.x = f64::NAN;
        let mut others = motions.clone();
        assert!(packs.sweep(&mut motions, false).is_nan());
        let (mut contacts, _) = single(&nears, &others, &settings);
        contacts.iter_mut().for_each(|contact| {
            contact.sweep(&mut others);
        });
        assert_eq!(good(&motions), good(&others));
    });
}

#[test]
fn most_packs_of_a_dense_slab_are_full() {
    // As few grains as a slab has beside others, in five layers: each touches six of those behind it.
    let mut packs = Packs::default();
    let (size, number) = ([10, 10, 5], |[x, y, z]: [u32; 3]| x + 10 * (y + 10 * z));
    let neighbors = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1]];
    for a in 0..500 {
        let place = [a % 10, a / 10 % 10, a / 100];
        for neighbor in neighbors {
            let other = [0, 1, 2].map(|axis| place[axis] + neighbor[axis]);
            if (0..3).all(|axis| other[axis] < size[axis]) {
                let (grains, apart, impulse) = ([a, number(other)], Vector3::x(), Vector3::zeros());
                packs.push(&Near { grains, pair: 0, apart, touching: 1.0, impulse });
            }
        }
    }
    assert!(packs.packs.len() * LANES * 9 < packs.len() * 10, "{}", packs.packs.len());
}
