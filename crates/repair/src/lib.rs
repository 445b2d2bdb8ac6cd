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
use interlingua_providers::RuleSet;
use interlingua_wire::{JsonDoc, SegmentedBytes};

pub use engine::rule::RuleKind;
use engine::run::run_on_conversation;
pub use engine::{Feature, Renames, RepairOutput, SourceMap, Work};
pub use profile::TargetProfile;
pub use query::web_search;
pub use rules::{RuleInfo, all_rules};

/// Runs every rule that works on the body before decoding, but for the disabled ones; returns the
/// same body if nothing changes.
pub fn repair_raw_body(
    body: JsonDoc,
    disabled_rules: &RuleSet,
    notes: &mut DecodingNotes,
) -> JsonDoc {
    let rules = rules::RAW_BODY.iter().enumerate();
    let enabled = rules.filter(|(at, _)| !disabled_rules.contains(*at)).map(|(_, rule)| rule);
    engine::run::run_on_raw_body(enabled, body, notes.recorder())
}

/// Runs the enabled rules on the conversation, applies `conversation_patch`, and records every change.
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
    let rules = rules::CONVERSATION.iter().enumerate();
    let rule_count = rules::CONVERSATION.len();
    let notes = (notes, ledger);
    if profile.disabled_rules.is_empty() {
        let rules = (rules, rule_count);
        run_on_conversation(rules, conversation, body, profile, conversation_patch, notes)
    } else {
        let first = rules::RAW_BODY.len();
        let enabled = rules.filter(|(at, _)| !profile.disabled_rules.contains(first + at));
        let rules = (enabled, rule_count);
        run_on_conversation(rules, conversation, body, profile, conversation_patch, notes)
    }
}

/// Runs the enabled rules that work on the encoded body.
pub fn repair_encoded_body(
    body: SegmentedBytes,
    profile: &TargetProfile,
    ledger: &mut Ledger,
) -> SegmentedBytes {
    let first = rules::RAW_BODY.len() + rules::CONVERSATION.len();
    let rules = rules::ENCODED_BODY.iter().enumerate();
    let enabled =
        rules.filter(|(at, _)| !profile.disabled_rules.contains(first + at)).map(|(_, rule)| rule);
    engine::run::run_on_encoded_body(enabled, body, profile, ledger)
}
