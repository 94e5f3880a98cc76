//! Hands that close around objects: many more rows than ways to move, and friction that holds only where rows press against one
//! another. Answers are checked by the definition of the laws, with the numbers of the file alone.
#![cfg(feature = "json")]
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;

use percussion_complementarity::friction::{Status, document::Document, mixed};
use serde_json::Value;

const GRIPS: [&str; 3] = ["pen-start", "pen", "block"];

fn read(name: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    fs::read_to_string(format!("{root}/../../fixtures/constraints/grips/{name}.json")).unwrap()
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|entry| entry.as_f64().unwrap()).collect()
}

/// By how much `impulses` miss the laws (m/s), and the largest free velocity, with the length of each row.
fn missed(file: &Value, impulses: &[f64]) -> (f64, f64) {
    let rows = file["delassus"]["dense"].as_array().unwrap();
    let free = numbers(&file["free_velocity"]);
    let velocity = |row: usize| {
        numbers(&rows[row]).iter().zip(impulses).map(|(w, p)| w * p).sum::<f64>() + free[row]
    };
    let mobility = |row: usize| rows[row][row].as_f64().unwrap();
    let (mut first, mut worst, mut scale) = (0, 0.0_f64, 0.0_f64);
    for block in file["blocks"].as_array().unwrap() {
        let (n, length) =
            (first, block.get("length").map_or(1.0, |length| length.as_f64().unwrap()));
        first += usize::try_from(block["rows"].as_u64().unwrap()).unwrap();
        let (p, u) = (&impulses[n..first], (n..first).map(velocity).collect::<Vec<_>>());
        let miss = match block["kind"].as_str().unwrap() {
            "unilateral" => (p[0] * mobility(n)).min(u[0]).abs(),
            "interval" => {
                let bound = block["bound"].as_f64().unwrap();
                assert!(p[0].abs() <= bound, "{} beyond {bound}", p[0]);
                // What is left to the bound against the velocity.
                let left = (bound + p[0] * u[0].signum()) * mobility(n);
                left.min(u[0].abs())
            }
            "contact" => {
                let friction = block["section"]["disc"].as_f64().unwrap();
                let (push, slip) = (p[1].hypot(p[2]), u[1].hypot(u[2]));
                let left = (friction * p[0] - push) * mobility(n + 1);
                let apart = (p[0] * mobility(n)).min(u[0]).abs();
                // Either it holds, or friction is as large as it can be and opposite to the slip.
                let turned =
                    if push > 0.0 { slip + (p[1] * u[1] + p[2] * u[2]) / push } else { 0.0 };
                apart.max(-left).max(slip.min(left.abs().max(turned)))
            }
            kind => panic!("{kind}"),
        };
        worst = worst.max(miss * length);
        scale = free[n..first].iter().fold(scale, |scale, b| scale.max(b.abs() * length));
    }
    (worst, scale)
}

#[test]
fn a_hand_holds_what_it_closes_around() {
    for name in GRIPS {
        let text = read(name);
        let document: Document = text.parse().unwrap();
        let solution = document.solve_blocks().unwrap();
        assert_eq!(solution.report.status, Status::Solved, "{name}: {:?}", solution.report);
        let (missed, scale) = missed(&serde_json::from_str(&text).unwrap(), &solution.impulses);
        assert!(missed <= 1e-6 * scale, "{name}: {missed} of {scale}");
    }
}

#[test]
fn so_it_does_in_other_units() {
    for (name, [mass, speed]) in [("pen-start", [1e6, 1e-3]), ("pen", [1e-9, 1e4])] {
        let document: Document = read(name).parse().unwrap();
        let problem = document.blocks_problem().unwrap();
        let free = problem.free_velocity().iter().map(|b| b * speed).collect();
        let blocks = problem.blocks().iter().cloned().map(|mut block| {
            if let mixed::Set::Interval { lower, upper } = &mut block.set {
                *lower *= mass * speed;
                *upper *= mass * speed;
            }
            block
        });
        let other = mixed::Problem::new(problem.operator() / mass, free, blocks.collect()).unwrap();
        let settings = mixed::Settings { tolerance: 1e-8, ..Default::default() };
        let report = other.solve(&settings).unwrap().report;
        assert_eq!(report.status, Status::Solved, "{name}: {report:?}");
    }
}
