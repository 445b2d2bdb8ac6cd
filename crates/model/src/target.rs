//! Who speaks which dialect: where a request goes, and what a reply must know of its request.

use std::fmt;

use interlingua_wire::{Json, Text};

use crate::{Extras, Keys, Lessons};

/// Names a dialect. An open set: the model does not list the dialects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DialectId(pub &'static str);

impl DialectId {
    /// Whether it is the other. Rules and writers ask this of all that they meet: names are short, and two looks
    /// of eight bytes take in one.
    #[inline]
    pub fn is(self, other: Self) -> bool {
        let (one, other) = (self.0.as_bytes(), other.0.as_bytes());
        if one.len() != other.len() {
            return false;
        }
        match (one.first_chunk::<8>(), other.first_chunk::<8>()) {
            (Some(start), Some(same)) if one.len() <= 16 => {
                start == same && one.last_chunk::<8>() == other.last_chunk::<8>()
            }
            _ => one == other,
        }
    }
}

/// Where a request goes.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The model to ask for; `None` keeps the one the client named.
    pub model: Option<Text>,
    /// A named set of quirks within the dialect; `None` is the dialect as its inventor speaks it.
    pub flavor: Option<&'static str>,
    /// Names of features beyond the usual that the client asked for beside the body, in a header.
    pub betas: Vec<Text>,
    /// The client asked for a stream beside the body, in the address.
    pub stream: bool,
    /// Fields that are known nowhere here are passed on within their dialect: the provider may be
    /// newer than we are.
    pub trusting: bool,
    /// Whoever asks keeps what comes back, so that reasoning may come in a form only its provider can
    /// read.
    pub remembers: bool,
    /// What whoever asks calls the conversation, where it has a name: some providers find what they
    /// have cached of it by that.
    pub conversation: Option<Text>,
    /// What was learned of it from what it refused.
    pub lessons: Lessons,
}

/// What translating a reply needs to know of the request it answers.
#[derive(Clone, Debug, Default)]
pub struct Exchange {
    /// The model the client asked for, if the reply does not name one.
    pub model: Option<Text>,
    /// The model that was asked, as its provider knows it: what comes sealed is sealed by it.
    pub asked: Option<Text>,
    /// The flavor of the dialect the reply is written in by the provider.
    pub flavor: Option<&'static str>,
    /// An id for a reply that brings none; ids of its parts are derived from it.
    pub id: Option<Text>,
    /// What the reply is called, whatever its provider calls it. Not for a reply in the dialect of its
    /// client, which leaves as it comes.
    pub called: Option<Text>,
    /// Fields of the request that the reply repeats, where its dialect does that.
    pub repeats: Extras,
    /// Seconds since 1970, for dialects that say when a reply was made. The pure crates have no clock.
    pub created: u64,
    /// Names of tools that take free text, so that a call wrapped for the provider is unwrapped.
    pub freeform: Vec<Text>,
    /// Names of tools that the client groups, each with the name of its group, so that a call to one
    /// is said in the client's terms.
    pub namespaces: Vec<(Text, Text)>,
    /// Tools that the provider knows by another name than the client: the name sent, the client's.
    pub renamed_tools: Vec<(Text, Text)>,
    /// Calls that the provider knows by another id than the client: the id sent, the client's.
    pub renamed_calls: Vec<(Text, Text)>,
    /// Properties that the provider knows by another name than the client, by the name sent of their
    /// tool: the name sent, the client's.
    pub renamed_properties: Vec<(Text, Vec<(Text, Text)>)>,
    /// Schemas that were said in simpler terms: the name sent, and the schema as the client wrote it,
    /// for who checks the arguments of a call.
    pub schemas: Vec<(Text, Json)>,
    /// Whether the client asked for usage in its stream, where the dialect sends it only then; `None`
    /// if that is not known.
    pub usage: Option<bool>,
    /// Whether the client carries reasoning that its dialect's own providers did not seal.
    pub carries: bool,
    /// Whether whoever answers was asked to search the web.
    pub searches: bool,
    /// Whether the client wants its stream as one JSON array, where the dialect knows that form.
    pub array: bool,
}

impl Exchange {
    /// Says a call of the provider's in the client's terms; whether anything had to be said
    /// otherwise.
    pub fn say_back(&self, call: &mut crate::ToolCall) -> bool {
        let back = |pairs: &[(Text, Text)], word: &mut Text| {
            let known = pairs.iter().find(|(sent, _)| sent == word);
            known.inspect(|(_, client)| word.clone_from(client)).is_some()
        };
        let keys = self.keys_of(&call.name).is_some_and(|keys| keys.say_back(&mut call.args));
        let renamed = back(&self.renamed_tools, &mut call.name);
        back(&self.renamed_calls, &mut call.id) || renamed || keys
    }

    /// Whether calls of the reply may have to be said otherwise.
    pub fn has_renamed(&self) -> bool {
        !(self.renamed_tools.is_empty()
            && self.renamed_calls.is_empty()
            && self.renamed_properties.is_empty())
    }

    /// What says the arguments of a call in the client's terms, by the name sent of its tool, if they may
    /// have to be.
    pub fn keys_of(&self, tool: &Text) -> Option<Keys> {
        let (_, pairs) = self.renamed_properties.iter().find(|(sent, _)| sent == tool)?;
        Some(Keys::new(pairs.clone()))
    }
}

impl fmt::Debug for DialectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Display for DialectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
