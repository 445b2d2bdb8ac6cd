//! One folder per wire dialect. To add one: write the folder, then its line in [`ALL`].
//!
//! - **decode** refuses nothing that is JSON: what is odd is kept and noted.
//! - **encode** cannot fail: what the dialect cannot say is left out and noted.
//! - Whatever still has its text in the dialect it leaves in is written as that text.

pub mod anthropic;
mod arguments;
pub mod bedrock;
pub mod body;
mod freeform;
pub mod gemini;
pub mod media;
pub mod native;
pub mod note;
mod notice;
pub mod openai_chat;
pub mod openai_responses;
pub mod run;
mod spellings;

use bytes::Bytes;
use interlingua_model::{
    Block, Body, Citation, Conversation, DialectId, Event, Exchange, Failure, Ledger, Reply, Role,
    Target, Tool, Turn, Verbatim,
};
use interlingua_wire::{Doc, Frame, Framing, Json, Node, Text};

/// Every dialect. The runners of the corpus and of the laws walk this list.
pub const ALL: &[&dyn Dialect] = &[
    &anthropic::Anthropic,
    &openai_chat::OpenAiChat,
    &openai_responses::OpenAiResponses,
    &gemini::Gemini,
    &bedrock::Bedrock,
    &native::Native,
];

/// A wire dialect, both ways. Bytes in, bytes out: no dialect does IO.
pub trait Dialect: Sync {
    fn id(&self) -> DialectId;

    /// How its streams are cut into frames.
    fn framing(&self) -> Framing {
        Framing::Sse
    }

    /// The name of an event that says only that the provider is there, and may be said again.
    fn idle_event(&self) -> Option<&'static str> {
        None
    }

    /// What its clients pass over between two events of a stream.
    fn filler(&self) -> &'static [u8] {
        b": ping\n\n"
    }

    /// Whether its clients wait longer for the first event where they get the filler instead of nothing at all.
    fn waits_longer(&self) -> bool {
        true
    }

    /// Whose seals its clients carry on reasoning, in a place of their own; none where there is no
    /// such place, or one for the seals of all.
    fn seals(&self) -> &'static [&'static str] {
        &[]
    }

    /// What others can show of a block of a reply that only this dialect knows.
    fn shows(&self, _kind: &Text, _block: &Json) -> Option<Body> {
        None
    }

    /// What a block of a reply tells of a search that the provider did by itself.
    fn searched(&self, _kind: &Text, _block: &Json) -> Option<Search> {
        None
    }

    /// Such a search where it was done, as replies of this dialect tell of it.
    fn tells(&self, _search: &Search) -> Option<Body> {
        None
    }

    /// Whether replies of this dialect tell of such a search together with what it found. Others say only what
    /// the text is taken from, so it stands at the end of what they said.
    fn tells_at_end(&self) -> bool {
        false
    }

    /// Such a search with what it found.
    fn tells_found(&self, _search: &Search, _found: &[Citation]) -> Vec<Body> {
        Vec::new()
    }

    /// The field of a request body that lists the turns.
    fn turns_key(&self) -> &'static str {
        "messages"
    }

    /// The status that an error has among those of the dialect. One status is its inventor's own.
    fn status(&self, failure: &Failure) -> u16 {
        match failure.kind.status(failure.status) {
            529 => 503,
            status => status,
        }
    }

    /// Whether a request can name its conversation, so that its provider finds what it has cached.
    fn caches_by_name(&self, _flavor: Option<&str>) -> bool {
        false
    }

    /// Whether features that clients of a relative name in a header can be asked for in the body.
    fn names_betas(&self) -> bool {
        false
    }

    /// The keys inside an object of the body whose meaning the model holds; `None` where it holds
    /// the object as a whole or not at all.
    fn held_inside(&self, _field: &str) -> Option<&'static [&'static str]> {
        None
    }

    /// The names of its flavors; the first is the dialect as its inventor speaks it.
    fn flavors(&self) -> &'static [&'static str] {
        &[]
    }

    /// A request body. Anything that is JSON gives a conversation; the whole is read as verbatim.
    fn decode_request(&self, body: &Doc, ledger: &mut Ledger) -> Verbatim<Conversation>;

    fn encode_request(
        &self,
        conversation: &Verbatim<Conversation>,
        target: &Target,
        ledger: &mut Ledger,
    ) -> Bytes;

    /// A whole reply. Some providers put an error into a reply that says 200.
    fn decode_reply(
        &self,
        body: &Doc,
        exchange: &Exchange,
        ledger: &mut Ledger,
    ) -> Result<Verbatim<Reply>, Failure>;

    fn encode_reply(&self, reply: &Reply, exchange: &Exchange, ledger: &mut Ledger) -> Vec<u8>;

    /// Reads a stream in this dialect.
    fn reader(&self, exchange: &Exchange) -> Box<dyn StreamReader>;

    /// Writes a stream in this dialect.
    fn writer(&self, exchange: &Exchange) -> Box<dyn StreamWriter>;

    /// The body of a reply whose status is not 2xx, whatever it is: JSON, a page, nothing.
    fn decode_error(&self, status: u16, body: &[u8]) -> Failure;

    /// The body for a failure; its status is the failure's.
    fn encode_error(&self, failure: &Failure) -> Vec<u8>;

    /// One element of the dialect's list of turns.
    fn decode_turn(&self, turn: Node<'_>, ledger: &mut Ledger) -> Verbatim<Turn>;

    /// One block of a turn with this role.
    fn decode_block(&self, block: Node<'_>, role: Role, ledger: &mut Ledger) -> Verbatim<Block>;

    /// The value of the dialect's place for instructions.
    fn decode_system(
        &self,
        system: Node<'_>,
        ledger: &mut Ledger,
    ) -> Verbatim<Vec<Verbatim<Block>>>;

    fn decode_tool(&self, tool: Node<'_>, ledger: &mut Ledger) -> Verbatim<Tool>;
}

/// A search of the web that a provider did by itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Search {
    pub id: Text,
    pub query: Option<Text>,
}

/// Reads the frames of one stream. Whatever comes, the events it gives are lawful: see [`Event`].
pub trait StreamReader: Send {
    fn read(&mut self, frame: Frame, events: &mut Vec<Event>, ledger: &mut Ledger);

    /// The stream has ended. A reply that was complete but for its end mark gets its stop; one that
    /// was not gets a failure.
    fn finish(&mut self, events: &mut Vec<Event>, ledger: &mut Ledger);

    /// What clients of the dialect wait for and the frames so far do not say, of a reply that has ended.
    fn lacks(&self) -> Lack {
        Lack::Nothing
    }

    /// Its frames go on to clients of the same dialect as they come.
    fn passes_on(&mut self) {}

    /// What such clients get in place of the frame that was just read, where they would misread it.
    fn anew(&mut self) -> Option<Vec<u8>> {
        None
    }

    /// Whether it was said why the reply ends: were this all, it would be whole.
    fn has_stopped(&self) -> bool {
        false
    }

    /// Whether the mark has come after which nothing belongs to the reply.
    fn is_over(&self) -> bool {
        false
    }
}

/// What the end of a stream lacks, for clients that get its frames as they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    Nothing,
    /// These bytes, which say that no more comes.
    Mark(&'static [u8]),
    /// Why the reply ended, before the mark that has just come.
    Reason,
    /// The event that ends a reply that failed.
    Failed,
}

/// Writes the frames of one stream from lawful events.
pub trait StreamWriter: Send {
    fn write(&mut self, event: &Event, out: &mut Vec<u8>, ledger: &mut Ledger);

    /// The client has this frame as it came: what is written later follows it.
    fn follow(&mut self, _frame: &Frame) {}
}

pub fn find(name: &str) -> Option<&'static dyn Dialect> {
    ALL.iter().copied().find(|dialect| dialect.id().0 == name)
}

/// A block of a reply as clients of another dialect can be shown it, where only its own knows it. The native
/// one keeps what it does not know.
pub fn shown(block: &Block, to: DialectId) -> Option<Block> {
    let Body::Foreign { dialect, kind, json } = &block.body else { return None };
    let own = find(dialect.0).filter(|_| *dialect != to && to != native::ID)?;
    let told = || find(to.0)?.tells(&own.searched(kind, json)?);
    own.shows(kind, json).or_else(told).map(Block::new)
}

/// What a block of a reply tells of a search that its provider did by itself.
pub fn searched(block: &Block) -> Option<Search> {
    let Body::Foreign { dialect, kind, json } = &block.body else { return None };
    find(dialect.0)?.searched(kind, json)
}
