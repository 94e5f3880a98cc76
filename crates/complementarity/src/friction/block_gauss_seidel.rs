//! Sweeps over the contacts, each solved in closed form with the impulses of the others held fixed.
//!
//! ```math
//! p_i \leftarrow (1-\omega)\, p_i + \omega\, x_i^\ast(W_{ii}\, p_i - u_i),\qquad u = W p + u_f
//! ```
//!
//! with `x*` the impulse of [one contact](super::single) under either law. With Coulomb's law the sliding
//! solution nearest to the current impulse is taken, so that sweeps do not jump between several solutions. All
//! iterates lie in the friction cones.
//!
//! - **Needs** nothing. Redundant contacts are allowed: the impulses then depend on the start, the velocities
//!   seldom do.
//! - **Does not** always converge: strong coupling of normal and tangents can make it cycle, and many contacts
//!   on one body make it slow. Anderson's extrapolation over the last sweeps (`memory`) speeds up the latter
//!   case; it is dropped where it does not reduce the residual.
//! - **Cost** one product with `W` and one closed form per contact and sweep. The residual costs as much as a
//!   sweep and is evaluated every `check_every` sweeps. Sweeps in the given or symmetric order allocate
//!   nothing.
//! - **Deterministic**: [`Ordering::Colored`] and [`Ordering::Partitioned`] work in parallel in rayon's current
//!   pool and give the same bits for any number of threads.
//!
//! # Source
//!
//! M. Jean, "The non-smooth contact dynamics method", *Computer Methods in Applied Mechanics and Engineering* 177
//! (1999) 235–257; blend with a weighted block Jacobi method: T. Preclik, U. Rüde, "Ultrascale simulations of
//! non-smooth granular dynamics", *Computational Particle Mechanics* 2 (2015) 173–196. Extrapolation: D. G. Anderson,
//! "Iterative procedures for nonlinear integral equations", *Journal of the ACM* 12 (1965) 547–560.

mod extrapolation;

use nalgebra::Vector3;
#[cfg(feature = "rayon")]
use rayon::prelude::*;

use self::extrapolation::Extrapolation;
use super::{
    Delassus, Law, Problem, Report, Status,
    report::{Error, Record, check_start},
    rescaled::InUnits,
};

/// The order in which a sweep visits the contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Ordering {
    /// In the order of their numbers.
    #[default]
    Given,
    /// In the order of their numbers, and in reverse order in every other sweep.
    Symmetric,
    /// By colors. Contacts of one color share no block and are solved in parallel.
    Colored,
    /// In this many ranges of consecutive contacts, in parallel. Each range uses the impulses of the others
    /// from before the sweep, so the ranges are a block Jacobi method among themselves: `k` ranges that push
    /// the same bodies need a relaxation of `1/k`, or extrapolation.
    Partitioned(usize),
}

/// The laws that [`solve`] supports: both.
pub const LAWS: &[Law] = &Law::all();

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Stop when [`Problem::relative_residual`] is at most this (≥ 0, default `1e-8`).
    pub tolerance: f64,
    /// Maximum number of sweeps (default `10_000`).
    pub max_sweeps: usize,
    /// Relaxation `ω` in `(0, 1]` (default 1); larger values could leave the cones.
    pub relaxation: f64,
    /// Order of the contacts (default as given).
    pub ordering: Ordering,
    /// Number of past sweeps to extrapolate from, at most 16 (default 5; 0 for plain sweeps).
    pub memory: usize,
    /// Sweeps between evaluations of the residual (≥ 1, default 4).
    pub check_every: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            max_sweeps: 10_000,
            relaxation: 1.0,
            ordering: Ordering::Given,
            memory: 5,
            check_every: 4,
        }
    }
}

/// Solves `problem` in place, starting from `impulses` (N·s, one per contact).
///
/// On return `impulses` is the evaluated iterate with the smallest residual, the start included.
/// [`Report::iterations`] counts sweeps.
///
/// # Errors
///
/// See [`Error`]; `impulses` are then untouched. Not converging is not an error.
///
/// # Example
///
/// ```
/// use nalgebra::{DMatrix, Vector3};
/// use percussion_complementarity::friction::{Problem, Status, block_gauss_seidel as sweeps};
///
/// let problem = Problem::from_dense(&(0.5 * DMatrix::identity(3, 3)), &[-2.0, 3.0, 0.0], &[0.5])?;
/// let mut impulses = [Vector3::zeros()];
/// let report = sweeps::solve(&problem, &sweeps::Settings::default(), &mut impulses)?;
/// assert_eq!(report.status, Status::Solved);
/// assert_eq!(impulses[0], Vector3::new(4.0, -2.0, 0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve<D: Delassus>(
    problem: &Problem<D>,
    settings: &Settings,
    impulses: &mut [Vector3<f64>],
) -> Result<Report, Error> {
    solve_while_falling(problem, settings, usize::MAX, impulses)
}

/// [`solve`], given up as at its limit once `window` sweeps have not halved the smallest residual.
pub(super) fn solve_while_falling<D: Delassus>(
    problem: &Problem<D>,
    settings: &Settings,
    window: usize,
    impulses: &mut [Vector3<f64>],
) -> Result<Report, Error> {
    check(problem, settings, impulses)?;
    match InUnits::of(problem) {
        Some(units) => {
            units.solve(impulses, |problem, impulses| iterate(problem, settings, window, impulses))
        }
        None => iterate(problem, settings, window, impulses),
    }
}

/// [`solve`] for checked input.
fn iterate<D: Delassus>(
    problem: &Problem<D>,
    settings: &Settings,
    window: usize,
    impulses: &mut [Vector3<f64>],
) -> Result<Report, Error> {
    let mut record = Record::new(problem, settings.tolerance, impulses);
    if record.solved() {
        return Ok(record.finish(impulses, 0, Status::Solved));
    }
    let mut sweeper = Sweeper::new(problem, settings);
    let mut extrapolation = Extrapolation::new(settings.memory, problem.inverse_masses());
    let (mut sweeps, mut status) = (0, Status::IterationLimit);
    // The residual that was last halved, and when.
    let (mut level, mut fell) = (f64::INFINITY, 0);
    while !record.solved() && sweeps < settings.max_sweeps {
        extrapolation.before(impulses);
        sweeper.sweep(sweeps, impulses);
        sweeps += 1;
        let change = extrapolation.after(impulses);
        let due = sweeps == settings.max_sweeps || sweeps.is_multiple_of(settings.check_every);
        // Also check after a sweep with a small change: it may be the last.
        if due || change <= 0.5 * record.target {
            record.offer(impulses);
            if !record.solved() && (change == 0.0 || !change.is_finite()) {
                status = Status::Stalled;
                break;
            }
            if record.residual() <= 0.5 * level {
                (level, fell) = (record.residual(), sweeps);
            } else if sweeps - fell >= window {
                break;
            }
        }
        extrapolation.extrapolate(impulses);
    }
    Ok(record.finish(impulses, sweeps, status))
}

fn check<D: Delassus>(
    problem: &Problem<D>,
    settings: &Settings,
    impulses: &[Vector3<f64>],
) -> Result<(), Error> {
    check_start(problem.contact_count(), impulses, settings.tolerance)?;
    let value = settings.relaxation;
    if !(value > 0.0 && value <= 1.0) {
        return Err(Error::Setting { name: "relaxation", value, expected: "a number in (0, 1]" });
    }
    if settings.check_every == 0 {
        return Err(Error::Setting { name: "check_every", value: 0.0, expected: "≥ 1" });
    }
    if settings.memory > extrapolation::LARGEST {
        let expected = "at most 16";
        #[expect(clippy::cast_precision_loss, reason = "only printed")]
        let value = settings.memory as f64;
        return Err(Error::Setting { name: "memory", value, expected });
    }
    if settings.ordering == Ordering::Partitioned(0) {
        return Err(Error::Setting { name: "partitions", value: 0.0, expected: "≥ 1" });
    }
    Ok(())
}

/// The data that sweeps need besides the impulses.
struct Sweeper<'a, D> {
    problem: &'a Problem<D>,
    relaxation: f64,
    ordering: Ordering,
    /// The operator's [memory](Delassus::begin).
    memory: Vec<f64>,
    /// The contacts of each color.
    colors: Vec<Vec<usize>>,
    /// New impulses of one color.
    fresh: Vec<Vector3<f64>>,
    /// Impulses and memory of each range.
    ranges: Vec<(Vec<Vector3<f64>>, Vec<f64>)>,
}

impl<'a, D: Delassus> Sweeper<'a, D> {
    fn new(problem: &'a Problem<D>, settings: &Settings) -> Self {
        let ordering = settings.ordering;
        let colors =
            if ordering == Ordering::Colored { color(problem.delassus()) } else { Vec::new() };
        let ranges = match ordering {
            Ordering::Partitioned(count) => count.min(problem.contact_count()),
            _ => 0,
        };
        Self {
            problem,
            relaxation: settings.relaxation,
            ordering,
            memory: Vec::new(),
            colors,
            fresh: Vec::new(),
            ranges: vec![(Vec::new(), Vec::new()); ranges],
        }
    }

    /// The new impulse of one contact.
    #[inline]
    fn visit(&self, contact: usize, impulses: &[Vector3<f64>], memory: &[f64]) -> Vector3<f64> {
        let old = &impulses[contact];
        let velocity = self.problem.velocity(contact, impulses, memory);
        let new = self.problem.local(contact, old, &velocity);
        if self.relaxation < 1.0 { old + self.relaxation * (new - old) } else { new }
    }

    fn sweep(&mut self, number: usize, impulses: &mut [Vector3<f64>]) {
        let n = impulses.len();
        let mut memory = std::mem::take(&mut self.memory);
        self.problem.delassus().begin(impulses, &mut memory);
        match self.ordering {
            Ordering::Symmetric if number % 2 == 1 => {
                (0..n).rev().for_each(|contact| self.step(contact, impulses, &mut memory));
            }
            Ordering::Given | Ordering::Symmetric => {
                (0..n).for_each(|contact| self.step(contact, impulses, &mut memory));
            }
            Ordering::Colored => self.sweep_colors(impulses, &mut memory),
            Ordering::Partitioned(_) => self.sweep_ranges(impulses),
        }
        self.memory = memory;
    }

    fn step(&self, contact: usize, impulses: &mut [Vector3<f64>], memory: &mut [f64]) {
        let new = self.visit(contact, impulses, memory);
        self.problem.delassus().update(contact, &(new - impulses[contact]), memory);
        impulses[contact] = new;
    }

    /// Contacts of one color are not coupled, so their new impulses do not depend on the order in which they
    /// are computed.
    fn sweep_colors(&mut self, impulses: &mut [Vector3<f64>], memory: &mut [f64]) {
        let mut fresh = std::mem::take(&mut self.fresh);
        for color in &self.colors {
            let visit = |&contact: &usize| self.visit(contact, impulses, memory);
            #[cfg(feature = "rayon")]
            color.par_iter().with_min_len(64).map(visit).collect_into_vec(&mut fresh);
            #[cfg(not(feature = "rayon"))]
            {
                fresh.clear();
                fresh.extend(color.iter().map(visit));
            }
            for (&contact, &new) in color.iter().zip(&fresh) {
                self.problem.delassus().update(contact, &(new - impulses[contact]), memory);
                impulses[contact] = new;
            }
        }
        self.fresh = fresh;
    }

    /// Every range sweeps its own copy of all impulses; its own part is then copied back.
    fn sweep_ranges(&mut self, impulses: &mut [Vector3<f64>]) {
        let mut ranges = std::mem::take(&mut self.ranges);
        let (n, count) = (impulses.len(), ranges.len());
        let bounds = |index: usize| index * n / count..(index + 1) * n / count;
        #[cfg(feature = "rayon")]
        let all = ranges.par_iter_mut();
        #[cfg(not(feature = "rayon"))]
        let all = ranges.iter_mut();
        all.enumerate().for_each(|(index, (copy, memory))| {
            copy.clear();
            copy.extend_from_slice(impulses);
            self.problem.delassus().begin(copy, memory);
            bounds(index).for_each(|contact| self.step(contact, copy, memory));
        });
        for (index, (copy, _)) in ranges.iter().enumerate() {
            impulses[bounds(index)].copy_from_slice(&copy[bounds(index)]);
        }
        self.ranges = ranges;
    }
}

/// Greedy coloring in the order of the contacts: no two neighbors share a color.
fn color<D: Delassus>(delassus: &D) -> Vec<Vec<usize>> {
    let n = delassus.contact_count();
    let mut color_of = vec![usize::MAX; n];
    let mut colors: Vec<Vec<usize>> = Vec::new();
    // For each color the last contact that found it taken.
    let mut taken: Vec<usize> = Vec::new();
    for contact in 0..n {
        delassus.neighbors(contact, &mut |neighbor| {
            if color_of[neighbor] != usize::MAX {
                taken[color_of[neighbor]] = contact;
            }
        });
        let free = taken.iter().position(|&by| by != contact).unwrap_or_else(|| {
            taken.push(usize::MAX);
            colors.push(Vec::new());
            colors.len() - 1
        });
        color_of[contact] = free;
        colors[free].push(contact);
    }
    colors
}

#[cfg(test)]
mod tests;
