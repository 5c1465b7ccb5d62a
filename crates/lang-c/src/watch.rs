//! Single executions, each in a process of its own that is made for it: plain, with sanitizers, under valgrind.

use std::time::Duration;

use bonafix_lang::{LangError, Watch};
use bonafix_model::{Execution, ProgramEnd, ProgramInput};
use bonafix_proc::{Confinement, Job};
use camino::{Utf8Path, Utf8PathBuf};

use crate::ground::{Ground, with_sanitizers};
use crate::reports;
use crate::serve::places;
use crate::toolchain::{Compiler, on_path};
use crate::variant::Variant;

/// How much slower than plain a program may be under valgrind, and how much more memory it may take.
const SLOWER: u32 = 30;
const LARGER: u64 = 4;
/// What valgrind itself takes to start, and the program that tells sanitizers where an address is in the source.
const START: Duration = Duration::from_secs(3);
const SYMBOLIZING: Duration = Duration::from_secs(2);

/// A version that runs single inputs under a watch.
pub struct WatchedProgram {
    ground: Ground,
    watch: Watch,
}

/// How a version is built for a watch.
pub(crate) fn variant(watch: Watch) -> Variant {
    match watch {
        Watch::Plain => Variant::Plain,
        Watch::Sanitizers => Variant::Fuzz,
        Watch::Valgrind => Variant::Valgrind,
    }
}

/// Where valgrind is.
pub(crate) fn valgrind() -> Option<Utf8PathBuf> {
    on_path("valgrind")
}

impl WatchedProgram {
    pub(crate) fn new(mut ground: Ground, watch: Watch, compiler: &Compiler) -> Result<Self, LangError> {
        let job = ground.job.clone();
        ground.job = match watch {
            Watch::Plain => job,
            Watch::Sanitizers => with_symbolizer(with_sanitizers(job, variant(watch), true), compiler),
            Watch::Valgrind => under_valgrind(job, ground.place())?,
        };
        Ok(Self { ground, watch })
    }

    /// Runs one input.
    pub fn execute(&mut self, input: &ProgramInput) -> Result<Execution, LangError> {
        let reports = self.reports();
        for report in &reports {
            fs_err::remove_file(report)?;
        }
        let given = self.ground.give(input);
        let raw = self.ground.run(self.ground.job.clone(), &given, input)?;
        let mut execution = self.ground.execution(raw, &given)?;
        if self.watch == Watch::Valgrind {
            self.add_reports(&mut execution)?;
        }
        Ok(execution)
    }

    /// Asks a command by which tests compare, where they run, whether it takes one output for the other.
    pub fn takes_for_same(&self, command: &str, expected: &[u8], actual: &[u8]) -> Result<bool, LangError> {
        self.ground.takes_for_same(command, expected, actual)
    }

    /// Files that valgrind has written, one for each process that the program became.
    fn reports(&self) -> Vec<Utf8PathBuf> {
        let entries = self.ground.place().read_dir_utf8().into_iter().flatten().flatten();
        let mut reports: Vec<Utf8PathBuf> = entries
            .map(|entry| entry.path().to_owned())
            .filter(|path| path.extension() == Some("xml"))
            .collect();
        reports.sort();
        reports
    }

    /// What valgrind saw stands before what the end alone tells.
    fn add_reports(&self, execution: &mut Execution) -> Result<(), LangError> {
        let ends = std::mem::take(&mut execution.faults);
        for report in self.reports() {
            let text = fs_err::read(&report)?;
            let parsed = reports::valgrind::parse(&String::from_utf8_lossy(&text), &self.ground.home.tree());
            execution.faults.extend(parsed.faults);
            if let (Some(leaked), ProgramEnd::Exited(_)) = (parsed.leaked, &execution.end) {
                let all = execution.leaked.get_or_insert_default();
                all.definitely += leaked.definitely;
                all.indirectly += leaked.indirectly;
                all.possibly += leaked.possibly;
            }
        }
        let is_told = |kind: &str| execution.faults.iter().any(|fault| fault.kind == kind);
        let untold: Vec<_> = ends.into_iter().filter(|fault| !is_told(&fault.kind)).collect();
        execution.faults.extend(untold);
        Ok(())
    }
}

/// Sanitizers start a program that tells them where an address is in the source.
fn with_symbolizer(mut job: Job, compiler: &Compiler) -> Job {
    let Some(tool) = places::symbolizer(compiler) else { return job };
    job.limits.cpu = job.limits.cpu.map(|limit| limit + SYMBOLIZING);
    job.limits.wall = job.limits.wall.map(|limit| limit + SYMBOLIZING);
    if let Confinement::Sandboxed(spec) = &mut job.confinement {
        spec.read.extend(tool.parent().and_then(Utf8Path::parent).map(Utf8Path::to_owned));
    }
    job.env("ASAN_SYMBOLIZER_PATH", tool)
}

/// The program is called by the same name as without valgrind, so that it prints the same.
fn under_valgrind(mut job: Job, place: &Utf8Path) -> Result<Job, LangError> {
    let tool = valgrind().ok_or_else(|| LangError::ToolMissing {
        tool: "valgrind".to_owned(),
        purpose: "to see uninitialised values and leaks".to_owned(),
        way_out: "install it (on Debian and Ubuntu: `apt install valgrind`)".to_owned(),
    })?;
    let name = job.arg0.take().unwrap_or_else(|| job.program.clone());
    job.program = tool.into_os_string();
    job.limits.cpu = job.limits.cpu.map(|limit| limit * SLOWER + START);
    job.limits.wall = job.limits.cpu.map(|limit| limit * 3);
    job.limits.memory = job.limits.memory.map(|limit| limit * LARGER);
    Ok(job
        .args(["--tool=memcheck", "--leak-check=full", "--show-leak-kinds=definite,indirect,possible"])
        .args(["--track-origins=yes", "--num-callers=40", "--child-silent-after-fork=yes", "--vgdb=no", "-q"])
        .args(["--xml=yes".to_owned(), format!("--xml-file={place}/report-%p.xml")])
        .arg("--")
        .arg(name))
}
