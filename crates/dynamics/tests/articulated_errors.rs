//! Input that articulated systems refuse, and the errors.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::float_cmp, reason = "these results are exact")]

use nalgebra::{DMatrix, Isometry3, Quaternion, UnitQuaternion, Vector3};
use percussion_dynamics::{
    Articulated, ArticulatedError, CoordinateError, Dimension, Joint, JointFriction, LimitSide,
    Link, MassProperties, MassPropertiesError, ShapeError, System,
    gap::{ContactRows, GapFunction},
};

fn ball() -> MassProperties {
    MassProperties::solid_sphere(1.0, 0.5).unwrap()
}

fn hinge() -> Joint {
    Joint::revolute(Vector3::z())
}

fn link(name: &str) -> Link {
    Link::new(name, hinge()).with_mass(ball())
}

fn build(links: Vec<Link>) -> Result<Articulated, ArticulatedError> {
    Articulated::new(links, Vector3::new(0.0, -9.81, 0.0))
}

fn refusal(joint: Joint) -> ArticulatedError {
    build(vec![link("base"), Link::new("arm", joint).on("base").with_mass(ball())]).unwrap_err()
}

#[test]
fn links_that_are_not_a_tree_are_refused() {
    assert_eq!(build(vec![]).unwrap_err(), ArticulatedError::NoLinks);
    let error = build(vec![link("a"), link("a")]).unwrap_err();
    assert_eq!(error, ArticulatedError::DuplicateName { link: "a".into() });
    let error = build(vec![link("a"), link("b").on("c")]).unwrap_err();
    assert_eq!(error, ArticulatedError::MissingParent { link: "b".into(), parent: "c".into() });
    assert_eq!(error.to_string(), "parent `c` of link `b` does not exist");
    let error = build(vec![link("a").on("a")]).unwrap_err();
    assert_eq!(error, ArticulatedError::Cycle { link: "a".into() });
    // The twig is attached to the cycle but is not part of it.
    let error = build(vec![link("twig").on("a"), link("a").on("b"), link("b").on("a")]);
    assert!(matches!(&error, Err(ArticulatedError::Cycle { link }) if link != "twig"), "{error:?}");
}

#[test]
fn long_chains_are_arranged_quickly_and_refused_beyond_a_limit() {
    let chain = |count: usize, joint: Joint| -> Vec<Link> {
        let link = |i: usize| Link::new(i.to_string(), joint.clone()).with_mass(ball());
        let next = |i: usize| if i == 0 { link(0) } else { link(i).on((i - 1).to_string()) };
        // The last link comes first, so that every link has to wait for all that follow.
        (0..count).rev().map(next).collect()
    };
    let system = build(chain(10_000, Joint::fixed())).unwrap();
    assert_eq!((system.links()[9_999].name.as_str(), system.parent(9_999)), ("9999", Some(9_998)));
    let error = build(chain(2_001, hinge())).unwrap_err();
    assert_eq!(error, ArticulatedError::TooManyVelocities { count: 2_001, limit: 2_000 });
    assert!(error.to_string().contains("2001 degrees of freedom, expected at most 2000"));
}

#[test]
fn links_stand_behind_their_parents_and_otherwise_where_they_were_given() {
    let links = vec![link("hand").on("arm"), link("other"), link("arm").on("body"), link("body")];
    let system = build(links).unwrap();
    let names: Vec<&str> = system.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["other", "body", "arm", "hand"]);
    assert_eq!(system.parent(3), Some(2));
    assert_eq!(system.parent(0), None);
    assert_eq!(system.link_index("arm"), Some(2));
    assert_eq!(system.link_index("leg"), None);
    assert_eq!(system.velocities_of(2), 2..3);
}

#[test]
fn masses_that_are_not_positive_are_refused() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let inertia = nalgebra::Matrix3::identity();
        let error = MassProperties::new(value, Vector3::zeros(), inertia).unwrap_err();
        assert!(matches!(error, MassPropertiesError::Mass { .. }), "{error}");
    }
}

#[test]
fn a_mass_matrix_that_is_always_singular_is_refused() {
    let massless = build(vec![link("a"), Link::new("tip", hinge()).on("a")]).unwrap_err();
    let expected = |fraction: f64| matches!(fraction, f if f.is_nan() || f <= 1e-12);
    assert!(
        matches!(&massless, ArticulatedError::SingularMass { link, index: 0, fraction }
            if link == "tip" && expected(*fraction)),
        "{massless}"
    );
    // A point on a ball joint has no inertia against a rotation about itself.
    let point = MassProperties::point(1.0).unwrap().translated(&Vector3::new(0.3, 0.4, 0.5));
    let spun = build(vec![Link::new("point", Joint::spherical()).with_mass(point)]).unwrap_err();
    assert!(
        matches!(&spun, ArticulatedError::SingularMass { link, .. } if link == "point"),
        "{spun}"
    );
    // Two hinges with the same axis.
    let twice = vec![Link::new("a", hinge()), link("b").on("a")];
    let twice = build(twice).unwrap_err();
    assert!(matches!(&twice, ArticulatedError::SingularMass { .. }), "{twice}");
}

/// A point on a universal joint: with the arm along the first axis there is no inertia about that axis.
#[test]
fn a_mass_matrix_that_is_singular_at_some_coordinates_is_refused_there() {
    let point = MassProperties::point(1.0).unwrap().translated(&Vector3::x());
    let links = vec![
        Link::new("yaw", Joint::revolute(Vector3::z())),
        Link::new("pitch", Joint::revolute(Vector3::y())).on("yaw").with_mass(point),
    ];
    let system = build(links).unwrap();
    assert_eq!(system.check_coordinates(&[0.3, 0.2]), Ok(()));
    let up = [0.3, -std::f64::consts::FRAC_PI_2];
    let refused = system.check_coordinates(&up);
    assert!(
        matches!(refused, Err(CoordinateError::SingularMass { velocity: 0, body: 0, fraction })
            if fraction.abs() <= 1e-12),
        "{refused:?}"
    );
}

/// A thin rod (without inertia about its own axis) on a hinge along that axis, behind another link. The entry of the
/// mass matrix is the rounding of terms that cancel, and the inverse of the mass matrix was 5e16 or NaN.
#[test]
fn a_thin_rod_that_turns_about_its_own_axis_behind_another_link_is_refused() {
    let thin = |axis: Vector3<f64>| {
        let across = nalgebra::Matrix3::identity() - axis * axis.transpose();
        MassProperties::new(1.3, Vector3::zeros(), across * 0.11).unwrap()
    };
    let places =
        [Vector3::new(0.3, 0.7, -0.2), Vector3::new(1e3, 0.1, 0.0), Vector3::new(0.0, 1e-3, 0.0)];
    for place in places {
        for axis in [Vector3::x(), Vector3::new(1.0, 2.0, -2.0) / 3.0] {
            for turn in [0.0, 0.4, 2.9] {
                let placed = Isometry3::new(place, Vector3::new(0.2, -1.0, 0.7) * turn);
                let rod = Link::new("rod", Joint::revolute(axis)).on("base").at(placed);
                let spun = build(vec![link("base"), rod.with_mass(thin(axis))]);
                assert!(
                    matches!(&spun, Err(ArticulatedError::SingularMass { link, index: 0, fraction })
                        if link == "rod" && (fraction.is_nan() || *fraction <= 1e-12)),
                    "{place} {axis} {turn}: {spun:?}"
                );
            }
        }
    }
}

/// Small and slender links at the end of a long chain have an inertia that is small compared with the terms that
/// cancel in it, but larger than rounding.
#[test]
fn small_links_behind_long_ones_are_accepted() {
    let small = MassProperties::solid_sphere(1e-3, 1e-3).unwrap();
    for place in [0.1, 1.0, 10.0] {
        let far = Isometry3::translation(place, 0.2, 0.1);
        let finger = Link::new("finger", hinge()).on("arm").at(far).with_mass(small);
        let system = build(vec![link("arm"), finger]).unwrap();
        assert_eq!(system.check_coordinates(&[0.3, 1.1]), Ok(()), "{place}");
    }
}

#[test]
fn massless_frames_are_accepted_where_the_mass_matrix_stays_regular() {
    let links = vec![
        Link::new("slide", Joint::prismatic(Vector3::x())),
        Link::new("hip", Joint::prismatic(Vector3::y())).on("slide"),
        link("leg").on("hip"),
        Link::new("sole", Joint::fixed()).on("leg"),
    ];
    assert_eq!(build(links).unwrap().dimension(), Dimension::Plane);
}

#[test]
fn axes_are_normalized_and_refused_when_zero() {
    let long = build(vec![Link::new("a", Joint::revolute(Vector3::z() * 7.0)).with_mass(ball())]);
    let kind = long.unwrap().links()[0].joint.kind;
    assert_eq!(kind, hinge().kind);
    let error = refusal(Joint::revolute(Vector3::zeros()));
    assert_eq!(error, ArticulatedError::ZeroAxis { link: "arm".into() });
    let error = refusal(Joint::prismatic(Vector3::new(0.0, f64::NAN, 0.0)));
    assert!(matches!(error, ArticulatedError::NotFinite { field: "joint axis", .. }), "{error}");
}

#[test]
fn numbers_of_joints_that_make_no_sense_are_refused() {
    let arm = || "arm".to_owned();
    for (field, joint) in [
        ("stiffness", hinge().with_spring(&[-2.0], &[0.0])),
        ("damping", hinge().with_damping(&[-2.0])),
        ("friction", hinge().with_friction(&[-2.0])),
    ] {
        let expected = ArticulatedError::Negative { link: arm(), field, index: 0, value: -2.0 };
        assert_eq!(refusal(joint), expected);
    }
    let error = refusal(Joint::planar().with_damping(&[1.0]));
    let expected =
        ArticulatedError::Length { link: arm(), field: "damping", expected: 3, found: 1 };
    assert_eq!(error, expected);
    let error = refusal(hinge().with_limits(&[[0.0, 1.0], [0.0, 1.0]]));
    let expected = ArticulatedError::Length { link: arm(), field: "limits", expected: 1, found: 2 };
    assert_eq!(error, expected);
    for [lower, upper] in [[1.0, -1.0], [f64::INFINITY, f64::INFINITY]] {
        let error = refusal(hinge().with_limits(&[[lower, upper]]));
        assert_eq!(error, ArticulatedError::Limits { link: arm(), index: 0, lower, upper });
    }
    let error = refusal(hinge().with_limits(&[[f64::NAN, 1.0]]));
    assert!(matches!(error, ArticulatedError::Limits { .. }), "{error}");
    let error = refusal(Joint::spherical().with_limits(&[[-1.0, 1.0]; 3]));
    assert_eq!(error, ArticulatedError::LimitedRotation { link: arm(), index: 0 });
    let error = refusal(hinge().with_effort(&[f64::NAN]));
    assert!(matches!(error, ArticulatedError::NotFinite { field: "effort", .. }), "{error}");
    let error = refusal(Joint::spherical().with_spring(&[1.0, 2.0, 3.0], &[1.0, 0.0, 0.0, 0.0]));
    assert_eq!(error, ArticulatedError::Anisotropic { link: arm(), stiffness: [1.0, 2.0, 3.0] });
    let error = refusal(Joint::spherical().with_spring(&[1.0; 3], &[2.0, 0.0, 0.0, 0.0]));
    let expected =
        ArticulatedError::QuaternionNorm { link: arm(), field: "rest position", norm: 2.0 };
    assert_eq!(error, expected);
}

#[test]
fn placements_and_gravity_that_are_not_proper_are_refused() {
    let place = |placement| build(vec![link("a").at(placement)]).unwrap_err();
    let error = place(Isometry3::translation(0.0, f64::NAN, 0.0));
    assert!(matches!(error, ArticulatedError::NotFinite { field: "placement", .. }), "{error}");
    let rotation = UnitQuaternion::new_unchecked(Quaternion::new(2.0, 0.0, 0.0, 0.0));
    let error = place(Isometry3::from_parts(Vector3::zeros().into(), rotation));
    let expected =
        ArticulatedError::QuaternionNorm { link: "a".into(), field: "placement", norm: 2.0 };
    assert_eq!(error, expected);
    let gravity = Vector3::new(0.0, f64::NAN, 0.0);
    let error = Articulated::new(vec![link("a")], gravity).unwrap_err();
    assert!(matches!(error, ArticulatedError::Gravity { .. }), "{error}");
}

#[test]
fn efforts_are_checked() {
    let mut system = build(vec![link("a")]).unwrap();
    assert_eq!(
        system.set_effort(4, &[0.0]),
        Err(ArticulatedError::UnknownLink { link: "4".into() })
    );
    let wrong = system.set_effort(0, &[0.0, 1.0]);
    assert!(
        matches!(wrong, Err(ArticulatedError::Length { expected: 1, found: 2, .. })),
        "{wrong:?}"
    );
    let nan = system.set_effort(0, &[f64::NAN]);
    assert!(matches!(nan, Err(ArticulatedError::NotFinite { .. })), "{nan:?}");
    assert_eq!(system.links()[0].joint.effort, [0.0]);
}

#[test]
fn coordinates_are_checked() {
    let system = build(vec![Link::new("a", Joint::free()).with_mass(ball())]).unwrap();
    let neutral = system.neutral_coordinates();
    assert_eq!(system.check_coordinates(&neutral), Ok(()));
    let scaled: Vec<f64> = neutral.iter().map(|c| 1.5 * c).collect();
    assert_eq!(
        system.check_coordinates(&scaled),
        Err(CoordinateError::QuaternionNorm { body: 0, norm: 1.5 })
    );
    assert_eq!(
        system.check_coordinates(&[0.0]),
        Err(CoordinateError::Length { expected: 7, found: 1 })
    );
}

#[test]
fn arrays_of_the_wrong_shape_are_refused() {
    let system =
        build(vec![link("a"), link("b").on("a").at(Isometry3::translation(1.0, 0.0, 0.0))])
            .unwrap();
    let mut kinematics = system.kinematics();
    let slice = |field, expected, found| {
        Err(ShapeError { field, expected: [expected, 1], found: [found, 1] })
    };
    assert_eq!(kinematics.update(&[0.0], &[0.0; 2]), slice("coordinates", 2, 1));
    assert_eq!(kinematics.update(&[0.0; 2], &[0.0; 3]), slice("velocity", 2, 3));
    assert_eq!(kinematics.bias(&mut [0.0]), slice("forces", 2, 1));
    assert_eq!(kinematics.inverse_dynamics(&[0.0], &mut [0.0; 2]), slice("acceleration", 2, 1));
    assert_eq!(kinematics.forward_dynamics(&[0.0; 2], &mut []), slice("acceleration", 2, 0));
    let row = kinematics.add_point_row(0, &Vector3::zeros(), &Vector3::x(), &mut [0.0]);
    assert_eq!(row, slice("row", 2, 1));
    let matrix = |field, expected, found| Err(ShapeError { field, expected, found });
    let wrong = &mut DMatrix::zeros(5, 3);
    assert_eq!(kinematics.mass_matrix(wrong), matrix("mass matrix", [2, 2], [5, 3]));
    assert_eq!(kinematics.apply_inverse_mass(wrong), matrix("columns", [2, 3], [5, 3]));
    assert_eq!(kinematics.whiten(wrong), matrix("columns", [2, 3], [5, 3]));
    let point = kinematics.point_jacobian(0, &Vector3::zeros(), wrong);
    assert_eq!(point, matrix("point Jacobian", [2, 2], [5, 3]));
    assert_eq!(kinematics.frame_jacobian(0, wrong), matrix("frame Jacobian", [3, 2], [5, 3]));
    assert_eq!(kinematics.centroidal_matrix(wrong), matrix("centroidal matrix", [3, 2], [5, 3]));
    assert_eq!(system.add_joint_forces(&[0.0], &[], &mut []), slice("coordinates", 2, 1));
}

#[test]
fn limits_are_gaps_and_friction_is_a_bound() {
    let knee = hinge().with_limits(&[[-0.5, 2.0]]).with_friction(&[0.25]);
    let slide = Joint::prismatic(Vector3::x()).with_limits(&[[f64::NEG_INFINITY, 1.0]]);
    let links = vec![
        Link::new("cart", slide).with_mass(ball()),
        Link::new("leg", knee).on("cart").with_mass(ball()),
    ];
    let system = build(links).unwrap();
    let limits = system.joint_limits();
    let sides: Vec<_> = limits.iter().map(|limit| (limit.link, limit.side)).collect();
    assert_eq!(sides, [(0, LimitSide::Upper), (1, LimitSide::Lower), (1, LimitSide::Upper)]);
    let q = [1.25, 0.5];
    let mut rows = ContactRows::for_system(&system);
    for (limit, (gap, row)) in
        limits.iter().zip([(-0.25, [-1.0, 0.0]), (1.0, [0.0, 1.0]), (1.5, [0.0, -1.0])])
    {
        limit.check(&system).unwrap();
        assert_eq!(limit.rows(&system, &q, &mut rows).to_bits(), f64::to_bits(gap));
        assert_eq!(rows.normal(), row);
        assert_eq!(rows.tangent(0), [0.0, 0.0]);
    }
    let other = build(vec![link("a")]).unwrap();
    assert!(limits[1].check(&other).is_err(), "a limit of another system");
    let friction = system.joint_friction();
    assert_eq!(friction, [JointFriction { link: 1, velocity: 1, bound: 0.25 }]);
    let mut row = [0.0; 2];
    friction[0].add_row(-1.0, &mut row);
    assert_eq!(row, [0.0, -1.0]);
}
