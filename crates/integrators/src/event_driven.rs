//! Event-driven motion: smooth between events, and at each event any impact [`Law`] or a new mode of the contacts.
//!
//! Between two events every contact of a [`Model`] has a [`Mode`], and the motion is that of a smooth system,
//!
//! ```math
//! \dot q = N(q)\, v, \qquad M \dot v = k + C f, \qquad R\, \dot v + \dot R\, v = 0,
//! ```
//!
//! where `R` holds the normals of carrying contacts, the tangents of sticking ones and all bilateral constraints: an
//! equation of index one, integrated with adaptive steps. Four things end a mode:
//!
//! - an open contact **closes**: all contacts within [`Settings::proximity`] take part in an impact, resting ones and
//!   joints included, and the law makes the velocity jump;
//! - a normal force gets **negative**: the contact opens;
//! - friction **leaves its cone**: a sticking contact starts to slip;
//! - slip **stops**, or would turn round.
//!
//! The modes that follow are those of the complementarity of accelerations: forces that press, friction within the cone,
//! and no closed contact accelerated into its surface, a linear problem solved by Lemke's method. Of redundant contacts,
//! as many carry as determine the forces, and the others are [`Touching`](Mode::Touching); the motion is the same.
//!
//! - **Drift.** Positions and velocities are projected back where a step leaves more than a tenth of the tolerances;
//!   what was found is [`Report::drift`].
//! - **Zeno.** A ball bounces infinitely often before it rests. Once a rebound stays within the proximity and the times
//!   between landings shrink by a ratio that is certainly below one, the rest of them is summed as a geometric series,
//!   the contact stays closed, and the limit, which lies before the end of the motion and no farther ahead than the
//!   series reaches back, is recorded as [`EventKind::Accumulation`]. The percussions left out are not lost: what stops the last fall and the
//!   weight until the limit add up to the same, also for friction. For the ball the limit is exact up to the accuracy of
//!   the landings; positions err by less than the proximity.
//! - **Painlevé.** Sliding contacts with much friction may have no consistent forces. Then percussions without
//!   collision stop the slip ([`EventKind::Jam`]): the inelastic impact in the limit of no approach. If that changes
//!   nothing, the status is [`Status::Inconsistent`]. Where several modes are consistent, Lemke's path decides.
//! - **Energy** is accounted for, see [`EnergyAccount`]; what is left over is the error of the integration. The work of
//!   dampers and drives is integrated with the motion, for any system, by how much it changes the energy that forces
//!   with a potential would keep.
//! - **Needs** contacts that stay closed for a while: gaps are looked at while bodies move by a quarter of the length
//!   `L` of the model, and one that closes and opens again in between is seen where it closes at one look, opens at the next
//!   and the tangents of its gap meet below zero: not if it does so twice.
//! - **Units** do not matter: tolerances that are not given are parts of the [`Scales`](crate::scales::Scales) of the
//!   model, which the report names.
//! - **Cost** one factorization of the held rows and the rates of their gaps for each of six stages of a step,
//!   which allocate; dense matrices of the size of the system. A mode takes one LCP with a row for every sliding
//!   contact, 4 for a still one in the plane and 18 in space.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Accuracy
//!
//! With the default tolerances a ball dropped from 1 m that keeps 0.3, 0.5, 0.7 or 0.9 of its speed has the end of its
//! bounces right to 7e-14, 2e-13, 2e-12 and 2e-11 s; the rocking block of Halm and Posa has its accumulation at
//! 2.671 421 398 s, as [`inclusion`](crate::inclusion) and the closed form have. A triple pendulum that loses 104 J in 190
//! impacts and by its dampers leaves 3e-9 J unaccounted for.
//!
//! # Source
//!
//! F. Pfeiffer, C. Glocker, *Multibody Dynamics with Unilateral Contacts*, Wiley 1996, chapters 5 and 6 (modes from the
//! complementarity of accelerations); V. Acary, B. Brogliato, *Numerical Methods for Nonsmooth Dynamical Systems*,
//! Springer 2008, chapter 8 (event-driven schemes); F. Génot, B. Brogliato, "New results on Painlevé paradoxes",
//! *European Journal of Mechanics A/Solids* 18 (1999) 653–677 (jams and percussions without collision). The solver of
//! smooth motion is the explicit method of Tsitouras of order 5 from the crate diffsol.

mod chatter;
mod error;
mod geometry;
mod hold;
mod impact;
mod modes;
mod projection;
mod report;
mod run;
mod settings;
mod smooth;
mod start;

use percussion_impact::Law;

use crate::model::{Model, State};
use chatter::Chatter;
use geometry::Geometry;
use hold::Hold;
use run::Run;
use settings::Resolved;
use smooth::Course;

pub use error::Error;
pub use report::{
    Counters, Drift, EnergyAccount, Event, EventKind, Mode, Report, Snapshot, Status,
};
pub use settings::Settings;

/// Moves `model` from `start` until the time `end` (s), with `law` for its impacts; `observer` sees the start, both sides
/// of every event, the end, and the ends of steps or the samples of [`Settings::sample_interval`].
///
/// # Errors
///
/// See [`Error`]: input that makes no sense, or a law that does not apply. What ends a motion early is its [`Status`],
/// with the last state.
///
/// # Example
///
/// A ball falls from 1.25 m at 10 m/s² and keeps half of its speed at each landing. It lands after 0.5 s, then at
/// intervals of 0.5 s, 0.25 s, 0.125 s, … and is at rest after 1.5 s.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_impact::Newton;
/// use percussion_integrators::event_driven::{EventKind, Mode, Settings, Status, integrate};
/// use percussion_integrators::{Contact, Model, State};
///
/// let ball = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -10.0))?;
/// let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
/// let contact = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, 0.5).with_restitution(0.5);
/// let model = Model::new(Box::new(ball), vec![contact])?;
///
/// let start = State { time: 0.0, coordinates: vec![0.0, 1.25, 0.0], velocity: vec![0.0; 3] };
/// let (law, settings) = (Newton::default(), Settings::default());
/// let report = integrate(&model, &law, &settings, &start, 2.0, &mut |_| ())?;
/// assert_eq!((report.status, report.modes.as_slice()), (Status::EndReached, &[Mode::Sticking][..]));
///
/// let limit = report.events.iter().find_map(|event| match event.kind {
///     EventKind::Accumulation { limit, .. } => Some(limit),
///     _ => None,
/// });
/// assert!((limit.unwrap_or(f64::NAN) - 1.5).abs() < 1e-9);
/// assert!((report.energy.impacts - 12.5).abs() < 1e-9); // J, all it had
/// assert!(report.energy.residual().abs() < 1e-7); // J, 10 N times the proximity, 1e-9 of the length
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn integrate(
    model: &Model,
    law: &dyn Law,
    settings: &Settings,
    start: &State,
    end: f64,
    observer: &mut dyn FnMut(&Snapshot<'_>),
) -> Result<Report, Error> {
    settings.check()?;
    start::check(model, start)?;
    if !(end.is_finite() && end > start.time) {
        return Err(Error::End { start: start.time, end });
    }
    let settings = &Resolved::new(settings, model, start, end);
    // Between two looks each of two bodies moves by up to a quarter of the length.
    let mut geometry = Geometry::new(model, 0.5 * settings.scales.length);
    geometry.locate_all(&start.coordinates);
    geometry.found(start.time)?;
    start::check_start(settings, &geometry.gaps, &geometry.tie_values)?;
    let contacts = geometry.gaps.len();
    let energy = model.system().energy(&start.coordinates, &start.velocity);
    let course = Course {
        geometry,
        settings,
        observer,
        state: start.clone(),
        hold: Hold::default(),
        modes: vec![Mode::Open; contacts],
        energy: EnergyAccount { start: energy, ..EnergyAccount::default() },
        drift: Drift::default(),
        counters: Counters::default(),
        floors: Vec::new(),
        next_sample: 0,
        start: start.time,
    };
    let chatter = Chatter::default();
    let at_once = (f64::NEG_INFINITY, 0);
    let (events, pending) = (Vec::new(), Vec::new());
    let start_kinetic = model.system().kinetic_energy(&start.coordinates, &start.velocity);
    Run { course, law, end, start_kinetic, events, chatter, pending, at_once }.finish()
}
