//! The blocks of messages: their keys, and who may say them.

use super::fields::CACHED;
use super::shape::{
    CACHED_THINKING, Field, INPUT, Kind, RESULT_ID, Row, Shape, TAG, Tagged, UNSIGNED,
};

const fn must(name: &'static str, kind: Kind) -> Field {
    Field::must(name, kind)
}

const fn may(name: &'static str, kind: Kind) -> Field {
    Field::may(name, kind)
}

const fn tagged(rows: &'static [Row]) -> Tagged {
    Tagged { key: "type", rows, default: None, in_path: true, by_value: false, rule: TAG }
}

/// Blocks that only one side of the conversation says, where no rule of their own says so.
pub(super) const SAID_BY: &[(&str, &[&str])] = &[
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

pub(super) static BLOCKS: Tagged = tagged(&[
    Row::new("advisor_tool_result", &SERVER_RESULT).beta(&["advisor-tool-"]),
    Row::new("bash_code_execution_tool_result", &SERVER_RESULT),
    Row::new("code_execution_tool_result", &SERVER_RESULT),
    Row::new("compaction", &COMPACTION).beta(&["compact-"]),
    Row::new("connector_text", &OPAQUE),
    Row::new("container_upload", &UPLOAD),
    Row::new("document", &DOCUMENT),
    Row::new("fallback", &FALLBACK).beta(&["server-side-fallback-"]),
    Row::new("image", &IMAGE),
    Row::new("mcp_tool_listing", &MCP_LISTING).beta(&["mcp-client-"]),
    Row::new("mcp_tool_result", &MCP_RESULT).beta(&["mcp-client-"]),
    Row::new("mcp_tool_use", &MCP_USE).beta(&["mcp-client-"]),
    Row::new("redacted_thinking", &REDACTED),
    Row::new("search_result", &SEARCH_RESULT),
    Row::new("server_tool_use", &SERVER_USE),
    Row::new("text", &TEXT),
    Row::new("text_editor_code_execution_tool_result", &SERVER_RESULT),
    Row::new("thinking", &THINKING),
    Row::new("tool_result", &TOOL_RESULT),
    Row::new("tool_search_tool_result", &SERVER_RESULT),
    Row::new("tool_use", &TOOL_USE),
    Row::new("web_fetch_tool_result", &SERVER_RESULT),
    Row::new("web_search_tool_result", &SERVER_RESULT),
]);

/// What instructions among the messages are made of.
pub(super) static SYSTEM_BLOCKS: Tagged = tagged(&[
    Row::new("text", &TEXT),
    Row::new("tool_addition", &OPAQUE).beta(TOOL_CHANGES),
    Row::new("tool_removal", &OPAQUE).beta(TOOL_CHANGES),
]);
const TOOL_CHANGES: &[&str] = &["mid-conversation-tool-changes-", "inline-tools-"];

/// What a tool result is made of.
static RESULT_BLOCKS: Tagged = tagged(&[
    Row::new("browser_state", &OPAQUE),
    Row::new("document", &DOCUMENT),
    Row::new("image", &IMAGE),
    Row::new("search_result", &SEARCH_RESULT),
    Row::new("text", &TEXT),
    Row::new("tool_reference", &REFERENCE),
]);

const TYPE: Field = must("type", Kind::Text);

pub(super) static TEXT: Shape = Shape::closed(&[
    must("type", Kind::One(&["text"])),
    must("text", Kind::Text),
    may("citations", Kind::Each(&Kind::Object)),
    CACHED,
]);

static IMAGE: Shape = Shape::closed(&[
    TYPE,
    must("source", Kind::Tagged(&IMAGE_SOURCES)),
    may("transformations", Kind::Object),
    CACHED,
]);
static IMAGE_SOURCES: Tagged =
    tagged(&[Row::new("base64", &IMAGE_BYTES), Row::new("file", &FILE), Row::new("url", &URL)]);
static IMAGE_BYTES: Shape = Shape::closed(&[
    TYPE,
    must("media_type", Kind::One(&["image/jpeg", "image/png", "image/gif", "image/webp"])),
    must("data", Kind::Text),
]);
static FILE: Shape = Shape::closed(&[TYPE, must("file_id", Kind::Text)]);
static URL: Shape = Shape::closed(&[TYPE, must("url", Kind::Text)]);

static DOCUMENT: Shape = Shape::closed(&[
    TYPE,
    must("source", Kind::Tagged(&DOCUMENT_SOURCES)),
    may("title", Kind::Text),
    may("context", Kind::Text),
    may("citations", Kind::Shape(&CITED)),
    CACHED,
]);
static CITED: Shape = Shape::closed(&[may("enabled", Kind::Flag)]);
static DOCUMENT_SOURCES: Tagged = tagged(&[
    Row::new("base64", &PDF_BYTES),
    Row::new("content", &WRITTEN),
    Row::new("file", &FILE),
    Row::new("text", &PLAIN),
    Row::new("url", &URL),
]);
static PDF_BYTES: Shape = Shape::closed(&[
    TYPE,
    must("media_type", Kind::One(&["application/pdf"])),
    must("data", Kind::Text),
]);
static PLAIN: Shape = Shape::closed(&[
    TYPE,
    must("media_type", Kind::One(&["text/plain"])),
    must("data", Kind::Text),
]);
static WRITTEN: Shape = Shape::closed(&[
    TYPE,
    must("content", Kind::TextOr(&Kind::Each(&Kind::Tagged(&WRITTEN_BLOCKS)))),
]);
static WRITTEN_BLOCKS: Tagged = tagged(&[Row::new("image", &IMAGE), Row::new("text", &TEXT)]);

static SEARCH_RESULT: Shape = Shape::closed(&[
    TYPE,
    must("source", Kind::Text),
    must("title", Kind::Text),
    must("content", Kind::Each(&Kind::Shape(&TEXT))),
    may("citations", Kind::Shape(&CITED)),
    CACHED,
]);

static THINKING: Shape = Shape::closed(&[
    TYPE,
    must("thinking", Kind::Text).rule(UNSIGNED),
    must("signature", Kind::TypedText).rule(UNSIGNED),
    may("cache_control", Kind::Never).rule(CACHED_THINKING),
]);
static REDACTED: Shape = Shape::closed(&[
    TYPE,
    must("data", Kind::Text),
    may("cache_control", Kind::Never).rule(CACHED_THINKING),
]);

static TOOL_USE: Shape = Shape::closed(&[
    TYPE,
    must("id", Kind::Text),
    must("name", Kind::Text),
    must("input", Kind::Object).rule(INPUT),
    may("caller", Kind::Object),
    may("toolset_name", Kind::Text),
    CACHED,
]);
static TOOL_RESULT: Shape = Shape::closed(&[
    TYPE,
    must("tool_use_id", Kind::Text).rule(RESULT_ID),
    may("content", Kind::TextOr(&Kind::Each(&Kind::Tagged(&RESULT_BLOCKS)))),
    may("is_error", Kind::Flag),
    may("toolset_name", Kind::Text),
    CACHED,
]);
static REFERENCE: Shape = Shape::closed(&[TYPE, must("tool_name", Kind::Text), CACHED]);

static SERVER_USE: Shape = Shape::closed(&[
    TYPE,
    must("id", Kind::Text),
    must("name", Kind::One(SERVER_TOOLS)),
    must("input", Kind::Object).rule(INPUT),
    may("caller", Kind::Object),
    CACHED,
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
static SERVER_RESULT: Shape = Shape::closed(&[
    TYPE,
    must("tool_use_id", Kind::Text),
    must("content", Kind::Any),
    may("caller", Kind::Object),
    CACHED,
]);

static UPLOAD: Shape = Shape::closed(&[TYPE, must("file_id", Kind::Text), CACHED]);
static MCP_USE: Shape = Shape::closed(&[
    TYPE,
    must("id", Kind::Text),
    must("name", Kind::Text),
    must("server_name", Kind::Text),
    must("input", Kind::Object).rule(INPUT),
    CACHED,
]);
static MCP_RESULT: Shape = Shape::closed(&[
    TYPE,
    must("tool_use_id", Kind::Text),
    may("is_error", Kind::Flag),
    may("content", Kind::Any),
    CACHED,
]);
static MCP_LISTING: Shape =
    Shape::closed(&[TYPE, must("mcp_server_name", Kind::Text), may("tools", Kind::Any), CACHED]);
static COMPACTION: Shape = Shape::closed(&[
    TYPE,
    may("content", Kind::Text),
    may("encrypted_content", Kind::Text),
    may("signature", Kind::Text),
    may("tool_changes", Kind::Any),
    CACHED,
]);
static FALLBACK: Shape = Shape::closed(&[
    TYPE,
    must("from", Kind::Object),
    must("to", Kind::Object),
    may("trigger", Kind::Any),
]);
/// Goes back as it came; what is in it is nobody's business.
static OPAQUE: Shape = Shape { fields: &[TYPE], extra: TAG, open: true };
