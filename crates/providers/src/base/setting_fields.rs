//! Fields of the settings in each dialect, except numbers, which are checked by other rules.

use crate::shape::Shape::{
    self, Absent, Any, AnyList, AnyObject, BetaList, Bool, Closed, ExactlyOneField, FirstOf,
    IfObject, Integer, Nullable, Number, OneOf, OneOfIgnoreCase, Open, Tagged, TaggedOpen, Text,
    TextList, TextOr,
};
use crate::shape::{FieldSpec, optional, required};

pub(crate) const ANTHROPIC: &[FieldSpec] = &[
    optional("stream", Bool),
    optional("stop_sequences", TextList),
    optional("metadata", Open(&[optional("user_id", Text)])),
    optional("service_tier", Text),
    optional(
        "tool_choice",
        Tagged(&[
            ("auto", &[TYPE, DISABLE_PARALLEL]),
            ("any", &[TYPE, DISABLE_PARALLEL]),
            ("tool", &[TYPE, required("name", Text), DISABLE_PARALLEL]),
            ("none", &[TYPE]),
        ]),
    ),
    optional("thinking", CLAUDE_THINKING),
    optional(
        "output_config",
        Open(&[
            optional("effort", Text),
            optional("format", Closed(&[JSON_SCHEMA, required("schema", AnyObject)])),
        ]),
    ),
    optional("output_format", AnyObject),
];
/// As the fields above, for a server that ignores unknown ones.
pub(crate) const DEEPSEEK: &[FieldSpec] = &[
    optional("stream", Bool),
    optional("stop_sequences", TextList),
    optional("metadata", Open(&[optional("user_id", Text)])),
    optional("service_tier", Text),
    optional(
        "tool_choice",
        TaggedOpen(&[
            ("auto", &[TYPE, DISABLE_PARALLEL]),
            ("any", &[TYPE, DISABLE_PARALLEL]),
            ("tool", &[TYPE, required("name", Text), DISABLE_PARALLEL]),
            ("none", &[TYPE]),
        ]),
    ),
    optional(
        "thinking",
        TaggedOpen(&[
            ("enabled", &[TYPE, required("budget_tokens", Number)]),
            ("adaptive", &[TYPE]),
            ("disabled", &[TYPE]),
            ("between_tools", &[TYPE]),
        ]),
    ),
    optional(
        "output_config",
        Open(&[
            optional("effort", Text),
            optional("format", Open(&[JSON_SCHEMA, required("schema", AnyObject)])),
        ]),
    ),
    optional("output_format", AnyObject),
];
pub(crate) const TYPE: FieldSpec = required("type", Text);
/// In `FirstOf`, so that another type is not corrected: it is another format.
const JSON_SCHEMA: FieldSpec = required("type", FirstOf(&[OneOf(&["json_schema"])]));
const TEXT_OR_LIST: Shape = TextOr(&AnyList);
const TEXT_OR_OBJECT: Shape = TextOr(&AnyObject);
const BOOL_OR_WORD: Shape = FirstOf(&[Bool, OneOf(&["true", "false"])]);
pub(crate) const DISABLE_PARALLEL: FieldSpec = optional("disable_parallel_tool_use", Bool);
pub(crate) const CLAUDE_THINKING: Shape = TaggedOpen(&[
    ("enabled", &[TYPE, required("budget_tokens", Nullable(&Any)), optional("display", Text)]),
    ("adaptive", &[TYPE, NO_BUDGET, optional("display", Text)]),
    ("disabled", &[TYPE, NO_BUDGET, NO_DISPLAY]),
    ("between_tools", &[TYPE, NO_BUDGET, NO_DISPLAY]),
]);
pub(crate) const NO_BUDGET: FieldSpec = optional("budget_tokens", Absent);
pub(crate) const NO_DISPLAY: FieldSpec = optional("display", Absent);

pub(crate) const CHAT: &[FieldSpec] = &[
    optional("stream", Bool),
    optional("parallel_tool_calls", Bool),
    optional("tool_choice", TEXT_OR_OBJECT),
    optional("response_format", AnyObject),
    optional("stop", TEXT_OR_LIST),
    optional("reasoning_effort", Text),
];
/// `OpenAI`, and servers that copy its checks.
pub(crate) const OPENAI_CHAT: &[FieldSpec] = &[
    optional("stream", Bool),
    optional("parallel_tool_calls", Bool),
    optional("tool_choice", TEXT_OR_OBJECT),
    optional("response_format", AnyObject),
    optional("stop", TEXT_OR_LIST),
    optional("reasoning_effort", Text),
    optional("top_logprobs", Integer),
];
pub(crate) const KIMI: &[FieldSpec] = &[
    optional("stream", Bool),
    optional("parallel_tool_calls", Bool),
    optional("tool_choice", TEXT_OR_OBJECT),
    optional("response_format", AnyObject),
    optional("stop", TEXT_OR_LIST),
    optional("reasoning_effort", Text),
    optional("thinking", AnyObject),
];

pub(crate) const RESPONSES: &[FieldSpec] = &[
    optional("stream", Bool),
    optional("store", Bool),
    optional("parallel_tool_calls", Bool),
    optional("tool_choice", FirstOf(&[OneOf(&["none", "auto", "required"]), AnyObject])),
    optional("service_tier", Text),
    optional("prompt_cache_key", Text),
    optional("safety_identifier", Text),
    optional("user", Text),
    optional(
        "reasoning",
        Open(&[
            optional("effort", Text),
            optional("summary", SUMMARY),
            optional("generate_summary", SUMMARY),
        ]),
    ),
    optional(
        "text",
        Open(&[
            optional("verbosity", Text),
            optional(
                "format",
                Tagged(&[
                    ("text", &[TYPE]),
                    ("json_object", &[TYPE]),
                    (
                        "json_schema",
                        &[
                            TYPE,
                            required("name", Text),
                            required("schema", AnyObject),
                            optional("description", Text),
                            optional("strict", Bool),
                        ],
                    ),
                ]),
            ),
        ]),
    ),
];
pub(crate) const SUMMARY: Shape = OneOf(&["concise", "detailed", "auto"]);

pub(crate) const GEMINI: &[FieldSpec] = &[
    optional(
        "generationConfig",
        Open(&[
            optional("stopSequences", TEXT_OR_LIST),
            optional("responseMimeType", Text),
            optional("responseSchema", AnyObject),
            optional(
                "thinkingConfig",
                Closed(&[
                    optional("includeThoughts", BOOL_OR_WORD),
                    optional("thinkingBudget", Any),
                    optional("thinkingLevel", OneOfIgnoreCase(LEVELS)),
                ]),
            ),
        ]),
    ),
    optional(
        "toolConfig",
        Open(&[optional(
            "functionCallingConfig",
            Open(&[
                optional(
                    "mode",
                    OneOfIgnoreCase(&["MODE_UNSPECIFIED", "AUTO", "ANY", "NONE", "VALIDATED"]),
                ),
                optional("allowedFunctionNames", TEXT_OR_LIST),
            ]),
        )]),
    ),
    optional("store", BOOL_OR_WORD),
];
pub(crate) const LEVELS: &[&str] =
    &["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"];

/// Additional fields are passed to the model and not checked.
pub(crate) const BEDROCK: &[FieldSpec] = &[
    INFERENCE,
    TOOL_CONFIG,
    optional(
        ADDITIONAL_FIELDS,
        IfObject(&Open(&[optional("anthropic_beta", BetaList(UNAVAILABLE_BETAS))])),
    ),
    OUTPUT_CONFIG,
    SERVICE_TIER,
    PERFORMANCE,
    RESPONSE_FIELD_PATHS,
    REQUEST_METADATA,
];
/// Additional fields must be known to the Messages API.
pub(crate) const BEDROCK_CLAUDE: &[FieldSpec] = &[
    INFERENCE,
    TOOL_CONFIG,
    optional(
        ADDITIONAL_FIELDS,
        IfObject(&Closed(&[
            optional("thinking", THINKING),
            optional("reasoning_config", THINKING),
            optional(
                "output_config",
                Closed(&[optional("effort", Text), optional("format", AnyObject)]),
            ),
            optional("top_k", Number),
            optional("anthropic_beta", BetaList(UNAVAILABLE_BETAS)),
            optional("anthropic_version", Any),
            optional("metadata", Closed(&[optional("user_id", Text)])),
            optional("tools", Any),
            optional("tool_choice", Any),
            optional("system", Any),
            optional("model", Any),
            optional("messages", Any),
            optional("max_tokens", Any),
            optional("temperature", Any),
            optional("top_p", Any),
            optional("stop_sequences", Any),
            optional("stream", Any),
            optional("service_tier", Any),
            optional("cache_control", Any),
            optional("speed", Any),
            optional("inference_geo", Any),
            optional("container", Any),
            optional("diagnostics", Any),
            optional("output_format", Any),
            // Beta fields are kept; another rule checks the betas.
            optional("context_management", Any),
            optional("compaction", Any),
        ])),
    ),
    OUTPUT_CONFIG,
    SERVICE_TIER,
    PERFORMANCE,
    RESPONSE_FIELD_PATHS,
    REQUEST_METADATA,
];
pub(crate) const BEDROCK_OLD_CLAUDE: &[FieldSpec] = &[
    INFERENCE,
    TOOL_CONFIG,
    optional(
        ADDITIONAL_FIELDS,
        IfObject(&Closed(&[
            optional("top_k", Number),
            optional("anthropic_beta", BetaList(UNAVAILABLE_BETAS)),
            optional("anthropic_version", Any),
            optional("metadata", Closed(&[optional("user_id", Text)])),
        ])),
    ),
    OUTPUT_CONFIG,
    SERVICE_TIER,
    PERFORMANCE,
    RESPONSE_FIELD_PATHS,
    REQUEST_METADATA,
];
pub(crate) const BEDROCK_NOVA: &[FieldSpec] = &[
    INFERENCE,
    TOOL_CONFIG,
    optional(
        ADDITIONAL_FIELDS,
        IfObject(&Closed(&[optional("inferenceConfig", Any), optional("reasoningConfig", Any)])),
    ),
    OUTPUT_CONFIG,
    SERVICE_TIER,
    PERFORMANCE,
    RESPONSE_FIELD_PATHS,
    REQUEST_METADATA,
];
/// Prefixes of betas that Converse lacks: "invalid beta flag".
pub(crate) const UNAVAILABLE_BETAS: &[&str] = &[
    "advanced-tool-use-",
    "code-execution-",
    "files-api-",
    "mcp-client-",
    "message-batches-",
    "message-threads-",
    "oauth-",
    "web-fetch-",
];
pub(crate) const ADDITIONAL_FIELDS: &str = "additionalModelRequestFields";
pub(crate) const OUTPUT_CONFIG: FieldSpec =
    optional("outputConfig", Open(&[optional("effort", Text)]));
pub(crate) const TOOL_CONFIG: FieldSpec =
    optional("toolConfig", Open(&[optional("toolChoice", CONVERSE_CHOICE)]));
pub(crate) const SERVICE_TIER: FieldSpec = optional(
    "serviceTier",
    Open(&[required("type", OneOf(&["priority", "default", "flex", "reserved"]))]),
);
pub(crate) const PERFORMANCE: FieldSpec =
    optional("performanceConfig", Open(&[optional("latency", OneOf(&["standard", "optimized"]))]));
pub(crate) const RESPONSE_FIELD_PATHS: FieldSpec =
    optional("additionalModelResponseFieldPaths", AnyList);
pub(crate) const REQUEST_METADATA: FieldSpec = optional("requestMetadata", AnyObject);
pub(crate) const INFERENCE: FieldSpec = optional(
    "inferenceConfig",
    Open(&[
        optional("maxTokens", Number),
        optional("temperature", Number),
        optional("topP", Number),
        optional("stopSequences", TextList),
    ]),
);
pub(crate) const CONVERSE_CHOICE: Shape = ExactlyOneField(&[
    optional("auto", AnyObject),
    optional("any", AnyObject),
    optional("tool", Open(&[required("name", Text)])),
]);
pub(crate) const THINKING: Shape = Tagged(&[
    (
        "enabled",
        &[TYPE, required("budget_tokens", Number), optional("display", Text), BLOCK_BINDING],
    ),
    ("adaptive", &[TYPE, optional("display", Text), BLOCK_BINDING]),
    ("disabled", &[TYPE, BLOCK_BINDING]),
    ("between_tools", &[TYPE, BLOCK_BINDING]),
]);
pub(crate) const BLOCK_BINDING: FieldSpec = optional("block_binding", Any);
