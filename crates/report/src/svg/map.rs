//! Cells in colors, and the color bar.
//!
//! The colors are those of viridis, whose lightness increases with the value: they can be distinguished without
//! color vision.

use percussion_record::{Map, Spacing};
use plotters::style::{RGBColor, colors::colormaps::ViridisRGB};

use super::{
    CAPTION, FRAME, TICK,
    canvas::{Anchor, Canvas, Stroke},
    scale::{Scale, drawable, range},
};

/// Height of the bar with its ticks and caption (px).
pub(super) const BAR_HEIGHT: f64 = 64.0;

const BAR: f64 = 14.0;
const BAR_WIDTH: f64 = 360.0;
/// Number of pieces of the bar, more than the eye can distinguish.
const PIECES: u32 = 120;

/// Overlap of neighboring cells, so that the background is not visible between them (px).
const SEAM: f64 = 0.4;

/// Opposite corners of each cell.
pub(super) fn corners(map: &Map) -> impl Iterator<Item = [f64; 2]> + '_ {
    let [width, height] = map.cell.map(|length| 0.5 * length);
    map.cells.iter().flat_map(move |[x, y, _]| [[x - width, y - height], [x + width, y + height]])
}

/// Draws the cells, and the bar `below` the axes.
pub(super) fn draw(canvas: &mut Canvas<'_>, map: &Map, (x, y): (&Scale, &Scale), below: f64) {
    let (low, high) = range(map.cells.iter().map(|cell| cell[2]), 0.0);
    let middle = 0.5 * (x.pixels.0 + x.pixels.1);
    let pixels = (middle - 0.5 * BAR_WIDTH, middle + 0.5 * BAR_WIDTH);
    let bar = Scale { range: (low, high), pixels, spacing: Spacing::Linear };
    let [width, height] = map.cell.map(|length| 0.5 * length);
    for [column, row, value] in map.cells.iter().filter(|cell| cell.iter().all(|v| drawable(*v))) {
        let corner = (x.pixel(column - width), y.pixel(row + height) - SEAM);
        let opposite = (x.pixel(column + width) + SEAM, y.pixel(row - height));
        canvas.rectangle(corner, opposite, color(*value, (low, high)));
    }
    let (upper, lower) = (below + 4.0, below + 4.0 + BAR);
    for piece in 0..PIECES {
        let value = |edge: u32| low + (high - low) * f64::from(edge) / f64::from(PIECES);
        let middle = 0.5 * (value(piece) + value(piece + 1));
        // Each piece is drawn over the rest of the previous one, so that there is no gap between them.
        let corner = (bar.pixel(value(piece)), upper);
        canvas.rectangle(corner, (bar.pixels.1, lower), color(middle, (low, high)));
    }
    let ticks = bar.ticks(60.0);
    for (value, label) in &ticks.marks {
        let at = bar.pixel(*value);
        let stroke = Stroke { color: FRAME, width: 1.0, dash: None };
        canvas.line(&[(at, lower), (at, lower + 4.0)], stroke);
        canvas.text(label, (at, lower + 14.0), Anchor::Middle, TICK);
    }
    let caption = ticks.caption(&map.value);
    let font = CAPTION.fitting(&caption, x.pixels.1 - x.pixels.0);
    canvas.text(&caption, (middle, lower + 34.0), Anchor::Middle, font);
}

fn color(value: f64, (low, high): (f64, f64)) -> RGBColor {
    ViridisRGB::get_color_normalized(value, low, high)
}
