//! Phrases in a prompt that tell the agent how to behave.

use serde_json::{Map, Value};

/// A way in which real models go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misdeed {
    /// The arguments are the empty text.
    EmptyArguments,
    /// The arguments are `{}`, whatever is required.
    MissingArguments,
    /// The arguments are no JSON.
    MalformedArguments,
    /// The arguments are a JSON string that holds JSON.
    DoubleEncoded,
    /// The tool is none of those declared.
    UnknownTool,
    /// The reply ends at the limit of tokens, in the middle of what it says.
    Truncate,
    /// The reply is empty.
    Empty,
    /// The model refuses.
    Refuse,
    /// A text between two blocks of thinking is empty.
    EmptyText,
}

/// What a prompt asks of the agent.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    pub(super) misdeed: Option<Misdeed>,
    /// How many calls are made at once.
    pub(super) parallel: usize,
    /// How many rounds of calls come before the answer.
    pub(super) rounds: usize,
    pub(super) tool: Option<String>,
    pub(super) arguments: Option<Map<String, Value>>,
}

impl Wishes {
    pub(super) fn read(prompt: &str) -> Self {
        let number = |phrase: &str, otherwise: usize| match value(prompt, phrase) {
            Some(number) => number.parse().unwrap_or(otherwise).clamp(1, MOST),
            None => 1,
        };
        let misdeed = MISDEEDS.iter().find(|(phrase, ..)| value(prompt, phrase).is_some());
        let mut parallel = number("sim:parallel", 2);
        if parallel == 1 && prompt.to_lowercase().contains("in parallel") {
            parallel = 2;
        }
        Self {
            misdeed: misdeed.map(|(_, misdeed, _)| *misdeed),
            parallel,
            rounds: number("sim:rounds", 1),
            tool: value(prompt, "sim:call").filter(|name| !name.is_empty()).map(str::to_owned),
            arguments: arguments(prompt),
        }
    }
}

impl Misdeed {
    /// It is about a call, so that the client can answer it and the model gets a second chance.
    pub(super) fn is_a_bad_call(self) -> bool {
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

/// What stands after a phrase and `=`; empty if the phrase stands alone.
fn value<'p>(prompt: &'p str, phrase: &str) -> Option<&'p str> {
    prompt.match_indices(phrase).find_map(|(at, _)| {
        let rest = &prompt[at + phrase.len()..];
        let rest = match rest.strip_prefix('=') {
            Some(rest) => rest,
            // Not the beginning of a longer phrase.
            None if rest.starts_with(is_of_a_word) => return None,
            None => return Some(""),
        };
        let end = rest.find(|c| !is_of_a_word(c)).unwrap_or(rest.len());
        Some(&rest[..end])
    })
}

fn is_of_a_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-')
}

/// The JSON object after `sim:arguments=`.
fn arguments(prompt: &str) -> Option<Map<String, Value>> {
    let (_, rest) = prompt.split_once("sim:arguments=")?;
    serde_json::Deserializer::from_str(rest).into_iter().next()?.ok()
}

/// How a phrase begins.
pub(super) const WISH: &str = "sim:";
const MOST: usize = 64;

/// Every misdeed, by the phrase that asks for it.
pub const MISDEEDS: &[(&str, Misdeed, &str)] = &[
    ("sim:empty-arguments", Misdeed::EmptyArguments, "the arguments of the call are empty text"),
    ("sim:missing-arguments", Misdeed::MissingArguments, "the arguments of the call are `{}`"),
    ("sim:malformed-arguments", Misdeed::MalformedArguments, "the arguments are no JSON"),
    ("sim:double-encoded", Misdeed::DoubleEncoded, "the arguments are a JSON string holding JSON"),
    ("sim:unknown-tool", Misdeed::UnknownTool, "the call is to a tool that was not declared"),
    ("sim:truncate", Misdeed::Truncate, "the reply ends at the limit of tokens, within a call"),
    ("sim:empty-text", Misdeed::EmptyText, "the text between two blocks of thinking is empty"),
    ("sim:empty", Misdeed::Empty, "the reply is empty"),
    ("sim:refuse", Misdeed::Refuse, "the model refuses"),
];
