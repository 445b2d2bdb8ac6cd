//! A tool's name that the target does not take is another one on the way.
//!
//! Servers of tools prefix names until they are long, and use dots and slashes. The new name is as much
//! of the old one as fits and a few digits made from all of it, so that `create_…` and `delete_…` do
//! not become one. It is the same in the tools, in the calls of the history and in the choice of a
//! tool, each time, and calls in the reply come back under the client's name.
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

use interlingua_model::{Block, Body, Choice, Place, Tool, ToolKind, Verbatim};
use interlingua_wire::{Json, Text};

use crate::offer;
use crate::pairing::is_old;
use crate::profile::tools::Tools;
use crate::tools::nameless;
use crate::tools::names::{Taken, among, told, within};
use crate::{About, Work};

pub fn apply(work: &mut Work<'_>) {
    let mut renamed = tools(work);
    calls(work, &mut renamed);
    if renamed.list.is_empty() {
        return;
    }
    choice(work, &renamed);
    for (client, sent) in renamed.list {
        work.renamed_tool(sent, client);
    }
}

/// The names of clients, each with the one that is sent.
#[derive(Default)]
struct Pairs {
    list: Vec<(Text, Text)>,
    places: HashMap<String, usize>,
}

impl Pairs {
    /// Unless the name is among them.
    fn add(&mut self, client: Text, sent: Text) {
        if let Entry::Vacant(place) = self.places.entry(client.contents().into_owned()) {
            place.insert(self.list.len());
            self.list.push((client, sent));
        }
    }

    fn sent(&self, client: &Text) -> Option<&Text> {
        let place = self.places.get(&*client.contents())?;
        self.list.get(*place).map(|(_, sent)| sent)
    }
}

/// Names that may be called. The same few are called again and again: those are sooner compared than
/// looked up.
#[derive(Default)]
struct Fine {
    few: Vec<Text>,
    more: HashSet<String>,
}

impl Fine {
    fn add(&mut self, name: Text) {
        if self.few.len() < FEW {
            self.few.push(name);
        } else {
            self.more.insert(name.contents().into_owned());
        }
    }

    fn has(&self, name: &Text) -> bool {
        self.few.contains(name) || !self.more.is_empty() && self.more.contains(&*name.contents())
    }
}

fn tools(work: &mut Work<'_>) -> Pairs {
    let mut renamed = Pairs::default();
    let mut taken = None;
    // What leaves in a list that nobody reads may have any name.
    let mut end = work.conversation().tools.len() - nameless(work);
    let mut at = 0;
    while at < end {
        let tools = &work.conversation().tools;
        if let Some(sent) = wanted(&tools[at], work.profile.tools, tools, &mut taken) {
            let client = tools[at].name.clone();
            let what = format!("the tool `{client}` is called `{sent}`");
            let tool = work.tools()[at].edit();
            tool.name = sent.clone();
            if let ToolKind::Foreign { json, .. } = &mut tool.kind {
                *json = named(json, &sent);
            }
            work.change(Place::tool(at), what);
            if let Some(taken) = &mut taken {
                taken.rename(&client, &sent);
            }
            renamed.add(client, sent);
            end = work.conversation().tools.len() - nameless(work);
        }
        at += 1;
    }
    renamed
}

/// The name that a tool must have instead of its own, if it must.
fn wanted(
    tool: &Tool,
    rules: &Tools,
    all: &[Verbatim<Tool>],
    taken: &mut Option<Taken>,
) -> Option<Text> {
    if let ToolKind::Foreign { kind, .. } = &tool.kind {
        let kind = kind.contents();
        let fixed = rules.fixed_names.iter().find(|(start, _)| kind.starts_with(start));
        return fixed.map(|(_, name)| Text::word(name)).filter(|name| *name != tool.name);
    }
    let name = told(tool, rules);
    if rules.names.fit(&name.contents()) {
        return None;
    }
    let taken = taken.get_or_insert_with(|| Taken::of(all));
    let alias = taken.free_alias(&name, &rules.names);
    Some(match &tool.namespace {
        Some(group) if rules.groups => among(group, &alias),
        _ => alias,
    })
}

/// The definition under another name.
fn named(json: &Json, name: &Text) -> Json {
    let doc = json.doc();
    Json::object(|object| {
        for field in doc.root().fields().filter(|field| !field.is("name")) {
            object.key_text(&field.key()).json(&field.value.json());
        }
        object.text("name", name);
    })
}

/// Calls of tools that have another name now, and calls whose name cannot stand there.
fn calls(work: &mut Work<'_>, renamed: &mut Pairs) {
    let rules = work.profile.tools;
    // Without fields of their own, calls are in no group.
    let fits = |name: &Text| rules.called.fit(&name.contents());
    if renamed.list.is_empty()
        && !work.holds(About::Extras)
        && work.survey().called().is_some_and(|called| called.iter().all(fits))
    {
        return;
    }
    let mut fine = Fine::default();
    let mut taken = None;
    for turn in 0..work.turns().len() {
        for at in 0..work.blocks(turn).len() {
            let Some((client, is_call)) = name(work.block(turn, at)) else { continue };
            if fine.has(client) {
                continue;
            }
            // A call names its tool within its group, where there are groups.
            let group = group(work.block(turn, at), work).filter(|_| !client.is_empty());
            let told = group.as_ref().map_or_else(|| client.clone(), |it| within(it, client));
            // No model calls a tool without a name: whatever was sealed is not this call.
            let nameless = is_call && client.is_empty();
            let sent = match renamed.sent(client) {
                Some(sent) => sent.clone(),
                None if !is_call => continue,
                None if rules.called.fit(&told.contents()) => {
                    fine.add(client.clone());
                    continue;
                }
                None if is_old(work.block(turn, at)) && work.is_own() => continue,
                None => {
                    let client = client.clone();
                    let tools = &work.conversation().tools;
                    let taken = taken.get_or_insert_with(|| Taken::of(tools));
                    let alias = taken.free_alias(&told, &rules.called);
                    let sent = group.as_ref().map_or(alias.clone(), |it| among(it, &alias));
                    let what = format!("the call of `{client}` is one of `{sent}`");
                    renamed.add(client, sent.clone());
                    work.change(Place::block(turn, at), what);
                    sent
                }
            };
            if nameless && work.block(turn, at).seal.is_some() {
                work.loss(Place::block(turn, at), "left out the seal of a call without a name");
                work.edit(turn, at).seal = None;
            }
            match &mut work.edit(turn, at).body {
                Body::ToolCall(call) => call.name = sent,
                Body::ToolResult(result) => result.name = Some(sent),
                _ => {}
            }
        }
    }
}

/// The group of a call's tool, as the client wrote it.
fn group(block: &Block, work: &Work<'_>) -> Option<Text> {
    let written = block.extras.find(work.profile.dialect, GROUP)?;
    written.text().filter(|group| work.profile.tools.groups && !group.is_empty())
}

/// The name that a call or a result says, and whether it is a call.
fn name(block: &Block) -> Option<(&Text, bool)> {
    match &block.body {
        Body::ToolCall(call) => Some((&call.name, true)),
        Body::ToolResult(result) => result.name.as_ref().map(|name| (name, false)),
        _ => None,
    }
}

fn choice(work: &mut Work<'_>, renamed: &Pairs) {
    if offer::chooses_old(work) && nameless(work) > 0 {
        return;
    }
    let sent = |name: &Text| renamed.sent(name).cloned();
    let choice = match &work.conversation().settings.choice {
        Some(Choice::Named(name)) => sent(name).map(Choice::Named),
        Some(Choice::Allowed { names, required }) if names.iter().any(|n| sent(n).is_some()) => {
            let names = names.iter().map(|name| sent(name).unwrap_or_else(|| name.clone()));
            Some(Choice::Allowed { names: names.collect(), required: *required })
        }
        _ => None,
    };
    if choice.is_some() {
        work.settings().choice = choice;
    }
}

/// How many are a few.
const FEW: usize = 8;
/// Where a call remembers the group of its tool.
const GROUP: &str = "namespace";
