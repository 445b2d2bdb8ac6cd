//! The list of messages, written.

use interlingua_model::{Block, Body, Choice, Conversation, Place, Role, Turn, Verbatim};
use interlingua_wire::json::Array;
use interlingua_wire::{Json, Text};

use super::ID;
use super::encode::{self, Cx, Spot};
use crate::note;

/// Writes each turn as a message of its own, as its client did.
pub(super) fn write_each(conversation: &Conversation, cx: &mut Cx<'_>, out: &mut Array<'_>) {
    for (at, turn) in conversation.turns.iter().enumerate() {
        if let Some(text) = turn.text_for(ID) {
            out.item().json(text);
            continue;
        }
        let (word, spot) = match turn.role {
            Role::User => ("user", Spot::User),
            Role::Assistant => ("assistant", Spot::Assistant),
            Role::System | Role::Developer => ("system", Spot::System),
        };
        encode::note_extras(&turn.extras, Place::turn(at), cx.ledger);
        out.object(|o| {
            o.known("role", word);
            o.array("content", |a| {
                for (of, block) in turn.blocks.iter().enumerate() {
                    encode::block(block, spot, Place::block(at, of), cx, a);
                }
            });
            turn.extras.write(ID, o);
        });
    }
}

/// Writes the turns after the leading instructions, runs of one role as one message.
pub(super) fn write_joined(
    conversation: &Conversation,
    leading: usize,
    cx: &mut Cx<'_>,
    out: &mut Array<'_>,
) {
    let turns = conversation.turns.get(leading..).unwrap_or_default();
    let mut first = leading;
    for turns in turns.chunk_by(|a, b| is_assistant(a) == is_assistant(b)) {
        write_run(turns, first, cx, out);
        first += turns.len();
    }
}

fn is_assistant(turn: &Verbatim<Turn>) -> bool {
    turn.role == Role::Assistant
}

fn write_run(turns: &[Verbatim<Turn>], first: usize, cx: &mut Cx<'_>, out: &mut Array<'_>) {
    let [only_or_first, ..] = turns else { return };
    if let ([turn], Some(text)) = (turns, only_or_first.text_for(ID))
        && matches!(turn.role, Role::User | Role::Assistant)
    {
        out.item().json(text);
        return;
    }
    let is_reply = is_assistant(only_or_first);
    let role = if is_reply { "assistant" } else { "user" };
    if turns.iter().all(|turn| turn.blocks.is_empty()) || turns.iter().any(has_lasting) {
        out.object(|o| {
            o.known("role", role);
            o.array("content", |a| write_content(turns, first, cx, a));
        });
        return;
    }
    // A message whose every block is left out would be empty, which is refused; the ledger has it.
    let content = Json::array(|a| write_content(turns, first, cx, a));
    if content != Json::EMPTY_ARRAY {
        out.object(|o| {
            o.known("role", role);
            o.json("content", &content);
        });
    }
}

/// Holds a block that is never left out.
fn has_lasting(turn: &Verbatim<Turn>) -> bool {
    turn.blocks.iter().any(|block| match block.body {
        Body::Text { .. }
        | Body::Refusal(_)
        | Body::Data(_)
        | Body::ToolCall(_)
        | Body::ToolResult(_) => true,
        Body::Thinking(_) | Body::Media(_) | Body::Foreign { .. } => false,
    })
}

/// The blocks of a run: the user's begins with all results of tools.
fn write_content(turns: &[Verbatim<Turn>], first: usize, cx: &mut Cx<'_>, out: &mut Array<'_>) {
    let blocks = || {
        turns.iter().enumerate().flat_map(move |(at, turn)| {
            turn.blocks.iter().enumerate().map(move |(of, block)| (first + at, of, turn, block))
        })
    };
    for (at, turn) in turns.iter().enumerate() {
        encode::note_extras(&turn.extras, Place::turn(first + at), cx.ledger);
    }
    if is_assistant(&turns[0]) {
        for (at, of, _, block) in blocks() {
            encode::block(block, Spot::Assistant, Place::block(at, of), cx, out);
        }
        return;
    }
    let mut after_other = false;
    for (at, of, _, block) in blocks() {
        let is_result = is_result(block);
        if is_result && after_other {
            let what = "the result stands before the rest of the message";
            cx.ledger.change(note::ORDER_CHANGED, Place::block(at, of), what);
        }
        if is_result {
            encode::block(block, Spot::User, Place::block(at, of), cx, out);
        }
        after_other |= !is_result;
    }
    for (at, of, turn, block) in blocks().filter(|(.., block)| !is_result(block)) {
        let place = Place::block(at, of);
        if turn.role == Role::User {
            encode::block(block, Spot::User, place, cx, out);
        } else {
            instruction(block, place, cx, out);
        }
    }
}

fn is_result(block: &Verbatim<Block>) -> bool {
    matches!(block.body, Body::ToolResult(_))
}

/// An instruction in the midst of the conversation, for models that take it from the user only.
fn instruction(block: &Verbatim<Block>, place: Place, cx: &mut Cx<'_>, out: &mut Array<'_>) {
    let Body::Text { text, .. } = &block.body else {
        encode::block(block, Spot::User, place, cx, out);
        return;
    };
    let what = "an instruction in the midst of the conversation is said by the user";
    cx.ledger.change(note::SYSTEM_MOVED, place, what);
    let (head, tail) = (Text::word("<system-reminder>\\n"), Text::word("\\n</system-reminder>"));
    let marked = Text::concat([&head, text, &tail]);
    let mut moved = Block::clone(block);
    if let Body::Text { text, .. } = &mut moved.body {
        *text = marked;
    }
    encode::block(&moved.into(), Spot::User, place, cx, out);
}

/// The only tools that may be called, if the choice is among some of those there are. This dialect
/// cannot say that but by leaving out the others.
pub(super) fn allowed(conversation: &Conversation) -> Option<&[Text]> {
    match &conversation.settings.choice {
        Some(Choice::Allowed { names, .. }) if is_offered(conversation, names) => Some(names),
        _ => None,
    }
}

/// Some tool has one of these names.
pub(super) fn is_offered(conversation: &Conversation, names: &[Text]) -> bool {
    conversation.tools.iter().any(|tool| names.contains(&tool.name))
}
