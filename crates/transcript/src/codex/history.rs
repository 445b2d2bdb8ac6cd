//! The request that the agent would send next.

use interlingua::wire::{Node, Writer};
use interlingua::{Json, Text, find};

use super::Codex;
use crate::{Note, Origin, Source, Transcript, Unit};

#[derive(Default)]
struct History {
    items: Vec<Item>,
    model: Option<Text>,
    instructions: Option<Text>,
    /// Lines of this format were found.
    known: bool,
    notes: Vec<Note>,
}

struct Item {
    json: Json,
    origin: Option<Origin>,
    from_user: bool,
}

pub(super) fn read(source: &Source) -> Option<Transcript> {
    let mut history = History::default();
    let bare = is_bare(source);
    for (at, line) in source.lines().iter().enumerate() {
        let Some(root) = line.root().filter(|root| root.is_object()) else { continue };
        let origin = |slot| Origin { line: line.number, record: at, slot };
        if bare {
            history.bare(root, origin(0));
            continue;
        }
        let [kind, payload] = root.pick(["type", "payload"]);
        let (Some(kind), Some(payload)) = (kind, payload) else { continue };
        history.line(&kind.word(), payload, &origin);
    }
    history.known.then_some(())?;
    let mut notes = source.unread();
    notes.append(&mut history.notes);
    let (body, model) = (body(&history).into(), history.model.clone());
    let item = |(turn, item): (usize, Item)| {
        let doc = item.json.doc();
        let role = doc.root().get("role").map(|role| role.word().into_owned());
        let (role, origin) = (role.unwrap_or_default(), item.origin);
        Unit { turn, block: None, role, json: item.json, at: 0, origin }
    };
    let units = history.items.into_iter().enumerate().map(item).collect();
    let dialect = find("openai-responses")?;
    Some(Transcript { format: &Codex, dialect, body, units, notes, model, stands_in: false })
}

/// The first rollouts had no envelope: a line about the session, then the items.
pub(super) fn is_bare(source: &Source) -> bool {
    let mut objects = (0..source.lines().len()).filter_map(|line| source.object(line));
    let is_head = |root: Node<'_>| {
        let [id, time, kind] = root.pick(["id", "timestamp", "type"]);
        id.is_some() && time.is_some() && kind.is_none()
    };
    objects.next().is_some_and(is_head)
        && objects.any(|root| root.get("type").is_some_and(|kind| is_item(&kind.word())))
}

impl History {
    fn line(&mut self, kind: &str, payload: Node<'_>, origin: &dyn Fn(usize) -> Origin) {
        match kind {
            "session_meta" => {
                self.known = true;
                let base = payload.get("base_instructions").and_then(|base| base.get("text"));
                self.instructions =
                    base.or_else(|| payload.get("instructions")).and_then(Node::text);
            }
            "turn_context" => {
                self.known = true;
                self.model = payload.get("model").and_then(Node::text).or(self.model.take());
            }
            "response_item" => {
                self.known = true;
                self.push(payload, Some(origin(0)));
            }
            "compacted" => self.compact(payload, origin),
            "event_msg" => self.roll_back(payload),
            _ => {}
        }
    }

    fn bare(&mut self, root: Node<'_>, origin: Origin) {
        self.known = true;
        match root.get("type") {
            Some(_) => self.push(root, Some(origin)),
            None => self.instructions = root.get("instructions").and_then(Node::text),
        }
    }

    fn push(&mut self, item: Node<'_>, origin: Option<Origin>) {
        let kind = item.get("type").map(Node::word).unwrap_or_default();
        if is_item(&kind) {
            let role = item.get("role").map(Node::word).unwrap_or_default();
            let from_user = kind == "message" && role == "user" && !is_context(item);
            self.items.push(Item { json: item.json(), origin, from_user });
        }
    }

    /// What came before is replaced: by a list of items, or by the user's words and a summary.
    fn compact(&mut self, payload: Node<'_>, origin: &dyn Fn(usize) -> Origin) {
        if let Some(list) = payload.get("replacement_history").filter(|list| list.is_array()) {
            self.items.clear();
            for (slot, item) in list.items().enumerate() {
                self.push(item, Some(origin(slot)));
            }
            return;
        }
        let of_user = |item: &Item| {
            let doc = item.json.doc();
            doc.root()
                .get("role")
                .is_some_and(|role| ["user", "developer"].contains(&&*role.word()))
        };
        self.items.retain(of_user);
        if let Some(summary) = payload.get("message").and_then(Node::text) {
            let json = Json::object(|o| {
                o.word("type", "message");
                o.word("role", "user");
                o.array("content", |a| {
                    a.object(|o| {
                        o.word("type", "input_text");
                        o.text("text", &summary);
                    });
                });
            });
            self.items.push(Item { json, origin: None, from_user: false });
        }
    }

    fn roll_back(&mut self, event: Node<'_>) {
        if event.get("type").is_none_or(|kind| kind.word() != "thread_rolled_back") {
            return;
        }
        let turns = event.get("num_turns").and_then(Node::count).unwrap_or(0);
        for _ in 0..turns {
            let Some(at) = self.items.iter().rposition(|item| item.from_user) else { break };
            self.items.truncate(at);
        }
        self.notes.push(Note::of_file(format!("the user took back the last {turns} prompts")));
    }
}

/// What the agent says in the user's name.
fn is_context(message: Node<'_>) -> bool {
    let first = message.get("content").and_then(|content| content.items().next());
    let text = first.and_then(|part| part.get("text")).map(Node::word).unwrap_or_default();
    CONTEXT.iter().any(|start| text.trim_start().starts_with(start))
}

fn is_item(kind: &str) -> bool {
    ITEMS.contains(&kind) || kind.ends_with("_call") || kind.ends_with("_output")
}

fn body(history: &History) -> Vec<u8> {
    let mut out = Writer::default();
    let model = history.model.clone().unwrap_or_else(|| Text::word(MODEL));
    out.object(|o| {
        o.text("model", &model);
        o.text_if("instructions", history.instructions.as_ref());
        o.array("input", |a| history.items.iter().for_each(|item| a.item().json(&item.json)));
        o.boolean("store", false);
        o.array("include", |a| a.item().string("reasoning.encrypted_content"));
    });
    out.into_bytes()
}

const ITEMS: &[&str] = &["message", "reasoning", "compaction", "compaction_summary"];
const CONTEXT: &[&str] = &["<environment_context>", "<user_instructions>", "# AGENTS.md"];
/// For a file that names no model.
const MODEL: &str = "gpt-5";
