//! An arc of the path of one contact that slides in space, where the direction of its slip turns.
//!
//! With `r = (‖u_t‖, −μ u_t)` the impulse `π` and the work `A` of its normal part follow
//!
//! ```math
//! \frac{d\pi}{d\tau} = r(u), \qquad \frac{dA}{d\tau} = \lVert u_t \rVert\, u_n, \qquad u = u_0 + W \pi ,
//! ```
//!
//! as in [`Routh`](crate::routh::Routh). Their derivatives `S` by all data follow the linearized equations along the path,
//!
//! ```math
//! \frac{dS}{d\tau} = \frac{\partial r}{\partial u} (du_0 + dW\, \pi + W S) + \frac{\partial r}{\partial \mu}\, d\mu ,
//! ```
//!
//! and an event `g = 0` at the end, which is crossed at the rate `ġ`, adds `−(dg/ġ) r`. Where the slip stops, `r` vanishes, and
//! nothing is added.

use nalgebra::{DMatrix, DVector, RowDVector, Vector3};

use super::{
    Error,
    dual::Dual,
    script::{Arc, End, Store},
    tape::{Margin, Tape},
};
use crate::routh::{ERROR, STAGES};

/// Error of a step, relative to the impulse that stops the contact and to its work.
const TOLERANCE: f64 = 1e-13;

/// Error of the derivatives in a step, relative to the largest.
const TOLERANCE_OF_CHANGES: f64 = 1e-11;

/// Slip that has stopped, relative to the speed at the beginning.
const STOPPED: f64 = 1e-12;

/// Maximum number of steps.
const STEPS: usize = 100_000;

/// `π` and `A`, with their derivatives by all data in the columns behind.
type State = DMatrix<f64>;

/// The equations of an arc.
struct Flow<'a> {
    tape: &'a Tape<'a>,
    arc: Arc,
    /// Row of the normal.
    first: usize,
}

impl Tape<'_> {
    /// Takes an arc.
    pub(super) fn follow(&mut self, arc: Arc) -> Result<(), Error> {
        let singular = Error::Singular { piece: self.pieces };
        let flow = Flow { tape: self, arc, first: self.problem.rows(arc.contact).start };
        let (first, (end, slowest)) = (flow.first, flow.follow().ok_or(singular)?);
        let rows = self.impulse.len();
        let (mut push, mut d_push) =
            (DVector::zeros(rows), DMatrix::zeros(rows, self.columns.count()));
        for k in 0..3 {
            push[first + k] = end[(k, 0)];
            d_push.set_row(first + k, &end.row(k).columns_range(1..));
        }
        let w = self.problem.delassus();
        self.d_velocity = self.held(&push) + w * &d_push;
        self.velocity += w * &push;
        let rests: &[usize] = match arc.end {
            End::Row(row) if row == first => &[0],
            End::Row(_) => &[1, 2],
            _ => &[],
        };
        for row in rests {
            self.velocity[first + row] = 0.0;
            self.d_velocity.row_mut(first + row).fill(0.0);
        }
        if rests.len() < 2 {
            // Where slip nearly stops, its direction turns fast.
            let (value, slope) = slowest;
            self.margins.push(Margin { contact: arc.contact, value, slope });
        }
        let dual = |row: usize| (end[(row, 0)], end.view_range(row..=row, 1..).row(0).into_owned());
        self.keep_book(arc.contact, arc.store, (dual(0), dual(3)), arc.end);
        self.impulse += push;
        self.d_impulse += d_push;
        self.pieces += 1;
        Ok(())
    }
}

impl Flow<'_> {
    /// The state at the end, and the least slip on the way; `None` if it is not reached, or touched without being crossed.
    fn follow(&self) -> Option<(State, Dual)> {
        let problem = self.tape.problem;
        let w = problem.delassus().view((self.first, self.first), (3, 3)).into_owned();
        let friction = problem.contacts()[self.arc.contact].friction;
        let start = Vector3::from_fn(|k, _| self.tape.velocity[self.first + k]);
        let speed = start.norm().max(self.tape.mark.rows(self.first, 3).norm());
        let impulse = speed / w[(0, 0)];
        let mut state = State::zeros(4, 1 + self.tape.columns.count());
        let mut step = 0.01 / (w.amax() * (1.0 + friction));
        let mut slowest = self.slip(&state);
        let slower = |state: &State, slowest: Dual| {
            let slip = self.slip(state);
            if slip.0 < slowest.0 { slip } else { slowest }
        };
        for _ in 0..STEPS {
            let (next, error) = self.advance(&state, step);
            let slip = self.slip(&state).0.min(self.slip(&next).0).max(0.01 * speed) / speed;
            let size = error.view((0, 0), (3, 1)).norm() / impulse / slip;
            let size = size.max(error[(3, 0)].abs() / (impulse * speed)) / TOLERANCE;
            let change = error.columns_range(1..);
            let of_changes = change.amax() / next.columns_range(1..).amax().max(f64::MIN_POSITIVE);
            let size = size.max(of_changes / TOLERANCE_OF_CHANGES);
            if size > 1.0 || size.is_nan() {
                step *= (0.9 * size.powf(-0.2)).clamp(0.1, 0.9);
                continue;
            }
            match self.event(&next) {
                Some((value, ..)) if value >= 0.0 => {
                    let end = self.at_event(&state, step)?;
                    slowest = slower(&end, slowest);
                    return Some((end, slowest));
                }
                Some(_) => slowest = slower(&next, slowest),
                None if self.slip(&next).0 <= STOPPED * speed => return Some((next, slowest)),
                None => {}
            }
            state = next;
            step *= (0.9 * size.max(1e-10).powf(-0.2)).min(5.0);
        }
        None
    }

    /// The state where the event passes zero within a step.
    fn at_event(&self, state: &State, step: f64) -> Option<State> {
        let (mut low, mut high) = (0.0, step);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.event(&self.advance(state, middle).0)?.0 >= 0.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        let mut end = self.advance(state, high).0;
        let (_, change, rate) = self.event(&end)?;
        if rate <= 0.0 {
            return None;
        }
        let flow = self.rate(&end).column(0).into_owned();
        for k in 0..4 {
            let mut row = end.row_mut(k);
            let mut row = row.columns_range_mut(1..);
            row -= &change * (flow[k] / rate);
        }
        Some(end)
    }

    /// `u` and its derivative by all data.
    fn velocity(&self, state: &State) -> (Vector3<f64>, DMatrix<f64>) {
        let (tape, count) = (self.tape, self.tape.columns.count());
        let w = tape.problem.delassus();
        let mut u = Vector3::zeros();
        let mut d_u = DMatrix::zeros(3, count);
        for k in 0..3 {
            let row = self.first + k;
            u[k] = tape.velocity[row];
            let mut change = tape.d_velocity.row(row).into_owned();
            for j in 0..3 {
                let push = state[(j, 0)];
                u[k] += w[(row, self.first + j)] * push;
                change += state.row(j).columns_range(1..) * w[(row, self.first + j)];
                change[tape.columns.delassus(row, self.first + j)] += push;
            }
            d_u.set_row(k, &change);
        }
        (u, d_u)
    }

    /// `‖u_t‖`.
    fn slip(&self, state: &State) -> Dual {
        slip_of(&self.velocity(state))
    }

    /// The derivative of the state by `τ`.
    fn rate(&self, state: &State) -> State {
        let contact = self.arc.contact;
        let friction = self.tape.problem.contacts()[contact].friction;
        let velocity = self.velocity(state);
        let (slip, d_slip) = slip_of(&velocity);
        let (u, d_u) = velocity;
        let mut rate = State::zeros(4, state.ncols());
        let mut set = |k: usize, value: f64, change: RowDVector<f64>| {
            rate[(k, 0)] = value;
            rate.view_mut((k, 1), (1, change.len())).copy_from(&change);
        };
        set(0, slip, d_slip.clone());
        for k in 1..3 {
            let mut change = d_u.row(k) * -friction;
            change[self.tape.columns.friction(contact)] -= u[k];
            set(k, -friction * u[k], change);
        }
        set(3, slip * u[0], d_slip * u[0] + d_u.row(0) * slip);
        rate
    }

    /// A step of the pair of Dormand and Prince, and its error.
    fn advance(&self, state: &State, step: f64) -> (State, State) {
        let mut slopes: Vec<State> = Vec::with_capacity(7);
        let mut next = state.clone();
        for row in STAGES {
            next.copy_from(state);
            for (a, slope) in row.iter().zip(&slopes) {
                next += slope * (a * step);
            }
            slopes.push(self.rate(&next));
        }
        let mut error = State::zeros(4, state.ncols());
        for (e, slope) in ERROR.iter().zip(&slopes) {
            error += slope * (e * step);
        }
        (next, error)
    }

    /// The event, its derivative by all data, and its rate along the path: negative before it; `None` where the slip stops.
    fn event(&self, state: &State) -> Option<(f64, RowDVector<f64>, f64)> {
        let (tape, contact) = (self.tape, self.arc.contact);
        let e = tape.problem.contacts()[contact].restitution;
        let own = tape.columns.restitution(contact);
        let (u, d_u) = self.velocity(state);
        let rate = self.rate(state).column(0).into_owned();
        let w = tape.problem.delassus();
        let rise: f64 = (0..3).map(|k| w[(self.first, self.first + k)] * rate[k]).sum();
        let normal = (u[0], d_u.row(0).into_owned());
        Some(match self.arc.end {
            End::Row(row) if row != self.first => return None,
            // Where it separates, it comes to rest from above.
            End::Row(_) if self.arc.store == Store::Expands => (-normal.0, -normal.1, -rise),
            End::Row(_) => (normal.0, normal.1, rise),
            End::Rebound(_) => {
                let mut change = normal.1 + tape.d_mark.row(self.first) * e;
                change[own] += tape.mark[self.first];
                (normal.0 + e * tape.mark[self.first], change, rise)
            }
            End::Returned(_) => {
                let value = tape.expansion[contact] + state[(0, 0)] - e * tape.compression[contact];
                let mut change = tape.d_expansion.row(contact)
                    - tape.d_compression.row(contact) * e
                    + state.row(0).columns_range(1..);
                change[own] -= tape.compression[contact];
                (value, change, rate[0])
            }
            End::Emptied(_) => {
                let change = state.row(3).columns_range(1..) - tape.d_energies.row(contact);
                (state[(3, 0)] - tape.energies[contact], change, rate[3])
            }
            _ => return None,
        })
    }
}

/// `‖u_t‖`.
fn slip_of((u, d_u): &(Vector3<f64>, DMatrix<f64>)) -> Dual {
    let slip = u[1].hypot(u[2]);
    (slip, (d_u.row(1) * u[1] + d_u.row(2) * u[2]) / slip.max(f64::MIN_POSITIVE))
}
