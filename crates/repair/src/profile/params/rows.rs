//! The rows.

use super::kinds::{
    ANY_FORMAT, CHAT_INVENTED, CHAT_RANGES, CHAT_REASONING, CONVERSE, CONVERSE_FIELDS, COPY, FIXED,
    FOUR_STOPS, FREE_CHOICE, FREE_LENGTH, GROK, GROK_REASONING, GROQ_STRANGERS, IN_WORDS, KIMI_OLD,
    LOGPROBS, MEDIUM, MISTRAL_STRANGERS, NESTED_CHOICE, NOT_BOTH, OLD, ONLY_MEDIUM, RESPONDING,
    ROUTED, STRANGERS, STREAMED, SUBSCRIBED, TOOLS_LOGPROBS, UNFORCED, UNIT,
};
use super::kinds_gemini::{GEMINI_OLD, OLD_VERTEX, STUDIO, VERTEX, VERTEX_2_5};
use super::shapes;
use super::{
    Choosing, Conflict, Forced, Format, Lone, MaxTokens, Params, Sampling, Span, Spelling, Stops,
    When,
};
use crate::profile::Scope;
use crate::profile::scope::{BEDROCK_OTHERS, CHAT_NAMES, INVENTOR};

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
    (
        Scope::models("bedrock", &["openai."]),
        Params { sampling: Sampling { top_k: Span::NEVER, ..CONVERSE.sampling }, ..CONVERSE },
    ),
    (Scope::models("bedrock", BEDROCK_OTHERS), CONVERSE),
    (
        Scope::models("bedrock", &["claude-3-5"]),
        Params {
            shapes: shapes::BEDROCK_OLD_CLAUDE,
            betas: NO_BETAS,
            ..bedrock(capped(OLD, 8_192))
        },
    ),
    (
        Scope::models("bedrock", &["claude-3-haiku", "claude-3-sonnet", "claude-3-opus"]),
        Params {
            shapes: shapes::BEDROCK_OLD_CLAUDE,
            betas: NO_BETAS,
            ..bedrock(capped(OLD, 4_096))
        },
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
    (Scope::models("bedrock", &["3-7-sonnet"]), Params { betas: BETAS_3_7, ..bedrock(OLD) }),
    (Scope::models("bedrock", &["sonnet-4", "4-sonnet"]), bedrock(OLD)),
    (
        Scope::models("bedrock", &["3-5-sonnet", "3-5-haiku"]),
        Params { betas: NO_BETAS, ..bedrock(capped(OLD, 8_192)) },
    ),
    (
        Scope::models("bedrock", &["claude-3-"]),
        Params { betas: NO_BETAS, ..bedrock(capped(OLD, 4_096)) },
    ),
    (Scope::all("bedrock"), bedrock(UNFORCED)),
    // Another server of the Messages API.
    (
        Scope::flavors("anthropic", &["deepseek"]),
        Params {
            max_tokens: MaxTokens { required: true, negative: true, ..FREE_LENGTH },
            choice: Choosing { forced: Forced::NotIfThinking, ..FREE_CHOICE },
            format: IN_WORDS,
            any_off: true,
            spelling: Spelling::Numbers,
            reads_all: true,
            tiers: OLD.tiers,
            shapes: shapes::DEEPSEEK,
            ..COPY
        },
    ),
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
    (inventor(BRIEF), capped(TALKER, 4_096)),
    (inventor(&["^gpt-4o"]), capped(TALKER, 16_384)),
    (inventor(&["^gpt-4.1"]), capped(TALKER, 32_768)),
    (inventor(&["^gpt-3", "^gpt-4", "^gpt-5-chat"]), TALKER),
    (inventor(CHAT_NAMES), CHAT_INVENTED),
    (inventor(&["^gpt-5", "^gpt-6", "^gpt-7", "^gpt-8", "^gpt-9"]), CHAT_REASONING),
    (inventor(&["^gpt-"]), CHAT_INVENTED),
    (
        inventor(&["^o1", "^o3", "^o4"]),
        Params {
            sampling: Sampling { temperature: Span::NEVER, ..CHAT_REASONING.sampling },
            choice: Choosing { parallel: false, ..CHAT_REASONING.choice },
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
            shapes: shapes::INVENTED,
            ..COPY
        },
    ),
    (
        Scope::of(CHAT, &["openrouter"], &["anthropic/", "google/"]),
        Params { shapes: shapes::INVENTED, ..COPY },
    ),
    // Open weights, which others serve.
    (Scope::of(CHAT, &["openrouter"], &["openai/gpt-oss"]), ROUTED),
    (
        Scope::of(CHAT, &["openrouter"], &["openai/"]),
        Params { max_tokens: RESPONDING.max_tokens, ..ROUTED },
    ),
    (Scope::flavors(CHAT, &["openrouter"]), ROUTED),
    (
        Scope::flavors(CHAT, &["deepseek"]),
        Params {
            choice: Choosing { forced: Forced::NotWhileThinking, ..FREE_CHOICE },
            format: Format { json_word: true, schema: false, ..ANY_FORMAT },
            ..COPY
        },
    ),
    (Scope::flavors(CHAT, &["mistral"]), Params { respelled: MISTRAL_STRANGERS, ..COPY }),
    (
        Scope::flavors(CHAT, &["groq"]),
        Params {
            stops: FOUR_STOPS,
            respelled: GROQ_STRANGERS,
            conflicts: &[
                Conflict { field: "logprobs", item: None, when: When::Always },
                Conflict { field: "top_logprobs", item: None, when: When::Always },
                Conflict { field: "logit_bias", item: None, when: When::Always },
            ],
            ..COPY
        },
    ),
    (Scope::flavors(CHAT, &["glm"]), Params { stops: FOUR_STOPS, choice: NESTED_CHOICE, ..COPY }),
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
            choice: Choosing { forced: Forced::NotWhileThinking, ..NESTED_CHOICE },
            format: Format { json_word: true, json_while_thinking: false, ..ANY_FORMAT },
            streams_thinking: true,
            ..COPY
        },
    ),
    (Scope::of(CHAT, &["xai"], GROK_REASONING), GROK),
    (Scope::of(CHAT, &["xai"], &["^grok-2", "^grok-3", "non-reasoning"]), COPY),
    (Scope::flavors(CHAT, &["xai"]), GROK),
    (
        Scope::flavors(CHAT, &["gemini-compat"]),
        Params { respelled: &["frequency_penalty", "seed", "random_seed"], ..COPY },
    ),
    (
        Scope::flavors(CHAT, &["vllm"]),
        Params {
            max_tokens: MaxTokens { least: 1, ..FREE_LENGTH },
            choice: Choosing { without_tools: Lone::OnlyNone, known_name: true, ..NESTED_CHOICE },
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
        Scope::flavors(RESPONSES, &["llama.cpp"]),
        Params {
            conflicts: &[Conflict { field: "previous_response_id", item: None, when: When::Words }],
            spelling: Spelling::Free,
            shapes: &[],
            ..COPY
        },
    ),
    (Scope::of(RESPONSES, &["codex"], MEDIUM), Params { verbosities: ONLY_MEDIUM, ..SUBSCRIBED }),
    (Scope::flavors(RESPONSES, &["codex"]), SUBSCRIBED),
    (Scope::models(RESPONSES, MEDIUM), Params { verbosities: ONLY_MEDIUM, ..RESPONDING }),
    (Scope::all(RESPONSES), RESPONDING),
    // Gemini.
    (
        Scope::of("gemini", &["vertex"], &["gemini-2.5", "flash-thinking"]),
        Params { format: GEMINI_FORMAT, ..VERTEX_2_5 },
    ),
    (Scope::of("gemini", &["vertex"], GEMINI_OLD), Params { format: GEMINI_FORMAT, ..OLD_VERTEX }),
    (Scope::flavors("gemini", &["vertex"]), VERTEX),
    (Scope::models("gemini", GEMINI_OLD), Params { format: GEMINI_FORMAT, ..STUDIO }),
    (Scope::all("gemini"), STUDIO),
];

const GEMINI_FORMAT: Format = Format {
    with_tools: false,
    asked_by: Some(("generationConfig", "responseMimeType", "application/json")),
    ..ANY_FORMAT
};

/// Models that do not reason, and know one verbosity.
const TALKER: Params = Params { verbosities: ONLY_MEDIUM, ..CHAT_INVENTED };
/// Those that answer in 4096 tokens.
const BRIEF: &[&str] = &[
    "^gpt-4o-2024-05-13",
    "^gpt-4-turbo",
    "^gpt-4-1106",
    "^gpt-4-0125",
    "^gpt-3.5-turbo-1106",
    "^gpt-3.5-turbo-0125",
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
    let (shapes, betas) = (shapes::BEDROCK_CLAUDE, BETAS);
    Params { max_tokens, choice, betas, shapes, ..CONVERSE_FIELDS.with(row) }
}

/// What can be asked for behind Converse by name, and concerns something that is said there.
/// <https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html>
/// lists them; the last is in <https://github.com/BerriAI/litellm/blob/main/litellm/anthropic_beta_headers_config.json>.
const BETAS: Option<&[&str]> = Some(&[
    "interleaved-thinking-2025-05-14",
    "context-1m-2025-08-07",
    "effort-2025-11-24",
    "thinking-display-updates-2026-08-18",
]);
const BETAS_3_7: Option<&[&str]> =
    Some(&["token-efficient-tools-2025-02-19", "output-128k-2025-02-19"]);
const NO_BETAS: Option<&[&str]> = Some(&[]);

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
            any_off: model.any_off,
            ..self
        }
    }
}
