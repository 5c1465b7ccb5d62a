//! Which statements tests and inputs run, in the buggy and in the patched version.
//!
//! A statement is a line of a source; the same number is the same line in both versions, wherever it stands. What runs is told
//! by the runtime block by block (`runtime/c/trace.c`), and a block is told as all its lines. So the lines behind a call stand
//! before those of the function that it calls, in both versions alike.
//!
//! | module | one line |
//! |---|---|
//! | `records` | the files in which processes leave what they ran |
//! | `blocks` | the lines of blocks, and the functions that they belong to |
//! | `numbers` | the numbers of statements, and which functions are changed |
//! | `path` | from events to statements, with the parts inside of changed functions |
//!
//! # Memory
//!
//! A process writes at most [`TraceLimits::statements`] events of four bytes; three traces are in memory at a time.

mod blocks;
mod numbers;
mod path;
mod records;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bonafix_delta::{Numbers, Side};
use bonafix_lang::{FuzzRequest, LangError, OnTrace, TestPlan, TraceLimits, Traced, Tracer};
use bonafix_model::{
    CodePlace, Delta, Notice, ProgramEnd, ProgramInput, TestId, TestOutcome, TestSelection, Trace,
    TreeChange, VersionRole,
};
use camino::{Utf8Path, Utf8PathBuf};

use self::blocks::Blocks;
use self::numbers::Lines;
use self::records::Recorded;
use crate::configuration;
use crate::ground::Ground;
use crate::project::CProject;
use crate::suite::Kind;
use crate::variant::Variant;

/// How much slower a program may be when it is traced.
const SLOWER: u32 = 4;
const NO_TIME: &str = "there was no time left for it";
const UNSTEADY: &str = "it does not run the same statements when it is run again";

/// Traces executions of a C program.
pub(crate) struct CTracer<'a> {
    project: &'a CProject,
    buggy: Place,
    patched: Place,
    /// What leads from the buggy version to the patched one.
    delta: Delta,
    numbers: Numbers,
    kinds: BTreeMap<TestId, Kind>,
    notices: Vec<Notice>,
}

/// Where a version is traced.
struct Place {
    ground: Ground,
    /// The test files that belong to it.
    originals: Utf8PathBuf,
    /// What is known of programs, by what they tell of their blocks.
    known: HashMap<String, Arc<Blocks>>,
}

/// How an execution ended.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Test(TestOutcome),
    Program(ProgramEnd),
}

/// One execution, or why it says nothing.
type Run = Result<(End, Trace), String>;

impl<'a> CTracer<'a> {
    /// Builds the buggy and the patched version of a request for tracing.
    pub(crate) fn open(
        project: &'a CProject,
        request: &FuzzRequest<'_>,
        log: &Utf8Path,
    ) -> Result<Self, LangError> {
        if !project.workshop.compiler.is_clang {
            return Err(configuration("traces need clang: set `c.compiler`"));
        }
        let patched = request.versions.iter().find(|version| version.role == VersionRole::Patched);
        let patched =
            patched.ok_or_else(|| LangError::Internal("there is no patched version to trace".to_owned()))?;
        let limit = request.limit * SLOWER;
        let buggy = Place::open(project, &TreeChange::default(), limit, log)?;
        let place = Place::open(project, patched.change, limit, log)?;
        let plan = TestPlan::new(TestSelection::all(), limit);
        let program = project.program()?;
        let stand = project.stand(&buggy.ground.home, program.as_deref(), &buggy.originals);
        let kinds = project.list(&stand, &plan)?.into_iter().collect();
        Ok(Self {
            project,
            buggy,
            patched: place,
            delta: patched.delta.clone(),
            numbers: Numbers::default(),
            kinds,
            notices: Vec::new(),
        })
    }

    fn place(&mut self, side: Side) -> &mut Place {
        match side {
            Side::Buggy => &mut self.buggy,
            Side::Patched => &mut self.patched,
        }
    }

    /// Runs something twice in each version.
    fn compare(
        &mut self,
        limits: &TraceLimits,
        mut run: impl FnMut(&mut Self, Side) -> Result<Run, LangError>,
    ) -> Result<Traced, LangError> {
        let mut twice = |tracer: &mut Self, side: Side| -> Result<Run, LangError> {
            if is_late(limits) {
                return Ok(Err(NO_TIME.to_owned()));
            }
            let (first, again) = match (run(tracer, side)?, run(tracer, side)?) {
                (Ok(first), Ok(again)) => (first, again),
                (Err(why), _) | (_, Err(why)) => return Ok(Err(why)),
            };
            Ok(match () {
                () if first.0 != again.0 => Err("it does not end the same way twice".to_owned()),
                () if first.1 != again.1 => Err(UNSTEADY.to_owned()),
                () => Ok(first),
            })
        };
        let buggy = match twice(self, Side::Buggy)? {
            Ok((_, trace)) => trace,
            Err(why) => return Ok(Traced::SetAside(why)),
        };
        let patched = match twice(self, Side::Patched)? {
            Ok((End::Test(outcome), _)) if outcome != TestOutcome::Passed => {
                let why = "it does not pass on the patched version when it is traced";
                return Ok(Traced::SetAside(why.to_owned()));
            }
            Ok((_, trace)) => trace,
            Err(why) => return Ok(Traced::SetAside(why)),
        };
        let is_reached = buggy.reaches_change() || patched.reaches_change() || buggy.cut || patched.cut;
        Ok(if is_reached { Traced::Both { buggy, patched } } else { Traced::NotReached })
    }

    fn run_test(&mut self, test: &TestId, side: Side, limits: &TraceLimits) -> Result<Run, LangError> {
        let Some(&kind) = self.kinds.get(test) else {
            return Ok(Err("it is not among the tests of the project".to_owned()));
        };
        let project = self.project;
        let program = project.program()?;
        let place = self.place(side);
        let variables = place.begin(limits)?;
        let mut stand = project.stand(&place.ground.home, program.as_deref(), &place.originals);
        stand.env = &variables;
        let plan = TestPlan::new(TestSelection::all(), limits.test);
        let ran = stand.run(&[(test.clone(), kind)], &plan, &mut |_, _| ())?;
        place.ground.restore()?;
        let outcome = ran.results.first().map(|result| result.outcome);
        match outcome {
            Some(TestOutcome::TimedOut) | None => Ok(Err(no_end(side))),
            Some(outcome) => Ok(self.trace(side, limits)?.map(|trace| (End::Test(outcome), trace))),
        }
    }

    fn run_input(
        &mut self,
        input: &ProgramInput,
        side: Side,
        limits: &TraceLimits,
    ) -> Result<Run, LangError> {
        let place = self.place(side);
        let mut job = place.ground.job.clone();
        for (name, value) in place.begin(limits)? {
            job = job.env(name, value);
        }
        let given = place.ground.give(input);
        let end = place.ground.run(job, &given, input)?.end;
        if matches!(end, ProgramEnd::TimedOut | ProgramEnd::OverLimit(_)) {
            return Ok(Err(no_end(side)));
        }
        Ok(self.trace(side, limits)?.map(|trace| (End::Program(end), trace)))
    }

    /// What was run last.
    fn trace(&mut self, side: Side, limits: &TraceLimits) -> Result<Result<Trace, String>, LangError> {
        let folder = self.place(side).folder();
        let processes = match Recorded::read(&folder)? {
            Ok(processes) => processes,
            Err(why) => return Ok(Err(why)),
        };
        let mut followed = path::Path::new(limits.statements);
        for process in processes {
            let Some(blocks) = self.blocks(side, &process.places)? else {
                return Ok(Err("its trace cannot be read".to_owned()));
            };
            if !followed.follow(&process, &blocks) {
                return Ok(Err("its trace cannot be read".to_owned()));
            }
        }
        Ok(Ok(followed.finish()))
    }

    /// The blocks of a program, which are looked up when it is first met.
    fn blocks(&mut self, side: Side, places: &str) -> Result<Option<Arc<Blocks>>, LangError> {
        if let Some(known) = self.place(side).known.get(places) {
            return Ok(Some(Arc::clone(known)));
        }
        let tree = self.place(side).ground.home.tree();
        let mut lines = Lines::new(&mut self.numbers, side, &self.delta);
        let Some(blocks) = Blocks::find(places, &tree, &mut lines)? else { return Ok(None) };
        let blocks = Arc::new(blocks);
        self.place(side).known.insert(places.to_owned(), Arc::clone(&blocks));
        Ok(Some(blocks))
    }
}

impl Place {
    fn open(
        project: &CProject,
        change: &TreeChange,
        limit: Duration,
        log: &Utf8Path,
    ) -> Result<Self, LangError> {
        let ground = project.ground(change, Variant::Trace, limit, log)?;
        let originals = project.test_files(change)?;
        Ok(Self { ground, originals, known: HashMap::new() })
    }

    fn folder(&self) -> Utf8PathBuf {
        self.ground.home.path().join("trace")
    }

    /// Makes the folder empty; what tells programs to be traced.
    fn begin(&self, limits: &TraceLimits) -> Result<Vec<(String, String)>, LangError> {
        let folder = self.folder();
        if folder.exists() {
            fs_err::remove_dir_all(&folder)?;
        }
        fs_err::create_dir(&folder)?;
        Ok(vec![
            ("BONAFIX_TRACE".to_owned(), folder.into_string()),
            ("BONAFIX_TRACE_EVENTS".to_owned(), limits.statements.to_string()),
        ])
    }
}

impl Tracer<ProgramInput> for CTracer<'_> {
    fn tests(
        &mut self,
        tests: &[TestId],
        limits: &TraceLimits,
        on_trace: OnTrace<'_>,
    ) -> Result<(), LangError> {
        for (number, test) in tests.iter().enumerate() {
            let traced = self.compare(limits, |tracer, side| tracer.run_test(test, side, limits))?;
            on_trace(number, traced);
        }
        Ok(())
    }

    fn inputs(
        &mut self,
        inputs: &[ProgramInput],
        limits: &TraceLimits,
        on_trace: OnTrace<'_>,
    ) -> Result<(), LangError> {
        for (number, input) in inputs.iter().enumerate() {
            let traced = self.compare(limits, |tracer, side| tracer.run_input(input, side, limits))?;
            on_trace(number, traced);
        }
        Ok(())
    }

    fn changed_code(&self) -> BTreeMap<u32, CodePlace> {
        self.numbers.in_changed_methods(&self.delta)
    }

    fn notices(&self) -> Vec<Notice> {
        self.notices.clone()
    }
}

fn no_end(side: Side) -> String {
    let version = if side == Side::Buggy { "buggy" } else { "patched" };
    format!("it does not come to an end on the {version} version when it is traced")
}

fn is_late(limits: &TraceLimits) -> bool {
    limits.deadline.is_some_and(|deadline| Instant::now() >= deadline)
}
