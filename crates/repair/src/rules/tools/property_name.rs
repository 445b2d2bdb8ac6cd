//! Renames properties of a tool's input if the target rejects their names.
//!
//! Tool servers that are generated from other APIs name properties as those APIs do: `filter[id]`,
//! `$top`. One such name in one tool causes the whole request to be rejected. The new name is the
//! old one with `_` for each rejected character, or with a few digits if another property already
//! has that name. It is used in the schema, in the examples and in the calls of the history, and
//! the arguments of calls in the reply are returned under the client's names. A property without a
//! title gets its old name as the title. Only names at the root are checked.
//!
//! ## Why
//! > tools.14.custom.input_schema.properties: Property keys should match pattern
//! > '^[a-zA-Z0-9_.-]{1,64}$'
//!
//! ## Example
//! ```text
//! before   `list_apps`: {"type": "object", "properties": {"filter[id]": …}}    call 1 `list_apps` {"filter[id]": "7"}
//! after    `list_apps`: {"type": "object", "properties": {"filter_id": …}}    call 1 `list_apps` {"filter_id": "7"}
//! ```

use std::collections::{HashMap, HashSet};

use interlingua_model::{BlockContent, LedgerPath, Tool, ToolArgs, ToolKind};
use interlingua_providers::profile::tools::NameFormat;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::engine::Work;
use crate::schema::rename_properties::{self, PropertyRenames};
use crate::tools::names::alias;

pub(super) fn apply(work: &mut Work<'_>) {
    let Some(format) = work.profile.tools.schema.property_names else { return };
    if work.conversation().tools.is_empty() {
        return;
    }
    let issues = work.tool_issues();
    let mut renamed: HashMap<String, PropertyRenames> = HashMap::new();
    for at in (0..issues.len()).filter(|at| issues[*at].bad_property_names) {
        let tool = &work.conversation().tools[at];
        let ToolKind::Function { schema: Some(schema) } = &tool.kind else { continue };
        let (name, schema) = (tool.name.clone(), schema.clone());
        let pairs = property_renames(schema.to_doc().root(), &format);
        rename_in_tool(work, at, &schema, &pairs);
        let descriptions =
            pairs.pairs.iter().map(|(sent, client)| format!("`{client}` is sent as `{sent}`"));
        let descriptions: Vec<_> = descriptions.collect();
        work.record_change(
            LedgerPath::tool(at),
            format!("in the input of `{name}`: {}", descriptions.join(", ")),
        );
        work.record_original_schema(name.clone(), schema);
        work.record_property_renames(name.clone(), pairs.pairs.clone());
        renamed.insert(name.unescape().into_owned(), pairs);
    }
    if !renamed.is_empty() {
        rename_in_calls(work, &renamed);
    }
}

/// The sent name and the client's name of each rejected property.
fn property_renames(schema: JsonNode<'_>, format: &NameFormat) -> PropertyRenames {
    let properties = || schema.get("properties").into_iter().flat_map(JsonNode::fields);
    let mut used_names: HashSet<String> =
        properties().map(|property| property.key().into_owned()).collect();
    let mut pairs = PropertyRenames::default();
    for property in properties().filter(|property| !format.accepts(&property.key())) {
        let client = property.key_json_string();
        if pairs.contains(&property.key()) {
            continue;
        }
        let numbered = (0..).map(|number| alias(&client, "property", format, number));
        let mut candidates = sanitized_name(&property.key(), format).into_iter().chain(numbered);
        let sent_name = candidates.find(|sent| used_names.insert(sent.unescape().into_owned()));
        if let Some(sent_name) = sent_name {
            pairs.insert(sent_name, client);
        }
    }
    pairs
}

/// The name with `_` for each rejected character, if the target accepts that.
fn sanitized_name(name: &str, format: &NameFormat) -> Option<JsonString> {
    let punctuation = format.punctuation.unwrap_or_default();
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || punctuation.contains(c);
    let sanitized: String = name.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect();
    let sanitized = sanitized.trim_matches('_');
    format.accepts(sanitized).then(|| JsonString::new(sanitized))
}

fn rename_in_tool(work: &mut Work<'_>, at: usize, schema: &RawJson, pairs: &PropertyRenames) {
    let tool: &mut Tool = work.edit_tools()[at].edit();
    tool.kind =
        ToolKind::Function { schema: Some(rename_properties::rename_in_schema(schema, pairs)) };
    let Some((dialect, extras)) = tool.extras.as_parts() else { return };
    let Some((_, list)) = extras.iter().find(|(key, _)| key == EXAMPLES_FIELD) else { return };
    let doc = list.to_doc();
    let examples = RawJson::array(|out| {
        for example in doc.root().items() {
            out.item().json(&rename_properties::rename_in_object(example, pairs));
        }
    });
    tool.extras.retain(dialect, |key, _| key != EXAMPLES_FIELD);
    tool.extras.push(dialect, JsonString::from_static(EXAMPLES_FIELD), examples);
}

/// Renames the properties in the calls of the history.
fn rename_in_calls(work: &mut Work<'_>, renamed: &HashMap<String, PropertyRenames>) {
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let BlockContent::ToolCall(call) = &work.block(turn, at).content else { continue };
            let Some(pairs) = renamed.get(&*call.name.unescape()) else { continue };
            let ToolArgs::Json(args) = &call.args else { continue };
            let doc = args.to_doc();
            if !doc.root().fields().any(|field| pairs.contains(&field.key())) {
                continue;
            }
            let args = rename_properties::rename_in_object(doc.root(), pairs);
            let message = format!("renamed arguments of `{}` to the sent names", call.name);
            work.record_change(LedgerPath::block(turn, at), message);
            if let BlockContent::ToolCall(call) = &mut work.edit_block(turn, at).content {
                call.args = ToolArgs::Json(args);
            }
        }
    }
}

const EXAMPLES_FIELD: &str = "input_examples";
