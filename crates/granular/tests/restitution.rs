//! Materials: friction that differs among grains, and restitution, beside closed forms and the balance of energy.

use nalgebra::Vector3;
use percussion_granular::{
    Correction, Domain, Grain, Interaction, Materials, Settings, Wall, World,
    checkpoint::{Checkpoint, decode, encode},
    decomposition::{Partition, Subdomain, in_process},
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const VALID: &str = "the scene is valid";
const G: f64 = 9.81;
const STEP: f64 = 1e-3;

fn pair(friction: f64, restitution: f64) -> Interaction {
    Interaction { friction, restitution, ..Interaction::default() }
}

/// Grains whose contacts are solved to rounding, without gravity.
fn space() -> Settings {
    let gravity = Vector3::zeros();
    Settings {
        step_size: STEP,
        gravity,
        max_sweeps: 10_000,
        tolerance: 1e-13,
        ..Settings::default()
    }
}

fn world(settings: Settings, walls: Vec<Wall>, materials: Materials) -> World {
    let mut world = World::new(settings, walls).expect(VALID);
    world.set_materials(materials).expect(VALID);
    world
}

fn ball(place: [f64; 3], velocity: [f64; 3], mass: f64) -> Grain {
    Grain { velocity: velocity.into(), ..Grain::at(place.into(), 0.1, mass) }
}

fn floor() -> Wall {
    Wall::plane(Vector3::zeros(), Vector3::z(), 0.0)
}

fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step().expect(VALID);
    }
}

/// Velocities in the order of identities.
fn velocities(world: &World) -> Vec<Vector3<f64>> {
    let grains = world.grains();
    let mut all: Vec<_> =
        (0..grains.len()).map(|k| (grains.identities()[k], grains.velocity(k))).collect();
    all.sort_by_key(|(identity, _)| *identity);
    all.into_iter().map(|(_, velocity)| velocity).collect()
}

/// Kinetic energy and energy in gravity with the part of a step that steps of free fall conserve.
fn energy(world: &World) -> f64 {
    world.energy()
        + 0.5
            * world.settings().step_size
            * world.settings().gravity.dot(&world.grains().momentum())
}

#[test]
fn a_ball_returns_to_the_square_of_its_restitution_within_the_error_of_a_step() {
    let height = 0.7;
    for e in [0.0, 0.2, 0.5, 0.9, 1.0] {
        let settings = Settings { gravity: Vector3::new(0.0, 0.0, -G), ..space() };
        let mut world = world(settings, vec![floor()], Materials::uniform(pair(0.3, e)));
        world.add(&ball([0.0, 0.0, 0.1 + height], [0.0; 3], 2.0)).expect(VALID);
        // It arrives after 0.378 s, and is at its highest e · 0.378 s later.
        let (mut highest, mut bounced) = (0.0_f64, false);
        for _ in 0..900 {
            world.step().expect(VALID);
            let grains = world.grains();
            if bounced && grains.velocity(0).z < 0.0 {
                break;
            }
            bounced |= grains.velocity(0).z > 0.0;
            highest = highest.max(if bounced { grains.positions()[0].z - 0.1 } else { 0.0 });
        }
        // What steps of free fall conserve is `g h` before, and after with the speed `s` and the gap `ξ < s δt` at which it
        // turns back `½ (e s)² + g ξ + ½ g δt e s`; a highest place is above the conserved one by at most `⅛ g δt²`.
        let speed = (2.0 * G * height).sqrt();
        let least = e * e * height + 0.5 * STEP * (speed - 2.0 * G * STEP) * e * (1.0 - e);
        let most = e * e * height
            + STEP * speed * (0.5 * e * (1.0 - e) + 1.0 - e * e)
            + G * STEP * STEP / 8.0;
        assert!(
            e == 0.0 || (least - 1e-12..=most + 1e-12).contains(&highest),
            "{e}: {highest} of {least} to {most}"
        );
        assert!(e > 0.0 || !bounced, "{highest}");
    }
}

#[test]
fn an_elastic_ball_bounces_for_ever_to_its_height() {
    let settings = Settings { gravity: Vector3::new(0.0, 0.0, -G), ..space() };
    let mut world = world(settings, vec![floor()], Materials::uniform(pair(0.3, 1.0)));
    world.add(&ball([0.0, 0.0, 0.3], [0.0; 3], 2.0)).expect(VALID);
    let (start, mut highest) = (energy(&world), 0.0_f64);
    // 0.2 m: 0.404 s from one impact to the next, 50 impacts.
    for step in 0..20_200 {
        world.step().expect(VALID);
        assert!(
            (energy(&world) - start).abs() < 1e-10,
            "{} J after {step} steps",
            energy(&world) - start
        );
        if step > 19_500 {
            highest = highest.max(world.grains().positions()[0].z - 0.1);
        }
    }
    assert!((highest - 0.2).abs() < G * STEP * STEP / 8.0 + 1e-10, "{highest}");
}

#[test]
fn two_balls_part_by_newtons_law_for_any_masses() {
    for (first, second) in [(1.0, 1.0), (3.0, 0.5)] {
        for e in [0.0, 0.4, 1.0] {
            let mut world = world(space(), vec![], Materials::uniform(pair(0.0, e)));
            world.add(&ball([0.0; 3], [2.0, 0.0, 0.0], first)).expect(VALID);
            world.add(&ball([0.25, 0.0, 0.0], [0.0; 3], second)).expect(VALID);
            steps(&mut world, 100);
            let found = velocities(&world);
            let total = first + second;
            let expected = [2.0 * (first - e * second) / total, 2.0 * first * (1.0 + e) / total];
            for (found, expected) in found.iter().zip(expected) {
                assert!((found.x - expected).abs() < 1e-12, "{e}: {found} and {expected}");
            }
        }
    }
}

#[test]
fn a_ball_on_the_floor_rubs_by_its_friction_times_the_impulse_of_the_bounce() {
    let (e, fall) = (0.6, 1.5);
    for friction in [0.1, 10.0] {
        let mut world = world(space(), vec![floor()], Materials::uniform(pair(friction, e)));
        world.add(&ball([0.0, 0.0, 0.11], [2.0, 0.0, -fall], 1.0)).expect(VALID);
        steps(&mut world, 30);
        // It slides throughout, or leaves without slip at 5/7 of its speed.
        let expected =
            if friction < 1.0 { 2.0 - friction * (1.0 + e) * fall } else { 2.0 * 5.0 / 7.0 };
        let found = velocities(&world)[0];
        assert!(
            (found - Vector3::new(expected, 0.0, e * fall)).norm() < 1e-12,
            "{friction}: {found}"
        );
    }
}

#[test]
fn slow_contacts_are_inelastic() {
    for (speed, expected) in [(0.099, 0.0), (0.101, 0.101)] {
        let mut materials = Materials::uniform(pair(0.0, 1.0));
        materials.inelastic_below = 0.1;
        let mut world = world(space(), vec![floor()], materials);
        world.add(&ball([0.0, 0.0, 0.101], [0.0, 0.0, -speed], 1.0)).expect(VALID);
        steps(&mut world, 40);
        assert!((velocities(&world)[0].z - expected).abs() < 1e-12, "{}", velocities(&world)[0]);
    }
}

#[test]
fn balls_that_touch_pass_an_impact_on_only_where_gaps_part_its_times() {
    for (gap, expected) in [(0.0, [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]), (0.01, [0.0, 0.0, 1.0])] {
        let mut world = world(space(), vec![], Materials::uniform(pair(0.0, 1.0)));
        world.add(&ball([-0.25, 0.0, 0.0], [1.0, 0.0, 0.0], 1.0)).expect(VALID);
        world.add(&ball([0.0; 3], [0.0; 3], 1.0)).expect(VALID);
        world.add(&ball([0.2 + gap, 0.0, 0.0], [0.0; 3], 1.0)).expect(VALID);
        steps(&mut world, 100);
        for (found, expected) in velocities(&world).iter().zip(expected) {
            assert!((found.x - expected).abs() < 1e-9, "{gap}: {found} and {expected}");
        }
    }
}

/// The second of three balls that touch is hit while the third runs ahead of it: an inelastic second contact in the step of
/// the first one's bounce would add up to 13 % of the energy.
#[test]
fn a_contact_that_has_opened_adds_no_energy_to_an_impact_beside_it() {
    for ahead in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let mut world = world(space(), vec![], Materials::uniform(pair(0.0, 1.0)));
        world.add(&ball([-0.2, 0.0, 0.0], [1.0, 0.0, 0.0], 1.0)).expect(VALID);
        world.add(&ball([0.0; 3], [0.0; 3], 1.0)).expect(VALID);
        world.add(&ball([0.2, 0.0, 0.0], [ahead, 0.0, 0.0], 1.0)).expect(VALID);
        let mut before = world.energy();
        for _ in 0..20 {
            world.step().expect(VALID);
            assert!(world.energy() <= before + 1e-12, "{ahead}: {} of {before} J", world.energy());
            before = world.energy();
        }
    }
}

/// Grains in a box with six walls, of two materials of which one is heavy.
fn box_of_grains(seed: u64, interaction: [Interaction; 3], gravity: f64) -> World {
    let random = &mut ChaCha8Rng::seed_from_u64(seed);
    let mut walls = Vec::new();
    for k in 0..3 {
        let along = Vector3::ith(k, 1.0);
        walls.push(Wall::plane(Vector3::zeros(), along, 0.0));
        walls.push(Wall::plane(along, -along, 0.0).of_material(1));
    }
    let mut materials = Materials::new(2, interaction[0]);
    materials.set(0, 1, interaction[1]);
    materials.set(1, 1, interaction[2]);
    let correction = Correction::Position { part: 0.0, sweeps: 0 };
    let gravity = Vector3::new(0.0, 0.0, -gravity);
    let mut world = world(Settings { gravity, correction, ..space() }, walls, materials);
    for k in 0..216 {
        let place = Vector3::new(f64::from(k % 6), f64::from(k / 6 % 6), f64::from(k / 36));
        let velocity = Vector3::from_fn(|_, _| random.random_range(-3.0..3.0));
        let angular_velocity = Vector3::from_fn(|_, _| random.random_range(-30.0..30.0));
        let material = u8::from(k % 3 == 0);
        let mass = if k % 3 == 0 { 20.0 } else { 1.0 };
        let grain = Grain::at(place.map(|x| 0.09 + 0.164 * x), 0.075, mass);
        world.add(&Grain { velocity, angular_velocity, material, ..grain }).expect(VALID);
    }
    world
}

#[test]
fn no_step_of_a_dense_gas_without_friction_adds_energy() {
    let interactions = [pair(0.0, 1.0), pair(0.0, 0.9), pair(0.0, 0.3)];
    for (seed, gravity) in [(1, 0.0), (2, G)] {
        let mut world = box_of_grains(seed, interactions, gravity);
        let start = energy(&world);
        let mut before = start;
        let mut contacts = 0;
        for step in 0..400 {
            contacts += world.step().expect(VALID).contacts;
            let now = energy(&world);
            assert!(now <= before + 1e-9 * start, "step {step}: {before} to {now} J");
            before = now;
        }
        assert!(
            contacts > 5000 && before < 0.8 * start,
            "{contacts} contacts, {before} of {start} J"
        );
    }
}

/// With friction no bound is proven; in this gas no step exceeds it either.
#[test]
fn no_step_of_a_dense_gas_with_friction_adds_energy_either() {
    let interactions = [pair(0.4, 1.0), pair(0.1, 0.9), pair(0.8, 0.5)];
    let mut world = box_of_grains(3, interactions, 0.0);
    let start = energy(&world);
    let mut before = start;
    for step in 0..400 {
        world.step().expect(VALID);
        let now = energy(&world);
        assert!(now <= before + 1e-9 * start, "step {step}: {before} to {now} J");
        before = now;
    }
}

/// Balls meet head-on and turn about an axis across: while they slip, each gets `μ` times the normal impulse along the slip.
#[test]
fn each_pair_of_materials_rubs_by_its_own_friction() {
    let frictions = [[0.1, 0.2, 0.0], [0.2, 0.3, 0.05], [0.0, 0.05, 0.4]];
    let mut materials = Materials::new(3, pair(0.0, 1.0));
    for one in 0..3_u8 {
        for other in 0..=one {
            materials.set(one, other, pair(frictions[usize::from(one)][usize::from(other)], 1.0));
        }
    }
    let mut world = world(space(), vec![], materials);
    let spin = Vector3::new(0.0, 0.0, 100.0);
    let pairs: Vec<(u8, u8)> = (0..90).map(|k| (k % 3, k / 3 % 3)).collect();
    for (k, (one, other)) in (0..).zip(&pairs) {
        let y = f64::from(k);
        for (x, material) in [(-0.11, *one), (0.11, *other)] {
            let grain = ball([x, y, 0.0], [-x * 10.0, 0.0, 0.0], 1.0);
            world.add(&Grain { material, angular_velocity: spin, ..grain }).expect(VALID);
        }
    }
    steps(&mut world, 30);
    for (found, (one, other)) in velocities(&world).chunks(2).zip(&pairs) {
        // Balls of 1 kg that approach at 2.2 m/s and part as fast; the surface of the first moves up, that of the second
        // down, at 10 m/s each, which an impulse of 2.9 N·s would stop.
        let expected = 2.2 * frictions[usize::from(*one)][usize::from(*other)];
        assert!(
            (found[0].y + expected).abs() < 1e-12,
            "{one} {other}: {} and {expected}",
            found[0]
        );
        assert!(
            (found[1].y - expected).abs() < 1e-12,
            "{one} {other}: {} and {expected}",
            found[1]
        );
    }
}

/// Balls that roll in a mixture of materials, for states and ranks.
fn mixture<D: Domain>(domain: &mut D) {
    let mut materials = Materials::new(3, pair(0.1, 0.7));
    materials.set(0, 1, pair(0.9, 0.0));
    materials.set(2, 1, pair(0.5, 0.2));
    materials.inelastic_below = 0.02;
    domain.set_materials(materials).expect(VALID);
    let random = &mut ChaCha8Rng::seed_from_u64(7);
    for k in 0..600_u32 {
        let place = Vector3::new(f64::from(k % 10), f64::from(k / 10 % 10), f64::from(k / 100));
        let velocity = Vector3::from_fn(|_, _| random.random_range(-1.0..1.0));
        let grain = Grain::at(place.map(|x| 0.2 + 0.21 * x), 0.1, 1.0);
        let material = [0, 1, 2][(k % 3) as usize];
        domain.add(&Grain { velocity, material, ..grain }).expect(VALID);
    }
}

fn bowl() -> Vec<Wall> {
    let side = |point: Vector3<f64>, normal| Wall::plane(point, normal, 0.4).of_material(2);
    vec![
        floor().of_material(1),
        side(Vector3::zeros(), Vector3::x()),
        side(Vector3::zeros(), Vector3::y()),
        side(Vector3::new(2.3, 2.3, 0.0), -Vector3::x()),
        side(Vector3::new(2.3, 2.3, 0.0), -Vector3::y()),
    ]
}

#[test]
fn a_world_with_materials_goes_on_from_its_checkpoint_with_the_same_bits() {
    let settings = Settings { max_sweeps: 20, ..Settings::default() };
    let mut whole = World::new(settings, bowl()).expect(VALID);
    mixture(&mut whole);
    steps(&mut whole, 150);
    let file = encode(&Checkpoint { note: String::new(), state: whole.state() });
    let mut resumed = World::from_state(decode(&file).expect(VALID).state).expect(VALID);
    assert!(resumed.state() == whole.state());
    for world in [&mut whole, &mut resumed] {
        steps(world, 150);
    }
    assert!(resumed.state() == whole.state(), "the same bits");
    // Every cut of the file is refused.
    for length in (0..file.len()).step_by(997) {
        assert!(decode(&file[..length]).is_err(), "{length} bytes");
    }
}

#[test]
fn materials_go_with_their_grains_to_other_ranks() {
    let fall = |exchange| {
        let partition = Partition::new([vec![1.1], vec![], vec![]]).expect(VALID);
        let settings = Settings { max_sweeps: 20, ..Settings::default() };
        let mut part = Subdomain::new(settings, bowl(), partition, exchange).expect(VALID);
        mixture(&mut part);
        let begin: Vec<u64> = part.grains().map(|(identity, _)| identity).collect();
        for _ in 0..400 {
            part.step().expect(VALID);
        }
        let moved = part.grains().filter(|(identity, _)| !begin.contains(identity)).count();
        let right =
            part.grains().all(|(identity, grain)| u64::from(grain.material) == identity % 3);
        let kinetic = part.own_kinetic_energy();
        (moved, right, kinetic)
    };
    let run = || {
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                in_process(2).into_iter().map(|rank| scope.spawn(move || fall(rank))).collect();
            threads.into_iter().map(|thread| thread.join().expect(VALID)).collect::<Vec<_>>()
        })
    };
    let found = run();
    assert!(found.iter().all(|(moved, right, _)| *moved > 0 && *right), "{found:?}");
    assert_eq!(found, run(), "the same bits");
}

#[test]
fn wrong_tables_and_numbers_are_refused_by_name() {
    let mut world = World::new(space(), vec![floor().of_material(1)]).expect(VALID);
    world.add(&Grain { material: 2, ..ball([0.0, 0.0, 1.0], [0.0; 3], 1.0) }).expect(VALID);
    let mut refused = |materials: Materials, words: &[&str]| {
        let message = world.set_materials(materials).unwrap_err().to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    refused(Materials::uniform(pair(-0.1, 0.0)), &["friction", "-0.1", "≥ 0"]);
    refused(Materials::uniform(pair(0.1, 1.5)), &["restitution", "1.5", "[0, 1]"]);
    refused(Materials::uniform(pair(0.1, f64::NAN)), &["restitution", "NaN"]);
    let mut slow = Materials::uniform(pair(0.1, 0.5));
    slow.inelastic_below = -1.0;
    refused(slow, &["inelastic_below", "-1"]);
    refused(Materials::new(2, pair(0.1, 0.5)), &["grain 0", "material", "2"]);
    refused(Materials::new(257, pair(0.1, 0.5)), &["257", "at most 256"]);
    world.remove(|_| true);
    let message = world.set_materials(Materials::uniform(pair(0.1, 0.5))).unwrap_err().to_string();
    assert!(message.contains("wall 0") && message.contains("material"), "{message}");
}
