//! Collisions with closed forms, balances, invariances, limits and refusals.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Vector2, Vector3};
use percussion_dynamics::{
    Body, FreeBodies, PlanarBodies, PlanarBody,
    compliant::{FrictionLaw, Law, NormalLaw},
    gap::{Plane, Sphere, SpherePlane},
};

use super::*;

/// A ball of 1 kg and 0.5 m over a floor, without gravity.
fn ball_on(law: Law) -> Model {
    let ball = PlanarBodies::new(vec![PlanarBody::new(1.0, 0.1)], Vector2::zeros()).unwrap();
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let gap = SpherePlane::new(Sphere::of_body(0, 0.5), floor).unwrap();
    Model::new(Box::new(ball), vec![Contact::new(gap, law)]).unwrap()
}

/// The report at the parting of a ball that lands at `speed`.
fn bounce(normal: NormalLaw, speed: f64, settings: &Settings) -> Report {
    let model = ball_on(Law::new(normal, FrictionLaw::Frictionless));
    let start = model.state(vec![0.0, 0.5, 0.0], vec![0.0, -speed, 0.0]).unwrap();
    let parted = |s: &Snapshot<'_>| if s.impulses[0] > 0.0 { s.gaps[0] } else { -1.0 };
    let report = integrate(&model, settings, &start, 1e3, Some(&parted), &mut |_| ()).unwrap();
    assert_eq!(report.status, Status::Stopped);
    report
}

/// Relative errors of 1e-10 in each step, of 1 m/s, 1 mm and 1 N·s, whatever the scales of the model.
fn precise(method: Method) -> Settings {
    Settings {
        method,
        relative_tolerance: 1e-10,
        displacement_tolerance: Some(1e-13),
        velocity_tolerance: Some(1e-10),
        impulse_tolerance: Some(1e-10),
        ..Settings::default()
    }
}

/// `e = exp(−2 ζ arccos ζ/√(1 − ζ²))`, beyond critical damping with `arcosh ζ/√(ζ² − 1)`: the errors of some
/// hundred steps of 1e-10.
#[test]
fn a_spring_and_damper_restores_what_its_closed_form_says() {
    for zeta in [0.0, 0.1, 0.5, 0.9, 5.0_f64] {
        let exponent = if zeta < 1.0 {
            zeta.acos() / (1.0 - zeta * zeta).sqrt()
        } else {
            zeta.acosh() / (zeta * zeta - 1.0).sqrt()
        };
        let expected = (-2.0 * zeta * exponent).exp();
        let law = NormalLaw::with_damping_ratio(1e4, 1.0, zeta).unwrap();
        for method in [Method::Bdf, Method::Tsit45] {
            let report = bounce(law, 2.0, &precise(method));
            let restitution = report.state.velocity[1] / 2.0;
            assert!((restitution - expected).abs() < 1e-7, "{method:?} {zeta}: {restitution}");
        }
    }
}

/// `T = 2.9432751 x_max/v`, where `x_max = (15 m v²/(16 √R E*))^(2/5)`; the factor is
/// `2 √π Γ(7/5)/Γ(9/10)`.
#[test]
fn an_elastic_hertz_contact_lasts_as_long_as_hertz_says() {
    let (radius, modulus, speed) = (0.1_f64, 1e9, 3.0);
    let law = NormalLaw::hertz(radius, modulus, 0.0).unwrap();
    let report = bounce(law, speed, &precise(Method::Tsit45));
    let depth = (15.0 * speed * speed / (16.0 * radius.sqrt() * modulus)).powf(0.4);
    let duration = 2.943_275_1 * depth / speed;
    assert!((report.state.time / duration - 1.0).abs() < 1e-7, "{}", report.state.time / duration);
    assert!((report.state.velocity[1] - speed).abs() < 1e-7);
}

/// The first integral `v/a − ln(1 + a v)/a²` is the same before and after, whatever the stiffness.
#[test]
fn hunt_and_crossley_restore_what_their_first_integral_says() {
    let first_integral = |a: f64, v: f64| v / a - (a * v).ln_1p() / (a * a);
    for (modulus, dissipation, speed) in [(1e9, 0.26, 5.74), (1e6, 0.26, 5.74), (1e9, 0.05, 1.0)] {
        let law = NormalLaw::hertz(0.1, modulus, dissipation).unwrap();
        let after = bounce(law, speed, &precise(Method::Tsit45)).state.velocity[1];
        let a = 1.5 * dissipation;
        let (arriving, leaving) = (first_integral(a, speed), first_integral(a, -after));
        assert!((arriving - leaving).abs() < 1e-7 * arriving, "{arriving} {leaving}");
    }
    // For slow collisions the restitution is `1 − c v`, here to terms of the order of `(c v)² = 1e-6`.
    let law = NormalLaw::hertz(0.1, 1e9, 0.1).unwrap();
    let slow = Settings {
        displacement_tolerance: Some(1e-16),
        velocity_tolerance: Some(1e-13),
        ..precise(Method::Tsit45)
    };
    let after = bounce(law, 0.01, &slow).state.velocity[1];
    assert!((after / 0.01 - (1.0 - 0.1 * 0.01)).abs() < 2e-6);
}

/// For a law without corners the error follows the tolerance: it is at most the number of steps times
/// what each may err. That is the absolute tolerance and the relative one of 2 m/s, times `√8` because
/// the mean square is taken over the eight unknowns.
#[test]
fn tighter_tolerances_give_smaller_errors() {
    let law = NormalLaw::hertz(0.1, 1e8, 0.0).unwrap();
    let exact = 2.0;
    for method in [Method::Bdf, Method::TrBdf2, Method::Tsit45] {
        for tolerance in [1e-5, 1e-7, 1e-9] {
            let settings = Settings {
                method,
                relative_tolerance: tolerance,
                velocity_tolerance: Some(tolerance),
                displacement_tolerance: Some(1e-3 * tolerance),
                impulse_tolerance: Some(tolerance),
                ..Settings::default()
            };
            let report = bounce(law, 2.0, &settings);
            let error = (report.state.velocity[1] - exact).abs();
            let bound = report.counters.steps as f64 * 8.0_f64.sqrt() * 3.0 * tolerance;
            assert!(error < bound, "{method:?} {tolerance}: {error} above {bound}");
        }
    }
}

/// The rocking block of Halm and Posa with corners of these stiffnesses, turned by `angle`.
fn block(stiffness: [f64; 2], angle: f64) -> (Model, State) {
    ordered_block([(-0.5, stiffness[0]), (0.5, stiffness[1])], angle)
}

/// The same with its corners, each at its `x` with its stiffness, in this order.
fn ordered_block(corners: [(f64, f64); 2], angle: f64) -> (Model, State) {
    let body = PlanarBody::new(1.0, 5.0 / 12.0);
    let block = PlanarBodies::new(vec![body], Vector2::new(0.0, -9.81)).unwrap();
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let corner = |(x, stiffness): (f64, f64)| {
        let sphere = Sphere::on_body(0, Vector3::new(x, -1.0, 0.0), 0.0);
        let law = Law::new(
            NormalLaw::with_damping_ratio(stiffness, 1.0, 5.0).unwrap(),
            FrictionLaw::regularized_coulomb(1.0, 1e-10).unwrap(),
        );
        Contact::new(SpherePlane::new(sphere, floor).unwrap(), law)
    };
    let model = Model::new(Box::new(block), corners.map(corner).into()).unwrap();
    let height = angle.cos() + 0.5 * angle.sin().abs();
    let start = model.state(vec![0.0, height, angle], vec![0.0, -0.443, 0.0]).unwrap();
    (model, start)
}

fn stiff() -> Settings {
    Settings {
        relative_tolerance: 1e-10,
        displacement_tolerance: Some(1e-14),
        velocity_tolerance: Some(1e-11),
        impulse_tolerance: Some(1e-11),
        smallest_step: Some(1e-20),
        ..Settings::default()
    }
}

fn land(model: &Model, start: &State, settings: &Settings) -> Report {
    let over = impact_is_over(&[1e-9; 2], &[4.43e-3; 2]);
    integrate(model, settings, start, 1.0, Some(&over), &mut |_| ()).unwrap()
}

#[test]
fn a_flat_block_on_equal_corners_comes_to_rest() {
    let (model, start) = block([1e6; 2], 0.0);
    let report = land(&model, &start, &stiff());
    assert_eq!(report.status, Status::Stopped);
    assert!(report.state.velocity.iter().all(|v| v.abs() < 2e-9), "{:?}", report.state.velocity);
}

/// Stiffer left corner first, stiffer right corner first: mirror images, whichever contact comes first.
#[test]
fn mirror_images_end_as_mirror_images() {
    let settings = stiff();
    let (left, start) = block([1e8, 1e6], 0.0);
    let left = land(&left, &start, &settings).state.velocity;
    let (right, start) = block([1e6, 1e8], 0.0);
    let right = land(&right, &start, &settings).state.velocity;
    for (a, b) in left.iter().zip([-right[0], right[1], -right[2]]) {
        assert!((a - b).abs() < 1e-6, "{left:?} {right:?}");
    }
}

/// The order of contacts has no effect but on theirs, and a repeated run none at all.
#[test]
fn the_order_of_contacts_does_not_matter() {
    let (model, start) = block([1e8, 1e6], 0.0);
    let (reversed, _) = ordered_block([(0.5, 1e6), (-0.5, 1e8)], 0.0);
    let settings = stiff();
    let first = land(&model, &start, &settings);
    assert_eq!(first, land(&model, &start, &settings));
    let second = land(&reversed, &start, &settings);
    for (a, b) in first.state.velocity.iter().zip(&second.state.velocity) {
        assert!((a - b).abs() < 1e-6, "{first:?} {second:?}");
    }
    for (a, b) in [(0, 2), (2, 0)] {
        assert!((first.state.impulses[a] - second.state.impulses[b]).abs() < 1e-6);
    }
}

/// Where the Jacobian is constant, `M (v − v₀) = Jᵀ P + m g t` holds for the numbers integrated, in every
/// step: a linear invariant, which all methods keep up to rounding and the tolerance of their iterations.
#[test]
fn momentum_is_what_the_impulses_add_up_to() {
    let (model, start) = block([1e7, 1e6], 0.0);
    let mut worst = 0.0_f64;
    let over = impact_is_over(&[1e-9; 2], &[4.43e-3; 2]);
    let mut observe = |s: &Snapshot<'_>| {
        let p = s.impulses;
        worst = worst.max((s.velocity[0] - p[1] - p[3]).abs());
        worst = worst.max((s.velocity[1] + 0.443 + 9.81 * s.time - p[0] - p[2]).abs());
    };
    integrate(&model, &stiff(), &start, 1.0, Some(&over), &mut observe).unwrap();
    assert!(worst < 1e-9, "{worst}");
}

#[test]
fn mechanical_energy_never_grows() {
    let (model, start) = block([1e8, 1e6], 1e-4);
    let (mut last, mut worst) = (f64::INFINITY, 0.0_f64);
    let over = impact_is_over(&[1e-9; 2], &[4.43e-3; 2]);
    let mut observe = |s: &Snapshot<'_>| {
        let energy = model.energy(s.coordinates, s.velocity);
        worst = worst.max(energy - last);
        last = energy;
    };
    integrate(&model, &stiff(), &start, 1.0, Some(&over), &mut observe).unwrap();
    // One step errs by 1e-10 of the 0.1 J in motion.
    assert!(worst < 1e-9, "{worst}");
}

/// Two springs of 10⁶ N/m carry 9.81 N: 4.9 µm each.
#[test]
fn a_block_settles_on_its_springs() {
    let (model, _) = block([1e6; 2], 0.0);
    let start = model.state(vec![0.0, 1.0, 0.0], vec![0.0; 3]).unwrap();
    let report = integrate(&model, &stiff(), &start, 1.0, None, &mut |_| ()).unwrap();
    assert_eq!(report.status, Status::EndReached);
    assert_eq!(report.state.time.to_bits(), 1.0_f64.to_bits());
    assert!((report.state.coordinates[1] - 1.0 + 4.905e-6).abs() < 1e-12);
}

/// A ball of 1 kg that lands in space at 3 m/s while it slides at 5 m/s towards `direction`.
fn oblique(direction: f64, tangent: f64) -> State {
    let inertia = Matrix3::identity() * 4e-3;
    let ball = FreeBodies::new(vec![Body::new(1.0, inertia)], Vector3::zeros()).unwrap();
    let reference = Vector3::new(tangent.cos(), tangent.sin(), 0.0);
    let floor = Plane::with_tangent(&Vector3::z(), &Vector3::zeros(), &reference).unwrap();
    let law =
        Law::new(NormalLaw::hertz(0.1, 1e9, 0.1).unwrap(), FrictionLaw::smooth(0.2, 0.01).unwrap());
    let gap = SpherePlane::new(Sphere::of_body(0, 0.1), floor).unwrap();
    let model = Model::new(Box::new(ball), vec![Contact::new(gap, law)]).unwrap();
    let coordinates = vec![0.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0];
    let slip = 5.0 * Vector2::new(direction.cos(), direction.sin());
    let start = model.state(coordinates, vec![slip.x, slip.y, -3.0, 0.0, 0.0, 0.0]).unwrap();
    let parted = |s: &Snapshot<'_>| if s.impulses[0] > 0.0 { s.gaps[0] } else { -1.0 };
    let settings = precise(Method::Tsit45);
    integrate(&model, &settings, &start, 1.0, Some(&parted), &mut |_| ()).unwrap().state
}

/// Sliding throughout, friction takes `μ` times the normal impulse from the speed, opposite to the slip,
/// however the tangents lie and whether they turn with the slip or not.
#[test]
fn friction_of_a_sliding_collision_is_coulombs_in_any_direction() {
    for (direction, tangent) in [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (-2.0, 0.7)] {
        let end = oblique(direction, tangent);
        let normal = end.impulses[0];
        assert!((end.velocity[2] + 3.0 - normal).abs() < 1e-8);
        let slowed = (5.0 - 0.2 * normal) * Vector2::new(f64::cos(direction), f64::sin(direction));
        assert!((end.velocity[0] - slowed.x).abs() < 1e-7);
        assert!((end.velocity[1] - slowed.y).abs() < 1e-7);
        let quaternion: f64 = end.coordinates[3..].iter().map(|c| c * c).sum();
        assert!((quaternion - 1.0).abs() < 1e-15);
    }
}

#[test]
fn reaching_a_limit_is_a_status_with_the_state_so_far() {
    let law = NormalLaw::kelvin_voigt(1e4, 0.0).unwrap();
    let model = ball_on(Law::new(law, FrictionLaw::Frictionless));
    let start = model.state(vec![0.0, 0.6, 0.0], vec![0.0, -1.0, 0.0]).unwrap();
    let run =
        |settings: &Settings| integrate(&model, settings, &start, 1.0, None, &mut |_| ()).unwrap();
    let few = run(&Settings { step_limit: 3, ..Settings::default() });
    assert_eq!((few.status, few.counters.steps), (Status::StepLimit, 3));
    // It lands, after 0.1 s, but may not part.
    let once = run(&Settings { restart_limit: 1, ..Settings::default() });
    assert_eq!((once.status, once.counters.restarts), (Status::RestartLimit, 1));
    assert!((once.state.time - 0.1 - 1e-2 * PI).abs() < 1e-6);
    let coarse = run(&Settings { smallest_step: Some(1e-3), ..Settings::default() });
    assert_eq!(coarse.status, Status::StepTooSmall);
    let free = run(&Settings::default());
    assert_eq!((free.status, free.counters.restarts), (Status::EndReached, 2));
}

/// Whatever the size of the numbers, an integration ends, and says how.
#[test]
fn numbers_at_the_edge_of_doubles_end_with_a_status() {
    for method in [Method::Bdf, Method::TrBdf2, Method::Tsit45] {
        for (stiffness, speed) in [(1e-300, 1e307), (1e300, 1e-300), (1e150, 1e150)] {
            let law = NormalLaw::kelvin_voigt(stiffness, 1e10).unwrap();
            let friction = FrictionLaw::regularized_coulomb(1.0, 1e-10).unwrap();
            let model = ball_on(Law::new(law, friction));
            let start = model.state(vec![0.0, 0.5, 0.0], vec![speed, -speed, 1.0]).unwrap();
            let settings = Settings { method, step_limit: 300, ..Settings::default() };
            let report = integrate(&model, &settings, &start, 1.0, None, &mut |_| ()).unwrap();
            assert_ne!(report.status, Status::Stopped);
            assert!(report.state.velocity.iter().all(|v| v.is_finite()));
        }
    }
}

#[test]
fn a_stop_function_that_is_not_negative_ends_at_the_start() {
    let law = NormalLaw::kelvin_voigt(1e4, 0.0).unwrap();
    let model = ball_on(Law::new(law, FrictionLaw::Frictionless));
    let start = model.state(vec![0.0, 0.6, 0.0], vec![0.0, -1.0, 0.0]).unwrap();
    let settings = Settings::default();
    let mut seen = 0;
    let report =
        integrate(&model, &settings, &start, 1.0, Some(&|_| 0.0), &mut |_| seen += 1).unwrap();
    assert_eq!((report.status, report.state, seen), (Status::Stopped, start, 1));
}

#[test]
fn bad_input_is_refused_by_name() {
    let law = Law::new(NormalLaw::kelvin_voigt(1.0, 0.0).unwrap(), FrictionLaw::Frictionless);
    let model = ball_on(law);
    let body = || PlanarBodies::new(vec![PlanarBody::new(1.0, 0.1)], Vector2::zeros()).unwrap();
    assert_eq!(Model::new(Box::new(body()), vec![]).unwrap_err(), Error::NoContacts);
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let elsewhere = SpherePlane::new(Sphere::of_body(7, 0.5), floor).unwrap();
    let refused = Model::new(Box::new(body()), vec![Contact::new(elsewhere, law)]).unwrap_err();
    assert!(matches!(refused, Error::Gap { contact: 0, .. }), "{refused}");

    assert!(matches!(model.state(vec![0.0; 2], vec![0.0; 3]), Err(Error::Coordinates(_))));
    let short = model.state(vec![0.0; 3], vec![0.0; 2]).unwrap_err();
    assert_eq!(short, Error::Length { field: "velocity", expected: 3, found: 2 });
    let infinite = model.state(vec![0.0; 3], vec![0.0, f64::INFINITY, 0.0]).unwrap_err();
    assert_eq!(infinite, Error::NotFinite { field: "velocity", value: f64::INFINITY });

    let start = model.state(vec![0.0, 1.0, 0.0], vec![0.0; 3]).unwrap();
    let run = |settings: &Settings, start: &State, end: f64| {
        integrate(&model, settings, start, end, None, &mut |_| ()).unwrap_err()
    };
    for end in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(run(&Settings::default(), &start, end), Error::End { .. }));
    }
    let longer = State { impulses: vec![0.0; 3], ..start.clone() };
    let refused = run(&Settings::default(), &longer, 1.0);
    assert_eq!(refused, Error::Length { field: "impulses", expected: 2, found: 3 });
    let default = Settings::default;
    for (name, settings) in [
        ("relative_tolerance", Settings { relative_tolerance: 0.0, ..default() }),
        ("relative_tolerance", Settings { relative_tolerance: f64::NAN, ..default() }),
        ("displacement_tolerance", Settings { displacement_tolerance: Some(0.0), ..default() }),
        ("velocity_tolerance", Settings { velocity_tolerance: Some(-1.0), ..default() }),
        ("impulse_tolerance", Settings { impulse_tolerance: Some(f64::NAN), ..default() }),
        ("smallest_step", Settings { smallest_step: Some(f64::INFINITY), ..default() }),
        ("step_limit", Settings { step_limit: 0, ..default() }),
        ("restart_limit", Settings { restart_limit: 0, ..default() }),
    ] {
        match run(&settings, &start, 1.0) {
            Error::Setting { name: found, .. } => assert_eq!(found, name),
            other => panic!("{other}"),
        }
    }
}

/// A body spins about a middle axis by coarse steps, whose errors add up in the length of its quaternion.
#[test]
fn quaternions_of_snapshots_have_length_one() {
    let body = Body::new(1.0, Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 3.0)));
    let system = FreeBodies::new(vec![body], Vector3::zeros()).unwrap();
    // A floor that is far away.
    let floor = Plane::new(&Vector3::z(), &Vector3::new(0.0, 0.0, -10.0)).unwrap();
    let gap = SpherePlane::new(Sphere::of_body(0, 1.0), floor).unwrap();
    let law = Law::new(NormalLaw::hertz(0.1, 1e9, 0.1).unwrap(), FrictionLaw::Frictionless);
    let model = Model::new(Box::new(system), vec![Contact::new(gap, law)]).unwrap();
    let coordinates = vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    let start = model.state(coordinates, vec![0.0, 0.0, 0.0, 0.1, 5.0, 0.1]).unwrap();
    let settings = Settings { relative_tolerance: 1e-4, ..Settings::default() };
    let mut longest = 0.0_f64;
    let mut observe = |s: &Snapshot<'_>| {
        let square: f64 = s.coordinates[3..].iter().map(|c| c * c).sum();
        longest = longest.max((square - 1.0).abs());
    };
    integrate(&model, &settings, &start, 5.0, None, &mut observe).unwrap();
    // A few roundings of each entry.
    assert!(longest <= 8.0 * f64::EPSILON, "{longest:e}");
}
