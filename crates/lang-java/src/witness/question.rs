//! A question to a person as a file: a test that compiles against both versions that it is about.

use std::sync::Arc;

use bonafix_lang::{LangError, QuestionDraft, WitnessError, append_log};
use camino::{Utf8Path, Utf8PathBuf};

use super::Care;
use super::compose::{TestSource, ask};
use super::replay::{class_files, framework, javac_options, portable};
use crate::compiler::{CompileTask, Compiler};
use crate::project::{JavaProject, Surroundings};

impl JavaProject {
    /// Writes a question into a folder; the path of the file in it.
    pub fn make_question(
        &self,
        question: &QuestionDraft<'_>,
        folder: &Utf8Path,
        log: &Utf8Path,
    ) -> Result<String, WitnessError> {
        let draft = &question.difference;
        let classes = class_files(draft);
        let versions = draft.versions.iter().map(|version| self.surroundings(version.change, &classes, log));
        let versions = versions.collect::<Result<Vec<_>, _>>()?;
        let Some(first) = versions.first() else {
            return Err(LangError::Internal("a question needs versions".to_owned()).into());
        };
        let framework = framework(first)?;
        let mut error = String::new();
        for care in [Care::Usual, Care::Great] {
            let source = ask(question, framework, care)?;
            match self.compiles(&source, &versions, log)? {
                None => return Ok(write(folder, &source)?),
                Some(said) => error = said,
            }
        }
        Err(WitnessError::DoesNotCompile(error))
    }

    /// What the compiler has against a source, in any of the versions.
    fn compiles(
        &self,
        source: &TestSource,
        versions: &[Surroundings],
        log: &Utf8Path,
    ) -> Result<Option<String>, LangError> {
        let scratch = self.passing_folder("question-")?;
        let file = scratch.join(write(&scratch, source)?);
        let path_of = |version: &Surroundings| -> Vec<Utf8PathBuf> {
            [&version.helpers, &version.classes, &version.libraries].into_iter().flatten().cloned().collect()
        };
        let readable = versions.iter().flat_map(path_of).collect();
        let workshop = self.workshop();
        let compiler = Compiler::new(
            workshop.jdk.clone(),
            workshop.runtime.clone(),
            scratch.to_owned(),
            readable,
            Arc::clone(&workshop.launcher),
        );
        for (number, version) in versions.iter().enumerate() {
            let output = scratch.join(format!("classes-{number}"));
            fs_err::create_dir_all(&output)?;
            let mut options = javac_options(version.release, &workshop.jdk);
            options.extend(portable(&version.javac_options));
            let task =
                CompileTask { sources: vec![file.clone()], output, classpath: path_of(version), options };
            let answer = compiler.compile(&task)?;
            append_log(log, &answer.log)?;
            if !answer.success {
                let said = answer.errors.first();
                let said = said.map(|error| format!("line {}: {}", error.line, error.message));
                return Ok(Some(said.unwrap_or_else(|| "javac does not say why".to_owned())));
            }
        }
        Ok(None)
    }
}

fn write(folder: &Utf8Path, source: &TestSource) -> Result<String, LangError> {
    let path = source.path();
    let file = folder.join(&path);
    if let Some(parent) = file.parent() {
        fs_err::create_dir_all(parent)?;
    }
    fs_err::write(file, &source.text)?;
    Ok(path)
}
