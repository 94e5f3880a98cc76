//! The scenes of grains: [`Scene`].

use anyhow::{Result, ensure};
use percussion_granular::{Error, Report, Settings, World, channel::Channel, scenes};
use percussion_report::number::short;
use percussion_scenarios::channel;

use crate::{
    arguments::{GrainScene, Grains},
    output::name_of,
};

/// Above this number of steps, `2⁵³`, the table cannot represent every step number as a double.
const MOST_STEPS: f64 = 9_007_199_254_740_992.0;

/// A world, and the grains that enter and leave it.
pub(super) enum Scene {
    Channel(Box<Channel>),
    /// A world from which grains below zero height are removed.
    Hopper(Box<World>),
    Closed(Box<World>),
}

impl Scene {
    pub(super) fn new(arguments: &Grains) -> Result<Self> {
        let factor = arguments.factor;
        let diameter = factor * 0.01;
        let mut scene = match arguments.scene {
            GrainScene::Channel => {
                let parameters = channel::parameters(arguments.seed)?.coarser(factor);
                Self::Channel(Box::new(Channel::new(parameters)?))
            }
            GrainScene::Hopper => {
                let world = scenes::hopper(diameter, 5.0 * diameter, [20, 4, 40])?;
                Self::Hopper(Box::new(world))
            }
            GrainScene::Column => Self::closed(scenes::column(diameter, 10, 40)?),
            GrainScene::Drum => Self::closed(scenes::drum(diameter, 10.0 * diameter, 4, 3.0)?),
            GrainScene::DamBreak => Self::closed(scenes::dam_break(diameter, [20, 5, 20])?),
            GrainScene::SixBySixBySix => Self::closed(scenes::six_by_six_by_six()?),
        };
        let settings = *scene.world().settings();
        scene.set_settings(Settings {
            max_sweeps: arguments.max_sweeps.map_or(settings.max_sweeps, saturated),
            tolerance: arguments.tolerance.unwrap_or(settings.tolerance),
            ..settings
        })?;
        Ok(scene)
    }

    fn closed(world: World) -> Self {
        Self::Closed(Box::new(world))
    }

    /// The scene with its world at another time.
    pub(super) fn resumed(&self, world: World) -> Result<Self, Error> {
        Ok(match self {
            Self::Channel(channel) => {
                Self::Channel(Box::new(Channel::resume(*channel.parameters(), world)?))
            }
            Self::Hopper(_) => Self::Hopper(Box::new(world)),
            Self::Closed(_) => Self::closed(world),
        })
    }

    pub(super) fn step(&mut self) -> Result<Report, Error> {
        match self {
            Self::Channel(channel) => channel.step(),
            Self::Closed(world) => world.step(),
            Self::Hopper(world) => {
                let report = world.step()?;
                world.remove(|grain| grain.position.z < 0.0);
                Ok(report)
            }
        }
    }

    pub(super) const fn world(&self) -> &World {
        match self {
            Self::Channel(channel) => channel.world(),
            Self::Hopper(world) | Self::Closed(world) => world,
        }
    }

    pub(super) fn solid_fraction(&self) -> Option<f64> {
        match self {
            Self::Channel(channel) => Some(channel.solid_fraction()),
            _ => None,
        }
    }

    /// Default duration (s): until the scene is steady or at rest.
    pub(super) const fn duration(&self) -> f64 {
        match self {
            Self::Channel(_) => 0.5,
            Self::Hopper(_) | Self::Closed(_) => 2.0,
        }
    }

    /// The number of steps after which `time` (s) has passed.
    pub(super) fn steps_until(&self, time: f64) -> Result<u64> {
        let step_size = self.world().settings().step_size;
        let steps = (time / step_size).round();
        ensure!(
            steps <= MOST_STEPS,
            "`--duration` is {} s, expected at most {} s, which are 2⁵³ steps of {} s",
            short(time),
            short(MOST_STEPS * step_size),
            short(step_size)
        );
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an integer from 0 to 2⁵³"
        )]
        let steps = steps as u64;
        Ok(steps)
    }

    /// Text that identifies this run.
    pub(super) fn note(&self, arguments: &Grains) -> Result<String> {
        let Grains { scene, factor, seed, .. } = arguments;
        let Settings { max_sweeps, tolerance, .. } = self.world().settings();
        let scene = name_of(scene);
        Ok(format!(
            "{scene}, factor {factor:?}, seed {seed}, sweeps {max_sweeps}, tolerance {tolerance:?}"
        ))
    }

    fn set_settings(&mut self, settings: Settings) -> Result<(), Error> {
        match self {
            Self::Channel(channel) => channel.set_settings(settings),
            Self::Hopper(world) | Self::Closed(world) => world.set_settings(settings),
        }
    }
}

/// Converts a count; one that exceeds the largest `usize` can never be reached and becomes that value.
fn saturated(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}
