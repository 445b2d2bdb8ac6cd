//! Items and counts as clients read them, where a server says less.

use interlingua_wire::json::Object;
use interlingua_wire::{Json, Node, Text};

use super::super::output::REASONING;

/// An object with other values for some of its fields, or with more.
pub(super) fn replaced(node: Node<'_>, changes: &[(&'static str, Json)]) -> Json {
    Json::object(|o| {
        for field in node.fields() {
            let new = changes.iter().find(|(key, _)| field.is(key)).map(|(_, new)| new);
            let value = new.cloned().unwrap_or_else(|| field.value.json());
            o.key_text(&field.key()).json(&value);
        }
        for (key, value) in changes {
            if node.get(key).is_none() {
                o.json(key, value);
            }
        }
    })
}

/// An item with this id, if it has another.
pub(super) fn with_id(item: Node<'_>, id: &Text) -> Option<Json> {
    let same = item.get("id").is_some_and(|own| own.is_string() && *id == *own.word());
    (!same && item.is_object()).then(|| replaced(item, &[("id", Json::string(id))]))
}

/// An item that is done, with its id and with the name that it began with, if it says others.
pub(super) fn finished(item: Node<'_>, id: &Text, begun: Option<&Json>) -> Option<Json> {
    let named = |item: Node<'_>| item.get("name").and_then(Node::text).filter(|n| !n.is_empty());
    let is_nameless = item.get("name").is_some_and(|name| name.raw() == "\"\"");
    let name = begun.filter(|_| is_nameless).and_then(|begun| named(begun.doc().root()));
    match name {
        Some(name) => {
            Some(replaced(item, &[("id", Json::string(id)), ("name", Json::string(&name))]))
        }
        None => with_id(item, id),
    }
}

/// What the ids of such items begin with.
pub(super) fn prefix(kind: &str) -> &'static str {
    match kind {
        "reasoning" => REASONING,
        "function_call" => "fc_",
        "custom_tool_call" => "ctc_",
        _ => "msg_",
    }
}

/// An item that begins; `None` if more must be known of it.
pub(super) fn empty(kind: &str, id: &Text) -> Option<Json> {
    let list = match kind {
        "message" => "content",
        "reasoning" => "summary",
        _ => return None,
    };
    Some(Json::object(|o| {
        o.text("id", id);
        o.text("type", &Text::new(kind));
        if kind == "message" {
            o.known("status", "in_progress");
            o.known("role", "assistant");
        }
        o.array(list, |_| {});
    }))
}

/// The part that must have begun before such a piece.
pub(super) fn part(piece: &str) -> Option<Json> {
    let refusal = match piece {
        "response.output_text.delta" | "response.output_text.done" => false,
        "response.refusal.delta" | "response.refusal.done" => true,
        _ => return None,
    };
    Some(words(refusal, &Text::EMPTY))
}

fn words(refusal: bool, text: &Text) -> Json {
    Json::object(|o| {
        o.known("type", if refusal { "refusal" } else { "output_text" });
        o.text(if refusal { "refusal" } else { "text" }, text);
        if !refusal {
            o.array("annotations", |_| {});
            o.array("logprobs", |_| {});
        }
    })
}

/// An item as it was before its pieces came.
pub(super) fn emptied(item: Node<'_>) -> Json {
    let kind = item.get("type").map(Node::word).unwrap_or_default();
    let nothing = match &*kind {
        "message" => ("content", Json::EMPTY_ARRAY),
        "function_call" => ("arguments", Json::string(&Text::EMPTY)),
        "custom_tool_call" => ("input", Json::string(&Text::EMPTY)),
        "reasoning" => return replaced(item, &[("summary", Json::EMPTY_ARRAY)]),
        _ => return item.json(),
    };
    replaced(item, &[nothing, ("status", Json::string(&Text::word("in_progress")))])
}

/// An event with its fields.
type Told = (&'static str, Vec<(&'static str, Json)>);

/// The pieces of an item that comes whole.
pub(super) fn pieces(item: Node<'_>) -> Vec<Told> {
    let kind = item.get("type").map(Node::word).unwrap_or_default();
    let said = |key: &str| item.get(key).filter(|value| value.is_string()).map(Node::json);
    let call = |delta, done, key: &'static str| {
        let all = said(key).unwrap_or_else(|| Json::string(&Text::EMPTY));
        vec![(delta, vec![("delta", all.clone())]), (done, vec![(key, all)])]
    };
    match &*kind {
        "function_call" => call(
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "arguments",
        ),
        "custom_tool_call" => call(
            "response.custom_tool_call_input.delta",
            "response.custom_tool_call_input.done",
            "input",
        ),
        "message" => {
            let parts = item.get("content").into_iter().flat_map(Node::items);
            parts.enumerate().flat_map(|(at, node)| pieces_of_part(at as u64, node)).collect()
        }
        "reasoning" => {
            let parts = item.get("summary").into_iter().flat_map(Node::items);
            parts.enumerate().flat_map(|(at, node)| pieces_of_summary(at as u64, node)).collect()
        }
        _ => Vec::new(),
    }
}

fn pieces_of_part(at: u64, part: Node<'_>) -> Vec<Told> {
    let said = |key: &str| part.get(key).filter(|text| text.is_string()).map(Node::json);
    let at = || ("content_index", Json::number(at));
    let (delta, done) = if let Some(text) = said("text") {
        let none = || ("logprobs", Json::EMPTY_ARRAY);
        let delta = vec![at(), ("delta", text.clone()), none()];
        let done = vec![at(), ("text", text), none()];
        (("response.output_text.delta", delta), ("response.output_text.done", done))
    } else if let Some(text) = said("refusal") {
        let delta = vec![at(), ("delta", text.clone())];
        (
            ("response.refusal.delta", delta),
            ("response.refusal.done", vec![at(), ("refusal", text)]),
        )
    } else {
        return Vec::new();
    };
    let begun = words(delta.0 == "response.refusal.delta", &Text::EMPTY);
    vec![
        ("response.content_part.added", vec![at(), ("part", begun)]),
        delta,
        done,
        ("response.content_part.done", vec![at(), ("part", part.json())]),
    ]
}

fn pieces_of_summary(at: u64, part: Node<'_>) -> Vec<Told> {
    let Some(text) = part.get("text").filter(|text| text.is_string()).map(Node::json) else {
        return Vec::new();
    };
    let at = || ("summary_index", Json::number(at));
    let begun = Json::object(|o| {
        o.known("type", "summary_text");
        o.text("text", &Text::EMPTY);
    });
    vec![
        ("response.reasoning_summary_part.added", vec![at(), ("part", begun)]),
        ("response.reasoning_summary_text.delta", vec![at(), ("delta", text.clone())]),
        ("response.reasoning_summary_text.done", vec![at(), ("text", text)]),
        ("response.reasoning_summary_part.done", vec![at(), ("part", part.json())]),
    ]
}

/// An item that was never done, from how it began, the parts that ended and the words of the open one;
/// the first says whether they are a refusal, or reasoning in full.
pub(super) fn of_pieces(
    kind: &str,
    added: &Json,
    parts: &[Json],
    told: Option<(bool, &str)>,
) -> Json {
    let doc = added.doc();
    let text = || {
        let told = told.map(|(_, told)| told).unwrap_or_default();
        Json::parse(format!("\"{told}\"")).ok().and_then(|json| json.text()).unwrap_or_default()
    };
    let other = told.is_some_and(|(other, _)| other);
    let completed = ("status", Json::string(&Text::word("completed")));
    match kind {
        "message" => {
            let open = told.map(|_| words(other, &text()));
            let list = Json::array(|a| parts.iter().chain(&open).for_each(|p| a.item().json(p)));
            replaced(doc.root(), &[("content", list), completed])
        }
        "function_call" | "custom_tool_call" if told.is_some_and(|(_, told)| !told.is_empty()) => {
            let key = if kind == "function_call" { "arguments" } else { "input" };
            replaced(doc.root(), &[(key, Json::string(&text())), completed])
        }
        "reasoning" if told.is_some() => {
            let (key, word) =
                if other { ("content", "reasoning_text") } else { ("summary", "summary_text") };
            let list = Json::array(|a| {
                a.object(|o| {
                    o.known("type", word);
                    o.text("text", &text());
                });
            });
            replaced(doc.root(), &[(key, list)])
        }
        _ if doc.root().get("status").is_some() => replaced(doc.root(), &[completed]),
        _ => added.clone(),
    }
}

/// The counts with all that clients read without asking, if some are missing. Some servers count as the Chat
/// API does.
pub(super) fn counts(usage: Option<Node<'_>>) -> Option<Json> {
    let usage = usage.filter(|usage| usage.is_object())?;
    let count = |key: &str| usage.get(key).and_then(Node::count);
    let detail = |of: &str, key: &str| usage.get(of)?.get(key)?.count();
    let (input, output) = (count("input_tokens"), count("output_tokens"));
    let cached = detail("input_tokens_details", "cached_tokens");
    let reasoning = detail("output_tokens_details", "reasoning_tokens");
    let all = [input, output, count("total_tokens"), cached, reasoning];
    if all.iter().all(Option::is_some) {
        return None;
    }
    let input = input.or_else(|| count("prompt_tokens")).unwrap_or(0);
    let output = output.or_else(|| count("completion_tokens")).unwrap_or(0);
    let total = count("total_tokens").unwrap_or(input.saturating_add(output));
    let cached = cached.or_else(|| detail("prompt_tokens_details", "cached_tokens"));
    let reasoning = reasoning.or_else(|| detail("completion_tokens_details", "reasoning_tokens"));
    let object = |of: &'static str, key: &'static str, count: Option<u64>| {
        let known = usage.get(of).filter(|known| known.is_object());
        Json::object(|o: &mut Object<'_>| {
            for field in known.into_iter().flat_map(Node::fields).filter(|field| !field.is(key)) {
                o.key_text(&field.key()).json(&field.value.json());
            }
            o.number(key, count.unwrap_or(0));
        })
    };
    Some(replaced(
        usage,
        &[
            ("input_tokens", Json::number(input)),
            ("input_tokens_details", object("input_tokens_details", "cached_tokens", cached)),
            ("output_tokens", Json::number(output)),
            (
                "output_tokens_details",
                object("output_tokens_details", "reasoning_tokens", reasoning),
            ),
            ("total_tokens", Json::number(total)),
        ],
    ))
}
