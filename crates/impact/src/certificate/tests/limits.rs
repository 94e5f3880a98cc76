//! Limits of the judgement where joints carry, where impulses cancel, and where nothing moves.

use nalgebra::{DMatrix, DVector, dmatrix, dvector};

use super::super::{
    Certificate, Claims, Complementarity, Friction, is_inelastic,
    judgement::{Judgement, Slack, opposes},
    still,
};
use crate::{
    Contact, Mass, Outcome, Problem, Reduction,
    outcome::{RestitutionUse, Status, Trace},
};

fn judged(problem: &Problem, outcome: &Outcome, claims: &Claims) -> Judgement {
    Certificate::judge(problem, outcome, claims).unwrap()
}

fn with_impulses(problem: &Problem, impulses: &[f64], claims: &Claims) -> Judgement {
    let impulses = DVector::from_column_slice(impulses);
    judged(problem, &problem.outcome(&impulses, Trace::resolved(vec![])), claims)
}

fn any() -> Claims {
    Claims::new(RestitutionUse::Used)
}

fn newton() -> Claims {
    any().with_complementarity(Complementarity::Newton)
}

/// `M = diag(4, 1/4)` and rows of the sizes `‖a‖ = 3/2` and 2. The velocity `(u, 0)` strikes with `U = 2 |u|` and has
/// the energy `s² = 4 u²`; there are `N = 4` numbers.
#[test]
fn what_counts_as_rest_is_stated_by_the_strike_and_by_rounding() {
    let contacts = vec![Contact::new(dvector![3.0, 0.0]), Contact::new(dvector![0.0, 1.0])];
    let mass = Mass::Matrix(dmatrix![4.0, 0.0; 0.0, 0.25]);
    let problem = Problem::new(mass, dvector![-5.0, 0.0], contacts).unwrap();
    for (given, used) in [(1e-3, 1e-3), (1e-6, 1e-6), (0.0, 1e-9)] {
        let part = 4.0 * used * 10.0 + 64.0 * 4.0 * f64::EPSILON * 10.0;
        let expected = dvector![1.5 * part, 2.0 * part];
        let found = still(&problem, given);
        assert!((&found - &expected).amax() <= 1e-12 * expected.amax(), "{found} {expected}");
    }
    // A motion along the contacts strikes none of them and is rest up to rounding.
    let contacts = vec![Contact::new(dvector![0.0, 1.0])];
    let mass = Mass::Matrix(dmatrix![4.0, 0.0; 0.0, 0.25]);
    let along = Problem::new(mass, dvector![-5.0, 0.0], contacts).unwrap();
    let expected = 2.0 * 64.0 * 3.0 * f64::EPSILON * 10.0;
    assert!((still(&along, 1e-3)[0] / expected - 1.0).abs() < 1e-12);
}

#[test]
fn a_problem_is_inelastic_without_any_restitution() {
    let of = |both: [f64; 2]| {
        let contacts = both.map(|e| Contact::new(dvector![1.0]).with_restitution(e));
        Problem::new(Mass::Matrix(dmatrix![1.0]), dvector![-1.0], contacts.to_vec()).unwrap()
    };
    assert!(is_inelastic(&of([0.0, 0.0])));
    assert!(!is_inelastic(&of([0.0, 0.5])) && !is_inelastic(&of([1.0, 1.0])));
}

/// A particle of 4 kg falls at 3 m/s on the ground, with `e = ½`.
fn falling() -> Problem {
    let ground = Contact::new(dvector![1.0]).with_restitution(0.5);
    Problem::new(Mass::Matrix(dmatrix![4.0]), dvector![-3.0], vec![ground]).unwrap()
}

/// With `e = ¼` in the place of `½` the particle leaves at 0.75 m/s, by 15 N·s.
#[test]
fn only_laws_that_dissipate_may_reduce_restitution() {
    let problem = falling();
    let reduction = Some(Reduction { factor: 0.5, failing: 0.500_001 });
    for (reduction, dissipates, status) in [
        (reduction, true, Status::Resolved),
        (reduction, false, Status::Violated),
        (None, true, Status::Violated),
    ] {
        let mut outcome = problem.outcome(&dvector![15.0], Trace::resolved(vec![]));
        outcome.trace.reduction = reduction;
        let judgement = judged(&problem, &outcome, &newton().dissipating(dissipates));
        assert_eq!(judgement.status, status, "{reduction:?} {dissipates}");
    }
}

/// A rebound with the speed of the strike, by a law that prescribes a loss: another change is a violation, not a gain.
#[test]
fn energy_that_stays_where_a_loss_is_claimed_is_not_gained() {
    let claims = |change: f64| Claims { energy_change: Some(change), ..any() };
    let judgement = with_impulses(&falling(), &[24.0], &claims(-0.5));
    assert!(judgement.certificate.energy_change.abs() <= f64::MIN_POSITIVE);
    assert_eq!(judgement.status, Status::Violated);
    assert_eq!(with_impulses(&falling(), &[24.0], &claims(0.0)).status, Status::Resolved);
    // Rest has no energy to lose.
    let rest = falling().with_velocity(dvector![0.0]).unwrap();
    assert_eq!(with_impulses(&rest, &[0.0], &claims(-0.5)).status, Status::Resolved);
}

#[test]
fn contacts_separate_that_push_and_open() {
    let separates =
        |problem: &Problem, impulses: &[f64]| with_impulses(problem, impulses, &any()).separates;
    assert!(separates(&falling(), &[18.0]));
    assert!(!separates(&falling(), &[12.0]), "it pushes and stays");
    let rising = falling().with_velocity(dvector![3.0]).unwrap();
    assert!(!separates(&rising, &[0.0]), "it opens without a push");
    // Squeezed at rest.
    let walls = [1.0, -1.0].map(|side| Contact::new(dvector![side]));
    let rest = Problem::new(Mass::Matrix(dmatrix![1.0]), dvector![0.0], walls.to_vec()).unwrap();
    assert!(!separates(&rest, &[1.0, 1.0]));
}

/// A particle in the plane (1 kg) whose second coordinate a joint holds. The contact has the normal `(a, 1)`, so that
/// `W = a²`, and a tangent along a third coordinate with the friction `μ`.
fn guided(a: f64, friction: f64, velocity: [f64; 3]) -> Problem {
    let contact =
        Contact::new(dvector![a, 1.0, 0.0]).with_friction(friction, vec![dvector![0.0, 0.0, 1.0]]);
    let mass = Mass::Matrix(DMatrix::identity(3, 3));
    let (velocity, joint) = (DVector::from_column_slice(&velocity), dmatrix![0.0, 1.0, 0.0]);
    Problem::with_joints(mass, velocity, vec![contact], joint).unwrap()
}

/// The normal separates at `a`: 3e-8 of the terms `2 a` count as rest, and so does an impulse that moves its row by that,
/// `6e-8 a/W`. It adds 6 % to the terms itself.
#[test]
fn an_impulse_is_small_by_what_it_moves_in_the_joints() {
    let a = 1e-3;
    let problem = guided(a, 0.0, [1.0, 0.0, 1.0]);
    let light = 2.0 * f64::EPSILON.sqrt() * 2.0 * a / (a * a);
    for (share, violations) in [(0.95, vec![]), (1.2, vec!["adhesion"])] {
        let judgement = with_impulses(&problem, &[-share * light, 0.0], &any());
        let found = judgement.violations();
        let adhesion: Vec<_> = found.iter().filter(|name| **name == "adhesion").copied().collect();
        assert_eq!(adhesion, violations, "{share} {judgement:?}");
    }
}

/// Where the joint holds the normal, an impulse is compared with what it would move without the joint.
#[test]
fn an_impulse_that_joints_carry_is_small_by_what_it_would_move() {
    let problem = guided(0.0, 0.0, [0.0, -1.0, 1.0]);
    let rounding = problem.rounding() * 2.0_f64.sqrt();
    let light = (4e-9 + rounding).min(2.0 * f64::EPSILON.sqrt());
    for (share, holds) in [(0.99, true), (1.01, false)] {
        let judgement = with_impulses(&problem, &[-share * light, 0.0], &any());
        assert_eq!(!judgement.violations().contains(&"adhesion"), holds, "{share} {judgement:?}");
    }
}

/// The elimination of joints leaves rounding in rows that they hold, even if no velocity is along them.
#[test]
fn a_held_row_at_rest_holds() {
    let problem = guided(0.0, 0.0, [1.0, 0.0, 0.0]);
    let judgement = with_impulses(&problem, &[0.0, 0.0], &newton());
    assert_eq!(judgement.violations(), Vec::<&str>::new());
}

/// An integration knows the bound of friction to its tolerance of the normal impulse, which for a row that joints hold is
/// at most what its terms explain.
#[test]
fn the_cone_of_an_integration_is_known_by_its_normal_impulse() {
    let claims = any().in_time().within(1e-3);
    let violated = |problem: &Problem, normal: f64, excess: f64| {
        let impulses = [normal, -(normal + excess)];
        with_impulses(problem, &impulses, &claims).violations().contains(&"cone_violation")
    };
    // 1000 N·s stop the contact. Beside the tangent's 1e-3 of 2000 N·s, the bound is known to 1e-3 of 1000 N·s.
    let steep = guided(1e-3, 1.0, [-1.0, 0.0, 1.0]);
    assert!(!violated(&steep, 1000.0, 0.5));
    assert!(violated(&steep, 1000.0, 20.0));
    // A joint carries 1e6 N·s of a contact whose terms explain 7 N·s.
    let held = guided(0.0, 1.0, [0.0, -1.0, 1.0]);
    assert!(violated(&held, 1e6, 100.0));
}

/// Walls squeeze a particle with 10⁴ N·s while another coordinate moves at 1 m/s. Nothing strikes, and the bound of
/// friction is known to 16 roundings of the normal impulse.
#[test]
fn the_cone_is_known_to_the_rounding_of_the_normal_impulse() {
    let wall = |side: f64| {
        Contact::new(dvector![side, 0.0, 0.0]).with_friction(1.0, vec![dvector![0.0, 1.0, 0.0]])
    };
    let mass = Mass::Matrix(DMatrix::identity(3, 3));
    let problem = Problem::new(mass, dvector![0.0, 0.0, 1.0], vec![wall(1.0), wall(-1.0)]).unwrap();
    let push = 1e4;
    let light = problem.rounding();
    for (roundings, holds) in [(8.0, true), (14.0, true), (20.0, false)] {
        assert!(light < f64::EPSILON * push, "{light}");
        let tangent = push + roundings * f64::EPSILON * push;
        let judgement = with_impulses(&problem, &[push, tangent, push, -tangent], &any());
        let found = judgement.violations();
        assert_eq!(!found.contains(&"cone_violation"), holds, "{roundings} {judgement:?}");
    }
}

/// The normal `10⁻³` of a coordinate that strikes at 1 m/s: 1000 N·s stop it. It is known to `4e-9 · 10⁻³` m/s, which
/// 4e-6 N·s move; that is no excuse for the tangent, whose impulse is known to 4e-9 N·s.
#[test]
fn the_cone_is_judged_by_the_tangents() {
    let contact = Contact::new(dvector![0.0, 1e-3]).with_friction(1e-3, vec![dvector![1.0, 0.0]]);
    let mass = Mass::Matrix(DMatrix::identity(2, 2));
    let problem = Problem::new(mass, dvector![1.0, -1.0], vec![contact]).unwrap();
    for (excess, holds) in [(7e-9, true), (9e-9, false), (1e-6, false)] {
        let judgement = with_impulses(&problem, &[1000.0, -1.0 - excess], &any());
        let found = judgement.violations();
        assert_eq!(!found.contains(&"cone_violation"), holds, "{excess:e} {judgement:?}");
    }
}

/// A push along the slip of a contact without friction leaves the cone, and there is no friction to oppose the slip.
#[test]
fn without_friction_there_is_nothing_to_oppose() {
    let ground = Contact::new(dvector![0.0, 1.0]).with_friction(0.0, vec![dvector![1.0, 0.0]]);
    let mass = Mass::Matrix(DMatrix::identity(2, 2));
    let problem = Problem::new(mass, dvector![1.0, -3.0], vec![ground]).unwrap();
    let claims = newton().with_friction(Friction::Polygon(4));
    let judgement = with_impulses(&problem, &[3.0, 1.0], &claims);
    assert_eq!(judgement.violations(), ["cone_violation"]);
}

/// Of three directions `(1, 0)` and `(−½, ±√¾)` none is opposite to another. Against a slip along the first tangent the
/// last two dissipate half of what the cone allows, and the first all of it against the reverse.
#[test]
fn a_polygon_opposes_by_its_own_directions() {
    let none = Slack { velocity: 1e-12, normal: 1e-12, tangent: 1e-12 };
    let friction =
        |tangent: [f64; 2]| crate::outcome::Impulse { normal: 4.0, tangent: tangent.to_vec() };
    let holds =
        |tangent: [f64; 2], slip: [f64; 2]| opposes(0.5, &friction(tangent), &slip, 3, &none);
    assert!(holds([-1.0, 0.0], [1.0, 0.0]) && !holds([-0.9, 0.0], [1.0, 0.0]));
    assert!(holds([2.0, 0.0], [-1.0, 0.0]) && !holds([1.9, 0.0], [-1.0, 0.0]));
}

/// A power of 8 roundings of 10³ N·s times 10³ m/s is that of the sum, one of 24 is not.
#[test]
fn friction_opposes_up_to_rounding() {
    let none = Slack { velocity: 0.0, normal: 0.0, tangent: 0.0 };
    for (roundings, holds) in [(0.0, true), (8.0, true), (24.0, false)] {
        let tangent = vec![-1e3 * (1.0 - roundings * f64::EPSILON)];
        let impulse = crate::outcome::Impulse { normal: 1e3, tangent };
        assert_eq!(opposes(1.0, &impulse, &[1e3], 4, &none), holds, "{roundings}");
    }
}

/// As in `garbage_does_not_loosen_its_own_judge`, for an integration through the impact: it is not judged by its
/// approach, but by the separation that Newton's law asks for.
#[test]
fn garbage_does_not_loosen_the_judge_of_an_integration() {
    let walls = [-1.0, 1.0].map(|side| Contact::new(dvector![side]));
    let problem = Problem::new(Mass::Matrix(dmatrix![1.0]), dvector![1.0], walls.to_vec()).unwrap();
    for size in [1e3, 1e9, 1e16, 1e150] {
        let judgement = with_impulses(&problem, &[size, size], &newton().in_time());
        assert_eq!(judgement.violations(), ["complementarity"], "{size}");
    }
}
