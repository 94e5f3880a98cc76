//! What is remembered from step to step changes the time of a step, and no bit of it.

use std::sync::Arc;

use nalgebra::{UnitQuaternion, Vector3};

use super::*;

/// Bricks and pairs of balls that fall into a corner.
fn heap() -> Bodies {
    let plane = |normal| Boundary::plane(Vector3::zeros(), normal, 0.5).unwrap();
    let planes = vec![plane(Vector3::z()), plane(Vector3::x()), plane(Vector3::y())];
    let settings = Settings { max_sweeps: 5, tolerance: 0.0, ..Settings::default() };
    let mut heap = Bodies::new(settings, planes).unwrap();
    let ball = |x| Ball { center: Vector3::new(x, 0.0, 0.0), radius: 0.06 };
    let forms = [
        Arc::new(Form::cuboid(Vector3::new(0.1, 0.075, 0.05), 3.0, 0.5).unwrap()),
        Arc::new(Form::clump(&[ball(-0.04), ball(0.05)], 1000.0, 0.5).unwrap()),
    ];
    for k in 0..240_u32 {
        let node = Vector3::new(k % 12, k / 12 % 4, k / 48).map(f64::from);
        let form = &forms[usize::from(k % 5 == 0)];
        let mut body = Body::at(form, 0.26 * (node + Vector3::repeat(0.5)));
        body.orientation = UnitQuaternion::from_scaled_axis((node * 1.7).map(f64::sin));
        body.velocity = Vector3::new(-0.5, -0.5, -1.0);
        heap.add(body).unwrap();
    }
    heap
}

/// Steps a heap as it is and one that `forgets` before each step, and compares all bits.
fn assert_same_bits(forgets: impl Fn(&mut Bodies)) {
    let mut heap = heap();
    let (mut searches, mut contacts) = (0, 0);
    let mut forgetful = heap.clone();
    for step in 0..300 {
        if step == 120 {
            heap = heap.clone();
        }
        forgets(&mut forgetful);
        let reports = [&mut heap, &mut forgetful].map(|bodies| bodies.step().unwrap());
        assert_eq!(reports[0], reports[1], "step {step}");
        searches += usize::from(reports[0].searched);
        contacts = reports[0].contacts;
    }
    assert_eq!(heap.bodies(), forgetful.bodies());
    assert!(heap.slabs.len() > 2, "several slabs");
    assert!(searches < 150 && contacts > 200, "{searches} searches, {contacts} contacts");
}

#[test]
fn pairs_that_are_passed_over_have_no_contacts() {
    assert_same_bits(|bodies| bodies.slabs.iter_mut().for_each(Slab::forget_gaps));
}

#[test]
fn impulses_are_found_by_name_as_by_pair() {
    assert_same_bits(Bodies::recall);
}

#[test]
fn impulses_outlive_a_change_of_settings_and_bodies_that_leave() {
    let mut heap = heap();
    for _ in 0..250 {
        heap.step().unwrap();
    }
    let kept = |heap: &Bodies| {
        let mut heap = heap.clone();
        heap.recall();
        heap.memory.len()
    };
    let before = kept(&heap);
    assert!(before > 150, "{before}");
    heap.set_settings(*heap.settings()).unwrap();
    assert_eq!(kept(&heap), before);
    assert_eq!(heap.touches().count(), 0);
    let first = heap.bodies()[0].position;
    assert_eq!(heap.remove(|body| body.position == first), 1);
    assert_eq!(kept(&heap), before);
    // The heap goes on from the impulses, and hardly moves.
    let report = heap.step().unwrap();
    assert!(report.contacts > 150, "{report:?}");
}
