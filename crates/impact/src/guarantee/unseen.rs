//! Probability that one more sample lies outside the box of those seen; derived in the [module](super).

use super::{Error, confidence};

/// Upper bound of the probability that one more sample exceeds *any* of the largest values that `functionals`
/// (`f` ≥ 1) took in `samples` (`S` ≥ 1) independent samples.
///
/// The bound fails with a probability of at most `failure` (`δ`, in `(0, 1]`). It is the `ε` with
/// `P(Bin(S, ε) ≤ f − 1) = δ`, rounded up, and 1 with fewer samples than functionals.
///
/// # Errors
///
/// [`Error::Argument`] when an argument is outside its range.
///
/// # Example
///
/// A bounding box in the plane has four sides. After 2¹⁶ samples, one more lies outside it with a probability
/// of at most 3.26e-4; this statement is wrong with a probability of one in a million. The interval between
/// the smallest and the largest of two samples leaves out more than `ε` with the probability `1 − ε²`, here
/// ¾.
///
/// ```
/// use percussion_impact::guarantee::unseen;
///
/// assert!((unseen(1 << 16, 4, 1e-6)? / 3.257e-4 - 1.0).abs() < 1e-3);
/// assert!((unseen(2, 2, 0.75)? - 0.5).abs() < 1e-15);
/// # Ok::<(), percussion_impact::guarantee::Error>(())
/// ```
pub fn unseen(samples: u64, functionals: u64, failure: f64) -> Result<f64, Error> {
    confidence("failure", failure)?;
    for (name, count) in [("samples", samples), ("functionals", functionals)] {
        if count == 0 {
            return Err(Error::Argument { name, value: 0.0, expected: "at least 1" });
        }
    }
    if samples < functionals {
        return Ok(1.0);
    }
    let single = -(failure.ln() / samples as f64).exp_m1();
    if functionals == 1 {
        return Ok(single);
    }
    // The tail falls from 1 to 0 as ε grows, and that of more functionals is larger.
    let (mut low, mut high) = (single, 1.0);
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return Ok(high);
        }
        if log_tail(samples, functionals, middle) > failure.ln() {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// `ln P(Bin(S, ε) ≤ f − 1)` for `0 < ε < 1` and `f ≤ S`: the terms relative to the largest, so that none
/// overflows.
fn log_tail(samples: u64, functionals: u64, epsilon: f64) -> f64 {
    let count = samples as f64;
    let odds = epsilon.ln() - (-epsilon).ln_1p();
    let mut term = count * (-epsilon).ln_1p();
    let (mut largest, mut sum) = (term, 1.0);
    for i in 0..functionals - 1 {
        let i = i as f64;
        term += ((count - i) / (i + 1.0)).ln() + odds;
        if term > largest {
            sum = sum * (largest - term).exp() + 1.0;
            largest = term;
        } else {
            sum += (term - largest).exp();
        }
    }
    largest + sum.ln()
}
