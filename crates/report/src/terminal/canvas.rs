//! Wrapping, indenting and colouring. Text is wrapped before it is coloured, so both cannot disagree.

use anstyle::{AnsiColor, Style as Colors};

use super::Style;

/// Columns that labels take, with the margin before them.
const LABEL: usize = 13;
/// Columns before a text without a label.
const MARGIN: usize = 2;
/// How many lines of details are shown.
const DETAIL_LINES: usize = 30;
/// Narrower terminals are written to as if they were this wide.
const NARROWEST: usize = 40;

/// What a text is, which decides its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ink {
    Plain,
    Bold,
    Dim,
    Good,
    Bad,
    Warn,
    Unsure,
}

impl Ink {
    fn colors(self) -> Colors {
        let color = |color: AnsiColor| Colors::new().fg_color(Some(color.into()));
        match self {
            Self::Plain => Colors::new(),
            Self::Bold => Colors::new().bold(),
            Self::Dim => Colors::new().dimmed(),
            Self::Good => color(AnsiColor::Green),
            Self::Bad => color(AnsiColor::Red),
            Self::Warn => color(AnsiColor::Yellow),
            Self::Unsure => color(AnsiColor::Cyan),
        }
    }
}

/// Collects the lines of a report.
pub(super) struct Canvas {
    pub(super) style: Style,
    /// The folder of the run, as the user would type it.
    run: Option<String>,
    text: String,
    last_label: String,
}

impl Canvas {
    pub(super) fn new(style: Style, run: Option<&str>) -> Self {
        let style = Style { width: style.width.max(NARROWEST), ..style };
        Self { style, run: run.map(ToOwned::to_owned), text: String::new(), last_label: String::new() }
    }

    /// A path below the run directory, as it can be opened from here.
    pub(super) fn place(&self, below_run: &str) -> String {
        match self.run.as_deref().map(|run| run.trim_end_matches('/')) {
            Some(run) => format!("{run}/{below_run}"),
            None => below_run.to_owned(),
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// An empty line between parts; never two, and none at the top.
    pub(super) fn gap(&mut self) {
        self.last_label.clear();
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// The first line of a part: a word that stands out, and what it is about.
    pub(super) fn heading(&mut self, ink: Ink, word: &str, rest: &str) {
        let ink = if self.style.color { ink.colors().bold() } else { Colors::new() };
        let word = paint(ink, &one_line(word));
        self.line(&format!("{word}  {}", one_line(rest)));
    }

    /// A text with a label before it. A label that was just used is not said again.
    pub(super) fn field(&mut self, label: &str, ink: Ink, text: &str) {
        let shown = if self.last_label == label { "" } else { label };
        self.last_label.clear();
        self.last_label.push_str(label);
        let margin = format!("{:MARGIN$}{shown:<width$}", "", width = LABEL - MARGIN);
        for (index, line) in wrap(text, self.style.width - LABEL).iter().enumerate() {
            let margin = if index == 0 { self.paint(Ink::Dim, &margin) } else { " ".repeat(LABEL) };
            let line = self.paint(ink, line);
            self.line(&format!("{margin}{line}"));
        }
    }

    /// A command with a label before it: never wrapped, so that it can be copied.
    pub(super) fn command(&mut self, label: &str, command: &str) {
        self.last_label.clear();
        let margin = format!("{:MARGIN$}{label:<width$}", "", width = LABEL - MARGIN);
        let (margin, command) = (self.paint(Ink::Dim, &margin), self.paint(Ink::Bold, &one_line(command)));
        self.line(&format!("{margin}{command}"));
    }

    /// A text that belongs to the field above.
    pub(super) fn below(&mut self, ink: Ink, text: &str) {
        for line in wrap(text, self.style.width - LABEL - MARGIN) {
            let line = self.paint(ink, &line);
            self.line(&format!("{:width$}{line}", "", width = LABEL + MARGIN));
        }
    }

    /// A sentence of its own.
    pub(super) fn sentence(&mut self, ink: Ink, text: &str) {
        for line in wrap(text, self.style.width - MARGIN) {
            let line = self.paint(ink, &line);
            self.line(&format!("{:MARGIN$}{line}", ""));
        }
    }

    /// A line at the margin, as it is.
    pub(super) fn plain(&mut self, ink: Ink, text: &str) {
        for line in wrap(text, self.style.width) {
            let line = self.paint(ink, &line);
            self.line(&line);
        }
    }

    /// A line as it is, already clean.
    pub(super) fn verbatim(&mut self, ink: Ink, line: &str) {
        let line = self.paint(ink, line);
        self.line(&line);
    }

    /// A line of code: indented, never wrapped, so that it can be copied.
    pub(super) fn code(&mut self, line: &str) {
        let line = one_line(line);
        self.line(&format!("{:width$}{line}", "", width = 3 * MARGIN));
    }

    /// Details of a verdict: words are wrapped; a hunk of a diff is coloured as such and kept as it is, like all that
    /// is indented.
    pub(super) fn details(&mut self, details: &[String]) {
        let text = clean(&details.join("\n"));
        let all = text.lines().count();
        let shown = if self.style.verbose || all == DETAIL_LINES + 1 { all } else { DETAIL_LINES };
        let mut in_hunk = false;
        for line in text.lines().take(shown) {
            in_hunk = line.starts_with("@@ ") || (in_hunk && line.starts_with([' ', '+', '-', '\\']));
            self.detail(line, in_hunk);
        }
        if all > shown {
            self.sentence(Ink::Dim, &more(all - shown, "lines"));
        }
    }

    fn detail(&mut self, line: &str, in_hunk: bool) {
        if in_hunk || line.starts_with(' ') {
            let line = self.paint(if in_hunk { diff_ink(line) } else { Ink::Plain }, line);
            self.line(&format!("{:width$}{line}", "", width = 2 * MARGIN));
        } else {
            self.indented(Ink::Plain, line);
        }
    }

    /// A text that belongs to the sentence above.
    pub(super) fn indented(&mut self, ink: Ink, text: &str) {
        for line in wrap(text, self.style.width - 2 * MARGIN) {
            let line = self.paint(ink, &line);
            self.line(&format!("{:width$}{line}", "", width = 2 * MARGIN));
        }
    }

    fn paint(&self, ink: Ink, text: &str) -> String {
        paint(if self.style.color { ink.colors() } else { Colors::new() }, text)
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }
}

/// Colours a text but not the spaces after it.
fn paint(colors: Colors, text: &str) -> String {
    let (words, space) = text.split_at(text.trim_end().len());
    if words.is_empty() { text.to_owned() } else { format!("{colors}{words}{colors:#}{space}") }
}

/// What is said in place of the rest of a list.
pub(super) fn more(number: usize, what: &str) -> String {
    let gap = if what.is_empty() { "" } else { " " };
    format!("… and {number} more{gap}{what} (see report.json)")
}

fn diff_ink(line: &str) -> Ink {
    match line.chars().next() {
        Some('+') => Ink::Good,
        Some('-') => Ink::Bad,
        Some('@') => Ink::Unsure,
        _ => Ink::Plain,
    }
}

/// Text as it may go to a terminal: much of it comes from the subject, and must not move the cursor, recolour the
/// screen or write from right to left. Line ends stay, tabs become spaces.
pub(crate) fn clean(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => cleaned.push(c),
            '\t' => cleaned.push_str("    "),
            '\r' => {}
            c if c.is_control() || is_invisible(c) => cleaned.extend(c.escape_unicode()),
            c => cleaned.push(c),
        }
    }
    cleaned
}

/// Characters that change the direction of writing or take no room.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

fn one_line(text: &str) -> String {
    clean(text).replace('\n', " ")
}

/// Breaks text at spaces. Lines of the text stay lines, and keep their indentation; a word that is longer than a line
/// stands alone and sticks out, so that a name can still be copied.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let lines: Vec<String> = clean(text).lines().flat_map(|line| wrap_line(line, width)).collect();
    if lines.is_empty() { vec![String::new()] } else { lines }
}

fn wrap_line(line: &str, width: usize) -> Vec<String> {
    let length = |text: &str| text.chars().count();
    if length(line) <= width {
        return vec![line.to_owned()];
    }
    let indent = &line[..line.len() - line.trim_start().len()];
    let mut lines = Vec::new();
    let mut current = indent.to_owned();
    for word in line.split_whitespace() {
        let empty = current.len() == indent.len();
        if !empty && length(&current) + 1 + length(word) > width {
            lines.push(std::mem::replace(&mut current, indent.to_owned()));
            current.push_str(word);
        } else {
            current.push_str(if empty { "" } else { " " });
            current.push_str(word);
        }
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_broken_at_spaces_and_long_words_stick_out() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(
            wrap("a com.example.VeryLongName#method b", 10),
            ["a", "com.example.VeryLongName#method", "b"]
        );
        assert_eq!(wrap("    int x = 1; int y = 2;", 16), ["    int x = 1;", "    int y = 2;"]);
        assert_eq!(wrap("", 10), [""]);
        assert_eq!(wrap("a\n\nb", 10), ["a", "", "b"]);
    }

    #[test]
    fn a_subject_cannot_write_to_the_terminal_as_it_likes() {
        assert_eq!(clean("\u{1b}[31mred\u{7}\r\n\tx\u{202e}y"), "\\u{1b}[31mred\\u{7}\n    x\\u{202e}y");
    }

    #[test]
    fn a_label_is_said_once() {
        let mut canvas = Canvas::new(Style { color: false, width: 40, verbose: false }, None);
        canvas.gap();
        canvas.field("fixes", Ink::Good, "a");
        canvas.field("fixes", Ink::Good, "b");
        assert_eq!(canvas.finish(), "  fixes      a\n             b\n");
    }
}
