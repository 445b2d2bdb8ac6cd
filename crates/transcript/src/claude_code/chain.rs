//! Which lines of the file are the conversation, and in which order.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use interlingua::wire::Node;

use crate::Source;

/// The events of a file that are linked with each other.
#[derive(Debug)]
pub(super) struct Chain<'s> {
    pub(super) events: Vec<Event<'s>>,
    /// The conversation, first to last: indices of events.
    pub(super) walk: Vec<usize>,
    /// Results of parallel runs that stand on side branches: the event of the walk behind which each
    /// belongs, and the event.
    pub(super) beside: Vec<(usize, usize)>,
    /// Events whose parent cannot be read: the event, and the one it follows in the file.
    pub(super) bridges: Vec<(usize, usize)>,
    /// Lines that say an event again: the event, and the line.
    pub(super) repeats: Vec<(usize, usize)>,
}

/// A line with a message, or one that links such lines.
#[derive(Debug)]
pub(super) struct Event<'s> {
    /// The index of its line in the source.
    pub(super) line: usize,
    pub(super) root: Node<'s>,
    pub(super) uuid: Cow<'s, str>,
    pub(super) parent: Option<Cow<'s, str>>,
    /// The line names another parent, as it stood before the conversation was made shorter.
    pub(super) moved: bool,
    pub(super) kind: Kind,
    /// Of a sub-agent.
    pub(super) side: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    /// Links others, and says nothing to the model.
    Link,
}

impl<'s> Chain<'s> {
    /// None if the file holds no message of this format.
    pub(super) fn read(source: &'s Source) -> Option<Self> {
        let mut chain = Self {
            events: Vec::new(),
            walk: Vec::new(),
            beside: Vec::new(),
            bridges: Vec::new(),
            repeats: Vec::new(),
        };
        let events =
            (0..source.lines().len()).filter_map(|line| Event::read(line, source.object(line)?));
        let mut named: HashMap<Cow<'s, str>, usize> = HashMap::new();
        for event in events {
            if let Some(first) = named.get(&event.uuid).filter(|_| !event.uuid.is_empty()) {
                chain.repeats.push((*first, event.line));
            } else {
                named.insert(event.uuid.clone(), chain.events.len());
                chain.events.push(event);
            }
        }
        let only_side = chain.events.iter().all(|event| event.side || !event.speaks());
        let own = |event: &Event<'_>| event.speaks() && (only_side || !event.side);
        let leaf = chain.events.iter().rposition(own)?;
        if chain.events.iter().any(|event| event.parent.is_some()) {
            chain.keep_segment(&named);
            chain.follow(leaf, source);
            chain.recover();
        } else {
            chain.walk = (0..=leaf).filter(|at| own(&chain.events[*at])).collect();
        }
        Some(chain)
    }

    /// When a conversation is made shorter, its last messages may be kept: they follow the summary, and
    /// what follows the summary follows them. The mark of the shortening names the first and the last of
    /// them, and the summary; only that of the last one counts.
    fn keep_segment(&mut self, named: &HashMap<Cow<'s, str>, usize>) {
        let is_mark = |event: &&Event<'_>| {
            let subtype = event.root.get("subtype").filter(|_| event.kind == Kind::Link);
            subtype.is_some_and(|subtype| subtype.word() == "compact_boundary")
        };
        let mark = self.events.iter().rfind(is_mark).map(|event| event.root);
        let metadata = mark.and_then(|mark| mark.get("compactMetadata"));
        let Some(segment) = metadata.and_then(|metadata| metadata.get("preservedSegment")) else {
            return;
        };
        let event = |key| segment.get(key).and_then(|uuid| named.get(&uuid.word()).copied());
        let ends = (event("headUuid"), event("anchorUuid"), event("tailUuid"));
        let (Some(head), Some(anchor), Some(tail)) = ends else { return };
        let mut at = tail;
        let mut seen = HashSet::new();
        while at != head {
            let parent = self.events[at].parent.as_ref().and_then(|uuid| named.get(uuid));
            // A chain that is broken is left as it is.
            let Some(parent) = parent.filter(|_| seen.insert(at)) else { return };
            at = *parent;
        }
        let [anchor, tail] = [anchor, tail].map(|at| self.events[at].uuid.clone());
        for (at, event) in self.events.iter_mut().enumerate() {
            let parent = match event.parent.as_ref() {
                _ if at == head => &anchor,
                Some(parent) if *parent == anchor => &tail,
                _ => continue,
            };
            event.moved = event.parent.as_ref() != Some(parent);
            event.parent = Some(parent.clone());
        }
    }

    /// From the newest message back to the first.
    fn follow(&mut self, leaf: usize, source: &Source) {
        let index: HashMap<&str, usize> =
            self.events.iter().enumerate().map(|(at, event)| (&*event.uuid, at)).collect();
        let mut seen = HashSet::new();
        let mut bridges = Vec::new();
        let mut next = Some(leaf);
        while let Some(at) = next.filter(|at| seen.insert(*at)) {
            self.walk.push(at);
            let event = &self.events[at];
            let Some(parent) = &event.parent else { break };
            next = index.get(&**parent).copied().or_else(|| {
                let earlier = self.before_unread(at, source)?;
                bridges.push((at, earlier));
                Some(earlier)
            });
        }
        self.walk.reverse();
        self.bridges = bridges;
    }

    /// The event before this one in the file, if a line that cannot be read stands between them: that
    /// line was the link.
    fn before_unread(&self, at: usize, source: &Source) -> Option<usize> {
        let event = &self.events[at];
        let earlier = (0..at).rev().find(|one| self.events[*one].side == event.side)?;
        let mut between = source.lines()[self.events[earlier].line..event.line].iter();
        between.any(|line| line.doc.is_err()).then_some(earlier)
    }

    /// A reply that runs several tools at once has a line for each call, and each result follows the
    /// line of its call: all but one of these branches are not on the way back from the newest message.
    fn recover(&mut self) {
        let walked: HashSet<usize> = self.walk.iter().copied().collect();
        // The last line of each reply on the walk.
        let mut anchors: HashMap<Cow<'s, str>, usize> = HashMap::new();
        for at in &self.walk {
            if let Some(id) = self.events[*at].reply() {
                anchors.insert(id, *at);
            }
        }
        // Lines of those replies, on and off the walk.
        let mut calls: HashMap<&str, usize> = HashMap::new();
        let mut beside = Vec::new();
        for (at, event) in self.events.iter().enumerate() {
            let Some(anchor) = event.reply().and_then(|id| anchors.get(&id)) else { continue };
            calls.insert(&event.uuid, *anchor);
            if !walked.contains(&at) {
                beside.push((*anchor, at));
            }
        }
        for (at, event) in self.events.iter().enumerate() {
            let anchor = event.parent.as_ref().and_then(|parent| calls.get(&**parent));
            let Some(anchor) = anchor.filter(|_| !walked.contains(&at)) else { continue };
            if event.kind == Kind::User && event.holds_result() {
                beside.push((*anchor, at));
            }
        }
        self.beside = beside;
    }

    /// The conversation with the results of parallel runs in their places.
    pub(super) fn conversation(&self) -> Vec<usize> {
        let mut behind: HashMap<usize, Vec<usize>> = HashMap::new();
        for (anchor, at) in &self.beside {
            behind.entry(*anchor).or_default().push(*at);
        }
        let with = |at: &usize| {
            let rest = behind.get(at).cloned().unwrap_or_default();
            std::iter::once(*at).chain(rest)
        };
        self.walk.iter().flat_map(with).collect()
    }
}

impl<'s> Event<'s> {
    fn read(line: usize, root: Node<'s>) -> Option<Self> {
        let [kind, uuid, parent, side, message] =
            root.pick(["type", "uuid", "parentUuid", "isSidechain", "message"]);
        let says = message.is_some_and(Node::is_object);
        let kind = match &*kind?.word() {
            "user" if says => Kind::User,
            "assistant" if says => Kind::Assistant,
            _ => Kind::Link,
        };
        let uuid = uuid.map(Node::word).unwrap_or_default();
        if uuid.is_empty() && kind == Kind::Link {
            return None;
        }
        // A message alone would be any list of messages; the agent's own fields tell it apart.
        if uuid.is_empty() && root.get("sessionId").is_none() {
            return None;
        }
        let parent = parent.filter(|parent| parent.is_string()).map(Node::word);
        let side = side.and_then(Node::boolean).unwrap_or(false);
        Some(Self { line, root, uuid, parent, moved: false, kind, side })
    }

    fn speaks(&self) -> bool {
        self.kind != Kind::Link
    }

    pub(super) fn message(&self) -> Option<Node<'s>> {
        self.root.get("message").filter(|_| self.speaks())
    }

    pub(super) fn content(&self) -> Option<Node<'s>> {
        self.message()?.get("content")
    }

    /// The id of the reply that this line is a part of.
    pub(super) fn reply(&self) -> Option<Cow<'s, str>> {
        let id = self.message()?.get("id").filter(|_| self.kind == Kind::Assistant)?.word();
        (!id.is_empty()).then_some(id)
    }

    pub(super) fn holds_result(&self) -> bool {
        let mut blocks = self.content().into_iter().flat_map(Node::items);
        blocks.any(is_result)
    }
}

pub(super) fn is_result(block: Node<'_>) -> bool {
    block.get("type").is_some_and(|kind| kind.word() == "tool_result")
}
