//! Renames a tool if the target rejects its name.
//!
//! Tool servers prefix names until they are long, and use dots and slashes. The new name is the
//! longest allowed start of the old one with a few digits that are derived from all of it, so that
//! `create_…` and `delete_…` stay distinct. It is used consistently in the tools, in the calls of
//! the history and in the tool choice, and calls in the reply are returned under the client's name.
//!
//! ## Why
//! > Invalid 'tools\[50\].function.name': string too long. Expected a string with maximum length 64, but
//! > got a string with length 71 instead.
//!
//! > tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'
//!
//! > Invalid function name. Must start with a letter or an underscore.
//!
//! ## Example
//! ```text
//! before   tools: `mcp.server/create page`             call 1 `mcp.server/create page`
//! after    tools: `mcp_server_create_page_5f0c1f5e`    call 1 `mcp_server_create_page_5f0c1f5e`
//! ```

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use interlingua_model::{Block, BlockContent, LedgerPath, Tool, ToolChoice, ToolKind, Verbatim};
use interlingua_providers::profile::tools::ToolProfile;
use interlingua_wire::{JsonString, RawJson};

use crate::engine::{Feature, Work};
use crate::query::tool_choice::{self, count_exempt_legacy_tools};
use crate::tools::names::{NameTable, strip_namespace, target_name, with_namespace};
use crate::values::block::is_legacy;

pub(super) fn apply(work: &mut Work<'_>) {
    let mut renamed = rename_tools(work);
    rename_calls(work, &mut renamed);
    if renamed.list.is_empty() {
        return;
    }
    rename_choice(work, &renamed);
    for (client, sent) in renamed.list {
        work.record_tool_rename(sent, client);
    }
}

/// The client's names with the sent names.
#[derive(Default)]
struct ToolRenames {
    list: Vec<(JsonString, JsonString)>,
    index: HashMap<String, usize>,
}

impl ToolRenames {
    /// Adds a name unless it is already there.
    fn add(&mut self, client: JsonString, sent: JsonString) {
        if let Entry::Vacant(entry) = self.index.entry(client.unescape().into_owned()) {
            entry.insert(self.list.len());
            self.list.push((client, sent));
        }
    }

    fn sent(&self, client: &JsonString) -> Option<&JsonString> {
        let index = self.index.get(&*client.unescape())?;
        self.list.get(*index).map(|(_, sent)| sent)
    }
}

/// Names that need no rename. Requests repeat a few names often, and comparing those is faster than
/// hashing.
#[derive(Default)]
struct AcceptedNames {
    recent: Vec<JsonString>,
    rest: HashSet<String>,
}

impl AcceptedNames {
    fn add(&mut self, name: JsonString) {
        if self.recent.len() < MAX_RECENT {
            self.recent.push(name);
        } else {
            self.rest.insert(name.unescape().into_owned());
        }
    }

    fn contains(&self, name: &JsonString) -> bool {
        self.recent.contains(name) || !self.rest.is_empty() && self.rest.contains(&*name.unescape())
    }
}

fn rename_tools(work: &mut Work<'_>) -> ToolRenames {
    let mut renamed = ToolRenames::default();
    let mut name_table = None;
    // Tools of a legacy list that the target ignores may have any name.
    let mut end = work.conversation().tools.len() - count_exempt_legacy_tools(work);
    let mut at = 0;
    while at < end {
        let tools = &work.conversation().tools;
        if let Some(sent) = required_name(&tools[at], &work.profile.tools, tools, &mut name_table) {
            let client = tools[at].name.clone();
            let message = format!("the tool `{client}` is sent as `{sent}`");
            let tool = work.edit_tools()[at].edit();
            tool.name = sent.clone();
            if let ToolKind::Foreign { json, .. } = &mut tool.kind {
                *json = with_name(json, &sent);
            }
            work.record_change(LedgerPath::tool(at), message);
            if let Some(name_table) = &mut name_table {
                name_table.rename(&client, &sent);
            }
            renamed.add(client, sent);
            end = work.conversation().tools.len() - count_exempt_legacy_tools(work);
        }
        at += 1;
    }
    renamed
}

/// The name that the target requires instead of the tool's name, if any.
fn required_name(
    tool: &Tool,
    rules: &ToolProfile,
    all: &[Verbatim<Tool>],
    name_table: &mut Option<NameTable>,
) -> Option<JsonString> {
    if let ToolKind::Foreign { kind, .. } = &tool.kind {
        let kind = kind.unescape();
        let required = rules.required_names.iter().find(|(prefix, _)| kind.starts_with(prefix));
        return required
            .map(|(_, name)| JsonString::from_static(name))
            .filter(|name| *name != tool.name);
    }
    let name = target_name(tool, rules);
    if rules.name_format.accepts(&name.unescape()) {
        return None;
    }
    let name_table = name_table.get_or_insert_with(|| NameTable::from_tools(all));
    let alias = name_table.unused_alias(&name, &rules.name_format);
    Some(match &tool.namespace {
        Some(namespace) if rules.has_namespaces => with_namespace(namespace, &alias),
        _ => alias,
    })
}

/// The tool's JSON with another name.
fn with_name(json: &RawJson, name: &JsonString) -> RawJson {
    let doc = json.to_doc();
    RawJson::object(|object| {
        for field in doc.root().fields().filter(|field| !field.key_is("name")) {
            object.key_json_string(&field.key_json_string()).json(&field.value.json());
        }
        object.json_string("name", name);
    })
}

/// Renames calls of renamed tools, and calls with a name that the target rejects.
fn rename_calls(work: &mut Work<'_>, renamed: &mut ToolRenames) {
    let rules = &work.profile.tools;
    // Calls without extras have no namespace.
    let is_accepted = |name: &JsonString| rules.called_name_format.accepts(&name.unescape());
    if renamed.list.is_empty()
        && !work.has(Feature::Extras)
        && work.survey().called_tools().is_some_and(|called| called.iter().all(is_accepted))
    {
        return;
    }
    let mut accepted = AcceptedNames::default();
    let mut name_table = None;
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let Some((client, is_call)) = name_of(work.block(turn, at)) else { continue };
            if accepted.contains(client) {
                continue;
            }
            // With namespaces, a call names its tool within the namespace.
            let namespace = namespace_of(work.block(turn, at), work).filter(|_| !client.is_empty());
            let local_name = namespace
                .as_ref()
                .map_or_else(|| client.clone(), |namespace| strip_namespace(namespace, client));
            // No model calls a tool without a name: the seal belongs to another call.
            let is_nameless = is_call && client.is_empty();
            let sent = match renamed.sent(client) {
                Some(sent) => sent.clone(),
                None if !is_call => continue,
                None if rules.called_name_format.accepts(&local_name.unescape()) => {
                    accepted.add(client.clone());
                    continue;
                }
                None if is_legacy(work.block(turn, at)) && work.is_same_dialect() => continue,
                None => {
                    let client = client.clone();
                    let tools = &work.conversation().tools;
                    let name_table = name_table.get_or_insert_with(|| NameTable::from_tools(tools));
                    let alias = name_table.unused_alias(&local_name, &rules.called_name_format);
                    let sent = namespace
                        .as_ref()
                        .map_or(alias.clone(), |namespace| with_namespace(namespace, &alias));
                    let message = format!("the call of `{client}` is sent as a call of `{sent}`");
                    renamed.add(client, sent.clone());
                    work.record_change(LedgerPath::block(turn, at), message);
                    sent
                }
            };
            if is_nameless && work.block(turn, at).seal.is_some() {
                work.record_loss(
                    LedgerPath::block(turn, at),
                    "left out the seal of a call without a name",
                );
                work.edit_block(turn, at).seal = None;
            }
            match &mut work.edit_block(turn, at).content {
                BlockContent::ToolCall(call) => call.name = sent,
                BlockContent::ToolResult(result) => result.name = Some(sent),
                _ => {}
            }
        }
    }
}

/// The namespace of a call's tool, as the client wrote it.
fn namespace_of(block: &Block, work: &Work<'_>) -> Option<JsonString> {
    let written = block.extras.get(work.profile.dialect, NAMESPACE_FIELD)?;
    written
        .json_string()
        .filter(|namespace| work.profile.tools.has_namespaces && !namespace.is_empty())
}

/// The tool name of a call or result, and whether it is a call.
fn name_of(block: &Block) -> Option<(&JsonString, bool)> {
    match &block.content {
        BlockContent::ToolCall(call) => Some((&call.name, true)),
        BlockContent::ToolResult(result) => result.name.as_ref().map(|name| (name, false)),
        _ => None,
    }
}

fn rename_choice(work: &mut Work<'_>, renamed: &ToolRenames) {
    if tool_choice::uses_legacy_choice(work) && count_exempt_legacy_tools(work) > 0 {
        return;
    }
    let sent = |name: &JsonString| renamed.sent(name).cloned();
    let choice = match &work.conversation().settings.tool_choice {
        Some(ToolChoice::Named(name)) => sent(name).map(ToolChoice::Named),
        Some(ToolChoice::Allowed { names, required })
            if names.iter().any(|n| sent(n).is_some()) =>
        {
            let names = names.iter().map(|name| sent(name).unwrap_or_else(|| name.clone()));
            Some(ToolChoice::Allowed { names: names.collect(), required: *required })
        }
        _ => None,
    };
    if choice.is_some() {
        work.edit_settings().tool_choice = choice;
    }
}

/// Names that are compared before the set is used.
const MAX_RECENT: usize = 8;
/// Field of a call with the namespace of its tool.
const NAMESPACE_FIELD: &str = "namespace";
