//! Selection of the contacts that carry, slide and stick, by the complementarity of accelerations.
//!
//! A closed contact that does not approach presses or opens, `0 ≤ f_n ⊥ a_n ≥ 0`. If it slides, its friction
//! is determined by the normal force. If it is at rest, friction holds it within Coulomb's cone, or it starts
//! to slip with friction at its bound. With `a = M⁻¹(k + Jᵀ f)` and the bias `J̇ v` this is the linear
//! complementarity problem
//!
//! ```math
//! \begin{aligned}
//! 0 &\le f_n &\perp\;& a_n &\ge 0, \\
//! 0 &\le \beta &\perp\;& D^\mathsf{T} a_t + \gamma e &\ge 0, \\
//! 0 &\le \gamma &\perp\;& \mu f_n - e^\mathsf{T} \beta &\ge 0,
//! \end{aligned}
//! ```
//!
//! with the directions `D` of friction at contacts that are at rest. A *linear* problem is used because it
//! can contain sliding contacts, which make the matrix unsymmetric, and because its basic solutions have
//! independent columns: of redundant contacts, such as four feet of a table, as many carry as determine the
//! forces.
//!
//! In the plane two directions are sufficient. In space there are sixteen, and then the cone is made round:
//! contacts that start to slip do so in the direction of their acceleration, found by iteration, and contacts
//! that slip by the polygon but not by the circle stick. The friction of [joints] at rest is part of the problem.

mod friction;
mod joints;
mod lines;

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::{self, Method, Status, enumerate};

use friction::{Friction, ROUNDINGS, Rounding};
use joints::Joints;
use lines::hold;

use super::{
    geometry::{Geometry, Independent, Moment},
    hold::{Grip, Held, Hold, Line, axes, contact_row, line_row},
    report::Mode,
    settings::Resolved,
};

/// Number of directions of friction in space.
const DIRECTIONS: usize = 16;

/// Maximum number of corrections in which a contact starts to hold or to slip: those that exceed it repeat themselves.
const TURNS: usize = 40;

/// Maximum number of unknowns for which all solutions are searched when Lemke's method finds no answer.
const ENUMERATED: usize = 14;

/// Where no acceleration exceeds this fraction of what decisions take as zero, all are rounding.
const ROUNDING: f64 = 1e-2;

/// Decisions use this fraction of the tolerance at which events end a mode, so that the mode lasts.
const MARGIN: f64 = 0.1;

/// The mode after a moment.
#[derive(Clone, Debug)]
pub(super) struct Decision {
    pub(super) hold: Hold,
    pub(super) modes: Vec<Mode>,
}

/// One closed contact.
#[derive(Clone, Copy, Debug)]
struct Closed {
    contact: usize,
    friction: Friction,
    /// `J_n M⁻¹ J_nᵀ` (kg⁻¹): turns forces into accelerations.
    inverse_mass: f64,
}

/// Forces and accelerations of all closed contacts and of the joints at rest.
#[derive(Clone, Debug, Default)]
struct Answers {
    contacts: Vec<Answer>,
    joints: Vec<joints::Answer>,
}

/// Forces and accelerations of one closed contact.
#[derive(Clone, Copy, Debug, Default)]
struct Answer {
    normal: f64,
    tangent: [f64; 2],
    normal_acceleration: f64,
    slip_acceleration: [f64; 2],
}

/// The modes at a moment at which no closed contact approaches; `None` if no forces are consistent.
pub(super) fn decide(
    geometry: &mut Geometry<'_>,
    settings: &Resolved,
    moment: &Moment<'_>,
    lcps: &mut usize,
) -> Option<Decision> {
    geometry.locate_all(moment.coordinates);
    let mut closed = closed_contacts(geometry, settings, moment);
    let joints = Joints::new(geometry, moment, settings.still);
    let answers = solve(geometry, settings, moment, (&mut closed, &joints), lcps)?;
    [true, false].into_iter().find_map(|resting| {
        let mut modes = vec![Mode::Open; geometry.gaps.len()];
        let parts = (&*closed, &joints, &answers);
        let hold = hold(geometry, settings, moment, (parts, resting), &mut modes);
        let held = hold.solve(geometry, moment, settings.still);
        let consistent = consistent(geometry, settings, moment, (&hold, &held), &closed)
            && joints.are_consistent(geometry, &hold, &held, settings.acceleration_tolerance);
        consistent.then_some(Decision { hold, modes })
    })
}

/// Contacts that are closed and neither approach nor separate, with their friction.
fn closed_contacts(
    geometry: &Geometry<'_>,
    settings: &Resolved,
    moment: &Moment<'_>,
) -> Vec<Closed> {
    let still = settings.still;
    let is_closed = |&contact: &usize| {
        geometry.gaps[contact] <= settings.gap_tolerance
            && geometry.normal_speed(contact, moment.velocity).abs()
                <= 2.0 * settings.velocity_tolerance
    };
    let describe = |contact: usize| {
        let slip = geometry.slip(contact, moment.velocity);
        let speed = slip[0].hypot(slip[1]);
        let friction = if geometry.contacts.as_slice()[contact].friction == 0.0 {
            Friction::Along([0.0; 2])
        } else if speed > still {
            Friction::Along(slip.map(|u| u / speed))
        } else {
            Friction::Polygon
        };
        let row = geometry.rows.rows(geometry.first_row(contact), 1).into_owned();
        let inverse_mass = (&row * geometry.divide(moment.coordinates, row.transpose()))[(0, 0)];
        Closed { contact, friction, inverse_mass }
    };
    (0..geometry.gaps.len()).filter(is_closed).map(describe).collect()
}

/// Answers for the closed contacts, with the friction of those in space made round.
fn solve(
    geometry: &mut Geometry<'_>,
    settings: &Resolved,
    moment: &Moment<'_>,
    (closed, joints): (&mut [Closed], &Joints),
    lcps: &mut usize,
) -> Option<Answers> {
    let contacts = geometry.present();
    let bias = geometry.bias(moment, &contacts);
    let zero = MARGIN * settings.acceleration_tolerance;
    let noise = ROUNDING * zero;
    let mut answers = Answers::default();
    if closed.is_empty() && joints.resting.is_empty() {
        return Some(answers);
    }
    let mut rounding = Rounding::new(zero);
    let mut turns = 0;
    for _ in 0..ROUNDINGS {
        *lcps += 1;
        answers = Statement::new(geometry, moment, &bias, closed, joints).solve(closed, noise)?;
        if geometry.components == 2 {
            break;
        }
        let change = rounding.apply(geometry, closed, &answers.contacts);
        turns += usize::from(change == f64::INFINITY);
        if change <= zero || turns > TURNS {
            break;
        }
    }
    Some(answers)
}

/// The complementarity problem, reduced to the directions that bilateral equations and holding friction leave
/// free.
struct Statement<'g, 'm> {
    geometry: &'g Geometry<'m>,
    /// Generalized forces of the unknowns; multipliers `γ` have none.
    columns: DMatrix<f64>,
    /// Accelerations that the unknowns cause.
    response: DMatrix<f64>,
    /// Acceleration without them.
    free: DVector<f64>,
    bias: &'g DVector<f64>,
    /// First unknown of the friction of each contact.
    friction: Vec<usize>,
    directions: Vec<[f64; 2]>,
    joints: &'g Joints,
    /// First unknown of the joints.
    first_joint: usize,
    /// Contact and direction of each row held, their rows, and their projections.
    holding: Vec<(usize, [f64; 2])>,
    /// Forces of the rows held: of the free motion, and of each unknown.
    held_forces: (DVector<f64>, DMatrix<f64>),
}

impl<'g, 'm> Statement<'g, 'm> {
    fn new(
        geometry: &'g Geometry<'m>,
        moment: &Moment<'_>,
        bias: &'g DVector<f64>,
        closed: &[Closed],
        joints: &'g Joints,
    ) -> Self {
        let directions = directions(geometry.components);
        let mut friction = Vec::with_capacity(closed.len());
        let mut columns: Vec<DVector<f64>> = Vec::new();
        for Closed { contact, friction, .. } in closed {
            let mu = geometry.contacts.as_slice()[*contact].friction;
            let along = match friction {
                Friction::Along(d) | Friction::Onset(d) => d.map(|d| -mu * d),
                Friction::Polygon | Friction::Hold => [0.0; 2],
            };
            columns.push(contact_row(geometry, *contact, 1.0, along));
        }
        for contact in closed {
            friction.push(columns.len());
            if contact.friction == Friction::Polygon {
                let row = |d: &[f64; 2]| contact_row(geometry, contact.contact, 0.0, *d);
                columns.extend(directions.iter().map(row));
                columns.push(DVector::zeros(geometry.rows.ncols()));
            }
        }
        let first_joint = columns.len();
        columns.extend(joints.columns());
        let columns = DMatrix::from_columns(&columns);
        let mut response = geometry.divide(moment.coordinates, columns.clone());
        let mut free = geometry.free_acceleration(moment, &joints.turning);

        let mut independent = Independent::new(geometry, moment.coordinates);
        let mut lines: Vec<Line> = (0..geometry.ties).map(Line::Tie).collect();
        for contact in closed.iter().filter(|closed| closed.friction == Friction::Hold) {
            lines.extend(axes(geometry.components).map(|d| Line::Tangent(contact.contact, d)));
        }
        lines.retain(|line| independent.take(&line_row(geometry, line)));
        let hold = Hold { lines, ..Hold::default() };
        let rows = hold.rows(geometry);
        let mut of_free = -(&rows * &free + hold.combine(geometry, bias));
        let mut of_unknowns = -(&rows * &response);
        if !hold.lines.is_empty() {
            let lift = geometry.divide(moment.coordinates, rows.transpose());
            let operator = (&rows * &lift).lu();
            // The rows are independent; if rounding contradicts this, the problem is refused as not finite.
            if !(operator.solve_mut(&mut of_free) && operator.solve_mut(&mut of_unknowns)) {
                of_free.fill(f64::NAN);
            }
            free += &lift * &of_free;
            response += &lift * &of_unknowns;
        }
        let holding = hold.lines.iter().map(|line| match *line {
            Line::Tangent(contact, direction) => (contact, direction),
            _ => (usize::MAX, [0.0; 2]),
        });
        let holding = holding.collect();
        let held_forces = (of_free, of_unknowns);
        Self {
            geometry,
            columns,
            response,
            free,
            bias,
            friction,
            directions,
            joints,
            first_joint,
            holding,
            held_forces,
        }
    }

    fn solve(&self, closed: &[Closed], noise: f64) -> Option<Answers> {
        let z = if self.is_still(closed, noise) {
            DVector::zeros(self.columns.ncols())
        } else {
            solution(&self.problem(closed)?)?
        };
        let acceleration = &self.free + &self.response * &z;
        let held = &self.held_forces.0 + &self.held_forces.1 * &z;
        let answer = |(index, closed): (usize, &Closed)| {
            let first = self.geometry.first_row(closed.contact);
            let along = |row: usize| {
                self.geometry.rows.row(row).transpose().dot(&acceleration) + self.bias[row]
            };
            let mut answer =
                Answer { normal: z[index], normal_acceleration: along(first), ..Answer::default() };
            for tangent in 1..self.geometry.components {
                answer.slip_acceleration[tangent - 1] = along(first + tangent);
            }
            let mut push = |direction: &[f64; 2], force: f64| {
                answer.tangent[0] += direction[0] * force;
                answer.tangent[1] += direction[1] * force;
            };
            let mu = self.geometry.contacts.as_slice()[closed.contact].friction;
            match closed.friction {
                Friction::Along(d) | Friction::Onset(d) => push(&d, -mu * z[index]),
                Friction::Polygon => {
                    for (k, direction) in self.directions.iter().enumerate() {
                        push(direction, z[self.friction[index] + k]);
                    }
                }
                Friction::Hold => {
                    for ((contact, direction), force) in self.holding.iter().zip(&held) {
                        if *contact == closed.contact {
                            push(direction, *force);
                        }
                    }
                }
            }
            answer
        };
        let contacts = closed.iter().enumerate().map(answer).collect();
        let unknowns = &z.as_slice()[self.first_joint..];
        let joints = self.joints.answers(unknowns, &acceleration);
        Some(Answers { contacts, joints })
    }

    /// Whether nothing accelerates the closed contacts and the joints at rest by more than `noise` (m/s²), as in free fall. No force is
    /// needed then, and a problem of rounding errors may have no solution.
    fn is_still(&self, closed: &[Closed], noise: f64) -> bool {
        let of_contact = |Closed { contact, .. }: &Closed| {
            let first = self.geometry.first_row(*contact);
            (first..first + self.geometry.components).all(|row| {
                let free = self.geometry.rows.row(row).transpose().dot(&self.free);
                (free + self.bias[row]).abs() <= noise
            })
        };
        closed.iter().all(of_contact) && self.joints.are_still(&self.free, noise)
    }

    fn problem(&self, closed: &[Closed]) -> Option<lcp::Problem> {
        let size = self.columns.ncols();
        let (mut matrix, mut vector) = (DMatrix::zeros(size, size), DVector::zeros(size));
        let mut write = |row: usize, contact: usize, normal: f64, direction: [f64; 2]| {
            let combined = contact_row(self.geometry, contact, normal, direction);
            matrix.row_mut(row).copy_from(&self.response.tr_mul(&combined).transpose());
            let first = self.geometry.first_row(contact);
            vector[row] = combined.dot(&self.free) + normal * self.bias[first];
            for tangent in 1..self.geometry.components {
                vector[row] += direction[tangent - 1] * self.bias[first + tangent];
            }
        };
        for (index, closed) in closed.iter().enumerate() {
            write(index, closed.contact, 1.0, [0.0; 2]);
            if closed.friction == Friction::Polygon {
                for (k, direction) in self.directions.iter().enumerate() {
                    write(self.friction[index] + k, closed.contact, 0.0, *direction);
                }
            }
        }
        for (index, closed) in closed.iter().enumerate() {
            if closed.friction == Friction::Polygon {
                let first = self.friction[index];
                let gamma = first + self.directions.len();
                matrix[(gamma, index)] = self.geometry.contacts.as_slice()[closed.contact].friction;
                for beta in first..gamma {
                    matrix[(beta, gamma)] = 1.0;
                    matrix[(gamma, beta)] = -1.0;
                }
            }
        }
        let of_joints = (&self.response, &self.free);
        self.joints.state(self.geometry, of_joints, self.first_joint, (&mut matrix, &mut vector));
        lcp::Problem::new(matrix, vector).ok()
    }
}

/// The solution of Lemke's method; if its path ends on a ray, any solution that a search of all bases finds.
fn solution(problem: &lcp::Problem) -> Option<DVector<f64>> {
    let solution = Method::default().solve(problem).ok()?;
    if solution.report.status == Status::Solved {
        return Some(solution.z);
    }
    if problem.dimension() > ENUMERATED {
        return None;
    }
    let all = enumerate::solve(problem, &enumerate::Settings::default()).ok()?;
    all.vertices.into_iter().next().map(|vertex| vertex.z)
}

/// Whether forces press and stay in their cones, and no closed contact is accelerated into its surface.
fn consistent(
    geometry: &mut Geometry<'_>,
    settings: &Resolved,
    moment: &Moment<'_>,
    (hold, held): (&Hold, &Held),
    closed: &[Closed],
) -> bool {
    let accepted = settings.acceleration_tolerance;
    let contacts: Vec<_> = closed.iter().map(|closed| closed.contact).collect();
    geometry.locate(moment.coordinates, &contacts);
    let bias = geometry.bias(moment, &contacts);
    held.acceleration.iter().all(|a| a.is_finite())
        && closed.iter().all(|Closed { contact, inverse_mass, .. }| {
            let row = geometry.first_row(*contact);
            let opening = geometry.speed(row, held.acceleration.as_slice()) + bias[row];
            violation(geometry, hold, held, *contact) * inverse_mass <= accepted
                && opening >= -accepted
        })
}

/// Amount by which the force of a contact pulls, or leaves its cone (N); at most 0 for a contact that slides and pushes. The friction
/// of one that pulls would drive its slip, so that strong friction counts as the pull.
pub(super) fn violation(geometry: &Geometry<'_>, hold: &Hold, held: &Held, contact: usize) -> f64 {
    let Some(grip) = hold.grip(contact) else { return 0.0 };
    let force = &held.forces.as_slice()[geometry.components * contact..];
    let friction = geometry.contacts.as_slice()[contact].friction;
    let pull = -force[0];
    match grip {
        Grip::Slide(_) => friction.max(1.0) * pull,
        Grip::Stick => {
            let tangent = force[1..geometry.components].iter().fold(0.0_f64, |f, t| f.hypot(*t));
            pull.max(tangent - friction * force[0])
        }
    }
}

/// Directions of friction: both in the plane, a fan in space.
fn directions(components: usize) -> Vec<[f64; 2]> {
    if components == 2 {
        return vec![[1.0, 0.0], [-1.0, 0.0]];
    }
    let turn = std::f64::consts::TAU / DIRECTIONS as f64;
    (0..DIRECTIONS).map(|k| (turn * k as f64).sin_cos()).map(|(sin, cos)| [cos, sin]).collect()
}
