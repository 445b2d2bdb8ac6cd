//! Strings kept as they were written: contents, equality, joining, splitting, escaping.

mod dice;

use dice::Dice;
use interlingua_wire::json::{Doc, Json, Limits, Pieces, Text};

/// A string as it stands between quotes on the wire.
fn spelled(raw: &str) -> Text {
    let doc = Doc::parse(format!("\"{raw}\"").into(), Limits::default());
    doc.ok().and_then(|doc| doc.root().text()).unwrap_or_else(|| Text::word("not a JSON string"))
}

#[test]
fn contents_are_unescaped_and_the_spelling_is_kept() {
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
        let text = spelled(raw);
        assert_eq!((text.raw(), &*text.contents()), (raw, contents));
        assert_eq!(text.to_string(), contents);
        assert_eq!(Json::string(&text).as_str(), format!("\"{raw}\""));
        assert_eq!(Json::string(&text).text().unwrap().raw(), raw);
    }
}

#[test]
fn texts_are_equal_when_their_contents_are() {
    for (a, b) in [
        ("type", r"t\u0079pe"),
        (r"\u00e9", "é"),
        (r"\/", "/"),
        (r"\ud83d\ude00", "😀"),
        (r"\ud83d", r"\uD83D"),
        (r"\n", r"\u000a"),
    ] {
        assert_eq!(spelled(a), spelled(b));
        assert_eq!(spelled(b), spelled(a));
    }
    for (a, b) in [
        ("a", "b"),
        (r"\n", r"\\n"),
        (r"\ud83d", r"\ud83e"),
        (r"\ud83d", "\u{fffd}"),
        (r"\ud83d", r"\ude00"),
        ("a", r"a\u0000"),
    ] {
        assert_ne!(spelled(a), spelled(b));
        assert_ne!(spelled(b), spelled(a));
    }
    assert_eq!(spelled(r"t\u0079pe"), "type");
    assert_eq!(spelled("type"), *"type");
    assert_ne!(spelled(r"\n"), "\\n");
    assert_ne!(spelled(r"\ud83d"), "\u{fffd}");
}

#[test]
fn joining_keeps_the_spelling_and_heals_split_pairs() {
    let parts = [spelled(r"a\u0041"), spelled(""), spelled("é")];
    assert_eq!(Text::concat(&parts).raw(), r"a\u0041é");
    assert_eq!(Text::join(&parts, "\n\"").raw(), r#"a\u0041\n\"\n\"é"#);
    assert_eq!(Text::join([], ", "), "");
    assert_eq!(Text::join(&parts[..1], ", ").raw(), r"a\u0041");
    let halves = [spelled(r"x\ud83d"), spelled(r"\ude00y")];
    assert_eq!(Text::concat(&halves), "x😀y");
    assert_eq!(halves[0].contents(), "x\u{fffd}");
    assert_eq!(Text::join(&halves, "-").contents(), "x\u{fffd}-\u{fffd}y");
}

#[test]
fn pieces_are_joined_as_they_come() {
    let mut pieces = Pieces::default();
    assert!(pieces.is_empty() && pieces.text() == "");
    for piece in ["a\\n", "", "\\ud83e", "\\udd80"] {
        pieces.push(&spelled(piece));
    }
    assert_eq!(pieces.text().raw(), "a\\n\\ud83e\\udd80");
    assert_eq!(pieces.text().contents(), "a\n🦀");
    for (start, whole) in [("", "a\n🦀"), ("b", "ba\n🦀")] {
        let mut text = Text::new(start);
        text.extend(pieces.clone());
        assert_eq!(text, whole);
        text.extend(Pieces::default());
        assert_eq!(text, whole);
    }
}

#[test]
fn splitting_shares_memory_and_never_cuts_an_escape() {
    let url = spelled("data:image/png;base64,AAAA");
    let (head, data) = url.split_once(";base64,").unwrap();
    assert_eq!((head.raw(), data.raw()), ("data:image/png", "AAAA"));
    assert!(url.raw().as_bytes().as_ptr_range().contains(&data.raw().as_ptr()));
    assert_eq!(url.split_once("|"), None);
    assert_eq!(spelled(r"a\nb").split_once("n"), None);
    assert_eq!(spelled(r"a\nb").split_once("\\"), None);
    let (before, after) = spelled(r"a|\n|b").split_once("|").unwrap();
    assert_eq!((before.raw(), after.raw()), ("a", r"\n|b"));

    assert_eq!(url.strip_prefix("data:").unwrap().raw(), "image/png;base64,AAAA");
    assert_eq!(spelled(r"dat\u0061\u003a\n").strip_prefix("data:").unwrap().raw(), r"\n");
    assert_eq!(spelled(r"\nx").strip_prefix("\n").unwrap().raw(), "x");
    assert_eq!(spelled(r"\nx").strip_prefix("\\"), None);
    assert_eq!(spelled("da").strip_prefix("data"), None);
    assert_eq!(spelled(r"\ud83d\ude00").strip_prefix("\u{fffd}"), None);
}

#[test]
fn blank_is_judged_by_contents() {
    for raw in ["", " ", r"\n\t \u00a0\u2003"] {
        assert!(spelled(raw).is_blank(), "{raw}");
    }
    for raw in ["a", r"\u0000", r" \\ "] {
        assert!(!spelled(raw).is_blank(), "{raw}");
    }
    assert!(spelled("").is_empty() && !spelled(r"\n").is_empty());
}

/// Strings of all that needs escaping and all that does not, beyond the size of a block.
fn contents(dice: &mut Dice) -> String {
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
    let pieces = dice.below(40);
    (0..pieces).map(|_| dice.pick(PIECES)).collect()
}

#[test]
fn escaping_is_what_serde_json_writes_and_reads() {
    let mut dice = Dice::new(11);
    for _ in 0..20_000 {
        let contents = contents(&mut dice);
        let text = Text::new(&contents);
        let literal = format!("\"{}\"", text.raw());
        assert_eq!(literal, serde_json::to_string(&contents).unwrap());
        assert_eq!(text.contents(), contents);
        assert_eq!(text, *contents);
        assert_eq!(serde_json::from_str::<String>(&literal).unwrap(), contents);
    }
}

#[test]
fn unescaping_is_what_serde_json_reads() {
    let mut dice = Dice::new(13);
    for _ in 0..20_000 {
        let raw = contents(&mut dice)
            .encode_utf16()
            .fold(String::new(), |raw, unit| raw + &format!("\\u{unit:04x}"));
        let expected: String = serde_json::from_str(&format!("\"{raw}\"")).unwrap();
        assert_eq!(spelled(&raw).contents(), expected);
        assert_eq!(spelled(&raw), Text::new(&expected));
    }
}

#[test]
fn names_of_every_length_are_told_apart_however_they_are_spelled() {
    for length in 1..40 {
        let name: String = ('a'..='z').cycle().take(length).collect();
        for at in 0..length {
            let (before, after) = (&name[..at], &name[at + 1..]);
            let byte = name.as_bytes()[at];
            let escaped = spelled(&format!("{before}\\u{byte:04x}{after}"));
            assert_eq!(escaped.contents(), name);
            assert_eq!(escaped, *name);
            assert_eq!(escaped, Text::new(&name));
            let quoted = format!("{before}\"{after}");
            assert_eq!(Text::new(&quoted), *quoted);
            assert_ne!(Text::new(&quoted), *name);
            assert_ne!(
                Text::new(&quoted),
                *Text::new(&quoted).raw(),
                "an escape is not its spelling"
            );
        }
    }
}

#[test]
fn json_inside_a_string_is_the_json_of_its_contents() {
    let mut dice = Dice::new(17);
    let mut seen = [0, 0];
    for _ in 0..20_000 {
        let space = dice.pick(&["", " ", "\n\t"]);
        let json = serde_json::to_string(&[contents(&mut dice)]).unwrap();
        let end = dice.pick(&["", "", "]", "\\", "\u{1}"]);
        let contents = format!("{space}{json}{end}{space}");
        let expected = Json::parse(contents.as_str());
        let by_number = contents
            .encode_utf16()
            .fold(String::new(), |raw, unit| raw + &format!("\\u{unit:04x}"));
        for text in [Text::new(&contents), spelled(&by_number)] {
            assert_eq!(text.as_json(), expected);
            let doc =
                Doc::parse(Json::string(&text).to_bytes().try_into().unwrap(), Limits::default());
            assert_eq!(doc.unwrap().root().inner_json(), expected.as_ref().ok().cloned());
        }
        seen[usize::from(expected.is_ok())] += 1;
    }
    assert!(seen.iter().all(|seen| *seen > 1_000), "{seen:?}");
}
