//! The error of a command: a message, a hint, and an exit code.

use std::process::ExitCode;

pub(crate) enum CommandError {
    /// The reader of stdout has closed it.
    OutputClosed,
    /// The input is bad, or the work failed.
    Failed { message: String, hint: String },
    /// The command was used incorrectly.
    Usage { message: String, hint: String },
    /// A child process ended with this code, and has reported its error itself.
    ChildExited(i32),
}

impl CommandError {
    pub(crate) fn failed(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), hint: hint.into() }
    }

    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), hint: hint.into() }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::OutputClosed => ExitCode::SUCCESS,
            Self::Failed { .. } => ExitCode::FAILURE,
            Self::Usage { .. } => ExitCode::from(2),
            Self::ChildExited(code) => ExitCode::from(u8::try_from(*code).unwrap_or(1)),
        }
    }
}
