//! Stretches that the motion crosses by implicit steps.
//!
//! Each [step](super::implicit) is as long as its error allows, and ends where the first open contact closes. At its end drift is
//! removed as after steps between events, and the energies of the step are entered in the account. A stretch ends where a contact is
//! struck, and may end after a few steps where explicit ones are long again.
//!
//! Flights as high as the proximity of `1e-9 L` take some `1e-4 T`, so that a contact that chatters alone has about 50 landings in
//! `5e-3 T`, with a work of 45 each (a ball on a floor), half of what makes a motion [lag](super::Cause::Lag). Only several contacts that
//! strike in turn or change their modes do. Steps do not see rebounds that are shorter than they are.

use nalgebra::DVector;

use super::{
    Error,
    crawl::{Crawl, SHORT, turning},
    geometry::{Geometry, Independent},
    hold::{Grip, Held, Hold, Line, axes, line_row},
    impact::{self, Jump},
    implicit::{Did, Implicit, Part, Step, Stretches, turn_of},
    projection,
    report::{Cause, Event, EventKind, Mode},
    run::Run,
    smooth::{self, Course},
};

/// A stretch ends when no slip turns faster than this part of the rate that is stiff.
const GENTLE: f64 = 4.0;

/// Minimum number of steps of a stretch, unless a contact is struck.
const LEAST: usize = 4;

/// Number of implicit steps that are compared with explicit ones, and the factor by which they should be longer: they cost more.
const COMPARED: usize = 20;
const LONGER: f64 = 2.0;

/// Energy that the account of a step may miss at the largest error of the step, as a fraction of this error times the energy of
/// the model.
const UNACCOUNTED: f64 = 1e-3;

/// Work after which the advance of the motion is judged, and the advance as a fraction of the time of the model that is too little.
const JUDGED: usize = 5_000;
const TOO_LITTLE: f64 = 5e-3;

/// Shortest and longest time that is crossed for a lag, as fractions of the time of the model.
const CROSSED: [f64; 2] = [0.02, 0.1];

impl Run<'_, '_> {
    /// Whether much work has advanced the motion by almost nothing, now or shortly before.
    ///
    /// The time that is then crossed by implicit steps, apart from impacts of contacts that are struck, doubles where the motion
    /// lags again soon.
    pub(super) fn lags(&mut self) -> bool {
        let (time, work) = (self.course.state.time, self.course.counters.work());
        if time < self.stretches.lags_until {
            return true;
        }
        let (since, before) = self.stretches.judged;
        if work - before < JUDGED {
            return false;
        }
        self.stretches.judged = (time, work);
        let unit = self.course.settings.scales.time;
        let lags = time - since < TOO_LITTLE * unit;
        if lags {
            let Stretches { lag, lags_until, .. } = &mut self.stretches;
            let soon = time - *lags_until < *lag;
            let [least, most] = CROSSED.map(|share| share * unit);
            *lag = if soon { (2.0 * *lag).min(most) } else { least };
            *lags_until = time + *lag;
        }
        lags
    }

    /// Crosses a stretch by implicit steps, as long as they are longer than explicit ones (of this mean length, s); returns whether
    /// that was of use: the motion has advanced, and a contact or the end of the cause has ended the stretch.
    pub(super) fn cross(&mut self, cause: Cause, explicit: f64) -> Result<bool, Error> {
        if self.is_over() {
            return Ok(false);
        }
        let begin = self.course.state.time;
        let (before, modes) = (self.course.energy, self.course.modes.clone());
        let settings = self.course.settings;
        let soon = self.stretches.last.is_some_and(|(from, to)| begin - to < to - from);
        let least = if soon { self.stretches.least } else { 0.0 };
        if self.stretches.implicit.is_none() {
            let model = self.course.geometry.model;
            self.stretches.implicit = Implicit::new(model, settings, &self.course.state);
        }
        let Some(mut implicit) = self.stretches.implicit.take() else { return Ok(false) };
        if self.stretches.step == 0.0 {
            self.stretches.step = settings.implicit_tolerance.sqrt() * settings.scales.time;
        }
        let (mut steps, mut largest) = (0, 0.0_f64);
        let (mut compared, mut is_slow) = (begin, false);
        while let Some((error, ends)) = self.one_step(&mut implicit)? {
            steps += 1;
            largest = largest.max(error);
            let lasted = self.course.state.time - begin;
            let may = ends.may && cause != Cause::StiffForces;
            if steps % COMPARED == 0 {
                let time = self.course.state.time;
                is_slow = time - compared < COMPARED as f64 * LONGER * explicit;
                compared = time;
            }
            if is_slow || ends.must || (may && steps >= LEAST && lasted >= least) || self.is_over()
            {
                break;
            }
        }
        self.stretches.implicit = Some(implicit);
        if steps == 0 {
            return Ok(false);
        }
        let course = &mut self.course;
        let end = course.state.time;
        course.hold = Hold::default();
        course.crawl = Crawl::default();
        course.counters.implicit_steps += steps;
        let dissipated =
            course.energy.impacts + course.energy.friction - before.impacts - before.friction;
        let kind = EventKind::Stretch { cause, end, steps, error: largest, dissipated };
        self.events.push(Event { time: begin, kind });
        self.record_changes(&modes);
        self.stretches.last = Some((begin, end));
        self.stretches.least = 2.0 * (end - begin);
        self.stretches.judged = (end, self.course.counters.work());
        Ok(!is_slow)
    }

    /// Records the modes that are not those of `before`.
    fn record_changes(&mut self, before: &[Mode]) {
        let before = before.iter().copied().chain(std::iter::repeat(Mode::Open));
        for (contact, (from, to)) in before.zip(self.course.modes.clone()).enumerate() {
            if from != to {
                self.course.counters.mode_changes += 1;
                self.record(EventKind::Mode { contact, from, to });
            }
        }
    }

    /// Whether the motion has come to its end or to a limit.
    fn is_over(&mut self) -> bool {
        if self.course.interrupts() {
            return true;
        }
        let Course { state, counters, settings, .. } = &self.course;
        state.time >= self.end
            || counters.work() >= settings.work_limit
            || counters.steps >= settings.step_limit
    }

    /// Takes one step; returns its error and whether the stretch ends, or `None` if there is no step.
    fn one_step(&mut self, implicit: &mut Implicit) -> Result<Option<(f64, Ends)>, Error> {
        self.stop_approaches();
        let Some((step, error)) = self.find_step(implicit) else { return Ok(None) };
        let settings = self.course.settings;
        self.course.geometry.found(step.state.time)?;
        self.course.accept_step(&step);
        let slow = (2.0 * settings.scales.acceleration() * settings.height()).sqrt();
        let Course { geometry, state, .. } = &self.course;
        // A rebound of a slower approach would stay within the proximity.
        let struck = |&contact: &usize| {
            geometry.gaps[contact] <= settings.gap_tolerance
                && geometry.normal_speed(contact, &state.velocity) < -slow
        };
        let must = geometry.present().iter().any(struck);
        let is_gentle = |part: &Part| match part.did {
            Did::Nothing | Did::Stick => true,
            Did::Slip => {
                let Part { contact, force, velocity, .. } = *part;
                let slip = [velocity.y, velocity.z];
                let turn = turning(geometry, &state.coordinates, contact, slip, force.x);
                let friction = geometry.contacts.as_slice()[contact].friction;
                let is_slow = |turn: f64| turn * GENTLE * SHORT * settings.scales.time <= 1.0;
                friction == 0.0 || (slip[0].hypot(slip[1]) > 0.0 && turn.is_none_or(is_slow))
            }
        };
        let may = step.parts.iter().all(is_gentle);
        Ok(Some((error, Ends { must, may })))
    }

    /// Stops the approaches of closed contacts by an inelastic impact, so that no velocity jumps within the next step.
    fn stop_approaches(&mut self) {
        let Course { geometry, state, settings, energy, .. } = &mut self.course;
        geometry.locate_all(&state.coordinates);
        let closed = closed(geometry, settings.gap_tolerance);
        let approaches = |&contact: &usize| {
            geometry.normal_speed(contact, &state.velocity) < -settings.velocity_tolerance
        };
        if !closed.iter().any(approaches) {
            return;
        }
        let problem = impact::state(geometry, &smooth::moment_of(state), &closed);
        // Without an answer the next step stops them.
        if let Ok(Jump { velocity, dissipated, .. }) = problem.and_then(|p| impact::inelastic(&p)) {
            state.velocity = velocity;
            energy.impacts += dissipated;
        }
    }

    /// The longest step within the tolerance that strikes no contact, at whose end all are located, and its error. `None` if there is no
    /// step or the work is done.
    fn find_step(&mut self, implicit: &mut Implicit) -> Option<(Step, f64)> {
        let (course, end) = (&mut self.course, self.end);
        let settings = course.settings;
        let floor = settings.velocity_tolerance / settings.scales.acceleration();
        // The shortest time that rounding distinguishes.
        let instant = f64::EPSILON * course.start.abs().max(end.abs());
        let from = course.state.clone();
        course.geometry.locate_all(&from.coordinates);
        let closed = closed(&course.geometry, settings.gap_tolerance);
        let gaps = course.geometry.gaps.clone();
        let stop = course.next_stop(end);
        let left = stop - from.time;
        let mut length = self.stretches.step;
        let mut is_hit = false;
        loop {
            let is_last = length >= left;
            let taken = if is_last { left } else { length };
            let [passes, iterations] = implicit.work;
            let found = implicit.attempt(&mut course.geometry, settings, &from, (taken, &closed));
            course.counters.evaluations += implicit.work[0] - passes;
            course.counters.contact_iterations += implicit.work[1] - iterations;
            if course.counters.work() >= settings.work_limit {
                return None;
            }
            let Some((mut step, error)) = found else {
                if taken <= floor {
                    return None;
                }
                length = (0.25 * taken).max(floor);
                continue;
            };
            let gain = step.gain(course.geometry.model.system(), &from);
            let unaccounted = gain.abs() / (UNACCOUNTED * settings.scales.energy());
            let relative = error.max(unaccounted) / settings.implicit_tolerance;
            if relative > 1.0 && taken > floor {
                length = (taken * (0.9 / relative.sqrt()).clamp(0.1, 0.9)).max(floor);
                continue;
            }
            if is_last {
                step.state.time = stop;
            }
            course.geometry.expect(&from.coordinates, &step.state.coordinates);
            course.geometry.locate_all(&step.state.coordinates);
            let share = hit(&course.geometry, &gaps, &closed, settings.gap_tolerance);
            if let Some(share) = share.filter(|_| taken > instant) {
                length = (taken * share).max(instant);
                is_hit = true;
                continue;
            }
            if !is_hit {
                let next = taken * (0.9 / relative.max(1e-12).sqrt()).clamp(0.2, 2.0);
                // A step that the end or a sample has shortened says little about the next.
                self.stretches.step = if is_last { length.max(next) } else { next };
            }
            return Some((step, error));
        }
    }
}

/// Whether a stretch must or may end.
#[derive(Clone, Copy, Debug)]
struct Ends {
    must: bool,
    may: bool,
}

/// The contacts that are closed (ascending).
fn closed(geometry: &Geometry<'_>, tolerance: f64) -> Vec<usize> {
    geometry.present().into_iter().filter(|&contact| geometry.gaps[contact] <= tolerance).collect()
}

/// The share of a step after which the first contact is struck that was not `closed`; `None` if there is none.
fn hit(geometry: &Geometry<'_>, before: &[f64], closed: &[usize], tolerance: f64) -> Option<f64> {
    let mut first: Option<f64> = None;
    for contact in geometry.present() {
        let after = geometry.gaps[contact];
        if after >= -tolerance || closed.binary_search(&contact).is_ok() {
            continue;
        }
        let before = before.get(contact).copied().filter(|gap| gap.is_finite() && *gap > 0.0);
        let share = before.map_or(0.5, |gap| (gap + 0.5 * tolerance) / (gap - after)).min(0.98);
        first = Some(first.map_or(share, |first| first.min(share)));
    }
    first
}

impl Course<'_, '_> {
    /// The time of the next sample or the end (s).
    fn next_stop(&mut self, end: f64) -> f64 {
        while let Some(time) = self.sample_time() {
            if time > self.state.time {
                return time.min(end);
            }
            self.next_sample += 1;
        }
        end
    }

    /// Makes the end of a step the state, whose contacts are located.
    fn accept_step(&mut self, step: &Step) {
        self.counters.steps += 1;
        self.state.clone_from(&step.state);
        let [normal, friction, other] = step.energies;
        self.energy.impacts += normal;
        self.energy.friction += friction;
        self.energy.other_work += other;
        self.modes = vec![Mode::Open; self.geometry.gaps.len()];
        for part in &step.parts {
            self.modes[part.contact] = match part.did {
                Did::Stick => Mode::Sticking,
                Did::Slip => Mode::Sliding,
                Did::Nothing if part.velocity.x > self.settings.velocity_tolerance => Mode::Open,
                Did::Nothing => Mode::Touching,
            };
        }
        self.hold = held_by(&self.geometry, &self.state.coordinates, step);
        let (position, velocity) =
            projection::violation(&self.geometry, &self.hold, &self.state.velocity);
        let settings = self.settings;
        if position > 0.1 * settings.gap_tolerance || velocity > 0.1 * settings.velocity_tolerance {
            self.counters.projections += 1;
            self.project();
        } else {
            self.lift();
        }
        let components = self.geometry.components;
        self.note_depth();
        let mut forces = DVector::zeros(self.geometry.gaps.len() * components);
        for part in &step.parts {
            for component in 0..components {
                forces[components * part.contact + component] = part.force[component];
            }
        }
        self.modes.resize(self.geometry.gaps.len(), Mode::Open);
        let friction = DVector::from_column_slice(&step.joints);
        let acceleration = DVector::zeros(self.state.velocity.len());
        let held = Held { forces, friction, acceleration };
        if self.sample_time().is_none_or(|time| time <= self.state.time) {
            let state = self.state.clone();
            self.show(&state, &held, self.energy.friction);
        }
    }
}

/// The equations that the contacts and joints of a step have held.
fn held_by(geometry: &Geometry<'_>, coordinates: &[f64], step: &Step) -> Hold {
    let parts = &step.parts;
    let mut independent = Independent::new(geometry, coordinates);
    let mut lines: Vec<Line> = (0..geometry.ties).map(Line::Tie).collect();
    let carrying = || parts.iter().filter(|part| part.did != Did::Nothing);
    lines.extend(carrying().map(|part| Line::Normal(part.contact)));
    for part in carrying().filter(|part| part.did == Did::Stick) {
        lines.extend(axes(geometry.components).map(|axis| Line::Tangent(part.contact, axis)));
    }
    let turn = |joint: usize| turn_of(&geometry.joints[joint], step.joints[joint]);
    let joints = 0..geometry.joints.len();
    lines.extend(joints.clone().filter(|joint| turn(*joint).is_none()).map(Line::Joint));
    lines.retain(|line| independent.take(&line_row(geometry, line)));
    let turning = joints.filter_map(|joint| turn(joint).map(|sign| (joint, sign))).collect();
    let grip = |part: &Part| match part.did {
        Did::Slip => Grip::Slide([0.0; 2]),
        _ => Grip::Stick,
    };
    let carried = carrying().map(|part| (part.contact, grip(part))).collect();
    Hold { lines, carried, turning }
}
