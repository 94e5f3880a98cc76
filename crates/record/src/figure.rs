//! The data of a figure, independent of its drawing.

use serde::{Deserialize, Serialize};

/// One axis of a [`Figure`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Axis {
    /// Name of the plotted quantity, in words.
    pub label: String,
    /// Its unit, empty when dimensionless.
    pub unit: String,
    /// The spacing of its values.
    #[serde(default, skip_serializing_if = "Spacing::is_linear")]
    pub spacing: Spacing,
}

impl Axis {
    /// An axis with equal distances for equal differences.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_record::{Axis, Spacing};
    ///
    /// let time = Axis::new("time", "s");
    /// assert_eq!((time.unit.as_str(), time.spacing), ("s", Spacing::Linear));
    /// assert_eq!(time.logarithmic().spacing, Spacing::Logarithmic);
    /// ```
    #[must_use]
    pub fn new(label: &str, unit: &str) -> Self {
        Self { label: label.to_owned(), unit: unit.to_owned(), spacing: Spacing::Linear }
    }

    /// The same with equal distances for equal ratios.
    #[must_use]
    pub fn logarithmic(self) -> Self {
        Self { spacing: Spacing::Logarithmic, ..self }
    }
}

/// The spacing of the values of an [`Axis`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spacing {
    /// Equal distances for equal differences.
    #[default]
    Linear,
    /// Equal distances for equal ratios: values of zero and below are not drawn, ticks are powers of ten.
    Logarithmic,
}

impl Spacing {
    /// Whether this is [`Spacing::Linear`].
    #[must_use]
    pub const fn is_linear(&self) -> bool {
        matches!(self, Self::Linear)
    }
}

/// The ways in which the points of a [`Series`] are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Mark {
    /// A line through the points in order; a point with a NaN breaks it.
    Line,
    /// A thin, muted line, for context such as the ground or an outline.
    Outline,
    /// One dot per point.
    Dots,
    /// Consecutive pairs of points are tail and head of an arrow.
    Arrows,
    /// A filled area in dark gray: closed polygons, each followed by a NaN point. The area consists of the points
    /// with a nonzero winding number, so a polygon in the opposite direction is a hole.
    Region,
    /// The same in light gray, for context behind regions.
    Backdrop,
}

/// Points of one kind, named in the legend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Name in the legend. Series with the same name share a color and one entry; a series with an empty name has
    /// none.
    pub label: String,
    /// The way it is drawn.
    pub mark: Mark,
    /// The points, in the units of the axes.
    pub points: Vec<[f64; 2]>,
}

/// Values in the cells of a grid, drawn as colors with a color bar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Map {
    /// The quantity that the colors show.
    pub value: Axis,
    /// Width and height of a cell, in the units of the axes.
    pub cell: [f64; 2],
    /// The center of each cell and its value; cells that are not listed stay empty.
    pub cells: Vec<[f64; 3]>,
}

/// A figure as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Name for files, unique in its experiment: lower case, digits and hyphens.
    pub id: String,
    /// Title.
    pub title: String,
    /// A description of what the figure shows, with the number of the published figure.
    pub caption: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Whether one unit has the same length on both axes.
    pub equal_aspect: bool,
    /// The map that is drawn below the series, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<Map>,
    /// The series, drawn in order.
    pub series: Vec<Series>,
}
