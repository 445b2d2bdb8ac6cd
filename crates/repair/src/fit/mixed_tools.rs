//! The provider's own tools stand beside functions only where they may.
//!
//! Some models take either; newer ones take both if they are told that calls of the provider's own
//! tools may come. Where they cannot stand together the functions stay: they are the client's.
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

use interlingua_model::{Place, Tool, ToolKind, TopField};
use interlingua_wire::{Json, Node, Text};

use crate::profile::tools::Mixing;
use crate::{Profile, Work};

pub fn apply(work: &mut Work<'_>) {
    let profile = work.profile;
    let rules = profile.tools;
    let tools = &work.conversation().tools;
    let own = |tool: &Tool| is_own(tool, profile);
    let declared = |tool: &Tool| !matches!(tool.kind, ToolKind::Foreign { .. });
    let mixed = tools.iter().any(|tool| own(tool)) && tools.iter().any(|tool| declared(tool));
    match rules.mixing {
        Mixing::Free => {}
        _ if !mixed => {}
        Mixing::Asked(key) if work.is_own() => ask(work, key),
        Mixing::Asked(_) | Mixing::Never => {
            let tools = &work.conversation().tools;
            let gone: Vec<bool> = tools.iter().map(|tool| is_own(tool, profile)).collect();
            for at in (0..gone.len()).filter(|at| gone[*at]) {
                let name = &work.conversation().tools[at].name;
                let what = format!("left out `{name}`: it does not stand beside functions");
                work.loss(Place::tool(at), what);
            }
            work.retain_tools(|at| !gone[at]);
        }
    }
}

fn is_own(tool: &Tool, profile: &Profile) -> bool {
    match &tool.kind {
        // One that is null is only named.
        ToolKind::Foreign { json, .. }
            if json.doc().root().fields().all(|field| field.value.is_null()) =>
        {
            false
        }
        ToolKind::Foreign { kind, .. } => {
            let kind = kind.contents();
            profile.tools.built_in.iter().any(|name| profile.reading().is(&kind, name))
        }
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => false,
    }
}

/// Says in the config of the tools that calls of the provider's own may come.
fn ask(work: &mut Work<'_>, key: &'static str) {
    let reading = work.profile.reading();
    let config = |field: &TopField| reading.is(&field.key.contents(), CONFIG);
    let fields = &work.conversation().fields;
    let written = fields.iter().position(config);
    let doc = written.map(|at| fields[at].value.doc());
    let root = doc.as_ref().map(|doc| doc.root());
    let asked = root.and_then(|root| root.find(|field| reading.is(&field.name(), key)));
    if asked.and_then(Node::boolean) == Some(true) {
        return;
    }
    let value = Json::object(|object| {
        for field in root.into_iter().flat_map(Node::fields) {
            if !reading.is(&field.name(), key) {
                object.key_text(&field.key()).json(&field.value.json());
            }
        }
        object.boolean(key, true);
    });
    work.change(Place::BODY, "asked that calls of the provider's own tools may come");
    match written {
        Some(at) => work.fields()[at].value = value,
        None => work.fields().push(TopField { key: Text::word(CONFIG), value, known: true }),
    }
}

const CONFIG: &str = "toolConfig";
