//! Sets of outcomes from end to end: the block that falls on two corners, and the box that slides into
//! a wall, with the parameters of Halm and Posa.

use nalgebra::{DMatrix, DVector, dvector};
use percussion_impact::{
    Contact, Mass, Problem,
    friction_cone::{self, FrictionCone, Pointed},
    guarantee::unseen,
    outcome_set::{Bounds, Collect, ContactMode, Coverage, Extremes, Hull, Modes, Order, Plane},
    set_valued::{SetValuedRouth, Settings, Summary},
};

/// A body in the plane whose points `(x, y)` touch with `μ = 1`: normal, then tangent.
fn body(inertia: f64, velocity: DVector<f64>, points: &[([f64; 2], [f64; 2])]) -> Problem {
    let contacts = points.iter().map(|&([x, y], [nx, ny])| {
        let row = |ex: f64, ey: f64| dvector![ex, ey, x * ey - y * ex];
        Contact::new(row(nx, ny)).with_friction(1.0, vec![row(ny, -nx)])
    });
    let mass = Mass::Matrix(DMatrix::from_diagonal(&dvector![1.0, 1.0, inertia]));
    Problem::new(mass, velocity, contacts.collect()).expect("the data are sound")
}

/// A block of 1 m × 2 m and 1 kg falls flat from 1 cm.
fn block() -> Problem {
    let speed = (2.0 * 9.81 * 0.01_f64).sqrt();
    let up = [0.0, 1.0];
    body(5.0 / 12.0, dvector![0.0, -speed, 0.0], &[([-0.5, -1.0], up), ([0.5, -1.0], up)])
}

/// A box of 1 m and 1 kg, turned by 80°, slides on its lowest corner at 1 m/s into a wall.
fn box_and_wall() -> Problem {
    let (sin, cos) = 80.0_f64.to_radians().sin_cos();
    let corner = |x: f64, y: f64| [cos * x - sin * y, sin * x + cos * y];
    let (lowest, rightmost) = (corner(-0.5, -0.5), corner(0.5, -0.5));
    body(1.0 / 6.0, dvector![1.0, 0.0, 0.0], &[(lowest, [0.0, 1.0]), (rightmost, [-1.0, 0.0])])
}

fn block_law() -> SetValuedRouth {
    SetValuedRouth::new(Settings { step: 0.3, steps: 10, samples: 1 << 14, ..Settings::default() })
}

fn summarize<S: Summary + Sync>(law: &SetValuedRouth, problem: &Problem, summary: S) -> S {
    law.post_impact_set(problem, summary, |_| ()).expect("the settings are sound").summary
}

fn pointed(problem: &Problem) -> Pointed {
    match friction_cone::analyze(problem, &friction_cone::Settings::default()) {
        Ok(FrictionCone::Pointed(pointed)) => pointed,
        other => panic!("{other:?}"),
    }
}

/// Turning at `ω` with the corner at `x = ∓1/2` at rest.
fn pivot(turning: f64) -> DVector<f64> {
    dvector![-turning, turning.abs() / 2.0, turning]
}

#[test]
fn a_block_rests_or_pivots_about_either_corner() {
    let (block, law) = (block(), block_law());
    let turning = dvector![0.0, 0.0, 1.0];
    let corners =
        vec![Plane::of_contact(&block, 0).unwrap(), Plane::of_contact(&block, 1).unwrap()];
    let hulls: Vec<_> = corners.into_iter().map(Hull::new).collect();
    let extremes = Extremes::new(vec![turning.clone(), -turning]);
    let collect = Collect::new(1 << 14, Order::First);
    let (modes, (hulls, extremes, collect)) =
        summarize(&law, &block, (Modes::new(&block), (hulls, extremes, collect)));

    // Nothing but the three, and each of them often.
    use ContactMode::{Separate, Stick};
    let joint = modes.joint();
    for expected in [[Stick, Stick], [Stick, Separate], [Separate, Stick]] {
        let mode = joint.iter().find(|mode| mode.contacts == expected).unwrap();
        assert!(mode.count > modes.samples() / 5, "{mode:?}");
    }
    assert_eq!(joint.len(), 3, "{joint:?}");

    // The fastest pivots mirror each other, up to the luck of the draws.
    let fastest: Vec<_> = extremes.extremes().iter().map(|e| e.clone().unwrap()).collect();
    assert!((fastest[0].value / fastest[1].value - 1.0).abs() < 0.02, "{fastest:?}");
    for extreme in &fastest {
        assert!((&extreme.velocity - pivot(extreme.velocity[2])).amax() < 1e-12);
        let path = law.sample(&block, extreme.index).unwrap();
        assert_eq!(path.steps.last().unwrap().velocity, extreme.velocity, "the path by its index");
    }

    // Rest and all slower pivots are outcomes, up to the distance of 2¹⁴ samples.
    let outcomes = collect.outcomes();
    for part in [-0.9, -0.5, -0.1, 0.0, 0.1, 0.5, 0.9] {
        let wanted = pivot(part * fastest[0].value);
        let distance = |velocity: &DVector<f64>| (velocity - &wanted).amax();
        let nearest = outcomes.iter().map(|outcome| distance(outcome.velocity));
        assert!(nearest.fold(f64::INFINITY, f64::min) < 1e-3 * fastest[0].value, "{part}");
        for hull in &hulls {
            assert!(hull.polygon().contains(hull.plane().coordinates(&wanted), 1e-12), "{part}");
        }
    }
    let proof = pointed(&block);
    assert!((proof.constant - 1.0).abs() < 1e-6, "upwards every percussion pushes by 1");
}

#[test]
fn a_box_against_a_wall_rests_or_slides_off_it() {
    let problem = box_and_wall();
    let law = SetValuedRouth::new(Settings {
        step: 2.0,
        steps: 5,
        samples: 1 << 14,
        ..Settings::default()
    });
    let slip = problem.contacts()[0].tangents[0].clone();
    let (modes, extremes) =
        summarize(&law, &problem, (Modes::new(&problem), Extremes::new(vec![-&slip, slip])));
    let joint = modes.joint();
    use ContactMode::{Separate, SlideBackward, SlideForward, Stick};
    assert_eq!(joint[0].contacts, [Stick, Stick], "most often it rests");
    let off_the_wall = joint.iter().find(|mode| mode.contacts[1] == Separate).unwrap();
    assert!(matches!(off_the_wall.contacts[0], SlideForward | SlideBackward), "{joint:?}");
    assert!(off_the_wall.count > 1000, "{joint:?}");
    // The floor keeps its contact, and some samples slide much faster than others.
    assert_eq!(modes.contact(0).iter().filter(|(mode, _)| *mode == Separate).count(), 0);
    let fastest = extremes.extremes().iter().map(|e| e.as_ref().unwrap().value).fold(0.0, f64::max);
    assert!(fastest > 0.3, "{fastest} m/s");
    assert!(pointed(&problem).constant > 0.5);
}

#[test]
fn summaries_are_the_same_for_any_number_of_threads() {
    let (block, law) = (block(), block_law());
    let plane = || Plane::of_contact(&block, 0).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let collect = Collect::new(100, Order::Random { seed: 5 });
        let shapes = (Hull::new(plane()), Coverage::new(plane(), 1e-3), collect);
        let summary = (Bounds::new(&block), Modes::new(&block), shapes);
        pool.install(|| summarize(&law, &block, summary))
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn later_samples_rarely_leave_the_bounds_of_earlier_ones() {
    let (block, law) = (block(), block_law());
    let bounds = summarize(&law, &block, Bounds::new(&block));
    let other = SetValuedRouth::new(Settings { seed: 2, ..law.settings });
    let later = summarize(&other, &block, Collect::new(1 << 14, Order::First));
    let outcomes = later.outcomes();
    let outside = outcomes.iter().filter(|outcome| {
        let velocity = outcome.velocity;
        (0..3).any(|i| velocity[i] < bounds.velocity_min[i] || velocity[i] > bounds.velocity_max[i])
    });
    // Once in a million times the probability is more than promised. The number outside has the mean 6, the number of
    // sides, and the variance 12 (a beta-binomial law), so that the promise is five standard deviations away.
    let promised = unseen(1 << 14, 6, 1e-6).unwrap();
    assert!((promised - 1.55e-3).abs() < 1e-5, "{promised}");
    let outside = outside.count();
    assert!(outside as f64 / 16384.0 <= promised, "{outside}");
}
