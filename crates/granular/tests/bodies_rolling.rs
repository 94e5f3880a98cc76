//! Resistance to rolling and spinning of balls and of clumps of them, beside closed forms and spheres.

use std::sync::Arc;

use nalgebra::{UnitQuaternion, Vector3};
use percussion_collision::Shape;
use percussion_granular::{
    Collection, Domain, Grain, Interaction, Materials, Settings, Wall, World,
    bodies::{Ball, Bodies, Body, Form, Mold, Settings as BodySettings},
};

const VALID: &str = "valid bodies that move slowly";
const G: f64 = 9.81;
const STEP: f64 = 1e-3;
const RADIUS: f64 = 0.1;
const ROLLING: f64 = 2e-3;
const SPINNING: f64 = 1e-3;

fn rough() -> Interaction {
    Interaction { friction: 0.5, rolling: ROLLING, spinning: SPINNING, ..Interaction::default() }
}

fn exact(gravity: Vector3<f64>) -> BodySettings {
    BodySettings {
        step_size: STEP,
        gravity,
        max_sweeps: 20_000,
        tolerance: 1e-13,
        ..BodySettings::default()
    }
}

fn floor() -> Wall {
    Wall::plane(Vector3::zeros(), Vector3::z(), 0.0)
}

fn scene(settings: BodySettings, interaction: Interaction, bodies: &[Body]) -> Bodies {
    let mut scene = Bodies::new(settings, vec![]).expect(VALID);
    scene.set_walls(vec![floor()], RADIUS).expect(VALID);
    scene.set_materials(Materials::uniform(interaction)).expect(VALID);
    for body in bodies {
        scene.add(body.clone()).expect(VALID);
    }
    scene
}

fn ball() -> Arc<Form> {
    Arc::new(Form::ball(RADIUS, 700.0, 0.5).expect(VALID))
}

/// Two balls that touch, with their centers on the `y` axis.
fn pair() -> Arc<Form> {
    let ball = |y: f64| Ball { center: Vector3::new(0.0, y, 0.0), radius: RADIUS };
    Arc::new(Form::clump(&[ball(-RADIUS), ball(RADIUS)], 700.0, 0.5).expect(VALID))
}

/// Under gravity that leans by an angle along `x`.
fn on_floor(form: &Arc<Form>, angle: f64, velocity: f64, spin: Vector3<f64>) -> Bodies {
    let gravity = G * Vector3::new(angle.sin(), 0.0, -angle.cos());
    let mut body = Body::at(form, Vector3::new(0.0, 0.0, RADIUS));
    (body.velocity.x, body.angular_velocity) = (velocity, spin);
    scene(exact(gravity), rough(), &[body])
}

/// Of a pair each ball has half of the weight and of the moment: it slows as one ball does.
#[test]
fn balls_and_pairs_that_roll_stop_by_five_sevenths_of_their_resistance_without_slip() {
    let speed = 0.31;
    for form in [ball(), pair()] {
        let mut scene = on_floor(&form, 0.0, speed, Vector3::new(0.0, speed / RADIUS, 0.0));
        let brake = 5.0 / 7.0 * ROLLING * G / RADIUS;
        for step in 1..=2500_u32 {
            scene.step().expect(VALID);
            let body = &scene.bodies()[0];
            let expected = (speed - brake * STEP * f64::from(step)).max(0.0);
            let off = body.velocity - expected * Vector3::x();
            assert!(off.norm() < 1e-9, "step {step}: {off}");
            let slip = body.velocity - body.angular_velocity.cross(&(RADIUS * Vector3::z()));
            assert!(slip.norm() < 1e-9, "step {step}: {slip}");
        }
        let way = scene.bodies()[0].position.x;
        let expected = speed * speed / (2.0 * brake);
        assert!((way - expected).abs() < speed * STEP, "{way} and {expected} m");
    }
}

#[test]
fn balls_and_pairs_rest_on_slopes_up_to_the_bound_and_roll_beyond_it() {
    let edge = (ROLLING / RADIUS).atan();
    for form in [ball(), pair()] {
        for factor in [0.5, 0.99, 1.01, 3.0] {
            let angle = factor * edge;
            let mut scene = on_floor(&form, angle, 0.0, Vector3::zeros());
            for _ in 0..1000 {
                scene.step().expect(VALID);
            }
            let pull = G * angle.sin() - ROLLING / RADIUS * G * angle.cos();
            let expected = 5.0 / 7.0 * pull.max(0.0);
            let found = scene.bodies()[0].velocity.x;
            assert!((found - expected).abs() < 1e-8, "{factor}: {found} and {expected} m/s");
        }
    }
}

#[test]
fn a_spinning_ball_slows_by_its_own_bound_and_a_smooth_pair_too() {
    for form in [ball(), pair()] {
        let gravity = Vector3::new(0.0, 0.0, -G);
        let mut body = Body::at(&form, Vector3::new(0.0, 0.0, RADIUS));
        body.angular_velocity.z = 5.0;
        let smooth = Interaction { friction: 0.0, ..rough() };
        let mut scene = scene(exact(gravity), smooth, &[body]);
        let (mass, inertia) = (form.mass(), form.inertia()[(2, 2)]);
        for step in 1..=2500_u32 {
            scene.step().expect(VALID);
            let expected = 5.0 - SPINNING * mass * G / inertia * STEP * f64::from(step);
            let off = scene.bodies()[0].angular_velocity - expected.max(0.0) * Vector3::z();
            assert!(off.norm() < 1e-8, "step {step}: {off}");
        }
    }
}

/// A ball on a floor that turns below it is taken along by its spinning friction, until it turns as fast.
#[test]
fn a_turning_floor_takes_balls_along_and_counts_the_work() {
    let mut scene = on_floor(&ball(), 0.0, 0.0, Vector3::zeros());
    let turning = Vector3::new(0.0, 0.0, 2.0);
    scene.drive_wall(0, Vector3::zeros(), turning).expect(VALID);
    let (mass, inertia) = (scene.bodies()[0].form.mass(), ball().inertia()[(2, 2)]);
    let moment = SPINNING * mass * G;
    let report = scene.step().expect(VALID);
    assert!((scene.bodies()[0].angular_velocity.z - moment * STEP / inertia).abs() < 1e-10);
    assert!((report.wall_work - moment * STEP * 2.0).abs() < 1e-10, "{report:?}");
    for _ in 0..3000 {
        scene.step().expect(VALID);
    }
    assert!((scene.bodies()[0].angular_velocity - turning).norm() < 1e-9);
}

/// Balls of different size that meet head-on while each turns, as spheres and as bodies.
#[test]
fn balls_that_meet_turn_as_spheres_do() {
    let interaction = Interaction { restitution: 1.0, ..rough() };
    let settings = Settings {
        step_size: STEP,
        gravity: Vector3::zeros(),
        max_sweeps: 20_000,
        tolerance: 1e-14,
        ..Settings::default()
    };
    let ball = Ball { center: Vector3::zeros(), radius: 0.5 };
    let mold = Arc::new(Mold::clump(&[ball]).expect(VALID));
    let mut spheres = World::new(settings, vec![floor()]).expect(VALID);
    let mut bodies = Collection::new(settings, vec![floor()], vec![mold], RADIUS).expect(VALID);
    // Forces on bodies act at the middle of a gap, so that it must be small.
    let apart = (0.3 + 1e-10) * Vector3::new(0.998, 0.06, 0.02).normalize();
    let first = Grain {
        velocity: Vector3::new(1.0, 0.3, 0.0),
        angular_velocity: Vector3::new(3.0, -1.0, 4.0),
        ..Grain::at(Vector3::new(-0.1, 0.0, 1.0), 0.1, 1.0)
    };
    let second = Grain {
        velocity: Vector3::new(-1.0, 0.0, 0.1),
        angular_velocity: Vector3::new(-1.0, 2.0, 0.0),
        ..Grain::at(first.position + apart, 0.2, 2.0)
    };
    for domain in [&mut spheres as &mut dyn FnDomain, &mut bodies] {
        domain.fill(interaction, &[first, second]);
    }
    for (one, other) in [(0, 0), (1, 1)] {
        let place = |world: &World, identity: u64| {
            world.grains().identities().iter().position(|k| *k == identity).expect(VALID)
        };
        let (a, b) = (place(&spheres, one), place(bodies.world(), other));
        let [a, b] = [spheres.grains().grain(a), bodies.world().grains().grain(b)];
        assert!((a.velocity - b.velocity).norm() < 1e-9, "{} {}", a.velocity, b.velocity);
        let off = a.angular_velocity - b.angular_velocity;
        assert!(off.norm() < 1e-8, "{} {}", a.angular_velocity, b.angular_velocity);
        let before = [first, second][usize::from(one == 1)].angular_velocity;
        assert!((a.angular_velocity - before).norm() > 0.1, "they have met");
    }
}

/// Fills a domain and makes thirty steps.
trait FnDomain {
    fn fill(&mut self, interaction: Interaction, grains: &[Grain]);
}

impl<D: Domain> FnDomain for D {
    fn fill(&mut self, interaction: Interaction, grains: &[Grain]) {
        self.set_materials(Materials::uniform(interaction)).expect(VALID);
        for grain in grains {
            self.add(grain).expect(VALID);
        }
        for _ in 0..30 {
            self.step().expect(VALID);
        }
    }
}

/// A brick has flat faces, whose contacts do not resist.
#[test]
fn bricks_do_not_resist() {
    let brick = Arc::new(Form::cuboid(Vector3::new(0.1, 0.08, 0.05), 2.0, 0.5).expect(VALID));
    let run = |interaction| {
        let mut body = Body::at(&brick, Vector3::new(0.0, 0.0, 0.3));
        body.orientation = UnitQuaternion::from_scaled_axis(Vector3::new(0.5, -0.3, 0.2));
        body.angular_velocity.z = 3.0;
        let mut scene = scene(exact(Vector3::new(0.0, 0.0, -G)), interaction, &[body]);
        for _ in 0..600 {
            scene.step().expect(VALID);
        }
        scene.bodies().to_vec()
    };
    assert_eq!(run(rough()), run(Interaction { rolling: 0.0, spinning: 0.0, ..rough() }));
}

/// Balls, pairs and bricks in a corner that turns.
fn heap() -> Collection {
    let half = |x: f64| Ball { center: Vector3::new(x, 0.0, 0.0), radius: 0.5 };
    let molds = [
        Mold::clump(&[half(0.0)]),
        Mold::clump(&[half(-0.3), half(0.3)]),
        Mold::solid(Shape::Box { half_extents: Vector3::new(0.5, 0.4, 0.3) }),
    ];
    let molds = molds.map(|mold| Arc::new(mold.expect(VALID))).to_vec();
    let walls = vec![
        floor(),
        Wall::plane(Vector3::zeros(), Vector3::x(), 0.0),
        Wall::plane(Vector3::zeros(), Vector3::y(), 0.0),
    ];
    let settings = Settings { max_sweeps: 15, ..Settings::default() };
    let mut domain = Collection::new(settings, walls, molds, RADIUS).expect(VALID);
    domain.set_materials(Materials::uniform(rough())).expect(VALID);
    for k in 0..360_u32 {
        let node = Vector3::new(k % 20, k / 20 % 6, k / 120).map(f64::from);
        let grain = Grain {
            velocity: Vector3::new(-0.5, -0.4, -1.0),
            orientation: UnitQuaternion::from_scaled_axis(node.map(f64::sin)),
            ..Grain::at(0.22 * (node + Vector3::repeat(0.6)), 0.08, 1.0)
        };
        domain.add_shaped(&grain, (k % 3) as usize).expect(VALID);
    }
    domain
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let share = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect(VALID);
        pool.install(|| {
            let mut heap = heap();
            for _ in 0..300 {
                heap.step().expect(VALID);
            }
            heap.share()
        })
    };
    let one = share(1);
    assert!(one.state.bodies.as_ref().is_some_and(|bodies| bodies.slabs.len() > 2));
    let turns = |moment: &&[f64; 3]| moment.iter().any(|part| *part != 0.0);
    let turning = one.state.moments.iter().filter(turns).count();
    assert!(turning > 100, "{turning} moments");
    assert!(share(2) == one);
}

#[cfg(feature = "checkpoints")]
#[test]
fn a_rolling_heap_goes_on_from_its_checkpoint_with_the_same_bits() {
    use percussion_granular::{
        Share,
        checkpoint::{Checkpoint, decode, encode},
    };
    let mut whole = heap();
    for _ in 0..237 {
        whole.step().expect(VALID);
    }
    let share = whole.share();
    let file = encode(&Checkpoint { note: String::new(), state: share.state.clone() });
    let mut resumed = heap();
    let state = decode(&file).expect(VALID).state;
    resumed.restore(Share { state, ..share.clone() }).expect(VALID);
    assert!(resumed.share() == share);
    for domain in [&mut whole, &mut resumed] {
        for _ in 0..100 {
            domain.step().expect(VALID);
        }
    }
    assert!(whole.share() == resumed.share(), "the same bits");
    let mut damaged = share;
    damaged.state.moments.pop();
    assert!(whole.restore(damaged.clone()).is_err(), "too few moments");
    damaged.state.moments.push([f64::NAN; 3]);
    assert!(whole.restore(damaged).is_err(), "no number");
}
