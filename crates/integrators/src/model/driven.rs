//! A system with actuators, implicit in steps: [`Driven`].
//!
//! With the force `f` of an actuator at the end of a step of length `h`, whose displacement has the fraction `θ` of the
//! velocity `v'` at the end, and with `r` for its gears, `ℓ̇ = rᵀ v`, `k = −b_1` and `d = −b_2`,
//!
//! ```math
//! f' = c - (\theta h k + d)\, r^\mathsf{T}(v' - v), \qquad c = f(q, v) - h k\, r^\mathsf{T} v,
//! ```
//! ```math
//! (M + h (\theta h k + d)\, r r^\mathsf{T})(v' - v) = h\,(k_\mathrm{smooth} + r c) + J^\mathsf{T} p .
//! ```
//!
//! So a step with actuators is one of a system with another mass matrix and a constant force, whatever the scheme is. An
//! actuator whose force leaves its range is taken at the end of the range, and the step is solved again.
//!
//! Drives that are coupled can take turns in this. An actuator that has returned `MOST_TURNS` times in a step is stated in
//! the problem of joints and contacts, as an impulse `λ` in an interval with the compliance `1/(h (θ h k + d))`,
//!
//! ```math
//! u = r^\mathsf{T} v' - r^\mathsf{T} v - \frac{c}{\theta h k + d} + \frac{\lambda}{h\,(\theta h k + d)}, \qquad
//! h f_\mathrm{min} \le \lambda \le h f_\mathrm{max},
//! ```
//!
//! whose law is the same. Schemes without such a problem keep it at the end of its range.
//!
//! # Source
//!
//! Derived here; forces that are linear in the velocity at the end of a step are those of the implicit Euler method.

mod sum;
mod system;

use std::{
    ops::Range,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use nalgebra::DMatrix;
use percussion_dynamics::{AddedMass, System};

use self::sum::Sum;
use super::{Actuator, Controls, Model, ModelError, State};

/// Maximum number of times that an actuator returns into its range within one step.
const MOST_TURNS: usize = 3;

/// A force that exceeds the end of its range by this fraction of it, as rounding may, is within the range.
const ROUNDING: f64 = 1e-12;

/// A system with actuators.
#[derive(Debug)]
pub(crate) struct Driven {
    system: Arc<dyn System>,
    actuators: Arc<[Actuator]>,
    controls: Controls,
    /// Whether an actuator couples velocities of different trees.
    is_coupled: bool,
    step: RwLock<Step>,
    sum: Mutex<Option<Sum>>,
}

/// The actuators in the current step.
#[derive(Clone, Debug)]
struct Step {
    /// Whether there is one; the rest is scratch otherwise.
    is_now: bool,
    /// Length `h` (s).
    length: f64,
    /// `h (θ h k + d) r rᵀ` of all, the entries that it may have, by columns (column and row), the place among these of each product of
    /// gears of each actuator, their values, and those that are not zero.
    added: AddedMass,
    places: Vec<(usize, usize)>,
    products: Vec<usize>,
    slopes: Vec<f64>,
    entries: Vec<(usize, usize, f64)>,
    /// Number of changes of the entries, and of the drives that are stated, so far.
    revision: u64,
    has_stated: bool,
    /// `r c` of all.
    forces: Vec<f64>,
    laws: Vec<Linear>,
}

/// The force of one actuator, linear in the change of its rate.
#[derive(Clone, Copy, Debug)]
struct Linear {
    /// Rate at the start.
    rate: f64,
    /// `c`.
    constant: f64,
    /// `θ h k + d`.
    slope: f64,
    /// The end of the range that it is held at.
    held: Option<f64>,
    turns: usize,
    /// The force found by the problem in which it is stated, if it is.
    stated: Option<f64>,
}

/// An actuator as a row of a problem of joints and contacts: an impulse in an interval, with a compliance.
#[derive(Clone, Debug)]
pub(crate) struct StatedDrive {
    /// Its number.
    pub(crate) actuator: usize,
    /// `r`, by the indices of velocities.
    pub(crate) axis: Vec<(usize, f64)>,
    /// `h f_min` and `h f_max` (N·s, N·m·s).
    pub(crate) bounds: [f64; 2],
    /// `1/(h (θ h k + d))`.
    pub(crate) compliance: f64,
    /// What is added to `rᵀ v'` (m/s, rad/s).
    pub(crate) shift: f64,
}

impl Linear {
    /// The force in a step that changes its rate by `change`.
    fn force(&self, change: f64) -> f64 {
        self.stated.or(self.held).unwrap_or(self.constant - self.slope * change)
    }
}

impl Driven {
    fn new(system: Arc<dyn System>, actuators: Arc<[Actuator]>, controls: Controls) -> Self {
        let trees: Vec<Range<usize>> =
            (0..system.body_count()).map(|body| system.tree_velocities(body)).collect();
        let joins = |actuator: &Actuator| {
            let all = |tree: &Range<usize>| {
                actuator.joints.iter().all(|joint| tree.contains(&joint.velocity))
            };
            actuator.joints.len() > 1 && !trees.iter().any(all)
        };
        let is_coupled = actuators.iter().any(joins);
        let step = RwLock::new(Step::new(&actuators, system.velocity_count()));
        Self { system, actuators, controls, is_coupled, step, sum: Mutex::default() }
    }

    /// Solves a step from `start` of `length` (s), with the fraction `theta` of the velocity at its end in its displacement:
    /// `solve` returns that velocity, and is called again until every actuator is in its range; its problem may have
    /// [stated](Self::stated) drives if `is_exact`. Returns the work of the actuators over the displacement (J).
    pub(crate) fn drive<E>(
        &self,
        start: &State,
        (length, theta): (f64, f64),
        is_exact: bool,
        mut solve: impl FnMut() -> Result<Vec<f64>, E>,
    ) -> Result<f64, E> {
        self.begin(start, length, theta);
        let solved = loop {
            match solve() {
                Ok(velocity) if self.revise(&velocity, is_exact) => {}
                Ok(velocity) => break Ok(self.work(&velocity, theta)),
                Err(error) => break Err(error),
            }
        };
        self.end();
        solved
    }

    /// Starts a step of `length` (s) at `state`, with the fraction `theta` of the velocity at its end in its displacement.
    fn begin(&self, state: &State, length: f64, theta: f64) {
        let State { coordinates, velocity, time } = state;
        let law = |(number, actuator): (usize, &Actuator)| {
            let rate = actuator.rate(velocity);
            let [_, stiffness, damping] = actuator.bias.map(|b| (-b).max(0.0));
            let set = self.controls.get(number);
            let at_start =
                actuator.unbounded(actuator.length(coordinates), rate, time + length, set);
            let [least, most] = actuator.force_range;
            let held = match at_start {
                force if force < least => Some(least),
                force if force > most => Some(most),
                _ => None,
            };
            Linear {
                rate,
                constant: at_start - length * stiffness * rate,
                slope: theta * length * stiffness + damping,
                held,
                turns: 0,
                stated: None,
            }
        };
        let mut step = self.step.write().unwrap_or_else(PoisonError::into_inner);
        (step.is_now, step.length) = (true, length);
        step.laws.clear();
        step.laws.extend(self.actuators.iter().enumerate().map(law));
        step.assemble(&self.actuators);
    }

    /// Takes actuators whose force at the end of the step, with `velocity`, is out of its range at the end of the range, and
    /// back, or has them stated. Returns whether there were any, so that the step has to be solved again.
    fn revise(&self, velocity: &[f64], is_exact: bool) -> bool {
        let mut step = self.step.write().unwrap_or_else(PoisonError::into_inner);
        let mut changed = false;
        for (law, actuator) in step.laws.iter_mut().zip(self.actuators.iter()) {
            let force = law.constant - law.slope * (actuator.rate(velocity) - law.rate);
            let [least, most] = actuator.force_range;
            let held = match force {
                force if force < least - ROUNDING * least.abs() => Some(least),
                force if force > most + ROUNDING * most.abs() => Some(most),
                _ => None,
            };
            if law.stated.is_some() || held == law.held || law.turns == MOST_TURNS {
                continue;
            }
            law.turns += usize::from(law.held.is_some());
            if law.turns < MOST_TURNS {
                law.held = held;
                changed = true;
            } else if is_exact && least.is_finite() && most.is_finite() && law.slope > 0.0 {
                law.stated = Some(0.0);
                changed = true;
            }
        }
        if changed {
            step.assemble(&self.actuators);
        }
        changed
    }

    /// The actuators that the problem of the step has to state.
    pub(crate) fn stated(&self) -> Vec<StatedDrive> {
        let of_step = |step: &Step| {
            let stated = |(number, law): (usize, &Linear)| {
                law.stated?;
                let actuator = &self.actuators[number];
                let axis = actuator.joints.iter().map(|joint| (joint.velocity, joint.gear));
                Some(StatedDrive {
                    actuator: number,
                    axis: axis.collect(),
                    bounds: actuator.force_range.map(|force| step.length * force),
                    compliance: 1.0 / (step.length * law.slope),
                    shift: -law.rate - law.constant / law.slope,
                })
            };
            step.laws.iter().enumerate().filter_map(stated).collect()
        };
        self.with(|step| step.map_or_else(Vec::new, of_step))
    }

    /// A number that changes with the masses of a step and with the drives that are [stated](Self::stated).
    pub(crate) fn revision(&self) -> u64 {
        self.step.read().unwrap_or_else(PoisonError::into_inner).revision
    }

    /// Takes the impulse that was found for a stated actuator.
    pub(crate) fn take(&self, actuator: usize, impulse: f64) {
        let mut step = self.step.write().unwrap_or_else(PoisonError::into_inner);
        let force = impulse / step.length;
        if let Some(law) = step.laws.get_mut(actuator) {
            law.stated = Some(force);
        }
    }

    /// Work of the actuators in the step (J), which ends with `velocity`.
    fn work(&self, velocity: &[f64], theta: f64) -> f64 {
        let work = |step: &Step| {
            let of_one = |(law, actuator): (&Linear, &Actuator)| {
                let change = actuator.rate(velocity) - law.rate;
                law.force(change) * step.length * (law.rate + theta * change)
            };
            step.laws.iter().zip(self.actuators.iter()).map(of_one).sum()
        };
        self.with(|step| step.map_or(0.0, work))
    }

    /// Ends the step, after which the law is that of each instant.
    fn end(&self) {
        self.step.write().unwrap_or_else(PoisonError::into_inner).is_now = false;
    }

    /// Calls `use_it` with the current step.
    fn with<T>(&self, use_it: impl FnOnce(Option<&Step>) -> T) -> T {
        let step = self.step.read().unwrap_or_else(PoisonError::into_inner);
        use_it(step.is_now.then_some(&step))
    }

    /// Adds the forces at an instant.
    fn add(&self, coordinates: &[f64], velocity: &[f64], time: f64, forces: &mut [f64]) {
        for (number, actuator) in self.actuators.iter().enumerate() {
            let force = actuator.force(coordinates, velocity, time, self.controls.get(number));
            actuator.joints.iter().for_each(|joint| forces[joint.velocity] += joint.gear * force);
        }
    }
}

impl Step {
    fn new(actuators: &[Actuator], count: usize) -> Self {
        let pairs = |actuator: &Actuator| -> Vec<(usize, usize)> {
            let all = || actuator.joints.iter().map(|joint| joint.velocity);
            all().flat_map(|column| all().map(move |row| (column, row))).collect()
        };
        let mut places: Vec<_> = actuators.iter().flat_map(pairs).collect();
        places.sort_unstable();
        places.dedup();
        Self {
            is_now: false,
            length: 0.0,
            added: AddedMass::new(DMatrix::zeros(count, count)),
            entries: Vec::with_capacity(places.len()),
            revision: 0,
            has_stated: false,
            products: actuators
                .iter()
                .flat_map(pairs)
                .map(|pair| places.binary_search(&pair).unwrap_or_default())
                .collect(),
            slopes: Vec::with_capacity(places.len()),
            places,
            forces: vec![0.0; count],
            laws: Vec::with_capacity(actuators.len()),
        }
    }

    /// What the actuators add to the mass matrix, if anything.
    fn implicit(&self) -> Option<&AddedMass> {
        (!self.entries.is_empty()).then_some(&self.added)
    }

    fn assemble(&mut self, actuators: &[Actuator]) {
        self.slopes.clear();
        self.slopes.resize(self.places.len(), 0.0);
        self.forces.fill(0.0);
        let mut products = self.products.iter();
        for (law, actuator) in self.laws.iter().zip(actuators) {
            let (force, slope) = match (law.stated, law.held) {
                // The problem of the step has all of it.
                (Some(_), _) => (0.0, 0.0),
                (None, Some(end)) => (end, 0.0),
                (None, None) => (law.constant, law.slope),
            };
            for one in &actuator.joints {
                self.forces[one.velocity] += one.gear * force;
                for (other, &place) in actuator.joints.iter().zip(&mut products) {
                    self.slopes[place] += self.length * slope * one.gear * other.gear;
                }
            }
        }
        let entries = self.places.iter().zip(&self.slopes);
        let entries = entries.map(|(&(column, row), &entry)| (column, row, entry));
        let entries = || entries.clone().filter(|(.., entry)| *entry != 0.0);
        let has_stated = self.laws.iter().any(|law| law.stated.is_some());
        let is_same = entries().eq(self.entries.iter().copied());
        if has_stated || self.has_stated || !is_same {
            self.revision += 1;
        }
        self.has_stated = has_stated;
        if is_same {
            return;
        }
        self.entries.clear();
        self.entries.extend(entries());
        let mut added = DMatrix::zeros(self.forces.len(), self.forces.len());
        for &(column, row, entry) in &self.entries {
            added[(row, column)] = entry;
        }
        self.added = AddedMass::new(added);
    }
}

impl Model {
    /// The same model with these actuators, which replace former ones; schemes number them in this order.
    ///
    /// Every scheme that moves any [`System`] has a rule for them, see [`Actuator`];
    /// [`Variational`](crate::variational::Variational), which needs to know more of a system, refuses them.
    ///
    /// # Errors
    ///
    /// [`ModelError::Actuator`].
    ///
    /// # Example
    ///
    /// A block of 2 kg on a servo of `k_p = 800` N/m and `k_v = 10⁴` N·s/m, stiff enough to explode in explicit steps of
    /// 10 ms, hangs `m g / k_p = 2.5` cm below its target after a while.
    ///
    /// ```
    /// use nalgebra::Vector2;
    /// use percussion_dynamics::{PlanarBodies, PlanarBody};
    /// use percussion_integrators::{Actuator, Model, State, schemes::Name};
    ///
    /// let block = PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -10.0))?;
    /// let servo = Actuator::servo((1, 1), 0.0, [800.0, 1e4]);
    /// let model = Model::new(Box::new(block), vec![])?.with_actuators(vec![servo])?;
    /// let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![0.0; 3] };
    /// let scheme = Name::MoreauJean.stepping().ok_or("it takes steps")?.with_step_size(0.01);
    /// let mut motion = scheme.begin(model, start)?;
    /// motion.run(200.0, |_, _| ())?;
    /// assert!((motion.state().coordinates[1] + 0.025).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_actuators(self, actuators: Vec<Actuator>) -> Result<Self, ModelError> {
        let system = self.mechanics.shared();
        for (number, actuator) in actuators.iter().enumerate() {
            actuator.check(number, system.as_ref())?;
        }
        let controls = Controls::new(actuators.len());
        let driven = Driven::new(system, actuators.into(), controls);
        Ok(Self { driven: Some(Arc::new(driven)), ..self })
    }

    /// The actuators, in the order of their numbers.
    #[must_use]
    pub fn actuators(&self) -> &[Actuator] {
        self.driven.as_ref().map_or(&[], |driven| &driven.actuators)
    }

    /// The controls that a controller may set between steps; `None` without actuators.
    #[must_use]
    pub fn controls(&self) -> Option<Controls> {
        self.driven.as_ref().map(|driven| driven.controls.clone())
    }

    /// The model with actuators whose steps are its own, on the system as it is now.
    pub(crate) fn with_own_drives(self) -> Self {
        let own = |driven: &Arc<Driven>| {
            let (actuators, controls) = (Arc::clone(&driven.actuators), driven.controls.clone());
            Arc::new(Driven::new(self.mechanics.shared(), actuators, controls))
        };
        let driven = self.driven.as_ref().map(own);
        Self { driven, ..self }
    }

    /// Power of the forces without a potential that are not those of actuators (W).
    pub(crate) fn power_of_others(&self, coordinates: &[f64], velocity: &[f64], time: f64) -> f64 {
        let without = self.driven.as_ref().map_or_else(|| self.system(), |driven| &*driven.system);
        without.other_power(coordinates, velocity, time)
    }

    /// The system with its actuators, where there are any.
    pub(crate) fn driven(&self) -> Option<Arc<Driven>> {
        self.driven.clone()
    }
}

#[cfg(test)]
mod tests;
