//! Requests to the server and their replies.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// A reply.
#[derive(Debug)]
pub(super) struct Reply {
    pub(super) status: &'static str,
    pub(super) kind: &'static str,
    pub(super) body: Vec<u8>,
    /// Whether only the head of the reply was requested.
    pub(super) without_body: bool,
}

impl Reply {
    pub(super) fn refusal(status: &'static str) -> Self {
        let body = format!("{status}\n").into();
        Self { status, kind: "text/plain; charset=utf-8", body, without_body: false }
    }
}

/// The reply to the request with this `head`: a file below `root`, or for `/` the first of `pages`.
pub(super) fn reply(head: &str, root: &Path, pages: &[&str]) -> Reply {
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if !matches!(method, "GET" | "HEAD") {
        return Reply::refusal("405 Method Not Allowed");
    }
    // A page from another site must not read the directory through a host name of its own that points to this address.
    if !lines.filter_map(host).all(is_local) {
        return Reply::refusal("403 Forbidden");
    }
    let Some(path) = path(target) else { return Reply::refusal("400 Bad Request") };
    let found = if path.as_os_str().is_empty() {
        pages.iter().find_map(|page| file(root, Path::new(page)))
    } else {
        file(root, &path)
    };
    match found.and_then(|file| Some((kind(&file), fs::read(file).ok()?))) {
        Some((kind, body)) => {
            Reply { status: "200 OK", kind, body, without_body: method == "HEAD" }
        }
        None => Reply { without_body: method == "HEAD", ..Reply::refusal("404 Not Found") },
    }
}

/// The file below `root` that a path of a URL names, if there is one.
fn file(root: &Path, path: &Path) -> Option<PathBuf> {
    let file = root.join(path).canonicalize().ok()?;
    // Links that lead out of the directory are not followed.
    (file.starts_with(root) && file.is_file()).then_some(file)
}

/// The host name in a `Host` header.
fn host(header: &str) -> Option<&str> {
    let (name, value) = header.split_once(':')?;
    name.eq_ignore_ascii_case("host").then(|| value.trim())
}

fn is_local(host: &str) -> bool {
    let name = host.rsplit_once(':').map_or(host, |(name, _port)| name);
    matches!(name, "127.0.0.1" | "localhost")
}

/// The relative path in the target of a request; `None` if it leads upwards or out of the directory.
fn path(target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let path = PathBuf::from(decoded(path.strip_prefix('/')?)?);
    path.components().all(|part| matches!(part, Component::Normal(_))).then_some(path)
}

/// Decodes text with `%41` for `A`; `None` if the result is not valid text.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                let digits = str::from_utf8(&digits).ok()?;
                u8::from_str_radix(digits, 16).ok().filter(|&byte| byte != 0)?
            }
            b'\\' => return None,
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

fn kind(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("csv") => "text/csv; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(root: &Path, head: &str) -> &'static str {
        reply(head, root, &["view.html"]).status
    }

    #[test]
    fn only_files_below_the_directory_are_given() {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("run");
        fs::create_dir_all(root.join("family one")).unwrap();
        fs::write(outer.path().join("secret.txt"), "secret").unwrap();
        fs::write(root.join("view.html"), "<!DOCTYPE html>").unwrap();
        fs::write(root.join("family one/a.csv"), "1").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(outer.path().join("secret.txt"), root.join("link.csv")).unwrap();
        let root = root.canonicalize().unwrap();
        let get = |target: &str| status(&root, &format!("GET {target} HTTP/1.1\r\n\r\n"));
        for target in ["/", "/view.html", "/?x=1", "/family%20one/a.csv"] {
            assert_eq!(get(target), "200 OK", "{target}");
        }
        for target in [
            "/../secret.txt",
            "/%2e%2e/secret.txt",
            "/..%2fsecret.txt",
            "/family%20one/../../secret.txt",
            "//etc/passwd",
            "/%2Fetc%2Fpasswd",
            "/..\\secret.txt",
            "/link.csv",
            "/family%20one",
            "/missing",
            "http://example.org/",
            "/%zz",
            "/%",
            "/%00",
            "",
        ] {
            assert_ne!(get(target), "200 OK", "{target}");
        }
    }

    #[test]
    fn other_methods_and_other_hosts_are_refused() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("view.html"), "").unwrap();
        let root = root.path().canonicalize().unwrap();
        assert_eq!(status(&root, "POST / HTTP/1.1\r\n\r\n"), "405 Method Not Allowed");
        assert_eq!(status(&root, "GET / HTTP/1.1\r\nhost: evil.example\r\n\r\n"), "403 Forbidden");
        assert_eq!(status(&root, "GET / HTTP/1.1\r\nHost: localhost:80\r\n\r\n"), "200 OK");
        assert_eq!(status(&root, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), "200 OK");
        assert_eq!(status(&root, ""), "405 Method Not Allowed");
    }
}
