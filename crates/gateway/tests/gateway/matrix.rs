//! Tests every client dialect with every provider, streamed and not: a tool loop with reasoning
//! succeeds, and no provider rejects a request.

use crate::client::CLIENTS;
use crate::harness::Harness;

#[test]
fn every_client_talks_to_every_provider() {
    let harness = Harness::new();
    let mut failures = Vec::new();
    for client in CLIENTS {
        for (provider, model) in PROVIDERS {
            for stream in [false, true] {
                let model = format!("{provider}/{model}");
                if let Err(error) = two_turns(&harness, client, &model, stream) {
                    failures
                        .push(format!("{} → {model}, stream {stream}: {error}", client.dialect));
                }
            }
        }
    }
    for request in harness.provider_requests() {
        if request["accepted"] != true {
            failures.push(format!("{} refuses: {}", request["flavor"], request["violations"]));
        }
    }
    assert!(failures.is_empty(), "{}\n{}", failures.len(), failures.join("\n"));
    assert_eq!(harness.provider_requests().len(), CLIENTS.len() * PROVIDERS.len() * 2 * 2);
}

fn two_turns(
    harness: &Harness,
    client: &crate::client::Client,
    model: &str,
    stream: bool,
) -> Result<(), String> {
    let mut request = (client.first_request)(model, stream, "Please look at the harbour.");
    let reply = client.request_turn(harness.addr(), model, stream, &request)?;
    let result = "14 ships, \"3\" of them blue — ÄÖ";
    if (client.append_results)(&mut request, &reply, result) == 0 {
        return Err(format!("no call in {reply}"));
    }
    let reply = client.request_turn(harness.addr(), model, stream, &request)?;
    let text = (client.text)(&reply);
    if text.contains("I received 1 result(s)") && text.contains("14 ships") {
        Ok(())
    } else {
        Err(format!("the result did not arrive: {text}"))
    }
}

/// Every API and flavor of the simulator, with one of its models.
const PROVIDERS: &[(&str, &str)] = &[
    ("anthropic", "claude-sonnet-4-5"),
    ("anthropic", "claude-opus-5-5"),
    ("openai", "gpt-4.1"),
    ("openai", "gpt-5.5"),
    ("codex", "gpt-5.5-codex"),
    ("openrouter", "anthropic/claude-sonnet-4-5"),
    ("deepseek", "deepseek-reasoner"),
    ("mistral", "mistral-large-latest"),
    ("groq", "openai/gpt-oss-120b"),
    ("moonshot", "kimi-k2-thinking"),
    ("xai", "grok-4"),
    ("qwen", "qwen3-max"),
    ("glm", "glm-4.6"),
    ("cerebras", "qwen-3-235b"),
    ("vllm", "qwen3"),
    ("ollama", "qwen3"),
    ("llama.cpp", "qwen3"),
    ("lm-studio", "qwen3"),
    ("azure", "gpt-5.5"),
    ("generic", "some-model"),
    ("gemini", "gemini-3-pro"),
    ("vertex", "gemini-2.5-pro"),
    ("bedrock", "us.anthropic.claude-sonnet-4-5-20250929-v1:0"),
];
