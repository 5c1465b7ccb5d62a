//! The languages that exist, and which one a subject is written in.

use std::sync::Arc;

use bonafix_lang::{LangError, Project};
use bonafix_lang_c::CProject;
use bonafix_lang_java::JavaProject;
use bonafix_model::LanguageName;
use bonafix_proc::Launcher;
use bonafix_store::Cache;
use bonafix_subject::description::Description;

/// An opened project of some language.
pub(crate) enum Opened {
    /// Java.
    Java(Box<JavaProject>),
    /// C or C++.
    C(Box<CProject>),
}

impl Opened {
    /// Opens the subject in the language that it is configured or seen to be written in.
    pub(crate) fn open(
        description: &Description,
        cache: Arc<Cache>,
        launcher: Arc<Launcher>,
    ) -> Result<Self, LangError> {
        let config = &description.config;
        let language = config
            .language
            .or_else(|| JavaProject::recognises(&description.root).then_some(LanguageName::Java))
            .or_else(|| CProject::recognises(&description.root).then_some(LanguageName::C));
        match language {
            Some(LanguageName::Java) => {
                let project =
                    JavaProject::open(&description.root, &config.java, &config.tests, cache, launcher)?;
                Ok(Self::Java(Box::new(project)))
            }
            Some(LanguageName::C) => {
                let project = CProject::open(&description.root, &config.c, &config.tests, cache, launcher)?;
                Ok(Self::C(Box::new(project)))
            }
            None => Err(LangError::Configuration {
                message: format!(
                    "{} holds neither a build file nor a source of a language that bonafix knows (Java, C); is it the \
                     project's folder? If so, set `language` in bonafix.toml",
                    description.root
                ),
            }),
        }
    }

    /// What the stages see of it.
    pub(crate) fn project(&self) -> &dyn Project {
        match self {
            Self::Java(project) => project.as_ref(),
            Self::C(project) => project.as_ref(),
        }
    }

    /// Its language.
    pub(crate) fn language(&self) -> &'static str {
        match self {
            Self::Java(_) => "java",
            Self::C(_) => "c",
        }
    }

    /// Tests that the project's own metadata names as showing the bug.
    pub(crate) fn known_failing(&self) -> Vec<String> {
        match self {
            Self::Java(project) => project.known_failing(),
            Self::C(_) => Vec::new(),
        }
    }
}
