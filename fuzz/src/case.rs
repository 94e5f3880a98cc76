//! A [`Case`] that can be written down, and a check that fills a [`Tally`].

use std::{
    collections::BTreeMap,
    fmt::Debug,
    panic::{self, AssertUnwindSafe},
};

use percussion_verify::Verdict;
use serde::{Serialize, de::DeserializeOwned};

use crate::Source;

/// A random problem, its generator and its check.
pub trait Case: Clone + Debug + Serialize + DeserializeOwned + 'static {
    /// Name of the target.
    const NAME: &'static str;

    /// Draws a case.
    fn generate(source: &mut Source<'_>) -> Self;

    /// Runs every solver, and judges the results.
    fn check(&self, tally: &mut Tally);

    /// The case with one part removed, in every possible way.
    fn smaller(&self) -> Vec<Self> {
        Vec::new()
    }
}

/// Statuses and wrong answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of results, by `solver/status`.
    pub counts: BTreeMap<String, u64>,
    /// The wrong answers: the solver, and the message of the judge.
    pub failures: Vec<(String, String)>,
}

impl Tally {
    /// Counts a status.
    pub fn count(&mut self, solver: &str, status: impl Debug) {
        *self.counts.entry(format!("{solver}/{status:?}")).or_default() += 1;
    }

    /// Records a wrong answer.
    pub fn fail(&mut self, solver: &str, what: impl Into<String>) {
        self.failures.push((solver.to_owned(), what.into()));
    }

    /// Records the answer as wrong unless the verdict holds.
    pub fn judge(&mut self, solver: &str, verdict: &Verdict) {
        if !verdict.holds() {
            self.fail(solver, verdict.to_string());
        }
    }

    /// Adds the counts of another tally.
    pub fn merge(&mut self, other: &Self) {
        for (name, count) in &other.counts {
            *self.counts.entry(name.clone()).or_default() += count;
        }
    }
}

/// Checks a case; a panic counts as a failure.
pub fn check<C: Case>(case: &C) -> Tally {
    let result = panic::catch_unwind(AssertUnwindSafe(|| {
        let mut tally = Tally::default();
        case.check(&mut tally);
        tally
    }));
    result.unwrap_or_else(|payload| {
        let text = payload
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_default();
        let mut tally = Tally::default();
        tally.fail("panic", text);
        tally
    })
}

/// Entry point for libFuzzer: draws a case from the bytes and panics if an answer is wrong.
///
/// # Panics
///
/// When an answer is wrong; libFuzzer then keeps the bytes.
pub fn fuzz<C: Case>(data: &[u8]) {
    let case = C::generate(&mut Source::from_bytes(data));
    let mut tally = Tally::default();
    case.check(&mut tally);
    let text = serde_json::to_string(&case).unwrap_or_default();
    assert!(tally.failures.is_empty(), "{:?}\n{text}", tally.failures);
}
