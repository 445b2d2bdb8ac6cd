//! Values found by key with their spelling, and values that are written.

mod rng;

use interlingua_wire::json::{
    ArrayWriter, JsonDoc, JsonKind, JsonLimits, JsonNode, JsonString, JsonWriter, RawJson,
};
use rng::Rng;

fn doc(text: &'static str) -> JsonDoc {
    RawJson::parse(text).map_or_else(|_| RawJson::NULL.to_doc(), |json| json.to_doc())
}

#[test]
fn keys_are_found_in_any_spelling() {
    let doc = doc(r#"{"t\u0079pe":"a","x":1,"x":{"y":2},"\\n":3,"":4}"#);
    let root = doc.root();
    assert_eq!(root.get("type").unwrap().str_or_empty(), "a");
    assert_eq!(root.get("x").unwrap().raw(), r#"{"y":2}"#);
    assert_eq!(root.get("\\n").unwrap().raw(), "3");
    assert!(root.get("\n").is_none() && root.get("\\\\n").is_none() && root.get("z").is_none());
    assert_eq!(root.get("").unwrap().as_u64(), Some(4));
    assert_eq!(root.len(), 5);
    let first = root.fields().next().unwrap();
    assert_eq!((first.key_json_string().raw(), &*first.key()), (r"t\u0079pe", "type"));
    assert!(first.key_is("type") && !first.key_is(r"t\u0079pe"));
}

#[test]
fn values_of_another_kind_are_absent() {
    let doc = doc(r#"[null,true,1,"s",[],{}]"#);
    let kinds: Vec<JsonKind> = doc.root().items().map(JsonNode::kind).collect();
    let all = [
        JsonKind::Null,
        JsonKind::Bool,
        JsonKind::Number,
        JsonKind::String,
        JsonKind::Array,
        JsonKind::Object,
    ];
    assert_eq!(kinds, all);
    for item in doc.root().items() {
        let kind = item.kind();
        assert_eq!(item.json().kind(), kind);
        assert_eq!(item.json_string().is_some(), kind == JsonKind::String);
        assert_eq!(item.json().json_string().is_some(), kind == JsonKind::String);
        assert_eq!(item.as_bool().is_some(), kind == JsonKind::Bool);
        assert_eq!(item.json().as_bool(), item.as_bool());
        assert_eq!(item.as_u64().is_some(), kind == JsonKind::Number);
        assert_eq!(item.str_or_empty().is_empty(), kind != JsonKind::String);
        assert!(item.get("a").is_none() && item.items().next().is_none());
        assert!(item.is_empty());
    }
}

#[test]
fn numbers_keep_their_spelling() {
    for (raw, count) in [
        ("0", Some(0)),
        ("12.0", Some(12)),
        ("1e3", Some(1000)),
        ("18446744073709551615", Some(u64::MAX)),
        ("12345678901234567890", Some(12_345_678_901_234_567_890)),
        ("99999999999999999999", None),
        ("1e400", None),
        ("-1", None),
        ("1.5", None),
        ("-0", Some(0)),
        ("1E-2", None),
    ] {
        let json = RawJson::parse(raw).unwrap();
        assert_eq!((json.as_str(), json.as_u64()), (raw, count));
        assert_eq!(json.to_doc().root().as_u64(), count);
    }
}

#[test]
fn space_around_a_body_is_kept_and_ignored() {
    for (body, kind) in [
        (" {\"a\":1}\n", JsonKind::Object),
        ("\t\"s\" ", JsonKind::String),
        ("\r\n7", JsonKind::Number),
    ] {
        let value = JsonDoc::parse(body.into(), JsonLimits::default()).unwrap().to_json();
        assert_eq!((value.as_str(), value.kind()), (body, kind));
        assert_eq!(value.json_string().is_some_and(|text| text == "s"), kind == JsonKind::String);
        assert_eq!(value.as_u64(), (kind == JsonKind::Number).then_some(7));
    }
    let yes = JsonDoc::parse(" true ".into(), JsonLimits::default()).unwrap().to_json();
    assert_eq!(yes.as_bool(), Some(true));
}

#[test]
fn values_share_the_memory_of_their_document() {
    let text = bytes::Bytes::from(r#" {"a":{"b":"\u0000"}} "#.to_owned());
    let memory = text.as_ptr_range();
    let doc = JsonDoc::from_bytes(text.clone(), JsonLimits::default()).unwrap();
    let value = doc.root().get("a").unwrap();
    let string = value.get("b").unwrap().json_string().unwrap();
    assert_eq!((value.json().as_str(), string.raw()), (r#"{"b":"\u0000"}"#, r"\u0000"));
    assert!(memory.contains(&value.json().as_str().as_ptr()));
    assert!(memory.contains(&string.raw().as_ptr()));
    assert_eq!((&**doc.text(), doc.root().raw().len()), (r#" {"a":{"b":"\u0000"}} "#, 20));
}

#[test]
fn written_values_keep_their_spelling() {
    let json = RawJson::object(|object| {
        object.str("word", "a\"b\n");
        object.json_string("text", &JsonString::from_static(r"\u0041"));
        object.json("json", &RawJson::parse("[1e400, 2]").unwrap());
        object.number("number", u64::MAX);
        object.boolean("yes", true);
        object.null("nothing");
        object.json_string_opt("absent", None);
        object.json_opt("present", Some(&RawJson::EMPTY_ARRAY));
        object
            .key("joined")
            .join(&[JsonString::from_static("a"), JsonString::from_static("b")], "\n");
        object.key_json_string(&JsonString::new("k\"")).str("é");
        object.object("empty", |_| {});
        object.array("list", |list| {
            list.item().number(1);
            list.object(|object| object.null("a"));
            list.item().array(|_| {});
        });
    });
    let expected = r#"{"word":"a\"b\n","text":"\u0041","json":[1e400, 2],
        "number":18446744073709551615,"yes":true,"nothing":null,"present":[],"joined":"a\nb",
        "k\"":"é","empty":{},"list":[1,{"a":null},[]]}"#;
    assert_eq!(json.as_str(), expected.replace("\n        ", ""));
    assert!(RawJson::parse(json.as_str().to_owned()).is_ok());

    let mut out = b"data: ".to_vec();
    JsonWriter::append_to(&mut out, |data| {
        data.object(|object| {
            object.extend(&RawJson::EMPTY_OBJECT);
            object.extend(&RawJson::parse(" { \"a\": {}, \"b\" : 1 } ").unwrap());
            object.extend(&RawJson::NULL);
            object.null("c");
        });
    });
    assert_eq!(out, b"data: {\"a\": {}, \"b\" : 1,\"c\":null}");
}

/// Fills an array with random values.
fn fill(array: &mut ArrayWriter<'_>, rng: &mut Rng, depth: usize) {
    for _ in 0..rng.below(4) {
        let kinds = if depth == 0 { 6 } else { 8 };
        match rng.below(kinds) {
            0 => array.item().null(),
            1 => array.item().boolean(rng.below(2) == 0),
            2 => array.item().number(rng.below(usize::MAX) as u64),
            3 => array.item().str(rng.choose(&["", "a\"\\\n\0", "é😀"])),
            4 => array.item().json_string(&rng.choose(&["\u{1}", "/\t", "plain"]).into()),
            5 => array
                .item()
                .json(&RawJson::parse(rng.choose(&["-0", "[ ]", "1e9"])).unwrap_or(RawJson::NULL)),
            6 => array.item().array(|inner| fill(inner, rng, depth - 1)),
            _ => array.object(|object| {
                object.array("a", |inner| fill(inner, rng, depth - 1));
                let key = JsonString::new(rng.choose(&["\"", "b\n", "c"]));
                object.key_json_string(&key).array(|inner| fill(inner, rng, depth - 1));
            }),
        }
    }
}

#[test]
fn written_text_is_always_json() {
    let mut rng = Rng::new(17);
    let mut bytes = 0;
    for _ in 0..20_000 {
        let json = RawJson::array(|array| fill(array, &mut rng, 4));
        let value: Result<serde_json::Value, _> = serde_json::from_str(json.as_str());
        assert!(value.is_ok(), "{json:?}");
        assert_eq!(json.to_doc().root().json(), json);
        bytes += json.as_str().len();
    }
    assert!(bytes > 200_000, "{bytes}");
}
