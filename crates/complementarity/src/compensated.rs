//! Sums of products in about twice the working precision, for residuals whose terms cancel.
//!
//! Every addition and every product is split into its rounded value and its exact error (`TwoSum` of Knuth and `TwoProduct` of
//! Dekker and Veltkamp, which need no fused multiply-add), and the errors are summed separately from the values.
//!
//! - **Accuracy**: with `n` terms `t_k` the error of [`Sum::value`] is at most `ε |Σ t_k| + n² ε² Σ |t_k|`, `ε = 2⁻⁵³`,
//!   which is the size of one rounding as long as `Σ |t_k| / |Σ t_k|` is below `1/(n² ε)`. Products below
//!   `2⁻⁹⁶⁹` lose their error term.
//! - **Cost** about 20 additions and multiplications per product.
//! - **Deterministic**: fixed order, no fused operations.
//!
//! # Source
//!
//! T. Ogita, S. M. Rump, S. Oishi, "Accurate sum and dot product", *SIAM Journal on Scientific Computing* 26 (2005)
//! 1955–1988 (algorithms 3.1 to 3.3, 5.3 and proposition 5.5).

/// A running sum.
///
/// # Example
///
/// The product `(1 + 2⁻³⁰)(1 − 2⁻³⁰) = 1 − 2⁻⁶⁰` rounds to one; the sum of it and minus one is still `−2⁻⁶⁰`.
///
/// ```
/// use percussion_complementarity::compensated::Sum;
///
/// let tiny = 2.0_f64.powi(-30);
/// let mut sum = Sum::new(-1.0);
/// sum.add_product(1.0 + tiny, 1.0 - tiny);
/// assert_eq!(sum.value(), -tiny * tiny);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    /// Creates a sum of one term.
    #[must_use]
    pub const fn new(start: f64) -> Self {
        Self { high: start, low: 0.0 }
    }

    /// Adds a term.
    pub fn add(&mut self, term: f64) {
        let (high, error) = two_sum(self.high, term);
        self.high = high;
        self.low += error;
    }

    /// Adds the product of two numbers.
    pub fn add_product(&mut self, a: f64, b: f64) {
        let (product, error) = two_product(a, b);
        self.add(product);
        self.low += error;
    }

    /// Adds another sum.
    pub fn add_sum(&mut self, other: &Self) {
        self.add(other.high);
        self.low += other.low;
    }

    /// Adds the product of another sum and a number.
    pub fn add_scaled(&mut self, other: &Self, factor: f64) {
        self.add_product(other.high, factor);
        self.low += other.low * factor;
    }

    /// The sum, rounded. It is not finite if a partial sum was not.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.high + self.low
    }
}

/// Running sums side by side, to which columns of a matrix are added: each has the bits of a [`Sum`], and the additions of
/// different sums do not wait for one another.
#[derive(Clone, Debug)]
pub(crate) struct Sums {
    high: Vec<f64>,
    low: Vec<f64>,
}

impl Sums {
    /// Sums of one term each.
    pub(crate) fn new(start: &[f64]) -> Self {
        Self { high: start.to_vec(), low: vec![0.0; start.len()] }
    }

    /// Adds the products of the entries of a column and a number.
    pub(crate) fn add_products(&mut self, column: &[f64], factor: f64) {
        // The products of such numbers need no scaling.
        const NEAR: f64 = 1e140;
        let largest = column.iter().fold(0.0_f64, |largest, entry| largest.max(entry.abs()));
        let sums = self.high.iter_mut().zip(&mut self.low).zip(column);
        if largest < NEAR && factor.abs() < NEAR {
            let (head, tail) = split(factor);
            for ((high, low), &entry) in sums {
                let product = entry * factor;
                let (a, tail_a) = split(entry);
                let error = tail_a * tail - (((product - a * head) - tail_a * head) - a * tail);
                let (sum, lost) = two_sum(*high, product);
                *high = sum;
                *low = (*low + lost) + error;
            }
        } else {
            for ((high, low), &entry) in sums {
                let mut sum = Sum { high: *high, low: *low };
                sum.add_product(entry, factor);
                (*high, *low) = (sum.high, sum.low);
            }
        }
    }

    /// The sums, rounded.
    pub(crate) fn values(self) -> Vec<f64> {
        self.high.iter().zip(&self.low).map(|(high, low)| high + low).collect()
    }
}

/// `a + b` rounded, and the exact error; the error is zero after an overflow.
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    let error = (a - (sum - of_b)) + (b - of_b);
    (sum, if sum.is_finite() { error } else { 0.0 })
}

/// `a b` rounded, and its error; exact unless the product is below `2⁻⁹⁶⁹`.
#[inline]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    // The splitting of a factor multiplies it by 2²⁷.
    const LARGE: f64 = f64::MAX / 268_435_456.0;
    let product = a * b;
    if a.abs() < LARGE && b.abs() < LARGE && product.abs() < LARGE {
        let ((a, tail_a), (b, tail_b)) = (split(a), split(b));
        (product, tail_a * tail_b - (((product - a * b) - tail_a * b) - a * tail_b))
    } else {
        far_product(a, b, product)
    }
}

/// [`two_product`] of numbers whose splitting would overflow: computed exactly from scaled factors.
#[cold]
fn far_product(a: f64, b: f64, product: f64) -> (f64, f64) {
    const PART: f64 = 1.0 / 1_073_741_824.0;
    if !product.is_finite() {
        return (product, 0.0);
    }
    let part = |x: f64| if x.abs() > 1.0 { (x * PART, 1.0 / PART) } else { (x, 1.0) };
    let ((a, back_a), (b, back_b)) = (part(a), part(b));
    let (_, error) = two_product(a, b);
    (product, error * back_a * back_b)
}

/// Two numbers of at most 26 bits each whose sum is `x`.
fn split(x: f64) -> (f64, f64) {
    let shifted = 134_217_729.0 * x;
    let head = shifted - (shifted - x);
    (head, x - head)
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "these numbers are exact")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn terms_that_cancel_leave_what_is_small() {
        let mut sum = Sum::new(1e16);
        sum.add(1.0);
        sum.add(-1e16);
        assert_eq!(sum.value(), 1.0);
        // 3 · 1/3 in doubles is 1 − 2⁻⁵⁴.
        let mut sum = Sum::new(-1.0);
        sum.add_product(3.0, 1.0 / 3.0);
        assert_eq!(sum.value(), -(2.0_f64.powi(-54)));
        let mut scaled = Sum::default();
        scaled.add_scaled(&sum, 4.0);
        assert_eq!(scaled.value(), -(2.0_f64.powi(-52)));
        let mut both = Sum::new(1.0);
        both.add_sum(&sum);
        both.add(-1.0);
        assert_eq!(both.value(), -(2.0_f64.powi(-54)));
    }

    #[test]
    fn huge_factors_split_and_overflows_stay_infinite() {
        let mut sum = Sum::default();
        sum.add_product(1.5e308, 1.0 / 3.0);
        sum.add_product(-0.5e308, 1.0);
        // The double nearest to 1/3 is too small by 2⁻⁵⁴/3, which 1.5e308 makes 2.8e291, up to the rounding of
        // 1.5e308 itself.
        assert!(sum.value().abs() < 1e293, "{sum:?}");
        sum.add_product(1e200, 1e200);
        assert_eq!(sum.value(), f64::INFINITY);
        assert!(!Sum::new(f64::NAN).value().is_finite());
    }

    proptest! {
        /// Sums side by side have the bits of single ones, also far from one, at infinity and of what is not a number.
        #[test]
        fn sums_side_by_side_have_the_bits_of_single_ones(
            rows in prop::collection::vec(prop::array::uniform4(-1e3..1e3_f64), 1..9),
            factors in prop::array::uniform4(-1e3..1e3_f64),
            far in prop::sample::select(vec![1.0, 1e-300, 1e139, 1e141, 1e200, 1e308, f64::INFINITY, f64::NAN]),
        ) {
            let start: Vec<f64> = rows.iter().map(|row| far * row[0]).collect();
            let mut sums = Sums::new(&start);
            for (k, factor) in factors.iter().enumerate() {
                let column: Vec<f64> = rows.iter().map(|row| row[k] * far).collect();
                sums.add_products(&column, *factor);
                sums.add_products(&column, factor * far);
            }
            for (row, value) in rows.iter().zip(sums.values()) {
                let mut single = Sum::new(far * row[0]);
                for (k, factor) in factors.iter().enumerate() {
                    single.add_product(row[k] * far, *factor);
                    single.add_product(row[k] * far, factor * far);
                }
                let expected = single.value();
                let both_nan = value.is_nan() && expected.is_nan();
                prop_assert!(both_nan || value.to_bits() == expected.to_bits(), "{value} {expected}");
            }
        }

        /// Integers of up to 2⁵⁰ have products of up to 2¹⁰⁰, which `i128` adds up exactly.
        #[test]
        fn dot_products_of_integers_are_exact_but_for_one_rounding(
            terms in prop::collection::vec((-(1_i64 << 50)..(1 << 50), -(1_i64 << 50)..(1 << 50)), 1..20)
        ) {
            let mut sum = Sum::default();
            let mut exact = 0_i128;
            for &(a, b) in &terms {
                sum.add_product(a as f64, b as f64);
                exact += i128::from(a) * i128::from(b);
            }
            for &(a, b) in &terms[1..] {
                sum.add_product(-(a as f64), b as f64);
                exact -= i128::from(a) * i128::from(b);
            }
            let exact = exact as f64;
            prop_assert!((sum.value() - exact).abs() <= f64::EPSILON * exact.abs());
        }
    }
}
