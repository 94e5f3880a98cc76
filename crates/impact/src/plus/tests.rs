//! Tests of PLUS: the published examples, closed forms, and bad input.

use nalgebra::{DMatrix, DVector, dmatrix, dvector};

use super::{ActiveSet, Motion, Participation, Phase, Plus, State, Status, Trace};
use crate::{Contact, Law, Mass, Outcome, Problem, law::Error};

mod examples;

/// A contact with the Delassus operator `w`: the generalized velocities are its own.
fn contact(w: &DMatrix<f64>, velocity: DVector<f64>, friction: f64, restitution: f64) -> Problem {
    let n = w.nrows();
    let row = |i| DVector::from_fn(n, |j, _| f64::from(u8::from(i == j)));
    let contact = Contact::new(row(0))
        .with_friction(friction, (1..n).map(row).collect())
        .with_restitution(restitution);
    let mass = Mass::Matrix(w.clone().try_inverse().unwrap());
    Problem::new(mass, velocity, vec![contact]).unwrap()
}

fn resolve(law: &Plus, problem: &Problem) -> (Trace, Outcome) {
    let trace = law.trace(problem).unwrap();
    assert_eq!(trace.report.status, Status::Resolved, "{trace:#?}");
    (trace, law.resolve(problem).unwrap())
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64) {
    let differ = found.iter().zip(expected).any(|(a, b)| (a - b).abs() > tolerance);
    assert!(found.len() == expected.len() && !differ, "{found:?} is not {expected:?}");
}

fn inelastic() -> Plus {
    Plus { e_min: Some(0.0), v_capture: 0.0, v_plastic: 0.0, ..Plus::default() }
}

/// `W = I` but `W_t1,n = 1/2`, falling straight at 1 m/s. Slipping along `t1`,
/// `π_n = 1/(1 − μ/2)` and `u_t = (1/2 − μ) π_n`.
#[test]
fn a_contact_thrown_sideways_slips() {
    let w = dmatrix![1.0, 0.5, 0.0; 0.5, 1.0, 0.0; 0.0, 0.0, 1.0];
    for mu in [0.1, 0.3] {
        let (trace, outcome) =
            resolve(&inelastic(), &contact(&w, dvector![-1.0, 0.0, 0.0], mu, 0.0));
        let normal = 1.0 / (1.0 - 0.5 * mu);
        assert_close(outcome.velocity.as_slice(), &[0.0, (0.5 - mu) * normal, 0.0], 1e-14);
        let impulse = &outcome.impulses[0];
        assert_close(&[impulse.normal], &[normal], 1e-14);
        assert_close(&impulse.tangent, &[-mu * normal, 0.0], 1e-14);
        let slips = State { phase: Phase::Compressing, motion: Motion::ImpendingSlip };
        assert_eq!(trace.intervals[0].states, [slips]);
        assert_eq!(trace.intervals.len(), 1);
    }
}

/// The same with one tangent.
#[test]
fn a_planar_contact_thrown_sideways_slips() {
    let w = dmatrix![1.0, 0.5; 0.5, 1.0];
    let (_, outcome) = resolve(&inelastic(), &contact(&w, dvector![-1.0, 0.0], 0.1, 0.0));
    assert_close(outcome.velocity.as_slice(), &[0.0, 0.4 / 0.95], 1e-14);
}

/// A unit mass that slides at 1/2 m/s, below the transition velocity, and takes 1 N·s: friction of
/// 1/10 leaves 2/5 m/s.
#[test]
fn a_slowly_sliding_contact_keeps_its_velocity_but_for_friction() {
    let law = Plus { v_transition: 1.0, ..inelastic() };
    let problem = contact(&DMatrix::identity(3, 3), dvector![-1.0, 0.3, 0.4], 0.1, 0.0);
    let (trace, outcome) = resolve(&law, &problem);
    assert_close(outcome.velocity.as_slice(), &[0.0, 0.24, 0.32], 1e-14);
    assert_eq!(trace.intervals[0].states[0].motion, Motion::ImpendingSlip);
}

fn refused(law: Plus) -> (&'static str, &'static str) {
    let problem = contact(&dmatrix![1.0], dvector![-1.0], 0.0, 0.0);
    match law.resolve(&problem) {
        Err(Error::Setting { name, expected, .. }) => (name, expected),
        other => panic!("{other:?} is not a refusal of a setting"),
    }
}

#[test]
fn settings_outside_their_range_are_refused() {
    let law = Plus::default();
    for v_transition in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(refused(Plus { v_transition, ..law }), ("v_transition", "a number > 0"));
    }
    for theta_max in [0.0, -0.1, 1.6, f64::NAN] {
        assert_eq!(refused(Plus { theta_max, ..law }), ("theta_max", "an angle in (0, π/2]"));
    }
    for e_min in [-0.1, 1.1, f64::NAN] {
        assert_eq!(refused(Plus { e_min: Some(e_min), ..law }), ("e_min", "a number in [0, 1]"));
    }
    let below = Plus { v_capture: 0.2, v_plastic: 0.1, ..law };
    assert_eq!(refused(below), ("v_plastic", "a number ≥ v_capture"));
    assert_eq!(refused(Plus { v_capture: -0.1, ..law }).0, "v_capture");
    assert_eq!(refused(Plus { alpha_min: 1.0, ..law }).0, "alpha_min");
    assert_eq!(refused(Plus { rank_tolerance: 0.0, ..law }).0, "rank_tolerance");
    assert_eq!(refused(Plus { round_limit: 0, ..law }).0, "round_limit");
    assert_eq!(refused(Plus { interval_limit: 0, ..law }).0, "interval_limit");
    assert_eq!(refused(Plus { pass_limit: 0, ..law }).0, "pass_limit");
    assert_eq!(refused(Plus { work_limit: 0, ..law }).0, "work_limit");
}

#[test]
fn restitution_falls_with_the_approach_speed() {
    let law = Plus::default();
    let found = [0.0, 0.009, 0.01, 0.05, 0.1, 10.0].map(|speed| law.restitution(0.4, speed));
    assert_close(&found, &[0.0, 0.0, 0.94, 0.7, 0.4, 0.4], 1e-15);
    let constant = Plus { v_capture: 0.0, v_plastic: 0.0, ..law };
    assert_close(&[1e-9, 1.0].map(|speed| constant.restitution(0.4, speed)), &[0.4, 0.4], 0.0);
}

#[test]
fn nothing_happens_where_nothing_approaches() {
    let none = Problem::new(Mass::Matrix(dmatrix![1.0]), dvector![-1.0], vec![]).unwrap();
    let leaving = contact(&DMatrix::identity(3, 3), dvector![1.0, -2.0, 3.0], 0.5, 1.0);
    // The joint holds the only velocity there is, and with it the contact.
    let contacts = vec![Contact::new(dvector![1.0])];
    let mass = Mass::Matrix(dmatrix![1.0]);
    let held = Problem::with_joints(mass, dvector![0.0], contacts, dmatrix![1.0]).unwrap();
    // A contact between two points of one body has rows of zeros.
    let contacts = vec![Contact::new(dvector![0.0]).with_friction(1.0, vec![dvector![0.0]])];
    let mass = Mass::Matrix(dmatrix![1.0]);
    let empty = Problem::new(mass, dvector![-1.0], contacts).unwrap();
    for problem in [none, leaving, held, empty] {
        let (trace, outcome) = resolve(&Plus::default(), &problem);
        assert_eq!(trace.report, super::Report::default());
        assert_eq!(&outcome.velocity, problem.velocity());
    }
}

#[test]
fn many_contacts_are_too_many_for_an_exhaustive_search() {
    let contacts = vec![Contact::new(dvector![1.0]); 9];
    let problem = Problem::new(Mass::Matrix(dmatrix![1.0]), dvector![-1.0], contacts).unwrap();
    let law = Plus { active_set: ActiveSet::Exhaustive, ..Plus::default() };
    assert!(matches!(law.resolve(&problem), Err(Error::Contacts { found: 9, .. })));
}

/// Of the heuristic: nine equal contacts under one body share its momentum.
#[test]
fn redundant_contacts_share_the_percussion() {
    let contacts = vec![Contact::new(dvector![1.0]); 9];
    let problem = Problem::new(Mass::Matrix(dmatrix![3.0]), dvector![-3.0], contacts).unwrap();
    let (_, outcome) = resolve(&inelastic(), &problem);
    for impulse in &outcome.impulses {
        assert!((impulse.normal - 1.0).abs() < 1e-14);
    }
}

#[test]
fn limits_are_reported() {
    let problem = contact(&DMatrix::identity(3, 3), dvector![-1.0, 0.3, 0.4], 0.1, 0.5);
    let status = |law: Plus| law.trace(&problem).unwrap().report.status;
    let law = Plus { v_transition: 1.0, ..Plus::default() };
    assert_eq!(status(law), Status::Resolved);
    assert_eq!(status(Plus { round_limit: 1, ..law }), Status::RoundLimit);
    assert_eq!(status(Plus { interval_limit: 1, ..law }), Status::IntervalLimit);
    assert_eq!(status(Plus { pass_limit: 1, ..law }), Status::PassLimit);
    assert_eq!(status(Plus { work_limit: 1, ..law }), Status::WorkLimit);
    let outcome = Plus { round_limit: 1, ..law }.resolve(&problem).unwrap();
    assert_eq!(outcome.trace.status, crate::outcome::Status::Limit);
}

/// Symptom: an impact of three contacts could run for minutes. Cause: limits of rounds, intervals and passes multiply.
/// Expected: one limit of work ends it wherever it is, with the impulses so far. Turns of 1e-9 rad would take 1e9 intervals.
#[test]
fn one_limit_of_work_ends_an_impact_of_any_length() {
    let row = |i: usize, x: f64| DVector::from_fn(6, |j, _| if j == i { 1.0 } else { 0.1 * x });
    let contacts = (0..3).map(|k| {
        let tangents = vec![row(3 + k, 1.0), row((4 + k) % 3, -2.0)];
        Contact::new(row(k, 0.5)).with_friction(0.8, tangents).with_restitution(0.5)
    });
    let velocity = dvector![-1.0, -2.0, -1.5, 2.0, 1.0, -3.0];
    let mass = Mass::Matrix(DMatrix::identity(6, 6));
    let problem = Problem::new(mass, velocity, contacts.collect()).unwrap();
    let endless = Plus {
        theta_max: 1e-9,
        alpha_min: 0.0,
        round_limit: usize::MAX,
        interval_limit: usize::MAX,
        pass_limit: usize::MAX,
        work_limit: 1_000_000,
        ..Plus::default()
    };
    let report = endless.trace(&problem).unwrap().report;
    assert_eq!(report.status, Status::WorkLimit);
    // What is begun is ended: one factorization of nine unknowns, at most.
    assert!((1_000_000..1_010_000).contains(&report.work), "{}", report.work);
    let outcome = endless.resolve(&problem).unwrap();
    assert_eq!(outcome.trace.status, crate::outcome::Status::Limit);
    let pushes = outcome.impulses.iter().all(|impulse| impulse.normal >= 0.0);
    assert!(pushes && outcome.impulses[1].normal > 0.0, "the percussions so far");
}

/// `W = [2 3; 3 5]`, `μ = 1`: sliding forwards at 1 m/s the contact approaches by 1 m/s more for each
/// N·s that pushes it, for 1/2 N·s; then it rolls, which lifts it by 2 − 9/5 a N·s.
#[test]
fn a_jam_ends_with_the_sliding() {
    let problem = contact(&dmatrix![2.0, 3.0; 3.0, 5.0], dvector![-1.0, 1.0], 1.0, 0.0);
    let (trace, outcome) = resolve(&inelastic(), &problem);
    assert_eq!(trace.report.jams, 1);
    assert_close(&[outcome.impulses[0].normal], &[8.0], 1e-12);
    assert_close(outcome.velocity.as_slice(), &[0.0, 0.0], 1e-12);
}

#[test]
fn stages_are_those_of_the_contacts_in_each_round() {
    let problem = contact(&DMatrix::identity(2, 2), dvector![-1.0, 5.0], 0.1, 0.5);
    let outcome = Plus::default().resolve(&problem).unwrap();
    let stages = &outcome.trace.stages;
    assert_eq!(stages.len(), 2);
    assert_eq!(stages[0].phase, crate::outcome::Phase::Compression);
    assert!((&stages[0].velocity - dvector![0.0, 4.9]).amax() < 1e-14);
    assert_eq!(stages[1].velocity, outcome.velocity);
    assert_eq!(stages[1].contact, Some(0));
}

#[cfg(feature = "serde")]
#[test]
fn settings_are_read_from_files() {
    let law: Plus = serde_json::from_str(r#"{"theta_max": 0.25, "e_min": 0.5}"#).unwrap();
    assert_eq!(law, Plus { theta_max: 0.25, e_min: Some(0.5), ..Plus::default() });
    assert!(serde_json::from_str::<Plus>(r#"{"theta": 1}"#).is_err());
}
