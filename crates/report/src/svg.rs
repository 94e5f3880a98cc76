//! Figures as SVG documents.
//!
//! A document is 700 px wide on a white card, so that it is legible on light and dark pages. Letters use the
//! reader's sans-serif font, so drawing needs no fonts on the machine. Colors are those of Okabe and Ito, which
//! color-blind readers can distinguish; from the eighth series on, lines are dashed and dots hollow.
//!
//! # Source
//!
//! M. Okabe and K. Ito, "Color universal design: how to make figures and presentations that are
//! friendly to colorblind people" (2008), figure 16.

mod canvas;
mod legend;
mod map;
mod scale;

use percussion_record::{Figure, Mark, Series};
use plotters::style::RGBColor;

use canvas::{Anchor, Canvas, Font, Point, Stroke, with_head};
use legend::Legend;
use scale::{Scale, drawable, range, spaced};

use crate::terminal::wrapped;

const WIDTH: f64 = 700.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 18.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 56.0;
const PLOT_WIDTH: f64 = WIDTH - LEFT - RIGHT;
const PLOT_HEIGHT: f64 = 310.0;

const PAPER: RGBColor = RGBColor(255, 255, 255);
const INK: RGBColor = RGBColor(31, 41, 55);
const MUTED: RGBColor = RGBColor(130, 138, 150);
const GRID: RGBColor = RGBColor(232, 235, 239);
const FRAME: RGBColor = RGBColor(176, 183, 192);

const TITLE_LINE: f64 = 20.0;
const TITLE: Font = Font { size: 16.0, color: INK, bold: true };
const CAPTION: Font = Font { size: 14.0, color: INK, bold: false };
const TICK: Font = Font { size: 13.0, color: INK, bold: false };

/// Draws `figure`.
///
/// Values that are not finite, or not positive on a logarithmic axis, interrupt lines and are otherwise left out; a figure without any value contains a
/// note. Two figures with the same data give the same document.
///
/// # Example
///
/// ```
/// use percussion_report::svg;
/// use percussion_record::{Axis, Figure, Mark, Series};
///
/// let figure = Figure {
///     id: "height".into(),
///     title: "A ball falls".into(),
///     caption: "Its height against time.".into(),
///     x: Axis::new("time", "s"),
///     y: Axis::new("height", "m"),
///     equal_aspect: false,
///     map: None,
///     series: vec![Series {
///         label: "ball".into(),
///         mark: Mark::Line,
///         points: vec![[0.0, 1.0], [0.2, 0.8], [0.4, 0.2]],
///     }],
/// };
/// let document = svg::draw(&figure);
/// assert!(document.starts_with("<svg") && document.contains("height (m)"));
/// ```
#[must_use]
pub fn draw(figure: &Figure) -> String {
    let title = wrapped(&figure.title, TITLE.characters(PLOT_WIDTH));
    let legend = Legend::new(figure, PLOT_WIDTH);
    let below_title = title.lines().count() as f64 * TITLE_LINE + TOP + 6.0;
    let top = below_title + legend.height();
    let (x, y) = scales(figure, top);
    let below = y.pixels.0 + BOTTOM;
    let height = below + figure.map.as_ref().map_or(0.0, |_| map::BAR_HEIGHT);

    let mut document = String::new();
    let mut canvas = Canvas::new(&mut document, WIDTH, height, PAPER);
    for (index, line) in title.lines().enumerate() {
        let middle = TOP + (index as f64 + 0.5) * TITLE_LINE;
        canvas.text(line, (LEFT, middle), Anchor::Start, TITLE);
    }
    legend.draw(&mut canvas, (LEFT, below_title));
    let plot = Plot { x, y };
    let (areas, others): (Vec<_>, Vec<_>) =
        figure.series.iter().partition(|series| shade(series.mark).is_some());
    let draw = |canvas: &mut Canvas<'_>, all: &[&Series]| {
        all.iter().for_each(|series| plot.series(canvas, series, legend.color(series)));
    };
    if let Some(map) = &figure.map {
        axes(&mut canvas, figure, &plot.x, &plot.y);
        map::draw(&mut canvas, map, (&plot.x, &plot.y), below);
        draw(&mut canvas, &areas);
    } else {
        // The grid is drawn so that it stays visible on areas.
        draw(&mut canvas, &areas);
        axes(&mut canvas, figure, &plot.x, &plot.y);
    }
    draw(&mut canvas, &others);
    canvas.finish();
    with_head(&document, (WIDTH, height), &figure.title, &figure.caption)
}

/// The scales of a figure whose plot begins `top` pixels below the upper edge.
fn scales(figure: &Figure, top: f64) -> (Scale, Scale) {
    let corners: Vec<[f64; 2]> = figure.map.iter().flat_map(map::corners).collect();
    let points = || {
        let all = figure.series.iter().flat_map(|series| series.points.iter()).chain(&corners);
        let all = all.map(|[x, y]| [spaced(*x, figure.x.spacing), spaced(*y, figure.y.spacing)]);
        all.filter(|[x, y]| drawable(*x) && drawable(*y))
    };
    let mut x =
        range(points().map(|point| point[0]), if figure.equal_aspect { 0.04 } else { 0.02 });
    let mut y = range(points().map(|point| point[1]), 0.06);
    let mut height = PLOT_HEIGHT;
    if figure.equal_aspect {
        let natural = PLOT_WIDTH * (y.1 - y.0) / (x.1 - x.0);
        height = natural.clamp(140.0, 460.0);
        if natural > height {
            x = widened(x, (y.1 - y.0) * PLOT_WIDTH / height);
        } else {
            y = widened(y, (x.1 - x.0) * height / PLOT_WIDTH);
        }
    }
    let x = Scale { range: x, pixels: (LEFT, LEFT + PLOT_WIDTH), spacing: figure.x.spacing };
    let y = Scale { range: y, pixels: (top + height, top), spacing: figure.y.spacing };
    (x, y)
}

/// `range` extended to the given `length` about the same center.
fn widened((low, high): (f64, f64), length: f64) -> (f64, f64) {
    let room = 0.5 * (length - (high - low));
    (low - room, high + room)
}

/// Draws grid, frame, ticks and the captions of the axes.
fn axes(canvas: &mut Canvas<'_>, figure: &Figure, x: &Scale, y: &Scale) {
    let (left, right) = x.pixels;
    let (bottom, top) = y.pixels;
    let thin = |color| Stroke { color, width: 1.0, dash: None };
    let x_ticks = x.ticks(80.0);
    let y_ticks = y.ticks(((bottom - top) / 6.0).min(42.0));
    let columns: Vec<f64> = x_ticks.marks.iter().map(|(value, _)| x.pixel(*value)).collect();
    let rows: Vec<f64> = y_ticks.marks.iter().map(|(value, _)| y.pixel(*value)).collect();
    columns.iter().for_each(|&at| canvas.line(&[(at, bottom), (at, top)], thin(GRID)));
    rows.iter().for_each(|&at| canvas.line(&[(left, at), (right, at)], thin(GRID)));
    columns.iter().for_each(|&at| canvas.line(&[(at, bottom), (at, bottom + 4.0)], thin(FRAME)));
    rows.iter().for_each(|&at| canvas.line(&[(left - 4.0, at), (left, at)], thin(FRAME)));
    let frame = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    canvas.line(&frame, thin(FRAME));
    for ((_, label), &at) in x_ticks.marks.iter().zip(&columns) {
        canvas.text(label, (at, bottom + 15.0), Anchor::Middle, TICK);
    }
    for ((_, label), &at) in y_ticks.marks.iter().zip(&rows) {
        canvas.text(label, (left - 8.0, at), Anchor::End, TICK.fitting(label, LEFT - 34.0));
    }

    let caption = x_ticks.caption(&figure.x);
    let font = CAPTION.fitting(&caption, right - left);
    canvas.text(&caption, (0.5 * (left + right), bottom + 38.0), Anchor::Middle, font);
    let caption = y_ticks.caption(&figure.y);
    let font = CAPTION.fitting(&caption, bottom - top + 20.0);
    canvas.text(&caption, (18.0, 0.5 * (bottom + top)), Anchor::Upwards, font);
    let empty = figure.series.iter().all(|series| series.points.is_empty())
        && figure.map.as_ref().is_none_or(|map| map.cells.is_empty());
    if empty {
        let middle = (0.5 * (left + right), 0.5 * (bottom + top));
        canvas.text("no data", middle, Anchor::Middle, Font { color: MUTED, ..CAPTION });
    }
}

/// The area inside the axes.
struct Plot {
    x: Scale,
    y: Scale,
}

impl Plot {
    fn series(&self, canvas: &mut Canvas<'_>, series: &Series, (color, dashed): (RGBColor, bool)) {
        match series.mark {
            Mark::Outline => self.lines(canvas, series, outline(color)),
            Mark::Dots => {
                let radius = dot_radius(series.points.len());
                let centers: Vec<Point> =
                    series.points.iter().filter_map(|point| self.place(point)).collect();
                dots(canvas, &centers, radius, (color, dashed));
            }
            Mark::Arrows => {
                for pair in series.points.chunks_exact(2) {
                    if let (Some(tail), Some(head)) = (self.place(&pair[0]), self.place(&pair[1])) {
                        arrow(canvas, tail, head, color);
                    }
                }
            }
            Mark::Region | Mark::Backdrop => {
                let polygons = self.runs(series);
                canvas.area(&polygons, shade(series.mark).unwrap_or(color));
            }
            // `Line`, and marks of later versions of `percussion-record`.
            _ => self.lines(canvas, series, line(color, dashed)),
        }
    }

    /// Draws a line through the points, interrupted where one is not finite.
    fn lines(&self, canvas: &mut Canvas<'_>, series: &Series, stroke: Stroke) {
        for path in self.runs(series) {
            canvas.line(&path, stroke);
        }
    }

    /// The points, split where one is not finite.
    fn runs(&self, series: &Series) -> Vec<Vec<Point>> {
        let places: Vec<Option<Point>> =
            series.points.iter().map(|point| self.place(point)).collect();
        let runs = places.split(Option::is_none);
        runs.map(|run| run.iter().copied().flatten().collect()).collect()
    }

    fn place(&self, [x, y]: &[f64; 2]) -> Option<Point> {
        (self.x.has(*x) && self.y.has(*y)).then(|| (self.x.pixel(*x), self.y.pixel(*y)))
    }
}

/// The color of a mark that fills an area.
fn shade(mark: Mark) -> Option<RGBColor> {
    match mark {
        Mark::Region => Some(RGBColor(139, 149, 163)),
        Mark::Backdrop => Some(RGBColor(221, 225, 231)),
        _ => None,
    }
}

fn line(color: RGBColor, dashed: bool) -> Stroke {
    Stroke { color, width: 1.9, dash: dashed.then_some((6.0, 4.5)) }
}

fn outline(color: RGBColor) -> Stroke {
    Stroke { color, width: 1.1, dash: None }
}

/// Dots; hollow where a line would be dashed.
fn dots(
    canvas: &mut Canvas<'_>,
    centers: &[Point],
    radius: f64,
    (color, hollow): (RGBColor, bool),
) {
    canvas.dots(centers.iter().copied(), radius, color);
    if hollow {
        canvas.dots(centers.iter().copied(), 0.55 * radius, PAPER);
    }
}

/// The radius of dots, smaller for many dots (px).
fn dot_radius(count: usize) -> f64 {
    match count {
        0..=60 => 3.2,
        61..=400 => 2.2,
        _ => 1.4,
    }
}

fn arrow(canvas: &mut Canvas<'_>, tail: Point, head: Point, color: RGBColor) {
    let length = (head.0 - tail.0).hypot(head.1 - tail.1);
    if length == 0.0 {
        return;
    }
    let along = ((head.0 - tail.0) / length, (head.1 - tail.1) / length);
    let barb = length.min(9.0);
    let half = 0.4 * barb;
    let neck = (head.0 - barb * along.0, head.1 - barb * along.1);
    let left = (neck.0 - half * along.1, neck.1 + half * along.0);
    let right = (neck.0 + half * along.1, neck.1 - half * along.0);
    canvas.line(&[tail, neck], Stroke { color, width: 1.6, dash: None });
    canvas.polygon(&[head, left, right], color);
}

#[cfg(test)]
mod tests;
