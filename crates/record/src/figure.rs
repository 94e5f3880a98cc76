//! The data of a figure, before anything draws it.

use serde::{Deserialize, Serialize};

/// One axis of a [`Figure`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// What is plotted, in words.
    pub label: String,
    /// Its unit, empty when dimensionless.
    pub unit: String,
}

/// How the points of a [`Series`] are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mark {
    /// A line through the points in order; a point with a NaN breaks it.
    Line,
    /// A thin, muted line, for context such as the ground or an outline.
    Outline,
    /// One dot a point.
    Dots,
    /// Consecutive pairs of points are tail and head of an arrow.
    Arrows,
    /// A filled area in dark gray: closed polygons with a NaN point after each. A point belongs to it
    /// where the polygons wind around it, so a polygon that runs the other way round is a hole.
    Region,
    /// The same in light gray, for context behind regions.
    Backdrop,
}

/// Points of one kind, named in the legend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Name in the legend; series of the same name share a color and one entry, an empty name has none.
    pub label: String,
    /// How it is drawn.
    pub mark: Mark,
    /// The points, in the units of the axes.
    pub points: Vec<[f64; 2]>,
}

/// Values in the cells of a grid, drawn as colors with a bar that explains them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Map {
    /// What the colors mean.
    pub value: Axis,
    /// Width and height of a cell, in the units of the axes.
    pub cell: [f64; 2],
    /// The middle of each cell and its value; cells that are not listed stay empty.
    pub cells: Vec<[f64; 3]>,
}

/// A figure as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Name for files, unique in its experiment: lower case, digits and hyphens.
    pub id: String,
    /// Title.
    pub title: String,
    /// What the reader should see in it, with the published figure's number.
    pub caption: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Whether one unit has the same length on both axes.
    pub equal_aspect: bool,
    /// What is drawn below the series, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<Map>,
    /// The series, drawn in order.
    pub series: Vec<Series>,
}
