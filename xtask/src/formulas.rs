//! Formulas: conversion of TeX in `math` blocks of the book and of the documentation to `MathML`.
//!
//! Browsers draw `MathML` themselves, so a page needs neither a script nor a network.

use math_core::{LatexToMathML, MathCoreConfig, MathDisplay};

/// The fence that opens a formula block in Markdown.
const FENCE: &str = "```math";

/// The HTML of rustdoc before and after the TeX of such a block.
const OPENING: &str = "<div class=\"example-wrap\"><pre class=\"language-math\"><code>";
const CLOSING: &str = "</code></pre></div>";

/// A block of a formula in Markdown or in the comments of a source.
#[derive(Debug, PartialEq)]
pub(crate) struct Block {
    /// Line of the fence, counted from 0.
    pub(crate) line: usize,
    /// Line of the closing fence; the line after the last one if there is none.
    pub(crate) end: usize,
    pub(crate) tex: String,
}

/// The formulas in `text`, which may be in comments.
pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((line, first)) = lines.next() {
        if content(first).trim() != FENCE {
            continue;
        }
        let mut block = Block { line, end: line + 1, tex: String::new() };
        for (index, next) in lines.by_ref() {
            block.end = index;
            if content(next).trim() == "```" {
                break;
            }
            block.tex.push_str(content(next));
            block.tex.push('\n');
        }
        blocks.push(block);
    }
    blocks
}

/// `line` without the marks of a comment.
fn content(line: &str) -> &str {
    let text = line.trim_start();
    ["//! ", "/// ", "//!", "///"]
        .into_iter()
        .find_map(|mark| text.strip_prefix(mark))
        .unwrap_or(line)
}

/// The displayed formula `tex` as a piece of HTML, or a message about the part that cannot be read.
///
/// The HTML has no empty line and begins with a `div`, so that Markdown does not change it.
pub(crate) fn html(tex: &str) -> Result<String, String> {
    let converter = LatexToMathML::new(MathCoreConfig::default())
        .map_err(|error| format!("the converter cannot start: {error:?}"))?;
    let formula = converter
        .convert_with_local_state(tex.trim(), MathDisplay::Block)
        .map_err(|error| error.to_string())?;
    Ok(format!("<div class=\"formula\">{}</div>", formula.mathml))
}

/// Markdown with its formulas replaced, or the line (from 0) of a formula that cannot be read, with the reason.
pub(crate) fn in_markdown(text: &str) -> Result<String, (usize, String)> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for block in blocks(text).into_iter().rev() {
        let fence = &lines[block.line];
        let indent = " ".repeat(fence.len() - fence.trim_start().len());
        let html = html(&block.tex).map_err(|reason| (block.line, reason))?;
        let end = lines.len().min(block.end + 1);
        lines.splice(block.line..end, [format!("{indent}{html}")]);
    }
    Ok(lines.join("\n") + "\n")
}

/// A page of rustdoc with its formulas replaced and `stylesheet` linked; `None` if it has none.
pub(crate) fn in_page(page: &str, stylesheet: &str) -> Option<Result<String, String>> {
    page.contains(OPENING).then(|| {
        let mut pieces = page.split(OPENING);
        let mut out = pieces.next().unwrap_or_default().to_owned();
        out.push_str(&format!("<link rel=\"stylesheet\" href=\"{stylesheet}\">"));
        for piece in pieces {
            let (tex, rest) = piece.split_once(CLOSING).unwrap_or((piece, ""));
            out.push_str(&html(&unescaped(tex))?);
            out.push_str(rest);
        }
        Ok(out)
    })
}

/// Text of an HTML page with its entities resolved, as far as rustdoc uses them.
fn unescaped(text: &str) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        .into_iter()
        .fold(text.to_owned(), |text, (entity, character)| text.replace(entity, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_are_found_in_markdown_and_in_comments() {
        let text =
            "a\n```math\nx\n```\n//! ```math\n//! \\frac{1}{2}\n//! ```\n```rust\nfn f() {}\n```\n";
        let found: Vec<_> = blocks(text).into_iter().map(|b| (b.line, b.end, b.tex)).collect();
        assert_eq!(found, [(1, 3, "x\n".to_owned()), (4, 6, "\\frac{1}{2}\n".to_owned())]);
    }

    #[test]
    fn an_open_block_ends_with_the_text() {
        assert_eq!(blocks("```math\nx").len(), 1);
        assert!(in_markdown("```math\nx").is_ok(), "the lines there are");
    }

    #[test]
    fn a_formula_becomes_one_line_of_mathml_where_it_stood() {
        let out = in_markdown("- a\n\n  ```math\n  0 \\le x\n\n  ```\n\nb\n").unwrap();
        let lines: Vec<_> = out.lines().collect();
        assert_eq!(lines.len(), 5, "{out}");
        assert!(lines[2].starts_with("  <div class=\"formula\"><math display=\"block\">"), "{out}");
        assert!(lines[2].contains("<mo>≤</mo>") && lines[4] == "b", "{out}");
    }

    #[test]
    fn tex_that_cannot_be_read_is_named_with_its_line() {
        let (line, reason) = in_markdown("a\n```math\n\\nosuchcommand\n```").unwrap_err();
        assert_eq!(line, 1);
        assert!(reason.contains("nosuchcommand"), "{reason}");
    }

    #[test]
    fn pages_of_rustdoc_keep_all_but_their_formulas() {
        let page = format!("<p>a</p>{OPENING}x &lt; y{CLOSING}<p>b</p>");
        let out = in_page(&page, "../s.css").unwrap().unwrap();
        assert!(
            out.starts_with("<p>a</p><link rel=\"stylesheet\" href=\"../s.css\"><div"),
            "{out}"
        );
        assert!(out.contains("<mo>&lt;</mo>") && out.ends_with("</div><p>b</p>"), "{out}");
        assert!(in_page("<p>a</p>", "s.css").is_none(), "no formula");
    }
}
