//! The rules of the Responses API.

mod backends;
mod content;
mod fields;
mod ids;
mod item_fields;
mod item_kinds;
mod items;
mod llama_cpp;
mod mint;
mod pairing;
mod params;
mod parts;
mod profile;
mod reasoning;
mod schema;
mod shape;
mod shape_rules;
mod tool_fields;
mod tools;
mod view;

use serde_json::{Value, json};

pub use mint::Minter;

use std::sync::LazyLock;

use crate::form::ObjectFields;
use crate::rule::{NamedCheck, checks};
use crate::{Judge, Request, Rule, Violation};

/// Flavors: `OpenAI`; Azure, where `OpenAI`'s encrypted content is invalid and vice versa; the Codex
/// subscription backend; relays that only support the older items; and llama.cpp, which converts
/// requests to Chat Completions.
pub static JUDGE: Judge = Judge {
    dialect: "openai-responses",
    flavors: &["openai", "azure", "codex", "relay", llama_cpp::FLAVOR],
    rules: LazyLock::new(|| {
        Rule::parse_all(include_str!("../../rules/openai-responses.toml"), CHECKS, |_| Vec::new())
    }),
    checks: CHECKS,
    applies,
    envelope,
    object_fields,
    not_json,
};

fn applies(rule: &Rule, request: &Request<'_>) -> bool {
    match request.flavor {
        llama_cpp::FLAVOR => llama_cpp::has_rule(rule),
        flavor => {
            let is_of = |name: &str| flavor == name || !rule.name.starts_with(name);
            !llama_cpp::has_rule(rule) && is_of("codex") && is_of("relay")
        }
    }
}

fn envelope(violation: &Violation, flavor: &str) -> Value {
    if flavor == llama_cpp::FLAVOR {
        let Violation { message, status, .. } = violation;
        return json!({"error": {
            "code": status, "message": message, "type": "invalid_request_error",
        }});
    }
    // The Codex backend's own errors have this form.
    if violation.rule.starts_with("codex-") {
        return json!({"detail": violation.message});
    }
    json!({"error": {
        "message": violation.message,
        "type": "invalid_request_error",
        "param": violation.param,
        "code": violation.code,
    }})
}

fn object_fields() -> ObjectFields {
    let mut out = ObjectFields::new();
    shape::collect_fields(fields::PARAMETERS, "", &mut out);
    let items =
        item_kinds::ITEM_FIELDS.iter().filter_map(|(kind, fields)| Some((*kind, (*fields)?)));
    for (kind, fields) in items {
        shape::collect_fields(fields, &format!(".input[]({kind})"), &mut out);
    }
    for (kind, fields) in tool_fields::TOOL_FIELDS {
        shape::collect_fields(fields, &format!(".tools[]({kind})"), &mut out);
    }
    out
}

fn not_json(_complaint: &str) -> Violation {
    Violation {
        rule: "not-json",
        status: 400,
        path: String::new(),
        message: NOT_JSON_ERROR.to_owned(),
        param: None,
        code: None,
    }
}

/// The checks by module; `rules/openai-responses.toml` has their rules in the order in which they are checked.
static CHECKS: &[NamedCheck] = checks! {
    backends: codex_store codex_stream codex_parameter codex_instructions codex_input codex_system
        relay_item;
    content: image_url image_data compaction_trigger_last;
    ids: id_prefix string_empty string_too_long name_pattern item_duplicate;
    llama_cpp: llama_cpp_input llama_cpp_state llama_cpp_item llama_cpp_part llama_cpp_output
        llama_cpp_reasoning llama_cpp_tools;
    pairing: output_without_call call_without_output;
    params: number_range metadata_size exclusive_state previous_response context_length
        effort_unsupported reasoning_unsupported verbosity_unsupported sampling_unsupported
        logprobs_unsupported encrypted_unsupported json_word;
    reasoning: item_not_stored item_not_found reasoning_without_follower
        follower_without_reasoning encrypted_content;
    schema: schema_root schema_invalid schema_array_items schema_strict;
    shape_rules: model_required moved_parameter unknown_parameter missing_parameter null_content
        invalid_type part_type invalid_value unknown_field input_required;
    tools: tool_count tool_duplicate tool_choice_without_tools tool_choice_unknown;
};

const NOT_JSON_ERROR: &str = "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)";
