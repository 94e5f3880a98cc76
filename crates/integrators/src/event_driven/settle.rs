//! Motion below what is resolved: rebounds within the proximity, and slips too slow to have a direction.

use percussion_impact::Problem;

use super::{
    Error,
    geometry::Geometry,
    hold::{Grip, Hold},
    impact::{self, Jump},
    report::{EventKind, Status},
    run::Run,
    smooth::{self, Course},
};

impl Run<'_, '_> {
    /// Whether all approaches are so slow that a rebound would stay within the proximity.
    pub(super) fn is_slow(&self, contacts: &[usize]) -> bool {
        let Course { geometry, state, settings, .. } = &self.course;
        let height = settings.height();
        let approach = |&contact: &usize| -geometry.normal_speed(contact, &state.velocity);
        let fastest = contacts.iter().map(approach).fold(0.0, f64::max);
        fastest * fastest <= 2.0 * settings.scales.acceleration() * height
    }

    /// Ends slow approaches for which the law finds no answer.
    pub(super) fn halt(
        &mut self,
        contacts: &[usize],
        problem: &Problem,
    ) -> Result<Option<Status>, Error> {
        match impact::inelastic(problem) {
            Ok(Jump { velocity, dissipated, .. }) => {
                self.take(velocity, dissipated);
                self.record(EventKind::Settling { contacts: contacts.to_vec(), dissipated });
                Ok(None)
            }
            Err(failure) => self.fail(failure),
        }
    }

    /// Closes contacts whose rebounds are below what the motion resolves, and returns whether there were any.
    ///
    /// Where several contacts strike in turn, their intervals need not have a ratio, and thousands of impacts follow each other within
    /// microseconds. A contact that rebounds at the speed `u` against the acceleration `a` rises to `u²/(2a)`. If that is within the
    /// proximity, as all its last flights were, the rebound is left out, by the smallest change of the velocity in the kinetic metric.
    pub(super) fn settle(&mut self, hold: &Hold) -> bool {
        let settings = self.course.settings;
        let height = settings.height();
        let near = self.within(height);
        let chatter = &self.chatter;
        let Course { geometry, state, .. } = &mut self.course;
        let rebounds = |geometry: &Geometry<'_>, contact: usize| {
            let elastic = geometry.contacts.as_slice()[contact].restitution >= 1.0;
            let speed = geometry.normal_speed(contact, &state.velocity);
            !elastic && chatter.is_low(contact) && speed > settings.velocity_tolerance
        };
        let low: Vec<_> = near.into_iter().filter(|&contact| rebounds(geometry, contact)).collect();
        if low.is_empty() {
            return false;
        }
        let moment = smooth::moment_of(state);
        let acceleration = hold.solve(geometry, &moment, settings.still).acceleration;
        geometry.locate_all(&state.coordinates);
        let bias = geometry.bias(&moment, &low);
        let stays = |&contact: &usize| {
            let row = geometry.first_row(contact);
            let speed = geometry.normal_speed(contact, &state.velocity);
            let back = -(geometry.speed(row, acceleration.as_slice()) + bias[row]);
            speed * speed <= 2.0 * back * height
        };
        let low: Vec<_> = low.into_iter().filter(stays).collect();
        if low.is_empty() {
            return false;
        }
        let sticking: Vec<_> = hold
            .carried
            .iter()
            .filter_map(|(contact, grip)| matches!(grip, Grip::Stick).then_some(*contact))
            .collect();
        let closed: Vec<_> = hold.contacts().into_iter().chain(low.iter().copied()).collect();
        let resting: Vec<_> = hold.resting().collect();
        let mut velocity = state.velocity.clone();
        let dissipated = impact::close(
            geometry,
            &state.coordinates,
            (&closed, &sticking, &resting),
            &mut velocity,
        );
        self.take(velocity, dissipated);
        self.record(EventKind::Settling { contacts: low, dissipated });
        true
    }

    /// Removes slips, and velocities of joints, too slow to have a direction where friction acts against the opposite direction.
    pub(super) fn stop_slow_slips(&mut self) {
        let Course { geometry, state, hold, settings, energy, .. } = &mut self.course;
        let contacts = hold.contacts();
        geometry.locate(&state.coordinates, &contacts);
        let backward = |(contact, grip): &(usize, Grip)| {
            let Grip::Slide(along) = grip else { return None };
            let [a, b] = geometry.slip(*contact, &state.velocity);
            let forward = geometry.slip_along(*contact, &state.velocity, *along);
            (a.hypot(b) <= settings.still && forward < 0.0).then_some(*contact)
        };
        let stopped: Vec<_> = hold.carried.iter().filter_map(backward).collect();
        let is_backward = |(joint, sign): &(usize, f64)| {
            let forward = sign * geometry.rate(*joint, &state.velocity);
            (forward < 0.0 && -forward <= settings.still).then_some(*joint)
        };
        let resting: Vec<_> = hold.turning.iter().filter_map(is_backward).collect();
        if !(stopped.is_empty() && resting.is_empty()) {
            let removed = impact::close(
                geometry,
                &state.coordinates,
                (&contacts, &stopped, &resting),
                &mut state.velocity,
            );
            energy.projections -= removed;
        }
    }
}
