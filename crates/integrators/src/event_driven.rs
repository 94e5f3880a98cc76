//! Event-driven motion: smooth motion between events, and at each event an impact with any [`Law`] or new
//! contact modes.
//!
//! Between two events every contact of a [`Model`] has a [`Mode`], and the motion is that of a smooth system,
//!
//! ```math
//! \dot q = N(q)\, v, \qquad M \dot v = k + C f, \qquad R\, \dot v + \dot R\, v = 0,
//! ```
//!
//! where `R` contains the normals of carrying contacts, the tangents of sticking ones and all bilateral
//! constraints. This is an equation of index one, integrated with adaptive steps. Four kinds of events end a
//! mode:
//!
//! - an open contact **closes**: all contacts within [`Settings::proximity`] take part in an impact,
//!   including resting ones and joints, and the law determines the jump of the velocity;
//! - a normal force becomes **negative**: the contact opens;
//! - friction **leaves its cone**: a sticking contact starts to slip;
//! - slip **stops**, or would reverse.
//!
//! Dry friction of joints begins and ends in the same way: a joint rests until its friction reaches the bound, and turns
//! against friction at the bound until it stops ([`EventKind::Joint`]). In impacts it has no impulse, as its force is finite.
//!
//! The new modes follow from the complementarity of accelerations: forces that press, friction within the
//! cone, and no closed contact accelerated into its surface, a linear problem solved by Lemke's method. Of
//! redundant contacts, as many carry as determine the forces, and the others are
//! [`Touching`](Mode::Touching); the motion is the same.
//!
//! - **Drift.** Positions and velocities are projected back where a step leaves more than a tenth of the
//!   tolerances; the drift found is [`Report::drift`].
//! - **Zeno.** A ball bounces infinitely often before it rests. The remaining bounces are summed as a
//!   geometric series once a rebound stays within the proximity and the times between landings shrink by a
//!   ratio that is certainly below one. The contact then stays closed, and the limit is recorded as
//!   [`EventKind::Accumulation`]. The limit must lie before the end of the motion, and no farther ahead than
//!   the series reaches back. The omitted impulses are not lost: the impulse that stops the last fall and the
//!   weight until the limit have the same sum, also for friction. For the ball the limit is exact up to the
//!   accuracy of the landings; the error of positions is less than the proximity.
//! - **Several contacts in turn**, such as feet and joint limits of a robot, strike at intervals without a ratio,
//!   thousands of times within microseconds. A contact with `e < 1` that has landed four times from flights
//!   within the proximity, and would rise no higher again, is closed ([`EventKind::Settling`]); so are slow
//!   approaches for which the law finds no answer. The energy of the rebounds left out is accounted for.
//! - **Slow slip.** The direction of a slip `u` in space turns at the rate `μ f_n/(m u)`. Below 1000 times the
//!   velocity tolerance friction keeps its direction, and slip against that direction is removed at the
//!   beginning of a mode.
//! - **Stretches.** Explicit steps are short where the direction of a slow slip turns, or a force such as that of a stiff servo
//!   changes, much faster than the motion. After 100 steps in succession that are shorter than `1e-3 T`, the motion crosses a
//!   *stretch* by implicit steps, with Coulomb's exact law at their ends ([`EventKind::Stretch`]), for one of two
//!   [causes](Cause): a slip turns within that time and would turn a hundred times before it stops, or forces are
//!   stiff, which is the case if the length of the steps times the largest eigenvalue of the smooth motion is more than one.
//!   Other causes are 5000 evaluations that advance the motion by less than `5e-3 T`, inconsistent modes,
//!   steps that become too small, and, [if asked for](Settings::inelastic_fallback), an impact to which the law has no answer.
//!   Closed contacts are inelastic in a stretch. Two half steps estimate the [error](Settings::implicit_tolerance) of a step, and
//!   are extrapolated where all contacts do the same. A stretch ends where a contact is struck, and, unless forces are stiff,
//!   where every contact opens, sticks within its cone or slides so fast that explicit steps are four times as long as where it
//!   could begin; also where implicit steps are no longer twice as long as explicit ones. Motions without a stretch are those without this rule, to the bit.
//! - **Painlevé.** Sliding contacts with high friction may have no consistent forces, or forces that grow without
//!   bound. Then impulses without collision stop the slip ([`EventKind::Jam`]): the inelastic impact in the
//!   limit of zero approach. If no forces are consistent afterwards either, contacts are pushed together twice as
//!   fast each time, up to a million times the velocity tolerance; if none helps, the status is
//!   [`Status::Inconsistent`]. Where several modes are consistent, Lemke's path determines the choice.
//! - **Energy** is accounted for, see [`EnergyAccount`]; the remainder is the error of the integration. The
//!   work of dampers and drives ([`System::other_power`](percussion_dynamics::System::other_power)) is integrated
//!   with the motion.
//! - **Needs** contacts that stay closed for a while. Gaps are evaluated at intervals in which bodies move by
//!   a quarter of the length `L` of the model. A contact that closes and opens again between two evaluations
//!   is detected if it closes at the first, opens at the second, and the tangents of its gap meet below zero,
//!   but not if it does so twice.
//! - **Units** have no effect: default tolerances are fractions of the [`Scales`](crate::scales::Scales) of
//!   the model, which the report contains.
//! - **Cost** one factorization of the held rows and the rates of their gaps for each of the six stages of a
//!   step, which allocate; dense matrices of the size of the system. A mode takes one LCP with one row for
//!   every sliding contact, for a contact at rest 4 rows in the plane and 18 in space, and 3 for a joint at rest with friction.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Accuracy
//!
//! With the default tolerances, a ball dropped from 1 m that keeps 0.3, 0.5, 0.7 or 0.9 of its speed has an
//! error in the end of its bounces of 7e-14, 2e-13, 2e-12 and 2e-11 s. The rocking block of Halm and Posa has
//! its accumulation at 2.671 421 398 s, in agreement with [`inclusion`](crate::inclusion) and the closed
//! form. For a triple pendulum that loses 104 J in 190 impacts and by its dampers, the energy residual is
//! 3e-9 J.
//!
//! # Source
//!
//! F. Pfeiffer, C. Glocker, *Multibody Dynamics with Unilateral Contacts*, Wiley 1996, chapters 5 and 6 (modes from the
//! complementarity of accelerations); V. Acary, B. Brogliato, *Numerical Methods for Nonsmooth Dynamical Systems*,
//! Springer 2008, chapter 8 (event-driven schemes); F. Génot, B. Brogliato, "New results on Painlevé paradoxes",
//! *European Journal of Mechanics A/Solids* 18 (1999) 653–677 (jams and impulses without collision). The solver of
//! smooth motion is the explicit method of Tsitouras of order 5 from the crate diffsol.

mod chatter;
mod crawl;
pub mod derivative;
mod error;
mod geometry;
mod hold;
mod impact;
mod implicit;
mod joints;
mod modes;
mod projection;
mod report;
mod run;
mod settings;
mod settle;
mod smooth;
mod start;
mod stiff;
mod stretch;
mod trigger;

use std::ops::ControlFlow;

use percussion_impact::{Law, RestitutionUse};

use crate::{
    dry_joint::DryJoint,
    model::{Model, State},
};
use chatter::Chatter;
use crawl::Crawl;
use geometry::Geometry;
use hold::Hold;
use implicit::Stretches;
use run::Run;
use settings::Resolved;
use smooth::Course;

pub use error::Error;
pub use report::{
    Cause, Counters, Drift, EnergyAccount, Event, EventKind, Mode, Report, Snapshot, Status,
    Unanswered,
};
pub use settings::Settings;

/// Moves `model` from `start` until the time `end` (s), with `law` for its impacts, which are numbered 0, 1, …
/// ([`Law::resolve_numbered`]): a law that draws its outcomes draws one for each of them. `observer` is called at
/// the start, on both sides of every event, at the end, and at the ends of steps or the samples of
/// [`Settings::sample_interval`].
///
/// # Errors
///
/// See [`Error`]: invalid input, or a law that does not apply. If a motion ends early, the reason is its
/// [`Status`], and the report has the last state.
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
/// use percussion_impact::newton::Newton;
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
    integrate_while(
        model,
        law,
        settings,
        (start, end),
        observer,
        &mut |_| ControlFlow::Continue(()),
    )
}

/// Moves `model` as [`integrate`] does from a start until a time (s), as long as `watch` wants.
///
/// `watch` receives the time reached (s), which never decreases, before each step of smooth motion and after each event. If it
/// breaks, the motion ends there with [`Status::Interrupted`].
///
/// # Errors
///
/// Those of [`integrate`].
///
/// # Example
///
/// A ball that falls from 1.25 m lands after half a second. It is followed for a second, and interrupted before.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_impact::newton::Newton;
/// use percussion_integrators::event_driven::{Settings, Status, integrate_while};
/// use percussion_integrators::{Contact, Model, State};
///
/// let ball = PlanarBodies::new(vec![PlanarBody::new(1.0, 1.0)], Vector2::new(0.0, -10.0))?;
/// let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
/// let contact = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.0), floor)?, 0.5).with_restitution(0.5);
/// let model = Model::new(Box::new(ball), vec![contact])?;
///
/// let start = State { time: 0.0, coordinates: vec![0.0, 1.25, 0.0], velocity: vec![0.0; 3] };
/// let (law, settings) = (Newton::default(), Settings::default());
/// let mut until_it_lands = |time: f64| {
///     if time < 0.5 - 1e-9 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
/// };
/// let report =
///     integrate_while(&model, &law, &settings, (&start, 1.0), &mut |_| (), &mut until_it_lands)?;
/// assert_eq!(report.status, Status::Interrupted);
/// assert!((report.state.time - 0.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn integrate_while(
    model: &Model,
    law: &dyn Law,
    settings: &Settings,
    (start, end): (&State, f64),
    observer: &mut dyn FnMut(&Snapshot<'_>),
    watch: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Report, Error> {
    settings.check()?;
    start::check(model, start)?;
    if !(end.is_finite() && end > start.time) {
        return Err(Error::End { start: start.time, end });
    }
    let settings = &Resolved::new(settings, model, start, end);
    let joints = DryJoint::all(model, &settings.scales, start)
        .map_err(|joint| Error::FrictionDirections { joint })?;
    // Between two evaluations each of two bodies moves by up to a quarter of the length.
    let mut geometry = Geometry::new(model, joints, 0.5 * settings.scales.length);
    geometry.locate_all(&start.coordinates);
    geometry.found(start.time)?;
    start::check_start(settings, &geometry.gaps, &geometry.tie_values)?;
    let contacts = geometry.gaps.len();
    let energy = model.system().energy(&start.coordinates, &start.velocity);
    let course = Course {
        geometry,
        settings,
        observer,
        watch,
        is_interrupted: false,
        state: start.clone(),
        hold: Hold::default(),
        modes: vec![Mode::Open; contacts],
        energy: EnergyAccount { start: energy, ..EnergyAccount::default() },
        drift: Drift::default(),
        counters: Counters::default(),
        floors: Vec::new(),
        backward: Vec::new(),
        reverse: Vec::new(),
        next_sample: 0,
        start: start.time,
        crawl: Crawl::default(),
    };
    let chatter = Chatter::default();
    let at_once = (f64::NEG_INFINITY, 0);
    let (events, pending) = (Vec::new(), Vec::new());
    let start_kinetic = model.system().kinetic_energy(&start.coordinates, &start.velocity);
    let restitution = RestitutionUse::None;
    let stretches = Stretches::default();
    Run {
        course,
        law,
        end,
        start_kinetic,
        events,
        chatter,
        pending,
        at_once,
        restitution,
        stretches,
        unanswered: None,
    }
    .finish()
}
