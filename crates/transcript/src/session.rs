//! A stored session: a conversation in the project's own dialect.
//!
//! What the store keeps is what was said. A request has more: who is asked, with which tools, and the
//! user's next words. What of that is missing is put in for the check, and never written.

use std::collections::BTreeSet;

use bytes::Bytes;
use interlingua::wire::Node;
use interlingua::{Doc, Json, Limits, Text, find};

use crate::{Format, Note, Source, Transcript, Unit, body, unit};

#[derive(Debug)]
pub(crate) struct Session;

impl Format for Session {
    fn name(&self) -> &'static str {
        "session"
    }

    fn title(&self) -> &'static str {
        "a stored session"
    }

    fn read(&self, source: &Source) -> Option<Transcript> {
        let root = source.whole()?;
        root.get("interlingua")?.count()?;
        let turns = root.get("turns").filter(|turns| turns.is_array())?;
        let mut transcript = body::of_body(&Session, find("native")?, source);
        if !is_kept(root) {
            return Some(transcript);
        }
        let last = turns.items().last();
        transcript.stands_in = last
            .is_some_and(|turn| turn.get("role").map(Node::word).as_deref() == Some("assistant"));
        if transcript.stands_in {
            let turn = transcript.units.last().map_or(0, |unit| unit.turn + 1);
            let (role, json) = ("user".to_owned(), next_words());
            transcript.units.push(Unit { turn, block: None, role, json, at: 0, origin: None });
            transcript.notes.push(Note::of_file(Note::SPOKEN_LAST));
        }
        transcript.body = request(root, turns, transcript.stands_in).to_bytes();
        Some(transcript)
    }

    /// What was said is written, and all else stays.
    fn write(&self, source: &Source, transcript: &Transcript, repaired: &Bytes) -> Bytes {
        let root = source.whole().filter(|root| is_kept(*root));
        let after = Doc::from_bytes(repaired.clone(), Limits::default());
        let (Some(root), Ok(after)) = (root, after) else { return repaired.clone() };
        let mut turns: Vec<Json> =
            after.root().get("turns").into_iter().flat_map(Node::items).map(Node::json).collect();
        if let Some(last) = turns.pop_if(|_| transcript.stands_in) {
            turns.extend(without_next_words(&last));
        }
        let turns = Json::array(|a| turns.iter().for_each(|turn| a.item().json(turn)));
        let system = after.root().get("system").map(Node::json);
        let file = Json::object(|o| {
            for field in root.fields().filter(|field| !field.is("turns") && !field.is("system")) {
                o.key_text(&field.key()).json(&field.value.json());
            }
            o.json_if("system", system.as_ref());
            o.json("turns", &turns);
        });
        file.to_bytes()
    }
}

/// A session of the store, and not a request that was translated: no client has written it.
fn is_kept(root: Node<'_>) -> bool {
    root.get("source").is_some_and(|source| source.word() == unit::SESSION)
}

/// The file as a request.
fn request(root: Node<'_>, turns: Node<'_>, stands_in: bool) -> Json {
    let named = root.get("model").map(Node::word).unwrap_or_default();
    // A session goes on with any model; what is checked is what was said.
    let model = named.rsplit('/').next().filter(|name| name.starts_with(FAMILY)).unwrap_or(MODEL);
    Json::object(|o| {
        let known = |key: &str| ["model", "turns"].contains(&key);
        for field in root.fields().filter(|field| !known(&field.name())) {
            o.key_text(&field.key()).json(&field.value.json());
        }
        o.word("model", model);
        o.array("turns", |a| {
            turns.items().for_each(|turn| a.item().json(&turn.json()));
            if stands_in {
                a.item().json(&next_words());
            }
        });
        let tools = called(turns);
        if root.get("tools").is_none() && !tools.is_empty() {
            o.array("tools", |a| {
                for name in &tools {
                    a.object(|o| {
                        o.word("name", name);
                        o.object("schema", |o| o.word("type", "object"));
                    });
                }
            });
        }
        if root.get("settings").is_none() {
            o.object("settings", |o| o.number("max_tokens", MAX_TOKENS));
        }
    })
}

/// The names of the tools that were called.
fn called(turns: Node<'_>) -> BTreeSet<String> {
    let blocks = turns.items().filter_map(|turn| turn.get("blocks")).flat_map(Node::items);
    let names =
        blocks.filter_map(|block| Some(block.get("call")?.get("name")?.word().into_owned()));
    names.filter(|name| unit::is_name(name)).collect()
}

/// A turn that stands for the user's next words.
fn next_words() -> Json {
    Json::object(|o| {
        o.word("role", "user");
        o.array("blocks", |a| a.object(|o| o.word("text", NEXT)));
    })
}

/// The last turn of a repaired request without the words that stand for the user's next, if more is in it.
fn without_next_words(turn: &Json) -> Option<Json> {
    let doc = turn.doc();
    let blocks: Vec<Json> = doc
        .root()
        .get("blocks")
        .into_iter()
        .flat_map(Node::items)
        .filter(|block| block.get("text").and_then(Node::text) != Some(Text::word(NEXT)))
        .map(Node::json)
        .collect();
    // What the turn was written as in another dialect still has the words.
    (!blocks.is_empty()).then(|| {
        Json::object(|o| {
            o.json_if("role", doc.root().get("role").map(Node::json).as_ref());
            o.array("blocks", |a| blocks.iter().for_each(|block| a.item().json(block)));
        })
    })
}

/// What stands for the user's next words.
const NEXT: &str = "Continue.";
/// How the models are called whom the check is about, and the one that is asked where the file names
/// another or none.
const FAMILY: &str = "claude";
const MODEL: &str = "claude-sonnet-4-5";
/// What is asked for.
const MAX_TOKENS: u64 = 32_000;
