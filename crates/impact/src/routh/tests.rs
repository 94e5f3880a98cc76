//! Tests of Routh's method: each case in the plane by hand, curves in space against closed forms.

use nalgebra::{DMatrix, DVector, dmatrix, dvector};

use super::{Restitution, Routh};
use crate::{
    Contact, Law, Mass, Outcome, Problem,
    certificate::Certificate,
    law::Error,
    outcome::{Phase, Status},
};

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

fn resolve(problem: &Problem, restitution: Restitution) -> Outcome {
    let outcome = Routh { restitution, ..Routh::default() }.resolve(problem).unwrap();
    assert_eq!(outcome.trace.status, Status::Resolved);
    outcome
}

fn phases(outcome: &Outcome) -> Vec<Phase> {
    outcome.trace.stages.iter().map(|stage| stage.phase).collect()
}

fn assert_close(found: &DVector<f64>, expected: &DVector<f64>, tolerance: f64) {
    assert!((found - expected).amax() <= tolerance, "{found} is not {expected}");
}

/// `W = 1`: friction of 1/2 takes half of the normal speed from the sliding.
#[test]
fn sliding_goes_on_to_the_end() {
    let problem = contact(&DMatrix::identity(2, 2), dvector![-1.0, 3.0], 0.5, 0.5);
    let outcome = resolve(&problem, Restitution::Kinetic);
    assert_close(&outcome.velocity, &dvector![0.5, 2.25], 1e-15);
    assert_eq!(phases(&outcome), [Phase::Slide, Phase::Slide]);
}

/// `W = 1`: sliding at 1/4 m/s has ended after 1/2 N·s, and the contact sticks to the end.
#[test]
fn sliding_ends_and_the_contact_sticks() {
    let problem = contact(&DMatrix::identity(2, 2), dvector![-1.0, 0.25], 0.5, 1.0);
    let outcome = resolve(&problem, Restitution::Energetic);
    assert_close(&outcome.velocity, &dvector![1.0, 0.0], 1e-15);
    assert_eq!(phases(&outcome), [Phase::Slide, Phase::Stick, Phase::Stick]);
    assert!((outcome.impulses[0].tangent[0] + 0.25).abs() < 1e-15);
}

/// `W = [2 1; 1 1]`, `μ = 1/2`: sliding backwards at 3/4 m/s slows by 3/2 a N·s and has ended after
/// 1/2 N·s, where `u_n = −4 + 5/4`. Sticking would take 1, so the contact slides forwards, with
/// `u_n` growing by 3/2 and `u_t` by 1/2 a N·s, until `p = 1/2 + 11/6`.
#[test]
fn sliding_reverses() {
    let problem = contact(&dmatrix![2.0, 1.0; 1.0, 1.0], dvector![-4.0, -0.75], 0.5, 0.0);
    let outcome = resolve(&problem, Restitution::Kinetic);
    assert_close(&outcome.velocity, &dvector![0.0, 11.0 / 12.0], 1e-14);
    assert!((outcome.impulses[0].normal - 7.0 / 3.0).abs() < 1e-14);
    assert_eq!(phases(&outcome), [Phase::Slide, Phase::Slide]);
}

/// `W = [2 3; 3 5]`, `μ = 1`: sliding forwards at 1 m/s the contact approaches by 1 m/s more for each
/// N·s that pushes it, for 1/2 N·s; then it sticks, which lifts it by 2 − 9/5 a N·s.
#[test]
fn a_jam_ends_with_the_sliding() {
    let problem = contact(&dmatrix![2.0, 3.0; 3.0, 5.0], dvector![-1.0, 1.0], 1.0, 0.0);
    let outcome = resolve(&problem, Restitution::Kinetic);
    assert_eq!(phases(&outcome), [Phase::Slide, Phase::Stick]);
    assert!((outcome.trace.stages[0].velocity[0] + 1.5).abs() < 1e-13, "approach grew");
    assert!((outcome.impulses[0].normal - 8.0).abs() < 1e-12);
    assert_close(&outcome.velocity, &dvector![0.0, 0.0], 1e-13);
}

/// A bead on a wire, whose normal and tangent are multiples of the same row, in all kinds of rounding: friction that is strong
/// enough to hold it stops both at once, after which nothing drives it apart.
#[test]
fn a_contact_that_depends_on_its_tangents_stops_where_sliding_stops() {
    for step in 1..200 {
        let part = f64::from(step) / 70.0;
        for tangents in [vec![dvector![part]], vec![dvector![part], dvector![-0.3 * part]]] {
            for restitution in [0.0, 0.5] {
                let wire = Contact::new(dvector![1.0 + 0.01 * part])
                    .with_friction(1.1 / part, tangents.clone())
                    .with_restitution(restitution);
                let mass = Mass::Matrix(dmatrix![0.3 + part]);
                let problem = Problem::new(mass, dvector![-1.0], vec![wire]).unwrap();
                let outcome = resolve(&problem, Restitution::Kinetic);
                // The law leaves its tolerance times the impulse of sticking, up to 1/part of the normal one.
                let limit = 2.0 * Routh::default().tolerance * part.recip().max(1.0);
                assert!(outcome.velocity[0].abs() < limit, "{}", outcome.velocity);
                let energetic = Routh { restitution: Restitution::Energetic, ..Routh::default() };
                let status = energetic.resolve(&problem).unwrap().trace.status;
                assert_eq!(status == Status::Resolved, restitution == 0.0, "{status:?}");
            }
        }
    }
}

/// The impact of `sliding_reverses`, whose compression takes 7/3 N·s, goes on into expansion.
#[test]
fn the_rules_of_restitution_end_where_they_say() {
    let problem = contact(&dmatrix![2.0, 1.0; 1.0, 1.0], dvector![-4.0, -0.75], 0.5, 0.5);
    let kinematic = resolve(&problem, Restitution::Kinematic);
    assert!((kinematic.velocity[0] - 2.0).abs() < 1e-14);
    let kinetic = resolve(&problem, Restitution::Kinetic);
    assert!((kinetic.impulses[0].normal - 3.5).abs() < 1e-14);
    // Compression takes up (4 + 11/4)/2 · 1/2 + 11/4 · 11/6 / 2, a quarter of which 3/4 Δp² gives back.
    let taken: f64 = 6.75 / 4.0 + 121.0 / 48.0;
    let energetic = resolve(&problem, Restitution::Energetic);
    let expected = 7.0 / 3.0 + (taken / 3.0).sqrt();
    assert!((energetic.impulses[0].normal - expected).abs() < 1e-14);
}

#[test]
fn without_friction_the_rules_agree() {
    let w = dmatrix![2.0, 0.7, 0.1; 0.7, 3.0, 0.4; 0.1, 0.4, 1.0];
    for restitution in [Restitution::Kinematic, Restitution::Kinetic, Restitution::Energetic] {
        let problem = contact(&w, dvector![-1.0, 0.3, 0.2], 0.0, 0.6);
        let outcome = resolve(&problem, restitution);
        assert!((outcome.velocity[0] - 0.6).abs() < 1e-14);
        assert!((outcome.impulses[0].normal - 0.8).abs() < 1e-14);
    }
}

/// A central impact, `W = diag(1, a, b)`, slides along `u_1^(1/a) ∝ u_2^(1/b)`.
#[test]
fn a_central_impact_slides_along_a_power_law() {
    let (a, b) = (1.0, 3.5);
    let w = DMatrix::from_diagonal(&dvector![1.0, a, b]);
    let problem = contact(&w, dvector![-1.0, 1.0, 1.0], 0.3, 0.5);
    let outcome = resolve(&problem, Restitution::Kinetic);
    assert_eq!(phases(&outcome), [Phase::Slide, Phase::Slide]);
    let invariant = outcome.velocity[1].powf(b / a) / outcome.velocity[2];
    assert!((invariant - 1.0).abs() < 1e-10, "{invariant}");
    assert!((outcome.velocity[0] - 0.5).abs() < 1e-10);
}

/// The error of a step is below the tolerance, and the path has less than a hundred steps.
#[test]
fn a_curve_is_as_accurate_as_asked() {
    let w = DMatrix::from_diagonal(&dvector![1.0, 1.0, 3.5]);
    let problem = contact(&w, dvector![-1.0, 1.0, 1.0], 0.3, 0.5);
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        let law = Routh { tolerance, step_limit: 100, ..Routh::default() };
        let outcome = law.resolve(&problem).unwrap();
        assert_eq!(outcome.trace.status, Status::Resolved);
        let defect = (outcome.velocity[1].powf(3.5) / outcome.velocity[2] - 1.0).abs();
        assert!(defect <= 100.0 * tolerance, "{defect} at {tolerance}");
    }
}

/// Sliding straight at the angle of 3-4-5 with `W = 1` is the same as in the plane.
#[test]
fn a_ball_slides_straight() {
    let problem = contact(&DMatrix::identity(3, 3), dvector![-1.0, 1.5, 2.0], 0.5, 0.0);
    let outcome = resolve(&problem, Restitution::Kinetic);
    assert_close(&outcome.velocity, &dvector![0.0, 1.2, 1.6], 1e-11);
    let short = contact(&DMatrix::identity(3, 3), dvector![-1.0, 0.15, 0.2], 0.5, 0.0);
    let outcome = resolve(&short, Restitution::Kinetic);
    assert_close(&outcome.velocity, &dvector![0.0, 0.0, 0.0], 1e-11);
    assert_eq!(phases(&outcome), [Phase::Slide, Phase::Stick]);
}

/// When the second tangent is not involved the spatial answer is the planar one: each case above.
#[test]
fn space_agrees_with_the_plane() {
    let cases = [
        (dmatrix![2.0, 1.0; 1.0, 1.0], dvector![-4.0, -0.75], 0.5),
        (dmatrix![2.0, 3.0; 3.0, 5.0], dvector![-1.0, 1.0], 1.0),
        (dmatrix![1.0, 0.2; 0.2, 1.0], dvector![-1.0, 0.25], 0.5),
        (dmatrix![2.0, 1.0; 1.0, 1.0], dvector![-1.0, 0.0], 0.5),
    ];
    for (w, velocity, friction) in cases {
        for restitution in [Restitution::Kinematic, Restitution::Kinetic, Restitution::Energetic] {
            let plane = resolve(&contact(&w, velocity.clone(), friction, 0.5), restitution);
            let w = w.clone().resize(3, 3, 0.0) + DMatrix::from_diagonal(&dvector![0.0, 0.0, 2.0]);
            let velocity = velocity.clone().resize_vertically(3, 0.0);
            let space = resolve(&contact(&w, velocity, friction, 0.5), restitution);
            let expected = plane.velocity.resize_vertically(3, 0.0);
            assert_close(&space.velocity, &expected, 1e-9);
        }
    }
}

/// Sliding starts along the first tangent, where `W_nt = 0`, and turns to the second, where friction
/// jams the contact (3 − 5 < 0): it separates, approaches once more, sticks, and is compressed again.
#[test]
fn a_contact_can_be_compressed_twice() {
    let w = dmatrix![3.0, 0.0, -5.0; 0.0, 5.0, 0.0; -5.0, 0.0, 9.0];
    let problem = contact(&w, dvector![-1.0, 8.0, -1.0], 1.0, 1.0);
    for restitution in [Restitution::Kinematic, Restitution::Kinetic, Restitution::Energetic] {
        let outcome = resolve(&problem, restitution);
        let certificate = Certificate::check(&problem, &outcome).unwrap();
        assert!(certificate.approach == 0.0 && outcome.velocity[0] > 0.0, "{certificate:?}");
    }
    let outcome = resolve(&problem, Restitution::Energetic);
    let [slide, stick] = [Phase::Slide, Phase::Stick];
    assert_eq!(phases(&outcome), [slide, slide, slide, stick, stick]);
    let normal: Vec<_> = outcome.trace.stages.iter().map(|stage| stage.velocity[0]).collect();
    assert!(normal[0].abs() < 1e-12 && normal[1].abs() < 1e-12, "up and down through zero");
    assert!(normal[2] < -1.0 && normal[3].abs() < 1e-12, "approach, and its end");
    let certificate = Certificate::check(&problem, &outcome).unwrap();
    assert!(certificate.energy_change < 0.0, "{certificate:?}");
}

/// Only one direction lets sliding grow, and the path starts and stays there.
#[test]
fn sliding_starts_along_the_growing_direction() {
    let w = dmatrix![4.0, 1.0, 0.5; 1.0, 1.0, 0.0; 0.5, 0.0, 3.0];
    let outcome = resolve(&contact(&w, dvector![-1.0, 0.0, 0.0], 0.3, 0.0), Restitution::Kinetic);
    let (sliding, friction) = (&outcome.velocity, &outcome.impulses[0].tangent);
    let cross = sliding[1] * friction[1] - sliding[2] * friction[0];
    let dot = sliding[1] * friction[0] + sliding[2] * friction[1];
    assert!(cross.abs() < 1e-14 && dot < 0.0, "friction opposes sliding: {cross}, {dot}");
    let expected = 0.3 * outcome.impulses[0].normal;
    assert!((friction[0].hypot(friction[1]) - expected).abs() < 1e-14);
}

#[test]
fn a_tangent_that_joints_hold_does_not_matter() {
    let free = contact(&dmatrix![2.0, 0.5; 0.5, 1.0], dvector![-1.0, 2.0], 0.4, 0.5);
    let mass = Mass::Matrix(dmatrix![1.0, -0.5; -0.5, 2.0] / 1.75);
    let contacts = free.contacts().to_vec();
    let joints = dmatrix![0.0, 1.0];
    let held = Problem::with_joints(mass, dvector![-1.0, 0.0], contacts, joints).unwrap();
    let outcome = resolve(&held, Restitution::Energetic);
    assert_close(&outcome.velocity, &dvector![0.5, 0.0], 1e-15);
    let certificate = Certificate::check(&held, &outcome).unwrap();
    assert!(certificate.momentum_residual < 1e-15 && certificate.bilateral_residual < 1e-15);
}

#[test]
fn two_contacts_and_wrong_settings_are_refused() {
    let one = contact(&DMatrix::identity(2, 2), dvector![-1.0, 0.0], 0.5, 0.0);
    let contacts = vec![one.contacts()[0].clone(), one.contacts()[0].clone()];
    let mass = Mass::Matrix(DMatrix::identity(2, 2));
    let two = Problem::new(mass, dvector![-1.0, 0.0], contacts).unwrap();
    let error = Routh::default().resolve(&two).unwrap_err();
    assert!(matches!(error, Error::Contacts { found: 2, .. }), "{error}");
    let error = Routh { tolerance: 0.0, ..Routh::default() }.resolve(&one).unwrap_err();
    assert!(matches!(error, Error::Setting { name: "tolerance", .. }), "{error}");
    let error = Routh { step_limit: 0, ..Routh::default() }.resolve(&one).unwrap_err();
    assert!(matches!(error, Error::Setting { name: "step_limit", .. }), "{error}");
}

#[test]
fn the_step_limit_is_a_status() {
    let w = DMatrix::from_diagonal(&dvector![1.0, 1.0, 3.5]);
    let problem = contact(&w, dvector![-1.0, 1.0, 1.0], 0.3, 0.5);
    let outcome = Routh { step_limit: 1, ..Routh::default() }.resolve(&problem).unwrap();
    assert_eq!(outcome.trace.status, Status::Limit);
}
