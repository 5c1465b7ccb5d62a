//! Imports go down only, by the layer table of ARCHITECTURE.md and the manifests of the crates.

use std::collections::BTreeMap;

use toml::{Table, Value};

use super::architecture::{FILE, code_spans};
use super::{Problem, Tree};

/// The only crate that knows which languages exist.
const KNOWS_LANGUAGES: &str = "engine";

/// Crates that turn errors into words for a user; all others have typed errors.
const MAY_USE_ANYHOW: &[&str] = &["cli", "bench"];

/// Adds every import that goes up or sideways, and every crate without a layer.
pub(super) fn check(tree: &Tree, problems: &mut Vec<Problem>) {
    let layers = layer_table(tree.text(FILE).unwrap_or_default());
    for name in tree.folders("crates") {
        let file = format!("crates/{name}/Cargo.toml");
        let Some(text) = tree.text(&file) else { continue };
        match text.parse::<Table>() {
            Ok(manifest) => check_crate(&name, &manifest, &layers, &mut |message| {
                problems.push(Problem::new(&file, 0, message));
            }),
            Err(error) => problems.push(Problem::new(&file, 0, error.message())),
        }
    }
}

/// Layer by crate, from the rows `| 3 | `subject`, `judge` | … |` of the table whose first column is `layer`.
fn layer_table(text: &str) -> BTreeMap<String, u32> {
    let rows = text.lines().skip_while(|line| !line.starts_with("| layer ")).skip(2);
    let rows = rows.take_while(|line| line.starts_with('|'));
    let mut layers = BTreeMap::new();
    for row in rows {
        let mut cells = row.trim_matches('|').split('|');
        let Some(Ok(layer)) = cells.next().map(|cell| cell.trim().parse()) else { continue };
        let names = cells.next().map(code_spans).into_iter().flatten();
        layers.extend(names.map(|name| (name.to_owned(), layer)));
    }
    layers
}

fn check_crate(name: &str, manifest: &Table, layers: &BTreeMap<String, u32>, report: &mut dyn FnMut(String)) {
    let Some(&own) = layers.get(name) else {
        report(format!("`{name}` is in no layer of {FILE}"));
        return;
    };
    for dependency in dependencies(manifest, "dependencies") {
        check_import(name, own, &dependency, layers, report);
    }
    for dependency in dependencies(manifest, "dev-dependencies") {
        if sibling(&dependency).and_then(|other| layers.get(other)).is_some_and(|&layer| layer > own) {
            report(format!("tests of `{name}` import `{dependency}`, which lies above it"));
        }
    }
    if !takes_shared_lints(manifest) {
        report("does not take the shared lints: `[lints] workspace = true`".to_owned());
    }
}

fn check_import(
    name: &str,
    own: u32,
    dependency: &str,
    layers: &BTreeMap<String, u32>,
    report: &mut dyn FnMut(String),
) {
    if dependency == "anyhow" && !MAY_USE_ANYHOW.contains(&name) {
        report(format!("`anyhow` is for {} only; a library has typed errors", MAY_USE_ANYHOW.join(" and ")));
    }
    let Some(other) = sibling(dependency) else { return };
    match layers.get(other) {
        Some(&layer) if layer >= own => {
            report(format!("imports go down only: `{name}` (layer {own}) imports `{other}` (layer {layer})"));
        }
        Some(_) if other.starts_with("lang-") && name != KNOWS_LANGUAGES => {
            report(format!(
                "only `{KNOWS_LANGUAGES}` knows which languages exist: `{name}` imports `{other}`"
            ));
        }
        // A crate without a layer is reported for itself.
        Some(_) | None => {}
    }
}

/// The folder of a crate of ours, from its package name.
fn sibling(package: &str) -> Option<&str> {
    package.strip_prefix("bonafix-")
}

/// Package names of a kind of dependency, those for some targets only included.
fn dependencies(manifest: &Table, kind: &str) -> Vec<String> {
    let targets = manifest.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values);
    let tables = std::iter::once(manifest).chain(targets.filter_map(Value::as_table));
    let tables = tables.filter_map(|table| table.get(kind).and_then(Value::as_table));
    tables.flat_map(|table| table.iter().map(|(key, value)| package_name(key, value))).collect()
}

/// `name = { package = "real" }` renames.
fn package_name(key: &str, value: &Value) -> String {
    value.get("package").and_then(Value::as_str).unwrap_or(key).to_owned()
}

fn takes_shared_lints(manifest: &Table) -> bool {
    let lints = manifest.get("lints").and_then(|lints| lints.get("workspace"));
    lints.and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::problems;
    use super::*;

    const LAYERS: &str = "\
| layer | crates | what |
|---|---|---|
| 4 | `engine`, `cli` | x |
| 3 | `subject`, `lang-java`, `judge` | x |
| 0 | `model` | x |
";

    /// What is said of a crate with these dependencies.
    fn of_crate(name: &str, dependencies: &str) -> Vec<String> {
        let file = format!("crates/{name}/Cargo.toml");
        let text = format!("[lints]\nworkspace = true\n[dependencies]\n{dependencies}");
        problems(&[("ARCHITECTURE.md", LAYERS), (&file, &text)], check)
    }

    #[test]
    fn imports_that_go_down_pass() {
        assert!(of_crate("engine", "bonafix-lang-java.workspace = true\nserde = '1'").is_empty());
        assert!(of_crate("judge", "bonafix-model = { path = '../model' }").is_empty());
    }

    #[test]
    fn an_import_that_goes_up_is_found() {
        assert_eq!(
            of_crate("model", "bonafix-subject.workspace = true"),
            ["crates/model/Cargo.toml: imports go down only: `model` (layer 0) imports `subject` (layer 3)"]
        );
    }

    #[test]
    fn stages_of_one_layer_do_not_import_each_other() {
        let found = of_crate("judge", "renamed = { package = 'bonafix-subject', path = '../subject' }");
        assert_eq!(
            found,
            ["crates/judge/Cargo.toml: imports go down only: `judge` (layer 3) imports `subject` (layer 3)"]
        );
    }

    #[test]
    fn an_import_for_one_target_only_is_an_import() {
        let found = of_crate("model", "[target.'cfg(unix)'.dependencies]\nbonafix-judge = '1'");
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn only_the_engine_knows_a_language() {
        let layers = LAYERS
            .replace("`engine`, `cli`", "`engine`")
            .replace("|---|---|---|", "|---|---|---|\n| 5 | `cli` | x |");
        let manifest = "[lints]\nworkspace = true\n[dependencies]\nbonafix-lang-java = '1'\n";
        assert_eq!(
            problems(&[("ARCHITECTURE.md", &layers), ("crates/cli/Cargo.toml", manifest)], check),
            ["crates/cli/Cargo.toml: only `engine` knows which languages exist: `cli` imports `lang-java`"]
        );
    }

    #[test]
    fn tests_may_import_sideways_and_not_up() {
        assert!(of_crate("subject", "[dev-dependencies]\nbonafix-lang-java = '1'").is_empty());
        let found = of_crate("subject", "[dev-dependencies]\nbonafix-engine = '1'");
        assert_eq!(
            found,
            ["crates/subject/Cargo.toml: tests of `subject` import `bonafix-engine`, which lies above it"]
        );
    }

    #[test]
    fn a_crate_without_a_layer_is_found() {
        assert_eq!(
            of_crate("newcomer", ""),
            ["crates/newcomer/Cargo.toml: `newcomer` is in no layer of ARCHITECTURE.md"]
        );
    }

    #[test]
    fn anyhow_in_a_library_is_found() {
        assert!(of_crate("cli", "anyhow = '1'").is_empty());
        assert_eq!(of_crate("subject", "anyhow = '1'").len(), 1);
    }

    #[test]
    fn a_crate_without_the_shared_lints_is_found() {
        let files = [("ARCHITECTURE.md", LAYERS), ("crates/model/Cargo.toml", "[dependencies]\n")];
        let found = problems(&files, check);
        assert_eq!(
            found,
            ["crates/model/Cargo.toml: does not take the shared lints: `[lints] workspace = true`"]
        );
    }
}
