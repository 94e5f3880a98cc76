//! Closed forms, the known examples of gained energy, and impacts that have several answers.

use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use percussion_complementarity::lcp::enumerate;
use percussion_impact::{
    Contact, Error, Impulse, Law, Mass, Outcome, Problem, Status, Trace,
    anitescu_potra::AnitescuPotra,
    certificate::Certificate,
    newton::Newton,
    poisson::Poisson,
    routh::{Restitution, Routh},
    sequential::{Order, Sequential},
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

fn laws() -> Vec<Box<dyn Law>> {
    vec![
        Box::new(Newton::default()),
        Box::new(Poisson::default()),
        Box::new(AnitescuPotra::default()),
        Box::new(Sequential::new(Newton::default())),
        Box::new(Routh::default()),
    ]
}

fn problem(mass: DMatrix<f64>, velocity: DVector<f64>, contacts: Vec<Contact>) -> Problem {
    Problem::new(Mass::Matrix(mass), velocity, contacts).expect("the test states a problem")
}

fn certify(problem: &Problem, outcome: &Outcome) -> Certificate {
    Certificate::check(problem, outcome).expect("the outcome answers the problem")
}

fn assert_close(found: &DVector<f64>, expected: &DVector<f64>) {
    assert!((found - expected).amax() <= 1e-10, "{found} is not {expected}");
}

#[test]
fn without_contacts_or_approach_nothing_happens() {
    let floor = Contact::new(dvector![0.0, 1.0])
        .with_friction(1.0, vec![dvector![1.0, 0.0]])
        .with_restitution(0.5);
    for law in laws() {
        for contacts in [vec![], vec![floor.clone()]] {
            let apart = problem(DMatrix::identity(2, 2), dvector![3.0, 1.0], contacts);
            let outcome = law.resolve(&apart).unwrap();
            assert_eq!(outcome.velocity, dvector![3.0, 1.0], "{}", law.name());
            assert!(certify(&apart, &outcome).energy_change == 0.0, "{}", law.name());
            assert!(outcome.trace.stages.is_empty());
        }
    }
}

/// A slender rod of 3 kg and 2 m falls at 1 m/s, inclined by `θ`, on one end. Its ends are
/// `a = (cos θ, sin θ)` from the center, and `m / I = 12 / 2² = 3 m⁻²`, so
/// `m W = [1 + 3 cos²θ, −3 sin θ cos θ; ·, 1 + 3 sin²θ]` for the end at `−a`.
#[test]
fn a_smooth_rod_end_rebounds_by_the_mass_it_feels() {
    for degrees in [0.0_f64, 30.0, 60.0, 89.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let mass = DMatrix::from_diagonal(&dvector![3.0, 3.0, 1.0]);
        let end = Contact::new(dvector![0.0, 1.0, -cos])
            .with_friction(0.0, vec![dvector![1.0, 0.0, sin]])
            .with_restitution(0.5);
        let rod = problem(mass, dvector![0.0, -1.0, 0.0], vec![end]);
        let effective = 3.0 / (1.0 + 3.0 * cos * cos);
        for law in laws().iter().filter(|law| law.name() != "anitescu-potra") {
            let outcome = law.resolve(&rod).unwrap();
            assert!((outcome.impulses[0].normal - 1.5 * effective).abs() < 1e-12);
            let change = certify(&rod, &outcome).energy_change;
            assert!((change + 0.5 * effective * 0.75).abs() < 1e-12, "{}", law.name());
        }
    }
}

/// A block that lands flat on two corners rests; its bottom may slide or stick.
#[test]
fn a_block_lands_flat() {
    let corner = |x: f64| {
        Contact::new(dvector![0.0, 1.0, x]).with_friction(0.5, vec![dvector![1.0, 0.0, 1.0]])
    };
    let mass = DMatrix::from_diagonal(&dvector![1.0, 1.0, 5.0 / 12.0]);
    let corners = vec![corner(-0.5), corner(0.5)];
    let falling = problem(mass.clone(), dvector![0.0, -1.0, 0.0], corners.clone());
    let outcome = AnitescuPotra::default().resolve(&falling).unwrap();
    assert_close(&outcome.velocity, &dvector![0.0, 0.0, 0.0]);
    // Listed twice, the corners share what they carried.
    let doubled = problem(mass, dvector![0.0, -1.0, 0.0], [&corners[..], &corners].concat());
    for law in laws().iter().filter(|law| !["sequential", "routh"].contains(&law.name())) {
        let outcome = law.resolve(&doubled).unwrap();
        assert_eq!(outcome.trace.status, Status::Resolved);
        assert_close(&outcome.velocity, &dvector![0.0, 0.0, 0.0]);
        let total: f64 = outcome.impulses.iter().map(|impulse| impulse.normal).sum();
        assert!((total - 1.0).abs() < 1e-12);
    }
}

/// Two uniform rods of 1 kg and 1 m hang from a pivot, at 20° and 30°, and the tip strikes a floor:
/// the kind of mechanism on which Kane and Levinson found that Newton's law creates energy.
fn double_pendulum(friction: f64, restitution: f64) -> Problem {
    let (upper, lower) = (20_f64.to_radians(), 30_f64.to_radians());
    let coupling = 0.5 * (upper - lower).cos();
    let tip = Contact::new(dvector![upper.sin(), lower.sin()])
        .with_friction(friction, vec![dvector![upper.cos(), lower.cos()]])
        .with_restitution(restitution);
    let mass = dmatrix![4.0 / 3.0, coupling; coupling, 1.0 / 3.0];
    problem(mass, dvector![-0.1, -0.2], vec![tip])
}

#[test]
fn newtons_law_creates_energy_in_a_double_pendulum_with_friction() {
    let pendulum = double_pendulum(0.5, 0.5);
    let outcome = Newton::default().resolve(&pendulum).unwrap();
    let certificate = certify(&pendulum, &outcome);
    assert!(certificate.energy_change > 0.5 * certificate.energy_before, "{certificate:?}");
    assert!(certificate.momentum_residual < 1e-14 && certificate.approach == 0.0);

    let kinematic = Routh { restitution: Restitution::Kinematic, ..Routh::default() };
    let pendulum = double_pendulum(0.7, 0.7);
    let certificate = certify(&pendulum, &kinematic.resolve(&pendulum).unwrap());
    assert!(certificate.energy_change > certificate.energy_before, "{certificate:?}");
}

#[test]
fn poisson_and_stronge_lose_energy_in_the_double_pendulum() {
    let energetic = Routh { restitution: Restitution::Energetic, ..Routh::default() };
    let laws: [&dyn Law; 3] = [&Poisson::default(), &Routh::default(), &energetic];
    for law in laws {
        for restitution in [0.0, 0.5, 1.0] {
            let pendulum = double_pendulum(0.5, restitution);
            let certificate = certify(&pendulum, &law.resolve(&pendulum).unwrap());
            assert!(certificate.energy_change < 0.0, "{}: {certificate:?}", law.name());
        }
    }
}

/// By hand, with `M = 1`: compression ends at rest after `Λ_1 = (2, −2)` and `Λ_2 = 2`. The smooth
/// contact gives its 2 N·s back, which takes the inelastic one along its face: 2 J have become 6 J.
#[test]
fn poissons_law_creates_energy_when_coefficients_differ() {
    let dull =
        Contact::new(dvector![0.0, 1.0, -1.0]).with_friction(1.0, vec![dvector![-1.0, 1.0, 0.0]]);
    let lively = Contact::new(dvector![-1.0, 1.0, 1.0]).with_restitution(1.0);
    let contacts = vec![dull, lively];
    let wedged = problem(DMatrix::identity(3, 3), dvector![0.0, -2.0, 0.0], contacts);
    let outcome = Poisson::default().resolve(&wedged).unwrap();
    assert_close(&outcome.trace.stages[0].velocity, &dvector![0.0, 0.0, 0.0]);
    assert_close(&outcome.velocity, &dvector![-2.0, 2.0, 2.0]);
    assert!((certify(&wedged, &outcome).energy_change - 4.0).abs() < 1e-10);
}

/// By hand, for a row of three balls of which the first contact is elastic and the second is not: compression leaves
/// 1/3 m/s each after 2/3 and 1/3 N·s; 2/3 N·s are given back by the first contact, and it takes 1/3 N·s more to keep
/// the last two balls together. All of the energy is left, which is the limit of the theorem.
#[test]
fn poissons_law_keeps_all_energy_of_a_row_with_one_dull_contact() {
    let contacts = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]].map(Contact::new);
    let [lively, dull] = contacts;
    let contacts = vec![lively.with_restitution(1.0), dull];
    let row = problem(DMatrix::identity(3, 3), dvector![1.0, 0.0, 0.0], contacts);
    let outcome = Poisson::default().resolve(&row).unwrap();
    assert_close(&outcome.velocity, &dvector![-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
    assert!(certify(&row, &outcome).energy_change.abs() < 1e-12);
}

/// A theorem for any number of contacts and any coefficients in `[0, 1]`; see the head of `poisson`.
#[test]
fn poissons_law_never_gains_energy_without_friction() {
    let mut random = ChaCha8Rng::seed_from_u64(18);
    let mut uniform = move || f64::from(random.next_u32()) / f64::from(u32::MAX);
    let mut resolved = 0;
    for trial in 0..4000 {
        let (size, count) = (2 + trial % 4, 1 + trial % 6);
        // Contacts that are closer together than they are many, so that they are redundant.
        let contacts = (0..count).map(|_| {
            let normal = DVector::from_fn(size, |_, _| 2.0 * uniform() - 1.0);
            Contact::new(normal).with_restitution(uniform())
        });
        let contacts = contacts.collect();
        let mass = DMatrix::from_diagonal(&DVector::from_fn(size, |_, _| 0.1 + uniform()));
        let velocity = DVector::from_fn(size, |_, _| 2.0 * uniform() - 1.0);
        let hit = problem(mass, velocity, contacts);
        let outcome = Poisson::default().resolve(&hit).unwrap();
        resolved += i32::from(outcome.trace.status == Status::Resolved);
        let certificate = certify(&hit, &outcome);
        let gain = certificate.energy_change / certificate.energy_before;
        assert!(gain <= 1e-8, "{trial}: {gain}, the tolerance of Lemke's method is 1e-9");
    }
    assert_eq!(resolved, 4000);
}

/// Two massless legs of 1 m with 1 kg at mid-leg, the hip free, touch down at ±78° with `μ = 5`.
fn compass_gait() -> Problem {
    let angle = 78_f64.to_radians();
    let (sin, cos) = angle.sin_cos();
    // A point at `r` along the leg is at hip + r (sin φ, −cos φ); rows of its velocity.
    let point = |leg: usize, r: f64| {
        let sin = if leg == 0 { -sin } else { sin };
        let (mut x, mut y) = (dvector![1.0, 0.0, 0.0, 0.0], dvector![0.0, 1.0, 0.0, 0.0]);
        (x[2 + leg], y[2 + leg]) = (r * cos, r * sin);
        (x, y)
    };
    let mut mass = DMatrix::zeros(4, 4);
    for (x, y) in [point(0, 0.5), point(1, 0.5)] {
        mass += &x * x.transpose() + &y * y.transpose();
    }
    let foot = |leg| {
        let (x, y) = point(leg, 1.0);
        Contact::new(y).with_friction(5.0, vec![x])
    };
    let rate = 0.25;
    let velocity = dvector![-cos * rate, -sin * rate, rate, rate];
    problem(mass, velocity, vec![foot(0), foot(1)])
}

#[test]
fn the_simultaneous_impact_of_the_compass_gait_is_not_unique() {
    let gait = compass_gait();
    let law = AnitescuPotra::default();
    let all = law.all(&gait, &enumerate::Settings::default()).unwrap();
    assert!(all.complete && all.outcomes.len() > 1, "{} outcomes", all.outcomes.len());
    for outcome in &all.outcomes {
        let certificate = certify(&gait, outcome);
        assert!(certificate.momentum_residual < 1e-12, "{certificate:?}");
        assert!(certificate.approach < 1e-12 && certificate.adhesion < 1e-12);
        assert!(certificate.cone_violation < 1e-12 && certificate.complementarity < 1e-12);
        assert!(certificate.energy_change < 0.0);
    }
    let one = law.resolve(&gait).unwrap();
    let close = |known: &Outcome| (&known.velocity - &one.velocity).amax() < 1e-10;
    assert!(all.outcomes.iter().any(close), "Lemke's answer is one of them");
}

#[test]
fn all_outcomes_of_an_impact_without_friction_are_one() {
    let cradle = cradle(0.0);
    let all = AnitescuPotra::default().all(&cradle, &enumerate::Settings::default()).unwrap();
    assert_eq!((all.outcomes.len(), all.isolated.as_slice()), (1, [true].as_slice()));
    assert_close(&all.outcomes[0].velocity, &dvector![1.0, 1.0, 1.0]);
}

/// A ball at 3 m/s strikes two of the same mass that rest in a row.
fn cradle(restitution: f64) -> Problem {
    let contacts = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]]
        .map(|normal| Contact::new(normal).with_restitution(restitution));
    problem(DMatrix::identity(3, 3), dvector![3.0, 0.0, 0.0], contacts.to_vec())
}

/// Inelastic impacts one by one halve the differences; their limit is the simultaneous impact.
#[test]
fn inelastic_impacts_in_sequence_tend_to_the_simultaneous_one() {
    let law = Sequential::new(Newton::default());
    let outcome = law.resolve(&cradle(0.0)).unwrap();
    assert_eq!(outcome.trace.status, Status::Resolved);
    assert!((&outcome.velocity - dvector![1.0, 1.0, 1.0]).amax() < 1e-8);
    let first = &outcome.trace.stages[0];
    assert_eq!(first.contact, Some(0));
    assert_close(&first.velocity, &dvector![1.5, 1.5, 0.0]);

    let cut = Sequential { limit: 2, ..law }.resolve(&cradle(0.0)).unwrap();
    assert_eq!(cut.trace.status, Status::Limit);
    assert_close(&cut.velocity, &dvector![1.5, 0.75, 0.75]);
}

/// A ball strikes two balls at once, at ±30°: the one struck first leaves faster.
#[test]
fn the_order_of_a_break_shot_decides() {
    let (sin, cos) = 30_f64.to_radians().sin_cos();
    let contacts = [sin, -sin].map(|x| {
        let mut normal = dvector![-x, -cos, 0.0, 0.0, 0.0, 0.0];
        let first = if x > 0.0 { 2 } else { 4 };
        (normal[first], normal[first + 1]) = (x, cos);
        Contact::new(normal).with_restitution(1.0)
    });
    let velocity = dvector![0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let shot = problem(DMatrix::identity(6, 6), velocity, contacts.to_vec());
    let law = Sequential::new(Newton::default());
    let all = law.all(&shot).unwrap();
    assert_eq!((all.status, all.outcomes.len()), (Status::Resolved, 2));
    // Of two impacts each, so that the second order does not fit in three.
    let cut = Sequential { search_limit: 3, ..law }.all(&shot).unwrap();
    assert_eq!((cut.status, cut.outcomes.as_slice()), (Status::Limit, &all.outcomes[..1]));
    let all = all.outcomes;
    // The second outcome is the mirror image of the first.
    let mirror = |v: &DVector<f64>| dvector![-v[0], v[1], -v[4], v[5], -v[2], v[3]];
    assert_close(&all[1].velocity, &mirror(&all[0].velocity));
    for outcome in &all {
        assert!(certify(&shot, outcome).energy_change.abs() < 1e-14, "elastic impacts keep energy");
    }
    // At once, no ball is preferred.
    let together = Newton::default().resolve(&shot).unwrap();
    assert_close(&together.velocity, &mirror(&together.velocity));
}

#[test]
fn wrong_orders_and_settings_of_sequences_are_refused() {
    let law = |order| Sequential { order, ..Sequential::new(Newton::default()) };
    for order in [vec![0], vec![0, 0], vec![0, 2], vec![0, 1, 1]] {
        let error = law(Order::Cycle(order)).resolve(&cradle(1.0)).unwrap_err();
        assert!(matches!(error, Error::Order { contacts: 2, .. }), "{error}");
    }
    for order in [Order::Index, Order::Fastest, Order::Cycle(vec![1, 0])] {
        let outcome = law(order).resolve(&cradle(1.0)).unwrap();
        assert_close(&outcome.velocity, &dvector![0.0, 0.0, 3.0]);
    }
    let error = Sequential { tolerance: 0.0, ..law(Order::Index) }.resolve(&cradle(1.0));
    assert!(matches!(error, Err(Error::Setting { name: "tolerance", .. })));
    let error = Sequential { limit: 0, ..law(Order::Index) }.resolve(&cradle(1.0));
    assert!(matches!(error, Err(Error::Setting { name: "limit", .. })));
    let error = Sequential { search_limit: 0, ..law(Order::Index) }.resolve(&cradle(1.0));
    assert!(matches!(error, Err(Error::Setting { name: "search_limit", .. })));
    let normal = || Contact::new(dvector![1.0]);
    let many = problem(dmatrix![1.0], dvector![-1.0], (0..8).map(|_| normal()).collect());
    let error = law(Order::Index).all(&many).unwrap_err();
    assert!(matches!(error, Error::Contacts { found: 8, .. }), "{error}");
}

/// Coefficients of friction far beyond any surface stick.
#[test]
fn huge_friction_sticks() {
    let floor =
        Contact::new(dvector![0.0, 1.0, 0.0]).with_friction(1e5, vec![dvector![1.0, 0.0, 1.0]]);
    let mass = DMatrix::from_diagonal(&dvector![1.0, 1.0, 0.4]);
    let ball = problem(mass, dvector![7.0, -1.0, 0.0], vec![floor]);
    for law in laws() {
        let outcome = law.resolve(&ball).unwrap();
        assert_close(&outcome.velocity, &dvector![5.0, 0.0, -5.0]);
    }
}

#[test]
fn an_outcome_of_another_problem_is_not_judged() {
    let cradle = cradle(1.0);
    let mut outcome = Newton::default().resolve(&cradle).unwrap();
    outcome.impulses.push(Impulse { normal: 0.0, tangent: vec![] });
    let error = Certificate::check(&cradle, &outcome).unwrap_err().to_string();
    assert_eq!(error, "impulses of the outcome has length 3, expected 2");
    outcome.impulses.pop();
    outcome.velocity[0] = f64::NAN;
    let certificate = certify(&cradle, &outcome);
    assert!(certificate.momentum_residual.is_nan() && certificate.energy_after.is_nan());
}

#[test]
fn every_figure_has_a_name_and_a_unit() {
    let cradle = cradle(1.0);
    let pull = cradle.outcome(&dvector![-1.0, 0.0], Trace::resolved(vec![]));
    let certificate = certify(&cradle, &pull);
    assert_eq!((certificate.adhesion, certificate.approach), (1.0, 5.0));
    let json = serde_json::to_value(certificate).unwrap();
    let figures = certificate.figures();
    assert_eq!(json.as_object().unwrap().len(), figures.len());
    for figure in figures {
        assert_eq!(json[figure.name], figure.value, "{} in {}", figure.name, figure.unit);
    }
}
