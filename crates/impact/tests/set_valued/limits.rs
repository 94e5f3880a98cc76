//! Routh's single contact, sequences and the simultaneous impact are limits of the set-valued law.

use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use percussion_impact::{
    Contact, Law, Mass, Problem,
    anitescu_potra::AnitescuPotra,
    routh::Routh,
    sequential::{Order, Sequential},
    set_valued::{Covering, Sampler, SetValuedRouth, Settings, Termination},
};

use super::{ball, rocking_block, settings, velocities};

/// One contact in the plane with this Delassus operator and contact velocity.
fn contact(delassus: DMatrix<f64>, friction: f64, velocity: DVector<f64>) -> Problem {
    let inverse = delassus.try_inverse().expect("it is regular");
    let end = Contact::new(dvector![1.0, 0.0]).with_friction(friction, vec![dvector![0.0, 1.0]]);
    Problem::new(Mass::Matrix(inverse), velocity, vec![end]).expect("a problem")
}

/// Largest distance of samples from Routh's outcome.
fn distance_to_routh(problem: &Problem, settings: Settings) -> f64 {
    let routh = Routh::default().resolve(problem).expect("one contact").velocity;
    let set = velocities(problem, settings);
    assert_eq!(set.statistics.terminated, settings.samples, "{:?}", set.statistics);
    set.summary.0.iter().map(|(_, velocity)| (velocity - &routh).amax()).fold(0.0, f64::max)
}

/// Sliding to the end, sliding that ends in sticking, sticking from the beginning, slip that starts
/// from rest: whatever the increments are.
#[test]
fn one_contact_that_does_not_reverse_is_rouths_at_any_step() {
    let coupled = dmatrix![2.0, 0.5; 0.5, 3.0];
    let cases = [
        contact(coupled.clone(), 0.2, dvector![-1.0, 5.0]),
        contact(coupled.clone(), 0.8, dvector![-1.0, 0.5]),
        contact(coupled.clone(), 0.8, dvector![-1.0, 0.0]),
        contact(coupled, 0.1, dvector![-1.0, 0.0]),
    ];
    for (case, problem) in cases.iter().enumerate() {
        for step in [0.003, 0.1, 10.0] {
            let distance = distance_to_routh(problem, settings(step, 2000, 64));
            assert!(distance < 1e-12, "case {case}, step {step}: {distance:e}");
        }
    }
}

/// Sliding stops and begins the other way: the step in which it does rubs with the later direction
/// throughout. The worst of many draws is off by a part of that step's impulse, so the error is
/// of first order.
#[test]
fn one_contact_that_reverses_converges_with_the_step() {
    let problem = contact(dmatrix![4.0, -3.0; -3.0, 4.0], 0.3, dvector![-1.0, 0.2]);
    let error = |step: f64| distance_to_routh(&problem, settings(step, 4000, 512));
    let errors = [0.08, 0.04, 0.02, 0.01].map(error);
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((0.8..1.2).contains(&order), "{errors:?}");
    }
    // The impulse differs by at most 2 μ h, and W by at most 7 in a row.
    assert!(errors[3] <= 2.0 * 0.3 * 0.01 * 7.0, "{errors:?}");
}

/// The regular polygon with `k` sides misses directions by up to `π/k`, and the disk by `1 − cos(π/k)`:
/// at least first order, whatever the direction of sliding.
#[test]
fn polygons_converge_to_the_disk_of_a_ball_that_slides_and_spins() {
    let error = |directions: usize| {
        let mut worst = 0.0_f64;
        for angle in [0.1, 0.35, 0.8, 1.3] {
            let (sin, cos) = f64::sin_cos(angle);
            let problem = ball(dvector![2.0 * cos, 2.0 * sin, -1.0, 1.0, 0.5, 0.0]);
            let settings = Settings { directions, ..settings(0.02, 1000, 8) };
            worst = worst.max(distance_to_routh(&problem, settings));
        }
        worst
    };
    let errors = [4, 8, 16, 32, 64].map(error);
    assert!(errors.windows(2).all(|pair| pair[1] < pair[0]), "{errors:?}");
    let order = (errors[0] / errors[4]).log2() / 4.0;
    assert!(order > 0.9, "{order}, {errors:?}");
}

/// Large increments for one contact at a time make each impact a single one.
#[test]
fn one_contact_at_a_time_gives_the_sequences() {
    let problem = rocking_block();
    for order in [vec![0, 1], vec![1, 0]] {
        let law = Sequential {
            order: Order::Cycle(order.clone()),
            ..Sequential::new(AnitescuPotra::default())
        };
        let sequence = law.resolve(&problem).expect("a law for any problem");
        let mut sampler = Sampler::new(&problem, &settings(1.0, 1, 1)).expect("settings are right");
        for turn in 0.. {
            if sampler.termination() != Termination::Limit {
                break;
            }
            let mut increments = [0.0; 2];
            increments[order[turn % 2]] = 1e3;
            sampler.step(&increments).expect("increments are right");
        }
        assert_eq!(sampler.termination(), Termination::Separated);
        let difference = (sampler.velocity() - &sequence.velocity).amax();
        assert!(difference < 1e-9, "{order:?}: {difference:e}");
        assert!(sequence.velocity[2].abs() > 0.05, "the block pivots");
    }
}

/// Increments that nothing exhausts are no bounds, and the step is the simultaneous impact.
#[test]
fn large_increments_give_the_simultaneous_impact() {
    let problem = rocking_block();
    let simultaneous = AnitescuPotra::default().resolve(&problem).expect("a law for any problem");
    let mut sampler = Sampler::new(&problem, &settings(1.0, 1, 1)).expect("settings are right");
    sampler.step(&[1e3, 1e3]).expect("increments are right");
    assert_eq!(sampler.termination(), Termination::Separated);
    assert!((sampler.velocity() - simultaneous.velocity).amax() < 1e-12);
    assert!(sampler.velocity().amax() < 1e-12, "the block rests");
}

/// Two legs of 1 m with masses of 1 kg at their middles, 78° off the vertical, on `μ = 5`: leading foot
/// to the front, trailing foot at rest. Velocities: hip, leading leg, trailing leg. With this much
/// friction the velocity after a step is not unique, and the mean number of steps depends on which
/// solution is taken: an independent implementation gives 1.69 ± 0.01 with the covering vector of ones,
/// and 1.84 ± 0.02 with random ones.
#[test]
fn a_compass_gait_depends_on_the_covering_vector() {
    let mean = |covering| {
        // The independent implementation counts in SI units.
        let covering_units = Some([1.0; 2]);
        let settings = Settings { covering, covering_units, ..settings(0.25, 5, 1 << 14) };
        let law = SetValuedRouth::new(settings);
        let set = law.post_impact_set(&compass_gait(), (), |_| ()).expect("settings are right");
        set.statistics.mean_lcps()
    };
    let (ones, random) = (mean(Covering::Ones), mean(Covering::Random));
    assert!((ones / 1.69 - 1.0).abs() < 0.02, "{ones}");
    assert!((random / 1.84 - 1.0).abs() < 0.02, "{random}");
}

/// The same gait in units of 1 µg and 1 µm/s draws the same samples.
#[test]
fn the_units_of_covering_vectors_come_from_the_problem() {
    let gait = compass_gait();
    let (mass, speed) = (1e-9, 1e-6);
    let problem = {
        let mut matrix = DMatrix::zeros(4, 4);
        for k in 0..4 {
            let mut unit = DVector::zeros(4);
            unit[k] = 1.0;
            matrix.set_column(k, &(gait.momentum(&unit) * mass));
        }
        let velocity = gait.velocity() * speed;
        let contacts = gait.contacts().to_vec();
        Problem::new(Mass::Matrix(matrix), velocity, contacts).expect("the same in other units")
    };
    for covering in [Covering::Ones, Covering::Random] {
        let mean = |problem: &Problem, step: f64| {
            let law = SetValuedRouth::new(Settings { covering, ..settings(step, 5, 1 << 12) });
            let set = law.post_impact_set(problem, (), |_| ()).expect("settings are right");
            set.statistics.mean_lcps()
        };
        let (one, other) = (mean(&gait, 0.25), mean(&problem, 0.25 * mass * speed));
        // Rounding decides samples whose paths tie, if any.
        assert!((one - other).abs() < 1e-2, "{covering:?}: {one} {other}");
    }
}

fn compass_gait() -> Problem {
    let leading = 78.0_f64.to_radians();
    let (sin, cos) = leading.sin_cos();
    // A leg turned by φ from hanging reaches from the hip to (sin φ, −cos φ).
    let jacobian = |side: f64, part: f64| {
        let mut rows = DMatrix::zeros(2, 4);
        let column = if side > 0.0 { 2 } else { 3 };
        rows[(0, 0)] = 1.0;
        rows[(1, 1)] = 1.0;
        rows[(0, column)] = part * cos;
        rows[(1, column)] = part * side * sin;
        rows
    };
    let mut mass = DMatrix::zeros(4, 4);
    for side in [1.0, -1.0] {
        let middle = jacobian(side, 0.5);
        mass += middle.tr_mul(&middle);
    }
    // Both legs turn by −0.25 rad/s; the hip moves so that the trailing foot stays.
    let turning = -0.25;
    let velocity = dvector![-cos * turning, sin * turning, turning, turning];
    let contacts = [1.0, -1.0].map(|side| {
        let foot = jacobian(side, 1.0);
        Contact::new(foot.row(1).transpose()).with_friction(5.0, vec![foot.row(0).transpose()])
    });
    Problem::new(Mass::Matrix(mass), velocity, contacts.to_vec()).expect("a problem")
}
