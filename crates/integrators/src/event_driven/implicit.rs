//! One step of the scheme of Moreau and Jean for a stretch, and its error by halving.
//!
//! With `h` the step, the contacts that are closed at its start are inelastic at its end, in the rows of its end,
//!
//! ```math
//! M(q_{1/2})(v' - v) = h\,k(q_{1/2}, v_{1/2}) + J(q')^\mathsf{T} p, \qquad
//! 0 \le p_n \perp u'_n \ge 0, \quad -u'_t \in N_{\mu p_n}(p_t), \quad u' = J(q')\,v' .
//! ```
//!
//! The result `x₁` of one step and `x₂` of two half steps have errors of `C h²` and `½ C h²`, so that `|x₁ − x₂|` estimates the error
//! of `x₂`. Where every contact does the same in the three solves, `2 x₂ − x₁` has an error of third order and is taken; elsewhere `x₂`.
//! The dissipation of contacts and joints, `−p·(u + u')/2`, and the work of other forces are combined in the same way.

use nalgebra::Vector3;
use percussion_complementarity::friction;
use percussion_dynamics::System;

use super::{geometry::Geometry, settings::Resolved};
use crate::{
    contacts::Contacts,
    dry_joint::DryJoint,
    model::{Model, State},
    moreau_jean::{self, MoreauJean},
    report::StepReport,
    simulation::{Motion, Scheme, solve_driven},
    velocity_level::Exchange,
};

/// Tolerance of the contact problems relative to their sizes.
const SOLVED: f64 = 1e-11;

/// Change of a velocity in the last pass of a step as a fraction of the error of a step.
const PASSED: f64 = 1e-3;

/// Part of the bound of friction from which on it counts as reached.
const BOUND: f64 = 1.0 - 1e-6;

/// What a closed contact did in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Did {
    /// It carried nothing.
    Nothing,
    /// Friction held it.
    Stick,
    /// Friction was at its bound.
    Slip,
}

/// A contact in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) contact: usize,
    pub(super) did: Did,
    /// Mean force (N).
    pub(super) force: Vector3<f64>,
    /// Velocity at the end (m/s).
    pub(super) velocity: Vector3<f64>,
}

/// A step, or two of half the length and what follows from them.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) state: State,
    pub(super) parts: Vec<Part>,
    /// Mean friction of each joint that has any (N).
    pub(super) joints: Vec<f64>,
    /// Lost by the normal impulses, lost by friction, and work of other forces (J).
    pub(super) energies: [f64; 3],
}

impl Step {
    /// Energy since `from` that the work of contacts and other forces does not account for (J).
    pub(super) fn gain(&self, system: &dyn System, from: &State) -> f64 {
        let energy = |state: &State| system.energy(&state.coordinates, &state.velocity);
        let [normal, friction, other] = self.energies;
        energy(&self.state) - energy(from) + normal + friction - other
    }
}

/// Data that the stretches of a motion share.
#[derive(Debug, Default)]
pub(super) struct Stretches {
    pub(super) implicit: Option<Implicit>,
    /// Length of the next step (s), 0 before the first.
    pub(super) step: f64,
    /// Begin and end of the last stretch (s).
    pub(super) last: Option<(f64, f64)>,
    /// Minimum duration of the next one, if it follows soon (s): twice that of the last.
    pub(super) least: f64,
    /// Time and work at which the advance was last judged.
    pub(super) judged: (f64, usize),
    /// Duration of the last lag, and the time until which it is crossed (s).
    pub(super) lag: f64,
    pub(super) lags_until: f64,
}

/// The stepping scheme of the stretches of one motion.
#[derive(Debug)]
pub(super) struct Implicit {
    motion: Motion,
    scheme: MoreauJean,
    /// Change of each velocity's coordinate while bodies move by the length of the model.
    widths: Vec<f64>,
    /// Change of each velocity at which the passes of a step end (m/s, rad/s).
    accuracy: Vec<f64>,
    /// Numbers of passes and of iterations of their contact problems so far.
    pub(super) work: [usize; 2],
}

impl Implicit {
    /// `None` where the scheme refuses the model.
    pub(super) fn new(model: &Model, settings: &Resolved, state: &State) -> Option<Self> {
        let model = model.clone().with_own_drives();
        let widths = settings.scales.of_velocities(model.system(), &state.coordinates);
        let contacts = Contacts::new(&model);
        let mut motion = Motion { model, contacts, state: state.clone() };
        let scheme = moreau_jean::Settings {
            method: friction::Method::default(),
            tolerance: SOLVED,
            error_reduction: 0.0,
            scales: Some(settings.scales),
            ..moreau_jean::Settings::default()
        };
        let scheme = MoreauJean::start(scheme, &mut motion).ok()?;
        let part = PASSED * settings.implicit_tolerance / settings.scales.time;
        let accuracy = widths.iter().map(|width| part * width).collect();
        Some(Self { motion, scheme, widths, accuracy, work: [0; 2] })
    }

    /// A step of `length` (s) with these `closed` contacts; `None` if it has no solution to the tolerance.
    fn step(
        &mut self,
        geometry: &mut Geometry<'_>,
        from: &State,
        length: f64,
        closed: &[usize],
    ) -> Option<Step> {
        let Self { motion, scheme, accuracy, work, .. } = self;
        motion.state.clone_from(from);
        scheme.prepare(&motion.model, length, closed, accuracy);
        let time = from.time + length;
        let mut report = StepReport::new(time, 0.0);
        std::mem::swap(&mut motion.contacts, &mut geometry.contacts);
        let solved = solve_driven(scheme, motion, &mut report);
        std::mem::swap(&mut motion.contacts, &mut geometry.contacts);
        work.iter_mut().zip(scheme.work()).for_each(|(sum, new)| *sum += new);
        let of_actuators = solved.ok()?;
        let end = scheme.end();
        let (coordinates, velocity) = (end.coordinates.to_vec(), end.velocity.to_vec());
        let finite = coordinates.iter().chain(&velocity).all(|x| x.is_finite());
        if !finite {
            return None;
        }
        let exchanges = scheme.exchanges(&from.velocity);
        let mut energies = [0.0, 0.0, of_actuators + scheme.other_work(motion)];
        for Exchange { impulse, before, after, .. } in &exchanges {
            let mean = 0.5 * (before + after);
            energies[0] -= impulse.x * mean.x;
            energies[1] -= impulse.y * mean.y + impulse.z * mean.z;
        }
        let of_model = scheme.joint_friction();
        let mut joints = Vec::with_capacity(geometry.joints.len());
        for (joint, DryJoint { number, length: scale, .. }) in geometry.joints.iter().enumerate() {
            let impulse = of_model[*number] / scale;
            let ends = [&from.velocity, &velocity].map(|velocity| geometry.rate(joint, velocity));
            energies[1] -= impulse * 0.5 * (ends[0] + ends[1]);
            joints.push(impulse / length);
        }
        let part = |exchange: &Exchange| {
            let Exchange { contact, impulse, after, .. } = *exchange;
            let friction = geometry.contacts.as_slice()[contact].friction;
            let tangent = impulse.y.hypot(impulse.z);
            let did = match impulse.x {
                normal if normal <= 0.0 => Did::Nothing,
                normal if tangent < BOUND * friction * normal => Did::Stick,
                _ => Did::Slip,
            };
            Part { contact, did, force: impulse / length, velocity: after }
        };
        let parts = exchanges.iter().map(part).collect();
        Some(Step { state: State { time, coordinates, velocity }, parts, joints, energies })
    }

    /// The motion over `length` (s), and its estimated error: the largest change of a velocity or a displacement, as a fraction of its
    /// change while bodies move by the length of the model in its time.
    pub(super) fn attempt(
        &mut self,
        geometry: &mut Geometry<'_>,
        settings: &Resolved,
        from: &State,
        (length, closed): (f64, &[usize]),
    ) -> Option<(Step, f64)> {
        let full = self.step(geometry, from, length, closed)?;
        let first = self.step(geometry, from, 0.5 * length, closed)?;
        let second = self.step(geometry, &first.state, 0.5 * length, closed)?;
        let system = self.motion.model.system();
        let displacement = |to: &State| {
            let mut tangent = vec![0.0; to.velocity.len()];
            system.difference(&from.coordinates, &to.coordinates, &mut tangent);
            tangent
        };
        let (one, two) = (displacement(&full.state), displacement(&second.state));
        let mut error = 0.0_f64;
        for (k, width) in self.widths.iter().enumerate() {
            let speed = (second.state.velocity[k] - full.state.velocity[k]).abs();
            let shift = (two[k] - one[k]).abs();
            error = error.max(speed * settings.scales.time / width).max(shift / width);
        }
        let did = |step: &Step| {
            let contacts = step.parts.iter().map(|part| (part.contact, part.did));
            let joints = geometry.joints.iter().zip(&step.joints);
            let turns = joints.map(|(joint, force)| turn_of(joint, *force));
            (contacts.collect::<Vec<_>>(), turns.collect::<Vec<_>>())
        };
        let same = did(&full) == did(&first) && did(&first) == did(&second);
        let mut energies = [0, 1, 2].map(|k| first.energies[k] + second.energies[k]);
        let mut state = second.state.clone();
        state.time = from.time + length;
        if same {
            let extrapolated: Vec<f64> = two.iter().zip(&one).map(|(b, a)| 2.0 * b - a).collect();
            system.retract(&from.coordinates, &extrapolated, &mut state.coordinates);
            for (v, full) in state.velocity.iter_mut().zip(&full.state.velocity) {
                *v = 2.0 * *v - full;
            }
            for (energy, full) in energies.iter_mut().zip(full.energies) {
                *energy = 2.0 * *energy - full;
            }
        }
        Some((Step { state, energies, ..second }, error))
    }
}

/// The sign of the velocity that the friction of a joint (N) acts against if it is at its bound.
pub(super) fn turn_of(joint: &DryJoint, force: f64) -> Option<f64> {
    (force.abs() >= BOUND * joint.bound).then_some(-force.signum())
}
