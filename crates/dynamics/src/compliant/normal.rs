//! The normal force of a compliant contact: [`NormalLaw`], and the constants of Hertz's theory.
//!
//! # Source
//!
//! K. L. Johnson, *Contact Mechanics*, Cambridge University Press 1985, section 4.2 (Hertz's theory);
//! Hunt and Crossley (1975), equation 4 (damping in proportion to the elastic force);
//! Halm and Posa (2024), equation 88 (spring and damper). The closed forms of the restitution are those of
//! T. Schwager, T. Pöschel, "Coefficient of restitution and linear–dashpot model revisited", *Granular
//! Matter* 9 (2007) 465–469, and of the first integral of the equation of Hunt and Crossley.

use super::{Error, check_not_negative, check_positive};

/// Rules for combining two elastic moduli into the effective modulus of their contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModulusRule {
    /// `1/E* = 1/E₁ + 1/E₂`: that of Hertz's theory for plane strain moduli `Eᵢ = Yᵢ/(1 − νᵢ²)` (default).
    #[default]
    Hertz,
    /// `E*^(−2/3) = E₁^(−2/3) + E₂^(−2/3)`: each body is a separate spring `f = 4/3 √R Eᵢ xᵢ^(3/2)`, and the two are
    /// in series, `x = x₁ + x₂`.
    ///
    /// The program that produced the figures of Uchida, Sherman and Delp uses this rule. For equal moduli it gives
    /// `2^(−3/2) E = 0.3536 E`; Hertz's theory gives `0.5 E`.
    Springs,
}

impl ModulusRule {
    /// The effective modulus `E*` (Pa) of two bodies with the moduli `first` and `second` (Pa).
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] for a modulus that is not positive and finite.
    pub fn combine(self, first: f64, second: f64) -> Result<f64, Error> {
        check_positive("modulus", first)?;
        check_positive("modulus", second)?;
        // With the softer body as a factor neither quotient nor power overflows.
        let (soft, ratio) = (first.min(second), first.min(second) / first.max(second));
        Ok(match self {
            Self::Hertz => soft / (1.0 + ratio),
            Self::Springs => soft * (1.0 + ratio.powf(2.0 / 3.0)).powf(-1.5),
        })
    }
}

/// The relative radius `R` (m) of two touching spheres, `1/R = 1/r₁ + 1/r₂`; on a plane it is the radius
/// of the sphere itself.
///
/// # Errors
///
/// [`Error::Parameter`] for a radius that is not positive and finite.
pub fn relative_radius(first: f64, second: f64) -> Result<f64, Error> {
    check_positive("radius", first)?;
    check_positive("radius", second)?;
    Ok(first.min(second) / (1.0 + first.min(second) / first.max(second)))
}

/// The force along the normal of a compliant contact; zero while the gap is open, and never negative.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum NormalLaw {
    /// A linear spring and a linear damper in parallel, `N = max(0, −k g − c ġ)` for `g ≤ 0`.
    ///
    /// The force jumps from zero to `c |ġ|` when the bodies meet, and ends before the gap opens, when the formula
    /// becomes negative. A mass `m` that lands at the speed `v` without gravity leaves at `e v`. For
    /// `c = 2 ζ √(k m)` and `ζ < 1`,
    ///
    /// ```math
    /// e = \exp\Bigl(-\frac{2 \zeta \arccos \zeta}{\sqrt{1 - \zeta^2}}\Bigr),
    /// ```
    ///
    /// which is 0.298 for `ζ = 0.5`. For `ζ > 1` the formula holds with `arcosh ζ/√(ζ² − 1)`, which gives 0.0093 for
    /// `ζ = 5`. (A damper that may pull until the gap opens gives the well-known `exp(−ζ π/√(1 − ζ²))`, 0.163 for
    /// `ζ = 0.5`.)
    KelvinVoigt {
        /// Spring constant `k` (N/m), positive.
        stiffness: f64,
        /// Damping constant `c` (N·s/m), at least 0.
        damping: f64,
    },
    /// Hertz's force with the damping of Hunt and Crossley,
    /// `N = max(0, 4/3 √R E* x^(3/2) (1 + 3/2 c ẋ))` with the depth `x = −g`.
    ///
    /// The force is continuous when bodies meet and when they separate. Without damping, a mass `m` that lands at
    /// the speed `v` stays in contact for `2.9433 x_max/v` with `x_max = (15 m v²/(16 √R E*))^(2/5)`. With damping,
    /// and `a = 3 c/2`, it leaves at `e v`, where
    ///
    /// ```math
    /// a v - \ln(1 + a v) = -a e v - \ln(1 - a e v), \qquad e = 1 - c v + O(c^2 v^2) .
    /// ```
    HertzHuntCrossley {
        /// Relative radius `R` (m), positive; see [`relative_radius`].
        radius: f64,
        /// Effective modulus `E*` (Pa), positive; see [`ModulusRule`].
        modulus: f64,
        /// Dissipation coefficient `c` (s/m), at least 0.
        dissipation: f64,
    },
}

impl NormalLaw {
    /// A spring of `stiffness` (N/m) in parallel with a damper of `damping` (N·s/m).
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless `stiffness > 0` and `damping ≥ 0`, both finite.
    pub fn kelvin_voigt(stiffness: f64, damping: f64) -> Result<Self, Error> {
        check_positive("stiffness", stiffness)?;
        check_not_negative("damping", damping)?;
        Ok(Self::KelvinVoigt { stiffness, damping })
    }

    /// A spring of `stiffness` (N/m) in parallel with the damper `c = 2 ζ √(k m)` for which `mass` (kg) on it has
    /// the damping ratio `ζ ≥ 0`. For `ζ ≥ 1` the mass does not oscillate.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless `stiffness > 0`, `mass > 0` and `damping_ratio ≥ 0`, all finite.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_dynamics::compliant::NormalLaw;
    ///
    /// let law = NormalLaw::with_damping_ratio(1e6, 1.0, 5.0)?;
    /// assert_eq!(law, NormalLaw::kelvin_voigt(1e6, 1e4)?); // 2 · 5 · √10⁶
    /// # Ok::<(), percussion_dynamics::compliant::Error>(())
    /// ```
    pub fn with_damping_ratio(
        stiffness: f64,
        mass: f64,
        damping_ratio: f64,
    ) -> Result<Self, Error> {
        check_positive("stiffness", stiffness)?;
        check_positive("mass", mass)?;
        check_not_negative("damping ratio", damping_ratio)?;
        Self::kelvin_voigt(stiffness, 2.0 * damping_ratio * stiffness.sqrt() * mass.sqrt())
    }

    /// Hertz's contact of relative `radius` (m) and effective `modulus` (Pa) with the `dissipation` (s/m)
    /// of Hunt and Crossley.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless `radius > 0`, `modulus > 0` and `dissipation ≥ 0`, all finite.
    pub fn hertz(radius: f64, modulus: f64, dissipation: f64) -> Result<Self, Error> {
        check_positive("radius", radius)?;
        check_positive("modulus", modulus)?;
        check_not_negative("dissipation", dissipation)?;
        Ok(Self::HertzHuntCrossley { radius, modulus, dissipation })
    }

    /// The normal force (N), at least 0, at a `gap` (m) with the rate `gap_rate` (m/s).
    #[must_use]
    pub fn force(&self, gap: f64, gap_rate: f64) -> f64 {
        if gap > 0.0 {
            return 0.0;
        }
        match *self {
            Self::KelvinVoigt { stiffness, damping } => {
                (-stiffness * gap - damping * gap_rate).max(0.0)
            }
            Self::HertzHuntCrossley { radius, modulus, dissipation } => {
                let elastic = hertz_constant(radius, modulus) * -gap * (-gap).sqrt();
                elastic * (1.0 - 1.5 * dissipation * gap_rate).max(0.0)
            }
        }
    }

    /// The derivatives of [`force`](Self::force) with respect to the gap (N/m) and its rate (N·s/m); neither is
    /// positive.
    #[must_use]
    pub fn derivatives(&self, gap: f64, gap_rate: f64) -> (f64, f64) {
        if gap > 0.0 {
            return (0.0, 0.0);
        }
        match *self {
            Self::KelvinVoigt { stiffness, damping } => {
                let presses = stiffness * gap + damping * gap_rate < 0.0;
                if presses { (-stiffness, -damping) } else { (0.0, 0.0) }
            }
            Self::HertzHuntCrossley { radius, modulus, dissipation } => {
                let factor = 1.0 - 1.5 * dissipation * gap_rate;
                if factor <= 0.0 {
                    return (0.0, 0.0);
                }
                let root = hertz_constant(radius, modulus) * (-gap).sqrt();
                (-1.5 * root * factor, 1.5 * dissipation * root * gap)
            }
        }
    }

    /// The elastic energy `U(g)` (J): the work of compression without damping.
    #[must_use]
    pub fn potential(&self, gap: f64) -> f64 {
        let depth = (-gap).max(0.0);
        match *self {
            Self::KelvinVoigt { stiffness, .. } => 0.5 * stiffness * depth * depth,
            Self::HertzHuntCrossley { radius, modulus, .. } => {
                0.4 * hertz_constant(radius, modulus) * depth * depth * depth.sqrt()
            }
        }
    }
}

/// `4/3 √R E*`, the factor of `x^(3/2)`.
fn hertz_constant(radius: f64, modulus: f64) -> f64 {
    4.0 / 3.0 * radius.sqrt() * modulus
}
