//! Whether thinking is what the model said, where it said it.

use super::mint::{self, REDACTED, THINKING, Trail};
use super::profile::{Thinking, families, profile, thinking};
use super::view::{self, Block};
use crate::rule::string;
use crate::seal::{Bound, Broken, Key};
use crate::{Evidence, Findings, Request, Rule};

/// What is wrong with a block of thinking.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    /// The signature is not one, or not of this text or model.
    Invalid,
    /// The turn is still open, and is not as the model left it.
    Modified,
    /// Something before the block is not as it was.
    Moved,
}

/// Everything that is wrong, block by block.
struct Wrongs(Vec<Found>);

struct Found {
    wrong: Wrong,
    path: String,
    redacted: bool,
}

fn wrongs(request: &Request<'_>, key: &Key) -> Wrongs {
    let body = request.body;
    if !view::blocks(body).any(|block| block.is_thinking()) {
        return Wrongs(Vec::new());
    }
    let runs = view::runs(body);
    let open = view::open_loop(&runs).first().and_then(|run| run.blocks.first());
    let open = open.map_or(usize::MAX, |block| block.message);
    let thinks = view::blocks(body).any(|block| block.message >= open && block.is_thinking())
        && thinking(request) != Thinking::Off;
    let mut found = Vec::new();
    let mut trail = Trail::start(request);
    for (at, message) in view::messages(body).iter().enumerate() {
        trail.message(message);
        for block in view::blocks_of(message, at) {
            let wrong = if block.is_thinking() {
                verify(request, key, &trail, &block, at >= open)
            } else {
                let lost = block.is("tool_use") && trail.misses_thinking(key, block.text("id"));
                (lost && thinks && at >= open).then_some(Wrong::Modified)
            };
            let redacted = block.is(REDACTED);
            found.extend(wrong.map(|wrong| Found { wrong, path: block.path(), redacted }));
            trail.block(block.value);
        }
    }
    Wrongs(found)
}

fn verify(
    request: &Request<'_>,
    key: &Key,
    trail: &Trail,
    block: &Block<'_>,
    open: bool,
) -> Option<Wrong> {
    let digest = trail.digest();
    let kind = if block.is(REDACTED) { REDACTED } else { THINKING };
    let bound = trail.bound(kind, block.text("thinking"), digest.as_deref());
    let (faults, stranger) = faults(key, mint::seal_of(block.value), &bound);
    let has = |broken| faults.contains(&broken);
    let row = profile(request.model);
    if has(Broken::Foreign) || has(Broken::Provider) || stranger && !row.drops_strangers {
        return Some(Wrong::Invalid);
    }
    if has(Broken::Contents) {
        return Some(if open && !stranger { Wrong::Modified } else { Wrong::Invalid });
    }
    if stranger {
        // The model cannot read it and leaves it out.
        return None;
    }
    if open && has(Broken::Place) {
        return Some(Wrong::Modified);
    }
    let behaviour = request.body.pointer("/thinking/block_binding/prefix_mismatch_behavior");
    let dropped = behaviour.is_some_and(|behaviour| behaviour == "drop_block");
    ((has(Broken::Prefix) || has(Broken::Chain)) && !dropped).then_some(Wrong::Moved)
}

/// What is wrong with a seal, and whether another model made it.
fn faults(key: &Key, seal: &str, bound: &Bound<'_>) -> (Vec<Broken>, bool) {
    let mut faults = said(key, seal, bound);
    let stranger = faults.contains(&Broken::Model);
    if stranger {
        let made_by = |model| said(key, seal, &Bound { model, ..bound.clone() });
        let known = families().map(made_by).find(|faults| !faults.contains(&Broken::Model));
        faults = known.unwrap_or(faults);
    }
    (faults, stranger)
}

/// What is wrong with a seal. Text in place of what was omitted is nobody's concern.
fn said(key: &Key, seal: &str, bound: &Bound<'_>) -> Vec<Broken> {
    let faults = key.faults(seal, bound);
    if faults.contains(&Broken::Contents) && !bound.contents.is_empty() {
        let omitted = key.faults(seal, &Bound { contents: "", ..bound.clone() });
        if !omitted.contains(&Broken::Contents) {
            return omitted;
        }
    }
    faults
}

fn report(
    request: &Request<'_>,
    findings: &mut Findings,
    wanted: impl Fn(&Found) -> bool,
    said: impl Fn(&Found) -> String,
) {
    let Some(key) = request.key else { return };
    let wrongs = findings.shared(|| wrongs(request, key));
    for found in wrongs.0.iter().filter(|found| wanted(found)) {
        findings.add(&found.path, format!("{}: {}", found.path, said(found)));
    }
}

fn part(redacted: bool) -> &'static str {
    if redacted { "`data` in `redacted_thinking` block" } else { "`signature` in `thinking` block" }
}

fn modified(request: &Request<'_>, findings: &mut Findings) {
    let is_modified = |found: &Found| found.wrong == Wrong::Modified;
    report(request, findings, is_modified, |_| MODIFIED.to_owned());
}

fn moved(request: &Request<'_>, findings: &mut Findings) {
    let asked = request.betas.iter().any(|beta| beta.starts_with("thinking-binding-controls-"));
    let beta = if asked { "" } else { BETA };
    let is_moved = |found: &Found| found.wrong == Wrong::Moved;
    report(request, findings, is_moved, |found| {
        format!("Invalid {}. {MOVED}{beta}", part(found.redacted))
    });
}

/// Without a key, an empty signature or no data is all that can be told.
fn invalid(request: &Request<'_>, findings: &mut Findings, kind: &str) {
    if request.key.is_some() {
        let redacted = kind == REDACTED;
        let is_invalid =
            |found: &Found| found.wrong == Wrong::Invalid && found.redacted == redacted;
        return report(request, findings, is_invalid, |_| format!("Invalid {}", part(redacted)));
    }
    for block in view::blocks(request.body).filter(|block| block.is(kind)) {
        let silent = kind == THINKING && string(block.value, "thinking").is_empty();
        if mint::seal_of(block.value).is_empty() && !silent {
            let path = block.path();
            let words = format!("{path}: Invalid {}", part(kind == REDACTED));
            findings.add(path, words);
        }
    }
}

const MODIFIED: &str = "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.";
const MOVED: &str = "The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".";
const BETA: &str = " That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.";

pub(super) const RULES: [Rule; 4] = [
    Rule {
        name: "invalid-signature",
        status: 400,
        when: "A signature is not the model's, or not of this text.",
        words: "messages.{n}.content.{m}: Invalid `signature` in `thinking` block",
        evidence: Evidence::Seen,
        source: "K2; claude-code#10627, claude-code-hub#518, langchain#33391",
        check: |request, findings| invalid(request, findings, THINKING),
    },
    Rule {
        name: "invalid-redacted",
        status: 400,
        when: "The data of redacted thinking is not the model's.",
        words: "messages.{n}.content.{m}: Invalid `data` in `redacted_thinking` block",
        evidence: Evidence::Quoted,
        source: "K9; public code 70082394857",
        check: |request, findings| invalid(request, findings, REDACTED),
    },
    Rule {
        name: "modified-thinking",
        status: 400,
        when: "Thinking in the open tool loop is not as the model left it: changed, moved or lost.",
        words: "messages.{n}.content.{m}: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
        evidence: Evidence::Documented,
        source: "K1; documentation of errors",
        check: modified,
    },
    Rule {
        name: "changed-prefix",
        status: 400,
        when: "Something before the thinking is not as it was when it was thought (switch prefix_binding).",
        words: "messages.{n}.content.{m}: Invalid {what} block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".\nmessages.{n}.content.{m}: Invalid {what} block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\". That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.",
        evidence: Evidence::Documented,
        source: "K3; documentation of preserved thinking, 58099146194",
        check: moved,
    },
];
