//! The residuals by their definition, written plainly and without the code that they check.

use percussion_verify::{Extended, lcp::slack};

/// A problem with `matrix` by rows, and an answer to it.
#[derive(Clone, Debug)]
pub(super) struct Stated {
    pub(super) matrix: Vec<Vec<f64>>,
    pub(super) vector: Vec<f64>,
    pub(super) answer: Vec<f64>,
}

/// What the definition says of an answer.
#[derive(Clone, Debug)]
pub(super) struct Defined {
    pub(super) relative: f64,
    pub(super) natural_map: f64,
    /// `max r_i |w_i|` of the rows that should be zero, over the scale of `q`.
    pub(super) scaled_slack: f64,
    pub(super) sizes: Vec<f64>,
    pub(super) floors: Vec<f64>,
    pub(super) measures: Vec<f64>,
    pub(super) slack: Vec<f64>,
}

/// The largest power of two that is not above `x > 0`.
fn power_below(x: f64) -> f64 {
    let mut power = 1.0;
    while power > x {
        power *= 0.5;
    }
    while 2.0 * power <= x {
        power *= 2.0;
    }
    power
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

impl Stated {
    fn n(&self) -> usize {
        self.vector.len()
    }

    fn m(&self, i: usize, j: usize) -> f64 {
        self.matrix[i][j].abs()
    }

    fn is_inert(&self, i: usize) -> bool {
        self.matrix[i][i] > 0.0
    }

    fn is_driven(&self, i: usize) -> bool {
        self.matrix[i][i] * self.vector[i].signum() < 0.0 && self.vector[i] != 0.0
    }

    /// `min(1, √(|M_ii M_jj| / |M_ij M_ji|))`.
    fn damping(&self, i: usize, j: usize) -> f64 {
        let own = self.m(i, i).sqrt() * self.m(j, j).sqrt();
        let pair = self.m(i, j).sqrt() * self.m(j, i).sqrt();
        if own == 0.0 || pair <= own { 1.0 } else { own / pair }
    }

    /// `r_i` and `c_i`.
    pub(super) fn factors(&self) -> Vec<(f64, f64)> {
        let all = 0..self.n();
        // The power of four just below the diagonal entry has the root 1/r.
        let root = |x: f64| {
            let power = power_below(x);
            let root = power_below(power.sqrt());
            1.0 / root
        };
        let inert: Vec<f64> =
            all.clone().map(|i| if self.is_inert(i) { root(self.m(i, i)) } else { 1.0 }).collect();
        let near_one = |x: f64| if x > 0.0 { 1.0 / power_below(x) } else { 1.0 };
        all.clone()
            .map(|i| {
                if self.is_inert(i) {
                    return (inert[i], inert[i]);
                }
                let row = largest(all.clone().map(|j| self.m(i, j) * inert[j]));
                let column = largest(all.clone().map(|j| self.m(j, i) * inert[j]));
                (near_one(row), near_one(column))
            })
            .collect()
    }

    /// The effect on row `i` of an unknown of this size.
    fn reach(&self, i: usize, j: usize, unknown: f64) -> f64 {
        self.m(i, j) * unknown * self.damping(i, j)
    }

    /// The largest effect on row `i` of the unknowns that compensate their own rows.
    pub(super) fn direct(&self, i: usize) -> f64 {
        let driven = (0..self.n()).filter(|&j| j != i && self.is_driven(j));
        largest(driven.map(|j| self.reach(i, j, self.vector[j].abs() / self.m(j, j))))
    }

    fn sizes(&self) -> Vec<f64> {
        let n = self.n();
        let mut sizes: Vec<f64> =
            (0..n).map(|i| self.vector[i].abs().max(self.direct(i))).collect();
        if sizes.iter().all(|size| *size == 0.0) {
            return sizes;
        }
        loop {
            let known = sizes.clone();
            let balanced = |j: usize| {
                let rows = (0..n).filter(|&i| self.m(i, j) > 0.0 && known[i] > 0.0);
                let least = rows.map(|i| known[i] / self.m(i, j)).fold(f64::INFINITY, f64::min);
                if least.is_finite() { least } else { 0.0 }
            };
            // First by unknowns whose row has a size or that have no entry there, then by all.
            for by_all in [false, true] {
                let unknown = |j: usize| {
                    let own = self.m(j, j) > 0.0 && (!by_all || known[j] > 0.0);
                    if own { known[j] / self.m(j, j) } else { balanced(j) }
                };
                for i in (0..n).filter(|&i| known[i] == 0.0) {
                    sizes[i] = largest((0..n).map(|j| self.reach(i, j, unknown(j))));
                }
                if sizes != known {
                    break;
                }
            }
            if sizes == known {
                return sizes;
            }
        }
    }

    fn floors(&self) -> Vec<f64> {
        let (n, factors) = (self.n(), self.factors());
        let inert: Vec<usize> = (0..n).filter(|&i| self.is_inert(i)).collect();
        let scaled = |i: usize, j: usize| factors[i].0 * self.m(i, j) * factors[j].1;
        if inert.iter().any(|&i| inert.iter().any(|&j| scaled(i, j) > 64.0)) {
            return vec![0.0; n];
        }
        let pushed = inert.iter().map(|&j| factors[j].0 * (-self.vector[j]).max(0.0));
        let least = largest(pushed) / 128.0;
        (0..n)
            .map(|i| {
                if self.is_inert(i) {
                    return least / factors[i].0;
                }
                let strongest = largest(inert.iter().map(|&j| self.m(i, j)));
                let strong = inert.iter().filter(|&&j| self.m(i, j) >= strongest / 16.0);
                let unit = |j: &usize| self.m(i, *j) * factors[*j].1;
                let smallest = strong.map(unit).fold(f64::INFINITY, f64::min);
                let near = inert.iter().map(unit).filter(|u| *u <= 2.0_f64.powi(20) * smallest);
                least * largest(near)
            })
            .collect()
    }

    /// The residuals where the first `free` rows are equations.
    pub(super) fn defined(&self, free: usize) -> Defined {
        let (n, z) = (self.n(), &self.answer);
        let flat: Vec<f64> = self.matrix.iter().flatten().copied().collect();
        let sizes = self.sizes();
        let with_vector = sizes.iter().any(|size| *size > 0.0);
        let slack: Vec<Extended> = slack(&flat, &self.vector, z);
        let terms: Vec<f64> = (0..n)
            .map(|i| (0..n).map(|j| self.m(i, j) * z[j].abs()).sum::<f64>() + self.vector[i].abs())
            .collect();
        assert!(with_vector || self.vector.iter().all(|q| *q == 0.0), "sizes without a vector");
        let floors = self.floors();
        let measures: Vec<f64> = (0..n)
            .map(|i| {
                let own = if sizes[i] > 0.0 { sizes[i].min(1024.0 * terms[i]) } else { terms[i] };
                own.max(floors[i])
            })
            .collect();
        let effect = |i: usize| {
            let rows = (0..n).filter(|&k| self.m(k, i) > 0.0);
            let shares: Vec<f64> = rows.map(|k| self.m(k, i) * z[i].abs() / measures[k]).collect();
            let size = if shares.is_empty() { 1.0 } else { largest(shares.into_iter()) };
            if z[i] == 0.0 { 0.0 } else { size * z[i].signum() }
        };
        let factors = self.factors();
        let scale = largest((0..n).map(|i| factors[i].0 * self.vector[i].abs()));
        let scale = if scale > 0.0 { power_below(scale) } else { 1.0 };
        let mut defined = Defined {
            relative: 0.0,
            natural_map: 0.0,
            scaled_slack: 0.0,
            sizes,
            floors,
            measures: measures.clone(),
            slack: slack.iter().map(|w| w.value()).collect(),
        };
        for i in 0..n {
            let w = defined.slack[i];
            let share = if w == 0.0 { 0.0 } else { w / measures[i] };
            let (relative, natural) = if i < free {
                (share.abs(), w.abs())
            } else {
                let natural = z[i] / factors[i].1 / factors[i].0;
                (effect(i).min(share).abs(), natural.min(w).abs())
            };
            defined.relative = defined.relative.max(relative);
            defined.natural_map = defined.natural_map.max(natural);
            let missed = if z[i] > 0.0 { w.abs() } else { (-w).max(0.0) };
            defined.scaled_slack = defined.scaled_slack.max(factors[i].0 * missed / scale);
        }
        defined
    }
}
