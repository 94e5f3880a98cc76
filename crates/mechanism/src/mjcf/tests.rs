//! Tests of [`mjcf`](super): models computed by hand, and invalid models.

#![expect(clippy::float_cmp, reason = "numbers of the files arrive unchanged")]

use nalgebra::{DMatrix, Vector3};
use percussion_dynamics::{Dimension, JointKind, System};
use proptest::{prelude::*, test_runner::RngSeed};

use super::{build::OFF_PLANE, *};
use crate::urdf::Subject;

fn read(text: &str) -> Imported {
    read_str(text, &Settings::default()).unwrap()
}

fn refused(text: &str) -> String {
    read_str(text, &Settings::default()).unwrap_err().to_string()
}

fn world(inside: &str) -> String {
    format!("<mujoco><worldbody>{inside}</worldbody></mujoco>")
}

fn mass_matrix(model: &Imported, q: &[f64]) -> DMatrix<f64> {
    let n = model.system.velocity_count();
    let mut matrix = DMatrix::zeros(n, n);
    model.system.mass_matrix(q, &mut matrix);
    matrix
}

/// Two free bodies are two roots, with 12 velocities.
#[test]
fn a_world_may_have_several_roots() {
    let free = |name: &str, x: f64| {
        format!("<body name=\"{name}\" pos=\"{x} 0 1\"><freejoint/><geom size=\".1\"/></body>")
    };
    let model = read(&world(&(free("one", 0.0) + &free("two", 3.0))));
    assert_eq!((model.system.coordinate_count(), model.system.velocity_count()), (14, 12));
    assert_eq!(model.start[7..10], [3.0, 0.0, 1.0]);
    assert_eq!((model.collision.len(), model.pairs), (2, vec![([0, 1], 1.0)]));
    assert_eq!(model.system.dimension(), Dimension::Space);
}

/// Two hinges and a slide on one body: about `z` at (1, 0, 0), then about `y` at (0, 0, 2), then along `x`.
#[test]
fn joints_of_one_body_move_it_one_after_the_other() {
    let model = read(&world(
        r#"<body name="b" pos="0 0 5">
             <joint name="yaw" axis="0 0 1" pos="1 0 0"/><joint name="pitch" axis="0 1 0" pos="0 0 2"/>
             <joint name="out" type="slide" axis="1 0 0"/>
             <geom type="box" size=".1 .2 .3"/></body>"#,
    ));
    let names: Vec<_> = model.joints.iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["yaw", "pitch", "out"]);
    let body = model.system.link_index("b").unwrap();
    let quarter = std::f64::consts::FRAC_PI_2;
    // Turned by 90° about (1, 0): the origin goes to (1, −1).
    let at = |q: [f64; 3]| model.system.pose(&q, body).translation.vector;
    assert!((at([quarter, 0.0, 0.0]) - Vector3::new(1.0, -1.0, 5.0)).norm() < 1e-15);
    // The anchor of the second joint stays at (1, −1, 7), and the body swings to −x of its frame, which is −y.
    let swung = at([quarter, quarter, 0.0]);
    assert!((swung - Vector3::new(1.0, -3.0, 7.0)).norm() < 1e-15, "{swung}");
    // Along its own x, which then points down.
    assert!((at([quarter, quarter, 0.5]) - Vector3::new(1.0, -3.0, 6.5)).norm() < 1e-14);
}

/// With `ref`, limits, springs and keyframes are relative to this value of MuJoCo's coordinate.
#[test]
fn coordinates_count_from_the_reference() {
    let model = read(
        r#"<mujoco><compiler angle="radian"/><worldbody><body name="b">
             <joint name="j" ref="0.5" range="0.1 0.9" stiffness="2" springref="0.6" damping="0.1" armature="0.25"
                    frictionloss="0.3"/>
             <geom type="capsule" size="0.1 0.2"/></body></worldbody>
           <actuator><position joint="j" kp="3"/></actuator>
           <keyframe><key name="home" qpos="0.8" qvel="2"/><key name="grip" ctrl="0.7"/></keyframe></mujoco>"#,
    );
    let joint = &model.system.links()[model.joints[0].link].joint;
    assert_eq!(model.joints[0].reference, 0.5);
    assert!((joint.limits[0][0] + 0.4).abs() < 1e-15 && (joint.limits[0][1] - 0.4).abs() < 1e-15);
    assert!((joint.rest[0] - 0.1).abs() < 1e-15);
    assert_eq!((joint.damping[0], joint.armature[0], joint.friction[0]), (0.1, 0.25, 0.3));
    let [position, velocity] = &model.keyframes["home"];
    assert!((position[0] - 0.3).abs() < 1e-15 && velocity[..] == [2.0]);
    // One that gives only controls starts where the model does.
    assert_eq!(model.keyframes["grip"], [vec![0.0], vec![0.0]]);
    assert_eq!(model.controls["grip"], [0.7]);
    // A capsule about its axis: ½ m r² of the tube and 2/5 m r² of the balls, and the rotor.
    let pi = std::f64::consts::PI;
    let (tube, balls) = (1000.0 * pi * 0.01 * 0.4, 1000.0 * 4.0 / 3.0 * pi * 0.001);
    let expected = 0.25 + 0.5 * tube * 0.01 + 0.4 * balls * 0.01;
    assert!((mass_matrix(&model, &[0.0])[(0, 0)] - expected).abs() < 1e-15);
}

/// Attributes of an element override those of its class, and those of a class override those of the classes around it.
#[test]
fn classes_inherit_and_are_overridden() {
    let model = read(
        r#"<mujoco><default><geom density="500" size="0.1"/>
             <default class="wood"><geom friction="0.3"/><joint damping="1"/>
               <default class="oak"><geom density="700"/></default></default></default>
           <worldbody><body name="a" childclass="wood"><joint/><geom/>
             <body name="b"><joint class="main"/><geom class="oak" friction="0.9"/></body></body></worldbody></mujoco>"#,
    );
    let ball = 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    let masses: Vec<f64> = model
        .system
        .links()
        .iter()
        .filter_map(|link| link.mass_properties)
        .map(|m| m.mass())
        .collect();
    assert!((masses[0] - 500.0 * ball).abs() < 1e-12 && (masses[1] - 700.0 * ball).abs() < 1e-12);
    assert_eq!(model.friction, [0.3, 0.9]);
    let damping: Vec<f64> =
        model.joints.iter().map(|j| model.system.links()[j.link].joint.damping[0]).collect();
    assert_eq!(damping, [1.0, 0.0]);
}

/// With joints in the x–y plane and without gravity, the system is still in space, where boxes and planes exist.
#[test]
fn models_are_always_in_space() {
    let text = "<mujoco><option gravity=\"0 0 0\"/><worldbody><geom type=\"plane\" size=\"1 1 1\"/>\
        <body><joint axis=\"0 0 1\"/><geom size=\".1\" pos=\"1 0 0\"/></body></worldbody></mujoco>";
    let model = read(text);
    assert_eq!(model.system.dimension(), Dimension::Space);
    let body = model.system.link_index("body 1").unwrap();
    assert_eq!(
        model.system.pose(&[0.0], body),
        nalgebra::Isometry3::translation(0.0, 0.0, OFF_PLANE)
    );
}

#[test]
fn orientations_have_five_forms() {
    let turned = |form: &str, point: Vector3<f64>| {
        let model = read(&world(&format!(
            "<body name=\"b\" {form}><freejoint/><geom size=\".1\"/></body>"
        )));
        let q = &model.start[3..7];
        let turn = nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(
            q[0], q[1], q[2], q[3],
        ));
        turn * point
    };
    let (x, y, z) = (Vector3::x(), Vector3::y(), Vector3::z());
    for (form, from, to) in [
        ("quat=\"1 0 0 1\"", x, y),
        ("axisangle=\"0 0 2 90\"", x, y),
        // About x, then about the new y, which is z.
        ("euler=\"90 90 0\"", x, y),
        ("xyaxes=\"0 3 0 -1 1 0\"", y, -x),
        ("zaxis=\"0 -1 0\"", z, -y),
        ("zaxis=\"0 0 -1\"", z, -z),
    ] {
        assert!((turned(form, from) - to).norm() < 1e-15, "{form}: {}", turned(form, from));
    }
    let two = refused(&world(
        "<body quat=\"1 0 0 0\" zaxis=\"0 0 1\"><freejoint/><geom size=\".1\"/></body>",
    ));
    assert!(two.contains("one form of orientation"), "{two}");
}

/// A box of 0.2 × 0.4 × 0.6 m by its corners, off the origin: the same as the primitive, by all ways of its inertia.
#[test]
fn meshes_weigh_as_their_volume() {
    let mut corners = String::new();
    for k in 0..8 {
        let side = |bit: i32, half: f64| if k >> bit & 1 == 1 { half } else { -half };
        corners += &format!("{} {} {} ", 1.0 + side(0, 0.1), side(1, 0.2), side(2, 0.3));
    }
    let faces = "0 2 3 0 3 1  4 5 7 4 7 6  0 1 5 0 5 4  2 6 7 2 7 3  0 4 6 0 6 2  1 3 7 1 7 5";
    let model = |geom: &str, inertia: &str| {
        read(&format!(
            "<mujoco><asset><mesh name=\"m\" vertex=\"{corners}\" face=\"{faces}\" inertia=\"{inertia}\"/></asset>
             <worldbody><body><freejoint/><geom {geom}/></body></worldbody></mujoco>"
        ))
    };
    let expected = model("type=\"box\" size=\".1 .2 .3\" pos=\"1 0 0\"", "exact");
    let expected = mass_matrix(&expected, &expected.start);
    assert!((expected[(0, 0)] - 48.0).abs() < 1e-12);
    for inertia in ["exact", "legacy", "convex"] {
        let found = model("type=\"mesh\" mesh=\"m\"", inertia);
        let difference = (mass_matrix(&found, &found.start) - &expected).amax();
        assert!(difference < 1e-12, "{inertia}: {difference}");
    }
    let inside_out = faces.split("  ").map(|two| {
        let n: Vec<&str> = two.split(' ').collect();
        format!("{} {} {} {} {} {}", n[0], n[2], n[1], n[3], n[5], n[4])
    });
    let turned: Vec<String> = inside_out.collect();
    let text = format!(
        "<mujoco><asset><mesh name=\"m\" vertex=\"{corners}\" face=\"{}\" inertia=\"exact\"/></asset><worldbody><body>\
         <freejoint/><geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>",
        turned.join(" ")
    );
    assert!(refused(&text).contains("turn outwards"), "{}", refused(&text));
}

/// Three boxes as a mesh like a U, from whose center of mass the triangles overlap. MuJoCo 4.0, which has vertices of single
/// precision, gives by `legacy` 156.28018519705867 kg at z = 0.252101392 with (7.37086156, 21.72031053, 15.2092364) kg·m².
#[test]
fn pyramids_that_overlap_weigh_as_in_mujoco() {
    let boxes = [
        ([0.0, 0.0, 0.0], [0.5, 0.1, 0.1]),
        ([-0.4, 0.0, 0.4], [0.1, 0.1, 0.3]),
        ([0.4, 0.0, 0.4], [0.1, 0.1, 0.3]),
    ];
    let (mut corners, mut faces) = (String::new(), String::new());
    let of_box = "0 2 3 0 3 1 4 5 7 4 7 6 0 1 5 0 5 4 2 6 7 2 7 3 0 4 6 0 6 2 1 3 7 1 7 5";
    for (number, (center, half)) in boxes.iter().enumerate() {
        for k in 0..8 {
            for axis in 0..3 {
                let sign = if k >> axis & 1 == 1 { 1.0 } else { -1.0 };
                corners += &format!("{} ", center[axis] + sign * half[axis]);
            }
        }
        for corner in of_box.split(' ') {
            faces += &format!("{} ", corner.parse::<usize>().unwrap() + 8 * number);
        }
    }
    let model = read(&format!(
        "<mujoco><asset><mesh name=\"m\" vertex=\"{corners}\" face=\"{faces}\"/></asset><worldbody><body><freejoint/>\
         <geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>"
    ));
    let body = model.system.links()[1].mass_properties.unwrap();
    assert!((body.mass() / 156.280_185_197_058_67 - 1.0).abs() < 1e-6, "{}", body.mass());
    assert!((body.center_of_mass() - Vector3::new(0.0, 0.0, 0.252_101_392)).norm() < 1e-7);
    for (axis, expected) in [7.370_861_56, 21.720_310_53, 15.209_236_4].into_iter().enumerate() {
        let found = body.inertia()[(axis, axis)];
        assert!((found / expected - 1.0).abs() < 1e-6, "{axis}: {found} {expected}");
    }
}

/// Neighbors do not touch, nor do geoms that bits or exclusions separate; a pair always touches.
#[test]
fn what_touches_follows_the_rules_of_mujoco() {
    let arm = |more: &str, bits: &str| {
        format!(
            "<mujoco><worldbody><geom name=\"floor\" type=\"plane\" size=\"1 1 1\"/>
               <body name=\"a\"><joint/><geom name=\"ga\" size=\".1\" friction=\"0.5\"/>
                 <body name=\"b\"><joint/><geom name=\"gb\" size=\".1\" {bits}/>
                   <body name=\"c\"><joint/><geom name=\"gc\" size=\".1\" condim=\"1\" priority=\"2\"/></body>
               </body></body></worldbody><contact>{more}</contact></mujoco>"
        )
    };
    let pairs = |more: &str, bits: &str| read(&arm(more, bits)).pairs;
    // The floor with all, a with c; the friction of c is none.
    let all = [([0, 1], 1.0), ([0, 2], 1.0), ([0, 3], 0.0), ([1, 3], 0.0)];
    assert_eq!(pairs("", ""), all);
    assert_eq!(pairs("", "contype=\"0\" conaffinity=\"0\""), [all[0], all[2], all[3]]);
    assert_eq!(pairs("<exclude body1=\"c\" body2=\"a\"/>", ""), all[..3]);
    let pair = "<pair geom1=\"gb\" geom2=\"ga\" friction=\"0.7\"/>";
    assert_eq!(pairs(pair, "contype=\"0\" conaffinity=\"0\"")[2], ([1, 2], 0.7));
}

#[test]
fn what_has_no_effect_is_named_with_its_line() {
    let model = read(
        "<mujoco>\n<option solver=\"CG\"/>\n<visual/>\n<actuator><muscle joint=\"j\"/></actuator>\n<worldbody>\n\
         <body><joint name=\"j\" margin=\"1\"/><geom size=\".1\" solref=\"1 1\" colour=\"red\"/><light/></body>\n\
         </worldbody></mujoco>",
    );
    let mut words: Vec<String> = model.warnings.iter().map(ToString::to_string).collect();
    words.sort();
    let expected = [
        "line 2: `solver`",
        "line 3: visual is ignored",
        "line 4: actuator > muscle is ignored",
        "line 6: `colour`",
        "line 6: `margin`",
        "line 6: `solref`",
        "line 6: body > light is ignored",
    ];
    assert_eq!(words.len(), expected.len(), "{words:#?}");
    for (word, start) in words.iter().zip(expected) {
        assert!(word.starts_with(start), "{word}\n  expected: {start}");
    }
    assert!(model.warnings.iter().any(|w| matches!(w.subject, Subject::Attribute { .. })));
}

#[test]
fn what_is_wrong_is_refused_with_its_place() {
    let geom = "<geom size=\".1\"/>";
    for (text, expected) in [
        ("<robot/>".to_owned(), "expected `mujoco`"),
        (world("<body><joint/></body>"), "singular"),
        (world("<geom type=\"cone\"/>"), "`type` of geom is \"cone\""),
        (world("<geom mesh=\"a\"/>"), "a sphere is not fitted"),
        (world("<geom/>"), "geom has no attribute `size`"),
        (world("<geom size=\"-1\"/>"), "`size` of geom is \"-1\""),
        (world(&format!("<body><joint axis=\"0 0 0\"/>{geom}</body>")), "not zero"),
        (world(&format!("<body><joint range=\"2 1\"/>{geom}</body>")), "lower below an upper"),
        (world(&format!("<body><joint damping=\"1 2\"/>{geom}</body>")), "linear"),
        (world(&format!("<body><freejoint/><joint/>{geom}</body>")), "stands alone"),
        (world("<geom class=\"no\" size=\"1\"/>"), "names `no`, expected a class"),
        (world("<geom type=\"mesh\" mesh=\"no\"/>"), "names `no`, expected a mesh"),
        (world("<replicate/>"), "replicated"),
        (world("<body name=\"a\"/><body name=\"a\"/>"), "no other body"),
        ("<mujoco><include file=\"../../../../etc/passwd\"/></mujoco>".to_owned(), "is outside of"),
        ("<mujoco><include file=\"/etc/passwd\"/></mujoco>".to_owned(), "absolute"),
        (format!("<mujoco>{}</mujoco>", "<frame>".repeat(300)), "nested more than 200"),
        ("<mujoco><worldbody><geom size=\"&e;\"/></worldbody></mujoco>".to_owned(), "line 1"),
        (world(&"<body/>".repeat(6000)), "more than 5000 bodies"),
        (world(&"<geom size=\"1\"/>".repeat(6000)), "more than 5000 geoms"),
    ] {
        let error = refused(&text);
        assert!(error.contains(expected), "{error}\n  expected: {expected}\n  of {text:.200}");
    }
}

/// A four-bar linkage is closed by a point, a gear by an equation.
#[test]
fn equality_constraints_tie_bodies_and_joints() {
    let arm = |name: &str, x: f64| {
        format!(
            "<body name=\"{name}\" pos=\"{x} 0 0\"><joint name=\"{name}\" axis=\"0 1 0\"/>
               <geom type=\"capsule\" fromto=\"0 0 0 0 0 1\" size=\".05\"/></body>"
        )
    };
    let model = read(&format!(
        "<mujoco><worldbody>{}{}</worldbody><equality>
           <connect body1=\"a\" body2=\"b\" anchor=\"0.5 0 1\"/>
           <joint joint1=\"a\" joint2=\"b\" polycoef=\"0.1 2\"/><weld body1=\"a\" active=\"false\"/></equality></mujoco>",
        arm("a", 0.0),
        arm("b", 2.0)
    ));
    assert_eq!(model.ties.len(), 2);
    let Tied::Points([one, other]) = &model.ties[0] else { panic!("{:?}", model.ties) };
    assert_eq!(
        (one.0.as_str(), one.1, other.1),
        ("a", Vector3::new(0.5, 0.0, 1.0), Vector3::new(-1.5, 0.0, 1.0))
    );
    let Tied::Follower(follower) = &model.ties[1] else { panic!("{:?}", model.ties) };
    assert!((follower.coordinate(0.25) - 0.6).abs() < 1e-15);
    assert!(model.warnings.iter().any(|warning| warning.reason.contains("not active")));
    assert_eq!(model.system.links()[1].joint.kind, JointKind::Revolute { axis: Vector3::y() });
}

/// A valve that rises with the square of the angle of its cam.
#[test]
fn couplings_are_polynomials() {
    let model = read(
        r#"<mujoco><worldbody><body name="cam"><joint name="cam"/><geom size=".1"/></body>
             <body name="valve"><joint name="valve" type="slide" ref="0.2"/><geom size=".1"/></body></worldbody>
           <equality><joint joint1="valve" joint2="cam" polycoef="0.1 0 3"/></equality></mujoco>"#,
    );
    let Tied::Follower(follower) = &model.ties[0] else { panic!("{:?}", model.ties) };
    assert!((follower.coordinate(0.5) - 0.85).abs() < 1e-15);
    assert!((follower.rate(0.5) - 3.0).abs() < 1e-15);
    let constraint = follower.constraint(&model.system).unwrap();
    let (mut value, mut rows) = ([1.0], DMatrix::zeros(1, 2));
    constraint.evaluate(&model.system, &[0.5, 0.85], &mut value, &mut rows, 0);
    assert!(value[0].abs() < 1e-15 && (rows[(0, 0)] + 3.0 * rows[(0, 1)]).abs() < 1e-15, "{rows}");
}

/// A ball joint turns by 90° at most, and two slides together move by 0.3 m at most.
#[test]
fn ball_joints_and_tendons_have_limits() {
    let model = read(
        r#"<mujoco><worldbody><body name="head"><joint type="ball" name="neck" range="0 90"/><geom size=".1"/></body>
             <body name="a"><joint name="a" type="slide"/><geom size=".1"/></body>
             <body name="b"><joint name="b" type="slide" ref="0.5"/><geom size=".1"/></body></worldbody>
           <tendon><fixed name="rope" range="0.5 0.8"><joint joint="a" coef="2"/><joint joint="b" coef="1"/></fixed>
           </tendon></mujoco>"#,
    );
    let names: Vec<&str> = model.limits.iter().map(|limit| limit.name.as_str()).collect();
    assert_eq!(names, ["neck (limit)", "rope (lower limit)", "rope (upper limit)"]);
    // Turned by 1 rad about y; the length is 2 · 0.1 + (0.5 + 0.02).
    let q = [0.5_f64.cos(), 0.0, 0.5_f64.sin(), 0.0, 0.1, 0.02];
    let gaps = model.limits.iter().map(|limit| limit.gap.gap(&model.system, &q));
    let expected = [std::f64::consts::FRAC_PI_2 - 1.0, 0.22, 0.08];
    for (gap, expected) in gaps.zip(expected) {
        assert!((gap - expected).abs() < 1e-15, "{gap} {expected}");
    }
    let words: Vec<String> = model.warnings.iter().map(ToString::to_string).collect();
    assert!(words.is_empty(), "{words:#?}");
}

/// Thin shells: a ball `2/3 m r²`, a tube with lids, a box as its six plates.
#[test]
fn shells_of_primitives_have_their_mass_in_the_surface() {
    let diagonal = |geom: &str| {
        let text =
            format!("<body><freejoint/><geom mass=\"1\" shellinertia=\"true\" {geom}/></body>");
        let model = read(&world(&text));
        let body = model.system.links()[1].mass_properties.unwrap();
        [0, 1, 2].map(|k| body.inertia()[(k, k)])
    };
    let close = |found: [f64; 3], expected: [f64; 3]| {
        let holds = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14);
        assert!(holds, "{found:?} {expected:?}");
    };
    close(diagonal("size=\"0.3\""), [2.0 / 3.0 * 0.09; 3]);
    // Areas as 1 : 4 : 1 of lid, side (r = 1, h = 1 half) and lid.
    let (side, lids) = (4.0 / 6.0, 2.0 / 6.0);
    let across = side * (0.5 + 1.0 / 3.0) + lids * (0.25 + 1.0);
    close(diagonal("type=\"cylinder\" size=\"1 1\""), [across, across, side + 0.5 * lids]);
    // A cube of edge 2 a: 10/9 m a² · … = m (2 a)² · 5/18.
    close(diagonal("type=\"box\" size=\"1 1 1\""), [4.0 * 5.0 / 18.0; 3]);
    // Side and half balls have the same area for h = r: a tube with 2/3 m r² balls at its ends.
    let across = 0.5 * (0.5 + 1.0 / 3.0) + 0.5 * (1.0 / 3.0 + 1.0 + 1.0 + 1.0 / 3.0);
    close(diagonal("type=\"capsule\" size=\"1 1\""), [across, across, 0.5 + 0.5 * 2.0 / 3.0]);
    let ellipsoid = "<geom type=\"ellipsoid\" size=\"1 2 3\" shellinertia=\"true\"/>";
    assert!(refused(&world(ellipsoid)).contains("shell of an ellipsoid"));
}

/// A pair touches whatever the bits of its geoms are; one with a height field is left out, and a warning tells of that.
#[test]
fn pairs_name_geoms_of_any_bits() {
    let text = |second: &str| {
        format!(
            "<mujoco><worldbody><geom name=\"ground\" type=\"hfield\"/><body><freejoint/>
               <geom name=\"a\" type=\"mesh\" mesh=\"m\" contype=\"0\" conaffinity=\"0\"/></body>
               <body><freejoint/><geom name=\"b\" size=\"0.1\" contype=\"0\" conaffinity=\"0\"/></body></worldbody>
             <asset><mesh name=\"m\" vertex=\"0 0 0 1 0 0 0 1 0 0 0 1\"/></asset>
             <contact><pair geom1=\"a\" geom2=\"{second}\"/></contact></mujoco>"
        )
    };
    assert_eq!(read(&text("b")).pairs.len(), 1);
    let model = read(&text("ground"));
    assert!(model.pairs.is_empty());
    assert!(model.warnings.iter().any(|warning| warning.reason.contains("height fields")));
    assert!(refused(&text("c")).contains("a geom that has a shape"));
}

/// What `boundmass` gives to a body without mass is where MuJoCo has it.
#[test]
fn bounded_masses_of_empty_bodies_are_at_their_position() {
    let model = read(
        r#"<mujoco><compiler boundmass="2" boundinertia="0.1"/><worldbody>
             <body pos="0 0 3"><joint axis="0 1 0"/></body></worldbody></mujoco>"#,
    );
    assert!((mass_matrix(&model, &[0.0])[(0, 0)] - (0.1 + 2.0 * 9.0)).abs() < 1e-14);
}

fn fixture() -> String {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/robots/walker.xml");
    fs::read_to_string(file).unwrap()
}

/// Two legs of two links each under a trunk of 8 kg: a free joint, four hinges, and a gear between the knees.
#[test]
fn the_walker_is_read_without_a_warning() {
    let model = read(&fixture());
    assert_eq!((model.system.coordinate_count(), model.system.velocity_count()), (11, 10));
    let words: Vec<String> = model.warnings.iter().map(ToString::to_string).collect();
    assert!(words.is_empty(), "{words:#?}");
    assert_eq!(model.actuators[0].joints, ["left knee"]);
    assert!((model.system.mass() - (8.0 + 2.0 * (1.5 + 1.0))).abs() < 1e-12);
    assert_eq!(model.keyframes["crouch"][0][2], 0.8);
    // The floor with trunk, two thighs, two shanks; the trunk with shanks; legs with each other.
    assert_eq!(model.pairs.len(), 5 + 2 + 4);
    assert_eq!(model.ties.len(), 1);
    let mass = mass_matrix(&model, &model.start);
    assert!(mass.clone().cholesky().is_some() && (&mass - mass.transpose()).amax() < 1e-14);
}

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(0x6d6a_6366),
        failure_persistence: None,
        cases: 400,
        ..ProptestConfig::default()
    })]
    /// For any damage to a file, the import returns a system or an error.
    #[test]
    fn damaged_models_never_panic(
        cuts in prop::collection::vec((0_usize..8000, 0_usize..40), 1..4),
        put in prop::collection::vec(prop::sample::select(vec![
            "<", ">", "/>", "\"", "&", "&#0;", "<body name=\"x\">", "</body>", "0", "-1e999", "<![CDATA[", "é",
            "<joint/>", "<geom type=\"mesh\" mesh=\"m\"/>", "<include file=\"x\"/>", "1e300", "-1",
        ]), 3),
    ) {
        let mut text = fixture();
        for ((place, length), put) in cuts.into_iter().zip(put) {
            let boundary = |k: usize| (0..=k).rfind(|&k| text.is_char_boundary(k)).unwrap();
            let start = boundary(place % text.len());
            text.replace_range(start..boundary((start + length).min(text.len())).max(start), put);
        }
        if let Ok(model) = read_str(&text, &Settings::default()) {
            let matrix = mass_matrix(&model, &model.start);
            prop_assert!(matrix.iter().all(|entry| entry.is_finite()), "{text}");
        }
    }
}
