//! The guard: findings, answers, mending, and bounded cost.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adversarial;
mod answers;
mod cache;
mod findings;
mod mending;
mod properties;
mod schemas;

use std::sync::Arc;

use interlingua_guard::{
    CallChecker, Finding, GuardAction, GuardMode, GuardModes, OfferedTools, SchemaCache, ToolInput,
    ValidationLimits,
};
use interlingua_model::{ToolArgs, ToolCall};
use interlingua_wire::{JsonString, RawJson};

/// A checker for tools with these schemas.
fn call_checker(mode: GuardMode, tools: &[(&str, &str)]) -> CallChecker {
    let tools = tools.iter().map(|(name, schema)| {
        (JsonString::new(name), ToolInput::Object(Some(RawJson::parse(*schema).unwrap())))
    });
    CallChecker {
        offered_tools: OfferedTools { tools: tools.collect(), allows_unlisted: false },
        modes: GuardModes { default: mode, per_tool: Vec::new() },
        limits: ValidationLimits::default(),
        schema_cache: Arc::new(SchemaCache::default()),
    }
}

/// A call as a stream delivers it: its arguments may be any text.
fn call(name: &str, arguments: &str) -> ToolCall {
    let args = ToolArgs::from_json_string(&JsonString::new(arguments));
    ToolCall { id: JsonString::new("call_1"), name: JsonString::new(name), args }
}

fn finding(checker: &CallChecker, name: &str, arguments: &str) -> Option<Finding> {
    checker.check_call(&call(name, arguments))
}

/// The name of the finding's kind, "" for none.
fn kind(checker: &CallChecker, name: &str, arguments: &str) -> &'static str {
    finding(checker, name, arguments).map_or("", |finding| finding.kind.name())
}

fn answer(checker: &CallChecker, name: &str, arguments: &str) -> String {
    let finding = finding(checker, name, arguments).unwrap();
    finding.answer_message().unwrap().to_owned()
}

/// The name and arguments of the mended call.
fn mended_call(checker: &CallChecker, name: &str, arguments: &str) -> Option<(String, String)> {
    match finding(checker, name, arguments)?.action {
        GuardAction::Mended(call) => Some((
            call.name.unescape().into_owned(),
            call.args.to_json_string().unescape().into_owned(),
        )),
        GuardAction::Observed | GuardAction::Answered(_) => None,
    }
}

const READ_FILE: &str = r#"{"type":"object","properties":{
    "target_file":{"type":"string"},"limit":{"type":"integer","minimum":1},
    "encoding":{"enum":["utf-8","latin-1"]},"ranges":{"type":"array","items":{"type":"integer"}}},
    "required":["target_file"],"additionalProperties":false}"#;
const NOW: &str = r#"{"type":"object","properties":{"zone":{"type":"string"}}}"#;
