//! Any texts as schema and arguments: checking them always has the same outcome, and mended calls
//! fit.

use std::sync::Arc;

use interlingua::{JsonString, RawJson};
use interlingua_guard::{
    AnswerRecord, CallChecker, FindingKind, GuardAction, GuardMode, GuardModes, OfferedTools,
    SchemaCache, ToolInput, ValidationLimits,
};
use interlingua_model::{ToolArgs, ToolCall};

/// The first byte selects the mode, the second the split between schema and arguments.
pub fn guard(data: &[u8]) {
    let [mode, split, text @ ..] = data else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let mode = [GuardMode::Observe, GuardMode::Answer, GuardMode::Mend][usize::from(*mode) % 3];
    let at = text.len() * usize::from(*split) / 255;
    // Without a valid split, the whole text is both schema and arguments.
    let (schema, arguments) = text.split_at_checked(at).unwrap_or((text, text));
    let schema = RawJson::parse(schema).or_else(|_| RawJson::parse(text)).ok();
    let call_checker = CallChecker {
        offered_tools: OfferedTools {
            tools: vec![(JsonString::new("tool"), ToolInput::Object(schema))],
            allows_unlisted: false,
        },
        modes: GuardModes { default: mode, per_tool: Vec::new() },
        limits: ValidationLimits::default(),
        schema_cache: Arc::new(SchemaCache::default()),
    };
    for name in ["tool", "Tool", "functions.tool", "other"] {
        let args = ToolArgs::from_json_string(&JsonString::new(arguments));
        let call = ToolCall { id: JsonString::new("call_1"), name: JsonString::new(name), args };
        let Some(finding) = call_checker.check_call(&call) else { continue };
        let second = call_checker.check_call(&call);
        assert!(second.is_some_and(|second| second.action == finding.action), "not deterministic");
        assert_eq!(
            AnswerRecord::from_finding(&finding).is_none(),
            finding.answer_message().is_none()
        );
        if let GuardAction::Mended(mended) = &finding.action {
            let remaining = call_checker.check_call(mended).map(|finding| finding.kind);
            let fits = matches!(remaining, None | Some(FindingKind::NotChecked(_)));
            assert!(fits, "{mended:?} does not fit: {remaining:?}");
        }
    }
}
