//! Contacts and forces of one moment: [`ContactAverages`].

use nalgebra::{Matrix3, Vector3};

use crate::{Domain, Error, Force, World};

/// Averages over the contacts of the last step that carry an impulse, none of which there are after grains, walls or
/// settings were changed.
///
/// # Example
///
/// A ball of 1 kg rests on the floor with its weight, 9.81 N.
///
/// ```
/// use nalgebra::Vector3;
/// use percussion_granular::{Grain, Settings, Wall, World, statistics::ContactAverages};
///
/// let floor = Wall::plane(Vector3::zeros(), Vector3::z(), 0.4);
/// let mut world = World::new(Settings::default(), vec![floor])?;
/// world.add(&Grain::at(Vector3::new(0.0, 0.0, 0.1), 0.1, 1.0))?;
/// world.step()?;
/// let averages = ContactAverages::of(&world);
/// assert_eq!(averages.coordination, 1.0);
/// assert!((averages.wall_forces[0].z - 9.81).abs() < 1e-9);
/// # Ok::<(), percussion_granular::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ContactAverages {
    /// Mean number of contacts of a grain, with grains and walls; 0 without grains.
    pub coordination: f64,
    /// Normal forces between grains, and between grains and walls (N, > 0).
    pub normal_forces: Vec<f64>,
    /// Fabric tensor: mean of `n nᵀ` over contacts between grains, with trace 1; 0 without contacts.
    pub fabric: Matrix3<f64>,
    /// `Σ f lᵀ` over all contacts, with the force `f` on a grain and the vector `l` to its center, from that of the other
    /// grain or from the wall (J). Divided by a volume it is the mean stress there, in which pressure is positive (Pa).
    pub virial: Matrix3<f64>,
    /// Force of each wall on grains (N).
    pub wall_forces: Vec<Vector3<f64>>,
}

impl ContactAverages {
    /// The averages of the last step.
    #[must_use]
    pub fn of(world: &World) -> Self {
        let walls = world.walls().len();
        let (mut averages, counts) = Self::sums(walls, |see| world.each_force(see));
        averages.divide(counts, world.grains().len() as f64);
        averages
    }

    /// The same over all ranks; the list of normal forces has those of the contacts that this rank solves.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`].
    pub fn of_all(domain: &mut impl Domain) -> Result<Self, Error> {
        let walls = domain.world().walls().len();
        let (mut averages, [pairs, ends]) = Self::sums(walls, |see| domain.each_force(see));
        let mut sums = vec![pairs, ends, domain.own_count() as f64];
        sums.extend(averages.fabric.iter().chain(averages.virial.iter()));
        sums.extend(averages.wall_forces.iter().flatten());
        domain.sum(&mut sums)?;
        averages.fabric = Matrix3::from_column_slice(&sums[3..12]);
        averages.virial = Matrix3::from_column_slice(&sums[12..21]);
        let forces =
            sums[21..].chunks_exact(3).map(|force| Vector3::new(force[0], force[1], force[2]));
        averages.wall_forces = forces.collect();
        averages.divide([sums[0], sums[1]], sums[2]);
        Ok(averages)
    }

    /// Sums in place of means over the forces that `each` gives, and the numbers of contacts between grains and of ends of contacts on
    /// grains.
    fn sums(walls: usize, each: impl FnOnce(&mut dyn FnMut(&Force))) -> (Self, [f64; 2]) {
        let mut averages = Self {
            coordination: 0.0,
            normal_forces: Vec::new(),
            fabric: Matrix3::zeros(),
            virial: Matrix3::zeros(),
            wall_forces: vec![Vector3::zeros(); walls],
        };
        let (mut pairs, mut ends) = (0.0, 0.0);
        each(&mut |&Force { force, normal, branch, wall }| {
            averages.normal_forces.push(force.dot(&normal));
            match wall {
                None => {
                    (pairs, ends) = (pairs + 1.0, ends + 2.0);
                    averages.fabric += normal * normal.transpose();
                }
                Some(wall) => {
                    ends += 1.0;
                    averages.wall_forces[wall] += force;
                }
            }
            averages.virial += force * branch.transpose();
        });
        (averages, [pairs, ends])
    }

    /// Turns sums into means.
    fn divide(&mut self, [pairs, ends]: [f64; 2], grains: f64) {
        if pairs > 0.0 {
            self.fabric /= pairs;
        }
        if grains > 0.0 {
            self.coordination = ends / grains;
        }
    }
}
