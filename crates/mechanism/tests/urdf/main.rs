//! Import of robot descriptions: three robots, every warning and every error.

#![cfg(feature = "urdf")]
#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test stops at what it did not expect; numbers of the files arrive unchanged"
)]

mod refusals;

use std::{fs, path::PathBuf};

use nalgebra::{DMatrix, Isometry3, UnitQuaternion, Vector3};
use percussion_collision::Shape;
use percussion_dynamics::{
    Anchor, Dimension, JointKind, System,
    constraint::{
        EqualityConstraint, Frame, Hinge, Line, PointOnCurve,
        set::{ConstraintSet, Settings as SetSettings, Status},
    },
};
use percussion_mechanism::urdf::{
    Base, Error, Geometry, Imported, Settings, Subject, read_file, read_str,
};
use proptest::{prelude::*, test_runner::RngSeed};

use refusals::{AXIS, BODY, description};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/robots").join(name)
}

fn robot(name: &str, settings: &Settings) -> Imported {
    read_file(fixture(name), settings).unwrap()
}

fn floating() -> Settings {
    Settings { base: Base::Floating, ..Settings::default() }
}

fn planar() -> Settings {
    Settings { gravity: Vector3::new(0.0, -9.81, 0.0), ..Settings::default() }
}

fn mass_matrix(system: &dyn System, coordinates: &[f64]) -> DMatrix<f64> {
    let n = system.velocity_count();
    let mut matrix = DMatrix::zeros(n, n);
    system.mass_matrix(coordinates, &mut matrix);
    matrix
}

/// `(warnings about elements, attributes, texts, defaults)` whose element contains `what`.
fn count(imported: &Imported, what: &str) -> [usize; 4] {
    let mut count = [0; 4];
    for warning in imported.warnings.iter().filter(|w| w.element.contains(what)) {
        count[match warning.subject {
            Subject::Element => 0,
            Subject::Attribute { .. } => 1,
            Subject::Text => 2,
            _ => 3,
        }] += 1;
    }
    count
}

/// `20 + 2 (7 + 3.5 + 1) = 43 kg`.
#[test]
fn the_biped_is_a_planar_system_of_seven_links() {
    let biped = robot("planar_biped.urdf", &planar());
    let system = &biped.system;
    assert_eq!(biped.name, "planar_biped");
    assert_eq!(system.dimension(), Dimension::Plane);
    assert_eq!((system.body_count(), system.velocity_count()), (8, 9));
    assert!((biped.total_mass() - 43.0).abs() < 1e-13);
    let q = system.neutral_coordinates();
    let mass = mass_matrix(system, &q);
    assert!((mass[(0, 0)] - 43.0).abs() < 1e-12 && (mass[(1, 1)] - 43.0).abs() < 1e-12);
    // Upright, the hips are at 0.85 m, the knees at 0.45 m and the ankles at 0.05 m.
    let ankle = system.pose(&q, biped.body_of_joint("left_ankle").unwrap());
    assert!((ankle.translation.vector - Vector3::new(0.0, 0.05, 0.0)).norm() < 1e-15);
    let heights = 20.0 * 1.15 + 2.0 * (7.0 * 0.65 + 3.5 * 0.25 + 0.02);
    assert!((system.potential_energy(&q) - 9.81 * heights).abs() < 1e-11);
    // The knee carries shank and foot: its own moment, by parallel axes.
    let knee = biped.body_of_joint("left_knee").unwrap();
    let v = system.velocities_of(knee).start;
    let foot = 1.0 * (0.24 * 0.24 + 0.06 * 0.06) / 12.0 + (0.05 * 0.05 + 0.43 * 0.43);
    let shank = 3.5 * 0.4 * 0.4 / 3.0;
    // The file has six significant digits.
    assert!((mass[(v, v)] - foot - shank).abs() < 1e-6);
    let joint = &system.links()[knee].joint;
    assert_eq!((joint.limits[0], joint.damping[0], joint.friction[0]), ([-2.2, 0.0], 0.5, 0.2));
    assert_eq!(biped.collision.len(), 9);
    let toe = biped.collision.iter().find(|c| c.name.as_deref() == Some("right_toe")).unwrap();
    assert_eq!(toe.geometry, Geometry::Shape(Shape::Sphere { radius: 0.02 }));
    assert_eq!(toe.placement.translation.vector, Vector3::new(0.15, -0.03, 0.0));
    assert_eq!(toe.body, biped.body_of_joint("right_ankle").unwrap());
    // Six limits with a speed, and one picture; the largest forces are those of the drives.
    assert_eq!(count(&biped, ""), [1, 6, 0, 0]);
}

/// `12 + 4 (1 + 1.2 + 0.4 + 0.06) = 22.64 kg`.
#[test]
fn the_quadruped_floats_on_twelve_joints() {
    let quadruped = robot("quadruped.urdf", &floating());
    let system = &quadruped.system;
    assert_eq!(system.dimension(), Dimension::Space);
    assert_eq!((system.coordinate_count(), system.velocity_count()), (19, 18));
    assert!((quadruped.total_mass() - 22.64).abs() < 1e-13);
    let q = system.neutral_coordinates();
    let mass = mass_matrix(system, &q);
    for k in 0..3 {
        assert!((mass[(k, k)] - 22.64).abs() < 1e-12);
    }
    assert!(mass.clone().cholesky().is_some() && (&mass - mass.transpose()).amax() < 1e-14);
    let foot = system.link_index("hind_right_foot").unwrap();
    let expected = Vector3::new(-0.22, -0.15, -0.42);
    assert!((system.pose(&q, foot).translation.vector - expected).norm() < 1e-15);
    // On the world it has the twelve joints alone.
    let fixed = robot("quadruped.urdf", &Settings::default());
    assert_eq!(fixed.system.velocity_count(), 12);
    assert_eq!(count(&quadruped, "trunk"), [1, 0, 0, 0]);
    assert_eq!(count(&quadruped, "limit"), [0, 12, 0, 0]);
    assert_eq!(quadruped.joints.len(), 16);
}

/// The pin of the gripper that the file leaves open.
fn pins(arm: &Imported) -> [Frame; 2] {
    let frame = |link: &str, x: f64, z: f64| {
        // Both constraints have their axis along z of the frame, and the pin is along y.
        let turned =
            UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2);
        let placement = Isometry3::from_parts(Vector3::new(x, 0.0, z).into(), turned);
        Frame::on_body(arm.system.link_index(link).unwrap(), placement)
    };
    [frame("finger", 0.03, 0.0), frame("rocker", 0.0, 0.06)]
}

/// A pin without the conditions that the planar linkage already satisfies: a line perpendicular to its plane.
fn thin_pin(arm: &Imported) -> Box<dyn EqualityConstraint> {
    let [finger, rocker] = pins(arm);
    let across = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    let line = Frame { placement: rocker.placement * across, ..rocker };
    Box::new(PointOnCurve::new(Anchor::from(finger), line, Line).unwrap())
}

#[test]
fn the_gripper_closes_its_cut_loop() {
    let arm = robot("gripper_arm.urdf", &Settings::default());
    let system = &arm.system;
    assert!((arm.total_mass() - (4.0 + 2.5 + 2.0 + 1.2 + 0.4 + 0.05 + 0.08 + 0.05)).abs() < 1e-13);
    assert_eq!(system.velocity_count(), 7);
    let [finger, rocker] = pins(&arm);
    let hinge = || -> Box<dyn EqualityConstraint> { Box::new(Hinge::new(finger, rocker).unwrap()) };
    // Three conditions of the hinge are already satisfied by the parallel pins of the linkage.
    for (pin, redundancy) in [(thin_pin(&arm), 0), (hinge(), 3)] {
        let set = ConstraintSet::new(system, vec![pin]).unwrap();
        let settings = SetSettings::default();
        let index = |joint| system.coordinates_of(arm.body_of_joint(joint).unwrap()).start;
        let mut q = vec![0.3, -0.4, 0.9, 0.2, 0.0, 0.0, 0.0];
        assert!(set.evaluate(system, &q).0.amax() < 1e-15, "closed at zero");
        q[index("crank_pin")] = 0.4;
        let report = set.project_position(system, &mut q, &settings).unwrap();
        assert_eq!(report.status, Status::Converged, "{report:?}");
        // A parallelogram: the rocker follows the crank, and the finger stays parallel to the palm.
        let crank = q[index("crank_pin")];
        assert!(crank > 0.05, "{crank}");
        assert!((q[index("rocker_pin")] - crank).abs() < 1e-10);
        assert!((q[index("finger_pin")] + crank).abs() < 1e-10);
        let at = set.linearize(system, &q, &settings).unwrap();
        assert_eq!((at.rank(), at.redundancy(), at.mobility()), (2, redundancy, 5));
        let mut v = vec![0.1, 0.2, -0.3, 0.4, 1.0, 0.0, 0.0];
        at.project_velocity(&mut v).unwrap();
        let held = at.acceleration(&v, 0.0).unwrap();
        assert!(held.residual < 1e-9 && held.multipliers.iter().all(|force| force.is_finite()));
        // Rates of a parallelogram are equal, and so are the accelerations.
        let [crank, finger, rocker] = ["crank_pin", "finger_pin", "rocker_pin"].map(index);
        for rates in [v.as_slice(), held.acceleration.as_slice()] {
            assert!((rates[crank] - rates[rocker]).abs() < 1e-9);
            assert!((rates[crank] + rates[finger]).abs() < 1e-9);
        }
    }
}

#[test]
fn everything_the_arm_leaves_out_is_reported() {
    let arm = robot("gripper_arm.urdf", &Settings::default());
    for (element, expected) in [
        ("robot > transmission `shoulder_drive`", [1, 0, 0, 0]),
        ("robot > gazebo", [1, 0, 0, 0]),
        ("joint `shoulder` > safety_controller", [1, 0, 0, 0]),
        ("joint `elbow` > calibration", [1, 0, 0, 0]),
        ("link `base` > visual", [1, 0, 0, 0]),
        ("joint `wrist` > limit", [0, 1, 0, 0]),
    ] {
        assert_eq!(count(&arm, element), expected, "{element}");
    }
    let text = arm.warnings[0].to_string();
    assert!(text.starts_with("line 16: link `base` > visual is ignored: "), "{text}");
}

/// Exporters give empty frames a mass and moments of zero.
#[test]
fn inertia_of_zeros_is_none() {
    let zeros = "<inertial><mass value=\"0.0\"/><inertia ixx=\"0\" iyy=\"0.0\" izz=\"0\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
    let tool = format!(
        "<link name=\"tool\">{zeros}</link><joint name=\"mount\" type=\"fixed\"><parent link=\"arm\"/><child link=\"tool\"/></joint>"
    );
    let plain = description("continuous", BODY, AXIS, "");
    let text = plain.replace("</robot>", &format!("{tool}</robot>"));
    let arm = read_str(&text, &Settings::default()).unwrap();
    assert_eq!(arm.warnings.len(), 1, "{:?}", arm.warnings);
    assert!(arm.warnings[0].to_string().contains("link `tool` > inertial is ignored"));
    let bare = read_str(&plain, &Settings::default()).unwrap();
    assert_eq!(mass_matrix(&arm.system, &[0.7]), mass_matrix(&bare.system, &[0.7]));
    // A moving link with zeros has no inertia.
    let moving = text.replace("type=\"fixed\"", "type=\"floating\"");
    assert!(matches!(read_str(&moving, &Settings::default()), Err(Error::MissingInertia { .. })));
}

/// Moments without mass, or impossible ones, are added to the link to which they are fixed; the motion depends on the sum.
#[test]
fn impossible_inertias_become_parts_of_their_carriers() {
    // A quarter turn about `z`: a moment about its own `x` is one about `y` of the arm, the axis of the joint.
    let tool = |mass: &str, moments: [f64; 3]| {
        let [x, y, z] = moments;
        let inertial = format!(
            "<inertial><mass value=\"{mass}\"/><inertia ixx=\"{x}\" iyy=\"{y}\" izz=\"{z}\" ixy=\"0\" ixz=\"0\" \
             iyz=\"0\"/></inertial>"
        );
        let more = format!(
            "<link name=\"tool\">{inertial}</link><joint name=\"mount\" type=\"fixed\">\
             <origin xyz=\"0 0 -2\" rpy=\"0 0 1.5707963267948966\"/><parent link=\"arm\"/><child link=\"tool\"/></joint>"
        );
        read_str(&description("continuous", BODY, AXIS, &more), &Settings::default()).unwrap()
    };
    let alone = 0.2 + 2.0;
    for (mass, moments, expected, words) in [
        ("0", [0.05, 0.0, 0.0], alone + 0.05, "without mass"),
        ("0.1", [0.05, 0.01, 0.01], alone + 0.05 + 0.1 * 4.0, "of no body"),
        ("0.1", [-0.002, 0.01, 0.01], alone - 0.002 + 0.1 * 4.0, "of no body"),
        // Moments of 1 µm² kg and less are rounding errors, and so are the six digits of a thin rod.
        ("1", [-2e-22, 1e-23, 1e-23], alone + 4.0, "rounding"),
        ("1", [-1e-8, 0.01, 0.01], alone + 4.0, "rounding"),
    ] {
        let arm = tool(mass, moments);
        let moment = mass_matrix(&arm.system, &[0.7])[(0, 0)];
        assert!((moment - expected).abs() < 1e-14, "{moment} {expected}");
        assert_eq!(arm.warnings.len(), 1, "{:?}", arm.warnings);
        let text = arm.warnings[0].to_string();
        assert!(
            text.starts_with("line 4: link `tool` > inertial") && text.contains(words),
            "{text}"
        );
    }
    // Of a link that moves alone, with positive moments, the figures are used unchanged.
    let flat = BODY.replace("0.25", "0.9");
    let arm = read_str(&description("continuous", &flat, AXIS, ""), &Settings::default()).unwrap();
    assert!((mass_matrix(&arm.system, &[0.7])[(0, 0)] - alone).abs() < 1e-14);
    assert!(arm.warnings[0].reason.contains("taken as they are"), "{}", arm.warnings[0]);
    // For a link fixed in the world none of this matters.
    let fixed = read_str(&description("fixed", &flat, "", ""), &Settings::default()).unwrap();
    assert!(fixed.warnings[0].reason.contains("fixed in the world"), "{}", fixed.warnings[0]);
}

/// `q_b = −2 q_a + 0.3` and `q_c = 0.5 q_b`, which is `−q_a + 0.15`; the limits of all are those of the leader.
#[test]
fn joints_that_mimic_others_are_coupled() {
    let follower = |name: &str, mimic: &str, limit: &str| {
        format!(
            "<link name=\"{name}\">{BODY}</link><joint name=\"{name}\" type=\"revolute\"><parent link=\"world\"/>\
             <child link=\"{name}\"/>{AXIS}<limit {limit}/><mimic {mimic}/></joint>"
        )
    };
    let b =
        follower("b", "joint=\"pin\" multiplier=\"-2\" offset=\"0.3\"", "lower=\"-1\" upper=\"1\"");
    let c = follower("c", "joint=\"b\" multiplier=\"0.5\"", "lower=\"-9\" upper=\"9\"");
    let leader = format!("{AXIS}<limit lower=\"-0.2\" upper=\"3\"/>");
    let text = description("revolute", BODY, &leader, &(b + &c));
    let robot = read_str(&text, &Settings::default()).unwrap();
    assert!(robot.warnings.is_empty(), "{:?}", robot.warnings);
    let [one, other] = &robot.followers[..] else { panic!("{:?}", robot.followers) };
    assert_eq!((one.multiplier, one.offset), (-2.0, 0.3));
    assert!((other.multiplier + 1.0).abs() < 1e-15 && (other.offset - 0.15).abs() < 1e-15);
    assert_eq!(other.leader, Some(("pin".to_owned(), "arm".to_owned())));
    let system = &robot.system;
    let [leader, first] = [1, 2].map(|link| system.links()[link].joint.limits.clone());
    // −1 ≤ 0.3 − 2 q ≤ 1 for −0.35 ≤ q ≤ 0.65.
    assert!((leader[0][0] + 0.2).abs() < 1e-15 && (leader[0][1] - 0.65).abs() < 1e-15);
    assert!(first.is_empty());

    let ties = robot.followers.iter().map(|follower| follower.constraint(system).unwrap());
    let set = ConstraintSet::new(system, ties.collect()).unwrap();
    let at = set.linearize(system, &[0.1, 0.1, 0.05], &SetSettings::default()).unwrap();
    // All three arms turn with one rate: the blow on one is shared by the squares of the ratios 1, −2, −1.
    let mut v = vec![1.0, 0.0, 0.0];
    at.project_velocity(&mut v).unwrap();
    let shared = 1.0 / (1.0 + 4.0 + 1.0);
    for (rate, ratio) in v.iter().zip([1.0, -2.0, -1.0]) {
        assert!((rate - ratio * shared).abs() < 1e-14, "{v:?}");
    }

    // A missing leader has no followers, and a fixed leader holds its followers.
    let lost =
        read_str(&text.replace("joint=\"pin\"", "joint=\"pim\""), &Settings::default()).unwrap();
    assert_eq!(lost.followers[0].leader, Some(("b".to_owned(), "b".to_owned())));
    assert!(lost.warnings[0].to_string().contains("no joint `pim`"), "{}", lost.warnings[0]);
    let fixed = text.replacen("type=\"revolute\"", "type=\"fixed\"", 1);
    let fixed = read_str(&fixed, &Settings::default()).unwrap();
    assert_eq!((fixed.followers[1].leader.clone(), fixed.followers[1].offset), (None, 0.15));
}

/// `package://dog/a.stl` of `dog/urdf/dog.urdf` is `dog/a.stl`, and of a file beside the folder `dog` too.
#[test]
fn packages_are_looked_for_above_the_description() {
    let root = std::env::temp_dir().join(format!("percussion-packages-{}", std::process::id()));
    fs::create_dir_all(root.join("dog/urdf")).unwrap();
    fs::write(root.join("dog/a.stl"), "solid a").unwrap();
    let mesh =
        "<collision><geometry><mesh filename=\"package://dog/a.stl\"/></geometry></collision>";
    let text = description("continuous", &format!("{BODY}{mesh}"), AXIS, "");
    for (folder, found) in [("dog/urdf", true), ("dog", true), ("", true), ("..", false)] {
        let settings = Settings { directory: Some(root.join(folder)), ..Settings::default() };
        let imported = read_str(&text, &settings);
        assert_eq!(imported.is_ok(), found, "{folder}: {imported:?}");
        if let Ok(imported) = imported {
            let Geometry::Mesh { path, .. } = &imported.collision[0].geometry else {
                panic!("a mesh")
            };
            assert_eq!(fs::read_to_string(path).unwrap(), "solid a");
        }
    }
    fs::remove_dir_all(root).unwrap();
}

/// The inertia of a turned inertial frame: a quarter turn about `z` exchanges `ixx` and `iyy`.
#[test]
fn inertial_frames_are_turned_and_shifted() {
    let quarter = BODY.replace("\"0 0 -1\"", "\"0 0 -1\" rpy=\"0 0 1.5707963267948966\"");
    for (body, about_y) in [(BODY, 0.2), (quarter.as_str(), 0.1)] {
        let arm =
            read_str(&description("continuous", body, AXIS, ""), &Settings::default()).unwrap();
        let moment = mass_matrix(&arm.system, &[0.7])[(0, 0)];
        assert!((moment - (about_y + 2.0)).abs() < 1e-14, "{moment}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(0x7572_6466),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// For any damage to a file, the import returns a system or an error.
    #[test]
    fn damaged_descriptions_never_panic(
        cuts in prop::collection::vec((0_usize..8000, 0_usize..40), 1..4),
        put in prop::collection::vec(prop::sample::select(vec![
            "<", ">", "/>", "\"", "&", "&#0;", "<link name=\"x\">", "</joint>", "0", "-1e999", "<![CDATA[", "é",
        ]), 3),
    ) {
        let mut text = fs::read_to_string(fixture("gripper_arm.urdf")).unwrap();
        for ((place, length), put) in cuts.into_iter().zip(put) {
            let boundary = |k: usize| (0..=k).rfind(|&k| text.is_char_boundary(k)).unwrap();
            let start = boundary(place % text.len());
            text.replace_range(start..boundary((start + length).min(text.len())).max(start), put);
        }
        let _ = read_str(&text, &Settings::default());
    }
}

/// A planar joint about `y` moves its link in the z–x plane, and the frame of the link stays that of the
/// description.
#[test]
fn planar_joints_move_across_their_axis() {
    for (axis, bodies) in [("0 0 1", 2), ("0 1 0", 3), ("0 0 -1", 3)] {
        let joint = format!("<origin xyz=\"1 2 3\"/><axis xyz=\"{axis}\"/>");
        let text = description("planar", BODY, &joint, "");
        let slider = read_str(&text, &Settings::default()).unwrap();
        let system = &slider.system;
        assert_eq!((system.body_count(), system.velocity_count()), (bodies, 3));
        let body = slider.body_of_joint("pin").unwrap();
        let pose = system.pose(&[0.0; 3], body);
        assert!((pose.translation.vector - Vector3::new(1.0, 2.0, 3.0)).norm() < 1e-15);
        assert!(pose.rotation.angle() < 1e-15);
        let numbers: Vec<f64> = axis.split(' ').map(|entry| entry.parse().unwrap()).collect();
        let axis = Vector3::from_column_slice(&numbers);
        let moved = system.pose(&[0.3, 0.4, 0.5], body);
        let shift = moved.translation.vector - pose.translation.vector;
        assert!(shift.dot(&axis).abs() < 1e-15 && (shift.norm() - 0.5).abs() < 1e-15);
        assert!((moved.rotation.scaled_axis() - 0.5 * axis).norm() < 1e-15);
    }
}

#[test]
fn the_other_joint_types_arrive() {
    for (kind, expected) in [
        ("floating", JointKind::Free),
        ("spherical", JointKind::Spherical),
        ("fixed", JointKind::Fixed),
    ] {
        let text = description(kind, BODY, "", "");
        let imported = read_str(&text, &Settings::default()).unwrap();
        assert_eq!(imported.system.links()[1].joint.kind, expected);
        assert!(imported.warnings.is_empty(), "{:?}", imported.warnings);
    }
}
