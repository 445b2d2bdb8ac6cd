//! Requests and their parts, in each client's spelling. `MODEL` is replaced by the model.

pub(crate) fn short_request(client: &str, streamed: bool) -> String {
    let stream = if streamed && client != "gemini" { r#","stream":true"# } else { "" };
    let body = in_user_message(client, &text(client, "a"));
    format!("{}{stream}}}", body.strip_suffix('}').unwrap_or_default())
}

/// Items joined until they have this many bytes.
pub(crate) fn fill(bytes: usize, item: impl Fn(usize) -> String) -> String {
    let mut list = String::with_capacity(bytes + 256);
    for at in 0.. {
        if at > 0 {
            list.push(',');
        }
        list.push_str(&item(at));
        if list.len() >= bytes {
            break;
        }
    }
    list
}

pub(crate) fn in_user_message(client: &str, blocks: &str) -> String {
    in_list(client, &message(client, "user", blocks))
}

pub(crate) fn message(client: &str, role: &str, blocks: &str) -> String {
    let key = if client == "gemini" { "parts" } else { "content" };
    format!(r#"{{"role":"{role}","{key}":[{blocks}]}}"#)
}

pub(crate) fn in_list(client: &str, messages: &str) -> String {
    match client {
        "anthropic" => format!(r#"{{"model":"MODEL","max_tokens":900,"messages":[{messages}]}}"#),
        "openai-chat" => format!(r#"{{"model":"MODEL","messages":[{messages}]}}"#),
        "openai-responses" => format!(r#"{{"model":"MODEL","input":[{messages}]}}"#),
        _ => format!(r#"{{"contents":[{messages}]}}"#),
    }
}

pub(crate) fn text(client: &str, text: &str) -> String {
    match client {
        "openai-responses" => format!(r#"{{"type":"input_text","text":"{text}"}}"#),
        "gemini" => format!(r#"{{"text":"{text}"}}"#),
        _ => format!(r#"{{"type":"text","text":"{text}"}}"#),
    }
}

pub(crate) fn kind_of_text(role: &str) -> &'static str {
    if role == "assistant" { "output_text" } else { "input_text" }
}

pub(crate) fn call_block(client: &str, id: &str, args: &str) -> String {
    let escaped = args.replace('\\', "\\\\").replace('"', "\\\"");
    match client {
        "anthropic" => format!(r#"{{"type":"tool_use","id":"{id}","name":"t","input":{args}}}"#),
        "openai-chat" => format!(
            r#"{{"id":"{id}","type":"function","function":{{"name":"t","arguments":"{escaped}"}}}}"#
        ),
        "openai-responses" => format!(
            r#"{{"type":"function_call","call_id":"{id}","name":"t","arguments":"{escaped}"}}"#
        ),
        _ => format!(r#"{{"functionCall":{{"id":"{id}","name":"t","args":{args}}}}}"#),
    }
}

pub(crate) fn call_message(client: &str, id: &str, args: &str) -> String {
    let call = call_block(client, id, args);
    match client {
        "anthropic" => format!(r#"{{"role":"assistant","content":[{call}]}}"#),
        "openai-chat" => format!(r#"{{"role":"assistant","content":null,"tool_calls":[{call}]}}"#),
        "openai-responses" => call,
        _ => format!(r#"{{"role":"model","parts":[{call}]}}"#),
    }
}

pub(crate) fn result_message(client: &str, id: &str, output: &str) -> String {
    match client {
        "anthropic" => format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"{output}"}}]}}"#
        ),
        "openai-chat" => {
            format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"{output}"}}"#)
        }
        "openai-responses" => {
            format!(r#"{{"type":"function_call_output","call_id":"{id}","output":"{output}"}}"#)
        }
        _ => format!(
            r#"{{"role":"user","parts":[{{"functionResponse":{{"id":"{id}","name":"t","response":{{"output":"{output}"}}}}}}]}}"#
        ),
    }
}

pub(crate) fn tool(client: &str, name: &str, schema: &str) -> String {
    match client {
        "anthropic" => format!(r#"{{"name":"{name}","input_schema":{schema}}}"#),
        "openai-chat" => {
            format!(r#"{{"type":"function","function":{{"name":"{name}","parameters":{schema}}}}}"#)
        }
        "openai-responses" => {
            format!(r#"{{"type":"function","name":"{name}","strict":false,"parameters":{schema}}}"#)
        }
        _ => format!(r#"{{"name":"{name}","parameters":{schema}}}"#),
    }
}

pub(crate) fn with_schema(client: &str, schema: &str) -> String {
    with_tools(client, &tool(client, "t", schema))
}

pub(crate) fn with_tools(client: &str, tools: &str) -> String {
    with_setting(
        client,
        &match client {
            "gemini" => format!(r#""tools":[{{"functionDeclarations":[{tools}]}}]"#),
            _ => format!(r#""tools":[{tools}]"#),
        },
    )
}

pub(crate) fn with_setting(client: &str, setting: &str) -> String {
    let body = short_request(client, false);
    format!("{},{setting}}}", body.strip_suffix('}').unwrap_or_default())
}
