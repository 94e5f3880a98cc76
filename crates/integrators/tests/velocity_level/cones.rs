//! Contacts whose friction cones are not round, in motion: closed forms, what changes nothing, and what is refused.

use nalgebra::{UnitQuaternion, Vector3};
use percussion_complementarity::friction::{Law, mixed::Section};
use percussion_dynamics::gap::{Plane, Sphere, SpherePlane, SphereSphere};
use percussion_dynamics::{Body, FreeBodies, MassProperties, PlanarBodies, PlanarBody};
use percussion_integrators::{
    Cone, ConeError, Contact, Error, Feature, Model, ModelError, Residual, Simulation, State,
    StepReport,
    impulse_velocity::{self, ImpulseVelocity},
    moreau_jean::MoreauJean,
    schemes::{Choice, Name},
    stewart_trinkle,
};

use crate::joints::Stepped;

const G: f64 = 10.0;
/// Step size (s).
const STEP: f64 = 0.001;

fn up() -> Vector3<f64> {
    Vector3::z()
}

/// A ball on a floor through the origin, with gravity along the normal and `pull` (m/s²) across it.
fn ball(radius: f64, cone: Cone, pull: Vector3<f64>) -> Model {
    let floor = Plane::new(&up(), &Vector3::zeros()).unwrap();
    let touch = SpherePlane::new(Sphere::of_body(0, radius), floor).unwrap();
    let contact = Contact::new(touch, 0.0).with_cone(cone);
    let size = if radius > 0.0 { radius } else { 0.1 };
    let body = Body::from_mass_properties(&MassProperties::solid_sphere(1.0, size).unwrap());
    let system = FreeBodies::new(vec![body], pull - G * up()).unwrap();
    Model::free_bodies(system, vec![contact]).unwrap()
}

fn start(height: f64, turn: UnitQuaternion<f64>, [velocity, spin]: [Vector3<f64>; 2]) -> State {
    let coordinates = vec![0.0, 0.0, height, turn.w, turn.i, turn.j, turn.k];
    let velocity = velocity.iter().chain(spin.iter()).copied().collect();
    State { time: 0.0, coordinates, velocity }
}

fn velocity(state: &State) -> Vector3<f64> {
    Vector3::from_column_slice(&state.velocity[..3])
}

/// Moves the model for `duration` (s) and returns the end.
fn run<S: Stepped>(
    model: Model,
    start: State,
    duration: f64,
    mut observe: impl FnMut(&State, &StepReport),
) -> State {
    let mut motion = Simulation::<S>::new(model, S::in_steps(STEP, 1e-12), start).unwrap();
    motion
        .run(duration, |state, report| {
            assert!(report.energy.gained <= report.energy.allowed, "{:?}", report.energy);
            observe(state, report);
        })
        .unwrap();
    motion.state().clone()
}

/// A body without rotation slides on an ellipse: it feels `−m g A² t/‖A t‖`, in tangents that are those of its own frame, of
/// the world, or turned with it.
fn a_sliding_block<S: Stepped>() {
    let axes = [0.6, 0.1];
    for (angle, direction) in
        [(0.0, Vector3::x()), (0.7, Vector3::x()), (0.7, Vector3::new(5.0, 0.0, 3.0))]
    {
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        let first = turn * Vector3::x();
        let second = turn * Vector3::y();
        for cone in [
            Cone::new(Section::Ellipse(axes)).along(Some(0), direction),
            Cone::new(Section::Ellipse(axes)).along(None, turn * direction),
            Cone::new(Section::Ellipse([axes[1], axes[0]])).along(None, second),
        ] {
            let moving = 2.0 * (0.8 * first + 0.6 * second);
            let from = start(0.0, turn, [moving, Vector3::zeros()]);
            let mut steps = 0;
            let _end = run::<S>(ball(0.0, cone, Vector3::zeros()), from, 0.1, |state, report| {
                let v = velocity(state);
                let slip = [axes[0] * v.dot(&first), axes[1] * v.dot(&second)];
                let size = slip[0].hypot(slip[1]);
                let expected = -(axes[0] * slip[0] * first + axes[1] * slip[1] * second) / size;
                // The tangents of the frame are the axes of the world.
                let impulse = report.contacts[0].impulse / (G * STEP);
                let found = Vector3::new(impulse.y, impulse.z, 0.0);
                let contact = report.contacts[0];
                assert!(
                    (contact.velocity.y - v.x).abs() < 1e-12
                        && (contact.velocity.z - v.y).abs() < 1e-12,
                    "{contact:?}"
                );
                assert!((found - expected).norm() < 1e-9, "{angle}: {found} {expected}");
                steps += 1;
            });
            assert_eq!(steps, 100, "all steps are seen");
        }
    }
}

#[test]
fn a_block_slides_as_its_ellipse_says() {
    a_sliding_block::<ImpulseVelocity>();
    a_sliding_block::<MoreauJean>();
}

/// A wheel that is loaded sideways with the part `s` of its friction creeps by `(μ₂/μ₁) s/√(1 − s²)`, goes straight on without
/// friction along its rim, and goes straight on if its section is a rectangle.
#[test]
fn wheels_creep_on_an_ellipse_and_not_on_a_rectangle() {
    let (axes, load) = ([1.0, 0.1], 0.5_f64);
    let along = f64::sqrt(1.0 - load * load);
    let rolling = start(0.0, UnitQuaternion::identity(), [3.0 * Vector3::y(), Vector3::zeros()]);
    let pull = G * Vector3::new(load * axes[0], along * axes[1], 0.0);
    let cone = |section| Cone::new(section).along(Some(0), Vector3::x());
    let end = run::<ImpulseVelocity>(
        ball(0.0, cone(Section::Ellipse(axes)), pull),
        rolling.clone(),
        5.0,
        |_, _| (),
    );
    let creep = end.velocity[0] / end.velocity[1];
    let expected = axes[1] / axes[0] * load / along;
    assert!((creep - expected).abs() < 1e-9, "{creep} {expected}");
    let [a, b] = axes;
    let rectangle = vec![[a, b], [-a, b], [-a, -b], [a, -b]];
    for section in [Section::Ellipse([a, 0.0]), Section::Polygon(rectangle)] {
        let sideways = G * load * a * Vector3::x();
        let end =
            run::<MoreauJean>(ball(0.0, cone(section), sideways), rolling.clone(), 2.0, |_, _| ());
        assert!(end.coordinates[0].abs() < 1e-12 && end.velocity[0].abs() < 1e-12, "{end:?}");
        assert!(end.coordinates[1] > 3.0);
    }
    // Down the fall line it goes straight too.
    let down = 0.3 * G * Vector3::y();
    let end = run::<ImpulseVelocity>(
        ball(0.0, cone(Section::Ellipse(axes)), down),
        rolling,
        1.0,
        |_, _| (),
    );
    assert!(end.velocity[0].abs() < 1e-12 && (end.velocity[1] - 5.0).abs() < 1e-9, "{end:?}");
}

/// A soft finger of this spin stops after `I ω/(μ_τ m g)`, within a step.
#[test]
fn a_spinning_soft_finger_stops_by_its_moment() {
    let (radius, friction, spin) = (0.1, 0.02, 5.0);
    let cone = Cone::new(Section::Spin([0.5, 0.5, friction]));
    let inertia = 0.4 * radius * radius;
    let expected = inertia * spin / (friction * G);
    let from = start(radius, UnitQuaternion::identity(), [Vector3::zeros(), spin * up()]);
    let mut stopped = f64::INFINITY;
    let end =
        run::<ImpulseVelocity>(ball(radius, cone, Vector3::zeros()), from, 0.2, |state, report| {
            let moment = report.contacts[0].moment;
            if state.velocity[5].abs() < 1e-9 {
                stopped = stopped.min(state.time);
            } else {
                assert!((moment.x + friction * G * STEP).abs() < 1e-10, "{moment}");
            }
            assert!(moment.y == 0.0 && moment.z == 0.0);
        });
    assert!((0.0..=STEP).contains(&(stopped - expected + 1e-12)), "{stopped} {expected}");
    assert!(velocity(&end).norm() < 1e-9);
}

/// With a bound of its own for rolling, a ball stops after `v²/(2a)`, `a = (5/7) μ_ρ g/R`, without slip; with one ellipsoid for all it
/// slips by the root of `σ (7/2 + 5/2 σ) = 5/2 (μ_ρ/(μ R))² (1 + σ)`.
fn a_rolling_ball<S: Stepped>() {
    let (radius, friction, resistance, speed) = (0.1, 0.3, 0.003, 1.0);
    let heading = Vector3::new(0.6, 0.8, 0.0);
    let spin = up().cross(&heading) * (speed / radius);
    let from = start(radius, UnitQuaternion::identity(), [speed * heading, spin]);
    let cone = Cone::new(Section::Rolling([friction, 0.01, resistance]));
    let mut slip = 0.0_f64;
    let end = run::<S>(ball(radius, cone, Vector3::zeros()), from.clone(), 6.0, |_, report| {
        let contact = &report.contacts[0];
        slip = slip.max(contact.velocity.y.hypot(contact.velocity.z));
        assert!(
            contact.moment.y.hypot(contact.moment.z)
                <= resistance * contact.impulse.x * (1.0 + 1e-12),
            "{contact:?}"
        );
        let axis = report.contacts[0].moment;
        // The moment is about the axis of rolling, against it.
        if contact.velocity.norm() < 1e-9 && axis.norm() > 0.9 * resistance * G * STEP {
            assert!(axis.dot(&Vector3::new(0.0, spin.x, spin.y)) < 0.0, "{axis}");
        }
    });
    let way = Vector3::new(end.coordinates[0], end.coordinates[1], 0.0);
    let deceleration = 5.0 / 7.0 * resistance * G / radius;
    assert!((way.norm() - speed * speed / (2.0 * deceleration)).abs() < speed * STEP, "{way}");
    assert!(way.cross(&heading).norm() < 1e-9 && slip < 1e-10, "{way} {slip}");
    assert!(velocity(&end).norm() < 1e-9, "{end:?}");

    let joint =
        Cone::new(Section::JointEllipsoid([friction, friction, 0.01, resistance, resistance]));
    let square = f64::powi(resistance / (friction * radius), 2);
    let (a, b, c) = (2.5, 3.5 - 2.5 * square, -2.5 * square);
    let expected = (-b + f64::sqrt(b * b - 4.0 * a * c)) / (2.0 * a);
    let mut motion =
        Simulation::<S>::new(ball(radius, joint, Vector3::zeros()), S::in_steps(STEP, 1e-12), from)
            .unwrap();
    motion.run(0.5, |_, _| ()).unwrap();
    let end = motion.state();
    let rim = Vector3::from_column_slice(&end.velocity[3..]).norm() * radius;
    let found = (velocity(end).norm() - rim).abs() / rim;
    assert!((found - expected).abs() < 1e-7, "{found} {expected}");
}

#[test]
fn a_ball_rolls_to_rest() {
    a_rolling_ball::<ImpulseVelocity>();
    a_rolling_ball::<MoreauJean>();
}

/// Two balls, the upper one on the lower one, which is fixed by its mass; the bodies in either order.
fn stacked(is_first: bool, along: usize) -> State {
    let (upper, lower) = if is_first { (0, 1) } else { (1, 0) };
    let balls =
        |mass: f64| Body::from_mass_properties(&MassProperties::solid_sphere(mass, 0.1).unwrap());
    let mut bodies = vec![balls(1.0), balls(30.0)];
    let at = |height: f64| [0.01, 0.02, height, 1.0, 0.0, 0.0, 0.0];
    let (mut coordinates, mut velocity) =
        (vec![at(0.2), at(0.0)], vec![[0.3, 0.2, -0.1, 1.0, 2.0, 3.0], [0.0; 6]]);
    if !is_first {
        bodies.reverse();
        coordinates.reverse();
        velocity.reverse();
    }
    // It holds more to one side than to the other, as a ratchet does.
    let section = Section::Polygon(vec![[0.5, 0.1], [-0.1, 0.3], [-0.2, -0.2], [0.1, -0.6]]);
    let direction = Vector3::new(1.0, 0.3, 0.1);
    let body = if along == 0 { upper } else { lower };
    let touch = SphereSphere::new(Sphere::of_body(0, 0.1), Sphere::of_body(1, 0.1)).unwrap();
    let contact =
        Contact::new(touch, 0.0).with_cone(Cone::new(section).along(Some(body), direction));
    let system = FreeBodies::new(bodies, -G * up()).unwrap();
    let model = Model::free_bodies(system, vec![contact]).unwrap();
    let velocity = velocity.concat();
    let start = State { time: 0.0, coordinates: coordinates.concat(), velocity };
    let end = run::<ImpulseVelocity>(model, start, 0.02, |_, _| ());
    let place = |k: usize| end.velocity[6 * k..6 * (k + 1)].to_vec();
    State { velocity: [place(upper), place(lower)].concat(), ..end }
}

#[test]
fn the_order_of_bodies_changes_nothing() {
    for along in [0, 1] {
        let [one, other] = [true, false].map(|is_first| stacked(is_first, along));
        for (one, other) in one.velocity.iter().zip(&other.velocity) {
            assert!((one - other).abs() < 1e-9, "{one} {other}");
        }
        // The section matters: the bodies rub.
        assert!(one.velocity[3..5].iter().any(|v| (v.abs() - 1.0).abs() > 1e-3));
    }
}

/// A step that fails hands over its problem, with the section, and the document is solved again.
#[test]
fn a_failing_step_hands_over_its_sections() {
    let cone = Cone::new(Section::Rolling([0.3, 0.01, 0.003]));
    let from = start(0.1, UnitQuaternion::identity(), [Vector3::x(), Vector3::y()]);
    let settings =
        impulse_velocity::Settings { tolerance: 0.0, ..ImpulseVelocity::in_steps(STEP, 1e-12) };
    let model = ball(0.1, cone, Vector3::zeros());
    let mut motion = Simulation::<ImpulseVelocity>::new(model, settings, from).unwrap();
    while let Ok(report) = motion.step() {
        assert!(report.time < 1.0, "no residual is zero in every step");
    }
    let document = motion.document().expect("a problem");
    let blocks = document.blocks.as_ref().expect("blocks");
    assert_eq!(blocks.len(), 1);
    assert_eq!(blocks[0].rows, 6);
}

fn plain() -> FreeBodies {
    FreeBodies::new(
        vec![Body::from_mass_properties(&MassProperties::solid_sphere(1.0, 0.1).unwrap())],
        -G * up(),
    )
    .unwrap()
}

#[test]
fn cones_that_make_no_sense_are_refused() {
    let refused = |cone: Cone| match cone.check(&plain()) {
        Err(error) => error,
        Ok(()) => panic!("{cone:?} is accepted"),
    };
    let wheel = || Cone::new(Section::Ellipse([0.9, 0.1]));
    assert!(matches!(refused(wheel()), ConeError::NoDirection { .. }));
    assert!(matches!(refused(wheel().along(Some(1), Vector3::x())), ConeError::Direction { .. }));
    assert!(matches!(refused(wheel().along(None, Vector3::zeros())), ConeError::Direction { .. }));
    assert!(matches!(
        refused(wheel().along(None, f64::NAN * Vector3::x())),
        ConeError::Direction { .. }
    ));
    assert!(matches!(
        refused(Cone::new(Section::Rolling([-0.1, 0.0, 0.0]))),
        ConeError::Section(_)
    ));
    assert_eq!(wheel().along(None, Vector3::x() * 1e300).check(&plain()), Ok(()));
    assert_eq!(Cone::new(Section::Ellipse([0.3, 0.3])).check(&plain()), Ok(()));

    let disc =
        PlanarBodies::new(vec![PlanarBody::new(1.0, 0.005)], nalgebra::Vector2::zeros()).unwrap();
    let floor = Plane::new(&Vector3::y(), &Vector3::zeros()).unwrap();
    let touch = SpherePlane::new(Sphere::of_body(0, 0.1), floor).unwrap();
    let contact = Contact::new(touch, 0.0).with_cone(Cone::new(Section::Rolling([0.3, 0.0, 0.01])));
    let error = Model::new(Box::new(disc), vec![contact]).unwrap_err();
    assert!(
        matches!(error, ModelError::Cone { contact: 0, source: ConeError::InPlane { .. } }),
        "{error}"
    );
}

#[test]
fn a_direction_along_the_normal_ends_the_motion_by_name() {
    let cone = Cone::new(Section::Ellipse([0.9, 0.1])).along(None, up());
    let from = start(0.1, UnitQuaternion::identity(), [Vector3::x(), Vector3::zeros()]);
    let model = ball(0.1, cone, Vector3::zeros());
    let mut motion =
        Simulation::<ImpulseVelocity>::new(model, ImpulseVelocity::in_steps(STEP, 1e-12), from)
            .unwrap();
    assert_eq!(motion.step().unwrap_err(), Error::ConeDirection { time: 0.0, contact: 0 });
}

/// The scheme of Stewart and Trinkle has polygons of its own: a rectangle is used as it is, and an ellipse by as many directions as it
/// has, of which the first is turned against the slip.
#[test]
fn stewart_and_trinkle_have_polygons_of_any_lengths() {
    let scheme = |directions: usize| {
        let defaults = stewart_trinkle::Settings::default();
        let settings = stewart_trinkle::Settings { step_size: STEP, directions, ..defaults };
        Choice::StewartTrinkle(settings)
    };
    let axes = [0.6, 0.1];
    let angle = 0.7;
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
    let [first, second] = [turn * Vector3::x(), turn * Vector3::y()];
    let from = start(0.0, turn, [2.0 * (0.8 * first + 0.6 * second), Vector3::zeros()]);
    let cone = |section| Cone::new(section).along(Some(0), Vector3::x());

    // A rectangle holds with both coefficients at once, whatever the direction of the slip.
    let [a, b] = axes;
    let points = vec![[a, b], [-a, b], [-a, -b], [a, -b]];
    let model = ball(0.0, cone(Section::Polygon(points)), Vector3::zeros());
    let mut motion = scheme(8).begin(model, from.clone()).unwrap();
    motion
        .run(0.1, |_, report| {
            let contact = &report.contacts[0];
            let expected = -(a * first + b * second);
            let found = Vector3::new(contact.impulse.y, contact.impulse.z, 0.0) / (G * STEP);
            assert!((found - expected).norm() < 1e-9, "{found} {expected}");
            let Residual::Work { complementarity, cone_violation } = contact.residual else {
                panic!("{contact:?}")
            };
            assert!(complementarity < 1e-9 && cone_violation < 1e-12, "{contact:?}");
        })
        .unwrap();

    // The polygon of an ellipse tends to it.
    let mut errors = Vec::new();
    for directions in [8, 16, 32] {
        let model = ball(0.0, cone(Section::Ellipse(axes)), Vector3::zeros());
        let mut motion = scheme(directions).begin(model, from.clone()).unwrap();
        let report = motion.step().unwrap();
        let v = velocity(motion.state());
        let slip = [a * v.dot(&first), b * v.dot(&second)];
        let power = slip[0].hypot(slip[1]) * G * STEP;
        let contact = &report.contacts[0];
        let found =
            -(contact.impulse.y * contact.velocity.y + contact.impulse.z * contact.velocity.z);
        assert!(found <= power * (1.0 + 1e-12), "{found} {power}");
        errors.push(1.0 - found / power);
    }
    assert!(errors[0] < 0.08 && errors[2] < 0.08 / 15.0, "{errors:?}");

    let refused = |section, directions| {
        let model = ball(0.0, cone(section), Vector3::zeros());
        scheme(directions).begin(model, from.clone()).unwrap().step().unwrap_err()
    };
    let error = refused(Section::Spin([0.3, 0.3, 0.01]), 8);
    assert!(matches!(error, Error::ConeWithoutPolygon { contact: 0, most: 8, .. }), "{error}");
    let pentagon = (0..5).map(|k| (1.2 * f64::from(k)).sin_cos().into()).collect();
    let error = refused(Section::Polygon(pentagon), 4);
    assert!(matches!(error, Error::ConeWithoutPolygon { most: 4, .. }), "{error}");
}

#[test]
fn the_other_laws_and_schemes_refuse_cones_by_name() {
    let model = || ball(0.1, Cone::new(Section::Spin([0.3, 0.3, 0.01])), Vector3::zeros());
    let from = || start(0.1, UnitQuaternion::identity(), [Vector3::x(), Vector3::zeros()]);
    let scheme = Name::Variational.stepping().unwrap().with_step_size(STEP);
    let error = scheme.begin(model(), from()).map(|_| ()).unwrap_err();
    assert_eq!(error, Error::NoRule { feature: Feature::Cones });
    let settings = impulse_velocity::Settings {
        law: Law::MaximumDissipation,
        ..ImpulseVelocity::in_steps(STEP, 1e-12)
    };
    let error =
        Simulation::<ImpulseVelocity>::new(model(), settings, from()).map(|_| ()).unwrap_err();
    assert_eq!(error, Error::LawWithBlocks { law: Law::MaximumDissipation });
}
