//! Writes a repaired conversation back into a Codex file.

use std::collections::BTreeMap;

use bytes::Bytes;
use interlingua::{JsonDoc, JsonLimits, RawJson};
use interlingua_wire::JsonNode;

use super::request::has_bare_items;
use crate::patch::FilePatch;
use crate::{
    Insertion, Line, PartChange, PartEdits, Transcript, TranscriptFile, diff, request_parts,
};

pub(super) fn write(source: &TranscriptFile, transcript: &Transcript, repaired: &Bytes) -> Bytes {
    let Ok(after) = JsonDoc::from_bytes(repaired.clone(), JsonLimits::default()) else {
        return source.bytes().clone();
    };
    let edits = diff(&transcript.parts, &request_parts(transcript.dialect, &after));
    let mut patch = FilePatch::default();
    let is_bare = has_bare_items(source);
    // Line → its parts.
    let mut records: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, part) in transcript.parts.iter().enumerate() {
        if let Some(location) = part.location {
            records.entry(location.record).or_default().push(index);
        }
    }
    for (record, parts) in &records {
        let line = &source.lines()[*record];
        match replacement_history(line) {
            Some(list) => apply_list_changes(transcript, &edits, parts, (line, list), &mut patch),
            None => apply_item_change(source, &edits, parts, line, is_bare, &mut patch),
        }
    }
    for group in line_insertions(transcript, &edits, source) {
        let (index, inserts) = group;
        let lines: Vec<String> = inserts
            .iter()
            .map(|insert| new_line(&insert.json, &source.lines()[index], is_bare))
            .collect();
        patch.add_lines(&source.lines()[index], &lines, source.bytes());
    }
    patch.apply(source)
}

/// The items with which a `compacted` line replaces all earlier ones.
fn replacement_history(line: &Line) -> Option<JsonNode<'_>> {
    line.root()?.get("payload")?.get("replacement_history").filter(|list| list.is_array())
}

fn apply_item_change(
    source: &TranscriptFile,
    edits: &PartEdits,
    parts: &[usize],
    line: &Line,
    has_bare_items: bool,
    patch: &mut FilePatch,
) {
    let Some(part_change) = parts.first().map(|part| &edits.changes[*part]) else { return };
    match part_change {
        PartChange::Unchanged => {}
        PartChange::Removed => patch.remove_line(line, source.bytes()),
        PartChange::Rewritten(json) => {
            let item = line
                .root()
                .and_then(|root| if has_bare_items { Some(root) } else { root.get("payload") });
            if let Some(item) = item {
                patch.replace(line.file_range(item), json.as_str());
            }
        }
    }
}

fn apply_list_changes(
    transcript: &Transcript,
    edits: &PartEdits,
    parts: &[usize],
    (line, list): (&Line, JsonNode<'_>),
    patch: &mut FilePatch,
) {
    let is_inside =
        |insert: &&Insertion| insert.previous.is_some_and(|after| parts.contains(&after));
    let inserts: Vec<_> = edits.insertions.iter().filter(is_inside).collect();
    if inserts.is_empty() && parts.iter().all(|part| edits.changes[*part] == PartChange::Unchanged)
    {
        return;
    }
    let part_at = |index: usize| {
        let at =
            |part: &&usize| transcript.parts[**part].location.is_some_and(|o| o.index == index);
        parts.iter().find(at).copied()
    };
    let items = RawJson::array(|a| {
        for (index, item) in list.items().enumerate() {
            let part = part_at(index);
            match part.map(|part| &edits.changes[part]) {
                Some(PartChange::Unchanged) | None => a.item().json(&item.json()),
                Some(PartChange::Rewritten(json)) => a.item().json(json),
                Some(PartChange::Removed) => {}
            }
            let followers =
                inserts.iter().filter(|insert| part.is_some() && insert.previous == part);
            followers.for_each(|insert| a.item().json(&insert.json));
        }
    });
    patch.replace(line.file_range(list), items.as_str());
}

/// Groups the new items that get their own lines by the line that precedes them.
fn line_insertions<'e>(
    transcript: &Transcript,
    edits: &'e PartEdits,
    source: &TranscriptFile,
) -> BTreeMap<usize, Vec<&'e Insertion>> {
    let mut groups: BTreeMap<usize, Vec<&Insertion>> = BTreeMap::new();
    for insert in &edits.insertions {
        let previous_parts = insert.previous.map_or(&[][..], |after| &transcript.parts[..=after]);
        let location = previous_parts.iter().enumerate().rev().find_map(|(index, part)| {
            part.location.filter(|_| edits.changes[index] != PartChange::Removed)
        });
        // Without a preceding item: after the line about the session, which is the first.
        let first = source.lines().iter().position(|line| line.doc.is_ok()).unwrap_or(0);
        let record = location.map_or(first, |location| location.record);
        if replacement_history(&source.lines()[record]).is_none() {
            groups.entry(record).or_default().push(insert);
        }
    }
    groups
}

fn new_line(item: &RawJson, neighbour: &Line, has_bare_items: bool) -> String {
    if has_bare_items {
        return item.as_str().to_owned();
    }
    let time = neighbour.root().and_then(|root| root.get("timestamp"));
    let line = RawJson::object(|o| {
        if let Some(time) = time {
            o.json("timestamp", &time.json());
        }
        o.str("type", "response_item");
        o.json("payload", item);
    });
    line.as_str().to_owned()
}
