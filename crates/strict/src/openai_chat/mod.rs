//! What the openai-chat API refuses.

use serde_json::{Value, json};

use crate::{Judge, Violation};

pub static JUDGE: Judge =
    Judge { dialect: "openai-chat", flavors: &["openai"], rules: &[], envelope, not_json };

fn envelope(violation: &Violation, _flavor: &str) -> Value {
    json!({"error": {"message": violation.message}})
}

fn not_json(complaint: &str) -> Violation {
    Violation {
        rule: "not-json",
        status: 400,
        path: String::new(),
        message: complaint.to_owned(),
        param: None,
        code: None,
    }
}
