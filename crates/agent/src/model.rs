//! Whoever answers a conversation.

use std::fmt;

use interlingua::guard::{Finding, Watch};
use interlingua::model::{Conversation, Event, Failure, Reply};
use interlingua::{Ledger, Verbatim};

use crate::BoxFuture;

/// A model that can be asked. It decides itself whether and how often it asks again when something
/// fails, as long as nothing of a reply was heard.
pub trait Model: Send + Sync + fmt::Debug {
    /// As people call it.
    fn name(&self) -> &str;

    /// One reply. What it hears of it meanwhile it says at once.
    fn answer<'a>(&'a self, asked: Asked<'a>, hear: &'a mut Heard<'a>) -> Answering<'a>;
}

/// A reply that is on its way.
pub type Answering<'a> = BoxFuture<'a, Result<Answered, Failure>>;

/// Who listens to a reply while it comes.
pub type Heard<'a> = dyn FnMut(&Event) + Send + 'a;

/// What a model is asked.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    pub conversation: &'a Verbatim<Conversation>,
    /// Looks at the calls of the reply.
    pub watch: Option<Watch>,
}

/// A whole reply.
#[derive(Clone, Debug, Default)]
pub struct Answered {
    pub reply: Reply,
    /// Calls that do not fit their tools.
    pub findings: Vec<Finding>,
    /// What was changed or left out on the way there and back.
    pub ledger: Ledger,
}
