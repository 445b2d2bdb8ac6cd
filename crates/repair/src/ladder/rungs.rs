//! What may be learned from a complaint, the likeliest first.

use interlingua_model::{
    Block, Conversation, DialectId, EmptyText, Lesson, Lessons, RefusedField, Turn,
};

use super::path::{canonical, ends};
use super::{Complaint, Kind};
use crate::fingerprint::fingerprint;
use crate::fit::provider_search::is_search;
use crate::look::{is_assistants, is_reasoning, is_result, words};
use crate::number;

/// What was refused.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'s> {
    /// As the provider reads it.
    pub conversation: &'s Conversation,
    pub dialect: DialectId,
    /// Features beyond the usual that were asked for.
    pub betas: &'s [String],
    /// What was known when it was sent.
    pub lessons: &'s Lessons,
}

/// The rungs that may help, each a few lessons beside those that are known.
pub fn rungs(complaint: &Complaint, sent: Sent<'_>) -> Vec<Vec<Lesson>> {
    let at = complaint.path.as_deref();
    let mut rungs = match &complaint.kind {
        Kind::EmptyText => empty_text(sent),
        Kind::Seal => vec![seals(sent, None)],
        Kind::Prefix => vec![seals(sent, at)],
        Kind::Modified => {
            let mut rungs = modified(sent);
            rungs.push(seals(sent, None));
            rungs
        }
        Kind::Thinking(habit) => vec![vec![Lesson::Thinking(*habit)]],
        Kind::Field { instead } => {
            let mut lessons = field(sent, at, instead.as_deref());
            for other in &complaint.others {
                let more = field(sent, Some(other), None);
                // Without one of them, the rest is of no help.
                if lessons.is_empty() || more.is_empty() {
                    return Vec::new();
                }
                lessons.extend(more);
            }
            vec![lessons]
        }
        Kind::Image(limit) => vec![vec![Lesson::Image(*limit)]],
        Kind::Length(most) => length(sent, *most),
        Kind::Roles => alternation(sent),
        Kind::Search => search(sent),
    };
    let is_new = |lesson: &Lesson| !sent.lessons.iter().any(|known| known == lesson);
    rungs.retain(|rung| rung.iter().any(is_new));
    rungs
}

/// Only who was asked to search can do without.
fn search(sent: Sent<'_>) -> Vec<Vec<Lesson>> {
    let asked = sent.conversation.tools.iter().any(|tool| is_search(tool));
    if asked { vec![vec![Lesson::NoSearch]] } else { Vec::new() }
}

/// What stands between reasoning decides: what was sent is not taken.
fn empty_text(sent: Sent<'_>) -> Vec<Vec<Lesson>> {
    let between = between(sent.conversation);
    let order: &[EmptyText] = match (between.empty, between.blank) {
        (true, _) => &[EmptyText::Space, EmptyText::Drop, EmptyText::Strip],
        (false, true) => &[EmptyText::Drop, EmptyText::Keep, EmptyText::Strip],
        (false, false) => &[],
    };
    order.iter().map(|one| vec![Lesson::EmptyText(*one)]).collect()
}

/// A text that was left out or put in may be what is missed.
fn modified(sent: Sent<'_>) -> Vec<Vec<Lesson>> {
    let dropped = sent.lessons.iter().any(|known| *known == Lesson::EmptyText(EmptyText::Drop));
    let between = between(sent.conversation);
    let order: &[EmptyText] = match (dropped, between.blank) {
        (true, _) => &[EmptyText::Space, EmptyText::Keep],
        (false, true) => &[EmptyText::Keep, EmptyText::Drop],
        (false, false) => &[],
    };
    order.iter().map(|one| vec![Lesson::EmptyText(*one)]).collect()
}

/// A shorter answer is of help only to who asked for a longer one.
fn length(sent: Sent<'_>, most: u64) -> Vec<Vec<Lesson>> {
    let asked = sent.conversation.settings.max_tokens.as_ref().and_then(number::said);
    let longer = most > 0 && asked.is_some_and(|asked| number::count(asked) > most);
    if longer { vec![vec![Lesson::Length(most)]] } else { Vec::new() }
}

/// Somebody may also have spoken out of turn with nobody of the same role beside.
fn alternation(sent: Sent<'_>) -> Vec<Vec<Lesson>> {
    let speaks = |turn: &Turn| !turn.blocks.iter().any(|block| is_result(block));
    let mut pairs = sent.conversation.turns.windows(2);
    let beside = pairs.any(
        |two| matches!(two, [one, next] if one.role == next.role && speaks(one) && speaks(next)),
    );
    if beside { vec![vec![Lesson::Alternation]] } else { Vec::new() }
}

/// Texts that stand between two blocks of reasoning, and say nothing.
#[derive(Default)]
struct Between {
    empty: bool,
    blank: bool,
}

fn between(conversation: &Conversation) -> Between {
    let mut found = Between::default();
    for turn in conversation.turns.iter().filter(|turn| is_assistants(turn)) {
        for three in turn.blocks.windows(3) {
            let [before, text, after] = three else { continue };
            let Some(text) = words(text).filter(|_| is_reasoning(before) && is_reasoning(after))
            else {
                continue;
            };
            found.empty |= text.is_empty();
            found.blank |= text.is_blank() && !text.is_empty();
        }
    }
    found
}

/// The seals of the conversation, from a place on if one is named: what stands before it is in order.
fn seals(sent: Sent<'_>, from: Option<&str>) -> Vec<Lesson> {
    let turns = sent.conversation.turns.iter().enumerate();
    let blocks = turns.flat_map(|(turn, one)| {
        one.blocks.iter().enumerate().map(move |(at, block)| ((turn, at), block))
    });
    let sealed: Vec<((usize, usize), u64)> =
        blocks.filter_map(|(place, block)| Some((place, seal(block)?))).collect();
    let from = from.and_then(place).filter(|from| sealed.iter().any(|(place, _)| place >= from));
    let from = from.unwrap_or((0, 0));
    let refused = sealed.into_iter().filter(|(place, _)| *place >= from);
    refused.map(|(_, seal)| Lesson::Seal(seal)).collect()
}

fn seal(block: &Block) -> Option<u64> {
    let seal = block.seal.as_deref().filter(|seal| !seal.data.is_empty())?;
    Some(fingerprint(&seal.data))
}

/// The turn and block that a path names, such as `messages.3.content.1`.
fn place(path: &str) -> Option<(usize, usize)> {
    let mut numbers = path.split(['.', '[', ']']).filter_map(|part| part.parse().ok());
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

fn field(sent: Sent<'_>, path: Option<&str>, instead: Option<&str>) -> Vec<Lesson> {
    let Some(path) = path.map(canonical) else { return Vec::new() };
    let is_vital = VITAL.iter().any(|(dialect, vital)| {
        (dialect.is_empty() || *dialect == sent.dialect.0) && ends(&path, vital)
    });
    // A value that stands elsewhere under its new name looks otherwise there.
    if is_vital && instead.is_none() || instead.is_some_and(|name| name.contains('.')) {
        return Vec::new();
    }
    let instead = instead.map(str::to_owned);
    vec![Lesson::Field(RefusedField { path, instead, betas: sent.betas.to_vec() })]
}

/// Without these a request says something else, or nothing: who refuses one is to be heard by the
/// client. A dialect, or any; and how the path ends.
const VITAL: &[(&str, &str)] = &[
    ("", "model"),
    ("", "messages"),
    ("", "input"),
    ("", "contents"),
    ("", "system"),
    ("", "systemInstruction"),
    ("", "system_instruction"),
    ("", "instructions"),
    ("", "tools"),
    ("", "toolConfig"),
    ("", "tool_config"),
    ("", "functionDeclarations"),
    ("", "function_declarations"),
    ("", "additionalModelRequestFields"),
    ("", "previous_response_id"),
    ("", "conversation"),
    ("", "prompt"),
    ("", "thread"),
    ("anthropic", "max_tokens"),
    ("", "role"),
    ("", "content"),
    ("", "parts"),
    ("", "text"),
    ("", "type"),
    ("", "arguments"),
    ("", "args"),
    ("", "output"),
    ("", "response"),
    ("", "function"),
    ("", "function_call"),
    ("", "functionCall"),
    ("", "function_response"),
    ("", "functionResponse"),
    ("", "tool_calls"),
    ("", "tool_call_id"),
    ("", "tool_use_id"),
    ("", "call_id"),
    ("", "tool_calls.*.id"),
    ("", "tool_use.id"),
    ("", "function.name"),
    ("", "tool_use.name"),
    ("", "tools.*.name"),
    ("", "custom.name"),
    ("", "input_schema"),
    ("", "source"),
    ("", "data"),
    ("", "image_url"),
    ("", "file_data"),
    ("", "inline_data"),
    ("", "inlineData"),
    ("", "signature"),
    ("", "thinking.thinking"),
    ("", "encrypted_content"),
];
