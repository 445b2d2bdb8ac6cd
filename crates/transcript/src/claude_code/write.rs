//! Writes a repaired conversation back into a Claude Code file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bytes::Bytes;
use interlingua::{JsonDoc, JsonLimits, JsonString, RawJson};
use interlingua_wire::JsonNode;
use interlingua_wire::json::ObjectWriter;

use super::chain::{Entry, EntryKind, EntryTree};
use super::request::role_name;
use crate::patch::FilePatch;
use crate::{
    Insertion, PartChange, PartEdits, Transcript, TranscriptFile, diff, ids, request_parts,
};

pub(super) fn write(source: &TranscriptFile, transcript: &Transcript, repaired: &Bytes) -> Bytes {
    let repaired_doc = JsonDoc::from_bytes(repaired.clone(), JsonLimits::default());
    let (Some(tree), Ok(repaired_doc)) = (EntryTree::read(source), repaired_doc) else {
        return source.bytes().clone();
    };
    let edits = diff(&transcript.parts, &request_parts(transcript.dialect, &repaired_doc));
    let mut rewriter = FileRewriter::new(source, transcript, &tree, &edits);
    rewriter.rewrite_contents();
    rewriter.insert_lines();
    rewriter.relink();
    rewriter.patch.apply(source)
}

struct FileRewriter<'r> {
    source: &'r TranscriptFile,
    transcript: &'r Transcript,
    tree: &'r EntryTree<'r>,
    edits: &'r PartEdits,
    /// Line → entry.
    entry_by_line: HashMap<usize, usize>,
    /// Uuid → entry.
    entry_by_uuid: HashMap<&'r str, usize>,
    /// Entry → its position on the path.
    path_index: HashMap<usize, usize>,
    /// Entries with removed lines.
    removed: BTreeSet<usize>,
    /// Entry → its new parent's uuid.
    new_parents: BTreeMap<usize, Option<String>>,
    patch: FilePatch,
}

impl<'r> FileRewriter<'r> {
    fn new(
        source: &'r TranscriptFile,
        transcript: &'r Transcript,
        tree: &'r EntryTree<'r>,
        edits: &'r PartEdits,
    ) -> Self {
        let entry_by_line =
            tree.entries.iter().enumerate().map(|(index, entry)| (entry.line, index));
        let entry_by_uuid =
            tree.entries.iter().enumerate().map(|(index, entry)| (&*entry.uuid, index));
        let path_index = tree.path.iter().enumerate().map(|(step, index)| (*index, step));
        Self {
            source,
            transcript,
            tree,
            edits,
            entry_by_line: entry_by_line.collect(),
            entry_by_uuid: entry_by_uuid.collect(),
            path_index: path_index.collect(),
            removed: BTreeSet::new(),
            new_parents: BTreeMap::new(),
            patch: FilePatch::default(),
        }
    }

    /// Rewrites lines with changed blocks, and removes lines without any blocks left.
    fn rewrite_contents(&mut self) {
        let mut parts_by_entry: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        let mut inserts_by_entry: HashMap<usize, Vec<&Insertion>> = HashMap::new();
        for insert in &self.edits.insertions {
            if let Some(entry) = self.enclosing_entry(insert) {
                inserts_by_entry.entry(entry).or_default().push(insert);
            }
        }
        for (at, part) in self.transcript.parts.iter().enumerate() {
            let Some(location) = part.location else { continue };
            if let Some(entry) = self.entry_by_line.get(&location.record) {
                parts_by_entry.entry(*entry).or_default().push((location.index, at));
            }
        }
        for (entry, mut slots) in parts_by_entry {
            slots.sort_unstable();
            let inserts = inserts_by_entry.remove(&entry).unwrap_or_default();
            let is_unchanged =
                |(_, part): &(usize, usize)| self.edits.changes[*part] == PartChange::Unchanged;
            if inserts.is_empty() && slots.iter().all(is_unchanged) {
                continue;
            }
            let mut blocks: Vec<&RawJson> = Vec::new();
            for (_, part) in slots {
                match &self.edits.changes[part] {
                    PartChange::Unchanged => blocks.push(&self.transcript.parts[part].json),
                    PartChange::Rewritten(json) => blocks.push(json),
                    PartChange::Removed => {}
                }
                let followers = inserts.iter().filter(|insert| insert.previous == Some(part));
                blocks.extend(followers.map(|insert| &insert.json));
            }
            self.remove_duplicates(entry);
            let entry_read = &self.tree.entries[entry];
            let line = &self.source.lines()[entry_read.line];
            if blocks.is_empty() {
                self.patch.remove_line(line, self.source.bytes());
                self.removed.insert(entry);
            } else if let Some(content) = entry_read.content() {
                let blocks =
                    RawJson::array(|a| blocks.iter().for_each(|block| a.item().json(block)));
                self.patch.replace(line.file_range(content), blocks.as_str());
            }
        }
    }

    /// Removes lines that repeat a changed entry.
    fn remove_duplicates(&mut self, entry: usize) {
        for (_, line) in self.tree.duplicates.iter().filter(|(first, _)| *first == entry) {
            self.patch.remove_line(&self.source.lines()[*line], self.source.bytes());
        }
    }

    /// The entry of a new block, if both of the block's neighbours are on its line.
    fn enclosing_entry(&self, insert: &Insertion) -> Option<usize> {
        let (entry_before, entry_after) =
            (self.entry_of_part(insert.previous), self.entry_of_part(insert.next));
        entry_before.filter(|_| entry_before == entry_after)
    }

    /// The entry of a block.
    fn entry_of_part(&self, part: Option<usize>) -> Option<usize> {
        let location = self.transcript.parts.get(part?)?.location?;
        self.entry_by_line.get(&location.record).copied()
    }

    /// Adds new lines, one per message, for new blocks between two lines.
    fn insert_lines(&mut self) {
        let inserts: Vec<&'r Insertion> = self
            .edits
            .insertions
            .iter()
            .filter(|insert| self.enclosing_entry(insert).is_none())
            .collect();
        let groups: Vec<_> =
            inserts.chunk_by(|a, b| self.entry_before(a) == self.entry_before(b)).collect();
        for group in groups {
            let previous = self.entry_before(group[0]);
            let next = self.next_on_path(previous);
            // If no entry is left, the new lines replace the removed ones.
            let first = self.tree.path.first().copied();
            let Some(template) = previous.or(next).or(first) else { continue };
            let mut parent = match previous {
                Some(entry) => Some(self.tree.entries[entry].uuid.to_string()),
                None => self.parent_of(template),
            };
            let mut lines = Vec::new();
            for message in group.chunk_by(|a, b| a.turn == b.turn) {
                let (line, uuid) = self.new_line(message, template, parent.as_deref());
                lines.push(line);
                parent = Some(uuid);
            }
            let line = &self.source.lines()[self.tree.entries[template].line];
            if previous.is_some() {
                self.patch.add_lines(line, &lines, self.source.bytes());
            } else {
                self.patch.add_lines_before(line, &lines);
            }
            if let Some(next) = next {
                self.new_parents.insert(next, parent);
            }
        }
    }

    /// The entry after which a new block belongs; `None` for the beginning.
    fn entry_before(&self, insert: &Insertion) -> Option<usize> {
        let parts = &self.transcript.parts[..=insert.previous?];
        let location = parts.iter().rev().find_map(|part| part.location)?;
        let entry = *self.entry_by_line.get(&location.record)?;
        let side_entry = self.tree.off_path_entries.iter().find(|(_, index)| *index == entry);
        let entry = match side_entry {
            Some((anchor, _)) if self.removed.contains(anchor) => return Some(entry),
            Some((anchor, _)) => *anchor,
            None => entry,
        };
        let path = &self.tree.path[..=*self.path_index.get(&entry)?];
        path.iter().rev().find(|index| !self.removed.contains(index)).copied()
    }

    /// The next entry of the path that is not removed.
    fn next_on_path(&self, entry: Option<usize>) -> Option<usize> {
        let step = match entry {
            Some(entry) => self.path_index.get(&entry)? + 1,
            None => 0,
        };
        self.tree.path[step..].iter().find(|index| !self.removed.contains(index)).copied()
    }

    /// A new line with fields copied from its neighbour, and its uuid.
    fn new_line(
        &self,
        inserts: &[&Insertion],
        neighbour: usize,
        parent: Option<&str>,
    ) -> (String, String) {
        let content =
            RawJson::array(|a| inserts.iter().for_each(|insert| a.item().json(&insert.json)));
        let uuid = ids::uuid(parent.unwrap_or_default(), content.as_str());
        let neighbour = &self.tree.entries[neighbour];
        let sibling = self.entry_of_part(inserts[0].sibling).map(|entry| &self.tree.entries[entry]);
        let kind =
            if inserts[0].role == "assistant" { EntryKind::Assistant } else { EntryKind::User };
        let line = RawJson::object(|o| {
            let has_uuid = !neighbour.uuid.is_empty();
            if has_uuid {
                write_uuid(o, "parentUuid", parent);
            }
            for field in
                neighbour.root.fields().filter(|field| COPIED_FIELDS.contains(&&*field.key()))
            {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
            o.str("type", role_name(kind));
            match kind {
                EntryKind::Assistant => o.object("message", |o| {
                    write_reply(sibling.filter(|entry| entry.kind == kind), &uuid, &content, o);
                }),
                EntryKind::User | EntryKind::Link => o.object("message", |o| {
                    o.str("role", role_name(kind));
                    o.json("content", &content);
                }),
            }
            if has_uuid {
                o.str("uuid", &uuid);
            }
            if let Some(time) = neighbour.root.get("timestamp") {
                o.json("timestamp", &time.json());
            }
        });
        (line.as_str().to_owned(), uuid)
    }

    /// The closest ancestor's uuid that is not removed.
    fn parent_of(&self, entry: usize) -> Option<String> {
        let index = |uuid: &str| self.entry_by_uuid.get(uuid).copied();
        let repaired_link =
            |entry: usize| self.tree.repaired_links.iter().find(|(child, _)| *child == entry);
        let mut current = entry;
        // Bounds the loop in case of a cycle.
        for _ in 0..=self.tree.entries.len() {
            let parent = match repaired_link(current) {
                Some((_, parent)) => Some(*parent),
                None => self.tree.entries[current].parent.as_deref().and_then(index),
            };
            match parent {
                Some(parent) if self.removed.contains(&parent) => current = parent,
                Some(parent) => return Some(self.tree.entries[parent].uuid.to_string()),
                None => return self.tree.entries[current].parent.as_ref().map(ToString::to_string),
            }
        }
        None
    }

    /// Writes the new parent links.
    fn relink(&mut self) {
        let removed: HashMap<&str, usize> =
            self.removed.iter().map(|index| (&*self.tree.entries[*index].uuid, *index)).collect();
        // The agent relinks preserved messages while it reads, which may fail after a change: write
        // these links too.
        let has_changes = !removed.is_empty() || !self.new_parents.is_empty();
        for (index, entry) in self.tree.entries.iter().enumerate() {
            let parent_is_removed =
                entry.parent.as_deref().is_some_and(|parent| removed.contains_key(parent));
            let is_repaired = self.tree.repaired_links.iter().any(|(child, _)| *child == index);
            let is_relinked = entry.is_relinked && has_changes;
            if (parent_is_removed || is_repaired || is_relinked)
                && !self.new_parents.contains_key(&index)
            {
                self.new_parents.insert(index, self.parent_of(index));
            }
        }
        for (index, parent) in &std::mem::take(&mut self.new_parents) {
            let entry = &self.tree.entries[*index];
            if let Some(node) =
                entry.root.get("parentUuid").filter(|_| !self.removed.contains(index))
            {
                self.remove_duplicates(*index);
                self.replace_uuid(entry.line, node, parent.as_deref());
            }
        }
        if removed.is_empty() {
            return;
        }
        let links = self.source.lines().iter().enumerate().flat_map(|(line, source_line)| {
            let root = source_line.root();
            UUID_FIELDS.iter().filter_map(move |key| Some((line, root?.get(key)?)))
        });
        let removed_links: Vec<_> = links
            .filter_map(|(line, node)| Some((line, node, *removed.get(&*node.str_or_empty())?)))
            .collect();
        for (line, node, entry) in removed_links {
            self.replace_uuid(line, node, self.parent_of(entry).as_deref());
        }
    }

    fn replace_uuid(&mut self, line: usize, node: JsonNode<'_>, uuid: Option<&str>) {
        let range = self.source.lines()[line].file_range(node);
        let uuid = uuid.map_or(RawJson::NULL, |uuid| RawJson::string(&JsonString::new(uuid)));
        self.patch.replace(range, uuid.as_str());
    }
}

/// Writes a message with the fields of its neighbour's reply, or a new reply.
fn write_reply(reply: Option<&Entry<'_>>, uuid: &str, content: &RawJson, o: &mut ObjectWriter<'_>) {
    if let Some(message) = reply.and_then(Entry::message) {
        for field in message.fields().filter(|field| !field.key_is("content")) {
            o.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
        o.json("content", content);
        return;
    }
    o.str("id", &format!("msg_{}", uuid.replace('-', "")));
    o.str("type", "message");
    o.str("role", "assistant");
    o.json("content", content);
    o.null("stop_reason");
    o.null("stop_sequence");
}

fn write_uuid(o: &mut ObjectWriter<'_>, key: &'static str, uuid: Option<&str>) {
    match uuid {
        Some(uuid) => o.str(key, uuid),
        None => o.null(key),
    }
}

/// Fields that a new line copies from its neighbour.
const COPIED_FIELDS: &[&str] = &[
    "isSidechain",
    "userType",
    "entrypoint",
    "cwd",
    "sessionId",
    "session_id",
    "version",
    "gitBranch",
    "slug",
    "agentId",
    "teamName",
    "agentName",
];

/// Other fields with the uuid of a line.
const UUID_FIELDS: &[&str] = &["leafUuid", "logicalParentUuid"];
