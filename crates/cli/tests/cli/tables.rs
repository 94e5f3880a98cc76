//! Tests that tables in READMEs, heads of crates and the book have a row for everything that `percussion list --json` names.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::Value;

use crate::common::percussion;

/// The entries of one kind.
fn names(list: &Value, kind: &str) -> Vec<String> {
    let entries = list[kind].as_array().unwrap_or_else(|| panic!("there is no {kind}"));
    let name = |entry: &Value| entry.get("name").unwrap_or(entry).as_str().unwrap().to_owned();
    entries.iter().map(name).collect()
}

/// The `names` that no row of a table in `text` has in backticks.
fn missing<'a>(text: &str, names: &'a [String]) -> Vec<&'a str> {
    let rows: Vec<&str> = text
        .lines()
        .map(|line| line.trim_start_matches("//!").trim_start_matches("///").trim_start())
        .filter(|line| line.starts_with('|'))
        .collect();
    let in_backticks = |name: &str| {
        let forms = [format!("`{name}`"), format!("`{name}<"), format!("::{name}`")];
        rows.iter().any(|row| forms.iter().any(|form| row.contains(form.as_str())))
    };
    names.iter().map(String::as_str).filter(|name| !in_backticks(name)).collect()
}

/// Fails if the tables of a file of the repository lack one of `names`.
fn assert_table(file: &str, names: &[String]) {
    assert!(!names.is_empty(), "nothing to look for in {file}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    let text = fs::read_to_string(&path).unwrap();
    let missing = missing(&text, names);
    assert!(
        missing.is_empty(),
        "the tables of {file} lack {missing:?}, which `percussion list` has"
    );
    // The test itself: without the rows of any one name it fails.
    for name in names {
        let others: String = text.lines().filter(|line| !line.contains(name.as_str())).collect();
        assert!(!self::missing(&others, names).is_empty(), "{file}: {name} is not looked for");
    }
}

/// `anitescu-potra` in the form of a Rust type name.
fn types(names: &[String]) -> Vec<String> {
    let capital = |word: &str| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + rest
    };
    names.iter().map(|name| name.split('-').map(capital).collect()).collect()
}

/// `moreau-jean` in the form of a Rust module name.
fn modules(names: &[String]) -> Vec<String> {
    names.iter().map(|name| name.replace('-', "_")).collect()
}

#[test]
fn tables_have_everything_that_is_listed() {
    let list = percussion(&["list", "--json"]).json();
    let mut laws = names(&list, "laws");
    // Not a law of impact but a reference, with its own chapter.
    laws.retain(|name| name != "compliant");
    assert_table("crates/impact/src/lib.rs", &types(&laws));
    assert_table("docs/src/choosing-a-law.md", &types(&laws));
    assert_table("crates/complementarity/src/lcp.rs", &modules(&names(&list, "lcp_solvers")));
    let mut friction = names(&list, "friction_solvers");
    // The default combines the others.
    friction.retain(|name| name != "combined");
    assert_table("crates/complementarity/src/friction.rs", &modules(&friction));
    let schemes = modules(&names(&list, "schemes"));
    assert_table("crates/integrators/src/lib.rs", &schemes);
    assert_table("docs/src/choosing-a-law.md", &schemes);
    let readme = "crates/scenarios/README.md";
    assert_table(readme, &names(&list, "impacts"));
    let experiments = names(&list, "experiments");
    let family = |id: &String| format!("{}/…", id.split('/').next().unwrap());
    let families: BTreeSet<String> = experiments.iter().map(family).collect();
    assert_table(readme, &families.into_iter().collect::<Vec<_>>());
    assert_table("crates/collision/src/shape.rs", &names(&list, "shapes"));
}

#[test]
fn a_row_that_is_missing_is_found() {
    let names = ["newton", "moreau"].map(str::to_owned);
    let text = "`moreau` in a text\n| law |\n| --- |\n| `newton` | one |\n";
    assert_eq!(missing(text, &names), ["moreau"]);
    assert_eq!(missing("//! | [`newton`] |\n//! | [`a::moreau`] |", &names), [""; 0]);
}
