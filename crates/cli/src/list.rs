//! `bonafix list`.

use bonafix_model::{ExitCode, Outcome};
use bonafix_report::table;

use crate::arguments::{ListArguments, ListOf};
use crate::explain::{PAGES, Page};
use crate::output::print;

pub(crate) fn run(arguments: &ListArguments) -> ExitCode {
    let lists = match arguments.what {
        Some(what) => vec![what],
        None => vec![ListOf::Languages, ListOf::Builds, ListOf::Outcomes, ListOf::Techniques],
    };
    let text: Vec<String> = lists.into_iter().map(render).collect();
    print(&text.join("\n"), ExitCode::Unrefuted)
}

fn render(what: ListOf) -> String {
    match what {
        ListOf::Languages => table::render(
            &["language", "what"],
            &rows(&[
                ["java", "Java 1.3 and later, with JUnit 3, 4, 5 or 6"],
                [
                    "c",
                    "C and C++, programs that read a file or standard input; tests by output or by a script",
                ],
            ]),
        ),
        ListOf::Builds => table::render(&["build", "recognised by"], &rows(&BUILDS)),
        ListOf::Outcomes => outcomes(),
        ListOf::Techniques => table::render(&["technique", "needs", "what"], &techniques()),
    }
}

const BUILDS: [[&str; 2]; 12] = [
    ["bonafix.toml", "the keys java.sources, java.tests, java.classpath or java.dependencies"],
    ["defects4j", "a checkout with .defects4j.config or defects4j.build.properties"],
    ["maven", "pom.xml, single or multi-module"],
    ["gradle", "build.gradle, through an installed Gradle or a wrapper whose distribution is there"],
    ["ant", "build.xml, with the class path given or in lib folders"],
    ["plain", "source folders"],
    ["command", "C: the key c.command"],
    ["cmake", "C: CMakeLists.txt"],
    ["autotools", "C: configure or configure.ac"],
    ["make", "C: a makefile"],
    ["compile-commands", "C: compile_commands.json, all linked into one program"],
    ["files", "C: the key c.sources, or sources in the project's folder"],
];

fn techniques() -> Vec<Vec<String>> {
    let row = |page: &Page| [page.name, page.needs, page.what()].map(ToOwned::to_owned).to_vec();
    PAGES.iter().filter(|page| page.judges).map(row).collect()
}

fn rows(list: &[[&str; 2]]) -> Vec<Vec<String>> {
    list.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
}

fn outcomes() -> String {
    let meaning = |outcome| match outcome {
        Outcome::Unrefuted => "the change was exercised and nothing was found",
        Outcome::Refuted => "a replayed witness shows that the patch is wrong",
        Outcome::Suspicious => "heuristics speak against the patch",
        Outcome::Inconclusive => "nothing can be said; the reason says why",
        Outcome::Invalid => "does not apply, build or pass the tests, or changes only tests",
    };
    let all =
        [Outcome::Unrefuted, Outcome::Refuted, Outcome::Suspicious, Outcome::Inconclusive, Outcome::Invalid];
    let mut rows: Vec<Vec<String>> = all
        .into_iter()
        .map(|outcome| {
            vec![outcome.to_string(), outcome.exit_code().code().to_string(), meaning(outcome).to_owned()]
        })
        .collect();
    let others = [
        ("(usage)", ExitCode::Usage, "usage or configuration error"),
        ("(baseline)", ExitCode::Baseline, "the buggy version does not build, or no test shows the bug"),
        ("(internal)", ExitCode::Internal, "a fault of bonafix itself"),
        ("(interrupted)", ExitCode::Interrupted, "ended by Ctrl-C or a signal"),
    ];
    rows.extend(
        others.map(|(name, code, text)| vec![name.to_owned(), code.code().to_string(), text.to_owned()]),
    );
    table::render(&["outcome", "exit", "meaning"], &rows)
}
