//! Events that clients of the dialect would misread: said anew, where all others leave as they came.
//!
//! Packages find an item by its id or its place, take pieces only for what has begun, number events, and
//! read the end of a response without asking: its items, its id and its counts.

use bytes::Bytes;
use interlingua_model::{Delta, Event, Exchange};
use interlingua_wire::frame::write_json;
use interlingua_wire::json::Object;
use interlingua_wire::{Framing, Json, Node, Text};

use super::super::output::Seat;
use super::super::response::{Envelope, State};
use super::super::stop::Ending;
use super::pieces::Piece;
use super::queue::Steps;
use super::whole;

/// What clients have of the events so far.
#[derive(Debug, Default)]
pub(super) struct Passed {
    /// Whether events leave as they come.
    pub(super) on: bool,
    created: bool,
    /// Whether the server numbers its events, once one has come.
    numbers: Option<bool>,
    /// The number of the next event, and how many were put in so far.
    next: u64,
    more: u64,
    /// The items, as the reader counts them.
    items: Vec<Shown>,
    /// What is put in before the event that is being read, and its fields that change.
    before: Vec<u8>,
    odd: Vec<(&'static str, Json)>,
    left_out: bool,
    /// Events of the server's own that came before the response: packages know of nothing before it.
    early: Vec<u8>,
    anew: Option<Vec<u8>>,
}

/// An item that clients have heard of, or will.
#[derive(Debug)]
struct Shown {
    /// The one id that they know it by.
    id: Text,
    index: u64,
    is_message: bool,
    /// It came under an id that another item has.
    is_further: bool,
    /// As it began, and as it was when it was done.
    added: Option<Json>,
    done: Option<Json>,
    /// How many parts of it have begun, and those that have ended.
    begun: u64,
    parts: Vec<Json>,
}

impl Passed {
    /// Before an event is read.
    pub(super) fn begin(&mut self, kind: &str, number: Option<u64>) {
        if !self.on {
            return;
        }
        self.before.clear();
        self.odd.clear();
        self.left_out = false;
        let is_own = kind.starts_with("response.");
        if is_own && self.numbers.is_none() {
            self.numbers = Some(number.is_some());
        }
        match number {
            Some(number) => {
                self.next = number.saturating_add(self.more);
                if self.more > 0 {
                    self.odd.push((NUMBER, Json::number(self.next)));
                }
            }
            None if is_own && self.numbers == Some(false) => {
                self.odd.push((NUMBER, Json::number(self.next)));
            }
            None => {}
        }
    }

    /// Makes sure that clients have heard of the response.
    pub(super) fn create(&mut self, kind: &str, response: Option<Node<'_>>, exchange: &Exchange) {
        if !self.on || self.created || !kind.starts_with("response.") {
            return;
        }
        self.created = true;
        if kind == "response.created" {
            return;
        }
        if let (Some(response), "response.in_progress" | "response.queued") = (response, kind) {
            let json = response.json();
            return self.put("response.created", |o| o.json("response", &json));
        }
        let mut envelope = Envelope::new(exchange);
        let said = |key: &str| response?.get(key)?.text().filter(|text| !text.is_empty());
        envelope.id = said("id").unwrap_or(envelope.id);
        envelope.model = said("model").unwrap_or(envelope.model);
        let ending = Ending { status: Text::word("in_progress"), reason: None };
        let state = State { ending: &ending, error: None, output: &[], usage: None };
        self.put("response.created", |o| {
            o.object("response", |o| envelope.write(&state, o));
        });
    }

    /// The next item, with the id that it came with.
    pub(super) fn item(
        &mut self,
        id: Option<&Text>,
        index: Option<u64>,
        kind: &str,
        seat: Seat<'_>,
    ) {
        if !self.on {
            return;
        }
        let id = id.filter(|id| !id.is_empty());
        let taken = id.is_some_and(|id| self.items.iter().any(|other| other.id == *id));
        let id = id.filter(|_| !taken).cloned();
        let id = id.unwrap_or_else(|| seat.id(whole::prefix(kind)));
        let index = index.filter(|index| self.items.iter().all(|other| other.index != *index));
        let next = || self.items.iter().map(|other| other.index + 1).max().unwrap_or(0);
        let index = index.unwrap_or_else(next);
        let (added, done, parts, is_message) = (None, None, Vec::new(), kind == "message");
        let is_further = taken;
        self.items.push(Shown { id, index, is_message, is_further, added, done, begun: 0, parts });
    }

    /// An event says that an item stands at this index.
    pub(super) fn place(&mut self, at: usize, index: Option<u64>) {
        let Some(shown) = self.items.get(at) else { return };
        if index != Some(shown.index) {
            self.odd.push(("output_index", Json::number(shown.index)));
        }
    }

    /// An item begins.
    pub(super) fn added(&mut self, at: usize, node: Node<'_>) {
        let Some(shown) = self.items.get_mut(at) else { return };
        let json = whole::with_id(node, &shown.id);
        if let Some(json) = &json {
            self.odd.push(("item", json.clone()));
        }
        shown.added = Some(json.unwrap_or_else(|| node.json()));
    }

    /// A piece of an item of this type comes.
    pub(super) fn piece(&mut self, at: usize, of: &str, piece: &Piece<'_>) {
        let Some(shown) = self.items.get_mut(at) else { return };
        if shown.added.is_none() {
            // What a call is called is told only when it is whole.
            let Some(item) = whole::empty(of, &shown.id) else {
                self.left_out = true;
                return;
            };
            shown.added = Some(item.clone());
            let index = shown.index;
            self.put("response.output_item.added", |o| place(index, &item, o));
        }
        let Some(shown) = self.items.get_mut(at) else { return };
        let part = piece.part.unwrap_or(0);
        match &*piece.kind {
            "response.content_part.added" => shown.begun = shown.begun.max(part + 1),
            "response.content_part.done" => shown.parts.extend(piece.whole.map(Node::json)),
            _ => {}
        }
        let is_new = of == "message" && part >= shown.begun;
        let begins = if is_new { whole::part(&piece.kind) } else { None };
        if !piece.is_of(Some(&shown.id)) {
            self.odd.push(("item_id", Json::string(&shown.id)));
        }
        if piece.output_index != Some(shown.index) {
            self.odd.push(("output_index", Json::number(shown.index)));
        }
        if let Some(begins) = begins {
            shown.begun = part + 1;
            let (id, index) = (shown.id.clone(), shown.index);
            self.put("response.content_part.added", |o| {
                o.text("item_id", &id);
                o.number("output_index", index);
                o.number("content_index", part);
                o.json("part", &begins);
            });
        }
    }

    /// An item is done.
    pub(super) fn done(&mut self, at: usize, node: Node<'_>) {
        let Some(shown) = self.items.get_mut(at) else { return };
        let begun = shown.added.as_ref();
        let json = whole::finished(node, &shown.id, begun);
        if let Some(json) = &json {
            self.odd.push(("item", json.clone()));
        }
        let item = json.unwrap_or_else(|| node.json());
        self.announce(at, &item);
    }

    /// Tells what the pieces of a text left out: many clients show the pieces only.
    pub(super) fn untold(&mut self, at: usize, part: u64, steps: &Steps) {
        let Some(shown) = self.items.get(at) else { return };
        let (id, index) = (shown.id.clone(), shown.index);
        for step in steps.iter().take_while(|step| !matches!(step, Event::Close { .. })) {
            let Event::Delta { delta: Delta::Text(text), .. } = step else { continue };
            self.put("response.output_text.delta", |o| {
                o.text("item_id", &id);
                o.number("output_index", index);
                o.number("content_index", part);
                o.text("delta", text);
                o.array("logprobs", |_| {});
            });
        }
    }

    /// The response ends with an item that is not done yet.
    pub(super) fn done_at_end(&mut self, at: usize, node: Node<'_>) {
        let Some(shown) = self.items.get(at).filter(|shown| shown.done.is_none()) else { return };
        let json = whole::finished(node, &shown.id, shown.added.as_ref());
        self.finish(at, &json.unwrap_or_else(|| node.json()));
    }

    /// The response is complete, and an item of which these words came was never done.
    pub(super) fn never_done(&mut self, at: usize, of: &str, told: Option<(bool, &str)>) {
        let Some(shown) = self.items.get(at).filter(|shown| shown.done.is_none()) else { return };
        let Some(added) = &shown.added else { return };
        self.finish(at, &whole::of_pieces(of, added, &shown.parts, told));
    }

    fn finish(&mut self, at: usize, item: &Json) {
        self.announce(at, item);
        let Some(shown) = self.items.get(at) else { return };
        let index = shown.index;
        self.put("response.output_item.done", |o| place(index, item, o));
    }

    /// An item is done: tells of one that comes whole, or of a message without pieces, as if it came in them.
    fn announce(&mut self, at: usize, item: &Json) {
        let Some(shown) = self.items.get_mut(at) else { return };
        shown.done = Some(item.clone());
        let (index, is_new) = (shown.index, shown.added.is_none());
        let is_mute = shown.is_message && shown.begun == 0;
        if is_new {
            let empty = whole::emptied(item.doc().root());
            shown.added = Some(empty.clone());
            self.put("response.output_item.added", |o| place(index, &empty, o));
        }
        if is_new || is_mute {
            self.tell_pieces(at, item);
        }
    }

    fn tell_pieces(&mut self, at: usize, item: &Json) {
        let Some(shown) = self.items.get(at) else { return };
        let (id, index) = (shown.id.clone(), shown.index);
        let doc = item.doc();
        for (event, fields) in whole::pieces(doc.root()) {
            self.put(event, |o| {
                o.text("item_id", &id);
                o.number("output_index", index);
                for (key, value) in &fields {
                    o.json(key, value);
                }
            });
        }
    }

    /// The response ends as this says, which `at` says the items of.
    pub(super) fn complete(&mut self, response: Node<'_>, at: &[usize], reply: &Text) {
        if !self.on {
            return;
        }
        let mut changes = Vec::new();
        if !response.get("id").is_some_and(Node::is_string) && !reply.is_empty() {
            changes.push(("id", Json::string(reply)));
        }
        let output = response.get("output").filter(|output| output.is_array());
        let further = self.items.iter().any(|shown| shown.is_further);
        let is_short = |output: Node<'_>| output.len() < self.items.len() && further;
        if output.is_none_or(|output| output.is_empty() || is_short(output)) {
            let mut done: Vec<&Shown> = self.items.iter().collect();
            done.sort_by_key(|shown| shown.index);
            let items: Vec<&Json> = done.iter().filter_map(|shown| shown.done.as_ref()).collect();
            if output.is_none() || !items.is_empty() {
                let list = Json::array(|a| items.iter().for_each(|item| a.item().json(item)));
                changes.push(("output", list));
            }
        } else if let Some(output) = output {
            let id = |at: &usize| self.items.get(*at).map(|shown| &shown.id);
            let mended: Vec<Option<Json>> = output
                .items()
                .zip(at)
                .map(|(node, at)| id(at).and_then(|id| whole::with_id(node, id)))
                .collect();
            if mended.iter().any(Option::is_some) {
                let list = Json::array(|a| {
                    for (node, mended) in output.items().zip(mended) {
                        a.item().json(&mended.unwrap_or_else(|| node.json()));
                    }
                });
                changes.push(("output", list));
            }
        }
        changes.extend(whole::counts(response.get("usage")).map(|counts| ("usage", counts)));
        if !changes.is_empty() {
            self.odd.push(("response", whole::replaced(response, &changes)));
        }
    }

    /// The event is nothing that clients should read.
    pub(super) fn leave_out(&mut self) {
        self.left_out = self.on;
    }

    /// A frame is no event.
    pub(super) fn leave_out_frame(&mut self) {
        self.anew = self.on.then(Vec::new);
    }

    /// After an event was read: says it anew, if it cannot leave as it came.
    pub(super) fn end(&mut self, kind: &str, root: Node<'_>, number: Option<u64>, raw: &Bytes) {
        if !self.on {
            return;
        }
        let raw = raw.strip_prefix(BYTE_ORDER).unwrap_or(raw);
        if !self.created && is_aside(kind) {
            self.early.extend_from_slice(raw);
            return self.leave_out_frame();
        }
        if self.left_out {
            self.anew = Some(std::mem::take(&mut self.before));
            return;
        }
        let counts = number.is_some() || self.odd.iter().any(|(key, _)| *key == NUMBER);
        if !self.before.is_empty() && counts {
            self.odd.retain(|(key, _)| *key != NUMBER);
            self.odd.push((NUMBER, Json::number(self.next)));
        }
        self.next += u64::from(counts);
        if self.odd.is_empty() && self.before.is_empty() && self.early.is_empty() {
            return;
        }
        let mut out = std::mem::take(&mut self.before);
        let early = std::mem::take(&mut self.early);
        let begins = kind == "response.created";
        if !begins {
            out.extend_from_slice(&early);
        }
        if self.odd.is_empty() {
            out.extend_from_slice(raw);
        } else {
            let json = whole::replaced(root, &self.odd);
            write_json(Framing::Sse, Some(kind), &mut out, |data| data.json(&json));
        }
        if begins {
            out.extend_from_slice(&early);
        }
        self.anew = Some(out);
    }

    /// What is said in place of the frame that was read.
    pub(super) fn take(&mut self) -> Option<Vec<u8>> {
        self.anew.take()
    }

    /// Puts in an event of its own.
    fn put(&mut self, event: &'static str, fill: impl FnOnce(&mut Object<'_>)) {
        let number = self.next;
        write_json(Framing::Sse, Some(event), &mut self.before, |data| {
            data.object(|o| {
                o.known("type", event);
                fill(o);
                o.number(NUMBER, number);
            });
        });
        self.next += 1;
        self.more += 1;
    }
}

fn place(index: u64, item: &Json, o: &mut Object<'_>) {
    o.number("output_index", index);
    o.json("item", item);
}

/// Whether an event only tells something beside the response.
fn is_aside(kind: &str) -> bool {
    !kind.starts_with("response.") && !matches!(kind, "" | "error" | "keepalive" | "ping")
}

const BYTE_ORDER: &[u8] = b"\xef\xbb\xbf";
const NUMBER: &str = "sequence_number";
