//! Parses phrases in a prompt that control the agent.

use serde_json::{Map, Value};

/// A mistake of real models that the agent makes on request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misbehavior {
    /// The arguments are the empty text.
    EmptyArguments,
    /// The arguments are `{}`, even if the schema requires properties.
    MissingArguments,
    /// The arguments are not JSON.
    MalformedArguments,
    /// The arguments are a JSON string that holds JSON.
    DoubleEncoded,
    /// The called tool is not declared.
    UnknownTool,
    /// The reply ends at the token limit, within a block.
    Truncate,
    /// The reply is empty.
    Empty,
    /// The model refuses.
    Refuse,
    /// A text between two blocks of thinking is empty.
    EmptyText,
}

/// The directives of a prompt.
#[derive(Debug, Default)]
pub(super) struct PromptDirectives {
    pub(super) misbehavior: Option<Misbehavior>,
    /// The number of calls in one turn.
    pub(super) parallel_calls: usize,
    /// The number of rounds of calls before the answer.
    pub(super) rounds: usize,
    pub(super) tool: Option<String>,
    pub(super) arguments: Option<Map<String, Value>>,
}

impl PromptDirectives {
    pub(super) fn parse(prompt: &str) -> Self {
        let number = |phrase: &str, default: usize| match directive_value(prompt, phrase) {
            Some(number) => number.parse().unwrap_or(default).clamp(1, MAX_COUNT),
            None => 1,
        };
        let misbehavior =
            MISBEHAVIORS.iter().find(|(phrase, ..)| directive_value(prompt, phrase).is_some());
        let mut parallel_calls = number("sim:parallel", 2);
        if parallel_calls == 1 && prompt.to_lowercase().contains("in parallel") {
            parallel_calls = 2;
        }
        Self {
            misbehavior: misbehavior.map(|(_, misbehavior, _)| *misbehavior),
            parallel_calls,
            rounds: number("sim:rounds", 1),
            tool: directive_value(prompt, "sim:call")
                .filter(|name| !name.is_empty())
                .map(str::to_owned),
            arguments: directive_arguments(prompt),
        }
    }
}

impl Misbehavior {
    /// Whether it is a bad call, which the client answers with an error result.
    pub(super) fn is_bad_call(self) -> bool {
        matches!(
            self,
            Self::EmptyArguments
                | Self::MissingArguments
                | Self::MalformedArguments
                | Self::DoubleEncoded
                | Self::UnknownTool
        )
    }
}

/// The value after a phrase and `=`; empty for a phrase without a value.
fn directive_value<'p>(prompt: &'p str, phrase: &str) -> Option<&'p str> {
    prompt.match_indices(phrase).find_map(|(at, _)| {
        let rest = &prompt[at + phrase.len()..];
        let rest = match rest.strip_prefix('=') {
            Some(rest) => rest,
            // The match is the beginning of a longer phrase.
            None if rest.starts_with(is_word_char) => return None,
            None => return Some(""),
        };
        let end = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
        Some(&rest[..end])
    })
}

fn is_word_char(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}

/// The JSON object after `sim:arguments=`.
fn directive_arguments(prompt: &str) -> Option<Map<String, Value>> {
    let (_, rest) = prompt.split_once("sim:arguments=")?;
    serde_json::Deserializer::from_str(rest).into_iter().next()?.ok()
}

pub(super) const DIRECTIVE_PREFIX: &str = "sim:";
const MAX_COUNT: usize = 64;

/// Every misbehavior with its phrase and description.
pub const MISBEHAVIORS: &[(&str, Misbehavior, &str)] = &[
    (
        "sim:empty-arguments",
        Misbehavior::EmptyArguments,
        "the arguments of the call are empty text",
    ),
    ("sim:missing-arguments", Misbehavior::MissingArguments, "the arguments of the call are `{}`"),
    ("sim:malformed-arguments", Misbehavior::MalformedArguments, "the arguments are no JSON"),
    (
        "sim:double-encoded",
        Misbehavior::DoubleEncoded,
        "the arguments are a JSON string holding JSON",
    ),
    ("sim:unknown-tool", Misbehavior::UnknownTool, "the call is to a tool that was not declared"),
    ("sim:truncate", Misbehavior::Truncate, "the reply ends at the limit of tokens, within a call"),
    ("sim:empty-text", Misbehavior::EmptyText, "the text between two blocks of thinking is empty"),
    ("sim:empty", Misbehavior::Empty, "the reply is empty"),
    ("sim:refuse", Misbehavior::Refuse, "the model refuses"),
];
