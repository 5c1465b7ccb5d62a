//! Where edges lead to in the source, asked of a symbolizer once for a version.

use std::collections::BTreeMap;

use bonafix_lang::LangError;
use bonafix_model::Frame;
use bonafix_proc::{Job, Launcher, Limits, SandboxSpec, Sink, Stdin};
use camino::{Utf8Path, Utf8PathBuf};

use crate::proc_fault;
use crate::reports::below;
use crate::toolchain::{Compiler, on_path};

/// Much more than any program's edges take.
const OUTPUT_CAP: usize = 1024 * 1024 * 1024;

/// Addresses by edge, as the runtime writes them: a line `=file` before those of each module.
pub(super) fn read(text: &str, program: &Utf8Path) -> Vec<(Utf8PathBuf, u64)> {
    let mut module = program.to_owned();
    let mut addresses = Vec::new();
    for line in text.lines() {
        match line.strip_prefix('=') {
            Some("") => module = program.to_owned(),
            Some(path) => module = Utf8PathBuf::from(path),
            None => addresses.push((module.clone(), u64::from_str_radix(line, 16).unwrap_or(0))),
        }
    }
    addresses
}

/// The place of each address, in files below `tree`; none for all if there is no symbolizer.
pub(super) fn symbolise(
    addresses: &[(Utf8PathBuf, u64)],
    tree: &Utf8Path,
    compiler: &Compiler,
    launcher: &Launcher,
) -> Result<Vec<Option<Frame>>, LangError> {
    let mut modules: BTreeMap<&Utf8Path, Vec<u64>> = BTreeMap::new();
    for (module, address) in addresses {
        modules.entry(module).or_default().push(*address);
    }
    let Some(tool) = symbolizer(compiler) else { return Ok(vec![None; addresses.len()]) };
    let mut known = BTreeMap::new();
    for (module, mut wanted) in modules {
        wanted.dedup();
        let text: Vec<String> = wanted.iter().map(|address| format!("0x{address:x}")).collect();
        let job = Job::new(&tool)
            .args(["-a", "-f", "-i", "-C", "-e"])
            .arg(module)
            .env("PATH", "/usr/bin:/bin")
            .stdin(Stdin::Bytes((text.join("\n") + "\n").into_bytes()))
            .stdout(Sink::Capture { cap: OUTPUT_CAP })
            .limits(Limits::build())
            .sandboxed(SandboxSpec::default().read(tree).read(module));
        let said = job.run(launcher).map_err(proc_fault)?;
        for (address, frame) in frames(&said.stdout.text(), tree) {
            known.entry((module, address)).or_insert(frame);
        }
    }
    Ok(addresses
        .iter()
        .map(|(module, address)| known.get(&(module.as_path(), *address)).cloned().flatten())
        .collect())
}

/// The one beside the compiler before others: it surely reads what that writes.
pub(crate) fn symbolizer(compiler: &Compiler) -> Option<Utf8PathBuf> {
    let real = compiler.cc.canonicalize_utf8().ok();
    let beside =
        real.and_then(|real| Some(real.parent()?.join("llvm-symbolizer"))).filter(|path| path.is_file());
    beside.or_else(|| on_path("llvm-symbolizer")).or_else(|| on_path("addr2line"))
}

/// The innermost place of each address, in what llvm-symbolizer and addr2line print with `-a -f -i`: the address, then two
/// lines for each place, the function and `file:line`.
fn frames(text: &str, tree: &Utf8Path) -> Vec<(u64, Option<Frame>)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(address) = line.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok())
        else {
            continue;
        };
        let (function, place) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        found.push((address, frame(function, place, tree)));
    }
    found
}

fn frame(function: &str, place: &str, tree: &Utf8Path) -> Option<Frame> {
    // `file:line:column` or `file:line (discriminator 2)`.
    let place = place.split(" (").next().unwrap_or_default();
    let mut parts = place.split(':');
    let file = parts.next().unwrap_or_default();
    let line = parts.next().and_then(|line| line.parse().ok()).unwrap_or(0);
    let file = inside(Utf8Path::new(file), tree).unwrap_or_default();
    let function = if function.starts_with('?') { String::new() } else { function.to_owned() };
    (!function.is_empty() || !file.is_empty()).then_some(Frame { function, file, line })
}

/// A path of the debug information relative to the tree; none outside of it.
pub(crate) fn inside(path: &Utf8Path, tree: &Utf8Path) -> Option<String> {
    Some(below(path.as_str(), tree)).filter(|inside| !inside.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_symbolizers_are_read() {
        let tree = Utf8Path::new("/t");
        let llvm = "0x10\ninner\n./src/../a.c:3:7\nmain\n./a.c:9:1\n\n0x20\n??\n??:0:0\n\n";
        let expected = Some(Frame { function: "inner".to_owned(), file: "a.c".to_owned(), line: 3 });
        assert_eq!(frames(llvm, tree), [(0x10, expected.clone()), (0x20, None)]);
        let gnu = "0x0000000000000010\ninner\n/t/a.c:3 (discriminator 2)\nmain\n/t/a.c:9\n0x20\n??\n??:0\n";
        assert_eq!(frames(gnu, tree), [(0x10, expected), (0x20, None)]);
    }

    #[test]
    fn a_place_outside_of_the_tree_has_no_file() {
        assert_eq!(inside(Utf8Path::new("/usr/include/stdio.h"), Utf8Path::new("/t")), None);
        assert_eq!(inside(Utf8Path::new("../x.c"), Utf8Path::new("/t")), None);
    }

    #[test]
    fn the_folder_of_a_build_below_the_tree_stands_once_in_a_place() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Utf8Path::from_path(folder.path()).unwrap();
        fs_err::create_dir(tree.join("lib")).unwrap();
        fs_err::write(tree.join("lib/x.c"), "").unwrap();
        for path in ["./lib/./lib/x.c", "./lib/./x.c", "./build/./lib/x.c"] {
            assert_eq!(inside(Utf8Path::new(path), tree).as_deref(), Some("lib/x.c"), "{path}");
        }
    }

    #[test]
    fn addresses_are_read_by_module() {
        let text = "=/lib/a.so\n10\n=\nff\n0\n";
        let read = read(text, Utf8Path::new("/t/prog"));
        let expected = [("/lib/a.so", 0x10), ("/t/prog", 0xff), ("/t/prog", 0)];
        assert_eq!(read, expected.map(|(path, address)| (Utf8PathBuf::from(path), address)));
    }
}
