//! A tool call of which the stream has sent a part.

use std::collections::HashSet;

use interlingua_model::{Ledger, LedgerPath};
use interlingua_wire::{Field, JsonString, RawJson};

use super::args::ArgsScanner;
use crate::note;

/// A call. It is kept after it is closed.
#[derive(Debug, Default)]
pub(super) struct ToolCallState {
    pub(super) index: Option<u64>,
    pub(super) id: JsonString,
    pub(super) name: JsonString,
    pub(super) kind: CallKind,
    pub(super) args: ArgsScanner,
    /// Arguments that arrive as an object: each object is complete, so the last one counts.
    pub(super) args_object: Option<RawJson>,
    pub(super) opened: bool,
    pub(super) closed: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum CallKind {
    #[default]
    Function,
    Freeform,
    /// A function call of a free-text tool: it is unwrapped when it is complete.
    WrappedFreeform,
}

impl ToolCallState {
    pub(super) fn has_arguments(&self) -> bool {
        self.args_object.is_some() || !self.args.is_empty()
    }

    /// All arguments have arrived, as far as their JSON shows.
    pub(super) fn is_complete(&self) -> bool {
        self.args_object.is_some() || self.args.is_complete()
    }
}

/// Replaces an arguments object by a later one, which should contain all its fields.
pub(super) fn replace_args_object(
    current: &mut Option<RawJson>,
    new: Option<RawJson>,
    ledger: &mut Ledger,
) {
    let loses_fields = current.as_ref().is_some_and(|current| {
        let new_doc = new.as_ref().map(RawJson::to_doc);
        let new_fields = new_doc.iter().flat_map(|doc| doc.root().fields());
        let new_keys: HashSet<_> = new_fields.map(Field::key).collect();
        current.to_doc().root().fields().any(|field| !new_keys.contains(&field.key()))
    });
    if loses_fields {
        let message = "a later arguments object lacks fields of an earlier one";
        ledger.record_loss(note::STREAM_ORDER, LedgerPath::REPLY, message);
    }
    *current = new;
}
