//! A repaired conversation, written back into its file.

use std::collections::BTreeMap;

use bytes::Bytes;
use interlingua::wire::Node;
use interlingua::{Doc, Json, Limits};

use super::history::is_bare;
use crate::patch::Patch;
use crate::{Edits, Fate, Insert, Line, Source, Transcript, align, units};

pub(super) fn write(source: &Source, transcript: &Transcript, repaired: &Bytes) -> Bytes {
    let Ok(after) = Doc::from_bytes(repaired.clone(), Limits::default()) else {
        return source.bytes().clone();
    };
    let edits = align(&transcript.units, &units(transcript.dialect, &after));
    let mut patch = Patch::default();
    let bare = is_bare(source);
    // Line → its units.
    let mut records: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, unit) in transcript.units.iter().enumerate() {
        if let Some(origin) = unit.origin {
            records.entry(origin.record).or_default().push(at);
        }
    }
    for (record, units) in &records {
        let line = &source.lines()[*record];
        match list(line) {
            Some(list) => replace_list(transcript, &edits, units, (line, list), &mut patch),
            None => replace_item(source, &edits, units, line, bare, &mut patch),
        }
    }
    for group in outside(transcript, &edits, source) {
        let (at, inserts) = group;
        let lines: Vec<String> =
            inserts.iter().map(|one| new_line(&one.json, &source.lines()[at], bare)).collect();
        patch.add_lines(&source.lines()[at], &lines, source.bytes());
    }
    patch.apply(source)
}

/// The items that a line puts in the place of everything before it.
fn list(line: &Line) -> Option<Node<'_>> {
    line.root()?.get("payload")?.get("replacement_history").filter(|list| list.is_array())
}

fn replace_item(
    source: &Source,
    edits: &Edits,
    units: &[usize],
    line: &Line,
    bare: bool,
    patch: &mut Patch,
) {
    let Some(fate) = units.first().map(|unit| &edits.fates[*unit]) else { return };
    match fate {
        Fate::Kept => {}
        Fate::Removed => patch.remove_line(line, source.bytes()),
        Fate::Rewritten(json) => {
            let item =
                line.root().and_then(|root| if bare { Some(root) } else { root.get("payload") });
            if let Some(item) = item {
                patch.replace(line.place(item), json.as_str());
            }
        }
    }
}

fn replace_list(
    transcript: &Transcript,
    edits: &Edits,
    units: &[usize],
    (line, list): (&Line, Node<'_>),
    patch: &mut Patch,
) {
    let inside = |insert: &&Insert| insert.after.is_some_and(|after| units.contains(&after));
    let inserts: Vec<_> = edits.inserts.iter().filter(inside).collect();
    if inserts.is_empty() && units.iter().all(|unit| edits.fates[*unit] == Fate::Kept) {
        return;
    }
    let unit_at = |slot: usize| {
        let at = |unit: &&usize| transcript.units[**unit].origin.is_some_and(|o| o.slot == slot);
        units.iter().find(at).copied()
    };
    let items = Json::array(|a| {
        for (slot, item) in list.items().enumerate() {
            let unit = unit_at(slot);
            match unit.map(|unit| &edits.fates[unit]) {
                Some(Fate::Kept) | None => a.item().json(&item.json()),
                Some(Fate::Rewritten(json)) => a.item().json(json),
                Some(Fate::Removed) => {}
            }
            let here = inserts.iter().filter(|insert| unit.is_some() && insert.after == unit);
            here.for_each(|insert| a.item().json(&insert.json));
        }
    });
    patch.replace(line.place(list), items.as_str());
}

/// New items that get lines of their own, with the line each stands behind.
fn outside<'e>(
    transcript: &Transcript,
    edits: &'e Edits,
    source: &Source,
) -> BTreeMap<usize, Vec<&'e Insert>> {
    let mut groups: BTreeMap<usize, Vec<&Insert>> = BTreeMap::new();
    for insert in &edits.inserts {
        let earlier = insert.after.map_or(&[][..], |after| &transcript.units[..=after]);
        let alive = earlier
            .iter()
            .enumerate()
            .rev()
            .find_map(|(at, unit)| unit.origin.filter(|_| edits.fates[at] != Fate::Removed));
        // Behind nothing: behind the line about the session, which is the first.
        let first = source.lines().iter().position(|line| line.doc.is_ok()).unwrap_or(0);
        let record = alive.map_or(first, |origin| origin.record);
        if list(&source.lines()[record]).is_none() {
            groups.entry(record).or_default().push(insert);
        }
    }
    groups
}

fn new_line(item: &Json, neighbour: &Line, bare: bool) -> String {
    if bare {
        return item.as_str().to_owned();
    }
    let time = neighbour.root().and_then(|root| root.get("timestamp"));
    let line = Json::object(|o| {
        if let Some(time) = time {
            o.json("timestamp", &time.json());
        }
        o.word("type", "response_item");
        o.json("payload", item);
    });
    line.as_str().to_owned()
}
