//! `interlingua doctor`.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::command::{CommandOutput, run_interlingua};

/// A folder for each test, with one file.
pub(crate) struct TestFolder {
    folder: PathBuf,
    file: PathBuf,
}

impl TestFolder {
    pub(crate) fn new(test: &str, file: &str, contents: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("doctor").join(test);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join(file);
        fs::write(&file, contents).expect("a file");
        Self { folder, file }
    }

    pub(crate) fn doctor(&self, options: &str) -> CommandOutput {
        run_interlingua(&format!("doctor {options} {}", self.file.display()), b"")
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).expect(name)
    }

    fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }
}

fn fixture(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../transcript/tests/fixtures/");
    fs::read_to_string(format!("{folder}{name}")).expect(name)
}

fn json_lines(output: &CommandOutput) -> Vec<Value> {
    output.text().lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Whether the provider accepts the conversation in a file.
fn assert_accepted(test_folder: &TestFolder, name: &str, dialect: &str) {
    let path = test_folder.folder.join(name);
    let request = run_interlingua(&format!("doctor --extract {}", path.display()), b"");
    assert_eq!(request.code, 0, "{}", request.stderr);
    let verdict = run_interlingua(&format!("check --for {dialect}"), &request.stdout);
    assert_eq!(verdict.code, 0, "{}", verdict.text());
}

#[test]
fn a_transcript_with_an_interrupted_run_and_a_stripped_signature() {
    let before = fixture("claude_code.jsonl");
    let test_folder = TestFolder::new("claude", "talk.jsonl", &before);

    let output = test_folder.doctor("");
    assert_eq!(output.code, 1, "{}", output.stderr);
    let report = output.text();
    for words in [
        "line 12 (messages.3): The run of `Bash` was interrupted: its result is missing.",
        "The provider answers 400: messages.3: `tool_use` ids were found without `tool_result`",
        "its outcome is unknown",
        "line 10 (messages.3.content.0): The signature of the model's thinking is missing",
        "The provider answers 400: messages.3.content.0: Invalid `signature` in `thinking` block",
    ] {
        assert!(report.contains(words), "{words}:\n{report}");
    }
    assert!(!report.contains("No repair is known"), "{report}");
    let line = |paragraph: &str| -> Option<usize> {
        paragraph.strip_prefix("line ")?.split(' ').next()?.parse().ok()
    };
    let lines: Vec<_> = report.split("\n\n").filter_map(line).collect();
    assert!(lines.len() > 1 && lines.is_sorted(), "{report}");
    assert!(output.stderr.contains("line 14 cannot be read and is skipped"), "{}", output.stderr);
    assert!(output.stderr.contains("--fix"), "{}", output.stderr);
    assert!(!test_folder.has("talk.fixed.jsonl"));

    let output = test_folder.doctor("--fix");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stderr.contains("talk.fixed.jsonl"), "{}", output.stderr);
    assert_eq!(test_folder.read("talk.jsonl"), before, "the original is as it was");
    assert_accepted(&test_folder, "talk.fixed.jsonl", "anthropic");
    let after = test_folder.read("talk.fixed.jsonl");
    let unchanged = before.lines().filter(|line| after.lines().any(|other| other == *line)).count();
    assert_eq!(
        unchanged, 11,
        "all but the thinking, the two that are linked anew and what is no record"
    );

    let healthy =
        run_interlingua(&format!("doctor {}/talk.fixed.jsonl", test_folder.folder.display()), b"");
    assert_eq!((healthy.code, healthy.text().as_str()), (0, ""), "{}", healthy.stderr);
    assert!(healthy.stderr.contains("healthy"), "{}", healthy.stderr);
}

#[test]
fn a_rollout_with_an_interrupted_run() {
    let before = fixture("codex.jsonl");
    let test_folder = TestFolder::new("codex", "rollout.jsonl", &before);
    let output = test_folder.doctor("--json --fix");
    assert_eq!(output.code, 0, "{}", output.stderr);
    let lines = json_lines(&output);
    assert_eq!(lines[0]["format"], "codex");
    let find = |kind: &str| lines.iter().find(|line| line["kind"] == kind).expect(kind).clone();
    assert_eq!(find("note")["line"], 11);
    assert_eq!(find("violation")["line"], 10);
    assert_eq!(find("violation")["status"], 400);
    assert_eq!(find("repair")["rule"], "unanswered-call");
    assert_eq!(find("verdict")["healthy"], false);
    let fixed = test_folder.folder.join("rollout.fixed.jsonl").display().to_string();
    assert_eq!(find("verdict")["fixed"], fixed);
    assert_accepted(&test_folder, "rollout.fixed.jsonl", "openai-responses");
    let after = test_folder.read("rollout.fixed.jsonl");
    let new: Vec<_> =
        after.lines().filter(|line| !before.lines().any(|other| other == *line)).collect();
    assert_eq!(new.len(), 1, "{new:?}");
}

#[test]
fn an_export_with_an_interrupted_run() {
    let export = fixture("opencode.json").replace(
        "\"text\": \"Now run them.\",",
        "\"text\": \"Now run them.\", \"metadata\": {\"anthropic\": {\"signature\": \"EtUB\"}},",
    );
    let test_folder = TestFolder::new("opencode", "export.json", &export);
    let output = test_folder.doctor("--fix");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.text().contains("The run of `bash` was interrupted"), "{}", output.text());
    let fixed: Value = serde_json::from_str(&test_folder.read("export.fixed.json")).expect("JSON");
    let state = &fixed["messages"][2]["parts"][3]["state"];
    assert_eq!(state["status"], "error");
    assert_accepted(&test_folder, "export.fixed.json", "anthropic");
}

fn interrupted() -> Value {
    json!({"model": "claude-opus-4-6", "max_tokens": 9,
        "tools": [{"name": "Bash", "input_schema": {"type": "object"}}],
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}]},
            {"role": "user", "content": "go on"}]})
}

#[test]
fn a_request_and_a_stored_session() {
    let body = serde_json::to_string_pretty(&interrupted()).expect("JSON");
    let compact = interrupted().to_string();
    let session = run_interlingua("translate --from anthropic --to native", compact.as_bytes());
    for (name, contents, place) in
        [("request.json", body, "line "), ("session.json", session.text(), "messages.1")]
    {
        let test_folder = TestFolder::new(name, name, &contents);
        let output = test_folder.doctor("");
        assert_eq!(output.code, 1, "{}", output.stderr);
        assert!(output.text().starts_with(place), "{}", output.text());
        assert!(output.text().contains("The run of `Bash` was interrupted"), "{}", output.text());
        let output = test_folder.doctor("--fix");
        assert_eq!(output.code, 0, "{}", output.stderr);
        assert_accepted(&test_folder, &name.replace('.', ".fixed."), "anthropic");
    }
}

#[test]
fn a_healthy_request_prints_nothing() {
    let body = br#"{"model":"claude-opus-4-6","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#;
    let output = run_interlingua("doctor -", body);
    assert_eq!((output.code, output.text().as_str()), (0, ""), "{}", output.stderr);
    assert!(output.stderr.contains("healthy"), "{}", output.stderr);
    let output = run_interlingua("doctor --extract -", body);
    assert_eq!(output.stdout, body);
}

#[test]
fn nothing_is_overwritten() {
    let test_folder = TestFolder::new("force", "talk.json", &interrupted().to_string());
    fs::write(test_folder.folder.join("talk.fixed.json"), "precious").expect("a file");
    let output = test_folder.doctor("--fix");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("--force"), "{}", output.stderr);
    assert_eq!(test_folder.read("talk.fixed.json"), "precious");
    assert_eq!(test_folder.doctor("--fix --force").code, 0);
    assert_ne!(test_folder.read("talk.fixed.json"), "precious");
    assert_eq!(test_folder.read("talk.json"), interrupted().to_string());
}

#[test]
fn unrepairable_violations_are_reported_and_the_rest_is_repaired() {
    let mut body = interrupted();
    body["messages"][0]["content"] = json!("too long ".repeat(600_000));
    let test_folder = TestFolder::new("rest", "talk.json", &body.to_string());
    let output = test_folder.doctor("--fix");
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stderr.contains("prompt is too long"), "{}", output.stderr);
    let fixed = test_folder.folder.join("talk.fixed.json");
    let second = run_interlingua(&format!("doctor {}", fixed.display()), b"");
    assert!(!second.text().contains("was interrupted"), "{}", second.text());
    assert!(second.text().contains("prompt is too long"), "{}", second.text());
    // No further repair is possible.
    let output = run_interlingua(&format!("doctor --fix {}", fixed.display()), b"");
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(!test_folder.has("talk.fixed.fixed.json"));
}

#[test]
fn another_provider_can_be_chosen() {
    let test_folder = TestFolder::new("for", "talk.json", &interrupted().to_string());
    let output = test_folder.doctor("--for openai-chat");
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.text().contains("tool_call_id"), "{}", output.text());
    let output = test_folder.doctor("--for openai-chat --fix");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("translate"), "{}", output.stderr);
    let output = test_folder.doctor("--for openai-chat --extract --model gpt-x");
    assert!(output.text().contains("\"model\":\"gpt-x\""), "{}", output.text());
}

#[test]
fn files_without_a_conversation_are_reported() {
    for (contents, part) in [
        ("", "the file is empty"),
        ("hello\nworld\n", ":1:1: no conversation"),
        ("{\"a\": 1}", "this is JSON, but no conversation"),
        ("{\"a\": 1}\n{\"b\": 2}\n", "2 lines of JSON, but no conversation"),
    ] {
        let output = run_interlingua("doctor -", contents.as_bytes());
        assert_eq!(output.code, 1, "{contents}");
        assert!(output.stdout.is_empty(), "{contents}");
        assert!(output.stderr.contains(part), "{contents}: {}", output.stderr);
        assert!(
            output.stderr.contains("a Claude Code transcript"),
            "{contents}: {}",
            output.stderr
        );
    }
}

#[test]
fn wrong_usage_is_reported() {
    for (arguments, part) in [
        ("doctor", "<FILE>"),
        ("doctor no-such-file.jsonl", "no-such-file.jsonl"),
        ("doctor --fix -", "stdin"),
        ("doctor --fix --extract x", "--extract"),
        ("doctor --force x", "--fix"),
        ("doctor --for nobody -", "nobody"),
        ("doctor --for openai-chat --flavor deepsek -", "deepseek"),
    ] {
        let output =
            run_interlingua(arguments, br#"{"messages":[{"role":"user","content":"hi"}]}"#);
        assert_eq!(output.code, 2, "{arguments}: {}", output.stderr);
        assert!(output.stderr.contains(part), "{arguments}: {}", output.stderr);
        assert!(output.stdout.is_empty(), "{arguments}");
    }
}

/// A healthy transcript of four lines.
fn healthy() -> Vec<String> {
    let line = |number: usize, role: &str, content: Value| {
        let parent = (number > 1).then(|| format!("u{}", number - 1));
        let mut line = json!({"parentUuid": parent, "isSidechain": false, "type": role,
            "uuid": format!("u{number}"), "sessionId": "s", "timestamp": "2026-11-03T10:15:01Z",
            "message": {"role": role, "content": content}});
        if role == "assistant" {
            line["message"]["id"] = json!(format!("msg_{number}"));
            line["message"]["model"] = json!("claude-opus-4-6");
        }
        line.to_string()
    };
    let call = json!([{"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}}]);
    let result = json!([{"type": "tool_result", "tool_use_id": "toolu_1", "content": "real"}]);
    vec![
        line(1, "user", json!("go")),
        line(2, "assistant", call),
        line(3, "user", result),
        line(4, "user", json!("and on")),
    ]
}

#[test]
fn a_torn_transcript_is_not_healthy_and_loses_no_record() {
    let lines = healthy();
    let (complete, partial_line) = (lines.join("\n") + "\n", &lines[3][..50]);
    for (name, torn) in [
        ("cut", format!("{complete}{partial_line}")),
        ("nul", complete.replacen('\n', "\n\0\0\0\0\n", 1)),
        ("stub", format!("{}\n{}\n{partial_line}{}\n{}\n", lines[0], lines[1], lines[2], lines[3])),
        ("joined", format!("{}\n{}\n{}{}\n", lines[0], lines[1], lines[2], lines[3])),
        ("again", format!("{complete}{}\n{partial_line}", lines[1])),
    ] {
        let test_folder = TestFolder::new(&format!("torn-{name}"), "talk.jsonl", &torn);
        let output = test_folder.doctor("");
        assert_eq!(output.code, 1, "{name}: {}", output.stderr);
        assert_eq!(output.text(), "", "{name}: nothing is wrong with what is said");
        let output = test_folder.doctor("--fix");
        assert_eq!(output.code, 0, "{name}: {}", output.stderr);
        let fixed = test_folder.read("talk.fixed.jsonl");
        if name != "again" {
            assert_eq!(fixed, complete, "{name}");
        }
        let fixed = test_folder.folder.join("talk.fixed.jsonl");
        let second = run_interlingua(&format!("doctor {}", fixed.display()), b"");
        assert_eq!(second.code, 0, "{name}: {}", second.stderr);
    }
}

#[test]
fn an_empty_line_is_removed() {
    let mut lines = healthy();
    let mut empty: Value = serde_json::from_str(&lines[1]).expect("JSON");
    empty["message"]["content"] = json!([]);
    lines[1] = empty.to_string();
    lines.remove(2);
    lines[2] = lines[2].replace("u3", "u2");
    let test_folder = TestFolder::new("nothing", "talk.jsonl", &lines.join("\n"));
    assert_eq!(test_folder.doctor("").code, 1);
    let output = test_folder.doctor("--fix");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(test_folder.read("talk.fixed.jsonl").lines().count(), 2);
}

#[test]
fn a_byte_order_mark_is_ignored() {
    let test_folder =
        TestFolder::new("mark", "talk.jsonl", &format!("\u{feff}{}\n", healthy().join("\n")));
    let output = test_folder.doctor("");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(!output.stderr.contains("line 1"), "{}", output.stderr);
    let body = "\u{feff}{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    let output = run_interlingua("translate --from anthropic --to openai-chat", body.as_bytes());
    assert_eq!(output.code, 0, "{}", output.stderr);
}

/// About 10 MB in 9,000 lines, with a broken turn in every ten.
#[test]
fn a_large_transcript_is_examined_quickly() {
    let mut lines = Vec::new();
    let mut add = |role: &str, content: Value| {
        let number = lines.len();
        let parent = number.checked_sub(1).map(|parent| format!("uuid-{parent}"));
        let mut line = json!({"parentUuid": parent, "isSidechain": false, "type": role,
            "uuid": format!("uuid-{number}"), "sessionId": "s", "timestamp": "2026-11-03T10:15:01Z",
            "message": {"role": role, "content": content}});
        if role == "assistant" {
            line["message"]["id"] = json!(format!("msg_{number}"));
            line["message"]["model"] = json!("claude-opus-4-6");
        } else {
            // Data that the agent stores for itself.
            line["toolUseResult"] = json!({"stdout": "y".repeat(2000)});
        }
        lines.push(line.to_string());
    };
    add("user", json!("go"));
    for turn in 0..4500 {
        let id = format!("toolu_{turn:05}");
        add("assistant", json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {}}]));
        if turn % 10 == 0 {
            add("user", json!("stop, and go on"));
        } else {
            add("user", json!([{"type": "tool_result", "tool_use_id": id, "content": "done"}]));
        }
    }
    let text = lines.join("\n");
    assert!(text.len() > 10_000_000);
    let test_folder = TestFolder::new("large", "talk.jsonl", &text);
    let start = std::time::Instant::now();
    let output = test_folder.doctor("--fix");
    let took = start.elapsed();
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(output.text().matches("was interrupted").count(), 450);
    assert!(took.as_secs() < 60, "{took:?}");
    assert_accepted(&test_folder, "talk.fixed.jsonl", "anthropic");
}
