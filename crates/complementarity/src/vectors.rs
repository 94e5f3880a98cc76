//! Inner loops with the vectors of the processor: [`vectorized`], [`add_columns`], [`add_rows`].
//!
//! Only the width of vectors depends on the processor, and on the feature `simd`. Entries are computed one by one as they are written, without fused products, so
//! that bits are the same everywhere.

/// Runs `work` with the widest vectors of the processor, as far as what it calls is inlined.
///
/// The bits of the result are the same on all processors, and without the feature `simd`.
///
/// # Example
///
/// ```
/// use percussion_complementarity::vectorized;
///
/// let mut sums = [1.0, 2.0, 3.0];
/// vectorized(
///     #[inline(always)]
///     || sums.iter_mut().for_each(|sum| *sum += 0.5),
/// );
/// assert_eq!(sums, [1.5, 2.5, 3.5]);
/// ```
#[inline(always)]
pub fn vectorized<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(all(feature = "simd", target_arch = "x86_64"))]
    if let Some(simd) = pulp::x86::V3::try_new() {
        return simd.vectorize(work);
    }
    work()
}

/// Adds to `sums` the `columns`, of its length and one after another, times the `factors`: in this order for each entry, without those
/// whose factor is zero.
pub(crate) fn add_columns(
    sums: &mut [f64],
    columns: &[f64],
    factors: impl IntoIterator<Item = f64>,
) {
    vectorized(
        #[inline(always)]
        || {
            let (mut some, mut count) = ([(&[][..], 0.0); 4], 0);
            for (column, factor) in columns.chunks_exact(sums.len().max(1)).zip(factors) {
                if factor != 0.0 {
                    some[count] = (column, factor);
                    count += 1;
                }
                if count == some.len() {
                    add_some(sums, some);
                    count = 0;
                }
            }
            some[..count].iter().for_each(|one| add_some(sums, [*one]));
        },
    );
}

/// Adds the products of the `rows`, of the length of `x` and one after another, with `x` to the `sums`: entry after entry for each row,
/// but some rows at once, of which none waits for another.
pub(crate) fn add_rows(sums: &mut [f64], rows: &[f64], x: &[f64]) {
    const ROWS: usize = 4;
    vectorized(
        #[inline(always)]
        || {
            let n = x.len().max(1);
            let (some, rest) = sums.as_chunks_mut::<ROWS>();
            let (of_some, of_rest) = rows.split_at(ROWS * some.len() * x.len());
            for (sums, rows) in some.iter_mut().zip(of_some.chunks_exact(ROWS * n)) {
                let rows: [&[f64]; ROWS] = std::array::from_fn(|k| &rows[k * n..(k + 1) * n]);
                for (column, x) in x.iter().enumerate() {
                    sums.iter_mut().zip(rows).for_each(|(sum, row)| *sum += row[column] * x);
                }
            }
            for (sum, row) in rest.iter_mut().zip(of_rest.chunks_exact(n)) {
                *sum = row.iter().zip(x).fold(*sum, |sum, (entry, x)| sum + entry * x);
            }
        },
    );
}

/// Adds columns times numbers, all in one pass.
#[inline(always)]
fn add_some<const C: usize>(sums: &mut [f64], columns: [(&[f64], f64); C]) {
    let columns = columns.map(|(column, factor)| (&column[..sums.len()], factor));
    for (row, sum) in sums.iter_mut().enumerate() {
        *sum = columns.iter().fold(*sum, |sum, (column, factor)| sum + column[row] * factor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of both signs, whose sums are rounded.
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn entry(times: usize, of: usize) -> impl Fn(usize) -> f64 {
        move |k| (times * k % of) as f64 / 7.0 - 0.8
    }

    #[test]
    fn products_of_rows_are_summed_in_the_order_of_their_entries() {
        let entry = entry(5, 13);
        for count in 0..11 {
            for length in [0, 1, 3, 8] {
                let rows: Vec<f64> = (0..count * length).map(&entry).collect();
                let x: Vec<f64> = (0..length).map(|k| entry(k + 2)).collect();
                let start: Vec<f64> = (0..count).map(|k| 1e3 * entry(k)).collect();
                let mut sums = start.clone();
                add_rows(&mut sums, &rows, &x);
                for (row, sum) in sums.iter().enumerate() {
                    let own = x.iter().zip(&rows[row * length..]);
                    let expected = own.fold(start[row], |sum, (x, entry)| sum + entry * x);
                    assert_eq!(sum.to_bits(), expected.to_bits(), "{count} {length} {row}");
                }
            }
        }
    }

    #[test]
    fn columns_are_added_in_their_order() {
        let entry = entry(7, 11);
        for count in 0..11 {
            for length in [0, 1, 3, 4, 9, 30] {
                let columns: Vec<f64> = (0..count * length).map(&entry).collect();
                let factors: Vec<f64> =
                    (0..count).map(|k| if k % 3 == 1 { 0.0 } else { entry(k + 1) }).collect();
                let start: Vec<f64> = (0..length).map(|k| 1e3 * entry(k)).collect();
                let mut sums = start.clone();
                add_columns(&mut sums, &columns, factors.iter().copied());
                for (row, sum) in sums.iter().enumerate() {
                    let expected = factors.iter().enumerate().fold(start[row], |sum, (k, x)| {
                        if *x == 0.0 { sum } else { sum + columns[k * length + row] * x }
                    });
                    assert_eq!(sum.to_bits(), expected.to_bits(), "{count} {length} {row}");
                }
            }
        }
    }
}
