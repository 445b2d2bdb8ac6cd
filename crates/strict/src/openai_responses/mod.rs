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

use crate::rule::{concat_rules, rule_count};
use crate::{Judge, Rule, Violation};

/// Flavors: `OpenAI`; Azure, where `OpenAI`'s encrypted content is invalid and vice versa; the Codex
/// subscription backend; relays that only support the older items; and llama.cpp, which converts
/// requests to Chat Completions.
pub static JUDGE: Judge = Judge {
    dialect: "openai-responses",
    flavors: &["openai", "azure", "codex", "relay", llama_cpp::FLAVOR],
    rules: RULES,
    applies,
    envelope,
    not_json,
};

fn applies(rule: &Rule, flavor: &str) -> bool {
    llama_cpp::has_rule(rule) == (flavor == llama_cpp::FLAVOR)
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

/// In the order in which they are checked: the Codex backend, the shape, formats of ids, limits of
/// parameters, tools, contents, stored items, calls and outputs, and
/// reasoning.
const RULE_GROUPS: &[&[Rule]] = &[
    &llama_cpp::RULES,
    &backends::CODEX_RULES,
    &shape_rules::RULES,
    &backends::RELAY_RULES,
    &ids::RULES,
    &tools::RULES,
    &schema::RULES,
    &params::RULES,
    &content::RULES,
    &reasoning::NOT_FOUND_RULES,
    &pairing::RULES,
    &reasoning::RULES,
];
static RULES: &[Rule] = &concat_rules::<{ rule_count(RULE_GROUPS) }>(RULE_GROUPS);

const NOT_JSON_ERROR: &str = "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)";
