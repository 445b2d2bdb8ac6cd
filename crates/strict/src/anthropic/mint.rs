//! What a signature is bound to. The judge walks a conversation along this trail to verify, the
//! simulator walks on along it to mint.
//!
//! A seal binds the model, the exact text and the place in the open tool loop: which kinds of blocks
//! and which seals stand before it there. Where the model binds the whole prefix, it also binds the
//! system prompt, the tools and all that was said, and the seal before it. What clients change
//! without harm is not bound: cache markers, a string instead of one text block, deferred tools, the
//! client's billing note, blank text and where one speaker's run is cut into messages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::profile::{family, profile};
use super::view::{self, is_blank, is_thinking};
use crate::rule::{Fields as _, items, string};
use crate::seal::{Bound, Broken, Key};
use crate::{EmptyText, Request};

/// Where a conversation has come to.
#[derive(Clone, Debug)]
pub struct Trail {
    model: String,
    binds_prefix: bool,
    counts_blanks: bool,
    /// Everything said so far, and who spoke last.
    prefix: Sha256,
    speaker: String,
    /// The blocks of the open tool loop.
    neighbours: String,
    position: usize,
    last: Last,
    /// The last seal, and those of the message.
    previous: Option<String>,
    in_message: String,
}

/// What passed last: a blank text counts only between two thinking blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Other,
    Thinking,
    BlankAfterThinking,
}

impl Trail {
    /// The end of a request's conversation: where the reply begins.
    pub fn of(request: &Request<'_>) -> Self {
        let mut trail = Self::start(request);
        for message in view::messages(request.body) {
            trail.message(message);
            view::blocks_of(message, 0).for_each(|block| trail.block(block.value));
        }
        trail.turn("assistant");
        trail
    }

    /// The signature of thinking with this text, which is then part of the conversation. Without a
    /// text (omitted from display) any text is accepted in its place.
    pub fn think(&mut self, key: &Key, text: &str) -> String {
        let seal = key.seal(&self.bound(THINKING, text, self.digest().as_deref()));
        self.sealed(&seal);
        seal
    }

    /// The data of thinking that nobody may read, which is then part of the conversation.
    pub fn redact(&mut self, key: &Key) -> String {
        let seal = key.seal(&self.bound(REDACTED, "", self.digest().as_deref()));
        self.sealed(&seal);
        seal
    }

    /// An id for a call, which vouches for the thinking before it in the message.
    pub fn call_id(&self, key: &Key, seed: &str) -> String {
        let unique = &letters(seed.as_bytes())[..UNIQUE];
        let vouched = self.vouched();
        let mark = mark(key, unique, &vouched);
        format!("{CALL}{unique}{vouched}{mark}")
    }

    /// The request's beginning: before its first message.
    pub(super) fn start(request: &Request<'_>) -> Self {
        let mut prefix = Sha256::new();
        match request.body.field("system") {
            Some(text @ Value::String(_)) => spell(text, &mut prefix),
            _ => items(request.body, "system")
                .iter()
                .filter(|block| !string(block, "text").starts_with(BILLING))
                .for_each(|block| spell(block, &mut prefix)),
        }
        let deferred = |tool: &&Value| tool.field("defer_loading") != Some(&Value::Bool(true));
        prefix.update("\ntools\n");
        items(request.body, "tools")
            .iter()
            .filter(deferred)
            .for_each(|tool| spell(tool, &mut prefix));
        Self {
            model: family(request.model),
            binds_prefix: binds_prefix(request),
            counts_blanks: request.switches.empty_text != Some(EmptyText::Drop),
            prefix,
            speaker: String::new(),
            neighbours: String::new(),
            position: 0,
            last: Last::Other,
            previous: None,
            in_message: String::new(),
        }
    }

    /// A message begins. One of the user's that is not only results closes the tool loop.
    pub(super) fn message(&mut self, message: &Value) {
        let role = string(message, "role");
        self.turn(role);
        let mut blocks = view::blocks_of(message, 0);
        if role == "user" && !blocks.all(|block| block.is("tool_result")) {
            self.neighbours.clear();
            self.position = 0;
        }
    }

    fn turn(&mut self, role: &str) {
        if self.speaker != role {
            self.prefix.update(format!("\n{role}\n"));
            role.clone_into(&mut self.speaker);
            self.in_message.clear();
            self.last = Last::Other;
        }
    }

    /// A block of the message passes.
    pub fn block(&mut self, block: &Value) {
        if is_thinking(block) {
            self.sealed(seal_of(block));
        } else if self.speaker == "assistant" && is_blank_text(block) {
            if self.last == Last::Thinking {
                self.last = Last::BlankAfterThinking;
            }
        } else {
            spell(block, &mut self.prefix);
            self.last = Last::Other;
            if self.speaker == "assistant" {
                self.step(if block.is_string() { "text" } else { string(block, "type") });
            }
        }
    }

    fn sealed(&mut self, seal: &str) {
        if self.counted_blank() {
            self.step("text");
        }
        self.step(seal);
        self.in_message.push_str(seal);
        self.in_message.push('\n');
        self.previous = Some(seal.to_owned());
        self.last = Last::Thinking;
    }

    fn step(&mut self, what: &str) {
        self.neighbours.push_str(what);
        self.neighbours.push('\n');
        self.position += 1;
    }

    /// Everything said so far, where the model binds it.
    pub(super) fn digest(&self) -> Option<String> {
        let digest = || STANDARD.encode(self.prefix.clone().finalize());
        self.binds_prefix.then(digest)
    }

    /// What a seal at this place is bound to.
    pub(super) fn bound<'b>(
        &'b self,
        kind: &'b str,
        contents: &'b str,
        prefix: Option<&'b str>,
    ) -> Bound<'b> {
        Bound {
            provider: PROVIDER,
            model: &self.model,
            kind,
            contents,
            position: self.position + usize::from(self.counted_blank()),
            neighbours: &self.neighbours,
            prefix,
            previous: self.previous.as_deref().filter(|_| self.binds_prefix),
        }
    }

    /// A blank text stands between the thinking before and the one that is to come.
    fn counted_blank(&self) -> bool {
        self.last == Last::BlankAfterThinking && self.counts_blanks
    }

    /// Whether a call vouches for other thinking than stands before it in the message.
    pub(super) fn misses_thinking(&self, key: &Key, id: &str) -> bool {
        let parts = id.strip_prefix(CALL).and_then(|rest| rest.split_at_checked(UNIQUE));
        let Some((unique, rest)) = parts else { return false };
        let Some((vouched, found)) = rest.split_at_checked(VOUCHED) else { return false };
        let ours = found == mark(key, unique, vouched);
        ours && vouched != NOTHING && vouched != self.vouched()
    }

    fn vouched(&self) -> String {
        match &*self.in_message {
            "" => NOTHING.to_owned(),
            seals => letters(seals.as_bytes())[..VOUCHED].to_owned(),
        }
    }
}

/// Whether every seal stands where it was made, also in turns that are closed, where nobody looks.
/// Without a key, nobody can tell.
pub fn is_in_place(request: &Request<'_>) -> bool {
    let Some(key) = request.key else { return true };
    let mut trail = Trail::start(request);
    view::messages(request.body).iter().enumerate().all(|(at, message)| {
        trail.message(message);
        view::blocks_of(message, at).all(|block| {
            let kind = if block.is(REDACTED) { REDACTED } else { THINKING };
            let digest = trail.digest();
            let bound = trail.bound(kind, block.text("thinking"), digest.as_deref());
            let moved = is_thinking(block.value)
                && key.faults(seal_of(block.value), &bound).contains(&Broken::Place);
            trail.block(block.value);
            !moved
        })
    })
}

/// Whether signatures are bound to the whole prefix here. Who names a behaviour for a mismatch asks
/// for it where the model can.
pub(super) fn binds_prefix(request: &Request<'_>) -> bool {
    let can = profile(request.model).prefix_binding;
    let asked = request.body.pointer("/thinking/block_binding/prefix_mismatch_behavior");
    match asked.and_then(Value::as_str) {
        Some("error") if can => true,
        _ => request.switches.prefix_binding.unwrap_or(can),
    }
}

/// The seal of a thinking block.
pub(super) fn seal_of(block: &Value) -> &str {
    string(block, if string(block, "type") == REDACTED { "data" } else { "signature" })
}

/// Empty text, and what a client puts in its place.
fn is_blank_text(block: &Value) -> bool {
    let text = block.as_str().or_else(|| block.field("text").and_then(Value::as_str));
    let is_text = block.is_string() || string(block, "type") == "text";
    is_text && text.is_some_and(|text| is_blank(text) || text == EMPTY_TEXT)
}

/// Spells a block or tool without what may change: cache markers, empty citations, a string where a
/// list of one text could stand, and the order of a block's own fields, in which the provider's own
/// clients differ. Within inputs and schemas the order counts.
fn spell(value: &Value, out: &mut Sha256) {
    match value {
        Value::String(text) => {
            out.update(format!("{{\"type\":\"text\",\"text\":{},}}", Value::from(text.as_str())));
        }
        Value::Array(list) => list.iter().for_each(|value| spell(value, out)),
        Value::Object(object) => {
            out.update("{");
            let counts = |(key, value): &(&String, &Value)| !is_loose(key, value);
            let mut fields: Vec<_> = object.iter().filter(counts).collect();
            let place = |key: &str| ORDER.iter().position(|known| *known == key);
            fields.sort_by_key(|(key, _)| (place(key).unwrap_or(ORDER.len()), key.as_str()));
            for (key, value) in fields {
                out.update(format!("{}:", Value::from(key.as_str())));
                match key.as_str() {
                    "content" => spell(value, out),
                    _ => out.update(value.to_string()),
                }
                out.update(",");
            }
            out.update("}");
        }
        other => out.update(other.to_string()),
    }
}

fn is_loose(key: &str, value: &Value) -> bool {
    let nothing = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    key == "cache_control" || key == "citations" && nothing
}

fn mark(key: &Key, unique: &str, vouched: &str) -> String {
    let bound = Bound { provider: PROVIDER, kind: unique, contents: vouched, ..Bound::default() };
    letters(key.seal(&bound).as_bytes())[..MARK].to_owned()
}

/// A hash in letters and digits.
fn letters(bytes: &[u8]) -> String {
    let letter = |byte: &u8| char::from(LETTERS[usize::from(*byte) % LETTERS.len()]);
    Sha256::digest(bytes).iter().map(letter).collect()
}

/// The order in which the provider itself writes the fields of a block.
const ORDER: &[&str] = &[
    "type",
    "text",
    "thinking",
    "signature",
    "data",
    "tool_use_id",
    "id",
    "name",
    "description",
    "input",
    "input_schema",
    "content",
    "is_error",
];
pub(super) const THINKING: &str = "thinking";
pub(super) const REDACTED: &str = "redacted_thinking";
const PROVIDER: &str = "anthropic";
const EMPTY_TEXT: &str = "[Empty text removed]";
const BILLING: &str = "x-anthropic-billing-header:";
const CALL: &str = "toolu_01";
const UNIQUE: usize = 8;
const VOUCHED: usize = 6;
const NOTHING: &str = "000000";
const MARK: usize = 8;
const LETTERS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
