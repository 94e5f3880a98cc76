//! A step is judged by the contact problem as percussion-complementarity states and solves it.

use nalgebra::{DMatrix, Vector3};
use percussion_complementarity::friction::{Law, Method, Problem};
use percussion_granular::{Grain, Partner, Report, Settings, Touch, Wall, World, scenes};

/// Normal and two tangents as rows of world components.
fn frame(normal: &Vector3<f64>) -> [Vector3<f64>; 3] {
    let mut aside = Vector3::zeros();
    aside[normal.iamin()] = 1.0;
    let tangent = normal.cross(&aside).normalize();
    [*normal, tangent, normal.cross(&tangent)]
}

/// The contact problem of the step from `before` to `after`, and the impulses found.
fn problem(before: &World, after: &World) -> (Problem, Vec<Vector3<f64>>) {
    let touches: Vec<Touch> = after.touches().collect();
    let count = after.grains().len();
    let place = |identity| before.grains().identities().iter().position(|i| *i == identity);
    let before_of = |index: usize| -> Grain {
        let place = place(after.grains().identities()[index]).expect("nothing came or went");
        before.grains().grain(place)
    };
    let mut jacobian = DMatrix::zeros(3 * touches.len(), 6 * count);
    let mut free = Vec::new();
    let (mut impulses, mut friction) = (Vec::new(), Vec::new());
    let step = before.settings().step_size;
    let mut inverse_mass = DMatrix::zeros(6 * count, 6 * count);
    let mut velocity = vec![0.0; 6 * count];
    for index in 0..count {
        let grain = before_of(index);
        let inertia = 0.4 * grain.mass * grain.radius.powi(2);
        for k in 0..3 {
            inverse_mass[(6 * index + k, 6 * index + k)] = 1.0 / grain.mass;
            inverse_mass[(6 * index + 3 + k, 6 * index + 3 + k)] = 1.0 / inertia;
            velocity[6 * index + k] = grain.velocity[k] + step * before.settings().gravity[k];
            velocity[6 * index + 3 + k] = grain.angular_velocity[k];
        }
    }
    for (contact, touch) in touches.iter().enumerate() {
        let rows = frame(&touch.normal);
        let mut enter = |grain: usize, sign: f64| {
            let lever = -sign * before_of(grain).radius * touch.normal;
            for (k, row) in rows.iter().enumerate() {
                let turn = lever.cross(row);
                for axis in 0..3 {
                    jacobian[(3 * contact + k, 6 * grain + axis)] = sign * row[axis];
                    jacobian[(3 * contact + k, 6 * grain + 3 + axis)] = sign * turn[axis];
                }
            }
        };
        enter(touch.grain, 1.0);
        friction.push(match touch.partner {
            Partner::Grain(other) => {
                enter(other, -1.0);
                before.settings().friction
            }
            Partner::Wall(wall) => before.walls()[wall].friction,
        });
        let relative = jacobian.rows(3 * contact, 3) * nalgebra::DVector::from_row_slice(&velocity);
        let bias = touch.gap.max(0.0) / step;
        free.extend([relative[0] + bias, relative[1], relative[2]]);
        impulses.push(Vector3::from(rows.map(|row| row.dot(&touch.impulse))));
    }
    let delassus = &jacobian * inverse_mass * jacobian.transpose();
    (Problem::from_dense(&delassus, &free, &friction).expect("a valid problem"), impulses)
}

/// A settling column, its last step and its report.
fn step(max_sweeps: usize, tolerance: f64) -> (World, World, Report) {
    let mut world = scenes::column(0.1, 3, 4).expect("a valid scene");
    for _ in 0..150 {
        world.step().expect("slow grains");
    }
    let settings = Settings { max_sweeps, tolerance, ..*world.settings() };
    world.set_settings(settings).expect("valid settings");
    let before = world.clone();
    let report = world.step().expect("slow grains");
    (before, world, report)
}

#[test]
fn the_residual_is_that_of_the_stated_problem() {
    for sweeps in [1, 5, 40] {
        let (before, after, report) = step(sweeps, 0.0);
        let (problem, impulses) = problem(&before, &after);
        let expected = problem.by_law(Law::MaximumDissipation).natural_map_residual(&impulses);
        // Both are differences of velocities of up to 1 m/s.
        assert!((report.residual - expected).abs() < 1e-13, "{} {expected}", report.residual);
        let scale = report.residual / report.relative_residual;
        assert!((scale / problem.velocity_scale() - 1.0).abs() < 1e-9, "{scale}");
    }
}

#[test]
fn the_impulses_solve_the_stated_problem_by_either_law() {
    let (before, after, report) = step(20_000, 1e-11);
    assert!(report.relative_residual <= 1e-11, "{report:?}");
    let (problem, impulses) = problem(&before, &after);
    for law in [Law::Coulomb, Law::MaximumDissipation] {
        let residual = problem.by_law(law).relative_residual(&impulses);
        assert!(residual < 1e-10, "{law:?}: {residual}");
    }
    // Another solver, from nothing, finds the same velocities, though not the same impulses.
    let solution = Method::default().solve(&problem).expect("a valid problem");
    let velocities = problem.velocities(&impulses);
    for (ours, theirs) in velocities.iter().zip(problem.velocities(&solution.impulses)) {
        assert!((ours - theirs).norm() < 1e-6, "{ours} {theirs}");
    }
}

#[test]
fn no_impulse_pulls_or_leaves_its_cone() {
    let (_, world, _) = step(10, 0.0);
    assert!(world.touches().count() > 30, "a settled column");
    for touch in world.touches() {
        let normal = touch.impulse.dot(&touch.normal);
        let tangent = (touch.impulse - normal * touch.normal).norm();
        assert!(normal >= 0.0 && tangent <= 0.5 * normal * (1.0 + 1e-12), "{touch:?}");
    }
}

#[test]
fn the_order_in_which_grains_are_added_does_not_matter_beyond_the_tolerance() {
    let settings = Settings { max_sweeps: 20_000, tolerance: 1e-11, ..Settings::default() };
    let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.4);
    let balls = [[0.0, 0.0, 0.1], [0.19, 0.0, 0.1], [0.095, 0.17, 0.1], [0.095, 0.05, 0.265]];
    let run = |order: [usize; 4]| {
        let mut world = World::new(settings, vec![floor.clone()]).expect("valid");
        for k in order {
            world.add(&Grain::at(Vector3::from(balls[k]), 0.095, 1.0)).expect("valid");
        }
        for _ in 0..20 {
            world.step().expect("slow");
        }
        let place = |k| world.grains().identities().iter().position(|i| *i == k).expect("there");
        let mut positions = [Vector3::zeros(); 4];
        for (identity, k) in (0..).zip(order) {
            positions[k] = world.grains().positions()[place(identity)];
        }
        positions
    };
    let [one, other] = [run([0, 1, 2, 3]), run([3, 1, 0, 2])];
    for k in 0..4 {
        assert!((one[k] - other[k]).norm() < 1e-9, "ball {k}");
    }
}
