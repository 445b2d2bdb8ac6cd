//! JSON strings in their spelling: contents, equality, joining, splitting, escaping.

mod rng;

use interlingua_wire::json::{JsonDoc, JsonLimits, JsonString, JsonStringBuilder, RawJson};
use rng::Rng;

/// A string with exactly this spelling.
fn json_str_from_raw(raw: &str) -> JsonString {
    let doc = JsonDoc::parse(format!("\"{raw}\"").into(), JsonLimits::default());
    doc.ok()
        .and_then(|doc| doc.root().json_string())
        .unwrap_or_else(|| JsonString::from_static("not a JSON string"))
}

#[test]
fn strings_are_unescaped_and_keep_their_spelling() {
    for (raw, contents) in [
        ("", ""),
        ("plain", "plain"),
        (r"\u0000", "\0"),
        (r"\u0041\u00E9\u00e9", "Aéé"),
        (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
        (r"\ud83d\ude00", "😀"),
        (r"\uD83D\uDE00!", "😀!"),
        (r"\ud83d", "\u{fffd}"),
        (r"\ude00\ud83d", "\u{fffd}\u{fffd}"),
        (r"\ud83d\u0041", "\u{fffd}A"),
        (r"\ud83d\ud83d\ude00", "\u{fffd}😀"),
        (r"\\ud83d", "\\ud83d"),
        ("漢\\n字", "漢\n字"),
    ] {
        let text = json_str_from_raw(raw);
        assert_eq!((text.raw(), &*text.unescape()), (raw, contents));
        assert_eq!(text.to_string(), contents);
        assert_eq!(RawJson::string(&text).as_str(), format!("\"{raw}\""));
        assert_eq!(RawJson::string(&text).json_string().unwrap().raw(), raw);
    }
}

#[test]
fn strings_are_equal_when_their_contents_are() {
    for (a, b) in [
        ("type", r"t\u0079pe"),
        (r"\u00e9", "é"),
        (r"\/", "/"),
        (r"\ud83d\ude00", "😀"),
        (r"\ud83d", r"\uD83D"),
        (r"\n", r"\u000a"),
    ] {
        assert_eq!(json_str_from_raw(a), json_str_from_raw(b));
        assert_eq!(json_str_from_raw(b), json_str_from_raw(a));
    }
    for (a, b) in [
        ("a", "b"),
        (r"\n", r"\\n"),
        (r"\ud83d", r"\ud83e"),
        (r"\ud83d", "\u{fffd}"),
        (r"\ud83d", r"\ude00"),
        ("a", r"a\u0000"),
    ] {
        assert_ne!(json_str_from_raw(a), json_str_from_raw(b));
        assert_ne!(json_str_from_raw(b), json_str_from_raw(a));
    }
    assert_eq!(json_str_from_raw(r"t\u0079pe"), "type");
    assert_eq!(json_str_from_raw("type"), *"type");
    assert_ne!(json_str_from_raw(r"\n"), "\\n");
    assert_ne!(json_str_from_raw(r"\ud83d"), "\u{fffd}");
}

#[test]
fn joining_keeps_the_spelling_and_joins_split_surrogates() {
    let parts = [json_str_from_raw(r"a\u0041"), json_str_from_raw(""), json_str_from_raw("é")];
    assert_eq!(JsonString::concat(&parts).raw(), r"a\u0041é");
    assert_eq!(JsonString::join(&parts, "\n\"").raw(), r#"a\u0041\n\"\n\"é"#);
    assert_eq!(JsonString::join([], ", "), "");
    assert_eq!(JsonString::join(&parts[..1], ", ").raw(), r"a\u0041");
    let halves = [json_str_from_raw(r"x\ud83d"), json_str_from_raw(r"\ude00y")];
    assert_eq!(JsonString::concat(&halves), "x😀y");
    assert_eq!(halves[0].unescape(), "x\u{fffd}");
    assert_eq!(JsonString::join(&halves, "-").unescape(), "x\u{fffd}-\u{fffd}y");
}

#[test]
fn deltas_are_concatenated() {
    let mut pieces = JsonStringBuilder::default();
    assert!(pieces.is_empty() && pieces.to_json_string() == "");
    for piece in ["a\\n", "", "\\ud83e", "\\udd80"] {
        pieces.push(&json_str_from_raw(piece));
    }
    assert_eq!(pieces.to_json_string().raw(), "a\\n\\ud83e\\udd80");
    assert_eq!(pieces.to_json_string().unescape(), "a\n🦀");
    for (start, joined) in [("", "a\n🦀"), ("b", "ba\n🦀")] {
        let mut text = JsonString::new(start);
        text.append(pieces.clone());
        assert_eq!(text, joined);
        text.append(JsonStringBuilder::default());
        assert_eq!(text, joined);
    }
}

#[test]
fn splitting_shares_memory_and_never_cuts_an_escape() {
    let url = json_str_from_raw("data:image/png;base64,AAAA");
    let (head, data) = url.split_once(";base64,").unwrap();
    assert_eq!((head.raw(), data.raw()), ("data:image/png", "AAAA"));
    assert!(url.raw().as_bytes().as_ptr_range().contains(&data.raw().as_ptr()));
    assert_eq!(url.split_once("|"), None);
    assert_eq!(json_str_from_raw(r"a\nb").split_once("n"), None);
    assert_eq!(json_str_from_raw(r"a\nb").split_once("\\"), None);
    let (before, after) = json_str_from_raw(r"a|\n|b").split_once("|").unwrap();
    assert_eq!((before.raw(), after.raw()), ("a", r"\n|b"));

    assert_eq!(url.strip_prefix("data:").unwrap().raw(), "image/png;base64,AAAA");
    assert_eq!(json_str_from_raw(r"dat\u0061\u003a\n").strip_prefix("data:").unwrap().raw(), r"\n");
    assert_eq!(json_str_from_raw(r"\nx").strip_prefix("\n").unwrap().raw(), "x");
    assert_eq!(json_str_from_raw(r"\nx").strip_prefix("\\"), None);
    assert_eq!(json_str_from_raw("da").strip_prefix("data"), None);
    assert_eq!(json_str_from_raw(r"\ud83d\ude00").strip_prefix("\u{fffd}"), None);
}

#[test]
fn blank_depends_on_the_contents() {
    for raw in ["", " ", r"\n\t \u00a0\u2003"] {
        assert!(json_str_from_raw(raw).is_blank(), "{raw}");
    }
    for raw in ["a", r"\u0000", r" \\ "] {
        assert!(!json_str_from_raw(raw).is_blank(), "{raw}");
    }
    assert!(json_str_from_raw("").is_empty() && !json_str_from_raw(r"\n").is_empty());
}

/// Strings with and without characters that need escaping, longer than a vector.
fn random_contents(rng: &mut Rng) -> String {
    const PIECES: &[&str] = &[
        "\"",
        "\\",
        "/",
        "\n",
        "\r",
        "\t",
        "\u{8}",
        "\u{c}",
        "\0",
        "\u{1f}",
        "\u{7f}",
        "é",
        "漢",
        "😀",
        "\u{2028}",
        "a",
        "some plain words",
        "more than one block of sixty-four bytes, which is plain",
    ];
    let pieces = rng.below(40);
    (0..pieces).map(|_| rng.choose(PIECES)).collect()
}

#[test]
fn escaping_is_what_serde_json_writes_and_reads() {
    let mut rng = Rng::new(11);
    for _ in 0..20_000 {
        let contents = random_contents(&mut rng);
        let text = JsonString::new(&contents);
        let literal = format!("\"{}\"", text.raw());
        assert_eq!(literal, serde_json::to_string(&contents).unwrap());
        assert_eq!(text.unescape(), contents);
        assert_eq!(text, *contents);
        assert_eq!(serde_json::from_str::<String>(&literal).unwrap(), contents);
    }
}

#[test]
fn unescaping_is_what_serde_json_reads() {
    let mut rng = Rng::new(13);
    for _ in 0..20_000 {
        let raw = random_contents(&mut rng)
            .encode_utf16()
            .fold(String::new(), |raw, unit| raw + &format!("\\u{unit:04x}"));
        let expected: String = serde_json::from_str(&format!("\"{raw}\"")).unwrap();
        assert_eq!(json_str_from_raw(&raw).unescape(), expected);
        assert_eq!(json_str_from_raw(&raw), JsonString::new(&expected));
    }
}

#[test]
fn names_of_every_length_are_compared_in_any_spelling() {
    for length in 1..40 {
        let name: String = ('a'..='z').cycle().take(length).collect();
        for at in 0..length {
            let (before, after) = (&name[..at], &name[at + 1..]);
            let byte = name.as_bytes()[at];
            let escaped = json_str_from_raw(&format!("{before}\\u{byte:04x}{after}"));
            assert_eq!(escaped.unescape(), name);
            assert_eq!(escaped, *name);
            assert_eq!(escaped, JsonString::new(&name));
            let quoted = format!("{before}\"{after}");
            assert_eq!(JsonString::new(&quoted), *quoted);
            assert_ne!(JsonString::new(&quoted), *name);
            assert_ne!(
                JsonString::new(&quoted),
                *JsonString::new(&quoted).raw(),
                "an escape is not its spelling"
            );
        }
    }
}

#[test]
fn json_inside_a_string_is_the_json_of_its_contents() {
    let mut rng = Rng::new(17);
    let mut outcomes = [0, 0];
    for _ in 0..20_000 {
        let space = rng.choose(&["", " ", "\n\t"]);
        let json = serde_json::to_string(&[random_contents(&mut rng)]).unwrap();
        let end = rng.choose(&["", "", "]", "\\", "\u{1}"]);
        let contents = format!("{space}{json}{end}{space}");
        let expected = RawJson::parse(contents.as_str());
        let by_number = contents
            .encode_utf16()
            .fold(String::new(), |raw, unit| raw + &format!("\\u{unit:04x}"));
        for text in [JsonString::new(&contents), json_str_from_raw(&by_number)] {
            assert_eq!(text.parse_json(), expected);
            let doc = JsonDoc::parse(
                RawJson::string(&text).to_bytes().try_into().unwrap(),
                JsonLimits::default(),
            );
            assert_eq!(doc.unwrap().root().embedded_json(), expected.as_ref().ok().cloned());
        }
        outcomes[usize::from(expected.is_ok())] += 1;
    }
    assert!(outcomes.iter().all(|seen| *seen > 1_000), "{outcomes:?}");
}
