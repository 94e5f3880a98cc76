//! The default method: sweeps, and other methods in turn where these are not enough.

use nalgebra::Vector3;

use super::{
    COMBINED_CONTACTS, Combined, is_infeasible,
    near::{self, CLOSE},
};
use crate::friction::{
    Delassus, Law, Problem, Report, Status, alternating_directions,
    block_gauss_seidel::{self, Ordering},
    interior_point,
    mixed::{self, Block, Section},
    projected_gradient, proximal_newton,
    report::Error,
    single::Contact,
    system,
};

/// Number of contacts from which a factorization costs more than [`FEW`] projected gradients.
const MANY: usize = 100;

/// Up to this number of contacts Newton's steps take less time than many sweeps.
const TINY: usize = 10;
/// Sweeps over these before other steps, and the number of these.
const OPENING: usize = 25;
const OPENING_STEPS: usize = 40;
/// Up to this number of contacts Newton's steps near a solution take less time than some ten sweeps, and sweeps before them.
const SMALL: usize = 32;
const GLANCE: usize = 5;
/// Steps of the solver of problems with blocks where it is tried as a whole.
const MOST_STEPS: usize = 20_000;

/// Steps of the projected gradient that are tried before a factorization of many contacts.
const FEW: usize = 1_500;

/// Sweeps over many contacts that have to halve the residual.
const WINDOW: usize = 300;

/// Sweeps before the factorizations of contacts with few neighbors each, of which twenty take as much time as some hundred sweeps.
const SHORT: usize = 200;

/// Solves by the default method.
pub(super) fn combined<D: Delassus>(
    problem: &Problem<D>,
    settings: &Combined,
    impulses: &mut [Vector3<f64>],
) -> Result<Report, Error> {
    let tolerance = settings.tolerance;
    let base = block_gauss_seidel::Settings { tolerance, memory: 10, ..Default::default() };
    let n = problem.contact_count();
    // Fifteen factorizations of dense matrices, of 18 n³ flops, cost as much as 3 n² sweeps of 100 ns per contact, if a flop
    // takes 1 ns, as it does in small matrices.
    let has_few_neighbors = n > TINY && have_few_neighbors(problem);
    let patience = if has_few_neighbors { SHORT } else { (n * n).clamp(100, 3_000) };
    let limit = settings.max_sweeps.min(patience);
    let first = block_gauss_seidel::Settings { max_sweeps: limit, ..base };
    let window = if n > MANY { WINDOW } else { usize::MAX };
    let (glances, near) = if n <= SMALL { glance(problem, &first, impulses)? } else { (0, None) };
    if let Some(solved) = near {
        return Ok(solved);
    }
    let first = block_gauss_seidel::Settings { max_sweeps: limit - glances, ..first };
    let (mut best, mut others) = if n <= TINY {
        opening(problem, &first, impulses)?
    } else {
        (block_gauss_seidel::solve_while_falling(problem, &first, window, impulses)?, 0)
    };
    best.iterations += glances;
    // Only sweeps count toward the limit of sweeps.
    let mut sweeps_done = best.iterations;
    if best.status == Status::Solved {
        best.iterations += others;
        return Ok(best);
    }
    let is_sparse = has_few_neighbors && system::pattern(problem).is_some();
    if n <= MANY && !is_sparse && is_infeasible(problem) {
        best.status = Status::Infeasible;
        return Ok(best);
    }
    let mut candidate = impulses.to_vec();
    let mut coulomb = None;
    for &helper in if is_sparse { &Helper::SPARSE[..] } else { &Helper::DENSE[..] } {
        let left = settings.max_sweeps.saturating_sub(sweeps_done);
        if best.status == Status::Solved || left == 0 {
            break;
        }
        // The proof costs as much as thousands of sweeps over many contacts, and more than an interior point if that is sparse.
        let follows = if is_sparse { Helper::ProximalNewton } else { Helper::InteriorPoint };
        if (is_sparse || n > MANY) && helper == follows && is_infeasible(problem) {
            best.status = Status::Infeasible;
            break;
        }
        if !helper.is_for(n, is_sparse) {
            continue;
        }
        candidate.copy_from_slice(impulses);
        let coulomb = coulomb.get_or_insert_with(|| problem.by_law(Law::Coulomb));
        others += helper.solve(coulomb, tolerance, &mut candidate)?;
        let sweeps = helper.sweeps_after(&base, left, patience);
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

/// Few contacts whose impulses are not zero at the start: Newton's steps near a solution, after some sweeps if the start is not close.
/// Returns the number of these sweeps, and the report of impulses that solve the problem.
fn glance<D: Delassus>(
    problem: &Problem<D>,
    settings: &block_gauss_seidel::Settings,
    impulses: &mut [Vector3<f64>],
) -> Result<(usize, Option<Report>), Error> {
    let is_warm = impulses.iter().any(|impulse| *impulse != Vector3::zeros());
    if !is_warm || problem.law() != Law::Coulomb || settings.max_sweeps <= OPENING {
        return Ok((0, None));
    }
    if let Some(near) = near::solve(problem, (settings.tolerance, CLOSE), impulses)? {
        return Ok((0, Some(near)));
    }
    let few = block_gauss_seidel::Settings { max_sweeps: GLANCE, ..*settings };
    let first = block_gauss_seidel::solve(problem, &few, impulses)?;
    let glances = first.iterations;
    if first.status == Status::Solved {
        return Ok((glances, Some(first)));
    }
    let near = near::solve(problem, (settings.tolerance, f64::INFINITY), impulses)?;
    let near = near.map(|near| Report { iterations: glances + near.iterations, ..near });
    Ok((glances, near))
}

/// Very few contacts: some sweeps, other steps, and more sweeps; returns the number of these other steps too.
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

/// Whether the contacts are coupled with a quarter of the others at most, on average.
fn have_few_neighbors<D: Delassus>(problem: &Problem<D>) -> bool {
    let n = problem.contact_count();
    let mut pairs = 0_usize;
    (0..n).for_each(|contact| problem.delassus().neighbors(contact, &mut |_| pairs += 1));
    pairs <= n * n / 4
}

/// A further method that the default tries.
#[derive(Clone, Copy, PartialEq)]
enum Helper {
    FewGradients,
    InteriorPoint,
    ProximalNewton,
    Blocks,
    ProjectedGradient,
    AlternatingDirections,
    HalfSteps,
    Patience,
}

impl Helper {
    /// The order for dense operators.
    const DENSE: [Self; 7] = [
        Self::FewGradients,
        Self::InteriorPoint,
        Self::Blocks,
        Self::ProjectedGradient,
        Self::AlternatingDirections,
        Self::HalfSteps,
        Self::Patience,
    ];
    /// The order where factorizations take little time.
    const SPARSE: [Self; 8] = [
        Self::InteriorPoint,
        Self::ProximalNewton,
        Self::FewGradients,
        Self::Blocks,
        Self::ProjectedGradient,
        Self::AlternatingDirections,
        Self::HalfSteps,
        Self::Patience,
    ];

    /// Whether it is tried for `n` contacts.
    const fn is_for(self, n: usize, is_sparse: bool) -> bool {
        match self {
            Self::FewGradients => n > MANY,
            Self::Blocks => n <= MANY,
            Self::AlternatingDirections => n <= COMBINED_CONTACTS,
            Self::InteriorPoint => n <= COMBINED_CONTACTS || is_sparse,
            _ => true,
        }
    }

    /// Improves `impulses` by Coulomb's law; returns the number of iterations. Sweeps follow each.
    fn solve<D: Delassus>(
        self,
        problem: &Problem<D>,
        tolerance: f64,
        impulses: &mut [Vector3<f64>],
    ) -> Result<usize, Error> {
        let gradients = projected_gradient::Settings { tolerance, ..Default::default() };
        let report = match self {
            Self::InteriorPoint => {
                let settings = interior_point::Settings { tolerance, ..Default::default() };
                interior_point::solve(problem, &settings, impulses)
            }
            Self::ProximalNewton => {
                let settings = proximal_newton::Settings { tolerance, ..Default::default() };
                proximal_newton::solve(problem, &settings, impulses)
            }
            Self::Blocks => return by_blocks(problem, (tolerance, MOST_STEPS), impulses),
            Self::FewGradients => {
                let few = projected_gradient::Settings { max_steps: FEW, ..gradients };
                projected_gradient::solve(problem, &few, impulses)
            }
            Self::ProjectedGradient => projected_gradient::solve(problem, &gradients, impulses),
            Self::AlternatingDirections => {
                let max_steps = 2_000;
                let settings =
                    alternating_directions::Settings { tolerance, max_steps, ..Default::default() };
                alternating_directions::solve(problem, &settings, impulses)
            }
            Self::HalfSteps | Self::Patience => return Ok(0),
        };
        Ok(report?.iterations)
    }

    /// The sweeps that bring its answer to full precision, if so many are `left`.
    fn sweeps_after(
        self,
        base: &block_gauss_seidel::Settings,
        left: usize,
        patience: usize,
    ) -> block_gauss_seidel::Settings {
        // Sweeps forward and backward leave some cycles that sweeps in one order do not.
        let ordering = Ordering::Symmetric;
        let max_sweeps = left.min(patience);
        match self {
            // With noise, full steps may cycle where half steps converge, slowly.
            Self::HalfSteps => block_gauss_seidel::Settings {
                max_sweeps: left.min(10 * patience),
                relaxation: 0.5,
                memory: 0,
                ..*base
            },
            Self::Patience => block_gauss_seidel::Settings { max_sweeps: left, ordering, ..*base },
            _ => block_gauss_seidel::Settings { max_sweeps, ordering, ..*base },
        }
    }
}
