//! Law 4: the translation of a longer history begins with that of the shorter one.
//!
//! Instructions and tools are the same, and so is every message but the last of the shorter one: that
//! one is still open, and may be joined by the next. The shorter one is cut where an agent asked the
//! model: before the assistant speaks.
//!
//! What may differ all the same, and why:
//! - All of it, where the longer request leaves as it came: law 2 comes first. What made a repair
//!   necessary in the shorter one, such as a call of the current turn without its signature, is nothing
//!   that the provider still asks for.
//! - Marks for caches. Who caches does not count them as a part of what is cached, nor binds seals to
//!   them; only so many are taken, and the newest are of use. Clients themselves move them each turn.
//! - The word that stands for a lost signature, towards the dialect it came in. It is asked for in the
//!   current turn only, and law 2 leaves calls of earlier turns as they are. An empty signature is a
//!   lost one, and so is one that is no text, or that what should hold it cannot hold.
//! - That code of the provider's made a call, towards the dialect it came in. Only in the last turn can
//!   it wait in vain, and law 2 leaves calls of earlier turns as they are.
//! - Tools that were made up, since the client brought none for the calls in its history. They can only
//!   be known from the calls; the list grows at its end.
//! - Which of too many tools stay: those that the history calls. One that is left out is not called, so
//!   the choice stays the same but for histories from elsewhere.
//! - Reasoning that is gone and comes back empty, towards the dialect it came in. It is asked for
//!   around calls only; law 2 leaves the shorter history alone, in which nobody has called yet.
//! - Instructions that a target insists on, towards the dialect they came in: a developer's word that is
//!   said later will do, and law 2 leaves it alone.

use bytes::Bytes;
use interlingua::wire::Node;
use interlingua::{Doc, Ledger, Limits};
use serde_json::{Map, Value};

use super::{Broken, Case, Law, Sent, difference, translate};

pub(super) fn check(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let shorter = sent.case.facts.shorter.get_or_init(|| shorter(sent.case));
    let Some(shorter) = shorter else { return };
    if sent.translated.body == sent.case.bytes {
        return;
    }
    let Ok(short) = translate(shorter, sent.case.from, sent.aim) else { return };
    let own = sent.case.from.id() == sent.aim.provider.to.id();
    let noted = |rule: &str| has(&short.ledger, rule) || has(&sent.translated.ledger, rule);
    let forgets = Forgets {
        stand_ins: own && noted("missing-signature"),
        callers: own && has(&short.ledger, "pending-code"),
        silence: short.body == *shorter && has(&sent.translated.ledger, "missing-reasoning"),
    };
    let (made_up, too_many) = (noted("missing-tools"), noted("tool-count"));
    let insisted = own && noted("missing-instructions");
    let read = |body: &Bytes| Doc::from_bytes(body.clone(), Limits::default());
    let (Ok(short), Ok(long)) = (read(&short.body), read(&sent.translated.body)) else { return };
    for path in PREFIX {
        let (was, is) = (at(short.root(), path), at(long.root(), path));
        let raw = |node: Option<Node<'_>>| node.map_or("null".to_owned(), |it| it.raw().to_owned());
        let same = raw(was) == raw(is)
            || HISTORY.contains(path) && begins(was, is, 1, &forgets)
            || TOOLS.contains(path) && (too_many || made_up && begins(was, is, 0, &forgets))
            || insisted && *path == "/instructions"
            || forgets.is_same(was, is);
        if same {
            continue;
        }
        let (place, what) = difference::first(raw(was).as_bytes(), raw(is).as_bytes());
        let rule = path.trim_start_matches('/');
        broken.push(Broken::new(Law::Prefix, rule, format!("{rule}{place}"), what));
    }
}

/// What is not compared.
struct Forgets {
    stand_ins: bool,
    callers: bool,
    silence: bool,
}

impl Forgets {
    /// Whether two values are the same but for what is forgotten, most often byte by byte.
    fn is_same(&self, one: Option<Node<'_>>, other: Option<Node<'_>>) -> bool {
        let [one, other] = [one, other].map(|node| node.map_or("null", Node::raw));
        let marked = |raw: &str| MARKS.iter().any(|mark| raw.contains(mark));
        if one == other
            || !(self.stand_ins || self.callers || self.silence || marked(one) || marked(other))
        {
            return one == other;
        }
        let read = |raw: &str| {
            let mut value = serde_json::from_str::<Value>(raw).ok()?;
            self.forget(&mut value);
            Some(value)
        };
        // Without a mark, a block is written anew: in the same order, but for one that gets a word in
        // place of a signature, which nothing is bound to.
        let (one, other) = (read(one), read(other));
        one == other && (self.stand_ins || spelled(one.as_ref()) == spelled(other.as_ref()))
    }

    fn forget(&self, value: &mut Value) {
        match value {
            Value::Array(list) => {
                let stands_in = |one: &Value| one.get("data").is_some_and(|it| it == STAND_IN);
                list.retain(|one| !(self.stand_ins && stands_in(one)));
                for one in list.iter_mut() {
                    self.forget(one);
                }
                // What held nothing but what is forgotten, such as a mark that is a block of its own.
                list.retain(|one| one.as_object().is_none_or(|object| !object.is_empty()));
            }
            Value::Object(object) => {
                // The message of a call that got such a word is written anew: it says the call's type,
                // and that there is no content.
                if self.stand_ins && object.contains_key("function") {
                    object.remove("type");
                }
                object.retain(|key, value| {
                    let empty = value.is_null() || value == "";
                    let unsaid = key == "content" && empty;
                    let unread = match key.as_str() {
                        "extra_content" | "google" => !value.is_object(),
                        "reasoning_details" => !value.is_array(),
                        key => SIGNATURES.contains(&key) && !value.is_string(),
                    };
                    let lost = SIGNATURES.contains(&key.as_str()) && empty || unread;
                    let stand_in = self.stand_ins && (unsaid || lost || value == STAND_IN);
                    let caller = self.callers && key == "caller";
                    let silence = self.silence && key == "reasoning_content" && value == "";
                    if MARKS.contains(&key.as_str()) || stand_in || caller || silence {
                        return false;
                    }
                    self.forget(value);
                    // One text in a list, where it had a mark, is the same as the text alone.
                    if let [one] = value.as_array().map_or(&[][..], Vec::as_slice)
                        && key == "content"
                        && let (Some(text), Some(2)) =
                            (one.get("text"), one.as_object().map(Map::len))
                    {
                        *value = text.clone();
                    }
                    let left = !value.is_null()
                        && value.as_object().is_none_or(|object| !object.is_empty())
                        && value.as_array().is_none_or(|list| !list.is_empty());
                    left || !HOLDERS.contains(&key.as_str())
                });
            }
            _ => {}
        }
    }
}

fn spelled(value: Option<&Value>) -> Option<String> {
    value.map(Value::to_string)
}

fn has(ledger: &Ledger, rule: &str) -> bool {
    ledger.entries.iter().any(|entry| entry.rule == rule)
}

fn at<'d>(body: Node<'d>, path: &str) -> Option<Node<'d>> {
    path.split('/').skip(1).try_fold(body, Node::get)
}

/// Whether the shorter list, but for what is open at its end, begins the longer one, byte by byte.
fn begins(short: Option<Node<'_>>, long: Option<Node<'_>>, open: usize, forgets: &Forgets) -> bool {
    let items = |node: Option<Node<'_>>| node.into_iter().flat_map(Node::items).count();
    let closed = items(short).saturating_sub(open);
    let lists = |node: Option<Node<'_>>| node.is_none_or(|it| it.is_array() || it.is_null());
    let pairs = || short.into_iter().flat_map(Node::items).take(closed);
    let others = || long.into_iter().flat_map(Node::items);
    lists(short)
        && lists(long)
        && items(long) >= closed
        && pairs().zip(others()).all(|(was, is)| forgets.is_same(Some(was), Some(is)))
}

/// The request that was sent some turns ago, in the client's own spelling.
fn shorter(case: &Case) -> Option<Bytes> {
    let doc = Doc::from_bytes(case.bytes.clone(), Limits::default()).ok()?;
    let root = doc.root();
    let list = HISTORY.iter().find_map(|path| at(root, path).filter(|list| list.is_array()))?;
    // Nothing is no message.
    let said: Vec<Node<'_>> = list.items().filter(|item| !item.is_null()).collect();
    let items = root.get("input").is_some_and(Node::is_array);
    let models = |at: usize| if items { is_models_item(said[at]) } else { is_models(said[at]) };
    // Whose an item is that is only named, nobody can tell.
    let named = |at: usize| items && is_named(said[at]);
    let asks = |at: usize| !models(at) && !named(at);
    let asked: Vec<usize> = (1..said.len()).filter(|at| models(*at) && asks(*at - 1)).collect();
    // Any of them, but always the same.
    let cut = *asked.get(case.bytes.len() % asked.len().max(1))?;
    let (kept, rest) = (said[cut - 1].range().end, list.range().end - 1);
    Some([case.bytes.get(..kept)?, case.bytes.get(rest..)?].concat().into())
}

/// Whether the model said this.
fn is_models(message: Node<'_>) -> bool {
    let word = |key: &str| message.get(key).map(Node::word).unwrap_or_default();
    let is_there = |key: &str| message.get(key).is_some_and(|value| !value.is_null());
    // Whose role everybody knows speaks as that. Of anybody else, who calls is the model; who answers a
    // call is not. Where messages have parts, that is said in one of them.
    let answers = is_there("tool_call_id") && message.get("parts").is_none();
    let calls =
        is_there("tool_calls") && message.get("tool_calls").is_some_and(|it| !it.is_empty());
    match &*word("role") {
        "assistant" => true,
        "model" => !answers,
        "user" | "system" | "developer" | "tool" | "function" => false,
        _ => calls && !answers,
    }
}

/// Whether this is an item of no known type: whatever is neither a message, nor a reference, nor what
/// answers a call is something that the model did.
fn is_models_item(item: Node<'_>) -> bool {
    let word = |key: &str| item.get(key).map(Node::word).unwrap_or_default();
    let kind = word("type");
    // What a call came to is not the model's, whoever is said to bring it.
    let answers = kind.ends_with("_output") || kind.ends_with("_response");
    if matches!(&*word("role"), "assistant" | "model") && !answers
        || matches!(&*kind, "reasoning" | "function_call" | "custom_tool_call")
    {
        return true;
    }
    // Whoever has a role and something to say speaks, whatever else is said of it.
    let speaks = item.get("role").is_some() && item.get("content").is_some();
    if kind == "message" || !item.get("type").is_some_and(Node::is_string) {
        // What says nothing of itself is a message, unless it holds reasoning. So does one that says
        // that it is a message, and neither whose nor what is said: only the model has reasoning.
        let mut holds = ["summary", "encrypted_content"].into_iter();
        let reasoning = item.get("content").is_none() && holds.any(|key| item.get(key).is_some());
        return item.get("role").is_none() && reasoning;
    }
    !speaks && !answers && kind != "item_reference"
}

/// Whether this is a reference to an item that the provider keeps.
fn is_named(item: Node<'_>) -> bool {
    item.get("type").is_some_and(|kind| kind.word() == "item_reference")
}

const TOOLS: &[&str] = &["/tools", "/toolConfig/tools"];
const HISTORY: &[&str] = &["/messages", "/input", "/contents", "/turns"];
const PREFIX: &[&str] = &[
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
const MARKS: &[&str] = &["cache_control", "cachePoint", "prompt_cache_breakpoint"];
const STAND_IN: &str = "skip_thought_signature_validator";
const SIGNATURES: &[&str] = &["thoughtSignature", "thought_signature"];
/// What says nothing when empty: holders of a signature, arguments, what a tool gave.
const HOLDERS: &[&str] = &["google", "extra_content", "reasoning_details", "args", "content"];
