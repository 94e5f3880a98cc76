//! A drawing surface measured in pixels with a resolution of a tenth of a pixel.

use std::fmt::Write as _;

use plotters::style::RGBColor;

/// A point of the page (px): to the right and down from the upper left corner.
pub(super) type Point = (f64, f64);

/// The placement of a text relative to its point.
#[derive(Clone, Copy, Debug)]
pub(super) enum Anchor {
    /// The text begins at the point, vertically centered.
    Start,
    /// The text is centered on the point.
    Middle,
    /// The text ends at the point, vertically centered.
    End,
    /// The text is centered on the point and rotated to read upwards.
    Upwards,
}

/// The style of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Font {
    /// Height (px).
    pub(super) size: f64,
    /// Color.
    pub(super) color: RGBColor,
    /// Whether it is bold.
    pub(super) bold: bool,
}

impl Font {
    /// Upper estimate of the width of `text` (px), since the reader's fonts are not known.
    pub(super) fn width(self, text: &str) -> f64 {
        self.em() * text.chars().count() as f64
    }

    /// Number of characters that certainly fit into `room` (px).
    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
    pub(super) fn characters(self, room: f64) -> usize {
        (room / self.em()) as usize
    }

    /// Upper estimate of the mean width of a character (px).
    fn em(self) -> f64 {
        self.size * if self.bold { 0.61 } else { 0.57 }
    }

    /// This font, or a smaller one if `text` would be wider than `room` (px), but at least 7 px.
    pub(super) fn fitting(self, text: &str, room: f64) -> Self {
        let scale = (room / self.width(text)).min(1.0);
        Self { size: (self.size * scale).max(7.0), ..self }
    }
}

/// The stroke of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stroke {
    /// Color.
    pub(super) color: RGBColor,
    /// Width (px).
    pub(super) width: f64,
    /// Lengths of dash and gap (px), if the line is dashed.
    pub(super) dash: Option<(f64, f64)>,
}

/// An SVG document under construction.
///
/// Coordinates are integers in tenths of a pixel. Successive lines, dots, rectangles and areas of one style are one
/// element: a page with a hundred figures then has thousands of elements less, and opens that much faster.
pub(super) struct Canvas<'a> {
    document: &'a mut String,
    /// The style of the open element, as attributes; empty if none is open.
    style: String,
}

const GRAIN: f64 = 10.0;

/// Distance by which a drawn line may deviate from its points (px), far less than its width.
const DEVIATION: f64 = 0.1;

impl<'a> Canvas<'a> {
    /// A canvas that draws into `document`, which begins with a background of `width × height` pixels.
    pub(super) fn new(document: &'a mut String, width: f64, height: f64, color: RGBColor) -> Self {
        let mut canvas = Self { document, style: String::new() };
        canvas.rectangle((0.0, 0.0), (width, height), color);
        canvas
    }

    /// A filled rectangle.
    pub(super) fn rectangle(&mut self, corner: Point, opposite: Point, color: RGBColor) {
        let ((left, top), (right, bottom)) = (place(corner), place(opposite));
        self.open(&format!("fill=\"{}\"", hex(color)));
        let _ = write!(self.document, "M{left} {top}H{right}V{bottom}H{left}z");
    }

    /// A line through `path`; nothing is drawn for fewer than two distinct points.
    pub(super) fn line(&mut self, path: &[Point], stroke: Stroke) {
        let Some((on, off)) = stroke.dash else { return self.solid(path, stroke) };
        for dash in dashes(path, on, off) {
            self.solid(&dash, stroke);
        }
    }

    fn solid(&mut self, path: &[Point], stroke: Stroke) {
        let mut places: Vec<_> = simplified(path).into_iter().map(place).collect();
        places.dedup();
        if places.len() > 1 {
            self.stroke(stroke.color, stroke.width);
            self.path(&places);
        }
    }

    /// Filled discs of the given `radius` (px).
    pub(super) fn dots(
        &mut self,
        centers: impl Iterator<Item = Point>,
        radius: f64,
        color: RGBColor,
    ) {
        for (x, y) in centers.map(place) {
            // A line without length and with round ends is a disc.
            self.stroke(color, 2.0 * radius);
            let _ = write!(self.document, "M{x} {y}h0");
        }
    }

    /// A filled polygon.
    pub(super) fn polygon(&mut self, corners: &[Point], color: RGBColor) {
        self.area(&[corners.to_vec()], color);
    }

    /// The area enclosed by `polygons`; one inside another that runs the other way around is a hole.
    pub(super) fn area(&mut self, polygons: &[Vec<Point>], color: RGBColor) {
        let places = |polygon: &Vec<Point>| -> Vec<(i32, i32)> {
            let mut places: Vec<_> = simplified(polygon).into_iter().map(place).collect();
            places.dedup();
            places
        };
        let polygons: Vec<_> =
            polygons.iter().map(places).filter(|places| places.len() > 2).collect();
        if polygons.is_empty() {
            return;
        }
        // An element of its own: its holes would otherwise depend on the areas before.
        self.close();
        self.open(&format!("fill=\"{}\"", hex(color)));
        for polygon in polygons {
            self.path(&polygon);
            self.document.push('z');
        }
        self.close();
    }

    /// A line of text.
    pub(super) fn text(&mut self, text: &str, point: Point, anchor: Anchor, font: Font) {
        self.close();
        let (x, y) = place(point);
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
            Anchor::Upwards => {
                &format!(" text-anchor=\"middle\" transform=\"rotate(-90 {x} {y})\"")
            }
        };
        let bold = if font.bold { " font-weight=\"bold\"" } else { "" };
        let _ = writeln!(
            self.document,
            "<text x=\"{x}\" y=\"{y}\" dy=\".5ex\" font-size=\"{}\" fill=\"{}\"{anchor}{bold}>{}</text>",
            units(font.size),
            hex(font.color),
            crate::escape(text),
        );
    }

    /// Closes the document.
    pub(super) fn finish(mut self) {
        self.close();
        *self.document += "</svg>\n";
    }

    /// Opens a path for lines of this style, unless it is open.
    fn stroke(&mut self, color: RGBColor, width: f64) {
        let width = units(width);
        self.open(&format!("fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"", hex(color)));
    }

    fn open(&mut self, style: &str) {
        if self.style != style {
            self.close();
            style.clone_into(&mut self.style);
            let _ = write!(self.document, "<path {style} d=\"");
        }
    }

    fn close(&mut self) {
        if !self.style.is_empty() {
            *self.document += "\"/>\n";
            self.style.clear();
        }
    }

    /// A path through `places`: after the first, each relative to the one before.
    fn path(&mut self, places: &[(i32, i32)]) {
        let Some(&(mut x, mut y)) = places.first() else { return };
        let _ = write!(self.document, "M{x} {y}l");
        for (index, &(to_x, to_y)) in places[1..].iter().enumerate() {
            let (across, down) = (i64::from(to_x) - i64::from(x), i64::from(to_y) - i64::from(y));
            let between = |value: i64, first: bool| if first || value < 0 { "" } else { " " };
            let (a, b) = (between(across, index == 0), between(down, false));
            let _ = write!(self.document, "{a}{across}{b}{down}");
            (x, y) = (to_x, to_y);
        }
    }
}

/// The points of `path` that a line within [`DEVIATION`] of all of them needs, by the method of Ramer and of Douglas and
/// Peucker: a piece between two kept points is halved at its farthest point while that is too far from the chord.
///
/// # Source
///
/// D. H. Douglas and T. K. Peucker, "Algorithms for the reduction of the number of points required to represent a digitized
/// line or its caricature", Cartographica 10(2) (1973), pages 112 to 122.
fn simplified(path: &[Point]) -> Vec<Point> {
    let mut keep = vec![false; path.len()];
    let Some(last) = path.len().checked_sub(1) else { return Vec::new() };
    (keep[0], keep[last]) = (true, true);
    let mut pieces = vec![(0, last)];
    while let Some((from, to)) = pieces.pop() {
        let away = |index: usize| distance(path[index], path[from], path[to]);
        let farthest = (from + 1..to).max_by(|&a, &b| away(a).total_cmp(&away(b)));
        if let Some(index) = farthest.filter(|&index| away(index) > DEVIATION) {
            keep[index] = true;
            pieces.extend([(from, index), (index, to)]);
        }
    }
    path.iter().zip(keep).filter_map(|(point, keep)| keep.then_some(*point)).collect()
}

/// The distance of `point` from the segment between `a` and `b` (px).
fn distance(point: Point, a: Point, b: Point) -> f64 {
    let (along, to) = ((b.0 - a.0, b.1 - a.1), (point.0 - a.0, point.1 - a.1));
    let length = along.0 * along.0 + along.1 * along.1;
    let share = if length > 0.0 {
        ((to.0 * along.0 + to.1 * along.1) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (to.0 - share * along.0).hypot(to.1 - share * along.1)
}

fn hex(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Adds to the finished `document` its size in pixels, a `title` and a `description` for readers who cannot see it,
/// the font and rounded joints.
pub(super) fn with_head(
    document: &str,
    (width, height): (f64, f64),
    title: &str,
    description: &str,
) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {} {}\" role=\"img\" font-family=\"sans-serif\" stroke-linejoin=\"round\" \
         stroke-linecap=\"round\">\n<title>{}</title>\n<desc>{}</desc>\n{document}",
        units(width),
        units(height),
        crate::escape(title),
        crate::escape(description),
    )
}

/// Cuts `path` into dashes of length `on` with gaps of length `off` (px).
fn dashes(path: &[Point], on: f64, off: f64) -> Vec<Vec<Point>> {
    let mut cut = Vec::new();
    let mut dash: Vec<Point> = path.iter().take(1).copied().collect();
    let (mut drawing, mut left) = (true, on);
    for pair in path.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let length = (to.0 - from.0).hypot(to.1 - from.1);
            if length <= left || !length.is_finite() {
                left -= length;
                break;
            }
            let share = left / length;
            from = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1));
            dash.push(from);
            if drawing {
                cut.push(std::mem::take(&mut dash));
            }
            drawing = !drawing;
            left = if drawing { on } else { off };
            dash = vec![from];
        }
        dash.push(to);
    }
    if drawing {
        cut.push(dash);
    }
    cut
}

fn place((x, y): Point) -> (i32, i32) {
    (units(x), units(y))
}

/// Tenths of a pixel.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, far outside the page")]
fn units(pixels: f64) -> i32 {
    (pixels * GRAIN).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_around_corners() {
        let path = [(0.0, 0.0), (3.0, 0.0), (3.0, 3.0)];
        let expected = vec![vec![(0.0, 0.0), (2.0, 0.0)], vec![(3.0, 0.0), (3.0, 2.0)]];
        assert_eq!(dashes(&path, 2.0, 1.0), expected);
    }

    #[test]
    fn a_line_keeps_the_points_that_its_shape_needs() {
        // The second point is 0.05 px from the chord, the fourth 1 px.
        let path = [(0.0, 0.0), (1.0, 0.05), (2.0, 0.0), (3.0, 1.0), (4.0, 0.0)];
        assert_eq!(simplified(&path), [path[0], path[2], path[3], path[4]]);
        // Back along the same way: the chord has no length, the turning point stays.
        let there = [(0.0, 0.0), (5.0, 0.0), (0.0, 0.0)];
        assert_eq!(simplified(&there), there);
        assert!(simplified(&[]).is_empty(), "no points");
    }

    #[test]
    fn every_dropped_point_is_close_to_the_line() {
        let path: Vec<Point> =
            (0..2000).map(|k| f64::from(k) * 0.3).map(|x| (x, 80.0 * (0.05 * x).sin())).collect();
        let kept = simplified(&path);
        assert!(kept.len() * 5 < path.len(), "{} of {} points", kept.len(), path.len());
        for &point in &path {
            let near = |pair: &[Point]| distance(point, pair[0], pair[1]);
            let least = kept.windows(2).map(near).fold(f64::INFINITY, f64::min);
            assert!(least <= DEVIATION, "{point:?} is {least} px from the line");
        }
    }

    #[test]
    fn marks_of_one_style_share_an_element() {
        let mut document = String::new();
        let mut canvas = Canvas::new(&mut document, 10.0, 10.0, RGBColor(255, 255, 255));
        let red = RGBColor(255, 0, 0);
        canvas.dots([(1.0, 2.0), (3.0, 4.0)].into_iter(), 1.5, red);
        canvas.line(
            &[(0.0, 0.0), (1.0, -2.0), (3.0, 0.0)],
            Stroke { color: red, width: 3.0, dash: None },
        );
        canvas.finish();
        let expected = "<path fill=\"#ffffff\" d=\"M0 0H100V100H0z\"/>\n\
            <path fill=\"none\" stroke=\"#ff0000\" stroke-width=\"30\" d=\"M10 20h0M30 40h0M0 0l10-20 20 20\"/>\n</svg>\n";
        assert_eq!(document, expected);
    }
}
