//! `run.sh`: a counterexample for people who have no bonafix, in plain shell.

use bonafix_model::ProgramEnd;
use camino::{Utf8Path, Utf8PathBuf};

use super::folder::{EXPECTED, INPUT, Manifest, PROJECT, Right, Watching};
use crate::testing::is_by_path;

/// What stands for the path of the input among arguments, and in what a program prints.
const PLACE: &str = "@@";
/// Exit code by which sanitizers and valgrind tell of an error, which programs seldom use.
const NOTICED: u32 = 99;
/// What shells add to the number of a signal.
const SIGNALLED: i32 = 128;
/// By which `timeout` tells that it ended a program.
const NO_END: i32 = 124;

/// The script.
pub(super) fn script(manifest: &Manifest) -> String {
    let mut lines = preparation(manifest);
    lines.extend(call(manifest));
    lines.push("status=$?".to_owned());
    match &manifest.right {
        Right::NoFault => lines.extend(judgement_on_faults()),
        Right::Does { end, errors, files } => {
            lines.extend(judgement_on_output(&manifest.input_name, end, *errors, files));
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// A copy of the project to run in, so that nothing here is written to.
fn preparation(manifest: &Manifest) -> Vec<String> {
    let run = &manifest.project.run;
    let folder = run.folder.as_deref().unwrap_or(Utf8Path::new(""));
    let mut lines = vec![
        "#!/bin/sh".to_owned(),
        "# Runs a program on the input beside this script, and ends with 0 if it does what is right."
            .to_owned(),
        "# Usage: sh run.sh PROGRAM".to_owned(),
        "[ $# = 1 ] || { echo 'usage: sh run.sh PROGRAM' >&2; exit 2; }".to_owned(),
        "here=$(cd \"$(dirname \"$0\")\" && pwd)".to_owned(),
        "program=$(cd \"$(dirname \"$1\")\" && pwd)/$(basename \"$1\")".to_owned(),
        "work=$(mktemp -d) || exit 2".to_owned(),
        "trap 'rm -rf \"$work\"' EXIT".to_owned(),
        format!("cp -R \"$here/{PROJECT}\" \"$work/tree\" || exit 2"),
        format!("cd \"$work/tree/\"{} || exit 2", quoted(folder.as_str())),
    ];
    let env = run.env.iter().chain(&manifest.tests.env);
    lines.extend(env.map(|(name, value)| format!("{name}={}; export {name}", quoted(value))));
    lines
}

/// The program with its arguments and its input.
fn call(manifest: &Manifest) -> Vec<String> {
    let mut lines = Vec::new();
    let mut watcher = "";
    match manifest.watch {
        Watching::Plain => {}
        Watching::Valgrind => watcher = "valgrind -q --error-exitcode=99 ",
        Watching::Sanitizers => lines.extend([
            format!("ASAN_OPTIONS=exitcode={NOTICED}:detect_leaks=0; export ASAN_OPTIONS"),
            format!("UBSAN_OPTIONS=exitcode={NOTICED}:print_stacktrace=1; export UBSAN_OPTIONS"),
        ]),
    }
    let arguments = manifest.arguments.as_ref().unwrap_or(&manifest.project.run.arguments);
    let mut words = vec![format!("$limit {watcher}\"$program\"")];
    words.extend(arguments.iter().map(|argument| quoted(&argument.replace(PLACE, &manifest.input_name))));
    if is_by_path(arguments) {
        lines.push(format!("cp \"$here/{INPUT}\" {} || exit 2", quoted(&manifest.input_name)));
    } else {
        words.push(format!("<\"$here/{INPUT}\""));
    }
    // `timeout` goes by the clock, and others may want the processor.
    let seconds = manifest.limit_millis.saturating_mul(2).div_ceil(1000).max(1);
    lines.push(format!("limit=; command -v timeout >/dev/null && limit='timeout {seconds}'"));
    lines.push(format!("{} >\"$work/stdout\" 2>\"$work/stderr\"", words.join(" ")));
    lines
}

fn judgement_on_faults() -> Vec<String> {
    vec![
        "cat \"$work/stderr\"".to_owned(),
        "echo \"--- expected no crash and no error of memory\"".to_owned(),
        format!(
            "echo \"--- actual exit status $status ({NOTICED}: an error, {NO_END}: no end, above {SIGNALLED}: a crash)\""
        ),
        format!(
            "[ \"$status\" != {NOTICED} ] && [ \"$status\" != {NO_END} ] && [ \"$status\" -le {SIGNALLED} ]"
        ),
    ]
}

fn judgement_on_output(
    input_name: &str,
    end: &ProgramEnd,
    errors: bool,
    files: &[Utf8PathBuf],
) -> Vec<String> {
    let status = match end {
        ProgramEnd::Exited(code) => *code,
        ProgramEnd::Signalled(signal) => SIGNALLED + signal,
        ProgramEnd::TimedOut | ProgramEnd::OverLimit(_) => NO_END,
    };
    // The name of the input is not the program's.
    let name = input_name.replace('.', "\\.");
    let mut lines = vec![
        "right=0".to_owned(),
        "same() { # expected, actual, name".to_owned(),
        format!("  LC_ALL=C sed 's/{name}/{PLACE}/g' \"$2\" >\"$work/actual\""),
        "  echo \"--- expected $3\"; cat \"$1\"; echo \"--- actual $3\"; cat \"$work/actual\"".to_owned(),
        "  cmp -s \"$1\" \"$work/actual\" || { echo \"*** $3 differs\"; right=1; }".to_owned(),
        "}".to_owned(),
        format!("same \"$here/{EXPECTED}/stdout\" \"$work/stdout\" 'standard output'"),
    ];
    if errors {
        lines.push(format!("same \"$here/{EXPECTED}/stderr\" \"$work/stderr\" 'standard error'"));
    }
    for file in files {
        let name = quoted(file.as_str());
        lines.push(format!("same \"$here/{EXPECTED}/files/\"{name} {name} {name}"));
    }
    lines.extend([
        format!("echo \"--- expected exit status {status}, actual $status\""),
        format!("[ \"$status\" = {status} ] || right=1"),
        "exit $right".to_owned(),
    ]);
    lines
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    shlex::try_quote(word).map(std::borrow::Cow::into_owned).unwrap_or_default()
}
