//! Merges equal tools of one name, and renames the later one if they differ.
//!
//! An agent that loads the tools of a server twice sends them twice. Equal tools are sent once. Of
//! differing tools the later one is sent under another name, and its calls are returned under the
//! client's name.
//!
//! ## Why
//! > tools: Tool names must be unique.
//!
//! > Duplicate function declaration found: read_file
//!
//! ## Example
//! ```text
//! before   tools: `read`, `read` (the same), `read` (of other arguments)
//! after    tools: `read`, `read_1c8b3a90`
//! ```

use std::collections::{HashMap, HashSet};

use interlingua_model::{LedgerPath, Tool, ToolChoice, ToolKind};
use interlingua_wire::JsonString;

use crate::engine::Work;
use crate::profile::TargetProfile;
use crate::query::tool_choice::count_exempt_legacy_tools;
use crate::tools::names::{NameTable, target_name, with_namespace};

pub(super) fn apply(work: &mut Work<'_>) {
    if !work.profile.tools.unique_names {
        return;
    }
    let mut first_with_name: HashMap<OccupiedName, usize> = HashMap::new();
    let mut name_table = None;
    let (mut removed, mut renamed) = (HashSet::new(), Vec::new());
    let mut end = work.conversation().tools.len() - count_exempt_legacy_tools(work);
    let mut at = 0;
    while at < end {
        let tools = &work.conversation().tools;
        let occupied = occupied_name(&tools[at], work.profile);
        let holder = occupied.clone().map_or(at, |name| *first_with_name.entry(name).or_insert(at));
        if holder != at {
            let (first_tool, tool) = (&tools[holder], &tools[at]);
            if is_same_definition(first_tool, tool) || both_typed(first_tool, tool) {
                let message = format!("left out the duplicate of `{}`", tool.name);
                work.record_change(LedgerPath::tool(at), message);
                work.discard_tools_text();
                removed.insert(at);
            } else {
                // A typed tool cannot be renamed.
                let (renamed_at, kept_at) =
                    if is_typed(tool) { (holder, at) } else { (at, holder) };
                first_with_name.extend(occupied.map(|name| (name, kept_at)));
                let name_table = name_table.get_or_insert_with(|| NameTable::from_tools(tools));
                renamed.push(rename_tool(work, renamed_at, name_table));
                if let Some(name) =
                    occupied_name(&work.conversation().tools[renamed_at], work.profile)
                {
                    let holder = first_with_name.entry(name).or_insert(renamed_at);
                    *holder = renamed_at.min(*holder);
                }
            }
            // Editing the tools merges those of the legacy list into the others.
            end = work.conversation().tools.len() - count_exempt_legacy_tools(work);
        }
        at += 1;
    }
    if !removed.is_empty() {
        work.retain_tools(|tool| !removed.contains(&tool));
    }
    extend_allowed_tools(work, &renamed);
}

/// The name by which tools collide, with the namespace where the target has namespaces.
type OccupiedName = (String, Option<String>);

/// The name that a tool occupies for the target. `None` for tools of other dialects, which are not
/// sent, and for typed tools where the dialect gives them no names.
fn occupied_name(tool: &Tool, profile: &TargetProfile) -> Option<OccupiedName> {
    let rules = &profile.tools;
    let occupies_name = match &tool.kind {
        ToolKind::Foreign { dialect, .. } => {
            *dialect == profile.dialect && rules.typed_tools_have_names && !tool.name.is_empty()
        }
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
    };
    let namespace = tool.namespace.as_ref().filter(|_| rules.has_namespaces);
    let contents = |text: &JsonString| text.unescape().into_owned();
    occupies_name.then(|| (contents(&tool.name), namespace.map(contents)))
}

/// Renames a tool; returns the client's name and the sent name.
fn rename_tool(
    work: &mut Work<'_>,
    at: usize,
    name_table: &mut NameTable,
) -> (JsonString, JsonString) {
    let rules = &work.profile.tools;
    let tool = &work.conversation().tools[at];
    let client = tool.name.clone();
    let alias = name_table.unused_alias(&target_name(tool, rules), &rules.name_format);
    let sent = match &tool.namespace {
        Some(namespace) if rules.has_namespaces => with_namespace(namespace, &alias),
        _ => alias,
    };
    name_table.rename(&client, &sent);
    work.edit_tools()[at].edit().name = sent.clone();
    work.record_change(
        LedgerPath::tool(at),
        format!("another tool named `{client}` is sent as `{sent}`"),
    );
    work.record_tool_rename(sent.clone(), client.clone());
    (client, sent)
}

/// Allows the renamed duplicates of a tool that the client allows.
fn extend_allowed_tools(work: &mut Work<'_>, renamed: &[(JsonString, JsonString)]) {
    let choice = &work.conversation().settings.tool_choice;
    let Some(ToolChoice::Allowed { names, required }) = choice else { return };
    let mut allowed: HashSet<String> =
        names.iter().map(|name| name.unescape().into_owned()).collect();
    let newly_allowed = renamed.iter().filter(|(client, sent)| {
        let is_allowed = allowed.contains(&*client.unescape());
        is_allowed && allowed.insert(sent.unescape().into_owned())
    });
    let added: Vec<JsonString> = newly_allowed.map(|(_, sent)| sent.clone()).collect();
    if !added.is_empty() {
        let (names, required) = (names.iter().cloned().chain(added).collect(), *required);
        work.edit_settings().tool_choice = Some(ToolChoice::Allowed { names, required });
    }
}

fn is_typed(tool: &Tool) -> bool {
    matches!(tool.kind, ToolKind::Foreign { .. })
}

fn both_typed(a: &Tool, b: &Tool) -> bool {
    is_typed(a) && is_typed(b)
}

/// Whether two tools have the same definition; cache breakpoints do not count.
fn is_same_definition(a: &Tool, b: &Tool) -> bool {
    a.kind == b.kind && a.description == b.description && a.strict == b.strict
}
