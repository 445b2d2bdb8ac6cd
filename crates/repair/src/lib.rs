//! Named rules that turn any conversation into one its target accepts.
//!
//! A rule is one file: `mend/<rule>.rs` for what is wrong anywhere, `fit/<rule>.rs` for what one
//! target does not take. It looks first, and edits only where it must: what it leaves alone leaves as
//! the bytes it came in. Whatever it changes it notes, under its own name. What a target takes is data,
//! in [`Profile`]; no rule asks for a name.
//!
//! To add a rule: write the file, with `## Why` and `## Example` in its documentation, then its line
//! in [`ALL`], then its cases in `corpus/repair/<rule>/`.

#![expect(
    clippy::similar_names,
    reason = "`work` and a `word` of the client are told apart by eye"
)]

mod apart;
mod around;
pub mod docs;
mod extras;
mod fingerprint;
pub mod fit;
mod hand_on;
mod hearing;
mod held;
mod ids;
mod inside;
pub mod ladder;
mod landing;
mod look;
mod marks;
mod measure;
mod media;
pub mod mend;
mod number;
mod odd;
mod offer;
pub mod pairing;
pub mod profile;
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

use interlingua_model::{Conversation, Ledger, Place, Recalled, Verbatim};
use interlingua_wire::{Doc, Json, Limits, Spliced, Text};

use around::Around;
pub use profile::Profile;
pub use survey::About;
pub use trail::Trail;
pub use work::{Renamed, Work};

/// One named repair.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name of its file, with dashes.
    pub name: &'static str,
    pub stage: Stage,
    /// What there must be for the rule to have anything to do; `None` if it always looks.
    pub about: Option<About>,
    /// Looks a second time if turns changed: what a later rule takes away may leave something behind
    /// that is empty, or at the wrong end.
    pub again: bool,
    pub apply: Apply,
}

/// What a rule works on.
#[derive(Clone, Copy, Debug)]
pub enum Apply {
    /// The body as it came: the body to be read instead, and what was done. Nothing for nothing.
    Body(fn(&Doc) -> Option<(String, String)>),
    Conversation(fn(&mut Work<'_>)),
    /// The same, where nothing depends on what turns say, unless they hold what only one dialect knows.
    Around(fn(&mut Work<'_>)),
    /// First what stands around the turns, then the turns.
    Both(fn(&mut Work<'_>), fn(&mut Work<'_>)),
    /// The body as it is written for the target: the body to be sent instead, and what was done.
    Written(fn(&Doc, &Profile) -> Option<(String, String)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// True for any target.
    Mend,
    /// Asks the target's profile.
    Fit,
}

/// What repairing leaves for those who come after.
#[derive(Debug, Default)]
pub struct Repaired {
    /// Where everything came from, so that later notes can be put in the client's terms.
    pub trail: Trail,
    /// Names and ids that the client knows otherwise.
    pub renamed: Renamed,
    /// Schemas that were said in simpler terms: the name sent, and the schema as the client wrote it.
    pub schemas: Vec<(Text, Json)>,
}

/// Every rule, in the order they run.
pub static ALL: &[Rule] = &[
    // What could not be read as it stands.
    Rule {
        name: "lone-surrogate",
        stage: Stage::Mend,
        about: None,
        again: false,
        apply: Apply::Body(mend::lone_surrogate::apply),
    },
    // What the client has lost. Places are as it wrote them.
    mend("restored-reasoning", mend::restored_reasoning::apply),
    // What only another dialect knows is words from here on, and stands among the others as such.
    on(About::Foreign, fit("foreign-block", fit::foreign_block::apply)),
    on(About::Foreign, fit("unsealed-search", fit::unsealed_search::apply)),
    // Which tools there are tells which calls of them may wait.
    around("provider-search", fit::provider_search::apply),
    around("unknown-tool", fit::unknown_tool::apply),
    // Calls and their results.
    on(About::Extras, fit("old-call", fit::old_call::apply)),
    mend("wrong-side", mend::wrong_side::apply),
    fit("split-calls", fit::split_calls::apply),
    mend("duplicate-call", mend::duplicate_call::apply),
    on(About::Unnamed, mend("unnamed-result", mend::unnamed_result::apply)),
    mend("duplicate-result", mend::duplicate_result::apply),
    mend("orphan-result", mend::orphan_result::apply),
    on(About::Foreign, mend("foreign-pair", mend::foreign_pair::apply)),
    mend("scattered-result", mend::scattered_result::apply),
    mend("guard-answer", mend::guard_answer::apply),
    mend("unanswered-call", mend::unanswered_call::apply),
    fit("unkept-item", fit::unkept_item::apply),
    fit("result-order", fit::result_order::apply),
    on(About::Extras, fit("empty-calls", fit::empty_calls::apply)),
    on(About::Extras, fit("incomplete-call", fit::incomplete_call::apply)),
    fit("freeform-call", fit::freeform_call::apply),
    // Fields and blocks that the target does not know.
    around("respelled-setting", fit::respelled_setting::apply),
    fit("account-label", fit::account_label::apply),
    on(About::Cache, fit("cache-unknown", fit::cache_unknown::apply)),
    around("odd-field", fit::odd_field::apply),
    Rule {
        apply: Apply::Both(fit::unknown_field::around, fit::unknown_field::apply),
        ..fit("unknown-field", fit::unknown_field::apply)
    },
    on(About::Extras, fit("strange-calls", fit::strange_calls::apply)),
    again(fit("unknown-block", fit::unknown_block::apply)),
    again(on(About::Foreign, fit("only-last", fit::only_last::apply))),
    // Empty turns and blocks, also those that are empty now.
    again(on(About::ThinTurn, fit("aborted-turn", fit::aborted_turn::apply))),
    again(on(About::Blank, fit("empty-text", fit::empty_text::apply))),
    again(on(About::Blank, fit("empty-result", fit::empty_result::apply))),
    // Settings.
    around("odd-setting", fit::odd_setting::apply),
    around("thinking-mode", fit::thinking_mode::apply),
    around("unknown-effort", fit::unknown_effort::apply),
    around("fixed-setting", fit::fixed_setting::apply),
    around("tool-choice", fit::tool_choice::apply),
    around("forced-while-thinking", fit::forced_while_thinking::apply),
    fit("answer-format", fit::answer_format::apply),
    around("max-tokens", fit::max_tokens::apply),
    around("thinking-budget", fit::thinking_budget::apply),
    around("stop-sequences", fit::stop_sequences::apply),
    around("unknown-word", fit::unknown_word::apply),
    around("metadata-size", fit::metadata_size::apply),
    around("unknown-beta", fit::unknown_beta::apply),
    // Tools.
    around("tool-fields", fit::tool_fields::apply),
    fit("tool-name", fit::tool_name::apply),
    around("duplicate-tool", fit::duplicate_tool::apply),
    fit("tool-count", fit::tool_count::apply),
    on(About::Foreign, fit("tool-reference", fit::tool_reference::apply)),
    on(About::Foreign, fit("added-tools", fit::added_tools::apply)),
    fit("missing-tools", fit::missing_tools::apply),
    around("mixed-tools", fit::mixed_tools::apply),
    around("schema-root", fit::schema_root::apply),
    around("schema-reference", fit::schema_reference::apply),
    around("schema-keyword", fit::schema_keyword::apply),
    fit("property-name", fit::property_name::apply),
    around("answer-schema", fit::answer_schema::apply),
    around("strict-tool", fit::strict_tool::apply),
    around("input-examples", fit::input_examples::apply),
    around("tool-description", fit::tool_description::apply),
    around("deferred-tools", fit::deferred_tools::apply),
    // Reasoning and its seals.
    on(About::Reasoning, fit("refused-seal", fit::refused_seal::apply)),
    on(About::Reasoning, fit("foreign-seal", fit::foreign_seal::apply)),
    again(on(About::UnsealedThinking, fit("unsigned-thinking", fit::unsigned_thinking::apply))),
    again(on(About::OddThinking, fit("misplaced-thinking", fit::misplaced_thinking::apply))),
    fit("sealed-reasoning", fit::sealed_reasoning::apply),
    again(on(About::Thinking, fit("lone-reasoning", fit::lone_reasoning::apply))),
    again(fit("strange-reasoning", fit::strange_reasoning::apply)),
    fit("missing-reasoning", fit::missing_reasoning::apply),
    // Who speaks when.
    again(on(About::Blank, fit("blank-between-reasoning", fit::blank_between_reasoning::apply))),
    again(on(About::ThinTurn, fit("empty-turn", fit::empty_turn::apply))),
    again(fit("missing-content", fit::missing_content::apply)),
    again(fit("null-field", fit::null_field::apply)),
    fit("developer-role", fit::developer_role::apply),
    again(fit("missing-role", fit::missing_role::apply)),
    again(fit("system-placement", fit::system_placement::apply)),
    again(fit("empty-system", fit::empty_system::apply)),
    again(fit("missing-instructions", fit::missing_instructions::apply)),
    again(fit("no-messages", fit::no_messages::apply)),
    again(fit("string-input", fit::string_input::apply)),
    again(fit("alternation", fit::alternation::apply)),
    again(fit("words-after-call", fit::words_after_call::apply)),
    again(fit("words-with-calls", fit::words_with_calls::apply)),
    again(fit("user-after-results", fit::user_after_results::apply)),
    again(fit("user-first", fit::user_first::apply)),
    again(fit("ends-with-assistant", fit::ends_with_assistant::apply)),
    again(fit("trailing-whitespace", fit::trailing_whitespace::apply)),
    again(fit("opening-call", fit::opening_call::apply)),
    // Which calls must be sealed depends on where the current turn begins.
    again(fit("missing-signature", fit::missing_signature::apply)),
    // Media.
    on(About::Media, fit("media-type", fit::media_type::apply)),
    on(About::Media, fit("some-citations", fit::some_citations::apply)),
    on(About::Media, fit("unsupported-media", fit::unsupported_media::apply)),
    on(About::Media, fit("broken-media", fit::broken_media::apply)),
    on(About::Media, fit("large-media", fit::large_media::apply)),
    on(About::Media, fit("many-media", fit::many_media::apply)),
    on(About::RichResult, fit("failed-result-media", fit::failed_result_media::apply)),
    on(About::Foreign, fit("search-result", fit::search_result::apply)),
    on(About::Media, fit("document-name", fit::document_name::apply)),
    on(About::Media, fit("document-alone", fit::document_alone::apply)),
    // Ids and arguments.
    on(About::OddArguments, fit("bad-arguments", fit::bad_arguments::apply)),
    on(About::Extras, fit("repeated-field", fit::repeated_field::apply)),
    fit("result-name", fit::result_name::apply),
    fit("result-kind", fit::result_kind::apply),
    fit("call-id", fit::call_id::apply),
    fit("item-id", fit::item_id::apply),
    // Texts that the target does not take.
    again(fit("string-content", fit::string_content::apply)),
    // Settings that depend on how the conversation leaves, and on whether the model thinks in the end.
    fit("missing-thinking", fit::missing_thinking::apply),
    around("conflicting-field", fit::conflicting_field::apply),
    fit("pending-code", fit::pending_code::apply),
    around("sampling", fit::sampling::apply),
    // Cache marks.
    fit("cache-place", fit::cache_place::apply),
    on(About::Cache, fit("cache-limit", fit::cache_limit::apply)),
    on(About::Cache, fit("cache-lifetime", fit::cache_lifetime::apply)),
    // What depends on whether anything else was to be done.
    fit("json-word", fit::json_word::apply),
    // What is written.
    Rule {
        name: "refused-field",
        stage: Stage::Fit,
        about: None,
        again: false,
        apply: Apply::Written(fit::refused_field::apply),
    },
];

/// Runs every rule that works on the body before it is read; the body as it came if there is nothing
/// to do.
pub fn repair_body(mut body: Doc, ledger: &mut Ledger) -> Doc {
    for rule in ALL {
        // They stand before all others.
        let Apply::Body(apply) = rule.apply else { break };
        let Some((text, what)) = apply(&body) else { continue };
        // What a rule writes is JSON; if it were not, the body stays as it is.
        let Ok(mended) = Doc::parse(text.into(), Limits::default()) else { continue };
        ledger.change(rule.name, Place::BODY, what);
        body = mended;
    }
    body
}

/// Runs every rule on the conversation, and notes every change. What is recalled becomes a part of it.
/// Rules look at what was written where it stands in the body that was read.
pub fn repair(
    conversation: &mut Verbatim<Conversation>,
    body: &Doc,
    profile: &Profile,
    recalled: &Recalled,
    ledger: &mut Ledger,
) -> Repaired {
    let mut work = Work::new(conversation, body, profile, recalled, ledger);
    odd::forget(&mut work);
    let misheard = hearing::listen(&mut work);
    let mut around = Around::of(&mut work);
    for (at, rule) in ALL.iter().enumerate() {
        run(rule, &mut work, around.as_deref_mut().map(|around| (around, at)));
        // What fitted an older list is looked at again in the new one.
        if work.take_relisted() {
            let again = ALL[..=at].iter().filter(|rule| rule.stage == Stage::Fit);
            again.for_each(|rule| run(rule, &mut work, None));
        }
    }
    if let Some(around) = around {
        around.keep();
    }
    settle(&mut work);
    if misheard {
        work.begin("respelled-setting");
        hearing::settle(&mut work);
    }
    work.finish()
}

/// Lets the rules about the shape of the conversation look again for as long as turns change.
fn settle(work: &mut Work<'_>) {
    for _ in 0..ROUNDS {
        if !work.take_changed() {
            return;
        }
        ALL.iter().filter(|rule| rule.again).for_each(|rule| run(rule, work, None));
    }
}

/// Runs a rule, unless there is nothing for it to do. Its place goes with what is known around the turns.
fn run(rule: &Rule, work: &mut Work<'_>, around: Option<(&mut Around, usize)>) {
    if rule.about.is_some_and(|about| !work.holds(about)) {
        return;
    }
    work.begin(rule.name);
    match rule.apply {
        Apply::Conversation(apply) => apply(work),
        Apply::Around(apply) => around::look(work, apply, around),
        Apply::Both(beside, turns) => {
            around::look(work, beside, around);
            turns(work);
        }
        Apply::Body(_) | Apply::Written(_) => {}
    }
}

/// Runs every rule that works on the body as it is written, if there is anything to do for one.
pub fn repair_written(body: Spliced, profile: &Profile, ledger: &mut Ledger) -> Spliced {
    if profile.lessons.is_empty() {
        return body;
    }
    let body = body.joined();
    let Ok(mut doc) = Doc::from_bytes(body.clone(), Limits::default()) else {
        return body.into();
    };
    for rule in ALL {
        let Apply::Written(apply) = rule.apply else { continue };
        let Some((text, what)) = apply(&doc, profile) else { continue };
        let Ok(written) = Doc::parse(text.into(), Limits::default()) else { continue };
        ledger.loss(rule.name, Place::BODY, what);
        doc = written;
    }
    doc.text().as_bytes().clone().into()
}

const fn mend(name: &'static str, apply: fn(&mut Work<'_>)) -> Rule {
    Rule { name, stage: Stage::Mend, about: None, again: false, apply: Apply::Conversation(apply) }
}

const fn fit(name: &'static str, apply: fn(&mut Work<'_>)) -> Rule {
    Rule { name, stage: Stage::Fit, about: None, again: false, apply: Apply::Conversation(apply) }
}

/// A rule that looks at nothing but what stands around the turns.
const fn around(name: &'static str, apply: fn(&mut Work<'_>)) -> Rule {
    Rule { name, stage: Stage::Fit, about: None, again: false, apply: Apply::Around(apply) }
}

/// A rule that has something to do only where this is there.
const fn on(about: About, rule: Rule) -> Rule {
    Rule { about: Some(about), ..rule }
}

const fn again(rule: Rule) -> Rule {
    Rule { again: true, ..rule }
}

/// How often the shape of a conversation is looked at again at most.
const ROUNDS: usize = 3;
