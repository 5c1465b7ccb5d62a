//! A project as a search sees it: versions side by side, what is known of them, and counterexamples.

use bonafix_lang::{
    Explore, ExploreRequest, Explored, LangError, QuestionDraft, Run, Tracer, WitnessDraft, WitnessError,
    WrittenWitness,
};
use bonafix_model::{Catalog, Knowledge, Notice, Sequence, TreeChange};
use camino::{Utf8Path, Utf8PathBuf};

use crate::arena::{Arena, ArenaConfig, ArenaSubject, ArenaTools};
use crate::explore::{self, ExploreSubject, ExploreTools, JavaRun, VersionFolders};
use crate::knowledge::{self, KnowledgeInput};
use crate::layout::Module;
use crate::project::JavaProject;
use crate::trace::JavaTracer;

impl Explore for JavaProject {
    fn tracer<'a>(
        &'a self,
        request: &ExploreRequest<'_>,
        log: &Utf8Path,
    ) -> Result<Box<dyn Tracer<Sequence> + 'a>, LangError> {
        Ok(Box::new(JavaTracer::open(self, request, log)?))
    }

    fn explore(&self, request: &ExploreRequest<'_>, log: &Utf8Path) -> Result<Explored, LangError> {
        let mut versions = Vec::new();
        for version in request.versions {
            let folders = self.main_folders(version.change, log)?;
            versions.push(VersionFolders { role: version.role, delta: version.delta, folders });
        }
        let (run, notices) = self.open_run(versions, request.heap_mib)?;
        let changes: Vec<&TreeChange> = request.versions.iter().map(|version| version.change).collect();
        self.keep_catalog(&changes, run.catalog())?;
        let knowledge = self.knowledge(request, &run, log)?;
        Ok(Explored { run: Box::new(run), knowledge, notices })
    }

    fn code_key(&self, change: &TreeChange, log: &Utf8Path) -> Result<String, LangError> {
        let buggy = self.main_folders(&TreeChange::default(), log)?;
        Ok(crate::code_key::of_folders(&self.main_folders(change, log)?, &buggy)?)
    }

    fn render(&self, catalog: &Catalog, input: &Sequence) -> Vec<String> {
        crate::witness::render(catalog, input)
    }

    fn write_witness(
        &self,
        draft: &WitnessDraft<'_>,
        folder: &Utf8Path,
        log: &Utf8Path,
    ) -> Result<WrittenWitness, WitnessError> {
        self.make_witness(draft, folder, log)
    }

    fn write_question(
        &self,
        draft: &QuestionDraft<'_>,
        folder: &Utf8Path,
        log: &Utf8Path,
    ) -> Result<String, WitnessError> {
        self.make_question(draft, folder, log)
    }
}

impl JavaProject {
    /// Versions side by side, with all that guides a search.
    pub(crate) fn open_run(
        &self,
        versions: Vec<VersionFolders<'_>>,
        heap_mib: u32,
    ) -> Result<(JavaRun, Vec<Notice>), LangError> {
        let subject = ExploreSubject { versions, libraries: self.libraries()? };
        let config = ArenaConfig { heap_mib, ..ArenaConfig::default() };
        let scratch = self.fresh_folder("search-")?;
        let tools = ExploreTools {
            jdk: self.jdk(),
            cache: self.cache(),
            launcher: self.launcher(),
            preparation: self.preparation()?,
            scratch: &scratch,
        };
        explore::open(&subject, config, &tools)
    }

    /// Versions side by side, to run inputs in that are made of what another VM has listed.
    pub(crate) fn open_arena(
        &self,
        subject: ArenaSubject,
        config: ArenaConfig,
        catalog: &Catalog,
        scratch: &Utf8Path,
    ) -> Result<Arena, LangError> {
        let tools = ArenaTools { jdk: self.jdk(), cache: self.cache(), launcher: self.launcher() };
        Arena::open_listed(subject, catalog, config, tools, scratch)
    }

    fn knowledge(
        &self,
        request: &ExploreRequest<'_>,
        run: &JavaRun,
        log: &Utf8Path,
    ) -> Result<Knowledge, LangError> {
        let base = self.base()?;
        let tree = base.tree();
        let files = |folders: fn(&Module) -> &[Utf8PathBuf]| {
            let folders = base.layout.modules.iter().flat_map(folders);
            java_files(&tree, folders)
        };
        let tests = files(|module| &module.tests);
        let sources = files(|module| &module.sources);
        let input = KnowledgeInput {
            catalog: run.catalog(),
            roots: run.roots(),
            tree: &tree,
            sources: &sources,
            tests: &tests,
            versions: request.versions,
            failing: request.failing,
            passing: request.passing,
        };
        let gathered = knowledge::gather(&input);
        let knowledge = self.add_watched(gathered, run.catalog(), request, log)?;
        let knowledge = Knowledge { targets: run.targets().to_vec(), ..knowledge };
        for (callable, facts) in &knowledge.facts {
            tracing::trace!(callable = %run.catalog().callables[*callable as usize].name, ?facts);
        }
        Ok(knowledge)
    }
}

/// Java sources below folders of a tree, relative to it.
fn java_files<'a>(tree: &Utf8Path, folders: impl Iterator<Item = &'a Utf8PathBuf>) -> Vec<Utf8PathBuf> {
    let below = |folder: &Utf8PathBuf| walkdir::WalkDir::new(tree.join(folder)).sort_by_file_name();
    let mut files: Vec<Utf8PathBuf> = folders
        .flat_map(below)
        .filter_map(Result::ok)
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
        .filter(|path| path.extension() == Some("java"))
        .filter_map(|path| path.strip_prefix(tree).ok().map(Utf8Path::to_owned))
        .collect();
    files.sort();
    files.dedup();
    files
}
