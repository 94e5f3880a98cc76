//! Checks that the front page of a crate has an example, all modules, features and limits.

use std::path::Path;

use super::Finding;

/// The sections of every front page, in this order.
const SECTIONS: [&str; 4] = ["# Example", "# Modules", "# Features", "# Limits"];

/// The head of `crates/*/src/lib.rs` must have every section and name every public module.
pub(super) fn check(relative: &Path, source: &str) -> Vec<Finding> {
    if !(relative.starts_with("crates") && relative.ends_with("src/lib.rs")) {
        return Vec::new();
    }
    let head: Vec<_> = source.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let mut rest = head.iter();
    let sections = SECTIONS.into_iter().filter(|section| !rest.any(|line| line.trim() == *section));
    let mut findings: Vec<_> = sections
        .map(|section| format!("no `{section}` at its place, expected {}", SECTIONS.join(", ")))
        .map(|message| Finding::new(relative, 1, message))
        .collect();
    for (index, line) in source.lines().enumerate() {
        let Some(name) = line.strip_prefix("pub mod ").and_then(|rest| rest.strip_suffix(';'))
        else {
            continue;
        };
        let quoted = format!("`{name}`");
        if !head.iter().any(|line| line.trim().starts_with('|') && line.contains(&quoted)) {
            let message = format!("module {quoted} is not in the table of modules, expected a row");
            findings.push(Finding::new(relative, index + 1, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str =
        "//! # Example\n//! # Modules\n//! | [`a`] | A |\n//! # Features\n//! # Limits\n";

    fn messages(source: &str) -> Vec<String> {
        check(Path::new("crates/x/src/lib.rs"), source).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_public_module_has_a_row() {
        assert!(messages(&format!("{PAGE}pub mod a;\nmod b;\n")).is_empty(), "all are there");
        let found = messages(&format!("{PAGE}pub mod b;\n"));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/x/src/lib.rs:6: module `b`"), "{found:?}");
    }

    #[test]
    fn sections_come_in_their_order() {
        assert_eq!(messages("//! # Example\n").len(), 3);
        assert_eq!(messages(&PAGE.replace("# Example", "# Worked example")).len(), 4);
        let elsewhere = check(Path::new("crates/x/src/a.rs"), "//! A.\n");
        assert!(elsewhere.is_empty(), "modules have other heads");
    }
}
