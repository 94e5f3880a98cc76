//! The published channel of grains: [`parameters`].

use nalgebra::Vector3;
use percussion_granular::{Settings, channel::Parameters};
use serde::Deserialize;

use crate::{document, error::Error};

/// The file of the channel.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    size: [f64; 3],
    obstacle: [f64; 2],
    obstacle_radius: f64,
    radius: f64,
    density: f64,
    spacing: f64,
    speed: f64,
    perturbation: f64,
    friction: f64,
    step_size: f64,
}

/// The channel of Preclik, Eibl and Rüde (2018), section 4.3, with its 247 000 grains.
///
/// [`Parameters::coarser`] has fewer and larger grains in the same channel.
///
/// # Errors
///
/// [`Error::Format`], never for the embedded file.
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
    let text = include_str!("../fixtures/granular/channel.toml");
    let document: Document = document::parse(text, "channel")?;
    let Document { friction, step_size, .. } = document;
    Ok(Parameters {
        size: Vector3::from(document.size),
        obstacle: document.obstacle,
        obstacle_radius: document.obstacle_radius,
        radius: document.radius,
        density: document.density,
        spacing: document.spacing,
        speed: document.speed,
        perturbation: document.perturbation,
        settings: Settings { friction, step_size, ..Settings::default() },
        seed,
    })
}
