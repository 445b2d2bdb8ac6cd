//! The scanner accepts what `serde_json` accepts, and sees the same values in it.

use bytes::Bytes;
use interlingua_wire::json::Why;
use interlingua_wire::{Doc, Json, Kind, Limits, Node};
use serde_json::Value;
use serde_json::value::RawValue;

/// Any bytes, as one JSON text.
pub fn scanner(data: &[u8]) {
    let scanned = Doc::from_bytes(Bytes::copy_from_slice(data), Limits::default());
    let reference = std::str::from_utf8(data).ok().map(serde_json::from_str::<&RawValue>);
    match (&scanned, &reference) {
        (Err(malformed), _) if matches!(malformed.why, Why::TooDeep { .. }) => {}
        (Err(malformed), None) => {
            assert_eq!(malformed.why, Why::NotUtf8, "invalid UTF-8 is called something else");
        }
        (Ok(_), None) => panic!("accepted what is not UTF-8"),
        (Ok(_), Some(Err(error))) => panic!("accepted, but serde_json says {error}"),
        (Err(malformed), Some(Ok(_))) => {
            panic!("refused ({malformed}), but serde_json accepts");
        }
        (Err(malformed), Some(Err(_))) => {
            assert!(malformed.at <= data.len(), "the place of the error is outside the text");
        }
        (Ok(doc), Some(Ok(raw))) => {
            assert_eq!(doc.text().as_bytes(), data, "the text is not kept");
            assert_eq!(doc.root().raw(), raw.get(), "the root value is cut differently");
            // Refuses lone surrogates, huge numbers and deep nesting; the scanner need not.
            if let Ok(value) = serde_json::from_slice::<Value>(data) {
                same(doc.root(), &value);
            }
        }
    }
}

fn same(node: Node<'_>, value: &Value) {
    match value {
        Value::Null => assert_eq!(node.kind(), Kind::Null),
        Value::Bool(boolean) => assert_eq!(node.boolean(), Some(*boolean)),
        Value::Number(number) => {
            assert_eq!(node.kind(), Kind::Number);
            if let Some(count) = number.as_u64() {
                assert_eq!(node.count(), Some(count));
            }
        }
        Value::String(string) => {
            assert_eq!(node.word(), string.as_str());
            let text = node.text().unwrap_or_default();
            assert_eq!(text, string.as_str());
            assert_eq!(Json::string(&text).as_str(), node.raw(), "a string is respelled");
        }
        Value::Array(items) => {
            assert!(node.is_array());
            assert_eq!(node.items().count(), items.len());
            node.items().zip(items).for_each(|(node, item)| same(node, item));
        }
        Value::Object(fields) => {
            assert!(node.is_object());
            for field in node.fields() {
                assert!(fields.contains_key(field.name().as_ref()), "a key out of nothing");
            }
            // Of duplicate keys the last wins, there as here.
            for (key, value) in fields {
                match node.get(key) {
                    Some(node) => same(node, value),
                    None => panic!("the key {key:?} is not found"),
                }
            }
        }
    }
}
