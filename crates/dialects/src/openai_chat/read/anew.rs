//! Chunks that clients of the dialect would misread: said anew, where all others leave as they came.
//!
//! Packages merge calls by their index, add strings to strings, and refuse what has another type than
//! the inventor's. A chunk is odd if that would not give what was read.

use interlingua_wire::frame::write_json;
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Framing, Json, Node, Text};

/// What clients have of the chunks so far.
#[derive(Debug, Default)]
pub(super) struct Passed {
    /// Whether chunks leave as they come.
    pub(super) on: bool,
    /// The index that clients know each call by.
    indices: Vec<u64>,
    /// Arguments that come as objects, each told whole: clients get the last one.
    owed: Vec<(usize, Json)>,
    pub(super) chunk: Chunk,
    entries: Vec<Entry>,
    anew: Option<Vec<u8>>,
}

/// What is found of the chunk that is being read.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// It has to be said anew.
    pub(super) odd: bool,
    /// Its message stands for its delta.
    pub(super) whole: bool,
    /// It says another reason for the end than the calls.
    pub(super) ends_for_calls: bool,
}

/// What clients get of one entry of a chunk's calls.
#[derive(Debug, Default)]
struct Entry {
    index: u64,
    begins: bool,
    custom: bool,
    id: Option<Text>,
    name: Option<Text>,
    args: Option<Text>,
}

/// An entry as it was written, and what was read of it.
#[derive(Debug)]
pub(super) struct Read<'r> {
    /// Its call, and whether it begins there.
    pub(super) at: usize,
    pub(super) begins: bool,
    pub(super) custom: bool,
    /// The index it says.
    pub(super) index: Option<u64>,
    pub(super) id: &'r Text,
    pub(super) name: &'r Text,
    /// Its arguments.
    pub(super) piece: Option<Node<'r>>,
    /// Those of id and name that are new.
    pub(super) new_id: Option<Text>,
    pub(super) new_name: Option<Text>,
    /// What is new of the arguments.
    pub(super) fresh: Option<Text>,
    /// The entry has name and arguments where packages look for them.
    pub(super) nested: bool,
}

impl Passed {
    /// Before a chunk is read.
    pub(super) fn begin(&mut self) {
        self.chunk = Chunk::default();
        self.entries.clear();
    }

    /// Takes an entry of the chunk's calls.
    pub(super) fn entry(&mut self, read: Read<'_>) {
        let index = self.index(read.at, read.index);
        let object = read.piece.filter(|piece| piece.is_object());
        let is_text = read.piece.is_none_or(Node::is_string);
        if let Some(object) = object {
            self.owed.retain(|(at, _)| *at != read.at);
            self.owed.push((read.at, object.json()));
        } else if read.fresh.is_some() {
            self.owed.retain(|(at, _)| *at != read.at);
        }
        let all = |said: &Text, new: &Option<Text>| said.is_empty() || new.as_ref() == Some(said);
        let whole = |piece: Node<'_>| {
            let text = piece.text().unwrap_or_default();
            text.is_empty() || read.fresh.as_ref() == Some(&text)
        };
        self.chunk.odd |= read.index != Some(index)
            || !is_text
            || !read.nested
            || !all(read.id, &read.new_id)
            || (read.id.is_empty() && read.new_id.is_some())
            || !all(read.name, &read.new_name)
            || !read.piece.is_none_or(whole);
        let args = match read.piece {
            Some(_) if object.is_some() => Some(Text::EMPTY),
            Some(_) => Some(read.fresh.unwrap_or_default()),
            None => None,
        };
        self.entries.push(Entry {
            index,
            begins: read.begins,
            custom: read.custom,
            id: read.new_id,
            name: read.new_name,
            args,
        });
    }

    /// The index of a call for clients: the one it came with, unless another call has it.
    fn index(&mut self, at: usize, said: Option<u64>) -> u64 {
        while self.indices.len() <= at {
            let next = self.indices.iter().max().map_or(0, |last| last + 1);
            let said = said.filter(|said| !self.indices.contains(said));
            self.indices.push(said.unwrap_or(next));
        }
        self.indices.get(at).copied().unwrap_or_default()
    }

    pub(super) fn has_calls(&self) -> bool {
        !self.indices.is_empty()
    }

    /// The reply ends: arguments that are objects are whole.
    pub(super) fn settle(&mut self) {
        for (at, object) in std::mem::take(&mut self.owed) {
            self.chunk.odd = true;
            let (index, args) = (self.index(at, None), Some(Text::new(object.as_str())));
            match self.entries.iter_mut().rev().find(|entry| entry.index == index) {
                Some(entry) => entry.args = args,
                None => self.entries.push(Entry { index, args, ..Entry::default() }),
            }
        }
    }

    /// After a chunk was read: says it anew if it is odd.
    pub(super) fn end(&mut self, root: Node<'_>) {
        if !(self.on && self.chunk.odd) {
            return;
        }
        let mut entries = std::mem::take(&mut self.entries).into_iter();
        let mut out = Vec::new();
        write_json(Framing::Sse, None, &mut out, |data| {
            data.object(|o| {
                for field in root.fields() {
                    if !field.is("choices") {
                        o.key_text(&field.key()).json(&field.value.json());
                        continue;
                    }
                    o.array("choices", |a| {
                        for choice in field.value.items() {
                            if super::is_further(choice) {
                                a.item().json(&choice.json());
                            } else {
                                a.object(|o| self.choice(choice, &mut entries, o));
                            }
                        }
                    });
                }
            });
        });
        self.anew = Some(out);
    }

    /// Says arguments that are owed in a chunk of their own.
    pub(super) fn pay(&mut self, id: Option<&Text>, model: Option<&Text>) {
        self.begin();
        self.settle();
        if !(self.on && self.chunk.odd) {
            return;
        }
        let entries = std::mem::take(&mut self.entries);
        let mut out = Vec::new();
        write_json(Framing::Sse, None, &mut out, |data| {
            data.object(|o| {
                o.text_if("id", id);
                o.known("object", "chat.completion.chunk");
                o.number("created", 0);
                o.text_if("model", model);
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
        self.anew = Some(out);
    }

    /// What is said in place of the chunk that was read.
    pub(super) fn take(&mut self) -> Option<Vec<u8>> {
        self.anew.take()
    }

    /// Something else is said in its place.
    pub(super) fn say(&mut self, instead: Vec<u8>) {
        self.anew = Some(instead).filter(|_| self.on);
    }

    fn choice(
        &self,
        choice: Node<'_>,
        entries: &mut impl Iterator<Item = Entry>,
        o: &mut Object<'_>,
    ) {
        let [delta, message] = choice.pick(["delta", "message"]);
        let message = message.filter(|_| self.chunk.whole);
        let delta = delta.filter(|delta| delta.is_object()).or(message);
        let ends = choice.get("finish_reason").is_some_and(Node::is_string);
        for field in choice.fields() {
            match &*field.name() {
                "delta" => {}
                "message" if self.chunk.whole => {}
                "finish_reason" if self.chunk.ends_for_calls && ends => {}
                _ => o.key_text(&field.key()).json(&field.value.json()),
            }
        }
        o.object("delta", |o| write_delta(delta, ends, entries, o));
        if self.chunk.ends_for_calls && ends {
            o.known("finish_reason", "tool_calls");
        }
    }
}

impl Entry {
    /// Writes it, with what else the entry says that was read.
    fn write(&self, node: Option<Node<'_>>, out: &mut Array<'_>) {
        let (inner, key) =
            if self.custom { ("custom", "input") } else { ("function", "arguments") };
        let payload = node.and_then(|node| node.get(inner)).filter(|inner| inner.is_object());
        out.object(|o| {
            o.number("index", self.index);
            o.text_if("id", self.id.as_ref());
            let typed = node.and_then(|node| node.get("type")).is_some_and(|kind| !kind.is_null());
            if self.begins && !typed {
                o.known("type", inner);
            }
            for field in node.into_iter().flat_map(Node::fields) {
                let flat = payload.is_none() && (field.is("name") || field.is(key));
                let told = ["index", "id", "function", "custom"].iter().any(|own| field.is(own));
                let untyped = field.is("type") && field.value.is_null();
                if !(flat || told || untyped) {
                    o.key_text(&field.key()).json(&field.value.json());
                }
            }
            o.object(inner, |o| {
                o.text_if("name", self.name.as_ref());
                for field in payload.into_iter().flat_map(Node::fields) {
                    if !(field.is("name") || field.is(key)) {
                        o.key_text(&field.key()).json(&field.value.json());
                    }
                }
                o.text_if(key, self.args.as_ref());
            });
        });
    }
}

fn write_delta(
    delta: Option<Node<'_>>,
    ends: bool,
    entries: &mut impl Iterator<Item = Entry>,
    o: &mut Object<'_>,
) {
    let mut calls = None;
    for field in delta.into_iter().flat_map(Node::fields) {
        match &*field.name() {
            "role" if is_odd_role(field.value) => {}
            "tool_calls" => calls = Some(field.value),
            _ => o.key_text(&field.key()).json(&field.value.json()),
        }
    }
    let one = calls.filter(|calls| calls.is_object());
    let nodes = calls.into_iter().flat_map(Node::items).chain(one);
    let mut said: Vec<(Option<Node<'_>>, Entry)> =
        nodes.zip(entries.by_ref()).map(|(node, entry)| (Some(node), entry)).collect();
    if ends {
        said.extend(entries.by_ref().map(|entry| (None, entry)));
    }
    if !said.is_empty() {
        o.array("tool_calls", |a| {
            for (node, entry) in &said {
                entry.write(*node, a);
            }
        });
    }
}

/// A role that is no role, such as an empty one: packages know one word.
pub(super) fn is_odd_role(role: Node<'_>) -> bool {
    role.is_string() && role.word() != "assistant"
}
