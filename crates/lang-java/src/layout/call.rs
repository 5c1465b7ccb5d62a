//! Starts a build tool: its output goes to the log and comes back as text.

use bonafix_lang::{LangError, append_log};
use bonafix_proc::{Confinement, Exit, Job, Limits, ProcError, Sink};
use camino::Utf8Path;

use super::LayoutRequest;

/// More than any build prints that a person will read.
const OUTPUT_CAP: usize = 32 * 1024 * 1024;

/// How a build tool ended.
pub(crate) struct Run {
    pub(crate) success: bool,
    /// Both streams, standard output first.
    pub(crate) output: String,
}

/// Runs a build tool in `folder` with the chosen JDK. It may use the network, but not run for ever.
pub(crate) fn run_tool(
    request: &LayoutRequest,
    program: &Utf8Path,
    arguments: &[String],
    folder: &Utf8Path,
) -> Result<Run, LangError> {
    let mut job = Job::new(program)
        .args(arguments)
        .cwd(folder)
        .inherit_all_env()
        .env("JAVA_HOME", &request.jdk.home)
        .stdout(Sink::Capture { cap: OUTPUT_CAP })
        .stderr(Sink::Capture { cap: OUTPUT_CAP })
        .limits(Limits::build())
        .confinement(Confinement::Open);
    if let Some(options) = maven_options(std::env::var("MAVEN_OPTS").ok(), std::env::var("HOME").ok()) {
        job = job.env("MAVEN_OPTS", options);
    }
    let command = job.display();
    let finished = job.run(request.launcher).map_err(start_error)?;
    let output = format!("{}{}", finished.stdout.text(), finished.stderr.text());
    append_log(request.log, &[format!("$ {command}"), output.clone()])?;
    let name = program.file_name().unwrap_or_default();
    match finished.exit {
        Exit::Code(code) => Ok(Run { success: code == 0, output }),
        Exit::TimedOut => Err(broken(name, "did not finish within its time", &output)),
        other => Err(broken(name, &format!("was ended from outside ({other:?})"), &output)),
    }
}

/// Java takes the home folder from the user database, and a container's user need not be in it or need not have a
/// home there; everything else goes by `HOME`. The script that starts Maven splits these options at blanks.
fn maven_options(options: Option<String>, home: Option<String>) -> Option<String> {
    let home = home.filter(|home| !home.is_empty() && !home.contains(char::is_whitespace))?;
    let options = options.unwrap_or_default();
    if options.contains("-Duser.home=") {
        return None;
    }
    Some(format!("{options} -Duser.home={home}").trim_start().to_owned())
}

fn start_error(error: ProcError) -> LangError {
    match error {
        ProcError::Interrupted => LangError::Interrupted,
        other => LangError::Internal(other.to_string()),
    }
}

fn broken(name: &str, what: &str, output: &str) -> LangError {
    let lines: Vec<String> = output.lines().map(str::to_owned).collect();
    LangError::BuildTool {
        summary: format!("`{name}` {what}"),
        details: lines[lines.len().saturating_sub(20)..].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maven_goes_by_the_home_of_the_environment() {
        let options =
            |options: &str, home: &str| maven_options(Some(options.to_owned()), Some(home.to_owned()));
        assert_eq!(maven_options(None, Some("/h".to_owned())).as_deref(), Some("-Duser.home=/h"));
        assert_eq!(options("-Xmx1g", "/h").as_deref(), Some("-Xmx1g -Duser.home=/h"));
        assert_eq!(options("-Duser.home=/other", "/h"), None);
        assert_eq!(options("", "/with blanks"), None);
        assert_eq!(maven_options(None, None), None);
    }
}
