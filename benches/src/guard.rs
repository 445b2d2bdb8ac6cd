//! The tools of the benchmarks, and a guard that checks calls of them.

use std::sync::Arc;

use interlingua::{JsonString, RawJson};
use interlingua_guard::{CallChecker, GuardModes, OfferedTools, ToolInput, ValidationLimits};

/// The tool names of an agent; the replies call `search`.
pub fn tools() -> impl Iterator<Item = String> {
    (0..30).map(|n| format!("tool_{n}")).chain(["search".to_owned()])
}

/// A call checker for these tools.
pub fn call_checker() -> CallChecker {
    let input = ToolInput::Object(RawJson::parse(TOOL_SCHEMA).ok());
    let tools = tools().map(|name| (JsonString::new(&name), input.clone())).collect();
    CallChecker {
        offered_tools: OfferedTools { tools, allows_unlisted: false },
        modes: GuardModes::default(),
        limits: ValidationLimits::default(),
        schema_cache: Arc::default(),
    }
}

/// The schema of every tool.
pub const TOOL_SCHEMA: &str = r#"{"type":"object","properties":{"query":{"type":"string","minLength":1},
    "paths":{"type":"array","items":{"type":"string"}},"limit":{"type":"integer","minimum":1}},
    "required":["query"],"additionalProperties":false}"#;
