//! When impacts accumulate: the Zeno guard.
//!
//! A ball that keeps the part `e` of its speed lands at intervals `D, e D, e² D, …` and rests after
//!
//! ```math
//! t_\infty = t + D \frac{r}{1 - r}, \qquad r = e,
//! ```
//!
//! `D` being the last interval, after infinitely many impacts. The rocking block does likewise with other ratios, and
//! every chatter whose intervals shrink by a limiting ratio. The next rebound at the speed `u` lasts `r D` and rises to
//! `u r D / 4` where its acceleration is constant. When this is within the proximity, which does not tell such a gap
//! from a closed one, the contact is closed for good, and `t_∞` is recorded.
//!
//! The contact then carries from `t` on, not from `t_∞` on. The percussion is the same: what stops the fall at once
//! and the weight over `t_∞ − t` add up to what the impacts left out would have passed on, and so does the friction of a
//! contact that slides. Only the distribution in time differs, by which positions err by less than the proximity.

/// Landings that are remembered: two groups of four intervals.
const REMEMBERED: usize = 9;

/// The times of the last landings of each contact.
#[derive(Clone, Debug)]
pub(super) struct Chatter {
    landings: Vec<Vec<f64>>,
    counts: Vec<usize>,
}

/// The end of infinitely many impacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Accumulation {
    pub(super) limit: f64,
    pub(super) ratio: f64,
    pub(super) landings: usize,
}

impl Chatter {
    pub(super) fn new(contacts: usize) -> Self {
        Self { landings: vec![Vec::new(); contacts], counts: vec![0; contacts] }
    }

    /// Records a landing.
    pub(super) fn land(&mut self, contact: usize, time: f64) {
        let landings = &mut self.landings[contact];
        if landings.len() == REMEMBERED {
            landings.remove(0);
        }
        landings.push(time);
        self.counts[contact] += 1;
    }

    /// Forgets the landings of a contact that has come to rest.
    pub(super) fn forget(&mut self, contact: usize) {
        self.landings[contact].clear();
        self.counts[contact] = 0;
    }

    /// The accumulation of a contact that rebounds at `speed` (m/s), if it rises no more than `height` (m).
    pub(super) fn accumulation(
        &self,
        contact: usize,
        speed: f64,
        height: f64,
    ) -> Option<Accumulation> {
        let landings = &self.landings[contact];
        let [.., a, b, c] = landings[..] else { return None };
        let (last, mut ratio) = (c - b, (c - b) / (b - a));
        let shrinks = |ratio: f64| 0.0 < ratio && ratio < 1.0;
        if let (false, [first, .., middle, _, _, _, end]) = (shrinks(ratio), &landings[..]) {
            // Contacts that take turns may land at irregular intervals: compare groups of four.
            if landings.len() == REMEMBERED {
                ratio = ((end - middle) / (middle - first)).powf(0.25);
            }
        }
        let rises = 0.25 * speed * ratio * last;
        let accumulates = shrinks(ratio) && rises <= height;
        accumulates.then(|| Accumulation {
            limit: c + last * ratio / (1.0 - ratio),
            ratio,
            landings: self.counts[contact],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_geometric_series_is_summed() {
        let mut chatter = Chatter::new(1);
        for time in [1.0, 2.0, 2.5] {
            assert_eq!(chatter.accumulation(0, 1.0, 1.0), None);
            chatter.land(0, time);
        }
        // The next rebound lasts 0.25 s and rises to 1/16 m.
        assert_eq!(chatter.accumulation(0, 1.0, 0.0624), None);
        let expected = Accumulation { limit: 3.0, ratio: 0.5, landings: 3 };
        assert_eq!(chatter.accumulation(0, 1.0, 0.0625), Some(expected));
        chatter.forget(0);
        assert_eq!(chatter.accumulation(0, 1.0, 1.0), None);
    }

    /// Equal intervals never end; irregular ones do if groups of four shrink.
    #[test]
    fn intervals_that_do_not_shrink_do_not_accumulate() {
        let (mut even, mut uneven) = (Chatter::new(1), Chatter::new(1));
        let (mut time, mut scale) = (0.0, 1.0);
        for k in 0..11 {
            even.land(0, f64::from(k));
            uneven.land(0, time);
            time += scale * if k % 2 == 0 { 0.5 } else { 1.0 };
            scale *= 0.9;
        }
        assert_eq!(even.accumulation(0, 0.0, 1.0), None);
        let found = uneven.accumulation(0, 0.0, 1.0).unwrap();
        assert!((found.ratio - 0.9).abs() < 1e-12, "{found:?}");
    }
}
