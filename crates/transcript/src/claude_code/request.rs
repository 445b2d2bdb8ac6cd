//! Builds the Anthropic request that Claude Code would send next.

use std::borrow::Cow;
use std::collections::BTreeSet;

use interlingua::{JsonString, RawJson, find_dialect};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, JsonWriter};

use super::chain::{Entry, EntryKind, EntryTree, is_tool_result};
use crate::{FileLocation, Format, Note, RequestPart, Transcript, TranscriptFile, request_part};

/// A message of the request, merged from one or more lines.
struct Message<'s> {
    kind: EntryKind,
    /// Message id of a reply.
    id: Option<Cow<'s, str>>,
    blocks: Vec<MessageBlock>,
    /// Lines without a block.
    empty_lines: Vec<FileLocation>,
}

struct MessageBlock {
    json: RawJson,
    location: Option<FileLocation>,
    is_result: bool,
}

pub(super) fn read(source: &TranscriptFile, format: &'static dyn Format) -> Option<Transcript> {
    let tree = EntryTree::read(source)?;
    let mut notes = source.torn_line_notes();
    let mut messages: Vec<Message<'_>> = Vec::new();
    let mut model = None;
    for index in tree.conversation() {
        let entry = &tree.entries[index];
        if is_true(entry.root, "isApiErrorMessage") {
            continue;
        }
        if let Some(message_model) = entry.message().and_then(|message| message.get("model")) {
            model = message_model.json_string().filter(|name| *name != *SYNTHETIC_MODEL).or(model);
        }
        append_entry(entry, source, &mut messages, &mut notes);
    }
    note_branches(&tree, source, &mut notes);
    for (child, parent) in &tree.repaired_links {
        let number = |entry: usize| source.lines()[tree.entries[entry].line].number;
        let (line, earlier) = (number(*child), number(*parent));
        let note = format!(
            "follows a line that cannot be read, so that the agent loses everything before it; \
             the link to line {earlier} is restored"
        );
        notes.push(Note::fixed_at_line(line, note));
    }
    let has_placeholder =
        messages.last().is_some_and(|message| message.kind == EntryKind::Assistant);
    if has_placeholder {
        let json = RawJson::object(|o| write_text_block(o, PLACEHOLDER_PROMPT));
        let block = MessageBlock { json, location: None, is_result: false };
        let (id, blocks, empty_lines) = (None, vec![block], Vec::new());
        messages.push(Message { kind: EntryKind::User, id, blocks, empty_lines });
        notes.push(Note::for_file(Note::PLACEHOLDER_ADDED));
    }
    let request_model = model.clone().unwrap_or_else(|| JsonString::from_static(DEFAULT_MODEL));
    let body = request_body(&request_model, &messages).into();
    let parts = messages.into_iter().enumerate();
    let parts = parts.flat_map(|(turn, message)| message.into_parts(turn)).collect();
    let dialect = find_dialect("anthropic")?;
    Some(Transcript { format, dialect, body, parts, notes, model, has_placeholder })
}

impl Message<'_> {
    /// One part per block; for a message without blocks, one part per line.
    fn into_parts(self, turn: usize) -> Vec<RequestPart> {
        let role = role_name(self.kind);
        let part = |block, json, location| RequestPart {
            turn,
            block,
            role: role.to_owned(),
            json,
            offset: 0,
            location,
        };
        if self.blocks.is_empty() {
            let json = RawJson::object(|o| write_message(&self, o));
            return self
                .empty_lines
                .iter()
                .map(|line| part(None, json.clone(), Some(*line)))
                .collect();
        }
        let blocks = self.blocks.into_iter().enumerate();
        blocks.map(|(index, block)| part(Some(index), block.json, block.location)).collect()
    }
}

fn write_message(message: &Message<'_>, o: &mut ObjectWriter<'_>) {
    o.str("role", role_name(message.kind));
    o.array("content", |a| message.blocks.iter().for_each(|block| a.item().json(&block.json)));
}

/// Adds a line's blocks to the messages as the agent does: lines of one reply are merged, and so
/// are consecutive user messages, with tool results first.
fn append_entry<'s>(
    entry: &Entry<'s>,
    source: &TranscriptFile,
    messages: &mut Vec<Message<'s>>,
    notes: &mut Vec<Note>,
) {
    let Some(kind) = Some(entry.kind).filter(|kind| *kind != EntryKind::Link) else { return };
    let blocks = read_blocks(entry, source, notes);
    let line =
        FileLocation { line: source.lines()[entry.line].number, record: entry.line, index: 0 };
    let empty_lines: Vec<FileLocation> = blocks.is_empty().then_some(line).into_iter().collect();
    let id = entry.message_id();
    let target = match kind {
        EntryKind::Assistant => id.as_ref().and_then(|id| find_reply(messages, id)),
        EntryKind::User | EntryKind::Link => messages.len().checked_sub(1),
    };
    match target.and_then(|at| messages.get_mut(at)).filter(|message| message.kind == kind) {
        Some(message) => {
            message.blocks.extend(blocks);
            message.empty_lines.extend(empty_lines);
        }
        None => messages.push(Message { kind, id, blocks, empty_lines }),
    }
    if let Some(message) = messages.last_mut().filter(|message| message.kind == EntryKind::User) {
        message.blocks.sort_by_key(|block| !block.is_result);
    }
}

/// Finds the message of a reply, if only replies and results follow it.
fn find_reply(messages: &[Message<'_>], id: &str) -> Option<usize> {
    for (at, message) in messages.iter().enumerate().rev() {
        match message.kind {
            EntryKind::Assistant if message.id.as_deref() == Some(id) => return Some(at),
            EntryKind::Assistant => {}
            EntryKind::User | EntryKind::Link => {
                if !message.blocks.iter().all(|block| block.is_result) {
                    return None;
                }
            }
        }
    }
    None
}

fn read_blocks(
    entry: &Entry<'_>,
    source: &TranscriptFile,
    notes: &mut Vec<Note>,
) -> Vec<MessageBlock> {
    let line = source.lines()[entry.line].number;
    let location = |index| Some(FileLocation { line, record: entry.line, index });
    match entry.content() {
        Some(content) if content.is_string() => {
            vec![MessageBlock {
                json: request_part::text_block(content),
                location: location(0),
                is_result: false,
            }]
        }
        Some(content) if content.is_array() => content
            .items()
            .enumerate()
            .map(|(index, block)| MessageBlock {
                json: block.json(),
                location: location(index),
                is_result: is_tool_result(block),
            })
            .collect(),
        _ => {
            notes.push(Note::at_line(line, "has a message without content, which is skipped"));
            Vec::new()
        }
    }
}

fn note_branches(tree: &EntryTree<'_>, source: &TranscriptFile, notes: &mut Vec<Note>) {
    let mut used: BTreeSet<usize> = tree.path.iter().copied().collect();
    used.extend(tree.off_path_entries.iter().map(|(_, at)| *at));
    let is_message = |at: &usize| tree.entries[*at].kind != EntryKind::Link;
    let others = (0..tree.entries.len()).filter(|at| !used.contains(at)).filter(is_message);
    let (mut sidechain_count, mut abandoned_count) = (0, 0);
    for at in others {
        if tree.entries[at].is_sidechain {
            sidechain_count += 1;
        } else {
            abandoned_count += 1;
        }
    }
    let lines = source.lines().len();
    if !tree.duplicates.is_empty() {
        let count = tree.duplicates.len();
        let note = format!("{count} of {lines} lines are duplicates; the first of each is used");
        notes.push(Note::for_file(note));
    }
    if sidechain_count > 0 {
        let note =
            format!("{sidechain_count} of {lines} lines belong to sub-agents and are not sent");
        notes.push(Note::for_file(note));
    }
    if abandoned_count > 0 {
        let note = format!("{abandoned_count} of {lines} lines are on abandoned branches");
        notes.push(Note::for_file(note));
    }
}

fn request_body(model: &JsonString, messages: &[Message<'_>]) -> Vec<u8> {
    let size: usize = messages
        .iter()
        .flat_map(|message| &message.blocks)
        .map(|block| block.json.as_str().len() + 1)
        .sum();
    let mut out = JsonWriter::with_capacity(size + messages.len() * 40 + 512);
    out.object(|o| {
        o.json_string("model", model);
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

/// Writes placeholder definitions of the called tools: the file does not have the real ones.
fn write_tools(messages: &[Message<'_>], o: &mut ObjectWriter<'_>) {
    let mut names = BTreeSet::new();
    let mut needed = false;
    for block in messages.iter().flat_map(|message| &message.blocks) {
        needed |= block.is_result;
        let doc = block.json.to_doc();
        if doc.root().get("type").is_some_and(|kind| kind.str_or_empty() == "tool_use") {
            needed = true;
            let name = doc.root().get("name").map(|name| name.str_or_empty().into_owned());
            names.extend(name.filter(|name| request_part::is_valid_tool_name(name)));
        }
    }
    if !needed {
        return;
    }
    if names.is_empty() {
        names.insert("tool".to_owned());
    }
    request_part::write_tools(names.iter(), o);
}

fn write_text_block(o: &mut ObjectWriter<'_>, text: &str) {
    o.str("type", "text");
    o.str("text", text);
}

pub(super) fn role_name(kind: EntryKind) -> &'static str {
    if kind == EntryKind::Assistant { "assistant" } else { "user" }
}

fn is_true(root: JsonNode<'_>, key: &str) -> bool {
    root.get(key).and_then(JsonNode::as_bool).unwrap_or(false)
}

/// The placeholder for the user's next prompt.
const PLACEHOLDER_PROMPT: &str = "Continue.";
/// The model name of messages that the agent itself writes.
const SYNTHETIC_MODEL: &str = "<synthetic>";
/// The model for a file without a reply.
const DEFAULT_MODEL: &str = "claude-sonnet-4-5";
const MAX_TOKENS: u64 = 32_000;
