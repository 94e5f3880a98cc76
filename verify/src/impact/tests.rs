//! Worked impacts, and outcomes that must be rejected.

use super::*;
use crate::friction::Law;

/// A ball of 1 kg and radius 1 m that slides at 1 m/s and falls at 2 m/s on a rough floor.
fn ball(friction: f64, restitution: f64) -> Impact {
    let floor = Contact {
        normal: vec![0.0, 1.0, 0.0],
        tangents: vec![vec![1.0, 0.0, 1.0]],
        friction,
        restitution,
    };
    let mass = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.4];
    Impact::new(mass, vec![1.0, -2.0, 0.0], vec![floor], vec![]).unwrap()
}

fn outcome(velocity: &[f64], impulses: &[&[f64]]) -> Outcome {
    Outcome {
        velocity: velocity.to_vec(),
        impulses: impulses.iter().map(|impulse| impulse.to_vec()).collect(),
        joint_impulses: vec![],
    }
}

/// Everything that can be asked of a single contact with Newton's restitution.
fn all(impact: &Impact, outcome: &Outcome) -> Verdict {
    let mut verdict = impact.common(outcome, Energy::Falls, 1e-10);
    verdict.merge(&impact.newton(outcome, None, 8, 1e-10));
    verdict.merge(&impact.round_cones(outcome, Law::Coulomb, 1e-10));
    verdict.merge(&impact.round_cones(outcome, Law::MaximumDissipation, 1e-10));
    verdict.merge(&impact.routh(outcome, Restitution::Kinematic, 1e-10));
    verdict
}

#[test]
fn a_ball_that_rolls_after_the_impact_is_right_by_every_law() {
    let impact = ball(0.5, 0.5);
    let right = outcome(&[5.0 / 7.0, 1.0, -5.0 / 7.0], &[&[3.0, -2.0 / 7.0]]);
    assert!(all(&impact, &right).holds(), "{}", all(&impact, &right));
    let verdict = impact.poisson(&right, &[vec![2.0, -2.0 / 7.0]], 1e-10);
    assert!(verdict.holds(), "{verdict}");
    for restitution in [Restitution::Kinetic, Restitution::Energetic] {
        let verdict = impact.routh(&right, restitution, 1e-10);
        assert!(verdict.holds() && verdict.figures.len() == 3, "{restitution:?}: {verdict}");
    }
}

#[test]
fn every_mutation_of_an_outcome_is_refused() {
    // It slides on: friction of 0.05 takes 0.15 m/s.
    for (friction, right) in [
        (0.5, outcome(&[5.0 / 7.0, 1.0, -5.0 / 7.0], &[&[3.0, -2.0 / 7.0]])),
        (0.05, outcome(&[0.85, 1.0, -0.375], &[&[3.0, -0.15]])),
    ] {
        let impact = ball(friction, 0.5);
        assert!(all(&impact, &right).holds(), "{}", all(&impact, &right));
        for factor in [-1.0, 0.0, 1.0 + 1e-6, 1.0 - 1e-6, f64::NAN, 1e15] {
            for entry in 0..3 {
                let mut wrong = right.clone();
                wrong.velocity[entry] *= factor;
                assert!(!all(&impact, &wrong).holds(), "velocity[{entry}] times {factor}");
            }
            for entry in 0..2 {
                let mut wrong = right.clone();
                wrong.impulses[0][entry] *= factor;
                assert!(!all(&impact, &wrong).holds(), "impulse[{entry}] times {factor}");
                // With a velocity that balances the momentum, so that other conditions must detect it.
                if factor.is_finite() {
                    let [push, friction] = wrong.impulses[0][..] else { continue };
                    wrong.velocity = vec![1.0 + friction, -2.0 + push, friction / 0.4];
                    assert!(
                        !all(&impact, &wrong).holds(),
                        "balanced impulse[{entry}] times {factor}"
                    );
                }
            }
        }
        let mut dropped = right.clone();
        dropped.impulses.clear();
        assert!(impact.common(&dropped, Energy::Falls, 1e-10).refuses("size"));
    }
}

#[test]
fn each_condition_is_refused_by_its_own_name() {
    let impact = ball(0.5, 0.0);
    let common = |velocity: &[f64], impulse: &[f64]| {
        impact.common(&outcome(velocity, &[impulse]), Energy::Falls, 1e-10)
    };
    assert!(common(&[5.0 / 7.0, 0.0, -5.0 / 7.0], &[2.0, -2.0 / 7.0]).holds());
    assert!(common(&[1.0, -1.0, 0.0], &[1.0, 0.0]).refuses("approach"));
    assert!(common(&[1.0, -3.0, 0.0], &[-1.0, 0.0]).refuses("adhesion"));
    assert!(common(&[-0.5, 0.0, -3.75], &[2.0, -1.5]).refuses("cone"));
    assert!(common(&[1.0, 3.0, 0.0], &[5.0, 0.0]).refuses("energy"));
    let newton = |velocity: &[f64], impulse: &[f64]| {
        impact.newton(&outcome(velocity, &[impulse]), None, 8, 1e-10)
    };
    assert!(newton(&[5.0 / 7.0, 0.5, -5.0 / 7.0], &[2.5, -2.0 / 7.0]).refuses("complementarity"));
    assert!(newton(&[1.0, 0.0, 0.0], &[2.0, 0.0]).refuses("slip"));
    assert!(newton(&[1.5, 0.0, 1.25], &[2.0, 0.5]).refuses("slip"));
}

#[test]
fn joints_hold_and_their_redundancy_does_not_matter() {
    // The mass and rows of an impact whose redundant joints were left open.
    let row = vec![-0.0447, 0.4485, -0.9412, -0.0915];
    let twice = row.iter().map(|x| 2.0 * x).collect();
    let mut mass = vec![0.0; 16];
    (0..4).for_each(|i| mass[i * 5] = 1.65);
    let floor = Contact {
        normal: vec![0.0, 0.0, 1.0, 0.0],
        tangents: vec![],
        friction: 0.0,
        restitution: 0.0,
    };
    let velocity = vec![0.3, 0.2, -0.5, 0.1];
    let impact =
        Impact::new(mass, velocity.clone(), vec![floor], vec![row.clone(), twice]).unwrap();
    // By hand: v = v⁻ + (z n + y row)/m with v·row = 0 and v·n = 0.
    let (rr, rn) = (row.iter().map(|x| x * x).sum::<f64>(), row[2]);
    let (vr, vn) = (velocity.iter().zip(&row).map(|(v, r)| v * r).sum::<f64>(), -0.5);
    let z = 1.65 * (-vn + vr * rn / rr) / (1.0 - rn * rn / rr);
    let y = (-1.65 * vr - z * rn) / rr;
    let after: Vec<f64> =
        (0..4).map(|i| velocity[i] + (y * row[i] + if i == 2 { z } else { 0.0 }) / 1.65).collect();
    let right = Outcome {
        velocity: after,
        impulses: vec![vec![z]],
        joint_impulses: vec![0.2 * y, 0.4 * y],
    };
    let verdict = impact.common(&right, Energy::Falls, 1e-10);
    assert!(verdict.holds(), "{verdict}");
    let open = Outcome { velocity: vec![0.3, 0.2, 0.0, 0.1], ..right.clone() };
    let verdict = impact.common(&open, Energy::Falls, 1e-10);
    assert!(verdict.refuses("joints") && verdict.refuses("momentum"), "{verdict}");
}

#[test]
fn a_mass_between_two_walls_is_infeasible() {
    let wall = |normal: f64, restitution| Contact {
        normal: vec![normal],
        tangents: vec![],
        friction: 0.0,
        restitution,
    };
    let impact =
        Impact::new(vec![1.0], vec![1.0], vec![wall(-1.0, 1.0), wall(1.0, 0.0)], vec![]).unwrap();
    let proof = impact.infeasible(&[1.0, 1.0], &[1.0, 0.0]);
    assert!(proof.holds(), "{proof}");
    assert!(impact.infeasible(&[1.0, 0.5], &[1.0, 0.0]).refuses("combined normal"));
    assert!(impact.infeasible(&[1.0, 1.0], &[0.0, 0.0]).refuses("combined velocity"));
    assert!(impact.infeasible(&[-1.0, -1.0], &[1.0, 0.0]).refuses("negative weight"));
    // The absurd answer, with the error of its velocity in double precision.
    let absurd = outcome(&[0.0], &[&[9.5e15], &[9.5e15 - 1.0]]);
    let verdict = impact.newton(&absurd, None, 8, 1e-10);
    assert!(verdict.refuses("restitution"), "{verdict}");
}

/// Three equal balls: reflections pass the velocity through; half of the restitution mixes the plastic impact in.
#[test]
fn a_narrow_wedge_stops_a_body_however_narrow_it_is() {
    // The second normal differs from the first, with the opposite sign, by the fraction `2 a`.
    let wedge = |a: f64| {
        let wall = |side: f64| Contact {
            normal: vec![a, side],
            tangents: vec![],
            friction: 0.0,
            restitution: 0.0,
        };
        let walls = vec![wall(1.0), wall(-1.0)];
        Impact::new(vec![1.0, 0.0, 0.0, 1.0], vec![-1.0, 0.0], walls, vec![]).unwrap()
    };
    let left = |speed: f64, a: f64| {
        let push = (1.0 - speed) / (2.0 * a);
        outcome(&[-speed, 0.0], &[&[push], &[push]])
    };
    for a in [0.5, 5e-3, 5e-9, 5e-12] {
        let verdict = wedge(a).propagative(&left(0.0, a), 0.0, 1e-10);
        assert!(verdict.holds(), "{a:e}: {verdict}");
        let verdict = wedge(a).propagative(&left(1.0, a), 0.0, 1e-10);
        assert!(verdict.refuses("energy of the law"), "{a:e}: {verdict}");
    }
    // The speed is known to the rounding of rows divided by `2 a`, about 6e-14 / 1e-8.
    assert!(wedge(5e-9).propagative(&left(1e-3, 5e-9), 0.0, 1e-10).holds());
    for (speed, a) in [(1e-2, 5e-9), (1e-3, 5e-3)] {
        let verdict = wedge(a).propagative(&left(speed, a), 0.0, 1e-10);
        assert!(verdict.refuses("energy of the law"), "{a:e}: {verdict}");
    }
}

#[test]
fn the_cradle_is_right_by_the_propagative_law() {
    let link = |normal: [f64; 3]| Contact {
        normal: normal.to_vec(),
        tangents: vec![],
        friction: 0.0,
        restitution: 0.0,
    };
    let mass = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let contacts = vec![link([-1.0, 1.0, 0.0]), link([0.0, -1.0, 1.0])];
    let cradle = Impact::new(mass, vec![2.0, 0.0, 0.0], contacts, vec![]).unwrap();
    let elastic = outcome(&[0.0, 0.0, 2.0], &[&[2.0], &[2.0]]);
    assert!(cradle.propagative(&elastic, 1.0, 1e-10).holds());
    assert!(cradle.common(&elastic, Energy::Falls, 1e-10).holds());
    assert!(cradle.propagative(&elastic, 0.5, 1e-10).refuses("energy of the law"));
    let half = outcome(&[1.0 / 3.0, 1.0 / 3.0, 4.0 / 3.0], &[&[5.0 / 3.0], &[4.0 / 3.0]]);
    let verdict = cradle.propagative(&half, 0.5, 1e-10);
    assert!(verdict.holds(), "{verdict}");
    // The same by stages, each an elastic impact of its own.
    let stages = cradle.sequence(&[(0, vec![0.0, 2.0, 0.0]), (1, vec![0.0, 0.0, 2.0])]).unwrap();
    for stage in &stages {
        let verdict = stage.problem.newton(&stage.outcome, Some(1.0), 8, 1e-10);
        assert!(verdict.holds(), "{verdict}");
        assert!((stage.outcome.impulses[0][0] - 2.0).abs() < 1e-15);
    }
}

#[test]
fn a_step_of_the_set_valued_law_takes_its_increment_or_ends_the_approach() {
    let impact = ball(0.5, 0.0);
    let step = |velocity: [f64; 3], impulse: [f64; 2], increment: f64| Step {
        increments: vec![increment],
        velocity: velocity.to_vec(),
        impulses: vec![impulse.to_vec()],
    };
    // 0.4 N·s reduce the sliding by 0.2; then 2 N·s are allowed and 1.6 are needed.
    let first = step([0.8, -1.6, -0.5], [0.4, -0.2], 0.4);
    let last = step([5.0 / 7.0, 0.0, -5.0 / 7.0], [1.6, -3.0 / 35.0], 2.0);
    let verdict = impact.path(&[first.clone(), last], 8, 1e-10);
    assert!(verdict.holds(), "{verdict}");
    let spared = Step { increments: vec![0.5], ..first.clone() };
    assert!(impact.path(&[spared], 8, 1e-10).refuses("approach with increment left"));
    let large = Step { increments: vec![0.3], ..first };
    assert!(impact.path(&[large], 8, 1e-10).refuses("increment"));
    let thrown = step([5.0 / 7.0, 0.5, -5.0 / 7.0], [2.5, -2.0 / 7.0], 9.0);
    assert!(impact.path(&[thrown], 8, 1e-10).refuses("push and separation"));
}

/// A rod end with `W = [[4, 3], [3, 4]]` that falls straight sticks with `μ = 1`, after `1/(4 − 9/4)` N·s.
#[test]
fn a_rod_end_sticks_on_the_path_of_routh() {
    let end = Contact {
        normal: vec![1.0, 0.0],
        tangents: vec![vec![0.0, 1.0]],
        friction: 1.0,
        restitution: 0.5,
    };
    let mass: Vec<_> = [4.0, -3.0, -3.0, 4.0].iter().map(|m| m / 7.0).collect();
    let impact = Impact::new(mass, vec![-1.0, 0.0], vec![end], vec![]).unwrap();
    let push = 4.0 / 7.0 * 1.5;
    let right = outcome(&[0.5, 0.0], &[&[push, -0.75 * push]]);
    for restitution in [Restitution::Kinematic, Restitution::Kinetic, Restitution::Energetic] {
        let verdict = impact.routh(&right, restitution, 1e-10);
        assert!(verdict.holds() && verdict.figures.len() == 3, "{restitution:?}: {verdict}");
    }
    let slid = outcome(&[0.5, 0.1], &[&[push, -0.7 * push]]);
    let verdict = impact.routh(&slid, Restitution::Kinetic, 1e-10);
    assert!(verdict.refuses("tangential velocity of the path"), "{verdict}");
}

/// The speeds of impulses of 1e8 N·s that hold one another follow from them to 1e-8 m/s only, because a third has no exact
/// double; the velocity of the outcome is what the law is about.
#[test]
fn percussions_that_hold_one_another_are_judged_by_the_velocity() {
    let wall = |normal: f64| Contact {
        normal: vec![normal],
        tangents: vec![],
        friction: 0.0,
        restitution: 0.0,
    };
    let walls = vec![wall(1.0), wall(-1.0 / 3.0)];
    let impact = Impact::new(vec![1.0], vec![-1.0], walls, vec![]).unwrap();
    let judged = |velocity: f64| {
        let outcome = outcome(&[velocity], &[&[1e8 + 1.0], &[3e8]]);
        impact.round_cones(&outcome, Law::Coulomb, 1e-10)
    };
    assert!(judged(0.0).holds(), "{}", judged(0.0));
    assert!(judged(1e-6).refuses("complementarity"), "{}", judged(1e-6));
    assert!(judged(-1e-6).refuses("approach"), "{}", judged(-1e-6));
}

/// Normal `x` and tangent `x + δ y` with `δ = 2e-4`: sliding with `μ = 1/2` takes 2 N·s and −1 N·s. The velocity along `y` of 1e6 m/s is known
/// to 1e-8 m/s, and the impulses that follow from it to a `δ`-th of that.
#[test]
fn percussions_from_velocities_are_known_as_well_as_their_rows_differ() {
    let delta = 2e-4;
    let floor = Contact {
        normal: vec![1.0, 0.0],
        tangents: vec![vec![1.0, delta]],
        friction: 0.5,
        restitution: 0.0,
    };
    let mass = vec![1.0, 0.0, 0.0, 1.0];
    let impact = Impact::new(mass, vec![-1.0, 1e6], vec![floor], vec![]).unwrap();
    let judged = |friction: f64, rounding: f64| {
        let push = 1.0 - friction;
        let after = vec![-1.0 + push + friction, 1e6 + delta * friction + rounding];
        let stages = impact.sequence(&[(0, after)]).unwrap();
        stages[0].problem.newton(&stages[0].outcome, None, 8, 1e-12)
    };
    assert!(judged(-1.0, 4e-8).holds(), "{}", judged(-1.0, 4e-8));
    assert!(judged(-0.99, 0.0).refuses("slip"), "{}", judged(-0.99, 0.0));
}

/// Energies of 1e-320 J have no digits, their roots do.
#[test]
fn very_small_impacts_have_limits() {
    let floor = Contact { normal: vec![1.0], tangents: vec![], friction: 0.0, restitution: 0.0 };
    let impact = Impact::new(vec![1e-150], vec![-1e-90], vec![floor], vec![]).unwrap();
    assert!(impact.reach() > 0.9e-90, "{:e}", impact.reach());
    let judged =
        |velocity: f64| impact.common(&outcome(&[velocity], &[&[1e-240]]), Energy::Falls, 1e-10);
    assert!(judged(-1e-106).holds(), "{}", judged(-1e-106));
    assert!(judged(-1e-98).refuses("approach"), "{}", judged(-1e-98));
}

/// Case 442381 of the random impacts with seed 15: normal and tangent are parallel to 1.2e-4 in the kinetic metric, so that
/// impulses of 142 N·s cancel, whose rounding leaves 1.6e-8 of the slip. Where rows are independent, the same error is one.
#[test]
fn a_slip_that_is_rounding_of_dependent_rows_is_an_error_of_independent_ones() {
    let normal = vec![0.1, 0.0];
    let heavy = 48.560_404_209_622_64;
    // A jam: the impulses that stop both coordinates, with `v⁻ = (0, −1)`, and what is left of the slip.
    let refused = |light: f64, tangent: [f64; 2], part: f64| {
        let contact = Contact {
            normal: normal.clone(),
            tangents: vec![tangent.to_vec()],
            friction: 1e3,
            restitution: 0.0,
        };
        let mass = vec![light, 0.0, 0.0, heavy];
        let impact = Impact::new(mass, vec![0.0, -1.0], vec![contact], vec![]).unwrap();
        // M v⁺ = M v⁻ + n Λ_n + t Λ_t, and t v⁺ = −part · t v⁻ by the last coordinate.
        let velocity = vec![0.0, part];
        let tangential = heavy * (1.0 + part) / tangent[1];
        let push = -tangential * tangent[0] / normal[0];
        let outcome = outcome(&velocity, &[&[push, tangential]]);
        let verdict = impact.round_cones(&outcome, Law::Coulomb, 1e-10);
        verdict.figures.iter().any(|figure| figure.name.contains("slip") && !figure.holds())
    };
    let (light, dependent) = (0.000_025_756, [2.035_042_533_145_765, -0.340_95]);
    assert!(!refused(light, dependent, 0.0) && !refused(light, dependent, 1.6e-8));
    assert!(refused(light, dependent, 1e-6), "a real error");
    assert!(!refused(heavy, [0.03, -0.340_95], 0.0));
    assert!(refused(heavy, [0.03, -0.340_95], 1.6e-8), "independent rows");
}

/// Case 669466 of the random impacts with seed 15: energies of 6e-327 J are below the smallest number, and their difference
/// was 5e-324 J with a limit of zero.
#[test]
fn energies_below_the_smallest_number_have_a_limit() {
    let mass = vec![8e-127, -1.04e-127, -1.04e-127, 9.325e-127];
    let floor =
        Contact { normal: vec![0.0, 1.0], tangents: vec![], friction: 0.0, restitution: 0.0 };
    let before = vec![-9e-101, 5.14e-99];
    let impact = Impact::new(mass, before, vec![floor], vec![vec![1.0, 0.0]]).unwrap();
    let limit = impact.energy_slack(1e-10);
    assert!(limit > 5e-324 && limit < 1e-321, "{limit:e}");
}
