//! The contacts of one step, judged by both friction laws.
//!
//! With the impulses of all other contacts held fixed, the impulse of a contact is computed by Coulomb's law
//! and by maximum dissipation, in the closed forms of `percussion_complementarity`, which are not specific to
//! spheres. If the block does not couple the normal and the tangents, both laws give the same impulse. Then
//! every update of a sweep is the same, and so is the whole run.

use nalgebra::{Matrix3, Vector3};
use percussion_complementarity::friction::single::{self, coulomb, maximum_dissipation};
use percussion_granular::{Correction, Partner, Touch, World, channel::Channel};

use crate::{error::Error, experiments::granular::frame, fault::Faults};

/// Comparison of both laws for the contacts of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Comparison {
    /// Number of contacts.
    pub(super) contacts: f64,
    /// Contacts for which Coulomb's law does not have exactly one impulse.
    pub(super) ambiguous: f64,
    /// Largest difference between the impulses of the two laws at a contact, as a velocity relative to the
    /// largest velocity of a contact without impulses.
    pub(super) difference: f64,
    /// Largest natural map by each law, over the residual that the step reported.
    pub(super) coulomb: f64,
    pub(super) dissipation: f64,
}

/// Maximum number of steps tried until no grain leaves in a step, so that its contacts are kept.
const TRIES: usize = 1000;

/// Steps the channel until no grain leaves, and compares both laws in that step.
pub(super) fn compare(channel: &mut Channel, faults: Faults) -> Result<Comparison, Error> {
    let mut report = channel.step()?;
    for _ in 0..TRIES {
        if channel.world().touches().next().is_some() {
            break;
        }
        report = channel.step()?;
    }
    let world = channel.world();
    let mut comparison = Comparison::default();
    for touch in world.touches() {
        let (block, velocity, friction) = local(world, &touch);
        let frame = frame(&touch.normal);
        let mut impulse = frame * touch.impulse;
        let b = block * impulse - frame * velocity - bias(world, &touch);
        faults.contact_impulse(&mut impulse);
        let contact = single::Contact::new(&block, friction)?;
        let solutions = coulomb::all(&contact, &b);
        let by_coulomb = solutions.as_slice().first().map_or(Vector3::zeros(), |one| one.impulse);
        let mut by_dissipation = maximum_dissipation::solve(&contact, &b);
        faults.contact_impulse(&mut by_dissipation);
        let mass = 3.0 / block.trace();
        let as_velocity = |percussion: Vector3<f64>| percussion.norm() / mass;
        comparison.contacts += 1.0;
        comparison.ambiguous += f64::from(solutions.as_slice().len() != 1);
        let difference = as_velocity(by_coulomb - by_dissipation);
        comparison.difference = comparison.difference.max(difference);
        comparison.coulomb = comparison.coulomb.max(as_velocity(by_coulomb - impulse));
        comparison.dissipation = comparison.dissipation.max(as_velocity(by_dissipation - impulse));
    }
    comparison.difference *= report.relative_residual / report.residual;
    comparison.coulomb /= report.residual;
    comparison.dissipation /= report.residual;
    Ok(comparison)
}

/// Block of the Delassus operator, velocity after the step and friction of a contact.
fn local(world: &World, touch: &Touch) -> (Matrix3<f64>, Vector3<f64>, f64) {
    let grains = world.grains();
    // Velocity of the surface of a grain whose outward normal is `outward`, and its compliance to an impulse
    // along the normal and along a tangent; the moment of inertia of a ball is 2/5 m r².
    let surface = |grain: usize, outward: Vector3<f64>| {
        let spin = grains.radii()[grain] * grains.angular_velocity(grain);
        let yielding = 1.0 / grains.mass(grain);
        (grains.velocity(grain) + spin.cross(&outward), [yielding, 3.5 * yielding])
    };
    let (velocity, [normal, tangent]) = surface(touch.grain, -touch.normal);
    let (other, yields, friction) = match touch.partner {
        Partner::Grain(grain) => {
            let (velocity, yields) = surface(grain, touch.normal);
            (velocity, yields, world.settings().friction)
        }
        Partner::Wall(wall) => {
            let wall = &world.walls()[wall];
            let place = grains.positions()[touch.grain];
            (wall.surface_velocity(&place), [0.0; 2], wall.friction)
        }
    };
    let (normal, tangent) = (normal + yields[0], tangent + yields[1]);
    let block = Matrix3::from_diagonal(&Vector3::new(normal, tangent, tangent));
    (block, velocity - other, friction)
}

/// Shift of the normal velocity: an open gap may close within the step, but not more.
fn bias(world: &World, touch: &Touch) -> Vector3<f64> {
    let step = world.settings().step_size;
    let part = match world.settings().correction {
        _ if touch.gap >= 0.0 => 1.0,
        Correction::Velocity { part } => part,
        _ => 0.0,
    };
    Vector3::new(part * touch.gap / step, 0.0, 0.0)
}
