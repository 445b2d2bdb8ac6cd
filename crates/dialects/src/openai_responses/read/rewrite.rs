//! Rewrites passed-through events that client SDKs would misread; all others are forwarded byte for
//! byte.
//!
//! SDKs find an item by its id or its index, accept deltas only for items and parts that have
//! begun, number the events, and read items, id and counts of the final response unconditionally.

use std::collections::HashSet;

use bytes::Bytes;
use interlingua_model::ReplyContext;
use interlingua_wire::frame::write_json;
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{Framing, JsonNode, JsonString, RawJson};

use super::item_event::ItemEvent;
use super::rewrite_items;
use crate::openai_responses::decode::output_item::ItemPosition;
use crate::openai_responses::response_object::{Envelope, ResponseState};
use crate::openai_responses::stop::ResponseStatus;

/// Tracks what the client received so far.
#[derive(Debug, Default)]
pub(super) struct FrameRewriter {
    /// Passthrough is on: events are forwarded as received.
    pub(super) enabled: bool,
    response_created: bool,
    /// Whether the server numbers its events; `None` before the first event.
    has_sequence_numbers: Option<bool>,
    /// The number of the next event, and the number of inserted events.
    next_number: u64,
    inserted_count: u64,
    /// The items in the reader's order.
    items: Vec<ForwardedItem>,
    /// Their ids and output indices, and the next free index.
    used_ids: HashSet<String>,
    used_indices: HashSet<u64>,
    next_index: u64,
    /// Frames to insert before the current event, and its changed fields.
    inserted_frames: Vec<u8>,
    changed_fields: Vec<(&'static str, RawJson)>,
    drop_current: bool,
    /// Vendor events that arrived before `response.created`: SDKs expect nothing before it.
    early_frames: Vec<u8>,
    replacement: Option<Vec<u8>>,
}

/// An item that was or will be forwarded to the client.
#[derive(Debug)]
struct ForwardedItem {
    /// The id under which the client knows it.
    id: JsonString,
    index: u64,
    is_message: bool,
    /// It arrived with the id of another item.
    has_duplicate_id: bool,
    /// The item at its start and at its end.
    added_item: Option<RawJson>,
    done_item: Option<RawJson>,
    /// Number of parts that have begun, and the finished parts.
    started_parts: u64,
    done_parts: Vec<RawJson>,
}

impl FrameRewriter {
    pub(super) fn begin_event(&mut self, kind: &str, number: Option<u64>) {
        if !self.enabled {
            return;
        }
        self.inserted_frames.clear();
        self.changed_fields.clear();
        self.drop_current = false;
        let is_response_event = kind.starts_with("response.");
        if is_response_event && self.has_sequence_numbers.is_none() {
            self.has_sequence_numbers = Some(number.is_some());
        }
        match number {
            Some(number) => {
                self.next_number = number.saturating_add(self.inserted_count);
                if self.inserted_count > 0 {
                    self.changed_fields.push((SEQUENCE_NUMBER, RawJson::number(self.next_number)));
                }
            }
            None if is_response_event && self.has_sequence_numbers == Some(false) => {
                self.changed_fields.push((SEQUENCE_NUMBER, RawJson::number(self.next_number)));
            }
            None => {}
        }
    }

    /// Inserts `response.created` if the client has not received it.
    pub(super) fn ensure_created(
        &mut self,
        kind: &str,
        response: Option<JsonNode<'_>>,
        cx: &ReplyContext,
    ) {
        if !self.enabled || self.response_created || !kind.starts_with("response.") {
            return;
        }
        self.response_created = true;
        if kind == "response.created" {
            return;
        }
        if let (Some(response), "response.in_progress" | "response.queued") = (response, kind) {
            let json = response.json();
            return self.insert_event("response.created", |o| o.json("response", &json));
        }
        let mut envelope = Envelope::new(cx);
        let response_field =
            |key: &str| response?.get(key)?.json_string().filter(|text| !text.is_empty());
        envelope.id = response_field("id").unwrap_or(envelope.id);
        envelope.model = response_field("model").unwrap_or(envelope.model);
        let status = ResponseStatus {
            status: JsonString::from_static("in_progress"),
            incomplete_reason: None,
        };
        let state = ResponseState { status: &status, error: None, output: &[], usage: None };
        self.insert_event("response.created", |o| {
            o.object("response", |o| envelope.write(&state, o));
        });
    }

    /// Adds an item with the id that it arrived with.
    pub(super) fn add_item(
        &mut self,
        id: Option<&JsonString>,
        index: Option<u64>,
        kind: &str,
        position: ItemPosition<'_>,
    ) {
        if !self.enabled {
            return;
        }
        let id = id.filter(|id| !id.is_empty());
        let is_duplicate = id.is_some_and(|id| self.used_ids.contains(&*id.unescape()));
        let id = id.filter(|_| !is_duplicate).cloned();
        let id = id.unwrap_or_else(|| position.derive_item_id(rewrite_items::id_prefix(kind)));
        let index = index.filter(|index| !self.used_indices.contains(index));
        let index = index.unwrap_or(self.next_index);
        self.used_ids.insert(id.unescape().into_owned());
        self.used_indices.insert(index);
        self.next_index = self.next_index.max(index.saturating_add(1));
        let (added_item, done_item, done_parts, is_message) =
            (None, None, Vec::new(), kind == "message");
        self.items.push(ForwardedItem {
            id,
            index,
            is_message,
            has_duplicate_id: is_duplicate,
            added_item,
            done_item,
            started_parts: 0,
            done_parts,
        });
    }

    /// Corrects the output index of an event.
    pub(super) fn check_output_index(&mut self, at: usize, index: Option<u64>) {
        let Some(item) = self.items.get(at) else { return };
        if index != Some(item.index) {
            self.changed_fields.push(("output_index", RawJson::number(item.index)));
        }
    }

    pub(super) fn rewrite_item_added(&mut self, at: usize, node: JsonNode<'_>) {
        let Some(item) = self.items.get_mut(at) else { return };
        let json = rewrite_items::with_id(node, &item.id);
        if let Some(json) = &json {
            self.changed_fields.push(("item", json.clone()));
        }
        item.added_item = Some(json.unwrap_or_else(|| node.json()));
    }

    /// Rewrites an event of an item with type `item_type`.
    pub(super) fn rewrite_item_event(&mut self, at: usize, item_type: &str, event: &ItemEvent<'_>) {
        let Some(forwarded_item) = self.items.get_mut(at) else { return };
        if forwarded_item.added_item.is_none() {
            // A call's name is only known when the item is finished.
            let Some(item) = rewrite_items::empty_item(item_type, &forwarded_item.id) else {
                self.drop_current = true;
                return;
            };
            forwarded_item.added_item = Some(item.clone());
            let index = forwarded_item.index;
            self.insert_event("response.output_item.added", |o| write_item_fields(index, &item, o));
        }
        let Some(forwarded_item) = self.items.get_mut(at) else { return };
        let part = event.part_index.unwrap_or(0);
        match &*event.kind {
            "response.content_part.added" => {
                forwarded_item.started_parts = forwarded_item.started_parts.max(part + 1);
            }
            "response.content_part.done" => {
                forwarded_item.done_parts.extend(event.object.map(JsonNode::json));
            }
            _ => {}
        }
        let is_new = item_type == "message" && part >= forwarded_item.started_parts;
        let empty_part = if is_new { rewrite_items::empty_part(&event.kind) } else { None };
        if !event.names_item(Some(&forwarded_item.id)) {
            self.changed_fields.push(("item_id", RawJson::string(&forwarded_item.id)));
        }
        if event.output_index != Some(forwarded_item.index) {
            self.changed_fields.push(("output_index", RawJson::number(forwarded_item.index)));
        }
        if let Some(empty_part) = empty_part {
            forwarded_item.started_parts = part + 1;
            let (id, index) = (forwarded_item.id.clone(), forwarded_item.index);
            self.insert_event("response.content_part.added", |o| {
                o.json_string("item_id", &id);
                o.number("output_index", index);
                o.number("content_index", part);
                o.json("part", &empty_part);
            });
        }
    }

    pub(super) fn rewrite_item_done(&mut self, at: usize, node: JsonNode<'_>) {
        let Some(forwarded_item) = self.items.get_mut(at) else { return };
        let added_item = forwarded_item.added_item.as_ref();
        let json = rewrite_items::finished_item(node, &forwarded_item.id, added_item);
        if let Some(json) = &json {
            self.changed_fields.push(("item", json.clone()));
        }
        let item = json.unwrap_or_else(|| node.json());
        self.insert_missing_events(at, &item);
    }

    /// Inserts a delta for text that the deltas lacked: many clients display only deltas.
    pub(super) fn insert_missing_text(&mut self, at: usize, part: u64, text: &JsonString) {
        let Some(item) = self.items.get(at) else { return };
        let (id, index) = (item.id.clone(), item.index);
        self.insert_event("response.output_text.delta", |o| {
            o.json_string("item_id", &id);
            o.number("output_index", index);
            o.number("content_index", part);
            o.json_string("delta", text);
            o.array("logprobs", |_| {});
        });
    }

    /// Finishes an item of the final response that has no end event.
    pub(super) fn finish_item_at_end(&mut self, at: usize, node: JsonNode<'_>) {
        let Some(item) = self.items.get(at).filter(|item| item.done_item.is_none()) else {
            return;
        };
        let json = rewrite_items::finished_item(node, &item.id, item.added_item.as_ref());
        self.insert_item_done(at, &json.unwrap_or_else(|| node.json()));
    }

    /// Finishes an item of a completed response from its deltas, if it never had an end.
    pub(super) fn finish_item_from_deltas(
        &mut self,
        at: usize,
        item_type: &str,
        emitted: Option<(bool, &str)>,
    ) {
        let Some(item) = self.items.get(at).filter(|item| item.done_item.is_none()) else {
            return;
        };
        let Some(added) = &item.added_item else { return };
        self.insert_item_done(
            at,
            &rewrite_items::item_from_deltas(item_type, added, &item.done_parts, emitted),
        );
    }

    fn insert_item_done(&mut self, at: usize, item: &RawJson) {
        self.insert_missing_events(at, item);
        let Some(forwarded_item) = self.items.get(at) else { return };
        let index = forwarded_item.index;
        self.insert_event("response.output_item.done", |o| write_item_fields(index, item, o));
    }

    /// Inserts the start of an item that arrives complete, and the deltas of a message without any.
    fn insert_missing_events(&mut self, at: usize, item: &RawJson) {
        let Some(forwarded_item) = self.items.get_mut(at) else { return };
        forwarded_item.done_item = Some(item.clone());
        let (index, is_new) = (forwarded_item.index, forwarded_item.added_item.is_none());
        let has_no_parts = forwarded_item.is_message && forwarded_item.started_parts == 0;
        if is_new {
            let empty = rewrite_items::item_without_content(item.to_doc().root());
            forwarded_item.added_item = Some(empty.clone());
            self.insert_event("response.output_item.added", |o| {
                write_item_fields(index, &empty, o);
            });
        }
        if is_new || has_no_parts {
            self.insert_item_events(at, item);
        }
    }

    fn insert_item_events(&mut self, at: usize, item: &RawJson) {
        let Some(forwarded_item) = self.items.get(at) else { return };
        let (id, index) = (forwarded_item.id.clone(), forwarded_item.index);
        let doc = item.to_doc();
        for (event, fields) in rewrite_items::item_events(doc.root()) {
            self.insert_event(event, |o| {
                o.json_string("item_id", &id);
                o.number("output_index", index);
                for (key, value) in &fields {
                    o.json(key, value);
                }
            });
        }
    }

    /// Rewrites the final response; `positions` are the items of its `output`.
    pub(super) fn rewrite_response(
        &mut self,
        response: JsonNode<'_>,
        positions: &[usize],
        reply_id: &JsonString,
    ) {
        if !self.enabled {
            return;
        }
        let mut changes = Vec::new();
        if !response.get("id").is_some_and(JsonNode::is_string) && !reply_id.is_empty() {
            changes.push(("id", RawJson::string(reply_id)));
        }
        let output = response.get("output").filter(|output| output.is_array());
        let has_duplicates =
            self.items.iter().any(|forwarded_item| forwarded_item.has_duplicate_id);
        let is_incomplete =
            |output: JsonNode<'_>| output.len() < self.items.len() && has_duplicates;
        if output.is_none_or(|output| output.is_empty() || is_incomplete(output)) {
            let mut sorted: Vec<&ForwardedItem> = self.items.iter().collect();
            sorted.sort_by_key(|forwarded_item| forwarded_item.index);
            let items: Vec<&RawJson> = sorted
                .iter()
                .filter_map(|forwarded_item| forwarded_item.done_item.as_ref())
                .collect();
            if output.is_none() || !items.is_empty() {
                let list = RawJson::array(|a| items.iter().for_each(|item| a.item().json(item)));
                changes.push(("output", list));
            }
        } else if let Some(output) = output {
            let id = |positions: &usize| {
                self.items.get(*positions).map(|forwarded_item| &forwarded_item.id)
            };
            let with_ids: Vec<Option<RawJson>> = output
                .items()
                .zip(positions)
                .map(|(node, positions)| {
                    id(positions).and_then(|id| rewrite_items::with_id(node, id))
                })
                .collect();
            if with_ids.iter().any(Option::is_some) {
                let list = RawJson::array(|a| {
                    for (node, with_ids) in output.items().zip(with_ids) {
                        a.item().json(&with_ids.unwrap_or_else(|| node.json()));
                    }
                });
                changes.push(("output", list));
            }
        }
        changes.extend(
            rewrite_items::fill_missing_usage(response.get("usage"))
                .map(|counts| ("usage", counts)),
        );
        if !changes.is_empty() {
            self.changed_fields.push(("response", rewrite_items::with_fields(response, &changes)));
        }
    }

    /// Drops the current event.
    pub(super) fn drop_event(&mut self) {
        self.drop_current = self.enabled;
    }

    /// Drops a frame that is not an event.
    pub(super) fn drop_frame(&mut self) {
        self.replacement = self.enabled.then(Vec::new);
    }

    /// Finishes an event, and rewrites it if it cannot be forwarded as received.
    pub(super) fn finish_event(
        &mut self,
        kind: &str,
        root: JsonNode<'_>,
        number: Option<u64>,
        raw: &Bytes,
    ) {
        if !self.enabled {
            return;
        }
        let raw = raw.strip_prefix(UTF8_BOM).unwrap_or(raw);
        if !self.response_created && is_vendor_event(kind) {
            self.early_frames.extend_from_slice(raw);
            return self.drop_frame();
        }
        if self.drop_current {
            self.replacement = Some(std::mem::take(&mut self.inserted_frames));
            return;
        }
        let is_numbered =
            number.is_some() || self.changed_fields.iter().any(|(key, _)| *key == SEQUENCE_NUMBER);
        if !self.inserted_frames.is_empty() && is_numbered {
            self.changed_fields.retain(|(key, _)| *key != SEQUENCE_NUMBER);
            self.changed_fields.push((SEQUENCE_NUMBER, RawJson::number(self.next_number)));
        }
        self.next_number += u64::from(is_numbered);
        if self.changed_fields.is_empty()
            && self.inserted_frames.is_empty()
            && self.early_frames.is_empty()
        {
            return;
        }
        let mut out = std::mem::take(&mut self.inserted_frames);
        let early_frames = std::mem::take(&mut self.early_frames);
        let is_created = kind == "response.created";
        if !is_created {
            out.extend_from_slice(&early_frames);
        }
        if self.changed_fields.is_empty() {
            out.extend_from_slice(raw);
        } else {
            let json = rewrite_items::with_fields(root, &self.changed_fields);
            write_json(Framing::Sse, Some(kind), &mut out, |data| data.json(&json));
        }
        if is_created {
            out.extend_from_slice(&early_frames);
        }
        self.replacement = Some(out);
    }

    pub(super) fn take_replacement(&mut self) -> Option<Vec<u8>> {
        self.replacement.take()
    }

    /// Inserts an event before the current one.
    fn insert_event(&mut self, event: &'static str, fill: impl FnOnce(&mut ObjectWriter<'_>)) {
        let number = self.next_number;
        write_json(Framing::Sse, Some(event), &mut self.inserted_frames, |data| {
            data.object(|o| {
                o.static_str("type", event);
                fill(o);
                o.number(SEQUENCE_NUMBER, number);
            });
        });
        self.next_number += 1;
        self.inserted_count += 1;
    }
}

fn write_item_fields(index: u64, item: &RawJson, o: &mut ObjectWriter<'_>) {
    o.number("output_index", index);
    o.json("item", item);
}

/// Returns whether an event is a vendor event outside the response.
fn is_vendor_event(kind: &str) -> bool {
    !kind.starts_with("response.") && !matches!(kind, "" | "error" | "keepalive" | "ping")
}

const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";
const SEQUENCE_NUMBER: &str = "sequence_number";
