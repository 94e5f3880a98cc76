//! Checks the number of packages that each of our crates needs.

use std::collections::BTreeSet;

use super::Finding;

/// Maximum number of packages, including itself, that a crate may need without its features.
const LIMITS: [(&str, usize); 8] = [
    ("percussion-complementarity", 20),
    ("percussion-dynamics", 20),
    ("percussion-collision", 22),
    ("percussion-impact", 22),
    ("percussion-integrators", 28),
    ("percussion-granular", 30),
    ("percussion-record", 12),
    ("percussion-report", 30),
];

/// The crates with a limit, and the arguments that make cargo list what each of them needs.
pub(super) fn trees() -> impl Iterator<Item = (&'static str, [&'static str; 9])> {
    LIMITS.into_iter().map(|(name, _)| {
        let tree = ["tree", "--no-default-features", "--edges", "normal", "--prefix", "none"];
        let [a, b, c, d, e, f] = tree;
        (name, [a, b, c, d, e, f, "--format={p}", "--package", name])
    })
}

/// `tree` has a line `NAME vVERSION …` for each edge.
pub(super) fn check(name: &str, tree: &str) -> Option<Finding> {
    let packages: BTreeSet<&str> =
        tree.lines().map(|line| line.trim_end_matches(" (*)")).filter(|l| !l.is_empty()).collect();
    let (_, limit) = LIMITS.into_iter().find(|(limited, _)| *limited == name)?;
    let folder = name.strip_prefix("percussion-").unwrap_or(name);
    let found = packages.len();
    (found > limit).then(|| {
        let message = format!(
            "{name} without its features needs {found} packages, expected at most {limit}: {}",
            packages
                .into_iter()
                .map(|p| p.split(' ').next().unwrap_or(p))
                .collect::<Vec<_>>()
                .join(", ")
        );
        Finding::new(format!("crates/{folder}/Cargo.toml"), 1, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_counts_once() {
        let line = "nalgebra v0.35.0\nnalgebra v0.35.0 (*)\n";
        assert_eq!(check("percussion-record", &line.repeat(20)), None);
    }

    #[test]
    fn too_many_packages_are_listed() {
        let tree: String = (0..13).map(|k| format!("p{k} v1.0.0\n")).collect();
        let finding = check("percussion-record", &tree).unwrap().to_string();
        assert!(finding.contains("13 packages, expected at most 12: p0, p1"), "{finding}");
    }
}
