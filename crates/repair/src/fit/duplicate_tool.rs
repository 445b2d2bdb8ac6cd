//! Two tools of one name become one if they are alike, and the later gets another name if not.
//!
//! An agent that loads the tools of a server twice sends them twice. Alike they are one tool; unlike,
//! the later is called something else on the way, and its calls come back under the client's name.
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

use interlingua_model::{Choice, Place, Tool, ToolKind};
use interlingua_wire::Text;

use crate::tools::nameless;
use crate::tools::names::{Taken, among, told};
use crate::{Profile, Work};

pub fn apply(work: &mut Work<'_>) {
    if !work.profile.tools.unique {
        return;
    }
    let mut first: HashMap<Name, usize> = HashMap::new();
    let mut taken = None;
    let (mut gone, mut others) = (HashSet::new(), Vec::new());
    let mut end = work.conversation().tools.len() - nameless(work);
    let mut at = 0;
    while at < end {
        let tools = &work.conversation().tools;
        let known = name(&tools[at], work.profile);
        let holder = known.clone().map_or(at, |name| *first.entry(name).or_insert(at));
        if holder != at {
            let (one, other) = (&tools[holder], &tools[at]);
            if alike(one, other) || both_typed(one, other) {
                let what = format!("left out `{}`, which stands there twice", other.name);
                work.change(Place::tool(at), what);
                work.tools();
                gone.insert(at);
            } else {
                // The name of a typed tool is given.
                let (which, keeps) = if is_typed(other) { (holder, at) } else { (at, holder) };
                first.extend(known.map(|name| (name, keeps)));
                let taken = taken.get_or_insert_with(|| Taken::of(tools));
                others.push(rename(work, which, taken));
                if let Some(name) = name(&work.conversation().tools[which], work.profile) {
                    let holder = first.entry(name).or_insert(which);
                    *holder = which.min(*holder);
                }
            }
            // Those of an older list stand among the others now.
            end = work.conversation().tools.len() - nameless(work);
        }
        at += 1;
    }
    if !gone.is_empty() {
        work.retain_tools(|tool| !gone.contains(&tool));
    }
    allow(work, &others);
}

/// By what two tools are taken for one another: the name, and the group where there are groups.
type Name = (String, Option<String>);

/// Nothing if the tool takes no name away: if only another dialect knows it, it is not written, and those
/// known by their type have names of their own in some dialects only.
fn name(tool: &Tool, profile: &Profile) -> Option<Name> {
    let rules = profile.tools;
    let takes = match &tool.kind {
        ToolKind::Foreign { dialect, .. } => {
            *dialect == profile.dialect && rules.named_types && !tool.name.is_empty()
        }
        ToolKind::Function { .. } | ToolKind::Freeform { .. } => true,
    };
    let group = tool.namespace.as_ref().filter(|_| rules.groups);
    let contents = |text: &Text| text.contents().into_owned();
    takes.then(|| (contents(&tool.name), group.map(contents)))
}

/// Gives the name that a tool had, and the one that it is sent under.
fn rename(work: &mut Work<'_>, at: usize, taken: &mut Taken) -> (Text, Text) {
    let rules = work.profile.tools;
    let tool = &work.conversation().tools[at];
    let client = tool.name.clone();
    let alias = taken.free_alias(&told(tool, rules), &rules.names);
    let sent = match &tool.namespace {
        Some(group) if rules.groups => among(group, &alias),
        _ => alias,
    };
    taken.rename(&client, &sent);
    work.tools()[at].edit().name = sent.clone();
    work.change(Place::tool(at), format!("another `{client}` is called `{sent}`"));
    work.renamed_tool(sent.clone(), client.clone());
    (client, sent)
}

/// Who may call a tool by its name may call the others of that name, too.
fn allow(work: &mut Work<'_>, others: &[(Text, Text)]) {
    let choice = &work.conversation().settings.choice;
    let Some(Choice::Allowed { names, required }) = choice else { return };
    let mut allowed: HashSet<String> =
        names.iter().map(|name| name.contents().into_owned()).collect();
    let may = others.iter().filter(|(client, sent)| {
        let may = allowed.contains(&*client.contents());
        may && allowed.insert(sent.contents().into_owned())
    });
    let more: Vec<Text> = may.map(|(_, sent)| sent.clone()).collect();
    if !more.is_empty() {
        let (names, required) = (names.iter().cloned().chain(more).collect(), *required);
        work.settings().choice = Some(Choice::Allowed { names, required });
    }
}

fn is_typed(tool: &Tool) -> bool {
    matches!(tool.kind, ToolKind::Foreign { .. })
}

fn both_typed(one: &Tool, other: &Tool) -> bool {
    is_typed(one) && is_typed(other)
}

/// The same definition; how it is cached does not count.
fn alike(one: &Tool, other: &Tool) -> bool {
    one.kind == other.kind && one.description == other.description && one.strict == other.strict
}
