//! Regions never exclude a contact, and the points of a contact have the rows of its gap function.

use nalgebra::{DMatrix, Matrix3, Vector3};
use proptest::{collection::vec, prelude::*};

use super::*;
use crate::{Body, ContactSet, FreeBodies};

/// A gap function of which only the rows are known.
#[derive(Debug)]
struct Rows<'a>(&'a dyn GapFunction);

impl GapFunction for Rows<'_> {
    fn gap(&self, system: &dyn System, coordinates: &[f64]) -> f64 {
        self.0.gap(system, coordinates)
    }

    fn rows(&self, system: &dyn System, coordinates: &[f64], rows: &mut ContactRows) -> f64 {
        self.0.rows(system, coordinates, rows)
    }
}

fn distance(regions: [Region; 2], system: &dyn System, coordinates: &[f64]) -> f64 {
    match regions {
        [Region::Sphere(one), Region::Sphere(two)] => {
            let [a, b] = [one, two].map(|ball| ball.center.position(system, coordinates));
            (a - b).norm() - one.radius - two.radius
        }
        [Region::Sphere(ball), Region::HalfSpace(plane)] => {
            plane.distance(&ball.center.position(system, coordinates)) - ball.radius
        }
        _ => panic!("{regions:?}"),
    }
}

fn each_gap(judge: impl Fn(&dyn GapFunction, &FreeBodies)) {
    let bodies = vec![Body::new(2.0, Matrix3::from_diagonal(&Vector3::new(1.0, 2.0, 2.5))); 4];
    let system = FreeBodies::new(bodies, Vector3::zeros()).unwrap();
    let ball = |body| Sphere::on_body(body, Vector3::new(0.1, -0.3, 0.2), 0.2);
    let rod = |body| Rod::of_body(body, 0.8, 0.1);
    let fixed = Rod::in_world([Vector3::zeros(), Vector3::new(1.0, 2.0, 3.0)], 0.3);
    let plane = Plane::new(&Vector3::new(0.3, 0.1, 1.0), &Vector3::new(0.0, 0.0, -0.2)).unwrap();
    let [end, _] = rounded_rod_plane(2, 0.8, 0.1, plane).unwrap();
    let gaps: [&dyn GapFunction; 7] = [
        &SphereSphere::new(ball(3), ball(1)).unwrap(),
        &SphereSphere::new(ball(0), Sphere::in_world(Vector3::x(), 0.1)).unwrap(),
        &SpherePlane::new(ball(1), plane).unwrap(),
        &end,
        &RodRod::new(rod(0), rod(2)).unwrap(),
        &RodRod::new(rod(2), ball(1)).unwrap(),
        &RodRod::new(fixed, rod(3)).unwrap(),
    ];
    gaps.into_iter().for_each(|gap| judge(gap, &system));
}

proptest! {
    #[test]
    fn gap_is_at_least_the_distance_of_the_regions(q in vec(-1.0..1.0, 28)) {
        each_gap(|gap, system| {
            let apart = distance(gap.regions().unwrap(), system, &q);
            let excess = gap.gap(system, &q) - apart;
            assert!(excess > -1e-14, "{excess:e} {gap:?}");
            // The region of a ball is the ball.
            let is_rod = format!("{gap:?}").starts_with("RodRod");
            assert!(is_rod || excess < 1e-14, "{excess:e} {gap:?}");
        });
    }

    #[test]
    fn points_of_a_contact_have_the_rows_of_the_gap_to_the_bit(q in vec(-1.0..1.0, 28)) {
        each_gap(|gap, system| {
            assert!(gap.point_contact(system, &q).is_some());
            let [points, rows] = [gap, &Rows(gap) as &dyn GapFunction].map(|gap| {
                let mut set = ContactSet::for_system(system);
                // The second contact finds no rests of the first.
                for _ in 0..2 {
                    set.push_gap(system, &q, gap, 0.5, 0.0).unwrap();
                }
                set.divide_by_mass(system, &q).unwrap();
                let (mut jacobian, mut delassus) = (DMatrix::zeros(0, 0), DMatrix::zeros(0, 0));
                set.contact_jacobian(&mut jacobian);
                set.delassus(&mut delassus).unwrap();
                (set.gaps().to_vec(), jacobian, delassus)
            });
            assert_eq!(points, rows, "{gap:?}");
        });
    }
}
