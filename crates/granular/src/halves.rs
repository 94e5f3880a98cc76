//! Sweeps over slabs, forth and back in turns, until they are enough: [`until`].
//!
//! A sweep ends on the slabs on which the next one begins. Where its first half changes so much that it cannot be the last
//! one, its second half is done together with the first half of the next one, slab by slab, while each is in a cache. The bits
//! are those of one sweep after another.

use crate::{
    contact::larger,
    parallel::{Range, each, every_second},
};

/// What is done with a slab and the items that begin with its own.
pub(crate) struct Steps<W, C, J, R> {
    /// Solves every contact in turn, or backwards.
    pub(crate) sweep: W,
    /// The square of the largest change in the last sweep (m/s)².
    pub(crate) change: C,
    /// Evaluates the impulses.
    pub(crate) certify: J,
    /// The largest residual as of then (m/s).
    pub(crate) residual: R,
}

/// Sweeps until the residual is small `enough` (m/s), and no more than `most` times. Returns the number of sweeps and the residual.
pub(crate) fn until<S: Range, T: Send + Sync, W, C, J, R>(
    slabs: &mut [S],
    items: &mut [T],
    (enough, most): (f64, usize),
    Steps { sweep, change, certify, residual }: &Steps<W, C, J, R>,
) -> (usize, f64)
where
    W: Fn(&mut S, &mut [T], bool) + Sync,
    C: Fn(&S) -> f64,
    J: Fn(&mut S, &[T]) + Sync,
    R: Fn(&S) -> f64,
{
    let (mut count, mut begun) = (0, false);
    loop {
        count += 1;
        let (backwards, last) = (count % 2 == 0, count == most);
        if !begun {
            every_second(slabs, items, backwards, &|slab, items| {
                sweep(slab, items, backwards);
            });
        }
        let half = slabs.iter().skip(usize::from(backwards)).step_by(2);
        let half = half.map(change).fold(0.0, larger).sqrt();
        begun = !last && half > enough;
        every_second(slabs, items, !backwards, &|slab, items| {
            sweep(slab, items, backwards);
            if begun {
                sweep(slab, items, !backwards);
            }
        });
        if begun {
            continue;
        }
        // The estimate from within a sweep has no additional cost; only the full residual decides.
        let largest = slabs.iter().map(change).fold(0.0, larger).sqrt();
        if largest <= enough || last {
            each(slabs, &|slab| certify(slab, &items[slab.start() as usize..]));
            let worst = slabs.iter().map(residual).fold(0.0, larger);
            if worst <= enough || last {
                return (count, worst);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grains::narrow;

    #[derive(Clone, Debug, PartialEq)]
    struct Part {
        start: u32,
        change: f64,
        residual: f64,
    }

    impl Range for Part {
        fn start(&self) -> u32 {
            self.start
        }

        fn len(&self) -> u32 {
            1
        }
    }

    /// Moves two neighbors toward each other, by other amounts in either direction.
    fn sweep(part: &mut Part, items: &mut [f64], backwards: bool) {
        let Some(other) = items.get(1) else { return };
        let change = (if backwards { 0.3 } else { 0.4 }) * (other - items[0]);
        items[0] += change;
        items[1] -= change;
        part.change = change * change;
    }

    fn certify(part: &mut Part, items: &[f64]) {
        part.residual = items.get(1).map_or(0.0, |other| (other - items[0]).abs());
    }

    fn one_after_another(
        parts: &mut [Part],
        items: &mut [f64],
        (enough, most): (f64, usize),
    ) -> (usize, f64) {
        for count in 1..=most {
            let backwards = count % 2 == 0;
            for odd in [backwards, !backwards] {
                every_second(parts, items, odd, &|part, items| sweep(part, items, backwards));
            }
            let change = parts.iter().map(|part| part.change).fold(0.0, f64::max).sqrt();
            if change <= enough || count == most {
                each(parts, &|part| certify(part, &items[part.start as usize..]));
                let residual = parts.iter().map(|part| part.residual).fold(0.0, f64::max);
                if residual <= enough || count == most {
                    return (count, residual);
                }
            }
        }
        unreachable!("the last sweep ends")
    }

    #[test]
    fn halves_done_together_have_the_bits_of_one_sweep_after_another() {
        let steps = Steps {
            sweep,
            change: |part: &Part| part.change,
            certify,
            residual: |part: &Part| part.residual,
        };
        let mut counts = Vec::new();
        for total in [1, 2, 3, 8, 9] {
            for enough in [0.0, 1e-6, 1e-2, 0.3, 10.0] {
                for most in [1, 2, 7, 1000] {
                    let parts =
                        (0..narrow(total)).map(|start| Part { start, change: 0.0, residual: 0.0 });
                    let mut parts: Vec<Part> = parts.collect();
                    let mut items: Vec<f64> = (0..total).map(|k| (k as f64 * 2.7).sin()).collect();
                    let (mut others, mut moved) = (parts.clone(), items.clone());
                    let expected = one_after_another(&mut others, &mut moved, (enough, most));
                    let found = until(&mut parts, &mut items, (enough, most), &steps);
                    assert_eq!(found, expected, "{total} {enough} {most}");
                    assert_eq!((parts, items), (others, moved), "{total} {enough} {most}");
                    counts.push(found.0);
                }
            }
        }
        assert!(counts.iter().any(|count| (3..1000).contains(count)), "{counts:?}");
    }
}
