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
//!   current turn only, and law 2 leaves calls of earlier turns as they are.
//! - Tools that were made up, since the client brought none for the calls in its history. They can only
//!   be known from the calls; the list grows at its end.

use bytes::Bytes;
use interlingua::wire::Node;
use interlingua::{Doc, Ledger, Limits};
use serde_json::Value;

use super::{Broken, Case, Law, Sent, difference, translate};

pub(super) fn check(sent: &Sent<'_>, broken: &mut Vec<Broken>) {
    let shorter = sent.case.facts.shorter.get_or_init(|| shorter(sent.case));
    let Some(shorter) = shorter else { return };
    if sent.translated.body == sent.case.bytes {
        return;
    }
    let Ok(short) = translate(shorter, sent.case.from, sent.aim) else { return };
    let forgets = Forgets {
        stand_ins: sent.case.from.id() == sent.aim.provider.to.id()
            && (has(&short.ledger, "missing-signature")
                || has(&sent.translated.ledger, "missing-signature")),
    };
    let made_up = has(&sent.translated.ledger, "missing-tools");
    let read = |body: &Bytes| Doc::from_bytes(body.clone(), Limits::default());
    let (Ok(short), Ok(long)) = (read(&short.body), read(&sent.translated.body)) else { return };
    for path in PREFIX {
        let (was, is) = (at(short.root(), path), at(long.root(), path));
        let raw = |node: Option<Node<'_>>| node.map_or("null".to_owned(), |it| it.raw().to_owned());
        let same = raw(was) == raw(is)
            || HISTORY.contains(path) && begins(was, is, 1, &forgets)
            || TOOLS.contains(path) && made_up && begins(was, is, 0, &forgets)
            || forgets.spelled(was) == forgets.spelled(is);
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
}

impl Forgets {
    /// What is compared of a value. Most often nothing is forgotten, and it is the value's text.
    fn spelled(&self, node: Option<Node<'_>>) -> String {
        let raw = node.map_or("null", Node::raw);
        let marked = MARKS.iter().any(|mark| raw.contains(mark));
        if !marked && !self.stand_ins {
            return raw.to_owned();
        }
        let Ok(mut value) = serde_json::from_str::<Value>(raw) else { return raw.to_owned() };
        self.forget(&mut value);
        value.to_string()
    }

    fn forget(&self, value: &mut Value) {
        match value {
            Value::Array(list) => {
                for one in list.iter_mut() {
                    self.forget(one);
                }
                // What held nothing but what is forgotten, such as a mark that is a block of its own.
                list.retain(|one| one.as_object().is_none_or(|object| !object.is_empty()));
            }
            Value::Object(object) => {
                object.retain(|key, value| {
                    let stand_in = self.stand_ins && value == STAND_IN;
                    if MARKS.contains(&key.as_str()) || stand_in {
                        return false;
                    }
                    self.forget(value);
                    let left = value.as_object().is_none_or(|object| !object.is_empty());
                    left || !HOLDERS.contains(&key.as_str())
                });
            }
            _ => {}
        }
    }
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
    let lists = |node: Option<Node<'_>>| node.is_none_or(Node::is_array);
    let pairs = || short.into_iter().flat_map(Node::items).take(closed);
    let others = || long.into_iter().flat_map(Node::items);
    lists(short)
        && lists(long)
        && items(long) >= closed
        && pairs().zip(others()).all(|(was, is)| {
            was.raw() == is.raw() || forgets.spelled(Some(was)) == forgets.spelled(Some(is))
        })
}

/// The request that was sent some turns ago, in the client's own spelling.
fn shorter(case: &Case) -> Option<Bytes> {
    let doc = Doc::from_bytes(case.bytes.clone(), Limits::default()).ok()?;
    let root = doc.root();
    let list = HISTORY.iter().find_map(|path| at(root, path).filter(|list| list.is_array()))?;
    let said: Vec<Node<'_>> = list.items().collect();
    let asked: Vec<usize> =
        (1..said.len()).filter(|at| is_models(said[*at]) && !is_models(said[*at - 1])).collect();
    // Any of them, but always the same.
    let cut = *asked.get(case.bytes.len() % asked.len().max(1))?;
    let (kept, rest) = (said[cut - 1].range().end, list.range().end - 1);
    Some([case.bytes.get(..kept)?, case.bytes.get(rest..)?].concat().into())
}

/// Whether the model said this.
fn is_models(message: Node<'_>) -> bool {
    let word = |key: &str| message.get(key).map(Node::word).unwrap_or_default();
    matches!(&*word("role"), "assistant" | "model")
        || matches!(&*word("type"), "reasoning" | "function_call" | "custom_tool_call")
        // Who calls is the model, whatever else is said.
        || message.get("tool_calls").is_some()
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
/// What holds a signature, and nothing else.
const HOLDERS: &[&str] = &["google", "extra_content"];
