//! The compliant reference of an impact: [`ImpactScenario::compliant`] gives its contacts springs and
//! integrates from touchdown until they have parted.
//!
//! Every impact of this module has geometry, so it can also happen in time: bodies keep their shapes and
//! overlap a little, contact forces follow from the overlap, and nothing else acts but gravity, if
//! given. It is over when no contact presses and none approaches. What comes out
//! stands beside the answers of the laws, with a certificate of its own; the momentum residual of this one
//! says how far the positions moved meanwhile.
//!
//! | law of a contact | if | parameters |
//! | --- | --- | --- |
//! | Hertz with the damping of Hunt and Crossley, smooth friction, acting at half depth on a plane | `modulus` is given | `modulus` of both bodies, `rule`, `dissipation`, `slip` |
//! | spring and damper that do not pull, Coulomb friction within a width of slip | otherwise | `depth` of a contact alone; the damper follows from the [restitution](super::Contact::restitution) |
//!
//! The damper of a spring is the one that gives a mass alone its restitution back, up to the damping
//! ratio 5, which leaves `e = 0.0093` for contacts without. All contacts have the same stiffness. For
//! smaller and smaller `depth` the outcome converges to that of infinitely stiff contacts, of which there
//! are as many as ratios of stiffness where several contacts strike at once: the limit is *one* of the
//! answers that rigid bodies have.
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
    Certificate, Outcome, Problem,
    certificate::Claims,
    outcome::{self, Impulse, RestitutionUse, Trace},
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

/// Largest damping ratio, of contacts without restitution.
const OVERDAMPED: f64 = 5.0;

/// Times that a contact takes from touchdown to its greatest depth, after which the integration gives up.
const PATIENCE: f64 = 1e4;

/// Part of the fastest approach before the impact below which a contact does not approach any more.
const STILL: f64 = 1e-9;

/// How contacts give way; the [module head](self) says which fields belong together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Elastic modulus of both bodies of every contact (Pa), positive; without it (the default) contacts
    /// are springs.
    pub modulus: Option<f64>,
    /// How the two moduli combine (default Hertz's rule).
    pub rule: Rule,
    /// Dissipation coefficient of Hunt and Crossley (s/m), at least 0 (default 0).
    pub dissipation: f64,
    /// Depth to which the fastest approach presses a spring without damping (m), positive (default 1e-6).
    pub depth: f64,
    /// Slip at which friction is fully developed (m/s), positive; by default 0.01 m/s with a modulus, and
    /// for springs a thousandth of the fastest velocity of a contact before the impact.
    pub slip: Option<f64>,
    /// Acceleration of gravity meanwhile (m/s²; two or three numbers), default none: it is no part of an
    /// impact, but of a soft collision that takes its time.
    #[serde(deserialize_with = "super::vector")]
    pub gravity: [f64; 3],
    /// Relative tolerance of the integration, in `[1e-13, 0.1]` (default 1e-8); the absolute ones are this
    /// part of depth, speed and momentum.
    pub tolerance: f64,
    /// Method of the integration (default Tsitouras': an impact is followed, not stepped over, so that
    /// an explicit method does).
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

/// How two moduli combine, as [`ModulusRule`] describes.
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
    /// What an impact followed in time is judged by: percussions push and lie in their cones, and the energy does not grow, to the
    /// tolerance of the integration. Momentum, approach and joints are not judged by the rows at touchdown, which turn meanwhile.
    /// Springs have the restitution of the contacts, a modulus with a dissipation replaces it.
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
    /// [`Error::Value`] with the field, as in `compliant.depth`.
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

/// Steps whose errors, each of at most the relative tolerance, may add up in an impact.
const STEPS: f64 = 1e3;

/// What became of an impact with compliant contacts.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    /// Velocity and percussions, `∫ f dt` of every contact in its own frame.
    pub outcome: Outcome,
    /// How the integration ended; [`Status::Stopped`] where the impact came to its end.
    pub status: Status,
    /// Time from touchdown to the end (s).
    pub duration: f64,
    /// Greatest overlap at the end of a step (m).
    pub depth: f64,
    /// The state at the end.
    pub end: State,
    /// What it cost.
    pub counters: Counters,
}

impl ImpactScenario {
    /// Lets the impact happen with compliant contacts; `observer` sees every step.
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build); [`Error::CompliantContact`] for a contact that has no radius or a parameter out
    /// of range; [`Error::Value`] for a contact with a `tangent` of its own.
    ///
    /// # Example
    ///
    /// A ball of 1 kg and 0.1 m falls at 2 m/s on elastic ground and leaves with 2 m/s: 4 N·s. Two moduli of 10¹⁰ Pa
    /// are an effective one of 5 · 10⁹ Pa, and Hertz's contact takes 2.943 δ/v = 0.522 ms with its depth
    /// δ = (15 m v²/(16 E* √R))^(2/5) = 0.355 mm.
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

/// An impact with compliant contacts, ready to happen any number of times.
#[derive(Debug)]
pub struct CompliantImpact {
    model: Model,
    start: State,
    problem: Problem,
    scale: Scale,
    settings: Settings,
}

impl CompliantImpact {
    /// Gives the contacts of an impact their springs.
    ///
    /// # Errors
    ///
    /// [`Error::NoCompliance`] for an impact without bodies in a file of its own; [`Error::CompliantContact`] for a contact
    /// that has no radius or a parameter out of range; [`Error::Value`] for a contact with a `tangent` of its own.
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

    /// Lets it happen; `observer` sees every step.
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
    /// Where the bodies are at the time `until` (s) under gravity (m/s²), from `state` on, with contacts that give way.
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

    /// The impact with these contacts, under gravity alone.
    fn compliant_model(
        &self,
        settings: &Settings,
        scale: &Scale,
        gravity: Vector3<f64>,
    ) -> Result<Model, Error> {
        let (Origin::Impact(scenario), Some(tree)) = (&self.origin, &self.mechanism.tree) else {
            return Err(Error::NoCompliance { impact: self.name.clone() });
        };
        // The impact itself does not feel gravity.
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

/// Sizes of an impact, from the fastest approach and the contact that is hardest to move.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// Fastest approach and fastest velocity of a contact before the impact (m/s).
    approach: f64,
    speed: f64,
    /// Largest mass that a contact feels along its normal (kg).
    mass: f64,
    /// Depth and time to get there (m, s).
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
        // Without an approach nothing happens, in whatever time.
        let pace = if approach > 0.0 { approach } else { 1.0 };
        let depth = match settings.modulus {
            // Of Hertz's contact with a radius of 1 m; the fifth root makes little of it.
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

/// The damping ratio of a spring on which a mass leaves at `e` times the speed at which it landed, by
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

/// What came out, as the answer of a law; a motion without an end has met a limit.
fn outcome(problem: &Problem, settings: &Settings, end: &State, status: Status) -> Outcome {
    let count = problem.contacts().len().max(1);
    let components = end.impulses.len() / count;
    let impulses = end
        .impulses
        .chunks_exact(components.max(1))
        .map(|impulse| Impulse { normal: impulse[0], tangent: impulse[1..].to_vec() });
    let velocity = DVector::from_column_slice(&end.velocity);
    let status = match status {
        Status::Stopped => outcome::Status::Resolved,
        Status::EnergyGained => outcome::Status::EnergyGained,
        _ => outcome::Status::Limit,
    };
    let stage =
        outcome::Stage { phase: outcome::Phase::Impact, contact: None, velocity: velocity.clone() };
    let mut outcome = Outcome {
        velocity,
        impulses: impulses.collect(),
        bilateral_impulses: DVector::zeros(0),
        trace: Trace::new(status, vec![stage]),
    };
    let claims = settings.claims();
    outcome.trace.restitution = claims.restitution_of(problem);
    // It has the lengths of the problem, so that it can be judged.
    if let Ok(judgement) = Certificate::judge(problem, &outcome, &claims) {
        // The integration may have gained energy that the outcome by itself does not show.
        let gained = status == outcome::Status::EnergyGained;
        let resolved = judgement.status == outcome::Status::Resolved;
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
