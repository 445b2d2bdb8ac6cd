//! A repaired conversation, written back into its file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bytes::Bytes;
use interlingua::wire::Node;
use interlingua::wire::json::Object;
use interlingua::{Doc, Json, Limits, Text};

use super::chain::{Chain, Event, Kind};
use super::request::word;
use crate::patch::Patch;
use crate::{Edits, Fate, Insert, Source, Transcript, align, ids, units};

pub(super) fn write(source: &Source, transcript: &Transcript, repaired: &Bytes) -> Bytes {
    let after = Doc::from_bytes(repaired.clone(), Limits::default());
    let (Some(chain), Ok(after)) = (Chain::read(source), after) else {
        return source.bytes().clone();
    };
    let edits = align(&transcript.units, &units(transcript.dialect, &after));
    let mut rewriting = Rewriting::new(source, transcript, &chain, &edits);
    rewriting.contents();
    rewriting.insert();
    rewriting.relink();
    rewriting.patch.apply(source)
}

struct Rewriting<'r> {
    source: &'r Source,
    transcript: &'r Transcript,
    chain: &'r Chain<'r>,
    edits: &'r Edits,
    /// Line → event.
    event_of: HashMap<usize, usize>,
    /// Uuid → event.
    named: HashMap<&'r str, usize>,
    /// Event → where it is on the walk.
    step_of: HashMap<usize, usize>,
    /// Events whose line goes.
    removed: BTreeSet<usize>,
    /// Event → the uuid it now follows.
    parents: BTreeMap<usize, Option<String>>,
    patch: Patch,
}

impl<'r> Rewriting<'r> {
    fn new(
        source: &'r Source,
        transcript: &'r Transcript,
        chain: &'r Chain<'r>,
        edits: &'r Edits,
    ) -> Self {
        let event_of = chain.events.iter().enumerate().map(|(at, event)| (event.line, at));
        let named = chain.events.iter().enumerate().map(|(at, event)| (&*event.uuid, at));
        let step_of = chain.walk.iter().enumerate().map(|(step, at)| (*at, step));
        Self {
            source,
            transcript,
            chain,
            edits,
            event_of: event_of.collect(),
            named: named.collect(),
            step_of: step_of.collect(),
            removed: BTreeSet::new(),
            parents: BTreeMap::new(),
            patch: Patch::default(),
        }
    }

    /// Rewrites the lines whose blocks changed, and takes out those that have none left.
    fn contents(&mut self) {
        let mut of_event: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
        let mut within: HashMap<usize, Vec<&Insert>> = HashMap::new();
        for insert in &self.edits.inserts {
            if let Some(event) = self.within(insert) {
                within.entry(event).or_default().push(insert);
            }
        }
        for (at, unit) in self.transcript.units.iter().enumerate() {
            let Some(origin) = unit.origin else { continue };
            if let Some(event) = self.event_of.get(&origin.record) {
                of_event.entry(*event).or_default().push((origin.slot, at));
            }
        }
        for (event, mut slots) in of_event {
            slots.sort_unstable();
            let inserts = within.remove(&event).unwrap_or_default();
            let kept = |(_, unit): &(usize, usize)| self.edits.fates[*unit] == Fate::Kept;
            if inserts.is_empty() && slots.iter().all(kept) {
                continue;
            }
            let mut blocks: Vec<&Json> = Vec::new();
            for (_, unit) in slots {
                match &self.edits.fates[unit] {
                    Fate::Kept => blocks.push(&self.transcript.units[unit].json),
                    Fate::Rewritten(json) => blocks.push(json),
                    Fate::Removed => {}
                }
                let here = inserts.iter().filter(|insert| insert.after == Some(unit));
                blocks.extend(here.map(|insert| &insert.json));
            }
            self.single(event);
            let event_read = &self.chain.events[event];
            let line = &self.source.lines()[event_read.line];
            if blocks.is_empty() {
                self.patch.remove_line(line, self.source.bytes());
                self.removed.insert(event);
            } else if let Some(content) = event_read.content() {
                let blocks = Json::array(|a| blocks.iter().for_each(|one| a.item().json(one)));
                self.patch.replace(line.place(content), blocks.as_str());
            }
        }
    }

    /// Takes out lines that say again what changes.
    fn single(&mut self, event: usize) {
        for (_, line) in self.chain.repeats.iter().filter(|(first, _)| *first == event) {
            self.patch.remove_line(&self.source.lines()[*line], self.source.bytes());
        }
    }

    /// The event whose line holds both neighbours of a new block.
    fn within(&self, insert: &Insert) -> Option<usize> {
        let (after, before) = (self.event(insert.after), self.event(insert.before));
        after.filter(|_| after == before)
    }

    /// The event that holds a block.
    fn event(&self, unit: Option<usize>) -> Option<usize> {
        let origin = self.transcript.units.get(unit?)?.origin?;
        self.event_of.get(&origin.record).copied()
    }

    /// New blocks between two lines get lines of their own, one for each message.
    fn insert(&mut self) {
        let outside: Vec<&'r Insert> =
            self.edits.inserts.iter().filter(|insert| self.within(insert).is_none()).collect();
        let groups: Vec<_> = outside.chunk_by(|a, b| self.behind(a) == self.behind(b)).collect();
        for group in groups {
            let previous = self.behind(group[0]);
            let next = self.next_on_walk(previous);
            // Where nothing is left, the new lines take the place of what went.
            let first = self.chain.walk.first().copied();
            let Some(template) = previous.or(next).or(first) else { continue };
            let mut parent = match previous {
                Some(event) => Some(self.chain.events[event].uuid.to_string()),
                None => self.parent_of(template),
            };
            let mut lines = Vec::new();
            for message in group.chunk_by(|a, b| a.turn == b.turn) {
                let (line, uuid) = self.new_line(message, template, parent.as_deref());
                lines.push(line);
                parent = Some(uuid);
            }
            let line = &self.source.lines()[self.chain.events[template].line];
            if previous.is_some() {
                self.patch.add_lines(line, &lines, self.source.bytes());
            } else {
                self.patch.add_lines_before(line, &lines);
            }
            if let Some(next) = next {
                self.parents.insert(next, parent);
            }
        }
    }

    /// The event behind which a new block belongs; none for the beginning.
    fn behind(&self, insert: &Insert) -> Option<usize> {
        let units = &self.transcript.units[..=insert.after?];
        let anchored = units.iter().rev().find_map(|unit| unit.origin)?;
        let event = *self.event_of.get(&anchored.record)?;
        let beside = self.chain.beside.iter().find(|(_, at)| *at == event);
        let event = match beside {
            Some((anchor, _)) if self.removed.contains(anchor) => return Some(event),
            Some((anchor, _)) => *anchor,
            None => event,
        };
        let walked = &self.chain.walk[..=*self.step_of.get(&event)?];
        walked.iter().rev().find(|at| !self.removed.contains(at)).copied()
    }

    /// The event of the walk that follows this one when the removed lines are gone.
    fn next_on_walk(&self, event: Option<usize>) -> Option<usize> {
        let step = match event {
            Some(event) => self.step_of.get(&event)? + 1,
            None => 0,
        };
        self.chain.walk[step..].iter().find(|at| !self.removed.contains(at)).copied()
    }

    /// A line in the manner of its neighbour, and its uuid.
    fn new_line(
        &self,
        inserts: &[&Insert],
        neighbour: usize,
        parent: Option<&str>,
    ) -> (String, String) {
        let content = Json::array(|a| inserts.iter().for_each(|one| a.item().json(&one.json)));
        let uuid = ids::uuid(parent.unwrap_or_default(), content.as_str());
        let neighbour = &self.chain.events[neighbour];
        let reply = self.event(inserts[0].beside).map(|event| &self.chain.events[event]);
        let kind = if inserts[0].role == "assistant" { Kind::Assistant } else { Kind::User };
        let line = Json::object(|o| {
            let linked = !neighbour.uuid.is_empty();
            if linked {
                write_uuid(o, "parentUuid", parent);
            }
            for field in neighbour.root.fields().filter(|field| COPIED.contains(&&*field.name())) {
                o.key_text(&field.key()).json(&field.value.json());
            }
            o.word("type", word(kind));
            match kind {
                Kind::Assistant => o.object("message", |o| {
                    write_reply(reply.filter(|event| event.kind == kind), &uuid, &content, o);
                }),
                Kind::User | Kind::Link => o.object("message", |o| {
                    o.word("role", word(kind));
                    o.json("content", &content);
                }),
            }
            if linked {
                o.word("uuid", &uuid);
            }
            if let Some(time) = neighbour.root.get("timestamp") {
                o.json("timestamp", &time.json());
            }
        });
        (line.as_str().to_owned(), uuid)
    }

    /// The uuid that an event follows when the removed lines are gone.
    fn parent_of(&self, event: usize) -> Option<String> {
        let index = |uuid: &str| self.named.get(uuid).copied();
        let bridge = |event: usize| self.chain.bridges.iter().find(|(child, _)| *child == event);
        let mut at = event;
        // No chain of removed lines is longer than the file.
        for _ in 0..=self.chain.events.len() {
            let parent = match bridge(at) {
                Some((_, parent)) => Some(*parent),
                None => self.chain.events[at].parent.as_deref().and_then(index),
            };
            match parent {
                Some(parent) if self.removed.contains(&parent) => at = parent,
                Some(parent) => return Some(self.chain.events[parent].uuid.to_string()),
                None => return self.chain.events[at].parent.as_ref().map(ToString::to_string),
            }
        }
        None
    }

    /// Links lines to what they follow now.
    fn relink(&mut self) {
        let gone: HashMap<&str, usize> =
            self.removed.iter().map(|at| (&*self.chain.events[*at].uuid, *at)).collect();
        // A link that the agent makes anew as it reads may not be found any more.
        let changed = !gone.is_empty() || !self.parents.is_empty();
        for (at, event) in self.chain.events.iter().enumerate() {
            let lost = event.parent.as_deref().is_some_and(|parent| gone.contains_key(parent));
            let bridged = self.chain.bridges.iter().any(|(child, _)| *child == at);
            let moved = event.moved && changed;
            if (lost || bridged || moved) && !self.parents.contains_key(&at) {
                self.parents.insert(at, self.parent_of(at));
            }
        }
        for (at, parent) in &std::mem::take(&mut self.parents) {
            let event = &self.chain.events[*at];
            if let Some(node) = event.root.get("parentUuid").filter(|_| !self.removed.contains(at))
            {
                self.single(*at);
                self.replace(event.line, node, parent.as_deref());
            }
        }
        if gone.is_empty() {
            return;
        }
        let links = self.source.lines().iter().enumerate().flat_map(|(line, read)| {
            let root = read.root();
            OTHER_LINKS.iter().filter_map(move |key| Some((line, root?.get(key)?)))
        });
        let lost: Vec<_> = links
            .filter_map(|(line, node)| Some((line, node, *gone.get(&*node.word())?)))
            .collect();
        for (line, node, event) in lost {
            self.replace(line, node, self.parent_of(event).as_deref());
        }
    }

    fn replace(&mut self, line: usize, node: Node<'_>, uuid: Option<&str>) {
        let range = self.source.lines()[line].place(node);
        let uuid = uuid.map_or(Json::NULL, |uuid| Json::string(&Text::new(uuid)));
        self.patch.replace(range, uuid.as_str());
    }
}

/// A part of the reply that its neighbour is of, or a reply of its own.
fn write_reply(reply: Option<&Event<'_>>, uuid: &str, content: &Json, o: &mut Object<'_>) {
    if let Some(message) = reply.and_then(Event::message) {
        for field in message.fields().filter(|field| !field.is("content")) {
            o.key_text(&field.key()).json(&field.value.json());
        }
        o.json("content", content);
        return;
    }
    o.word("id", &format!("msg_{}", uuid.replace('-', "")));
    o.word("type", "message");
    o.word("role", "assistant");
    o.json("content", content);
    o.null("stop_reason");
    o.null("stop_sequence");
}

fn write_uuid(o: &mut Object<'_>, key: &'static str, uuid: Option<&str>) {
    match uuid {
        Some(uuid) => o.word(key, uuid),
        None => o.null(key),
    }
}

/// What a new line has in common with its neighbour.
const COPIED: &[&str] = &[
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

/// Other fields that name the uuid of a line.
const OTHER_LINKS: &[&str] = &["leafUuid", "logicalParentUuid"];
