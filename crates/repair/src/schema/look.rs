//! Whether a schema may stand as it is. Each question is one that some provider asks.

use interlingua_wire::{Kind, Node};

use crate::profile::tools::{Draft, Names, Root};

/// Whether the root says what the target wants it to say, and nothing that it does not; `None` where
/// there is no schema.
pub(crate) fn root_fits(schema: Option<Node<'_>>, wanted: Root, refused: &[&str]) -> bool {
    let Some(schema) = schema else {
        return matches!(wanted, Root::Free | Root::Any | Root::Object);
    };
    let says_object = || schema.get("type").is_some_and(|kind| kind.word() == "object");
    match wanted {
        Root::Free => true,
        Root::Any => schema.is_object() || schema.boolean().is_some(),
        Root::Object | Root::Needed => {
            says_object() && !refused.iter().any(|key| schema.get(key).is_some())
        }
    }
}

/// Whether the properties at the root have names of this kind.
pub(crate) fn named_within(schema: Node<'_>, names: &Names) -> bool {
    let properties = schema.get("properties").into_iter().flat_map(Node::fields);
    properties.into_iter().all(|property| names.fit(&property.name()))
}

pub(crate) fn is_valid(schema: Node<'_>, draft: Draft) -> bool {
    match draft {
        Draft::Unchecked => true,
        Draft::Seven => is_seven(schema),
        Draft::TwentyTwenty => is_twenty_twenty(schema),
    }
}

fn is_twenty_twenty(schema: Node<'_>) -> bool {
    match schema.kind() {
        Kind::Bool => true,
        Kind::Object => {
            schema.fields().all(|field| is_twenty_twenty_keyword(&field.name(), field.value))
        }
        Kind::Null | Kind::Number | Kind::String | Kind::Array => false,
    }
}

fn is_twenty_twenty_keyword(key: &str, value: Node<'_>) -> bool {
    match holds(key) {
        Keyword::Type if value.is_array() => {
            !value.is_empty() && value.items().all(is_type) && are_unique(value)
        }
        Keyword::Type => is_type(value),
        Keyword::Schemas => {
            value.is_object() && value.fields().all(|field| is_twenty_twenty(field.value))
        }
        Keyword::Schema => is_twenty_twenty(value),
        Keyword::List => {
            value.is_array() && !value.is_empty() && value.items().all(is_twenty_twenty)
        }
        Keyword::Names => {
            value.is_array() && value.items().all(Node::is_string) && are_unique(value)
        }
        Keyword::Values => value.is_array(),
        Keyword::Number => value.kind() == Kind::Number,
        Keyword::Count => is_count(value),
        Keyword::Flag => value.boolean().is_some(),
        Keyword::Text => value.is_string(),
        Keyword::Other => true,
    }
}

/// A whole number that is not less than nothing, however large and however it is spelled.
fn is_count(value: Node<'_>) -> bool {
    let number = Some(value).filter(|value| value.kind() == Kind::Number);
    let number = number.and_then(|value| value.raw().parse::<f64>().ok());
    number.is_some_and(|number| number >= 0.0 && number.fract() == 0.0)
}

/// The seventh draft is checked in less.
fn is_seven(schema: Node<'_>) -> bool {
    match schema.kind() {
        Kind::Bool => true,
        Kind::Object => schema.fields().all(|field| is_seven_keyword(&field.name(), field.value)),
        Kind::Null | Kind::Number | Kind::String | Kind::Array => false,
    }
}

fn is_seven_keyword(key: &str, value: Node<'_>) -> bool {
    match key {
        "type" if value.is_array() => value.items().all(is_type),
        "type" => is_type(value),
        "required" | "enum" => value.is_array(),
        "properties" | "definitions" | "$defs" | "patternProperties" => {
            value.is_object() && value.fields().all(|field| is_seven(field.value))
        }
        "items" | "anyOf" | "oneOf" | "allOf" if value.is_array() => value.items().all(is_seven),
        "anyOf" | "oneOf" | "allOf" => false,
        "items" | "additionalProperties" | "not" | "if" | "then" | "else" => is_seven(value),
        _ => true,
    }
}

fn is_type(value: Node<'_>) -> bool {
    TYPES.contains(&&*value.word())
}

pub(crate) fn are_unique(list: Node<'_>) -> bool {
    let before = |at: usize, item: Node<'_>| {
        list.items().take(at).any(|earlier| earlier.word() == item.word())
    };
    !list.items().enumerate().any(|(at, item)| before(at, item))
}

/// Whether some array does not say what it holds.
pub(crate) fn has_bare_array(schema: Node<'_>) -> bool {
    any(schema, false, &|node| {
        node.get("type").is_some_and(|kind| kind.word() == "array")
            && node.get("items").is_none()
            && node.get("prefixItems").is_none()
    })
}

/// Whether some type is a list.
pub(crate) fn has_type_list(schema: Node<'_>) -> bool {
    any(schema, false, &|node| node.get("type").is_some_and(Node::is_array))
}

/// Whether some reference has something beside it, or some items are a list.
pub(crate) fn has_crowded_reference(schema: Node<'_>) -> bool {
    any(schema, false, &|node| {
        let beside = node.fields().any(|field| !field.is("$ref") && !field.is("$defs"));
        node.get("$ref").is_some() && beside || node.get("items").is_some_and(Node::is_array)
    })
}

pub(crate) fn has_keyword(schema: Node<'_>, keywords: &[&str]) -> bool {
    !keywords.is_empty()
        && any(schema, false, &|node| {
            node.fields().any(|field| keywords.iter().any(|key| field.is(key)))
        })
}

pub(crate) fn has_reference(schema: Node<'_>) -> bool {
    any(schema, true, &|node| node.get("$ref").is_some())
}

/// Whether an object is open or has a property that is not required, or a reference has something
/// beside it, or one of these keywords stands anywhere.
pub(crate) fn is_loose(schema: Node<'_>, refused: &[&str]) -> bool {
    any(schema, false, &|node| {
        let [kind, properties, more, required, reference] =
            node.pick(["type", "properties", "additionalProperties", "required", "$ref"]);
        let properties = properties.filter(|properties| properties.is_object());
        let is_object =
            kind.is_some_and(|kind| kind.word() == "object") || node.get("properties").is_some();
        let open = is_object && more.and_then(Node::boolean) != Some(false);
        let is_required = |name: &str| {
            required
                .is_some_and(|list| list.items().any(|one| one.is_string() && one.word() == name))
        };
        open || properties.is_some_and(|all| all.fields().any(|one| !is_required(&one.name())))
            || reference.is_some() && node.len() > 1
            || node.fields().any(|field| refused.iter().any(|key| field.is(key)))
    })
}

/// Whether an object is open, or a pattern looks around.
pub(crate) fn is_uncompiled(schema: Node<'_>) -> bool {
    any(schema, true, &|node| {
        let [kind, more, pattern] = node.pick(["type", "additionalProperties", "pattern"]);
        let is_object = kind.is_some_and(|kind| kind.word() == "object");
        let pattern = pattern.map(Node::word).unwrap_or_default();
        is_object && more.and_then(Node::boolean) != Some(false)
            || LOOKING.iter().any(|mark| pattern.contains(mark))
    })
}

/// How many properties are not required.
pub(crate) fn optional(schema: Node<'_>) -> usize {
    let count = std::cell::Cell::new(0);
    any(schema, true, &|node| {
        let [properties, required] = node.pick(["properties", "required"]);
        let names = properties.filter(|all| all.is_object()).map_or(0, Node::len);
        let needed = required.filter(|all| all.is_array()).map_or(0, Node::len);
        count.set(count.get() + names.saturating_sub(needed));
        false
    });
    count.get()
}

/// Whether some schema inside this one, or itself, is so. Providers look into some keywords only;
/// `wide` says whether into a few more.
pub(crate) fn any(schema: Node<'_>, wide: bool, is: &dyn Fn(Node<'_>) -> bool) -> bool {
    if !schema.is_object() {
        return false;
    }
    is(schema)
        || schema.fields().any(|field| match &*field.name() {
            "properties" | "$defs" | "definitions" => {
                field.value.fields().any(|one| any(one.value, wide, is))
            }
            "patternProperties" if wide => field.value.fields().any(|one| any(one.value, wide, is)),
            "items" | "additionalProperties" | "not" => any(field.value, wide, is),
            "contains" if wide => any(field.value, wide, is),
            "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                field.value.items().any(|one| any(one, wide, is))
            }
            _ => false,
        })
}

/// What a keyword holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    Type,
    /// Schemas by name.
    Schemas,
    Schema,
    /// A list of schemas.
    List,
    Names,
    Values,
    Number,
    Count,
    Flag,
    Text,
    Other,
}

pub(crate) fn holds(key: &str) -> Keyword {
    match key {
        "type" => Keyword::Type,
        "properties" | "$defs" | "definitions" | "patternProperties" | "dependentSchemas" => {
            Keyword::Schemas
        }
        "items"
        | "additionalProperties"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contains"
        | "propertyNames"
        | "unevaluatedProperties"
        | "unevaluatedItems" => Keyword::Schema,
        "anyOf" | "oneOf" | "allOf" | "prefixItems" => Keyword::List,
        "required" => Keyword::Names,
        "enum" => Keyword::Values,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            Keyword::Number
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            Keyword::Count
        }
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => Keyword::Flag,
        "title" | "description" | "pattern" | "format" | "$ref" | "$id" | "$schema" => {
            Keyword::Text
        }
        _ => Keyword::Other,
    }
}

pub(crate) const TYPES: &[&str] =
    &["array", "boolean", "integer", "null", "number", "object", "string"];
/// Marks of patterns that look ahead, behind or back.
const LOOKING: &[&str] = &["(?=", "(?!", "(?<=", "(?<!", "\\1", "\\b"];
