//! A search in a Java program: versions with probes in them, side by side in the arena, and what inputs should bring
//! about there.
//!
//! | module | one line |
//! |---|---|
//! | `instrumented` | class folders with probes |
//! | `changes` | what the deltas say of each version |
//! | `goals` | from changed lines and probes to goals |
//! | `callgraph` | from where changed code can be reached |

mod callgraph;
mod changes;
mod goals;
mod instrumented;

use std::collections::BTreeSet;
use std::sync::Arc;

use bonafix_lang::{LangError, Run, RunScope};
use bonafix_model::{Catalog, Confirmation, Delta, Goal, Notice, Ran, Sequence, Target, VersionRole};
use bonafix_proc::Launcher;
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

use crate::arena::{Arena, ArenaConfig, ArenaProbes, ArenaSubject};
use crate::base::Base;
use crate::class_index::Side;
use crate::classfile::{IdSpace, MethodName};
use crate::overlay::VersionClasses;
use crate::toolchain::Jdk;
use callgraph::{CallGraph, ClassCalls, Distances, without_anonymous};
use changes::Changes;
use instrumented::{PreparedFolder, ProbedVersion};

pub use instrumented::Preparation;

/// Classes whose members are listed first; more are found from what they mention.
const MAX_ROOTS: usize = 40;
/// Problems that are named in a notice.
const SHOWN_PROBLEMS: usize = 5;

/// One version, as class folders.
#[derive(Debug, Clone)]
pub struct VersionFolders<'a> {
    /// The part it plays.
    pub role: VersionRole,
    /// What it changes; empty for the buggy version.
    pub delta: &'a Delta,
    /// Class folders of all modules, first match first.
    pub folders: Vec<Utf8PathBuf>,
}

/// What to search in.
#[derive(Debug, Clone)]
pub struct ExploreSubject<'a> {
    /// The reference first, then the patched version, then the buggy one.
    pub versions: Vec<VersionFolders<'a>>,
    /// Class path that is the same for all of them.
    pub libraries: Vec<Utf8PathBuf>,
}

/// What it is done with.
#[derive(Clone, Copy)]
pub struct ExploreTools<'a> {
    /// The JDK that runs the versions.
    pub jdk: &'a Jdk,
    /// Where our own classes are kept.
    pub cache: &'a Cache,
    /// Starts the VM.
    pub launcher: &'a Arc<Launcher>,
    /// Folders that have probes already.
    pub preparation: &'a Preparation,
    /// A folder of its own for this search.
    pub scratch: &'a Utf8Path,
}

/// Versions of a Java program in which inputs run.
pub struct JavaRun {
    arena: Arena,
    goals: Vec<Goal>,
    targets: Vec<Target>,
}

impl JavaRun {
    /// What leads to the change, nearest first.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Binary names of the classes whose members are listed first.
    pub fn roots(&self) -> &[String] {
        self.arena.roots()
    }

    /// The VM behind it.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }
}

impl Run for JavaRun {
    fn catalog(&self) -> &Catalog {
        self.arena.catalog()
    }

    fn goals(&self) -> &[Goal] {
        &self.goals
    }

    fn run(&mut self, inputs: &[Sequence], scope: &RunScope) -> Result<Vec<Ran>, LangError> {
        self.arena.explore(inputs, scope)
    }

    fn confirm(
        &mut self,
        input: &Sequence,
        repetitions: u32,
        scope: &RunScope,
    ) -> Result<Vec<Confirmation>, LangError> {
        self.arena.confirm(input, repetitions, scope)
    }
}

/// Prepares versions for a search: puts probes in, finds goals and what leads to the change, starts the VM.
pub fn open(
    subject: &ExploreSubject<'_>,
    config: ArenaConfig,
    tools: &ExploreTools<'_>,
) -> Result<(JavaRun, Vec<Notice>), LangError> {
    let changes = Changes::new(subject.versions.iter().map(|version| version.delta).collect());
    let owners = changes.owners();
    let mut ids = IdSpace::default();
    let mut probed: Vec<ProbedVersion> = Vec::new();
    let mut prepared: Vec<Vec<Arc<PreparedFolder>>> = Vec::new();
    let mut paths: Vec<Vec<Utf8PathBuf>> = Vec::new();
    for (number, version) in subject.versions.iter().enumerate() {
        let folders: Vec<Utf8PathBuf> =
            version.folders.iter().filter(|folder| folder.is_dir()).cloned().collect();
        let target = tools.scratch.join(format!("version-{number}"));
        probed.push(instrumented::probe(&folders, &owners, &target, &mut ids)?);
        let below =
            folders.iter().map(|folder| tools.preparation.folder(folder)).collect::<Result<Vec<_>, _>>()?;
        let mut path = vec![target];
        path.extend(below.iter().map(|folder| folder.classes.clone()));
        // Resources lie beside the classes as they were.
        path.extend(folders);
        paths.push(path);
        prepared.push(below);
    }
    let roles: Vec<VersionRole> = subject.versions.iter().map(|version| version.role).collect();
    let found = goals::goals(&changes, &roles, &probed);
    let graph = CallGraph::new(calls(&prepared, &probed));
    let distances = graph.distances(&found.changed);
    let arena_subject = ArenaSubject {
        versions: paths,
        libraries: subject.libraries.iter().filter(|path| path.exists()).cloned().collect(),
        roots: roots(&owners.into_iter().collect::<Vec<_>>(), &distances),
        hierarchy: graph.hierarchy(),
        probes: ArenaProbes {
            blocks: ids.blocks,
            branches: ids.branches,
            reach: found.reach.into_iter().collect(),
            goals: found.atoms,
        },
    };
    let scratch = tools.scratch.join("arena");
    let arena = Arena::open(arena_subject, config, tools.jdk, tools.cache, tools.launcher, &scratch)?;
    let targets = distances.targets(&graph, arena.catalog());
    let notices = notices(&prepared, &probed, arena.problems());
    Ok((JavaRun { arena, goals: found.list, targets }, notices))
}

/// The methods that versions change, whichever of them has each, by internal name of the class.
pub(crate) fn changed_methods(
    versions: &[VersionFolders<'_>],
    scratch: &Utf8Path,
) -> Result<BTreeSet<(String, MethodName)>, LangError> {
    let changes = Changes::new(versions.iter().map(|version| version.delta).collect());
    let owners = changes.owners();
    let mut ids = IdSpace::default();
    let mut probed = Vec::new();
    for (number, version) in versions.iter().enumerate() {
        let target = scratch.join(number.to_string());
        probed.push(instrumented::probe(&version.folders, &owners, &target, &mut ids)?);
    }
    let roles: Vec<VersionRole> = versions.iter().map(|version| version.role).collect();
    Ok(goals::changed_methods(&changes, &roles, &probed))
}

/// Class folders of the main code of all modules in a version, for [`VersionFolders::folders`].
pub(crate) fn main_folders(base: &Base, classes: &VersionClasses) -> Vec<Utf8PathBuf> {
    let modules = 0..base.layout.modules.len();
    modules.flat_map(|module| classes.folders(base, module, Side::Main)).collect()
}

/// What all modules have on their class paths, for [`ExploreSubject::libraries`].
pub(crate) fn libraries(base: &Base) -> Vec<Utf8PathBuf> {
    let mut found: Vec<Utf8PathBuf> = Vec::new();
    for entry in base.layout.modules.iter().flat_map(|module| &module.classpath) {
        if !found.contains(entry) {
            found.push(entry.clone());
        }
    }
    found
}

/// All classes of the first version, and changed ones of all versions.
fn calls<'a>(
    prepared: &'a [Vec<Arc<PreparedFolder>>],
    probed: &'a [ProbedVersion],
) -> impl Iterator<Item = &'a ClassCalls> {
    let all = prepared.first().into_iter().flatten().flat_map(|folder| &folder.calls);
    all.chain(probed.iter().flat_map(|version| &version.calls))
}

/// Binary names of the classes to begin with.
fn roots(owners: &[String], distances: &Distances) -> Vec<String> {
    let mut roots: Vec<String> = Vec::new();
    let owners = owners.iter().map(|owner| owner.replace('/', "."));
    for class in owners.chain(distances.classes()) {
        let named = without_anonymous(&class).to_owned();
        if roots.len() < MAX_ROOTS && !roots.contains(&named) {
            roots.push(named);
        }
    }
    roots
}

fn notices(
    prepared: &[Vec<Arc<PreparedFolder>>],
    probed: &[ProbedVersion],
    unreadable: &[String],
) -> Vec<Notice> {
    let mut lacking: Vec<&String> = prepared
        .iter()
        .flatten()
        .flat_map(|folder| &folder.problems)
        .chain(probed.iter().flat_map(|version| &version.problems))
        .collect();
    lacking.sort();
    lacking.dedup();
    let mut notices = Vec::new();
    if !lacking.is_empty() {
        let text =
            format!("{} classes or methods run without some probes: {}", lacking.len(), some(&lacking));
        notices.push(Notice::new("probes-missing", text));
    }
    if !unreadable.is_empty() {
        let text = format!(
            "{} classes could not be listed for inputs: {}",
            unreadable.len(),
            some(&unreadable.iter().collect::<Vec<_>>())
        );
        notices.push(Notice::new("classes-unreadable", text));
    }
    notices
}

fn some(problems: &[&String]) -> String {
    let shown: Vec<&str> = problems.iter().take(SHOWN_PROBLEMS).map(|problem| problem.as_str()).collect();
    let more = if problems.len() > SHOWN_PROBLEMS { "; …" } else { "" };
    format!("{}{more}", shown.join("; "))
}
