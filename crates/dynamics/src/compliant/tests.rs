//! Force laws against their definitions, derivatives and limits.

#![expect(clippy::float_cmp, reason = "these results are exact")]

use approx::assert_relative_eq;
use nalgebra::Vector2;
use proptest::prelude::*;

use super::*;
use crate::testing::fixed_seed;

fn normal_laws() -> impl Strategy<Value = NormalLaw> {
    let spring = (1.0..1e3, 0.0..10.0).prop_map(|(k, c)| NormalLaw::kelvin_voigt(k, c).unwrap());
    let hertz = (0.1..2.0, 1.0..1e3, 0.0..1.0)
        .prop_map(|(radius, modulus, c)| NormalLaw::hertz(radius, modulus, c).unwrap());
    prop_oneof![spring, hertz]
}

fn friction_laws() -> impl Strategy<Value = FrictionLaw> {
    let coulomb =
        (0.0..2.0, 0.01..1.0).prop_map(|(mu, w)| FrictionLaw::regularized_coulomb(mu, w).unwrap());
    let stribeck = (0.0..2.0, 0.0..1.0, 0.0..1.0, 0.05..1.0).prop_map(
        |(static_friction, part, viscous, speed): (f64, f64, f64, f64)| {
            FrictionLaw::stribeck(static_friction, part * static_friction, viscous, speed).unwrap()
        },
    );
    prop_oneof![coulomb, stribeck, Just(FrictionLaw::Frictionless)]
}

fn slips() -> impl Strategy<Value = Vector2<f64>> {
    prop::array::uniform2(-2.0..2.0).prop_map(Vector2::from)
}

proptest! {
    #![proptest_config(fixed_seed())]

    /// The power `−f·u` minus the rate of the elastic energy is dissipated, never gained.
    #[test]
    fn contacts_dissipate(
        normal in normal_laws(),
        friction in friction_laws(),
        gap in -0.5..0.5,
        rate in -3.0..3.0,
        slip in slips(),
    ) {
        let (n, t) = Law::new(normal, friction).force(gap, rate, slip);
        let elastic = normal.force(gap, 0.0);
        let lost = -(n - elastic) * rate - t.dot(&slip);
        prop_assert!(n >= 0.0);
        prop_assert!(lost >= -1e-13 * (elastic * rate).abs());
    }

    /// `U' = −N` for the undamped force. The difference quotient has the error of its truncation, `h²` times
    /// the third derivative, which for Hertz grows as `1/√depth`.
    #[test]
    fn the_elastic_force_is_the_gradient_of_the_elastic_energy(law in normal_laws(), gap in -0.5..-0.01) {
        let h = 1e-6;
        let slope = (law.potential(gap + h) - law.potential(gap - h)) / (2.0 * h);
        let scale = law.force(-1.0, 0.0);
        prop_assert!((slope + law.force(gap, 0.0)).abs() <= 1e-8 * scale);
    }

    /// The change of the force against its central difference, away from the corners of the laws.
    #[test]
    fn derivatives_are_those_of_the_force(
        normal in normal_laws(),
        friction in friction_laws(),
        gap in -0.5..-0.01,
        rate in -3.0..3.0,
        slip in slips(),
        change in (-1.0..1.0, -1.0..1.0, slips()),
    ) {
        let (h, law) = (1e-6, Law::new(normal, friction));
        let at = |s: f64| law.force(gap + s * change.0, rate + s * change.1, slip + s * change.2);
        let ((before, before_t), (after, after_t)) = (at(-h), at(h));
        // No corner is within the step: the force acts on both sides, and the slip stays on its side of the width,
        // which it can only cross with a change of 2.9 h.
        prop_assume!(before > 0.0 && after > 0.0);
        if let FrictionLaw::RegularizedCoulomb { width, .. } = friction {
            prop_assume!((slip.norm() - width).abs() > 3.0 * h);
        }
        let (n, t) = law.force_change((gap, rate, slip), change);
        // Second derivatives reach 1/v_s² = 400 times the force, third ones 8000 times: with h² about 1e-8;
        // rounding adds eps/h, 2e-10.
        let scale = 1e-7 * (law.normal().force(gap, rate) + law.normal().force(-1.0, -3.0)) * 10.0;
        prop_assert!((n - (after - before) / (2.0 * h)).abs() <= scale);
        prop_assert!((t - (after_t - before_t) / (2.0 * h)).norm() <= scale);
    }

    /// A rotation of the tangent plane rotates the force.
    #[test]
    fn friction_has_no_preferred_direction(
        normal in normal_laws(), friction in friction_laws(), slip in slips(), angle in 0.0..6.0,
    ) {
        let (turn, law) = (nalgebra::Rotation2::new(angle), Law::new(normal, friction));
        let (_, plain) = law.force(-0.1, -1.0, slip);
        let (n, turned) = law.force(-0.1, -1.0, turn * slip);
        prop_assert!((turn * plain - turned).norm() <= 1e-13 * (1.0 + n));
    }
}

#[test]
fn an_open_contact_carries_nothing() {
    for normal in [NormalLaw::kelvin_voigt(1.0, 1.0), NormalLaw::hertz(1.0, 1.0, 1.0)] {
        let law = Law::new(normal.unwrap(), FrictionLaw::smooth(1.0, 0.1).unwrap());
        assert_eq!(law.force(1e-9, -1.0, Vector2::new(1.0, 1.0)), (0.0, Vector2::zeros()));
        assert_eq!(law.normal().potential(1e-9), 0.0);
        let change = law.force_change((1e-9, -1.0, Vector2::x()), (1.0, 1.0, Vector2::y()));
        assert_eq!(change, (0.0, Vector2::zeros()));
    }
}

/// A sphere of 0.1 m and an effective modulus of 5e9 Pa at a depth of 1 mm: `4/3 · √0.1 · 5e9 · 1e-3^1.5`.
#[test]
fn hertz_is_the_textbook_formula() {
    let law = NormalLaw::hertz(0.1, 5e9, 0.0).unwrap();
    assert_relative_eq!(law.force(-1e-3, 0.0), 66_666.666_666_666_67, max_relative = 1e-14);
    let damped = NormalLaw::hertz(0.1, 5e9, 0.2).unwrap();
    assert_relative_eq!(
        damped.force(-1e-3, -1.0),
        1.3 * 66_666.666_666_666_67,
        max_relative = 1e-14
    );
    // If the bodies separate faster than 2/(3 c), the force is zero and does not pull.
    assert_eq!(damped.force(-1e-3, 4.0), 0.0);
}

#[test]
fn moduli_combine_by_either_rule() {
    let combine = |rule: ModulusRule, a, b| rule.combine(a, b).unwrap();
    assert_eq!(combine(ModulusRule::Hertz, 10e9, 10e9), 5e9);
    assert_relative_eq!(combine(ModulusRule::Springs, 1.0, 1.0), 0.125_f64.sqrt());
    assert_relative_eq!(combine(ModulusRule::Hertz, 1.0, 3.0), 0.75);
    // Springs in series: the depths under a unit force add.
    let depth = |modulus: f64| modulus.powf(-2.0 / 3.0);
    let both = combine(ModulusRule::Springs, 2.0, 7.0);
    assert_relative_eq!(depth(both), depth(2.0) + depth(7.0), max_relative = 1e-14);
    // With a rigid partner the modulus is that of the other body.
    for rule in [ModulusRule::Hertz, ModulusRule::Springs] {
        assert_relative_eq!(combine(rule, 1.0, 1e300), 1.0);
    }
}

#[test]
fn radii_combine_as_curvatures_add() {
    assert_relative_eq!(relative_radius(1.0, 3.0).unwrap(), 0.75);
    assert_relative_eq!(relative_radius(0.25, 0.25).unwrap(), 0.125);
}

/// Values of the curve: half of `μ` at half the transition speed, and `μ` from the transition speed on.
#[test]
fn the_smooth_curve_rises_to_its_coefficient() {
    let law = FrictionLaw::smooth(0.4, 0.01).unwrap();
    for (speed, coefficient) in [(0.0, 0.0), (0.005, 0.2), (0.01, 0.4), (0.02, 0.4), (5.0, 0.4)] {
        assert_relative_eq!(law.secant(speed).0 * speed, coefficient, max_relative = 1e-14);
    }
    let drops = FrictionLaw::stribeck(0.5, 0.3, 0.1, 1.0).unwrap();
    for (speed, coefficient) in [(1.0, 0.6), (2.0, 0.6), (3.0, 0.6), (10.0, 1.3)] {
        assert_relative_eq!(drops.secant(speed).0 * speed, coefficient, max_relative = 1e-14);
    }
}

#[test]
fn parameters_out_of_range_are_refused_by_name() {
    let name = |result: Result<(), Error>| match result.unwrap_err() {
        Error::Parameter { name, .. } => name,
    };
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(name(NormalLaw::kelvin_voigt(bad, 1.0).map(drop)), "stiffness");
        assert_eq!(name(NormalLaw::with_damping_ratio(1.0, bad, 1.0).map(drop)), "mass");
        assert_eq!(name(NormalLaw::hertz(bad, 1.0, 0.0).map(drop)), "radius");
        assert_eq!(name(NormalLaw::hertz(1.0, bad, 0.0).map(drop)), "modulus");
        assert_eq!(name(ModulusRule::Hertz.combine(1.0, bad).map(drop)), "modulus");
        assert_eq!(name(relative_radius(bad, 1.0).map(drop)), "radius");
        let width = "width of the friction law";
        assert_eq!(name(FrictionLaw::regularized_coulomb(1.0, bad).map(drop)), width);
        assert_eq!(name(FrictionLaw::smooth(1.0, bad).map(drop)), "transition speed");
    }
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(name(NormalLaw::kelvin_voigt(1.0, bad).map(drop)), "damping");
        assert_eq!(name(NormalLaw::with_damping_ratio(1.0, 1.0, bad).map(drop)), "damping ratio");
        assert_eq!(name(NormalLaw::hertz(1.0, 1.0, bad).map(drop)), "dissipation");
        assert_eq!(name(FrictionLaw::regularized_coulomb(bad, 1.0).map(drop)), "friction");
        let viscous = FrictionLaw::stribeck(1.0, 1.0, bad, 1.0);
        assert_eq!(name(viscous.map(drop)), "viscous friction");
    }
    let rising = FrictionLaw::stribeck(0.3, 0.5, 0.0, 1.0).unwrap_err();
    assert_eq!(rising.to_string(), "dynamic friction is 0.5, expected at most the static friction");
    // The damping overflows although its factors do not.
    assert!(NormalLaw::with_damping_ratio(1.0, 1.0, 1e308).is_err());
}
