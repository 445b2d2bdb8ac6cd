//! What the vendors' own APIs, and careful copies, accept of tools and schemas.

use super::tool_lists::{
    CHOICE_KEYWORDS, HOSTED_TOOLS, NOT_IN_RESPONSES_STRICT, NOT_IN_STRICT, REJECTED_AT_ROOT,
    REQUIRED_NAMES,
};
use super::tool_shapes as shapes;
use crate::profile::tools::{
    HostedToolMixing, NameFormat, OpenApiSubset, SchemaDraft, SchemaProfile, SchemaRoot,
    StrictMode, ToolProfile,
};
use crate::profile::web_search;

pub(crate) const ANY_SCHEMA: SchemaProfile = SchemaProfile {
    root: SchemaRoot::Unchecked,
    rejected_at_root: &[],
    property_names: None,
    accepts_null: false,
    draft: SchemaDraft::Unchecked,
    arrays_need_items: false,
    properties_need_object: false,
    references_stand_alone: false,
    rejected_keywords: &[],
    restricted: false,
    openapi: None,
    inlines_references: false,
};

pub(crate) const ANTHROPIC: ToolProfile = ToolProfile {
    history_needs_tools: false,
    supports_choice_none: true,
    name_format: NameFormat { max_chars: Some(128), ..ASCII_64 },
    called_name_format: ASCII_64,
    required_names: REQUIRED_NAMES,
    typed_tools_have_names: true,
    unique_names: true,
    tool_adding_kind: None,
    hosted_call_kinds: &[],
    has_namespaces: false,
    max_tools: None,
    requires_list: true,
    accepts_empty_list: true,
    accepts_null_list: true,
    max_description_chars: None,
    shapes: &shapes::ANTHROPIC,
    schema: SchemaProfile {
        root: SchemaRoot::ObjectRequired,
        rejected_at_root: CHOICE_KEYWORDS,
        property_names: Some(NameFormat { punctuation: Some("_.-"), ..ASCII_64 }),
        draft: SchemaDraft::Draft2020,
        ..ANY_SCHEMA
    },
    strict: StrictMode::Compiled { max_tools: 20, max_optional: 24 },
    deferred_loading: true,
    input_examples: true,
    hosted_tool_mixing: HostedToolMixing::Allowed,
    unmixable_tools: &[],
    web_search: Some(&web_search::MESSAGES),
};

/// Servers that check very little.
pub(crate) const COMPATIBLE: ToolProfile = ToolProfile {
    history_needs_tools: false,
    name_format: ANY_NAME,
    called_name_format: ANY_NAME,
    required_names: &[],
    typed_tools_have_names: false,
    unique_names: false,
    shapes: &shapes::CHAT_OPEN,
    schema: ANY_SCHEMA,
    strict: StrictMode::Unchecked,
    deferred_loading: false,
    input_examples: false,
    web_search: None,
    ..ANTHROPIC
};

pub(crate) const OPENAI: ToolProfile = ToolProfile {
    name_format: ASCII_64,
    called_name_format: ASCII_64,
    max_tools: Some(128),
    accepts_empty_list: false,
    shapes: &shapes::OPENAI_CHAT,
    schema: SchemaProfile {
        root: SchemaRoot::ObjectIfPresent,
        rejected_at_root: REJECTED_AT_ROOT,
        // "Invalid schema for function '…': [] is not of type 'object', 'boolean'."
        // <https://github.com/FoundationAgents/OpenManus/issues/1162>
        draft: SchemaDraft::Draft2020,
        arrays_need_items: true,
        ..ANY_SCHEMA
    },
    strict: StrictMode::Closed(NOT_IN_STRICT),
    ..COMPATIBLE
};

pub(crate) const RESPONSES: ToolProfile = ToolProfile {
    unique_names: true,
    has_namespaces: true,
    accepts_empty_list: true,
    shapes: &shapes::RESPONSES,
    schema: SchemaProfile { accepts_null: true, ..OPENAI.schema },
    tool_adding_kind: Some("additional_tools"),
    strict: StrictMode::Closed(NOT_IN_RESPONSES_STRICT),
    web_search: Some(&web_search::RESPONSES),
    ..OPENAI
};

pub(crate) const GEMINI: ToolProfile = ToolProfile {
    name_format: NameFormat { punctuation: Some("_.:-"), starts_with_letter: true, ..ASCII_64 },
    called_name_format: NameFormat { allows_empty: false, ..ANY_NAME },
    unique_names: true,
    max_tools: Some(512),
    shapes: &shapes::AI_STUDIO,
    schema: SchemaProfile {
        root: SchemaRoot::AnySchema,
        accepts_null: true,
        openapi: Some(OpenApiSubset::Basic),
        inlines_references: true,
        ..ANY_SCHEMA
    },
    requires_list: false,
    hosted_tool_mixing: HostedToolMixing::OptIn("includeServerSideToolInvocations"),
    unmixable_tools: HOSTED_TOOLS,
    web_search: Some(&web_search::GEMINI),
    ..COMPATIBLE
};

pub(crate) const BEDROCK: ToolProfile = ToolProfile {
    history_needs_tools: true,
    supports_choice_none: false,
    name_format: ASCII_64,
    called_name_format: ASCII_64,
    hosted_call_kinds: &[],
    requires_list: false,
    accepts_empty_list: false,
    shapes: &shapes::BEDROCK,
    schema: SchemaProfile { root: SchemaRoot::ObjectRequired, ..ANY_SCHEMA },
    ..COMPATIBLE
};
pub(crate) const BEDROCK_CLAUDE: ToolProfile =
    ToolProfile { unique_names: true, schema: ANTHROPIC.schema, ..BEDROCK };

pub(crate) const ASCII_64: NameFormat = NameFormat {
    punctuation: Some("_-"),
    max_chars: Some(64),
    starts_with_letter: false,
    allows_empty: false,
};
pub(crate) const ANY_64: NameFormat =
    NameFormat { punctuation: None, allows_empty: true, ..ASCII_64 };
pub(crate) const ANY_NAME: NameFormat = NameFormat { max_chars: None, ..ANY_64 };
