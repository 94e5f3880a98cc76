//! Worked cases of contacts with friction, and answers that must be rejected.

use super::*;

const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

fn one<'a>(delassus: &'a [f64], free: &'a [f64], friction: &'a [f64]) -> Problem<'a> {
    Problem { delassus, free_velocity: free, tangents: &[2], friction }
}

#[test]
fn a_pulling_contact_without_friction_is_refused() {
    let problem = one(&UNIT, &[1.0, 0.0, 0.0], &[0.0]);
    assert!(judge(&problem, Law::Coulomb, &[0.0, 0.0, 0.0], 1e-8).holds());
    let pulling = judge(&problem, Law::Coulomb, &[-1.0, 0.0, 0.0], 1e-8);
    assert!(pulling.refuses("adhesion"), "{pulling}");
}

#[test]
fn strong_friction_does_not_hide_an_approach() {
    let problem = one(&UNIT, &[-1.0, 0.5, 0.1], &[1e8]);
    assert!(judge(&problem, Law::Coulomb, &[1.0, -0.5, -0.1], 1e-8).holds());
    let nothing = judge(&problem, Law::Coulomb, &[0.0, 0.0, 0.0], 1e-8);
    assert!(nothing.refuses("approach"), "{nothing}");
}

#[test]
fn a_compliance_of_any_size_is_judged_alike() {
    for unit in [1e-200, 1e-10, 1e10, 1e200] {
        let delassus = UNIT.map(|entry| entry * unit);
        let problem = one(&delassus, &[-1.0, 2.0, 0.0], &[0.5]);
        let right = [1.0 / unit, -0.5 / unit, 0.0];
        assert!(judge(&problem, Law::Coulomb, &right, 1e-8).holds(), "{unit:e}");
        assert!(judge(&problem, Law::Coulomb, &[0.0; 3], 1e-8).refuses("approach"), "{unit:e}");
    }
}

/// Sliding with normal and tangent coupled: the two laws differ, and each rejects the other's answer.
#[test]
fn each_law_refuses_the_answer_of_the_other() {
    // y minimizes ½ y·P y − q·y on ‖y‖ + k·y ≤ c; here k = (0.3, 0), P = diag(0.91, 1), by bisection on the edge.
    let block = [1.0, 0.3, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0, 1.0];
    let free = [-1.0, 2.0, 1.0];
    let problem = one(&block, &free, &[1.0]);
    let at = |angle: f64| {
        let (c, s) = (angle.cos(), angle.sin());
        let normal = 1.0 / (1.0 + 0.3 * c);
        [normal, normal * c, normal * s]
    };
    let velocity = |x: [f64; 3]| {
        let u = slack(&block, &free, &x);
        [u[1].value(), u[2].value()]
    };
    // Across the edge's gradient (c + k, s) by maximum dissipation, across (c, s) by Coulomb.
    let across = |angle: f64, k: f64| {
        let u = velocity(at(angle));
        u[0] * angle.sin() - u[1] * (angle.cos() + k)
    };
    let root = |k: f64| {
        let (mut low, mut high) = (std::f64::consts::PI, 1.5 * std::f64::consts::PI);
        for _ in 0..100 {
            let middle = (low + high) / 2.0;
            if (across(middle, k) > 0.0) == (across(low, k) > 0.0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        at(low)
    };
    let (coulomb, dissipation) = (root(0.0), root(0.3));
    let right = judge(&problem, Law::Coulomb, &coulomb, 1e-10);
    assert!(right.holds(), "{right}");
    let right = judge(&problem, Law::MaximumDissipation, &dissipation, 1e-10);
    assert!(right.holds(), "{right}");
    assert!(judge(&problem, Law::Coulomb, &dissipation, 1e-10).refuses("slip direction"));
    let wrong = judge(&problem, Law::MaximumDissipation, &coulomb, 1e-10);
    assert!(wrong.refuses("slip direction") && wrong.refuses("dissipation"), "{wrong}");
}

#[test]
fn a_turned_impulse_dissipates_less() {
    let block = [1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5];
    let problem = one(&block, &[-2.0, 3.0, 0.0], &[0.25]);
    assert!(judge(&problem, Law::MaximumDissipation, &[2.0, -0.5, 0.0], 1e-10).holds());
    let turned = judge(&problem, Law::MaximumDissipation, &[2.0, -0.4, 0.3], 1e-10);
    assert!(turned.refuses("slip direction") && turned.refuses("dissipation"), "{turned}");
}

/// A contact at rest along its normal that slides and jams is struck by maximum dissipation: `k·d < −1` makes the set
/// of impulses unbounded, and zero is not its minimum.
#[test]
fn a_jammed_contact_without_approach_is_not_left_alone() {
    let block = [1.0, -0.9, 0.0, -0.9, 1.0, 0.0, 0.0, 0.0, 1.0];
    let problem = one(&block, &[0.0, -1.0, 0.0], &[2.0]);
    let nothing = judge(&problem, Law::MaximumDissipation, &[0.0; 3], 1e-10);
    assert!(nothing.refuses("dissipation"), "{nothing}");
    // x_n = 0.9 y keeps it closed, and P = 0.19 stops the slip at y = 1/0.19.
    let y = 1.0 / 0.19;
    assert!(judge(&problem, Law::MaximumDissipation, &[0.9 * y, y, 0.0], 1e-10).holds());
    // Coulomb's law also allows no impulse.
    assert!(judge(&problem, Law::Coulomb, &[0.0; 3], 1e-10).holds());
    // If it separates by itself, maximum dissipation must give it no impulse.
    let problem = one(&block, &[0.1, -1.0, 0.0], &[2.0]);
    assert!(judge(&problem, Law::MaximumDissipation, &[0.0; 3], 1e-10).holds());
    let struck = judge(&problem, Law::MaximumDissipation, &[0.125, 0.25, 0.0], 1e-10);
    assert!(struck.refuses("struck while separating"), "{struck}");
}

/// One contact with two rows that are nearly the same: the energy is flat along chords without an end, and what their slope is
/// depends on rounding.
#[test]
fn flat_chords_without_end_are_no_gain_by_rounding() {
    let block = [
        5.215_261_543_749_86,
        5.215_261_548_965_122,
        -1.822_050_584_987_995_5,
        5.215_261_548_965_122,
        5.215_261_554_180_383,
        -1.822_050_586_810_046_3,
        -1.822_050_584_987_995_5,
        -1.822_050_586_810_046_3,
        2.210_657_090_860_515,
    ];
    let right = [1_657.819_337_941_259_4, -1_657.819_337_940_910_8, -0.001_074_797_416_007_268_5];
    let after = [0.0, 0.0, 1.898_226_253_706_918_3];
    let free: Vec<f64> =
        (0..3).map(|i| after[i] - slack(&block, &[0.0; 3], &right)[i].value()).collect();
    let verdict = judge(&one(&block, &free, &[1.0]), Law::MaximumDissipation, &right, 1e-8);
    assert!(verdict.holds(), "{verdict}");
    // Slip that friction drives is rejected by the same chords.
    let driven: Vec<f64> = (0..3).map(|i| free[i] - 2.0 * after[i]).collect();
    let verdict = judge(&one(&block, &driven, &[1.0]), Law::MaximumDissipation, &right, 1e-8);
    assert!(verdict.refuses("dissipation"), "{verdict}");
}

/// The tangent is twice the normal, and friction takes just what the normal impulse gives: whether impulses grow without end is
/// decided by the last digit of `μ`.
#[test]
fn a_jam_that_depends_on_rounding_is_not_judged() {
    let refuses = |friction: f64| {
        let (delassus, friction) = ([1.0, 2.0, 2.0, 4.0], [friction]);
        let problem = Problem {
            delassus: &delassus,
            free_velocity: &[-1.0, 0.0],
            tangents: &[1],
            friction: &friction,
        };
        judge(&problem, Law::MaximumDissipation, &[1.0, 0.0], 1e-10).refuses("dissipation")
    };
    for rounding in [0.0, 1e-16, -1e-16, 1e-15, -1e-15] {
        assert!(!refuses(0.5 * (1.0 + rounding)), "{rounding:e}");
    }
    assert!(refuses(0.5 * (1.0 + 1e-9)));
}

/// `μ p_n` is 75 904 N·s, of which a unit in the last place alone stands for 4 µm/s.
#[test]
fn impulses_on_the_edge_to_rounding_slide() {
    let block = [
        0.000_078_232_902_817_563_01,
        0.000_014_505_674_230_302_346,
        7.873_769_613_487_423,
        0.000_014_505_674_230_302_346,
        0.000_052_893_465_746_474_824,
        2.567_958_557_577_667,
        7.873_769_613_487_423,
        2.567_958_557_577_667,
        816_912.424_573_803_7,
    ];
    let right = [759_036.872_358_268_2, 75_903.686_859_883, -7.554_538_035_089_123];
    let problem = one(&block, &[-1.0, -1.0, -3.0], &[0.1]);
    let verdict = judge(&problem, Law::Coulomb, &right, 1e-8);
    assert!(verdict.holds(), "{verdict}");
    let inside = [right[0], right[1] * (1.0 - 1e-12), right[2] * (1.0 - 1e-12)];
    let verdict = judge(&problem, Law::Coulomb, &inside, 1e-8);
    assert!(verdict.refuses("slip bound"), "{verdict}");
}

#[test]
fn every_mutation_of_an_answer_is_refused() {
    // Two contacts of one mass, one sliding and one sticking, uncoupled in their tangents.
    let delassus: Vec<f64> =
        (0..36).map(|i| if i % 7 == 0 { 1.0 + (i / 7) as f64 * 0.1 } else { 0.0 }).collect();
    let free = [-1.0, 0.9, -0.8, -2.0, 0.3, 0.4];
    let problem = Problem {
        delassus: &delassus,
        free_velocity: &free,
        tangents: &[2, 2],
        friction: &[0.5, 0.9],
    };
    // Sliding: 1.1 and 1.2 differ, so take −p_t along the slip by iteration.
    let mut p = [1.0, -0.3, 0.3, 2.0 / 1.3, -0.3 / 1.4, -0.4 / 1.5];
    for _ in 0..200 {
        let u = [free[1] + 1.1 * p[1], free[2] + 1.2 * p[2]];
        let speed = norm(&u);
        (p[1], p[2]) = (-0.5 * u[0] / speed, -0.5 * u[1] / speed);
    }
    for law in [Law::Coulomb, Law::MaximumDissipation] {
        let right = judge(&problem, law, &p, 1e-9);
        assert!(right.holds(), "{law:?}: {right}");
        for entry in 0..6 {
            for factor in [-1.0, 0.0, 1.0 + 1e-6, 1.0 - 1e-6, f64::INFINITY] {
                let mut wrong = p;
                wrong[entry] *= factor;
                assert!(
                    !judge(&problem, law, &wrong, 1e-9).holds(),
                    "{law:?}: {entry} times {factor}"
                );
            }
        }
        for contact in [0, 3] {
            let mut swapped = p;
            swapped.swap(contact + 1, contact + 2);
            assert!(
                !judge(&problem, law, &swapped, 1e-9).holds(),
                "{law:?}: tangents of {contact} swapped"
            );
        }
    }
}

#[test]
fn planar_and_frictionless_contacts_have_fewer_rows() {
    let delassus = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let free = [-1.0, -2.0, 3.0];
    let problem = Problem {
        delassus: &delassus,
        free_velocity: &free,
        tangents: &[0, 1],
        friction: &[0.7, 0.5],
    };
    for law in [Law::Coulomb, Law::MaximumDissipation] {
        assert!(judge(&problem, law, &[1.0, 2.0, -1.0], 1e-10).holds(), "{law:?}");
        assert!(judge(&problem, law, &[1.0, 2.0, 1.0], 1e-10).refuses("slip direction"), "{law:?}");
        assert!(judge(&problem, law, &[1.0, 2.0, -0.9], 1e-10).refuses("slip bound"), "{law:?}");
    }
    assert!(judge(&problem, Law::Coulomb, &[1.0, 2.0], 1e-10).refuses("size"));
}

/// A contact without approach that jams, `‖k‖ > 1`, has its impulse on one of two rays. To rounding it lies beyond the ray, and
/// the edge through it must not lead to points on the far side of the apex.
#[test]
fn points_beyond_the_apex_are_not_feasible() {
    let (a, b, c) = (2.633_771_967_056_795_4, 2.436_403_769_397_567_8, 6.946_493_325_816_034);
    let block = [1.0, 1.0, a, 1.0, 5.0, b, a, b, c];
    let free = [0.0, -0.005_804_369_478_989_99, 0.0];
    let problem = one(&block, &free, &[1.0]);
    let right =
        [0.001_780_618_690_234_001_1, 0.001_331_916_735_635_322_7, -0.001_181_778_629_585_590_1];
    let verdict = judge(&problem, Law::MaximumDissipation, &right, 1e-8);
    assert!(verdict.holds(), "{verdict}");
    let verdict = judge(&problem, Law::MaximumDissipation, &right.map(|p| 0.9 * p), 1e-8);
    assert!(verdict.refuses("dissipation"), "{verdict}");
}
