//! Passes of a step: earlier steps save some of them and do not change where they end.

use nalgebra::{Isometry3, Vector3};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_dynamics::{Articulated, Joint, Link, MassProperties};
use percussion_integrators::{
    Contact, Model, Simulation, State, StepReport, Work,
    impulse_velocity::{self, ImpulseVelocity},
    moreau_jean::{MoreauJean, Settings},
};

use crate::scenes::boxes;

/// A free rod that carries three more, joined by hinges with dampers, over a floor that their ends may touch.
fn chain(friction: f64) -> Model {
    let rod = MassProperties::solid_box(1.0, &Vector3::new(0.5, 0.1, 0.05)).unwrap();
    let rod = rod.translated(&Vector3::new(0.25, 0.0, 0.0));
    let link = |i: usize| {
        let joint = if i == 0 {
            Joint::free()
        } else {
            Joint::revolute(Vector3::new(0.0, i as f64, 1.0)).with_damping(&[0.2])
        };
        let link = Link::new(i.to_string(), joint).with_mass(rod);
        if i == 0 {
            link
        } else {
            link.on((i - 1).to_string()).at(Isometry3::translation(0.5, 0.0, 0.0))
        }
    };
    let links = (0..4).map(link).collect();
    let system = Articulated::new(links, Vector3::new(0.0, 0.0, -9.81)).unwrap();
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let tip = |body: usize| {
        let end = Sphere::on_body(body, Vector3::new(0.5, 0.0, 0.0), 0.05);
        Contact::new(SpherePlane::new(end, floor).unwrap(), friction)
    };
    Model::new(Box::new(system), (0..4).map(tip).collect()).unwrap()
}

fn passes(report: &StepReport) -> usize {
    let Work::RoundCones(work) = report.work else { unreachable!("its contacts are round") };
    work.passes
}

/// Each step is repeated from the same state by simulations that know nothing of earlier steps, one of which converges to
/// rounding.
#[test]
fn earlier_steps_save_passes_and_no_accuracy() {
    let tolerance = 1e-9;
    for friction in [0.0, 0.4] {
        let settings = |iteration_tolerance| Settings {
            step_size: 0.002,
            tolerance: 1e-12,
            iteration_tolerance: Some(iteration_tolerance),
            ..Settings::default()
        };
        let step_from = |state: &State, iteration_tolerance| {
            let (model, settings) = (chain(friction), settings(iteration_tolerance));
            let mut one = Simulation::<MoreauJean>::new(model, settings, state.clone()).unwrap();
            let report = one.step().unwrap();
            (report, one.state().coordinates.clone())
        };
        let coordinates = vec![0.0, 0.0, 0.6, 1.0, 0.0, 0.0, 0.0, 0.3, -0.2, 0.4];
        let velocity = vec![1.0, 0.0, 0.0, 2.0, -1.0, 3.0, 1.0, -2.0, 0.5];
        let start = State { time: 0.0, coordinates, velocity };
        let mut motion =
            Simulation::<MoreauJean>::new(chain(friction), settings(tolerance), start).unwrap();
        let (mut own, mut alone, mut landed) = (0, 0, false);
        for _ in 0..2000 {
            let before = motion.state().clone();
            let report = motion.step().unwrap();
            landed |= report.contacts.iter().any(|contact| contact.impulse.x > 0.0);
            own += passes(&report);
            alone += passes(&step_from(&before, tolerance).0);

            let exact = step_from(&before, 1e-15).1;
            let ends = motion.state().coordinates.iter().zip(&exact);
            let error = ends.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(error <= tolerance, "{error} in step to {}", motion.state().time);
        }
        assert!(landed && 10 * own < 9 * alone, "{own} and {alone} passes, {landed}");
    }
}

/// Boxes on a slope fall alike where nothing carries them, so that only the lowest one is seen to press at first.
#[test]
fn contacts_that_pressed_are_in_the_first_problem_of_the_next_step() {
    for (friction, slides) in [(0.5, false), (0.1, true)] {
        let (model, start) = boxes(4, friction, 0.2);
        let settings = |warm_start| impulse_velocity::Settings {
            step_size: 0.005,
            tolerance: 1e-11,
            warm_start,
            ..Default::default()
        };
        let mut motion =
            Simulation::<ImpulseVelocity>::new(model.clone(), settings(true), start.clone())
                .unwrap();
        let mut alone = Simulation::<ImpulseVelocity>::new(model, settings(false), start).unwrap();
        let mut without = 0;
        for step in 0..60 {
            let one = passes(&motion.step().unwrap());
            assert!(step == 0 || one == 1, "{one} in step {step}");
            without += passes(&alone.step().unwrap());
        }
        assert!(without > 120, "{without} passes");
        let [own, other] = [motion.state(), alone.state()];
        assert_eq!(slides, own.velocity[0] < -0.1, "{own:?}");
        let ends = own.coordinates.iter().zip(&other.coordinates);
        assert!(ends.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) < 1e-9, "{own:?} {other:?}");
    }
}
