//! Tests of documents.

use proptest::prelude::*;

use super::*;
use crate::friction::{
    Law, MatrixFree, Status, block_gauss_seidel, problem::tests::random_problem,
};

fn bits(vectors: &[Vector3<f64>]) -> Vec<u64> {
    flat(vectors).into_iter().map(f64::to_bits).collect()
}

proptest! {
    #[test]
    fn a_problem_comes_back_with_every_bit_and_is_solved_to_the_same(
        seed in 0_u64..1000, contacts in 1_usize..8, law in prop_oneof![
            Just(Law::Coulomb), Just(Law::MaximumDissipation)
        ],
    ) {
        let problem = random_problem(seed, 3, contacts, 0.4).with_law(law);
        let start = vec![Vector3::new(0.1, 0.02, -0.03); problem.contact_count()];
        let method = Method::default().with_tolerance(1e-9);
        let text = Document::of(&problem).with_start(&start).with_method(method).to_string();
        let document: Document = text.parse().unwrap();
        prop_assert_eq!(&document.problem().unwrap(), &problem);
        prop_assert_eq!(bits(&document.start().unwrap()), bits(&start));

        let mut impulses = start;
        let report = method.solve_from(&problem, &mut impulses).unwrap();
        let again = document.solve().unwrap();
        prop_assert_eq!(again.report, report);
        prop_assert_eq!(bits(&again.impulses), bits(&impulses));
    }
}

#[test]
fn an_operator_without_blocks_is_written_by_the_blocks_it_acts_by() {
    let jacobian = DMatrix::from_fn(6, 4, |i, j| f64::from(u8::from(i % 4 == j)) + 0.1 * i as f64);
    let inverse_mass = DMatrix::from_diagonal_element(4, 4, 0.5);
    let free = MatrixFree::new(&jacobian, &inverse_mass).unwrap();
    let velocity = vec![Vector3::new(-1.0, 0.5, 0.0); 2];
    let problem = Problem::new(free, velocity, &[0.5, 0.25]).unwrap();
    let read = Document::of(&problem).problem().unwrap();
    // The entries are sums of four products of numbers below 2.
    assert!((read.dense() - problem.dense()).amax() <= 16.0 * f64::EPSILON);
    assert_eq!(read.free_velocity(), problem.free_velocity());
}

#[test]
fn two_rows_a_contact_are_contacts_in_the_plane() {
    let text = r#"{"delassus": {"dense": [[0.5, 0.0], [0.0, 0.5]]}, "free_velocity": [-2.0, 3.0],
        "friction": [0.5], "start": [1.0, -0.5]}"#;
    let document: Document = text.parse().unwrap();
    assert_eq!(document.components(), 2);
    assert_eq!(document.start().unwrap(), [Vector3::new(1.0, -0.5, 0.0)]);
    let solution = document.solve().unwrap();
    assert_eq!(solution.impulses, [Vector3::new(4.0, -2.0, 0.0)]);
    let short = Document { start: Some(vec![0.0; 3]), ..document };
    assert_eq!(short.start().unwrap_err().to_string(), "`start` has 3 entries, expected 2");
}

#[test]
fn a_solve_that_failed_fails_again_in_the_same_way() {
    let dense = nalgebra::dmatrix![2.0, 1.9, 0.3; 1.9, 2.0, 0.1; 0.3, 0.1, 1.0];
    let problem = Problem::from_dense(&dense, &[-1.0, 0.7, 0.4], &[3.0]).unwrap();
    let settings =
        block_gauss_seidel::Settings { tolerance: 0.0, max_sweeps: 3, ..Default::default() };
    let method = Method::BlockGaussSeidel(settings);
    let first = method.solve(&problem).unwrap();
    assert_ne!(first.report.status, Status::Solved);
    let again = Document::of(&problem).with_method(method).solve().unwrap();
    assert_eq!(again, first);
}

#[test]
fn bad_documents_say_what_is_wrong() {
    const GOOD: &str = r#"{"delassus": {"blocks": [{"row": 0, "column": 0,
        "values": [[2, 0, 0], [0, 2, 0], [0, 0, 2]]}]}, "free_velocity": [-1, 0, 0], "friction": [0.5]}"#;
    assert!(GOOD.parse::<Document>().unwrap().solve().is_ok());
    let lines: Vec<String> = [
        (r#""row": 0"#, r#""row": 1"#),
        ("[-1, 0, 0]", "[-1, 0]"),
        ("[-1, 0, 0]", r#"[-1, 0, 0], "start": [0]"#),
        ("[-1, 0, 0]", r#"[-1, 0, 0], "start": [0, 0, 0], "method": {"combined": {"law": "dry"}}"#),
        ("[0.5]", "[]"),
        (r#""row""#, r#""line""#),
        ("[0.5]}", "[0.5"),
        (r#"{"row": 0, "column": 0,"#, "[0, 0,"),
    ]
    .into_iter()
    .map(|(from, to)| {
        let text = GOOD.replacen(from, to, 1);
        text.parse().and_then(|document: Document| document.solve()).unwrap_err().to_string()
    })
    .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    block (1, 0) is outside of 1 contacts
    `free_velocity` has 2 entries, expected 3
    `start` has 1 entries, expected 3
    unknown variant `dry`, expected `coulomb` or `maximum-dissipation` at line 2 column 141
    `friction` is empty, expected a coefficient for each contact
    unknown field `line`, expected one of `row`, `column`, `values` at line 1 column 32
    EOF while parsing a list at line 2 column 101
    invalid type: sequence, expected an object at line 1 column 25
    ");
}

/// A document of a sliding block with the given `law` and `method`.
fn sliding(law: &str, method: &str) -> Result<Document, Error> {
    let text = r#"{"delassus": {"dense": [[0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]]},
        "free_velocity": [-2, 3, 0], "friction": [0.5]"#;
    format!("{text}{law}{method}}}").parse()
}

#[test]
fn the_law_belongs_to_the_problem() {
    let plain = sliding("", "").unwrap();
    assert_eq!((plain.law, plain.problem().unwrap().law()), (Law::Coulomb, Law::Coulomb));
    assert!(!plain.to_string().contains("law"), "{plain}");
    let other = sliding(r#", "law": "maximum-dissipation""#, "").unwrap();
    assert_eq!(other.problem().unwrap().law(), Law::MaximumDissipation);
    assert!(other.to_string().contains(r#""law":"maximum-dissipation""#), "{other}");
    assert_eq!(other.to_string().parse::<Document>().unwrap(), other);
    let interior = sliding(
        r#", "law": "maximum-dissipation""#,
        r#", "method": {"interior-point": {"tolerance": 1e-9}}"#,
    );
    let refused = interior.unwrap().solve().unwrap_err().to_string();
    assert_eq!(
        refused,
        "`law` is maximum-dissipation, expected coulomb: this solver has no rule for others"
    );
}

/// Files of older versions, in which the law is among the settings of the method.
#[test]
fn documents_with_the_law_in_their_method_are_read_as_before() {
    for method in ["combined", "block-gauss-seidel"] {
        let old = format!(
            r#", "method": {{"{method}": {{"tolerance": 1e-9, "law": "maximum-dissipation", "max_sweeps": 7}}}}"#
        );
        let read = sliding("", &old).unwrap();
        assert_eq!(read.law, Law::MaximumDissipation);
        let same = sliding(r#", "law": "maximum-dissipation""#, &old).unwrap();
        assert_eq!(same, read);
        let new = old.replace(r#""law": "maximum-dissipation", "#, "");
        assert_eq!(sliding(r#", "law": "maximum-dissipation""#, &new).unwrap(), read);
        let coulomb = old.replace("maximum-dissipation", "coulomb");
        assert_eq!(sliding("", &coulomb).unwrap(), sliding("", &new).unwrap());

        let differ = sliding(r#", "law": "coulomb""#, &old).unwrap_err().to_string();
        assert!(differ.starts_with("`law` is coulomb, expected maximum-dissipation"), "{differ}");
        let twice = old.replace(r#""max_sweeps": 7"#, r#""law": "coulomb""#);
        let twice = sliding("", &twice).unwrap_err().to_string();
        assert!(twice.starts_with("duplicate field `law`"), "{twice}");
        let unknown = old.replace("max_sweeps", "sweeps");
        let unknown = sliding("", &unknown).unwrap_err().to_string();
        assert!(unknown.starts_with("unknown field `sweeps`"), "{unknown}");
    }
    let never = r#", "method": {"interior-point": {"law": "coulomb"}}"#;
    assert!(sliding("", never).unwrap_err().to_string().starts_with("unknown field `law`"));
}

/// A document with no contacts would be written without `friction`, which every document of discs has.
#[test]
fn a_document_without_a_contact_is_refused() {
    let text = r#"{"delassus": {"dense": []}, "free_velocity": [], "friction": []}"#;
    let error = text.parse::<Document>().unwrap_err().to_string();
    assert!(error.contains("`friction` is empty"), "{error}");
}
