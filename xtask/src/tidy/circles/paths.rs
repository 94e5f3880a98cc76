//! The paths in a source, and the modules to which they lead.

use std::collections::BTreeMap;

/// Names of the modules from the root of a crate down.
pub(super) type Module = Vec<String>;

/// Maximum length of a chain of names that stand for others.
const MOST_ALIASES: usize = 8;

/// A path of a `use`, and the name that it gets.
struct Import {
    path: Vec<String>,
    name: String,
}

/// The meaning of the names in each module.
#[derive(Debug)]
pub(super) struct Names<'a> {
    modules: &'a BTreeMap<Module, String>,
    imports: BTreeMap<&'a Module, BTreeMap<String, Module>>,
}

impl<'a> Names<'a> {
    pub(super) fn new(modules: &'a BTreeMap<Module, String>) -> Self {
        let mut names = Self { modules, imports: BTreeMap::new() };
        for (module, code) in modules {
            let mut imports = BTreeMap::new();
            for (at, word) in code.match_indices("use ") {
                if !begins(code, at) {
                    continue;
                }
                for import in tree(&mut Words::new(&code[at + word.len()..])) {
                    if let Some(path) = names.rooted(module, &import.path) {
                        imports.insert(import.name, path);
                    }
                }
            }
            names.imports.insert(module, imports);
        }
        names
    }

    /// The deepest module on `path`, as written in `module`, if it is one of this crate.
    pub(super) fn module_of(&self, module: &Module, path: &[String]) -> Option<Module> {
        let mut path = self.rooted(module, path)?;
        for _ in 0..MOST_ALIASES {
            let depth = (0..=path.len()).rev().find(|&k| self.modules.contains_key(&path[..k]))?;
            let inside = path[..depth].to_vec();
            let Some(name) = path.get(depth) else { return Some(inside) };
            match self.imports.get(&inside).and_then(|imports| imports.get(name)) {
                Some(source) => path = source.iter().chain(&path[depth + 1..]).cloned().collect(),
                None => return Some(inside),
            }
        }
        None
    }

    /// The path from the root of the crate; `None` for other crates.
    fn rooted(&self, module: &Module, path: &[String]) -> Option<Module> {
        let supers = path.iter().take_while(|part| *part == "super").count();
        let (start, rest) = match path.first()?.as_str() {
            "crate" => (vec![], &path[1..]),
            "self" => (module.clone(), &path[1..]),
            "super" => (module[..module.len().checked_sub(supers)?].to_vec(), &path[supers..]),
            _ => {
                let child: Module = module.iter().chain(&path[..1]).cloned().collect();
                self.modules.contains_key(&child).then_some((module.clone(), path))?
            }
        };
        Some(start.into_iter().chain(rest.iter().cloned()).collect())
    }
}

/// All paths in `code` from `crate`, `super` or `self` on, one for each name in braces.
pub(super) fn references(code: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            if begins(code, at) {
                let imports = tree(&mut Words::new(&code[at..]));
                paths.extend(imports.into_iter().map(|import| import.path));
            }
        }
    }
    paths
}

/// Whether a word, and a path, begins at byte `at`.
fn begins(code: &str, at: usize) -> bool {
    !code[..at].ends_with(|before: char| before.is_alphanumeric() || matches!(before, '_' | ':'))
}

/// Reads a path with its braces.
fn tree(words: &mut Words<'_>) -> Vec<Import> {
    if words.take("{") {
        let mut all = Vec::new();
        while !words.rest.is_empty() && !words.take("}") {
            let before = words.rest.len();
            all.extend(tree(words));
            words.take(",");
            if words.rest.len() == before {
                break;
            }
        }
        return all;
    }
    let Some(word) = words.word() else { return Vec::new() };
    if words.take("::") {
        let mut inner = tree(words);
        for import in &mut inner {
            // `path::{self}` names the path itself.
            if import.path == ["self"] {
                import.path.clear();
            }
            if import.name == "self" {
                import.name.clone_from(&word);
            }
            import.path.insert(0, word.clone());
        }
        return inner;
    }
    let name = if words.take("as ") { words.word() } else { None };
    vec![Import { name: name.unwrap_or_else(|| word.clone()), path: vec![word] }]
}

/// The rest of a source, read word by word.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    const fn new(rest: &'a str) -> Self {
        Self { rest }
    }

    /// Skips `expected` if it comes next.
    fn take(&mut self, expected: &str) -> bool {
        let next = self.rest.trim_start().strip_prefix(expected);
        self.rest = next.unwrap_or(self.rest);
        next.is_some()
    }

    /// The name, or `*`, that comes next.
    fn word(&mut self) -> Option<String> {
        let text = self.rest.trim_start();
        let other = |c: char| !(c.is_alphanumeric() || c == '_' || c == '*');
        let end = text.find(other).unwrap_or(text.len());
        self.rest = &text[end..];
        (end > 0).then(|| text[..end].to_owned())
    }
}
