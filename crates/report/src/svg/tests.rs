//! What a drawn figure shows, read from its document.

use percussion_record::{Axis, Map};

use super::*;

fn figure(series: Vec<Series>) -> Figure {
    Figure {
        id: "figure".into(),
        title: "a < b & \"c\"".into(),
        caption: "A caption.".into(),
        x: Axis::new("time", "s"),
        y: Axis::new("height", "m"),
        equal_aspect: false,
        map: None,
        series,
    }
}

fn series(label: &str, mark: Mark, points: &[[f64; 2]]) -> Series {
    Series { label: label.into(), mark, points: points.to_vec() }
}

const ARC: [[f64; 2]; 3] = [[0.0, 0.0], [1.0, 2.0], [2.0, 1.0]];

#[test]
fn a_line_breaks_where_a_point_is_not_finite() {
    let broken = [[0.0, 0.0], [1.0, 1.0], [f64::NAN, 0.0], [2.0, 1.0], [3.0, 0.0]];
    let whole = [[0.0, 0.0], [1.0, 1.0], [2.0, 1.0], [3.0, 0.0]];
    let lines = |points: &[[f64; 2]]| {
        draw(&figure(vec![series("", Mark::Line, points)])).matches('M').count()
    };
    assert_eq!(lines(&broken), lines(&whole) + 1);
}

#[test]
fn series_of_one_name_share_one_legend_entry_and_no_name_has_none() {
    let document = draw(&figure(vec![
        series("ball", Mark::Outline, &ARC),
        series("ball", Mark::Line, &ARC),
        series("", Mark::Outline, &ARC),
    ]));
    assert_eq!(document.matches("ball").count(), 1);
}

#[test]
fn markup_in_names_is_escaped() {
    let document = draw(&figure(vec![series("<b>", Mark::Dots, &ARC)]));
    assert!(document.contains("&lt;b&gt;") && document.contains("a &lt; b &amp; &quot;c&quot;"));
    assert!(!document.contains("<b>"));
}

#[test]
fn one_unit_has_the_same_length_on_both_axes_when_asked() {
    for points in [[[0.0, 0.0], [10.0, 1.0]], [[0.0, 0.0], [1.0, 10.0]], [[0.0, 0.0], [1.0, 0.7]]] {
        let mut figure = figure(vec![series("", Mark::Line, &points)]);
        figure.equal_aspect = true;
        let (x, y) = scales(&figure, 0.0);
        let across = x.pixel(1.0) - x.pixel(0.0);
        let up = y.pixel(0.0) - y.pixel(1.0);
        assert!((across - up).abs() < 1e-9 * across, "{across} px against {up} px");
    }
}

#[test]
fn an_area_is_one_element_below_the_grid_and_has_a_swatch() {
    let square = |from: f64, to: f64| [[from, from], [to, from], [to, to], [from, to]];
    let mut points = square(0.0, 3.0).to_vec();
    points.push([f64::NAN; 2]);
    points.extend(square(1.0, 2.0).iter().rev());
    let document = draw(&figure(vec![series("reached", Mark::Region, &points)]));
    let area = "<path fill=\"#8b95a3\" d=\"";
    // The swatch, and the area with its hole, as two closed curves.
    let mut areas = document.split(area).skip(1).map(|rest| rest.split('"').next().unwrap());
    assert_eq!(areas.next().map(|swatch| swatch.matches('z').count()), Some(1));
    assert_eq!(areas.next().map(|area| area.matches('z').count()), Some(2));
    assert_eq!(areas.next(), None);
    assert!(document.rfind(area) < document.find("#e8ebef"), "the grid is above the area");
}

#[test]
fn any_data_gives_a_document_within_the_page() {
    let values = [0.0, -1.0, 1e300, -1e299, 1e-310, f64::NAN, f64::INFINITY, f64::MAX];
    let points: Vec<[f64; 2]> =
        values.iter().flat_map(|x| values.iter().map(|y| [*x, *y])).collect();
    for mark in [Mark::Line, Mark::Outline, Mark::Dots, Mark::Arrows, Mark::Region, Mark::Backdrop]
    {
        for count in [0, 1, 2, points.len()] {
            for equal_aspect in [false, true] {
                let mut figure = figure(vec![series("all", mark, &points[..count])]);
                figure.equal_aspect = equal_aspect;
                if count % 2 == 0 {
                    (figure.x, figure.y) = (figure.x.logarithmic(), figure.y.logarithmic());
                }
                let document = draw(&figure);
                assert!(document.ends_with("</svg>\n"), "unfinished document");
                assert!(!document.contains("2147483647"), "a point fell off the page");
            }
        }
    }
}

#[test]
fn a_map_has_a_rectangle_for_each_cell_and_a_bar_with_its_unit() {
    let value = Axis::new("speed", "m/s");
    let cells = vec![[0.5, 0.5, 0.0], [1.5, 0.5, 1.0], [1.5, 1.5, f64::NAN]];
    let mut figure = figure(vec![series("wall", Mark::Outline, &[[0.0, 0.0], [2.0, 0.0]])]);
    let plain = draw(&figure);
    figure.map = Some(Map { value, cell: [1.0, 1.0], cells });
    let document = draw(&figure);
    let count = |document: &str, color: &str| document.matches(color).count();
    // The lowest and the highest color of viridis, once in the plot.
    for color in ["#440154", "#fee825"] {
        assert_eq!((count(&plain, color), count(&document, color)), (0, 1), "{color}");
    }
    assert!(document.contains("speed (m/s)"));
    // Only rectangles have vertical sides.
    let rectangles = |document: &str| document.matches('V').count();
    assert_eq!(rectangles(&document), rectangles(&plain) + 2 + 120);
    // The map makes room for whole cells.
    let (x, _) = scales(&figure, 0.0);
    assert!(x.range.0 <= 0.0 && x.range.1 >= 2.0, "{:?}", x.range);
}
