//! The [`Sampler`]: generates samples one after another, step by step, in memory that is allocated once.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts",
//! *International Journal of Robotics Research* 43 (2024), algorithm 1, and lemma 9 for the last step.

use nalgebra::DVector;

use super::{
    Covering, Settings, Solutions,
    choice::Choice,
    covering_path::CoveringPath,
    default_step::typical,
    draws::Source,
    statement::{Statement, Units},
    statistics::{Choices, Figures, Sample, Termination},
};
use crate::{
    Problem,
    law::{Error, finite_energy},
};

mod drift;
mod restitution;
mod step;

use drift::AcceptedDrift;
use restitution::Stores;
pub(crate) use restitution::{Event, Mode, Recorded};

/// Follows samples of one problem.
///
/// # Example
///
/// A flat bar of 1 kg and 2 m with corners at its ends falls at 1 m/s. A large increment at the left corner
/// alone makes it pivot: the left corner stops and the right one continues to fall.
///
/// ```
/// use nalgebra::{dmatrix, dvector};
/// use percussion_impact::{Contact, Mass, Problem, set_valued::{Sampler, Settings}};
///
/// let corners = vec![Contact::new(dvector![1.0, -1.0]), Contact::new(dvector![1.0, 1.0])];
/// let mass = Mass::Matrix(dmatrix![1.0, 0.0; 0.0, 1.0 / 3.0]);
/// let problem = Problem::new(mass, dvector![-1.0, 0.0], corners)?;
///
/// let mut sampler = Sampler::new(&problem, &Settings { step: 1.0, ..Settings::default() })?;
/// sampler.step(&[10.0, 0.0])?;
/// assert!((sampler.impulse() - dvector![0.25, 0.0]).amax() < 1e-15);
/// assert!((sampler.contact_velocity() - dvector![0.0, -1.5]).amax() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sampler<'a> {
    problem: &'a Problem,
    settings: Settings,
    statement: Statement,
    /// The fast method, for planar contacts.
    path: Option<CoveringPath>,
    source: Source,
    /// Draws among the solutions of a step, where that is asked for and steps are small.
    choice: Option<Choice>,
    /// Velocity before the impact, joints satisfied, and its contact velocity.
    start: DVector<f64>,
    start_contact: DVector<f64>,
    /// Fastest contact velocity before the impact, or 1 if all rows are at rest (m/s).
    speed: f64,
    /// Units of the residuals.
    units: Units,
    /// Units of speed and impulse for covering vectors of ones.
    covering_units: [f64; 2],
    accepted_drift: AcceptedDrift,

    index: u64,
    contact_velocity: DVector<f64>,
    impulse: DVector<f64>,
    velocity: DVector<f64>,
    lcps: usize,
    termination: Termination,
    fallbacks: u64,
    choices: Choices,
    figures: Figures,
    /// The stored energies, where a contact has restitution.
    stores: Option<Box<Stores>>,

    /// Increments and impulses of the current step, and the contact velocity after it.
    increments: Vec<f64>,
    step_impulse: DVector<f64>,
    step_velocity: DVector<f64>,
}

/// One sample from beginning to end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Path {
    /// Index of the sample.
    pub index: u64,
    /// Velocity before the impact, joints satisfied (length `n_v`, m/s and rad/s).
    pub start: DVector<f64>,
    /// Its steps, the last small one included.
    pub steps: Vec<PathStep>,
    /// How it ended.
    pub termination: Termination,
    /// The worst figures of its steps.
    pub figures: Figures,
}

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathStep {
    /// Maximum increment of each contact's normal impulse, `λ̄` (N·s).
    pub increments: Vec<f64>,
    /// Impulses of the step, at the rows of `J` (length `r`, N·s).
    pub impulse: DVector<f64>,
    /// Velocity at its end (length `n_v`, m/s and rad/s).
    pub velocity: DVector<f64>,
    /// Contact velocity at its end (length `r`, m/s).
    pub contact_velocity: DVector<f64>,
}

impl<'a> Sampler<'a> {
    /// Allocates all memory; starts at the velocity before the impact.
    ///
    /// # Errors
    ///
    /// [`Error`] when a setting is wrong.
    pub fn new(problem: &'a Problem, settings: &Settings) -> Result<Self, Error> {
        check(settings)?;
        finite_energy(problem)?;
        let settings = &settings.for_problem(problem);
        let statement = Statement::new(problem, settings.directions)?;
        let path = CoveringPath::new(problem, &statement.frames);
        let contacts = problem.contacts().len();
        let drawn = settings.solutions == Solutions::Drawn;
        let choice = drawn.then(|| statement.choice(problem)).flatten();
        let source = Source::new(settings.draws, settings.seed, settings.steps * contacts)?;
        let start = problem.free_velocity();
        let start_contact = problem.movable_contact_velocity(&start);
        let zeros = DVector::zeros(start_contact.len());
        let fastest = start_contact.amax();
        let speed = if fastest > 0.0 { fastest } else { 1.0 };
        let units = Units::new(problem, &start_contact, (speed, settings.step));
        let covering_units = settings.covering_units.unwrap_or_else(|| typical(problem, speed));
        let accepted_drift = AcceptedDrift::new(problem, &start_contact, settings.lemke.tolerance);
        let mut sampler = Self {
            problem,
            settings: *settings,
            statement,
            path,
            source,
            choice,
            speed,
            units,
            covering_units,
            accepted_drift,
            index: 0,
            contact_velocity: start_contact.clone(),
            impulse: zeros.clone(),
            velocity: start.clone(),
            start,
            start_contact,
            lcps: 0,
            termination: Termination::Limit,
            fallbacks: 0,
            choices: Choices::default(),
            figures: Figures::default(),
            stores: Stores::new(problem).map(Box::new),
            increments: vec![0.0; contacts],
            step_impulse: zeros.clone(),
            step_velocity: zeros,
        };
        sampler.cover_sample();
        sampler.restart(0);
        Ok(sampler)
    }

    /// Returns to the velocity before the impact, to begin the sample `index`.
    pub fn restart(&mut self, index: u64) {
        self.index = index;
        self.contact_velocity.copy_from(&self.start_contact);
        self.velocity.copy_from(&self.start);
        self.impulse.fill(0.0);
        self.lcps = 0;
        self.fallbacks = 0;
        self.choices = Choices::default();
        self.figures = Figures::default();
        if let Some(stores) = &mut self.stores {
            stores.restart();
        }
        self.termination = Termination::Limit;
        if self.settings.covering == Covering::Random {
            self.cover_sample();
        }
        self.source.seek(index);
        if self.settings.solutions == Solutions::Drawn {
            self.source.seek_choices(index);
        }
        self.see_whether_it_ends();
    }

    /// Takes one step in which the normal impulses grow by at most `increments` (one for each contact, N·s, ≥
    /// 0), whether or not contacts approach.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] when there is not one increment for each contact, or one is negative or not finite.
    /// A step that was not solved is not an error; it is the [`termination`](Self::termination).
    pub fn step(&mut self, increments: &[f64]) -> Result<(), Error> {
        if increments.len() != self.increments.len() {
            let (value, expected) = (increments.len() as f64, "one for each contact");
            return Err(Error::Setting { name: "number of increments", value, expected });
        }
        if let Some(&value) = increments.iter().find(|x| !(x.is_finite() && **x >= 0.0)) {
            let (name, expected) = ("increment", "a finite number of at least 0");
            return Err(Error::Setting { name, value, expected });
        }
        if increments.is_empty() {
            return Ok(());
        }
        self.increments.copy_from_slice(increments);
        self.advance();
        self.update_velocity();
        Ok(())
    }

    /// Follows the sample `index` to its end.
    pub fn run(&mut self, index: u64) {
        self.run_observed(index, |_| ());
    }

    /// Follows the sample `index` to its end and stores all its steps.
    #[must_use]
    pub fn path(&mut self, index: u64) -> Path {
        let mut steps = Vec::new();
        self.run_observed(index, |sampler| {
            sampler.update_velocity();
            steps.push(PathStep {
                increments: sampler.increments.clone(),
                impulse: sampler.step_impulse.clone(),
                velocity: sampler.velocity.clone(),
                contact_velocity: sampler.contact_velocity.clone(),
            });
        });
        let (termination, figures) = (self.termination, self.figures);
        Path { index, start: self.start.clone(), steps, termination, figures }
    }

    /// Velocity after the steps so far (length `n_v`, m/s and rad/s).
    #[must_use]
    pub const fn velocity(&self) -> &DVector<f64> {
        &self.velocity
    }

    /// Contact velocity after the steps so far (length `r`, m/s).
    #[must_use]
    pub const fn contact_velocity(&self) -> &DVector<f64> {
        &self.contact_velocity
    }

    /// Impulses of the steps so far, at the rows of `J` (length `r`, N·s).
    #[must_use]
    pub const fn impulse(&self) -> &DVector<f64> {
        &self.impulse
    }

    /// Number of LCPs solved so far, without the last small step of a run.
    #[must_use]
    pub const fn lcps(&self) -> usize {
        self.lcps
    }

    /// How the sample ended; [`Limit`](Termination::Limit) as long as contacts approach.
    #[must_use]
    pub const fn termination(&self) -> Termination {
        self.termination
    }

    /// The worst figures of the steps so far.
    #[must_use]
    pub const fn figures(&self) -> &Figures {
        &self.figures
    }

    /// The energies that contacts with restitution have stored (J, one for each contact); none where no contact
    /// has restitution.
    #[must_use]
    pub fn stored_energies(&self) -> Option<&[f64]> {
        self.stores.as_ref().map(|stores| stores.energies.as_slice())
    }

    /// Number of pieces between events so far, and of steps with too many of them.
    pub(super) fn pieces(&self) -> (u64, u64) {
        self.stores.as_ref().map_or((0, 0), |stores| (stores.pieces, stores.cut))
    }

    pub(super) const fn fallbacks(&self) -> u64 {
        self.fallbacks
    }

    pub(super) const fn choices(&self) -> &Choices {
        &self.choices
    }

    /// The sample, if it ended without approach.
    #[must_use]
    pub fn outcome(&self) -> Option<Sample<'_>> {
        matches!(self.termination, Termination::Separated | Termination::Closed).then_some(Sample {
            index: self.index,
            velocity: &self.velocity,
            contact_velocity: &self.contact_velocity,
            impulse: &self.impulse,
            lcps: self.lcps,
            termination: self.termination,
        })
    }

    fn run_observed(&mut self, index: u64, mut observe: impl FnMut(&mut Self)) {
        self.restart(index);
        while self.termination == Termination::Limit && self.lcps < self.settings.steps {
            for increment in &mut self.increments {
                *increment = self.settings.step * self.source.next();
            }
            self.advance();
            observe(self);
        }
        if self.termination == Termination::Limit && self.settings.closing_step > 0.0 {
            self.increments.fill(self.settings.closing_step * self.settings.step);
            let lcps = self.lcps;
            self.advance();
            self.lcps = lcps;
            if self.termination == Termination::Separated {
                self.termination = Termination::Closed;
            }
            observe(self);
        }
        self.update_velocity();
    }

    /// Takes the step with the increments drawn.
    fn advance(&mut self) {
        if let Some(mut stores) = self.stores.take() {
            self.advance_with(&mut stores);
            self.stores = Some(stores);
            return;
        }
        self.lcps += 1;
        let figures = self.solve_step();
        self.figures.raise(&figures);
        std::mem::swap(&mut self.contact_velocity, &mut self.step_velocity);
        self.impulse += &self.step_impulse;
        if self.is_solved(&figures) {
            self.see_whether_it_ends();
        } else {
            self.termination = Termination::Unsolved;
        }
    }

    fn see_whether_it_ends(&mut self) {
        self.termination =
            if self.approaches() { Termination::Limit } else { Termination::Separated };
    }

    fn approaches(&self) -> bool {
        let threshold = -self.settings.tolerance * self.speed;
        self.statement.frames.iter().any(|frame| self.contact_velocity[frame.row] < threshold)
    }

    /// Computes the velocity from the impulses so far.
    fn update_velocity(&mut self) {
        self.velocity.copy_from(&self.start);
        self.velocity.gemv(1.0, self.problem.response(), &self.impulse, 1.0);
        self.step_velocity.gemv(1.0, self.problem.contact_jacobian(), &self.velocity, 0.0);
        let (drift, is_accepted) =
            self.accepted_drift.judge(&self.step_velocity, &self.contact_velocity);
        self.figures.drift = self.figures.drift.max(drift);
        if !is_accepted && self.outcome().is_some() {
            self.termination = Termination::Unsolved;
        }
    }

    /// The covering vector of the sample.
    fn cover_sample(&mut self) {
        if self.settings.covering == Covering::Random {
            self.source.seek_covering(self.index);
        }
        self.cover(self.settings.covering, Source::next_of_covering);
    }

    /// A covering vector of this kind, with the random numbers `next`.
    fn cover(&mut self, covering: Covering, next: fn(&mut Source) -> f64) {
        let Self { settings, statement, path, source, speed, covering_units, .. } = self;
        for i in 0..statement.covering_mut().len() {
            let (unit, one) = if statement.is_row_of_percussions(i) {
                (settings.step, covering_units[1])
            } else {
                (*speed, covering_units[0])
            };
            statement.covering_mut()[i] = match covering {
                Covering::Ones => one,
                Covering::Scaled => unit,
                Covering::Random => one * (0.1 + next(source)),
            };
        }
        if let Some(path) = path {
            statement.cover(path);
        }
    }
}

fn check(settings: &Settings) -> Result<(), Error> {
    let refuse = |name, value, expected| Err(Error::Setting { name, value, expected });
    for value in settings.covering_units.into_iter().flatten() {
        if !(value.is_finite() && value > 0.0) {
            return refuse("covering_units", value, "positive finite numbers");
        }
    }
    if !(settings.step.is_nan() || settings.step > 0.0 && settings.step.is_finite()) {
        return refuse("step", settings.step, "a positive finite number");
    }
    if !(1..=100_000).contains(&settings.steps) {
        return refuse("steps", settings.steps as f64, "a number from 1 to 100000");
    }
    if !(0.0..1.0).contains(&settings.tolerance) {
        return refuse("tolerance", settings.tolerance, "a number in [0, 1)");
    }
    if !(0.0..=1.0).contains(&settings.closing_step) {
        return refuse("closing_step", settings.closing_step, "a number in [0, 1]");
    }
    let lemke = &settings.lemke;
    if lemke.tolerance.is_nan() || lemke.tolerance < 0.0 {
        return refuse("lemke.tolerance", lemke.tolerance, "a number of at least 0");
    }
    if lemke.pivot_limit == 0 {
        return refuse("lemke.pivot_limit", 0.0, "at least 1");
    }
    Ok(())
}
