//! Findings: what is wrong with one tool call, and which action was taken.

use interlingua_model::ToolCall;

use crate::mode::GuardMode;
use crate::schema::{SkipReason, Violation, ViolationKind};

/// A tool call that is invalid or could not be checked.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The call as the client receives it, before mending.
    pub call: ToolCall,
    pub kind: FindingKind,
    pub mode: GuardMode,
    pub violations: Vec<Violation>,
    pub action: GuardAction,
}

/// The kind of error in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// No such tool, and no tool with a similar name.
    UnknownTool,
    /// No such tool, but one with almost the same name.
    MisspelledTool,
    /// No arguments where the schema requires parameters.
    EmptyArguments,
    /// Empty text where an empty object is valid. Only mended, never answered.
    AbsentArguments,
    MissingParameter,
    WrongType,
    UnknownParameter,
    WrongValue,
    NotAnObject,
    DoubleEncoded,
    Concatenated,
    Truncated,
    Malformed,
    NotChecked(SkipReason),
}

#[derive(Clone, Debug, PartialEq)]
pub enum GuardAction {
    /// Recorded only.
    Observed,
    /// The model receives this text as the result of its call.
    Answered(String),
    /// The client receives this call instead.
    Mended(Box<ToolCall>),
}

impl FindingKind {
    /// The kind's name in metrics and documentation.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown-tool",
            Self::MisspelledTool => "misspelled-tool",
            Self::EmptyArguments => "empty-arguments",
            Self::AbsentArguments => "no-arguments",
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

    /// The most severe kind among these violations.
    pub(crate) fn worst_of(violations: &[Violation]) -> Option<Self> {
        let kinds = [
            (ViolationKind::Missing, Self::MissingParameter),
            (ViolationKind::Type, Self::WrongType),
            (ViolationKind::Extra, Self::UnknownParameter),
            (ViolationKind::Value, Self::WrongValue),
        ];
        let has =
            |violation_kind| violations.iter().any(|violation| violation.kind == violation_kind);
        kinds.into_iter().find(|(violation_kind, _)| has(*violation_kind)).map(|(_, kind)| kind)
    }
}

impl Finding {
    /// The text of the guard answer, if there is one.
    pub fn answer_message(&self) -> Option<&str> {
        match &self.action {
            GuardAction::Answered(message) => Some(message),
            GuardAction::Observed | GuardAction::Mended(_) => None,
        }
    }

    /// The action's name in metrics and logs.
    pub fn action_name(&self) -> &'static str {
        match (&self.action, self.kind) {
            (_, FindingKind::NotChecked(_)) => "not-checked",
            (GuardAction::Observed, _) => "observed",
            (GuardAction::Answered(_), _) => "answered",
            (GuardAction::Mended(_), _) => "mended",
        }
    }
}
