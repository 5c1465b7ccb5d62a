//! The versions of a project: overlays over the buggy one, or built from scratch where a change reaches the build.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bonafix_lang::{LangError, apply_change};
use bonafix_model::{FileEdit, TreeChange};
use bonafix_store::{Key, KeyBuilder};
use camino::{Utf8Path, Utf8PathBuf};

use super::{JavaProject, Opened, lock};
use crate::base::{Base, is_no_source};
use crate::explore;
use crate::overlay::{OverlayBuild, VersionClasses};
use crate::store_fault;

/// Raise when what an entry holds changes its form.
const VERSION_ENTRY: &str = "java-version-2";

impl JavaProject {
    /// Class folders of the program itself in a version that was built.
    pub(crate) fn main_folders(
        &self,
        change: &TreeChange,
        log: &Utf8Path,
    ) -> Result<Vec<Utf8PathBuf>, LangError> {
        self.with_version(change, log, |opened, _, _, classes| {
            Ok(explore::main_folders(&opened.base, classes))
        })
    }

    /// Does the change reach beyond sources, so that the build tool itself must run?
    pub(super) fn touches_build(buggy: &Opened, change: &TreeChange) -> bool {
        change.files.keys().any(|path| buggy.base.layout.needs_full_build(path))
    }

    /// Builds the whole changed tree.
    pub(super) fn rebuild(
        &self,
        key: &Key,
        change: &TreeChange,
        log: &Utf8Path,
    ) -> Result<Arc<Opened>, LangError> {
        if let Some(found) = lock(&self.rebuilt)?.get(key.as_str()) {
            return Ok(Arc::clone(found));
        }
        let tree = self.fresh_folder("tree-")?;
        bonafix_store::copy_tree(&self.root, &tree, &|path| is_no_source(&self.root, path))
            .map_err(store_fault)?;
        apply_change(&tree, change)?;
        let opened = Arc::new(self.open_base(&tree, log)?);
        lock(&self.rebuilt)?.insert(key.as_str().to_owned(), Arc::clone(&opened));
        Ok(opened)
    }

    /// Calls `action` with what a version consists of.
    pub(super) fn with_version<T>(
        &self,
        change: &TreeChange,
        log: &Utf8Path,
        action: impl FnOnce(&Opened, &Key, &TreeChange, &VersionClasses) -> Result<T, LangError>,
    ) -> Result<T, LangError> {
        let buggy = self.opened()?;
        let key = version_key(&buggy.base, change);
        if Self::touches_build(buggy, change) {
            let opened = self.rebuild(&key, change, log)?;
            return action(&opened, &key, &TreeChange::default(), &VersionClasses::buggy());
        }
        let (classes, _) = self.version(buggy, &key, change, log)?;
        action(buggy, &key, change, &classes)
    }

    /// The classes of a version, and whether they were there already.
    pub(super) fn version(
        &self,
        opened: &Opened,
        key: &Key,
        change: &TreeChange,
        log: &Utf8Path,
    ) -> Result<(VersionClasses, bool), LangError> {
        if change.is_empty() {
            return Ok((VersionClasses::buggy(), opened.base.cached));
        }
        if let Some(found) = lock(&opened.versions)?.get(key.as_str()) {
            return Ok((found.clone(), true));
        }
        let inserted = self.workshop.cache.insert_with("java-version", key, |staging| {
            let work = opened.compiler.work_folder(self.next.fetch_add(1, Ordering::Relaxed))?;
            let build = OverlayBuild {
                base: &opened.base,
                workshop: &self.workshop,
                compiler: &opened.compiler,
                change,
                work: &work,
                log,
            };
            build.build()?;
            move_contents(&work, staging)
        });
        let inserted = inserted.map_err(|error| error.unify(store_fault))?;
        let classes = VersionClasses::overlay(inserted.path);
        lock(&opened.versions)?.insert(key.as_str().to_owned(), classes.clone());
        Ok((classes, inserted.built.is_none()))
    }
}

pub(super) fn version_key(base: &Base, change: &TreeChange) -> Key {
    let mut key = KeyBuilder::new(VERSION_ENTRY).part("base", base.key.as_str());
    for (path, edit) in &change.files {
        key = match edit {
            FileEdit::Write(contents) => key.part("write", path.as_str()).part("contents", contents),
            FileEdit::Delete => key.part("delete", path.as_str()),
        };
    }
    key.finish()
}

/// A change in a module that could not be built would go unnoticed.
pub(super) fn refuse_left_out(base: &Base, change: &TreeChange) -> Result<(), LangError> {
    for left_out in &base.layout.left_out {
        if let Some(path) = change.files.keys().find(|path| path.starts_with(&left_out.folder)) {
            return Err(LangError::Configuration {
                message: format!(
                    "the patch changes {path}, and the module {} could not be built: {}; leave the module out by \
                     `java.modules`, or mend its build",
                    left_out.folder, left_out.reason
                ),
            });
        }
    }
    Ok(())
}

/// Moves what is in one folder into another, over the borders of file systems too.
fn move_contents(from: &Utf8Path, to: &Utf8Path) -> Result<(), LangError> {
    for entry in from.read_dir_utf8()? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if fs_err::rename(entry.path(), &target).is_err() {
            if entry.file_type()?.is_dir() {
                bonafix_store::copy_tree(entry.path(), &target, &|_| false).map_err(store_fault)?;
            } else {
                fs_err::copy(entry.path(), &target)?;
            }
        }
    }
    fs_err::remove_dir_all(from)?;
    Ok(())
}
