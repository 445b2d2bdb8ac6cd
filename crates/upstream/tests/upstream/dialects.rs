//! Every dialect, asked of the simulator.

use bytes::Bytes;
use interlingua::find;
use interlingua_upstream::{Ask, Call, Provider};

use crate::world::{LIMIT, played, simulator, turn, upstream};

#[tokio::test]
async fn a_turn_in_every_dialect() {
    let running = simulator();
    let upstream = upstream();
    for (name, base, dialect, model, body, end) in TURNS {
        let provider = played(name, base, &running);
        let key = provider.key.clone().unwrap();
        let spoken = find(dialect).unwrap();
        let provider = Provider::new(*name, spoken, provider.base).with_key(&key);
        for stream in [false, true] {
            let body = body.replace("STREAM", &stream.to_string());
            let ask = Ask::Turn { stream };
            let call = Call { ask, model, body: Bytes::from(body).into(), ..turn(&provider) };
            let answer = upstream.call(call).await.unwrap();
            let status = answer.status;
            let whole = answer.body.whole(LIMIT).await.unwrap();
            let text = String::from_utf8_lossy(&whole);
            assert_eq!(status, 200, "{name}: {text}");
            assert!(!stream || text.contains(end), "{name}: {text}");
        }
        if provider.answers(Ask::Models) {
            let call = Call { ask: Ask::Models, ..turn(&provider) };
            assert_eq!(upstream.call(call).await.unwrap().status, 200, "{name}");
        }
    }
    running.stop().await;
}

/// Provider, base, dialect, model, body, and what the end of a stream has.
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
