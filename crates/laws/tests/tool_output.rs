//! JSON that a tool returned reaches every target from every dialect, whatever its shape.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use interlingua::{Dialect, find_dialect, translate_request};
use interlingua_laws::laws::{Breach, Law, SampleRequest, check_laws};
use interlingua_laws::targets::{Destination, providers};
use serde_json::{Value, json};

/// A request of the dialect whose only tool result has this content.
fn request_with_output(dialect: &str, output: &Value) -> Value {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    match dialect {
        "anthropic" => json!({
            "model": "m", "max_tokens": 64,
            "tools": [{"name": "f", "input_schema": schema}],
            "messages": [
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": [
                    {"type": "tool_use", "id": "call00001", "name": "f", "input": {}}]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "call00001", "content": output}]},
            ],
        }),
        "openai-chat" => json!({
            "model": "m",
            "tools": [{"type": "function", "function": {"name": "f", "parameters": schema}}],
            "messages": [
                {"role": "user", "content": "go"},
                {"role": "assistant", "content": null, "tool_calls": [{"id": "call00001",
                    "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "call00001", "content": output},
            ],
        }),
        "openai-responses" => json!({
            "model": "m",
            "tools": [{"type": "function", "name": "f", "parameters": schema, "strict": false}],
            "input": [
                {"role": "user", "content": "go"},
                {"type": "function_call", "call_id": "call00001", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "call00001", "output": output},
            ],
        }),
        "gemini" => json!({
            "tools": [{"functionDeclarations": [{"name": "f", "parameters": schema}]}],
            "contents": [
                {"role": "user", "parts": [{"text": "go"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "f", "response": output}}]},
            ],
        }),
        "bedrock" => json!({
            "toolConfig": {"tools": [{"toolSpec": {"name": "f", "inputSchema": {"json": schema}}}]},
            "messages": [
                {"role": "user", "content": [{"text": "go"}]},
                {"role": "assistant", "content": [
                    {"toolUse": {"toolUseId": "call00001", "name": "f", "input": {}}}]},
                {"role": "user", "content": [
                    {"toolResult": {"toolUseId": "call00001", "content": output}}]},
            ],
        }),
        _ => json!({
            "interlingua": 1, "model": "m",
            "tools": [{"name": "f", "schema": schema}],
            "turns": [
                {"role": "user", "blocks": [{"text": "go"}]},
                {"role": "assistant", "blocks": [
                    {"call": {"id": "call00001", "name": "f", "args": {}}}]},
                {"role": "user", "blocks": [{"result": {"call": "call00001", "content": output}}]},
            ],
        }),
    }
}

/// Outputs of tools, with the words that must arrive.
fn outputs() -> Vec<(Value, &'static [&'static str])> {
    let one: &[&str] = &["KEEP"];
    vec![
        (json!("KEEP"), one),
        (json!(["KEEP"]), one),
        (json!([["KEEP"]]), one),
        (json!({"path": "KEEP"}), one),
        (json!([{"path": "KEEP"}]), one),
        (json!([[{"path": "KEEP"}]]), one),
        (json!([{"path": "KEEP"}, {"path": "SECOND"}]), &["KEEP", "SECOND"]),
        (json!([1, null, {"deep": [{"path": "KEEP"}]}]), one),
        (json!(["SECOND", {"path": "KEEP"}]), &["KEEP", "SECOND"]),
        (json!([{"type": "text", "text": "SECOND"}, {"path": "KEEP"}]), &["KEEP", "SECOND"]),
        (json!({"type": "text", "value": "KEEP"}), one),
        (json!({"type": "text", "text": {"path": "KEEP"}}), one),
        (json!([{"text": "SECOND", "path": "KEEP"}]), &["KEEP", "SECOND"]),
        (json!([{"type": "file_list", "path": "KEEP"}]), one),
        (json!([{"type": "x", "text": "SECOND", "path": "KEEP"}]), &["KEEP", "SECOND"]),
        (
            json!([{"type": "x", "content": [{"text": "SECOND"}], "path": "KEEP"}]),
            &["KEEP", "SECOND"],
        ),
        (json!([{"type": 7, "path": "KEEP"}]), one),
        (json!([{"type": "file", "path": "KEEP"}]), one),
        (json!([{"type": "image", "path": "KEEP"}]), one),
        (json!([{"type": "document", "path": "KEEP"}]), one),
        (json!([{"type": "refusal", "path": "KEEP"}]), one),
        (json!([{"type": "image_url", "path": "KEEP"}]), one),
        (json!([{"type": "input_text", "path": "KEEP"}]), one),
        (json!([{"type": "input_image", "path": "KEEP"}]), one),
        (json!([{"type": "search_result", "path": "KEEP"}]), one),
        (json!([{"type": "resource", "resource": {"uri": "a", "text": "KEEP"}}]), one),
        (json!({"json": {"path": "KEEP"}}), one),
        (json!({"output": [{"path": "KEEP"}]}), one),
        (json!({"status": "ok", "data": "KEEP"}), one),
    ]
}

/// The words that are not in what is sent, and the laws that do not hold for it.
fn check(from: &str, output: &Value, words: &[&str], destination: &Destination) -> Vec<String> {
    let dialect = find_dialect(from).unwrap();
    let case = SampleRequest::new(dialect, request_with_output(from, output));
    let target = destination.target();
    let to: &dyn Dialect = destination.provider.to;
    let sent = translate_request(case.bytes.clone(), dialect, to, &target).unwrap();
    let body = String::from_utf8(sent.body.to_vec()).unwrap();
    let missing = words.iter().filter(|word| !body.contains(**word));
    let mut errors: Vec<_> = missing.map(|word| format!("{word} is missing: {body}")).collect();
    let mut breaches = Vec::new();
    check_laws(&case, destination, Law::ALL, &mut breaches);
    errors.extend(
        breaches.iter().map(|Breach { law, rule, message, .. }| {
            format!("law {}: {rule}: {message}", law.name())
        }),
    );
    errors
}

#[test]
fn what_a_tool_returned_is_sent() {
    let mut errors = Vec::new();
    for from in ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "native"] {
        for provider in providers() {
            let destination = Destination { provider, model: provider.models[0].to_owned() };
            for (output, words) in outputs() {
                // Our own form has `data` for JSON; an unknown field beside a text is a loss there.
                let has_unknown_field = output[0].get("text").is_some() && words.len() > 1;
                if from == "native" && has_unknown_field && output[1].is_null() {
                    continue;
                }
                for error in check(from, &output, words, &destination) {
                    errors.push(format!("{from} to {destination:?}: {output}: {error}"));
                }
            }
        }
    }
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
}
