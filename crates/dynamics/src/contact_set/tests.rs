//! Contacts against their definition: explicit products, finite differences, orders of contacts and bodies.

use nalgebra::{DMatrix, DVector, Point3, Vector2, Vector3};
use proptest::prelude::*;

mod cases;

use super::*;
use crate::{
    Articulated, Body, ContactFrame, FreeBodies, Joint, LimitSide, Link, MassProperties,
    PlanarBodies, PlanarBody, SumLimit, SumTerm,
    gap::{GapFunction, Plane, Sphere, SpherePlane, SphereSphere},
    testing::fixed_seed,
};
use cases::{Case, Numbers, cases, posture, robot};

fn dense(set: &ContactSet) -> DMatrix<f64> {
    let mut delassus = DMatrix::zeros(0, 0);
    set.delassus(&mut delassus).unwrap();
    delassus
}

fn sparse(set: &ContactSet) -> BlockSparse {
    let mut delassus = BlockSparse::default();
    set.block_sparse_delassus(&mut delassus).unwrap();
    delassus
}

fn jacobian(set: &ContactSet) -> DMatrix<f64> {
    let mut jacobian = DMatrix::zeros(0, 0);
    set.contact_jacobian(&mut jacobian);
    jacobian
}

/// Rounding errors of `W`: those of the inverse of the mass matrix, whose condition is below 1e4 here.
const ROUNDING: f64 = 1e-11;

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..fixed_seed() })]

    #[test]
    fn the_operator_is_that_of_its_definition(seed: u64, count in 0_usize..14) {
        for case in cases(seed, count) {
            let n = case.system.velocity_count();
            let mut mass_matrix = DMatrix::zeros(n, n);
            case.system.mass_matrix(&case.coordinates, &mut mass_matrix);
            let j = jacobian(&case.set());
            let expected = &j * mass_matrix.cholesky().unwrap().solve(&j.transpose());
            let error = (case.delassus() - &expected).amax();
            prop_assert!(error <= ROUNDING * expected.amax().max(1.0), "{error}");
        }
    }

    #[test]
    fn the_operator_is_symmetric_to_the_bit_and_semidefinite(seed: u64, count in 1_usize..14) {
        for case in cases(seed, count) {
            let w = case.delassus();
            prop_assert_eq!(&w, &w.transpose());
            let smallest = w.clone().symmetric_eigenvalues().min();
            prop_assert!(smallest >= -ROUNDING * w.amax(), "{smallest}");
        }
    }

    #[test]
    fn blocks_are_those_of_the_dense_operator(seed: u64, count in 0_usize..14) {
        let mut blocks = BlockSparse::default();
        for case in cases(seed, count) {
            let mut set = case.set();
            set.divide_by_mass(&*case.system, &case.coordinates).unwrap();
            set.block_sparse_delassus(&mut blocks).unwrap();
            let w = dense(&set);
            let mut from_blocks = DMatrix::zeros(0, 0);
            blocks.to_dense(&mut from_blocks);
            prop_assert_eq!(&from_blocks, &w);
            prop_assert!((0..count).all(|i| blocks.columns(i).is_sorted()));

            let impulse = DVector::from_vec(Numbers(seed).list(w.nrows()));
            let mut velocity = DVector::zeros(w.nrows());
            blocks.multiply(impulse.as_slice(), velocity.as_mut_slice()).unwrap();
            prop_assert!((velocity - &w * impulse).amax() <= 1e-13 * w.amax().max(1.0));
        }
    }

    #[test]
    fn rows_are_the_contact_velocities_of_the_motion(seed: u64, count in 1_usize..8) {
        for case in cases(seed, count) {
            let (set, mut numbers) = (case.set(), Numbers(seed));
            let velocity = numbers.list(case.system.velocity_count());
            let mut contact_velocity = vec![0.0; count * set.component_count()];
            set.contact_velocity(&velocity, &mut contact_velocity).unwrap();
            let components = contact_velocity.chunks(set.component_count());
            for (contact, found) in case.contacts.iter().zip(components) {
                let expected = relative_velocity(&case, contact, &velocity);
                for (axis, found) in contact.frame.axes().iter().zip(found) {
                    // Truncation h²/6 times third derivatives and rounding eps/h, both some 1e-10.
                    prop_assert!((axis.dot(&expected) - found).abs() < 1e-8);
                }
            }
            let j = jacobian(&set);
            let product = &j * DVector::from_vec(velocity.clone());
            prop_assert!((product - DVector::from_vec(contact_velocity)).amax() < 1e-13);
            let impulse = DVector::from_vec(numbers.list(j.nrows()));
            let mut sum = DVector::zeros(j.ncols());
            set.generalized_impulse(impulse.as_slice(), sum.as_mut_slice()).unwrap();
            prop_assert!((sum - j.tr_mul(&impulse)).amax() < 1e-13);
        }
    }

    #[test]
    fn another_order_of_contacts_permutes_the_operator(seed: u64, count in 2_usize..10) {
        for mut case in cases(seed, count) {
            let before = case.delassus();
            case.contacts.reverse();
            let after = case.delassus();
            let rows = before.nrows() / count;
            let place = |i: usize| rows * (count - 1 - i / rows) + i % rows;
            let permuted = DMatrix::from_fn(before.nrows(), before.nrows(), |i, j| {
                after[(place(i), place(j))]
            });
            prop_assert!((permuted - &before).amax() <= ROUNDING * before.amax());
        }
    }

    #[test]
    fn exchanged_partners_change_nothing(seed: u64, count in 1_usize..10) {
        for mut case in cases(seed, count) {
            let before = case.delassus();
            for contact in &mut case.contacts {
                contact.bodies.reverse();
                contact.points.reverse();
                let ContactFrame { normal, tangent_1, tangent_2 } = contact.frame;
                contact.frame = ContactFrame {
                    normal: -normal, tangent_1: -tangent_1, tangent_2: -tangent_2
                };
            }
            prop_assert_eq!(case.delassus(), before);
        }
    }

    #[test]
    fn kinematics_give_the_operator_of_the_system(seed: u64, count in 0_usize..10) {
        let mut numbers = Numbers(seed);
        let robot = robot(&mut numbers);
        let coordinates = posture(&mut numbers);
        let mut kinematics = robot.kinematics();
        kinematics.update(&coordinates, &[0.0; 17]).unwrap();
        let mut contacts: Vec<_> =
            (0..count).map(|i| numbers.contact(i, 11, Dimension::Space)).collect();
        let mut whitened = |contacts: &[Contact]| {
            let mut set = ContactSet::for_system(&robot);
            for contact in contacts {
                set.push_at(&kinematics, contact).unwrap();
            }
            set.whiten(&mut kinematics).unwrap();
            set
        };
        let set = whitened(&contacts);
        let w = dense(&set);
        let case =
            Case { system: Box::new(robot.clone()), coordinates, contacts: contacts.clone() };
        prop_assert_eq!(jacobian(&set), jacobian(&case.set()));
        prop_assert!((case.delassus() - &w).amax() <= ROUNDING * w.amax().max(1.0));
        prop_assert_eq!(&w, &w.transpose());
        let mut from_blocks = DMatrix::zeros(0, 0);
        sparse(&set).to_dense(&mut from_blocks);
        prop_assert_eq!(from_blocks, w.clone());

        contacts.reverse();
        let reversed = dense(&whitened(&contacts));
        let place = |i: usize| 3 * (count - 1 - i / 3) + i % 3;
        let permuted = DMatrix::from_fn(3 * count, 3 * count, |i, j| reversed[(place(i), place(j))]);
        prop_assert_eq!(permuted, w);
    }
}

/// The velocity of the point of body 1 minus that of body 2, by central differences of their positions.
fn relative_velocity(case: &Case, contact: &Contact, velocity: &[f64]) -> Vector3<f64> {
    let h = 1e-5;
    let at = |time: f64, body: usize, point: &Vector3<f64>| {
        let local = case.system.pose(&case.coordinates, body).inverse() * Point3::from(*point);
        let tangent: Vec<f64> = velocity.iter().map(|v| time * v).collect();
        let mut moved = vec![0.0; case.coordinates.len()];
        case.system.retract(&case.coordinates, &tangent, &mut moved);
        (case.system.pose(&moved, body) * local).coords
    };
    let of_side = |(body, point, sign): (usize, &Vector3<f64>, f64)| {
        (at(h, body, point) - at(-h, body, point)) * (sign / (2.0 * h))
    };
    contact.sides().map(of_side).sum()
}

/// Three balls in a row on the floor, the outer ones touching the one between them.
fn three_balls() -> (FreeBodies, Vec<f64>) {
    let ball = Body::from_mass_properties(&MassProperties::solid_sphere(2.0, 0.5).unwrap());
    let system = FreeBodies::new(vec![ball; 3], Vector3::new(0.0, 0.0, -9.81)).unwrap();
    let coordinates = (0..3).flat_map(|i| [f64::from(i), 0.0, 0.5, 1.0, 0.0, 0.0, 0.0]).collect();
    (system, coordinates)
}

#[test]
fn gap_functions_and_touching_features_give_the_same_rows() {
    let (system, coordinates) = three_balls();
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let ball = |body| Sphere::of_body(body, 0.5);
    let gaps: Vec<Box<dyn GapFunction>> = vec![
        Box::new(SpherePlane::new(ball(1), floor).unwrap()),
        Box::new(SphereSphere::new(ball(0), ball(1)).unwrap()),
        Box::new(SphereSphere::new(ball(2), ball(1)).unwrap()),
    ];
    let partners = [[Some(1), None], [Some(0), Some(1)], [Some(2), Some(1)]];
    let mut from_gaps = ContactSet::for_system(&system);
    let mut from_features = ContactSet::for_system(&system);
    for (gap, bodies) in gaps.iter().zip(partners) {
        gap.check(&system).unwrap();
        from_gaps.push_gap(&system, &coordinates, gap.as_ref(), 0.5, 0.25).unwrap();
        let place = gap.contact_point(&system, &coordinates).unwrap();
        let points = [place.point, place.point - place.gap * place.frame.normal];
        let contact =
            Contact::new(bodies, points, place.frame).with_friction(0.5).with_restitution(0.25);
        from_features.push(&system, &coordinates, &contact).unwrap();
    }
    assert_eq!(jacobian(&from_gaps), jacobian(&from_features));
    assert_eq!(from_gaps.gaps(), [0.0; 3]);
    assert_eq!(from_gaps.gaps(), from_features.gaps());
    assert_eq!((from_gaps.friction(), from_gaps.restitution()), (&[0.5; 3][..], &[0.25; 3][..]));

    from_gaps.divide_by_mass(&system, &coordinates).unwrap();
    let blocks = sparse(&from_gaps);
    // The balls at the ends do not touch one another but both touch the one between them.
    assert_eq!(blocks.columns(1), [0, 1, 2]);
    from_gaps.clear();
    from_gaps.push_gap(&system, &coordinates, gaps[0].as_ref(), 0.0, 0.0).unwrap();
    assert_eq!(from_gaps.parts.len(), 1, "the other balls have no rows");
}

#[test]
fn bodies_in_another_order_give_the_same_operator() {
    let [mut case, ..] = cases(5, 9);
    let before = case.delassus();
    let mut numbers = Numbers(8);
    let bodies: Vec<_> = (0..5).map(|_| Body::from_mass_properties(&numbers.mass())).collect();
    let gravity = Vector3::zeros();
    case.system = Box::new(FreeBodies::new(bodies.clone(), gravity).unwrap());
    assert_ne!(case.delassus(), before, "the masses matter");
    let first = case.delassus();

    case.system = Box::new(FreeBodies::new(bodies.into_iter().rev().collect(), gravity).unwrap());
    case.coordinates = case.coordinates.chunks(7).rev().flatten().copied().collect();
    for contact in &mut case.contacts {
        contact.bodies = contact.bodies.map(|body| body.map(|body| 4 - body));
    }
    assert_eq!(case.delassus(), first);
}

#[test]
fn overlapping_ranges_become_one_tree() {
    let (trees, tree_of) = trees(&[4..6, 0..3, 7..7, 2..4, 6..9, 1..2]);
    assert_eq!(trees, [0..4, 4..6, 6..9]);
    assert_eq!(tree_of, [Some(1), Some(0), None, Some(0), Some(2), Some(0)]);
}

#[test]
fn a_contact_of_a_body_that_cannot_move_has_zero_rows_and_a_diagonal_block() {
    let pin = Link::new("pin", Joint::fixed());
    let bob = MassProperties::solid_sphere(1.0, 0.1).unwrap();
    let arm = Link::new("arm", Joint::spherical()).with_mass(bob);
    let system = Articulated::new(vec![pin, arm], Vector3::zeros()).unwrap();
    let coordinates = system.neutral_coordinates();
    let frame = ContactFrame::from_normal(&Vector3::z(), &Vector3::x()).unwrap();
    let contact = Contact::new([Some(0), None], [Vector3::x(); 2], frame);
    let mut set = ContactSet::for_system(&system);
    set.push(&system, &coordinates, &contact).unwrap();
    set.divide_by_mass(&system, &coordinates).unwrap();
    assert_eq!(dense(&set), DMatrix::zeros(3, 3));
    assert_eq!(sparse(&set).block(0, 0), Some(&[0.0; 9][..]));
}

/// A limit has a normal only. A carriage that moves along `x + z` has no first tangent `y`, but a second one.
#[test]
fn limits_and_missing_tangents_leave_out_no_product() {
    let axes = [Vector3::new(1.0, 0.0, 1.0), Vector3::new(0.3, 1.0, -0.2), Vector3::y()];
    let mut links = vec![];
    for (number, axis) in axes.into_iter().enumerate() {
        let mass = MassProperties::point(1.0 + number as f64).unwrap();
        let link = Link::new(format!("{number}"), Joint::prismatic(axis)).with_mass(mass);
        links.push(if number == 0 { link } else { link.on(format!("{}", number - 1)) });
    }
    let system = Articulated::new(links, Vector3::zeros()).unwrap();
    let (q, mut mass_matrix) = ([0.0; 3], DMatrix::zeros(3, 3));
    let mut set = ContactSet::for_system(&system);
    let limit = |joint: usize, factor: f64| SumLimit {
        terms: vec![SumTerm { coordinate: joint, velocity: joint, factor }],
        offset: 0.0,
        side: LimitSide::Upper,
        bound: 0.1,
    };
    set.push_gap(&system, &q, &limit(2, 1.0), 0.0, 0.0).unwrap();
    let frame = ContactFrame::from_normal(&Vector3::x(), &Vector3::y()).unwrap();
    for body in [0, 2] {
        let contact = Contact::new([Some(body), None], [Vector3::zeros(); 2], frame);
        set.push(&system, &q, &contact).unwrap();
    }
    set.push_gap(&system, &q, &limit(1, 2.0), 0.0, 0.0).unwrap();
    set.divide_by_mass(&system, &q).unwrap();
    let j = jacobian(&set);
    assert!(j.row(4).iter().all(|entry| *entry == 0.0) && j.row(5).amax() > 0.5, "{j}");
    system.mass_matrix(&q, &mut mass_matrix);
    let expected = &j * mass_matrix.cholesky().unwrap().solve(&j.transpose());
    let error = (dense(&set) - &expected).amax();
    assert!(error < 1e-14, "{error} in {expected}");
}

#[test]
fn without_contacts_there_is_nothing_to_multiply() {
    let (system, coordinates) = three_balls();
    let mut set = ContactSet::for_system(&system);
    assert!(set.is_empty());
    set.divide_by_mass(&system, &coordinates).unwrap();
    assert_eq!(dense(&set).shape(), (0, 0));
    let blocks = sparse(&set);
    assert_eq!((blocks.contact_count(), blocks.block_count()), (0, 0));
    assert_eq!((blocks.block(0, 0), BlockSparse::default().block(0, 0)), (None, None));
    blocks.multiply(&[], &mut []).unwrap();
    set.generalized_impulse(&[], &mut [0.0; 18]).unwrap();
}

/// The memory is kept: fewer contacts and then as many again do not move any buffer.
#[test]
fn memory_is_kept_when_contacts_come_and_go() {
    let [case, ..] = cases(3, 12);
    let mut set = case.set();
    let (mut w, mut blocks) = (DMatrix::zeros(0, 0), BlockSparse::default());
    let mut places = Vec::new();
    for count in [12, 5, 12] {
        set.clear();
        for contact in &case.contacts[..count] {
            set.push(&*case.system, &case.coordinates, contact).unwrap();
        }
        set.divide_by_mass(&*case.system, &case.coordinates).unwrap();
        set.delassus(&mut w).unwrap();
        set.block_sparse_delassus(&mut blocks).unwrap();
        places.push((w.as_ptr(), set.columns.as_ptr(), set.rows.as_ptr(), blocks.place()));
    }
    assert!(places.iter().all(|place| *place == places[0]), "{places:?}");
}

#[test]
fn each_error_names_what_is_wrong_and_adds_nothing() {
    let (system, coordinates) = three_balls();
    let mut set = ContactSet::for_system(&system);
    let frame = ContactFrame::from_normal(&Vector3::z(), &Vector3::x()).unwrap();
    let good = Contact::new([Some(0), None], [Vector3::zeros(); 2], frame);
    let value = |field, value: f64, expected| {
        move |error: ContactSetError| match error {
            ContactSetError::Value { contact: 0, field: f, value: v, expected: e } => {
                (f, v.to_bits(), e) == (field, value.to_bits(), expected)
            }
            _ => false,
        }
    };
    let nan = Vector3::new(0.0, f64::NAN, 0.0);
    type Expected = Box<dyn Fn(ContactSetError) -> bool>;
    let refused: Vec<(Contact, Expected)> = vec![
        (
            Contact { bodies: [Some(0), Some(3)], ..good },
            Box::new(|e| e == ContactSetError::Body { contact: 0, body: 3, count: 3 }),
        ),
        (
            Contact { bodies: [Some(1), Some(1)], ..good },
            Box::new(|e| e.to_string().contains("body 1 with itself")),
        ),
        (
            Contact { bodies: [None, None], ..good },
            Box::new(|e| e.to_string().contains("the world with itself")),
        ),
        (
            Contact { points: [Vector3::zeros(), nan], ..good },
            Box::new(value("point of body 2", f64::NAN, "finite numbers")),
        ),
        (
            Contact { gap: f64::INFINITY, ..good },
            Box::new(value("gap", f64::INFINITY, "a finite number (m)")),
        ),
        (
            good.with_friction(-0.5),
            Box::new(value("friction", -0.5, "a finite number of at least 0")),
        ),
        (good.with_restitution(1.5), Box::new(value("restitution", 1.5, "a number from 0 to 1"))),
    ];
    for (contact, expected) in &refused {
        let error = set.push(&system, &coordinates, contact).unwrap_err();
        assert!(expected(error), "{error}");
    }
    let length = ContactSetError::Length { field: "coordinates", expected: 21, found: 3 };
    assert_eq!(set.push(&system, &coordinates[..3], &good), Err(length));
    assert_eq!(set.divide_by_mass(&system, &coordinates[..3]), Err(length));
    let floor = Plane::new(&Vector3::z(), &Vector3::zeros()).unwrap();
    let gap = SpherePlane::new(Sphere::of_body(0, 0.5), floor).unwrap();
    assert!(set.push_gap(&system, &coordinates, &gap, f64::NAN, 0.0).is_err());
    let mut far = coordinates.clone();
    far[2] = f64::INFINITY;
    assert!(set.push_gap(&system, &far, &gap, 0.0, 0.0).is_err());
    assert!(set.is_empty());
    assert_eq!(
        set.contact_velocity(&[0.0; 18], &mut [0.0]).unwrap_err(),
        ContactSetError::Length { field: "contact velocity", expected: 0, found: 1 }
    );

    set.push(&system, &coordinates, &good).unwrap();
    assert_eq!(set.delassus(&mut DMatrix::zeros(0, 0)), Err(ContactSetError::NoMass));
    assert_eq!(jacobian(&set)[(0, 2)].to_bits(), 1.0_f64.to_bits());
}

#[test]
fn a_normal_out_of_the_plane_is_refused_in_a_planar_system() {
    let bodies = vec![PlanarBody::new(1.0, 1.0)];
    let system = PlanarBodies::new(bodies, Vector2::zeros()).unwrap();
    let frame = ContactFrame::from_normal(&Vector3::z(), &Vector3::x()).unwrap();
    let contact = Contact::new([Some(0), None], [Vector3::zeros(); 2], frame);
    let error = ContactSet::for_system(&system).push(&system, &[0.0; 3], &contact).unwrap_err();
    assert_eq!(
        error.to_string(),
        "contact 0: z of the normal is 1.0, expected 0 in a planar system"
    );
}
