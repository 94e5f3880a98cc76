//! Refusals of wrong input, of methods and of documents.

use super::*;

#[test]
fn every_method_takes_blocks_or_refuses_by_name() {
    let problem = identity(3, &[-1.0, 2.0, 0.5], Section::Ellipse([0.5, 0.2]));
    let reference = solved(&problem).impulses;
    for method in Method::all() {
        let mut impulses = vec![0.0; 3];
        match method.solve_blocks_from(&problem, &mut impulses) {
            Ok(report) => {
                assert!(method.supports_blocks());
                assert_eq!(report.status, Status::Solved, "{}", method.name());
                assert!(impulses.iter().zip(&reference).all(|(a, b)| (a - b).abs() < 1e-6));
            }
            Err(error) => {
                assert!(!method.supports_blocks());
                assert!(error.to_string().contains(method.name()), "{error}");
                assert_eq!(impulses, [0.0; 3]);
            }
        }
        assert_eq!(method.check_blocks().is_ok(), method.supports_blocks());
    }
    let relaxed = problem.with_model(Model::ConvexRelaxation);
    let sweeps = Settings { steps: Steps::Sweeps, ..Settings::default() };
    assert!(relaxed.solve(&sweeps).unwrap_err().to_string().contains("convex-relaxation"));
}

#[test]
fn refusals_name_the_field() {
    let block = |block: Block| {
        let rows = block.rows.max(1);
        Problem::new(DMatrix::identity(rows, rows), vec![0.0; rows], vec![block])
            .unwrap_err()
            .to_string()
    };
    let texts = [
        block(Block::bilateral(0)),
        block(Block::interval(1.0, 0.5)),
        block(Block::bound(f64::NAN)),
        block(Block::unilateral(1).with_length(0.0)),
        block(Block::contact(Section::Spin([0.5, 0.5, -0.1]))),
        block(Block { rows: 4, ..Block::contact(Section::Ellipse([0.5, 0.5])) }),
        block(Block::contact(Section::Polygon(vec![[1.0, 0.0], [2.0, 1.0]]))),
        block(Block::contact(Section::Polygon(vec![[1.0, 0.0], [2.0, f64::INFINITY]]))),
    ];
    insta::assert_snapshot!(texts.join("\n"), @"
    `blocks[0]`: `rows` is 0, expected a positive number
    `blocks[0]`: `bound[1]` is 0.5, expected a number that is not below bound[0]
    `blocks[0]`: `bound[0]` is NaN, expected a finite number
    `blocks[0]`: `length` is 0, expected a positive number
    `blocks[0]`: `section.spin[2]` is -0.1, expected a finite number ≥ 0
    `blocks[0]`: `rows` is 4, expected 3
    `blocks[0]`: `section.polygon` does not contain (0, 0), expected directions on all sides
    `blocks[0]`: `section.polygon[1][1]` is inf, expected a finite number
    ");
    let one = || vec![Block::unilateral(2)];
    for (matrix, text) in [
        (dmatrix![1.0, 0.5; 0.1, 1.0], "expected a symmetric operator"),
        (dmatrix![1.0, 1.5; 1.5, 1.0], "indefinite in rows [0, 1]"),
        (dmatrix![-1.0, 0.0; 0.0, 1.0], "diagonal of delassus[0] is -1"),
        (dmatrix![f64::NAN, 0.0; 0.0, 1.0], "delassus[0][0] is NaN"),
        (DMatrix::identity(3, 3), "delassus has length 3, expected 2"),
    ] {
        let error = Problem::new(matrix, vec![0.0; 2], one()).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    }
    let problem = Problem::new(DMatrix::identity(2, 2), vec![0.0; 2], one()).unwrap();
    let error = problem.with_compliance(vec![0.0, -1.0]).unwrap_err().to_string();
    assert_eq!(error, "compliance[1] is -1, expected a number ≥ 0");
}

#[cfg(feature = "json")]
#[test]
fn documents_give_back_the_problem_and_its_bits() {
    use crate::friction::document::Document;
    let (delassus, jacobian) = operator(23, 12, 9);
    let free: Vec<f64> = (jacobian * DVector::from_element(12, -0.4)).iter().copied().collect();
    let blocks = vec![
        Block::bilateral(2).with_length(0.3),
        Block::unilateral(1),
        Block::bound(0.2),
        Block::interval(-0.1, 0.3),
        Block::planar(0.4),
        Block::contact(Section::Disc(0.5)),
        Block::contact(Section::Polygon(vec![[0.5, 0.0], [0.0, 0.4], [-0.5, 0.0], [0.0, -0.4]])),
        Block::contact(Section::Spin([0.5, 0.4, 0.01])),
        Block::contact(Section::Rolling([0.5, 0.01, 0.002])),
    ];
    let problem = Problem::new(delassus, free, blocks).unwrap();
    let problem = problem.with_compliance(vec![1e-3; 23]).unwrap();
    let document = Document::of_blocks(&problem);
    let read: Document = document.to_string().parse().unwrap();
    assert_eq!(read, document);
    assert_eq!(read.blocks_problem().unwrap(), problem);
    assert_eq!(read.solve_blocks().unwrap().impulses, document.solve_blocks().unwrap().impulses);
    assert!(read.problem().unwrap_err().to_string().contains("`blocks` is given"));
    let refused = |from: &str, to: &str| {
        let text = r#"{"delassus": {"dense": [[1]]}, "free_velocity": [1], "blocks": [{"kind": "interval", "rows": 1, "bound": 0.5}]}"#;
        let read = text.replacen(from, to, 1).parse::<Document>();
        let error = match read {
            Ok(document) => document.blocks_problem().unwrap_err().to_string(),
            Err(error) => error.to_string(),
        };
        error.split(" at line").next().unwrap_or_default().to_owned()
    };
    let texts = [
        refused("0.5", "-0.5"),
        refused("0.5", "[2, 1]"),
        refused(r#", "bound": 0.5"#, ""),
        refused("interval", "unilateral"),
        refused(r#""bound": 0.5"#, r#""section": {"disc": 1}, "bound": 0.5"#),
        refused(r#""rows": 1"#, r#""rows": 2"#),
        refused("interval", "contact"),
        refused(r#""blocks""#, r#""friction": [0.5], "blocks""#),
        refused(r#""blocks""#, r#""law": "maximum-dissipation", "blocks""#),
        refused(r#"{"dense": [[1]]}"#, r#"{"blocks": []}"#),
        refused(
            r#""blocks": [{"kind": "interval", "rows": 1, "bound": 0.5}]"#,
            r#""model": "coulomb", "friction": [0]"#,
        ),
    ];
    insta::assert_snapshot!(texts.join("\n"), @"
    `bound` is -0.5, expected a finite number ≥ 0, or [lower, upper]
    `bound[1]` is 1, expected a number that is not below bound[0]
    `bound` is missing, expected a number or [lower, upper]
    `bound` is given, expected a block of kind `interval` with it
    `section` is given, expected a block of kind `contact` with it
    `delassus.dense` has 1 entries, expected 2
    `bound` is given, expected a block of kind `interval` with it
    `friction` is given, expected the sections of `blocks` alone
    `law` is maximum-dissipation, expected coulomb in a problem with blocks
    `delassus.blocks` is given, expected `delassus.dense` beside `blocks`
    `model` is given, expected `blocks` beside it
    ");
}

#[test]
fn the_problem_of_maximum_dissipation_has_no_blocks() {
    let disc = identity(3, &[-1.0, 2.0, 0.5], Section::Disc(0.5));
    assert!(disc.discs().is_some());
    assert!(disc.clone().with_model(Model::ConvexRelaxation).discs().is_none());
    assert!(disc.with_compliance(vec![0.1; 3]).unwrap().discs().is_none());
}
