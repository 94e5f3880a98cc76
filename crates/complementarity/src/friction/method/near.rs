//! Newton's method for few contacts from impulses near a solution, such as those of the step or pass before.
//!
//! A contact is open, sticks or slides by the natural map at its impulse `p` and velocity `u`, with `y = w p_t − u_t` and the mean
//! `w` of the diagonal of its block:
//!
//! ```math
//! w p_n \le u_n: \; p = 0; \qquad \|y\| \le w \mu p_n: \; u = 0; \qquad
//! \text{else}\; u_n = 0,\; p_t = \mu p_n \frac{y}{\|y\|} .
//! ```
//!
//! A step solves the equations linearized at `p`, and its end is moved into the cones. Where the state of each contact is that of the
//! solution already, a step or two solve the problem, for less time than ten sweeps.
//!
//! - **Does not** always converge: it ends where the residual has not fallen to a half several times.
//! - **Cost** for `m` components that are not zero, `⅔ m³` flops a step.
//!
//! # Source
//!
//! P. Alart, A. Curnier, "A mixed formulation for frictional contact problems prone to Newton like solution methods", *Computer
//! Methods in Applied Mechanics and Engineering* 92 (1991) 353–375.

use nalgebra::{DMatrix, Vector3};

use crate::{
    friction::{
        Delassus, Law, Problem, Report, Status,
        cone::length,
        report::{Error, Record, check_start},
        rescaled::InUnits,
        single::Contact,
    },
    gauss::solve_in_place,
};

/// Part of the diagonal that keeps redundant contacts regular.
const RIDGE: f64 = 1e-10;

/// Relative residual of impulses to which sweeps add little before these steps.
pub(super) const CLOSE: f64 = 1e-4;

/// The largest number of steps, and of those after which the residual is more than half of the smallest one before.
const STEPS: usize = 12;
const RISES: usize = 3;

/// Solves a problem of Coulomb's law by Newton's steps from `impulses` (N·s, one for each contact) near its solution, to a relative
/// `tolerance` (≥ 0) that those need not be within.
///
/// `None`, with the same impulses, if the steps do not reach it, the relative residual of the start is over 1e-4, no contact presses,
/// there is only one, or the law is another one.
///
/// # Errors
///
/// [`Error::StartLength`], [`Error::StartEntry`] and [`Error::Setting`].
///
/// # Source
///
/// P. Alart, A. Curnier, "A mixed formulation for frictional contact problems prone to Newton like solution methods", *Computer
/// Methods in Applied Mechanics and Engineering* 92 (1991) 353–375.
///
/// # Example
///
/// A rod of 2 kg lies on two feet, each of which takes 0.1 N·s of its weight in a step.
///
/// ```
/// use nalgebra::{DMatrix, vector};
/// use percussion_complementarity::friction::{Problem, refine};
///
/// let mut delassus = DMatrix::from_diagonal_element(6, 6, 2.0);
/// (delassus[(0, 3)], delassus[(3, 0)]) = (-1.0, -1.0);
/// let problem = Problem::from_dense(&delassus, &[-0.1, 0.0, 0.0, -0.1, 0.0, 0.0], &[0.5; 2])?;
/// let mut impulses = [vector![0.1 + 1e-9, 0.0, 0.0], vector![0.1, 1e-9, 0.0]];
/// let report = refine(&problem, 1e-14, &mut impulses)?.ok_or("it is regular")?;
/// assert_eq!(report.iterations, 1);
/// assert!((impulses[0].x - 0.1).abs() < 1e-16 && impulses[1].y.abs() < 1e-16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn refine<D: Delassus>(
    problem: &Problem<D>,
    tolerance: f64,
    impulses: &mut [Vector3<f64>],
) -> Result<Option<Report>, Error> {
    match problem.law() {
        Law::Coulomb => solve(problem, (tolerance, CLOSE), impulses),
        _ => Ok(None),
    }
}

/// Solves by Coulomb's law in place; `None`, with the impulses of the start, if the steps do not reach the tolerance, the relative
/// residual of the start is not `within` a bound, or there is one contact, which sweeps solve in closed form.
pub(super) fn solve<D: Delassus>(
    problem: &Problem<D>,
    (tolerance, within): (f64, f64),
    impulses: &mut [Vector3<f64>],
) -> Result<Option<Report>, Error> {
    check_start(problem.contact_count(), impulses, tolerance)?;
    let is_cold = impulses.iter().all(|impulse| *impulse == Vector3::zeros());
    if is_cold || problem.contact_count() == 1 || InUnits::of(problem).is_some() {
        return Ok(None);
    }
    let mut record = Record::new(problem, tolerance, impulses);
    if record.residual() > within * problem.velocity_scale() {
        return Ok(None);
    }
    let mut trial = impulses.to_vec();
    let mut system = System::new(problem);
    let (mut steps, mut rises) = (0, 0);
    // The first step may leave the contacts in other states.
    let mut smallest = f64::INFINITY;
    while !record.solved() {
        if steps == STEPS || rises == RISES || !system.step(&mut trial) {
            return Ok(None);
        }
        steps += 1;
        let residual = record.offer(&trial);
        rises += usize::from(residual > 0.5 * smallest);
        smallest = smallest.min(residual);
    }
    let report = record.finish(&mut trial, steps, Status::Stalled);
    if report.status != Status::Solved {
        return Ok(None);
    }
    impulses.copy_from_slice(&trial);
    Ok(Some(report))
}

/// What a contact does by the natural map.
#[derive(Clone, Copy, Debug)]
enum State {
    Open,
    Sticks,
    /// Along the unit vector `y/‖y‖`, with `μ p_n w/‖y‖`.
    Slides([f64; 2], f64),
}

/// The memory of the steps.
struct System<'a, D> {
    problem: &'a Problem<D>,
    dense: DMatrix<f64>,
    velocities: Vec<Vector3<f64>>,
    /// That of the operator.
    memory: Vec<f64>,
    states: Vec<State>,
    /// The components whose changes are unknown, and their place among these.
    active: Vec<usize>,
    /// The changes of all components: those of the others, which are known, before a step is solved.
    change: Vec<f64>,
    matrix: Vec<f64>,
    right: Vec<f64>,
}

impl<'a, D: Delassus> System<'a, D> {
    fn new(problem: &'a Problem<D>) -> Self {
        let n = problem.contact_count();
        Self {
            problem,
            dense: problem.dense(),
            velocities: Vec::with_capacity(n),
            memory: Vec::new(),
            states: Vec::with_capacity(n),
            active: Vec::with_capacity(3 * n),
            change: vec![0.0; 3 * n],
            matrix: Vec::with_capacity(9 * n * n),
            right: Vec::with_capacity(3 * n),
        }
    }

    /// One step from `impulses`; `false` if there is none.
    fn step(&mut self, impulses: &mut [Vector3<f64>]) -> bool {
        self.classify(impulses);
        self.assemble(impulses);
        if !solve_in_place(&mut self.matrix, &mut self.right) {
            return false;
        }
        for (component, change) in self.active.iter().zip(&self.right) {
            self.change[*component] = *change;
        }
        let contacts = self.problem.contacts().iter().zip(self.change.chunks_exact(3));
        for (impulse, (contact, change)) in impulses.iter_mut().zip(contacts) {
            *impulse += Vector3::new(change[0], change[1], change[2]);
            *impulse = in_cone(contact.friction(), impulse);
        }
        true
    }

    /// Finds the states of all contacts and the components that change by an unknown amount.
    fn classify(&mut self, impulses: &[Vector3<f64>]) {
        self.velocities.clear();
        self.states.clear();
        self.active.clear();
        self.problem.delassus().begin(impulses, &mut self.memory);
        for (index, (contact, impulse)) in self.problem.contacts().iter().zip(impulses).enumerate()
        {
            let velocity = self.problem.velocity(index, impulses, &self.memory);
            let state = state(contact, impulse, &velocity);
            let components = match state {
                State::Open => 0,
                _ if contact.friction() == 0.0 => 1,
                _ => 3,
            };
            self.active.extend(3 * index..3 * index + components);
            for k in 0..3 {
                self.change[3 * index + k] = if k < components { 0.0 } else { -impulse[k] };
            }
            self.velocities.push(velocity);
            self.states.push(state);
        }
    }

    /// Fills matrix and right side.
    fn assemble(&mut self, impulses: &[Vector3<f64>]) {
        self.matrix.clear();
        self.right.clear();
        let known = self.change.iter().any(|change| *change != 0.0);
        // The rows of W of one contact in the active columns, and its velocities after the known changes.
        for (index, state) in self.states.iter().enumerate() {
            if matches!(state, State::Open) {
                continue;
            }
            let contact = &self.problem.contacts()[index];
            let (impulse, weight) = (&impulses[index], contact.inverse_mass());
            let mut velocity = self.velocities[index];
            if known {
                for (k, velocity) in velocity.iter_mut().enumerate() {
                    // Rows of a symmetric matrix are its columns up to rounding; those of an unsymmetric one are not.
                    let row = self.dense.row(3 * index + k);
                    *velocity += row.iter().zip(&self.change).map(|(w, p)| w * p).sum::<f64>();
                }
            }
            let entry = |k: usize, column: usize| self.dense[(3 * index + k, column)];
            let sticking = |component: usize, matrix: &mut Vec<f64>, right: &mut Vec<f64>| {
                let own = 3 * index + component;
                matrix.extend(self.active.iter().map(|&column| {
                    let ridge = if column == own { RIDGE * weight } else { 0.0 };
                    entry(component, column) + ridge
                }));
                right.push(-velocity[component]);
            };
            sticking(0, &mut self.matrix, &mut self.right);
            if contact.friction() == 0.0 {
                continue;
            }
            let State::Slides(along, share) = *state else {
                sticking(1, &mut self.matrix, &mut self.right);
                sticking(2, &mut self.matrix, &mut self.right);
                continue;
            };
            // w (dp_t − μ d dp_n) − s P (w dp_t − W_t dp) with P = I − d dᵀ.
            let across = [-along[1], along[0]];
            for k in 0..2 {
                let row = |&column: &usize| {
                    let turned = across[0] * entry(1, column) + across[1] * entry(2, column);
                    let mut value = share * across[k] * turned;
                    if let Some(own) = column.checked_sub(3 * index).filter(|own| *own < 3) {
                        value += weight
                            * match own {
                                0 => -contact.friction() * along[k],
                                own => {
                                    let unit = if own == k + 1 { 1.0 } else { 0.0 };
                                    unit - share * across[k] * across[own - 1]
                                }
                            };
                    }
                    value
                };
                self.matrix.extend(self.active.iter().map(row));
                let off = impulse[k + 1] - contact.friction() * impulse.x * along[k];
                let turned = across[0] * (velocity.y - self.velocities[index].y)
                    + across[1] * (velocity.z - self.velocities[index].z);
                self.right.push(-weight * off - share * across[k] * turned);
            }
        }
    }
}

fn state(contact: &Contact, impulse: &Vector3<f64>, velocity: &Vector3<f64>) -> State {
    let weight = contact.inverse_mass();
    if weight * impulse.x <= velocity.x {
        return State::Open;
    }
    let limit = contact.friction() * weight * impulse.x.max(0.0);
    let y = [weight * impulse.y - velocity.y, weight * impulse.z - velocity.z];
    let size = length(y[0], y[1]);
    if size <= limit {
        State::Sticks
    } else {
        State::Slides(y.map(|part| part / size), limit / size)
    }
}

/// The impulse without a pull, and with the friction that its normal part allows.
fn in_cone(friction: f64, impulse: &Vector3<f64>) -> Vector3<f64> {
    let normal = impulse.x.max(0.0);
    let (limit, tangential) = (friction * normal, length(impulse.y, impulse.z));
    let part = if tangential > limit { limit / tangential } else { 1.0 };
    Vector3::new(normal, part * impulse.y, part * impulse.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::friction::{Method, problem::tests::random_problem};

    /// Contacts of a few bodies, solved, with their impulses and another free velocity.
    fn moved(seed: u64, friction: f64, part: f64) -> (Problem, Vec<Vector3<f64>>) {
        let mut problem = random_problem(seed, 5, 6, friction);
        let solved = Method::default().with_tolerance(1e-12).solve(&problem).unwrap();
        let change = part * problem.velocity_scale();
        let free = problem.free_velocity().iter().zip(0_u8..);
        let free: Vec<_> = free.map(|(u, k)| u.add_scalar(change * f64::from(k))).collect();
        problem.set_free_velocity(&free).unwrap();
        (problem, solved.impulses)
    }

    #[test]
    fn impulses_of_nearly_the_same_velocities_take_a_few_steps() {
        let mut failed = 0;
        for (seed, friction) in (0..60).zip([0.0, 0.2, 0.5, 0.9].into_iter().cycle()) {
            let (problem, start) = moved(seed, friction, 1e-6);
            let mut impulses = start.clone();
            match solve(&problem, (1e-10, f64::INFINITY), &mut impulses).unwrap() {
                Some(report) => {
                    assert_eq!(report.status, Status::Solved);
                    assert!(report.iterations <= 3, "{report:?}");
                    let residual = problem.natural_map_residual(&impulses);
                    assert!(residual <= 1e-10 * problem.velocity_scale(), "seed {seed}");
                    let lies = |(contact, p): (&Contact, &Vector3<f64>)| {
                        p.y.hypot(p.z) <= contact.friction() * p.x * (1.0 + 1e-15)
                    };
                    assert!(problem.contacts().iter().zip(&impulses).all(lies), "seed {seed}");
                }
                None => {
                    failed += 1;
                    assert_eq!(impulses, start, "seed {seed}");
                }
            }
        }
        assert!(failed <= 3, "{failed} of 60");
    }

    #[test]
    fn without_impulses_to_start_from_nothing_is_tried() {
        let (problem, start) = moved(1, 0.5, 0.0);
        let mut zeros = vec![Vector3::zeros(); start.len()];
        assert_eq!(solve(&problem, (1e-8, f64::INFINITY), &mut zeros).unwrap(), None);
        assert!(solve(&problem, (f64::NAN, f64::INFINITY), &mut zeros).is_err());
        assert!(solve(&problem, (1e-8, f64::INFINITY), &mut zeros[1..]).is_err());
    }

    /// Far from the solution it may fail; the default then goes on from the same impulses.
    #[test]
    fn a_start_far_away_is_solved_by_the_default_all_the_same() {
        for seed in 0..30 {
            let (problem, start) = moved(seed, 0.7, 0.3);
            let mut impulses: Vec<_> = start.iter().rev().map(|p| -3.0 * p).collect();
            let far = impulses.clone();
            if solve(&problem, (1e-10, f64::INFINITY), &mut impulses).unwrap().is_none() {
                assert_eq!(impulses, far, "seed {seed}");
            }
            let report =
                Method::default().with_tolerance(1e-10).solve_from(&problem, &mut impulses);
            assert_eq!(report.unwrap().status, Status::Solved, "seed {seed}");
        }
    }
}
