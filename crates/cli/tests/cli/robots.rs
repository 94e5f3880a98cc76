//! Robots from URDF and MJCF: the options that `run`, `inspect`, `impact` and `compare` share.

use crate::common::{Finished, percussion, written};

/// A block of 2 kg on four feet, with an arm of 1 kg that turns about `y`.
const ROBOT: &str = r#"<robot name="block">
  <link name="trunk">
    <inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision>
    <visual/>
  </link>
  <link name="arm">
    <inertial><origin xyz="0 0 0.1"/><mass value="1"/>
      <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual/>
  </link>
  <joint name="swing" type="revolute"><origin xyz="0 0 0.1"/><parent link="trunk"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2"/></joint>
</robot>"#;

/// The same block, free at 0.1 m above its own floor, in MJCF.
const MODEL: &str = r#"<mujoco model="block"><compiler angle="radian"/><worldbody>
  <geom name="floor" type="plane" size="1 1 1" friction="0.5"/>
  <body name="trunk" pos="0 0 0.1"><freejoint name="root"/><geom type="box" size="0.2 0.2 0.1" mass="2"/>
    <body name="arm" pos="0 0 0.1"><joint name="swing" axis="0 1 0" range="-1 2"/>
      <geom type="sphere" size="0.05" pos="0 0 0.1" mass="1" contype="0" conaffinity="0"/></body></body></worldbody>
  <keyframe><key name="down" qpos="0 0 0.1 1 0 0 0 1.5" qvel="0 0 -1 0 0 0 0"/></keyframe></mujoco>"#;

fn robot(name: &str, text: &str, command: &[&str]) -> Finished {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), name, text);
    percussion(&[&command[..1], &[file.as_str()], &command[1..]].concat())
}

/// 3 kg arrive with `√(2 g h)` and stop: `3 · √(2 · 9.81 · 0.2) = 5.943 N·s`.
#[test]
fn a_robot_that_fell_strikes_the_floor() {
    let finished =
        robot("block.urdf", ROBOT, &["impact", "--law", "poisson", "--height", "0.2", "--json"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let document = finished.json();
    let normals =
        document["impulses"].as_array().unwrap().iter().map(|i| i["normal"].as_f64().unwrap());
    let total: f64 = normals.sum();
    assert!((total - 3.0 * (2.0 * 9.81 * 0.2_f64).sqrt()).abs() < 1e-9, "{total}");
    let all = robot(
        "block.urdf",
        ROBOT,
        &["compare", "--laws", "newton,poisson", "--velocity", "0,0,-1"],
    );
    assert_eq!(all.code, Some(0), "{all:?}");
    // ½ · 3 kg · (1 m/s)² are lost with both laws.
    assert_eq!(all.stdout.matches("−1.5").count(), 2, "{}", all.stdout);
}

/// At the posture the arm hangs over the edge; it is above the ground by the given height.
#[test]
fn postures_and_heights_are_taken() {
    let options =
        ["inspect", "--posture", "swing=1.5", "--ground", "0.5", "--height", "0", "--json"];
    let document = robot("block.urdf", ROBOT, &options).json();
    let features = document["touching"]["features"].as_array().unwrap();
    assert_eq!(features.len(), 4, "{document}");
    assert!(features.iter().all(|feature| feature["gap"].as_f64().unwrap().abs() < 1e-12));
    // Two pictures give one warning.
    assert_eq!(document["warnings"][0].as_str().unwrap().matches("and 1 more").count(), 1);
    let high =
        robot("block.urdf", ROBOT, &["inspect", "--ground", "0", "--height", "0.3", "--json"]);
    assert_eq!(high.json()["touching"]["features"], serde_json::json!([]));
    let fall = ["run", "--height", "0.3", "--duration", "0.2", "--json"];
    let end = &robot("block.urdf", ROBOT, &fall).json()["end"];
    // ½ g t² = 0.1962 m of the 0.3 m.
    let z = end["coordinates"][2].as_f64().unwrap();
    assert!((z - (0.4 - 0.1962)).abs() < 2e-3, "{end}");
}

/// Limp, the arm falls; held, it stays up to what its servo yields.
#[test]
fn a_drive_holds_the_posture() {
    let turned = |drive: &str| {
        let options = ["run", "--fixed-base", "--posture", "swing=0.5", "--drive", drive];
        let document = robot("block.urdf", ROBOT, &[&options[..], &["--json"]].concat()).json();
        (document["end"]["coordinates"][0].as_f64().unwrap() - 0.5).abs()
    };
    assert!(turned("limp") > 0.1 && turned("hold") < 0.01, "{} {}", turned("limp"), turned("hold"));
    let described = robot("block.urdf", ROBOT, &["run", "--duration", "0.01"]).stdout;
    assert!(described.contains("floats") && described.contains("`--drive limp`"), "{described}");
    let fixed = ["run", "--duration", "0.01", "--fixed-base", "--drive", "hold", "--json"];
    let state = &robot("block.urdf", ROBOT, &fixed).json()["robot"];
    assert_eq!(*state, serde_json::json!({"base": "fixed", "drive": "hold"}));
    for posture in ["swing", "hip=0.4", "swing=1:2"] {
        robot("block.urdf", ROBOT, &["run", "--posture", posture]).assert_refused(&["`--posture`"]);
    }
    robot("block.urdf", ROBOT, &["run", "--drive", "firmly"]).assert_refused(&["limp, hold"]);
    robot("block.urdf", ROBOT, &["run", "--drive", "none.csv"]).assert_refused(&["none.csv"]);
    percussion(&["run", "event-driven/bouncing-ball", "--drive", "hold"])
        .assert_refused(&["`--drive` is for robots"]);
}

#[test]
fn what_is_wrong_with_a_posture_is_named() {
    for (options, expected) in [
        (&["--posture", "swing=3"][..], "`robot.joints.swing` is 3.0"),
        (&["--posture", "elbow=1"], "expected one of swing"),
        (&["--posture", "home"], "the file has no keyframes"),
        (&["--posture", "swing=x"], "keyframe"),
        (&["--height", "-1"], "at least 0"),
        (&["--fixed-base", "--velocity", "0,0,1"], "base that is fixed"),
    ] {
        let finished = robot("block.urdf", ROBOT, &[&["run"], options].concat());
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(finished.stderr.contains(expected), "{}\n  expected: {expected}", finished.stderr);
    }
    percussion(&["run", "rocking-block", "--posture", "a=1"])
        .assert_refused(&["--posture", "*.urdf"]);
    percussion(&["impact", "rocking-block", "--law", "newton", "--fixed-base"])
        .assert_refused(&["--fixed-base"]);
}

/// The world of the file with its floor, and the keyframe with its velocity.
#[test]
fn a_model_of_mujoco_runs_and_strikes() {
    let run = robot("block.xml", MODEL, &["run", "--duration", "0.05", "--json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let document = run.json();
    assert!((document["end"]["coordinates"][2].as_f64().unwrap() - 0.1).abs() < 1e-6, "{document}");
    let impact =
        robot("block.xml", MODEL, &["impact", "--law", "newton", "--posture", "down", "--json"]);
    assert_eq!(impact.code, Some(0), "{impact:?}");
    let velocity = &impact.json()["velocity"];
    assert!(velocity[2].as_f64().unwrap().abs() < 1e-9, "{velocity}");
    let inspected = robot("block.xml", MODEL, &["inspect", "--json"]).json();
    assert_eq!(inspected["degrees_of_freedom"], 7);
    assert_eq!(inspected["touching"]["features"][0]["friction"], 1.0);
    assert_eq!(inspected["joints"][1]["name"], "swing");
    robot("block.xml", MODEL, &["run", "--posture", "up"]).assert_refused(&["`up`", "one of down"]);
    robot("block.xml", MODEL, &["inspect", "--fixed-base"]).assert_refused(&["--fixed-base"]);
    robot("block.xml", MODEL, &["run", "--height", "0.3"])
        .assert_refused(&["--height", "--ground"]);
    let above = ["inspect", "--ground", "-1", "--height", "0", "--json"];
    let features = robot("block.xml", MODEL, &above).json()["touching"]["features"].clone();
    // The box sinks through the floor of the file to the requested one.
    assert!(features.to_string().contains("trunk–floor"), "{features}");
}

#[test]
fn a_start_in_the_floor_names_the_option_that_helps() {
    let deep = "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.05'><freejoint/>\
                <geom type='box' size='0.1 0.1 0.1'/></body></worldbody></mujoco>";
    for scheme in ["moreau-jean", "event-driven"] {
        let run = robot("deep.xml", deep, &["run", "--duration", "0.01", "--integrator", scheme]);
        run.assert_refused(&["deep.xml", "m deep", "(`--posture`)"]);
    }
}

#[test]
fn every_command_reads_the_robot_and_builds_its_mechanism_once() {
    for command in [
        &["run", "--duration", "0.01"][..],
        &["inspect"],
        &["impact", "--law", "poisson"],
        &["compare", "--laws", "newton,poisson"],
    ] {
        for (name, text) in [("block.urdf", ROBOT), ("block.xml", MODEL)] {
            let finished = robot(name, text, &[command, &["-vv"]].concat());
            assert_eq!(finished.code, Some(0), "{finished:?}");
            for event in ["read a robot", "built a mechanism"] {
                assert_eq!(
                    finished.stderr.matches(event).count(),
                    1,
                    "{command:?} {}",
                    finished.stderr
                );
            }
        }
    }
}

/// The path of the robot is relative to the scenario, wherever the command is called.
#[test]
fn a_scenario_with_a_robot_is_an_impact() {
    let folder = tempfile::tempdir().unwrap();
    written(folder.path(), "block.urdf", ROBOT);
    let text = r#"
        name = "landing"
        title = "A block lands"
        source = "a test"
        dimension = "space"
        gravity = [0.0, 0.0, -9.81]
        duration = 0.1
        friction = 0.5

        [robot]
        urdf = "block.urdf"
        velocity = [0.0, 0.0, -2.0]
        on_floor = true

        [[planes]]
        name = "floor"
        point = [0.0, 0.0, 0.0]
        normal = [0.0, 0.0, 1.0]

        [integrator]
        method = "moreau-jean"
        step_size = 0.001
    "#;
    let file = written(folder.path(), "landing.toml", text);
    let finished = percussion(&["impact", &file, "--law", "newton", "--json"]);
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let document = finished.json();
    let total: f64 = document["impulses"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| i["normal"].as_f64().unwrap())
        .sum();
    assert!((total - 6.0).abs() < 1e-9, "{document}");
}
