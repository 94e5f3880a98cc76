//! Tests of paths: their dictionaries and conditions beside dense solves, and permuted, redundant and smooth contacts.
#![expect(clippy::float_cmp, reason = "the same bits, whatever was computed before")]

use nalgebra::{DMatrix, DVector, dvector};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

use super::{
    super::statement::{Statement, Units},
    contacts::Side,
    *,
};
use crate::{Contact, Mass};

fn uniform(random: &mut ChaCha8Rng) -> f64 {
    ((random.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

fn symmetric(random: &mut ChaCha8Rng) -> f64 {
    2.0 * uniform(random) - 1.0
}

fn vector(random: &mut ChaCha8Rng, length: usize) -> DVector<f64> {
    DVector::from_fn(length, |_, _| symmetric(random))
}

/// Contacts on six velocities; every third has no tangent, and every fourth no friction.
fn contacts(random: &mut ChaCha8Rng, count: usize) -> Vec<Contact> {
    (0..count)
        .map(|i| {
            let contact = Contact::new(vector(random, 6));
            let friction = if i % 4 == 3 { 0.0 } else { 0.8 };
            let with = |random| contact.clone().with_friction(friction, vec![vector(random, 6)]);
            if i % 3 == 2 { contact.clone() } else { with(random) }
        })
        .collect()
}

fn impact(random: &mut ChaCha8Rng, contacts: Vec<Contact>) -> Problem {
    let factor = DMatrix::from_fn(6, 6, |_, _| symmetric(random));
    let mass = &factor * factor.transpose() + DMatrix::identity(6, 6) * 0.25;
    Problem::new(Mass::Matrix(mass), vector(random, 6), contacts).unwrap()
}

/// The path with a covering vector between 0.5 and 1.5.
fn path(random: &mut ChaCha8Rng, problem: &Problem) -> (CoveringPath, Statement) {
    let mut statement = Statement::new(problem, 8).unwrap();
    statement.covering_mut().apply(|d| *d = 0.5 + uniform(random));
    let mut path = CoveringPath::new(problem, &statement.frames).unwrap();
    statement.cover(&mut path);
    (path, statement)
}

/// All impulses and velocities from `y − W p = u` and what each state prescribes, plus `extra` at one row.
fn dense(
    contacts: &Contacts,
    states: &[State],
    (u, increments): (&[f64], &[f64]),
    tau: f64,
    extra: Option<usize>,
) -> Option<DVector<f64>> {
    let r = states.len();
    let (mut matrix, mut side) = (DMatrix::zeros(2 * r, 2 * r), DVector::zeros(2 * r));
    for (i, (row, state)) in contacts.rows.iter().zip(states).enumerate() {
        matrix[(i, r + i)] = 1.0;
        for j in 0..r {
            matrix[(i, j)] = -contacts.response(j)[i];
        }
        side[i] = u[i];
        let own = r + i;
        side[own] = f64::from(u8::from(extra == Some(i)));
        match *state {
            State::Zero => matrix[(own, i)] = 1.0,
            State::Between(way) => {
                matrix[(own, r + i)] = 1.0;
                side[own] -= way.sign() * tau * row.cover(way);
            }
            State::Bound(way) => {
                matrix[(own, i)] = 1.0;
                side[own] += way.sign() * tau * row.cover_bound;
                match row.normal {
                    Some((normal, friction)) => matrix[(own, normal)] = -way.sign() * friction,
                    None => side[own] += increments[i],
                }
            }
        }
    }
    let is_regular = matrix.clone().svd(false, false).singular_values.min() > 1e-6;
    if is_regular { matrix.lu().solve(&side) } else { None }
}

/// Impulses in between, and velocities of the other rows.
fn basic(states: &[State], dense: &DVector<f64>) -> Vec<f64> {
    let r = states.len();
    (0..r).map(|i| dense[if states[i].is_between() { i } else { r + i }]).collect()
}

/// The margin by which `row` does not go on to the state `to`, of all impulses and velocities at `tau`.
fn stated(
    path: &CoveringPath,
    (row, to): (usize, State),
    increments: &[f64],
    (full, tau): (&DVector<f64>, f64),
) -> f64 {
    let (states, data) = (&path.states, &path.contacts.rows[row]);
    let (p, y) = (full[row], full[states.len() + row]);
    let excess = |side: Side| side.sign() * y + tau * data.cover(side);
    match (states[row], to) {
        (State::Zero, State::Between(side)) => excess(side),
        (State::Bound(side), _) => -excess(side),
        (State::Between(side), State::Bound(_)) => {
            let own = data.normal.map_or(increments[row], |(normal, mu)| mu * full[normal]);
            tau * data.cover_bound + own - side.sign() * p
        }
        (State::Between(side), _) => side.sign() * p,
        (State::Zero, _) => f64::NAN,
    }
}

/// After every pivot of a path: the dictionary beside dense solves of the same states, its margins beside those of the
/// definition, and the step to the next one beside all steps.
#[test]
fn dictionaries_are_those_of_dense_solves() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    let (mut pieces, mut steps) = (0, 0);
    for case in 0..400 {
        let contacts = contacts(&mut random, 1 + case % 5);
        let problem = impact(&mut random, contacts);
        let (mut path, _) = path(&mut random, &problem);
        let u = problem.free_contact_velocity();
        let r = u.len();
        let drawn: Vec<_> = (0..problem.contacts().len()).map(|_| uniform(&mut random)).collect();
        path.start(u.as_slice(), &drawn);
        let increments: Vec<_> = (0..r).map(|row| path.dictionary.bound(row).value).collect();
        let Some((mut tau, mut crossed)) = path.conditions.first(&path.dictionary) else {
            continue;
        };
        for _ in 0..12 {
            let Some(forward) = path.cross(&crossed) else { break };
            let zeros = vec![0.0; r];
            let at = |data: (&[f64], &[f64]), tau, extra| {
                dense(&path.contacts, &path.states, data, tau, extra)
            };
            let data = (u.as_slice(), &increments[..]);
            let Some(full) = at(data, 0.0, None) else { break };
            let later = at(data, 1.0, None).unwrap();
            pieces += 1;
            let size = 1e-9 * (1.0 + full.amax() + later.amax());
            for (value, expected) in path.dictionary.values().iter().zip(basic(&path.states, &full))
            {
                assert!((value - expected).abs() <= size, "{case}: {value} {expected}");
            }
            let slopes = basic(&path.states, &(&later - &full));
            for (slope, expected) in path.dictionary.slopes().iter().zip(slopes) {
                assert!((slope - expected).abs() <= size, "{case}: {slope} {expected}");
            }
            for row in 0..r {
                let unit = at((&zeros, &zeros), 0.0, Some(row)).unwrap();
                let column = path.dictionary.column(row).iter();
                for (entry, expected) in column.zip(basic(&path.states, &unit)) {
                    assert!((entry - expected).abs() <= 1e-9 * (1.0 + unit.amax()), "{case}");
                }
            }
            let mut nearest = f64::INFINITY;
            for row in 0..r {
                let targets = match path.states[row] {
                    State::Zero if path.contacts.rows[row].normal.is_some() => {
                        vec![State::Between(Side::Plus), State::Between(Side::Minus)]
                    }
                    State::Zero => vec![State::Between(Side::Plus)],
                    State::Between(side) => vec![State::Zero, State::Bound(side)],
                    State::Bound(side) => vec![State::Between(side)],
                };
                for to in targets {
                    let margin = path.conditions.margin(&path.dictionary, &path.states, row, to);
                    let value = stated(&path, (row, to), &increments, (&full, 0.0));
                    let slope = stated(&path, (row, to), &increments, (&later, 1.0)) - value;
                    assert!((margin.value - value).abs() <= size, "{case}: {margin:?} {value}");
                    assert!((margin.slope - slope).abs() <= size, "{case}: {margin:?} {slope}");
                    let rate = -forward * margin.slope;
                    if rate > 0.0 {
                        let step = (margin.value + tau * margin.slope) / rate;
                        nearest = step.max(0.0).min(nearest);
                    }
                }
            }
            let next = path.conditions.next(&path.dictionary, &path.states, tau, forward);
            assert_eq!(next.map_or(f64::INFINITY, |next| next.0), nearest, "{case}");
            let Some((step, next)) = next else { break };
            steps += 1;
            (tau, crossed) = (tau + forward * step, next);
            if tau <= 0.0 {
                break;
            }
        }
    }
    assert!(pieces > 1000 && steps > 1000, "{pieces} {steps}");
}

/// The impulses at the end of a path, from the data of the problem, are those of its dictionary.
#[test]
fn impulses_at_the_end_are_those_of_the_dictionary() {
    let mut random = ChaCha8Rng::seed_from_u64(16);
    let mut found = 0;
    for case in 0..300 {
        let contacts = contacts(&mut random, 1 + case % 5);
        let problem = impact(&mut random, contacts);
        let (mut path, _) = path(&mut random, &problem);
        for (u, increments) in steps(&mut random, &problem, 3) {
            let mut impulse = DVector::zeros(u.len());
            if path.solve(&u, &increments, &mut impulse) {
                for row in (0..u.len()).filter(|&row| path.states[row].is_between()) {
                    let difference = impulse[row] - path.dictionary.values()[row];
                    assert!(difference.abs() <= 1e-10 * (1.0 + impulse.amax()), "{case}");
                }
                found += 1;
            }
        }
    }
    assert!(found > 600, "{found}");
}

/// Impulses of many steps of one impact.
fn impulses(path: &mut CoveringPath, steps: &[(DVector<f64>, Vec<f64>)]) -> Vec<Option<Vec<f64>>> {
    let mut impulse = DVector::zeros(path.states.len());
    steps
        .iter()
        .map(|(u, increments)| {
            path.solve(u, increments, &mut impulse).then(|| impulse.as_slice().to_vec())
        })
        .collect()
}

fn steps(
    random: &mut ChaCha8Rng,
    problem: &Problem,
    count: usize,
) -> Vec<(DVector<f64>, Vec<f64>)> {
    let (rows, contacts) = (problem.free_contact_velocity().len(), problem.contacts().len());
    let increments = |random: &mut _| (0..contacts).map(|_| uniform(random)).collect();
    (0..count).map(|_| (vector(random, rows), increments(random))).collect()
}

/// A path has the same bits after others.
#[test]
fn paths_do_not_depend_on_those_before() {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    for count in [1, 3, 5] {
        let contacts = contacts(&mut random, count);
        let problem = impact(&mut random, contacts);
        let (fresh, _) = path(&mut random, &problem);
        let steps = steps(&mut random, &problem, 300);
        let mut used = fresh.clone();
        let forward = impulses(&mut used, &steps);
        assert!(forward.iter().filter(|impulse| impulse.is_some()).count() > 200);
        assert_eq!(impulses(&mut used, &steps), forward);
        let alone: Vec<_> = steps
            .iter()
            .map(|step| impulses(&mut fresh.clone(), std::slice::from_ref(step)).remove(0))
            .collect();
        assert_eq!(alone, forward);
    }
}

/// Another covering vector takes effect at the next path.
#[test]
fn conditions_follow_the_covering_vector() {
    let mut random = ChaCha8Rng::seed_from_u64(13);
    let contacts = contacts(&mut random, 3);
    let problem = impact(&mut random, contacts);
    let (mut first, _) = path(&mut random, &problem);
    let (mut second, statement) = path(&mut random, &problem);
    let steps = steps(&mut random, &problem, 50);
    let expected = impulses(&mut second, &steps);
    impulses(&mut first, &steps);
    statement.cover(&mut first);
    assert_eq!(impulses(&mut first, &steps), expected);
}

/// The contacts in the reverse order, each with its part of the covering vector.
#[test]
fn the_order_of_contacts_does_not_matter() {
    let mut random = ChaCha8Rng::seed_from_u64(14);
    let mut found = 0;
    for case in 0..200 {
        let contacts = contacts(&mut random, 2 + case % 4);
        let problem = impact(&mut random, contacts.clone());
        let free = problem.free_velocity();
        let mass = problem.mass_matrix();
        let reversed: Vec<_> = contacts.into_iter().rev().collect();
        let other = Problem::new(Mass::Matrix(mass), free, reversed).unwrap();
        let ones = |problem: &Problem| {
            let frames = Statement::new(problem, 8).unwrap().frames;
            CoveringPath::new(problem, &frames).unwrap()
        };
        let count = problem.contacts().len();
        let mut increments: Vec<f64> = (0..count).map(|_| uniform(&mut random)).collect();
        let solve = |problem: &Problem, increments: &[f64]| {
            let u = problem.free_contact_velocity();
            let mut impulse = DVector::zeros(u.len());
            let solved = ones(problem).solve(&u, increments, &mut impulse);
            solved.then(|| problem.response() * impulse)
        };
        let one = solve(&problem, &increments);
        increments.reverse();
        let two = solve(&other, &increments);
        if let (Some(one), Some(two)) = (one, two) {
            assert!((&one - &two).amax() <= 1e-9 * (1.0 + one.amax()), "{case}: {one} {two}");
            found += 1;
        }
    }
    assert!(found > 100, "{found}");
}

/// Where a path ends, its impulses solve the step: also with contacts that are doubled, and with all conditions tied at
/// the two corners of a block.
#[test]
fn paths_through_ties_and_redundant_rows_end_right_or_not_at_all() {
    let mut random = ChaCha8Rng::seed_from_u64(15);
    let corner = |x: f64, friction: f64| {
        Contact::new(dvector![0.0, 1.0, x]).with_friction(friction, vec![dvector![1.0, 0.0, 1.0]])
    };
    let mut ended = [0; 2];
    for case in 0..400 {
        let is_block = case % 2 == 0;
        let problem = if is_block {
            let friction = [0.0, 0.5, 1.0][case % 3];
            let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, 0.5]));
            let corners = vec![corner(-0.5, friction), corner(0.5, friction)];
            Problem::new(mass, dvector![0.0, -1.0, 0.0], corners).unwrap()
        } else {
            let mut doubled = contacts(&mut random, 2);
            doubled.extend(doubled.clone());
            impact(&mut random, doubled)
        };
        let statement = Statement::new(&problem, 8).unwrap();
        let mut path = CoveringPath::new(&problem, &statement.frames).unwrap();
        let u = problem.free_contact_velocity();
        let step = 0.25 * (1 + case % 5) as f64;
        let increments = vec![step; problem.contacts().len()];
        let mut impulse = DVector::zeros(u.len());
        if !path.solve(&u, &increments, &mut impulse) {
            continue;
        }
        let after = &u + problem.delassus() * &impulse;
        let units = Units::new(&problem, &u, (u.amax(), step));
        let residual = statement.judge(&increments, &u, &after, &impulse, &units).residual;
        assert!(residual <= 1e-9, "{case}: {residual:e}");
        ended[usize::from(is_block)] += 1;
    }
    assert!(ended.iter().all(|count| *count > 20), "{ended:?}");
}

/// Where nothing approaches or slides, nothing pushes.
#[test]
fn contacts_that_separate_take_no_impulse() {
    let floor = Contact::new(dvector![0.0, 1.0]).with_friction(0.5, vec![dvector![1.0, 0.0]]);
    let mass = Mass::Matrix(DMatrix::identity(2, 2));
    let problem = Problem::new(mass, dvector![0.0, 1.0], vec![floor]).unwrap();
    let statement = Statement::new(&problem, 8).unwrap();
    let mut path = CoveringPath::new(&problem, &statement.frames).unwrap();
    let mut impulse = dvector![7.0, 7.0];
    assert!(path.solve(&problem.free_contact_velocity(), &[1.0], &mut impulse));
    assert_eq!(impulse, dvector![0.0, 0.0]);
}
