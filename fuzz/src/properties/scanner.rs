//! The scanner accepts the same texts as `serde_json`, with the same values.

use bytes::Bytes;
use interlingua_wire::json::JsonErrorKind;
use interlingua_wire::{JsonDoc, JsonKind, JsonLimits, JsonNode, RawJson};
use serde_json::Value;
use serde_json::value::RawValue;

/// Any bytes, as one JSON text.
pub fn scanner(data: &[u8]) {
    let scanned = JsonDoc::from_bytes(Bytes::copy_from_slice(data), JsonLimits::default());
    let reference = std::str::from_utf8(data).ok().map(serde_json::from_str::<&RawValue>);
    match (&scanned, &reference) {
        (Err(malformed), _) if matches!(malformed.kind, JsonErrorKind::TooDeep { .. }) => {}
        (Err(malformed), None) => {
            assert_eq!(
                malformed.kind,
                JsonErrorKind::InvalidUtf8,
                "invalid UTF-8 is reported as another error"
            );
        }
        (Ok(_), None) => panic!("accepted invalid UTF-8"),
        (Ok(_), Some(Err(error))) => panic!("accepted, but serde_json reports {error}"),
        (Err(malformed), Some(Ok(_))) => {
            panic!("rejected ({malformed}), but serde_json accepts");
        }
        (Err(malformed), Some(Err(_))) => {
            assert!(malformed.offset <= data.len(), "the offset of the error is outside the text");
        }
        (Ok(doc), Some(Ok(raw))) => {
            assert_eq!(doc.text().as_bytes(), data, "the text is changed");
            assert_eq!(doc.root().raw(), raw.get(), "the root value is cut differently");
            // `Value` rejects lone surrogates, huge numbers and deep nesting; the scanner need not.
            if let Ok(value) = serde_json::from_slice::<Value>(data) {
                assert_same_value(doc.root(), &value);
            }
        }
    }
}

fn assert_same_value(node: JsonNode<'_>, value: &Value) {
    match value {
        Value::Null => assert_eq!(node.kind(), JsonKind::Null),
        Value::Bool(boolean) => assert_eq!(node.as_bool(), Some(*boolean)),
        Value::Number(number) => {
            assert_eq!(node.kind(), JsonKind::Number);
            if let Some(count) = number.as_u64() {
                assert_eq!(node.as_u64(), Some(count));
            }
        }
        Value::String(string) => {
            assert_eq!(node.str_or_empty(), string.as_str());
            let text = node.json_string().unwrap_or_default();
            assert_eq!(text, string.as_str());
            assert_eq!(
                RawJson::string(&text).as_str(),
                node.raw(),
                "a string is encoded differently"
            );
        }
        Value::Array(items) => {
            assert!(node.is_array());
            assert_eq!(node.items().count(), items.len());
            node.items().zip(items).for_each(|(node, item)| assert_same_value(node, item));
        }
        Value::Object(fields) => {
            assert!(node.is_object());
            for field in node.fields() {
                assert!(fields.contains_key(field.key().as_ref()), "an invented key");
            }
            // Of duplicate keys the last one wins in both.
            for (key, value) in fields {
                match node.get(key) {
                    Some(node) => assert_same_value(node, value),
                    None => panic!("the key {key:?} is not found"),
                }
            }
        }
    }
}
