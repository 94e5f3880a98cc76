//! The search from inside: it allocates nothing once its buffers have grown.

use nalgebra::{DMatrix, DVector};

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

#[test]
fn a_second_search_allocates_nothing() {
    let balls = row_of_balls(&[1.0, 2.0, 3.0, 1.5], &[4.0, 3.0, 2.0, 1.0]);
    let mirrors = Propagative::default().mirrors(&balls).unwrap();
    let mut search = Search::default();
    assert!(search.run(&mirrors, 1.0, 1_000_000));
    let listed =
        |search: &Search| search.found().map(|(word, _)| word.to_vec()).collect::<Vec<_>>();
    let (first, outcomes) = (listed(&search), search.outcomes());
    assert!(outcomes > 1, "unequal balls have several outcomes: {outcomes}");
    let count = allocation_counter::measure(|| {
        search.run(&mirrors, 1.0, 1_000_000);
    });
    assert_eq!(count.count_total, 0);
    assert_eq!(listed(&search), first);
}

#[test]
fn found_sequences_have_no_proper_subsequence_that_ends() {
    let balls = row_of_balls(&[1.0, 0.4, 1.7, 0.8], &[1.3, 1.0, 0.2, -0.4]);
    let mirrors = Propagative::default().mirrors(&balls).unwrap();
    let mut search = Search::default();
    assert!(search.run(&mirrors, 1.0, 10_000_000));
    for (word, _) in search.found() {
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
