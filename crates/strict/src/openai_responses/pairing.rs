//! Calls and what they came to.

use std::collections::BTreeMap;

use super::view::{self, Item};
use crate::{Evidence, Findings, Request, Rule};

pub(super) const RULES: [Rule; 2] = [
    Rule {
        name: "output-without-call",
        status: 400,
        when: "An output has no call of its kind before it.",
        words: "No tool call found for {output} with call_id {call_id}.",
        evidence: Evidence::Seen,
        source: "codex2api#414; several public repositories",
        check: output_without_call,
    },
    Rule {
        name: "call-without-output",
        status: 400,
        when: "A call has no output of its kind before the model speaks again, or none at all.",
        words: "No tool output found for {call} {call_id}.",
        evidence: Evidence::Seen,
        source: "OmniRoute#8946; several public repositories",
        check: call_without_output,
    },
];

/// A kind of call, and what answers it.
struct Pair {
    call: &'static str,
    /// The second, if there is one, is what some clients of the inventor send.
    outputs: &'static [&'static str],
}

impl Pair {
    fn of_call(item: Item<'_>) -> Option<&'static Self> {
        let pair = PAIRS.iter().find(|pair| item.is(pair.call))?;
        // The server answers its own searches.
        let own = item.is("tool_search_call") && item.text("execution") != "client";
        (!own).then_some(pair)
    }

    fn is_output(item: Item<'_>) -> bool {
        PAIRS.iter().any(|pair| pair.outputs.contains(&item.kind()))
    }

    fn answers(&self, output: Item<'_>) -> bool {
        self.outputs.contains(&output.kind())
    }
}

/// What call and output have in common. The output of a local shell may name its call by `id`.
fn call_id(item: Item<'_>) -> &str {
    match item.text("call_id") {
        "" if item.is("local_shell_call_output") => item.text("id"),
        id => id,
    }
}

fn output_without_call(request: &Request<'_>, findings: &mut Findings) {
    if view::has_state(request.body) {
        return;
    }
    let mut calls: BTreeMap<&str, Vec<&Pair>> = BTreeMap::new();
    for item in view::input(request.body) {
        if item.is("item_reference") {
            // It may be the call.
            return;
        }
        if let Some(pair) = Pair::of_call(item) {
            calls.entry(call_id(item)).or_default().push(pair);
        }
        let id = call_id(item);
        // The server's own search is answered by what it says itself.
        let own = item.is("tool_search_output") && item.text("execution") != "client";
        if !Pair::is_output(item) || own || id.is_empty() {
            continue;
        }
        let found = calls.get(id).is_some_and(|calls| calls.iter().any(|pair| pair.answers(item)));
        if !found {
            let output = item.kind().replace('_', " ");
            let message = format!("No tool call found for {output} with call_id {id}.");
            findings.add_with(item.path(), message, Some("input"), None);
        }
    }
}

fn call_without_output(request: &Request<'_>, findings: &mut Findings) {
    let mut open: Vec<(Item<'_>, &Pair)> = Vec::new();
    // Whether someone else spoke since the model did.
    let mut others = false;
    let mut lost = Vec::new();
    for item in view::input(request.body) {
        if item.is_models() {
            if others {
                lost.append(&mut open);
            }
            others = false;
        } else {
            others = true;
        }
        if Pair::is_output(item) {
            open.retain(|(call, pair)| call_id(*call) != call_id(item) || !pair.answers(item));
        }
        open.extend(Pair::of_call(item).map(|pair| (item, pair)));
    }
    lost.append(&mut open);
    for (call, _) in lost {
        let (kind, id) = (call.kind().replace('_', " "), call_id(call));
        let message = format!("No tool output found for {kind} {id}.");
        findings.add_with(call.path(), message, Some("input"), None);
    }
}

const PAIRS: &[Pair] = &[
    Pair { call: "function_call", outputs: &["function_call_output"] },
    Pair { call: "custom_tool_call", outputs: &["custom_tool_call_output"] },
    Pair {
        call: "local_shell_call",
        outputs: &["local_shell_call_output", "function_call_output"],
    },
    Pair { call: "shell_call", outputs: &["shell_call_output"] },
    Pair { call: "apply_patch_call", outputs: &["apply_patch_call_output"] },
    Pair { call: "computer_call", outputs: &["computer_call_output"] },
    Pair { call: "tool_search_call", outputs: &["tool_search_output"] },
];
