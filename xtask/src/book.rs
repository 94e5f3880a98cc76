//! The book: `cargo xtask book`.
//!
//! Its pictures are those of the experiments in their quick form, and the report is a part of it. Its listings are tests of the package in `docs`, and `tidy` checks its links, chapters and formulas;
//! mdBook only builds the pages. Every link of those pages is checked, including anchors.

mod links;
mod pictures;
mod sensitivity;

use std::{env, fs, io, path::Path, process::Command};

use anyhow::{Context, anyhow, bail};
use serde_json::Value;

use crate::{
    formulas, reproduce,
    shell::{self, NotChecked, Refusal},
    tidy::files,
};

const INSTALL: &str = "cargo install mdbook --locked";

/// Builds the book into `target/book`, from new results of the experiments.
pub(crate) fn run() -> anyhow::Result<()> {
    if !installed() {
        return Err(Refusal::missing("mdbook", INSTALL).into());
    }
    reproduce::quick()?;
    build(&shell::target().join("book"), Neighbours::Report)
}

/// Builds the book into `out` for a site that has the documentation of the crates in its folder `api`, from new results of the
/// experiments. Installs mdBook if it is missing.
pub(crate) fn for_site(out: &Path) -> anyhow::Result<()> {
    if !installed() {
        println!("mdbook is missing; {INSTALL}");
        shell::run(&mut shell::cargo(["install", "mdbook", "--locked"]))?;
    }
    reproduce::quick()?;
    build(out, Neighbours::ReportAndCrates)
}

/// What the book links to beside its chapters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Neighbours {
    Report,
    ReportAndCrates,
}

impl Neighbours {
    /// What stands in a chapter in place of the links.
    const PLACE: &str = "<!-- neighbours -->";
    /// Variable of the environment by which the preprocessor learns of the documentation of the crates.
    const VARIABLE: &str = "PERCUSSION_BOOK_HAS_API";

    fn links(self) -> String {
        let report = format!(
            "The [report of all experiments]({}/index.html) opens with a gallery of moving pictures.",
            pictures::REPORT
        );
        match self {
            Self::Report => report,
            Self::ReportAndCrates => {
                format!(
                    "{report}\nThe [documentation of the crates](api/index.html) has every public item."
                )
            }
        }
    }

    fn fill_in(self, part: &mut Value) {
        match part {
            Value::Array(parts) => parts.iter_mut().for_each(|part| self.fill_in(part)),
            Value::Object(fields) => {
                if let Some(Value::String(content)) = fields.get_mut("content") {
                    *content = content.replace(Self::PLACE, &self.links());
                }
                fields.values_mut().for_each(|part| self.fill_in(part));
            }
            _ => {}
        }
    }
}

/// Builds the book from the results that there are if mdBook is installed; otherwise checks that its pictures exist, and prints a
/// message.
pub(crate) fn build_if_installed() -> anyhow::Result<()> {
    if installed() {
        return build(&shell::target().join("book"), Neighbours::Report);
    }
    let source = shell::root().join("docs/src");
    for chapter in files::with_extension(&source, "md")? {
        let path = chapter.strip_prefix(&source)?.display().to_string();
        pictures::drawn(&fs::read_to_string(&chapter)?, &path, &reproduce::quick_results())
            .with_context(|| path.clone())?;
    }
    let message =
        format!("mdbook is not installed here ({INSTALL}): the book was checked but not built");
    Err(NotChecked(message).into())
}

/// Answers a request of mdBook: whether a renderer is supported, or for the book with its formulas drawn, and its
/// pictures and the tables of what makes rows fail filled in.
///
/// mdBook sends a pair of JSON values, the context and the book, and expects the book in return.
pub(crate) fn preprocess(question: &[&str]) -> anyhow::Result<()> {
    if let ["supports", renderer] = question {
        if *renderer == "html" {
            return Ok(());
        }
        bail!("formulas are drawn for html, not for {renderer}");
    }
    let (_context, mut book): (Value, Value) =
        serde_json::from_reader(io::stdin()).context("what mdBook sent")?;
    draw_formulas(&mut book)?;
    pictures::fill_in(&mut book, &reproduce::quick_results())?;
    sensitivity::fill_in(&mut book)?;
    let has_api = env::var_os(Neighbours::VARIABLE).is_some();
    let neighbours = if has_api { Neighbours::ReportAndCrates } else { Neighbours::Report };
    neighbours.fill_in(&mut book);
    serde_json::to_writer(io::stdout(), &book).context("answering mdBook")
}

/// Draws the formulas of all chapters below `part`, in all its lists of chapters.
fn draw_formulas(part: &mut Value) -> anyhow::Result<()> {
    match part {
        Value::Array(parts) => parts.iter_mut().try_for_each(draw_formulas),
        Value::Object(fields) => {
            if let Some(Value::String(content)) = fields.get_mut("content") {
                *content = formulas::in_markdown(content).map_err(|(line, reason)| {
                    anyhow!("the formula in line {} of a chapter: {reason}", line + 1)
                })?;
            }
            fields.values_mut().try_for_each(draw_formulas)
        }
        _ => Ok(()),
    }
}

fn installed() -> bool {
    shell::succeeds(Command::new("mdbook").arg("--version"))
}

fn build(out: &Path, neighbours: Neighbours) -> anyhow::Result<()> {
    let mut command = Command::new("mdbook");
    command.args(["build", "docs", "--dest-dir"]).arg(out).current_dir(shell::root());
    if neighbours == Neighbours::ReportAndCrates {
        command.env(Neighbours::VARIABLE, "1");
    }
    // mdBook runs our preprocessor through cargo, from another folder.
    command.env("CARGO_TARGET_DIR", shell::target());
    shell::run(&mut command)?;
    copy(&reproduce::quick_results(), &out.join(pictures::REPORT))?;
    // The links of a site are checked when all of it is there.
    if neighbours == Neighbours::Report {
        links_lead_somewhere(out, None)?;
    }
    println!("{}", out.join("index.html").display());
    Ok(())
}

/// Checks the links of all pages in `folder` but those below `foreign`.
pub(crate) fn links_lead_somewhere(folder: &Path, foreign: Option<&Path>) -> anyhow::Result<()> {
    let broken = links::check(folder, foreign)?;
    if !broken.is_empty() {
        bail!("broken links of {}:\n{}", folder.display(), broken.join("\n"));
    }
    Ok(())
}

/// Copies the folder `from` to `to`, with all that is in it.
pub(crate) fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(to).with_context(|| format!("writing {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let (from, to) = (entry?.path(), to.to_path_buf());
        let to = to.join(from.file_name().unwrap_or_default());
        if from.is_dir() {
            copy(&from, &to)?;
        } else {
            fs::copy(&from, &to).with_context(|| format!("writing {}", to.display()))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_drawn_in_chapters_of_chapters() {
        let chapter = |content: &str, inner: Value| serde_json::json!({"Chapter": {"name": "A", "content": content, "sub_items": inner}});
        let formula = "```math\nx\n```\n";
        let inner = chapter(formula, Value::Array(Vec::new()));
        let mut book =
            serde_json::json!({"items": [chapter("text\n", serde_json::json!([inner]))]});
        draw_formulas(&mut book).unwrap();
        let outer = &book["items"][0]["Chapter"];
        assert_eq!(outer["content"], "text\n");
        let drawn = outer["sub_items"][0]["Chapter"]["content"].as_str().unwrap();
        assert!(drawn.starts_with("<div class=\"formula\"><math"), "{drawn}");
    }

    #[test]
    fn other_renderers_than_html_are_not_supported() {
        assert!(preprocess(&["supports", "html"]).is_ok(), "html");
        assert!(preprocess(&["supports", "latex"]).is_err(), "latex");
    }
}
