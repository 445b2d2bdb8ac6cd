//! Lists the tools that a request offers and checks its tool choice against them.

use interlingua_model::{BlockContent, ToolChoice, ToolKind};
use interlingua_providers::profile::settings::ChoiceWithoutTools;
use interlingua_wire::{JsonDoc, JsonNode, JsonString, RawJson};

use crate::engine::Work;
use crate::tools::{LEGACY_LIST_FIELD, ToolIssues, count_unread_legacy_tools};

/// Type and name (or server label) of a tool, as a tool choice refers to it.
type OfferedTool = (String, String);

/// Whether there are any tools, in the request or in the conversation that the provider stores.
pub(crate) fn has_tools(work: &Work<'_>) -> bool {
    let functions_only = work.profile.settings.tool_choice.functions_only;
    let is_usable = |kind: &ToolKind| match kind {
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
        // Tools of one dialect are not sent to another.
        ToolKind::Foreign { dialect, .. } => !functions_only && *dialect == work.profile.dialect,
    };
    work.conversation().tools.iter().any(|tool| is_usable(&tool.kind))
        || may_have_stored_tools(work)
        || added_tool_items(work).any(|json| {
            let doc = json.to_doc();
            let mut tools = doc.root().get("tools").into_iter().flat_map(JsonNode::items);
            tools.any(|tool| crate::tools::accepts_tool(tool, work.profile))
        })
}

/// Whether any tool is encoded for the target.
pub(crate) fn has_encoded_tools(work: &Work<'_>) -> bool {
    work.conversation().tools.iter().any(|tool| match &tool.kind {
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
        ToolKind::Foreign { dialect, .. } => *dialect == work.profile.dialect,
    })
}

/// Whether the request continues a stored conversation, which may have tools.
pub(crate) fn may_have_stored_tools(work: &Work<'_>) -> bool {
    let state_fields = work.profile.settings.stored_state_fields;
    let fields = &work.conversation().top_level_fields;
    let is_set = |field: &interlingua_model::TopLevelField| {
        state_fields.contains(&&*field.key.unescape()) && field.value != RawJson::NULL
    };
    work.is_same_dialect() && !state_fields.is_empty() && fields.iter().any(is_set)
}

/// Whether the body refers to a stored object that may have tools.
pub(crate) fn may_bring_tools(work: &Work<'_>) -> bool {
    let bringing_fields = work.profile.settings.tool_choice.tool_bringing_fields;
    let fields = &work.conversation().top_level_fields;
    work.is_same_dialect()
        && fields.iter().any(|field| bringing_fields.contains(&&*field.key.unescape()))
}

/// Whether the request offers a tool of this name.
pub(crate) fn has_tool_named(work: &Work<'_>, name: &JsonString) -> bool {
    let tools = &work.conversation().tools;
    // Tools of one dialect are not sent to another.
    let crosses = |kind: &ToolKind| match kind {
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
        ToolKind::Foreign { dialect, .. } => *dialect == work.profile.dialect,
    };
    tools.iter().any(|tool| tool.name == *name && crosses(&tool.kind))
        || !name.is_empty()
            && offered_tools(work).iter().any(|(_, offered_name)| *offered_name == *name.unescape())
}

/// Items in the turns that add tools.
fn added_tool_items<'w>(work: &'w Work<'_>) -> impl Iterator<Item = &'w RawJson> {
    let same_dialect = work.is_same_dialect();
    let blocks = work.turns().iter().filter(move |_| same_dialect).flat_map(|turn| &turn.blocks);
    blocks.filter_map(|block| match &block.content {
        BlockContent::Foreign { kind, json, .. } if kind == ADDED_TOOLS_KIND => Some(json),
        _ => None,
    })
}

fn offered_tools(work: &Work<'_>) -> Vec<OfferedTool> {
    let mut offered = Vec::new();
    for tool in work.conversation().tools.iter() {
        match &tool.kind {
            ToolKind::Function { .. } => offered.push(("function".to_owned(), short_name(tool))),
            ToolKind::Freeform { .. } => offered.push(("custom".to_owned(), short_name(tool))),
            ToolKind::Foreign { dialect, json, .. } if *dialect == work.profile.dialect => {
                collect_offered(json.to_doc().root(), &mut offered);
            }
            ToolKind::Foreign { .. } => {}
        }
    }
    for json in added_tool_items(work) {
        let doc = json.to_doc();
        let tools = doc.root().get("tools").into_iter().flat_map(JsonNode::items);
        let fits = |tool: &JsonNode<'_>| crate::tools::accepts_tool(*tool, work.profile);
        tools.filter(fits).for_each(|tool| collect_offered(tool, &mut offered));
    }
    offered
}

/// The name within its namespace.
fn short_name(tool: &interlingua_model::Tool) -> String {
    let name = tool.name.unescape();
    let namespace = tool.namespace.as_ref().map(JsonString::unescape).unwrap_or_default();
    let bare = name.strip_prefix(&*namespace).filter(|_| !namespace.is_empty());
    bare.map_or(&*name, |bare| bare.trim_start_matches(['.', '_', ':'])).to_owned()
}

fn collect_offered(tool: JsonNode<'_>, offered: &mut Vec<OfferedTool>) {
    let read_string =
        |key: &str| tool.get(key).map(JsonNode::str_or_empty).unwrap_or_default().into_owned();
    let kind = read_string("type");
    let label = if kind == "mcp" { "server_label" } else { "name" };
    offered.push((kind, read_string(label)));
    tool.get("tools")
        .into_iter()
        .flat_map(JsonNode::items)
        .for_each(|inner| collect_offered(inner, offered));
}

/// Whether the tool choice, as written in the body, names offered tools with their types; with
/// `elsewhere`, tools that are not in the request are allowed.
pub(crate) fn is_written_choice_valid(work: &Work<'_>, elsewhere: bool) -> bool {
    let fields = &work.conversation().top_level_fields;
    let field =
        fields.iter().find(|field| field.key == CHOICE_FIELD).filter(|_| work.is_same_dialect());
    let Some(field) = field.filter(|field| field.value.is_object()) else { return true };
    let offered = offered_tools(work);
    let doc = field.value.to_doc();
    let root = doc.root();
    let read_string = |node: JsonNode<'_>, key: &str| {
        node.get(key).map(JsonNode::str_or_empty).unwrap_or_default().into_owned()
    };
    let is_offered = |tool: JsonNode<'_>| {
        let kind = read_string(tool, "type");
        let by_name = matches!(&*kind, "function" | "custom" | "namespace" | "mcp");
        let name = read_string(tool, if kind == "mcp" { "server_label" } else { "name" });
        elsewhere
            || offered.iter().any(|(kind_offered, name_offered)| {
                *kind_offered == kind && (!by_name || *name_offered == name)
            })
    };
    if read_string(root, "type") == "allowed_tools" {
        return root.get("mode").is_some()
            && root.get("tools").is_some_and(|tools| tools.items().all(is_offered));
    }
    let required_field = match &*read_string(root, "type") {
        "function" | "custom" => "name",
        "mcp" => "server_label",
        _ => "type",
    };
    root.get(required_field).is_some() && is_offered(root)
}

/// Whether the body has a tool choice, readable or not.
pub(crate) fn has_written_choice(work: &Work<'_>) -> bool {
    let mut fields = work.conversation().top_level_fields.iter();
    work.is_same_dialect()
        && fields.any(|field| field.key == CHOICE_FIELD && field.value != RawJson::NULL)
}

/// Whether the body offers functions only in the legacy list: the tool choice cannot name them.
pub(crate) fn offers_legacy_functions(work: &Work<'_>) -> bool {
    let conversation = work.conversation();
    let written = conversation.tools.text_for(work.profile.dialect).is_some();
    written && !conversation.tools.is_empty() && lists_only_legacy_tools(work)
}

/// Whether the body has only the legacy list of tools.
pub(crate) fn lists_only_legacy_tools(work: &Work<'_>) -> bool {
    let has = |key: &str| work.conversation().top_level_fields.iter().any(|field| field.key == key);
    has(LEGACY_LIST_FIELD) && !has_field(work, "tools")
}

/// The tool choice of the body, if it is a string.
pub(crate) fn written_choice_string(work: &Work<'_>) -> Option<String> {
    let field =
        work.conversation().top_level_fields.iter().find(|field| field.key == CHOICE_FIELD)?;
    field.value.json_string().map(|text| text.unescape().into_owned())
}

/// Whether the tool choice of the body is an object.
pub(crate) fn is_written_as_object(work: &Work<'_>) -> bool {
    let mut fields = work.conversation().top_level_fields.iter();
    fields.any(|field| field.key == CHOICE_FIELD && field.value.is_object())
}

/// Whether the tool choice of the body is an object without a function name inside and with a type
/// other than these.
fn is_flat_object(work: &Work<'_>, types: &[&str]) -> bool {
    let mut fields = work.conversation().top_level_fields.iter();
    let Some(field) = fields.find(|field| field.key == CHOICE_FIELD && field.value.is_object())
    else {
        return false;
    };
    let doc = field.value.to_doc();
    let kind = doc.root().get("type").map(JsonNode::str_or_empty).unwrap_or_default();
    let function = doc.root().get("function").and_then(|function| function.get("name"));
    work.is_same_dialect() && !types.contains(&&*kind) && function.is_none()
}

/// Whether the tool choice of the body names a function as the dialect requires.
pub(crate) fn names_function(work: &Work<'_>) -> bool {
    let mut fields = work.conversation().top_level_fields.iter();
    let choice = fields.find(|field| field.key == CHOICE_FIELD).map(|field| field.value.to_doc());
    let Some(choice) = choice.as_ref().map(JsonDoc::root) else { return !work.is_same_dialect() };
    let inner = choice.get("function").or(Some(choice).filter(|_| choice.get("custom").is_none()));
    inner.and_then(|inner| inner.get("name")).is_some_and(|name| !name.str_or_empty().is_empty())
}

/// Whether the body has a legacy choice and no other.
pub(crate) fn uses_legacy_choice(work: &Work<'_>) -> bool {
    work.is_same_dialect() && has_field(work, LEGACY_CHOICE_FIELD) && !has_field(work, CHOICE_FIELD)
}

fn has_field(work: &Work<'_>, key: &str) -> bool {
    let mut fields = work.conversation().top_level_fields.iter();
    fields.any(|field| field.key == key && field.value != RawJson::NULL)
}

/// Whether the body has a legacy choice, also next to a current one.
pub(crate) fn has_legacy_choice(work: &Work<'_>) -> bool {
    work.is_same_dialect() && has_field(work, LEGACY_CHOICE_FIELD)
}

/// Whether the body has legacy tools.
pub(crate) fn has_legacy_tools(work: &Work<'_>) -> bool {
    let fields = &work.conversation().top_level_fields;
    let list_field = fields.iter().find(|field| field.key == LEGACY_LIST_FIELD);
    list_field.is_some_and(|field| field.value.to_doc().root().items().next().is_some())
}

/// Whether the choice forces a call.
pub(crate) fn is_forced(choice: &ToolChoice) -> bool {
    matches!(
        choice,
        ToolChoice::Required | ToolChoice::Named(_) | ToolChoice::Allowed { required: true, .. }
    )
}

/// Whether the target rejects the choice in a request without tools.
pub(crate) fn is_invalid_without_tools(work: &Work<'_>, choice: &ToolChoice) -> bool {
    match work.profile.settings.tool_choice.without_tools {
        ChoiceWithoutTools::Any => false,
        ChoiceWithoutTools::Unforced => is_forced(choice),
        ChoiceWithoutTools::OnlyNone => *choice != ToolChoice::None,
        ChoiceWithoutTools::Rejected => true,
    }
}

/// Whether the choice is an object in a form that the target does not read.
pub(crate) fn is_unsupported_object(work: &Work<'_>) -> bool {
    work.profile
        .settings
        .tool_choice
        .nested_function
        .is_some_and(|types| is_flat_object(work, types))
}

/// Number of tools at the end with unchecked names and descriptions: those of the legacy list, if
/// it leaves unchanged.
pub(crate) fn count_exempt_legacy_tools(work: &mut Work<'_>) -> usize {
    let unchecked = count_unread_legacy_tools(work.conversation(), work.profile);
    if unchecked > 0 && work.tool_issues().iter().all(ToolIssues::is_acceptable) {
        unchecked
    } else {
        0
    }
}

pub(crate) const CHOICE_FIELD: &str = "tool_choice";
pub(crate) const LEGACY_CHOICE_FIELD: &str = "function_call";
const ADDED_TOOLS_KIND: &str = "additional_tools";
