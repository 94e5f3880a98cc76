//! The force in the tangent plane of a compliant contact: [`FrictionLaw`].
//!
//! # Source
//!
//! Halm and Posa (2024), equations 89 and 90 (regularized Coulomb friction); M. A. Sherman, A. Seth,
//! S. L. Delp, "Simbody: multibody dynamics for biomedical research", *Procedia IUTAM* 2 (2011) 241–261,
//! figure 5 (the smooth curve from rest to sliding); Uchida, Sherman and Delp (2015), section 4.

use super::{Error, check_not_negative, check_positive};

/// Friction of a compliant contact: the force `−N φ(s) u_t` at the slip speed `s = ‖u_t‖`, so that `s φ(s)` is the
/// effective friction coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum FrictionLaw {
    /// `s φ = 0`.
    Frictionless,
    /// `s φ = μ s/max(s, ε)`: Coulomb's law above the slip speed `ε`, viscous below.
    RegularizedCoulomb {
        /// Friction coefficient `μ`, at least 0.
        friction: f64,
        /// Slip speed `ε` (m/s), positive, above which the full friction acts.
        width: f64,
    },
    /// A smooth curve from rest through the maximum friction to sliding, with `x = s/v_s` and
    /// `S(x) = 10x³ − 15x⁴ + 6x⁵`:
    ///
    /// ```math
    /// s \varphi = \mu_v s + \begin{cases}
    ///   \mu_s S(x) & x < 1, \\
    ///   \mu_s - (\mu_s - \mu_d) S\bigl((x - 1)/2\bigr) & 1 \le x < 3, \\
    ///   \mu_d & x \ge 3 .
    /// \end{cases}
    /// ```
    ///
    /// It has two continuous derivatives. Near rest it is weaker than any viscous friction (`S ≈ 10x³`), so contacts
    /// under a load creep at a considerable fraction of `v_s`.
    Stribeck {
        /// Static coefficient `μ_s`, at least 0.
        static_friction: f64,
        /// Dynamic coefficient `μ_d`, from 0 to `μ_s`.
        dynamic_friction: f64,
        /// Viscous coefficient `μ_v` (s/m), at least 0.
        viscous_friction: f64,
        /// Transition speed `v_s` (m/s), positive.
        transition_speed: f64,
    },
}

impl FrictionLaw {
    /// Coulomb friction `μ` made continuous within the slip speed `width` (m/s).
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless `friction ≥ 0` and `width > 0`, both finite.
    pub fn regularized_coulomb(friction: f64, width: f64) -> Result<Self, Error> {
        check_not_negative("friction", friction)?;
        check_positive("width of the friction law", width)?;
        Ok(Self::RegularizedCoulomb { friction, width })
    }

    /// The smooth curve with equal static and dynamic coefficients and without viscous friction,
    /// `μ S(min(s/v_s, 1))`.
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] unless `friction ≥ 0` and `transition_speed > 0`, both finite.
    pub fn smooth(friction: f64, transition_speed: f64) -> Result<Self, Error> {
        Self::stribeck(friction, friction, 0.0, transition_speed)
    }

    /// The smooth curve with all its parameters; see [`FrictionLaw::Stribeck`].
    ///
    /// # Errors
    ///
    /// [`Error::Parameter`] for a parameter outside the range stated there.
    pub fn stribeck(
        static_friction: f64,
        dynamic_friction: f64,
        viscous_friction: f64,
        transition_speed: f64,
    ) -> Result<Self, Error> {
        check_not_negative("static friction", static_friction)?;
        check_not_negative("dynamic friction", dynamic_friction)?;
        if dynamic_friction > static_friction {
            let (name, expected) = ("dynamic friction", "at most the static friction");
            return Err(Error::Parameter { name, value: dynamic_friction, expected });
        }
        check_not_negative("viscous friction", viscous_friction)?;
        check_positive("transition speed", transition_speed)?;
        Ok(Self::Stribeck { static_friction, dynamic_friction, viscous_friction, transition_speed })
    }

    /// `φ(s)` (s/m) at the slip speed `s ≥ 0` (m/s), and its derivative (s²/m²).
    #[must_use]
    pub fn secant(&self, speed: f64) -> (f64, f64) {
        match *self {
            Self::Frictionless => (0.0, 0.0),
            Self::RegularizedCoulomb { friction, width } => {
                let inside = speed <= width;
                let secant = friction / speed.max(width);
                (secant, if inside { 0.0 } else { -secant / speed })
            }
            Self::Stribeck {
                static_friction,
                dynamic_friction,
                viscous_friction,
                transition_speed,
            } => {
                let x = speed / transition_speed;
                // `φ = μ_v + f(x)/(x v_s)` with the dry coefficient `f`, and its derivative by `x`.
                let (secant, slope) = if x < 1.0 {
                    let per_x = x * x * (10.0 - x * (15.0 - 6.0 * x));
                    let slope = x * (20.0 - x * (45.0 - 24.0 * x));
                    (static_friction * per_x, static_friction * slope)
                } else {
                    let y = (0.5 * (x - 1.0)).min(1.0);
                    let drop = static_friction - dynamic_friction;
                    let dry = static_friction - drop * (y * y * y * (10.0 - y * (15.0 - 6.0 * y)));
                    let dry_slope = -15.0 * drop * (y * (1.0 - y)).powi(2);
                    (dry / x, (dry_slope - dry / x) / x)
                };
                let v = transition_speed;
                (viscous_friction + secant / v, slope / (v * v))
            }
        }
    }
}
