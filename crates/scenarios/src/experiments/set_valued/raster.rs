//! The part of a plane that points and segments cover, as polygons to fill.
//!
//! The plane is divided into cells. The border of the touched cells is traced with the filled side on the
//! left. Each step from one edge of a cell to the next is shortened through the middles of both edges, which
//! gives the contour of marching squares. Holes run clockwise.
//!
//! # Source
//!
//! W. E. Lorensen, H. E. Cline, "Marching cubes: a high resolution 3D surface construction algorithm",
//! *Computer Graphics* 21 (1987) 163–169 (the contour, in one dimension less).

/// Cells of a rectangle, filled or not.
#[derive(Clone, Debug)]
pub(super) struct Raster {
    /// Lower left corner, and size of a cell.
    origin: [f64; 2],
    size: [f64; 2],
    columns: usize,
    rows: usize,
    filled: Vec<bool>,
}

/// Right, up, left, down.
const DIRECTIONS: [[isize; 2]; 4] = [[1, 0], [0, 1], [-1, 0], [0, -1]];

impl Raster {
    /// A raster of `columns × rows` empty cells over the rectangle from `low` to `high`.
    ///
    /// A rectangle without width or height is enlarged.
    pub(super) fn new(low: [f64; 2], high: [f64; 2], columns: usize, rows: usize) -> Self {
        // A margin of empty cells leaves room to grow.
        let size = [0, 1].map(|k| {
            let length = high[k] - low[k];
            let cells = [columns, rows][k].max(1);
            if length > 0.0 { length / cells as f64 } else { 1.0 }
        });
        let origin = [0, 1].map(|k| low[k] - 5.5 * size[k]);
        let (columns, rows) = (columns.max(1) + 11, rows.max(1) + 11);
        Self { origin, size, columns, rows, filled: vec![false; columns * rows] }
    }

    /// Fills the cell of a point; a point outside the rectangle or not finite fills none.
    pub(super) fn point(&mut self, point: [f64; 2]) {
        let column = (point[0] - self.origin[0]) / self.size[0];
        let row = (point[1] - self.origin[1]) / self.size[1];
        if column >= 0.0 && row >= 0.0 && column < self.columns as f64 && row < self.rows as f64 {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "within the rectangle, rounded down to the cell"
            )]
            let index = row as usize * self.columns + column as usize;
            self.filled[index] = true;
        }
    }

    /// Fills the cells along a segment, with a point every half cell.
    pub(super) fn segment(&mut self, from: [f64; 2], to: [f64; 2]) {
        let along = [to[0] - from[0], to[1] - from[1]];
        let cells = [along[0] / self.size[0], along[1] / self.size[1]];
        let longest = (self.columns + self.rows) as f64;
        #[expect(clippy::cast_possible_truncation, reason = "at most a few thousand")]
        let count = (2.0 * cells[0].abs().max(cells[1].abs())).min(2.0 * longest).ceil() as i32;
        // No closures: a figure has millions of these points.
        for i in 0..=count {
            let share = f64::from(i) / f64::from(count.max(1));
            self.point([from[0] + share * along[0], from[1] + share * along[1]]);
        }
    }

    /// Widens the filled region by one cell on all sides and fills gaps narrower than about six cells.
    pub(super) fn joined(&self) -> Self {
        let grown = (0..4).fold(self.clone(), |raster, _| raster.grown());
        (0..3).fold(grown, |raster, _| raster.shrunk())
    }

    /// Fills the four neighbors of every filled cell.
    fn grown(&self) -> Self {
        let filled = |column, row| self.has_neighbor(column, row, true);
        self.with_cells(|column, row| self.is_filled(column, row) || filled(column, row))
    }

    /// Empties every filled cell with an empty neighbor.
    fn shrunk(&self) -> Self {
        let empty = |column, row| self.has_neighbor(column, row, false);
        self.with_cells(|column, row| self.is_filled(column, row) && !empty(column, row))
    }

    fn with_cells(&self, is_filled: impl Fn(isize, isize) -> bool) -> Self {
        let filled = self.cells().map(|(column, row)| is_filled(column, row)).collect();
        Self { filled, ..*self }
    }

    fn cells(&self) -> impl Iterator<Item = (isize, isize)> + use<> {
        let (columns, rows) = (self.columns.cast_signed(), self.rows.cast_signed());
        (0..rows).flat_map(move |row| (0..columns).map(move |column| (column, row)))
    }

    fn is_filled(&self, column: isize, row: isize) -> bool {
        let inside = (0..self.columns.cast_signed()).contains(&column)
            && (0..self.rows.cast_signed()).contains(&row);
        inside && self.filled[(row * self.columns.cast_signed() + column).cast_unsigned()]
    }

    fn has_neighbor(&self, column: isize, row: isize, filled: bool) -> bool {
        DIRECTIONS.iter().any(|[dx, dy]| self.is_filled(column + dx, row + dy) == filled)
    }

    /// The borders of the filled cells, each followed by a NaN point; outer borders run counterclockwise.
    pub(super) fn borders(&self) -> Vec<[f64; 2]> {
        let mut borders = Vec::new();
        let mut traced = vec![false; self.filled.len()];
        for (column, row) in self.cells() {
            let index = (row * self.columns.cast_signed() + column).cast_unsigned();
            // Every border has lower edges of filled cells.
            if self.is_filled(column, row) && !self.is_filled(column, row - 1) && !traced[index] {
                borders.extend(self.border(column, row, &mut traced));
                borders.push([f64::NAN; 2]);
            }
        }
        borders
    }

    /// The [`borders`](Self::borders) without holes smaller than the fraction `share` of the filled area, which are gaps
    /// between samples.
    pub(super) fn borders_over_gaps(&self, share: f64) -> Vec<[f64; 2]> {
        let borders = self.borders();
        let polygons = || borders.split(|point| point[0].is_nan()).filter(|one| !one.is_empty());
        let filled: f64 = polygons().map(double_area).sum();
        let kept = |polygon: &&[[f64; 2]]| {
            let area = double_area(polygon);
            area >= 0.0 || area <= -share * filled
        };
        polygons().filter(kept).flat_map(|one| one.iter().copied().chain([[f64::NAN; 2]])).collect()
    }

    /// The border that contains the lower edge of a cell, as the midpoints of its edges.
    fn border(&self, column: isize, row: isize, traced: &mut [bool]) -> Vec<[f64; 2]> {
        // A corner of cells, counted in cells, and the direction of the edge that leaves it.
        let start = (column, row, 0);
        let (mut x, mut y, mut direction) = start;
        let mut middles: Vec<[isize; 2]> = Vec::new();
        loop {
            if direction == 0 {
                traced[(y * self.columns.cast_signed() + x).cast_unsigned()] = true;
            }
            let [dx, dy] = DIRECTIONS[direction];
            // Twice the midpoint of the edge, so that the arithmetic stays in integers.
            let middle = [2 * x + dx, 2 * y + dy];
            let straight = |a: [isize; 2], b: [isize; 2]| {
                (middle[0] - b[0]) * (b[1] - a[1]) == (middle[1] - b[1]) * (b[0] - a[0])
            };
            if let [.., a, b] = middles[..]
                && straight(a, b)
            {
                middles.pop();
            }
            middles.push(middle);
            (x, y) = (x + dx, y + dy);
            // Turning left where possible keeps cells that meet only at a corner apart.
            let turn = [1, 0, 3].into_iter().map(|turn| (direction + turn) % 4);
            let next = turn.into_iter().find(|&next| self.is_border(x, y, next));
            direction = next.unwrap_or((direction + 2) % 4);
            if (x, y, direction) == start {
                break;
            }
        }
        let place = |[x, y]: [isize; 2]| {
            [
                self.origin[0] + 0.5 * x as f64 * self.size[0],
                self.origin[1] + 0.5 * y as f64 * self.size[1],
            ]
        };
        middles.into_iter().map(place).collect()
    }

    /// Whether the edge that leaves the corner in `direction` has a filled cell on its left and an empty
    /// one on its right.
    fn is_border(&self, x: isize, y: isize, direction: usize) -> bool {
        // Cells left and right of an edge from the corner (x, y).
        let (left, right) = [
            ((x, y), (x, y - 1)),
            ((x - 1, y), (x, y)),
            ((x - 1, y - 1), (x - 1, y)),
            ((x, y - 1), (x - 1, y - 1)),
        ][direction];
        self.is_filled(left.0, left.1) && !self.is_filled(right.0, right.1)
    }
}

/// Twice the area of a polygon, negative if it runs clockwise.
fn double_area(polygon: &[[f64; 2]]) -> f64 {
    let next = polygon.iter().cycle().skip(1);
    polygon.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twice the area that polygons separated by NaN points enclose, holes negative.
    fn double_area(borders: &[[f64; 2]]) -> f64 {
        borders.split(|point| point[0].is_nan()).map(super::double_area).sum()
    }

    fn square() -> Raster {
        let mut raster = Raster::new([0.0, 0.0], [10.0, 10.0], 10, 10);
        for x in 2..=6 {
            for y in 2..=6 {
                raster.point([f64::from(x), f64::from(y)]);
            }
        }
        raster
    }

    #[test]
    fn a_square_loses_its_corners_and_a_ring_is_open_inside() {
        let square = square();
        // The four corners are cut off, each a triangle with legs of half a cell.
        assert!((double_area(&square.borders()) - 2.0 * (25.0 - 4.0 / 8.0)).abs() < 1e-12);
        let count = |raster: &Raster| raster.borders().iter().filter(|p| p[0].is_nan()).count();
        assert_eq!((count(&square), square.borders().len()), (1, 8 + 1));
        let mut ring = square.clone();
        let inside = square.shrunk();
        for (cell, inside) in ring.filled.iter_mut().zip(&inside.filled) {
            *cell &= !inside;
        }
        assert_eq!(count(&ring), 2);
        assert!((double_area(&ring.borders()) - 2.0 * (24.5 - 8.5)).abs() < 1e-12);
    }

    #[test]
    fn small_holes_are_filled_and_large_ones_are_not() {
        let mut ring = square();
        let inside = ring.shrunk();
        for (cell, inside) in ring.filled.iter_mut().zip(&inside.filled) {
            *cell &= !inside;
        }
        // The hole is 8.5 of 24.5 − 8.5 filled cells.
        let area = |share| double_area(&ring.borders_over_gaps(share));
        assert!((area(0.5) - 2.0 * (24.5 - 8.5)).abs() < 1e-12);
        assert!((area(0.6) - 2.0 * 24.5).abs() < 1e-12);
    }

    #[test]
    fn growing_and_shrinking_closes_gaps_of_one_cell() {
        let mut raster = square();
        let whole = raster.filled.clone();
        let middle =
            raster.filled.iter().position(|&filled| filled).unwrap() + 2 * raster.columns + 2;
        raster.filled[middle] = false;
        assert_eq!(raster.grown().shrunk().filled, whole);
    }

    #[test]
    fn a_segment_leaves_no_gap_and_points_outside_leave_nothing() {
        let mut raster = Raster::new([0.0, 0.0], [1.0, 2.0], 50, 70);
        raster.segment([0.1, 0.2], [0.9, 1.7]);
        raster.point([5.0, 0.0]);
        raster.point([f64::NAN, 0.0]);
        let closed = raster.grown().borders();
        assert_eq!(closed.iter().filter(|point| point[0].is_nan()).count(), 1);
    }

    #[test]
    fn no_extent_and_no_cells_are_no_trouble() {
        let mut raster = Raster::new([1.0, 1.0], [1.0, 1.0], 0, 0);
        assert!(raster.borders().is_empty());
        raster.point([1.0, 1.0]);
        raster.segment([1.0, 1.0], [1.0, 1.0]);
        assert!((double_area(&raster.borders()) - 1.0).abs() < 1e-12, "a diamond");
    }
}
