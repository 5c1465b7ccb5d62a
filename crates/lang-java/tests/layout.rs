//! Layouts of small projects, by the real tools. What needs Maven is left out where there is none.

#![expect(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

use bonafix_lang::LangError;
use bonafix_lang_java::layout::{Classes, Layout, LayoutRequest, Role, discover, launcher_jars};
use bonafix_lang_java::toolchain::{Jdk, find_tool};
use bonafix_model::{JavaBuild, JavaConfig};
use bonafix_proc::{Launcher, SandboxMode};
use camino::{Utf8Path, Utf8PathBuf};

/// A project in a temporary folder.
struct Trial {
    _keep: tempfile::TempDir,
    root: Utf8PathBuf,
    config: JavaConfig,
}

impl Trial {
    fn new(files: &[(&str, &str)]) -> Self {
        let keep = tempfile::tempdir().unwrap();
        let folder = Utf8PathBuf::from_path_buf(keep.path().canonicalize().unwrap()).unwrap();
        let root = folder.join("project");
        for (path, text) in files {
            let path = root.join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        Self { _keep: keep, root, config: JavaConfig::default() }
    }

    fn with<T>(&self, act: impl FnOnce(&LayoutRequest) -> T) -> T {
        let jdk = Jdk::find(None).unwrap();
        let launcher = Launcher::new(SandboxMode::Off).unwrap();
        let beside = self.root.parent().unwrap();
        let (log, cache) = (beside.join("build.log"), beside.join("cache"));
        act(&LayoutRequest {
            root: &self.root,
            config: &self.config,
            jdk: &jdk,
            launcher: &launcher,
            log: &log,
            cache: &cache,
        })
    }

    fn discover(&self) -> Result<Layout, LangError> {
        self.with(discover)
    }
}

fn has_maven() -> bool {
    find_tool("mvn").is_some()
}

fn keys(layout: &Layout) -> Vec<&str> {
    layout.notices.iter().map(|notice| notice.key.as_str()).collect()
}

fn pom(artifact: &str, rest: &str) -> String {
    format!(
        "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
         <groupId>org.example</groupId><artifactId>{artifact}</artifactId><version>1</version>{rest}</project>"
    )
}

const LEVEL_8: &str = "<properties><maven.compiler.source>1.8</maven.compiler.source>\
    <maven.compiler.target>1.8</maven.compiler.target>\
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>";
const JUNIT: &str = "<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId>\
    <version>4.13.2</version><scope>test</scope></dependency></dependencies>";
const MAIN: &str = "package p; public class A { public static int f() { return 1; } }";
const TEST: &str =
    "package p; import org.junit.Test; public class ATest { @Test public void t() { A.f(); } }";

#[test]
fn sources_without_tests_need_no_build_tool() {
    let layout = Trial::new(&[("src/p/A.java", MAIN), ("src/p/a.txt", "")]).discover().unwrap();
    assert_eq!(layout.build_system, "plain");
    let module = &layout.modules[0];
    assert_eq!(
        (module.sources.as_slice(), module.resources.as_slice()),
        (&["src".into()][..], &["src".into()][..])
    );
    assert!(module.tests.is_empty() && module.classpath.is_empty() && layout.notices.is_empty());
    assert_eq!(module.classes, Classes::ToCompile);
}

#[test]
fn a_folder_without_sources_names_the_key_to_set() {
    let error = Trial::new(&[("README", "")]).discover().unwrap_err().to_string();
    assert!(error.contains("`java.sources`"), "{error}");
}

#[test]
fn a_module_declaration_is_left_out_of_what_no_build_tool_compiles() {
    let layout =
        Trial::new(&[("src/p/A.java", MAIN), ("src/module-info.java", "module m {}")]).discover().unwrap();
    assert_eq!(keys(&layout), ["module-info"]);
    let module = &layout.modules[0];
    assert!(module.role_of(Utf8Path::new("src/module-info.java"), None).is_none());
    assert!(module.role_of(Utf8Path::new("src/p/A.java"), None).is_some());
}

#[test]
fn a_configured_folder_that_is_missing_is_named() {
    let mut trial = Trial::new(&[("src/p/A.java", MAIN)]);
    trial.config.sources = vec!["source".into()];
    let error = trial.discover().unwrap_err().to_string();
    assert!(error.contains("`java.sources`") && error.contains("`source`"), "{error}");
}

#[test]
fn configured_sources_come_before_a_build_file() {
    let mut trial = Trial::new(&[("pom.xml", "not even XML"), ("code/p/A.java", MAIN)]);
    trial.config.sources = vec!["./code".into()];
    trial.config.release = Some(8);
    let layout = trial.discover().unwrap();
    assert_eq!((layout.build_system.as_str(), layout.modules[0].release), ("plain", Some(8)));
    assert_eq!(layout.modules[0].sources, ["code"]);
    trial.config.build = Some(JavaBuild::Maven);
    let error = trial.discover().unwrap_err().to_string();
    assert!(error.contains("java.build") && error.contains("java.sources"), "{error}");
}

#[test]
fn an_ant_project_is_read_and_its_jars_are_found() {
    let build = "<project><javac srcdir='src' source='1.5' encoding='ISO-8859-1'/></project>";
    let trial = Trial::new(&[
        ("build.xml", build),
        ("src/p/A.java", MAIN),
        ("test/p/ATest.java", TEST),
        ("lib/junit-4.13.2.jar", ""),
    ]);
    let layout = trial.discover().unwrap();
    let module = &layout.modules[0];
    assert_eq!((layout.build_system.as_str(), module.release), ("ant", Some(5)));
    assert_eq!(module.encoding.as_deref(), Some("ISO-8859-1"));
    assert_eq!(module.classpath, [trial.root.join("lib/junit-4.13.2.jar")]);
    assert!(keys(&layout).contains(&"project-jars") && !keys(&layout).contains(&"default-junit"));
}

#[test]
fn a_defects4j_checkout_needs_no_defects4j() {
    let trial = Trial::new(&[
        (".defects4j.config", "pid=None\nvid=1b\n"),
        (
            "defects4j.build.properties",
            "d4j.dir.src.classes=src/java\nd4j.dir.src.tests=src/test\nd4j.tests.trigger=p.ATest::t\n",
        ),
        ("build.xml", "<project><javac source='${level}'/></project>"),
        ("default.properties", "level = 1.3\n"),
        ("src/java/p/A.java", MAIN),
        ("src/test/p/ATest.java", TEST),
        ("lib/junit.jar", ""),
    ]);
    let layout = trial.discover().unwrap();
    let module = &layout.modules[0];
    assert_eq!(layout.build_system, "defects4j");
    assert_eq!(layout.failing, ["p.ATest#t"]);
    assert_eq!((module.sources[0].as_str(), module.tests[0].as_str()), ("src/java", "src/test"));
    assert_eq!(module.release, Some(3));
    assert_eq!(module.environment.get("TZ").map(String::as_str), Some("America/Los_Angeles"));
    assert!(keys(&layout).contains(&"release-level"));
}

#[test]
fn a_flat_folder_gets_the_junit_that_its_tests_import() {
    if !has_maven() {
        return;
    }
    let trial = Trial::new(&[
        ("Sum.java", "class Sum {}"),
        ("SumTest.java", "import org.junit.jupiter.api.Test; class SumTest {}"),
    ]);
    let layout = trial.discover().unwrap();
    let module = &layout.modules[0];
    assert_eq!(module.role_of(Utf8Path::new("SumTest.java"), None).unwrap().0, Role::Test);
    assert_eq!(module.role_of(Utf8Path::new("Sum.java"), None).unwrap().0, Role::Main);
    assert_eq!(keys(&layout), ["default-junit"]);
    let launcher = trial.with(|request| launcher_jars(request, &module.classpath)).unwrap();
    assert!(
        launcher.iter().any(|jar| jar.as_str().contains("junit-platform-launcher-1.10.2")),
        "{launcher:?}"
    );
}

#[test]
fn a_dependency_that_does_not_exist_is_named() {
    if !has_maven() {
        return;
    }
    let mut trial = Trial::new(&[("src/p/A.java", MAIN)]);
    trial.config.dependencies = vec!["org.example:no-such-thing:1.0".to_owned()];
    trial.config.build_arguments = vec!["-o".to_owned()];
    let error = trial.discover().unwrap_err().to_string();
    assert!(error.contains("org.example:no-such-thing"), "{error}");
}

#[test]
fn a_maven_project_is_built_and_described_by_maven() {
    if !has_maven() {
        return;
    }
    let trial = Trial::new(&[
        ("pom.xml", &pom("one", &format!("{LEVEL_8}{JUNIT}"))),
        ("src/main/java/p/A.java", MAIN),
        ("src/main/resources/a.txt", ""),
        ("src/test/java/p/ATest.java", TEST),
    ]);
    let layout = trial.discover().unwrap();
    let module = &layout.modules[0];
    assert_eq!((layout.build_system.as_str(), layout.modules.len()), ("maven", 1));
    assert_eq!((module.name.as_str(), module.folder.as_str(), module.release), ("one", "", Some(8)));
    let names: Vec<_> = module.classpath.iter().filter_map(|jar| jar.file_name()).collect();
    assert_eq!(names, ["junit-4.13.2.jar", "hamcrest-core-1.3.jar"]);
    assert!(
        trial.root.join("target/classes/p/A.class").is_file()
            && trial.root.join("target/classes/a.txt").is_file()
    );
    assert_eq!(
        module.classes,
        Classes::Built { main: "target/classes".into(), test: "target/test-classes".into() }
    );
    assert!(layout.notices.is_empty(), "{:?}", layout.notices);
}

#[test]
fn modules_of_a_maven_project_know_each_other() {
    if !has_maven() {
        return;
    }
    let parent = "<packaging>pom</packaging><modules><module>app</module><module>core</module></modules>";
    let core = "<dependency><groupId>org.example</groupId><artifactId>core</artifactId><version>1</version></dependency>";
    let tests = "<dependency><groupId>org.example</groupId><artifactId>core</artifactId><version>1</version>\
                 <type>test-jar</type><scope>test</scope></dependency>";
    let app = JUNIT.replace("</dependencies>", &format!("{core}{tests}</dependencies>"));
    let trial = Trial::new(&[
        ("pom.xml", &pom("all", parent)),
        ("core/pom.xml", &pom("core", &format!("{LEVEL_8}{JUNIT}"))),
        ("core/src/main/java/p/A.java", MAIN),
        ("core/src/test/java/p/ATest.java", TEST),
        ("app/pom.xml", &pom("app", &format!("{LEVEL_8}{app}"))),
        ("app/src/main/java/q/B.java", "package q; class B { int g() { return p.A.f(); } }"),
        ("app/src/test/java/q/BTest.java", "package q; public class BTest extends p.ATest { }"),
    ]);
    let layout = trial.discover().unwrap();
    let names: Vec<_> = layout.modules.iter().map(|module| module.name.as_str()).collect();
    assert_eq!(names, ["core", "app"]);
    assert_eq!(layout.modules[1].folder, "app");
    assert_eq!((&layout.modules[1].upstream, &layout.modules[1].upstream_tests), (&vec![0], &vec![0]));
    assert!(layout.modules[1].classpath.iter().all(|entry| !entry.starts_with(&trial.root)));
}

#[test]
fn sources_that_do_not_compile_are_told_by_file_and_line() {
    if !has_maven() {
        return;
    }
    let trial = Trial::new(&[
        ("pom.xml", &pom("one", LEVEL_8)),
        ("src/main/java/p/A.java", "package p;\nclass A { int x = y; }"),
    ]);
    match trial.discover().unwrap_err() {
        LangError::DoesNotCompile { diagnostics, in_tests, .. } => {
            assert_eq!((diagnostics[0].file.as_str(), diagnostics[0].line), ("src/main/java/p/A.java", 2));
            assert!(!in_tests);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_level_that_only_the_build_file_sets_is_worked_around() {
    if !has_maven() {
        return;
    }
    let build = "<build><plugins><plugin><artifactId>maven-compiler-plugin</artifactId><configuration>\
                 <source>1.4</source><target>1.4</target></configuration></plugin></plugins></build>";
    let trial = Trial::new(&[
        ("pom.xml", &pom("old", &format!("{JUNIT}{build}"))),
        ("src/main/java/p/A.java", MAIN),
        ("src/main/resources/a.txt", ""),
        ("src/test/java/p/ATest.java", "package p; public class ATest extends junit.framework.TestCase { }"),
    ]);
    let layout = trial.discover().unwrap();
    let module = &layout.modules[0];
    // It stands in the POM as a number, which is raised in the private copy; so Maven can build after all.
    assert_eq!(module.release, Some(4));
    assert!(matches!(module.classes, Classes::Built { .. }), "{:?}", module.classes);
    assert_eq!(keys(&layout), ["release-level"]);
    assert_eq!(module.classpath.len(), 2);
    assert_eq!(module.resources, ["src/main/resources"]);
    assert!(trial.root.join("target/classes/a.txt").is_file());
}

#[test]
fn maven_resources_that_are_not_just_copied_and_forks_are_known() {
    if !has_maven() {
        return;
    }
    let build = "<build><resources>\
        <resource><directory>src/main/resources</directory></resource>\
        <resource><directory>src/main/conf</directory><targetPath>META-INF</targetPath></resource>\
        <resource><directory>src/main/filtered</directory><filtering>true</filtering></resource>\
        </resources><plugins><plugin><artifactId>maven-surefire-plugin</artifactId>\
        <configuration><reuseForks>false</reuseForks></configuration></plugin></plugins></build>";
    let trial = Trial::new(&[
        ("pom.xml", &pom("a", &format!("{LEVEL_8}{build}"))),
        ("src/main/java/p/A.java", MAIN),
        ("src/main/resources/a.properties", "a=1"),
        ("src/main/conf/b.properties", "b=1"),
        ("src/main/filtered/c.properties", "c=${project.version}"),
    ]);
    let layout = trial.discover().unwrap();
    let module = &layout.modules[0];
    assert_eq!(module.processed_resources, ["src/main/conf", "src/main/filtered"]);
    assert!(module.fork_each_class);
    let full = |path: &str| layout.needs_full_build(Utf8Path::new(path));
    assert!(full("src/main/conf/b.properties") && full("src/main/filtered/c.properties") && full("pom.xml"));
    assert!(full("src/main/templates/T.java"));
    assert!(!full("src/main/resources/a.properties") && !full("src/main/java/p/A.java"));
}
