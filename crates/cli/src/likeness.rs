//! Suggestions for unknown names.

/// The end of an error message about the unknown name `typed`: the most similar of the `known` names, if there is one, and of
/// several that are equally similar the shortest.
pub(crate) fn did_you_mean<'a>(typed: &str, known: impl Iterator<Item = &'a str>) -> String {
    let near = known.max_by(|a, b| {
        likeness(typed, a).total_cmp(&likeness(typed, b)).then(b.len().cmp(&a.len()))
    });
    match near.filter(|near| likeness(typed, near) > 0.8) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    }
}

/// Similarity, from 0 to 1, of the typed text to a name or to its last part.
fn likeness(typed: &str, meant: &str) -> f64 {
    let last = meant.rsplit(['.', '/']).next().unwrap_or(meant);
    strsim::jaro_winkler(typed, meant).max(strsim::jaro_winkler(typed, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_keyboard_are_understood_and_other_words_are_not() {
        let known = || ["stewart-trinkle/rod-on-table", "lemke.tolerance"].into_iter();
        let rod = "; did you mean `stewart-trinkle/rod-on-table`?";
        assert_eq!(did_you_mean("rod-on-tabel", known()), rod);
        assert_eq!(did_you_mean("stewart-trinkle/rod-on-tabel", known()), rod);
        assert_eq!(did_you_mean("toleranc", known()), "; did you mean `lemke.tolerance`?");
        assert_eq!(did_you_mean("billiards", known()), "");
        let blocks = ["rocking-block", "restitution/rocking-block"].into_iter();
        assert_eq!(did_you_mean("rocking-blok", blocks), "; did you mean `rocking-block`?");
        assert_eq!(did_you_mean("billiards", [].into_iter()), "");
    }
}
