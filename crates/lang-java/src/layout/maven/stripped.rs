//! Class paths without the project's build: POMs with the same dependencies and none of the plugins.

use bonafix_lang::LangError;
use camino::{Utf8Path, Utf8PathBuf};

use super::call::{BUILD_CLASSPATH, Maven, unresolved};
use super::effective::Project;
use crate::layout::dependencies::parse_classpath;

/// The class path of each project that is more than a POM.
pub(super) fn classpaths(
    maven: &Maven,
    projects: &[Project],
) -> Result<Vec<Option<Vec<Utf8PathBuf>>>, LangError> {
    let folder = tempfile::tempdir()?;
    let folder = Utf8Path::from_path(folder.path()).ok_or_else(|| {
        LangError::Internal("the folder for temporary files has a name that is no text".to_owned())
    })?;
    fs_err::write(folder.join("pom.xml"), aggregator(projects))?;
    for (index, project) in modules(projects) {
        let module = folder.join(index.to_string());
        fs_err::create_dir_all(&module)?;
        fs_err::create_dir_all(&project.output)?;
        fs_err::create_dir_all(&project.test_output)?;
        fs_err::write(module.join("pom.xml"), pom(project))?;
    }
    let arguments =
        ["-fae", "test-compile", BUILD_CLASSPATH, "-Dmdep.outputFile=classpath.txt"].map(str::to_owned);
    if let Err(failure) = maven.run(folder, &arguments)? {
        return Err(unresolved(&failure, "this project"));
    }
    let read = |(index, project): (usize, &Project)| {
        let file = folder.join(index.to_string()).join("classpath.txt");
        (project.packaging != "pom").then(|| fs_err::read_to_string(file).ok()).flatten()
    };
    Ok(projects.iter().enumerate().map(|entry| read(entry).map(|text| parse_classpath(&text))).collect())
}

fn modules(projects: &[Project]) -> impl Iterator<Item = (usize, &Project)> {
    projects.iter().enumerate().filter(|(_, project)| project.packaging != "pom")
}

fn aggregator(projects: &[Project]) -> String {
    let modules: Vec<String> =
        modules(projects).map(|(index, _)| format!("<module>{index}</module>")).collect();
    let modules = modules.concat();
    format!(
        "{HEAD}<groupId>bonafix</groupId><artifactId>reactor</artifactId><version>1</version>\
         <packaging>pom</packaging><modules>{modules}</modules></project>\n"
    )
}

/// The same coordinates and needs; sources that do not exist, so that nothing is compiled.
fn pom(project: &Project) -> String {
    let Project { group, artifact, version, output, test_output, needs, .. } = project;
    format!(
        "{HEAD}<groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>\n\
         <build><outputDirectory>{output}</outputDirectory><testOutputDirectory>{test_output}</testOutputDirectory>\
         </build>\n{needs}\n</project>\n"
    )
}

const HEAD: &str = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>";
