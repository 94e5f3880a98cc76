//! Impacts, contacts that close, friction.

use nalgebra::{Rotation2, Vector2, Vector3};
use percussion_dynamics::{
    Articulated, Joint, Link, MassProperties, PlanarBodies, PlanarBody,
    gap::{Plane, Sphere, SpherePlane, SphereSphere},
};
use percussion_impact::{
    newton::Newton,
    propagative::{Order, Propagative},
};
use percussion_integrators::{
    Contact, ContactReport, Model, Simulation, StepReport, variational::Variational,
};

use crate::support::{chain, discs, elastic, ends_on_floor, integrator, settings, state};

fn disc(restitution: f64, friction: f64, normal: Vector3<f64>) -> Model {
    let body = PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -10.0));
    let plane = Plane::new(&normal, &Vector3::zeros()).unwrap();
    let gap = SpherePlane::new(Sphere::of_body(0, 0.0), plane).unwrap();
    let contact = Contact::new(gap, friction).with_restitution(restitution);
    Model::lagrangian(Box::new(body.unwrap()), vec![contact]).unwrap()
}

/// A ball from 1 m with `e = ½`: falls for `√(2/10)` s, then flies for `2 e^k √(2 · 10)/10` s.
/// The normal impulse of a contact while it was closed, without impulses (N·s).
fn pushed(contact: &ContactReport) -> f64 {
    contact.impulse.x - contact.percussion
}

#[test]
fn a_bouncing_ball_follows_its_parabolas_and_comes_to_rest() {
    let law = Box::new(Newton::default());
    let model = disc(0.5, 0.0, Vector3::y());
    let start = state(&[0.0, 1.0, 0.0], &[1.0, 0.0, 0.0]);
    let mut motion =
        Simulation::<Variational>::with_law(model, law, settings(0.01), start).unwrap();
    let mut reports: Vec<StepReport> = Vec::new();
    motion.run(2.0, |_, report| reports.push(report.clone())).unwrap();
    let impacts: Vec<_> = reports.iter().flat_map(|report| &report.impacts).collect();
    let mut time = 0.2_f64.sqrt();
    for (bounce, impact) in impacts.iter().take(9).enumerate() {
        // A gap of 1e-12 m at some m/s.
        assert!((impact.time - time).abs() < 1e-10, "bounce {bounce}");
        let speed = 20.0_f64.sqrt() * 0.5_f64.powi(i32::try_from(bounce).unwrap());
        assert!((impact.velocity_before[1] + speed).abs() < 1e-10);
        assert!((impact.impulses[0] - 3.0 * speed).abs() < 1e-9);
        time += speed / 10.0;
    }
    // The end of all bounces is at 3 √0.2 s = 1.34 s; then the ball rests, and slides on.
    assert!(reports.iter().any(StepReport::is_zeno));
    let last = &reports[reports.len() - 1];
    assert!(last.impacts.is_empty() && last.contacts.len() == 1);
    assert!((last.contacts[0].impulse.x - 2.0 * 10.0 * 0.01).abs() < 1e-12);
    assert!(
        motion.state().velocity[1].abs() < 1e-12 && motion.state().coordinates[1].abs() < 1e-12
    );
    assert!((motion.state().velocity[0] - 1.0).abs() < 1e-12);
}

/// `v = v₀ − μ g t` until it stops after 0.6 s and 0.9 m.
#[test]
fn a_sliding_block_stops_where_coulomb_says() {
    let mut motion = integrator(
        disc(0.0, 0.5, Vector3::y()),
        settings(0.01),
        state(&[0.0; 3], &[3.0, 0.0, 0.0]),
    );
    motion
        .run(0.3, |_, report| {
            assert!(
                (report.contacts[0].impulse.y.abs() - 0.5 * report.contacts[0].impulse.x).abs()
                    < 1e-12
            );
        })
        .unwrap();
    assert!((motion.state().velocity[0] - 1.5).abs() < 1e-11);
    assert!((motion.state().coordinates[0] - (0.9 - 0.225)).abs() < 1e-11);
    motion.run(1.0, |_, _| ()).unwrap();
    assert!((motion.state().coordinates[0] - 0.9).abs() < 1e-11);
    assert!(motion.state().velocity[0].abs() < 1e-12);
}

#[test]
fn a_block_on_an_incline_sticks_below_the_friction_angle_and_slides_above() {
    let angle = 0.4_f64;
    let down = Rotation2::new(-angle) * Vector2::x();
    let normal = Vector3::new(angle.sin(), angle.cos(), 0.0);
    for (friction, expected) in [(1.01 * angle.tan(), 0.0), (0.2, angle.sin() - 0.2 * angle.cos())]
    {
        let model = disc(0.0, friction, normal);
        let mut motion = integrator(model, settings(0.01), state(&[0.0; 3], &[0.0; 3]));
        motion.run(1.0, |_, _| ()).unwrap();
        let way = Vector2::new(motion.state().coordinates[0], motion.state().coordinates[1]);
        assert!((way.dot(&down) - 5.0 * expected).abs() < 1e-10, "{friction}: {way}");
    }
}

#[test]
fn momentum_along_the_floor_and_energy_survive_the_impacts_of_a_chain() {
    let count = 3;
    let model =
        Model::lagrangian(Box::new(chain(count, true, 10.0)), ends_on_floor(count)).unwrap();
    let start = state(&[0.0, 1.0, 0.3, -0.5, 0.4], &[0.7, 0.0, 1.0, -1.0, 0.5]);
    let mut motion = integrator(model, settings(1e-3), start);
    let momentum = motion.momentum()[0];
    let (mut impacts, mut first, mut worst) = (0, None, 0.0_f64);
    motion
        .run(2.0, |_, report| {
            impacts += report.impacts.len();
            for impact in &report.impacts {
                assert!(impact.energy_change.abs() < 1e-9, "{}", impact.energy_change);
                assert!(impact.impulses.iter().all(|p| *p >= 0.0));
            }
            assert!(report.penetration <= 1e-12);
            let first = *first.get_or_insert(report.energy_before);
            worst = worst.max((report.energy_after - first).abs());
        })
        .unwrap();
    assert!(impacts > 5, "{impacts}");
    assert!((motion.momentum()[0] - momentum).abs() < 1e-12 * momentum.abs());
    // h² of energies of some 50 J with rates of some 10 per second.
    assert!(worst < 5e-3, "{worst:e} J");
}

/// The last of three balls in a row leaves with the speed of the first, in the middle of a step.
#[test]
fn a_cradle_at_rest_passes_the_momentum_on() {
    let (bodies, contacts) = discs(4, 0.0);
    let model = Model::lagrangian(Box::new(bodies), contacts).unwrap();
    let at = |x: f64| [x, 5.0, 0.0];
    let coordinates: Vec<f64> = [-1.0, 0.0, 0.2, 0.4].into_iter().flat_map(at).collect();
    let mut velocity = vec![0.0; 12];
    velocity[0] = 2.0;
    let mut motion = integrator(model, settings(0.03), state(&coordinates, &velocity));
    let mut impacts = Vec::new();
    motion.run(0.9, |_, report| impacts.extend(report.impacts.clone())).unwrap();
    assert_eq!(impacts.len(), 1);
    assert_eq!(impacts[0].contacts.len(), 3);
    assert!((impacts[0].time - 0.4).abs() < 1e-11);
    let v = &motion.state().velocity;
    assert!((v[9] - 2.0).abs() < 1e-12 && v[..9].iter().all(|v| v.abs() < 1e-12));
}

/// Three balls in a row: with the restitution `R` of energy an impact takes `1 − R²` of what a plastic one takes,
/// which is two thirds, at any velocity and wherever in a step of any size it happens.
#[test]
fn a_cradle_loses_the_same_share_at_every_velocity_and_step_size() {
    for restitution in [1.0, 0.7, 0.0] {
        for speed in [0.01, 1.0, 100.0] {
            // The ball moves by this in a step; farther than a diameter it would pass through the others unseen.
            for travel in [1e-4, 0.003, 0.03, 0.15] {
                let (bodies, contacts) = discs(3, 0.0);
                let model = Model::lagrangian(Box::new(bodies), contacts).unwrap();
                let at = |x: f64| [x, 5.0, 0.0];
                let coordinates: Vec<f64> =
                    [-0.2 - 3.3 * travel, 0.0, 0.2].into_iter().flat_map(at).collect();
                let mut velocity = vec![0.0; 9];
                velocity[0] = speed;
                let law = Box::new(Propagative { restitution, ..Propagative::default() });
                let start = state(&coordinates, &velocity);
                let mut motion = Simulation::<Variational>::with_law(
                    model,
                    law,
                    settings(travel / speed),
                    start,
                )
                .unwrap();
                for _ in 0..5 {
                    motion.step().unwrap();
                }
                let v = &motion.state().velocity;
                let energy = v.iter().map(|v| v * v).sum::<f64>() / (speed * speed);
                let expected = 1.0 - (1.0 - restitution * restitution) * 2.0 / 3.0;
                // Round-off of positions of 5 m, divided by the way of a step, is what velocities carry.
                let rounding = 1e-14 * (1.0 + 1.0 / travel);
                assert!(
                    (energy - expected).abs() < rounding,
                    "R = {restitution}, {speed} m/s, {travel} m: {energy}"
                );
            }
        }
    }
}

#[test]
fn the_order_of_contacts_changes_nothing() {
    let run = |order: &[usize]| {
        let (bodies, contacts) = discs(3, 10.0);
        let mut contacts: Vec<_> = contacts.into_iter().map(Some).collect();
        let contacts = order.iter().map(|&i| contacts[i].take().unwrap()).collect();
        let model = Model::lagrangian(Box::new(bodies), contacts).unwrap();
        let start = [0.0, 0.1, 0.0, 0.25, 0.1, 0.0, 0.11, 0.6, 0.0];
        let law = Box::new(Propagative { order: Order::MostApproached, ..Propagative::default() });
        let mut motion = Simulation::<Variational>::with_law(
            model,
            law,
            settings(0.01),
            state(&start, &[0.0; 9]),
        )
        .unwrap();
        motion.run(0.5, |_, _| ()).unwrap();
        motion.state().coordinates.clone()
    };
    let (one, other) = (run(&[0, 1, 2, 3, 4, 5]), run(&[5, 2, 0, 4, 1, 3]));
    for (a, b) in one.iter().zip(&other) {
        // The motion of colliding balls magnifies rounding.
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
}

#[test]
fn the_order_of_bodies_changes_nothing() {
    let run = |swap: bool| {
        let (bodies, contacts) = discs(2, 10.0);
        let model = Model::lagrangian(Box::new(bodies), contacts).unwrap();
        let (a, b) = ([0.0, 0.1, 0.0], [0.05, 0.6, 0.0]);
        let start = if swap { [b, a] } else { [a, b] }.concat();
        let mut motion = integrator(model, settings(0.01), state(&start, &[0.0; 6]));
        motion.run(0.6, |_, _| ()).unwrap();
        let q = motion.state().coordinates.clone();
        if swap { [&q[3..], &q[..3]].concat() } else { q }
    };
    for (a, b) in run(false).iter().zip(&run(true)) {
        assert!((a - b).abs() < 1e-9);
    }
}

#[test]
fn the_same_motion_has_the_same_bits() {
    let run = || {
        let model = Model::lagrangian(Box::new(chain(3, true, 10.0)), ends_on_floor(3)).unwrap();
        let start = state(&[0.0, 1.0, 0.3, -0.5, 0.4], &[0.7, 0.0, 1.0, -1.0, 0.5]);
        let mut motion = integrator(model, settings(0.01), start);
        motion.run(1.0, |_, _| ()).unwrap();
        motion.state().clone()
    };
    assert_eq!(run(), run());
}

/// A pile at rest: the lower disc carries both.
#[test]
fn discs_on_one_another_rest() {
    let (bodies, contacts) = discs(2, 10.0);
    let model = Model::lagrangian(Box::new(bodies), contacts).unwrap();
    let start = state(&[0.0, 0.1, 0.0, 0.0, 0.3, 0.0], &[0.0; 6]);
    let mut motion = integrator(model, settings(0.01), start.clone());
    motion
        .run(0.3, |_, report| {
            let normal: Vec<f64> = report.contacts.iter().map(pushed).collect();
            assert!((normal[0] - 0.2).abs() < 1e-12 && (normal[1] - 0.1).abs() < 1e-12);
        })
        .unwrap();
    for (found, expected) in motion.state().coordinates.iter().zip(&start.coordinates) {
        assert!((found - expected).abs() < 1e-12);
    }
}

/// A point on a smooth cylinder of radius `r` leaves it at `cos θ = 2/3`.
#[test]
fn a_point_slides_off_a_cylinder_at_two_thirds_of_its_height() {
    let body =
        PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -10.0)).unwrap();
    let hill = Sphere::in_world(Vector3::zeros(), 1.0);
    let gap = SphereSphere::new(Sphere::of_body(0, 0.0), hill).unwrap();
    let model = Model::lagrangian(Box::new(body), vec![Contact::new(gap, 0.0)]).unwrap();
    let speed = 1e-3;
    let start = state(&[0.0, 1.0, 0.0], &[speed, 0.0, 0.0]);
    let mut motion = integrator(model, settings(1e-3), start);
    let mut height = f64::NAN;
    for _ in 0..5000 {
        let report = motion.step().unwrap();
        if report.contacts.iter().all(|contact| pushed(contact) == 0.0) {
            height = motion.state().coordinates[1];
            break;
        }
    }
    // One step moves by 3 mm; the start adds v²/(3 g r).
    assert!((height - 2.0 / 3.0).abs() < 4e-3, "{height}");
}

/// A rod that falls flat with `R = 1` hits with both ends at once, and both orders agree (its ends are
/// not orthogonal, but the fall is symmetric).
#[test]
fn a_flat_rod_bounces_flat() {
    let model = Model::lagrangian(Box::new(chain(1, true, 10.0)), ends_on_floor(1)).unwrap();
    let mut motion = integrator(model, settings(0.01), state(&[0.0, 0.2, 0.0], &[0.0; 3]));
    let mut impacts = Vec::new();
    motion.run(0.39, |_, report| impacts.extend(report.impacts.clone())).unwrap();
    assert_eq!(impacts[0].contacts, [0, 1]);
    assert!(motion.state().coordinates[1] > 0.0);
    assert!(impacts.iter().all(|impact| impact.energy_change.abs() < 1e-12));
}

#[test]
fn a_joint_limit_is_a_contact() {
    let joint = Joint::revolute(Vector3::z()).with_limits(&[[-0.5, 0.5]]);
    let disc = MassProperties::solid_sphere(1.0, 0.1).unwrap();
    let link = Link::new("disc", joint).with_mass(disc);
    let system = Articulated::new(vec![link], Vector3::zeros()).unwrap();
    let contacts =
        system.joint_limits().into_iter().map(|limit| Contact::new(limit, 0.0)).collect();
    let model = Model::lagrangian(Box::new(system), contacts).unwrap();
    let mut motion =
        Simulation::<Variational>::with_law(model, elastic(), settings(0.1), state(&[0.0], &[1.0]))
            .unwrap();
    motion.run(1.0, |_, _| ()).unwrap();
    assert!(motion.state().coordinates[0].abs() < 1e-11);
}

/// A rod of 40 masses and springs runs into a wall. The wave of compression needs `√(m/k)` = 1 s from mass to
/// mass, so that the rod leaves after `2 · 40` s with its speed reversed; the front of the wave is some
/// `40^(1/3)` masses wide, and the plastic impact of the first mass takes 1/40 of the energy.
#[test]
fn an_elastic_rod_leaves_a_wall_after_the_wave_is_back() {
    let count = 40;
    let mass = MassProperties::point(1.0).unwrap();
    let link = |i: usize| {
        let joint = Joint::prismatic(Vector3::x());
        if i == 0 {
            return Link::new("0", joint.with_limits(&[[0.0, f64::INFINITY]])).with_mass(mass);
        }
        let joint = joint.with_spring(&[1.0], &[0.0]);
        Link::new(i.to_string(), joint).on((i - 1).to_string()).with_mass(mass)
    };
    let system = Articulated::new((0..count).map(link).collect(), Vector3::zeros()).unwrap();
    let contacts =
        system.joint_limits().into_iter().map(|limit| Contact::new(limit, 0.0)).collect();
    let model = Model::lagrangian(Box::new(system), contacts).unwrap();
    let (mut coordinates, mut velocity) = (vec![0.0; count], vec![0.0; count]);
    (coordinates[0], velocity[0]) = (0.05, -1.0);
    let law = Box::new(Propagative { restitution: 0.0, ..Propagative::default() });
    let start = state(&coordinates, &velocity);
    let mut motion = Simulation::<Variational>::with_law(model, law, settings(0.1), start).unwrap();
    let (mut parted, mut energies) = (0.0, Vec::new());
    motion
        .run(100.0, |_, report| {
            if report.contacts.iter().any(|contact| pushed(contact) > 0.0) {
                parted = report.time;
            }
            energies.push(report.energy_after);
        })
        .unwrap();
    let width = (count as f64).cbrt();
    assert!((parted - 80.0).abs() < 2.0 * width, "{parted}");
    // The momentum of all masses is that of the coordinate which moves them all.
    let rebound = motion.momentum()[0] / count as f64;
    assert!(rebound > 1.0 - width / count as f64 && rebound < 1.0, "{rebound}");
    assert!((energies[0] - 19.5).abs() < 1e-9, "{}", energies[0]);
    let drift = energies.iter().map(|e| (e - 19.5).abs()).fold(0.0, f64::max);
    // (ω h)²/24 of the energy for the highest frequency, 2 rad/s, and what contacts add.
    assert!(drift < 0.04, "{drift}");
}
