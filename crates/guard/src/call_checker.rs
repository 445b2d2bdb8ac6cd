//! Checks each finished tool call of a reply.

use std::sync::Arc;

use interlingua_model::{Block, BlockContent, ToolArgs, ToolCall};
use interlingua_wire::{JsonString, RawJson};

use crate::args::{self, ParsedArgs};
use crate::finding::{Finding, FindingKind, GuardAction};
use crate::mode::{GuardMode, GuardModes};
use crate::offered_tools::{OfferedTools, ToolInput};
use crate::schema::{Schema, SchemaCache, ValidationLimits, Violation};
use crate::tool_names::{self, NameMismatch};
use crate::{error_text, mend};

/// Checks the tool calls of one reply. It costs nothing until a call is finished; a tool's schema
/// is compiled when the tool is first called.
#[derive(Clone, Debug)]
pub struct CallChecker {
    /// The tools that the request offered.
    pub offered_tools: OfferedTools,
    /// What happens to invalid calls.
    pub modes: GuardModes,
    /// Bounds on the cost of one check.
    pub limits: ValidationLimits,
    /// Compiled schemas, shared by all requests.
    pub schema_cache: Arc<SchemaCache>,
}

/// An error in a call's arguments, and the corrected arguments if there are any.
struct ArgsProblem {
    kind: FindingKind,
    detail: String,
    violations: Vec<Violation>,
    mended_args: Option<RawJson>,
    schema: Option<Arc<Schema>>,
}

impl CallChecker {
    /// Whether a call of this tool may be changed, so that it must be buffered until it is
    /// finished.
    pub fn may_mend(&self, tool: &JsonString) -> bool {
        self.modes.has_mend() && {
            let is_known = self.offered_tools.tools.iter().any(|(name, _)| name == tool);
            // An unknown name may mean any tool, so any tool's mode may apply.
            !is_known || self.modes.for_tool(&tool.unescape()) == GuardMode::Mend
        }
    }

    /// Whether calls of any offered tool are mended.
    pub fn can_mend(&self) -> bool {
        self.modes.has_mend() && !self.offered_tools.tools.is_empty()
    }

    /// Checks a block of a reply, if it is a tool call.
    pub fn check_block(&self, block: &Block) -> Option<Finding> {
        let BlockContent::ToolCall(call) = &block.content else { return None };
        if block.seal.is_none() || !self.modes.has_mend() {
            return self.check_call(call);
        }
        // A sealed call must not be changed: it gets a guard answer instead.
        let lower = |mode| if mode == GuardMode::Mend { GuardMode::Answer } else { mode };
        let tools = self.modes.per_tool.iter().map(|(name, mode)| (name.clone(), lower(*mode)));
        let modes = GuardModes { default: lower(self.modes.default), per_tool: tools.collect() };
        Self { modes, ..self.clone() }.check_call(call)
    }

    /// Checks one finished call; `None` if it is valid, or its mode is off.
    pub fn check_call(&self, call: &ToolCall) -> Option<Finding> {
        if self.offered_tools.tools.is_empty() || !self.modes.is_enabled() {
            return None;
        }
        let offered = self.offered_tools.tools.iter().find(|(name, _)| *name == call.name);
        if let Some((name, input)) = offered {
            let mode = self.modes.for_tool(&name.unescape());
            return self.check_args(call, input, mode);
        }
        self.check_unknown_tool(call)
    }

    fn check_unknown_tool(&self, call: &ToolCall) -> Option<Finding> {
        let called_name = call.name.unescape();
        let closest = tool_names::closest_tool(&called_name, &self.offered_tools.tools);
        if closest.is_none() && self.offered_tools.allows_unlisted {
            return None;
        }
        let mode = closest.map_or_else(
            || self.modes.for_tool(&called_name),
            |(name, ..)| self.modes.for_tool(&name.unescape()),
        );
        if mode == GuardMode::Off {
            return None;
        }
        let kind =
            if closest.is_some() { FindingKind::MisspelledTool } else { FindingKind::UnknownTool };
        if let (GuardMode::Mend, Some((name, input, NameMismatch::Case))) = (mode, closest) {
            let renamed = ToolCall { name: name.clone(), ..call.clone() };
            // The arguments may be wrong, too.
            return Some(match self.check_args(&renamed, input, mode) {
                None | Some(Finding { kind: FindingKind::NotChecked(_), .. }) => {
                    new_finding(call, kind, mode, GuardAction::Mended(Box::new(renamed)))
                }
                Some(Finding { action: GuardAction::Mended(mended), kind, .. }) => {
                    new_finding(call, kind, mode, GuardAction::Mended(mended))
                }
                Some(_) => self.unknown_tool_finding(call, kind, mode, Some(name)),
            });
        }
        Some(self.unknown_tool_finding(call, kind, mode, closest.map(|(name, ..)| name)))
    }

    fn unknown_tool_finding(
        &self,
        call: &ToolCall,
        kind: FindingKind,
        mode: GuardMode,
        closest: Option<&JsonString>,
    ) -> Finding {
        let action = match mode {
            GuardMode::Off | GuardMode::Observe => GuardAction::Observed,
            GuardMode::Answer | GuardMode::Mend => GuardAction::Answered(
                error_text::unknown_tool_error(call, closest, &self.offered_tools.tools),
            ),
        };
        new_finding(call, kind, mode, action)
    }

    fn check_args(&self, call: &ToolCall, input: &ToolInput, mode: GuardMode) -> Option<Finding> {
        let ToolInput::Object(schema) = input else { return None };
        if mode == GuardMode::Off {
            return None;
        }
        let problem = self.find_problem(&call.args, schema.as_ref())?;
        if problem.kind == FindingKind::AbsentArguments && mode != GuardMode::Mend {
            return None;
        }
        let is_unchecked = matches!(problem.kind, FindingKind::NotChecked(_));
        let action = match (mode, problem.mended_args) {
            (GuardMode::Off | GuardMode::Observe, _) => GuardAction::Observed,
            _ if is_unchecked => GuardAction::Observed,
            (GuardMode::Mend, Some(args)) => GuardAction::Mended(Box::new(ToolCall {
                args: ToolArgs::Json(args),
                ..call.clone()
            })),
            (GuardMode::Answer | GuardMode::Mend, _) => {
                let schema = problem.schema.as_deref();
                let (detail, violations) = (&problem.detail, &problem.violations);
                GuardAction::Answered(error_text::arguments_error(
                    call,
                    problem.kind,
                    detail,
                    violations,
                    schema,
                ))
            }
        };
        Some(Finding {
            violations: problem.violations,
            ..new_finding(call, problem.kind, mode, action)
        })
    }

    fn find_problem(&self, args: &ToolArgs, schema: Option<&RawJson>) -> Option<ArgsProblem> {
        if args.len() > self.limits.max_argument_bytes {
            return Some(ArgsProblem::new(FindingKind::NotChecked(
                crate::SkipReason::ArgumentsTooLarge,
            )));
        }
        let parsed = args::parse(args);
        if matches!(parsed, ParsedArgs::Freeform) {
            return None;
        }
        let schema =
            match schema.map(|schema| self.schema_cache.get_or_compile(schema, &self.limits)) {
                None => None,
                Some(Ok(schema)) => Some(schema),
                // Arguments that are no object are wrong whatever the schema.
                Some(Err(skip_reason)) => match parsed {
                    ParsedArgs::Object(_) | ParsedArgs::Empty => {
                        return Some(ArgsProblem::new(FindingKind::NotChecked(skip_reason)));
                    }
                    _ => None,
                },
            };
        let mut problem = match parsed {
            ParsedArgs::Freeform => return None,
            ParsedArgs::Object(json) => return check_object(&json, schema),
            ParsedArgs::Empty => return Some(check_empty(schema)),
            ParsedArgs::DoubleEncoded(inner) => {
                let is_mendable =
                    schema.as_ref().is_none_or(|schema| mend::is_valid(&inner, schema));
                ArgsProblem {
                    mended_args: is_mendable.then_some(inner),
                    ..ArgsProblem::new(FindingKind::DoubleEncoded)
                }
            }
            ParsedArgs::NotAnObject(json) => {
                ArgsProblem::with_detail(FindingKind::NotAnObject, describe_kind(&json))
            }
            ParsedArgs::Truncated => ArgsProblem::new(FindingKind::Truncated),
            ParsedArgs::Concatenated(count) => {
                ArgsProblem::with_detail(FindingKind::Concatenated, format!(" ({count} of them)"))
            }
            ParsedArgs::Malformed(error) => ArgsProblem::with_detail(FindingKind::Malformed, error),
        };
        problem.schema = schema;
        Some(problem)
    }
}

fn check_object(json: &RawJson, schema: Option<Arc<Schema>>) -> Option<ArgsProblem> {
    let schema = schema?;
    let doc = json.to_doc();
    let violations = match schema.check(doc.root()) {
        Ok(checked) => checked.violations,
        Err(skip_reason) => return Some(ArgsProblem::new(FindingKind::NotChecked(skip_reason))),
    };
    let kind = FindingKind::worst_of(&violations)?;
    let is_empty = kind == FindingKind::MissingParameter && doc.root().is_empty();
    let kind = if is_empty { FindingKind::EmptyArguments } else { kind };
    let mended = mend::decode_double_encoded(json, &violations, &schema);
    let detail = String::new();
    Some(ArgsProblem { kind, detail, violations, mended_args: mended, schema: Some(schema) })
}

/// Treats empty text as an empty object: some models send it for a call without arguments.
fn check_empty(schema: Option<Arc<Schema>>) -> ArgsProblem {
    let problem = check_object(&RawJson::EMPTY_OBJECT, schema);
    let absent = || ArgsProblem {
        mended_args: Some(RawJson::EMPTY_OBJECT),
        ..ArgsProblem::new(FindingKind::AbsentArguments)
    };
    problem.unwrap_or_else(absent)
}

fn new_finding(
    call: &ToolCall,
    kind: FindingKind,
    mode: GuardMode,
    action: GuardAction,
) -> Finding {
    Finding { call: call.clone(), kind, mode, violations: Vec::new(), action }
}

fn describe_kind(json: &RawJson) -> String {
    let kind = match json.kind() {
        interlingua_wire::JsonKind::Null => "null",
        interlingua_wire::JsonKind::Bool => "a boolean",
        interlingua_wire::JsonKind::Number => "a number",
        interlingua_wire::JsonKind::String => "a string",
        interlingua_wire::JsonKind::Array => "an array",
        interlingua_wire::JsonKind::Object => "an object",
    };
    kind.to_owned()
}

impl ArgsProblem {
    fn new(kind: FindingKind) -> Self {
        Self::with_detail(kind, String::new())
    }

    fn with_detail(kind: FindingKind, detail: String) -> Self {
        Self { kind, detail, violations: Vec::new(), mended_args: None, schema: None }
    }
}
