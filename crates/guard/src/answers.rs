//! What the model is to be told of its calls, kept until the client sends the conversation again.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;

use interlingua_model::{Args, Block, Body, Conversation, DialectId, Told, ToolCall};
use interlingua_wire::{Doc, Json, Limits, Node, Text};

use crate::canonical;
use crate::finding::Finding;

/// Where answers are kept. What is kept must be found again at once, for as long as the conversation
/// may go on: the history that a model sees must not change.
pub trait Answers: Send + Sync + fmt::Debug {
    /// Keeps an answer under each of its keys, for whoever owns the conversation: the name of a
    /// client's key, or nothing. Nobody is made to wait.
    fn keep(&self, owner: &str, answer: Answer);

    /// The answers of this owner under these keys. Under one there may be several: ids are used again
    /// in other conversations.
    fn find<'a>(&'a self, owner: &'a str, keys: &'a [&'a str]) -> Search<'a>;

    /// Whether nothing is kept, so that nobody need look.
    fn is_empty(&self) -> bool {
        false
    }
}

/// Answers that are being looked for.
pub type Search<'a> = Pin<Box<dyn Future<Output = Vec<Answer>> + Send + 'a>>;

/// What is kept of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What it is found by: the id of the call as the client knows it; and what is called and with
    /// what, for a client that leaves the id away.
    pub keys: Vec<String>,
    pub tool: String,
    /// A short text that is the same for the same arguments.
    pub arguments: String,
    /// Whether the arguments are a JSON object, which clients replay as they are.
    pub object: bool,
    pub message: String,
}

/// The answer to keep for a finding, if there is one.
pub fn answer_of(finding: &Finding) -> Option<Answer> {
    let message = finding.answer()?.to_owned();
    let call = &finding.call;
    Some(Answer {
        keys: vec![call.id.contents().into_owned(), unnamed(call)],
        tool: call.name.contents().into_owned(),
        arguments: canonical::fingerprint(&call.args),
        object: matches!(&call.args, Args::Json(json) if json.is_object()),
        message,
    })
}

/// What the model is to be told of calls in this conversation.
pub async fn recall(conversation: &Conversation, owner: &str, answers: &dyn Answers) -> Vec<Told> {
    if answers.is_empty() {
        return Vec::new();
    }
    let mut calls = Vec::new();
    for turn in &conversation.turns {
        for block in &turn.blocks {
            calls.extend(called(block, conversation.source));
        }
    }
    if calls.is_empty() {
        return Vec::new();
    }
    let keys: Vec<&str> = calls.iter().map(|(_, key)| &**key).collect();
    let found = answers.find(owner, &keys).await;
    if found.is_empty() {
        return Vec::new();
    }
    let told = calls.iter().filter_map(|(call, key)| {
        let answer = found.iter().find(|answer| answer.is_about(call, key))?;
        Some(Told { call: (*call).clone(), message: Text::new(&answer.message) })
    });
    told.collect()
}

/// A call, and the key under which its answer would be kept.
fn called(block: &Block, source: DialectId) -> Option<(&ToolCall, Cow<'_, str>)> {
    let Body::ToolCall(call) = &block.body else { return None };
    let marks = block.extras.of(source);
    let unwritten = marks.iter().any(|(key, _)| UNWRITTEN.iter().any(|mark| key == mark));
    let key = if unwritten { unnamed(call).into() } else { call.id.contents() };
    Some((call, key))
}

fn unnamed(call: &ToolCall) -> String {
    format!("{}({})", call.name.contents(), canonical::fingerprint(&call.args))
}

impl Answer {
    /// Whether this call is the one that was answered: ids may be used again.
    fn is_about(&self, call: &ToolCall, key: &str) -> bool {
        if self.tool != *call.name.contents() || !self.keys.iter().any(|known| known == key) {
            return false;
        }
        if self.arguments == canonical::fingerprint(&call.args) {
            return true;
        }
        // What is no object is replayed in other forms, where the client's dialect has no room for it.
        !self.object
            && (canonical::are_empty(&call.args)
                || canonical::unwrapped(&call.args).contains(&self.arguments))
    }

    /// As a store keeps it.
    pub fn to_json(&self) -> Json {
        Json::object(|object| {
            object.array("keys", |keys| {
                for key in &self.keys {
                    keys.item().string(key);
                }
            });
            object.word("tool", &self.tool);
            object.word("arguments", &self.arguments);
            object.boolean("object", self.object);
            object.word("message", &self.message);
        })
    }

    /// As it was kept; `None` for anything else.
    pub fn read(kept: &[u8]) -> Option<Self> {
        let doc = Doc::from_bytes(kept.to_vec().into(), Limits::default()).ok()?;
        let [keys, tool, arguments, object, message] =
            doc.root().pick(["keys", "tool", "arguments", "object", "message"]);
        let word = |node: Option<Node<'_>>| {
            node.filter(|node| node.is_string()).map(|node| node.word().into_owned())
        };
        Some(Self {
            keys: keys?.items().map(|key| key.word().into_owned()).collect(),
            tool: word(tool)?,
            arguments: word(arguments)?,
            object: object?.boolean()?,
            message: word(message)?,
        })
    }
}

/// What readers of dialects with optional ids leave where the client wrote none.
const UNWRITTEN: &[&str] = &["written id", "no id", "empty id"];
