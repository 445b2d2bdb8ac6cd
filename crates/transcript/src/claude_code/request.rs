//! The request that the agent would send next.

use std::borrow::Cow;
use std::collections::BTreeSet;

use interlingua::wire::json::Object;
use interlingua::wire::{Node, Writer};
use interlingua::{Json, Text, find};

use super::ClaudeCode;
use super::chain::{Chain, Event, Kind, is_result};
use crate::{Note, Origin, Source, Transcript, Unit, unit};

/// A message of the request, gathered from one or more lines.
struct Message<'s> {
    kind: Kind,
    /// Of a reply.
    id: Option<Cow<'s, str>>,
    blocks: Vec<Block>,
    /// Lines that hold no block.
    empty: Vec<Origin>,
}

struct Block {
    json: Json,
    origin: Option<Origin>,
    is_result: bool,
}

pub(super) fn read(source: &Source) -> Option<Transcript> {
    let chain = Chain::read(source)?;
    let mut notes = source.unread();
    let mut messages: Vec<Message<'_>> = Vec::new();
    let mut model = None;
    for at in chain.conversation() {
        let event = &chain.events[at];
        if flag(event.root, "isApiErrorMessage") {
            continue;
        }
        if let Some(named) = event.message().and_then(|message| message.get("model")) {
            model = named.text().filter(|name| *name != *SYNTHETIC).or(model);
        }
        gather(event, source, &mut messages, &mut notes);
    }
    note_branches(&chain, source, &mut notes);
    for (child, parent) in &chain.bridges {
        let number = |event: usize| source.lines()[chain.events[event].line].number;
        let (line, earlier) = (number(*child), number(*parent));
        let what = format!(
            "follows a line that cannot be read, so that the agent forgets everything before it; \
             it is linked to line {earlier} again"
        );
        notes.push(Note::mended(line, what));
    }
    let stands_in = messages.last().is_some_and(|message| message.kind == Kind::Assistant);
    if stands_in {
        let json = Json::object(|o| text(o, NEXT));
        let block = Block { json, origin: None, is_result: false };
        let (id, blocks, empty) = (None, vec![block], Vec::new());
        messages.push(Message { kind: Kind::User, id, blocks, empty });
        notes.push(Note::of_file(Note::SPOKEN_LAST));
    }
    let asked = model.clone().unwrap_or_else(|| Text::word(MODEL));
    let body = body(&asked, &messages).into();
    let units = messages.into_iter().enumerate();
    let units = units.flat_map(|(turn, message)| message.units(turn)).collect();
    let dialect = find("anthropic")?;
    Some(Transcript { format: &ClaudeCode, dialect, body, units, notes, model, stands_in })
}

impl Message<'_> {
    /// Its blocks; of a message without any, its lines.
    fn units(self, turn: usize) -> Vec<Unit> {
        let role = word(self.kind);
        let unit =
            |block, json, origin| Unit { turn, block, role: role.to_owned(), json, at: 0, origin };
        if self.blocks.is_empty() {
            let json = Json::object(|o| write_message(&self, o));
            return self.empty.iter().map(|line| unit(None, json.clone(), Some(*line))).collect();
        }
        let blocks = self.blocks.into_iter().enumerate();
        blocks.map(|(of, block)| unit(Some(of), block.json, block.origin)).collect()
    }
}

fn write_message(message: &Message<'_>, o: &mut Object<'_>) {
    o.word("role", word(message.kind));
    o.array("content", |a| message.blocks.iter().for_each(|block| a.item().json(&block.json)));
}

/// Adds what a line says to the messages, as the agent does: lines of one reply are one message, and
/// so are neighbours of the user, whose results come first.
fn gather<'s>(
    event: &Event<'s>,
    source: &Source,
    messages: &mut Vec<Message<'s>>,
    notes: &mut Vec<Note>,
) {
    let Some(kind) = Some(event.kind).filter(|kind| *kind != Kind::Link) else { return };
    let blocks = blocks(event, source, notes);
    let line = Origin { line: source.lines()[event.line].number, record: event.line, slot: 0 };
    let empty: Vec<Origin> = blocks.is_empty().then_some(line).into_iter().collect();
    let id = event.reply();
    let joined = match kind {
        Kind::Assistant => id.as_ref().and_then(|id| same_reply(messages, id)),
        Kind::User | Kind::Link => messages.len().checked_sub(1),
    };
    match joined.and_then(|at| messages.get_mut(at)).filter(|message| message.kind == kind) {
        Some(message) => {
            message.blocks.extend(blocks);
            message.empty.extend(empty);
        }
        None => messages.push(Message { kind, id, blocks, empty }),
    }
    if let Some(message) = messages.last_mut().filter(|message| message.kind == Kind::User) {
        message.blocks.sort_by_key(|block| !block.is_result);
    }
}

/// The message of a reply, if nothing but replies and results came since.
fn same_reply(messages: &[Message<'_>], id: &str) -> Option<usize> {
    for (at, message) in messages.iter().enumerate().rev() {
        match message.kind {
            Kind::Assistant if message.id.as_deref() == Some(id) => return Some(at),
            Kind::Assistant => {}
            Kind::User | Kind::Link => {
                if !message.blocks.iter().all(|block| block.is_result) {
                    return None;
                }
            }
        }
    }
    None
}

fn blocks(event: &Event<'_>, source: &Source, notes: &mut Vec<Note>) -> Vec<Block> {
    let line = source.lines()[event.line].number;
    let origin = |slot| Some(Origin { line, record: event.line, slot });
    match event.content() {
        Some(content) if content.is_string() => {
            vec![Block { json: unit::text_block(content), origin: origin(0), is_result: false }]
        }
        Some(content) if content.is_array() => content
            .items()
            .enumerate()
            .map(|(slot, block)| Block {
                json: block.json(),
                origin: origin(slot),
                is_result: is_result(block),
            })
            .collect(),
        _ => {
            notes.push(Note::at(line, "holds a message without content, which is skipped"));
            Vec::new()
        }
    }
}

fn note_branches(chain: &Chain<'_>, source: &Source, notes: &mut Vec<Note>) {
    let mut told: BTreeSet<usize> = chain.walk.iter().copied().collect();
    told.extend(chain.beside.iter().map(|(_, at)| *at));
    let speaks = |at: &usize| chain.events[*at].kind != Kind::Link;
    let others = (0..chain.events.len()).filter(|at| !told.contains(at)).filter(speaks);
    let (mut side, mut left) = (0, 0);
    for at in others {
        if chain.events[at].side {
            side += 1;
        } else {
            left += 1;
        }
    }
    let lines = source.lines().len();
    if !chain.repeats.is_empty() {
        let count = chain.repeats.len();
        let what = format!("{count} of {lines} lines are there already; the first of each counts");
        notes.push(Note::of_file(what));
    }
    if side > 0 {
        let what = format!("{side} of {lines} lines are of sub-agents, whose talks are over");
        notes.push(Note::of_file(what));
    }
    if left > 0 {
        let what = format!("{left} of {lines} lines are on branches that the agent has left");
        notes.push(Note::of_file(what));
    }
}

fn body(model: &Text, messages: &[Message<'_>]) -> Vec<u8> {
    let size: usize = messages
        .iter()
        .flat_map(|message| &message.blocks)
        .map(|block| block.json.as_str().len() + 1)
        .sum();
    let mut out = Writer::with_capacity(size + messages.len() * 40 + 512);
    out.object(|o| {
        o.text("model", model);
        o.array("messages", |a| {
            for message in messages {
                a.object(|o| write_message(message, o));
            }
        });
        write_tools(messages, o);
        o.number("max_tokens", MAX_TOKENS);
    });
    out.into_bytes()
}

/// The file does not hold the tools; ones with the names that were called stand in for them.
fn write_tools(messages: &[Message<'_>], o: &mut Object<'_>) {
    let mut names = BTreeSet::new();
    let mut needed = false;
    for block in messages.iter().flat_map(|message| &message.blocks) {
        needed |= block.is_result;
        let doc = block.json.doc();
        if doc.root().get("type").is_some_and(|kind| kind.word() == "tool_use") {
            needed = true;
            let name = doc.root().get("name").map(|name| name.word().into_owned());
            names.extend(name.filter(|name| unit::is_name(name)));
        }
    }
    if !needed {
        return;
    }
    if names.is_empty() {
        names.insert("tool".to_owned());
    }
    unit::write_tools(names.iter(), o);
}

fn text(o: &mut Object<'_>, text: &str) {
    o.word("type", "text");
    o.word("text", text);
}

pub(super) fn word(kind: Kind) -> &'static str {
    if kind == Kind::Assistant { "assistant" } else { "user" }
}

fn flag(root: Node<'_>, key: &str) -> bool {
    root.get(key).and_then(Node::boolean).unwrap_or(false)
}

/// What stands for the user's next words.
const NEXT: &str = "Continue.";
/// The name under which the agent itself speaks for the model.
const SYNTHETIC: &str = "<synthetic>";
/// For a file in which no model has spoken yet.
const MODEL: &str = "claude-sonnet-4-5";
/// What the agent asks for.
const MAX_TOKENS: u64 = 32_000;
