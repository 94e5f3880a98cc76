//! The legend and the colors of the series.

use percussion_record::{Figure, Mark, Series};
use plotters::style::RGBColor;

use super::{
    CAPTION, MUTED, arrow,
    canvas::{Anchor, Canvas, Font, Point},
    dot_radius, dots, line, outline, shade,
};

/// Okabe and Ito's colors without black and yellow, which are hard to see on dark and on light pages, and with their
/// orange before the lighter blue.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(75, 85, 99),
];

const FONT: Font = Font { size: 13.0, ..CAPTION };
const ROW: f64 = 20.0;
const SWATCH: f64 = 24.0;
const GAP: f64 = 18.0;

/// The labels of a figure, laid out in rows.
pub(super) struct Legend {
    /// Labels with a color, in the order of their first appearance.
    colored: Vec<String>,
    entries: Vec<Entry>,
    rows: u32,
}

struct Entry {
    series: Series,
    corner: Point,
}

impl Legend {
    /// The legend of `figure` for a plot `width` pixels wide.
    pub(super) fn new(figure: &Figure, width: f64) -> Self {
        let mut colored: Vec<String> = Vec::new();
        let mut named: Vec<Series> = Vec::new();
        for series in figure.series.iter().filter(|series| !series.label.is_empty()) {
            let gray = series.mark == Mark::Outline || shade(series.mark).is_some();
            if !gray && !colored.contains(&series.label) {
                colored.push(series.label.clone());
            }
            let known = named.iter_mut().find(|known| known.label == series.label);
            match known {
                Some(known) if known.mark == Mark::Outline => known.mark = series.mark,
                Some(_) => {}
                None => named.push(Series { points: Vec::new(), ..series.clone() }),
            }
        }
        let (mut entries, mut rows, mut x) = (Vec::new(), 0, f64::INFINITY);
        for series in named {
            let needed = SWATCH + 6.0 + FONT.width(&series.label);
            if x + needed > width {
                rows += 1;
                x = 0.0;
            }
            entries.push(Entry { series, corner: (x, f64::from(rows - 1) * ROW) });
            x += needed + GAP;
        }
        Self { colored, entries, rows }
    }

    /// Height (px).
    pub(super) fn height(&self) -> f64 {
        if self.rows == 0 { 0.0 } else { f64::from(self.rows) * ROW + 6.0 }
    }

    /// The color of `series`, and whether its lines are dashed to distinguish it from an earlier one of the same
    /// color.
    pub(super) fn color(&self, series: &Series) -> (RGBColor, bool) {
        match self.colored.iter().position(|label| *label == series.label) {
            Some(index) => (PALETTE[index % PALETTE.len()], index >= PALETTE.len()),
            None if series.mark == Mark::Outline => (MUTED, false),
            None => (PALETTE[PALETTE.len() - 1], false),
        }
    }

    /// Draws the legend with its upper left corner at `corner`.
    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, corner: Point) {
        for entry in &self.entries {
            let (color, dashed) = self.color(&entry.series);
            let left = corner.0 + entry.corner.0;
            let middle = corner.1 + entry.corner.1 + 0.5 * ROW;
            let (from, to) = ((left, middle), (left + SWATCH, middle));
            match entry.series.mark {
                Mark::Outline => canvas.line(&[from, to], outline(color)),
                Mark::Dots => {
                    dots(canvas, &[(left + 0.5 * SWATCH, middle)], dot_radius(0), (color, dashed));
                }
                Mark::Arrows => arrow(canvas, from, to, color),
                Mark::Region | Mark::Backdrop => {
                    let (upper, lower) = ((left, middle - 6.0), (left + SWATCH, middle + 6.0));
                    canvas.rectangle(upper, lower, shade(entry.series.mark).unwrap_or(color));
                }
                _ => canvas.line(&[from, to], line(color, dashed)),
            }
            let font = FONT.fitting(&entry.series.label, 560.0);
            canvas.text(&entry.series.label, (to.0 + 6.0, middle), Anchor::Start, font);
        }
    }
}
