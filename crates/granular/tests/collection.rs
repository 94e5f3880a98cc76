//! Scenes of shapes: bodies between walls of every kind, and what continues a run of them.

use std::sync::Arc;

use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};
use percussion_collision::Shape;
use percussion_granular::{
    Collection, Domain, Frustum, Grain, Interaction, Materials, Periods, Settings, Surface,
    Triangle, Wall,
    bodies::{Ball, Bodies, Body, Form, Mold, Settings as BodySettings},
    statistics::ContactAverages,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const VALID: &str = "valid bodies that move slowly";

fn cube(half: f64, friction: f64) -> Arc<Form> {
    let mass = 8.0 * half.powi(3) * 2500.0;
    Arc::new(Form::cuboid(Vector3::repeat(half), mass, friction).expect(VALID))
}

/// Bodies between these walls.
fn between(settings: BodySettings, walls: Vec<Wall>, bodies: &[Body]) -> Bodies {
    let mut scene = Bodies::new(settings, vec![]).expect(VALID);
    scene.set_walls(walls, 0.02).expect(VALID);
    for body in bodies {
        scene.add(body.clone()).expect(VALID);
    }
    scene
}

/// A square of two by two cells of four triangles each, about the origin at the height 0.
fn floor_of_triangles(half: f64) -> Vec<Wall> {
    let at = |i: i32, j: i32| Vector3::new(f64::from(i), f64::from(j), 0.0) * half;
    let mut triangles = Vec::new();
    for (i, j) in [(-1, -1), (0, -1), (-1, 0), (0, 0)] {
        let corners = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        let middle = 0.5 * (corners[0] + corners[2]);
        triangles.extend((0..4).map(|k| [corners[k], corners[(k + 1) % 4], middle]));
    }
    let triangles = Triangle::of_mesh(&triangles).into_iter();
    triangles.map(|triangle| Wall::fixed(Surface::Triangle(triangle), 0.5)).collect()
}

fn pipe(radius: f64) -> Wall {
    let axis = Vector3::x_axis();
    let base = Vector3::new(-1.0, 0.0, 0.0);
    let frustum = Frustum { base, axis, height: 2.0, radii: [radius; 2] };
    Wall::fixed(Surface::Frustum(frustum), 0.5)
}

#[test]
fn a_brick_slides_over_triangles_as_over_a_plane() {
    let plane = vec![Wall::plane(Vector3::zeros(), Vector3::z(), 0.5)];
    let mut ways = Vec::new();
    for walls in [plane, floor_of_triangles(0.3)] {
        let mut body = Body::at(&cube(0.01, 0.5), Vector3::new(-0.1, 0.013, 0.01));
        body.orientation = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), 0.3);
        body.velocity.x = 1.0;
        let mut scene = between(BodySettings::default(), walls, &[body]);
        let mut lowest = f64::INFINITY;
        for _ in 0..400 {
            scene.step().unwrap();
            lowest = lowest.min(scene.bodies()[0].position.z);
        }
        assert!(lowest > 0.01 - 1e-6, "{lowest}");
        assert!(scene.bodies()[0].velocity.norm() < 1e-6);
        ways.push(scene.bodies()[0].position.x + 0.1);
    }
    // v²/(2 μ g), up to half of the way of a step.
    let expected = 1.0 / (2.0 * 0.5 * 9.81);
    for way in ways {
        assert!((way - expected).abs() < 1e-3, "{way} {expected}");
    }
}

/// The disc is a fan of narrow triangles, whose edges cubes meet in every position.
#[test]
fn cubes_that_come_to_rest_on_narrow_triangles_do_not_fall_through() {
    let table =
        Frustum { base: Vector3::zeros(), axis: Vector3::z_axis(), height: 0.0, radii: [0.0, 0.5] };
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let bodies: Vec<Body> = (0..144)
        .map(|k| {
            let node = Vector3::new(f64::from(k % 12) - 5.5, f64::from(k / 12) - 5.5, 0.0);
            let turn = Vector3::from_fn(|_, _| random.random_range(-3.0..3.0));
            let mut body = Body::at(&cube(0.01, 0.5), 0.055 * node + 0.02 * Vector3::z());
            body.orientation = UnitQuaternion::from_scaled_axis(turn);
            body.angular_velocity = 5.0 * turn;
            body
        })
        .collect();
    let settings = BodySettings { step_size: 5e-4, ..BodySettings::default() };
    let table = Wall::fixed(Surface::Frustum(table), 0.3);
    let mut scene = between(settings, vec![table], &bodies);
    for step in 0..1600 {
        scene.step().unwrap();
        let lowest = scene.bodies().iter().map(|body| body.position.z).fold(1.0, f64::min);
        // A face is 1 cm below the center, and corners move on arcs.
        assert!(lowest > 0.01 - 2e-4, "step {step}: {lowest}");
    }
}

#[test]
fn a_cube_in_a_pipe_rests_on_two_edges_as_in_a_tube() {
    let radius = 0.05;
    let axis = Vector3::x_axis();
    let tube = Wall::fixed(Surface::Tube { point: Vector3::zeros(), axis, radius }, 0.5);
    // Edges 1 cm to either side of the middle.
    let expected = 0.01 - (radius * radius - 1e-4_f64).sqrt();
    // A pipe has sides that deviate by 0.2 % of 2 cm.
    for (wall, error) in [(tube, 1e-6), (pipe(radius), 5e-5)] {
        let body = Body::at(&cube(0.01, 0.5), Vector3::new(0.0, 0.0, -0.03));
        let mut scene = between(BodySettings::default(), vec![wall], &[body]);
        for _ in 0..400 {
            scene.step().unwrap();
        }
        let body = &scene.bodies()[0];
        assert!((body.position.z - expected).abs() < error, "{} {expected}", body.position);
        assert!(body.velocity.norm() < 1e-4, "{}", body.velocity);
    }
}

#[test]
fn cubes_lie_on_the_outside_of_a_cylinder_and_over_the_rim_of_a_hole() {
    let cylinder = Surface::Cylinder {
        point: Vector3::zeros(),
        axis: Unit::new_normalize(Vector3::new(1.0, 0.0, 0.0)),
        radius: 0.1,
    };
    let body = Body::at(&cube(0.01, 0.5), Vector3::new(3.0, 0.0, 0.11));
    let mut scene = between(
        BodySettings::default(),
        vec![Wall::fixed(cylinder, 0.9)],
        std::slice::from_ref(&body),
    );
    for _ in 0..200 {
        scene.step().unwrap();
    }
    assert!((scene.bodies()[0].position - body.position).norm() < 1e-4);
    // A ring whose hole is narrower than the cube, which hangs over it on edges and not on corners; and one that is wider.
    for (radius, stays) in [(0.008, true), (0.016, false)] {
        let ring = Frustum {
            base: Vector3::zeros(),
            axis: Vector3::z_axis(),
            height: 0.0,
            radii: [radius, 0.1],
        };
        let body = Body::at(&cube(0.01, 0.5), Vector3::new(0.0, 0.0, 0.0101));
        let walls = vec![Wall::fixed(Surface::Frustum(ring), 0.5)];
        let mut scene = between(BodySettings::default(), walls, &[body]);
        for _ in 0..300 {
            scene.step().unwrap();
        }
        let height = scene.bodies()[0].position.z;
        assert_eq!((height - 0.01).abs() < 1e-5, stays, "{radius}: {height}");
    }
}

#[test]
fn balls_of_clumps_touch_walls_as_the_grains_of_a_world() {
    // A ball as a clump in a drum of every kind, and the same ball as a grain.
    let axis = Vector3::y_axis();
    let cone = Frustum { base: Vector3::new(0.0, -0.5, 0.0), axis, height: 1.0, radii: [0.1, 0.2] };
    let turn = Isometry3::rotation(Vector3::new(0.3, 0.0, 0.2));
    let block = Shape::Box { half_extents: Vector3::new(0.3, 0.3, 0.02) };
    let (center, below) = (Vector3::zeros(), Vector3::new(0.0, 0.0, -0.2));
    let block =
        Surface::Solid { shape: block, pose: Isometry3::translation(0.0, 0.0, -0.1) * turn };
    // A surface, the center of its rotation and its speed (rad/s).
    let surfaces = [
        (Surface::Tube { point: center, axis, radius: 0.15 }, center, 3.0),
        (Surface::Cylinder { point: below, axis, radius: 0.15 }, below, 3.0),
        (Surface::Frustum(cone), center, 3.0),
        (block, center, 0.0),
    ];
    for (surface, center, speed) in surfaces {
        let wall = Wall::fixed(surface.clone(), 0.5).turning(center, speed * Vector3::y());
        let settings = Settings { tolerance: 1e-12, friction: 0.5, ..Settings::default() };
        let mut world = percussion_granular::World::new(settings, vec![wall.clone()]).expect(VALID);
        // They touch at the start: where there is a gap the arms of a body differ by half of it.
        let at = Vector3::new(0.01, 0.0, -0.04);
        let (gap, normal) = wall.gap(&at, 0.02);
        let at = at - gap * normal;
        world.add(&Grain::at(at, 0.02, 0.1)).unwrap();
        let mold = Mold::clump(&[Ball { center: Vector3::zeros(), radius: 1.0 }]).unwrap();
        let mut collection =
            Collection::new(settings, vec![wall], vec![Arc::new(mold)], 0.04).unwrap();
        collection.add(&Grain::at(at, 0.02, 0.1)).unwrap();
        for step in 0..300 {
            world.step().unwrap();
            collection.step().unwrap();
            if step == 0 {
                let ours = ContactAverages::of_all(&mut collection).unwrap();
                let theirs = ContactAverages::of(&world);
                assert!((ours.coordination - 1.0).abs() < 1e-15, "{surface:?}");
                let error = (ours.virial - theirs.virial).amax();
                assert!(error < 1e-9 * theirs.virial.amax(), "{surface:?}: {error}");
            }
        }
        let places = [&world, collection.world()].map(|world| world.grains().positions()[0]);
        // On a curve the gap of a step is (v δt)²/(2 R), at most 1e-6 m.
        assert!((places[0] - places[1]).norm() < 1e-5, "{surface:?}: {places:?}");
    }
}

/// Bricks, clumps and tetrahedra that fall into a turning drum with a lid.
fn drum() -> Collection {
    let axis = Vector3::y_axis();
    let radius = 0.08;
    let side = Surface::Tube { point: Vector3::zeros(), axis, radius };
    let plane = |y: f64| Wall::plane(Vector3::y() * y, -Vector3::y() * y, 0.3).of_material(1);
    let walls = vec![
        Wall::fixed(side, 0.5).turning(Vector3::zeros(), 4.0 * Vector3::y()),
        plane(0.05),
        plane(-0.05),
    ];
    let ball = |x: f64, radius: f64| Ball { center: Vector3::new(x, 0.0, 0.0), radius };
    let corners = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let molds = vec![
        Mold::solid(Shape::Box { half_extents: Vector3::new(1.0, 0.7, 0.5) }).expect(VALID),
        Mold::clump(&[ball(0.0, 1.0), ball(1.0, 0.8)]).expect(VALID),
        Mold::solid(Shape::hull(&corners.map(Vector3::from)).expect(VALID)).expect(VALID),
    ];
    let settings = Settings { max_sweeps: 20, ..Settings::default() };
    let molds = molds.into_iter().map(Arc::new).collect();
    let mut drum = Collection::new(settings, walls, molds, 0.008).expect(VALID);
    let mut materials = Materials::new(2, Interaction { friction: 0.5, ..Interaction::default() });
    materials.set(0, 1, Interaction { friction: 0.2, ..Interaction::default() });
    drum.set_materials(materials).expect(VALID);
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for k in 0..200_u32 {
        let node = Vector3::new(k % 5, k / 5 % 5, k / 25).map(f64::from);
        let place = 0.016 * (node - Vector3::new(2.0, 2.0, 3.5));
        let mut vector = |most: f64| Vector3::from_fn(|_, _| random.random_range(-most..most));
        let grain = Grain {
            orientation: UnitQuaternion::from_scaled_axis(vector(3.0)),
            velocity: vector(0.2),
            ..Grain::at(place, 0.004 + 1e-5 * f64::from(k), 1e-3)
        };
        drum.add_shaped(&grain, (k % 3) as usize).expect(VALID);
    }
    drum
}

#[test]
fn a_run_that_is_restored_has_the_bits_of_one_that_was_not() {
    let mut whole = drum();
    let mut shares = Vec::new();
    for step in 0..400 {
        if matches!(step, 0 | 7 | 100 | 233) {
            shares.push((step, whole.share()));
        }
        whole.step().unwrap();
    }
    let touching = whole.bodies().touches().filter(|t| t.impulse.norm() > 0.0).count();
    assert!(touching > 300, "{touching} contacts");
    for (step, share) in shares {
        let mut resumed = drum();
        resumed.restore(share).unwrap();
        for _ in step..400 {
            resumed.step().unwrap();
        }
        assert_eq!(resumed.share(), whole.share(), "from step {step}");
        assert_eq!(resumed.world().grains(), whole.world().grains());
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut drum = drum();
            for _ in 0..200 {
                drum.step().unwrap();
            }
            drum.share()
        })
    };
    let one = run(1);
    assert!(one == run(2) && one == run(8), "bits differ");
}

#[cfg(feature = "checkpoints")]
#[test]
fn files_keep_all_bits_and_damaged_states_are_refused() {
    use percussion_granular::checkpoint::{Checkpoint, decode, encode};
    let mut drum = drum();
    for _ in 0..100 {
        drum.step().unwrap();
    }
    let share = drum.share();
    let checkpoint = Checkpoint { note: "a drum".to_owned(), state: share.state.clone() };
    assert_eq!(decode(&encode(&checkpoint)).unwrap(), checkpoint);
    assert!(percussion_granular::World::from_state(share.state.clone()).is_err(), "bodies");
    let before = drum.share();
    let mut refused = |change: &dyn Fn(&mut percussion_granular::bodies::BodyState)| {
        let mut share = share.clone();
        change(share.state.bodies.as_mut().unwrap());
        assert!(drum.restore(share).is_err(), "a damaged state");
        assert_eq!(drum.share(), before, "it is untouched");
    };
    refused(&|state| {
        state.molds.pop();
    });
    refused(&|state| state.molds[3] = 9);
    refused(&|state| state.sizes[0][0] = -1.0);
    refused(&|state| state.positions[0][0] = f64::NAN);
    refused(&|state| state.orientations[0] = [0.0; 4]);
    refused(&|state| state.slabs[0][1] += 1);
    refused(&|state| state.pairs[0][1] = 1 << 30);
    refused(&|state| state.wall_pairs[0][1] = 1 << 30);
    refused(&|state| state.names[0][1] = 7);
    refused(&|state| state.names[0][5] = 9);
    refused(&|state| state.impulses[0][0] = f64::INFINITY);
    refused(&|state| state.travel[0] = f64::NAN);
}

#[test]
fn what_bodies_cannot_do_is_refused() {
    let mut drum = drum();
    let periods = Periods::new(Vector3::zeros(), [Some(1.0), None, None]);
    let error = drum.set_periods(periods).unwrap_err();
    assert!(error.to_string().contains("number of axes that repeat"), "{error}");
    let error = drum.add_shaped(&Grain::at(Vector3::zeros(), 0.01, 1.0), 3).unwrap_err();
    assert!(error.to_string().contains("number of molds is 3"), "{error}");
    let error = drum.add(&Grain::at(Vector3::zeros(), -0.01, 1.0)).unwrap_err();
    assert!(error.to_string().contains("radius is -0.01"), "{error}");
    // A pipe that is too wide for its sides to follow it.
    let mut bodies = Bodies::new(BodySettings::default(), vec![]).unwrap();
    let error = bodies.set_walls(vec![pipe(30.0)], 0.02).unwrap_err();
    assert!(error.to_string().contains("boundary 0: radius is 30"), "{error}");
}

/// Symptom: a body or wall of a material that the table lacks was taken, and the next contact looked for it beyond the table;
/// a collection had the body although it returned an error.
#[test]
fn a_material_that_the_table_lacks_is_refused_and_changes_nothing() {
    let materials = Materials::new(2, Interaction::default());
    let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.5);
    let unknown = Wall { material: 2, ..floor.clone() };

    let mold = Arc::new(Mold::solid(Shape::Box { half_extents: Vector3::repeat(0.01) }).unwrap());
    let walls = vec![floor.clone()];
    let mut collection = Collection::new(Settings::default(), walls, vec![mold], 0.02).unwrap();
    collection.set_materials(materials.clone()).unwrap();
    let grain = Grain { material: 2, ..Grain::at(Vector3::z(), 0.01, 0.01) };
    let error = collection.add(&grain).unwrap_err();
    assert!(error.to_string().contains("material is 2"), "{error}");
    assert_eq!((collection.bodies().bodies().len(), collection.world().grains().len()), (0, 0));
    assert!(collection.set_wall(0, unknown.clone()).is_err());
    assert_eq!(collection.bodies().walls()[0], floor);

    let mut bodies = between(BodySettings::default(), vec![floor.clone()], &[]);
    bodies.set_materials(materials).unwrap();
    let form = Form::cuboid(Vector3::repeat(0.01), 0.02, 0.5).unwrap().of_material(2);
    let error = bodies.add(Body::at(&Arc::new(form), Vector3::z())).unwrap_err();
    assert!(error.to_string().contains("material is 2"), "{error}");
    for error in
        [bodies.set_wall(0, unknown.clone()).err(), bodies.set_walls(vec![unknown], 0.02).err()]
    {
        assert!(error.is_some_and(|error| error.to_string().contains("material is 2")));
    }
    assert_eq!((bodies.bodies().len(), &bodies.walls()[0]), (0, &floor));
}
