//! Encodes attributes of spans and resources.

use crate::telemetry::otel::protobuf::MessageWriter;
use interlingua_providers::preset::ProviderPreset;

pub(super) enum AttributeValue<'v> {
    Str(&'v str),
    StrArray(&'v [&'v str]),
    Int(u64),
    Double(f64),
    Bool(bool),
}

/// Writes a `KeyValue` as the given field.
pub(super) fn write_attribute(
    message: &mut MessageWriter,
    field: u32,
    key: &str,
    value: &AttributeValue<'_>,
) {
    message.message(field, |pair| {
        pair.string(1, key);
        pair.message(2, |any| write_any_value(any, value));
    });
}

fn write_any_value(any: &mut MessageWriter, value: &AttributeValue<'_>) {
    match value {
        AttributeValue::Str(text) => any.string(1, text),
        AttributeValue::Bool(flag) => any.uint64(2, u64::from(*flag)),
        AttributeValue::Int(number) => any.uint64(3, *number),
        AttributeValue::Double(number) => any.double(4, *number),
        AttributeValue::StrArray(texts) => any.message(5, |list| {
            for text in *texts {
                list.message(1, |item| item.string(1, text));
            }
        }),
    }
}

pub(super) fn write_resource(message: &mut MessageWriter, attributes: &[(String, String)]) {
    message.message(1, |resource| {
        for (key, value) in attributes {
            write_attribute(resource, 1, key, &AttributeValue::Str(value));
        }
    });
}

/// The instrumentation scope: this crate.
pub(super) fn write_scope(message: &mut MessageWriter) {
    message.message(1, |scope| {
        scope.string(1, env!("CARGO_PKG_NAME"));
        scope.string(2, env!("CARGO_PKG_VERSION"));
    });
}

/// The provider's name in the OpenTelemetry semantic conventions.
pub(super) fn semconv_provider(name: &str) -> &str {
    ProviderPreset::find(name).and_then(|preset| preset.otel_name).unwrap_or(name)
}
