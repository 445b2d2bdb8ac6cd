//! Signs thinking and compaction summaries in Anthropic requests for corpus cases: reads a list of
//! requests and writes them with every signature, redacted data and call id of the form `?…`
//! replaced by one of the default key. The placeholder `?omitted` stands for thinking with omitted
//! text.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};

use interlingua_strict::anthropic::compaction;
use interlingua_strict::anthropic::mint::SealContext;
use interlingua_strict::seal::SealKey;
use interlingua_strict::{Request, Switches};
use serde_json::Value;

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let mut requests: Vec<Value> = serde_json::from_str(&text)?;
    requests.iter_mut().for_each(sign_request);
    writeln!(io::stdout(), "{}", Value::from(requests))
}

fn sign_request(request: &mut Value) {
    let (key, switches) = (SealKey::default(), Switches::default());
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let mut signed: Vec<Value> = Vec::new();
    let mut ids = BTreeMap::new();
    for mut message in messages {
        request["messages"] = signed.clone().into();
        let mut cx = SealContext::for_reply(&Request::new(request, "", &switches));
        let is_assistant = message["role"] == "assistant";
        for block in message["content"].as_array_mut().into_iter().flatten() {
            if is_assistant {
                sign_block(block, &mut cx, &key, &mut ids);
                cx.push_block(block);
            } else if let Some(id) = block["tool_use_id"].as_str().and_then(|id| ids.get(id)) {
                block["tool_use_id"] = Value::from(id as &str);
            }
        }
        signed.push(message);
    }
    request["messages"] = signed.into();
}

fn sign_block(
    block: &mut Value,
    cx: &mut SealContext,
    key: &SealKey,
    ids: &mut BTreeMap<String, String>,
) {
    // The context itself is advanced with the whole block by the caller.
    let mut local_cx = cx.clone();
    let is_summary = block["type"] == "compaction";
    let changes = block.get("tool_changes").cloned();
    let text = block[if is_summary { "content" } else { "thinking" }]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    for (name, value) in block.as_object_mut().into_iter().flatten() {
        let Some(placeholder) = value.as_str().filter(|text| text.starts_with('?')) else {
            continue;
        };
        let signature = match (name.as_str(), placeholder) {
            ("signature", _) if is_summary => {
                compaction::sign_summary(key, &text, changes.as_ref())
            }
            ("signature", "?omitted") => local_cx.sign_thinking(key, ""),
            ("signature", _) => local_cx.sign_thinking(key, &text),
            ("data", _) => local_cx.sign_redacted(key),
            ("id", seed) => local_cx.call_id(key, seed),
            _ => continue,
        };
        ids.insert(placeholder.to_owned(), signature.clone());
        *value = signature.into();
    }
}
