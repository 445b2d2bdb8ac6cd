//! The error body that `corpus/envelopes.json` says a provider writes around its words.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::client::Reply;

/// What is refused, and by whom.
pub(crate) struct Refused<'c> {
    pub dialect: &'c str,
    pub flavor: &'c str,
    pub status: u64,
    /// The case: its words and what it says of the error beside them.
    pub entry: &'c Value,
}

/// The rows, read once.
pub(crate) struct Envelopes(Vec<Value>);

impl Envelopes {
    pub(crate) fn read() -> Self {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/envelopes.json");
        let mut table: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        Self(serde_json::from_value(table["rows"].take()).unwrap())
    }

    /// What of the reply is not as the provider writes it.
    pub(crate) fn differs(&self, refused: &Refused<'_>, reply: &Reply) -> Option<String> {
        let Some(row) = self.0.iter().find(|row| refused.fits(row)) else {
            return Some(format!("no envelope of {} {}", refused.dialect, refused.flavor));
        };
        for (name, value) in row.get("headers").and_then(Value::as_object).into_iter().flatten() {
            let got = reply.header(name).map_or(Value::Null, Value::from);
            if !refused.is(value, &got) {
                return Some(format!("{name} is {got}, not {value}"));
            }
        }
        let got = reply.json();
        (!refused.is(&row["body"], &got)).then(|| format!("is {got}, not {}", row["body"]))
    }
}

impl Refused<'_> {
    fn fits(&self, row: &Value) -> bool {
        let names = |name: &str| row.get(name).and_then(Value::as_array);
        let words = self.entry["message"].as_str().unwrap();
        row["judge"] == self.dialect
            && names("flavors").is_none_or(|names| names.iter().any(|name| name == self.flavor))
            && row.get("status").is_none_or(|status| status.as_u64() == Some(self.status))
            && names("begins").is_none_or(|names| {
                names.iter().any(|begin| words.starts_with(begin.as_str().unwrap()))
            })
            && names("says").is_none_or(|names| {
                names.iter().all(|name| self.entry.get(name.as_str().unwrap()).is_some())
            })
    }

    /// Whether this is what the template says, member for member in the same order.
    fn is(&self, template: &Value, got: &Value) -> bool {
        match (template, got) {
            (Value::Object(wanted), Value::Object(got)) => {
                wanted.keys().eq(got.keys())
                    && wanted.iter().all(|(name, value)| self.is(value, &got[name]))
            }
            (Value::Array(wanted), Value::Array(got)) => {
                wanted.len() == got.len()
                    && wanted.iter().zip(got).all(|(wanted, got)| self.is(wanted, got))
            }
            (Value::String(text), got) if text.starts_with('$') => self.fills(&text[1..], got),
            (wanted, got) => wanted == got,
        }
    }

    fn fills(&self, name: &str, got: &Value) -> bool {
        if let Some(begin) = name.strip_prefix("id ") {
            return got.as_str().is_some_and(|id| id.starts_with(begin) && id.len() > begin.len());
        }
        match name {
            "status" => got.as_u64() == Some(self.status),
            name => got == self.entry.get(name).unwrap_or(&Value::Null),
        }
    }
}
