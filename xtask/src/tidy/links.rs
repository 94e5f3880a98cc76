//! Checks that links and paths in Markdown exist, and that the book has every chapter once.

use std::path::{Component, Path, PathBuf};

use super::Finding;

/// Folders whose paths, named in backticks, must exist.
const FOLDERS: [&str; 4] = ["crates/", "examples/", "docs/", "benches/"];

/// Where the chapters of the book are, and the files that list them.
const CHAPTERS: &str = "docs/src";
const LISTS: [&str; 2] = ["docs/src/SUMMARY.md", "docs/listings.rs"];

/// Relative links with their anchors, and paths in backticks, of the Markdown `text` in the file `relative`.
///
/// `exists` and `read` take paths relative to the root.
pub(super) fn check(
    relative: &Path,
    text: &str,
    exists: impl Fn(&Path) -> bool,
    read: impl Fn(&Path) -> String,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut in_listing = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_listing = !in_listing;
        }
        if in_listing {
            continue;
        }
        let folder = relative.parent().unwrap_or(Path::new(""));
        let beside = |path: &str| exists(&plain(&folder.join(path)));
        let has = |path: &str, anchor: &str| match path {
            "" => anchors(text).any(|found| found == anchor),
            _ if anchor.is_empty() || !path.ends_with(".md") => beside(path),
            _ => anchors(&read(&plain(&folder.join(path)))).any(|found| found == anchor),
        };
        let links = targets(line).map(|target| {
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            (target, has(path, anchor))
        });
        // The README of a crate names files of the crate; other documents name those of the workspace.
        let named = paths(line).map(|path| (path, exists(Path::new(path)) || beside(path)));
        for (target, found) in links.chain(named) {
            if !found {
                let message =
                    format!("`{target}` leads nowhere, expected a file, a folder or a heading");
                findings.push(Finding::new(relative, index + 1, message));
            }
        }
    }
    findings
}

/// A chapter in the file `relative` must be in the summary of the book and among its tested listings.
pub(super) fn check_chapter(relative: &Path, read: impl Fn(&str) -> String) -> Vec<Finding> {
    let Ok(chapter) = relative.strip_prefix(CHAPTERS) else { return Vec::new() };
    if LISTS.iter().any(|list| relative == Path::new(list)) {
        return Vec::new();
    }
    let name = chapter.to_string_lossy().replace('\\', "/");
    let missing = LISTS.into_iter().filter(|list| !read(list).contains(&name));
    missing
        .map(|list| {
            Finding::new(relative, 1, format!("no chapter of {list}, expected to be listed"))
        })
        .collect()
}

/// The targets of inline links of a line that lead to files or headings.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split([')', ' ']).next()?;
        (!target.is_empty() && !target.contains(':')).then_some(target)
    })
}

/// The names by which the headings of the Markdown `text` are linked, by GitHub and by mdBook.
fn anchors(text: &str) -> impl Iterator<Item = String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| {
        let kept = line.trim_start_matches('#').trim().chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        });
        kept.flat_map(char::to_lowercase).collect()
    })
}

/// Paths of the workspace in backticks, except patterns.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|text| {
        FOLDERS.iter().any(|folder| text.starts_with(folder))
            && !text.contains(['*', '<', ' ', '{'])
    })
}

/// `path` without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        let exists = |path: &Path| {
            ["docs/src/a.md", "crates/one", "README.md"].contains(&path.to_str().unwrap())
        };
        let read = |_: &Path| "# The `top`, seen\n".to_owned();
        let findings = check(Path::new("docs/src/b.md"), text, exists, read);
        let line = |finding: &Finding| finding.to_string().split(':').nth(1)?.parse().ok();
        findings.iter().filter_map(line).collect()
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        assert_eq!(lines("[a](a.md), [b](../../README.md)\n[c](c.md) [d](d.md)"), [2, 2]);
        assert!(lines("[w](https://example.org#here) ![p](a.md \"title\")").is_empty());
    }

    #[test]
    fn anchors_are_headings() {
        assert!(lines("[a](a.md#the-top-seen)").is_empty());
        assert_eq!(lines("[a](a.md#the-bottom)\n[b](#here)"), [1, 2]);
        assert!(lines("# Here\n[b](#here)").is_empty());
    }

    #[test]
    fn paths_in_backticks_must_exist_and_listings_are_left_out() {
        assert_eq!(lines("`crates/one`, `crates/two`"), [1]);
        assert!(lines("`crates/*/examples`\n```sh\n[c](c.md) `crates/two`\n```").is_empty());
    }

    #[test]
    fn a_chapter_that_is_not_listed_is_found() {
        let read = |list: &str| if list.ends_with("md") { "[A](a.md)" } else { "" }.to_owned();
        assert_eq!(check_chapter(Path::new("docs/src/a.md"), read).len(), 1);
        assert_eq!(check_chapter(Path::new("docs/src/b.md"), read).len(), 2);
        assert!(check_chapter(Path::new("README.md"), read).is_empty(), "no chapter");
        assert!(check_chapter(Path::new("docs/src/SUMMARY.md"), read).is_empty(), "the list");
    }
}
