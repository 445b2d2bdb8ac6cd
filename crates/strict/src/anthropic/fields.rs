//! Shapes of the request fields outside the messages.

use super::blocks::{BLOCKS, CACHE_CONTROL_FIELD, SYSTEM_BLOCKS, TEXT};
use super::shape::{
    BLOCK_BINDING_WITHOUT_BETA, Field, FieldType, SCHEMA_MISSING, Shape, THINKING_DISPLAY,
    TaggedUnion, UNKNOWN_ROLE, UNKNOWN_TAG, UNKNOWN_TOOL_CHOICE, UnionVariant,
};

const fn required(name: &'static str, kind: FieldType) -> Field {
    Field::required(name, kind)
}

const fn optional(name: &'static str, kind: FieldType) -> Field {
    Field::optional(name, kind)
}

pub(super) static BODY: Shape = Shape::closed(&[
    MODEL,
    required("max_tokens", FieldType::Integer),
    MESSAGES,
    SYSTEM,
    TOOLS,
    TOOL_CHOICE_FIELD,
    THINKING_FIELD,
    OUTPUT_CONFIG_FIELD,
    CACHE_CONTROL_FIELD,
    SPEED,
    optional("stop_sequences", FieldType::Array(&FieldType::Str)),
    optional("temperature", FieldType::Number),
    optional("top_p", FieldType::Number),
    optional("top_k", FieldType::Integer),
    optional("stream", FieldType::Bool),
    optional("metadata", FieldType::Shape(&METADATA)),
    optional("service_tier", FieldType::Enum(&["auto", "standard_only"])),
    optional("inference_geo", FieldType::Str),
    optional("container", FieldType::StrOr(&FieldType::Object)),
    optional("diagnostics", FieldType::Object),
    optional("output_format", FieldType::Object),
    CONTEXT_MANAGEMENT_FIELD,
    COMPACTION_FIELD,
    MCP_SERVERS_FIELD,
    optional("fallbacks", FieldType::Any).with_betas(&["server-side-fallback-"]),
    optional("fallback_credit_token", FieldType::Any).with_betas(&["fallback-credit-"]),
    optional("thread", FieldType::Tagged(&THREAD)).with_betas(&["message-threads-"]),
]);

/// The body of a request that counts tokens.
pub(super) static COUNT_TOKENS_BODY: Shape = Shape::closed(&[
    MODEL,
    MESSAGES,
    SYSTEM,
    TOOLS,
    TOOL_CHOICE_FIELD,
    THINKING_FIELD,
    OUTPUT_CONFIG_FIELD,
    CACHE_CONTROL_FIELD,
    SPEED,
    CONTEXT_MANAGEMENT_FIELD,
    COMPACTION_FIELD,
    MCP_SERVERS_FIELD,
]);

const MODEL: Field = required("model", FieldType::Str);
const MESSAGES: Field = required("messages", FieldType::Array(&MESSAGE_TYPE));
static MESSAGE_TYPE: FieldType = FieldType::Tagged(&MESSAGE);
const SYSTEM: Field = optional("system", FieldType::StrOr(&TEXT_BLOCKS));
static TEXT_BLOCKS: FieldType = FieldType::Array(&FieldType::Shape(&TEXT));
const TOOLS: Field = optional("tools", FieldType::Array(&TOOL_TYPE));
static TOOL_TYPE: FieldType = FieldType::Tagged(&TOOL);
const TOOL_CHOICE_FIELD: Field =
    optional("tool_choice", FieldType::Tagged(&TOOL_CHOICE)).with_rule(UNKNOWN_TOOL_CHOICE);
const THINKING_FIELD: Field = optional("thinking", FieldType::Tagged(&THINKING));
const OUTPUT_CONFIG_FIELD: Field = optional("output_config", FieldType::Shape(&OUTPUT_CONFIG));
const SPEED: Field = optional("speed", FieldType::Enum(&["standard", "fast"]));
const CONTEXT_MANAGEMENT_FIELD: Field = optional("context_management", FieldType::Object)
    .with_betas(&["context-management-", "compact-"]);
const COMPACTION_FIELD: Field = optional("compaction", FieldType::Object).with_betas(&["compact-"]);
const MCP_SERVERS_FIELD: Field =
    optional("mcp_servers", FieldType::Array(&FieldType::Object)).with_betas(&["mcp-client-"]);

static THREAD: TaggedUnion = TaggedUnion {
    tag_key: "type",
    variants: &[
        UnionVariant::new("create", &CREATE_THREAD),
        UnionVariant::new("continue", &CONTINUE_THREAD),
    ],
    default_tag: None,
    tag_in_path: true,
    reports_value: false,
    unknown_tag_rule: UNKNOWN_TAG,
};
static CREATE_THREAD: Shape = Shape::closed(&[required("type", FieldType::Str)]);
static CONTINUE_THREAD: Shape = Shape::closed(&[
    required("type", FieldType::Str),
    required("previous_message_id", FieldType::Str),
]);

static METADATA: Shape = Shape::closed(&[optional("user_id", FieldType::Str)]);

static OUTPUT_CONFIG: Shape = Shape::closed(&[
    EFFORT,
    optional("format", FieldType::Shape(&FORMAT)),
    optional("task_budget", FieldType::Object).with_betas(&["task-budgets-"]),
]);
const EFFORT: Field =
    optional("effort", FieldType::Enum(&["low", "medium", "high", "xhigh", "max"]));
static FORMAT: Shape = Shape::closed(&[
    required("type", FieldType::Enum(&["json_schema"])),
    required("schema", FieldType::Object),
]);

static THINKING: TaggedUnion = TaggedUnion {
    tag_key: "type",
    variants: &[
        UnionVariant::new("adaptive", &ADAPTIVE_THINKING),
        UnionVariant::new("between_tools", &DISABLED_THINKING),
        UnionVariant::new("disabled", &DISABLED_THINKING),
        UnionVariant::new("enabled", &ENABLED_THINKING),
    ],
    default_tag: None,
    tag_in_path: true,
    reports_value: false,
    unknown_tag_rule: UNKNOWN_TAG,
};
static ADAPTIVE_THINKING: Shape =
    Shape::closed(&[required("type", FieldType::Str), DISPLAY_FIELD, BLOCK_BINDING_FIELD]);
static ENABLED_THINKING: Shape = Shape::closed(&[
    required("type", FieldType::Str),
    required("budget_tokens", FieldType::Integer),
    DISPLAY_FIELD,
    BLOCK_BINDING_FIELD,
]);
static DISABLED_THINKING: Shape = Shape {
    fields: &[required("type", FieldType::Str), BLOCK_BINDING_FIELD],
    unknown_key_rule: THINKING_DISPLAY,
    allows_unknown: false,
};
const DISPLAY_FIELD: Field =
    optional("display", FieldType::Enum(&["summarized", "omitted", "updates"]))
        .with_rule(THINKING_DISPLAY);
const BLOCK_BINDING_FIELD: Field = optional("block_binding", FieldType::Object)
    .with_betas(&["thinking-binding-controls-"])
    .with_rule(BLOCK_BINDING_WITHOUT_BETA);

static TOOL_CHOICE: TaggedUnion = TaggedUnion {
    tag_key: "type",
    variants: &[
        UnionVariant::new("auto", &AUTO_OR_ANY_CHOICE),
        UnionVariant::new("any", &AUTO_OR_ANY_CHOICE),
        UnionVariant::new("tool", &NAMED_CHOICE),
        UnionVariant::new("none", &NONE_CHOICE),
    ],
    default_tag: None,
    tag_in_path: true,
    reports_value: false,
    unknown_tag_rule: UNKNOWN_TOOL_CHOICE,
};
static AUTO_OR_ANY_CHOICE: Shape =
    Shape::closed(&[required("type", FieldType::Str), DISABLE_PARALLEL_FIELD]);
static NAMED_CHOICE: Shape = Shape::closed(&[
    required("type", FieldType::Str),
    required("name", FieldType::Str),
    DISABLE_PARALLEL_FIELD,
]);
static NONE_CHOICE: Shape = Shape::closed(&[required("type", FieldType::Str)]);
const DISABLE_PARALLEL_FIELD: Field = optional("disable_parallel_tool_use", FieldType::Bool);

static MESSAGE: TaggedUnion = TaggedUnion {
    tag_key: "role",
    variants: &[
        UnionVariant::new("user", &USER_OR_ASSISTANT_MESSAGE),
        UnionVariant::new("assistant", &USER_OR_ASSISTANT_MESSAGE),
        UnionVariant::new("system", &SYSTEM_MESSAGE),
    ],
    default_tag: None,
    tag_in_path: false,
    reports_value: true,
    unknown_tag_rule: UNKNOWN_ROLE,
};
static USER_OR_ASSISTANT_MESSAGE: Shape = Shape::closed(&[
    required("role", FieldType::Str),
    required("content", FieldType::StrOr(&FieldType::Array(&FieldType::Tagged(&BLOCKS)))),
]);
static SYSTEM_MESSAGE: Shape = Shape::closed(&[
    required("role", FieldType::Str),
    required("content", FieldType::StrOr(&FieldType::Array(&FieldType::Tagged(&SYSTEM_BLOCKS)))),
    optional("clear_at", FieldType::Enum(&["next_user_message", "never"]))
        .with_betas(&["mid-conversation-system-clear-at-"]),
    optional("output_config", FieldType::Shape(&MESSAGE_OUTPUT_CONFIG))
        .with_betas(&["mid-conversation-output-config-", "per-turn-control-"]),
]);
static MESSAGE_OUTPUT_CONFIG: Shape = Shape::closed(&[EFFORT]);

static TOOL: TaggedUnion = TaggedUnion {
    tag_key: "type",
    variants: &[
        UnionVariant::new("advisor_20260301", &BUILTIN_TOOL).with_betas(&["advisor-tool-"]),
        UnionVariant::new("bash_20241022", &BUILTIN_TOOL).with_betas(&["computer-use-"]),
        UnionVariant::new("bash_20250124", &BUILTIN_TOOL),
        UnionVariant::new("browser_toolset_20260801", &TOOLSET),
        UnionVariant::new("code_execution_20250522", &BUILTIN_TOOL),
        UnionVariant::new("code_execution_20250825", &BUILTIN_TOOL),
        UnionVariant::new("code_execution_20260120", &BUILTIN_TOOL),
        UnionVariant::new("code_execution_20260521", &BUILTIN_TOOL),
        UnionVariant::new("computer_20241022", &BUILTIN_TOOL).with_betas(&["computer-use-"]),
        UnionVariant::new("computer_20250124", &BUILTIN_TOOL).with_betas(&["computer-use-"]),
        UnionVariant::new("computer_20251124", &BUILTIN_TOOL).with_betas(&["computer-use-"]),
        UnionVariant::new("computer_toolset_20260801", &TOOLSET),
        UnionVariant::new("custom", &CUSTOM_TOOL),
        UnionVariant::new("mcp_toolset", &TOOLSET).with_betas(&["mcp-client-"]),
        UnionVariant::new("memory_20250818", &BUILTIN_TOOL),
        UnionVariant::new("text_editor_20241022", &BUILTIN_TOOL).with_betas(&["computer-use-"]),
        UnionVariant::new("text_editor_20250124", &BUILTIN_TOOL),
        UnionVariant::new("text_editor_20250429", &BUILTIN_TOOL),
        UnionVariant::new("text_editor_20250728", &BUILTIN_TOOL),
        UnionVariant::new("tool_search_tool_bm25", &BUILTIN_TOOL),
        UnionVariant::new("tool_search_tool_bm25_20251119", &BUILTIN_TOOL),
        UnionVariant::new("tool_search_tool_regex", &BUILTIN_TOOL),
        UnionVariant::new("tool_search_tool_regex_20251119", &BUILTIN_TOOL),
        UnionVariant::new("web_fetch_20250910", &BUILTIN_TOOL),
        UnionVariant::new("web_fetch_20260209", &BUILTIN_TOOL),
        UnionVariant::new("web_fetch_20260309", &BUILTIN_TOOL),
        UnionVariant::new("web_fetch_20260318", &BUILTIN_TOOL),
        UnionVariant::new("web_search_20250305", &BUILTIN_TOOL),
        UnionVariant::new("web_search_20260209", &BUILTIN_TOOL),
        UnionVariant::new("web_search_20260318", &BUILTIN_TOOL),
    ],
    default_tag: Some("custom"),
    tag_in_path: true,
    reports_value: false,
    unknown_tag_rule: UNKNOWN_TAG,
};
static CUSTOM_TOOL: Shape = Shape::closed(&[
    optional("type", FieldType::Str),
    required("name", FieldType::Str),
    optional("description", FieldType::Str),
    required("input_schema", FieldType::Object).with_rule(SCHEMA_MISSING),
    CACHE_CONTROL_FIELD,
    optional("strict", FieldType::Bool),
    optional("defer_loading", FieldType::Bool),
    optional("allowed_callers", FieldType::Array(&FieldType::Str)),
    optional("input_examples", FieldType::Array(&FieldType::Any)),
    optional("eager_input_streaming", FieldType::Bool),
]);
/// The keys of all built-in tools together: which tool has which key is not checked.
static BUILTIN_TOOL: Shape = Shape::closed(&[
    required("type", FieldType::Str),
    required("name", FieldType::Str),
    CACHE_CONTROL_FIELD,
    optional("strict", FieldType::Bool),
    optional("defer_loading", FieldType::Bool),
    optional("allowed_callers", FieldType::Array(&FieldType::Str)),
    optional("input_examples", FieldType::Array(&FieldType::Any)),
    optional("max_characters", FieldType::Integer),
    optional("max_uses", FieldType::Integer),
    optional("allowed_domains", FieldType::Array(&FieldType::Str)),
    optional("blocked_domains", FieldType::Array(&FieldType::Str)),
    optional("user_location", FieldType::Object),
    optional("response_inclusion", FieldType::Enum(&["full", "excluded"])),
    optional("citations", FieldType::Object),
    optional("max_content_tokens", FieldType::Integer),
    optional("url_sources", FieldType::Object),
    optional("use_cache", FieldType::Bool),
    optional("display_height_px", FieldType::Integer),
    optional("display_width_px", FieldType::Integer),
    optional("display_number", FieldType::Integer),
    optional("enable_zoom", FieldType::Bool),
    optional("model", FieldType::Str),
    optional("max_tokens", FieldType::Integer),
    optional("caching", FieldType::Object),
]);
static TOOLSET: Shape = Shape::closed(&[
    required("type", FieldType::Str),
    CACHE_CONTROL_FIELD,
    optional("configs", FieldType::Object),
    optional("default_config", FieldType::Object),
    optional("mcp_server_name", FieldType::Str),
    optional("tools", FieldType::Any),
]);
