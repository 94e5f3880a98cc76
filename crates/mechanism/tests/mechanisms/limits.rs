//! Limits of ball joints and of tendons in motion.

use percussion_integrators::schemes::Name;
use percussion_mechanism::{
    scenario::{Robot, Scenario},
    trajectory::Trajectory,
};

use crate::run;

const METHODS: [Name; 3] = [Name::ImpulseVelocity, Name::MoreauJean, Name::StewartTrinkle];

fn scenario(text: &str) -> Scenario {
    let robot = Robot { text: Some(text.to_owned()), ..Robot::new("limits.xml") };
    let mut scenario = Scenario::of_robot_in(robot, None).unwrap();
    (scenario.duration, scenario.integrator.step_size) = (2.0, 0.002);
    scenario
}

/// The impulse of the contact `name` in the last step, per time.
fn force(run: &Trajectory, name: &str) -> f64 {
    let last = run.reports.last().unwrap();
    let number = run.contact_names.iter().position(|known| known == name).unwrap();
    let own = last.contacts.iter().filter(|contact| contact.contact == number);
    own.map(|contact| contact.impulse.x).sum::<f64>() / run.step_size
}

/// A head tips over until its neck carries it: the torque is that of its weight, `m g r sin φ`.
#[test]
fn a_head_is_held_by_the_limit_of_its_neck() {
    let scenario = scenario(
        r#"<mujoco><compiler angle="radian"/><worldbody><body name="head" pos="0 0 1">
             <joint type="ball" name="neck" range="0 0.5"/><geom size="0.05" pos="0.1 0 0.4" mass="2"/>
           </body></worldbody></mujoco>"#,
    );
    for method in METHODS {
        let trajectory = run(&scenario, method);
        let end = trajectory.end();
        let [w, x, y, z] = [0, 1, 2, 3].map(|k| end.coordinates[k]);
        let angle = 2.0 * y.hypot(x).hypot(z).atan2(w.abs());
        // It stops where the step ends in which it meets the limit.
        assert!((angle - 0.5).abs() < 0.02, "{method:?} {angle}");
        let arm = 2.0 * 9.81 * 0.1_f64.hypot(0.4) * (0.25_f64.atan() + angle).sin();
        let torque = force(&trajectory, "neck (limit)");
        assert!((torque - arm).abs() < 1e-4 * arm, "{method:?} {torque} {arm}");
    }
}

/// A weight on a slide hangs on a tendon, which takes `m g / c` for the factor `c`.
#[test]
fn a_tendon_ends_at_its_range() {
    let scenario = scenario(
        r#"<mujoco><worldbody><body name="a"><joint name="a" type="slide" axis="0 0 -1"/><geom size=".1" mass="3"/></body>
           </worldbody><tendon><fixed name="rope" range="-1 0.4"><joint joint="a" coef="2"/></fixed></tendon></mujoco>"#,
    );
    for method in METHODS {
        let trajectory = run(&scenario, method);
        let fallen = trajectory.end().coordinates[0];
        assert!((fallen - 0.2).abs() < 0.006, "{method:?} {fallen}");
        let pull = force(&trajectory, "rope (upper limit)");
        assert!((pull - 3.0 * 9.81 / 2.0).abs() < 1e-4, "{method:?} {pull}");
    }
}
