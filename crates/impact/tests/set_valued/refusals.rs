//! Settings that are refused, and unusual problems that are not.

use nalgebra::{DMatrix, dmatrix, dvector};
use percussion_complementarity::lcp::lemke;
use percussion_impact::{
    Contact, Error, Law, Mass, Phase, Problem, Status,
    certificate::Certificate,
    set_valued::{Draws, Sampler, SetValuedRouth, Settings, Termination},
};

use super::{ball, rocking_block, settings, velocities};

#[test]
fn settings_outside_their_range_are_refused_by_name() {
    let good = settings(0.3, 10, 16);
    let lemke = lemke::Settings::default();
    let cases = [
        ("step", Settings { step: 0.0, ..good }),
        ("step", Settings { step: -1.0, ..good }),
        ("step", Settings { step: f64::INFINITY, ..good }),
        ("steps", Settings { steps: 0, ..good }),
        ("steps", Settings { steps: 100_001, ..good }),
        ("samples", Settings { samples: 0, ..good }),
        ("directions", Settings { directions: 7, ..good }),
        ("tolerance", Settings { tolerance: f64::NAN, ..good }),
        ("tolerance", Settings { tolerance: 1.0, ..good }),
        ("closing_step", Settings { closing_step: -0.1, ..good }),
        ("closing_step", Settings { closing_step: 1.1, ..good }),
        (
            "lemke.tolerance",
            Settings { lemke: lemke::Settings { tolerance: -1.0, ..lemke }, ..good },
        ),
        (
            "lemke.pivot_limit",
            Settings { lemke: lemke::Settings { pivot_limit: 0, ..lemke }, ..good },
        ),
    ];
    for (expected, settings) in cases {
        let error = SetValuedRouth::new(settings).post_impact_set(&rocking_block(), (), |_| ());
        assert!(
            matches!(error, Err(Error::Setting { name, .. }) if name == expected),
            "{expected}: {error:?}"
        );
    }
}

#[test]
fn more_increments_than_a_sobol_sequence_has_dimensions_are_refused() {
    let sobol = |steps| Settings { draws: Draws::Sobol, ..settings(0.3, steps, 16) };
    let problem = rocking_block();
    assert!(SetValuedRouth::new(sobol(128)).sample(&problem, 0).is_ok());
    let error = SetValuedRouth::new(sobol(129)).sample(&problem, 0);
    assert_eq!(error, Err(Error::Dimensions { found: 258, limit: 256 }));
}

#[test]
fn increments_of_a_step_are_checked() {
    let problem = rocking_block();
    let mut sampler = Sampler::new(&problem, &settings(0.3, 10, 1)).unwrap();
    for increments in [&[0.1][..], &[0.1, f64::NAN], &[-0.1, 0.1], &[f64::INFINITY, 0.1]] {
        assert!(sampler.step(increments).is_err(), "{increments:?}");
    }
    assert_eq!(sampler.lcps(), 0);
    assert_eq!(sampler.velocity(), problem.velocity());
}

#[test]
fn without_contacts_and_without_approach_nothing_changes() {
    let mass = || Mass::Matrix(DMatrix::identity(2, 2));
    let velocity = dvector![1.0, 2.0];
    let free = Problem::new(mass(), velocity.clone(), vec![]).unwrap();
    let separating = Contact::new(dvector![0.0, 1.0]).with_friction(1.0, vec![dvector![1.0, 0.0]]);
    let separating = Problem::new(mass(), velocity.clone(), vec![separating]).unwrap();
    for problem in [free, separating] {
        let law = SetValuedRouth::new(settings(0.3, 10, 16));
        let outcome = law.resolve(&problem).unwrap();
        assert_eq!(outcome.velocity, velocity);
        assert_eq!(outcome.trace.status, Status::Resolved);
        assert!(outcome.trace.stages.is_empty());
        let statistics = law.post_impact_set(&problem, (), |_| ()).unwrap().statistics;
        assert_eq!((statistics.terminated, statistics.max_lcps()), (16, 0));
    }
}

/// A contact given twice, no friction, nearly infinite friction, joints that say the same twice.
#[test]
fn redundant_and_extreme_data_are_solved_to_rounding() {
    let corner = |x: f64, friction: f64| {
        Contact::new(dvector![0.0, 1.0, x]).with_friction(friction, vec![dvector![1.0, 0.0, 1.0]])
    };
    let mass = DMatrix::from_diagonal(&dvector![1.0, 1.0, 5.0 / 12.0]);
    let joints = dmatrix![1.0, 0.0, 0.0; 2.0, 0.0, 0.0];
    let cases = [
        (vec![corner(-0.5, 1.0), corner(-0.5, 1.0), corner(0.5, 1.0)], DMatrix::zeros(0, 3)),
        (vec![corner(-0.5, 0.0), corner(0.5, 0.0)], DMatrix::zeros(0, 3)),
        (vec![corner(-0.5, 1e5), corner(0.5, 1e5)], DMatrix::zeros(0, 3)),
        (vec![corner(-0.5, 1.0), corner(0.5, 0.3)], joints),
    ];
    for (case, (contacts, joints)) in cases.into_iter().enumerate() {
        let velocity = dvector![0.0, -1.0, 0.1];
        let problem =
            Problem::with_joints(Mass::Matrix(mass.clone()), velocity, contacts, joints).unwrap();
        let set = velocities(&problem, settings(0.3, 100, 2000));
        let statistics = &set.statistics;
        assert_eq!(statistics.terminated, 2000, "case {case}: {statistics:?}");
        assert!(statistics.figures.residual < 1e-10, "case {case}: {statistics:?}");
        assert!(statistics.figures.energy_gain < 1e-14, "case {case}: {statistics:?}");
        assert!(statistics.figures.drift < 1e-13, "case {case}: {statistics:?}");
        for (_, velocity) in &set.summary.0 {
            let held = (problem.bilateral_jacobian() * velocity).amax();
            assert!(held < 1e-14, "case {case}: {held}");
        }
    }
}

/// One step of at most 1 N·s and a closing one of 0.01 N·s meet a momentum of 1 N·s: the draws above 0.99
/// are closed.
#[test]
fn too_few_steps_reach_the_limit_unless_the_last_small_one_suffices() {
    let problem = Problem::new(
        Mass::Matrix(dmatrix![1.0]),
        dvector![-1.0],
        vec![Contact::new(dvector![1.0])],
    )
    .unwrap();
    let set = velocities(&problem, settings(1.0, 1, 10_000));
    let statistics = set.statistics;
    assert_eq!(statistics.terminated, 0);
    assert_eq!(statistics.closed + statistics.limit, 10_000);
    // A hundred are expected, with a standard deviation of ten.
    assert!((70..130).contains(&statistics.closed), "{statistics:?}");
    let law = SetValuedRouth::new(Settings { closing_step: 0.0, ..settings(1.0, 1, 1) });
    assert_eq!(law.resolve(&problem).unwrap().trace.status, Status::Limit);
}

#[test]
fn a_step_that_is_not_solved_ends_the_sample() {
    let lemke = lemke::Settings { pivot_limit: 1, restarts: 0, ..lemke::Settings::default() };
    let problem = ball(dvector![2.0, 1.0, -1.0, 1.0, 0.5, 0.0]);
    let law = SetValuedRouth::new(Settings { lemke, ..settings(0.3, 10, 16) });
    let set = law.post_impact_set(&problem, super::Velocities::default(), |_| ()).unwrap();
    assert_eq!(set.statistics.unsolved, 16);
    assert!(set.summary.0.is_empty());
    let path = law.sample(&problem, 0).unwrap();
    assert_eq!((path.termination, path.steps.len()), (Termination::Unsolved, 1));
    assert_eq!(law.resolve(&problem).unwrap().trace.status, Status::Unsolved);
}

/// The law of a single sample is judged like any other.
#[test]
fn one_sample_is_an_outcome_with_a_stage_for_each_step() {
    let problem = rocking_block();
    let outcome = SetValuedRouth::new(settings(0.3, 10, 1)).resolve(&problem).unwrap();
    assert_eq!(outcome.trace.status, Status::Resolved);
    assert!(outcome.trace.stages.iter().all(|stage| stage.phase == Phase::Increment));
    let last = outcome.trace.stages.last().expect("the block approaches");
    assert!((&last.velocity - &outcome.velocity).amax() < 1e-15);
    let certificate = Certificate::check(&problem, &outcome).unwrap();
    assert!(certificate.momentum_residual < 1e-15);
    assert!(certificate.approach < 1e-9);
    assert!(certificate.adhesion == 0.0 && certificate.cone_violation < 1e-15);
    assert!(certificate.energy_change < 0.0);
}
