//! Projects without a build tool of use: folders of sources, given or found, and a class path.

use bonafix_lang::LangError;
use bonafix_model::Notice;
use camino::{Utf8Path, Utf8PathBuf};

use super::dependencies::{self, Wanted};
use super::sources::{self, Framework, SourceFile, SourceFolders};
use super::{Layout, LayoutRequest, Module, finish};

/// What a build file says beside the user's configuration, which comes first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hints {
    pub(crate) sources: Vec<Utf8PathBuf>,
    pub(crate) tests: Vec<Utf8PathBuf>,
    pub(crate) classpath: Vec<Utf8PathBuf>,
    pub(crate) release: Option<u32>,
    pub(crate) encoding: Option<String>,
    pub(crate) fork_each_class: bool,
    pub(crate) notices: Vec<Notice>,
}

/// One module from folders. The class path of the configuration is added later, for all build systems alike; here only
/// JUnit is added where the tests use it and nothing brings it.
pub(crate) fn layout(
    request: &LayoutRequest,
    system: &'static str,
    hints: Hints,
) -> Result<Layout, LangError> {
    let files = sources::scan(request.root);
    let found = folders(request, &hints, &files)?;
    let mut layout = Layout::new(system);
    let name = request.root.file_name().unwrap_or("project");
    let mut module = Module::new(name, Utf8Path::new(""));
    module.mixed_tests = sources::mixed_tests(&files, &found.sources, &found.tests);
    let used = frameworks(&files, &found, &module.mixed_tests);
    module.sources = found.sources;
    module.tests = found.tests;
    module.resources = found.resources;
    module.test_resources = found.test_resources;
    module.classpath = hints.classpath;
    module.release = hints.release;
    module.encoding = hints.encoding;
    module.fork_each_class = hints.fork_each_class;
    layout.notices = hints.notices;
    add_junit(request, &mut module, &used, &mut layout.notices)?;
    layout.modules.push(module);
    Ok(layout)
}

fn folders(request: &LayoutRequest, hints: &Hints, files: &[SourceFile]) -> Result<SourceFolders, LangError> {
    let config = request.config;
    check_folders(request.root, "java.sources", &config.sources)?;
    check_folders(request.root, "java.tests", &config.tests)?;
    check_folders(request.root, "java.resources", &config.resources)?;
    check_folders(request.root, "java.test_resources", &config.test_resources)?;
    let guessed = sources::folders(request.root, files);
    let first = |lists: [&Vec<Utf8PathBuf>; 3]| {
        let list = lists.into_iter().find(|list| !list.is_empty()).cloned().unwrap_or_default();
        list.iter().map(|folder| normal(folder)).collect::<Vec<_>>()
    };
    let mut found = SourceFolders {
        sources: first([&config.sources, &hints.sources, &guessed.sources]),
        tests: first([&config.tests, &hints.tests, &guessed.tests]),
        resources: config.resources.clone(),
        test_resources: config.test_resources.clone(),
    };
    sources::add_resources(request.root, &mut found);
    if found.sources.is_empty() && found.tests.is_empty() {
        return Err(LangError::Configuration {
            message: "no Java sources were found; set `java.sources` and `java.tests` to their folders"
                .to_owned(),
        });
    }
    Ok(found)
}

/// Without `.` parts, so that the root is the empty path.
fn normal(folder: &Utf8Path) -> Utf8PathBuf {
    folder.components().filter(|part| part.as_str() != ".").collect()
}

fn check_folders(root: &Utf8Path, key: &str, folders: &[Utf8PathBuf]) -> Result<(), LangError> {
    match folders.iter().find(|folder| !root.join(folder).is_dir()) {
        Some(folder) => {
            Err(LangError::Configuration { message: format!("`{key}`: there is no folder `{folder}`") })
        }
        None => Ok(()),
    }
}

/// The frameworks that the tests import.
fn frameworks(files: &[SourceFile], found: &SourceFolders, mixed: &[Utf8PathBuf]) -> Vec<Framework> {
    let is_test = |file: &&SourceFile| {
        mixed.contains(&file.path)
            || found.tests.iter().any(|root| !found.sources.contains(root) && file.path.starts_with(root))
    };
    let mut used: Vec<Framework> = files.iter().filter(is_test).filter_map(|file| file.framework).collect();
    used.sort_unstable();
    used.dedup();
    used
}

/// Adds the JUnit that the tests import where neither the project nor the user brings one.
pub(crate) fn add_junit(
    request: &LayoutRequest,
    module: &mut Module,
    used: &[Framework],
    notices: &mut Vec<Notice>,
) -> Result<(), LangError> {
    let given = finish::configured_classpath(request)?;
    for framework in used {
        let (coordinate, name): (&str, fn(&str) -> bool) = match framework {
            Framework::JUnit4 => ("junit:junit:4.13.2", is_junit4),
            Framework::Jupiter => ("org.junit.jupiter:junit-jupiter:5.10.2", is_jupiter),
        };
        let mut entries = module.classpath.iter().chain(&given);
        if entries.any(|jar| jar.file_name().is_some_and(name)) {
            continue;
        }
        match dependencies::resolve(request, &[coordinate.to_owned()], Wanted::Imported) {
            Ok(jars) => {
                module.classpath.extend(jars);
                let text = format!("the tests use JUnit and the project brings none: {coordinate} is used");
                notices.push(Notice::new("default-junit", text));
            }
            Err(LangError::Interrupted) => return Err(LangError::Interrupted),
            // The jars that are given may hold it under another name; the compiler will tell.
            Err(_) if !given.is_empty() || !module.classpath.is_empty() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn is_junit4(name: &str) -> bool {
    name.starts_with("junit") && !name.starts_with("junit-platform") && !name.starts_with("junit-jupiter")
}

fn is_jupiter(name: &str) -> bool {
    name.starts_with("junit-jupiter-api") || name.starts_with("junit-platform-console-standalone")
}
