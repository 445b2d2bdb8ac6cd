//! Messages and settings, in each client's spelling.

use super::blocks::{block, fill_template};
use super::{Item, Seed};
use crate::spelling::fill;
use crate::spelling::message as write_message;

/// One element of the list of messages.
pub(super) fn message(client: &str, item: Item<'_>) -> String {
    let Item { kind, id, at, padding } = item;
    let (variant, inner) = (kind % 32, Item { kind: kind / 32, ..item });
    match client {
        "openai-chat" => {
            let templates = CHAT_MESSAGES;
            if let Some(template) = templates.get(variant % (templates.len() + 2)) {
                fill_template(template, id, at, padding)
            } else {
                let role = if variant.is_multiple_of(2) { "user" } else { "assistant" };
                write_message(client, role, &block(client, inner))
            }
        }
        "openai-responses" => {
            let template = RESPONSES_ITEMS[variant % RESPONSES_ITEMS.len()];
            fill_template(template, id, at, padding)
        }
        _ => {
            let (model, count) =
                (if client == "gemini" { "model" } else { "assistant" }, 1 + kind % 2);
            let role = match variant % 5 {
                0 | 1 => "user",
                2 | 3 => model,
                _ if kind.is_multiple_of(3) => "system",
                _ => "user",
            };
            let blocks: Vec<String> = (0..count)
                .map(|number| block(client, Item { kind: inner.kind / (1 + number), ..inner }))
                .collect();
            write_message(client, role, &blocks.join(","))
        }
    }
}

/// A setting with many values.
pub(super) fn settings(client: &str, seed: Seed, bytes: usize) -> String {
    let pool: &[(&str, &str, &str)] = match client {
        "anthropic" => ANTHROPIC_SETTINGS,
        "openai-chat" => CHAT_SETTINGS,
        "gemini" => GEMINI_SETTINGS,
        _ => RESPONSES_SETTINGS,
    };
    let (start, template, end) = pool[seed.below(12, pool.len())];
    let values = fill(bytes, |at| fill_template(template, seed.item(at, "").id, at, ""));
    format!("{start}{values}{end}")
}

const CHAT_MESSAGES: &[&str] = &[
    r#"{"role":"user","content":"PAD a"}"#,
    r#"{"role":"assistant","content":"PAD a"}"#,
    r#"{"role":"assistant","content":null,"tool_calls":[{"id":"cID","type":"function","function":{"name":"t","arguments":"{\"a\":\"PAD\"}"}}]}"#,
    r#"{"role":"assistant","content":"a","tool_calls":[{"id":"cID","type":"function","function":{"name":"t AT","arguments":"{"}},{"id":"cAT","type":"function","function":{"name":"t","arguments":"{}"}}]}"#,
    r#"{"role":"tool","tool_call_id":"cID","content":"PAD"}"#,
    r#"{"role":"tool","tool_call_id":"cID","content":[{"type":"text","text":"a"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}"#,
    r#"{"role":"system","content":"PAD"}"#,
    r#"{"role":"developer","content":"PAD"}"#,
    r#"{"role":"function","name":"t","content":"PAD"}"#,
    r#"{"role":"assistant","content":null,"function_call":{"name":"t","arguments":"{}"}}"#,
    r#"{"role":"assistant","content":"a","reasoning_content":"PAD"}"#,
    r#"{"role":"assistant","content":"a","reasoning_details":[{"type":"reasoning.text","text":"PAD","signature":"c2ln","format":"anthropic-claude-v1","index":0}]}"#,
    r#"{"role":"assistant","content":""}"#,
    r#"{"role":"user","name":"nID","content":[]}"#,
    r#"{"role":"xAT","content":"PAD"}"#,
    "{}",
    "null",
];

const RESPONSES_ITEMS: &[&str] = &[
    r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"PAD a"}]}"#,
    r#"{"role":"user","content":"PAD a"}"#,
    r#"{"type":"message","id":"msg_ID","role":"assistant","status":"completed","content":[{"type":"output_text","text":"PAD a","annotations":[]}]}"#,
    r#"{"role":"developer","content":"PAD"}"#,
    r#"{"type":"function_call","id":"fc_ID","call_id":"cID","name":"t","arguments":"{\"a\":\"PAD\"}"}"#,
    r#"{"type":"function_call","call_id":"cID","name":"t AT","arguments":"{"}"#,
    r#"{"type":"function_call_output","call_id":"cID","output":"PAD"}"#,
    r#"{"type":"function_call_output","call_id":"cID","output":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"data:image/png;base64,AA=="}]}"#,
    r#"{"type":"custom_tool_call","call_id":"cID","name":"t","input":"PAD"}"#,
    r#"{"type":"custom_tool_call_output","call_id":"cID","output":"PAD"}"#,
    r#"{"type":"reasoning","id":"rs_ID","summary":[],"encrypted_content":"c2ln"}"#,
    r#"{"type":"reasoning","id":"rs_ID","summary":[{"type":"summary_text","text":"PAD"}]}"#,
    r#"{"type":"item_reference","id":"msg_ID"}"#,
    r#"{"type":"web_search_call","id":"ws_ID","status":"completed","action":{"type":"search","query":"q"}}"#,
    r#"{"type":"local_shell_call","id":"ls_ID","call_id":"cID","status":"completed","action":{"type":"exec","command":["a"],"env":{}}}"#,
    r#"{"type":"local_shell_call_output","call_id":"cID","output":"PAD"}"#,
    r#"{"type":"xAT","a":"PAD"}"#,
    "{}",
    "null",
];

const ANTHROPIC_SETTINGS: &[(&str, &str, &str)] = &[
    (r#""metadata":{"#, r#""kAT":"vID""#, "}"),
    (r#""mcp_servers":["#, r#"{"type":"url","name":"nID","url":"https://e.org/AT"}"#, "]"),
    (r#""thinking":{"type":"enabled","budget_tokens":1024,"#, r#""xAT":1"#, "}"),
    (r#""context_management":{"edits":["#, r#"{"type":"clear_tool_uses_20250919"}"#, "]}"),
    (r#""output_config":{"effort":"low","#, r#""xAT":1"#, "}"),
    (r#""tool_choice":{"type":"auto","#, r#""xAT":1"#, "}"),
];
const CHAT_SETTINGS: &[(&str, &str, &str)] = &[
    (r#""metadata":{"#, r#""kAT":"vID""#, "}"),
    (r#""logit_bias":{"#, r#""AT":1"#, "}"),
    (r#""stop":["#, r#""sID""#, "]"),
    (
        r#""tools":[{"type":"function","function":{"name":"t","parameters":{}}}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":["#,
        r#"{"type":"function","function":{"name":"tID"}}"#,
        "]}}",
    ),
    (r#""functions":["#, r#"{"name":"fID","parameters":{}}"#, "]"),
    (r#""modalities":["#, r#""text""#, "]"),
    (r#""provider":{"order":["#, r#""pID""#, "]}"),
];
const GEMINI_SETTINGS: &[(&str, &str, &str)] = &[
    (
        r#""safetySettings":["#,
        r#"{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}"#,
        "]",
    ),
    (r#""generationConfig":{"stopSequences":["#, r#""sID""#, "]}"),
    (r#""generationConfig":{"temperature":1,"#, r#""xAT":1"#, "}"),
    (
        r#""toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["#,
        r#""fID""#,
        "]}}",
    ),
    (r#""labels":{"#, r#""kAT":"vID""#, "}"),
];
const RESPONSES_SETTINGS: &[(&str, &str, &str)] = &[
    (r#""metadata":{"#, r#""kAT":"vID""#, "}"),
    (r#""include":["#, r#""reasoning.encrypted_content""#, "]"),
    (
        r#""tools":[{"type":"function","name":"t","parameters":{}}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":["#,
        r#"{"type":"function","name":"tID"}"#,
        "]}",
    ),
    (r#""reasoning":{"effort":"low","#, r#""xAT":1"#, "}"),
    (r#""text":{"verbosity":"low","#, r#""xAT":1"#, "}"),
];
