//! Draws a custom figure: the height of a ball that keeps half of its speed at each landing.
//!
//! `cargo run -p percussion-report --example own_figure`

#![expect(clippy::print_stdout, reason = "the output of an example")]

use percussion_record::{Axis, Figure, Mark, Series};
use percussion_report::write_figure;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let points: Vec<[f64; 2]> = (0..=300).map(|k| 0.005 * f64::from(k)).map(height).collect();
    let figure = Figure {
        id: "height".into(),
        title: "A ball bounces".into(),
        caption: "It lands after 0.5 s and rests after 1.5 s.".into(),
        x: Axis::new("time", "s"),
        y: Axis::new("height", "m"),
        equal_aspect: false,
        map: None,
        series: vec![Series { label: "ball".into(), mark: Mark::Line, points }],
    };
    // A drawing, a table and a document of the same data.
    let [drawing, table, document] = write_figure(&directory.path().join("height"), &figure)?;
    let read = |path| std::fs::read_to_string(path);
    for path in [&drawing, &table, &document] {
        println!("{}: {} bytes", path.display(), read(path)?.len());
    }
    assert!(read(&drawing)?.contains("A ball bounces"), "the title is in the drawing");
    // A header and one line per point, with the exact numbers.
    assert_eq!(read(&table)?.lines().count(), 302, "lines of the table");
    let back: Figure = serde_json::from_str(&read(&document)?)?;
    assert_eq!(back, figure, "no digit is lost");
    Ok(())
}

/// `(t, height)` after a fall from 1.25 m at 10 m/s²: flights of 0.5, 0.25, … s, beginning at 0.5 s.
fn height(time: f64) -> [f64; 2] {
    if time < 0.5 {
        return [time, 1.25 - 5.0 * time * time];
    }
    let (mut start, mut flight) = (0.5, 0.5);
    while time >= start + flight && flight > 1e-3 {
        start += flight;
        flight *= 0.5;
    }
    let since = time - start;
    [time, (5.0 * since * (flight - since)).max(0.0)]
}
