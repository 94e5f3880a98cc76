//! Corrections of contacts and rows that hold, beside the default solver.

use nalgebra::{DMatrix, DVector, dmatrix};

use super::*;
use crate::friction::{
    Method, Report, Status,
    mixed::{Block, Judgement, Problem as Blocks, Settings},
    problem::tests::random_problem,
};

/// Problems of which all contacts that press stick, with their impulses for slightly other velocities.
fn sticking() -> impl Iterator<Item = (u64, Problem, Vec<Vector3<f64>>)> {
    (0..200).filter_map(|seed| {
        let mut problem = random_problem(seed, 5, 6, 5.0);
        let near: Vec<_> = problem.free_velocity().iter().map(|u| u * (1.0 + 1e-4)).collect();
        let solution = Method::default().with_tolerance(1e-12).solve(&problem).ok()?;
        let start = (solution.report.status == Status::Solved).then_some(solution.impulses)?;
        problem.set_free_velocity(&near).ok()?;
        Held::contacts_hold(problem.contacts(), &start).then_some((seed, problem, start))
    })
}

#[test]
fn contacts_that_stick_are_corrected_to_the_solution() {
    let mut count = 0;
    let mut held = Held::default();
    for (seed, problem, start) in sticking() {
        let mut impulses = start;
        assert!(held.hold_contacts(&problem, &impulses), "seed {seed}");
        for _ in 0..2 {
            held.correct_contacts(&problem.velocities(&impulses), &mut impulses);
        }
        let report = Report::of_solution(
            problem.law(),
            problem.contacts(),
            &impulses,
            [&problem.velocities(&impulses), problem.free_velocity()],
            1e-9,
        );
        assert!(
            report.unwrap().is_some(),
            "seed {seed}: {:e}",
            problem.relative_residual(&impulses)
        );
        count += 1;
    }
    assert!(count >= 20, "{count}");
}

/// The operator of a step later differs by little.
#[test]
fn factors_of_an_operator_nearby_serve() {
    let mut count = 0;
    for (seed, problem, start) in sticking() {
        let mut held = Held::default();
        assert!(held.hold_contacts(&problem, &start), "seed {seed}");
        let scale = |row: usize| 1.0 + 1e-4 * (row as f64 + seed as f64).sin();
        let other = DMatrix::from_fn(3 * start.len(), 3 * start.len(), |i, j| {
            problem.dense()[(i, j)] * scale(i) * scale(j)
        });
        let free: Vec<f64> = problem.free_velocity().iter().flatten().copied().collect();
        let friction: Vec<f64> = problem.contacts().iter().map(Contact::friction).collect();
        let other = Problem::from_dense(&other, &free, &friction).unwrap();
        let mut impulses = start;
        let before = other.relative_residual(&impulses);
        for _ in 0..3 {
            held.correct_contacts(&other.velocities(&impulses), &mut impulses);
        }
        let after = other.relative_residual(&impulses);
        if Held::contacts_hold(other.contacts(), &impulses) {
            assert!(after < 1e-3 * before, "seed {seed}: {before:e} {after:e}");
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
}

#[test]
fn what_slides_or_does_not_press_is_not_held() {
    let problem = Problem::from_dense(&DMatrix::identity(6, 6), &[-1.0; 6], &[0.5, 0.0]).unwrap();
    let [none, normal] = [Vector3::zeros(), Vector3::new(1.0, 0.0, 0.0)];
    // At the limit up to rounding, from below.
    let slides = Vector3::new(1.0, 0.5 - 1e-16, 0.0);
    let mut held = Held::default();
    for (impulses, holds) in [
        ([none, none], false),
        ([slides, normal], false),
        ([Vector3::new(-1.0, 0.0, 0.0), normal], false),
        ([normal, none], true),
        ([none, normal], true),
        ([Vector3::new(1.0, 0.4, 0.0), normal], true),
    ] {
        assert_eq!(held.hold_contacts(&problem, &impulses), holds, "{impulses:?}");
    }
    assert_eq!(held.rows, [0, 1, 2, 3], "a contact without friction has its normal");
    let mut impulses = [Vector3::new(1.0, 0.4, 0.0), normal];
    let fixed = [Vector3::zeros(), Vector3::new(0.0, 7.0, 7.0)];
    held.correct_contacts(&fixed, &mut impulses);
    assert_eq!(
        impulses,
        [Vector3::new(1.0, 0.4, 0.0), normal],
        "tangents without friction do not count"
    );
}

/// A chain of joints with dry friction, some of which hold, and a redundant copy of a row.
#[test]
fn joints_limits_and_redundant_rows_are_corrected() {
    let jacobian = dmatrix![
        1.0, 0.2, 0.0, 0.1; 0.3, 1.0, 0.2, 0.0; 0.0, 0.4, 1.0, 0.3; 0.0, 0.1, 0.2, 1.0;
        0.0, 0.1, 0.2, 1.0; 0.5, 0.3, 0.2, 0.2; 0.2, 0.3, 0.4, 0.1; 0.3, 0.5, 0.1, 0.4
    ];
    let blocks = vec![
        Block::bound(0.5),
        Block::interval(-0.1, 0.4),
        Block::bound(2.0),
        Block::unilateral(2),
        Block::contact(Section::Disc(5.0)),
    ];
    let free = &jacobian * DVector::from_vec(vec![-0.9, -0.4, -0.6, -0.3]);
    let state = |part: f64| {
        let free: Vec<f64> = free.iter().map(|u| part * u).collect();
        Blocks::new(&jacobian * jacobian.transpose(), free, blocks.clone()).unwrap()
    };
    let solution = state(1.0).solve(&Settings::default()).unwrap();
    assert_eq!(solution.report.status, Status::Solved);
    let mut impulses = solution.impulses;
    let near = state(1.0 + 1e-5);
    assert!(near.report_of(&impulses, &mut Judgement::default(), 1e-10).is_none());
    let mut held = Held::default();
    assert!(held.hold_blocks(&near, &impulses), "{impulses:?}");
    assert!(held.rows.len() > 4, "more rows than the chain has velocities: {:?}", held.rows);
    for _ in 0..2 {
        held.correct(&near.velocities(&impulses), &mut impulses);
    }
    assert!(Held::blocks_hold(&near, &impulses));
    let report = near.report_of(&impulses, &mut Judgement::default(), 1e-10).unwrap();
    assert_eq!((report.status, report.iterations), (Status::Solved, 0));
    assert!(near.relative_residual(&impulses) <= 1e-10);
}

#[test]
fn other_sections_and_bilateral_rows_are_not_held() {
    let identity = |rows| DMatrix::identity(rows, rows);
    let cases = [
        (Block::bilateral(1), vec![1.0]),
        (Block::contact(Section::Ellipse([0.5, 0.2])), vec![1.0, 0.0, 0.0]),
        (Block::bound(0.5), vec![0.7]),
        (Block::unilateral(1), vec![-0.1]),
        (Block::contact(Section::Disc(0.5)), vec![1.0, 0.5, 0.0]),
        (Block::bound(0.5), vec![0.0]),
    ];
    for (block, impulses) in cases {
        let rows = block.rows;
        let problem = Blocks::new(identity(rows), vec![-1.0; rows], vec![block]).unwrap();
        assert!(!Held::default().hold_blocks(&problem, &impulses), "{:?}", problem.blocks());
    }
}
