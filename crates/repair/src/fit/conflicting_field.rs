//! A setting that does not go with the others, or beyond its limits, is left out.
//!
//! This is about fields that only the target's own dialect has, such as how many probabilities to show,
//! and about how tools are called where there are none.
//!
//! ## Why
//! > The 'stream_options' parameter is only allowed when 'stream' is enabled.
//!
//! > Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are
//! > specified.
//!
//! > Unsupported parameter: 'parallel_tool_calls' is not supported with this model.
//!
//! > Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.
//!
//! > logprobs are not supported with reasoning models.
//!
//! > Encrypted content is not supported with this model.
//!
//! > Container identifier can only be provided when using the code execution tool
//!
//! > CachedContent can not be used with GenerateContent request setting system_instruction, tools or
//! > tool_config.
//!
//! ## Example
//! ```text
//! before   stream_options: …   no stream
//! after    no stream
//! ```

use interlingua_model::{Place, ToolKind, TopField};
use interlingua_wire::{Json, Node};

use crate::profile::params::{Conflict, When};
use crate::{Work, number, offer};

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.params.storing && work.conversation().settings.store.is_some() {
        work.loss(Place::SETTINGS, "left out whether to keep the reply: it cannot be said");
        work.settings().store = None;
    }
    parallel(work);
    if !work.is_own() {
        return;
    }
    for conflict in work.profile.params.conflicts {
        let reading = work.profile.reading();
        let is_it = |field: &TopField| {
            reading.is(&field.key.contents(), conflict.field) && field.value != Json::NULL
        };
        let Some(at) = work.conversation().fields.iter().position(is_it) else { continue };
        if is_met(work, conflict, at) {
            leave_out(work, conflict, at);
        }
    }
}

/// How calls are made is not said where there are none, be it of tools that do not cross, or of those
/// in the older list, which are called one at a time; nor to who does not let it be said.
fn parallel(work: &mut Work<'_>) {
    let choice = work.profile.params.choice;
    let said = work.conversation().settings.parallel.is_some();
    let alone = !offer::is_listed(work) || offer::is_old(work);
    if said && !choice.parallel {
        let what = "left out whether calls may be made side by side: it cannot be said";
        work.loss(Place::SETTINGS, what);
        work.settings().parallel = None;
    } else if said && !choice.lone_parallel && alone {
        let what = "left out whether calls may be made side by side: there are no tools";
        work.change(Place::SETTINGS, what);
        work.settings().parallel = None;
    }
}

fn is_met(work: &Work<'_>, conflict: &Conflict, at: usize) -> bool {
    let settings = &work.conversation().settings;
    let fields = &work.conversation().fields;
    let value = &fields[at].value;
    match conflict.when {
        When::Always => true,
        When::Thinking => work.thinks(),
        When::ThinkingIfTrue => *value == Json::TRUE && work.thinks(),
        When::NeverThinks => !work.profile.thinking.asked,
        When::Silent => settings.stream != Some(true),
        When::Tools => !work.conversation().tools.is_empty(),
        When::ToolsAndStream => {
            *value == Json::TRUE
                && !work.conversation().tools.is_empty()
                && settings.stream == Some(true)
        }
        When::Without(other) => {
            !fields.iter().any(|field| field.key == other && field.value == Json::TRUE)
        }
        When::WithoutTool(start) => {
            let tools = &work.conversation().tools;
            !tools.iter().any(|tool| match &tool.kind {
                ToolKind::Foreign { kind, .. } => kind.contents().starts_with(start),
                ToolKind::Function { .. } | ToolKind::Freeform { .. } => false,
            })
        }
        When::Words => value.text().is_some_and(|text| !text.is_empty()),
        When::With(other) => {
            fields.iter().any(|field| field.key == other && field.value != Json::NULL)
        }
        When::Beside(others) => {
            let reading = work.profile.reading();
            let is_other = |field: &TopField| {
                let key = field.key.contents();
                field.value != Json::NULL && others.iter().any(|name| reading.is(&key, name))
            };
            let conversation = work.conversation();
            let said = !conversation.system.is_empty() || !conversation.tools.is_empty();
            value.text().is_some_and(|text| !text.is_empty())
                && (said || fields.iter().any(is_other))
        }
        When::Beyond(span) => number::said(value).is_none_or(|said| !span.holds(said)),
        When::ThinkingBeyond(span) => {
            work.thinks() && number::said(value).is_some_and(|said| !span.holds(said))
        }
        When::Longer(most) => {
            value.text().is_some_and(|text| text.contents().chars().count() > most)
        }
    }
}

fn leave_out(work: &mut Work<'_>, conflict: &Conflict, at: usize) {
    let field = &work.conversation().fields[at];
    let Some(item) = conflict.item else {
        work.loss(Place::BODY, format!("left out `{}`: it does not go here", conflict.field));
        work.fields().remove(at);
        // What the settings hold of it goes, too.
        if conflict.field == STREAM_OPTIONS {
            work.settings().stream_usage = None;
        }
        return;
    };
    let doc = field.value.doc();
    if !doc.root().items().any(|one| one.word() == item) {
        return;
    }
    let kept: Vec<Json> =
        doc.root().items().filter(|one| one.word() != item).map(Node::json).collect();
    work.loss(
        Place::BODY,
        format!("left out `{item}` of `{}`: it does not go here", conflict.field),
    );
    if kept.is_empty() {
        work.fields().remove(at);
    } else {
        work.fields()[at].value =
            Json::array(|list| kept.iter().for_each(|one| list.item().json(one)));
    }
}

const STREAM_OPTIONS: &str = "stream_options";
