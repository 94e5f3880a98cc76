//! Robots from URDF files.

use std::{fs, path::PathBuf};

use percussion_impact::newton::Newton;
use percussion_integrators::{
    event_driven::{Status, integrate},
    schemes::Name,
};
use percussion_mechanism::scenario::{Base, Orientation, Robot, Scenario};

use crate::{FINDING, impulse, run};

/// A trunk of 10 kg on two feet, one of which hangs on a knee that bends from 0 to 1 rad.
const ROBOT: &str = r#"<robot name="stool">
  <link name="trunk">
    <inertial><mass value="10"/><inertia ixx="0.4" iyy="0.4" izz="0.4" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision>
    <collision name="left"><origin xyz="0 0.3 -0.5"/><geometry><sphere radius="0.1"/></geometry></collision>
    <collision name="right"><origin xyz="0.3 -0.3 -0.5"/><geometry><sphere radius="0.1"/></geometry></collision>
    <collision name="rear"><origin xyz="-0.3 -0.3 -0.5"/><geometry><sphere radius="0.1"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial><origin xyz="0 0 0.2"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.2"/><geometry><capsule radius="0.05" length="0.3"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="trunk"/><child link="arm"/><origin xyz="0 0 0.1"/><axis xyz="1 0 0"/>
    <limit lower="-0.5" upper="1" effort="0" velocity="0"/>FRICTION
  </joint>
</robot>"#;

/// A separate folder with the robot in it.
fn robot(name: &str, friction: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("percussion-mechanisms-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("stool.urdf");
    fs::write(&file, ROBOT.replace("FRICTION", friction)).unwrap();
    file
}

fn standing(name: &str, friction: &str) -> Scenario {
    let robot = Robot::new(robot(name, friction));
    Scenario { duration: 0.5, ..Scenario::of_robot(robot, [0.0, 0.0, -9.81]).unwrap() }
}

/// The arm falls against its limit; at rest the feet carry `11 kg · 9.81 m/s²`.
#[test]
fn a_robot_at_rest_carries_its_weight() {
    for method in FINDING {
        let mut scenario = standing(&format!("rest-{method:?}"), "");
        scenario.duration = 2.0;
        scenario.integrator.step_size = 0.002;
        let trajectory = run(&scenario, method);
        let end = trajectory.end();
        // The start is lifted so that the feet touch: 0.6 m.
        assert!((trajectory.samples[0].coordinates[2] - 0.6).abs() < 1e-12);
        let total = impulse(&trajectory, "trunk/");
        let momentum = 11.0 * 9.81 * 2.0;
        assert!((total - momentum).abs() < 1e-2 * momentum, "{method:?} {total} {momentum}");
        let limit = trajectory.contact("shoulder (upper limit)").unwrap();
        assert!(end.gaps[limit] > -1e-4, "{method:?} {:?}", end.gaps);
        assert!(trajectory.contact_names.iter().any(|name| name == "trunk/left–floor"));
        assert!(trajectory.contact_names.iter().all(|name| !name.starts_with("trunk–arm")));
    }
}

#[test]
fn a_fixed_base_stays() {
    let file = robot("fixed", "");
    let robot = Robot { base: Some(Base::Fixed), ..Robot::new(file) };
    let scenario = Scenario::of_robot(robot, [0.0, 0.0, -9.81]).unwrap();
    let scenario = Scenario { duration: 0.2, ..scenario };
    let trajectory = run(&scenario, Name::MoreauJean);
    assert_eq!(trajectory.end().coordinates.len(), 1);
    assert_eq!(trajectory.contact_names, ["shoulder (lower limit)", "shoulder (upper limit)"]);
    let table = trajectory.table(&scenario.build().unwrap());
    let names: Vec<_> = table.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names[..3], ["time", "arm angle", "arm angular velocity"]);
    assert_eq!(table.columns[4].unit, "rad");
}

#[test]
fn friction_holds_a_joint_in_every_method_that_moves_robots() {
    let scenario = standing("friction", r#"<dynamics damping="0" friction="100"/>"#);
    assert_eq!(scenario.integrator.method, Name::MoreauJean);
    for method in [Name::StewartTrinkle, Name::ImpulseVelocity, Name::MoreauJean] {
        let trajectory = run(&scenario, method);
        assert!(trajectory.end().coordinates[7].abs() < 1e-6, "{:?}", trajectory.end());
    }
    let setup = scenario.build().unwrap();
    let law = percussion_impact::anitescu_potra::AnitescuPotra::default();
    let motion = setup.simulate_events(&law, &mut |_| ()).unwrap();
    assert_eq!(motion.report.status, Status::EndReached);
    assert!(motion.report.state.coordinates[7].abs() < 1e-6, "{:?}", motion.report.state);
    assert_eq!(setup.mechanism.friction_name(0), Some("shoulder"));
}

/// Changes that make a robot invalid.
type Change<'a> = &'a dyn Fn(&mut Robot);

#[test]
fn what_is_wrong_with_a_robot_is_named() {
    let scenario = standing("refusals", "");
    let refused = |change: &dyn Fn(&mut Robot)| {
        let mut scenario = scenario.clone();
        change(scenario.robot.as_mut().unwrap());
        scenario.build().unwrap_err().to_string()
    };
    let one = |value| percussion_mechanism::scenario::Numbers::One(value);
    let cases: [(Change<'_>, &str); 7] = [
        (&|robot| robot.urdf = "nowhere.urdf".into(), "robot `nowhere.urdf`: cannot read"),
        (&|robot| robot.urdf = "/".into(), "`robot.urdf` is"),
        (
            &|robot| drop(robot.joints.insert("knee".into(), one(0.0))),
            "names `knee`, expected one of shoulder",
        ),
        (
            &|robot| drop(robot.joints.insert("shoulder".into(), one(1.5))),
            "`robot.joints.shoulder` is 1.5, expected a number from -0.5 to 1",
        ),
        (
            &|robot| drop(robot.joints.insert("shoulder".into(), one(f64::NAN))),
            "`robot.joints.shoulder` is NaN",
        ),
        (&|robot| robot.position = Some(vec![0.0]), "`robot.position` has 1 entries"),
        (&|robot| robot.friction = Some(-1.0), "`robot.friction` is -1.0"),
    ];
    for (change, expected) in cases {
        let error = refused(change);
        assert!(error.contains(expected), "{error}\n  expected: {expected}");
    }
    let mut flat = scenario.clone();
    flat.planes.clear();
    assert!(flat.build().unwrap_err().to_string().contains("`robot.on_floor` is true"));
}

/// A joint that cannot be at zero starts at the nearer limit.
#[test]
fn joints_start_within_their_limits() {
    let file = robot("limits", "");
    let text = fs::read_to_string(&file).unwrap().replace("lower=\"-0.5\"", "lower=\"0.25\"");
    fs::write(&file, text).unwrap();
    let scenario = Scenario::of_robot(Robot::new(file), [0.0, 0.0, -9.81]).unwrap();
    let setup = scenario.build().unwrap();
    assert_eq!(setup.mechanism.state.coordinates.last(), Some(&0.25));
}

/// Two sliders of 1 kg on one rail, `q_b = 0.3 − 2 q_a`: `(1 + 4) a = (2 − 1) g`, so the leader rises with `g/5`.
#[test]
fn a_joint_follows_another_one_along_a_motion() {
    let slider = |name: &str, mimic: &str| {
        format!(
            r#"<link name="{name}"><inertial><mass value="1"/>
                 <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
               <joint name="{name}" type="prismatic"><parent link="world"/><child link="{name}"/><axis xyz="0 0 1"/>
                 <limit lower="-9" upper="9"/>{mimic}</joint>"#
        )
    };
    let mimic = r#"<mimic joint="a" multiplier="-2" offset="0.3"/>"#;
    let text = format!(
        r#"<robot name="rail"><link name="world"/>{}{}</robot>"#,
        slider("a", ""),
        slider("b", mimic)
    );
    let file = robot("mimic", "");
    fs::write(&file, text).unwrap();
    for method in FINDING {
        let mut scenario = Scenario::of_robot(Robot::new(&file), [0.0, 0.0, -9.81]).unwrap();
        scenario.duration = 0.1;
        let trajectory = run(&scenario, method);
        let tied = |q: &[f64]| (q[1] - 0.3 + 2.0 * q[0]).abs();
        let worst =
            trajectory.samples.iter().map(|sample| tied(&sample.coordinates)).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{method:?} {worst}");
        let end = trajectory.end();
        assert!((end.velocity[0] - 9.81 / 5.0 * 0.1).abs() < 1e-9, "{method:?} {end:?}");
        assert!((end.velocity[1] + 2.0 * end.velocity[0]).abs() < 1e-12, "{method:?} {end:?}");
        // Only its leader moves it.
        let robot = scenario.robot.as_mut().unwrap();
        robot.joints.insert("b".into(), percussion_mechanism::scenario::Numbers::One(0.0));
        let error = scenario.build().map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("`robot.joints.b`") && error.contains("follows"), "{error}");
    }
}

/// A trunk with four legs, whose knees are at a limit at the start and have dry friction. In free fall nothing but rounding moves them,
/// and they carry nothing: `z = −g t²/2`.
#[test]
fn joints_at_their_limits_fall_freely() {
    let inertia = |mass: f64, z: f64, size: f64| {
        format!(
            r#"<inertial><origin xyz="0.01 0.003 {z}" rpy="0.3 0.2 0.1"/><mass value="{mass}"/>
               <inertia ixx="{size}" iyy="{}" izz="{}" ixy="0" ixz="0" iyz="0"/></inertial>"#,
            1.1 * size,
            1.2 * size
        )
    };
    let mut text = format!("<robot name='r'><link name='trunk'>{}</link>", inertia(5.2, 0.0, 0.07));
    for (side, x, y) in
        [("fl", 0.19, 0.13), ("fr", 0.19, -0.13), ("rl", -0.19, 0.13), ("rr", -0.19, -0.13)]
    {
        let (thigh, shank) = (inertia(0.92, -0.11, 0.005), inertia(0.136, -0.13, 0.003));
        text += &format!(
            r#"<link name="{side}thigh">{thigh}</link><link name="{side}shank">{shank}</link>
               <joint name="{side}hip" type="revolute"><parent link="trunk"/><child link="{side}thigh"/>
                 <origin xyz="{x} {y} 0"/><axis xyz="1 0 0"/><dynamics friction="0.2" damping="0.01"/>
                 <limit lower="-0.9" upper="0.9" effort="9" velocity="9"/></joint>
               <joint name="{side}knee" type="revolute"><parent link="{side}thigh"/><child link="{side}shank"/>
                 <origin xyz="0 {y} -0.213"/><axis xyz="0 1 0"/><dynamics friction="0.2" damping="0.01"/>
                 <limit lower="-2.8" upper="-0.888" effort="9" velocity="9"/></joint>"#
        );
    }
    let robot = Robot { text: Some(text + "</robot>"), ..Robot::new("legs.urdf") };
    let mut scenario = Scenario::of_robot_in(robot, None).unwrap();
    (scenario.duration, scenario.integrator.step_size) = (0.5, 0.005);
    let fallen = -0.5 * 9.81 * 0.25;
    for method in FINDING {
        let trajectory = run(&scenario, method);
        let (start, end) = (&trajectory.samples[0], trajectory.end());
        let fall = end.coordinates[2] - start.coordinates[2];
        // The schemes differ in where within a step they take the velocity.
        assert!((fall - fallen).abs() < 0.5 * 9.81 * 0.5 * 0.0051, "{method:?} {fall}");
        for k in 7..end.coordinates.len() {
            let turn = end.coordinates[k] - start.coordinates[k];
            assert!(turn.abs() < 1e-9, "{method:?} {k}: {turn}");
        }
    }
    for turn in 0..10 {
        let axis = [0.3, 1.0 - 0.2 * f64::from(turn), 0.5];
        let orientation = Orientation::AxisAngle { axis, angle: 0.1 * f64::from(turn) };
        scenario.robot.as_mut().unwrap().orientation = Some(orientation);
        let setup = scenario.build().unwrap();
        let (model, start) = (&setup.mechanism.model, &setup.mechanism.state);
        let settings = scenario.event_driven_settings();
        let report =
            integrate(model, &Newton::default(), &settings, start, 0.5, &mut |_| ()).unwrap();
        let counters = report.counters;
        let end = (report.status, counters.impacts, counters.implicit_steps);
        assert_eq!(end, (Status::EndReached, 0, 0), "{turn}");
        let fall = report.state.coordinates[2] - start.coordinates[2];
        assert!((fall - fallen).abs() < 1e-9, "{turn}: {fall}");
    }
}
