//! Event-driven simulation of a scenario: [`EventMotion`].

use std::{collections::BTreeSet, ops::ControlFlow};

use percussion_dynamics::System;
use percussion_impact::Law;
use percussion_integrators::{
    Model, State,
    event_driven::{EventKind, Report, Settings, Snapshot, Status, integrate_while},
};

use crate::{
    Error,
    mechanism::{Mechanism, Surfaces},
    scenario::{Scenario, Setup},
    trajectory::{NUMBER_LIMIT, Sample, Trajectory},
};

/// An event-driven motion.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct EventMotion {
    /// Samples at multiples of the step of the scenario, and on both sides of every event; no reports of steps.
    pub trajectory: Trajectory,
    /// The events, the energy balance, the accuracy of the contacts, and the status.
    pub report: Report,
    /// Velocities and forces of the contacts at each sample.
    pub contacts: Vec<ContactMotion>,
}

/// Velocities and forces of all contacts at one instant, contact by contact: normal, tangent 1 and, in space, tangent 2.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ContactMotion {
    /// Contact velocities (m/s).
    pub velocities: Vec<f64>,
    /// Contact forces (N), 0 in open contacts.
    pub forces: Vec<f64>,
}

impl Scenario {
    /// Builds and simulates the scenario as [`Setup::simulate_events`] does, for callers that need only the motion.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build) and [`Setup::simulate_events`].
    pub fn simulate_events(
        &self,
        law: &dyn Law,
        progress: &mut dyn FnMut(f64),
    ) -> Result<EventMotion, Error> {
        self.build()?.simulate_events(law, progress)
    }
}

impl Setup {
    /// Simulates the mechanism for the duration of the scenario, event-driven, with `law` for its impacts.
    ///
    /// `progress` receives the completed fraction, in `[0, 1]` and never decreasing.
    ///
    /// # Errors
    ///
    /// [`Error::Motion`] if the samples would not fit in the limit, and [`Error::EventDriven`] if the law
    /// does not apply. A motion that ends early is a status of the report.
    ///
    /// # Example
    ///
    /// A disc is dropped from 1 m and keeps 0.8 of its speed in each impact. It rests after nine times its falling time of 0.4515 s.
    ///
    /// ```
    /// use percussion_impact::poisson::Poisson;
    /// use percussion_integrators::event_driven::EventKind;
    /// use percussion_mechanism::scenario::Scenario;
    ///
    /// let setup = Scenario::from_path("fixtures/compat/scenarios/bouncing-ball.toml")?.build()?;
    /// let motion = setup.simulate_events(&Poisson::default(), &mut |_fraction| ())?;
    /// let limit = motion.report.events.iter().find_map(|event| match event.kind {
    ///     EventKind::Accumulation { limit, .. } => Some(limit),
    ///     _ => None,
    /// });
    /// assert!((limit.unwrap_or(f64::NAN) - 9.0 * (2.0_f64 / 9.81).sqrt()).abs() < 1e-9);
    /// # Ok::<(), percussion_mechanism::Error>(())
    /// ```
    pub fn simulate_events(
        &self,
        law: &dyn Law,
        progress: &mut dyn FnMut(f64),
    ) -> Result<EventMotion, Error> {
        self.simulate_events_while(law, &mut to_the_end(progress))
    }

    /// Simulates as [`simulate_events`](Self::simulate_events) does, as long as `watch` wants.
    ///
    /// `watch` receives the completed fraction, in `[0, 1]` and never decreasing, between steps. If it breaks, the motion ends
    /// there with the status `Interrupted`.
    ///
    /// # Errors
    ///
    /// As [`simulate_events`](Self::simulate_events).
    pub fn simulate_events_while(
        &self,
        law: &dyn Law,
        watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<EventMotion, Error> {
        let Self { scenario, mechanism, .. } = self;
        let Mechanism { model, state: start, contacts, surfaces, .. } = mechanism;
        // A gap and, in space, three velocities and three forces for each contact.
        let of_contacts = 7 * contacts.len();
        let numbers = 2 + start.coordinates.len() + 2 * start.velocity.len() + of_contacts;
        let (steps, kept) = (scenario.step_count(), scenario.step_count().saturating_mul(numbers));
        if kept > NUMBER_LIMIT {
            return Err(Error::Motion { steps, kept, limit: NUMBER_LIMIT });
        }
        let settings = scenario.event_driven_settings();
        let span = (start, scenario.duration);
        let mut motion = follow_while(model, law, &settings, span, watch)?;
        motion.trajectory.contact_names = mechanism.contact_names();
        if let Some(surfaces) = surfaces {
            motion.name_found(surfaces, model.component_count());
        }
        Ok(motion)
    }
}

impl EventMotion {
    /// Keeps the contacts that were found and took part, gives them names and renumbers them; `components` is
    /// the number of components of each contact.
    fn name_found(&mut self, surfaces: &Surfaces, components: usize) {
        let named = self.trajectory.contact_names.len();
        let mut used: BTreeSet<usize> = BTreeSet::new();
        for event in &mut self.report.events {
            used.extend(contacts_of(&mut event.kind).iter().copied());
        }
        for at in &self.contacts {
            let forces = at.forces.chunks(components).enumerate();
            let pushing = forces.filter(|(_, force)| force.iter().any(|entry| *entry != 0.0));
            used.extend(pushing.map(|(contact, _)| contact));
        }
        used.extend(self.report.unanswered.iter().flat_map(|impact| &impact.contacts));
        let kept: Vec<usize> = (0..named).chain(used.range(named..).copied()).collect();
        let renumber = |contacts: &mut [usize]| {
            for contact in contacts {
                *contact = kept.binary_search(contact).unwrap_or(*contact);
            }
        };
        for event in &mut self.report.events {
            renumber(contacts_of(&mut event.kind));
        }
        if let Some(impact) = &mut self.report.unanswered {
            renumber(&mut impact.contacts);
        }
        let of = |entries: &[f64]| -> Vec<f64> {
            let entry = |k: usize| entries.get(k).copied().unwrap_or_default();
            let rows = kept.iter().flat_map(|k| k * components..(k + 1) * components);
            rows.map(entry).collect()
        };
        for at in &mut self.contacts {
            *at = ContactMotion { velocities: of(&at.velocities), forces: of(&at.forces) };
        }
        for sample in &mut self.trajectory.samples {
            sample.gaps.truncate(named);
        }
        let Report { modes, names, .. } = &mut self.report;
        *modes = kept.iter().filter_map(|k| modes.get(*k).copied()).collect();
        *names = kept.iter().map(|k| names.get(*k).copied().flatten()).collect();
        let found: Vec<_> = names[named..].iter().copied().flatten().collect();
        self.trajectory.contact_names.extend(found.iter().map(|name| surfaces.contact(name)));
        self.trajectory.found = Some(found);
    }
}

/// The contacts that an event names.
fn contacts_of(kind: &mut EventKind) -> &mut [usize] {
    match kind {
        EventKind::Impact { contacts, .. }
        | EventKind::Accumulation { contacts, .. }
        | EventKind::Settling { contacts, .. }
        | EventKind::Jam { contacts, .. } => contacts,
        EventKind::Mode { contact, .. } => std::slice::from_mut(contact),
        _ => &mut [],
    }
}

/// Simulates `model` from `start` for a time (s), with a sample at every interval (s); the contacts have no
/// names.
///
/// `progress` receives the completed fraction, in `[0, 1]` and never decreasing.
///
/// # Errors
///
/// [`Error::EventDriven`] if the law does not apply to the model.
pub fn follow(
    model: &Model,
    law: &dyn Law,
    start: &State,
    (duration, interval): (f64, f64),
    progress: &mut dyn FnMut(f64),
) -> Result<EventMotion, Error> {
    let settings = Settings { sample_interval: Some(interval), ..Settings::default() };
    follow_while(model, law, &settings, (start, duration), &mut to_the_end(progress))
}

/// Tells the completed fraction from time to time, and never breaks.
fn to_the_end(progress: &mut dyn FnMut(f64)) -> impl FnMut(f64) -> ControlFlow<()> {
    let mut told = 0.0;
    move |fraction| {
        if fraction >= told + 0.01 || fraction >= 1.0 {
            told = fraction;
            progress(fraction);
        }
        ControlFlow::Continue(())
    }
}

/// Simulates as [`follow`] does, as long as `watch` wants, which receives the completed fraction between steps.
fn follow_while(
    model: &Model,
    law: &dyn Law,
    settings: &Settings,
    (start, duration): (&State, f64),
    watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<EventMotion, Error> {
    let (contact_names, reports) = (vec![String::new(); model.contacts().len()], Vec::new());
    let mut trajectory = Trajectory {
        step_size: settings.sample_interval.unwrap_or(duration),
        contact_names,
        found: None,
        samples: Vec::new(),
        reports,
    };
    let mut contacts = Vec::new();
    let mut observe = |moment: &Snapshot<'_>| {
        trajectory.samples.push(sample(model.system(), &start.coordinates, moment));
        let (velocities, forces) = (moment.contact_velocity.to_vec(), moment.forces.to_vec());
        contacts.push(ContactMotion { velocities, forces });
    };
    let mut reached = |time: f64| watch(((time - start.time) / duration).clamp(0.0, 1.0));
    let span = (start, start.time + duration);
    let report = integrate_while(model, law, settings, span, &mut observe, &mut reached)?;
    if report.status != Status::Interrupted {
        // Nothing is left that an answer could end.
        let _ = watch(1.0);
    }
    Ok(EventMotion { trajectory, report, contacts })
}

fn sample(system: &dyn System, start: &[f64], moment: &Snapshot<'_>) -> Sample {
    let mut displacement = vec![0.0; moment.velocity.len()];
    system.difference(start, moment.coordinates, &mut displacement);
    Sample {
        time: moment.time,
        coordinates: moment.coordinates.to_vec(),
        velocity: moment.velocity.to_vec(),
        displacement,
        gaps: moment.gaps.to_vec(),
        energy: moment.energy,
    }
}

#[cfg(test)]
mod tests {
    use percussion_impact::anitescu_potra::AnitescuPotra;

    use super::*;

    /// The rod on the table, for which time stepping converges to the event-driven motion: with inelastic
    /// impacts both ends land at the times of the figures in its fixture, and nothing happens after it has
    /// come to rest.
    #[test]
    fn the_rod_lands_and_rests_as_time_stepping_says() {
        let scenario =
            Scenario::from_toml_str(&crate::compat("scenarios/rod-on-table.toml")).unwrap();
        let motion = scenario.simulate_events(&AnitescuPotra::default(), &mut |_| ()).unwrap();
        let landings = motion.report.events.iter().filter_map(|event| match event.kind {
            EventKind::Impact { .. } => Some(event.time),
            _ => None,
        });
        let rest = motion.report.events.last().map(|event| event.time);
        let names = ["first end touches", "second end touches", "rest begins"];
        for (name, time) in names.into_iter().zip(landings.chain(rest)) {
            let expected = scenario.expectation(name).unwrap();
            assert!(expected.row(&scenario.name, time).accepted, "{name}: {time} {expected:?}");
        }
        let end = motion.trajectory.end();
        for (name, value) in
            [("final horizontal position", end.coordinates[0]), ("final angle", end.coordinates[2])]
        {
            let expected = scenario.expectation(name).unwrap();
            assert!(expected.row(&scenario.name, value).accepted, "{name}: {value} {expected:?}");
        }
    }
}
