//! A conversation that can continue with any model.

use std::fmt;

use bytes::Bytes;
use interlingua::{
    Dialect, JsonString, Ledger, RawJson, Target, TranslateError, Verbatim, parse_object,
};
use interlingua_dialects::native::{self, Native};
use interlingua_model::{Block, Conversation, Role, Turn};

use crate::{AgentError, BoxFuture, open_calls};

/// A conversation. It is independent of the model: content that only one model can read, such as
/// signatures, stays in its turn and is not sent to others.
#[derive(Debug, Default)]
pub struct Session {
    system: Verbatim<Vec<Verbatim<Block>>>,
    turns: Vec<Verbatim<Turn>>,
    log: Option<Box<dyn TurnLog>>,
}

/// Stores the turns of a session.
pub trait TurnLog: Send + Sync + fmt::Debug {
    /// Appends turns, all or none; returns when they are durable. `model` is the name of the model
    /// that wrote the last of them, or empty.
    fn append<'a>(
        &'a mut self,
        turns: &'a [RawJson],
        model: &'a str,
    ) -> BoxFuture<'a, Result<(), String>>;
}

/// A session that was read from another format.
#[derive(Debug)]
pub struct ImportedSession {
    pub session: Session,
    /// The model named in it.
    pub model: Option<JsonString>,
    /// Irregularities, and content that could not be read.
    pub ledger: Ledger,
}

impl Session {
    /// A conversation in memory only.
    pub fn new() -> Self {
        Self::default()
    }

    /// Loads turns that [`Session::encoded_turns`] returned; new turns go to `log`. Unreadable
    /// content is skipped and recorded in the ledger.
    pub fn load(turns: &[RawJson], log: Box<dyn TurnLog>) -> ImportedSession {
        let mut ledger = Ledger::default();
        let decoded =
            turns.iter().map(|turn| Native.decode_turn(turn.to_doc().root(), &mut ledger));
        let turns = decoded.collect();
        let session = Self { turns, log: Some(log), ..Self::default() };
        ImportedSession { session, model: None, ledger }
    }

    /// Reads a request body in a dialect, or only its list of messages. Unreadable content is
    /// skipped and recorded in the ledger.
    pub fn import(body: Bytes, dialect: &dyn Dialect) -> Result<ImportedSession, TranslateError> {
        let body = match RawJson::parse(String::from_utf8_lossy(&body).into_owned()) {
            Ok(list) if list.kind() == interlingua::JsonKind::Array => {
                RawJson::object(|o| o.key(dialect.turns_key()).json(&list)).to_bytes()
            }
            _ => body,
        };
        let mut ledger = Ledger::default();
        let decoded = dialect.decode_request(&parse_object(body)?, &mut ledger).into_value();
        let session = Self { system: decoded.system, turns: decoded.turns, log: None };
        Ok(ImportedSession { session, model: decoded.model, ledger })
    }

    /// Encodes the session as a request to `model` in a dialect.
    pub fn export(&self, dialect: &dyn Dialect, model: Option<&str>) -> (Bytes, Ledger) {
        let mut ledger = Ledger::default();
        let conversation = self.conversation().into();
        let target = Target { model: model.map(JsonString::new), ..Target::default() };
        let body = dialect.encode_request(&conversation, &target, &mut ledger);
        (body, ledger)
    }

    /// Removes the last turn of a session without a log. A log cannot take a turn back.
    pub fn pop_turn(&mut self) -> Option<Verbatim<Turn>> {
        if self.log.is_some() { None } else { self.turns.pop() }
    }

    /// Appends all turns to `log`, and new turns from now on.
    pub async fn persist_to(&mut self, mut log: Box<dyn TurnLog>) -> Result<(), AgentError> {
        log.append(&self.encoded_turns(), "").await.map_err(AgentError::Persist)?;
        self.log = Some(log);
        Ok(())
    }

    /// Sets a log that has all turns already.
    pub(crate) fn attach_log(&mut self, log: Box<dyn TurnLog>) {
        self.log = Some(log);
    }

    /// Whether the last turn is the model's and no call lacks a result.
    pub fn is_complete(&self) -> bool {
        let last = self.turns.last();
        last.is_none_or(|turn| turn.role == Role::Assistant)
            && open_calls::find(&self.turns).is_empty()
    }

    pub fn turns(&self) -> &[Verbatim<Turn>] {
        &self.turns
    }

    /// The turns in the native dialect, as a log stores them.
    pub fn encoded_turns(&self) -> Vec<RawJson> {
        self.turns.iter().map(native::encode_turn).collect()
    }

    /// Adds a turn and stores it; an error adds nothing.
    pub async fn push(&mut self, turn: impl Into<Verbatim<Turn>>) -> Result<(), AgentError> {
        self.push_from_model("", turn).await
    }

    /// As [`Session::push`], for a turn of this model.
    pub(crate) async fn push_from_model(
        &mut self,
        model: &str,
        turn: impl Into<Verbatim<Turn>>,
    ) -> Result<(), AgentError> {
        let turn = turn.into();
        if let Some(log) = &mut self.log {
            log.append(&[native::encode_turn(&turn)], model).await.map_err(AgentError::Persist)?;
        }
        self.turns.push(turn);
        Ok(())
    }

    /// The session as a request without tools.
    pub(crate) fn conversation(&self) -> Conversation {
        let mut conversation = Conversation::new(native::ID);
        conversation.system = self.system.clone();
        conversation.turns.clone_from(&self.turns);
        conversation
    }
}

impl ImportedSession {
    /// The ledger's losses.
    pub fn losses(&self) -> impl Iterator<Item = &str> {
        self.ledger.entries.iter().filter(|entry| entry.is_loss).map(|entry| &*entry.description)
    }
}

pub(crate) fn user_turn(blocks: Vec<Verbatim<Block>>) -> Turn {
    Turn { blocks, ..Turn::new(Role::User) }
}
