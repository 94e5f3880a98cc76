//! Phases of work on every second slab, as waves through all slabs: [`phases`].
//!
//! The slabs of a large world are many times as large as the caches. If each phase went through all of them before the
//! next one began, each would read them from memory anew. But phase `j` of slab `k` only needs phase `j - 1` of the slabs
//! `k - 1` and `k + 1`, so that it can follow when its data are still in a cache:
//!
//! ```text
//! slab     0 1 2 3 4 5 6 7
//! phase 0  1 . 2 . 4 . 7 .
//! phase 1  . 3 . 5 . 8 . .
//! phase 2  6 . 9 . . . . .    (in the order of the numbers)
//! ```
//!
//! Threads have a piece of the slabs each, and every phase ends one slab before the last one at the border of a piece. What
//! is missing there, a triangle on the side of either piece, follows when both are done. The order in which any
//! grain is worked on, and with it every bit of the result, is that of one phase after another.

use crate::parallel::{Range, every_second, join};

/// Most phases of a wave, so that the slabs between its front and its end fit into a cache: a slab of 5000 grains has 1.5 MB.
const DEPTH: usize = 8;

/// Runs `count` phases of [`every_second`] one after another, of which the first is on the odd slabs if `odd`, and the
/// others on the slabs between those of the phase before; `work` is also given the number of the phase.
pub(crate) fn phases<S: Range, T: Send>(
    slabs: &mut [S],
    items: &mut [T],
    (odd, count): (bool, usize),
    work: &(impl Fn(&mut S, &mut [T], usize) + Sync),
) {
    let pieces = threads().next_power_of_two();
    for first in (0..count).step_by(DEPTH) {
        let count = DEPTH.min(count - first);
        let wave = Wave { odd: odd ^ (first % 2 == 1), first, count, open: [false; 2], work };
        if slabs.len() / pieces >= wave.least() {
            wave.divide(slabs, items, pieces);
        } else {
            wave.one_after_another(slabs, items);
        }
    }
}

/// Number of threads that can work at the same time.
fn threads() -> usize {
    #[cfg(feature = "rayon")]
    return rayon::current_num_threads();
    #[cfg(not(feature = "rayon"))]
    1
}

/// Some phases on consecutive slabs.
struct Wave<'a, W> {
    odd: bool,
    /// The number of its first phase.
    first: usize,
    count: usize,
    /// Whether other slabs precede and follow.
    open: [bool; 2],
    work: &'a W,
}

impl<W> Wave<'_, W> {
    /// Minimum number of slabs in a piece, so that what is missing at its ends does not meet.
    fn least(&self) -> usize {
        2 * self.count + 4
    }

    fn one_after_another<S: Range, T: Send>(&self, slabs: &mut [S], items: &mut [T])
    where
        W: Fn(&mut S, &mut [T], usize) + Sync,
    {
        for phase in 0..self.count {
            let work = |slab: &mut S, items: &mut [T]| (self.work)(slab, items, self.first + phase);
            every_second(slabs, items, self.odd ^ (phase % 2 == 1), &work);
        }
    }

    /// As so many pieces at once, and then what is missing between them.
    fn divide<S: Range, T: Send>(&self, slabs: &mut [S], items: &mut [T], pieces: usize)
    where
        W: Fn(&mut S, &mut [T], usize) + Sync,
    {
        let (total, [before, behind]) = (slabs.len(), self.open);
        if pieces < 2 {
            let start = |phase: usize| if before { phase } else { 0 };
            let end = |phase: usize| if behind { total - 1 - phase } else { total };
            self.run(slabs, items, |phase| start(phase)..end(phase));
            return;
        }
        let middle = (total / 2).next_multiple_of(2);
        let (left, right) = slabs.split_at_mut(middle);
        let (near, far) = items.split_at_mut((right[0].start() - left[0].start()) as usize);
        join(
            || Wave { open: [before, true], ..*self }.divide(left, near, pieces / 2),
            || Wave { open: [true, behind], ..*self }.divide(right, far, pieces / 2),
        );
        self.run(slabs, items, |phase| middle - 1 - phase..middle + phase);
    }

    /// Runs every phase on those of its slabs that are in a range.
    fn run<S: Range, T: Send>(
        &self,
        slabs: &mut [S],
        items: &mut [T],
        range: impl Fn(usize) -> std::ops::Range<usize>,
    ) where
        W: Fn(&mut S, &mut [T], usize) + Sync,
    {
        let first = slabs[0].start();
        for front in (usize::from(self.odd)..slabs.len() + self.count).step_by(2) {
            for phase in 0..self.count.min(front + 1) {
                let at = front - phase;
                if range(phase).contains(&at) {
                    let slab = &mut slabs[at];
                    let items = &mut items[(slab.start() - first) as usize..];
                    (self.work)(slab, items, self.first + phase);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grains::narrow;

    struct Part {
        start: u32,
        len: u32,
        /// A number that depends on all items and phases so far, and on their order.
        seen: u64,
    }

    impl Range for Part {
        fn start(&self) -> u32 {
            self.start
        }

        fn len(&self) -> u32 {
            self.len
        }
    }

    fn mixed(a: u64, b: u64) -> u64 {
        (a ^ b.rotate_left(23)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Changes the items of a part and of the next one by each other and by the phase, in an order that matters.
    fn work(part: &mut Part, items: &mut [u64], phase: usize) {
        // Parts have three items each.
        let count = items.len().min(6);
        for k in 0..count {
            part.seen = mixed(part.seen, items[k] + phase as u64);
            items[k] = mixed(items[k], items[(k + 2) % count] ^ part.seen);
        }
    }

    fn parts(count: usize) -> (Vec<Part>, Vec<u64>) {
        let parts = (0..narrow(count)).map(|k| Part { start: 3 * k, len: 3, seen: 0 }).collect();
        (parts, (0..3 * count as u64).map(|k| mixed(k, 1)).collect())
    }

    fn figures((parts, items): (Vec<Part>, Vec<u64>)) -> (Vec<u64>, Vec<u64>) {
        (parts.iter().map(|part| part.seen).collect(), items)
    }

    #[test]
    fn waves_of_any_number_of_pieces_have_the_bits_of_one_phase_after_another() {
        for odd in [false, true] {
            for count in [1, 2, 3, 7, DEPTH] {
                let wave = Wave { odd, first: 5, count, open: [false; 2], work: &work };
                for total in [wave.least(), 4 * wave.least() + 1, 131] {
                    let (mut slabs, mut items) = parts(total);
                    wave.one_after_another(&mut slabs, &mut items);
                    let expected = figures((slabs, items));
                    for pieces in [1, 2, 4] {
                        if total / pieces >= wave.least() {
                            let (mut slabs, mut items) = parts(total);
                            wave.divide(&mut slabs, &mut items, pieces);
                            let found = figures((slabs, items));
                            assert_eq!(found, expected, "{total} slabs, {count} phases, {pieces}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn more_phases_than_a_wave_has_follow_in_order() {
        for total in [0, 1, 2, 5, 90] {
            for count in [0, 1, DEPTH + 1, 3 * DEPTH] {
                for odd in [false, true] {
                    let (mut slabs, mut items) = parts(total);
                    for phase in 0..count {
                        let odd = odd ^ (phase % 2 == 1);
                        every_second(&mut slabs, &mut items, odd, &|slab, items| {
                            work(slab, items, phase);
                        });
                    }
                    let expected = figures((slabs, items));
                    let (mut slabs, mut items) = parts(total);
                    phases(&mut slabs, &mut items, (odd, count), &work);
                    assert_eq!(figures((slabs, items)), expected, "{total} {count} {odd}");
                }
            }
        }
    }
}
