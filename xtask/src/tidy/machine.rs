//! No file names a folder of somebody's machine or a host that only some can reach.
//!
//! Tests and fixtures are free to: they show what others write into patches.

use camino::Utf8Path;

use super::documents::is_test_material;
use super::{Problem, Tree};

/// Names in example paths that are nobody's.
const PLACEHOLDERS: &[&str] = &["user", "you", "me", "someone", "alice", "bob"];

/// Parts of names that package mirrors inside of organisations have.
const PRIVATE_HOSTS: &[&str] =
    &[concat!("artifac", "tory"), concat!("nex", "us."), concat!(".inter", "nal/")];

/// Adds every such name.
pub(super) fn check(tree: &Tree, problems: &mut Vec<Problem>) {
    let own = folders_of_this_machine(tree, std::env::var("HOME").ok());
    for (file, text) in tree.files.iter().filter(|(file, _)| !is_test_material(file)) {
        for (index, line) in product_lines(file, text) {
            if let Some(message) = offence(line, &own) {
                problems.push(Problem::new(file, index + 1, message));
            }
        }
    }
    packages_have_one_source(tree, problems);
}

/// All lines of a file; of a Rust file those before its tests.
fn product_lines<'a>(file: &Utf8Path, text: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    let is_rust = file.extension() == Some("rs");
    text.lines().enumerate().take_while(move |(_, line)| !is_rust || *line != "#[cfg(test)]")
}

/// The checkout and the home folder, where they are telling: a single name such as `/src` stands in many texts.
fn folders_of_this_machine(tree: &Tree, home: Option<String>) -> Vec<String> {
    let root = Some(tree.root.to_string()).filter(|root| root.matches('/').count() > 1);
    let home = home.filter(|home| home.len() > 1);
    [root, home].into_iter().flatten().map(|folder| format!("{}/", folder.trim_end_matches('/'))).collect()
}

fn offence(line: &str, own: &[String]) -> Option<String> {
    let named = own.iter().find(|folder| names_folder(line, folder));
    let home = || ["/home/", "/Users/"].into_iter().find_map(|parent| home_of_somebody(line, parent));
    if let Some(folder) = named.cloned().or_else(home) {
        return Some(format!("names `{folder}`, a folder of one machine"));
    }
    let host = PRIVATE_HOSTS.iter().find(|host| line.contains("://") && line.contains(**host));
    host.map(|host| format!("names a private host (`{host}`)"))
}

/// As an absolute path: not as the end of a longer one.
fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| starts_path(line, at))
}

fn starts_path(line: &str, at: usize) -> bool {
    !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-}>~*/".contains(c))
}

/// A folder right below `parent` that is named after somebody.
fn home_of_somebody(line: &str, parent: &str) -> Option<String> {
    let hits = line.match_indices(parent).filter(|(at, _)| starts_path(line, *at));
    let mut names = hits.filter_map(|(at, _)| {
        let rest = &line[at + parent.len()..];
        rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').next()
    });
    let name = names.find(|name| !name.is_empty() && !PLACEHOLDERS.contains(name))?;
    Some(format!("{parent}{name}"))
}

/// All packages come from the index that cargo uses by default; one from elsewhere stands out by its source.
fn packages_have_one_source(tree: &Tree, problems: &mut Vec<Problem>) {
    let lines = tree.text("Cargo.lock").unwrap_or_default().lines().enumerate();
    let mut sources = lines.filter_map(|(index, line)| Some((index, line.strip_prefix("source = ")?)));
    let Some((_, usual)) = sources.next() else { return };
    for (index, _) in sources.filter(|(_, source)| *source != usual) {
        problems.push(Problem::new(
            "Cargo.lock",
            index + 1,
            "takes a package from elsewhere than the others",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::problems;
    use super::*;

    #[test]
    fn a_home_folder_is_found_with_its_line() {
        assert_eq!(
            problems(&[("docs/a.md", "x\nsee /home/jo/project\n")], check),
            ["docs/a.md:2: names `/home/jo`, a folder of one machine"]
        );
        assert_eq!(problems(&[("a.toml", "x = '/Users/jo'")], check).len(), 1);
    }

    #[test]
    fn placeholders_tests_and_longer_paths_pass() {
        let rust = "//! X.\n#[cfg(test)]\nmod tests { const P: &str = \"/home/jo/x\"; }\n";
        let files = [
            ("docs/a.md", "`/home/user/x`, `/home`, `cases/home/jo`, `$DIR/home/`"),
            ("crates/x/src/a.rs", rust),
            ("crates/x/tests/a.rs", "/home/jo/x"),
        ];
        assert!(problems(&files, check).is_empty());
    }

    #[test]
    fn the_checkout_and_the_home_folder_of_this_machine_are_found() {
        let own = ["/work/tree/".to_owned(), "/root/".to_owned()];
        assert!(offence("built in /work/tree/crates", &own).is_some());
        assert!(offence("cache: /root/.m2", &own).is_some());
        assert!(offence("in crates/work/tree/x", &own).is_none());
    }

    #[test]
    fn a_root_of_one_name_is_too_common_to_look_for() {
        let tree = Tree { root: "/src".into(), files: Vec::new() };
        assert_eq!(folders_of_this_machine(&tree, Some("/root".into())), ["/root/"]);
        assert!(folders_of_this_machine(&tree, Some("/".into())).is_empty());
    }

    #[test]
    fn a_private_host_is_found() {
        let host = concat!("url = 'https://artifac", "tory.example.org/maven'");
        assert_eq!(problems(&[("a.toml", host)], check).len(), 1);
    }

    #[test]
    fn a_package_from_elsewhere_is_found() {
        let lock =
            "source = \"registry+https://a.example.org\"\nsource = \"registry+https://b.example.org\"\n";
        assert_eq!(
            problems(&[("Cargo.lock", lock)], check),
            ["Cargo.lock:2: takes a package from elsewhere than the others"]
        );
    }
}
