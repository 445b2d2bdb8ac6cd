//! `interlingua doctor`.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::command::{Ran, interlingua};

/// A folder of its own for each test, and a file in it.
struct Desk {
    folder: PathBuf,
    file: PathBuf,
}

impl Desk {
    fn new(test: &str, file: &str, contents: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("doctor").join(test);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join(file);
        fs::write(&file, contents).expect("a file");
        Self { folder, file }
    }

    fn doctor(&self, options: &str) -> Ran {
        interlingua(&format!("doctor {options} {}", self.file.display()), b"")
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

fn json_lines(ran: &Ran) -> Vec<Value> {
    ran.text().lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Whether the provider accepts the conversation in a file.
fn accepted(desk: &Desk, name: &str, dialect: &str) {
    let path = desk.folder.join(name);
    let request = interlingua(&format!("doctor --extract {}", path.display()), b"");
    assert_eq!(request.code, 0, "{}", request.stderr);
    let verdict = interlingua(&format!("check --for {dialect}"), &request.stdout);
    assert_eq!(verdict.code, 0, "{}", verdict.text());
}

#[test]
fn a_transcript_with_an_interrupted_run_and_a_stripped_signature() {
    let before = fixture("claude_code.jsonl");
    let desk = Desk::new("claude", "talk.jsonl", &before);

    let ran = desk.doctor("");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let said = ran.text();
    for words in [
        "line 12 (messages.3): The run of `Bash` was interrupted: its result is missing.",
        "The provider answers 400: messages.3: `tool_use` ids were found without `tool_result`",
        "its outcome is unknown",
        "line 10 (messages.3.content.0): The signature of the model's thinking is missing",
        "The provider answers 400: messages.3.content.0: Invalid `signature` in `thinking` block",
    ] {
        assert!(said.contains(words), "{words}:\n{said}");
    }
    assert!(!said.contains("No repair is known"), "{said}");
    assert!(ran.stderr.contains("line 14 cannot be read and is skipped"), "{}", ran.stderr);
    assert!(ran.stderr.contains("--fix"), "{}", ran.stderr);
    assert!(!desk.has("talk.fixed.jsonl"));

    let ran = desk.doctor("--fix");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("talk.fixed.jsonl"), "{}", ran.stderr);
    assert_eq!(desk.read("talk.jsonl"), before, "the original is as it was");
    accepted(&desk, "talk.fixed.jsonl", "anthropic");
    let after = desk.read("talk.fixed.jsonl");
    let same = before.lines().filter(|line| after.lines().any(|one| one == *line)).count();
    assert_eq!(
        same, 11,
        "all but the thinking, the two that are linked anew and what is no record"
    );

    let healthy = interlingua(&format!("doctor {}/talk.fixed.jsonl", desk.folder.display()), b"");
    assert_eq!((healthy.code, healthy.text().as_str()), (0, ""), "{}", healthy.stderr);
    assert!(healthy.stderr.contains("healthy"), "{}", healthy.stderr);
}

#[test]
fn a_rollout_with_an_interrupted_run() {
    let before = fixture("codex.jsonl");
    let desk = Desk::new("codex", "rollout.jsonl", &before);
    let ran = desk.doctor("--json --fix");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let lines = json_lines(&ran);
    assert_eq!(lines[0]["format"], "codex");
    let of = |kind: &str| lines.iter().find(|line| line["kind"] == kind).expect(kind).clone();
    assert_eq!(of("note")["line"], 11);
    assert_eq!(of("violation")["line"], 10);
    assert_eq!(of("violation")["status"], 400);
    assert_eq!(of("repair")["rule"], "unanswered-call");
    assert_eq!(of("verdict")["healthy"], false);
    let fixed = desk.folder.join("rollout.fixed.jsonl").display().to_string();
    assert_eq!(of("verdict")["fixed"], fixed);
    accepted(&desk, "rollout.fixed.jsonl", "openai-responses");
    let after = desk.read("rollout.fixed.jsonl");
    let new: Vec<_> =
        after.lines().filter(|line| !before.lines().any(|one| one == *line)).collect();
    assert_eq!(new.len(), 1, "{new:?}");
}

#[test]
fn an_export_with_an_interrupted_run() {
    let export = fixture("opencode.json").replace(
        "\"text\": \"Now run them.\",",
        "\"text\": \"Now run them.\", \"metadata\": {\"anthropic\": {\"signature\": \"EtUB\"}},",
    );
    let desk = Desk::new("opencode", "export.json", &export);
    let ran = desk.doctor("--fix");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.text().contains("The run of `bash` was interrupted"), "{}", ran.text());
    let fixed: Value = serde_json::from_str(&desk.read("export.fixed.json")).expect("JSON");
    let state = &fixed["messages"][2]["parts"][3]["state"];
    assert_eq!(state["status"], "error");
    accepted(&desk, "export.fixed.json", "anthropic");
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
    let session = interlingua("translate --from anthropic --to native", compact.as_bytes());
    for (name, contents, place) in
        [("request.json", body, "line "), ("session.json", session.text(), "messages.1")]
    {
        let desk = Desk::new(name, name, &contents);
        let ran = desk.doctor("");
        assert_eq!(ran.code, 1, "{}", ran.stderr);
        assert!(ran.text().starts_with(place), "{}", ran.text());
        assert!(ran.text().contains("The run of `Bash` was interrupted"), "{}", ran.text());
        let ran = desk.doctor("--fix");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        accepted(&desk, &name.replace('.', ".fixed."), "anthropic");
    }
}

#[test]
fn a_healthy_request_says_nothing() {
    let body = br#"{"model":"claude-opus-4-6","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}"#;
    let ran = interlingua("doctor -", body);
    assert_eq!((ran.code, ran.text().as_str()), (0, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("healthy"), "{}", ran.stderr);
    let ran = interlingua("doctor --extract -", body);
    assert_eq!(ran.stdout, body);
}

#[test]
fn nothing_is_overwritten() {
    let desk = Desk::new("force", "talk.json", &interrupted().to_string());
    fs::write(desk.folder.join("talk.fixed.json"), "precious").expect("a file");
    let ran = desk.doctor("--fix");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("--force"), "{}", ran.stderr);
    assert_eq!(desk.read("talk.fixed.json"), "precious");
    assert_eq!(desk.doctor("--fix --force").code, 0);
    assert_ne!(desk.read("talk.fixed.json"), "precious");
    assert_eq!(desk.read("talk.json"), interrupted().to_string());
}

#[test]
fn what_no_repair_can_mend_is_told_and_the_rest_is_mended() {
    let mut body = interrupted();
    body["messages"][0]["content"] = json!("too long ".repeat(600_000));
    let desk = Desk::new("rest", "talk.json", &body.to_string());
    let ran = desk.doctor("--fix");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("prompt is too long"), "{}", ran.stderr);
    let fixed = desk.folder.join("talk.fixed.json");
    let again = interlingua(&format!("doctor {}", fixed.display()), b"");
    assert!(!again.text().contains("was interrupted"), "{}", again.text());
    assert!(again.text().contains("prompt is too long"), "{}", again.text());
    // Nothing is left that could be mended.
    let ran = interlingua(&format!("doctor --fix {}", fixed.display()), b"");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(!desk.has("talk.fixed.fixed.json"));
}

#[test]
fn another_provider_can_be_asked() {
    let desk = Desk::new("for", "talk.json", &interrupted().to_string());
    let ran = desk.doctor("--for openai-chat");
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.text().contains("tool_call_id"), "{}", ran.text());
    let ran = desk.doctor("--for openai-chat --fix");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("translate"), "{}", ran.stderr);
    let ran = desk.doctor("--for openai-chat --extract --model gpt-x");
    assert!(ran.text().contains("\"model\":\"gpt-x\""), "{}", ran.text());
}

#[test]
fn what_is_no_conversation_is_told() {
    for (contents, part) in [
        ("", "the file is empty"),
        ("hello\nworld\n", ":1:1: no conversation"),
        ("{\"a\": 1}", "this is JSON, but no conversation"),
        ("{\"a\": 1}\n{\"b\": 2}\n", "2 lines of JSON, but no conversation"),
    ] {
        let ran = interlingua("doctor -", contents.as_bytes());
        assert_eq!(ran.code, 1, "{contents}");
        assert!(ran.stdout.is_empty(), "{contents}");
        assert!(ran.stderr.contains(part), "{contents}: {}", ran.stderr);
        assert!(ran.stderr.contains("a Claude Code transcript"), "{contents}: {}", ran.stderr);
    }
}

#[test]
fn wrong_usage_is_told() {
    for (arguments, part) in [
        ("doctor", "<FILE>"),
        ("doctor no-such-file.jsonl", "no-such-file.jsonl"),
        ("doctor --fix -", "stdin"),
        ("doctor --fix --extract x", "--extract"),
        ("doctor --force x", "--fix"),
        ("doctor --for nobody -", "nobody"),
        ("doctor --for openai-chat --flavor deepsek -", "deepseek"),
    ] {
        let ran = interlingua(arguments, br#"{"messages":[{"role":"user","content":"hi"}]}"#);
        assert_eq!(ran.code, 2, "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(part), "{arguments}: {}", ran.stderr);
        assert!(ran.stdout.is_empty(), "{arguments}");
    }
}

/// A conversation of four lines that is well.
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
    let (whole, cut) = (lines.join("\n") + "\n", &lines[3][..50]);
    for (name, torn) in [
        ("cut", format!("{whole}{cut}")),
        ("nul", whole.replacen('\n', "\n\0\0\0\0\n", 1)),
        ("stub", format!("{}\n{}\n{cut}{}\n{}\n", lines[0], lines[1], lines[2], lines[3])),
        ("joined", format!("{}\n{}\n{}{}\n", lines[0], lines[1], lines[2], lines[3])),
        ("again", format!("{whole}{}\n{cut}", lines[1])),
    ] {
        let desk = Desk::new(&format!("torn-{name}"), "talk.jsonl", &torn);
        let ran = desk.doctor("");
        assert_eq!(ran.code, 1, "{name}: {}", ran.stderr);
        assert_eq!(ran.text(), "", "{name}: nothing is wrong with what is said");
        let ran = desk.doctor("--fix");
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        let fixed = desk.read("talk.fixed.jsonl");
        if name != "again" {
            assert_eq!(fixed, whole, "{name}");
        }
        let fixed = desk.folder.join("talk.fixed.jsonl");
        let again = interlingua(&format!("doctor {}", fixed.display()), b"");
        assert_eq!(again.code, 0, "{name}: {}", again.stderr);
    }
}

#[test]
fn a_line_that_says_nothing_is_taken_out() {
    let mut lines = healthy();
    let mut empty: Value = serde_json::from_str(&lines[1]).expect("JSON");
    empty["message"]["content"] = json!([]);
    lines[1] = empty.to_string();
    lines.remove(2);
    lines[2] = lines[2].replace("u3", "u2");
    let desk = Desk::new("nothing", "talk.jsonl", &lines.join("\n"));
    assert_eq!(desk.doctor("").code, 1);
    let ran = desk.doctor("--fix");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(desk.read("talk.fixed.jsonl").lines().count(), 2);
}

#[test]
fn a_mark_before_the_text_is_read_past() {
    let desk = Desk::new("mark", "talk.jsonl", &format!("\u{feff}{}\n", healthy().join("\n")));
    let ran = desk.doctor("");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stderr.contains("line 1"), "{}", ran.stderr);
    let body = "\u{feff}{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";
    let ran = interlingua("translate --from anthropic --to openai-chat", body.as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// About 10 MB in 9,000 lines, with a broken turn in every ten.
#[test]
fn a_large_transcript_is_no_burden() {
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
            // What the agent keeps for itself.
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
    let desk = Desk::new("large", "talk.jsonl", &text);
    let start = std::time::Instant::now();
    let ran = desk.doctor("--fix");
    let took = start.elapsed();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.text().matches("was interrupted").count(), 450);
    assert!(took.as_secs() < 60, "{took:?}");
    accepted(&desk, "talk.fixed.jsonl", "anthropic");
}
