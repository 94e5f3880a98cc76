//! Modules next to one another must have an order: none may depend, directly or indirectly, on one that
//! depends on it.
//!
//! A module may use its children and be used by them. Two children of one parent that use each other can only
//! be read together; they belong in one file, or need a third module that both use. Tests do not count.

mod paths;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{Finding, text::code_only};
use paths::{Module, Names, references};

/// For each module, the neighboring modules that it uses, each with a path by which it does.
type Uses = BTreeMap<String, BTreeMap<String, String>>;

/// The sources of one `src` folder, by module.
#[derive(Debug, Default)]
struct Sources {
    folder: PathBuf,
    modules: BTreeMap<Module, String>,
}

/// Checks all files of the workspace (relative to the root) with their sources.
pub(super) fn check<'a>(files: impl IntoIterator<Item = (&'a Path, &'a str)>) -> Vec<Finding> {
    let mut folders: BTreeMap<PathBuf, Sources> = BTreeMap::new();
    for (path, source) in files {
        let Some((folder, module)) = place(path) else { continue };
        let sources = folders.entry(folder.clone()).or_default();
        sources.folder = folder;
        sources.modules.insert(module, code_only(without_tests(source)));
    }
    folders.values().flat_map(Sources::circles).collect()
}

/// The `src` folder of a file and the path of its module; `None` for tests and for programs next to a library.
fn place(path: &Path) -> Option<(PathBuf, Module)> {
    let parts: Vec<&str> = path.iter().filter_map(|part| part.to_str()).collect();
    let at = parts.iter().position(|part| *part == "src")?;
    let (last, folders) = parts[at + 1..].split_last()?;
    let name = last.strip_suffix(".rs")?;
    let mut module: Module = folders.iter().map(ToString::to_string).collect();
    if !(module.is_empty() && matches!(name, "lib" | "main")) {
        module.push(name.to_owned());
    }
    let is_test = |name: &String| name == "tests" || name.ends_with("_tests") || name == "bin";
    let above = parts[..at].contains(&"examples");
    (!above && !module.iter().any(is_test)).then(|| (parts[..=at].iter().collect(), module))
}

/// The source up to its module of tests, which is at its end.
fn without_tests(source: &str) -> &str {
    source.find("#[cfg(test)]\nmod tests {").map_or(source, |start| &source[..start])
}

impl Sources {
    fn circles(&self) -> Vec<Finding> {
        let names = Names::new(&self.modules);
        let mut levels: BTreeMap<Module, Uses> = BTreeMap::new();
        for (module, code) in &self.modules {
            for path in references(code) {
                let Some(target) = names.module_of(module, &path) else { continue };
                let shared = module.iter().zip(&target).take_while(|(a, b)| a == b).count();
                if let (Some(from), Some(to)) = (module.get(shared), target.get(shared)) {
                    let uses = levels.entry(module[..shared].to_vec()).or_default();
                    let uses = uses.entry(from.clone()).or_default();
                    uses.entry(to.clone()).or_insert_with(|| path.join("::"));
                }
            }
        }
        let finding = |(parent, uses): (&Module, &Uses)| {
            let circle = circle(uses)?;
            let file = parent.iter().fold(self.folder.clone(), |path, part| path.join(part));
            let file =
                if parent.is_empty() { file.join("lib.rs") } else { file.with_extension("rs") };
            let message = format!("modules need each other: {circle}, expected an order");
            Some(Finding::new(file, 1, message))
        };
        levels.iter().filter_map(finding).collect()
    }
}

/// A circle of modules, as text, if there is one.
fn circle(uses: &Uses) -> Option<String> {
    let back = |from: &String| {
        let step = uses.get(from)?.keys().find_map(|to| way(uses, to, from))?;
        Some(step)
    };
    let way = uses.keys().find_map(back)?;
    let mut steps = Vec::new();
    for (place, from) in way.iter().enumerate() {
        let to = &way[(place + 1) % way.len()];
        let path = uses.get(from).and_then(|uses| uses.get(to)).map_or("", String::as_str);
        steps.push(format!("`{from}` uses `{path}`"));
    }
    Some(steps.join(", "))
}

/// The modules from `from` to `to`, including both ends.
fn way(uses: &Uses, from: &str, to: &str) -> Option<Vec<String>> {
    let mut seen = BTreeSet::from([from.to_owned()]);
    let mut ways = vec![vec![from.to_owned()]];
    let mut next = 0;
    while let Some(way) = ways.get(next).cloned() {
        next += 1;
        let last = way.last()?;
        if last == to {
            return Some(way);
        }
        for onward in uses.get(last).into_iter().flat_map(BTreeMap::keys) {
            if seen.insert(onward.clone()) {
                ways.push(way.iter().cloned().chain([onward.clone()]).collect());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        let files = files.iter().map(|(path, source)| (Path::new(*path), *source));
        check(files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn modules_that_need_each_other_are_found() {
        let found = messages(&[
            ("crates/x/src/lib.rs", "mod a;\nmod b;\n"),
            ("crates/x/src/a.rs", "use crate::{b::Thing, other};\n"),
            ("crates/x/src/b.rs", "fn f() { super::a::g(); }\n"),
        ]);
        let expected = "crates/x/src/lib.rs:1: modules need each other: \
                        `b` uses `super::a::g`, `a` uses `crate::b::Thing`, expected an order";
        assert_eq!(found, [expected]);
    }

    #[test]
    fn a_name_of_the_parent_counts_for_the_module_that_it_comes_from() {
        let found = messages(&[
            ("crates/x/src/lib.rs", "mod a;\nmod b;\npub use b::Thing as Other;\n"),
            ("crates/x/src/a.rs", "use crate::Other;\n"),
            ("crates/x/src/b.rs", "use crate::a::{self, deep::{One, Two}};\n"),
        ]);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn parents_children_tests_and_comments_may_name_anything() {
        let found = messages(&[
            ("crates/x/src/lib.rs", "mod a;\nmod b;\n"),
            ("crates/x/src/a.rs", "mod c;\nuse c::Thing;\nuse crate::b;\n"),
            ("crates/x/src/a/c.rs", "use super::Parent;\n"),
            ("crates/x/src/a/tests.rs", "use crate::b;\n"),
            ("crates/x/src/b.rs", "// crate::a\n#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n"),
        ]);
        assert!(found.is_empty(), "{found:?}");
    }
}
