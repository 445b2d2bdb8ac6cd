//! Fields of the settings in each dialect, except numbers, which are checked by other rules.

use crate::profile::settings::SettingShape::{
    Any, AnyList, AnyObject, BetaList, Bool, BoolOrString, Closed, ClosedIfObject, ExactlyOneField,
    Forbidden, Integer, Number, OneOf, OneOfIgnoreCaseOrNumber, OneOfOrObject, Open, OpenIfObject,
    Tagged, TaggedOpen, Text, TextList, TextOrList, TextOrObject,
};
use crate::profile::settings::{SettingField, SettingShape, optional, required};

pub(crate) const ANTHROPIC: &[SettingField] = &[
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
            optional(
                "format",
                Closed(&[required("type", OneOf(&["json_schema"])), required("schema", AnyObject)]),
            ),
        ]),
    ),
    optional("output_format", AnyObject),
];
/// As the fields above, for a server that ignores unknown ones.
pub(crate) const DEEPSEEK: &[SettingField] = &[
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
            optional(
                "format",
                Open(&[required("type", OneOf(&["json_schema"])), required("schema", AnyObject)]),
            ),
        ]),
    ),
    optional("output_format", AnyObject),
];
pub(crate) const TYPE: SettingField = required("type", Text);
pub(crate) const DISABLE_PARALLEL: SettingField = optional("disable_parallel_tool_use", Bool);
pub(crate) const CLAUDE_THINKING: SettingShape = TaggedOpen(&[
    ("enabled", &[TYPE, required("budget_tokens", Any), optional("display", Text)]),
    ("adaptive", &[TYPE, NO_BUDGET, optional("display", Text)]),
    ("disabled", &[TYPE, NO_BUDGET, NO_DISPLAY]),
    ("between_tools", &[TYPE, NO_BUDGET, NO_DISPLAY]),
]);
pub(crate) const NO_BUDGET: SettingField = optional("budget_tokens", Forbidden);
pub(crate) const NO_DISPLAY: SettingField = optional("display", Forbidden);

pub(crate) const CHAT: &[SettingField] = &[
    optional("stream", Bool),
    optional("parallel_tool_calls", Bool),
    optional("tool_choice", TextOrObject),
    optional("response_format", AnyObject),
    optional("stop", TextOrList),
    optional("reasoning_effort", Text),
];
/// `OpenAI`, and servers that copy its checks.
pub(crate) const OPENAI_CHAT: &[SettingField] = &[
    optional("stream", Bool),
    optional("parallel_tool_calls", Bool),
    optional("tool_choice", TextOrObject),
    optional("response_format", AnyObject),
    optional("stop", TextOrList),
    optional("reasoning_effort", Text),
    optional("top_logprobs", Integer),
];
pub(crate) const KIMI: &[SettingField] = &[
    optional("stream", Bool),
    optional("parallel_tool_calls", Bool),
    optional("tool_choice", TextOrObject),
    optional("response_format", AnyObject),
    optional("stop", TextOrList),
    optional("reasoning_effort", Text),
    optional("thinking", AnyObject),
];

pub(crate) const RESPONSES: &[SettingField] = &[
    optional("stream", Bool),
    optional("store", Bool),
    optional("parallel_tool_calls", Bool),
    optional("tool_choice", OneOfOrObject(&["none", "auto", "required"])),
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
pub(crate) const SUMMARY: SettingShape = OneOf(&["concise", "detailed", "auto"]);

pub(crate) const GEMINI: &[SettingField] = &[
    optional(
        "generationConfig",
        Open(&[
            optional("stopSequences", TextOrList),
            optional("responseMimeType", Text),
            optional("responseSchema", AnyObject),
            optional(
                "thinkingConfig",
                Closed(&[
                    optional("includeThoughts", BoolOrString),
                    optional("thinkingBudget", Any),
                    optional("thinkingLevel", OneOfIgnoreCaseOrNumber(LEVELS)),
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
                    OneOfIgnoreCaseOrNumber(&[
                        "MODE_UNSPECIFIED",
                        "AUTO",
                        "ANY",
                        "NONE",
                        "VALIDATED",
                    ]),
                ),
                optional("allowedFunctionNames", TextOrList),
            ]),
        )]),
    ),
    optional("store", BoolOrString),
];
pub(crate) const LEVELS: &[&str] =
    &["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH"];

/// Additional fields are passed to the model and not checked.
pub(crate) const BEDROCK: &[SettingField] = &[
    INFERENCE,
    TOOL_CONFIG,
    optional(
        ADDITIONAL_FIELDS,
        OpenIfObject(&[optional("anthropic_beta", BetaList(UNAVAILABLE_BETAS))]),
    ),
    OUTPUT_CONFIG,
    SERVICE_TIER,
    PERFORMANCE,
    RESPONSE_FIELD_PATHS,
    REQUEST_METADATA,
];
/// Additional fields must be known to the Messages API.
pub(crate) const BEDROCK_CLAUDE: &[SettingField] = &[
    INFERENCE,
    TOOL_CONFIG,
    optional(
        ADDITIONAL_FIELDS,
        ClosedIfObject(&[
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
        ]),
    ),
    OUTPUT_CONFIG,
    SERVICE_TIER,
    PERFORMANCE,
    RESPONSE_FIELD_PATHS,
    REQUEST_METADATA,
];
pub(crate) const BEDROCK_OLD_CLAUDE: &[SettingField] = &[
    INFERENCE,
    TOOL_CONFIG,
    optional(
        ADDITIONAL_FIELDS,
        ClosedIfObject(&[
            optional("top_k", Number),
            optional("anthropic_beta", BetaList(UNAVAILABLE_BETAS)),
            optional("anthropic_version", Any),
            optional("metadata", Closed(&[optional("user_id", Text)])),
        ]),
    ),
    OUTPUT_CONFIG,
    SERVICE_TIER,
    PERFORMANCE,
    RESPONSE_FIELD_PATHS,
    REQUEST_METADATA,
];
pub(crate) const BEDROCK_NOVA: &[SettingField] = &[
    INFERENCE,
    TOOL_CONFIG,
    optional(
        ADDITIONAL_FIELDS,
        ClosedIfObject(&[optional("inferenceConfig", Any), optional("reasoningConfig", Any)]),
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
pub(crate) const OUTPUT_CONFIG: SettingField =
    optional("outputConfig", Open(&[optional("effort", Text)]));
pub(crate) const TOOL_CONFIG: SettingField =
    optional("toolConfig", Open(&[optional("toolChoice", CONVERSE_CHOICE)]));
pub(crate) const SERVICE_TIER: SettingField = optional(
    "serviceTier",
    Open(&[required("type", OneOf(&["priority", "default", "flex", "reserved"]))]),
);
pub(crate) const PERFORMANCE: SettingField =
    optional("performanceConfig", Open(&[optional("latency", OneOf(&["standard", "optimized"]))]));
pub(crate) const RESPONSE_FIELD_PATHS: SettingField =
    optional("additionalModelResponseFieldPaths", AnyList);
pub(crate) const REQUEST_METADATA: SettingField = optional("requestMetadata", AnyObject);
pub(crate) const INFERENCE: SettingField = optional(
    "inferenceConfig",
    Open(&[
        optional("maxTokens", Number),
        optional("temperature", Number),
        optional("topP", Number),
        optional("stopSequences", TextList),
    ]),
);
pub(crate) const CONVERSE_CHOICE: SettingShape = ExactlyOneField(&[
    optional("auto", AnyObject),
    optional("any", AnyObject),
    optional("tool", Open(&[required("name", Text)])),
]);
pub(crate) const THINKING: SettingShape = Tagged(&[
    (
        "enabled",
        &[TYPE, required("budget_tokens", Number), optional("display", Text), BLOCK_BINDING],
    ),
    ("adaptive", &[TYPE, optional("display", Text), BLOCK_BINDING]),
    ("disabled", &[TYPE, BLOCK_BINDING]),
    ("between_tools", &[TYPE, BLOCK_BINDING]),
]);
pub(crate) const BLOCK_BINDING: SettingField = optional("block_binding", Any);
