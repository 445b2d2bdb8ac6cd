//! A reply as it is kept, with what was said to it.

use bytes::Bytes;
use interlingua::wire::Node;
use interlingua::{Doc, Json, Limits, Text};

/// A reply that is kept.
pub(super) struct Held {
    /// The replies that it goes on from, the oldest first: [`MOST`] at the most.
    pub(super) before: Vec<String>,
    /// What was said to it.
    pub(super) input: Vec<Json>,
    /// What it is, as its client got it.
    pub(super) response: Json,
    /// The provider that knows its items by the ids that they have here.
    pub(super) by: Option<String>,
    /// Bytes of both.
    pub(super) size: usize,
}

impl Held {
    /// Nothing if it is none: then it is as if it were not there.
    pub(super) fn read(body: Bytes) -> Option<Self> {
        let size = body.len();
        let doc = Doc::from_bytes(body, Limits { bytes: usize::MAX, ..Limits::default() }).ok()?;
        let root = doc.root();
        let before = root.get("before")?.items().map(|id| id.word().into_owned()).collect();
        let input = root.get("input")?.items().map(Node::json).collect();
        let response = root.get("response").filter(|response| response.is_object())?.json();
        let by = root.get("by").map(|by| by.word().into_owned());
        Some(Self { before, input, response, by, size })
    }

    /// The item of the reply that has this id.
    pub(super) fn item(&self, id: &str) -> Option<Json> {
        self.output().into_iter().find(|item| id_of(item).as_deref() == Some(id))
    }

    /// Everything that was said with it, as a request says it.
    pub(super) fn items(&self) -> impl Iterator<Item = Json> {
        self.input.iter().cloned().chain(self.output())
    }

    fn output(&self) -> Vec<Json> {
        let doc = self.response.doc();
        items(doc.root().get("output"))
    }
}

/// What is kept of a reply, and the ids of its items; nothing if it is no object.
pub(super) fn write(
    before: &[String],
    said: &Json,
    by: Option<&str>,
    response: Bytes,
) -> Option<(Bytes, Vec<String>)> {
    let response = String::from_utf8(response.into()).ok()?;
    let response = Json::parse(response).ok().filter(Json::is_object)?;
    let kept = Json::object(|o| {
        o.array("before", |a| before.iter().for_each(|id| a.item().string(id)));
        o.json(INPUT, said);
        if let Some(by) = by {
            o.text("by", &Text::new(by));
        }
        o.json("response", &response);
    });
    let ids = items(response.doc().root().get("output")).iter().filter_map(id_of).collect();
    Some((kept.to_bytes(), ids))
}

fn id_of(item: &Json) -> Option<String> {
    let doc = item.doc();
    doc.root().get("id").filter(|id| id.is_string()).map(|id| id.word().into_owned())
}

/// The items of an input, however it is written.
pub(super) fn items(input: Option<Node<'_>>) -> Vec<Json> {
    match input {
        Some(list) if list.is_array() => list.items().map(Node::json).collect(),
        Some(words) if words.is_string() => {
            vec![Json::object(|o| {
                o.known("role", "user");
                o.json("content", &words.json());
            })]
        }
        Some(item) if item.is_object() => vec![item.json()],
        _ => Vec::new(),
    }
}

pub(super) fn list(items: &[Json]) -> Json {
    Json::array(|a| items.iter().for_each(|item| a.item().json(item)))
}

/// The ids that a reply after this one names.
pub(super) fn after(before: Vec<String>, id: &str) -> Vec<String> {
    let mut before = before;
    before.push(id.to_owned());
    let surplus = before.len().saturating_sub(MOST);
    before.drain(..surplus);
    before
}

/// The request of a client that says everything itself.
pub(super) fn with_input(root: Node<'_>, chain: &[Held], said: &[Json]) -> Bytes {
    let input = Json::array(|a| {
        let earlier = chain.iter().flat_map(Held::items);
        earlier.chain(said.iter().cloned()).for_each(|item| a.item().json(&item));
    });
    let whole = Json::object(|o| {
        for field in root.fields().filter(|field| !field.is(super::PREVIOUS) && !field.is(INPUT)) {
            o.key_text(&field.key()).json(&field.value.json());
        }
        o.json(INPUT, &input);
    });
    whole.to_bytes()
}

/// An item with an id, as lists of items have it.
pub(super) fn named(item: &Json, response: &str, at: usize) -> (String, Json) {
    let doc = item.doc();
    if let Some(id) = doc.root().get("id").filter(|id| id.is_string()) {
        return (id.word().into_owned(), item.clone());
    }
    let kind = doc.root().get("type").map(|kind| kind.word().into_owned());
    let kind = kind.unwrap_or_else(|| "message".to_owned());
    let prefix = PREFIXES.iter().find(|(name, _)| *name == kind).map_or("item", |row| row.1);
    let id = format!("{prefix}_{}_{at}", response.trim_start_matches("resp_"));
    let named = Json::object(|o| {
        o.text("id", &Text::new(&id));
        o.text("type", &Text::new(&kind));
        for field in doc.root().fields().filter(|field| !field.is("type") && !field.is("id")) {
            match (field.is("content"), field.value.text()) {
                (true, Some(words)) if kind == "message" => o.array("content", |a| {
                    a.object(|o| {
                        let user =
                            doc.root().get("role").is_none_or(|role| role.word() != "assistant");
                        o.known("type", if user { "input_text" } else { "output_text" });
                        o.text("text", &words);
                    });
                }),
                _ => o.key_text(&field.key()).json(&field.value.json()),
            }
        }
    });
    (id, named)
}

pub(super) const INPUT: &str = "input";
/// How many replies one names: a long history is read in a few questions, and no record is long for it.
const MOST: usize = 64;
/// How ids of items begin.
const PREFIXES: &[(&str, &str)] = &[
    ("message", "msg"),
    ("reasoning", "rs"),
    ("function_call", "fc"),
    ("function_call_output", "fco"),
    ("custom_tool_call", "ctc"),
    ("custom_tool_call_output", "ctco"),
];
