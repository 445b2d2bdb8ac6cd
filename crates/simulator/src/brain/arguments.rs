//! Arguments that a schema accepts.
//!
//! What the schema requires is made, and nothing else. A string with a pattern takes an example, a
//! default or an enumerated value if the schema has one, or else a text made for the pattern.

use serde_json::{Map, Number, Value};

use super::pattern::fitting;

/// Makes arguments; those of another variant are different where the schema leaves room.
pub fn make(schema: &Value, variant: usize) -> Value {
    let maker = Maker { root: schema, variant };
    let made = maker.value(schema, "", 0);
    // Arguments are an object, whatever a schema forgets to say.
    if made.is_object() { made } else { Value::Object(Map::new()) }
}

struct Maker<'s> {
    root: &'s Value,
    variant: usize,
}

impl Maker<'_> {
    fn value(&self, schema: &Value, name: &str, depth: usize) -> Value {
        if depth > DEEPEST {
            return Value::Null;
        }
        let deeper = depth + 1;
        if let Some(found) = schema.get("$ref").or_else(|| schema.get("ref")) {
            return self.value(self.resolve(found), name, deeper);
        }
        if let Some(constant) = schema.get("const") {
            return constant.clone();
        }
        if let Some(values) = list(schema, "enum").filter(|values| !values.is_empty()) {
            return values[self.variant % values.len()].clone();
        }
        if let Some(all) = list(schema, "allOf") {
            return self.value(&self.merged(schema, all), name, deeper);
        }
        for key in ["anyOf", "oneOf"] {
            let alternatives = list(schema, key).unwrap_or_default();
            let real = alternatives.iter().find(|one| kind(one) != "null");
            if let Some(one) = real.or(alternatives.first()) {
                return self.value(one, name, deeper);
            }
        }
        match kind(schema).as_str() {
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
        let mut made = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object);
        for name in list(schema, "required").unwrap_or_default().iter().filter_map(Value::as_str) {
            let inner = properties.and_then(|properties| properties.get(name));
            made.insert(name.to_owned(), self.value(inner.unwrap_or(&Value::Null), name, depth));
        }
        let least = whole(schema, "minProperties").unwrap_or_default();
        for (name, inner) in properties.into_iter().flatten() {
            if (made.len() as u64) < least && !made.contains_key(name) {
                made.insert(name.clone(), self.value(inner, name, depth));
            }
        }
        Value::Object(made)
    }

    fn array(&self, schema: &Value, name: &str, depth: usize) -> Value {
        let most = whole(schema, "maxItems").unwrap_or(u64::MAX);
        let count = whole(schema, "minItems").unwrap_or(1).max(1).min(most);
        let first = list(schema, "prefixItems").or_else(|| list(schema, "items"));
        let rest = schema.get("items").filter(|items| items.is_object()).unwrap_or(&Value::Null);
        let item = |at: u64| {
            let at = usize::try_from(at).unwrap_or_default();
            let inner = first.and_then(|first| first.get(at)).unwrap_or(rest);
            let maker = Self { root: self.root, variant: self.variant + at };
            maker.value(inner, name.strip_suffix('s').unwrap_or(name), depth)
        };
        let count = count.max(first.map_or(0, <[Value]>::len) as u64).min(most).min(MOST_ITEMS);
        (0..count).map(item).collect()
    }

    fn number(&self, schema: &Value, whole: bool) -> Value {
        let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
        // Draft 4 says with a boolean that the bound itself is excluded.
        let excluded = |key: &str| schema.get(key) == Some(&Value::Bool(true));
        let step = bound("multipleOf").unwrap_or(1.0);
        let (least, most) = (bound("minimum"), bound("maximum"));
        let (above, below) = (bound("exclusiveMinimum"), bound("exclusiveMaximum"));
        let low = match (least, above) {
            (Some(least), _) if excluded("exclusiveMinimum") => Some(least + step),
            (Some(least), above) => Some(above.map_or(least, |above| least.max(above + step))),
            (None, above) => above.map(|above| above + step),
        };
        let high = match (most, below) {
            (Some(most), _) if excluded("exclusiveMaximum") => Some(most - step),
            (Some(most), below) => Some(below.map_or(most, |below| most.min(below - step))),
            (None, below) => below.map(|below| below - step),
        };
        let mut made = 1.0_f64.max(low.unwrap_or(f64::MIN)).min(high.unwrap_or(f64::MAX));
        if low.is_some_and(|low| made < low) {
            // A step is too far: in the middle.
            made = least.or(above).unwrap_or(made).midpoint(most.or(below).unwrap_or(made));
        }
        #[expect(clippy::cast_precision_loss, reason = "the variants are few")]
        let next = made + step * self.variant as f64;
        if high.is_none_or(|high| next <= high) {
            made = next;
        }
        if schema.get("multipleOf").is_some() {
            made = (made / step).ceil() * step;
        }
        if whole {
            made = made.ceil();
        }
        // Far inside what an integer holds exactly: spelled as one.
        #[expect(clippy::cast_possible_truncation, reason = "checked against the bounds")]
        if made.fract() == 0.0 && made.abs() < 9e15 {
            return Value::from(made as i64);
        }
        Number::from_f64(made).map_or(Value::Null, Value::Number)
    }

    fn string(&self, schema: &Value, name: &str) -> Value {
        let suggested = list(schema, "examples").and_then(<[Value]>::first);
        let suggested =
            suggested.or_else(|| schema.get("example")).or_else(|| schema.get("default"));
        if let Some(Value::String(text)) = suggested {
            return Value::String(text.clone());
        }
        let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
        let by_format = FORMATS.iter().find(|(known, _)| *known == format);
        let least = usize::try_from(whole(schema, "minLength").unwrap_or(0)).unwrap_or(0);
        let most = whole(schema, "maxLength").and_then(|most| usize::try_from(most).ok());
        let pattern = schema.get("pattern").and_then(Value::as_str);
        let fitting = pattern.and_then(|it| fitting(it, least, most.unwrap_or(usize::MAX)));
        if let Some(text) = fitting {
            return Value::String(text);
        }
        let mut text = by_format
            .map_or_else(|| plausible(name, self.variant), |(_, example)| (*example).to_owned());
        while text.chars().count() < least.min(LONGEST) {
            text.push('x');
        }
        if let Some(most) = most {
            text = text.chars().take(most).collect();
        }
        Value::String(text)
    }

    fn resolve(&self, found: &Value) -> &Value {
        let pointer = found.as_str().and_then(|found| found.strip_prefix('#'));
        pointer.and_then(|pointer| self.root.pointer(pointer)).unwrap_or(&Value::Null)
    }

    /// One schema that asks for what all of them ask for.
    fn merged(&self, schema: &Value, all: &[Value]) -> Value {
        let mut out = schema.as_object().cloned().unwrap_or_default();
        out.shift_remove("allOf");
        for one in all {
            let one = one.get("$ref").map_or(one, |found| self.resolve(found));
            for (key, value) in one.as_object().into_iter().flatten() {
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

/// The type, in lower case; guessed from the other keywords where it is missing.
fn kind(schema: &Value) -> String {
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

fn list<'v>(schema: &'v Value, key: &str) -> Option<&'v [Value]> {
    schema.get(key).and_then(Value::as_array).map(Vec::as_slice)
}

fn whole(schema: &Value, key: &str) -> Option<u64> {
    match schema.get(key) {
        // One API spells these numbers as strings.
        Some(Value::String(number)) => number.parse().ok(),
        other => other.and_then(Value::as_u64),
    }
}

/// A text that could stand under this name.
fn plausible(name: &str, variant: usize) -> String {
    let lower = name.to_ascii_lowercase();
    let known = PLAUSIBLE.iter().find(|(part, _)| lower.contains(part));
    match known {
        Some((_, values)) => values[variant % values.len()].to_owned(),
        None if name.is_empty() => format!("value {}", variant + 1),
        None => format!("{name} {}", variant + 1),
    }
}

const DEEPEST: usize = 24;
const MOST_ITEMS: u64 = 1000;
const LONGEST: usize = 10_000;

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

const PLAUSIBLE: &[(&str, &[&str])] = &[
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
