//! Requests of every shape, in each client's dialect.

#![expect(clippy::unnecessary_wraps, reason = "all shapes have the type of `RequestShape::build`")]

use crate::spelling::{
    call_block, call_message, fill, in_list, in_user_message, kind_of_text, message,
    result_message, short_request, text, tool, with_schema, with_setting, with_tools,
};

pub(crate) struct RequestShape {
    pub(crate) name: &'static str,
    /// A body of about this many bytes; `None` where the dialect has no such thing.
    pub(crate) build: fn(client: &str, bytes: usize) -> Option<String>,
}

macro_rules! request_shapes {
    ($($name:ident)*) => {
        pub(crate) const ALL: &[RequestShape] =
            &[$(RequestShape { name: stringify!($name), build: $name }),*];
    };
}

request_shapes! {
    agent_history long_text escaped_text empty_blocks null_blocks number_blocks string_blocks
    unknown_blocks text_blocks empty_messages short_messages calls_in_one_message call_messages
    unanswered_rounds result_images orphan_results results_in_blocks reasoning_blocks cache_marks tiny_images odd_text_blocks
    unknown_fields fields_in_block numbers_in_arguments objects_in_arguments nested_arguments
    stop_words many_tools
    required_names declared_names many_alternatives doubling_references self_references enum_values
    deep_schema answer_schema_names
}

fn agent_history(client: &str, bytes: usize) -> Option<String> {
    let output = "The tests pass; \\\"lib.rs\\\" has 40 lines.\\n".repeat(20);
    Some(messages(client, bytes, |at| {
        let id = format!("call_{at}");
        [
            call_message(client, &id, r#"{"command":"cargo test --workspace","timeout":60}"#),
            result_message(client, &id, &output),
        ]
        .join(",")
    }))
}

fn long_text(client: &str, bytes: usize) -> Option<String> {
    Some(in_user_message(client, &text(client, &"word ".repeat(bytes / 5))))
}

fn escaped_text(client: &str, bytes: usize) -> Option<String> {
    Some(in_user_message(client, &text(client, &"\\u0001\\n".repeat(bytes / 8))))
}

fn empty_blocks(client: &str, bytes: usize) -> Option<String> {
    Some(blocks(client, bytes, |_| "{}".to_owned()))
}

fn null_blocks(client: &str, bytes: usize) -> Option<String> {
    Some(blocks(client, bytes, |_| "null".to_owned()))
}

fn number_blocks(client: &str, bytes: usize) -> Option<String> {
    Some(blocks(client, bytes, |_| "1".to_owned()))
}

fn string_blocks(client: &str, bytes: usize) -> Option<String> {
    Some(blocks(client, bytes, |_| r#""a""#.to_owned()))
}

fn unknown_blocks(client: &str, bytes: usize) -> Option<String> {
    Some(blocks(client, bytes, |_| r#"{"type":"x"}"#.to_owned()))
}

fn text_blocks(client: &str, bytes: usize) -> Option<String> {
    Some(blocks(client, bytes, |_| text(client, "a")))
}

fn empty_messages(client: &str, bytes: usize) -> Option<String> {
    Some(messages(client, bytes, |_| "{}".to_owned()))
}

fn short_messages(client: &str, bytes: usize) -> Option<String> {
    Some(messages(client, bytes, |at| {
        let role = match (at % 2, client) {
            (0, _) => "user",
            (_, "gemini") => "model",
            _ => "assistant",
        };
        message(client, role, &text(client, "a").replace("input_text", kind_of_text(role)))
    }))
}

fn calls_in_one_message(client: &str, bytes: usize) -> Option<String> {
    let call = |at: usize| call_block(client, &format!("c{at}"), "{}");
    let list = fill(bytes, call);
    let message = match client {
        "openai-chat" => format!(r#"{{"role":"assistant","content":null,"tool_calls":[{list}]}}"#),
        "openai-responses" => list,
        "gemini" => format!(r#"{{"role":"model","parts":[{list}]}}"#),
        _ => format!(r#"{{"role":"assistant","content":[{list}]}}"#),
    };
    Some(in_list(client, &message))
}

fn call_messages(client: &str, bytes: usize) -> Option<String> {
    Some(messages(client, bytes, |at| call_message(client, &format!("c{at}"), "{}")))
}

/// Calls without results, each with a user message behind it.
fn unanswered_rounds(client: &str, bytes: usize) -> Option<String> {
    Some(messages(client, bytes, |at| {
        let user = message(client, "user", &text(client, "a"));
        format!("{},{user}", call_message(client, &format!("c{at}"), "{}"))
    }))
}

/// Rounds with an image in each result.
fn result_images(client: &str, bytes: usize) -> Option<String> {
    let image = |client: &str| match client {
        "anthropic" => {
            r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}"#
        }
        _ => r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}"#,
    };
    let result = |id: &str| match client {
        "anthropic" => format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":[{}]}}]}}"#,
            image(client)
        ),
        _ => format!(r#"{{"role":"tool","tool_call_id":"{id}","content":[{}]}}"#, image(client)),
    };
    let has_images_in_results = matches!(client, "anthropic" | "openai-chat");
    has_images_in_results.then(|| {
        messages(client, bytes, |at| {
            let id = format!("c{at}");
            format!("{},{}", call_message(client, &id, "{}"), result(&id))
        })
    })
}

fn orphan_results(client: &str, bytes: usize) -> Option<String> {
    Some(messages(client, bytes, |at| result_message(client, &format!("c{at}"), "a")))
}

fn results_in_blocks(client: &str, bytes: usize) -> Option<String> {
    match client {
        "anthropic" => {
            let inner = fill(bytes, |_| "{}".to_owned());
            Some(in_user_message(
                client,
                &format!(r#"{{"type":"tool_result","tool_use_id":"c","content":[{inner}]}}"#),
            ))
        }
        "gemini" => {
            let inner = fill(bytes, |_| "{}".to_owned());
            Some(in_user_message(
                client,
                &format!(r#"{{"functionResponse":{{"name":"t","response":{{"a":[{inner}]}}}}}}"#),
            ))
        }
        _ => None,
    }
}

fn reasoning_blocks(client: &str, bytes: usize) -> Option<String> {
    let item = |at: usize| match client {
        "anthropic" => r#"{"type":"thinking","thinking":"t","signature":"c2ln"}"#.to_owned(),
        "openai-responses" => {
            format!(
                r#"{{"type":"reasoning","id":"rs_{at}","summary":[],"encrypted_content":"c2ln"}}"#
            )
        }
        "gemini" => r#"{"text":"t","thought":true,"thoughtSignature":"c2ln"}"#.to_owned(),
        _ => r#"{"role":"assistant","content":"a","reasoning_content":"t"}"#.to_owned(),
    };
    let list = fill(bytes, item);
    Some(match client {
        "anthropic" => in_list(client, &format!(r#"{{"role":"assistant","content":[{list}]}}"#)),
        "gemini" => in_list(client, &format!(r#"{{"role":"model","parts":[{list}]}}"#)),
        _ => in_list(client, &list),
    })
}

fn cache_marks(client: &str, bytes: usize) -> Option<String> {
    let mark = r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}"#;
    (client == "anthropic").then(|| blocks(client, bytes, |_| mark.to_owned()))
}

fn tiny_images(client: &str, bytes: usize) -> Option<String> {
    let image = match client {
        "anthropic" => {
            r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}"#
        }
        "openai-chat" => r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}"#,
        "openai-responses" => r#"{"type":"input_image","image_url":"data:image/png;base64,AA=="}"#,
        _ => r#"{"inlineData":{"mimeType":"image/png","data":"AA=="}}"#,
    };
    Some(blocks(client, bytes, |_| image.to_owned()))
}

fn odd_text_blocks(client: &str, bytes: usize) -> Option<String> {
    Some(blocks(client, bytes, |_| r#"{"type":"text","text":1}"#.to_owned()))
}

fn unknown_fields(client: &str, bytes: usize) -> Option<String> {
    let body = short_request(client, false);
    let fields = fill(bytes, |at| format!(r#""x{at}":1"#));
    Some(format!("{},{fields}}}", body.strip_suffix('}')?))
}

fn fields_in_block(client: &str, bytes: usize) -> Option<String> {
    let fields = fill(bytes, |at| format!(r#""x{at}":1"#));
    let block = text(client, "a");
    Some(in_user_message(client, &format!("{},{fields}}}", block.strip_suffix('}')?)))
}

fn numbers_in_arguments(client: &str, bytes: usize) -> Option<String> {
    let args = format!(r#"{{"a":[{}]}}"#, fill(bytes, |_| "1".to_owned()));
    Some(with_arguments(client, &args))
}

fn objects_in_arguments(client: &str, bytes: usize) -> Option<String> {
    let args = format!(r#"{{"a":[{}]}}"#, fill(bytes, |_| "{}".to_owned()));
    Some(with_arguments(client, &args))
}

fn nested_arguments(client: &str, bytes: usize) -> Option<String> {
    let nested = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let args = format!(r#"{{"a":[{}]}}"#, fill(bytes, |_| nested.clone()));
    Some(with_arguments(client, &args))
}

fn with_arguments(client: &str, args: &str) -> String {
    let messages = [call_message(client, "c", args), result_message(client, "c", "a")].join(",");
    in_list(client, &messages)
}

fn stop_words(client: &str, bytes: usize) -> Option<String> {
    let words = fill(bytes, |at| format!(r#""s{at}""#));
    Some(with_setting(
        client,
        &match client {
            "anthropic" => format!(r#""stop_sequences":[{words}]"#),
            "openai-chat" => format!(r#""stop":[{words}]"#),
            "gemini" => format!(r#""generationConfig":{{"stopSequences":[{words}]}}"#),
            _ => format!(r#""include":[{words}]"#),
        },
    ))
}

fn many_tools(client: &str, bytes: usize) -> Option<String> {
    let list = fill(bytes, |at| tool(client, &format!("t{at}"), r#"{"type":"object"}"#));
    Some(with_tools(client, &list))
}

fn required_names(client: &str, bytes: usize) -> Option<String> {
    let names = fill(bytes, |at| format!(r#""n{at}""#));
    Some(with_schema(client, &format!(r#"{{"type":"object","required":[{names}]}}"#)))
}

fn declared_names(client: &str, bytes: usize) -> Option<String> {
    let names = fill(bytes / 2, |at| format!(r#""n{at}""#));
    let properties = fill(bytes / 2, |at| format!(r#""n{at}":{{}}"#));
    Some(with_schema(
        client,
        &format!(r#"{{"type":"object","properties":{{{properties}}},"required":[{names}]}}"#),
    ))
}

fn many_alternatives(client: &str, bytes: usize) -> Option<String> {
    let branches =
        fill(bytes, |at| format!(r#"{{"properties":{{"n{at}":{{}}}},"required":["n{at}"]}}"#));
    Some(with_schema(client, &format!(r#"{{"type":"object","anyOf":[{branches}]}}"#)))
}

/// Tools within the limit for schemas, each with references that double at every level.
fn doubling_references(client: &str, bytes: usize) -> Option<String> {
    let definitions = (0..12).map(|at| {
        let next = at + 1;
        format!(
            r##""d{at}":{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d{next}"}},"b":{{"$ref":"#/$defs/d{next}"}}}}}}"##
        )
    });
    let definitions = definitions.collect::<Vec<_>>().join(",");
    let schema = format!(
        r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{definitions}}}}}"##
    );
    Some(with_tools(client, &fill(bytes, |at| tool(client, &format!("t{at}"), &schema))))
}

fn self_references(client: &str, bytes: usize) -> Option<String> {
    let branches = fill(bytes.min(200 << 10), |_| r##"{"$ref":"#"}"##.to_owned());
    let schema = format!(r#"{{"type":"object","anyOf":[{branches}]}}"#);
    Some(with_tools(client, &fill(bytes, |at| tool(client, &format!("t{at}"), &schema))))
}

fn enum_values(client: &str, bytes: usize) -> Option<String> {
    let values = fill(bytes, |at| format!(r#""v{at}""#));
    Some(with_schema(
        client,
        &format!(
            r#"{{"type":"object","properties":{{"a":{{"type":"string","enum":[{values}]}}}}}}"#
        ),
    ))
}

fn deep_schema(client: &str, bytes: usize) -> Option<String> {
    let level = r#"{"type":"object","properties":{"a":"#;
    let nested = format!("{}{{}}{}", level.repeat(40), "}}".repeat(40));
    let properties = fill(bytes, |at| format!(r#""n{at}":{nested}"#));
    Some(with_schema(client, &format!(r#"{{"type":"object","properties":{{{properties}}}}}"#)))
}

fn answer_schema_names(client: &str, bytes: usize) -> Option<String> {
    let names = fill(bytes, |at| format!(r#""n{at}""#));
    let schema =
        format!(r#"{{"type":"object","additionalProperties":false,"required":[{names}]}}"#);
    Some(with_setting(
        client,
        &match client {
            "openai-chat" => format!(
                r#""response_format":{{"type":"json_schema","json_schema":{{"name":"a","strict":true,"schema":{schema}}}}}"#
            ),
            "openai-responses" => format!(
                r#""text":{{"format":{{"type":"json_schema","name":"a","strict":true,"schema":{schema}}}}}"#
            ),
            "gemini" => format!(
                r#""generationConfig":{{"responseMimeType":"application/json","responseSchema":{schema}}}"#
            ),
            _ => format!(
                r#""output_config":{{"format":{{"type":"json_schema","schema":{schema}}}}}"#
            ),
        },
    ))
}

fn messages(client: &str, bytes: usize, message: impl Fn(usize) -> String) -> String {
    in_list(client, &fill(bytes, message))
}

fn blocks(client: &str, bytes: usize, block: impl Fn(usize) -> String) -> String {
    in_user_message(client, &fill(bytes, block))
}
