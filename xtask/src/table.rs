//! Plain text tables, aligned by the width of their cells.

/// A table with a header.
#[derive(Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column names.
    pub(crate) fn new(header: &[&str]) -> Self {
        Self { rows: vec![header.iter().map(|&name| name.to_owned()).collect()] }
    }

    /// Adds a row; it has as many cells as the header.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.rows[0].len(), "a row has as many cells as the header");
        self.rows.push(cells);
    }

    fn widths(&self) -> Vec<usize> {
        let columns = self.rows[0].len();
        (0..columns)
            .map(|column| self.rows.iter().map(|row| width(&row[column])).max().unwrap_or(0))
            .collect()
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let widths = self.widths();
        for (index, row) in self.rows.iter().enumerate() {
            writeln!(formatter, "{}", line(row, &widths))?;
            if index == 0 {
                let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
                writeln!(formatter, "{}", line(&rule, &widths))?;
            }
        }
        Ok(())
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let padded: Vec<String> = cells
        .iter()
        .zip(widths)
        .map(
            |(cell, &wide)| if is_number(cell) { format!("{cell:>wide$}") } else { format!("{cell:<wide$}") },
        )
        .collect();
    padded.join("  ").trim_end().to_owned()
}

fn width(cell: &str) -> usize {
    cell.chars().count()
}

fn is_number(cell: &str) -> bool {
    cell.chars().any(|c| c.is_ascii_digit()) && cell.chars().all(|c| c.is_ascii_digit() || c == '.')
}

/// `text`, cut to `limit` characters with an ellipsis.
pub(crate) fn shorten(text: &str, limit: usize) -> String {
    if width(text) <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stand_left_and_numbers_right() {
        let mut table = Table::new(&["case", "seconds"]);
        table.row(vec!["leap-year".into(), "1.5".into()]);
        table.row(vec!["wrap".into(), "12.0".into()]);
        assert_eq!(
            table.to_string(),
            "case       seconds\n---------  -------\nleap-year      1.5\nwrap          12.0\n"
        );
    }

    #[test]
    fn long_text_is_cut_with_an_ellipsis() {
        assert_eq!(shorten("abcdef", 4), "abc…");
        assert_eq!(shorten("abc", 4), "abc");
    }
}
