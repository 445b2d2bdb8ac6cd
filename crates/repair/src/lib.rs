//! Named rules that turn any conversation into one its target accepts.
//!
//! A rule is one file: `mend/<rule>.rs` for what is wrong anywhere, `fit/<rule>.rs` for what one
//! target does not take. It looks first, and edits only where it must: what it leaves alone leaves as
//! the bytes it came in. Whatever it changes it notes, under its own name. What a target takes is data,
//! in [`Profile`]; no rule asks for a name.
//!
//! To add a rule: write the file, with `## Why` and `## Example` in its documentation, then its line
//! in [`ALL`], then its cases in `corpus/repair/<rule>/`.

pub mod docs;
pub mod fit;
mod marks;
pub mod mend;
mod odd;
pub mod pairing;
pub mod profile;
pub mod shape;
mod trail;
mod work;

use interlingua_model::{Conversation, Ledger, Verbatim};

pub use profile::Profile;
pub use trail::Trail;
pub use work::{Renamed, Work};

/// One named repair.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name of its file, with dashes.
    pub name: &'static str,
    pub stage: Stage,
    pub apply: fn(&mut Work<'_>),
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
}

/// Every rule, in the order they run.
pub static ALL: &[Rule] = &[
    // What could not be read as it stands.
    // Calls and their results.
    fit("old-call", fit::old_call::apply),
    mend("wrong-side", mend::wrong_side::apply),
    fit("split-calls", fit::split_calls::apply),
    mend("duplicate-call", mend::duplicate_call::apply),
    mend("unnamed-result", mend::unnamed_result::apply),
    mend("duplicate-result", mend::duplicate_result::apply),
    mend("orphan-result", mend::orphan_result::apply),
    mend("foreign-pair", mend::foreign_pair::apply),
    mend("scattered-result", mend::scattered_result::apply),
    mend("unanswered-call", mend::unanswered_call::apply),
    fit("pending-code", fit::pending_code::apply),
    fit("result-order", fit::result_order::apply),
    fit("empty-calls", fit::empty_calls::apply),
    fit("incomplete-call", fit::incomplete_call::apply),
    // Empty turns and blocks.
    // Fields and blocks that the target does not know.
    fit("unknown-field", fit::unknown_field::apply),
    fit("unknown-block", fit::unknown_block::apply),
    // Settings.
    // Tools.
    fit("missing-tools", fit::missing_tools::apply),
    // Reasoning and its seals.
    // Who speaks when.
    fit("opening-call", fit::opening_call::apply),
    // Media.
    // Ids and arguments.
    fit("bad-arguments", fit::bad_arguments::apply),
    fit("repeated-field", fit::repeated_field::apply),
    fit("result-name", fit::result_name::apply),
    fit("result-kind", fit::result_kind::apply),
    fit("call-id", fit::call_id::apply),
    fit("item-id", fit::item_id::apply),
    // Texts that the target does not take.
    // Cache marks.
    fit("cache-place", fit::cache_place::apply),
    fit("cache-limit", fit::cache_limit::apply),
    fit("cache-lifetime", fit::cache_lifetime::apply),
];

/// Runs every rule on the conversation, and notes every change.
pub fn repair(
    conversation: &mut Verbatim<Conversation>,
    profile: &Profile,
    ledger: &mut Ledger,
) -> Repaired {
    let mut work = Work::new(conversation, profile, ledger);
    odd::forget(&mut work);
    for rule in ALL {
        work.begin(rule.name);
        (rule.apply)(&mut work);
    }
    work.finish()
}

const fn mend(name: &'static str, apply: fn(&mut Work<'_>)) -> Rule {
    Rule { name, stage: Stage::Mend, apply }
}

const fn fit(name: &'static str, apply: fn(&mut Work<'_>)) -> Rule {
    Rule { name, stage: Stage::Fit, apply }
}
