//! Attributes of spans, measures and resources.

use interlingua_upstream::Row;

use super::proto::Message;

/// The value of an attribute.
pub(super) enum Value<'v> {
    Text(&'v str),
    Texts(&'v [&'v str]),
    Whole(u64),
    Number(f64),
    Flag(bool),
}

/// Adds `KeyValue` as the given field.
pub(super) fn put(message: &mut Message, field: u32, key: &str, value: &Value<'_>) {
    message.inside(field, |pair| {
        pair.text(1, key);
        pair.inside(2, |any| any_value(any, value));
    });
}

fn any_value(any: &mut Message, value: &Value<'_>) {
    match value {
        Value::Text(text) => any.text(1, text),
        Value::Flag(flag) => any.whole(2, u64::from(*flag)),
        Value::Whole(number) => any.whole(3, *number),
        Value::Number(number) => any.double(4, *number),
        Value::Texts(texts) => any.inside(5, |list| {
            for text in *texts {
                list.inside(1, |one| one.text(1, text));
            }
        }),
    }
}

/// The resource: who tells.
pub(super) fn resource(message: &mut Message, attributes: &[(String, String)]) {
    message.inside(1, |resource| {
        for (key, value) in attributes {
            put(resource, 1, key, &Value::Text(value));
        }
    });
}

/// The scope: which part of it.
pub(super) fn scope(message: &mut Message) {
    message.inside(1, |scope| {
        scope.text(1, env!("CARGO_PKG_NAME"));
        scope.text(2, env!("CARGO_PKG_VERSION"));
    });
}

/// What the conventions call a provider.
pub(super) fn provider(name: &str) -> &str {
    Row::find(name).and_then(|row| row.convention).unwrap_or(name)
}
