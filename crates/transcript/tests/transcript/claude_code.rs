//! Tests Claude Code session files.

use serde_json::{Value, json};

use crate::file::{TestFile, fixture, lines_only_in, parse_json as parse, readable_fixture};

fn broken() -> TestFile {
    TestFile::new(fixture("claude_code.jsonl"))
}

/// The repairs of this file: removes the unsigned thinking, adds the interrupted call's result.
fn repair(body: &mut Value) {
    let messages = body["messages"].as_array_mut().unwrap();
    messages[3]["content"].as_array_mut().unwrap().remove(0);
    let result = json!({"type": "tool_result", "tool_use_id": "toolu_01BashRunPytest0000003",
        "content": "outcome unknown", "is_error": true});
    messages[4]["content"].as_array_mut().unwrap().insert(0, result);
}

#[test]
fn lines_of_a_reply_are_one_message_and_parallel_results_are_found() {
    let file = broken();
    assert_eq!(file.transcript.format.name(), "claude-code");
    assert_eq!(file.body()["model"], "claude-opus-4-6");
    let kinds: Vec<Vec<String>> = file
        .messages()
        .as_array()
        .unwrap()
        .iter()
        .map(|message| {
            let blocks = message["content"].as_array().unwrap();
            blocks.iter().map(|block| block["type"].as_str().unwrap().to_owned()).collect()
        })
        .collect();
    let expected: [&[&str]; 5] = [
        &["text"],
        &["thinking", "text", "tool_use", "tool_use"],
        &["tool_result", "tool_result"],
        &["thinking", "text", "tool_use"],
        &["text"],
    ];
    assert_eq!(kinds, expected);
    let tools: Vec<_> = file.body()["tools"].as_array().unwrap().clone();
    assert_eq!(tools.len(), 3, "{tools:?}");
    let lines: Vec<_> =
        file.transcript.parts.iter().map(|part| part.location.unwrap().line).collect();
    assert_eq!(lines, [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15]);
}

#[test]
fn a_line_that_cannot_be_read_is_noted_with_its_number() {
    let notes = broken().transcript.notes;
    let torn = notes.iter().find(|note| note.line == Some(14)).unwrap();
    assert!(torn.message.contains("skipped") && torn.is_fixed, "{torn}");
    assert!(notes.iter().any(|note| note.message.contains("sub-agents")), "{notes:?}");
}

#[test]
fn an_unchanged_request_leaves_the_file_unchanged() {
    let file = TestFile::new(readable_fixture("claude_code.jsonl"));
    assert_eq!(file.edit(|_| {}), readable_fixture("claude_code.jsonl"));
    assert_eq!(broken().edit(|_| {}), readable_fixture("claude_code.jsonl"));
}

#[test]
fn only_what_changed_is_written() {
    let (file, before) = (broken(), readable_fixture("claude_code.jsonl"));
    let after = file.edit(repair);
    assert_eq!(after, file.edit(repair), "the same each time");

    let removed = lines_only_in(&before, &after);
    let added = lines_only_in(&after, &before);
    assert_eq!(removed.len(), 3, "{removed:?}");
    assert_eq!(added.len(), 3, "{added:?}");
    // The thinking was its own line; the line after it is linked to its parent.
    let (thinking, text) = (parse(removed[0]), parse(removed[1]));
    assert_eq!(thinking["message"]["content"][0]["type"], "thinking");
    assert_eq!(parse(added[0])["parentUuid"], thinking["parentUuid"]);
    let relinked = text
        .to_string()
        .replace(thinking["uuid"].as_str().unwrap(), thinking["parentUuid"].as_str().unwrap());
    assert_eq!(parse(added[0]), parse(&relinked), "nothing else of the line changed");
    // The result is a new line between the call and the next prompt.
    let (result, prompt) = (parse(added[1]), parse(added[2]));
    let call = before.lines().nth(11).map(parse).unwrap();
    assert_eq!(result["type"], "user");
    assert_eq!(result["parentUuid"], call["uuid"]);
    assert_eq!(result["sessionId"], call["sessionId"]);
    assert_eq!(result["timestamp"], call["timestamp"]);
    assert_eq!(result["message"]["content"][0]["content"], "outcome unknown");
    assert_eq!(result["uuid"].as_str().unwrap().len(), 36);
    assert_eq!(prompt["parentUuid"], result["uuid"]);
    assert_eq!(prompt["message"]["content"], "Stop. Just fix the function.");
}

#[test]
fn the_written_file_reads_as_the_repaired_request() {
    let file = broken();
    let mut expected = file.body();
    repair(&mut expected);
    let reread = TestFile::new(file.edit(repair));
    assert_eq!(reread.body(), expected);
}

fn line(uuid: &str, parent: Option<&str>, role: &str, content: &Value) -> String {
    let mut line = json!({"parentUuid": parent, "isSidechain": false, "type": role, "uuid": uuid,
        "sessionId": "s", "timestamp": "2026-01-01T00:00:00.000Z",
        "message": {"role": role, "content": content}});
    if role == "assistant" {
        line["message"]["id"] = json!(format!("msg_{uuid}"));
        line["message"]["model"] = json!("claude-opus-4-6");
    }
    line.to_string()
}

fn text(text: &str) -> Value {
    json!([{"type": "text", "text": text}])
}

#[test]
fn a_call_without_a_result_gets_one_at_the_end() {
    let call = json!([{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}]);
    for end in ["", "\n"] {
        let lines =
            [line("a", None, "user", &json!("go")), line("b", Some("a"), "assistant", &call)];
        let file = TestFile::new(lines.join("\n") + end);
        assert_eq!(file.messages()[2], json!({"role": "user", "content": text("Continue.")}));
        let result = json!({"type": "tool_result", "tool_use_id": "toolu_1", "content": "unknown"});
        let after = file.edit(|body| {
            body["messages"][2]["content"].as_array_mut().unwrap().insert(0, result.clone());
        });
        assert!(after.starts_with(&lines.join("\n")), "{after}");
        assert_eq!(after.ends_with('\n'), end == "\n");
        let reread = TestFile::new(&after);
        assert_eq!(reread.messages()[2], json!({"role": "user", "content": [result]}));
        assert!(!after.contains("Continue."), "the placeholder is not written");
    }
}

#[test]
fn a_broken_link_is_repaired() {
    let lines = [
        line("a", None, "user", &json!("one")),
        line("b", Some("a"), "assistant", &text("two")),
        line("c", Some("b"), "user", &json!("three"))[..40].to_owned(),
        line("d", Some("c"), "assistant", &text("four")),
        line("e", Some("d"), "user", &json!("five")),
    ];
    let file = TestFile::new(lines.join("\n"));
    assert_eq!(file.messages().as_array().unwrap().len(), 4);
    let fixed = file.transcript.notes.iter().filter(|note| note.is_fixed);
    assert_eq!(fixed.map(|note| note.line).collect::<Vec<_>>(), [Some(3), Some(4)]);
    let after = file.edit(|_| {});
    let added = lines_only_in(&after, &lines.join("\n")).join("\n");
    assert_eq!(parse(&added)["parentUuid"], "b");
    assert!(TestFile::new(&after).transcript.notes.iter().all(|note| !note.is_fixed));
}

#[test]
fn only_the_newest_branch_counts() {
    let lines = [
        line("a", None, "user", &json!("one")),
        line("b", Some("a"), "assistant", &text("left")),
        line("c", Some("a"), "assistant", &text("taken")),
        line("d", Some("c"), "user", &json!("three")),
    ];
    let file = TestFile::new(lines.join("\n"));
    assert_eq!(file.messages()[1]["content"], text("taken"));
    assert!(file.transcript.notes.iter().any(|note| note.message.contains("branches")));
}

#[test]
fn a_summary_replaces_earlier_messages() {
    let boundary = json!({"parentUuid": null, "logicalParentUuid": "a", "type": "system",
        "subtype": "compact_boundary", "uuid": "x", "content": "Conversation compacted"});
    let lines = [
        line("a", None, "user", &json!("long ago")),
        boundary.to_string(),
        line("b", Some("x"), "user", &json!("This session is being continued.")),
    ];
    let file = TestFile::new(lines.join("\n"));
    assert_eq!(
        file.messages(),
        json!([{"role": "user", "content": text("This session is being continued.")}])
    );
}

#[test]
fn an_api_error_is_not_sent() {
    let mut error = parse(&line("b", Some("a"), "assistant", &text("API Error: 400")));
    error["isApiErrorMessage"] = json!(true);
    error["message"]["model"] = json!("<synthetic>");
    let lines = [
        line("a", None, "user", &json!("one")),
        error.to_string(),
        line("c", Some("b"), "user", &json!("two")),
    ];
    let messages = TestFile::new(lines.join("\n")).messages();
    let expected = json!([{"role": "user", "content": [
        {"type": "text", "text": "one"}, {"type": "text", "text": "two"}]}]);
    assert_eq!(messages, expected);
}

#[test]
fn blocks_of_one_line_stay_on_it() {
    let both = json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]);
    let file = TestFile::new(line("a", None, "user", &both));
    let after = file.edit(|body| {
        let content = body["messages"][0]["content"].as_array_mut().unwrap();
        content.insert(1, json!({"type": "image", "text": "between"}));
        content[2]["text"] = json!("TWO");
    });
    assert_eq!(after.lines().count(), 1);
    let texts: Vec<_> = parse(&after)["message"]["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["text"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(texts, ["one", "between", "TWO"]);
}

#[test]
fn a_transcript_of_a_sub_agent_is_read_too() {
    let mut lines = [
        parse(&line("a", None, "user", &json!("one"))),
        parse(&line("b", Some("a"), "assistant", &text("two"))),
    ];
    for line in &mut lines {
        line["isSidechain"] = json!(true);
    }
    let file = TestFile::new(lines.map(|line| line.to_string()).join("\n"));
    assert_eq!(file.messages()[1]["content"], text("two"));
}

#[test]
fn a_file_whose_lines_are_all_removed_has_the_new_messages() {
    let thinking = json!([{"type": "thinking", "thinking": "hm", "signature": ""}]);
    for end in ["", "\n"] {
        let file = TestFile::new(line("a", None, "assistant", &thinking) + end);
        let after = file.edit(|body| {
            body["messages"] = json!([{"role": "user", "content": text("(empty)")}]);
        });
        assert_eq!(
            TestFile::new(&after).messages(),
            json!([{"role": "user", "content": text("(empty)")}])
        );
    }
}

/// Six messages; a compaction preserves the last three after the summary.
fn compacted(next_parent: &str, change: impl FnOnce(&mut Value)) -> TestFile {
    let message_line = |number: usize| {
        let role = if number % 2 == 1 { "user" } else { "assistant" };
        let parent = (number > 1).then(|| (number - 1).to_string());
        line(&number.to_string(), parent.as_deref(), role, &text(&number.to_string()))
    };
    let mut boundary = json!({"parentUuid": null, "type": "system", "subtype": "compact_boundary",
        "uuid": "7", "compactMetadata": {"preservedSegment":
            {"headUuid": "4", "anchorUuid": "8", "tailUuid": "6"}}});
    change(&mut boundary);
    let mut lines: Vec<String> = (1..=6).map(message_line).collect();
    lines.push(boundary.to_string());
    lines.push(line("8", Some("7"), "user", &text("summary")));
    lines.push(line("9", Some(next_parent), "user", &text("next")));
    TestFile::new(lines.join("\n"))
}

fn texts(file: &TestFile) -> Vec<String> {
    let messages = file.messages();
    let blocks = messages.as_array().unwrap().iter().flat_map(|message| {
        message["content"].as_array().unwrap().iter().map(|block| block["text"].clone())
    });
    blocks.map(|text| text.as_str().unwrap().to_owned()).collect()
}

#[test]
fn messages_preserved_by_a_compaction_follow_the_summary() {
    for next in ["6", "8"] {
        let file = compacted(next, |_| {});
        assert_eq!(texts(&file), ["summary", "4", "5", "6", "next"], "next follows {next}");
        let unchanged = file.edit(|_| {});
        assert_eq!(unchanged.as_bytes(), file.source.bytes(), "the relinking is not written");
        // Remove the first and last preserved message.
        let after = file.edit(|body| {
            let messages = body["messages"].as_array_mut().unwrap();
            *messages = vec![messages[0].clone(), messages[2].clone(), messages[4].clone()];
        });
        assert_eq!(texts(&TestFile::new(&after)), ["summary", "5", "next"], "{after}");
        let middle = file.edit(|body| drop(body["messages"].as_array_mut().unwrap().remove(2)));
        assert_eq!(texts(&TestFile::new(&middle)), ["summary", "4", "6", "next"], "{middle}");
    }
}

#[test]
fn an_unlinked_preserved_segment_is_ignored() {
    let segment = |boundary: &mut Value, key: &str, value: Value| {
        boundary["compactMetadata"]["preservedSegment"][key] = value;
    };
    for (key, value) in
        [("headUuid", "9"), ("headUuid", "x"), ("anchorUuid", "x"), ("tailUuid", "x")]
    {
        let file = compacted("8", |boundary| segment(boundary, key, json!(value)));
        assert_eq!(texts(&file), ["summary", "next"], "{key}");
    }
    let file = compacted("8", |boundary| boundary["compactMetadata"] = Value::Null);
    assert_eq!(texts(&file), ["summary", "next"]);
}

#[test]
fn an_empty_line_is_removed() {
    for content in [json!([]), Value::Null] {
        let lines = [
            line("a", None, "user", &json!("one")),
            line("b", Some("a"), "assistant", &content),
            line("c", Some("b"), "user", &json!("two")),
        ];
        let file = TestFile::new(lines.join("\n"));
        assert_eq!(file.messages()[1], json!({"role": "assistant", "content": []}));
        assert_eq!(file.edit(|_| {}), lines.join("\n"));
        let after = file.edit(|body| drop(body["messages"].as_array_mut().unwrap().remove(1)));
        assert_eq!(after.lines().count(), 2);
        assert_eq!(parse(after.lines().nth(1).unwrap())["parentUuid"], "a");
    }
    // With another line of the same reply it is harmless.
    let mut sibling = parse(&line("b", Some("a"), "assistant", &json!([])));
    sibling["message"]["id"] = json!("msg_c");
    let lines = [
        line("a", None, "user", &json!("one")),
        sibling.to_string(),
        line("c", Some("b"), "assistant", &text("two")),
        line("d", Some("c"), "user", &json!("three")),
    ];
    let file = TestFile::new(lines.join("\n"));
    assert_eq!(texts(&file), ["one", "two", "three"]);
    let after = file.edit(|body| body["messages"][2]["content"][0]["text"] = json!("four"));
    assert_eq!(after.lines().count(), 4);
}

#[test]
fn a_duplicate_line_counts_once() {
    let call = json!([{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": "ok"}]);
    let lines = [
        line("a", None, "user", &json!("one")),
        line("b", Some("a"), "assistant", &call),
        line("c", Some("b"), "user", &result),
        line("d", Some("c"), "user", &json!("two")),
    ];
    let once = TestFile::new(lines.join("\n"));
    let repeated: Vec<&String> = lines.iter().chain(&lines).collect();
    let twice: Vec<&String> = lines.iter().flat_map(|line| [line, line]).collect();
    let late: Vec<&String> = lines.iter().chain(&lines[..2]).collect();
    for lines in [repeated, twice, late] {
        let text = lines.into_iter().cloned().collect::<Vec<_>>().join("\n");
        let file = TestFile::new(&text);
        assert_eq!(file.body(), once.body(), "{text}");
        assert_eq!(file.edit(|_| {}), text);
        // The agent reads the last duplicate.
        let after = file.edit(|body| {
            let messages = body["messages"].as_array_mut().unwrap();
            messages[1]["content"][0]["input"] = json!({"command": "ls"});
            messages[2]["content"][1]["text"] = json!("three");
        });
        for old in [&lines_of(&once)[1], &lines_of(&once)[3]] {
            assert!(!after.contains(old.as_str()), "{after}");
        }
    }
}

fn lines_of(file: &TestFile) -> Vec<String> {
    String::from_utf8_lossy(file.source.bytes()).lines().map(ToOwned::to_owned).collect()
}
