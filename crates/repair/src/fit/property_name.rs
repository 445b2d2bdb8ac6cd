//! A property of a tool's input whose name the target does not take has another one on the way.
//!
//! Servers of tools that are made from other interfaces name properties as those do: `filter[id]`,
//! `$top`. One such name in one tool has the whole request refused. The new name is the old one with `_`
//! for what may not stand there, or with a few digits if another property has that name already. It is
//! the same in the schema, in the examples and in the calls of the history, and the arguments of calls
//! in the reply come back under the client's names. A property without a title has its old name for one.
//! Only names at the root are looked at.
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

use interlingua_model::{Args, Body, Place, Tool, ToolKind};
use interlingua_wire::{Json, Node, Text};

use crate::Work;
use crate::profile::tools::Names;
use crate::schema::rekey::{self, Pairs};
use crate::tools::names::alias;

pub fn apply(work: &mut Work<'_>) {
    let Some(names) = work.profile.tools.schema.properties else { return };
    if work.conversation().tools.is_empty() {
        return;
    }
    let looks = work.looks();
    let mut renamed: HashMap<String, Pairs> = HashMap::new();
    for at in (0..looks.len()).filter(|at| looks[*at].properties) {
        let tool = &work.conversation().tools[at];
        let ToolKind::Function { schema: Some(schema) } = &tool.kind else { continue };
        let (name, schema) = (tool.name.clone(), schema.clone());
        let pairs = pairs(schema.doc().root(), &names);
        rename(work, at, &schema, &pairs);
        let known = pairs.iter().map(|(sent, client)| format!("`{client}` is called `{sent}`"));
        let known: Vec<_> = known.collect();
        work.change(Place::tool(at), format!("in the input of `{name}`, {}", known.join(", ")));
        work.lowered_schema(name.clone(), schema);
        renamed.insert(name.contents().into_owned(), pairs.clone());
        work.renamed_properties(name, pairs);
    }
    if !renamed.is_empty() {
        calls(work, &renamed);
    }
}

/// The names that properties must have instead of their own, each with its own.
fn pairs(schema: Node<'_>, names: &Names) -> Pairs {
    let properties = || schema.get("properties").into_iter().flat_map(Node::fields);
    let mut taken: HashSet<String> =
        properties().map(|property| property.name().into_owned()).collect();
    let mut pairs = Pairs::new();
    for property in properties().filter(|property| !names.fit(&property.name())) {
        let client = property.key();
        if pairs.iter().any(|(_, known)| *known == client) {
            continue;
        }
        let numbered = (0..).map(|number| alias(&client, "property", names, number));
        let mut wanted = plain(&property.name(), names).into_iter().chain(numbered);
        let free = wanted.find(|sent| taken.insert(sent.contents().into_owned()));
        pairs.extend(free.map(|sent| (sent, client)));
    }
    pairs
}

/// A name with `_` for everything that may not stand there, if that is one.
fn plain(name: &str, names: &Names) -> Option<Text> {
    let marks = names.marks.unwrap_or_default();
    let fits = |c: char| c.is_ascii_alphanumeric() || marks.contains(c);
    let spelled: String = name.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    let spelled = spelled.trim_matches('_');
    names.fit(spelled).then(|| Text::new(spelled))
}

fn rename(work: &mut Work<'_>, at: usize, schema: &Json, pairs: &Pairs) {
    let tool: &mut Tool = work.tools()[at].edit();
    tool.kind = ToolKind::Function { schema: Some(rekey::schema(schema, pairs)) };
    let Some((dialect, extras)) = tool.extras.all() else { return };
    let Some((_, list)) = extras.iter().find(|(key, _)| key == EXAMPLES) else { return };
    let doc = list.doc();
    let examples = Json::array(|out| {
        for example in doc.root().items() {
            out.item().json(&rekey::object(example, pairs));
        }
    });
    tool.extras.retain(dialect, |key, _| key != EXAMPLES);
    tool.extras.put(dialect, Text::word(EXAMPLES), examples);
}

/// Calls of the history in which the model has given such properties.
fn calls(work: &mut Work<'_>, renamed: &HashMap<String, Pairs>) {
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let Body::ToolCall(call) = &work.block(turn, at).body else { continue };
            let Some(pairs) = renamed.get(&*call.name.contents()) else { continue };
            let Args::Json(args) = &call.args else { continue };
            let doc = args.doc();
            let given = |(_, client): &(Text, Text)| doc.root().get(&client.contents()).is_some();
            if !pairs.iter().any(given) {
                continue;
            }
            let args = rekey::object(doc.root(), pairs);
            let what = format!("the arguments of `{}` have the names that are sent", call.name);
            work.change(Place::block(turn, at), what);
            if let Body::ToolCall(call) = &mut work.edit(turn, at).body {
                call.args = Args::Json(args);
            }
        }
    }
}

const EXAMPLES: &str = "input_examples";
