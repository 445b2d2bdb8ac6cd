//! A search of the web that a provider does by itself is asked for as the target has it.
//!
//! Agents leave searching to whoever answers, and every provider calls that another name; some have a field for
//! it beside the tools. What the search is to keep to goes along where the target has a place for it. Where the
//! target does not search, or a tool of the client's has the name, it is left out; so is one that is to look up
//! nothing at the moment. A provider that says it has no search for a model is not asked for one again. Where a
//! long search would make the provider pause its answer, it is bounded.
//!
//! ## Why
//! > Did 0 searches in 5s
//!
//! > Tool choice 'function' not found in 'tools' parameter.
//!
//! > Hosted tool 'web_search_preview' is not supported with gpt-5-2025-08-07.
//!
//! ## Example
//! ```text
//! before   tools: {"type":"web_search_20250305","name":"web_search","allowed_domains":["a.example"]}
//! after    tools: {"type":"web_search","filters":{"allowed_domains":["a.example"]}}
//! ```

use interlingua_model::{Choice, Conversation, DialectId, Lesson, Place, Tool, ToolKind, TopField};
use interlingua_wire::json::Object;
use interlingua_wire::{Doc, Field, Json, Node, Text};

use crate::Work;
use crate::profile::searches::{self, Form, Search, Wish};
use crate::tools::forget_choice;

pub fn apply(work: &mut Work<'_>) {
    if work.profile.lessons.iter().any(|lesson| *lesson == Lesson::NoSearch) {
        return forgo(work);
    }
    let Some(target) = work.profile.tools.search else { return };
    take_in(work);
    let tools = &work.conversation().tools;
    let asked = tools.iter().position(|tool| is_elsewhere(tool, work.profile.dialect));
    let Some(at) = asked else { return };
    let tool = &tools[at];
    let ToolKind::Foreign { kind, json, .. } = &tool.kind else { return };
    let Some(source) = searches::of(&kind.contents()) else { return };
    let doc = json.doc();
    let taken = |one: &Tool| one.name == target.name || target.is_own(one);
    let others = tools.iter().enumerate().filter(|(other, _)| *other != at);
    if !source.is_wanted(&doc) || others.into_iter().any(|(_, other)| taken(other)) {
        return;
    }
    let (written, left) = target.written(source, &doc);
    let what = format!("`{kind}` is asked for as `{}`", target.kind);
    let kind = ToolKind::Foreign {
        dialect: work.profile.dialect,
        kind: Text::word(target.kind),
        json: written,
    };
    let old = tool.name.clone();
    let mut new = Tool::new(Text::word(target.name), kind);
    new.cache.clone_from(&tool.cache);
    work.change(Place::tool(at), what);
    for place in left {
        work.loss(Place::tool(at), format!("left out `{place}` of the search"));
    }
    work.tools()[at] = new.into();
    if work.conversation().settings.choice == Some(Choice::Named(old)) {
        let named = Choice::Named(Text::word(target.name));
        work.settings().choice = target.chosen.then_some(named);
        if !target.chosen {
            work.loss(Place::SETTINGS, "whether to search is left to the model");
        }
    }
}

/// A search that is asked for beside the tools is one of them for whoever has it among them.
fn take_in(work: &mut Work<'_>) {
    let Conversation { source, tools, fields, .. } = work.conversation();
    if *source == work.profile.dialect || tools.iter().any(|tool| is_search(tool)) {
        return;
    }
    let dialect = *source;
    let asks =
        |field: &TopField| field.key == searches::CHAT.kind && field.value.doc().root().is_object();
    let Some(at) = fields.iter().position(asks) else { return };
    let TopField { key, value, .. } = work.fields().remove(at);
    let kind = ToolKind::Foreign { dialect, kind: key.clone(), json: value };
    work.tools().push(Tool::new(key, kind).into());
}

/// Leaves out every search: the target has none.
fn forgo(work: &mut Work<'_>) {
    let gone: Vec<bool> = work.conversation().tools.iter().map(|tool| is_search(tool)).collect();
    let mut names = Vec::new();
    for at in (0..gone.len()).filter(|at| gone[*at]) {
        work.loss(Place::tool(at), "left out the search: the provider has none for this model");
        names.push(work.conversation().tools[at].name.clone());
    }
    if !names.is_empty() {
        work.retain_tools(|at| !gone[at]);
        forget_choice(work, &names);
    }
}

/// Whether a request, of whatever dialect, asks its provider to search.
pub fn is_asked(body: &Doc) -> bool {
    let beside = || body.root().get(searches::CHAT.kind).is_some_and(Node::is_object);
    let mut tools = body.root().get("tools").into_iter().flat_map(Node::items);
    tools.any(|tool| {
        let typed = tool.get("type").map(Node::word);
        let keyed = || tool.fields().next().map(Field::name);
        typed.or_else(keyed).is_some_and(|kind| searches::of(&kind).is_some())
    }) || beside()
}

/// Whether the tool is a search of whoever answers.
pub fn is_search(tool: &Tool) -> bool {
    matches!(&tool.kind, ToolKind::Foreign { kind, .. } if searches::of(&kind.contents()).is_some())
}

/// Whether the tool is a search that only another target knows.
fn is_elsewhere(tool: &Tool, dialect: DialectId) -> bool {
    is_search(tool) && matches!(&tool.kind, ToolKind::Foreign { dialect: of, .. } if *of != dialect)
}

impl Search {
    /// Whether the tool asks the target for a search already.
    fn is_own(&self, tool: &Tool) -> bool {
        matches!(&tool.kind, ToolKind::Foreign { kind, .. }
            if searches::of(&kind.contents()).is_some_and(|row| row.kind == self.kind))
    }

    /// Where the tool as it is written says what the search is to keep to.
    fn root<'d>(&self, doc: &'d Doc) -> Node<'d> {
        let root = doc.root();
        let held = root.fields().next().filter(|_| self.form == Form::Keyed);
        held.map_or(root, |field| field.value)
    }

    fn is_wanted(&self, doc: &Doc) -> bool {
        let live = self.live.and_then(|key| self.root(doc).get(key)?.boolean());
        live != Some(false)
    }

    /// What is said of a wish, if anything is.
    fn wish(&self, doc: &Doc, wish: Wish) -> Option<Json> {
        let (_, place) = self.places.iter().find(|(one, _)| *one == wish)?;
        let mut node = self.root(doc);
        for key in *place {
            node = node.get(key)?;
        }
        let is_nothing = node.is_null() || node.is_array() && node.items().next().is_none();
        let is_bare = wish == Wish::Near && node.is_object() && node.get("type").is_none();
        (!is_nothing).then(|| if is_bare { near(node) } else { node.json() })
    }

    /// The tool with which this row's provider is asked, and what of the client's has no place in it.
    fn written(&self, source: &Search, doc: &Doc) -> (Json, Vec<String>) {
        let (mut said, mut left) = (Vec::new(), Vec::new());
        for (wish, from) in source.places {
            let Some(value) = source.wish(doc, *wish) else { continue };
            let second = self.either && said.iter().any(|(one, _, _)| is_of_domains(*one));
            match self.places.iter().find(|(one, _)| one == wish) {
                Some((_, to)) if !(second && is_of_domains(*wish)) => {
                    said.push((*wish, *to, value));
                }
                _ => left.push(from.join(".")),
            }
        }
        let bound = self.places.iter().find(|(one, _)| *one == Wish::Most).zip(self.most);
        if let Some(((most, to), number)) =
            bound.filter(|_| said.iter().all(|one| one.0 != Wish::Most))
        {
            said.push((*most, *to, Json::number(number)));
        }
        let rest = |o: &mut Object<'_>| {
            let inside = said.iter().find_map(|(_, to, _)| (to.len() > 1).then_some(to[0]));
            if let Some(inside) = inside {
                o.object(inside, |o| {
                    for (_, to, value) in said.iter().filter(|(_, to, _)| to.len() > 1) {
                        o.json(to[1], value);
                    }
                });
            }
            for (_, to, value) in said.iter().filter(|(_, to, _)| to.len() == 1) {
                o.json(to[0], value);
            }
        };
        let json = Json::object(|o| match self.form {
            Form::Keyed => o.object(self.kind, rest),
            Form::Typed => {
                o.known("type", self.kind);
                rest(o);
            }
            Form::Beside => rest(o),
            Form::Named => {
                o.known("type", self.kind);
                o.known("name", self.name);
                rest(o);
            }
        });
        (json, left)
    }
}

/// A place, as those say it who know of several kinds.
fn near(place: Node<'_>) -> Json {
    Json::object(|o| {
        o.known("type", "approximate");
        for field in place.fields() {
            o.key_text(&field.key()).json(&field.value.json());
        }
    })
}

fn is_of_domains(wish: Wish) -> bool {
    matches!(wish, Wish::Allowed | Wish::Blocked)
}
