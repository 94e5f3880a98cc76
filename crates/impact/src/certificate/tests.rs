//! Tests of the judgement: every figure by an outcome that breaks just that one, and claims.

mod limits;
mod stated;

use nalgebra::{DVector, dmatrix, dvector};

use super::{Certificate, Claims, Complementarity, Friction, Verdict};
use crate::{
    Contact, Mass, Outcome, Problem,
    outcome::{RestitutionUse, Status, Trace},
};

/// A particle of 4 kg that slides at 1 m/s and falls at 3 m/s on the ground, in a guide across.
fn particle() -> Problem {
    let ground = Contact::new(dvector![0.0, 1.0, 0.0])
        .with_friction(0.5, vec![dvector![1.0, 0.0, 0.0]])
        .with_restitution(0.5);
    let mass = Mass::Matrix(DMatrix3::from_diagonal(4.0));
    let guide = dmatrix![0.0, 0.0, 1.0];
    Problem::with_joints(mass, dvector![1.0, -3.0, 0.0], vec![ground], guide).unwrap()
}

struct DMatrix3;

impl DMatrix3 {
    fn from_diagonal(value: f64) -> nalgebra::DMatrix<f64> {
        nalgebra::DMatrix::identity(3, 3) * value
    }
}

/// A contact that no motion reaches, such as one whose normal runs through the axis of a hinge.
#[test]
fn a_normal_of_zeros_holds_without_an_impulse_and_with_none_else() {
    let (mass, contact) = (Mass::Matrix(dmatrix![1.0]), Contact::new(dvector![0.0]));
    let problem = Problem::new(mass, dvector![-1.0], vec![contact]).unwrap();
    let judged = |normal: f64| {
        let outcome = problem.outcome(&dvector![normal], Trace::resolved(vec![]));
        Certificate::judge(&problem, &outcome, &newton()).unwrap().violations()
    };
    assert_eq!(judged(0.0), Vec::<&str>::new());
    assert_eq!(judged(-1.0), ["adhesion"]);
}

fn answer(normal: f64, tangent: f64) -> Outcome {
    particle().outcome(&dvector![normal, tangent], Trace::resolved(vec![]))
}

fn newton() -> Claims {
    Claims::new(RestitutionUse::Used).with_complementarity(Complementarity::Newton)
}

fn violations(outcome: &Outcome, claims: &Claims) -> (Status, Vec<&'static str>) {
    let judgement = Certificate::judge(&particle(), outcome, claims).unwrap();
    (judgement.status, judgement.violations())
}

#[test]
fn each_figure_is_broken_alone() {
    let any = Claims::new(RestitutionUse::Used);
    assert_eq!(violations(&answer(18.0, -4.0), &newton()), (Status::Resolved, vec![]));
    assert_eq!(violations(&answer(11.0, -4.0), &any), (Status::Violated, vec!["approach"]));
    let free = particle().with_velocity(dvector![1.0, 3.0, 0.0]).unwrap();
    let pulled = free.outcome(&dvector![-1.0, 0.0], Trace::resolved(vec![]));
    let judgement = Certificate::judge(&free, &pulled, &any).unwrap();
    assert_eq!(judgement.violations(), ["adhesion", "cone_violation"]);
    assert_eq!(violations(&answer(18.0, -9.1), &any).1, ["cone_violation"]);
    // 15 N·s leave 0.75 m/s of the 1.5 m/s asked for, 20 N·s leave 2 m/s.
    assert_eq!(violations(&answer(15.0, -4.0), &newton()).1, ["complementarity"]);
    assert_eq!(violations(&answer(20.0, -4.0), &newton()).1, ["complementarity"]);
    let mut open = answer(18.0, -4.0);
    open.velocity[2] = 1e-6;
    open.bilateral_impulses[0] = 4e-6;
    assert_eq!(violations(&open, &any).1, ["bilateral_residual"]);
    let mut unexplained = answer(18.0, -4.0);
    unexplained.velocity[0] += 1e-6;
    assert_eq!(violations(&unexplained, &any).1, ["momentum_residual"]);
    let mut lost = answer(18.0, -4.0);
    lost.velocity[1] = f64::NAN;
    assert_eq!(violations(&lost, &any).0, Status::Violated);
}

/// 26 N·s throw the particle off at 3.5 m/s: 24.5 J of what were 20.
#[test]
fn growth_of_energy_is_a_status_of_its_own_unless_the_law_claims_none() {
    let any = Claims::new(RestitutionUse::Used);
    let gain = vec!["energy_change"];
    assert_eq!(violations(&answer(26.0, -4.0), &any), (Status::EnergyGained, gain.clone()));
    let dissipating = any.dissipating(true);
    assert_eq!(violations(&answer(26.0, -4.0), &dissipating), (Status::Violated, gain));
    let also = vec!["cone_violation", "energy_change"];
    assert_eq!(violations(&answer(26.0, -14.0), &any), (Status::Violated, also));
}

#[test]
fn a_law_that_did_not_come_to_its_end_keeps_its_status() {
    for status in [Status::Limit, Status::Unsolved] {
        let mut outcome = answer(18.0, -4.0);
        outcome.trace.status = status;
        assert_eq!(violations(&outcome, &newton()).0, status);
    }
}

/// A residual of 1e-12 N·s is nothing beside 12 N·s, and all there is beside 1e-11 N·s.
///
/// Symptom: with `1 + ‖M v‖` as the size a grain of a channel passed with 0.9 % of error. Cause: an absolute size
/// of 1 N·s. Expected: the momentum residual is a part of the terms it is made of, in any units.
#[test]
fn small_momenta_are_judged_by_their_own_size() {
    let ground = Contact::new(dvector![1.0]);
    let mass = Mass::Matrix(dmatrix![1e-9]);
    let grain = Problem::new(mass, dvector![-0.01], vec![ground]).unwrap();
    let mut stopped = grain.outcome(&dvector![1e-11], Trace::resolved(vec![]));
    let claims = Claims::new(RestitutionUse::Used);
    assert_eq!(Certificate::judge(&grain, &stopped, &claims).unwrap().status, Status::Resolved);
    stopped.impulses[0].normal *= 1.009;
    let judgement = Certificate::judge(&grain, &stopped, &claims).unwrap();
    assert_eq!(judgement.violations(), ["momentum_residual"]);
    assert!(judgement.certificate.momentum_residual > 1e-3);
}

/// Two corners of a leg's base land at once, mirror images across its plane of motion.
///
/// Symptom: Newton, Poisson, Anitescu–Potra and PLUS counted as violated, and motions ended. Cause: the responses sideways
/// of the two corners cancel except for 3e-17 m/s, and the momentum of that was compared with itself, because no impulse
/// acts sideways. Expected: what is left of terms that cancel is no error.
#[test]
fn the_rounding_of_responses_that_cancel_is_no_momentum() {
    let mass = dmatrix![
        4.2, 0.0, 0.0, -0.1501, 0.0, -0.2171;
        0.0, 4.2, 0.0, 0.0, 0.1501, 0.0;
        0.0, 0.0, 4.2, 0.0, 0.2171, 0.0;
        -0.1501, 0.0, 0.0, 0.044, 0.0, 0.0259;
        0.0, 0.1501, 0.2171, 0.0, 0.0993, 0.0;
        -0.2171, 0.0, 0.0, 0.0259, 0.0, 0.0768
    ];
    let velocity = dvector![0.0, 0.8575, -1.9363, 0.0, 5.609, 0.0];
    let corner = |side: f64| {
        let normal = dvector![0.0, 0.0, 1.0, 0.0753 * side, -0.0844, 0.0];
        let along = dvector![0.0, 1.0, 0.0, 0.0, -0.0733, 0.0753 * side];
        let across = dvector![1.0, 0.0, 0.0, 0.0733, 0.0, 0.0844];
        Contact::new(normal).with_friction(0.8, vec![along, across]).with_restitution(0.5)
    };
    let problem = Problem::new(Mass::Matrix(mass), velocity, vec![corner(-1.0), corner(1.0)]);
    let problem = problem.unwrap();
    let impulse = dvector![5.4, -3.1, 0.0, 5.4, -3.1, 0.0];
    let outcome = problem.outcome(&impulse, Trace::resolved(vec![]));
    let claims = Claims::new(RestitutionUse::Used);
    let judgement = Certificate::judge(&problem, &outcome, &claims).unwrap();
    assert!(!judgement.violations().contains(&"momentum_residual"), "{judgement:?}");
    assert!(judgement.certificate.momentum_residual < 1e-12, "{judgement:?}");
    let mut pushed = outcome;
    pushed.velocity[0] += 1e-6;
    let judgement = Certificate::judge(&problem, &pushed, &claims).unwrap();
    assert!(judgement.violations().contains(&"momentum_residual"), "{judgement:?}");
}

/// Sliding on without friction, and pushed backwards beyond rest, with impulses that are right otherwise.
#[test]
fn friction_that_does_not_oppose_the_slip_is_broken_complementarity() {
    for directions in [4, 8] {
        let claims = newton().with_friction(Friction::Polygon(directions));
        assert_eq!(violations(&answer(18.0, -4.0), &claims), (Status::Resolved, vec![]));
        for tangent in [0.0, -3.9, -4.1, -8.0] {
            assert_eq!(violations(&answer(18.0, tangent), &newton()).0, Status::Resolved);
            assert_eq!(violations(&answer(18.0, tangent), &claims).1, ["complementarity"]);
        }
    }
}

/// From 20 J to 4.5 J.
#[test]
fn another_change_of_the_energy_than_is_claimed_breaks_the_claim() {
    for (change, status) in
        [(-0.775, Status::Resolved), (-0.775 + 1e-6, Status::Violated), (0.0, Status::Violated)]
    {
        let claims = Claims { energy_change: Some(change), ..newton() };
        assert_eq!(violations(&answer(18.0, -4.0), &claims).0, status, "{change}");
    }
}

/// Two bodies that follow each other at 1e6 m/s: 2e-8 of the terms is an approach of 0.02 m/s, which neither rounding nor a
/// tolerance of a relative speed of 1 m/s explains.
#[test]
fn terms_that_cancel_do_not_excuse_an_approach() {
    let contact = Contact::new(dvector![1.0, -1.0]);
    let mass = Mass::Matrix(nalgebra::DMatrix::identity(2, 2));
    let problem = Problem::new(mass, dvector![1e6, 1e6 + 1.0], vec![contact]).unwrap();
    for (push, status) in [(0.5, Status::Resolved), (0.49, Status::Violated)] {
        let outcome = problem.outcome(&dvector![push], Trace::resolved(vec![]));
        let any = Claims::new(RestitutionUse::Used);
        assert_eq!(Certificate::judge(&problem, &outcome, &any).unwrap().status, status);
    }
}

/// Sizes come from the data: impulses of 1e16 N·s that cancel do not excuse 1 m/s of approach.
#[test]
fn garbage_does_not_loosen_its_own_judge() {
    let walls = [-1.0, 1.0].map(|side| Contact::new(dvector![side]));
    let problem = Problem::new(Mass::Matrix(dmatrix![1.0]), dvector![1.0], walls.to_vec()).unwrap();
    for size in [1e3, 1e9, 1e16, 1e150] {
        let wrong = problem.outcome(&dvector![size, size], Trace::resolved(vec![]));
        let judgement =
            Certificate::judge(&problem, &wrong, &Claims::new(RestitutionUse::Used)).unwrap();
        assert_eq!(judgement.violations(), ["approach"], "{size}");
    }
}

/// A grain of 1 g at 1 mm/s is not measured by a truck of 10 t at 30 m/s in the same problem.
#[test]
fn a_grain_is_not_measured_by_the_truck_beside_it() {
    let contacts = vec![Contact::new(dvector![1.0, 0.0]), Contact::new(dvector![0.0, 1.0])];
    let mass = Mass::Matrix(dmatrix![1e4, 0.0; 0.0, 1e-3]);
    let problem = Problem::new(mass, dvector![-30.0, -1e-3], contacts).unwrap();
    let claims = Claims::new(RestitutionUse::Used);
    for (grain, expected) in [(1e-6, vec![]), (0.9999e-6, vec!["approach"])] {
        let outcome = problem.outcome(&dvector![3e5, grain], Trace::resolved(vec![]));
        let judgement = Certificate::judge(&problem, &outcome, &claims).unwrap();
        assert_eq!(judgement.violations(), expected);
    }
}

#[test]
fn an_integration_is_not_judged_by_the_rows_at_touchdown() {
    let mut outcome = answer(18.0, -4.0);
    outcome.velocity[0] += 1e-4;
    let judge = |claims: Claims| Certificate::judge(&particle(), &outcome, &claims).unwrap();
    let claims = Claims::new(RestitutionUse::Used);
    assert_eq!(judge(claims).status, Status::Violated);
    let judgement = judge(claims.in_time().within(1e-3));
    assert_eq!(judgement.status, Status::Resolved);
    assert_eq!(judgement.figures[0].verdict, Verdict::Information);
}

#[test]
fn rest_before_the_impact_stays_rest() {
    let problem = particle().with_velocity(DVector::zeros(3)).unwrap();
    let claims = Claims::new(RestitutionUse::Used);
    let status = |impulse: DVector<f64>| {
        let outcome = problem.outcome(&impulse, Trace::resolved(vec![]));
        Certificate::judge(&problem, &outcome, &claims).unwrap().status
    };
    assert_eq!(status(dvector![0.0, 0.0]), Status::Resolved);
    assert_eq!(status(dvector![1e-9, 0.0]), Status::EnergyGained);
}
