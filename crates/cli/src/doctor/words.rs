//! What is wrong, in words that need no knowledge of the API.

use std::borrow::Cow;

use interlingua::model::{Block, Body, Turn};
use interlingua::{Conversation, Dialect, Text};
use interlingua_strict::Violation;

/// Which block a violation is about, and what is wrong with it.
pub(super) fn about(
    conversation: Option<&Conversation>,
    provider: &dyn Dialect,
    violation: &Violation,
    turn: Option<usize>,
    block: Option<usize>,
) -> (Option<usize>, String) {
    let read = conversation.zip(turn).and_then(|(read, at)| Some((read, at, read.turns.get(at)?)));
    if let Some((conversation, at, turn)) = read {
        let block = block.or_else(|| named(turn, &violation.message));
        let found = block.and_then(|block| turn.blocks.get(block));
        if let Some(sentence) =
            found.and_then(|found| sentence(conversation, at, found, &violation.message))
        {
            return (block, sentence);
        }
        if let Some(found) = found {
            let what = format!(
                "{} is refused: {}",
                capital(&title(conversation, at, found)),
                when(provider, violation)
            );
            return (block, what);
        }
    }
    (block, when(provider, violation))
}

/// A change that no refusal asks for.
pub(super) fn only_repaired(
    conversation: Option<&Conversation>,
    turn: Option<usize>,
    block: Option<usize>,
) -> String {
    let found = conversation.zip(turn).and_then(|(read, at)| {
        let block = read.turns.get(at)?.blocks.get(block?)?;
        Some(title(read, at, block))
    });
    match found {
        Some(title) => format!("{} would be changed.", capital(&title)),
        None => "This would be changed.".to_owned(),
    }
}

/// The id of the call that a block is or answers.
pub(super) fn call_id(
    conversation: &Conversation,
    turn: usize,
    block: Option<usize>,
) -> Option<Cow<'_, str>> {
    let block = conversation.turns.get(turn)?.blocks.get(block?)?;
    match &block.body {
        Body::ToolCall(call) => Some(call.id.contents()),
        Body::ToolResult(result) => Some(result.call.contents()),
        _ => None,
    }
}

/// The call that the provider names when it speaks of the whole message.
fn named(turn: &Turn, message: &str) -> Option<usize> {
    turn.blocks.iter().position(|block| match &block.body {
        Body::ToolCall(call) => !call.id.is_empty() && message.contains(&*call.id.contents()),
        _ => false,
    })
}

/// The sentence for what can be seen in the conversation and is what the provider speaks of.
fn sentence(
    conversation: &Conversation,
    turn: usize,
    block: &Block,
    message: &str,
) -> Option<String> {
    let speaks_of = |id: &Text| !id.is_empty() && message.contains(&*id.contents());
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    match &block.body {
        Body::ToolCall(call) if speaks_of(&call.id) && !is_answered(conversation, turn, &call.id) => {
            Some(format!("The run of `{}` was interrupted: its result is missing.", call.name))
        }
        Body::ToolResult(result)
            if speaks_of(&result.call) && conversation.call_of(turn, &result.call).is_none() =>
        {
            let id = &result.call;
            Some(format!("This is the result of a run ({id}) that is not in the conversation."))
        }
        Body::Thinking(_) if says(&["signature"]) && !has_seal(block) => Some(
            "The signature of the model's thinking is missing: without it the provider cannot tell \
             that the thinking is its own."
                .to_owned(),
        ),
        Body::Text { text, .. } if says(&["empty", "whitespace"]) && text.is_blank() => {
            Some("This text is empty.".to_owned())
        }
        _ => None,
    }
}

fn has_seal(block: &Block) -> bool {
    block.seal.as_ref().is_some_and(|seal| !seal.data.is_empty())
}

fn is_answered(conversation: &Conversation, turn: usize, id: &Text) -> bool {
    let later = conversation.turns.iter().skip(turn + 1).flat_map(|turn| &turn.blocks);
    later.into_iter().any(|block| match &block.body {
        Body::ToolResult(result) => result.call == *id,
        _ => false,
    })
}

/// What a block is called in a sentence.
fn title(conversation: &Conversation, turn: usize, block: &Block) -> String {
    match &block.body {
        Body::Text { .. } => "this text".to_owned(),
        Body::Refusal(_) => "this refusal".to_owned(),
        Body::Thinking(_) => "this thinking".to_owned(),
        Body::Media(_) => "this image or document".to_owned(),
        Body::Data(_) => "this data".to_owned(),
        Body::ToolCall(call) => format!("the run of `{}`", call.name),
        Body::ToolResult(result) => match conversation.call_of(turn, &result.call) {
            Some(call) => format!("the result of `{}`", call.name),
            None => "this result".to_owned(),
        },
        Body::Foreign { kind, .. } => format!("this `{kind}`"),
    }
}

/// The rule of the provider, as a sentence.
fn when(provider: &dyn Dialect, violation: &Violation) -> String {
    let judge = interlingua_strict::find(provider.id().0);
    let rule = judge.and_then(|judge| judge.rule(violation.rule));
    rule.map_or_else(|| "The provider refuses this.".to_owned(), |rule| rule.when.to_owned())
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
