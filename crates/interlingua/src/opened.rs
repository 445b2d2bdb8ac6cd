//! A request that was read, and is not yet repaired and written: the place to look at what the client
//! says, and to add what only the house knows.

use std::borrow::Cow;

use interlingua_dialects::{Dialect, native};
use interlingua_model::{Conversation, Ledger, Recalled, Target, Verbatim};
use interlingua_repair::{self as repair, Profile};
use interlingua_wire::{Doc, Json, Spliced};

use crate::repair::fit::provider_search;
use crate::travel;
use crate::{Translated, exchange_of, freeform};

/// A request on its way to a target.
pub struct Opened<'d, 't> {
    body: Doc,
    /// Apart: it is large, and what is opened goes from hand to hand.
    conversation: Box<Verbatim<Conversation>>,
    ledger: Ledger,
    to: &'d dyn Dialect,
    target: Cow<'t, Target>,
}

/// Reads a request of a client that speaks `from`, for a provider that speaks `to`.
pub fn open_document<'d, 't>(
    mut body: Doc,
    from: &dyn Dialect,
    to: &'d dyn Dialect,
    target: &'t Target,
) -> Opened<'d, 't> {
    let mut ledger = Ledger::default();
    if Profile::is_for(to.id()) {
        body = repair::repair_body(body, &mut ledger);
    }
    // Written where it stays.
    let place = Box::new_uninit();
    let mut conversation = Box::write(place, from.decode_request(&body, &mut ledger));
    if !from.seals().is_empty() {
        travel::unpack(&mut conversation);
    }
    write_anew(&mut conversation, to);
    if target.stream && from.id() != to.id() && conversation.settings.stream != Some(true) {
        conversation.edit().settings.edit().stream = Some(true);
    }
    if from.id() != to.id()
        && target.conversation.is_some()
        && conversation.settings.cache_key.is_none()
        && to.caches_by_name(target.flavor)
    {
        conversation.edit().settings.edit().cache_key.clone_from(&target.conversation);
    }
    Opened { body, conversation, ledger, to, target: Cow::Borrowed(target) }
}

/// In a stored conversation each turn may have come in another dialect. Turns of the target's own are written
/// anew among the others, from blocks that are still as they were: rules and writers of a conversation that
/// crosses look at what turns say, and not at how they were written.
fn write_anew(conversation: &mut Verbatim<Conversation>, to: &dyn Dialect) {
    if conversation.source == to.id() || to.id() == native::ID {
        return;
    }
    for turn in 0..conversation.turns.len() {
        if conversation.turns[turn].text_for(to.id()).is_some() {
            let turn = conversation.edit().turns[turn].edit();
            // What somebody vouches for, and what stands beside it, stays as it is.
            if turn.blocks.iter().all(|block| block.seal.is_none()) {
                for block in &mut turn.blocks {
                    block.edit();
                }
            }
        }
    }
}

impl<'d> Opened<'d, '_> {
    /// The conversation as the client wrote it.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The same with a target of its own, for another thread.
    pub fn apart(self) -> Opened<'d, 'static> {
        let Self { body, conversation, ledger, to, target } = self;
        Opened { body, conversation, ledger, to, target: Cow::Owned(target.into_owned()) }
    }

    /// Repairs and writes it, with what is remembered of it.
    pub fn translate(self, recalled: &Recalled) -> Translated {
        let Translated { body, ledger, exchange } = self.written(recalled);
        Translated { body: body.joined(), ledger, exchange }
    }

    /// As [`Opened::translate`], for who can send a body whose parts lie apart: one in which only the model has
    /// another name stays where it came.
    pub fn written(self, recalled: &Recalled) -> Translated<Spliced> {
        let Self { body, mut conversation, mut ledger, to, target } = self;
        let target = &*target;
        let mut exchange = Box::new(exchange_of(&conversation, target));
        let Some(profile) = Profile::of(to.id(), target, conversation.model.as_ref()) else {
            let body = to.encode_request(&conversation, target, &mut ledger);
            return Translated { body: body.into(), ledger, exchange };
        };
        let repaired = repair::repair(&mut conversation, &body, &profile, recalled, &mut ledger);
        // Calls come back under the names that are sent.
        exchange.freeform = freeform(&conversation);
        exchange.searches = conversation.tools.iter().any(|tool| provider_search::is_search(tool));
        exchange.renamed_tools = repaired.renamed.names;
        exchange.renamed_calls = repaired.renamed.ids;
        exchange.renamed_properties = repaired.renamed.properties;
        exchange.schemas = repaired.schemas;
        let encoded = ledger.entries.len();
        let renamed = renamed(&body, &conversation, to, target);
        let body =
            renamed.unwrap_or_else(|| to.encode_request(&conversation, target, &mut ledger).into());
        repaired.trail.settle(&mut ledger, encoded);
        let body = repair::repair_written(body, &profile, &mut ledger);
        Translated { body, ledger, exchange }
    }
}

/// The body as it came, but for the name of the model, where nothing else was changed in it.
fn renamed(
    body: &Doc,
    conversation: &Verbatim<Conversation>,
    to: &dyn Dialect,
    target: &Target,
) -> Option<Spliced> {
    conversation.text_for(to.id())?;
    let (was, named) = (conversation.model.as_ref()?, target.model.as_ref()?);
    let root = body.root();
    let place = root.get("model").filter(|place| place.text().as_ref() == Some(was))?;
    // Of a field that stands twice, one was left out.
    let is_clear = conversation.fields.len() == root.len();
    (is_clear && was != named).then(|| body.with(place, &Json::string(named)))
}

impl std::fmt::Debug for Opened<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { conversation, ledger, .. } = self;
        f.debug_struct("Opened")
            .field("conversation", conversation)
            .field("ledger", ledger)
            .finish_non_exhaustive()
    }
}
