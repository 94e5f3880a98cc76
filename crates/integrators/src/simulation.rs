//! One motion in steps of equal length, by any scheme: [`Simulation`].

use std::fmt;

use percussion_complementarity::friction::document::Document;

use crate::{
    contacts::Contacts,
    energy::{Allowance, Energy, EnergyAccount, Step},
    error::Error,
    model::{Feature, Model, Rule, State, check_mass_matrix},
    report::StepReport,
};

/// A time-stepping scheme, with the data that it keeps from step to step.
///
/// A step is [`solve`](Self::solve), then [`finish`](Self::finish). Only `finish` may change data that the
/// next step depends on, and it does so after everything that can fail.
pub trait Scheme: fmt::Debug + Sized {
    /// Its settings.
    type Settings;

    /// How the scheme treats a feature of a model. A [`Simulation`] refuses a model with a feature that its
    /// scheme refuses, before the first step.
    fn rule(feature: Feature) -> Rule;

    /// Checks the settings, prepares the first step and searches for the contacts of the start.
    ///
    /// The state has been checked to be one of the system, with a positive definite mass matrix.
    ///
    /// # Errors
    ///
    /// A setting out of range, and a start that the scheme cannot begin with.
    fn start(settings: Self::Settings, motion: &mut Motion) -> Result<Self, Error>;

    /// The settings.
    fn settings(&self) -> &Self::Settings;

    /// Length `h` of a step (s, positive).
    fn step_size(&self) -> f64;

    /// Maximum number of steps of one [`run`](Simulation::run).
    fn step_limit(&self) -> usize;

    /// The fraction `θ` of the velocity at the end in the displacement `h ((1 − θ) v + θ v')` of a step, by default 1.
    fn displacement_share(&self) -> f64 {
        1.0
    }

    /// Whether its problem of joints and contacts can state drives.
    fn states_drives(&self) -> bool {
        false
    }

    /// Computes the end of the step that starts at the state of `motion` and ends at the time of `report`.
    ///
    /// # Errors
    ///
    /// Any failure of the scheme to compute the step.
    fn solve(&mut self, motion: &mut Motion, report: &mut StepReport) -> Result<(), Error>;

    /// The end computed by [`solve`](Self::solve).
    fn end(&self) -> End<'_>;

    /// Positions of the last step at which its energies are evaluated, [near](percussion_dynamics::System::energies_near) its `start` and
    /// its end; by default those themselves.
    fn places<'a>(&'a self, start: &'a [f64]) -> [&'a [f64]; 2] {
        [start, self.end().coordinates]
    }

    /// Reports the contacts and constraints of the step, whose end has a finite energy, makes the end the
    /// start of the next step, and returns the maximum energy that the scheme may have gained.
    ///
    /// # Errors
    ///
    /// When the contacts at the end cannot be found.
    fn finish(&mut self, motion: &mut Motion, report: &mut StepReport) -> Result<Allowance, Error>;

    /// The contact problem of the last step, whether it failed or not; see [`Simulation::document`].
    fn document(&self) -> Option<Document> {
        None
    }
}

/// A moving system and its state.
#[derive(Debug)]
pub struct Motion {
    pub(crate) model: Model,
    pub(crate) contacts: Contacts,
    pub(crate) state: State,
}

impl Motion {
    /// The model.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// The contacts by number.
    #[must_use]
    pub const fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    /// The state at the start of the current step.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.state
    }
}

/// The end of a step.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// `q'` (length `n_q`).
    pub coordinates: &'a [f64],
    /// `v'` (length `n_v`).
    pub velocity: &'a [f64],
}

/// A motion in steps of equal length.
///
/// A [`Simulation`] owns the [`Motion`], which is the model, its contacts and its state, the number of steps
/// and the [energy account](crate::EnergyBalance). The [`Scheme`] defines a step. A step that fails leaves
/// everything unchanged.
///
/// # Source
///
/// See the module of each scheme.
///
/// # Example
///
/// A block of 2 kg slides on a floor at 3 m/s with `μ = 0.5`. Friction of 10 N stops it within 0.6 s, with
/// either scheme.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_integrators::{Contact, Model, Scheme, Simulation, State, impulse_velocity::ImpulseVelocity, stewart_trinkle::StewartTrinkle};
/// use percussion_integrators::{impulse_velocity, stewart_trinkle};
///
/// fn stop<S: Scheme>(settings: S::Settings) -> Result<(), Box<dyn std::error::Error>> {
///     let block = PlanarBodies::new(vec![PlanarBody::new(2.0, 1.0)], Vector2::new(0.0, -10.0))?;
///     let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
///     let foot = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, 0.5);
///     let model = Model::new(Box::new(block), vec![foot])?;
///
///     let start = State { time: 0.0, coordinates: vec![0.0; 3], velocity: vec![3.0, 0.0, 0.0] };
///     let mut simulation = Simulation::<S>::new(model, settings, start)?;
///     let report = simulation.step()?;
///     assert!((report.contacts[0].impulse.x - 2.0).abs() < 1e-12); // m g h
///     assert!((report.contacts[0].impulse.y + 1.0).abs() < 1e-12); // −μ m g h
///     simulation.run(0.6, |_, _| ())?;
///     assert!(simulation.state().velocity[0].abs() < 1e-12);
///     Ok(())
/// }
/// stop::<StewartTrinkle>(stewart_trinkle::Settings { step_size: 0.1, ..stewart_trinkle::Settings::planar() })?;
/// stop::<ImpulseVelocity>(impulse_velocity::Settings { step_size: 0.1, ..Default::default() })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Simulation<S> {
    motion: Motion,
    scheme: S,
    account: EnergyAccount,
    start_time: f64,
    step_count: usize,
    /// Of the state (J).
    energy: f64,
}

impl<S: Scheme> Simulation<S> {
    /// Starts a motion of `model` at `state`.
    ///
    /// # Errors
    ///
    /// See [`Error`]: a state that does not match the system or is not finite, a mass matrix that is not
    /// symmetric positive definite, a setting out of range, and features or starts that the scheme does not
    /// support.
    pub fn new(model: Model, settings: S::Settings, state: State) -> Result<Self, Error> {
        Self::begin(model, state, |motion| S::start(settings, motion))
    }

    /// Starts a motion whose scheme is created by `start`.
    pub(crate) fn begin(
        model: Model,
        state: State,
        start: impl FnOnce(&mut Motion) -> Result<S, Error>,
    ) -> Result<Self, Error> {
        let model = model.with_own_drives();
        state.check(model.system())?;
        check_mass_matrix(model.system(), &state.coordinates)?;
        if let Some(feature) = model.refused(S::rule) {
            return Err(Error::NoRule { feature });
        }
        let mut motion = Motion { contacts: Contacts::new(&model), model, state };
        let scheme = start(&mut motion)?;
        let Motion { model, contacts, state } = &motion;
        Ok(Self {
            account: EnergyAccount::new(model, contacts, state, scheme.step_size()),
            start_time: state.time,
            step_count: 0,
            energy: model.system().energy(&state.coordinates, &state.velocity),
            motion,
            scheme,
        })
    }

    /// The model.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.motion.model
    }

    /// The contacts by number, as in reports.
    #[must_use]
    pub const fn contacts(&self) -> &Contacts {
        &self.motion.contacts
    }

    /// The state at the end of the last step.
    #[must_use]
    pub const fn state(&self) -> &State {
        &self.motion.state
    }

    /// The scheme.
    #[must_use]
    pub const fn scheme(&self) -> &S {
        &self.scheme
    }

    pub(crate) const fn parts(&mut self) -> (&mut Motion, &mut S) {
        (&mut self.motion, &mut self.scheme)
    }

    /// The settings of the scheme.
    #[must_use]
    pub fn settings(&self) -> &S::Settings {
        self.scheme.settings()
    }

    /// Number of steps taken.
    #[must_use]
    pub const fn step_count(&self) -> usize {
        self.step_count
    }

    /// The contact problem of the last step, whether it failed or not, with the starting impulses of its
    /// solve and its solver. `None` before the first step, when there was no contact, and for schemes that
    /// state no frictional contact problem.
    ///
    /// `document().solve()` repeats the solve to the same bits, and so does `percussion solve friction` with the file that
    /// holds `document().to_string()`. Where everything holds in a step, factors of an earlier step may have corrected the
    /// impulses before; the starting ones are then those, and the solve finds nothing to do.
    #[must_use]
    pub fn document(&self) -> Option<Document> {
        self.scheme.document()
    }

    /// Takes one step of the length in the settings.
    ///
    /// # Errors
    ///
    /// See [`Error`]; the state is then unchanged.
    pub fn step(&mut self) -> Result<StepReport, Error> {
        let Self { motion, scheme, account, .. } = self;
        let before = motion.state.time;
        let after = self.start_time + (self.step_count + 1) as f64 * scheme.step_size();
        let mut report = StepReport::new(after, self.energy);
        let by_actuators = solve_driven(scheme, motion, &mut report)?;

        let energy_of_end = |scheme: &S, Motion { model, state, .. }: &Motion| {
            let [_, place] = scheme.places(&state.coordinates);
            let End { coordinates, velocity } = scheme.end();
            Energy::near(model.system(), place, (coordinates, velocity))
        };
        let mut energy = energy_of_end(scheme, motion);
        report.energy_after = energy.total();
        if !report.energy_after.is_finite() {
            return Err(Error::NotFinite { quantity: "energy", time: before });
        }
        let allowance = scheme.finish(motion, &mut report)?;
        if report.projection_work != 0.0 {
            energy = energy_of_end(scheme, motion);
        }

        let Motion { model, contacts, state } = motion;
        let End { coordinates, velocity } = scheme.end();
        let [place_before, _] = scheme.places(&state.coordinates);
        let step = Step { place_before, coordinates, velocity, energy };
        if let Some(rate) = allowance.overlap_rate {
            let contacts = (model.system(), &*contacts);
            let impulses = report.normal_impulses();
            account.remove_overlaps(contacts, &state.coordinates, rate, impulses);
        }
        let (times, residual) = ((before, after), report.undecided_work());
        report.energy = account.enter(model, step, times, by_actuators, &allowance, residual);
        state.coordinates.copy_from_slice(coordinates);
        state.velocity.copy_from_slice(velocity);
        state.time = after;
        self.energy = report.energy_after;
        self.step_count += 1;
        Ok(report)
    }

    /// Takes steps to the step end that is nearest to the time `until` (s), and calls `observer` with every
    /// new state and its report.
    ///
    /// # Errors
    ///
    /// [`Error::Time`] when `until` is not finite, [`Error::StepLimit`] when it is too far away, both before the first step,
    /// and those of [`step`](Self::step); the state is then that of the last successful step.
    pub fn run(
        &mut self,
        until: f64,
        mut observer: impl FnMut(&State, &StepReport),
    ) -> Result<(), Error> {
        if !until.is_finite() {
            return Err(Error::Time { value: until });
        }
        let (h, limit) = (self.scheme.step_size(), self.scheme.step_limit());
        let required = ((until - self.motion.state.time) / h).round().max(0.0);
        if required > limit as f64 {
            return Err(Error::StepLimit { required, limit });
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number from 0 to the limit"
        )]
        for _ in 0..required as usize {
            let report = self.step()?;
            observer(&self.motion.state, &report);
        }
        Ok(())
    }
}

/// Solves the step of `scheme` from the state of `motion`, with the actuators of the model at its end, and returns their
/// work (J).
pub(crate) fn solve_driven<S: Scheme>(
    scheme: &mut S,
    motion: &mut Motion,
    report: &mut StepReport,
) -> Result<f64, Error> {
    let Some(driven) = motion.model.driven() else {
        scheme.solve(motion, report)?;
        return Ok(0.0);
    };
    let (start, after, energy) = (motion.state.clone(), report.time, report.energy_before);
    let step = (scheme.step_size(), scheme.displacement_share());
    driven.drive(&start, step, scheme.states_drives(), || {
        *report = StepReport::new(after, energy);
        scheme.solve(motion, report)?;
        Ok::<_, Error>(scheme.end().velocity.to_vec())
    })
}
