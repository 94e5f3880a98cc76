//! Robot descriptions that are broken in one place: each gives an error that names the element, or accepted with
//! finite matrices.

#![cfg(feature = "urdf")]

use nalgebra::DMatrix;
use percussion_dynamics::System;
use percussion_mechanism::urdf::{Settings, read_str};

/// A pendulum with every element that contains numbers.
const ROBOT: &str = r#"<robot name="r">
<link name="base"/>
<link name="arm">
<inertial><origin xyz="0 0 -1" rpy="0 0 0.1"/><mass value="2"/>
<inertia ixx="0.3" iyy="0.4" izz="0.5" ixy="0.01" ixz="0.02" iyz="0.03"/></inertial>
<collision name="hull"><origin xyz="0.1 0.2 0.3"/><geometry><box size="0.11 0.12 0.13"/></geometry></collision>
<collision><geometry><cylinder radius="0.21" length="0.22"/></geometry></collision>
</link>
<joint name="pin" type="revolute"><origin xyz="0 0 0.6" rpy="0 0.7 0"/><parent link="base"/><child link="arm"/>
<axis xyz="0 1 0"/><limit lower="-1.5" upper="1.6"/><dynamics damping="0.8" friction="0.9"/></joint>
</robot>"#;

/// Places of a number, and the names that errors give them.
const NUMBERS: [(&str, &str); 16] = [
    ("value=\"2\"", "arm"),
    ("ixx=\"0.3\"", "arm"),
    ("izz=\"0.5\"", "arm"),
    ("ixy=\"0.01\"", "arm"),
    ("xyz=\"0 0 -1\"", "arm"),
    ("rpy=\"0 0 0.1\"", "arm"),
    ("xyz=\"0.1 0.2 0.3\"", "arm"),
    ("size=\"0.11 0.12 0.13\"", "arm"),
    ("radius=\"0.21\"", "arm"),
    ("length=\"0.22\"", "arm"),
    ("xyz=\"0 0 0.6\"", "pin"),
    ("xyz=\"0 1 0\"", "pin"),
    ("lower=\"-1.5\"", "pin"),
    ("upper=\"1.6\"", "pin"),
    ("damping=\"0.8\"", "pin"),
    ("friction=\"0.9\"", "pin"),
];

/// Checks that `text` gives a short error message that contains one of `names`, or a
/// system with finite matrices. Returns whether it is an error.
fn is_refused(text: &str, names: &[&str]) -> bool {
    match read_str(text, &Settings::default()) {
        Err(error) => {
            let message = error.to_string();
            assert!(names.iter().any(|name| message.contains(name)), "{message}\n{text}");
            true
        }
        Ok(robot) => {
            let n = robot.system.velocity_count();
            let mut matrix = DMatrix::zeros(n, n);
            robot.system.mass_matrix(&robot.system.neutral_coordinates(), &mut matrix);
            assert!(matrix.iter().all(|entry| entry.is_finite()), "{matrix}\n{text}");
            false
        }
    }
}

#[test]
fn what_is_no_number_is_refused_in_every_place() {
    for (place, name) in NUMBERS {
        assert!(ROBOT.contains(place), "{place}");
        let (attribute, value) = place.split_once('=').unwrap();
        let count = value.split(' ').count();
        for bad in ["NaN", "x", "1,5", "0x10", "--1", "1e", "", "１", "${m}", "1 2", "1 2 3 4"] {
            let all = [bad, "1", "1"][..count.min(3)].join(" ");
            let text = ROBOT.replacen(place, &format!("{attribute}=\"{all}\""), 1);
            // "1 2" has the wrong number of entries in every place.
            assert!(is_refused(&text, &[name]), "{all:?} for {place}");
        }
    }
}

#[test]
fn absurd_numbers_are_refused_or_do_no_harm() {
    for (place, name) in NUMBERS {
        let (attribute, value) = place.split_once('=').unwrap();
        let count = value.split(' ').count();
        for absurd in [
            "1e300", "-1e300", "1e-300", "1e-310", "1e400", "-1e400", "inf", "-inf", "0", "-0",
            "-1",
        ] {
            let all = [absurd; 3][..count.min(3)].join(" ");
            let text = ROBOT.replacen(place, &format!("{attribute}=\"{all}\""), 1);
            // A singular mass matrix names the link that the joint carries.
            is_refused(&text, &[name, "arm"]);
        }
    }
}

#[test]
fn every_element_and_attribute_left_out_is_named_or_has_a_default() {
    for part in ["name=\"arm\"", "name=\"pin\"", "type=\"revolute\"", "link=\"arm\""] {
        let text = ROBOT.replacen(part, "", 1);
        assert!(is_refused(&text, &["link", "joint", "robot"]), "{part}");
        let text = ROBOT.replacen(part, &format!("{part} {part}"), 1);
        assert!(is_refused(&text, &["line"]), "{part}");
    }
    let elements = [
        "<mass value=\"2\"/>",
        "<parent link=\"base\"/>",
        "<child link=\"arm\"/>",
        "<limit lower=\"-1.5\" upper=\"1.6\"/>",
        "<box size=\"0.11 0.12 0.13\"/>",
    ];
    for element in elements {
        assert!(is_refused(&ROBOT.replacen(element, "", 1), &["arm", "pin"]), "{element}");
    }
}

#[test]
fn truncated_text_is_refused_at_every_length() {
    for length in (0..ROBOT.len()).filter(|&length| ROBOT.is_char_boundary(length)) {
        assert!(is_refused(&ROBOT[..length], &["line"]), "{}", &ROBOT[..length]);
    }
}

#[test]
fn text_that_is_no_robot_is_refused() {
    let nested = format!("<robot name=\"r\">{}", "<x>".repeat(100_000));
    let laughs: String = (1..10)
        .map(|k| format!("<!ENTITY e{k} \"{}\">", format!("&e{};", k - 1).repeat(10)))
        .collect();
    let laughs = format!("<!DOCTYPE r [<!ENTITY e0 \"ha\">{laughs}]><robot name=\"&e9;\"/>");
    let outside = "<!DOCTYPE r [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><robot name=\"&e;\"/>";
    for text in [
        "",
        " \n",
        "\0",
        "hello",
        "{}",
        "<",
        "<robot",
        "<robot/>",
        "<model/>",
        "<robot name=\"r\"/>",
        "<a/><b/>",
        "<robot name=\"<\"/>",
        "<robot name=\"&x;\"><link name=\"a\"/></robot>",
        "<robot name=\"r\">x</robot>",
        "<robot name=\"r\"><link/></robot>",
        "</robot>",
        &nested,
        &laughs,
        outside,
    ] {
        assert!(is_refused(text, &["line", "links", "`robot`"]), "{text:.60}");
    }
}

#[test]
fn long_trees_are_read_or_refused_without_delay() {
    let body = "<inertial><mass value=\"1\"/>\
        <inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
    let chain = |count: usize, kind: &str, last: &str| {
        let links: String =
            (0..=count).map(|i| format!("<link name=\"l{i}\">{body}</link>")).collect();
        let joint = |i: usize| {
            format!(
                "<joint name=\"j{i}\" type=\"{kind}\"><parent link=\"l{i}\"/><child link=\"l{}\"/>\
                 <axis xyz=\"0 0 1\"/></joint>",
                i + 1
            )
        };
        let joints: String = (0..count).map(joint).collect();
        format!("<robot name=\"r\">{links}{joints}{last}</robot>")
    };
    assert!(!is_refused(&chain(10_000, "fixed", ""), &[]));
    assert!(is_refused(&chain(10_000, "continuous", ""), &["10000 degrees of freedom"]));
    let back =
        "<joint name=\"back\" type=\"fixed\"><parent link=\"l2000\"/><child link=\"l0\"/></joint>";
    assert!(is_refused(&chain(2_000, "fixed", back), &["its own ancestor"]));
}
