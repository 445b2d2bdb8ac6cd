//! Vault entries: an assistant turn with its seals, and the provider account that can open them.

use bytes::Bytes;
use interlingua_dialects::Dialect as _;
use interlingua_dialects::native::{self, Native};
use interlingua_model::{BlockContent, Ledger, Reply, ReplyContext, Turn};
use interlingua_wire::{JsonDoc, JsonLimits, JsonNode, JsonString, JsonWriter};

/// The provider account and model that sealed a reply. Seals are only valid there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplyOrigin {
    pub provider: String,
    /// The URL that the reply came from.
    pub endpoint: String,
    /// A hash that distinguishes accounts without revealing the key.
    pub account: String,
    /// The provider's name of the model.
    pub model: String,
}

/// An assistant turn as the provider sent it.
#[derive(Clone, Debug)]
pub struct VaultEntry {
    pub origin: ReplyOrigin,
    pub conversation_id: u64,
    /// Hash of everything before the turn.
    pub prefix_hash: Option<u64>,
    pub turn: Turn,
}

impl VaultEntry {
    /// Whether a reply has reasoning or seals, which clients may lose and the provider requires
    /// back.
    pub fn has_sealed_content(reply: &Reply) -> bool {
        let is_reasoning = |content: &BlockContent| matches!(content, BlockContent::Reasoning(_));
        reply.turn.blocks.iter().any(|block| block.seal.is_some() || is_reasoning(&block.content))
    }

    /// Encodes a reply for storage, with its conversation and the hash of everything before it.
    pub fn encode(origin: &ReplyOrigin, conversation: u64, prefix: u64, reply: &Reply) -> Bytes {
        let mut out = JsonWriter::default();
        out.object(|o| {
            o.json_string("provider", &JsonString::new(&origin.provider));
            o.json_string("endpoint", &JsonString::new(&origin.endpoint));
            o.json_string("account", &JsonString::new(&origin.account));
            o.json_string("model", &JsonString::new(&origin.model));
            o.json_string("conversation", &JsonString::new(&format!("{conversation:016x}")));
            o.json_string("prefix", &JsonString::new(&format!("{prefix:016x}")));
            o.object("reply", |o| native::encode_reply_fields(reply, o));
        });
        out.into_bytes().into()
    }

    /// Decodes a stored reply; `None` if it has another form.
    pub fn decode(body: &Bytes) -> Option<Self> {
        let doc = JsonDoc::from_bytes(body.clone(), JsonLimits::default()).ok()?;
        let root = doc.root();
        let string_field =
            |key: &str| root.get(key).map(|string_field| string_field.str_or_empty().into_owned());
        let origin = ReplyOrigin {
            provider: string_field("provider")?,
            endpoint: string_field("endpoint")?,
            account: string_field("account")?,
            model: string_field("model")?,
        };
        let hex_field = |key: &str| u64::from_str_radix(&string_field(key)?, 16).ok();
        let (conversation, prefix) =
            (hex_field("conversation").unwrap_or_default(), hex_field("prefix"));
        let reply = root.get("reply").map(JsonNode::json)?.to_doc();
        let reply = Native.decode_reply(&reply, &ReplyContext::default(), &mut Ledger::default());
        Some(Self {
            origin,
            conversation_id: conversation,
            prefix_hash: prefix,
            turn: reply.ok()?.into_value().turn,
        })
    }
}
