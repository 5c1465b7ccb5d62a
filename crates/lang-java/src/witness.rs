//! Counterexamples as JUnit tests: written for people, kept in a folder with all that they need, and run from there.
//!
//! | module | one line |
//! |---|---|
//! | `literal`, `types`, `variables` | constants, types and names as Java writes them |
//! | `render`, `stub` | a sequence as statements |
//! | `assertion`, `descent` | the one assertion that shows the difference, and the way down to it |
//! | `compose` | the source of the test, or of a question to a person |
//! | `question` | a question in a file of its own, which compiles |
//! | `folder` | the folder: sources, classes of all versions, libraries, `witness.json` |
//! | `replay` | compiles and runs the test from the folder alone |

mod assertion;
mod compose;
mod descent;
mod folder;
mod literal;
mod question;
mod render;
mod replay;
mod stub;
mod types;
mod variables;

use serde::{Deserialize, Serialize};

pub use render::render;
pub use replay::{ReplayOptions, replay};

/// Name of the test method, which JUnit 3 knows by its beginning.
const TEST_METHOD: &str = "testWitness";

/// What the test is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Framework {
    /// `junit.framework`.
    #[serde(rename = "junit3")]
    JUnit3,
    /// `org.junit`.
    #[serde(rename = "junit4")]
    JUnit4,
    /// `org.junit.jupiter`.
    #[serde(rename = "junit5")]
    Jupiter,
}

/// How a source is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    /// As a person would.
    Usual,
    /// Every argument with its type, no lambdas: for what the compiler did not take at first.
    Great,
}
