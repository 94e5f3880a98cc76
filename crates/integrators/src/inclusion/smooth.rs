//! Smooth phases: free, or held by contacts that stick or slide.

use std::cell::RefCell;

use diffsol::{NalgebraMat, OdeBuilder, error::DiffsolError};

use super::{
    Error, Resolved,
    contacts::{Carriers, Contacts, Hold},
    modes,
    solution::{Kind, Moment, Phase, Status},
};
use crate::{
    energy::controlled::{ControlledAccount, Reached, Slack},
    events::{Between, Ending, Watch, looks_between, step_to_event},
};

/// Number of intervals recorded for each step of the integration; an even number.
const PARTS: u32 = 4;

/// A smooth phase from `start`, with these carrying contacts, until the next event, and the status if that ends the solution.
pub(super) fn advance(
    contacts: &mut Contacts<'_>,
    settings: &Resolved,
    (start, carriers): (&Moment, &Carriers),
    end: f64,
    (steps, account): (&mut usize, &mut ControlledAccount),
) -> Result<(Option<Phase>, Option<Status>), Error> {
    contacts.locate(&start.coordinates, &start.velocity);
    let slips = contacts.slips(carriers);
    let (positions, velocities) = (start.coordinates.len(), start.velocity.len());
    let first = [start.coordinates.as_slice(), &start.velocity, &[0.0]].concat();
    let count = first.len();
    let mut moments = Vec::new();
    let contacts = RefCell::new(contacts);
    let (begin, unit) = (start.time, settings.scales.time);
    let problem = OdeBuilder::<NalgebraMat<f64>>::new()
        .rhs(|y, _, t, rate| {
            let (q, rest) = y.split_at(positions);
            let v = &rest[..velocities];
            let contacts = &mut *contacts.borrow_mut();
            let (forces, acceleration) = contacts.hold(carriers, (q, v, begin + unit * t));
            contacts.model.system().coordinate_rate(q, v, &mut rate[..positions]);
            rate[positions..count - 1].copy_from_slice(acceleration.as_slice());
            rate[count - 1] = normal_sum(contacts.within_cones(forces).as_slice());
            rate.iter_mut().for_each(|rate| *rate *= unit);
        })
        .init(move |_, _, y| y.copy_from_slice(&first), count)
        .rtol(settings.tolerance)
        .atol(settings.absolute_tolerances.iter().copied())
        .build()
        .map_err(refused)?;
    let mut solver = problem.tsit45().map_err(refused)?;
    let system = contacts.borrow().model.system();
    let strides = settings.scales.of_coordinates(system, &start.coordinates);
    let velocity_strides = settings.scales.of_velocities(system, &start.coordinates);
    let mut recorder = Recorder {
        contacts: &contacts,
        carriers,
        slips,
        settings,
        start,
        positions,
        strides,
        velocity_strides,
        overlaps: false,
        account,
        moments: &mut moments,
    };
    let ending = step_to_event(
        &mut solver,
        (end - begin) / unit,
        (steps, settings.step_limit),
        &mut recorder,
    )
    .map_err(refused)?;
    let status = match ending {
        _ if recorder.overlaps => Some(Status::Overlap),
        Ending::Event => None,
        Ending::Span => Some(Status::EndReached),
        Ending::StepLimit | Ending::WorkLimit => Some(Status::StepLimit),
        Ending::StepTooSmall | Ending::NotConverged | Ending::NotFinite => Some(Status::Failed),
    };
    let kind = if carriers.is_empty() { Kind::Free } else { Kind::Sustained };
    let phase = (moments.len() > 2).then(|| Phase::new(kind, carriers, moments));
    Ok((phase, status))
}

/// A phase of rest from `start`, for `duration`.
pub(super) fn stay(
    contacts: &mut Contacts<'_>,
    settings: &Resolved,
    start: &Moment,
    duration: f64,
) -> Result<Phase, Error> {
    contacts.locate(&start.coordinates, &start.velocity);
    let sticking: Vec<_> = contacts.still(settings).into_iter().map(|i| (i, Hold::Stick)).collect();
    let at = (start.coordinates.as_slice(), start.velocity.as_slice(), start.time);
    let (forces, acceleration) = contacts.hold(&sticking, at);
    let strides = settings.scales.of_velocities(contacts.model.system(), &start.coordinates);
    let (length, accepted) =
        (settings.scales.length, modes::ROUNDING * settings.scales.acceleration());
    // Accelerations of points at the distance of the length.
    let relative = acceleration.iter().zip(&strides).map(|(a, stride)| a.abs() * length / stride);
    let acceleration = relative.fold(0.0, f64::max);
    let force = settings.scales.force() + forces.amax();
    if acceleration > accepted || contacts.cone_violation(&forces) > modes::ROUNDING * force {
        return Err(Error::NotAtRest { acceleration, accepted });
    }
    let forces = contacts.within_cones(forces);
    let slowness = 1.0 + normal_sum(forces.as_slice());
    let moments = [0.0, 0.5, 1.0].map(|part| Moment {
        s: start.s + part * duration * slowness,
        time: start.time + part * duration,
        time_rate: 1.0 / slowness,
        rates: forces.iter().map(|f| f / slowness).collect(),
        ..start.clone()
    });
    Ok(Phase::new(Kind::Sustained, &sticking, moments.to_vec()))
}

/// Ends a phase when an open contact closes, bodies overlap, the forces of a carrying contact leave their cone or a
/// slip stops, and records the moments.
struct Recorder<'a, 'c, 'm> {
    contacts: &'a RefCell<&'c mut Contacts<'m>>,
    carriers: &'a Carriers,
    /// Slip of the carrying contacts at the start, positive in the direction in which they slide (m/s); 0 if they stick.
    slips: Vec<f64>,
    settings: &'a Resolved,
    start: &'a Moment,
    positions: usize,
    /// Change of each coordinate while bodies move by the length of the model.
    strides: Vec<f64>,
    /// Change of each generalized velocity in that motion.
    velocity_strides: Vec<f64>,
    /// Whether bodies overlap at one of the moments.
    overlaps: bool,
    account: &'a mut ControlledAccount,
    moments: &'a mut Vec<Moment>,
}

impl Recorder<'_, '_, '_> {
    fn carries(&self, contact: usize) -> bool {
        self.carriers.iter().any(|(carrier, _)| *carrier == contact)
    }

    /// Enters a step that ends at the time `t` of the solver with `y`, and has the midpoint `middle`, into
    /// the energy account.
    fn enter(&mut self, t: f64, y: &[f64], (middle, inside): (f64, &[f64])) {
        let settings = self.settings;
        let time = |t: f64| self.start.time + settings.scales.time * t;
        let split = |y: &'_ [f64]| {
            let (coordinates, rest) = y.split_at(self.positions);
            (coordinates.to_vec(), rest[..rest.len() - 1].to_vec())
        };
        let ((q, v), (middle_q, middle_v)) = (split(y), split(inside));
        let contacts = &mut *self.contacts.borrow_mut();
        let system = contacts.model.system();
        let middle_power = system.other_power(&middle_q, &middle_v, time(middle));
        let pulls = contacts.pulls(self.carriers, (&q, &v, time(t)));
        let tolerances = (&settings.absolute_tolerances[..], settings.tolerance);
        let slack = Slack::new(y, tolerances, [&self.strides, &self.velocity_strides]);
        let energy = system.energy(&q, &v);
        let end = Reached { time: time(t), coordinates: &q, velocity: &v, energy };
        self.account.enter(system, end, middle_power, &pulls, &slack);
    }

    fn record(&mut self, t: f64, y: &[f64]) {
        let moment = self.moment(t, y);
        self.overlaps |= self.contacts.borrow().overlap(self.settings);
        self.moments.push(moment);
    }

    /// The moment; afterwards the contacts are located there.
    fn moment(&self, t: f64, y: &[f64]) -> Moment {
        let (coordinates, rest) = y.split_at(self.positions);
        let (velocity, percussion) = rest.split_at(rest.len() - 1);
        let elapsed = self.settings.scales.time * t;
        let time = self.start.time + elapsed;
        let mut contacts = self.contacts.borrow_mut();
        let (forces, _) = contacts.hold(self.carriers, (coordinates, velocity, time));
        let forces = contacts.within_cones(forces);
        let slowness = 1.0 + normal_sum(forces.as_slice());
        Moment {
            s: self.start.s + elapsed + percussion[0],
            time,
            coordinates: coordinates.to_vec(),
            velocity: velocity.to_vec(),
            time_rate: 1.0 / slowness,
            rates: forces.iter().map(|f| f / slowness).collect(),
        }
    }
}

impl Watch for Recorder<'_, '_, '_> {
    fn looks(&self, y: &[f64]) -> usize {
        let before = self.moments.last().unwrap_or(self.start);
        looks_between(&before.coordinates, &y[..self.positions], &self.strides)
    }

    fn gaps(&mut self, _t: f64, _y: &[f64], gaps: &mut Vec<[f64; 2]>) {
        let contacts = self.contacts.borrow();
        let of_contact = |i: usize| {
            if self.carries(i) { [0.0; 2] } else { [contacts.gaps[i], contacts.u[2 * i]] }
        };
        gaps.clear();
        gaps.extend((0..contacts.gaps.len()).map(of_contact));
    }

    fn follows_gaps(&self) -> bool {
        true
    }

    fn unit(&self) -> f64 {
        self.settings.scales.time
    }

    fn has_happened(&mut self, t: f64, y: &[f64]) -> bool {
        let (coordinates, rest) = y.split_at(self.positions);
        let velocity = &rest[..rest.len() - 1];
        let mut contacts = self.contacts.borrow_mut();
        let time = self.start.time + self.settings.scales.time * t;
        let at = (coordinates, velocity, time);
        let (forces, _) = contacts.hold(self.carriers, at);
        let force = self.settings.scales.force() + forces.amax();
        let leaves = contacts.cone_violation(&forces) > modes::ROUNDING * force;
        // The velocity distinguishes a contact that closes from one that opens from a gap closed up to
        // rounding.
        let closes = (0..contacts.gaps.len()).any(|i| {
            !self.carries(i)
                && contacts.gaps[i] <= 0.0
                && contacts.u[2 * i] < -self.settings.velocity_tolerance
        });
        // A slip that starts from rest may be rounding against its direction.
        let slips = contacts.slips(self.carriers);
        let stops = slips.iter().zip(&self.slips).any(|(slip, start)| *slip < start.min(0.0));
        leaves || closes || stops || contacts.overlap(self.settings)
    }

    fn accept(
        &mut self,
        from: f64,
        to: f64,
        y: &[f64],
        between: &mut Between<'_>,
    ) -> Result<(), DiffsolError> {
        let mut inside = y.to_vec();
        let first = u32::from(!self.moments.is_empty());
        for part in first..PARTS {
            let t = from + (to - from) * f64::from(part) / f64::from(PARTS);
            between(t, &mut inside)?;
            self.record(t, &inside);
        }
        self.record(to, y);
        let middle = 0.5 * (from + to);
        between(middle, &mut inside)?;
        self.enter(to, y, (middle, &inside));
        Ok(())
    }
}

fn normal_sum(forces: &[f64]) -> f64 {
    forces.iter().step_by(2).sum()
}

#[expect(clippy::needless_pass_by_value, reason = "it is the argument of `map_err`")]
fn refused(error: DiffsolError) -> Error {
    Error::Solver { reason: error.to_string() }
}
