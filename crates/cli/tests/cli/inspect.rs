//! `percussion inspect`.

use crate::common::{Finished, percussion};

/// A slider on a rail, with a pendulum whose bob hangs at the height of a post on the base.
const CART: &str = r#"<robot name="cart">
  <link name="rail">
    <collision><origin xyz="0.3 0 -1"/><geometry><sphere radius="0.2"/></geometry></collision>
  </link>
  <link name="slider">
    <inertial><mass value="3"/>
      <inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0.3 0 -1"/><geometry><sphere radius="0.2"/></geometry></collision>
  </link>
  <link name="bob">
    <inertial><origin xyz="0 0 -1"/><mass value="1"/>
      <inertia ixx="0.004" iyy="0.004" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 -1"/><geometry><sphere radius="0.1"/></geometry></collision>
    <visual><geometry><sphere radius="0.1"/></geometry></visual>
  </link>
  <joint name="rail_joint" type="prismatic">
    <parent link="rail"/><child link="slider"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1"/>
  </joint>
  <joint name="pivot" type="continuous">
    <parent link="slider"/><child link="bob"/><axis xyz="0 1 0"/>
  </joint>
</robot>"#;

const TWO_BALLS: &str = r#"
name = "pair"
title = "Two balls side by side"
source = "first year mechanics"
dimension = "space"
gravity = [0.0, 0.0, -10.0]
duration = 0.1
friction = 0.3

[[bodies]]
name = "left"
mass = 2.0
shape.sphere.radius = 0.5
position = [0.0, 0.0, 0.5]

[[bodies]]
name = "right"
mass = 4.0
shape.sphere.radius = 0.5
position = [1.0, 0.0, 0.5]

[[planes]]
name = "floor"
point = [0.0, 0.0, 0.0]
normal = [0.0, 0.0, 1.0]

[integrator]
method = "stewart-trinkle"
step_size = 0.01
"#;

/// Inspects the cart `text`, whose rail is fixed in the world.
fn inspect_cart(text: &str, options: &[&str]) -> Finished {
    inspect("cart.urdf", text, &[&["--fixed-base"], options].concat())
}

/// Inspects `text` as a file called `name`.
fn inspect(name: &str, text: &str, options: &[&str]) -> Finished {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join(name);
    std::fs::write(&file, text).unwrap();
    percussion(&[&["inspect", file.to_str().unwrap()], options].concat())
}

#[test]
fn a_robot_is_told_by_its_links_joints_and_masses() {
    let finished = inspect_cart(CART, &["--json"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let document = finished.json();
    assert_eq!((&document["kind"], &document["name"]), (&"robot".into(), &"cart".into()));
    assert_eq!((&document["coordinates"], &document["degrees_of_freedom"]), (&2.into(), &2.into()));
    assert_eq!(document["total_mass"], 4.0);
    assert_eq!(document["bodies"][2]["name"], "bob");
    let joint = &document["joints"][0];
    assert_eq!((&joint["name"], &joint["kind"]), (&"rail_joint".into(), &"prismatic".into()));
    assert_eq!((&joint["parent"], &joint["child"]), (&"rail".into(), &"slider".into()));
    assert_eq!(joint["limits"], serde_json::json!([[-1.0, 1.0]]));
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("`bob` > visual"), "{warnings}");
}

/// `M = [4, −1; −1, 1.004]` (a point of 1 kg hangs 1 m below the slider of 3 kg).
#[test]
fn the_condition_is_that_of_the_mass_matrix() {
    let document = inspect_cart(CART, &["--json"]).json();
    let (trace, determinant): (f64, f64) = (5.004, 4.0 * 1.004 - 1.0);
    let root = (0.25 * trace * trace - determinant).sqrt();
    let expected = (0.5 * trace + root) / (0.5 * trace - root);
    let matrix = &document["mass_matrix"];
    let number = |name: &str| matrix[name].as_f64().unwrap();
    assert!((number("condition") / expected - 1.0).abs() < 1e-13, "{matrix}");
    // Scaled to a unit diagonal, the other entry is ∓c, and the eigenvalues are 1 ± c.
    let c = 1.0 / (4.0 * 1.004_f64).sqrt();
    assert!((number("scaled_condition") * (1.0 - c) / (1.0 + c) - 1.0).abs() < 1e-13, "{matrix}");
}

/// The post and the bob touch: 0.3 m between centers, radii 0.2 and 0.1. The sphere of the slider at
/// the position of the post is not a contact, because the slider is a neighbor of both. Only the component
/// of the bob's contact velocity perpendicular to the plane of motion is impossible.
#[test]
fn touching_features_are_those_of_links_that_no_joint_connects() {
    let touching = &inspect_cart(CART, &["--json"]).json()["touching"];
    assert_eq!(touching["features"].as_array().unwrap().len(), 1, "{touching}");
    let feature = &touching["features"][0];
    assert_eq!(feature["between"], serde_json::json!(["rail", "bob"]));
    assert!(feature["gap"].as_f64().unwrap().abs() < 1e-15);
    assert_eq!((&touching["components"], &touching["rank"]), (&3.into(), &2.into()));

    let apart = CART.replacen("radius=\"0.2\"", "radius=\"0.19\"", 1);
    let touching = |options: &[&str]| {
        let document = inspect_cart(&apart, &[options, &["--json"]].concat()).json();
        document["touching"]["features"].as_array().unwrap().len()
    };
    assert_eq!((touching(&[]), touching(&["--proximity", "0.02"])), (0, 1));
}

#[test]
fn a_floating_robot_has_six_more_degrees_of_freedom() {
    let massive = CART.replacen(
        "<link name=\"rail\">",
        "<link name=\"rail\"><inertial><mass value=\"1\"/>\
         <inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>",
        1,
    );
    let document = inspect("cart.urdf", &massive, &["--json"]).json();
    assert_eq!((&document["coordinates"], &document["degrees_of_freedom"]), (&9.into(), &8.into()));
}

#[test]
fn overlapping_features_are_warned_about() {
    let overlapping = CART.replacen("radius=\"0.1\"", "radius=\"0.15\"", 1);
    let document = inspect_cart(&overlapping, &["--json"]).json();
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("overlap, by 0.05 m at most"), "{warnings}");
}

#[test]
fn a_scenario_is_told_by_its_bodies_and_what_touches_at_the_start() {
    let document = inspect("pair.toml", TWO_BALLS, &["--json"]).json();
    assert_eq!((&document["kind"], &document["dimension"]), (&"scenario".into(), &"space".into()));
    assert_eq!(document["total_mass"], 6.0);
    assert_eq!(document["degrees_of_freedom"], 12);
    let touching = &document["touching"];
    let names: Vec<_> = (0..3).map(|i| touching["features"][i]["name"].as_str()).collect();
    assert_eq!(names, [Some("left–floor"), Some("left–right"), Some("right–floor")]);
    assert_eq!(touching["features"][1]["friction"], 0.3);
    assert_eq!((&touching["components"], &touching["rank"]), (&9.into(), &9.into()));
    assert_eq!(document["warnings"], serde_json::json!([]));
}

#[test]
fn a_rod_that_lies_on_a_table_has_redundant_contacts() {
    let text = TWO_BALLS.replacen(
        "shape.sphere.radius = 0.5\nposition = [0.0, 0.0, 0.5]",
        "shape.rod = { length = 1.0, radius = 0.1 }\nposition = [0.0, 0.0, 0.1]",
        1,
    );
    let contacts = "[[contacts]]\nbetween = [\"left\", \"floor\"]\n\n[[planes]]";
    let text = text.replacen("[[planes]]", contacts, 1);
    let document = inspect("rod.toml", &text, &["--json"]).json();
    // Two points of a rod keep their distance, so one of six velocities depends on the others.
    assert_eq!(document["touching"]["rank"], 5, "{document}");
    let warnings = document["warnings"].to_string();
    assert!(warnings.contains("5 of 6 components"), "{warnings}");
}

#[test]
fn built_in_scenarios_are_known_by_name_and_people_read_tables() {
    let finished = percussion(&["inspect", "stewart-trinkle/four-balls"]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{finished:?}");
    for words in ["degrees of freedom", "total mass", "ball 2–table", "the same, scaled"] {
        assert!(finished.stdout.contains(words), "{words:?} is missing in {}", finished.stdout);
    }
    let finished = inspect_cart(CART, &[]);
    for words in ["rail – slider", "−1 … 1", "rail–bob", "warning: line 14"] {
        assert!(finished.stdout.contains(words), "{words:?} is missing in {}", finished.stdout);
    }
}

/// The cart and its pendulum move in the plane `y = 0`, the same turned by 90° about `x` in `z = 0`.
#[test]
fn a_planar_robot_is_planar_unless_gravity_leaves_the_plane() {
    let planar =
        CART.replace("axis xyz=\"0 1 0\"", "axis xyz=\"0 0 1\"").replace("0 0 -1", "0 -1 0");
    let planar = planar.replace("0.3 0 -1", "0.3 -1 0");
    let dimension = |options: &[&str]| {
        inspect_cart(&planar, &[options, &["--json"]].concat()).json()["dimension"].clone()
    };
    assert_eq!(dimension(&[]), "plane");
    assert_eq!(dimension(&["--gravity", "0,-9.81,0"]), "plane");
    assert_eq!(dimension(&["--gravity", "0, 0, -9.81"]), "space");
    assert_eq!(dimension(&["--gravity=-1,0,0"]), "plane");
    inspect_cart(CART, &["--gravity=1,2"]).assert_refused(&["--gravity", "0,0,-9.81"]);
    inspect_cart(CART, &["--gravity=1,2,nan"]).assert_refused(&["--gravity", "0,0,-9.81"]);
}

#[test]
fn friction_of_a_robot_is_unknown_unless_it_is_given() {
    let friction = |options: &[&str]| {
        let document = inspect_cart(CART, &[options, &["--json"]].concat()).json();
        document["touching"]["features"][0]["friction"].clone()
    };
    assert_eq!(friction(&[]), serde_json::Value::Null);
    assert_eq!(friction(&["--friction", "0.7"]), 0.7);
    assert!(inspect_cart(CART, &[]).stdout.contains("unknown"));
    inspect_cart(CART, &["--friction=-1"]).assert_refused(&["--friction", "at least 0"]);
}

#[test]
fn a_link_that_moves_no_mass_is_refused_with_the_option_that_holds_it() {
    let without = |mass: &str| {
        let start = CART.find(mass).unwrap();
        let start = CART[..start].rfind("<inertial>").unwrap();
        let end = start + CART[start..].find("</inertial>").unwrap() + "</inertial>".len();
        [&CART[..start], &CART[end..]].concat()
    };
    let bob = without("<mass value=\"1\"");
    inspect_cart(&bob, &[]).assert_refused(&["`bob`", "--allow-massless"]);
    let document = inspect_cart(&bob, &["--allow-massless", "--json"]).json();
    assert_eq!(
        (&document["total_mass"], &document["degrees_of_freedom"]),
        (&3.0.into(), &1.into())
    );
    assert_eq!(document["joints"][1]["kind"], "fixed");
    // The slider carries the bob.
    let slider = inspect_cart(&without("<mass value=\"3\""), &["--json"]).json();
    assert_eq!((&slider["total_mass"], &slider["degrees_of_freedom"]), (&1.0.into(), &2.into()));
    assert!(slider["warnings"].to_string().contains("link `slider`: it moves without inertia"));
}

/// The corners of a cube of 0.2 m as a mesh instead of the ball of 0.1 m, level with the post.
#[test]
fn meshes_touch_with_their_convex_hulls() {
    let corners: Vec<[f32; 3]> = (0..8)
        .map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|bit| if bit == 1 { 0.1 } else { -0.1 }))
        .collect();
    let tetrahedra = [[0, 1, 2], [4, 5, 6], [3, 5, 7], [0, 6, 7]];
    let mut stl = String::from("solid cube\n");
    for triangle in tetrahedra {
        stl += "facet normal 0 0 1\nouter loop\n";
        for corner in triangle {
            let [x, y, z] = corners[corner];
            stl += &format!("vertex {x} {y} {z}\n");
        }
        stl += "endloop\nendfacet\n";
    }
    stl += "endsolid cube\n";
    let mut binary = vec![0_u8; 80];
    binary.extend(4_u32.to_le_bytes());
    for triangle in tetrahedra {
        let numbers =
            [0.0, 0.0, 1.0].into_iter().chain(triangle.into_iter().flat_map(|c| corners[c]));
        for number in numbers {
            binary.extend(number.to_le_bytes());
        }
        binary.extend([0, 0]);
    }
    let mut obj: String = corners.iter().map(|[x, y, z]| format!("v {x} {y} {z}\n")).collect();
    for [a, b, c] in tetrahedra {
        obj += &format!("f {} {} {}\n", a + 1, b + 1, c + 1);
    }
    let ball = "<sphere radius=\"0.1\"/></geometry></collision>\n    <visual>";
    let inspect_mesh = |name: &str, bytes: &[u8]| {
        let mesh = format!("<mesh filename=\"{name}\"/></geometry></collision>\n    <visual>");
        let text = CART.replacen(ball, &mesh, 1);
        assert_ne!(text, CART);
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("cart.urdf");
        std::fs::write(&file, text).unwrap();
        std::fs::write(directory.path().join(name), bytes).unwrap();
        percussion(&["inspect", file.to_str().unwrap(), "--fixed-base", "--json"]).json()
    };
    for (name, bytes) in [("a.stl", stl.as_bytes()), ("b.STL", &binary), ("c.obj", obj.as_bytes())]
    {
        let document = inspect_mesh(name, bytes);
        let gap = document["touching"]["features"][0]["gap"].as_f64();
        // The mesh has single precision.
        assert!(gap.is_some_and(|gap| gap.abs() < 1e-8), "{name}: {document}");
        let warnings = document["warnings"].to_string();
        assert!(warnings.contains("convex hull") && warnings.contains(name), "{warnings}");
    }
    let flat = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    for (name, bytes, reason) in [
        ("d.obj", flat, "expected at least 4"),
        ("e.dae", "<COLLADA/>", "expected at least 4"),
        ("g.ply", "ply", "*.dae"),
        ("f.stl", "rubbish", "f.stl"),
    ] {
        let warnings = inspect_mesh(name, bytes.as_bytes())["warnings"].to_string();
        assert!(warnings.contains("`bob` is left out"), "{warnings}");
        assert!(warnings.contains(reason) && warnings.contains(name), "{warnings}");
    }
}

/// A limit has one component; its tangents are no redundant ones.
#[test]
fn a_joint_at_its_limit_is_not_redundant() {
    let at_limit = CART.replacen(r#"lower="-1" upper="1""#, r#"lower="0" upper="1""#, 1);
    let apart = at_limit.replace(r#"<origin xyz="0.3 0 -1"/>"#, r#"<origin xyz="0.5 0 -1"/>"#);
    let document = inspect_cart(&apart, &["--json"]).json();
    let touching = &document["touching"];
    assert_eq!((&touching["components"], &touching["rank"]), (&1.into(), &1.into()), "{document}");
    assert!(!document["warnings"].to_string().contains("redundant"), "{document}");
}

#[test]
fn a_missing_file_is_named_once() {
    let finished = percussion(&["inspect", "no-such.urdf"]);
    assert_eq!(finished.stderr.matches("no-such.urdf").count(), 1, "{}", finished.stderr);
}

#[test]
fn bad_input_is_refused_with_file_and_place() {
    inspect("bad.urdf", &CART.replacen("<mass value=\"1\"/>", "<mass value=\"-1\"/>", 1), &[])
        .assert_refused(&["bad.urdf", "bob", "-1"]);
    inspect("bad.urdf", &CART.replacen("slider\"/><axis", "nothing\"/><axis", 1), &[])
        .assert_refused(&["bad.urdf", "nothing"]);
    inspect("bad.urdf", "name = \"toml\"", &[]).assert_refused(&["bad.urdf"]);
    inspect("bad.toml", CART, &[]).assert_refused(&["bad.toml"]);
    inspect("bad.toml", &TWO_BALLS.replacen("2.0", "-2.0", 1), &[]).assert_refused(&[
        "bad.toml",
        "bodies[0].mass",
        "-2",
    ]);
    let above = "<mujoco><asset><mesh file='../a.stl'/></asset></mujoco>";
    inspect("model.xml", above, &[]).assert_refused(&["../a.stl", "--package model=FOLDER"]);
    percussion(&["inspect", "no-such.urdf"])
        .assert_refused(&["there is no file `no-such.urdf`, expected a URDF or MJCF file\n"]);
    inspect("pair.toml", TWO_BALLS, &["--fixed-base"]).assert_refused(&["--fixed-base", "*.urdf"]);
    percussion(&["inspect", "no-such"]).assert_refused(&["`no-such`", "four-balls"]);
    for option in ["--proximity=-1", "--proximity=nan", "--package=x"] {
        let name = option.split('=').next().unwrap();
        inspect_cart(CART, &[option]).assert_refused(&[name]);
    }
}
