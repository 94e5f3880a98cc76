//! The derivative of a motion with respect to a parameter: [`derivative()`].
//!
//! Between events the motion is smooth, and a small change `δx` of the state obeys the linearized equations of the mode,
//!
//! ```math
//! \dot x = f(x, s), \qquad \frac{d}{dt}\,δx = \frac{\partial f}{\partial x}\,δx + \frac{\partial f}{\partial s}\,δs,
//! ```
//!
//! in which closed contacts stay closed and sticking ones at rest. An event happens where a function `h` of the state becomes zero:
//! the gap of a contact that is struck, or the slip of one that stops. The change shifts its time by
//!
//! ```math
//! δt = -\frac{δh}{\dot h^-}, \qquad δh = \frac{\partial h}{\partial x}\,δx + \frac{\partial h}{\partial s}\,δs,
//! ```
//!
//! the event acts on the state at that time, and what comes after it is shifted, too:
//!
//! ```math
//! δx^+ = D\bigl(δx^- + f^-(x^-)\,δt\bigr) - f^+(x^+)\,δt ,
//! ```
//!
//! with the motions `f⁻` and `f⁺` of the modes before and after it. `D` is the derivative of the outcome of an impact by its law
//! ([`percussion_impact::derivative`]), and the identity where a mode ends. Without `s`, the right side is the saltation matrix
//! times `δx⁻`.
//!
//! - A contact that **opens** has no force, and one that **starts to slip** the same force before and after: `f⁻ = f⁺`, and `δx`
//!   passes unchanged.
//! - A slip that **stops** makes friction jump. With `h = u_t` the formula gives `δu_t⁺ = 0` for a contact that sticks then.
//! - A contact that **stays closed** after an impact has `δu_n⁺ = 0` by `D`, and `δg⁺ = 0` by the shift.
//! - Impacts that **accumulate** at one contact count as one inelastic impact at the time at which the motion sums them: the errors are
//!   changes of motions within the proximity.
//! - **Needs** joints without friction, and contacts of the model, of which one at a time is struck, also while others are
//!   closed, and the law of maximum dissipation or Coulomb's. Several contacts struck at once and jams are refused with the time.
//! - **Exists** where each impact has a derivative, no contact grazes, and forces are strictly within their cones where a mode
//!   begins.
//! - **Accuracy** about `1e-8` of the change, from differences of the data, and `1e-6` with accumulations. Impacts are located to
//!   `1e-9` of the length; where they make changes grow `A` times, the error is up to `1e-9 A` of the change. In space the direction
//!   of slip is not known where it stops, and the change is that of the last direction.
//! - **Cost** one motion, and one of twice the unknowns whose accelerations cost five times as much.
//!
//! # Source
//!
//! M. A. Aizerman, F. R. Gantmakher, "On the stability of periodic motions", *Journal of Applied Mathematics and Mechanics* 22
//! (1958) 1065–1078 (the matrix of a jump); R. I. Leine, H. Nijmeijer, *Dynamics and Bifurcations of Non-Smooth Mechanical Systems*,
//! Springer 2004, chapter 7.

mod crossing;
mod phase;

use percussion_impact::{derivative, maximum_dissipation::MaximumDissipation};

use super::{
    Error as MotionError, Event, EventKind, Mode, Report, Settings, Status, hold::Hold, integrate,
};
use crossing::Impact;
use phase::{Members, Varied};

pub use crate::family::{Cause, Family, FamilyError};
use crate::{
    family::{members, quotient},
    model::{Model, State},
};

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
    /// The model has contacts that a source finds.
    #[error("contacts are found by a source, expected contacts of the model")]
    FoundContacts,
    /// The model has friction in joints.
    #[error("the model has friction in joints, expected none")]
    JointFriction,
    /// An event has no derivative.
    #[error(
        "at {time:?} s {found}, expected impacts of one contact at a time and modes that end one at a time"
    )]
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
    /// A contact is closed, and for other parameters it would be open or overlap.
    #[error(
        "contact {contact} is closed at {time:?} s, and its gap changes by {rate:?} m per unit of the parameter, expected 0"
    )]
    Leaves {
        /// The contact.
        contact: usize,
        /// The time (s).
        time: f64,
        /// Rate of its gap (m).
        rate: f64,
    },
    /// A mode begins at its edge, so that a small change may begin another one.
    #[error(
        "contact {contact} has at {time:?} s no force, or friction at its bound, where its mode begins"
    )]
    Edge {
        /// The contact.
        contact: usize,
        /// The time (s).
        time: f64,
    },
    /// The change of a phase could not be integrated.
    #[error("the change of the motion after {time:?} s could not be integrated to its tolerance")]
    Phase {
        /// Start of the phase (s).
        time: f64,
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
    /// The impacts: the contact that is struck, the time `t` (s) and `dt/ds`.
    pub impacts: Vec<(usize, f64, f64)>,
    /// Slips that stop or reverse: the contact, the time `t` (s) and `dt/ds`.
    pub stops: Vec<(usize, f64, f64)>,
}

/// A phase of the motion in one mode.
struct Phase {
    hold: Hold,
    /// The same at its end: in space with the directions of slip there.
    end_hold: Hold,
    modes: Vec<Mode>,
    begin: State,
    end: State,
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
        if model.contact_source().is_some() {
            return Err(Error::FoundContacts);
        }
        if !model.joint_friction().is_empty() {
            return Err(Error::JointFriction);
        }
    }
    let [(model, start), (after, first), (before, last)] = all;
    let settings = Settings { relative_tolerance: 1e-12, ..Settings::default() };
    let (report, phases) = motion(&model, law, &settings, &start, end)?;
    let models = [model, after, before];
    let mut members = Members::new(&models, increment, &settings, &start, end);
    let mut found = MotionDerivative {
        coordinates: quotient(&first.coordinates, &last.coordinates, increment),
        velocity: quotient(&first.velocity, &last.velocity, increment),
        state: start.clone(),
        impacts: Vec::new(),
        stops: Vec::new(),
    };
    let mut varied =
        Varied { state: start, coordinates: found.coordinates, velocity: found.velocity };
    let mut events = report.events.iter().filter_map(jump).peekable();
    let mut before: Option<Phase> = None;
    for phase in phases {
        let time = phase.begin.time;
        if let Some(before) = &mut before {
            varied = members.follow(
                (&before.hold, &mut before.end_hold),
                &varied,
                before.end.clone(),
            )?;
            let holds = (&before.end_hold, &phase.hold);
            let impact = events.next_if(|(at, _)| *at <= time);
            if events.peek().is_some_and(|(at, _)| *at <= time) {
                return Err(Error::Event { time, found: "several impacts" });
            }
            if let Some((time, impact)) = impact {
                let mut impact = impact.map_err(|found| Error::Event { time, found })?;
                let begin = &phase.begin;
                let (contact, shift) =
                    members.pass_impact(law, &mut impact, holds, &mut varied, begin)?;
                found.impacts.push((contact, time, shift));
            } else if before.begin.time < before.end.time {
                let stops = members.pass_mode(holds, &mut varied, &phase.begin)?;
                found
                    .stops
                    .extend(stops.into_iter().map(|(contact, shift)| (contact, time, shift)));
            }
            varied.state = phase.begin.clone();
        }
        if phase.begin.time < phase.end.time {
            members.check_mode((&phase.hold, &phase.modes), &varied)?;
        }
        before = Some(phase);
    }
    if let Some(last) = &mut before {
        varied = members.follow((&last.hold, &mut last.end_hold), &varied, last.end.clone())?;
    }
    Ok(MotionDerivative {
        state: report.state,
        coordinates: varied.coordinates,
        velocity: varied.velocity,
        ..found
    })
}

/// The motion of one member, and its phases.
fn motion(
    model: &Model,
    law: &MaximumDissipation,
    settings: &Settings,
    start: &State,
    end: f64,
) -> Result<(Report, Vec<Phase>), Error> {
    let mut phases: Vec<Phase> = Vec::new();
    let report = integrate(model, law, settings, start, end, &mut |now| {
        let (coordinates, velocity) = (now.coordinates.to_vec(), now.velocity.to_vec());
        let state = State { time: now.time, coordinates, velocity };
        match phases.last_mut() {
            Some(last) if state.time > last.end.time => {
                last.end = state;
                last.end_hold.clone_from(now.hold);
            }
            Some(last) if state == last.end && *now.hold == last.end_hold => {}
            _ => phases.push(Phase {
                hold: now.hold.clone(),
                end_hold: now.hold.clone(),
                modes: now.modes.to_vec(),
                begin: state.clone(),
                end: state,
            }),
        }
    })?;
    match report.status {
        Status::EndReached => Ok((report, phases)),
        status => Err(Error::Ended { time: report.state.time, status }),
    }
}

/// The impact of an event, if it is one, with its time; a reason if it has no derivative.
fn jump(Event { time, kind }: &Event) -> Option<(f64, Result<Impact<'_>, &'static str>)> {
    let impact = match kind {
        EventKind::Impact { contacts, .. } => {
            Ok(Impact { contacts, resting: Vec::new(), accumulates: false })
        }
        EventKind::Accumulation { contacts, .. } if contacts.len() == 1 => {
            Ok(Impact { contacts, resting: Vec::new(), accumulates: true })
        }
        EventKind::Accumulation { .. } => Err("impacts of several contacts accumulate"),
        EventKind::Jam { .. } => Err("sliding contacts jam"),
        EventKind::Settling { .. } => Err("slow contacts settle"),
        EventKind::Stretch { .. } => Err("a stretch was crossed by implicit steps"),
        EventKind::Mode { .. } | EventKind::Joint { .. } => return None,
    };
    Some((*time, impact))
}
