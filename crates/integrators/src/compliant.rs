//! Motion under compliant contacts: any [`System`](percussion_dynamics::System) with springs, dampers and
//! smooth friction at its contacts, from the [`Law`](percussion_dynamics::compliant::Law)s of
//! percussion-dynamics.
//!
//! It is the reference for comparisons with impact laws: collisions have a duration, and the stiffnesses
//! determine which contact receives its impulse first. The unknowns and their equations are
//!
//! ```math
//! \dot q = N(q)\, v, \qquad M(q)\, \dot v = k(q, v, t) + J(q)^\mathsf{T} f(g, J v), \qquad \dot P = f,
//! ```
//!
//! so that the contact impulses `P` are integrated with the same error control as the motion.
//!
//! - **Events.** A contact has a force only while its gap is not open. The time at which any gap opens or
//!   closes, or a stop function reaches zero, is located on the interpolant of the step to rounding, and the
//!   integration is restarted there. Within a step the equations are therefore continuous. Their kinks, where
//!   a damper would begin to pull or the slip leaves the width of the friction law, are handled by the error
//!   control.
//! - **Stiffness.** The implicit [methods](Method) use the derivative of the contact forces in closed form
//!   and differences for everything else.
//! - **Needs** steps that do not jump over a contact: a gap that closes and opens again within one step is
//!   not detected.
//! - **Energy** is accounted for, see [`Report::energy`]: contact laws store and dissipate energy, and a
//!   motion that ends with more energy than it can have ends as [`Status::EnergyGained`].
//! - **Does not** support bilateral constraints; use a system whose coordinates have none, such as
//!   [`Articulated`](percussion_dynamics::Articulated).
//! - **Units** have no effect: default tolerances are fractions of the [`Scales`](crate::scales::Scales) of
//!   the model, which the report contains.
//! - **Cost** one evaluation of all contacts for each Newton iteration or stage, and about four for each
//!   velocity and coordinate when the derivative is computed; the linear algebra is dense.
//! - **Deterministic**: single-threaded, fixed order.
//!
//! # Accuracy
//!
//! Friction that reaches its full value within a slip velocity of `ε` makes sticking contacts the stiffest
//! part of the system, and [`Settings::velocity_tolerance`] must be well below `ε`. Measured on the rocking
//! block of Halm and Posa (`ε = 1e-10` m/s, one corner ten times as stiff as the other, `ζ = 5`, relative
//! tolerance 1e-10, velocity tolerance 1e-10 m/s): [`Method::Bdf`] gives the final spin of 0.038545 rad/s to
//! all digits shown in 850 steps. [`Method::TrBdf2`] has an error of 0.14 % in 2 300 steps, and agrees to all
//! digits in 10 500 steps at tolerances of 1e-12. The third one-step method of diffsol, ESDIRK34, has an
//! error of 6 % there and of 0.5 % at 1e-12 that its error control does not detect; it is therefore not
//! offered.
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

/// Moves `model` from `start` until the time `end` (s), or until the `stop` function of the state, which is
/// negative before, reaches zero; `observer` is called at the start, at the end of every step, and at the
/// end.
///
/// A stop function that is not negative at the start ends the integration there. It is evaluated after every
/// step, so it must not become negative again within a step.
///
/// # Errors
///
/// See [`Error`]. Limits, and steps that became too small, are a [`Status`] of the report, with the last
/// state that met the tolerances.
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
