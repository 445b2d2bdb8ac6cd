//! Histories from recorded requests, which are repeated until they have the size of a long session.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// The longest recorded request of a client.
#[derive(Clone, Debug)]
pub(crate) struct History {
    body: Value,
    list: &'static str,
}

/// Reads `CLIENT.jsonl`: one object per line, with the body of the request as text in `request`.
pub(crate) fn read(folder: &Path, client: &str) -> Result<History, String> {
    let path = folder.join(format!("{client}.jsonl"));
    let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let list = match client {
        "openai-responses" => "input",
        "gemini" => "contents",
        _ => "messages",
    };
    let bodies = text.lines().filter_map(|line| {
        let record: Value = serde_json::from_str(line).ok()?;
        let request = record.get("request")?;
        let body: Value = match request.as_str() {
            Some(text) => serde_json::from_str(text).ok()?,
            None => request.clone(),
        };
        let is_conversation = body.get(list)?.as_array()?.len() >= MIN_MESSAGES;
        is_conversation.then_some(body)
    });
    let longest = bodies.max_by_key(|body| body[list].to_string().len());
    let mut body = longest.ok_or_else(|| format!("{} has no conversation", path.display()))?;
    // What a history's length does not depend on, and what this suite's model may not have.
    body["model"] = Value::from("MODEL");
    for field in ["stream", "stream_options", "previous_response_id"] {
        body.as_object_mut().map(|body| body.remove(field));
    }
    Ok(History { body, list })
}

impl History {
    /// The body with its messages again and again, each time with other ids.
    pub(crate) fn repeat(&self, bytes: usize) -> String {
        let empty = Vec::new();
        let messages = self.body[self.list].as_array().unwrap_or(&empty);
        let mut list = String::new();
        for round in 0.. {
            for message in messages {
                let mut message = message.clone();
                rename_ids(&mut message, round);
                list.push_str(if list.is_empty() { "" } else { "," });
                list.push_str(&message.to_string());
            }
            if list.len() >= bytes - self.body.to_string().len() || messages.is_empty() {
                break;
            }
        }
        let mut body = self.body.clone();
        body[self.list] = Value::from("LIST");
        body.to_string().replacen("\"LIST\"", &format!("[{list}]"), 1)
    }
}

fn rename_ids(value: &mut Value, round: usize) {
    match value {
        Value::Array(items) => {
            for item in items {
                rename_ids(item, round);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(id) if ID_KEYS.contains(&key.as_str()) => {
                        let _ = write!(id, "_{round}");
                    }
                    _ => rename_ids(value, round),
                }
            }
        }
        _ => {}
    }
}

const ID_KEYS: &[&str] = &["id", "tool_use_id", "tool_call_id", "call_id"];
const MIN_MESSAGES: usize = 3;
