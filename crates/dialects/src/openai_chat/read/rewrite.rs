//! Rewrites passed-through chunks that client SDKs would misread; all others are forwarded byte for
//! byte.
//!
//! SDKs merge calls by index, concatenate strings, and reject types that differ from `OpenAI`'s. A
//! chunk is rewritten if that would not result in what the reader decoded.

use std::collections::{BTreeMap, HashMap, HashSet};

use interlingua_wire::frame::write_json;
use interlingua_wire::json::{ArrayWriter, ObjectWriter};
use interlingua_wire::{Framing, JsonNode, JsonString, RawJson};

/// Tracks what the client received so far.
#[derive(Debug, Default)]
pub(super) struct FrameRewriter {
    /// Passthrough is on: chunks are forwarded as received.
    pub(super) enabled: bool,
    call_indices: CallIndices,
    /// Arguments that arrive as objects, each complete: clients get the last one of each call.
    deferred_args: BTreeMap<usize, RawJson>,
    pub(super) chunk: ChunkState,
    call_entries: Vec<CallEntry>,
    replacement: Option<Vec<u8>>,
}

/// The index under which clients know each call.
#[derive(Debug, Default)]
struct CallIndices {
    by_call: Vec<u64>,
    used: HashSet<u64>,
    /// Greater than all of them.
    next: u64,
}

impl CallIndices {
    /// The client's index of a call: its own, unless another call already has it.
    fn find_or_assign(&mut self, call: usize, own_index: Option<u64>) -> u64 {
        while self.by_call.len() <= call {
            let own_index = own_index.filter(|own_index| !self.used.contains(own_index));
            let index = own_index.unwrap_or(self.next);
            self.by_call.push(index);
            self.used.insert(index);
            self.next = self.next.max(index.saturating_add(1));
        }
        self.by_call.get(call).copied().unwrap_or_default()
    }
}

/// State of the chunk that is being read.
#[derive(Debug, Default)]
pub(super) struct ChunkState {
    /// The chunk must be rewritten.
    pub(super) needs_rewrite: bool,
    /// Its `message` is written as `delta`.
    pub(super) message_as_delta: bool,
    /// Its finish reason must become `tool_calls`.
    pub(super) fix_finish_reason: bool,
}

/// The tool call entry that the client gets.
#[derive(Debug, Default)]
struct CallEntry {
    index: u64,
    is_first: bool,
    is_custom: bool,
    id: Option<JsonString>,
    name: Option<JsonString>,
    args: Option<JsonString>,
}

/// An entry as it was received, and what the reader decoded from it.
#[derive(Debug)]
pub(super) struct ReadEntry<'r> {
    /// The position of its call, and whether the entry begins it.
    pub(super) call: usize,
    pub(super) is_first: bool,
    pub(super) is_custom: bool,
    /// The index in the entry.
    pub(super) index: Option<u64>,
    pub(super) id: &'r JsonString,
    pub(super) name: &'r JsonString,
    /// The arguments in the entry.
    pub(super) args_node: Option<JsonNode<'r>>,
    /// The id and name, if they are new.
    pub(super) new_id: Option<JsonString>,
    pub(super) new_name: Option<JsonString>,
    /// The new part of the arguments.
    pub(super) new_args: Option<JsonString>,
    /// Name and arguments are in the nested object where SDKs expect them.
    pub(super) is_nested: bool,
}

impl FrameRewriter {
    pub(super) fn begin_chunk(&mut self) {
        self.chunk = ChunkState::default();
        self.call_entries.clear();
    }

    /// Adds an entry of the chunk's calls.
    pub(super) fn add_entry(&mut self, entry: ReadEntry<'_>) {
        let index = self.call_indices.find_or_assign(entry.call, entry.index);
        let object = entry.args_node.filter(|node| node.is_object());
        let is_text = entry.args_node.is_none_or(JsonNode::is_string);
        if let Some(object) = object {
            self.deferred_args.insert(entry.call, object.json());
        } else if entry.new_args.is_some() {
            self.deferred_args.remove(&entry.call);
        }
        let is_unchanged = |value: &JsonString, new_value: &Option<JsonString>| {
            value.is_empty() || new_value.as_ref() == Some(value)
        };
        let is_all_new = |node: JsonNode<'_>| {
            let text = node.json_string().unwrap_or_default();
            text.is_empty() || entry.new_args.as_ref() == Some(&text)
        };
        self.chunk.needs_rewrite |= entry.index != Some(index)
            || !is_text
            || !entry.is_nested
            || !is_unchanged(entry.id, &entry.new_id)
            || (entry.id.is_empty() && entry.new_id.is_some())
            || !is_unchanged(entry.name, &entry.new_name)
            || !entry.args_node.is_none_or(is_all_new);
        let args = match entry.args_node {
            Some(_) if object.is_some() => Some(JsonString::EMPTY),
            Some(_) => Some(entry.new_args.unwrap_or_default()),
            None => None,
        };
        self.call_entries.push(CallEntry {
            index,
            is_first: entry.is_first,
            is_custom: entry.is_custom,
            id: entry.new_id,
            name: entry.new_name,
            args,
        });
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.call_indices.by_call.is_empty()
    }

    /// Writes deferred argument objects: at the end of the reply they are complete.
    pub(super) fn flush_deferred_args(&mut self) {
        if self.deferred_args.is_empty() {
            return;
        }
        let entries = self.call_entries.iter().enumerate();
        let positions: HashMap<u64, usize> = entries.map(|(at, entry)| (entry.index, at)).collect();
        for (call, object) in std::mem::take(&mut self.deferred_args) {
            self.chunk.needs_rewrite = true;
            let index = self.call_indices.find_or_assign(call, None);
            let args = Some(JsonString::new(object.as_str()));
            match positions.get(&index) {
                Some(at) => self.call_entries[*at].args = args,
                None => self.call_entries.push(CallEntry { index, args, ..CallEntry::default() }),
            }
        }
    }

    /// Finishes a chunk, and rewrites it if needed.
    pub(super) fn finish_chunk(&mut self, root: JsonNode<'_>) {
        if !(self.enabled && self.chunk.needs_rewrite) {
            return;
        }
        let mut entries = std::mem::take(&mut self.call_entries).into_iter();
        let mut out = Vec::new();
        write_json(Framing::Sse, None, &mut out, |data| {
            data.object(|o| {
                for field in root.fields() {
                    if !field.key_is("choices") {
                        o.key_json_string(&field.key_json_string()).json(&field.value.json());
                        continue;
                    }
                    o.array("choices", |a| {
                        for choice in field.value.items() {
                            if is_other_choice(choice) {
                                a.item().json(&choice.json());
                            } else {
                                a.object(|o| self.write_choice(choice, &mut entries, o));
                            }
                        }
                    });
                }
            });
        });
        self.replacement = Some(out);
    }

    /// Writes deferred arguments as a separate chunk.
    pub(super) fn write_deferred_args(
        &mut self,
        id: Option<&JsonString>,
        model: Option<&JsonString>,
    ) {
        self.begin_chunk();
        self.flush_deferred_args();
        if !(self.enabled && self.chunk.needs_rewrite) {
            return;
        }
        let entries = std::mem::take(&mut self.call_entries);
        let mut out = Vec::new();
        write_json(Framing::Sse, None, &mut out, |data| {
            data.object(|o| {
                o.json_string_opt("id", id);
                o.static_str("object", "chat.completion.chunk");
                o.number("created", 0);
                o.json_string_opt("model", model);
                o.array("choices", |a| {
                    a.object(|o| {
                        o.number("index", 0);
                        o.object("delta", |o| {
                            o.array("tool_calls", |a| {
                                for entry in &entries {
                                    entry.write(None, a);
                                }
                            });
                        });
                        o.null("finish_reason");
                    });
                });
            });
        });
        self.replacement = Some(out);
    }

    pub(super) fn take_replacement(&mut self) -> Option<Vec<u8>> {
        self.replacement.take()
    }

    /// Replaces the frame that was read.
    pub(super) fn replace_frame(&mut self, replacement: Vec<u8>) {
        self.replacement = Some(replacement).filter(|_| self.enabled);
    }

    fn write_choice(
        &self,
        choice: JsonNode<'_>,
        entries: &mut impl Iterator<Item = CallEntry>,
        o: &mut ObjectWriter<'_>,
    ) {
        let [delta, message] = choice.get_many(["delta", "message"]);
        let message = message.filter(|_| self.chunk.message_as_delta);
        let delta = delta.filter(|delta| delta.is_object()).or(message);
        let has_finish_reason = choice.get("finish_reason").is_some_and(JsonNode::is_string);
        for field in choice.fields() {
            match &*field.key() {
                "delta" => {}
                "message" if self.chunk.message_as_delta => {}
                "finish_reason" if self.chunk.fix_finish_reason && has_finish_reason => {}
                _ => o.key_json_string(&field.key_json_string()).json(&field.value.json()),
            }
        }
        o.object("delta", |o| write_delta(delta, has_finish_reason, entries, o));
        if self.chunk.fix_finish_reason && has_finish_reason {
            o.static_str("finish_reason", "tool_calls");
        }
    }
}

impl CallEntry {
    /// Writes the entry, with the other fields of the received node.
    fn write(&self, node: Option<JsonNode<'_>>, out: &mut ArrayWriter<'_>) {
        let (inner, key) =
            if self.is_custom { ("custom", "input") } else { ("function", "arguments") };
        let payload = node.and_then(|node| node.get(inner)).filter(|inner| inner.is_object());
        out.object(|o| {
            o.number("index", self.index);
            o.json_string_opt("id", self.id.as_ref());
            let has_type =
                node.and_then(|node| node.get("type")).is_some_and(|kind| !kind.is_null());
            if self.is_first && !has_type {
                o.static_str("type", inner);
            }
            for field in node.into_iter().flat_map(JsonNode::fields) {
                let is_flat_field =
                    payload.is_none() && (field.key_is("name") || field.key_is(key));
                let is_written = ["index", "id", "function", "custom"]
                    .iter()
                    .any(|reserved| field.key_is(reserved));
                let is_null_type = field.key_is("type") && field.value.is_null();
                if !(is_flat_field || is_written || is_null_type) {
                    o.key_json_string(&field.key_json_string()).json(&field.value.json());
                }
            }
            o.object(inner, |o| {
                o.json_string_opt("name", self.name.as_ref());
                for field in payload.into_iter().flat_map(JsonNode::fields) {
                    if !(field.key_is("name") || field.key_is(key)) {
                        o.key_json_string(&field.key_json_string()).json(&field.value.json());
                    }
                }
                o.json_string_opt(key, self.args.as_ref());
            });
        });
    }
}

fn write_delta(
    delta: Option<JsonNode<'_>>,
    has_finish_reason: bool,
    entries: &mut impl Iterator<Item = CallEntry>,
    o: &mut ObjectWriter<'_>,
) {
    let mut calls = None;
    for field in delta.into_iter().flat_map(JsonNode::fields) {
        match &*field.key() {
            "role" if is_unexpected_role(field.value) => {}
            "tool_calls" => calls = Some(field.value),
            _ => o.key_json_string(&field.key_json_string()).json(&field.value.json()),
        }
    }
    let single_call = calls.filter(|calls| calls.is_object());
    let nodes = calls.into_iter().flat_map(JsonNode::items).chain(single_call);
    let mut pairs: Vec<(Option<JsonNode<'_>>, CallEntry)> =
        nodes.zip(entries.by_ref()).map(|(node, entry)| (Some(node), entry)).collect();
    if has_finish_reason {
        pairs.extend(entries.by_ref().map(|entry| (None, entry)));
    }
    if !pairs.is_empty() {
        o.array("tool_calls", |a| {
            for (node, entry) in &pairs {
                entry.write(*node, a);
            }
        });
    }
}

/// Returns whether the role is not `assistant`, such as an empty string: SDKs accept only that
/// value.
pub(super) fn is_unexpected_role(role: JsonNode<'_>) -> bool {
    role.is_string() && role.str_or_empty() != "assistant"
}

/// Returns whether the choice is not the first one.
pub(super) fn is_other_choice(choice: JsonNode<'_>) -> bool {
    choice.get("index").is_some_and(|index| index.as_u64().is_some_and(|at| at > 0))
}
