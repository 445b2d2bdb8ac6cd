//! The look at each finished call of a reply.

use std::sync::Arc;

use interlingua_model::{Args, Block, Body, ToolCall};
use interlingua_wire::{Json, Text};

use crate::arguments::{self, Read};
use crate::cache::Schemas;
use crate::finding::{Done, Finding, Kind};
use crate::mode::{Mode, Modes};
use crate::names::{self, Differs};
use crate::offer::{Offer, Takes};
use crate::schema::{Limits, Schema, Violation};
use crate::{mend, message};

/// Watches over one reply. It costs nothing until a call is finished, and compiles the schema of a
/// tool when that is called.
#[derive(Clone, Debug)]
pub struct Watch {
    pub offer: Offer,
    pub modes: Modes,
    pub limits: Limits,
    pub schemas: Arc<Schemas>,
}

/// What is wrong with arguments, and how they could be mended.
struct Wrong {
    kind: Kind,
    said: String,
    violations: Vec<Violation>,
    mended: Option<Json>,
    schema: Option<Arc<Schema>>,
}

impl Watch {
    /// Whether a call of this name may be changed, so that it has to wait until it is finished.
    pub fn may_mend(&self, tool: &Text) -> bool {
        self.modes.mends() && {
            let known = self.offer.tools.iter().any(|(name, _)| name == tool);
            // Of a name that nobody knows it is not yet known whose mode counts.
            !known || self.modes.of(&tool.contents()) == Mode::Mend
        }
    }

    /// Whether calls of some tool that is offered are mended.
    pub fn mends(&self) -> bool {
        self.modes.mends() && !self.offer.tools.is_empty()
    }

    /// Looks at a block of a reply.
    pub fn look(&self, block: &Block) -> Option<Finding> {
        let Body::ToolCall(call) = &block.body else { return None };
        if block.seal.is_none() || !self.modes.mends() {
            return self.check(call);
        }
        // What somebody vouches for is not changed: it is answered instead.
        let lower = |mode| if mode == Mode::Mend { Mode::Answer } else { mode };
        let tools = self.modes.tools.iter().map(|(name, mode)| (name.clone(), lower(*mode)));
        let modes = Modes { mode: lower(self.modes.mode), tools: tools.collect() };
        Self { modes, ..self.clone() }.check(call)
    }

    /// Looks at one finished call; `None` if nothing is wrong with it, or nobody wants to know.
    pub fn check(&self, call: &ToolCall) -> Option<Finding> {
        if self.offer.tools.is_empty() || !self.modes.is_on() {
            return None;
        }
        let known = self.offer.tools.iter().find(|(name, _)| *name == call.name);
        if let Some((name, takes)) = known {
            let mode = self.modes.of(&name.contents());
            return self.arguments(call, takes, mode);
        }
        self.unknown(call)
    }

    fn unknown(&self, call: &ToolCall) -> Option<Finding> {
        let called = call.name.contents();
        let meant = names::meant(&called, &self.offer.tools);
        if meant.is_none() && self.offer.open {
            return None;
        }
        let mode = meant
            .map_or_else(|| self.modes.of(&called), |(name, ..)| self.modes.of(&name.contents()));
        if mode == Mode::Off {
            return None;
        }
        let kind = if meant.is_some() { Kind::MisspelledTool } else { Kind::UnknownTool };
        if let (Mode::Mend, Some((name, takes, Differs::Case))) = (mode, meant) {
            let renamed = ToolCall { name: name.clone(), ..call.clone() };
            // Under its right name it may be wrong in other ways.
            return Some(match self.arguments(&renamed, takes, mode) {
                None | Some(Finding { kind: Kind::NotChecked(_), .. }) => {
                    found(call, kind, mode, Done::Mended(Box::new(renamed)))
                }
                Some(Finding { done: Done::Mended(mended), kind, .. }) => {
                    found(call, kind, mode, Done::Mended(mended))
                }
                Some(_) => self.misnamed(call, kind, mode, Some(name)),
            });
        }
        Some(self.misnamed(call, kind, mode, meant.map(|(name, ..)| name)))
    }

    fn misnamed(&self, call: &ToolCall, kind: Kind, mode: Mode, meant: Option<&Text>) -> Finding {
        let done = match mode {
            Mode::Off | Mode::Observe => Done::Observed,
            Mode::Answer | Mode::Mend => {
                Done::Answered(message::about_name(call, meant, &self.offer.tools))
            }
        };
        found(call, kind, mode, done)
    }

    fn arguments(&self, call: &ToolCall, takes: &Takes, mode: Mode) -> Option<Finding> {
        let Takes::Object(schema) = takes else { return None };
        if mode == Mode::Off {
            return None;
        }
        let wrong = self.wrong(&call.args, schema.as_ref())?;
        if wrong.kind == Kind::NoArguments && mode != Mode::Mend {
            return None;
        }
        let unchecked = matches!(wrong.kind, Kind::NotChecked(_));
        let done = match (mode, wrong.mended) {
            (Mode::Off | Mode::Observe, _) => Done::Observed,
            _ if unchecked => Done::Observed,
            (Mode::Mend, Some(args)) => {
                Done::Mended(Box::new(ToolCall { args: Args::Json(args), ..call.clone() }))
            }
            (Mode::Answer | Mode::Mend, _) => {
                let schema = wrong.schema.as_deref();
                let (said, violations) = (&wrong.said, &wrong.violations);
                Done::Answered(message::about_arguments(call, wrong.kind, said, violations, schema))
            }
        };
        Some(Finding { violations: wrong.violations, ..found(call, wrong.kind, mode, done) })
    }

    fn wrong(&self, args: &Args, schema: Option<&Json>) -> Option<Wrong> {
        if arguments::size(args) > self.limits.arguments {
            return Some(Wrong::new(Kind::NotChecked(crate::Beyond::ArgumentSize)));
        }
        let read = arguments::read(args);
        if matches!(read, Read::Freeform) {
            return None;
        }
        let schema = match schema.map(|schema| self.schemas.compiled(schema, &self.limits)) {
            None => None,
            Some(Ok(schema)) => Some(schema),
            // That it is no object shows without a schema.
            Some(Err(beyond)) => match read {
                Read::Object(_) | Read::Nothing => {
                    return Some(Wrong::new(Kind::NotChecked(beyond)));
                }
                _ => None,
            },
        };
        let mut wrong = match read {
            Read::Freeform => return None,
            Read::Object(json) => return object(&json, schema),
            Read::Nothing => return Some(nothing(schema)),
            Read::Doubled(inner) => {
                let mended = schema.as_ref().is_none_or(|schema| mend::fits(&inner, schema));
                Wrong { mended: mended.then_some(inner), ..Wrong::new(Kind::DoubleEncoded) }
            }
            Read::Other(json) => Wrong::said(Kind::NotAnObject, of_kind(&json)),
            Read::Truncated => Wrong::new(Kind::Truncated),
            Read::Concatenated(count) => {
                Wrong::said(Kind::Concatenated, format!(" ({count} of them)"))
            }
            Read::Malformed(why) => Wrong::said(Kind::Malformed, why),
        };
        wrong.schema = schema;
        Some(wrong)
    }
}

fn object(json: &Json, schema: Option<Arc<Schema>>) -> Option<Wrong> {
    let schema = schema?;
    let doc = json.doc();
    let violations = match schema.check(doc.root()) {
        Ok(checked) => checked.violations,
        Err(beyond) => return Some(Wrong::new(Kind::NotChecked(beyond))),
    };
    let kind = Kind::of(&violations)?;
    let empty = kind == Kind::MissingParameter && doc.root().is_empty();
    let kind = if empty { Kind::EmptyArguments } else { kind };
    let mended = mend::decoded(json, &violations, &schema);
    let said = String::new();
    Some(Wrong { kind, said, violations, mended, schema: Some(schema) })
}

/// No text at all is what some send for no arguments.
fn nothing(schema: Option<Arc<Schema>>) -> Wrong {
    let wrong = object(&Json::EMPTY_OBJECT, schema);
    let none = || Wrong { mended: Some(Json::EMPTY_OBJECT), ..Wrong::new(Kind::NoArguments) };
    wrong.unwrap_or_else(none)
}

fn found(call: &ToolCall, kind: Kind, mode: Mode, done: Done) -> Finding {
    Finding { call: call.clone(), kind, mode, violations: Vec::new(), done }
}

fn of_kind(json: &Json) -> String {
    let kind = match json.kind() {
        interlingua_wire::Kind::Null => "null",
        interlingua_wire::Kind::Bool => "a boolean",
        interlingua_wire::Kind::Number => "a number",
        interlingua_wire::Kind::String => "a string",
        interlingua_wire::Kind::Array => "an array",
        interlingua_wire::Kind::Object => "an object",
    };
    kind.to_owned()
}

impl Wrong {
    fn new(kind: Kind) -> Self {
        Self::said(kind, String::new())
    }

    fn said(kind: Kind, said: String) -> Self {
        Self { kind, said, violations: Vec::new(), mended: None, schema: None }
    }
}
