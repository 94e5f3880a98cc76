//! Checks that links of built pages lead to an existing file, and links with an anchor to an element of it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::Context;

use crate::tidy::files;

/// The broken links of the pages in `folder`, as `page: link`; no page may load anything from elsewhere.
///
/// Links to the pages below `foreign` are checked, the links of these pages are not: rustdoc links to ranges of lines, which no
/// element has as its name, and checks its own links.
pub(super) fn check(folder: &Path, foreign: Option<&Path>) -> anyhow::Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    for path in files::with_extension(folder, "html")? {
        let text =
            fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        pages.insert(path, text);
    }
    let anchors: BTreeMap<&Path, BTreeSet<&str>> = pages
        .iter()
        .map(|(path, text)| (path.as_path(), attributes(text, " id=\"").collect()))
        .collect();
    let mut broken = Vec::new();
    for (path, text) in &pages {
        let page = path.strip_prefix(folder).unwrap_or(path);
        // The page for missing addresses is served at any address, so its links start at the root of the site.
        if page == Path::new("404.html") || foreign.is_some_and(|foreign| path.starts_with(foreign))
        {
            continue;
        }
        let loaded = attributes(text, " src=\"").filter(|link| is_outside(link));
        let lost = attributes(text, " href=\"")
            .chain(attributes(text, " src=\""))
            .filter(|link| !is_outside(link) && !leads_somewhere(path, link, &anchors));
        broken.extend(loaded.chain(lost).map(|link| format!("{}: {link}", page.display())));
    }
    Ok(broken)
}

fn is_outside(link: &str) -> bool {
    ["https://", "http://", "mailto:", "//"].iter().any(|start| link.starts_with(start))
}

fn leads_somewhere(page: &Path, link: &str, anchors: &BTreeMap<&Path, BTreeSet<&str>>) -> bool {
    if link.starts_with("data:") {
        return true;
    }
    let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
    let file = file.split('?').next().unwrap_or_default();
    let target = if file.is_empty() { page.to_path_buf() } else { resolved(page, file) };
    match anchors.get(target.as_path()) {
        Some(ids) => anchor.is_empty() || ids.contains(anchor),
        None => target.is_file(),
    }
}

/// The path of `file`, which `page` names.
fn resolved(page: &Path, file: &str) -> PathBuf {
    let mut path = page.parent().unwrap_or(Path::new("")).to_path_buf();
    for part in file.split('/') {
        match part {
            ".." => {
                path.pop();
            }
            "." | "" => {}
            part => path.push(part),
        }
    }
    path
}

/// Values of an attribute in a page, given with the characters around it.
fn attributes<'a>(page: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    page.split(name).skip(1).filter_map(|rest| rest.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(name: &str, pages: &[(&str, &str)]) -> Vec<String> {
        let folder =
            std::env::temp_dir().join(format!("percussion-links-{name}-{}", std::process::id()));
        for (path, text) in pages {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = check(&folder, Some(&folder.join("api"))).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        found
    }

    #[test]
    fn links_to_pages_and_anchors_are_followed() {
        let pages = [
            ("a.html", "<a href=\"s/b.html#here\"></a><a href=\"#top\"></a><p id=\"top\"></p>"),
            (
                "s/b.html",
                "<p id=\"here\"></p><a href=\"../a.html\"></a><a href=\"https://x.org\"></a>",
            ),
        ];
        assert!(broken("whole", &pages).is_empty(), "all of them lead somewhere");
    }

    #[test]
    fn links_to_foreign_pages_are_followed_and_their_own_are_not() {
        let pages = [
            ("a.html", "<a href=\"api/b.html#here\"></a><a href=\"api/c.html\"></a>"),
            ("api/b.html", "<p id=\"here\"></p><a href=\"no.html\"></a>"),
        ];
        assert_eq!(broken("foreign", &pages), ["a.html: api/c.html"]);
    }

    #[test]
    fn links_that_lead_nowhere_and_loads_from_a_network_are_listed() {
        let page = "<a href=\"no.html\"></a><a href=\"#no\"></a><script src=\"https://x.org/a.js\"></script>";
        let found = broken("torn", &[("a.html", page)]);
        assert_eq!(found, ["a.html: https://x.org/a.js", "a.html: no.html", "a.html: #no"]);
    }
}
