//! What the user points at: a described case, a project with patches, or revisions. All end in a [`Description`].

use bonafix_model::{CaseConfig, FileEdit, Notice, ProjectConfig, TreeChange};
use bonafix_proc::Launcher;
use camino::{Utf8Path, Utf8PathBuf};

use crate::config_file::{self, CASE_FILE, ConfigError, PROJECT_FILE};
use crate::git::{Checkout, GitError, RevisionChange};
use crate::patch::{Folder, PatchError, PatchSet};

/// Where a changed version comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeSource {
    /// A diff.
    Diff(Vec<u8>),
    /// Contents of files.
    Tree(TreeChange),
}

/// A patch or a reference, with the name it has in reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedChange {
    /// File name, revision range or `stdin`.
    pub name: String,
    /// What it is.
    pub source: ChangeSource,
}

impl NamedChange {
    /// The change it makes to the tree at `root`, with notes on how a diff applied.
    pub fn resolve(&self, root: &Utf8Path) -> Result<(TreeChange, Vec<String>), PatchError> {
        match &self.source {
            ChangeSource::Tree(change) => Ok((change.clone(), Vec::new())),
            ChangeSource::Diff(bytes) => {
                let folder = Folder::open(root).map_err(|source| PatchError::Io {
                    patch: self.name.clone(),
                    file: root.to_owned(),
                    source,
                })?;
                let applied = PatchSet::parse(&self.name, bytes)?.apply(&folder)?;
                Ok((TreeChange { files: applied.change }, applied.notes))
            }
        }
    }
}

/// Everything that a check needs to know, before anything runs.
#[derive(Debug)]
pub struct Description {
    /// Name in reports.
    pub name: String,
    /// The buggy tree. Never written to.
    pub root: Utf8PathBuf,
    /// How it is built and tested.
    pub config: ProjectConfig,
    /// A trusted fix.
    pub reference: Option<NamedChange>,
    /// What to judge.
    pub patches: Vec<NamedChange>,
    /// What the user should know.
    pub notices: Vec<Notice>,
    /// A private tree of the base revision, gone with the description.
    _tree: Option<tempfile::TempDir>,
}

/// Why a subject cannot be described.
#[derive(Debug, thiserror::Error)]
pub enum DescriptionError {
    /// A configuration file is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A file or folder cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// git cannot tell.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The command line makes no sense; the message says what does.
    #[error("{0}")]
    Usage(String),
    /// The reference does not apply.
    #[error("the reference {name} does not apply: {source}")]
    Reference {
        /// Its name.
        name: String,
        /// Why.
        source: PatchError,
    },
}

/// A patch on the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchArgument {
    /// A file.
    File(Utf8PathBuf),
    /// Standard input, read already.
    Stdin(Vec<u8>),
}

/// What the command line says.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// A case's or a project's folder.
    pub folder: Utf8PathBuf,
    /// Patches to judge.
    pub patches: Vec<PatchArgument>,
    /// A diff, a folder or (with `base`) a revision.
    pub reference: Option<String>,
    /// Leave out the trusted fix that `case.toml` names.
    pub no_reference: bool,
    /// Revision with the bug.
    pub base: Option<String>,
    /// Revision with the fix; with `base` alone the work tree has it.
    pub head: Option<String>,
    /// Tests that show the bug; replaces what the configuration says.
    pub failing: Vec<String>,
    /// The only tests to run; replaces what the configuration says.
    pub tests: Vec<String>,
}

const HEAD_ALONE: &str = "`--head` needs `--base REV`, the revision with the bug";

/// Makes a description of what the command line says.
pub fn describe(request: &Request, launcher: &Launcher) -> Result<Description, DescriptionError> {
    if !request.folder.is_dir() {
        return Err(DescriptionError::Usage(not_a_folder(&request.folder)));
    }
    let mut description = match (&request.base, &request.head) {
        (Some(base), head) => from_revisions(request, base, head.as_deref(), launcher)?,
        (None, None) if request.folder.join(CASE_FILE).is_file() => from_case(request)?,
        (None, None) => from_project(request)?,
        (None, Some(_)) => return Err(DescriptionError::Usage(HEAD_ALONE.to_owned())),
    };
    if !request.failing.is_empty() {
        description.config.failing.clone_from(&request.failing);
    }
    if !request.tests.is_empty() {
        description.config.tests.only.clone_from(&request.tests);
    }
    Ok(description)
}

fn not_a_folder(folder: &Utf8Path) -> String {
    if folder.exists() {
        format!(
            "{folder} is a file; give the folder of a case (with {CASE_FILE}) or of a project, and patches by `--patch`"
        )
    } else {
        format!("{folder} does not exist; give the folder of a case (with {CASE_FILE}) or of a project")
    }
}

fn from_case(request: &Request) -> Result<Description, DescriptionError> {
    let file = request.folder.join(CASE_FILE);
    let case: CaseConfig = config_file::read(&file)?;
    let root = request.folder.join(&case.project);
    if !root.is_dir() {
        return Err(DescriptionError::Usage(format!("{file}: `project` names {root}, which is no folder")));
    }
    let reference = match (&request.reference, &case.reference) {
        (Some(given), _) => Some(reference(Utf8Path::new(given), &root)?),
        (None, Some(path)) if !request.no_reference => Some(reference(&request.folder.join(path), &root)?),
        (None, _) => None,
    };
    let patches = if request.patches.is_empty() {
        // Only the files: labels and expectations are for scoring and stay behind.
        case.patch.iter().map(|patch| read_patch(&request.folder, &patch.file)).collect::<Result<_, _>>()?
    } else {
        given_patches(request)?
    };
    if patches.is_empty() {
        return Err(DescriptionError::Usage(format!(
            "{file} has no [[patch]], and no `--patch FILE` was given"
        )));
    }
    Ok(Description {
        name: folder_name(&request.folder),
        root,
        config: case.project_config(),
        reference,
        patches,
        notices: Vec::new(),
        _tree: None,
    })
}

fn from_project(request: &Request) -> Result<Description, DescriptionError> {
    let patches = given_patches(request)?;
    if patches.is_empty() {
        return Err(DescriptionError::Usage(format!(
            "nothing to judge: {} has no {CASE_FILE}, so give a patch by `--patch FILE` (or `--patch -` for standard \
             input), two revisions by `--base REV --head REV`, or the work tree by `--base REV`",
            request.folder
        )));
    }
    let reference = request.reference.as_ref().map(|given| reference(Utf8Path::new(given), &request.folder));
    Ok(Description {
        name: folder_name(&request.folder),
        root: request.folder.clone(),
        config: project_config(&request.folder)?,
        reference: reference.transpose()?,
        patches,
        notices: Vec::new(),
        _tree: None,
    })
}

fn from_revisions(
    request: &Request,
    base: &str,
    head: Option<&str>,
    launcher: &Launcher,
) -> Result<Description, DescriptionError> {
    if !request.patches.is_empty() {
        return Err(DescriptionError::Usage(
            "give either `--patch` or `--base` (with or without `--head`), not both".to_owned(),
        ));
    }
    let checkout = Checkout::open(&request.folder, launcher)?;
    let base_commit = checkout.commit("--base", base)?;
    let head_commit = checkout.commit("--head", head.unwrap_or("HEAD"))?;
    // What the reports call the fixed side.
    let fixed = head.unwrap_or("work tree");
    let buggy = checkout.merge_base(&base_commit, &head_commit)?;
    let mut notices = Vec::new();
    if buggy != base_commit {
        notices.push(Notice::new(
            "merge-base",
            format!(
                "{base} has moved on since {} left it; the buggy version is their common ancestor {}",
                head.unwrap_or("HEAD"),
                short(&buggy)
            ),
        ));
    }
    let tree = tempfile::tempdir()?;
    let top = Utf8PathBuf::from_path_buf(tree.path().join("tree")).map_err(|path| {
        DescriptionError::Usage(format!("the temporary folder {} is not UTF-8; set TMPDIR", path.display()))
    })?;
    fs_err::create_dir(&top)?;
    checkout.write_tree(&buggy, &top)?;
    let submodules = checkout.submodules(&buggy)?;
    if !submodules.is_empty() {
        notices.push(Notice::new("submodules", empty_submodules(&submodules)));
    }
    let root = checkout.subject_in(&top);
    if !root.is_dir() {
        return Err(DescriptionError::Usage(format!(
            "{} does not exist at {}",
            request.folder,
            short(&buggy)
        )));
    }
    let config = project_config(&root)?;
    let (patch, config) = if head.is_some() {
        (revision_change(&checkout, &buggy, &head_commit, &mut notices)?, config)
    } else {
        let mut patch = work_tree_change(&checkout, &buggy, &top, &mut notices)?;
        let config = new_settings(&request.folder, &root, &mut patch, &mut notices)?.unwrap_or(config);
        (patch, config)
    };
    if patch.is_empty() {
        return Err(DescriptionError::Usage(format!(
            "nothing differs between {base} and {} in {}",
            if head.is_some() { fixed } else { "the work tree" },
            request.folder
        )));
    }
    let reference = match &request.reference {
        None => None,
        Some(revision) => {
            let commit = checkout.commit("--reference", revision)?;
            let change = revision_change(&checkout, &buggy, &commit, &mut notices)?;
            Some(NamedChange { name: revision.clone(), source: ChangeSource::Tree(change) })
        }
    };
    Ok(Description {
        name: checkout.name().to_owned(),
        config,
        root,
        reference,
        patches: vec![NamedChange { name: format!("{base}..{fixed}"), source: ChangeSource::Tree(patch) }],
        notices,
        _tree: Some(tree),
    })
}

fn empty_submodules(submodules: &[Utf8PathBuf]) -> String {
    let names = submodules.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(", ");
    format!(
        "submodules are empty, because their files are in other repositories: {names}; where the build needs them, give \
         the change by `--patch FILE` in a checkout that has them"
    )
}

fn revision_change(
    checkout: &Checkout<'_>,
    from: &str,
    to: &str,
    notices: &mut Vec<Notice>,
) -> Result<TreeChange, DescriptionError> {
    Ok(carried_over(checkout.changes(from, to)?, short(to), notices))
}

fn work_tree_change(
    checkout: &Checkout<'_>,
    from: &str,
    tree: &Utf8Path,
    notices: &mut Vec<Notice>,
) -> Result<TreeChange, DescriptionError> {
    Ok(carried_over(checkout.work_tree_changes(from, tree)?, "the work tree", notices))
}

fn carried_over(difference: RevisionChange, to: &str, notices: &mut Vec<Notice>) -> TreeChange {
    if !difference.left_out.is_empty() {
        let text = format!(
            "not part of the subject, so left out of the change to {to}: {}",
            difference.left_out.join(", ")
        );
        notices.push(Notice::new("left-out", text));
    }
    difference.change
}

/// Settings in the work tree that the base lacks altogether are the user's and no part of the fix. Where the base has
/// some they hold, since a fix must not say how it is judged.
fn new_settings(
    folder: &Utf8Path,
    root: &Utf8Path,
    patch: &mut TreeChange,
    notices: &mut Vec<Notice>,
) -> Result<Option<ProjectConfig>, DescriptionError> {
    if root.join(PROJECT_FILE).is_file() || !folder.join(PROJECT_FILE).is_file() {
        return Ok(None);
    }
    patch.files.remove(Utf8Path::new(PROJECT_FILE));
    let text = format!("{PROJECT_FILE} is new in the work tree: it holds for both versions");
    notices.push(Notice::new("new-settings", text));
    project_config(folder).map(Some)
}

fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

fn project_config(folder: &Utf8Path) -> Result<ProjectConfig, DescriptionError> {
    let file = folder.join(PROJECT_FILE);
    if file.is_file() { Ok(config_file::read(&file)?) } else { Ok(ProjectConfig::default()) }
}

fn given_patches(request: &Request) -> Result<Vec<NamedChange>, DescriptionError> {
    request
        .patches
        .iter()
        .map(|patch| match patch {
            PatchArgument::File(file) => read_patch(Utf8Path::new(""), file),
            PatchArgument::Stdin(bytes) => {
                Ok(NamedChange { name: "stdin".to_owned(), source: ChangeSource::Diff(bytes.clone()) })
            }
        })
        .collect()
}

fn read_patch(folder: &Utf8Path, file: &Utf8Path) -> Result<NamedChange, DescriptionError> {
    let bytes = fs_err::read(folder.join(file))?;
    Ok(NamedChange { name: file.to_string(), source: ChangeSource::Diff(bytes) })
}

/// A reference is a diff, or a folder that holds the fixed project.
fn reference(path: &Utf8Path, root: &Utf8Path) -> Result<NamedChange, DescriptionError> {
    let source = if path.is_dir() {
        ChangeSource::Tree(compare_folders(root, path)?)
    } else {
        ChangeSource::Diff(fs_err::read(path)?)
    };
    Ok(NamedChange { name: path.to_string(), source })
}

/// What the files of `fixed` are other than those of `buggy`. A file that only `buggy` has counts as deleted only if it
/// is a source: a folder of a fixed project often lacks build output, scripts and data.
fn compare_folders(buggy: &Utf8Path, fixed: &Utf8Path) -> Result<TreeChange, DescriptionError> {
    let mut change = TreeChange::default();
    for relative in files_of(fixed) {
        let contents = fs_err::read(fixed.join(&relative))?;
        let before = buggy.join(&relative);
        if !before.is_file() || fs_err::read(&before)? != contents {
            change.files.insert(relative, FileEdit::Write(contents));
        }
    }
    for relative in files_of(buggy) {
        let source = matches!(relative.extension(), Some("java" | "c" | "h" | "cc" | "cpp" | "hpp"));
        if source && !fixed.join(&relative).is_file() {
            change.files.insert(relative, FileEdit::Delete);
        }
    }
    Ok(change)
}

fn files_of(folder: &Utf8Path) -> Vec<Utf8PathBuf> {
    walkdir::WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| {
            !matches!(entry.file_name().to_str(), Some(".git" | "target" | ".gradle" | ".svn"))
        })
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
        .filter_map(|path| path.strip_prefix(folder).ok().map(Utf8Path::to_owned))
        .collect()
}

fn folder_name(folder: &Utf8Path) -> String {
    let resolved = folder.canonicalize_utf8().unwrap_or_else(|_| folder.to_owned());
    resolved.file_name().unwrap_or("subject").to_owned()
}
