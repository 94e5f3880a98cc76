//! The conditions of all states, and the one that is violated first.
//!
//! A margin is a quantity that is nonnegative as long as a row does not leave its state for a certain other one. A row
//! has two at most. They are affine in the free quantity `x` of the row and, for the bound of friction, in that of the
//! normal, which is the row before:
//!
//! ```math
//! m_i = \sigma_i\, x_i + f_i\, x_{i-1} + c_i + \tau\, d_i .
//! ```
//!
//! The coefficients are stored by rows, so that all margins are evaluated by the same loop without a branch.

use super::{
    ROUNDING,
    contacts::{Contacts, Side, State},
    dictionary::{Affine, Dictionary, LANES, lanes},
};

/// A condition of a row: beyond it the state is `to`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Condition {
    pub(super) row: usize,
    pub(super) to: State,
}

/// Two conditions of each row, with zeros for one that is never violated.
#[derive(Clone, Debug)]
pub(super) struct Conditions {
    stride: usize,
    /// `σ` and `d` of all first conditions, then `σ`, `f`, `c` and `d` of the second ones, each padded like the columns
    /// of the dictionary.
    coefficients: Vec<f64>,
    /// Those of rows that are `Zero`, and the inverses of their `d_+` and `d_-`; zero for the second one of normals.
    of_zero: Vec<f64>,
    inverses: Vec<[f64; 2]>,
    /// The distances in `τ` to where the first and the second conditions are violated.
    steps: Vec<[[f64; LANES]; 2]>,
}

/// Number of the coefficients of a row.
const COEFFICIENTS: usize = 6;

/// Those of a condition that a state does not have.
const NONE: [f64; 4] = [0.0; 4];

impl Conditions {
    pub(super) fn new(size: usize) -> Self {
        let stride = size.next_multiple_of(LANES);
        let zeros = vec![0.0; COEFFICIENTS * stride];
        Self {
            stride,
            of_zero: zeros.clone(),
            inverses: vec![[0.0; 2]; size],
            coefficients: zeros,
            steps: vec![[[0.0; LANES]; 2]; stride / LANES],
        }
    }

    /// Prepares for another covering vector.
    pub(super) fn cover(&mut self, contacts: &Contacts) {
        for (row, data) in contacts.rows.iter().enumerate() {
            let other = [-1.0, 0.0, 0.0, data.cover(Side::Minus)];
            let is_tangent = data.normal.is_some();
            let second = if is_tangent { other } else { NONE };
            self.write(row, [1.0, data.cover(Side::Plus)], second);
            let [plus, minus] = [Side::Plus, Side::Minus].map(|side| 1.0 / data.cover(side));
            self.inverses[row] = [plus, if is_tangent { minus } else { 0.0 }];
        }
        self.of_zero.copy_from_slice(&self.coefficients);
    }

    /// Starts with all rows `Zero`.
    pub(super) fn start(&mut self) {
        self.coefficients.copy_from_slice(&self.of_zero);
    }

    /// Sets the conditions of `row` in its state.
    pub(super) fn set(
        &mut self,
        contacts: &Contacts,
        states: &[State],
        row: usize,
        dictionary: &Dictionary,
    ) {
        let data = &contacts.rows[row];
        match states[row] {
            State::Zero => {
                for index in 0..COEFFICIENTS {
                    let index = index * self.stride + row;
                    self.coefficients[index] = self.of_zero[index];
                }
            }
            State::Between(side) => {
                let (factor, bound) = match data.normal {
                    None => (0.0, dictionary.bound(row)),
                    Some((normal, friction)) => {
                        let own = Affine { value: 0.0, slope: data.cover_bound };
                        match states[normal] {
                            State::Zero => (0.0, own),
                            State::Between(_) => (friction, own),
                            State::Bound(_) => {
                                let Affine { value, slope } = dictionary.bound(normal);
                                let slope = own.slope + friction * slope;
                                (0.0, Affine { value: friction * value, slope })
                            }
                        }
                    }
                };
                let sign = side.sign();
                self.write(row, [sign, 0.0], [-sign, factor, bound.value, bound.slope]);
            }
            State::Bound(side) => self.write(row, [-side.sign(), -data.cover(side)], NONE),
        }
    }

    fn write(&mut self, row: usize, first: [f64; 2], second: [f64; 4]) {
        for (index, coefficient) in first.into_iter().chain(second).enumerate() {
            self.coefficients[index * self.stride + row] = coefficient;
        }
    }

    /// The coefficients of a row.
    fn read(&self, row: usize) -> [f64; COEFFICIENTS] {
        std::array::from_fn(|index| self.coefficients[index * self.stride + row])
    }

    /// The condition that is violated last when `τ` falls from infinity with all rows `Zero`, and `τ` there, if it is
    /// positive.
    pub(super) fn first(&self, dictionary: &Dictionary) -> Option<(f64, Condition)> {
        let mut furthest = (0.0, None);
        for (row, (value, [plus, minus])) in
            dictionary.values().iter().zip(&self.inverses).enumerate()
        {
            for (side, needed) in [(Side::Plus, -value * plus), (Side::Minus, value * minus)] {
                // The comparison is false for NaN.
                if needed > furthest.0 {
                    furthest = (needed, Some(Condition { row, to: State::Between(side) }));
                }
            }
        }
        furthest.1.map(|condition| (furthest.0, condition))
    }

    /// The next condition that is violated when `τ` moves in the direction `forward`, and its distance.
    pub(super) fn next(
        &mut self,
        dictionary: &Dictionary,
        states: &[State],
        tau: f64,
        forward: f64,
    ) -> Option<(f64, Condition)> {
        let nearest = self.find_steps(dictionary, tau, forward);
        if nearest == f64::INFINITY {
            return None;
        }
        for (group, [first, second]) in self.steps.iter().enumerate() {
            for lane in 0..LANES {
                let row = group * LANES + lane;
                if first[lane] <= nearest || second[lane] <= nearest {
                    let to = beyond(states[row], first[lane] <= nearest);
                    return Some((nearest, Condition { row, to }));
                }
            }
        }
        None
    }

    /// Writes the distances, infinite where a margin does not fall, and returns the least.
    fn find_steps(&mut self, dictionary: &Dictionary, tau: f64, forward: f64) -> f64 {
        let stride = self.stride;
        let mut parts = self.coefficients.chunks_exact(stride).map(lanes);
        let coefficients: [_; COEFFICIENTS] =
            std::array::from_fn(|_| parts.next().unwrap_or_default());
        let x = [
            lanes(dictionary.values()),
            lanes(dictionary.slopes()),
            lanes(dictionary.values_before()),
            lanes(dictionary.slopes_before()),
        ];
        find_steps(&mut self.steps, coefficients, x, (tau, forward))
    }

    /// The margin by which `row` does not leave its state for `to`.
    pub(super) fn margin(
        &self,
        dictionary: &Dictionary,
        states: &[State],
        row: usize,
        to: State,
    ) -> Affine {
        let [sign, cover, second_sign, factor, constant, second_cover] = self.read(row);
        let (value, own) = (dictionary.values()[row], dictionary.slopes()[row]);
        if beyond(states[row], true) == to {
            return Affine { value: sign * value, slope: sloped(sign * own, cover) };
        }
        let (value_before, own_before) =
            (dictionary.values_before()[row], dictionary.slopes_before()[row]);
        Affine {
            value: second_sign * value + (factor * value_before + constant),
            slope: sloped(second_sign * own + factor * own_before, second_cover),
        }
    }
}

/// The state beyond the first or the second condition of a state.
const fn beyond(state: State, first: bool) -> State {
    match (state, first) {
        (State::Zero, true) => State::Between(Side::Plus),
        (State::Zero, false) => State::Between(Side::Minus),
        (State::Between(_), true) => State::Zero,
        (State::Between(side), false) => State::Bound(side),
        (State::Bound(side), _) => State::Between(side),
    }
}

/// Writes the distances to where the first and the second conditions are violated, and returns the least.
fn find_steps(
    steps: &mut [[[f64; LANES]; 2]],
    [sign, cover, second_sign, factor, constant, second_cover]: [&[[f64; LANES]]; COEFFICIENTS],
    [values, slopes, values_before, slopes_before]: [&[[f64; LANES]]; 4],
    (tau, forward): (f64, f64),
) -> f64 {
    let mut least = [f64::INFINITY; LANES];
    let firsts = sign.iter().zip(cover).zip(values).zip(slopes);
    for ([found, _], (((sign, cover), value), own)) in steps.iter_mut().zip(firsts) {
        for lane in 0..LANES {
            let slope = sloped(sign[lane] * own[lane], cover[lane]);
            found[lane] = step(sign[lane] * value[lane], slope, tau, forward);
        }
        least = std::array::from_fn(|lane| smaller(found[lane], least[lane]));
    }
    let seconds = second_sign.iter().zip(factor).zip(constant).zip(second_cover);
    let x = values.iter().zip(slopes).zip(values_before).zip(slopes_before);
    for (([_, found], (((sign, factor), constant), cover)), x) in
        steps.iter_mut().zip(seconds).zip(x)
    {
        let (((value, own), value_before), own_before) = x;
        for lane in 0..LANES {
            let bound = factor[lane] * value_before[lane] + constant[lane];
            let own = sign[lane] * own[lane] + factor[lane] * own_before[lane];
            let slope = sloped(own, cover[lane]);
            found[lane] = step(sign[lane] * value[lane] + bound, slope, tau, forward);
        }
        least = std::array::from_fn(|lane| smaller(found[lane], least[lane]));
    }
    least.into_iter().fold(f64::INFINITY, smaller)
}

/// The slope of a margin, where it is not rounding: the velocities of rows that are multiples of each other move
/// together.
fn sloped(own: f64, cover: f64) -> f64 {
    let slope = own + cover;
    let is_parallel = slope.abs() <= ROUNDING * (own.abs() + cover.abs());
    if is_parallel { 0.0 } else { slope }
}

/// The distance from `tau` to where a margin is violated.
fn step(margin: f64, slope: f64, tau: f64, forward: f64) -> f64 {
    let rate = -forward * slope;
    let step = (margin + tau * slope) / rate;
    let step = if step > 0.0 { step } else { 0.0 };
    if rate > 0.0 { step } else { f64::INFINITY }
}

/// The smaller of two numbers; one instruction, unlike [`f64::min`].
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}
