//! The `percussion` command; see the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    percussion_cli::main()
}
