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

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

use arguments::{Arguments, Command};

fn main() -> ExitCode {
    let code = match Arguments::try_parse() {
        Ok(arguments) => guarded(|| run(arguments)),
        Err(error) => usage(&error),
    };
    ExitCode::from(code.code())
}

/// A panic has a code of its own, and does not take away what was written so far. What it says is on stderr already.
fn guarded(work: impl FnOnce() -> bonafix_model::ExitCode) -> bonafix_model::ExitCode {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        output::complain(
            "this is a fault of bonafix itself, not of the patch: please report it with what is printed above; \
             what was found so far is kept, and `--resume` goes on from there",
        );
        bonafix_model::ExitCode::Internal
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_ends_with_the_code_for_faults_of_our_own() {
        assert_eq!(guarded(|| bonafix_model::ExitCode::Refuted), bonafix_model::ExitCode::Refuted);
        assert_eq!(guarded(|| panic!("on purpose")), bonafix_model::ExitCode::Internal);
    }
}
