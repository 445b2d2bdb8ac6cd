//! Fields of the Messages API, which rejects others: "Extra inputs are not permitted".

use interlingua_model::Role;

use super::{closed_kind, opaque_kind};
use crate::profile::fields::{BlockKind, BlockPlacement, FieldProfile, ForeignKind};
use crate::shape::Shape::{
    Any, AnyObject, Bool, Closed, Forbidden, ListOf, Nullable, OneOf, Open, Text, TextOr,
};
use crate::shape::{FieldSpec, optional, optional_with_beta, required};

pub(crate) const FIELDS: FieldProfile = FieldProfile {
    proto_json: false,
    ignores_unknown: false,
    body_fields: Some(BODY),
    turn_fields: &[
        (Role::User, &[]),
        (Role::Assistant, &[]),
        (Role::System, INSTRUCTIONS),
        (Role::Developer, INSTRUCTIONS),
    ],
    block_fields: &[
        (BlockKind::Text, &[CACHE]),
        (BlockKind::Reasoning, &[]),
        (BlockKind::RedactedReasoning, &[]),
        (BlockKind::Image, &[optional("transformations", AnyObject), CACHE]),
        (
            BlockKind::Document,
            &[optional("context", Text), optional("citations", Closed(CITATIONS)), CACHE],
        ),
        (BlockKind::Call, &[optional("caller", AnyObject), optional("toolset_name", Text), CACHE]),
        // Decoding records null content as an extra.
        (
            BlockKind::Result,
            &[optional("toolset_name", Text), optional("content", AnyObject), CACHE],
        ),
    ],
    foreign_kinds: Some(FOREIGN_KINDS),
    text_only_system: true,
    freeform_fields: &[],
    part_prefix: "",
    accepts_item: None,
    forbidden_body_fields: &[],
    last_turn_kinds: &[],
    billing_prefixes: &[],
    name_only_on_user: false,
    can_pass_unknown: true,
    drops_foreign_dialects: false,
};

/// As above, for a server that ignores unknown fields and the contents of cache breakpoints.
pub(crate) const DEEPSEEK: FieldProfile = FieldProfile {
    ignores_unknown: true,
    body_fields: Some(&[
        LOOSE_CACHE,
        optional("metadata", Closed(&[optional("user_id", Text)])),
        optional("output_format", AnyObject),
        optional("speed", OneOf(&["standard", "fast"])),
        optional("inference_geo", Text),
        optional("container", TextOr(&AnyObject)),
        optional("diagnostics", AnyObject),
    ]),
    turn_fields: &[],
    block_fields: &[
        // Valid citations are decoded and never among the extras.
        (BlockKind::Text, &[optional("citations", Forbidden), LOOSE_CACHE]),
        (BlockKind::Image, &[optional("transformations", AnyObject), LOOSE_CACHE]),
        (
            BlockKind::Document,
            &[
                optional("title", Forbidden),
                optional("context", Text),
                optional("citations", Closed(CITATIONS)),
                LOOSE_CACHE,
            ],
        ),
        (
            BlockKind::Call,
            &[optional("caller", AnyObject), optional("toolset_name", Text), LOOSE_CACHE],
        ),
        (
            BlockKind::Result,
            &[optional("toolset_name", Text), optional("content", AnyObject), LOOSE_CACHE],
        ),
    ],
    ..FIELDS
};
pub(crate) const LOOSE_CACHE: FieldSpec =
    optional("cache_control", Open(&[required("type", Text)]));

const BODY: &[FieldSpec] = &[
    optional("model", Any),
    optional("messages", Any),
    optional("system", Any),
    optional("tools", Any),
    optional("max_tokens", Any),
    optional("temperature", Any),
    optional("top_p", Any),
    optional("top_k", Any),
    optional("stop_sequences", Any),
    optional("stream", Any),
    optional("service_tier", Any),
    optional("metadata", Closed(&[optional("user_id", Text)])),
    optional("tool_choice", Any),
    optional(
        "thinking",
        Closed(&[
            optional("type", Any),
            optional("budget_tokens", Any),
            optional("display", Any),
            optional_with_beta("block_binding", AnyObject, "thinking-binding-controls-"),
        ]),
    ),
    optional(
        "output_config",
        Closed(&[
            optional("effort", Any),
            optional("format", Any),
            optional_with_beta("task_budget", AnyObject, "task-budgets-"),
        ]),
    ),
    optional("output_format", AnyObject),
    CACHE,
    optional("speed", OneOf(&["standard", "fast"])),
    optional("inference_geo", Text),
    optional("container", TextOr(&AnyObject)),
    optional("diagnostics", AnyObject),
    optional_with_beta("context_management", AnyObject, "context-management-"),
    optional_with_beta("context_management", AnyObject, "compact-"),
    optional_with_beta("compaction", AnyObject, "compact-"),
    optional_with_beta("mcp_servers", ListOf(&AnyObject), "mcp-client-"),
    optional_with_beta("fallbacks", Any, "server-side-fallback-"),
    optional_with_beta("fallback_credit_token", Any, "fallback-credit-"),
    optional_with_beta("thread", AnyObject, "message-threads-"),
];

pub(crate) const CACHE: FieldSpec = optional(
    "cache_control",
    Closed(&[
        required("type", OneOf(&["ephemeral"])),
        optional("ttl", OneOf(&["5m", "1h"])),
        optional_with_beta("scope", Text, "prompt-caching-scope-"),
    ]),
);
const CITATIONS: &[FieldSpec] = &[optional("enabled", Bool)];
const INSTRUCTIONS: &[FieldSpec] = &[
    optional_with_beta(
        "clear_at",
        OneOf(&["next_user_message", "never"]),
        "mid-conversation-system-clear-at-",
    ),
    optional_with_beta("output_config", Closed(TURN_CONFIG), "mid-conversation-output-config-"),
    optional_with_beta("output_config", Closed(TURN_CONFIG), "per-turn-control-"),
];
const TURN_CONFIG: &[FieldSpec] =
    &[optional("effort", OneOf(&["low", "medium", "high", "xhigh", "max"]))];

const TYPE: FieldSpec = required("type", Text);
const FOREIGN_KINDS: &[ForeignKind] = &[
    closed_kind(
        "search_result",
        BlockPlacement::UserOrResult,
        &[
            TYPE,
            required("source", Text),
            required("title", Text),
            required(
                "content",
                ListOf(&Closed(&[
                    required("type", OneOf(&["text"])),
                    required("text", Text),
                    optional("citations", Any),
                    CACHE,
                ])),
            ),
            optional("citations", Closed(CITATIONS)),
            CACHE,
        ],
    ),
    closed_kind(
        "container_upload",
        BlockPlacement::User,
        &[TYPE, required("file_id", Text), CACHE],
    ),
    closed_kind("server_tool_use", BlockPlacement::Assistant, SERVER_CALL),
    closed_kind("web_search_tool_result", BlockPlacement::Assistant, SERVER_RESULT),
    closed_kind("web_fetch_tool_result", BlockPlacement::Assistant, SERVER_RESULT),
    closed_kind("code_execution_tool_result", BlockPlacement::Assistant, SERVER_RESULT),
    closed_kind("bash_code_execution_tool_result", BlockPlacement::Assistant, SERVER_RESULT),
    closed_kind("text_editor_code_execution_tool_result", BlockPlacement::Assistant, SERVER_RESULT),
    closed_kind("tool_search_tool_result", BlockPlacement::Assistant, SERVER_RESULT),
    with_beta(
        closed_kind("advisor_tool_result", BlockPlacement::Assistant, SERVER_RESULT),
        "advisor-tool-",
    ),
    opaque_kind("connector_text", BlockPlacement::Assistant),
    with_beta(closed_kind("compaction", BlockPlacement::Anywhere, COMPACTION), "compact-"),
    with_beta(
        closed_kind(
            "fallback",
            BlockPlacement::Assistant,
            &[
                TYPE,
                required("from", AnyObject),
                required("to", AnyObject),
                optional("trigger", Any),
            ],
        ),
        "server-side-fallback-",
    ),
    with_beta(
        closed_kind(
            "mcp_tool_use",
            BlockPlacement::Assistant,
            &[
                TYPE,
                required("id", Text),
                required("name", Text),
                required("server_name", Text),
                required("input", AnyObject),
                CACHE,
            ],
        ),
        "mcp-client-",
    ),
    with_beta(
        closed_kind(
            "mcp_tool_result",
            BlockPlacement::Assistant,
            &[
                TYPE,
                required("tool_use_id", Text),
                optional("is_error", Bool),
                optional("content", Any),
                CACHE,
            ],
        ),
        "mcp-client-",
    ),
    with_beta(
        closed_kind(
            "mcp_tool_listing",
            BlockPlacement::Assistant,
            &[TYPE, required("mcp_server_name", Text), optional("tools", Any), CACHE],
        ),
        "mcp-client-",
    ),
    with_beta(
        opaque_kind("tool_addition", BlockPlacement::Instructions),
        "mid-conversation-tool-changes-",
    ),
    with_beta(opaque_kind("tool_addition", BlockPlacement::Instructions), "inline-tools-"),
    with_beta(
        opaque_kind("tool_removal", BlockPlacement::Instructions),
        "mid-conversation-tool-changes-",
    ),
    with_beta(opaque_kind("tool_removal", BlockPlacement::Instructions), "inline-tools-"),
    opaque_kind("browser_state", BlockPlacement::Result),
    closed_kind(
        "tool_reference",
        BlockPlacement::Result,
        &[TYPE, required("tool_name", Text), CACHE],
    ),
];

const SERVER_CALL: &[FieldSpec] = &[
    TYPE,
    required("id", Text),
    required(
        "name",
        OneOf(&[
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
    required("input", AnyObject),
    optional("caller", AnyObject),
    CACHE,
];
const SERVER_RESULT: &[FieldSpec] = &[
    TYPE,
    required("tool_use_id", Text),
    required("content", Nullable(&Any)),
    optional("caller", AnyObject),
    CACHE,
];
const COMPACTION: &[FieldSpec] = &[
    TYPE,
    optional("content", Text),
    optional("encrypted_content", Text),
    optional("signature", Text),
    optional("tool_changes", Any),
    CACHE,
];

const fn with_beta(foreign: ForeignKind, beta: &'static str) -> ForeignKind {
    ForeignKind { beta, ..foreign }
}
