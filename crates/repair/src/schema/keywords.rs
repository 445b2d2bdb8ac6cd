//! Corrects the keywords of a schema: converts those of other drafts and removes invalid ones.

use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Field, JsonKind, JsonNode, JsonString, JsonWriter, RawJson};

use crate::schema::check::{KeywordKind, TYPES, keyword_kind};
use crate::schema::names::{OrderedNames, are_unique, distinct_fields};
use crate::schema::narrow::{guess_type, narrow};

/// The rewritten schema and the keywords that were changed or removed.
pub(crate) fn rewrite_keywords(
    schema: &RawJson,
    rejected: &'static [&'static str],
    restricted: bool,
) -> (RawJson, Vec<String>) {
    let doc = schema.to_doc();
    let mut keyword_rewriter = KeywordRewriter { rejected, restricted, changed: Vec::new() };
    let mut out = JsonWriter::with_capacity(schema.as_str().len() + 64);
    keyword_rewriter.rewrite_schema(doc.root(), &mut out);
    (out.into_json(), keyword_rewriter.changed)
}

struct KeywordRewriter {
    /// Keywords that the target rejects.
    rejected: &'static [&'static str],
    /// The target supports a restricted schema language only.
    restricted: bool,
    changed: Vec<String>,
}

impl KeywordRewriter {
    fn record(&mut self, keyword: &str) {
        if !self.changed.iter().any(|changed| changed == keyword) {
            self.changed.push(keyword.to_owned());
        }
    }

    fn rewrite_schema(&mut self, schema: JsonNode<'_>, out: &mut JsonWriter) {
        if let Some((rewritten, keyword)) = self.restricted.then(|| narrow(schema)).flatten() {
            self.record(keyword);
            return self.rewrite_schema(rewritten.to_doc().root(), out);
        }
        match schema.kind() {
            JsonKind::Object => out.object(|object| {
                for field in distinct_fields(schema) {
                    self.rewrite_keyword(schema, &field.key_json_string(), field.value, object);
                }
                self.add_items(schema, object);
                add_required(schema, object);
            }),
            JsonKind::Bool => out.json(&schema.json()),
            JsonKind::Null | JsonKind::Number | JsonKind::String | JsonKind::Array => {
                self.record("invalid schemas");
                out.object(|_| {});
            }
        }
    }

    /// Adds `items` to a type that includes arrays.
    fn add_items(&mut self, schema: JsonNode<'_>, object: &mut ObjectWriter<'_>) {
        let is_array = |kind: JsonNode<'_>| {
            kind.str_or_empty() == "array"
                || kind.items().any(|name| name.str_or_empty() == "array")
        };
        let is_tuple = self.needs_tuple_choice(schema)
            || schema.get(PREFIX_ITEMS).is_some() && !self.is_rejected(PREFIX_ITEMS);
        let has_items = schema.get("items").is_some() || is_tuple;
        if schema.get("type").is_some_and(is_array) && !has_items {
            self.record("items");
            object.object("items", |_| {});
        }
    }

    fn rewrite_keyword(
        &mut self,
        schema: JsonNode<'_>,
        key: &JsonString,
        value: JsonNode<'_>,
        object: &mut ObjectWriter<'_>,
    ) {
        let name = key.unescape();
        if self.is_rejected(&name) {
            self.record(&name);
            return self.write_replacement(schema, &name, value, object);
        }
        match keyword_kind(&name) {
            // Encoded together with `prefixItems`.
            KeywordKind::Schema if name == "items" && self.needs_tuple_choice(schema) => {}
            KeywordKind::Type => self.rewrite_type(value, object),
            KeywordKind::SchemaMap => self.rewrite_map(key, value, object),
            KeywordKind::Schema if name == "items" && value.is_array() => {
                self.rewrite_tuple(schema, value, object);
            }
            KeywordKind::Schema if value.is_object() || value.as_bool().is_some() => {
                self.rewrite_schema(value, object.key_json_string(key));
            }
            KeywordKind::Schema => {
                self.record(&name);
                if name == "items" {
                    object.object("items", |_| {});
                }
            }
            KeywordKind::SchemaList if value.is_array() && !value.is_empty() => {
                object.key_json_string(key).array(|list| {
                    value.items().for_each(|item| self.rewrite_schema(item, list.item()));
                });
            }
            KeywordKind::Names if value.is_array() => {
                self.rewrite_required(schema, key, value, object);
            }
            KeywordKind::Values if !value.is_array() && !value.is_object() && !value.is_null() => {
                self.record(&name);
                object.key_json_string(key).array(|list| list.item().json(&value.json()));
            }
            KeywordKind::Number => self.rewrite_limit(schema, key, value, object),
            kind if is_valid_value(kind, value) => object.key_json_string(key).json(&value.json()),
            _ => {
                self.record(&name);
                // An array has one of the two.
                if name == PREFIX_ITEMS && schema.get("items").is_none() {
                    object.object("items", |_| {});
                }
            }
        }
    }

    fn rewrite_type(&mut self, value: JsonNode<'_>, object: &mut ObjectWriter<'_>) {
        let is_known = |kind: JsonNode<'_>| TYPES.contains(&&*kind.str_or_empty());
        if is_known(value)
            || value.is_array()
                && !value.is_empty()
                && value.items().all(is_known)
                && are_unique(value)
        {
            return object.json("type", &value.json());
        }
        self.record("type");
        let mut kinds: Vec<&'static str> = Vec::new();
        let single = (!value.is_array()).then_some(value);
        for kind in value.items().chain(single).filter_map(guess_type) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        match kinds.as_slice() {
            [] => {}
            [single] => object.str("type", single),
            many => {
                object.array("type", |list| many.iter().for_each(|single| list.item().str(single)));
            }
        }
    }

    fn rewrite_map(
        &mut self,
        key: &JsonString,
        value: JsonNode<'_>,
        object: &mut ObjectWriter<'_>,
    ) {
        if !value.is_object() {
            self.record(&key.unescape());
        }
        object.key_json_string(key).object(|object| {
            for field in value.fields() {
                self.rewrite_schema(field.value, object.key_json_string(&field.key_json_string()));
            }
        });
    }

    /// A list under `items` is `prefixItems` since draft 2020-12.
    fn rewrite_tuple(
        &mut self,
        schema: JsonNode<'_>,
        value: JsonNode<'_>,
        object: &mut ObjectWriter<'_>,
    ) {
        self.record("items");
        if value.is_empty() {
            return object.object("items", |_| {});
        }
        if self.is_rejected(PREFIX_ITEMS) {
            return self.write_items_choice(value, None, object);
        }
        object.array(PREFIX_ITEMS, |list| {
            value.items().for_each(|item| self.rewrite_schema(item, list.item()));
        });
        let additional = schema.get("additionalItems");
        if let Some(additional) =
            additional.filter(|additional| additional.is_object() || additional.as_bool().is_some())
        {
            self.rewrite_schema(additional, object.key("items"));
        }
    }

    fn rewrite_required(
        &mut self,
        schema: JsonNode<'_>,
        key: &JsonString,
        value: JsonNode<'_>,
        object: &mut ObjectWriter<'_>,
    ) {
        let mut names = OrderedNames::default();
        let flagged = required_properties(schema).filter(|_| *key == "required");
        for name in value.items().filter_map(JsonNode::json_string).chain(flagged) {
            names.insert(name);
        }
        let names = names.as_slice();
        if names.len() != value.len() {
            self.record(&key.unescape());
        }
        object
            .key_json_string(key)
            .array(|list| names.iter().for_each(|name| list.item().json_string(name)));
    }

    /// In draft 4, `exclusiveMinimum: true` applies to `minimum`.
    fn rewrite_limit(
        &mut self,
        schema: JsonNode<'_>,
        key: &JsonString,
        value: JsonNode<'_>,
        object: &mut ObjectWriter<'_>,
    ) {
        let name = key.unescape();
        let is_exclusive = |key: &str| schema.get(key).and_then(JsonNode::as_bool) == Some(true);
        let limit = match &*name {
            "exclusiveMinimum" => schema.get("minimum"),
            "exclusiveMaximum" => schema.get("maximum"),
            _ => None,
        };
        let is_exclusive_limit = name == "minimum" && is_exclusive("exclusiveMinimum")
            || name == "maximum" && is_exclusive("exclusiveMaximum");
        let is_number = |value: &JsonNode<'_>| value.kind() == JsonKind::Number;
        match (value.kind(), limit.filter(is_number)) {
            (JsonKind::Number, _) if !is_exclusive_limit => {
                object.key_json_string(key).json(&value.json());
            }
            (JsonKind::Bool, Some(limit)) if value.as_bool() == Some(true) => {
                self.record(&name);
                object.key_json_string(key).json(&limit.json());
            }
            (JsonKind::String, _)
                if value.str_or_empty().parse::<f64>().is_ok_and(f64::is_finite) =>
            {
                self.record(&name);
                if let Ok(number) = RawJson::parse(value.str_or_empty().into_owned()) {
                    object.key_json_string(key).json(&number);
                }
            }
            _ => self.record(&name),
        }
    }

    fn is_rejected(&self, keyword: &str) -> bool {
        self.rejected.contains(&keyword)
    }

    /// Whether `prefixItems` becomes an `anyOf` in `items`, because the target rejects it.
    fn needs_tuple_choice(&self, schema: JsonNode<'_>) -> bool {
        let is_filled = |list: JsonNode<'_>| list.is_array() && !list.is_empty();
        self.is_rejected(PREFIX_ITEMS) && schema.get(PREFIX_ITEMS).is_some_and(is_filled)
    }

    /// Writes `items` as a choice among these schemas.
    fn write_items_choice(
        &mut self,
        list: JsonNode<'_>,
        additional: Option<JsonNode<'_>>,
        object: &mut ObjectWriter<'_>,
    ) {
        let choices: Vec<JsonNode<'_>> = list.items().chain(additional).collect();
        if let [choice] = choices.as_slice() {
            return self.rewrite_schema(*choice, object.key("items"));
        }
        object.object("items", |object| {
            object.array("anyOf", |out| {
                for choice in &choices {
                    self.rewrite_schema(*choice, out.item());
                }
            });
        });
    }

    /// Writes keywords that replace a rejected one.
    fn write_replacement(
        &mut self,
        schema: JsonNode<'_>,
        name: &str,
        value: JsonNode<'_>,
        object: &mut ObjectWriter<'_>,
    ) {
        let is_absent = |key: &str| schema.get(key).is_none();
        match name {
            "const" if value.is_string() && is_absent("enum") => {
                if is_absent("type") {
                    object.str("type", "string");
                }
                object.array("enum", |list| list.item().json(&value.json()));
            }
            "exclusiveMinimum" if value.kind() == JsonKind::Number && is_absent("minimum") => {
                object.json("minimum", &value.json());
            }
            "exclusiveMaximum" if value.kind() == JsonKind::Number && is_absent("maximum") => {
                object.json("maximum", &value.json());
            }
            "oneOf" if value.is_array() && !value.is_empty() && is_absent("anyOf") => {
                object.array("anyOf", |list| {
                    value.items().for_each(|item| self.rewrite_schema(item, list.item()));
                });
            }
            PREFIX_ITEMS if self.needs_tuple_choice(schema) => {
                let additional = schema.get("items").filter(|additional| additional.is_object());
                self.write_items_choice(value, additional, object);
            }
            _ => {}
        }
    }
}

/// In draft 3, properties have `required: true`; later drafts list them in the object.
fn add_required(schema: JsonNode<'_>, object: &mut ObjectWriter<'_>) {
    let names: Vec<JsonString> = required_properties(schema).collect();
    if !names.is_empty() && !schema.get("required").is_some_and(JsonNode::is_array) {
        object
            .array("required", |list| names.iter().for_each(|name| list.item().json_string(name)));
    }
}

/// Properties with `required: true`.
fn required_properties<'a>(schema: JsonNode<'a>) -> impl Iterator<Item = JsonString> + 'a {
    let properties = schema.get("properties").into_iter().flat_map(JsonNode::fields);
    let is_required =
        |schema: JsonNode<'a>| schema.get("required").and_then(JsonNode::as_bool) == Some(true);
    properties.filter(move |field| is_required(field.value)).map(Field::key_json_string)
}

fn is_valid_value(kind: KeywordKind, value: JsonNode<'_>) -> bool {
    match kind {
        KeywordKind::Values => value.is_array(),
        KeywordKind::Count => value.as_u64().is_some(),
        KeywordKind::Flag => value.as_bool().is_some(),
        KeywordKind::Text => value.is_string(),
        KeywordKind::Other => true,
        KeywordKind::Type
        | KeywordKind::SchemaMap
        | KeywordKind::Schema
        | KeywordKind::SchemaList
        | KeywordKind::Names
        | KeywordKind::Number => false,
    }
}

const PREFIX_ITEMS: &str = "prefixItems";
