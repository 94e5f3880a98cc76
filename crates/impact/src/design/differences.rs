//! Derivatives of the equations by fourth-order differences, with an estimate of their error.

use nalgebra::{DMatrix, DVector};

use super::{Equations, Error};

/// Maximum displacement, in scales. Its fourth power is the relative error of the extrapolated differences,
/// some 10⁻¹³ for functions that vary over a scale as a sine does; rounding adds `eps / STEP`, which is about
/// as large.
const STEP: f64 = 1e-3;

/// The Jacobian of the equations at `z`, and the largest estimated error of its entries.
///
/// `D(h)`, the central difference, has the error `c h² + O(h⁴)`. Therefore `(4 D(h/2) − D(h))/3` has the
/// error `O(h⁴)`, and its difference from `D(h/2)` estimates the error of the latter. Where the function is
/// smooth, that is `c h²/4`; a kink makes it as large as the jump of the slope.
pub(super) fn jacobian<E>(
    equations: &mut Equations<'_, E>,
    z: &DVector<f64>,
) -> Result<(DMatrix<f64>, f64), Error<E>> {
    let mut jacobian = DMatrix::zeros(equations.count(), z.len());
    let (mut moved, mut largest) = (z.clone(), 0.0_f64);
    for k in 0..z.len() {
        let mut central = |h: f64| {
            moved[k] = z[k] + h;
            let plus = equations.residual(&moved)?;
            moved[k] = z[k] - h;
            let minus = equations.residual(&moved)?;
            moved[k] = z[k];
            Ok((plus - minus) / (2.0 * h))
        };
        let (coarse, fine) = (central(STEP)?, central(0.5 * STEP)?);
        let column = (&fine * 4.0 - coarse) / 3.0;
        largest = largest.max((&column - fine).amax());
        jacobian.set_column(k, &column);
    }
    Ok((jacobian, largest))
}
