//! Mutants that change no result, with the reasons: `xtask/mutants/explained.toml`.
//!
//! ```toml
//! [[mutant]]
//! file = "crates/x/src/y.rs"
//! code = "if a §> b { a } else { b }"
//! changes = ["replace > with >="]
//! reason = "Equal numbers are the same number."
//! ```
//!
//! `code` is a piece of the line in which the mutant begins, with `§` at its place, so that an entry does not depend on
//! numbers of lines. A change is named as cargo-mutants names it, with or without the function.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use anyhow::{Context, anyhow, bail};
use toml::{Table, Value};

use super::list::Mutant;
use crate::shell;

/// The file with the entries, from the root.
pub(super) const PATH: &str = "xtask/mutants/explained.toml";

/// One change of an entry.
#[derive(Debug)]
struct Entry {
    file: String,
    before: String,
    after: String,
    change: String,
}

/// All entries.
#[derive(Debug)]
pub(super) struct Explained {
    entries: Vec<Entry>,
}

impl Explained {
    pub(super) fn load() -> anyhow::Result<Self> {
        let path = shell::root().join(PATH);
        Self::read(&fs::read_to_string(&path).with_context(|| path.display().to_string())?)
            .context(PATH)
    }

    fn read(text: &str) -> anyhow::Result<Self> {
        let table: Table = text.parse()?;
        let list = table.get("mutant").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let mut entries = Vec::new();
        for value in list {
            let text = |key: &str| {
                let text = value.get(key).and_then(Value::as_str).unwrap_or_default();
                if text.trim().is_empty() { Err(anyhow!("no {key} in {value}")) } else { Ok(text) }
            };
            let (file, code) = (text("file")?, text("code")?);
            text("reason")?;
            let Some((before, after)) = code.split_once('§') else {
                bail!("{file}: no § in the code `{code}`");
            };
            let changes = value.get("changes").and_then(Value::as_array);
            let changes = changes.with_context(|| format!("no changes in {value}"))?;
            for change in changes {
                let change = change.as_str().with_context(|| format!("{change} is no text"))?;
                entries.push(Entry {
                    file: file.to_owned(),
                    before: before.to_owned(),
                    after: after.to_owned(),
                    change: change.to_owned(),
                });
            }
        }
        Ok(Self { entries })
    }

    /// The numbers of the explained mutants, and the entries for the files of these mutants that explain none.
    pub(super) fn among(
        &self,
        mutants: &[Mutant],
    ) -> anyhow::Result<(BTreeSet<usize>, Vec<String>)> {
        let mut texts = BTreeMap::new();
        for mutant in mutants {
            if !texts.contains_key(&*mutant.file) {
                let path = shell::root().join(&mutant.file);
                let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
                texts.insert(&*mutant.file, text);
            }
        }
        Ok(self.matches(mutants, &texts))
    }

    fn matches(
        &self,
        mutants: &[Mutant],
        texts: &BTreeMap<&str, String>,
    ) -> (BTreeSet<usize>, Vec<String>) {
        let (mut found, mut unused) = (BTreeSet::new(), Vec::new());
        for entry in self.entries.iter().filter(|entry| texts.contains_key(&*entry.file)) {
            let before = found.len();
            let of_file = mutants.iter().filter(|mutant| mutant.file == entry.file);
            found.extend(
                of_file
                    .filter(|mutant| entry.explains(mutant, &texts[&*mutant.file]))
                    .map(|mutant| mutant.id),
            );
            if found.len() == before {
                let Entry { file, before, after, change } = entry;
                unused.push(format!("{file}: {change} at `{before}§{after}`"));
            }
        }
        (found, unused)
    }
}

impl Entry {
    fn explains(&self, mutant: &Mutant, text: &str) -> bool {
        let (line, column) = mutant.start;
        let line = text.lines().nth(line - 1).unwrap_or_default();
        // Columns count characters.
        let at = line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at);
        let change = mutant.name.splitn(4, ':').nth(3).unwrap_or_default().trim_start();
        let rest = change.strip_prefix(&*self.change);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" in "))
            && line[..at].ends_with(&self.before)
            && line[at..].starts_with(&self.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(id: usize, change: &str, start: (usize, usize)) -> Mutant {
        Mutant {
            id,
            file: "x.rs".to_owned(),
            name: format!("x.rs:{}:{}: {change} in f", start.0, start.1),
            genre: String::new(),
            replacement: String::new(),
            start,
        }
    }

    fn read(code: &str, change: &str) -> Explained {
        let text = format!(
            "[[mutant]]\nfile = 'x.rs'\ncode = '{code}'\nchanges = ['{change}']\nreason = 'Equal.'"
        );
        Explained::read(&text).unwrap()
    }

    #[test]
    fn an_entry_explains_the_mutant_at_its_place() {
        let texts = BTreeMap::from([("x.rs", "// µ\nlet µ = a > b || c > d;".to_owned())]);
        let change = "replace > with >=";
        let list = [mutant(1, change, (2, 11)), mutant(2, change, (2, 20))];
        for (code, change, expected) in [
            ("a §> b", change, Some(1)),
            ("c §> d", change, Some(2)),
            ("c §> d", "replace > with >= in f", Some(2)),
            ("§> ", "replace > with ==", None),
            ("§> ", "replace > with >", None),
            ("d §> c", change, None),
        ] {
            let (found, unused) = read(code, change).matches(&list, &texts);
            assert_eq!(found, expected.into_iter().collect(), "{code}");
            assert_eq!(unused.len(), usize::from(expected.is_none()), "{unused:?}");
        }
        let (found, _) = read("§> ", change).matches(&list, &texts);
        assert_eq!(found.len(), 2, "both places of the line");
    }

    #[test]
    fn an_entry_needs_a_place_a_change_and_a_reason() {
        let of = |text: &str| Explained::read(text).unwrap_err().to_string();
        let start = "[[mutant]]\nfile = 'x.rs'\n";
        assert!(of(&format!("{start}code = 'a'\nchanges = []\nreason = 'r'")).contains('§'));
        assert!(of(&format!("{start}code = '§a'\nchanges = []")).contains("no reason"));
        assert!(of(&format!("{start}code = '§a'\nreason = 'r'")).contains("no changes"));
    }

    /// Entries of files that no longer exist would never be compared with a mutant.
    #[test]
    fn the_entries_are_read_and_their_files_exist() {
        for entry in Explained::load().unwrap().entries {
            assert!(shell::root().join(&entry.file).exists(), "{entry:?}");
        }
    }
}
