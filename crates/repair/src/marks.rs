//! Every cache mark of a conversation, in the order in which providers go through them.

use interlingua_model::{Block, Body, Cache, Place, Role, ToolKind, ToolResult, Verbatim};
use interlingua_wire::{Json, Text};

use crate::Work;

/// Where a mark stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    Tool(usize),
    System(usize),
    Block(usize, usize),
    /// Inside a result.
    Inner(usize, usize, usize),
}

impl Spot {
    pub(crate) fn place(self) -> Place {
        match self {
            Self::Tool(tool) => Place::tool(tool),
            Self::System(block) => Place::system(block),
            Self::Block(turn, block) | Self::Inner(turn, block, _) => Place::block(turn, block),
        }
    }

    pub(crate) fn is_in_turns(self) -> bool {
        matches!(self, Self::Block(..) | Self::Inner(..))
    }
}

/// All marks, with the lifetime each asks for.
pub(crate) fn all(work: &Work<'_>) -> Vec<(Spot, Option<Text>)> {
    let mut marks = Vec::new();
    let mut add = |spot, cache: Option<&Cache>| {
        if let Some(cache) = cache {
            marks.push((spot, cache.ttl.clone()));
        }
    };
    let conversation = work.conversation();
    for (at, tool) in conversation.tools.iter().enumerate() {
        add(Spot::Tool(at), tool.cache.as_deref());
    }
    for (at, block) in conversation.system.iter().enumerate() {
        add(Spot::System(at), block.cache.as_deref());
    }
    for (turn, at) in written(work) {
        let block = &conversation.turns[turn].blocks[at];
        for (inner, block) in inside(block).iter().enumerate() {
            add(Spot::Inner(turn, at, inner), block.cache.as_deref());
        }
        add(Spot::Block(turn, at), block.cache.as_deref());
    }
    marks
}

/// What a result holds.
fn inside(block: &Block) -> &[Verbatim<Block>] {
    match &block.body {
        Body::ToolResult(ToolResult { content, .. }) => content,
        _ => &[],
    }
}

/// Every block of the turns that holds a mark, in the order in which it is written: from another
/// dialect, results come before all else that is said until the model speaks again.
fn written(work: &Work<'_>) -> Vec<(usize, usize)> {
    let mut spots = Vec::new();
    let assistants = |turn: usize| work.turns()[turn].role == Role::Assistant;
    let is_marked = |block: &Block| {
        block.cache.is_some() || inside(block).iter().any(|block| block.cache.is_some())
    };
    let of = |turn: usize| {
        let blocks = work.blocks(turn).iter().enumerate();
        blocks.filter(move |(_, block)| is_marked(block)).map(move |(at, _)| (turn, at))
    };
    let mut start = 0;
    while start < work.turns().len() {
        let run = (start..work.turns().len()).take_while(|at| assistants(*at) == assistants(start));
        let end = start + run.count();
        let from = spots.len();
        spots.extend((start..end).flat_map(of));
        if !work.is_own() && !assistants(start) {
            let is_result = |(turn, at): &(usize, usize)| {
                matches!(work.block(*turn, *at).body, Body::ToolResult(_))
            };
            spots[from..].sort_by_key(|spot| !is_result(spot));
        }
        start = end;
    }
    spots
}

/// The field of the body that marks the whole request: where it is, and the lifetime it asks for.
pub(crate) fn whole(work: &Work<'_>, field: &str) -> Option<(usize, Option<String>)> {
    let conversation = work.conversation();
    let known = conversation.source == work.profile.dialect;
    let at = conversation.fields.iter().position(|one| known && one.key == *field)?;
    let mark = conversation.fields[at].value.doc();
    let ttl = mark.root().get("ttl").map(|ttl| ttl.word().into_owned());
    mark.root().is_object().then_some((at, ttl.filter(|ttl| !ttl.is_empty())))
}

/// Puts another mark, or none, where there was one.
pub(crate) fn set(work: &mut Work<'_>, spot: Spot, cache: Option<Cache>) {
    let cache = cache.map(Box::new);
    let dialect = work.profile.dialect;
    if work.profile.cache.beside.is_some() {
        return beside(work, spot, cache);
    }
    match spot {
        Spot::Tool(tool) => {
            let tool = work.tools()[tool].edit();
            if let ToolKind::Foreign { json, .. } = &mut tool.kind {
                *json = marked(json, cache.as_deref());
            }
            tool.extras.retain(dialect, |key, _| *key != *FIELD && !is_remembered(key));
            tool.cache = cache;
        }
        Spot::System(block) => mark(work.system()[block].edit(), cache, dialect),
        Spot::Block(turn, block) => mark(work.edit(turn, block), cache, dialect),
        Spot::Inner(turn, block, inner) => {
            if let Body::ToolResult(result) = &mut work.edit(turn, block).body {
                mark(result.content[inner].edit(), cache, dialect);
            }
        }
    }
}

/// The same where the text of what is marked does not hold the mark.
fn beside(work: &mut Work<'_>, spot: Spot, cache: Option<Box<Cache>>) {
    match spot {
        Spot::Tool(tool) => work.tools()[tool].change_beside(|tool| tool.cache = cache),
        Spot::System(block) => work.system()[block].change_beside(|block| block.cache = cache),
        Spot::Block(turn, block) => {
            work.turn(turn).blocks[block].change_beside(|block| block.cache = cache);
        }
        Spot::Inner(turn, block, inner) => {
            if let Body::ToolResult(result) = &mut work.edit(turn, block).body {
                result.content[inner].change_beside(|block| block.cache = cache);
            }
        }
    }
}

fn mark(block: &mut Block, cache: Option<Box<Cache>>, dialect: interlingua_model::DialectId) {
    if let Body::Foreign { json, .. } = &mut block.body {
        *json = marked(json, cache.as_deref());
    }
    // A mark with more in it than the model holds is kept beside it.
    block.extras.retain(dialect, |key, _| *key != *FIELD && !is_remembered(key));
    block.cache = cache;
}

/// A block as one dialect writes it, with this mark and no other.
fn marked(json: &Json, cache: Option<&Cache>) -> Json {
    let doc = json.doc();
    if !doc.root().is_object() {
        return json.clone();
    }
    Json::object(|out| {
        for field in doc.root().fields().filter(|field| !field.is(FIELD)) {
            out.key_text(&field.key()).json(&field.value.json());
        }
        if let Some(cache) = cache {
            out.object(FIELD, |out| {
                out.word("type", "ephemeral");
                out.text_if("ttl", cache.ttl.as_ref());
            });
        }
    })
}

/// The field that marks, in the one dialect whose own blocks are kept as written and may be marked.
pub(crate) const FIELD: &str = "cache_control";

/// Whether a dialect remembers with this how a mark was spelled.
fn is_remembered(key: &Text) -> bool {
    *key == "held cache_control" || *key == "held prompt_cache_breakpoint"
}
