//! What clients really send: bodies with something odd somewhere.

use bytes::Bytes;
use interlingua::Dialect;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use crate::render;
use crate::script::Script;

/// Odd things to do to a body, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Mess(Vec<(Odd, Index)>);

#[derive(Clone, Copy, Debug)]
enum Odd {
    /// A field nobody knows.
    UnknownField,
    /// A null where something stood.
    Null,
    /// A number where something stood.
    Number,
    /// An empty string, array or object where one stood.
    Empty,
    /// One thing where a list of one was expected, and the other way round.
    Unlisted,
    Listed,
    /// A string that holds what stood there.
    Stringified,
    /// An element twice.
    Twice,
    /// A type nobody knows.
    Retyped,
}

pub(crate) fn mess() -> impl Strategy<Value = Mess> {
    let odd = select(&[
        Odd::UnknownField,
        Odd::Null,
        Odd::Number,
        Odd::Empty,
        Odd::Unlisted,
        Odd::Listed,
        Odd::Stringified,
        Odd::Twice,
        Odd::Retyped,
    ]);
    prop::collection::vec((odd, any::<Index>()), 1..4).prop_map(Mess)
}

impl Mess {
    pub(crate) fn body(&self, script: &Script, dialect: &dyn Dialect) -> Bytes {
        let mut body = render::value(script, dialect);
        self.make(&mut body);
        render::spell(&body, script)
    }

    /// Any other body with these oddities.
    pub(crate) fn of(&self, body: &[u8]) -> Bytes {
        let mut body = serde_json::from_slice(body).unwrap_or(Value::Null);
        self.make(&mut body);
        body.to_string().into()
    }

    fn make(&self, body: &mut Value) {
        for (odd, index) in &self.0 {
            let mut places = Vec::new();
            visit(body, String::new(), &mut places);
            if places.is_empty() {
                return;
            }
            let place = &places[index.index(places.len())];
            if let Some(value) = body.pointer_mut(place) {
                odd.make(value);
            }
        }
    }
}

/// The place of everything below the body.
fn visit(value: &Value, path: String, places: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                visit(item, format!("{path}/{index}"), places);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                visit(value, format!("{path}/{key}"), places);
            }
        }
        _ => {}
    }
    if !path.is_empty() {
        places.push(path);
    }
}

impl Odd {
    fn make(self, value: &mut Value) {
        let old = value.take();
        *value = match (self, old) {
            (Self::UnknownField, Value::Object(mut fields)) => {
                fields.insert("x_unknown".into(), json!({"deep": [1, "odd"]}));
                Value::Object(fields)
            }
            (Self::Null, _) => Value::Null,
            (Self::Number, _) => json!(12.5),
            (Self::Empty, Value::Array(_)) => json!([]),
            (Self::Empty, Value::Object(_)) => json!({}),
            (Self::Empty, Value::String(_)) => json!(""),
            (Self::Unlisted, Value::Array(mut items)) if items.len() == 1 => items.remove(0),
            (Self::Listed, old) => json!([old]),
            (Self::Stringified, old @ (Value::Object(_) | Value::Array(_))) => {
                Value::String(old.to_string())
            }
            (Self::Twice, Value::Array(mut items)) => {
                items.extend(items.last().cloned());
                Value::Array(items)
            }
            (Self::Retyped, Value::Object(mut fields)) => {
                fields.insert("type".into(), "from_the_future".into());
                Value::Object(fields)
            }
            (_, old) => old,
        };
    }
}
