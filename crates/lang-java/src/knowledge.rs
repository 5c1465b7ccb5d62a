//! What is known of a program beyond its classes: inputs and constants from tests and sources, and what tests and
//! documentation say of each callable.
//!
//! | module | one line |
//! |---|---|
//! | `sources`, `unit` | source files, and what they declare |
//! | `types` | names and overloads, in terms of the catalog |
//! | `constant` | constants, as the compiler computes them |
//! | `interpret` | a test as a straight line of calls |
//! | `seeds`, `slices` | which tests, and the inputs in them |
//! | `capture`, `rebuild` | what tests were seen to pass, and inputs made of it |
//! | `literals` | constants of the change and around it |
//! | `javadoc`, `facts` | what is documented and tested |

pub(crate) mod capture;
mod constant;
mod facts;
mod interpret;
mod javadoc;
mod literals;
mod rebuild;
mod seeds;
mod slices;
mod sources;
mod types;
mod unit;

use std::collections::BTreeSet;

use bonafix_lang::ExploredVersion;
use bonafix_model::{Catalog, ElementKind, Knowledge, TestId, TreeChange, VersionRole};
use camino::{Utf8Path, Utf8PathBuf};

use facts::FactsBuilder;
use interpret::Ground;
use literals::{Miner, Places};
use seeds::Wanted;
use sources::{Classes, SourceSet};
use types::TypeIndex;

pub use capture::{Captured, WatchedMethod};
pub use seeds::Apartness;

/// Expressions nest as deep as somebody writes them.
const STACK: usize = 64 << 20;
/// Problems that are told one by one.
const MAX_PROBLEMS: usize = 50;

/// What there is to know it from.
#[derive(Debug, Clone, Copy)]
pub struct KnowledgeInput<'a> {
    /// In whose terms.
    pub catalog: &'a Catalog,
    /// Binary names of the classes that are explored.
    pub roots: &'a [String],
    /// The buggy tree.
    pub tree: &'a Utf8Path,
    /// Source files of the program, relative to the tree.
    pub sources: &'a [Utf8PathBuf],
    /// Source files of tests, relative to the tree.
    pub tests: &'a [Utf8PathBuf],
    /// The versions that are explored.
    pub versions: &'a [ExploredVersion<'a>],
    /// Tests that show the bug.
    pub failing: &'a [TestId],
    /// Tests that pass on the buggy version; empty if that is not known.
    pub passing: &'a [TestId],
}

/// How well tests came apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TestCounts {
    /// All calls that matter were said.
    pub whole: usize,
    /// Some were.
    pub in_part: usize,
    /// None was.
    pub not_at_all: usize,
}

/// What was gathered, and what is left to do.
#[derive(Debug, Clone, Default)]
pub struct Gathered {
    /// All but what leads to the change, which is for others to say.
    pub knowledge: Knowledge,
    /// How well the tests came apart.
    pub counts: TestCounts,
    /// Tests that did not come apart, or only in part: to be watched.
    pub unread: Vec<TestId>,
    /// Binary names of the classes that any version changes.
    pub changed: Vec<String>,
}

/// Gathers all that can be read from sources.
pub fn gather(input: &KnowledgeInput<'_>) -> Gathered {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || gather_here(input));
        match worker.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(gathered)) => gathered,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                let problems = vec![format!("tests were not read: {error}")];
                let knowledge = Knowledge { problems, ..Knowledge::default() };
                Gathered { knowledge, ..Gathered::default() }
            }
        }
    })
}

/// Adds what a run of tests was seen to pass to the program.
pub fn add_captured(knowledge: &mut Knowledge, catalog: &Catalog, captured: &Captured, failing: &[TestId]) {
    rebuild::add(knowledge, &TypeIndex::new(catalog), captured, failing);
}

fn gather_here(input: &KnowledgeInput<'_>) -> Gathered {
    let types = TypeIndex::new(input.catalog);
    let change = reference(input);
    let tests = SourceSet::read(input.tree, change, input.tests);
    let classes = Classes::new(&tests);
    let program_sources = SourceSet::read(input.tree, change, input.sources);
    let program = Classes::new(&program_sources);
    let (changed_classes, changed_methods) = changed(input);
    let mut wanted_classes = changed_classes.clone();
    wanted_classes.extend(input.roots.iter().filter(|root| !changed_classes.contains(root)).cloned());
    let wanted = Wanted {
        classes: &wanted_classes,
        methods: &changed_methods,
        failing: input.failing,
        passing: input.passing,
    };
    let files = wanted.files(&tests);
    let read =
        seeds::read_tests(Ground { types: &types, classes: &classes, program: &program }, &files, &wanted);
    let mut counts = TestCounts::default();
    let mut unread = Vec::new();
    let mut knowledge = Knowledge { literals: mine(input, &tests, &changed_classes), ..Knowledge::default() };
    let mut facts = FactsBuilder::new(&types);
    for test in &read {
        let problem = match test.apartness(&types) {
            Apartness::Whole => {
                counts.whole += 1;
                None
            }
            Apartness::InPart => {
                counts.in_part += 1;
                let left_out: Vec<&str> = test.left_out().into_iter().take(3).collect();
                Some(format!("{}: left out {}", test.id, left_out.join(", ")))
            }
            Apartness::NotAtAll => {
                counts.not_at_all += 1;
                Some(format!("{}: no call of the program was understood", test.id))
            }
        };
        if problem.is_some() {
            unread.push(test.id.clone());
        }
        knowledge.problems.extend(problem.filter(|_| knowledge.problems.len() < MAX_PROBLEMS));
        facts.add_test(test);
        let precisions = test.readings.iter().filter_map(|reading| reading.precision);
        knowledge.precision = precisions.chain(knowledge.precision).reduce(f64::max);
    }
    facts.add_documentation(&program);
    knowledge.facts = facts.finish();
    knowledge.seeds = seeds::seeds(&read, &types);
    Gathered { knowledge, counts, unread, changed: changed_classes }
}

/// What makes the reference of the buggy version, where there is one.
fn reference<'a>(input: &KnowledgeInput<'a>) -> Option<&'a TreeChange> {
    input.versions.iter().find(|version| version.role == VersionRole::Reference).map(|version| version.change)
}

/// Names of the classes and methods that any version changes.
fn changed(input: &KnowledgeInput<'_>) -> (Vec<String>, Vec<String>) {
    let elements = || input.versions.iter().flat_map(|version| version.delta.elements());
    let classes: BTreeSet<String> = elements()
        .filter(|element| element.kind != ElementKind::File)
        .flat_map(|element| {
            // A test names the class around an anonymous or a nested one.
            let outermost = element.owner.split('$').next().unwrap_or_default().to_owned();
            [element.owner.clone(), outermost]
        })
        .filter(|name| {
            !name.rsplit('$').next().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_digit()))
        })
        .collect();
    let methods: BTreeSet<String> = elements()
        .filter_map(|element| match element.kind {
            ElementKind::Method => Some(element.member.clone()),
            ElementKind::Constructor => element.owner.rsplit(['.', '$']).next().map(str::to_owned),
            _ => None,
        })
        .collect();
    (classes.into_iter().collect(), methods.into_iter().collect())
}

/// Constants of all versions of the changed files, and of the tests that mention the changed classes.
fn mine(
    input: &KnowledgeInput<'_>,
    tests: &SourceSet,
    changed: &[String],
) -> Vec<bonafix_model::MinedLiteral> {
    let mut miner = Miner::default();
    for version in input.versions {
        for file in &version.delta.files {
            for before in [true, false] {
                let mut places = Places::default();
                file.elements.iter().for_each(|element| places.add(element, before));
                let change = (!before).then_some(version.change);
                if let Some(text) = sources::read(input.tree, change, &file.path)
                    && file.path.extension() == Some("java")
                {
                    miner.changed(text, &places);
                }
            }
        }
    }
    let simple: Vec<&str> = changed.iter().filter_map(|name| name.rsplit(['.', '$']).next()).collect();
    for file in tests.files().iter().filter(|file| simple.iter().any(|name| file.mentions(name))) {
        miner.test(file);
    }
    miner.finish()
}
