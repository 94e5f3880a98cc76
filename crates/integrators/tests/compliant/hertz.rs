//! Elastic Hertz contacts in the third and fourth examples of Uchida, Sherman and Delp: a row of balls, and a
//! triple pendulum that strikes the ground.
//!
//! # Source
//!
//! T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact: modelling simultaneous frictional
//! collisions in spatial multibody systems", *Proceedings of the Royal Society A* 471 (2015) 20140859,
//! sections 4c and 4d. The figures are those of their program (Simbody 3.7) with its compliant contact.

use nalgebra::{Isometry3, Matrix3, Vector2, Vector3};
use percussion_dynamics::compliant::{
    FrictionLaw, HalfDepth, Law, ModulusRule, NormalLaw, relative_radius,
};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane, SphereSphere};
use percussion_dynamics::{Articulated, Joint, Link, MassProperties, PlanarBodies, PlanarBody};
use percussion_integrators::compliant::{
    Contact, Method, Model, Settings, Snapshot, Status, integrate,
};

/// Velocities of five balls of 1 kg and 0.25 m in a row after the last of them was hit at 2 m/s.
fn row_of_balls(modulus: f64) -> Vec<f64> {
    let balls = PlanarBodies::new(vec![PlanarBody::new(1.0, 0.025); 5], Vector2::zeros()).unwrap();
    let radius = relative_radius(0.25, 0.25).unwrap();
    let law = Law::new(NormalLaw::hertz(radius, modulus, 0.0).unwrap(), FrictionLaw::Frictionless);
    let contact = |i: usize| {
        let [left, right] = [i, i + 1].map(|ball| Sphere::of_body(ball, 0.25));
        Contact::new(SphereSphere::new(right, left).unwrap(), law)
    };
    let model = Model::new(Box::new(balls), (0..4).map(contact).collect()).unwrap();
    let coordinates = (0..5).flat_map(|i| [0.5 * f64::from(i), 0.0, 0.0]).collect();
    let mut velocity = vec![0.0; 15];
    velocity[12] = -2.0;
    let start = model.state(coordinates, velocity).unwrap();
    let settings =
        Settings { method: Method::Tsit45, relative_tolerance: 1e-10, ..Settings::default() };
    let parted = |moment: &Snapshot<'_>| {
        let hit = moment.impulses.iter().step_by(2).all(|p| *p > 0.0);
        if hit { moment.gaps.iter().copied().fold(f64::INFINITY, f64::min) } else { -1.0 }
    };
    let report = integrate(&model, &settings, &start, 1.0, Some(&parted), &mut |_| ()).unwrap();
    assert_eq!(report.status, Status::Stopped, "the balls part");
    report.state.velocity.iter().step_by(3).copied().collect()
}

/// The scale of the stiffness has no effect: with lengths in units of `(m v²/K)^(2/5)` and times in that over `v`
/// it leaves the equations.
#[test]
fn a_row_of_balls_parts_with_the_velocities_of_a_chain_of_hertz_springs() {
    let published = [-1.977_555, -0.254_090, 0.028_927, 0.060_548, 0.142_170];
    for modulus in [1e7, 1e10] {
        let velocity = row_of_balls(modulus);
        for (ours, theirs) in velocity.iter().zip(published) {
            assert!((ours - theirs).abs() < 2e-5, "{velocity:?}");
        }
        // Some 120 steps may each err by √23 · 1.2e-9 m/s at 2 m/s, as the mean square is taken over 23
        // unknowns; momentum is a linear invariant, which the method keeps to rounding.
        let energy: f64 = velocity.iter().map(|v| 0.5 * v * v).sum();
        assert!((energy - 2.0).abs() < 1.4e-6, "{energy}");
        assert!((velocity.iter().sum::<f64>() + 2.0).abs() < 1e-13, "{velocity:?}");
    }
}

/// Tangential and normal velocity of the ball at the end of the pendulum after its impact.
fn pendulum(modulus: f64) -> (f64, f64) {
    let (length, radius) = (1.0, 0.1_f64);
    let across = (3.0 * radius * radius + length * length) / 12.0;
    let rod = || {
        let inertia = Matrix3::from_diagonal_element(across);
        MassProperties::new(1.0, Vector3::new(0.0, -0.5, 0.0), inertia).unwrap()
    };
    let joint = || Joint::revolute(Vector3::z());
    let below = |y: f64| Isometry3::translation(0.0, y, 0.0);
    let ball = MassProperties::solid_sphere(1.0, 0.25).unwrap();
    let links = vec![
        Link::new("upper", joint()).at(below(2.0)).with_mass(rod()),
        Link::new("middle", joint()).on("upper").at(below(-length)).with_mass(rod()),
        Link::new("lower", joint()).on("middle").at(below(-length)).with_mass(rod()),
        Link::new("ball", Joint::fixed()).on("lower").at(below(-length)).with_mass(ball),
    ];
    let system = Articulated::new(links, Vector3::new(0.0, -9.81, 0.0)).unwrap();
    let ground = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let sphere = Sphere::of_body(system.link_index("ball").unwrap(), 0.25);
    let law = Law::new(
        NormalLaw::hertz(0.25, ModulusRule::Springs.combine(modulus, modulus).unwrap(), 0.0)
            .unwrap(),
        FrictionLaw::smooth(0.1, 0.01).unwrap(),
    );
    let gap = HalfDepth(SpherePlane::new(sphere, ground).unwrap());
    let model = Model::new(Box::new(system), vec![Contact::new(gap, law)]).unwrap();
    let angles = vec![-0.815_351_852_796, 8.073_627_178_59, -2.018_479_607_97];
    let rates = vec![-7.952_492_833_17, 10.047_532_552_2, 14.707_869_395_8];
    let start = model.state(angles, rates).unwrap();
    let settings = Settings { method: Method::Tsit45, ..Settings::default() };
    let parted = |s: &Snapshot<'_>| if s.impulses[0] > 0.0 { s.gaps[0] } else { -1.0 };
    let mut end = (0.0, 0.0);
    let mut observe = |s: &Snapshot<'_>| end = (s.contact_velocity[1], s.contact_velocity[0]);
    let report = integrate(&model, &settings, &start, 1.0, Some(&parted), &mut observe).unwrap();
    assert_eq!(report.status, Status::Stopped, "the ball leaves the ground");
    end
}

/// All digits that are known, over four decades of stiffness: the stiffer, the nearer to `6.996 m/s`, the speed of its
/// arrival, because the mechanism turns less while it touches.
#[test]
fn a_triple_pendulum_leaves_the_ground_as_the_authors_program_says() {
    for (modulus, tangential, normal) in [
        (1e7, 0.4584, 6.8366),
        (1e8, 0.3543, 6.9333),
        (1e9, 0.3152, 6.9714),
        (1e10, 0.29995, 6.9864),
        (1e11, 0.29396, 6.9924),
    ] {
        let (t, n) = pendulum(modulus);
        assert!((t - tangential).abs() < 1e-4 && (n - normal).abs() < 1e-4, "{t} {n}");
    }
}
