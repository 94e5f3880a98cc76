//! The choice of a solver for the [frictional contact problem](Problem), as a value.

use nalgebra::Vector3;

use super::{
    Delassus, Infeasibility, Law, Problem, Report, Status, alternating_directions,
    block_gauss_seidel::{self, Ordering},
    interior_point,
    mixed::{self, Block, Section, Steps},
    projected_gradient,
    report::{Error, check_law},
    single::Contact,
};

/// Maximum number of contacts for which the default method factorizes dense matrices.
pub const COMBINED_CONTACTS: usize = 400;

/// Number of contacts from which a factorization costs more than [`FEW`] projected gradients.
const MANY: usize = 100;

/// Up to this number of contacts Newton's steps take less time than many sweeps.
const TINY: usize = 10;
/// Sweeps over these before the steps, and the number of steps.
const OPENING: usize = 25;
const OPENING_STEPS: usize = 40;
/// Steps of the solver of problems with blocks where it is tried as a whole.
const MOST_STEPS: usize = 20_000;

/// Steps of the projected gradient that are tried before a factorization of many contacts.
const FEW: usize = 1_500;

/// Sweeps over many contacts that have to halve the residual.
const WINDOW: usize = 300;

/// A solver with its settings.
///
/// Serialized with the method's [name](Method::name) as tag: `{"combined": {"tolerance": 1e-10}}`.
///
/// **The default**, [`Method::Combined`], begins with [sweeps](block_gauss_seidel) that extrapolate from the last ten. They
/// solve most problems in fewer than a hundred sweeps. Up to ten contacts that are not solved after 25 sweeps get 40 steps of
/// the solver of [problems with blocks](mixed) before further sweeps. Problems that need more have many contacts on few
/// bodies or strong friction. Over more than 100 contacts, sweeps that do not halve the residual in 300 are followed by 1500
/// steps of the projected gradient. After about `n²` sweeps of `n` contacts, a third of the time of the [interior
/// point](interior_point) method, that method is tried if `n` is at most [`COMBINED_CONTACTS`], and up to 100 contacts the
/// solver of [problems with blocks](mixed), whose Newton steps reach full precision where contacts couple so strongly that a
/// change of one impulse is undone by the others. The next are the [projected gradient](projected_gradient), which is slow
/// but robust, [alternating directions](alternating_directions) and sweeps of half steps. The answer of each method is the
/// start of further sweeps that bring it to full precision. For maximum dissipation, which these methods do not support, the
/// sweeps start from their answers to Coulomb's law. The best impulses of all methods are returned.
///
/// Matrices that are unsymmetric because their two Jacobians differ by `2e-3` are solved like others. Noise of
/// that size on single entries of a singular matrix makes it indefinite; a solution then need not exist, and
/// the status reports this. An example is a body of 1 kg that moves at 1 m/s from one wall toward another. It has
/// `W = [[1, −c], [−c, 1]]` along the normals, with `c = 1`. For `c > 1` no impulses prevent the approach to
/// both walls, since `u₁ ≥ 0` requires `p₁ ≥ 1` and then `u₁ + c u₂ = (c − 1) − (c² − 1) p₁ < 0`.
///
/// **Problems without a solution.** When a method ends without an answer and there are at most
/// [`COMBINED_CONTACTS`] contacts, a [proof](Infeasibility) that there is no solution is searched for. If one
/// is found, the status is [`Status::Infeasible`]. The default method searches after its first sweeps, or over
/// more than 100 contacts after the first projected gradients.
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
    pub fn all() -> [Self; 5] {
        [
            Self::default(),
            Self::BlockGaussSeidel(block_gauss_seidel::Settings::default()),
            Self::InteriorPoint(interior_point::Settings::default()),
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
            Self::Combined(settings) => return combined(problem, settings, impulses),
            Self::BlockGaussSeidel(settings) => {
                block_gauss_seidel::solve(problem, settings, impulses)
            }
            Self::InteriorPoint(settings) => interior_point::solve(problem, settings, impulses),
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
            Self::InteriorPoint(_) | Self::ProjectedGradient(_) => {
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

fn combined<D: Delassus>(
    problem: &Problem<D>,
    settings: &Combined,
    impulses: &mut [Vector3<f64>],
) -> Result<Report, Error> {
    let tolerance = settings.tolerance;
    let base = block_gauss_seidel::Settings { tolerance, memory: 10, ..Default::default() };
    let n = problem.contact_count();
    // Fifteen factorizations of 18 n³ flops cost as much as 3 n² sweeps of 100 ns per contact, if a flop takes
    // 1 ns, as it does in small matrices.
    let patience = (n * n).clamp(100, 3_000);
    let limit = settings.max_sweeps.min(patience);
    let first = block_gauss_seidel::Settings { max_sweeps: limit, ..base };
    let window = if n > MANY { WINDOW } else { usize::MAX };
    let (mut best, mut others) = if n <= TINY {
        opening(problem, &first, impulses)?
    } else {
        (block_gauss_seidel::solve_while_falling(problem, &first, window, impulses)?, 0)
    };
    // Only sweeps count toward the limit of sweeps.
    let mut sweeps_done = best.iterations;
    if n <= MANY && best.status != Status::Solved && is_infeasible(problem) {
        best.status = Status::Infeasible;
        return Ok(best);
    }
    let mut candidate = impulses.to_vec();
    let mut coulomb = None;
    for helper in Helper::ALL {
        let left = settings.max_sweeps.saturating_sub(sweeps_done);
        if best.status == Status::Solved || left == 0 {
            break;
        }
        // Over many contacts the proof costs as much as thousands of sweeps.
        if n > MANY && helper == Helper::InteriorPoint && is_infeasible(problem) {
            best.status = Status::Infeasible;
            break;
        }
        candidate.copy_from_slice(impulses);
        let coulomb = coulomb.get_or_insert_with(|| problem.by_law(Law::Coulomb));
        // Sweeps forward and backward leave some cycles that sweeps in one order do not.
        let max_sweeps = left.min(patience);
        let forth_and_back =
            block_gauss_seidel::Settings { max_sweeps, ordering: Ordering::Symmetric, ..base };
        let sweeps = match helper {
            Helper::InteriorPoint | Helper::AlternatingDirections if n > COMBINED_CONTACTS => {
                continue;
            }
            Helper::InteriorPoint => {
                let settings = interior_point::Settings { tolerance, ..Default::default() };
                others += interior_point::solve(coulomb, &settings, &mut candidate)?.iterations;
                forth_and_back
            }
            Helper::Blocks if n > MANY => continue,
            Helper::Blocks => {
                others += by_blocks(coulomb, (tolerance, MOST_STEPS), &mut candidate)?;
                forth_and_back
            }
            Helper::FewGradients if n <= MANY => continue,
            Helper::FewGradients | Helper::ProjectedGradient => {
                let all = projected_gradient::Settings { tolerance, ..Default::default() };
                let settings = match helper {
                    Helper::FewGradients => projected_gradient::Settings { max_steps: FEW, ..all },
                    _ => all,
                };
                others += projected_gradient::solve(coulomb, &settings, &mut candidate)?.iterations;
                forth_and_back
            }
            Helper::AlternatingDirections => {
                let max_steps = 2_000;
                let settings =
                    alternating_directions::Settings { tolerance, max_steps, ..Default::default() };
                let report = alternating_directions::solve(coulomb, &settings, &mut candidate)?;
                others += report.iterations;
                forth_and_back
            }
            // With noise, full steps may cycle where half steps converge, slowly.
            Helper::HalfSteps => {
                let max_sweeps = left.min(10 * patience);
                block_gauss_seidel::Settings { max_sweeps, relaxation: 0.5, memory: 0, ..base }
            }
            Helper::Patience => block_gauss_seidel::Settings { max_sweeps: left, ..forth_and_back },
        };
        let report = block_gauss_seidel::solve(problem, &sweeps, &mut candidate)?;
        sweeps_done += report.iterations;
        if report.residual < best.residual {
            impulses.copy_from_slice(&candidate);
            best = report;
        }
    }
    best.iterations = sweeps_done + others;
    Ok(best)
}

/// The first sweeps over very few contacts, with Newton's steps after a few; returns the number of these steps too.
///
/// Where few sweeps do not solve such a problem, many are needed, which take more time than the steps.
fn opening<D: Delassus>(
    problem: &Problem<D>,
    settings: &block_gauss_seidel::Settings,
    impulses: &mut [Vector3<f64>],
) -> Result<(Report, usize), Error> {
    let max_sweeps = settings.max_sweeps;
    let few = block_gauss_seidel::Settings { max_sweeps: OPENING.min(max_sweeps), ..*settings };
    let first = block_gauss_seidel::solve(problem, &few, impulses)?;
    if first.status == Status::Solved || max_sweeps <= OPENING {
        return Ok((first, 0));
    }
    let mut candidate = impulses.to_vec();
    let coulomb = problem.by_law(Law::Coulomb);
    let steps = by_blocks(&coulomb, (settings.tolerance, OPENING_STEPS), &mut candidate)?;
    let rest =
        block_gauss_seidel::Settings { max_sweeps: max_sweeps - first.iterations, ..*settings };
    let second = block_gauss_seidel::solve(problem, &rest, &mut candidate)?;
    let mut best = first;
    if second.residual < first.residual {
        impulses.copy_from_slice(&candidate);
        best = second;
    }
    best.iterations = first.iterations + second.iterations;
    Ok((best, steps))
}

/// Continues as a problem with blocks; returns the number of iterations. A matrix that such a problem refuses takes none.
fn by_blocks<D: Delassus>(
    problem: &Problem<D>,
    (tolerance, max_iterations): (f64, usize),
    impulses: &mut [Vector3<f64>],
) -> Result<usize, Error> {
    let disc = |contact: &Contact| Block::contact(Section::Disc(contact.friction()));
    let discs = problem.contacts().iter().map(disc);
    let free: Vec<f64> = problem.free_velocity().iter().flatten().copied().collect();
    let Ok(problem) = mixed::Problem::new(problem.dense(), free, discs.collect()) else {
        return Ok(0);
    };
    let settings = mixed::Settings { tolerance, max_iterations, ..mixed::Settings::default() };
    let mut flat: Vec<f64> = impulses.iter().flatten().copied().collect();
    let report = problem.solve_from(&settings, &mut flat)?;
    for (impulse, found) in impulses.iter_mut().zip(flat.chunks_exact(3)) {
        impulse.copy_from_slice(found);
    }
    Ok(report.iterations)
}

/// The further methods that the default tries, in this order.
#[derive(Clone, Copy, PartialEq)]
enum Helper {
    FewGradients,
    InteriorPoint,
    Blocks,
    ProjectedGradient,
    AlternatingDirections,
    HalfSteps,
    Patience,
}

impl Helper {
    const ALL: [Self; 7] = [
        Self::FewGradients,
        Self::InteriorPoint,
        Self::Blocks,
        Self::ProjectedGradient,
        Self::AlternatingDirections,
        Self::HalfSteps,
        Self::Patience,
    ];
}

#[cfg(test)]
mod tests;
