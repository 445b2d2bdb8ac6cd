//! The rows.

use super::shapes;
use super::{
    Choosing, Conflict, Forced, Format, Lone, MaxTokens, Pairs, Params, Sampling, Span, Spelling,
    Stops, When,
};
use crate::profile::Scope;

const CHAT: &str = "openai-chat";
const RESPONSES: &str = "openai-responses";

pub(in crate::profile) static ROWS: &[(Scope, Params)] = &[
    // Behind Converse: who else than Claude answers there.
    (
        Scope::models("bedrock", &["amazon.nova"]),
        Params {
            sampling: Sampling { top_k: Span::NEVER, ..CONVERSE.sampling },
            shapes: shapes::BEDROCK_NOVA,
            ..CONVERSE
        },
    ),
    (Scope::models("bedrock", BEDROCK_OTHERS), CONVERSE),
    (
        Scope::models("bedrock", &["claude-3-5"]),
        Params { shapes: shapes::BEDROCK_OLD_CLAUDE, ..bedrock(capped(OLD, 8_192)) },
    ),
    (
        Scope::models("bedrock", &["claude-3-haiku", "claude-3-sonnet", "claude-3-opus"]),
        Params { shapes: shapes::BEDROCK_OLD_CLAUDE, ..bedrock(capped(OLD, 4_096)) },
    ),
    (Scope::models("bedrock", &["fable-5-2", "mythos-5-2", "fable-5-1"]), bedrock(UNFORCED)),
    (Scope::models("bedrock", &["mythos-5-1", "opus-5-5", "sonnet-5-5"]), bedrock(UNFORCED)),
    (Scope::models("bedrock", &["haiku-5-5"]), bedrock(FIXED)),
    (Scope::models("bedrock", &["mythos-preview"]), bedrock(UNFORCED)),
    (Scope::models("bedrock", &["fable-5", "mythos-5", "opus-5", "sonnet-5"]), bedrock(FIXED)),
    (Scope::models("bedrock", &["opus-4-8", "opus-4-7"]), bedrock(FIXED)),
    (Scope::models("bedrock", &["opus-4-6", "sonnet-4-6"]), bedrock(capped(NOT_BOTH, 128_000))),
    (Scope::models("bedrock", &["opus-4-5", "sonnet-4-5", "haiku-4-5"]), bedrock(NOT_BOTH)),
    (Scope::models("bedrock", &["opus-4", "4-opus"]), bedrock(capped(OLD, 32_000))),
    (Scope::models("bedrock", &["sonnet-4", "4-sonnet", "3-7-sonnet"]), bedrock(OLD)),
    (Scope::models("bedrock", &["3-5-sonnet", "3-5-haiku"]), bedrock(capped(OLD, 8_192))),
    (Scope::models("bedrock", &["claude-3-"]), bedrock(capped(OLD, 4_096))),
    (Scope::all("bedrock"), bedrock(UNFORCED)),
    // Claude, the newest first.
    (claude(&["fable-5-2", "mythos-5-2", "fable-5-1", "mythos-5-1"]), UNFORCED),
    (claude(&["opus-5-5", "sonnet-5-5"]), UNFORCED),
    (claude(&["haiku-5-5"]), FIXED),
    (claude(&["mythos-preview"]), UNFORCED),
    (claude(&["fable-5", "mythos-5", "opus-5", "sonnet-5", "opus-4-8", "opus-4-7"]), FIXED),
    (claude(&["opus-4-6", "sonnet-4-6"]), capped(NOT_BOTH, 128_000)),
    (claude(&["opus-4-5", "sonnet-4-5", "haiku-4-5"]), NOT_BOTH),
    (claude(&["opus-4", "4-opus"]), capped(OLD, 32_000)),
    (claude(&["sonnet-4", "4-sonnet", "3-7-sonnet"]), OLD),
    (claude(&["3-5-sonnet", "3-5-haiku"]), capped(OLD, 8_192)),
    (claude(&["claude-3-"]), capped(OLD, 4_096)),
    (Scope::all("anthropic"), UNFORCED),
    // Chat, as its inventor serves it.
    (inventor(CHAT_NAMES), CHAT_INVENTED),
    (inventor(&["^gpt-5", "^gpt-6", "^gpt-7", "^gpt-8", "^gpt-9"]), CHAT_REASONING),
    (inventor(&["^gpt-"]), CHAT_INVENTED),
    (
        inventor(&["^o1", "^o3", "^o4"]),
        Params {
            sampling: Sampling { temperature: Span::NEVER, ..CHAT_REASONING.sampling },
            ..CHAT_REASONING
        },
    ),
    (Scope::flavors(CHAT, INVENTOR), CHAT_INVENTED),
    // And as others do.
    (
        Scope::flavors(CHAT, &["generic"]),
        Params {
            choice: Choosing { without_tools: Lone::OnlyNone, named: false, ..FREE_CHOICE },
            format: Format { json: false, ..ANY_FORMAT },
            sampling: CHAT_RANGES,
            longest_user: 128,
            conflicts: &[STREAMED, LOGPROBS, TOOLS_LOGPROBS],
            respelled: STRANGERS,
            ..COPY
        },
    ),
    (Scope::of(CHAT, &["openrouter"], &["anthropic/", "google/"]), COPY),
    (
        Scope::flavors(CHAT, &["openrouter"]),
        Params {
            sampling: CHAT_RANGES,
            format: Format { json_word: true, ..ANY_FORMAT },
            longest_user: 128,
            conflicts: &[LOGPROBS],
            ..COPY
        },
    ),
    (
        Scope::flavors(CHAT, &["deepseek"]),
        Params {
            choice: Choosing { forced: Forced::NotWhileThinking, ..FREE_CHOICE },
            format: Format { json_word: true, schema: false, ..ANY_FORMAT },
            ..COPY
        },
    ),
    (Scope::flavors(CHAT, &["mistral"]), Params { respelled: MISTRAL_STRANGERS, ..COPY }),
    (Scope::flavors(CHAT, &["groq"]), Params { respelled: GROQ_STRANGERS, ..COPY }),
    (
        Scope::of(CHAT, &["moonshot"], KIMI_OLD),
        Params {
            choice: Choosing { forced: Forced::Named, ..FREE_CHOICE },
            sampling: Sampling { temperature: UNIT, ..Sampling::ANY },
            shapes: shapes::KIMI,
            ..COPY
        },
    ),
    (
        Scope::flavors(CHAT, &["moonshot"]),
        Params {
            sampling: Sampling { temperature: UNIT, ..Sampling::ANY },
            while_thinking: Sampling { temperature: Span::ONE, ..Sampling::ANY },
            shapes: shapes::KIMI,
            ..COPY
        },
    ),
    (
        Scope::flavors(CHAT, &["qwen"]),
        Params {
            choice: Choosing { forced: Forced::NotWhileThinking, ..FREE_CHOICE },
            format: Format { json_word: true, json_while_thinking: false, ..ANY_FORMAT },
            streams_thinking: true,
            ..COPY
        },
    ),
    (Scope::of(CHAT, &["xai"], GROK_REASONING), GROK),
    (Scope::of(CHAT, &["xai"], &["^grok-2", "^grok-3", "non-reasoning"]), COPY),
    (Scope::flavors(CHAT, &["xai"]), GROK),
    (
        Scope::flavors(CHAT, &["vllm"]),
        Params {
            choice: Choosing { without_tools: Lone::OnlyNone, ..FREE_CHOICE },
            conflicts: &[STREAMED],
            ..COPY
        },
    ),
    (
        Scope::flavors(CHAT, &["lm-studio"]),
        Params {
            format: Format { json: false, ..ANY_FORMAT },
            choice: Choosing { named: false, ..FREE_CHOICE },
            ..COPY
        },
    ),
    (
        Scope::flavors(CHAT, &["llama.cpp"]),
        Params {
            conflicts: &[
                Conflict { field: "grammar", item: None, when: When::Tools },
                TOOLS_LOGPROBS,
            ],
            ..COPY
        },
    ),
    (Scope::all(CHAT), COPY),
    // Responses.
    (
        Scope::flavors(RESPONSES, &["codex"]),
        Params {
            max_tokens: MaxTokens { least: 1, most: 0, ..FREE_LENGTH },
            sampling: Sampling {
                temperature: Span::NEVER,
                top_p: Span::NEVER,
                ..RESPONDING.sampling
            },
            stream: Some(true),
            store: Some(false),
            ..RESPONDING
        },
    ),
    (Scope::all(RESPONSES), RESPONDING),
    // Gemini.
    (
        Scope::of("gemini", &["vertex"], GEMINI_OLD),
        Params { format: Format { with_tools: false, ..ANY_FORMAT }, ..VERTEX },
    ),
    (Scope::flavors("gemini", &["vertex"]), VERTEX),
    (
        Scope::models("gemini", GEMINI_OLD),
        Params { format: Format { with_tools: false, ..ANY_FORMAT }, ..STUDIO },
    ),
    (Scope::all("gemini"), STUDIO),
];

const fn claude(models: &'static [&'static str]) -> Scope {
    Scope::models("anthropic", models)
}

const fn inventor(models: &'static [&'static str]) -> Scope {
    Scope::of(CHAT, INVENTOR, models)
}

#[expect(clippy::large_types_passed_by_value, reason = "a row is made of another at build time")]
const fn capped(row: Params, most: u64) -> Params {
    Params { max_tokens: MaxTokens { most, ..row.max_tokens }, ..row }
}

/// The same models, asked by Converse: nothing is required there, and what it says of a request
/// it says in its own fields.
#[expect(clippy::large_types_passed_by_value, reason = "a row is made of another at build time")]
const fn bedrock(row: Params) -> Params {
    let max_tokens = MaxTokens { required: false, least: 1, prewarms: false, ..row.max_tokens };
    let choice = Choosing { without_tools: Lone::Any, plain_names: true, ..row.choice };
    Params { max_tokens, choice, shapes: shapes::BEDROCK_CLAUDE, ..CONVERSE_FIELDS.with(row) }
}

impl Params {
    /// This row's fields beside what the model decides.
    const fn with(self, model: Self) -> Self {
        Self {
            sampling: model.sampling,
            while_thinking: model.while_thinking,
            both: model.both,
            stops: Stops { blank: false, ..self.stops },
            displays: model.displays,
            beta_display: model.beta_display,
            any_off: true,
            ..self
        }
    }
}

const UNFORCED: Params =
    Params { choice: Choosing { forced: Forced::Never, ..CLAUDE_CHOICE }, ..FIXED };
/// Sampling is what it is, from 4.7 on.
const FIXED: Params = Params {
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
const NOT_BOTH: Params = Params { both: false, ..OLD };
const OLD: Params = Params {
    max_tokens: MaxTokens { required: true, least: 0, most: 64_000, prewarms: true },
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
    stops: Stops { blank: false, empty: false, ..FREE_STOPS },
    choice: CLAUDE_CHOICE,
    tiers: Some(&["auto", "standard_only"]),
    displays: Some(&["summarized", "omitted"]),
    beta_display: Some(("updates", "thinking-display-updates-")),
    shapes: shapes::ANTHROPIC,
    ..COPY
};
const CLAUDE_CHOICE: Choosing =
    Choosing { without_tools: Lone::Unforced, forced: Forced::NotWithBudget, ..FREE_CHOICE };

/// Any model behind Converse.
const CONVERSE: Params = Params {
    max_tokens: MaxTokens { least: 1, ..FREE_LENGTH },
    sampling: Sampling { temperature: UNIT, top_p: UNIT, ..Sampling::ANY },
    ..CONVERSE_FIELDS
};
const CONVERSE_FIELDS: Params = Params {
    spelling: Spelling::Numbers,
    stops: Stops { empty: false, most: 2_500, ..FREE_STOPS },
    metadata: Some(Pairs { least: 1, most: 16, key: 256, value: 256 }),
    tiers: Some(&["priority", "default", "flex", "reserved"]),
    choice: Choosing { plain_names: true, ..FREE_CHOICE },
    shapes: shapes::BEDROCK,
    ..COPY
};

/// What servers that copy Chat take: nearly everything.
const COPY: Params = Params {
    max_tokens: FREE_LENGTH,
    sampling: Sampling::ANY,
    while_thinking: Sampling::ANY,
    both: true,
    spelling: Spelling::Exact,
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
    any_off: false,
    longest_user: usize::MAX,
    longest_cache_key: usize::MAX,
    respelled: &[],
    shapes: shapes::CHAT,
    storing: true,
    state: &[],
    conflicts: &[],
};
const FREE_LENGTH: MaxTokens =
    MaxTokens { required: false, least: 0, most: u64::MAX, prewarms: false };
const FREE_STOPS: Stops = Stops { taken: true, blank: true, empty: true, most: usize::MAX };
const FREE_CHOICE: Choosing = Choosing {
    without_tools: Lone::Any,
    forced: Forced::Free,
    known_names: false,
    named: true,
    functions_only: false,
    plain_names: false,
};
const ANY_FORMAT: Format = Format {
    json: true,
    json_word: false,
    word_in_system: true,
    json_while_thinking: true,
    with_tools: true,
    schema: true,
};

const CHAT_RANGES: Sampling = Sampling {
    temperature: Span::new(0.0, 2.0),
    top_p: UNIT,
    top_k: Span::ANY,
    penalties: Span::new(-2.0, 2.0),
};
const CHAT_INVENTED: Params = Params {
    sampling: CHAT_RANGES,
    stops: Stops { most: 4, ..FREE_STOPS },
    choice: Choosing { without_tools: Lone::Nothing, ..FREE_CHOICE },
    format: Format { json_word: true, ..ANY_FORMAT },
    metadata: Some(Pairs { least: 0, most: 16, key: 64, value: 512 }),
    longest_user: 128,
    conflicts: &[STREAMED, LOGPROBS, ALONE],
    respelled: STRANGERS,
    ..COPY
};
const CHAT_REASONING: Params = Params {
    while_thinking: Sampling { temperature: Span::ONE, ..Sampling::ANY },
    stops: Stops { taken: false, ..FREE_STOPS },
    respelled: REASONING_STRANGERS,
    ..CHAT_INVENTED
};
const GROK: Params = Params {
    sampling: Sampling { penalties: Span::NEVER, ..Sampling::ANY },
    stops: Stops { taken: false, ..FREE_STOPS },
    respelled: &["stop"],
    ..COPY
};

const RESPONDING: Params = Params {
    max_tokens: MaxTokens { least: 16, ..FREE_LENGTH },
    sampling: CHAT_RANGES,
    while_thinking: Sampling {
        temperature: Span::ONE,
        top_p: Span::ONE,
        top_k: Span::ANY,
        penalties: Span::new(0.0, 0.0),
    },
    choice: Choosing { without_tools: Lone::Unforced, known_names: true, ..FREE_CHOICE },
    format: Format { json_word: true, word_in_system: false, ..ANY_FORMAT },
    metadata: Some(Pairs { least: 0, most: 16, key: usize::MAX, value: 512 }),
    tiers: Some(&["auto", "default", "fast", "flex", "priority", "scale", "ultrafast"]),
    verbosities: Some(&["low", "medium", "high"]),
    longest_user: 128,
    longest_cache_key: 64,
    shapes: shapes::RESPONSES,
    state: &["previous_response_id", "conversation", "prompt"],
    conflicts: &[
        LOGPROBS,
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
        Conflict {
            field: "include",
            item: Some("message.output_text.logprobs"),
            when: When::Thinking,
        },
        Conflict {
            field: "include",
            item: Some("reasoning.encrypted_content"),
            when: When::NeverThinks,
        },
    ],
    ..COPY
};

const STUDIO: Params = Params {
    choice: Choosing { without_tools: Lone::OnlyNone, functions_only: true, ..FREE_CHOICE },
    sampling: Sampling { temperature: Span::new(0.0, 2.0), ..Sampling::ANY },
    storing: true,
    ..VERTEX
};
const VERTEX: Params = Params {
    spelling: Spelling::Loose,
    sampling: Sampling { temperature: Span::new(0.0, 2.0), ..Sampling::ANY },
    shapes: shapes::GEMINI,
    storing: false,
    ..COPY
};

const STREAMED: Conflict = Conflict { field: "stream_options", item: None, when: When::Silent };
const LOGPROBS: Conflict =
    Conflict { field: "top_logprobs", item: None, when: When::Beyond(Span::new(0.0, 20.0)) };
const ALONE: Conflict =
    Conflict { field: "top_logprobs", item: None, when: When::Without("logprobs") };
const TOOLS_LOGPROBS: Conflict =
    Conflict { field: "logprobs", item: None, when: When::ToolsAndStream };

const UNIT: Span = Span::new(0.0, 1.0);
const INVENTOR: &[&str] = &["", "openai", "azure"];
const CHAT_NAMES: &[&str] = &[
    "^gpt-4-chat",
    "^gpt-5-chat",
    "^gpt-5.1-chat",
    "^gpt-5.2-chat",
    "^gpt-5.3-chat",
    "^gpt-5.4-chat",
    "^gpt-5.5-chat",
    "^gpt-5.6-chat",
    "^gpt-6-chat",
];
const STRANGERS: &[&str] =
    &["top_k", "random_seed", "thinking", "enable_thinking", "thinking_budget", "reasoning"];
const REASONING_STRANGERS: &[&str] = &[
    "max_tokens",
    "stop",
    "top_k",
    "random_seed",
    "thinking",
    "enable_thinking",
    "thinking_budget",
    "reasoning",
];
const GROQ_STRANGERS: &[&str] = &[
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
const MISTRAL_STRANGERS: &[&str] = &[
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
const KIMI_OLD: &[&str] = &["^moonshot-v1", "^kimi-k2-0", "^kimi-k2-turbo", "^kimi-latest"];
const GROK_REASONING: &[&str] =
    &["^grok-3-mini", "^grok-4.3", "^grok-4.5", "^grok-4.6", "^grok-4.20-multi-agent"];
const GEMINI_OLD: &[&str] = &["gemini-2", "gemini-1", "gemini-pro-vision", "gemini-exp", "learnlm"];
const BEDROCK_OTHERS: &[&str] = &[
    "amazon.",
    "meta.",
    "mistral.",
    "cohere.",
    "deepseek.",
    "qwen.",
    "openai.",
    "moonshot",
    "minimax.",
    "ai21.",
    "writer.",
    "zai.",
    "google.",
    "nvidia.",
    "twelvelabs.",
    "xai.",
];
