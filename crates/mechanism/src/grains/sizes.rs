//! Distributions of diameters: [`Sizes`].

use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use crate::{
    Error,
    rules::{count, require},
};

/// A distribution of diameters (m).
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Sizes {
    /// Pairs of a diameter and its share of the number of grains, of any sum.
    Given(Vec<[f64; 2]>),
    /// By number, all diameters from the first to the second equally likely.
    Uniform([f64; 2]),
    /// By number, the logarithm of diameters has a normal distribution; what is below `min` or above `max` is drawn
    /// again.
    Lognormal {
        /// Median of the distribution without the bounds (m).
        median: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
        /// Smallest diameter (m).
        min: f64,
        /// Largest diameter (m).
        max: f64,
    },
    /// By mass: pairs of an opening (m) and the fraction of the mass that passes it, from 0 to 1, straight between.
    Sieve(Vec<[f64; 2]>),
}

const DIAMETER: &str = "a positive finite diameter (m)";
const RISING: &str = "larger than the one before";

impl Sizes {
    pub(super) fn check(&self, path: &str) -> Result<(), Error> {
        let positive = |path: &str, value: f64| {
            require(path, &value, DIAMETER, value.is_normal() && value > 0.0)
        };
        match self {
            Self::Given(classes) => {
                count(&format!("{path}.given"), classes.len(), !classes.is_empty(), "at least 1")?;
                for (k, [diameter, share]) in classes.iter().enumerate() {
                    positive(&format!("{path}.given[{k}][0]"), *diameter)?;
                    let path = format!("{path}.given[{k}][1]");
                    require(
                        &path,
                        share,
                        "a positive finite share",
                        share.is_normal() && *share > 0.0,
                    )?;
                }
                Ok(())
            }
            Self::Uniform([low, high]) => {
                positive(&format!("{path}.uniform[0]"), *low)?;
                positive(&format!("{path}.uniform[1]"), *high)?;
                require(&format!("{path}.uniform[1]"), high, RISING, high > low)
            }
            Self::Lognormal { median, sigma, min, max } => {
                positive(&format!("{path}.lognormal.median"), *median)?;
                let valid = sigma.is_normal() && *sigma > 0.0 && *sigma <= 3.0;
                require(&format!("{path}.lognormal.sigma"), sigma, "a number in (0, 3]", valid)?;
                positive(&format!("{path}.lognormal.min"), *min)?;
                positive(&format!("{path}.lognormal.max"), *max)?;
                // The interval then has a fair part of the distribution, so that drawing again ends soon.
                let around = *min < *median && *max > *median;
                let expected = "bounds with the median between them";
                require(&format!("{path}.lognormal.min"), min, expected, around)
            }
            Self::Sieve(rows) => {
                let path = format!("{path}.sieve");
                count(&path, rows.len(), rows.len() >= 2, "at least 2 openings")?;
                for (k, [opening, passing]) in rows.iter().enumerate() {
                    positive(&format!("{path}[{k}][0]"), *opening)?;
                    let fits = (0.0..=1.0).contains(passing);
                    require(&format!("{path}[{k}][1]"), passing, "a fraction from 0 to 1", fits)?;
                    if k > 0 {
                        let [before, less] = rows[k - 1];
                        require(&format!("{path}[{k}][0]"), opening, RISING, *opening > before)?;
                        let expected = "at least the one before";
                        require(&format!("{path}[{k}][1]"), passing, expected, *passing >= less)?;
                    }
                }
                let [first, last] = [rows[0][1], rows[rows.len() - 1][1]];
                require(
                    &format!("{path}[0][1]"),
                    &first,
                    "0 for the smallest opening",
                    first == 0.0,
                )?;
                let path = format!("{path}[{}][1]", rows.len() - 1);
                require(&path, &last, "1 for the largest opening", (last - 1.0).abs() < 1e-12)
            }
        }
    }

    /// The smallest and the largest diameter (m).
    pub(super) fn range(&self) -> [f64; 2] {
        let ends = |rows: &[[f64; 2]]| {
            let all = rows.iter().map(|row| row[0]);
            [all.clone().fold(f64::INFINITY, f64::min), all.fold(0.0, f64::max)]
        };
        match self {
            Self::Given(rows) | Self::Sieve(rows) => ends(rows),
            Self::Uniform(range) => *range,
            Self::Lognormal { min, max, .. } => [*min, *max],
        }
    }

    /// The same with diameters that are `factor` times as large.
    pub(super) fn scale(&mut self, factor: f64) {
        match self {
            Self::Given(rows) | Self::Sieve(rows) => {
                rows.iter_mut().for_each(|row| row[0] *= factor);
            }
            Self::Uniform(range) => range.iter_mut().for_each(|end| *end *= factor),
            Self::Lognormal { median, min, max, .. } => {
                [median, min, max].into_iter().for_each(|length| *length *= factor);
            }
        }
    }

    /// A diameter (m).
    pub(super) fn draw(&self, random: &mut ChaCha8Rng) -> f64 {
        match self {
            Self::Given(rows) => {
                let shares: Vec<f64> = rows.iter().map(|row| row[1]).collect();
                rows[pick(&shares, random)][0]
            }
            Self::Uniform([low, high]) => random.random_range(*low..=*high),
            Self::Lognormal { median, sigma, min, max } => loop {
                // Box and Muller; one minus a number below one is not zero.
                let [u, v] = [(); 2].map(|()| random.random_range(0.0..1.0));
                let normal = (-2.0 * f64::ln(1.0 - u)).sqrt() * (std::f64::consts::TAU * v).cos();
                let diameter = median * (sigma * normal).exp();
                if (*min..=*max).contains(&diameter) {
                    return diameter;
                }
            },
            Self::Sieve(rows) => {
                // Mass per diameter is constant within a class, number per diameter falls with the cube.
                let number = |rows: &[[f64; 2]]| {
                    let [[low, before], [high, after]] = [rows[0], rows[1]];
                    (after - before) / (high - low) * 0.5 * (low.powi(-2) - high.powi(-2))
                };
                let shares: Vec<f64> = rows.windows(2).map(number).collect();
                let class = pick(&shares, random);
                let [low, high] = [rows[class][0].powi(-2), rows[class + 1][0].powi(-2)];
                (low - random.random_range(0.0..1.0) * (low - high)).sqrt().recip()
            }
        }
    }
}

/// An index, with a probability in proportion to its share.
fn pick(shares: &[f64], random: &mut ChaCha8Rng) -> usize {
    let mut rest = random.random_range(0.0..1.0) * shares.iter().sum::<f64>();
    for (index, share) in shares.iter().enumerate() {
        if rest < *share {
            return index;
        }
        rest -= share;
    }
    shares.iter().rposition(|share| *share > 0.0).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    const DRAWS: usize = 20_000;

    fn draws(sizes: &Sizes) -> Vec<f64> {
        sizes.check("sizes").unwrap();
        let mut random = ChaCha8Rng::seed_from_u64(7);
        (0..DRAWS).map(|_| sizes.draw(&mut random)).collect()
    }

    #[test]
    fn a_sieve_passes_the_masses_of_its_table() {
        let table = vec![[1.0, 0.0], [2.0, 0.3], [3.0, 0.3], [4.0, 1.0]];
        let all = draws(&Sizes::Sieve(table));
        let mass = |below: f64| all.iter().filter(|d| **d <= below).map(|d| d.powi(3)).sum::<f64>();
        // 0.15 passes in the middle of the first class, where passing is straight. The mass of 20 000 draws is
        // known to about 1 %, of which these are four deviations.
        for (opening, passing) in [(1.5, 0.15), (2.0, 0.3), (3.0, 0.3), (3.5, 0.65)] {
            let found = mass(opening) / mass(4.0);
            assert!((found - passing).abs() < 0.02, "{found} of the mass passes {opening}");
        }
    }

    #[test]
    fn numbers_follow_the_other_distributions() {
        let below = |all: &[f64], limit: f64| {
            all.iter().filter(|d| **d <= limit).count() as f64 / DRAWS as f64
        };
        // A share of 20 000 draws has a deviation of at most 0.0036.
        let given = draws(&Sizes::Given(vec![[1.0, 1.0], [2.0, 3.0]]));
        assert!((below(&given, 1.0) - 0.25).abs() < 0.015);
        let uniform = draws(&Sizes::Uniform([1.0, 3.0]));
        assert!((below(&uniform, 1.5) - 0.25).abs() < 0.015);
        let wide = Sizes::Lognormal { median: 1.0, sigma: 0.5, min: 1e-3, max: 1e3 };
        let wide = draws(&wide);
        assert!((below(&wide, 1.0) - 0.5).abs() < 0.015);
        // One standard deviation: 84.13 %.
        assert!((below(&wide, 0.5_f64.exp()) - 0.8413).abs() < 0.015);
        let narrow = draws(&Sizes::Lognormal { median: 1.0, sigma: 0.5, min: 0.9, max: 1.2 });
        assert!(narrow.iter().all(|d| (0.9..=1.2).contains(d)));
    }

    #[test]
    fn impossible_distributions_are_refused_where_they_are_wrong() {
        let refused = |sizes: Sizes, place: &str| {
            let error = sizes.check("s").unwrap_err().to_string();
            assert!(error.starts_with(&format!("`s.{place}`")), "{error}");
        };
        refused(Sizes::Given(vec![]), "given");
        refused(Sizes::Given(vec![[1.0, -1.0]]), "given[0][1]");
        refused(Sizes::Uniform([2.0, 1.0]), "uniform[1]");
        refused(Sizes::Uniform([f64::NAN, 1.0]), "uniform[0]");
        refused(
            Sizes::Lognormal { median: 1.0, sigma: 0.0, min: 0.5, max: 2.0 },
            "lognormal.sigma",
        );
        refused(Sizes::Lognormal { median: 1.0, sigma: 1.0, min: 2.0, max: 3.0 }, "lognormal.min");
        refused(Sizes::Sieve(vec![[1.0, 0.0], [1.0, 1.0]]), "sieve[1][0]");
        refused(Sizes::Sieve(vec![[1.0, 0.0], [2.0, 0.9]]), "sieve[1][1]");
    }
}
