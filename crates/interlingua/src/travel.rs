//! Seals of other providers, carried by clients whose dialect has a place for a seal.
//!
//! A client gives back what it takes for a signature, whatever it is. So reasoning that its dialect's
//! own providers did not seal travels whole inside such a signature, marked as ours, and is itself
//! again when the client brings it back. What is too large for that stays at home. A blank text between two
//! thoughts, which the signatures count and clients lose, travels with the second.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use interlingua_dialects::{Dialect as _, StreamWriter, native::Native};
use interlingua_model::{
    Block, Body, Conversation, Delta, Event, Exchange, Ledger, Reply, Role, Seal, Turn, Verbatim,
};
use interlingua_wire::{Doc, Frame, Limits, Pieces, Text};

/// Reasoning as the dialect's clients carry it, if others than these issuers sealed it; with the blank
/// between it and the thought before, and the model that alone can open it.
fn packed(
    block: &Block,
    gap: Option<&Text>,
    own: &[&'static str],
    model: Option<&Text>,
) -> Option<Box<Seal>> {
    let seal = block.seal.as_deref()?;
    if is_of(seal, own) || seal.data.is_empty() || !matches!(block.body, Body::Thinking(_)) {
        return None;
    }
    let mut alone = Turn::new(Role::Assistant);
    alone.blocks.extend(gap.map(|gap| Block::text(gap.clone()).into()));
    let mut block = block.clone();
    if let Some(seal) = &mut block.seal {
        seal.origin.model = seal.origin.model.take().or(model.cloned());
    }
    alone.blocks.push(block.into());
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

/// What a client carried for us, and the blank before it.
fn unpacked(seal: &Seal) -> Option<(Option<Text>, Block)> {
    if !seal.data.raw().starts_with(BEGINS) {
        return None;
    }
    let whole = STANDARD.decode(&*seal.data.contents()).ok()?;
    let written = whole.strip_prefix(MARK)?.to_vec();
    let doc = Doc::from_bytes(written.into(), Limits::default()).ok()?;
    let read = Native.decode_reply(&doc, &Exchange::default(), &mut Ledger::default()).ok()?;
    let mut blocks = read.into_value().turn.blocks.into_iter();
    let (first, second) = (blocks.next()?.into_value(), blocks.next());
    let gap = second.is_some().then(|| blank(&first).cloned()).flatten();
    let block = second.map_or(first, Verbatim::into_value);
    (matches!(block.body, Body::Thinking(_)) && block.seal.is_some()).then_some((gap, block))
}

/// A text that says nothing.
fn blank(block: &Block) -> Option<&Text> {
    match &block.body {
        Body::Text { text, citations } if text.is_blank() && citations.is_empty() => Some(text),
        _ => None,
    }
}

fn is_thought(block: &Block) -> bool {
    matches!(block.body, Body::Thinking(_))
}

/// Makes of everything that the client carried what it was.
pub(crate) fn unpack(conversation: &mut Verbatim<Conversation>) {
    let mut turn = 0;
    while turn < conversation.turns.len() {
        let mut at = 0;
        while at < conversation.turns[turn].blocks.len() {
            let block = &conversation.turns[turn].blocks[at];
            let carried = block.seal.as_deref().and_then(unpacked);
            if let Some((gap, mut was)) = carried {
                was.cache.clone_from(&block.cache);
                let turns = &mut conversation.edit().turns;
                *turns[turn].edit().blocks[at].edit() = was;
                if let Some(gap) = gap {
                    (turn, at) = fill(turns, turn, at, gap);
                }
            }
            at += 1;
        }
        turn += 1;
    }
}

/// Puts a blank between this thought and the one before it, if nothing else stands there; gives where the
/// thought is then. Clients write a turn as one or as several: both thoughts come into one, and a blank that
/// has a turn of its own goes.
fn fill(turns: &mut Vec<Verbatim<Turn>>, turn: usize, at: usize, gap: Text) -> (usize, usize) {
    let gap = Block::text(gap).into();
    if let Some(before) = turns[turn].blocks[..at].last() {
        if is_thought(before) {
            turns[turn].edit().blocks.insert(at, gap);
            return (turn, at + 1);
        }
        return (turn, at);
    }
    let is_spoken = |turn: &Turn| turn.blocks.iter().any(|block| blank(block).is_none());
    let ours = |turn: &Turn| turn.role == Role::Assistant && turn.extras.is_empty();
    let is_silent = |one: &&Verbatim<Turn>| one.role == Role::Assistant && !is_spoken(one);
    let silent = turns[..turn].iter().rev().take_while(is_silent);
    let Some(before) = turn.checked_sub(silent.count() + 1) else { return (turn, at) };
    let ends = turns[before].blocks.last().is_some_and(|block| is_thought(block));
    if !ends || !ours(&turns[before]) || !ours(&turns[turn]) {
        return (turn, at);
    }
    let mut moved = turns.drain(before + 1..=turn).flat_map(|turn| turn.into_value().blocks);
    let thoughts: Vec<Verbatim<Block>> =
        moved.by_ref().filter(|one| blank(one).is_none()).collect();
    drop(moved);
    let blocks = &mut turns[before].edit().blocks;
    blocks.push(gap);
    let place = blocks.len();
    blocks.extend(thoughts);
    (before, place)
}

/// A whole reply whose reasoning has the seals that the client can carry, if any has to.
pub(crate) fn pack(reply: &Reply, own: &[&'static str], model: Option<&Text>) -> Option<Reply> {
    let mut carried: Option<Reply> = None;
    let blocks = &reply.turn.blocks;
    for (at, block) in blocks.iter().enumerate() {
        let gap = match &blocks[..at] {
            [.., thought, gap] if is_thought(thought) => blank(gap),
            _ => None,
        };
        if let Some(seal) = packed(block, gap, own, model) {
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
    model: Option<Text>,
    /// Reasoning that is open, and what was said of it since.
    open: Option<(Block, Pieces)>,
    /// The blank before it.
    gap: Option<Text>,
    before: Before,
}

/// What was said last, as far as it matters to the reasoning that may follow.
#[derive(Default)]
enum Before {
    #[default]
    Other,
    /// A thought that is open.
    Thinks,
    Thought,
    /// A text after a thought that is open, and says nothing so far.
    Opened(Pieces),
    /// A blank text after a thought.
    Gap(Text),
}

impl Before {
    /// Something begins; gives the blank that it comes after, if it is a thought.
    fn opens(&mut self, block: &Block) -> Option<Text> {
        let (before, text) = (std::mem::take(self), blank(block));
        if is_thought(block) {
            *self = Self::Thinks;
        }
        match (before, text) {
            (Self::Gap(gap), _) if is_thought(block) => return Some(gap),
            (Self::Thought, Some(text)) => {
                let mut said = Pieces::default();
                said.push(text);
                *self = Self::Opened(said);
            }
            _ => {}
        }
        None
    }

    fn hears(&mut self, delta: &Delta) {
        match (&mut *self, delta) {
            (Self::Thinks, _) => {}
            (Self::Opened(said), Delta::Text(text)) if text.is_blank() => said.push(text),
            _ => *self = Self::Other,
        }
    }

    fn closes(&mut self) {
        *self = match std::mem::take(self) {
            Self::Thinks => Self::Thought,
            Self::Opened(said) => Self::Gap(said.into_text()),
            _ => Self::Other,
        };
    }
}

impl Carrier {
    pub(crate) fn new(
        writer: Box<dyn StreamWriter>,
        own: &'static [&'static str],
        model: Option<Text>,
    ) -> Self {
        Self { writer, own, model, open: None, gap: None, before: Before::Other }
    }
}

impl StreamWriter for Carrier {
    fn write(&mut self, event: &Event, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match event {
            Event::Open { block, .. } => self.gap = self.before.opens(block),
            Event::Delta { delta, .. } => self.before.hears(delta),
            _ => {}
        }
        match event {
            Event::Open { index, block } if is_thought(block) => {
                if let Some(seal) = packed(block, self.gap.as_ref(), self.own, self.model.as_ref())
                {
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
                self.before.closes();
                if let Some((mut block, said)) = self.open.take() {
                    if let Body::Thinking(thinking) = &mut block.body {
                        thinking.text = said.into_text();
                    }
                    let strange = block.seal.as_ref().is_some_and(|seal| !is_of(seal, self.own));
                    let seal = packed(&block, self.gap.as_ref(), self.own, self.model.as_ref())
                        .or(block.seal.filter(|_| strange));
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

    fn follow(&mut self, frame: &Frame) {
        self.writer.follow(frame);
    }
}

/// What is carried begins with this.
const MARK: &[u8] = b"il1";
/// As it is spelled: all of it is an object.
const BEGINS: &str = "aWwxey";
/// Clients keep their history in files and send it every turn.
const MOST: usize = 48 * 1024;
