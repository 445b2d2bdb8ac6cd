//! Events of streams, in each provider's spelling.

use interlingua_wire::{Framing, frame};

use super::Item;
use super::blocks::fill_template;
use crate::replies::{end, message_start};

/// A stream of about this many bytes.
pub(super) fn stream<'p>(
    provider: &str,
    bytes: usize,
    item: impl Fn(usize) -> Item<'p>,
) -> Vec<u8> {
    let pool: &[(&str, &str)] = match provider {
        "anthropic" => ANTHROPIC,
        "openai-chat" => CHAT,
        "openai-responses" => RESPONSES,
        "gemini" => GEMINI,
        _ => BEDROCK,
    };
    let framing = if provider == "bedrock" { Framing::AwsEventStream } else { Framing::Sse };
    let mut body = message_start(provider).as_bytes().to_vec();
    let mut at = 0;
    while body.len() < bytes {
        let Item { kind, id, .. } = item(at);
        let (event, template) = pool[kind % pool.len()];
        let name = (!event.is_empty()).then_some(event);
        let data = match provider {
            "openai-chat" => {
                format!(r#"{{"id":"m","choices":[{{"index":0,"delta":{template}}}]}}"#)
            }
            "gemini" => format!(r#"{{"candidates":[{template}]}}"#),
            _ => template.to_owned(),
        };
        frame::write(framing, name, &fill_template(&data, id, at, "a"), &mut body);
        at += 1;
    }
    body.extend_from_slice(&end(provider));
    body
}

const ANTHROPIC: &[(&str, &str)] = &[
    ("", r#"{"type":"content_block_start","index":ID,"content_block":{"type":"text","text":""}}"#),
    ("", r#"{"type":"content_block_delta","index":ID,"delta":{"type":"text_delta","text":"aAT"}}"#),
    (
        "",
        r#"{"type":"content_block_delta","index":ID,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"https://e.org/AT","title":"t","encrypted_index":"x","cited_text":"a"}}}"#,
    ),
    ("", r#"{"type":"content_block_stop","index":ID}"#),
    (
        "",
        r#"{"type":"content_block_start","index":ID,"content_block":{"type":"tool_use","id":"cAT","name":"t","input":{}}}"#,
    ),
    (
        "",
        r#"{"type":"content_block_delta","index":ID,"delta":{"type":"input_json_delta","partial_json":"{"}}"#,
    ),
    (
        "",
        r#"{"type":"content_block_start","index":ID,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
    ),
    (
        "",
        r#"{"type":"content_block_delta","index":ID,"delta":{"type":"thinking_delta","thinking":"t"}}"#,
    ),
    (
        "",
        r#"{"type":"content_block_delta","index":ID,"delta":{"type":"signature_delta","signature":"c2ln"}}"#,
    ),
    ("", r#"{"type":"content_block_start","index":ID,"content_block":{"type":"x","a":"b"}}"#),
    ("", r#"{"type":"content_block_delta","index":ID,"delta":{"type":"x_delta","kAT":"v"}}"#),
    (
        "",
        r#"{"type":"content_block_start","index":ID,"content_block":{"type":"server_tool_use","id":"srvtoolu_AT","name":"web_search","input":{}}}"#,
    ),
    ("", r#"{"type":"message_delta","delta":{},"usage":{"output_tokens":AT,"kAT":1}}"#),
    ("", r#"{"type":"xAT","a":1}"#),
];

const CHAT: &[(&str, &str)] = &[
    ("", r#"{"content":"aAT"}"#),
    ("", r#"{"reasoning_content":"rAT"}"#),
    (
        "",
        r#"{"reasoning":"r","reasoning_details":[{"type":"reasoning.text","text":"x","index":ID}]}"#,
    ),
    (
        "",
        r#"{"reasoning_details":[{"type":"reasoning.text","text":"x","index":ID,"signature":"c2ln","format":"anthropic-claude-v1"}]}"#,
    ),
    ("", r#"{"reasoning_details":[{"type":"reasoning.summary","summary":"x","index":ID}]}"#),
    (
        "",
        r#"{"reasoning_details":[{"type":"reasoning.encrypted","data":"c2ln","id":"cID","format":"google-gemini-v1","index":ID}]}"#,
    ),
    (
        "",
        r#"{"tool_calls":[{"index":ID,"id":"cAT","type":"function","function":{"name":"t","arguments":""}}]}"#,
    ),
    ("", r#"{"tool_calls":[{"index":ID,"function":{"arguments":"{"}}]}"#),
    ("", r#"{"tool_calls":[{"index":ID,"function":{"arguments":"}"}}]}"#),
    ("", r#"{"tool_calls":[{"index":ID,"function":{"name":"n"}}]}"#),
    (
        "",
        r#"{"tool_calls":[{"index":AT,"id":"cID","function":{"name":"t","arguments":{"a":AT}}}]}"#,
    ),
    ("", r#"{"tool_calls":[{"id":"cID","function":{"name":"t","arguments":"{}"}}]}"#),
    ("", r#"{"tool_calls":{"index":ID,"id":"cAT","name":"t","arguments":"{}"}}"#),
    ("", r#"{"function_call":{"name":"n","arguments":"{"}}"#),
    (
        "",
        r#"{"content":"a","annotations":[{"type":"url_citation","url_citation":{"url":"https://e.org/AT","title":"t","start_index":0,"end_index":1}}]}"#,
    ),
    ("", r#"{"images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}"#),
    ("", r#"{"refusal":"no"}"#),
    ("", r#"{"extra_content":{"google":{"thought_signature":"c2ln"}}}"#),
    ("", r#"{"content":[{"type":"text","text":"a"},{"type":"xAT"}]}"#),
    ("", r#"{"role":"assistant","xAT":1}"#),
];

const RESPONSES: &[(&str, &str)] = &[
    (
        "response.output_item.added",
        r#"{"type":"response.output_item.added","output_index":ID,"item":{"type":"message","id":"msg_ID","role":"assistant","content":[]}}"#,
    ),
    (
        "response.content_part.added",
        r#"{"type":"response.content_part.added","item_id":"msg_ID","output_index":ID,"content_index":AT,"part":{"type":"output_text","text":"","annotations":[]}}"#,
    ),
    (
        "response.output_text.delta",
        r#"{"type":"response.output_text.delta","item_id":"msg_ID","output_index":ID,"content_index":0,"delta":"aAT"}"#,
    ),
    (
        "response.output_text.annotation.added",
        r#"{"type":"response.output_text.annotation.added","item_id":"msg_ID","output_index":ID,"content_index":0,"annotation_index":AT,"annotation":{"type":"url_citation","url":"https://e.org/AT","title":"t","start_index":0,"end_index":1}}"#,
    ),
    (
        "response.output_text.done",
        r#"{"type":"response.output_text.done","item_id":"msg_ID","output_index":ID,"content_index":0,"text":"a"}"#,
    ),
    (
        "response.output_item.done",
        r#"{"type":"response.output_item.done","output_index":ID,"item":{"type":"message","id":"msg_ID","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[]}]}}"#,
    ),
    (
        "response.output_item.added",
        r#"{"type":"response.output_item.added","output_index":ID,"item":{"type":"function_call","id":"fc_ID","call_id":"cAT","name":"t","arguments":""}}"#,
    ),
    (
        "response.function_call_arguments.delta",
        r#"{"type":"response.function_call_arguments.delta","item_id":"fc_ID","output_index":ID,"delta":"{"}"#,
    ),
    (
        "response.output_item.done",
        r#"{"type":"response.output_item.done","output_index":ID,"item":{"type":"function_call","id":"fc_ID","call_id":"cAT","name":"t","arguments":"{}"}}"#,
    ),
    (
        "response.output_item.added",
        r#"{"type":"response.output_item.added","output_index":ID,"item":{"type":"reasoning","id":"rs_ID","summary":[]}}"#,
    ),
    (
        "response.reasoning_summary_text.delta",
        r#"{"type":"response.reasoning_summary_text.delta","item_id":"rs_ID","output_index":ID,"summary_index":AT,"delta":"t"}"#,
    ),
    (
        "response.output_item.done",
        r#"{"type":"response.output_item.done","output_index":ID,"item":{"type":"reasoning","id":"rs_ID","summary":[],"encrypted_content":"c2ln"}}"#,
    ),
    (
        "response.output_item.done",
        r#"{"type":"response.output_item.done","output_index":ID,"item":{"type":"web_search_call","id":"ws_ID","status":"completed","action":{"type":"search","query":"q"}}}"#,
    ),
    (
        "response.output_item.added",
        r#"{"type":"response.output_item.added","output_index":ID,"item":{"type":"xAT","id":"x_ID"}}"#,
    ),
    ("response.x", r#"{"type":"response.xAT","a":1}"#),
];

const GEMINI: &[(&str, &str)] = &[
    ("", r#"{"content":{"role":"model","parts":[{"text":"aAT"}]}}"#),
    ("", r#"{"content":{"role":"model","parts":[{"text":"t","thought":true}]}}"#),
    (
        "",
        r#"{"content":{"role":"model","parts":[{"text":"t","thought":true,"thoughtSignature":"c2ln"}]}}"#,
    ),
    (
        "",
        r#"{"content":{"role":"model","parts":[{"functionCall":{"id":"cID","name":"t","args":{}}}]}}"#,
    ),
    ("", r#"{"content":{"role":"model","parts":[{"functionCall":{"name":"tID","args":{}}}]}}"#),
    (
        "",
        r#"{"content":{"role":"model","parts":[{"functionCall":{"name":"t","willContinue":true}}]}}"#,
    ),
    (
        "",
        r#"{"content":{"role":"model","parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.aAT[ID].b","stringValue":"x"}],"willContinue":true}}]}}"#,
    ),
    (
        "",
        r#"{"content":{"role":"model","parts":[{"functionCall":{"partialArgs":[{"jsonPath":"$.a[AT]","stringValue":"x"}],"willContinue":true}}]}}"#,
    ),
    (
        "",
        r#"{"content":{"role":"model","parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}}"#,
    ),
    (
        "",
        r#"{"content":{"parts":[{"text":"b"}]},"citationMetadata":{"citationSources":[{"startIndex":1,"endIndex":AT,"uri":"https://e.org/AT"}]}}"#,
    ),
    (
        "",
        r#"{"content":{"parts":[{"text":"c"}]},"groundingMetadata":{"groundingChunks":[{"web":{"uri":"https://e.org/AT","title":"t"}}],"groundingSupports":[{"segment":{"endIndex":AT,"text":"a"},"groundingChunkIndices":[0]}]}}"#,
    ),
    ("", r#"{"xAT":1}"#),
    ("", r#"{"content":{"parts":[{"executableCode":{"language":"PYTHON","code":"a"}}]}}"#),
    ("", r#"{"content":{"parts":[{"xAT":1}]}}"#),
];

const BEDROCK: &[(&str, &str)] = &[
    (
        "contentBlockStart",
        r#"{"contentBlockIndex":ID,"start":{"toolUse":{"toolUseId":"cAT","name":"t"}}}"#,
    ),
    ("contentBlockDelta", r#"{"contentBlockIndex":ID,"delta":{"toolUse":{"input":"{"}}}"#),
    ("contentBlockDelta", r#"{"contentBlockIndex":ID,"delta":{"text":"aAT"}}"#),
    ("contentBlockDelta", r#"{"contentBlockIndex":ID,"delta":{"reasoningContent":{"text":"t"}}}"#),
    (
        "contentBlockDelta",
        r#"{"contentBlockIndex":ID,"delta":{"reasoningContent":{"signature":"c2ln"}}}"#,
    ),
    (
        "contentBlockDelta",
        r#"{"contentBlockIndex":ID,"delta":{"citation":{"title":"t","sourceContent":[{"text":"a"}],"location":{"web":{"url":"https://e.org/AT"}}}}}"#,
    ),
    ("contentBlockDelta", r#"{"contentBlockIndex":ID,"delta":{"xAT":{}}}"#),
    ("contentBlockStop", r#"{"contentBlockIndex":ID}"#),
    ("metadata", r#"{"usage":{"inputTokens":1,"outputTokens":AT,"totalTokens":1}}"#),
    ("x", r#"{"xAT":1}"#),
];
