//! The rules of the Anthropic Messages API.
//!
//! | Modules | What they check |
//! |---|---|
//! | `shape`, `shape_rules`, `fields`, `blocks` | shapes of bodies, and their tables |
//! | `content_encoding`, `headers`, `params`, `effort`, `tool_choice`, `limits` | headers, settings |
//! | `tools`, `tool_changes`, `schema` | tool definitions |
//! | `roles`, `content`, `documents`, `media`, `cache` | messages and their blocks |
//! | `pairing`, `server_tools` | tool calls and results |
//! | `threads`, [`compaction`] | stored conversations, compaction summaries |
//! | `thinking`, `signatures` | thinking blocks and their verification |
//!
//! [`mint`] creates valid signatures, [`profile`] holds the settings and features of each model
//! generation, and `deepseek` has the rules of `DeepSeek`'s server of the same API.

mod blocks;
mod cache;
pub mod compaction;
mod content;
mod content_encoding;
mod deepseek;
mod documents;
mod effort;
mod fields;
mod headers;
pub mod limits;
mod media;
pub mod mint;
mod pairing;
mod params;
pub mod profile;
mod roles;
mod schema;
mod server_tools;
mod shape;
mod shape_rules;
mod signatures;
mod thinking;
mod threads;
mod tool_changes;
mod tool_choice;
mod tools;
mod view;

use serde_json::{Value, json};

pub use threads::fingerprint as thread_fingerprint;

use std::sync::LazyLock;

use crate::form::ObjectFields;
use crate::rule::{NamedCheck, checks};
use crate::{Judge, Request, Rule, Violation};

pub static JUDGE: Judge = Judge {
    dialect: "anthropic",
    flavors: &["anthropic", deepseek::FLAVOR],
    rules: LazyLock::new(|| {
        Rule::parse_all(include_str!("../../rules/anthropic.toml"), CHECKS, |_| Vec::new())
    }),
    checks: CHECKS,
    applies,
    envelope,
    object_fields,
    not_json,
};

fn applies(rule: &Rule, request: &Request<'_>) -> bool {
    if request.flavor == deepseek::FLAVOR {
        deepseek::has_rule(rule)
    } else {
        !rule.name.starts_with("deepseek-")
    }
}

fn envelope(violation: &Violation, flavor: &str) -> Value {
    if flavor == deepseek::FLAVOR {
        let kind = "invalid_request_error";
        return json!({"error": {
            "message": violation.message, "type": kind, "param": null, "code": kind,
        }});
    }
    let kind = match violation.status {
        401 => "authentication_error",
        402 => "billing_error",
        403 => "permission_error",
        404 => "not_found_error",
        409 => "conflict_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        504 => "timeout_error",
        500..=599 => "api_error",
        _ => "invalid_request_error",
    };
    let mut error = json!({"type": kind, "message": violation.message});
    if let Some(code) = &violation.code {
        error["details"] = json!({"error_code": code});
    }
    json!({"type": "error", "error": error})
}

fn object_fields() -> ObjectFields {
    let mut out = ObjectFields::new();
    fields::BODY.collect_fields("", &mut out);
    out
}

fn not_json(complaint: &str) -> Violation {
    Violation {
        rule: "not-json",
        status: 400,
        path: String::new(),
        message: format!(
            "The request body is not valid JSON: {}",
            headers::json_error_message(complaint)
        ),
        param: None,
        code: None,
    }
}

/// The checks by module; `rules/anthropic.toml` has their rules in the order in which they are checked.
static CHECKS: &[NamedCheck] = checks! {
    cache: too_many_cache_markers cache_order automatic_cache;
    compaction: compaction_and_editing nothing_to_compact compaction_of_open_turn
        compaction_of_many_tools empty_compaction ambiguous_compaction misplaced_compaction
        compaction_signature modified_compaction compaction_tool_changes;
    content: cached_empty_text empty_system_text empty_message empty_text empty_result_text
        blank_text trailing_whitespace final_thinking;
    content_encoding: large_decoded_body unsupported_charset unsupported_encoding broken_encoding;
    deepseek: deepseek_model deepseek_forced_choice deepseek_thinking deepseek_thinking_text
        deepseek_call_id;
    documents: document_from_assistant citations_from_user some_citations citations_and_format;
    effort: small_budget large_budget manual_thinking adaptive_thinking disabled_thinking
        thinking_between_tools no_thinking_between_tools effort_without_thinking no_effort
        unknown_effort;
    headers: unknown_version unknown_beta unknown_model;
    limits: request_too_large too_many_messages max_tokens_above_cap prompt_too_long
        input_and_output_too_long;
    media: image_too_large media_mismatch undecodable_image unreachable_media image_dimensions
        too_many_images too_many_pages;
    pairing: call_id call_name calls_without_tools duplicate_call_id two_results unanswered_call
        unexpected_result failed_result_media mixed_search_result;
    params: mail_address small_task_budget too_many_fallbacks removed_sampling out_of_range
        deprecated_sampling sampling_while_thinking temperature_and_top_p blank_stop_sequence
        container_without_tool prewarm_conflict;
    roles: no_messages system_role system_first system_after_assistant system_before_user
        assistant_first roles_alternate prefill prefill_while_thinking result_from_assistant
        call_from_user thinking_from_user block_from_other_side;
    schema: schema_root_type schema_root_choice schema_invalid property_name strict_open_object
        strict_pattern strict_too_complex circular_schema;
    server_tools: server_call_id answered_server_call unexpected_server_result
        unresolved_server_call unsealed_search pending_code toolset_name;
    shape_rules: thinking_display shape_fault;
    signatures: invalid_signature invalid_redacted modified_thinking changed_prefix;
    thinking: empty_thinking thinking_first thinking_while_off thinking_expected;
    threads: thread_unsupported thread_not_found thread_continued thread_in_flight
        thread_fingerprint;
    tool_changes: unknown_tool_change tool_name_conflict too_many_available_tools;
    tool_choice: forced_while_thinking forced_choice choice_without_tools;
    tools: mcp_server_reference fine_grained_toolset tool_name typed_tool_name duplicate_tool_name
        all_tools_deferred cached_deferred_tool input_example unknown_tool_reference;
};
