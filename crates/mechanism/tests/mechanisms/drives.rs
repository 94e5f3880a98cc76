//! Robots on their drives.

#![expect(clippy::float_cmp, reason = "exact values")]

use std::{fs, path::PathBuf};

use percussion_integrators::{Residual, schemes::Name};
use percussion_mechanism::{
    Error,
    scenario::{Base, Drive, Numbers, Plane, Robot, Scenario},
};

use crate::run;

const WEIGHT: f64 = 9.81;

fn fixture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "fixtures", "robots", name].iter().collect()
}

/// An arm of 2 kg, 0.5 m from a pin about y, whose motor has at most 12 N·m, in a folder of its own.
fn arm(name: &str, actuators: &str) -> PathBuf {
    let folder =
        std::env::temp_dir().join(format!("percussion-drives-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let text = format!(
        "<mujoco model='arm'><compiler angle='radian'/><worldbody><body name='arm'>
         <joint name='pin' axis='0 1 0' ref='0.3' actuatorfrcrange='-12 12'/>
         <inertial pos='0.5 0 0' mass='2' diaginertia='0.01 0.01 0.01'/></body></worldbody>
         <actuator>{actuators}</actuator>
         <keyframe><key name='up' qpos='0.1' ctrl='3'/></keyframe></mujoco>"
    );
    let file = folder.join("arm.xml");
    fs::write(&file, text).unwrap();
    file
}

fn scenario(file: PathBuf, drive: Drive) -> Scenario {
    let robot = Robot { drive, ..Robot::new(file) };
    let mut scenario = Scenario::of_robot_in(robot, None).unwrap();
    scenario.integrator.step_size = 0.002;
    scenario
}

/// Where the arm comes to rest (rad below the horizontal, in the coordinate of the file, which is 0.3 there).
fn rest(mut scenario: Scenario, method: Name) -> f64 {
    scenario.duration = 4.0;
    let trajectory = run(&scenario, method);
    let end = trajectory.end();
    assert!(end.velocity[0].abs() < 1e-8, "{method:?} {:?}", end.velocity);
    end.coordinates[0] + 0.3
}

/// Gravity turns the arm by `m g l cos φ` about y; the servo has `kp (u − q)`.
fn balance(q: f64, stiffness: f64, target: f64) -> f64 {
    2.0 * WEIGHT * 0.5 * (q - 0.3).cos() - stiffness * (q - target)
}

#[test]
fn a_servo_of_the_file_holds_the_start_with_its_gains() {
    let file = arm("servo", "<position joint='pin' kp='200' kv='20'/>");
    for method in [Name::MoreauJean, Name::ImpulseVelocity, Name::StewartTrinkle] {
        let mut scenario = scenario(file.clone(), Drive::Hold);
        scenario.robot.as_mut().unwrap().joints.insert("pin".into(), Numbers::One(0.4));
        let q = rest(scenario, method);
        assert!(balance(q, 200.0, 0.4).abs() < 1e-5, "{method:?} {q}");
    }
}

#[test]
fn a_motor_is_held_by_a_servo_of_its_largest_torque() {
    // 9.81 N·m are less than 12 and more than 5 · 1.5 N·m.
    let strong = scenario(arm("strong", "<motor joint='pin' gear='5'/>"), Drive::Hold);
    let mechanism = strong.mechanism().unwrap();
    let [servo] = mechanism.model.actuators() else { panic!("one servo") };
    let inertia = 2.0 * 0.25 + 0.01;
    let omega = std::f64::consts::TAU * 10.0;
    assert!((servo.gain - inertia * omega * omega).abs() < 1e-9, "{servo:?}");
    assert!((servo.bias[2] + 2.0 * inertia * omega).abs() < 1e-9, "{servo:?}");
    assert_eq!(servo.force_range, [-12.0, 12.0]);
    let (name, number) = (&mechanism.actuators[1].name, mechanism.actuators[1].number);
    assert_eq!((name.as_str(), number, mechanism.actuators[0].number), ("pin", Some(0), None));
    let q = rest(strong, Name::MoreauJean);
    assert!(balance(q, servo.gain, 0.3).abs() < 1e-6, "{q}");

    let motor = "<motor joint='pin' gear='5' ctrlrange='-1.5 1.5'/>";
    let mut weak = scenario(arm("weak", motor), Drive::Hold);
    weak.duration = 0.1;
    let trajectory = run(&weak, Name::ImpulseVelocity);
    // The arm falls by what 9.81 N·m are more than 7.5, once the servo yields that far.
    let [.., before, after] = &trajectory.samples[..] else { panic!("two samples") };
    let acceleration = (after.velocity[0] - before.velocity[0]) / 0.002;
    let expected = (9.81 * before.coordinates[0].cos() - 7.5) / inertia;
    assert!((acceleration - expected).abs() < 1e-9, "{acceleration} {expected}");
}

#[test]
fn controls_of_the_keyframe_act_and_may_be_set() {
    let file = arm("controls", "<motor name='torque' joint='pin' gear='2'/>");
    let mut driven = scenario(file, Drive::Controls);
    driven.robot.as_mut().unwrap().keyframe = Some("up".into());
    let setup = driven.build().unwrap();
    let mechanism = &setup.mechanism;
    assert_eq!(mechanism.actuators[0].number, Some(0));
    let controls = mechanism.model.controls().unwrap();
    let mut motion =
        driven.stepping().begin(mechanism.model.clone(), mechanism.state.clone()).unwrap();
    motion.step().unwrap();
    let inertia = 0.51;
    // From −0.2 rad: the weight turns by 9.81 cos 0.2, the motor with 2 · 3.
    let expected = 0.002 * (9.81 * 0.2_f64.cos() + 6.0) / inertia;
    assert!((motion.state().velocity[0] - expected).abs() < 1e-5, "{:?}", motion.state());
    controls.set(0, -100.0).unwrap();
    motion.step().unwrap();
    // No more than 12 N·m.
    let expected = expected + 0.002 * (9.81 * 0.2_f64.cos() - 12.0) / inertia;
    assert!((motion.state().velocity[0] - expected).abs() < 1e-4, "{:?}", motion.state());
}

#[test]
fn targets_beyond_the_limits_of_a_joint_are_warned_of() {
    let urdf = arm("beyond", "").with_file_name("arm.urdf");
    let targets = urdf.with_file_name("beyond.csv");
    let link = "<inertial><origin xyz='0.5 0 0'/><mass value='2'/>\
        <inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial>";
    let text = format!(
        "<robot name='arm'><link name='world'/><link name='arm'>{link}</link><joint name='pin' type='revolute'>\
         <parent link='world'/><child link='arm'/><axis xyz='0 1 0'/><limit lower='-1' upper='0.5' effort='12'/></joint></robot>"
    );
    fs::write(&urdf, text).unwrap();
    let warnings = |text: &str| {
        fs::write(&targets, text).unwrap();
        let built = scenario(urdf.clone(), Drive::Targets(targets.clone())).build().unwrap();
        built.mechanism.warnings
    };
    assert_eq!(warnings("time,pin\n0,0\n1,0.5\n"), [""; 0]);
    let [warning] = &warnings("time,pin\n0,0\n1,0.7\n2,0.9\n")[..] else { panic!("one warning") };
    let expected =
        "the target of joint `pin` at 1 s is 0.7, expected one within its limits [-1, 0.5]";
    assert!(warning.ends_with(expected), "{warning}");
}

#[test]
fn a_file_has_targets_forces_and_controls_over_time() {
    let arm = arm("targets", "<position name='servo' joint='pin' kp='200' kv='20'/>");
    let targets = arm.with_file_name("targets.csv");
    let drive = || Drive::Targets(targets.clone());
    fs::write(&targets, "time (s), pin (rad)\n0, 0.3\n1, 0.5\n").unwrap();
    let q = rest(scenario(arm.clone(), drive()), Name::MoreauJean);
    assert!(balance(q, 200.0, 0.5).abs() < 1e-5, "{q}");
    fs::write(&targets, "time,servo:control\n0,0.6\n").unwrap();
    let q = rest(scenario(arm.clone(), drive()), Name::MoreauJean);
    assert!(balance(q, 200.0, 0.6).abs() < 1e-5, "{q}");
    fs::write(&targets, "time,pin:force (N·m)\n0,-9.81\n").unwrap();
    let q = rest(scenario(arm.clone(), drive()), Name::MoreauJean);
    assert!((q - 0.3).abs() < 1e-12, "{q}");
    for (text, part) in [
        ("", "`time` and then"),
        ("time\n0\n", "`time` and then"),
        ("seconds,pin\n0,1\n", "`time` and then"),
        ("time,pin,pin\n0,1,1\n", "every column once"),
        ("time,pin\n", "a line of numbers"),
        ("time,pin\n0,one\n", "line 2"),
        ("time,pin\n0,inf\n", "line 2"),
        ("time,pin\n0,1,2\n", "line 2"),
        ("time,pin\n1,0\n1,0\n", "line 3"),
        ("time,elbow\n0,1\n", "pin"),
        ("time,pin:control\n0,1\n", "servo"),
    ] {
        fs::write(&targets, text).unwrap();
        let error = scenario(arm.clone(), drive()).build().unwrap_err().to_string();
        assert!(error.contains(part), "{text:?}: {error}");
    }
    fs::remove_file(&targets).unwrap();
    assert!(matches!(scenario(arm, drive()).build(), Err(Error::Read { .. })));
}

/// The joints of a URDF have no actuators: all are held, with `effort` as the limit of their force.
#[test]
fn joints_of_a_description_without_actuators_are_all_held() {
    let file = fixture("quadruped.urdf");
    let robot = Robot { drive: Drive::Hold, base: Some(Base::Fixed), ..Robot::new(file) };
    let mechanism = Scenario::of_robot(robot, [0.0, 0.0, -WEIGHT]).unwrap().mechanism().unwrap();
    assert_eq!(mechanism.model.actuators().len(), 12);
    for servo in mechanism.model.actuators() {
        assert_eq!(servo.force_range, [-30.0, 30.0]);
    }
}

/// The quadruped on its servos: solved to 1e-10 m/s in every step, and after a second no material point that touches moves
/// by more than 1e-9 m/s; the feet carry the weight.
#[test]
fn a_quadruped_stands_without_creep() {
    let gravity = vec![0.0, 0.0, -WEIGHT];
    for method in [Name::ImpulseVelocity, Name::MoreauJean] {
        let mut scenario = scenario(fixture("standing_quadruped.xml"), Drive::Hold);
        let robot = scenario.robot.as_mut().unwrap();
        (robot.keyframe, robot.on_floor) = (Some("home".into()), true);
        let (point, normal) = (vec![0.0; 3], vec![0.0, 0.0, 1.0]);
        scenario.planes.push(Plane { name: "floor".into(), point, normal, tangent: None });
        (scenario.duration, scenario.gravity) = (3.0, gravity.clone());
        let trajectory = run(&scenario, method);
        let (mut residual, mut speed, mut impulse) = (0.0_f64, 0.0_f64, 0.0);
        for step in &trajectory.reports {
            impulse = 0.0;
            for contact in &step.contacts {
                let Residual::Velocity(own) = contact.residual else { panic!("{contact:?}") };
                residual = residual.max(own);
                impulse += contact.impulse.x;
                if step.time > 1.0 && contact.impulse.x > 0.0 {
                    speed = speed.max(contact.velocity.norm());
                }
            }
        }
        let mass = 10.0 + 4.0 * (0.8 + 0.3 + 0.05);
        let force = impulse / 0.002;
        assert!((force - mass * WEIGHT).abs() < 1e-6 * mass * WEIGHT, "{method:?} {force} N");
        assert!(residual <= 1e-10, "{method:?} {residual:e} m/s");
        assert!(speed <= 1e-9, "{method:?} {speed:e} m/s");
        // The servos yield by less than a tenth of the height.
        let height = trajectory.end().coordinates[2];
        assert!(height > 0.29 && height < 0.326, "{method:?} {height} m");
    }
}

/// A damper that would take thirty times the velocity in an explicit step takes `h d / (m l² + I + h d)` of it, by every
/// scheme; before, such steps were not finite or turned back.
#[test]
fn a_stiff_damper_stops_its_joint() {
    let file = arm("damper", "<motor joint='pin'/>");
    let text = fs::read_to_string(&file).unwrap().replace("ref='0.3'", "ref='0.3' damping='8000'");
    fs::write(&file, text).unwrap();
    for method in [Name::MoreauJean, Name::ImpulseVelocity, Name::StewartTrinkle] {
        let mut scenario = scenario(file.clone(), Drive::Limp);
        (scenario.gravity, scenario.duration) = (vec![0.0; 3], 0.002);
        let robot = scenario.robot.as_mut().unwrap();
        robot.velocities.insert("pin".into(), Numbers::One(2.0));
        let trajectory = run(&scenario, method);
        let (inertia, damped) = (0.51, 0.002 * 8000.0);
        let expected = 2.0 * inertia / (inertia + damped);
        let found = trajectory.end().velocity[0];
        assert!((found - expected).abs() < 1e-9, "{method:?} {found} {expected}");
    }
}
