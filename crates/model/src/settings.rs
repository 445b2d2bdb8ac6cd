//! How the client wants the reply made.

use interlingua_wire::{Json, Text};

/// Numbers keep their spelling. What no dialect but one knows stays in the body's fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub max_tokens: Option<Json>,
    pub temperature: Option<Json>,
    pub top_p: Option<Json>,
    pub top_k: Option<Json>,
    pub seed: Option<Json>,
    pub presence_penalty: Option<Json>,
    pub frequency_penalty: Option<Json>,
    /// How many answers.
    pub answers: Option<Json>,
    pub stop: Vec<Text>,
    pub stream: Option<bool>,
    /// Whether a stream shall end with its usage, where that is a choice.
    pub stream_usage: Option<bool>,
    pub choice: Option<Choice>,
    /// Whether several calls may come in one turn.
    pub parallel: Option<bool>,
    pub reasoning: Option<Reasoning>,
    pub format: Option<Format>,
    /// How long the answer should be, in the words of the client.
    pub verbosity: Option<Text>,
    /// The end user, as an opaque id.
    pub user: Option<Text>,
    pub metadata: Option<Json>,
    pub service_tier: Option<Text>,
    pub cache_key: Option<Text>,
    /// Whether the provider shall keep the reply.
    pub store: Option<bool>,
    /// Reasoning is to come sealed, for who sends it back.
    pub sealed: bool,
    /// Features beyond the usual, by their names, where they are asked for in the body.
    pub betas: Vec<Text>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    Auto,
    None,
    Required,
    Named(Text),
    /// Only these, and whether one of them must be called.
    Allowed {
        names: Vec<Text>,
        required: bool,
    },
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reasoning {
    pub mode: Option<ReasoningMode>,
    /// In the words of the client: `low`, `high` and so on.
    pub effort: Option<Text>,
    /// In tokens.
    pub budget: Option<Json>,
    /// Whether the reasoning, or which summary of it, is to be shown, in the words of the client.
    pub display: Option<Text>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningMode {
    Off,
    On,
    /// The model decides.
    Adaptive,
    /// Not before the answer; between calls the model notes what it does.
    BetweenTools,
}

impl ReasoningMode {
    /// The model does not think before it answers.
    pub fn is_off(self) -> bool {
        match self {
            Self::Off | Self::BetweenTools => true,
            Self::On | Self::Adaptive => false,
        }
    }
}

impl Reasoning {
    /// The model is told not to think before it answers.
    pub fn is_off(&self) -> bool {
        self.mode.is_some_and(ReasoningMode::is_off)
    }
}

/// What form the text of the answer has.
#[derive(Clone, Debug, PartialEq)]
pub enum Format {
    Text,
    /// Any JSON.
    Json,
    Schema {
        name: Option<Text>,
        description: Option<Text>,
        schema: Json,
        strict: Option<bool>,
    },
}
