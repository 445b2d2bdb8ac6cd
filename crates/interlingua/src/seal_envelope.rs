//! Wraps the seals of other providers in signatures of the client's dialect, and unwraps them.
//!
//! Clients return a signature unchanged. Reasoning that was sealed by a provider of another dialect
//! is therefore encoded whole into a signature with our prefix, and restored from it in the next
//! request. Blocks above [`MAX_ENVELOPE_BYTES`] are not wrapped. A blank text between two reasoning
//! blocks, which providers include in the signature and clients drop, is carried with the second
//! block.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use interlingua_dialects::{Dialect as _, StreamWriter, native::Native};
use interlingua_model::{
    Block, BlockContent, Conversation, Delta, Ledger, Reply, ReplyContext, Role, Seal, StreamEvent,
    Turn, Verbatim,
};
use interlingua_wire::{Frame, JsonDoc, JsonLimits, JsonString, JsonStringBuilder};

/// Wraps a sealed reasoning block into a signature, unless one of `own_issuers` sealed it. The
/// envelope includes the blank text before the block, and the model that can open the seal.
fn wrap_block(
    block: &Block,
    blank: Option<&JsonString>,
    own_issuers: &[&'static str],
    model: Option<&JsonString>,
) -> Option<Box<Seal>> {
    let seal = block.seal.as_deref()?;
    if is_issued_by(seal, own_issuers)
        || seal.data.is_empty()
        || !matches!(block.content, BlockContent::Reasoning(_))
    {
        return None;
    }
    let mut turn = Turn::new(Role::Assistant);
    turn.blocks.extend(blank.map(|blank| Block::text(blank.clone()).into()));
    let mut block = block.clone();
    if let Some(seal) = &mut block.seal {
        seal.origin.model = seal.origin.model.take().or(model.cloned());
    }
    turn.blocks.push(block.into());
    let reply = Reply { turn, ..Reply::default() };
    let encoded = Native.encode_reply(&reply, &ReplyContext::default(), &mut Ledger::default());
    if encoded.len() > MAX_ENVELOPE_BYTES {
        return None;
    }
    let mut envelope = ENVELOPE_PREFIX.to_vec();
    envelope.extend_from_slice(&encoded);
    let issuer = own_issuers.first()?;
    Some(Box::new(Seal::new(
        JsonString::from_static(issuer),
        JsonString::new(&STANDARD.encode(envelope)),
    )))
}

fn is_issued_by(seal: &Seal, own_issuers: &[&'static str]) -> bool {
    own_issuers.iter().any(|issuer| seal.origin.issuer == **issuer)
}

/// Unwraps a signature into the block that it carries, and the blank text before that block.
fn unwrap_seal(seal: &Seal) -> Option<(Option<JsonString>, Block)> {
    if !seal.data.raw().starts_with(ENVELOPE_PREFIX_BASE64) {
        return None;
    }
    let envelope = STANDARD.decode(&*seal.data.unescape()).ok()?;
    let encoded = envelope.strip_prefix(ENVELOPE_PREFIX)?.to_vec();
    let doc = JsonDoc::from_bytes(encoded.into(), JsonLimits::default()).ok()?;
    let decoded =
        Native.decode_reply(&doc, &ReplyContext::default(), &mut Ledger::default()).ok()?;
    let mut blocks = decoded.into_value().turn.blocks.into_iter();
    let (first, second) = (blocks.next()?.into_value(), blocks.next());
    let blank = second.is_some().then(|| blank_text(&first).cloned()).flatten();
    let block = second.map_or(first, Verbatim::into_value);
    (matches!(block.content, BlockContent::Reasoning(_)) && block.seal.is_some())
        .then_some((blank, block))
}

/// The text of a block that contains only white space.
fn blank_text(block: &Block) -> Option<&JsonString> {
    match &block.content {
        BlockContent::Text { text, citations } if text.is_blank() && citations.is_empty() => {
            Some(text)
        }
        _ => None,
    }
}

fn is_reasoning(block: &Block) -> bool {
    matches!(block.content, BlockContent::Reasoning(_))
}

/// Replaces wrapped blocks of the conversation by the blocks that they carry.
pub(crate) fn unwrap_conversation(conversation: &mut Verbatim<Conversation>) {
    let mut turn = 0;
    while turn < conversation.turns.len() {
        let mut index = 0;
        while index < conversation.turns[turn].blocks.len() {
            let block = &conversation.turns[turn].blocks[index];
            let unwrapped = block.seal.as_deref().and_then(unwrap_seal);
            if let Some((blank, mut original)) = unwrapped {
                original.cache_breakpoint.clone_from(&block.cache_breakpoint);
                let turns = &mut conversation.edit().turns;
                *turns[turn].edit().blocks[index].edit() = original;
                if let Some(blank) = blank {
                    (turn, index) = insert_blank(turns, turn, index, blank);
                }
            }
            index += 1;
        }
        turn += 1;
    }
}

/// Inserts a blank text between this reasoning block and the one before it, if they are adjacent;
/// returns the new position of the block. Clients send a turn as one or as several: both reasoning
/// blocks are merged into one turn, and a turn with only a blank text is removed.
fn insert_blank(
    turns: &mut Vec<Verbatim<Turn>>,
    turn: usize,
    index: usize,
    blank: JsonString,
) -> (usize, usize) {
    let blank = Block::text(blank).into();
    if let Some(previous) = turns[turn].blocks[..index].last() {
        if is_reasoning(previous) {
            turns[turn].edit().blocks.insert(index, blank);
            return (turn, index + 1);
        }
        return (turn, index);
    }
    let has_content = |turn: &Turn| turn.blocks.iter().any(|block| blank_text(block).is_none());
    let is_plain_assistant = |turn: &Turn| turn.role == Role::Assistant && turn.extras.is_empty();
    let is_blank_assistant =
        |candidate: &&Verbatim<Turn>| candidate.role == Role::Assistant && !has_content(candidate);
    let blank_turns = turns[..turn].iter().rev().take_while(is_blank_assistant);
    let Some(previous) = turn.checked_sub(blank_turns.count() + 1) else { return (turn, index) };
    let ends_with_reasoning =
        turns[previous].blocks.last().is_some_and(|block| is_reasoning(block));
    if !ends_with_reasoning
        || !is_plain_assistant(&turns[previous])
        || !is_plain_assistant(&turns[turn])
    {
        return (turn, index);
    }
    let mut moved_blocks =
        turns.drain(previous + 1..=turn).flat_map(|turn| turn.into_value().blocks);
    let reasoning: Vec<Verbatim<Block>> =
        moved_blocks.by_ref().filter(|candidate| blank_text(candidate).is_none()).collect();
    drop(moved_blocks);
    let blocks = &mut turns[previous].edit().blocks;
    blocks.push(blank);
    let position = blocks.len();
    blocks.extend(reasoning);
    (previous, position)
}

/// Returns a copy of the reply with foreign seals wrapped; `None` if there are none.
pub(crate) fn wrap_reply(
    reply: &Reply,
    own_issuers: &[&'static str],
    model: Option<&JsonString>,
) -> Option<Reply> {
    let mut wrapped: Option<Reply> = None;
    let blocks = &reply.turn.blocks;
    for (index, block) in blocks.iter().enumerate() {
        let blank = match &blocks[..index] {
            [.., reasoning, blank] if is_reasoning(reasoning) => blank_text(blank),
            _ => None,
        };
        if let Some(seal) = wrap_block(block, blank, own_issuers, model) {
            let wrapped = wrapped.get_or_insert_with(|| reply.clone());
            wrapped.turn.blocks[index].edit().seal = Some(seal);
        }
    }
    wrapped
}

/// Stream writer that wraps foreign seals.
pub(crate) struct WrappingWriter {
    writer: Box<dyn StreamWriter>,
    own_issuers: &'static [&'static str],
    model: Option<JsonString>,
    /// The open reasoning block, and its text received since.
    open_reasoning: Option<(Block, JsonStringBuilder)>,
    /// The blank text before the reasoning block.
    blank_before: Option<JsonString>,
    preceding: Preceding,
}

/// What precedes the current block, as far as it matters to a reasoning block that may follow.
#[derive(Default)]
enum Preceding {
    #[default]
    Other,
    /// A reasoning block that is open.
    OpenReasoning,
    Reasoning,
    /// An open text after a reasoning block, blank so far.
    OpenBlank(JsonStringBuilder),
    /// A blank text after a reasoning block.
    Blank(JsonString),
}

impl Preceding {
    /// Processes the start of a block; returns the blank text before it, if it is reasoning.
    fn block_start(&mut self, block: &Block) -> Option<JsonString> {
        let (preceding, text) = (std::mem::take(self), blank_text(block));
        if is_reasoning(block) {
            *self = Self::OpenReasoning;
        }
        match (preceding, text) {
            (Self::Blank(blank), _) if is_reasoning(block) => return Some(blank),
            (Self::Reasoning, Some(text)) => {
                let mut blank = JsonStringBuilder::default();
                blank.push(text);
                *self = Self::OpenBlank(blank);
            }
            _ => {}
        }
        None
    }

    fn delta(&mut self, delta: &Delta) {
        match (&mut *self, delta) {
            (Self::OpenReasoning, _) => {}
            (Self::OpenBlank(said), Delta::Text(text)) if text.is_blank() => said.push(text),
            _ => *self = Self::Other,
        }
    }

    fn block_end(&mut self) {
        *self = match std::mem::take(self) {
            Self::OpenReasoning => Self::Reasoning,
            Self::OpenBlank(text) => Self::Blank(text.into_json_string()),
            _ => Self::Other,
        };
    }
}

impl WrappingWriter {
    pub(crate) fn new(
        writer: Box<dyn StreamWriter>,
        own_issuers: &'static [&'static str],
        model: Option<JsonString>,
    ) -> Self {
        Self {
            writer,
            own_issuers,
            model,
            open_reasoning: None,
            blank_before: None,
            preceding: Preceding::Other,
        }
    }
}

impl StreamWriter for WrappingWriter {
    fn write(&mut self, event: &StreamEvent, out: &mut Vec<u8>, ledger: &mut Ledger) {
        match event {
            StreamEvent::BlockStart { block, .. } => {
                self.blank_before = self.preceding.block_start(block);
            }
            StreamEvent::Delta { delta, .. } => self.preceding.delta(delta),
            _ => {}
        }
        match event {
            StreamEvent::BlockStart { index, block } if is_reasoning(block) => {
                if let Some(seal) = wrap_block(
                    block,
                    self.blank_before.as_ref(),
                    self.own_issuers,
                    self.model.as_ref(),
                ) {
                    let mut block = block.clone();
                    block.seal = Some(seal);
                    self.writer.write(
                        &StreamEvent::BlockStart { index: *index, block },
                        out,
                        ledger,
                    );
                    return;
                }
                let mut reasoning_text = JsonStringBuilder::default();
                if let BlockContent::Reasoning(thinking) = &block.content {
                    reasoning_text.push(&thinking.text);
                }
                self.open_reasoning = Some((Block::clone(block), reasoning_text));
            }
            StreamEvent::Delta { delta, .. } => match (delta, &mut self.open_reasoning) {
                (Delta::Text(text), Some((_, reasoning_text))) => reasoning_text.push(text),
                (Delta::Seal(seal), Some((block, _))) if !is_issued_by(seal, self.own_issuers) => {
                    block.seal = Some(seal.clone());
                    // The wrapped seal is written when the text of the block is complete.
                    return;
                }
                _ => {}
            },
            StreamEvent::BlockEnd { index } => {
                self.preceding.block_end();
                if let Some((mut block, reasoning_text)) = self.open_reasoning.take() {
                    if let BlockContent::Reasoning(thinking) = &mut block.content {
                        thinking.text = reasoning_text.into_json_string();
                    }
                    let is_foreign = block
                        .seal
                        .as_ref()
                        .is_some_and(|seal| !is_issued_by(seal, self.own_issuers));
                    let seal = wrap_block(
                        &block,
                        self.blank_before.as_ref(),
                        self.own_issuers,
                        self.model.as_ref(),
                    )
                    .or(block.seal.filter(|_| is_foreign));
                    if let Some(seal) = seal {
                        let (index, delta) = (*index, Delta::Seal(seal));
                        self.writer.write(&StreamEvent::Delta { index, delta }, out, ledger);
                    }
                }
            }
            _ => {}
        }
        self.writer.write(event, out, ledger);
    }

    fn observe_passthrough(&mut self, frame: &Frame) {
        self.writer.observe_passthrough(frame);
    }
}

/// First bytes of an envelope.
const ENVELOPE_PREFIX: &[u8] = b"il1";
/// The prefix in base64, including the `{` of the object that follows it.
const ENVELOPE_PREFIX_BASE64: &str = "aWwxey";
/// Maximum size of an envelope: clients store their history in files and send it with every
/// request.
const MAX_ENVELOPE_BYTES: usize = 48 * 1024;
