//! Settings, encoded as a flavor takes them.

use interlingua_model::{
    Choice, Conversation, Format, Ledger, Place, Reasoning, Settings, ToolKind, derive_id,
};
use interlingua_wire::json::Object;
use interlingua_wire::{Json, Text};

use crate::note;
use crate::openai_chat::flavor::{Control, Flavor, Skill};
use crate::openai_chat::tools;

/// The only tools that may be offered, where the flavor cannot say so in `tool_choice`.
pub(in crate::openai_chat) fn only<'s>(
    settings: &'s Settings,
    flavor: &Flavor,
) -> Option<&'s [Text]> {
    match settings.choice.as_ref()? {
        Choice::Named(name) if !flavor.can(Skill::NamedChoice) => Some(std::slice::from_ref(name)),
        Choice::Allowed { names, .. } if !flavor.can(Skill::AllowedTools) => Some(names),
        Choice::Auto
        | Choice::None
        | Choice::Required
        | Choice::Named(_)
        | Choice::Allowed { .. } => None,
    }
}

/// Where settings are written, and whose they are.
pub(super) struct Cx<'c, 'o> {
    pub(super) conversation: &'c Conversation,
    pub(super) flavor: &'c Flavor,
    pub(super) o: &'c mut Object<'o>,
    pub(super) ledger: &'c mut Ledger,
}

impl Cx<'_, '_> {
    /// Writes a number where the server knows it.
    pub(super) fn number(
        &mut self,
        key: &'static str,
        look: fn(&Settings) -> &Option<Json>,
        skill: Skill,
    ) {
        let Some(value) = look(&self.conversation.settings) else { return };
        if self.flavor.can(skill) {
            self.o.json(key, value);
        } else {
            unknown(self.ledger, key);
        }
    }

    /// Writes a word where the server knows it.
    pub(super) fn word(&mut self, key: &'static str, value: Option<&Text>, skill: Skill) {
        match value {
            Some(value) if self.flavor.can(skill) => self.o.text(key, value),
            Some(_) => unknown(self.ledger, key),
            None => {}
        }
    }

    pub(super) fn stop(&mut self) {
        let stops = &self.conversation.settings.stop;
        if !stops.is_empty() {
            self.o.array("stop", |a| stops.iter().for_each(|stop| a.item().text(stop)));
        }
    }

    pub(super) fn stream(&mut self) {
        stream(&self.conversation.settings, self.flavor, self.o);
    }

    pub(super) fn choice(&mut self) {
        choice(self.conversation, self.flavor, self.o, self.ledger);
    }

    pub(super) fn reasoning(&mut self) {
        if let Some(wanted) = &self.conversation.settings.reasoning {
            reasoning(wanted, self.flavor, self.o, self.ledger);
        }
    }

    pub(super) fn format(&mut self) {
        if let Some(wanted) = &self.conversation.settings.format {
            format(wanted, self.flavor, self.o, self.ledger);
        }
    }

    pub(super) fn user(&mut self) {
        let user = self.conversation.settings.user.as_ref();
        let long = user.filter(|user| user.contents().chars().count() > LONGEST_USER);
        let short = long.map(|user| derive_id("user_", user, 0));
        if short.is_some() && self.flavor.can(Skill::User) {
            converted(self.ledger, "the user's id is too long and is said in a shorter form");
        }
        self.word("user", short.as_ref().or(user), Skill::User);
    }

    pub(super) fn tier(&mut self) {
        let tier = self.conversation.settings.service_tier.as_ref().map(|tier| {
            let known = TIERS.iter().find(|(theirs, _)| tier == theirs);
            known.map_or(tier.clone(), |(_, ours)| {
                let what = format!("the service tier `{tier}` is said as `{ours}`");
                converted(self.ledger, what);
                Text::word(ours)
            })
        });
        self.word("service_tier", tier.as_ref(), Skill::ServiceTier);
    }

    pub(super) fn store(&mut self) {
        match self.conversation.settings.store {
            Some(store) if self.flavor.can(Skill::Store) => self.o.boolean("store", store),
            Some(true) => unknown(self.ledger, "store"),
            Some(false) | None => {}
        }
    }
}

/// The reply's usage is wanted unless the client says no: other dialects always send it.
fn stream(settings: &Settings, flavor: &Flavor, o: &mut Object<'_>) {
    let Some(stream) = settings.stream else { return };
    o.boolean("stream", stream);
    if stream && flavor.can(Skill::StreamOptions) {
        let usage = settings.stream_usage.unwrap_or(true);
        o.object("stream_options", |o| o.boolean("include_usage", usage));
    }
}

/// Without tools, a choice among them is refused: "When using `tool_choice`, `tools` must be set."
fn choice(conversation: &Conversation, flavor: &Flavor, o: &mut Object<'_>, ledger: &mut Ledger) {
    let settings = &*conversation.settings;
    if !tools::any(&conversation.tools) {
        if matches!(settings.choice, Some(Choice::Required | Choice::Named(_))) {
            unknown(ledger, "tool_choice");
        }
        return;
    }
    match &settings.choice {
        None => {}
        Some(Choice::Auto) => o.known("tool_choice", "auto"),
        Some(Choice::None) => o.known("tool_choice", "none"),
        Some(Choice::Required) => o.word("tool_choice", flavor.required),
        Some(Choice::Named(name)) if flavor.can(Skill::NamedChoice) => {
            o.object("tool_choice", |o| name_tool(name, conversation, flavor, o));
        }
        Some(Choice::Named(_)) => {
            converted(ledger, "the named tool is the only one offered, and required");
            o.word("tool_choice", flavor.required);
        }
        Some(Choice::Allowed { names, required }) if flavor.can(Skill::AllowedTools) => {
            o.object("tool_choice", |o| {
                o.known("type", "allowed_tools");
                o.object("allowed_tools", |o| {
                    o.word("mode", if *required { "required" } else { "auto" });
                    o.array("tools", |a| {
                        for name in names {
                            a.object(|o| name_tool(name, conversation, flavor, o));
                        }
                    });
                });
            });
        }
        Some(Choice::Allowed { required, .. }) => {
            converted(ledger, "the allowed tools are the only ones offered");
            o.word("tool_choice", if *required { flavor.required } else { "auto" });
        }
    }
    match settings.parallel {
        Some(parallel) if flavor.can(Skill::Parallel) => o.boolean("parallel_tool_calls", parallel),
        Some(false) => unknown(ledger, "parallel_tool_calls"),
        Some(true) | None => {}
    }
}

fn name_tool(name: &Text, conversation: &Conversation, flavor: &Flavor, o: &mut Object<'_>) {
    let is_custom = flavor.can(Skill::CustomTools)
        && conversation
            .tools
            .iter()
            .any(|tool| tool.name == *name && matches!(tool.kind, ToolKind::Freeform { .. }));
    let kind = if is_custom { "custom" } else { "function" };
    o.word("type", kind);
    o.object(kind, |o| o.text("name", name));
}

fn reasoning(wanted: &Reasoning, flavor: &Flavor, o: &mut Object<'_>, ledger: &mut Ledger) {
    match flavor.control {
        Control::None => unknown(ledger, "reasoning"),
        Control::Effort => {
            if is_off(wanted) {
                o.known("reasoning_effort", "none");
            } else {
                effort(wanted, flavor, o, ledger);
            }
        }
        Control::Object => o.object("reasoning", |o| reasoning_object(wanted, flavor, o, ledger)),
        Control::Thinking | Control::ThinkingAndEffort => {
            let off = is_off(wanted);
            let kind = if off { "disabled" } else { "enabled" };
            o.object("thinking", |o| o.word("type", kind));
            if flavor.control == Control::ThinkingAndEffort && !off {
                effort(wanted, flavor, o, ledger);
            } else if wanted.effort.is_some() || wanted.budget.is_some() {
                converted(ledger, "how much to reason cannot be said, only whether");
            }
        }
        Control::Enable => {
            o.boolean("enable_thinking", !is_off(wanted));
            o.json_if("thinking_budget", wanted.budget.as_ref());
            if wanted.effort.is_some() && wanted.budget.is_none() {
                converted(ledger, "an effort cannot be said, only whether to reason");
            }
        }
    }
    if wanted.display.is_some() && flavor.control != Control::Object {
        unknown(ledger, "display of reasoning");
    }
}

/// An effort of `none` says it, too, where no mode says otherwise.
fn is_off(wanted: &Reasoning) -> bool {
    wanted.is_off()
        || wanted.mode.is_none() && wanted.effort.as_ref().is_some_and(|word| word == "none")
}

/// `reasoning_effort`, from the client's word or from its budget.
fn effort(wanted: &Reasoning, flavor: &Flavor, o: &mut Object<'_>, ledger: &mut Ledger) {
    if let Some(word) = &wanted.effort {
        match flavor.effort(&word.contents()) {
            Some(ours) => {
                converted(ledger, format!("an effort of `{word}` is said as `{ours}`"));
                o.word("reasoning_effort", ours);
            }
            None => o.text("reasoning_effort", word),
        }
        if wanted.budget.is_some() {
            converted(ledger, "the budget for reasoning is left to the effort");
        }
    } else if let Some(budget) = &wanted.budget {
        let word = effort_of(budget);
        let word = flavor.effort(word).unwrap_or(word);
        let budget = budget.as_str();
        converted(ledger, format!("a budget of {budget} tokens is said as an effort of `{word}`"));
        o.word("reasoning_effort", word);
    }
}

fn reasoning_object(wanted: &Reasoning, flavor: &Flavor, o: &mut Object<'_>, ledger: &mut Ledger) {
    match (is_off(wanted), &wanted.effort, &wanted.budget) {
        (true, ..) => o.boolean("enabled", false),
        (_, None, Some(budget)) => o.json("max_tokens", budget),
        (_, Some(word), budget) => {
            match flavor.effort(&word.contents()) {
                Some(ours) => o.word("effort", ours),
                None => o.text("effort", word),
            }
            if budget.is_some() {
                converted(ledger, "the budget for reasoning is left to the effort");
            }
        }
        (_, None, None) => o.boolean("enabled", true),
    }
    match &wanted.display {
        Some(display) if display == "omitted" => o.boolean("exclude", true),
        Some(display) if SUMMARIES.iter().any(|known| display == known) => {
            o.text("summary", display);
        }
        Some(_) | None => {}
    }
}

/// How much effort a budget stands for.
fn effort_of(budget: &Json) -> &'static str {
    match budget.count().unwrap_or(u64::MAX) {
        0..=4096 => "low",
        4097..=16384 => "medium",
        _ => "high",
    }
}

fn format(wanted: &Format, flavor: &Flavor, o: &mut Object<'_>, ledger: &mut Ledger) {
    let kind = |kind: &'static str| Json::object(|o| o.word("type", kind));
    match wanted {
        Format::Text => o.json("response_format", &kind("text")),
        Format::Json if flavor.can(Skill::JsonObject) => {
            o.json("response_format", &kind("json_object"));
        }
        Format::Schema { .. } if !flavor.can(Skill::JsonSchema) => {
            let what = "the answer's schema cannot be said, only that it is JSON";
            ledger.loss(note::SETTING_CONVERTED, Place::SETTINGS, what);
            o.json("response_format", &kind("json_object"));
        }
        Format::Json => {
            converted(ledger, "any JSON is asked for as an object of any schema");
            let any = kind("object");
            schema(None, None, &any, None, o);
        }
        Format::Schema { name, description, schema: wanted, strict } => {
            if name.is_none() {
                let what = "the answer's schema gets the name it must have";
                ledger.change(note::REQUIRED_ADDED, Place::SETTINGS, what);
            }
            schema(name.as_ref(), description.as_ref(), wanted, *strict, o);
        }
    }
}

fn schema(
    name: Option<&Text>,
    description: Option<&Text>,
    schema: &Json,
    strict: Option<bool>,
    o: &mut Object<'_>,
) {
    o.object("response_format", |o| {
        o.known("type", "json_schema");
        o.object("json_schema", |o| {
            o.text("name", name.unwrap_or(&Text::word("response")));
            o.text_if("description", description);
            o.json("schema", schema);
            o.json_if("strict", strict.map(Json::boolean).as_ref());
        });
    });
}

fn unknown(ledger: &mut Ledger, key: &str) {
    let what = format!("left out `{key}`: the server has no such setting");
    ledger.loss(note::NO_SUCH_SETTING, Place::SETTINGS, what);
}

fn converted(ledger: &mut Ledger, what: impl Into<std::borrow::Cow<'static, str>>) {
    ledger.change(note::SETTING_CONVERTED, Place::SETTINGS, what);
}

/// "Invalid 'user': string too long. Expected a string with maximum length 64".
const LONGEST_USER: usize = 64;

/// Words of other dialects for a tier.
const TIERS: &[(&str, &str)] = &[("standard_only", "default"), ("standard", "default")];

const SUMMARIES: &[&str] = &["auto", "concise", "detailed"];
