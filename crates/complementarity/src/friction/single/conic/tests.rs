//! Tests of the boundary of the friction cone against its equation.

use nalgebra::{Matrix3, matrix, vector};

use super::*;

fn conic<'a>(contact: &'a Contact, load: &'a Load) -> Conic<'a> {
    Conic::new(contact, load)
}

/// `A_nn = 2` and `μ a = (1, −½)`.
fn contact() -> Contact {
    Contact::new(&matrix![2.0, 2.0, -1.0; 2.0, 5.0, 0.0; -1.0, 0.0, 4.0], 0.5).unwrap()
}

/// `A_nn x_n + a·y = b_n` and `‖y‖ = μ x_n`, for rays of any length.
#[test]
fn points_keep_the_contact_closed_at_the_limit_of_friction() {
    let contact = contact();
    let load = contact.load(&vector![3.0, 1.0, 1.0]);
    for i in 0..16 {
        let (s, c) = (0.4 * f64::from(i)).sin_cos();
        for length in [1.0, 7.0] {
            let x = conic(&contact, &load)
                .point(&Ray { along: [c * length, s * length], length })
                .unwrap();
            assert!((2.0 * x.x + 2.0 * x.y - x.z - 3.0).abs() <= 1e-14 * 3.0, "{x}");
            assert!((x.yz().norm() - 0.5 * x.x).abs() <= 1e-15 * x.x, "{x}");
            assert!(x.y * c + x.z * s > 0.0, "along the ray {x}");
        }
    }
    // Without an approach there is no point but the apex, which has no direction.
    let still = contact.load(&vector![0.0, 1.0, 1.0]);
    let ray = Direction { cosine: 1.0, sine: 0.0 }.into();
    assert_eq!(conic(&contact, &still).point(&ray), None);
}

/// Thin: `f ≤ 0.01 (A_nn + |μ a_t| + |μ a_o|)`. With `A_nn = 1` and `a = (1, 0)` it is `1 + μ cos α`.
#[test]
fn thin_directions_are_those_with_little_resistance() {
    let of = |tilt: [f64; 2], c: f64, s: f64, length: f64| {
        let contact = Contact::new(&Matrix3::identity(), 1.0).unwrap();
        let load = contact.load(&vector![1.0, 0.0, 0.0]);
        let conic = Conic { tilt, ..conic(&contact, &load) };
        conic.is_thin(&Ray { along: [c * length, s * length], length })
    };
    for length in [0.125, 1.0, 16.0] {
        // 1 − 1 · 0.98 = 0.02 is the limit for μ a = 1.
        for (c, expected) in [(-0.979_f64, false), (-0.981, true), (0.981, false), (0.0, false)] {
            let s = (1.0 - c * c).sqrt();
            for tilt in [[1.0, 0.0], [-1.0, 0.0]] {
                assert_eq!(of(tilt, c * tilt[0], s, length), expected, "{tilt:?} {c}");
            }
            for tilt in [[0.0, 1.0], [0.0, -1.0]] {
                assert_eq!(of(tilt, s, c * tilt[1], length), expected, "{tilt:?} {c}");
            }
        }
        // Both parts of the coupling: 1 + 3 c + 4 s, limit 0.08.
        for (f, expected) in [(0.079, true), (0.081, false), (-0.079, true), (-0.081, false)] {
            // c = −(3 x + 4 y)/5, s = (3 y − 4 x)/5 … of the angle from the coupling with the cosine (f − 1)/5.
            let cosine: f64 = (f - 1.0) / 5.0;
            let sine = (1.0 - cosine * cosine).sqrt();
            let (c, s) = (0.6 * cosine - 0.8 * sine, 0.8 * cosine + 0.6 * sine);
            assert_eq!(of([3.0, 4.0], c, s, length), expected, "{f}");
        }
    }
}

/// `A_nn + μ a·d = 0` for unit vectors `d`, of which there are two, one, or none.
#[test]
fn asymptotes_are_the_directions_without_resistance() {
    let contact = Contact::new(&Matrix3::identity(), 1.0).unwrap();
    let load = contact.load(&vector![1.0, 0.0, 0.0]);
    let of =
        |level: f64, tilt: [f64; 2]| Conic { level, tilt, ..conic(&contact, &load) }.asymptotes();
    for (level, tilt) in
        [(1.0, [2.0, 0.0]), (1.0, [0.0, -2.0]), (2.0, [3.0, -4.0]), (0.1, [-0.6, 0.8])]
    {
        let both = of(level, tilt).unwrap();
        for d in both {
            assert!((d.cosine.hypot(d.sine) - 1.0).abs() <= 1e-15, "{d:?}");
            assert!((level + tilt[0] * d.cosine + tilt[1] * d.sine).abs() <= 1e-14, "{d:?}");
        }
        assert!((both[0].cosine - both[1].cosine).hypot(both[0].sine - both[1].sine) > 0.1);
    }
    // A parabola has one, twice.
    let [first, second] = of(5.0, [3.0, 4.0]).unwrap();
    assert!((first.cosine + 0.6).abs() + (first.sine + 0.8).abs() <= 1e-15, "{first:?}");
    assert!((second.cosine + 0.6).abs() + (second.sine + 0.8).abs() <= 1e-15, "{second:?}");
    assert!(of(5.0, [2.9, 4.0]).is_none() && of(1.0, [0.0, 0.0]).is_none());
}
