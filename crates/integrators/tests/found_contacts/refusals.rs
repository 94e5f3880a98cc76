//! What is refused of a contact source, and by whom.

use nalgebra::{Matrix3, Vector2, Vector3};
use percussion_collision::{Collider, Scene, Shape};
use percussion_dynamics::{Body, FreeBodies, PlanarBodies, PlanarBody};
use percussion_integrators::{
    Error, Model, ModelError, Simulation, State,
    impulse_velocity::{self, ImpulseVelocity},
    inclusion,
    moreau_jean::{self, MoreauJean},
    stewart_trinkle::{self, StewartTrinkle},
};

fn disc() -> Model {
    let bodies = vec![PlanarBody::new(1.0, 1.0)];
    let system = PlanarBodies::new(bodies, Vector2::new(0.0, -10.0)).unwrap();
    let colliders = vec![
        Collider::on_body(0, Shape::Disc { radius: 0.1 }).unwrap(),
        Collider::fixed(Shape::HalfSpace { normal: Vector3::y() }).unwrap(),
    ];
    let scene = Scene::new(colliders, &system).unwrap();
    Model::new(Box::new(system), vec![]).unwrap().with_contact_source(scene).unwrap()
}

fn start() -> State {
    State { time: 0.0, coordinates: vec![0.0, 0.2, 0.0], velocity: vec![0.0; 3] }
}

#[test]
fn a_scene_of_another_system_is_refused() {
    let of = |count| {
        let bodies = vec![Body::new(1.0, Matrix3::identity()); count];
        FreeBodies::new(bodies, Vector3::zeros()).unwrap()
    };
    let ball = Collider::on_body(1, Shape::Sphere { radius: 0.5 }).unwrap();
    let scene = Scene::new(vec![ball], &of(2)).unwrap();
    let refused = Model::new(Box::new(of(1)), vec![]).unwrap().with_contact_source(scene);
    let error = refused.unwrap_err();
    assert!(matches!(error, ModelError::ContactSource(_)), "{error:?}");
    assert!(error.to_string().contains("number of bodies is 1, expected 2"), "{error}");
}

#[test]
fn schemes_without_a_rule_say_so() {
    let refused = inclusion::build(&disc(), &inclusion::Settings::default(), &start(), 1.0);
    assert!(refused.is_err());
}

#[test]
fn an_overlap_of_the_start_is_refused_by_the_scheme_on_the_level_of_positions() {
    let low = State { coordinates: vec![0.0, 0.05, 0.0], ..start() };
    let settings = stewart_trinkle::Settings::planar();
    let refused = Simulation::<StewartTrinkle>::new(disc(), settings, low.clone()).unwrap_err();
    assert!(
        matches!(refused, Error::InitialPenetration { contact: 0, depth, .. } if (depth - 0.05).abs() < 1e-12),
        "{refused:?}"
    );
    // The others remove it, with the speed `ε d/h` that the account of the energy does not allow, or leave it as it is.
    let settings = impulse_velocity::Settings { step_size: 0.01, ..Default::default() };
    let mut motion = Simulation::<ImpulseVelocity>::new(disc(), settings, low.clone()).unwrap();
    motion.run(0.5, |_, _| ()).unwrap();
    assert!(motion.state().coordinates[1] > 0.0999, "{:?}", motion.state());
    let settings = moreau_jean::Settings { step_size: 0.01, ..Default::default() };
    let mut motion = Simulation::<MoreauJean>::new(disc(), settings, low).unwrap();
    motion.run(0.5, |_, report| assert!(!report.energy.is_breached(), "{report:?}")).unwrap();
    assert!(motion.state().coordinates[1] > 0.0499, "{:?}", motion.state());
}
