//! Defects4J checkouts, with or without Defects4J itself on the machine.
//!
//! The checkout says where sources and tests are and which tests show the bug. Where it has a POM that Maven can build,
//! Maven does, because the build of some projects makes sources or data. Else the class path is the jars that Defects4J
//! keeps, where it is installed, the jars in the checkout, and what its POM asks for.

use std::collections::BTreeMap;
use std::env;

use bonafix_lang::LangError;
use bonafix_model::Notice;
use camino::{Utf8Path, Utf8PathBuf};

use super::plain::{self, Hints};
use super::{Layout, LayoutRequest, ant, maven, properties};
use crate::toolchain::find_tool;

const CONFIG_FILE: &str = ".defects4j.config";
const PROPERTIES_FILE: &str = "defects4j.build.properties";

/// Packages of the JDK that old code and its tests look into.
const OPENED: [&str; 6] = ["java.lang", "java.lang.reflect", "java.util", "java.text", "java.io", "java.net"];

/// What the checkout says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Checkout {
    project: Option<String>,
    sources: Option<Utf8PathBuf>,
    tests: Option<Utf8PathBuf>,
    /// `pkg.Class#method`.
    triggers: Vec<String>,
    /// Patterns of test files to leave out.
    excluded: Vec<String>,
}

/// Are the files of a checkout here?
pub(crate) fn detect(root: &Utf8Path) -> bool {
    root.join(CONFIG_FILE).is_file() || root.join(PROPERTIES_FILE).is_file()
}

/// One module, as the checkout describes it, in the environment that Defects4J prescribes.
pub(crate) fn layout(request: &LayoutRequest) -> Result<Layout, LangError> {
    let read = |name: &str| fs_err::read_to_string(request.root.join(name)).unwrap_or_default();
    let checkout = parse(&read(CONFIG_FILE), &read(PROPERTIES_FILE));
    let mut layout = match by_maven(request, &checkout)? {
        Some(layout) => layout,
        None => plain::layout(request, "defects4j", hints(request, &checkout)?)?,
    };
    for module in &mut layout.modules {
        module.environment.insert("TZ".to_owned(), "America/Los_Angeles".to_owned());
        module.jvm_options.extend(jvm_options(request.jdk.version));
        module.test_includes.clear();
        module.test_excludes.clone_from(&checkout.excluded);
    }
    layout.failing = checkout.triggers;
    Ok(layout)
}

/// What Maven makes of the checkout, if it has a POM, builds here, and means the same sources.
fn by_maven(request: &LayoutRequest, checkout: &Checkout) -> Result<Option<Layout>, LangError> {
    if !has_no_classpath(request) || !maven::detect(request.root) {
        return Ok(None);
    }
    let mut layout = match maven::layout(request) {
        Ok(layout) => layout,
        Err(LangError::Interrupted) => return Err(LangError::Interrupted),
        Err(error) => {
            tracing::debug!(%error, "Maven cannot build this checkout");
            return Ok(None);
        }
    };
    let same = |folder: &Utf8PathBuf| layout.modules.iter().any(|module| module.sources.contains(folder));
    if !checkout.sources.as_ref().is_none_or(same) {
        return Ok(None);
    }
    "defects4j".clone_into(&mut layout.build_system);
    Ok(Some(layout))
}

fn has_no_classpath(request: &LayoutRequest) -> bool {
    request.config.classpath.is_empty() && request.config.dependencies.is_empty()
}

fn hints(request: &LayoutRequest, checkout: &Checkout) -> Result<Hints, LangError> {
    let facts = ant::read(request.root);
    let mut hints = Hints {
        sources: existing(request.root, checkout.sources.as_ref()),
        tests: existing(request.root, checkout.tests.as_ref()),
        release: facts.release,
        encoding: facts.encoding,
        ..Hints::default()
    };
    if !has_no_classpath(request) {
        return Ok(hints);
    }
    if let (Some(home), Some(project)) = (home(), &checkout.project) {
        hints.classpath = framework_jars(&home, project);
    }
    let (jars, notice) = ant::project_jars(request.root);
    hints.classpath.extend(jars);
    hints.notices.extend(notice);
    if hints.classpath.is_empty() && maven::detect(request.root) {
        add_from_pom(request, &mut hints)?;
    }
    Ok(hints)
}

fn existing(root: &Utf8Path, folder: Option<&Utf8PathBuf>) -> Vec<Utf8PathBuf> {
    folder.filter(|folder| root.join(folder).is_dir()).cloned().into_iter().collect()
}

/// The POM's dependencies. A POM that Maven cannot read leaves a notice: the sources may need nothing but JUnit.
fn add_from_pom(request: &LayoutRequest, hints: &mut Hints) -> Result<(), LangError> {
    match maven::classpath_only(request) {
        Ok(found) => {
            hints.classpath = found.classpath;
            hints.release = hints.release.or(found.release);
            hints.encoding = hints.encoding.take().or(found.encoding);
        }
        Err(LangError::Interrupted) => return Err(LangError::Interrupted),
        Err(error) => {
            let text =
                format!("the class path could not be read from pom.xml: {error} (`java.classpath` sets it)");
            hints.notices.push(Notice::new("defects4j-classpath", text));
        }
    }
    Ok(())
}

/// Defects4J's own folder: `DEFECTS4J_HOME`, or found from the `defects4j` command.
fn home() -> Option<Utf8PathBuf> {
    let given = env::var("DEFECTS4J_HOME").ok().map(Utf8PathBuf::from);
    let from_command = || {
        let command = find_tool("defects4j")?.canonicalize_utf8().ok()?;
        Some(command.parent()?.parent()?.parent()?.to_owned())
    };
    given.or_else(from_command).filter(|home| home.join("framework/projects").is_dir())
}

/// JUnit as Defects4J runs it, and the jars of the project.
fn framework_jars(home: &Utf8Path, project: &str) -> Vec<Utf8PathBuf> {
    let projects = home.join("framework/projects");
    let common = ant::jars_below(&projects.join("lib"));
    let mut jars: Vec<Utf8PathBuf> = common
        .into_iter()
        .filter(|jar| jar.file_name().is_some_and(|name| name.starts_with("junit")))
        .collect();
    jars.extend(ant::jars_below(&projects.join(project).join("lib")));
    jars
}

fn jvm_options(jdk: u32) -> Vec<String> {
    let mut options: Vec<String> =
        ["-Duser.language=en", "-Duser.country=US", "-Djava.awt.headless=true"].map(str::to_owned).to_vec();
    if jdk >= 9 {
        options.extend(OPENED.map(|package| format!("--add-opens=java.base/{package}=ALL-UNNAMED")));
    }
    options
}

/// Reads the two files that a checkout has.
fn parse(config: &str, build: &str) -> Checkout {
    let config = properties::parse(config);
    let build = properties::parse(build);
    let list = |key: &str| -> Vec<String> { build.get(key).map(|text| split(text)).unwrap_or_default() };
    Checkout {
        project: build.get("d4j.project.id").or_else(|| config.get("pid")).cloned(),
        sources: folder(&build, "d4j.dir.src.classes"),
        tests: folder(&build, "d4j.dir.src.tests"),
        triggers: list("d4j.tests.trigger").iter().map(|test| test.replace("::", "#")).collect(),
        excluded: list("d4j.tests.exclude"),
    }
}

fn folder(build: &BTreeMap<String, String>, key: &str) -> Option<Utf8PathBuf> {
    build.get(key).map(|text| text.trim_matches('/')).filter(|text| !text.is_empty()).map(Utf8PathBuf::from)
}

fn split(text: &str) -> Vec<String> {
    text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkout_says_its_folders_and_the_tests_that_show_the_bug() {
        let config = "#File automatically generated by Defects4J\npid=Lang\nvid=10b\n";
        let build = "#File automatically generated by Defects4J\nd4j.bug.id=10\nd4j.classes.modified=a.B\n\
                     d4j.dir.src.classes=src/main/java\nd4j.dir.src.tests=src/test/java/\nd4j.project.id=Lang\n\
                     d4j.tests.exclude=a/XTest.java,b/YTest.java\nd4j.tests.trigger=a.BTest::one,a.CTest::two\n";
        let checkout = parse(config, build);
        assert_eq!(checkout.project.as_deref(), Some("Lang"));
        assert_eq!(checkout.sources.as_deref(), Some(Utf8Path::new("src/main/java")));
        assert_eq!(checkout.tests.as_deref(), Some(Utf8Path::new("src/test/java")));
        assert_eq!(checkout.triggers, ["a.BTest#one", "a.CTest#two"]);
        assert_eq!(checkout.excluded, ["a/XTest.java", "b/YTest.java"]);
    }

    #[test]
    fn a_checkout_with_one_file_only_is_read_as_far_as_it_goes() {
        let checkout = parse("pid=Math\nvid=5b\n", "");
        assert_eq!(checkout, Checkout { project: Some("Math".to_owned()), ..Checkout::default() });
    }

    #[test]
    fn packages_are_opened_only_where_there_are_modules() {
        assert_eq!(jvm_options(8).len(), 3);
        assert!(jvm_options(17).contains(&"--add-opens=java.base/java.lang=ALL-UNNAMED".to_owned()));
    }
}
