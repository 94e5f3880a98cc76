//! Which benches the command line asks for, so that expensive preparations of others are left out.

/// Whether criterion may run one of the benches `names` of this process, by the filter on its command line.
///
/// Without a filter all are selected, and so are all if the filter is more than a part of a name (a regular expression).
#[must_use]
pub fn may_run(names: &[&str]) -> bool {
    let filters: Vec<_> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    selects(&filters, names)
}

fn selects(filters: &[String], names: &[&str]) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/-_".contains(c);
    filters.is_empty()
        || filters.iter().any(|filter| {
            !filter.chars().all(plain) || names.iter().any(|name| name.contains(filter.as_str()))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_name_selects_and_other_words_do_not() {
        let names = ["granular/pile/rapier"];
        let select = |filter: &str| selects(&[filter.to_owned()], &names);
        assert!(selects(&[], &names), "no filter");
        assert!(select("pile") && select("granular/pile/rapier"), "parts of the name");
        assert!(!select("lemke") && !select("pile/rapiers"), "other names");
        assert!(select("lemke|pile") && select("^x$"), "regular expressions are not interpreted");
    }
}
