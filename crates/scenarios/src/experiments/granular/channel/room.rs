//! The room that grains lose at the walls of the channel: [`Room`].

use crate::channel::Document;

/// Solid fraction and velocity beside the obstacle over the size of the grains, as the loss of room at the walls has them.
///
/// The solid fraction is a straight line over the size, through the published one at the size 1 and those of stored
/// runs with other sizes than the run that it judges.
pub(super) struct Room {
    points: Vec<[f64; 2]>,
    /// Height and width of the channel, and width of the obstacle (m).
    extent: [f64; 3],
}

impl Room {
    /// For a run with grains `factor` times as large as published.
    pub(super) fn new(document: &Document, factor: f64) -> Self {
        let others = document.runs.iter().filter(|run| (run[0] - factor).abs() > 1e-9);
        let published = [1.0, document.published_fraction];
        let points = std::iter::once(published).chain(others.copied()).collect();
        let [_, width, height] = document.size;
        Self { points, extent: [height, width, 2.0 * document.obstacle_radius] }
    }

    /// The solid fraction with grains `factor` times as large as published.
    pub(super) fn solid_fraction(&self, factor: f64) -> f64 {
        line_at(&self.points, factor)
    }

    /// Thickness of the layer that stays empty at each wall, per published size (m).
    fn layer(&self) -> f64 {
        let [height, width, _] = self.extent;
        let [none, one] = [0.0, 1.0].map(|factor| self.solid_fraction(factor));
        (1.0 - one / none) / (2.0 * (1.0 / height + 1.0 / width))
    }

    /// Velocity beside the obstacle over that of the inflow, with grains `factor` times as large as published.
    pub(super) fn speed(&self, factor: f64) -> f64 {
        let [_, width, obstacle] = self.extent;
        let lost = self.layer() * factor;
        (width - 2.0 * lost) / (width - obstacle - 4.0 * lost)
    }
}

/// The value at `x` of the straight line that fits `points` best.
pub(super) fn line_at(points: &[[f64; 2]], x: f64) -> f64 {
    let count = points.len() as f64;
    let [a, b] = [0, 1].map(|k| points.iter().map(|point| point[k]).sum::<f64>() / count);
    let products = |k: usize| points.iter().map(|p| (p[0] - a) * (p[k] - [a, b][k])).sum::<f64>();
    b + (x - a) * products(1) / products(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_points_on_a_line_continues_it() {
        let points = [[5.0, 0.5], [4.0, 0.52], [2.0, 0.56]];
        assert!((line_at(&points, 1.0) - 0.58).abs() < 1e-15);
    }

    /// By hand: through (1, 0.572), (2.5, 0.543) and (4, 0.522) the slope is −0.075/4.5 = −1/60, and the value at 5 is
    /// 1.637/3 − 2.5/60 = 0.504. At 0 it is 0.58733, so that the layer is (1/60)/0.58733/(2 (1/20 + 1/65)) = 0.2170 mm.
    #[test]
    fn a_run_is_judged_by_the_other_sizes() {
        let fixture = Document::read().unwrap();
        let room = Room::new(&fixture.parameters, 5.0);
        assert!((room.solid_fraction(5.0) - 0.504).abs() < 1e-9, "{}", room.solid_fraction(5.0));
        assert!((room.layer() - 0.2170e-3).abs() < 1e-7, "{}", room.layer());
        let by_hand = (65.0 - 10.0 * 0.2170) / (45.0 - 20.0 * 0.2170);
        assert!((room.speed(5.0) - by_hand).abs() < 1e-4, "{}", room.speed(5.0));
        // Only a stored run of the same size is left out.
        let other = Room::new(&fixture.parameters, 2.0);
        assert_eq!((room.points.len(), other.points.len()), (3, 4));
    }
}
