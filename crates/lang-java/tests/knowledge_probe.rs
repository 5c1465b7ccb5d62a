//! Says how the tests of any project come apart:
//! `BONAFIX_PROBE=/tree BONAFIX_PROBE_CLASSES=/classes:/lib.jar BONAFIX_PROBE_ROOTS=p.A,p.B cargo test --test knowledge_probe -- --ignored --nocapture`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use bonafix_lang::RunScope;
use bonafix_lang_java::knowledge::{Gathered, KnowledgeInput, gather};
use bonafix_lang_java::toolchain::Jdk;
use bonafix_lang_java::{Arena, ArenaConfig, ArenaSubject};
use bonafix_model::{Ending, Sequence, SequenceOutcome};
use bonafix_proc::{Launcher, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

#[test]
#[ignore = "needs a project to look at, named by BONAFIX_PROBE, and its classes"]
fn tests_of_a_project_on_disk_come_apart() {
    let tree = Utf8PathBuf::from(std::env::var("BONAFIX_PROBE").unwrap());
    let classes = std::env::var("BONAFIX_PROBE_CLASSES").unwrap();
    let classes: Vec<Utf8PathBuf> = classes.split(':').map(Utf8PathBuf::from).collect();
    let mut files: Vec<Utf8PathBuf> = walkdir::WalkDir::new(&tree)
        .into_iter()
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.unwrap().into_path()).ok())
        .filter(|path| path.extension() == Some("java"))
        .map(|path| path.strip_prefix(&tree).unwrap().to_owned())
        .collect();
    files.sort();
    let (tests, sources): (Vec<_>, Vec<_>) =
        files.into_iter().partition(|path| path.as_str().contains("/test/"));
    let folder = tempfile::tempdir().unwrap();
    let scratch = Utf8Path::from_path(folder.path()).unwrap();
    let cache = Cache::open(&Utf8PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache")).unwrap();
    let launcher = Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap());
    for root in std::env::var("BONAFIX_PROBE_ROOTS").unwrap().split(',') {
        let roots = vec![root.to_owned()];
        let subject =
            ArenaSubject { versions: vec![classes.clone()], roots: roots.clone(), ..ArenaSubject::default() };
        let jdk = Jdk::find(None).unwrap();
        let mut arena =
            Arena::open(subject, ArenaConfig::default(), &jdk, &cache, &launcher, scratch).unwrap();
        let started = Instant::now();
        let Gathered { knowledge, counts, .. } = gather(&KnowledgeInput {
            catalog: arena.catalog(),
            roots: &roots,
            tree: &tree,
            sources: &sources,
            tests: &tests,
            versions: &[],
            failing: &[],
            passing: &[],
        });
        let took = started.elapsed();
        let sequences: Vec<Sequence> = knowledge.seeds.iter().map(|seed| seed.sequence.clone()).collect();
        let scope = RunScope { show_all: true, ..RunScope::default() };
        let outcomes = arena.run_in(&sequences, &scope).unwrap();
        let mut fates: BTreeMap<&str, usize> = BTreeMap::new();
        let mut exceptions: BTreeMap<String, usize> = BTreeMap::new();
        for (outcome, sequence) in outcomes.iter().zip(&sequences) {
            let fate = match outcome {
                SequenceOutcome::Same { summary, .. } if summary.unfit => "unfit",
                SequenceOutcome::Same { summary, .. } if summary.threw => "threw",
                SequenceOutcome::Same { .. } => "completed",
                _ => "failed",
            };
            *fates.entry(fate).or_default() += 1;
            if let SequenceOutcome::Same { observation: Some(observation), .. } = outcome
                && let Ending::Threw { exception, .. } = &observation.ending
            {
                let place = exception.thrown_by.clone().unwrap_or_default();
                *exceptions.entry(format!("{} in {place}", exception.type_name)).or_default() += 1;
            }
            if fate == "unfit" && std::env::var_os("BONAFIX_PROBE_UNFIT").is_some() {
                println!("unfit: {sequence:?}");
            }
        }
        println!(
            "{root}: {counts:?}, seeds {fates:?}, precision {:?}, callables {} of which tested {}, took {:.1} s",
            knowledge.precision,
            arena.catalog().callables.len(),
            knowledge.facts.values().filter(|facts| facts.tested).count(),
            took.as_secs_f64(),
        );
        let mut exceptions: Vec<(usize, String)> =
            exceptions.into_iter().map(|(name, count)| (count, name)).collect();
        exceptions.sort();
        for (count, name) in exceptions.iter().rev().take(5) {
            println!("    {count} times {name}");
        }
        for problem in knowledge.problems.iter().take(12) {
            println!("    {problem}");
        }
    }
}
