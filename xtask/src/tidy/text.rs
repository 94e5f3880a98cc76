//! Rust source without its comments and literals, for searching words only in the code.

/// Blanks comments, strings and characters; lines and columns are kept.
pub(super) fn code_only(source: &str) -> String {
    let mut code = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let skipped = comment(rest).or_else(|| literal(rest, code.chars().next_back()));
        if let Some(length) = skipped {
            code.extend(rest[..length].chars().map(|c| if c == '\n' { c } else { ' ' }));
            rest = &rest[length..];
        } else {
            code.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    code
}

/// Whether `word` occurs in `line` with no letter, digit or `_` before its first character.
pub(super) fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        !line[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

/// Length of the comment that `text` starts with.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let mut depth = 0_usize;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return Some(at);
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    Some(text.len())
}

/// Length of the string or character literal that `text` starts with, after the character `before`.
fn literal(text: &str, before: Option<char>) -> Option<usize> {
    if let Some(string) = text.strip_prefix('"') {
        return Some(1 + closing(string, '"'));
    }
    if let Some(character) = text.strip_prefix('\'') {
        let mut inside = character.chars();
        let first = inside.next()?;
        // `'a` without a closing quote is a lifetime.
        let is_character = first == '\\' || inside.next() == Some('\'');
        return is_character.then(|| 1 + closing(character, '\''));
    }
    let in_a_name = before.is_some_and(|c| c.is_alphanumeric() && c != 'b' || c == '_');
    if in_a_name || !text.starts_with('r') {
        return None;
    }
    let hashes = text[1..].chars().take_while(|c| *c == '#').count();
    let body = text[1 + hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(2 + hashes + length)
}

/// Length of `text` up to and including the first `quote` that no backslash precedes.
fn closing(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_in_place() {
        assert_eq!(code_only("a; // b\nc"), "a;     \nc");
        assert_eq!(code_only("a /* b /* c */ d */ e"), "a                   e");
        assert_eq!(code_only(r#"f("x \" y", 'z')"#), r"f(        ,    )");
        assert_eq!(code_only("g(r#\"a \" b\"#)"), "g(          )");
    }

    #[test]
    fn lifetimes_are_not_characters() {
        assert_eq!(code_only("fn f<'a>(x: &'a str)"), "fn f<'a>(x: &'a str)");
    }

    #[test]
    fn unfinished_text_ends_quietly() {
        for text in ["\"abc", "/* abc", "'\\", "r#\"abc", "// abc"] {
            assert_eq!(code_only(text).trim(), "", "{text}");
        }
    }

    #[test]
    fn a_word_starts_where_no_name_goes_on() {
        assert!(has_word("    print!(x)", "print!"), "alone");
        assert!(!has_word("    eprint!(x)", "print!"), "inside another name");
        assert!(has_word("eprint!(x); print!(y)", "print!"), "the second one");
    }
}
