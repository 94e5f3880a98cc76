//! Bodies as scenes and their programs see them: [`Collection`].

use std::{collections::BTreeMap, sync::Arc};

use nalgebra::Vector3;

use crate::{
    Correction, Domain, Force, Grain, Materials, Periods, Report, Servo, Settings, Share, State,
    Wall, World,
    bodies::{Bodies, Body, Error as BodyError, Form, Mold, Partner, Settings as BodySettings},
    domain::only_rank,
    settings::Error,
};

/// Maximum number of different forms that are kept for bodies to come.
const FORMS: usize = 256;

/// [`Bodies`] with shapes from [`Mold`]s, as a [`Domain`].
///
/// Its [`world`](Domain::world) has a ball in place of every body, with the same center, mass, velocities, orientation and
/// volume; it is only looked at, and never stepped.
///
/// # Example
///
/// A cube of 1 cm slides at 1 m/s and stops after `v²/(2 μ g)` = 0.102 m.
///
/// ```
/// use std::sync::Arc;
///
/// use nalgebra::Vector3;
/// use percussion_collision::Shape;
/// use percussion_granular::{Domain, Grain, Settings, Wall, Collection, bodies::Mold};
///
/// let cube = Arc::new(Mold::solid(Shape::Box { half_extents: Vector3::repeat(0.005) })?);
/// let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.5);
/// let settings = Settings { friction: 0.5, ..Settings::default() };
/// let mut collection = Collection::new(settings, vec![floor], vec![Arc::clone(&cube)], 0.01)?;
/// let mut grain = Grain::at(Vector3::new(0.0, 0.0, 0.005), 0.5 * cube.diameter(), 2.5e-3);
/// grain.velocity.x = 1.0;
/// collection.add(&grain)?;
/// for _ in 0..300 {
///     collection.step()?;
/// }
/// assert!((collection.world().grains().positions()[0].x - 1.0 / 9.81).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Collection {
    bodies: Bodies,
    molds: Vec<Arc<Mold>>,
    /// Forms that bodies have, by mold, scale and mass.
    forms: BTreeMap<(usize, u64, u64, u8), Arc<Form>>,
    seen: World,
}

impl Collection {
    /// No bodies between these walls; bodies that are added have the shapes of `molds` and diameters from `smallest` (m) on.
    ///
    /// # Errors
    ///
    /// Those of [`World::new`] and [`Bodies::set_walls`]; [`Error::Setting`] for a correction by velocities, which bodies do not
    /// have.
    pub fn new(
        settings: Settings,
        walls: Vec<Wall>,
        molds: Vec<Arc<Mold>>,
        smallest: f64,
    ) -> Result<Self, Error> {
        let seen = World::new(settings, walls.clone())?;
        let mut bodies = Bodies::new(of_bodies(&settings)?, Vec::new()).map_err(refused)?;
        bodies.set_walls(walls, smallest).map_err(refused)?;
        Ok(Self { bodies, molds, forms: BTreeMap::new(), seen })
    }

    /// The bodies.
    #[must_use]
    pub const fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    /// The form of mold number `mold` for a body with the volume of a ball of `radius` (m).
    fn form(&mut self, mold: usize, grain: &Grain) -> Result<Arc<Form>, BodyError> {
        let count = self.molds.len() as f64;
        let expected = "more molds than the number of the mold";
        let missing = BodyError::Form { name: "number of molds", value: count, expected };
        let shape = self.molds.get(mold).ok_or(missing)?;
        let scale = 2.0 * grain.radius / shape.diameter();
        self.scaled(mold, scale, grain.mass, grain.material)
    }

    fn scaled(
        &mut self,
        mold: usize,
        scale: f64,
        mass: f64,
        material: u8,
    ) -> Result<Arc<Form>, BodyError> {
        let key = (mold, scale.to_bits(), mass.to_bits(), material);
        if let Some(form) = self.forms.get(&key) {
            return Ok(Arc::clone(form));
        }
        let friction = self.seen.settings().friction;
        let mut form = self.molds[mold].form(scale, mass, friction)?.of_material(material);
        form.origin = (mold, scale);
        let form = Arc::new(form);
        if self.forms.len() >= FORMS {
            self.forms.clear();
        }
        self.forms.insert(key, Arc::clone(&form));
        Ok(form)
    }

    /// Shows the bodies as they are now.
    fn show(&mut self) {
        let Self { bodies, molds, seen, .. } = self;
        let all = bodies.bodies().iter().zip(bodies.identities());
        let all = all.map(|(body, identity)| (*identity, ball(molds, body)));
        seen.show(all, (bodies.next_identity(), bodies.steps(), bodies.time()));
    }
}

/// The ball in place of a body.
fn ball(molds: &[Arc<Mold>], body: &Body) -> Grain {
    let (mold, scale) = body.form.origin;
    Grain {
        orientation: body.orientation,
        velocity: body.velocity,
        angular_velocity: body.angular_velocity,
        material: body.form.material,
        ..Grain::at(body.position, 0.5 * scale * molds[mold].diameter(), body.form.mass())
    }
}

fn of_bodies(settings: &Settings) -> Result<BodySettings, Error> {
    let Settings { step_size, gravity, max_sweeps, tolerance, skin, correction, .. } = *settings;
    let Correction::Position { part, sweeps } = correction else {
        let (name, expected) = ("correction", "a correction of positions for bodies of any shape");
        return Err(Error::Setting { name, value: f64::NAN, expected });
    };
    Ok(BodySettings {
        step_size,
        gravity,
        correction: part,
        correction_sweeps: sweeps,
        max_sweeps,
        tolerance,
        skin,
        ..BodySettings::default()
    })
}

/// The error of a domain for that of bodies.
fn refused(error: BodyError) -> Error {
    let of = |name, value, expected| Error::Entry { name, value, expected };
    match error {
        BodyError::Setting(error) => error,
        BodyError::Boundary { index, name, value, expected } => {
            Error::Wall { index, name, value, expected }
        }
        BodyError::Body { identity, name, value, expected } => {
            Error::Grain { identity, name, value, expected }
        }
        BodyError::Diverged { identity, name, value } => Error::Diverged { identity, name, value },
        BodyError::TooMany { count } => Error::TooMany { count },
        BodyError::TooFast { identity, name, value, limit } => {
            Error::TooFastBody { identity, name, value, limit }
        }
        BodyError::Contacts { identity, source } => Error::Contacts { identity, source },
        BodyError::Moment { value, .. } => {
            of("smallest moment of inertia of a shape", value, "at least 4e-15 of the largest")
        }
        BodyError::Form { name, value, expected }
        | BodyError::Ball { name, value, expected, .. } => of(name, value, expected),
        BodyError::Collider { index, .. } | BodyError::Part { index, .. } => {
            of("part of a shape or wall", index as f64, "lengths from 1e-12 to 1e12 m")
        }
        BodyError::Mass(_) | BodyError::NoParts => {
            of("mass of a shape", f64::NAN, "a positive finite mass and moments of inertia")
        }
    }
}

impl Domain for Collection {
    only_rank!();

    fn world(&self) -> &World {
        &self.seen
    }

    fn add(&mut self, grain: &Grain) -> Result<u64, Error> {
        self.add_shaped(grain, 0)
    }

    fn add_shaped(&mut self, grain: &Grain, mold: usize) -> Result<u64, Error> {
        self.seen.check_grain(grain)?;
        let body = Body {
            form: self.form(mold, grain).map_err(refused)?,
            position: grain.position,
            orientation: grain.orientation,
            velocity: grain.velocity,
            angular_velocity: grain.angular_velocity,
        };
        let identity = self.bodies.add(body).map_err(refused)?;
        self.seen.add(grain)?;
        Ok(identity)
    }

    fn molds(&self) -> &[Arc<Mold>] {
        &self.molds
    }

    fn mold_of(&self, index: usize) -> usize {
        self.bodies.bodies().get(index).map_or(0, |body| body.form.origin.0)
    }

    fn bounding_radius(&self, index: usize) -> f64 {
        self.bodies.bodies().get(index).map_or(f64::NAN, |body| body.form.radius())
    }

    fn remove(&mut self, leaves: &mut dyn FnMut(&Grain) -> bool) -> usize {
        let Self { bodies, molds, .. } = self;
        let count = bodies.remove(|body| leaves(&ball(molds, body)));
        if count > 0 {
            self.show();
        }
        count
    }

    fn set_wall(&mut self, index: usize, wall: Wall) -> Result<(), Error> {
        self.bodies.set_wall(index, wall.clone()).map_err(refused)?;
        self.seen.set_wall(index, wall)
    }

    fn drive_wall(
        &mut self,
        index: usize,
        velocity: Vector3<f64>,
        angular_velocity: Vector3<f64>,
    ) -> Result<(), Error> {
        self.bodies.drive_wall(index, velocity, angular_velocity).map_err(refused)?;
        self.seen.drive_wall(index, velocity, angular_velocity)
    }

    fn set_materials(&mut self, materials: Materials) -> Result<(), Error> {
        self.bodies.set_materials(materials.clone()).map_err(refused)?;
        self.seen.set_materials(materials)
    }

    fn set_servos(&mut self, servos: Vec<Servo>) -> Result<(), Error> {
        self.bodies.set_servos(servos.clone()).map_err(refused)?;
        self.seen.set_servos(servos)
    }

    fn set_settings(&mut self, settings: Settings) -> Result<(), Error> {
        self.bodies.set_settings(of_bodies(&settings)?).map_err(refused)?;
        self.seen.set_settings(settings)
    }

    fn set_periods(&mut self, periods: Periods) -> Result<(), Error> {
        let count = periods.edges.iter().flatten().count();
        none("number of axes that repeat", count, "0 with shapes of grains")
    }

    fn step(&mut self) -> Result<Report, Error> {
        let report = self.bodies.step().map_err(refused);
        if report.is_ok() {
            self.seen.advance_walls(self.bodies.servos());
        }
        // Also where a step was not made, the order of the bodies may be another one.
        self.show();
        report
    }

    fn share(&self) -> Share {
        let (settings, walls) = (*self.seen.settings(), self.bodies.walls().to_vec());
        Share::alone(State {
            servos: self.bodies.servos().to_vec(),
            moments: self.bodies.moments(),
            bodies: Some(Box::new(self.bodies.state())),
            next_identity: self.bodies.next_identity(),
            steps: self.bodies.steps(),
            time: self.bodies.time(),
            ..State::empty(settings, walls, self.seen.materials().clone())
        })
    }

    fn restore(&mut self, share: Share) -> Result<(), Error> {
        let State { settings, walls, materials, servos, .. } = share.state;
        let State { bodies, moments, next_identity, steps, time, .. } = share.state;
        let Some(state) = bodies else {
            return Err(Error::Length { name: "bodies", found: 0, expected: 1 });
        };
        let (found, expected) = (walls.len(), self.bodies.walls().len());
        if found != expected {
            return Err(Error::Length { name: "walls", found, expected });
        }
        state.check(state.identities.len())?;
        // All is checked in a copy, so that a state that is refused changes nothing.
        let mut other = self.clone();
        other.bodies.set_settings(of_bodies(&settings)?).map_err(refused)?;
        other.bodies.replace_walls(walls.clone()).map_err(refused)?;
        other.seen = World::new(settings, walls)?;
        let all = (0..state.molds.len()).map(|index| {
            let [scale, mass] = state.sizes[index];
            let mold = state.molds[index] as usize;
            let (name, limit) = ("molds", other.molds.len());
            if mold >= limit {
                return Err(Error::Place { name, found: state.molds[index], limit });
            }
            let form = other.scaled(mold, scale, mass, state.materials[index]).map_err(refused)?;
            let body = state.placed(index, Body::at(&form, Vector3::zeros()));
            let identity = state.identities[index];
            match body.fault() {
                Some((name, value, expected)) => {
                    Err(Error::Grain { identity, name, value, expected })
                }
                None => Ok(body),
            }
        });
        let all = all.collect::<Result<Vec<_>, _>>()?;
        other.bodies.restore(&state, all, &moments, (next_identity, steps, time))?;
        other.show();
        if !materials.is_empty() {
            other.seen.set_materials(materials.clone())?;
        }
        other.bodies.restore_materials(materials).map_err(refused)?;
        other.seen.set_servos(servos.clone())?;
        other.bodies.restore_servos(servos).map_err(refused)?;
        *self = other;
        Ok(())
    }

    fn each_force(&self, see: &mut dyn FnMut(&Force)) {
        let (bodies, step) = (self.bodies.bodies(), self.bodies.settings().step_size);
        for touch in self.bodies.touches().filter(|touch| touch.impulse.dot(&touch.normal) > 0.0) {
            // Where they were when the contacts were found, up to the removal of overlaps.
            let at = |body: usize| bodies[body].position - step * bodies[body].velocity;
            let center = at(touch.body);
            let (other, wall) = match touch.partner {
                Partner::Body(other) => (at(other), None),
                Partner::Boundary(wall) => (touch.point, Some(wall)),
            };
            see(&Force {
                force: touch.impulse / step,
                normal: touch.normal,
                branch: center - other,
                wall,
            });
        }
    }

    fn own_kinetic_energy(&self) -> f64 {
        self.bodies.bodies().iter().map(Body::kinetic_energy).sum()
    }

    fn overlap(&self) -> f64 {
        self.bodies.overlap().unwrap_or(f64::NAN)
    }
}

fn none(name: &'static str, found: usize, expected: &'static str) -> Result<(), Error> {
    if found == 0 { Ok(()) } else { Err(Error::Setting { name, value: found as f64, expected }) }
}
