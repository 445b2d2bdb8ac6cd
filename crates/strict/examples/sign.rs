//! Signs the thinking and the summaries in Anthropic requests, for cases of the corpus: reads a list
//! of requests and writes them with every signature, redacted data and call id that is `?…` made as
//! the default key makes it. A signature `?omitted` is one of thinking that was not shown.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};

use interlingua_strict::anthropic::compaction;
use interlingua_strict::anthropic::mint::Trail;
use interlingua_strict::seal::Key;
use interlingua_strict::{Request, Switches};
use serde_json::Value;

fn main() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let mut requests: Vec<Value> = serde_json::from_str(&text)?;
    requests.iter_mut().for_each(sign);
    writeln!(io::stdout(), "{}", Value::from(requests))
}

fn sign(request: &mut Value) {
    let (key, switches) = (Key::default(), Switches::default());
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let mut signed: Vec<Value> = Vec::new();
    let mut ids = BTreeMap::new();
    for mut message in messages {
        request["messages"] = signed.clone().into();
        let mut trail = Trail::of(&Request::new(request, "", &switches));
        let speaks = message["role"] == "assistant";
        for block in message["content"].as_array_mut().into_iter().flatten() {
            if speaks {
                fill(block, &mut trail, &key, &mut ids);
                trail.block(block);
            } else if let Some(id) = block["tool_use_id"].as_str().and_then(|id| ids.get(id)) {
                block["tool_use_id"] = Value::from(id as &str);
            }
        }
        signed.push(message);
    }
    request["messages"] = signed.into();
}

fn fill(block: &mut Value, trail: &mut Trail, key: &Key, ids: &mut BTreeMap<String, String>) {
    // The trail moves on with the whole block, below.
    let mut here = trail.clone();
    let summary = block["type"] == "compaction";
    let changes = block.get("tool_changes").cloned();
    let text =
        block[if summary { "content" } else { "thinking" }].as_str().unwrap_or_default().to_owned();
    for (name, value) in block.as_object_mut().into_iter().flatten() {
        let Some(asked) = value.as_str().filter(|text| text.starts_with('?')) else { continue };
        let made = match (name.as_str(), asked) {
            ("signature", _) if summary => compaction::sign(key, &text, changes.as_ref()),
            ("signature", "?omitted") => here.think(key, ""),
            ("signature", _) => here.think(key, &text),
            ("data", _) => here.redact(key),
            ("id", seed) => here.call_id(key, seed),
            _ => continue,
        };
        ids.insert(asked.to_owned(), made.clone());
        *value = made.into();
    }
}
