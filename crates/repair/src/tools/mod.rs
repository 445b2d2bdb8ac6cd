//! Checks every tool once, for all rules about tools.

pub(crate) mod names;

use interlingua_model::{Conversation, Tool, ToolKind, Verbatim};
use interlingua_providers::profile::tools::{
    SchemaDraft, SchemaProfile, SchemaRoot, StrictMode, ToolProfile,
};
use interlingua_providers::shape::Shape;
use interlingua_wire::{Field, JsonDoc, JsonNode, JsonString, RawJson};

use crate::profile::TargetProfile;
use crate::schema::{check, openapi};
use crate::shape::{ShapeChecker, Verdict};
use crate::values::json_ref::JsonRef;

/// Problems of a tool for the target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent issue")]
pub(crate) struct ToolIssues {
    /// The target does not accept its type.
    pub unknown_kind: bool,
    /// It has an unknown, missing or mistyped field.
    pub malformed: bool,
    /// The root of its schema lacks required fields or has rejected ones.
    pub bad_root: bool,
    /// Its schema has invalid keywords, or keywords that the target rejects.
    pub bad_keywords: bool,
    pub bad_property_names: bool,
    /// Its schema has references that the target does not resolve.
    pub unsupported_references: bool,
    /// Its schema is in the provider's `OpenAPI` format and violates it.
    pub bad_openapi_schema: bool,
    /// It is strict, and its schema violates the rules for strict tools.
    pub not_strict: bool,
    /// Number of optional properties, if it is strict.
    pub optional_properties: usize,
    /// Its schema is larger than the limit and was not checked.
    pub oversized_schema: bool,
}

impl ToolIssues {
    pub(crate) fn is_acceptable(&self) -> bool {
        let (optional_properties, oversized_schema) =
            (self.optional_properties, self.oversized_schema);
        *self == Self { optional_properties, oversized_schema, ..Self::default() }
    }
}

/// Checks every tool, in its written form if it leaves in that form.
pub(crate) fn check_tools(
    conversation: &Conversation,
    body: &JsonDoc,
    profile: &TargetProfile,
) -> Vec<ToolIssues> {
    let legacy = count_legacy_tools(conversation);
    // A target that ignores the legacy list does not check it while it leaves unchanged.
    let unchecked = if profile.settings.tool_choice.reads_legacy_choice {
        0
    } else {
        count_unread_legacy_tools(conversation, profile)
    };
    let count = conversation.tools.len();
    let tools = conversation.tools.iter().enumerate();
    let same_dialect = conversation.dialect.is_same(profile.dialect);
    let check = |(at, tool)| {
        let is_legacy = at + legacy >= count;
        if at + unchecked >= count || profile.stop.is_set() {
            return ToolIssues::default();
        }
        let mut issues = check_tool(tool, body, profile, is_legacy);
        let is_checked = !same_dialect && !issues.oversized_schema;
        if is_checked && profile.tools.schema.inlines_references {
            check_cross_dialect(tool, body, &mut issues);
        }
        issues
    };
    tools.map(check).collect()
}

/// References and `$schema` in a schema that was written for another dialect.
fn check_cross_dialect(tool: &Tool, body: &JsonDoc, issues: &mut ToolIssues) {
    let ToolKind::Function { schema: Some(schema) } = &tool.kind else { return };
    let schema = JsonRef::new(schema, body);
    issues.unsupported_references |= check::has_reference(schema.root());
    issues.bad_keywords |= schema.root().get("$schema").is_some();
}

/// Number of tools at the end that are in the legacy list, if it leaves unchanged.
pub(crate) fn count_unread_legacy_tools(
    conversation: &Conversation,
    profile: &TargetProfile,
) -> usize {
    let is_accepted =
        |fields| profile.shape_checker().find_field(fields, LEGACY_LIST_FIELD).is_some();
    let legacy = if conversation.dialect.is_same(profile.dialect) {
        count_legacy_tools(conversation)
    } else {
        0
    };
    if legacy > 0 && profile.fields.body_fields.is_none_or(is_accepted) { legacy } else { 0 }
}

/// Number of tools at the end that are in the legacy list, where they have no type. Once tools are
/// edited, all of them are in one list.
pub(crate) fn count_legacy_tools(conversation: &Conversation) -> usize {
    let field = conversation.top_level_fields.iter().find(|field| field.key == LEGACY_LIST_FIELD);
    let written = conversation.tools.original().is_some();
    let Some(field) = field.filter(|_| written) else { return 0 };
    let doc = field.value.to_doc();
    let items: Vec<JsonNode<'_>> = doc.root().items().collect();
    let mut tools = conversation.tools.iter().rev().peekable();
    // Skipped tools are in the written list only; equal text may be in both lists, so addresses are
    // compared.
    let is_next = |item: &&JsonNode<'_>| {
        let is_same = |tool: &&Verbatim<Tool>| {
            let text = tool.original().map(|(_, text)| text.as_str());
            text.is_some_and(|text| std::ptr::eq(text, item.raw()))
        };
        tools.next_if(is_same).is_some()
    };
    items.iter().rev().filter(is_next).count()
}

fn check_tool(
    tool: &Verbatim<Tool>,
    body: &JsonDoc,
    profile: &TargetProfile,
    legacy: bool,
) -> ToolIssues {
    let (dialect, rules, checker) = (profile.dialect, &profile.tools, profile.shape_checker());
    let text = tool.text_for(dialect).map(|text| JsonRef::new(text, body));
    let is_malformed = |kind: Shape| match &text {
        Some(text) => !legacy && checker.check_node(text.root(), kind) != Verdict::Keep,
        None => !extras_fit(tool, profile, kind),
    };
    match &tool.kind {
        ToolKind::Foreign { dialect: tool_dialect, kind, json } if *tool_dialect == dialect => {
            match checker.tool_shape(rules.shapes, &kind.unescape()) {
                None => ToolIssues { unknown_kind: true, ..ToolIssues::default() },
                // Null is not a tool.
                Some(shape) if *json == RawJson::NULL && !matches!(shape, Shape::Any) => {
                    ToolIssues { unknown_kind: true, ..ToolIssues::default() }
                }
                Some(shape) => match checker.check(json, shape) {
                    Verdict::Keep => ToolIssues::default(),
                    Verdict::Replace(_) => ToolIssues { malformed: true, ..ToolIssues::default() },
                    // A required field is missing.
                    Verdict::Drop => ToolIssues { unknown_kind: true, ..ToolIssues::default() },
                },
            }
        }
        // Encoding leaves it out.
        ToolKind::Foreign { .. } => ToolIssues::default(),
        ToolKind::Freeform { .. } => {
            ToolIssues { malformed: is_malformed(rules.shapes.freeform), ..ToolIssues::default() }
        }
        ToolKind::Function { schema }
            if is_blank_tool(tool, schema.as_ref()) && is_malformed(rules.shapes.function) =>
        {
            ToolIssues { unknown_kind: true, ..ToolIssues::default() }
        }
        ToolKind::Function { schema: Some(schema) }
            if schema.as_str().len() > profile.max_schema_bytes =>
        {
            ToolIssues {
                malformed: is_malformed(rules.shapes.function),
                oversized_schema: true,
                ..ToolIssues::default()
            }
        }
        ToolKind::Function { schema } => {
            let reencoded = schema.as_ref().filter(|_| text.is_none());
            let reencoded = reencoded.map(|schema| JsonRef::new(schema, body));
            let schema_node = match &text {
                Some(text) if legacy => text.root().get("parameters"),
                Some(text) => schema_in(text.root(), rules.shapes.schema_path, &checker),
                None => reencoded.as_ref().map(JsonRef::root),
            };
            let mut issues = check_schema(tool, schema_node, &rules.schema, rules.strict);
            issues.malformed |= is_malformed(rules.shapes.function);
            if let Some(text) = &text {
                check_openapi_schemas(text.root(), rules, &checker, &mut issues);
                // The schema is in another field, or in `OpenAPI` format.
                issues.bad_root &= schema_node.is_some() || schema.is_none();
            } else if let (Some(format), Some(schema)) = (rules.schema.openapi, schema_node) {
                let has_openapi = tool.extras.get(dialect, OPENAPI_FIELD).is_some();
                issues.bad_openapi_schema = has_openapi
                    && !openapi::is_accepted_for_function(
                        schema,
                        format,
                        openapi::SchemaSyntax::JsonSchema,
                    );
            }
            if text.is_none() {
                issues.bad_openapi_schema |= !openapi_extras_fit(tool, profile);
            }
            issues
        }
    }
}

/// Neither name nor description nor schema: the tool cannot be called.
fn is_blank_tool(tool: &Tool, schema: Option<&RawJson>) -> bool {
    tool.name.is_empty() && tool.description.is_none() && schema.is_none()
}

/// Checks a schema. Null is malformed, where the target checks schemas.
fn check_schema(
    tool: &Tool,
    node: Option<JsonNode<'_>>,
    rules: &SchemaProfile,
    strict: StrictMode,
) -> ToolIssues {
    let mut issues = ToolIssues::default();
    let is_checked = rules.root != SchemaRoot::Unchecked || rules.draft != SchemaDraft::Unchecked;
    if node.is_some_and(JsonNode::is_null) && is_checked && !rules.accepts_null {
        issues.malformed = true;
    }
    let schema = node.filter(|node| !node.is_null());
    issues.bad_root = !check::root_fits(schema, rules.root, rules.rejected_at_root);
    let Some(schema) = schema else { return issues };
    issues.bad_keywords = !check::is_valid(schema, rules.draft)
        || rules.arrays_need_items && check::has_array_without_items(schema)
        || check::has_keyword(schema, rules.rejected_keywords)
        || rules.restricted && check::has_type_list(schema)
        || rules.properties_need_object && schema.get("properties").is_some_and(JsonNode::is_array)
        || rules.references_stand_alone && has_list_of_items(schema);
    issues.bad_property_names =
        rules.property_names.is_some_and(|names| !check::has_valid_property_names(schema, &names));
    issues.unsupported_references = rules.references_stand_alone
        && check::has_reference_with_siblings(schema)
        || rules.restricted && check::has_reference(schema);
    if tool.strict == Some(true) {
        match strict {
            StrictMode::Unchecked | StrictMode::AllOrNone => {}
            StrictMode::Closed(rejected) => {
                issues.not_strict = check::violates_strict(schema, rejected);
            }
            StrictMode::Compiled { .. } => {
                issues.not_strict = check::violates_grammar_limits(schema);
                issues.optional_properties = check::count_optional_properties(schema);
            }
        }
    }
    issues
}

fn has_list_of_items(schema: JsonNode<'_>) -> bool {
    check::any_subschema(schema, false, &|node| node.get("items").is_some_and(JsonNode::is_array))
}

/// The schema within a tool as it is written.
fn schema_in<'d>(
    tool: JsonNode<'d>,
    path: &[&str],
    checker: &ShapeChecker<'_>,
) -> Option<JsonNode<'d>> {
    path.iter()
        .try_fold(tool, |node, key| node.find_last(|field| checker.is_field_named(field, key)))
}

/// Checks the schemas in `OpenAPI` format, which exclude a JSON Schema in the sister field.
fn check_openapi_schemas(
    tool: JsonNode<'_>,
    rules: &ToolProfile,
    checker: &ShapeChecker<'_>,
    issues: &mut ToolIssues,
) {
    let Some(format) = rules.schema.openapi else { return };
    let get_field = |name: &str| {
        let schema = tool.find_last(|field| checker.is_same_name(&field.key(), name));
        schema.filter(|schema| !schema.is_null())
    };
    for (name, sister) in rules.shapes.openapi_fields {
        let Some(schema) = get_field(name) else { continue };
        issues.malformed |= get_field(sister).is_some();
        issues.bad_openapi_schema |=
            !openapi::is_accepted_for_function(schema, format, openapi::SchemaSyntax::OpenApi);
    }
}

/// Whether schemas in `OpenAPI` format among the extras are accepted.
fn openapi_extras_fit(tool: &Tool, profile: &TargetProfile) -> bool {
    let (Some(format), checker) = (profile.tools.schema.openapi, profile.shape_checker()) else {
        return true;
    };
    let is_openapi_field = |key: &JsonString| {
        let mut pairs = profile.tools.shapes.openapi_fields.iter();
        pairs.any(|(name, _)| checker.is_same_name(&key.unescape(), name))
    };
    let mut schemas =
        tool.extras.fields_for(profile.dialect).iter().filter(|(key, _)| is_openapi_field(key));
    schemas.all(|(_, schema)| {
        *schema == RawJson::NULL
            || openapi::is_accepted_for_function(
                schema.to_doc().root(),
                format,
                openapi::SchemaSyntax::OpenApi,
            )
    })
}

/// Whether the target accepts the extras.
fn extras_fit(tool: &Tool, profile: &TargetProfile, kind: Shape) -> bool {
    let checker = profile.shape_checker();
    let extras = tool.extras.fields_for(profile.dialect);
    let has =
        |name: &str| extras.iter().any(|(key, _)| checker.is_same_name(&key.unescape(), name));
    let mut pairs = profile.tools.shapes.openapi_fields.iter();
    !pairs.any(|(field_name, sister)| has(field_name) && has(sister))
        && extras.iter().all(|(key, value)| {
            let key = key.unescape();
            is_spelling_marker(tool, &key, value) || extra_fits(&key, value, kind, &checker)
        })
}

pub(crate) fn extra_fits(
    key: &str,
    value: &RawJson,
    kind: Shape,
    checker: &ShapeChecker<'_>,
) -> bool {
    let (keys, open) = match kind {
        Shape::Closed(keys) => (keys, false),
        Shape::Open(keys) => (keys, true),
        _ => return true,
    };
    match checker.find_field(keys, key).map(|key| key.shape) {
        // Encoding writes the required fields.
        Some(inner @ (Shape::Closed(_) | Shape::Open(_))) => {
            let doc = value.to_doc();
            let fits =
                |field: Field<'_>| extra_fits(&field.key(), &field.value.json(), inner, checker);
            doc.root().fields().all(fits)
        }
        Some(kind) => checker.check(value, kind) == Verdict::Keep,
        None => open,
    }
}

/// Extras that only record the client's spelling.
pub(crate) fn is_spelling_marker(tool: &Tool, key: &str, value: &RawJson) -> bool {
    key == "namespace" && tool.namespace.is_some() && is_namespace_description(value)
        || key == OPENAPI_FIELD
            && *value == RawJson::NULL
            && matches!(tool.kind, ToolKind::Function { .. })
}

/// Whether a namespace has no field but its description.
fn is_namespace_description(value: &RawJson) -> bool {
    let doc = value.to_doc();
    doc.root().fields().all(|field| {
        field.key_is("description") && (field.value.is_string() || field.value.is_null())
    })
}

pub(crate) const LEGACY_LIST_FIELD: &str = "functions";

/// Extra of a tool with a schema in `OpenAPI` format.
const OPENAPI_FIELD: &str = "parameters";

/// Whether the target accepts a tool that a block adds.
pub(crate) fn accepts_tool(tool: JsonNode<'_>, profile: &TargetProfile) -> bool {
    let (rules, checker) = (&profile.tools, profile.shape_checker());
    let kind = tool.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let shape = match &*kind {
        "function" => Some(rules.shapes.function),
        "custom" => Some(rules.shapes.freeform),
        kind => checker.tool_shape(rules.shapes, kind),
    };
    let has_valid_name = !matches!(&*kind, "function" | "custom")
        || tool.get("name").is_some_and(|name| rules.name_format.accepts(&name.str_or_empty()));
    let schema = schema_in(tool, rules.shapes.schema_path, &checker).filter(|_| kind == "function");
    let mut stand_in = Tool::new(JsonString::EMPTY, ToolKind::Function { schema: None });
    stand_in.strict = tool.get("strict").and_then(JsonNode::as_bool);
    let is_checked = |schema: &JsonNode<'_>| schema.raw().len() <= profile.max_schema_bytes;
    let is_accepted = schema.is_some_and(|schema| !is_checked(&schema))
        || check_schema(&stand_in, schema, &rules.schema, rules.strict).is_acceptable();
    shape.is_some_and(|shape| checker.check_node(tool, shape) == Verdict::Keep)
        && has_valid_name
        && is_accepted
}
