//! Whether two replies say the same.

use interlingua::model::{Args, Block, Body};
use interlingua::{Reply, Text};

/// Equal but for how one dialect spells it; says which part is not.
pub(crate) fn same(
    a_is: &str,
    a: &Reply,
    b_is: &str,
    b: &Reply,
    order: Order,
) -> Result<(), String> {
    let (a, b) = (parts(a, order), parts(b, order));
    for part in 0..a.len().max(b.len()) {
        let (a, b) = (a.get(part), b.get(part));
        if a != b {
            return Err(format!("{a_is} has\n  {a:?}\n{b_is} has\n  {b:?}"));
        }
    }
    Ok(())
}

/// The parts of a reply, without the words and fields that only one dialect has.
fn parts(reply: &Reply, order: Order) -> Vec<String> {
    let mut usage = reply.usage.clone();
    usage.written = None;
    let model = reply.model.as_ref().filter(|model| !model.is_empty());
    let Reply { id, stop, .. } = reply;
    let head = format!("{id:?} {model:?} {:?} {:?} {usage:?}", stop.reason, stop.sequence);
    let mut blocks: Vec<Block> = Vec::new();
    for block in &reply.turn.blocks {
        let mut block = Block::new(block.body.clone()).sealed(block.seal.as_deref().cloned());
        if let Body::ToolCall(call) = &mut block.body {
            call.args = unwrapped(&call.args);
        }
        match blocks.last_mut() {
            Some(thought) if is_seal_of(thought, &block) => thought.seal = block.seal,
            _ => blocks.push(block),
        }
    }
    if order == Order::Lost {
        blocks = in_order(blocks);
    }
    std::iter::once(head).chain(blocks.iter().map(|block| format!("{block:?}"))).collect()
}

/// Whether the whole reply of a dialect tells in which order texts, refusals and calls came.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Kept,
    Lost,
}

/// Thoughts, then all texts as one, then refusals, then calls.
fn in_order(blocks: Vec<Block>) -> Vec<Block> {
    let (mut thoughts, mut texts, mut refusals, mut calls) = (vec![], vec![], vec![], vec![]);
    for block in blocks {
        match &block.body {
            Body::Text { text, .. } => texts.push(text.clone()),
            Body::Refusal(text) => refusals.push(text.clone()),
            Body::ToolCall(_) => calls.push(block),
            _ => thoughts.push(block),
        }
    }
    thoughts.push(Block::text(Text::concat(&texts)));
    thoughts.push(Block::new(Body::Refusal(Text::concat(&refusals))));
    thoughts.extend(calls);
    thoughts
}

/// Where a seal comes after the text it seals was sent, it comes on an empty part of its own.
fn is_seal_of(thought: &Block, block: &Block) -> bool {
    let text = |block: &Block| match &block.body {
        Body::Thinking(thinking) => Some(thinking.text.clone()),
        _ => None,
    };
    thought.seal.is_none()
        && text(thought).is_some()
        && block.seal.is_some()
        && text(block).is_some_and(|text| text.is_empty())
}

/// A stream brings arguments as text, whatever it is; a body has only objects, and wraps the rest.
fn unwrapped(args: &Args) -> Args {
    let Args::Json(json) = args else { return args.clone() };
    let doc = json.doc();
    match doc.root().get("_raw") {
        Some(raw) if raw.is_string() => raw.text().map_or(args.clone(), Args::Malformed),
        Some(raw) => Args::Json(raw.json()),
        None => args.clone(),
    }
}

/// Which kinds of blocks came after which: texts, refusals, calls.
pub(crate) fn sequence(reply: &Reply) -> Vec<u8> {
    let kind = |body: &Body| match body {
        Body::Text { .. } => Some(b't'),
        Body::Refusal(_) => Some(b'r'),
        Body::ToolCall(_) => Some(b'c'),
        _ => None,
    };
    let mut kinds: Vec<_> =
        reply.turn.blocks.iter().filter_map(|block| kind(&block.body)).collect();
    kinds.dedup();
    kinds
}
