//! The one residual of all blocks: [`Figures`], all in m/s.

use nalgebra::DMatrix;

use super::{
    Model,
    block::{Block, Set},
    shape::{MOST, Shape, norm},
};

/// The distances from each part of the laws (m/s, each ≥ 0).
///
/// Velocities of moments and of rows with a [`length`](super::Block::length) `ℓ` are multiplied by `ℓ`, impulses are
/// divided by it; for moments of a contact `ℓ` is the half axis. With the mean `w` of the diagonal of the block of
/// `W + R` in these coordinates, impulses are turned into velocities. The figures of a block are
///
/// | figure | bilateral | unilateral | interval `[l, u]` | contact |
/// | --- | --- | --- | --- | --- |
/// | [`bilateral`](Figures::bilateral) | `max \|u_i\|` | | | |
/// | [`approach`](Figures::approach) | | `max(0, −u)` | | `max(0, −u_n)` |
/// | [`adhesion`](Figures::adhesion) | | `w max(0, −λ)` | | `w max(0, −λ_n)` |
/// | [`cone`](Figures::cone) | | | `w` times the distance from `[l, u]` | `w` times the distance of `λ_t` from `λ_n⁺ F` |
/// | [`complementarity`](Figures::complementarity) | | `min(w \|λ\|, u⁺)` | | `min(w ‖λ‖, u_n⁺)` |
/// | [`slip`](Figures::slip) | | | `\|w λ − Π(w λ − u)\|` | `‖w λ_t − Π(w λ_t − u_t)‖` |
///
/// with `Π` the projection on `w [l, u]`, and on `w λ_n⁺ F`. For a disc these are the
/// [figures](crate::friction::Figures) of one contact. For the convex relaxation `u_n − σ_F(−u_t)` takes the
/// place of `u_n`: with `λ_n u_n + λ_t·u_t = λ_n (u_n − σ_F(−u_t)) + (λ_n σ_F(−u_t) + λ_t·u_t)` and both terms `≥ 0`,
/// its law says `0 ≤ λ_n ⊥ u_n − σ_F(−u_t) ≥ 0` and `−u_t` normal to `λ_n F` at `λ_t`. As the two terms may cancel, it counts with the
/// rounding of both, `8 ε (|u_n| + σ_F)`, on the worse side.
///
/// An impulse along a tangent without a half axis counts by `√(W_nn W_ii)`.
///
/// # Source
///
/// P. Alart, A. Curnier, "A mixed formulation for frictional contact problems prone to Newton like solution methods",
/// *Computer Methods in Applied Mechanics and Engineering* 92 (1991) 353–375 (the natural map of the tangents).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Figures {
    /// Velocity of a bilateral row.
    pub bilateral: f64,
    /// Velocity with which a limit or a contact approaches.
    pub approach: f64,
    /// Impulse that pulls, times `w`.
    pub adhesion: f64,
    /// Impulse outside its bounds or its cone, times `w`.
    pub cone: f64,
    /// The smaller of impulse times `w` and separation velocity.
    pub complementarity: f64,
    /// Distance from sticking, and from sliding against the friction at its limit.
    pub slip: f64,
}

impl Figures {
    /// The largest figure; infinite if one is not a number.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.all()
            .into_iter()
            .fold(0.0, |a: f64, b| if b.is_nan() { f64::INFINITY } else { a.max(b) })
    }

    /// The larger figures of two blocks.
    #[must_use]
    pub const fn max(&self, other: &Self) -> Self {
        Self {
            bilateral: self.bilateral.max(other.bilateral),
            approach: self.approach.max(other.approach),
            adhesion: self.adhesion.max(other.adhesion),
            cone: self.cone.max(other.cone),
            complementarity: self.complementarity.max(other.complementarity),
            slip: self.slip.max(other.slip),
        }
    }

    const fn all(&self) -> [f64; 6] {
        [self.bilateral, self.approach, self.adhesion, self.cone, self.complementarity, self.slip]
    }

    /// Values that are not finite count as infinite.
    fn checked(self) -> Self {
        if self.all().iter().all(|figure| figure.is_finite()) {
            return self;
        }
        Self::INFINITE
    }

    /// The figures of values that are not finite.
    pub(super) const INFINITE: Self = Self {
        bilateral: f64::INFINITY,
        approach: f64::INFINITY,
        adhesion: f64::INFINITY,
        cone: f64::INFINITY,
        complementarity: f64::INFINITY,
        slip: f64::INFINITY,
    };
}

/// What one block is judged by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judge {
    start: usize,
    rows: usize,
    /// `ℓ` of each row.
    lengths: Vec<f64>,
    /// `w` of each row, the same in all rows of a contact.
    inverse_masses: Vec<f64>,
    law: Rule,
}

#[derive(Clone, Debug, PartialEq)]
enum Rule {
    Bilateral,
    Unilateral,
    Interval([f64; 2]),
    Contact {
        shape: Shape,
        /// `√(W_nn W_ii)` for tangents without a half axis, else 0.
        frozen: Vec<f64>,
    },
}

/// The largest free velocity as the blocks count it (m/s), or 1 if all are zero.
pub(super) fn scale_of(judges: &[Judge], free_velocity: &[f64]) -> f64 {
    let largest = judges.iter().map(|judge| judge.speed(free_velocity)).fold(0.0, f64::max);
    if largest > 0.0 { largest } else { 1.0 }
}

impl Judge {
    pub(super) fn new(block: &Block, start: usize, matrix: &DMatrix<f64>) -> Self {
        let rows = block.rows;
        let lengths = block.lengths();
        let diagonal =
            |row: usize| matrix[(start + row, start + row)] * lengths[row] * lengths[row];
        let mut inverse_masses: Vec<f64> = (0..rows).map(diagonal).collect();
        let law = match &block.set {
            Set::Bilateral => Rule::Bilateral,
            Set::Unilateral => Rule::Unilateral,
            Set::Interval { lower, upper } => Rule::Interval([*lower, *upper]),
            Set::Contact(section) => {
                #[expect(clippy::cast_precision_loss, reason = "at most 6 rows")]
                let mean = inverse_masses.iter().map(|w| w / rows as f64).sum();
                inverse_masses = vec![mean; rows];
                let (axes, _) = section.axes(rows);
                let entry = |row: usize| matrix[(start + row, start + row)].sqrt();
                let frozen = (1..rows)
                    .map(|row| if axes[row - 1] > 0.0 { 0.0 } else { entry(0) * entry(row) });
                Rule::Contact { shape: Shape::comparable(section, rows), frozen: frozen.collect() }
            }
        };
        Self { start, rows, lengths, inverse_masses, law }
    }

    /// The free velocity of the block in m/s.
    pub(super) fn speed(&self, free_velocity: &[f64]) -> f64 {
        let rows = self.lengths.iter().zip(&free_velocity[self.start..]).map(|(l, u)| l * u);
        match self.law {
            Rule::Contact { .. } => norm(rows),
            _ => rows.map(f64::abs).fold(0.0, f64::max),
        }
    }

    /// The largest `ℓ √W_ii` of a row, given the `roots` of all rows.
    pub(super) fn largest_of(&self, roots: &[f64]) -> f64 {
        let own = self.lengths.iter().zip(&roots[self.start..]);
        own.map(|(length, root)| length * root).fold(0.0, f64::max)
    }

    /// The largest support of the section, 0 without one.
    pub(super) fn largest_support(&self) -> f64 {
        match &self.law {
            Rule::Contact { shape, .. } => shape.largest_support(),
            _ => 0.0,
        }
    }

    /// The figures of the block with all `impulses` and `velocities`.
    pub(super) fn figures(&self, model: Model, impulses: &[f64], velocities: &[f64]) -> Figures {
        let row = |row: usize| {
            let (at, length) = (self.start + row, self.lengths[row]);
            let push = self.inverse_masses[row] * impulses[at];
            // The half axis of a moment without one is zero, and so is its impulse.
            (if length > 0.0 { push / length } else { 0.0 }, velocities[at] * length)
        };
        let mut figures = Figures::default();
        match &self.law {
            Rule::Bilateral => {
                figures.bilateral = (0..self.rows).map(|i| row(i).1.abs()).fold(0.0, f64::max);
                if !(0..self.rows).all(|i| row(i).0.is_finite() && row(i).1.is_finite()) {
                    return Figures::INFINITE;
                }
            }
            Rule::Unilateral => {
                for i in 0..self.rows {
                    let (p, u) = row(i);
                    figures = figures.max(
                        &Figures {
                            approach: (-u).max(0.0),
                            adhesion: (-p).max(0.0),
                            complementarity: p.abs().min(u.max(0.0)),
                            bilateral: 0.0 * (p + u),
                            ..Figures::default()
                        }
                        .checked(),
                    );
                }
            }
            Rule::Interval(bounds) => {
                for i in 0..self.rows {
                    let (p, u) = row(i);
                    let unit = self.inverse_masses[i] / self.lengths[i];
                    let [lower, upper] = bounds.map(|bound| bound * unit);
                    figures = figures.max(
                        &Figures {
                            cone: (lower - p).max(p - upper).max(0.0),
                            slip: off_interval(p, u, lower, upper),
                            bilateral: 0.0 * (p + u),
                            ..Figures::default()
                        }
                        .checked(),
                    );
                }
            }
            Rule::Contact { shape, frozen } => {
                figures = self.contact(model, shape, frozen, impulses, row);
            }
        }
        figures.checked()
    }

    fn contact(
        &self,
        model: Model,
        shape: &Shape,
        frozen: &[f64],
        impulses: &[f64],
        row: impl Fn(usize) -> (f64, f64),
    ) -> Figures {
        let (mut p, mut u) = ([0.0; MOST], [0.0; MOST]);
        let tangents = self.rows - 1;
        for i in 0..tangents {
            (p[i], u[i]) = row(i + 1);
        }
        let (p, u) = (&p[..tangents], &u[..tangents]);
        let (push, mut normal) = row(0);
        let mut rounding = 0.0;
        if model == Model::ConvexRelaxation {
            let support = shape.support_against(u);
            // Of the sum, and of both terms, which may cancel.
            rounding = 8.0 * f64::EPSILON * (normal.abs() + support);
            normal -= support;
        }
        let radius = push.max(0.0);
        let whole = norm(p.iter().copied().chain([push]));
        let stray = frozen
            .iter()
            .zip(&impulses[self.start + 1..])
            .map(|(size, impulse)| size * impulse.abs())
            .fold(0.0, f64::max);
        Figures {
            approach: (rounding - normal).max(0.0),
            adhesion: (-push).max(0.0),
            cone: shape.outside(radius, p).max(stray),
            complementarity: whole.min((normal + rounding).max(0.0)),
            slip: shape.natural_map(radius, p, u),
            // Not a number if one of them is not finite.
            bilateral: 0.0 * (whole + normal),
        }
    }
}

/// `|p − Π(p − u)|` with the projection on `[lower, upper]`.
fn off_interval(p: f64, u: f64, lower: f64, upper: f64) -> f64 {
    let trial = p - u;
    if trial < lower {
        (p - lower).abs()
    } else if trial > upper {
        (p - upper).abs()
    } else {
        u.abs()
    }
}
