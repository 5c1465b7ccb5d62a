//! Reads the effective POM: what Maven makes of a project's POM, its parents, profiles and defaults.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use roxmltree::{Document, Node};

use crate::toolchain::parse_level;

/// One project of the reactor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Project {
    pub(crate) group: String,
    pub(crate) artifact: String,
    pub(crate) version: String,
    pub(crate) packaging: String,
    /// `target`.
    pub(crate) build_folder: Utf8PathBuf,
    pub(crate) source: Utf8PathBuf,
    pub(crate) test_source: Utf8PathBuf,
    /// Source folders that a plugin adds.
    pub(crate) added_sources: Vec<Utf8PathBuf>,
    /// Test source folders that a plugin adds.
    pub(crate) added_test_sources: Vec<Utf8PathBuf>,
    pub(crate) resources: Vec<Utf8PathBuf>,
    pub(crate) test_resources: Vec<Utf8PathBuf>,
    /// Those of both kinds that are not copied as they are.
    pub(crate) processed_resources: Vec<ProcessedResource>,
    /// `target/classes`.
    pub(crate) output: Utf8PathBuf,
    /// `target/test-classes`.
    pub(crate) test_output: Utf8PathBuf,
    pub(crate) compiler: Compiler,
    pub(crate) surefire: Surefire,
    /// The parts of the POM that say what it needs, as text: dependencies, their management, repositories.
    pub(crate) needs: String,
}

/// A resource folder whose files are filtered, put elsewhere, or of which only some are taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProcessedResource {
    pub(crate) folder: Utf8PathBuf,
    /// Patterns of the files that are taken; none means all.
    pub(crate) includes: Vec<String>,
}

/// How the compiler plugin is configured.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Compiler {
    pub(crate) release: Option<u32>,
    pub(crate) test_release: Option<u32>,
    pub(crate) encoding: Option<String>,
    pub(crate) options: Vec<String>,
    /// Patterns of sources that are not compiled.
    pub(crate) excludes: Vec<String>,
    /// Patterns of test sources that are not compiled.
    pub(crate) test_excludes: Vec<String>,
    /// Coordinates of the annotation processor path, where one is set.
    pub(crate) processors: Option<Vec<String>>,
}

/// How the tests are run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Surefire {
    pub(crate) includes: Vec<String>,
    pub(crate) excludes: Vec<String>,
    pub(crate) groups: Vec<String>,
    pub(crate) excluded_groups: Vec<String>,
    pub(crate) jvm_options: Vec<String>,
    /// JVM options that stand for something only Maven's own run would know.
    pub(crate) dropped_options: Vec<String>,
    pub(crate) system_properties: BTreeMap<String, String>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) working_folder: Option<Utf8PathBuf>,
    /// Each test class has a JVM of its own.
    pub(crate) fork_each_class: bool,
}

/// All projects of the reactor, in the order in which Maven builds them.
pub(crate) fn parse(text: &str) -> Result<Vec<Project>, String> {
    let document = Document::parse(text).map_err(|error| format!("the effective POM is not XML: {error}"))?;
    let root = document.root_element();
    let projects: Vec<Project> = match root.tag_name().name() {
        "projects" => children(root, "project").map(|node| project(node, text)).collect(),
        "project" => vec![project(root, text)],
        other => return Err(format!("the effective POM begins with <{other}>")),
    };
    Ok(projects)
}

fn project(node: Node, text: &str) -> Project {
    let from_parent =
        |name| value(node, name).or_else(|| value(child(node, "parent")?, name)).unwrap_or_default();
    let build = child(node, "build");
    let folder = |name| build.and_then(|build| value(build, name)).map(Utf8PathBuf::from).unwrap_or_default();
    let resources = |list, item| {
        let list = build.and_then(|build| child(build, list));
        list.map(|list| {
            children(list, item).filter_map(|node| value(node, "directory")).map(Into::into).collect()
        })
        .unwrap_or_default()
    };
    let properties = Properties(child(node, "properties"));
    Project {
        group: from_parent("groupId"),
        artifact: value(node, "artifactId").unwrap_or_default(),
        version: from_parent("version"),
        packaging: value(node, "packaging").unwrap_or_else(|| "jar".to_owned()),
        build_folder: folder("directory"),
        source: folder("sourceDirectory"),
        test_source: folder("testSourceDirectory"),
        added_sources: added(build, "add-source"),
        added_test_sources: added(build, "add-test-source"),
        resources: resources("resources", "resource"),
        test_resources: resources("testResources", "testResource"),
        processed_resources: [("resources", "resource"), ("testResources", "testResource")]
            .iter()
            .filter_map(|(list, item)| Some((child(build?, list)?, item)))
            .flat_map(|(list, item)| children(list, item).filter_map(processed).collect::<Vec<_>>())
            .collect(),
        output: folder("outputDirectory"),
        test_output: folder("testOutputDirectory"),
        compiler: compiler(build, properties),
        surefire: surefire(build, properties),
        needs: ["dependencyManagement", "dependencies", "repositories"]
            .iter()
            .filter_map(|name| child(node, name))
            .map(|part| text[part.range()].to_owned())
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

/// The resource, if its files do not end up as and where they are.
fn processed(resource: Node) -> Option<ProcessedResource> {
    let list = |name| {
        let list = child(resource, name);
        let items = list.iter().flat_map(|list| list.children().filter(Node::is_element));
        items.filter_map(text_of).collect::<Vec<_>>()
    };
    let (includes, excludes) = (list("includes"), list("excludes"));
    let filtered = value(resource, "filtering").is_some_and(|text| text != "false");
    let moved = value(resource, "targetPath").is_some_and(|path| path != "." && path != "./");
    let folder = value(resource, "directory")?.into();
    (filtered || moved || !includes.is_empty() || !excludes.is_empty())
        .then_some(ProcessedResource { folder, includes })
}

/// The project's `<properties>`.
#[derive(Clone, Copy)]
struct Properties<'a>(Option<Node<'a, 'a>>);

impl Properties<'_> {
    fn get(self, name: &str) -> Option<String> {
        value(self.0?, name)
    }
}

/// A plugin's configuration for one of its executions: what the execution says comes before what the plugin says.
struct Settings<'a> {
    plugin: Option<Node<'a, 'a>>,
    configurations: Vec<Node<'a, 'a>>,
}

impl<'a> Settings<'a> {
    fn of(build: Option<Node<'a, 'a>>, artifact: &str, execution: &str) -> Self {
        let plugin = plugin(build, artifact);
        let executions = plugin.and_then(|plugin| child(plugin, "executions"));
        let execution = executions.and_then(|executions| {
            children(executions, "execution").find(|node| value(*node, "id").as_deref() == Some(execution))
        });
        let configurations = [execution, plugin]
            .into_iter()
            .flatten()
            .filter_map(|node| child(node, "configuration"))
            .collect();
        Self { plugin, configurations }
    }

    fn node(&self, name: &str) -> Option<Node<'a, 'a>> {
        self.configurations.iter().find_map(|configuration| child(*configuration, name))
    }

    fn value(&self, name: &str) -> Option<String> {
        self.configurations.iter().find_map(|configuration| value(*configuration, name))
    }

    fn list(&self, name: &str) -> Vec<String> {
        let Some(list) = self.node(name) else { return Vec::new() };
        list.children().filter(Node::is_element).filter_map(text_of).collect()
    }

    fn pairs(&self, name: &str) -> BTreeMap<String, String> {
        let Some(list) = self.node(name) else { return BTreeMap::new() };
        list.children()
            .filter(|node| node.is_element() && !node.children().any(|child| child.is_element()))
            .map(|node| (node.tag_name().name().to_owned(), text_of(node).unwrap_or_default()))
            .filter(|(_, value)| is_resolved(value))
            .collect()
    }
}

fn compiler(build: Option<Node>, properties: Properties) -> Compiler {
    let settings = Settings::of(build, "maven-compiler-plugin", "default-compile");
    let test_settings = Settings::of(build, "maven-compiler-plugin", "default-testCompile");
    let level = |settings: &Settings, names: &[(&str, &str)]| {
        names
            .iter()
            .find_map(|(key, property)| settings.value(key).or_else(|| properties.get(property)))
            .and_then(|text| parse_level(&text))
    };
    let main = [
        ("release", "maven.compiler.release"),
        ("source", "maven.compiler.source"),
        ("target", "maven.compiler.target"),
    ];
    let test = [
        ("testRelease", "maven.compiler.testRelease"),
        ("release", "maven.compiler.testRelease"),
        ("testSource", "maven.compiler.testSource"),
        ("testTarget", "maven.compiler.testTarget"),
    ];
    let version = settings.plugin.and_then(|plugin| value(plugin, "version")).unwrap_or_default();
    let release = level(&settings, &main).or_else(|| default_level(&version));
    Compiler {
        release,
        test_release: level(&test_settings, &test).filter(|level| Some(*level) != release),
        encoding: settings
            .value("encoding")
            .or_else(|| properties.get("encoding"))
            .or_else(|| properties.get("project.build.sourceEncoding"))
            .filter(|encoding| is_resolved(encoding)),
        options: compiler_options(&settings, properties),
        excludes: patterns(&settings, "excludes"),
        test_excludes: patterns(&test_settings, "testExcludes"),
        processors: processors(&settings),
    }
}

/// The level of a compiler plugin that was told none.
fn default_level(version: &str) -> Option<u32> {
    let mut numbers = version.split(['.', '-']).map(|part| part.parse::<u32>().unwrap_or(0));
    let (major, minor) = (numbers.next()?, numbers.next().unwrap_or(0));
    Some(match (major, minor) {
        (0, _) => return None,
        (1..=2, _) | (3, 0..=7) => 5,
        (3, 8) => 6,
        (3, 9..=10) => 7,
        _ => 8,
    })
}

fn compiler_options(settings: &Settings, properties: Properties) -> Vec<String> {
    let mut options = Vec::new();
    let parameters = settings.value("parameters").or_else(|| properties.get("maven.compiler.parameters"));
    if parameters.as_deref() == Some("true") {
        options.push("-parameters".to_owned());
    }
    if let Some(proc) = settings.value("proc").or_else(|| properties.get("maven.compiler.proc")) {
        options.push(format!("-proc:{proc}"));
    }
    options.extend(settings.list("compilerArgs"));
    options.extend(settings.value("compilerArgument").iter().flat_map(|text| words(text)));
    if let Some(list) = settings.node("compilerArguments") {
        for node in list.children().filter(Node::is_element) {
            let name = node.tag_name().name();
            options.push(format!("-{}", name.trim_start_matches('-')));
            options.extend(text_of(node));
        }
    }
    without_lint(options)
}

/// Lint and error limits change nothing in the class files; `-Werror` only forbids.
fn without_lint(options: Vec<String>) -> Vec<String> {
    let mut kept = Vec::new();
    let mut options = options.into_iter();
    while let Some(option) = options.next() {
        match option.as_str() {
            "-Xmaxerrs" | "-Xmaxwarns" => drop(options.next()),
            "-Werror" | "-verbose" | "-deprecation" | "-nowarn" => {}
            lint if lint.starts_with("-Xlint") || lint.starts_with("-Xdoclint") => {}
            other if !is_resolved(other) => {}
            _ => kept.push(option),
        }
    }
    kept
}

fn processors(settings: &Settings) -> Option<Vec<String>> {
    let paths = settings.node("annotationProcessorPaths")?;
    let coordinate = |node: Node| {
        let [group, artifact, version] = ["groupId", "artifactId", "version"].map(|name| value(node, name));
        Some(format!("{}:{}:{}", group?, artifact?, version?))
    };
    Some(paths.children().filter(Node::is_element).filter_map(coordinate).collect())
}

fn surefire(build: Option<Node>, properties: Properties) -> Surefire {
    let settings = Settings::of(build, "maven-surefire-plugin", "default-test");
    let names = |key: &str, property: &str| {
        let text = settings.value(key).or_else(|| properties.get(property)).unwrap_or_default();
        text.split([',', '|']).map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
    };
    let mut system_properties = settings.pairs("systemProperties");
    system_properties.extend(named_pairs(&settings));
    system_properties.extend(settings.pairs("systemPropertyVariables"));
    let arguments = settings.value("argLine").or_else(|| properties.get("argLine")).unwrap_or_default();
    let (jvm_options, dropped_options) = words(&arguments).into_iter().partition(|word| is_resolved(word));
    Surefire {
        includes: patterns(&settings, "includes"),
        excludes: patterns(&settings, "excludes"),
        groups: names("groups", "groups"),
        excluded_groups: names("excludedGroups", "excludedGroups"),
        jvm_options,
        dropped_options,
        system_properties,
        environment: settings.pairs("environmentVariables"),
        working_folder: settings.value("workingDirectory").filter(|path| is_resolved(path)).map(Into::into),
        fork_each_class: forks_each_class(&settings, properties),
    }
}

/// `forkMode` is the old way to say it, and where it says something, it is what counts.
fn forks_each_class(settings: &Settings, properties: Properties) -> bool {
    let get = |key: &str, property: &str| {
        settings.value(key).or_else(|| properties.get(property)).unwrap_or_default().to_lowercase()
    };
    match get("forkMode", "forkMode").as_str() {
        "always" | "pertest" => true,
        "never" => false,
        _ => get("reuseForks", "reuseForks") == "false" && get("forkCount", "forkCount") != "0",
    }
}

/// `<systemProperties><property><name>…</name><value>…</value></property></systemProperties>`.
fn named_pairs(settings: &Settings) -> BTreeMap<String, String> {
    let Some(list) = settings.node("systemProperties") else { return BTreeMap::new() };
    children(list, "property")
        .filter_map(|node| Some((value(node, "name")?, value(node, "value")?)))
        .collect()
}

fn patterns(settings: &Settings, name: &str) -> Vec<String> {
    settings
        .list(name)
        .iter()
        .flat_map(|text| text.split(','))
        .map(|pattern| pattern.trim().to_owned())
        .filter(|pattern| !pattern.is_empty() && is_resolved(pattern))
        .collect()
}

/// Folders that the build helper adds in executions of this goal.
fn added(build: Option<Node>, goal: &str) -> Vec<Utf8PathBuf> {
    let executions =
        plugin(build, "build-helper-maven-plugin").and_then(|plugin| child(plugin, "executions"));
    let Some(executions) = executions else { return Vec::new() };
    children(executions, "execution")
        .filter(|node| {
            child(*node, "goals").is_some_and(|goals| {
                children(goals, "goal").any(|node| text_of(node).as_deref() == Some(goal))
            })
        })
        .filter_map(|node| child(child(node, "configuration")?, "sources"))
        .flat_map(|sources| {
            sources.children().filter(Node::is_element).filter_map(text_of).collect::<Vec<_>>()
        })
        .map(Utf8PathBuf::from)
        .collect()
}

fn plugin<'a>(build: Option<Node<'a, 'a>>, artifact: &str) -> Option<Node<'a, 'a>> {
    children(child(build?, "plugins")?, "plugin")
        .find(|node| value(*node, "artifactId").as_deref() == Some(artifact))
}

fn is_resolved(text: &str) -> bool {
    !text.contains("${") && !text.contains("@{")
}

/// Splits a command line as a shell would; an unbalanced quote makes it words between blanks.
fn words(text: &str) -> Vec<String> {
    shlex::split(text).unwrap_or_else(|| text.split_whitespace().map(str::to_owned).collect())
}

fn children<'a>(node: Node<'a, 'a>, name: &str) -> impl Iterator<Item = Node<'a, 'a>> {
    let name = name.to_owned();
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

fn child<'a>(node: Node<'a, 'a>, name: &str) -> Option<Node<'a, 'a>> {
    node.children().find(|child| child.is_element() && child.tag_name().name() == name)
}

fn value(node: Node, name: &str) -> Option<String> {
    node.children().find(|child| child.is_element() && child.tag_name().name() == name).and_then(text_of)
}

fn text_of(node: Node) -> Option<String> {
    node.text().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use camino::Utf8Path;

    fn saved() -> Vec<Project> {
        let path =
            Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/layout/maven-effective/two-modules.xml");
        parse(&fs_err::read_to_string(path).unwrap()).unwrap()
    }

    #[test]
    fn projects_come_in_the_order_of_the_reactor_with_inherited_coordinates() {
        let found: Vec<_> = saved()
            .into_iter()
            .map(|project| {
                format!("{}:{}:{} {}", project.group, project.artifact, project.version, project.packaging)
            })
            .collect();
        let expected = [
            "org.example:parent:1.0-SNAPSHOT pom",
            "org.example:core:1.0-SNAPSHOT jar",
            "org.example:bare:1.0-SNAPSHOT jar",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn folders_and_what_plugins_add_are_read() {
        let core = &saved()[1];
        assert_eq!(core.source, "/project/core/src/main/java");
        assert_eq!(core.added_sources, ["src/more/java"]);
        assert_eq!(core.added_test_sources, ["/project/core/src/it/java"]);
        assert_eq!(core.resources, ["/project/core/src/main/resources", "/project/core"]);
        assert_eq!(core.test_output, "/project/core/target/test-classes");
    }

    #[test]
    fn the_compiler_is_set_by_plugin_execution_and_property() {
        let compiler = &saved()[1].compiler;
        assert_eq!((compiler.release, compiler.test_release), (Some(8), Some(11)));
        assert_eq!(compiler.encoding.as_deref(), Some("UTF-8"));
        assert_eq!(compiler.test_excludes, ["**/Benchmark*"]);
        assert_eq!(compiler.options, ["-parameters", "-XDcompilePolicy=simple"]);
        assert_eq!(compiler.processors.as_deref(), Some(["org.example:processor:2.1".to_owned()].as_slice()));
    }

    #[test]
    fn a_compiler_plugin_that_was_told_nothing_has_the_level_of_its_time() {
        assert_eq!(saved()[2].compiler.release, Some(5));
        assert_eq!(default_level("2.3.2"), Some(5));
        assert_eq!(default_level("3.8.1"), Some(6));
        assert_eq!(default_level("3.10.1"), Some(7));
        assert_eq!(default_level("3.13.0"), Some(8));
        assert_eq!(default_level(""), None);
    }

    #[test]
    fn surefire_is_read_and_what_only_maven_can_fill_in_is_set_aside() {
        let surefire = &saved()[1].surefire;
        assert_eq!(surefire.includes, ["**/*Test.java", "**/*Check.java"]);
        assert_eq!(surefire.excludes, ["**/Slow*.java"]);
        assert_eq!(surefire.groups, ["fast", "small"]);
        assert_eq!(surefire.excluded_groups, ["org.example.Slow", "org.example.Net"]);
        assert_eq!(surefire.jvm_options, ["-Xmx512m", "-Dname=two words"]);
        assert_eq!(surefire.dropped_options, ["@{argLine}", "-javaagent:${agent.jar}"]);
        let properties = [("one", "1"), ("two", "2")].map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(surefire.system_properties, BTreeMap::from(properties));
        assert_eq!(surefire.environment.get("MODE").map(String::as_str), Some("test"));
        assert_eq!(surefire.working_folder.as_deref(), Some(Utf8Path::new("/project/core/run")));
    }

    #[test]
    fn resources_that_are_not_just_copied_are_told_apart() {
        let core = &saved()[1];
        let expected =
            ProcessedResource { folder: "/project/core".into(), includes: vec!["NOTICE".to_owned()] };
        assert_eq!(core.processed_resources, [expected]);
        let processed = |inside: &str| {
            let text = format!(
                "<project><build><testResources><testResource><directory>/r</directory>{inside}</testResource>\
                 </testResources></build></project>"
            );
            !parse(&text).unwrap()[0].processed_resources.is_empty()
        };
        assert!(!processed("") && !processed("<filtering>false</filtering><excludes/>"));
        assert!(processed("<filtering>true</filtering>") && processed("<targetPath>META-INF</targetPath>"));
        assert!(processed("<excludes><exclude>*.bak</exclude></excludes>"));
    }

    #[test]
    fn a_jvm_for_each_test_class_is_noticed_in_the_old_and_the_new_way() {
        let forks = |settings: &str, properties: &str| {
            let text = format!(
                "<project><properties>{properties}</properties><build><plugins><plugin>\
                 <artifactId>maven-surefire-plugin</artifactId><configuration>{settings}</configuration>\
                 </plugin></plugins></build></project>"
            );
            parse(&text).unwrap()[0].surefire.fork_each_class
        };
        assert!(forks("<reuseForks>false</reuseForks><forkCount>1</forkCount>", ""));
        assert!(forks("", "<reuseForks>false</reuseForks>"));
        assert!(forks("<forkMode>always</forkMode>", "") && forks("<forkMode>perTest</forkMode>", ""));
        assert!(!forks("", "") && !forks("<forkMode>once</forkMode>", ""));
        assert!(!forks("<reuseForks>false</reuseForks><forkCount>0</forkCount>", ""));
    }

    #[test]
    fn needs_are_kept_as_text_for_poms_without_plugins() {
        let needs = &saved()[1].needs;
        assert!(needs.starts_with("<dependencyManagement>") && needs.ends_with("</dependencies>"), "{needs}");
    }

    #[test]
    fn a_single_project_has_no_list_around_it() {
        let text = "<project><groupId>g</groupId><artifactId>a</artifactId><version>1</version></project>";
        assert_eq!(parse(text).unwrap()[0].artifact, "a");
        assert!(parse("<other/>").is_err() && parse("no xml").is_err());
    }
}
