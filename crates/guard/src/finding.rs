//! Findings: what is wrong with one tool call, and which action was taken.

use interlingua_model::ToolCall;

use crate::mode::GuardMode;
use crate::schema::{SkipReason, Violation, ViolationKind};

/// A tool call that is invalid or could not be checked.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The call as the client receives it, before mending.
    pub call: ToolCall,
    /// What is wrong.
    pub kind: FindingKind,
    /// The mode under which the call was checked.
    pub mode: GuardMode,
    /// Where the arguments break the schema; empty if the schema was not the problem.
    pub violations: Vec<Violation>,
    /// What happened to the call.
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
    /// A required parameter is missing.
    MissingParameter,
    /// A parameter has the wrong type.
    WrongType,
    /// A parameter that the schema does not allow.
    UnknownParameter,
    /// A parameter of the right type has a value that the schema does not allow.
    WrongValue,
    /// The arguments are JSON, but not an object.
    NotAnObject,
    /// The arguments are a JSON string that contains the object.
    DoubleEncoded,
    /// Several objects in a row.
    Concatenated,
    /// The arguments end in the middle of the JSON.
    Truncated,
    /// The arguments are not JSON in another way.
    Malformed,
    /// The call was not checked, for this reason.
    NotChecked(SkipReason),
}

/// What happened to a call with a finding.
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
