//! A program of one file, built, and what is asked of it in short words.
#![allow(dead_code, reason = "not every test asks everything")]

use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::{Project, Watch};
use bonafix_lang_c::{CProject, ServedTarget, Target, Variant, WatchedProgram};
use bonafix_model::{CConfig, Execution, ProgramInput, TestsConfig, TreeChange};
use bonafix_proc::{Launcher, SandboxMode};
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

pub(crate) const LIMIT: Duration = Duration::from_millis(600);

/// A program of one file, built. The project must live as long as its targets.
pub(crate) struct Subject {
    folder: tempfile::TempDir,
    pub(crate) project: CProject,
}

impl Subject {
    pub(crate) fn new(source: &str) -> Self {
        Self::configured(source, "program = \"program\"\n")
    }

    pub(crate) fn configured(source: &str, config: &str) -> Self {
        Self::furnished(source, config, |_| ())
    }

    /// With more in its folder than the source.
    pub(crate) fn furnished(source: &str, config: &str, furnish: impl FnOnce(&Utf8Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        let root = path.join("project");
        fs_err::create_dir_all(root.join("data")).unwrap();
        fs_err::write(root.join("main.c"), source).unwrap();
        fs_err::write(root.join("data/given.txt"), "given\n").unwrap();
        furnish(&root);
        let config: CConfig = toml::from_str(config).unwrap();
        let cache = Arc::new(Cache::open(&path.join("cache")).unwrap());
        let launcher = Arc::new(Launcher::new(SandboxMode::BestEffort).unwrap());
        let project = CProject::open(&root, &config, &TestsConfig::default(), cache, launcher).unwrap();
        project.build(&TreeChange::default(), &path.join("log")).unwrap();
        Self { folder, project }
    }

    pub(crate) fn target(&self, variant: Variant) -> ServedTarget {
        self.project.target(&TreeChange::default(), variant, LIMIT, &self.log()).unwrap()
    }

    pub(crate) fn watched(&self, watch: Watch) -> WatchedProgram {
        self.project.watched(&TreeChange::default(), watch, Duration::from_secs(5), &self.log()).unwrap()
    }

    pub(crate) fn log(&self) -> Utf8PathBuf {
        Utf8Path::from_path(self.folder.path()).unwrap().join("log")
    }

    /// Runs each input behind one plain server.
    pub(crate) fn plain(&self, inputs: &[&str]) -> Vec<Execution> {
        let mut target = self.target(Variant::Plain);
        assert!(target.is_served());
        inputs.iter().map(|input| target.run(&on(input)).unwrap().execution).collect()
    }
}

pub(crate) fn on(bytes: &str) -> ProgramInput {
    ProgramInput { arguments: None, bytes: bytes.as_bytes().to_vec() }
}

pub(crate) fn with(arguments: &[&str], bytes: &str) -> ProgramInput {
    let arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    ProgramInput { arguments: Some(arguments), bytes: bytes.as_bytes().to_vec() }
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

pub(crate) fn kinds(execution: &Execution) -> Vec<&str> {
    execution.faults.iter().map(|fault| fault.kind.as_str()).collect()
}
