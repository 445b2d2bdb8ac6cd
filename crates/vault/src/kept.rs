//! A reply as it is kept, and who can open its seals.

use bytes::Bytes;
use interlingua_dialects::Dialect as _;
use interlingua_dialects::native::{self, Native};
use interlingua_model::{Body, Exchange, Ledger, Reply, Turn};
use interlingua_wire::{Doc, Limits, Node, Text, Writer};

/// Who made the seals of a reply. They go back there, and nowhere else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    pub provider: String,
    /// Where the provider was asked.
    pub endpoint: String,
    /// Tells one account from another, and nothing about either.
    pub account: String,
    /// As the provider names it.
    pub model: String,
}

/// A turn of a model, as it said it.
#[derive(Clone, Debug)]
pub struct Kept {
    pub origin: Origin,
    /// The conversation that it is of.
    pub conversation: u64,
    /// Everything that was said before it, as a number.
    pub prefix: Option<u64>,
    pub turn: Turn,
}

impl Kept {
    /// Whether a reply holds anything that a client may lose and its provider wants back.
    pub fn is_worth_it(reply: &Reply) -> bool {
        let held = |body: &Body| matches!(body, Body::Thinking(_));
        reply.turn.blocks.iter().any(|block| block.seal.is_some() || held(&block.body))
    }

    /// A reply to be kept, of this conversation, with everything that was said before it.
    pub fn encode(origin: &Origin, conversation: u64, prefix: u64, reply: &Reply) -> Bytes {
        let mut out = Writer::default();
        out.object(|o| {
            o.text("provider", &Text::new(&origin.provider));
            o.text("endpoint", &Text::new(&origin.endpoint));
            o.text("account", &Text::new(&origin.account));
            o.text("model", &Text::new(&origin.model));
            o.text("conversation", &Text::new(&format!("{conversation:016x}")));
            o.text("prefix", &Text::new(&format!("{prefix:016x}")));
            o.object("reply", |o| native::write_reply(reply, o));
        });
        out.into_bytes().into()
    }

    /// A reply that was kept; `None` if it cannot be read.
    pub fn decode(body: &Bytes) -> Option<Self> {
        let doc = Doc::from_bytes(body.clone(), Limits::default()).ok()?;
        let root = doc.root();
        let word = |key: &str| root.get(key).map(|word| word.word().into_owned());
        let origin = Origin {
            provider: word("provider")?,
            endpoint: word("endpoint")?,
            account: word("account")?,
            model: word("model")?,
        };
        let number = |key: &str| u64::from_str_radix(&word(key)?, 16).ok();
        let (conversation, prefix) = (number("conversation").unwrap_or_default(), number("prefix"));
        let reply = root.get("reply").map(Node::json)?.doc();
        let reply = Native.decode_reply(&reply, &Exchange::default(), &mut Ledger::default());
        Some(Self { origin, conversation, prefix, turn: reply.ok()?.into_value().turn })
    }
}
