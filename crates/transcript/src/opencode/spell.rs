//! The request that the agent would send next, in the dialect of its provider.

use std::collections::{BTreeMap, BTreeSet};

use interlingua::wire::Node;
use interlingua::wire::json::Object;
use interlingua::{Json, Text, find};

use super::parts::{Kind, Part, word};
use super::{Opencode, blocks, contents, items};
use crate::{Note, Origin, Source, Transcript, Unit, unit};

/// What a provider's dialect calls things.
pub(super) struct Spelling {
    pub(super) dialect: &'static str,
    /// A part of the request, for a part of the export. None where the provider is not told.
    pub(super) part: fn(&Part<'_>) -> Option<Json>,
    /// The result of a tool's run; none while it has none.
    pub(super) result: fn(&Part<'_>, &Text, bool) -> Json,
    /// Whether a result has room for the files that the tool gave.
    pub(super) files: bool,
    /// Parts of one speaker are one message, and the model must not be the last who spoke. None where
    /// each part stands alone.
    pub(super) messages: Option<Messages>,
}

/// What messages are called.
pub(super) struct Messages {
    pub(super) list: &'static str,
    pub(super) inside: &'static str,
    /// The role of the model.
    pub(super) model: &'static str,
    pub(super) text: fn(&Text) -> Json,
    pub(super) is_result: fn(Node<'_>) -> bool,
    /// The name of the tool that a part calls.
    pub(super) called: fn(Node<'_>) -> Option<String>,
    /// Tools with these names, and what else the request has.
    pub(super) rest: fn(&BTreeSet<String>, &mut Object<'_>),
}

pub(super) fn read(parts: &[Part<'_>], messages: Node<'_>, source: &Source) -> Option<Transcript> {
    let (provider, model) = spoken_to(messages);
    let spelling = spelling(&provider, &model);
    let mut units: Vec<Unit> = Vec::new();
    let mut left = BTreeMap::new();
    let mut lines = source.lines_of(parts.iter().map(|part| part.node.range().start)).into_iter();
    for step in parts.chunk_by(|a, b| a.step == b.step) {
        let lines: Vec<usize> = lines.by_ref().take(step.len()).collect();
        spell_step(step, &lines, spelling, &mut units, &mut left);
    }
    let note = |(kind, count): (String, usize)| {
        let what = format!("{count} parts of the kind `{kind}` are left out of the request");
        Note::of_file(what)
    };
    let mut notes: Vec<Note> = left.into_iter().map(note).collect();
    let mut stands_in = false;
    if let Some(messages) = &spelling.messages {
        join(&mut units, messages);
        stands_in = units.last().is_some_and(|unit| unit.role == messages.model);
        if stands_in {
            let turn = units.last().map_or(0, |unit| unit.turn + 1);
            let json = (messages.text)(&Text::word("Continue."));
            units.push(Unit { turn, ..new_unit("user", json, None) });
            notes.push(Note::of_file(Note::SPOKEN_LAST));
        }
        units = numbered(units);
    } else {
        for (turn, unit) in units.iter_mut().enumerate() {
            unit.turn = turn;
            unit.role = word(unit.json.doc().root(), "role").into_owned();
        }
    }
    let body = body(&units, spelling, &model);
    let body = interlingua::wire::Json::to_bytes(&body);
    let dialect = find(spelling.dialect)?;
    let model = (!model.is_empty()).then(|| Text::new(&model));
    Some(Transcript { format: &Opencode, dialect, body, units, notes, model, stands_in })
}

/// How the agent speaks to this provider about this model.
fn spelling(provider: &str, model: &str) -> &'static Spelling {
    let is_named = |(of_provider, of_model): &(&str, &str)| {
        provider.contains(of_provider) && model.contains(of_model)
    };
    let spoken = SPOKEN.iter().find(|(names, _)| names.iter().any(is_named));
    spoken.map_or(&items::ITEMS, |(_, spelling)| spelling)
}

/// The parts of one step, then the results of its calls.
fn spell_step(
    step: &[Part<'_>],
    lines: &[usize],
    spelling: &Spelling,
    units: &mut Vec<Unit>,
    left: &mut BTreeMap<String, usize>,
) {
    let model = spelling.messages.as_ref().map_or("assistant", |messages| messages.model);
    let role = if step.iter().any(|part| part.from_user) { "user" } else { model };
    let origin = |part: &Part<'_>, line: usize, result: usize| {
        Some(Origin { line, record: part.message, slot: part.at * 2 + result })
    };
    for (part, line) in step.iter().zip(lines) {
        match (spelling.part)(part) {
            Some(json) => units.push(new_unit(role, json, origin(part, *line, 0))),
            None => *left.entry(word(part.node, "type").into_owned()).or_default() += 1,
        }
    }
    for (part, line) in step.iter().zip(lines).filter(|(part, _)| part.kind == Kind::Tool) {
        let Some(state) = part.node.get("state") else { continue };
        let (key, is_error) = match &*word(state, "status") {
            "completed" => ("output", false),
            "error" => ("error", true),
            _ => continue,
        };
        let given = state.get("attachments").into_iter().flat_map(Node::items);
        let lost = given.filter(|file| !spelling.files || data(*file).is_none()).count();
        if lost > 0 {
            *left.entry("attachment".to_owned()).or_default() += lost;
        }
        let text = state.get(key).and_then(Node::text).unwrap_or_default();
        let json = (spelling.result)(part, &text, is_error);
        units.push(new_unit("user", json, origin(part, *line, 1)));
    }
}

fn new_unit(role: &str, json: Json, origin: Option<Origin>) -> Unit {
    Unit { turn: 0, block: None, role: role.to_owned(), json, at: 0, origin }
}

/// Gives neighbours of one role the same turn; a user's results come first.
fn join(units: &mut [Unit], messages: &Messages) {
    let mut turn = 0;
    for at in 1..units.len() {
        if units[at].role != units[at - 1].role {
            turn += 1;
        }
        units[at].turn = turn;
    }
    units.sort_by_key(|unit| {
        let doc = unit.json.doc();
        (unit.turn, unit.role == "user" && !(messages.is_result)(doc.root()))
    });
}

fn numbered(mut units: Vec<Unit>) -> Vec<Unit> {
    for turn in units.chunk_by_mut(|a, b| a.turn == b.turn) {
        for (at, unit) in turn.iter_mut().enumerate() {
            unit.block = Some(at);
        }
    }
    units
}

fn body(units: &[Unit], spelling: &Spelling, model: &str) -> Json {
    Json::object(|o| {
        o.word("model", model);
        let Some(messages) = &spelling.messages else {
            o.array("input", |a| units.iter().for_each(|unit| a.item().json(&unit.json)));
            o.boolean("store", false);
            return;
        };
        o.array(messages.list, |a| {
            for turn in units.chunk_by(|a, b| a.turn == b.turn) {
                a.object(|o| {
                    o.word("role", &turn[0].role);
                    o.array(messages.inside, |a| {
                        for unit in turn {
                            a.item().json(&unit.json);
                        }
                    });
                });
            }
        });
        // The file does not hold the tools; ones with the names that were called stand in for them.
        let called = units.iter().filter_map(|unit| (messages.called)(unit.json.doc().root()));
        (messages.rest)(&called.filter(|name| unit::is_name(name)).collect(), o);
    })
}

/// The provider and the model of the last reply, or of the last prompt.
fn spoken_to(messages: Node<'_>) -> (String, String) {
    let mut found = (String::new(), String::new());
    for info in messages.items().filter_map(|message| message.get("info")) {
        let node = info.get("model").filter(|model| model.is_object()).unwrap_or(info);
        let (provider, model) = (word(node, "providerID"), word(node, "modelID"));
        if !model.is_empty() {
            found = (provider.into_owned(), model.into_owned());
        }
    }
    found
}

pub(super) fn said(part: &Part<'_>) -> Text {
    match part.kind {
        Kind::Compaction => Text::word("What did we do so far?"),
        _ => part.node.get("text").and_then(Node::text).unwrap_or_default(),
    }
}

/// Of a data URL: the media type, and the base64 behind it.
pub(super) fn data(file: Node<'_>) -> Option<(Text, Text)> {
    let url = file.get("url").and_then(Node::text)?;
    let (_, data) = url.split_once(";base64,")?;
    Some((file.get("mime").and_then(Node::text)?, data))
}

/// The files that a tool gave beside its words, as far as they can be said.
pub(super) fn given<'s>(part: &Part<'s>, say: fn(Node<'s>) -> Option<Json>) -> Vec<Json> {
    let state = part.node.get("state").filter(|state| word(*state, "status") == "completed");
    let files = state.and_then(|state| state.get("attachments")).into_iter();
    files.flat_map(Node::items).filter_map(say).collect()
}

pub(super) fn call(part: &Part<'_>, key: &'static str, o: &mut Object<'_>) {
    o.text(key, &part.node.get("callID").and_then(Node::text).unwrap_or_default());
    o.text("name", &part.node.get("tool").and_then(Node::text).unwrap_or_default());
}

pub(super) fn input(part: &Part<'_>) -> Json {
    let input = part.node.get("state").and_then(|state| state.get("input"));
    input.map_or(Json::EMPTY_OBJECT, Node::json)
}

/// What a provider keeps with a part, under whichever name.
pub(super) fn kept<'s>(part: &Part<'s>, key: &str) -> Option<Node<'s>> {
    let metadata = part.node.get("metadata")?;
    metadata.fields().find_map(|field| field.value.get(key))
}

/// Parts of the names of providers and models, and how the agent speaks to them. The first counts.
const SPOKEN: &[(&[(&str, &str)], Spelling)] = &[
    (&[("anthropic", ""), ("", "claude")], blocks::BLOCKS),
    (&[("google", ""), ("opencode", "gemini")], contents::CONTENTS),
];
