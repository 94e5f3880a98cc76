//! Summaries of made-up samples, whole and in parts.

#![expect(clippy::float_cmp, reason = "these results are exact")]

use std::f64::consts::TAU;

use nalgebra::{DMatrix, DVector, dvector};
use proptest::prelude::*;

use super::*;
use crate::{Contact, Mass, set_valued::Termination};

/// A point with a contact in the plane (rows 0, 1), one in space (rows 2 to 4) and one without
/// tangents (row 5), whose contact velocities are its six velocities.
fn point() -> Problem {
    let row = |k: usize| DVector::from_fn(6, |i, _| if i == k { 1.0 } else { 0.0 });
    let contacts = vec![
        Contact::new(row(0)).with_friction(0.5, vec![row(1)]),
        Contact::new(row(2)).with_friction(0.5, vec![row(3), row(4)]),
        Contact::new(row(5)),
    ];
    let mass = Mass::Matrix(DMatrix::identity(6, 6));
    Problem::new(mass, DVector::from_element(6, -1.0), contacts).unwrap()
}

fn record<S: Summary>(summary: &mut S, first: u64, velocities: &[DVector<f64>]) {
    let impulse = DVector::zeros(6);
    for (index, velocity) in (first..).zip(velocities) {
        summary.record(&Sample {
            index,
            velocity,
            contact_velocity: velocity,
            impulse: &impulse,
            lcps: 1,
            termination: Termination::Separated,
        });
    }
}

fn plane() -> Plane {
    Plane::of_contact(&point(), 0).unwrap()
}

/// Records in one go, and in parts that are merged in either grouping.
fn three_ways<S: Summary>(empty: &S, velocities: &[DVector<f64>], cuts: [usize; 2]) -> [S; 3] {
    let [a, b] = cuts;
    let part = |first: usize, end: usize| {
        let mut summary = empty.clone();
        record(&mut summary, first as u64, &velocities[first..end]);
        summary
    };
    let whole = part(0, velocities.len());
    let mut left = part(0, a);
    left.merge(part(a, b));
    left.merge(part(b, velocities.len()));
    let mut right = part(a, b);
    right.merge(part(b, velocities.len()));
    let mut all = part(0, a);
    all.merge(right);
    [whole, left, all]
}

fn velocities(entries: &[f64]) -> Vec<DVector<f64>> {
    entries.chunks_exact(6).map(DVector::from_column_slice).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn merging_is_the_same_as_recording(
        entries in prop::collection::vec(-3_i32..4, 6..1200),
        a in 0.0..1.0, b in 0.0..1.0,
    ) {
        // Few different values, so that there are ties, copies and points on lines.
        let entries: Vec<_> = entries.into_iter().map(f64::from).collect();
        let velocities = velocities(&entries);
        let cut = |part: f64| ((velocities.len() + 1) as f64 * part).floor();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
        let cuts = [cut(f64::min(a, b)) as usize, cut(f64::max(a, b)) as usize];
        let point = point();

        let [whole, left, right] = three_ways(&Bounds::new(&point), &velocities, cuts);
        prop_assert_eq!(&whole, &left);
        prop_assert_eq!(&whole, &right);
        let hulls = three_ways(&Hull::new(plane()), &velocities, cuts).map(|hull| hull.polygon());
        prop_assert_eq!(&hulls[0], &hulls[1]);
        prop_assert_eq!(&hulls[0], &hulls[2]);
        let modes = three_ways(&Modes::with_threshold(&point, 0.5), &velocities, cuts)
            .map(|modes| (modes.joint(), modes.contact(1), modes.samples()));
        prop_assert_eq!(&modes[0], &modes[1]);
        prop_assert_eq!(&modes[0], &modes[2]);
        let functionals = vec![dvector![1.0, 1.0, 0.0, 0.0, 0.0, 0.0], -&velocities[0]];
        let [whole, left, right] = three_ways(&Extremes::new(functionals), &velocities, cuts);
        prop_assert_eq!(&whole, &left);
        prop_assert_eq!(&whole, &right);
        let [whole, left, right] = three_ways(&Coverage::new(plane(), 1.5), &velocities, cuts);
        prop_assert_eq!(&whole, &left);
        prop_assert_eq!(&whole, &right);
        for order in [Order::First, Order::Random { seed: 3 }] {
            let [whole, left, right] = three_ways(&Collect::new(20, order), &velocities, cuts);
            prop_assert_eq!(&whole, &left);
            prop_assert_eq!(&whole, &right);
            prop_assert_eq!(whole.outcomes().len(), velocities.len().min(20));
        }
    }

    /// The hull by its definition: an edge has all points to its left or on it.
    #[test]
    fn all_points_are_in_their_hull_and_its_vertices_are_points(
        points in prop::collection::vec((-4_i32..5, -4_i32..5), 1..40),
    ) {
        let points: Vec<_> = points.iter().map(|&(x, y)| [f64::from(x), f64::from(y)]).collect();
        let hull = Polygon::hull(points.clone());
        for &point in &points {
            prop_assert_eq!(hull.distance(point), 0.0);
        }
        for vertex in hull.vertices() {
            prop_assert!(points.contains(vertex));
        }
        // Exact in small integers: no three vertices on a line, all turns to the left.
        let n = hull.vertices().len();
        let turn = |i: usize| {
            let [a, b, c] = [i, i + 1, i + 2].map(|k| hull.vertices()[k % n]);
            (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        };
        prop_assert!(n < 3 || (0..n).all(|i| turn(i) > 0.0));
        prop_assert!(hull.area() >= 0.0 && (n > 2 || hull.area() == 0.0));
    }
}

#[test]
fn points_in_a_line_have_a_segment_for_a_hull_even_in_the_last_digit() {
    let points: Vec<_> = (0..100).map(f64::from).map(|k| [k * 0.5, k * 1.5]).collect();
    let segment = Polygon::hull(points);
    assert_eq!(segment.vertices(), [[0.0, 0.0], [49.5, 148.5]]);
    assert_eq!(segment.area(), 0.0);
    assert_eq!(segment.distance([1.0, 3.0]), 0.0);
    assert!((segment.distance([0.0, 10.0]) - 10.0_f64.sqrt()).abs() < 1e-14);

    assert_eq!(Polygon::hull([[2.0, 1.0], [2.0, 1.0]]).distance([2.0, 3.0]), 2.0);
    assert_eq!(Polygon::default().distance([0.0, 0.0]), f64::INFINITY);
    assert_eq!(Polygon::hull([[f64::NAN, 0.0], [0.0, f64::INFINITY]]), Polygon::default());
    assert!(segment.distance([f64::NAN, 0.0]).is_nan());
    assert!(!segment.contains([f64::NAN, 0.0], 1e9));
}

#[test]
fn a_round_set_keeps_its_hull_within_the_limit() {
    let mut hull = Hull::new(plane());
    let circle = |k: u32| {
        let (sin, cos) = (TAU * f64::from(k) / 20_000.0).sin_cos();
        dvector![sin, cos, 0.0, 0.0, 0.0, 0.0]
    };
    let points: Vec<_> = (0..20_000).map(circle).collect();
    record(&mut hull, 0, &points);
    let polygon = hull.polygon();
    let vertices = polygon.vertices().len();
    assert!(vertices > Hull::LIMIT / 2 && vertices <= Hull::LIMIT);
    // A polygon with 2048 corners, evenly spread, is 1.2e-6 from its circle; the points come in order,
    // so that some stretches are thinned more than once.
    assert!(hull.lost() > 0.0 && hull.lost() < 1e-4, "{}", hull.lost());
    let farthest = points.iter().map(|v| polygon.distance([v[1], v[0]])).fold(0.0, f64::max);
    assert!(farthest <= hull.lost());
    assert!((polygon.area() - TAU / 2.0).abs() < TAU * hull.lost());
}

#[test]
fn modes_are_named_after_what_contacts_do() {
    let mut modes = Modes::with_threshold(&point(), 0.1);
    record(
        &mut modes,
        0,
        &[
            dvector![1.0, 9.0, 0.0, 0.0, 0.0, 0.0],
            dvector![0.0, 1.0, 0.0, 1.0, 1.0, 1.0],
            dvector![0.05, -1.0, 0.0, 1.0, -0.01, 1.0],
            dvector![0.0, 0.05, -0.01, 0.0, -1.0, 0.0],
            dvector![0.0, 0.05, -0.01, 0.0, -2.0, 0.0],
        ],
    );
    let joint = modes.joint();
    let text = |mode: &JointMode| mode.contacts.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(text(&joint[0]), ["stick", "slide 270°", "stick"]);
    assert_eq!((joint[0].count, joint[0].first), (2, 3));
    assert_eq!(text(&joint[1]), ["separate", "stick", "stick"]);
    assert_eq!(text(&joint[2]), ["slide +", "slide 45°", "separate"]);
    assert_eq!(text(&joint[3]), ["slide −", "slide 0°", "separate"]);
    assert_eq!(modes.contact(2), [(ContactMode::Separate, 2), (ContactMode::Stick, 3)]);
    assert_eq!(modes.contact(9), []);
    assert_eq!(Modes::new(&point()).threshold(), 1e-6);
}

#[test]
fn coverage_tells_when_cells_were_reached() {
    let at = |x: f64, y: f64| dvector![y, x, 0.0, 0.0, 0.0, 0.0];
    let mut coverage = Coverage::new(plane(), 1.0);
    record(
        &mut coverage,
        0,
        &[at(1e-9, 0.4), at(-1e-9, 0.1), at(-0.6, 0.4), at(0.3, 0.2), at(5.0, 5.0), at(0.1, 0.1)],
    );
    assert_eq!(coverage.growth(), [(1, 1), (2, 1), (4, 2), (8, 3)]);
    assert_eq!(coverage.new_cell_rate(), 2.0 / 6.0);
    assert_eq!(coverage.area(), 3.0);
    let points: Vec<_> = coverage.cells().map(|cell| (cell.point, cell.count)).collect();
    assert_eq!(points, [([-0.6, 0.4], 1), ([1e-9, 0.4], 4), ([5.0, 5.0], 1)]);
    assert_eq!(Coverage::new(plane(), 1.0).growth(), []);
}

#[test]
fn extremes_are_the_first_of_equals() {
    let mut extremes = Extremes::new(vec![dvector![0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]);
    assert_eq!(extremes.extremes(), [None]);
    let with = |x: f64, y: f64| dvector![y, x, 0.0, 0.0, 0.0, 0.0];
    record(&mut extremes, 10, &[with(1.0, 0.0), with(3.0, 1.0), with(3.0, 2.0), with(2.0, 0.0)]);
    let best = extremes.extremes()[0].clone().unwrap();
    assert_eq!((best.value, best.index, best.velocity), (3.0, 11, with(3.0, 1.0)));
}

#[test]
fn random_outcomes_are_spread_over_all_samples() {
    let velocities = vec![DVector::zeros(6); 10_000];
    let mut collect = Collect::new(1000, Order::Random { seed: 1 });
    record(&mut collect, 0, &velocities);
    let kept = collect.outcomes();
    assert_eq!(kept.len(), 1000);
    // Of each half 500 ± 16 (one standard deviation of the hypergeometric distribution is 15).
    let early = kept.iter().filter(|outcome| outcome.index < 5000).count();
    assert!((440..560).contains(&early), "{early}");
    let mut nothing = Collect::new(0, Order::First);
    record(&mut nothing, 0, &velocities);
    assert_eq!(nothing.outcomes(), []);
}
