//! `interlingua doctor` with reasoning that the gateway has put into an agent's own signatures.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Child;

use serde_json::{Value, json};

use crate::command::{run_interlingua, start_listening};

/// A simulator and a gateway in front of it, which are stopped at the end.
struct TestGateway {
    processes: [Child; 2],
    addr: String,
}

impl TestGateway {
    fn start(home: &Path) -> Self {
        let (simulator, simulator_addr) =
            start_listening(&["simulate", "--listen", "127.0.0.1:0"], |_| {});
        let config = home.join("gateway.toml");
        let providers = format!(
            "[providers.claude]\ndialect = \"anthropic\"\nbase_url = \"http://{simulator_addr}/anthropic\"\n\
             [providers.gpt]\ndialect = \"openai-responses\"\nbase_url = \"http://{simulator_addr}/openai/v1\"\n"
        );
        fs::write(&config, providers).expect("a file");
        let config = config.display().to_string();
        let serve = ["serve", "--listen", "127.0.0.1:0", "--config", &config];
        let (gateway, addr) = start_listening(&serve, |command| {
            command.env_clear().env("HOME", home);
        });
        Self { processes: [simulator, gateway], addr }
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(&self.addr).expect("it listens");
        let (body, addr) = (body.to_string(), &self.addr);
        let length = body.len();
        write!(
            stream,
            "POST {path} HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .expect("it reads");
        let mut reply = String::new();
        stream.read_to_string(&mut reply).expect("it answers");
        assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
        let (start, end) = (reply.find('{').expect(&reply), reply.rfind('}').expect(&reply));
        serde_json::from_str(&reply[start..=end]).expect(&reply)
    }
}

impl Drop for TestGateway {
    fn drop(&mut self) {
        for process in &mut self.processes {
            // It may have ended already.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Codex with a Claude model.
fn rollout(gateway: &TestGateway) -> Vec<String> {
    let prompt = json!({"type": "message", "role": "user",
        "content": [{"type": "input_text", "text": "Please look."}]});
    let reply = gateway.post(
        "/v1/responses",
        &json!({"model": "claude/claude-opus-4-6", "input": [prompt], "store": false,
            "include": ["reasoning.encrypted_content"], "reasoning": {"effort": "high"},
            "tools": [{"type": "function", "name": "look", "parameters": {"type": "object"}}]}),
    );
    let item = |payload: &Value| {
        json!({"timestamp": "t", "type": "response_item", "payload": payload}).to_string()
    };
    let mut lines = vec![
        json!({"timestamp": "t", "type": "session_meta", "payload": {"id": "x"}}).to_string(),
        item(&prompt),
    ];
    for output in reply["output"].as_array().expect("a list") {
        lines.push(item(output));
        if output["type"] == "function_call" {
            lines.push(item(&json!({"type": "function_call_output",
                "call_id": output["call_id"], "output": "boats"})));
        }
    }
    lines
}

/// Claude Code with a GPT model.
fn transcript(gateway: &TestGateway) -> Vec<String> {
    let reply = gateway.post(
        "/v1/messages",
        &json!({"model": "gpt/gpt-5.5", "max_tokens": 9000,
            "thinking": {"type": "enabled", "budget_tokens": 2000},
            "tools": [{"name": "look", "input_schema": {"type": "object"}}],
            "messages": [{"role": "user", "content": "Please look."}]}),
    );
    let results: Vec<_> = reply["content"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|block| block["type"] == "tool_use")
        .map(|block| json!({"type": "tool_result", "tool_use_id": block["id"], "content": "boats"}))
        .collect();
    let line = |number: usize, role: &str, message: Value| {
        let parent = (number > 1).then(|| format!("u{}", number - 1));
        json!({"parentUuid": parent, "isSidechain": false, "type": role, "sessionId": "s",
            "uuid": format!("u{number}"), "timestamp": "2026-11-03T10:15:01Z", "message": message})
        .to_string()
    };
    vec![
        line(1, "user", json!({"role": "user", "content": "Please look."})),
        line(
            2,
            "assistant",
            json!({"id": "msg_2", "role": "assistant", "model": "gpt/gpt-5.5",
            "content": reply["content"]}),
        ),
        line(3, "user", json!({"role": "user", "content": results})),
    ]
}

#[test]
fn a_conversation_that_went_through_the_gateway_is_healthy_and_keeps_its_seals() {
    let home = tempfile::tempdir().expect("a folder");
    let gateway = TestGateway::start(home.path());
    for (name, mut lines, sealed_by) in [
        ("rollout.jsonl", rollout(&gateway), Some("anthropic --model claude-opus-4-6")),
        // OpenAI also wants the ids of its items, which a transcript of Claude Code does not have.
        ("transcript.jsonl", transcript(&gateway), None),
    ] {
        let path = home.path().join(name);
        let doctor =
            |options: &str| run_interlingua(&format!("doctor {options} {}", path.display()), b"");
        let write = |lines: &[String]| fs::write(&path, lines.join("\n")).expect("a file");
        write(&lines);
        // The start of base64 of an envelope.
        let seals = |text: &str| text.matches("\"aWwxey").count();
        let sealed = seals(&lines.join("\n"));
        assert!(sealed > 0, "{name}: {lines:#?}");

        let output = doctor("");
        assert_eq!((output.code, output.text().as_str()), (0, ""), "{name}: {}", output.stderr);
        assert!(output.stderr.contains("healthy"), "{name}: {}", output.stderr);
        // The provider that has sealed it gets it.
        if let Some(sealed_by) = sealed_by {
            let output = doctor(&format!("--for {sealed_by}"));
            assert!(!output.text().contains("reasoning"), "{name}: {}", output.text());
        }

        // A call without its result: the rest is not touched.
        let answer = lines.pop().expect("the last line");
        if !answer.contains("boats") {
            let result = lines.iter().rposition(|line| line.contains("boats")).expect("a result");
            lines.remove(result);
        }
        write(&lines);
        let output = doctor("--fix --force");
        assert_eq!(output.code, 0, "{name}: {}", output.stderr);
        assert!(!output.text().contains("loses"), "{name}: {}", output.text());
        let fixed = fs::read_to_string(path.with_extension("fixed.jsonl")).expect("a file");
        assert_eq!(seals(&fixed), sealed, "{name}: {fixed}");
        assert!(lines.iter().all(|line| fixed.lines().any(|fixed| fixed == line)), "{fixed}");
    }
}

#[test]
fn what_is_lost_on_the_way_to_another_provider_is_not_healthy() {
    let request = json!({"model": "claude-opus-4-6", "max_tokens": 9000, "messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "So.", "signature": "RXVVQg=="},
            {"type": "text", "text": "Hello."}]},
        {"role": "user", "content": "and on"}]})
    .to_string();
    let own = run_interlingua("doctor -", request.as_bytes());
    assert_eq!((own.code, own.text().as_str()), (0, ""), "{}", own.stderr);
    for provider in ["gemini", "openai-responses", "openai-chat", "bedrock"] {
        let output = run_interlingua(&format!("doctor --for {provider} -"), request.as_bytes());
        let loses = output.text().contains("This loses content.");
        assert_eq!(output.code, i32::from(loses), "{provider}: {}", output.text());
        assert_eq!(output.stderr.contains("healthy"), !loses, "{provider}: {}", output.stderr);
        let json =
            run_interlingua(&format!("doctor --json --for {provider} -"), request.as_bytes());
        let verdict = format!("\"healthy\":{}", !loses);
        assert!(json.text().contains(&verdict), "{provider}: {}", json.text());
        assert_eq!(json.text().contains("\"loss\":true"), loses, "{provider}: {}", json.text());
    }
    let output = run_interlingua("doctor --for gemini -", request.as_bytes());
    assert!(output.text().contains("This loses content."), "{}", output.text());
}
