//! The compliant reference of an impact: [`ImpactScenario::compliant`] gives its contacts springs and
//! integrates the motion from touchdown until the bodies separate.
//!
//! Every impact of this module has geometry, so it can also be simulated in time. The bodies keep their
//! shapes and overlap slightly, contact forces follow from the overlap, and nothing else acts except gravity,
//! if given. The impact is over when no contact presses and none approaches. The result is compared with
//! those of the laws and has a certificate of its own, whose momentum residual shows how far the positions
//! moved during the impact.
//!
//! | law of a contact | if | parameters |
//! | --- | --- | --- |
//! | Hertz with the damping of Hunt and Crossley, smooth friction, which acts at half depth on a plane | `modulus` is given | `modulus` of both bodies, `rule`, `dissipation`, `slip` |
//! | spring and damper that do not pull, Coulomb friction regularized over a width of slip | otherwise | `depth` of a single contact; the damper follows from the [restitution](super::Contact::restitution) |
//!
//! The damper of a spring is chosen so that a single mass rebounds with its restitution, up to the damping
//! ratio 5, which gives `e = 0.0093` for contacts without restitution. All contacts have the same stiffness.
//! As `depth` decreases, the outcome converges to that of infinitely stiff contacts. If several contacts
//! strike at once, this limit depends on the ratios of their stiffnesses: it is *one* of the outcomes that
//! rigid bodies have.
//!
//! # Source
//!
//! T. K. Uchida, M. A. Sherman, S. L. Delp, "Making a meaningful impact: modelling simultaneous frictional
//! collisions in spatial multibody systems", *Proceedings of the Royal Society A* 471 (2015) 20140859,
//! section 4 (their compliant contact model). The restitution of a spring with a damper: see
//! [`NormalLaw::KelvinVoigt`].

use nalgebra::{DVector, Vector3};
use percussion_dynamics::{
    Articulated,
    compliant::{self, FrictionLaw, HalfDepth, Law, ModulusRule, NormalLaw, relative_radius},
};
use percussion_impact::{
    Impulse, Outcome, Phase, Problem, RestitutionUse, Stage, Trace,
    certificate::{Certificate, Claims},
};
use percussion_integrators::compliant::{
    self as integration, Counters, Method, Model, Snapshot, State, Status, integrate,
};
use serde::{Deserialize, Serialize};

use super::{Contact, Impact, ImpactScenario, Origin, Partner, build::Pair};
use crate::{
    Error,
    rules::{at_least_zero, finite, positive},
};

/// Largest damping ratio, used for contacts without restitution.
const OVERDAMPED: f64 = 5.0;

/// Maximum duration of the integration, in units of the time from touchdown to the greatest depth.
const PATIENCE: f64 = 1e4;

/// Fraction of the fastest approach before the impact below which a contact no longer approaches.
const STILL: f64 = 1e-9;

/// Settings of compliant contacts; the [module head](self) states which fields belong together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Elastic modulus of both bodies of every contact (Pa), positive; without it (the default) contacts
    /// are springs.
    pub modulus: Option<f64>,
    /// Rule that combines the two moduli (default Hertz's rule).
    pub rule: Rule,
    /// Dissipation coefficient of Hunt and Crossley (s/m), at least 0 (default 0).
    pub dissipation: f64,
    /// Depth to which the fastest approach compresses a spring without damping (m), positive (default 1e-6).
    pub depth: f64,
    /// Slip at which friction is fully developed (m/s), positive; by default 0.01 m/s with a modulus, and
    /// for springs a thousandth of the fastest velocity of a contact before the impact.
    pub slip: Option<f64>,
    /// Acceleration of gravity during the impact (m/s²; two or three numbers), default none. Gravity is not
    /// part of an impact, but of a soft collision of finite duration.
    #[serde(deserialize_with = "super::vector")]
    pub gravity: [f64; 3],
    /// Relative tolerance of the integration, in `[1e-13, 0.1]` (default 1e-8); the absolute tolerances are
    /// this fraction of depth, speed and momentum.
    pub tolerance: f64,
    /// Method of the integration (default that of Tsitouras: the steps resolve the impact anyway, so an
    /// explicit method suffices).
    pub method: Method,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            modulus: None,
            rule: Rule::Hertz,
            dissipation: 0.0,
            depth: 1e-6,
            slip: None,
            gravity: [0.0; 3],
            tolerance: 1e-8,
            method: Method::Tsit45,
        }
    }
}

/// Rule that combines two moduli, see [`ModulusRule`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Half of equal moduli.
    #[default]
    Hertz,
    /// 0.3536 of equal moduli: that of the program of Uchida, Sherman and Delp.
    Springs,
}

impl Settings {
    /// The claims by which an impact simulated in time is judged: the impulses push and lie in their cones,
    /// and the energy does not grow, to the tolerance of the integration. Momentum, approach and joints are
    /// not judged by the rows at touchdown, which rotate during the impact. Springs use the restitution of
    /// the contacts; a modulus with a dissipation replaces it.
    #[must_use]
    pub const fn claims(&self) -> Claims {
        let restitution = match self.modulus {
            Some(_) => RestitutionUse::Replaced,
            None => RestitutionUse::Used,
        };
        Claims::new(restitution).within(STEPS * self.tolerance).in_time()
    }

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// [`Error::Value`] with the field, such as `compliant.depth`.
    pub fn check(&self) -> Result<(), Error> {
        let expected = "a positive finite number";
        for (field, value) in [
            ("modulus", self.modulus.unwrap_or(1.0)),
            ("depth", self.depth),
            ("slip", self.slip.unwrap_or(1.0)),
        ] {
            positive(&format!("compliant.{field}"), value, expected)?;
        }
        finite("compliant.gravity", &self.gravity)?;
        let expected = "a finite number of at least 0";
        at_least_zero("compliant.dissipation", self.dissipation, expected)
    }
}

/// Assumed number of steps of an impact over which errors, each at most the relative tolerance, may add up.
const STEPS: f64 = 1e3;

/// Result of an impact with compliant contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Velocity and impulses, `∫ f dt` of every contact in its own frame.
    pub outcome: Outcome,
    /// Status of the integration; [`Status::Stopped`] if the impact ended.
    pub status: Status,
    /// Time from touchdown to the end (s).
    pub duration: f64,
    /// Greatest overlap at the end of a step (m).
    pub depth: f64,
    /// The state at the end.
    pub end: State,
    /// Counters of the work.
    pub counters: Counters,
}

impl ImpactScenario {
    /// Simulates the impact with compliant contacts; `observer` is called after every step.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build); [`Error::CompliantContact`] for a contact without a radius or with a parameter out
    /// of range; [`Error::Value`] for a contact with a `tangent` of its own.
    ///
    /// # Example
    ///
    /// A ball of 1 kg and 0.1 m falls at 2 m/s on elastic ground and leaves at 2 m/s, with an impulse of 4
    /// N·s. Two moduli of 10¹⁰ Pa give an effective modulus of 5 · 10⁹ Pa, and Hertz's contact lasts 2.943
    /// δ/v = 0.522 ms with the depth δ = (15 m v²/(16 E* √R))^(2/5) = 0.355 mm.
    ///
    /// ```
    /// use percussion_mechanism::impacts::{ImpactScenario, compliant};
    ///
    /// let ball = ImpactScenario::from_toml_str(r#"
    ///     name = "ball"
    ///     title = "A ball falls on the ground"
    ///     source = "first year mechanics"
    ///     bodies = [{ name = "ball", mass = 1.0, inertia = 0.004, velocity = [0.0, -2.0, 0.0] }]
    ///     planes = [{ name = "ground", point = [0.0, -0.1], normal = [0.0, 1.0] }]
    ///     contacts = [{ name = "ball", disc = { body = "ball", radius = 0.1 }, on.plane = "ground", friction = 0 }]
    /// "#)?;
    /// let settings = compliant::Settings { modulus: Some(1e10), ..compliant::Settings::default() };
    /// let reference = ball.compliant(&settings, &mut |_| ())?;
    /// assert!((reference.outcome.velocity[1] - 2.0).abs() < 1e-6);
    /// assert!((reference.outcome.impulses[0].normal - 4.0).abs() < 1e-6);
    /// assert!((reference.duration - 0.000_522).abs() < 1e-6);
    /// # Ok::<(), percussion_mechanism::Error>(())
    /// ```
    pub fn compliant(
        &self,
        settings: &Settings,
        observer: &mut dyn FnMut(&Snapshot<'_>),
    ) -> Result<Reference, Error> {
        CompliantImpact::new(&self.build()?, settings)?.run(observer)
    }
}

/// An impact with compliant contacts, which can be simulated any number of times.
#[derive(Debug)]
pub struct CompliantImpact {
    model: Model,
    start: State,
    problem: Problem,
    scale: Scale,
    settings: Settings,
}

impl CompliantImpact {
    /// Attaches springs to the contacts of an impact.
    ///
    /// # Errors
    ///
    /// [`Error::NoCompliance`] for an impact that was not read from a file of its own with bodies;
    /// [`Error::CompliantContact`] for a contact without a radius or with a parameter out of range;
    /// [`Error::Value`] for a contact with a `tangent` of its own.
    pub fn new(impact: &Impact, settings: &Settings) -> Result<Self, Error> {
        settings.check()?;
        let scale = Scale::of(&impact.problem, settings);
        let model = impact.compliant_model(settings, &scale, settings.gravity.into())?;
        let start = &impact.mechanism.state;
        let start =
            model.state(start.coordinates.clone(), start.velocity.clone()).map_err(Box::new)?;
        let problem = impact.problem.clone();
        Ok(Self { model, start, problem, scale, settings: *settings })
    }

    /// The bodies and their contacts.
    #[must_use]
    pub const fn model(&self) -> &Model {
        &self.model
    }

    /// The state at touchdown.
    #[must_use]
    pub const fn start(&self) -> &State {
        &self.start
    }

    /// Simulates the impact; `observer` is called after every step.
    ///
    /// # Errors
    ///
    /// [`Error::CompliantMotion`] for a tolerance out of range.
    pub fn run(&self, observer: &mut dyn FnMut(&Snapshot<'_>)) -> Result<Reference, Error> {
        let Self { model, start, problem, scale, settings } = self;
        let still = STILL * scale.approach;
        let over = |moment: &Snapshot<'_>| {
            let components = moment.impulses.len() / moment.gaps.len();
            let rests = |k: usize| {
                moment.forces[k * components] <= 0.0
                    && moment.contact_velocity[k * components] >= -still
            };
            if (0..moment.gaps.len()).all(rests) { 1.0 } else { -1.0 }
        };
        let mut depth = 0.0_f64;
        let mut observe = |moment: &Snapshot<'_>| {
            depth = moment.gaps.iter().fold(depth, |most, gap| most.max(-gap));
            observer(moment);
        };
        let tolerances = integration::Settings {
            method: settings.method,
            relative_tolerance: settings.tolerance,
            displacement_tolerance: Some(settings.tolerance * scale.depth),
            velocity_tolerance: Some(settings.tolerance * scale.speed.max(f64::MIN_POSITIVE)),
            impulse_tolerance: Some(settings.tolerance * scale.mass * scale.speed),
            smallest_step: Some(1e-12 * scale.time),
            ..integration::Settings::default()
        };
        let end = PATIENCE * scale.time;
        let report = integrate(model, &tolerances, start, end, Some(&over), &mut observe)
            .map_err(Box::new)?;
        Ok(Reference {
            outcome: outcome(problem, settings, &report.state, report.status),
            status: report.status,
            duration: report.state.time,
            depth,
            end: report.state,
            counters: report.counters,
        })
    }
}

impl Impact {
    /// The bodies at the time `until` (s), simulated from `state` under gravity (m/s²) with compliant contacts.
    ///
    /// # Errors
    ///
    /// As [`CompliantImpact::new`].
    pub fn fly(
        &self,
        settings: &Settings,
        state: &State,
        gravity: Vector3<f64>,
        until: f64,
    ) -> Result<State, Error> {
        let scale = Scale::of(&self.problem, settings);
        let model = self.compliant_model(settings, &scale, gravity)?;
        let tolerances = integration::Settings {
            method: settings.method,
            relative_tolerance: settings.tolerance,
            ..integration::Settings::default()
        };
        let report =
            integrate(&model, &tolerances, state, until, None, &mut |_| ()).map_err(Box::new)?;
        Ok(report.state)
    }

    /// The model with compliant contacts, with gravity as the only other force.
    fn compliant_model(
        &self,
        settings: &Settings,
        scale: &Scale,
        gravity: Vector3<f64>,
    ) -> Result<Model, Error> {
        let (Origin::Impact(scenario), Some(tree)) = (&self.origin, &self.mechanism.tree) else {
            return Err(Error::NoCompliance { impact: self.name.clone() });
        };
        // Gravity has no effect on the impact itself.
        let system = Articulated::new(tree.links().to_vec(), gravity)?;
        scenario.check_dimension(&system)?;
        let contacts = scenario.contacts.iter().enumerate().map(|(k, contact)| {
            if let Some(tangent) = contact.tangent {
                return Err(Error::Value {
                    path: format!("contacts[{k}].tangent"),
                    value: format!("{tangent:?}"),
                    expected: "none for compliant contacts",
                });
            }
            let name = &contact.name;
            let refused = |source| Error::CompliantContact { contact: name.clone(), source };
            let row = self.problem.rows(k).start;
            let w = self.problem.delassus()[(row, row)];
            let law = law(settings, contact, w, scale).map_err(refused)?;
            Ok(match scenario.pair(&system, contact)? {
                Pair::Plane(gap) if settings.modulus.is_some() => {
                    integration::Contact::new(HalfDepth(gap), law)
                }
                Pair::Plane(gap) => integration::Contact::new(gap, law),
                Pair::Discs(gap, _) => integration::Contact::new(gap, law),
            })
        });
        let contacts = contacts.collect::<Result<_, Error>>()?;
        Ok(Model::new(Box::new(system), contacts).map_err(Box::new)?)
    }
}

/// Scales of an impact, from the fastest approach and the contact with the largest effective mass.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// Fastest approach and fastest velocity of a contact before the impact (m/s).
    approach: f64,
    speed: f64,
    /// Largest effective mass of a contact along its normal (kg).
    mass: f64,
    /// Greatest depth, and time until it is reached (m, s).
    depth: f64,
    time: f64,
}

impl Scale {
    fn of(problem: &Problem, settings: &Settings) -> Self {
        let velocity = problem.contact_velocity(problem.velocity());
        let normals = || (0..problem.contacts().len()).map(|k| problem.rows(k).start);
        let approach = normals().map(|row| -velocity[row]).fold(0.0, f64::max);
        let w = normals().map(|row| problem.delassus()[(row, row)]);
        let least = w.filter(|w| *w > 0.0).fold(f64::INFINITY, f64::min);
        let mass = if least.is_finite() { 1.0 / least } else { 1.0 };
        // Without an approach nothing happens, so any time scale serves.
        let pace = if approach > 0.0 { approach } else { 1.0 };
        let depth = match settings.modulus {
            // For Hertz's contact a radius of 1 m is assumed; because of the fifth root it has little effect.
            Some(modulus) => (mass * pace * pace / modulus).powf(0.4),
            None => settings.depth,
        };
        Self { approach, speed: velocity.amax(), mass, depth, time: depth / pace }
    }
}

fn law(
    settings: &Settings,
    contact: &Contact,
    w: f64,
    scale: &Scale,
) -> Result<Law, compliant::Error> {
    let Some(modulus) = settings.modulus else {
        let stiffness = scale.mass / (scale.time * scale.time);
        let mass = if w > 0.0 { 1.0 / w } else { scale.mass };
        let ratio = damping_ratio(contact.restitution);
        let normal = NormalLaw::with_damping_ratio(stiffness, mass, ratio)?;
        let width = settings.slip.unwrap_or(1e-3 * scale.speed);
        let width = if width > 0.0 { width } else { 1.0 };
        let friction = FrictionLaw::regularized_coulomb(contact.friction, width)?;
        return Ok(Law::new(normal, friction));
    };
    let radius = match &contact.on {
        Partner::Plane(_) => contact.disc.radius,
        Partner::Disc(other) => relative_radius(contact.disc.radius, other.radius)?,
    };
    let rule = match settings.rule {
        Rule::Hertz => ModulusRule::Hertz,
        Rule::Springs => ModulusRule::Springs,
    };
    let modulus = rule.combine(modulus, modulus)?;
    Ok(Law::new(
        NormalLaw::hertz(radius, modulus, settings.dissipation)?,
        FrictionLaw::smooth(contact.friction, settings.slip.unwrap_or(0.01))?,
    ))
}

/// The damping ratio of a spring from which a mass rebounds at `e` times its approach speed, by
/// bisection of the closed form at [`NormalLaw::KelvinVoigt`].
fn damping_ratio(restitution: f64) -> f64 {
    let leaves = |ratio: f64| {
        let root = (1.0 - ratio * ratio).abs().sqrt();
        let angle = if ratio < 1.0 { ratio.acos() } else { ratio.acosh() };
        // Both quotients are 1 in the critical case.
        let quotient = if root > 0.0 { angle / root } else { 1.0 };
        (-2.0 * ratio * quotient).exp()
    };
    let (mut low, mut high) = (0.0, OVERDAMPED);
    if restitution <= leaves(high) {
        return high;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if leaves(middle) > restitution { low = middle } else { high = middle }
    }
    if restitution >= 1.0 { 0.0 } else { 0.5 * (low + high) }
}

/// The result in the form of the outcome of a law; a motion that did not end has reached a limit.
fn outcome(problem: &Problem, settings: &Settings, end: &State, status: Status) -> Outcome {
    let count = problem.contacts().len().max(1);
    let components = end.impulses.len() / count;
    let impulses = end
        .impulses
        .chunks_exact(components.max(1))
        .map(|impulse| Impulse { normal: impulse[0], tangent: impulse[1..].to_vec() });
    let velocity = DVector::from_column_slice(&end.velocity);
    let status = match status {
        Status::Stopped => percussion_impact::Status::Resolved,
        Status::EnergyGained => percussion_impact::Status::EnergyGained,
        _ => percussion_impact::Status::Limit,
    };
    let stage = Stage { phase: Phase::Impact, contact: None, velocity: velocity.clone() };
    let mut outcome = Outcome {
        velocity,
        impulses: impulses.collect(),
        bilateral_impulses: DVector::zeros(0),
        trace: Trace::new(status, vec![stage]),
    };
    let claims = settings.claims();
    outcome.trace.restitution = claims.restitution_of(problem);
    // The outcome has the lengths of the problem, so it can be judged.
    if let Ok(judgement) = Certificate::judge(problem, &outcome, &claims) {
        // The integration may have gained energy that the outcome alone does not show.
        let gained = status == percussion_impact::Status::EnergyGained;
        let resolved = judgement.status == percussion_impact::Status::Resolved;
        outcome.trace.status = if gained && resolved { status } else { judgement.status };
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_damper_of_a_spring_gives_the_restitution_back() {
        assert!((damping_ratio(0.298) - 0.5).abs() < 1e-3);
        assert!(damping_ratio(1.0).abs() < 1e-15);
        assert!((damping_ratio(0.0) - OVERDAMPED).abs() < 1e-15);
    }
}
