//! Every dialect is asked at its path, with its key where it belongs.

use interlingua_upstream::Ask;

use crate::world::{LIMIT, call, played, simulator, upstream};

#[tokio::test]
async fn a_turn_in_every_dialect() {
    let running = simulator();
    let upstream = upstream();
    for (name, base, model, body) in TURNS {
        let provider = played(name, base, running.addr);
        for stream in [false, true] {
            let body = body.replace("STREAM", &stream.to_string());
            let answer = upstream.call(call(&provider, Ask::Turn { stream }, model, &body)).await;
            let answer = answer.unwrap();
            let status = answer.status;
            let whole = answer.body.whole(LIMIT).await.unwrap();
            let text = String::from_utf8_lossy(&whole);
            assert_eq!(status, 200, "{name}: {text}");
            assert!(whole.len() > 50, "{name}: {text}");
        }
    }
    running.stop().await;
}

const TURNS: &[(&str, &str, &str, &str)] = &[
    (
        "anthropic",
        "",
        "claude-sonnet-4-5",
        r#"{"model":"claude-sonnet-4-5","max_tokens":100,"stream":STREAM,"messages":[{"role":"user","content":"hi"}]}"#,
    ),
    (
        "openai",
        "/v1",
        "gpt-4.1",
        r#"{"model":"gpt-4.1","stream":STREAM,"messages":[{"role":"user","content":"hi"}]}"#,
    ),
    ("gemini", "", "gemini-2.5-flash", r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}"#),
    (
        "bedrock",
        "",
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
        r#"{"messages":[{"role":"user","content":[{"text":"hi"}]}]}"#,
    ),
];
