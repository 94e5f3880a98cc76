//! The solver of [problems with blocks](Problem).

use super::{
    Infeasibility, Judgement, Model, Problem,
    canonical::Canonical,
    directions::Directions,
    motions::{Motions, Path},
    newton::{Newton, RIDGE},
    settings::{Bilateral, Settings, Steps, check},
    sweeps::Sweeper,
};
use crate::friction::{
    Report, Status,
    report::Error,
    single::{exponent, keep_digits, shifted},
};

/// The result of a solve, whatever the status.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Solution {
    /// Impulses, one per row.
    pub impulses: Vec<f64>,
    /// Velocities `(W + R) λ + b`.
    pub velocities: Vec<f64>,
    /// The status at the end of the solve; [`Report::iterations`] counts sweeps and steps.
    pub report: Report,
}

impl Solution {
    /// Adds the velocities.
    pub(in crate::friction) fn new(problem: &Problem, impulses: Vec<f64>, report: Report) -> Self {
        Self { velocities: problem.velocities(&impulses), impulses, report }
    }
}

/// The weights of the first proximal points, and for each their largest number and that of Newton steps for one. Without a weight
/// a regular problem is solved to full precision. With `w = 10⁻⁶` a redundant contact that cannot hold a velocity `u` is pressed
/// by `u/w`, which makes it slip at once, and a proximal point is off by `w` times its distance from the center.
const PROXIMAL: [(f64, [usize; 2]); 3] = [(0.0, [1, 4]), (1e-6, [6, 6]), (1e-4, [4, 12])];

/// Rows from which, with at most half as many motions, the space of motions is tried first, and the number of steps then.
const MANY: usize = 24;
const FIRST: usize = 60;
/// The largest number of steps in this space, and about that of the flops of all of them.
const MOST: usize = 500;
const FLOPS: usize = 2_000_000_000;

/// Whole Newton steps before those that are halved.
const WHOLE: usize = 15;

/// Sweeps before each of the first tries of Newton's method.
const OPENING: [usize; 4] = [3, 6, 12, 24];

/// The penalty of alternating directions for impulses that drift. Where redundant rows have to be pressed against one another
/// before friction holds, their impulses grow by the velocity that is left, divided by the penalty, in each step.
const DRIFT: f64 = 1e-4;

/// Sizes up to `2^±` this are solved as they are.
const NEAR: i32 = 100;

impl Problem {
    /// Solves from zero impulses.
    ///
    /// # Errors
    ///
    /// [`Error`] for settings out of range. Not converging is not an error but a status.
    ///
    /// # Example
    ///
    /// A wheel of 2 kg that slides with (3, 4) m/s and is pressed to the ground with 1 N·s has the friction 0.8 along
    /// its axle (first tangent) and 0.3 along its rim.
    ///
    /// ```
    /// use nalgebra::DMatrix;
    /// use percussion_complementarity::friction::mixed::{Block, Problem, Section, Settings};
    ///
    /// let delassus = 0.5 * DMatrix::identity(3, 3);
    /// let wheel = vec![Block::contact(Section::Ellipse([0.8, 0.3]))];
    /// let problem = Problem::new(delassus, vec![-0.5, 3.0, 4.0], wheel)?;
    /// let [n, t, o] = problem.solve(&Settings::default())?.impulses[..] else { unreachable!() };
    /// assert!((n - 1.0).abs() < 1e-12);
    /// assert!(((t / 0.8).powi(2) + (o / 0.3).powi(2) - 1.0).abs() < 1e-12, "on the ellipse");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn solve(&self, settings: &Settings) -> Result<Solution, Error> {
        let mut impulses = vec![0.0; self.rows()];
        let report = self.solve_from(settings, &mut impulses)?;
        Ok(Solution::new(self, impulses, report))
    }

    /// Solves in place, starting from `impulses` (one per row). Impulses that overflow or underflow are no answer: then the first
    /// ones stay, and the status is [`Status::Stalled`].
    ///
    /// # Errors
    ///
    /// [`Error`] for settings out of range and a start that is not one finite impulse per row; `impulses` are then
    /// untouched.
    pub fn solve_from(&self, settings: &Settings, impulses: &mut [f64]) -> Result<Report, Error> {
        check(self, settings, impulses)?;
        let Some((near, [mass, velocity])) = self.near() else {
            return Ok(solved(self, settings, impulses));
        };
        let start: Vec<f64> = impulses.iter().map(|p| shifted(*p, mass - velocity)).collect();
        let mut inner = start.clone();
        let mut report = solved(&near, settings, &mut inner);
        if keep_digits(inner.iter().copied(), velocity - mass) {
            for (impulse, inner) in impulses.iter_mut().zip(inner) {
                *impulse = shifted(inner, velocity - mass);
            }
        } else {
            report.status = Status::Stalled;
            report.residual = near.residual(&start);
            report.relative_residual = near.relative_residual(&start);
        }
        Ok(Report { residual: shifted(report.residual, velocity), ..report })
    }
}

impl Problem {
    /// The problem in units near one with their exponents, if its own are far from one.
    pub(super) fn near(&self) -> Option<(Self, [i32; 2])> {
        let [mass, velocity] = self.exponents();
        self.is_far().then(|| (self.in_units(mass, velocity), [mass, velocity]))
    }

    /// Whether the units are far from one.
    pub(super) fn is_far(&self) -> bool {
        self.exponents().iter().any(|exponent| exponent.abs() > NEAR)
    }

    /// Exponents of the largest diagonal entry and of the velocities.
    fn exponents(&self) -> [i32; 2] {
        [self.sizes.diagonal, self.velocity_scale].map(exponent)
    }
}

fn solved(problem: &Problem, settings: &Settings, impulses: &mut [f64]) -> Report {
    // Without any velocity zero impulses are an answer, and there is no velocity to which the residual of others could be relative.
    if problem.free_velocity.iter().all(|free| *free == 0.0) {
        let zeros = vec![0.0; impulses.len()];
        if problem.residual(&zeros) == 0.0 {
            impulses.fill(0.0);
            return Report {
                status: Status::Solved,
                iterations: 0,
                residual: 0.0,
                relative_residual: 0.0,
            };
        }
    }
    let target = settings.tolerance * problem.velocity_scale;
    let residual = problem.residual_beside(impulses, &mut Judgement::default(), target);
    let relative_residual = residual / problem.velocity_scale;
    if relative_residual <= settings.tolerance {
        return Report { status: Status::Solved, iterations: 0, residual, relative_residual };
    }
    let canonical = Canonical::new(problem, settings.bilateral == Bilateral::Eliminate);
    let mut run = Run::new(&canonical, settings, impulses, residual);
    if canonical.cells.is_empty() || settings.steps != Steps::Combined {
        run.offer();
    }
    match settings.steps {
        Steps::Combined => run.combined(),
        Steps::Sweeps => run.sweeps(settings.max_iterations, 1.0),
        Steps::AlternatingDirections => run.directions(settings.max_iterations, 0.3),
    }
    let mut status = run.status();
    if status != Status::Solved && (run.infeasible || Infeasibility::find(problem).is_some()) {
        status = Status::Infeasible;
    }
    impulses.copy_from_slice(&run.impulses);
    Report {
        status,
        iterations: run.iterations,
        residual: run.residual,
        relative_residual: run.residual / problem.velocity_scale,
    }
}

/// One solve: the best impulses so far, and the memory of its parts.
struct Run<'a> {
    canonical: &'a Canonical<'a>,
    /// The largest residual that solves the problem (m/s).
    target: f64,
    left: usize,
    iterations: usize,
    /// The best unknowns, the impulses of all rows for them, and their residual.
    x: Vec<f64>,
    impulses: Vec<f64>,
    residual: f64,
    trial: Vec<f64>,
    candidate: Vec<f64>,
    judgement: Judgement,
    sweeper: Sweeper,
    newton: Newton,
    infeasible: bool,
}

impl<'a> Run<'a> {
    /// From impulses with this residual.
    fn new(
        canonical: &'a Canonical<'a>,
        settings: &Settings,
        start: &[f64],
        residual: f64,
    ) -> Self {
        let mut x = canonical.unknowns(start);
        for cell in &canonical.cells {
            cell.cone.project(&mut x[cell.range()], None);
        }
        Self {
            canonical,
            target: settings.tolerance * canonical.problem.velocity_scale,
            left: settings.max_iterations,
            iterations: 0,
            x: x.clone(),
            impulses: start.to_vec(),
            residual,
            trial: x.clone(),
            candidate: start.to_vec(),
            judgement: Judgement::default(),
            sweeper: Sweeper::new(canonical),
            newton: Newton::new(canonical),
            infeasible: false,
        }
    }

    fn is_solved(&self) -> bool {
        self.residual <= self.target
    }

    fn status(&self) -> Status {
        if self.is_solved() {
            Status::Solved
        } else if self.left == 0 {
            Status::IterationLimit
        } else {
            Status::Stalled
        }
    }

    /// Judges the trial on the problem as it was stated, and keeps it if it is the best.
    fn offer(&mut self) {
        self.canonical.impulses(&self.trial, &mut self.candidate);
        let Self { canonical, candidate, judgement, target, .. } = self;
        let residual = canonical.problem.residual_beside(candidate, judgement, *target);
        if residual < self.residual {
            self.residual = residual;
            self.x.copy_from_slice(&self.trial);
            self.impulses.copy_from_slice(&self.candidate);
        }
    }

    /// Counts an iteration; `false` if there is none left or no need.
    fn goes_on(&mut self) -> bool {
        if self.is_solved() || self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.iterations += 1;
        true
    }

    /// The trial is swept from the best unknowns.
    fn sweeps(&mut self, count: usize, relaxation: f64) {
        self.trial.copy_from_slice(&self.x);
        for number in 0..count {
            if !self.goes_on() {
                return;
            }
            let reverse = number % 2 == 1;
            let change = self.sweeper.sweep(self.canonical, relaxation, reverse, &mut self.trial);
            if number % 8 == 7 || number + 1 == count || change <= 0.5 * self.target {
                self.offer();
            }
            if change == 0.0 || !change.is_finite() {
                return;
            }
        }
    }

    /// Newton steps from the trial, which also is the start of what follows. They end early where they hardly advance, if
    /// something `else_follows`.
    fn newton(&mut self, else_follows: bool) {
        let mut size = self.newton.evaluate(self.canonical, &self.trial);
        let (mut before, mut offered, mut ridge) = (size, false, RIDGE);
        for number in 1..=30 {
            if !self.goes_on() {
                break;
            }
            let Some(next) = self.newton.step(self.canonical, (size, ridge), &mut self.trial)
            else {
                // A wider ridge makes shorter steps, along which redundant rows stay.
                if ridge > 0.01 {
                    break;
                }
                ridge *= 1e3;
                size = self.newton.evaluate(self.canonical, &self.trial);
                continue;
            };
            ridge = (0.1 * ridge).max(RIDGE);
            size = next;
            // The judge costs more than a step, and is asked when the natural map says so.
            offered = self.newton.speed(self.canonical) <= self.target;
            if offered {
                self.offer_in_cones();
            }
            if else_follows && number % 4 == 0 {
                if size > 0.5 * before {
                    break;
                }
                before = size;
            }
        }
        if !offered {
            self.offer_in_cones();
        }
    }

    /// Up to so many proximal points after another with this weight, from the trial, by whole Newton steps.
    fn proximal_points(&mut self, weight: f64, [rounds, steps]: [usize; 2]) {
        for _ in 0..rounds {
            self.newton.center_on(weight, &self.trial);
            self.newton.evaluate(self.canonical, &self.trial);
            let mut goes = true;
            for _ in 0..steps {
                goes = self.goes_on() && self.newton.whole_step(self.canonical, &mut self.trial);
                if !goes || self.newton.speed(self.canonical) <= 0.1 * self.target {
                    break;
                }
            }
            self.offer_in_cones();
            if !goes || self.is_solved() {
                break;
            }
        }
        self.newton.center_on(0.0, &self.x);
    }

    /// Proximal points in the space of motions, of at most the fraction `1/parts` of the rows, from the best unknowns.
    fn motions(&mut self, parts: usize, most: usize) {
        let n = self.x.len();
        let Some(mut motions) = Motions::new(self.canonical, n / parts) else { return };
        let most = most.min(FLOPS / (2 * n * motions.rank() * motions.rank()));
        let mut path = Path::new(self.canonical, self.target, &self.x);
        motions.begin(&self.x);
        let mut most = most.min(self.left);
        while most > 0 && path.goes_on() {
            let (steps, reached) = path.next_point(self.canonical, &mut motions, most);
            // A point that is reached without a step is one of the iterations too.
            let steps = steps.max(1);
            most -= steps;
            self.left -= steps;
            self.iterations += steps;
            if reached {
                self.trial.copy_from_slice(&path.center);
                self.offer();
            }
            if self.is_solved() {
                return;
            }
        }
    }

    /// Newton steps from the start: whole ones, of which most problems need one or two, and those to proximal points. Then more
    /// after some sweeps, after some more, and after all of them.
    fn opening(&mut self) {
        let start = self.x.clone();
        if start.len() >= MANY {
            self.motions(2, FIRST);
        }
        if self.is_solved() {
            return;
        }
        if self.canonical.cells.len() == 1 {
            // In closed form.
            self.sweeps(1, 1.0);
        }
        for (weight, limits) in PROXIMAL {
            if self.is_solved() {
                return;
            }
            self.trial.copy_from_slice(&start);
            self.proximal_points(weight, limits);
        }
        if self.is_solved() {
            return;
        }
        let mut swept = start;
        for count in OPENING {
            for number in 0..count {
                if !self.goes_on() {
                    break;
                }
                self.sweeper.sweep(self.canonical, 1.0, number % 2 == 1, &mut swept);
            }
            self.trial.copy_from_slice(&swept);
            self.proximal_points(0.0, [1, WHOLE]);
            self.trial.copy_from_slice(&swept);
            self.newton(true);
            if self.is_solved() {
                return;
            }
        }
        self.trial.copy_from_slice(&swept);
        self.offer();
    }

    /// Offers the trial as it is in the cones.
    fn offer_in_cones(&mut self) {
        let kept = std::mem::take(&mut self.trial);
        self.trial = kept.clone();
        for cell in &self.canonical.cells {
            cell.cone.project(&mut self.trial[cell.range()], None);
        }
        self.offer();
        self.trial = kept;
    }

    /// Alternating directions whose penalty adapts, from the best unknowns.
    fn directions(&mut self, count: usize, penalty: f64) {
        let mut directions = Directions::new(self.canonical, penalty, &self.x);
        for number in (0..count).step_by(40) {
            self.go_on(&mut directions, (count - number).min(40));
            if number < 800 {
                directions.adapt(self.canonical);
            }
        }
    }

    /// Goes on with alternating directions.
    fn go_on(&mut self, directions: &mut Directions, count: usize) {
        for number in 0..count {
            if !self.goes_on() {
                return;
            }
            directions.step(self.canonical);
            if number % 20 == 19 || number + 1 == count {
                self.trial.copy_from_slice(&directions.z);
                self.offer();
            }
        }
    }

    fn combined(&mut self) {
        let coulomb = self.canonical.problem.model == Model::Coulomb;
        if coulomb {
            self.opening();
        } else {
            self.directions(100, 0.3);
            self.newton(false);
        }
        if self.is_solved() {
            return;
        }
        if Infeasibility::find(self.canonical.problem).is_some() {
            self.infeasible = true;
            return;
        }
        self.motions(1, MOST);
        if self.is_solved() {
            return;
        }
        let mut drifting = Directions::new(self.canonical, DRIFT, &self.x);
        for round in 0..6 {
            if self.is_solved() {
                return;
            }
            self.directions(200 << round, [0.3, 0.03, 3.0][round % 3]);
            self.newton(false);
            for _ in 0..1 << round {
                self.go_on(&mut drifting, 400);
                self.trial.copy_from_slice(&drifting.z);
                self.newton(true);
            }
            if coulomb {
                self.sweeps(100 << round, 1.0);
                self.newton(false);
                self.sweeps(100 << round, 0.5);
                self.newton(false);
            }
        }
    }
}
