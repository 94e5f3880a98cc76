//! A drawing surface measured in pixels with a resolution of a tenth of a pixel.

use plotters::{
    backend::{DrawingBackend, SVGBackend},
    style::{
        FontTransform, IntoFont, RGBColor, ShapeStyle, TextStyle,
        text_anchor::{HPos, Pos, VPos},
    },
};

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
/// The SVG backend of `plotters` rounds to integers, so the document is in tenths of a pixel and [`Canvas::finish`]
/// scales it back in its header.
pub(super) struct Canvas<'a> {
    backend: SVGBackend<'a>,
}

const GRAIN: f64 = 10.0;

impl<'a> Canvas<'a> {
    /// A canvas of `width × height` pixels that draws into `document`.
    pub(super) fn new(document: &'a mut String, width: f64, height: f64) -> Self {
        let size = (units(width).unsigned_abs(), units(height).unsigned_abs());
        Self { backend: SVGBackend::with_string(document, size) }
    }

    /// A filled rectangle.
    pub(super) fn rectangle(&mut self, corner: Point, opposite: Point, color: RGBColor) {
        infallible(self.backend.draw_rect(place(corner), place(opposite), &color, true));
    }

    /// A line through `path`; nothing is drawn for fewer than two distinct points.
    pub(super) fn line(&mut self, path: &[Point], stroke: Stroke) {
        let Some((on, off)) = stroke.dash else { return self.solid(path, stroke) };
        for dash in dashes(path, on, off) {
            self.solid(&dash, stroke);
        }
    }

    fn solid(&mut self, path: &[Point], stroke: Stroke) {
        let mut places: Vec<_> = path.iter().map(|&point| place(point)).collect();
        places.dedup();
        if places.len() > 1 {
            let style =
                ShapeStyle::from(&stroke.color).stroke_width(units(stroke.width).unsigned_abs());
            infallible(self.backend.draw_path(places, &style));
        }
    }

    /// A filled disc of the given `radius` (px).
    pub(super) fn dot(&mut self, center: Point, radius: f64, color: RGBColor) {
        let radius = units(radius).unsigned_abs();
        infallible(self.backend.draw_circle(place(center), radius, &color, true));
    }

    /// A filled polygon.
    pub(super) fn polygon(&mut self, corners: &[Point], color: RGBColor) {
        let corners = corners.iter().map(|&corner| place(corner));
        infallible(self.backend.fill_polygon(corners, &color));
    }

    /// The area enclosed by `polygons`, as one polygon so that holes stay open: it runs through the first corners of
    /// all, and back the same way, which encloses no area.
    pub(super) fn area(&mut self, polygons: &[Vec<Point>], color: RGBColor) {
        let mut corners: Vec<Point> = Vec::new();
        for polygon in polygons {
            corners.extend(polygon);
            corners.extend(polygon.first());
        }
        corners.extend(polygons.iter().rev().filter_map(|polygon| polygon.first()));
        if corners.len() > 2 {
            self.polygon(&corners, color);
        }
    }

    /// A line of text.
    pub(super) fn text(&mut self, text: &str, point: Point, anchor: Anchor, font: Font) {
        let (horizontal, turn) = match anchor {
            Anchor::Start => (HPos::Left, FontTransform::None),
            Anchor::Middle => (HPos::Center, FontTransform::None),
            Anchor::End => (HPos::Right, FontTransform::None),
            Anchor::Upwards => (HPos::Center, FontTransform::Rotate270),
        };
        // The backend divides the size by 1.24.
        let mut description = ("sans-serif", 1.24 * GRAIN * font.size).into_font().transform(turn);
        if font.bold {
            description = description.style(plotters::style::FontStyle::Bold);
        }
        let style =
            TextStyle::from(description).color(&font.color).pos(Pos::new(horizontal, VPos::Center));
        infallible(self.backend.draw_text(text, &style, place(point)));
    }

    /// Closes the document.
    pub(super) fn finish(mut self) {
        infallible(self.backend.present());
    }
}

/// Adds to the finished `document` its size in pixels, a `title` and a `description` for readers who cannot see it,
/// and rounded joints.
pub(super) fn with_head(
    document: &str,
    (width, height): (f64, f64),
    title: &str,
    description: &str,
) -> String {
    let body = document.split_once('>').map_or(document, |(_, body)| body);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {} {}\" role=\"img\" stroke-linejoin=\"round\" stroke-linecap=\"round\">\n\
         <title>{}</title>\n<desc>{}</desc>{body}",
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

/// Drawing into a string cannot fail: the backend only returns errors of files.
fn infallible<E>(result: Result<(), E>) {
    debug_assert!(result.is_ok(), "the SVG backend failed to write into a string");
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
}
