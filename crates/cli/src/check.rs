//! `bonafix check`.

use std::io::Read;

use bonafix_engine::{
    CheckError, CheckOptions, Checked, JudgingOptions, PatchArgument, Request, Resume, SimOptions, interrupt,
};
use bonafix_model::ExitCode;
use bonafix_report::{json, terminal};
use camino::Utf8Path;

use crate::arguments::{CheckArguments, Color, Format};
use crate::debug_log::DebugLog;
use crate::output::{colours, complain, print, width};
use crate::progress::Progress;

/// What a patch on standard input may have; more is no patch.
const STDIN_CAP: u64 = 256 << 20;

pub(crate) fn run(arguments: CheckArguments, color: Color) -> ExitCode {
    if let Err(error) = interrupt::install() {
        complain(&format!("cannot watch for Ctrl-C: {error}"));
        return ExitCode::Internal;
    }
    let (format, verbose, quiet) = (arguments.format, arguments.verbose, arguments.quiet);
    let progress = Progress::new(quiet);
    let log = DebugLog::install();
    let checked = options(arguments).and_then(|options| {
        bonafix_engine::check(&options, &|event| {
            log.note(event);
            progress.show(event);
        })
    });
    progress.finish();
    match checked {
        Ok(checked) => show(&checked, format, verbose, quiet, color),
        Err(error) => {
            complain(&error.to_string());
            error.exit_code()
        }
    }
}

fn show(checked: &Checked, format: Format, verbose: bool, quiet: bool, color: Color) -> ExitCode {
    let code = checked.report.exit_code();
    let text = match format {
        Format::Json => json::render(&checked.report),
        Format::Text => {
            let style = terminal::Style { color: colours(color), width: width(), verbose };
            terminal::render_run(&checked.report, &style, Some(checked.run.as_str()))
        }
    };
    let code = print(&text, code);
    if !quiet {
        complain(&format!("logs and results are in {}", checked.run));
    }
    code
}

fn options(arguments: CheckArguments) -> Result<CheckOptions, CheckError> {
    let mut patches = Vec::new();
    for patch in arguments.patch {
        patches.push(if patch == "-" {
            PatchArgument::Stdin(read_stdin()?)
        } else {
            PatchArgument::File(patch)
        });
    }
    let resume = match arguments.resume {
        None => Resume::No,
        Some(None) => Resume::Latest,
        Some(Some(run)) => Resume::Run(run),
    };
    Ok(CheckOptions {
        request: Request {
            folder: absolute(&arguments.subject)?,
            patches,
            reference: arguments.reference,
            no_reference: arguments.no_reference,
            base: arguments.base,
            head: arguments.head,
            failing: arguments.failing,
            tests: arguments.tests,
        },
        out: absolute(&arguments.out)?,
        resume,
        sandbox: arguments.sandbox.into(),
        fresh: arguments.fresh,
        judging: JudgingOptions {
            techniques: (arguments.no_technique || !arguments.technique.is_empty())
                .then(|| arguments.technique.into_iter().map(Into::into).collect()),
            similarity: SimOptions {
                kt: arguments.kt,
                kp: arguments.kp,
                failing_mean: arguments.failing_mean.into(),
                margin: arguments.margin,
            },
            varied_tests: arguments.varied_tests,
            failing_variants: arguments.failing_variants.into(),
            generated_tests: usize::from(arguments.generated_tests),
            budget: arguments.budget,
            seed: arguments.seed,
            strict: arguments.strict,
            full: arguments.full,
            heap_mib: arguments.heap,
            jobs: usize::from(arguments.jobs),
            inputs_from: arguments.inputs_from.as_deref().map(absolute).transpose()?,
            inputs_to: arguments.inputs_to.as_deref().map(absolute).transpose()?,
        },
        command: std::env::args().collect(),
    })
}

/// Processes that are started elsewhere must find what was named here.
fn absolute(path: &Utf8Path) -> Result<camino::Utf8PathBuf, CheckError> {
    camino::absolute_utf8(path).map_err(|error| CheckError::Usage(format!("{path}: {error}")))
}

fn read_stdin() -> Result<Vec<u8>, CheckError> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(STDIN_CAP + 1).read_to_end(&mut bytes);
    match read {
        Err(error) => Err(CheckError::Usage(format!("cannot read the patch from standard input: {error}"))),
        Ok(_) if bytes.len() as u64 > STDIN_CAP => Err(CheckError::Usage(format!(
            "standard input holds more than {} MiB, which is no patch",
            STDIN_CAP >> 20
        ))),
        Ok(_) => Ok(bytes),
    }
}
