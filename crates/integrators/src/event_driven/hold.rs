//! The equations of one mode: forces that keep closed contacts closed and sticking ones still.
//!
//! With the rows `R` of the held quantities, and the columns `C` of the forces that hold them,
//!
//! ```math
//! M \dot v = k + C f, \qquad R \dot v + \dot R v = 0 \quad\Longrightarrow\quad
//! (R M^{-1} C)\, f = -(R M^{-1} k + \dot R v) .
//! ```
//!
//! `C = Rᵀ` except for sliding contacts, whose normal force causes friction: `J_nᵀ − μ J_tᵀ d` for a slip in
//! the direction `d`. The axes of [joints](super::joints) at rest are rows, too, and the friction of turning ones is part of `k`.
//! The rows are independent, so the forces of a mode are unique.

use nalgebra::{DMatrix, DVector};

use super::geometry::{Geometry, Moment};

/// The quantity that one row holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Line {
    /// A bilateral equation.
    Tie(usize),
    /// The normal of a carrying contact.
    Normal(usize),
    /// A direction of the tangents of a sticking contact.
    Tangent(usize, [f64; 2]),
    /// The axis of a joint at rest that has friction.
    Joint(usize),
}

/// Friction of a carrying contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Grip {
    /// Sticking: the friction force that keeps its tangent lines at rest.
    Stick,
    /// Sliding: `μ` times the normal force, against slip in this direction or against its onset.
    Slide([f64; 2]),
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Hold {
    pub(super) lines: Vec<Line>,
    /// Carrying contacts and their friction.
    pub(super) carried: Vec<(usize, Grip)>,
    /// Joints whose friction is at its bound, and the sign of the velocity that it acts against.
    pub(super) turning: Vec<(usize, f64)>,
}

/// Forces and acceleration in a mode.
#[derive(Clone, Debug)]
pub(super) struct Held {
    /// Of all contact components (N).
    pub(super) forces: DVector<f64>,
    /// Friction of all joints that have any (N).
    pub(super) friction: DVector<f64>,
    pub(super) acceleration: DVector<f64>,
}

impl Hold {
    /// The contacts that carry.
    pub(super) fn contacts(&self) -> Vec<usize> {
        self.carried.iter().map(|(contact, _)| *contact).collect()
    }

    pub(super) fn grip(&self, contact: usize) -> Option<Grip> {
        self.carried.iter().find(|(carried, _)| *carried == contact).map(|(_, grip)| *grip)
    }

    /// The sign of the velocity that the friction of a joint at its bound acts against; `None` below the bound.
    pub(super) fn turn(&self, joint: usize) -> Option<f64> {
        self.turning.iter().find(|(turning, _)| *turning == joint).map(|(_, sign)| *sign)
    }

    /// The joints at rest.
    pub(super) fn resting(&self) -> impl Iterator<Item = usize> {
        let joint = |line: &Line| match *line {
            Line::Joint(joint) => Some(joint),
            _ => None,
        };
        self.lines.iter().filter_map(joint)
    }

    /// Whether a contact slides the other way than in `other`.
    pub(super) fn opposes(&self, other: &Self, contact: usize) -> bool {
        match (self.grip(contact), other.grip(contact)) {
            (Some(Grip::Slide(a)), Some(Grip::Slide(b))) => a[0] * b[0] + a[1] * b[1] < 0.0,
            _ => false,
        }
    }

    /// Computes forces and acceleration at a moment; afterwards the carrying contacts are located there.
    ///
    /// `still` is the slip (m/s) up to which the direction of sliding is the one stored.
    pub(super) fn solve(
        &self,
        geometry: &mut Geometry<'_>,
        moment: &Moment<'_>,
        still: f64,
    ) -> Held {
        let contacts = self.contacts();
        geometry.locate(moment.coordinates, &contacts);
        let mut acceleration = geometry.free_acceleration(moment, &self.turning);
        let mut forces = DVector::zeros(geometry.gaps.len() * geometry.components);
        let mut friction = DVector::zeros(geometry.joints.len());
        for &(joint, sign) in &self.turning {
            friction[joint] = -sign * geometry.joints[joint].bound;
        }
        if self.lines.is_empty() {
            return Held { forces, friction, acceleration };
        }
        let bias = geometry.bias(moment, &contacts);
        let rows = self.rows(geometry);
        let weights = self.column_weights(geometry, moment.velocity, still);
        let columns = columns(geometry, &self.lines, &weights);
        let response = geometry.divide(moment.coordinates, columns);
        let missing = -(&rows * &acceleration + self.combine(geometry, &bias));
        let solution = (&rows * &response).lu().solve(&missing);
        let solution =
            solution.unwrap_or_else(|| DVector::from_element(self.lines.len(), f64::NAN));
        acceleration += response * &solution;
        for ((line, weight), force) in self.lines.iter().zip(&weights).zip(&solution) {
            match *line {
                Line::Normal(contact) | Line::Tangent(contact, _) => {
                    let first = geometry.components * contact;
                    for component in 0..geometry.components {
                        forces[first + component] += weight[component] * force;
                    }
                }
                Line::Joint(joint) => friction[joint] = *force,
                Line::Tie(_) => {}
            }
        }
        Held { forces, friction, acceleration }
    }

    /// `R`, for the located rows.
    pub(super) fn rows(&self, geometry: &Geometry<'_>) -> DMatrix<f64> {
        let mut rows = DMatrix::zeros(self.lines.len(), geometry.rows.ncols());
        for (index, line) in self.lines.iter().enumerate() {
            rows.row_mut(index).copy_from(&line_row(geometry, line).transpose());
        }
        rows
    }

    /// The entries of `all`, one for each row of the geometry, combined as the lines combine rows.
    pub(super) fn combine(&self, geometry: &Geometry<'_>, all: &DVector<f64>) -> DVector<f64> {
        let entry = |line: &Line| match *line {
            Line::Tie(row) => all[row],
            Line::Joint(joint) => all[geometry.joint_row(joint)],
            Line::Normal(contact) => all[geometry.first_row(contact)],
            Line::Tangent(contact, direction) => {
                let first = geometry.first_row(contact);
                (1..geometry.components).map(|k| direction[k - 1] * all[first + k]).sum()
            }
        };
        DVector::from_iterator(self.lines.len(), self.lines.iter().map(entry))
    }

    /// The components of the contact force that each line represents.
    fn column_weights(
        &self,
        geometry: &Geometry<'_>,
        velocity: &[f64],
        still: f64,
    ) -> Vec<[f64; 3]> {
        let weight = |line: &Line| match *line {
            Line::Tie(_) | Line::Joint(_) => [0.0; 3],
            Line::Tangent(_, direction) => [0.0, direction[0], direction[1]],
            Line::Normal(contact) => match self.grip(contact) {
                Some(Grip::Slide(along)) => {
                    let friction = geometry.contacts.as_slice()[contact].friction;
                    let slip = geometry.slip(contact, velocity);
                    let direction = follow(slip, along, geometry.components, still);
                    [1.0, -friction * direction[0], -friction * direction[1]]
                }
                _ => [1.0, 0.0, 0.0],
            },
        };
        self.lines.iter().map(weight).collect()
    }
}

/// The row of a line.
pub(super) fn line_row(geometry: &Geometry<'_>, line: &Line) -> DVector<f64> {
    match *line {
        Line::Tie(row) => geometry.rows.row(row).transpose(),
        Line::Joint(joint) => geometry.joints[joint].axis.clone(),
        Line::Normal(contact) => geometry.rows.row(geometry.first_row(contact)).transpose(),
        Line::Tangent(contact, direction) => contact_row(geometry, contact, 0.0, direction),
    }
}

/// `normal J_n + direction · J_t` of a contact, as a column.
pub(super) fn contact_row(
    geometry: &Geometry<'_>,
    contact: usize,
    normal: f64,
    direction: [f64; 2],
) -> DVector<f64> {
    let first = geometry.first_row(contact);
    let mut row = normal * geometry.rows.row(first).transpose();
    for tangent in 1..geometry.components {
        row += direction[tangent - 1] * geometry.rows.row(first + tangent).transpose();
    }
    row
}

fn columns(geometry: &Geometry<'_>, lines: &[Line], weights: &[[f64; 3]]) -> DMatrix<f64> {
    let mut columns = DMatrix::zeros(geometry.rows.ncols(), lines.len());
    for (index, (line, weight)) in lines.iter().zip(weights).enumerate() {
        let column = match *line {
            Line::Tie(_) | Line::Joint(_) => line_row(geometry, line),
            Line::Normal(contact) | Line::Tangent(contact, _) => {
                contact_row(geometry, contact, weight[0], [weight[1], weight[2]])
            }
        };
        columns.set_column(index, &column);
    }
    columns
}

/// The direction of sliding at `slip`, on the side of the direction `along` at the end of the last step.
///
/// In the plane there are two directions, and the mode ends before the other one applies. In space it is the
/// direction of the slip, continued through zero on a straight line, so that friction stays smooth in a step
/// that ends beyond it.
pub(super) fn follow(slip: [f64; 2], along: [f64; 2], components: usize, still: f64) -> [f64; 2] {
    let speed = slip[0].hypot(slip[1]);
    if components == 2 || speed <= still || along.iter().all(|d| *d == 0.0) {
        return along;
    }
    let side = if slip[0] * along[0] + slip[1] * along[1] < 0.0 { -1.0 } else { 1.0 };
    [side * slip[0] / speed, side * slip[1] / speed]
}

/// The tangents.
pub(super) fn axes(components: usize) -> impl Iterator<Item = [f64; 2]> {
    [[1.0, 0.0], [0.0, 1.0]].into_iter().take(components - 1)
}
