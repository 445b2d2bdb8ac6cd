//! What the rows are made of: kinds of targets that take the same settings.

use super::shapes;
use super::{
    Choosing, Conflict, Forced, Format, Lone, MaxTokens, Pairs, Params, Sampling, Span, Spelling,
    Stops, When,
};

pub(super) const UNFORCED: Params =
    Params { choice: Choosing { forced: Forced::Never, ..CLAUDE_CHOICE }, ..FIXED };
/// Sampling is what it is, from 4.7 on.
pub(super) const FIXED: Params = Params {
    max_tokens: MaxTokens { most: 128_000, ..OLD.max_tokens },
    sampling: Sampling {
        temperature: Span::ONE,
        top_p: Span::ONE,
        top_k: Span::NEVER,
        penalties: Span::ANY,
    },
    while_thinking: Sampling::ANY,
    ..OLD
};
pub(super) const NOT_BOTH: Params = Params { both: false, ..OLD };
pub(super) const OLD: Params = Params {
    max_tokens: MaxTokens {
        required: true,
        least: 0,
        most: 64_000,
        negative: false,
        prewarms: true,
    },
    sampling: Sampling {
        temperature: UNIT,
        top_p: UNIT,
        top_k: Span::new(0.0, f64::INFINITY),
        penalties: Span::ANY,
    },
    while_thinking: Sampling {
        temperature: Span::ONE,
        top_p: Span::new(0.95, 1.0),
        top_k: Span::NEVER,
        penalties: Span::ANY,
    },
    spelling: Spelling::Numbers,
    reads_all: true,
    stops: Stops { blank: false, empty: false, ..FREE_STOPS },
    choice: CLAUDE_CHOICE,
    format: Format { closed: true, ..IN_WORDS },
    tiers: Some(&["auto", "standard_only"]),
    displays: Some(&["summarized", "omitted"]),
    beta_display: Some(("updates", "thinking-display-updates-")),
    mailed_user: false,
    shapes: shapes::ANTHROPIC,
    conflicts: &[CONTAINER],
    ..COPY
};
/// "Container identifier can only be provided when using the code execution tool"
const CONTAINER: Conflict =
    Conflict { field: "container", item: None, when: When::WithoutTool("code_execution_") };
pub(super) const CLAUDE_CHOICE: Choosing =
    Choosing { without_tools: Lone::Unforced, forced: Forced::NotWithBudget, ..FREE_CHOICE };

/// Any model behind Converse.
pub(super) const CONVERSE: Params = Params {
    max_tokens: MaxTokens { least: 1, ..FREE_LENGTH },
    sampling: Sampling { temperature: UNIT, top_p: UNIT, ..Sampling::ANY },
    any_off: true,
    // What goes to the model as it is is its own affair.
    reads_all: false,
    ..CONVERSE_FIELDS
};
pub(super) const CONVERSE_FIELDS: Params = Params {
    spelling: Spelling::Numbers,
    reads_all: true,
    stops: Stops { empty: false, most: 2_500, ..FREE_STOPS },
    metadata: Some(Pairs { least: 1, most: 16, key: 256, value: 256 }),
    tiers: Some(&["priority", "default", "flex", "reserved"]),
    choice: Choosing { plain_names: true, ..FREE_CHOICE },
    format: IN_WORDS,
    shapes: shapes::BEDROCK,
    ..COPY
};

/// What servers that copy Chat take: nearly everything.
pub(super) const COPY: Params = Params {
    max_tokens: FREE_LENGTH,
    sampling: Sampling::ANY,
    while_thinking: Sampling::ANY,
    both: true,
    spelling: Spelling::Exact,
    reads_all: false,
    stops: FREE_STOPS,
    choice: FREE_CHOICE,
    format: ANY_FORMAT,
    stream: None,
    streams_thinking: false,
    store: None,
    metadata: None,
    tiers: None,
    verbosities: None,
    displays: None,
    beta_display: None,
    betas: None,
    any_off: false,
    longest_user: usize::MAX,
    mailed_user: true,
    longest_cache_key: usize::MAX,
    respelled: &[],
    shapes: shapes::CHAT,
    storing: true,
    state: &[],
    conflicts: &[],
};
pub(super) const FREE_LENGTH: MaxTokens =
    MaxTokens { required: false, least: 0, most: u64::MAX, negative: false, prewarms: false };
pub(super) const FREE_STOPS: Stops =
    Stops { taken: true, blank: true, empty: true, most: usize::MAX };
pub(super) const FOUR_STOPS: Stops = Stops { most: 4, ..FREE_STOPS };
pub(super) const FREE_CHOICE: Choosing = Choosing {
    without_tools: Lone::Any,
    forced: Forced::Free,
    known_names: false,
    parallel: true,
    known_name: false,
    named: true,
    nested: None,
    lone_parallel: true,
    functions_only: false,
    plain_names: false,
    brought_by: &[],
    old: false,
};
/// Only functions are named in an object.
pub(super) const NESTED_CHOICE: Choosing = Choosing { nested: Some(&[]), ..FREE_CHOICE };
pub(super) const ANY_FORMAT: Format = Format {
    json: true,
    json_in_words: false,
    json_word: false,
    word_in_system: true,
    json_while_thinking: true,
    with_tools: true,
    asked_by: None,
    schema: true,
    closed: false,
    plain_name: false,
};
/// Any JSON can only be asked for in words.
pub(super) const IN_WORDS: Format = Format { json_in_words: true, ..ANY_FORMAT };

pub(super) const CHAT_RANGES: Sampling = Sampling {
    temperature: Span::new(0.0, 2.0),
    top_p: UNIT,
    top_k: Span::ANY,
    penalties: Span::new(-2.0, 2.0),
};
pub(super) const CHAT_INVENTED: Params = Params {
    max_tokens: MaxTokens { least: 1, ..FREE_LENGTH },
    sampling: CHAT_RANGES,
    stops: FOUR_STOPS,
    choice: Choosing {
        without_tools: Lone::Nothing,
        known_name: true,
        nested: Some(&["allowed_tools", "custom"]),
        lone_parallel: false,
        old: true,
        ..FREE_CHOICE
    },
    format: Format { json_word: true, ..ANY_FORMAT },
    metadata: Some(Pairs { least: 0, most: 16, key: 64, value: 512 }),
    longest_user: 128,
    conflicts: &[STREAMED, LOGPROBS, ALONE, TWICE],
    respelled: STRANGERS,
    shapes: shapes::INVENTED,
    ..COPY
};
pub(super) const CHAT_REASONING: Params = Params {
    while_thinking: RESPONDING.while_thinking,
    stops: Stops { taken: false, ..FREE_STOPS },
    conflicts: &[
        STREAMED,
        LOGPROBS,
        // Before how many, which go only with it.
        Conflict { field: "logprobs", item: None, when: When::ThinkingIfTrue },
        Conflict { field: "logit_bias", item: None, when: When::Thinking },
        ALONE,
        TWICE,
    ],
    respelled: REASONING_STRANGERS,
    ..CHAT_INVENTED
};
/// A router, which has the inventor's own checks.
pub(super) const ROUTED: Params = Params {
    sampling: CHAT_RANGES,
    format: Format { json_word: true, ..ANY_FORMAT },
    longest_user: 128,
    conflicts: &[LOGPROBS, Conflict { field: "session_id", item: None, when: When::Longer(256) }],
    shapes: shapes::INVENTED,
    ..COPY
};
pub(super) const GROK: Params = Params {
    sampling: Sampling { penalties: Span::NEVER, ..Sampling::ANY },
    stops: Stops { taken: false, ..FREE_STOPS },
    respelled: &["stop"],
    ..COPY
};

pub(super) const RESPONDING: Params = Params {
    reads_all: true,
    max_tokens: MaxTokens { least: 16, ..FREE_LENGTH },
    sampling: CHAT_RANGES,
    while_thinking: Sampling {
        temperature: Span::ONE,
        top_p: Span::ONE,
        top_k: Span::ANY,
        penalties: Span::new(0.0, 0.0),
    },
    choice: Choosing {
        without_tools: Lone::Unforced,
        known_names: true,
        brought_by: &["prompt"],
        ..FREE_CHOICE
    },
    format: Format { json_word: true, word_in_system: false, plain_name: true, ..ANY_FORMAT },
    metadata: Some(Pairs { least: 0, most: 16, key: usize::MAX, value: 512 }),
    tiers: Some(&["auto", "default", "fast", "flex", "priority", "scale", "ultrafast"]),
    verbosities: Some(&["low", "medium", "high"]),
    longest_user: 128,
    longest_cache_key: 64,
    shapes: shapes::RESPONSES,
    state: &["previous_response_id", "conversation", "prompt"],
    conflicts: &[
        LOGPROBS,
        Conflict { field: "conversation", item: None, when: When::With("previous_response_id") },
        Conflict {
            field: "max_tool_calls",
            item: None,
            when: When::Beyond(Span::new(1.0, f64::INFINITY)),
        },
        Conflict {
            field: "top_logprobs",
            item: None,
            when: When::ThinkingBeyond(Span::new(0.0, 0.0)),
        },
        SHOWN_LOGPROBS,
        SEALED,
    ],
    ..COPY
};

/// The backend behind the inventor's subscriptions.
pub(super) const SUBSCRIBED: Params = Params {
    max_tokens: MaxTokens { least: 1, most: 0, ..FREE_LENGTH },
    sampling: Sampling {
        temperature: Span::NEVER,
        top_p: Span::NEVER,
        penalties: Span::NEVER,
        ..RESPONDING.sampling
    },
    stream: Some(true),
    store: Some(false),
    metadata: Some(Pairs { least: 1, most: 0, key: 0, value: 0 }),
    longest_user: 0,
    state: &["conversation", "prompt"],
    conflicts: &[USER_TWICE, SHOWN_LOGPROBS, SEALED],
    ..RESPONDING
};
/// "Unsupported value: 'low' is not supported with the 'gpt-5.2-codex-2026-01-14' model. Supported values
/// are: 'medium'."
pub(super) const ONLY_MEDIUM: Option<&[&str]> = Some(&["medium"]);
pub(super) const MEDIUM: &[&str] = &[
    "^gpt-3.5!",
    "^gpt-4!",
    "^gpt-4.1!",
    "^gpt-4.5!",
    "^chatgpt-4o!",
    "^gpt-5-chat!",
    "^gpt-5.1-codex!",
    "^gpt-5.2-codex!",
];

const SHOWN_LOGPROBS: Conflict =
    Conflict { field: "include", item: Some("message.output_text.logprobs"), when: When::Thinking };
const SEALED: Conflict = Conflict {
    field: "include",
    item: Some("reasoning.encrypted_content"),
    when: When::NeverThinks,
};
/// The older name of the user's id, beside the newer.
const USER_TWICE: Conflict =
    Conflict { field: "user", item: None, when: When::With("safety_identifier") };
pub(super) const STREAMED: Conflict =
    Conflict { field: "stream_options", item: None, when: When::Silent };
pub(super) const LOGPROBS: Conflict =
    Conflict { field: "top_logprobs", item: None, when: When::Beyond(Span::new(0.0, 20.0)) };
pub(super) const ALONE: Conflict =
    Conflict { field: "top_logprobs", item: None, when: When::Without("logprobs") };
/// The length of an answer is said by one of its names.
const TWICE: Conflict =
    Conflict { field: "max_tokens", item: None, when: When::With("max_completion_tokens") };
pub(super) const TOOLS_LOGPROBS: Conflict =
    Conflict { field: "logprobs", item: None, when: When::ToolsAndStream };

pub(super) const UNIT: Span = Span::new(0.0, 1.0);
pub(super) const STRANGERS: &[&str] =
    &["top_k", "random_seed", "thinking", "enable_thinking", "thinking_budget", "reasoning"];
pub(super) const REASONING_STRANGERS: &[&str] = &[
    "max_tokens",
    "stop",
    "top_k",
    "random_seed",
    "thinking",
    "enable_thinking",
    "thinking_budget",
    "reasoning",
];
pub(super) const GROQ_STRANGERS: &[&str] = &[
    "top_k",
    "random_seed",
    "thinking",
    "enable_thinking",
    "thinking_budget",
    "reasoning",
    "verbosity",
    "safety_identifier",
    "prompt_cache_key",
];
pub(super) const MISTRAL_STRANGERS: &[&str] = &[
    "max_completion_tokens",
    "top_k",
    "seed",
    "thinking",
    "enable_thinking",
    "thinking_budget",
    "reasoning",
    "verbosity",
    "user",
    "safety_identifier",
    "store",
    "stream_options",
    "service_tier",
    "function_call",
];
pub(super) const KIMI_OLD: &[&str] =
    &["^moonshot-v1", "^kimi-k2-0", "^kimi-k2-turbo", "^kimi-latest"];
pub(super) const GROK_REASONING: &[&str] =
    &["^grok-3-mini", "^grok-4.3", "^grok-4.5", "^grok-4.6", "^grok-4.20-multi-agent"];
