//! Finds the path of entries that is the conversation, through parent links, compaction and broken
//! links.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use interlingua_wire::JsonNode;

use crate::TranscriptFile;

/// The linked entries of a file.
#[derive(Debug)]
pub(super) struct EntryTree<'s> {
    pub(super) entries: Vec<Entry<'s>>,
    /// The conversation, first to last: indices of entries.
    pub(super) path: Vec<usize>,
    /// Results of parallel tool calls, which are on side branches: the path's entry after which
    /// each belongs, and its own entry.
    pub(super) off_path_entries: Vec<(usize, usize)>,
    /// Repaired links, where the parent cannot be read: the entry, and the one before it in the
    /// file.
    pub(super) repaired_links: Vec<(usize, usize)>,
    /// Lines that repeat an entry: the entry, and the line.
    pub(super) duplicates: Vec<(usize, usize)>,
}

/// A line with a message, or a line that links messages.
#[derive(Debug)]
pub(super) struct Entry<'s> {
    /// The index of its line in the source.
    pub(super) line: usize,
    pub(super) root: JsonNode<'s>,
    pub(super) uuid: Cow<'s, str>,
    pub(super) parent: Option<Cow<'s, str>>,
    /// `parent` differs from the file: it was changed by a compaction that preserved messages.
    pub(super) is_relinked: bool,
    pub(super) kind: EntryKind,
    /// Belongs to a sub-agent.
    pub(super) is_sidechain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    User,
    Assistant,
    /// Links other entries; not sent to the model.
    Link,
}

impl<'s> EntryTree<'s> {
    /// Returns `None` if the file has no message of this format.
    pub(super) fn read(source: &'s TranscriptFile) -> Option<Self> {
        let mut tree = Self {
            entries: Vec::new(),
            path: Vec::new(),
            off_path_entries: Vec::new(),
            repaired_links: Vec::new(),
            duplicates: Vec::new(),
        };
        let entries =
            (0..source.lines().len()).filter_map(|line| Entry::read(line, source.object_at(line)?));
        let mut by_uuid: HashMap<Cow<'s, str>, usize> = HashMap::new();
        for entry in entries {
            if let Some(first) = by_uuid.get(&entry.uuid).filter(|_| !entry.uuid.is_empty()) {
                tree.duplicates.push((*first, entry.line));
            } else {
                by_uuid.insert(entry.uuid.clone(), tree.entries.len());
                tree.entries.push(entry);
            }
        }
        let all_sidechain =
            tree.entries.iter().all(|entry| entry.is_sidechain || !entry.is_message());
        let belongs =
            |entry: &Entry<'_>| entry.is_message() && (all_sidechain || !entry.is_sidechain);
        let leaf = tree.entries.iter().rposition(belongs)?;
        if tree.entries.iter().any(|entry| entry.parent.is_some()) {
            tree.relink_preserved_segment(&by_uuid);
            tree.walk_back(leaf, source);
            tree.collect_side_entries();
        } else {
            tree.path = (0..=leaf).filter(|at| belongs(&tree.entries[*at])).collect();
        }
        Some(tree)
    }

    /// A compaction may preserve the last messages: they follow the summary, and the entries after
    /// the summary follow them. The boundary entry names the first and last preserved message and
    /// the summary; only the last boundary's segment is used.
    fn relink_preserved_segment(&mut self, by_uuid: &HashMap<Cow<'s, str>, usize>) {
        let is_boundary = |entry: &&Entry<'_>| {
            let subtype = entry.root.get("subtype").filter(|_| entry.kind == EntryKind::Link);
            subtype.is_some_and(|subtype| subtype.str_or_empty() == "compact_boundary")
        };
        let boundary = self.entries.iter().rfind(is_boundary).map(|entry| entry.root);
        let metadata = boundary.and_then(|boundary| boundary.get("compactMetadata"));
        let Some(segment) = metadata.and_then(|metadata| metadata.get("preservedSegment")) else {
            return;
        };
        let find_entry =
            |key| segment.get(key).and_then(|uuid| by_uuid.get(&uuid.str_or_empty()).copied());
        let ends = (find_entry("headUuid"), find_entry("anchorUuid"), find_entry("tailUuid"));
        let (Some(head), Some(anchor), Some(tail)) = ends else { return };
        let mut index = tail;
        let mut seen = HashSet::new();
        while index != head {
            let parent = self.entries[index].parent.as_ref().and_then(|uuid| by_uuid.get(uuid));
            // A broken segment is left unchanged.
            let Some(parent) = parent.filter(|_| seen.insert(index)) else { return };
            index = *parent;
        }
        let [anchor, tail] = [anchor, tail].map(|index| self.entries[index].uuid.clone());
        for (index, entry) in self.entries.iter_mut().enumerate() {
            let parent = match entry.parent.as_ref() {
                _ if index == head => &anchor,
                Some(parent) if *parent == anchor => &tail,
                _ => continue,
            };
            entry.is_relinked = entry.parent.as_ref() != Some(parent);
            entry.parent = Some(parent.clone());
        }
    }

    /// Follows parent links from the newest message to the first.
    fn walk_back(&mut self, leaf: usize, source: &TranscriptFile) {
        let index: HashMap<&str, usize> = self
            .entries
            .iter()
            .enumerate()
            .map(|(entry_index, entry)| (&*entry.uuid, entry_index))
            .collect();
        let mut seen = HashSet::new();
        let mut repaired = Vec::new();
        let mut next = Some(leaf);
        while let Some(entry_index) = next.filter(|entry_index| seen.insert(*entry_index)) {
            self.path.push(entry_index);
            let entry = &self.entries[entry_index];
            let Some(parent) = &entry.parent else { break };
            next = index.get(&**parent).copied().or_else(|| {
                let previous = self.entry_before_unreadable(entry_index, source)?;
                repaired.push((entry_index, previous));
                Some(previous)
            });
        }
        self.path.reverse();
        self.repaired_links = repaired;
    }

    /// The previous entry in the file, if an unreadable line is between them: that line was the
    /// link.
    fn entry_before_unreadable(&self, at: usize, source: &TranscriptFile) -> Option<usize> {
        let entry = &self.entries[at];
        let earlier =
            (0..at).rev().find(|index| self.entries[*index].is_sidechain == entry.is_sidechain)?;
        let mut lines_between = source.lines()[self.entries[earlier].line..entry.line].iter();
        lines_between.any(|line| line.doc.is_err()).then_some(earlier)
    }

    /// Collects side branches: a reply with parallel tool calls has one line per call, and each
    /// result follows its call's line, so that only one of these branches is on the path.
    fn collect_side_entries(&mut self) {
        let on_path: HashSet<usize> = self.path.iter().copied().collect();
        // The last line of each reply on the path.
        let mut anchors: HashMap<Cow<'s, str>, usize> = HashMap::new();
        for at in &self.path {
            if let Some(id) = self.entries[*at].message_id() {
                anchors.insert(id, *at);
            }
        }
        // Lines of those replies, on and off the path.
        let mut anchor_by_uuid: HashMap<&str, usize> = HashMap::new();
        let mut side_entries = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            let Some(anchor) = entry.message_id().and_then(|id| anchors.get(&id)) else { continue };
            anchor_by_uuid.insert(&entry.uuid, *anchor);
            if !on_path.contains(&at) {
                side_entries.push((*anchor, at));
            }
        }
        for (at, entry) in self.entries.iter().enumerate() {
            let anchor = entry.parent.as_ref().and_then(|parent| anchor_by_uuid.get(&**parent));
            let Some(anchor) = anchor.filter(|_| !on_path.contains(&at)) else { continue };
            if entry.kind == EntryKind::User && entry.has_tool_result() {
                side_entries.push((*anchor, at));
            }
        }
        self.off_path_entries = side_entries;
    }

    /// The conversation, with the side branches inserted.
    pub(super) fn conversation(&self) -> Vec<usize> {
        let mut followers: HashMap<usize, Vec<usize>> = HashMap::new();
        for (anchor, at) in &self.off_path_entries {
            followers.entry(*anchor).or_default().push(*at);
        }
        let with_followers = |at: &usize| {
            let side_entries = followers.get(at).cloned().unwrap_or_default();
            std::iter::once(*at).chain(side_entries)
        };
        self.path.iter().flat_map(with_followers).collect()
    }
}

impl<'s> Entry<'s> {
    fn read(line: usize, root: JsonNode<'s>) -> Option<Self> {
        let [kind, uuid, parent, is_sidechain, message] =
            root.get_many(["type", "uuid", "parentUuid", "isSidechain", "message"]);
        let has_message = message.is_some_and(JsonNode::is_object);
        let kind = match &*kind?.str_or_empty() {
            "user" if has_message => EntryKind::User,
            "assistant" if has_message => EntryKind::Assistant,
            _ => EntryKind::Link,
        };
        let uuid = uuid.map(JsonNode::str_or_empty).unwrap_or_default();
        if uuid.is_empty() && kind == EntryKind::Link {
            return None;
        }
        // An agent's own field is required, as any list of messages has objects with a message.
        if uuid.is_empty() && root.get("sessionId").is_none() {
            return None;
        }
        let parent = parent.filter(|parent| parent.is_string()).map(JsonNode::str_or_empty);
        let is_sidechain = is_sidechain.and_then(JsonNode::as_bool).unwrap_or(false);
        Some(Self { line, root, uuid, parent, is_relinked: false, kind, is_sidechain })
    }

    fn is_message(&self) -> bool {
        self.kind != EntryKind::Link
    }

    pub(super) fn message(&self) -> Option<JsonNode<'s>> {
        self.root.get("message").filter(|_| self.is_message())
    }

    pub(super) fn content(&self) -> Option<JsonNode<'s>> {
        self.message()?.get("content")
    }

    /// The id of the reply that this line belongs to.
    pub(super) fn message_id(&self) -> Option<Cow<'s, str>> {
        let id =
            self.message()?.get("id").filter(|_| self.kind == EntryKind::Assistant)?.str_or_empty();
        (!id.is_empty()).then_some(id)
    }

    pub(super) fn has_tool_result(&self) -> bool {
        let mut blocks = self.content().into_iter().flat_map(JsonNode::items);
        blocks.any(is_tool_result)
    }
}

pub(super) fn is_tool_result(block: JsonNode<'_>) -> bool {
    block.get("type").is_some_and(|kind| kind.str_or_empty() == "tool_result")
}
