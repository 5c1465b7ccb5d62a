//! The C code of `runtime/c`: carried inside this program, compiled on first use, kept in the cache.

use bonafix_lang::LangError;
use bonafix_proc::{Job, Limits};
use bonafix_store::KeyBuilder;
use camino::{Utf8Path, Utf8PathBuf};

use crate::build::Workshop;
use crate::{proc_fault, store_fault};

/// Its files, by name.
const SOURCES: [(&str, &str); 6] = [
    ("serve.h", include_str!("../../../runtime/c/serve.h")),
    ("batch.c", include_str!("../../../runtime/c/batch.c")),
    ("serve.c", include_str!("../../../runtime/c/serve.c")),
    ("persist.c", include_str!("../../../runtime/c/persist.c")),
    ("signals.c", include_str!("../../../runtime/c/signals.c")),
    ("coverage.c", include_str!("../../../runtime/c/coverage.c")),
];
const LIBRARY: &str = "libbonafix.so";
const OBJECTS: [&str; 4] = ["serve.o", "batch.o", "persist.o", "coverage.o"];

/// What programs that are traced are linked with.
const TRACER: &str = include_str!("../../../runtime/c/trace.c");
const TRACER_OBJECT: &str = "trace.o";

/// The runtime, compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Runtime {
    folder: Utf8PathBuf,
}

impl Runtime {
    /// Compiled by the project's compiler, or found in the cache.
    pub(crate) fn of(workshop: &Workshop) -> Result<Self, LangError> {
        let compiler = &workshop.compiler;
        let key = KeyBuilder::new("c-runtime-1")
            .part("compiler", format!("{} {}", compiler.cc, compiler.version))
            .parts("sources", SOURCES.map(|(_, text)| text))
            .finish();
        let inserted = workshop.cache.insert_with("c-runtime", &key, |staging| {
            for (name, text) in SOURCES {
                fs_err::write(staging.join(name), text)?;
            }
            let parts = ["serve.c", "batch.c", "persist.c", "signals.c"];
            compile(workshop, staging, &[&["-shared"], &parts[..], &["-o", LIBRARY, "-ldl"]].concat())?;
            compile(workshop, staging, &["-c", "serve.c", "batch.c", "persist.c", "coverage.c"])
        });
        Ok(Self { folder: inserted.map_err(|error| error.unify(store_fault))?.path })
    }

    /// What it is made of, as part of the keys of versions that it is linked into.
    pub(crate) fn sources() -> impl Iterator<Item = &'static str> {
        SOURCES.into_iter().map(|(_, text)| text)
    }

    /// The fork server alone, to be loaded before all other libraries of a program.
    pub(crate) fn library(&self) -> Utf8PathBuf {
        self.folder.join(LIBRARY)
    }

    /// Copies the objects for programs with coverage into a folder.
    pub(crate) fn copy_objects(&self, folder: &Utf8Path) -> Result<(), LangError> {
        fs_err::create_dir_all(folder)?;
        for object in OBJECTS {
            fs_err::copy(self.folder.join(object), folder.join(object))?;
        }
        Ok(())
    }

    /// What links the objects in that folder into a program.
    pub(crate) fn link_flags(folder: &Utf8Path) -> Vec<String> {
        let objects = OBJECTS.iter().map(|object| folder.join(object).into_string());
        let libraries = ["-ldl", "-Wl,--wrap=__asan_register_globals"].map(str::to_owned);
        objects.chain(libraries).collect()
    }
}

/// Compiles what traced programs are linked with into a folder, unless it is there; gives the flags that link it.
pub(crate) fn tracer(workshop: &Workshop, folder: &Utf8Path) -> Result<Vec<String>, LangError> {
    fs_err::create_dir_all(folder)?;
    let object = folder.join(TRACER_OBJECT);
    if !object.is_file() {
        fs_err::write(folder.join("trace.c"), TRACER)?;
        compile(workshop, folder, &["-c", "trace.c", "-o", TRACER_OBJECT])?;
    }
    Ok(vec![object.into_string(), "-lpthread".to_owned()])
}

/// What that is made of, as part of the keys of versions that it is linked into.
pub(crate) fn tracer_source() -> &'static str {
    TRACER
}

fn compile(workshop: &Workshop, folder: &Utf8Path, words: &[&str]) -> Result<(), LangError> {
    let job = Job::new(&workshop.compiler.cc)
        .args(["-std=c99", "-O2", "-g0", "-fPIC"])
        .args(words)
        .cwd(folder)
        .inherit_all_env()
        .limits(Limits::build());
    let finished = job.run(&workshop.launcher).map_err(proc_fault)?;
    if finished.exit.success() {
        return Ok(());
    }
    Err(LangError::Internal(format!("the runtime for C does not compile: {}", finished.stderr.text())))
}
