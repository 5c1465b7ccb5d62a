//! What a test from outside of the project needs.

use std::collections::BTreeMap;

use bonafix_lang::LangError;
use bonafix_model::TreeChange;
use camino::{Utf8Path, Utf8PathBuf};

use super::JavaProject;
use crate::class_index::Side;

/// What a test from outside of the project needs to run against one version.
pub(crate) struct Surroundings {
    /// Class folders, first match first.
    pub(crate) classes: Vec<Utf8PathBuf>,
    /// Jars and folders behind them.
    pub(crate) libraries: Vec<Utf8PathBuf>,
    /// The runner and what it needs, to stand in front.
    pub(crate) helpers: Vec<Utf8PathBuf>,
    /// Language level of the tests.
    pub(crate) release: Option<u32>,
    pub(crate) javac_options: Vec<String>,
    /// System properties among them.
    pub(crate) jvm_options: Vec<String>,
    pub(crate) environment: BTreeMap<String, String>,
}

impl JavaProject {
    /// Where the main classes of a version are, seen from the module that knows most of `classes` (paths of class
    /// files), and how its tests are compiled and run.
    pub(crate) fn surroundings(
        &self,
        change: &TreeChange,
        classes: &[String],
        log: &Utf8Path,
    ) -> Result<Surroundings, LangError> {
        self.with_version(change, log, |opened, _, _, version| {
            let layout = &opened.base.layout;
            let folders = |module: usize| {
                let facts = &layout.modules[module];
                let all = std::iter::once(&module).chain(&facts.upstream).copied().collect::<Vec<_>>();
                all.into_iter().flat_map(|module| version.folders(&opened.base, module, Side::Main)).collect()
            };
            let known = |module: &usize| {
                let folders: Vec<Utf8PathBuf> = folders(*module);
                classes
                    .iter()
                    .filter(|class| folders.iter().any(|folder| folder.join(class).is_file()))
                    .count()
            };
            // The last of the greatest is what `max_by_key` gives; the first stands nearest to the classes.
            let Some(module) = (0..layout.modules.len()).rev().max_by_key(known) else {
                return Err(LangError::Internal("the project has no module".to_owned()));
            };
            let facts = &layout.modules[module];
            let mut environment = facts.environment.clone();
            environment.extend(self.tests.env.clone());
            let properties = facts.system_properties.iter().map(|(name, value)| format!("-D{name}={value}"));
            Ok(Surroundings {
                classes: folders(module),
                libraries: facts.classpath.clone(),
                helpers: self.helpers(opened, module, log)?,
                release: facts.test_release.or(facts.release),
                javac_options: facts.javac_options.clone(),
                jvm_options: facts.jvm_options.iter().cloned().chain(properties).collect(),
                environment,
            })
        })
    }
}
