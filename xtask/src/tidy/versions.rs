//! Checks that packages whose types occur in our interfaces are compiled in only one version.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;

/// Two versions of these would give two types of the same name.
const SINGLE: [&str; 4] = ["nalgebra", "faer", "rand", "glam"];

/// Lists the packages compiled here. The lock file does not suffice, because it also contains packages that no feature enables.
pub(super) const TREE: [&str; 7] =
    ["tree", "--workspace", "--edges", "normal,build,dev", "--prefix", "none", "--format={p}"];

/// `tree` has a line `name vVERSION …` for each edge.
pub(super) fn check(tree: &str) -> Vec<Finding> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for line in tree.lines() {
        let mut words = line.split_whitespace();
        if let (Some(name), Some(version)) = (words.next(), words.next()) {
            versions.entry(name).or_default().insert(version);
        }
    }
    versions.retain(|name, versions| SINGLE.contains(name) && versions.len() > 1);
    versions
        .into_iter()
        .map(|(name, versions)| {
            let list: Vec<_> = versions.into_iter().collect();
            let list = list.join(" and ");
            Finding::new(
                "Cargo.lock",
                1,
                format!("{name} is compiled as {list}, expected one version"),
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_version_named_twice_is_fine() {
        assert_eq!(check("nalgebra v0.35.0\nrand v0.10.3\nnalgebra v0.35.0 (*)\n"), []);
    }

    #[test]
    fn two_versions_are_found_only_where_they_matter() {
        let findings = check("faer v0.24.0\nsyn v1.0.0\nsyn v2.0.0\nfaer v0.23.1\n");
        let expected =
            "Cargo.lock:1: faer is compiled as v0.23.1 and v0.24.0, expected one version";
        assert_eq!(findings.iter().map(ToString::to_string).collect::<Vec<_>>(), [expected]);
    }
}
