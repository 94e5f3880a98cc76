//! Reflections in the kinetic metric: cradles, billiards, theorems and random contacts.

mod support;

use std::f64::consts::PI;

use nalgebra::{DMatrix, DVector, dmatrix, dvector};
use percussion_impact::{
    Contact, Error, Law, Mass, Outcome, Problem, Status,
    certificate::Certificate,
    newton::Newton,
    propagative::{Order, Outcomes, Propagative, order_never_matters, pairs},
};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

fn problem(mass: DMatrix<f64>, velocity: DVector<f64>, normals: Vec<DVector<f64>>) -> Problem {
    let contacts = normals.into_iter().map(Contact::new).collect();
    Problem::new(Mass::Matrix(mass), velocity, contacts).expect("the test states a problem")
}

/// Equal balls of 1 kg in a row.
fn cradle(velocity: &[f64]) -> Problem {
    let n = velocity.len();
    let normal = |k: usize| {
        DVector::from_fn(n, |i, _| f64::from(u8::from(i == k + 1)) - f64::from(u8::from(i == k)))
    };
    let normals = (0..n - 1).map(normal).collect();
    problem(DMatrix::identity(n, n), DVector::from_column_slice(velocity), normals)
}

/// The plane spanned by two unit normals with the product `cosine`, and one direction more.
fn wedge(cosine: f64, velocity: DVector<f64>) -> Problem {
    let v = dvector![cosine, (1.0 - cosine * cosine).sqrt(), 0.0];
    problem(DMatrix::identity(3, 3), velocity, vec![dvector![1.0, 0.0, 0.0], v])
}

fn outcomes(problem: &Problem) -> Outcomes {
    let found = Propagative::default().outcomes(problem).expect("the settings are right");
    assert_eq!(found.status, Status::Resolved, "a small problem is searched to the end");
    found
}

/// Momentum, joints and energy to rounding, no pull, approach within the tolerance.
fn assert_elastic(problem: &Problem, outcome: &Outcome) {
    let judged = Certificate::check(problem, outcome).expect("the outcome answers the problem");
    let size = outcome.impulses.iter().fold(1.0, |size: f64, i| size.max(i.normal));
    assert!(judged.momentum_residual <= 1e-12 * size, "{judged:?}");
    assert!(judged.bilateral_residual <= 1e-12 * size, "{judged:?}");
    assert!(judged.adhesion <= 0.0 && judged.approach <= 1e-8 * size, "{judged:?}");
    assert!(
        judged.energy_change.abs() <= 1e-11 * size * (1.0 + judged.energy_before),
        "{judged:?}"
    );
}

fn assert_all_elastic(problem: &Problem, found: &Outcomes) {
    found.branches.iter().for_each(|branch| assert_elastic(problem, &branch.outcome));
}

/// From −1 to 1.
fn uniform(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 * f64::exp2(-52.0) - 1.0
}

fn orders(seed: u64) -> [Order; 4] {
    [Order::MostApproached, Order::LeastApproached, Order::Index, Order::Random(seed)]
}

#[test]
fn three_balls_that_all_approach_reverse_their_velocities() {
    let reversal = dmatrix![0.0, 0.0, 1.0; 0.0, 1.0, 0.0; 1.0, 0.0, 0.0];
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for case in 0..200 {
        let mut velocity = [0.0; 3].map(|_| uniform(&mut random));
        velocity.sort_by(|a, b| b.total_cmp(a));
        let balls = cradle(&velocity);
        let found = outcomes(&balls);
        assert_all_elastic(&balls, &found);
        assert_eq!(found.branches.len(), 1);
        assert_eq!(found.branches[0].sequences, [[0, 1, 0], [1, 0, 1]]);
        let expected = &reversal * balls.velocity();
        for order in orders(case).into_iter().chain([Order::Fixed(vec![1, 0])]) {
            let law = Propagative { order, ..Propagative::default() };
            let outcome = law.resolve(&balls).unwrap();
            assert!((&outcome.velocity - &expected).amax() <= 1e-14, "{law:?}, {velocity:?}");
            assert_eq!(outcome.trace.stages.len(), 3);
        }
    }
    // With numbers that doubles hold the reversal is exact.
    let exact = Propagative::default().resolve(&cradle(&[2.0, 0.5, -1.0])).unwrap();
    assert_eq!(exact.velocity, dvector![-1.0, 0.5, 2.0]);
}

/// `E_p` of two balls that rest and one that arrives at `v` is `½ v² (1 − 1/3)`.
#[test]
fn energy_follows_the_square_of_the_restitution_at_every_speed() {
    for speed in [1e-3, 1.0, 1e4] {
        let balls = cradle(&[speed, 0.0, 0.0]);
        for restitution in [1.0, 0.7, 0.0] {
            let law = Propagative { restitution, ..Propagative::default() };
            let outcome = law.resolve(&balls).unwrap();
            let judged = Certificate::check(&balls, &outcome).unwrap();
            let plastic = speed * speed / 3.0;
            let expected = -(1.0 - restitution * restitution) * plastic;
            assert!((judged.energy_change - expected).abs() <= 1e-14 * plastic, "{judged:?}");
            assert!(judged.adhesion <= 0.0 && judged.approach <= 1e-14 * speed, "{judged:?}");
            let all = law.outcomes(&balls).unwrap();
            assert!(all.is_unique());
            assert!(
                (&all.branches[0].outcome.velocity - &outcome.velocity).amax() <= 1e-14 * speed
            );
        }
    }
}

/// The last ball flees at 0.05 m/s. In Newton's law for all contacts at once the middle ball, driven by
/// the first, has to push it so as not to approach, with `Λ₂ = 1.9/3 N·s` at `(0.05 + 0)/2 m/s` on
/// average: the energy grows, though no coefficient exceeds 1.
#[test]
fn restitution_of_all_velocities_at_once_gains_energy_that_reflections_keep() {
    let before = dvector![1.0, 0.0, 0.05];
    let balls = cradle(before.as_slice());
    let contacts = balls.contacts().iter().map(|c| c.clone().with_restitution(1.0)).collect();
    let bouncing = Problem::new(Mass::Matrix(DMatrix::identity(3, 3)), before, contacts).unwrap();
    let change = |law: &dyn Law| {
        let outcome = law.resolve(&bouncing).unwrap();
        Certificate::check(&bouncing, &outcome).unwrap().energy_change
    };
    let gained = change(&Newton::default());
    assert!((gained - 0.025 * 1.9 / 3.0).abs() <= 1e-9, "{gained}");
    assert!(change(&Propagative::default()).abs() <= 1e-15);
}

/// The cue ball at the origin hits two equal balls, seen at `±θ/2`, along the bisector.
fn billiard(theta: f64, masses: [f64; 3]) -> Problem {
    let (sin, cos) = (0.5 * theta).sin_cos();
    let [c, a, b] = masses;
    problem(
        DMatrix::from_diagonal(&dvector![c, c, a, a, b, b]),
        dvector![1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        vec![dvector![-cos, -sin, cos, sin, 0.0, 0.0], dvector![-cos, sin, 0.0, 0.0, cos, -sin]],
    )
}

/// Figures of an independent computation, to six digits.
#[test]
fn the_break_of_equal_billiard_balls_is_as_undetermined_as_published() {
    let table = [
        (60.0, 0.750_000),
        (70.0, 0.510_177),
        (90.0, 0.0),
        (110.0, 0.424_574),
        (120.0, 0.559_017),
        (130.0, 0.570_167),
        (150.0, 0.154_914),
        (170.0, 0.006_421),
    ];
    for (degrees, expected) in table {
        let balls = billiard(f64::to_radians(degrees), [1.0; 3]);
        let found = outcomes(&balls);
        assert_all_elastic(&balls, &found);
        assert!((found.indeterminacy - expected).abs() <= 1e-5, "{degrees}°: {found:?}");
    }
    for masses in [[1.0; 3], [0.3, 1.0, 7.0]] {
        let square = billiard(PI / 2.0, masses);
        assert!(outcomes(&square).is_unique() && order_never_matters(&square, 1e-12));
    }
}

#[test]
fn orthogonal_normals_commute_in_any_number() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for count in 1..=6 {
        // Orthonormal columns in the metric of a random mass matrix: M = A Aᵀ, U = A Q.
        let n = 7;
        let a = DMatrix::from_fn(n, n, |_, _| uniform(&mut random)) + DMatrix::identity(n, n) * 2.0;
        let q = DMatrix::from_fn(n, n, |_, _| uniform(&mut random)).qr().q();
        let u = &a * q;
        let normals: Vec<_> =
            (0..count).map(|k| u.column(k) * (2.0 + uniform(&mut random))).collect();
        let mass = &a * a.transpose();
        let approach = -(0..count).fold(DVector::zeros(n), |sum, k| sum + u.column(k));
        let velocity = mass.clone().cholesky().unwrap().solve(&approach);
        let hit = problem(mass, velocity, normals);
        assert!(order_never_matters(&hit, 1e-10));
        let found = outcomes(&hit);
        assert_all_elastic(&hit, &found);
        assert!(found.is_unique(), "{count}: {}", found.branches.len());
        let sequences = &found.branches[0].sequences;
        assert_eq!(sequences.len(), (1..=count).product::<usize>(), "all orders");
        assert!(sequences.iter().all(|sequence| sequence.len() == count));
    }
}

#[test]
fn two_normals_of_a_regular_polygon_are_unique_and_others_are_not() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for m in 2..9 {
        let cosine = -(PI / m as f64).cos();
        for _ in 0..50 {
            let hit = wedge(cosine, DVector::from_fn(3, |_, _| uniform(&mut random)));
            assert_eq!(pairs(&hit)[0].reflections(1e-12), Some(m));
            let found = outcomes(&hit);
            assert!(found.is_unique(), "{m}: {found:?}");
            let approached = hit.contact_velocity(hit.velocity()).iter().all(|u| *u < 0.0);
            if approached {
                let ways = &found.branches[0].sequences;
                assert!(ways.len() == 2 && ways.iter().all(|way| way.len() == m), "{m}: {ways:?}");
            }
        }
        // Opposite to the middle of the wedge both ways are as long, and differ in between.
        let between = wedge(-(PI / (m as f64 + 0.3)).cos(), DVector::zeros(3));
        let middle = &between.contacts()[0].normal + &between.contacts()[1].normal;
        let found = outcomes(&between.with_velocity(-middle).unwrap());
        assert_eq!(found.branches.len(), 2, "{m}");
        // The bound ⌈(π/γ − 1)/2⌉ of the shortest sequence is attained: with γ = π/2(m + 0.3) it is ⌈m − 0.2⌉.
        let lengths = found.branches.iter().flat_map(|branch| &branch.sequences).map(Vec::len);
        assert_eq!(lengths.min(), Some(m), "{m}");
        assert!(found.indeterminacy > 1e-3 && !order_never_matters(&between, 1e-12));
    }
}

/// All pairs have `−cos(π/3)` and no momentum has two outcomes; but the normals are dependent, nothing
/// separates all contacts, and a momentum in their plane has none.
#[test]
fn orbits_of_dependent_normals_may_have_no_point_without_approach() {
    let normals = [0.0, 1.0, 2.0].map(|k: f64| {
        let angle = k * 2.0 * PI / 3.0;
        dvector![angle.cos(), angle.sin()]
    });
    let star = problem(DMatrix::identity(2, 2), dvector![-1.0, 0.2], normals.to_vec());
    assert!(order_never_matters(&star, 1e-12));
    let limited = Propagative { limit: 100, search_limit: 1000, ..Propagative::default() };
    assert_eq!(limited.resolve(&star).unwrap().trace.status, Status::Limit);
    let found = limited.outcomes(&star).unwrap();
    assert!(found.branches.is_empty() && found.status == Status::Limit, "{found:?}");
}

/// Theorem 1, and the sharper bound that the documentation states.
#[test]
fn the_shortest_sequence_of_two_contacts_keeps_its_bound() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for _ in 0..100_000 {
        let hit = wedge(uniform(&mut random), DVector::from_fn(3, |_, _| uniform(&mut random)));
        let (pair, found) = (pairs(&hit)[0], outcomes(&hit));
        let lengths = found.branches.iter().flat_map(|branch| &branch.sequences).map(Vec::len);
        let shortest = lengths.min().expect("two independent contacts have an outcome");
        assert!(shortest <= pair.bound().expect("the normals are not opposite"));
        let sharp = ((PI / pair.half_wedge() - 1.0) / 2.0 + 1e-9).ceil();
        assert!(shortest as f64 <= sharp, "{shortest}, {sharp}, {pair:?}");
    }
}

#[test]
fn a_ball_that_strikes_a_row_at_one_end_leaves_at_the_other() {
    for n in 2..=10 {
        let mut velocity = vec![0.0; n];
        velocity[0] = 1.0;
        let balls = cradle(&velocity);
        let found = outcomes(&balls);
        velocity.reverse();
        assert!(found.is_unique() && order_never_matters(&balls, 1e-12));
        let branch = &found.branches[0];
        assert!((&branch.outcome.velocity - DVector::from_vec(velocity)).amax() <= 1e-14);
        assert_eq!(branch.sequences, [(0..n - 1).collect::<Vec<_>>()]);
    }
    // Two balls pass through eight in as many ways as brackets can be paired: Catalan's number 1430.
    let mut two = [0.0; 10];
    (two[0], two[1]) = (1.0, 1.0);
    let found = outcomes(&cradle(&two));
    assert!(found.is_unique());
    assert_eq!(found.branches[0].sequences.len(), 1430);
}

#[test]
fn outcomes_do_not_depend_on_the_order_of_the_contacts() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for _ in 0..100 {
        let n = 4;
        let a = DMatrix::from_fn(n, n, |_, _| uniform(&mut random));
        let mass = &a * a.transpose() * 0.3 + DMatrix::identity(n, n);
        let velocity = DVector::from_fn(n, |_, _| uniform(&mut random));
        // Far from opposite, so that sequences are short.
        let mut normal = |k| {
            DVector::from_fn(n, |i, _| f64::from(u8::from(i == k)) + 0.4 * uniform(&mut random))
        };
        let mut normals: Vec<_> = (0..3).map(&mut normal).collect();
        // One normal twice, and one that is the sum of two others.
        normals.push(&normals[0] * 3.0);
        normals.push(&normals[1] + &normals[2]);
        let forward = problem(mass.clone(), velocity.clone(), normals.clone());
        normals.reverse();
        let backward = problem(mass, velocity, normals);
        let (one, other) = (outcomes(&forward), outcomes(&backward));
        assert_all_elastic(&forward, &one);
        assert_all_elastic(&backward, &other);
        assert_eq!(one.branches.len(), other.branches.len());
        assert!((one.indeterminacy - other.indeterminacy).abs() <= 1e-9);
        for branch in &one.branches {
            let twin = other
                .branches
                .iter()
                .find(|twin| (&twin.outcome.velocity - &branch.outcome.velocity).amax() <= 1e-9);
            let twin = twin.expect("the same outcomes");
            assert_eq!(twin.sequences.len(), branch.sequences.len());
            let impulses = &branch.outcome.impulses;
            // p changes by Λ u: three times the normal takes a third of the impulse.
            assert!((impulses[0].normal - 3.0 * impulses[3].normal).abs() <= 1e-9);
        }
    }
}

proptest::proptest! {
    #![proptest_config(support::config())]

    #[test]
    fn random_contacts_with_joints_are_certified_in_every_order(data in support::data(4)) {
        let mut data = data;
        data.contacts.iter_mut().for_each(|contact| contact.friction = 0.0);
        let problem = data.problem();
        // The joints may take energy before the contacts do anything.
        let start = problem.with_velocity(joined(&problem)).unwrap();
        let quick = Propagative { search_limit: 100_000, ..Propagative::default() };
        assert_all_elastic(&start, &quick.outcomes(&start).unwrap());
        let change = |outcome: &Outcome| Certificate::check(&start, outcome).unwrap().energy_change;
        for order in orders(7) {
            let answer = |restitution| {
                let law = Propagative { order: order.clone(), restitution, ..quick.clone() };
                law.resolve(&start).unwrap()
            };
            let (elastic, mixed, plastic) = (answer(1.0), answer(0.7), answer(0.0));
            if elastic.trace.status == Status::Resolved {
                assert_elastic(&start, &elastic);
                let lost = (1.0 - 0.49) * change(&plastic);
                proptest::prop_assert!((change(&mixed) - lost).abs() <= 1e-9, "{:?}", order);
            }
        }
    }
}

/// What the joints leave of the velocity.
fn joined(problem: &Problem) -> DVector<f64> {
    let none = DVector::zeros(problem.contact_jacobian().nrows());
    let trace = percussion_impact::Trace::resolved(vec![]);
    problem.outcome(&none, trace).velocity
}

/// The least approached contact first ends in `u v`, of which `v` alone would do.
#[test]
fn an_order_may_end_in_a_sequence_that_is_not_minimal() {
    // c = (−0.1, −1): after u v approaches at −1 + 0.2 · 0.9, after v alone u separates.
    let velocity = dvector![-0.1, (-1.0 + 0.09) / (1.0_f64 - 0.81).sqrt(), 0.0];
    let hit = wedge(0.9, velocity);
    let found = outcomes(&hit);
    assert_eq!(found.branches.len(), 1);
    assert_eq!(found.branches[0].sequences, [[1]]);
    let law = Propagative { order: Order::LeastApproached, ..Propagative::default() };
    assert_eq!(law.resolve(&hit).unwrap().trace.stages.len(), 2);
}

#[test]
fn a_body_clamped_between_two_walls_has_no_outcome_and_the_limit_says_so() {
    let clamped = problem(dmatrix![2.0], dvector![3.0], vec![dvector![1.0], dvector![-1.0]]);
    assert_eq!(pairs(&clamped)[0].bound(), None);
    let law = Propagative { limit: 5, ..Propagative::default() };
    let outcome = law.resolve(&clamped).unwrap();
    assert_eq!((outcome.trace.status, outcome.trace.stages.len()), (Status::Limit, 5));
    let found = outcomes(&clamped);
    assert!(found.branches.is_empty() && !found.is_unique(), "the search sees the circle");
    let plastic = Propagative { restitution: 0.0, ..law }.outcomes(&clamped).unwrap();
    assert!(plastic.branches[0].outcome.velocity.amax() <= 1e-15);
}

#[test]
fn a_search_that_reaches_its_limit_says_so() {
    let all: Vec<f64> = (0..8).map(|k| f64::from(8 - k)).collect();
    let law = Propagative { search_limit: 20_000, ..Propagative::default() };
    let found = law.outcomes(&cradle(&all)).unwrap();
    assert!(found.status == Status::Limit && !found.is_unique());
    // Without the limit: the ways to reverse n balls by exchanges of neighbors, by Stanley's formula
    // N!/(1^(n−1) 3^(n−2) 5^(n−3) …) with N = n (n − 1)/2.
    for n in 3..=7_u32 {
        let found = outcomes(&cradle(&all[..n as usize]));
        assert!(found.is_unique());
        let factorial: u128 = (1..=u128::from(n * (n - 1) / 2)).product();
        let divisor: u128 = (1..n).map(|i| u128::from(2 * i - 1).pow(n - i)).product();
        let branch = &found.branches[0];
        assert_eq!(u128::from(branch.sequence_count), factorial / divisor);
        assert_eq!(branch.sequences.len() as u64, branch.sequence_count.min(10_000));
    }
    let reversed = law.resolve(&cradle(&all)).unwrap();
    assert_eq!((reversed.trace.status, reversed.trace.stages.len()), (Status::Resolved, 28));
}

#[test]
fn what_the_law_cannot_do_is_refused_by_name() {
    let balls = cradle(&[1.0, 0.0, 0.0]);
    let sane = Propagative::default();
    let refused = [
        (Propagative { restitution: 1.5, ..sane.clone() }, "restitution"),
        (Propagative { restitution: f64::NAN, ..sane.clone() }, "restitution"),
        (Propagative { tolerance: 0.0, ..sane.clone() }, "tolerance"),
        (Propagative { limit: 0, ..sane.clone() }, "limit"),
        (Propagative { search_limit: 0, ..sane.clone() }, "search_limit"),
        (Propagative { listed: 0, ..sane.clone() }, "listed"),
    ];
    for (law, field) in refused {
        let named = |error: Error| matches!(error, Error::Setting { name, .. } if name == field);
        assert!(named(law.resolve(&balls).unwrap_err()), "{law:?}");
        assert!(named(law.outcomes(&balls).unwrap_err()), "{law:?}");
    }
    for order in [vec![0], vec![0, 0], vec![0, 2], vec![0, 1, 1]] {
        let law = Propagative { order: Order::Fixed(order.clone()), ..sane.clone() };
        assert_eq!(law.resolve(&balls).unwrap_err(), Error::Order { order, contacts: 2 });
    }
    let rough = Contact::new(dvector![0.0, 1.0]).with_friction(0.5, vec![dvector![1.0, 0.0]]);
    let rough =
        Problem::new(Mass::Matrix(DMatrix::identity(2, 2)), dvector![1.0, -1.0], vec![rough]);
    let error = sane.resolve(&rough.unwrap()).unwrap_err();
    assert_eq!(error, Error::Friction { contact: 0, friction: 0.5 });
}

#[test]
fn without_contacts_or_approach_nothing_happens() {
    for normals in [vec![], vec![dvector![0.0, 1.0]]] {
        let apart = problem(DMatrix::identity(2, 2), dvector![3.0, 1.0], normals);
        for restitution in [0.0, 0.5, 1.0] {
            let law = Propagative { restitution, ..Propagative::default() };
            assert_eq!(law.resolve(&apart).unwrap().velocity, dvector![3.0, 1.0]);
            assert!(law.resolve(&apart).unwrap().trace.stages.is_empty());
            let found = law.outcomes(&apart).unwrap();
            assert!(found.is_unique() && found.branches[0].sequences == [[0_usize; 0]]);
        }
    }
}
