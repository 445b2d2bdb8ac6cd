//! Applies named rules that change a conversation so that its target accepts it.
//!
//! A rule is one file, `rules/<group>/<rule>.rs`. A mend rule changes what is invalid for every
//! target, a fit rule what one target rejects. A rule first checks, and edits only where it has to:
//! unedited values leave as the bytes that were read. Every change is recorded in the ledger under
//! the rule's name. What a target accepts is data in [`TargetProfile`]; no rule checks the name of a
//! provider.

#![expect(clippy::similar_names, reason = "`work` and `word` are both established names")]

pub mod docs;
mod edit;
mod engine;
pub mod profile;
mod query;
pub mod rejection;
mod rules;
mod schema;
pub mod shape;
mod tools;
mod values;

use interlingua_model::{Conversation, ConversationPatch, DecodingNotes, Ledger, Verbatim};
use interlingua_wire::{JsonDoc, SegmentedBytes};

pub use engine::rule::RuleKind;
pub use engine::{Feature, Renames, RepairOutput, SourceMap, Work};
pub use profile::TargetProfile;
pub use query::web_search;
pub use rules::{RuleInfo, all_rules};

/// Runs every rule that works on the body before decoding; returns the same body if nothing
/// changes.
pub fn repair_raw_body(body: JsonDoc, notes: &mut DecodingNotes) -> JsonDoc {
    engine::run::run_on_raw_body(rules::RAW_BODY, body, notes.recorder())
}

/// Runs every rule on the conversation, applies `conversation_patch`, and records every change.
/// `body` must be the document from which the conversation was decoded: rules look up raw values in
/// it. `notes` are those of its decoding; they are recorded in the ledger unless the target accepts
/// what the client wrote.
pub fn repair(
    conversation: &mut Verbatim<Conversation>,
    body: &JsonDoc,
    profile: &TargetProfile,
    conversation_patch: &ConversationPatch,
    notes: DecodingNotes,
    ledger: &mut Ledger,
) -> RepairOutput {
    engine::run::run_on_conversation(
        rules::CONVERSATION,
        conversation,
        body,
        profile,
        conversation_patch,
        (notes, ledger),
    )
}

/// Runs every rule that works on the encoded body.
pub fn repair_encoded_body(
    body: SegmentedBytes,
    profile: &TargetProfile,
    ledger: &mut Ledger,
) -> SegmentedBytes {
    engine::run::run_on_encoded_body(rules::ENCODED_BODY, body, profile, ledger)
}
