//! Forces of compliant contacts: the [`Law`] of a contact.
//!
//! The bodies are rigid and overlap slightly; the overlap represents the deformation. For the gap `g` (negative
//! where they overlap), its rate `ġ` and the slip velocity `u_t`, a [`NormalLaw`] gives the normal force `N ≥ 0` and
//! a [`FrictionLaw`] the force opposite to the slip,
//!
//! ```math
//! f = N(g, \dot g)\, n - N\, \varphi(\lVert u_t \rVert)\, u_t .
//! ```
//!
//! Both are functions of the state alone: no contact sticks exactly, contacts creep. Contacts never pull.
//!
//! - **Energy.** [`NormalLaw::potential`] is the elastic energy `U(g)`. The power that leaves the mechanical energy,
//!   `−(N − N_elastic) ġ + N φ ‖u_t‖²`, is never negative, because damping increases the force while the bodies
//!   approach and decreases it, at most to zero, while they separate.
//! - **Stiffness.** The forces are usually stiff, so the derivatives that implicit integrators need are given in
//!   closed form.
//!
//! # Source
//!
//! K. H. Hunt, F. R. E. Crossley, "Coefficient of restitution interpreted as damping in vibroimpact",
//! *Journal of Applied Mechanics* 42 (1975) 440–445; T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a
//! meaningful impact: modelling simultaneous frictional collisions in spatial multibody systems",
//! *Proceedings of the Royal Society A* 471 (2015) 20140859, section 4; M. Halm, M. Posa, "Set-valued rigid
//! body dynamics for simultaneous, inelastic, frictional impacts", *International Journal of Robotics
//! Research* 2024, equations 88–90.

mod friction;
mod half_depth;
mod normal;
#[cfg(test)]
mod tests;

use nalgebra::Vector2;

pub use friction::FrictionLaw;
pub use half_depth::HalfDepth;
pub use normal::{ModulusRule, NormalLaw, relative_radius};

/// The reason why a force law is refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter is outside its range.
    #[error("{name} is {value}, expected {expected}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// Value given.
        value: f64,
        /// The accepted range.
        expected: &'static str,
    },
}

/// The force law of one compliant contact.
///
/// # Example
///
/// A spring of 1 MN/m compressed by 0.1 mm pushes with 100 N. At a slip speed far above its width of 1 mm/s,
/// friction with `μ = 0.5` is 50 N opposite to the slip.
///
/// ```
/// use nalgebra::Vector2;
/// use percussion_dynamics::compliant::{FrictionLaw, Law, NormalLaw};
///
/// let law = Law::new(
///     NormalLaw::kelvin_voigt(1e6, 0.0)?,
///     FrictionLaw::regularized_coulomb(0.5, 1e-3)?,
/// );
/// let (normal, tangent) = law.force(-1e-4, 0.0, Vector2::new(0.2, 0.0));
/// assert!((normal - 100.0).abs() < 1e-12);
/// assert!((tangent - Vector2::new(-50.0, 0.0)).norm() < 1e-12);
/// # Ok::<(), percussion_dynamics::compliant::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    normal: NormalLaw,
    friction: FrictionLaw,
}

impl Law {
    /// A contact with these laws along the normal and in the tangent plane.
    #[must_use]
    pub const fn new(normal: NormalLaw, friction: FrictionLaw) -> Self {
        Self { normal, friction }
    }

    /// The law along the normal.
    #[must_use]
    pub const fn normal(&self) -> &NormalLaw {
        &self.normal
    }

    /// The law in the tangent plane.
    #[must_use]
    pub const fn friction(&self) -> &FrictionLaw {
        &self.friction
    }

    /// The force on body 1 (N): its normal part, at least 0, and its tangential part, for a `gap` (m), its
    /// rate (m/s) and a slip velocity (m/s; in the plane the second entry is zero).
    #[must_use]
    pub fn force(&self, gap: f64, gap_rate: f64, slip: Vector2<f64>) -> (f64, Vector2<f64>) {
        let normal = self.normal.force(gap, gap_rate);
        let (secant, _) = self.friction.secant(slip.norm());
        (normal, -normal * secant * slip)
    }

    /// The first-order change of [`force`](Self::force) with its three arguments.
    ///
    /// Where the law is not differentiable, at the start of a force or at the width of the slip, it is a one-sided
    /// derivative.
    #[must_use]
    pub fn force_change(
        &self,
        (gap, gap_rate, slip): (f64, f64, Vector2<f64>),
        (gap_change, rate_change, slip_change): (f64, f64, Vector2<f64>),
    ) -> (f64, Vector2<f64>) {
        let normal = self.normal.force(gap, gap_rate);
        let (by_gap, by_rate) = self.normal.derivatives(gap, gap_rate);
        let normal_change = by_gap * gap_change + by_rate * rate_change;
        let speed = slip.norm();
        let (secant, secant_by_speed) = self.friction.secant(speed);
        let speed_change = if speed > 0.0 { slip.dot(&slip_change) / speed } else { 0.0 };
        let secant_change = secant_by_speed * speed_change;
        let tangent_change =
            -normal_change * secant * slip - normal * (secant_change * slip + secant * slip_change);
        (normal_change, tangent_change)
    }
}

/// Refuses a parameter that is not finite or for which `accepts` is false.
fn check(
    name: &'static str,
    value: f64,
    accepts: impl Fn(f64) -> bool,
    expected: &'static str,
) -> Result<(), Error> {
    let accepted = value.is_finite() && accepts(value);
    if accepted { Ok(()) } else { Err(Error::Parameter { name, value, expected }) }
}

fn check_positive(name: &'static str, value: f64) -> Result<(), Error> {
    check(name, value, |v| v > 0.0, "a positive finite number")
}

fn check_not_negative(name: &'static str, value: f64) -> Result<(), Error> {
    check(name, value, |v| v >= 0.0, "a finite number of at least 0")
}
