//! Runs a published experiment and prints our figures beside the published ones.
//!
//! `cargo run --release -p percussion-scenarios --example reproduce`

#![expect(clippy::print_stdout, reason = "the output of an example")]

use percussion_scenarios::{Effort, Error, Options, experiment};

fn main() -> Result<(), Error> {
    let options = Options { effort: Effort::Quick, ..Options::default() };
    let outcome =
        experiment("stewart-trinkle/four-balls")?.run(&options, &mut |_fraction, _what| ())?;
    println!("{}\n\n{}\n", outcome.title, outcome.summary);
    for row in &outcome.rows {
        let shown = |figure: Option<f64>| figure.map_or(String::new(), |figure| figure.to_string());
        println!(
            "{:52} published {:>10} checked {:>20} measured {:.6e} {}",
            row.quantity,
            shown(row.published),
            shown(row.checked),
            row.measured,
            row.unit
        );
        assert!(row.accepted, "{}: {} {}", row.quantity, row.measured, row.unit);
    }
    Ok(())
}
