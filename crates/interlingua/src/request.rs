//! A decoded request that can be inspected and patched before it is repaired and encoded.

use std::borrow::Cow;

use bytes::Bytes;
use interlingua_dialects::{Dialect, native};
use interlingua_model::{
    Conversation, ConversationPatch, DecodingNotes, Ledger, ReplyContext, Tool, ToolKind, Verbatim,
};
use interlingua_providers::Target;
use interlingua_repair::web_search;
use interlingua_repair::{self as repair, TargetProfile};
use interlingua_wire::{JsonDoc, JsonString, RawJson, SegmentedBytes};

use crate::seal_envelope;

/// A translated request: its body, what was changed, and the context for translating the reply.
#[derive(Clone, Debug)]
pub struct TranslatedRequest<B = Bytes> {
    /// The body in the provider's dialect.
    pub body: B,
    /// The changes and losses; empty if the body was not changed.
    pub ledger: Ledger,
    /// The context that the translation of the reply needs. A caller with a clock and an id
    /// generator sets `created_unix_secs` and `fallback_id` in it. Boxed, because it is large and
    /// moved often.
    pub reply_context: Box<ReplyContext>,
}

/// A decoded request and its target.
pub struct DecodedRequest<'d, 't> {
    body: JsonDoc,
    /// Boxed, because it is large and moved often.
    conversation: Box<Verbatim<Conversation>>,
    notes: DecodingNotes,
    to: &'d dyn Dialect,
    target: Cow<'t, Target>,
}

/// Decodes a parsed request in dialect `from`, for a provider of dialect `to`.
pub fn decode_request<'d, 't>(
    body: JsonDoc,
    from: &dyn Dialect,
    to: &'d dyn Dialect,
    target: &'t Target,
) -> DecodedRequest<'d, 't> {
    decode_with_seals(body, from, to, target, true)
}

/// As [`decode_request`]; seals of other providers that a client carries in its own signatures stay
/// there unless `unwraps_seals`.
pub(crate) fn decode_with_seals<'d, 't>(
    mut body: JsonDoc,
    from: &dyn Dialect,
    to: &'d dyn Dialect,
    target: &'t Target,
    unwraps_seals: bool,
) -> DecodedRequest<'d, 't> {
    let mut notes = DecodingNotes::default();
    if TargetProfile::is_provider_dialect(to.id()) && !target.is_verbatim {
        body = repair::repair_raw_body(body, &target.disabled_rules, &mut notes);
    }
    // Decoded into the box, which saves a copy of the large value.
    let slot = Box::new_uninit();
    let mut conversation = Box::write(slot, from.decode_request(&body, notes.recorder()));
    if unwraps_seals && !from.seal_issuers().is_empty() {
        seal_envelope::unwrap_conversation(&mut conversation);
    }
    discard_unsealed_text(&mut conversation, to);
    if target.stream && from.id() != to.id() && conversation.settings.stream != Some(true) {
        conversation.edit().settings.edit().stream = Some(true);
    }
    if from.id() != to.id()
        && target.conversation_key.is_some()
        && conversation.settings.cache_key.is_none()
        && to.supports_prompt_cache_key(target.flavor)
    {
        conversation.edit().settings.edit().cache_key.clone_from(&target.conversation_key);
    }
    DecodedRequest { body, conversation, notes, to, target: Cow::Borrowed(target) }
}

/// Drops the stored text of unsealed turns that are in the target's dialect, so that they are
/// encoded again. In a stored conversation each turn may come from another dialect, and the rules
/// and encoders for a conversation that changes dialect look at blocks and not at their stored
/// text.
fn discard_unsealed_text(conversation: &mut Verbatim<Conversation>, to: &dyn Dialect) {
    if conversation.dialect == to.id() || to.id() == native::ID {
        return;
    }
    for turn in 0..conversation.turns.len() {
        if conversation.turns[turn].text_for(to.id()).is_some() {
            let turn = conversation.edit().turns[turn].edit();
            // A sealed block and its neighbours keep their text: the provider verifies them.
            if turn.blocks.iter().all(|block| block.seal.is_none()) {
                for block in &mut turn.blocks {
                    block.edit();
                }
            }
        }
    }
}

impl<'d> DecodedRequest<'d, '_> {
    /// The conversation as the client wrote it.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The same with an owned target, to be moved to another thread.
    pub fn into_owned(self) -> DecodedRequest<'d, 'static> {
        let Self { body, conversation, notes, to, target } = self;
        DecodedRequest { body, conversation, notes, to, target: Cow::Owned(target.into_owned()) }
    }

    /// Applies the patch, repairs the conversation and encodes it.
    pub fn translate(self, conversation_patch: &ConversationPatch) -> TranslatedRequest {
        let TranslatedRequest { body, ledger, reply_context: cx } =
            self.translate_segmented(conversation_patch);
        TranslatedRequest { body: body.into_bytes(), ledger, reply_context: cx }
    }

    /// As [`DecodedRequest::translate`], but without copying: if only the model name changes, the
    /// body is sent as slices of the input.
    pub fn translate_segmented(
        self,
        conversation_patch: &ConversationPatch,
    ) -> TranslatedRequest<SegmentedBytes> {
        let Self { body, mut conversation, notes, to, target } = self;
        let target = &*target;
        let mut cx = Box::new(reply_context_for(&conversation, target));
        if target.is_verbatim && conversation.dialect == to.id() {
            cx.is_verbatim = true;
            let body = replace_model(&body, target)
                .unwrap_or_else(|| body.text().as_bytes().clone().into());
            return TranslatedRequest { body, ledger: Ledger::default(), reply_context: cx };
        }
        let Some(profile) = TargetProfile::resolve(to.id(), target, conversation.model.as_ref())
        else {
            let mut ledger = notes.into_ledger();
            let body = to.encode_request(&conversation, target, &mut ledger);
            return TranslatedRequest { body: body.into(), ledger, reply_context: cx };
        };
        let mut ledger = Ledger::default();
        let repair_output = repair::repair(
            &mut conversation,
            &body,
            &profile,
            conversation_patch,
            notes,
            &mut ledger,
        );
        // Tool calls in the reply have the names that are sent now.
        cx.freeform_tools = freeform_tool_names(&conversation);
        cx.uses_web_search = conversation.tools.iter().any(|tool| web_search::is_search_tool(tool));
        cx.renamed_tools = repair_output.renames.tools;
        cx.renamed_call_ids = repair_output.renames.calls;
        cx.renamed_properties = repair_output.renames.properties;
        cx.original_schemas = repair_output.original_schemas;
        if target.stop.is_set() {
            return TranslatedRequest { body: Bytes::new().into(), ledger, reply_context: cx };
        }
        let known_entries = ledger.entries.len();
        let with_new_model = replace_model_only(&body, &conversation, to, target);
        let body = with_new_model
            .unwrap_or_else(|| to.encode_request(&conversation, target, &mut ledger).into());
        repair_output.source_map.resolve(&mut ledger, known_entries);
        let body = repair::repair_encoded_body(body, &profile, &mut ledger);
        TranslatedRequest { body, ledger, reply_context: cx }
    }
}

/// Returns the context that translating the reply to this conversation needs.
pub(crate) fn reply_context_for(conversation: &Conversation, target: &Target) -> ReplyContext {
    let namespaces = conversation
        .tools
        .iter()
        .filter_map(|tool| Some((tool.name.clone(), tool.namespace.clone()?)));
    ReplyContext {
        client_model: conversation.model.clone().or_else(|| target.model.clone()),
        flavor: target.flavor,
        freeform_tools: freeform_tool_names(conversation),
        tool_namespaces: namespaces.collect(),
        stream_usage: Some(conversation.settings.stream_usage == Some(true)),
        ..ReplyContext::default()
    }
}

fn freeform_tool_names(conversation: &Conversation) -> Vec<JsonString> {
    let is_freeform = |tool: &&Verbatim<Tool>| matches!(tool.kind, ToolKind::Freeform { .. });
    conversation.tools.iter().filter(is_freeform).map(|tool| tool.name.clone()).collect()
}

/// Returns the input with the target's model in place of the client's, if it names another one.
fn replace_model(body: &JsonDoc, target: &Target) -> Option<SegmentedBytes> {
    let new_name = target.model.as_ref()?;
    let node = body.root().get("model")?;
    (node.json_string().as_ref() != Some(new_name))
        .then(|| body.replace(node, &RawJson::string(new_name)))
}

/// Returns the input with only the model name replaced, if nothing else was changed.
fn replace_model_only(
    body: &JsonDoc,
    conversation: &Verbatim<Conversation>,
    to: &dyn Dialect,
    target: &Target,
) -> Option<SegmentedBytes> {
    conversation.text_for(to.id())?;
    let (old_name, new_name) = (conversation.model.as_ref()?, target.model.as_ref()?);
    let root = body.root();
    let node = root.get("model").filter(|node| node.json_string().as_ref() == Some(old_name))?;
    // If a field occurs twice, one of them was dropped, and the input cannot be reused.
    let has_no_duplicates = conversation.top_level_fields.len() == root.len();
    (has_no_duplicates && old_name != new_name)
        .then(|| body.replace(node, &RawJson::string(new_name)))
}

impl std::fmt::Debug for DecodedRequest<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { conversation, notes, .. } = self;
        f.debug_struct("DecodedRequest")
            .field("conversation", conversation)
            .field("notes", notes)
            .finish_non_exhaustive()
    }
}
