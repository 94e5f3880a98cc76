//! The algorithms of articulated systems on random trees: against one another and against differences.
//!
//! Lengths, masses and velocities are of size one and trees up to 30 joints deep, so positions and
//! entries of the mass matrix reach some hundred. Relative tolerances are stated per quantity: `1e-12`
//! where two sums of up to a thousand terms agree to rounding, `1e-7` for derivatives by extrapolated
//! differences with the step `1e-3` (`h⁴` times a fifth derivative of some `10⁴`, plus `eps/h`).

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use nalgebra::{DMatrix, DVector, Isometry3, Matrix3, Point3, Vector3};
use percussion_dynamics::{
    AddedMass, Articulated, Dimension, Joint, Kinematics, Link, MassProperties, System,
};
use proptest::{prelude::*, strategy::ValueTree, test_runner::TestRunner};

mod articulated_support;
use articulated_support::{
    Case, cases, kinds, mass_matrix, moved, planar_trees, rate, smooth_forces, trees,
};

const ROUNDING: f64 = 1e-12;
const DIFFERENCE: f64 = 1e-7;

fn column(entries: &[f64]) -> DVector<f64> {
    DVector::from_column_slice(entries)
}

fn zeros(n: usize) -> DVector<f64> {
    DVector::from_element(n, f64::NAN)
}

fn at(case: &Case) -> Kinematics {
    let mut kinematics = case.system.kinematics();
    kinematics.update(&case.q, &case.v).unwrap();
    kinematics
}

/// `M a + h` by recursive Newton–Euler.
fn inverse(kinematics: &mut Kinematics, acceleration: &DVector<f64>) -> DVector<f64> {
    let mut forces = zeros(acceleration.len());
    kinematics.inverse_dynamics(acceleration.as_slice(), forces.as_mut_slice()).unwrap();
    forces
}

fn bias(kinematics: &mut Kinematics, n: usize) -> DVector<f64> {
    let mut forces = zeros(n);
    kinematics.bias(forces.as_mut_slice()).unwrap();
    forces
}

/// Links with mass, and their mass properties.
fn masses(system: &Articulated) -> impl Iterator<Item = (usize, MassProperties)> {
    let links = system.links().iter().enumerate();
    links.filter_map(|(i, link)| Some((i, link.mass_properties?)))
}

fn center(system: &Articulated, q: &[f64], i: usize, mass: &MassProperties) -> Vector3<f64> {
    (system.pose(q, i) * Point3::from(mass.center_of_mass())).coords
}

fn turned(system: &Articulated, q: &[f64], i: usize) -> Matrix3<f64> {
    system.pose(q, i).rotation.to_rotation_matrix().into_inner()
}

/// The columns of the mass matrix are the forces of unit accelerations, and its factors invert it.
fn mass_matrix_is_that_of_newton_and_euler(case: &Case) -> Result<(), TestCaseError> {
    let n = case.system.velocity_count();
    let matrix = mass_matrix(&case.system, &case.q);
    let mut kinematics = at(case);
    let at_rest = bias(&mut kinematics, n);
    let scale = matrix.amax() + at_rest.amax();
    for k in 0..n {
        let unit = DVector::from_fn(n, |i, _| f64::from(i == k));
        let force = inverse(&mut kinematics, &unit) - &at_rest;
        prop_assert!((force - matrix.column(k)).amax() <= ROUNDING * scale);
    }
    let columns = DMatrix::from_fn(n, 3, |i, j| case.w[(i + j) % n.max(1)]);
    let mut solved = columns.clone();
    kinematics.apply_inverse_mass(&mut solved).unwrap();
    let residual = (&matrix * &solved - &columns).amax();
    prop_assert!(residual <= ROUNDING * (matrix.amax() * solved.amax() + 1.0), "{residual}");
    let mut white = columns.clone();
    kinematics.whiten(&mut white).unwrap();
    let (a, b) = (white.tr_mul(&white), columns.tr_mul(&solved));
    prop_assert!((&a - &b).amax() <= 1e-10 * b.amax().max(1e-300), "{a} {b}");
    Ok(())
}

/// Sums with the mass matrix are divided by as dense matrices, whether or not what is added couples other velocities.
fn sums_are_those_of_dense_matrices(case: &Case) -> Result<(), TestCaseError> {
    let n = case.system.velocity_count();
    let matrix = mass_matrix(&case.system, &case.q);
    let size = matrix.diagonal().amax();
    let columns = DMatrix::from_fn(n, 6, |i, j| case.w[(i + j) % n.max(1)]);
    let row = DVector::from_fn(n, |i, _| case.v[i]);
    let pair = DVector::from_fn(n, |i, _| if i + 2 >= n { 1.0 } else { 0.0 });
    let diagonal = DMatrix::from_diagonal(&row.map(|v| size * (1.0 + v * v)));
    let added = [
        DMatrix::zeros(n, n),
        diagonal.clone(),
        &diagonal + size * &pair * pair.transpose(),
        diagonal + size * &row * row.transpose(),
    ];
    for added in added {
        let sum = &matrix + &added;
        let added = AddedMass::new(added);
        let mut solved = columns.clone();
        case.system.apply_inverse_sum(&case.q, &added, &mut solved);
        let residual = (&sum * &solved - &columns).amax();
        let scale = sum.amax() * solved.amax() + 1.0;
        prop_assert!(residual <= ROUNDING * scale, "{residual} of {scale}");
        let mut white = columns.clone();
        if case.system.whiten(&case.q, Some(&added), &mut white) {
            let (a, b) = (white.tr_mul(&white), columns.tr_mul(&solved));
            prop_assert!((&a - &b).amax() <= 1e-10 * b.amax().max(1e-300), "{a} {b}");
        } else {
            prop_assert_eq!(&white, &columns, "what cannot be divided stays");
        }
        // The mass matrix itself is still the same.
        let mut alone = columns.clone();
        case.system.apply_inverse_mass(&case.q, &mut alone);
        let residual = (&matrix * &alone - &columns).amax();
        prop_assert!(residual <= ROUNDING * (matrix.amax() * alone.amax() + 1.0), "{residual}");
    }
    Ok(())
}

/// `½ vᵀ M v` is the energy of bodies whose motion is computed by differences of their poses, for the velocity `v`
/// and, by polarization, for pairs.
fn mass_matrix_is_that_of_the_kinetic_energy(case: &Case) -> Result<(), TestCaseError> {
    let Case { system, q, .. } = case;
    let matrix = mass_matrix(system, q);
    let momenta = |v: &[f64]| -> Vec<_> {
        let of_link = |(i, mass): (usize, MassProperties)| {
            let velocity = rate(system, q, v, |q| center(system, q, i, &mass));
            let turn =
                rate(system, q, v, |q| turned(system, q, i)) * turned(system, q, i).transpose();
            let spin = Vector3::new(turn[(2, 1)], turn[(0, 2)], turn[(1, 0)]);
            let rotation = turned(system, q, i);
            (mass.mass(), rotation * mass.inertia() * rotation.transpose(), velocity, spin)
        };
        masses(system).map(of_link).collect()
    };
    let (of_v, of_w) = (momenta(&case.v), momenta(&case.w));
    let pairs = [(&of_v, &of_v, &case.v, &case.v), (&of_v, &of_w, &case.v, &case.w)];
    for (a, b, v, w) in pairs {
        let expected: f64 = a
            .iter()
            .zip(b)
            .map(|((m, inertia, u, spin), (_, _, w, turn))| {
                m * u.dot(w) + spin.dot(&(inertia * turn))
            })
            .sum();
        let found = column(v).dot(&(&matrix * column(w)));
        let scale = matrix.amax() * (v.len() as f64) + 1.0;
        prop_assert!((found - expected).abs() <= DIFFERENCE * scale, "{found} {expected}");
    }
    let energy = 0.5 * column(&case.v).dot(&(&matrix * column(&case.v)));
    prop_assert!((system.kinetic_energy(q, &case.v) - energy).abs() <= ROUNDING * (1.0 + energy));
    Ok(())
}

/// `h = Σ J_cᵀ (ṗ − m g) + J_ωᵀ L̇` with the rates of the momenta of each body by differences along a
/// motion of constant velocities.
fn bias_is_that_of_newton_and_euler_by_differences(case: &Case) -> Result<(), TestCaseError> {
    let Case { system, q, v, .. } = case;
    let n = v.len();
    let mut kinematics = at(case);
    let found = bias(&mut kinematics, n);
    let mut expected = DVector::zeros(n);
    let rows = if system.dimension() == Dimension::Plane { 2 } else { 3 };
    let mut jacobian = DMatrix::zeros(rows, n);
    let mut frame = DMatrix::zeros(if rows == 2 { 3 } else { 6 }, n);
    let moved_kinematics = std::cell::RefCell::new(system.kinematics());
    for (i, mass) in masses(system) {
        let momenta = |q: &[f64]| {
            let mut kinematics = moved_kinematics.borrow_mut();
            kinematics.update(q, v).unwrap();
            let pose = kinematics.pose(i);
            let center = (pose * Point3::from(mass.center_of_mass())).coords;
            let rotation = pose.rotation.to_rotation_matrix().into_inner();
            let linear = kinematics.point_velocity(i, &center) * mass.mass();
            let inertia = rotation * mass.inertia() * rotation.transpose();
            let angular = inertia * kinematics.angular_velocity(i);
            DVector::from_iterator(6, linear.iter().chain(angular.iter()).copied())
        };
        let mut rates = rate(system, q, v, momenta);
        let weight = system.gravity() * mass.mass();
        (0..3).for_each(|k| rates[k] -= weight[k]);
        let point = center(system, q, i, &mass);
        kinematics.point_jacobian(i, &point, &mut jacobian).unwrap();
        kinematics.frame_jacobian(i, &mut frame).unwrap();
        expected += jacobian.tr_mul(&rates.rows(0, rows));
        let turns = frame.rows(rows, frame.nrows() - rows);
        expected += turns.tr_mul(&rates.rows(6 - turns.nrows(), turns.nrows()));
    }
    let scale = 1.0 + expected.amax();
    prop_assert!((&found - &expected).amax() <= DIFFERENCE * scale, "{found} {expected}");
    Ok(())
}

/// Articulated bodies invert Newton–Euler, and agree with the factors of the mass matrix.
fn forward_dynamics_invert_inverse_dynamics(case: &Case) -> Result<(), TestCaseError> {
    let n = case.v.len();
    let mut kinematics = at(case);
    let (mut acceleration, forces) = (zeros(n), 10.0 * column(&case.w));
    kinematics.forward_dynamics(forces.as_slice(), acceleration.as_mut_slice()).unwrap();
    let matrix = mass_matrix(&case.system, &case.q);
    let bias = bias(&mut kinematics, n);
    let scale = matrix.amax() * acceleration.amax() + forces.amax() + bias.amax();
    let back = inverse(&mut kinematics, &acceleration);
    prop_assert!((back - &forces).amax() <= 1e-11 * scale);

    let mut columns = DMatrix::from_columns(&[&forces - &bias]);
    kinematics.apply_inverse_mass(&mut columns).unwrap();
    let difference = (columns.column(0) - &acceleration).amax();
    // Both solve an equation perturbed by rounding, which the condition of the matrix amplifies.
    let condition = if n == 0 {
        1.0 // only fixed joints
    } else {
        let values = matrix.symmetric_eigenvalues();
        values.max() / values.min()
    };
    let tolerance = 1e-11_f64.max(1e-15 * condition) * acceleration.amax();
    prop_assert!(difference <= tolerance + f64::MIN_POSITIVE, "{difference} {condition}");
    Ok(())
}

/// Jacobians are derivatives of positions, and `J̇ v` those of velocities along constant ones.
fn jacobians_and_their_rates_are_derivatives(case: &Case) -> Result<(), TestCaseError> {
    let Case { system, q, v, w, point } = case;
    let n = v.len();
    let kinematics = at(case);
    let link = system.body_count() - 1;
    let world = |q: &[f64]| (system.pose(q, link) * Point3::from(*point)).coords;
    let here = world(q);
    let scale = 1.0 + here.norm() + 10.0 * n as f64;

    let is_planar = system.dimension() == Dimension::Plane;
    let mut jacobian = DMatrix::zeros(if is_planar { 2 } else { 3 }, n);
    kinematics.point_jacobian(link, &here, &mut jacobian).unwrap();
    let velocity = rate(system, q, w, world);
    let by_jacobian = &jacobian * column(w);
    for k in 0..jacobian.nrows() {
        prop_assert!((by_jacobian[k] - velocity[k]).abs() <= DIFFERENCE * scale);
        let mut row = vec![0.0; n];
        system.add_point_row(q, link, &here, &Vector3::ith(k, 1.0), 1.0, &mut row);
        let difference = (column(&row).transpose() - jacobian.row(k)).amax();
        prop_assert!(difference <= ROUNDING * scale, "{difference}");
    }
    prop_assert!(
        (rate(system, q, v, world) - kinematics.point_velocity(link, &here)).norm()
            <= DIFFERENCE * scale
    );

    let mut frame = DMatrix::zeros(if is_planar { 3 } else { 6 }, n);
    kinematics.frame_jacobian(link, &mut frame).unwrap();
    let spin = kinematics.angular_velocity(link);
    let twist = &frame * column(v);
    let turn =
        rate(system, q, v, |q| turned(system, q, link)) * turned(system, q, link).transpose();
    let by_difference = Vector3::new(turn[(2, 1)], turn[(0, 2)], turn[(1, 0)]);
    prop_assert!((by_difference - spin).norm() <= DIFFERENCE * scale);
    let angular = if is_planar { spin.rows(2, 1) } else { spin.rows(0, 3) };
    prop_assert!(
        (twist.rows(twist.len() - angular.len(), angular.len()) - angular).amax()
            <= ROUNDING * scale
    );

    let moving = std::cell::RefCell::new(system.kinematics());
    let rates = |q: &[f64]| {
        let mut kinematics = moving.borrow_mut();
        kinematics.update(q, v).unwrap();
        let point = (kinematics.pose(link) * Point3::from(*point)).coords;
        let velocity = kinematics.point_velocity(link, &point);
        let spin = kinematics.angular_velocity(link);
        DVector::from_iterator(6, velocity.iter().chain(spin.iter()).copied())
    };
    let change = rate(system, q, v, rates);
    let (point_bias, angular_bias) =
        (kinematics.point_bias(link, &here), kinematics.angular_bias(link));
    let bound = DIFFERENCE * (1.0 + change.amax() + scale);
    prop_assert!((change.fixed_rows::<3>(0) - point_bias).norm() <= bound, "{change} {point_bias}");
    prop_assert!((change.fixed_rows::<3>(3) - angular_bias).norm() <= bound);
    Ok(())
}

/// The momentum about the center of mass is the sum over the bodies, and its matrix gives it.
fn centroidal_momentum_is_that_of_the_bodies(case: &Case) -> Result<(), TestCaseError> {
    let Case { system, q, v, .. } = case;
    let mut kinematics = at(case);
    let found = kinematics.centroidal_momentum();
    let (mut mass, mut first) = (0.0, Vector3::zeros());
    for (i, body) in masses(system) {
        mass += body.mass();
        first += center(system, q, i, &body) * body.mass();
    }
    if mass == 0.0 {
        return Ok(());
    }
    prop_assert!((found.mass - mass).abs() <= ROUNDING * mass);
    prop_assert!((system.mass() - mass).abs() <= ROUNDING * mass);
    prop_assert!((found.center - first / mass).norm() <= ROUNDING * (1.0 + first.norm() / mass));
    let (mut linear, mut angular, mut scale) = (Vector3::zeros(), Vector3::zeros(), 1.0);
    for (i, body) in masses(system) {
        let center = center(system, q, i, &body);
        let rotation = turned(system, q, i);
        let momentum = kinematics.point_velocity(i, &center) * body.mass();
        let spin =
            rotation * body.inertia() * rotation.transpose() * kinematics.angular_velocity(i);
        linear += momentum;
        angular += (center - found.center).cross(&momentum) + spin;
        scale += momentum.norm() * (1.0 + (center - found.center).norm()) + spin.norm();
    }
    prop_assert!((found.linear - linear).norm() <= ROUNDING * scale);
    prop_assert!((found.angular - angular).norm() <= ROUNDING * scale);
    let is_planar = system.dimension() == Dimension::Plane;
    let mut matrix = DMatrix::zeros(if is_planar { 3 } else { 6 }, v.len());
    kinematics.centroidal_matrix(&mut matrix).unwrap();
    let momentum = matrix * column(v);
    let all = [found.linear, found.angular].map(|m| m.iter().copied().collect::<Vec<_>>()).concat();
    let kept: &[usize] = if is_planar { &[0, 1, 5] } else { &[0, 1, 2, 3, 4, 5] };
    for (row, &k) in kept.iter().enumerate() {
        prop_assert!((momentum[row] - all[k]).abs() <= ROUNDING * scale);
    }
    Ok(())
}

/// Coordinates follow velocities, and conservative forces are derivatives of the potential energy.
fn coordinates_and_potential_are_consistent(case: &Case) -> Result<(), TestCaseError> {
    let Case { system, q, v, w, .. } = case;
    let n = v.len();
    let mut velocity = vec![f64::NAN; q.len()];
    system.coordinate_rate(q, v, &mut velocity);
    let by_difference = rate(system, q, v, column);
    prop_assert!((column(&velocity) - by_difference).amax() <= DIFFERENCE);
    let mut difference = vec![f64::NAN; n];
    system.difference(q, &moved(system, q, w, 0.5), &mut difference);
    prop_assert!((2.0 * column(&difference) - column(w)).amax() <= ROUNDING * 10.0);

    // Efforts on rotations in space have no potential, so they are subtracted.
    let mut forces = smooth_forces(system, q, &vec![0.0; n]);
    for (i, link) in system.links().iter().enumerate() {
        if let Some(first) = link.joint.kind.quaternion() {
            for k in first..first + 3 {
                forces[system.velocities_of(i).start + k] -= link.joint.effort[k];
            }
        }
    }
    let slope = rate(system, q, v, |q| system.potential_energy(q));
    let scale = 1.0 + system.potential_energy(q).abs() + forces.amax() * n as f64;
    prop_assert!((slope + forces.dot(&column(v))).abs() <= DIFFERENCE * scale);
    Ok(())
}

/// `v̇ = M⁻¹ k` of a system is that computed from its parts.
fn smooth_forces_are_joint_forces_less_bias(case: &Case) -> Result<(), TestCaseError> {
    let mut forces = vec![0.0; case.v.len()];
    case.system.add_joint_forces(&case.q, &case.v, &mut forces).unwrap();
    let expected = column(&forces) - bias(&mut at(case), forces.len());
    let found = smooth_forces(&case.system, &case.q, &case.v);
    prop_assert!((&found - &expected).amax() <= ROUNDING * (1.0 + expected.amax()));
    Ok(())
}

/// Velocities of different trees are not coupled.
fn trees_are_apart(case: &Case) -> Result<(), TestCaseError> {
    let matrix = mass_matrix(&case.system, &case.q);
    for link in 0..case.system.body_count() {
        let tree = case.system.tree_velocities(link);
        let own = case.system.velocities_of(link);
        prop_assert!(own.is_empty() || (tree.start <= own.start && own.end <= tree.end));
        for inside in tree.clone() {
            for outside in (0..case.v.len()).filter(|k| !tree.contains(k)) {
                prop_assert_eq!(matrix[(inside, outside)].to_bits(), 0);
            }
        }
    }
    Ok(())
}

fn everything_holds(case: &Case) -> Result<(), TestCaseError> {
    prop_assert_eq!(case.system.check_coordinates(&case.q), Ok(()));
    trees_are_apart(case)?;
    mass_matrix_is_that_of_newton_and_euler(case)?;
    sums_are_those_of_dense_matrices(case)?;
    mass_matrix_is_that_of_the_kinetic_energy(case)?;
    bias_is_that_of_newton_and_euler_by_differences(case)?;
    forward_dynamics_invert_inverse_dynamics(case)?;
    jacobians_and_their_rates_are_derivatives(case)?;
    centroidal_momentum_is_that_of_the_bodies(case)?;
    coordinates_and_potential_are_consistent(case)?;
    smooth_forces_are_joint_forces_less_bias(case)
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn all_algorithms_agree_on_trees_in_space(case in trees()) {
        everything_holds(&case)?;
    }

    #[test]
    fn all_algorithms_agree_on_planar_trees((case, in_space) in planar_trees()) {
        prop_assert_eq!(case.system.dimension(), Dimension::Plane);
        prop_assert_eq!(in_space.dimension(), Dimension::Space);
        everything_holds(&case)?;
    }

    #[test]
    fn planar_trees_move_as_they_do_in_space((case, in_space) in planar_trees()) {
        let Case { system, q, v, point, .. } = &case;
        let n = v.len();
        let (a, b) = (mass_matrix(system, q), mass_matrix(&in_space, q));
        prop_assert!((&a - b).amax() <= ROUNDING * a.amax());
        let (a, b) = (smooth_forces(system, q, v), smooth_forces(&in_space, q, v));
        prop_assert!((&a - b).amax() <= ROUNDING * (1.0 + a.amax()));
        let (a, b) = (system.energy(q, v), in_space.energy(q, v));
        prop_assert!((a - b).abs() <= ROUNDING * (1.0 + a.abs() + 100.0 * n as f64));
        let mut kinematics = [system.kinematics(), in_space.kinematics()];
        let mut accelerations = [zeros(n), zeros(n)];
        for (kinematics, acceleration) in kinematics.iter_mut().zip(&mut accelerations) {
            kinematics.update(q, v).unwrap();
            kinematics.forward_dynamics(&case.w, acceleration.as_mut_slice()).unwrap();
        }
        let [a, b] = &accelerations;
        prop_assert!((a - b).amax() <= 1e-9 * (1.0 + a.amax()));
        let link = system.body_count() - 1;
        let pose = system.pose(q, link);
        prop_assert!((pose.to_matrix() - in_space.pose(q, link).to_matrix()).amax() <= 1e-13 * 30.0);
        let world = (pose * Point3::from(*point)).coords;
        let of = |f: &dyn Fn(&Kinematics) -> Vector3<f64>| (f(&kinematics[0]) - f(&kinematics[1])).norm();
        let scale = 1.0 + kinematics[0].point_bias(link, &world).norm();
        prop_assert!(of(&|k| k.point_velocity(link, &world)) <= ROUNDING * scale);
        prop_assert!(of(&|k| k.point_bias(link, &world)) <= ROUNDING * scale);
        prop_assert!(of(&|k| k.centroidal_momentum().angular) <= 1e-9 * scale);
    }
}

/// The random trees contain all kinds of joints.
#[test]
fn random_trees_have_joints_of_every_kind_and_up_to_thirty() {
    let mut runner = TestRunner::new(cases(64));
    let (mut counts, mut largest, mut massless) = ([0; 6], 0, 0);
    for _ in 0..64 {
        let case = trees().new_tree(&mut runner).unwrap().current();
        for (count, new) in counts.iter_mut().zip(kinds(&case.system)) {
            *count += new;
        }
        largest = largest.max(case.system.links().len());
        massless += case.system.links().iter().filter(|l| l.mass_properties.is_none()).count();
    }
    assert!(counts.iter().all(|&count| count > 64), "{counts:?}");
    assert!(largest >= 29 && massless > 0, "{largest} {massless}");
}

/// Inertias are computed about a point of the tree, so a million meters from the origin of the world they keep their
/// digits, and only positions are rounded.
#[test]
fn far_from_the_origin_no_digits_are_lost() {
    let ball = MassProperties::solid_sphere(1.0, 0.1).unwrap();
    let links = vec![
        Link::new("trunk", Joint::free()).with_mass(ball),
        Link::new("leg", Joint::spherical())
            .on("trunk")
            .at(Isometry3::translation(0.3, -0.2, 0.1))
            .with_mass(ball.translated(&Vector3::new(0.1, 0.4, 0.2))),
    ];
    let system = Articulated::new(links, Vector3::new(0.0, 0.0, -9.81)).unwrap();
    let mut near = system.neutral_coordinates();
    near[7..11].copy_from_slice(&[0.5, 0.5, -0.5, 0.5]);
    let mut far = near.clone();
    far[..3].copy_from_slice(&[1e6, -1e6, 1e6]);
    assert_eq!(mass_matrix(&system, &near), mass_matrix(&system, &far));
    let v = [0.3, 0.1, -0.2, 1.0, -2.0, 0.5, 0.7, 3.0, -1.0];
    assert_eq!(smooth_forces(&system, &near, &v), smooth_forces(&system, &far, &v));
}

/// Results do not depend on previous computations, to the last bit.
#[test]
fn repeated_evaluation_gives_the_same_bits() {
    let mut runner = TestRunner::new(cases(8));
    let case = trees().new_tree(&mut runner).unwrap().current();
    let fresh = case.system.clone();
    let forces = smooth_forces(&fresh, &case.q, &case.v);
    let neutral = case.system.neutral_coordinates();
    smooth_forces(&case.system, &neutral, &case.w);
    mass_matrix(&case.system, &case.q);
    let again = smooth_forces(&case.system, &case.q, &case.v);
    assert!(forces.iter().zip(again.iter()).all(|(a, b)| a.to_bits() == b.to_bits()), "{forces}");
}
