//! The keys of a request outside its messages.

use super::blocks::{BLOCKS, SYSTEM_BLOCKS, TEXT};
use super::shape::{
    BINDING, CACHE_KEY, CACHE_VALUE, CHOICE, DISPLAY, Field, Kind, ROLE, Row, SCHEMA, Shape, TAG,
    Tagged,
};

const fn must(name: &'static str, kind: Kind) -> Field {
    Field::must(name, kind)
}

const fn may(name: &'static str, kind: Kind) -> Field {
    Field::may(name, kind)
}

pub(super) static BODY: Shape = Shape::closed(&[
    MODEL,
    must("max_tokens", Kind::Whole),
    MESSAGES,
    SYSTEM,
    TOOLS,
    CHOOSE,
    THINK,
    OUTPUT,
    CACHED,
    SPEED,
    may("stop_sequences", Kind::Each(&Kind::Text)),
    may("temperature", Kind::Number),
    may("top_p", Kind::Number),
    may("top_k", Kind::Whole),
    may("stream", Kind::Flag),
    may("metadata", Kind::Shape(&METADATA)),
    may("service_tier", Kind::One(&["auto", "standard_only"])),
    may("inference_geo", Kind::Text),
    may("container", Kind::TextOr(&Kind::Object)),
    may("diagnostics", Kind::Object),
    may("output_format", Kind::Object),
    MANAGED,
    COMPACTED,
    SERVERS,
    may("fallbacks", Kind::Any).beta(&["server-side-fallback-"]),
    may("fallback_credit_token", Kind::Any).beta(&["fallback-credit-"]),
    may("thread", Kind::Tagged(&THREAD)).beta(&["message-threads-"]),
]);

/// What a request to count tokens may say.
pub(super) static COUNTED: Shape = Shape::closed(&[
    MODEL, MESSAGES, SYSTEM, TOOLS, CHOOSE, THINK, OUTPUT, CACHED, SPEED, MANAGED, COMPACTED,
    SERVERS,
]);

const MODEL: Field = must("model", Kind::Text);
const MESSAGES: Field = must("messages", Kind::Each(&A_MESSAGE));
static A_MESSAGE: Kind = Kind::Tagged(&MESSAGE);
const SYSTEM: Field = may("system", Kind::TextOr(&TEXTS));
static TEXTS: Kind = Kind::Each(&Kind::Shape(&TEXT));
const TOOLS: Field = may("tools", Kind::Each(&A_TOOL));
static A_TOOL: Kind = Kind::Tagged(&TOOL);
const CHOOSE: Field = may("tool_choice", Kind::Tagged(&TOOL_CHOICE)).rule(CHOICE);
const THINK: Field = may("thinking", Kind::Tagged(&THINKING));
const OUTPUT: Field = may("output_config", Kind::Shape(&OUTPUT_CONFIG));
pub(super) const CACHED: Field = may("cache_control", Kind::Tagged(&CACHE));
const SPEED: Field = may("speed", Kind::One(&["standard", "fast"]));
const MANAGED: Field =
    may("context_management", Kind::Object).beta(&["context-management-", "compact-"]);
const COMPACTED: Field = may("compaction", Kind::Object).beta(&["compact-"]);
const SERVERS: Field = may("mcp_servers", Kind::Each(&Kind::Object)).beta(&["mcp-client-"]);

static THREAD: Tagged = Tagged {
    key: "type",
    rows: &[Row::new("create", &NEW_THREAD), Row::new("continue", &OLD_THREAD)],
    default: None,
    in_path: true,
    by_value: false,
    rule: TAG,
};
static NEW_THREAD: Shape = Shape::closed(&[must("type", Kind::Text)]);
static OLD_THREAD: Shape =
    Shape::closed(&[must("type", Kind::Text), must("previous_message_id", Kind::Text)]);

static METADATA: Shape = Shape::closed(&[may("user_id", Kind::Text)]);

static CACHE: Tagged = Tagged {
    key: "type",
    rows: &[Row::new("ephemeral", &EPHEMERAL)],
    default: None,
    in_path: true,
    by_value: true,
    rule: CACHE_VALUE,
};
static EPHEMERAL: Shape = Shape {
    fields: &[
        must("type", Kind::Text),
        may("ttl", Kind::One(&["5m", "1h"])).rule(CACHE_VALUE),
        may("scope", Kind::Text).beta(&["prompt-caching-scope-"]),
    ],
    extra: CACHE_KEY,
    open: false,
};

static OUTPUT_CONFIG: Shape = Shape::closed(&[
    EFFORT,
    may("format", Kind::Shape(&FORMAT)),
    may("task_budget", Kind::Object).beta(&["task-budgets-"]),
]);
const EFFORT: Field = may("effort", Kind::One(&["low", "medium", "high", "xhigh", "max"]));
static FORMAT: Shape =
    Shape::closed(&[must("type", Kind::One(&["json_schema"])), must("schema", Kind::Object)]);

static THINKING: Tagged = Tagged {
    key: "type",
    rows: &[
        Row::new("adaptive", &ADAPTIVE),
        Row::new("between_tools", &NO_THINKING),
        Row::new("disabled", &NO_THINKING),
        Row::new("enabled", &MANUAL),
    ],
    default: None,
    in_path: true,
    by_value: false,
    rule: TAG,
};
static ADAPTIVE: Shape = Shape::closed(&[must("type", Kind::Text), SHOWN, BOUND]);
static MANUAL: Shape =
    Shape::closed(&[must("type", Kind::Text), must("budget_tokens", Kind::Whole), SHOWN, BOUND]);
static NO_THINKING: Shape =
    Shape { fields: &[must("type", Kind::Text), BOUND], extra: DISPLAY, open: false };
const SHOWN: Field = may("display", Kind::One(&["summarized", "omitted", "updates"])).rule(DISPLAY);
const BOUND: Field =
    may("block_binding", Kind::Object).beta(&["thinking-binding-controls-"]).rule(BINDING);

static TOOL_CHOICE: Tagged = Tagged {
    key: "type",
    rows: &[
        Row::new("auto", &FREE_CHOICE),
        Row::new("any", &FREE_CHOICE),
        Row::new("tool", &NAMED_CHOICE),
        Row::new("none", &NO_CHOICE),
    ],
    default: None,
    in_path: true,
    by_value: false,
    rule: CHOICE,
};
static FREE_CHOICE: Shape = Shape::closed(&[must("type", Kind::Text), SERIAL]);
static NAMED_CHOICE: Shape =
    Shape::closed(&[must("type", Kind::Text), must("name", Kind::Text), SERIAL]);
static NO_CHOICE: Shape = Shape::closed(&[must("type", Kind::Text)]);
const SERIAL: Field = may("disable_parallel_tool_use", Kind::Flag);

static MESSAGE: Tagged = Tagged {
    key: "role",
    rows: &[
        Row::new("user", &SPOKEN),
        Row::new("assistant", &SPOKEN),
        Row::new("system", &INSTRUCTED),
    ],
    default: None,
    in_path: false,
    by_value: true,
    rule: ROLE,
};
static SPOKEN: Shape = Shape::closed(&[
    must("role", Kind::Text),
    must("content", Kind::TextOr(&Kind::Each(&Kind::Tagged(&BLOCKS)))),
]);
static INSTRUCTED: Shape = Shape::closed(&[
    must("role", Kind::Text),
    must("content", Kind::TextOr(&Kind::Each(&Kind::Tagged(&SYSTEM_BLOCKS)))),
    may("clear_at", Kind::One(&["next_user_message", "never"]))
        .beta(&["mid-conversation-system-clear-at-"]),
    may("output_config", Kind::Shape(&TURN_CONFIG))
        .beta(&["mid-conversation-output-config-", "per-turn-control-"]),
]);
static TURN_CONFIG: Shape = Shape::closed(&[EFFORT]);

static TOOL: Tagged = Tagged {
    key: "type",
    rows: &[
        Row::new("advisor_20260301", &TYPED).beta(&["advisor-tool-"]),
        Row::new("bash_20241022", &TYPED).beta(&["computer-use-"]),
        Row::new("bash_20250124", &TYPED),
        Row::new("browser_toolset_20260801", &TOOLSET),
        Row::new("code_execution_20250522", &TYPED),
        Row::new("code_execution_20250825", &TYPED),
        Row::new("code_execution_20260120", &TYPED),
        Row::new("code_execution_20260521", &TYPED),
        Row::new("computer_20241022", &TYPED).beta(&["computer-use-"]),
        Row::new("computer_20250124", &TYPED).beta(&["computer-use-"]),
        Row::new("computer_20251124", &TYPED).beta(&["computer-use-"]),
        Row::new("computer_toolset_20260801", &TOOLSET),
        Row::new("custom", &CUSTOM),
        Row::new("mcp_toolset", &TOOLSET).beta(&["mcp-client-"]),
        Row::new("memory_20250818", &TYPED),
        Row::new("text_editor_20241022", &TYPED).beta(&["computer-use-"]),
        Row::new("text_editor_20250124", &TYPED),
        Row::new("text_editor_20250429", &TYPED),
        Row::new("text_editor_20250728", &TYPED),
        Row::new("tool_search_tool_bm25", &TYPED),
        Row::new("tool_search_tool_bm25_20251119", &TYPED),
        Row::new("tool_search_tool_regex", &TYPED),
        Row::new("tool_search_tool_regex_20251119", &TYPED),
        Row::new("web_fetch_20250910", &TYPED),
        Row::new("web_fetch_20260209", &TYPED),
        Row::new("web_fetch_20260309", &TYPED),
        Row::new("web_fetch_20260318", &TYPED),
        Row::new("web_search_20250305", &TYPED),
        Row::new("web_search_20260209", &TYPED),
        Row::new("web_search_20260318", &TYPED),
    ],
    default: Some("custom"),
    in_path: true,
    by_value: false,
    rule: TAG,
};
static CUSTOM: Shape = Shape::closed(&[
    may("type", Kind::Text),
    must("name", Kind::Text),
    may("description", Kind::Text),
    must("input_schema", Kind::Object).rule(SCHEMA),
    CACHED,
    may("strict", Kind::Flag),
    may("defer_loading", Kind::Flag),
    may("allowed_callers", Kind::Each(&Kind::Text)),
    may("input_examples", Kind::Each(&Kind::Any)),
    may("eager_input_streaming", Kind::Flag),
]);
/// All keys of the typed tools: which of them has which is not told apart.
static TYPED: Shape = Shape::closed(&[
    must("type", Kind::Text),
    must("name", Kind::Text),
    CACHED,
    may("strict", Kind::Flag),
    may("defer_loading", Kind::Flag),
    may("allowed_callers", Kind::Each(&Kind::Text)),
    may("input_examples", Kind::Each(&Kind::Any)),
    may("max_characters", Kind::Whole),
    may("max_uses", Kind::Whole),
    may("allowed_domains", Kind::Each(&Kind::Text)),
    may("blocked_domains", Kind::Each(&Kind::Text)),
    may("user_location", Kind::Object),
    may("response_inclusion", Kind::One(&["full", "excluded"])),
    may("citations", Kind::Object),
    may("max_content_tokens", Kind::Whole),
    may("url_sources", Kind::Object),
    may("use_cache", Kind::Flag),
    may("display_height_px", Kind::Whole),
    may("display_width_px", Kind::Whole),
    may("display_number", Kind::Whole),
    may("enable_zoom", Kind::Flag),
    may("model", Kind::Text),
    may("max_tokens", Kind::Whole),
    may("caching", Kind::Object),
]);
static TOOLSET: Shape = Shape::closed(&[
    must("type", Kind::Text),
    CACHED,
    may("configs", Kind::Object),
    may("default_config", Kind::Object),
    may("mcp_server_name", Kind::Text),
]);
