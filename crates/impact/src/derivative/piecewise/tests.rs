//! Derivatives of laws against differences of their outcomes, closed forms, and each other.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector, dmatrix, dvector};

use super::{Derivative, Piecewise};
use crate::{
    Contact, Mass, Problem, Status,
    anitescu_potra::AnitescuPotra,
    derivative::{
        Change, Direction, Error, Settings, State,
        tests::cases::{Case, Draw, ball, reversed},
    },
    newton::Newton,
    plus::Plus,
    poisson::Poisson,
    propagative::{self, Propagative},
    sequential::{self, Sequential},
};

mod extremes;

type Law = Box<dyn Piecewise>;

/// `v⁺` and `Λ` one after the other, of an outcome that ends.
fn answer(law: &dyn Piecewise, problem: &Problem) -> Option<DVector<f64>> {
    let outcome = law.resolve(problem).expect("a valid problem");
    if !matches!(outcome.trace.status, Status::Resolved | Status::EnergyGained) {
        return None;
    }
    let impulses = super::simultaneous::impulses(&outcome);
    let all = outcome.velocity.iter().chain(impulses.iter()).copied();
    Some(DVector::from_vec(all.collect()))
}

/// Central differences with an error of the fourth order, or why there are none.
fn differences(
    law: &dyn Piecewise,
    case: &Case,
    direction: &Direction,
    step: f64,
) -> Result<DVector<f64>, &'static str> {
    let at = |times: f64| answer(law, &case.moved(direction, times * step)?);
    let all: Option<Vec<_>> = [0.0, 1.0, -1.0, 2.0, -2.0].map(at).into_iter().collect();
    let all = all.ok_or("unsolved beside it")?;
    let [start, a, b, c, d] = [0, 1, 2, 3, 4].map(|index| &all[index]);
    let bend = (a + b - 2.0 * start).amax().max((c + d - 2.0 * start).amax());
    // The solver finds another outcome of several, or a mode changes.
    if bend > 0.1 * step * (start.amax() + 1e-3) {
        return Err("not smooth");
    }
    Ok((8.0 * (a - b) - (c - d)) / (12.0 * step))
}

/// `dv⁺` and `dΛ` one after the other.
fn stacked(change: &Change) -> DVector<f64> {
    let all = change.velocity.iter().chain(change.impulses.iter()).copied();
    DVector::from_vec(all.collect())
}

/// How far the derivative of a case is from differences, or why they are not compared.
fn deviation(
    name: &str,
    law: &dyn Piecewise,
    case: &Case,
    draw: &mut Draw,
) -> Result<f64, &'static str> {
    let start = answer(law, &case.problem).ok_or("unresolved")?;
    let settings = Settings { edge: 1e-4, ..Settings::default() };
    let derivative = match Derivative::at(law, &case.problem, &settings) {
        Ok(derivative) => derivative,
        Err(Error::Singular { .. } | Error::Undetermined { .. }) => {
            return Err("singular or undetermined");
        }
        Err(Error::Unsupported { .. }) => return Err("without pieces"),
        Err(error) => panic!("{name}: {error}\n{case:?}"),
    };
    let n = case.problem.dimension();
    let off = (derivative.velocity() - start.rows(0, n)).amax();
    assert!(off < 1e-7 * (1.0 + start.amax()), "{name}: {off:e}\n{case:?}");
    // Along a curve what is left of a motion that stops is as wrong as the steps.
    if name.contains("in space") && start.rows(0, n).amax() < 1e-6 {
        return Err("at rest");
    }
    if derivative.condition() > 300.0 {
        return Err("ill-conditioned");
    }
    let direction = draw.direction(case);
    let both = [&direction, &reversed(&direction)].map(|one| derivative.forward(one));
    let [Ok(change), Ok(back)] = both else {
        assert_ne!(derivative.state(), State::Regular, "{name}: {both:?}");
        return Err("at an edge or redundant");
    };
    let step = (0.02 * change.reach.step.min(back.reach.step)).min(1e-4);
    if step < 1e-5 {
        return Err("near an edge");
    }
    let found = differences(law, case, &direction, step)?;
    let expected = stacked(&change);
    // Of redundant contacts the velocity alone has a derivative.
    let end = if derivative.is_redundant() { n } else { expected.len() };
    let distance = |one: &DVector<f64>, other: &DVector<f64>| {
        let part = |from: usize, to: usize| {
            let largest = |vector: &DVector<f64>| vector.rows_range(from..to).amax();
            largest(&(one - other)) / (largest(&expected).max(largest(&start)) + 1e-3)
        };
        part(0, n).max(if end > n { part(n, end) } else { 0.0 })
    };
    let off = distance(&found, &expected);
    if off > 1e-6
        && let Ok(nearer) = differences(law, case, &direction, 0.5 * step)
        && distance(&found, &nearer) > 0.5 * off
    {
        return Err("differences that depend on the step");
    }
    assert!(off < 1e-6, "{name}: {off:e}, step {step:e}\n{case:?}\n{direction:?}");
    Ok(off)
}

/// Compares this many cases of a law with differences.
fn compare(
    name: &str,
    seed: u64,
    wanted: usize,
    mut law: impl FnMut(&mut Draw) -> Law,
    mut case: impl FnMut(&mut Draw) -> Case,
) {
    let mut draw = Draw::new(seed);
    let mut counts = BTreeMap::new();
    let (mut compared, mut worst, mut drawn) = (0, 0.0_f64, 0);
    while compared < wanted {
        drawn += 1;
        assert!(drawn < 40 * wanted, "{name}: {compared} compared, {counts:?}");
        let (law, case) = (law(&mut draw), case(&mut draw));
        match deviation(name, &*law, &case, &mut draw) {
            Ok(off) => (compared, worst) = (compared + 1, worst.max(off)),
            Err(reason) => *counts.entry(reason).or_insert(0) += 1,
        }
    }
    eprintln!("{name}: worst {worst:e} of {compared}, {counts:?}");
    let of = |what: &str| counts.get(what).copied().unwrap_or(0);
    assert!(of("not smooth") + of("unsolved beside it") <= wanted / 20 + 2, "{name}: {counts:?}");
    assert!(of("differences that depend on the step") <= wanted / 500 + 1, "{name}: {counts:?}");
    assert!(of("without pieces") <= wanted / 500, "{name}: {counts:?}");
}

fn cases() -> usize {
    let given = std::env::var("PERCUSSION_CASES").ok().and_then(|text| text.parse().ok());
    given.unwrap_or(400)
}

#[test]
fn one_problem_for_all_contacts() {
    compare("newton", 31, cases(), |_| Box::new(Newton::default()), Draw::case);
    compare("anitescu-potra", 32, cases(), |_| Box::new(AnitescuPotra::default()), Draw::case);
    compare("poisson", 33, cases(), |_| Box::new(Poisson::default()), Draw::case);
}

#[test]
fn one_contact_after_another() {
    let order = |draw: &mut Draw| match draw.below(2) {
        0 => sequential::Order::Fastest,
        _ => sequential::Order::Index,
    };
    let law = |draw: &mut Draw| -> Law {
        let order = order(draw);
        match draw.below(2) {
            0 => Box::new(Sequential { order, ..Sequential::new(Newton::default()) }),
            _ => Box::new(Sequential { order, ..Sequential::new(Poisson::default()) }),
        }
    };
    compare("sequential", 34, cases(), law, Draw::case);
}

#[test]
fn reflections() {
    let law = |draw: &mut Draw| -> Law {
        let order = match draw.below(3) {
            0 => propagative::Order::MostApproached,
            1 => propagative::Order::LeastApproached,
            _ => propagative::Order::Index,
        };
        let restitution = if draw.below(2) == 0 { 1.0 } else { 0.5 };
        Box::new(Propagative { restitution, order, ..Propagative::default() })
    };
    compare("propagative", 35, cases(), law, Draw::smooth_case);
}

#[test]
fn one_contact_along_its_path_in_the_plane() {
    use crate::routh::{Restitution, Routh};
    let law = |draw: &mut Draw| -> Law {
        let rules = [Restitution::Kinematic, Restitution::Kinetic, Restitution::Energetic];
        let restitution = rules[draw.below(3)];
        Box::new(Routh { restitution, ..Routh::default() })
    };
    compare("routh", 38, cases(), law, Draw::planar_contact);
    let law = |draw: &mut Draw| -> Law {
        let order = sequential::Order::Index;
        let inner = Routh { restitution: Restitution::Energetic, ..Routh::default() };
        let _ = draw;
        Box::new(Sequential { order, ..Sequential::new(inner) })
    };
    compare("sequential routh", 39, cases(), law, Draw::planar_case);
}

#[test]
fn one_contact_along_its_curve_in_space() {
    use crate::routh::{Restitution, Routh};
    // Its own error is seen in differences.
    let law = |draw: &mut Draw| {
        let rules = [Restitution::Kinematic, Restitution::Kinetic, Restitution::Energetic];
        Routh { restitution: rules[draw.below(3)], tolerance: 1e-14, ..Routh::default() }
    };
    compare("routh in space", 42, cases(), |draw| Box::new(law(draw)), Draw::spatial_contact);
    let sequence = |draw: &mut Draw| -> Law {
        let order = sequential::Order::Index;
        Box::new(Sequential { order, ..Sequential::new(law(draw)) })
    };
    let some = cases().div_ceil(4);
    compare("sequential routh in space", 43, some, sequence, |draw| draw.case_with_tangents(2));
}

#[test]
fn rounds_of_compression_and_expansion() {
    let law = |draw: &mut Draw| -> Law {
        let (v_capture, v_plastic) = [(0.0, 0.0), (0.05, 0.4), (0.0, 2.0)][draw.below(3)];
        let e_min = [None, None, Some(0.3)][draw.below(3)];
        let theta_max = [0.02, 0.1, 0.3][draw.below(3)];
        let v_transition = [0.01, 0.1][draw.below(2)];
        let law = Plus { v_capture, v_plastic, e_min, theta_max, v_transition, ..Plus::default() };
        Box::new(law)
    };
    compare("plus", 41, cases().max(1000), law, Draw::case);
}

#[cfg(feature = "sets")]
#[test]
fn samples_with_restitution_from_event_to_event() {
    use crate::set_valued::{SetValuedRouth, Settings};
    let law = |draw: &mut Draw| -> Law {
        let seed = draw.below(1000) as u64;
        // A sample that ends at an approach of `tolerance` jumps by that much.
        let tolerance = 1e-13;
        let settings = Settings { step: 1.0, steps: 100, seed, tolerance, ..Settings::default() };
        Box::new(SetValuedRouth::new(settings))
    };
    compare("set-valued with restitution", 40, cases(), law, Draw::case);
}

#[cfg(feature = "sets")]
#[test]
fn samples_with_their_draws_held() {
    use crate::set_valued::{SetValuedRouth, Settings};
    let law = |draw: &mut Draw| -> Law {
        let seed = draw.below(1000) as u64;
        // A sample that ends at an approach of `tolerance` jumps by that much.
        let tolerance = 1e-13;
        let settings = Settings { step: 1.0, steps: 100, seed, tolerance, ..Settings::default() };
        Box::new(SetValuedRouth::new(settings))
    };
    compare("set-valued, e = 0", 36, cases(), law, |draw| draw.case().without_restitution());
}

#[test]
fn a_rolling_ball_keeps_five_sevenths_by_every_law() {
    let laws: [(&dyn Piecewise, f64); 3] =
        [(&Newton::default(), -0.5), (&Poisson::default(), -0.5), (&AnitescuPotra::default(), 0.0)];
    for (law, rebound) in laws {
        let derivative = Derivative::at(law, &ball(0.5, 0.5), &Settings::default()).unwrap();
        assert_eq!(derivative.state(), State::Regular);
        let (velocities, _) = derivative.by_velocity().unwrap();
        let expected = dmatrix![
            5.0 / 7.0, 0.0, -2.0 / 7.0;
            0.0, rebound, 0.0;
            -5.0 / 7.0, 0.0, 2.0 / 7.0
        ];
        assert!((velocities - expected).amax() < 1e-14, "{}", law.name());
        let gradient = derivative.backward(&dvector![1.0, 0.0, 0.0], &DVector::zeros(2)).unwrap();
        assert!((gradient.mass[(2, 2)] + 25.0 / 49.0).abs() < 1e-14);
    }
}

/// Sliding ends where `(1 + e) μ 7/2 (2 + t) = 1`; the radius is the distance from there in the norm of the contact.
#[test]
fn the_radius_is_the_distance_from_the_next_mode() {
    let (problem, law) = (ball(0.05, 0.5), Newton::default());
    let derivative = Derivative::at(&law, &problem, &Settings::default()).unwrap();
    let slip = 1.0 - 1.5 * 0.05 * 3.5 * 2.0;
    let expected = slip / 1.0_f64.hypot(1.5 * 0.05 * 3.5);
    let radius = derivative.radius().unwrap();
    assert!((radius - expected).abs() < 1e-14, "{radius} {expected}");
    // On both sides of it, in the direction in which the slip ends soonest: slower, and faster down.
    let unit = dvector![-1.0, -1.5 * 0.05 * 3.5, 0.0].normalize();
    for (part, slides) in [(0.999, true), (1.001, false)] {
        let moved = problem.with_velocity(problem.velocity() + part * radius * &unit).unwrap();
        let after = crate::Law::resolve(&law, &moved).unwrap().velocity;
        assert_eq!(after[0] + after[2] > 1e-9, slides, "{part}");
    }
}

/// By PLUS the ball takes `(1 + e) 2` N·s as well: it slides until `(1 + e) μ 7/2 2 = 1`. Then the interval of the expansion ends
/// as the slip stops, and friction no longer depends on `μ`.
#[test]
fn sliding_that_stops_in_an_interval_forgets_the_friction() {
    let law = Plus { v_capture: 0.0, v_plastic: 0.0, ..Plus::default() };
    let rougher = Direction { friction: Some(vec![1.0]), ..Direction::default() };
    let derivative = Derivative::at(&law, &ball(0.05, 0.5), &Settings::default()).unwrap();
    assert_eq!((derivative.state(), derivative.pieces()), (State::Regular, 2));
    let change = derivative.forward(&rougher).unwrap();
    assert!((change.velocity - dvector![-3.0, 0.0, -7.5]).amax() < 1e-12);
    assert!((change.reach.step - 0.475 / 10.5).abs() < 1e-12, "{:?}", change.reach);

    let derivative = Derivative::at(&law, &ball(0.12, 0.5), &Settings::default()).unwrap();
    assert_eq!(derivative.pieces(), 3, "the slip stops in the expansion");
    let change = derivative.forward(&rougher).unwrap();
    assert!(change.velocity.amax() < 1e-12, "{change:?}");
    let (velocities, _) = derivative.by_velocity().unwrap();
    let rolls = dmatrix![5.0 / 7.0, 0.0, -2.0 / 7.0; 0.0, -0.5, 0.0; -5.0 / 7.0, 0.0, 2.0 / 7.0];
    assert!((velocities - rolls).amax() < 1e-12);
}

/// Between `v_capture` and `v_plastic` restitution falls with the speed `a` of the approach: `e a = a − (1 − e_min) a²/v`, and its
/// derivative is `1 − 2 (1 − e_min) a/v`.
#[test]
fn restitution_that_depends_on_the_speed_is_differentiated() {
    let law = Plus { v_capture: 0.5, v_plastic: 8.0, ..Plus::default() };
    let problem = ball(0.0, 0.3);
    let derivative = Derivative::at(&law, &problem, &Settings::default()).unwrap();
    let (velocities, _) = derivative.by_velocity().unwrap();
    let expected = 1.0 - 2.0 * 0.7 * 2.0 / 8.0;
    assert!((velocities[(1, 1)] + expected).abs() < 1e-14, "{velocities}");
    let bouncier = Direction { restitution: Some(vec![1.0]), ..Direction::default() };
    let change = derivative.forward(&bouncier).unwrap();
    assert!((change.velocity[1] - 2.0 * 2.0 / 8.0).abs() < 1e-14);
    // Squares of these speeds underflow.
    let small = ball(0.05, 0.5).with_velocity(dvector![1e-200, -2e-200, 0.0]).unwrap();
    let slow = Plus { v_transition: 1e-202, v_capture: 0.0, v_plastic: 0.0, ..Plus::default() };
    assert!(!matches!(
        Derivative::at(&slow, &small, &Settings::default()),
        Err(Error::Unsupported { .. })
    ));
    // At `v_capture` restitution jumps.
    let slower = Direction { velocity: Some(dvector![0.0, 1.0, 0.0]), ..Direction::default() };
    assert!((derivative.forward(&slower).unwrap().reach.step - 1.5).abs() < 1e-14);
}

#[test]
fn both_directions_agree() {
    let mut draw = Draw::new(37);
    let laws: [&dyn Piecewise; 4] = [
        &Newton::default(),
        &Poisson::default(),
        &Sequential::new(Newton::default()),
        &Plus::default(),
    ];
    let mut compared = 0;
    while compared < 400 {
        let case = draw.case();
        let Ok(derivative) =
            Derivative::at(laws[compared % 4], &case.problem, &Settings::default())
        else {
            continue;
        };
        if derivative.state() != State::Regular {
            continue;
        }
        compared += 1;
        let direction = draw.direction(&case);
        let change = derivative.forward(&direction).unwrap();
        let (g, h) = (draw.vector(case.problem.dimension()), draw.vector(change.impulses.len()));
        let gradient = derivative.backward(&g, &h).unwrap();
        let forward = g.dot(&change.velocity) + h.dot(&change.impulses);
        let Direction { velocity, mass, jacobian, joints, friction, restitution } = &direction;
        let numbers = |change: &Option<Vec<f64>>, parts: &[f64]| {
            change.as_ref().map_or(0.0, |change| {
                change.iter().zip(parts).map(|(change, part)| change * part).sum()
            })
        };
        let by_friction: Vec<_> = gradient.friction.iter().map(|part| part.unwrap()).collect();
        let parts: [f64; 6] = [
            velocity.as_ref().map_or(0.0, |change| gradient.velocity.dot(change)),
            mass.as_ref().map_or(0.0, |change| gradient.mass.dot(change)),
            jacobian.as_ref().map_or(0.0, |change| gradient.jacobian.dot(change)),
            joints.as_ref().map_or(0.0, |change| gradient.joints.as_ref().unwrap().dot(change)),
            numbers(friction, &by_friction),
            numbers(restitution, &gradient.restitution),
        ];
        let size = forward.abs() + parts.iter().map(|part| part.abs()).sum::<f64>() + 1e-3;
        let off = (forward - parts.iter().sum::<f64>()).abs() / size;
        assert!(off < 1e-9, "{off:e}: {forward} {parts:?}\n{case:?}");
    }
}

/// The ball at rest along the floor begins to roll to either side: friction opposes the slip, so `dv⁺` is `5/7` of the
/// change on both sides; where it grazes the floor it rebounds with `e = 1/2` or separates.
#[test]
fn a_grazing_contact_has_one_sided_derivatives() {
    let problem = ball(0.5, 0.5).with_velocity(dvector![1.0, 0.0, 0.0]).unwrap();
    let law = Newton::default();
    let derivative = Derivative::at(&law, &problem, &Settings::default()).unwrap();
    assert_eq!(derivative.radius(), None);
    let towards = |speed: f64| Direction {
        velocity: Some(dvector![0.0, speed, 0.0]),
        ..Direction::default()
    };
    assert_eq!(derivative.forward(&towards(-1.0)), Err(Error::Edge { contact: 0 }));
    let found = derivative.one_sided(&law, &towards(-1.0)).unwrap();
    // It rebounds, and slides with full friction.
    assert!((found.change.velocity - dvector![-0.75, 0.5, -1.875]).amax() < 1e-12);
    assert!(found.proven);
    let found = derivative.one_sided(&law, &towards(1.0)).unwrap();
    assert!((found.change.velocity - dvector![0.0, 1.0, 0.0]).amax() < 1e-12);
}

/// Two balls strike a third one from both sides equally fast: which contact comes first decides on the outcome.
#[test]
fn an_outcome_that_jumps_has_no_derivative() {
    let contacts = [dvector![-1.0, 1.0, 0.0], dvector![0.0, -1.0, 1.0]]
        .map(|normal| Contact::new(normal).with_restitution(0.5));
    let mass = Mass::Matrix(DMatrix::identity(3, 3));
    let problem = Problem::new(mass, dvector![1.0, 0.0, -1.0], contacts.to_vec()).unwrap();
    let law = Sequential::new(Newton::default());
    let derivative = Derivative::at(&law, &problem, &Settings::default()).unwrap();
    assert_eq!(derivative.state(), State::Edge);
    let faster = |first: f64, last: f64| Direction {
        velocity: Some(dvector![first, 0.0, last]),
        ..Direction::default()
    };
    assert!(derivative.forward(&faster(1.0, 0.0)).is_err());
    // The first contact remains first, and by the other side the outcome jumps.
    assert!(derivative.one_sided(&law, &faster(1.0, 0.0)).unwrap().proven);
    let error = derivative.one_sided(&law, &faster(0.0, -1.0)).unwrap_err();
    assert!(matches!(error, Error::Jump { jump } if jump > 0.01), "{error}");
}

#[test]
fn redundant_contacts_leave_the_velocity_its_derivative() {
    let floor = || {
        Contact::new(dvector![0.0, 1.0])
            .with_friction(0.3, vec![dvector![1.0, 0.0]])
            .with_restitution(0.25)
    };
    let mass = Mass::Matrix(DMatrix::identity(2, 2) * 3.0);
    let problem = Problem::new(mass, dvector![5.0, -2.0], vec![floor(), floor()]).unwrap();
    let law = Newton::default();
    let derivative = Derivative::at(&law, &problem, &Settings::default()).unwrap();
    let along = |x: f64, y: f64| {
        let direction = Direction { velocity: Some(dvector![x, y]), ..Direction::default() };
        derivative.forward(&direction).map(|change| change.velocity)
    };
    match derivative.state() {
        State::Redundant => {
            assert!((along(1.0, 0.0).unwrap() - dvector![1.0, 0.0]).amax() < 1e-12);
            assert!((along(0.0, 1.0).unwrap() - dvector![0.375, -0.25]).amax() < 1e-12);
        }
        // All of the impulse at one contact, and the other one at an edge.
        state => assert_eq!(state, State::Edge),
    }
    // The restitution of one contact alone contradicts that of the other.
    let one = Direction { restitution: Some(vec![1.0, 0.0]), ..Direction::default() };
    assert!(derivative.forward(&one).is_err());
}

#[test]
fn what_has_no_outcome_is_refused() {
    let walls = [dvector![1.0], dvector![-1.0]].map(|n| Contact::new(n).with_restitution(0.5));
    let problem = Problem::new(Mass::Matrix(dmatrix![1.0]), dvector![1.0], walls.to_vec()).unwrap();
    let error = Derivative::at(&Newton::default(), &problem, &Settings::default()).unwrap_err();
    assert_eq!(error, Error::Unresolved { status: Status::Infeasible });
    let wide = Problem::new(
        Mass::Matrix(dmatrix![1.0]),
        dvector![-1.0],
        vec![Contact::new(dvector![1.0]); super::MOST_ROWS + 1],
    );
    let error = Derivative::at(&Newton::default(), &wide.unwrap(), &Settings::default());
    assert!(matches!(error, Err(Error::Rows { .. })));
}
