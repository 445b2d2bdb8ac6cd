//! Replies of every API, streamed and as one body, over a socket.

use serde_json::{Value, json};

use crate::client::{APIS, ConnectionEnd, PROMPT, Reply, TestServer, request};

fn send(server: &TestServer, api: &str, stream: bool, prompt: &str) -> Reply {
    let (path, body) = request(api, stream, prompt);
    let reply = server.post(&path, &body);
    assert_eq!((reply.status, reply.end), (200, ConnectionEnd::Complete), "{api}: {reply:?}");
    reply
}

#[test]
fn whole_replies_call_the_tool() {
    let server = TestServer::start();
    for (api, name, city) in [
        ("anthropic", "/content/3/name", "/content/3/input/city"),
        (
            "gemini",
            "/candidates/0/content/parts/1/functionCall/name",
            "/candidates/0/content/parts/1/functionCall/args/city",
        ),
        (
            "bedrock",
            "/output/message/content/3/toolUse/name",
            "/output/message/content/3/toolUse/input/city",
        ),
    ] {
        let reply = send(&server, api, false, PROMPT).json();
        assert_eq!(reply.pointer(name), Some(&json!("get_weather")), "{api}: {reply}");
        assert_eq!(reply.pointer(city), Some(&json!("Paris")), "{api}: {reply}");
    }
    let reply = send(&server, "openai", false, PROMPT).json();
    let call = &reply["choices"][0]["message"]["tool_calls"][0];
    assert_eq!(call["function"]["arguments"], r#"{"city":"Paris"}"#, "{reply}");
    assert_eq!(reply["choices"][0]["finish_reason"], "tool_calls");
    let reply = send(&server, "responses", false, PROMPT).json();
    let kinds: Vec<&Value> =
        reply["output"].as_array().unwrap().iter().map(|i| &i["type"]).collect();
    assert_eq!(kinds, ["reasoning", "message", "reasoning", "function_call"]);
    assert_eq!(reply["status"], "completed");
}

#[test]
fn a_messages_stream_has_events_in_order() {
    let server = TestServer::start();
    let reply = send(&server, "anthropic", true, PROMPT);
    assert!(reply.header("request-id").unwrap().starts_with("req_"));
    assert!(reply.header("anthropic-ratelimit-tokens-limit").is_some());
    let events = reply.events();
    let kind = |event: &Value| event["type"].as_str().unwrap().to_owned();
    assert_eq!(kind(&events[0]), "message_start");
    assert_eq!(events[0]["message"]["content"], json!([]));
    assert!(events[0]["message"]["usage"]["input_tokens"].as_u64().unwrap() > 0);
    let ends: Vec<String> = events[events.len() - 2..].iter().map(kind).collect();
    assert_eq!(ends, ["message_delta", "message_stop"]);
    // One block at a time, numbered without gaps, each with one signature if it is thinking.
    let (mut open, mut next, mut signatures) = (None, 0, 0);
    for event in &events {
        match kind(event).as_str() {
            "content_block_start" => {
                assert_eq!(open.replace(next), None);
                assert_eq!(event["index"], next);
                next += 1;
            }
            "content_block_delta" => {
                assert_eq!(event["index"], open.unwrap());
                signatures += usize::from(event["delta"]["type"] == "signature_delta");
            }
            "content_block_stop" => assert_eq!(event["index"], open.take().unwrap()),
            _ => assert_eq!(open, None),
        }
    }
    assert_eq!((next, signatures), (4, 2));
    // Every event has an SSE name.
    let names = reply.text().lines().filter(|line| line.starts_with("event: ")).count();
    assert_eq!(names, events.len());
}

#[test]
fn a_stream_has_the_content_of_the_whole_reply() {
    let server = TestServer::start();
    // The ids differ, because the requests do.
    let whole = send(&server, "anthropic", false, PROMPT).json();
    let text = |events: &[Value], kind: &str, key: &str| -> String {
        let deltas = events.iter().map(|event| &event["delta"]).filter(|d| d["type"] == kind);
        deltas.map(|delta| delta[key].as_str().unwrap()).collect()
    };
    let events = send(&server, "anthropic", true, PROMPT).events();
    assert_eq!(text(&events, "text_delta", "text"), whole["content"][1]["text"].as_str().unwrap());
    let arguments = text(&events, "input_json_delta", "partial_json");
    assert_eq!(serde_json::from_str::<Value>(&arguments).unwrap(), whole["content"][3]["input"]);
    let chunks = send(&server, "openai", true, PROMPT).events();
    let whole = send(&server, "openai", false, PROMPT).json();
    let content: String = chunks
        .iter()
        .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str())
        .collect();
    assert_eq!(content, whole["choices"][0]["message"]["content"].as_str().unwrap());
}

#[test]
fn a_chat_stream_sends_names_once_and_ends() {
    let server = TestServer::start();
    let reply = send(&server, "openai", true, PROMPT);
    assert!(reply.text().ends_with("data: [DONE]\n\n"));
    let events = reply.events();
    let count = |pointer: &str| events.iter().filter(|e| e.pointer(pointer).is_some()).count();
    assert_eq!(count("/choices/0/delta/role"), 1);
    assert_eq!(count("/choices/0/delta/tool_calls/0/id"), 1);
    assert_eq!(count("/choices/0/delta/tool_calls/0/function/name"), 1);
    assert!(count("/choices/0/delta/tool_calls/0/index") > 1);
    assert_eq!(count("/usage"), 0, "usage was not requested");
    let last = events.last().unwrap();
    assert_eq!(last["choices"][0]["finish_reason"], "tool_calls");
}

#[test]
fn usage_is_the_last_chunk_on_request() {
    let server = TestServer::start();
    let (path, mut body) = request("openai", true, PROMPT);
    body["stream_options"] = json!({"include_usage": true});
    let events = server.post(&path, &body).events();
    let last = events.last().unwrap();
    assert_eq!(last["choices"], json!([]));
    let (input, output) = (&last["usage"]["prompt_tokens"], &last["usage"]["completion_tokens"]);
    assert_eq!(last["usage"]["total_tokens"], input.as_u64().unwrap() + output.as_u64().unwrap());
    assert!(events[..events.len() - 1].iter().all(|event| event["usage"] == Value::Null));
}

#[test]
fn a_responses_stream_opens_and_closes_every_item() {
    let server = TestServer::start();
    let events = send(&server, "responses", true, PROMPT).events();
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds[..2], ["response.created", "response.in_progress"]);
    assert_eq!(*kinds.last().unwrap(), "response.completed");
    for (at, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], at);
    }
    let output = events.last().unwrap()["response"]["output"].as_array().unwrap();
    let done = |event: &&Value| event["type"] == "response.output_item.done";
    let done: Vec<&Value> = events.iter().filter(done).map(|event| &event["item"]).collect();
    assert_eq!(done, output.iter().collect::<Vec<_>>());
    let added = kinds.iter().filter(|kind| **kind == "response.output_item.added").count();
    assert_eq!(added, output.len());
    assert!(output[0]["encrypted_content"].as_str().unwrap().len() > 40);
}

#[test]
fn gemini_streams_events_or_an_array() {
    let server = TestServer::start();
    let events = send(&server, "gemini", true, PROMPT).events();
    let array = send(&server, "gemini-array", true, PROMPT);
    assert_eq!(array.header("content-type"), Some("application/json; charset=UTF-8"));
    let array = array.json();
    for replies in [&events, array.as_array().unwrap()] {
        let last = replies.last().unwrap();
        assert_eq!(last["candidates"][0]["finishReason"], "STOP");
        let call = &last["candidates"][0]["content"]["parts"][0];
        assert_eq!(call["functionCall"]["args"]["city"], "Paris");
        assert!(call["thoughtSignature"].is_string());
        assert!(replies.iter().all(|reply| reply["usageMetadata"]["totalTokenCount"].is_u64()));
    }
}

#[test]
fn bedrock_streams_frames() {
    use aws_smithy_eventstream::frame::{DecodedFrame, MessageFrameDecoder};
    let server = TestServer::start();
    let reply = send(&server, "bedrock", true, PROMPT);
    assert_eq!(reply.header("content-type"), Some("application/vnd.amazon.eventstream"));
    let (mut decoder, mut kinds) = (MessageFrameDecoder::new(), Vec::new());
    let mut bytes = bytes::Bytes::from(reply.body);
    while let DecodedFrame::Complete(message) = decoder.decode_frame(&mut bytes).unwrap() {
        let kind = message.headers().iter().find(|h| h.name().as_str() == ":event-type").unwrap();
        kinds.push(kind.value().as_string().unwrap().as_str().to_owned());
    }
    assert_eq!(kinds[0], "messageStart");
    assert_eq!(kinds[kinds.len() - 2..], ["messageStop", "metadata"]);
    // Only a call has a start event.
    assert_eq!(kinds.iter().filter(|kind| *kind == "contentBlockStart").count(), 1);
    assert_eq!(kinds.iter().filter(|kind| *kind == "contentBlockStop").count(), 4);
}

#[test]
fn the_same_request_gets_the_same_bytes() {
    let server = TestServer::start();
    for api in APIS {
        for stream in [true, false] {
            let first = send(&server, api, stream, PROMPT).body;
            assert_eq!(first, send(&server, api, stream, PROMPT).body, "{api}");
            assert_ne!(first, send(&server, api, stream, "Another get_weather.").body, "{api}");
        }
    }
}

#[test]
fn flavors_have_reasoning_in_different_fields() {
    let server = TestServer::start();
    for (provider, model, pointer) in [
        ("deepseek", "deepseek-v4", "/reasoning_content"),
        ("moonshot", "kimi-k2.6", "/reasoning_content"),
        ("groq", "openai/gpt-oss-120b", "/reasoning"),
        ("openrouter", "anthropic/claude-sonnet-4.6", "/reasoning_details/0/signature"),
        ("openrouter", "google/gemini-3-pro", "/reasoning_details/1/data"),
        ("mistral", "magistral-medium", "/content/0/thinking/0/text"),
        ("llama.cpp", "qwen3", "/reasoning_content"),
    ] {
        let (path, mut body) = request(provider, false, PROMPT);
        body["model"] = model.into();
        let reply = server.post(&path, &body).json();
        let message = &reply["choices"][0]["message"];
        assert!(message.pointer(pointer).is_some_and(Value::is_string), "{provider}: {reply}");
    }
    let (path, body) = request("mistral", false, PROMPT);
    let id =
        server.post(&path, &body).json()["choices"][0]["message"]["tool_calls"][0]["id"].clone();
    assert_eq!(id.as_str().unwrap().len(), 9, "{id}");
}

#[test]
fn an_answer_matches_its_schema() {
    let server = TestServer::start();
    let schema = json!({
        "type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"],
    });
    let body = json!({
        "model": "m", "max_tokens": 500, "messages": [{"role": "user", "content": "Name it."}],
        "thinking": {"type": "adaptive"},
        "output_config": {"format": {"type": "json_schema", "schema": schema}},
    });
    let reply = server.post("/v1/messages", &body).json();
    let text = reply["content"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap();
    let answer: Value = serde_json::from_str(text).unwrap();
    assert!(answer["title"].is_string(), "{reply}");
}
