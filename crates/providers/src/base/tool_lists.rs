//! Shared lists of names and keywords for the rows about tools.

/// Computer use and MCP servers are missing, because they mix with functions.
pub(crate) const HOSTED_TOOLS: &[&str] = &[
    "googleSearch",
    "googleSearchRetrieval",
    "googleMaps",
    "codeExecution",
    "urlContext",
    "fileSearch",
    "retrieval",
    "enterpriseWebSearch",
];

pub(crate) const CHOICE_KEYWORDS: &[&str] = &["oneOf", "allOf", "anyOf"];

pub(crate) const REJECTED_AT_ROOT: &[&str] = &["oneOf", "allOf", "anyOf", "enum", "not"];

/// Keywords that a strict schema must not have.
pub(crate) const NOT_IN_STRICT: &[&str] =
    &["allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"];

pub(crate) const NOT_IN_RESPONSES_STRICT: &[&str] =
    &["allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"];

/// "Unknown name \"const\" at 'tools\[0\].`function_declarations`\[0\].parameters': Cannot find field."
pub(crate) const NOT_IN_GEMINI: &[&str] = &[
    "$schema",
    "$id",
    "$ref",
    "$defs",
    "definitions",
    "additionalProperties",
    "propertyNames",
    "patternProperties",
    "const",
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "prefixItems",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "examples",
    "readOnly",
    "contentMediaType",
];

pub(crate) const REQUIRED_NAMES: &[(&str, &str)] = &[
    ("bash_", "bash"),
    ("text_editor_20241022", "str_replace_editor"),
    ("text_editor_20250124", "str_replace_editor"),
    ("text_editor_", "str_replace_based_edit_tool"),
    ("memory_", "memory"),
    ("computer_2", "computer"),
    ("web_search_", "web_search"),
    ("web_fetch_", "web_fetch"),
    ("code_execution_", "code_execution"),
    ("tool_search_tool_regex", "tool_search_tool_regex"),
    ("tool_search_tool_bm25", "tool_search_tool_bm25"),
    ("advisor_", "advisor"),
];
