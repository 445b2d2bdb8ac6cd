//! Removes input examples that do not match a tool's schema, or moves all of them to its
//! description where the target has no field for them.
//!
//! ## Why
//! > tools.0.custom.input_examples.0: Input example does not match input_schema
//!
//! > tools.3.custom.input_examples: Extra inputs are not permitted
//!
//! ## Example
//! ```text
//! before   `read`: "reads a file"    input_examples: [{"path": "a"}]
//! after    `read`: "reads a file\n\nExamples of the input:\n{\"path\": \"a\"}"
//! ```

use interlingua_model::{LedgerPath, Tool, ToolKind};
use interlingua_wire::{JsonNode, JsonString, RawJson};

use crate::engine::Work;

pub(super) fn apply(work: &mut Work<'_>) {
    for at in 0..work.conversation().tools.len() {
        let tool = &work.conversation().tools[at];
        let Some(examples) = input_examples(tool) else { continue };
        if work.profile.tools.input_examples {
            drop_invalid(work, at, &examples);
        } else if tool.extras.get(work.profile.dialect, EXAMPLES_FIELD).is_none() {
            // In the same dialect the target accepts the field as it is.
            move_to_description(work, at, &examples);
        }
    }
}

/// The tool's input examples, if it has any.
fn input_examples(tool: &Tool) -> Option<RawJson> {
    let (_, extras) = tool.extras.as_parts()?;
    let (_, list) = extras.iter().find(|(key, _)| key == EXAMPLES_FIELD)?;
    let is_non_empty = list.to_doc().root().items().next().is_some();
    (is_non_empty && matches!(tool.kind, ToolKind::Function { .. })).then(|| list.clone())
}

/// Removes examples that lack required properties.
fn drop_invalid(work: &mut Work<'_>, at: usize, examples: &RawJson) {
    let tool = &work.conversation().tools[at];
    let schema = match &tool.kind {
        ToolKind::Function { schema: Some(schema) } => schema.to_doc(),
        _ => return,
    };
    let required: Vec<_> = schema
        .root()
        .get("required")
        .into_iter()
        .flat_map(JsonNode::items)
        .filter(|name| name.is_string())
        .map(JsonNode::str_or_empty)
        .collect();
    let is_valid = |example: &JsonNode<'_>| {
        example.is_object() && required.iter().all(|name| example.get(name).is_some())
    };
    let doc = examples.to_doc();
    let remaining: Vec<RawJson> = doc.root().items().filter(is_valid).map(JsonNode::json).collect();
    let removed_count = doc.root().len() - remaining.len();
    if removed_count == 0 {
        return;
    }
    let message = format!(
        "left out {removed_count} examples for `{}` that its schema does not allow",
        tool.name
    );
    work.record_loss(LedgerPath::tool(at), message);
    let dialect = work.profile.dialect;
    let extras = &mut work.edit_tools()[at].edit().extras;
    extras.retain(dialect, |key, _| key != EXAMPLES_FIELD);
    if !remaining.is_empty() {
        let list =
            RawJson::array(|list| remaining.iter().for_each(|example| list.item().json(example)));
        extras.push(dialect, JsonString::from_static(EXAMPLES_FIELD), list);
    }
}

fn move_to_description(work: &mut Work<'_>, at: usize, examples: &RawJson) {
    let doc = examples.to_doc();
    let mut text = "Examples of the input:".to_owned();
    for example in doc.root().items() {
        text.push('\n');
        text.push_str(example.raw());
    }
    let tool = work.edit_tools()[at].edit();
    let text = JsonString::new(&text);
    tool.description = Some(match &tool.description {
        Some(description) => JsonString::join([description, &text], "\n\n"),
        None => text,
    });
    if let Some((dialect, _)) = tool.extras.as_parts() {
        tool.extras.retain(dialect, |key, _| key != EXAMPLES_FIELD);
    }
    let message = format!("the examples for `{}` are in its description", tool.name);
    work.record_change(LedgerPath::tool(at), message);
}

const EXAMPLES_FIELD: &str = "input_examples";
