//! What a stored conversation says and nobody reads is told.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua_dialects::find;
use interlingua_model::Ledger;
use interlingua_wire::{Doc, Limits};

#[test]
fn what_is_not_read_is_told() {
    for odd in [
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
        let noted = noted(odd);
        assert_eq!(noted.entries.iter().filter(|entry| entry.loss).count(), 1, "{odd}: {noted:?}");
    }
}

#[test]
fn what_is_read_is_not() {
    for fine in [
        r#""tools":[{"name":"f","description":"a","schema":{},"strict":true,"namespace":"n"}]"#,
        r#""tools":[{"name":"f","freeform":null,"cache":{}}]"#,
        r#""settings":{"max_tokens":1,"stop":["a"],"stream":true,"choice":{"named":"f"},"user":"u"}"#,
        r#""settings":{"reasoning":{"effort":"low"},"format":{"schema":{},"name":"n"}}"#,
        r#""settings":null"#,
        r#""model":"m","system":[{"text":"a","cache":{"ttl":"1h"},"citations":[],"seal":{"issuer":"b","data":"c"}}]"#,
        r#""system":[{"thinking":"a","form":"summary","extras":{"b":1},"extras_of":"gemini"}]"#,
    ] {
        let noted = noted(fine);
        assert!(noted.entries.is_empty(), "{fine}: {noted:?}");
    }
}

fn noted(fields: &str) -> Ledger {
    let body = format!(r#"{{"interlingua":1,"source":"native","turns":[],{fields}}}"#);
    let doc = Doc::parse(body.into(), Limits::default()).unwrap();
    let mut ledger = Ledger::default();
    find("native").unwrap().decode_request(&doc, &mut ledger);
    ledger
}
