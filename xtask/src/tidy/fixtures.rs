//! Checks that every data file names the source of its numbers, and every checked figure of an experiment its computation.

use std::path::Path;

use super::Finding;

/// Lines at the top of a file in which its source must be named.
const HEAD: usize = 30;

/// Whether `path` (relative to the root) lies in a folder `fixtures` and holds data.
pub(super) fn is_fixture(path: &Path) -> bool {
    path.iter().any(|part| part == "fixtures") && !path.ends_with("README.md")
}

/// A fixture must name its source in its first lines, `source = "…"`, `# Source: …` or `"source": "…"`. If
/// its format has no place for this, it must be listed in the `README.md` next to it, given as `list`.
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

/// The kinds of computations of checked figures, with their required fields.
const KINDS: [(&str, &[&str]); 4] = [
    ("closed-form", &["statement"]),
    ("program", &["program", "settings"]),
    ("paper", &["source"]),
    ("invariant", &["statement"]),
];

/// The heading of a computation in the file of an experiment.
const CHECK: &str = "[experiment.checks.";

/// Every `checked` figure of an experiment must name a computation that the file describes and that is not one of this library.
///
/// Files in a folder `compat` keep their original form and are not checked.
pub(super) fn check_origins(path: &Path, text: &str) -> Vec<Finding> {
    if path.extension().is_none_or(|end| end != "toml") || path.iter().any(|part| part == "compat")
    {
        return Vec::new();
    }
    let sections = sections(text);
    let checks = || sections.iter().filter(|section| section.heading.starts_with(CHECK));
    let kind_of = |name: &str| {
        let mut checks = checks();
        let check = checks.find(|one| one.heading == format!("{CHECK}{name}]"));
        check.and_then(|check| check.value("kind"))
    };
    let unsaid = checks().filter_map(|check| Some((check.line, check.unsaid()?)));
    let unfounded = sections.iter().filter(|section| section.heading == "[[expected]]");
    let unfounded = unfounded.filter_map(|row| {
        row.value("checked")?;
        let Some(kind) = row.value("check").and_then(kind_of) else {
            return Some((
                row.line,
                "`checked` without a `check` that the file describes".to_owned(),
            ));
        };
        let is_judged = row.value("against") == Some("invariant");
        let message = "a row judged as an invariant and its check have to be invariants both";
        (is_judged != (kind == "invariant")).then(|| (row.line, message.to_owned()))
    });
    let findings = unsaid.chain(unfounded);
    findings.map(|(line, message)| Finding::new(path, line, message)).collect()
}

/// A section of a TOML file.
struct Section<'t> {
    heading: &'t str,
    line: usize,
    fields: Vec<(&'t str, &'t str)>,
}

impl<'t> Section<'t> {
    /// The value of a field, without quotes.
    fn value(&self, field: &str) -> Option<&'t str> {
        let found = self.fields.iter().find(|(name, _)| *name == field);
        found.map(|(_, value)| value.trim_matches('"'))
    }

    /// The missing part of a computation.
    fn unsaid(&self) -> Option<String> {
        let kind = self.value("kind").unwrap_or_default();
        let Some((_, fields)) = KINDS.iter().find(|(name, _)| *name == kind) else {
            let known = KINDS.map(|(name, _)| name).join(", ");
            return Some(format!("kind `{kind}`, expected one of {known}"));
        };
        let is_empty = |field: &&&str| self.value(field).is_none_or(|text| text.trim().is_empty());
        if let Some(field) = fields.iter().find(is_empty) {
            return Some(format!("a check of the kind `{kind}` without `{field}`"));
        }
        let is_ours = self.value("program").is_some_and(|name| name.contains("percussion"));
        is_ours.then(|| "a figure of this library is not checked by it".to_owned())
    }
}

/// The sections of a TOML file, whose fields are on one line each.
fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.starts_with('[') {
            sections.push(Section {
                heading: line.trim_end(),
                line: index + 1,
                fields: Vec::new(),
            });
        } else if let (Some(section), Some((name, value))) =
            (sections.last_mut(), line.split_once('='))
        {
            section.fields.push((name.trim(), value.trim()));
        }
    }
    sections
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHECKS: &str = "[experiment.checks.fall]\nkind = \"closed-form\"\nstatement = \"g t²/2\"\n\
        [experiment.checks.other]\nkind = \"program\"\nprogram = \"Simbody 3.7\"\nsettings = \"none\"\n\
        [experiment.checks.kept]\nkind = \"invariant\"\nstatement = \"no force\"\n";

    fn unfounded(text: &str) -> bool {
        !check_origins(Path::new("fixtures/a/b.toml"), text).is_empty()
    }

    fn row(fields: &str) -> String {
        format!("{CHECKS}[[expected]]\nquantity = \"way\"\n{fields}\n")
    }

    #[test]
    fn a_checked_figure_names_its_computation() {
        assert!(
            !unfounded(&row("checked = 1.0\ncheck = \"fall\"\nagainst = \"checked\"")),
            "named"
        );
        assert!(
            !unfounded(&row("checked = 1.0\ncheck = \"kept\"\nagainst = \"invariant\"")),
            "kept"
        );
        assert!(!unfounded(&row("published = 1.0\nagainst = \"published\"")), "nothing checked");
        assert!(unfounded(&row("checked = 1.0\nagainst = \"checked\"")), "not named");
        assert!(
            unfounded(&row("checked = 1.0\ncheck = \"guess\"\nagainst = \"checked\"")),
            "unknown"
        );
        assert!(
            unfounded(&row("checked = 1.0\ncheck = \"kept\"\nagainst = \"checked\"")),
            "no check"
        );
        assert!(
            unfounded(&row("checked = 1.0\ncheck = \"fall\"\nagainst = \"invariant\"")),
            "no invariant"
        );
        let old = row("checked = 1.0\nagainst = \"checked\"");
        assert!(check_origins(Path::new("fixtures/compat/b.toml"), &old).is_empty(), "old files");
    }

    #[test]
    fn a_computation_is_described_and_not_ours() {
        assert!(!unfounded(CHECKS), "described");
        assert!(unfounded(&CHECKS.replace("settings = \"none\"\n", "")), "no settings");
        assert!(unfounded(&CHECKS.replace("g t²/2", " ")), "empty");
        assert!(unfounded(&CHECKS.replace("closed-form", "guess")), "unknown kind");
        assert!(unfounded(&CHECKS.replace("Simbody 3.7", "percussion run")), "ours");
    }

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
