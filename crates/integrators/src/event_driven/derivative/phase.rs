//! The smooth motion of a family in one mode, and how its state changes with the parameter.

use std::cell::RefCell;

use diffsol::{NalgebraMat, OdeBuilder, error::DiffsolError};
use nalgebra::DVector;

use super::Error;
use crate::{
    event_driven::{
        Settings,
        error::Error as MotionError,
        geometry::Geometry,
        hold::{Grip, Hold, Line},
        settings::Resolved,
        smooth::moment_of,
    },
    events::{Between, Ending, Watch, step_to_event},
    family::quotient,
    model::{Model, State},
};

/// Part of the length, and of the speed, of the motion by which states are changed for differences: their error is about
/// `1e-9` by curvature, and `1e-11` by rounding.
const STRIDE: f64 = 3e-5;

/// Relative tolerance of the steps of state and change.
const TOLERANCE: f64 = 1e-10;

/// Maximum number of steps of a phase.
const STEPS: usize = 100_000;

/// In space, the part of the time of the motion before the end of a slip in which its change is taken as linear: friction has no
/// direction at the end, and the change across the slip tends to zero with it.
const LAST: f64 = 1e-6;

/// Part of the time of the motion before the end of a slip from which its direction is known.
const NEAR: f64 = 1e-3;

/// Slip counts as none up to this many of its tolerances.
const TOLERANCES: f64 = 10.0;

/// A rate of a gap or of a held velocity counts as zero up to this part of the change of the state.
const ZERO: f64 = 1e-7;

/// A state and its rate of change with the parameter.
#[derive(Clone)]
pub(super) struct Varied {
    pub(super) state: State,
    pub(super) coordinates: Vec<f64>,
    pub(super) velocity: Vec<f64>,
}

impl Varied {
    /// The state for the parameter `s`, to first order.
    fn at(&self, s: f64) -> State {
        let moved =
            |x: &[f64], rate: &[f64]| x.iter().zip(rate).map(|(x, rate)| x + s * rate).collect();
        State {
            time: self.state.time,
            coordinates: moved(&self.state.coordinates, &self.coordinates),
            velocity: moved(&self.state.velocity, &self.velocity),
        }
    }

    /// Shifts the time by `by` per unit of the parameter, along the motion with this `rate`.
    pub(super) fn shift(&mut self, rate: &Rate, by: f64) {
        let add = |change: &mut [f64], rate: &[f64]| {
            change.iter_mut().zip(rate).for_each(|(change, rate)| *change += by * rate);
        };
        add(&mut self.coordinates, &rate.coordinates);
        add(&mut self.velocity, &rate.velocity);
    }
}

/// `q̇` and `v̇`.
pub(super) struct Rate {
    pub(super) coordinates: Vec<f64>,
    pub(super) velocity: Vec<f64>,
}

/// Changes of the directions of slip of all carrying contacts, and the step of the parameter in which they turn by [`STRIDE`].
type Turns = (Vec<[f64; 2]>, f64);

/// Figures of a member in a state.
pub(super) type Figures<'a> = dyn FnMut(&mut Geometry<'_>, &State) -> Result<Vec<f64>, Error> + 'a;

/// Members of a family at `0`, `increment` and `−increment`.
pub(super) struct Members<'m> {
    increment: f64,
    pub(super) settings: Resolved,
    geometries: [Geometry<'m>; 3],
    /// Whether a slip in space stops at the end of the phase that is followed.
    stops: bool,
}

impl<'m> Members<'m> {
    pub(super) fn new(
        models: &'m [Model; 3],
        increment: f64,
        settings: &Settings,
        start: &State,
        end: f64,
    ) -> Self {
        let settings = Resolved::new(settings, &models[0], start, end);
        let reach = 0.5 * settings.scales.length;
        let geometries = models.each_ref().map(|model| Geometry::new(model, Vec::new(), reach));
        Self { increment, settings, geometries, stops: false }
    }

    /// The member at `0`.
    pub(super) const fn here(&mut self) -> &mut Geometry<'m> {
        &mut self.geometries[0]
    }

    /// Velocities and accelerations in the mode `hold`.
    pub(super) fn motion(&mut self, hold: &Hold, state: &State) -> Rate {
        motion(&mut self.geometries[0], hold, state, self.settings.still)
    }

    /// The size of the change: the largest part of the length by which a coordinate changes, and of the speed by which a velocity
    /// does, per unit of the parameter.
    pub(super) fn size(&self, varied: &Varied) -> f64 {
        let system = self.geometries[0].model.system();
        let (scales, q) = (&self.settings.scales, &varied.state.coordinates);
        let of_velocities = scales.of_velocities(system, q);
        let fast =
            varied.velocity.iter().zip(&of_velocities).map(|(v, unit)| v * scales.time / unit);
        let far = varied.coordinates.iter().zip(scales.of_coordinates(system, q));
        far.map(|(q, unit)| q / unit).chain(fast).fold(0.0, |size: f64, part| size.max(part.abs()))
    }

    /// The largest rate of a gap (m) that is rounding of differences for a change of this size.
    pub(super) fn zero_gap(&self, size: f64) -> f64 {
        self.settings.scales.length * (ZERO * size + 1e-14 / self.increment)
    }

    /// The same for velocities of contacts (m/s).
    pub(super) fn zero_speed(&self, size: f64) -> f64 {
        self.zero_gap(size) / self.settings.scales.time
    }

    /// The step of the parameter for differences of states: no body moves farther than the part [`STRIDE`] of the length, nor
    /// changes its speed by more than that. `None` where nothing changes.
    fn step(&self, varied: &Varied) -> Option<f64> {
        let size = self.size(varied);
        (size > 0.0).then_some(STRIDE / size)
    }

    /// The derivative of `of` along `varied`: with respect to the member by the increment, to the state by the [step](Self::step).
    pub(super) fn rate(
        &mut self,
        varied: &Varied,
        of: &mut Figures<'_>,
    ) -> Result<Vec<f64>, Error> {
        let step = self.step(varied);
        let [here, after, before] = &mut self.geometries;
        let [a, b] = [of(after, &varied.state)?, of(before, &varied.state)?];
        let mut rate = quotient(&a, &b, self.increment);
        if let Some(step) = step {
            let [a, b] = [of(here, &varied.at(step))?, of(here, &varied.at(-step))?];
            let by_state = quotient(&a, &b, step);
            rate.iter_mut().zip(by_state).for_each(|(rate, more)| *rate += more);
        }
        Ok(rate)
    }

    /// `(d/dt) (δq, δv)`.
    ///
    /// In space friction opposes the slip `u` along `e = u/|u|`, which changes by `(δu − e (e·δu))/|u|`. Differences of states are taken
    /// with fixed directions, and those of directions beside them: so slow slip needs no small differences.
    fn change(&mut self, hold: &Hold, varied: &Varied) -> Result<Vec<f64>, Error> {
        let mut hold = hold.clone();
        self.turn(&mut hold, &varied.state);
        let mut rates = self.rate(varied, &mut |geometry, state| {
            let Rate { mut coordinates, velocity } = motion(geometry, &hold, state, f64::INFINITY);
            coordinates.extend(velocity);
            Ok(coordinates)
        })?;
        let Some((turns, step)) = self.turns(&hold, varied)? else { return Ok(rates) };
        let [a, b] = [step, -step].map(|step| {
            let mut hold = hold.clone();
            for ((_, grip), turn) in hold.carried.iter_mut().zip(&turns) {
                if let Grip::Slide(along) = grip {
                    along.iter_mut().zip(turn).for_each(|(along, turn)| *along += step * turn);
                }
            }
            motion(&mut self.geometries[0], &hold, &varied.state, f64::INFINITY).velocity
        });
        let by_direction = quotient(&a, &b, step);
        let velocity = &mut rates[varied.coordinates.len()..];
        velocity.iter_mut().zip(by_direction).for_each(|(rate, more)| *rate += more);
        Ok(rates)
    }

    /// How the directions of slip turn; `None` in the plane, and where nothing turns.
    fn turns(&mut self, hold: &Hold, varied: &Varied) -> Result<Option<Turns>, Error> {
        if self.geometries[0].components == 2 {
            return Ok(None);
        }
        let contacts = hold.contacts();
        let slips = |geometry: &mut Geometry<'_>, state: &State| -> Vec<f64> {
            geometry.locate(&state.coordinates, &contacts);
            contacts.iter().flat_map(|&c| geometry.slip(c, &state.velocity)).collect()
        };
        let here = slips(&mut self.geometries[0], &varied.state);
        let changes = self.rate(varied, &mut |geometry, state| Ok(slips(geometry, state)))?;
        let still = self.settings.still;
        let of = |((slip, change), (_, grip)): (_, &(usize, Grip))| {
            let (slip, change): (&[f64], &[f64]) = (slip, change);
            let speed = slip[0].hypot(slip[1]);
            match grip {
                Grip::Slide([a, b]) if speed > still => {
                    let along = a * change[0] + b * change[1];
                    [(change[0] - a * along) / speed, (change[1] - b * along) / speed]
                }
                _ => [0.0; 2],
            }
        };
        let pairs = here.chunks(2).zip(changes.chunks(2)).zip(&hold.carried);
        let turns: Vec<_> = pairs.map(of).collect();
        let size = turns.iter().flatten().fold(0.0, |size: f64, turn| size.max(turn.abs()));
        Ok((size > 0.0).then(|| (turns, STRIDE / size)))
    }

    /// Follows `varied` in the mode `hold` to the state `end` of the motion, at which directions of slip are those of `end_hold`; where
    /// one stops, it becomes that just before.
    pub(super) fn follow(
        &mut self,
        (hold, end_hold): (&Hold, &mut Hold),
        varied: &Varied,
        end: State,
    ) -> Result<Varied, Error> {
        let last = LAST * self.settings.scales.time;
        let begin = varied.state.time;
        if end.time - begin <= last || !self.slip_stops(end_hold, &end) {
            let varied = self.integrate(hold, varied, end.time)?;
            return Ok(Varied { state: end, ..varied });
        }
        // The last directions before slip is slow serve to continue it through zero.
        let mut hold = hold.clone();
        let near = begin.max(end.time - NEAR * self.settings.scales.time);
        let varied = self.integrate(&hold, varied, near)?;
        self.turn(&mut hold, &varied.state);
        self.stops = true;
        let mut varied = self.integrate(&hold, &varied, end.time - last)?;
        let mut velocity = self.change(&hold, &varied)?;
        self.turn(&mut hold, &varied.state);
        *end_hold = hold;
        self.stops = false;
        let coordinates = velocity.drain(..varied.coordinates.len()).collect();
        varied.shift(&Rate { coordinates, velocity }, last);
        Ok(Varied { state: end, ..varied })
    }

    /// Whether a contact in space has stopped sliding at the end of the mode `hold`.
    fn slip_stops(&mut self, hold: &Hold, end: &State) -> bool {
        let still = self.settings.still;
        let geometry = &mut self.geometries[0];
        geometry.locate(&end.coordinates, &hold.contacts());
        let stops = |(contact, grip): &(usize, Grip)| {
            let slip = geometry.slip(*contact, &end.velocity);
            match grip {
                Grip::Slide([a, b]) if a.hypot(*b) > 0.0 => {
                    let slow = slip[0].hypot(slip[1]) <= TOLERANCES * still;
                    slow || a * slip[0] + b * slip[1] <= still
                }
                _ => false,
            }
        };
        geometry.components == 3 && hold.carried.iter().any(stops)
    }

    /// Integrates state and change to the `time` (s).
    fn integrate(&mut self, hold: &Hold, varied: &Varied, time: f64) -> Result<Varied, Error> {
        if time <= varied.state.time {
            return Ok(varied.clone());
        }
        let begin = varied.state.clone();
        let (positions, velocities) = (begin.coordinates.len(), begin.velocity.len());
        let unit = self.settings.scales.time;
        let tolerances = self.tolerances(hold, varied)?;
        let first = [
            vec![0.0; positions],
            begin.velocity.clone(),
            varied.coordinates.clone(),
            varied.velocity.clone(),
        ]
        .concat();
        let unpack = |t: f64, y: &[f64]| {
            let (state, change) = y.split_at(positions + velocities);
            let moved = begin.coordinates.iter().zip(state);
            Varied {
                state: State {
                    time: begin.time + t,
                    coordinates: moved.map(|(q, e)| q + e).collect(),
                    velocity: state[positions..].to_vec(),
                },
                coordinates: change[..positions].to_vec(),
                velocity: change[positions..].to_vec(),
            }
        };
        let count = first.len();
        // An error of the figures ends the integration with a rate that is not a number.
        let lost = RefCell::new(None);
        let shared = RefCell::new(&mut *self);
        let start = first.clone();
        let problem = OdeBuilder::<NalgebraMat<f64>>::new()
            .rhs(|y, _, t, rate| {
                let members = &mut *shared.borrow_mut();
                let varied = unpack(unit * t, y);
                let mut hold = hold.clone();
                members.turn(&mut hold, &varied.state);
                let Rate { coordinates, velocity } = members.motion(&hold, &varied.state);
                let change = members.change(&hold, &varied).unwrap_or_else(|error| {
                    lost.borrow_mut().get_or_insert(error);
                    vec![f64::NAN; positions + velocities]
                });
                let all = coordinates.into_iter().chain(velocity).chain(change);
                rate.iter_mut().zip(all).for_each(|(rate, all)| *rate = unit * all);
            })
            .init(move |_, _, y| y.copy_from_slice(&start), count)
            .rtol(TOLERANCE)
            .atol(tolerances)
            .build()
            .map_err(refused)?;
        let mut solver = problem.tsit45().map_err(refused)?;
        let mut last = Last { y: first };
        let mut steps = 0;
        let limit = STEPS;
        let span = (time - begin.time) / unit;
        let ending =
            step_to_event(&mut solver, span, (&mut steps, limit), &mut last).map_err(refused)?;
        if let Some(error) = lost.take() {
            return Err(error);
        }
        if ending != Ending::Span {
            return Err(Error::Phase { time: begin.time });
        }
        Ok(unpack(time - begin.time, &last.y))
    }

    /// Absolute tolerances of state and change.
    fn tolerances(&mut self, hold: &Hold, varied: &Varied) -> Result<Vec<f64>, Error> {
        let (positions, unit) = (varied.coordinates.len(), self.settings.scales.time);
        let mut tolerances = self.settings.absolute_tolerances.clone();
        tolerances.truncate(positions + varied.velocity.len());
        let change = self.change(hold, varied)?;
        let (coordinates, velocity) = change.split_at(positions);
        let grown = Varied {
            state: varied.state.clone(),
            coordinates: coordinates.iter().map(|rate| unit * rate).collect(),
            velocity: velocity.iter().map(|rate| unit * rate).collect(),
        };
        let size = self.size(varied).max(self.size(&grown));
        let size = if size.is_finite() && size > 0.0 { size } else { 1.0 };
        let of_change: Vec<_> = tolerances.iter().map(|tolerance| size * tolerance).collect();
        tolerances.extend(of_change);
        Ok(tolerances)
    }

    /// In space sliding contacts are opposed along their present slip; where it stops, it is continued through zero on a straight line.
    fn turn(&mut self, hold: &mut Hold, state: &State) {
        let still = self.settings.still;
        let stops = self.stops;
        let geometry = &mut self.geometries[0];
        if geometry.components == 2 {
            return;
        }
        geometry.locate(&state.coordinates, &hold.contacts());
        for (contact, grip) in &mut hold.carried {
            if let Grip::Slide(along) = grip {
                let slip = geometry.slip(*contact, &state.velocity);
                let speed = slip[0].hypot(slip[1]);
                if speed > still && along.iter().any(|d| *d != 0.0) {
                    let back = stops && slip[0] * along[0] + slip[1] * along[1] < 0.0;
                    *along = slip.map(|u| if back { -u } else { u } / speed);
                }
            }
        }
    }
}

/// Velocities and accelerations of a member in the mode `hold`.
fn motion(geometry: &mut Geometry<'_>, hold: &Hold, state: &State, still: f64) -> Rate {
    let held = hold.solve(geometry, &moment_of(state), still);
    let mut coordinates = vec![0.0; state.coordinates.len()];
    let system = geometry.model.system();
    system.coordinate_rate(&state.coordinates, &state.velocity, &mut coordinates);
    Rate { coordinates, velocity: held.acceleration.as_slice().to_vec() }
}

/// The velocities of all lines of `hold`.
pub(super) fn held_velocities(
    geometry: &mut Geometry<'_>,
    hold: &Hold,
    state: &State,
) -> DVector<f64> {
    geometry.locate(&state.coordinates, &hold.contacts());
    hold.rows(geometry) * DVector::from_column_slice(&state.velocity)
}

/// The contacts whose normals `hold` holds.
pub(super) fn carried(hold: &Hold) -> impl Iterator<Item = usize> + '_ {
    hold.lines.iter().filter_map(|line| match line {
        Line::Normal(contact) => Some(*contact),
        _ => None,
    })
}

/// Keeps the unknowns of the last step.
struct Last {
    y: Vec<f64>,
}

impl Watch for Last {
    fn has_happened(&mut self, _: f64, _: &[f64]) -> bool {
        false
    }

    fn accept(
        &mut self,
        _: f64,
        _: f64,
        y: &[f64],
        _: &mut Between<'_>,
    ) -> Result<(), DiffsolError> {
        self.y.copy_from_slice(y);
        Ok(())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is the argument of `map_err`")]
fn refused(error: DiffsolError) -> Error {
    Error::Motion(MotionError::Solver { reason: error.to_string() })
}
