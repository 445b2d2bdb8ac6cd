//! Values found by key and kept as written, and values written anew.

mod dice;

use dice::Dice;
use interlingua_wire::json::{Array, Doc, Json, Kind, Limits, Node, Text, Writer};

fn doc(text: &'static str) -> Doc {
    Json::parse(text).map_or_else(|_| Json::NULL.doc(), |json| json.doc())
}

#[test]
fn keys_are_found_however_they_are_spelled() {
    let doc = doc(r#"{"t\u0079pe":"a","x":1,"x":{"y":2},"\\n":3,"":4}"#);
    let root = doc.root();
    assert_eq!(root.get("type").unwrap().word(), "a");
    assert_eq!(root.get("x").unwrap().raw(), r#"{"y":2}"#);
    assert_eq!(root.get("\\n").unwrap().raw(), "3");
    assert!(root.get("\n").is_none() && root.get("\\\\n").is_none() && root.get("z").is_none());
    assert_eq!(root.get("").unwrap().count(), Some(4));
    assert_eq!(root.len(), 5);
    let first = root.fields().next().unwrap();
    assert_eq!((first.key().raw(), &*first.name()), (r"t\u0079pe", "type"));
    assert!(first.is("type") && !first.is(r"t\u0079pe"));
}

#[test]
fn absent_is_what_is_of_another_kind() {
    let doc = doc(r#"[null,true,1,"s",[],{}]"#);
    let kinds: Vec<Kind> = doc.root().items().map(Node::kind).collect();
    let all = [Kind::Null, Kind::Bool, Kind::Number, Kind::String, Kind::Array, Kind::Object];
    assert_eq!(kinds, all);
    for item in doc.root().items() {
        let kind = item.kind();
        assert_eq!(item.json().kind(), kind);
        assert_eq!(item.text().is_some(), kind == Kind::String);
        assert_eq!(item.json().text().is_some(), kind == Kind::String);
        assert_eq!(item.boolean().is_some(), kind == Kind::Bool);
        assert_eq!(item.json().boolean_value(), item.boolean());
        assert_eq!(item.count().is_some(), kind == Kind::Number);
        assert_eq!(item.word().is_empty(), kind != Kind::String);
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
        let json = Json::parse(raw).unwrap();
        assert_eq!((json.as_str(), json.count()), (raw, count));
        assert_eq!(json.doc().root().count(), count);
    }
}

#[test]
fn space_around_a_whole_body_is_kept_and_not_seen() {
    for (body, kind) in
        [(" {\"a\":1}\n", Kind::Object), ("\t\"s\" ", Kind::String), ("\r\n7", Kind::Number)]
    {
        let whole = Doc::parse(body.into(), Limits::default()).unwrap().whole();
        assert_eq!((whole.as_str(), whole.kind()), (body, kind));
        assert_eq!(whole.text().is_some_and(|text| text == "s"), kind == Kind::String);
        assert_eq!(whole.count(), (kind == Kind::Number).then_some(7));
    }
    let yes = Doc::parse(" true ".into(), Limits::default()).unwrap().whole();
    assert_eq!(yes.boolean_value(), Some(true));
}

#[test]
fn values_share_the_memory_of_their_document() {
    let text = bytes::Bytes::from(r#" {"a":{"b":"\u0000"}} "#.to_owned());
    let inside = text.as_ptr_range();
    let doc = Doc::from_bytes(text.clone(), Limits::default()).unwrap();
    let value = doc.root().get("a").unwrap();
    let string = value.get("b").unwrap().text().unwrap();
    assert_eq!((value.json().as_str(), string.raw()), (r#"{"b":"\u0000"}"#, r"\u0000"));
    assert!(inside.contains(&value.json().as_str().as_ptr()));
    assert!(inside.contains(&string.raw().as_ptr()));
    assert_eq!((&**doc.text(), doc.root().raw().len()), (r#" {"a":{"b":"\u0000"}} "#, 20));
}

#[test]
fn what_is_written_is_spelled_as_given() {
    let json = Json::object(|object| {
        object.word("word", "a\"b\n");
        object.text("text", &Text::word(r"\u0041"));
        object.json("json", &Json::parse("[1e400, 2]").unwrap());
        object.number("number", u64::MAX);
        object.boolean("yes", true);
        object.null("nothing");
        object.text_if("absent", None);
        object.json_if("present", Some(&Json::EMPTY_ARRAY));
        object.key("joined").joined(&[Text::word("a"), Text::word("b")], "\n");
        object.key_text(&Text::new("k\"")).string("é");
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
    assert!(Json::parse(json.as_str().to_owned()).is_ok());

    let mut out = b"data: ".to_vec();
    Writer::append(&mut out, |data| {
        data.object(|object| {
            object.fields(&Json::EMPTY_OBJECT);
            object.fields(&Json::parse(" { \"a\": {}, \"b\" : 1 } ").unwrap());
            object.fields(&Json::NULL);
            object.null("c");
        });
    });
    assert_eq!(out, b"data: {\"a\": {}, \"b\" : 1,\"c\":null}");
}

/// Fills an array with whatever the dice say.
fn fill(array: &mut Array<'_>, dice: &mut Dice, depth: usize) {
    for _ in 0..dice.below(4) {
        let kinds = if depth == 0 { 6 } else { 8 };
        match dice.below(kinds) {
            0 => array.item().null(),
            1 => array.item().boolean(dice.below(2) == 0),
            2 => array.item().number(dice.below(usize::MAX) as u64),
            3 => array.item().string(dice.pick(&["", "a\"\\\n\0", "é😀"])),
            4 => array.item().text(&dice.pick(&["\u{1}", "/\t", "plain"]).into()),
            5 => array
                .item()
                .json(&Json::parse(dice.pick(&["-0", "[ ]", "1e9"])).unwrap_or(Json::NULL)),
            6 => array.item().array(|inner| fill(inner, dice, depth - 1)),
            _ => array.object(|object| {
                object.array("a", |inner| fill(inner, dice, depth - 1));
                let key = Text::new(dice.pick(&["\"", "b\n", "c"]));
                object.key_text(&key).array(|inner| fill(inner, dice, depth - 1));
            }),
        }
    }
}

#[test]
fn what_is_written_is_always_json() {
    let mut dice = Dice::new(17);
    let mut bytes = 0;
    for _ in 0..20_000 {
        let json = Json::array(|array| fill(array, &mut dice, 4));
        let value: Result<serde_json::Value, _> = serde_json::from_str(json.as_str());
        assert!(value.is_ok(), "{json:?}");
        assert_eq!(json.doc().root().json(), json);
        bytes += json.as_str().len();
    }
    assert!(bytes > 200_000, "{bytes}");
}
