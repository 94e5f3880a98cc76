//! A dense stream of grains through a channel, past an obstacle: [`Channel`].
//!
//! The channel lies along `x`, from 0 to its length; walls bound it in `y` and `z`. Grains are inserted layer
//! by layer at `x = 0`, where a plane pushes them on; grains that pass the other end are removed. The
//! obstacle is vertical: a cylinder whose downstream half is replaced by a box.
//!
//! # Source
//!
//! T. Preclik, S. Eibl, U. Rüde, "The maximum dissipation principle in rigid-body dynamics with purely
//! inelastic impacts", *Computational Mechanics* 62 (2018) 81–96, section 4.3. The paper calls 0.47 mm the
//! diameter of its grains in one place and the radius in another. It is the radius: with it the inflow is
//! 1.4·10⁶ grains per second, 247 000 grains fill 57.2 % of the volume, and 39.06 µm are 8.31 % of it, all as
//! stated in the paper. If it were the diameter, the inflow would be twice as large, and the solid fraction
//! an eighth.

use std::ops::Range;

use nalgebra::{Isometry3, Vector3};
use percussion_collision::Shape;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{Domain, Error, Grain, Report, Settings, Surface, Wall, World, range, world::MOST};

/// Geometry, grains and inflow of the channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Length, width and height (m).
    pub size: Vector3<f64>,
    /// Axis of the obstacle in `x` and `y` (m).
    pub obstacle: [f64; 2],
    /// Radius of its cylinder and half the width of its box (m).
    pub obstacle_radius: f64,
    /// Radius of the grains (m).
    pub radius: f64,
    /// Their density (kg/m³).
    pub density: f64,
    /// Distance of their centers across the channel at the inflow (m), at least two radii.
    pub spacing: f64,
    /// Speed of the inflow (m/s), positive.
    pub speed: f64,
    /// Maximum initial velocity across the channel, along either axis (m/s).
    pub perturbation: f64,
    /// Friction between grains and with walls, and the settings of the steps.
    pub settings: Settings,
    /// Seed of the initial velocities.
    pub seed: u64,
}

/// Grains in a channel.
///
/// Its future depends only on its [`World`] and its parameters, so that [`resume`](Self::resume) continues
/// with the same bits.
#[derive(Clone, Debug)]
pub struct Channel<D = World> {
    parameters: Parameters,
    domain: D,
}

/// Index of the plane that pushes the grains.
const PUSHER: usize = 0;
/// Indices of its cylinder and its box.
const OBSTACLE: Range<usize> = 5..7;

impl Channel {
    /// Creates a channel filled with layers that move at the speed of the inflow.
    ///
    /// The channel starts full because the stream depends on its history: a stream that enters an empty
    /// channel shoots through the gaps beside the obstacle and remains fast and thin behind it.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for a parameter that is not a finite number in range, and the errors of
    /// [`World::new`].
    pub fn new(parameters: Parameters) -> Result<Self, Error> {
        Self::with(parameters, World::new)
    }

    /// Continues the channel with these parameters whose world was saved and restored.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); [`Error::Setting`] if the world is not that of a channel.
    pub fn resume(parameters: Parameters, world: World) -> Result<Self, Error> {
        parameters.check()?;
        let channel = Self { parameters, domain: world };
        channel.check_walls()?;
        Ok(channel)
    }
}

impl<D: Domain> Channel<D> {
    /// [`new`](Channel::new) in the domain that `make` creates from settings and walls.
    ///
    /// # Errors
    ///
    /// As [`new`](Channel::new), and those of `make`.
    pub fn with(
        parameters: Parameters,
        make: impl FnOnce(Settings, Vec<Wall>) -> Result<D, Error>,
    ) -> Result<Self, Error> {
        parameters.check()?;
        let domain = make(parameters.settings, walls(&parameters))?;
        let mut channel = Self { parameters, domain };
        for x in middles(parameters.size.x, 2.0 * parameters.radius) {
            channel.insert(x)?;
        }
        Ok(channel)
    }

    /// Checks a domain that was restored.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if its walls are not those of a channel.
    pub fn check_walls(&self) -> Result<(), Error> {
        let found = self.world().walls().len();
        if found != walls(&self.parameters).len() {
            let (value, expected) = (found as f64, "the walls of a channel");
            return Err(Error::Setting { name: "walls", value, expected });
        }
        Ok(())
    }

    /// Inserts a layer if there is room, advances by one time step and removes the grains that have left.
    ///
    /// # Errors
    ///
    /// Those of [`World::step`].
    pub fn step(&mut self) -> Result<Report, Error> {
        let Parameters { radius, speed, settings, size, .. } = self.parameters;
        // The plane returns at the step that is nearest to two radii.
        if self.pusher() > 2.0 * radius - 0.5 * speed * settings.step_size {
            let pusher = self.world().walls()[PUSHER].clone();
            let surface = Surface::Plane { point: Vector3::zeros(), normal: Vector3::x_axis() };
            self.domain.set_wall(PUSHER, Wall { surface, center: Vector3::zeros(), ..pusher })?;
            self.insert(radius)?;
        }
        let report = self.domain.step()?;
        self.domain.remove(&mut |grain| grain.position.x > size.x);
        Ok(report)
    }

    /// Changes the settings of its world, except for the time step.
    ///
    /// # Errors
    ///
    /// As [`World::set_settings`].
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), Error> {
        let settings = Settings { step_size: self.parameters.settings.step_size, ..settings };
        self.domain.set_settings(settings)?;
        self.parameters.settings = settings;
        Ok(())
    }

    /// Its grains and walls.
    #[must_use]
    pub fn world(&self) -> &World {
        self.domain.world()
    }

    /// The domain of its grains, for operations in which all ranks take part.
    pub const fn domain(&mut self) -> &mut D {
        &mut self.domain
    }

    /// The parameters from which it was made.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Fraction of the volume of the channel without the obstacle that is filled by grains of this rank, in `[0, 1]`.
    #[must_use]
    pub fn solid_fraction(&self) -> f64 {
        self.parameters.solid_fraction(self.domain.own_count() as f64)
    }

    /// Position of the plane that pushes (m).
    fn pusher(&self) -> f64 {
        match self.world().walls()[PUSHER].surface {
            Surface::Plane { point, .. } => point.x,
            _ => 0.0,
        }
    }

    /// Inserts a layer whose centers have this `x`, where there is room for it.
    fn insert(&mut self, x: f64) -> Result<(), Error> {
        let Parameters { size, radius, density, spacing, speed, perturbation, seed, .. } =
            self.parameters;
        let mass = density * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        // Each layer has its own random numbers, which do not depend on previous layers.
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(self.world().next_identity());
        let mut across = || perturbation * random.random_range(-1.0..=1.0);
        for z in middles(size.z, spacing) {
            for y in middles(size.y, spacing) {
                let place = Vector3::new(x, y, z);
                let free = |wall: &Wall| wall.gap(&place, radius).0 >= 0.0;
                if self.world().walls()[OBSTACLE].iter().all(free) {
                    let mut grain = Grain::at(place, radius, mass);
                    grain.velocity = Vector3::new(speed, across(), across());
                    self.domain.add(&grain)?;
                }
            }
        }
        Ok(())
    }
}

/// The walls at the beginning.
fn walls(parameters: &Parameters) -> Vec<Wall> {
    let Parameters { size, obstacle: [x, y], obstacle_radius: radius, settings, speed, .. } =
        *parameters;
    let plane = |point, normal| Wall::plane(point, normal, settings.friction);
    let fixed = |shape| Wall::fixed(shape, settings.friction);
    let middle = Vector3::new(x + 0.5 * radius, y, 0.5 * size.z);
    vec![
        plane(Vector3::zeros(), Vector3::x()).moving(speed * Vector3::x()),
        plane(Vector3::zeros(), Vector3::y()),
        plane(Vector3::new(0.0, size.y, 0.0), -Vector3::y()),
        plane(Vector3::zeros(), Vector3::z()),
        plane(Vector3::new(0.0, 0.0, size.z), -Vector3::z()),
        fixed(Surface::Cylinder {
            point: Vector3::new(x, y, 0.0),
            axis: Vector3::z_axis(),
            radius,
        }),
        fixed(Surface::Solid {
            shape: Shape::Box { half_extents: Vector3::new(0.5 * radius, radius, 0.5 * size.z) },
            pose: Isometry3::from_parts(middle.into(), nalgebra::one()),
        }),
    ]
}

/// Number of equal parts of `width` that are as short as possible but not shorter than `part`.
fn parts(width: f64, part: f64) -> f64 {
    (width / part).floor().max(1.0)
}

/// Midpoints of the `parts` of `width`.
fn middles(width: f64, part: f64) -> impl Iterator<Item = f64> {
    let count = parts(width, part);
    (0..).map(f64::from).take_while(move |k| *k < count).map(move |k| (k + 0.5) / count * width)
}

impl Parameters {
    /// Returns the same channel with grains, distances and time steps that are `factor` times as large.
    #[must_use]
    pub fn coarser(self, factor: f64) -> Self {
        let settings = Settings { step_size: factor * self.settings.step_size, ..self.settings };
        Self { radius: factor * self.radius, spacing: factor * self.spacing, settings, ..self }
    }

    /// Area of the floor without the obstacle (m²).
    #[must_use]
    pub fn area(&self) -> f64 {
        let half_disk = 0.5 * std::f64::consts::PI * self.obstacle_radius.powi(2);
        let half_box = 2.0 * self.obstacle_radius.powi(2);
        self.size.x * self.size.y - half_disk - half_box
    }

    /// Volume of the channel without the obstacle (m³).
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.size.z * self.area()
    }

    /// Fraction of this volume that a number of grains fills.
    #[must_use]
    pub fn solid_fraction(&self, grains: f64) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * self.radius.powi(3) * grains / self.volume()
    }

    fn check(&self) -> Result<(), Error> {
        let positive = [
            ("size.x", self.size.x),
            ("size.y", self.size.y),
            ("size.z", self.size.z),
            ("obstacle_radius", self.obstacle_radius),
            ("radius", self.radius),
            ("density", self.density),
            ("speed", self.speed),
        ];
        for (name, value) in positive {
            if !range::is_positive(value) {
                return Err(Error::Setting { name, value, expected: range::POSITIVE });
            }
        }
        if let Some(value) = range::unbounded(&self.obstacle) {
            return Err(Error::Setting { name: "obstacle", value, expected: range::BOUNDED });
        }
        let (name, value) = ("perturbation", self.perturbation);
        if !(0.0..=range::LARGEST).contains(&value) {
            return Err(Error::Setting { name, value, expected: "a number from 0 to 1e75" });
        }
        let least = self.size.y.min(self.size.z);
        let (name, value) = ("spacing", self.spacing);
        if !(value >= 2.0 * self.radius && value <= least) {
            let expected = "at least two radii and at most the width and the height";
            return Err(Error::Setting { name, value, expected });
        }
        let layers = parts(self.size.x, 2.0 * self.radius);
        let places = layers * parts(self.size.y, value) * parts(self.size.z, value);
        if places > MOST as f64 {
            let expected = "one for which at most 2²⁹ grains fill the channel";
            return Err(Error::Setting { name, value, expected });
        }
        Ok(())
    }
}
