//! Which changed files are beyond what can be put on top of the buggy classes, so that the build tool itself must run.

use camino::{Utf8Path, Utf8PathBuf};

use super::{Classes, Layout, MODULE_INFO, Module, deepest};

/// Files that steer a build, wherever they lie outside of the roots.
const BUILD_FILES: [&str; 4] = ["pom.xml", "build.xml", "maven-build.xml", "gradle.properties"];

/// Folders at the root of a project or module that hold parts of the build.
const BUILD_FOLDERS: [&str; 3] = [".mvn", "buildSrc", "gradle"];

/// Folders below `src` that only documentation is made from.
const DOCUMENTATION: [&str; 3] = ["site", "changes", "docs"];

impl Layout {
    /// Must the whole tree be built when the file at `path` (relative to the subject's root) changes? It is so for
    /// build files, for resources that the build tool does not just copy, and for files that only it knows how to use.
    pub fn needs_full_build(&self, path: &Utf8Path) -> bool {
        self.steers_build(path)
            || self.modules.iter().any(|module| module.is_processed(path))
            || (self.is_by_tool() && self.is_for_tool(path))
    }

    /// Did a build tool run?
    fn is_by_tool(&self) -> bool {
        matches!(self.build_system.as_str(), "maven" | "gradle")
    }

    fn steers_build(&self, path: &Utf8Path) -> bool {
        let Some(name) = path.file_name() else { return false };
        let is_named =
            BUILD_FILES.contains(&name) || name.ends_with(".gradle") || name.ends_with(".gradle.kts");
        if is_named && !self.modules.iter().any(|module| module.has_in_own_root(path)) {
            return true;
        }
        if self.build_system == "plain" {
            return false;
        }
        self.below_folders(path).any(|below| {
            let is_folder =
                below.components().next().is_some_and(|part| BUILD_FOLDERS.contains(&part.as_str()));
            if below.as_str() == name {
                below.extension() == Some("properties") || name.starts_with("settings.")
            } else {
                self.is_by_tool() && is_folder
            }
        })
    }

    /// The path as seen from the project's folder and from those of the modules that it lies in.
    fn below_folders<'a>(&'a self, path: &'a Utf8Path) -> impl Iterator<Item = &'a Utf8Path> {
        let folders = self.modules.iter().map(|module| module.folder.as_path());
        std::iter::once(Utf8Path::new("")).chain(folders).filter_map(|folder| path.strip_prefix(folder).ok())
    }

    /// Something below `src` that is neither compiled nor copied as it is: what code is generated from, sources in other
    /// languages.
    fn is_for_tool(&self, path: &Utf8Path) -> bool {
        let below_src = self.below_folders(path).filter_map(|below| below.strip_prefix("src").ok());
        let documentation = |below: &Utf8Path| {
            below.components().next().is_some_and(|part| DOCUMENTATION.contains(&part.as_str()))
        };
        let mut below_src = below_src.peekable();
        let is_source =
            below_src.peek().is_some() || self.modules.iter().any(|module| module.has_source(path));
        is_source
            && !below_src.any(documentation)
            && !matches!(path.extension(), Some("md" | "txt" | "html"))
            && !self.modules.iter().any(|module| module.has_copied(path) || module.has_java(path))
    }
}

impl Module {
    fn has_source(&self, path: &Utf8Path) -> bool {
        deepest(&self.sources, path).or_else(|| deepest(&self.tests, path)).is_some()
    }

    /// A Java source in one of the roots, compiled or not.
    fn has_java(&self, path: &Utf8Path) -> bool {
        path.extension() == Some("java") && self.has_source(path)
    }

    /// A resource that is copied as it is.
    fn has_copied(&self, path: &Utf8Path) -> bool {
        deepest(&self.resources, path).or_else(|| deepest(&self.test_resources, path)).is_some()
    }

    /// In a root that is not simply the module's folder?
    fn has_in_own_root(&self, path: &Utf8Path) -> bool {
        let lists = [&self.sources, &self.tests, &self.resources, &self.test_resources];
        let mut roots = lists.into_iter().flatten();
        roots.any(|root: &Utf8PathBuf| *root != self.folder && path.starts_with(root))
    }

    fn is_processed(&self, path: &Utf8Path) -> bool {
        let is_declaration = path.file_name() == Some(MODULE_INFO) && self.classes != Classes::ToCompile;
        (is_declaration && self.has_java(path))
            || (!self.has_java(path) && deepest(&self.processed_resources, path).is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(system: &str) -> Layout {
        let mut layout = Layout::new(system);
        for folder in ["", "core"] {
            let folder = Utf8Path::new(folder);
            let mut module = Module::new("m", folder);
            module.sources = vec![folder.join("src/main/java")];
            module.tests = vec![folder.join("src/test/java")];
            module.resources = vec![folder.join("src/main/resources"), folder.join("src/main/conf")];
            module.test_resources = vec![folder.join("src/test/resources")];
            module.classes = Classes::Built { main: folder.join("c"), test: folder.join("t") };
            layout.modules.push(module);
        }
        layout.modules[1].processed_resources = vec!["core/src/main/conf".into(), "core/NOTICE".into()];
        layout
    }

    fn check(system: &str, expected: bool, paths: &[&str]) {
        let layout = layout(system);
        for path in paths {
            assert_eq!(layout.needs_full_build(Utf8Path::new(path)), expected, "{system}: {path}");
        }
    }

    #[test]
    fn build_files_need_the_build_tool() {
        let always = ["pom.xml", "parent/pom.xml", "build.xml", "core/build.gradle", "x/deps.gradle.kts"];
        for system in ["maven", "gradle", "ant", "plain", "defects4j"] {
            check(system, true, &always);
            check(system, false, &["README.md", "core/src/test/resources/pom.xml", "doc/x.properties"]);
        }
        check(
            "gradle",
            true,
            &["gradle.properties", "gradle/libs.versions.toml", "buildSrc/src/main/java/P.java"],
        );
        check("maven", true, &[".mvn/maven.config", "core/filter.properties", "settings.xml"]);
        check("ant", true, &["build.properties"]);
        check("plain", false, &["messages.properties", "gradle/X.java"]);
    }

    #[test]
    fn resources_that_are_processed_need_the_build_tool() {
        check("maven", true, &["core/src/main/conf/app.properties", "core/NOTICE"]);
        check("maven", false, &["src/main/conf/app.properties", "core/src/main/resources/a.xml", "NOTICE"]);
    }

    #[test]
    fn a_processed_root_of_sources_leaves_the_sources_alone() {
        let mut layout = layout("maven");
        layout.modules[0].processed_resources = vec!["src/main/java".into()];
        assert!(!layout.needs_full_build(Utf8Path::new("src/main/java/p/A.java")));
        assert!(layout.needs_full_build(Utf8Path::new("src/main/java/p/a.properties")));
    }

    #[test]
    fn what_only_the_build_tool_knows_how_to_use_needs_it() {
        let inputs = [
            "src/main/templates/T.java",
            "core/src/main/antlr4/G.g4",
            "src/main/kotlin/K.kt",
            "src/main/java/p/P.kt",
        ];
        check("maven", true, &inputs);
        check("gradle", true, &inputs);
        check("plain", false, &inputs);
        let others = [
            "src/site/a.xml",
            "core/src/docs/a.adoc",
            "src/main/java/p/package.html",
            "src/main/java/p/A.java",
        ];
        check("maven", false, &others);
        check(
            "maven",
            false,
            &["src/test/java/p/T.java", "scripts/release.sh", "core/src/test/resources/x.kt"],
        );
    }

    #[test]
    fn a_module_declaration_that_the_build_tool_compiles_needs_it() {
        check("maven", true, &["src/main/java/module-info.java"]);
        let mut layout = layout("maven");
        layout.modules.truncate(1);
        layout.modules[0].classes = Classes::ToCompile;
        assert!(!layout.needs_full_build(Utf8Path::new("src/main/java/module-info.java")));
    }
}
