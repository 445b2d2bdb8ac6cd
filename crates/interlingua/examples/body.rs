//! Translates a request body to another dialect, and the provider's reply back.
#![expect(clippy::print_stdout, reason = "an example prints what it does")]

use std::error::Error;

use interlingua::{JsonString, Target, find_dialect, translate_error, translate_reply};
use interlingua::{TranslatedRequest, translate_request};

const REQUEST: &str = r#"{"model":"any","max_tokens":64,"top_k":5,"system":"Be brief.",
    "messages":[{"role":"user","content":"Where is Uppsala?"}]}"#;

/// What a provider of Chat Completions replies.
const REPLY: &str = r#"{"id":"chatcmpl-1","object":"chat.completion","created":0,"model":"gpt-4.1",
    "choices":[{"index":0,"message":{"role":"assistant","content":"In Sweden."},"finish_reason":"stop"}],
    "usage":{"prompt_tokens":14,"completion_tokens":4,"total_tokens":18}}"#;

const ERROR: &str =
    r#"{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}"#;

/// Returns the request for the provider and the reply for the client.
fn translate() -> Result<(String, String), Box<dyn Error>> {
    let client = find_dialect("anthropic").ok_or("no such dialect")?;
    let provider = find_dialect("openai-chat").ok_or("no such dialect")?;

    let target = Target { model: Some(JsonString::new("gpt-4.1")), ..Target::default() };
    let TranslatedRequest { body, ledger, mut reply_context } =
        translate_request(REQUEST.into(), client, provider, &target)?;
    for entry in &ledger.entries {
        println!("{} at {}: {}", entry.rule, entry.path, entry.description);
    }

    // The library has no clock: a caller that has one sets the time of the reply.
    reply_context.created_unix_secs = 1_790_000_000;
    let (reply, _) = translate_reply(REPLY.into(), provider, client, &reply_context)?;

    // Instead of a reply, a provider may send an error.
    let (status, error_body, error) = translate_error(429, ERROR.into(), provider, client);
    println!("{status} {:?}: {}", error.kind, String::from_utf8_lossy(&error_body));

    Ok((String::from_utf8(body.to_vec())?, String::from_utf8(reply.to_vec())?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (request, reply) = translate()?;
    println!("to the provider: {request}\nto the client: {reply}");
    Ok(())
}

#[test]
fn the_body_is_translated_in_both_directions() {
    let (request, reply) = translate().unwrap();
    assert!(request.contains(r#""model":"gpt-4.1""#) && !request.contains("top_k"), "{request}");
    assert!(reply.contains(r#""text":"In Sweden.""#), "{reply}");
    assert!(reply.contains(r#""stop_reason":"end_turn""#), "{reply}");
}
