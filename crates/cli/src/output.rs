//! Writing to the terminal. A pipe that closes early (`bonafix … | head`) is a graceful end, not an error.

use std::io::{self, IsTerminal, Write};

use bonafix_model::ExitCode;

use crate::arguments::Color;

/// Writes to standard output. A closed pipe is fine; anything else is said on standard error and costs the exit code.
pub(crate) fn print(text: &str, code: ExitCode) -> ExitCode {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => code,
        Err(error) => {
            complain(&format!("cannot write to standard output: {error}"));
            ExitCode::Internal
        }
    }
}

/// Writes an error to standard error; where that fails too there is nobody left to tell.
pub(crate) fn complain(message: &str) {
    let mut out = io::stderr().lock();
    let _ = writeln!(out, "bonafix: {message}");
}

/// Colours on standard output?
pub(crate) fn colours(color: Color) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        }
    }
}

/// Columns of the terminal; a page's worth elsewhere.
pub(crate) fn width() -> usize {
    if !io::stdout().is_terminal() {
        return 100;
    }
    terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0)).clamp(40, 120)
}
