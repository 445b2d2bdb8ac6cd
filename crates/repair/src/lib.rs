//! Applies named rules that change a conversation so that its target accepts it.
//!
//! A rule is one file: `mend/<rule>.rs` for what is invalid for every target, `fit/<rule>.rs` for
//! what one target rejects. A rule first checks, and edits only where it has to: unedited values
//! leave as the bytes that were read. Every change is recorded in the ledger under the rule's name.
//! What a target accepts is data in [`TargetProfile`]; no rule checks the name of a provider.
//!
//! To add a rule: write the file, with `## Why` and `## Example` in its documentation, then its line
//! in [`ALL`], then its cases in `corpus/repair/<rule>/`.

#![expect(clippy::similar_names, reason = "`work` and `word` are both established names")]

mod apart;
mod around;
pub mod docs;
mod effort;
mod extras;
mod fingerprint;
pub mod fit;
mod hand_on;
mod hearing;
mod held;
mod ids;
mod inside;
mod landing;
mod look;
mod marks;
mod media;
pub mod mend;
mod number;
mod odd;
mod offer;
pub mod pairing;
pub mod profile;
pub mod rejection;
mod schema;
pub mod shape;
mod stand_in;
mod strange;
mod survey;
mod telling;
mod thoughts;
mod tools;
mod trail;
mod work;

use interlingua_model::{Conversation, ConversationPatch, Ledger, LedgerPath, Verbatim};
use interlingua_wire::{JsonDoc, JsonLimits, JsonString, RawJson, SegmentedBytes};

use around::SettingsCache;
pub use profile::TargetProfile;
pub use survey::Feature;
pub use trail::SourceMap;
pub use work::{Renames, Work};

/// A rule with its preconditions.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name of its file, with dashes.
    pub name: &'static str,
    pub kind: RuleKind,
    /// Feature that the conversation must have for the rule to run; `None` if the rule always runs.
    pub requires: Option<Feature>,
    /// Runs a second time if turns changed: a later rule may have left a turn that is empty or in
    /// an invalid position.
    pub reruns: bool,
    pub apply: RuleFn,
}

/// Form of the data that a rule edits.
#[derive(Clone, Copy, Debug)]
pub enum RuleFn {
    /// The body before decoding. Returns the body to decode instead and a description of the
    /// change, or `None` if nothing changes.
    RawBody(fn(&JsonDoc) -> Option<(String, String)>),
    Conversation(fn(&mut Work<'_>)),
    /// A conversation rule that does not depend on the turns, unless they have foreign blocks.
    Settings(fn(&mut Work<'_>)),
    /// First the settings part, then the part for the turns.
    SettingsThenTurns(fn(&mut Work<'_>), fn(&mut Work<'_>)),
    /// The body as encoded for the target. Returns the body to send instead and a description.
    EncodedBody(fn(&JsonDoc, &TargetProfile) -> Option<(String, String)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// Applies to any target.
    Mend,
    /// Depends on the target's profile.
    Fit,
}

/// Result of a repair that later steps need.
#[derive(Debug, Default)]
pub struct RepairOutput {
    /// Origin of every value, with which later ledger entries get paths in the client's body.
    pub source_map: SourceMap,
    /// Names and ids that differ from the client's.
    pub renames: Renames,
    /// Schemas that were simplified: the tool name as sent, and the schema as the client wrote it.
    pub original_schemas: Vec<(JsonString, RawJson)>,
}

/// Every rule, in the order of execution.
pub static ALL: &[Rule] = &[
    // Bodies that cannot be decoded as they are.
    Rule {
        name: "lone-surrogate",
        kind: RuleKind::Mend,
        requires: None,
        reruns: false,
        apply: RuleFn::RawBody(mend::lone_surrogate::apply),
    },
    // Blocks that the client has lost. Paths are still those of the client's body.
    mend("restored-reasoning", mend::restored_reasoning::apply),
    // Blocks of one foreign dialect become text here, and later rules treat them as text.
    requires(Feature::ForeignBlocks, fit("foreign-block", fit::foreign_block::apply)),
    requires(Feature::ForeignBlocks, fit("unsealed-search", fit::unsealed_search::apply)),
    // The list of tools decides which calls may stay unanswered.
    settings_rule("provider-search", fit::provider_search::apply),
    settings_rule("unknown-tool", fit::unknown_tool::apply),
    // Calls and their results.
    requires(Feature::Extras, fit("old-call", fit::old_call::apply)),
    mend("wrong-side", mend::wrong_side::apply),
    fit("split-calls", fit::split_calls::apply),
    mend("duplicate-call", mend::duplicate_call::apply),
    requires(Feature::ResultWithoutId, mend("unnamed-result", mend::unnamed_result::apply)),
    mend("duplicate-result", mend::duplicate_result::apply),
    mend("orphan-result", mend::orphan_result::apply),
    requires(Feature::ForeignBlocks, mend("foreign-pair", mend::foreign_pair::apply)),
    mend("scattered-result", mend::scattered_result::apply),
    mend("guard-answer", mend::guard_answer::apply),
    mend("unanswered-call", mend::unanswered_call::apply),
    fit("unkept-item", fit::unkept_item::apply),
    fit("result-order", fit::result_order::apply),
    requires(Feature::Extras, fit("empty-calls", fit::empty_calls::apply)),
    requires(Feature::Extras, fit("incomplete-call", fit::incomplete_call::apply)),
    fit("freeform-call", fit::freeform_call::apply),
    // Fields and blocks that the target rejects.
    settings_rule("respelled-setting", fit::respelled_setting::apply),
    fit("account-label", fit::account_label::apply),
    requires(Feature::CacheBreakpoints, fit("cache-unknown", fit::cache_unknown::apply)),
    settings_rule("odd-field", fit::odd_field::apply),
    Rule {
        apply: RuleFn::SettingsThenTurns(fit::unknown_field::apply_body, fit::unknown_field::apply),
        ..fit("unknown-field", fit::unknown_field::apply)
    },
    requires(Feature::Extras, fit("strange-calls", fit::strange_calls::apply)),
    reruns(fit("unknown-block", fit::unknown_block::apply)),
    reruns(requires(Feature::ForeignBlocks, fit("only-last", fit::only_last::apply))),
    // Empty turns and blocks, also those emptied by the rules above.
    reruns(requires(Feature::TurnWithoutContent, fit("aborted-turn", fit::aborted_turn::apply))),
    reruns(requires(Feature::BlankText, fit("empty-text", fit::empty_text::apply))),
    reruns(requires(Feature::BlankText, fit("empty-result", fit::empty_result::apply))),
    // Settings.
    settings_rule("odd-setting", fit::odd_setting::apply),
    settings_rule("thinking-mode", fit::thinking_mode::apply),
    settings_rule("unknown-effort", fit::unknown_effort::apply),
    settings_rule("fixed-setting", fit::fixed_setting::apply),
    settings_rule("tool-choice", fit::tool_choice::apply),
    settings_rule("forced-while-thinking", fit::forced_while_thinking::apply),
    fit("answer-format", fit::answer_format::apply),
    settings_rule("max-tokens", fit::max_tokens::apply),
    settings_rule("thinking-budget", fit::thinking_budget::apply),
    settings_rule("stop-sequences", fit::stop_sequences::apply),
    settings_rule("unknown-word", fit::unknown_word::apply),
    settings_rule("metadata-size", fit::metadata_size::apply),
    settings_rule("unknown-beta", fit::unknown_beta::apply),
    // Tools.
    settings_rule("tool-fields", fit::tool_fields::apply),
    fit("tool-name", fit::tool_name::apply),
    settings_rule("duplicate-tool", fit::duplicate_tool::apply),
    fit("tool-count", fit::tool_count::apply),
    requires(Feature::ForeignBlocks, fit("tool-reference", fit::tool_reference::apply)),
    requires(Feature::ForeignBlocks, fit("added-tools", fit::added_tools::apply)),
    fit("missing-tools", fit::missing_tools::apply),
    settings_rule("mixed-tools", fit::mixed_tools::apply),
    settings_rule("schema-root", fit::schema_root::apply),
    settings_rule("schema-reference", fit::schema_reference::apply),
    settings_rule("schema-keyword", fit::schema_keyword::apply),
    fit("property-name", fit::property_name::apply),
    settings_rule("answer-schema", fit::answer_schema::apply),
    settings_rule("strict-tool", fit::strict_tool::apply),
    settings_rule("input-examples", fit::input_examples::apply),
    settings_rule("tool-description", fit::tool_description::apply),
    settings_rule("deferred-tools", fit::deferred_tools::apply),
    // Reasoning and its seals.
    requires(Feature::ReasoningOrSeal, fit("refused-seal", fit::refused_seal::apply)),
    requires(Feature::ReasoningOrSeal, fit("foreign-seal", fit::foreign_seal::apply)),
    reruns(requires(
        Feature::UnsealedReasoning,
        fit("unsigned-thinking", fit::unsigned_thinking::apply),
    )),
    reruns(requires(
        Feature::MisplacedReasoning,
        fit("misplaced-thinking", fit::misplaced_thinking::apply),
    )),
    fit("sealed-reasoning", fit::sealed_reasoning::apply),
    reruns(requires(Feature::ReasoningBlock, fit("lone-reasoning", fit::lone_reasoning::apply))),
    reruns(fit("strange-reasoning", fit::strange_reasoning::apply)),
    fit("missing-reasoning", fit::missing_reasoning::apply),
    // Roles and their order.
    reruns(requires(
        Feature::BlankText,
        fit("blank-between-reasoning", fit::blank_between_reasoning::apply),
    )),
    reruns(requires(Feature::TurnWithoutContent, fit("empty-turn", fit::empty_turn::apply))),
    reruns(fit("missing-content", fit::missing_content::apply)),
    reruns(fit("null-field", fit::null_field::apply)),
    fit("developer-role", fit::developer_role::apply),
    reruns(fit("missing-role", fit::missing_role::apply)),
    reruns(fit("system-placement", fit::system_placement::apply)),
    reruns(fit("empty-system", fit::empty_system::apply)),
    reruns(fit("missing-instructions", fit::missing_instructions::apply)),
    reruns(fit("no-messages", fit::no_messages::apply)),
    reruns(fit("string-input", fit::string_input::apply)),
    reruns(fit("alternation", fit::alternation::apply)),
    reruns(fit("words-after-call", fit::words_after_call::apply)),
    reruns(fit("words-with-calls", fit::words_with_calls::apply)),
    reruns(fit("user-after-results", fit::user_after_results::apply)),
    reruns(fit("user-first", fit::user_first::apply)),
    reruns(fit("ends-with-assistant", fit::ends_with_assistant::apply)),
    reruns(fit("trailing-whitespace", fit::trailing_whitespace::apply)),
    reruns(fit("opening-call", fit::opening_call::apply)),
    // Which calls need a signature depends on where the current turn begins.
    reruns(fit("missing-signature", fit::missing_signature::apply)),
    // Media.
    requires(Feature::Media, fit("media-type", fit::media_type::apply)),
    requires(Feature::Media, fit("some-citations", fit::some_citations::apply)),
    requires(Feature::Media, fit("unsupported-media", fit::unsupported_media::apply)),
    requires(Feature::Media, fit("broken-media", fit::broken_media::apply)),
    requires(Feature::Media, fit("large-media", fit::large_media::apply)),
    requires(Feature::Media, fit("many-media", fit::many_media::apply)),
    requires(Feature::NonTextResult, fit("failed-result-media", fit::failed_result_media::apply)),
    requires(Feature::ForeignBlocks, fit("search-result", fit::search_result::apply)),
    requires(Feature::Media, fit("document-name", fit::document_name::apply)),
    requires(Feature::Media, fit("document-alone", fit::document_alone::apply)),
    // Ids and arguments.
    requires(Feature::NonObjectArgs, fit("bad-arguments", fit::bad_arguments::apply)),
    requires(Feature::Extras, fit("repeated-field", fit::repeated_field::apply)),
    fit("result-name", fit::result_name::apply),
    fit("result-kind", fit::result_kind::apply),
    fit("call-id", fit::call_id::apply),
    fit("item-id", fit::item_id::apply),
    // Texts that the target rejects.
    reruns(fit("string-content", fit::string_content::apply)),
    // Settings that depend on the final conversation, and on whether the model reasons.
    fit("missing-thinking", fit::missing_thinking::apply),
    settings_rule("conflicting-field", fit::conflicting_field::apply),
    fit("pending-code", fit::pending_code::apply),
    settings_rule("sampling", fit::sampling::apply),
    // Cache breakpoints.
    fit("cache-place", fit::cache_place::apply),
    requires(Feature::CacheBreakpoints, fit("cache-limit", fit::cache_limit::apply)),
    requires(Feature::CacheBreakpoints, fit("cache-lifetime", fit::cache_lifetime::apply)),
    // Depends on whether any other rule changed the request.
    fit("json-word", fit::json_word::apply),
    // The encoded body.
    Rule {
        name: "refused-field",
        kind: RuleKind::Fit,
        requires: None,
        reruns: false,
        apply: RuleFn::EncodedBody(fit::refused_field::apply),
    },
];

/// Runs every rule that works on the body before decoding; returns the same body if nothing
/// changes.
pub fn repair_raw_body(mut body: JsonDoc, ledger: &mut Ledger) -> JsonDoc {
    for rule in ALL {
        // `RawBody` rules come first in `ALL`.
        let RuleFn::RawBody(apply) = rule.apply else { break };
        let Some((text, description)) = apply(&body) else { continue };
        // Rules write valid JSON; if one did not, the body would stay unchanged.
        let Ok(mended) = JsonDoc::parse(text.into(), JsonLimits::default()) else { continue };
        ledger.record_change(rule.name, LedgerPath::BODY, description);
        body = mended;
    }
    body
}

/// Runs every rule on the conversation, applies `conversation_patch`, and records every change.
/// `body` must be the document from which the conversation was decoded: rules look up raw values in
/// it.
pub fn repair(
    conversation: &mut Verbatim<Conversation>,
    body: &JsonDoc,
    profile: &TargetProfile,
    conversation_patch: &ConversationPatch,
    ledger: &mut Ledger,
) -> RepairOutput {
    let mut work = Work::new(conversation, body, profile, conversation_patch, ledger);
    odd::normalize(&mut work);
    let reading_differs = hearing::apply_target_reading(&mut work);
    let mut settings_cache = SettingsCache::lookup(&mut work);
    for (at, rule) in ALL.iter().enumerate() {
        run_rule(
            rule,
            &mut work,
            settings_cache.as_deref_mut().map(|settings_cache| (settings_cache, at)),
        );
        // The merged list of tools has not been checked by the rules so far.
        if work.take_legacy_tools_merged() {
            let fit_rules = ALL[..=at].iter().filter(|rule| rule.kind == RuleKind::Fit);
            fit_rules.for_each(|rule| run_rule(rule, &mut work, None));
        }
    }
    if let Some(settings_cache) = settings_cache {
        settings_cache.store();
    }
    rerun_until_stable(&mut work);
    if reading_differs {
        work.set_rule("respelled-setting");
        hearing::remove_ignored_fields(&mut work);
    }
    work.into_output()
}

/// Runs the rules marked `reruns` again while turns change, at most [`MAX_RERUNS`] times.
fn rerun_until_stable(work: &mut Work<'_>) {
    for _ in 0..MAX_RERUNS {
        if !work.take_turns_changed() {
            return;
        }
        ALL.iter().filter(|rule| rule.reruns).for_each(|rule| run_rule(rule, work, None));
    }
}

/// Runs a rule unless its feature is missing or the settings cache lists it as idle.
fn run_rule(rule: &Rule, work: &mut Work<'_>, cache: Option<(&mut SettingsCache, usize)>) {
    if work.profile.stop.is_set() || rule.requires.is_some_and(|feature| !work.has(feature)) {
        return;
    }
    work.set_rule(rule.name);
    match rule.apply {
        RuleFn::Conversation(apply) => apply(work),
        RuleFn::Settings(apply) => around::run_unless_idle(work, apply, cache),
        RuleFn::SettingsThenTurns(apply_settings, apply_turns) => {
            around::run_unless_idle(work, apply_settings, cache);
            apply_turns(work);
        }
        RuleFn::RawBody(_) | RuleFn::EncodedBody(_) => {}
    }
}

/// Runs every rule that works on the encoded body. Only lessons give these rules anything to do.
pub fn repair_encoded_body(
    body: SegmentedBytes,
    profile: &TargetProfile,
    ledger: &mut Ledger,
) -> SegmentedBytes {
    if profile.lessons.is_empty() {
        return body;
    }
    let body = body.into_bytes();
    let Ok(mut doc) = JsonDoc::from_bytes(body.clone(), JsonLimits::default()) else {
        return body.into();
    };
    for rule in ALL {
        let RuleFn::EncodedBody(apply) = rule.apply else { continue };
        let Some((text, description)) = apply(&doc, profile) else { continue };
        let Ok(written) = JsonDoc::parse(text.into(), JsonLimits::default()) else { continue };
        ledger.record_loss(rule.name, LedgerPath::BODY, description);
        doc = written;
    }
    doc.text().as_bytes().clone().into()
}

const fn mend(name: &'static str, apply: fn(&mut Work<'_>)) -> Rule {
    Rule {
        name,
        kind: RuleKind::Mend,
        requires: None,
        reruns: false,
        apply: RuleFn::Conversation(apply),
    }
}

const fn fit(name: &'static str, apply: fn(&mut Work<'_>)) -> Rule {
    Rule {
        name,
        kind: RuleKind::Fit,
        requires: None,
        reruns: false,
        apply: RuleFn::Conversation(apply),
    }
}

/// A rule that depends on settings, tools and instructions only.
const fn settings_rule(name: &'static str, apply: fn(&mut Work<'_>)) -> Rule {
    Rule {
        name,
        kind: RuleKind::Fit,
        requires: None,
        reruns: false,
        apply: RuleFn::Settings(apply),
    }
}

/// A rule that runs only if the conversation has this feature.
const fn requires(feature: Feature, rule: Rule) -> Rule {
    Rule { requires: Some(feature), ..rule }
}

const fn reruns(rule: Rule) -> Rule {
    Rule { reruns: true, ..rule }
}

const MAX_RERUNS: usize = 3;
