//! Finds out which files of the tree a patch means, by trying.
//!
//! In this order, and the same for all files of the patch: the paths as written with 0, 1, 2, … leading components
//! taken off; then with a prefix of the tree put before what remains (for tools that write `org/foo/Bar.java`); then
//! with a prefix for each file. A way counts only if the hunks fit. Two ways that give different results are an error.
//! New files fit everywhere: they go the way of the others, and a patch of new files only goes by the headers and by
//! the folders that are there.

use std::collections::BTreeSet;

use camino::{Utf8Path, Utf8PathBuf};

use super::apply::{Attempt, Mapping, apply_mapped, components, strip_components};
use super::place::MAX_FUZZ;
use super::tree::Tree;
use super::{Applied, FileKind, FilePatch, PatchError, PatchSet};

/// Applies a patch under the one mapping of its paths that works.
pub(super) fn apply(set: &PatchSet, tree: &dyn Tree) -> Result<Applied, PatchError> {
    match find_way(set, tree, MAX_FUZZ) {
        Ok(attempt) if attempt.doubtful => {
            already_applied(set, tree, Strictness::SameLines).map_or(Ok(attempt.applied), Err)
        }
        Ok(attempt) => Ok(attempt.applied),
        Err(error) => Err(already_applied(set, tree, Strictness::AnyLines).unwrap_or(error)),
    }
}

/// How well the patch turned round must fit to prove that it is applied already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    /// Forward it fits somehow: turned round it must fit at the lines it names.
    SameLines,
    /// Forward it does not fit at all.
    AnyLines,
}

/// The error to give if the patch turned round fits. Creating a file fits everywhere and proves nothing.
fn already_applied(set: &PatchSet, tree: &dyn Tree, strictness: Strictness) -> Option<PatchError> {
    let reversed = set.reversed();
    let proof = reversed.files.iter().find(|file| file.kind != FileKind::Create && has_old_lines(file))?;
    let attempt = find_way(&reversed, tree, 0).ok()?;
    let file =
        attempt.applied.change.keys().next().map_or(proof.display_path(), |path| path.as_str()).to_owned();
    let fits = strictness == Strictness::AnyLines || !attempt.doubtful;
    fits.then(|| PatchError::AlreadyApplied { patch: set.name.clone(), file })
}

fn has_old_lines(file: &FilePatch) -> bool {
    file.hunks.iter().any(|hunk| hunk.old_side().next().is_some())
}

fn find_way(set: &PatchSet, tree: &dyn Tree, max_fuzz: usize) -> Result<Attempt, PatchError> {
    if set.files.iter().all(FilePatch::is_new) {
        return apply_mapped(set, tree, &Mapping::strip(level_for_new_files(set, tree)?), max_fuzz);
    }
    let levels = levels(set).map(Mapping::strip).collect();
    let mut failures = Failures::default();
    if let Some(found) = only_one(set, tree, levels, max_fuzz, &mut failures)? {
        return Ok(found);
    }
    if failures.worth_telling.is_none() {
        // A prefix is a guess about the path; guessing about the context as well would be one too many.
        if let Some(found) = with_prefixes(set, tree, &mut failures)? {
            return Ok(found);
        }
    }
    Err(failures.most_telling(set))
}

/// Levels to try; git's own first, so that its failure is the one reported.
fn levels(set: &PatchSet) -> impl Iterator<Item = usize> {
    let deepest =
        set.files.iter().flat_map(written_paths).map(|path| components(path).len()).max().unwrap_or(1);
    let first = usize::from(has_git_prefixes(set));
    std::iter::once(first).chain((0..deepest).filter(move |&level| level != first))
}

fn written_paths(file: &FilePatch) -> impl Iterator<Item = &str> {
    [file.old.as_deref(), file.new.as_deref()].into_iter().flatten()
}

/// Every path begins with one letter (`a/`, `b/`, or `i/`, `w/`, … with mnemonic prefixes).
fn has_git_prefixes(set: &PatchSet) -> bool {
    let is_git_side = |first: &str| matches!(first, "a" | "b" | "c" | "i" | "o" | "w");
    let mut paths = set.files.iter().flat_map(written_paths);
    paths.all(|path| path.split_once('/').is_some_and(|(first, _)| is_git_side(first)))
}

/// What went wrong under the mappings tried.
#[derive(Default)]
struct Failures {
    /// The first failure that is not about the file's absence.
    worth_telling: Option<PatchError>,
    escapes: Option<PatchError>,
    /// The file that was missing, and under which names.
    missing: Option<PatchError>,
    tried: Vec<Utf8PathBuf>,
}

impl Failures {
    fn add(&mut self, error: PatchError) {
        match error {
            PatchError::MissingFile { tried, .. } if self.missing.is_some() => self.tried.extend(tried),
            PatchError::MissingFile { patch, line, file, tried } => {
                self.tried.extend(tried);
                self.missing = Some(PatchError::MissingFile { patch, line, file, tried: Vec::new() });
            }
            PatchError::Escapes { .. } => self.escapes = self.escapes.take().or(Some(error)),
            other => self.worth_telling = self.worth_telling.take().or(Some(other)),
        }
    }

    fn most_telling(self, set: &PatchSet) -> PatchError {
        let missing = self.missing.map(|error| match error {
            PatchError::MissingFile { patch, line, file, .. } => {
                PatchError::MissingFile { patch, line, file, tried: self.tried }
            }
            other => other,
        });
        let nothing = || PatchError::Empty { patch: set.name.clone() };
        self.worth_telling.or(self.escapes).or(missing).unwrap_or_else(nothing)
    }
}

/// Tries all mappings; the result if exactly one comes out. Git's prefixes are a convention that decides a tie.
fn only_one(
    set: &PatchSet,
    tree: &dyn Tree,
    mappings: Vec<Mapping>,
    max_fuzz: usize,
    failures: &mut Failures,
) -> Result<Option<Attempt>, PatchError> {
    let mut found: Vec<Attempt> = Vec::new();
    for mapping in mappings {
        match apply_mapped(set, tree, &mapping, max_fuzz) {
            Ok(attempt) if found.iter().any(|other| other.applied.change == attempt.applied.change) => {}
            Ok(attempt) => found.push(attempt),
            Err(error) => failures.add(error),
        }
    }
    let git_decides = has_git_prefixes(set) && found.first().is_some_and(|first| first.applied.strip == 1);
    if found.len() > 1 && !git_decides {
        return Err(ambiguous(set, &found));
    }
    Ok(found.into_iter().next())
}

fn ambiguous(set: &PatchSet, found: &[Attempt]) -> PatchError {
    let candidates: BTreeSet<&Utf8PathBuf> =
        found.iter().flat_map(|attempt| attempt.applied.change.keys()).collect();
    let (line, file) = set.files.first().map(|file| (file.line, file.display_path())).unwrap_or_default();
    PatchError::AmbiguousPath {
        patch: set.name.clone(),
        line,
        file: file.to_owned(),
        candidates: candidates.into_iter().cloned().collect(),
    }
}

fn with_prefixes(
    set: &PatchSet,
    tree: &dyn Tree,
    failures: &mut Failures,
) -> Result<Option<Attempt>, PatchError> {
    let files = files_of(set, tree)?;
    for strip in levels_for_prefixes(set) {
        let candidates: Vec<Option<BTreeSet<Utf8PathBuf>>> =
            set.files.iter().map(|file| prefixes_of(file, strip, &files)).collect();
        let mut common = candidates.iter().flatten();
        let Some(first) = common.next() else { continue };
        let shared =
            common.fold(first.clone(), |shared, other| shared.intersection(other).cloned().collect());
        let same_for_all =
            shared.into_iter().map(|prefix| Mapping { strip, prefixes: vec![prefix; set.files.len()] });
        let mappings = if set.files.len() > 1 && same_for_all.len() == 0 {
            each_its_own(set, tree, strip, &candidates)?.into_iter().collect()
        } else {
            same_for_all.collect()
        };
        if let Some(found) = only_one(set, tree, mappings, 0, failures)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// A lone file name says too little, unless the patch says no more.
fn levels_for_prefixes(set: &PatchSet) -> impl Iterator<Item = usize> {
    let shortest =
        set.files.iter().flat_map(written_paths).map(|path| components(path).len()).min().unwrap_or(1);
    let git = usize::from(has_git_prefixes(set));
    git..(git + 1).max(shortest.saturating_sub(1))
}

fn files_of(set: &PatchSet, tree: &dyn Tree) -> Result<Vec<Utf8PathBuf>, PatchError> {
    let error = |source| PatchError::Io { patch: set.name.clone(), file: Utf8PathBuf::from("."), source };
    tree.files().map_err(error)
}

/// What stands before the path in the tree, wherever it ends a file's path; `None` for files that need not exist.
fn prefixes_of(file: &FilePatch, strip: usize, files: &[Utf8PathBuf]) -> Option<BTreeSet<Utf8PathBuf>> {
    if file.is_new() {
        return None;
    }
    let paths = if file.kind == FileKind::Modify { [&file.old, &file.new] } else { [&file.old, &None] };
    let mut prefixes = BTreeSet::new();
    for path in paths.into_iter().flatten().filter_map(|written| strip_components(written, strip)) {
        prefixes.extend(files.iter().filter_map(|candidate| prefix_before(candidate, &path)));
    }
    Some(prefixes)
}

fn prefix_before(candidate: &Utf8Path, path: &Utf8Path) -> Option<Utf8PathBuf> {
    let prefix = candidate.as_str().strip_suffix(path.as_str())?.strip_suffix('/')?;
    Some(Utf8PathBuf::from(prefix))
}

/// Every file under the only prefix where its own hunks fit; `None` if some file has no such prefix.
fn each_its_own(
    set: &PatchSet,
    tree: &dyn Tree,
    strip: usize,
    candidates: &[Option<BTreeSet<Utf8PathBuf>>],
) -> Result<Option<Mapping>, PatchError> {
    let mut prefixes = Vec::new();
    for (file, candidates) in set.files.iter().zip(candidates) {
        let Some(candidates) = candidates else { return Ok(None) };
        let alone = PatchSet { name: set.name.clone(), files: vec![file.clone()], notes: Vec::new() };
        let fits = |prefix: &&Utf8PathBuf| {
            let mapping = Mapping { strip, prefixes: vec![(*prefix).clone()] };
            apply_mapped(&alone, tree, &mapping, 0).is_ok()
        };
        let fitting: Vec<&Utf8PathBuf> = candidates.iter().filter(fits).collect();
        match fitting.as_slice() {
            [] => return Ok(None),
            [only] => prefixes.push((*only).clone()),
            several => return Err(ambiguous_prefixes(&alone, strip, several)),
        }
    }
    Ok(Some(Mapping { strip, prefixes }))
}

fn ambiguous_prefixes(alone: &PatchSet, strip: usize, prefixes: &[&Utf8PathBuf]) -> PatchError {
    let (line, file) = alone.files.first().map(|file| (file.line, file.display_path())).unwrap_or_default();
    let path = strip_components(file, strip).unwrap_or_default();
    PatchError::AmbiguousPath {
        patch: alone.name.clone(),
        line,
        file: file.to_owned(),
        candidates: prefixes.iter().map(|prefix| prefix.join(&path)).collect(),
    }
}

/// A patch of new files only: they belong where the headers say, if that is a place in the tree; else where most of
/// their folders are; else where the headers say after all.
fn level_for_new_files(set: &PatchSet, tree: &dyn Tree) -> Result<usize, PatchError> {
    let files = files_of(set, tree)?;
    let folders: BTreeSet<&Utf8Path> = files.iter().flat_map(|file| file.ancestors().skip(1)).collect();
    let said = level_of_sides(set).or_else(|| has_git_prefixes(set).then_some(1));
    if let Some(level) = said.filter(|&level| begins_in_tree(set, level, &folders)) {
        return Ok(level);
    }
    let first = said.unwrap_or(0);
    if let Some(level) = level_by_folders(set, first, &folders)? {
        return Ok(level);
    }
    let foreign =
        |path: &str| path.starts_with('/') || path.contains(":/") || components(path).contains(&"..");
    match set.files.iter().find(|file| foreign(file.display_path())) {
        Some(file) if said.is_none() => Err(PatchError::Escapes {
            patch: set.name.clone(),
            line: file.line,
            file: file.display_path().to_owned(),
        }),
        _ => Ok(first),
    }
}

/// `b/src/A.java` and `f/src/A.java` differ in the folders that were compared: what both end with is the file's path.
/// `None` if a file has no such pair or the pairs disagree.
fn level_of_sides(set: &PatchSet) -> Option<usize> {
    let mut levels = set.files.iter().map(|file| {
        let (old, new) = (components(file.old.as_deref()?), components(file.new.as_deref()?));
        let same = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
        (old != new && same > 0).then(|| new.len() - same)
    });
    let first = levels.next()??;
    levels.all(|level| level == Some(first)).then_some(first)
}

/// Every file would stand at the top of the tree or somewhere below a folder that is there.
fn begins_in_tree(set: &PatchSet, level: usize, folders: &BTreeSet<&Utf8Path>) -> bool {
    set.files.iter().all(|file| {
        let path = strip_components(file.display_path(), level);
        path.is_some_and(|path| match path.as_str().split_once('/') {
            Some((top, _)) => folders.contains(Utf8Path::new(top)),
            None => true,
        })
    })
}

/// The level under which most of the folders are in the tree; `None` if no level finds any for every file.
fn level_by_folders(
    set: &PatchSet,
    first: usize,
    folders: &BTreeSet<&Utf8Path>,
) -> Result<Option<usize>, PatchError> {
    let found: Vec<(usize, usize)> = levels(set)
        .filter(|&level| level >= first)
        .filter_map(|level| Some((level, found_folders(set, level, folders)?)))
        .collect();
    let Some(best) = found.iter().map(|(_, found)| *found).max() else { return Ok(None) };
    let best: Vec<usize> =
        found.iter().filter(|(_, found)| *found == best).map(|(level, _)| *level).collect();
    match best.as_slice() {
        [level] => Ok(Some(*level)),
        // As it is written it makes sense; to take something off would be a guess.
        several if several.contains(&first) => Ok(Some(first)),
        several => Err(ambiguous_levels(set, several)),
    }
}

/// How many of the files' folders are in the tree, from the top; `None` if a file has none there.
fn found_folders(set: &PatchSet, level: usize, folders: &BTreeSet<&Utf8Path>) -> Option<usize> {
    let is_there = |folder: &&Utf8Path| !folder.as_str().is_empty() && folders.contains(folder);
    let found = set.files.iter().map(|file| {
        let path = strip_components(file.display_path(), level)?;
        path.ancestors().skip(1).find(is_there).map(|folder| folder.components().count())
    });
    found.sum()
}

fn ambiguous_levels(set: &PatchSet, levels: &[usize]) -> PatchError {
    let (line, file) = set.files.first().map(|file| (file.line, file.display_path())).unwrap_or_default();
    PatchError::AmbiguousPath {
        patch: set.name.clone(),
        line,
        file: file.to_owned(),
        candidates: levels.iter().filter_map(|&level| strip_components(file, level)).collect(),
    }
}
