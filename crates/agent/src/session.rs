//! What was said so far, by whomever to whichever model.

use std::fmt;

use bytes::Bytes;
use interlingua::model::{Block, Conversation, Role, Turn};
use interlingua::native::{self, Native};
use interlingua::{Dialect, Json, Ledger, Target, Text, TranslateError, Verbatim, read_object};

use crate::{BoxFuture, Stopped, open_calls};

/// A conversation. It is the same whatever model it is continued with: what only one of them can read
/// stays in its place, and is sent to no other.
#[derive(Debug, Default)]
pub struct Session {
    system: Verbatim<Vec<Verbatim<Block>>>,
    turns: Vec<Verbatim<Turn>>,
    keeper: Option<Box<dyn Keeper>>,
}

/// Where the turns of a session are kept.
pub trait Keeper: Send + Sync + fmt::Debug {
    /// Keeps turns that follow all that were kept before: all of them or none. Returns when no crash
    /// can lose them. The name is that of the model which said the last of them; nothing, if none did.
    fn keep<'a>(
        &'a mut self,
        turns: &'a [Json],
        model: &'a str,
    ) -> BoxFuture<'a, Result<(), String>>;
}

/// A session that was read from elsewhere.
#[derive(Debug)]
pub struct Imported {
    pub session: Session,
    /// The model that it says it is with.
    pub model: Option<Text>,
    /// What was odd about it, and what could not be read and was left out.
    pub ledger: Ledger,
}

impl Session {
    /// A conversation that nobody keeps.
    pub fn new() -> Self {
        Self::default()
    }

    /// A conversation of turns as [`Session::written`] gives them, which goes on being kept. What
    /// cannot be read of them is skipped, and told.
    pub fn kept(turns: &[Json], keeper: Box<dyn Keeper>) -> Imported {
        let mut ledger = Ledger::default();
        let read = turns.iter().map(|turn| Native.decode_turn(turn.doc().root(), &mut ledger));
        let turns = read.collect();
        let session = Self { turns, keeper: Some(keeper), ..Self::default() };
        Imported { session, model: None, ledger }
    }

    /// A conversation in a dialect: the body of a request, or only its list of messages, of whatever
    /// age and shape. What cannot be read is skipped, and told.
    pub fn import(body: Bytes, from: &dyn Dialect) -> Result<Imported, TranslateError> {
        let body = match Json::parse(String::from_utf8_lossy(&body).into_owned()) {
            Ok(list) if list.kind() == interlingua::Kind::Array => {
                Json::object(|o| o.key(from.turns_key()).json(&list)).to_bytes()
            }
            _ => body,
        };
        let mut ledger = Ledger::default();
        let read = from.decode_request(&read_object(body)?, &mut ledger).into_value();
        let session = Self { system: read.system, turns: read.turns, keeper: None };
        Ok(Imported { session, model: read.model, ledger })
    }

    /// The session in a dialect, as a request to this model would have it, for another program.
    pub fn export(&self, to: &dyn Dialect, model: Option<&str>) -> (Bytes, Ledger) {
        let mut ledger = Ledger::default();
        let conversation = self.conversation().into();
        let target = Target { model: model.map(Text::new), ..Target::default() };
        let body = to.encode_request(&conversation, &target, &mut ledger);
        (body, ledger)
    }

    /// Takes back the last turn; not from whoever keeps it.
    pub fn take_back(&mut self) -> Option<Verbatim<Turn>> {
        self.turns.pop()
    }

    /// Has it kept from now on; what was said already is kept first.
    pub async fn keep_in(&mut self, mut keeper: Box<dyn Keeper>) -> Result<(), Stopped> {
        keeper.keep(&self.written(), "").await.map_err(Stopped::NotKept)?;
        self.keeper = Some(keeper);
        Ok(())
    }

    /// Whoever keeps it has all that was said.
    pub(crate) fn kept_by(&mut self, keeper: Box<dyn Keeper>) {
        self.keeper = Some(keeper);
    }

    /// Whether the last word is the model's, and nothing waits for an answer.
    pub fn is_answered(&self) -> bool {
        let last = self.turns.last();
        last.is_none_or(|turn| turn.role == Role::Assistant)
            && open_calls::of(&self.turns).is_empty()
    }

    pub fn turns(&self) -> &[Verbatim<Turn>] {
        &self.turns
    }

    /// The turns as they are kept, each in the project's own dialect.
    pub fn written(&self) -> Vec<Json> {
        self.turns.iter().map(native::write_turn).collect()
    }

    /// Adds a turn; it is kept when this returns, or not added.
    pub async fn add(&mut self, turn: impl Into<Verbatim<Turn>>) -> Result<(), Stopped> {
        self.add_of("", turn).await
    }

    /// As [`Session::add`], a turn of this model.
    pub(crate) async fn add_of(
        &mut self,
        model: &str,
        turn: impl Into<Verbatim<Turn>>,
    ) -> Result<(), Stopped> {
        let turn = turn.into();
        if let Some(keeper) = &mut self.keeper {
            keeper.keep(&[native::write_turn(&turn)], model).await.map_err(Stopped::NotKept)?;
        }
        self.turns.push(turn);
        Ok(())
    }

    /// As a request, without tools.
    pub(crate) fn conversation(&self) -> Conversation {
        let mut conversation = Conversation::new(native::ID);
        conversation.system = self.system.clone();
        conversation.turns.clone_from(&self.turns);
        conversation
    }
}

impl Imported {
    /// What could not be read.
    pub fn losses(&self) -> impl Iterator<Item = &str> {
        self.ledger.entries.iter().filter(|entry| entry.loss).map(|entry| &*entry.what)
    }
}

/// A turn of the user.
pub(crate) fn of_user(blocks: Vec<Verbatim<Block>>) -> Turn {
    Turn { blocks, ..Turn::new(Role::User) }
}
