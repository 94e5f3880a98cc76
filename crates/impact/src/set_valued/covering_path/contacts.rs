//! The rows of `J` with their impulses and states: the data that a path needs of the contacts.

use super::super::frame::Frame;
use crate::Problem;

/// One of the two directions of a row; normals have the first only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Plus,
    Minus,
}

impl Side {
    /// `σ`.
    pub(super) const fn sign(self) -> f64 {
        match self {
            Self::Plus => 1.0,
            Self::Minus => -1.0,
        }
    }
}

/// State of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Zero,
    Between(Side),
    Bound(Side),
}

impl State {
    pub(super) const fn is_between(self) -> bool {
        matches!(self, Self::Between(_))
    }
}

/// The kind of a row, and its part of the covering vector.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// For a tangent, the row of its normal, and `μ`.
    pub(super) normal: Option<(usize, f64)>,
    /// `d_+` and `d_-`.
    pub(super) cover: [f64; 2],
    /// `d_s` or `d_γ`.
    pub(super) cover_bound: f64,
}

impl Row {
    /// `d_σ`.
    pub(super) const fn cover(&self, side: Side) -> f64 {
        match side {
            Side::Plus => self.cover[0],
            Side::Minus => self.cover[1],
        }
    }
}

/// All rows, and `W`.
#[derive(Clone, Debug)]
pub(super) struct Contacts {
    pub(super) rows: Vec<Row>,
    /// `W`, symmetric (`r × r`).
    delassus: Vec<f64>,
}

impl Contacts {
    /// Returns `None` when a contact has two tangents.
    pub(super) fn new(problem: &Problem, frames: &[Frame]) -> Option<Self> {
        let mut rows = Vec::new();
        for frame in frames {
            let row = |normal| Row { normal, cover: [1.0; 2], cover_bound: 1.0 };
            rows.push(row(None));
            match frame.tangents {
                0 => {}
                1 => rows.push(row(Some((frame.row, frame.friction)))),
                _ => return None,
            }
        }
        Some(Self { rows, delassus: problem.delassus().as_slice().to_vec() })
    }

    /// The velocities of all rows per unit of the impulse of `row`.
    pub(super) fn response(&self, row: usize) -> &[f64] {
        let r = self.rows.len();
        &self.delassus[row * r..][..r]
    }

    /// The tangent of a normal.
    pub(super) fn tangent(&self, normal: usize) -> Option<usize> {
        let row = self.rows.get(normal + 1)?;
        row.normal.is_some_and(|(own, _)| own == normal).then_some(normal + 1)
    }

    /// For a normal impulse, the tangent that slides with it, and its ratio to the normal impulse.
    pub(super) fn sliding(&self, states: &[State], normal: usize) -> Option<(usize, f64)> {
        let tangent = normal + 1;
        match (self.rows.get(tangent)?.normal, states[tangent]) {
            (Some((row, friction)), State::Bound(side)) if row == normal => {
                Some((tangent, side.sign() * friction))
            }
            _ => None,
        }
    }
}
