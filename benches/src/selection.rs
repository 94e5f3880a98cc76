//! Which benches the command line asks for, so that expensive preparations of others are left out.

/// Whether criterion may run one of the benches `names` of this process, by the filter on its command line.
///
/// Without a filter all are selected, and so are all if the filter is more than a part of a name (a regular expression).
#[must_use]
pub fn may_run(names: &[&str]) -> bool {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    selects(&filters(&arguments), names)
}

/// Options of criterion that take the next word as their value.
const WITH_VALUE: [&str; 18] = [
    "-b",
    "-c",
    "-s",
    "--baseline",
    "--baseline-lenient",
    "--color",
    "--confidence-level",
    "--format",
    "--load-baseline",
    "--measurement-time",
    "--noise-threshold",
    "--nresamples",
    "--output-format",
    "--profile-time",
    "--sample-size",
    "--save-baseline",
    "--significance-level",
    "--warm-up-time",
];

/// The words that are neither options nor their values.
fn filters(arguments: &[String]) -> Vec<String> {
    let mut filters = Vec::new();
    let mut is_value = false;
    for word in arguments {
        if !is_value && !word.starts_with('-') {
            filters.push(word.clone());
        }
        is_value = WITH_VALUE.contains(&word.as_str());
    }
    filters
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
    fn values_of_options_are_no_filters() {
        let words = ["--bench", "--sample-size", "10", "bricks", "--measurement-time=5", "-s", "a"];
        assert_eq!(filters(&words.map(str::to_owned)), ["bricks"]);
    }

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
