//! Comma-separated tables of figures and trajectories.
//!
//! RFC 4180 with a header line, `\n` line ends, and numbers that are read back with the same bits; values that are
//! not numbers are written as `NaN`.

use percussion_record::{Axis, Figure};

use crate::number::exact;

/// The points of `figure`, one per line: name of the series, horizontal and vertical value.
///
/// The cells of a [map](Figure::map) come first, without a name and with their value in a fourth column.
///
/// # Example
///
/// ```
/// use percussion_report::csv;
/// use percussion_record::{Axis, Figure, Mark, Series};
///
/// let figure = Figure {
///     id: "height".into(),
///     title: "Height".into(),
///     caption: String::new(),
///     x: Axis::new("time", "s"),
///     y: Axis::new("height", "m"),
///     equal_aspect: false,
///     map: None,
///     series: vec![Series { label: "ball".into(), mark: Mark::Line, points: vec![[0.5, 1.25]] }],
/// };
/// assert_eq!(csv::figure(&figure), "series,time (s),height (m)\nball,0.5,1.25\n");
/// ```
#[must_use]
pub fn figure(figure: &Figure) -> String {
    let value = figure.map.as_ref().map(|map| axis(&map.value));
    let mut text =
        line(["series".to_owned(), axis(&figure.x), axis(&figure.y)].into_iter().chain(value));
    let cells = figure.map.iter().flat_map(|map| &map.cells);
    for [x, y, value] in cells {
        text += &line([String::new(), exact(*x), exact(*y), exact(*value)]);
    }
    for series in &figure.series {
        for [x, y] in &series.points {
            let none = figure.map.as_ref().map(|_| String::new());
            let fields = [series.label.clone(), exact(*x), exact(*y)];
            text += &line(fields.into_iter().chain(none));
        }
    }
    text
}

/// A table with the named `columns` and one line for each of `rows`.
///
/// # Example
///
/// ```
/// use percussion_report::csv;
///
/// let text = csv::table(&["time (s)", "x, horizontal (m)"], [vec![0.0, 1.5]]);
/// assert_eq!(text, "time (s),\"x, horizontal (m)\"\n0.0,1.5\n");
/// ```
#[must_use]
pub fn table<S: AsRef<str>>(columns: &[S], rows: impl IntoIterator<Item = Vec<f64>>) -> String {
    let mut text = line(columns.iter().map(|name| name.as_ref().to_owned()));
    for values in rows {
        text += &row(values);
    }
    text
}

/// One line of a table.
#[must_use]
pub fn row(values: impl IntoIterator<Item = f64>) -> String {
    line(values.into_iter().map(exact))
}

/// The heading of a column: `name (unit)`, or the name alone when the unit is empty.
#[must_use]
pub fn heading(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
}

fn axis(axis: &Axis) -> String {
    heading(&axis.label, &axis.unit)
}

/// One line with these fields, quoted where necessary.
///
/// # Example
///
/// ```
/// use percussion_report::csv;
///
/// assert_eq!(csv::line(["0.5".to_owned(), "a, b".to_owned()]), "0.5,\"a, b\"\n");
/// ```
#[must_use]
pub fn line(fields: impl IntoIterator<Item = String>) -> String {
    let fields: Vec<String> = fields.into_iter().map(quoted).collect();
    fields.join(",") + "\n"
}

/// `field` in quotes if RFC 4180 requires them.
fn quoted(field: String) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field
    }
}

#[cfg(test)]
mod tests {
    use percussion_record::{Map, Mark, Series};

    use super::*;

    #[test]
    fn a_map_has_a_column_for_its_values() {
        let axis = |label: &str| Axis::new(label, "");
        let wall = Series { label: "wall".into(), mark: Mark::Outline, points: vec![[0.0, 1.0]] };
        let map = Map { value: axis("speed"), cell: [1.0, 1.0], cells: vec![[0.5, 0.5, 2.0]] };
        let figure = Figure {
            id: "map".into(),
            title: String::new(),
            caption: String::new(),
            x: axis("x"),
            y: axis("y"),
            equal_aspect: true,
            map: Some(map),
            series: vec![wall],
        };
        assert_eq!(super::figure(&figure), "series,x,y,speed\n,0.5,0.5,2.0\nwall,0.0,1.0,\n");
    }

    #[test]
    fn quotes_and_commas_survive() {
        let text = table(&["a \"b\", c"], [vec![f64::NAN], vec![1e-300]]);
        assert_eq!(text, "\"a \"\"b\"\", c\"\nNaN\n1e-300\n");
    }
}
