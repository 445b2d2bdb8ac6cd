//! Checks whether the provider accepts a schema in its `OpenAPI` dialect unchanged.

use interlingua_providers::profile::tools::OpenApiSubset;
use interlingua_wire::{JsonKind, JsonNode};

use super::names::NameIndex;

/// Syntax in which a schema is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaSyntax {
    /// As it will be sent.
    OpenApi,
    /// As JSON Schema that will be converted, with `null` in the list of types.
    JsonSchema,
}

/// Whether the provider accepts the schema of a function, which may be an object with an empty list
/// of properties. Keys may be in `camelCase` or `snake_case`.
pub(crate) fn is_accepted_for_function(
    schema: JsonNode<'_>,
    subset: OpenApiSubset,
    syntax: SchemaSyntax,
) -> bool {
    is_schema_accepted(schema, subset, syntax, true)
}

/// Whether the provider accepts the schema of a reply, or one inside another.
pub(crate) fn is_accepted(
    schema: JsonNode<'_>,
    subset: OpenApiSubset,
    syntax: SchemaSyntax,
) -> bool {
    is_schema_accepted(schema, subset, syntax, false)
}

fn is_schema_accepted(
    schema: JsonNode<'_>,
    subset: OpenApiSubset,
    syntax: SchemaSyntax,
    is_function_root: bool,
) -> bool {
    let Some(parsed) = SchemaFields::parse(schema, subset, syntax) else { return false };
    let is_nested_accepted =
        |schema: JsonNode<'_>, subset: OpenApiSubset| is_accepted(schema, subset, syntax);
    let kind = parsed.kind.map(|kind| type_name(kind)).unwrap_or_default().to_ascii_uppercase();
    let properties = parsed.properties.filter(|value| !value.is_null());
    let property_names = parsed.required.and(properties).map(NameIndex::new);
    let has_property =
        |name: &str| property_names.as_ref().is_some_and(|names| names.contains(name));
    let is_typed = !kind.is_empty() || parsed.any_of.is_some() || parsed.reference.is_some();
    let has_properties = properties.is_some_and(|value| is_function_root || !value.is_empty())
        || parsed.additional_properties.is_some();
    // protobuf JSON accepts a single value for a list.
    let has_values =
        parsed.enum_values.is_some_and(|values| !(values.is_array() && values.is_empty()));
    let format = parsed.format.map(JsonNode::str_or_empty).unwrap_or_default();
    is_typed
        && (kind != "OBJECT" || has_properties)
        && (kind != "ARRAY" || parsed.items.is_some())
        && (kind.is_empty() || kind == "ARRAY" || parsed.items.is_none())
        && (matches!(&*kind, "" | "STRING") || !has_values)
        && (kind != "STRING" || matches!(&*format, "" | "enum" | "date-time"))
        && parsed
            .required
            .is_none_or(|list| all_or_single(list, &|name| has_property(&name.str_or_empty())))
        && properties
            .is_none_or(|value| value.fields().all(|item| is_nested_accepted(item.value, subset)))
        && parsed.items.is_none_or(|items| is_nested_accepted(items, subset))
        && parsed
            .any_of
            .is_none_or(|list| all_or_single(list, &|item| is_nested_accepted(item, subset)))
}

/// The fields on which the validity of a schema depends.
#[derive(Default)]
struct SchemaFields<'d> {
    kind: Option<JsonNode<'d>>,
    format: Option<JsonNode<'d>>,
    enum_values: Option<JsonNode<'d>>,
    items: Option<JsonNode<'d>>,
    properties: Option<JsonNode<'d>>,
    required: Option<JsonNode<'d>>,
    any_of: Option<JsonNode<'d>>,
    additional_properties: Option<JsonNode<'d>>,
    reference: Option<JsonNode<'d>>,
}

impl<'d> SchemaFields<'d> {
    /// `None` if a field is unknown or has an invalid value.
    fn parse(schema: JsonNode<'d>, subset: OpenApiSubset, syntax: SchemaSyntax) -> Option<Self> {
        if !schema.is_object() {
            return None;
        }
        let mut parsed = Self::default();
        for field in schema.fields() {
            let (name, value) = (normalized_key(&field.key()), field.value);
            let is_extended = subset == OpenApiSubset::Extended;
            let is_text = value.is_string();
            let is_count = || match value.kind() {
                JsonKind::Number | JsonKind::String => {
                    let raw = value.raw().trim_matches('"');
                    raw.parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
                }
                _ => false,
            };
            let is_number =
                || value.raw().trim_matches('"').parse::<f64>().is_ok() && !value.is_array();
            let is_valid = value.is_null() && NULLABLE_FIELDS.contains(&&*name)
                || match &*name {
                    "type" if syntax == SchemaSyntax::JsonSchema && value.is_array() => {
                        let mut kinds = value.items().filter(|kind| kind.str_or_empty() != "null");
                        kinds.next().is_some_and(is_type) && kinds.next().is_none()
                    }
                    "type" => is_type(value) || value.as_u64().is_some(),
                    "format" | "title" | "description" | "pattern" => is_text,
                    "nullable" => {
                        value.as_bool().is_some()
                            || matches!(&*value.str_or_empty(), "true" | "false")
                    }
                    "enum" | "required" | "propertyordering" => {
                        all_or_single(value, &|item| item.is_string())
                    }
                    "properties" => value.is_object(),
                    "minitems" | "maxitems" | "minlength" | "maxlength" | "minproperties"
                    | "maxproperties" => is_count(),
                    "minimum" | "maximum" => is_number(),
                    "items" | "anyof" | "default" | "example" => true,
                    "additionalproperties" => is_extended,
                    "defs" => {
                        is_extended
                            && value.is_object()
                            && value.fields().all(|item| is_accepted(item.value, subset, syntax))
                    }
                    "ref" => is_extended && is_text,
                    _ => false,
                };
            if !is_valid {
                return None;
            }
            let value = Some(value).filter(|value| !value.is_null());
            match &*name {
                "type" => parsed.kind = value,
                "format" => parsed.format = value,
                "enum" => parsed.enum_values = value,
                "items" => parsed.items = value,
                "properties" => parsed.properties = value,
                "required" => parsed.required = value,
                "anyof" => parsed.any_of = value,
                "additionalproperties" => parsed.additional_properties = value,
                "ref" => parsed.reference = value,
                _ => {}
            }
        }
        Some(parsed)
    }
}

/// The type, which may be a list of two if the other one is `null`.
fn type_name(kind: JsonNode<'_>) -> std::borrow::Cow<'_, str> {
    let name = kind.items().find(|name| name.str_or_empty() != "null");
    name.unwrap_or(kind).str_or_empty()
}

fn is_type(kind: JsonNode<'_>) -> bool {
    TYPES.iter().any(|name| kind.str_or_empty().eq_ignore_ascii_case(name))
}

/// A key without underscores in lower case, for both spellings.
fn normalized_key(key: &str) -> String {
    key.replace('_', "").to_ascii_lowercase()
}

/// Whether the predicate holds for all items of a list, or for the single value without a list.
fn all_or_single(list: JsonNode<'_>, predicate: &dyn Fn(JsonNode<'_>) -> bool) -> bool {
    if list.is_array() { list.items().all(predicate) } else { predicate(list) }
}

const TYPES: &[&str] =
    &["TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
/// Fields for which null means absent.
const NULLABLE_FIELDS: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "items",
    "minitems",
    "maxitems",
    "minlength",
    "maxlength",
    "minproperties",
    "maxproperties",
    "pattern",
    "minimum",
    "maximum",
    "properties",
    "required",
    "propertyordering",
    "anyof",
    "default",
    "example",
];
