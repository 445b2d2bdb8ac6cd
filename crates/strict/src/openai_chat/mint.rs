//! Claims of reasoning seals: the simulator signs them, the judge verifies them.

use serde_json::Value;

use super::view::{Message, messages_of, open_loop_start};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::seal::{SealClaims, SealKey};

/// The claims of one entry of an assistant message's `reasoning_details`.
///
/// The seal itself is the entry's `signature` or `data`, and not part of the claims.
#[derive(Clone, Debug)]
pub struct DetailClaims {
    model: String,
    block_kind: String,
    content: String,
    position: usize,
    preceding_blocks: String,
    prefix: Option<String>,
    previous_seal: Option<String>,
}

/// The claims of a call's signature (`extra_content.google.thought_signature`).
#[derive(Clone, Debug)]
pub struct CallClaims {
    model: String,
    content: String,
    position: usize,
    preceding_calls: String,
}

impl DetailClaims {
    /// The claims of entry `position` of `details`, in the assistant message at `message_index`
    /// of `body`. `binds_prefix` also binds everything before the message.
    pub fn new(
        model: &str,
        details: &[Value],
        position: usize,
        body: &Value,
        message_index: usize,
        binds_prefix: bool,
    ) -> Self {
        let prefix = binds_prefix.then(|| prefix_text(body, message_index));
        let previous_seal = Some(previous_seal(body, message_index));
        Self { prefix, previous_seal, ..Self::of_detail(model, details, position) }
    }

    /// The claims without what is before the message.
    fn of_detail(model: &str, details: &[Value], position: usize) -> Self {
        let detail = details.get(position).unwrap_or(&Value::Null);
        let preceding = details.get(..position).unwrap_or_default();
        let content =
            [str_field(detail, "text"), str_field(detail, "id"), str_field(detail, "format")];
        Self {
            model: model.to_owned(),
            block_kind: str_field(detail, "type").to_owned(),
            content: content.join("\n"),
            position,
            preceding_blocks: preceding.iter().map(Value::to_string).collect(),
            prefix: None,
            previous_seal: None,
        }
    }

    /// The claims for the judge, which reads the messages in order and knows what is before them.
    pub(super) fn after(
        previous: &PrecedingMessages<'_>,
        model: &str,
        details: &[Value],
        position: usize,
    ) -> Self {
        Self {
            prefix: previous.prefix.clone(),
            previous_seal: previous.is_open_loop.then(|| previous.last_seal.to_owned()),
            ..Self::of_detail(model, details, position)
        }
    }

    pub fn claims(&self) -> SealClaims<'_> {
        SealClaims {
            provider: PROVIDER,
            model: &self.model,
            block_kind: &self.block_kind,
            content: &self.content,
            position: self.position,
            preceding_blocks: &self.preceding_blocks,
            prefix: self.prefix.as_deref(),
            previous_seal: self.previous_seal.as_deref(),
        }
    }

    /// The seal for the entry's `signature` or `data`.
    pub fn seal(&self, key: &SealKey) -> String {
        key.seal(&self.claims())
    }
}

/// What a message's seals are bound to: reading it from the start of the conversation for each of
/// them would be quadratic.
pub(super) struct PrecedingMessages<'v> {
    /// Tools and messages as text, if the seals bind them.
    prefix: Option<String>,
    /// The last seal of the tool loop that is open before the message, or "none".
    last_seal: &'v str,
    /// Closed tool loops do not bind the previous seal.
    pub(super) is_open_loop: bool,
}

impl<'v> PrecedingMessages<'v> {
    pub(super) fn new(body: &Value, binds_prefix: bool) -> Self {
        let prefix = binds_prefix.then(|| prefix_text(body, 0));
        Self { prefix, last_seal: NO_SEAL, is_open_loop: false }
    }

    /// Continues behind a message.
    pub(super) fn push(&mut self, message: &Message<'v>) {
        if let Some(prefix) = &mut self.prefix {
            prefix.push_str(&without_cache_breakpoints(message.value).to_string());
        }
        if message.has_role("user") {
            self.last_seal = NO_SEAL;
            return;
        }
        let seals = array_field(message.value, REASONING_DETAILS).iter().map(detail_seal);
        self.last_seal = seals.rev().find(|seal| !seal.is_empty()).unwrap_or(self.last_seal);
    }
}

impl CallClaims {
    /// The claims of call `position` of an assistant message.
    pub fn new(model: &str, calls: &[Value], position: usize) -> Self {
        let call = calls.get(position).unwrap_or(&Value::Null);
        let preceding = calls.get(..position).unwrap_or_default();
        let function = call.field("function").unwrap_or(&Value::Null);
        let content =
            [str_field(call, "id"), str_field(function, "name"), str_field(function, "arguments")];
        Self {
            model: model.to_owned(),
            content: content.join("\n"),
            position,
            preceding_calls: preceding.iter().map(super::view::call_name).collect(),
        }
    }

    pub fn claims(&self) -> SealClaims<'_> {
        SealClaims {
            provider: GOOGLE_PROVIDER,
            model: &self.model,
            block_kind: "thought_signature",
            content: &self.content,
            position: self.position,
            preceding_blocks: &self.preceding_calls,
            ..SealClaims::default()
        }
    }

    pub fn seal(&self, key: &SealKey) -> String {
        key.seal(&self.claims())
    }
}

/// The seal of an entry of `reasoning_details`; empty if it has none.
pub fn detail_seal(detail: &Value) -> &str {
    match str_field(detail, "type") {
        "reasoning.encrypted" => str_field(detail, "data"),
        _ => str_field(detail, "signature"),
    }
}

/// The signature of a call; empty if it has none.
pub fn call_signature(call: &Value) -> &str {
    let extra = call.field("extra_content");
    let extension = ["google", "vertex"].iter().find_map(|name| extra?.get(*name));
    extension.map_or("", |google| str_field(google, "thought_signature"))
}

/// The last seal of the tool loop that is open before the message at `message_index`.
fn previous_seal(body: &Value, message_index: usize) -> String {
    let messages = messages_of(body);
    let messages = messages.get(..message_index).unwrap_or(&messages);
    let open_loop = messages.get(open_loop_start(messages)..).unwrap_or_default();
    let details = open_loop
        .iter()
        .flat_map(|message: &Message<'_>| array_field(message.value, REASONING_DETAILS));
    details.map(detail_seal).rfind(|seal| !seal.is_empty()).unwrap_or(NO_SEAL).to_owned()
}

/// Tools and messages before the message as JSON text, without cache breakpoints.
fn prefix_text(body: &Value, message_index: usize) -> String {
    let earlier = array_field(body, "messages").get(..message_index).unwrap_or_default();
    let all = array_field(body, "tools").iter().chain(earlier);
    all.map(|value| without_cache_breakpoints(value).to_string()).collect()
}

fn without_cache_breakpoints(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let fields =
                object.iter().filter(|(key, _)| !CACHE_BREAKPOINT_KEYS.contains(&key.as_str()));
            fields.map(|(key, value)| (key.clone(), without_cache_breakpoints(value))).collect()
        }
        Value::Array(all) => all.iter().map(without_cache_breakpoints).collect(),
        other => other.clone(),
    }
}

pub(super) const REASONING_DETAILS: &str = "reasoning_details";
const CACHE_BREAKPOINT_KEYS: &[&str] = &["cache_control", "prompt_cache_breakpoint"];
/// It is bound, too: otherwise a lost first seal would not be detected.
const NO_SEAL: &str = "none";
const PROVIDER: &str = super::registry::ROUTER;
const GOOGLE_PROVIDER: &str = "google";
