//! `bonafix replay`.

use std::fmt::Write as _;

use bonafix_engine::{ReplayOptions, interrupt};
use bonafix_model::{ExitCode, Promise, ReplayReport, ReplayedVersion, VersionRole};

use crate::arguments::{Format, ReplayArguments};
use crate::output::{complain, print};

pub(crate) fn run(arguments: ReplayArguments) -> ExitCode {
    if let Err(error) = interrupt::install() {
        complain(&format!("cannot watch for Ctrl-C: {error}"));
        return ExitCode::Internal;
    }
    let format = arguments.format;
    let replayed = bonafix_engine::replay(&ReplayOptions {
        folder: arguments.witness,
        repetitions: arguments.repeat,
        sandbox: arguments.sandbox.into(),
    });
    match replayed {
        Ok(report) => show(&report, format),
        Err(error) => {
            complain(&error.to_string());
            error.exit_code()
        }
    }
}

fn show(report: &ReplayReport, format: Format) -> ExitCode {
    let code = if report.holds { ExitCode::Unrefuted } else { ExitCode::Inconclusive };
    let text = match format {
        Format::Json => match serde_json::to_string_pretty(report) {
            Ok(text) => text + "\n",
            Err(error) => {
                complain(&error.to_string());
                return ExitCode::Internal;
            }
        },
        Format::Text => describe(report),
    };
    print(&text, code)
}

fn describe(report: &ReplayReport) -> String {
    let mut text = String::new();
    let word = if report.holds { "HOLDS" } else { "DOES NOT HOLD" };
    let _ = writeln!(text, "{word}  {}", report.folder.join(&report.file));
    let _ = writeln!(text, "  {}", report.what);
    let right = report.versions.first().map_or(VersionRole::Reference, |version| version.role);
    let _ = writeln!(text, "  {:<10} {}", role(right), report.expected);
    let _ = writeln!(text, "  patched    {}", report.actual);
    text.push('\n');
    for version in &report.versions {
        let _ = writeln!(text, "  on the {:<10} {}", role(version.role), runs(version));
        if let Some(message) = version.message.as_deref().and_then(|message| message.lines().next()) {
            let _ = writeln!(text, "    {message}");
        }
    }
    text
}

fn role(role: VersionRole) -> &'static str {
    match role {
        VersionRole::Buggy => "buggy",
        VersionRole::Patched => "patched",
        VersionRole::Reference => "reference",
    }
}

fn runs(version: &ReplayedVersion) -> String {
    let promise = match (version.promise, version.kept) {
        (Promise::Nothing, _) => "",
        (_, true) => ", as the witness says",
        (Promise::Passes, false) => "; it should pass",
        (Promise::Fails, false) => "; it should fail",
    };
    let all = version.passed + version.failed + version.otherwise;
    let otherwise = match version.otherwise {
        0 => String::new(),
        some => format!(" ({some} failed in another way than the witness is about)"),
    };
    format!("passed {} of {all} times{otherwise}{promise}", version.passed)
}
