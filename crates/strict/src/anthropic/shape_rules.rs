//! What a shape that is not as it should be is answered with.

use super::shape::{
    BINDING, CACHE_KEY, CACHE_VALUE, CACHED_THINKING, CHOICE, DISPLAY, EXTRA, INPUT, MISSING,
    RESULT_ID, ROLE, SCHEMA, TAG, TYPE, UNSIGNED, report,
};
use crate::rule::string;
use crate::{Evidence, Findings, Request, Rule};

/// `updates` is a display only for those who ask for the beta.
fn display(request: &Request<'_>, findings: &mut Findings) {
    report(request, findings, DISPLAY);
    let asked = request.betas.iter().any(|beta| beta.starts_with("thinking-display-updates-"));
    let thinking = &request.body["thinking"];
    if !asked && string(thinking, "display") == "updates" {
        let path = format!("thinking.{}.display", string(thinking, "type"));
        let words = format!("{path}: Input should be 'summarized' or 'omitted'");
        findings.add(path, words);
    }
}

pub(super) const RULES: [Rule; 15] = [
    Rule {
        name: MISSING,
        status: 400,
        when: "A required field is missing.",
        words: "{path}: Field required",
        evidence: Evidence::Quoted,
        source: "X2; the same form seen by a live probe (T14)",
        check: |request, findings| report(request, findings, MISSING),
    },
    Rule {
        name: RESULT_ID,
        status: 400,
        when: "A tool result does not say which call it answers.",
        words: "messages.{n}.content.{m}.tool_result.tool_use_id: Field required\nmessages.{n}.content.{m}.tool_result.tool_use_id: Input should be a valid string",
        evidence: Evidence::Seen,
        source: "T14; live probe 58022668595",
        check: |request, findings| report(request, findings, RESULT_ID),
    },
    Rule {
        name: INPUT,
        status: 400,
        when: "The input of a tool call is missing or not an object.",
        words: "messages.{n}.content.{m}.{type}.input: Input should be an object\nmessages.{n}.content.{m}.{type}.input: Field required",
        evidence: Evidence::Quoted,
        source: "T7; public code 56007838997, 54722126087, 57992822073",
        check: |request, findings| report(request, findings, INPUT),
    },
    Rule {
        name: UNSIGNED,
        status: 400,
        when: "A thinking block lacks its signature or its text.",
        words: "messages.{n}.content.{m}.thinking.signature: Field required\nmessages.{n}.content.{m}.thinking.signature.str: Input should be a valid string\nmessages.{n}.content.{m}.thinking.thinking: Field required\nmessages.{n}.content.{m}.thinking.thinking: Input should be a valid string",
        evidence: Evidence::Seen,
        source: "K8; opencode#25005, public code 68286764443, 67610644268",
        check: |request, findings| report(request, findings, UNSIGNED),
    },
    Rule {
        name: SCHEMA,
        status: 400,
        when: "A tool has no schema of its input.",
        words: "tools.{n}.custom.input_schema: Field required\ntools.{n}.custom.input_schema: Input should be an object",
        evidence: Evidence::Seen,
        source: "C7; live probe 58022668595",
        check: |request, findings| report(request, findings, SCHEMA),
    },
    Rule {
        name: CHOICE,
        status: 400,
        when: "The tool choice is none that is known.",
        words: "tool_choice: Input tag '{type}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'\ntool_choice: Input should be an object\ntool_choice: Unable to extract tag using discriminator 'type'",
        evidence: Evidence::Seen,
        source: "C4; live probe 58022668595",
        check: |request, findings| report(request, findings, CHOICE),
    },
    Rule {
        name: ROLE,
        status: 400,
        when: "A message has a role that does not exist, such as tool or developer.",
        words: "messages.{n}.role: Input should be 'user', 'assistant' or 'system'",
        evidence: Evidence::Quoted,
        source: "S7; public code 67195888750, the list of roles is ours",
        check: |request, findings| report(request, findings, ROLE),
    },
    Rule {
        name: TAG,
        status: 400,
        when: "A block, tool or source is of no known type.",
        words: "{path}: Input tag '{type}' found using 'type' does not match any of the expected tags: {tags}\n{path}: Unable to extract tag using discriminator 'type'",
        evidence: Evidence::Seen,
        source: "X4; the form by a live probe (C4), the second wording is ours",
        check: |request, findings| report(request, findings, TAG),
    },
    Rule {
        name: CACHE_VALUE,
        status: 400,
        when: "A cache marker has an unknown type or lifetime.",
        words: "{path}: Input should be '5m' or '1h'\n{path}: Input should be 'ephemeral'",
        evidence: Evidence::Quoted,
        source: "G6; public code 71593833620",
        check: |request, findings| report(request, findings, CACHE_VALUE),
    },
    Rule {
        name: DISPLAY,
        status: 400,
        when: "The display of thinking is asked for where it cannot be, or in a way that needs a beta.",
        words: "thinking.{type}.display: Input should be 'summarized' or 'omitted'\nthinking.{type}.{key}: Extra inputs are not permitted",
        evidence: Evidence::Inferred,
        source: "K17; documentation of thinking",
        check: display,
    },
    Rule {
        name: TYPE,
        status: 400,
        when: "A field has a value of another type.",
        words: "{path}: Input should be {type}\nInput should be an object",
        evidence: Evidence::Inferred,
        source: "the form of T7, C4 and K8",
        check: |request, findings| report(request, findings, TYPE),
    },
    Rule {
        name: BINDING,
        status: 400,
        when: "The binding of thinking is set without the beta that allows it.",
        words: "thinking.{type}.block_binding: Extra inputs are not permitted",
        evidence: Evidence::Quoted,
        source: "K19; public code 69317735751",
        check: |request, findings| report(request, findings, BINDING),
    },
    Rule {
        name: CACHED_THINKING,
        status: 400,
        when: "A cache marker stands on a thinking block.",
        words: "messages.{n}.content.{m}.{type}.cache_control: Extra inputs are not permitted",
        evidence: Evidence::Inferred,
        source: "G4; documentation of prompt caching",
        check: |request, findings| report(request, findings, CACHED_THINKING),
    },
    Rule {
        name: CACHE_KEY,
        status: 400,
        when: "A cache marker has a key that is not known.",
        words: "{path}.cache_control.ephemeral.{key}: Extra inputs are not permitted",
        evidence: Evidence::Seen,
        source: "G3; copilot-api#145",
        check: |request, findings| report(request, findings, CACHE_KEY),
    },
    Rule {
        name: EXTRA,
        status: 400,
        when: "A key is not known, or needs a beta that was not asked for.",
        words: "{path}: Extra inputs are not permitted",
        evidence: Evidence::Seen,
        source: "X1; claude-code#14135, #31033, #4378",
        check: |request, findings| report(request, findings, EXTRA),
    },
];
