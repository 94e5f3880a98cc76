//! The book: `cargo xtask book`.
//!
//! Its listings are tests of the package in `docs`, and `tidy` checks its links, chapters and formulas;
//! mdBook only builds the pages. Every link of those pages is checked, including anchors.

mod links;
mod sensitivity;

use std::{io, process::Command};

use anyhow::{Context, anyhow, bail};
use serde_json::Value;

use crate::{
    formulas,
    shell::{self, Refusal},
};

const INSTALL: &str = "cargo install mdbook --locked";

/// Builds the book into `target/book`.
pub(crate) fn run() -> anyhow::Result<()> {
    if !installed() {
        return Err(Refusal::missing("mdbook", INSTALL).into());
    }
    build()
}

/// Builds the book if mdBook is installed, and prints a message if it is not.
pub(crate) fn build_if_installed() -> anyhow::Result<()> {
    if installed() {
        return build();
    }
    println!("mdbook is not installed here ({INSTALL}); the book was checked but not built");
    Ok(())
}

/// Answers a request of mdBook: whether a renderer is supported, or for the book with its formulas drawn and the
/// tables of what makes rows fail filled in.
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
    sensitivity::fill_in(&mut book)?;
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

fn build() -> anyhow::Result<()> {
    let out = shell::target().join("book");
    let mut command = Command::new("mdbook");
    command.args(["build", "docs", "--dest-dir"]).arg(&out).current_dir(shell::root());
    // mdBook runs our preprocessor through cargo, from another folder.
    command.env("CARGO_TARGET_DIR", shell::target());
    shell::run(&mut command)?;
    let broken = links::check(&out)?;
    if !broken.is_empty() {
        bail!("broken links of the book:\n{}", broken.join("\n"));
    }
    println!("{}", out.join("index.html").display());
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
