//! Tests that unknown fields and invalid values of a stored conversation are noted.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua_dialects::find_dialect;
use interlingua_model::Ledger;
use interlingua_wire::{JsonDoc, JsonLimits};

#[test]
fn ignored_values_are_noted() {
    for fields in [
        r#""tools":[{"name":"f","text":"a"}]"#,
        r#""tools":[{"name":"f","freeform":null,"schema":{}}]"#,
        r#""tools":[{"name":"f","strict":"yes"}]"#,
        r#""tools":[{"name":"f","foreign":{"dialect":"gemini","json":{},"more":1}}]"#,
        r#""tools":["f"]"#,
        r#""settings":{"mood":"a"}"#,
        r#""settings":{"user":1}"#,
        r#""settings":{"choice":"a"}"#,
        r#""settings":{"reasoning":{"mood":"a"}}"#,
        r#""settings":"a""#,
        r#""model":["a"]"#,
        r#""fields":[{"value":1}]"#,
        r#""system":[{"text":"a","cache":"b"}]"#,
        r#""system":[{"text":"a","form":"full"}]"#,
        r#""system":[{"text":"a","raw":{"b":1}}]"#,
        r#""system":[{"text":"a","extras":{"b":1},"extras_of":"c"}]"#,
        r#""system":[{"image":{"url":"https://example.com","name":1}}]"#,
        r#""system":[{"result":{"call":"a","is_error":1}}]"#,
        r#""system":[{"text":"a","remembered":{"gemini":["b"]}}]"#,
    ] {
        let ledger = decode_ledger(fields);
        assert_eq!(
            ledger.entries.iter().filter(|entry| entry.is_loss).count(),
            1,
            "{fields}: {ledger:?}"
        );
    }
}

#[test]
fn known_values_are_not_noted() {
    for fields in [
        r#""tools":[{"name":"f","description":"a","schema":{},"strict":true,"namespace":"n"}]"#,
        r#""tools":[{"name":"f","freeform":null,"cache":{}}]"#,
        r#""settings":{"max_tokens":1,"stop":["a"],"stream":true,"choice":{"named":"f"},"user":"u"}"#,
        r#""settings":{"reasoning":{"effort":"low"},"format":{"schema":{},"name":"n"}}"#,
        r#""settings":null"#,
        r#""model":"m","system":[{"text":"a","cache":{"ttl":"1h"},"citations":[],"seal":{"issuer":"b","data":"c"}}]"#,
        r#""system":[{"thinking":"a","form":"summary","extras":{"b":1},"extras_of":"gemini"}]"#,
    ] {
        let ledger = decode_ledger(fields);
        assert!(ledger.entries.is_empty(), "{fields}: {ledger:?}");
    }
}

fn decode_ledger(fields: &str) -> Ledger {
    let body = format!(r#"{{"interlingua":1,"source":"native","turns":[],{fields}}}"#);
    let doc = JsonDoc::parse(body.into(), JsonLimits::default()).unwrap();
    let mut ledger = Ledger::default();
    find_dialect("native").unwrap().decode_request(&doc, &mut ledger);
    ledger
}
