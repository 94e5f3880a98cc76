//! One contact by projected steps on Coulomb's law, for comparison with the closed forms.
//!
//! ```math
//! x \leftarrow \Pi_{K_\mu}\bigl(x - \rho\,\hat u\bigr),\qquad \hat u = u + \mu\|u_T\| n,\quad u = A x - b
//! ```
//!
//! with `ρ = 1/‖A‖_∞`, which is halved when a step does not reduce the natural map and increased by a fifth
//! when it does.
//!
//! - **Needs** a positive definite `A` for linear convergence. Strong coupling with large `μ` can make it
//!   cycle; it then stops at the limit and returns the best impulse.
//! - **Cost** about 20 ns per iteration; tens to thousands of iterations.
//!
//! # Source
//!
//! G. De Saxcé, Z.-Q. Feng, "The bipotential method", *Mathematical and Computer Modelling* 28 (1998)
//! 225–245; adaptation of ρ: D. Han, "Solving linear variational inequality problems by a self-adaptive
//! projection method", *Applied Mathematics and Computation* 182 (2006) 1765–1771.

use nalgebra::Vector3;

use super::{Contact, Iterated};
use crate::friction::cone;

/// Maximum number of steps.
const STEPS: usize = 10_000;

/// Starts from `guess` and stops when the natural map, in m/s, is at most `tolerance` times `‖b‖`.
#[must_use]
pub fn solve(
    contact: &Contact,
    b: &Vector3<f64>,
    guess: &Vector3<f64>,
    tolerance: f64,
) -> Iterated {
    let friction = contact.friction;
    let map = |x: &Vector3<f64>, step: f64| {
        let velocity = contact.velocity(b, x);
        cone::project(&(x - step * cone::modified_velocity(&velocity, friction)), friction)
    };
    let unit = 3.0 / contact.block.trace();
    let mut step = unit;
    let mut x = cone::project(guess, friction);
    let mut best = Iterated { impulse: x, iterations: 0, residual: f64::INFINITY };
    for iterations in 0..=STEPS {
        let residual = (x - map(&x, unit)).norm() / unit;
        if residual < best.residual {
            best = Iterated { impulse: x, iterations, residual };
            step *= 1.2;
        } else {
            step *= 0.5;
        }
        if best.residual <= tolerance * b.norm() {
            break;
        }
        x = map(&x, step.max(1e-6 * unit));
    }
    best
}

#[cfg(test)]
mod tests;
