//! Every file of data says where its numbers come from.

use std::path::Path;

use super::Finding;

/// Lines at the top of a file in which its source must be named.
const HEAD: usize = 30;

/// Whether `path` (relative to the root) lies in a folder `fixtures` and holds data.
pub(super) fn is_fixture(path: &Path) -> bool {
    path.iter().any(|part| part == "fixtures") && !path.ends_with("README.md")
}

/// A fixture names its source in its first lines, `source = "…"`, `# Source: …` or `"source": "…"`;
/// one whose format has no room for it is listed in the `README.md` beside it, given as `list`.
pub(super) fn check(path: &Path, text: &str, list: &str) -> Vec<Finding> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let listed = list.contains(&*name) && list.to_lowercase().contains("source");
    if listed || text.lines().take(HEAD).any(names_source) {
        return Vec::new();
    }
    let message = format!(
        "fixture without a source, expected `source` in its first {HEAD} lines or `{name}` in the README.md beside it"
    );
    vec![Finding::new(path, 1, message)]
}

/// Whether `line` has the word `source` followed by `=` or `:` and something more.
fn names_source(line: &str) -> bool {
    let line = line.to_lowercase();
    let Some((_, after)) = line.split_once("source") else {
        return false;
    };
    let after = after.trim_start_matches(['s', '"', '\'', ' ']);
    let Some(value) = after.strip_prefix(['=', ':']) else {
        return false;
    };
    value.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, list: &str) -> bool {
        !check(Path::new("fixtures/a.toml"), text, list).is_empty()
    }

    #[test]
    fn a_source_in_the_head_is_enough() {
        assert!(!found("# Source: D. E. Stewart, 1996\n", ""), "comment");
        assert!(!found("source = \"D. E. Stewart, 1996\"\n", ""), "TOML");
        assert!(!found("{\"source\": \"D. E. Stewart, 1996\"}", ""), "JSON");
    }

    #[test]
    fn a_missing_or_empty_source_is_found() {
        assert!(found("radius = 0.1\n", ""), "missing");
        assert!(found("source = \"\"\n", ""), "empty");
    }

    #[test]
    fn a_list_beside_the_file_is_enough() {
        assert!(!found("{}", "| a.toml | Source: D. E. Stewart, 1996 |"), "listed");
        assert!(found("{}", "| b.toml | Source: D. E. Stewart, 1996 |"), "another file");
    }

    #[test]
    fn only_data_is_a_fixture() {
        assert!(is_fixture(Path::new("crates/scenarios/fixtures/a/b.toml")), "data");
        assert!(!is_fixture(Path::new("crates/scenarios/fixtures/README.md")), "its description");
        assert!(!is_fixture(Path::new("crates/scenarios/src/a.rs")), "code");
    }
}
