//! Passes the accuracy of timed results to `cargo xtask bench`, which prints it next to the speed.

use std::{env, fs::OpenOptions, io::Write};

/// Records the worst relative residual of the answers that the bench `name` times.
///
/// Writes a line `name TAB residual` to the file that the environment variable
/// `PERCUSSION_RESIDUALS` names, and does nothing without that variable.
///
/// # Errors
///
/// When the file cannot be written.
pub fn note(name: &str, residual: f64) -> std::io::Result<()> {
    let Some(path) = env::var_os("PERCUSSION_RESIDUALS") else {
        return Ok(());
    };
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    writeln!(file, "{name}\t{residual:e}")
}
