//! The keys of tools, by the kind of tool: which there are, and what they hold.

use crate::shape::Kind::{
    Any, Each, Either, Flag, List, Not, Object, One, Open, OrNull, Shape, Spelled, Tagged, Text,
    Whole, Words,
};
use crate::shape::{Key, Kind, Reading, key, need};

/// The kinds of tools that a target takes.
#[derive(Clone, Copy, Debug)]
pub struct Kinds {
    pub function: Kind,
    pub freeform: Kind,
    /// Tools known by their type.
    pub typed: &'static [Typed],
    /// Tools of any other type; `None` where these are refused.
    pub others: Option<Kind>,
    /// Where the schema of a function stands in it.
    pub schema: &'static [&'static str],
    /// Schemas of the provider's own kind; each has a sister of JSON Schema, and only one may be there.
    pub own_schemas: &'static [(&'static str, &'static str)],
}

/// Tools of one type.
#[derive(Clone, Copy, Debug)]
pub struct Typed {
    pub name: &'static str,
    pub shape: Kind,
    /// The beginning of a beta that lets them in; empty where nobody has to ask.
    pub beta: &'static str,
}

impl Kinds {
    /// The shape of tools of a type; `None` if the target takes none.
    pub fn typed(&self, kind: &str, reading: &Reading<'_>) -> Option<Kind> {
        match self.typed.iter().find(|row| reading.is(kind, row.name)) {
            Some(row) => reading.lets_in(row.beta).then_some(row.shape),
            None => self.others,
        }
    }
}

const fn typed(name: &'static str, shape: Kind) -> Typed {
    Typed { name, shape, beta: "" }
}

const fn asked(name: &'static str, beta: &'static str) -> Typed {
    Typed { name, shape: TYPED, beta }
}

/// Of any shape.
const OPEN: Kind = Open(&[]);

pub(super) static ANTHROPIC: Kinds = Kinds {
    function: Shape(&[
        key("type", One(&["custom"])),
        need("name", Text),
        key("description", Text),
        key("input_schema", Any),
        MARK,
        key("strict", Flag),
        key("defer_loading", Flag),
        key("allowed_callers", Each(&Text)),
        key("input_examples", List),
        key("eager_input_streaming", Flag),
    ]),
    freeform: OPEN,
    typed: &[
        asked("advisor_20260301", "advisor-tool-"),
        asked("bash_20241022", "computer-use-"),
        asked("computer_20241022", "computer-use-"),
        asked("computer_20250124", "computer-use-"),
        asked("computer_20251124", "computer-use-"),
        asked("text_editor_20241022", "computer-use-"),
        Typed { name: "mcp_toolset", shape: TOOLSET, beta: "mcp-client-" },
        typed("browser_toolset_20260801", TOOLSET),
        typed("computer_toolset_20260801", TOOLSET),
        typed("bash_20250124", TYPED),
        typed("code_execution_20250522", TYPED),
        typed("code_execution_20250825", TYPED),
        typed("code_execution_20260120", TYPED),
        typed("code_execution_20260521", TYPED),
        typed("memory_20250818", TYPED),
        typed("text_editor_20250124", TYPED),
        typed("text_editor_20250429", TYPED),
        typed("text_editor_20250728", TYPED),
        typed("tool_search_tool_bm25", TYPED),
        typed("tool_search_tool_bm25_20251119", TYPED),
        typed("tool_search_tool_regex", TYPED),
        typed("tool_search_tool_regex_20251119", TYPED),
        typed("web_fetch_20250910", TYPED),
        typed("web_fetch_20260209", TYPED),
        typed("web_fetch_20260309", TYPED),
        typed("web_fetch_20260318", TYPED),
        typed("web_search_20250305", TYPED),
        typed("web_search_20260209", TYPED),
        typed("web_search_20260318", TYPED),
    ],
    others: None,
    schema: &["input_schema"],
    own_schemas: &[],
};

/// As that, where what is not known is passed over, and nobody looks at what marks say.
pub(super) static DEEPSEEK: Kinds = Kinds {
    function: Open(&[
        key("type", One(&["custom"])),
        need("name", Text),
        key("description", Text),
        need("input_schema", Object),
        super::fields::LOOSE_CACHE,
        key("strict", Flag),
        key("defer_loading", Flag),
        key("allowed_callers", Each(&Text)),
        key("input_examples", List),
        key("eager_input_streaming", Flag),
    ]),
    ..ANTHROPIC
};

const MARK: Key = super::fields::CACHE_CONTROL;

/// All keys of the typed tools: which of them has which is not told apart.
const TYPED: Kind = Shape(&[
    need("type", Text),
    need("name", Text),
    MARK,
    key("strict", Flag),
    key("defer_loading", Flag),
    key("allowed_callers", Each(&Text)),
    key("input_examples", List),
    key("max_characters", Whole),
    key("max_uses", Whole),
    key("allowed_domains", Each(&Text)),
    key("blocked_domains", Each(&Text)),
    key("user_location", Object),
    key("response_inclusion", One(&["full", "excluded"])),
    key("citations", Object),
    key("max_content_tokens", Whole),
    key("url_sources", Object),
    key("use_cache", Flag),
    key("display_height_px", Whole),
    key("display_width_px", Whole),
    key("display_number", Whole),
    key("enable_zoom", Flag),
    key("model", Text),
    key("max_tokens", Whole),
    key("caching", Object),
]);
const TOOLSET: Kind = Shape(&[
    need("type", Text),
    MARK,
    key("configs", Object),
    key("default_config", Object),
    key("mcp_server_name", Text),
]);

/// Whoever looks at every key.
pub(super) static CHAT_CLOSED: Kinds = Kinds {
    function: Shape(&[NO_FREEFORM, need("function", Shape(FUNCTION)), key("custom", Any)]),
    freeform: Shape(&[NO_FUNCTION, need("custom", Open(NAMED)), key("function", Any)]),
    typed: INCOMPLETE,
    others: Some(Shape(&[need("type", Any), key("function", Shape(NAMED)), key("custom", Any)])),
    schema: &["function", "parameters"],
    own_schemas: &[],
};
/// As that, and of two types only.
pub(super) static CHAT_INVENTED: Kinds = Kinds {
    function: Shape(&[
        need("type", One(&["function"])),
        need("function", Shape(FUNCTION)),
        key("custom", Any),
    ]),
    freeform: Shape(&[
        need("type", One(&["custom"])),
        need("custom", Open(NAMED)),
        key("function", Any),
    ]),
    others: None,
    ..CHAT_CLOSED
};
/// What says that it is a function and describes none is no tool.
const INCOMPLETE: &[Typed] = &[
    typed("function", Open(&[need("function", Open(NAMED))])),
    // One that describes anything is no longer of this kind.
    typed("custom", Shape(&[need("type", Any), ANYTHING_ELSE, key("function", Shape(NAMELESS))])),
];
/// Of whatever type it says that it is, but for the one that is described otherwise.
const NO_FREEFORM: Key = need("type", Not("custom"));
const NO_FUNCTION: Key = need("type", Not("function"));
const ANYTHING_ELSE: Key = need("custom", OrNull(&Any));
/// Whoever takes any keys, but misses some.
pub(super) static CHAT_OPEN: Kinds = Kinds {
    function: Open(&[NO_FREEFORM, need("function", Open(NAMED))]),
    freeform: Open(&[NO_FUNCTION, need("custom", Open(NAMED))]),
    typed: &[
        typed("function", Open(&[need("type", Any), need("function", Any)])),
        typed("custom", Open(&[need("type", Any), ANYTHING_ELSE])),
    ],
    others: Some(Open(&[need("type", Any), key("function", Open(NAMED))])),
    ..CHAT_CLOSED
};
/// As the first, without asking for the type.
pub(super) static CHAT_UNTYPED: Kinds = Kinds {
    function: Shape(&[key("type", Any), need("function", Shape(FUNCTION))]),
    freeform: Shape(&[key("type", Any), need("custom", Open(NAMED))]),
    typed: &[],
    others: None,
    ..CHAT_CLOSED
};
pub(super) static ANYTHING: Kinds =
    Kinds { function: OPEN, freeform: OPEN, typed: &[], others: Some(OPEN), ..CHAT_CLOSED };
/// As `ANYTHING`; what is no tool at all is passed over.
pub(super) static PASSED_OVER: Kinds = Kinds { others: Some(Any), ..ANYTHING };
const FUNCTION: &[Key] =
    &[NAME, key("description", Any), key("parameters", Any), key("strict", Any)];
/// A function without a name, as a tool of another type may have one.
const NAMELESS: &[Key] = &[key("description", Any), key("strict", Any)];
const NAMED: &[Key] = &[NAME];
/// One that is null is a name like an empty one.
const NAME: Key = need("name", OrNull(&Any));

pub(super) static RESPONSES: Kinds = Kinds {
    function: Shape(&[
        need("type", Any),
        need("name", Text),
        key("description", Text),
        key("parameters", Any),
        key("strict", Flag),
        key("defer_loading", Flag),
        key("allowed_callers", Any),
        key("output_schema", Any),
    ]),
    freeform: Shape(&[
        need("type", Any),
        need("name", Text),
        key("description", Text),
        key(
            "format",
            Tagged(&[
                ("text", &[need("type", Any)]),
                (
                    "grammar",
                    &[
                        need("type", Any),
                        need("syntax", One(&["lark", "regex"])),
                        need("definition", Text),
                    ],
                ),
            ]),
        ),
        key("defer_loading", Flag),
        key("allowed_callers", Any),
    ]),
    typed: &[
        typed("mcp", Open(&[need("server_label", OrNull(&Any))])),
        // One that has no tools; those of others are tools of their own.
        typed(
            "namespace",
            Shape(&[
                need("type", Any),
                need("name", Spelled("_-")),
                key("description", Text),
                need("tools", Each(&Object)),
            ]),
        ),
        typed("web_search", OPEN),
        typed("web_search_2025_08_26", OPEN),
        typed("web_search_preview", OPEN),
        typed("web_search_preview_2025_03_11", OPEN),
        typed("file_search", OPEN),
        typed("code_interpreter", OPEN),
        typed("image_generation", OPEN),
        typed("computer", OPEN),
        typed("computer_use_preview", OPEN),
        typed("local_shell", OPEN),
        typed("shell", OPEN),
        typed("apply_patch", OPEN),
        typed("tool_search", OPEN),
        typed("programmatic_tool_calling", OPEN),
    ],
    others: None,
    schema: &["parameters"],
    own_schemas: &[],
};

pub(super) static AI_STUDIO: Kinds = Kinds {
    function: Shape(&[
        key("name", Text),
        key("description", Text),
        key("parameters", Any),
        key("parametersJsonSchema", Any),
        key("response", Any),
        key("responseJsonSchema", Either(&[Object, Flag])),
        key("behavior", Any),
    ]),
    freeform: OPEN,
    typed: &[
        typed("googleSearch", OPEN),
        typed("googleSearchRetrieval", OPEN),
        typed("googleMaps", OPEN),
        typed("codeExecution", OPEN),
        typed("urlContext", OPEN),
        typed("computerUse", OPEN),
        typed("fileSearch", OPEN),
        typed("mcpServers", OPEN),
    ],
    others: None,
    schema: &["parametersJsonSchema"],
    own_schemas: &[("parameters", "parametersJsonSchema"), ("response", "responseJsonSchema")],
};
pub(super) static VERTEX: Kinds = Kinds {
    typed: &[
        typed("googleSearch", OPEN),
        typed("googleSearchRetrieval", OPEN),
        typed("googleMaps", OPEN),
        typed("codeExecution", OPEN),
        typed("urlContext", OPEN),
        typed("computerUse", OPEN),
        typed("retrieval", OPEN),
        typed("enterpriseWebSearch", OPEN),
        typed("parallelAiSearch", OPEN),
    ],
    ..AI_STUDIO
};

pub(super) static BEDROCK: Kinds = Kinds {
    function: Open(&[need(
        "toolSpec",
        Open(&[
            need("name", Text),
            key("description", Words),
            key("inputSchema", Open(&[key("json", Any)])),
        ]),
    )]),
    freeform: OPEN,
    typed: &[
        typed("systemTool", Open(&[need("systemTool", Any)])),
        typed("cachePoint", CACHE_POINT),
    ],
    others: None,
    schema: &["toolSpec", "inputSchema", "json"],
    own_schemas: &[],
};
const CACHE_POINT: Kind = Open(&[super::fields::CACHE_POINT]);
