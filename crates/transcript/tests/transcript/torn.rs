//! Files whose writer died, or did not write alone.

use serde_json::{Value, json};

use crate::file::{File, json as parse};

/// A conversation of four lines, in either format.
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
    let said = |text: &str| {
        let content = json!([{"type": "input_text", "text": text}]);
        item(json!({"type": "message", "role": "user", "content": content}))
    };
    let codex = vec![
        said("go"),
        item(json!({"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"})),
        item(json!({"type": "function_call_output", "call_id": "c1", "output": "fine"})),
        said("Größe {\" \u{1F980}"),
    ];
    [("claude-code", claude), ("codex", codex)]
}

/// The file reads as these lines do, is told to need mending, and is mended to them.
fn reads_as(bytes: &[u8], lines: &[String], case: &str) {
    let whole = File::new(lines.join("\n") + "\n");
    let file = File::of_bytes(bytes.to_vec());
    assert_eq!(file.body(), whole.body(), "{case}");
    let mends = file.transcript.notes.iter().filter(|note| note.mends).count();
    assert!(mends > 0, "{case}: {:?}", file.transcript.notes);
    let after = file.with(|_| {});
    let left: Vec<Value> = after.lines().map(parse).collect();
    assert_eq!(left, lines.iter().map(|line| parse(line)).collect::<Vec<_>>(), "{case}");
    let again = File::new(&after);
    assert!(again.transcript.notes.iter().all(|note| !note.mends), "{case}");
    assert_eq!(again.with(|_| {}), after, "{case}");
}

#[test]
fn a_record_that_is_cut_off_anywhere_goes() {
    for (format, lines) in formats() {
        let last = lines[3].as_bytes();
        let before = lines[..3].join("\n") + "\n";
        for cut in 1..last.len() {
            for end in ["", "\n"] {
                let bytes = [before.as_bytes(), &last[..cut], end.as_bytes()].concat();
                reads_as(&bytes, &lines[..3], &format!("{format}, cut at {cut}"));
            }
        }
    }
}

#[test]
fn a_record_that_follows_the_rest_of_another_is_read() {
    for (format, lines) in formats() {
        for cut in 1..lines[2].len() {
            // Where a value could follow, the record looks like a part of the other.
            if [":", "["].iter().any(|mark| lines[2][..cut].ends_with(mark)) {
                continue;
            }
            let torn = [&lines[2].as_bytes()[..cut], lines[3].as_bytes()].concat();
            let mut bytes = (lines[..3].join("\n") + "\n").into_bytes();
            bytes.extend(&torn);
            for end in ["", "\n"] {
                let bytes = [&bytes, end.as_bytes()].concat();
                reads_as(&bytes, &lines, &format!("{format}, cut at {cut}"));
            }
        }
    }
}

#[test]
fn records_on_one_line_get_lines_of_their_own() {
    for (format, lines) in formats() {
        for between in ["", " ", "\0\0\0", "{\"type\":\"no"] {
            let [a, b, c, d] = &lines[..] else { unreachable!() };
            for text in [
                format!("{a}\n{b}\n{c}{between}{d}\n"),
                format!("{a}{between}{b}{c}{between}{d}"),
                format!("{a}{between}{b}{between}{c}\n{d}{between}{{\"type"),
            ] {
                reads_as(text.as_bytes(), &lines, &format!("{format}, {between:?}"));
            }
        }
        let text = format!("{}\n\0\0\0\0\n{}\n", lines[..2].join("\n"), lines[2..].join("\n"));
        reads_as(text.as_bytes(), &lines, format);
        let text = format!("\u{feff}{}\n{{\n", lines.join("\n"));
        reads_as(text.as_bytes(), &lines, format);
    }
}

#[test]
fn what_else_is_mended_is_mended_beside() {
    for (format, lines) in formats() {
        let [a, b, c, d] = &lines[..] else { unreachable!() };
        for text in [
            format!("{a}\n{b}{c}{d}\n"),
            format!("{a}{b}{{\"type\":\"no{c}{d}"),
            format!("{{\"type\":\"no{a}\n{b}\n{{\"no\n{c}{d}{{\"no\n"),
        ] {
            let file = File::new(&text);
            // The call and its result go, and others come.
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
            let after = file.with(change);
            assert!(after.lines().all(|line| parse(line).is_object()), "{format}: {after}");
            let again = File::new(&after);
            if format == "codex" {
                let mut found = again.body()["input"].as_array().unwrap().clone();
                let mut wanted = expected["input"].as_array().unwrap().clone();
                // A rollout without a line about the session has nothing to put the first behind.
                found.sort_by_key(ToString::to_string);
                wanted.sort_by_key(ToString::to_string);
                assert_eq!(found, wanted, "{after}");
            } else {
                assert_eq!(again.body()["messages"], expected["messages"], "{after}");
            }
        }
    }
}

/// Records of records: what a sub-agent says is told in the middle of a line.
#[test]
fn a_record_inside_another_is_none_of_its_own() {
    let (_, lines) = &formats()[0];
    let told = parse(&lines[1]);
    let progress = json!({"type": "progress", "uuid": "p", "parentUuid": "u4", "sessionId": "s",
        "data": {"message": told, "of": [told]}, "timestamp": "t"});
    let progress = progress.to_string();
    for cut in 1..progress.len() {
        let text = format!("{}\n{}\n", lines.join("\n"), &progress[..cut]);
        reads_as(text.as_bytes(), lines, &format!("end lost at {cut}"));
        let text = format!("{}\n{}\n", lines.join("\n"), &progress[cut..]);
        // A beginning that is lost up to the brace of the record inside leaves what looks like one.
        if !progress[cut..].starts_with('{') {
            reads_as(text.as_bytes(), lines, &format!("beginning lost up to {cut}"));
        }
    }
}
