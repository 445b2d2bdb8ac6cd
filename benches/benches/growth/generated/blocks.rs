//! Blocks of messages and of results, in each dialect's spelling.

use super::Item;
use crate::spelling::{call_block, in_list};

/// One block of a message's content.
pub(super) fn block(dialect: &str, item: Item<'_>) -> String {
    let Item { kind, id, at, padding } = item;
    let pool: &[&str] = match dialect {
        "anthropic" => ANTHROPIC,
        "gemini" => GEMINI,
        "bedrock" => BEDROCK,
        "openai-responses" => RESPONSES,
        _ => CHAT,
    };
    // Values that are no block of any dialect.
    match kind % (pool.len() + 3) {
        0 => "{}".to_owned(),
        1 => "null".to_owned(),
        2 => format!(r#""{padding}""#),
        index => fill_template(pool[index - 3], id, at, padding),
    }
}

/// One block of a result's content.
pub(super) fn output(dialect: &str, item: Item<'_>) -> String {
    let pool: &[&str] = match dialect {
        "anthropic" => ANTHROPIC_OUTPUT,
        "openai-responses" => RESPONSES,
        "gemini" => &["{}", r#"{"a":ID,"PAD":1}"#, r#"["PAD",1]"#, r#""PAD""#],
        _ => CHAT,
    };
    fill_template(pool[item.kind % pool.len()], item.id, item.at, item.padding)
}

pub(super) fn fill_template(template: &str, id: usize, at: usize, padding: &str) -> String {
    let text = template.replace("ID", &id.to_string()).replace("AT", &at.to_string());
    text.replace("PAD", padding)
}

/// A conversation with one call and its result.
pub(super) fn in_result(client: &str, list: &str) -> String {
    let call = call_block(client, "c", "{}");
    let messages = match client {
        "anthropic" => format!(
            r#"{{"role":"assistant","content":[{call}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c","content":[{list}]}}]}}"#
        ),
        "openai-chat" => format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{call}]}},{{"role":"tool","tool_call_id":"c","content":[{list}]}}"#
        ),
        "openai-responses" => {
            format!(r#"{call},{{"type":"function_call_output","call_id":"c","output":[{list}]}}"#)
        }
        _ => format!(
            r#"{{"role":"model","parts":[{call}]}},{{"role":"user","parts":[{{"functionResponse":{{"id":"c","name":"t","response":{{"a":[{list}]}}}}}}]}}"#
        ),
    };
    in_list(client, &messages)
}

/// A conversation with these blocks as its instructions.
pub(super) fn in_system(client: &str, list: &str) -> String {
    let user = super::message(client, "user", &crate::spelling::text(client, "a"));
    match client {
        "anthropic" => {
            format!(r#"{{"model":"MODEL","max_tokens":9,"system":[{list}],"messages":[{user}]}}"#)
        }
        "gemini" => {
            format!(r#"{{"systemInstruction":{{"parts":[{list}]}},"contents":[{user}]}}"#)
        }
        _ => in_list(client, &format!(r#"{{"role":"system","content":[{list}]}},{user}"#)),
    }
}

const ANTHROPIC: &[&str] = &[
    r#"{"type":"text","text":"PAD a"}"#,
    r#"{"type":"text","text":""}"#,
    r#"{"type":"text","text":1}"#,
    r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}"#,
    r#"{"type":"text","text":"a","citations":[{"type":"web_search_result_location","url":"https://e.org/ID","title":"t","encrypted_index":"x","cited_text":"a"}]}"#,
    r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}"#,
    r#"{"type":"image","source":{"type":"url","url":"https://e.org/ID.png"}}"#,
    r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AA=="},"title":"tID"}"#,
    r#"{"type":"thinking","thinking":"t PAD","signature":"c2ln"}"#,
    r#"{"type":"thinking","thinking":"t PAD","signature":""}"#,
    r#"{"type":"redacted_thinking","data":"c2ln"}"#,
    r#"{"type":"tool_use","id":"cID","name":"t","input":{"a":"PAD"}}"#,
    r#"{"type":"tool_use","id":"cID","name":"t AT","input":{}}"#,
    r#"{"type":"tool_result","tool_use_id":"cID","content":"PAD"}"#,
    r#"{"type":"tool_result","tool_use_id":"cID","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]}"#,
    r#"{"type":"tool_result","tool_use_id":"cID","is_error":true,"content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}]}"#,
    r#"{"type":"server_tool_use","id":"srvtoolu_ID","name":"web_search","input":{"query":"q"}}"#,
    r#"{"type":"web_search_tool_result","tool_use_id":"srvtoolu_ID","content":[{"type":"web_search_result","url":"https://e.org/AT","title":"t","encrypted_content":"x"}]}"#,
    r#"{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"PAD"}]}"#,
    r#"{"type":"xAT","a":"PAD"}"#,
];

const ANTHROPIC_OUTPUT: &[&str] = &[
    r#"{"type":"text","text":"PAD a"}"#,
    r#"{"type":"text","text":""}"#,
    r#"{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}}"#,
    r#"{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AA=="}}"#,
    r#"{"type":"tool_reference","tool_name":"t"}"#,
    r#"{"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"PAD"}]}"#,
    r#"{"a":ID,"PAD":1}"#,
    r#"{"type":"xAT"}"#,
    "{}",
    r#""PAD""#,
];

const CHAT: &[&str] = &[
    r#"{"type":"text","text":"PAD a"}"#,
    r#"{"type":"text","text":""}"#,
    r#"{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}"#,
    r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}"#,
    r#"{"type":"image_url","image_url":{"url":"https://e.org/ID.png"}}"#,
    r#"{"type":"input_audio","input_audio":{"data":"AA==","format":"wav"}}"#,
    r#"{"type":"file","file":{"filename":"aID.pdf","file_data":"data:application/pdf;base64,AA=="}}"#,
    r#"{"type":"refusal","refusal":"PAD"}"#,
    r#"{"type":"tool_use","id":"cID","name":"t","input":{}}"#,
    r#"{"type":"tool_result","tool_use_id":"cID","content":"PAD"}"#,
    r#"{"type":"thinking","thinking":[{"type":"text","text":"PAD"}]}"#,
    r#"{"type":"xAT","a":"PAD"}"#,
];

const RESPONSES: &[&str] = &[
    r#"{"type":"input_text","text":"PAD a"}"#,
    r#"{"type":"output_text","text":"PAD a","annotations":[{"type":"url_citation","start_index":0,"end_index":1,"url":"https://e.org/ID","title":"t"}]}"#,
    r#"{"type":"input_text","text":""}"#,
    r#"{"type":"input_image","image_url":"data:image/png;base64,AA=="}"#,
    r#"{"type":"input_image","image_url":"https://e.org/ID.png"}"#,
    r#"{"type":"input_file","filename":"aID.pdf","file_data":"data:application/pdf;base64,AA=="}"#,
    r#"{"type":"refusal","refusal":"PAD"}"#,
    r#"{"type":"xAT","a":"PAD"}"#,
    r#"{"type":"message","id":"msg_ID","role":"assistant","status":"completed","content":[{"type":"output_text","text":"PAD a","annotations":[]}]}"#,
    r#"{"type":"function_call","id":"fc_ID","call_id":"cID","name":"t","arguments":"{}"}"#,
    r#"{"type":"reasoning","id":"rs_ID","summary":[{"type":"summary_text","text":"PAD"}],"encrypted_content":"c2ln"}"#,
];

const GEMINI: &[&str] = &[
    r#"{"text":"PAD a"}"#,
    r#"{"text":""}"#,
    r#"{"text":"PAD","thought":true}"#,
    r#"{"text":"PAD","thought":true,"thoughtSignature":"c2ln"}"#,
    r#"{"text":"PAD","thoughtSignature":"c2ln"}"#,
    r#"{"functionCall":{"id":"cID","name":"t","args":{"a":"PAD"}}}"#,
    r#"{"functionCall":{"name":"tID","args":{}}}"#,
    r#"{"functionCall":{"name":"t AT","args":{}},"thoughtSignature":"c2ln"}"#,
    r#"{"functionResponse":{"id":"cID","name":"t","response":{"output":"PAD"}}}"#,
    r#"{"functionResponse":{"name":"tID","response":{"a":AT}}}"#,
    r#"{"inlineData":{"mimeType":"image/png","data":"AA=="}}"#,
    r#"{"fileData":{"mimeType":"image/png","fileUri":"https://e.org/ID.png"}}"#,
    r#"{"executableCode":{"language":"PYTHON","code":"PAD"}}"#,
    r#"{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"PAD"}}"#,
    r#"{"xAT":"PAD"}"#,
];

const BEDROCK: &[&str] = &[
    r#"{"text":"PAD a"}"#,
    r#"{"text":""}"#,
    r#"{"reasoningContent":{"reasoningText":{"text":"PAD","signature":"c2ln"}}}"#,
    r#"{"reasoningContent":{"redactedContent":"AA=="}}"#,
    r#"{"toolUse":{"toolUseId":"cID","name":"t","input":{"a":"PAD"}}}"#,
    r#"{"image":{"format":"png","source":{"bytes":"AA=="}}}"#,
    r#"{"citationsContent":{"content":[{"text":"PAD"}],"citations":[{"title":"t","sourceContent":[{"text":"a"}],"location":{"web":{"url":"https://e.org/ID"}}}]}}"#,
    r#"{"xAT":"PAD"}"#,
];
