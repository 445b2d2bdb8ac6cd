//! What the openai-responses API refuses.

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
mod profile;
mod reasoning;
mod schema;
mod shape;
mod shape_rules;
mod tool_fields;
mod tools;
mod view;

use serde_json::{Value, json};

pub use mint::Mint;

use crate::rule::{count, joined};
use crate::{Judge, Rule, Violation};

/// The flavors: the inventor; its models in another cloud, whose encrypted contents are foreign to
/// it; the backend behind its subscription; relays that know the older items only; and a server that
/// turns all into Chat Completions.
pub static JUDGE: Judge = Judge {
    dialect: "openai-responses",
    flavors: &["openai", "azure", "codex", "relay", llama_cpp::FLAVOR],
    rules: RULES,
    applies,
    envelope,
    not_json,
};

fn applies(rule: &Rule, flavor: &str) -> bool {
    llama_cpp::has(rule) == (flavor == llama_cpp::FLAVOR)
}

fn envelope(violation: &Violation, flavor: &str) -> Value {
    if flavor == llama_cpp::FLAVOR {
        let Violation { message, status, .. } = violation;
        return json!({"error": {
            "code": status, "message": message, "type": "invalid_request_error",
        }});
    }
    // The backend behind the subscription has a front of its own, which says no more than why.
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
        message: NOT_JSON.to_owned(),
        param: None,
        code: None,
    }
}

/// In the order in which they are checked: the backend's front, the shape, texts with a form, the
/// limits of parameters and what the model takes, tools, contents, items that must be known, calls
/// and outputs, and reasoning.
const PARTS: &[&[Rule]] = &[
    &llama_cpp::RULES,
    &backends::CODEX_RULES,
    &shape_rules::RULES,
    &backends::RELAY_RULES,
    &ids::RULES,
    &tools::RULES,
    &schema::RULES,
    &params::RULES,
    &content::RULES,
    &reasoning::NOT_FOUND,
    &pairing::RULES,
    &reasoning::RULES,
];
static RULES: &[Rule] = &joined::<{ count(PARTS) }>(PARTS);

const NOT_JSON: &str = "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, please contact us through our help center at help.openai.com.)";
