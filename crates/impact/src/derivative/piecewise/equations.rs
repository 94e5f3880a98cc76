//! The equations of a piece, as functions of its impulses and of all that came before.

use nalgebra::{DVector, RowDVector};

use super::{
    intervals::Interval,
    script::{End, Normal, Piece, Store, Tangent},
    tape::Tape,
};
use crate::{directions::direction, plus::Limits};

/// One equation `F = 0` for the unknowns `y = (π, τ)` of a piece, where `τ` is its length on a path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Equation {
    /// `π_row = constant + rate · τ`.
    Impulse { row: usize, constant: f64, rate: f64 },
    /// `u⁺_row = 0`.
    Rest { row: usize },
    /// `u⁺_n = −e u_n` of the beginning of the impact.
    Rebound { contact: usize },
    /// `u⁺_row = −u_row`.
    Mirror { row: usize },
    /// `π_n = e C`; with `expanded` the impulses of the expansion before this piece count, too.
    Returned { contact: usize },
    /// `vector · π_t = μ factor π_n`.
    Friction { contact: usize, vector: [f64; 2], factor: f64 },
    /// `vector · u⁺_t = 0`.
    Still { contact: usize, vector: [f64; 2] },
    /// The energy that a contact has stored is used up.
    Emptied { contact: usize },
    /// The lengths of all pieces of the step are 1 together.
    Step,
    /// One of an interval.
    Interval(Interval),
}

/// The equations of `piece`, as many as it has unknowns.
pub(super) fn equations(tape: &Tape<'_>, piece: &Piece) -> Vec<Equation> {
    let problem = tape.problem;
    let mut equations = Vec::with_capacity(tape.impulse.len() + 1);
    for (contact, (normal, tangent)) in piece.normals.iter().zip(&piece.tangents).enumerate() {
        let rows = problem.rows(contact);
        let row = rows.start;
        let given = |constant| Equation::Impulse { row, constant, rate: 0.0 };
        equations.push(match *normal {
            _ if problem.is_locked(row) => given(0.0),
            Normal::Absent | Normal::Free | Normal::FreeBeyond => given(0.0),
            Normal::Full(increment) => given(increment),
            Normal::Pushes(rate) => Equation::Impulse { row, constant: 0.0, rate },
            Normal::Stops | Normal::StopsWithin(_) | Normal::Held(_) | Normal::ReturnsAndStops => {
                Equation::Rest { row }
            }
            Normal::Rebounds => Equation::Rebound { contact },
            Normal::Mirrors => Equation::Mirror { row },
            Normal::Returns => Equation::Returned { contact },
            Normal::FreeByWhole => given(0.0),
            Normal::StopsByWhole => Equation::Interval(Interval::RestOfWhole { row }),
            Normal::Owed => Equation::Interval(Interval::Owed { contact }),
            Normal::Jams => Equation::Interval(Interval::Jammed { row }),
        });
        push_tangents(tape, contact, *tangent, &mut equations);
    }
    match piece.end {
        End::Whole => {}
        End::Row(row) => equations.push(Equation::Rest { row }),
        End::Emptied(contact) => equations.push(Equation::Emptied { contact }),
        End::Rebound(contact) => equations.push(Equation::Rebound { contact }),
        End::Returned(contact) => equations.push(Equation::Returned { contact }),
        End::Stop { contact, vector } => equations.push(Equation::Still { contact, vector }),
        End::Turn { contact, from, to, of } => {
            let (a, b) = (direction(from, of), direction(to, of));
            equations.push(Equation::Still { contact, vector: [a[0] - b[0], a[1] - b[1]] });
        }
        End::Step => equations.push(Equation::Step),
        End::Complete => equations.push(Equation::Interval(Interval::Complete)),
        End::Closest(contact) => equations.push(Equation::Interval(Interval::Closest { contact })),
        End::Turned(contact, Limits { sine, cosine, .. }) => {
            equations.push(Equation::Interval(Interval::Turned { contact, sine, cosine }));
        }
    }
    equations
}

fn push_tangents(tape: &Tape<'_>, contact: usize, tangent: Tangent, equations: &mut Vec<Equation>) {
    let rows = tape.problem.rows(contact).skip(1);
    let count = rows.len();
    let plane = count == 1;
    match tangent {
        Tangent::None | Tangent::Smooth => {
            let none = |row| Equation::Impulse { row, constant: 0.0, rate: 0.0 };
            equations.extend(rows.map(none));
        }
        Tangent::Sticks(_) | Tangent::SticksRound => equations.extend(rows.map(|row| {
            if tape.problem.is_locked(row) {
                Equation::Impulse { row, constant: 0.0, rate: 0.0 }
            } else {
                Equation::Rest { row }
            }
        })),
        Tangent::Vertex(index, of) => {
            let vector = direction(index, of);
            equations.push(Equation::Friction { contact, vector, factor: 1.0 });
            if !plane {
                let across = [-vector[1], vector[0]];
                equations.push(Equation::Friction { contact, vector: across, factor: 0.0 });
            }
        }
        Tangent::Edge(index, of) => {
            let (a, b) = (direction(index, of), direction((index + 1) % of, of));
            let (sum, along) = ([a[0] + b[0], a[1] + b[1]], [a[0] - b[0], a[1] - b[1]]);
            let size = sum[0].hypot(sum[1]);
            let vector = sum.map(|entry| entry / size);
            equations.push(Equation::Friction { contact, vector, factor: 0.5 * size });
            equations.push(Equation::Still { contact, vector: along });
        }
        Tangent::RollsByWhole(_) => equations.extend(rows.map(|row| {
            if tape.problem.is_locked(row) {
                Equation::Impulse { row, constant: 0.0, rate: 0.0 }
            } else {
                Equation::Interval(Interval::RestOfWhole { row })
            }
        })),
        Tangent::SlipsByWhole(_) | Tangent::Restarts => {
            equations.push(Equation::Interval(Interval::OnCone { contact }));
            if !plane {
                equations.push(Equation::Interval(Interval::AlongWhole { contact }));
            }
        }
        Tangent::Opposes(_) => {
            equations
                .extend(rows.map(|row| Equation::Interval(Interval::Opposes { contact, row })));
        }
    }
}

/// `vector · x_t` of a contact.
fn along(tape: &Tape<'_>, contact: usize, vector: [f64; 2], x: impl Fn(usize) -> f64) -> f64 {
    tape.problem.rows(contact).skip(1).zip(vector).map(|(row, part)| part * x(row)).sum()
}

impl Equation {
    /// `F`, and its derivative by the unknowns into `slope`.
    pub(super) fn at(
        self,
        tape: &Tape<'_>,
        piece: &Piece,
        (unknowns, after): (&DVector<f64>, &DVector<f64>),
        slope: &mut [f64],
    ) -> f64 {
        slope.fill(0.0);
        let rows = tape.impulse.len();
        let w = tape.problem.delassus();
        let mut add_velocity = |row: usize, part: f64| {
            for (column, slope) in slope[..rows].iter_mut().enumerate() {
                *slope += part * w[(row, column)];
            }
        };
        match self {
            Self::Impulse { row, constant, rate } => {
                slope[row] = 1.0;
                let length = if rate == 0.0 { 0.0 } else { unknowns[rows] };
                if rate != 0.0 {
                    slope[rows] = -rate;
                }
                unknowns[row] - constant - rate * length
            }
            Self::Rest { row } => {
                add_velocity(row, 1.0);
                after[row]
            }
            Self::Rebound { contact } => {
                let row = tape.problem.rows(contact).start;
                add_velocity(row, 1.0);
                after[row] + tape.problem.contacts()[contact].restitution * tape.mark[row]
            }
            Self::Mirror { row } => {
                add_velocity(row, 1.0);
                after[row] + tape.velocity[row]
            }
            Self::Returned { contact } => {
                let row = tape.problem.rows(contact).start;
                slope[row] = 1.0;
                let e = tape.problem.contacts()[contact].restitution;
                tape.expansion[contact] + unknowns[row] - e * tape.compression[contact]
            }
            Self::Friction { contact, vector, factor } => {
                let range = tape.problem.rows(contact);
                let bound = factor * tape.problem.contacts()[contact].friction;
                slope[range.start] = -bound;
                for (row, part) in range.clone().skip(1).zip(vector) {
                    slope[row] = part;
                }
                along(tape, contact, vector, |row| unknowns[row]) - bound * unknowns[range.start]
            }
            Self::Still { contact, vector } => {
                for (row, part) in tape.problem.rows(contact).skip(1).zip(vector) {
                    add_velocity(row, part);
                }
                along(tape, contact, vector, |row| after[row])
            }
            Self::Emptied { contact } => {
                let row = tape.problem.rows(contact).start;
                let part = tape.stored_part(piece.stores[contact], contact);
                let mean = 0.5 * (tape.velocity[row] + after[row]);
                add_velocity(row, -part * 0.5 * unknowns[row]);
                slope[row] -= part * mean;
                tape.energies[contact] - part * unknowns[row] * mean
            }
            Self::Step => {
                slope[rows] = 1.0;
                tape.share + unknowns[rows] - 1.0
            }
            Self::Interval(equation) => equation.at(tape, (unknowns, after), slope),
        }
    }

    /// The derivative of `F` by all data, with the unknowns held; `held` is that of `u⁺`.
    pub(super) fn by_data(
        self,
        tape: &Tape<'_>,
        piece: &Piece,
        (unknowns, after): (&DVector<f64>, &DVector<f64>),
        held: &nalgebra::DMatrix<f64>,
    ) -> RowDVector<f64> {
        let columns = tape.columns;
        let none = || RowDVector::zeros(columns.count());
        match self {
            Self::Impulse { .. } => none(),
            Self::Rest { row } => held.row(row).into_owned(),
            Self::Rebound { contact } => {
                let row = tape.problem.rows(contact).start;
                let e = tape.problem.contacts()[contact].restitution;
                let mut change = held.row(row) + tape.d_mark.row(row) * e;
                change[columns.restitution(contact)] += tape.mark[row];
                change
            }
            Self::Mirror { row } => held.row(row) + tape.d_velocity.row(row),
            Self::Returned { contact } => {
                let e = tape.problem.contacts()[contact].restitution;
                let mut change =
                    tape.d_expansion.row(contact) - tape.d_compression.row(contact) * e;
                change[columns.restitution(contact)] -= tape.compression[contact];
                change
            }
            Self::Friction { contact, factor, .. } => {
                let mut change = none();
                let normal = unknowns[tape.problem.rows(contact).start];
                change[columns.friction(contact)] = -factor * normal;
                change
            }
            Self::Still { contact, vector } => {
                let mut change = none();
                for (row, part) in tape.problem.rows(contact).skip(1).zip(vector) {
                    change += held.row(row) * part;
                }
                change
            }
            Self::Emptied { contact } => {
                let row = tape.problem.rows(contact).start;
                let store = piece.stores[contact];
                let part = tape.stored_part(store, contact);
                let mean = 0.5 * (tape.velocity[row] + after[row]);
                let push = unknowns[row];
                let mut change = tape.d_energies.row(contact)
                    - (tape.d_velocity.row(row) + held.row(row)) * (0.5 * part * push);
                if store == Store::Compresses {
                    let e = tape.problem.contacts()[contact].restitution;
                    change[columns.restitution(contact)] -= 2.0 * e * push * mean;
                }
                change
            }
            Self::Step => tape.d_share.clone(),
            Self::Interval(equation) => equation.by_data(tape, (unknowns, after), held),
        }
    }
}
