//! A counterexample run again, from its folder alone.

use std::sync::Arc;

use bonafix_lang::LangError;
use bonafix_lang_c::{ReplayOptions as CReplay, replay as replay_c};
use bonafix_lang_java::{ReplayOptions as JavaReplay, replay as replay_java};
use bonafix_model::ReplayReport;
use bonafix_proc::{Launcher, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

use crate::error::CheckError;

/// How to run a counterexample again.
#[derive(Debug, Clone)]
pub struct ReplayOptions {
    /// Its folder.
    pub folder: Utf8PathBuf,
    /// Runs on each version; none means as often as when it was found.
    pub repetitions: Option<u32>,
    /// How much protection against subject code is asked for.
    pub sandbox: SandboxMode,
}

/// Runs a counterexample again.
pub fn replay(options: &ReplayOptions) -> Result<ReplayReport, CheckError> {
    let launcher = Launcher::new(options.sandbox).map_err(|error| CheckError::Usage(error.to_string()))?;
    let log = tempfile::Builder::new().prefix("bonafix-replay-").suffix(".log").tempfile();
    let log = log.map_err(|error| CheckError::Internal { message: error.to_string(), run: None })?;
    let Some(path) = Utf8Path::from_path(log.path()) else {
        return Err(CheckError::Usage("the temporary folder is not UTF-8; set TMPDIR".to_owned()));
    };
    let cache = Arc::new(Cache::open(&Cache::default_root()?)?);
    let (launcher, log) = (Arc::new(launcher), path.to_owned());
    let ReplayOptions { folder, repetitions, .. } = options;
    let repetitions = *repetitions;
    let replayed = match language(folder).as_deref() {
        Some("c") => replay_c(folder, &CReplay { repetitions, cache, launcher, log }),
        _ => replay_java(folder, &JavaReplay { jdk: None, repetitions, cache, launcher, log }),
    };
    replayed.map_err(|error| match error {
        LangError::ToolMissing { .. } => CheckError::Usage(error.to_string()),
        other => CheckError::from_lang(other, None),
    })
}

/// The language of a counterexample; none if its folder does not tell.
fn language(folder: &Utf8Path) -> Option<String> {
    let text = fs_err::read(folder.join("witness.json")).ok()?;
    let manifest: serde_json::Value = serde_json::from_slice(&text).ok()?;
    manifest.get("language")?.as_str().map(str::to_owned)
}
