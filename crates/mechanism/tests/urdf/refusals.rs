//! Descriptions with errors or warnings, each with its reason and place.

use std::{fs, path::PathBuf};

use nalgebra::Vector3;
use percussion_dynamics::System;
use percussion_mechanism::urdf::{Error, Geometry, Settings, read_file, read_str};

use crate::{count, fixture};

/// One link on the world, with `inside` in the link, `joint` in the joint of the given type, and `more`
/// at the end.
pub(super) fn description(kind: &str, inside: &str, joint: &str, more: &str) -> String {
    format!(
        "<robot name=\"r\">\n<link name=\"world\"/>\n<link name=\"arm\">{inside}</link>\n\
         <joint name=\"pin\" type=\"{kind}\"><parent link=\"world\"/><child link=\"arm\"/>{joint}\
         </joint>{more}</robot>"
    )
}

pub(super) const BODY: &str = "<inertial><origin xyz=\"0 0 -1\"/><mass value=\"2\"/>\
    <inertia ixx=\"0.1\" iyy=\"0.2\" izz=\"0.25\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
pub(super) const AXIS: &str = "<axis xyz=\"0 1 0\"/>";

fn refused(text: &str) -> Error {
    read_str(text, &Settings::default()).unwrap_err()
}

/// Asserts that a description gives the error `pattern` and that the message names `names`.
macro_rules! assert_refused {
    ($text:expr, $pattern:pat, $($name:expr),*) => {
        let error = refused(&$text);
        assert!(matches!(error.without_line(), $pattern), "{error:?}");
        let message = error.to_string();
        $(assert!(message.contains($name), "{message}");)*
    };
}

#[test]
fn masses_and_inertias_of_no_body_are_refused() {
    assert_refused!(
        description("continuous", "", AXIS, ""),
        Error::MissingInertia { .. },
        "link `arm`"
    );
    for mass in ["-2", "0"] {
        let body = BODY.replace("\"2\"", &format!("\"{mass}\""));
        assert_refused!(
            description("continuous", &body, AXIS, ""),
            Error::Inertia { .. },
            "link `arm`",
            &format!("mass is {mass}")
        );
    }
    // 0.1 more makes the moments 0, 0.3 and 0.35; of ixy they are −0.154, 0.25 and 0.454, which 0.358 more balances.
    for (from, to, repair) in
        [("0.1", "-0.1", "adding 1.5000e-1 to"), ("ixy=\"0\"", "ixy=\"0.3\"", "3.58")]
    {
        let body = BODY.replace(from, to);
        assert_refused!(
            description("continuous", &body, AXIS, ""),
            Error::NegativeMoments { .. },
            "line 3",
            "link `arm`",
            repair
        );
    }
    let no_mass = BODY.replace("<mass value=\"2\"/>", "");
    assert_refused!(
        description("continuous", &no_mass, AXIS, ""),
        Error::MissingElement { .. },
        "link `arm` > inertial",
        "`mass`",
        "line 3"
    );
    let no_entry = BODY.replace("izz=\"0.25\"", "");
    assert_refused!(
        description("continuous", &no_entry, AXIS, ""),
        Error::MissingAttribute { attribute: "izz", .. },
        "link `arm` > inertial > inertia"
    );
}

#[test]
fn numbers_that_are_none_are_refused() {
    for (bad, attribute) in [
        (BODY.replace("0 0 -1", "0 0 NaN"), "xyz"),
        (BODY.replace("0 0 -1", "0 0 x 1"), "xyz"),
        (BODY.replace("0 0 -1", "0 0"), "xyz"),
        (BODY.replace("\"2\"", "\"inf\""), "value"),
        (BODY.replace("\"2\"", "\"${m}\""), "value"),
        (BODY.replace("\"0.1\"", "\"\""), "ixx"),
    ] {
        assert_refused!(
            description("continuous", &bad, AXIS, ""),
            Error::Number { .. },
            "link `arm` > inertial",
            attribute
        );
    }
    let limit = format!("{AXIS}<limit lower=\"NaN\" upper=\"1\"/>");
    assert_refused!(
        description("revolute", BODY, &limit, ""),
        Error::Number { .. },
        "joint `pin` > limit",
        "lower"
    );
}

#[test]
fn joints_that_cannot_be_right_are_refused() {
    assert_refused!(
        description("revolute", BODY, AXIS, ""),
        Error::MissingElement { .. },
        "joint `pin`",
        "`limit`"
    );
    let reversed = format!("{AXIS}<limit lower=\"1\" upper=\"-1\"/>");
    assert_refused!(
        description("prismatic", BODY, &reversed, ""),
        Error::Limits { .. },
        "joint `pin`",
        "[1.0, -1.0]"
    );
    assert_refused!(
        description("continuous", BODY, "<axis xyz=\"0 0 0\"/>", ""),
        Error::Axis { .. },
        "joint `pin`"
    );
    assert_refused!(
        description("screw", BODY, AXIS, ""),
        Error::JointType { .. },
        "joint `pin`",
        "screw"
    );
    let mimic = format!("{AXIS}<mimic joint=\"pin\" multiplier=\"-1\"/>");
    assert_refused!(
        description("continuous", BODY, &mimic, ""),
        Error::Mimic { .. },
        "line 4: joint `pin`",
        "in the end itself"
    );
    let damping = format!("{AXIS}<dynamics damping=\"-1\"/>");
    assert_refused!(
        description("continuous", BODY, &damping, ""),
        Error::Negative { field: "damping", .. },
        "joint `pin`"
    );
    let twice = format!("{AXIS}{AXIS}");
    assert_refused!(
        description("continuous", BODY, &twice, ""),
        Error::Repeated { .. },
        "joint `pin`",
        "`axis`"
    );
}

#[test]
fn links_that_make_no_tree_are_refused() {
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name=\"{name}\" type=\"fixed\"><parent link=\"{parent}\"/>\
             <child link=\"{child}\"/></joint>"
        )
    };
    let with = |more: &str| description("continuous", BODY, AXIS, more);
    let more = format!(
        "<link name=\"a\"/><link name=\"b\"/>{}{}",
        joint("ab", "a", "b"),
        joint("ba", "b", "a")
    );
    assert_refused!(with(&more), Error::Cycle { .. }, "link `", "joint `");
    assert_refused!(
        with(&joint("loop", "arm", "arm")),
        Error::TwoParents { .. },
        "`arm`",
        "`loop`"
    );
    assert_refused!(with(&joint("up", "arm", "world")), Error::Cycle { .. }, "ancestor");
    assert_refused!(with("<link name=\"stray\"/>"), Error::SeveralRoots { .. }, "`world`, `stray`");
    assert_refused!(
        with("<link name=\"arm\"/>"),
        Error::DuplicateName { .. },
        "line",
        "link `arm`"
    );
    let again = format!("<link name=\"hand\"/>{}", joint("pin", "arm", "hand"));
    assert_refused!(with(&again), Error::DuplicateName { .. }, "joint `pin`");
    assert_refused!(with(&joint("to", "arm", "hand")), Error::UnknownLink { .. }, "`to`", "`hand`");
    assert_refused!("<robot name=\"r\"/>", Error::NoLinks, "no links");
}

#[test]
fn broken_text_and_missing_files_are_refused() {
    for text in [
        "",
        "plain",
        "<robot>",
        "<robot><link name=\"a\"></robot>",
        "<robot a=1/>",
        "<robot/><robot/>",
        "<robot name=\"&nothing;\"/>",
        &"<robot>".repeat(100_000),
    ] {
        let error = refused(text);
        assert!(matches!(error, Error::Xml { .. }), "{text:.40}: {error:?}");
    }
    assert_refused!("<sdf/>", Error::NotRobot { .. }, "`sdf`");
    assert_refused!(
        "<robot xmlns:xacro=\"x\">\n<xacro:leg/></robot>",
        Error::Macro { .. },
        "xacro:leg",
        "line 2"
    );
    let missing = read_file(fixture("nobody.urdf"), &Settings::default()).unwrap_err();
    assert!(matches!(missing, Error::File { .. }) && missing.to_string().contains("nobody.urdf"));
}

fn with_mesh(filename: &str) -> String {
    let mesh = format!(
        "{BODY}<collision><geometry><mesh filename=\"{filename}\" scale=\"1 -1 2\"/></geometry>\
         </collision>"
    );
    description("continuous", &mesh, AXIS, "")
}

#[test]
fn meshes_have_to_exist_and_are_reported() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("urdf");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("arm.stl"), "").unwrap();
    let mut settings = Settings { directory: Some(folder.clone()), ..Settings::default() };
    settings.packages.insert("robot".into(), folder.clone());
    let by_file = format!("file://{}", folder.join("arm.stl").display());
    for address in ["arm.stl", "package://robot/arm.stl", &by_file] {
        let imported = read_str(&with_mesh(address), &settings).unwrap();
        let (path, scale) = (folder.join("arm.stl"), Vector3::new(1.0, -1.0, 2.0));
        assert_eq!(imported.collision[0].geometry, Geometry::Mesh { path, scale });
        assert_eq!(count(&imported, "mesh"), [0, 0, 0, 1]);
    }
    let error = |address: &str| read_str(&with_mesh(address), &settings).unwrap_err();
    for (address, name) in [
        ("leg.stl", "leg.stl"),
        ("package://robot/leg.stl", "leg.stl"),
        ("package://robot", "robot"),
    ] {
        let error = error(address);
        assert!(matches!(error.without_line(), Error::MissingMesh { .. }), "{error:?}");
        assert!(error.to_string().contains("link `arm`") && error.to_string().contains(name));
    }
    assert!(
        matches!(error("package://dog/a.stl").without_line(), Error::UnknownPackage { package, .. } if package == "dog")
    );
    assert!(matches!(error("https://a/b.stl").without_line(), Error::MeshAddress { .. }));
}

#[test]
fn shapes_without_size_are_refused() {
    for (shape, field) in [
        ("<sphere radius=\"0\"/>", "radius"),
        ("<box size=\"1 -1 1\"/>", "size"),
        ("<cylinder radius=\"1\" length=\"0\"/>", "length"),
    ] {
        let body = format!("{BODY}<collision><geometry>{shape}</geometry></collision>");
        assert_refused!(
            description("continuous", &body, AXIS, ""),
            Error::Size { .. },
            "link `arm`",
            field
        );
    }
    for shapes in ["", "<sphere radius=\"1\"/><box size=\"1 1 1\"/>", "<cone radius=\"1\"/>"] {
        let body = format!("{BODY}<collision><geometry>{shapes}</geometry></collision>");
        assert_refused!(
            description("continuous", &body, AXIS, ""),
            Error::MissingElement { .. } | Error::Repeated { .. },
            "link `arm` > collision > geometry"
        );
    }
}

#[test]
fn defaults_and_unknown_things_are_reported() {
    let one = |kind: &str, joint: &str, more: &str| {
        read_str(&description(kind, BODY, joint, more), &Settings::default()).unwrap()
    };
    assert_eq!(count(&one("continuous", "", ""), "joint `pin`"), [0, 0, 0, 1]);
    assert_eq!(
        count(&one("revolute", &format!("{AXIS}<limit upper=\"1\"/>"), ""), "limit"),
        [0, 0, 0, 1]
    );
    assert_eq!(count(&one("fixed", AXIS, ""), "axis"), [1, 0, 0, 0]);
    let floating = one("floating", "<limit lower=\"0\"/><dynamics damping=\"1\"/>", "");
    assert_eq!(count(&floating, "joint `pin`"), [2, 0, 0, 0]);
    let turned = one("continuous", &format!("<origin quat_xyzw=\"1 0 0 0\"/>{AXIS}"), "");
    assert_eq!(count(&turned, "origin"), [0, 1, 0, 0]);
    let more = "words<unheard of=\"x\"><inside/></unheard>";
    let unknown = one("continuous", AXIS, more);
    assert_eq!(count(&unknown, "robot"), [1, 0, 1, 0]);
    assert!(one("continuous", AXIS, "<!-- a comment -->").warnings.is_empty());
}

/// A link without inertia between two joints acts as a cardan joint; a joint that moves no mass is locked if the settings allow it.
#[test]
fn massless_links_carry_mass_or_are_held() {
    let text = description(
        "continuous",
        "",
        AXIS,
        &format!(
            "<link name=\"hand\">{BODY}</link><joint name=\"twist\" type=\"continuous\">\
             <parent link=\"arm\"/><child link=\"hand\"/><axis xyz=\"1 0 0\"/></joint>"
        ),
    );
    let cardan = read_str(&text, &Settings::default()).unwrap();
    assert_eq!(cardan.system.velocity_count(), 2);
    let words = cardan.warnings[0].to_string();
    assert!(words.starts_with("line 3: link `arm`: it moves without inertia"), "{words}");
    // A link fixed to another one moves with it, so the inertia may be there.
    let fixed = text.replace("\"twist\" type=\"continuous\"", "\"twist\" type=\"fixed\"");
    let fixed = read_str(&fixed, &Settings::default()).unwrap();
    assert_eq!(fixed.total_mass(), 2.0);
    assert_eq!(count(&fixed, "link `arm`"), [0; 4]);
    let leaf = description("continuous", "", AXIS, "");
    assert_refused!(leaf, Error::MissingInertia { .. }, "line 3", "link `arm`", "locks its joint");
    let settings = Settings { allow_massless: true, ..Settings::default() };
    let held = read_str(&leaf, &settings).unwrap();
    assert_eq!((held.system.velocity_count(), count(&held, "link `arm`")), (0, [0, 0, 0, 1]));
    let limit = format!("{AXIS}<limit lower=\"0.25\" upper=\"1\"/>");
    let held = read_str(&description("revolute", "", &limit, ""), &settings).unwrap();
    assert!((held.system.pose(&[], 1).rotation.angle() - 0.25).abs() < 1e-15);
}

#[test]
fn addresses_that_leave_their_package_are_refused() {
    for address in ["package://robot/../../etc/passwd", "package://../a.stl"] {
        assert_refused!(with_mesh(address), Error::OutsidePackage { .. }, "link `arm`", address);
    }
}

#[test]
fn errors_have_the_line_of_their_element() {
    let refuse = |text: &str| refused(text).to_string();
    let limits = format!("\n{AXIS}\n<limit lower=\"1\" upper=\"0\"/>");
    let upside_down = refuse(&description("revolute", BODY, &limits, ""));
    assert!(upside_down.starts_with("line 6: limits of joint `pin`"), "{upside_down}");
    let no_axis = refuse(&description("continuous", BODY, "\n<axis xyz=\"0 0 0\"/>", ""));
    assert!(no_axis.starts_with("line 5: axis of joint `pin`"), "{no_axis}");
    let missing = refuse(&with_mesh("nowhere.stl"));
    assert!(missing.starts_with("line 3: mesh \"nowhere.stl\" of link `arm`"), "{missing}");
}

/// A shape without its mesh can be left out; the rest of the robot is as before.
#[test]
fn missing_meshes_are_accepted_if_the_settings_say_so() {
    let settings = Settings { allow_missing_meshes: true, ..Settings::default() };
    let robot = read_str(&with_mesh("nowhere.stl"), &settings).unwrap();
    let Geometry::Missing { reason } = &robot.collision[0].geometry else {
        panic!("{:?}", robot.collision)
    };
    assert!(reason.contains("nowhere.stl"), "{reason}");
}
