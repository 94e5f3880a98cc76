//! Figures of profiles across the cells, and of the radial distribution.

use nalgebra::Vector3;
use percussion_granular::statistics::BoxCell;
use percussion_record::{Figure, Mark, Series};

use super::{Measures, plot};

/// Solid fraction and velocity over each axis along which there are several cells, and the radial distribution.
pub(super) fn figures(measures: &Measures) -> Vec<Figure> {
    let cells: Vec<BoxCell> = measures.cells().collect();
    let several = (0..3).filter(|&axis| !cells.is_empty() && measures.counts[axis] > 1);
    let mut figures: Vec<Figure> =
        several.flat_map(|axis| along(&cells, measures.counts, axis)).collect();
    let radial = measures.radial();
    if !radial.is_empty() {
        let series = vec![Series { label: String::new(), mark: Mark::Line, points: radial }];
        let axes = [("distance", "m"), ("radial distribution", "")];
        figures.push(plot("radial-distribution", "Radial distribution", axes, series));
    }
    figures
}

/// The two profiles along an axis.
fn along(cells: &[BoxCell], counts: [usize; 3], axis: usize) -> [Figure; 2] {
    let layers = layers(cells, counts, axis);
    let line = |label: &str, value: &dyn Fn(&Layer) -> f64| Series {
        label: label.to_owned(),
        mark: Mark::Line,
        points: layers.iter().map(|layer| [layer.at, value(layer)]).collect(),
    };
    let name = ["x", "y", "z"][axis];
    let fraction = plot(
        &format!("solid-fraction-{name}"),
        &format!("Solid fraction over {name}"),
        [(name, "m"), ("solid fraction", "")],
        vec![line("", &|layer| layer.solid_fraction)],
    );
    let parts = [("x", 0), ("y", 1), ("z", 2)];
    let velocity = plot(
        &format!("velocity-{name}"),
        &format!("Velocity over {name}"),
        [(name, "m"), ("velocity", "m/s")],
        parts.map(|(label, k)| line(label, &|layer| layer.velocity[k])).to_vec(),
    );
    [fraction, velocity]
}

/// Averages over the cells at one place of an axis.
struct Layer {
    at: f64,
    solid_fraction: f64,
    /// By the volume of grains (m/s); 0 without grains.
    velocity: Vector3<f64>,
}

fn layers(cells: &[BoxCell], counts: [usize; 3], axis: usize) -> Vec<Layer> {
    // `x` varies fastest.
    let stride: usize = counts[..axis].iter().product();
    let layer = |wanted: usize| {
        let inside = cells.iter().enumerate();
        let inside = inside.filter(|(index, _)| index / stride % counts[axis] == wanted);
        let (mut at, mut filled, mut moved, mut number) = (0.0, 0.0, Vector3::zeros(), 0.0);
        for (_, cell) in inside {
            at = cell.at[axis];
            filled += cell.solid_fraction;
            moved += cell.solid_fraction * cell.velocity;
            number += 1.0;
        }
        let velocity = if filled > 0.0 { moved / filled } else { Vector3::zeros() };
        Layer { at, solid_fraction: filled / number, velocity }
    };
    (0..counts[axis]).map(layer).collect()
}
