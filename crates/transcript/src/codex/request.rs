//! Builds the Responses request that Codex would send next.

use interlingua::{JsonString, RawJson, find_dialect};
use interlingua_wire::{JsonNode, JsonWriter};

use crate::{FileLocation, Format, Note, RequestPart, Transcript, TranscriptFile};

#[derive(Default)]
struct History {
    items: Vec<Item>,
    model: Option<JsonString>,
    instructions: Option<JsonString>,
    /// The file has lines of this format.
    is_codex: bool,
    notes: Vec<Note>,
}

struct Item {
    json: RawJson,
    location: Option<FileLocation>,
    is_prompt: bool,
}

pub(super) fn read(source: &TranscriptFile, format: &'static dyn Format) -> Option<Transcript> {
    let mut history = History::default();
    let is_bare = has_bare_items(source);
    for (record, line) in source.lines().iter().enumerate() {
        let Some(root) = line.root().filter(|root| root.is_object()) else { continue };
        let location = |index| FileLocation { line: line.number, record, index };
        if is_bare {
            history.push_bare(root, location(0));
            continue;
        }
        let [kind, payload] = root.get_many(["type", "payload"]);
        let (Some(kind), Some(payload)) = (kind, payload) else { continue };
        history.push_line(&kind.str_or_empty(), payload, &location);
    }
    history.is_codex.then_some(())?;
    let mut notes = source.torn_line_notes();
    notes.append(&mut history.notes);
    let (body, model) = (request_body(&history).into(), history.model.clone());
    let item = |(turn, item): (usize, Item)| {
        let doc = item.json.to_doc();
        let role = doc.root().get("role").map(|role| role.str_or_empty().into_owned());
        let (role, location) = (role.unwrap_or_default(), item.location);
        RequestPart { turn, block: None, role, json: item.json, offset: 0, location }
    };
    let parts = history.items.into_iter().enumerate().map(item).collect();
    let dialect = find_dialect("openai-responses")?;
    Some(Transcript { format, dialect, body, parts, notes, model, has_placeholder: false })
}

/// Whether the file has the first rollouts' form: a line about the session, then items without an
/// envelope.
pub(super) fn has_bare_items(source: &TranscriptFile) -> bool {
    let mut objects = (0..source.lines().len()).filter_map(|line| source.object_at(line));
    let is_head = |root: JsonNode<'_>| {
        let [id, time, kind] = root.get_many(["id", "timestamp", "type"]);
        id.is_some() && time.is_some() && kind.is_none()
    };
    objects.next().is_some_and(is_head)
        && objects.any(|root| root.get("type").is_some_and(|kind| is_item(&kind.str_or_empty())))
}

impl History {
    fn push_line(
        &mut self,
        kind: &str,
        payload: JsonNode<'_>,
        location: &dyn Fn(usize) -> FileLocation,
    ) {
        match kind {
            "session_meta" => {
                self.is_codex = true;
                let base = payload.get("base_instructions").and_then(|base| base.get("text"));
                self.instructions =
                    base.or_else(|| payload.get("instructions")).and_then(JsonNode::json_string);
            }
            "turn_context" => {
                self.is_codex = true;
                self.model =
                    payload.get("model").and_then(JsonNode::json_string).or(self.model.take());
            }
            "response_item" => {
                self.is_codex = true;
                self.push_item(payload, Some(location(0)));
            }
            "compacted" => self.compact(payload, location),
            "event_msg" => self.roll_back(payload),
            _ => {}
        }
    }

    fn push_bare(&mut self, root: JsonNode<'_>, location: FileLocation) {
        self.is_codex = true;
        match root.get("type") {
            Some(_) => self.push_item(root, Some(location)),
            None => self.instructions = root.get("instructions").and_then(JsonNode::json_string),
        }
    }

    fn push_item(&mut self, item: JsonNode<'_>, location: Option<FileLocation>) {
        let kind = item.get("type").map(JsonNode::str_or_empty).unwrap_or_default();
        if is_item(&kind) {
            let role = item.get("role").map(JsonNode::str_or_empty).unwrap_or_default();
            let is_prompt = kind == "message" && role == "user" && !is_injected_context(item);
            self.items.push(Item { json: item.json(), location, is_prompt });
        }
    }

    /// Replaces all earlier items: by a list of items, or by the user's messages and a summary.
    fn compact(&mut self, payload: JsonNode<'_>, location: &dyn Fn(usize) -> FileLocation) {
        if let Some(list) = payload.get("replacement_history").filter(|list| list.is_array()) {
            self.items.clear();
            for (index, item) in list.items().enumerate() {
                self.push_item(item, Some(location(index)));
            }
            return;
        }
        let is_user_item = |item: &Item| {
            let doc = item.json.to_doc();
            doc.root()
                .get("role")
                .is_some_and(|role| ["user", "developer"].contains(&&*role.str_or_empty()))
        };
        self.items.retain(is_user_item);
        if let Some(summary) = payload.get("message").and_then(JsonNode::json_string) {
            let json = RawJson::object(|o| {
                o.str("type", "message");
                o.str("role", "user");
                o.array("content", |a| {
                    a.object(|o| {
                        o.str("type", "input_text");
                        o.json_string("text", &summary);
                    });
                });
            });
            self.items.push(Item { json, location: None, is_prompt: false });
        }
    }

    fn roll_back(&mut self, event: JsonNode<'_>) {
        if event.get("type").is_none_or(|kind| kind.str_or_empty() != "thread_rolled_back") {
            return;
        }
        let turns = event.get("num_turns").and_then(JsonNode::as_u64).unwrap_or(0);
        for _ in 0..turns {
            let Some(prompt) = self.items.iter().rposition(|item| item.is_prompt) else { break };
            self.items.truncate(prompt);
        }
        self.notes.push(Note::for_file(format!("the user rolled back the last {turns} prompts")));
    }
}

/// Whether the message is context that the agent adds in the user's name.
fn is_injected_context(message: JsonNode<'_>) -> bool {
    let first = message.get("content").and_then(|content| content.items().next());
    let text =
        first.and_then(|part| part.get("text")).map(JsonNode::str_or_empty).unwrap_or_default();
    CONTEXT_PREFIXES.iter().any(|start| text.trim_start().starts_with(start))
}

fn is_item(kind: &str) -> bool {
    ITEM_TYPES.contains(&kind) || kind.ends_with("_call") || kind.ends_with("_output")
}

fn request_body(history: &History) -> Vec<u8> {
    let mut out = JsonWriter::default();
    let model = history.model.clone().unwrap_or_else(|| JsonString::from_static(DEFAULT_MODEL));
    out.object(|o| {
        o.json_string("model", &model);
        o.json_string_opt("instructions", history.instructions.as_ref());
        o.array("input", |a| history.items.iter().for_each(|item| a.item().json(&item.json)));
        o.boolean("store", false);
        o.array("include", |a| a.item().str("reasoning.encrypted_content"));
    });
    out.into_bytes()
}

const ITEM_TYPES: &[&str] = &["message", "reasoning", "compaction", "compaction_summary"];
const CONTEXT_PREFIXES: &[&str] = &["<environment_context>", "<user_instructions>", "# AGENTS.md"];
/// The model for a file that names none.
const DEFAULT_MODEL: &str = "gpt-5";
