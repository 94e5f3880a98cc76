//! What every scheme makes of every feature of a model, beside the table that says so; schemes by name.

#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test stops at the first surprise; exact values"
)]

use nalgebra::{DMatrix, Isometry3, Vector2, Vector3};
use percussion_collision::{Collider, Scene, Shape};
use percussion_complementarity::friction::mixed::Section;
use percussion_dynamics::constraint::Rolling;
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
use percussion_dynamics::{
    Anchor, Articulated, Body, FreeBodies, Joint, Link, MassProperties, PlanarBodies, PlanarBody,
    constraint::BallJoint,
};
use percussion_impact::newton::Newton;
use percussion_integrators::schemes::{Choice, Name};
use percussion_integrators::{
    Actuator, BoundedFriction, Cone, Contact, Course, Drive, Error, Feature, Force, Model, Rule,
    State, event_driven, impulse_velocity, inclusion, moreau_jean, stewart_trinkle,
};

const RADIUS: f64 = 0.1;
/// Where the disc starts (m).
const HEIGHT: f64 = 0.15;
/// Of the motions (s); the disc lands after 0.1 s.
const DURATION: f64 = 0.3;

fn floor() -> Plane {
    Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap()
}

fn disc() -> PlanarBodies {
    PlanarBodies::new(vec![PlanarBody::new(1.0, 0.005)], Vector2::new(0.0, -10.0)).unwrap()
}

/// A disc over a floor.
fn plain(restitution: f64) -> Model {
    let gap = SpherePlane::new(Sphere::of_body(0, RADIUS), floor()).unwrap();
    let contact = Contact::new(gap, 0.3).with_restitution(restitution);
    Model::lagrangian(Box::new(disc()), vec![contact]).unwrap()
}

/// The same with a feature and, but for restitution, nothing else.
fn with(feature: Feature) -> Model {
    let center = Anchor::on_body(0, Vector3::zeros());
    match feature {
        Feature::FoundContacts => {
            let wall = Collider::fixed(Shape::HalfSpace { normal: -Vector3::x() }).unwrap();
            let wall = wall.with_pose(Isometry3::translation(0.2, 0.0, 0.0)).unwrap();
            let disc_shape = Collider::on_body(0, Shape::Disc { radius: RADIUS }).unwrap();
            let scene = Scene::new(vec![disc_shape, wall], &disc()).unwrap();
            plain(0.0).with_contact_source(scene).unwrap()
        }
        Feature::Restitution => plain(0.5),
        Feature::JointFriction => {
            let axis = DMatrix::from_column_slice(3, 1, &[0.0, 0.0, 1.0]);
            plain(0.0).with_joint_friction(vec![BoundedFriction::along(&axis, 0.05)]).unwrap()
        }
        Feature::Constraints => {
            let place = Anchor::in_world(Vector3::new(0.0, HEIGHT, 0.0));
            let pin = BallJoint::new(center, place).unwrap();
            plain(0.0).with_constraints(vec![Box::new(pin)]).unwrap()
        }
        Feature::VelocityConstraints => {
            // A larger wheel on the floor, which the disc then does not touch.
            let wheel = Rolling::ball(center, HEIGHT, floor()).unwrap();
            plain(0.0).with_constraints(vec![Box::new(wheel)]).unwrap()
        }
        Feature::Forces => {
            let (position, speed, since) = (1.0, 0.0, 0.0);
            let (proportional, derivative) = (10.0, 1.0);
            let drive = Drive { index: 0, position, speed, since, proportional, derivative };
            plain(0.0).with_forces(vec![Box::new(drive)])
        }
        Feature::Cones => ball(Some(Cone::new(Section::Disc(0.1)))),
        other => panic!("no model has {other}"),
    }
}

/// A ball over a floor, in space.
fn ball(cone: Option<Cone>) -> Model {
    let gap = SpherePlane::new(Sphere::of_body(0, RADIUS), floor()).unwrap();
    let contact = Contact::new(gap, 0.3);
    let contact = match cone {
        Some(cone) => contact.with_cone(cone),
        None => contact,
    };
    let body = Body::from_mass_properties(&MassProperties::solid_sphere(1.0, RADIUS).unwrap());
    let system = FreeBodies::new(vec![body], -10.0 * Vector3::y()).unwrap();
    Model::free_bodies(system, vec![contact]).unwrap()
}

/// The model without the feature, and its start.
fn without(feature: Feature) -> (Model, State) {
    let coordinates = vec![0.0, HEIGHT, 0.0, 1.0, 0.0, 0.0, 0.0];
    let velocity = vec![1.0, 0.0, 0.0, 0.0, 0.0, -2.0];
    match feature {
        Feature::Cones => (ball(None), State { time: 0.0, coordinates, velocity }),
        _ => (plain(0.0), start()),
    }
}

fn start() -> State {
    State { time: 0.0, coordinates: vec![0.0, HEIGHT, 0.0], velocity: vec![1.0, 0.0, -2.0] }
}

/// Where the model is after a while, or the feature that is refused.
fn stepping(scheme: Choice, model: Model, start: State) -> Result<State, Feature> {
    let scheme = match scheme {
        Choice::StewartTrinkle(_) => {
            Choice::StewartTrinkle(stewart_trinkle::Settings::planar()).with_step_size(0.01)
        }
        other => other.with_step_size(0.01),
    };
    match scheme.begin(model, start) {
        Ok(mut simulation) => {
            assert_eq!(simulation.scheme(), scheme, "it has the settings given");
            simulation.run(DURATION, |_, _| ()).unwrap();
            Ok(simulation.state().clone())
        }
        Err(Error::NoRule { feature }) => Err(feature),
        Err(other) => panic!("{}: {other}", scheme.name()),
    }
}

fn by_events(model: &Model, start: &State) -> Result<State, Feature> {
    let settings = event_driven::Settings::default();
    let law = Newton::default();
    match event_driven::integrate(model, &law, &settings, start, DURATION, &mut |_| ()) {
        Ok(report) => {
            assert_eq!(report.status, event_driven::Status::EndReached, "nothing keeps it");
            Ok(report.state)
        }
        Err(event_driven::Error::NoRule { feature }) => Err(feature),
        Err(other) => panic!("{other}"),
    }
}

/// Without slip, which the inclusion has no rule for in smooth phases.
fn by_inclusion(model: &Model, start: &State) -> Result<State, Feature> {
    let still = State { velocity: vec![0.0; start.velocity.len()], ..start.clone() };
    match inclusion::build(model, &inclusion::Settings::default(), &still, DURATION) {
        Ok(solution) => {
            let end = solution.phases.last().unwrap().end();
            let (coordinates, velocity) = (end.coordinates.clone(), end.velocity.clone());
            Ok(State { time: end.time, coordinates, velocity })
        }
        Err(inclusion::Error::NoRule { feature }) => Err(feature),
        Err(other) => panic!("{other}"),
    }
}

fn compare(
    scheme: &str,
    rule: impl Fn(Feature) -> Rule,
    run: impl Fn(Model, State) -> Result<State, Feature>,
) {
    for feature in Feature::ALL {
        let model = with(feature);
        assert!(model.has(feature), "{feature}");
        let (plain, start) = without(feature);
        match (rule(feature), run(model, start.clone())) {
            (Rule::Refused, Err(refused)) => {
                // Constraints of velocities are constraints.
                let also = rule(Feature::Constraints) == Rule::Refused;
                let constraints = refused == Feature::Constraints && also;
                assert!(refused == feature || constraints, "{scheme}: {refused} for {feature}");
            }
            (Rule::Used, Ok(end)) => {
                let without = run(plain, start).unwrap();
                assert_ne!(end, without, "{scheme}: {feature} changes nothing");
            }
            (Rule::Ignored, Ok(end)) => {
                let without = run(plain, start).unwrap();
                assert_eq!(end, without, "{scheme}: {feature} is ignored");
            }
            (rule, found) => panic!("{scheme}: {feature} is {rule:?}, found {found:?}"),
        }
    }
}

#[test]
fn every_scheme_does_with_every_feature_what_its_table_says() {
    for scheme in Choice::all() {
        let name = scheme.name();
        let run = |model, start| stepping(scheme, model, start);
        compare(name.as_str(), |feature| name.rule(feature), run);
    }
    let run = |model: Model, start: State| by_events(&model, &start);
    compare("event-driven", |feature| Name::EventDriven.rule(feature), run);
    let run = |model: Model, start: State| by_inclusion(&model, &start);
    compare("inclusion", inclusion::rule, run);
}

/// The table in the documentation of the module.
#[test]
fn the_documented_table_is_that_of_the_rules() {
    let text = include_str!("../src/schemes.rs");
    let rows = |name: &str| {
        let named = |line: &&str| line.starts_with("//! | [") && line.contains(name);
        let row = text.lines().find(named).unwrap_or_else(|| panic!("no row of {name}"));
        row.split('|').skip(2).map(str::trim).map(str::to_owned).collect::<Vec<_>>()
    };
    let row = |name: &str, rule: &dyn Fn(Feature) -> Rule| {
        for (feature, cell) in Feature::ALL.into_iter().zip(rows(name)) {
            assert_eq!(cell, format!("{:?}", rule(feature)).to_lowercase(), "{name}: {feature}");
        }
    };
    for (name, shown) in [
        (Name::StewartTrinkle, "`StewartTrinkle`"),
        (Name::ImpulseVelocity, "`ImpulseVelocity`"),
        (Name::MoreauJean, "`MoreauJean`"),
        (Name::Variational, "`Variational`"),
        (Name::EventDriven, "event_driven"),
    ] {
        row(shown, &|feature| name.rule(feature));
    }
    row("inclusion", &inclusion::rule);
}

#[test]
fn names_are_the_same_as_text_and_in_files() {
    for name in Name::ALL {
        assert_eq!(name.to_string().parse(), Ok(name));
        assert_eq!(serde_json::to_string(&name).unwrap(), format!("\"{name}\""));
        assert_eq!(name.stepping().is_none(), name == Name::EventDriven);
    }
    let unknown = "euler".parse::<Name>().unwrap_err();
    assert!(
        unknown.to_string().starts_with("no scheme is called `euler`, expected one of stewart")
    );
    for scheme in Choice::all() {
        let text = serde_json::to_string(&scheme).unwrap();
        assert!(text.starts_with(&format!("{{\"name\":\"{}\"", scheme.name())), "{text}");
        assert_eq!(serde_json::from_str::<Choice>(&text).unwrap(), scheme);
    }
    let settings = r#"{"name": "moreau-jean", "step_size": 0.01}"#;
    let Choice::MoreauJean(settings) = serde_json::from_str(settings).unwrap() else { panic!() };
    assert_eq!(settings.step_size, 0.01);
    assert!(serde_json::from_str::<Choice>(r#"{"name": "moreau-jean", "step": 1}"#).is_err());
}

/// A constant torque on the first joint (N·m).
#[derive(Debug)]
struct Torque(f64);

impl Force for Torque {
    fn add(&self, _: &[f64], _: &[f64], _: f64, forces: &mut [f64]) {
        forces[0] += self.0;
    }
}

/// Angle of the pendulum from the vertical (rad), and duration of its motions (s).
const LEANS: f64 = 0.4;
const LASTS: f64 = 0.1;

/// A bob of 2 kg at 0.5 m below a hinge with friction, and with limits if wanted, the upper of which is [`LEANS`].
fn pendulum(bound: f64, limits: bool) -> Model {
    let bob = MassProperties::point(2.0).unwrap().translated(&Vector3::new(0.0, -0.5, 0.0));
    let hinge = Joint::revolute(Vector3::z());
    let hinge = if limits { hinge.with_limits(&[[-0.5, LEANS]]) } else { hinge };
    let arm = Link::new("arm", hinge).with_mass(bob);
    let system = Articulated::new(vec![arm], Vector3::new(0.0, -10.0, 0.0)).unwrap();
    let limits = system.joint_limits().into_iter();
    let contacts = limits.map(|limit| Contact::new(limit, 0.0)).collect();
    let bearing = BoundedFriction::along(&DMatrix::from_element(1, 1, 1.0), bound);
    let model = Model::lagrangian(Box::new(system), contacts).unwrap();
    model.with_joint_friction(vec![bearing]).unwrap()
}

/// The pendulum at rest.
fn leaning() -> State {
    State { time: 0.0, coordinates: vec![LEANS], velocity: vec![0.0] }
}

/// The torque of the weight (N·m).
fn weight() -> f64 {
    2.0 * 10.0 * 0.5 * LEANS.sin()
}

/// The speed of the pendulum after friction with a billionth less than the weight has let it go (rad/s).
fn let_go() -> f64 {
    -1e-9 * weight() / (2.0 * 0.25) * LASTS
}

/// The pendulum without friction at its upper limit, which a motor presses against it with this torque (N·m).
fn pressed(torque: f64) -> Model {
    let motor = Actuator { gain: 1.0, ..Actuator::on((0, 0)) };
    let motor = motor.with_control(Course::constant(weight() + torque));
    pendulum(0.0, true).with_actuators(vec![motor]).unwrap()
}

/// The friction of a joint holds a pendulum whose weight turns it with a billionth less than its bound, and lets it go with a billionth
/// more, after which it moves by `a t` with the acceleration of that billionth; a motor against a limit is carried by the limit.
#[test]
fn every_scheme_with_friction_in_joints_holds_up_to_the_bound() {
    let torque = 3.0;
    let mut schemes = 0;
    for scheme in Choice::all() {
        if scheme.name().rule(Feature::JointFriction) != Rule::Used {
            continue;
        }
        let name = scheme.name();
        let scheme = match scheme {
            Choice::StewartTrinkle(_) => {
                Choice::StewartTrinkle(stewart_trinkle::Settings::planar())
            }
            Choice::ImpulseVelocity(settings) => {
                Choice::ImpulseVelocity(impulse_velocity::Settings { tolerance: 1e-13, ..settings })
            }
            Choice::MoreauJean(settings) => {
                Choice::MoreauJean(moreau_jean::Settings { tolerance: 1e-13, ..settings })
            }
            other => other,
        };
        let scheme = scheme.with_step_size(0.001);
        let speed = |factor: f64| {
            let mut motion = scheme.begin(pendulum(factor * weight(), false), leaning()).unwrap();
            motion.run(LASTS, |_, _| ()).unwrap();
            motion.state().velocity[0]
        };
        // However large the bound, friction is what the weight needs.
        for factor in [1.0 + 1e-9, 1e9, 1e150] {
            assert!(speed(factor).abs() < 1e-12, "{name} {factor}");
        }
        // It falls to the lower side. Of the growth over time only rounding matters.
        let expected = let_go();
        let found = speed(1.0 - 1e-9);
        assert!((found - expected).abs() < 0.05 * expected.abs(), "{name}: {found} {expected}");

        // The variational integrator refuses actuators; a force does the same.
        let held = if name == Name::Variational {
            let push: Box<dyn Force> = Box::new(Torque(weight() + torque));
            pendulum(0.0, true).with_forces(vec![push])
        } else {
            pressed(torque)
        };
        let mut motion = scheme.begin(held, leaning()).unwrap();
        let mut carried = 0.0;
        motion.run(LASTS, |_, report| carried = report.contacts[0].impulse.x / 0.001).unwrap();
        assert!((carried - torque).abs() < 1e-9, "{name}: {carried}");
        schemes += 1;
    }
    assert_eq!(schemes, 4);
}

/// The same from event to event, with forces below the tolerance of accelerations.
#[test]
fn event_driven_motion_holds_up_to_the_bound() {
    let torque = 3.0;
    assert_eq!(Name::EventDriven.rule(Feature::JointFriction), Rule::Used);
    let tolerance = Some(1e-11);
    let settings =
        event_driven::Settings { acceleration_tolerance: tolerance, ..Default::default() };
    let law = Newton::default();
    let end = |model: &Model, forces: &mut Vec<f64>| {
        let observer = &mut |now: &event_driven::Snapshot<'_>| {
            forces.clear();
            forces.extend(now.forces);
        };
        event_driven::integrate(model, &law, &settings, &leaning(), LASTS, observer).unwrap()
    };
    let speed =
        |factor: f64| end(&pendulum(factor * weight(), false), &mut Vec::new()).state.velocity[0];
    for factor in [1.0 + 1e-9, 1e9, 1e150] {
        assert!(speed(factor).abs() < 1e-12, "{factor}");
    }
    let expected = let_go();
    let found = speed(1.0 - 1e-9);
    assert!((found - expected).abs() < 0.05 * expected.abs(), "{found} {expected}");
    let mut forces = Vec::new();
    end(&pressed(torque), &mut forces);
    // The upper limit is the second contact, with two components each.
    assert!((forces[2] - torque).abs() < 1e-9, "{forces:?}");
}

/// A pendulum falls against the limit of its hinge at 0.5 rad; without restitution it stays there.
#[test]
fn every_scheme_keeps_the_limit_of_a_joint() {
    let model = || {
        let bob = MassProperties::point(1.0).unwrap().translated(&Vector3::new(1.0, 0.0, 0.0));
        let hinge = Joint::revolute(Vector3::z()).with_limits(&[[-0.5, 0.5]]);
        let arm = Link::new("arm", hinge).with_mass(bob);
        let system = Articulated::new(vec![arm], Vector3::new(0.0, -10.0, 0.0)).unwrap();
        let limits = system.joint_limits().into_iter();
        let contacts = limits.map(|limit| Contact::new(limit, 0.0)).collect();
        Model::lagrangian(Box::new(system), contacts).unwrap()
    };
    let start = State { time: 0.0, coordinates: vec![0.0], velocity: vec![0.0] };
    let (law, settings) = (Newton::default(), event_driven::Settings::default());
    let end = event_driven::integrate(&model(), &law, &settings, &start, 1.0, &mut |_| ());
    let mut ends = vec![("event-driven", end.unwrap().state)];
    for scheme in Choice::all() {
        let scheme = match scheme {
            Choice::StewartTrinkle(_) => {
                Choice::StewartTrinkle(stewart_trinkle::Settings::planar())
            }
            other => other,
        };
        let mut simulation = scheme.with_step_size(0.002).begin(model(), start.clone()).unwrap();
        simulation.run(1.0, |_, _| ()).unwrap();
        ends.push((scheme.name().as_str(), simulation.state().clone()));
    }
    let end = inclusion::build(&model(), &inclusion::Settings::default(), &start, 1.0).unwrap();
    assert_eq!(end.status, inclusion::Status::EndReached);
    let end = end.phases.last().unwrap().end();
    let (coordinates, velocity) = (end.coordinates.clone(), end.velocity.clone());
    ends.push(("inclusion", State { time: end.time, coordinates, velocity }));
    for (name, end) in ends {
        // Moreau and Jean see the limit up to half a step late, and half of the approach is left in the step that stops
        // it: 2 ms at 3.1 rad/s.
        assert!((end.coordinates[0] + 0.5).abs() < 0.0063, "{name}: {end:?}");
        assert!(end.velocity[0].abs() < 1e-6, "{name}: {end:?}");
    }
}
