//! The differences between two snapshots as a table: quantity, before, after, relative change.

use std::collections::BTreeMap;

/// One quantity whose text differs between both snapshots.
#[derive(Clone, Debug, PartialEq)]
struct Row<'a> {
    quantity: &'a str,
    /// None if it is new.
    before: Option<&'a str>,
    /// None if it is gone.
    after: Option<&'a str>,
}

/// The table of the differences between two snapshot files, with or without their headers.
pub(super) fn of(before: &str, after: &str) -> String {
    let rows = rows(contents(before), contents(after));
    let missing = "–";
    let mut cells = vec![["quantity", "before", "after", "relative change"].map(str::to_owned)];
    for row in &rows {
        let change = relative_change(row).unwrap_or_default();
        let (before, after) = (row.before.unwrap_or(missing), row.after.unwrap_or(missing));
        cells.push([row.quantity, before, after, &change].map(str::to_owned));
    }
    let width = |column: usize| {
        cells.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths = [width(0), width(1), width(2)];
    let line = |row: &[String; 4]| {
        let [quantity, before, after, change] = row;
        let [first, second, third] = widths;
        let text = format!("  {quantity:<first$}  {before:>second$}  {after:>third$}  {change}");
        text.trim_end().to_owned()
    };
    cells.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The text after the header of a file, which is between two lines of three hyphens.
fn contents(file: &str) -> &str {
    file.strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map_or(file, |(_, contents)| contents)
}

/// Quantities of `before` in their order, and then those that are new.
fn rows<'a>(before: &'a str, after: &'a str) -> Vec<Row<'a>> {
    let (before, after) = (quantities(before), quantities(after));
    let values = |quantities: &[(Key<'a>, &'a str)]| -> BTreeMap<Key<'a>, &'a str> {
        quantities.iter().copied().collect()
    };
    let (known, found) = (values(&before), values(&after));
    let of_old = before.iter().map(|&(key, value)| Row {
        quantity: key.0,
        before: Some(value),
        after: found.get(&key).copied(),
    });
    let of_new = after
        .iter()
        .filter(|(key, _)| !known.contains_key(key))
        .map(|&(key, value)| Row { quantity: key.0, before: None, after: Some(value) });
    of_old.chain(of_new).filter(|row| row.before != row.after).collect()
}

/// A quantity, and the number of quantities with the same name before it.
type Key<'a> = (&'a str, usize);

fn quantities(contents: &str) -> Vec<(Key<'_>, &str)> {
    let mut seen = BTreeMap::new();
    contents
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let (quantity, value) = line.rsplit_once(": ").unwrap_or((line, ""));
            let place = seen.entry(quantity).or_insert(0_usize);
            let key = (quantity, *place);
            *place += 1;
            (key, value.trim_end())
        })
        .collect()
}

/// `|after − before| / |before|` of two numbers.
fn relative_change(row: &Row<'_>) -> Option<String> {
    let number = |text: Option<&str>| text?.parse::<f64>().ok().filter(|value| value.is_finite());
    let (before, after) = (number(row.before)?, number(row.after)?);
    let change = (after - before).abs() / before.abs();
    change.is_finite().then(|| format!("{change:.1e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "---\nsource: crates/impact/tests/stored/main.rs\n---\nstatus: Resolved\nstages: 2\nv[0]: 1.0000000e0\nv[1]: 0e-12\nv[2]: -3.0000000e-1\n";

    #[test]
    fn only_what_differs_is_shown_with_its_relative_change() {
        let after = BEFORE
            .replace("Resolved", "Limit")
            .replace("stages: 2", "stages: 3")
            .replace("1.0000000e0", "1.0000010e0")
            .replace("0e-12", "4e-12");
        let expected = [
            "  quantity       before        after  relative change",
            "  status       Resolved        Limit",
            "  stages              2            3  5.0e-1",
            "  v[0]      1.0000000e0  1.0000010e0  1.0e-6",
            "  v[1]            0e-12        4e-12",
        ];
        assert_eq!(of(BEFORE, &after), expected.join("\n"));
    }

    #[test]
    fn new_quantities_and_those_that_are_gone_have_a_dash() {
        let after = BEFORE.replace("v[2]: -3.0000000e-1", "energy (J): 2.0000000e0");
        let table = of(BEFORE, &after);
        let lines: Vec<_> = table.lines().map(str::trim).collect();
        assert_eq!(lines.len(), 3, "{table}");
        assert_eq!(lines[1], "v[2]        -3.0000000e-1            –");
        assert_eq!(lines[2], "energy (J)              –  2.0000000e0");
    }

    #[test]
    fn a_new_file_is_all_new_and_the_same_file_is_no_row() {
        assert_eq!(of("", BEFORE).lines().count(), 1 + 5);
        assert_eq!(of(BEFORE, BEFORE).lines().count(), 1);
    }

    #[test]
    fn quantities_of_the_same_name_are_told_apart_by_their_order() {
        let rows = rows("x: 1\nx: 2\n", "x: 1\nx: 3\nx: 4\n");
        let row = |before, after| Row { quantity: "x", before, after };
        assert_eq!(rows, [row(Some("2"), Some("3")), row(None, Some("4"))]);
    }

    #[test]
    fn a_name_may_have_a_colon() {
        let rows = rows("last step: contacts: 4\n", "last step: contacts: 5\n");
        assert_eq!(rows[0].quantity, "last step: contacts");
    }
}
