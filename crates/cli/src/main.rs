//! Arguments in, exit code out. All else is in the library modules beside this file and in `bonafix-engine`.

mod arguments;
mod check;
mod debug_log;
mod doctor;
mod explain;
mod list;
mod output;
mod pages;
mod progress;
mod replay;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let code = match Arguments::try_parse() {
        Ok(arguments) => run(arguments),
        Err(error) => usage(&error),
    };
    ExitCode::from(code.code())
}

fn run(arguments: Arguments) -> bonafix_model::ExitCode {
    match arguments.command {
        Command::Check(check) => check::run(*check, arguments.color),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Doctor(doctor) => doctor::run(&doctor),
        Command::List(list) => list::run(&list),
        Command::Explain(explain) => explain::run(&explain),
        Command::Completions { shell } => pages::completions(shell),
        Command::Man => pages::man(),
        Command::Schema { which } => pages::schema(which),
    }
}

/// Help and version are no errors; everything else is a usage error, which has its own code here.
fn usage(error: &clap::Error) -> bonafix_model::ExitCode {
    let shown = error.print();
    let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if asked && shown.is_ok() { bonafix_model::ExitCode::Unrefuted } else { bonafix_model::ExitCode::Usage }
}
