//! Shapes of message blocks, and the role that may send each.

use super::shape::{
    CACHE_CONTROL_KEY, CACHE_CONTROL_VALUE, CACHED_THINKING, Field, FieldType, RESULT_WITHOUT_ID,
    Shape, TOOL_INPUT, TaggedUnion, UNKNOWN_TAG, UNSIGNED_THINKING, UnionVariant,
};

const fn required(name: &'static str, kind: FieldType) -> Field {
    Field::required(name, kind)
}

const fn optional(name: &'static str, kind: FieldType) -> Field {
    Field::optional(name, kind)
}

const fn union_by_type(rows: &'static [UnionVariant]) -> TaggedUnion {
    TaggedUnion {
        tag_key: "type",
        variants: rows,
        default_tag: None,
        tag_in_path: true,
        reports_value: false,
        unknown_tag_rule: UNKNOWN_TAG,
    }
}

/// Block types that only one role may send, where no other rule checks it.
pub(super) const SINGLE_ROLE_BLOCKS: &[(&str, &[&str])] = &[
    ("user", &["image", "search_result", "container_upload"]),
    (
        "assistant",
        &[
            "server_tool_use",
            "web_search_tool_result",
            "web_fetch_tool_result",
            "code_execution_tool_result",
            "bash_code_execution_tool_result",
            "text_editor_code_execution_tool_result",
            "tool_search_tool_result",
            "advisor_tool_result",
            "mcp_tool_use",
            "mcp_tool_result",
            "mcp_tool_listing",
            "fallback",
            "connector_text",
        ],
    ),
];

pub(super) static BLOCKS: TaggedUnion = union_by_type(&[
    UnionVariant::new("advisor_tool_result", &SERVER_TOOL_RESULT).with_betas(&["advisor-tool-"]),
    UnionVariant::new("bash_code_execution_tool_result", &SERVER_TOOL_RESULT),
    UnionVariant::new("code_execution_tool_result", &SERVER_TOOL_RESULT),
    UnionVariant::new("compaction", &COMPACTION).with_betas(&["compact-"]),
    UnionVariant::new("connector_text", &OPAQUE_BLOCK),
    UnionVariant::new("container_upload", &CONTAINER_UPLOAD),
    UnionVariant::new("document", &DOCUMENT),
    UnionVariant::new("fallback", &FALLBACK).with_betas(&["server-side-fallback-"]),
    UnionVariant::new("image", &IMAGE),
    UnionVariant::new("mcp_tool_listing", &MCP_TOOL_LISTING).with_betas(&["mcp-client-"]),
    UnionVariant::new("mcp_tool_result", &MCP_TOOL_RESULT).with_betas(&["mcp-client-"]),
    UnionVariant::new("mcp_tool_use", &MCP_TOOL_USE).with_betas(&["mcp-client-"]),
    UnionVariant::new("redacted_thinking", &REDACTED_THINKING),
    UnionVariant::new("search_result", &SEARCH_RESULT),
    UnionVariant::new("server_tool_use", &SERVER_TOOL_USE),
    UnionVariant::new("text", &TEXT),
    UnionVariant::new("text_editor_code_execution_tool_result", &SERVER_TOOL_RESULT),
    UnionVariant::new("thinking", &THINKING),
    UnionVariant::new("tool_result", &TOOL_RESULT),
    UnionVariant::new("tool_search_tool_result", &SERVER_TOOL_RESULT),
    UnionVariant::new("tool_use", &TOOL_USE),
    UnionVariant::new("web_fetch_tool_result", &SERVER_TOOL_RESULT),
    UnionVariant::new("web_search_tool_result", &SERVER_TOOL_RESULT),
]);

/// Blocks of system messages.
pub(super) static SYSTEM_BLOCKS: TaggedUnion = union_by_type(&[
    UnionVariant::new("text", &TEXT),
    UnionVariant::new("tool_addition", &OPAQUE_BLOCK).with_betas(TOOL_CHANGE_BETAS),
    UnionVariant::new("tool_removal", &OPAQUE_BLOCK).with_betas(TOOL_CHANGE_BETAS),
]);
const TOOL_CHANGE_BETAS: &[&str] = &["mid-conversation-tool-changes-", "inline-tools-"];

/// Blocks inside a tool result.
static RESULT_BLOCKS: TaggedUnion = union_by_type(&[
    UnionVariant::new("browser_state", &OPAQUE_BLOCK),
    UnionVariant::new("document", &DOCUMENT),
    UnionVariant::new("image", &IMAGE),
    UnionVariant::new("search_result", &SEARCH_RESULT),
    UnionVariant::new("text", &TEXT),
    UnionVariant::new("tool_reference", &TOOL_REFERENCE),
]);

const TYPE_FIELD: Field = required("type", FieldType::Str);

pub(super) static TEXT: Shape = Shape::closed(&[
    required("type", FieldType::Enum(&["text"])),
    required("text", FieldType::Str),
    optional("citations", FieldType::Array(&FieldType::Object)),
    CACHE_CONTROL_FIELD,
]);

static IMAGE: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("source", FieldType::Tagged(&IMAGE_SOURCES)),
    optional("transformations", FieldType::Object),
    CACHE_CONTROL_FIELD,
]);
static IMAGE_SOURCES: TaggedUnion = union_by_type(&[
    UnionVariant::new("base64", &IMAGE_BASE64),
    UnionVariant::new("file", &FILE_SOURCE),
    UnionVariant::new("url", &URL_SOURCE),
]);
static IMAGE_BASE64: Shape = Shape::closed(&[
    TYPE_FIELD,
    required(
        "media_type",
        FieldType::Enum(&["image/jpeg", "image/png", "image/gif", "image/webp"]),
    ),
    required("data", FieldType::Str),
]);
static FILE_SOURCE: Shape = Shape::closed(&[TYPE_FIELD, required("file_id", FieldType::Str)]);
static URL_SOURCE: Shape = Shape::closed(&[TYPE_FIELD, required("url", FieldType::Str)]);

static DOCUMENT: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("source", FieldType::Tagged(&DOCUMENT_SOURCES)),
    optional("title", FieldType::Str),
    optional("context", FieldType::Str),
    optional("citations", FieldType::Shape(&CITATIONS)),
    CACHE_CONTROL_FIELD,
]);
static CITATIONS: Shape = Shape::closed(&[optional("enabled", FieldType::Bool)]);
static DOCUMENT_SOURCES: TaggedUnion = union_by_type(&[
    UnionVariant::new("base64", &PDF_BASE64),
    UnionVariant::new("content", &CONTENT_SOURCE),
    UnionVariant::new("file", &FILE_SOURCE),
    UnionVariant::new("text", &PLAIN_TEXT_SOURCE),
    UnionVariant::new("url", &URL_SOURCE),
]);
static PDF_BASE64: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("media_type", FieldType::Enum(&["application/pdf"])),
    required("data", FieldType::Str),
]);
static PLAIN_TEXT_SOURCE: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("media_type", FieldType::Enum(&["text/plain"])),
    required("data", FieldType::Str),
]);
static CONTENT_SOURCE: Shape = Shape::closed(&[
    TYPE_FIELD,
    required(
        "content",
        FieldType::StrOr(&FieldType::Array(&FieldType::Tagged(&CONTENT_SOURCE_BLOCKS))),
    ),
]);
static CONTENT_SOURCE_BLOCKS: TaggedUnion =
    union_by_type(&[UnionVariant::new("image", &IMAGE), UnionVariant::new("text", &TEXT)]);

static SEARCH_RESULT: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("source", FieldType::Str),
    required("title", FieldType::Str),
    required("content", FieldType::Array(&FieldType::Shape(&TEXT))),
    optional("citations", FieldType::Shape(&CITATIONS)),
    CACHE_CONTROL_FIELD,
]);

static THINKING: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("thinking", FieldType::Str).with_rule(UNSIGNED_THINKING),
    required("signature", FieldType::StrInUnion).with_rule(UNSIGNED_THINKING),
    optional("cache_control", FieldType::Forbidden).with_rule(CACHED_THINKING),
]);
static REDACTED_THINKING: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("data", FieldType::Str),
    optional("cache_control", FieldType::Forbidden).with_rule(CACHED_THINKING),
]);

static TOOL_USE: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("id", FieldType::Str),
    required("name", FieldType::Str),
    required("input", FieldType::Object).with_rule(TOOL_INPUT),
    optional("caller", FieldType::Object),
    optional("toolset_name", FieldType::Str),
    CACHE_CONTROL_FIELD,
]);
static TOOL_RESULT: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("tool_use_id", FieldType::Str).with_rule(RESULT_WITHOUT_ID),
    optional("content", FieldType::StrOr(&FieldType::Array(&FieldType::Tagged(&RESULT_BLOCKS)))),
    optional("is_error", FieldType::Bool),
    optional("toolset_name", FieldType::Str),
    CACHE_CONTROL_FIELD,
]);
static TOOL_REFERENCE: Shape =
    Shape::closed(&[TYPE_FIELD, required("tool_name", FieldType::Str), CACHE_CONTROL_FIELD]);

static SERVER_TOOL_USE: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("id", FieldType::Str),
    required("name", FieldType::Enum(SERVER_TOOLS)),
    required("input", FieldType::Object).with_rule(TOOL_INPUT),
    optional("caller", FieldType::Object),
    CACHE_CONTROL_FIELD,
]);
const SERVER_TOOLS: &[&str] = &[
    "web_search",
    "web_fetch",
    "code_execution",
    "bash_code_execution",
    "text_editor_code_execution",
    "tool_search_tool_regex",
    "tool_search_tool_bm25",
    "advisor",
];
static SERVER_TOOL_RESULT: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("tool_use_id", FieldType::Str),
    required("content", FieldType::Any),
    optional("caller", FieldType::Object),
    CACHE_CONTROL_FIELD,
]);

static CONTAINER_UPLOAD: Shape =
    Shape::closed(&[TYPE_FIELD, required("file_id", FieldType::Str), CACHE_CONTROL_FIELD]);
static MCP_TOOL_USE: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("id", FieldType::Str),
    required("name", FieldType::Str),
    required("server_name", FieldType::Str),
    required("input", FieldType::Object).with_rule(TOOL_INPUT),
    CACHE_CONTROL_FIELD,
]);
static MCP_TOOL_RESULT: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("tool_use_id", FieldType::Str),
    optional("is_error", FieldType::Bool),
    optional("content", FieldType::Any),
    CACHE_CONTROL_FIELD,
]);
static MCP_TOOL_LISTING: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("mcp_server_name", FieldType::Str),
    optional("tools", FieldType::Any),
    CACHE_CONTROL_FIELD,
]);
static COMPACTION: Shape = Shape::closed(&[
    TYPE_FIELD,
    optional("content", FieldType::Str),
    optional("encrypted_content", FieldType::Str),
    optional("signature", FieldType::Str),
    optional("tool_changes", FieldType::Any),
    CACHE_CONTROL_FIELD,
]);
static FALLBACK: Shape = Shape::closed(&[
    TYPE_FIELD,
    required("from", FieldType::Object),
    required("to", FieldType::Object),
    optional("trigger", FieldType::Any),
]);
/// A block that is replayed unchanged and not checked.
static OPAQUE_BLOCK: Shape =
    Shape { fields: &[TYPE_FIELD], unknown_key_rule: UNKNOWN_TAG, allows_unknown: true };

pub(super) const CACHE_CONTROL_FIELD: Field =
    optional("cache_control", FieldType::Tagged(&CACHE_CONTROL));
static CACHE_CONTROL: TaggedUnion = TaggedUnion {
    tag_key: "type",
    variants: &[UnionVariant::new("ephemeral", &EPHEMERAL_CACHE)],
    default_tag: None,
    tag_in_path: true,
    reports_value: true,
    unknown_tag_rule: CACHE_CONTROL_VALUE,
};
static EPHEMERAL_CACHE: Shape = Shape {
    fields: &[
        required("type", FieldType::Str),
        optional("ttl", FieldType::Enum(&["5m", "1h"])).with_rule(CACHE_CONTROL_VALUE),
        optional("scope", FieldType::Str).with_betas(&["prompt-caching-scope-"]),
    ],
    unknown_key_rule: CACHE_CONTROL_KEY,
    allows_unknown: false,
};
