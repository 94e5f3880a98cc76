//! Detection of accumulating impacts (the Zeno guard).
//!
//! A ball that keeps the fraction `e` of its speed lands at intervals `D, e D, e² D, …` and rests after
//!
//! ```math
//! t_\infty = t + D \frac{r}{1 - r}, \qquad r = e,
//! ```
//!
//! infinitely many impacts, where `D` is the last interval. The same holds for the rocking block with other
//! ratios, and for every chatter whose intervals shrink by a limiting ratio. The next rebound at the speed
//! `u` lasts `r D` and rises to `u r D / 4` if its acceleration is constant. When this is within the
//! proximity, which does not distinguish such a gap from a closed one, the contact is closed permanently, and
//! `t_∞` is recorded.
//!
//! **When a series is accepted.** The ratio is measured, and the remaining time `D r/(1 − r)` is meaningful
//! only if the measurement distinguishes `r` from one. Three conditions must therefore hold:
//!
//! - Two ratios in succession, `r₁` and `r₂`, give the uncertainty `Δ = |r₂ − r₁|`. The remaining time is
//!   known within a factor of two if `(1 − r)/(1 − r − Δ) ≤ 2`, which is `r + 2 Δ ≤ 1` with the larger of the
//!   two as `r`. Contacts that alternate may land at irregular intervals; then the ratios of groups of four
//!   intervals are used.
//! - The remaining time is at most the time since the longest interval of the series began, so that the sum
//!   extends no farther ahead than the observation extends back.
//! - The limit lies before the end of the motion.
//!
//! An elastic contact that vibrates within the proximity has ratios that differ from one by rounding, and is
//! not closed. Where a condition fails, the motion continues from impact to impact, and later landings may
//! satisfy it.
//!
//! The contact then carries from `t` on, and not from `t_∞` on. The impulse is the same: the impulse that
//! stops the fall at once plus the weight over `t_∞ − t` equals the sum of the omitted impacts, and likewise
//! for the friction of a contact that slides. Only the distribution in time differs; the resulting error of
//! positions is less than the proximity.

/// Number of intervals in a group: contacts that alternate in twos or fours have regular sums of them.
const GROUP: usize = 4;

/// Number of landings stored: three groups of intervals, for two ratios.
const REMEMBERED: usize = 3 * GROUP + 1;

/// The times of the last landings of each contact; contacts beyond its length have none.
#[derive(Clone, Debug, Default)]
pub(super) struct Chatter {
    series: Vec<Series>,
}

/// The landings of one contact since it last rested.
#[derive(Clone, Debug, Default)]
struct Series {
    /// Times of the last landings (s), ascending.
    landings: Vec<f64>,
    count: usize,
    /// Number of the last landings in succession after flights that stayed within the proximity.
    low: usize,
    /// Start and length of the longest interval, the last of equal ones (s).
    longest: Option<(f64, f64)>,
}

/// The end of an infinite sequence of impacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Accumulation {
    pub(super) limit: f64,
    pub(super) ratio: f64,
    pub(super) landings: usize,
}

impl Chatter {
    /// Records a landing at `speed` (m/s). With a constant acceleration it ends a flight that rose to a quarter of `speed` times its
    /// duration; up to `height` (m) that was low.
    pub(super) fn land(&mut self, contact: usize, time: f64, speed: f64, height: f64) {
        if self.series.len() <= contact {
            self.series.resize_with(contact + 1, Series::default);
        }
        let Series { landings, count, low, longest } = &mut self.series[contact];
        if let Some(&last) = landings.last() {
            let length = time - last;
            *low = if 0.25 * speed * length <= height { *low + 1 } else { 0 };
            if longest.is_none_or(|(_, longest)| length >= longest) {
                *longest = Some((last, length));
            }
        }
        if landings.len() == REMEMBERED {
            landings.remove(0);
        }
        landings.push(time);
        *count += 1;
    }

    /// Whether the last flights of a contact all were low, without a ratio by which they shrink.
    pub(super) fn is_low(&self, contact: usize) -> bool {
        let irregular = |series: &Series| series.ratio(1).or_else(|| series.ratio(GROUP)).is_none();
        self.series.get(contact).is_some_and(|series| series.low >= GROUP && irregular(series))
    }

    /// Ends the low flights of contacts that are not `near`.
    pub(super) fn rise(&mut self, near: &[usize]) {
        for (contact, series) in self.series.iter_mut().enumerate() {
            if series.low > 0 && !near.contains(&contact) {
                series.low = 0;
            }
        }
    }

    /// Deletes the landings of a contact that has come to rest.
    pub(super) fn forget(&mut self, contact: usize) {
        if let Some(series) = self.series.get_mut(contact) {
            *series = Series::default();
        }
    }

    /// Returns the accumulation of a contact that rebounds at `speed` (m/s), if it rises by at most `height`
    /// (m) and its limit certainly lies before `end` (s).
    pub(super) fn accumulation(
        &self,
        contact: usize,
        speed: f64,
        height: f64,
        end: f64,
    ) -> Option<Accumulation> {
        let series = self.series.get(contact)?;
        let &[.., before, last] = series.landings.as_slice() else { return None };
        let interval = last - before;
        let ratio = series.ratio(1).or_else(|| series.ratio(GROUP))?;
        let rises = 0.25 * speed * ratio * interval;
        let remaining = interval * ratio / (1.0 - ratio);
        let (begin, _) = series.longest?;
        let accumulates = rises <= height && remaining <= last - begin && last + remaining <= end;
        let limit = last + remaining;
        accumulates.then_some(Accumulation { limit, ratio, landings: series.count })
    }
}

impl Series {
    /// The ratio of successive intervals, from the last three groups of `group` intervals, if it is certainly below 1.
    fn ratio(&self, group: usize) -> Option<f64> {
        let first = self.landings.len().checked_sub(3 * group + 1)?;
        let at = |k: usize| self.landings[first + k * group];
        let [a, b, c] = [0, 1, 2].map(|k| at(k + 1) - at(k));
        let power = 1.0 / group as f64;
        let [before, ratio] = [b / a, c / b].map(|ratio: f64| ratio.powf(power));
        let uncertainty = (ratio - before).abs();
        (ratio > 0.0 && ratio.max(before) + 2.0 * uncertainty <= 1.0).then_some(ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_geometric_series_is_summed() {
        let mut chatter = Chatter::default();
        for time in [1.0, 2.0, 2.5, 2.75] {
            assert_eq!(chatter.accumulation(0, 1.0, 1.0, 9.0), None);
            chatter.land(0, time, 1.0, 0.0);
        }
        // The next rebound lasts 1/8 s and rises to 1/32 m.
        assert_eq!(chatter.accumulation(0, 1.0, 0.0312, 9.0), None);
        let expected = Accumulation { limit: 3.0, ratio: 0.5, landings: 4 };
        assert_eq!(chatter.accumulation(0, 1.0, 0.03125, 9.0), Some(expected));
        // The limit must lie before the end.
        assert_eq!(chatter.accumulation(0, 1.0, 0.03125, 3.0), Some(expected));
        assert_eq!(chatter.accumulation(0, 1.0, 0.03125, 2.99), None);
        chatter.forget(0);
        assert_eq!(chatter.accumulation(0, 1.0, 1.0, 9.0), None);
    }

    /// Equal intervals never end; irregular ones do if groups of four shrink.
    #[test]
    fn intervals_that_do_not_shrink_do_not_accumulate() {
        let (mut even, mut uneven) = (Chatter::default(), Chatter::default());
        let (mut time, mut scale) = (0.0, 1.0);
        for k in 0..15 {
            even.land(0, f64::from(k), 1.0, 0.0);
            uneven.land(0, time, 1.0, 0.0);
            time += scale * if k % 2 == 0 { 0.5 } else { 1.0 };
            scale *= 0.9;
        }
        assert_eq!(even.accumulation(0, 0.0, 1.0, 99.0), None);
        let found = uneven.accumulation(0, 0.0, 1.0, 99.0).unwrap();
        assert!((found.ratio - 0.9).abs() < 1e-12, "{found:?}");
    }

    /// Intervals that shrink only by rounding would end after days, and intervals whose ratios differ from
    /// each other by as much as from one might never end.
    #[test]
    fn ratios_that_may_be_one_do_not_accumulate() {
        let landings = |intervals: [f64; 3]| {
            let mut chatter = Chatter::default();
            let mut time = 0.0;
            chatter.land(0, time, 1.0, 0.0);
            for interval in intervals {
                time += interval;
                chatter.land(0, time, 1.0, 0.0);
            }
            chatter.accumulation(0, 0.0, 1.0, f64::INFINITY)
        };
        assert_eq!(landings([1e-5, 1e-5 * (1.0 - 1e-9), 1e-5 * (1.0 - 2e-9)]), None);
        assert_eq!(landings([1.0, 0.9, 0.8]), None);
        assert_eq!(landings([1.0, 0.5, 0.4]), None);
        assert!(landings([1.0, 0.5, 0.26]).is_some());
    }

    /// With a ratio of 0.99 the remaining time is 99 intervals: it is summed once the intervals have halved.
    #[test]
    fn a_series_is_not_summed_farther_than_it_was_observed() {
        let mut chatter = Chatter::default();
        let (mut time, mut interval) = (0.0, 1.0);
        let mut landings = 0;
        let found = loop {
            chatter.land(0, time, 1.0, 0.0);
            landings += 1;
            if let Some(found) = chatter.accumulation(0, 0.0, 1.0, f64::INFINITY) {
                break found;
            }
            assert!(landings < 100, "not accepted");
            time += interval;
            interval *= 0.99;
        };
        // 0.99⁶⁹ is the first power below a half.
        assert_eq!(found.landings, 70);
        assert!((found.limit - 100.0).abs() < 1e-9, "{found:?}");
    }
}
