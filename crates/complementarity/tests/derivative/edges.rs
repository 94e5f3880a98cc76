//! One-sided derivatives against differences to one side, and the answers where there is none.

use nalgebra::{DMatrix, DVector, Vector3, vector};

use percussion_complementarity::friction::{
    Problem,
    derivative::{Absent, Derivative, Direction, Edge, Error, Mode, Place, Settings, State},
};

use super::{
    Solution,
    cases::{Case, Draw},
    distance, moved, roots, stacked,
};

#[test]
fn derivatives_at_edges_are_those_of_differences_to_one_side() {
    let mut draw = Draw::new(11);
    let (mut compared, mut worst) = (0, 0.0_f64);
    let mut entered = [0; 4];
    while compared < 1000 {
        let Some(case) = draw.edges() else { continue };
        let Some(derivative) = super::at(&case) else { continue };
        if derivative.state() != State::Edge {
            continue;
        }
        let direction = Direction::of_free_velocity(draw.direction(&case).free_velocity);
        let Ok(found) = derivative.one_sided(&direction) else { continue };
        // Unproven derivatives need not be the ones of the solution that a solver finds.
        if !found.proven {
            continue;
        }
        let change = (stacked(&found.change.velocities), stacked(&found.change.impulses));
        let roots = roots(&case);
        let Some(judge) = to_one_side(&case, &direction, &roots, found.change.reach.step) else {
            continue;
        };
        let off = distance(&roots, (&change.0, &change.1), (&judge.0, &judge.1));
        compared += 1;
        for mode in &found.modes {
            entered[*mode as usize] += 1;
        }
        worst = worst.max(off);
        assert!(off < 1e-6, "{off:e} after {compared}: {:?}", derivative.places());
    }
    eprintln!("worst {worst:e}, modes {entered:?}");
    assert!(entered.iter().all(|count| *count > 100), "{entered:?}");
}

/// The derivative by three values to one side, with a step that a shorter one confirms to `1e-7`; `None` if there is
/// none, or the solver finds another solution.
fn to_one_side(
    case: &Case,
    direction: &Direction,
    roots: &[f64],
    reach: f64,
) -> Option<(DVector<f64>, DVector<f64>)> {
    let start = (stacked(&case.problem.velocities(&case.impulses)), stacked(&case.impulses));
    let with = |step: f64| {
        let values: Option<Vec<_>> =
            [1.0, 2.0, 3.0].map(|times| moved(case, direction, times * step)).into_iter().collect();
        let values = values?;
        let near = |(velocities, impulses): &(DVector<f64>, DVector<f64>)| {
            distance(roots, (&start.0, &start.1), (velocities, impulses)) < 0.1
        };
        if !values.iter().all(near) {
            return None;
        }
        let of = |start: &DVector<f64>, part: fn(&Solution) -> &DVector<f64>| {
            let [a, b, c] = [0, 1, 2].map(|i| part(&values[i]));
            (18.0 * a - 11.0 * start - 9.0 * b + 2.0 * c) / (6.0 * step)
        };
        Some((of(&start.0, |both| &both.0), of(&start.1, |both| &both.1)))
    };
    let mut step = (1e-2 * reach).min(1e-2);
    let mut last = with(step)?;
    for _ in 0..6 {
        step *= 0.3;
        let next = with(step)?;
        if distance(roots, (&last.0, &last.1), (&next.0, &next.1)) < 1e-7 {
            return Some(next);
        }
        last = next;
    }
    None
}

fn sliding_tip() -> Derivative {
    let problem = Problem::from_dense(&DMatrix::identity(3, 3), &[0.0, 0.0, 0.0], &[0.5])
        .expect("a valid problem");
    Derivative::at(&problem, &[Vector3::zeros()], &Settings::default()).expect("a solution")
}

/// A contact at rest without impulse obeys Coulomb's law itself, for any direction in its plane.
#[test]
fn a_contact_at_rest_without_impulse_obeys_the_law_of_friction() {
    let derivative = sliding_tip();
    assert_eq!(derivative.places(), [Place::At(Edge::Tip)]);
    let along = |normal: f64, tangent: f64| {
        let direction = Direction::of_free_velocity(vec![vector![normal, tangent, 0.0]]);
        let found = derivative.one_sided(&direction).unwrap();
        (found.modes[0], found.change.velocities[0], found.change.impulses[0], found.proven)
    };
    let open = along(1.0, 2.0);
    assert_eq!(open, (Mode::Open, vector![1.0, 2.0, 0.0], Vector3::zeros(), false));
    let stick = along(-1.0, 0.4);
    assert_eq!((stick.0, stick.2), (Mode::Sticking, vector![1.0, -0.4, 0.0]));
    let slide = along(-1.0, -2.0);
    assert_eq!((slide.0, slide.2), (Mode::Sliding, vector![1.0, 0.5, 0.0]));
    assert_eq!(slide.1, vector![0.0, -1.5, 0.0]);
    // Out of the plane it is not computed, and the answer says so.
    let out = Direction::of_free_velocity(vec![vector![-1.0, 1.0, 1.0]]);
    let refused = derivative.one_sided(&out).unwrap_err();
    assert_eq!(refused, Error::Absent(Absent::NotComputed { contact: 0, edge: Edge::Tip }));
    let refused = derivative.forward(&out).unwrap_err();
    assert_eq!(refused, Error::Absent(Absent::Edge { contact: 0 }));
}

/// Friction above `W_nn/a` makes a contact jam: at the edge, opening and jamming are both possible where the free velocity
/// separates, and nothing is where it approaches.
#[test]
fn several_solutions_and_none_are_told_apart() {
    // A sliding rod after Painlevé: u_n = p_n + a p_t with p_t = −μ p_n, so that u_n = (1 − 1.5) p_n + b.
    let mut delassus = DMatrix::identity(3, 3);
    delassus[(0, 1)] = 0.75;
    delassus[(1, 0)] = 0.75;
    let problem = Problem::from_dense(&delassus, &[0.0, 1.0, 0.0], &[2.0]).unwrap();
    let derivative = Derivative::at(&problem, &[Vector3::zeros()], &Settings::default()).unwrap();
    assert_eq!(derivative.places(), [Place::At(Edge::Opening)]);
    let along = |normal: f64| {
        let direction = Direction::of_free_velocity(vec![vector![normal, 0.0, 0.0]]);
        derivative.one_sided(&direction).unwrap_err()
    };
    assert_eq!(along(1.0), Error::Absent(Absent::Several { count: 2 }));
    assert_eq!(along(-1.0), Error::Absent(Absent::NoSolution));
}

#[test]
fn too_many_edges_are_refused() {
    let n = 13;
    let problem =
        Problem::from_dense(&DMatrix::identity(3 * n, 3 * n), &vec![0.0; 3 * n], &vec![0.0; n]);
    let derivative =
        Derivative::at(&problem.unwrap(), &vec![Vector3::zeros(); n], &Settings::default());
    let derivative = derivative.unwrap();
    assert_eq!(derivative.places()[12], Place::At(Edge::OpeningFrictionless));
    let refused = derivative.one_sided(&Direction::none(n)).unwrap_err();
    assert_eq!(refused, Error::Absent(Absent::TooManyEdges { found: 8192, limit: 4096 }));
}
