//! Sentences that explain violations and repairs, without knowledge of the API.

use std::borrow::Cow;
use std::collections::HashMap;

use interlingua::{Conversation, Dialect, JsonString};
use interlingua_model::{Block, BlockContent, ToolCallIndex, Turn};
use interlingua_strict::Violation;

/// A conversation, and indexes of its calls and results.
pub(super) struct ConversationIndex<'c> {
    conversation: &'c Conversation,
    calls: ToolCallIndex<'c>,
    /// By the id of a call: the last turn with a result for it.
    result_turns: HashMap<Cow<'c, str>, usize>,
}

impl<'c> ConversationIndex<'c> {
    pub(super) fn new(conversation: &'c Conversation) -> Self {
        let mut result_turns = HashMap::new();
        for (turn_index, turn) in conversation.turns.iter().enumerate() {
            for block in &turn.blocks {
                if let BlockContent::ToolResult(result) = &block.content {
                    result_turns.insert(result.call_id.unescape(), turn_index);
                }
            }
        }
        Self { conversation, calls: ToolCallIndex::new(conversation), result_turns }
    }

    /// Whether a call of this turn has a result.
    fn is_answered(&self, turn: usize, id: &JsonString) -> bool {
        self.result_turns.get(&*id.unescape()).is_some_and(|result_turn| *result_turn > turn)
    }
}

/// The block that a violation is about, and a sentence about it.
pub(super) fn describe_violation(
    index: Option<&ConversationIndex<'_>>,
    provider: &dyn Dialect,
    violation: &Violation,
    turn: Option<usize>,
    block: Option<usize>,
) -> (Option<usize>, String) {
    let found_turn = index
        .zip(turn)
        .and_then(|(index, at)| Some((index, at, index.conversation.turns.get(at)?)));
    if let Some((index, at, turn)) = found_turn {
        let block = block.or_else(|| block_of_call(turn, &violation.message));
        let found_block = block.and_then(|block| turn.blocks.get(block));
        if let Some(sentence) = found_block
            .and_then(|found_block| explain_block(index, at, found_block, &violation.message))
        {
            return (block, sentence);
        }
        if let Some(found_block) = found_block {
            let message = format!(
                "{} is rejected: {}",
                capitalize(&block_name(index, at, found_block)),
                rule_sentence(provider, violation)
            );
            return (block, message);
        }
    }
    (block, rule_sentence(provider, violation))
}

/// A sentence for a repair without a violation.
pub(super) fn describe_change(
    index: Option<&ConversationIndex<'_>>,
    turn: Option<usize>,
    block: Option<usize>,
) -> String {
    let name = index.zip(turn).and_then(|(index, at)| {
        let block = index.conversation.turns.get(at)?.blocks.get(block?)?;
        Some(block_name(index, at, block))
    });
    match name {
        Some(name) => format!("{} would be changed.", capitalize(&name)),
        None => "This would be changed.".to_owned(),
    }
}

/// The id of a tool call or tool result.
pub(super) fn call_id<'c>(
    index: &ConversationIndex<'c>,
    turn: usize,
    block: Option<usize>,
) -> Option<Cow<'c, str>> {
    let block = index.conversation.turns.get(turn)?.blocks.get(block?)?;
    match &block.content {
        BlockContent::ToolCall(call) => Some(call.id.unescape()),
        BlockContent::ToolResult(result) => Some(result.call_id.unescape()),
        _ => None,
    }
}

/// The block with the call id that the provider's message contains.
fn block_of_call(turn: &Turn, message: &str) -> Option<usize> {
    turn.blocks.iter().position(|block| match &block.content {
        BlockContent::ToolCall(call) => {
            !call.id.is_empty() && message.contains(&*call.id.unescape())
        }
        _ => false,
    })
}

/// A sentence for a known problem that is visible in the conversation.
fn explain_block(
    index: &ConversationIndex<'_>,
    turn: usize,
    block: &Block,
    message: &str,
) -> Option<String> {
    let mentions = |id: &JsonString| !id.is_empty() && message.contains(&*id.unescape());
    let contains_any = |phrases: &[&str]| phrases.iter().any(|phrase| message.contains(phrase));
    match &block.content {
        BlockContent::ToolCall(call)
            if mentions(&call.id) && !index.is_answered(turn, &call.id) =>
        {
            Some(format!("The run of `{}` was interrupted: its result is missing.", call.name))
        }
        BlockContent::ToolResult(result)
            if mentions(&result.call_id)
                && index.calls.call_before(turn, &result.call_id).is_none() =>
        {
            let id = &result.call_id;
            Some(format!("This is the result of a run ({id}) that is not in the conversation."))
        }
        BlockContent::Reasoning(_) if contains_any(&["signature"]) && !has_seal(block) => Some(
            "The signature of the model's thinking is missing: without it the provider cannot \
             verify the thinking."
                .to_owned(),
        ),
        BlockContent::Text { text, .. }
            if contains_any(&["empty", "whitespace"]) && text.is_blank() =>
        {
            Some("This text is empty.".to_owned())
        }
        _ => None,
    }
}

fn has_seal(block: &Block) -> bool {
    block.seal.as_ref().is_some_and(|seal| !seal.data.is_empty())
}

/// Name of a block in a sentence.
fn block_name(index: &ConversationIndex<'_>, turn: usize, block: &Block) -> String {
    match &block.content {
        BlockContent::Text { .. } => "this text".to_owned(),
        BlockContent::Refusal(_) => "this refusal".to_owned(),
        BlockContent::Reasoning(_) => "this thinking".to_owned(),
        BlockContent::Media(_) => "this image or document".to_owned(),
        BlockContent::Json(_) => "this data".to_owned(),
        BlockContent::ToolCall(call) => format!("the run of `{}`", call.name),
        BlockContent::ToolResult(result) => match index.calls.call_before(turn, &result.call_id) {
            Some(call) => format!("the result of `{}`", call.name),
            None => "this result".to_owned(),
        },
        BlockContent::Foreign { kind, .. } => format!("this `{kind}`"),
    }
}

/// The judge's rule as a sentence.
fn rule_sentence(provider: &dyn Dialect, violation: &Violation) -> String {
    let judge = interlingua_strict::find(provider.id().0);
    let rule = judge.and_then(|judge| judge.rule(violation.rule));
    rule.map_or_else(|| "The provider rejects this.".to_owned(), |rule| rule.condition.to_owned())
}

fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
