//! Reduces a failing case: fewer parts, then simpler numbers.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::case::{Case, check};

/// Maximum time for one case.
const TIME: Duration = Duration::from_secs(20);

/// The smallest case found in the time for which `solver` still fails.
pub(crate) fn shrink<C: Case>(value: &Value, solver: &str) -> Value {
    let Ok(mut case) = serde_json::from_value::<C>(value.clone()) else { return value.clone() };
    let start = Instant::now();
    let fails = |case: &C| check(case).failures.iter().any(|(by, _)| by == solver);
    while let Some(smaller) = case.smaller().into_iter().find(&fails) {
        case = smaller;
        if start.elapsed() > TIME {
            break;
        }
    }
    let Ok(mut best) = serde_json::to_value(&case) else { return value.clone() };
    let mut paths = Vec::new();
    numbers(&best, &mut String::new(), &mut paths);
    for path in paths {
        let Some(old) = best.pointer(&path).cloned() else { continue };
        for simpler in simpler(&old) {
            if start.elapsed() > TIME {
                return best;
            }
            let mut trial = best.clone();
            if let Some(place) = trial.pointer_mut(&path) {
                *place = simpler;
            }
            if serde_json::from_value::<C>(trial.clone()).is_ok_and(|case| fails(&case)) {
                best = trial;
                break;
            }
        }
    }
    best
}

/// The paths of all numbers.
fn numbers(value: &Value, path: &mut String, paths: &mut Vec<String>) {
    let length = path.len();
    match value {
        Value::Number(_) => paths.push(path.clone()),
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                path.push_str(&format!("/{index}"));
                numbers(value, path, paths);
                path.truncate(length);
            }
        }
        Value::Object(map) => {
            for (key, value) in map {
                path.push_str(&format!("/{key}"));
                numbers(value, path, paths);
                path.truncate(length);
            }
        }
        _ => {}
    }
}

/// Numbers with fewer digits than this one, the simplest first.
fn simpler(value: &Value) -> Vec<Value> {
    let Some(number) = value.as_f64().filter(|_| value.is_f64()) else { return Vec::new() };
    let mut candidates = vec![0.0, number.signum()];
    candidates
        .extend((0..6).filter_map(|digits| format!("{number:.digits$e}").parse::<f64>().ok()));
    candidates.retain(|candidate| candidate.to_bits() != number.to_bits());
    candidates.into_iter().map(Value::from).collect()
}
