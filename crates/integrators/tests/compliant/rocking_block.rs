//! The rocking block of Halm and Posa under compliant contacts: some runs of their two sweeps.
//!
//! A block of 1 × 2 m and 1 kg lands on its corners A (left) and B (right), which are springs with dampers
//! of ζ = 5 and Coulomb friction with μ = 1.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 2024, section 5.4.1.

use nalgebra::{Vector2, Vector3};
use percussion_dynamics::compliant::{FrictionLaw, Law, NormalLaw};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_dynamics::{PlanarBodies, PlanarBody};
use percussion_integrators::compliant::{
    Contact, Method, Model, Report, Settings, State, Status, impact_is_over, integrate,
};

/// Speed after a fall by 1 cm (m/s).
const SPEED: f64 = 0.442_944_691_807;

fn corners(stiffness: [f64; 2]) -> Model {
    let body = PlanarBody::new(1.0, 5.0 / 12.0);
    let block = PlanarBodies::new(vec![body], Vector2::new(0.0, -9.81)).unwrap();
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let contact = |x: f64, stiffness: f64| {
        let law = Law::new(
            NormalLaw::with_damping_ratio(stiffness, 1.0, 5.0).unwrap(),
            FrictionLaw::regularized_coulomb(1.0, 1e-10).unwrap(),
        );
        let corner = Sphere::on_body(0, Vector3::new(x, -1.0, 0.0), 0.0);
        Contact::new(SpherePlane::new(corner, floor).unwrap(), law)
    };
    let contacts = vec![contact(-0.5, stiffness[0]), contact(0.5, stiffness[1])];
    Model::new(Box::new(block), contacts).unwrap()
}

/// The block turned by `angle` with its lower corner on the floor and the energy of the flat one.
fn start(model: &Model, angle: f64) -> State {
    let height = angle.cos() + 0.5 * angle.sin().abs();
    let speed = (SPEED * SPEED - 2.0 * 9.81 * (height - 1.0)).sqrt();
    model.state(vec![0.0, height, angle], vec![0.0, -speed, 0.0]).unwrap()
}

/// The end of the impact, and the largest normal impulse of one corner before the other had any.
fn run(method: Method, tolerance: f64, stiffness: [f64; 2], angle: f64) -> (Report, f64) {
    let model = corners(stiffness);
    let settings = Settings {
        method,
        relative_tolerance: tolerance,
        displacement_tolerance: Some(1e-14),
        // Friction acts in full within 1e-10 m/s, so velocities must be known better.
        velocity_tolerance: Some(1e-11),
        impulse_tolerance: Some(1e-11),
        smallest_step: Some(1e-20),
        ..Settings::default()
    };
    let (approach, impulse) = (stiffness.map(|k| 1e-3 / k), [1e-2 * SPEED; 2]);
    let over = impact_is_over(&approach, &impulse);
    let mut before_second = 0.0;
    let mut observe = |s: &percussion_integrators::compliant::Snapshot<'_>| {
        if s.impulses[0].min(s.impulses[2]) == 0.0 {
            before_second = s.impulses[0].max(s.impulses[2]);
        }
    };
    let start = start(&model, angle);
    let report = integrate(&model, &settings, &start, 1.0, Some(&over), &mut observe).unwrap();
    assert_eq!(report.status, Status::Stopped, "the impact ends");
    (report, before_second)
}

/// The normal velocities of A and B, and the velocity of the corners along the floor.
fn corner_velocities(report: &Report) -> (f64, f64, f64) {
    let v = &report.state.velocity;
    (v[1] - 0.5 * v[2], v[1] + 0.5 * v[2], v[0] + v[2])
}

/// The stiffer corner stops first and leaves again when the other takes its impulse. What it reaches
/// depends on how far the impulses overlap: nothing for equal corners, more for unequal ones, and for
/// impulses one after the other `0.095 m/s`.
///
/// That limit is two impacts at a sticking corner, each of which keeps the moment of momentum about it.
/// About A the first leaves the spin `ω = −0.5 v₀/(I + 1.25) = −0.133` rad/s, and the second, which keeps
/// the moment about B, leaves `0.7 ω = −0.093`: A then rises at `0.093 m/s`. (The ends of the sweep over
/// the angle exceed it slightly, because the block falls on between the impacts.)
#[test]
fn the_stiffer_corner_rises_after_the_softer_one_is_stopped() {
    let sequential = 0.7 * 0.5 * SPEED / (5.0 / 12.0 + 1.25);
    let mut last = -1e-6;
    for ratio in [1.0, 10.0, 1e3, 1e5] {
        let (report, _) = run(Method::Bdf, 1e-10, [1e6 * ratio, 1e6], 0.0);
        let (a, b, slip) = corner_velocities(&report);
        assert!(a > last && a < sequential, "{ratio}: {a}");
        // B has just stopped, and the corners stick. The block has turned by less than 1e-4 rad, by which
        // times its spin of up to 0.1 rad/s these velocities of the flat block are wrong.
        assert!(b.abs() < 1e-5 && slip.abs() < 1e-5, "{ratio}: {b} {slip}");
        last = a;
    }
    assert!(last > 0.98 * sequential, "{last} {sequential}");
}

/// At 0.01° the paper reports that 99.9992 % of the first impulse come before the second begins.
#[test]
fn a_tilt_of_a_hundredth_of_a_degree_separates_the_impulses() {
    let (report, before_second) = run(Method::Bdf, 1e-10, [1e6; 2], 0.01_f64.to_radians());
    let part = before_second / report.state.impulses[0];
    assert!((part - 0.999_992).abs() < 5e-7, "{part}");
}

/// Backward differences and TR-BDF2 share neither formulas nor steps. TR-BDF2 errs by its tolerance in each of some
/// ten thousand steps.
#[test]
fn two_methods_agree() {
    let (bdf, _) = run(Method::Bdf, 1e-10, [1e7, 1e6], 0.0);
    let (tr, _) = run(Method::TrBdf2, 1e-11, [1e7, 1e6], 0.0);
    for (a, b) in bdf.state.velocity.iter().zip(&tr.state.velocity) {
        assert!((a - b).abs() < 2e-5, "{:?} {:?}", bdf.state.velocity, tr.state.velocity);
    }
}
