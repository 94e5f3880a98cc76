//! The published channel of grains: [`parameters`].

use nalgebra::Vector3;
use percussion_granular::{Settings, channel::Parameters};
use serde::Deserialize;

use crate::{
    error::Error,
    fixture::{self, Fixture},
};

/// The parameters of the channel and of the experiment with it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Document {
    /// Length, width and height of the channel (m).
    pub(crate) size: [f64; 3],
    obstacle: [f64; 2],
    pub(crate) obstacle_radius: f64,
    radius: f64,
    density: f64,
    spacing: f64,
    speed: f64,
    perturbation: f64,
    friction: f64,
    step_size: f64,
    /// Columns along and across the channel of the published maps.
    pub(crate) cells: [f64; 2],
    /// Start and end, along the channel, of the region of the published radial distribution (m).
    pub(crate) outflow: [f64; 2],
    /// The run of the experiment at effort `quick`.
    pub(crate) quick: Run,
    pub(crate) default: Run,
    pub(crate) full: Run,
    /// The run beside it, whose overlaps are removed by velocities.
    pub(crate) beside: Beside,
    /// Duration of the film of the end of a run (s).
    pub(crate) film: f64,
    /// The published solid fraction.
    pub(crate) published_fraction: f64,
    /// Factor and solid fraction of earlier runs, stored once.
    pub(crate) runs: Vec<[f64; 2]>,
}

/// Settings of one run of the channel in an experiment.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    /// Size of the grains relative to the published ones.
    pub(crate) factor: f64,
    pub(crate) max_sweeps: usize,
    pub(crate) tolerance: f64,
    /// Start and end of the time window of the averages (s).
    pub(crate) window: [f64; 2],
}

/// What differs in the run whose overlaps are removed by velocities, as in the paper.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Beside {
    /// Fraction `ε` of an overlap that a step removes; 1 for the term `ξ/δt` itself.
    pub(crate) part: f64,
    /// Start and end of the time window of the averages (s).
    pub(crate) window: [f64; 2],
}

/// The channel of Preclik, Eibl and Rüde (2018), section 4.3, with its 247 000 grains.
///
/// [`Parameters::coarser`] has fewer and larger grains in the same channel.
///
/// # Errors
///
/// [`Error::Mechanism`], never for the embedded file.
///
/// # Example
///
/// ```
/// let channel = percussion_scenarios::channel::parameters(1)?;
/// // 247 000 balls of 0.47 mm fill 57.2 % of it, as the paper says.
/// let balls = 247_000.0 * 4.0 / 3.0 * std::f64::consts::PI * channel.radius.powi(3);
/// assert!((balls / channel.volume() - 0.572).abs() < 1e-3);
/// # Ok::<(), percussion_scenarios::Error>(())
/// ```
pub fn parameters(seed: u64) -> Result<Parameters, Error> {
    Ok(Document::read()?.parameters.parameters(seed))
}

impl Document {
    pub(crate) fn read() -> Result<Fixture<Self>, Error> {
        fixture::read("granular/channel", include_str!("../fixtures/granular/channel.toml"))
    }

    /// The published channel.
    pub(crate) fn parameters(&self, seed: u64) -> Parameters {
        let Self { friction, step_size, .. } = *self;
        Parameters {
            size: Vector3::from(self.size),
            obstacle: self.obstacle,
            obstacle_radius: self.obstacle_radius,
            radius: self.radius,
            density: self.density,
            spacing: self.spacing,
            speed: self.speed,
            perturbation: self.perturbation,
            settings: Settings { friction, step_size, ..Settings::default() },
            seed,
        }
    }
}
