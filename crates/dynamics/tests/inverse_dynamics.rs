//! [`System::inverse_dynamics`] against the mass matrix and the smooth forces, for every system.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use nalgebra::{DVector, Vector2, Vector3};
use percussion_dynamics::{Body, FreeBodies, MassProperties, PlanarBodies, PlanarBody, System};
use proptest::prelude::*;

mod articulated_support;
use articulated_support::{Case, cases, mass_matrix, planar_trees, smooth_forces, trees};

/// Sums of a thousand terms of the size of their largest.
const ROUNDING: f64 = 1e-11;

/// `M a − k` by the matrix, and by [`System::inverse_dynamics`].
fn needs_the_forces_of(
    system: &dyn System,
    q: &[f64],
    v: &[f64],
    a: &[f64],
) -> Result<(), TestCaseError> {
    let mut forces = vec![f64::NAN; v.len()];
    system.inverse_dynamics(q, v, a, 0.3, &mut forces);
    let needed = mass_matrix(system, q) * DVector::from_column_slice(a);
    let smooth = smooth_forces(system, q, v);
    let size = 1.0 + needed.amax() + smooth.amax();
    let difference = DVector::from_vec(forces) - (needed - smooth);
    prop_assert!(difference.amax() <= ROUNDING * size, "{}", difference.amax());
    Ok(())
}

/// Two bodies with three moments of inertia, a force and a torque.
fn bodies() -> FreeBodies {
    let body = |mass: f64| {
        let sizes = Vector3::new(0.1, 0.7, 0.3);
        Body::from_mass_properties(&MassProperties::solid_box(mass, &sizes).unwrap())
    };
    FreeBodies::new(vec![body(2.0), body(0.5)], Vector3::new(0.1, 0.2, -9.81)).unwrap()
}

/// The coordinates at which the bodies are turned and moved from their neutral ones by entries of `by`.
fn placed(bodies: &FreeBodies, by: &[f64]) -> Vec<f64> {
    let neutral = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0].repeat(bodies.body_count());
    let mut placed = neutral.clone();
    bodies.retract(&neutral, &cycled(by, bodies.velocity_count()), &mut placed);
    placed
}

/// The first `count` entries, repeated as often as needed.
fn cycled(entries: &[f64], count: usize) -> Vec<f64> {
    if entries.is_empty() {
        vec![0.4; count]
    } else {
        entries.iter().copied().cycle().take(count).collect()
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn inverse_dynamics_is_mass_times_acceleration_less_the_forces(case in trees()) {
        let Case { system, q, v, w, .. } = &case;
        needs_the_forces_of(system, q, v, w)?;
        let free = bodies();
        let (q, n) = (placed(&free, v), free.velocity_count());
        needs_the_forces_of(&free, &q, &cycled(v, n), &cycled(w, n))?;
        let flat = PlanarBodies::new(vec![PlanarBody::new(2.0, 0.3); 3], Vector2::new(0.1, -9.81)).unwrap();
        needs_the_forces_of(&flat, &cycled(w, 9), &cycled(v, 9), &cycled(w, 9))?;
    }

    #[test]
    fn so_it_is_in_the_plane((case, _) in planar_trees()) {
        let Case { system, q, v, w, .. } = &case;
        needs_the_forces_of(system, q, v, w)?;
    }
}
