//! Compares replies regardless of dialect spelling.

use interlingua::{JsonString, Reply};
use interlingua_model::{Block, BlockContent, ToolArgs};

/// Checks that two replies are equal except for spelling; returns the first part that differs.
pub(crate) fn check_same_reply(
    a_name: &str,
    a: &Reply,
    b_name: &str,
    b: &Reply,
    block_order: BlockOrder,
) -> Result<(), String> {
    let (a, b) = (parts(a, block_order), parts(b, block_order));
    for part in 0..a.len().max(b.len()) {
        let (a, b) = (a.get(part), b.get(part));
        if a != b {
            return Err(format!("{a_name} has\n  {a:?}\n{b_name} has\n  {b:?}"));
        }
    }
    Ok(())
}

/// The parts of a reply without fields of one dialect.
fn parts(reply: &Reply, block_order: BlockOrder) -> Vec<String> {
    let mut usage = reply.usage.clone();
    usage.original = None;
    let model = reply.model.as_ref().filter(|model| !model.is_empty());
    let Reply { id, stop, .. } = reply;
    let head = format!("{id:?} {model:?} {:?} {:?} {usage:?}", stop.reason, stop.sequence);
    let mut blocks: Vec<Block> = Vec::new();
    for block in &reply.turn.blocks {
        let mut block = Block::new(block.content.clone()).with_seal(block.seal.as_deref().cloned());
        if let BlockContent::ToolCall(call) = &mut block.content {
            call.args = unwrap_raw_args(&call.args);
        }
        match blocks.last_mut() {
            Some(previous) if is_trailing_seal(previous, &block) => previous.seal = block.seal,
            _ => blocks.push(block),
        }
    }
    if block_order == BlockOrder::Lost {
        blocks = canonical_order(blocks);
    }
    std::iter::once(head).chain(blocks.iter().map(|block| format!("{block:?}"))).collect()
}

/// Whether a dialect's complete reply preserves the order of texts, refusals and calls.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockOrder {
    Preserved,
    Lost,
}

/// Reasoning, then all texts as one, then refusals, then calls.
fn canonical_order(blocks: Vec<Block>) -> Vec<Block> {
    let (mut ordered, mut texts, mut refusals, mut calls) = (vec![], vec![], vec![], vec![]);
    for block in blocks {
        match &block.content {
            BlockContent::Text { text, .. } => texts.push(text.clone()),
            BlockContent::Refusal(text) => refusals.push(text.clone()),
            BlockContent::ToolCall(_) => calls.push(block),
            _ => ordered.push(block),
        }
    }
    ordered.push(Block::text(JsonString::concat(&texts)));
    ordered.push(Block::new(BlockContent::Refusal(JsonString::concat(&refusals))));
    ordered.extend(calls);
    ordered
}

/// A stream may have the seal of reasoning on an empty block behind it.
fn is_trailing_seal(previous: &Block, block: &Block) -> bool {
    let reasoning_text = |block: &Block| match &block.content {
        BlockContent::Reasoning(reasoning) => Some(reasoning.text.clone()),
        _ => None,
    };
    previous.seal.is_none()
        && reasoning_text(previous).is_some()
        && block.seal.is_some()
        && reasoning_text(block).is_some_and(|reasoning_text| reasoning_text.is_empty())
}

/// Streamed arguments may be any text; in a body, dialects with object arguments wrap other values.
fn unwrap_raw_args(args: &ToolArgs) -> ToolArgs {
    let ToolArgs::Json(json) = args else { return args.clone() };
    let doc = json.to_doc();
    match doc.root().get("_raw") {
        Some(raw) if raw.is_string() => raw.json_string().map_or(args.clone(), ToolArgs::Malformed),
        Some(raw) => ToolArgs::Json(raw.json()),
        None => args.clone(),
    }
}

/// The sequence of the kinds of blocks, without repetitions: texts, refusals, calls.
pub(crate) fn kind_sequence(reply: &Reply) -> Vec<u8> {
    let kind = |content: &BlockContent| match content {
        BlockContent::Text { .. } => Some(b't'),
        BlockContent::Refusal(_) => Some(b'r'),
        BlockContent::ToolCall(_) => Some(b'c'),
        _ => None,
    };
    let mut kinds: Vec<_> =
        reply.turn.blocks.iter().filter_map(|block| kind(&block.content)).collect();
    kinds.dedup();
    kinds
}
