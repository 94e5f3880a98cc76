//! The linear complementarity problem of an impact with polyhedral friction, shared by the laws.
//!
//! A contact with one tangent may be pushed in both of its directions, `d = ±t`; one with two tangents in `k`
//! directions `d_j = cos(2πj/k) t + sin(2πj/k) o`, which inscribe a polygon in Coulomb's disk. With the
//! impulses `β ≥ 0` along the directions of all contacts, the normal impulses `c ≥ 0` and one slip speed
//! `λ ≥ 0` for each contact with tangents,
//!
//! ```math
//! z = (\beta, c, \lambda), \qquad
//! w = \begin{bmatrix} D W D^\mathsf{T} & D W N^\mathsf{T} & E \\
//!                     N W D^\mathsf{T} & N W N^\mathsf{T} & 0 \\
//!                     -E^\mathsf{T} & \mathrm{diag}(\mu) & 0 \end{bmatrix} z
//!   + \begin{bmatrix} D u \\ N u - s \\ \mu r \end{bmatrix}, \qquad 0 \le z \perp w \ge 0,
//! ```
//!
//! with the Delassus operator `W` of the bodies in their joints, the contact velocity `u` without impulses,
//! minimum speeds of separation `s`, and normal impulses `r` that act already and are included in `u`. So a
//! contact pushes or separates faster than `s`, and friction opposes sliding as much as the normal impulse
//! `c + r` allows.
//!
//! The matrix is copositive for any `s` and `r`: `zᵀMz` is twice the kinetic energy of the impulses of `z`,
//! and `λᵀ diag(μ) c ≥ 0`. The signs give solvability: for `s ≤ 0` and `r ≥ 0` Lemke's method finds a
//! solution, in exact arithmetic. If `z ≥ 0` has `zᵀMz = 0`, its impulses cause no motion and do no work on
//! the velocities `u` of bodies, so that `qᵀz = −s·c + (μ r)·λ ≥ 0`; for such a copositive problem Lemke's
//! method does not end on a ray without a solution.
//!
//! # Source
//!
//! D. E. Stewart, J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with
//! inelastic collisions and Coulomb friction", *International Journal for Numerical Methods in
//! Engineering* 39 (1996) 2673–2691;
//! M. Anitescu, F. A. Potra, "Formulating dynamic multi-rigid-body contact problems with friction as
//! solvable linear complementarity problems", *Nonlinear Dynamics* 14 (1997) 231–247.

use nalgebra::{DMatrix, DVector};
use percussion_complementarity::lcp::{self, lemke};

use crate::{
    Contact, Problem,
    directions::direction,
    law::Error,
    outcome::Status,
    settings::{self, FromSettings},
};

/// Maximum number of unknowns: each of the dense matrices of Lemke's method then takes 200 MB.
const MOST_UNKNOWNS: usize = 5000;

/// Settings of the laws that solve complementarity problems.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Number of directions of friction of a contact with two tangents (even, 4 to 360, default 8). Along the
    /// directions the bound of friction is `μ` times the normal impulse, between them down to `cos(π/k)` of
    /// that.
    pub directions: usize,
    /// Settings of Lemke's method.
    pub lemke: lemke::Settings,
}

impl Default for Settings {
    fn default() -> Self {
        Self { directions: 8, lemke: lemke::Settings::default() }
    }
}

/// The unknowns of a problem and their meaning; builds and solves its LCPs.
///
/// # Example
///
/// A particle of 4 kg that slides at 1 m/s and falls at 3 m/s needs 12 N·s to land. Friction with `μ = 1/2`
/// is bounded by 6 N·s, and 4 N·s stop the sliding.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_impact::{Contact, Mass, Problem, step_lcp::{Settings, StepLcp}};
///
/// let ground = Contact::new(dvector![0.0, 1.0]).with_friction(0.5, vec![dvector![1.0, 0.0]]);
/// let mass = Mass::Matrix(dmatrix![4.0, 0.0; 0.0, 4.0]);
/// let problem = Problem::new(mass, dvector![1.0, -3.0], vec![ground])?;
///
/// let step = StepLcp::new(&problem, &Settings::default())?;
/// assert_eq!(step.dimension(), 4); // two directions, one normal, one slip speed
/// let none = dvector![0.0];
/// let (impulse, _) = step.solve(&problem.free_contact_velocity(), &none, &none)?;
/// assert!((impulse - dvector![12.0, -4.0]).amax() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct StepLcp<'a> {
    problem: &'a Problem,
    settings: Settings,
    /// Impulses at the rows of `J` per unit of `β` and `c` (`r ×` their number).
    generators: DMatrix<f64>,
    /// For each contact with tangents, its index and the first index and the number of its `β`.
    bearing: Vec<(usize, usize, usize)>,
    /// Number of all `β`.
    directions: usize,
}

impl<'a> StepLcp<'a> {
    /// Sets up the unknowns of `problem`.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] when the number of directions is outside its range, [`Error::TooLarge`] for more
    /// than 5000 unknowns.
    pub fn new(problem: &'a Problem, settings: &Settings) -> Result<Self, Error> {
        let k = settings.directions;
        check_directions(k)?;
        let contacts = problem.contacts().len();
        let unknowns = |contact: &Contact| [1, 4, k + 2][contact.tangents.len()];
        let found = problem.contacts().iter().map(unknowns).sum();
        if found > MOST_UNKNOWNS {
            return Err(Error::TooLarge { found, limit: MOST_UNKNOWNS });
        }
        let mut columns = Vec::new();
        let mut bearing = Vec::new();
        for (index, contact) in problem.contacts().iter().enumerate() {
            let tangents = contact.tangents.len();
            let count = [0, 2, k][tangents];
            if count > 0 {
                bearing.push((index, columns.len(), count));
            }
            for j in 0..count {
                let mut column = DVector::zeros(problem.contact_jacobian().nrows());
                let direction = direction(j, count);
                let first = problem.rows(index).start + 1;
                column.as_mut_slice()[first..first + tangents]
                    .copy_from_slice(&direction[..tangents]);
                columns.push(column);
            }
        }
        let directions = columns.len();
        columns.extend((0..contacts).map(|index| {
            let mut column = DVector::zeros(problem.contact_jacobian().nrows());
            column[problem.rows(index).start] = 1.0;
            column
        }));
        let generators =
            if columns.is_empty() { DMatrix::zeros(0, 0) } else { DMatrix::from_columns(&columns) };
        Ok(Self { problem, settings: *settings, generators, bearing, directions })
    }

    /// Number of unknowns.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.generators.ncols() + self.bearing.len()
    }

    /// Impulses at the rows of `J` (length `r`, N·s) per unknown (`r ×` [`dimension`](Self::dimension)).
    #[must_use]
    pub fn impulse_map(&self) -> DMatrix<f64> {
        let slips = self.bearing.len();
        self.generators.clone().resize_horizontally(self.generators.ncols() + slips, 0.0)
    }

    /// The LCP for the contact velocity `u` (length `r`, m/s), the speeds of separation `s` (m/s) and
    /// the normal impulses `r` (N·s), one entry for each contact.
    ///
    /// # Errors
    ///
    /// [`lcp::ProblemError`] when an entry overflows, or when there is no contact.
    ///
    /// # Panics
    ///
    /// When a length is wrong.
    pub fn problem(
        &self,
        contact_velocity: &DVector<f64>,
        separation: &DVector<f64>,
        acting: &DVector<f64>,
    ) -> Result<lcp::Problem, lcp::ProblemError> {
        let (n, pushes) = (self.dimension(), self.generators.ncols());
        let mut matrix = DMatrix::zeros(n, n);
        let delassus = self.generators.tr_mul(&(self.problem.delassus() * &self.generators));
        matrix.view_mut((0, 0), (pushes, pushes)).copy_from(&delassus);
        let mut vector = DVector::zeros(n);
        vector.rows_mut(0, pushes).copy_from(&self.generators.tr_mul(contact_velocity));
        for (contact, speed) in separation.iter().enumerate() {
            vector[self.directions + contact] -= speed;
        }
        for (slip, &(contact, first, count)) in self.bearing.iter().enumerate() {
            let friction = self.problem.contacts()[contact].friction;
            matrix.view_mut((first, pushes + slip), (count, 1)).fill(1.0);
            matrix.view_mut((pushes + slip, first), (1, count)).fill(-1.0);
            matrix[(pushes + slip, self.directions + contact)] = friction;
            vector[pushes + slip] = friction * acting[contact];
        }
        lcp::Problem::new(matrix, vector)
    }

    /// Solves the LCP of [`problem`](Self::problem) by Lemke's method; returns the impulses (length `r`,
    /// N·s), without those that act already.
    ///
    /// # Errors
    ///
    /// [`Error::Lcp`] and [`Error::Lemke`].
    ///
    /// # Panics
    ///
    /// When a length is wrong.
    pub fn solve(
        &self,
        contact_velocity: &DVector<f64>,
        separation: &DVector<f64>,
        acting: &DVector<f64>,
    ) -> Result<(DVector<f64>, Status), Error> {
        let problem = self.problem(contact_velocity, separation, acting)?;
        let mut z = DVector::zeros(self.dimension());
        let mut workspace = lemke::Workspace::new(z.len());
        let report = lemke::solve(&problem, &self.settings.lemke, &mut workspace, &mut z)?;
        #[cfg(feature = "tracing")]
        tracing::debug!(?report, "solved the LCP of an impact");
        let solved = report.status == lcp::Status::Solved;
        let status = if solved { Status::Resolved } else { Status::Unsolved };
        Ok((&self.generators * z.rows(0, self.generators.ncols()), status))
    }
}

/// Refuses a number of directions in space that is outside its range.
pub(crate) fn check_directions(k: usize) -> Result<(), Error> {
    if k % 2 == 1 || !(4..=360).contains(&k) {
        let (value, expected) = (k as f64, "an even number from 4 to 360");
        return Err(Error::Setting { name: "directions", value, expected });
    }
    Ok(())
}

impl FromSettings for Settings {
    fn from_settings(settings: &mut settings::Settings) -> Result<Self, settings::Error> {
        let defaults = Self::default();
        Ok(Self {
            directions: settings.count("directions", defaults.directions, settings::DIRECTIONS)?,
            lemke: settings.within("lemke.", lemke::Settings::from_settings)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{dmatrix, dvector};

    use super::*;
    use crate::Mass;

    /// A particle of 4 kg with a contact in the plane and one without friction.
    fn particle() -> Problem {
        let floor = Contact::new(dvector![0.0, 1.0]).with_friction(0.5, vec![dvector![1.0, 0.0]]);
        let wall = Contact::new(dvector![1.0, 0.0]);
        let mass = Mass::Matrix(dmatrix![4.0, 0.0; 0.0, 4.0]);
        Problem::new(mass, dvector![-1.0, -3.0], vec![floor, wall]).unwrap()
    }

    #[test]
    fn the_rows_are_those_of_the_documentation() {
        let particle = particle();
        let step = StepLcp::new(&particle, &Settings::default()).unwrap();
        let velocity = particle.free_contact_velocity();
        let lcp = step.problem(&velocity, &dvector![1.0, 0.0], &dvector![4.0, 0.0]).unwrap();
        let expected = dmatrix![
             0.25, -0.25, 0.0,   0.25, 1.0;
            -0.25,  0.25, 0.0,  -0.25, 1.0;
             0.0,   0.0,  0.25,  0.0,  0.0;
             0.25, -0.25, 0.0,   0.25, 0.0;
            -1.0,  -1.0,  0.5,   0.0,  0.0];
        assert_eq!(lcp.matrix(), &expected);
        assert_eq!(lcp.vector(), &dvector![-1.0, 1.0, -4.0, -1.0, 2.0]);
        assert_eq!(step.impulse_map().shape(), (3, 5));
    }

    #[test]
    fn an_odd_number_of_directions_is_refused() {
        let settings = Settings { directions: 5, ..Settings::default() };
        let error = StepLcp::new(&particle(), &settings).unwrap_err();
        let expected = "setting `directions` is 5, expected an even number from 4 to 360";
        assert_eq!(error.to_string(), expected);
    }
}
