//! Runs the rules of each phase in their order.

use interlingua_model::{
    Conversation, ConversationPatch, DecodingNotes, Ledger, LedgerPath, Verbatim,
};
use interlingua_wire::{JsonDoc, JsonLimits, SegmentedBytes};

use super::output::RepairOutput;
use super::rule::{Apply, ConversationRule, EncodedBodyRule, RawBodyRule, RuleKind};
use super::settings_cache::{self, SettingsCache};
use super::work::Work;
use super::{normalize, reasoning_request};
use crate::profile::TargetProfile;

pub(crate) fn run_on_raw_body<'r>(
    rules: impl Iterator<Item = &'r RawBodyRule>,
    mut body: JsonDoc,
    ledger: &mut Ledger,
) -> JsonDoc {
    for rule in rules {
        let Some((text, description)) = (rule.apply)(&body) else { continue };
        // Rules write valid JSON; if one did not, the body would stay unchanged.
        let Ok(mended) = JsonDoc::parse(text.into(), JsonLimits::default()) else { continue };
        ledger.record_change(rule.name, LedgerPath::BODY, description);
        body = mended;
    }
    body
}

/// `rules` come with their index among all `rule_count` rules on the conversation: results of rules
/// are cached by it, also where some rules are turned off.
pub(crate) fn run_on_conversation<'r>(
    (rules, rule_count): (impl Iterator<Item = (usize, &'r ConversationRule)> + Clone, usize),
    conversation: &mut Verbatim<Conversation>,
    body: &JsonDoc,
    profile: &TargetProfile,
    conversation_patch: &ConversationPatch,
    (notes, ledger): (DecodingNotes, &mut Ledger),
) -> RepairOutput {
    let mut work = Work::new(conversation, body, profile, conversation_patch, ledger);
    normalize::normalize(&mut work, notes);
    let reading_differs = reasoning_request::apply_target_reading(&mut work);
    let mut settings_cache = SettingsCache::lookup(&mut work, rule_count);
    for (at, rule) in rules.clone() {
        run_rule(
            rule,
            &mut work,
            settings_cache.as_deref_mut().map(|settings_cache| (settings_cache, at)),
        );
        // The merged list of tools has not been checked by the rules so far.
        if work.take_legacy_tools_merged() {
            let until_here = rules.clone().take_while(|(other, _)| *other <= at);
            let fit_rules = until_here.filter(|(_, rule)| rule.kind == RuleKind::Fit);
            fit_rules.for_each(|(_, rule)| run_rule(rule, &mut work, None));
        }
    }
    if let Some(settings_cache) = settings_cache {
        settings_cache.store();
    }
    rerun_until_stable(&rules, &mut work);
    if reading_differs {
        work.set_rule("respelled-setting");
        reasoning_request::remove_ignored_fields(&mut work);
    }
    work.into_output()
}

/// Runs the rules marked `reruns` again while turns change, at most [`MAX_RERUNS`] times.
fn rerun_until_stable<'r>(
    rules: &(impl Iterator<Item = (usize, &'r ConversationRule)> + Clone),
    work: &mut Work<'_>,
) {
    for _ in 0..MAX_RERUNS {
        if !work.take_turns_changed() {
            return;
        }
        let reruns = rules.clone().filter(|(_, rule)| rule.reruns);
        reruns.for_each(|(_, rule)| run_rule(rule, work, None));
    }
}

/// Runs a rule unless its feature is missing or the settings cache lists it as idle.
fn run_rule(
    rule: &ConversationRule,
    work: &mut Work<'_>,
    cache: Option<(&mut SettingsCache, usize)>,
) {
    if work.profile.stop.is_set() || rule.requires.is_some_and(|feature| !work.has(feature)) {
        return;
    }
    work.set_rule(rule.name);
    match rule.apply {
        Apply::Conversation(apply) => apply(work),
        Apply::Settings(apply) => settings_cache::run_unless_idle(work, apply, cache),
        Apply::SettingsThenTurns(apply_settings, apply_turns) => {
            settings_cache::run_unless_idle(work, apply_settings, cache);
            apply_turns(work);
        }
    }
}

/// Only lessons give these rules anything to do.
pub(crate) fn run_on_encoded_body<'r>(
    rules: impl Iterator<Item = &'r EncodedBodyRule>,
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
    for rule in rules {
        let Some((text, description)) = (rule.apply)(&doc, profile) else { continue };
        let Ok(written) = JsonDoc::parse(text.into(), JsonLimits::default()) else { continue };
        ledger.record_loss(rule.name, LedgerPath::BODY, description);
        doc = written;
    }
    doc.text().as_bytes().clone().into()
}

const MAX_RERUNS: usize = 3;
