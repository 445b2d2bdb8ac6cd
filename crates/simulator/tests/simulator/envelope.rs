//! Compares error responses with the envelopes of `corpus/envelopes.json`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::client::Reply;

/// An expected error and the judge that reports it.
pub(crate) struct ExpectedError<'c> {
    pub dialect: &'c str,
    pub flavor: &'c str,
    pub status: u64,
    /// The corpus entry: the message and the other fields of the error.
    pub entry: &'c Value,
}

/// The rows of `corpus/envelopes.json`.
pub(crate) struct EnvelopeTable(Vec<Value>);

impl EnvelopeTable {
    pub(crate) fn read() -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/envelopes.json");
        let mut table: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        Self(serde_json::from_value(table["rows"].take()).unwrap())
    }

    /// The first difference between the reply and the envelope.
    pub(crate) fn difference(&self, expected: &ExpectedError<'_>, reply: &Reply) -> Option<String> {
        let Some(row) = self.0.iter().find(|row| expected.matches_row(row)) else {
            return Some(format!("no envelope for {} {}", expected.dialect, expected.flavor));
        };
        for (name, value) in row.get("headers").and_then(Value::as_object).into_iter().flatten() {
            let got = reply.header(name).map_or(Value::Null, Value::from);
            if !expected.matches_template(value, &got) {
                return Some(format!("{name} is {got}, not {value}"));
            }
        }
        let got = reply.json();
        (!expected.matches_template(&row["body"], &got))
            .then(|| format!("is {got}, not {}", row["body"]))
    }
}

impl ExpectedError<'_> {
    fn matches_row(&self, row: &Value) -> bool {
        let names = |name: &str| row.get(name).and_then(Value::as_array);
        let message = self.entry["message"].as_str().unwrap();
        row["judge"] == self.dialect
            && names("flavors").is_none_or(|names| names.iter().any(|name| name == self.flavor))
            && row.get("status").is_none_or(|status| status.as_u64() == Some(self.status))
            && names("begins").is_none_or(|names| {
                names.iter().any(|prefix| message.starts_with(prefix.as_str().unwrap()))
            })
            && names("says").is_none_or(|names| {
                names.iter().all(|name| self.entry.get(name.as_str().unwrap()).is_some())
            })
    }

    /// Whether the value matches the template, with the same keys in the same order.
    fn matches_template(&self, template: &Value, got: &Value) -> bool {
        match (template, got) {
            (Value::Object(wanted), Value::Object(got)) => {
                wanted.keys().eq(got.keys())
                    && wanted.iter().all(|(name, value)| self.matches_template(value, &got[name]))
            }
            (Value::Array(wanted), Value::Array(got)) => {
                wanted.len() == got.len()
                    && wanted
                        .iter()
                        .zip(got)
                        .all(|(wanted, got)| self.matches_template(wanted, got))
            }
            (Value::String(text), got) if text.starts_with('$') => {
                self.matches_placeholder(&text[1..], got)
            }
            (wanted, got) => wanted == got,
        }
    }

    fn matches_placeholder(&self, name: &str, got: &Value) -> bool {
        if let Some(prefix) = name.strip_prefix("id ") {
            return got
                .as_str()
                .is_some_and(|id| id.starts_with(prefix) && id.len() > prefix.len());
        }
        match name {
            "status" => got.as_u64() == Some(self.status),
            name => got == self.entry.get(name).unwrap_or(&Value::Null),
        }
    }
}
