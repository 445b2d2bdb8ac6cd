//! Encodes tools.

use interlingua_model::{Tool, ToolKind, Verbatim};
use interlingua_wire::RawJson;
use interlingua_wire::json::ObjectWriter;

use super::block;

pub(crate) fn encode_tool(tool: &Verbatim<Tool>, o: &mut ObjectWriter<'_>) {
    o.json_string("name", &tool.name);
    o.json_string_opt("description", tool.description.as_ref());
    match &tool.kind {
        ToolKind::Function { schema } => {
            o.json("schema", schema.as_ref().unwrap_or(&RawJson::NULL));
        }
        ToolKind::Freeform { format } => {
            o.json("freeform", format.as_ref().unwrap_or(&RawJson::NULL));
        }
        ToolKind::Foreign { dialect, kind, json } => o.object("foreign", |o| {
            o.str("dialect", dialect.0);
            o.json_string("kind", kind);
            o.json("json", json);
        }),
    }
    if let Some(strict) = tool.strict {
        o.boolean("strict", strict);
    }
    o.json_string_opt("namespace", tool.namespace.as_ref());
    block::encode_cache(tool.cache_breakpoint.as_deref(), o);
    block::encode_extras(&tool.extras, o);
    block::encode_raw(tool.original(), o);
}
