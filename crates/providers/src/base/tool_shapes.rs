//! The fields of each kind of tool in each dialect.

use crate::profile::tools::{ToolShapes, TypedTool};
use crate::shape::Shape::{
    Any, AnyList, AnyObject, Bool, Closed, FirstOf, Identifier, Integer, ListOf, NonEmptyText,
    NotWord, Nullable, OneOf, Open, Tagged, Text,
};
use crate::shape::{FieldSpec, Shape, optional, required};

const fn typed_tool(name: &'static str, shape: Shape) -> TypedTool {
    TypedTool { type_name: name, shape, beta: "" }
}

const fn beta_tool(name: &'static str, beta: &'static str) -> TypedTool {
    TypedTool { type_name: name, shape: TYPED, beta }
}

/// Of any shape.
const ANY_OBJECT: Shape = Open(&[]);

pub(crate) static ANTHROPIC: ToolShapes = ToolShapes {
    function: Closed(&[
        optional("type", OneOf(&["custom"])),
        required("name", Text),
        optional("description", Text),
        optional("input_schema", Any),
        CACHE_CONTROL,
        optional("strict", Bool),
        optional("defer_loading", Bool),
        optional("allowed_callers", ListOf(&Text)),
        optional("input_examples", AnyList),
        optional("eager_input_streaming", Bool),
    ]),
    freeform: ANY_OBJECT,
    by_type: &[
        beta_tool("advisor_20260301", "advisor-tool-"),
        beta_tool("bash_20241022", "computer-use-"),
        beta_tool("computer_20241022", "computer-use-"),
        beta_tool("computer_20250124", "computer-use-"),
        beta_tool("computer_20251124", "computer-use-"),
        beta_tool("text_editor_20241022", "computer-use-"),
        TypedTool { type_name: "mcp_toolset", shape: TOOLSET, beta: "mcp-client-" },
        typed_tool("browser_toolset_20260801", TOOLSET),
        typed_tool("computer_toolset_20260801", TOOLSET),
        typed_tool("bash_20250124", TYPED),
        typed_tool("code_execution_20250522", TYPED),
        typed_tool("code_execution_20250825", TYPED),
        typed_tool("code_execution_20260120", TYPED),
        typed_tool("code_execution_20260521", TYPED),
        typed_tool("memory_20250818", TYPED),
        typed_tool("text_editor_20250124", TYPED),
        typed_tool("text_editor_20250429", TYPED),
        typed_tool("text_editor_20250728", TYPED),
        typed_tool("tool_search_tool_bm25", TYPED),
        typed_tool("tool_search_tool_bm25_20251119", TYPED),
        typed_tool("tool_search_tool_regex", TYPED),
        typed_tool("tool_search_tool_regex_20251119", TYPED),
        typed_tool("web_fetch_20250910", TYPED),
        typed_tool("web_fetch_20260209", TYPED),
        typed_tool("web_fetch_20260309", TYPED),
        typed_tool("web_fetch_20260318", TYPED),
        typed_tool("web_search_20250305", TYPED),
        typed_tool("web_search_20260209", TYPED),
        typed_tool("web_search_20260318", TYPED),
    ],
    other_types: None,
    schema_path: &["input_schema"],
    openapi_fields: &[],
};

/// As `ANTHROPIC`, but unknown fields and the contents of cache breakpoints are ignored.
pub(crate) static DEEPSEEK: ToolShapes = ToolShapes {
    function: Open(&[
        optional("type", OneOf(&["custom"])),
        required("name", Text),
        optional("description", Text),
        required("input_schema", AnyObject),
        super::fields::LOOSE_CACHE,
        optional("strict", Bool),
        optional("defer_loading", Bool),
        optional("allowed_callers", ListOf(&Text)),
        optional("input_examples", AnyList),
        optional("eager_input_streaming", Bool),
    ]),
    ..ANTHROPIC
};

const CACHE_CONTROL: FieldSpec = super::fields::CACHE_CONTROL;

/// All fields of the typed tools; which type has which field is not checked.
const TYPED: Shape = Closed(&[
    required("type", Text),
    required("name", Text),
    CACHE_CONTROL,
    optional("strict", Bool),
    optional("defer_loading", Bool),
    optional("allowed_callers", ListOf(&Text)),
    optional("input_examples", AnyList),
    optional("max_characters", Integer),
    optional("max_uses", Integer),
    optional("allowed_domains", ListOf(&Text)),
    optional("blocked_domains", ListOf(&Text)),
    optional("user_location", AnyObject),
    optional("response_inclusion", OneOf(&["full", "excluded"])),
    optional("citations", AnyObject),
    optional("max_content_tokens", Integer),
    optional("url_sources", AnyObject),
    optional("use_cache", Bool),
    optional("display_height_px", Integer),
    optional("display_width_px", Integer),
    optional("display_number", Integer),
    optional("enable_zoom", Bool),
    optional("model", Text),
    optional("max_tokens", Integer),
    optional("caching", AnyObject),
]);
const TOOLSET: Shape = Closed(&[
    required("type", Text),
    CACHE_CONTROL,
    optional("configs", AnyObject),
    optional("default_config", AnyObject),
    optional("mcp_server_name", Text),
]);

/// Servers that reject unknown fields.
pub(crate) static CHAT_CLOSED: ToolShapes = ToolShapes {
    function: Closed(&[
        TYPE_NOT_CUSTOM,
        required("function", Closed(FUNCTION)),
        optional("custom", Any),
    ]),
    freeform: Closed(&[
        TYPE_NOT_FUNCTION,
        required("custom", Open(NAME_ONLY)),
        optional("function", Any),
    ]),
    by_type: INCOMPLETE_TOOLS,
    other_types: Some(Closed(&[
        required("type", Any),
        optional("function", Closed(NAME_ONLY)),
        optional("custom", Any),
    ])),
    schema_path: &["function", "parameters"],
    openapi_fields: &[],
};
/// As `CHAT_CLOSED`, with two types only.
pub(crate) static OPENAI_CHAT: ToolShapes = ToolShapes {
    function: Closed(&[
        required("type", OneOf(&["function"])),
        required("function", Closed(FUNCTION)),
        optional("custom", Any),
    ]),
    freeform: Closed(&[
        required("type", OneOf(&["custom"])),
        required("custom", Open(NAME_ONLY)),
        optional("function", Any),
    ]),
    other_types: None,
    ..CHAT_CLOSED
};
/// Tools of these types are rejected without the description that belongs to the type.
const INCOMPLETE_TOOLS: &[TypedTool] = &[
    typed_tool("function", Open(&[required("function", Open(NAME_ONLY))])),
    // A tool with a valid description is decoded as a function or freeform tool instead.
    typed_tool(
        "custom",
        Closed(&[
            required("type", Any),
            CUSTOM_OR_NULL,
            optional("function", Closed(WITHOUT_NAME)),
        ]),
    ),
];
/// Any type except that of the other kind of tool.
const TYPE_NOT_CUSTOM: FieldSpec = required("type", NotWord("custom"));
const TYPE_NOT_FUNCTION: FieldSpec = required("type", NotWord("function"));
const CUSTOM_OR_NULL: FieldSpec = required("custom", Nullable(&Any));
/// Servers that accept unknown fields, but require some.
pub(crate) static CHAT_OPEN: ToolShapes = ToolShapes {
    function: Open(&[TYPE_NOT_CUSTOM, required("function", Open(NAME_ONLY))]),
    freeform: Open(&[TYPE_NOT_FUNCTION, required("custom", Open(NAME_ONLY))]),
    by_type: &[
        typed_tool("function", Open(&[required("type", Any), required("function", Any)])),
        typed_tool("custom", Open(&[required("type", Any), CUSTOM_OR_NULL])),
    ],
    other_types: Some(Open(&[required("type", Any), optional("function", Open(NAME_ONLY))])),
    ..CHAT_CLOSED
};
/// As `CHAT_CLOSED`, with an optional type.
pub(crate) static CHAT_UNTYPED: ToolShapes = ToolShapes {
    function: Closed(&[optional("type", Any), required("function", Closed(FUNCTION))]),
    freeform: Closed(&[optional("type", Any), required("custom", Open(NAME_ONLY))]),
    by_type: &[],
    other_types: None,
    ..CHAT_CLOSED
};
pub(crate) static ANYTHING: ToolShapes = ToolShapes {
    function: ANY_OBJECT,
    freeform: ANY_OBJECT,
    by_type: &[],
    other_types: Some(ANY_OBJECT),
    ..CHAT_CLOSED
};
/// As `ANYTHING`, but values that are not tools are ignored.
pub(crate) static IGNORES_NON_TOOLS: ToolShapes = ToolShapes { other_types: Some(Any), ..ANYTHING };
const FUNCTION: &[FieldSpec] =
    &[NAME, optional("description", Any), optional("parameters", Any), optional("strict", Any)];
/// A function without a name, as a tool of another type may have it.
const WITHOUT_NAME: &[FieldSpec] = &[optional("description", Any), optional("strict", Any)];
const NAME_ONLY: &[FieldSpec] = &[NAME];
/// A null name counts as an empty one.
const NAME: FieldSpec = required("name", Nullable(&Any));

pub(crate) static RESPONSES: ToolShapes = ToolShapes {
    function: Closed(&[
        required("type", Any),
        required("name", Text),
        optional("description", Text),
        optional("parameters", Any),
        optional("strict", Bool),
        optional("defer_loading", Bool),
        optional("allowed_callers", Any),
        optional("output_schema", Any),
    ]),
    freeform: Closed(&[
        required("type", Any),
        required("name", Text),
        optional("description", Text),
        optional(
            "format",
            Tagged(&[
                ("text", &[required("type", Any)]),
                (
                    "grammar",
                    &[
                        required("type", Any),
                        required("syntax", OneOf(&["lark", "regex"])),
                        required("definition", Text),
                    ],
                ),
            ]),
        ),
        optional("defer_loading", Bool),
        optional("allowed_callers", Any),
    ]),
    by_type: &[
        typed_tool("mcp", Open(&[required("server_label", Nullable(&Any))])),
        // A namespace without tools; the tools of other namespaces are tools of their own.
        typed_tool(
            "namespace",
            Closed(&[
                required("type", Any),
                required("name", Identifier("_-")),
                optional("description", Text),
                required("tools", ListOf(&AnyObject)),
            ]),
        ),
        typed_tool("web_search", ANY_OBJECT),
        typed_tool("web_search_2025_08_26", ANY_OBJECT),
        typed_tool("web_search_preview", ANY_OBJECT),
        typed_tool("web_search_preview_2025_03_11", ANY_OBJECT),
        typed_tool("file_search", ANY_OBJECT),
        typed_tool("code_interpreter", ANY_OBJECT),
        typed_tool("image_generation", ANY_OBJECT),
        typed_tool("computer", ANY_OBJECT),
        typed_tool("computer_use_preview", ANY_OBJECT),
        typed_tool("local_shell", ANY_OBJECT),
        typed_tool("shell", ANY_OBJECT),
        typed_tool("apply_patch", ANY_OBJECT),
        typed_tool("tool_search", ANY_OBJECT),
        typed_tool("programmatic_tool_calling", ANY_OBJECT),
    ],
    other_types: None,
    schema_path: &["parameters"],
    openapi_fields: &[],
};

pub(crate) static AI_STUDIO: ToolShapes = ToolShapes {
    function: Closed(&[
        optional("name", Text),
        optional("description", Text),
        optional("parameters", Any),
        optional("parametersJsonSchema", Any),
        optional("response", Any),
        optional("responseJsonSchema", FirstOf(&[AnyObject, Bool])),
        optional("behavior", Any),
    ]),
    freeform: ANY_OBJECT,
    by_type: &[
        typed_tool("googleSearch", ANY_OBJECT),
        typed_tool("googleSearchRetrieval", ANY_OBJECT),
        typed_tool("googleMaps", ANY_OBJECT),
        typed_tool("codeExecution", ANY_OBJECT),
        typed_tool("urlContext", ANY_OBJECT),
        typed_tool("computerUse", ANY_OBJECT),
        typed_tool("fileSearch", ANY_OBJECT),
        typed_tool("mcpServers", ANY_OBJECT),
    ],
    other_types: None,
    schema_path: &["parametersJsonSchema"],
    openapi_fields: &[("parameters", "parametersJsonSchema"), ("response", "responseJsonSchema")],
};
pub(crate) static VERTEX: ToolShapes = ToolShapes {
    by_type: &[
        typed_tool("googleSearch", ANY_OBJECT),
        typed_tool("googleSearchRetrieval", ANY_OBJECT),
        typed_tool("googleMaps", ANY_OBJECT),
        typed_tool("codeExecution", ANY_OBJECT),
        typed_tool("urlContext", ANY_OBJECT),
        typed_tool("computerUse", ANY_OBJECT),
        typed_tool("retrieval", ANY_OBJECT),
        typed_tool("enterpriseWebSearch", ANY_OBJECT),
        typed_tool("parallelAiSearch", ANY_OBJECT),
    ],
    ..AI_STUDIO
};

pub(crate) static BEDROCK: ToolShapes = ToolShapes {
    function: Open(&[required(
        "toolSpec",
        Open(&[
            required("name", Text),
            optional("description", NonEmptyText),
            optional("inputSchema", Open(&[optional("json", Any)])),
        ]),
    )]),
    freeform: ANY_OBJECT,
    by_type: &[
        typed_tool("systemTool", Open(&[required("systemTool", Any)])),
        typed_tool("cachePoint", CACHE_POINT),
    ],
    other_types: None,
    schema_path: &["toolSpec", "inputSchema", "json"],
    openapi_fields: &[],
};
const CACHE_POINT: Shape = Open(&[super::fields::CACHE_POINT]);
