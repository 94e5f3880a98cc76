//! A simulated motion, stored step by step: [`Trajectory`].

mod overlaps;
mod table;

pub use overlaps::{Overlap, Passing};
pub(crate) use table::coordinate_columns;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
    sync::Arc,
};

use percussion_complementarity::friction::document::Document;
use percussion_dynamics::{ContactName, gap::GapFunction};
use percussion_integrators::{
    Contact, EnergyBalance, Model, State, StepReport, Work, schemes::Name,
};
use serde::Serialize;

use crate::{
    Error,
    mechanism::{Mechanism, Surfaces},
    scenario::{Scenario, Setup},
};

/// Maximum number of values that the samples of one simulation may contain: 1 GiB.
pub const NUMBER_LIMIT: usize = 1 << 27;

/// The state at one step end.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Time (s).
    pub time: f64,
    /// Coordinates (m, rad or unit quaternions), in the layout of the system.
    pub coordinates: Vec<f64>,
    /// Generalized velocity (m/s, rad/s).
    pub velocity: Vec<f64>,
    /// `Σ h v'` since the start (`Σ h v_θ` by Moreau and Jean's scheme, the sum of the increments of the
    /// coordinates by the variational one), one entry per velocity (m, rad). These are displacements, and for
    /// rotations the sum of all angle increments. Up to its start this is the 24-vector of the paper's Table
    /// I. In an event-driven motion it is the tangent vector from the start to the coordinates.
    pub displacement: Vec<f64>,
    /// Gap of every contact of the model (m; rad for the limit of an angle), negative when penetrating.
    /// Contacts that were found during the motion have no entry.
    pub gaps: Vec<f64>,
    /// Total energy (J).
    pub energy: f64,
}

/// A motion as a list of step ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Step (s).
    pub step_size: f64,
    /// Name of every contact: those of the model, then those that were found during the motion.
    pub contact_names: Vec<String>,
    /// The contacts that were found, if the scenario [finds contacts](Scenario::finds_contacts).
    pub found: Option<Vec<ContactName>>,
    /// The start, followed by every step end.
    pub samples: Vec<Sample>,
    /// The reports of the steps: `reports[k]` belongs to the step from `samples[k]` to `samples[k + 1]`.
    /// Empty for an event-driven motion, whose steps do not end at the samples.
    pub reports: Vec<StepReport>,
}

/// Status of a motion that made all of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Status {
    /// No step ended with more energy than the motion can have.
    Completed,
    /// A step ended with more energy, because of an impact law that may gain energy, or because of an error of the scheme, for example if the step is too long.
    EnergyGained,
}

impl Scenario {
    /// Builds and simulates the scenario as [`Setup::simulate`] does, for callers that need only the trajectory.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build) and [`Setup::simulate`].
    ///
    /// # Example
    ///
    /// The rod falls freely for 0.1 s by `½ · 9.81 · 0.1²` = 0.049 m, and slightly more with finite steps.
    ///
    /// ```
    /// use percussion_mechanism::scenario::Scenario;
    ///
    /// let mut scenario = Scenario::from_path("fixtures/compat/scenarios/rod-on-table.toml")?;
    /// scenario.duration = 0.1;
    /// let trajectory = scenario.simulate(&mut |_fraction| ())?;
    /// let height = trajectory.end().coordinates[1];
    /// assert!((height - (1.0 - 0.049)).abs() < 1e-3);
    /// # Ok::<(), percussion_mechanism::Error>(())
    /// ```
    pub fn simulate(&self, progress: &mut dyn FnMut(f64)) -> Result<Trajectory, Error> {
        self.build()?.simulate(progress)
    }
}

impl Setup {
    /// Simulates the mechanism for the duration of the scenario, by the scheme of Stewart and Trinkle if the
    /// method of the scenario is event-driven.
    ///
    /// `progress` receives the completed fraction, in `[0, 1]` and never decreasing, about a hundred times.
    ///
    /// # Errors
    ///
    /// [`Error::Motion`], before the first step, if the samples would not fit in the limit; the error of the
    /// scheme if a step fails.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_mechanism::{scenario::Scenario, view};
    ///
    /// let mut scenario = Scenario::from_path("fixtures/compat/scenarios/rod-on-table.toml")?;
    /// scenario.duration = 0.1;
    /// let setup = scenario.build()?;
    /// let trajectory = setup.simulate(&mut |_fraction| ())?;
    /// let table = trajectory.table(&setup);
    /// assert_eq!(table.rows.len(), trajectory.samples.len());
    /// assert_eq!(view::of_trajectory(&setup, &trajectory).contacts, trajectory.contact_names);
    /// # Ok::<(), percussion_mechanism::Error>(())
    /// ```
    pub fn simulate(&self, progress: &mut dyn FnMut(f64)) -> Result<Trajectory, Error> {
        self.simulate_with_dump(progress, &mut |_| ())
    }

    /// Like [`simulate`](Self::simulate), but passes the contact problem of a failed step to `dump`, with its
    /// initial impulses and its solver. Stewart and Trinkle's scheme, which has linear problems, and the
    /// variational one pass none.
    ///
    /// # Errors
    ///
    /// As [`simulate`](Self::simulate).
    pub fn simulate_with_dump(
        &self,
        progress: &mut dyn FnMut(f64),
        dump: &mut dyn FnMut(&Document),
    ) -> Result<Trajectory, Error> {
        let mut told = 0;
        let mut watch = |share: f64| {
            // About a hundred times, and at the end.
            if share * 100.0 >= f64::from(told) {
                told += 1;
                progress(share);
            }
            ControlFlow::Continue(())
        };
        self.simulate_while(&mut watch, dump)
    }

    /// Like [`simulate_with_dump`](Self::simulate_with_dump), but asks `watch` before every step, with the completed
    /// fraction, and after the last one with 1. If it answers [`ControlFlow::Break`], the motion ends there and has the
    /// steps so far, with the same results as those steps of the whole motion.
    ///
    /// # Errors
    ///
    /// As [`simulate`](Self::simulate).
    ///
    /// # Example
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use percussion_mechanism::scenario::Scenario;
    ///
    /// let setup = Scenario::from_path("fixtures/compat/scenarios/rod-on-table.toml")?.build()?;
    /// let mut steps = 0;
    /// let mut watch = |_fraction| {
    ///     steps += 1;
    ///     if steps > 10 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    /// };
    /// let trajectory = setup.simulate_while(&mut watch, &mut |_| ())?;
    /// assert_eq!(trajectory.reports.len(), 10);
    /// # Ok::<(), percussion_mechanism::Error>(())
    /// ```
    pub fn simulate_while(
        &self,
        watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
        dump: &mut dyn FnMut(&Document),
    ) -> Result<Trajectory, Error> {
        match self.simulate_to_failure(watch, dump)? {
            (trajectory, None) => Ok(trajectory),
            (_, Some(error)) => Err(error),
        }
    }

    /// Like [`simulate_while`](Self::simulate_while), but where a step fails, returns the motion before it with the error.
    ///
    /// # Errors
    ///
    /// Those before the first step, as [`simulate`](Self::simulate).
    pub fn simulate_to_failure(
        &self,
        watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
        dump: &mut dyn FnMut(&Document),
    ) -> Result<(Trajectory, Option<Error>), Error> {
        let Self { scenario, mechanism, .. } = self;
        let Mechanism { model, state, .. } = mechanism;
        let step_count = scenario.step_count();
        let first = Sample::first(model, state);
        let kept = step_count.saturating_mul(first.number_count());
        if kept > NUMBER_LIMIT {
            return Err(Error::Motion { steps: step_count, kept, limit: NUMBER_LIMIT });
        }
        let mut simulation = scenario.stepping().begin(model.clone(), state.clone())?;
        let mut trajectory = Trajectory {
            step_size: scenario.integrator.step_size,
            contact_names: mechanism.contact_names(),
            found: None,
            samples: vec![first],
            reports: Vec::with_capacity(step_count),
        };
        let mut failure = None;
        for step in 0..step_count {
            if watch(step as f64 / step_count as f64).is_break() {
                break;
            }
            let report = match simulation.step() {
                Ok(report) => report,
                Err(error) => {
                    if let Some(document) = simulation.document() {
                        dump(&document);
                    }
                    failure = Some(error.into());
                    break;
                }
            };
            let (model, state) = (simulation.model(), simulation.state());
            trajectory.push(model, state, scenario.way(&trajectory, model, state), report);
        }
        if trajectory.reports.len() == step_count {
            // Nothing is left that an answer could end.
            let _ = watch(1.0);
        }
        if let Some(surfaces) = &mechanism.surfaces {
            let contacts = simulation.contacts();
            let found = (0..contacts.len()).filter_map(|number| contacts.name(number));
            trajectory.add_found(surfaces, found.collect());
        }
        Ok((trajectory, failure))
    }

    /// The gap of a contact of a trajectory, if a contact with this number exists.
    pub(crate) fn gap(
        &self,
        trajectory: &Trajectory,
        contact: usize,
    ) -> Option<Arc<dyn GapFunction>> {
        let model = &self.mechanism.model;
        let named = model.contacts();
        match named.get(contact) {
            Some(contact) => Some(Arc::clone(&contact.gap)),
            None => {
                let name = trajectory.found.as_ref()?.get(contact - named.len())?;
                model.contact_source()?.gap(name)
            }
        }
    }
}

impl Scenario {
    /// The displacement of the step to `state` (m, rad).
    fn way(&self, trajectory: &Trajectory, model: &Model, state: &State) -> Vec<f64> {
        let (before, step_size) = (trajectory.end(), trajectory.step_size);
        match self.integrator.method {
            Name::MoreauJean => {
                let theta = self.moreau_jean_settings().implicitness;
                let blend = |(before, after): (&f64, &f64)| {
                    step_size * ((1.0 - theta) * before + theta * after)
                };
                before.velocity.iter().zip(&state.velocity).map(blend).collect()
            }
            Name::Variational => {
                let mut way = vec![0.0; state.velocity.len()];
                model.system().difference(&before.coordinates, &state.coordinates, &mut way);
                way
            }
            _ => state.velocity.iter().map(|v| step_size * v).collect(),
        }
    }
}

impl Sample {
    fn number_count(&self) -> usize {
        2 + self.coordinates.len() + 2 * self.velocity.len() + self.gaps.len()
    }

    fn first(model: &Model, state: &State) -> Self {
        Self::new(model, state, vec![0.0; state.velocity.len()])
    }

    fn new(model: &Model, state: &State, displacement: Vec<f64>) -> Self {
        let system = model.system();
        let gap = |contact: &Contact| contact.gap.gap(system, &state.coordinates);
        Self {
            time: state.time,
            coordinates: state.coordinates.clone(),
            velocity: state.velocity.clone(),
            displacement,
            gaps: model.contacts().iter().map(gap).collect(),
            energy: system.energy(&state.coordinates, &state.velocity),
        }
    }
}

impl Trajectory {
    /// Keeps the contacts that were found and took part in a step, and renumbers them.
    fn add_found(&mut self, surfaces: &Surfaces, found: Vec<ContactName>) {
        let named = self.contact_names.len();
        let used: BTreeSet<usize> = self
            .reports
            .iter()
            .flat_map(|report| report.contacts.iter().map(|contact| contact.contact))
            .filter(|contact| *contact >= named)
            .collect();
        let numbers: BTreeMap<usize, usize> =
            used.iter().enumerate().map(|(place, number)| (*number, named + place)).collect();
        for report in &mut self.reports {
            let contacts = report.contacts.iter_mut().map(|contact| &mut contact.contact);
            let hit = report.impacts.iter_mut().flat_map(|impact| &mut impact.contacts);
            for contact in contacts.chain(hit) {
                if let Some(number) = numbers.get(contact) {
                    *contact = *number;
                }
            }
        }
        let kept: Vec<ContactName> =
            used.iter().filter_map(|number| found.get(number - named).copied()).collect();
        self.contact_names.extend(kept.iter().map(|name| surfaces.contact(name)));
        self.found = Some(kept);
    }

    fn push(&mut self, model: &Model, state: &State, way: Vec<f64>, report: StepReport) {
        let displacement = self.end().displacement.iter().zip(&way).map(|(d, w)| d + w).collect();
        self.samples.push(Sample::new(model, state, displacement));
        self.reports.push(report);
    }

    /// The last sample.
    #[must_use]
    pub fn end(&self) -> &Sample {
        // The start is always present.
        &self.samples[self.samples.len() - 1]
    }

    /// First sample in which the gap of `contact`, one of the model, is at most `tolerance` (m), if there is one.
    #[must_use]
    pub fn first_touch(&self, contact: usize, tolerance: f64) -> Option<&Sample> {
        let touches = |sample: &&Sample| sample.gaps.get(contact).is_some_and(|g| *g <= tolerance);
        self.samples.iter().find(touches)
    }

    /// First sample after which, up to the end, no entry of the velocity exceeds `speed` (m/s, rad/s).
    #[must_use]
    pub fn rest(&self, speed: f64) -> Option<&Sample> {
        let resting = |sample: &&Sample| sample.velocity.iter().all(|v| v.abs() <= speed);
        self.samples.iter().rev().take_while(resting).last()
    }

    /// Index of the contact called `name`.
    #[must_use]
    pub fn contact(&self, name: &str) -> Option<usize> {
        self.contact_names.iter().position(|known| known == name)
    }

    /// Deepest penetration at any step end (m, at least 0).
    #[must_use]
    pub fn deepest_penetration(&self) -> f64 {
        let gaps = self.samples.iter().flat_map(|sample| &sample.gaps);
        let named = gaps.fold(0.0, |deepest, gap| f64::max(deepest, -gap));
        match self.found {
            Some(_) => {
                self.reports.iter().fold(named, |deepest, step| deepest.max(step.penetration))
            }
            None => named,
        }
    }

    /// Largest relative natural-map residual of any complementarity problem.
    #[must_use]
    pub fn largest_residual(&self) -> f64 {
        self.reports.iter().map(|report| report.relative_residual).fold(0.0, f64::max)
    }

    /// Size of the largest linear complementarity problem, 0 if there was none.
    #[must_use]
    pub fn largest_lcp(&self) -> usize {
        let size = |report: &StepReport| match report.work {
            Work::Polygons(work) => work.lcp_size,
            _ => 0,
        };
        self.reports.iter().map(size).max().unwrap_or_default()
    }

    /// Maximum number of contacts that took part in one step.
    #[must_use]
    pub fn most_contacts(&self) -> usize {
        self.reports.iter().map(|report| report.contacts.len()).max().unwrap_or_default()
    }

    /// Largest change of energy in a step (J); negative if every step loses energy.
    #[must_use]
    pub fn largest_energy_increase(&self) -> f64 {
        let changes = self.samples.windows(2).map(|pair| pair[1].energy - pair[0].energy);
        changes.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Status of the motion: whether its energy stayed within the possible range.
    #[must_use]
    pub fn status(&self) -> Status {
        let breached = self.reports.iter().any(|report| report.energy.is_breached());
        if breached { Status::EnergyGained } else { Status::Completed }
    }

    /// The energy balance at the step end with the largest gain above the allowed one.
    #[must_use]
    pub fn worst_balance(&self) -> EnergyBalance {
        let excess = |balance: &EnergyBalance| {
            let excess = balance.gained - balance.allowed;
            if excess.is_nan() { f64::INFINITY } else { excess }
        };
        let balances = self.reports.iter().map(|report| report.energy);
        balances.max_by(|a, b| excess(a).total_cmp(&excess(b))).unwrap_or_default()
    }
}
