//! Reasoning that comes back as it went out is accepted; changed, moved or foreign it is refused.

use serde_json::{Value, json};

use crate::client::{PROMPT, Server, request};

/// The second request of a conversation with a tool.
fn second(server: &Server, api: &str) -> (String, Value) {
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

fn change(body: &Value, pointer: &str, change: impl Fn(&mut Value)) -> Value {
    let mut body = body.clone();
    change(body.pointer_mut(pointer).unwrap_or_else(|| panic!("nothing at {pointer}")));
    body
}

/// One byte is another.
fn flip(value: &mut Value) {
    let text = value.as_str().unwrap();
    let middle = text.len() / 2;
    let other = if &text[middle..=middle] == "A" { "B" } else { "A" };
    *value = format!("{}{other}{}", &text[..middle], &text[middle + 1..]).into();
}

fn refused(server: &Server, path: &str, body: &Value, words: &str) {
    let reply = server.post(path, body);
    assert_eq!(reply.status, 400, "{path}: {reply:?}");
    assert!(reply.text().contains(words), "{path}: {}", reply.text());
}

#[test]
fn what_comes_back_untouched_is_accepted() {
    let server = Server::start();
    for api in ["anthropic", "responses", "gemini", "openrouter", "bedrock"] {
        let (path, body) = second(&server, api);
        let reply = server.post(&path, &body);
        assert_eq!(reply.status, 200, "{api}: {reply:?}");
        assert!(reply.text().contains("4 bytes, sha256"), "{api}: {reply:?}");
    }
}

#[test]
fn messages_notice_every_change() {
    const MODIFIED: &str = "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.";
    let server = Server::start();
    let (path, body) = second(&server, "anthropic");
    let signature = "/messages/1/content/0/signature";
    refused(
        &server,
        &path,
        &change(&body, signature, flip),
        "Invalid `signature` in `thinking` block",
    );
    refused(&server, &path, &change(&body, "/messages/1/content/2/thinking", flip), MODIFIED);
    let swap = |content: &mut Value| content.as_array_mut().unwrap().swap(0, 2);
    refused(&server, &path, &change(&body, "/messages/1/content", swap), MODIFIED);
    let lose = |content: &mut Value| drop(content.as_array_mut().unwrap().remove(2));
    refused(&server, &path, &change(&body, "/messages/1/content", lose), MODIFIED);
    let other = change(&body, "/model", |model| *model = "claude-opus-4-7".into());
    refused(&server, &path, &other, "Invalid `signature` in `thinking` block");
}

#[test]
fn responses_notice_every_change() {
    let server = Server::start();
    let (path, body) = second(&server, "responses");
    let encrypted = change(&body, "/input/1/encrypted_content", flip);
    refused(&server, &path, &encrypted, "could not be verified");
    let lose = |at: usize| move |input: &mut Value| drop(input.as_array_mut().unwrap().remove(at));
    let follower = change(&body, "/input", lose(2));
    refused(&server, &path, &follower, "was provided without its required following item.");
    let reasoning = change(&body, "/input", lose(3));
    refused(&server, &path, &reasoning, "was provided without its required 'reasoning' item: 'rs_");
}

/// As a widespread client does: ids only on reasoning, or reasoning only named.
#[test]
fn responses_know_what_follows_reasoning_without_its_id() {
    let server = Server::start();
    let (path, body) = second(&server, "responses");
    let lose = |item: &mut Value| drop(item.as_object_mut().unwrap().shift_remove("id"));
    let by_value = change(&change(&body, "/input/2", lose), "/input/4", lose);
    assert_eq!(server.post(&path, &by_value).status, 200);
    let keep = |body: &Value| change(body, "/store", |store| *store = true.into());
    let missing = "was provided without its required following item.";
    refused(&server, &path, &keep(&by_value), missing);

    let name = |item: &mut Value| *item = json!({"type": "item_reference", "id": item["id"]});
    let mut named = keep(&body);
    for item in ["/input/1", "/input/2", "/input/3"] {
        named = change(&named, item, name);
    }
    assert_eq!(server.post(&path, &change(&named, "/input/4", lose)).status, 200);
    let message = change(&named, "/input/2", |item| {
        *item = json!({"role": "assistant", "content": "Let me use get_weather."});
    });
    refused(&server, &path, &message, missing);
}

/// The text of a result may stand under several names, alone or beside the name of the function.
#[test]
fn gemini_reads_a_result_as_clients_wrap_it() {
    let server = Server::start();
    let (path, body) = second(&server, "gemini");
    let wrapped = |response: Value| {
        let place = "/contents/2/parts/0/functionResponse/response";
        server.post(&path, &change(&body, place, |old| *old = response.clone())).text()
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
    let server = Server::start();
    let (path, body) = second(&server, "gemini");
    let part = "/contents/1/parts/1";
    let signature = format!("{part}/thoughtSignature");
    refused(&server, &path, &change(&body, &signature, flip), "Corrupted thought signature.");
    let args = change(&body, &format!("{part}/functionCall/args/city"), flip);
    refused(&server, &path, &args, "Corrupted thought signature.");
    let lose =
        |part: &mut Value| drop(part.as_object_mut().unwrap().shift_remove("thoughtSignature"));
    refused(&server, &path, &change(&body, part, lose), "is missing a thought_signature");
}

#[test]
fn bedrock_notices_every_change() {
    let server = Server::start();
    let (path, body) = second(&server, "bedrock");
    let reasoning = "/messages/1/content/0/reasoningContent/reasoningText";
    let signature = change(&body, &format!("{reasoning}/signature"), flip);
    refused(&server, &path, &signature, "Invalid `signature` in `thinking` block");
    let text = change(&body, &format!("{reasoning}/text"), flip);
    refused(&server, &path, &text, "cannot be modified");
}

#[test]
fn a_router_notices_every_change() {
    let server = Server::start();
    let (path, body) = second(&server, "openrouter");
    let detail = "/messages/1/reasoning_details/0";
    let text = change(&body, &format!("{detail}/text"), flip);
    refused(&server, &path, &text, "messages.1.content.0");
    let signature = change(&body, &format!("{detail}/signature"), flip);
    refused(&server, &path, &signature, "Invalid `signature` in `thinking` block");
}

#[test]
fn calls_of_gemini_in_chat_completions_are_signed() {
    let server = Server::start();
    let path = "/gemini/v1beta/openai/chat/completions";
    let (_, mut body) = request("openai", false, PROMPT);
    body["model"] = "gemini-3-pro-preview".into();
    let mut said = server.post(path, &body).json()["choices"][0]["message"].clone();
    let call = said["tool_calls"][0]["id"].clone();
    let result = json!({"role": "tool", "tool_call_id": call, "content": "Sunny."});
    let on = |said: &Value| {
        let mut next = body.clone();
        next["messages"].as_array_mut().unwrap().extend([said.clone(), result.clone()]);
        server.post(path, &next)
    };
    let reply = on(&said);
    assert_eq!(reply.status, 200, "{}", reply.text());
    let arguments = said["tool_calls"][0]["function"]["arguments"].take();
    said["tool_calls"][0]["function"]["arguments"] = "{\"city\": \"Rome\"}".into();
    assert_eq!(on(&said).json()[0]["error"]["message"], "Corrupted thought signature.");
    said["tool_calls"][0]["function"]["arguments"] = arguments;
    said["tool_calls"][0].as_object_mut().unwrap().shift_remove("extra_content");
    let words = on(&said).json()[0]["error"]["message"].as_str().unwrap().to_owned();
    assert!(words.starts_with("Function call is missing a thought_signature"), "{words}");
    body["stream"] = true.into();
    let events = server.post(path, &body).events();
    let deltas = events.iter().filter_map(|event| event.pointer("/choices/0/delta/tool_calls/0"));
    let deltas: Vec<_> = deltas.collect();
    assert_eq!(deltas.len(), 1);
    assert!(deltas[0].get("index").is_none() && deltas[0]["extra_content"].is_object());
}

#[test]
fn reasoning_in_the_open_goes_back_as_it_came() {
    let server = Server::start();
    let path = "/llama.cpp/v1/responses";
    let (_, mut body) = request("responses", true, PROMPT);
    let events = server.post(path, &body).events();
    let told = events.iter().filter(|event| event["type"] == "response.reasoning_text.delta");
    let told: String = told.map(|event| event["delta"].as_str().unwrap()).collect();
    let mut output = events.last().unwrap()["response"]["output"].as_array().unwrap().clone();
    let reasoning: Vec<_> = output.iter().filter(|item| item["type"] == "reasoning").collect();
    let said = reasoning.iter().map(|item| item["content"][0]["text"].as_str().unwrap());
    assert_eq!(told, said.collect::<String>());
    let call = output.iter().find(|item| item["type"] == "function_call").unwrap();
    let id = call["call_id"].clone();
    output.push(json!({"type": "function_call_output", "call_id": id, "output": "Sunny."}));
    body["input"].as_array_mut().unwrap().extend(output);
    let reply = server.post(path, &body);
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[test]
fn a_server_without_signatures_wants_its_thinking_back() {
    let server = Server::start();
    let path = "/deepseek/anthropic/v1/messages";
    let (_, mut body) = request("anthropic", false, PROMPT);
    body["model"] = "deepseek-v4-pro".into();
    let said = server.post(path, &body).json()["content"].clone();
    let call = said.as_array().unwrap().iter().find(|block| block["type"] == "tool_use").unwrap();
    let result = json!([{"type": "tool_result", "tool_use_id": call["id"], "content": "Sunny."}]);
    body["messages"].as_array_mut().unwrap().extend([
        json!({"role": "assistant", "content": said}),
        json!({"role": "user", "content": result}),
    ]);
    let reply = server.send_bare("POST", path, "", body.to_string().as_bytes());
    assert_eq!(reply.status, 200, "{}", reply.text());
    body["messages"][1]["content"] = json!([call]);
    let words = "The `content[].thinking` in the thinking mode must be passed back to the API.";
    assert_eq!(server.post(path, &body).json()["error"]["message"], words);
}
