//! Sampling, tool and output settings of a request.

use interlingua_wire::{JsonString, RawJson};

/// The settings that more than one dialect has. Numbers keep their spelling. Settings of only one
/// dialect remain in the body's fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Maximum number of output tokens.
    pub max_tokens: Option<RawJson>,
    /// Sampling temperature.
    pub temperature: Option<RawJson>,
    /// Nucleus sampling: the probability mass that is considered.
    pub top_p: Option<RawJson>,
    /// Number of tokens that are considered.
    pub top_k: Option<RawJson>,
    /// Seed of the sampling.
    pub seed: Option<RawJson>,
    /// Penalty for tokens that already occur.
    pub presence_penalty: Option<RawJson>,
    /// Penalty for tokens by how often they occur.
    pub frequency_penalty: Option<RawJson>,
    /// Number of replies (`n`, `candidateCount`).
    pub candidate_count: Option<RawJson>,
    /// Texts that end the reply.
    pub stop_sequences: Vec<JsonString>,
    /// Whether the reply is streamed.
    pub stream: Option<bool>,
    /// Whether a stream ends with token usage, in dialects where that is optional.
    pub stream_usage: Option<bool>,
    /// Which tools the model may or must call.
    pub tool_choice: Option<ToolChoice>,
    /// Whether one turn may have several tool calls.
    pub parallel_tool_calls: Option<bool>,
    /// Whether and how much the model reasons.
    pub reasoning: Option<ReasoningSettings>,
    /// The format of the reply's text.
    pub response_format: Option<ResponseFormat>,
    /// Length of the reply, as the client wrote it.
    pub verbosity: Option<JsonString>,
    /// The end user, as an opaque id.
    pub user: Option<JsonString>,
    /// The client's own data about the request.
    pub metadata: Option<RawJson>,
    /// The provider's service level.
    pub service_tier: Option<JsonString>,
    /// The key by which the provider finds the cached prefix.
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
    /// The model decides.
    Auto,
    /// No tool.
    None,
    /// At least one tool.
    Required,
    /// This tool.
    Named(JsonString),
    /// Only these tools, and whether one of them must be called.
    Allowed {
        /// The names of the tools.
        names: Vec<JsonString>,
        /// Whether one of them must be called.
        required: bool,
    },
}

/// Mode, effort, budget and display of reasoning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReasoningSettings {
    /// Whether and when the model reasons.
    pub mode: Option<ReasoningMode>,
    /// As the client wrote it: `low`, `high` and so on.
    pub effort: Option<JsonString>,
    /// Maximum number of reasoning tokens.
    pub budget_tokens: Option<RawJson>,
    /// Whether to show the reasoning, or which summary of it, as the client wrote it.
    pub display: Option<JsonString>,
}

/// Whether and when the model reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningMode {
    /// No reasoning.
    Off,
    /// The model reasons.
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
    /// Plain text.
    Text,
    /// Any JSON.
    Json,
    /// JSON that matches a schema.
    Schema {
        /// The schema's name.
        name: Option<JsonString>,
        /// What the schema describes, for the model.
        description: Option<JsonString>,
        /// The JSON Schema.
        schema: RawJson,
        /// Whether the provider enforces the schema.
        strict: Option<bool>,
    },
}
