//! The fields of the settings, dialect by dialect. Numbers that the model holds as written are not
//! here: they are looked at as such.

use super::shape::Shape::{
    Any, Flag, LooseFlag, LooseWord, Map, Number, Object, Open, Tagged, Text, TextOrList,
    TextOrObject, Texts, Union, Word,
};
use super::shape::{Field, may, must};

pub(super) const ANTHROPIC: &[Field] = &[
    may("stream", Flag),
    may("stop_sequences", Texts),
    may("metadata", Object(&[may("user_id", Text)])),
    may("service_tier", Text),
    may(
        "tool_choice",
        Tagged(&[
            ("auto", &[TYPE, SERIAL]),
            ("any", &[TYPE, SERIAL]),
            ("tool", &[TYPE, must("name", Text), SERIAL]),
            ("none", &[TYPE]),
        ]),
    ),
    may("thinking", CLAUDE_THINKING),
    may(
        "output_config",
        Object(&[
            may("effort", Text),
            may("format", Object(&[must("type", Word(&["json_schema"])), must("schema", Map)])),
        ]),
    ),
    may("output_format", Map),
];
const TYPE: Field = must("type", Text);
const SERIAL: Field = may("disable_parallel_tool_use", Flag);
const CLAUDE_THINKING: super::Shape = Tagged(&[
    ("enabled", &[TYPE, must("budget_tokens", Any), may("display", Text)]),
    ("adaptive", &[TYPE, may("display", Text)]),
    ("disabled", &[TYPE]),
    ("between_tools", &[TYPE]),
]);

pub(super) const CHAT: &[Field] = &[
    may("stream", Flag),
    may("parallel_tool_calls", Flag),
    may("tool_choice", TextOrObject),
    may("response_format", Map),
    may("stop", TextOrList),
    may("reasoning_effort", Text),
];
pub(super) const KIMI: &[Field] = &[
    may("stream", Flag),
    may("parallel_tool_calls", Flag),
    may("tool_choice", TextOrObject),
    may("response_format", Map),
    may("stop", TextOrList),
    may("reasoning_effort", Text),
    may("thinking", Map),
];

pub(super) const RESPONSES: &[Field] = &[
    may("stream", Flag),
    may("store", Flag),
    may("parallel_tool_calls", Flag),
    may("tool_choice", TextOrObject),
    may("service_tier", Text),
    may("prompt_cache_key", Text),
    may("safety_identifier", Text),
    may("user", Text),
    may(
        "reasoning",
        Object(&[
            may("effort", Text),
            may("summary", SUMMARY),
            may("generate_summary", SUMMARY),
            may("context", Word(&["auto", "current_turn", "all_turns"])),
            may("mode", Text),
        ]),
    ),
    may(
        "text",
        Object(&[
            may("verbosity", Text),
            may(
                "format",
                Tagged(&[
                    ("text", &[TYPE]),
                    ("json_object", &[TYPE]),
                    (
                        "json_schema",
                        &[
                            TYPE,
                            must("name", Text),
                            must("schema", Map),
                            may("description", Text),
                            may("strict", Flag),
                        ],
                    ),
                ]),
            ),
        ]),
    ),
];
const SUMMARY: super::Shape = Word(&["concise", "detailed", "auto"]);

pub(super) const GEMINI: &[Field] = &[
    may(
        "generationConfig",
        Open(&[
            may("stopSequences", TextOrList),
            may("responseMimeType", Text),
            may("responseSchema", Map),
            may(
                "thinkingConfig",
                Object(&[
                    may("includeThoughts", LooseFlag),
                    may("thinkingBudget", Any),
                    may("thinkingLevel", LooseWord(LEVELS)),
                ]),
            ),
        ]),
    ),
    may(
        "toolConfig",
        Open(&[may(
            "functionCallingConfig",
            Open(&[
                may("mode", LooseWord(&["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"])),
                may("allowedFunctionNames", TextOrList),
            ]),
        )]),
    ),
    may("store", LooseFlag),
];
const LEVELS: &[&str] = &["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"];

pub(super) const BEDROCK: &[Field] = &[
    may(
        "inferenceConfig",
        Open(&[
            may("maxTokens", Number),
            may("temperature", Number),
            may("topP", Number),
            may("stopSequences", Texts),
        ]),
    ),
    may("toolConfig", Open(&[may("toolChoice", CONVERSE_CHOICE)])),
    may(
        "additionalModelRequestFields",
        Open(&[
            may("thinking", THOUGHT),
            may("reasoning_config", THOUGHT),
            may("output_config", Open(&[may("effort", Text)])),
        ]),
    ),
    may("outputConfig", Open(&[may("effort", Text)])),
    may("requestMetadata", Map),
    may("serviceTier", Object(&[must("type", Word(&["priority", "default", "flex", "reserved"]))])),
];
const CONVERSE_CHOICE: super::Shape =
    Union(&[may("auto", Map), may("any", Map), may("tool", Open(&[must("name", Text)]))]);
const THOUGHT: super::Shape =
    Object(&[may("type", Text), may("budget_tokens", Number), may("display", Text)]);
