//! Writes a conversation in each client's dialect without the crate's own encoders.

use crate::shapes::{Part, Script, Speaker};

pub(crate) fn request(client: &str, script: &Script) -> String {
    match client {
        "openai-chat" => chat(script),
        "anthropic" => anthropic(script),
        "gemini" => gemini(script),
        "openai-responses" => responses(script),
        _ => bedrock(script),
    }
}

fn list<T>(all: impl IntoIterator<Item = T>, write: impl Fn(T) -> String) -> String {
    all.into_iter().map(write).collect::<Vec<_>>().join(",")
}

fn system(script: &Script, block: &str) -> String {
    list(0..script.system, |_| block.to_owned())
}

/// The tools, from a template with `NAME` as the placeholder.
fn tools(script: &Script, tool: &str) -> String {
    let about = |at: usize| format!("about {at}");
    list(script.tools.iter().enumerate(), |(at, name)| {
        tool.replace("NAME", name).replace("ABOUT", &about(at))
    })
}

fn fields(script: &Script) -> String {
    let all = list(0..script.fields, |at| format!(r#""field_{at}":{at}"#));
    if all.is_empty() { all } else { all + "," }
}

fn role(speaker: Speaker, model: &'static str) -> &'static str {
    match speaker {
        Speaker::Model => model,
        Speaker::User => "user",
        Speaker::System => "system",
    }
}

fn chat(script: &Script) -> String {
    let mut messages: Vec<String> = Vec::new();
    messages
        .extend((0..script.system).map(|_| r#"{"role":"system","content":"brief"}"#.to_owned()));
    for (speaker, parts) in &script.turns {
        let role = match speaker {
            Speaker::User => "user",
            Speaker::Model => "assistant",
            Speaker::System => "system",
        };
        let (mut content, mut calls, mut results) = (Vec::new(), Vec::new(), Vec::new());
        let mut thought = String::new();
        for part in parts {
            match part {
                Part::Text(text) => content.push(format!(r#"{{"type":"text","text":"{text}"}}"#)),
                Part::Thinking => thought.push('t'),
                Part::Call(id) => calls.push(format!(
                    r#"{{"id":"{id}","type":"function","function":{{"name":"bash","arguments":"{{}}"}}}}"#
                )),
                Part::Result(id, text) => results
                    .push(format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"{text}"}}"#)),
            }
        }
        let mut fields = vec![format!(r#""role":"{role}""#)];
        if !content.is_empty() || calls.is_empty() && results.is_empty() {
            fields.push(format!(r#""content":[{}]"#, content.join(",")));
        }
        if !calls.is_empty() {
            fields.push(format!(r#""tool_calls":[{}]"#, calls.join(",")));
        }
        if !thought.is_empty() {
            fields.push(format!(r#""reasoning_content":"{thought}""#));
        }
        let has_message = !content.is_empty() || !calls.is_empty() || results.is_empty();
        // Tool results precede other content, unless they answer calls of this turn.
        if calls.is_empty() {
            messages.append(&mut results);
        }
        messages.extend(has_message.then(|| format!("{{{}}}", fields.join(","))));
        messages.append(&mut results);
    }
    let tools = tools(
        script,
        r#"{"type":"function","function":{"name":"NAME","description":"ABOUT","parameters":{"type":"object"}}}"#,
    );
    let fields = fields(script);
    format!(r#"{{{fields}"model":"m","messages":[{}],"tools":[{tools}]}}"#, messages.join(","))
}

fn anthropic(script: &Script) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => format!(r#"{{"type":"text","text":"{text}"}}"#),
        Part::Thinking => r#"{"type":"thinking","thinking":"t","signature":"c2ln"}"#.to_owned(),
        Part::Call(id) => {
            format!(r#"{{"type":"tool_use","id":"{id}","name":"bash","input":{{}}}}"#)
        }
        Part::Result(id, text) => {
            format!(r#"{{"type":"tool_result","tool_use_id":"{id}","content":"{text}"}}"#)
        }
    };
    let messages = list(&script.turns, |(speaker, parts)| {
        let role = role(*speaker, "assistant");
        format!(r#"{{"role":"{role}","content":[{}]}}"#, list(parts, part))
    });
    let tools =
        tools(script, r#"{"name":"NAME","description":"ABOUT","input_schema":{"type":"object"}}"#);
    let system = system(script, r#"{"type":"text","text":"brief"}"#);
    let fields = fields(script);
    format!(
        r#"{{{fields}"model":"m","max_tokens":9000,"system":[{system}],"messages":[{messages}],"tools":[{tools}]}}"#
    )
}

fn gemini(script: &Script) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => format!(r#"{{"text":"{text}"}}"#),
        Part::Thinking => r#"{"text":"t","thought":true,"thoughtSignature":"c2ln"}"#.to_owned(),
        Part::Call(id) => {
            format!(r#"{{"functionCall":{{"id":"{id}","name":"bash","args":{{}}}}}}"#)
        }
        Part::Result(id, text) => format!(
            r#"{{"functionResponse":{{"id":"{id}","name":"bash","response":{{"a":"{text}"}}}}}}"#
        ),
    };
    let contents = list(&script.turns, |(speaker, parts)| {
        let role = role(*speaker, "model");
        format!(r#"{{"role":"{role}","parts":[{}]}}"#, list(parts, part))
    });
    let tools = tools(
        script,
        r#"{"name":"NAME","description":"ABOUT","parametersJsonSchema":{"type":"object"}}"#,
    );
    let system = system(script, r#"{"text":"brief"}"#);
    let fields = fields(script);
    format!(
        r#"{{{fields}"systemInstruction":{{"parts":[{system}]}},"contents":[{contents}],"tools":[{{"functionDeclarations":[{tools}]}}]}}"#
    )
}

fn responses(script: &Script) -> String {
    let mut items: Vec<String> = Vec::new();
    items
        .extend((0..script.system).map(|_| r#"{"role":"developer","content":"brief"}"#.to_owned()));
    for (speaker, parts) in &script.turns {
        let (role, kind) = match speaker {
            Speaker::User => ("user", "input_text"),
            Speaker::Model => ("assistant", "output_text"),
            Speaker::System => ("system", "input_text"),
        };
        if parts.is_empty() {
            items.push(format!(r#"{{"type":"message","role":"{role}","content":[]}}"#));
        }
        for part in parts {
            items.push(match part {
                Part::Text(text) => format!(
                    r#"{{"type":"message","role":"{role}","content":[{{"type":"{kind}","text":"{text}"}}]}}"#
                ),
                Part::Thinking => {
                    r#"{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"c2ln"}"#.to_owned()
                }
                Part::Call(id) => format!(
                    r#"{{"type":"function_call","call_id":"{id}","name":"bash","arguments":"{{}}"}}"#
                ),
                Part::Result(id, text) => format!(
                    r#"{{"type":"function_call_output","call_id":"{id}","output":"{text}"}}"#
                ),
            });
        }
    }
    let tools = tools(
        script,
        r#"{"type":"function","name":"NAME","description":"ABOUT","parameters":{"type":"object"},"strict":false}"#,
    );
    let fields = fields(script);
    format!(r#"{{{fields}"model":"m","input":[{}],"tools":[{tools}]}}"#, items.join(","))
}

fn bedrock(script: &Script) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => format!(r#"{{"text":"{text}"}}"#),
        Part::Thinking => {
            r#"{"reasoningContent":{"reasoningText":{"text":"t","signature":"c2ln"}}}"#.to_owned()
        }
        Part::Call(id) => {
            format!(r#"{{"toolUse":{{"toolUseId":"{id}","name":"bash","input":{{}}}}}}"#)
        }
        Part::Result(id, text) => {
            format!(r#"{{"toolResult":{{"toolUseId":"{id}","content":[{{"text":"{text}"}}]}}}}"#)
        }
    };
    let messages = list(&script.turns, |(speaker, parts)| {
        let role = role(*speaker, "assistant");
        format!(r#"{{"role":"{role}","content":[{}]}}"#, list(parts, part))
    });
    let tools = tools(
        script,
        r#"{"toolSpec":{"name":"NAME","description":"ABOUT","inputSchema":{"json":{"type":"object"}}}}"#,
    );
    let system = system(script, r#"{"text":"brief"}"#);
    let fields = fields(script);
    format!(
        r#"{{{fields}"system":[{system}],"messages":[{messages}],"toolConfig":{{"tools":[{tools}]}}}}"#
    )
}
