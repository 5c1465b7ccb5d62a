//! The compiler on this machine: which it is, and the scripts that stand in front of it.

use std::env;
use std::os::unix::fs::PermissionsExt;

use bonafix_lang::LangError;
use bonafix_proc::{Job, Launcher, Limits};
use camino::{Utf8Path, Utf8PathBuf};

use crate::configuration;
use crate::proc_fault;
use crate::runtime::Runtime;
use crate::variant::Variant;

/// Names under which builds call a C compiler, and a C++ compiler.
const C_NAMES: [&str; 3] = ["cc", "gcc", "clang"];
const CXX_NAMES: [&str; 3] = ["c++", "g++", "clang++"];

/// A C compiler with its C++ sister.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compiler {
    /// For C.
    pub cc: Utf8PathBuf,
    /// For C++; none if it is not installed.
    pub cxx: Option<Utf8PathBuf>,
    /// The first line of what it says about itself.
    pub version: String,
    /// It is clang.
    pub is_clang: bool,
}

impl Compiler {
    /// The configured compiler and no other, or clang if there is one, else gcc.
    pub fn find(configured: Option<&str>, launcher: &Launcher) -> Result<Self, LangError> {
        let found = match configured {
            Some(name) => Some(on_path(name).ok_or_else(|| {
                configuration(format!(
                    "`c.compiler` is `{name}`, and there is no such program; install it, or leave the key out"
                ))
            })?),
            None => ["clang", "gcc", "cc"].into_iter().find_map(on_path),
        };
        let cc = found.ok_or_else(|| LangError::ToolMissing {
            tool: "a C compiler".to_owned(),
            purpose: "to build C programs".to_owned(),
            way_out: "install clang (on Debian and Ubuntu: `apt install clang`) or gcc, or set `c.compiler`"
                .to_owned(),
        })?;
        Self::read(cc, launcher)
    }

    fn read(cc: Utf8PathBuf, launcher: &Launcher) -> Result<Self, LangError> {
        let job = Job::new(&cc).arg("--version").inherit_all_env().limits(Limits::build());
        let said = job.run(launcher).map_err(proc_fault)?;
        let text = said.stdout.text();
        let version = text.lines().next().unwrap_or_default().trim().to_owned();
        if !said.exit.success() || version.is_empty() {
            return Err(configuration(format!(
                "{cc} does not say its version; set `c.compiler` to another C compiler"
            )));
        }
        let is_clang = version.contains("clang");
        Ok(Self { cxx: sister(&cc), cc, version, is_clang })
    }
}

/// `clang++-14` for `clang-14`, `g++` for `gcc`, `c++` for `cc`, beside it.
fn sister(cc: &Utf8Path) -> Option<Utf8PathBuf> {
    let name = cc.file_name()?;
    let other = if name.contains("clang") {
        name.replacen("clang", "clang++", 1)
    } else if name.contains("gcc") {
        name.replacen("gcc", "g++", 1)
    } else {
        name.replacen("cc", "c++", 1)
    };
    let beside = cc.with_file_name(&other);
    if beside.is_file() { Some(beside) } else { on_path(&other) }
}

/// A program by name or path.
pub(crate) fn on_path(name: &str) -> Option<Utf8PathBuf> {
    let executable = |path: &Utf8PathBuf| {
        path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    if name.contains('/') {
        return Some(Utf8PathBuf::from(name)).filter(executable);
    }
    env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .filter_map(|folder| Utf8PathBuf::from_path_buf(folder.join(name)).ok())
        .find(executable)
}

/// Flags that a build gets beside the project's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) compile: Vec<String>,
    pub(crate) link: Vec<String>,
    /// Where a program is linked, and no library.
    pub(crate) program: Vec<String>,
}

impl Flags {
    /// Those of a variant and the user's, for sources below `tree`.
    pub(crate) fn new(variant: Variant, cflags: &[String], ldflags: &[String], tree: &Utf8Path) -> Self {
        let mut compile: Vec<String> = variant.flags().iter().map(|&flag| flag.to_owned()).collect();
        compile.push(format!("-ffile-prefix-map={tree}=."));
        // Another compiler than the developers' warns of other things.
        compile.push("-Wno-error".to_owned());
        compile.extend(cflags.iter().cloned());
        compile.extend(variant.last_flags().iter().map(|&flag| flag.to_owned()));
        Self { compile, link: ldflags.to_vec(), program: Vec::new() }
    }

    /// Links the runtime in this folder into programs.
    pub(crate) fn with_runtime(mut self, folder: &Utf8Path) -> Self {
        self.program = Runtime::link_flags(folder);
        self
    }
}

/// The folder of scripts that stand in front of the compiler, under all the names that builds use.
pub(crate) struct Wrappers {
    folder: Utf8PathBuf,
}

impl Wrappers {
    /// Where they are in a home.
    pub(crate) fn at(folder: Utf8PathBuf) -> Self {
        Self { folder }
    }

    /// Writes them.
    pub(crate) fn write(&self, compiler: &Compiler, flags: &Flags) -> Result<(), LangError> {
        fs_err::create_dir_all(&self.folder)?;
        for name in C_NAMES {
            self.write_one(name, &script(&compiler.cc, compiler.is_clang, flags))?;
        }
        for name in CXX_NAMES {
            let text = match &compiler.cxx {
                Some(cxx) => script(cxx, compiler.is_clang, flags),
                None => format!(
                    "#!/bin/sh\necho 'bonafix: {} has no C++ compiler beside it; install one' >&2\nexit 127\n",
                    compiler.cc
                ),
            };
            self.write_one(name, &text)?;
        }
        Ok(())
    }

    fn write_one(&self, name: &str, text: &str) -> Result<(), LangError> {
        let path = self.folder.join(name);
        fs_err::write(&path, text)?;
        fs_err::set_permissions(&path, PermissionsExt::from_mode(0o755))?;
        Ok(())
    }

    pub(crate) fn folder(&self) -> &Utf8Path {
        &self.folder
    }

    pub(crate) fn cc(&self) -> Utf8PathBuf {
        self.folder.join("cc")
    }

    pub(crate) fn cxx(&self) -> Utf8PathBuf {
        self.folder.join("c++")
    }
}

/// When a program was built is no difference between versions. Only gcc, and clang from its version 16, can be told so by
/// `SOURCE_DATE_EPOCH`.
const WHEN: &str = "-Wno-builtin-macro-redefined '-D__DATE__=\"Jan  1 1980\"' '-D__TIME__=\"00:00:00\"' \
                    '-D__TIMESTAMP__=\"Tue Jan  1 00:00:00 1980\"'";

/// Our flags stand last, where they win. Those for linking only come where something is linked, those for programs only
/// where that is no library.
fn script(compiler: &Utf8Path, is_clang: bool, flags: &Flags) -> String {
    let quoted = |words: &[String]| shlex::try_join(words.iter().map(String::as_str)).unwrap_or_default();
    let quiet = if is_clang { " -Wno-unused-command-line-argument" } else { "" };
    let call =
        format!("exec {} \"$@\" {}{quiet} {WHEN}", quoted(&[compiler.to_string()]), quoted(&flags.compile));
    if flags.link.is_empty() && flags.program.is_empty() {
        return format!("#!/bin/sh\n{call}\n");
    }
    let mut linking = call.clone();
    if !flags.link.is_empty() {
        linking = format!("{call} {}", quoted(&flags.link));
    }
    let unless_linking =
        format!("for word in \"$@\"; do\n  case $word in -c|-S|-E|-M|-MM) {call} ;; esac\ndone\n");
    if flags.program.is_empty() {
        return format!("#!/bin/sh\n{unless_linking}{linking}\n");
    }
    // A question such as `cc -v` has no file behind it, and must not become an attempt to link.
    let program = quoted(&flags.program);
    format!(
        "#!/bin/sh\n{unless_linking}linked=\nfor word in \"$@\"; do\n  case $word in\n    -shared|-r) {linking} ;;\n    \
         *.[coaCs]|*.cc|*.cpp|*.cxx|*.c++|*.lo|*.obj|@*) linked=1 ;;\n  esac\ndone\n\
         if [ -n \"$linked\" ]; then {linking} {program}; fi\n{linking}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configured_compiler_that_is_not_there_is_named_with_its_key() {
        let launcher = Launcher::new(bonafix_proc::SandboxMode::Off).unwrap();
        let error = Compiler::find(Some("no-such-compiler"), &launcher).unwrap_err().to_string();
        assert!(error.contains("c.compiler") && error.contains("no-such-compiler"), "{error}");
    }

    #[test]
    fn flags_for_linking_stand_only_where_something_is_linked() {
        let flags =
            Flags { compile: vec!["-g".to_owned()], link: vec!["-lm".to_owned()], program: Vec::new() };
        let text = script(Utf8Path::new("/usr/bin/gcc"), false, &flags);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[2].contains("-c|") && !lines[2].contains("-lm"), "{text}");
        assert_eq!(*lines.last().unwrap(), format!("exec /usr/bin/gcc \"$@\" -g {WHEN} -lm"));
    }
}
