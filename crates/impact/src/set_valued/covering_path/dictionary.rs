//! The dictionary of a piece: the free quantity of every row as an affine function of those that the states prescribe.
//!
//! ```math
//! x = b + A\,n
//! ```
//!
//! Of the velocity `y` and the impulse `p` of a row, its state prescribes one, which is `n`, and the other one is `x`:
//!
//! | state | prescribed, with its value at `τ` | free |
//! | --- | --- | --- |
//! | `Zero` | `p = 0` | `y` |
//! | `Between(σ)` | `y = −τ d_σ σ` | `p` |
//! | `Bound(σ)`, normal | `p = λ̄ + τ d_s` | `y` |
//! | `Bound(σ)`, tangent | `e = σ τ d_γ` with `e = p − σ μ Λ_n` | `y` |
//!
//! A change of the state of a row is one pivot on the diagonal, which exchanges its two quantities. For a tangent `e`
//! takes the place of `p` before a pivot to its bound, and `p` that of `e` after one from its bound. At the start all
//! rows are `Zero`: `A = W` and `x = u`. The values `x` are kept as affine functions of `τ`.

use super::{
    ROUNDING,
    contacts::{Contacts, State},
};

/// Columns are padded to a multiple of this number of doubles: then unrolled loops have no remainder.
pub(super) const LANES: usize = 4;

/// A quantity that is affine in `τ`: its value at zero and its slope.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Affine {
    pub(super) value: f64,
    pub(super) slope: f64,
}

/// `A` and `x` of the current piece.
#[derive(Clone, Debug)]
pub(super) struct Dictionary {
    /// Length of a padded column.
    stride: usize,
    /// The columns of `A`, and of `W`.
    columns: Vec<f64>,
    delassus: Vec<f64>,
    /// `x` behind one row of padding: values at `τ = 0`, and slopes.
    values: Vec<f64>,
    slopes: Vec<f64>,
    /// The bounds of normals.
    bounds: Vec<Affine>,
    /// The column of the pivot.
    entering: Vec<f64>,
}

impl Dictionary {
    pub(super) fn new(contacts: &Contacts) -> Self {
        let size = contacts.rows.len();
        let stride = size.next_multiple_of(LANES);
        let mut delassus = vec![0.0; size * stride];
        for row in 0..size {
            delassus[row * stride..][..size].copy_from_slice(contacts.response(row));
        }
        Self {
            stride,
            columns: delassus.clone(),
            delassus,
            values: vec![0.0; LANES + stride],
            slopes: vec![0.0; LANES + stride],
            bounds: vec![Affine::default(); size],
            entering: vec![0.0; stride],
        }
    }

    /// Starts with all rows `Zero` from the velocities `u`.
    pub(super) fn load(&mut self, contacts: &Contacts, u: &[f64], increments: &[f64]) {
        let Self { columns, delassus, values, slopes, bounds, .. } = self;
        columns.copy_from_slice(delassus);
        values[LANES..][..u.len()].copy_from_slice(u);
        slopes[LANES..].fill(0.0);
        let mut next = increments.iter();
        for (bound, data) in bounds.iter_mut().zip(&contacts.rows) {
            if data.normal.is_none() {
                let value = next.next().copied().unwrap_or(0.0);
                *bound = Affine { value, slope: data.cover_bound };
            }
        }
    }

    /// The values of `x` at `τ = 0`, padded.
    pub(super) fn values(&self) -> &[f64] {
        &self.values[LANES..]
    }

    /// The slopes of `x`, padded.
    pub(super) fn slopes(&self) -> &[f64] {
        &self.slopes[LANES..]
    }

    /// The values of the rows before.
    pub(super) fn values_before(&self) -> &[f64] {
        &self.values[LANES - 1..][..self.stride]
    }

    /// The slopes of the rows before.
    pub(super) fn slopes_before(&self) -> &[f64] {
        &self.slopes[LANES - 1..][..self.stride]
    }

    /// The bound of a normal, of which the value is `λ̄`.
    pub(super) fn bound(&self, row: usize) -> Affine {
        self.bounds[row]
    }

    /// Changes the state of `row`, which was `from`; `states` are those after. Returns false if the pivot is rounding.
    pub(super) fn change(
        &mut self,
        contacts: &Contacts,
        states: &[State],
        row: usize,
        from: State,
    ) -> bool {
        let to = states[row];
        let data = &contacts.rows[row];
        let prescribed = |state: State| match (state, data.normal) {
            (State::Zero, _) => Affine::default(),
            (State::Between(side), _) => {
                Affine { value: 0.0, slope: -side.sign() * data.cover(side) }
            }
            (State::Bound(_), None) => self.bounds[row],
            (State::Bound(side), Some(_)) => {
                Affine { value: 0.0, slope: side.sign() * data.cover_bound }
            }
        };
        let (before, after) = (prescribed(from), prescribed(to));
        if let (State::Bound(side), Some((normal, friction))) = (to, data.normal) {
            self.add(states, row, normal, -side.sign() * friction);
        }
        if !self.pivot(row, before, after) {
            return false;
        }
        if let (State::Bound(side), Some((normal, friction))) = (from, data.normal) {
            self.add(states, row, normal, side.sign() * friction);
        }
        true
    }

    /// Exchanges the two quantities of `row`: the one that was prescribed `before` becomes free, the other one has to
    /// be what is prescribed `after`.
    fn pivot(&mut self, row: usize, before: Affine, after: Affine) -> bool {
        let Self { stride, columns, values, slopes, entering, .. } = self;
        let column = &mut columns[row * *stride..][..*stride];
        entering.copy_from_slice(column);
        let pivot = entering[row];
        let largest = largest(entering);
        // The comparison is false for NaN.
        let is_regular = pivot.abs() > ROUNDING * largest;
        if !is_regular {
            return false;
        }
        let inverse = 1.0 / pivot;
        // With a multiple of the entering column added this is the column of the other quantity.
        column.fill(0.0);
        column[row] = -1.0;
        for column in columns.chunks_exact_mut(*stride) {
            substitute(column, row, entering, inverse);
        }
        for (x, before, after) in
            [(values, before.value, after.value), (slopes, before.slope, after.slope)]
        {
            let x = &mut x[LANES..];
            x[row] -= after;
            substitute(x, row, entering, inverse);
            x[row] += before;
        }
        true
    }

    /// Adds `factor` times the impulse of a normal to the free quantity of `row`.
    fn add(&mut self, states: &[State], row: usize, normal: usize, factor: f64) {
        if states[normal].is_between() {
            for column in self.columns.chunks_exact_mut(self.stride) {
                column[row] += factor * column[normal];
            }
            self.values[LANES + row] += factor * self.values[LANES + normal];
            self.slopes[LANES + row] += factor * self.slopes[LANES + normal];
        } else {
            self.columns[normal * self.stride + row] += factor;
            if states[normal] != State::Zero {
                let bound = self.bounds[normal];
                self.values[LANES + row] += factor * bound.value;
                self.slopes[LANES + row] += factor * bound.slope;
            }
        }
    }

    /// Column `row` of `A`, padded.
    #[cfg(test)]
    pub(super) fn column(&self, row: usize) -> &[f64] {
        &self.columns[row * self.stride..][..self.stride]
    }
}

/// Numbers in groups of [`LANES`], of which there is a whole number.
pub(super) fn lanes(numbers: &[f64]) -> &[[f64; LANES]] {
    numbers.as_chunks().0
}

/// The largest magnitude of some numbers.
fn largest(numbers: &[f64]) -> f64 {
    let mut largest = [0.0; LANES];
    for group in lanes(numbers) {
        for (largest, number) in largest.iter_mut().zip(group) {
            let size = number.abs();
            *largest = if size > *largest { size } else { *largest };
        }
    }
    largest.into_iter().fold(0.0, f64::max)
}

/// Adds the multiple of `entering` that belongs to the entry of `row`, and replaces that entry by the factor.
fn substitute(column: &mut [f64], row: usize, entering: &[f64], inverse: f64) {
    let factor = -column[row] * inverse;
    for (entries, added) in column.as_chunks_mut::<LANES>().0.iter_mut().zip(lanes(entering)) {
        for (entry, added) in entries.iter_mut().zip(added) {
            *entry += factor * added;
        }
    }
    column[row] = factor;
}
