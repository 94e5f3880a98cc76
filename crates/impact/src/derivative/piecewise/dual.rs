//! Numbers with their derivative by all data.

use nalgebra::RowDVector;

/// A number and its derivative by all data.
pub(super) type Dual = (f64, RowDVector<f64>);

/// `‖x‖`, with the derivative zero at zero.
pub(super) fn norm(parts: Vec<Dual>) -> Dual {
    let size = parts.iter().map(|part| part.0 * part.0).sum::<f64>().sqrt();
    let mut slope = 0.0 * &parts[0].1;
    for (value, change) in parts {
        slope += change * (value / if size > 0.0 { size } else { 1.0 });
    }
    (size, slope)
}

pub(super) fn times((value, slope): Dual, factor: f64) -> Dual {
    (value * factor, slope * factor)
}

pub(super) fn plus((a, b): Dual, (c, d): Dual) -> Dual {
    (a + c, b + d)
}

pub(super) fn minus((a, b): Dual, (c, d): Dual) -> Dual {
    (a - c, b - d)
}

pub(super) fn product((a, b): &Dual, (c, d): &Dual) -> Dual {
    (a * c, b * *c + d * *a)
}

pub(super) fn quotient((a, b): &Dual, (c, d): &Dual) -> Dual {
    (a / c, (b - d * (a / c)) / *c)
}

pub(super) fn dot(a: &[Dual; 2], b: &[Dual; 2]) -> Dual {
    plus(product(&a[0], &b[0]), product(&a[1], &b[1]))
}
