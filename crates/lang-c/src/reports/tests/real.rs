//! What the tools on this machine really write.

use std::process::{Command, Output};
use std::sync::OnceLock;

use camino::Utf8PathBuf;

use super::*;
use crate::Variant;
use crate::toolchain;

const PROGRAM: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <limits.h>
#include <assert.h>
int *make(int n) { return malloc(n * sizeof(int)); }
__attribute__((noinline)) int get(int *p, int i) { return p[i]; }
int main(int c, char **v) {
  int *p = make(4);
  fprintf(stderr, "before ");
  switch (atoi(v[1])) {
  case 0: printf("%d\n", get(p, 4)); break;
  case 1: free(p); printf("%d\n", get(p, 1)); break;
  case 2: { int x = INT_MAX; x += c; printf("%d\n", x); break; }
  case 3: p = 0; return 0;
  case 4: assert(c == 77); break;
  case 5: if (get(p, 2)) puts("u"); break;
  case 6: *(volatile int *)0x12345678 = 3; break;
  }
  free(p);
  return 0;
}
"#;

/// A folder with the program in `lib/a.c`, built at its root in the variants that watch.
fn built() -> &'static Utf8PathBuf {
    static BUILT: OnceLock<(tempfile::TempDir, Utf8PathBuf)> = OnceLock::new();
    let (_, tree) = BUILT.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let tree = Utf8PathBuf::from_path_buf(folder.path().canonicalize().unwrap()).unwrap();
        fs_err::create_dir(tree.join("lib")).unwrap();
        fs_err::write(tree.join("lib/a.c"), PROGRAM).unwrap();
        for variant in [Variant::Fuzz, Variant::Valgrind] {
            let flags = toolchain::Flags::new(variant, &[], &[], &tree);
            // The callbacks of coverage come from elsewhere.
            let wanted = flags.compile.iter().filter(|flag| !flag.contains("coverage"));
            let mut compile = command("clang", &tree);
            compile.args(wanted).args(["lib/a.c", "-o", variant.name()]);
            assert!(compile.status().unwrap().success());
        }
        (folder, tree)
    });
    tree
}

#[expect(clippy::disallowed_methods, reason = "a test of what a tool writes needs no sandbox")]
fn command(name: &str, folder: &Utf8Path) -> Command {
    let mut command = Command::new(name);
    command.current_dir(folder).env("UBSAN_OPTIONS", "print_stacktrace=1");
    command.env("ASAN_OPTIONS", "detect_leaks=1:handle_abort=1");
    command
}

fn sanitized(case: &str) -> Parsed {
    let tree = built();
    let Output { stderr, status, .. } = command("./fuzz", tree).arg(case).output().unwrap();
    read(&stderr, &ProgramEnd::Exited(status.code().unwrap_or(1)), tree)
}

fn only_fault(seen: &Parsed) -> (&str, Vec<String>) {
    let [fault] = &seen.faults[..] else { panic!("{:?}", seen.faults) };
    (&fault.kind, places(&fault.stack))
}

#[test]
fn sanitizers_of_this_machine_are_understood() {
    let overflow = sanitized("0");
    assert_eq!(only_fault(&overflow).0, "heap-buffer-overflow");
    assert_eq!(only_fault(&overflow).1, ["get lib/a.c:6", "main lib/a.c:11"]);
    assert_eq!(places(&overflow.faults[0].origins[0])[0], "make lib/a.c:5");
    assert_eq!(String::from_utf8_lossy(&overflow.rest), "before ");
    let freed = sanitized("1");
    assert_eq!((only_fault(&freed).0, freed.faults[0].origins.len()), ("use-after-free", 2));
    let overflow = sanitized("2");
    assert_eq!(only_fault(&overflow), ("signed-integer-overflow", vec!["main lib/a.c:13".to_owned()]));
    assert_eq!(String::from_utf8_lossy(&overflow.rest), "before ");
    let leak = sanitized("3");
    assert_eq!(leak.leaked, Some(Leaked { definitely: 16, ..Leaked::default() }), "{leak:?}");
    let assertion = sanitized("4");
    assert_eq!(only_fault(&assertion).0, "assertion");
    assert!(only_fault(&assertion).1.contains(&"main lib/a.c:15".to_owned()), "{assertion:?}");
    let segmentation = sanitized("6");
    assert_eq!(only_fault(&segmentation), ("SIGSEGV", vec!["main lib/a.c:17".to_owned()]));
}

#[test]
fn valgrind_of_this_machine_is_understood() {
    let tree = built();
    let watched = |case: &str| {
        let file = tree.join(format!("{case}.xml"));
        let mut run = command("valgrind", tree);
        run.args(["--xml=yes", "--leak-check=full", "--show-leak-kinds=definite,indirect,possible"]);
        run.args(["--track-origins=yes", &format!("--xml-file={file}"), "./valgrind", case]);
        run.output().unwrap();
        valgrind::parse(&fs_err::read_to_string(file).unwrap(), tree)
    };
    let uninitialised = watched("5");
    assert_eq!(only_fault(&uninitialised), ("uninitialised-value", vec!["main lib/a.c:16".to_owned()]));
    assert_eq!(places(&uninitialised.faults[0].origins[0])[0], "make lib/a.c:5");
    assert_eq!(uninitialised.leaked, Some(Leaked::default()));
    let leak = watched("3");
    assert_eq!((leak.faults.len(), leak.leaked.unwrap().definitely), (0, 16));
}
