//! Worlds that repeat themselves.

use super::World;
use crate::{
    images::Images,
    link::Link,
    periods::Periods,
    settings::{Error, Settings},
    wall::Wall,
};

impl World {
    /// Creates a world without grains that repeats itself.
    ///
    /// Grains have positions in the box whenever pairs are searched, and may leave it in between. With a shear the velocity of
    /// a grain changes where it comes in again.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`], [`Error::Wall`].
    ///
    /// # Example
    ///
    /// A ball flies through a box of 1 m for 10 s, and is 0.3 m from where it began.
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use percussion_granular::{Grain, Periods, Settings, World};
    ///
    /// let settings = Settings { gravity: Vector3::zeros(), step_size: 0.01, ..Settings::default() };
    /// let periods = Periods::new(Vector3::zeros(), [Some(1.0), None, None]);
    /// let mut world = World::periodic(settings, vec![], periods)?;
    /// let mut ball = Grain::at(Vector3::new(0.1, 0.0, 0.0), 0.05, 1.0);
    /// ball.velocity.x = 0.63;
    /// world.add(&ball)?;
    /// for _ in 0..1000 {
    ///     world.step()?;
    /// }
    /// let away = (world.grains().positions()[0].x - 0.1).rem_euclid(1.0);
    /// assert!((away - 0.3).abs() < 1e-9);
    /// # Ok::<(), percussion_granular::Error>(())
    /// ```
    pub fn periodic(settings: Settings, walls: Vec<Wall>, periods: Periods) -> Result<Self, Error> {
        let mut world = Self::new(settings, walls)?;
        world.set_periods(periods)?;
        Ok(world)
    }

    /// Makes the world repeat itself from the next step on, or with other periods than before.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`].
    pub fn set_periods(&mut self, periods: Periods) -> Result<(), Error> {
        periods.check()?;
        self.outdated();
        self.search.images = Some(Images::new(periods, Vec::new()));
        Ok(())
    }

    /// The box that repeats itself, if the world does, with the offset of its images at this time.
    #[must_use]
    pub fn periods(&self) -> Option<Periods> {
        self.search.images.as_ref().map(|images| images.periods)
    }

    /// Relative speed of images, and the largest change of a velocity where a grain comes in again (m/s).
    pub(super) fn shear(&self) -> f64 {
        self.search.images.as_ref().map_or(0.0, |images| images.periods.shear.abs())
    }

    /// Refuses periods that are too short for grains that approach by `reach` (m) in a step.
    pub(super) fn check_periods<L: Link>(&self, reach: f64, link: &mut L) -> Result<(), Error> {
        let Some(images) = &self.search.images else { return Ok(()) };
        let diameter = link.largest(2.0 * self.grains.radii.iter().copied().fold(0.0, f64::max))?;
        images.periods.fit(diameter, reach, reach).map(|_| ())
    }
}
