//! The density of samples, from the numbers of cells that they reach; see the [module](super).

use std::fmt;

use super::{Error, confidence, positive};

/// How densely the images of uniform samples from the unit cube cover the image of the cube.
///
/// # Example
///
/// Two frictionless contacts, `W = I`, and two steps with `h = 0.1` have `L = 0.1 √2` and `n = 4`. For
/// `ε = 0.1 √J` and `δ = 1 %` the cube has 3⁴ cells, and 725 samples reach them all.
///
/// ```
/// use percussion_impact::guarantee::Cover;
///
/// let cover = Cover::new(4, 0.1 * 2.0_f64.sqrt())?;
/// assert_eq!(cover.samples_for(0.1, 0.01)?.to_string(), "725");
/// assert!(cover.failure(725, 0.1)? <= 0.01 && cover.failure(724, 0.1)? > 0.01);
/// assert!((cover.radius_for(725, 0.01)? - 0.4 * 2.0_f64.sqrt() / 6.0).abs() < 1e-15);
///
/// // The same for ten steps, with n = 20, is out of reach.
/// let long = Cover::new(20, 0.1 * 10.0_f64.sqrt())?;
/// assert_eq!(long.samples_for(0.1, 0.01)?.to_string(), "about 2.0e25");
/// # Ok::<(), percussion_impact::guarantee::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cover {
    dimension: f64,
    lipschitz: f64,
}

impl Cover {
    /// Returns the cover for samples from a cube of this dimension (`n = N m`, ≥ 1) under a map with this
    /// Lipschitz constant (`L`, ≥ 0, in the unit of the radii: √J in the metric of kinetic energy; 1 for the
    /// draws).
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when an argument is outside its range.
    pub fn new(dimension: u64, lipschitz: f64) -> Result<Self, Error> {
        if dimension == 0 {
            let (name, expected) = ("dimension", "at least 1");
            return Err(Error::Argument { name, value: 0.0, expected });
        }
        if !(0.0..f64::INFINITY).contains(&lipschitz) {
            let (name, expected) = ("lipschitz", "a finite number of at least 0");
            return Err(Error::Argument { name, value: lipschitz, expected });
        }
        Ok(Self { dimension: dimension as f64, lipschitz })
    }

    /// Bound `δ` of the probability that `samples` images are not a net of this `radius` (`ε` > 0), in
    /// `[0, 1]`.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when the radius is not positive.
    pub fn failure(&self, samples: u64, radius: f64) -> Result<f64, Error> {
        positive("radius", radius)?;
        Ok(self.log_failure(samples as f64, self.cells(radius)).exp().min(1.0))
    }

    /// Number of samples that make a net of this `radius` (`ε` > 0), with a probability of failure of at most
    /// `failure` (`δ`, in `(0, 1]`).
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when an argument is outside its range.
    pub fn samples_for(&self, radius: f64, failure: f64) -> Result<Count, Error> {
        positive("radius", radius)?;
        confidence("failure", failure)?;
        let log_cells = self.dimension * self.cells(radius).ln();
        let factor = log_cells - failure.ln();
        let cell = (-log_cells).exp();
        // Where ln(1 − x) equals −x to all digits, the quotient may overflow, but its logarithm does not.
        let log = if cell > f64::EPSILON {
            let samples = (factor / -(-cell).ln_1p()).ceil().max(1.0);
            samples.ln()
        } else {
            factor.ln() + log_cells
        };
        Ok(Count { log })
    }

    /// The radius `ε` of the net that this many samples (≥ 1) make, with a probability of failure of at most
    /// `failure` (`δ`, in `(0, 1]`). At most the diameter `L √n` of the image.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when an argument is outside its range.
    pub fn radius_for(&self, samples: u64, failure: f64) -> Result<f64, Error> {
        confidence("failure", failure)?;
        if samples == 0 {
            let (name, expected) = ("samples", "at least 1");
            return Err(Error::Argument { name, value: 0.0, expected });
        }
        let samples = samples as f64;
        // With more cells than samples, not all cells can be reached.
        let (mut low, mut high) = (1.0, samples.powf(1.0 / self.dimension).floor() + 2.0);
        while high - low > 1.0 {
            let middle = f64::floor((low + high) / 2.0);
            if middle <= low || middle >= high {
                break;
            }
            if self.log_failure(samples, middle) <= failure.ln() {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(self.lipschitz * self.dimension.sqrt() / low)
    }

    /// `K`, cells along an edge of the cube.
    fn cells(&self, radius: f64) -> f64 {
        // If the image exceeds the radius only by rounding, no more cells are needed.
        (self.dimension.sqrt() * self.lipschitz / radius * (1.0 - 4.0 * f64::EPSILON))
            .ceil()
            .max(1.0)
    }

    fn log_failure(&self, samples: f64, cells: f64) -> f64 {
        let log_cells = self.dimension * cells.ln();
        log_cells + samples * (-(-log_cells).exp()).ln_1p()
    }
}

/// A number of samples, which may exceed the range of doubles.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Count {
    /// Natural logarithm.
    log: f64,
}

impl Count {
    /// The number, or infinity above 1.8e308.
    #[must_use]
    pub fn value(self) -> f64 {
        let value = self.log.exp();
        if value < 1e15 { value.round() } else { value }
    }

    /// Its decimal logarithm, finite unless the count exceeds `10^(10^308)`.
    #[must_use]
    pub fn log10(self) -> f64 {
        self.log / std::f64::consts::LN_10
    }
}

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let log10 = self.log10();
        if self.value() < 1e7 {
            write!(formatter, "{}", self.value())
        } else if log10 < 300.0 {
            write!(formatter, "about {:.1e}", self.value())
        } else {
            write!(formatter, "about 10^{log10:.0}, more than can ever be computed")
        }
    }
}
