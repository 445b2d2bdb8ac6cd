//! Clients of each dialect that send back the replies they received, as agents do.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use bytes::Bytes;
use interlingua::{Ledger, ReplyContext, StreamTranslator, find_dialect};
use serde_json::{Value, json};

/// The request and reply shapes of a client of one dialect.
pub(crate) struct Client {
    pub(crate) dialect: &'static str,
    /// The path for a turn of a model.
    pub(crate) path: fn(model: &str, stream: bool) -> String,
    /// The first request: a prompt, one tool, reasoning.
    pub(crate) first_request: fn(model: &str, stream: bool, prompt: &str) -> Value,
    /// Appends the reply and a result for each of its calls; returns the number of calls.
    pub(crate) append_results: fn(request: &mut Value, reply: &Value, result: &str) -> usize,
    pub(crate) text: fn(reply: &Value) -> String,
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: Vec<u8>,
    /// Whether the body arrived completely.
    pub(crate) is_complete: bool,
}

pub(crate) const CLIENTS: &[Client] = &[
    Client {
        dialect: "anthropic",
        path: |_, _| "/v1/messages?beta=true".to_owned(),
        first_request: |model, stream, prompt| {
            json!({
                "model": model, "max_tokens": 9000, "stream": stream,
                "thinking": {"type": "enabled", "budget_tokens": 2000},
                "tools": [{"name": "look", "description": "Looks.", "input_schema": schema()}],
                "messages": [{"role": "user", "content": prompt}],
            })
        },
        append_results: |request, reply, result| {
            let calls = ids(&reply["content"], "tool_use", "id");
            let results: Vec<Value> = calls
                .iter()
                .map(|id| json!({"type": "tool_result", "tool_use_id": id, "content": result}))
                .collect();
            let messages = request["messages"].as_array_mut().unwrap();
            messages.push(json!({"role": "assistant", "content": reply["content"]}));
            messages.push(json!({"role": "user", "content": results}));
            calls.len()
        },
        text: |reply| join_text(&reply["content"], "text"),
    },
    Client {
        dialect: "openai-chat",
        path: |_, _| "/v1/chat/completions".to_owned(),
        first_request: |model, stream, prompt| {
            json!({
                "model": model, "stream": stream,
                "tools": [{"type": "function", "function": {
                    "name": "look", "description": "Looks.", "parameters": schema(),
                }}],
                "messages": [{"role": "user", "content": prompt}],
            })
        },
        append_results: |request, reply, result| {
            let message = &reply["choices"][0]["message"];
            let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
            let messages = request["messages"].as_array_mut().unwrap();
            messages.push(message.clone());
            for call in &calls {
                messages
                    .push(json!({"role": "tool", "tool_call_id": call["id"], "content": result}));
            }
            calls.len()
        },
        text: |reply| reply["choices"][0]["message"]["content"].as_str().unwrap_or("").to_owned(),
    },
    Client {
        dialect: "openai-responses",
        path: |_, _| "/v1/responses".to_owned(),
        first_request: |model, stream, prompt| {
            json!({
                "model": model, "stream": stream, "store": false,
                "include": ["reasoning.encrypted_content"], "reasoning": {"effort": "medium"},
                "tools": [{
                    "type": "function", "name": "look", "description": "Looks.",
                    "parameters": schema(), "strict": false,
                }],
                "input": [{"role": "user", "content": prompt}],
            })
        },
        append_results: |request, reply, result| {
            let calls = ids(&reply["output"], "function_call", "call_id");
            let input = request["input"].as_array_mut().unwrap();
            input.extend(reply["output"].as_array().unwrap().iter().cloned());
            for id in &calls {
                let output = json!({
                    "type": "function_call_output", "call_id": id, "output": result,
                });
                input.push(output);
            }
            calls.len()
        },
        text: |reply| {
            let items = reply["output"].as_array().unwrap().iter();
            items.map(|item| join_text(&item["content"], "text")).collect()
        },
    },
    Client {
        dialect: "gemini",
        path: |model, stream| {
            let verb = if stream { "streamGenerateContent?alt=sse" } else { "generateContent" };
            format!("/v1beta/models/{model}:{verb}")
        },
        first_request: |_, _, prompt| {
            json!({
                "contents": [{"role": "user", "parts": [{"text": prompt}]}],
                "tools": [{"functionDeclarations": [{
                    "name": "look", "description": "Looks.", "parameters": schema(),
                }]}],
                "generationConfig": {"thinkingConfig": {"includeThoughts": true}},
            })
        },
        append_results: |request, reply, result| {
            let content = &reply["candidates"][0]["content"];
            let parts = content["parts"].as_array().cloned().unwrap_or_default();
            let calls: Vec<&Value> =
                parts.iter().map(|part| &part["functionCall"]).filter(|c| !c.is_null()).collect();
            let results: Vec<Value> = calls
                .iter()
                .map(|call| {
                    let mut back = json!({"name": call["name"], "response": {"output": result}});
                    if !call["id"].is_null() {
                        back["id"] = call["id"].clone();
                    }
                    json!({ "functionResponse": back })
                })
                .collect();
            let contents = request["contents"].as_array_mut().unwrap();
            contents.push(content.clone());
            contents.push(json!({"role": "user", "parts": results}));
            calls.len()
        },
        text: |reply| {
            let parts = reply["candidates"][0]["content"]["parts"].as_array();
            let visible = parts.into_iter().flatten().filter(|part| part["thought"] != true);
            visible.filter_map(|part| part["text"].as_str()).collect()
        },
    },
];

impl Client {
    /// Runs a turn and returns the reply as one body, streamed or not.
    pub(crate) fn request_turn(
        &self,
        at: SocketAddr,
        model: &str,
        stream: bool,
        request: &Value,
    ) -> Result<Value, String> {
        let response = post(at, &(self.path)(model, stream), "", request.to_string().as_bytes());
        if response.status != 200 || !response.is_complete {
            return Err(format!("{} {}", response.status, response.text()));
        }
        if !stream {
            return serde_json::from_slice(&response.body).map_err(|error| error.to_string());
        }
        self.fold_stream(&response.body)
    }

    /// The reply that a client assembles from the stream.
    pub(crate) fn fold_stream(&self, body: &[u8]) -> Result<Value, String> {
        let dialect = find_dialect(self.dialect).unwrap();
        let cx = ReplyContext::default();
        let mut stream = StreamTranslator::new(dialect, dialect, &cx);
        let mut scratch = Vec::new();
        stream.push(&Bytes::copy_from_slice(body), &mut scratch);
        stream.finish(&mut scratch);
        let (reply, _) = stream.into_reply();
        let reply = reply.map_err(|failure| format!("{failure:?}"))?;
        let reply = dialect.encode_reply(&reply, &cx, &mut Ledger::default());
        serde_json::from_slice(&reply).map_err(|error| error.to_string())
    }
}

impl HttpResponse {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

pub(crate) fn post(at: SocketAddr, path: &str, headers: &str, body: &[u8]) -> HttpResponse {
    send(at, "POST", path, headers, body)
}

pub(crate) fn get(at: SocketAddr, path: &str, headers: &str) -> HttpResponse {
    send(at, "GET", path, headers, b"")
}

/// The rules that changed the reply of a turn, which is listed when its stream has ended.
pub(crate) fn reply_repairs(at: SocketAddr, response: &HttpResponse) -> Vec<String> {
    let turn = response.header("x-interlingua-turn").unwrap();
    for _ in 0..200 {
        let listed: Value = serde_json::from_slice(&get(at, "/api/turns", "").body).unwrap();
        let turns = listed["turns"].as_array().unwrap();
        if let Some(found) = turns.iter().find(|listed| listed["turn"] == turn) {
            return serde_json::from_value(found["reply_repairs"].clone()).unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the turn {turn} is not listed");
}

pub(crate) fn delete(at: SocketAddr, path: &str) -> HttpResponse {
    delete_with(at, path, "")
}

pub(crate) fn delete_with(at: SocketAddr, path: &str, headers: &str) -> HttpResponse {
    send(at, "DELETE", path, headers, b"")
}

pub(crate) fn send(
    at: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
    body: &[u8],
) -> HttpResponse {
    try_send(at, method, path, headers, body).unwrap()
}

/// As [`send`], to a server that may be away.
pub(crate) fn try_send(
    at: SocketAddr,
    method: &str,
    path: &str,
    headers: &str,
    body: &[u8],
) -> io::Result<HttpResponse> {
    let mut stream = TcpStream::connect(at)?;
    stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
    let length = body.len();
    let has_host = headers.lines().any(|line| line.starts_with("host:"));
    let host = if has_host { String::new() } else { format!("host: {at}\r\n") };
    let head = format!(
        "{method} {path} HTTP/1.1\r\n{host}content-length: {length}\r\nconnection: close\r\n\
         {headers}\r\n"
    );
    stream.write_all(head.as_bytes())?;
    // The server may respond and close before it has read the whole body.
    let _ = stream.write_all(body);
    let mut received = Vec::new();
    let _ = stream.read_to_end(&mut received);
    Ok(parse(&received))
}

fn parse(received: &[u8]) -> HttpResponse {
    let Some(at) = received.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
        return HttpResponse {
            status: 0,
            headers: String::new(),
            body: Vec::new(),
            is_complete: false,
        };
    };
    let headers = String::from_utf8(received[..at].to_vec()).unwrap();
    let status = headers.split(' ').nth(1).unwrap().parse().unwrap();
    let sent = &received[at + 4..];
    let (body, is_complete) = if headers.contains("transfer-encoding: chunked") {
        decode_chunked(sent)
    } else {
        let length = headers.lines().find_map(|line| line.strip_prefix("content-length: "));
        (sent.to_vec(), length.is_none_or(|length| length.parse() == Ok(sent.len())))
    };
    HttpResponse { status, headers, body, is_complete }
}

fn decode_chunked(mut rest: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    loop {
        let Some(at) = rest.windows(2).position(|bytes| bytes == b"\r\n") else {
            return (body, false);
        };
        let size = std::str::from_utf8(&rest[..at]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        rest = &rest[at + 2..];
        if size == 0 {
            return (body, true);
        }
        let Some(chunk) = rest.get(..size) else { return (body, false) };
        body.extend_from_slice(chunk);
        rest = rest.get(size + 2..).unwrap_or_default();
    }
}

fn schema() -> Value {
    json!({
        "type": "object", "required": ["place"],
        "properties": {"place": {"type": "string"}, "deep": {"type": "boolean"}},
    })
}

fn ids(blocks: &Value, kind: &str, key: &str) -> Vec<Value> {
    let blocks = blocks.as_array().into_iter().flatten();
    blocks.filter(|block| block["type"] == kind).map(|block| block[key].clone()).collect()
}

fn join_text(blocks: &Value, key: &str) -> String {
    let blocks = blocks.as_array().into_iter().flatten();
    blocks.filter_map(|block| block[key].as_str()).collect()
}
