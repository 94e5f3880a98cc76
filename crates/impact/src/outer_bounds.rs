//! Intervals that provably contain every outcome of an impact.
//!
//! Samples show a part of the set of outcomes from within ([`set_valued`](crate::set_valued)). These bounds
//! enclose it from outside, so that both together show how much may be missed. They use three facts, which
//! hold for all relative rates of the impulses and all coefficients of restitution in `[0, 1]`:
//!
//! ```math
//! \|v^+\| \le \|v_f\|, \qquad
//! M (v^+ - v_f) = J^\mathsf{T} \Lambda,\; \|\Lambda_{t,i}\| \le \mu_i \Lambda_{n,i}, \qquad
//! J_{n,i} v^+ \ge -\tau
//! ```
//!
//! with the norm `‖v‖² = vᵀ M v` of the kinetic energy, the velocity `v_f` before the impact (with the joints
//! enforced) and the approach `τ` that counts as none.
//!
//! **A bound from multipliers.** Let `a` be any functional, and choose any `ν ≥ 0` (one for each contact) and
//! two velocities `x`, `w` with `M (x + w) = a + Nᵀ ν`. Then
//!
//! ```math
//! a \cdot v^+ \;\le\; x \cdot M v_f + R\,\|w\| + \tau \sum_i \nu_i
//!   + S \max_i \bigl( (J x)_{n,i} + \mu_i \|(J x)_{t,i}\| \bigr)_+ ,
//! ```
//!
//! because `a · v⁺ = x · M v⁺ + w · M v⁺ − ν · N v⁺` and `x · M v⁺ = x · M v_f + (J x) · Λ`. Here `R` bounds
//! `‖v⁺‖`, and `S` the sum of the normal impulses: if the friction cone is pointed with the direction `r` and the
//! constant `c`, then `c Σ Λ_n ≤ r · M (v⁺ − v_f) ≤ ‖r‖ R − r · M v_f`. Both are taken relative to a velocity that
//! impulses cannot change, which makes `R` smaller. The least energy has the same form with `a = 0`:
//! `0 ≤ … + ‖w‖ ‖v⁺‖` bounds `‖v⁺‖` from below.
//!
//! Multipliers come from linear programs, in which `‖w‖` and the cones are replaced by polyhedra. The bound
//! is then evaluated with the round cones, the norm itself and outward rounding, so that **a wrong answer of
//! the solver can only make it looser**.
//!
//! - **Needs** no special structure. If the cone of the disks is not pointed, or this cannot be proven,
//!   bounds use the energy only where the last term is not exactly zero.
//! - **Guarantees** that every outcome of the model is inside: the exact path, for the data of the problem
//!   as they are stored. Computed outcomes exceed a bound by no more than their own rounding. With joints the
//!   guarantee relies on the rounding that [`Problem`] states for their elimination. If the mass matrix has a
//!   condition number above about `1e13`, nothing is proven and the bounds are infinite.
//! - **Does not** use the coefficients of restitution, nor that friction opposes the slip at every instant. The
//!   outcomes may fill only a part of the intervals, as with one frictionless contact: the interval is `[0, |u|]`
//!   and the outcome `e |u|`.
//! - **Cost** up to [`Settings::programs`] linear programs for each end of each interval.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Source
//!
//! The derivation is ours; the linear growth of impulses is lemma 6 of M. Halm, M. Posa, "Set-valued
//! rigid-body dynamics for simultaneous, inelastic, frictional impacts", *International Journal of Robotics
//! Research* 43 (2024). A. Neumaier, O. Shcherbina, "Safe bounds in linear and mixed-integer linear
//! programming", *Mathematical Programming* 99 (2004) 283–296 (bounds from inexact multipliers); S. M. Rump,
//! "Verification of positive definiteness", *BIT Numerical Mathematics* 46 (2006) 433–452.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use crate::{
    Problem,
    friction_cone::{
        self, FrictionCone,
        generators::{Generators, edges},
    },
    readable::readable,
};

mod interval;
mod programs;
mod proof;
#[cfg(test)]
mod tests;

use programs::{Found, Program};
use proof::{Multipliers, Proof};

/// Number of entries in the tables of all programs of [`OuterBounds::all`].
const WORK: usize = 20_000_000;

/// Settings of [`OuterBounds`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Approach that counts as none, as a fraction of the fastest contact velocity before the impact (in
    /// `[0, 1)`, default `1e-9`); that of the samples, if they are compared.
    pub tolerance: f64,
    /// Directions of friction in the programs for a contact with two tangents (even, 4 to 360, default 16). It
    /// affects only how tight the bounds are: the multipliers are tested with the disk.
    pub directions: usize,
    /// Maximum number of linear programs for each end of an interval (default 20); 0 leaves the bound from the
    /// energy alone.
    pub programs: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tolerance: 1e-9, directions: 16, programs: 20 }
    }
}

/// Error for an argument outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is outside its documented range.
    #[error("`{name}` is {}, expected {expected}", readable(*.value))]
    Argument {
        /// Name of the argument.
        name: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
}

/// The intervals of all velocities, of all contact velocities and of the energy.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Intervals {
    /// Lower bounds of `v⁺` (length `n_v`, m/s and rad/s; `−∞` where nothing is proven).
    pub velocity_min: DVector<f64>,
    /// Upper bounds of `v⁺`.
    pub velocity_max: DVector<f64>,
    /// Lower bounds of `J v⁺` (length `r`, m/s).
    pub contact_velocity_min: DVector<f64>,
    /// Upper bounds of `J v⁺`.
    pub contact_velocity_max: DVector<f64>,
    /// Bounds of the kinetic energy (J).
    pub energy: [f64; 2],
    /// Upper bound of the sum of the normal impulses (N·s); infinite if it is not known that the friction cone is
    /// pointed.
    pub impulse: f64,
}

/// Bounds of all outcomes of an impact; see the [module](self).
///
/// # Example
///
/// A point of 1 kg arrives at (1, −1) m/s on a floor with `μ = 1/4`. Its impulse is in the cone and it keeps at most
/// its energy of 1 J. The farthest outcome to the right has full friction against it and all of this energy:
/// `1.0625 y² + 0.625 y = 0.4375` gives `y = 7/17` and `x = 1.25 + y/4 = 23/17`. The least energy is that of
/// the point of the line `x = 0.75 − y/4` nearest to rest: `½ 0.75²/1.0625 = 9/34` J.
///
/// ```
/// use nalgebra::{DMatrix, dvector};
/// use percussion_impact::{Contact, Mass, Problem, outer_bounds::{OuterBounds, Settings}};
///
/// let floor = Contact::new(dvector![0.0, 1.0]).with_friction(0.25, vec![dvector![1.0, 0.0]]);
/// let mass = Mass::Matrix(DMatrix::identity(2, 2));
/// let problem = Problem::new(mass, dvector![1.0, -1.0], vec![floor])?;
///
/// let bounds = OuterBounds::new(&problem, &Settings::default())?;
/// let [low, high] = bounds.interval(&dvector![1.0, 0.0])?;
/// assert!(low <= 0.5 && high >= 23.0 / 17.0);
/// assert!((high - 23.0 / 17.0).abs() < 1e-6);
/// assert!((bounds.energy()[0] - 9.0 / 34.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct OuterBounds<'a> {
    problem: &'a Problem,
    programs: usize,
    proof: Proof<'a>,
    program: Program,
    /// `Q`: an orthonormal basis of the effects of impulses (`n_v × d`).
    basis: DMatrix<f64>,
    factor: Option<Cholesky<f64, Dyn>>,
    /// `√(J_n M⁻¹ J_nᵀ)` of each normal in the programs.
    sizes: Vec<f64>,
}

impl<'a> OuterBounds<'a> {
    /// Prepares the bounds of the outcomes of `problem`.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when a setting is outside its range.
    pub fn new(problem: &'a Problem, settings: &Settings) -> Result<Self, Error> {
        check(settings)?;
        let n = problem.dimension();
        let unit = |j: usize| DVector::from_fn(n, |row, _| if row == j { 1.0 } else { 0.0 });
        let mut mass = DMatrix::zeros(n, n);
        for j in 0..n {
            mass.set_column(j, &problem.momentum(&unit(j)));
        }
        let mass = mass.symmetric_part();
        let none = DMatrix::zeros(n, 0);
        let basis = Generators::new(problem, 4).map_or(none, |generators| generators.basis);
        let coordinates = basis.tr_mul(&mass);
        let start = problem.free_velocity();
        let center = &start - &basis * (&coordinates * &start);
        let growth = growth(problem, settings.directions);
        let tolerance = settings.tolerance * problem.borrow_free_contact_velocity().amax();
        let factor = mass.clone().cholesky();
        let proof = Proof::new(problem, mass, tolerance, growth.as_ref(), center);
        let (program, sizes) =
            program(problem, &basis, &coordinates * start, tolerance, settings.directions);
        let programs = settings.programs;
        Ok(Self { problem, programs, proof, program, basis, factor, sizes })
    }

    /// The interval of `a · v⁺` over all outcomes for a `functional` `a` (length `n_v`), such as a row of `J`.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] when the length is wrong or an entry is not finite.
    pub fn interval(&self, functional: &DVector<f64>) -> Result<[f64; 2], Error> {
        if functional.len() != self.problem.dimension() {
            let (name, expected) = ("length of the functional", "the number of velocities");
            return Err(Error::Argument { name, value: functional.len() as f64, expected });
        }
        if let Some(&value) = functional.iter().find(|entry| !entry.is_finite()) {
            let (name, expected) = ("entry of the functional", "a finite number");
            return Err(Error::Argument { name, value, expected });
        }
        let upper = |functional: &DVector<f64>| self.upper(functional, self.programs);
        Ok([-upper(&-functional), upper(functional)])
    }

    /// Lower and upper bound of the kinetic energy of all outcomes (J). The upper bound is the energy before the
    /// impact.
    #[must_use]
    pub fn energy(&self) -> [f64; 2] {
        let mut least = 0.0_f64;
        let none = DVector::zeros(self.problem.dimension());
        if self.program.start.norm() > 0.0 {
            self.program.search(None, self.programs, |found| {
                if let Some(multipliers) = self.multipliers(&none, 1.0, found) {
                    least = least.max(self.proof.least_energy(&multipliers));
                }
            });
        }
        let zero = Found { ball: DVector::zeros(self.basis.ncols()), normals: Vec::new() };
        // Without effects of impulses the energy is that of the motion that they do not change.
        if let Some(multipliers) = self.multipliers(&none, 1.0, &zero) {
            least = least.max(self.proof.least_energy(&multipliers));
        }
        let largest = self.proof.largest_energy();
        [least.min(largest), largest]
    }

    /// Upper bound of the sum of the normal impulses of all outcomes (N·s); infinite if the friction cone is not
    /// known to be pointed.
    #[must_use]
    pub const fn impulse(&self) -> f64 {
        self.proof.impulse
    }

    /// The intervals of all velocities, contact velocities and of the energy.
    ///
    /// With many contacts each end gets fewer programs than [`Settings::programs`], so that the total work does
    /// not grow: from about 10 contacts in space on, a few; the bounds are then less tight.
    #[must_use]
    pub fn all(&self) -> Intervals {
        let n = self.problem.dimension();
        let units = (0..n)
            .map(|j| DVector::from_fn(n, |row, _| if row == j { 1.0 } else { 0.0 }))
            .collect::<Vec<_>>();
        let rows = self.problem.contact_jacobian().row_iter().map(|row| row.transpose());
        let rows: Vec<_> = rows.collect();
        let columns = 4 * self.basis.ncols() + self.program.normals.len() + 1;
        let entries = columns * (self.program.edges.len() + 1);
        let limit = WORK / entries / (2 * (n + rows.len() + 1));
        let limit = limit.max(2).min(self.programs);
        let bound = |functionals: &[DVector<f64>], sign: f64| {
            let ends = functionals.iter().map(|a| sign * self.upper(&(a * sign), limit));
            DVector::from_iterator(functionals.len(), ends)
        };
        Intervals {
            velocity_min: bound(&units, -1.0),
            velocity_max: bound(&units, 1.0),
            contact_velocity_min: bound(&rows, -1.0),
            contact_velocity_max: bound(&rows, 1.0),
            energy: self.energy(),
            impulse: self.impulse(),
        }
    }

    /// The least upper bound of `a · v⁺` found.
    fn upper(&self, functional: &DVector<f64>, programs: usize) -> f64 {
        let Some(factor) = &self.factor else { return f64::INFINITY };
        let inner = self.basis.tr_mul(functional);
        let size = inner.norm();
        let mut least = f64::INFINITY;
        let mut take = |found: &Found| {
            if let Some(multipliers) = self.multipliers(functional, size, found) {
                least = least.min(self.proof.upper(functional, &multipliers));
            }
        };
        // The energy alone: all of the functional that impulses can change is in the ball.
        let ball = if size > 0.0 { &inner / size } else { DVector::zeros(inner.len()) };
        take(&Found { ball: ball.clone(), normals: Vec::new() });
        let rounding = f64::EPSILON * (functional.dot(&factor.solve(functional))).sqrt();
        if size > 16.0 * rounding && self.program.start.norm() > 0.0 {
            self.program.search(Some(&ball), programs, take);
        }
        least
    }

    /// Multipliers in the velocities of the problem: `x = M⁻¹ (a + Nᵀ ν) − w` within the joints.
    fn multipliers(
        &self,
        functional: &DVector<f64>,
        size: f64,
        found: &Found,
    ) -> Option<Multipliers> {
        let ball = &self.basis * &found.ball * size;
        let mut normals = DVector::zeros(self.problem.contacts().len());
        let mut momentum = functional.clone();
        for ((value, (contact, _, _)), row_size) in
            found.normals.iter().zip(&self.program.normals).zip(&self.sizes)
        {
            normals[*contact] = value * size / row_size;
            let row = self.problem.contact_jacobian().row(self.problem.rows(*contact).start);
            momentum.axpy(normals[*contact], &row.transpose(), 1.0);
        }
        let free = self.factor.as_ref()?.solve(&momentum);
        let impulses = self.problem.with_velocity(free).ok()?.free_velocity() - &ball;
        Some(Multipliers { impulses, ball, normals })
    }
}

fn check(settings: &Settings) -> Result<(), Error> {
    let refuse = |name, value, expected| Err(Error::Argument { name, value, expected });
    if !(0.0..1.0).contains(&settings.tolerance) {
        return refuse("tolerance", settings.tolerance, "a number in [0, 1)");
    }
    let directions = settings.directions;
    if directions % 2 == 1 || !(4..=360).contains(&directions) {
        return refuse("directions", directions as f64, "an even number from 4 to 360");
    }
    Ok(())
}

/// A direction in which all impulses push. It need not be the best: only rounding is multiplied by the bound that follows
/// from it.
fn growth(problem: &Problem, directions: usize) -> Option<DVector<f64>> {
    let settings =
        friction_cone::Settings { directions, gap: 1e-2, ..friction_cone::Settings::default() };
    match friction_cone::analyze(problem, &settings) {
        Ok(FrictionCone::Pointed(pointed)) => Some(pointed.direction),
        _ => None,
    }
}

/// The programs in the coordinates of `basis`, relative to the velocity `start` before the impact in them; and
/// the size of each normal row.
fn program(
    problem: &Problem,
    basis: &DMatrix<f64>,
    start: DVector<f64>,
    tolerance: f64,
    directions: usize,
) -> (Program, Vec<f64>) {
    let length = start.norm();
    let mut jacobian = problem.contact_jacobian() * basis;
    for row in (0..jacobian.nrows()).filter(|row| problem.is_locked(*row)) {
        jacobian.row_mut(row).fill(0.0);
    }
    let (mut normals, mut sizes, mut all_edges) = (Vec::new(), Vec::new(), Vec::new());
    for (index, contact) in problem.contacts().iter().enumerate() {
        let row = problem.rows(index).start;
        let normal = jacobian.row(row).transpose();
        let size = normal.norm();
        if size > 0.0 {
            normals.push((index, &normal / size, tolerance / (size * length)));
            sizes.push(size);
        }
        // The circumscribed polygon contains the disk.
        let count = if contact.tangents.len() == 2 { directions as f64 } else { f64::INFINITY };
        let friction = contact.friction / (std::f64::consts::PI / count).cos();
        for along in edges(contact.tangents.len(), friction, directions) {
            let mut edge = normal.clone();
            for (tangent, part) in along.iter().take(contact.tangents.len()).enumerate() {
                edge.axpy(*part, &jacobian.row(row + 1 + tangent).transpose(), 1.0);
            }
            let size = edge.norm();
            if size > 0.0 {
                all_edges.push(edge / size);
            }
        }
    }
    let start = if length > 0.0 { start / length } else { start };
    (Program { start, normals, edges: all_edges }, sizes)
}
