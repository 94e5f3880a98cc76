//! All minimal sequences of reflections, depth first.
//!
//! A sequence is extended by every contact that is approached. Beside its own momentum it carries those
//! of all its proper subsequences, each once: extending by `w` adds the images under `Γ(w)` of those
//! there are. A sequence is given up as soon as one of them is not approached (no extension is minimal),
//! or if one of them is its own momentum (whatever ends the sequence ends the subsequence). So the search
//! also ends where reflections go round in circles, and every sequence that it finds is minimal.

use super::mirrors::Mirrors;

#[derive(Debug, Default)]
pub(super) struct Search {
    /// The sequence under way, and for each length from 0 on what is known of its beginning.
    word: Vec<usize>,
    beginnings: Vec<Beginning>,
    /// Momenta of the beginnings, and of all proper subsequences of the longest.
    path: Vec<f64>,
    shadows: Vec<f64>,
    image: Vec<f64>,
    /// Momenta of the outcomes.
    ends: Vec<f64>,
    /// Sequences found, one after another, and where each ends with the index of its outcome.
    letters: Vec<usize>,
    sequences: Vec<(usize, usize)>,
    outcomes: usize,
    comparisons: usize,
}

#[derive(Clone, Copy, Debug)]
struct Beginning {
    /// Next mirror to extend by.
    next: usize,
    /// Length of the list of momenta of proper subsequences.
    shadows: usize,
}

impl Search {
    /// Whether the search came to its end within so many comparisons; what was found before is
    /// forgotten. Outcomes are one if they agree once multiplied by `restitution`.
    pub(super) fn run(&mut self, mirrors: &Mirrors, restitution: f64, limit: usize) -> bool {
        let m = mirrors.start.len();
        self.reset(mirrors);
        if mirrors.feasible(&mirrors.start) {
            self.record(mirrors, restitution);
            return true;
        }
        while let Some(beginning) = self.beginnings.last_mut() {
            let state = &self.path[self.path.len() - m..];
            let next = (beginning.next..m).find(|&k| mirrors.is_approached(state, k));
            let Some(k) = next else {
                self.back(m);
                continue;
            };
            beginning.next = k + 1;
            let minimal = self.extend(mirrors, k);
            if self.comparisons > limit {
                return false;
            }
            if !minimal {
                self.back(m);
            } else if mirrors.feasible(&self.path[self.path.len() - m..]) {
                self.record(mirrors, restitution);
                self.back(m);
            }
        }
        true
    }

    /// Number of outcomes found.
    pub(super) const fn outcomes(&self) -> usize {
        self.outcomes
    }

    /// The sequences found, each with the index of its outcome; of new outcomes the indices count up.
    pub(super) fn found(&self) -> impl Iterator<Item = (&[usize], usize)> {
        let starts = [0].into_iter().chain(self.sequences.iter().map(|(end, _)| *end));
        starts.zip(&self.sequences).map(|(start, &(end, index))| (&self.letters[start..end], index))
    }

    fn reset(&mut self, mirrors: &Mirrors) {
        self.word.clear();
        self.beginnings.clear();
        self.beginnings.push(Beginning { next: 0, shadows: 0 });
        self.path.clear();
        self.path.extend_from_slice(&mirrors.start);
        self.shadows.clear();
        self.image.clear();
        self.image.resize(mirrors.start.len(), 0.0);
        self.ends.clear();
        self.letters.clear();
        self.sequences.clear();
        self.outcomes = 0;
        self.comparisons = 0;
    }

    /// Makes the sequence longer by `k`, and says whether it may be minimal, or begin one that is.
    fn extend(&mut self, mirrors: &Mirrors, k: usize) -> bool {
        let m = mirrors.start.len();
        let (top, before) = (self.path.len() - m, self.shadows.len());
        self.shadows.extend_from_slice(&self.path[top..]);
        self.path.extend_from_within(top..);
        mirrors.reflect(&mut self.path[top + m..], k);
        self.word.push(k);
        let mut minimal = true;
        for first in (0..before).step_by(m) {
            self.image.copy_from_slice(&self.shadows[first..first + m]);
            mirrors.reflect(&mut self.image, k);
            if mirrors.feasible(&self.image) {
                minimal = false;
                break;
            }
            let known = position(&self.shadows, &self.image, &mirrors.thresholds, 1.0);
            self.comparisons += known.unwrap_or(self.shadows.len() / m) + 1;
            if known.is_none() {
                self.shadows.extend_from_slice(&self.image);
            }
        }
        self.comparisons += self.shadows.len() / m;
        let shadows = self.shadows.len();
        self.beginnings.push(Beginning { next: 0, shadows });
        minimal
            && position(&self.shadows, &self.path[top + m..], &mirrors.thresholds, 1.0).is_none()
    }

    /// Makes the sequence shorter by one.
    fn back(&mut self, m: usize) {
        self.beginnings.pop();
        self.word.pop();
        self.path.truncate(self.path.len() - m);
        self.shadows.truncate(self.beginnings.last().map_or(0, |beginning| beginning.shadows));
    }

    fn record(&mut self, mirrors: &Mirrors, restitution: f64) {
        let m = mirrors.start.len();
        let end = &self.path[self.path.len() - m..];
        let index = match position(&self.ends, end, &mirrors.thresholds, restitution) {
            Some(index) => index,
            // Without contacts that move there is one end, and only one is recorded.
            None => {
                self.ends.extend_from_slice(end);
                self.outcomes += 1;
                self.outcomes - 1
            }
        };
        self.letters.extend_from_slice(&self.word);
        self.sequences.push((self.letters.len(), index));
    }
}

/// Index of `state` in a list of states, where it agrees once differences are multiplied by `factor`.
fn position(list: &[f64], state: &[f64], thresholds: &[f64], factor: f64) -> Option<usize> {
    list.chunks_exact(state.len().max(1)).position(|known| {
        let pairs = known.iter().zip(state).zip(thresholds);
        pairs.into_iter().all(|((a, b), threshold)| (a - b).abs() * factor <= *threshold)
    })
}
