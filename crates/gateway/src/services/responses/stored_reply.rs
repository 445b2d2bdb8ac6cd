//! Encodes and decodes stored replies.

use bytes::Bytes;
use interlingua::{JsonDoc, JsonLimits, JsonString, RawJson};
use interlingua_wire::JsonNode;

/// A stored reply.
pub(crate) struct StoredResponse {
    /// The replies that it continues, oldest first: at most [`MAX_CHAIN_IDS`].
    pub(super) previous_ids: Vec<String>,
    /// The input items of its request.
    pub(crate) input: Vec<RawJson>,
    /// The response as the client got it.
    pub(crate) response: RawJson,
    /// The provider that has its items under the same ids.
    pub(super) provider: Option<String>,
    /// Bytes of input and response.
    pub(super) size: usize,
}

impl StoredResponse {
    /// `None` if the body is damaged; the reply then counts as missing.
    pub(super) fn decode(body: Bytes) -> Option<Self> {
        let size = body.len();
        let doc = JsonDoc::from_bytes(
            body,
            JsonLimits { max_bytes: usize::MAX, ..JsonLimits::default() },
        )
        .ok()?;
        let root = doc.root();
        let previous_ids =
            root.get("before")?.items().map(|id| id.str_or_empty().into_owned()).collect();
        let input = root.get("input")?.items().map(JsonNode::json).collect();
        let response = root.get("response").filter(|response| response.is_object())?.json();
        let provider = root.get("by").map(|provider| provider.str_or_empty().into_owned());
        Some(Self { previous_ids, input, response, provider, size })
    }

    /// Input and output as input items of a request.
    pub(crate) fn history_items(&self) -> impl Iterator<Item = RawJson> {
        self.input.iter().cloned().chain(self.output())
    }

    pub(super) fn output(&self) -> Vec<RawJson> {
        let doc = self.response.to_doc();
        input_items(doc.root().get("output"))
    }
}

/// The stored form of a reply, and the ids of its items; `None` if the response is no object.
pub(super) fn encode(
    previous_ids: &[String],
    input: &RawJson,
    provider: Option<&str>,
    response: Bytes,
) -> Option<(Bytes, Vec<String>)> {
    let response = String::from_utf8(response.into()).ok()?;
    let response = RawJson::parse(response).ok().filter(RawJson::is_object)?;
    let record = RawJson::object(|o| {
        o.array("before", |a| previous_ids.iter().for_each(|id| a.item().str(id)));
        o.json(INPUT, input);
        if let Some(provider) = provider {
            o.json_string("by", &JsonString::new(provider));
        }
        o.json("response", &response);
    });
    let ids =
        input_items(response.to_doc().root().get("output")).iter().filter_map(item_id).collect();
    Some((record.to_bytes(), ids))
}

pub(super) fn item_id(item: &RawJson) -> Option<String> {
    let doc = item.to_doc();
    doc.root().get("id").filter(|id| id.is_string()).map(|id| id.str_or_empty().into_owned())
}

/// The items of an input: a list, a text, or one object.
pub(crate) fn input_items(input: Option<JsonNode<'_>>) -> Vec<RawJson> {
    match input {
        Some(list) if list.is_array() => list.items().map(JsonNode::json).collect(),
        Some(text) if text.is_string() => {
            vec![RawJson::object(|o| {
                o.static_str("role", "user");
                o.json("content", &text.json());
            })]
        }
        Some(item) if item.is_object() => vec![item.json()],
        _ => Vec::new(),
    }
}

pub(super) fn json_array(items: &[RawJson]) -> RawJson {
    RawJson::array(|a| items.iter().for_each(|item| a.item().json(item)))
}

/// The ids that the next reply refers to.
pub(super) fn append_id(ids: Vec<String>, id: &str) -> Vec<String> {
    let mut ids = ids;
    ids.push(id.to_owned());
    let excess = ids.len().saturating_sub(MAX_CHAIN_IDS);
    ids.drain(..excess);
    ids
}

/// The request with the whole history in its input.
pub(super) fn with_input(
    root: JsonNode<'_>,
    chain: &[StoredResponse],
    new_items: &[RawJson],
) -> Bytes {
    let input = RawJson::array(|a| {
        let earlier = chain.iter().flat_map(StoredResponse::history_items);
        earlier.chain(new_items.iter().cloned()).for_each(|item| a.item().json(&item));
    });
    let request = RawJson::object(|o| {
        for field in root
            .fields()
            .filter(|field| !field.key_is(PREVIOUS_RESPONSE_ID) && !field.key_is(INPUT))
        {
            o.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
        o.json(INPUT, &input);
    });
    request.to_bytes()
}

/// An item with id and type, as lists of items require.
pub(crate) fn with_item_id(item: &RawJson, response: &str, at: usize) -> (String, RawJson) {
    let doc = item.to_doc();
    if let Some(id) = doc.root().get("id").filter(|id| id.is_string()) {
        return (id.str_or_empty().into_owned(), item.clone());
    }
    let kind = doc.root().get("type").map(|kind| kind.str_or_empty().into_owned());
    let kind = kind.unwrap_or_else(|| "message".to_owned());
    let prefix =
        ITEM_ID_PREFIXES.iter().find(|(name, _)| *name == kind).map_or("item", |row| row.1);
    let id = format!("{prefix}_{}_{at}", response.trim_start_matches("resp_"));
    let numbered = RawJson::object(|o| {
        o.json_string("id", &JsonString::new(&id));
        o.json_string("type", &JsonString::new(&kind));
        for field in
            doc.root().fields().filter(|field| !field.key_is("type") && !field.key_is("id"))
        {
            match (field.key_is("content"), field.value.json_string()) {
                (true, Some(text)) if kind == "message" => o.array("content", |a| {
                    a.object(|o| {
                        let user = doc
                            .root()
                            .get("role")
                            .is_none_or(|role| role.str_or_empty() != "assistant");
                        o.static_str("type", if user { "input_text" } else { "output_text" });
                        o.json_string("text", &text);
                    });
                }),
                _ => o.key_json_string(&field.key_json_string()).json(&field.value.json()),
            }
        }
    });
    (id, numbered)
}

pub(crate) const PREVIOUS_RESPONSE_ID: &str = "previous_response_id";
pub(crate) const INPUT: &str = "input";
/// Ids per record: a long history is loaded in few lookups, and records stay small.
const MAX_CHAIN_IDS: usize = 64;
/// Prefixes of item ids.
const ITEM_ID_PREFIXES: &[(&str, &str)] = &[
    ("message", "msg"),
    ("reasoning", "rs"),
    ("function_call", "fc"),
    ("function_call_output", "fco"),
    ("custom_tool_call", "ctc"),
    ("custom_tool_call_output", "ctco"),
];
