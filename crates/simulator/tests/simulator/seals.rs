//! Sealed reasoning is accepted unchanged, and rejected if it is changed, moved or foreign.

use serde_json::{Value, json};

use crate::client::{PROMPT, TestServer, request};

/// The second request of a conversation with a tool.
fn second_request(server: &TestServer, api: &str) -> (String, Value) {
    let (path, mut body) = request(api, false, PROMPT);
    if api == "openrouter" {
        body["model"] = "anthropic/claude-sonnet-4.6".into();
        body["reasoning"] = json!({"effort": "high"});
    }
    let reply = server.post(&path, &body).json();
    let key = match api {
        "responses" => "input",
        "gemini" => "contents",
        _ => "messages",
    };
    let items = body[key].as_array_mut().unwrap();
    match api {
        "anthropic" => {
            let id = &reply["content"][3]["id"];
            items.push(json!({"role": "assistant", "content": reply["content"]}));
            let result = json!({"type": "tool_result", "tool_use_id": id, "content": "Rain"});
            items.push(json!({"role": "user", "content": [result]}));
        }
        "bedrock" => {
            let message = &reply["output"]["message"];
            let id = &message["content"][3]["toolUse"]["toolUseId"];
            let result = json!({"toolUseId": id, "content": [{"text": "Rain"}]});
            items.push(message.clone());
            items.push(json!({"role": "user", "content": [{"toolResult": result}]}));
        }
        "responses" => {
            let output = reply["output"].as_array().unwrap();
            items.extend(output.iter().cloned());
            let id = &output[3]["call_id"];
            items.push(json!({"type": "function_call_output", "call_id": id, "output": "Rain"}));
        }
        "gemini" => {
            let content = &reply["candidates"][0]["content"];
            let call = &content["parts"][1]["functionCall"];
            let response =
                json!({"id": call["id"], "name": call["name"], "response": {"output": "Rain"}});
            items.push(content.clone());
            items.push(json!({"role": "user", "parts": [{"functionResponse": response}]}));
        }
        _ => {
            let mut message = reply["choices"][0]["message"].clone();
            let id = message["tool_calls"][0]["id"].clone();
            message.as_object_mut().unwrap().shift_remove("refusal");
            items.push(message);
            items.push(json!({"role": "tool", "tool_call_id": id, "content": "Rain"}));
        }
    }
    (path, body)
}

fn with_change(body: &Value, pointer: &str, change: impl Fn(&mut Value)) -> Value {
    let mut body = body.clone();
    change(body.pointer_mut(pointer).unwrap_or_else(|| panic!("nothing at {pointer}")));
    body
}

/// Replaces one character in the middle.
fn change_one_char(value: &mut Value) {
    let text = value.as_str().unwrap();
    let middle = text.len() / 2;
    let other = if &text[middle..=middle] == "A" { "B" } else { "A" };
    *value = format!("{}{other}{}", &text[..middle], &text[middle + 1..]).into();
}

fn assert_rejected(server: &TestServer, path: &str, body: &Value, message: &str) {
    let reply = server.post(path, body);
    assert_eq!(reply.status, 400, "{path}: {reply:?}");
    assert!(reply.text().contains(message), "{path}: {}", reply.text());
}

#[test]
fn unchanged_reasoning_is_accepted() {
    let server = TestServer::start();
    for api in ["anthropic", "responses", "gemini", "openrouter", "bedrock"] {
        let (path, body) = second_request(&server, api);
        let reply = server.post(&path, &body);
        assert_eq!(reply.status, 200, "{api}: {reply:?}");
        assert!(reply.text().contains("4 bytes, sha256"), "{api}: {reply:?}");
    }
}

#[test]
fn messages_notice_every_change() {
    const MODIFIED: &str = "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.";
    let server = TestServer::start();
    let (path, body) = second_request(&server, "anthropic");
    let signature = "/messages/1/content/0/signature";
    assert_rejected(
        &server,
        &path,
        &with_change(&body, signature, change_one_char),
        "Invalid `signature` in `thinking` block",
    );
    assert_rejected(
        &server,
        &path,
        &with_change(&body, "/messages/1/content/2/thinking", change_one_char),
        MODIFIED,
    );
    let swap = |content: &mut Value| content.as_array_mut().unwrap().swap(0, 2);
    assert_rejected(&server, &path, &with_change(&body, "/messages/1/content", swap), MODIFIED);
    let remove = |content: &mut Value| drop(content.as_array_mut().unwrap().remove(2));
    assert_rejected(&server, &path, &with_change(&body, "/messages/1/content", remove), MODIFIED);
    let other = with_change(&body, "/model", |model| *model = "claude-opus-4-7".into());
    assert_rejected(&server, &path, &other, "Invalid `signature` in `thinking` block");
}

#[test]
fn responses_notice_every_change() {
    let server = TestServer::start();
    let (path, body) = second_request(&server, "responses");
    let encrypted = with_change(&body, "/input/1/encrypted_content", change_one_char);
    assert_rejected(&server, &path, &encrypted, "could not be verified");
    let remove =
        |at: usize| move |input: &mut Value| drop(input.as_array_mut().unwrap().remove(at));
    let follower = with_change(&body, "/input", remove(2));
    assert_rejected(&server, &path, &follower, "was provided without its required following item.");
    let reasoning = with_change(&body, "/input", remove(3));
    assert_rejected(
        &server,
        &path,
        &reasoning,
        "was provided without its required 'reasoning' item: 'rs_",
    );
}

/// Some clients send ids only on reasoning items, or reasoning only as item references.
#[test]
fn responses_recognize_the_item_after_reasoning_without_its_id() {
    let server = TestServer::start();
    let (path, body) = second_request(&server, "responses");
    let remove_id = |item: &mut Value| drop(item.as_object_mut().unwrap().shift_remove("id"));
    let by_value = with_change(&with_change(&body, "/input/2", remove_id), "/input/4", remove_id);
    assert_eq!(server.post(&path, &by_value).status, 200);
    let with_store = |body: &Value| with_change(body, "/store", |store| *store = true.into());
    let missing = "was provided without its required following item.";
    assert_rejected(&server, &path, &with_store(&by_value), missing);

    let to_reference =
        |item: &mut Value| *item = json!({"type": "item_reference", "id": item["id"]});
    let mut by_reference = with_store(&body);
    for item in ["/input/1", "/input/2", "/input/3"] {
        by_reference = with_change(&by_reference, item, to_reference);
    }
    assert_eq!(server.post(&path, &with_change(&by_reference, "/input/4", remove_id)).status, 200);
    let message = with_change(&by_reference, "/input/2", |item| {
        *item = json!({"role": "assistant", "content": "Let me use get_weather."});
    });
    assert_rejected(&server, &path, &message, missing);
}

/// The text of a result may stand under several names, alone or beside the name of the function.
#[test]
fn gemini_reads_a_result_as_clients_wrap_it() {
    let server = TestServer::start();
    let (path, body) = second_request(&server, "gemini");
    let wrapped = |response: Value| {
        let pointer = "/contents/2/parts/0/functionResponse/response";
        server.post(&path, &with_change(&body, pointer, |old| *old = response.clone())).text()
    };
    let name = &body["tools"][0]["functionDeclarations"][0]["name"];
    for response in [
        json!({"result": "Rain"}),
        json!({"content": "Rain"}),
        json!({"name": name, "content": "Rain"}),
    ] {
        let text = wrapped(response);
        assert!(text.contains("4 bytes, sha256"), "{text}");
    }
    let text = wrapped(json!({"name": "Ann", "content": "Rain"}));
    assert!(text.contains("31 bytes, sha256"), "{text}");
}

#[test]
fn gemini_notices_every_change() {
    let server = TestServer::start();
    let (path, body) = second_request(&server, "gemini");
    let part = "/contents/1/parts/1";
    let signature = format!("{part}/thoughtSignature");
    assert_rejected(
        &server,
        &path,
        &with_change(&body, &signature, change_one_char),
        "Corrupted thought signature.",
    );
    let args = with_change(&body, &format!("{part}/functionCall/args/city"), change_one_char);
    assert_rejected(&server, &path, &args, "Corrupted thought signature.");
    let remove_signature =
        |part: &mut Value| drop(part.as_object_mut().unwrap().shift_remove("thoughtSignature"));
    assert_rejected(
        &server,
        &path,
        &with_change(&body, part, remove_signature),
        "is missing a thought_signature",
    );
}

#[test]
fn bedrock_notices_every_change() {
    let server = TestServer::start();
    let (path, body) = second_request(&server, "bedrock");
    let reasoning = "/messages/1/content/0/reasoningContent/reasoningText";
    let signature = with_change(&body, &format!("{reasoning}/signature"), change_one_char);
    assert_rejected(&server, &path, &signature, "Invalid `signature` in `thinking` block");
    let text = with_change(&body, &format!("{reasoning}/text"), change_one_char);
    assert_rejected(&server, &path, &text, "cannot be modified");
}

#[test]
fn a_router_notices_every_change() {
    let server = TestServer::start();
    let (path, body) = second_request(&server, "openrouter");
    let detail = "/messages/1/reasoning_details/0";
    let text = with_change(&body, &format!("{detail}/text"), change_one_char);
    assert_rejected(&server, &path, &text, "messages.1.content.0");
    let signature = with_change(&body, &format!("{detail}/signature"), change_one_char);
    assert_rejected(&server, &path, &signature, "Invalid `signature` in `thinking` block");
}

#[test]
fn calls_of_gemini_in_chat_completions_are_signed() {
    let server = TestServer::start();
    let path = "/gemini/v1beta/openai/chat/completions";
    let (_, mut body) = request("openai", false, PROMPT);
    body["model"] = "gemini-3-pro-preview".into();
    let mut message = server.post(path, &body).json()["choices"][0]["message"].clone();
    let call = message["tool_calls"][0]["id"].clone();
    let result = json!({"role": "tool", "tool_call_id": call, "content": "Sunny."});
    let send_next = |message: &Value| {
        let mut next = body.clone();
        next["messages"].as_array_mut().unwrap().extend([message.clone(), result.clone()]);
        server.post(path, &next)
    };
    let reply = send_next(&message);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let arguments = message["tool_calls"][0]["function"]["arguments"].take();
    message["tool_calls"][0]["function"]["arguments"] = "{\"city\": \"Rome\"}".into();
    assert_eq!(send_next(&message).json()[0]["error"]["message"], "Corrupted thought signature.");
    message["tool_calls"][0]["function"]["arguments"] = arguments;
    message["tool_calls"][0].as_object_mut().unwrap().shift_remove("extra_content");
    let error = send_next(&message).json()[0]["error"]["message"].as_str().unwrap().to_owned();
    assert!(error.starts_with("Function call is missing a thought_signature"), "{error}");
    body["stream"] = true.into();
    let events = server.post(path, &body).events();
    let deltas = events.iter().filter_map(|event| event.pointer("/choices/0/delta/tool_calls/0"));
    let deltas: Vec<_> = deltas.collect();
    assert_eq!(deltas.len(), 1);
    assert!(deltas[0].get("index").is_none() && deltas[0]["extra_content"].is_object());
}

#[test]
fn plain_reasoning_is_accepted_back() {
    let server = TestServer::start();
    let path = "/llama.cpp/v1/responses";
    let (_, mut body) = request("responses", true, PROMPT);
    let events = server.post(path, &body).events();
    let deltas = events.iter().filter(|event| event["type"] == "response.reasoning_text.delta");
    let streamed: String = deltas.map(|event| event["delta"].as_str().unwrap()).collect();
    let mut output = events.last().unwrap()["response"]["output"].as_array().unwrap().clone();
    let reasoning: Vec<_> = output.iter().filter(|item| item["type"] == "reasoning").collect();
    let texts = reasoning.iter().map(|item| item["content"][0]["text"].as_str().unwrap());
    assert_eq!(streamed, texts.collect::<String>());
    let call = output.iter().find(|item| item["type"] == "function_call").unwrap();
    let id = call["call_id"].clone();
    output.push(json!({"type": "function_call_output", "call_id": id, "output": "Sunny."}));
    body["input"].as_array_mut().unwrap().extend(output);
    let reply = server.post(path, &body);
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[test]
fn deepseek_requires_thinking_to_be_passed_back() {
    let server = TestServer::start();
    let path = "/deepseek/anthropic/v1/messages";
    let (_, mut body) = request("anthropic", false, PROMPT);
    body["model"] = "deepseek-v4-pro".into();
    let content = server.post(path, &body).json()["content"].clone();
    let call =
        content.as_array().unwrap().iter().find(|block| block["type"] == "tool_use").unwrap();
    let result = json!([{"type": "tool_result", "tool_use_id": call["id"], "content": "Sunny."}]);
    body["messages"].as_array_mut().unwrap().extend([
        json!({"role": "assistant", "content": content}),
        json!({"role": "user", "content": result}),
    ]);
    let reply = server.send_raw("POST", path, "", body.to_string().as_bytes());
    assert_eq!(reply.status, 200, "{}", reply.text());
    body["messages"][1]["content"] = json!([call]);
    let message = "The `content[].thinking` in the thinking mode must be passed back to the API.";
    assert_eq!(server.post(path, &body).json()["error"]["message"], message);
}
