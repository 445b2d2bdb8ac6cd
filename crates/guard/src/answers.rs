//! What the model is to be told of its calls, kept until the client sends the conversation again.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use interlingua_model::{Args, Block, Body, Conversation, DialectId, Told, ToolCall};
use interlingua_wire::Text;

use crate::canonical;
use crate::finding::Finding;

/// Where answers are kept. What is kept must be found again at once, for as long as the conversation
/// may go on: the history that a model sees must not change.
pub trait Answers: Send + Sync + fmt::Debug {
    /// Keeps an answer for whoever owns the conversation: the name of a client's key, or nothing.
    fn keep(&self, owner: &str, answer: Answer);

    /// The answers of this owner for calls with these ids. Of an id there may be several: ids are
    /// used again in other conversations.
    fn find(&self, owner: &str, calls: &[&str]) -> Vec<Answer>;

    /// Whether nothing is kept, so that nobody need look.
    fn is_empty(&self) -> bool {
        false
    }
}

/// What is kept of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The id of the call as the client knows it; for calls without an id, a name for the tool and
    /// its arguments.
    pub call: String,
    pub tool: String,
    /// A short text that is the same for the same arguments.
    pub arguments: String,
    /// Whether the arguments are a JSON object, which clients replay as they are.
    pub object: bool,
    pub message: String,
}

/// The answers to keep for a finding: by the call's id, and by what is called, for a client that
/// leaves the id away.
pub fn kept_as(finding: &Finding) -> Vec<Answer> {
    let Some(message) = finding.answer() else { return Vec::new() };
    let call = &finding.call;
    let arguments = canonical::fingerprint(&call.args);
    let object = matches!(&call.args, Args::Json(json) if json.is_object());
    let tool = call.name.contents().into_owned();
    let answer = |id: String| Answer {
        call: id,
        tool: tool.clone(),
        arguments: arguments.clone(),
        object,
        message: message.to_owned(),
    };
    vec![answer(call.id.contents().into_owned()), answer(unnamed(call))]
}

/// What the model is to be told of calls in this conversation.
pub fn recall(conversation: &Conversation, owner: &str, answers: &dyn Answers) -> Vec<Told> {
    if answers.is_empty() {
        return Vec::new();
    }
    let blocks = conversation.turns.iter().flat_map(|turn| &turn.blocks);
    let calls: Vec<(&ToolCall, String)> =
        blocks.filter_map(|block| called(block, conversation.source)).collect();
    if calls.is_empty() {
        return Vec::new();
    }
    let ids: Vec<&str> = calls.iter().map(|(_, id)| &**id).collect();
    let found = answers.find(owner, &ids);
    if found.is_empty() {
        return Vec::new();
    }
    let told = calls.iter().filter_map(|(call, id)| {
        let answer = found.iter().find(|answer| answer.call == *id && answer.is_about(call))?;
        Some(Told { call: (*call).clone(), message: Text::new(&answer.message) })
    });
    told.collect()
}

/// A call, and the id under which its answer would be kept.
fn called(block: &Block, source: DialectId) -> Option<(&ToolCall, String)> {
    let Body::ToolCall(call) = &block.body else { return None };
    let unwritten = UNWRITTEN.iter().any(|mark| block.extras.find(source, mark).is_some());
    let id = if unwritten { unnamed(call) } else { call.id.contents().into_owned() };
    Some((call, id))
}

fn unnamed(call: &ToolCall) -> String {
    format!("{}({})", call.name.contents(), canonical::fingerprint(&call.args))
}

impl Answer {
    /// Whether this call is the one that was answered: ids may be used again.
    fn is_about(&self, call: &ToolCall) -> bool {
        if self.tool != *call.name.contents() {
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
}

/// Answers in memory, the last so many.
#[derive(Debug)]
pub struct InMemory {
    kept: Mutex<Kept>,
    most: usize,
}

#[derive(Debug, Default)]
struct Kept {
    by_call: HashMap<(String, String), Vec<Answer>>,
    /// In the order they came.
    order: VecDeque<(String, String)>,
}

impl InMemory {
    pub fn new(most: usize) -> Self {
        Self { kept: Mutex::default(), most }
    }
}

impl Default for InMemory {
    fn default() -> Self {
        Self::new(MOST)
    }
}

impl Answers for InMemory {
    fn keep(&self, owner: &str, answer: Answer) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (owner.to_owned(), answer.call.clone());
        let same = kept.by_call.entry(key.clone()).or_default();
        if same.contains(&answer) {
            return;
        }
        same.push(answer);
        kept.order.push_back(key);
        while kept.order.len() > self.most {
            let Some(oldest) = kept.order.pop_front() else { break };
            let Some(same) = kept.by_call.get_mut(&oldest) else { continue };
            if same.len() > 1 {
                same.remove(0);
            } else {
                kept.by_call.remove(&oldest);
            }
        }
    }

    fn find(&self, owner: &str, calls: &[&str]) -> Vec<Answer> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = (owner.to_owned(), String::new());
        let mut found = Vec::new();
        for call in calls {
            (*call).clone_into(&mut key.1);
            found.extend(kept.by_call.get(&key).into_iter().flatten().cloned());
        }
        found
    }

    fn is_empty(&self) -> bool {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).order.is_empty()
    }
}

/// A message is some hundred bytes, and four thousand at most.
const MOST: usize = 20_000;
/// What readers of dialects with optional ids leave where the client wrote none.
const UNWRITTEN: &[&str] = &["written id", "no id", "empty id"];
