//! The derivative of a motion of flights and impacts with respect to a parameter: [`derivative()`].
//!
//! Between impacts the motion is smooth, and a small change `δx` of the state moves with the flow. At an impact of one contact
//! with the gap `g`, the change shifts the time at which it closes, by
//!
//! ```math
//! δt = -\frac{δg}{\dot g^-}, \qquad δg = \frac{\partial g}{\partial q}\,δq + \frac{\partial g}{\partial s}\,δs,
//! ```
//!
//! the impact acts on the state at that time, and what comes after it is shifted, too:
//!
//! ```math
//! δx^+ = D\bigl(δx^- + f(x^-)\,δt\bigr) - f(x^+)\,δt ,
//! ```
//!
//! with the smooth motion `ẋ = f(x)` and the derivative `D` of the outcome by its law
//! ([`percussion_impact::derivative`]). Without `s`, `D(δx⁻ + f δt) − f⁺ δt` is the saltation matrix times `δx⁻`.
//!
//! - **Needs** contacts of the model, of which one at a time is struck and opens again, and the law of maximum dissipation or
//!   Coulomb's. A contact that stays closed, and several contacts at once, are refused with the time.
//! - **Exists** where each impact has a derivative, and where the contact does not graze.
//! - **Accuracy** about `1e-7` of the change, from differences of smooth motions between impacts. Impacts are located to
//!   `1e-9` of the length; where they make changes grow `A` times, the error is up to `1e-9 A` of the change.
//! - **Cost** one motion, and for each flight four.
//!
//! # Source
//!
//! M. A. Aizerman, F. R. Gantmakher, "On the stability of periodic motions", *Journal of Applied Mathematics and Mechanics* 22
//! (1958) 1065–1078 (the matrix of a jump); R. I. Leine, H. Nijmeijer, *Dynamics and Bifurcations of Non-Smooth Mechanical Systems*,
//! Springer 2004, chapter 7.

use nalgebra::{DMatrix, DVector};
use percussion_dynamics::{ContactSet, System};
use percussion_impact::{
    Coefficients, Law, Mass, Problem,
    derivative::{self, Derivative, Direction},
    maximum_dissipation::MaximumDissipation,
};

use super::{Error as MotionError, Event, EventKind, Mode, Settings, Status, integrate};
pub use crate::family::{Cause, Family, FamilyError};
use crate::{
    family::{members, quotient},
    model::{Model, State},
    scales::Scales,
};

/// A grazing contact approaches more slowly than this part of the speed that its gap has by its other terms.
const GRAZING: f64 = 1e-6;

/// Part of the length, and of the speed, of the motion by which states are changed for differences: their error is about
/// `1e-10` by curvature, and up to `3e-7` by the tolerance of smooth motion, which is mostly the same on both sides.
const STRIDE: f64 = 3e-5;

/// Reasons why a motion has no derivative.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The family has no members.
    #[error(transparent)]
    Family(#[from] FamilyError),
    /// A motion could not start or continue.
    #[error(transparent)]
    Motion(#[from] MotionError),
    /// The motion ended early.
    #[error("the motion ended at {time:?} s with {status:?}, expected its end to be reached")]
    Ended {
        /// Time of its end (s).
        time: f64,
        /// How it ended.
        status: Status,
    },
    /// An event is not an impact of one contact that opens again.
    #[error("at {time:?} s {found}, expected impacts of one contact that opens again")]
    Event {
        /// Its time (s).
        time: f64,
        /// The event that is not accepted.
        found: &'static str,
    },
    /// A contact grazes, so that a small change may avoid it.
    #[error("contact {contact} grazes at {time:?} s: it approaches at {speed:?} m/s")]
    Grazes {
        /// The contact.
        contact: usize,
        /// Time of the impact (s).
        time: f64,
        /// Speed of approach (m/s).
        speed: f64,
    },
    /// An impact has no derivative.
    #[error("impact at {time:?} s: {source}")]
    Impact {
        /// Its time (s).
        time: f64,
        /// The reason.
        source: derivative::Error,
    },
    /// Data of a contact or an impact are refused.
    #[error("contact at {time:?} s: {cause}")]
    Contact {
        /// The time (s).
        time: f64,
        /// The reason.
        cause: Cause,
    },
}

/// How a motion changes with the parameter.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MotionDerivative {
    /// The last state.
    pub state: State,
    /// `dq/ds` at the end (length `n_q`).
    pub coordinates: Vec<f64>,
    /// `dv/ds` at the end (length `n_v`).
    pub velocity: Vec<f64>,
    /// The impacts: the contact, the time `t` (s) and `dt/ds`.
    pub impacts: Vec<(usize, f64, f64)>,
}

/// A state and its rate of change with the parameter.
#[derive(Clone)]
struct Varied {
    state: State,
    coordinates: Vec<f64>,
    velocity: Vec<f64>,
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

    /// Shifts the time by `by` per unit of the parameter, along the smooth motion of `system`.
    fn shift(&mut self, system: &dyn System, by: f64) {
        let State { time, coordinates, velocity } = &self.state;
        let mut rate = vec![0.0; coordinates.len()];
        system.coordinate_rate(coordinates, velocity, &mut rate);
        self.coordinates.iter_mut().zip(&rate).for_each(|(change, rate)| *change += by * rate);
        let mut column = DMatrix::zeros(velocity.len(), 1);
        system.smooth_forces(coordinates, velocity, *time, column.as_mut_slice());
        system.apply_inverse_mass(coordinates, &mut column);
        self.velocity.iter_mut().zip(&column).for_each(|(change, rate)| *change += by * rate);
    }
}

/// Figures of a model in a state.
type Figures<'a> = dyn Fn(&Model, &State) -> Result<Vec<f64>, Error> + 'a;

/// Members of a family at `0` and on both sides.
struct Members {
    increment: f64,
    scales: Scales,
    models: [Model; 3],
    /// The same without contacts.
    flights: [Model; 3],
}

impl Members {
    /// The step of the parameter in which no body moves farther than the part [`STRIDE`] of the length of the motion, nor
    /// changes its speed by more than that; `None` where nothing changes.
    fn step(&self, varied: &Varied) -> Option<f64> {
        let (system, q) = (self.models[0].system(), &varied.state.coordinates);
        let of_velocities = self.scales.of_velocities(system, q);
        let fast =
            varied.velocity.iter().zip(&of_velocities).map(|(v, unit)| v * self.scales.time / unit);
        let far = varied
            .coordinates
            .iter()
            .zip(self.scales.of_coordinates(system, q))
            .map(|(q, unit)| q / unit);
        let size = far.chain(fast).fold(0.0, |size: f64, part| size.max(part.abs()));
        (size > 0.0).then_some(STRIDE / size)
    }

    /// The derivative of a function of model and state along `varied`: for the model by the increment, for the state by the
    /// [step](Self::step).
    fn rate(
        &self,
        [here, after, before]: &[Model; 3],
        varied: &Varied,
        of: &Figures<'_>,
    ) -> Result<Vec<f64>, Error> {
        let [a, b] = [of(after, &varied.state)?, of(before, &varied.state)?];
        let mut rate = quotient(&a, &b, self.increment);
        if let Some(step) = self.step(varied) {
            let [a, b] = [of(here, &varied.at(step))?, of(here, &varied.at(-step))?];
            let by_state = quotient(&a, &b, step);
            rate.iter_mut().zip(by_state).for_each(|(rate, more)| *rate += more);
        }
        Ok(rate)
    }

    /// Follows `varied` without contacts until `end` (s), where the motion has the state `after`.
    fn fly(
        &self,
        varied: &Varied,
        end: f64,
        after: State,
        settings: &Settings,
    ) -> Result<Varied, Error> {
        if end <= varied.state.time {
            return Ok(Varied { state: after, ..varied.clone() });
        }
        let law = MaximumDissipation::default();
        let mut rate = self.rate(&self.flights, varied, &|model, state| {
            let State { mut coordinates, velocity, .. } =
                integrate(model, &law, settings, state, end, &mut |_| ())?.state;
            coordinates.extend(velocity);
            Ok(coordinates)
        })?;
        let velocity = rate.split_off(after.coordinates.len());
        Ok(Varied { state: after, coordinates: rate, velocity })
    }
}

/// What an impact of one contact depends on, besides the velocity.
struct Strike {
    friction: f64,
    restitution: f64,
    jacobian: DMatrix<f64>,
    mass: DMatrix<f64>,
}

impl Strike {
    fn of(model: &Model, contact: usize, coordinates: &[f64]) -> Result<Self, Cause> {
        let &crate::Contact { ref gap, friction, restitution, .. } = &model.contacts()[contact];
        let (system, n) = (model.system(), model.system().velocity_count());
        let mut set = ContactSet::for_system(system);
        set.push_gap(system, coordinates, gap.as_ref(), friction, restitution)?;
        let (mut jacobian, mut mass) = (DMatrix::zeros(0, 0), DMatrix::zeros(n, n));
        set.contact_jacobian(&mut jacobian);
        system.mass_matrix(coordinates, &mut mass);
        Ok(Self { friction, restitution, jacobian, mass })
    }

    fn problem(&self, velocity: &DVector<f64>) -> Result<Problem, Cause> {
        let coefficients =
            [Coefficients { friction: self.friction, restitution: self.restitution }];
        let (mass, joints) = (self.mass.clone(), DMatrix::zeros(0, velocity.len()));
        let mass = Mass::Matrix(mass);
        Ok(Problem::from_jacobian(mass, velocity.clone(), &self.jacobian, &coefficients, joints)?)
    }
}

/// The derivative at `s = 0` of the motions of `family` from their starts until `end` (s).
///
/// `family` gives a model and its start for a parameter; it is called twice at `0`, `increment` and `−increment`. An increment of
/// `1e-5` times the size of the parameter is good for smooth data.
///
/// # Errors
///
/// See [`Error`].
///
/// # Example
///
/// A ball falls from 1.25 m at 10 m/s² and bounces with `e = 1/2`. It lands after 0.5 s and leaves with
/// `5 e` m/s, so that its height after 0.8 s is `1.5 e − 0.45` m: per unit of `e` it is faster by 5 m/s and higher by 1.5 m.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_impact::maximum_dissipation::MaximumDissipation;
/// use percussion_integrators::event_driven::derivative::derivative;
/// use percussion_integrators::{Contact, Model, State};
///
/// let mut family = |s: f64| {
///     let ball = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -10.0))?;
///     let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
///     let contact = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, 0.5);
///     let start = State { time: 0.0, coordinates: vec![0.0, 1.25, 0.0], velocity: vec![0.0; 3] };
///     Ok((Model::new(Box::new(ball), vec![contact.with_restitution(0.5 + s)])?, start))
/// };
/// let found = derivative(&mut family, &MaximumDissipation::default(), 0.8, 1e-5)?;
/// assert!((found.velocity[1] - 5.0).abs() < 1e-7 && (found.coordinates[1] - 1.5).abs() < 1e-7);
/// assert!((found.impacts[0].1 - 0.5).abs() < 1e-9 && found.impacts[0].2.abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn derivative(
    family: &mut Family<'_>,
    law: &MaximumDissipation,
    end: f64,
    increment: f64,
) -> Result<MotionDerivative, Error> {
    let all = members(family, increment)?;
    for (model, start) in &all {
        super::start::check(model, start)?;
    }
    let [(model, start), (after, first), (before, last)] = all;
    // Models are not cloned, so that flights have members of their own.
    let flights = members(family, increment)?.map(|(model, _)| model.without_contacts());
    let scales = model.scales(&start, end - start.time);
    let family = Members { increment, scales, models: [model, after, before], flights };
    let settings = Settings { relative_tolerance: 1e-12, ..Settings::default() };
    let mut moments = Vec::new();
    let report = integrate(&family.models[0], law, &settings, &start, end, &mut |now| {
        let open = now.modes.iter().all(|mode| *mode == Mode::Open);
        let (coordinates, velocity) = (now.coordinates.to_vec(), now.velocity.to_vec());
        moments.push((State { time: now.time, coordinates, velocity }, open));
    })?;
    if report.status != Status::EndReached {
        return Err(Error::Ended { time: report.state.time, status: report.status });
    }

    let mut varied = Varied {
        coordinates: quotient(&first.coordinates, &last.coordinates, increment),
        velocity: quotient(&first.velocity, &last.velocity, increment),
        state: start,
    };
    let mut impacts = Vec::new();
    for Event { time, kind } in &report.events {
        let contact = struck(kind).map_err(|found| Error::Event { time: *time, found })?;
        let mut here = moments.iter().filter(|(state, _)| state.time.total_cmp(time).is_eq());
        let (Some((before, _)), Some((after, true))) = (here.next(), here.next_back()) else {
            return Err(Error::Event { time: *time, found: "a contact stays closed" });
        };
        varied = family.fly(&varied, *time, before.clone(), &settings)?;
        let shift = pass(&family, law, contact, &mut varied, after)?;
        impacts.push((contact, *time, shift));
    }
    let varied = family.fly(&varied, end, report.state, &settings)?;
    let Varied { state, coordinates, velocity } = varied;
    Ok(MotionDerivative { state, coordinates, velocity, impacts })
}

/// The contact of an event that is an impact of one contact.
fn struck(kind: &EventKind) -> Result<usize, &'static str> {
    match kind {
        EventKind::Impact { contacts, .. } => match contacts[..] {
            [contact] => Ok(contact),
            _ => Err("several contacts are struck at once"),
        },
        EventKind::Accumulation { .. } => Err("impacts accumulate"),
        _ => Err("a contact stays closed"),
    }
}

/// Takes `varied` through the impact of `contact` to the state `after`; returns the change of its time.
fn pass(
    family: &Members,
    law: &MaximumDissipation,
    contact: usize,
    varied: &mut Varied,
    after: &State,
) -> Result<f64, Error> {
    let time = varied.state.time;
    let of_impact = |source: derivative::Error| Error::Impact { time, source };
    let of_contact = |cause| Error::Contact { time, cause };
    let strike = |model: &Model, state: &State| {
        Strike::of(model, contact, &state.coordinates).map_err(of_contact)
    };
    let model = &family.models[0];
    let here = strike(model, &varied.state)?;
    let velocity = DVector::from_column_slice(&varied.state.velocity);
    let normal = here.jacobian.row(0).transpose();
    let (speed, fastest) = (normal.dot(&velocity), normal.abs().dot(&velocity.abs()));
    if -speed <= GRAZING * fastest {
        return Err(Error::Grazes { contact, time, speed: -speed });
    }
    let gap = |model: &Model, state: &State| {
        model.contacts()[contact].gap.gap(model.system(), &state.coordinates)
    };
    let closing =
        family.rate(&family.models, varied, &|model, state| Ok(vec![gap(model, state)]))?;
    let shift = -closing[0] / speed;
    varied.shift(model.system(), shift);

    let problem = here.problem(&velocity).map_err(of_contact)?;
    let outcome = law.resolve(&problem).map_err(|error| of_impact(error.into()))?;
    let solved = Derivative::at(law, &problem, &outcome, &derivative::Settings::default())
        .map_err(of_impact)?;
    let (rows, n) = here.jacobian.shape();
    let rates = family.rate(&family.models, varied, &|model, state| {
        let Strike { friction, restitution, jacobian, mass } = strike(model, state)?;
        let mut data = vec![friction, restitution];
        data.extend(&state.velocity);
        data.extend(jacobian.iter().chain(mass.iter()));
        Ok(data)
    })?;
    let (coefficients, rates) = rates.split_at(2);
    let (velocity, rates) = rates.split_at(n);
    let (jacobian, mass) = rates.split_at(rows * n);
    let direction = Direction {
        velocity: Some(DVector::from_column_slice(velocity)),
        mass: Some(DMatrix::from_column_slice(n, n, mass)),
        jacobian: Some(DMatrix::from_column_slice(rows, n, jacobian)),
        joints: None,
        friction: Some(vec![coefficients[0]]),
        restitution: Some(vec![coefficients[1]]),
    };
    let change = solved.forward(&direction).map_err(of_impact)?;
    varied.velocity = change.velocity.as_slice().to_vec();
    varied.state = after.clone();
    varied.shift(model.system(), -shift);
    Ok(shift)
}
