//! Translates a streamed reply as its bytes arrive, with the context of its request.
//!
//! The client's tool has a name that the provider does not accept, so the request has another one.
//! The stream calls the tool by that name, and the client gets its own name back: that is what the
//! [`interlingua::ReplyContext`] of the translated request carries.
#![expect(clippy::print_stdout, reason = "an example prints what it does")]

use std::error::Error;

use bytes::Bytes;
use interlingua::{Reply, StreamTranslator, Target, TranslatedRequest, find_dialect};
use interlingua::{parse_object, translate_request};

const TOOL: &str = "mcp__company_directory_of_every_office_and_department__find_person_by_name";

/// A provider that calls the first tool of the request, and streams the call in pieces.
fn call_provider(request: Bytes) -> Result<Vec<Bytes>, Box<dyn Error>> {
    let request = parse_object(request)?;
    let tool = request.root().get("tools").and_then(|tools| tools.items().next());
    let name = tool.and_then(|tool| tool.get("function")?.get("name")).ok_or("no tool")?;
    println!("the provider's name of the tool: {}", name.str_or_empty());
    let call = format!(
        r#"{{"index":0,"id":"call_1","type":"function","function":{{"name":"{}","arguments":""}}}}"#,
        name.str_or_empty()
    );
    let arguments = r#"{"index":0,"function":{"arguments":"{\"name\":\"Ada\"}"}}"#;
    let chunk = |delta: &str, reason: &str| {
        format!(
            r#"data: {{"id":"c","object":"chat.completion.chunk","created":0,"model":"m","choices":[{{"index":0,"delta":{delta},"finish_reason":{reason}}}]}}"#
        ) + "\n\n"
    };
    let stream = chunk(&format!(r#"{{"role":"assistant","tool_calls":[{call}]}}"#), "null")
        + &chunk(&format!(r#"{{"tool_calls":[{arguments}]}}"#), "null")
        + &chunk("{}", r#""tool_calls""#)
        + "data: [DONE]\n\n";
    // Chunks of a network end anywhere.
    Ok(stream.as_bytes().chunks(100).map(Bytes::copy_from_slice).collect())
}

/// Returns the stream for the client, and the reply as a whole.
fn translate() -> Result<(String, Reply), Box<dyn Error>> {
    let client = find_dialect("anthropic").ok_or("no such dialect")?;
    let provider = find_dialect("openai-chat").ok_or("no such dialect")?;
    let request = format!(
        r#"{{"model":"m","max_tokens":64,"stream":true,"messages":[{{"role":"user","content":"Who is Ada?"}}],
            "tools":[{{"name":"{TOOL}","input_schema":{{"type":"object","properties":{{"name":{{"type":"string"}}}}}}}}]}}"#
    );
    let target = Target { stream: true, ..Target::default() };
    let TranslatedRequest { body, reply_context, .. } =
        translate_request(request.into(), client, provider, &target)?;

    let mut translator = StreamTranslator::new(provider, client, &reply_context);
    let (mut out, mut sent) = (Vec::new(), Vec::new());
    for chunk in call_provider(body)? {
        translator.push(&chunk, &mut out);
        // Here a server writes `out` to the client's connection.
        sent.append(&mut out);
    }
    translator.finish(&mut out);
    sent.append(&mut out);

    let (reply, ledger) = translator.into_reply();
    for entry in &ledger.entries {
        println!("{} at {}: {}", entry.rule, entry.path, entry.description);
    }
    Ok((String::from_utf8(sent)?, reply?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (stream, reply) = translate()?;
    println!("{stream}tokens: {}", reply.usage.total_output());
    Ok(())
}

#[test]
fn the_client_gets_its_own_name_of_the_tool() {
    let (stream, reply) = translate().unwrap();
    assert!(stream.contains(&format!(r#""name":"{TOOL}""#)), "{stream}");
    assert!(stream.contains("message_stop"), "{stream}");
    assert!(reply.has_tool_calls());
}
