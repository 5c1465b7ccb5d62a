//! Starts Maven: offline first, and online only where something is missing.

use bonafix_lang::LangError;
use camino::{Utf8Path, Utf8PathBuf};

use super::output::{self, Failure};
use crate::layout::LayoutRequest;
use crate::layout::call::{Run, run_tool};
use crate::toolchain::find_tool;

/// Pinned, so that the result does not vary with what is newest.
pub(crate) const BUILD_CLASSPATH: &str =
    "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath";
/// Pinned likewise.
pub(crate) const EFFECTIVE_POM: &str = "org.apache.maven.plugins:maven-help-plugin:3.4.0:effective-pom";

/// Checks and reports that are not needed to compile, and that often fail on another JDK or outside of a git checkout.
/// A property that no plugin reads does no harm.
const SKIPPED: [&str; 20] = [
    "-Drat.skip=true",
    "-Dcheckstyle.skip=true",
    "-Denforcer.skip=true",
    "-Dmaven.javadoc.skip=true",
    "-Djacoco.skip=true",
    "-Danimal.sniffer.skip=true",
    "-Dspotless.check.skip=true",
    "-Dspotless.apply.skip=true",
    "-Dpmd.skip=true",
    "-Dcpd.skip=true",
    "-Dspotbugs.skip=true",
    "-Dfindbugs.skip=true",
    "-Dcobertura.skip=true",
    "-Dclirr.skip=true",
    "-Djapicmp.skip=true",
    "-Drevapi.skip=true",
    "-Dlicense.skip=true",
    "-Dfmt.skip=true",
    "-Dgpg.skip=true",
    "-Dmaven.buildNumber.skip=true",
];

/// An installed Maven, used for one project.
pub(crate) struct Maven<'a> {
    request: &'a LayoutRequest<'a>,
    program: Utf8PathBuf,
}

impl<'a> Maven<'a> {
    /// The Maven on this machine. `purpose` and `way_out` finish the sentence if there is none.
    pub(crate) fn find(
        request: &'a LayoutRequest<'a>,
        purpose: &str,
        way_out: &str,
    ) -> Result<Self, LangError> {
        let Some(program) = find_tool("mvn") else {
            let wrapper = if request.root.join("mvnw").is_file() {
                "; the project's `mvnw` is not used, because it downloads a Maven"
            } else {
                ""
            };
            return Err(LangError::ToolMissing {
                tool: "Maven (`mvn`)".to_owned(),
                purpose: purpose.to_owned(),
                way_out: format!("install it (Debian: `apt install maven`){way_out}{wrapper}"),
            });
        };
        Ok(Self { request, program })
    }

    /// The request that this Maven serves.
    pub(crate) fn request(&self) -> &'a LayoutRequest<'a> {
        self.request
    }

    /// Runs goals in `folder`, offline, and once more online if artifacts are missing.
    pub(crate) fn run(
        &self,
        folder: &Utf8Path,
        arguments: &[String],
    ) -> Result<Result<(), Failure>, LangError> {
        let offline = self.start(folder, arguments, true)?;
        if offline.success {
            return Ok(Ok(()));
        }
        let failure = output::parse(&offline.output, folder);
        let may_ask = !self
            .request
            .config
            .build_arguments
            .iter()
            .any(|argument| argument == "-o" || argument == "--offline");
        if failure.unresolved.is_empty() || !may_ask {
            return Ok(Err(failure));
        }
        let online = self.start(folder, arguments, false)?;
        if online.success { Ok(Ok(())) } else { Ok(Err(output::parse(&online.output, folder))) }
    }

    fn start(&self, folder: &Utf8Path, arguments: &[String], offline: bool) -> Result<Run, LangError> {
        let mut all: Vec<String> = vec![
            "-B".into(),
            "-Dstyle.color=never".into(),
            "-Dorg.slf4j.simpleLogger.log.org.apache.maven.cli.transfer.Slf4jMavenTransferListener=warn"
                .into(),
        ];
        all.extend(offline.then(|| "-o".to_owned()));
        all.extend(SKIPPED.map(str::to_owned));
        all.extend(self.request.config.build_arguments.iter().cloned());
        all.extend(arguments.iter().cloned());
        run_tool(self.request, &self.program, &all, folder)
    }
}

/// The error for a run that failed for want of artifacts.
pub(crate) fn unresolved(failure: &Failure, what: &str) -> LangError {
    LangError::BuildTool {
        summary: format!("Maven could not get what {what} needs: {}", failure.unresolved.join(", ")),
        details: failure.lines.clone(),
    }
}
