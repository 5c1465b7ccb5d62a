//! Says what tracing the tests and inputs of any project costs: `BONAFIX_PROBE=/tree BONAFIX_PROBE_PATCHED=/other-tree
//! BONAFIX_PROBE_TESTS=p.ATest,p.BTest cargo test --test trace_probe -- --ignored --nocapture`.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bonafix_lang::{Explore, ExploreRequest, ExploredVersion, Project, TestPlan, TraceLimits, Traced};
use bonafix_lang_java::JavaProject;
use bonafix_model::{
    Delta, FileEdit, JavaConfig, Sequence, TestId, TestSelection, TestsConfig, TreeChange, VersionRole,
};
use bonafix_proc::{Launcher, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

const INPUTS: usize = 100;
const LIMIT: Duration = Duration::from_mins(1);

/// Sums of what was traced.
#[derive(Debug, Default)]
struct Figures {
    not_reached: usize,
    same: usize,
    differ: usize,
    cut: usize,
    longest: usize,
    statements: usize,
    set_aside: BTreeMap<String, usize>,
}

impl Figures {
    fn add(&mut self, traced: Traced) {
        match traced {
            Traced::NotReached => self.not_reached += 1,
            Traced::SetAside(why) => *self.set_aside.entry(why).or_default() += 1,
            Traced::Both { buggy, patched } => {
                self.same += usize::from(buggy.statements == patched.statements);
                self.differ += usize::from(buggy.statements != patched.statements);
                self.cut += usize::from(buggy.cut || patched.cut);
                self.longest = self.longest.max(buggy.statements.len()).max(patched.statements.len());
                self.statements += buggy.statements.len() + patched.statements.len();
            }
        }
    }
}

fn patch(tree: &Utf8Path, patched: &Utf8Path) -> TreeChange {
    let mut change = TreeChange::default();
    for entry in walkdir::WalkDir::new(patched).into_iter().filter_map(Result::ok) {
        let path = Utf8PathBuf::from_path_buf(entry.into_path()).unwrap();
        if path.extension() == Some("java") {
            let relative = path.strip_prefix(patched).unwrap();
            let text = fs_err::read(&path).unwrap();
            if fs_err::read(tree.join(relative)).unwrap_or_default() != text {
                change.files.insert(relative.to_owned(), FileEdit::Write(text));
            }
        }
    }
    change
}

#[test]
#[ignore = "needs a project and a patched version of it to look at, named by BONAFIX_PROBE and BONAFIX_PROBE_PATCHED"]
fn what_tracing_costs() {
    let tree = Utf8PathBuf::from(std::env::var("BONAFIX_PROBE").unwrap());
    let change = patch(&tree, &Utf8PathBuf::from(std::env::var("BONAFIX_PROBE_PATCHED").unwrap()));
    let folder = tempfile::tempdir().unwrap();
    let log = Utf8Path::from_path(folder.path()).unwrap().join("log");
    let cache = Cache::open(&Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache")).unwrap();
    let launcher = Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap());
    let config = JavaConfig { release: Some(8), ..JavaConfig::default() };
    let project =
        JavaProject::open(&tree, &config, &TestsConfig::default(), Arc::new(cache), launcher).unwrap();
    let buggy = TreeChange::default();
    project.build(&buggy, &log).unwrap();
    project.build(&change, &log).unwrap();
    let delta = project.delta(&change).unwrap();
    let nothing = Delta::default();
    let versions = [
        ExploredVersion { role: VersionRole::Buggy, change: &buggy, delta: &nothing },
        ExploredVersion { role: VersionRole::Patched, change: &change, delta: &delta },
    ];
    let names = std::env::var("BONAFIX_PROBE_TESTS").unwrap();
    let classes: Vec<TestId> = names.split(',').map(|name| TestId(name.to_owned())).collect();
    let plan = TestPlan::new(TestSelection::Only(classes), LIMIT);
    project.run_tests(&buggy, &plan, &log, &mut |_, _| {}).unwrap();
    let started = Instant::now();
    let run = project.run_tests(&buggy, &plan, &log, &mut |_, _| {}).unwrap();
    let tests: Vec<TestId> = run.results.iter().map(|result| result.id.clone()).collect();
    let millis: u64 = run.results.iter().map(|result| result.millis).sum();
    println!(
        "{} tests, {millis} ms in tests, {:.1} s with the VM",
        tests.len(),
        started.elapsed().as_secs_f64()
    );

    let request = ExploreRequest { versions: &versions, failing: &[], passing: &tests, heap_mib: 512 };
    let statements = 1_000_000;
    let limits = TraceLimits { statements, deadline: None, test: LIMIT };
    for _ in 0..2 {
        let started = Instant::now();
        let mut tracer = project.tracer(&request, &log).unwrap();
        println!("prepared in {:.1} s", started.elapsed().as_secs_f64());
        let started = Instant::now();
        let mut figures = Figures::default();
        tracer.tests(&tests, &limits, &mut |_, traced| figures.add(traced)).unwrap();
        println!("tests, three times: {:.1} s, {figures:?}", started.elapsed().as_secs_f64());
        println!("{:?}", tracer.notices());
    }

    let explored = project.explore(&request, &log).unwrap();
    let inputs: Vec<Sequence> =
        explored.knowledge.seeds.iter().map(|seed| seed.sequence.clone()).take(INPUTS).collect();
    let mut tracer = project.tracer(&request, &log).unwrap();
    for _ in 0..2 {
        let started = Instant::now();
        let mut figures = Figures::default();
        tracer.inputs(&inputs, &limits, &mut |_, traced| figures.add(traced)).unwrap();
        println!("{} inputs: {:.1} s, {figures:?}", inputs.len(), started.elapsed().as_secs_f64());
    }
}
