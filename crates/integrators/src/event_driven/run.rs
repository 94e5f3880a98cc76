//! The loop over the events of a motion.

use percussion_impact::{Law, Problem, RestitutionUse};

use super::{
    Error,
    chatter::{Accumulation, Chatter},
    impact::{self, Failure, Jump},
    implicit::Stretches,
    joints, modes,
    report::{Cause, Event, EventKind, Mode, Report, Status, Unanswered},
    smooth::{self, Course},
};
use crate::events::Ending;

/// Maximum number of impacts at one moment: a law whose outcome still approaches is applied again.
const AT_ONCE: usize = 100;

/// Maximum number of pushes of a jam at one moment, each twice as fast as the one before.
const PUSHES: usize = 20;

/// Maximum change of the energy by a push, as a fraction of the energy of the model: where the forces hardly
/// drive the contacts together, the push that lets them approach moves everything else.
const PUSHED: f64 = 1e-7;

/// Fraction of the velocity tolerance at which a contact that is deeper than the gap tolerance is stopped.
const SINKING: f64 = 1e-3;

/// An accumulation whose limit has not been reached yet.
#[derive(Debug)]
pub(super) struct Pending {
    /// Its index among the events.
    event: usize,
    /// Impulses that closed its contacts (N·s).
    impulses: Vec<Vec<f64>>,
}

pub(super) struct Run<'a, 'm> {
    pub(super) course: Course<'a, 'm>,
    pub(super) law: &'a dyn Law,
    pub(super) end: f64,
    pub(super) events: Vec<Event>,
    pub(super) chatter: Chatter,
    /// Kinetic energy at the start (J).
    pub(super) start_kinetic: f64,
    /// Accumulations whose limit is not yet reached.
    pub(super) pending: Vec<Pending>,
    /// Impacts at the time of the last one.
    pub(super) at_once: (f64, usize),
    /// What the law made of restitution so far.
    pub(super) restitution: RestitutionUse,
    /// Stretches of implicit steps.
    pub(super) stretches: Stretches,
    /// The impact to which the law had no answer, until it is crossed.
    pub(super) unanswered: Option<Unanswered>,
}

impl Run<'_, '_> {
    /// Integrates to the end.
    pub(super) fn finish(mut self) -> Result<Report, Error> {
        self.course.observe();
        let status = loop {
            let time = self.course.state.time;
            let overlaps = self.course.overlaps();
            self.course.geometry.found(time)?;
            let step = if overlaps {
                Some(Status::Overlap)
            } else if self.course.state.time >= self.end {
                Some(Status::EndReached)
            } else if self.has_little_energy() {
                Some(Status::EnergyReached)
            } else if self.course.counters.work() >= self.course.settings.work_limit {
                Some(Status::WorkLimit)
            } else if self.course.interrupts() {
                Some(Status::Interrupted)
            } else if self.approaches() {
                self.impact()?
            } else if self.lags() && self.cross(Cause::Lag, 0.0)? {
                None
            } else {
                self.go_on()?
            };
            let Some(status) = step else { continue };
            let is_crossed = |cause: &Cause| {
                *cause != Cause::ImpactUnresolved || self.course.settings.inelastic_fallback
            };
            match status.cause().filter(is_crossed) {
                Some(cause) if self.cross(cause, 0.0)? => self.unanswered = None,
                _ => break status,
            }
        };
        let Course { mut state, modes, mut energy, drift, counters, geometry, settings, .. } =
            self.course;
        let system = geometry.model.system();
        let reached = state.coordinates.clone();
        system.retract(&reached, &vec![0.0; state.velocity.len()], &mut state.coordinates);
        energy.end = system.energy(&state.coordinates, &state.velocity);
        let gained = counters.energy_gained > 0
            || energy.is_breached(self.start_kinetic, settings, &counters);
        let status = match status {
            Status::EndReached | Status::EnergyReached if gained => Status::EnergyGained,
            Status::EndReached | Status::EnergyReached
                if drift.penetration > settings.deepest() =>
            {
                Status::Overlap
            }
            status => status,
        };
        let scales = settings.scales;
        let contacts = &geometry.contacts;
        let names = (0..contacts.len()).map(|contact| contacts.name(contact)).collect();
        let events = self.events;
        let restitution = self.restitution;
        let unanswered = self.unanswered;
        Ok(Report {
            status,
            unanswered,
            state,
            modes,
            names,
            events,
            energy,
            drift,
            restitution,
            counters,
            scales,
        })
    }

    /// Whether the energy is at most that at which the motion ends.
    fn has_little_energy(&self) -> bool {
        let Course { geometry, state, settings, .. } = &self.course;
        let energy = || geometry.model.system().energy(&state.coordinates, &state.velocity);
        settings.end_energy.is_some_and(|end| energy() <= end)
    }

    /// Whether a closed contact approaches; locates all.
    fn approaches(&mut self) -> bool {
        let Course { geometry, state, settings, .. } = &mut self.course;
        geometry.locate_all(&state.coordinates);
        let all = geometry.present();
        all.iter().any(|&contact| {
            let (gap, tolerance) = (geometry.gaps[contact], settings.gap_tolerance);
            // One of redundant contacts that carries no force may sink slowly.
            let still = if gap < -tolerance { SINKING } else { 1.0 } * settings.velocity_tolerance;
            gap <= tolerance && geometry.normal_speed(contact, &state.velocity) < -still
        })
    }

    /// Contacts that are within `height` of closing.
    pub(super) fn within(&self, height: f64) -> Vec<usize> {
        let gaps = self.course.geometry.gaps.iter().enumerate();
        gaps.filter(|(_, gap)| **gap <= height).map(|(contact, _)| contact).collect()
    }

    /// Resolves the impact of all contacts that are near closing.
    fn impact(&mut self) -> Result<Option<Status>, Error> {
        let settings = self.course.settings;
        let time = self.course.state.time;
        if self.course.counters.impacts == settings.impact_limit {
            return Ok(Some(Status::ImpactLimit));
        }
        if self.count_at_once() > AT_ONCE {
            return Ok(Some(Status::ImpactUnresolved));
        }
        let height = settings.height();
        let contacts = self.within(height);
        let normal = |run: &Self, contact: usize, velocity: &[f64]| {
            run.course.geometry.normal_speed(contact, velocity)
        };
        for &contact in &contacts {
            let approach = -normal(self, contact, &self.course.state.velocity);
            if approach > settings.velocity_tolerance {
                self.chatter.land(contact, time, approach, height);
            }
        }
        self.chatter.rise(&contacts);
        // Every impact has a number of its own, also one whose outcome an accumulation replaces.
        let number = self.course.counters.impacts as u64;
        let stated = impact::state(&self.course.geometry, &self.course.moment(), &contacts);
        let problem = match stated {
            Ok(problem) => problem,
            Err(failure) => return self.fail(failure),
        };
        let jump = match impact::by_law(&problem, self.law, number) {
            Err(Failure::Unresolved(_)) if self.is_slow(&contacts) => {
                return self.halt(&contacts, &problem);
            }
            Err(failure) => return self.end_at(failure, &contacts, problem),
            Ok(jump) => jump,
        };
        self.restitution = self.restitution.max(jump.restitution);
        let rebounds: Vec<_> = contacts
            .iter()
            .map(|&contact| (contact, normal(self, contact, &jump.velocity)))
            .filter(|(_, speed)| *speed > settings.velocity_tolerance)
            .collect();
        let ends: Option<Vec<_>> = rebounds
            .iter()
            .map(|&(contact, speed)| self.chatter.accumulation(contact, speed, height, self.end))
            .collect();
        match ends {
            Some(ends) if !ends.is_empty() => match impact::inelastic(&problem) {
                Ok(inelastic) => self.capture(&contacts, &ends, inelastic),
                Err(failure) => return self.end_at(failure, &contacts, problem),
            },
            _ => {
                let Jump { velocity, impulses, dissipated, gains, .. } = jump;
                self.course.counters.energy_gained += usize::from(gains);
                self.take(velocity, dissipated);
                self.record(EventKind::Impact { contacts, impulses, dissipated });
            }
        }
        Ok(None)
    }

    /// Closes the `contacts` of an impact, whose rebounds accumulate.
    ///
    /// The inelastic impact includes the friction of the omitted impulses. Contacts that alternate, as those
    /// of a rocking block, still rock after it. In the limit of the alternating impacts the velocity of the
    /// closed contacts is zero, and so is the slip of those that stick.
    fn capture(&mut self, contacts: &[usize], ends: &[Accumulation], inelastic: Jump) {
        let Course { geometry, state, settings, .. } = &self.course;
        let Jump { mut velocity, impulses, mut dissipated, .. } = inelastic;
        let sticks = |(contact, impulse): (&usize, &Vec<f64>)| {
            let [a, b] = geometry.slip(*contact, &velocity);
            let sticks = impulse.len() > 1 && impulse[0] > 0.0;
            (sticks && a.hypot(b) <= settings.velocity_tolerance).then_some(*contact)
        };
        let sticking: Vec<_> = contacts.iter().zip(&impulses).filter_map(sticks).collect();
        let lost =
            impact::close(geometry, &state.coordinates, (contacts, &sticking, &[]), &mut velocity);
        dissipated += lost;
        self.take(velocity, dissipated);
        contacts.iter().for_each(|&contact| self.chatter.forget(contact));
        let latest = ends.iter().fold(ends[0], |a, b| if b.limit > a.limit { *b } else { a });
        let Accumulation { limit, ratio, landings } = latest;
        let contacts = contacts.to_vec();
        self.record(EventKind::Accumulation { contacts, limit, ratio, landings, dissipated });
        self.pending.push(Pending { event: self.events.len() - 1, impulses });
    }

    /// Records accumulations that end before their limit, because one of their contacts is hit or opens, as
    /// the impact that closed the contacts.
    fn interrupt(&mut self, kind: &EventKind) {
        let time = self.course.state.time;
        let concerns = |closed: &[usize]| match kind {
            EventKind::Impact { contacts, .. } | EventKind::Accumulation { contacts, .. } => {
                contacts.iter().any(|contact| closed.contains(contact))
            }
            EventKind::Mode { contact, to: Mode::Open, .. } => closed.contains(contact),
            _ => false,
        };
        let events = &mut self.events;
        self.pending.retain_mut(|Pending { event, impulses }| {
            let event = &mut events[*event];
            let EventKind::Accumulation { contacts, limit, dissipated, .. } = &mut event.kind
            else {
                return false;
            };
            if *limit <= time {
                return false;
            }
            let interrupted = concerns(contacts);
            if interrupted {
                let (contacts, impulses) = (std::mem::take(contacts), std::mem::take(impulses));
                let dissipated = *dissipated;
                event.kind = EventKind::Impact { contacts, impulses, dissipated };
            }
            !interrupted
        });
    }

    /// Continues smoothly until the next event.
    fn go_on(&mut self) -> Result<Option<Status>, Error> {
        let course = &mut self.course;
        let state = course.state.clone();
        let moment = smooth::moment_of(&state);
        let lcps = &mut course.counters.mode_lcps;
        let Some(decision) = modes::decide(&mut course.geometry, course.settings, &moment, lcps)
        else {
            return self.jam();
        };
        if self.settle(&decision.hold) {
            return Ok(None);
        }
        let course = &mut self.course;
        let before = std::mem::replace(&mut course.modes, decision.modes);
        let held = std::mem::replace(&mut course.hold, decision.hold);
        let mut changes = joints::changes(&course.geometry.joints, &held, &course.hold);
        course.counters.mode_changes += changes.len();
        // Contacts found since then were open before.
        let before = before.into_iter().chain(std::iter::repeat(Mode::Open));
        for (contact, (from, to)) in before.zip(course.modes.clone()).enumerate() {
            if from != to || course.hold.opposes(&held, contact) {
                course.counters.mode_changes += 1;
                changes.push(EventKind::Mode { contact, from, to });
            }
        }
        changes.into_iter().for_each(|kind| self.record(kind));
        let course = &mut self.course;
        if course.counters.mode_changes > course.settings.mode_limit {
            return Ok(Some(Status::ModeLimit));
        }
        self.stop_slow_slips();
        let course = &mut self.course;
        course.project();
        course.observe();
        let ending = smooth::advance(course, self.end)?;
        Ok(match ending {
            Ending::Event => {
                course.observe();
                None
            }
            Ending::Span => {
                course.observe();
                Some(Status::EndReached)
            }
            Ending::StepLimit => Some(Status::StepLimit),
            Ending::WorkLimit if self.course.is_interrupted => Some(Status::Interrupted),
            Ending::WorkLimit => match self.course.crawl.found.take() {
                Some((cause, mean)) => {
                    if !self.cross(cause, mean)? {
                        self.course.crawl.wait_longer();
                    }
                    None
                }
                None => Some(Status::WorkLimit),
            },
            // Forces grow without bound where sliding contacts jam.
            Ending::StepTooSmall | Ending::NotFinite => match self.jam()? {
                Some(Status::Inconsistent) => Some(Status::Failed),
                status => status,
            },
            Ending::NotConverged => Some(Status::Failed),
        })
    }

    /// Breaks a jam by impulses without collision: the inelastic impact in the limit of no approach.
    ///
    /// The forces that no contact force balances drive the closed contacts together. A short time later they
    /// approach, and the impulse that stops this does not depend on that time.
    fn jam(&mut self) -> Result<Option<Status>, Error> {
        let pushes = self.count_at_once();
        let Course { geometry, state, settings, counters, .. } = &mut self.course;
        if counters.impacts == settings.impact_limit {
            return Ok(Some(Status::ImpactLimit));
        }
        geometry.locate_all(&state.coordinates);
        let all = geometry.present();
        let moment = smooth::moment_of(state);
        let turning = joints::turning(geometry, &state.velocity, settings.still);
        let acceleration = geometry.free_acceleration(&moment, &turning);
        let bias = geometry.bias(&moment, &all);
        let closing = |contact: usize| {
            let row = geometry.first_row(contact);
            let rate = geometry.speed(row, acceleration.as_slice()) + bias[row];
            let closed = geometry.gaps[contact] <= settings.gap_tolerance
                && geometry.normal_speed(contact, &state.velocity) <= settings.velocity_tolerance;
            if closed { -rate } else { 0.0 }
        };
        let fastest = all.iter().map(|&contact| closing(contact)).fold(0.0_f64, f64::max);
        if fastest <= 0.0 {
            return Ok(Some(Status::Inconsistent));
        }
        let approach = settings.velocity_tolerance * f64::from(1_u32 << PUSHES.min(pushes));
        let mut pushed = state.clone();
        let push = acceleration * (approach / fastest);
        pushed.velocity.iter_mut().zip(&push).for_each(|(v, change)| *v += change);
        let system = geometry.model.system();
        let kinetic = system.kinetic_energy(&state.coordinates, &state.velocity);
        let change = system.kinetic_energy(&state.coordinates, &pushed.velocity) - kinetic;
        if change.is_nan() || change.abs() > PUSHED * settings.scales.energy() {
            return Ok(Some(Status::Inconsistent));
        }
        let contacts = self.within(self.course.settings.gap_tolerance);
        let moment = smooth::moment_of(&pushed);
        let resolved = impact::state(&self.course.geometry, &moment, &contacts)
            .and_then(|problem| impact::inelastic(&problem));
        match resolved {
            Ok(Jump { velocity, .. }) => {
                if pushes > PUSHES {
                    return Ok(Some(Status::Inconsistent));
                }
                let system = self.course.geometry.model.system();
                let coordinates = &self.course.state.coordinates;
                let left = system.kinetic_energy(coordinates, &velocity);
                let dissipated = kinetic - left;
                self.take(velocity, dissipated);
                self.record(EventKind::Jam { contacts, dissipated });
                Ok(None)
            }
            Err(failure) => self.fail(failure),
        }
    }

    /// Counts the impacts of this moment.
    fn count_at_once(&mut self) -> usize {
        let (last, count) = self.at_once;
        let time = self.course.state.time;
        self.at_once = if time > last { (time, 1) } else { (time, count + 1) };
        self.at_once.1
    }

    pub(super) fn take(&mut self, velocity: Vec<f64>, dissipated: f64) {
        self.course.state.velocity = velocity;
        self.course.energy.impacts += dissipated;
        self.course.counters.impacts += 1;
    }

    pub(super) fn record(&mut self, kind: EventKind) {
        self.interrupt(&kind);
        self.events.push(Event { time: self.course.state.time, kind });
    }

    /// As [`fail`](Self::fail), and keeps the impact for the report.
    fn end_at(
        &mut self,
        failure: Failure,
        contacts: &[usize],
        problem: Problem,
    ) -> Result<Option<Status>, Error> {
        if let Failure::Unresolved(status) = failure {
            let contacts = contacts.to_vec();
            self.unanswered = Some(Unanswered { status, contacts, problem });
        }
        self.fail(failure)
    }

    pub(super) fn fail(&self, failure: Failure) -> Result<Option<Status>, Error> {
        let time = self.course.state.time;
        match failure {
            Failure::Unresolved(_) => Ok(Some(Status::ImpactUnresolved)),
            Failure::Law(source) => Err(Error::Law { time, source }),
            Failure::Stated(source) => Err(Error::Impact { time, source }),
        }
    }
}
