//! Schemas of a provider's own kind, after `OpenAPI`: whether one may stand as it is.

use interlingua_wire::{Kind, Node};

use crate::profile::tools::OwnSchema;

/// How a schema is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelled {
    /// As it will leave.
    Here,
    /// As JSON Schema, to be spelled in the provider's way: that something may be null is a type.
    Anew,
}

/// Whether the provider takes it. Keys are spelled in either way.
pub(crate) fn fits(schema: Node<'_>, own: OwnSchema, spelled: Spelled) -> bool {
    let Some(read) = Read::of(schema, own, spelled) else { return false };
    let fits = |schema: Node<'_>, own: OwnSchema| fits(schema, own, spelled);
    let kind = read.kind.map(|kind| word(kind)).unwrap_or_default().to_ascii_uppercase();
    let properties = read.properties.filter(|all| !all.is_null());
    let names = |name: &str| properties.is_some_and(|all| all.get(name).is_some());
    let typed = !kind.is_empty() || read.any_of.is_some() || read.reference.is_some();
    let filled = properties.is_some_and(|all| !all.is_empty()) || read.more.is_some();
    // One value may stand without its list.
    let listed = read.values.is_some_and(|values| !(values.is_array() && values.is_empty()));
    let format = read.format.map(Node::word).unwrap_or_default();
    typed
        && (kind != "OBJECT" || filled)
        && (kind != "ARRAY" || read.items.is_some())
        && (kind.is_empty() || kind == "ARRAY" || read.items.is_none())
        && (matches!(&*kind, "" | "STRING") || !listed)
        && (kind != "STRING" || matches!(&*format, "" | "enum" | "date-time"))
        && read.required.is_none_or(|list| each(list, &|name| names(&name.word())))
        && properties.is_none_or(|all| all.fields().all(|one| fits(one.value, own)))
        && read.items.is_none_or(|items| fits(items, own))
        && read.any_of.is_none_or(|list| each(list, &|one| fits(one, own)))
}

/// The fields of a schema that say more than their type.
#[derive(Default)]
struct Read<'d> {
    kind: Option<Node<'d>>,
    format: Option<Node<'d>>,
    values: Option<Node<'d>>,
    items: Option<Node<'d>>,
    properties: Option<Node<'d>>,
    required: Option<Node<'d>>,
    any_of: Option<Node<'d>>,
    more: Option<Node<'d>>,
    reference: Option<Node<'d>>,
}

impl<'d> Read<'d> {
    /// `None` if a field is not known, or of another type.
    fn of(schema: Node<'d>, own: OwnSchema, spelled: Spelled) -> Option<Self> {
        if !schema.is_object() {
            return None;
        }
        let mut read = Self::default();
        for field in schema.fields() {
            let (name, value) = (plain(&field.name()), field.value);
            let wide = own == OwnSchema::Wide;
            let text = value.is_string();
            let is_count = || match value.kind() {
                Kind::Number | Kind::String => {
                    let raw = value.raw().trim_matches('"');
                    raw.parse::<f64>().is_ok_and(|number| number.fract() == 0.0)
                }
                _ => false,
            };
            let is_number =
                || value.raw().trim_matches('"').parse::<f64>().is_ok() && !value.is_array();
            let fits = value.is_null() && KNOWN.contains(&&*name)
                || match &*name {
                    "type" if spelled == Spelled::Anew && value.is_array() => {
                        let mut kinds = value.items().filter(|kind| kind.word() != "null");
                        kinds.next().is_some_and(is_type) && kinds.next().is_none()
                    }
                    "type" => is_type(value) || value.count().is_some(),
                    "format" | "title" | "description" | "pattern" => text,
                    "nullable" => {
                        value.boolean().is_some() || matches!(&*value.word(), "true" | "false")
                    }
                    "enum" | "required" | "propertyordering" => each(value, &|one| one.is_string()),
                    "properties" => value.is_object(),
                    "minitems" | "maxitems" | "minlength" | "maxlength" | "minproperties"
                    | "maxproperties" => is_count(),
                    "minimum" | "maximum" => is_number(),
                    "items" | "anyof" | "default" | "example" => true,
                    "additionalproperties" => wide,
                    "defs" => {
                        wide && value.is_object()
                            && value.fields().all(|one| fits(one.value, own, spelled))
                    }
                    "ref" => wide && text,
                    _ => false,
                };
            if !fits {
                return None;
            }
            let value = Some(value).filter(|value| !value.is_null());
            match &*name {
                "type" => read.kind = value,
                "format" => read.format = value,
                "enum" => read.values = value,
                "items" => read.items = value,
                "properties" => read.properties = value,
                "required" => read.required = value,
                "anyof" => read.any_of = value,
                "additionalproperties" => read.more = value,
                "ref" => read.reference = value,
                _ => {}
            }
        }
        Some(read)
    }
}

/// The type, which may be one of two if the other is that of nothing.
fn word(kind: Node<'_>) -> std::borrow::Cow<'_, str> {
    let one = kind.items().find(|one| one.word() != "null");
    one.unwrap_or(kind).word()
}

fn is_type(kind: Node<'_>) -> bool {
    TYPES.iter().any(|known| kind.word().eq_ignore_ascii_case(known))
}

/// A key in either spelling as one word.
fn plain(key: &str) -> String {
    key.replace('_', "").to_ascii_lowercase()
}

/// One of a list may stand without its list.
fn each(list: Node<'_>, is: &dyn Fn(Node<'_>) -> bool) -> bool {
    if list.is_array() { list.items().all(is) } else { is(list) }
}

const TYPES: &[&str] =
    &["TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"];
/// Fields for which null means that they are not set.
const KNOWN: &[&str] = &[
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
