//! The fields of the settings, dialect by dialect. Numbers that the model holds as written are not
//! here: they are looked at as such.

use super::shape::Shape::{
    Any, Betas, Flag, List, Loose, LooseFlag, LooseObject, LooseWord, Map, Never, Number, Object,
    Open, OpenTagged, Tagged, Text, TextOrList, TextOrObject, Texts, Union, Whole, Word,
    WordOrObject,
};
use super::shape::{Field, may, must};

pub(super) const ANTHROPIC: &[Field] = &[
    may("stream", Flag),
    may("stop_sequences", Texts),
    may("metadata", Open(&[may("user_id", Text)])),
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
        Open(&[
            may("effort", Text),
            may("format", Object(&[must("type", Word(&["json_schema"])), must("schema", Map)])),
        ]),
    ),
    may("output_format", Map),
];
/// As that, where what is not known is passed over.
pub(super) const DEEPSEEK: &[Field] = &[
    may("stream", Flag),
    may("stop_sequences", Texts),
    may("metadata", Open(&[may("user_id", Text)])),
    may("service_tier", Text),
    may(
        "tool_choice",
        OpenTagged(&[
            ("auto", &[TYPE, SERIAL]),
            ("any", &[TYPE, SERIAL]),
            ("tool", &[TYPE, must("name", Text), SERIAL]),
            ("none", &[TYPE]),
        ]),
    ),
    may(
        "thinking",
        OpenTagged(&[
            ("enabled", &[TYPE, must("budget_tokens", Number)]),
            ("adaptive", &[TYPE]),
            ("disabled", &[TYPE]),
            ("between_tools", &[TYPE]),
        ]),
    ),
    may(
        "output_config",
        Open(&[
            may("effort", Text),
            may("format", Open(&[must("type", Word(&["json_schema"])), must("schema", Map)])),
        ]),
    ),
    may("output_format", Map),
];
const TYPE: Field = must("type", Text);
const SERIAL: Field = may("disable_parallel_tool_use", Flag);
const CLAUDE_THINKING: super::Shape = OpenTagged(&[
    ("enabled", &[TYPE, must("budget_tokens", Any), may("display", Text)]),
    ("adaptive", &[TYPE, NO_BUDGET, may("display", Text)]),
    ("disabled", &[TYPE, NO_BUDGET, HIDDEN]),
    ("between_tools", &[TYPE, NO_BUDGET, HIDDEN]),
]);
const NO_BUDGET: Field = may("budget_tokens", Never);
const HIDDEN: Field = may("display", Never);

pub(super) const CHAT: &[Field] = &[
    may("stream", Flag),
    may("parallel_tool_calls", Flag),
    may("tool_choice", TextOrObject),
    may("response_format", Map),
    may("stop", TextOrList),
    may("reasoning_effort", Text),
];
/// The inventor's, and of those who copy its checks.
pub(super) const INVENTED: &[Field] = &[
    may("stream", Flag),
    may("parallel_tool_calls", Flag),
    may("tool_choice", TextOrObject),
    may("response_format", Map),
    may("stop", TextOrList),
    may("reasoning_effort", Text),
    may("top_logprobs", Whole),
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
    may("tool_choice", WordOrObject(&["none", "auto", "required"])),
    may("service_tier", Text),
    may("prompt_cache_key", Text),
    may("safety_identifier", Text),
    may("user", Text),
    may(
        "reasoning",
        Open(&[may("effort", Text), may("summary", SUMMARY), may("generate_summary", SUMMARY)]),
    ),
    may(
        "text",
        Open(&[
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

/// Whatever the model takes may be among the additional fields.
pub(super) const BEDROCK: &[Field] = &[
    INFERENCE,
    CHOOSING,
    may(ADDITIONAL, Loose(&[may("anthropic_beta", Betas(ELSEWHERE))])),
    OUTPUT,
    TIER,
    PERFORMANCE,
    PATHS,
    LABELS,
];
/// Only what the Messages API knows may be.
pub(super) const BEDROCK_CLAUDE: &[Field] = &[
    INFERENCE,
    CHOOSING,
    may(
        ADDITIONAL,
        LooseObject(&[
            may("thinking", THOUGHT),
            may("reasoning_config", THOUGHT),
            may("output_config", Object(&[may("effort", Text), may("format", Map)])),
            may("top_k", Number),
            may("anthropic_beta", Betas(ELSEWHERE)),
            may("anthropic_version", Any),
            may("metadata", Object(&[may("user_id", Text)])),
            may("tools", Any),
            may("tool_choice", Any),
            may("system", Any),
            may("model", Any),
            may("messages", Any),
            may("max_tokens", Any),
            may("temperature", Any),
            may("top_p", Any),
            may("stop_sequences", Any),
            may("stream", Any),
            may("service_tier", Any),
            may("cache_control", Any),
            may("speed", Any),
            may("inference_geo", Any),
            may("container", Any),
            may("diagnostics", Any),
            may("output_format", Any),
            // What needs a beta stays for who names betas.
            may("context_management", Any),
            may("compaction", Any),
        ]),
    ),
    OUTPUT,
    TIER,
    PERFORMANCE,
    PATHS,
    LABELS,
];
pub(super) const BEDROCK_OLD_CLAUDE: &[Field] = &[
    INFERENCE,
    CHOOSING,
    may(
        ADDITIONAL,
        LooseObject(&[
            may("top_k", Number),
            may("anthropic_beta", Betas(ELSEWHERE)),
            may("anthropic_version", Any),
            may("metadata", Object(&[may("user_id", Text)])),
        ]),
    ),
    OUTPUT,
    TIER,
    PERFORMANCE,
    PATHS,
    LABELS,
];
pub(super) const BEDROCK_NOVA: &[Field] = &[
    INFERENCE,
    CHOOSING,
    may(ADDITIONAL, LooseObject(&[may("inferenceConfig", Any), may("reasoningConfig", Any)])),
    OUTPUT,
    TIER,
    PERFORMANCE,
    PATHS,
    LABELS,
];
/// Betas of what there is not behind Converse: "invalid beta flag".
const ELSEWHERE: &[&str] = &[
    "advanced-tool-use-",
    "code-execution-",
    "files-api-",
    "mcp-client-",
    "message-batches-",
    "message-threads-",
    "oauth-",
    "web-fetch-",
];
const ADDITIONAL: &str = "additionalModelRequestFields";
const OUTPUT: Field = may("outputConfig", Open(&[may("effort", Text)]));
const CHOOSING: Field = may("toolConfig", Open(&[may("toolChoice", CONVERSE_CHOICE)]));
const TIER: Field =
    may("serviceTier", Open(&[must("type", Word(&["priority", "default", "flex", "reserved"]))]));
const PERFORMANCE: Field =
    may("performanceConfig", Open(&[may("latency", Word(&["standard", "optimized"]))]));
const PATHS: Field = may("additionalModelResponseFieldPaths", List);
const LABELS: Field = may("requestMetadata", Map);
const INFERENCE: Field = may(
    "inferenceConfig",
    Open(&[
        may("maxTokens", Number),
        may("temperature", Number),
        may("topP", Number),
        may("stopSequences", Texts),
    ]),
);
const CONVERSE_CHOICE: super::Shape =
    Union(&[may("auto", Map), may("any", Map), may("tool", Open(&[must("name", Text)]))]);
const THOUGHT: super::Shape = Tagged(&[
    ("enabled", &[TYPE, must("budget_tokens", Number), may("display", Text), BINDING]),
    ("adaptive", &[TYPE, may("display", Text), BINDING]),
    ("disabled", &[TYPE, BINDING]),
    ("between_tools", &[TYPE, BINDING]),
]);
const BINDING: Field = may("block_binding", Any);
