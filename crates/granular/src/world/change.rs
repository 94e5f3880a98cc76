//! Changes of the settings, walls and materials of a world between steps.

use nalgebra::Vector3;

use super::World;
use crate::{
    grains::Grains,
    materials::Materials,
    servo::{self, Servo},
    settings::{Error, Settings},
    wall::Wall,
};

#[cfg(feature = "bodies")]
impl World {
    /// Shows these grains with their identities, and the next identity, the number of steps and the time (s), in place of its
    /// own. It has no contacts then.
    pub(crate) fn show(
        &mut self,
        grains: impl Iterator<Item = (u64, crate::Grain)>,
        (next_identity, steps, time): (u64, u64, f64),
    ) {
        self.grains.retain(|_| false);
        grains.for_each(|(identity, grain)| self.grains.push(&grain, identity));
        (self.next_identity, self.steps, self.time) = (next_identity, steps, time);
        self.outdated();
    }

    /// Moves the walls alone by a step, some of them by servos that are those of this world with other velocities.
    pub(crate) fn advance_walls(&mut self, servos: &[Servo]) {
        self.servos.clone_from_slice(servos);
        servo::drive(&self.servos, &mut self.walls);
        let step = self.settings.step_size;
        let moving = self.walls.iter_mut().filter(|wall| wall.velocity != Vector3::zeros());
        moving.for_each(|wall| wall.advance(step));
    }
}

impl World {
    /// Replaces wall `index`, for example to change its motion or its position.
    ///
    /// # Errors
    ///
    /// [`Error::Wall`], also if there is no such wall.
    pub fn set_wall(&mut self, index: usize, wall: Wall) -> Result<(), Error> {
        check_wall(index, &wall, &self.materials)?;
        let value = self.walls.len() as f64;
        let expected = "more walls than the index";
        let place = self.walls.get_mut(index);
        *place.ok_or(Error::Wall { index, name: "number of walls", value, expected })? = wall;
        self.outdated();
        Ok(())
    }

    /// Changes the motion of wall `index` from the next step on: its velocity (m/s) and the angular velocity of its
    /// surface (rad/s). Contacts and their impulses are kept, unlike by [`set_wall`](Self::set_wall).
    ///
    /// # Errors
    ///
    /// [`Error::Wall`], also if there is no such wall.
    pub fn drive_wall(
        &mut self,
        index: usize,
        velocity: Vector3<f64>,
        angular_velocity: Vector3<f64>,
    ) -> Result<(), Error> {
        let value = self.walls.len() as f64;
        let expected = "more walls than the index";
        let wall = self.walls.get_mut(index);
        let wall = wall.ok_or(Error::Wall { index, name: "number of walls", value, expected })?;
        let driven = Wall { velocity, angular_velocity, ..wall.clone() };
        check_wall(index, &driven, &self.materials)?;
        *wall = driven;
        Ok(())
    }

    /// The settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How grains and walls touch; empty where settings and walls say so.
    #[must_use]
    pub const fn materials(&self) -> &Materials {
        &self.materials
    }

    /// Sets how grains and walls touch from the next step on.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`]; [`Error::Grain`] and [`Error::Wall`] where one has a material that the table lacks.
    pub fn set_materials(&mut self, materials: Materials) -> Result<(), Error> {
        materials.check()?;
        let Grains { identities, materials: all, .. } = &self.grains;
        for (&identity, &material) in identities.iter().zip(all) {
            if let Some((name, value, expected)) = materials.fault(material) {
                return Err(Error::Grain { identity, name, value, expected });
            }
        }
        for (index, wall) in self.walls.iter().enumerate() {
            check_wall(index, wall, &materials)?;
        }
        self.materials = materials;
        self.outdated();
        Ok(())
    }

    /// The forces that drive walls, with their velocities.
    #[must_use]
    pub fn servos(&self) -> &[Servo] {
        &self.servos
    }

    /// Sets the forces that drive walls from the next step on.
    ///
    /// # Errors
    ///
    /// [`Error::Wall`] with the first wall of a servo that is invalid.
    pub fn set_servos(&mut self, servos: Vec<Servo>) -> Result<(), Error> {
        servo::check(&servos, self.walls.len())?;
        servo::drive(&servos, &mut self.walls);
        self.servos = servos;
        self.outdated();
        Ok(())
    }

    /// Changes the settings from the next step on.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`].
    pub fn set_settings(&mut self, settings: Settings) -> Result<(), Error> {
        settings.check()?;
        self.settings = settings;
        self.outdated();
        Ok(())
    }
}

pub(super) fn check_wall(index: usize, wall: &Wall, materials: &Materials) -> Result<(), Error> {
    match wall.fault_among(materials) {
        Some((name, value, expected)) => Err(Error::Wall { index, name, value, expected }),
        None => Ok(()),
    }
}
