//! Removes the provider's hosted tools where they cannot be combined with functions.
//!
//! Some models accept either; newer ones accept both if the request allows calls of hosted tools.
//! Where they cannot be combined, the functions stay: they are the client's.
//!
//! ## Why
//! > Tool use with function calling is unsupported
//!
//! > Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function
//! > calling.
//!
//! ## Example
//! ```text
//! before   tools: the function `read`, the provider's search
//! after    tools: the function `read`
//! ```

use interlingua_model::{LedgerPath, Tool, ToolKind, TopLevelField};
use interlingua_providers::profile::tools::HostedToolMixing;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::engine::Work;
use crate::profile::TargetProfile;

pub(super) fn apply(work: &mut Work<'_>) {
    let profile = work.profile;
    let rules = &profile.tools;
    let tools = &work.conversation().tools;
    let is_hosted_tool = |tool: &Tool| is_hosted(tool, profile);
    let is_declared = |tool: &Tool| !matches!(tool.kind, ToolKind::Foreign { .. });
    let is_mixed =
        tools.iter().any(|tool| is_hosted_tool(tool)) && tools.iter().any(|tool| is_declared(tool));
    match rules.hosted_tool_mixing {
        HostedToolMixing::Allowed => {}
        _ if !is_mixed => {}
        HostedToolMixing::OptIn(key) if work.is_same_dialect() => opt_in(work, key),
        HostedToolMixing::OptIn(_) | HostedToolMixing::Never => {
            let tools = &work.conversation().tools;
            let removed: Vec<bool> = tools.iter().map(|tool| is_hosted(tool, profile)).collect();
            for at in (0..removed.len()).filter(|at| removed[*at]) {
                let name = &work.conversation().tools[at].name;
                let message =
                    format!("left out `{name}`: the target cannot combine it with functions");
                work.record_loss(LedgerPath::tool(at), message);
            }
            work.retain_tools(|at| !removed[at]);
        }
    }
}

fn is_hosted(tool: &Tool, profile: &TargetProfile) -> bool {
    match &tool.kind {
        // A tool with only null fields is only named.
        ToolKind::Foreign { json, .. }
            if json.to_doc().root().fields().all(|field| field.value.is_null()) =>
        {
            false
        }
        ToolKind::Foreign { kind, .. } => {
            let kind = kind.unescape();
            profile
                .tools
                .unmixable_tools
                .iter()
                .any(|name| profile.shape_checker().is_same_name(&kind, name))
        }
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => false,
    }
}

/// Sets the config field that allows calls of hosted tools next to functions.
fn opt_in(work: &mut Work<'_>, key: &'static str) {
    let checker = work.profile.shape_checker();
    let is_config =
        |field: &TopLevelField| checker.is_same_name(&field.key.unescape(), CONFIG_FIELD);
    let fields = &work.conversation().top_level_fields;
    let written = fields.iter().position(is_config);
    let doc = written.map(|at| fields[at].value.to_doc());
    let root = doc.as_ref().map(|doc| doc.root());
    let current =
        root.and_then(|root| root.find_last(|field| checker.is_same_name(&field.key(), key)));
    if current.and_then(JsonNode::as_bool) == Some(true) {
        return;
    }
    let value = RawJson::object(|object| {
        for field in root.into_iter().flat_map(JsonNode::fields) {
            if !checker.is_same_name(&field.key(), key) {
                object.key_json_string(&field.key_json_string()).json(&field.value.json());
            }
        }
        object.boolean(key, true);
    });
    work.record_change(LedgerPath::BODY, "the request allows calls of hosted tools");
    match written {
        Some(at) => work.edit_top_level_fields()[at].value = value,
        None => work.edit_top_level_fields().push(TopLevelField {
            key: JsonString::from_static(CONFIG_FIELD),
            value,
            is_modeled: true,
            known_subfields: None,
        }),
    }
}

const CONFIG_FIELD: &str = "toolConfig";
