//! Gradle projects.

use bonafix_lang::LangError;
use camino::Utf8Path;

use super::{Layout, LayoutRequest};

/// Are there files of a Gradle build?
pub(crate) fn detect(root: &Utf8Path) -> bool {
    ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"]
        .iter()
        .any(|file| root.join(file).is_file())
}

/// Not yet.
pub(crate) fn layout(_request: &LayoutRequest) -> Result<Layout, LangError> {
    Err(LangError::Configuration { message: "Gradle".to_owned() })
}
