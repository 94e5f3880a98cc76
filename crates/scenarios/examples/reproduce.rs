//! Runs every published experiment and prints our figures beside the published ones.
//!
//! `cargo run --release -p percussion-scenarios --example reproduce`

#![allow(clippy::print_stdout, reason = "an example shows its results")]

use percussion_scenarios::{Error, Options, experiments};

fn main() -> Result<(), Error> {
    let shown = |figure: Option<f64>| figure.map_or(String::new(), |figure| figure.to_string());
    for experiment in experiments() {
        let outcome = experiment.run(&Options::default(), &mut |_fraction, _what| ())?;
        println!("\n{} ({})", outcome.title, outcome.id);
        println!("{:52} {:>12} {:>12} {:>14}", "", "published", "checked", "measured");
        for row in &outcome.rows {
            println!(
                "{:52} {:>12} {:>12} {:>14.6e} {:4} {}",
                row.quantity,
                shown(row.published),
                shown(row.checked),
                row.measured,
                row.unit,
                if row.accepted { "" } else { "REFUSED" }
            );
        }
    }
    Ok(())
}
