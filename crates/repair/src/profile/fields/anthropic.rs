//! The fields of the Messages API: "Extra inputs are not permitted".

use interlingua_model::Role;

use super::{Fields, Foreign, Part, Side, foreign, opaque};
use crate::shape::Kind::{Any, Each, Flag, Never, Object, One, Open, OrNull, Shape, Text, TextOr};
use crate::shape::{Key, beta, key, need};

pub(super) const FIELDS: Fields = Fields {
    either_case: false,
    open: false,
    body: Some(BODY),
    turns: &[
        (Role::User, &[]),
        (Role::Assistant, &[]),
        (Role::System, INSTRUCTIONS),
        (Role::Developer, INSTRUCTIONS),
    ],
    blocks: &[
        (Part::Text, &[CACHE]),
        (Part::Thinking, &[]),
        (Part::Redacted, &[]),
        (Part::Image, &[key("transformations", Object), CACHE]),
        (Part::Document, &[key("context", Text), key("citations", Shape(CITED)), CACHE]),
        (Part::Call, &[key("caller", Object), key("toolset_name", Text), CACHE]),
        // Null in place of content is remembered.
        (Part::Result, &[key("toolset_name", Text), key("content", Object), CACHE]),
    ],
    foreign: Some(FOREIGN),
    plain_system: true,
    freeform: &[],
    part: "",
    takes: None,
    absent: &[],
    last_only: &[],
    labels: &[],
    only_user_named: false,
    trusts: true,
    own_blocks_only: false,
};

/// As that, where what is not known is passed over, and nobody looks at what marks say.
pub(super) const DEEPSEEK: Fields = Fields {
    open: true,
    body: Some(&[
        LOOSE_CACHE,
        key("metadata", Shape(&[key("user_id", Text)])),
        key("output_format", Object),
        key("speed", One(&["standard", "fast"])),
        key("inference_geo", Text),
        key("container", TextOr(&Object)),
        key("diagnostics", Object),
    ]),
    turns: &[],
    blocks: &[
        // What is read as it should be is not left over.
        (Part::Text, &[key("citations", Never), LOOSE_CACHE]),
        (Part::Image, &[key("transformations", Object), LOOSE_CACHE]),
        (
            Part::Document,
            &[
                key("title", Never),
                key("context", Text),
                key("citations", Shape(CITED)),
                LOOSE_CACHE,
            ],
        ),
        (Part::Call, &[key("caller", Object), key("toolset_name", Text), LOOSE_CACHE]),
        (Part::Result, &[key("toolset_name", Text), key("content", Object), LOOSE_CACHE]),
    ],
    ..FIELDS
};
pub(in crate::profile) const LOOSE_CACHE: Key = key("cache_control", Open(&[need("type", Text)]));

const BODY: &[Key] = &[
    key("model", Any),
    key("messages", Any),
    key("system", Any),
    key("tools", Any),
    key("max_tokens", Any),
    key("temperature", Any),
    key("top_p", Any),
    key("top_k", Any),
    key("stop_sequences", Any),
    key("stream", Any),
    key("service_tier", Any),
    key("metadata", Shape(&[key("user_id", Text)])),
    key("tool_choice", Any),
    key(
        "thinking",
        Shape(&[
            key("type", Any),
            key("budget_tokens", Any),
            key("display", Any),
            beta("block_binding", Object, "thinking-binding-controls-"),
        ]),
    ),
    key(
        "output_config",
        Shape(&[
            key("effort", Any),
            key("format", Any),
            beta("task_budget", Object, "task-budgets-"),
        ]),
    ),
    key("output_format", Object),
    CACHE,
    key("speed", One(&["standard", "fast"])),
    key("inference_geo", Text),
    key("container", TextOr(&Object)),
    key("diagnostics", Object),
    beta("context_management", Object, "context-management-"),
    beta("context_management", Object, "compact-"),
    beta("compaction", Object, "compact-"),
    beta("mcp_servers", Each(&Object), "mcp-client-"),
    beta("fallbacks", Any, "server-side-fallback-"),
    beta("fallback_credit_token", Any, "fallback-credit-"),
    beta("thread", Object, "message-threads-"),
];

pub(in crate::profile) const CACHE: Key = key(
    "cache_control",
    Shape(&[
        need("type", One(&["ephemeral"])),
        key("ttl", One(&["5m", "1h"])),
        beta("scope", Text, "prompt-caching-scope-"),
    ]),
);
const CITED: &[Key] = &[key("enabled", Flag)];
const INSTRUCTIONS: &[Key] = &[
    beta("clear_at", One(&["next_user_message", "never"]), "mid-conversation-system-clear-at-"),
    beta("output_config", Shape(TURN_CONFIG), "mid-conversation-output-config-"),
    beta("output_config", Shape(TURN_CONFIG), "per-turn-control-"),
];
const TURN_CONFIG: &[Key] = &[key("effort", One(&["low", "medium", "high", "xhigh", "max"]))];

const TYPE: Key = need("type", Text);
const FOREIGN: &[Foreign] = &[
    foreign(
        "search_result",
        Side::UserOrResult,
        &[
            TYPE,
            need("source", Text),
            need("title", Text),
            need(
                "content",
                Each(&Shape(&[
                    need("type", One(&["text"])),
                    need("text", Text),
                    key("citations", Any),
                    CACHE,
                ])),
            ),
            key("citations", Shape(CITED)),
            CACHE,
        ],
    ),
    foreign("container_upload", Side::User, &[TYPE, need("file_id", Text), CACHE]),
    foreign("server_tool_use", Side::Assistant, SERVER_CALL),
    foreign("web_search_tool_result", Side::Assistant, SERVER_RESULT),
    foreign("web_fetch_tool_result", Side::Assistant, SERVER_RESULT),
    foreign("code_execution_tool_result", Side::Assistant, SERVER_RESULT),
    foreign("bash_code_execution_tool_result", Side::Assistant, SERVER_RESULT),
    foreign("text_editor_code_execution_tool_result", Side::Assistant, SERVER_RESULT),
    foreign("tool_search_tool_result", Side::Assistant, SERVER_RESULT),
    with(foreign("advisor_tool_result", Side::Assistant, SERVER_RESULT), "advisor-tool-"),
    opaque("connector_text", Side::Assistant),
    with(foreign("compaction", Side::Anywhere, COMPACTION), "compact-"),
    with(
        foreign(
            "fallback",
            Side::Assistant,
            &[TYPE, need("from", Object), need("to", Object), key("trigger", Any)],
        ),
        "server-side-fallback-",
    ),
    with(
        foreign(
            "mcp_tool_use",
            Side::Assistant,
            &[
                TYPE,
                need("id", Text),
                need("name", Text),
                need("server_name", Text),
                need("input", Object),
                CACHE,
            ],
        ),
        "mcp-client-",
    ),
    with(
        foreign(
            "mcp_tool_result",
            Side::Assistant,
            &[TYPE, need("tool_use_id", Text), key("is_error", Flag), key("content", Any), CACHE],
        ),
        "mcp-client-",
    ),
    with(
        foreign(
            "mcp_tool_listing",
            Side::Assistant,
            &[TYPE, need("mcp_server_name", Text), key("tools", Any), CACHE],
        ),
        "mcp-client-",
    ),
    with(opaque("tool_addition", Side::Instructions), "mid-conversation-tool-changes-"),
    with(opaque("tool_addition", Side::Instructions), "inline-tools-"),
    with(opaque("tool_removal", Side::Instructions), "mid-conversation-tool-changes-"),
    with(opaque("tool_removal", Side::Instructions), "inline-tools-"),
    opaque("browser_state", Side::Result),
    foreign("tool_reference", Side::Result, &[TYPE, need("tool_name", Text), CACHE]),
];

const SERVER_CALL: &[Key] = &[
    TYPE,
    need("id", Text),
    need(
        "name",
        One(&[
            "web_search",
            "web_fetch",
            "code_execution",
            "bash_code_execution",
            "text_editor_code_execution",
            "tool_search_tool_regex",
            "tool_search_tool_bm25",
            "advisor",
        ]),
    ),
    need("input", Object),
    key("caller", Object),
    CACHE,
];
const SERVER_RESULT: &[Key] =
    &[TYPE, need("tool_use_id", Text), need("content", OrNull(&Any)), key("caller", Object), CACHE];
const COMPACTION: &[Key] = &[
    TYPE,
    key("content", Text),
    key("encrypted_content", Text),
    key("signature", Text),
    key("tool_changes", Any),
    CACHE,
];

const fn with(foreign: Foreign, beta: &'static str) -> Foreign {
    Foreign { beta, ..foreign }
}
