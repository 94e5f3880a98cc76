//! Averages of grains beside closed forms.

use nalgebra::Vector3;
use percussion_granular::{
    Grain, Settings, Wall, World,
    statistics::{BoxAverages, ContactAverages, Flow, surface_angle},
};

const VALID: &str = "a valid world with slow grains";

fn world(walls: Vec<Wall>, gravity: Vector3<f64>) -> World {
    World::new(Settings { gravity, tolerance: 1e-10, ..Settings::default() }, walls).expect(VALID)
}

#[test]
fn two_balls_at_rest_have_the_forces_and_the_stress_of_their_weight() {
    let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.4);
    let mut world = world(vec![floor], -9.81 * Vector3::z());
    for height in [0.1, 0.3] {
        world.add(&Grain::at(height * Vector3::z(), 0.1, 2.0)).expect(VALID);
    }
    world.step().expect(VALID);
    let averages = ContactAverages::of(&world);
    let weight = 2.0 * 9.81;
    // The lower ball touches the floor and the other ball, the upper one the lower one.
    assert!((averages.coordination - 1.5).abs() < 1e-15);
    let mut forces = averages.normal_forces.clone();
    forces.sort_by(f64::total_cmp);
    assert!((forces[0] / weight - 1.0).abs() < 1e-8 && (forces[1] / weight - 2.0).abs() < 1e-8);
    assert!((averages.fabric[(2, 2)] - 1.0).abs() < 1e-12);
    assert!((averages.fabric.trace() - 1.0).abs() < 1e-12);
    // Twice the weight over a radius, and the weight over two.
    assert!((averages.virial[(2, 2)] / (4.0 * weight * 0.1) - 1.0).abs() < 1e-8);
    assert!((averages.wall_forces[0] - 2.0 * weight * Vector3::z()).norm() < 1e-6);
}

#[test]
fn a_plane_counts_what_passes_and_not_what_comes_or_goes() {
    let mut world = world(vec![], Vector3::zeros());
    let mut there = Grain::at(-0.1 * Vector3::x(), 0.01, 3.0);
    there.velocity.x = 1.0;
    let mut back = Grain::at(Vector3::new(0.1, 1.0, 0.0), 0.01, 5.0);
    back.velocity.x = -1.0;
    world.add(&there).expect(VALID);
    world.add(&back).expect(VALID);
    let mut flow = Flow::new(Vector3::zeros(), Vector3::x(), &world);
    let mut passed = Vec::new();
    for step in 0..150 {
        if step == 50 {
            world.add(&Grain::at(Vector3::new(0.5, 2.0, 0.0), 0.01, 7.0)).expect(VALID);
        }
        world.step().expect(VALID);
        flow.look(&world);
        passed.push(flow.passed());
        if step == 120 {
            assert_eq!(world.remove(|grain| grain.mass > 4.0), 2);
        }
    }
    assert!(passed[90].abs() < 1e-15 && (passed[149] + 2.0).abs() < 1e-12, "{passed:?}");
    let mut forward = Flow::new(0.2 * Vector3::x(), Vector3::x(), &world);
    (0..200).for_each(|_| {
        world.step().expect(VALID);
        forward.look(&world);
    });
    assert!((forward.passed() - 3.0).abs() < 1e-12);
}

#[test]
fn surfaces_have_their_angles() {
    let fill = |height: &dyn Fn(f64, f64) -> f64| {
        let mut world = world(vec![], Vector3::zeros());
        for (i, j) in (-20..20).flat_map(|i| (-20..20).map(move |j| (i, j))) {
            // The centers of the columns, which are four radii wide.
            let [x, y] = [i, j].map(|k| 0.04 * (f64::from(k) + 0.5));
            for depth in [0.0, 0.1] {
                let place = Vector3::new(x, y, height(x, y) - depth);
                world.add(&Grain::at(place, 0.01, 1.0)).expect(VALID);
            }
        }
        world
    };
    let slope = fill(&|x, y| 0.3 * x - 0.4 * y);
    let angle = surface_angle(slope.grains(), None).expect("a surface");
    assert!((angle - 0.5_f64.atan()).abs() < 1e-12, "{angle}");
    let cone = fill(&|x, y| -0.6 * (x - 0.1).hypot(y));
    let angle = surface_angle(cone.grains(), Some([0.1, 0.0])).expect("a surface");
    assert!((angle - 0.6_f64.atan()).abs() < 1e-12, "{angle}");
    assert_eq!(surface_angle(world(vec![], Vector3::zeros()).grains(), None), None);
}

#[test]
fn boxes_have_the_volumes_and_velocities_of_their_grains() {
    let mut world = world(vec![], Vector3::zeros());
    for (x, mass, speed) in [(0.25, 1.0, 4.0), (0.75, 3.0, 0.0), (1.5, 1.0, 2.0), (9.0, 1.0, 1.0)] {
        let mut grain = Grain::at(Vector3::new(x, 0.5, 0.5), 0.2, mass);
        grain.velocity.z = speed;
        world.add(&grain).expect(VALID);
    }
    let corners = [Vector3::zeros(), Vector3::new(2.0, 1.0, 1.0)];
    let mut cells = BoxAverages::new(corners, [2, 1, 1]).expect("a box");
    cells.add(world.grains());
    cells.add(world.grains());
    let cells: Vec<_> = cells.iter().collect();
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 0.008;
    assert!((cells[0].solid_fraction - 2.0 * ball).abs() < 1e-12);
    assert!((cells[1].solid_fraction - ball).abs() < 1e-12);
    assert!((cells[0].velocity.z - 1.0).abs() < 1e-12 && (cells[1].velocity.z - 2.0).abs() < 1e-12);
    assert_eq!(cells[1].at, Vector3::new(1.5, 0.5, 0.5));
    assert!(BoxAverages::new(corners, [0, 1, 1]).is_err());
    assert!(BoxAverages::new([corners[1], corners[0]], [1, 1, 1]).is_err());
}
