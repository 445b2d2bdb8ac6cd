//! Rules that report the errors of the shape check.

use super::fields;
use super::shape::{
    BLOCK_BINDING_WITHOUT_BETA, CACHE_CONTROL_KEY, CACHE_CONTROL_VALUE, CACHED_THINKING,
    EXTRA_INPUT, FIELD_REQUIRED, RESULT_WITHOUT_ID, SCHEMA_MISSING, ShapeError, THINKING_DISPLAY,
    TOOL_INPUT, UNKNOWN_ROLE, UNKNOWN_TAG, UNKNOWN_TOOL_CHOICE, UNSIGNED_THINKING, WRONG_TYPE,
    shape_errors,
};
use crate::json::str_field;
use crate::{CheckContext, Evidence, Request, Rule};

/// All shape errors of a request.
struct ShapeErrors(Vec<ShapeError>);

/// Rejects the request for each shape error of this rule.
fn report_shape_errors(request: &Request<'_>, cx: &mut CheckContext, rule: &str) {
    let errors = cx.memoized(|| {
        let shape = if request.count_tokens { &fields::COUNT_TOKENS_BODY } else { &fields::BODY };
        ShapeErrors(shape_errors(request.body, shape, request.betas))
    });
    for error in errors.0.iter().filter(|error| error.rule == rule) {
        let message = match &*error.path {
            "" => error.message.clone(),
            path => format!("{path}: {}", error.message),
        };
        cx.reject(&error.path, message);
    }
}

/// The display `updates` requires a beta.
fn thinking_display(request: &Request<'_>, cx: &mut CheckContext) {
    report_shape_errors(request, cx, THINKING_DISPLAY);
    let has_beta = request.betas.iter().any(|beta| beta.starts_with("thinking-display-updates-"));
    let thinking = &request.body["thinking"];
    if !has_beta && str_field(thinking, "display") == "updates" {
        let path = format!("thinking.{}.display", str_field(thinking, "type"));
        let message = format!("{path}: Input should be 'summarized' or 'omitted'");
        cx.reject(path, message);
    }
}

pub(super) const RULES: [Rule; 15] = [
    Rule {
        name: FIELD_REQUIRED,
        status: 400,
        condition: "A required field is missing.",
        error_message: "{path}: Field required",
        evidence: Evidence::Quoted,
        source: "X2; the same form in a live probe (T14)",
        check: |request, cx| report_shape_errors(request, cx, FIELD_REQUIRED),
    },
    Rule {
        name: RESULT_WITHOUT_ID,
        status: 400,
        condition: "A tool result does not have the id of its call.",
        error_message: "messages.{n}.content.{m}.tool_result.tool_use_id: Field required\nmessages.{n}.content.{m}.tool_result.tool_use_id: Input should be a valid string",
        evidence: Evidence::Observed,
        source: "T14; live probe 58022668595",
        check: |request, cx| report_shape_errors(request, cx, RESULT_WITHOUT_ID),
    },
    Rule {
        name: TOOL_INPUT,
        status: 400,
        condition: "The input of a tool call is missing or not an object.",
        error_message: "messages.{n}.content.{m}.{type}.input: Input should be an object\nmessages.{n}.content.{m}.{type}.input: Field required",
        evidence: Evidence::Quoted,
        source: "T7; public code 56007838997, 54722126087, 57992822073",
        check: |request, cx| report_shape_errors(request, cx, TOOL_INPUT),
    },
    Rule {
        name: UNSIGNED_THINKING,
        status: 400,
        condition: "A thinking block has no signature or no text.",
        error_message: "messages.{n}.content.{m}.thinking.signature: Field required\nmessages.{n}.content.{m}.thinking.signature.str: Input should be a valid string\nmessages.{n}.content.{m}.thinking.thinking: Field required\nmessages.{n}.content.{m}.thinking.thinking: Input should be a valid string",
        evidence: Evidence::Observed,
        source: "K8; opencode#25005, public code 68286764443, 67610644268",
        check: |request, cx| report_shape_errors(request, cx, UNSIGNED_THINKING),
    },
    Rule {
        name: SCHEMA_MISSING,
        status: 400,
        condition: "A tool has no input schema.",
        error_message: "tools.{n}.custom.input_schema: Field required\ntools.{n}.custom.input_schema: Input should be an object",
        evidence: Evidence::Observed,
        source: "C7; live probe 58022668595",
        check: |request, cx| report_shape_errors(request, cx, SCHEMA_MISSING),
    },
    Rule {
        name: UNKNOWN_TOOL_CHOICE,
        status: 400,
        condition: "The type of the tool choice is unknown.",
        error_message: "tool_choice: Input tag '{type}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'\ntool_choice: Input should be an object\ntool_choice: Unable to extract tag using discriminator 'type'",
        evidence: Evidence::Observed,
        source: "C4; live probe 58022668595",
        check: |request, cx| report_shape_errors(request, cx, UNKNOWN_TOOL_CHOICE),
    },
    Rule {
        name: UNKNOWN_ROLE,
        status: 400,
        condition: "A message has a role that does not exist, such as tool or developer.",
        error_message: "messages.{n}.role: Input should be 'user', 'assistant' or 'system'",
        evidence: Evidence::Quoted,
        source: "S7; public code 67195888750, the list of roles is ours",
        check: |request, cx| report_shape_errors(request, cx, UNKNOWN_ROLE),
    },
    Rule {
        name: UNKNOWN_TAG,
        status: 400,
        condition: "A block, tool or source has an unknown type.",
        error_message: "{path}: Input tag '{type}' found using 'type' does not match any of the expected tags: {tags}\n{path}: Unable to extract tag using discriminator 'type'",
        evidence: Evidence::Observed,
        source: "X4; the form by a live probe (C4), the second message is ours",
        check: |request, cx| report_shape_errors(request, cx, UNKNOWN_TAG),
    },
    Rule {
        name: CACHE_CONTROL_VALUE,
        status: 400,
        condition: "A cache breakpoint has an unknown type or lifetime.",
        error_message: "{path}: Input should be '5m' or '1h'\n{path}: Input should be 'ephemeral'",
        evidence: Evidence::Quoted,
        source: "G6; public code 71593833620",
        check: |request, cx| report_shape_errors(request, cx, CACHE_CONTROL_VALUE),
    },
    Rule {
        name: THINKING_DISPLAY,
        status: 400,
        condition: "The thinking display is set where it is not supported, or to a value that requires a beta.",
        error_message: "thinking.{type}.display: Input should be 'summarized' or 'omitted'\nthinking.{type}.{key}: Extra inputs are not permitted",
        evidence: Evidence::Inferred,
        source: "K17; documentation of thinking",
        check: thinking_display,
    },
    Rule {
        name: WRONG_TYPE,
        status: 400,
        condition: "A field has a value of the wrong type.",
        error_message: "{path}: Input should be {type}\nInput should be an object",
        evidence: Evidence::Inferred,
        source: "the form of T7, C4 and K8",
        check: |request, cx| report_shape_errors(request, cx, WRONG_TYPE),
    },
    Rule {
        name: BLOCK_BINDING_WITHOUT_BETA,
        status: 400,
        condition: "The block binding of thinking is set without the required beta.",
        error_message: "thinking.{type}.block_binding: Extra inputs are not permitted",
        evidence: Evidence::Quoted,
        source: "K19; public code 69317735751",
        check: |request, cx| report_shape_errors(request, cx, BLOCK_BINDING_WITHOUT_BETA),
    },
    Rule {
        name: CACHED_THINKING,
        status: 400,
        condition: "A cache breakpoint is set on a thinking block.",
        error_message: "messages.{n}.content.{m}.{type}.cache_control: Extra inputs are not permitted",
        evidence: Evidence::Inferred,
        source: "G4; documentation of prompt caching",
        check: |request, cx| report_shape_errors(request, cx, CACHED_THINKING),
    },
    Rule {
        name: CACHE_CONTROL_KEY,
        status: 400,
        condition: "A cache breakpoint has an unknown key.",
        error_message: "{path}.cache_control.ephemeral.{key}: Extra inputs are not permitted",
        evidence: Evidence::Observed,
        source: "G3; copilot-api#145",
        check: |request, cx| report_shape_errors(request, cx, CACHE_CONTROL_KEY),
    },
    Rule {
        name: EXTRA_INPUT,
        status: 400,
        condition: "A key is unknown, or requires a beta that the request does not have.",
        error_message: "{path}: Extra inputs are not permitted",
        evidence: Evidence::Observed,
        source: "X1; claude-code#14135, #31033, #4378",
        check: |request, cx| report_shape_errors(request, cx, EXTRA_INPUT),
    },
];
