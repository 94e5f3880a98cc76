//! The spheres of a world: [`Grain`], one of them, and [`Grains`], all of them in arrays.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::{parallel::blocks, range, settings::Error};

/// Moment of inertia of a solid ball over `m r²`.
const SOLID: f64 = 0.4;

/// The product of radius and angular velocity (m/s).
const SURFACE: &str = "velocity of the surface";

/// One solid ball, as it is added to a [`World`](crate::World) and read from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grain {
    /// Center (m).
    pub position: Vector3<f64>,
    /// Rotation from the frame of the ball to the world.
    pub orientation: UnitQuaternion<f64>,
    /// Velocity of the center (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity in the world frame (rad/s).
    pub angular_velocity: Vector3<f64>,
    /// Radius (m), from `1e-75` to `1e75`.
    pub radius: f64,
    /// Mass (kg), from `1e-75` to `1e75`; uniformly distributed, so that the moment of inertia is `2/5 m r²`.
    pub mass: f64,
    /// Number of its material in [`Materials`](crate::Materials), default 0; without any it has no meaning.
    pub material: u8,
}

impl Grain {
    /// A ball at rest.
    #[must_use]
    pub fn at(position: Vector3<f64>, radius: f64, mass: f64) -> Self {
        Self {
            position,
            orientation: UnitQuaternion::identity(),
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            radius,
            mass,
            material: 0,
        }
    }

    /// The first entry that is invalid: its name, value and what was expected.
    pub(crate) fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let vectors = [
            ("position", self.position),
            ("velocity", self.velocity),
            ("angular_velocity", self.angular_velocity),
        ];
        for (name, vector) in vectors {
            if let Some(value) = range::unbounded(vector.as_slice()) {
                return Some((name, value, range::BOUNDED));
            }
        }
        let coordinates = &self.orientation.coords;
        if !range::is_unit(coordinates.as_slice()) {
            return Some(("norm of the orientation", coordinates.norm(), "1"));
        }
        let turning = self.radius * self.angular_velocity.amax();
        [("radius", self.radius), ("mass", self.mass)]
            .into_iter()
            .find(|(_, value)| !range::is_positive(*value))
            .map(|(name, value)| (name, value, range::POSITIVE))
            .or_else(|| (!range::is_bounded(turning)).then_some((SURFACE, turning, range::BOUNDED)))
    }
}

/// The data of a grain that the sweeps over the contacts read and write: one cache line.
///
/// Instead of the angular velocity `ω` it contains the velocity `s = r ω`, with which the equations of all
/// spheres are the same: the surface moves with `s × n` where the outward normal is `n`, and a tangential
/// impulse `p` changes it by `(r²/I) n × p`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Motion {
    pub(crate) velocity: Vector3<f64>,
    /// `s = r ω` (m/s).
    pub(crate) spin: Vector3<f64>,
    /// `1/m` (kg⁻¹).
    pub(crate) inverse_mass: f64,
    /// `r²/I` (kg⁻¹).
    pub(crate) spin_yield: f64,
}

/// The spheres of a [`World`](crate::World), each quantity in an array of its own.
///
/// They are stored in the order of the cells that contain them, which changes as they move; [`identities`]
/// gives the identity of each.
///
/// [`identities`]: Self::identities
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grains {
    pub(crate) positions: Vec<Vector3<f64>>,
    pub(crate) orientations: Vec<UnitQuaternion<f64>>,
    pub(crate) motions: Vec<Motion>,
    pub(crate) radii: Vec<f64>,
    pub(crate) identities: Vec<u64>,
    pub(crate) materials: Vec<u8>,
    /// Place of each grain when the pairs were last searched, or [`NEW`].
    pub(crate) previous: Vec<u32>,
}

/// Marks a grain that was added after the last search for pairs.
pub(crate) const NEW: u32 = u32::MAX;

/// Converts a place to 32 bits; [`World::add`](crate::World::add) ensures that it fits.
#[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2³² grains and contacts")]
pub(crate) fn narrow(place: usize) -> u32 {
    place as u32
}

impl Grains {
    /// Number of grains.
    #[must_use]
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Centers (m).
    #[must_use]
    pub fn positions(&self) -> &[Vector3<f64>] {
        &self.positions
    }

    /// Radii (m).
    #[must_use]
    pub fn radii(&self) -> &[f64] {
        &self.radii
    }

    /// The smallest radius (m), infinite without grains.
    #[must_use]
    pub fn smallest_radius(&self) -> f64 {
        self.radii.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// The identities that [`World::add`](crate::World::add) returned.
    #[must_use]
    pub fn identities(&self) -> &[u64] {
        &self.identities
    }

    /// Velocity of the center of grain `index` (m/s).
    ///
    /// # Panics
    ///
    /// If there is no such grain, here and below.
    #[must_use]
    pub fn velocity(&self, index: usize) -> Vector3<f64> {
        self.motions[index].velocity
    }

    /// Angular velocity of grain `index` in the world frame (rad/s).
    #[must_use]
    pub fn angular_velocity(&self, index: usize) -> Vector3<f64> {
        self.motions[index].spin / self.radii[index]
    }

    /// Mass of grain `index` (kg).
    #[must_use]
    pub fn mass(&self, index: usize) -> f64 {
        1.0 / self.motions[index].inverse_mass
    }

    /// All data of grain `index`.
    #[must_use]
    pub fn grain(&self, index: usize) -> Grain {
        Grain {
            position: self.positions[index],
            orientation: self.orientations[index],
            velocity: self.velocity(index),
            angular_velocity: self.angular_velocity(index),
            radius: self.radii[index],
            mass: self.mass(index),
            material: self.materials[index],
        }
    }

    /// `½ Σ m v² + I ω²` (J).
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        self.motions.iter().map(Motion::kinetic_energy).sum()
    }

    /// `Σ m v` (N·s).
    #[must_use]
    pub fn momentum(&self) -> Vector3<f64> {
        self.motions.iter().map(|motion| motion.velocity / motion.inverse_mass).sum()
    }

    /// `Σ m x` (kg·m); its negative product with gravity is the potential energy.
    #[must_use]
    pub fn first_moment(&self) -> Vector3<f64> {
        self.positions.iter().zip(&self.motions).map(|(x, motion)| x / motion.inverse_mass).sum()
    }

    pub(crate) fn push(&mut self, grain: &Grain, identity: u64) {
        self.positions.push(grain.position);
        self.orientations.push(grain.orientation);
        self.motions.push(Motion {
            velocity: grain.velocity,
            spin: grain.radius * grain.angular_velocity,
            inverse_mass: 1.0 / grain.mass,
            spin_yield: 1.0 / (SOLID * grain.mass),
        });
        self.radii.push(grain.radius);
        self.identities.push(identity);
        self.materials.push(grain.material);
        self.previous.push(NEW);
    }

    /// Keeps the grains for which `keep` returns true, in their order.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(usize) -> bool) {
        let kept: Vec<bool> = (0..self.len()).map(&mut keep).collect();
        fn filter<T>(list: &mut Vec<T>, kept: &[bool]) {
            let mut kept = kept.iter();
            list.retain(|_| kept.next().is_some_and(|keep| *keep));
        }
        filter(&mut self.positions, &kept);
        filter(&mut self.orientations, &kept);
        filter(&mut self.motions, &kept);
        filter(&mut self.radii, &kept);
        filter(&mut self.identities, &kept);
        filter(&mut self.materials, &kept);
        filter(&mut self.previous, &kept);
    }

    /// Sorts the grains by `order`, which lists their current places.
    pub(crate) fn permute(&mut self, order: &[u32]) {
        fn gather<T: Copy>(list: &mut Vec<T>, order: &[u32]) {
            *list = order.iter().map(|&place| list[place as usize]).collect();
        }
        gather(&mut self.positions, order);
        gather(&mut self.orientations, order);
        gather(&mut self.motions, order);
        gather(&mut self.radii, order);
        gather(&mut self.identities, order);
        gather(&mut self.materials, order);
        gather(&mut self.previous, order);
    }

    /// Adds a velocity to all (m/s).
    pub(crate) fn kick(&mut self, kick: &Vector3<f64>) {
        let add = |motions: &mut [Motion]| {
            motions.iter_mut().for_each(|motion| motion.velocity += kick);
        };
        blocks(&mut self.motions[..], &add, &|(), ()| ());
    }

    /// The largest speed (m/s).
    pub(crate) fn fastest(&self) -> f64 {
        let speed = |motion: &Motion| motion.velocity.norm_squared();
        let largest = |motions: &[Motion]| motions.iter().map(speed).fold(0.0, f64::max);
        blocks(&self.motions[..], &largest, &f64::max).sqrt()
    }

    /// The largest speed with `kick` added (m/s); an error if one moves by more than its radius within `step` seconds.
    pub(crate) fn fastest_after(&self, kick: &Vector3<f64>, step: f64) -> Result<f64, Error> {
        let Self { motions, radii, identities, .. } = self;
        let speed = |motion: &Motion| (motion.velocity + kick).norm();
        let checked = |(motion, radius): (&Motion, &f64)| match speed(motion) {
            speed if speed <= radius / step => speed,
            _ => f64::INFINITY,
        };
        let largest = |(motions, radii): (&[Motion], &[f64])| {
            motions.iter().zip(radii).map(checked).fold(0.0, f64::max)
        };
        let fastest = blocks((&motions[..], &radii[..]), &largest, &f64::max);
        if fastest.is_finite() {
            return Ok(fastest);
        }
        let mut all = motions.iter().zip(radii);
        let refused = all.position(|each| checked(each).is_infinite());
        refused.map_or(Ok(fastest), |place| {
            let (speed, limit) = (speed(&motions[place]), radii[place] / step);
            Err(Error::TooFast { identity: identities[place], speed, limit })
        })
    }

    /// Checks that all velocities are in range, and that no grain rotates by too much within `step` seconds.
    pub(crate) fn check_velocities(&self, step: f64) -> Result<(), Error> {
        let is_bounded = |vector: &Vector3<f64>| {
            range::is_bounded(vector.x)
                && range::is_bounded(vector.y)
                && range::is_bounded(vector.z)
        };
        let turn = |motion: &Motion, radius: &f64| motion.spin * (step / radius);
        let is_valid = |(motion, radius): (&Motion, &f64)| {
            is_bounded(&motion.velocity)
                && is_bounded(&motion.spin)
                && is_bounded(&turn(motion, radius))
        };
        let are_valid =
            |(motions, radii): (&[Motion], &[f64])| motions.iter().zip(radii).all(is_valid);
        if blocks((&self.motions[..], &self.radii[..]), &are_valid, &|a, b| a && b) {
            return Ok(());
        }
        for (place, (motion, radius)) in self.motions.iter().zip(&self.radii).enumerate() {
            let vectors = [
                ("velocity", motion.velocity),
                (SURFACE, motion.spin),
                ("turn", turn(motion, radius)),
            ];
            let fault = |(name, vector): (_, Vector3<f64>)| {
                Some((name, range::unbounded(vector.as_slice())?))
            };
            if let Some((name, value)) = vectors.into_iter().find_map(fault) {
                return Err(Error::Diverged { identity: self.identities[place], name, value });
            }
        }
        Ok(())
    }

    /// Moves every grain by its velocity for `step` seconds and rotates it.
    pub(crate) fn advance(&mut self, step: f64) {
        let Self { positions, orientations, radii, motions, .. } = self;
        let places = (&mut positions[..], &mut orientations[..]);
        blocks(
            (places, (&radii[..], &motions[..])),
            &|((positions, orientations), rest)| {
                let turns = orientations.iter_mut().zip(rest.0);
                for ((position, (orientation, radius)), motion) in
                    positions.iter_mut().zip(turns).zip(rest.1)
                {
                    *position += step * motion.velocity;
                    let half = (0.5 * step / radius) * motion.spin;
                    let turn = Quaternion::from_imag(half) * orientation.quaternion();
                    *orientation = UnitQuaternion::new_normalize(orientation.quaternion() + turn);
                }
            },
            &|(), ()| (),
        );
    }
}

impl Motion {
    /// Contribution of this grain to a third of the trace of the block of a contact (kg⁻¹).
    #[inline]
    pub(crate) fn contact_yield(&self) -> f64 {
        self.inverse_mass + (2.0 / 3.0) * self.spin_yield
    }

    pub(crate) fn kinetic_energy(&self) -> f64 {
        0.5 * (self.velocity.norm_squared() / self.inverse_mass
            + self.spin.norm_squared() / self.spin_yield)
    }
}
