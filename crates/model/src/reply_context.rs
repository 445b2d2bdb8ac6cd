//! What the translation of a reply needs to know of its request.

use std::fmt;
use std::sync::Arc;

use interlingua_wire::{JsonString, RawJson};

use crate::{Extras, KeyRenamer, ToolCall};

/// What the translation of a reply needs of its request: names, ids and options of the client.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent fact")]
pub struct ReplyContext {
    /// The model that the client requested, for a reply that does not name one.
    pub client_model: Option<JsonString>,
    /// The model that was requested, by the provider's name; seals of the reply are attributed to
    /// it.
    pub provider_model: Option<JsonString>,
    /// The flavor of the provider's dialect.
    pub flavor: Option<&'static str>,
    /// The reply's id if the provider sends none; ids of its parts are derived from it.
    pub fallback_id: Option<JsonString>,
    /// The reply's id, in place of the provider's. Not used within one dialect, where the reply is
    /// passed through.
    pub override_id: Option<JsonString>,
    /// Ids that the reply must not have, for a reply that is passed through.
    pub taken_ids: Option<TakenIds>,
    /// Request fields that the reply echoes, in dialects that do so.
    pub echoed_fields: Extras,
    /// Seconds since 1970, for dialects whose replies have a creation time. This crate has no
    /// clock.
    pub created_unix_secs: u64,
    /// Names of tools that take free text, so that a call wrapped for the provider is unwrapped.
    pub freeform_tools: Vec<JsonString>,
    /// Names of the tools that the client groups, each with its group, so that calls get the
    /// client's names.
    pub tool_namespaces: Vec<(JsonString, JsonString)>,
    /// Tools with another name at the provider: the name sent and the client's.
    pub renamed_tools: Vec<(JsonString, JsonString)>,
    /// Tool calls with another id at the provider: the id sent and the client's.
    pub renamed_call_ids: Vec<(JsonString, JsonString)>,
    /// Properties with another name at the provider, by the sent name of their tool: the name sent
    /// and the client's.
    pub renamed_properties: Vec<(JsonString, Vec<(JsonString, JsonString)>)>,
    /// Simplified schemas: the name sent and the schema as the client wrote it, which the guard
    /// checks arguments against.
    pub original_schemas: Vec<(JsonString, RawJson)>,
    /// Whether the client requested usage in its stream, in dialects where that is optional; `None`
    /// if not known.
    pub stream_usage: Option<bool>,
    /// Whether the client can carry seals of other providers.
    pub carries_foreign_seals: bool,
    /// Whether the request enabled the provider's web search.
    pub uses_web_search: bool,
    /// Whether the client gets the provider's bytes; only within one dialect.
    pub is_verbatim: bool,
    /// Whether the client wants its stream as one JSON array, in dialects that have that form.
    pub wants_json_array: bool,
}

/// Reply ids that are in use: a reply that has one of them gets another.
#[derive(Clone)]
pub struct TakenIds {
    replacement: JsonString,
    is_taken: Arc<dyn Fn(&JsonString) -> bool + Send + Sync>,
}

impl TakenIds {
    /// Replaces ids for which `is_taken` is true by `replacement`.
    pub fn new(
        replacement: JsonString,
        is_taken: impl Fn(&JsonString) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { replacement, is_taken: Arc::new(is_taken) }
    }

    /// The new id of a reply with this id; `None` if it can keep it.
    pub fn replacement_of(&self, id: &JsonString) -> Option<JsonString> {
        (self.is_taken)(id).then(|| self.replacement.clone())
    }
}

impl fmt::Debug for TakenIds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TakenIds").field("replacement", &self.replacement).finish_non_exhaustive()
    }
}

impl ReplyContext {
    /// Restores the client's names and ids in a tool call; returns whether anything changed.
    pub fn restore_client_names(&self, call: &mut ToolCall) -> bool {
        let restore = |pairs: &[(JsonString, JsonString)], value: &mut JsonString| {
            let rename = pairs.iter().find(|(sent, _)| sent == value);
            rename.inspect(|(_, client)| value.clone_from(client)).is_some()
        };
        let renamed_keys =
            self.key_renamer(&call.name).is_some_and(|renamer| renamer.rename_args(&mut call.args));
        let renamed = restore(&self.renamed_tools, &mut call.name);
        restore(&self.renamed_call_ids, &mut call.id) || renamed || renamed_keys
    }

    /// Whether any tool, call id or property was renamed.
    pub fn has_renames(&self) -> bool {
        !(self.renamed_tools.is_empty()
            && self.renamed_call_ids.is_empty()
            && self.renamed_properties.is_empty())
    }

    /// The renamer for the argument keys of a tool, by the name sent; `None` if none was renamed.
    pub fn key_renamer(&self, tool: &JsonString) -> Option<KeyRenamer> {
        let (_, pairs) = self.renamed_properties.iter().find(|(sent, _)| sent == tool)?;
        Some(KeyRenamer::new(pairs.clone()))
    }
}
