//! Ensembles: many [event-driven](crate::event_driven) motions from one start, with impacts whose outcomes are drawn.
//!
//! Rigid-body mechanics does not determine the outcome of an impact with several contacts. Each impact of each member draws one
//! outcome of the [set](percussion_impact::set_valued), with random numbers of its own
//! ([`Member`](percussion_impact::set_valued::Member)), and the members together show what may happen:
//!
//! - [`Band`]s: quantiles of each coordinate and of the energy over time, with the least and the greatest value of all members;
//! - the share of the members that ended with each [`Status`], and in each joint mode of the contacts;
//! - the share of each [`Sequence`] of impacts and modes, from the first phase on.
//!
//! Each [`Share`] has the interval of Clopper and Pearson for its probability
//! ([`proportion`]). These are probabilities of the draws: a physical probability only if
//! the draws are a model of what is unknown about the contacts. The draws are uniform increments of impulses up to a step
//! ([`set_valued::Settings`]), and other draws would give the same set with other probabilities.
//!
//! - **Needs** what event-driven motion needs.
//! - **Limits** The members share the errors of the integration; the intervals only account for the number of members.
//! - **Cost** that of its members. The values of the bands are stored until the end, at most [`NUMBER_LIMIT`] of them.
//! - **Deterministic** with the feature `rayon`, members are followed in parallel; the bits do not depend on the number of threads.
//!
//! # Source
//!
//! M. Halm, M. Posa, "Set-valued rigid-body dynamics for simultaneous, inelastic, frictional impacts", *International Journal of
//! Robotics Research* 43 (2024), section 7, who propose to propagate samples of the set through time.
//!
//! # Example
//!
//! A block of 1 m × 2 m falls flat from 1 cm on two corners. It lands after `√(2 · 0.01/9.81)` = 0.0452 s in every motion. Then it
//! rests, or turns about one of its corners.
//!
//! ```
//! use nalgebra::{Vector2, Vector3};
//! use percussion_dynamics::gap::{Plane, Sphere, SpherePlane};
//! use percussion_dynamics::{PlanarBodies, PlanarBody};
//! use percussion_integrators::ensemble::{Settings, run};
//! use percussion_integrators::{Contact, Model, State};
//!
//! let block = PlanarBody::new(1.0, 5.0 / 12.0);
//! let block = PlanarBodies::new(vec![block], Vector2::new(0.0, -9.81))?;
//! let floor = Plane::new(&Vector3::y(), &Vector3::zeros())?;
//! let corner = |x: f64| -> Result<_, Box<dyn std::error::Error>> {
//!     let corner = Sphere::on_body(0, Vector3::new(x, -1.0, 0.0), 0.0);
//!     Ok(Contact::new(SpherePlane::new(corner, floor.clone())?, 1.0))
//! };
//! let model = Model::new(Box::new(block), vec![corner(-0.5)?, corner(0.5)?])?;
//! let start = State { time: 0.0, coordinates: vec![0.0, 1.01, 0.0], velocity: vec![0.0; 3] };
//!
//! let settings = Settings { members: 20, ..Settings::default() };
//! let ensemble = run(&model, &|_member| start.clone(), 0.1, &settings, &|_done| ())?;
//! let height = &ensemble.bands[1];
//! let falling = &height.points[20]; // 0.02 s
//! assert_eq!(falling.least, falling.greatest);
//! assert!((falling.least - (1.01 - 4.905 * 0.02 * 0.02)).abs() < 1e-9);
//!
//! // In the second phase it stands on one corner or on both.
//! let standing = ensemble.sequences.iter().map(|share| share.value.phases[1].closed.len());
//! assert!(standing.into_iter().all(|corners| [1, 2].contains(&corners)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bands;
mod sequence;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use percussion_impact::{
    RestitutionUse,
    guarantee::{self, proportion},
    set_valued::{self, SetValuedRouth},
};
#[cfg(feature = "rayon")]
use rayon::prelude::*;

use crate::{
    event_driven::{self, Counters, EnergyAccount, Status, integrate},
    model::{Model, State},
};

pub use bands::{Band, Point};
pub use sequence::{Entry, Phase, Place, Sequence};

use bands::Recorder;

/// Maximum number of values that the bands of an ensemble may store: 1 GiB.
pub const NUMBER_LIMIT: usize = 1 << 27;

/// Number of members between two calls of `progress`.
const WAVE: u32 = 64;

/// Settings of an ensemble.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Settings {
    /// Number of members (≥ 1, default 100).
    pub members: u32,
    /// Draws of the impacts: the seed, the step, by default that of each impact, and the number of steps of a sample, by default
    /// 100. The number of samples has no effect.
    pub law: set_valued::Settings,
    /// Settings of the motions; the interval between samples is that of the bands.
    pub motion: event_driven::Settings,
    /// Number of equal intervals of time between the points of the bands (≥ 1, default 100).
    pub intervals: usize,
    /// Shares of the members below the lines of the bands (in `(0, 1)`, increasing; default 0.05, 0.25, 0.5, 0.75, 0.95).
    pub quantiles: Vec<f64>,
    /// Maximum number of phases of a sequence (≥ 1, default 6); later phases are not distinguished.
    pub phases: usize,
    /// Probability that the interval of a share is wrong (in `(0, 1]`, default 0.05).
    pub failure: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            members: 100,
            law: set_valued::Settings { steps: 100, ..set_valued::Settings::default() },
            motion: event_driven::Settings::default(),
            intervals: 100,
            quantiles: vec![0.05, 0.25, 0.5, 0.75, 0.95],
            phases: 6,
            failure: 0.05,
        }
    }
}

/// Reasons why there is no ensemble.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting is outside its documented range.
    #[error("setting `{name}` is {value:?}, expected {expected}")]
    Setting {
        /// Name of the setting.
        name: &'static str,
        /// Value given.
        value: f64,
        /// Accepted values.
        expected: &'static str,
    },
    /// The draws of the impacts are refused.
    #[error(transparent)]
    Law(#[from] percussion_impact::Error),
    /// The values of the bands would not fit in the limit.
    #[error(
        "the bands would store {found} values, expected at most {limit}: fewer members or intervals"
    )]
    TooLarge {
        /// Members times points times quantities.
        found: u128,
        /// [`NUMBER_LIMIT`].
        limit: usize,
    },
    /// A member could not start or continue.
    #[error("member {member}: {source}")]
    Member {
        /// Number of the member, the first that failed.
        member: u32,
        /// Its cause.
        source: event_driven::Error,
    },
}

/// How one motion ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Member {
    /// Its number, from 0.
    pub number: u32,
    /// How it ended.
    pub status: Status,
    /// The last state.
    pub state: State,
    /// Its impacts and modes.
    pub sequence: Sequence,
    /// The closed contacts at its end.
    pub ending: Phase,
    /// The energy balance.
    pub energy: EnergyAccount,
    /// Deepest overlap of any contact (m).
    pub penetration: f64,
    /// Its cost.
    pub counters: Counters,
}

/// How many members have something in common.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Share<T> {
    /// The value that these members share: a status, the closed contacts at the end, or a sequence.
    pub value: T,
    /// Number of these members.
    pub count: u64,
    /// Number of the first of them.
    pub first: u32,
    /// Interval that contains the probability, except with the chance [`Settings::failure`]; each interval by itself.
    pub probability: [f64; 2],
}

/// Result of [`run`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Ensemble {
    /// The members by number.
    pub members: Vec<Member>,
    /// The bands of the coordinates, in their order, and that of the energy.
    pub bands: Vec<Band>,
    /// Shares of how members ended, the most frequent first.
    pub statuses: Vec<Share<Status>>,
    /// Shares of the closed contacts at the end, and how that phase began.
    pub endings: Vec<Share<Phase>>,
    /// Shares of the sequences.
    pub sequences: Vec<Share<Sequence>>,
    /// How the law used the coefficients of restitution, over all impacts.
    pub restitution: RestitutionUse,
}

/// Follows the members of an ensemble of motions of `model` until the time `end` (s).
///
/// `start` gives the start of each member, by its number; all must have the same time. `progress` is called on the calling thread
/// with the number of members done, from time to time and at the end.
///
/// # Errors
///
/// [`Error`]: a setting out of its range, or the first member that could not start or continue. A motion that ends early is no
/// error but a [`Status`], and its coordinates count in the bands until then.
pub fn run(
    model: &Model,
    start: &(dyn Fn(u32) -> State + Sync),
    end: f64,
    settings: &Settings,
    progress: &dyn Fn(u32),
) -> Result<Ensemble, Error> {
    let watch = |done| {
        progress(done);
        ControlFlow::Continue(())
    };
    run_while(model, start, end, settings, &watch)
}

/// Like [`run`], but ends with the members so far where `watch`, which receives the number of members done, answers
/// [`ControlFlow::Break`]. The first members, up to 64 of them, are always followed; the members of the result are the same
/// as those of the whole ensemble.
///
/// # Errors
///
/// As [`run`].
pub fn run_while(
    model: &Model,
    start: &(dyn Fn(u32) -> State + Sync),
    end: f64,
    settings: &Settings,
    watch: &dyn Fn(u32) -> ControlFlow<()>,
) -> Result<Ensemble, Error> {
    check(settings, model)?;
    let follow = |number: u32| {
        let law = set_valued::Member::new(SetValuedRouth::new(settings.law), number)?;
        let start = start(number);
        let mut recorder = Recorder::new(&start, end, settings.intervals);
        let motion = event_driven::Settings {
            sample_interval: Some(recorder.interval()),
            ..settings.motion
        };
        let motion = integrate(model, &law, &motion, &start, end, &mut |at| recorder.record(at));
        let report = motion.map_err(|source| Error::Member { member: number, source })?;
        let (sequence, ending) = sequence::of(&report, start.time, settings.phases);
        let member = Member {
            number,
            status: report.status,
            state: report.state,
            sequence,
            ending,
            energy: report.energy,
            penetration: report.drift.penetration,
            counters: report.counters,
        };
        Ok((member, recorder.values, report.restitution))
    };
    let mut members = Vec::new();
    let mut values = Vec::new();
    let mut restitution = RestitutionUse::None;
    for first in (0..settings.members).step_by(WAVE as usize) {
        let wave = first..settings.members.min(first.saturating_add(WAVE));
        let done = wave.end;
        #[cfg(feature = "rayon")]
        let parts: Vec<Result<_, Error>> = wave.into_par_iter().map(follow).collect();
        #[cfg(not(feature = "rayon"))]
        let parts: Vec<Result<_, Error>> = wave.map(follow).collect();
        for part in parts {
            let (member, of_member, used) = part?;
            members.push(member);
            values.push(of_member);
            restitution = restitution.max(used);
        }
        if watch(done).is_break() {
            break;
        }
    }
    let times = bands::times(start(0).time, end, settings.intervals);
    let failure = settings.failure;
    Ok(Ensemble {
        bands: bands::of(&times, &values, &settings.quantiles),
        statuses: tally(&members, failure, &|member| member.status),
        endings: tally(&members, failure, &|member| member.ending.clone()),
        sequences: tally(&members, failure, &|member| member.sequence.clone()),
        members,
        restitution,
    })
}

/// How many of the `members` have each value of `key`, the most frequent value first, then the one that was seen first; each
/// interval is wrong with a chance of at most `failure` (in `(0, 1]`, otherwise it is NaN).
pub fn tally<T: Clone + Ord>(
    members: &[Member],
    failure: f64,
    key: &dyn Fn(&Member) -> T,
) -> Vec<Share<T>> {
    let mut counts = std::collections::BTreeMap::new();
    for member in members {
        counts.entry(key(member)).or_insert((0_u64, member.number)).0 += 1;
    }
    let interval = |count: u64| -> Result<[f64; 2], guarantee::Error> {
        proportion(count, members.len() as u64, failure)
    };
    let share = |(value, (count, first)): (T, (u64, u32))| Share {
        value,
        count,
        first,
        probability: interval(count).unwrap_or([f64::NAN; 2]),
    };
    let mut shares: Vec<_> = counts.into_iter().map(share).collect();
    shares.sort_by_key(|share| (std::cmp::Reverse(share.count), share.first));
    shares
}

fn check(settings: &Settings, model: &Model) -> Result<(), Error> {
    let refuse = |name, value, expected| Err(Error::Setting { name, value, expected });
    if settings.members == 0 {
        return refuse("members", 0.0, "at least 1");
    }
    if settings.intervals == 0 {
        return refuse("intervals", 0.0, "at least 1");
    }
    if settings.phases == 0 {
        return refuse("phases", 0.0, "at least 1");
    }
    if !(settings.failure > 0.0 && settings.failure <= 1.0) {
        return refuse("failure", settings.failure, "a probability in (0, 1]");
    }
    let mut last = 0.0;
    for &value in &settings.quantiles {
        if !(value > last && value < 1.0) {
            return refuse("quantiles", value, "increasing numbers in (0, 1)");
        }
        last = value;
    }
    let quantities = model.system().coordinate_count() as u128 + 1;
    let found = u128::from(settings.members) * (settings.intervals as u128 + 1) * quantities;
    if found > NUMBER_LIMIT as u128 {
        return Err(Error::TooLarge { found, limit: NUMBER_LIMIT });
    }
    // Refuses draws that are not independent before the first member.
    set_valued::Member::new(SetValuedRouth::new(settings.law), 0)?;
    Ok(())
}
