//! What opaque reasoning vouches for: spelled the same way by who mints it and by who judges it.

use serde_json::Value;

use super::view::{Message, messages_of, open_loop};
use crate::rule::{Fields as _, items, string};
use crate::seal::{Bound, Key};

/// What one entry of an assistant message's `reasoning_details` vouches for.
///
/// The seal itself stands in the entry's `signature`, or in its `data`; it is not part of what it
/// seals.
#[derive(Clone, Debug)]
pub struct Detail {
    model: String,
    kind: String,
    contents: String,
    position: usize,
    neighbours: String,
    prefix: Option<String>,
    previous: Option<String>,
}

/// What the signature of a call (`extra_content.google.thought_signature`) vouches for.
#[derive(Clone, Debug)]
pub struct SignedCall {
    model: String,
    contents: String,
    position: usize,
    neighbours: String,
}

impl Detail {
    /// The entry `position` of `details`, in an assistant message that comes after `body`'s first
    /// `before` messages. `whole` binds everything before the message, too.
    pub fn new(
        model: &str,
        details: &[Value],
        position: usize,
        body: &Value,
        before: usize,
        whole: bool,
    ) -> Self {
        let detail = details.get(position).unwrap_or(&Value::Null);
        let earlier = details.get(..position).unwrap_or_default();
        let said = [string(detail, "text"), string(detail, "id"), string(detail, "format")];
        Self {
            model: model.to_owned(),
            kind: string(detail, "type").to_owned(),
            contents: said.join("\n"),
            position,
            neighbours: earlier.iter().map(Value::to_string).collect(),
            prefix: whole.then(|| prefix(body, before)),
            previous: Some(previous(body, before)),
        }
    }

    pub fn bound(&self) -> Bound<'_> {
        Bound {
            provider: PROVIDER,
            model: &self.model,
            kind: &self.kind,
            contents: &self.contents,
            position: self.position,
            neighbours: &self.neighbours,
            prefix: self.prefix.as_deref(),
            previous: self.previous.as_deref(),
        }
    }

    /// The seal, for the entry's `signature` or `data`.
    pub fn mint(&self, key: &Key) -> String {
        key.seal(&self.bound())
    }

    /// The same, where nobody asks for the seals of earlier steps: the loop they stood in is over.
    pub(super) fn closed(self) -> Self {
        Self { previous: None, ..self }
    }
}

impl SignedCall {
    /// The call `position` of an assistant message.
    pub fn new(model: &str, calls: &[Value], position: usize) -> Self {
        let call = calls.get(position).unwrap_or(&Value::Null);
        let earlier = calls.get(..position).unwrap_or_default();
        let function = call.field("function").unwrap_or(&Value::Null);
        let said = [string(call, "id"), string(function, "name"), string(function, "arguments")];
        Self {
            model: model.to_owned(),
            contents: said.join("\n"),
            position,
            neighbours: earlier.iter().map(super::view::call_name).collect(),
        }
    }

    pub fn bound(&self) -> Bound<'_> {
        Bound {
            provider: GOOGLE,
            model: &self.model,
            kind: "thought_signature",
            contents: &self.contents,
            position: self.position,
            neighbours: &self.neighbours,
            ..Bound::default()
        }
    }

    pub fn mint(&self, key: &Key) -> String {
        key.seal(&self.bound())
    }
}

/// The seal of an entry of `reasoning_details`; empty if it has none.
pub fn seal_of(detail: &Value) -> &str {
    match string(detail, "type") {
        "reasoning.encrypted" => string(detail, "data"),
        _ => string(detail, "signature"),
    }
}

/// The signature of a call; empty if it has none.
pub fn signature_of(call: &Value) -> &str {
    let extra = call.field("extra_content");
    let found = ["google", "vertex"].iter().find_map(|name| extra?.get(*name));
    found.map_or("", |google| string(google, "thought_signature"))
}

/// The last seal of the loop that is open after `before` messages. That there is none counts, too:
/// or else the first one could get lost.
fn previous(body: &Value, before: usize) -> String {
    let messages = messages_of(body);
    let messages = messages.get(..before).unwrap_or(&messages);
    let open = messages.get(open_loop(messages)..).unwrap_or_default();
    let details = open.iter().flat_map(|message: &Message<'_>| items(message.value, DETAILS));
    details.map(seal_of).rfind(|seal| !seal.is_empty()).unwrap_or("none").to_owned()
}

/// Tools and messages before the message, as they were sent, without their marks for caches.
fn prefix(body: &Value, before: usize) -> String {
    let earlier = items(body, "messages").get(..before).unwrap_or_default();
    let all = items(body, "tools").iter().chain(earlier);
    all.map(|value| unmarked(value).to_string()).collect()
}

fn unmarked(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let kept = object.iter().filter(|(key, _)| !MARKS.contains(&key.as_str()));
            kept.map(|(key, value)| (key.clone(), unmarked(value))).collect()
        }
        Value::Array(all) => all.iter().map(unmarked).collect(),
        other => other.clone(),
    }
}

pub(super) const DETAILS: &str = "reasoning_details";
const MARKS: &[&str] = &["cache_control", "prompt_cache_breakpoint"];
const PROVIDER: &str = "openrouter";
const GOOGLE: &str = "google";
