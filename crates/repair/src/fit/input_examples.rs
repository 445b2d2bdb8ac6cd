//! Examples of a tool's input that do not fit are left out; where examples have no place, the
//! description tells them.
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

use interlingua_model::{Place, Tool, ToolKind};
use interlingua_wire::{Json, Node, Text};

use crate::Work;

pub fn apply(work: &mut Work<'_>) {
    for at in 0..work.conversation().tools.len() {
        let tool = &work.conversation().tools[at];
        let Some(examples) = examples(tool) else { continue };
        if work.profile.tools.examples {
            sift(work, at, &examples);
        } else if tool.extras.find(work.profile.dialect, KEY).is_none() {
            // In the target's own dialect it takes them for whatever they are.
            tell(work, at, &examples);
        }
    }
}

/// The examples, if there are any.
fn examples(tool: &Tool) -> Option<Json> {
    let (_, extras) = tool.extras.all()?;
    let (_, list) = extras.iter().find(|(key, _)| key == KEY)?;
    let some = list.doc().root().items().next().is_some();
    (some && matches!(tool.kind, ToolKind::Function { .. })).then(|| list.clone())
}

/// Keeps the examples that have what the schema requires.
fn sift(work: &mut Work<'_>, at: usize, examples: &Json) {
    let tool = &work.conversation().tools[at];
    let schema = match &tool.kind {
        ToolKind::Function { schema: Some(schema) } => schema.doc(),
        _ => return,
    };
    let required: Vec<_> = schema
        .root()
        .get("required")
        .into_iter()
        .flat_map(Node::items)
        .filter(|name| name.is_string())
        .map(Node::word)
        .collect();
    let fits = |example: &Node<'_>| {
        example.is_object() && required.iter().all(|name| example.get(name).is_some())
    };
    let doc = examples.doc();
    let kept: Vec<Json> = doc.root().items().filter(fits).map(Node::json).collect();
    let gone = doc.root().len() - kept.len();
    if gone == 0 {
        return;
    }
    let what =
        format!("left out {gone} examples for `{}` that its schema does not allow", tool.name);
    work.loss(Place::tool(at), what);
    let dialect = work.profile.dialect;
    let extras = &mut work.tools()[at].edit().extras;
    extras.retain(dialect, |key, _| key != KEY);
    if !kept.is_empty() {
        let list = Json::array(|list| kept.iter().for_each(|example| list.item().json(example)));
        extras.put(dialect, Text::word(KEY), list);
    }
}

fn tell(work: &mut Work<'_>, at: usize, examples: &Json) {
    let doc = examples.doc();
    let mut words = "Examples of the input:".to_owned();
    for example in doc.root().items() {
        words.push('\n');
        words.push_str(example.raw());
    }
    let tool = work.tools()[at].edit();
    let words = Text::new(&words);
    tool.description = Some(match &tool.description {
        Some(description) => Text::join([description, &words], "\n\n"),
        None => words,
    });
    if let Some((dialect, _)) = tool.extras.all() {
        tool.extras.retain(dialect, |key, _| key != KEY);
    }
    let what = format!("the examples for `{}` are told in its description", tool.name);
    work.change(Place::tool(at), what);
}

const KEY: &str = "input_examples";
