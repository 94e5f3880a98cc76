//! Checks that every package compiled here has a license that `deny.toml` allows.
//!
//! The same rule as `cargo deny check licenses`, for the packages of this machine's platform and without an outside
//! tool; the workflow of the repository runs `cargo deny` for all platforms.

use std::collections::BTreeSet;

use super::Finding;

/// Lists the packages compiled here with their licenses, as an SPDX expression.
pub(super) const TREE: [&str; 7] =
    ["tree", "--workspace", "--edges", "normal,build,dev", "--prefix", "none", "--format={p}|{l}"];

/// `tree` has a line `name vVERSION …|LICENSE` for each edge; `deny` is the text of `deny.toml`.
pub(super) fn check(tree: &str, deny: &str) -> Vec<Finding> {
    let allowed = allowed(deny);
    let packages: BTreeSet<&str> =
        tree.lines().map(|line| line.trim_end_matches(" (*)")).filter(|l| !l.is_empty()).collect();
    let refused = packages.into_iter().filter_map(|line| {
        let (package, license) = line.split_once('|').unwrap_or((line, ""));
        let is_allowed = Expression::new(license).allows(&allowed);
        (!is_allowed).then(|| {
            let package = package.split(" (").next().unwrap_or_default();
            let message = format!(
                "{package} has the license `{license}`, expected an expression that the licenses \
                 allowed in deny.toml satisfy"
            );
            Finding::new("Cargo.lock", 1, message)
        })
    });
    refused.collect()
}

/// The entries of the list `allow` in the section `licenses`.
fn allowed(deny: &str) -> BTreeSet<&str> {
    let section = deny.split_once("[licenses]").map_or("", |(_, section)| section);
    let list = section.split_once("allow = [").map_or("", |(_, list)| list);
    let list = list.split_once(']').map_or("", |(list, _)| list);
    list.split('"').skip(1).step_by(2).collect()
}

/// The unread rest of an SPDX expression; a slash is the old notation for `OR`.
struct Expression<'a> {
    words: Vec<&'a str>,
    next: usize,
}

impl<'a> Expression<'a> {
    fn new(text: &'a str) -> Self {
        let mut words = Vec::new();
        for part in text.split_whitespace() {
            let mut rest = part;
            while let Some(place) = rest.find(['(', ')', '/']) {
                words.extend([&rest[..place], &rest[place..=place]]);
                rest = &rest[place + 1..];
            }
            words.push(rest);
        }
        words.retain(|word| !word.is_empty());
        Self { words, next: 0 }
    }

    /// Whether licenses in `allowed` satisfy the whole expression; false for an invalid expression.
    fn allows(&mut self, allowed: &BTreeSet<&str>) -> bool {
        self.any(allowed) == Some(true) && self.next == self.words.len()
    }

    fn take(&mut self, expected: &[&str]) -> bool {
        let found = self.words.get(self.next).is_some_and(|word| expected.contains(word));
        self.next += usize::from(found);
        found
    }

    fn any(&mut self, allowed: &BTreeSet<&str>) -> Option<bool> {
        let mut any = self.all(allowed)?;
        while self.take(&["OR", "/"]) {
            any |= self.all(allowed)?;
        }
        Some(any)
    }

    fn all(&mut self, allowed: &BTreeSet<&str>) -> Option<bool> {
        let mut all = self.one(allowed)?;
        while self.take(&["AND"]) {
            all &= self.one(allowed)?;
        }
        Some(all)
    }

    fn one(&mut self, allowed: &BTreeSet<&str>) -> Option<bool> {
        if self.take(&["("]) {
            let inner = self.any(allowed)?;
            return self.take(&[")"]).then_some(inner);
        }
        let license = *self.words.get(self.next)?;
        self.next += 1;
        if self.take(&["WITH"]) {
            let exception = *self.words.get(self.next)?;
            self.next += 1;
            return Some(allowed.contains(format!("{license} WITH {exception}").as_str()));
        }
        Some(allowed.contains(license))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENY: &str = "[graph]\nallow = [\"GPL-3.0\"]\n[licenses]\nallow = [\n  \"MIT\",\n  \
                        \"Apache-2.0 WITH LLVM-exception\",\n  \"Zlib\",\n]\n[bans]\n";

    fn allows(license: &str) -> bool {
        check(&format!("some-crate v1.0.0|{license}\n"), DENY).is_empty()
    }

    #[test]
    fn expressions_are_read_as_spdx_has_them() {
        for license in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0/MIT",
            "GPL-3.0 / MIT",
            "MIT AND Zlib",
            "(GPL-3.0 OR MIT) AND Zlib",
            "Apache-2.0 WITH LLVM-exception",
            "GPL-3.0 AND MIT OR Zlib",
        ] {
            assert!(allows(license), "{license}");
        }
        for license in [
            "",
            "GPL-3.0",
            "Apache-2.0",
            "MIT AND GPL-3.0",
            "MIT AND (GPL-3.0 OR Apache-2.0)",
            "MIT WITH LLVM-exception",
            "MIT Zlib",
            "(MIT",
            "MIT OR",
            "AND",
        ] {
            assert!(!allows(license), "{license}");
        }
    }

    #[test]
    fn a_package_is_named_once() {
        let tree =
            "a v1.0.0|MIT\nb v2.1.0 (proc-macro)|GPL-3.0\nb v2.1.0 (proc-macro)|GPL-3.0 (*)\n";
        let findings: Vec<String> = check(tree, DENY).iter().map(ToString::to_string).collect();
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert!(findings[0].starts_with("Cargo.lock:1: b v2.1.0 has the license `GPL-3.0`"));
    }
}
