//! Reads fields of plain JSON.

use serde_json::{Map, Value};

/// Field access for JSON objects. Most objects have few keys: a linear scan is faster than hashing.
pub(crate) trait JsonExt {
    /// A field by name; `None` if the value is no object.
    fn field(&self, key: &str) -> Option<&Value>;
}

impl JsonExt for Value {
    fn field(&self, key: &str) -> Option<&Value> {
        self.as_object()?.field(key)
    }
}

impl JsonExt for Map<String, Value> {
    fn field(&self, key: &str) -> Option<&Value> {
        if self.len() > LINEAR_SCAN_MAX {
            return self.get(key);
        }
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

/// The elements of an array field; empty if it is missing or of another type.
pub(crate) fn array_field<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.field(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// A string field; empty if it is missing or of another type.
pub(crate) fn str_field<'v>(value: &'v Value, key: &str) -> &'v str {
    value.field(key).and_then(Value::as_str).unwrap_or_default()
}

/// The JSON type of a value for error messages of `OpenAI`'s APIs.
pub(crate) fn json_type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a decimal",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

const LINEAR_SCAN_MAX: usize = 16;
