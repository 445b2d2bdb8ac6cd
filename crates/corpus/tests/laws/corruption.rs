//! Corrupts request bodies in ways that real clients do.

use bytes::Bytes;
use interlingua::Dialect;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

use crate::draft::ConversationDraft;
use crate::render;

/// Corruptions to apply one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Corruptions(Vec<(Corruption, Index)>);

#[derive(Clone, Copy, Debug)]
enum Corruption {
    /// An unknown field.
    UnknownField,
    /// Null instead of a value.
    Null,
    /// A number instead of a value.
    Number,
    /// An empty string, array or object instead of a filled one.
    Empty,
    /// An item instead of a list of one, and the reverse.
    UnwrapList,
    WrapInList,
    /// A string with the JSON text of a value.
    Stringify,
    /// A repeated item.
    DuplicateElement,
    /// An unknown type.
    UnknownType,
}

pub(crate) fn corruptions() -> impl Strategy<Value = Corruptions> {
    let corruption = select(&[
        Corruption::UnknownField,
        Corruption::Null,
        Corruption::Number,
        Corruption::Empty,
        Corruption::UnwrapList,
        Corruption::WrapInList,
        Corruption::Stringify,
        Corruption::DuplicateElement,
        Corruption::UnknownType,
    ]);
    prop::collection::vec((corruption, any::<Index>()), 1..4).prop_map(Corruptions)
}

impl Corruptions {
    pub(crate) fn body(&self, draft: &ConversationDraft, dialect: &dyn Dialect) -> Bytes {
        let mut body = render::value(draft, dialect);
        self.apply(&mut body);
        render::spell(&body, draft)
    }

    /// Applies the corruptions to another body.
    pub(crate) fn apply_to(&self, body: &[u8]) -> Bytes {
        let mut body = serde_json::from_slice(body).unwrap_or(Value::Null);
        self.apply(&mut body);
        body.to_string().into()
    }

    fn apply(&self, body: &mut Value) {
        for (corruption, index) in &self.0 {
            let mut pointers = Vec::new();
            collect_pointers(body, String::new(), &mut pointers);
            if pointers.is_empty() {
                return;
            }
            let pointer = &pointers[index.index(pointers.len())];
            if let Some(value) = body.pointer_mut(pointer) {
                corruption.apply(value);
            }
        }
    }
}

/// JSON pointers of all values below the body.
fn collect_pointers(value: &Value, path: String, pointers: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect_pointers(item, format!("{path}/{index}"), pointers);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                collect_pointers(value, format!("{path}/{key}"), pointers);
            }
        }
        _ => {}
    }
    if !path.is_empty() {
        pointers.push(path);
    }
}

impl Corruption {
    fn apply(self, value: &mut Value) {
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
            (Self::UnwrapList, Value::Array(mut items)) if items.len() == 1 => items.remove(0),
            (Self::WrapInList, old) => json!([old]),
            (Self::Stringify, old @ (Value::Object(_) | Value::Array(_))) => {
                Value::String(old.to_string())
            }
            (Self::DuplicateElement, Value::Array(mut items)) => {
                items.extend(items.last().cloned());
                Value::Array(items)
            }
            (Self::UnknownType, Value::Object(mut fields)) => {
                fields.insert("type".into(), "from_the_future".into());
                Value::Object(fields)
            }
            (_, old) => old,
        };
    }
}
