//! Stores guard answers (error results for wrong tool calls) and finds them again when the client
//! sends the conversation's next request.

mod memory;

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;

use interlingua_model::{
    Block, BlockContent, Conversation, DialectId, GuardAnswer, Spelling, SpellingSet, ToolArgs,
    ToolCall, WrittenForm,
};
use interlingua_wire::{JsonDoc, JsonLimits, JsonNode, JsonString, RawJson};

pub use memory::MemoryAnswerStore;

use crate::canonical;
use crate::finding::Finding;

/// Stores guard answers by owner and key. An answer must be found again immediately and for as long
/// as the conversation may continue: the history that a model sees must not change.
pub trait AnswerStore: Send + Sync + fmt::Debug {
    /// Stores an answer under each of its keys without blocking. The owner is the name of the
    /// client's API key, or empty.
    fn insert(&self, owner: &str, answer_record: AnswerRecord);

    /// The answers of this owner under these keys. One key may have several: call ids are reused
    /// in other conversations.
    fn find<'a>(&'a self, owner: &'a str, keys: &'a [&'a str]) -> AnswersFuture<'a>;

    /// Whether the store has no answers, so that lookups can be skipped.
    fn is_empty(&self) -> bool {
        false
    }
}

/// Boxed future of the answers found.
pub type AnswersFuture<'a> = Pin<Box<dyn Future<Output = Vec<AnswerRecord>> + Send + 'a>>;

/// The stored guard answer of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerRecord {
    /// Lookup keys: the call id as the client knows it, and the tool name with the arguments'
    /// fingerprint, for clients that omit the id.
    pub keys: Vec<String>,
    /// The name of the called tool.
    pub tool: String,
    /// A short text that is equal for equal arguments.
    pub args_fingerprint: String,
    /// Whether the arguments are a JSON object. Clients replay objects unchanged.
    pub args_are_object: bool,
    /// The text that the model gets as the result of its call.
    pub message: String,
}

/// Finds the stored guard answers for the tool calls of this conversation.
pub async fn find_guard_answers(
    conversation: &Conversation,
    owner: &str,
    answers: &dyn AnswerStore,
) -> Vec<GuardAnswer> {
    if answers.is_empty() {
        return Vec::new();
    }
    let mut calls = Vec::new();
    for turn in &conversation.turns {
        for block in &turn.blocks {
            calls.extend(call_with_key(block, conversation.dialect));
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
    let guard_answers = calls.iter().filter_map(|(call, key)| {
        let record = found.iter().find(|record| record.matches(call, key))?;
        Some(GuardAnswer { call: (*call).clone(), message: JsonString::new(&record.message) })
    });
    guard_answers.collect()
}

/// The tool call of a block, with its lookup key.
fn call_with_key(block: &Block, source: DialectId) -> Option<(&ToolCall, Cow<'_, str>)> {
    let BlockContent::ToolCall(call) = &block.content else { return None };
    let is_missing_id = block.extras.spellings(source).intersects(MISSING_IDS)
        || matches!(block.extras.written(source), Some(WrittenForm::NoId | WrittenForm::Id(_)));
    let key = if is_missing_id { key_without_id(call).into() } else { call.id.unescape() };
    Some((call, key))
}

fn key_without_id(call: &ToolCall) -> String {
    format!("{}({})", call.name.unescape(), canonical::fingerprint(&call.args))
}

impl AnswerRecord {
    /// The record to store for a finding; `None` if the finding has no guard answer.
    pub fn from_finding(finding: &Finding) -> Option<Self> {
        let message = finding.answer_message()?.to_owned();
        let call = &finding.call;
        Some(Self {
            keys: vec![call.id.unescape().into_owned(), key_without_id(call)],
            tool: call.name.unescape().into_owned(),
            args_fingerprint: canonical::fingerprint(&call.args),
            args_are_object: matches!(&call.args, ToolArgs::Json(json) if json.is_object()),
            message,
        })
    }

    /// Whether this call is the one that was answered: ids may be reused.
    fn matches(&self, call: &ToolCall, key: &str) -> bool {
        if self.tool != *call.name.unescape() || !self.keys.iter().any(|known| known == key) {
            return false;
        }
        if self.args_fingerprint == canonical::fingerprint(&call.args) {
            return true;
        }
        // Clients of dialects with object arguments replay anything else in another form.
        !self.args_are_object
            && (canonical::is_empty_args(&call.args)
                || canonical::wrapped_fingerprints(&call.args).contains(&self.args_fingerprint))
    }

    /// Encodes the record for a persistent store.
    pub fn to_json(&self) -> RawJson {
        RawJson::object(|object| {
            object.array("keys", |keys| {
                for key in &self.keys {
                    keys.item().str(key);
                }
            });
            object.str("tool", &self.tool);
            object.str("arguments", &self.args_fingerprint);
            object.boolean("object", self.args_are_object);
            object.str("message", &self.message);
        })
    }

    /// Decodes a stored record; `None` if it has another form.
    pub fn from_json(stored: &[u8]) -> Option<Self> {
        let doc = JsonDoc::from_bytes(stored.to_vec().into(), JsonLimits::default()).ok()?;
        let [keys, tool, arguments, object, message] =
            doc.root().get_many(["keys", "tool", "arguments", "object", "message"]);
        let string_field = |node: Option<JsonNode<'_>>| {
            node.filter(|node| node.is_string()).map(|node| node.str_or_empty().into_owned())
        };
        Some(Self {
            keys: keys?.items().map(|key| key.str_or_empty().into_owned()).collect(),
            tool: string_field(tool)?,
            args_fingerprint: string_field(arguments)?,
            args_are_object: object?.as_bool()?,
            message: string_field(message)?,
        })
    }
}

/// Spellings of a call for which decoding derived an id.
const MISSING_IDS: SpellingSet = SpellingSet::new(&[Spelling::NoId, Spelling::EmptyId]);
