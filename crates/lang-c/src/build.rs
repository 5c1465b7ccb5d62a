//! Runs a recipe in a home, in the sandbox: the build of an untrusted project is untrusted as well.

use std::sync::Arc;

use bonafix_lang::{Diagnostic, LangError, append_log};
use bonafix_proc::{Exit, Finished, Job, Launcher, Limits, SandboxSpec, Sink};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

use crate::diagnostics;
use crate::home::Home;
use crate::proc_fault;
use crate::recipe::{Recipe, Step, Unit, is_cxx};
use crate::toolchain::{Compiler, Flags};

/// More than any build prints that a person will read.
const OUTPUT_CAP: usize = 32 * 1024 * 1024;
/// The day that `__DATE__` tells, so that two builds of one source are the same: 1 January 1980.
const BUILD_DAY: &str = "315532800";
/// For programs that a build itself makes and runs, as `configure` does. LeakSanitizer looks into its own process from another
/// one, which the sandbox does not allow, and so ends every program as failed; and what a small tool forgets to give back is no
/// reason to end a build.
const SANITIZERS_IN_BUILD: &str = "detect_leaks=0:allocator_may_return_null=1";

/// What everything here is made with.
#[derive(Clone)]
pub(crate) struct Workshop {
    pub(crate) compiler: Compiler,
    pub(crate) cache: Arc<Cache>,
    pub(crate) launcher: Arc<Launcher>,
}

/// One build.
pub(crate) struct Build<'a> {
    pub(crate) workshop: &'a Workshop,
    pub(crate) recipe: &'a Recipe,
    pub(crate) home: &'a Home,
    pub(crate) flags: &'a Flags,
    /// Where a program of files is linked to, relative to the tree.
    pub(crate) program: Option<&'a Utf8Path>,
    pub(crate) log: &'a Utf8Path,
}

impl Build<'_> {
    /// Builds a tree that was never built, or what has changed in one that was.
    pub(crate) fn run(&self, from_scratch: bool) -> Result<(), LangError> {
        fs_err::create_dir_all(self.home.temporary())?;
        if from_scratch {
            self.home.wrappers().write(&self.workshop.compiler, self.flags)?;
            for step in self.recipe.preparation(self.home) {
                self.step(&step)?;
            }
        }
        for step in self.recipe.building(self.home) {
            self.step(&step)?;
        }
        if !self.recipe.units.is_empty() {
            self.compile_units()?;
        }
        Ok(())
    }

    /// Compiles what is newer than its object, then links.
    fn compile_units(&self) -> Result<(), LangError> {
        let wrappers = self.home.wrappers();
        let objects = self.home.path().join("objects");
        fs_err::create_dir_all(&objects)?;
        let mut link = Vec::new();
        for unit in &self.recipe.units {
            let object = objects.join(format!("{}.o", unit.source.as_str().replace('/', "__")));
            if self.is_stale(unit, &object)? {
                // A folder for results of builds is not part of a project.
                fs_err::create_dir_all(self.home.tree().join(&unit.folder))?;
                let compiler = if is_cxx(&unit.source) { wrappers.cxx() } else { wrappers.cc() };
                self.step(&self.compilation(unit, &compiler, &object))?;
            }
            link.push(object.to_string());
        }
        let is_cxx = self.recipe.units.iter().any(|unit| is_cxx(&unit.source));
        let compiler = if is_cxx { wrappers.cxx() } else { wrappers.cc() };
        let program = self.home.tree().join(self.program.unwrap_or(Utf8Path::new("program")));
        if let Some(folder) = program.parent() {
            fs_err::create_dir_all(folder)?;
        }
        let mut words = vec![compiler.to_string(), "-o".to_owned(), program.to_string()];
        words.extend(link);
        self.step(&Step { words, folder: self.home.tree() })
    }

    fn is_stale(&self, unit: &Unit, object: &Utf8Path) -> Result<bool, LangError> {
        let Ok(built) = fs_err::metadata(object).and_then(|data| data.modified()) else { return Ok(true) };
        Ok(fs_err::metadata(self.home.tree().join(&unit.source))?.modified()? >= built)
    }

    fn compilation(&self, unit: &Unit, compiler: &Utf8Path, object: &Utf8Path) -> Step {
        let tree = self.home.tree();
        let folder = tree.join(&unit.folder);
        let source = match unit.source.strip_prefix(&unit.folder) {
            Ok(inside) => inside.to_owned(),
            Err(_) => tree.join(&unit.source),
        };
        let mut words = vec![compiler.to_string()];
        words.extend(unit.options.iter().map(|option| option.replace("@ROOT@", tree.as_str())));
        words.extend(["-c".to_owned(), source.to_string(), "-o".to_owned(), object.to_string()]);
        Step { words, folder }
    }

    fn step(&self, step: &Step) -> Result<(), LangError> {
        let command = step.words.join(" ").replace(self.home.path().as_str(), "");
        let finished = self.job(step).run(&self.workshop.launcher).map_err(proc_fault)?;
        let output = finished.stdout.text();
        append_log(self.log, &[format!("$ {command}"), output.clone()])?;
        if finished.exit.success() {
            return Ok(());
        }
        let errors = diagnostics::errors(&output, &self.home.tree(), &step.folder);
        Err(failure(&command, &finished, &output, errors))
    }

    /// The streams are one, so that what make says of folders stands where it was said.
    fn job(&self, step: &Step) -> Job {
        let wrappers = self.home.wrappers();
        let path = std::env::var("PATH").unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".to_owned());
        let mut spec = SandboxSpec::scratch(self.home.path()).temporary(self.home.temporary());
        spec.read.extend(self.compiler_folder());
        Job::new("sh")
            .args(["-c", "exec \"$@\" 2>&1", "sh"])
            .args(&step.words)
            .cwd(&step.folder)
            .frozen_env(&self.home.temporary())
            .env("PATH", format!("{}:{path}", wrappers.folder()))
            .env("CC", wrappers.cc())
            .env("CXX", wrappers.cxx())
            .env("BONAFIX_CFLAGS", self.flags.compile.join(" "))
            .env("BONAFIX_LDFLAGS", [self.flags.link.as_slice(), &self.flags.program].concat().join(" "))
            .env("SOURCE_DATE_EPOCH", BUILD_DAY)
            .env("ASAN_OPTIONS", SANITIZERS_IN_BUILD)
            .stdout(Sink::Capture { cap: OUTPUT_CAP })
            .limits(Limits::build())
            .sandboxed(spec)
    }

    /// Where a compiler that lies outside of the system's folders has its headers and libraries.
    fn compiler_folder(&self) -> Option<Utf8PathBuf> {
        let real = self.workshop.compiler.cc.canonicalize_utf8().ok()?;
        real.parent()?.parent().map(Utf8Path::to_owned)
    }
}

fn failure(command: &str, finished: &Finished, output: &str, diagnostics: Vec<Diagnostic>) -> LangError {
    let count = diagnostics.len();
    if count > 0 {
        let summary = format!("{count} error{}", if count == 1 { "" } else { "s" });
        return LangError::DoesNotCompile { summary, diagnostics, in_tests: false };
    }
    let how = match finished.exit {
        Exit::Code(code) => format!("ended with {code}"),
        Exit::TimedOut => "did not finish within its time".to_owned(),
        other => format!("was ended from outside ({other:?})"),
    };
    LangError::BuildTool {
        summary: format!("`{}` {how}", first_words(command)),
        details: diagnostics::last_lines(output),
    }
}

/// Enough of a command to know it again.
fn first_words(command: &str) -> String {
    let mut text: String = command.chars().take(120).collect();
    if text.len() < command.len() {
        text.push('…');
    }
    text
}
