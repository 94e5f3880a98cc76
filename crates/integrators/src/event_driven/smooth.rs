//! Smooth motion in one mode, by diffsol, until the next event.
//!
//! The unknowns are `y = (e, v, D, A)`: the displacement of the coordinates from the beginning of the phase,
//! the velocity, the energy that friction has dissipated and the work of forces without a potential. The
//! solver measures time in units of the time `T` of the model, because some of its limits are times.

use std::{cell::RefCell, ops::ControlFlow};

use diffsol::{NalgebraMat, OdeBuilder, error::DiffsolError};

use super::{
    Error,
    crawl::{self, Crawl},
    geometry::{Geometry, Moment},
    hold::{Grip, Held, Hold},
    joints, projection,
    report::{Counters, Drift, EnergyAccount, Mode, Snapshot},
    settings::Resolved,
    trigger::{Phase, Trigger},
};
use crate::{
    events::{Between, Ending, Watch, looks_between, step_to_event},
    model::State,
};

/// Steps are corrected when drift exceeds this fraction of the tolerances.
const CORRECTED: f64 = 0.1;

/// Maximum number of times that sunk contacts are lifted, where lifting them makes others sink.
const LIFTS: usize = 4;

/// Maximum number of times that a step may be shortened. Each time at least halves it.
const SHORTENINGS: usize = 1100;

/// The data that a phase reads and writes.
pub(super) struct Course<'a, 'm> {
    pub(super) geometry: Geometry<'m>,
    pub(super) settings: &'a Resolved,
    pub(super) observer: &'a mut dyn FnMut(&Snapshot<'_>),
    /// Asked between steps whether the motion goes on.
    pub(super) watch: &'a mut dyn FnMut(f64) -> ControlFlow<()>,
    /// Whether it has answered that the motion ends.
    pub(super) is_interrupted: bool,
    pub(super) state: State,
    pub(super) hold: Hold,
    pub(super) modes: Vec<Mode>,
    pub(super) energy: EnergyAccount,
    pub(super) drift: Drift,
    pub(super) counters: Counters,
    /// Gaps of contacts that do not carry at which a phase ends (m).
    pub(super) floors: Vec<f64>,
    /// Slip in the direction of sliding at the beginning of the phase, where it is backward, of each carrying contact (m/s).
    pub(super) backward: Vec<f64>,
    /// The same of the velocity of each turning joint (m/s).
    pub(super) reverse: Vec<f64>,
    /// Index of the next sample.
    pub(super) next_sample: u64,
    /// Time of the start.
    pub(super) start: f64,
    /// Short steps.
    pub(super) crawl: Crawl,
}

impl Course<'_, '_> {
    pub(super) fn moment(&self) -> Moment<'_> {
        moment_of(&self.state)
    }

    /// The time of the next sample (s), if samples are wanted.
    #[expect(clippy::cast_precision_loss, reason = "counts of samples are small")]
    pub(super) fn sample_time(&self) -> Option<f64> {
        let interval = self.settings.sample_interval?;
        Some(self.start + self.next_sample as f64 * interval)
    }

    /// Asks the caller whether the motion goes on, and returns whether it ends.
    pub(super) fn interrupts(&mut self) -> bool {
        self.is_interrupted = self.is_interrupted || (self.watch)(self.state.time).is_break();
        self.is_interrupted
    }

    /// Calls the observer with the current state.
    pub(super) fn observe(&mut self) {
        let held = self.held_at(&self.state.clone());
        let state = std::mem::replace(&mut self.state, empty());
        self.show(&state, &held, self.energy.friction);
        self.state = state;
    }

    fn held_at(&mut self, state: &State) -> Held {
        self.counters.looks += 1;
        let still = self.settings.still;
        let mut held = self.hold.solve(&mut self.geometry, &moment_of(state), still);
        self.geometry.locate_all(&state.coordinates);
        // Contacts that were found just now carry nothing.
        let components = self.geometry.gaps.len() * self.geometry.components;
        held.forces.resize_vertically_mut(components, 0.0);
        self.modes.resize(self.geometry.gaps.len(), Mode::Open);
        held
    }

    /// Calls the observer with a state whose contacts are located.
    pub(super) fn show(&mut self, state: &State, held: &Held, friction: f64) {
        let first = self.geometry.first_row(0);
        let contact_velocity: Vec<_> = (first..self.geometry.rows.nrows())
            .map(|row| self.geometry.speed(row, &state.velocity))
            .collect();
        let system = self.geometry.model.system();
        let energy = system.energy(&state.coordinates, &state.velocity);
        // Step errors accumulate in the lengths of quaternions, on which no equation depends.
        let mut coordinates = state.coordinates.clone();
        system.retract(&state.coordinates, &vec![0.0; state.velocity.len()], &mut coordinates);
        (self.observer)(&Snapshot {
            time: state.time,
            coordinates: &coordinates,
            velocity: &state.velocity,
            contacts: &self.geometry.contacts,
            gaps: &self.geometry.gaps,
            contact_velocity: &contact_velocity,
            forces: held.forces.as_slice(),
            joint_friction: &joints::of_model(&self.geometry, held.friction.as_slice()),
            modes: &self.modes,
            energy,
            dissipated: self.energy.impacts + friction,
            hold: &self.hold,
        });
    }

    /// Sets the gaps at which the next phase ends because an open contact closes slowly. A closed contact
    /// without a pressing force may already be deeper, up to the accepted overlap. No other mode would help
    /// there, and the phase ends where bodies overlap.
    fn lay_floors(&mut self) {
        let Self { geometry, settings, floors, backward, reverse, hold, state, .. } = self;
        geometry.locate_all(&state.coordinates);
        let floor = |gap: &f64| {
            let closed = *gap < -settings.gap_tolerance;
            if closed { -settings.deepest() } else { -settings.gap_tolerance }
        };
        *floors = geometry.gaps.iter().map(floor).collect();
        let forward = |(contact, grip): &(usize, Grip)| match grip {
            Grip::Slide(along) => geometry.slip_along(*contact, &state.velocity, *along).min(0.0),
            Grip::Stick => 0.0,
        };
        *backward = hold.carried.iter().map(forward).collect();
        let of_joint =
            |(joint, sign): &(usize, f64)| (sign * geometry.rate(*joint, &state.velocity)).min(0.0);
        *reverse = hold.turning.iter().map(of_joint).collect();
    }

    /// The current phase, in which events are searched for.
    fn phase(&self) -> Phase<'_, '_> {
        let Self { geometry, hold, settings, floors, backward, reverse, .. } = self;
        Phase { geometry, hold, settings, floors, backward, reverse }
    }

    /// Whether bodies overlap by more than is accepted; locates all.
    pub(super) fn overlaps(&mut self) -> bool {
        let Self { geometry, settings, state, .. } = self;
        geometry.locate_all(&state.coordinates);
        geometry.gaps.iter().any(|gap| gap.is_nan() || *gap < -settings.deepest())
    }

    /// Lifts contacts that carry nothing and have sunk by more than the gap tolerance, together with those that sink by it.
    /// Afterwards all contacts are located.
    pub(super) fn lift(&mut self) {
        let Self { geometry, hold, settings, state, energy, counters, .. } = self;
        let system = geometry.model.system();
        let (mut sunk, mut before) = (Vec::new(), None);
        geometry.locate_all(&state.coordinates);
        for _ in 0..LIFTS {
            let sinks = |contact: &usize| {
                geometry.gaps[*contact] < -settings.gap_tolerance
                    && hold.grip(*contact).is_none()
                    && !sunk.contains(contact)
            };
            let more: Vec<_> = (0..geometry.gaps.len()).filter(sinks).collect();
            if more.is_empty() {
                break;
            }
            sunk.extend(more);
            before.get_or_insert_with(|| system.energy(&state.coordinates, &state.velocity));
            projection::lift(geometry, hold, &sunk, &mut state.coordinates);
            geometry.locate_all(&state.coordinates);
        }
        if let Some(before) = before {
            energy.projections += system.energy(&state.coordinates, &state.velocity) - before;
            counters.projections += 1;
        }
    }

    /// Counts a step of `length` (s), and searches for the cause where steps have been short for long.
    fn note_step(&mut self, length: f64, held: &Held) {
        let Self { geometry, hold, settings, state, crawl, counters, .. } = self;
        if let Some(mean) = crawl.is_due(length, settings.scales.time) {
            let (moment, held) = (moment_of(state), (&*hold, held));
            let evaluations = &mut counters.evaluations;
            let cause = crawl::cause(geometry, &moment, held, (settings, mean), evaluations);
            crawl.found = cause.map(|cause| (cause, mean));
        }
    }

    /// Records the deepest overlap of the contacts located.
    pub(super) fn note_depth(&mut self) {
        let deepest = self.geometry.gaps.iter().fold(0.0_f64, |m, gap| m.max(-gap));
        self.drift.penetration = self.drift.penetration.max(deepest);
    }

    /// Removes drift from the current state, and lifts what sinks by that.
    pub(super) fn project(&mut self) {
        let contacts = self.hold.contacts();
        self.geometry.locate(&self.state.coordinates, &contacts);
        let (position, velocity) =
            projection::violation(&self.geometry, &self.hold, &self.state.velocity);
        self.drift.position = self.drift.position.max(position);
        self.drift.velocity = self.drift.velocity.max(velocity);
        let State { coordinates, velocity, .. } = &mut self.state;
        let system = self.geometry.model.system();
        let before = system.energy(coordinates, velocity);
        projection::project(&mut self.geometry, &self.hold, coordinates, velocity);
        self.energy.projections += system.energy(coordinates, velocity) - before;
        self.lift();
    }
}

/// Advances until an event or `end`.
pub(super) fn advance(course: &mut Course<'_, '_>, end: f64) -> Result<Ending, Error> {
    let begin = course.state.clone();
    course.lay_floors();
    let friction = course.energy.friction;
    let other_work = course.energy.other_work;
    let layout = Layout { positions: begin.coordinates.len(), velocities: begin.velocity.len() };
    let first =
        [vec![0.0; layout.positions], begin.velocity.clone(), vec![friction, other_work]].concat();
    let settings = course.settings;
    let unit = settings.scales.time;
    let (mut steps, count) = (course.counters.steps, first.len());
    let course = RefCell::new(course);
    let mut problem = OdeBuilder::<NalgebraMat<f64>>::new()
        .rhs(|y, _, t, rate| {
            rates(&mut course.borrow_mut(), &begin, layout, unit * t, y, rate);
            rate.iter_mut().for_each(|rate| *rate *= unit);
        })
        .init(move |_, _, y| y.copy_from_slice(&first), count)
        .rtol(settings.relative_tolerance)
        .atol(settings.absolute_tolerances.iter().copied())
        .build()
        .map_err(refused)?;
    problem.ode_options.max_error_test_failures = SHORTENINGS;
    let mut solver = problem.tsit45().map_err(refused)?;
    let mut watcher = Watcher {
        course: &course,
        begin: &begin,
        layout,
        unit,
        trigger: None,
        is_another: false,
        held: None,
    };
    let span = (end - begin.time) / unit;
    let limit = (&mut steps, settings.step_limit);
    let ending = step_to_event(&mut solver, span, limit, &mut watcher).map_err(refused)?;
    let mut course = course.borrow_mut();
    course.counters.steps = steps;
    if ending == Ending::Span {
        course.state.time = end;
    }
    Ok(ending)
}

/// Numbers of coordinates and velocities.
#[derive(Clone, Copy, Debug)]
struct Layout {
    positions: usize,
    velocities: usize,
}

impl Layout {
    fn state(self, begin: &State, t: f64, y: &[f64]) -> State {
        let coordinates = begin.coordinates.iter().zip(y).map(|(q, e)| q + e).collect();
        let velocity = y[self.positions..self.positions + self.velocities].to_vec();
        State { time: begin.time + t, coordinates, velocity }
    }
}

/// Writes `ẏ`.
fn rates(
    course: &mut Course<'_, '_>,
    begin: &State,
    layout: Layout,
    t: f64,
    y: &[f64],
    rate: &mut [f64],
) {
    course.counters.evaluations += 1;
    let state = layout.state(begin, t, y);
    let still = course.settings.still;
    let Course { geometry, hold, .. } = course;
    let held = hold.solve(geometry, &moment_of(&state), still);
    let (positions, end) = (layout.positions, layout.positions + layout.velocities);
    let system = geometry.model.system();
    system.coordinate_rate(&state.coordinates, &state.velocity, &mut rate[..positions]);
    rate[positions..end].copy_from_slice(held.acceleration.as_slice());
    rate[end] = 0.0;
    for (contact, grip) in &hold.carried {
        if let Grip::Slide(_) = grip {
            let slip = geometry.slip(*contact, &state.velocity);
            let force = &held.forces.as_slice()[geometry.components * contact..];
            rate[end] -=
                slip.iter().zip(&force[1..geometry.components]).map(|(u, f)| u * f).sum::<f64>();
        }
    }
    for (joint, _) in &hold.turning {
        rate[end] -= held.friction[*joint] * geometry.rate(*joint, &state.velocity);
    }
    rate[end + 1] = system.other_power(&state.coordinates, &state.velocity, state.time);
}

/// Watches the steps of a phase for events.
struct Watcher<'w, 'c, 'a, 'm> {
    course: &'w RefCell<&'c mut Course<'a, 'm>>,
    begin: &'w State,
    layout: Layout,
    /// The unit of time of the solver (s).
    unit: f64,
    /// The event that was found last, and whether it is another one than that before.
    trigger: Option<Trigger>,
    is_another: bool,
    /// Forces at the state that was evaluated last.
    held: Option<Held>,
}

impl Watch for Watcher<'_, '_, '_, '_> {
    /// Evaluations at most a quarter of the length of the model apart.
    fn looks(&self, y: &[f64]) -> usize {
        let course = self.course.borrow();
        let reached = self.begin.coordinates.iter().zip(y).map(|(q, e)| q + e).collect::<Vec<_>>();
        looks_between(&course.state.coordinates, &reached, &course.settings.strides)
    }

    /// Contacts that carry do not close; their rates are those of the held quantities.
    fn gaps(&mut self, t: f64, y: &[f64], gaps: &mut Vec<[f64; 2]>) {
        let state = self.layout.state(self.begin, self.unit * t, y);
        let course = &*self.course.borrow();
        let Course { geometry, hold, .. } = &**course;
        let of_contact = |contact: usize| match hold.grip(contact) {
            Some(_) => [0.0; 2],
            None => [geometry.gaps[contact], geometry.normal_speed(contact, &state.velocity)],
        };
        gaps.clear();
        gaps.extend((0..geometry.gaps.len()).map(of_contact));
    }

    fn follows_gaps(&self) -> bool {
        true
    }

    fn unit(&self) -> f64 {
        self.unit
    }

    fn resolution(&self) -> f64 {
        let course = self.course.borrow();
        f64::EPSILON * course.start.abs().max(course.settings.end.abs()) / self.unit
    }

    fn is_exhausted(&self) -> bool {
        let mut course = self.course.borrow_mut();
        course.interrupts()
            || course.crawl.found.is_some()
            || course.counters.work() >= course.settings.work_limit
    }

    /// Whether an open contact has closed, or the force or the slip of a carrying contact has left its mode.
    fn has_happened(&mut self, t: f64, y: &[f64]) -> bool {
        let course = &mut *self.course.borrow_mut();
        let state = self.layout.state(self.begin, self.unit * t, y);
        course.geometry.expect(&course.state.coordinates, &state.coordinates);
        let held = course.held_at(&state);
        let found = course.phase().trigger(&state, &held);
        if let Some(trigger) = found {
            self.is_another = !self.trigger.is_some_and(|last| last.is_like(&trigger));
            self.trigger = Some(trigger);
        }
        self.held = Some(held);
        found.is_some()
    }

    fn margin(&mut self, y: &[f64]) -> Option<f64> {
        let velocity = &y[self.layout.positions..self.layout.positions + self.layout.velocities];
        let (trigger, held) = (self.trigger?, self.held.as_ref()?);
        self.course.borrow().phase().margin(trigger, velocity, held)
    }

    fn is_another(&self) -> bool {
        self.is_another
    }

    fn accept(
        &mut self,
        from: f64,
        to: f64,
        y: &[f64],
        between: &mut Between<'_>,
    ) -> Result<(), DiffsolError> {
        let course = &mut *self.course.borrow_mut();
        let step = [from, to];
        let [from, to] = step.map(|t| self.unit * t);
        let friction = |y: &[f64]| y[self.layout.positions + self.layout.velocities];
        while let Some(time) = course.sample_time() {
            let t = time - self.begin.time;
            if t > to {
                break;
            }
            if t > from {
                let mut inside = y.to_vec();
                // The conversion of units may round a sample out of the step.
                between((t / self.unit).clamp(step[0], step[1]), &mut inside)?;
                let state = self.layout.state(self.begin, t, &inside);
                let held = course.held_at(&state);
                course.note_depth();
                course.show(&State { time, ..state }, &held, friction(&inside));
            }
            course.next_sample += 1;
        }
        course.state = self.layout.state(self.begin, to, y);
        course.energy.friction = friction(y);
        course.energy.other_work = y[self.layout.positions + self.layout.velocities + 1];
        let held = course.held_at(&course.state.clone());
        course.note_depth();
        course.note_step(to - from, &held);
        course.turn();
        if course.settings.sample_interval.is_none() {
            let state = course.state.clone();
            course.show(&state, &held, course.energy.friction);
        }
        Ok(())
    }

    fn correct(&mut self, t: f64, y: &mut [f64], rate: &mut [f64]) -> bool {
        let course = &mut *self.course.borrow_mut();
        if course.hold.lines.is_empty() {
            return false;
        }
        let settings = course.settings;
        let (position, velocity) =
            projection::violation(&course.geometry, &course.hold, &course.state.velocity);
        course.drift.position = course.drift.position.max(position);
        course.drift.velocity = course.drift.velocity.max(velocity);
        if position <= CORRECTED * settings.gap_tolerance
            && velocity <= CORRECTED * settings.velocity_tolerance
        {
            return false;
        }
        course.counters.projections += 1;
        course.project();
        let (positions, velocities) = (self.layout.positions, self.layout.velocities);
        for ((e, q), origin) in
            y.iter_mut().zip(&course.state.coordinates).zip(&self.begin.coordinates)
        {
            *e = q - origin;
        }
        y[positions..positions + velocities].copy_from_slice(&course.state.velocity);
        rates(course, self.begin, self.layout, self.unit * t, y, rate);
        rate.iter_mut().for_each(|rate| *rate *= self.unit);
        true
    }
}

impl Course<'_, '_> {
    /// Updates the directions of sliding contacts in space from their slip.
    fn turn(&mut self) {
        if self.geometry.components == 2 {
            return;
        }
        let still = self.settings.still;
        for (contact, grip) in &mut self.hold.carried {
            if let Grip::Slide(along) = grip {
                let slip = self.geometry.slip(*contact, &self.state.velocity);
                let speed = slip[0].hypot(slip[1]);
                if speed > still && along.iter().any(|d| *d != 0.0) {
                    *along = slip.map(|u| u / speed);
                }
            }
        }
    }
}

pub(super) fn moment_of(state: &State) -> Moment<'_> {
    Moment { time: state.time, coordinates: &state.coordinates, velocity: &state.velocity }
}

fn empty() -> State {
    State { time: 0.0, coordinates: Vec::new(), velocity: Vec::new() }
}

#[expect(clippy::needless_pass_by_value, reason = "it is the argument of `map_err`")]
fn refused(error: DiffsolError) -> Error {
    Error::Solver { reason: error.to_string() }
}
