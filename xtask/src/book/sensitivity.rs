//! The tables of what makes the judged rows of experiments fail, from the fixtures.

use std::{fmt::Write as _, fs, path::Path};

use anyhow::{Context, anyhow};
use serde_json::Value;
use toml::Table;

use crate::shell;

/// What stands in the chapter in place of the tables.
const PLACE: &str = "<!-- fails_with -->";

/// Puts the tables into the chapters below `part` that have a place for them.
pub(super) fn fill_in(part: &mut Value) -> anyhow::Result<()> {
    match part {
        Value::Array(parts) => parts.iter_mut().try_for_each(fill_in),
        Value::Object(fields) => {
            if let Some(Value::String(content)) = fields.get_mut("content")
                && content.contains(PLACE)
            {
                *content = content.replace(PLACE, &tables()?);
            }
            fields.values_mut().try_for_each(fill_in)
        }
        _ => Ok(()),
    }
}

/// A table for each fixture with judged rows, family by family.
fn tables() -> anyhow::Result<String> {
    let mut fixtures: Vec<_> = Vec::new();
    let root = shell::root().join("crates/scenarios/fixtures");
    for family in fs::read_dir(&root).with_context(|| root.display().to_string())? {
        let family = family?.path();
        for fixture in
            family.is_dir().then(|| fs::read_dir(&family)).into_iter().flatten().flatten()
        {
            let path = fixture?.path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                fixtures.push(path);
            }
        }
    }
    fixtures.sort();
    let mut text = String::new();
    for path in fixtures {
        text += &table(&root, &path)?;
    }
    Ok(text)
}

/// The table of the fixture at `path`; empty where nothing is judged.
fn table(root: &Path, path: &Path) -> anyhow::Result<String> {
    let document: Table = fs::read_to_string(path)?.parse()?;
    let id = path.strip_prefix(root)?.with_extension("");
    let mut text = String::new();
    for row in document.get("expected").and_then(toml::Value::as_array).into_iter().flatten() {
        let field = |name: &str| row.get(name).and_then(toml::Value::as_str);
        let Some(fails_with) = field("fails_with") else { continue };
        let quantity = field("quantity").ok_or_else(|| anyhow!("{}: {row}", path.display()))?;
        let judged_by = match field("against") {
            Some("published") => "published figure",
            Some("checked") => "check",
            _ => "invariant",
        };
        writeln!(text, "| {quantity} | {judged_by} | {fails_with} |")?;
    }
    if text.is_empty() {
        return Ok(text);
    }
    let head = "| quantity | judged by | fails with |\n| --- | --- | --- |";
    Ok(format!("### `{}`\n\n{head}\n{text}\n", id.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_becomes_the_tables_of_the_fixtures() {
        let mut book = serde_json::json!([{"Chapter": {"content": format!("Rows.\n\n{PLACE}\n")}}]);
        fill_in(&mut book).unwrap();
        let content = book[0]["Chapter"]["content"].as_str().unwrap();
        assert!(content.starts_with("Rows.\n\n### `"), "{content}");
        assert!(content.contains("### `plus/tabletop`\n\n| quantity |"), "{content}");
        assert!(!content.contains(PLACE), "{content}");
        // Every fixture of an experiment is a file two levels down, and judges something.
        assert!(content.matches("### `").count() > 25, "{content}");
    }

    #[test]
    fn the_chapter_has_a_place_for_the_tables() {
        let chapter = fs::read_to_string(shell::root().join("docs/src/sensitivity.md")).unwrap();
        assert!(chapter.contains(PLACE), "{chapter}");
    }
}
