//! Generates tool arguments that a schema accepts.
//!
//! Only required properties are generated. A string with a pattern takes an example, a default or
//! an enumerated value if the schema has one, and otherwise a text generated from the pattern.

use serde_json::{Map, Number, Value};

use super::pattern::matching_text;

/// Generates arguments; another variant gives other values where the schema allows it.
pub fn generate_arguments(schema: &Value, variant: usize) -> Value {
    let generator = ValueGenerator { root: schema, variant };
    let arguments = generator.generate(schema, "", 0);
    // Arguments are always an object, even if the schema has no type.
    if arguments.is_object() { arguments } else { Value::Object(Map::new()) }
}

struct ValueGenerator<'s> {
    root: &'s Value,
    variant: usize,
}

impl ValueGenerator<'_> {
    fn generate(&self, schema: &Value, name: &str, depth: usize) -> Value {
        if depth > MAX_DEPTH {
            return Value::Null;
        }
        let deeper = depth + 1;
        if let Some(reference) = schema.get("$ref").or_else(|| schema.get("ref")) {
            return self.generate(self.resolve_ref(reference), name, deeper);
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(values) = array_keyword(schema, "enum").filter(|values| !values.is_empty()) {
            return values[self.variant % values.len()].clone();
        }
        if let Some(all) = array_keyword(schema, "allOf") {
            return self.generate(&self.merge_all_of(schema, all), name, deeper);
        }
        for key in ["anyOf", "oneOf"] {
            let alternatives = array_keyword(schema, key).unwrap_or_default();
            let non_null =
                alternatives.iter().find(|alternative| schema_type(alternative) != "null");
            if let Some(alternative) = non_null.or(alternatives.first()) {
                return self.generate(alternative, name, deeper);
            }
        }
        match schema_type(schema).as_str() {
            "object" => self.object(schema, deeper),
            "array" => self.array(schema, name, deeper),
            "integer" => self.number(schema, true),
            "number" => self.number(schema, false),
            "boolean" => Value::Bool(self.variant.is_multiple_of(2)),
            "null" => Value::Null,
            _ => self.string(schema, name),
        }
    }

    fn object(&self, schema: &Value, depth: usize) -> Value {
        let mut object = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object);
        for name in
            array_keyword(schema, "required").unwrap_or_default().iter().filter_map(Value::as_str)
        {
            let inner = properties.and_then(|properties| properties.get(name));
            object
                .insert(name.to_owned(), self.generate(inner.unwrap_or(&Value::Null), name, depth));
        }
        let min_properties = u64_keyword(schema, "minProperties").unwrap_or_default();
        for (name, inner) in properties.into_iter().flatten() {
            if (object.len() as u64) < min_properties && !object.contains_key(name) {
                object.insert(name.clone(), self.generate(inner, name, depth));
            }
        }
        Value::Object(object)
    }

    fn array(&self, schema: &Value, name: &str, depth: usize) -> Value {
        let max_items = u64_keyword(schema, "maxItems").unwrap_or(u64::MAX);
        let count = u64_keyword(schema, "minItems").unwrap_or(1).max(1).min(max_items);
        let first = array_keyword(schema, "prefixItems").or_else(|| array_keyword(schema, "items"));
        let rest = schema.get("items").filter(|items| items.is_object()).unwrap_or(&Value::Null);
        let item = |at: u64| {
            let at = usize::try_from(at).unwrap_or_default();
            let inner = first.and_then(|first| first.get(at)).unwrap_or(rest);
            let generator = Self { root: self.root, variant: self.variant + at };
            generator.generate(inner, name.strip_suffix('s').unwrap_or(name), depth)
        };
        let count = count.max(first.map_or(0, <[Value]>::len) as u64).min(max_items).min(MAX_ITEMS);
        (0..count).map(item).collect()
    }

    fn number(&self, schema: &Value, is_integer: bool) -> Value {
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        // Draft 4 has booleans here: the bound of `minimum` or `maximum` itself is excluded.
        let is_exclusive = |key: &str| schema.get(key) == Some(&Value::Bool(true));
        let step = bound("multipleOf").unwrap_or(1.0);
        let (minimum, maximum) = (bound("minimum"), bound("maximum"));
        let (above, below) = (bound("exclusiveMinimum"), bound("exclusiveMaximum"));
        let low = match (minimum, above) {
            (Some(minimum), _) if is_exclusive("exclusiveMinimum") => Some(minimum + step),
            (Some(minimum), above) => {
                Some(above.map_or(minimum, |above| minimum.max(above + step)))
            }
            (None, above) => above.map(|above| above + step),
        };
        let high = match (maximum, below) {
            (Some(maximum), _) if is_exclusive("exclusiveMaximum") => Some(maximum - step),
            (Some(maximum), below) => {
                Some(below.map_or(maximum, |below| maximum.min(below - step)))
            }
            (None, below) => below.map(|below| below - step),
        };
        let mut number = 1.0_f64.max(low.unwrap_or(f64::MIN)).min(high.unwrap_or(f64::MAX));
        if low.is_some_and(|low| number < low) {
            // A step exceeds the upper bound: take the middle.
            number =
                minimum.or(above).unwrap_or(number).midpoint(maximum.or(below).unwrap_or(number));
        }
        #[expect(clippy::cast_precision_loss, reason = "the variants are few")]
        let next = number + step * self.variant as f64;
        if high.is_none_or(|high| next <= high) {
            number = next;
        }
        if schema.get("multipleOf").is_some() {
            number = (number / step).ceil() * step;
        }
        if is_integer {
            number = number.ceil();
        }
        // Below 2^53, so the conversion to an integer is exact.
        #[expect(clippy::cast_possible_truncation, reason = "checked against the bounds")]
        if number.fract() == 0.0 && number.abs() < 9e15 {
            return Value::from(number as i64);
        }
        Number::from_f64(number).map_or(Value::Null, Value::Number)
    }

    fn string(&self, schema: &Value, name: &str) -> Value {
        let suggested = array_keyword(schema, "examples").and_then(<[Value]>::first);
        let suggested =
            suggested.or_else(|| schema.get("example")).or_else(|| schema.get("default"));
        if let Some(Value::String(text)) = suggested {
            return Value::String(text.clone());
        }
        let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
        let by_format = FORMATS.iter().find(|(known, _)| *known == format);
        let min_length =
            usize::try_from(u64_keyword(schema, "minLength").unwrap_or(0)).unwrap_or(0);
        let max_length = u64_keyword(schema, "maxLength").and_then(|max| usize::try_from(max).ok());
        let pattern = schema.get("pattern").and_then(Value::as_str);
        let generated = pattern.and_then(|pattern| {
            matching_text(pattern, min_length, max_length.unwrap_or(usize::MAX))
        });
        if let Some(text) = generated {
            return Value::String(text);
        }
        let mut text = by_format
            .map_or_else(|| sample_text(name, self.variant), |(_, example)| (*example).to_owned());
        while text.chars().count() < min_length.min(MAX_STRING_CHARS) {
            text.push('x');
        }
        if let Some(max_length) = max_length {
            text = text.chars().take(max_length).collect();
        }
        Value::String(text)
    }

    fn resolve_ref(&self, reference: &Value) -> &Value {
        let pointer = reference.as_str().and_then(|text| text.strip_prefix('#'));
        pointer.and_then(|pointer| self.root.pointer(pointer)).unwrap_or(&Value::Null)
    }

    /// Merges a schema and its `allOf` into one.
    fn merge_all_of(&self, schema: &Value, all: &[Value]) -> Value {
        let mut out = schema.as_object().cloned().unwrap_or_default();
        out.shift_remove("allOf");
        for part in all {
            let part = part.get("$ref").map_or(part, |reference| self.resolve_ref(reference));
            for (key, value) in part.as_object().into_iter().flatten() {
                match (out.get_mut(key), value) {
                    (Some(Value::Object(old)), Value::Object(new)) => old.extend(new.clone()),
                    (Some(Value::Array(old)), Value::Array(new)) => old.extend(new.clone()),
                    _ => {
                        out.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        Value::Object(out)
    }
}

/// The type in lower case, guessed from the other keywords if it is missing.
fn schema_type(schema: &Value) -> String {
    let named = match schema.get("type") {
        Some(Value::String(name)) => Some(name.as_str()),
        Some(Value::Array(names)) => {
            let mut names = names.iter().filter_map(Value::as_str);
            names.find(|name| !name.eq_ignore_ascii_case("null"))
        }
        _ => None,
    };
    let guessed = || match schema {
        _ if schema.get("properties").is_some() || schema.get("required").is_some() => "object",
        _ if schema.get("items").is_some() => "array",
        _ => "string",
    };
    named.unwrap_or_else(guessed).to_ascii_lowercase()
}

fn array_keyword<'v>(schema: &'v Value, key: &str) -> Option<&'v [Value]> {
    schema.get(key).and_then(Value::as_array).map(Vec::as_slice)
}

fn u64_keyword(schema: &Value, key: &str) -> Option<u64> {
    match schema.get(key) {
        // Gemini has these numbers as strings.
        Some(Value::String(number)) => number.parse().ok(),
        other => other.and_then(Value::as_u64),
    }
}

/// An example text for a property of this name.
fn sample_text(name: &str, variant: usize) -> String {
    let lower = name.to_ascii_lowercase();
    let known = SAMPLE_TEXTS.iter().find(|(part, _)| lower.contains(part));
    match known {
        Some((_, values)) => values[variant % values.len()].to_owned(),
        None if name.is_empty() => format!("value {}", variant + 1),
        None => format!("{name} {}", variant + 1),
    }
}

const MAX_DEPTH: usize = 24;
const MAX_ITEMS: u64 = 1000;
const MAX_STRING_CHARS: usize = 10_000;

const FORMATS: &[(&str, &str)] = &[
    ("date", "2026-01-31"),
    ("date-time", "2026-01-31T12:00:00Z"),
    ("time", "12:00:00Z"),
    ("duration", "PT5M"),
    ("email", "someone@example.com"),
    ("hostname", "example.com"),
    ("ipv4", "192.0.2.1"),
    ("ipv6", "2001:db8::1"),
    ("uri", "https://example.com/"),
    ("uuid", "3f2b8c1e-5d4a-4b6f-9a7c-1e2d3c4b5a69"),
];

const SAMPLE_TEXTS: &[(&str, &[&str])] = &[
    ("path", &["README.md", "Cargo.toml", "LICENSE"]),
    ("file", &["README.md", "Cargo.toml", "LICENSE"]),
    ("dir", &[".", "src", "docs"]),
    ("command", &["echo one", "echo two", "echo three"]),
    ("cmd", &["echo one", "echo two", "echo three"]),
    ("city", &["Paris", "Oslo", "Lima"]),
    ("location", &["Paris", "Oslo", "Lima"]),
    ("country", &["France", "Norway", "Peru"]),
    ("url", &["https://example.com/", "https://example.org/", "https://example.net/"]),
    ("query", &["first question", "second question", "third question"]),
    ("pattern", &["one", "two", "three"]),
    ("unit", &["celsius"]),
    ("date", &["2026-01-31", "2026-02-28", "2026-03-31"]),
    ("email", &["someone@example.com", "other@example.com"]),
    ("lang", &["en", "fr", "es"]),
];
