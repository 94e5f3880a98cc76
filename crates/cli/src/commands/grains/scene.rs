//! The scenes of grains: [`Scene`].

use std::path::Path;

use anyhow::{Context, Result, ensure};
use nalgebra::Vector3;
use percussion_granular::{Domain, Error as StepError, Report, Settings, World, channel::Channel};
use percussion_mechanism::{
    Error,
    grains::{BUILT_IN, Run, Scene as File},
};
use percussion_report::number::short;
use percussion_scenarios::channel;

use super::Machine;
use crate::{arguments::Grains, catalogue::CHANNEL, input};

/// Above this number of steps, `2⁵³`, the table cannot represent every step number as a double.
const MOST_STEPS: f64 = 9_007_199_254_740_992.0;

/// A domain and what comes into it and leaves it.
pub(super) enum Scene<D> {
    Channel(Box<Channel<D>>),
    Run(Box<Run<D>>),
}

impl<D: Domain> Scene<D> {
    pub(super) fn new(arguments: &Grains, machine: &mut impl Machine<Domain = D>) -> Result<Self> {
        let Grains { scene: name, factor, seed, .. } = arguments;
        let mut scene = if name == CHANNEL[0] {
            let parameters = channel::parameters(*seed)?.coarser(*factor);
            let corners = [Vector3::zeros(), parameters.size];
            let make = |settings, walls| machine.domain(settings, walls, corners, [false; 3]);
            Self::Channel(Box::new(Channel::with(parameters, make)?))
        } else {
            let (file, folder) = file(name)?;
            let run = file.scaled(*factor).and_then(|file| {
                if file.is_shaped() {
                    let make = |settings, walls, molds, smallest| {
                        machine.shaped(settings, walls, molds, smallest)
                    };
                    return Run::with_shapes(file, folder, make);
                }
                let (corners, repeats) = (file.extent(), file.repeats());
                let make = |settings, walls| machine.domain(settings, walls, corners, repeats);
                Run::with(file, folder, make)
            });
            Self::Run(Box::new(run.with_context(|| format!("`{name}`"))?))
        };
        let settings = *scene.world().settings();
        scene.set_settings(Settings {
            max_sweeps: arguments.max_sweeps.map_or(settings.max_sweeps, saturated),
            tolerance: arguments.tolerance.unwrap_or(settings.tolerance),
            ..settings
        })?;
        Ok(scene)
    }

    /// Checks the domain after it was restored.
    pub(super) fn check_walls(&self) -> Result<()> {
        match self {
            Self::Channel(channel) => channel.check_walls()?,
            Self::Run(run) => run.check_walls()?,
        }
        Ok(())
    }

    /// The domain of the grains.
    pub(super) const fn domain(&mut self) -> &mut D {
        match self {
            Self::Channel(channel) => channel.domain(),
            Self::Run(run) => run.domain(),
        }
    }

    /// Makes a step; `watch` sees the domain of a scene from a file before grains are removed.
    pub(super) fn step(&mut self, watch: &mut dyn FnMut(&mut D)) -> Result<Report, Error> {
        match self {
            Self::Channel(channel) => Ok(channel.step()?),
            Self::Run(run) => run.step_watched(&mut |domain, _| watch(domain)),
        }
    }

    pub(super) fn world(&self) -> &World {
        match self {
            Self::Channel(channel) => channel.world(),
            Self::Run(run) => run.world(),
        }
    }

    /// The scene of a file or a built-in one; none of the channel.
    pub(super) const fn run(&self) -> Option<&Run<D>> {
        match self {
            Self::Channel(_) => None,
            Self::Run(run) => Some(run),
        }
    }

    /// One line for people.
    pub(super) fn title(&self) -> &str {
        self.run().map_or(CHANNEL[1], |run| &run.scene().title)
    }

    /// Fraction of the channel that this number of grains fills.
    pub(super) fn solid_fraction(&self, grains: f64) -> Option<f64> {
        match self {
            Self::Channel(channel) => Some(channel.parameters().solid_fraction(grains)),
            Self::Run(_) => None,
        }
    }

    /// How long it is run by default (s).
    pub(super) fn duration(&self) -> f64 {
        self.run().map_or(0.5, |run| run.scene().duration)
    }

    /// Steps between pictures and between checkpoints, as the arguments or else the scene have them.
    pub(super) fn intervals(&self, arguments: &Grains) -> (Option<u64>, u64) {
        let output = self.run().map(|run| run.scene().output).unwrap_or_default();
        let step_size = self.world().settings().step_size;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "casts saturate"
        )]
        let steps = |time: f64| ((time / step_size).round() as u64).max(1);
        let pictures = arguments.vtk_every.or_else(|| output.pictures.map(steps));
        let checkpoints = arguments.checkpoint_every.or_else(|| output.checkpoints.map(steps));
        (pictures, checkpoints.unwrap_or(1000))
    }

    /// The number of steps after which `time` (s) has passed.
    pub(super) fn steps_until(&self, time: f64) -> Result<u64> {
        let step_size = self.world().settings().step_size;
        let steps = (time / step_size).round();
        ensure!(
            steps <= MOST_STEPS,
            "`duration` (`--duration`) is {} s, expected at most {} s, which are 2⁵³ steps of {} s",
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
        // A file is known by its text, wherever it lies.
        let scene = match self.run() {
            Some(run) if !is_built_in(scene) => {
                format!("scene {:016x}", run.scene().fingerprint())
            }
            _ => scene.clone(),
        };
        Ok(format!(
            "{scene}, factor {factor:?}, seed {seed}, sweeps {max_sweeps}, tolerance {tolerance:?}"
        ))
    }

    fn set_settings(&mut self, settings: Settings) -> Result<(), StepError> {
        match self {
            Self::Channel(channel) => channel.set_settings(settings),
            Self::Run(run) => run.set_settings(settings),
        }
    }
}

/// Converts a count; one that exceeds the largest `usize` can never be reached and becomes that value.
fn saturated(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

fn is_built_in(name: &str) -> bool {
    BUILT_IN.iter().any(|(known, _)| *known == name)
}

/// Whether the grains of a scene have shapes; false for one that cannot be read, which is refused later.
pub(super) fn is_shaped(name: &str) -> bool {
    name != CHANNEL[0] && file(name).is_ok_and(|(file, _)| file.is_shaped())
}

/// The built-in scene called `name`, or that in the file `name`, and the folder of its meshes.
fn file(name: &str) -> Result<(File, &Path)> {
    let path = Path::new(name);
    if is_built_in(name) {
        return Ok((File::built_in(name)?, Path::new(".")));
    }
    let known = std::iter::once(CHANNEL[0]).chain(BUILT_IN.iter().map(|(known, _)| *known));
    input::check_file(path, "a TOML file", known)?;
    let file = File::read(path).with_context(|| format!("`{name}`"));
    let file = file.map_err(|error| input::misplaced(name, &[input::Kind::Scene], error))?;
    Ok((file, path.parent().unwrap_or_else(|| Path::new("."))))
}
