//! Rules for every source file, and for libraries.

use std::path::Path;

use super::{
    Finding,
    text::{code_only, has_word},
};

/// Maximum number of lines of a file.
const LONGEST: usize = 500;

/// Text that no file may contain, and what is expected instead.
const FORBIDDEN: [(&str, &str); 4] = [
    ("todo!", "finished code"),
    ("unimplemented!", "finished code"),
    ("#[ignore", "a test that runs, slow ones behind PERCUSSION_SLOW=1"),
    ("#[should_panic", "an error value and a test of it"),
];

/// Text that no library may contain, and what is expected instead.
const FORBIDDEN_IN_LIBRARIES: [(&str, &str); 8] = [
    ("println!", "a returned value or `tracing`"),
    ("print!", "a returned value or `tracing`"),
    ("eprintln!", "a returned value or `tracing`"),
    ("eprint!", "a returned value or `tracing`"),
    ("dbg!", "a returned value or `tracing`"),
    ("HashMap", "`BTreeMap` or `Vec`, which iterate in the same order on every run"),
    ("HashSet", "`BTreeSet` or `Vec`, which iterate in the same order on every run"),
    ("mul_add", "`a * b + c`, which rounds the same on every machine"),
];

/// Checks the file at `path` (relative to the root) with this `source`.
pub(super) fn check(path: &Path, source: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut report = |line, message| findings.push(Finding::new(path, line, message));
    if !source.starts_with("//!") {
        report(1, "file starts without `//!`, expected a sentence on what it is".to_string());
    }
    let count = source.lines().count();
    if count > LONGEST {
        report(LONGEST + 1, format!("file has {count} lines, expected at most {LONGEST}"));
    }
    let library = is_library(path);
    let code = code_only(source);
    let mut algorithm = None;
    for (index, line) in code.lines().enumerate() {
        let libraries_too = FORBIDDEN_IN_LIBRARIES.iter().filter(|_| library);
        for (word, instead) in FORBIDDEN.iter().chain(libraries_too) {
            if has_word(line, word) {
                report(index + 1, format!("`{word}`, expected {instead}"));
            }
        }
        if library && starts_algorithm(line) {
            algorithm.get_or_insert(index + 1);
        }
    }
    // In the head of a public module, or in the documentation of the type at the root.
    let cited = ["//! # Source", "/// # Source"];
    if let Some(line) = algorithm
        && !source.lines().any(|line| cited.contains(&line))
    {
        report(
            line,
            "algorithm in a module without `# Source`, expected where it was published".to_string(),
        );
    }
    findings
}

/// Whether a function that is the entry of an algorithm begins in `line`: a free `solve…`, or the `step`,
/// `resolve` or `answer` of a type. The head of its module must cite its source.
fn starts_algorithm(line: &str) -> bool {
    line.starts_with("pub fn solve")
        || has_word(line, "pub fn step(")
        || has_word(line, "fn resolve(")
        || has_word(line, "fn answer(")
}

/// Sources of the library crates: all in `crates/` except the command line.
fn is_library(path: &Path) -> bool {
    let mut parts = path.iter().map(|part| part.to_string_lossy());
    parts.next().is_some_and(|part| part == "crates")
        && parts.next().is_some_and(|part| part != "cli")
        && parts.next().is_some_and(|part| part == "src")
        && !path.ends_with("tests.rs")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, source: &str) -> Vec<String> {
        check(Path::new(path), source).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_file_starts_with_what_it_is() {
        assert_eq!(
            messages("xtask/src/a.rs", "fn main() {}\n"),
            ["xtask/src/a.rs:1: file starts without `//!`, expected a sentence on what it is"]
        );
    }

    #[test]
    fn a_file_may_be_five_hundred_lines_long() {
        let exact = format!("//! A.{}", "\n".repeat(LONGEST));
        assert!(messages("a.rs", &exact).is_empty(), "{LONGEST} lines");
        let longer = format!("{exact}\n");
        assert_eq!(
            messages("a.rs", &longer),
            ["a.rs:501: file has 501 lines, expected at most 500"]
        );
    }

    #[test]
    fn libraries_do_not_print_but_the_command_line_does() {
        let source = "//! A.\nfn f() { println!(); }\n";
        let expected =
            "crates/dynamics/src/a.rs:2: `println!`, expected a returned value or `tracing`";
        assert_eq!(messages("crates/dynamics/src/a.rs", source), [expected]);
        assert!(messages("crates/cli/src/a.rs", source).is_empty(), "the command line may");
    }

    #[test]
    fn words_in_comments_and_strings_do_not_count() {
        let source = "//! Not `mul_add`.\n// HashMap\nconst A: &str = \"todo!\";\n";
        assert!(messages("crates/dynamics/src/a.rs", source).is_empty(), "only code counts");
    }

    #[test]
    fn unfinished_and_skipped_code_is_found_everywhere() {
        let source = "//! A.\n#[ignore = \"slow\"]\nfn f() { todo!() }\n";
        assert_eq!(messages("benches/src/a.rs", source).len(), 2);
    }

    #[test]
    fn an_algorithm_cites_its_source() {
        let path = "crates/complementarity/src/lcp/a.rs";
        assert_eq!(messages(path, "//! A.\npub fn solve() {}\n").len(), 1);
        let cited = "//! A.\n//!\n//! # Source\n//!\n//! B, 1996.\npub fn solve() {}\n";
        assert!(messages(path, cited).is_empty(), "cited in the head");
        let cited = "//! A.\n/// B.\n///\n/// # Source\n///\n/// C, 1996.\npub struct D;\npub fn solve() {}\n";
        assert!(messages(path, cited).is_empty(), "cited at the type");
    }
}
