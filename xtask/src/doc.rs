//! The documentation of the crates: `cargo xtask doc`.
//!
//! rustdoc shows formulas as TeX; here they are replaced by `MathML` in its pages.

use std::{env, fs, path::Path};

use anyhow::{Context, bail};

use crate::{
    formulas,
    shell::{self, cargo},
    tidy::{self, files},
};

/// Stylesheet and font, from `docs` into the folder of the documentation.
const ASSETS: [(&str, &str); 2] = [
    ("theme/formulas.css", "theme/formulas.css"),
    ("src/fonts/latinmodern-math.woff2", "fonts/latinmodern-math.woff2"),
];

/// Builds the documentation of all crates of the workspace, without warnings, in `target/doc`.
pub(crate) fn run() -> anyhow::Result<()> {
    let folder = shell::target().join("doc");
    // rustdoc links to another crate only if the folder of its documentation exists at the start, and cargo
    // removes that folder while it documents the crate. Therefore all folders are created first, and the
    // crates are documented one at a time.
    for (name, _) in tidy::members(&tidy::metadata()?) {
        fs::create_dir_all(folder.join(name.replace('-', "_")))?;
    }
    let flags = format!("{} -D warnings", env::var("RUSTDOCFLAGS").unwrap_or_default());
    shell::run(&mut cargo(["check", "--workspace"]))?;
    let mut document = cargo(["doc", "--workspace", "--no-deps", "--jobs", "1"]);
    shell::run(document.env("RUSTDOCFLAGS", flags.trim()))?;
    for (from, to) in ASSETS {
        let to = folder.join(to);
        fs::create_dir_all(to.parent().unwrap_or(&folder))?;
        fs::copy(shell::root().join("docs").join(from), &to)
            .with_context(|| format!("writing {}", to.display()))?;
    }
    for path in files::with_extension(&folder, "html")? {
        draw_formulas(&folder, &path)?;
    }
    Ok(())
}

/// Replaces the formulas of the page at `path`, which is in `folder`.
fn draw_formulas(folder: &Path, path: &Path) -> anyhow::Result<()> {
    let page = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    let depth = path.strip_prefix(folder).map_or(1, |path| path.components().count());
    let stylesheet = format!("{}theme/formulas.css", "../".repeat(depth - 1));
    match formulas::in_page(&page, &stylesheet) {
        None => Ok(()),
        Some(Ok(page)) => {
            fs::write(path, page).with_context(|| format!("writing {}", path.display()))
        }
        Some(Err(reason)) => bail!("a formula in {}: {reason}", path.display()),
    }
}
