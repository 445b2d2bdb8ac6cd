//! Requests the provider's hosted web search in the form that the target supports.
//!
//! Agents leave web search to the provider, and every provider names it differently; some have a
//! body field for it instead of a tool. Options of the search are kept where the target supports
//! them. The search is removed where the target has none, where a client's tool has its name, or
//! where the client turned live search off. A provider that rejected web search for a model gets no
//! such request again. Where a long search would make the provider pause its reply, the number of
//! searches is limited.
//!
//! ## Why
//! > Did 0 searches in 5s
//!
//! > Tool choice 'function' not found in 'tools' parameter.
//!
//! > Hosted tool 'web_search_preview' is not supported with gpt-5-2025-08-07.
//!
//! ## Example
//! ```text
//! before   tools: {"type":"web_search_20250305","name":"web_search","allowed_domains":["a.example"]}
//! after    tools: {"type":"web_search","filters":{"allowed_domains":["a.example"]}}
//! ```

use interlingua_model::{
    Conversation, DialectId, LedgerPath, Lesson, Tool, ToolChoice, ToolKind, TopLevelField,
};
use interlingua_providers::profile::web_search::{self, SearchForm, SearchOption, WebSearchTool};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonDoc, JsonNode, JsonString, RawJson};

use crate::edit::tool_choice::drop_choice_of_removed;
use crate::engine::Work;
use crate::query::web_search::is_search_tool;

pub(super) fn apply(work: &mut Work<'_>) {
    if work.profile.lessons.iter().any(|lesson| *lesson == Lesson::NoWebSearch) {
        return remove_search(work);
    }
    let Some(target) = work.profile.tools.web_search else { return };
    convert_body_field(work);
    let tools = &work.conversation().tools;
    let position = tools.iter().position(|tool| is_foreign_search(tool, work.profile.dialect));
    let Some(at) = position else { return };
    let tool = &tools[at];
    let ToolKind::Foreign { kind, json, .. } = &tool.kind else { return };
    let Some(source) = web_search::by_type(&kind.unescape()) else { return };
    let doc = json.to_doc();
    let occupies_name =
        |tool: &Tool| tool.name == target.tool_name || is_requested_by(target, tool);
    let others = tools.iter().enumerate().filter(|(other, _)| *other != at);
    if !is_live(source, &doc) || others.into_iter().any(|(_, other)| occupies_name(other)) {
        return;
    }
    let (converted, unsupported) = convert(target, source, &doc);
    let message = format!("`{kind}` is requested as `{}`", target.type_name);
    let kind = ToolKind::Foreign {
        dialect: work.profile.dialect,
        kind: JsonString::from_static(target.type_name),
        json: converted,
    };
    let old = tool.name.clone();
    let mut new = Tool::new(JsonString::from_static(target.tool_name), kind);
    new.cache_breakpoint.clone_from(&tool.cache_breakpoint);
    work.record_change(LedgerPath::tool(at), message);
    for option in unsupported {
        work.record_loss(
            LedgerPath::tool(at),
            format!("left out the option `{option}` of the search"),
        );
    }
    work.edit_tools()[at] = new.into();
    if work.conversation().settings.tool_choice == Some(ToolChoice::Named(old)) {
        let named = ToolChoice::Named(JsonString::from_static(target.tool_name));
        work.edit_settings().tool_choice = target.selectable.then_some(named);
        if !target.selectable {
            work.record_loss(
                LedgerPath::SETTINGS,
                "the model decides whether to search: the search cannot be forced",
            );
        }
    }
}

/// Converts a search that a body field requests to a tool.
fn convert_body_field(work: &mut Work<'_>) {
    let Conversation { dialect: source, tools, top_level_fields: fields, .. } = work.conversation();
    if *source == work.profile.dialect || tools.iter().any(|tool| is_search_tool(tool)) {
        return;
    }
    let dialect = *source;
    let is_search_field = |field: &TopLevelField| {
        field.key == web_search::CHAT.type_name && field.value.to_doc().root().is_object()
    };
    let Some(at) = fields.iter().position(is_search_field) else { return };
    let TopLevelField { key, value, .. } = work.edit_top_level_fields().remove(at);
    let kind = ToolKind::Foreign { dialect, kind: key.clone(), json: value };
    work.edit_tools().push(Tool::new(key, kind).into());
}

/// Removes every web search: the target has none.
fn remove_search(work: &mut Work<'_>) {
    let removed: Vec<bool> =
        work.conversation().tools.iter().map(|tool| is_search_tool(tool)).collect();
    let mut names = Vec::new();
    for at in (0..removed.len()).filter(|at| removed[*at]) {
        work.record_loss(
            LedgerPath::tool(at),
            "left out the web search: the provider has none for this model",
        );
        names.push(work.conversation().tools[at].name.clone());
    }
    if !names.is_empty() {
        work.retain_tools(|at| !removed[at]);
        drop_choice_of_removed(work, &names);
    }
}

/// Whether the tool is a web search of another dialect.
fn is_foreign_search(tool: &Tool, dialect: DialectId) -> bool {
    is_search_tool(tool)
        && matches!(&tool.kind, ToolKind::Foreign { dialect: tool_dialect, .. } if *tool_dialect != dialect)
}

/// Whether the tool already requests this search.
fn is_requested_by(search: &WebSearchTool, tool: &Tool) -> bool {
    matches!(&tool.kind, ToolKind::Foreign { kind, .. }
        if web_search::by_type(&kind.unescape()).is_some_and(|form| form.type_name == search.type_name))
}

/// The node that holds the search options.
fn options<'d>(search: &WebSearchTool, doc: &'d JsonDoc) -> JsonNode<'d> {
    let root = doc.root();
    let wrapped = root.fields().next().filter(|_| search.form == SearchForm::Wrapped);
    wrapped.map_or(root, |field| field.value)
}

fn is_live(search: &WebSearchTool, doc: &JsonDoc) -> bool {
    let live_value = search.live_field.and_then(|key| options(search, doc).get(key)?.as_bool());
    live_value != Some(false)
}

/// The value of an option, if it is set.
fn option(search: &WebSearchTool, doc: &JsonDoc, search_option: SearchOption) -> Option<RawJson> {
    let (_, path) = search.option_paths.iter().find(|(option, _)| *option == search_option)?;
    let mut node = options(search, doc);
    for key in *path {
        node = node.get(key)?;
    }
    let is_nothing = node.is_null() || node.is_array() && node.items().next().is_none();
    let lacks_type = search_option == SearchOption::UserLocation
        && node.is_object()
        && node.get("type").is_none();
    (!is_nothing).then(|| if lacks_type { approximate_location(node) } else { node.json() })
}

/// The tool in this provider's form, and the options that it does not support.
fn convert(
    search: &WebSearchTool,
    source: &WebSearchTool,
    doc: &JsonDoc,
) -> (RawJson, Vec<String>) {
    let (mut options, mut unsupported) = (Vec::new(), Vec::new());
    for (search_option, from) in source.option_paths {
        let Some(value) = option(source, doc, *search_option) else { continue };
        let has_domains = search.exclusive_domains
            && options.iter().any(|(option, _, _)| is_domain_option(*option));
        match search.option_paths.iter().find(|(option, _)| option == search_option) {
            Some((_, to)) if !(has_domains && is_domain_option(*search_option)) => {
                options.push((*search_option, *to, value));
            }
            _ => unsupported.push(from.join(".")),
        }
    }
    let default_limit = search
        .option_paths
        .iter()
        .find(|(option, _)| *option == SearchOption::MaxUses)
        .zip(search.default_max_uses);
    if let Some(((max_uses, to), number)) =
        default_limit.filter(|_| options.iter().all(|option| option.0 != SearchOption::MaxUses))
    {
        options.push((*max_uses, *to, RawJson::number(number)));
    }
    let rest = |o: &mut ObjectWriter<'_>| {
        let group = options.iter().find_map(|(_, to, _)| (to.len() > 1).then_some(to[0]));
        if let Some(group) = group {
            o.object(group, |o| {
                for (_, to, value) in options.iter().filter(|(_, to, _)| to.len() > 1) {
                    o.json(to[1], value);
                }
            });
        }
        for (_, to, value) in options.iter().filter(|(_, to, _)| to.len() == 1) {
            o.json(to[0], value);
        }
    };
    let json = RawJson::object(|o| match search.form {
        SearchForm::Wrapped => o.object(search.type_name, rest),
        SearchForm::TypeField => {
            o.static_str("type", search.type_name);
            rest(o);
        }
        SearchForm::BodyField => rest(o),
        SearchForm::TypeAndName => {
            o.static_str("type", search.type_name);
            o.static_str("name", search.tool_name);
            rest(o);
        }
    });
    (json, unsupported)
}

/// A location with the type that some dialects require.
fn approximate_location(location: JsonNode<'_>) -> RawJson {
    RawJson::object(|o| {
        o.static_str("type", "approximate");
        for field in location.fields() {
            o.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
    })
}

fn is_domain_option(search_option: SearchOption) -> bool {
    matches!(search_option, SearchOption::AllowedDomains | SearchOption::BlockedDomains)
}
