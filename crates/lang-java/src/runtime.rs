//! The Java programs of `runtime/java`: carried inside this program, compiled on first use, kept in the cache.

use bonafix_lang::LangError;
use bonafix_proc::{Confinement, Job, Launcher, Limits, Sink};
use bonafix_store::{Cache, KeyBuilder};
use camino::{Utf8Path, Utf8PathBuf};
use include_dir::{Dir, include_dir};

use crate::toolchain::Jdk;

static CORE: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../runtime/java/src");
static ARENA: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../runtime/java/arena");
static JUNIT3: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../runtime/java/junit3");
static JUNIT4: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../runtime/java/junit4");
static JUNIT5: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../runtime/java/junit5");

/// A part of the runtime that compiles together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Compiler daemon and test runner; needs nothing but the JDK.
    Core,
    /// The VM that holds all versions; compiled against [`Part::Core`].
    Arena,
    /// Adapter for a bare JUnit 3.
    JUnit3,
    /// Adapter for JUnit 4, which runs JUnit 3 tests too.
    JUnit4,
    /// Adapter for the JUnit platform.
    JUnit5,
}

impl Part {
    fn sources(self) -> &'static Dir<'static> {
        match self {
            Self::Core => &CORE,
            Self::Arena => &ARENA,
            Self::JUnit3 => &JUNIT3,
            Self::JUnit4 => &JUNIT4,
            Self::JUnit5 => &JUNIT5,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Arena => "arena",
            Self::JUnit3 => "junit3",
            Self::JUnit4 => "junit4",
            Self::JUnit5 => "junit5",
        }
    }
}

/// The class folder of a part, compiled against `classpath`.
pub(crate) fn classes(
    part: Part,
    classpath: &[Utf8PathBuf],
    jdk: &Jdk,
    cache: &Cache,
    launcher: &Launcher,
) -> Result<Utf8PathBuf, LangError> {
    let files = java_files(part.sources());
    let mut key = KeyBuilder::new("runtime").part("part", part.name()).part("jdk", &jdk.full_version);
    for (path, contents) in &files {
        key = key.part("path", path).part("contents", contents);
    }
    for entry in classpath {
        key = key.part("classpath", entry.as_str());
    }
    let inserted = cache.insert_with("runtime", &key.finish(), |staging| {
        let sources = staging.join("sources");
        for (path, contents) in &files {
            let file = sources.join(path);
            if let Some(folder) = file.parent() {
                fs_err::create_dir_all(folder)?;
            }
            fs_err::write(&file, contents)?;
        }
        compile(part, &files, staging, classpath, jdk, launcher)
    });
    Ok(inserted.map_err(|error| error.unify(crate::store_fault))?.path.join("classes"))
}

/// Runs javac as a program, since the warm compiler is among what it compiles.
fn compile(
    part: Part,
    files: &[(String, &'static [u8])],
    staging: &Utf8Path,
    classpath: &[Utf8PathBuf],
    jdk: &Jdk,
    launcher: &Launcher,
) -> Result<(), LangError> {
    let output = staging.join("classes");
    fs_err::create_dir_all(&output)?;
    let mut job = Job::new(jdk.javac().as_str())
        .args(["-nowarn", "-g", "-proc:none", "-encoding", "UTF-8", "-d", output.as_str()])
        .args(if jdk.version >= 9 { &["--release", "8"][..] } else { &["-source", "8", "-target", "8"][..] })
        .args(["-Xlint:-options", "-J-Xshare:auto", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]);
    if !classpath.is_empty() {
        let joined = classpath.iter().map(|entry| entry.as_str()).collect::<Vec<_>>().join(":");
        job = job.args(["-classpath", joined.as_str()]);
    }
    let job = job
        .args(files.iter().map(|(path, _)| staging.join("sources").join(path).into_string()))
        .cwd(staging)
        .frozen_env(staging)
        .stdout(Sink::Capture { cap: 1 << 20 })
        .stderr(Sink::Capture { cap: 1 << 20 })
        .limits(Limits::build())
        .confinement(Confinement::Open);
    let finished = job.run(launcher).map_err(crate::proc_fault)?;
    if finished.exit.success() {
        return Ok(());
    }
    Err(LangError::Internal(format!(
        "the {} part of bonafix's Java runtime does not compile with JDK {}: {}",
        part.name(),
        jdk.full_version,
        finished.stderr.text().trim()
    )))
}

fn java_files(folder: &'static Dir<'static>) -> Vec<(String, &'static [u8])> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    files
}

fn collect(folder: &'static Dir<'static>, files: &mut Vec<(String, &'static [u8])>) {
    for file in folder.files() {
        if file.path().extension().is_some_and(|extension| extension == "java") {
            files.push((file.path().to_string_lossy().into_owned(), file.contents()));
        }
    }
    folder.dirs().for_each(|folder| collect(folder, files));
}

#[cfg(test)]
mod tests {
    use bonafix_proc::SandboxMode;

    use super::*;

    /// Class files of Java 8.
    const MAJOR: u8 = 52;
    const NOT_FOR_US: [&str; 4] = ["sun/misc", "sun/reflect", "jdk/internal", "com/sun/"];

    fn folder() -> (tempfile::TempDir, Utf8PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        (folder, path)
    }

    /// With the API of Java 8, which `--release` knows, so that what came later does not compile.
    #[test]
    fn the_programs_load_on_java_8_and_reach_into_no_jdk() {
        let (_kept, path) = folder();
        let jdk = Jdk::find(None).unwrap();
        let launcher = Launcher::new(SandboxMode::BestEffort).unwrap();
        let cache = Cache::open(&path).unwrap();
        let core = classes(Part::Core, &[], &jdk, &cache, &launcher).unwrap();
        let arena = classes(Part::Arena, std::slice::from_ref(&core), &jdk, &cache, &launcher).unwrap();
        for file in [&core, &arena].into_iter().flat_map(walkdir::WalkDir::new) {
            let file = file.unwrap();
            if !file.file_type().is_file() {
                continue;
            }
            let bytes = fs_err::read(file.path()).unwrap();
            assert_eq!(bytes[7], MAJOR, "{}", file.path().display());
            // As class files name classes: dots are texts, such as the names of frames to leave out of a trace.
            let text = String::from_utf8_lossy(&bytes);
            let found = NOT_FOR_US.into_iter().find(|name| text.contains(name));
            assert_eq!(found, None, "{}", file.path().display());
        }
    }

    /// What is to go, or is gone, from the newest JDK at hand does not compile either.
    #[test]
    fn the_programs_use_nothing_that_the_jdk_will_remove() {
        let (_kept, path) = folder();
        let jdk = Jdk::find(None).unwrap();
        if jdk.version < 9 {
            return;
        }
        let launcher = Launcher::new(SandboxMode::BestEffort).unwrap();
        let mut job = Job::new(jdk.javac().as_str());
        job =
            job.args(["-Xlint:removal", "-Werror", "-proc:none", "-encoding", "UTF-8", "-d", path.as_str()]);
        for (name, contents) in [&CORE, &ARENA].into_iter().flat_map(java_files) {
            let file = path.join("sources").join(name);
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(&file, contents).unwrap();
            job = job.arg(file.as_str());
        }
        let job = job.frozen_env(&path).stderr(Sink::Capture { cap: 1 << 20 }).limits(Limits::build());
        let finished = job.confinement(Confinement::Open).run(&launcher).unwrap();
        assert!(finished.exit.success(), "{}", finished.stderr.text());
    }
}
