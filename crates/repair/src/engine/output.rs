//! The result of a repair that later steps need.

use interlingua_wire::{JsonString, RawJson};

use super::source_map::SourceMap;

#[derive(Debug, Default)]
pub struct RepairOutput {
    /// Origin of every value, with which later ledger entries get paths in the client's body.
    pub source_map: SourceMap,
    /// Names and ids that differ from the client's.
    pub renames: Renames,
    /// Schemas that were simplified: the tool name as sent, and the schema as the client wrote it.
    pub original_schemas: Vec<(JsonString, RawJson)>,
}

/// Names and ids for the provider that differ from the client's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renames {
    /// Tools: the name sent, and the client's.
    pub tools: Vec<(JsonString, JsonString)>,
    /// Calls: the id sent, and the client's.
    pub calls: Vec<(JsonString, JsonString)>,
    /// Properties, by the name sent of their tool: the name sent, and the client's.
    pub properties: Vec<(JsonString, Vec<(JsonString, JsonString)>)>,
}
