//! The rows.

use interlingua_wire::Kind;

use super::elsewhere;
use super::open::OPEN;
use super::words::{
    ALL, FIELDS, FROM_MINIMAL, GEMINI_UNSIGNED, GROK_EFFORT, LOW_TO_HIGH, OLLAMA, QWEN_THINKING,
    TO_HIGH, TO_MAX, TO_XHIGH,
};
use super::{Budget, Echo, Measure, Off, Replay, SealedCalls, Thinking, WithTools};
use crate::profile::Scope;
use crate::profile::scope::{BEDROCK_OTHERS, CHAT_NAMES, CLAUDE, GROQ_PLAIN, INVENTOR};

const CHAT: &str = "openai-chat";
const RESPONSES: &str = "openai-responses";

pub(in crate::profile) static ROWS: &[(Scope, Thinking)] = &[
    (Scope::flavors("anthropic", &["deepseek"]), elsewhere::DEEPSEEK),
    // Behind Converse: who else than Claude answers there.
    (Scope::models("bedrock", &["claude-3-haiku", "claude-3-sonnet", "claude-3-opus"]), SILENT),
    (Scope::models("bedrock", &["claude-3-5"]), SILENT),
    (Scope::models("bedrock", &["amazon.nova"]), Thinking { only_effort: true, ..ELSEWHERE }),
    (
        Scope::models("bedrock", &["openai.gpt-5"]),
        Thinking { replay: Replay::Redacted, only_effort: true, ..ELSEWHERE },
    ),
    (
        Scope::models("bedrock", &["openai.", "deepseek.r1"]),
        Thinking { only_effort: true, ..ELSEWHERE },
    ),
    (Scope::models("bedrock", BEDROCK_OTHERS), ELSEWHERE),
    // Claude, the newest first.
    (claude(&["fable-5-2", "mythos-5-2", "fable-5-1", "mythos-5-1"]), FABLE_5),
    (claude(&["opus-5-5"]), FABLE_5),
    (claude(&["sonnet-5-5"]), Thinking { off: Off::BetweenTools, calm_when_off: true, ..FABLE_5 }),
    (claude(&["haiku-5-5"]), Thinking { off: Off::Taken, calm_when_off: true, ..FABLE_5 }),
    (claude(&["mythos-preview", "fable-5", "mythos-5"]), FABLE_5),
    (claude(&["opus-5"]), Thinking { off: Off::Taken, calm_when_off: true, ..FABLE_5 }),
    (claude(&["sonnet-5"]), Thinking { off: Off::Taken, ..FABLE_5 }),
    (claude(&["opus-4-8", "opus-4-7"]), OPUS_4_7),
    (
        claude(&["opus-4-6", "sonnet-4-6"]),
        Thinking {
            budget: CLAUDE_BUDGET,
            efforts: Some(&["low", "medium", "high", "max"]),
            comes_first: true,
            ..OPUS_4_7
        },
    ),
    (claude(&["opus-4-5"]), Thinking { efforts: Some(&["low", "medium", "high"]), ..OLD }),
    (claude(&["sonnet-4-5", "haiku-4-5", "opus-4", "4-opus", "sonnet-4", "4-sonnet"]), OLD),
    (claude(&["3-7-sonnet", "3-5-sonnet", "3-5-haiku", "claude-3-"]), OLD),
    (claude(&[]), FABLE_5),
    // Chat, as its inventor serves it.
    (inventor(CHAT_NAMES), NO_EFFORT),
    (
        inventor(&["^gpt-5.6!", "^gpt-5.7!", "^gpt-5.8!", "^gpt-5.9!", "^gpt-6", "^gpt-7"]),
        Thinking {
            efforts: Some(&["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
            with_tools: WithTools::EffortNone,
            ..GPT
        },
    ),
    (
        inventor(&["^gpt-5.5!"]),
        Thinking { efforts: Some(TO_XHIGH), with_tools: WithTools::NoEffort, ..GPT },
    ),
    (
        inventor(&["^gpt-5.4!"]),
        Thinking { efforts: Some(TO_XHIGH), with_tools: WithTools::NoEffort, ..RESTING },
    ),
    (inventor(&["^gpt-5.2!", "^gpt-5.3!"]), Thinking { efforts: Some(TO_XHIGH), ..RESTING }),
    (inventor(&["^gpt-5.1!"]), Thinking { efforts: Some(TO_HIGH), ..RESTING }),
    (inventor(&["^gpt-5!"]), Thinking { efforts: Some(FROM_MINIMAL), ..GPT }),
    (inventor(&["^gpt-0", "^gpt-1", "^gpt-2", "^gpt-3", "^gpt-4"]), NO_EFFORT),
    (inventor(&["^o1", "^o3", "^o4"]), Thinking { efforts: Some(LOW_TO_HIGH), ..GPT }),
    (Scope::flavors(CHAT, INVENTOR), Thinking { ..CLOSED }),
    // And as others do.
    (Scope::flavors(CHAT, &["generic"]), Thinking { strange_fields: FIELDS, ..CLOSED }),
    (Scope::flavors(CHAT, &["cerebras"]), Thinking { strange_fields: FIELDS, ..OPEN }),
    (
        Scope::of(CHAT, &["deepseek"], &["^deepseek-chat", "^deepseek-v3"]),
        Thinking { unasked: false, ..DEEPSEEK },
    ),
    (Scope::flavors(CHAT, &["deepseek"]), DEEPSEEK),
    (
        Scope::flavors(CHAT, &["mistral"]),
        Thinking { replay: Replay::All, strange_fields: FIELDS, ..CLOSED },
    ),
    (
        Scope::of(CHAT, &["groq"], GROQ_PLAIN),
        Thinking { asked: false, strange_fields: FIELDS, ..OPEN },
    ),
    (
        Scope::of(CHAT, &["groq"], &["^qwen3"]),
        Thinking {
            efforts: Some(&["none", "default"]),
            budget: Budget::AsEffort,
            off: Off::Effort,
            ..GROQ
        },
    ),
    (
        Scope::of(CHAT, &["groq"], &["^gpt-oss"]),
        Thinking { efforts: Some(LOW_TO_HIGH), budget: Budget::AsEffort, off: Off::Effort, ..GROQ },
    ),
    (Scope::flavors(CHAT, &["groq"]), GROQ),
    (
        Scope::of(
            CHAT,
            &["moonshot"],
            &["^moonshot-v1", "^kimi-k2-0", "^kimi-k2-turbo", "^kimi-latest"],
        ),
        SWITCHED,
    ),
    (Scope::flavors(CHAT, &["moonshot"]), Thinking { echo: Echo::Said, ..DEEPSEEK }),
    (
        Scope::of(CHAT, &["qwen"], &["-instruct", "^qwen3-coder"]),
        Thinking { never: true, ..SWITCHED },
    ),
    (Scope::of(CHAT, &["qwen"], QWEN_THINKING), Thinking { unasked: true, ..SWITCHED }),
    (Scope::flavors(CHAT, &["qwen", "glm"]), SWITCHED),
    (
        Scope::flavors(CHAT, &["ollama"]),
        Thinking {
            efforts: Some(OLLAMA),
            off: Off::Effort,
            heard_in: EFFORT,
            unheard_in: ASKS,
            ..OPEN
        },
    ),
    (Scope::of(CHAT, &["xai"], GROK_EFFORT), OPEN),
    (
        Scope::flavors(CHAT, &["xai"]),
        Thinking { asked: false, heard_in: EFFORT, unheard_in: ASKS, ..OPEN },
    ),
    (Scope::of(CHAT, &["gemini-compat"], GEMINI_UNSIGNED), OPEN),
    (
        Scope::of(CHAT, &["openrouter"], GEMINI_UNSIGNED),
        Thinking { sealed_formats: &["google-gemini-v1"], issuers: &["google"], ..ROUTED },
    ),
    (
        Scope::flavors(CHAT, &["gemini-compat"]),
        Thinking { sealed_calls: SealedCalls::InCalls, ..OPEN },
    ),
    (
        Scope::of(CHAT, &["openrouter"], &["google/"]),
        Thinking {
            sealed_calls: SealedCalls::Step,
            sealed_formats: &["google-gemini-v1"],
            issuers: &["google"],
            ..ROUTED
        },
    ),
    (
        Scope::of(CHAT, &["openrouter"], &["anthropic/"]),
        Thinking { sealed_formats: &["anthropic-claude-v1"], issuers: &["anthropic"], ..ROUTED },
    ),
    (
        Scope::of(CHAT, &["openrouter"], &["openai/"]),
        Thinking { sealed_formats: ROUTED_OPENAI, issuers: &["openai"], ..ROUTED },
    ),
    (
        Scope::of(CHAT, &["openrouter"], &["x-ai/"]),
        Thinking { sealed_formats: ROUTED_OPENAI, issuers: &["xai"], ..ROUTED },
    ),
    (Scope::flavors(CHAT, &["openrouter"]), Thinking { sealed_formats: ROUTED_OPENAI, ..ROUTED }),
    (Scope::all(CHAT), OPEN),
    // Responses.
    (
        Scope::flavors(RESPONSES, &["llama.cpp"]),
        Thinking { replay: Replay::Aloud, budget: Budget::AsEffort, off: Off::Effort, ..OPEN },
    ),
    (responses(&["^gpt-3.5!", "^gpt-4!", "^gpt-4.1!", "^gpt-4.5!", "^chatgpt-4o!"]), NEVER),
    (responses(&["^gpt-5-chat!"]), NEVER),
    (responses(&["^gpt-5-codex!", "^gpt-5.5-pro!"]), Thinking { always: true, ..ITEMS }),
    (responses(&["^gpt-5-pro!"]), always(&["high"])),
    (responses(&["^gpt-5!"]), always(FROM_MINIMAL)),
    (responses(&["^gpt-5.1-chat!", "^gpt-5.2-chat!", "^gpt-5.3-chat!"]), always(&["medium"])),
    (responses(&["^gpt-5.1-codex!"]), ITEMS),
    (responses(&["^gpt-5.1!"]), Thinking { efforts: Some(TO_HIGH), ..ITEMS }),
    (responses(&["^gpt-5.2-pro!", "^gpt-5.4-pro!"]), always(&["medium", "high", "xhigh"])),
    (
        responses(&["^gpt-5.2!", "^gpt-5.3!", "^gpt-5.4!"]),
        Thinking { efforts: Some(TO_XHIGH), ..ITEMS },
    ),
    (responses(&["^gpt-5.5!"]), Thinking { unasked: true, ..ITEMS }),
    (responses(&["^gpt-6-astra!"]), always(&["low", "medium", "high", "xhigh", "max"])),
    (responses(&["^gpt-5.6!", "^gpt-6!"]), always(TO_MAX)),
    (responses(&["^o1!", "^o3!", "^o4!"]), always(LOW_TO_HIGH)),
    // Nobody knows whether an unknown model thinks.
    (Scope::all(RESPONSES), Thinking { effort_asks: false, ..ITEMS }),
    // Gemini.
    (
        Scope::models("gemini", &["gemini-3-pro-image", "gemini-3.1-flash-image"]),
        Thinking { sealed_calls: SealedCalls::Free, ..GEMINI_3 },
    ),
    (
        Scope::models("gemini", &["gemini-3.1-pro-image"]),
        Thinking { sealed_calls: SealedCalls::Free, ..GEMINI_3 },
    ),
    (Scope::models("gemini", &["gemini-3.7-flash-lite", "gemini-3.8-flash-lite"]), GEMINI_3),
    (
        Scope::models("gemini", &["gemini-3.1-pro", "gemini-3.7-flash", "gemini-3.8-flash"]),
        Thinking { efforts: Some(&["low", "medium", "high", UNSPECIFIED]), ..GEMINI_3 },
    ),
    (
        Scope::models("gemini", &["gemini-3-pro"]),
        Thinking { efforts: Some(&["low", "high", UNSPECIFIED]), ..GEMINI_3 },
    ),
    (
        Scope::models("gemini", &["gemini-2.5-pro"]),
        Thinking { off: Off::Least, budget: within(128, 32_768), ..GEMINI_2 },
    ),
    (
        Scope::models("gemini", &["gemini-2.5-flash-lite"]),
        Thinking { budget: within(512, 24_576), ..GEMINI_2 },
    ),
    (Scope::models("gemini", &["gemini-2.5"]), GEMINI_2),
    (Scope::models("gemini", &["flash-thinking"]), Thinking { budget: Budget::Any, ..GEMINI_2 }),
    (
        Scope::models(
            "gemini",
            &["gemini-2", "gemini-1", "gemini-pro-vision", "gemini-exp", "learnlm"],
        ),
        Thinking { asked: false, budget: Budget::Any, ..GEMINI_2 },
    ),
    (
        Scope::models("gemini", &["gemma"]),
        Thinking { sealed_calls: SealedCalls::Free, off: Off::Taken, ..GEMINI_3 },
    ),
    (Scope::all("gemini"), GEMINI_3),
];

const fn claude(models: &'static [&'static str]) -> Scope {
    Scope::models(CLAUDE, models)
}

const fn inventor(models: &'static [&'static str]) -> Scope {
    Scope::of(CHAT, INVENTOR, models)
}

const fn responses(models: &'static [&'static str]) -> Scope {
    Scope::models(RESPONSES, models)
}

const fn within(least: u64, most: u64) -> Budget {
    Budget::Within { least, most, below_max_tokens: false }
}

const fn always(efforts: &'static [&'static str]) -> Thinking {
    Thinking { unasked: true, efforts: Some(efforts), ..ITEMS }
}

const FABLE_5: Thinking = Thinking { unasked: true, off: Off::Never, ..OPUS_4_7 };
const OPUS_4_7: Thinking = Thinking {
    budget: Budget::AsEffort,
    adaptive: true,
    efforts: Some(&["low", "medium", "high", "xhigh", "max"]),
    comes_first: false,
    ..OLD
};
/// The shape of the 4.5 generation, from which the others differ.
const OLD: Thinking = Thinking {
    budget: CLAUDE_BUDGET,
    unbounded_beta: "interleaved-thinking-",
    adaptive: false,
    efforts: Some(&[]),
    replay: Replay::Sealed,
    issuers: &["anthropic"],
    placed: true,
    in_loop: true,
    comes_first: true,
    opens_loop: true,
    ..OPEN
};
/// As old, and additional fields are closed.
const SILENT: Thinking = Thinking { asked: false, ..OLD };
const CLAUDE_BUDGET: Budget =
    Budget::Within { least: 1024, most: u64::MAX, below_max_tokens: true };
/// Somebody else's models behind Converse.
const ELSEWHERE: Thinking =
    Thinking { replay: Replay::SealedOrOwn, issuers: &["anthropic"], foreign_effort: true, ..OPEN };

/// A router, which carries entries of any provider; the model reads those of its own house.
const ROUTED: Thinking = Thinking {
    rivals: Some(("reasoning_effort", "reasoning")),
    refuses_strangers: true,
    in_loop: true,
    ..OPEN
};
const ROUTED_OPENAI: &[&str] =
    &["openai-responses-v1", "azure-openai-responses-v1", "bedrock-openai-responses-v1"];
/// Takes no reasoning back.
const CLOSED: Thinking = Thinking { replay: Replay::Nothing, ..OPEN };
const GROQ: Thinking = Thinking {
    replay: Replay::All,
    strange_fields: &["reasoning_content", "reasoning_details"],
    ..CLOSED
};
const GPT: Thinking = Thinking {
    unasked: true,
    heard_in: EFFORT,
    unheard_in: ASKS,
    budget: Budget::AsEffort,
    off: Off::Effort,
    ..CLOSED
};
/// Thinks only where an effort is asked for.
const RESTING: Thinking = Thinking { unasked: false, effort_asks: true, ..GPT };
const NO_EFFORT: Thinking = Thinking { unasked: false, asked: false, ..GPT };
const DEEPSEEK: Thinking =
    Thinking { unasked: true, echo: Echo::Empty, echo_field: "reasoning_content", ..SWITCHED };
/// Thinking is a switch.
const SWITCHED: Thinking =
    Thinking { heard_in: SWITCHES, unheard_in: NO_SWITCHES, said_asks: true, ..OPEN };

const ITEMS: Thinking = Thinking {
    efforts: Some(ALL),
    effort_asks: true,
    budget: Budget::AsEffort,
    off: Off::Effort,
    replay: Replay::SealedOrKept,
    issuers: &["openai", "xai"],
    items: true,
    ..OPEN
};
const NEVER: Thinking = Thinking { asked: false, ..ITEMS };

const GEMINI_3: Thinking = Thinking {
    unasked: true,
    off: Off::Least,
    efforts: Some(&["minimal", "low", "medium", "high", UNSPECIFIED]),
    one_measure: Some(Measure::Effort),
    replay: Replay::SealedOrOwn,
    issuers: &["google"],
    base64_seals: true,
    sealed_calls: SealedCalls::First,
    ..OPEN
};
const UNSPECIFIED: &str = "thinking_level_unspecified";
const GEMINI_2: Thinking = Thinking {
    off: Off::Taken,
    budget: within(0, 24_576),
    efforts: Some(&[]),
    one_measure: Some(Measure::Budget),
    sealed_calls: SealedCalls::Free,
    ..GEMINI_3
};

const EFFORT: &[(&str, Kind)] = &[("reasoning_effort", Kind::String)];
const ASKS: &[&str] = &["thinking", "enable_thinking", "thinking_budget", "reasoning"];
const SWITCHES: &[(&str, Kind)] = &[("thinking", Kind::Object), ("enable_thinking", Kind::Bool)];
const NO_SWITCHES: &[&str] = &["reasoning_effort", "reasoning", "thinking_budget"];
