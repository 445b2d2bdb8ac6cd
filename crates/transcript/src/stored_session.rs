//! Reads stored sessions, in the gateway's own dialect `native`.
//!
//! A stored session has the conversation only. For the check, the missing model, tools, settings
//! and the user's next prompt are filled in; they are never written back.

use std::collections::BTreeSet;

use bytes::Bytes;
use interlingua::{JsonDoc, JsonLimits, JsonString, RawJson, find_dialect};
use interlingua_wire::JsonNode;

use crate::{Format, Note, RequestPart, Transcript, TranscriptFile, request_body, request_part};

#[derive(Debug)]
pub(crate) struct StoredSession;

impl Format for StoredSession {
    fn name(&self) -> &'static str {
        "session"
    }

    fn title(&self) -> &'static str {
        "a stored session"
    }

    fn read(&self, source: &TranscriptFile) -> Option<Transcript> {
        let root = source.single_value()?;
        root.get("interlingua")?.as_u64()?;
        let turns = root.get("turns").filter(|turns| turns.is_array())?;
        let mut transcript =
            request_body::read_body(&StoredSession, find_dialect("native")?, source);
        if !is_stored_session(root) {
            return Some(transcript);
        }
        let last = turns.items().last();
        transcript.has_placeholder = last.is_some_and(|turn| {
            turn.get("role").map(JsonNode::str_or_empty).as_deref() == Some("assistant")
        });
        if transcript.has_placeholder {
            let turn = transcript.parts.last().map_or(0, |part| part.turn + 1);
            let (role, json) = ("user".to_owned(), placeholder_turn());
            transcript.parts.push(RequestPart {
                turn,
                block: None,
                role,
                json,
                offset: 0,
                location: None,
            });
            transcript.notes.push(Note::for_file(Note::PLACEHOLDER_ADDED));
        }
        transcript.body = to_request(root, turns, transcript.has_placeholder).to_bytes();
        Some(transcript)
    }

    /// Writes turns and system messages; all other fields stay.
    fn write(&self, source: &TranscriptFile, transcript: &Transcript, repaired: &Bytes) -> Bytes {
        let root = source.single_value().filter(|root| is_stored_session(*root));
        let repaired_doc = JsonDoc::from_bytes(repaired.clone(), JsonLimits::default());
        let (Some(root), Ok(repaired_doc)) = (root, repaired_doc) else { return repaired.clone() };
        let mut turns: Vec<RawJson> = repaired_doc
            .root()
            .get("turns")
            .into_iter()
            .flat_map(JsonNode::items)
            .map(JsonNode::json)
            .collect();
        if let Some(last) = turns.pop_if(|_| transcript.has_placeholder) {
            turns.extend(strip_placeholder(&last));
        }
        let turns = RawJson::array(|a| turns.iter().for_each(|turn| a.item().json(turn)));
        let system = repaired_doc.root().get("system").map(JsonNode::json);
        let file = RawJson::object(|o| {
            for field in
                root.fields().filter(|field| !field.key_is("turns") && !field.key_is("system"))
            {
                o.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
            o.json_opt("system", system.as_ref());
            o.json("turns", &turns);
        });
        file.to_bytes()
    }
}

/// Distinguishes a session of the store from a request that was converted from a client's dialect.
fn is_stored_session(root: JsonNode<'_>) -> bool {
    root.get("source").is_some_and(|source| source.str_or_empty() == request_part::NATIVE_DIALECT)
}

/// Completes the session to a request.
fn to_request(root: JsonNode<'_>, turns: JsonNode<'_>, has_placeholder: bool) -> RawJson {
    let model_name = root.get("model").map(JsonNode::str_or_empty).unwrap_or_default();
    // A session may continue with any model; the check is about its turns.
    let model = model_name
        .rsplit('/')
        .next()
        .filter(|name| name.starts_with(MODEL_FAMILY))
        .unwrap_or(DEFAULT_MODEL);
    RawJson::object(|o| {
        let is_replaced = |key: &str| ["model", "turns"].contains(&key);
        for field in root.fields().filter(|field| !is_replaced(&field.key())) {
            o.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
        o.str("model", model);
        o.array("turns", |a| {
            turns.items().for_each(|turn| a.item().json(&turn.json()));
            if has_placeholder {
                a.item().json(&placeholder_turn());
            }
        });
        let tools = called_tool_names(turns);
        if root.get("tools").is_none() && !tools.is_empty() {
            o.array("tools", |a| {
                for name in &tools {
                    a.object(|o| {
                        o.str("name", name);
                        o.object("schema", |o| o.str("type", "object"));
                    });
                }
            });
        }
        if root.get("settings").is_none() {
            o.object("settings", |o| o.number("max_tokens", MAX_TOKENS));
        }
    })
}

/// The names of the called tools.
fn called_tool_names(turns: JsonNode<'_>) -> BTreeSet<String> {
    let blocks = turns.items().filter_map(|turn| turn.get("blocks")).flat_map(JsonNode::items);
    let names = blocks
        .filter_map(|block| Some(block.get("call")?.get("name")?.str_or_empty().into_owned()));
    names.filter(|name| request_part::is_valid_tool_name(name)).collect()
}

/// A placeholder for the user's next prompt.
fn placeholder_turn() -> RawJson {
    RawJson::object(|o| {
        o.str("role", "user");
        o.array("blocks", |a| a.object(|o| o.str("text", PLACEHOLDER_PROMPT)));
    })
}

/// Removes the placeholder from the last turn of a repaired request; `None` if nothing else is in
/// it.
fn strip_placeholder(turn: &RawJson) -> Option<RawJson> {
    let doc = turn.to_doc();
    let blocks: Vec<RawJson> = doc
        .root()
        .get("blocks")
        .into_iter()
        .flat_map(JsonNode::items)
        .filter(|block| {
            block.get("text").and_then(JsonNode::json_string)
                != Some(JsonString::from_static(PLACEHOLDER_PROMPT))
        })
        .map(JsonNode::json)
        .collect();
    // `raw`, the turn in another dialect, would still have the placeholder: drop it.
    (!blocks.is_empty()).then(|| {
        RawJson::object(|o| {
            o.json_opt("role", doc.root().get("role").map(JsonNode::json).as_ref());
            o.array("blocks", |a| blocks.iter().for_each(|block| a.item().json(block)));
        })
    })
}

/// The placeholder for the user's next prompt.
const PLACEHOLDER_PROMPT: &str = "Continue.";
/// Models that the check knows, and the one to check for if the file names another or none.
const MODEL_FAMILY: &str = "claude";
const DEFAULT_MODEL: &str = "claude-sonnet-4-5";
const MAX_TOKENS: u64 = 32_000;
