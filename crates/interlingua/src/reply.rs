//! A whole reply: read, said in the client's terms, and looked at by the guard.

use bytes::Bytes;
use interlingua_dialects::{Dialect, StreamWriter, note, shown};
use interlingua_guard::{Done, Finding, Watch};
use interlingua_model::{Block, Body, Exchange, Ledger, Place, Reply, Verbatim, unfold};
use interlingua_wire::Doc;

use crate::found::Found;
use crate::repeated::Repeated;
use crate::travel::{self, Carrier};
use crate::{ReplyError, TranslatedReply, read_object};

/// A reply that was read, and is not yet written.
#[derive(Debug)]
pub struct ReadReply {
    body: Doc,
    /// Apart: it is large, and goes from hand to hand.
    pub reply: Box<Verbatim<Reply>>,
    pub ledger: Ledger,
    /// What the guard found about its calls.
    pub findings: Vec<Finding>,
}

/// Reads a reply of a provider that speaks `from`. A watch looks at its calls.
pub fn read_reply(
    body: Bytes,
    from: &dyn Dialect,
    exchange: &Exchange,
    watch: Option<&Watch>,
) -> Result<ReadReply, ReplyError> {
    let mut ledger = Ledger::default();
    let bare = without_mark(&body);
    let body = match (read_object(body), bare) {
        (Err(_), Some(body)) => {
            let what = "left out the end mark of a stream behind the reply";
            ledger.change(note::ODD_INPUT, Place::REPLY, what);
            read_object(body)?
        }
        (read, _) => read?,
    };
    let mut reply = match from.decode_reply(&body, exchange, &mut ledger) {
        Ok(reply) => Box::new(reply),
        Err(failure) => return Err(ReplyError::Failed(Box::new(failure))),
    };
    if exchange.has_renamed() {
        say_back(&mut reply, exchange);
    }
    if exchange.called.is_some() {
        reply.edit().id.clone_from(&exchange.called);
    }
    let findings = watch.map(|watch| look(watch, &mut reply, &mut ledger)).unwrap_or_default();
    Ok(ReadReply { body, reply, ledger, findings })
}

/// The body without the end mark of a stream, which some relays put behind a reply that is none.
fn without_mark(body: &Bytes) -> Option<Bytes> {
    let rest = body.trim_ascii_end().strip_suffix(b"[DONE]")?.trim_ascii_end();
    let rest = rest.strip_suffix(b"data:")?;
    Some(body.slice(..rest.len()))
}

impl ReadReply {
    /// Writes it for a client that speaks `to`.
    pub fn encode(self, to: &dyn Dialect, exchange: &Exchange) -> TranslatedReply {
        let Self { body, reply, mut ledger, findings } = self;
        let body = match reply.text_for(to.id()) {
            Some(_) => {
                // What leaves as it came has lost nothing.
                ledger.entries.retain(|entry| !entry.loss);
                Repeated::of(exchange, to.id()).say(body.text().as_bytes())
            }
            None => encode_reply(&reply, to, exchange, &mut ledger).into(),
        };
        TranslatedReply { body, ledger, reply, findings }
    }
}

/// Writes a reply for a client that speaks `to`, with the seals that it can carry.
pub fn encode_reply(
    reply: &Reply,
    to: &dyn Dialect,
    exchange: &Exchange,
    ledger: &mut Ledger,
) -> Vec<u8> {
    let carried =
        exchange.carries.then(|| travel::pack(reply, to.seals(), exchange.asked.as_ref()));
    let carried = carried.flatten();
    let reply = carried.as_ref().unwrap_or(reply);
    let seen = seen(reply, to, exchange);
    to.encode_reply(seen.as_ref().unwrap_or(reply), exchange, ledger)
}

/// Writes a reply as the whole of a stream, for a client that speaks `to` and wants one.
pub fn stream_reply(
    reply: &Reply,
    to: &dyn Dialect,
    exchange: &Exchange,
    ledger: &mut Ledger,
) -> Vec<u8> {
    let seen = seen(reply, to, exchange);
    let (mut writer, mut out) = (writer(to, exchange), Vec::new());
    for event in unfold(seen.as_ref().unwrap_or(reply)) {
        writer.write(&event, &mut out, ledger);
    }
    out
}

/// The reply with what clients of the dialect can be shown of blocks that they do not know, if it has any.
fn seen(reply: &Reply, to: &dyn Dialect, exchange: &Exchange) -> Option<Reply> {
    let shown = |block: &Verbatim<Block>| shown(block, to.id());
    let found = Found::in_whole(reply, exchange, to.id());
    let blocks = &reply.turn.blocks;
    let strange = || blocks.iter().any(|block| shown(block).is_some()).then(|| reply.clone());
    let mut seen = found.or_else(strange)?;
    for block in &mut seen.turn.blocks {
        if let Some(shown) = shown(block) {
            *block = shown.into();
        }
    }
    Some(seen)
}

/// What writes a stream for a client that speaks `to`, with the seals that it can carry.
pub fn writer(to: &dyn Dialect, exchange: &Exchange) -> Box<dyn StreamWriter> {
    let writer = to.writer(exchange);
    if exchange.carries && !to.seals().is_empty() {
        return Box::new(Carrier::new(writer, to.seals(), exchange.asked.clone()));
    }
    writer
}

/// Says the calls of a reply in the client's terms.
fn say_back(reply: &mut Verbatim<Reply>, exchange: &Exchange) {
    for at in 0..reply.turn.blocks.len() {
        let Body::ToolCall(call) = &reply.turn.blocks[at].body else { continue };
        let mut call = call.clone();
        if exchange.say_back(&mut call) {
            reply.edit().turn.blocks[at].edit().body = Body::ToolCall(call);
        }
    }
}

/// Looks at every call; only what is mended is touched.
fn look(watch: &Watch, reply: &mut Verbatim<Reply>, ledger: &mut Ledger) -> Vec<Finding> {
    let mut findings = Vec::new();
    for at in 0..reply.turn.blocks.len() {
        let Some(finding) = watch.look(&reply.turn.blocks[at]) else { continue };
        if let Done::Mended(call) = &finding.done {
            reply.edit().turn.blocks[at].edit().body = Body::ToolCall((**call).clone());
            note_mended(&finding, ledger);
        }
        findings.push(finding);
    }
    findings
}

pub(crate) fn note_mended(finding: &Finding, ledger: &mut Ledger) {
    let (id, kind) = (&finding.call.id, finding.kind.name());
    ledger.change(GUARD_MEND, Place::REPLY, format!("mended the call {id}: {kind}"));
}

/// The name under which mended calls are noted.
pub const GUARD_MEND: &str = "guard-mend";
