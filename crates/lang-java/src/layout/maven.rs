//! Maven projects, of one module or many.
//!
//! Maven itself says what the project is (the effective POM), builds it in the private copy, and gives each module's
//! class path. Where the build fails for reasons that are not the sources' (a level that the JDK no longer has, a plugin
//! that does not run here), the class paths come from POMs stripped of all plugins, and we compile ourselves.

pub(crate) mod call;
mod effective;
mod levels;
mod output;
mod stripped;

use bonafix_lang::LangError;
use bonafix_model::Notice;
use camino::{Utf8Path, Utf8PathBuf};

use self::call::{BUILD_CLASSPATH, EFFECTIVE_POM, Maven, unresolved};
use self::effective::{ProcessedResource, Project};
use self::output::Failure;
use super::dependencies::{self, Wanted};
use super::{Classes, Layout, LayoutRequest, LeftOut, Module, sources};
use crate::toolchain::effective_release;

/// Where each module's class path is written, relative to its folder.
const CLASSPATH_FILE: &str = "target/bonafix-classpath.txt";

/// Copies and filters resources and does nothing else; the project says which version of the plugin.
const COPY_RESOURCES: [&str; 2] = [
    "org.apache.maven.plugins:maven-resources-plugin:resources",
    "org.apache.maven.plugins:maven-resources-plugin:testResources",
];

/// Test classes by Surefire's own convention.
const SUREFIRE_INCLUDES: [&str; 4] =
    ["**/Test*.java", "**/*Test.java", "**/*Tests.java", "**/*TestCase.java"];

/// Is there a POM?
pub(crate) fn detect(root: &Utf8Path) -> bool {
    root.join("pom.xml").is_file()
}

/// Builds the project and describes it.
pub(crate) fn layout(request: &LayoutRequest) -> Result<Layout, LangError> {
    let maven = Maven::find(
        request,
        "to build this project (it has a pom.xml)",
        ", or set `java.build = \"plain\"` with `java.sources`, `java.tests` and `java.dependencies` or `java.classpath`",
    )?;
    let reactor = Reactor::read(&maven)?;
    let built = build(&maven, &reactor)?;
    reactor.layout(request, &built)
}

/// What a POM says of a project that is built by other means.
pub(crate) struct PomFacts {
    pub(crate) classpath: Vec<Utf8PathBuf>,
    pub(crate) release: Option<u32>,
    pub(crate) encoding: Option<String>,
}

/// Reads a POM without building anything.
pub(crate) fn classpath_only(request: &LayoutRequest) -> Result<PomFacts, LangError> {
    let maven = Maven::find(request, "to read the class path from pom.xml", "")?;
    let reactor = Reactor::read(&maven)?;
    let classpaths = stripped::classpaths(&maven, &reactor.projects)?;
    let compiler = reactor.projects.first().map(|project| project.compiler.clone()).unwrap_or_default();
    let classpath = classpaths.into_iter().flatten().flatten().collect();
    Ok(PomFacts { classpath, release: compiler.release, encoding: compiler.encoding })
}

/// The projects that Maven builds, with their folders.
struct Reactor {
    root: Utf8PathBuf,
    projects: Vec<Project>,
    folders: Vec<Utf8PathBuf>,
}

/// What a build came to.
struct Built {
    /// Class path of each project; `None` where it was not built.
    classpaths: Vec<Option<Vec<Utf8PathBuf>>>,
    /// Maven made the class files.
    compiled: bool,
    /// Maven has put the resources where the classes belong.
    resources: bool,
    /// Why it did not, or not all.
    failure: Option<Failure>,
}

impl Reactor {
    fn read(maven: &Maven) -> Result<Self, LangError> {
        let root = maven.request().root.canonicalize_utf8()?;
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("effective-pom.xml");
        let mut arguments = vec![EFFECTIVE_POM.to_owned(), format!("-Doutput={}", file.display())];
        arguments.extend(selection(maven.request()));
        if let Err(failure) = maven.run(&root, &arguments)? {
            if failure.unresolved.is_empty() {
                return Err(LangError::BuildTool {
                    summary: format!("Maven cannot read this project: {}", first(&failure)),
                    details: failure.lines,
                });
            }
            return Err(unresolved(&failure, "this project"));
        }
        let text = fs_err::read_to_string(file)?;
        let projects = effective::parse(&text).map_err(LangError::Internal)?;
        let folders = projects.iter().map(|project| folder_of(project, &root)).collect();
        Ok(Self { root, projects, folders })
    }

    fn layout(&self, request: &LayoutRequest, built: &Built) -> Result<Layout, LangError> {
        let mut layout = Layout::new("maven");
        let chosen: Vec<usize> = (0..self.projects.len())
            .filter(|index| self.is_module(*index) && built.classpaths[*index].is_some())
            .collect();
        for &index in &chosen {
            let classpath = built.classpaths[index].as_deref().unwrap_or_default();
            let mut module = self.module(request, index, classpath, &chosen, &mut layout.notices)?;
            self.add_classes(index, built, &mut module);
            layout.modules.push(module);
        }
        layout.left_out = self.left_out(built);
        for left_out in &layout.left_out {
            let text = format!("module {} is left out: {}", left_out.folder, left_out.reason);
            layout.notices.push(Notice::new("module-left-out", text));
        }
        if let (false, Some(failure)) = (built.compiled, &built.failure) {
            let text = format!(
                "Maven's own compilation fails on this machine ({}); the sources are compiled by bonafix, with Maven's \
                 folders and class path",
                first(failure)
            );
            layout.notices.push(Notice::new("maven-fallback", text));
        }
        Ok(layout)
    }

    fn is_module(&self, index: usize) -> bool {
        self.projects[index].packaging != "pom"
    }

    fn left_out(&self, built: &Built) -> Vec<LeftOut> {
        let missing = |index: &usize| self.is_module(*index) && built.classpaths[*index].is_none();
        (0..self.projects.len())
            .filter(missing)
            .map(|index| {
                let failure = built.failure.as_ref();
                let goal = failure.and_then(|failure| {
                    failure.goals.iter().find(|goal| goal.project == self.projects[index].artifact)
                });
                let reason = goal.map_or_else(
                    || "Maven did not get to it".to_owned(),
                    |goal| format!("{} failed: {}", goal.goal, goal.message),
                );
                let folder = &self.folders[index];
                let diagnostics = failure.map(|failure| failure.diagnostics.as_slice()).unwrap_or_default();
                let diagnostics =
                    diagnostics.iter().filter(|place| Utf8Path::new(&place.file).starts_with(folder));
                LeftOut {
                    folder: folder.clone(),
                    reason,
                    diagnostics: diagnostics.map(ToString::to_string).collect(),
                }
            })
            .collect()
    }

    fn module(
        &self,
        request: &LayoutRequest,
        index: usize,
        classpath: &[Utf8PathBuf],
        chosen: &[usize],
        notices: &mut Vec<Notice>,
    ) -> Result<Module, LangError> {
        let project = &self.projects[index];
        let mut module = Module::new(&project.artifact, &self.folders[index]);
        let base = self.absolute(&self.folders[index]);
        let existing = |paths: Vec<&Utf8PathBuf>| -> Vec<Utf8PathBuf> {
            paths
                .into_iter()
                .map(|path| base.join(path))
                .filter(|path| path.is_dir())
                .map(|path| self.relative(&path))
                .collect()
        };
        module.sources = existing([&project.source].into_iter().chain(&project.added_sources).collect());
        module.tests =
            existing([&project.test_source].into_iter().chain(&project.added_test_sources).collect());
        let plain = |folder: &&Utf8PathBuf| !holds_sources(&base.join(folder), project);
        module.resources = existing(project.resources.iter().filter(plain).collect());
        module.test_resources = existing(project.test_resources.iter().filter(plain).collect());
        module.processed_resources = project
            .processed_resources
            .iter()
            .flat_map(|resource| taken_from(resource, &base, project))
            .map(|path| self.relative(&path))
            .collect();
        self.add_generated(project, &mut module);
        self.split_classpath(classpath, chosen, &mut module);
        module.excluded_sources.clone_from(&project.compiler.excludes);
        module.excluded_tests.clone_from(&project.compiler.test_excludes);
        module.release = project.compiler.release;
        module.test_release = project.compiler.test_release;
        module.encoding.clone_from(&project.compiler.encoding);
        module.javac_options.clone_from(&project.compiler.options);
        if let Some(processors) = &project.compiler.processors {
            match dependencies::resolve(request, processors, Wanted::Processing) {
                Ok(jars) => module.processor_path = Some(jars),
                Err(LangError::Interrupted) => return Err(LangError::Interrupted),
                Err(error) => {
                    let text = format!("the annotation processors of {} are left out: {error}", module.name);
                    notices.push(Notice::new("annotation-processors", text));
                }
            }
        }
        self.add_test_settings(project, &mut module, notices);
        Ok(module)
    }

    /// Where the class files are; or, if there are none, where Maven has put the resources, filtered and in place.
    fn add_classes(&self, index: usize, built: &Built, module: &mut Module) {
        let project = &self.projects[index];
        let (main, test) = (self.relative(&project.output), self.relative(&project.test_output));
        if built.compiled {
            module.classes = Classes::Built { main, test };
        } else if built.resources {
            module.resources = vec![main];
            module.test_resources = vec![test];
        }
    }

    /// Sources that plugins made. What annotation processors made is made again by the compiler.
    fn add_generated(&self, project: &Project, module: &mut Module) {
        for (folder, roots) in
            [("generated-sources", &mut module.sources), ("generated-test-sources", &mut module.tests)]
        {
            let folder = project.build_folder.join(folder);
            for file in sources::scan(&folder) {
                let by_processor =
                    file.path.starts_with("annotations") || file.path.starts_with("test-annotations");
                let Some(root) = file.root.filter(|_| !by_processor) else { continue };
                let root = self.relative(&folder.join(root));
                if !roots.contains(&root) {
                    roots.push(root);
                }
            }
        }
    }

    /// Entries that are other modules become indices, the rest stays.
    fn split_classpath(&self, classpath: &[Utf8PathBuf], chosen: &[usize], module: &mut Module) {
        for entry in classpath {
            let place = |output: fn(&Project) -> &Utf8PathBuf| {
                chosen.iter().position(|index| output(&self.projects[*index]) == entry)
            };
            if let Some(position) = place(|project| &project.output) {
                module.upstream.push(position);
            } else if let Some(position) = place(|project| &project.test_output) {
                module.upstream_tests.push(position);
            } else {
                module.classpath.push(entry.clone());
            }
        }
    }

    fn add_test_settings(&self, project: &Project, module: &mut Module, notices: &mut Vec<Notice>) {
        let surefire = &project.surefire;
        module.jvm_options.clone_from(&surefire.jvm_options);
        module.system_properties.clone_from(&surefire.system_properties);
        let base = self.absolute(&module.folder);
        module.system_properties.entry("basedir".to_owned()).or_insert_with(|| base.to_string());
        module.environment.clone_from(&surefire.environment);
        module.test_includes.clone_from(&surefire.includes);
        if module.test_includes.is_empty() {
            module.test_includes = SUREFIRE_INCLUDES.map(str::to_owned).to_vec();
        }
        module.test_excludes.clone_from(&surefire.excludes);
        if module.test_excludes.is_empty() {
            module.test_excludes = vec!["**/*$*".to_owned()];
        }
        module.groups.clone_from(&surefire.groups);
        module.excluded_groups.clone_from(&surefire.excluded_groups);
        module.fork_each_class = surefire.fork_each_class;
        module.working_folder =
            surefire.working_folder.as_ref().map(|folder| self.relative(&base.join(folder)));
        if !surefire.dropped_options.is_empty() {
            let text = format!(
                "JVM options of {} that only Maven can fill in are left out: {}",
                module.name,
                surefire.dropped_options.join(" ")
            );
            notices.push(Notice::new("jvm-options", text));
        }
    }

    fn absolute(&self, folder: &Utf8Path) -> Utf8PathBuf {
        if folder.as_str().is_empty() { self.root.clone() } else { self.root.join(folder) }
    }

    fn relative(&self, path: &Utf8Path) -> Utf8PathBuf {
        path.strip_prefix(&self.root).unwrap_or(path).to_owned()
    }
}

/// `-pl` for the modules that the user names, with what they need.
fn selection(request: &LayoutRequest) -> Vec<String> {
    let modules: Vec<&str> = request.config.modules.iter().map(|module| module.as_str()).collect();
    if modules.is_empty() { Vec::new() } else { vec!["-pl".to_owned(), modules.join(","), "-am".to_owned()] }
}

/// A folder above the sources is a resource folder only for the few files in it that its POM names.
fn holds_sources(folder: &Utf8Path, project: &Project) -> bool {
    [&project.source, &project.test_source]
        .iter()
        .any(|source| **source != folder && source.starts_with(folder))
}

/// The folders, or single files, that a processed resource reads. One that lies above the sources is narrowed to what
/// its patterns name.
fn taken_from(resource: &ProcessedResource, base: &Utf8Path, project: &Project) -> Vec<Utf8PathBuf> {
    let folder = base.join(&resource.folder);
    if !holds_sources(&folder, project) || resource.includes.is_empty() {
        return vec![folder];
    }
    let fixed = |pattern: &String| {
        let parts = pattern.split('/').take_while(|part| !part.contains(['*', '?']));
        parts.filter(|part| !part.is_empty()).fold(folder.clone(), |path, part| path.join(part))
    };
    resource.includes.iter().map(fixed).collect()
}

/// The nearest folder above the project's files that has its POM.
fn folder_of(project: &Project, root: &Utf8Path) -> Utf8PathBuf {
    let has_pom = |folder: &&Utf8Path| {
        folder.starts_with(root)
            && fs_err::read_to_string(folder.join("pom.xml"))
                .is_ok_and(|text| text.contains(&format!("<artifactId>{}</artifactId>", project.artifact)))
    };
    [&project.build_folder, &project.source]
        .into_iter()
        .find_map(|path| path.ancestors().skip(1).find(has_pom))
        .map_or_else(Utf8PathBuf::new, |folder| folder.strip_prefix(root).unwrap_or(folder).to_owned())
}

/// Compiles everything by Maven's own lifecycle, or finds the class paths without it.
fn build(maven: &Maven, reactor: &Reactor) -> Result<Built, LangError> {
    let mut arguments = vec![
        "-fae".to_owned(),
        "test-compile".to_owned(),
        BUILD_CLASSPATH.to_owned(),
        format!("-Dmdep.outputFile={CLASSPATH_FILE}"),
    ];
    arguments.extend(level_overrides(maven.request(), &reactor.projects));
    arguments.extend(selection(maven.request()));
    let mut failure = maven.run(&reactor.root, &arguments)?.err();
    if failure.as_ref().is_some_and(|failure| failure.level.is_some()) {
        let oldest = *maven.request().jdk.levels().start();
        if levels::raise(&reactor.root, &reactor.folders, oldest)? {
            failure = maven.run(&reactor.root, &arguments)?.err();
        }
    }
    let mut classpaths = Vec::new();
    for folder in &reactor.folders {
        let file = reactor.root.join(folder).join(CLASSPATH_FILE);
        let text = fs_err::read_to_string(&file).ok();
        if text.is_some() {
            fs_err::remove_file(&file)?;
        }
        classpaths.push(text.map(|text| dependencies::parse_classpath(&text)));
    }
    let any = (0..classpaths.len()).any(|index| reactor.is_module(index) && classpaths[index].is_some());
    match failure {
        None => Ok(Built { classpaths, compiled: true, resources: true, failure: None }),
        Some(failure) if any => {
            Ok(Built { classpaths, compiled: true, resources: true, failure: Some(failure) })
        }
        Some(failure) => without_lifecycle(maven, reactor, failure),
    }
}

/// Maven could build nothing: is it the sources, the network, or Maven?
fn without_lifecycle(maven: &Maven, reactor: &Reactor, failure: Failure) -> Result<Built, LangError> {
    if failure.level.is_none() && !failure.diagnostics.is_empty() {
        return Err(does_not_compile(maven.request(), reactor, failure));
    }
    let classpaths = match stripped::classpaths(maven, &reactor.projects) {
        Err(LangError::BuildTool { .. }) if !failure.unresolved.is_empty() => {
            return Err(unresolved(&failure, "this project"));
        }
        other => other?,
    };
    let mut goals = COPY_RESOURCES.map(str::to_owned).to_vec();
    goals.extend(selection(maven.request()));
    let resources = maven.run(&reactor.root, &goals)?.is_ok();
    Ok(Built { classpaths, compiled: false, resources, failure: Some(failure) })
}

fn does_not_compile(request: &LayoutRequest, reactor: &Reactor, failure: Failure) -> LangError {
    let tests: Vec<Utf8PathBuf> =
        reactor.projects.iter().map(|project| reactor.relative(&project.test_source)).collect();
    let in_tests = failure
        .diagnostics
        .iter()
        .all(|diagnostic| tests.iter().any(|folder| Utf8Path::new(&diagnostic.file).starts_with(folder)));
    let more = match failure.diagnostics.len() {
        1 => String::new(),
        count => format!(" (and {} more)", count - 1),
    };
    let mut modules = reactor.projects.iter().filter(|project| project.packaging != "pom");
    let level = modules
        .find_map(|project| effective_release(project.compiler.release, request.jdk).1)
        .map_or_else(String::new, |notice| format!("; {}", notice.text));
    LangError::DoesNotCompile {
        summary: format!("the project does not compile under Maven: {}{more}{level}", failure.diagnostics[0]),
        diagnostics: failure.diagnostics,
        in_tests,
    }
}

/// Properties that move the level to one that the JDK has, where all modules agree on which that is.
fn level_overrides(request: &LayoutRequest, projects: &[Project]) -> Vec<String> {
    let modules = projects.iter().filter(|project| project.packaging != "pom");
    let mut levels: Vec<(u32, bool)> = modules
        .map(|project| {
            let (level, notice) = effective_release(project.compiler.release, request.jdk);
            (level, notice.is_some())
        })
        .collect();
    levels.sort_unstable();
    levels.dedup_by_key(|(level, _)| *level);
    match levels.as_slice() {
        [(level, true)] => {
            ["maven.compiler.source", "maven.compiler.target", "maven.compile.source", "maven.compile.target"]
                .iter()
                .map(|property| format!("-D{property}={}", spelling(*level)))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Old plugins know `1.8`, new compilers both.
fn spelling(level: u32) -> String {
    if level <= 8 { format!("1.{level}") } else { level.to_string() }
}

fn first(failure: &Failure) -> String {
    let goal = failure.goals.first().map(|goal| format!("{}: {}", goal.goal, goal.message));
    failure
        .level
        .clone()
        .or(goal)
        .or_else(|| failure.lines.first().cloned())
        .unwrap_or_else(|| "it gave no reason; see the build log".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processed_folder_above_the_sources_is_narrowed_to_what_its_patterns_name() {
        let project = Project { source: "/p/src/main/java".into(), ..Project::default() };
        let taken = |folder: &str, includes: &[&str]| {
            let includes = includes.iter().map(ToString::to_string).collect();
            let resource = ProcessedResource { folder: folder.into(), includes };
            taken_from(&resource, Utf8Path::new("/p"), &project)
        };
        assert_eq!(taken("/p", &["NOTICE", "legal/*.txt"]), ["/p/NOTICE", "/p/legal"]);
        assert_eq!(taken("src/main/conf", &["*.xml"]), ["/p/src/main/conf"]);
        assert_eq!(taken("/p", &["**/*.xml"]), ["/p"]);
    }
}
