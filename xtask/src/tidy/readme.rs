//! Checks that the README of the workspace lists every crate, and that every crate has its own README.

use std::path::Path;

use serde_json::Value;

use super::{Finding, manifest, packages, published};

/// Every published crate must declare a README that exists and contains more than its name.
pub(super) fn check_crates(metadata: &Value) -> Vec<Finding> {
    let names: Vec<_> = published(metadata).collect();
    packages(metadata)
        .filter(|package| package["name"].as_str().is_some_and(|name| names.contains(&name)))
        .filter_map(|package| {
            let path = manifest(package);
            let Some(readme) = package["readme"].as_str() else {
                return Some(Finding::new(
                    path,
                    1,
                    "no `readme`, expected `readme = \"README.md\"`",
                ));
            };
            let folder = Path::new(package["manifest_path"].as_str()?).parent()?;
            let text = std::fs::read_to_string(folder.join(readme)).unwrap_or_default();
            (!says_something(&text)).then(|| {
                let message = "README without text, expected what the crate is for and an example";
                Finding::new(path.with_file_name(readme), 1, message)
            })
        })
        .collect()
}

/// Each of the published `crates` must have a row in a table of `readme`, and every row must name one of them.
pub(super) fn check_table(readme: &str, crates: &[&str]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut listed = Vec::new();
    for (index, line) in readme.lines().enumerate() {
        let Some(name) = crate_of_row(line) else { continue };
        listed.push(name);
        let planned = line.contains("planned");
        if crates.contains(&name) == planned {
            let message = if planned {
                format!("`{name}` exists, expected no word of it being planned")
            } else {
                format!("`{name}` is no crate of the workspace, expected the word planned")
            };
            findings.push(Finding::new("README.md", index + 1, message));
        }
    }
    for name in crates.iter().filter(|name| !listed.contains(name)) {
        let message = format!("`{name}` is not in the table of crates, expected a row for it");
        findings.push(Finding::new("README.md", 1, message));
    }
    findings
}

/// The crate that a row of the table starts with.
fn crate_of_row(line: &str) -> Option<&str> {
    let (_, after) = line.split_once('`')?;
    let (name, _) = after.split_once('`')?;
    let first = line.strip_prefix('|')?.trim_start();
    (first.starts_with(['`', '[']) && name.starts_with("percussion-")).then_some(name)
}

/// Whether there is a paragraph besides the headings.
fn says_something(text: &str) -> bool {
    text.lines().any(|line| !line.trim().is_empty() && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(table: &str) -> Vec<String> {
        check_table(table, &["percussion-a"]).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_crate_has_a_row() {
        assert!(messages("| [`percussion-a`](crates/a) | does a |").is_empty(), "it has");
        let expected =
            "README.md:1: `percussion-a` is not in the table of crates, expected a row for it";
        assert_eq!(messages("Uses `percussion-a`."), [expected]);
    }

    #[test]
    fn the_table_does_not_promise_what_is_not_there() {
        let table = "| `percussion-a` | does a |\n| `percussion-b` | does b |";
        let expected =
            "README.md:2: `percussion-b` is no crate of the workspace, expected the word planned";
        assert_eq!(messages(table), [expected]);
        let honest = "| `percussion-a` | does a |\n| `percussion-b` | planned: does b |";
        assert!(messages(honest).is_empty(), "marked as planned");
    }

    #[test]
    fn a_heading_alone_says_nothing() {
        assert!(!says_something("# percussion-a\n\n"), "heading");
        assert!(says_something("# percussion-a\n\nFrames.\n"), "paragraph");
    }
}
