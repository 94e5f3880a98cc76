//! The choice of a solver for the [frictional contact problem](Problem), as a value.

mod combined;
pub(super) mod near;

use nalgebra::Vector3;

use super::{
    Delassus, Infeasibility, Law, Problem, Report, Status, alternating_directions,
    block_gauss_seidel, interior_point,
    mixed::{self, Steps},
    projected_gradient, proximal_newton,
    report::{Error, check_law},
};

/// Maximum number of contacts for which the default method factorizes dense matrices.
pub const COMBINED_CONTACTS: usize = 400;

/// A solver with its settings.
///
/// Serialized with the method's [name](Method::name) as tag: `{"combined": {"tolerance": 1e-10}}`.
///
/// **The default**, [`Method::Combined`], begins with [sweeps](block_gauss_seidel) that extrapolate from the last ten. They
/// solve most problems in fewer than a hundred sweeps. Where two to ten contacts start from impulses that are not zero, five sweeps
/// are followed by Newton's steps, one or two if each contact sticks or slides as it did. Up to ten contacts that are not solved
/// after 25 sweeps get 40 steps of the solver of [problems with blocks](mixed) before further sweeps. Problems that need more have many contacts on few
/// bodies, very different masses or strong friction.
///
/// - *Contacts with few neighbors each*, as in towers, walls and piles: after 200 sweeps an [interior point](interior_point), and
///   after that [Newton steps to proximal points](proximal_newton), both with sparse factorizations. 1000 contacts of a tower of
///   blocks of 1 to 10⁴ kg, on which sweeps end at a relative residual of 2e-6 after 9 s, take 0.07 s.
/// - *Other contacts*: over more than 100, sweeps that do not halve the residual in 300 are followed by 1500 steps of the projected
///   gradient. After about `n²` sweeps of `n` contacts, a third of the time of the interior point, that method is tried if `n` is
///   at most [`COMBINED_CONTACTS`], and up to 100 contacts the solver of problems with blocks, whose Newton steps reach full
///   precision where contacts couple so strongly that a change of one impulse is undone by the others.
///
/// The next are the [projected gradient](projected_gradient), which is slow but robust, [alternating
/// directions](alternating_directions) and sweeps of half steps. The answer of each method is the start of further sweeps that
/// bring it to full precision. For maximum dissipation, which these methods do not support, the sweeps start from their answers to
/// Coulomb's law. The best impulses of all methods are returned.
///
/// Matrices that are unsymmetric because their two Jacobians differ by `2e-3` are solved like others. Noise of
/// that size on single entries of a singular matrix makes it indefinite; a solution then need not exist, and
/// the status reports this. An example is a body of 1 kg that moves at 1 m/s from one wall toward another. It has
/// `W = [[1, −c], [−c, 1]]` along the normals, with `c = 1`. For `c > 1` no impulses prevent the approach to
/// both walls, since `u₁ ≥ 0` requires `p₁ ≥ 1` and then `u₁ + c u₂ = (c − 1) − (c² − 1) p₁ < 0`.
///
/// **Problems without a solution.** When a method ends without an answer and there are at most
/// [`COMBINED_CONTACTS`] contacts, a [proof](Infeasibility) that there is no solution is searched for. If one
/// is found, the status is [`Status::Infeasible`]. The default method searches after its first sweeps, over
/// more than 100 contacts after the first projected gradients, and where factorizations are sparse after the interior point.
///
/// The accuracy of all methods is limited by round-off: with `κ` the ratio of the largest to the smallest `w_i`
/// of contacts in one stack, the smallest relative residual is about `1e-16 κ`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Method {
    /// The default method; see the head of this module.
    Combined(Combined),
    /// Sweeps over the contacts, see [`block_gauss_seidel`].
    BlockGaussSeidel(block_gauss_seidel::Settings),
    /// Interior-point method for all contacts at once; Coulomb's law only.
    InteriorPoint(interior_point::Settings),
    /// Newton's method for proximal points of all contacts; Coulomb's law only.
    ProximalNewton(proximal_newton::Settings),
    /// Alternating directions with one factorization; Coulomb's law only.
    AlternatingDirections(alternating_directions::Settings),
    /// Projected gradient with products only; Coulomb's law only.
    ProjectedGradient(projected_gradient::Settings),
}

/// Settings of [`Method::Combined`]. Its iterations are the sweeps and the steps of all methods that it has tried.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Combined {
    /// Stop when [`Problem::relative_residual`] is at most this (≥ 0, default `1e-8`).
    pub tolerance: f64,
    /// Maximum total number of sweeps (default `50_000`).
    pub max_sweeps: usize,
}

impl Default for Combined {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_sweeps: 50_000 }
    }
}

impl Default for Method {
    fn default() -> Self {
        Self::Combined(Combined::default())
    }
}

/// The result of a [`Method`], whatever the status.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// Impulses (N·s), one per contact.
    pub impulses: Vec<Vector3<f64>>,
    /// Velocities `W p + u_f` (m/s), one per contact.
    pub velocities: Vec<Vector3<f64>>,
    /// The status at the end of the solve.
    pub report: Report,
}

impl Method {
    /// Every method with its default settings.
    #[must_use]
    pub fn all() -> [Self; 6] {
        [
            Self::default(),
            Self::BlockGaussSeidel(block_gauss_seidel::Settings::default()),
            Self::InteriorPoint(interior_point::Settings::default()),
            Self::ProximalNewton(proximal_newton::Settings::default()),
            Self::AlternatingDirections(alternating_directions::Settings::default()),
            Self::ProjectedGradient(projected_gradient::Settings::default()),
        ]
    }

    /// The method's name on the command line and in files.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Combined(_) => "combined",
            Self::BlockGaussSeidel(_) => "block-gauss-seidel",
            Self::InteriorPoint(_) => "interior-point",
            Self::ProximalNewton(_) => "proximal-newton",
            Self::AlternatingDirections(_) => "alternating-directions",
            Self::ProjectedGradient(_) => "projected-gradient",
        }
    }

    /// A short description for lists.
    #[must_use]
    pub const fn summary(&self) -> &'static str {
        match self {
            Self::Combined(_) => {
                "Sweeps, and an interior point or projected gradients for problems that these leave unsolved"
            }
            Self::BlockGaussSeidel(_) => "Sweeps over the contacts",
            Self::InteriorPoint(_) => "All contacts at once; Coulomb's law only",
            Self::ProximalNewton(_) => {
                "All contacts at once, for hard problems with slip; Coulomb's law only"
            }
            Self::AlternatingDirections(_) => {
                "One factorization and many cheap steps; Coulomb's law only"
            }
            Self::ProjectedGradient(_) => "Products with W alone; Coulomb's law only",
        }
    }

    /// The supported laws; problems with another law are refused.
    ///
    /// ```
    /// use percussion_complementarity::friction::{Law, Method};
    ///
    /// let both = Method::all().into_iter().filter(|method| method.laws().len() == 2);
    /// let both: Vec<_> = both.map(|method| method.name()).collect();
    /// assert_eq!(both, ["combined", "block-gauss-seidel"]);
    /// ```
    #[must_use]
    pub const fn laws(&self) -> &'static [Law] {
        match self {
            // The combined method ends with sweeps, so it supports the laws of the sweeps.
            Self::Combined(_) | Self::BlockGaussSeidel(_) => block_gauss_seidel::LAWS,
            Self::InteriorPoint(_) => interior_point::LAWS,
            Self::ProximalNewton(_) => proximal_newton::LAWS,
            Self::AlternatingDirections(_) => alternating_directions::LAWS,
            Self::ProjectedGradient(_) => projected_gradient::LAWS,
        }
    }

    /// Checks that the method supports `law`, before a problem exists.
    ///
    /// # Errors
    ///
    /// [`Error::Law`] if it does not.
    pub fn check_law(&self, law: Law) -> Result<(), Error> {
        check_law(law, self.laws())
    }

    /// Its tolerance.
    #[must_use]
    pub const fn tolerance(mut self) -> f64 {
        *self.tolerance_mut()
    }

    /// This method with another tolerance (≥ 0).
    #[must_use]
    pub const fn with_tolerance(mut self, tolerance: f64) -> Self {
        *self.tolerance_mut() = tolerance;
        self
    }

    const fn tolerance_mut(&mut self) -> &mut f64 {
        match self {
            Self::Combined(settings) => &mut settings.tolerance,
            Self::BlockGaussSeidel(settings) => &mut settings.tolerance,
            Self::InteriorPoint(settings) => &mut settings.tolerance,
            Self::ProximalNewton(settings) => &mut settings.tolerance,
            Self::AlternatingDirections(settings) => &mut settings.tolerance,
            Self::ProjectedGradient(settings) => &mut settings.tolerance,
        }
    }

    /// Solves `problem` from zero impulses.
    ///
    /// # Errors
    ///
    /// See [`Error`], also for a problem whose law is not among [`laws`](Self::laws). Not converging is not an error but a
    /// status.
    ///
    /// # Example
    ///
    /// A block of 2 kg that slides at 3 m/s is pressed to the floor with 4 N·s; friction of 0.5 takes 2 N·s of
    /// its momentum.
    ///
    /// ```
    /// use nalgebra::DMatrix;
    /// use percussion_complementarity::friction::{Method, Problem, Status};
    ///
    /// let problem = Problem::from_dense(&(0.5 * DMatrix::identity(3, 3)), &[-2.0, 3.0, 0.0], &[0.5])?;
    /// for method in Method::all() {
    ///     let solution = method.solve(&problem)?;
    ///     assert_eq!(solution.report.status, Status::Solved, "{}", method.name());
    ///     assert!((solution.impulses[0].y + 2.0).abs() < 1e-4);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve<D: Delassus>(&self, problem: &Problem<D>) -> Result<Solution, Error> {
        let mut impulses = vec![Vector3::zeros(); problem.contact_count()];
        let report = self.solve_from(problem, &mut impulses)?;
        Ok(Solution { velocities: problem.velocities(&impulses), impulses, report })
    }

    /// Solves `problem` in place, starting from `impulses` (N·s, one per contact).
    ///
    /// # Errors
    ///
    /// Those of [`solve`](Self::solve), and if there is not one finite impulse per contact.
    pub fn solve_from<D: Delassus>(
        &self,
        problem: &Problem<D>,
        impulses: &mut [Vector3<f64>],
    ) -> Result<Report, Error> {
        let mut report = match self {
            Self::Combined(settings) => return combined::combined(problem, settings, impulses),
            Self::BlockGaussSeidel(settings) => {
                block_gauss_seidel::solve(problem, settings, impulses)
            }
            Self::InteriorPoint(settings) => interior_point::solve(problem, settings, impulses),
            Self::ProximalNewton(settings) => proximal_newton::solve(problem, settings, impulses),
            Self::AlternatingDirections(settings) => {
                alternating_directions::solve(problem, settings, impulses)
            }
            Self::ProjectedGradient(settings) => {
                projected_gradient::solve(problem, settings, impulses)
            }
        }?;
        if report.status != Status::Solved && is_infeasible(problem) {
            report.status = Status::Infeasible;
        }
        Ok(report)
    }
}

impl Method {
    /// Whether the method supports [problems with blocks](mixed).
    #[must_use]
    pub const fn supports_blocks(&self) -> bool {
        matches!(
            self,
            Self::Combined(_) | Self::BlockGaussSeidel(_) | Self::AlternatingDirections(_)
        )
    }

    /// Checks that the method supports problems with blocks, before one exists.
    ///
    /// # Errors
    ///
    /// [`Error::Blocks`] if it does not.
    pub const fn check_blocks(&self) -> Result<(), Error> {
        if self.supports_blocks() { Ok(()) } else { Err(Error::Blocks { solver: self.name() }) }
    }

    /// Solves a [problem with blocks](mixed) in place, starting from `impulses` (one per row).
    ///
    /// A problem of [nothing but discs](mixed::Problem::discs) is solved by
    /// [`solve_from`](Self::solve_from), to the same bits. For others the method's tolerance and limit of iterations
    /// are used, and not its order of sweeps, extrapolation, penalty and relaxation.
    ///
    /// # Errors
    ///
    /// [`Error::Blocks`] for a method that does not [support blocks](Self::supports_blocks), and those of
    /// [`mixed::Problem::solve_from`].
    pub fn solve_blocks_from(
        &self,
        problem: &mixed::Problem,
        impulses: &mut [f64],
    ) -> Result<Report, Error> {
        if let Some(discs) = problem.discs()
            && impulses.len() == problem.rows()
        {
            let mut vectors: Vec<_> =
                impulses.chunks_exact(3).map(Vector3::from_column_slice).collect();
            let report = self.solve_from(&discs, &mut vectors)?;
            impulses.iter_mut().zip(vectors.iter().flatten()).for_each(|(to, from)| *to = *from);
            return Ok(report);
        }
        self.check_blocks()?;
        let (tolerance, max_iterations, steps) = match self {
            Self::BlockGaussSeidel(of) => (of.tolerance, of.max_sweeps, Steps::Sweeps),
            Self::AlternatingDirections(of) => {
                (of.tolerance, of.max_steps, Steps::AlternatingDirections)
            }
            Self::Combined(of) => (of.tolerance, of.max_sweeps, Steps::Combined),
            Self::InteriorPoint(_) | Self::ProximalNewton(_) | Self::ProjectedGradient(_) => {
                return Err(Error::Blocks { solver: self.name() });
            }
        };
        let settings =
            mixed::Settings { tolerance, max_iterations, steps, ..mixed::Settings::default() };
        problem.solve_from(&settings, impulses)
    }
}

fn is_infeasible<D: Delassus>(problem: &Problem<D>) -> bool {
    problem.contact_count() <= COMBINED_CONTACTS && Infeasibility::find(problem).is_some()
}

#[cfg(test)]
mod tests;
