//! Grains from files: a [`Scene`] of walls and grains in TOML, and the [`Run`] that moves it.
//!
//! # Example
//!
//! 300 grains of 1 cm run out of a bin with a round hole of 8 cm.
//!
//! ```
//! use std::path::Path;
//! use percussion_mechanism::grains::{Run, Scene};
//!
//! let scene = Scene::from_toml_str(r#"
//!     title = "A bin runs out"
//!     duration = 1.0
//!     friction = 0.5
//!
//!     [[grains]]
//!     diameter = 0.01
//!     density = 2500.0
//!
//!     [[walls]]
//!     name = "side"
//!     shape.cone = { from = [0, 0, 0], to = [0, 0, 1], radii = [0.1, 0.1] }
//!
//!     [[walls]]
//!     name = "floor with a hole"
//!     shape.cone = { from = [0, 0, 0], to = [0, 0, 0], radii = [0.04, 0.1] }
//!
//!     [[insert]]
//!     random.count = 300
//!     region.cylinder = { from = [0, 0, 0], to = [0, 0, 0.2], radius = 0.1 }
//!
//!     [[remove]]
//!     behind = { point = [0, 0, -0.1], normal = [0, 0, 1] }
//! "#)?;
//! let mut run = Run::new(scene, Path::new("."))?;
//! assert_eq!(run.world().grains().len(), 300);
//! for _ in 0..500 {
//!     run.step()?;
//! }
//! assert!(run.world().grains().len() < 250, "a part has left");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Format
//!
//! Lengths in m, masses in kg, times in s, angles in rad.
//!
//! | field | content |
//! | --- | --- |
//! | `title`, `source` | one line for people; where the scene is from (optional) |
//! | `duration` | time to be reached |
//! | `friction`, `restitution` | coefficients of all contacts without one of their own, of restitution 0 by default |
//! | `rolling_friction`, `spinning_friction` | lengths by which these contacts resist rolling and spinning, 0 by default |
//! | `gravity`, `step_size` | default `[0, 0, -9.81]`; default a tenth of the time in which the smallest grain falls by its diameter, at most 1 ms; with shapes a quarter of that |
//! | `[steps]` | `max_sweeps`, `tolerance`, `skin` of [`percussion_granular::Settings`], `inelastic_below` of [`percussion_granular::Materials`] |
//! | `[[grains]]` | `name`, `material`; [`shape`](GrainShape), or balls; `diameter`, or [`sizes`](Sizes), of the ball of equal volume; `density` or `mass` |
//! | `[[walls]]` | `name`, `material`, `friction`, [`shape`](WallShape), and a motion: `velocity`, `angular_velocity` with `center`, `vibration`, within the times `from` and `until`; there from `appears` until `vanishes`; or a force by [`servo`](ServoOf) |
//! | `[[materials]]` | `between` two materials: these four |
//! | `[[insert]]` | `lattice`, `random` or `stream` of `grains` in a [`region`](Region), at `time`, with `velocity`, by `seed`; grains with a shape turned by `angle` about `axis`, or at random |
//! | `[[remove]]` | grains `behind` a plane or `outside` a box, after every step or once at `time` |
//! | `[[changes]]` | `gravity` from `time` on |
//! | `periodic` | where the box that repeats itself begins and ends along [`x`, `y` and `z`](Periodic) |
//! | `[output]` | seconds between `pictures` and `checkpoints` |
//! | `[statistics]` | what is measured, see [`Statistics`] |
//!
//! # Limits
//!
//! What the steps cannot do is refused with its line: rotations that do not map a wall onto itself, and several ranks that divide space along a periodic direction.
//! Scenes whose grains have shapes are run by [`Run::shaped`], without periodic directions, and without resistance to rolling of
//! boxes and polyhedra.

mod build;
mod builtin;
mod check;
mod format;
mod materials;
mod measure;
mod periodic;
mod place;
mod run;
mod scale;
mod shapes;
mod sizes;
#[cfg(test)]
mod tests;

use std::path::Path;

use nalgebra::Vector3;

pub use self::{
    builtin::BUILT_IN,
    format::{
        Block, Cells, Change, FlowPlane, GrainKind, GrainShape, Insertion, Lattice, Material,
        Output, Periodic, PlaneOf, Radial, Random, Region, Removal, Round, Scene, ServoOf,
        Statistics, Steps, Stream, SurfaceOf, Vibration, WallEntry, WallShape,
    },
    measure::Measures,
    run::Run,
    sizes::Sizes,
};

use crate::{Error, document};

impl Scene {
    /// The scene of a TOML text, checked.
    ///
    /// # Errors
    ///
    /// [`Error::AtLine`] with the line, the field, the value and what was expected; [`Error::Syntax`] and
    /// [`Error::Format`] for a text that is no such document.
    pub fn from_toml_str(text: &str) -> Result<Self, Error> {
        let mut scene: Self = document::parse(text, "scene")?;
        text.clone_into(&mut scene.text);
        let shaped = scene.shape_grains(None);
        shaped.and_then(|()| scene.check()).map_err(|error| scene.located(error))?;
        Ok(scene)
    }

    /// The scene in a file.
    ///
    /// # Errors
    ///
    /// Those of [`from_toml_str`](Self::from_toml_str), and [`Error::Read`].
    pub fn read(file: &Path) -> Result<Self, Error> {
        Self::from_toml_str(&document::read(file)?)
    }

    /// The built-in scene with this name, one of [`BUILT_IN`].
    ///
    /// # Errors
    ///
    /// [`Error::UnknownName`].
    pub fn built_in(name: &str) -> Result<Self, Error> {
        match BUILT_IN.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Self::from_toml_str(text),
            None => Err(Error::UnknownName {
                path: "scene".to_owned(),
                name: name.to_owned(),
                known: BUILT_IN.map(|(known, _)| known).join(", "),
            }),
        }
    }

    /// Number of grains that come in after the start and within a time (s), at most: a lattice later than the start that
    /// has no count fills its region.
    #[must_use]
    pub fn grains_to_come(&self, duration: f64) -> f64 {
        let number = |insertion: &Insertion| {
            let until = insertion.stream.and_then(|stream| stream.until).unwrap_or(duration);
            let poured = insertion.stream.map_or(0.0, |stream| {
                stream.rate * (until.min(duration) - insertion.time).max(0.0)
            });
            let later = insertion.time > 0.0 && insertion.time < duration;
            let random = insertion.random.map_or(0, |random| random.count);
            let lattice = insertion.lattice.map_or(0.0, |lattice| {
                lattice.count.map_or_else(|| place::places(self, insertion, &lattice), |n| n as f64)
            });
            poured + if later { random as f64 + lattice } else { 0.0 }
        };
        self.insert.iter().map(number).sum()
    }

    /// Corners of a box around all regions in which grains come in (m); of a point without any.
    #[must_use]
    pub fn extent(&self) -> [Vector3<f64>; 2] {
        let boxes = self.insert.iter().map(|insertion| place::corners(&insertion.region));
        boxes
            .reduce(|[low, high], [next, end]| [low.inf(&next), high.sup(&end)])
            .unwrap_or_else(|| [Vector3::zeros(); 2])
    }

    /// Whether space repeats itself along `x`, `y` and `z`.
    #[must_use]
    pub fn repeats(&self) -> [bool; 3] {
        let Periodic { x, y, z } = self.periodic;
        [x, y, z].map(|span| span.is_some())
    }

    /// A number that tells this text from others: its 64-bit FNV-1a hash.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        })
    }

    /// The error with the line of its field, where the text has it.
    fn located(&self, error: Error) -> Error {
        document::located(&self.text, error)
    }
}
