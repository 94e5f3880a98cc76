//! Changes of the boundaries, walls, materials and settings of bodies between steps.

use nalgebra::Vector3;

use super::{Bodies, Boundary, Error, Partner, Settings, check_boundary, walls::Walls};
use crate::{grains::narrow, materials::Materials, servo, wall::Wall};

impl Bodies {
    /// Replaces boundary `index`, for example to change its motion.
    ///
    /// # Errors
    ///
    /// [`Error::Boundary`], also if there is no such boundary.
    pub fn set_boundary(&mut self, index: usize, boundary: Boundary) -> Result<(), Error> {
        check_boundary(index, &boundary)?;
        let value = self.boundaries.len() as f64;
        let expected = "more boundaries than the index";
        let missing = Error::Boundary { index, name: "number of boundaries", value, expected };
        *self.boundaries.get_mut(index).ok_or(missing)? = boundary;
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

    /// Sets walls, in addition to the boundaries. `smallest` is the smallest diameter of a body (m): it decides how closely
    /// triangles follow a thin cone or pipe, on which bodies with corners slide; by up to 0.2 % of it.
    ///
    /// Walls do not need a shape that is convex: there are tubes around the bodies, pipes and meshes.
    ///
    /// # Errors
    ///
    /// [`Error::Boundary`] and [`Error::Collider`] with the index of a wall that is invalid.
    ///
    /// # Example
    ///
    /// A cube of 2 cm falls into a tube of 2 cm radius and comes to rest on two of its lower edges, 1 cm to either side: its
    /// lower face is at `−√(0.02² − 0.01²)`, and its center 1 cm above.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use nalgebra::Vector3;
    /// use percussion_granular::{
    ///     Surface, Wall,
    ///     bodies::{Bodies, Body, Form, Settings},
    /// };
    ///
    /// let surface = Surface::Tube { point: Vector3::zeros(), axis: Vector3::x_axis(), radius: 0.02 };
    /// let mut bodies = Bodies::new(Settings::default(), vec![])?;
    /// bodies.set_walls(vec![Wall::fixed(surface, 0.5)], 0.02)?;
    /// let cube = Arc::new(Form::cuboid(Vector3::repeat(0.01), 0.02, 0.5)?);
    /// bodies.add(Body::at(&cube, Vector3::zeros()))?;
    /// for _ in 0..200 {
    ///     bodies.step()?;
    /// }
    /// let height = 0.01 - 3e-4_f64.sqrt();
    /// assert!((bodies.bodies()[0].position.z - height).abs() < 1e-6);
    /// # Ok::<(), percussion_granular::bodies::Error>(())
    /// ```
    pub fn set_walls(&mut self, walls: Vec<Wall>, smallest: f64) -> Result<(), Error> {
        for (index, wall) in walls.iter().enumerate() {
            check_wall(index, wall, &self.materials)?;
        }
        servo::check(&self.servos, walls.len())?;
        self.walls = Walls::new(walls, smallest)?;
        self.walls.drive_by(&self.servos);
        self.outdated();
        Ok(())
    }

    /// The walls at their current positions.
    #[must_use]
    pub fn walls(&self) -> &[Wall] {
        self.walls.all()
    }

    /// Replaces wall `index`.
    ///
    /// # Errors
    ///
    /// Those of [`set_walls`](Self::set_walls), also if there is no such wall.
    pub fn set_wall(&mut self, index: usize, wall: Wall) -> Result<(), Error> {
        self.known_wall(index)?;
        check_wall(index, &wall, &self.materials)?;
        self.walls.set(index, wall)?;
        self.outdated();
        Ok(())
    }

    /// Changes the motion of wall `index` from the next step on: its velocity (m/s) and the angular velocity of its
    /// surface (rad/s). Contacts and their impulses are kept.
    ///
    /// # Errors
    ///
    /// [`Error::Boundary`], also if there is no such wall.
    pub fn drive_wall(
        &mut self,
        index: usize,
        velocity: Vector3<f64>,
        angular_velocity: Vector3<f64>,
    ) -> Result<(), Error> {
        let driven = Wall { velocity, angular_velocity, ..self.known_wall(index)?.clone() };
        check_wall(index, &driven, &self.materials)?;
        self.walls.drive(index, velocity, angular_velocity);
        Ok(())
    }

    /// Continues with walls that were saved: the same ones, at other places and with other motions.
    pub(crate) fn replace_walls(&mut self, walls: Vec<Wall>) -> Result<(), Error> {
        for (index, wall) in walls.iter().enumerate() {
            self.known_wall(index)?;
            // The materials that were saved with them follow, and are checked then.
            check_wall(index, wall, &Materials::default())?;
        }
        self.walls.replace(walls);
        self.outdated();
        Ok(())
    }

    /// Continues with materials that were saved: contacts and impulses stay.
    pub(crate) fn restore_materials(&mut self, materials: Materials) -> Result<(), Error> {
        self.check_materials(&materials)?;
        self.materials = materials;
        Ok(())
    }

    fn known_wall(&self, index: usize) -> Result<&Wall, Error> {
        let (all, name, expected) = (self.walls.all(), "number of walls", "more than the index");
        let value = all.len() as f64;
        all.get(index).ok_or(Error::Boundary { index, name, value, expected })
    }

    /// Sets friction and restitution of bodies with each other and with walls from the next step on, by
    /// [`Form::of_material`](super::Form::of_material) and [`Wall::material`](crate::Wall::material). Without materials, and with
    /// boundaries, friction is the geometric mean of that of the two surfaces, and contacts are inelastic. Resistance to rolling
    /// and spinning is that of contacts of balls with balls and with walls; contacts of parts with flat faces have none.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for a table that is invalid; [`Error::Body`] and
    /// [`Error::Boundary`] where a body or wall has a material that the table lacks.
    pub fn set_materials(&mut self, materials: Materials) -> Result<(), Error> {
        self.check_materials(&materials)?;
        self.materials = materials;
        self.outdated();
        Ok(())
    }

    fn check_materials(&self, materials: &Materials) -> Result<(), Error> {
        materials.check()?;
        for (body, &identity) in self.bodies.iter().zip(&self.identities) {
            if let Some((name, value, expected)) = materials.fault(body.form.material) {
                return Err(Error::Body { identity, name, value, expected });
            }
        }
        let mut walls = self.walls.all().iter().enumerate();
        walls.try_for_each(|(index, wall)| check_wall(index, wall, materials))
    }

    /// The boundary, or the wall of the piece, with this number in a slab.
    pub(super) fn boundary_of(&self, number: u32) -> Partner {
        let count = self.boundaries.len();
        Partner::Boundary(match number.checked_sub(narrow(count)) {
            None => number as usize,
            Some(piece) => count + self.walls.piece(piece).wall as usize,
        })
    }
}

fn check_wall(index: usize, wall: &Wall, materials: &Materials) -> Result<(), Error> {
    match wall.fault_among(materials) {
        Some((name, value, expected)) => Err(Error::Boundary { index, name, value, expected }),
        None => Ok(()),
    }
}
