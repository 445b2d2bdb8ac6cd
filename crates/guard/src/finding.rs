//! What was found about one call, and what was done about it.

use interlingua_model::ToolCall;

use crate::mode::Mode;
use crate::schema::{Beyond, Flaw, Violation};

/// A call that does not fit what was offered, or could not be checked.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The call as the client knows it; as it was before it was mended.
    pub call: ToolCall,
    pub kind: Kind,
    pub mode: Mode,
    pub violations: Vec<Violation>,
    pub done: Done,
}

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No such tool, and none that may be meant.
    UnknownTool,
    /// No such tool, but one that is spelled almost so.
    MisspelledTool,
    /// Nothing was given where parameters are required.
    EmptyArguments,
    /// No text at all, where an object without fields would do: only mended.
    NoArguments,
    MissingParameter,
    WrongType,
    UnknownParameter,
    WrongValue,
    /// JSON, but no object.
    NotAnObject,
    DoubleEncoded,
    Concatenated,
    Truncated,
    Malformed,
    NotChecked(Beyond),
}

#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// Noted only.
    Observed,
    /// The model is told this in the result of its call.
    Answered(String),
    /// The client gets another call in its place.
    Mended(Box<ToolCall>),
}

impl Kind {
    /// Every kind by its name, as metrics and documents have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown-tool",
            Self::MisspelledTool => "misspelled-tool",
            Self::EmptyArguments => "empty-arguments",
            Self::NoArguments => "no-arguments",
            Self::MissingParameter => "missing-parameter",
            Self::WrongType => "wrong-type",
            Self::UnknownParameter => "unknown-parameter",
            Self::WrongValue => "wrong-value",
            Self::NotAnObject => "not-an-object",
            Self::DoubleEncoded => "double-encoded",
            Self::Concatenated => "concatenated",
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::NotChecked(_) => "not-checked",
        }
    }

    /// The worst of what is wrong with arguments.
    pub(crate) fn of(violations: &[Violation]) -> Option<Self> {
        let flaws = [
            (Flaw::Missing, Self::MissingParameter),
            (Flaw::Type, Self::WrongType),
            (Flaw::Extra, Self::UnknownParameter),
            (Flaw::Value, Self::WrongValue),
        ];
        let has = |flaw| violations.iter().any(|violation| violation.flaw == flaw);
        flaws.into_iter().find(|(flaw, _)| has(*flaw)).map(|(_, kind)| kind)
    }
}

impl Finding {
    /// What the model is to be told, if anything.
    pub fn answer(&self) -> Option<&str> {
        match &self.done {
            Done::Answered(message) => Some(message),
            Done::Observed | Done::Mended(_) => None,
        }
    }

    /// What was done, as metrics and the log say it.
    pub fn done(&self) -> &'static str {
        match (&self.done, self.kind) {
            (_, Kind::NotChecked(_)) => "not-checked",
            (Done::Observed, _) => "observed",
            (Done::Answered(_), _) => "answered",
            (Done::Mended(_), _) => "mended",
        }
    }
}
