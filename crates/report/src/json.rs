//! The report for programs, and the schemas of all that bonafix reads and writes.

use bonafix_model::{CaseConfig, ProjectConfig, RunReport};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The report as JSON, indented, with a line end.
pub fn render(report: &RunReport) -> String {
    // Strings, numbers and maps with string keys: this cannot fail.
    serde_json::to_string_pretty(report).unwrap_or_default() + "\n"
}

/// Schema of the report.
pub fn schema() -> Value {
    schema_of::<RunReport>(SchemaSettings::draft2020_12().for_serialize())
}

/// Schema of `bonafix.toml`.
pub fn project_schema() -> Value {
    schema_of::<ProjectConfig>(SchemaSettings::draft2020_12())
}

/// Schema of `case.toml`.
pub fn case_schema() -> Value {
    schema_of::<CaseConfig>(SchemaSettings::draft2020_12())
}

fn schema_of<T: JsonSchema>(settings: SchemaSettings) -> Value {
    settings.into_generator().into_root_schema_for::<T>().to_value()
}
