//! Friction that depends on the direction, by every law.

use nalgebra::{DMatrix, DVector, dvector};
use percussion_impact::{
    Contact, Law, Mass, Outcome, Problem, Status,
    laws::{Answer, Choice, Name},
    maximum_dissipation::MaximumDissipation,
    newton::Newton,
    routh::Routh,
};

/// Half axes of the friction.
const AXES: [f64; 2] = [0.6, 0.15];
/// kg.
const MASS: f64 = 2.0;

/// A particle that strikes the floor, with tangents turned by `turn` and these half axes along them; the second body is the same
/// with the axes of coordinates in another order, so that laws with sequences have some.
fn problem(axes: [f64; 2], turn: f64, slip: [f64; 2]) -> Problem {
    let (sine, cosine) = turn.sin_cos();
    let tangents = [dvector![cosine, sine, 0.0], dvector![-sine, cosine, 0.0]];
    let contact = Contact::new(dvector![0.0, 0.0, 1.0]).with_elliptic_friction(axes, tangents);
    let mass = Mass::Matrix(DMatrix::identity(3, 3) * MASS);
    Problem::new(mass, dvector![slip[0], slip[1], -1.0], vec![contact]).expect("a problem")
}

/// The first answer of a law; `None` where it does not apply.
fn outcome(name: Name, problem: &Problem) -> Option<Outcome> {
    let law = Choice::new(name, vec![], None).expect("defaults");
    match law.answer(problem, &|_| ()).ok()? {
        Answer::One(outcome) => Some(outcome),
        Answer::Several(several) => several.outcomes.into_iter().next(),
        Answer::Set(_) => None,
    }
}

/// The impulse of the particle (N·s).
fn impulse(outcome: &Outcome, slip: [f64; 2]) -> DVector<f64> {
    (&outcome.velocity - dvector![slip[0], slip[1], -1.0]) * MASS
}

#[test]
fn equal_half_axes_are_a_coefficient() {
    for slip in [[0.4, 0.3], [2.0, -1.0], [0.0, 0.0]] {
        let round = Contact::new(dvector![0.0, 0.0, 1.0]);
        let tangents = vec![dvector![1.0, 0.0, 0.0], dvector![0.0, 1.0, 0.0]];
        let round = round.with_friction(0.6, tangents);
        let mass = Mass::Matrix(DMatrix::identity(3, 3) * MASS);
        let round = Problem::new(mass, dvector![slip[0], slip[1], -1.0], vec![round]).unwrap();
        for name in Name::ALL {
            let pair = [&problem([0.6, 0.6], 0.0, slip), &round].map(|one| outcome(name, one));
            let [Some(one), Some(other)] = pair else { continue };
            assert_eq!(one.velocity, other.velocity, "{name}");
        }
    }
}

/// Turning the tangents by a right angle and exchanging their half axes is another description of the same contact.
#[test]
fn turned_tangents_and_exchanged_half_axes_change_nothing() {
    let mut laws = 0;
    for name in Name::ALL {
        for slip in [[1.0, 1.0], [-0.2, 1.5], [0.05, 0.02]] {
            let [a, b] = AXES;
            let quarter = std::f64::consts::FRAC_PI_2;
            let both = [problem([a, b], 0.3, slip), problem([b, a], 0.3 + quarter, slip)];
            let [Some(one), Some(other)] = both.each_ref().map(|one| outcome(name, one)) else {
                continue;
            };
            assert!(
                (&one.velocity - &other.velocity).amax() < 1e-8,
                "{name}: {} {}",
                one.velocity,
                other.velocity
            );
            laws += 1;
        }
    }
    assert!(laws >= 3 * 6, "{laws}");
}

/// The impulse lies in the ellipse and takes energy, by every law; and the friction depends on the direction.
#[test]
fn impulses_lie_in_their_ellipse() {
    for name in Name::ALL {
        for slip in [[3.0, 0.0], [0.0, 3.0], [1.0, 1.0], [0.05, 0.02]] {
            let Some(outcome) = outcome(name, &problem(AXES, 0.0, slip)) else { continue };
            assert_eq!(outcome.trace.status, Status::Resolved, "{name}");
            let impulse = impulse(&outcome, slip);
            let part = (impulse[0] / AXES[0]).hypot(impulse[1] / AXES[1]);
            assert!(part <= impulse[2] * (1.0 + 1e-8), "{name}: {impulse}");
            let energy = |v: &DVector<f64>| 0.5 * MASS * v.norm_squared();
            assert!(
                energy(&outcome.velocity) <= energy(&dvector![slip[0], slip[1], -1.0]) + 1e-12,
                "{name}"
            );
            if impulse[2] > 0.0
                && slip[1].to_bits() == 0
                && !outcome.impulses[0].tangent.is_empty()
                && impulse[0] != 0.0
            {
                // Straight along an axis the friction is its half axis.
                assert!((impulse[0] + AXES[0] * impulse[2]).abs() < 1e-8, "{name}: {impulse}");
            }
        }
    }
}

/// Maximum dissipation opposes the slip at the end by `−Λ_n A² t/‖A t‖`; laws with polygons of directions come as near as these.
#[test]
fn the_slip_at_the_end_is_opposed_by_the_normal_of_the_ellipse() {
    for slip in [[1.0, 1.0], [-0.9, 1.5], [2.0, -0.4]] {
        let problem = problem(AXES, 0.0, slip);
        let exact = MaximumDissipation::default().resolve(&problem).unwrap();
        let scaled = [AXES[0] * exact.velocity[0], AXES[1] * exact.velocity[1]];
        let size = scaled[0].hypot(scaled[1]);
        let found = impulse(&exact, slip);
        for i in 0..2 {
            let expected = -found[2] * AXES[i] * scaled[i] / size;
            assert!((found[i] - expected).abs() < 1e-7, "{found}");
        }
        let polygon = impulse(&Newton::default().resolve(&problem).unwrap(), slip);
        assert!((&polygon - &found).norm() < 0.25 * found.norm(), "{polygon} {found}");
    }
}

/// Routh's law follows the slip: `dt/dΛ_n = −A² t/(m ‖A t‖)`, here by many small steps of Heun's method.
#[test]
fn a_followed_slip_turns_towards_the_axis_of_less_friction() {
    let slip = [1.0, 1.0];
    let outcome = Routh::default().resolve(&problem(AXES, 0.0, slip)).unwrap();
    let rate = |[x, y]: [f64; 2]| {
        let size = (AXES[0] * x).hypot(AXES[1] * y);
        [-AXES[0] * AXES[0] * x / (MASS * size), -AXES[1] * AXES[1] * y / (MASS * size)]
    };
    let (steps, total) = (20_000, MASS);
    let step = total / f64::from(steps);
    let mut at = slip;
    for _ in 0..steps {
        let [a, b] = rate(at);
        let [c, d] = rate([at[0] + step * a, at[1] + step * b]);
        at = [at[0] + 0.5 * step * (a + c), at[1] + 0.5 * step * (b + d)];
    }
    let found = [outcome.velocity[0], outcome.velocity[1]];
    assert!((found[0] - at[0]).hypot(found[1] - at[1]) < 1e-6, "{found:?} {at:?}");
    assert!(found[0] < 0.5 && found[1] > 0.9, "{found:?}");
}

#[test]
fn half_axes_out_of_range_are_refused_and_zero_has_no_friction() {
    for axes in [[-0.1, 0.5], [f64::NAN, 0.5], [0.5, f64::INFINITY]] {
        let tangents = [dvector![1.0, 0.0, 0.0], dvector![0.0, 1.0, 0.0]];
        let contact = Contact::new(dvector![0.0, 0.0, 1.0]).with_elliptic_friction(axes, tangents);
        let mass = Mass::Matrix(DMatrix::identity(3, 3));
        let refused = Problem::new(mass, dvector![1.0, 1.0, -1.0], vec![contact]);
        assert!(refused.is_err(), "{axes:?}");
    }
    let rail = problem([0.6, 0.0], 0.0, [1.0, 1.0]);
    let outcome = Newton::default().resolve(&rail).unwrap();
    assert!(
        (outcome.velocity[0] - 0.4).abs() < 1e-9 && (outcome.velocity[1] - 1.0).abs() < 1e-15,
        "{outcome:?}"
    );
    let smooth = problem([0.0, 0.0], 0.0, [1.0, 1.0]);
    let slip = Newton::default().resolve(&smooth).unwrap().velocity[0];
    assert!((slip - 1.0).abs() < 1e-15, "{slip}");
}
