//! `reasoning_details`: entries of reasoning with their seals, both ways.

use interlingua_model::{Block, Body, Extras, Form, Seal, Thinking, Verbatim};
use interlingua_wire::json::{Array, Object};
use interlingua_wire::{Json, Node, Text};

use super::{ID, parts};

/// The issuer of a seal nobody can place.
pub(super) const UNKNOWN: &str = "unknown";

/// What the list of an assistant message says.
#[derive(Debug, Default)]
pub(super) struct Details {
    pub(super) blocks: Vec<Verbatim<Block>>,
    /// Seals that belong to the call with this id.
    pub(super) calls: Vec<(Text, Seal)>,
    /// How many of the blocks stand before the words of the message. A number that is left out in the
    /// count of the entries is where the words stand; usually they come after all of them.
    pub(super) before: usize,
}

/// Reads the list. `is_call` says whether an id is that of a call in the same message.
pub(super) fn decode(list: Node<'_>, is_call: impl Fn(&Text) -> bool) -> Details {
    let mut details = Details::default();
    let (mut expected, mut gaps) = (0, Vec::new());
    for node in list.items() {
        let block = entry(node);
        let index = node.get("index").and_then(Node::count).unwrap_or(expected);
        if index == expected + 1 {
            gaps.push(details.blocks.len());
        }
        expected = index + 1;
        let Some(seal) = block.seal.as_deref().filter(|_| is_redacted(&block)) else {
            details.blocks.push(block);
            continue;
        };
        if let Some(id) = seal.id.as_ref().filter(|id| seal.origin.issuer == GOOGLE && is_call(id))
        {
            details.calls.push((id.clone(), Seal { id: None, ..seal.clone() }));
        } else if let Some(summary) = details.blocks.last_mut().filter(|last| goes_with(last, seal))
        {
            let seal = Box::new(seal.clone());
            summary.edit().seal = Some(seal);
        } else {
            details.blocks.push(block);
        }
    }
    details.before = match gaps[..] {
        [before] => before,
        _ => details.blocks.len(),
    };
    details
}

/// One entry as a block of its own.
pub(super) fn entry(node: Node<'_>) -> Verbatim<Block> {
    let kind = node.get("type").map(Node::word).unwrap_or_default();
    let get = |key: &str| node.get(key).and_then(Node::text);
    let thinking = |text: Option<Text>, form: Form| {
        Block::new(Body::Thinking(Thinking { text: text.unwrap_or_default(), form }))
    };
    let worded = |key: &str| node.get(key).is_none_or(|words| words.is_string() || words.is_null());
    let block = match &*kind {
        // What holds something else than words is kept as it is.
        "reasoning.text" if worded("text") => {
            thinking(get("text"), Form::Full).sealed(seal(node, "signature"))
        }
        "reasoning.summary" if worded("summary") => thinking(get("summary"), Form::Summary),
        "reasoning.encrypted" if get("data").is_some() => {
            thinking(None, Form::Redacted).sealed(seal(node, "data"))
        }
        // As relays tell the blocks of another API, in a list of its own.
        "thinking" if worded("thinking") => {
            thinking(get("thinking"), Form::Full).sealed(signed(node, "signature"))
        }
        "redacted_thinking" if get("data").is_some() => {
            thinking(None, Form::Redacted).sealed(signed(node, "data"))
        }
        other if other.starts_with("reasoning.") => parts::foreign(node, Text::new(other)),
        _ => parts::foreign(node, Text::word(FOREIGN)),
    };
    let block = if matches!(block.body, Body::Foreign { .. }) {
        block
    } else {
        Block { extras: extras(node, block.seal.is_some()), ..block }
    };
    Verbatim::read(block, ID, node.json())
}

/// Whether an entry has words to show.
pub(super) fn is_shown(node: Node<'_>) -> bool {
    let words = ["text", "summary", "thinking"].into_iter().filter_map(|key| node.get(key));
    words.filter_map(Node::text).any(|words| !words.is_empty())
}

fn seal(node: Node<'_>, key: &str) -> Option<Seal> {
    let data = node.get(key)?.text().filter(|data| !data.is_empty())?;
    let format = node.get("format").map(Node::word).unwrap_or_default();
    let id = node.get("id").and_then(Node::text);
    Some(Seal { id, ..Seal::new(Text::word(issuer(&format)), data) })
}

fn signed(node: Node<'_>, key: &str) -> Option<Seal> {
    let data = node.get(key)?.text().filter(|data| !data.is_empty())?;
    Some(Seal::new(Text::word(ANTHROPIC), data))
}

/// What the model has no name for: an id without a seal, and a format that no issuer tells.
fn extras(node: Node<'_>, sealed: bool) -> Extras {
    let mut extras = Extras::default();
    for field in node.fields().filter(|field| !field.value.is_null()) {
        let keep = match &*field.name() {
            "type" | "index" | "text" | "thinking" | "summary" | "data" | "signature" => false,
            "id" => !sealed,
            "format" => {
                let format = field.value.word();
                let told = canonical(&Text::word(issuer(&format))) == Some(&*format);
                format != UNKNOWN && !told
            }
            _ => true,
        };
        if keep {
            extras.keep(ID, field);
        }
    }
    extras
}

fn is_redacted(block: &Block) -> bool {
    matches!(&block.body, Body::Thinking(thinking) if thinking.form == Form::Redacted)
}

/// Shown reasoning and the sealed whole of it come as two entries, one after the other.
fn goes_with(shown: &Block, seal: &Seal) -> bool {
    let is_shown =
        matches!(&shown.body, Body::Thinking(thinking) if thinking.form != Form::Redacted);
    let id = shown.extras.find(ID, "id").and_then(Json::text);
    is_shown && shown.seal.is_none() && belongs(id.as_ref(), seal)
}

/// Whether a seal in an entry of its own is that of shown reasoning with this id.
pub(super) fn belongs(id: Option<&Text>, seal: &Seal) -> bool {
    !is_signature(seal) && (id.is_none() || id == seal.id.as_ref())
}

/// Whether a foreign block is an entry of this list.
pub(super) fn is_entry(kind: &Text) -> bool {
    kind == FOREIGN || kind.raw().starts_with("reasoning.")
}

/// Whether anything of a block is written in the list.
pub(super) fn has_entries(block: &Verbatim<Block>) -> bool {
    match &block.body {
        Body::Thinking(thinking) => {
            block.text_for(ID).is_some_and(is_list_entry)
                || thinking.form == Form::Full
                || !thinking.text.is_empty()
                || block.seal.is_some()
        }
        _ => true,
    }
}

/// Writes one thinking block as its entries, numbered from `index` on; returns the next number.
pub(super) fn write(block: &Verbatim<Block>, index: u64, out: &mut Array<'_>) -> u64 {
    if let Some(text) = block.text_for(ID).filter(|text| is_list_entry(text)) {
        out.item().json(text);
        return index + 1;
    }
    // An entry of which nobody can say what it is goes back as it came.
    if let Body::Foreign { json, .. } = &block.body {
        out.item().json(json);
        return index + 1;
    }
    let Body::Thinking(thinking) = &block.body else { return index };
    let seal = block.seal.as_deref();
    let mut next = index;
    let shown = match thinking.form {
        Form::Redacted => None,
        Form::Full => Some(("reasoning.text", "text")),
        Form::Summary => Some(("reasoning.summary", "summary")),
    };
    // A full text carries its signature; everything else has its seal in an entry of its own.
    let beside = thinking.form == Form::Full && seal.is_none_or(is_signature);
    if let Some((kind, key)) = shown.filter(|_| beside || !thinking.text.is_empty()) {
        out.object(|o| {
            head(kind, next, o);
            o.text(key, &thinking.text);
            if let Some(seal) = seal.filter(|_| beside) {
                o.text("signature", &seal.data);
            }
            // A text of a format that seals its texts is taken for one that lost its seal.
            tail_of(block, beside || thinking.form != Form::Full, o);
        });
        next += 1;
    }
    if let Some(seal) = seal.filter(|_| !beside) {
        out.object(|o| {
            head("reasoning.encrypted", next, o);
            o.text("data", &seal.data);
            tail(block, o);
        });
        next += 1;
    }
    next
}

/// Whether a seal signs a text, or holds the reasoning itself in a form only its issuer can read.
pub(super) fn is_signature(seal: &Seal) -> bool {
    !(seal.origin.issuer == "openai" || seal.origin.issuer == "xai")
}

/// Whether a seal has a place of its own beside a text or a call.
pub(super) fn is_of_google(seal: &Seal) -> bool {
    seal.origin.issuer == GOOGLE
}

/// The entry for a call that its provider sealed.
pub(super) fn write_for_call(call: &Text, seal: &Seal, index: u64, out: &mut Array<'_>) {
    out.object(|o| {
        head("reasoning.encrypted", index, o);
        o.text("data", &seal.data);
        o.text("id", call);
        if let Some(format) = canonical(&seal.origin.issuer) {
            o.word("format", format);
        }
    });
}

pub(super) fn head(kind: &'static str, index: u64, o: &mut Object<'_>) {
    o.word("type", kind);
    o.number("index", index);
}

/// Id, format and what else the entry had.
pub(super) fn tail(block: &Block, o: &mut Object<'_>) {
    tail_of(block, true, o);
}

fn tail_of(block: &Block, formatted: bool, o: &mut Object<'_>) {
    if let Some(seal) = block.seal.as_deref() {
        o.text_if("id", seal.id.as_ref());
        if formatted
            && block.extras.find(ID, "format").is_none()
            && let Some(format) = canonical(&seal.origin.issuer)
        {
            o.word("format", format);
        }
    }
    let has_id = block.seal.as_deref().is_some_and(|seal| seal.id.is_some());
    let told = |key: &Text| has_id && key == "id" || !formatted && key == "format";
    for (key, value) in block.extras.of(ID).iter().filter(|(key, _)| !told(key)) {
        o.key_text(key).json(value);
    }
}

fn is_list_entry(text: &Json) -> bool {
    text.doc().root().get("type").is_some_and(|kind| kind.word().starts_with("reasoning."))
}

/// Who can open what an entry of this format seals.
pub(super) fn issuer(format: &str) -> &'static str {
    match format {
        "anthropic-claude-v1" => ANTHROPIC,
        "google-gemini-v1" => GOOGLE,
        format if format.ends_with("openai-responses-v1") => "openai",
        format if format.ends_with("xai-responses-v1") => "xai",
        _ => UNKNOWN,
    }
}

/// The usual format of an issuer's seals.
pub(super) fn canonical(issuer: &Text) -> Option<&'static str> {
    FORMATS.iter().find(|(name, _)| *issuer == **name).map(|(_, format)| *format)
}

const ANTHROPIC: &str = "anthropic";
pub(super) const GOOGLE: &str = "google";
const FOREIGN: &str = "reasoning_details";

const FORMATS: &[(&str, &str)] = &[
    (ANTHROPIC, "anthropic-claude-v1"),
    (GOOGLE, "google-gemini-v1"),
    ("openai", "openai-responses-v1"),
    ("xai", "xai-responses-v1"),
];
