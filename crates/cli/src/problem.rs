//! What can go wrong, and how it is said: what happened, where, what to do.

use std::io::{self, Write as _};
use std::process::ExitCode;

pub(crate) enum Problem {
    /// Whoever read the output has left.
    Left,
    /// The thing that was looked at is bad.
    Bad { what: String, advice: String },
    /// The command was used in a wrong way.
    Usage { what: String, advice: String },
    /// A program that was started has ended with this code, and has said why itself.
    Ended(i32),
}

impl Problem {
    pub(crate) fn bad(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Bad { what: what.into(), advice: advice.into() }
    }

    pub(crate) fn usage(what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::Usage { what: what.into(), advice: advice.into() }
    }

    /// To stderr, in plain words without colour.
    pub(crate) fn say(&self) {
        let (Self::Bad { what, advice } | Self::Usage { what, advice }) = self else { return };
        let mut stderr = io::stderr().lock();
        // There is nobody left to tell if this fails.
        let _ = writeln!(stderr, "interlingua: {what}");
        if !advice.is_empty() {
            let _ = writeln!(stderr, "  {advice}");
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Left => ExitCode::SUCCESS,
            Self::Bad { .. } => ExitCode::FAILURE,
            Self::Usage { .. } => ExitCode::from(2),
            Self::Ended(code) => ExitCode::from(u8::try_from(*code).unwrap_or(1)),
        }
    }
}
