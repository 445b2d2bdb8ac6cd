//! Sampling, tool and output settings of a request.

use interlingua_wire::{JsonString, RawJson};

/// The settings that more than one dialect has. Numbers keep their spelling. Settings of only one
/// dialect remain in the body's fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub max_tokens: Option<RawJson>,
    pub temperature: Option<RawJson>,
    pub top_p: Option<RawJson>,
    pub top_k: Option<RawJson>,
    pub seed: Option<RawJson>,
    pub presence_penalty: Option<RawJson>,
    pub frequency_penalty: Option<RawJson>,
    /// Number of replies (`n`, `candidateCount`).
    pub candidate_count: Option<RawJson>,
    pub stop_sequences: Vec<JsonString>,
    pub stream: Option<bool>,
    /// Whether a stream ends with token usage, in dialects where that is optional.
    pub stream_usage: Option<bool>,
    pub tool_choice: Option<ToolChoice>,
    /// Whether one turn may have several tool calls.
    pub parallel_tool_calls: Option<bool>,
    pub reasoning: Option<ReasoningSettings>,
    pub response_format: Option<ResponseFormat>,
    /// Length of the reply, as the client wrote it.
    pub verbosity: Option<JsonString>,
    /// The end user, as an opaque id.
    pub user: Option<JsonString>,
    pub metadata: Option<RawJson>,
    pub service_tier: Option<JsonString>,
    pub cache_key: Option<JsonString>,
    /// Whether the provider stores the reply.
    pub store: Option<bool>,
    /// The client requests sealed reasoning, which it sends back (`reasoning.encrypted_content`).
    pub sealed_reasoning: bool,
    /// Names of beta features that the body requests.
    pub betas: Vec<JsonString>,
}

/// Which tools the model may or must call.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolChoice {
    Auto,
    None,
    Required,
    Named(JsonString),
    /// Only these tools, and whether one of them must be called.
    Allowed {
        names: Vec<JsonString>,
        required: bool,
    },
}

/// Mode, effort, budget and display of reasoning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReasoningSettings {
    pub mode: Option<ReasoningMode>,
    /// As the client wrote it: `low`, `high` and so on.
    pub effort: Option<JsonString>,
    pub budget_tokens: Option<RawJson>,
    /// Whether to show the reasoning, or which summary of it, as the client wrote it.
    pub display: Option<JsonString>,
}

/// Whether and when the model reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningMode {
    Off,
    On,
    /// The model decides.
    Adaptive,
    /// No reasoning before the reply; the model reasons between tool calls.
    BetweenTools,
}

impl ReasoningMode {
    /// Whether the model does not reason before it replies.
    pub fn is_off(self) -> bool {
        match self {
            Self::Off | Self::BetweenTools => true,
            Self::On | Self::Adaptive => false,
        }
    }
}

impl ReasoningSettings {
    /// Whether the request turns off reasoning before the reply.
    pub fn is_off(&self) -> bool {
        self.mode.is_some_and(ReasoningMode::is_off)
    }
}

/// The format of the reply's text.
#[derive(Clone, Debug, PartialEq)]
pub enum ResponseFormat {
    Text,
    /// Any JSON.
    Json,
    Schema {
        name: Option<JsonString>,
        description: Option<JsonString>,
        schema: RawJson,
        strict: Option<bool>,
    },
}
