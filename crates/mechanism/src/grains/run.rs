//! A [`Scene`] that moves: [`Run`].
//!
//! # Source
//!
//! The steps are those of [`World::step`], whose crate names their source; insertion and removal are ours.

use std::{f64::consts::TAU, ops::Range, path::Path, sync::Arc};

use nalgebra::Vector3;
use percussion_granular::{
    Collection, Domain, Error as StepError, Report, Settings, Wall, World, bodies::Mold,
};

use super::{
    Block, PlaneOf, Removal, Scene, WallEntry,
    place::{self, Kind},
};
use crate::{Error, rules::refuse};

/// A scene and its world.
///
/// Its future depends only on its scene and its [`World`], so that [`resume`](Self::resume) continues with the same bits.
#[derive(Clone, Debug)]
pub struct Run<D = World> {
    scene: Scene,
    domain: D,
    /// Name of each entry of the file, and which walls are its own.
    walls: Vec<(String, Range<usize>)>,
    turned_away: u64,
}

impl Run {
    /// The scene at its start, with the grains that are there then; meshes are files in `folder`.
    ///
    /// # Errors
    ///
    /// [`Error::AtLine`] with [`Error::NoRoom`] where grains find no room, or with [`Error::Mesh`]; [`Error::Grains`]
    /// for walls or grains that the steps refuse.
    pub fn new(scene: Scene, folder: &Path) -> Result<Self, Error> {
        Self::with(scene, folder, World::new)
    }

    /// The same scene with a world that was saved and restored.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if the world has another number of walls, [`Error::Value`] if it repeats itself otherwise.
    pub fn resume(self, world: World) -> Result<Self, Error> {
        let resumed = Self { domain: world, ..self };
        resumed.check_walls()?;
        Ok(resumed)
    }
}

impl Run<Collection> {
    /// A scene whose grains have shapes, as [`new`](Run::new) makes one of balls.
    ///
    /// # Errors
    ///
    /// As [`new`](Run::new).
    ///
    /// # Example
    ///
    /// A cube of 1 cm that lies on the floor slides at 1 m/s, and stops after `v²/(2 μ g)` = 0.102 m.
    ///
    /// ```
    /// use std::path::Path;
    /// use percussion_mechanism::grains::{Run, Scene};
    ///
    /// let scene = Scene::from_toml_str(r#"
    ///     title = "A cube slides"
    ///     duration = 0.3
    ///     friction = 0.5
    ///     grains = [{ shape.box = { size = [0.01, 0.01, 0.01] }, density = 2500 }]
    ///     walls = [{ name = "floor", shape.plane = { point = [0, 0, 0], normal = [0, 0, 1] } }]
    ///
    ///     [[insert]]
    ///     lattice = { count = 1, shake = 0, pitch = 1 }
    ///     velocity = [1, 0, 0]
    ///     angle = 0
    ///     ## The place is the middle of the ball around the cube.
    ///     region.box = { low = [-0.01, -0.01, -0.003660254], high = [0.01, 0.01, 0.02] }
    /// "#)?;
    /// let mut run = Run::shaped(scene, Path::new("."))?;
    /// let start = run.world().grains().positions()[0].x;
    /// // Steps of a quarter of a millisecond.
    /// for _ in 0..1200 {
    ///     run.step()?;
    /// }
    /// let way = run.world().grains().positions()[0].x - start;
    /// assert!((way - 1.0 / 9.81).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shaped(scene: Scene, folder: &Path) -> Result<Self, Error> {
        Self::with_shapes(scene, folder, Collection::new)
    }
}

impl<D: Domain> Run<D> {
    /// [`new`](Run::new) in the domain that `make` creates from settings and walls.
    ///
    /// # Errors
    ///
    /// As [`new`](Run::new), and those of `make`.
    pub fn with(
        scene: Scene,
        folder: &Path,
        make: impl FnOnce(Settings, Vec<Wall>) -> Result<D, StepError>,
    ) -> Result<Self, Error> {
        if let Some(index) = scene.grains.iter().position(|kind| kind.shape.is_some()) {
            let (path, expected) = (format!("grains[{index}].shape"), "none in a world of balls");
            let refused = refuse(&path, &scene.grains[index].name, expected);
            refused.map_err(|error| scene.located(error))?;
        }
        Self::with_shapes(scene, folder, |settings, walls, _, _| make(settings, walls))
    }

    /// [`with`](Self::with) for any grains: `make` creates the domain from settings, walls, a shape for every kind of grains, where
    /// those of round ones are balls, and the smallest diameter (m) of a ball with the volume of a grain.
    ///
    /// # Errors
    ///
    /// As [`with`](Self::with); [`Error::AtLine`] for shapes from files that are refused.
    pub fn with_shapes(
        mut scene: Scene,
        folder: &Path,
        make: impl FnOnce(Settings, Vec<Wall>, Vec<Arc<Mold>>, f64) -> Result<D, StepError>,
    ) -> Result<Self, Error> {
        let shaped = scene.shape_grains(Some(folder)).and_then(|()| scene.check_bodies());
        shaped.map_err(|error| scene.located(error))?;
        let built = scene.build_walls(folder).and_then(|(walls, names)| {
            let (molds, smallest) = scene.molds()?;
            let mut domain = make(scene.settings(), walls, molds, smallest)?;
            let materials = scene.touching().materials;
            if !materials.is_empty() {
                domain.set_materials(materials)?;
            }
            let servos = scene.servos(&names);
            if !servos.is_empty() {
                domain.set_servos(servos)?;
            }
            if let Some(periods) = scene.periodic.periods() {
                domain.set_periods(periods)?;
            }
            change(&scene, &mut domain, &names, 0)?;
            fill(&scene, &mut domain, 0)?;
            drive(&scene, &mut domain, &names, true)?;
            Ok((domain, names))
        });
        let (domain, walls) = built.map_err(|error| scene.located(error))?;
        Ok(Self { scene, domain, walls, turned_away: 0 })
    }

    /// Checks a domain that was restored.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] if it has another number of walls than the scene, [`Error::Value`] if it repeats itself otherwise.
    pub fn check_walls(&self) -> Result<(), Error> {
        let (periods, expected) = (self.world().periods(), "the periods of the scene");
        crate::rules::require(
            "periodic",
            &periods,
            expected,
            periods == self.scene.periodic.periods(),
        )?;
        let found = self.world().walls().len();
        let expected = self.walls.last().map_or(0, |(_, indices)| indices.end);
        crate::rules::count("walls", found, found == expected, &expected.to_string())
    }

    /// Removes, changes and inserts what is due, advances by one time step and removes the grains that have left.
    ///
    /// # Errors
    ///
    /// [`Error::Grains`]; [`Error::AtLine`] with [`Error::NoRoom`] where grains that come in find no room.
    pub fn step(&mut self) -> Result<Report, Error> {
        self.step_watched(&mut |_, _| ())
    }

    /// [`step`](Self::step), where `watch` sees the domain with the contacts of the step before grains are removed, which
    /// makes the world forget its contacts.
    ///
    /// # Errors
    ///
    /// Those of [`step`](Self::step).
    pub fn step_watched(
        &mut self,
        watch: &mut dyn FnMut(&mut D, &Report),
    ) -> Result<Report, Error> {
        let step = self.world().steps();
        let Self { scene, domain, walls, turned_away } = self;
        if step > 0 {
            change(scene, domain, walls, step)?;
            fill(scene, domain, step).map_err(|error| scene.located(error))?;
        }
        *turned_away += pour(scene, domain, step)?;
        drive(scene, domain, walls, false)?;
        let report = domain.step()?;
        watch(domain, &report);
        for removal in scene.remove.iter().filter(|removal| removal.time.is_none()) {
            remove(scene, domain, removal);
        }
        Ok(report)
    }

    /// Changes the settings of the steps, except for the time step, on which times of the scene depend.
    ///
    /// # Errors
    ///
    /// [`StepError::Setting`].
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), StepError> {
        let step_size = self.world().settings().step_size;
        self.domain.set_settings(Settings { step_size, ..settings })
    }

    /// The grains and walls.
    #[must_use]
    pub fn world(&self) -> &World {
        self.domain.world()
    }

    /// The domain of its grains, for operations in which all ranks take part.
    pub const fn domain(&mut self) -> &mut D {
        &mut self.domain
    }

    /// Its scene and the domain of its grains.
    pub(super) const fn parts(&self) -> (&Scene, &D) {
        (&self.scene, &self.domain)
    }

    /// What it was made from.
    #[must_use]
    pub const fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The names of the walls of the file, and for each the indices of its walls in the world: one, or one for each
    /// triangle.
    #[must_use]
    pub fn walls(&self) -> &[(String, Range<usize>)] {
        &self.walls
    }

    /// Number of grains of streams that found no room, since this run was made.
    #[must_use]
    pub const fn turned_away(&self) -> u64 {
        self.turned_away
    }
}

/// The step that begins nearest to a time (s).
fn step_at(time: f64, step_size: f64) -> u64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
    let step = (time / step_size).round() as u64;
    step
}

/// Takes out the grains that a removal is for.
fn remove(scene: &Scene, domain: &mut impl Domain, removal: &Removal) {
    let periods = scene.periodic.periods();
    let place = |at: &Vector3<f64>| periods.map_or(*at, |periods| periods.wrapped(at));
    if let Some(PlaneOf { point, normal }) = removal.behind {
        let [point, normal] = [point, normal].map(Vector3::from);
        let leaves = |x: &Vector3<f64>| normal.dot(&(x - point)) < 0.0;
        domain.remove(&mut |grain| leaves(&place(&grain.position)));
    }
    if let Some(Block { low, high }) = removal.outside {
        let leaves = |x: &Vector3<f64>| (0..3).any(|k| x[k] < low[k] || x[k] > high[k]);
        domain.remove(&mut |grain| leaves(&place(&grain.position)));
    }
}

/// Removes what is due once, and sets gravity and the walls that are there as they are from this step on.
///
/// Gravity and walls are compared with those of the domain, so that a run that is resumed needs no memory of what has changed.
fn change(
    scene: &Scene,
    domain: &mut impl Domain,
    walls: &[(String, Range<usize>)],
    step: u64,
) -> Result<(), StepError> {
    let settings = *domain.world().settings();
    let at = |time: f64| step_at(time, settings.step_size);
    for removal in &scene.remove {
        if removal.time.is_some_and(|time| at(time) == step) {
            remove(scene, domain, removal);
        }
    }
    let last = scene.changes.iter().rfind(|change| at(change.time) <= step);
    let gravity = Vector3::from(last.map_or(scene.gravity, |change| change.gravity));
    if gravity != settings.gravity {
        domain.set_settings(Settings { gravity, ..settings })?;
    }
    for (entry, (_, indices)) in scene.walls.iter().zip(walls) {
        let appears = at(entry.appears.unwrap_or(0.0)) <= step;
        let vanished = entry.vanishes.is_some_and(|time| at(time) <= step);
        let absent = !appears || vanished;
        for index in indices.clone() {
            let wall = &domain.world().walls()[index];
            if wall.absent != absent {
                domain.set_wall(index, Wall { absent, ..wall.clone() })?;
            }
        }
    }
    Ok(())
}

/// The kind of grains with this number.
fn kind(scene: &Scene, number: usize) -> Kind<'_> {
    Kind { kind: &scene.grains[number], number, material: scene.touching().grains[number] }
}

/// Adds the lattices and random grains that come at this step.
fn fill(scene: &Scene, domain: &mut impl Domain, step: u64) -> Result<(), Error> {
    let step_size = domain.world().settings().step_size;
    for (index, insertion) in scene.insert.iter().enumerate() {
        let due = step_at(insertion.time, step_size);
        if insertion.stream.is_none() && due == step {
            let path = format!("insert[{index}]");
            let kind = kind(scene, scene.kind_of(&path, insertion)?);
            place::fill(domain, kind, insertion, &path)?;
        }
    }
    Ok(())
}

/// Adds the grains of streams that come at this step; returns how many found no room.
fn pour(scene: &Scene, domain: &mut impl Domain, step: u64) -> Result<u64, Error> {
    let step_size = domain.world().settings().step_size;
    let mut turned_away = 0;
    for (index, insertion) in scene.insert.iter().enumerate() {
        let Some(stream) = insertion.stream else { continue };
        let kind = scene.kind_of(&format!("insert[{index}]"), insertion)?;
        let until = stream.until.unwrap_or(f64::INFINITY);
        // The number that should have come by the begin of a step; times are rounded.
        let due = |step: u64| {
            let time = (step as f64 * step_size).min(until) - insertion.time;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "saturates"
            )]
            let due = (stream.rate * time.max(0.0) + 1e-9).floor() as u64;
            due
        };
        let count = due(step + 1) - due(step);
        if count > 0 {
            turned_away += place::pour(domain, self::kind(scene, kind), insertion, (step, count))?;
        }
    }
    Ok(turned_away)
}

/// Gives walls whose motion changes with time, or at the start all that move, their velocities of the next step.
fn drive(
    scene: &Scene,
    domain: &mut impl Domain,
    walls: &[(String, Range<usize>)],
    start: bool,
) -> Result<(), StepError> {
    let step_size = domain.world().settings().step_size;
    let time = domain.world().steps() as f64 * step_size;
    for (entry, (_, indices)) in scene.walls.iter().zip(walls) {
        let changes = entry.vibration.is_some() || entry.from.is_some() || entry.until.is_some();
        let moves = entry.velocity.is_some() || entry.angular_velocity.is_some();
        if changes || (start && moves) {
            let (velocity, spin) = motion(entry, time, step_size);
            for index in indices.clone() {
                domain.drive_wall(index, velocity, spin)?;
            }
        }
    }
    Ok(())
}

/// Velocity and angular velocity of a wall for the step that begins at `time`.
fn motion(entry: &WallEntry, time: f64, step_size: f64) -> (Vector3<f64>, Vector3<f64>) {
    let (from, until) = (entry.from.unwrap_or(0.0), entry.until.unwrap_or(f64::INFINITY));
    // Half of a step keeps rounding from moving the begin or the end by one.
    let middle = time + 0.5 * step_size;
    if middle < from || middle > until {
        return (Vector3::zeros(), Vector3::zeros());
    }
    let vector = |vector: Option<[f64; 3]>| vector.map_or_else(Vector3::zeros, Vector3::from);
    let mut velocity = vector(entry.velocity);
    if let Some(vibration) = entry.vibration {
        // The mean of the step, so that the wall is where it should be at its end.
        let place = |time: f64| (TAU * vibration.frequency * (time - from)).sin();
        let mean = (place(time + step_size) - place(time)) / step_size;
        velocity += mean * Vector3::from(vibration.amplitude);
    }
    (velocity, vector(entry.angular_velocity))
}
