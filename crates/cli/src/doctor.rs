//! `bonafix doctor`: what is installed, which version, what is missing and what that costs.

use bonafix_engine::{Cache, Protection, toolchain};
use bonafix_model::ExitCode;
use serde::Serialize;

use crate::arguments::{DoctorArguments, Format};
use crate::output::print;

/// One thing that bonafix uses.
#[derive(Debug, Serialize)]
struct Finding {
    name: &'static str,
    found: bool,
    /// Version and place, or what is wrong.
    what: String,
    /// What its absence costs, and how to get it.
    #[serde(skip_serializing_if = "str::is_empty")]
    cost: &'static str,
}

/// All that was found out.
#[derive(Debug, Serialize)]
struct Diagnosis {
    bonafix: &'static str,
    tools: Vec<Finding>,
    sandbox: Vec<String>,
    sandbox_missing: Vec<String>,
    cache: String,
}

pub(crate) fn run(arguments: &DoctorArguments) -> ExitCode {
    let diagnosis = diagnose();
    let text = match arguments.format {
        Format::Text => render(&diagnosis),
        Format::Json => serde_json::to_string_pretty(&diagnosis).unwrap_or_default() + "\n",
    };
    // Without a JDK nothing can be judged, so a script can ask before it begins.
    let usable = diagnosis.tools.iter().all(|tool| tool.found || tool.name != "jdk");
    print(&text, if usable { ExitCode::Unrefuted } else { ExitCode::Inconclusive })
}

fn diagnose() -> Diagnosis {
    let protection = Protection::probe();
    Diagnosis {
        bonafix: env!("CARGO_PKG_VERSION"),
        tools: vec![
            jdk(),
            tool("mvn", "Maven projects and `java.dependencies` cannot be resolved; apt-get install maven"),
            tool("gradle", "Gradle projects need the keys of bonafix.toml instead"),
            c_compiler(),
            tool("make", "C projects with a makefile cannot be built; apt-get install make"),
            tool("cmake", "C projects with CMake cannot be built; apt-get install cmake"),
            tool(
                "valgrind",
                "uninitialised values and leaks of C programs are not seen; apt-get install valgrind",
            ),
            tool("git", "`--base` and `--head` cannot be used; apt-get install git"),
        ],
        sandbox: protection.present(),
        sandbox_missing: protection.missing(),
        cache: Cache::default_root().map_or_else(|error| error.to_string(), camino::Utf8PathBuf::into_string),
    }
}

fn jdk() -> Finding {
    let cost = "no Java program can be judged, and no witness run by `bonafix replay`; \
                apt-get install default-jdk-headless";
    match toolchain::Jdk::find(None) {
        Ok(jdk) => {
            let levels = jdk.levels();
            let what = format!(
                "{} in {} (language levels {} to {})",
                jdk.full_version,
                jdk.home,
                levels.start(),
                levels.end()
            );
            Finding { name: "jdk", found: true, what, cost: "" }
        }
        Err(error) => Finding { name: "jdk", found: false, what: error.to_string(), cost },
    }
}

/// The compiler that bonafix would take.
fn c_compiler() -> Finding {
    let found = ["clang", "gcc", "cc"].into_iter().find_map(toolchain::find_tool);
    let cost = "no C program can be built; apt-get install clang";
    match found {
        Some(path) => Finding { name: "cc", found: true, what: path.into_string(), cost: "" },
        None => {
            Finding { name: "cc", found: false, what: "neither clang nor gcc was found".to_owned(), cost }
        }
    }
}

fn tool(name: &'static str, cost: &'static str) -> Finding {
    match toolchain::find_tool(name) {
        Some(path) => Finding { name, found: true, what: path.into_string(), cost: "" },
        None => Finding { name, found: false, what: "not found".to_owned(), cost },
    }
}

fn render(diagnosis: &Diagnosis) -> String {
    let mut lines = vec![format!("bonafix {}", diagnosis.bonafix), String::new()];
    for tool in &diagnosis.tools {
        let mark = if tool.found { "ok     " } else { "missing" };
        lines.push(format!("{mark}  {:<8} {}", tool.name, tool.what));
        if !tool.found {
            lines.push(format!("                  without it: {}", tool.cost));
        }
    }
    lines.extend([String::new(), "sandbox".to_owned()]);
    lines.extend(diagnosis.sandbox.iter().map(|line| format!("ok       {line}")));
    lines.extend(diagnosis.sandbox_missing.iter().map(|line| format!("missing  {line}")));
    lines.extend([String::new(), format!("cache    {}", diagnosis.cache), String::new()]);
    lines.join("\n")
}
