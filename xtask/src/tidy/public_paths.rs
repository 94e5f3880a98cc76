//! Checks that an item has one public path: a module is public or its items are re-exported, not both.
//!
//! Items of a module inside a public module may be re-exported, if the inner one is private; this is not checked.

use std::path::Path;

use super::Finding;

/// In a source file of a crate, no public module may also be re-exported from.
///
/// Only declarations that start a line are read, as rustfmt writes them.
pub(super) fn check(relative: &Path, source: &str) -> Vec<Finding> {
    if !(relative.starts_with("crates") && relative.iter().any(|part| part == "src")) {
        return Vec::new();
    }
    let public: Vec<_> = source
        .lines()
        .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
        .collect();
    let mut findings = Vec::new();
    let mut lines = source.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let Some(first) = line.strip_prefix("pub use ") else { continue };
        let mut statement = first.to_owned();
        while !statement.ends_with(';') {
            let Some((_, next)) = lines.next() else { break };
            statement.push(' ');
            statement.push_str(next.trim());
        }
        for module in sources(&statement).filter(|name| public.contains(name)) {
            let message = format!(
                "items of the public module `{module}` are re-exported, expected one path: make the module private or \
                 drop the re-export"
            );
            findings.push(Finding::new(relative, index + 1, message));
        }
    }
    findings
}

/// The modules of this file from which `statement`, the text after `pub use`, takes items.
fn sources(statement: &str) -> impl Iterator<Item = &str> {
    let statement = statement.strip_prefix("self::").unwrap_or(statement);
    let trees = statement.strip_prefix('{').unwrap_or(statement);
    // The depth of braces before a name tells whether the name is a module of this file.
    let mut depth = 0_usize;
    trees.split_inclusive([',', '{', '}']).filter_map(move |piece| {
        let top = depth == 0;
        match piece.chars().last() {
            Some('{') => depth += 1,
            Some('}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        let (module, item) = piece.trim().split_once("::")?;
        // An item of a private module inside the public one has no path through it.
        (top && !item.contains("::")).then_some(module)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str) -> Vec<String> {
        check(Path::new("crates/x/src/lib.rs"), source).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_item_of_a_public_module_is_not_re_exported() {
        for statement in [
            "pub use gap::Gap;",
            "pub use gap::{Gap, Error};",
            "pub use self::gap::Gap;",
            "pub use self::{\n    anchor::{Anchor, Error},\n    gap::Gap,\n};",
        ] {
            let found = found(&format!("mod anchor;\npub mod gap;\n{statement}\n"));
            assert_eq!(found.len(), 1, "{statement}: {found:?}");
            assert!(
                found[0].starts_with("crates/x/src/lib.rs:3: items of the public module `gap`")
            );
        }
    }

    #[test]
    fn private_modules_other_crates_and_inner_names_are_free() {
        for statement in [
            "pub use anchor::Anchor;",
            "pub use nalgebra;",
            "pub use self::anchor::{gap::Gap, Anchor};",
            "pub use gap::inner::Gap;",
            "pub(crate) use gap::Gap;",
            "use gap::Gap;",
        ] {
            let found = found(&format!("mod anchor;\npub mod gap;\n{statement}\n"));
            assert_eq!(found, Vec::<String>::new(), "{statement}");
        }
        assert!(check(Path::new("xtask/src/main.rs"), "pub mod a;\npub use a::B;\n").is_empty());
    }
}
