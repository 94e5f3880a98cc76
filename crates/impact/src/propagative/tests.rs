//! The search from inside: it allocates nothing once its buffers have grown.

use nalgebra::{DMatrix, DVector, dvector};

use super::*;
use crate::{Contact, Mass};

fn row_of_balls(masses: &[f64], velocity: &[f64]) -> Problem {
    let n = masses.len();
    let contacts = (1..n)
        .map(|k| {
            let mut normal = DVector::zeros(n);
            (normal[k - 1], normal[k]) = (-1.0, 1.0);
            Contact::new(normal)
        })
        .collect();
    let mass = Mass::Matrix(DMatrix::from_diagonal(&DVector::from_column_slice(masses)));
    Problem::new(mass, DVector::from_column_slice(velocity), contacts).unwrap()
}

/// Sequences of mirrors, with the index of their outcome.
fn listed(search: &mut Search) -> Vec<(usize, Vec<usize>)> {
    let mut all = Vec::new();
    let outcomes = search.outcomes().len();
    let mut budget = usize::MAX;
    for outcome in 0..outcomes {
        search.list(outcome, usize::MAX, &mut budget, |way| {
            all.push((outcome, way.iter().map(|(mirror, _)| *mirror as usize).collect()));
        });
    }
    all
}

#[test]
fn a_second_search_allocates_nothing() {
    let balls = row_of_balls(&[1.0, 2.0, 3.0, 1.5], &[4.0, 3.0, 2.0, 1.0]);
    let mirrors = Propagative::default().mirrors(&balls).unwrap();
    let mut search = Search::default();
    assert!(search.run(&mirrors, 1.0, 1_000_000));
    let (first, outcomes) = (listed(&mut search), search.outcomes().len());
    assert!(outcomes > 1, "unequal balls have several outcomes: {outcomes}");
    let count = allocation_counter::measure(|| {
        search.run(&mirrors, 1.0, 1_000_000);
    });
    assert_eq!(count.count_total, 0);
    assert_eq!(listed(&mut search), first);
}

#[test]
fn found_sequences_have_no_proper_subsequence_that_ends() {
    let balls = row_of_balls(&[1.0, 0.4, 1.7, 0.8], &[1.3, 1.0, 0.2, -0.4]);
    let mirrors = Propagative::default().mirrors(&balls).unwrap();
    let mut search = Search::default();
    assert!(search.run(&mirrors, 1.0, 10_000_000));
    for (_, word) in listed(&mut search) {
        let ends = |subset: u32| {
            let mut state = mirrors.start.clone();
            for (place, &k) in word.iter().enumerate() {
                if subset >> place & 1 == 1 {
                    mirrors.reflect(&mut state, k);
                }
            }
            mirrors.feasible(&state)
        };
        let all = (1_u32 << word.len()) - 1;
        assert!(ends(all) && !(0..all).any(ends), "{word:?}");
    }
}

/// All sequences of reflections that only reflect what is approached, without merging: those whose proper
/// subsequences all end with an approach are minimal.
#[test]
fn merged_sequences_are_those_that_a_plain_search_finds() {
    let rows: [(&[f64], &[f64]); 5] = [
        (&[1.0, 1.0, 1.0, 1.0], &[4.0, 3.0, 2.0, 1.0]),
        (&[1.0, 0.4, 1.7, 0.8], &[1.3, 1.0, 0.2, -0.4]),
        (&[1.0, 2.0, 3.0, 1.5], &[4.0, 3.0, 2.0, 1.0]),
        (&[1.0, 1.0, 1.0, 2.0], &[1.0, 1.0, 0.0, -1.0]),
        (&[2.0, 1.0, 1.0, 2.0, 1.0], &[1.0, 0.5, 0.0, 0.0, -0.5]),
    ];
    for (masses, velocity) in rows {
        let mirrors = Propagative::default().mirrors(&row_of_balls(masses, velocity)).unwrap();
        let mut search = Search::default();
        assert!(search.run(&mirrors, 1.0, 10_000_000));
        let mut merged: Vec<_> = listed(&mut search).into_iter().map(|(_, word)| word).collect();
        merged.sort();
        let counted: u64 = search.outcomes().sum();
        assert_eq!(counted, merged.len() as u64);
        let longest = merged.iter().map(Vec::len).max().unwrap();
        let mut plain = Vec::new();
        let mut words = vec![vec![]];
        while let Some(word) = words.pop() {
            let after = |subset: u32| {
                let mut state = mirrors.start.clone();
                for (place, &k) in word.iter().enumerate() {
                    if subset >> place & 1 == 1 {
                        mirrors.reflect(&mut state, k);
                    }
                }
                state
            };
            let all = (1_u32 << word.len()) - 1;
            let end = after(all);
            if mirrors.feasible(&end) {
                if !(0..all).any(|subset| mirrors.feasible(&after(subset))) {
                    plain.push(word);
                }
            } else if word.len() < longest {
                for k in mirrors.approached(&end).collect::<Vec<_>>() {
                    words.push([&word[..], &[k]].concat());
                }
            }
        }
        plain.sort();
        assert_eq!(merged, plain, "{masses:?}");
    }
}

/// Equal balls that all approach reverse the order of their velocities; the sequences are the shortest ways to do so by
/// swapping neighbors, `(n(n − 1)/2)! / Π (2i − 1)^(n − i)` of them (R. P. Stanley, *European Journal of
/// Combinatorics* 5, 1984, 359–372).
#[test]
fn equal_balls_that_all_approach_have_the_sequences_of_stanleys_formula() {
    for n in 3..=7_u32 {
        let velocity: Vec<f64> = (0..n).map(|k| -f64::from(k * k)).collect();
        let balls = row_of_balls(&vec![1.0; velocity.len()], &velocity);
        let found = Propagative { listed: 1, ..Propagative::default() }.outcomes(&balls).unwrap();
        assert!(found.is_unique(), "{n}");
        let ways: u128 = (1..=u128::from(n * (n - 1) / 2)).product();
        let hooks: u128 = (1..n).map(|i| u128::from(2 * i - 1).pow(n - i)).product();
        assert_eq!(u128::from(found.branches[0].sequence_count), ways / hooks, "{n}");
    }
}

#[test]
fn a_plastic_impact_that_the_rank_rule_decides_is_not_resolved() {
    // Walls at the angles `±a`: the independent part of a normal is `2 a`.
    let wedge = |a: f64| {
        let walls = [dvector![a, 1.0], dvector![a, -1.0]].map(Contact::new);
        Problem::new(Mass::Matrix(DMatrix::identity(2, 2)), dvector![-1.0, 0.0], walls.to_vec())
            .unwrap()
    };
    let plastic = Propagative { restitution: 0.0, ..Propagative::default() };
    for (a, status) in [
        (5e-3, Status::Resolved),
        (5e-7, Status::Resolved),
        (5e-9, Status::Unsolved),
        (5e-10, Status::Unsolved),
    ] {
        let outcome = plastic.resolve(&wedge(a)).unwrap();
        assert_eq!(outcome.trace.status, status, "{a:e}");
        if status == Status::Resolved {
            assert!(outcome.velocity.amax() < 1e-9, "{a:e}: {}", outcome.velocity);
        }
        let all = plastic.outcomes(&wedge(a)).unwrap();
        assert_eq!(all.branches[0].outcome.trace.status, status, "{a:e}");
    }
    // Along walls that are parallel to rounding nothing is held.
    let parallel = plastic.resolve(&wedge(1e-17)).unwrap();
    assert_eq!((parallel.trace.status, parallel.velocity), (Status::Resolved, dvector![-1.0, 0.0]));
}
