//! Seals of other providers, carried by clients whose dialect has a place for a seal.
//!
//! A client gives back what it takes for a signature, whatever it is. So reasoning that its dialect's
//! own providers did not seal travels whole inside such a signature, marked as ours, and is itself
//! again when the client brings it back. What is too large for that stays at home.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use interlingua_dialects::{Dialect as _, StreamWriter, native::Native};
use interlingua_model::{
    Block, Body, Conversation, Delta, Event, Exchange, Ledger, Reply, Role, Seal, Turn, Verbatim,
};
use interlingua_wire::{Doc, Limits, Pieces, Text};

/// Reasoning as the dialect's clients carry it, if others than these issuers sealed it.
pub(crate) fn packed(block: &Block, own: &[&'static str]) -> Option<Box<Seal>> {
    let seal = block.seal.as_deref()?;
    if is_of(seal, own) || seal.data.is_empty() || !matches!(block.body, Body::Thinking(_)) {
        return None;
    }
    let mut alone = Turn::new(Role::Assistant);
    alone.blocks.push(block.clone().into());
    let reply = Reply { turn: alone, ..Reply::default() };
    let written = Native.encode_reply(&reply, &Exchange::default(), &mut Ledger::default());
    if written.len() > MOST {
        return None;
    }
    let mut whole = MARK.to_vec();
    whole.extend_from_slice(&written);
    let issuer = own.first()?;
    Some(Box::new(Seal::new(Text::word(issuer), Text::new(&STANDARD.encode(whole)))))
}

fn is_of(seal: &Seal, own: &[&'static str]) -> bool {
    own.iter().any(|issuer| seal.origin.issuer == **issuer)
}

/// What a client carried for us.
fn unpacked(seal: &Seal) -> Option<Block> {
    if !seal.data.raw().starts_with(BEGINS) {
        return None;
    }
    let whole = STANDARD.decode(&*seal.data.contents()).ok()?;
    let written = whole.strip_prefix(MARK)?.to_vec();
    let doc = Doc::from_bytes(written.into(), Limits::default()).ok()?;
    let read = Native.decode_reply(&doc, &Exchange::default(), &mut Ledger::default()).ok()?;
    let block = read.into_value().turn.blocks.into_iter().next()?.into_value();
    (matches!(block.body, Body::Thinking(_)) && block.seal.is_some()).then_some(block)
}

/// Makes of everything that the client carried what it was.
pub(crate) fn unpack(conversation: &mut Verbatim<Conversation>) {
    let carries = |block: &Block| {
        block.seal.as_deref().is_some_and(|seal| seal.data.raw().starts_with(BEGINS))
    };
    for turn in 0..conversation.turns.len() {
        for at in 0..conversation.turns[turn].blocks.len() {
            let block = &conversation.turns[turn].blocks[at];
            if !carries(block) {
                continue;
            }
            if let Some(mut was) = block.seal.as_deref().and_then(unpacked) {
                was.cache.clone_from(&block.cache);
                *conversation.edit().turns[turn].edit().blocks[at].edit() = was;
            }
        }
    }
}

/// A whole reply whose reasoning has the seals that the client can carry, if any has to.
pub(crate) fn pack(reply: &Reply, own: &[&'static str]) -> Option<Reply> {
    let mut carried: Option<Reply> = None;
    for (at, block) in reply.turn.blocks.iter().enumerate() {
        if let Some(seal) = packed(block, own) {
            let carried = carried.get_or_insert_with(|| reply.clone());
            carried.turn.blocks[at].edit().seal = Some(seal);
        }
    }
    carried
}

/// Writes a stream in which reasoning has the seals that the client can carry.
pub(crate) struct Carrier {
    writer: Box<dyn StreamWriter>,
    own: &'static [&'static str],
    /// Reasoning that is open, and what was said of it since.
    open: Option<(Block, Pieces)>,
}

impl Carrier {
    pub(crate) fn new(writer: Box<dyn StreamWriter>, own: &'static [&'static str]) -> Self {
        Self { writer, own, open: None }
    }
}

impl StreamWriter for Carrier {
    fn write(&mut self, event: &Event, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match event {
            Event::Open { index, block } if matches!(block.body, Body::Thinking(_)) => {
                if let Some(seal) = packed(block, self.own) {
                    let mut block = block.clone();
                    block.seal = Some(seal);
                    self.writer.write(&Event::Open { index: *index, block }, out, ledger);
                    return;
                }
                let mut said = Pieces::default();
                if let Body::Thinking(thinking) = &block.body {
                    said.push(&thinking.text);
                }
                self.open = Some((Block::clone(block), said));
            }
            Event::Delta { delta, .. } => match (delta, &mut self.open) {
                (Delta::Text(text), Some((_, said))) => said.push(text),
                (Delta::Seal(seal), Some((block, _))) if !is_of(seal, self.own) => {
                    block.seal = Some(seal.clone());
                    // It is told when all is said that it seals.
                    return;
                }
                _ => {}
            },
            Event::Close { index } => {
                if let Some((mut block, said)) = self.open.take() {
                    if let Body::Thinking(thinking) = &mut block.body {
                        thinking.text = said.into_text();
                    }
                    let strange = block.seal.as_ref().is_some_and(|seal| !is_of(seal, self.own));
                    let seal = packed(&block, self.own).or(block.seal.filter(|_| strange));
                    if let Some(seal) = seal {
                        let (index, delta) = (*index, Delta::Seal(seal));
                        self.writer.write(&Event::Delta { index, delta }, out, ledger);
                    }
                }
            }
            _ => {}
        }
        self.writer.write(event, out, ledger);
    }
}

/// What is carried begins with this.
const MARK: &[u8] = b"il1";
/// As it is spelled: all of it is an object.
const BEGINS: &str = "aWwxey";
/// Clients keep their history in files and send it every turn.
const MOST: usize = 48 * 1024;
