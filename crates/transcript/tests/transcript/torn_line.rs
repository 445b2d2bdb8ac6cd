//! Tests lines torn by a crash or by concurrent writers.

use serde_json::{Value, json};

use crate::file::{TestFile, parse_json as parse};

/// A conversation of four lines in each line format.
fn formats() -> [(&'static str, Vec<String>); 2] {
    let line = |number: usize, role: &str, content: Value| {
        let parent = (number > 1).then(|| format!("u{}", number - 1));
        let mut line = json!({"parentUuid": parent, "isSidechain": false, "sessionId": "s",
            "type": role, "uuid": format!("u{number}"), "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": role, "content": content}});
        if role == "assistant" {
            line["message"]["id"] = json!(format!("msg_{number}"));
        }
        line.to_string()
    };
    let claude = vec![
        line(1, "user", json!("go")),
        line(
            2,
            "assistant",
            json!([{"type": "tool_use", "id": "c1", "name": "f", "input": {"of": {"a": 1}}}]),
        ),
        line(3, "user", json!([{"type": "tool_result", "tool_use_id": "c1", "content": "fine"}])),
        line(4, "user", json!([{"type": "text", "text": "Größe {\" \u{1F980}"}])),
    ];
    let item = |payload: Value| {
        json!({"timestamp": "t", "type": "response_item", "payload": payload}).to_string()
    };
    let prompt = |text: &str| {
        let content = json!([{"type": "input_text", "text": text}]);
        item(json!({"type": "message", "role": "user", "content": content}))
    };
    let codex = vec![
        prompt("go"),
        item(json!({"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"})),
        item(json!({"type": "function_call_output", "call_id": "c1", "output": "fine"})),
        prompt("Größe {\" \u{1F980}"),
    ];
    [("claude-code", claude), ("codex", codex)]
}

/// Checks that the file reads as these lines, has a note to be fixed, and is written as these
/// lines.
fn assert_reads_as(bytes: &[u8], lines: &[String], case: &str) {
    let expected = TestFile::new(lines.join("\n") + "\n");
    let file = TestFile::from_bytes(bytes.to_vec());
    assert_eq!(file.body(), expected.body(), "{case}");
    let fixed = file.transcript.notes.iter().filter(|note| note.is_fixed).count();
    assert!(fixed > 0, "{case}: {:?}", file.transcript.notes);
    let after = file.edit(|_| {});
    let written: Vec<Value> = after.lines().map(parse).collect();
    assert_eq!(written, lines.iter().map(|line| parse(line)).collect::<Vec<_>>(), "{case}");
    let reread = TestFile::new(&after);
    assert!(reread.transcript.notes.iter().all(|note| !note.is_fixed), "{case}");
    assert_eq!(reread.edit(|_| {}), after, "{case}");
}

#[test]
fn a_truncated_record_is_removed() {
    for (format, lines) in formats() {
        let last = lines[3].as_bytes();
        let before = lines[..3].join("\n") + "\n";
        for cut in 1..last.len() {
            for end in ["", "\n"] {
                let bytes = [before.as_bytes(), &last[..cut], end.as_bytes()].concat();
                assert_reads_as(&bytes, &lines[..3], &format!("{format}, cut at {cut}"));
            }
        }
    }
}

#[test]
fn a_record_that_follows_the_rest_of_another_is_read() {
    for (format, lines) in formats() {
        for cut in 1..lines[2].len() {
            // Where a value may follow, the record looks like part of the torn one.
            if [":", "["].iter().any(|delimiter| lines[2][..cut].ends_with(delimiter)) {
                continue;
            }
            let torn = [&lines[2].as_bytes()[..cut], lines[3].as_bytes()].concat();
            let mut bytes = (lines[..3].join("\n") + "\n").into_bytes();
            bytes.extend(&torn);
            for end in ["", "\n"] {
                let bytes = [&bytes, end.as_bytes()].concat();
                assert_reads_as(&bytes, &lines, &format!("{format}, cut at {cut}"));
            }
        }
    }
}

#[test]
fn records_on_one_line_get_lines_of_their_own() {
    for (format, lines) in formats() {
        for separator in ["", " ", "\0\0\0", "{\"type\":\"no"] {
            let [a, b, c, d] = &lines[..] else { unreachable!() };
            for text in [
                format!("{a}\n{b}\n{c}{separator}{d}\n"),
                format!("{a}{separator}{b}{c}{separator}{d}"),
                format!("{a}{separator}{b}{separator}{c}\n{d}{separator}{{\"type"),
            ] {
                assert_reads_as(text.as_bytes(), &lines, &format!("{format}, {separator:?}"));
            }
        }
        let text = format!("{}\n\0\0\0\0\n{}\n", lines[..2].join("\n"), lines[2..].join("\n"));
        assert_reads_as(text.as_bytes(), &lines, format);
        let text = format!("\u{feff}{}\n{{\n", lines.join("\n"));
        assert_reads_as(text.as_bytes(), &lines, format);
    }
}

#[test]
fn repairs_and_torn_lines_are_written_together() {
    for (format, lines) in formats() {
        let [a, b, c, d] = &lines[..] else { unreachable!() };
        for text in [
            format!("{a}\n{b}{c}{d}\n"),
            format!("{a}{b}{{\"type\":\"no{c}{d}"),
            format!("{{\"type\":\"no{a}\n{b}\n{{\"no\n{c}{d}{{\"no\n"),
        ] {
            let file = TestFile::new(&text);
            // Replaces the call and its result.
            let change = |body: &mut Value| {
                if format == "codex" {
                    let items = body["input"].as_array_mut().unwrap();
                    items[2] = json!({"type": "function_call", "call_id": "n", "name": "n"});
                    items.insert(0, json!({"type": "function_call", "call_id": "m", "name": "m"}));
                    items.remove(2);
                } else {
                    let messages = body["messages"].as_array_mut().unwrap();
                    messages[1]["content"] = json!([{"type": "text", "text": "new"}]);
                    messages[2]["content"].as_array_mut().unwrap().remove(0);
                }
            };
            let mut expected = file.body();
            change(&mut expected);
            let after = file.edit(change);
            assert!(after.lines().all(|line| parse(line).is_object()), "{format}: {after}");
            let reread = TestFile::new(&after);
            if format == "codex" {
                let mut actual = reread.body()["input"].as_array().unwrap().clone();
                let mut wanted = expected["input"].as_array().unwrap().clone();
                // Without a session line, the first item has no line to follow.
                actual.sort_by_key(ToString::to_string);
                wanted.sort_by_key(ToString::to_string);
                assert_eq!(actual, wanted, "{after}");
            } else {
                assert_eq!(reread.body()["messages"], expected["messages"], "{after}");
            }
        }
    }
}

/// A sub-agent's message is nested in another record.
#[test]
fn a_nested_record_is_not_a_record() {
    let (_, lines) = &formats()[0];
    let message = parse(&lines[1]);
    let progress = json!({"type": "progress", "uuid": "p", "parentUuid": "u4", "sessionId": "s",
        "data": {"message": message, "of": [message]}, "timestamp": "t"});
    let progress = progress.to_string();
    for cut in 1..progress.len() {
        let text = format!("{}\n{}\n", lines.join("\n"), &progress[..cut]);
        assert_reads_as(text.as_bytes(), lines, &format!("end lost at {cut}"));
        let text = format!("{}\n{}\n", lines.join("\n"), &progress[cut..]);
        // If the beginning is lost up to the inner record's brace, the rest looks like a record.
        if !progress[cut..].starts_with('{') {
            assert_reads_as(text.as_bytes(), lines, &format!("beginning lost up to {cut}"));
        }
    }
}

/// Damage of `n` times the same bytes, which is read in time that grows with `n` and not with its
/// square. Millions of starts of objects on one line take minutes otherwise.
#[test]
fn reading_damage_takes_linear_time() {
    let whole = r#"{"type":"user","uuid":"u1","message":{"role":"user","content":"go"}}"#;
    for piece in [
        "{\"a\":",
        "[{\"a\":",
        "{\"a\":\"",
        "x{\"a\":1}",
        "{\"a\":[{\"b\":1},",
        "{\"a\":\u{e9}",
        "\u{1}{\"",
    ] {
        let read = |count: usize| {
            let bytes = format!("{whole}\n{}", piece.repeat(count)).into_bytes();
            let start = std::time::Instant::now();
            let file = TestFile::from_bytes(bytes);
            assert!(!file.transcript.notes.is_empty(), "{piece}");
            start.elapsed().as_secs_f64()
        };
        // The least of three, because other processes run as well.
        let least = |count| (0..3).map(|_| read(count)).fold(f64::INFINITY, f64::min);
        let (short, long) = (least(10_000), least(80_000));
        assert!(long < 24.0 * short.max(0.002), "{piece:?}: {short} s, {long} s");
    }
}
