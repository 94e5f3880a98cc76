//! Closed forms of the bounds, and samples that must lie within them.

use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::*;
use crate::{
    Contact, Mass,
    set_valued::{Sampler, Settings as SampleSettings},
};

fn bounds(problem: &Problem) -> OuterBounds<'_> {
    OuterBounds::new(problem, &Settings::default()).unwrap()
}

fn close(found: [f64; 2], expected: [f64; 2]) {
    let size = expected[0].abs().max(expected[1].abs());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6 * size, "{found} for {expected}");
    }
    assert!(found[0] <= expected[0] + 1e-8 * size && found[1] >= expected[1] - 1e-15 * size);
}

/// `m (v⁺ − v⁻) ≤ 2 · 6 N·s`, `v⁺ ∈ [0, 3]` and `T ≤ 9 J`.
#[test]
fn one_dimension_has_the_interval_from_rest_to_full_rebound() {
    let mass = Mass::Matrix(dmatrix![2.0]);
    let problem = Problem::new(mass, dvector![-3.0], vec![Contact::new(dvector![1.0])]).unwrap();
    let bounds = bounds(&problem);
    close(bounds.interval(&dvector![1.0]).unwrap(), [0.0, 3.0]);
    close(bounds.energy(), [0.0, 9.0]);
    assert!((bounds.impulse() - 12.0).abs() < 1e-12);
}

/// The point of the example, on a floor of any friction, in the plane and in space: the disk in the plane of the motion
/// has the same extremes as the line.
#[test]
fn one_contact_has_the_extremes_of_a_cone_cut_by_a_ball() {
    for (units, tangents) in [(1.0, 1), (1.0, 2), (1e-6, 1), (1e6, 2)] {
        let mass = Mass::Matrix(DMatrix::identity(3, 3) * units);
        let rows = [dvector![1.0, 0.0, 0.0], dvector![0.0, 0.0, 1.0]];
        let floor =
            Contact::new(dvector![0.0, 1.0, 0.0]).with_friction(0.25, rows[..tangents].to_vec());
        let velocity = dvector![units, -units, 0.0];
        let problem = Problem::new(mass, velocity, vec![floor]).unwrap();
        let settings = Settings { directions: 360, programs: 40, ..Settings::default() };
        let bounds = OuterBounds::new(&problem, &settings).unwrap();
        let accuracy = if tangents == 1 { 1e-6 } else { 1e-3 };
        let [low, high] = bounds.interval(&dvector![1.0, 0.0, 0.0]).unwrap();
        // The least x is on the ball: x = 0.75 − y/4 with x² + y² = 2.
        let y = (0.375 + f64::sqrt(0.375 * 0.375 + 4.0 * 1.0625 * 1.4375)) / 2.125;
        assert!((low / units - (0.75 - y / 4.0)).abs() < accuracy, "{low}");
        assert!((high / units - 23.0 / 17.0).abs() < accuracy, "{high}");
        assert!(high / units >= 23.0 / 17.0 - 1e-15);
        let least = bounds.energy()[0] / units.powi(3);
        assert!((least - 9.0 / 34.0).abs() < accuracy && least <= 9.0 / 34.0 + 1e-8, "{least}");
    }
}

/// The point of the example, with multipliers chosen by hand, one for each term of the bound: friction takes at most
/// `S/4` of 1 m/s, the normal impulse gives at most `S`, the ball reaches `√2`, and no approach remains. Multipliers that
/// do not match the functional cost at least what the ball allows.
#[test]
fn each_term_of_a_bound_counts() {
    let mass = Mass::Matrix(DMatrix::identity(2, 2));
    let floor = Contact::new(dvector![0.0, 1.0]).with_friction(0.25, vec![dvector![1.0, 0.0]]);
    let problem = Problem::new(mass, dvector![1.0, -1.0], vec![floor]).unwrap();
    let bounds = bounds(&problem);
    let upper = |functional: [f64; 2], impulses: [f64; 2], ball: [f64; 2], normal: f64| {
        let velocity = |entries: [f64; 2]| DVector::from_row_slice(&entries);
        let (impulses, ball) = (velocity(impulses), velocity(ball));
        let multipliers = Multipliers { impulses, ball, normals: dvector![normal] };
        bounds.proof.upper(&velocity(functional), &multipliers)
    };
    let largest = bounds.impulse();
    // The impulse of the full rebound at full friction, 32/17, is among those that `S` bounds.
    assert!(largest >= 32.0 / 17.0 && largest.is_finite(), "{largest}");
    let root = f64::sqrt(2.0);
    let accuracy = 1e-8;
    for (found, expected) in [
        (upper([-1.0, 0.0], [-1.0, 0.0], [0.0, 0.0], 0.0), -1.0 + 0.25 * largest),
        (upper([0.0, 1.0], [0.0, 1.0], [0.0, 0.0], 0.0), -1.0 + largest),
        (upper([0.0, 1.0], [0.0, 0.0], [0.0, 1.0], 0.0), root),
        (upper([0.0, -1.0], [0.0, 0.0], [0.0, 0.0], 1.0), 0.0),
    ] {
        assert!((found - expected).abs() < accuracy && found >= expected, "{found} {expected}");
    }
    let unmatched = upper([0.0, 1.0], [0.0, 0.0], [0.0, 0.0], 0.0);
    assert!(unmatched >= root, "{unmatched}");
}

#[test]
fn what_impulses_cannot_change_has_intervals_of_rounding() {
    let mass = Mass::Matrix(DMatrix::identity(2, 2) * 3.0);
    let floor = Contact::new(dvector![0.0, 1.0]);
    let problem = Problem::new(mass, dvector![0.7, -1.0], vec![floor]).unwrap();
    let bounds = bounds(&problem);
    let [low, high] = bounds.interval(&dvector![1.0, 0.0]).unwrap();
    assert!(low <= 0.7 && 0.7 <= high && high - low < 1e-13, "{low} to {high}");
    close(bounds.energy(), [1.5 * 0.49, 1.5 * 1.49]);

    let free = Problem::new(Mass::Matrix(dmatrix![2.0]), dvector![5.0], vec![]).unwrap();
    let bounds = self::bounds(&free);
    let all = bounds.all();
    assert!(all.velocity_max[0] - all.velocity_min[0] < 1e-13 && all.impulse == 0.0);
    close(all.energy, [25.0, 25.0]);
}

#[test]
fn walls_that_jam_leave_the_bound_of_the_energy() {
    let wall =
        |side: f64| Contact::new(dvector![side, 0.0]).with_friction(0.75, vec![dvector![0.0, 1.0]]);
    let mass = Mass::Matrix(DMatrix::identity(2, 2));
    let problem = Problem::new(mass, dvector![3.0, 4.0], vec![wall(1.0), wall(-1.0)]).unwrap();
    let bounds = bounds(&problem);
    assert!(bounds.impulse().is_infinite(), "{}", bounds.impulse());
    let [low, high] = bounds.interval(&dvector![0.0, 1.0]).unwrap();
    assert!((-5.0 - 1e-9..=-4.0).contains(&low) && (4.0..=5.0 + 1e-9).contains(&high));
}

struct Numbers(ChaCha8Rng);

impl Numbers {
    fn symmetric(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn pick(&mut self, count: u64) -> usize {
        usize::try_from(self.0.next_u64() % count).unwrap()
    }
}

/// Up to four contacts on four velocities: planar, spatial and frictionless, with contacts given twice, restitution from
/// 0 to 1, joints, and units from 1e-4 to 1e4.
fn draw(random: &mut Numbers) -> Problem {
    let n = 4;
    let units = [1e-4, 1.0, 1e4][random.pick(3)];
    let factor = DMatrix::from_fn(n, n, |_, _| random.symmetric());
    let mass = (&factor * factor.transpose() + DMatrix::identity(n, n) * 0.2) * units;
    let elastic = [0.0, 1.0, 0.5, 0.9][random.pick(4)];
    let mut contacts = Vec::new();
    for _ in 0..=random.pick(4) {
        let friction = [0.0, 0.3, 1.2][random.pick(3)];
        let tangents = random.pick(3);
        let mut row = || DVector::from_fn(n, |_, _| random.symmetric());
        let contact = Contact::new(row())
            .with_friction(friction, (0..tangents).map(|_| row()).collect())
            .with_restitution(elastic);
        contacts.push(contact);
    }
    if random.pick(3) == 0 {
        contacts.push(contacts[0].clone());
    }
    let joints = DMatrix::from_fn([0, 0, 1][random.pick(3)], n, |_, _| random.symmetric());
    let velocity = DVector::from_fn(n, |_, _| random.symmetric()) * units;
    Problem::with_joints(Mass::Matrix(mass), velocity, contacts, joints).unwrap()
}

/// 10⁵ outcomes, each against the intervals of all velocities, all contact velocities, one more direction and the
/// energy; computed outcomes may exceed them by their rounding.
#[test]
fn sampled_outcomes_are_inside() {
    let mut random = Numbers(ChaCha8Rng::seed_from_u64(24));
    let (mut outcomes, mut tight) = (0, 0);
    for _ in 0..100 {
        let problem = draw(&mut random);
        let bounds = bounds(&problem);
        let all = bounds.all();
        let other = DVector::from_fn(4, |_, _| random.symmetric());
        let [low, high] = bounds.interval(&other).unwrap();
        tight += usize::from(all.impulse.is_finite());
        let settings = SampleSettings { steps: 60, ..SampleSettings::default() };
        let mut sampler = Sampler::new(&problem, &settings.for_problem(&problem)).unwrap();
        let slack = 1e-9 * problem.velocity().amax();
        let inside = |low: f64, value: f64, high: f64, slack: f64| {
            assert!(low - slack <= value && value <= high + slack, "{value} not in {low}..{high}");
        };
        let before = problem.kinetic_energy(problem.velocity());
        for index in 0..1100 {
            sampler.run(index);
            let Some(sample) = sampler.outcome() else { continue };
            outcomes += 1;
            for (j, value) in sample.velocity.iter().enumerate() {
                inside(all.velocity_min[j], *value, all.velocity_max[j], slack);
            }
            for (row, value) in sample.contact_velocity.iter().enumerate() {
                let ends = (all.contact_velocity_min[row], all.contact_velocity_max[row]);
                inside(ends.0, *value, ends.1, 4.0 * slack);
            }
            inside(low, other.dot(sample.velocity), high, 4.0 * slack);
            let energy = problem.kinetic_energy(sample.velocity);
            inside(all.energy[0], energy, all.energy[1], 1e-9 * before);
        }
    }
    assert!(outcomes > 90_000 && tight > 50, "{outcomes} {tight}");
}

/// Any multipliers give a valid bound, also those of a solver that answers nonsense.
#[test]
fn a_wrong_answer_of_the_solver_can_only_loosen_a_bound() {
    let mut random = Numbers(ChaCha8Rng::seed_from_u64(7));
    for _ in 0..60 {
        let problem = draw(&mut random);
        let bounds = bounds(&problem);
        let functional = DVector::from_fn(4, |_, _| random.symmetric());
        let wrong: Vec<f64> = (0..40)
            .map(|_| {
                let found = Found {
                    ball: DVector::from_fn(bounds.basis.ncols(), |_, _| random.symmetric()),
                    normals: bounds.program.normals.iter().map(|_| random.symmetric()).collect(),
                };
                let multipliers = bounds.multipliers(&functional, 1.0, &found).unwrap();
                bounds.proof.upper(&functional, &multipliers)
            })
            .collect();
        let settings = SampleSettings { steps: 60, ..SampleSettings::default() };
        let mut sampler = Sampler::new(&problem, &settings.for_problem(&problem)).unwrap();
        for index in 0..100 {
            sampler.run(index);
            let Some(sample) = sampler.outcome() else { continue };
            let value = functional.dot(sample.velocity);
            let slack = 1e-9 * problem.velocity().amax();
            assert!(wrong.iter().all(|bound| value <= bound + slack), "{value} {wrong:?}");
        }
    }
}

#[test]
fn wrong_arguments_are_refused() {
    let mass = Mass::Matrix(dmatrix![2.0]);
    let problem = Problem::new(mass, dvector![-3.0], vec![Contact::new(dvector![1.0])]).unwrap();
    let refused = |settings: Settings| OuterBounds::new(&problem, &settings).is_err();
    assert!(refused(Settings { tolerance: 1.0, ..Settings::default() }));
    assert!(refused(Settings { tolerance: f64::NAN, ..Settings::default() }));
    assert!(refused(Settings { directions: 5, ..Settings::default() }));
    assert!(bounds(&problem).interval(&dvector![1.0, 2.0]).is_err());
    assert!(bounds(&problem).interval(&dvector![f64::NAN]).is_err());
}
