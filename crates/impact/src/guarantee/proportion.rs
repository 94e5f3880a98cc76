//! An interval for a probability, from how often it was seen; derived in the [module](super).

use super::{Error, confidence, unseen};

/// Interval that contains the probability of an event that was seen `seen` times in `samples` (≥ 1) independent samples, after
/// Clopper and Pearson: `[low, high]`, in `[0, 1]`.
///
/// The interval leaves out the probability with a chance of at most `failure` (`δ`, in `(0, 1]`), whatever the probability
/// is: at most `δ/2` at each end. Several intervals from the same samples each have this chance.
///
/// The upper end is the `p` with `P(Bin(S, p) ≤ k) = δ/2`, which is [`unseen`] for `k + 1` functionals, and the lower end
/// is that of the opposite event.
///
/// # Errors
///
/// [`Error::Argument`] when an argument is outside its range.
///
/// # Example
///
/// An event that was seen in none of 100 samples has a probability of at most `1 − 0.025^{1/100}` = 0.0362; one that was seen
/// in 50 of 100 has one between 0.398 and 0.602.
///
/// ```
/// use percussion_impact::guarantee::proportion;
///
/// let [low, high] = proportion(0, 100, 0.05)?;
/// assert!(low == 0.0 && (high - 0.0362).abs() < 1e-4);
/// let [low, high] = proportion(50, 100, 0.05)?;
/// assert!((low - 0.398).abs() < 5e-4 && (high - 0.602).abs() < 5e-4);
/// # Ok::<(), percussion_impact::guarantee::Error>(())
/// ```
///
/// # Source
///
/// C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the binomial",
/// *Biometrika* 26 (1934) 404–413.
pub fn proportion(seen: u64, samples: u64, failure: f64) -> Result<[f64; 2], Error> {
    confidence("failure", failure)?;
    if samples == 0 {
        return Err(Error::Argument { name: "samples", value: 0.0, expected: "at least 1" });
    }
    if seen > samples {
        let (value, expected) = (seen as f64, "at most the number of samples");
        return Err(Error::Argument { name: "seen", value, expected });
    }
    let high = |seen: u64| unseen(samples, seen + 1, 0.5 * failure);
    Ok([1.0 - high(samples - seen)?, high(seen)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The binomial probabilities added up one by one, in the other direction than the interval does.
    fn probability_of_at_least(seen: u64, samples: u64, p: f64) -> f64 {
        let term = |k: u64| {
            let choose = (0..k).fold(1.0, |c, i| c * (samples - i) as f64 / (i + 1) as f64);
            choose
                * p.powi(k.try_into().unwrap())
                * (1.0 - p).powi((samples - k).try_into().unwrap())
        };
        (seen..=samples).map(term).sum()
    }

    #[test]
    fn the_ends_leave_half_of_the_chance_each() {
        for (seen, samples) in [(0, 1), (1, 1), (1, 7), (3, 10), (10, 10), (17, 40)] {
            let [low, high] = proportion(seen, samples, 0.1).unwrap();
            assert!(low < high && (0.0..=1.0).contains(&low) && high <= 1.0);
            if seen > 0 {
                let chance = probability_of_at_least(seen, samples, low);
                assert!((chance - 0.05).abs() < 1e-9, "{seen} of {samples}: {chance}");
            } else {
                assert!(low.abs() < 1e-15);
            }
            if seen < samples {
                let chance = 1.0 - probability_of_at_least(seen + 1, samples, high);
                assert!((chance - 0.05).abs() < 1e-9, "{seen} of {samples}: {chance}");
            } else {
                assert!((high - 1.0).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn arguments_out_of_range_are_named() {
        let refused =
            |seen, samples, failure| proportion(seen, samples, failure).unwrap_err().to_string();
        assert!(refused(0, 0, 0.1).contains("samples"));
        assert!(refused(2, 1, 0.1).contains("seen"));
        assert!(refused(0, 1, 0.0).contains("failure"));
    }
}
