//! The laws of actuators as the manual of MuJoCo states them, on a slider of 2 kg and a hinge.

#![expect(clippy::float_cmp, reason = "exact values")]

use percussion_integrators::Actuator;

use crate::mjcf::{Error, Imported, Settings, equality::Tied, read_str};

fn model(defaults: &str, tendons: &str, actuators: &str) -> Result<Imported, Error> {
    let text = format!(
        "<mujoco><compiler angle='radian'/><default>{defaults}</default><worldbody>
         <body><joint name='slide' type='slide' axis='1 0 0' range='-1 3' actuatorfrcrange='-50 40'/>
           <inertial pos='0 0 0' mass='2' diaginertia='1 1 1'/></body>
         <body><joint name='pin' axis='0 1 0' ref='0.5'/>
           <inertial pos='0 0 0' mass='1' diaginertia='0.25 0.25 0.25'/></body>
         <body><joint name='ball' type='ball'/>
           <inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body>
         </worldbody>{tendons}<actuator>{actuators}</actuator></mujoco>"
    );
    read_str(&text, &Settings::default())
}

fn law(actuator: &str) -> Actuator {
    let model = model("", "", actuator).unwrap();
    assert_eq!(model.actuators.len(), 1);
    model.actuators[0].law.clone().unwrap()
}

/// The force of the actuator at the slider at 0.2 m with 3 m/s, and the hinge at 0.5 + 0.1 rad with −2 rad/s.
fn force(law: &Actuator, control: f64) -> f64 {
    let (q, v) = ([0.2, 0.1, 1.0, 0.0, 0.0, 0.0], [3.0, -2.0, 0.0, 0.0, 0.0]);
    law.force(&q, &v, 0.0, Some(control))
}

#[test]
fn laws_are_affine() {
    let at = |actuator: &str, control| force(&law(actuator), control);
    let close = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    };
    close(at("<motor joint='pin'/>", 1.5), 1.5);
    close(at("<position joint='pin' kp='7' kv='2'/>", 1.5), 7.0 * (1.5 - 0.6) + 2.0 * 2.0);
    close(at("<position joint='pin'/>", 1.5), 1.5 - 0.6);
    close(at("<velocity joint='pin' kv='3'/>", 1.5), 3.0 * (1.5 + 2.0));
    let general = "<general joint='pin' gainprm='2' biastype='affine' biasprm='1 -3 -4'/>";
    close(at(general, 1.5), 2.0 * 1.5 + 1.0 - 3.0 * 0.6 + 4.0 * 2.0);
    close(at("<general joint='pin' gainprm='2' biasprm='1 -3 -4'/>", 1.5), 3.0);
    // With a gear of 5 the length is 5 · 0.6 rad.
    close(at("<position joint='pin' gear='5' kp='7'/>", 1.5), 7.0 * (1.5 - 3.0));
    assert_eq!(law("<position joint='pin' gear='5'/>").joints[0].gear, 5.0);
    // 2 ζ √(kp M/γ²) with M = 2 kg.
    let damped = law("<position joint='slide' kp='9' gear='2' dampratio='0.5'/>");
    close(-damped.bias[2], (9.0_f64 * 2.0 / 4.0).sqrt());
}

#[test]
fn ranges_are_those_of_the_actuator_and_of_its_joint() {
    let limits = |actuator: &str| (law(actuator).control_range, law(actuator).force_range);
    let free = [f64::NEG_INFINITY, f64::INFINITY];
    assert_eq!(limits("<motor joint='pin'/>"), (free, free));
    assert_eq!(limits("<motor joint='pin' ctrlrange='-1 2' forcerange='-3 4'/>").0, [-1.0, 2.0]);
    assert_eq!(limits("<motor joint='pin' ctrlrange='-1 2' forcerange='-3 4'/>").1, [-3.0, 4.0]);
    let off = "<motor joint='pin' ctrlrange='-1 2' ctrllimited='false'/>";
    assert_eq!(limits(off).0, free);
    assert_eq!(limits("<motor joint='slide'/>").1, [-50.0, 40.0]);
    assert_eq!(limits("<motor joint='slide' gear='-10'/>").1, [-4.0, 5.0]);
    assert_eq!(limits("<motor joint='slide' forcerange='-60 3'/>").1, [-50.0, 3.0]);
    // Half of the range of −1 to 3 m, about its middle.
    let inherits = "<position joint='slide' inheritrange='0.5'/>";
    assert_eq!(limits(inherits).0, [0.0, 2.0]);
    for wrong in [
        "<motor joint='pin' ctrlrange='2 1'/>",
        "<motor joint='pin' forcerange='1'/>",
        "<motor joint='slide' forcerange='60 70'/>",
        "<motor joint='pan'/>",
        "<position joint='pin' kp='-1'/>",
        "<motor name='a' joint='pin'/><motor name='a' joint='pin'/>",
    ] {
        assert!(model("", "", wrong).is_err(), "{wrong}");
    }
}

#[test]
fn defaults_of_one_kind_are_those_of_all_in_what_they_have_in_common() {
    let model =
        model("<general gear='3' ctrlrange='-1 1' gainprm='9'/>", "", "<motor joint='pin'/>");
    let law = model.unwrap().actuators[0].law.clone().unwrap();
    assert_eq!((law.joints[0].gear, law.control_range, law.gain), (3.0, [-1.0, 1.0], 1.0));
}

/// `ℓ = 2 s − 4 φ`, and a spring of 10 N/m from 0.5 m with a damper.
#[test]
fn a_fixed_tendon_is_a_sum_of_coordinates() {
    let tendons = "<tendon><fixed name='sum' stiffness='10' damping='2' springlength='0.5'>
                   <joint joint='slide' coef='2'/><joint joint='pin' coef='-4'/></fixed></tendon>";
    let model = model("", tendons, "<position tendon='sum' kp='3' gear='0.5'/>").unwrap();
    let law = model.actuators[0].law.clone().unwrap();
    assert_eq!(model.actuators[0].joints, ["slide", "pin"]);
    let length = 2.0 * 0.2 - 4.0 * 0.6;
    assert!((force(&law, 1.0) - 3.0 * (1.0 - 0.5 * length)).abs() < 1e-12);
    let [spring] = &model.tendon_forces[..] else { panic!("one spring") };
    let rate = 2.0 * 3.0 + 4.0 * 2.0;
    assert!((force(spring, 7.0) - (10.0 * (0.5 - length) - 2.0 * rate)).abs() < 1e-12);
}

/// All are counted, as MuJoCo counts them.
#[test]
fn what_is_not_modeled_is_counted_and_named() {
    for (actuator, part) in [
        ("<motor joint='ball' gear='1 0 0'/>", "ball and free joints"),
        ("<motor tendon='rope'/>", "tendon"),
        ("<motor site='tip'/>", "only actuators of joints"),
        ("<muscle joint='pin'/>", "of this kind"),
        ("<general joint='pin' biastype='muscle'/>", "affine biases"),
        ("<general joint='pin' gaintype='affine' gainprm='1 2'/>", "affine biases"),
    ] {
        let model = model("", "", &format!("{actuator}<motor joint='pin'/>")).unwrap();
        assert_eq!(model.actuators.len(), 2, "{actuator}");
        assert!(model.actuators[0].law.is_none() && model.actuators[1].law.is_some());
        let told = model.warnings.iter().any(|warning| warning.to_string().contains(part));
        assert!(told, "{actuator}: {:?}", model.warnings);
    }
    let model = model("", "", "<general joint='pin' dyntype='filter' dynprm='0.1'/>").unwrap();
    assert!(model.actuators[0].law.is_some());
    assert!(model.warnings.iter().any(|warning| warning.reason.contains("at once")));
}

/// Two tendons of which one follows the other: `2 s = 0.1 + 3 (−4 φ)`, from where the model starts.
#[test]
fn tendons_may_follow_each_other() {
    let tendons = "<tendon><fixed name='a'><joint joint='slide' coef='2'/></fixed>
                   <fixed name='b'><joint joint='pin' coef='-4'/></fixed></tendon>
                   <equality><tendon tendon1='a' tendon2='b' polycoef='0.1 3 0 0 0'/></equality>";
    let model = model("", tendons, "").unwrap();
    assert!(model.warnings.is_empty(), "{:?}", model.warnings);
    let [Tied::Sum(terms, value)] = &model.ties[..] else { panic!("one sum") };
    let factors: Vec<f64> = terms.iter().map(|(_, factor)| *factor).collect();
    assert_eq!((&factors[..], *value), (&[2.0, 12.0][..], 0.1));
}
