//! Work on slabs of space in parallel, with the same bits for any number of threads: [`each`] and [`every_second`].
//!
//! A slab is at least one cell thick and a cell is wider than the length of any contact, so the contacts
//! whose first grain lies in slab `k` touch only slabs `k` and `k + 1`. All even slabs can therefore be swept
//! at once, and then all odd ones: no two of them share a grain. Slabs depend on the positions alone, not on
//! the number of threads, and so does every bit of the result. The bisection passes to each slab its grains
//! as a separate slice, without `unsafe`.

#[cfg(feature = "rayon")]
mod awake;

/// A part of the grains that is processed separately; the parts of one list are consecutive.
pub(crate) trait Range: Send {
    /// Place of its first grain.
    fn start(&self) -> u32;

    /// Number of its grains.
    fn len(&self) -> u32;
}

/// Runs both, concurrently with the feature `rayon`.
pub(crate) fn join<A: Send, B: Send>(
    left: impl FnOnce() -> A + Send,
    right: impl FnOnce() -> B + Send,
) -> (A, B) {
    #[cfg(feature = "rayon")]
    return rayon::join(left, right);
    #[cfg(not(feature = "rayon"))]
    (left(), right())
}

/// Lists with an item for each grain, or several of them side by side.
pub(crate) trait Lists: Send + Sized {
    /// Number of items in each.
    fn len(&self) -> usize;

    /// Those before place `at`, and the others.
    fn split(self, at: usize) -> (Self, Self);
}

impl<T: Sync> Lists for &[T] {
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn split(self, at: usize) -> (Self, Self) {
        self.split_at(at)
    }
}

impl<T: Send> Lists for &mut [T] {
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    fn split(self, at: usize) -> (Self, Self) {
        self.split_at_mut(at)
    }
}

impl<A: Lists, B: Lists> Lists for (A, B) {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn split(self, at: usize) -> (Self, Self) {
        let (first, second) = self.0.split(at);
        let (third, fourth) = self.1.split(at);
        ((first, third), (second, fourth))
    }
}

/// Maximum number of grains in a block.
const BLOCK: usize = 1024;

/// The results of `work` on blocks of the lists, in parallel, merged two by two. The blocks depend on the number of items
/// alone.
pub(crate) fn blocks<L: Lists, R: Send>(
    lists: L,
    work: &(impl Fn(L) -> R + Sync),
    merge: &(impl Fn(R, R) -> R + Sync),
) -> R {
    let count = lists.len();
    if count <= BLOCK {
        return work(lists);
    }
    let (left, right) = lists.split(count / 2);
    let (left, right) = join(|| blocks(left, work, merge), || blocks(right, work, merge));
    merge(left, right)
}

/// Runs `work` inside rayon's pool if there are enough slabs for several threads, which stay [awake] meanwhile.
///
/// A thread outside the pool sleeps at every call of `rayon::join` until the pool has finished. Inside the
/// pool it sleeps only once.
pub(crate) fn inside<R: Send>(slabs: usize, work: impl FnOnce() -> R + Send) -> R {
    #[cfg(feature = "rayon")]
    if slabs > 2 && rayon::current_num_threads() > 1 {
        return rayon::scope(|_| {
            let _step = awake::Step::begin();
            work()
        });
    }
    let _ = slabs;
    work()
}

/// Runs `work` on every slab, in parallel.
pub(crate) fn each<S: Range>(slabs: &mut [S], work: &(impl Fn(&mut S) + Sync)) {
    match slabs {
        [] => {}
        [slab] => work(slab),
        _ => {
            let (left, right) = slabs.split_at_mut(slabs.len() / 2);
            join(|| each(left, work), || each(right, work));
        }
    }
}

/// Runs `work` on all even slabs and then on all odd ones, in parallel; backwards the odd ones come first.
/// There is one item for every grain.
#[cfg(feature = "bodies")]
pub(crate) fn alternate<S: Range, T: Send>(
    slabs: &mut [S],
    items: &mut [T],
    backwards: bool,
    work: &(impl Fn(&mut S, &mut [T]) + Sync),
) {
    for odd in [backwards, !backwards] {
        every_second(slabs, items, odd, work);
    }
}

/// Runs `work` on all even or on all odd slabs, in parallel. There is one item for every grain.
pub(crate) fn every_second<S: Range, T: Send>(
    slabs: &mut [S],
    items: &mut [T],
    odd: bool,
    work: &(impl Fn(&mut S, &mut [T]) + Sync),
) {
    let skipped = slabs.first().map_or(0, |slab| slab.len() as usize);
    if odd && slabs.len() > 1 {
        every_other(&mut slabs[1..], &mut items[skipped..], work);
    } else if !odd {
        every_other(slabs, items, work);
    }
}

/// Runs `work` on slabs 0, 2, 4 …, each with the items of its own grains and of those of the next.
fn every_other<S: Range, T: Send>(
    slabs: &mut [S],
    items: &mut [T],
    work: &(impl Fn(&mut S, &mut [T]) + Sync),
) {
    match slabs {
        [] => {}
        [slab] | [slab, _] => work(slab, items),
        _ => {
            let (left, right) = slabs.split_at_mut(middle(slabs));
            let (near, far) = items.split_at_mut((right[0].start() - left[0].start()) as usize);
            join(|| every_other(left, near, work), || every_other(right, far, work));
        }
    }
}

/// Where slabs 0, 2, 4 …, of which there are at least two, are divided so that both parts have about as many grains.
fn middle<S: Range>(slabs: &[S]) -> usize {
    let total: u32 = slabs.iter().step_by(2).map(S::len).sum();
    let (mut before, mut at) = (0, 0);
    // A slab is in the first part if its middle is.
    while at + 2 < slabs.len() && (at == 0 || 2 * before + slabs[at].len() <= total) {
        before += slabs[at].len();
        at += 2;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Slab(u32);

    impl Range for Slab {
        fn start(&self) -> u32 {
            0
        }

        fn len(&self) -> u32 {
            self.0
        }
    }

    #[test]
    fn every_second_slab_is_divided_by_its_grains() {
        let cases: [(&[u32], usize); 6] = [
            (&[5, 0, 5], 2),
            (&[10, 0, 5, 0, 5], 2),
            (&[5, 0, 5, 0, 10, 0], 4),
            (&[1, 9, 1, 9, 1, 9, 1, 9], 4),
            (&[0, 0, 0, 0, 9, 0], 4),
            (&[9, 0, 0, 0, 0, 0], 2),
        ];
        for (lens, expected) in cases {
            let slabs: Vec<Slab> = lens.iter().copied().map(Slab).collect();
            assert_eq!(middle(&slabs), expected, "{lens:?}");
        }
    }
}
