//! The content of a film, read from its drawing and its frames.

use percussion_record::view::{BodyView, FORMAT, PlaneView};

use super::*;

/// Motions of a ball of 0.1 m from (0, 1) to the given ends in 1 s.
fn view(dimension: Dimension, ends: &[(&str, [f32; 2])]) -> View {
    let pose = |[x, y]: [f32; 2]| match dimension {
        Dimension::Plane => vec![x, y, 0.0],
        Dimension::Space => vec![x, 0.0, y, 1.0, 0.0, 0.0, 0.0],
    };
    let motion = |(name, end): &(&str, [f32; 2])| Motion {
        name: (*name).to_owned(),
        times: vec![0.0, 1.0],
        poses: vec![pose([0.0, 1.0]), pose(*end)],
        touches: vec![Vec::new(); 2],
        ..Motion::default()
    };
    View {
        format: FORMAT.into(),
        title: "A <ball>".into(),
        caption: String::new(),
        dimension,
        bodies: vec![BodyView {
            name: "ball".into(),
            solids: vec![Solid::Ball { center: [0.0; 3], radius: 0.1 }],
        }],
        planes: vec![PlaneView { name: "floor".into(), point: [0.0; 3], normal: [0.0, 1.0, 0.0] }],
        contacts: Vec::new(),
        motions: ends.iter().map(motion).collect(),
        sets: Vec::new(),
    }
}

fn frames(film: &Film) -> Vec<Vec<Vec<f64>>> {
    serde_json::from_str(&film.frames).unwrap()
}

#[test]
fn a_fall_is_drawn_to_scale_from_its_start_to_its_end() {
    let film = film(&view(Dimension::Plane, &[("fall", [0.0, 0.1])])).unwrap();
    let frames = frames(&film);
    assert_eq!((frames.len(), frames[0].len()), (1, FRAMES));
    let (start, end) = (&frames[0][0], &frames[0][FRAMES - 1]);
    // The picture is 270 px high for 1.1 m with 8 % room, so that the ball falls 0.9 m by 204.5 px.
    let scale = 270.0 / (1.08 * 1.1);
    assert!((end[1] - start[1] - 0.9 * scale).abs() < 0.2, "{start:?}, {end:?}");
    assert!((start[0] - 240.0).abs() < 0.1 && (end[0] - 240.0).abs() < 0.1, "in the middle");
    assert!(film.drawing.contains("A &lt;ball&gt;") && film.drawing.contains("class=\"ground\""));
    assert_eq!(film.caption, "Slowed 4 times.");
}

#[test]
fn equal_ends_share_a_panel_and_different_ones_get_their_own() {
    let ends = [("a", [0.0, 0.1]), ("b", [1.0, 0.1]), ("c, at length", [0.0, 0.1])];
    let film = film(&view(Dimension::Plane, &ends)).unwrap();
    assert_eq!(frames(&film).len(), 2);
    assert!(
        film.drawing.contains(">a, 1 more<") && film.drawing.contains(">b<"),
        "{}",
        film.drawing
    );
    assert!(film.caption.starts_with("2 outcomes"), "{}", film.caption);
}

#[test]
fn all_frames_are_inside_the_panels() {
    let ends = [
        ("a", [3.0, 0.1]),
        ("b", [-2.0, 5.0]),
        ("c", [0.0, -4.0]),
        ("d", [9.0, 9.0]),
        ("e", [1.0, 1.0]),
    ];
    for dimension in [Dimension::Plane, Dimension::Space] {
        let film = film(&view(dimension, &ends)).unwrap();
        let frames = frames(&film);
        assert_eq!(frames.len(), PANELS);
        for [x, y] in frames.iter().flatten().map(|frame| [frame[0], frame[1]]) {
            assert!((0.0..=SIZE[0]).contains(&x) && (0.0..=SIZE[1]).contains(&y), "{x}, {y}");
        }
    }
}

#[test]
fn what_cannot_be_drawn_has_no_film() {
    let good = view(Dimension::Plane, &[("fall", [0.0, 0.1])]);
    let mut turning = view(Dimension::Space, &[("fall", [0.0, 0.1])]);
    turning.bodies[0].solids = vec![Solid::Box { half_edges: [1.0; 3], center: [0.0; 3] }];
    let mut still = good.clone();
    still.motions[0].times = vec![0.0, 0.0];
    let mut empty = good.clone();
    empty.motions[0].poses.clear();
    let mut bare = good.clone();
    bare.bodies.clear();
    assert!(film(&good).is_some());
    for view in [turning, still, empty, bare] {
        assert!(film(&view).is_none());
    }
}
