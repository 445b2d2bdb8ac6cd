//! Creates the signatures of thinking blocks. The judge replays a conversation through
//! [`SealContext`] to verify them; the simulator continues from its end to sign a reply.
//!
//! A seal binds the model, the exact text and the position in the open tool loop: the types and
//! seals of the preceding blocks. Where the model binds the whole prefix, the seal also binds the
//! system prompt, the tools, all messages and the previous seal. Changes by clients that the API
//! accepts are not bound: cache breakpoints, a string instead of one text block, deferred tools,
//! the client's billing header, blank text, and how consecutive messages of one role are split.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::profile::{family, profile};
use super::view::{self, is_blank, is_thinking};
use crate::json::{JsonExt as _, array_field, str_field};
use crate::seal::{SealClaims, SealError, SealKey};
use crate::{EmptyText, Request};

/// The state of a conversation up to a position.
#[derive(Clone, Debug)]
pub struct SealContext {
    model: String,
    binds_prefix: bool,
    counts_blank_text: bool,
    /// Hash of everything so far, and the role of the last message.
    prefix_hash: Sha256,
    role: String,
    /// Types and seals of the blocks in the open tool loop.
    preceding_blocks: String,
    position: usize,
    last_block: LastBlock,
    /// The last seal, and those of the current message.
    previous_seal: Option<String>,
    seals_in_message: String,
}

/// The last block: a blank text counts only between two thinking blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LastBlock {
    Other,
    Thinking,
    BlankAfterThinking,
}

impl SealContext {
    /// The context at the end of a request's conversation, where the reply begins.
    pub fn for_reply(request: &Request<'_>) -> Self {
        let mut cx = Self::at_start(request);
        for message in view::messages(request.body) {
            cx.enter_message(message);
            view::message_blocks(message, 0).for_each(|block| cx.push_block(block.value));
        }
        cx.enter_role("assistant");
        cx
    }

    /// Signs a thinking block with this text and appends it to the conversation. If the text is
    /// empty (omitted from display), any text is accepted in its place.
    pub fn sign_thinking(&mut self, key: &SealKey, text: &str) -> String {
        let seal = key.seal(&self.claims(THINKING, text, self.prefix_digest().as_deref()));
        self.push_seal(&seal);
        seal
    }

    /// Signs a redacted thinking block and appends it to the conversation.
    pub fn sign_redacted(&mut self, key: &SealKey) -> String {
        let seal = key.seal(&self.claims(REDACTED_THINKING, "", self.prefix_digest().as_deref()));
        self.push_seal(&seal);
        seal
    }

    /// An id for a tool call that binds the thinking before it in the message.
    pub fn call_id(&self, key: &SealKey, seed: &str) -> String {
        let unique = &base62_hash(seed.as_bytes())[..UNIQUE_CHARS];
        let thinking_hash = self.thinking_hash();
        let tag = call_id_tag(key, unique, &thinking_hash);
        format!("{CALL_ID_PREFIX}{unique}{thinking_hash}{tag}")
    }

    /// The context before the first message of a request.
    pub(super) fn at_start(request: &Request<'_>) -> Self {
        let mut prefix_hash = Sha256::new();
        match request.body.field("system") {
            Some(text @ Value::String(_)) => hash_canonical(text, &mut prefix_hash),
            _ => array_field(request.body, "system")
                .iter()
                .filter(|block| !str_field(block, "text").starts_with(BILLING_HEADER_PREFIX))
                .for_each(|block| hash_canonical(block, &mut prefix_hash)),
        }
        let is_loaded = |tool: &&Value| tool.field("defer_loading") != Some(&Value::Bool(true));
        prefix_hash.update("\ntools\n");
        array_field(request.body, "tools")
            .iter()
            .filter(is_loaded)
            .for_each(|tool| hash_canonical(tool, &mut prefix_hash));
        Self {
            model: family(request.model),
            binds_prefix: binds_prefix(request),
            counts_blank_text: request.switches.empty_text != Some(EmptyText::Drop),
            prefix_hash,
            role: String::new(),
            preceding_blocks: String::new(),
            position: 0,
            last_block: LastBlock::Other,
            previous_seal: None,
            seals_in_message: String::new(),
        }
    }

    /// Begins a message. A user message with other content than results closes the tool loop.
    pub(super) fn enter_message(&mut self, message: &Value) {
        let role = str_field(message, "role");
        self.enter_role(role);
        let mut blocks = view::message_blocks(message, 0);
        if role == "user" && !blocks.all(|block| block.is_type("tool_result")) {
            self.preceding_blocks.clear();
            self.position = 0;
        }
    }

    fn enter_role(&mut self, role: &str) {
        if self.role != role {
            self.prefix_hash.update(format!("\n{role}\n"));
            role.clone_into(&mut self.role);
            self.seals_in_message.clear();
            self.last_block = LastBlock::Other;
        }
    }

    /// Appends a block of the current message.
    pub fn push_block(&mut self, block: &Value) {
        if is_thinking(block) {
            self.push_seal(seal_of(block));
        } else if self.role == "assistant" && is_blank_text(block) {
            if self.last_block == LastBlock::Thinking {
                self.last_block = LastBlock::BlankAfterThinking;
            }
        } else {
            hash_canonical(block, &mut self.prefix_hash);
            self.last_block = LastBlock::Other;
            if self.role == "assistant" {
                self.push_neighbor(if block.is_string() {
                    "text"
                } else {
                    str_field(block, "type")
                });
            }
        }
    }

    fn push_seal(&mut self, seal: &str) {
        if self.has_counted_blank() {
            self.push_neighbor("text");
        }
        self.push_neighbor(seal);
        self.seals_in_message.push_str(seal);
        self.seals_in_message.push('\n');
        self.previous_seal = Some(seal.to_owned());
        self.last_block = LastBlock::Thinking;
    }

    fn push_neighbor(&mut self, description: &str) {
        self.preceding_blocks.push_str(description);
        self.preceding_blocks.push('\n');
        self.position += 1;
    }

    /// Hash of everything so far, where the model binds it.
    pub(super) fn prefix_digest(&self) -> Option<String> {
        let digest = || STANDARD.encode(self.prefix_hash.clone().finalize());
        self.binds_prefix.then(digest)
    }

    /// The claims of a seal at this position.
    pub(super) fn claims<'b>(
        &'b self,
        kind: &'b str,
        content: &'b str,
        prefix: Option<&'b str>,
    ) -> SealClaims<'b> {
        SealClaims {
            provider: PROVIDER,
            model: &self.model,
            block_kind: kind,
            content,
            position: self.position + usize::from(self.has_counted_blank()),
            preceding_blocks: &self.preceding_blocks,
            prefix,
            previous_seal: self.previous_seal.as_deref().filter(|_| self.binds_prefix),
        }
    }

    /// Whether a blank text counts between the previous thinking block and the next.
    fn has_counted_blank(&self) -> bool {
        self.last_block == LastBlock::BlankAfterThinking && self.counts_blank_text
    }

    /// Whether a call's id binds other thinking than precedes it in the message.
    pub(super) fn call_id_mismatches(&self, key: &SealKey, id: &str) -> bool {
        let parts =
            id.strip_prefix(CALL_ID_PREFIX).and_then(|rest| rest.split_at_checked(UNIQUE_CHARS));
        let Some((unique, rest)) = parts else { return false };
        let Some((thinking_hash, tag)) = rest.split_at_checked(THINKING_HASH_CHARS) else {
            return false;
        };
        let is_authentic = tag == call_id_tag(key, unique, thinking_hash);
        is_authentic && thinking_hash != NO_THINKING_HASH && thinking_hash != self.thinking_hash()
    }

    fn thinking_hash(&self) -> String {
        match &*self.seals_in_message {
            "" => NO_THINKING_HASH.to_owned(),
            seals => base62_hash(seals.as_bytes())[..THINKING_HASH_CHARS].to_owned(),
        }
    }
}

/// Whether every seal is in its original position, also in closed turns, where the API does not
/// check it. True without a key.
pub fn are_seals_in_place(request: &Request<'_>) -> bool {
    let Some(key) = request.seal_key else { return true };
    let mut cx = SealContext::at_start(request);
    view::messages(request.body).iter().enumerate().all(|(at, message)| {
        cx.enter_message(message);
        view::message_blocks(message, at).all(|block| {
            let kind = if block.is_type(REDACTED_THINKING) { REDACTED_THINKING } else { THINKING };
            let digest = cx.prefix_digest();
            let claims = cx.claims(kind, block.str_field("thinking"), digest.as_deref());
            let is_moved = is_thinking(block.value)
                && key.errors(seal_of(block.value), &claims).contains(&SealError::PositionChanged);
            cx.push_block(block.value);
            !is_moved
        })
    })
}

/// Whether signatures are bound to the whole prefix. A request that sets the behaviour for a
/// mismatch enables binding where the model supports it.
pub(super) fn binds_prefix(request: &Request<'_>) -> bool {
    let is_supported = profile(request.model).prefix_binding;
    let behavior = request.body.pointer("/thinking/block_binding/prefix_mismatch_behavior");
    match behavior.and_then(Value::as_str) {
        Some("error") if is_supported => true,
        _ => request.switches.prefix_binding.unwrap_or(is_supported),
    }
}

/// The seal of a thinking block.
pub(super) fn seal_of(block: &Value) -> &str {
    str_field(
        block,
        if str_field(block, "type") == REDACTED_THINKING { "data" } else { "signature" },
    )
}

/// Whether this is an empty text block, or a client's placeholder for one.
fn is_blank_text(block: &Value) -> bool {
    let text = block.as_str().or_else(|| block.field("text").and_then(Value::as_str));
    let is_text = block.is_string() || str_field(block, "type") == "text";
    is_text && text.is_some_and(|text| is_blank(text) || text == EMPTY_TEXT_PLACEHOLDER)
}

/// Hashes a block or tool without the parts that may change: cache breakpoints, empty citations, a
/// string instead of a list with one text, and the order of a block's own fields, in which the
/// provider's own clients differ. The order within inputs and schemas counts.
fn hash_canonical(value: &Value, out: &mut Sha256) {
    match value {
        Value::String(text) => {
            out.update(format!("{{\"type\":\"text\",\"text\":{},}}", Value::from(text.as_str())));
        }
        Value::Array(list) => list.iter().for_each(|value| hash_canonical(value, out)),
        Value::Object(object) => {
            out.update("{");
            let is_hashed = |(key, value): &(&String, &Value)| !is_ignored_field(key, value);
            let mut fields: Vec<_> = object.iter().filter(is_hashed).collect();
            let position = |key: &str| FIELD_ORDER.iter().position(|name| *name == key);
            fields
                .sort_by_key(|(key, _)| (position(key).unwrap_or(FIELD_ORDER.len()), key.as_str()));
            for (key, value) in fields {
                out.update(format!("{}:", Value::from(key.as_str())));
                match key.as_str() {
                    "content" => hash_canonical(value, out),
                    _ => out.update(value.to_string()),
                }
                out.update(",");
            }
            out.update("}");
        }
        other => out.update(other.to_string()),
    }
}

fn is_ignored_field(key: &str, value: &Value) -> bool {
    let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    key == "cache_control" || key == "citations" && is_empty
}

fn call_id_tag(key: &SealKey, unique: &str, thinking_hash: &str) -> String {
    let claims = SealClaims {
        provider: PROVIDER,
        block_kind: unique,
        content: thinking_hash,
        ..SealClaims::default()
    };
    base62_hash(key.seal(&claims).as_bytes())[..TAG_CHARS].to_owned()
}

/// A hash in letters and digits.
fn base62_hash(bytes: &[u8]) -> String {
    let letter = |byte: &u8| char::from(BASE62[usize::from(*byte) % BASE62.len()]);
    Sha256::digest(bytes).iter().map(letter).collect()
}

/// The order in which the provider writes the fields of a block.
const FIELD_ORDER: &[&str] = &[
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
pub(super) const REDACTED_THINKING: &str = "redacted_thinking";
const PROVIDER: &str = "anthropic";
const EMPTY_TEXT_PLACEHOLDER: &str = "[Empty text removed]";
const BILLING_HEADER_PREFIX: &str = "x-anthropic-billing-header:";
const CALL_ID_PREFIX: &str = "toolu_01";
const UNIQUE_CHARS: usize = 8;
const THINKING_HASH_CHARS: usize = 6;
const NO_THINKING_HASH: &str = "000000";
const TAG_CHARS: usize = 8;
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
