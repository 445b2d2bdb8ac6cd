//! A conversation in each client's dialect, as it would be written by hand.

use crate::shapes::{Part, Talk, Who};

pub(crate) fn request(client: &str, talk: &Talk) -> String {
    match client {
        "openai-chat" => chat(talk),
        "anthropic" => anthropic(talk),
        "gemini" => gemini(talk),
        "openai-responses" => responses(talk),
        _ => bedrock(talk),
    }
}

fn list<T>(all: impl IntoIterator<Item = T>, write: impl Fn(T) -> String) -> String {
    all.into_iter().map(write).collect::<Vec<_>>().join(",")
}

fn system(talk: &Talk, block: &str) -> String {
    list(0..talk.system, |_| block.to_owned())
}

/// The tools; the name of each stands for `NAME`.
fn tools(talk: &Talk, tool: &str) -> String {
    let about = |at: usize| format!("about {at}");
    list(talk.tools.iter().enumerate(), |(at, name)| {
        tool.replace("NAME", name).replace("ABOUT", &about(at))
    })
}

fn fields(talk: &Talk) -> String {
    let all = list(0..talk.fields, |at| format!(r#""field_{at}":{at}"#));
    if all.is_empty() { all } else { all + "," }
}

fn role(who: Who, model: &'static str) -> &'static str {
    match who {
        Who::Model => model,
        Who::User => "user",
        Who::System => "system",
    }
}

fn chat(talk: &Talk) -> String {
    let mut messages: Vec<String> = Vec::new();
    messages.extend((0..talk.system).map(|_| r#"{"role":"system","content":"brief"}"#.to_owned()));
    for (who, parts) in &talk.turns {
        let role = match who {
            Who::User => "user",
            Who::Model => "assistant",
            Who::System => "system",
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
        let said = !content.is_empty() || !calls.is_empty() || results.is_empty();
        // What a tool gave stands before what else is said, unless it answers calls of this turn.
        if calls.is_empty() {
            messages.append(&mut results);
        }
        messages.extend(said.then(|| format!("{{{}}}", fields.join(","))));
        messages.append(&mut results);
    }
    let tools = tools(
        talk,
        r#"{"type":"function","function":{"name":"NAME","description":"ABOUT","parameters":{"type":"object"}}}"#,
    );
    let fields = fields(talk);
    format!(r#"{{{fields}"model":"m","messages":[{}],"tools":[{tools}]}}"#, messages.join(","))
}

fn anthropic(talk: &Talk) -> String {
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
    let messages = list(&talk.turns, |(who, parts)| {
        let role = role(*who, "assistant");
        format!(r#"{{"role":"{role}","content":[{}]}}"#, list(parts, part))
    });
    let tools =
        tools(talk, r#"{"name":"NAME","description":"ABOUT","input_schema":{"type":"object"}}"#);
    let system = system(talk, r#"{"type":"text","text":"brief"}"#);
    let fields = fields(talk);
    format!(
        r#"{{{fields}"model":"m","max_tokens":9000,"system":[{system}],"messages":[{messages}],"tools":[{tools}]}}"#
    )
}

fn gemini(talk: &Talk) -> String {
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
    let contents = list(&talk.turns, |(who, parts)| {
        let role = role(*who, "model");
        format!(r#"{{"role":"{role}","parts":[{}]}}"#, list(parts, part))
    });
    let tools = tools(
        talk,
        r#"{"name":"NAME","description":"ABOUT","parametersJsonSchema":{"type":"object"}}"#,
    );
    let system = system(talk, r#"{"text":"brief"}"#);
    let fields = fields(talk);
    format!(
        r#"{{{fields}"systemInstruction":{{"parts":[{system}]}},"contents":[{contents}],"tools":[{{"functionDeclarations":[{tools}]}}]}}"#
    )
}

fn responses(talk: &Talk) -> String {
    let mut items: Vec<String> = Vec::new();
    items.extend((0..talk.system).map(|_| r#"{"role":"developer","content":"brief"}"#.to_owned()));
    for (who, parts) in &talk.turns {
        let (role, kind) = match who {
            Who::User => ("user", "input_text"),
            Who::Model => ("assistant", "output_text"),
            Who::System => ("system", "input_text"),
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
        talk,
        r#"{"type":"function","name":"NAME","description":"ABOUT","parameters":{"type":"object"},"strict":false}"#,
    );
    let fields = fields(talk);
    format!(r#"{{{fields}"model":"m","input":[{}],"tools":[{tools}]}}"#, items.join(","))
}

fn bedrock(talk: &Talk) -> String {
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
    let messages = list(&talk.turns, |(who, parts)| {
        let role = role(*who, "assistant");
        format!(r#"{{"role":"{role}","content":[{}]}}"#, list(parts, part))
    });
    let tools = tools(
        talk,
        r#"{"toolSpec":{"name":"NAME","description":"ABOUT","inputSchema":{"json":{"type":"object"}}}}"#,
    );
    let system = system(talk, r#"{"text":"brief"}"#);
    let fields = fields(talk);
    format!(
        r#"{{{fields}"system":[{system}],"messages":[{messages}],"toolConfig":{{"tools":[{tools}]}}}}"#
    )
}
