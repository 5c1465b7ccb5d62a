//! Why a check ends without a report, and the exit code of each reason.

use bonafix_lang::LangError;
use bonafix_model::ExitCode;
use bonafix_proc::ProcError;
use bonafix_store::StoreError;
use bonafix_subject::description::DescriptionError;
use camino::Utf8PathBuf;

/// A check that could not be carried out. What it found out about patches is never one of these.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// The command line or a configuration file is wrong.
    #[error("{0}")]
    Usage(String),
    /// The run directory or the cache cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The user stopped it.
    #[error(
        "interrupted; everything that was started has been ended{}",
        run.as_ref().map(|run| format!(". To go on, repeat the command with `--resume {run}`")).unwrap_or_default()
    )]
    Interrupted {
        /// The run to go on with.
        run: Option<Utf8PathBuf>,
    },
    /// A fault of bonafix or of the machine.
    #[error("{message}{}", run.as_ref().map(|run| format!("\nthe logs are in {run}/logs")).unwrap_or_default())]
    Internal {
        /// What happened.
        message: String,
        /// Where to look.
        run: Option<Utf8PathBuf>,
    },
}

impl CheckError {
    /// The exit code that it deserves.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Interrupted { .. } | Self::Store(StoreError::Interrupted { .. }) => ExitCode::Interrupted,
            Self::Internal { .. }
            | Self::Store(StoreError::Full { .. } | StoreError::Io(_) | StoreError::Corrupt { .. }) => {
                ExitCode::Internal
            }
            // The user can mend where things are written, by an option.
            Self::Usage(_) | Self::Store(_) => ExitCode::Usage,
        }
    }

    /// A fault of a language that is no finding about the subject.
    pub(crate) fn from_lang(error: LangError, run: Option<Utf8PathBuf>) -> Self {
        match error {
            LangError::Interrupted => Self::Interrupted { run },
            LangError::Configuration { message } => Self::Usage(message),
            other => Self::Internal { message: other.to_string(), run },
        }
    }
}

impl From<DescriptionError> for CheckError {
    fn from(error: DescriptionError) -> Self {
        use bonafix_subject::git::GitError;
        match error {
            DescriptionError::Git(GitError::Proc(ProcError::Interrupted)) => Self::Interrupted { run: None },
            other => Self::Usage(other.to_string()),
        }
    }
}
