//! The book: `cargo xtask book`.
//!
//! Its listings are tests of the package in `docs`, and `tidy` checks its links and chapters; what is left
//! for mdBook is to make pages of it.

use std::process::Command;

use crate::shell::{self, Refusal};

const INSTALL: &str = "cargo install mdbook --locked";

/// Builds the book into `target/book`.
pub(crate) fn run() -> anyhow::Result<()> {
    if !installed() {
        return Err(Refusal::missing("mdbook", INSTALL).into());
    }
    build()
}

/// Builds the book where mdBook is installed, and says so where it is not.
pub(crate) fn build_if_installed() -> anyhow::Result<()> {
    if installed() {
        return build();
    }
    println!("mdbook is not installed here ({INSTALL}); the book was checked but not built");
    Ok(())
}

fn installed() -> bool {
    shell::succeeds(Command::new("mdbook").arg("--version"))
}

fn build() -> anyhow::Result<()> {
    let out = shell::target().join("book");
    let mut command = Command::new("mdbook");
    command.args(["build", "docs", "--dest-dir"]).arg(out).current_dir(shell::root());
    shell::run(&mut command)
}
