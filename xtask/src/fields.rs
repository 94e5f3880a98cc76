//! `cargo xtask fields [--accept]`: the fields of every file format, from the types that read it.
//!
//! The page `docs/src/fields.md` is generated from the sources: names, values and defaults as serde reads them, and the
//! first paragraph of the documentation of each field. A type that the generator cannot put into words is an error.

mod page;
mod types;
mod words;

use std::fs;

use anyhow::bail;

use self::types::Pool;
use crate::shell;

/// The page.
pub(crate) const PAGE: &str = "docs/src/fields.md";

/// Why it is refused.
pub(crate) const DIFFERS: &str =
    "the types have other fields, expected the page that `cargo xtask fields --accept` writes";

/// A file format.
struct Format {
    /// Heading, and the beginning of the headings of its parts.
    title: &'static str,
    /// The syntax, and the command that reads the files.
    about: &'static str,
    /// The type of a whole file.
    root: &'static str,
    /// The sources of the types, the root in the first.
    sources: &'static [&'static str],
}

const FORMATS: [Format; 8] = [
    Format {
        title: "Scenario",
        about: "TOML; `percussion new scenario` writes one with comments.",
        root: "Scenario",
        sources: &[
            "crates/mechanism/src/scenario.rs",
            "crates/mechanism/src/scenario/joints.rs",
            "crates/mechanism/src/scenario/mesh.rs",
            "crates/mechanism/src/scenario/robot.rs",
            "crates/mechanism/src/scenario/robot/drive.rs",
            "crates/mechanism/src/scenario/shape.rs",
            "crates/mechanism/src/expected.rs",
            "crates/record/src/outcome.rs",
            "crates/collision/src/shape.rs",
            "crates/complementarity/src/friction/law.rs",
            "crates/complementarity/src/friction/mixed/block.rs",
            "crates/integrators/src/schemes.rs",
        ],
    },
    Format {
        title: "Impact",
        about: "An impact by its bodies, TOML; `percussion new impact` writes one with comments.",
        root: "ImpactScenario",
        sources: &[
            "crates/mechanism/src/impacts.rs",
            "crates/mechanism/src/impacts/compliant.rs",
            "crates/integrators/src/compliant/settings.rs",
            "crates/mechanism/src/scenario.rs",
            "crates/mechanism/src/expected.rs",
            "crates/record/src/outcome.rs",
            "crates/impact/src/set_valued.rs",
            "crates/impact/src/set_valued/draws.rs",
            "crates/complementarity/src/lcp/lemke.rs",
        ],
    },
    Format {
        title: "Matrices of an impact",
        about: "JSON, for `percussion impact` and `compare`.",
        root: "ImpactFile",
        sources: &["crates/cli/src/input/impact.rs"],
    },
    Format {
        title: "Design",
        about: "TOML, for `percussion design`.",
        root: "Design",
        sources: &[
            "crates/mechanism/src/design.rs",
            "crates/mechanism/src/expected.rs",
            "crates/record/src/outcome.rs",
            "crates/impact/src/design.rs",
        ],
    },
    Format {
        title: "Scene of grains",
        about: "TOML, for `percussion grains`; `percussion new scene` writes one with comments.",
        root: "Scene",
        sources: &[
            "crates/mechanism/src/grains/format.rs",
            "crates/mechanism/src/grains/format/measured.rs",
            "crates/mechanism/src/grains/format/shaped.rs",
            "crates/mechanism/src/grains/sizes.rs",
            "crates/collision/src/shape.rs",
        ],
    },
    Format {
        title: "Linear complementarity problem",
        about: "JSON, for `percussion solve lcp`.",
        root: "LcpFile",
        sources: &["crates/cli/src/input/lcp.rs"],
    },
    Format {
        title: "Contact problem",
        about: "JSON, for `percussion solve friction`, also `failing-step.json`.",
        root: "Document",
        sources: &[
            "crates/complementarity/src/friction/document.rs",
            "crates/complementarity/src/friction/law.rs",
            "crates/complementarity/src/friction/method.rs",
            "crates/complementarity/src/friction/mixed.rs",
            "crates/complementarity/src/friction/mixed/block.rs",
            "crates/complementarity/src/friction/block_gauss_seidel.rs",
            "crates/complementarity/src/friction/interior_point.rs",
            "crates/complementarity/src/friction/alternating_directions.rs",
            "crates/complementarity/src/friction/projected_gradient.rs",
        ],
    },
    Format {
        title: "View",
        about: "JSON, `view.json`, the data of the page that plays.",
        root: "View",
        sources: &[
            "crates/record/src/view.rs",
            "crates/record/src/view/grains.rs",
            "crates/record/src/view/shapes.rs",
        ],
    },
];

/// Writes the page with `accept`; otherwise fails if it is not as the types are.
pub(crate) fn run(accept: bool) -> anyhow::Result<()> {
    if accept {
        fs::write(shell::root().join(PAGE), generated()?)?;
        println!("{PAGE} is written");
        return Ok(());
    }
    if let Some(line) = first_difference()? {
        bail!("{PAGE}:{line}: {DIFFERS}");
    }
    println!("{PAGE} is as the types are");
    Ok(())
}

/// The first line of the page that is not as the types are, counted from 1.
pub(crate) fn first_difference() -> anyhow::Result<Option<usize>> {
    let generated = generated()?;
    let stored = fs::read_to_string(shell::root().join(PAGE)).unwrap_or_default();
    let same = generated.lines().zip(stored.lines()).take_while(|(new, old)| new == old).count();
    Ok((generated != stored).then_some(same + 1))
}

fn generated() -> anyhow::Result<String> {
    let mut text = page::HEAD.to_owned();
    for format in &FORMATS {
        text += &page::section(format, &Pool::read(format.sources)?)?;
    }
    Ok(text)
}
