//! Motion under compliant contacts: any [`System`](percussion_dynamics::System) with springs, dampers and
//! smooth friction at its contacts, from the [`Law`](percussion_dynamics::compliant::Law)s of
//! percussion-dynamics.
//!
//! It is the reference that impact laws are compared with: collisions take their time, and which contact
//! receives its impulse first follows from the stiffnesses. The unknowns and their equations are
//!
//! ```math
//! \dot q = N(q)\, v, \qquad M(q)\, \dot v = k(q, v, t) + J(q)^\mathsf{T} f(g, J v), \qquad \dot P = f,
//! ```
//!
//! so that the contact impulses `P` are integrated with the same error control as the motion.
//!
//! - **Events.** The forces of a contact set in only once its gap is not open. The moment at which any gap opens or
//!   closes, or a stop function reaches zero, is found on the interpolant of the step to rounding, and
//!   the integration starts anew there. Within a step the equations are therefore continuous; their
//!   corners, where a damper stops to press or slip leaves the width of the friction law, are left to
//!   the error control.
//! - **Stiffness.** The implicit [methods](Method) get the derivative of the contact forces in closed form
//!   and everything else by differences.
//! - **Needs** steps that do not jump over a contact: a gap that closes and opens again within one
//!   step is not seen.
//! - **Energy** is accounted for, see [`Report::energy`]: laws of contacts store energy and take it, and a motion that ends
//!   with more than it can have ends as [`Status::EnergyGained`].
//! - **Does not** treat bilateral constraints; use a system whose coordinates have none, such as
//!   [`Articulated`](percussion_dynamics::Articulated).
//! - **Units** do not matter: tolerances that are not given are parts of the [`Scales`](crate::scales::Scales) of the model,
//!   which the report names.
//! - **Cost** one evaluation of all contacts for each Newton iteration or stage, about four for each
//!   velocity and coordinate when the derivative is taken; the linear algebra is dense.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Accuracy
//!
//! Friction that acts in full within a slip of `ε` makes sticking contacts the stiffest part of all, and
//! [`Settings::velocity_tolerance`] has to be well below `ε`. Measured on the rocking block of Halm and Posa
//! (`ε = 1e-10` m/s, one corner ten times as stiff as the other, `ζ = 5`, relative tolerance 1e-10, velocity
//! tolerance 1e-10 m/s): [`Method::Bdf`] gives the final spin of 0.038545 rad/s to all digits shown in
//! 850 steps; [`Method::TrBdf2`] errs by 0.14 % in 2 300 steps, and agrees to all digits in 10 500 steps at
//! tolerances of 1e-12. The third one-step method of diffsol, ESDIRK34, errs by 6 % there and by 0.5 % at 1e-12,
//! without noticing; it is therefore not offered.
//!
//! # Source
//!
//! The solvers are those of the crate diffsol; M. Robinson et al., "diffsol: Rust crate for solving
//! differential equations", *Journal of Open Source Software* 11 (2026) 9384. The models: see
//! [`percussion_dynamics::compliant`].

mod equations;
mod error;
mod model;
mod report;
mod run;
mod settings;
mod stop;
#[cfg(test)]
mod tests;

use std::cell::RefCell;

use crate::energy::controlled::{ControlledAccount, Reached};
use equations::Equations;
use run::Run;
use settings::Resolved;

pub use error::Error;
pub use model::{Contact, Model};
pub use report::{Counters, Report, Snapshot, State, Status};
pub use settings::{Method, Settings};
pub use stop::impact_is_over;

/// Moves `model` from `start` until the time `end` (s), or until the `stop` function of the state, negative
/// before, reaches zero; `observer` sees the start, the end of every step, and the end.
///
/// A stop function that is not negative at the start ends the integration there. It is looked at after every
/// step, so it must not come back below zero within one.
///
/// # Errors
///
/// See [`Error`]; limits, and steps that became too small, are a [`Status`] of the report, with the last state
/// that met the tolerances.
///
/// # Example
///
/// A ball of 1 kg lands at 2 m/s on a spring of 10⁶ N/m without damping, and leaves at 2 m/s after half a period of
/// the oscillator, `π/1000` s, with an impulse of 4 N·s.
///
/// ```
/// use nalgebra::{Vector2, Vector3};
/// use percussion_dynamics::compliant::{FrictionLaw, Law, NormalLaw};
/// use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
/// use percussion_dynamics::{PlanarBodies, PlanarBody};
/// use percussion_integrators::compliant::{Contact, Method, Model, Settings, Status, integrate};
///
/// let ball = PlanarBodies::new(vec![PlanarBody::new(1.0, 0.1)], Vector2::zeros())?;
/// let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
/// let law = Law::new(NormalLaw::kelvin_voigt(1e6, 0.0)?, FrictionLaw::Frictionless);
/// let contact = Contact::new(SpherePlane::new(Sphere::of_body(0, 0.5), floor)?, law);
/// let model = Model::new(Box::new(ball), vec![contact])?;
///
/// let start = model.state(vec![0.0, 0.5, 0.0], vec![0.0, -2.0, 0.0])?;
/// let settings = Settings { method: Method::Tsit45, ..Settings::default() };
/// let parted = |moment: &percussion_integrators::compliant::Snapshot<'_>| {
///     if moment.impulses[0] > 0.0 { moment.gaps[0] } else { -1.0 }
/// };
/// let report = integrate(&model, &settings, &start, 1.0, Some(&parted), &mut |_| ())?;
/// assert_eq!(report.status, Status::Stopped);
/// assert!((report.state.time - 1e-3 * std::f64::consts::PI).abs() < 1e-9);
/// assert!((report.state.velocity[1] - 2.0).abs() < 1e-6);
/// assert!((report.state.impulses[0] - 4.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn integrate(
    model: &Model,
    settings: &Settings,
    start: &State,
    end: f64,
    stop: Option<&dyn Fn(&Snapshot<'_>) -> f64>,
    observer: &mut dyn FnMut(&Snapshot<'_>),
) -> Result<Report, Error> {
    settings.check()?;
    model.check_state(start)?;
    if !(end.is_finite() && end > start.time) {
        return Err(Error::End { start: start.time, end });
    }
    let settings = &Resolved::new(settings, model, start, end - start.time);
    let State { time, coordinates, velocity, .. } = start;
    let energy = model.energy(coordinates, velocity);
    let reached = Reached { time: *time, coordinates, velocity, energy };
    let account = ControlledAccount::new(model.system(), reached);
    let equations = RefCell::new(Equations::new(model, start, &settings.strides));
    let run = Run {
        equations: &equations,
        settings,
        end,
        stop,
        observer,
        counters: Counters::default(),
        account,
        begin: start.time,
        time: start.time,
        unknowns: Equations::unknowns(start),
    };
    run.finish()
}
