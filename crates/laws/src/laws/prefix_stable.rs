//! Law 4: the translation of a longer history starts with the translation of the shorter one.
//!
//! Instructions and tools must be equal, and so must every message but the last one of the shorter
//! history, which may be merged with the next. The shorter history ends where an agent sent a
//! request: before an assistant message.
//!
//! Exceptions, and their reasons:
//! - The longer request is sent unchanged: law 2 has precedence. The provider no longer requires
//!   the repair of the shorter one, such as a signature on a call of the current turn.
//! - Cache breakpoints. Providers exclude them from the cached prefix and from seals; their number
//!   is limited, and only the newest are useful. Clients move them each turn.
//! - The placeholder for a lost signature, in the same dialect. It is required in the current turn
//!   only, and law 2 keeps calls of earlier turns unchanged. An empty signature is a lost one, and
//!   so is one that is not a string or whose parent has the wrong type.
//! - The `caller` of a call by the provider's code, in the same dialect. Only in the last turn can
//!   the code wait for a result, and law 2 keeps calls of earlier turns unchanged.
//! - Added tools, for calls in a history without declared tools. They are derived from the calls,
//!   so the list grows at its end.
//! - The selection of too many tools: those that the history calls are kept. A dropped tool cannot
//!   be called, so the selection only changes for histories from other clients.
//! - Lost reasoning that is added as empty, in the same dialect. It is required around calls only;
//!   law 2 keeps the shorter history, which has no call yet, unchanged.
//! - Instructions that the target requires, in the same dialect: a later developer message
//!   satisfies the requirement, and law 2 keeps it unchanged.

use bytes::Bytes;
use interlingua::{JsonDoc, JsonLimits, Ledger};
use interlingua_wire::JsonNode;
use serde_json::{Map, Value};

use super::difference;
use super::law::{Breach, Law};
use super::sent_request::{SentRequest, translate};
use crate::sample::SampleRequest;

pub(super) fn check(sent_request: &SentRequest<'_>, breaches: &mut Vec<Breach>) {
    let shorter = sent_request
        .original
        .cache
        .shorter_history
        .get_or_init(|| shorter_history(sent_request.original));
    let Some(shorter) = shorter else { return };
    if sent_request.translated.body == sent_request.original.bytes {
        return;
    }
    let Ok(short) = translate(shorter, sent_request.original.dialect, sent_request.destination)
    else {
        return;
    };
    let same_dialect =
        sent_request.original.dialect.id() == sent_request.destination.provider.to.id();
    let has_rule = |rule: &str| {
        has_entry(&short.ledger, rule) || has_entry(&sent_request.translated.ledger, rule)
    };
    let ignored_differences = IgnoredDifferences {
        placeholder_signatures: same_dialect && has_rule("missing-signature"),
        code_callers: same_dialect && has_entry(&short.ledger, "pending-code"),
        empty_reasoning: short.body == *shorter
            && has_entry(&sent_request.translated.ledger, "missing-reasoning"),
    };
    let (adds_tools, drops_tools) = (has_rule("missing-tools"), has_rule("tool-count"));
    let adds_instructions = same_dialect && has_rule("missing-instructions");
    let parse = |body: &Bytes| JsonDoc::from_bytes(body.clone(), JsonLimits::default());
    let (Ok(short), Ok(long)) = (parse(&short.body), parse(&sent_request.translated.body)) else {
        return;
    };
    for path in COMPARED_PATHS {
        let (was, is) = (node_at(short.root(), path), node_at(long.root(), path));
        let raw =
            |node: Option<JsonNode<'_>>| node.map_or("null".to_owned(), |it| it.raw().to_owned());
        let is_stable = raw(was) == raw(is)
            || HISTORY_PATHS.contains(path) && is_list_prefix(was, is, 1, &ignored_differences)
            || TOOL_PATHS.contains(path)
                && (drops_tools || adds_tools && is_list_prefix(was, is, 0, &ignored_differences))
            || adds_instructions && *path == "/instructions"
            || ignored_differences.is_equal(was, is);
        if is_stable {
            continue;
        }
        let (inner_path, message) =
            difference::first_difference(raw(was).as_bytes(), raw(is).as_bytes());
        let rule = path.trim_start_matches('/');
        breaches.push(Breach::new(Law::PrefixStable, rule, format!("{rule}{inner_path}"), message));
    }
}

/// Differences that are not compared.
struct IgnoredDifferences {
    placeholder_signatures: bool,
    code_callers: bool,
    empty_reasoning: bool,
}

impl IgnoredDifferences {
    /// Whether two values are equal without the ignored differences, mostly compared byte by byte.
    fn is_equal(&self, a: Option<JsonNode<'_>>, b: Option<JsonNode<'_>>) -> bool {
        let [a, b] = [a, b].map(|node| node.map_or("null", JsonNode::raw));
        let has_cache_marker = |raw: &str| CACHE_MARKER_KEYS.iter().any(|key| raw.contains(key));
        if a == b
            || !(self.placeholder_signatures
                || self.code_callers
                || self.empty_reasoning
                || has_cache_marker(a)
                || has_cache_marker(b))
        {
            return a == b;
        }
        let parse = |raw: &str| {
            let mut value = serde_json::from_str::<Value>(raw).ok()?;
            self.strip(&mut value);
            Some(value)
        };
        // A block without its breakpoint is encoded again with the same field order, except for one
        // with a placeholder signature, to which no seal is bound.
        let (a, b) = (parse(a), parse(b));
        a == b && (self.placeholder_signatures || to_text(a.as_ref()) == to_text(b.as_ref()))
    }

    fn strip(&self, value: &mut Value) {
        match value {
            Value::Array(list) => {
                let is_placeholder =
                    |item: &Value| item.get("data").is_some_and(|it| it == PLACEHOLDER_SIGNATURE);
                list.retain(|item| !(self.placeholder_signatures && is_placeholder(item)));
                for item in list.iter_mut() {
                    self.strip(item);
                }
                // Elements that are now empty, such as a block with only a breakpoint.
                list.retain(|item| item.as_object().is_none_or(|object| !object.is_empty()));
            }
            Value::Object(object) => {
                // The message of a call with a placeholder is encoded again: it then has the call's
                // type and a null content.
                if self.placeholder_signatures && object.contains_key("function") {
                    object.remove("type");
                }
                object.retain(|key, value| {
                    let empty = value.is_null() || value == "";
                    let empty_content = key == "content" && empty;
                    let wrong_type = match key.as_str() {
                        "extra_content" | "google" => !value.is_object(),
                        "reasoning_details" => !value.is_array(),
                        key => SIGNATURE_KEYS.contains(&key) && !value.is_string(),
                    };
                    let lost = SIGNATURE_KEYS.contains(&key.as_str()) && empty || wrong_type;
                    let placeholder = self.placeholder_signatures
                        && (empty_content || lost || value == PLACEHOLDER_SIGNATURE);
                    let caller = self.code_callers && key == "caller";
                    let empty_reasoning =
                        self.empty_reasoning && key == "reasoning_content" && value == "";
                    if CACHE_MARKER_KEYS.contains(&key.as_str())
                        || placeholder
                        || caller
                        || empty_reasoning
                    {
                        return false;
                    }
                    self.strip(value);
                    // A list with one text that had a breakpoint equals the text alone.
                    if let [item] = value.as_array().map_or(&[][..], Vec::as_slice)
                        && key == "content"
                        && let (Some(text), Some(2)) =
                            (item.get("text"), item.as_object().map(Map::len))
                    {
                        *value = text.clone();
                    }
                    let is_non_empty = !value.is_null()
                        && value.as_object().is_none_or(|object| !object.is_empty())
                        && value.as_array().is_none_or(|list| !list.is_empty());
                    is_non_empty || !OMITTABLE_KEYS.contains(&key.as_str())
                });
            }
            _ => {}
        }
    }
}

fn to_text(value: Option<&Value>) -> Option<String> {
    value.map(Value::to_string)
}

fn has_entry(ledger: &Ledger, rule: &str) -> bool {
    ledger.entries.iter().any(|entry| entry.rule == rule)
}

fn node_at<'d>(body: JsonNode<'d>, path: &str) -> Option<JsonNode<'d>> {
    path.split('/').skip(1).try_fold(body, JsonNode::get)
}

/// Whether the longer list starts with the shorter one without its last `open` elements.
fn is_list_prefix(
    short: Option<JsonNode<'_>>,
    long: Option<JsonNode<'_>>,
    open: usize,
    ignored_differences: &IgnoredDifferences,
) -> bool {
    let items = |node: Option<JsonNode<'_>>| node.into_iter().flat_map(JsonNode::items).count();
    let closed = items(short).saturating_sub(open);
    let is_list_or_null =
        |node: Option<JsonNode<'_>>| node.is_none_or(|it| it.is_array() || it.is_null());
    let short_items = || short.into_iter().flat_map(JsonNode::items).take(closed);
    let long_items = || long.into_iter().flat_map(JsonNode::items);
    is_list_or_null(short)
        && is_list_or_null(long)
        && items(long) >= closed
        && short_items()
            .zip(long_items())
            .all(|(was, is)| ignored_differences.is_equal(Some(was), Some(is)))
}

/// The request that the client sent some turns earlier, cut from the original bytes.
pub(super) fn shorter_history(case: &SampleRequest) -> Option<Bytes> {
    let doc = JsonDoc::from_bytes(case.bytes.clone(), JsonLimits::default()).ok()?;
    let root = doc.root();
    let list =
        HISTORY_PATHS.iter().find_map(|path| node_at(root, path).filter(|list| list.is_array()))?;
    let messages: Vec<JsonNode<'_>> = list.items().filter(|item| !item.is_null()).collect();
    let is_responses = root.get("input").is_some_and(JsonNode::is_array);
    let is_from_model = |at: usize| {
        if is_responses { is_model_item(messages[at]) } else { is_model_message(messages[at]) }
    };
    // The sender of a referenced item is unknown.
    let is_reference = |at: usize| is_responses && is_item_reference(messages[at]);
    let ends_request = |at: usize| !is_from_model(at) && !is_reference(at);
    let cuts: Vec<usize> =
        (1..messages.len()).filter(|at| is_from_model(*at) && ends_request(*at - 1)).collect();
    // A deterministic choice.
    let cut = *cuts.get(case.bytes.len() % cuts.len().max(1))?;
    let (kept_end, rest_start) = (messages[cut - 1].range().end, list.range().end - 1);
    Some([case.bytes.get(..kept_end)?, case.bytes.get(rest_start..)?].concat().into())
}

/// Whether the message is from the model.
fn is_model_message(message: JsonNode<'_>) -> bool {
    let string_field = |key: &str| message.get(key).map(JsonNode::str_or_empty).unwrap_or_default();
    let has_field = |key: &str| message.get(key).is_some_and(|value| !value.is_null());
    // A known role decides. With an unknown role, a message with calls is from the model, and one
    // that answers a call is not. Where messages have parts, the answer is in a part.
    let answers = has_field("tool_call_id") && message.get("parts").is_none();
    let calls =
        has_field("tool_calls") && message.get("tool_calls").is_some_and(|it| !it.is_empty());
    match &*string_field("role") {
        "assistant" => true,
        "model" => !answers,
        "user" | "system" | "developer" | "tool" | "function" => false,
        _ => calls && !answers,
    }
}

/// Whether the item is from the model. An item of an unknown type is, unless it is a message, a
/// reference or the answer to a call.
fn is_model_item(item: JsonNode<'_>) -> bool {
    let string_field = |key: &str| item.get(key).map(JsonNode::str_or_empty).unwrap_or_default();
    let kind = string_field("type");
    // The output of a call is not from the model, even with the role of the model.
    let answers = kind.ends_with("_output") || kind.ends_with("_response");
    if matches!(&*string_field("role"), "assistant" | "model") && !answers
        || matches!(&*kind, "reasoning" | "function_call" | "custom_tool_call")
    {
        return true;
    }
    // An item with a role and content is a message, whatever its type.
    let is_message = item.get("role").is_some() && item.get("content").is_some();
    if kind == "message" || !item.get("type").is_some_and(JsonNode::is_string) {
        // An item without a type is a message, unless it has reasoning. The same holds for a
        // message without role and content: only the model sends reasoning.
        let mut reasoning_keys = ["summary", "encrypted_content"].into_iter();
        let reasoning =
            item.get("content").is_none() && reasoning_keys.any(|key| item.get(key).is_some());
        return item.get("role").is_none() && reasoning;
    }
    !is_message && !answers && kind != "item_reference"
}

/// Whether the item is a reference to a stored item.
fn is_item_reference(item: JsonNode<'_>) -> bool {
    item.get("type").is_some_and(|kind| kind.str_or_empty() == "item_reference")
}

const TOOL_PATHS: &[&str] = &["/tools", "/toolConfig/tools"];
const HISTORY_PATHS: &[&str] = &["/messages", "/input", "/contents", "/turns"];
const COMPARED_PATHS: &[&str] = &[
    "/tools",
    "/toolConfig/tools",
    "/system",
    "/instructions",
    "/systemInstruction",
    "/system_instruction",
    "/messages",
    "/input",
    "/contents",
];
const CACHE_MARKER_KEYS: &[&str] = &["cache_control", "cachePoint", "prompt_cache_breakpoint"];
const PLACEHOLDER_SIGNATURE: &str = "skip_thought_signature_validator";
const SIGNATURE_KEYS: &[&str] = &["thoughtSignature", "thought_signature"];
/// Fields that are equal to absent ones when they are empty.
const OMITTABLE_KEYS: &[&str] =
    &["google", "extra_content", "reasoning_details", "args", "content"];
