//! Derivatives of outcomes against differences of outcomes, closed forms, and each other.

pub(super) mod cases;

use nalgebra::{DMatrix, DVector, dmatrix, dvector};

use super::{Derivative, Direction, Edge, Error, Mode, Place, Settings, State};
use crate::{
    Contact, Law, Mass, Problem, Status, energy::Energy, maximum_dissipation::MaximumDissipation,
};

use self::cases::{Case, Draw, ball};

/// A law that does not reduce restitution and solves to the last digits.
fn accurate(law: MaximumDissipation) -> MaximumDissipation {
    MaximumDissipation { tolerance: 1e-13, energy: Energy::AsGiven, ..law }
}

/// `v⁺` and `Λ` of an outcome that ends.
fn outcome(law: &MaximumDissipation, problem: &Problem) -> Option<Answer> {
    let outcome = law.resolve(problem).expect("a valid problem");
    let parts = outcome
        .impulses
        .iter()
        .flat_map(|impulse| std::iter::once(impulse.normal).chain(impulse.tangent.iter().copied()));
    let impulses = DVector::from_vec(parts.collect());
    outcome.trace.status.came_to_its_end().then_some((outcome.velocity, impulses))
}

/// `v⁺` and `Λ`.
type Answer = (DVector<f64>, DVector<f64>);

/// What differences say.
enum Judge {
    /// The derivatives of velocities and impulses.
    Derivative(DVector<f64>, DVector<f64>),
    /// The outcome jumps or bends between the steps: the solver finds another one of several, or a mode changes.
    NotSmooth,
    Unsolved,
}

/// Central differences with an error of the fourth order.
fn differences(case: &Case, direction: &Direction, step: f64) -> Judge {
    let at = |times: f64| outcome(&case.law, &case.moved(direction, times * step)?);
    let all: Option<Vec<_>> = [0.0, 1.0, -1.0, 2.0, -2.0].map(at).into_iter().collect();
    let Some(all) = all else { return Judge::Unsolved };
    let parts = |part: fn(&Answer) -> &DVector<f64>| {
        let [start, a, b, c, d] = [0, 1, 2, 3, 4].map(|index| part(&all[index]));
        let bend = (a + b - 2.0 * start).amax().max((c + d - 2.0 * start).amax());
        ((8.0 * (a - b) - (c - d)) / (12.0 * step), bend / (start.amax() + 1e-3))
    };
    let (velocity, bend) = parts(|both| &both.0);
    let (impulses, other) = parts(|both| &both.1);
    // A smooth outcome bends by the square of the step.
    if bend.max(other) > 0.1 * step {
        Judge::NotSmooth
    } else {
        Judge::Derivative(velocity, impulses)
    }
}

/// The outcome of `case` if its modes are strict and the equations well conditioned: the residual of the solver, 1e-13,
/// times the condition and divided by the step is then an error of at most 3e-7 of the differences.
fn regular(case: &Case) -> Option<(DVector<f64>, Derivative)> {
    let outcome = case.law.resolve(&case.problem).expect("a valid problem");
    if !matches!(outcome.trace.status, Status::Resolved | Status::EnergyGained) {
        return None;
    }
    let settings = Settings { edge: 1e-4, ..Settings::default() };
    let derivative = Derivative::at(&case.law, &case.problem, &outcome, &settings).ok()?;
    let good = derivative.state() == State::Regular && derivative.condition()? < 300.0;
    good.then_some((outcome.velocity, derivative))
}

#[test]
fn derivatives_of_regular_cases_are_those_of_central_differences() {
    let mut draw = Draw::new(25);
    let (mut compared, mut unsolved, mut bent, mut worst) = (0, 0, 0, 0.0_f64);
    let mut seen = std::collections::BTreeMap::new();
    while compared < 10_000 {
        let case = draw.case();
        let Some((velocity, derivative)) = regular(&case) else { continue };
        let direction = draw.direction(&case);
        let change = derivative.forward(&direction).expect("a regular case");
        // Well inside of the reach to both sides, which is an estimate where matrices change.
        let back = derivative.forward(&cases::reversed(&direction)).expect("a regular case");
        let step = (0.02 * change.reach.step.min(back.reach.step)).min(1e-4);
        if step < 1e-5 {
            continue;
        }
        let (by_differences, impulses) = match differences(&case, &direction, step) {
            Judge::Derivative(velocity, impulses) => (velocity, impulses),
            Judge::NotSmooth => {
                bent += 1;
                continue;
            }
            Judge::Unsolved => {
                unsolved += 1;
                continue;
            }
        };
        let size = change.velocity.amax().max(velocity.amax()) + 1e-3;
        let off = (&by_differences - &change.velocity).amax() / size;
        let impulse_size = change.impulses.amax().max(derivative.impulses().amax()) + 1e-3;
        let off = off.max((impulses - &change.impulses).amax() / impulse_size);
        compared += 1;
        worst = worst.max(off);
        for place in derivative.places() {
            *seen.entry(format!("{place:?}")).or_insert(0) += 1;
        }
        assert!(off < 1e-6, "{compared}: {off:e} with the step {step:e}\n{case:?}\n{direction:?}");
    }
    eprintln!("worst {worst:e}, {unsolved} unsolved, {bent} not smooth, {seen:?}");
    assert!(unsolved < 100 && bent < 200, "{unsolved} {bent}");
    assert!(seen.len() == 5 && seen.values().all(|count| *count > 100), "{seen:?}");
}

#[test]
fn both_directions_agree() {
    let mut draw = Draw::new(26);
    let mut compared = 0;
    while compared < 500 {
        let case = draw.case();
        let Some((_, derivative)) = regular(&case) else { continue };
        compared += 1;
        let direction = draw.direction(&case);
        let change = derivative.forward(&direction).expect("a regular case");
        let (g, h) = (draw.vector(case.problem.dimension()), draw.vector(change.impulses.len()));
        let gradient = derivative.backward(&g, &h).expect("a regular case");
        let forward = g.dot(&change.velocity) + h.dot(&change.impulses);
        let Direction { velocity, mass, jacobian, joints, friction, restitution } = &direction;
        let contacts = 0..case.problem.contacts().len();
        let parts = [
            velocity.as_ref().map_or(0.0, |change| gradient.velocity.dot(change)),
            mass.as_ref().map_or(0.0, |change| gradient.mass.dot(change)),
            jacobian.as_ref().map_or(0.0, |change| gradient.jacobian.dot(change)),
            joints.as_ref().map_or(0.0, |change| {
                gradient.joints.as_ref().expect("independent joints").dot(change)
            }),
            friction.as_ref().map_or(0.0, |change| {
                let of = |contact: usize| {
                    gradient.friction[contact].map_or(0.0, |part| part * change[contact])
                };
                contacts.clone().map(of).sum()
            }),
            restitution.as_ref().map_or(0.0, |change| {
                contacts
                    .clone()
                    .map(|contact| gradient.restitution[contact] * change[contact])
                    .sum()
            }),
        ];
        let size = forward.abs() + parts.iter().map(|part: &f64| part.abs()).sum::<f64>() + 1e-3;
        let off = (forward - parts.iter().sum::<f64>()).abs() / size;
        assert!(off < 1e-9, "{off:e}: {forward} {parts:?}\n{case:?}");
        assert!(
            (&gradient.mass - gradient.mass.transpose()).amax() <= 1e-12 * gradient.mass.amax()
        );
    }
}

fn at(law: &MaximumDissipation, problem: &Problem) -> Result<Derivative, Error> {
    let outcome = law.resolve(problem).expect("a valid problem");
    Derivative::at(law, problem, &outcome, &Settings::default())
}

#[test]
fn a_rolling_ball_keeps_five_sevenths() {
    let problem = ball(0.5, 0.5);
    let derivative = at(&MaximumDissipation::default(), &problem).unwrap();
    assert_eq!(derivative.places(), [Some(Place::Inside(Mode::Sticking))]);
    let (velocities, impulses) = derivative.by_velocity().unwrap();
    let expected = dmatrix![
        5.0 / 7.0, 0.0, -2.0 / 7.0;
        0.0, -0.5, 0.0;
        -5.0 / 7.0, 0.0, 2.0 / 7.0
    ];
    assert!((velocities - expected).amax() < 1e-14);
    assert!((impulses - dmatrix![0.0, -1.5, 0.0; -2.0 / 7.0, 0.0, -2.0 / 7.0]).amax() < 1e-14);
    // The friction and the mass do not matter, the moment of inertia I does: v = v⁻ I⁻¹/(1 + I⁻¹) with I = 2/5 gives
    // dv/dI = −(1 + I)⁻² = −25/49.
    let gradient = derivative.backward(&dvector![1.0, 0.0, 0.0], &dvector![0.0, 0.0]).unwrap();
    assert!(gradient.friction[0].unwrap().abs() < 1e-15);
    assert!((gradient.mass[(2, 2)] + 25.0 / 49.0).abs() < 1e-14, "{gradient:?}");
    assert!(gradient.joints.is_some_and(|joints| joints.nrows() == 0));
}

#[test]
fn a_step_along_an_exact_reach_changes_the_mode_there() {
    let problem = ball(0.05, 0.5);
    let law = MaximumDissipation::default();
    let derivative = at(&law, &problem).unwrap();
    // Sliding ends where (1 + e) μ 7/2 (2 + t) = 1: t = 1/0.2625 − 2.
    let faster = dvector![0.0, -1.0, 0.0];
    let direction = Direction { velocity: Some(faster.clone()), ..Direction::default() };
    let change = derivative.forward(&direction).unwrap();
    assert!(change.reach.exact && (change.reach.step - (1.0 / 0.2625 - 2.0)).abs() < 1e-12);
    for (times, mode) in [(0.999, Mode::Sliding), (1.001, Mode::Sticking)] {
        let velocity = problem.velocity() + times * change.reach.step * &faster;
        let moved = problem.with_velocity(velocity).unwrap();
        let places = at(&law, &moved).unwrap().places();
        assert_eq!(places, [Some(Place::Inside(mode))]);
    }
    // The bound is smaller, and above it the approach would end.
    let radius = derivative.radius().unwrap();
    assert!(radius > 0.0 && radius <= 1.5 * change.reach.step, "{radius}");
    let slower = Direction { velocity: Some(-faster), ..Direction::default() };
    let reach = derivative.forward(&slower).unwrap().reach;
    assert!((reach.step - 2.0).abs() < 1e-12 && reach.contact == Some(0), "{reach:?}");
    assert_eq!(reach.mode, None);
}

#[test]
fn contacts_that_separate_change_nothing() {
    let problem = ball(0.5, 0.5).with_velocity(dvector![1.0, 2.0, 0.0]).unwrap();
    let derivative = at(&MaximumDissipation::default(), &problem).unwrap();
    assert_eq!(derivative.places(), [Some(Place::Inside(Mode::Open))]);
    let (velocities, impulses) = derivative.by_velocity().unwrap();
    assert_eq!(velocities, DMatrix::identity(3, 3));
    assert_eq!(impulses, DMatrix::zeros(2, 3));
}

#[test]
fn a_contact_that_joints_hold_is_left_out() {
    let wall = Contact::new(dvector![1.0, 0.0]).with_friction(0.5, vec![dvector![0.0, 1.0]]);
    let mass = Mass::Matrix(dmatrix![2.0, 0.5; 0.5, 1.0]);
    let (velocity, joints) = (dvector![-1.0, 3.0], dmatrix![1.0, 0.0]);
    let problem = Problem::with_joints(mass, velocity, vec![wall], joints).unwrap();
    let derivative = at(&MaximumDissipation::default(), &problem).unwrap();
    assert_eq!((derivative.places(), derivative.state()), (vec![None], State::Regular));
    assert_eq!(derivative.radius(), Some(f64::INFINITY));
    // The joint keeps the momentum across it: v⁺ = (0, M₂₁ v₁ + M₂₂ v₂)/M₂₂.
    let (velocities, _) = derivative.by_velocity().unwrap();
    assert!((velocities - dmatrix![0.0, 0.0; 0.5, 1.0]).amax() < 1e-15);
    let gradient = derivative.backward(&dvector![0.0, 1.0], &dvector![1.0, 1.0]).unwrap();
    assert!((gradient.mass - dmatrix![0.0, -0.5; -0.5, 0.5]).amax() < 1e-15);
    assert_eq!(gradient.friction, [Some(0.0)]);
}

#[test]
fn redundant_contacts_leave_the_velocity_its_derivative() {
    let floor = |friction| {
        Contact::new(dvector![0.0, 1.0])
            .with_friction(friction, vec![dvector![1.0, 0.0]])
            .with_restitution(0.25)
    };
    let mass = Mass::Matrix(DMatrix::identity(2, 2) * 3.0);
    let velocity = dvector![5.0, -2.0];
    let problem = Problem::new(mass, velocity, vec![floor(0.3), floor(0.3)]).unwrap();
    let law = MaximumDissipation::default();
    let mut outcome = law.resolve(&problem).unwrap();
    // Both contacts push; with all on one of them the other would be at an edge.
    for impulse in &mut outcome.impulses {
        *impulse = crate::Impulse { normal: 3.75, tangent: vec![-0.3 * 3.75] };
    }
    let derivative = Derivative::at(&law, &problem, &outcome, &Settings::default()).unwrap();
    assert_eq!(derivative.state(), State::Redundant);
    // Both take (1 + e) of the approach, and friction 0.3 of that.
    let (velocities, _) = derivative.by_velocity().unwrap();
    assert!((velocities - dmatrix![1.0, 0.375; 0.0, -0.25]).amax() < 1e-12);
    let gradient = derivative.backward(&dvector![1.0, 0.0], &DVector::zeros(4)).unwrap();
    assert!((gradient.velocity - dvector![1.0, 0.375]).amax() < 1e-12);
}

#[test]
fn a_grazing_contact_has_one_sided_derivatives() {
    let problem = ball(0.5, 0.5).with_velocity(dvector![1.0, 0.0, 0.0]).unwrap();
    let derivative = at(&MaximumDissipation::default(), &problem).unwrap();
    assert_eq!(derivative.places(), [Some(Place::At(Edge::Opening))]);
    assert_eq!(derivative.state(), State::Edge);
    let falling = Direction { velocity: Some(dvector![0.0, -1.0, 0.0]), ..Direction::default() };
    assert_eq!(derivative.forward(&falling), Err(Error::Grazing { contact: 0 }));
    let found = derivative.one_sided(&falling).unwrap();
    // It rebounds, and slides with full friction.
    assert!((found.change.velocity - dvector![-0.75, 0.5, -1.875]).amax() < 1e-14);
    assert_eq!((found.modes, found.proven), (vec![Some(Mode::Sliding)], true));
    let rising = Direction { velocity: Some(dvector![0.0, 1.0, 0.0]), ..Direction::default() };
    let found = derivative.one_sided(&rising).unwrap();
    assert_eq!(found.change.velocity, dvector![0.0, 1.0, 0.0]);
    assert_eq!(found.modes, [Some(Mode::Open)]);
}

#[test]
fn what_has_no_derivative_is_refused() {
    let (law, problem) = (MaximumDissipation::default(), ball(0.5, 0.5));
    let mut wrong = law.resolve(&problem).unwrap();
    wrong.impulses[0].normal += 1.0;
    let settings = Settings::default();
    let error = Derivative::at(&law, &problem, &wrong, &settings).unwrap_err();
    assert!(error.to_string().contains("solve the problem first"), "{error}");
    wrong.impulses.clear();
    assert!(matches!(Derivative::at(&law, &problem, &wrong, &settings), Err(Error::Outcome(_))));
    let mut reduced = law.resolve(&problem).unwrap();
    reduced.trace.reduction = Some(crate::Reduction { factor: 0.5, failing: 0.500_001 });
    let error = Derivative::at(&law, &problem, &reduced, &settings).unwrap_err();
    assert_eq!(error, Error::Reduced { factor: 0.5 });
}

#[test]
fn wrong_directions_are_refused_by_name() {
    let problem = ball(0.5, 0.5);
    let derivative = at(&MaximumDissipation::default(), &problem).unwrap();
    let none = Direction::default;
    let refused = [
        (Direction { velocity: Some(dvector![1.0]), ..none() }, "`velocity` has the shape 1 × 1"),
        (Direction { mass: Some(DMatrix::zeros(3, 2)), ..none() }, "`mass` has the shape 3 × 2"),
        (Direction { jacobian: Some(DMatrix::zeros(1, 3)), ..none() }, "expected 2 × 3"),
        (Direction { joints: Some(DMatrix::zeros(1, 3)), ..none() }, "expected 0 × 3"),
        (Direction { friction: Some(vec![f64::NAN]), ..none() }, "`friction[0, 0]` is NaN"),
        (Direction { restitution: Some(vec![]), ..none() }, "`restitution` has the shape 0 × 1"),
    ];
    for (direction, message) in refused {
        let error = derivative.forward(&direction).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    let error = derivative.backward(&dvector![1.0], &dvector![0.0, 0.0]).unwrap_err();
    assert!(error.to_string().contains("`velocity` has the shape 1 × 1, expected 3 × 1"));

    let joints = dmatrix![0.0, 0.0, 1.0; 0.0, 0.0, 2.0];
    let mass = Mass::Matrix(DMatrix::identity(3, 3));
    let problem = Problem::with_joints(mass, dvector![1.0, -2.0, 0.0], vec![], joints).unwrap();
    let derivative = at(&MaximumDissipation::default(), &problem).unwrap();
    let turned = Direction { joints: Some(DMatrix::zeros(2, 3)), ..none() };
    let error = derivative.forward(&turned).unwrap_err();
    assert_eq!(error, Error::RedundantJoints { rows: 2, rank: 1 });
    let gradient = derivative.backward(&DVector::zeros(3), &DVector::zeros(0)).unwrap();
    assert_eq!(gradient.joints, None);
}
