//! Checks that formulas can be drawn.

use std::path::Path;

use super::Finding;
use crate::formulas::{blocks, html};

/// Every `math` block of `text`, Markdown or a source, must be TeX that can be converted to `MathML`.
pub(super) fn check(relative: &Path, text: &str) -> Vec<Finding> {
    let failing =
        blocks(text).into_iter().filter_map(|block| Some((block.line, html(&block.tex).err()?)));
    failing
        .map(|(line, reason)| Finding::new(relative, line + 1, format!("formula: {reason}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_that_cannot_be_drawn_is_found() {
        let text = "//! ```math\n//! x^2\n//! ```\n//!\n//! ```math\n//! \\frac{1}{\n//! ```\n";
        let findings = check(Path::new("a.rs"), text);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].to_string().starts_with("a.rs:5: formula: "), "{}", findings[0]);
    }
}
