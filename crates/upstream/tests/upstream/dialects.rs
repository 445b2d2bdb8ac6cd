//! Calls in every dialect to the simulator.

use bytes::Bytes;
use interlingua::find_dialect;
use interlingua_upstream::{Operation, Provider, UpstreamRequest};

use crate::support::{BODY_LIMIT, simulated_provider, simulator, turn_request, upstream};

#[tokio::test]
async fn a_turn_in_every_dialect() {
    let running = simulator();
    let upstream = upstream();
    for (name, base, dialect, model, body, end) in TURNS {
        let provider = simulated_provider(name, base, &running);
        let key = provider.api_key.clone().unwrap();
        let spoken = find_dialect(dialect).unwrap();
        let provider = Provider::new(*name, spoken, provider.base_url).with_api_key(&key);
        for stream in [false, true] {
            let body = body.replace("STREAM", &stream.to_string());
            let operation = Operation::Turn { stream };
            let call = UpstreamRequest {
                operation,
                model,
                body: Bytes::from(body).into(),
                ..turn_request(&provider)
            };
            let response = upstream.call(call).await.unwrap();
            let status = response.status;
            let collected = response.body.collect(BODY_LIMIT).await.unwrap();
            let text = String::from_utf8_lossy(&collected);
            assert_eq!(status, 200, "{name}: {text}");
            assert!(!stream || text.contains(end), "{name}: {text}");
        }
        if provider.supports(Operation::ListModels) {
            let call =
                UpstreamRequest { operation: Operation::ListModels, ..turn_request(&provider) };
            assert_eq!(upstream.call(call).await.unwrap().status, 200, "{name}");
        }
    }
    running.stop().await;
}

/// Provider, base path, dialect, model, body, and what the end of a stream contains.
const TURNS: &[(&str, &str, &str, &str, &str, &str)] = &[
    (
        "anthropic",
        "",
        "anthropic",
        "claude-sonnet-4-5",
        r#"{"model":"claude-sonnet-4-5","max_tokens":100,"stream":STREAM,"messages":[{"role":"user","content":"hi"}]}"#,
        "message_stop",
    ),
    (
        "openai",
        "/v1",
        "openai-chat",
        "gpt-4.1",
        r#"{"model":"gpt-4.1","stream":STREAM,"messages":[{"role":"user","content":"hi"}]}"#,
        "[DONE]",
    ),
    (
        "openai",
        "/v1",
        "openai-responses",
        "gpt-4.1",
        r#"{"model":"gpt-4.1","stream":STREAM,"input":"hi"}"#,
        "response.completed",
    ),
    (
        "gemini",
        "",
        "gemini",
        "gemini-2.5-flash",
        r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#,
        "finishReason",
    ),
    (
        "bedrock",
        "",
        "bedrock",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        r#"{"messages":[{"role":"user","content":[{"text":"hi"}]}]}"#,
        "messageStop",
    ),
];
