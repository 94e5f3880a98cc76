//! Tables for a terminal: columns of minimal width, numbers aligned to the right.

/// A table of text.
///
/// # Example
///
/// ```
/// use percussion_report::Table;
///
/// let mut table = Table::new("<>", ["quantity", "measured"]);
/// table.push(["rest", "0.567"]);
/// assert_eq!(
///     table.to_string(),
///     "quantity  measured\n────────  ────────\nrest         0.567\n"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    alignment: Vec<Alignment>,
    rows: Vec<Vec<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Alignment {
    Left,
    Right,
}

impl Table {
    /// Creates a table with the given `header`; `alignment` holds `<` (left) or `>` (right) for each column.
    ///
    /// Columns beyond the end of `alignment` are aligned left.
    #[must_use]
    pub fn new<S: Into<String>>(alignment: &str, header: impl IntoIterator<Item = S>) -> Self {
        let side = |letter| if letter == '>' { Alignment::Right } else { Alignment::Left };
        let mut table = Self { alignment: alignment.chars().map(side).collect(), rows: Vec::new() };
        table.push(header);
        table
    }

    /// Appends a row; missing cells stay empty.
    pub fn push<S: Into<String>>(&mut self, row: impl IntoIterator<Item = S>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// The width of each column in characters.
    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
        };
        (0..columns).map(|column| width(column).unwrap_or(0)).collect()
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let widths = self.widths();
        for (index, row) in self.rows.iter().enumerate() {
            let cells = widths.iter().enumerate().map(|(column, &width)| {
                let cell = row.get(column).map_or("", String::as_str);
                // The formatter supports a padding of at most 65535 characters, and panics beyond.
                let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
                match self.alignment.get(column) {
                    Some(Alignment::Right) => padding + cell,
                    _ => cell.to_owned() + &padding,
                }
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            writeln!(f, "{}", line.trim_end())?;
            if index == 0 {
                let rules: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
                writeln!(f, "{}", rules.join("  "))?;
            }
        }
        Ok(())
    }
}
