//! What holds for every build system: the user's configuration on top, levels, encodings.

use bonafix_lang::LangError;
use bonafix_model::Notice;
use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobSetBuilder};
use walkdir::WalkDir;

use super::dependencies::{self, Wanted};
use super::{Classes, Layout, LayoutRequest, MODULE_INFO, Module, sources};
use crate::toolchain::effective_release;

/// Puts the configuration on top of what was found, and tells what must differ from what the project asks for.
pub(crate) fn finish(request: &LayoutRequest, layout: &mut Layout) -> Result<(), LangError> {
    let jars = configured_classpath(request)?;
    for module in &mut layout.modules {
        configure(request, module, &jars);
        layout.notices.extend(check_encoding(request.root, module));
        layout.notices.extend(module_info(request.root, module));
        let (_, notice) = effective_release(module.release, request.jdk);
        layout.notices.extend(notice);
    }
    let mut seen = Vec::new();
    layout.notices.retain(|notice| {
        let new = !seen.contains(notice);
        seen.push(notice.clone());
        new
    });
    if layout.modules.is_empty() {
        return Err(LangError::Configuration {
            message: "the build has no module with Java sources; set `java.modules`, or `java.sources` and `java.tests`"
                .to_owned(),
        });
    }
    Ok(())
}

/// `java.classpath`, expanded, and `java.dependencies`, resolved.
pub(crate) fn configured_classpath(request: &LayoutRequest) -> Result<Vec<Utf8PathBuf>, LangError> {
    let mut entries = Vec::new();
    for pattern in &request.config.classpath {
        entries.extend(expand(request.root, pattern)?);
    }
    entries.extend(dependencies::resolve(request, &request.config.dependencies, Wanted::Configured)?);
    Ok(entries)
}

/// The files and folders that an entry of `java.classpath` means, in order of path.
fn expand(root: &Utf8Path, pattern: &str) -> Result<Vec<Utf8PathBuf>, LangError> {
    let problem = |what: String| LangError::Configuration { message: format!("`java.classpath`: {what}") };
    if !pattern.contains(['*', '?', '[', '{']) {
        let path = root.join(pattern);
        return if path.exists() { Ok(vec![path]) } else { Err(problem(format!("there is no `{pattern}`"))) };
    }
    let whole = root.join(pattern);
    let start: Utf8PathBuf =
        whole.components().take_while(|part| !part.as_str().contains(['*', '?', '[', '{'])).collect();
    let rest = whole.strip_prefix(&start).unwrap_or(&whole);
    let glob = GlobBuilder::new(rest.as_str())
        .literal_separator(true)
        .build()
        .and_then(|glob| GlobSetBuilder::new().add(glob).build())
        .map_err(|error| problem(error.to_string()))?;
    let found: Vec<Utf8PathBuf> = WalkDir::new(&start)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .filter_map(|entry| Utf8PathBuf::from_path_buf(entry.into_path()).ok())
        .filter(|path| path.strip_prefix(&start).is_ok_and(|path| glob.is_match(path)))
        .collect();
    if found.is_empty() { Err(problem(format!("`{pattern}` matches nothing"))) } else { Ok(found) }
}

fn configure(request: &LayoutRequest, module: &mut Module, jars: &[Utf8PathBuf]) {
    let config = request.config;
    let replace = |list: &mut Vec<String>, given: &[String]| {
        if !given.is_empty() {
            *list = given.to_vec();
        }
    };
    if config.release.is_some() {
        module.release = config.release;
        module.test_release = None;
    }
    if config.encoding.is_some() {
        module.encoding.clone_from(&config.encoding);
    }
    for jar in jars {
        if !module.classpath.contains(jar) {
            module.classpath.push(jar.clone());
        }
    }
    module.javac_options.extend(config.javac_options.iter().cloned());
    module.jvm_options.extend(config.jvm_options.iter().cloned());
    replace(&mut module.test_includes, &config.test_includes);
    replace(&mut module.test_excludes, &config.test_excludes);
    replace(&mut module.groups, &config.groups);
    replace(&mut module.excluded_groups, &config.excluded_groups);
}

/// Sources that are said to be UTF-8, or of which nothing is said, and are not: Latin 1 can read any bytes.
fn check_encoding(root: &Utf8Path, module: &mut Module) -> Option<Notice> {
    let claimed = module.encoding.as_deref().unwrap_or("UTF-8");
    if !claimed.eq_ignore_ascii_case("UTF-8") && !claimed.eq_ignore_ascii_case("UTF8") {
        return None;
    }
    let roots = module.sources.iter().chain(&module.tests);
    let file = roots.filter_map(|folder| {
        let files = sources::scan(&root.join(folder));
        files.into_iter().find(|file| !file.utf8).map(|file| folder.join(file.path))
    });
    let file = file.min()?;
    module.encoding = Some("ISO-8859-1".to_owned());
    let built = matches!(module.classes, Classes::Built { .. });
    let how = if built { "changed files are compiled" } else { "the sources are compiled" };
    let text = format!("{file} is not UTF-8; {how} as ISO-8859-1 (`java.encoding` sets another)");
    Some(Notice::new("source-encoding", text))
}

/// What we compile ourselves, and its tests, are on the class path, where there are no modules.
fn module_info(root: &Utf8Path, module: &Module) -> Option<Notice> {
    if module.classes != Classes::ToCompile {
        return None;
    }
    let mut roots = module.sources.iter().chain(&module.tests).map(|folder| folder.join(MODULE_INFO));
    let file = roots.find(|file| root.join(file).is_file())?;
    let text = format!("{file} is left out: sources and tests are compiled and run on the class path");
    Some(Notice::new("module-info", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_the_class_path_are_expanded_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir_all(root.join("lib/deep")).unwrap();
        for file in ["lib/b.jar", "lib/a.jar", "lib/deep/c.jar", "lib/readme.txt"] {
            fs_err::write(root.join(file), "").unwrap();
        }
        let names = |pattern: &str| -> Vec<String> {
            expand(root, pattern)
                .unwrap()
                .iter()
                .map(|path| path.strip_prefix(root).unwrap().to_string())
                .collect()
        };
        assert_eq!(names("lib/*.jar"), ["lib/a.jar", "lib/b.jar"]);
        assert_eq!(names("lib/**/*.jar"), ["lib/a.jar", "lib/b.jar", "lib/deep/c.jar"]);
        assert_eq!(names("lib/a.jar"), ["lib/a.jar"]);
    }

    #[test]
    fn an_entry_that_is_not_there_is_an_error_that_names_the_key() {
        for pattern in ["lib/a.jar", "lib/*.jar"] {
            let error = expand(Utf8Path::new("/nowhere"), pattern).unwrap_err().to_string();
            assert!(error.contains("java.classpath") && error.contains(pattern), "{error}");
        }
    }
}
