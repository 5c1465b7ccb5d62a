//! Writes a counterexample into its folder, builds each version from there, and runs it.

use std::sync::Arc;
use std::time::Duration;

use bonafix_lang::{
    LangError, ProgramDraft, Project, Replay, Shown, Watch, WitnessError, WrittenWitness, is_otherwise,
    or_remove, promise_of, replayed_version, shown_bytes,
};
use bonafix_model::{
    Execution, ProgramInput, Promise, ReplayReport, ReplayedVersion, TreeChange, VersionRole,
};
use bonafix_proc::Launcher;
use bonafix_store::Cache;
use camino::{Utf8Path, Utf8PathBuf};

use super::folder::{
    EXPECTED, FORMAT, INPUT, Manifest, ManifestVersion, PROJECT, Right, SCRIPT, Watching, write_file,
};
use super::script::script;
use crate::ground::input_name;
use crate::project::CProject;

/// How a counterexample is run again.
#[derive(Clone)]
pub struct ReplayOptions {
    /// Runs on each version; none means as often as when it was found.
    pub repetitions: Option<u32>,
    /// For what is built.
    pub cache: Arc<Cache>,
    /// Starts the processes.
    pub launcher: Arc<Launcher>,
    /// What builds say is appended here.
    pub log: Utf8PathBuf,
}

/// Runs a counterexample again, from its folder alone.
pub fn replay(folder: &Utf8Path, options: &ReplayOptions) -> Result<ReplayReport, LangError> {
    let manifest = Manifest::read(folder)?;
    let folder = folder.canonicalize_utf8()?;
    let replays = run_all(&folder, &manifest, options)?;
    Ok(report(&folder, &manifest, &replays))
}

impl CProject {
    /// Writes a counterexample into `folder`, with all that is needed to run it again on any machine, and runs it from
    /// there on each version. Leaves no folder behind where it cannot.
    pub fn make_witness(
        &self,
        draft: &ProgramDraft<'_>,
        folder: &Utf8Path,
        log: &Utf8Path,
    ) -> Result<WrittenWitness, WitnessError> {
        or_remove(folder, self.write_and_run(draft, folder, log))
    }

    fn write_and_run(
        &self,
        draft: &ProgramDraft<'_>,
        folder: &Utf8Path,
        log: &Utf8Path,
    ) -> Result<WrittenWitness, WitnessError> {
        fs_err::create_dir_all(folder).map_err(LangError::from)?;
        let folder = &folder.canonicalize_utf8().map_err(LangError::from)?;
        let mut manifest = self.fill(draft, folder)?;
        let options = ReplayOptions {
            repetitions: None,
            cache: Arc::clone(&self.workshop.cache),
            launcher: Arc::clone(&self.workshop.launcher),
            log: log.to_owned(),
        };
        let replays = run_all(folder, &manifest, &options)?;
        let right = draft.versions.first().map(|version| version.role);
        for version in &mut manifest.versions {
            if version.role != VersionRole::Patched && Some(version.role) != right {
                version.promise = promise_of(&replays, version.role);
            }
        }
        manifest.write(folder)?;
        let Manifest { input, what, .. } = manifest;
        Ok(WrittenWitness { file: SCRIPT.to_owned(), input, what, replays })
    }

    /// Writes all files but those that say what came of it.
    fn fill(&self, draft: &ProgramDraft<'_>, folder: &Utf8Path) -> Result<Manifest, WitnessError> {
        let (watch, right) = match draft.shown {
            Shown::Faults(watch) => (watch, Right::NoFault),
            Shown::Differs(expected) => (Watch::Plain, self.right(expected, folder)?),
        };
        self.versions.copy_sources(&folder.join(PROJECT))?;
        write_file(&folder.join(INPUT), &draft.input.bytes)?;
        let mut versions = Vec::new();
        for (version, number) in draft.versions.iter().zip(0..) {
            let promise = match version.role {
                VersionRole::Patched => Promise::Fails,
                _ if number == 0 => Promise::Passes,
                _ => Promise::Nothing,
            };
            versions.push(ManifestVersion::write(folder, version.role, version.change, promise)?);
        }
        let manifest = Manifest {
            format: FORMAT,
            language: "c".to_owned(),
            written_by: concat!("bonafix ", env!("CARGO_PKG_VERSION")).to_owned(),
            class: draft.class,
            input: self.shown(draft.input),
            what: draft.what.to_owned(),
            expected: draft.expected.to_owned(),
            actual: draft.actual.to_owned(),
            arguments: draft.input.arguments.clone(),
            input_name: input_name(self.config.tests.input.as_deref()),
            watch: Watching::from(watch),
            right,
            versions,
            project: self.config.clone(),
            tests: self.tests.clone(),
            compiler: self.workshop.compiler.version.clone(),
            repetitions: draft.repetitions.max(1),
            limit_millis: u64::try_from(draft.limit.as_millis()).unwrap_or(u64::MAX),
            files: std::collections::BTreeMap::new(),
        };
        write_file(&folder.join(SCRIPT), script(&manifest).as_bytes())?;
        Ok(manifest)
    }

    /// Writes down what must come of the input.
    fn right(&self, expected: &Execution, folder: &Utf8Path) -> Result<Right, WitnessError> {
        if expected.cut {
            return Err(WitnessError::NotExpressible("the program writes more than is kept".to_owned()));
        }
        let place = folder.join(EXPECTED);
        let errors = self.what_is_tested().errors;
        write_file(&place.join("stdout"), &expected.stdout)?;
        if errors {
            write_file(&place.join("stderr"), &expected.stderr)?;
        }
        for (path, contents) in &expected.files {
            write_file(&place.join("files").join(path), contents)?;
        }
        let files = expected.files.keys().map(Utf8PathBuf::from).collect();
        Ok(Right::Does { end: expected.end.clone(), errors, files })
    }

    /// Command and input for people.
    fn shown(&self, input: &ProgramInput) -> Vec<String> {
        let program = self.program().ok().flatten();
        let program = program.as_deref().and_then(Utf8Path::file_name).unwrap_or("program");
        let arguments = input.arguments.as_ref().unwrap_or(&self.config.run.arguments);
        let mut words = vec![program.to_owned()];
        words.extend(arguments.iter().map(|argument| argument.replace("@@", INPUT)));
        let mut command = shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
        if !arguments.iter().any(|argument| argument.contains("@@")) {
            command = format!("{command} < {INPUT}");
        }
        let mut lines = vec![format!("$ {command}")];
        lines.extend(shown_bytes(&input.bytes));
        lines
    }
}

/// Builds each version from the folder and runs it as often as asked for; versions take turns.
fn run_all(
    folder: &Utf8Path,
    manifest: &Manifest,
    options: &ReplayOptions,
) -> Result<Vec<Replay>, LangError> {
    let project = CProject::open(
        &folder.join(PROJECT),
        &manifest.project,
        &manifest.tests,
        Arc::clone(&options.cache),
        Arc::clone(&options.launcher),
    )?;
    project.build(&TreeChange::default(), &options.log)?;
    let input =
        ProgramInput { arguments: manifest.arguments.clone(), bytes: fs_err::read(folder.join(INPUT))? };
    let limit = Duration::from_millis(manifest.limit_millis);
    let mut versions = Vec::new();
    for version in &manifest.versions {
        let change = version.change(folder)?;
        versions.push((version.role, project.watched(&change, manifest.watch.into(), limit, &options.log)?));
    }
    let mut replays = Vec::new();
    for _ in 0..options.repetitions.unwrap_or(manifest.repetitions).max(1) {
        for (role, program) in &mut versions {
            let execution = program.execute(&input)?;
            let message = wrong(folder, &manifest.right, &execution)?;
            let otherwise = message.is_some() && is_otherwise(manifest.class, &execution);
            replays.push(Replay { role: *role, passed: message.is_none(), message, otherwise });
        }
    }
    Ok(replays)
}

/// What an execution does wrong, in words; none if it does what is right.
fn wrong(folder: &Utf8Path, right: &Right, execution: &Execution) -> Result<Option<String>, LangError> {
    let place = folder.join(EXPECTED);
    match right {
        Right::NoFault => Ok(execution.faults.first().map(|fault| fault.message.clone())),
        Right::Does { end, errors, files } => {
            if execution.end != *end {
                return Ok(Some(format!("{} instead of {end}", execution.end)));
            }
            if execution.stdout != fs_err::read(place.join("stdout"))? {
                return Ok(Some("standard output differs".to_owned()));
            }
            if *errors && execution.stderr != fs_err::read(place.join("stderr"))? {
                return Ok(Some("standard error differs".to_owned()));
            }
            let mut written: Vec<&str> = execution.files.keys().map(String::as_str).collect();
            for file in files {
                let contents = fs_err::read(place.join("files").join(file))?;
                if execution.files.get(file.as_str()) != Some(&contents) {
                    return Ok(Some(format!("the file {file} differs")));
                }
                written.retain(|name| *name != file.as_str());
            }
            Ok(written.first().map(|file| format!("writes a file {file}")))
        }
    }
}

fn report(folder: &Utf8Path, manifest: &Manifest, replays: &[Replay]) -> ReplayReport {
    let versions: Vec<ReplayedVersion> = manifest
        .versions
        .iter()
        .map(|version| replayed_version(replays, version.role, version.promise))
        .collect();
    ReplayReport {
        folder: folder.to_owned(),
        file: SCRIPT.to_owned(),
        class: manifest.class,
        what: manifest.what.clone(),
        expected: manifest.expected.clone(),
        actual: manifest.actual.clone(),
        holds: versions.iter().all(|version| version.kept),
        versions,
    }
}
