//! Comparison of lists of numbers by their bits: [`same_bits`].

/// Whether two lists have the same length and the same bits: coordinates at which what was computed is still valid. A NaN is the same
/// as itself, and `−0` is not `0`.
///
/// # Example
///
/// ```
/// use percussion_dynamics::same_bits;
///
/// assert!(same_bits(&[0.1, f64::NAN], &[0.1, f64::NAN]));
/// assert!(!same_bits(&[0.3], &[0.1 + 0.2]));
/// assert!(!same_bits(&[0.0], &[-0.0]) && !same_bits(&[0.0], &[0.0, 0.0]));
/// ```
#[must_use]
#[inline]
pub fn same_bits(a: &[f64], b: &[f64]) -> bool {
    // As integers, of which long lists are compared many at once.
    bytemuck::cast_slice::<f64, u64>(a) == bytemuck::cast_slice::<f64, u64>(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_differ_wherever_one_entry_does() {
        for length in [0, 1, 2, 33, 70] {
            let list: Vec<f64> = (0..length).map(f64::from).collect();
            assert!(same_bits(&list, &list.clone()));
            for place in 0..list.len() {
                let mut other = list.clone();
                other[place] += 0.5;
                assert!(!same_bits(&list, &other), "entry {place} of {length}");
                assert!(!same_bits(&list, &list[..place]), "{place} entries of {length}");
            }
        }
    }
}
