//! Tests of the two halves of a pivot against the whole.

use nalgebra::{dmatrix, dvector};

use super::*;

fn loaded() -> Dictionary {
    let matrix = dmatrix![2.0, 1.0, 0.5; 1.0, 3.0, -1.0; -0.5, 1.0, 2.0];
    let problem = Problem::new(matrix, dvector![-1.0, -1.5, 1.25]).unwrap();
    let mut dictionary = Dictionary::default();
    dictionary.load(&problem, &[1.0; 3]);
    dictionary
}

#[test]
fn the_values_come_first_and_the_rest_follows() {
    for (row, column) in [(0, 3), (1, 0), (2, 2)] {
        let (mut whole, mut halves) = (loaded(), loaded());
        let before = halves.clone();
        whole.pivot(row, column);
        halves.pivot_values(row, column);
        assert_eq!(halves.values(), whole.values());
        assert_eq!((&halves.basic, &halves.nonbasic), (&whole.basic, &whole.nonbasic));
        for j in 0..=3 {
            assert_eq!(halves.column(j), before.column(j), "not yet");
        }
        halves.complete();
        for j in 0..=4 {
            assert_eq!(halves.column(j), whole.column(j), "{row} {column} {j}");
        }
        let again = halves.clone();
        halves.complete();
        assert_eq!(halves.columns, again.columns, "nothing is left to do");
    }
}

#[test]
fn variables_are_where_their_places_say() {
    let mut dictionary = loaded();
    assert!(dictionary.artificial_is_nonbasic());
    assert_eq!(dictionary.place(dictionary.artificial()), Place::Column(3));
    // t enters into the last row and leaves from it again, as z_1 enters.
    for (row, column, is_nonbasic) in [(2, 3, false), (0, 1, false), (2, 0, true)] {
        dictionary.pivot(row, column);
        assert_eq!(dictionary.artificial_is_nonbasic(), is_nonbasic);
        for variable in 0..7 {
            match dictionary.place(variable) {
                Place::Row(row) => assert_eq!(dictionary.basic(row), variable),
                Place::Column(column) => assert_eq!(dictionary.nonbasic[column], variable),
            }
        }
    }
    // In the first row: place zero to n are rows.
    let mut dictionary = loaded();
    dictionary.pivot(0, 3);
    assert!(!dictionary.artificial_is_nonbasic());
}
