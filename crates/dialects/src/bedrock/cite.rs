//! Text with citations, both ways.

use interlingua_model::{Block, Body, Citation, Ledger, Place};
use interlingua_wire::json::Object;
use interlingua_wire::{Node, Text};

use super::ID;
use super::decode::keep_unknown;
use crate::note;

/// `citationsContent`: the text the model wrote, and where it has it from.
pub(super) fn decode(node: Node<'_>) -> Option<Block> {
    if !node.is_object() {
        return None;
    }
    let parts: Vec<Text> = texts(node.get("content"));
    // Without a word it is whatever the provider takes it for.
    if parts.iter().all(Text::is_blank) {
        return None;
    }
    let list = node.get("citations").into_iter().flat_map(Node::items);
    let body = Body::Text { text: Text::concat(&parts), citations: list.map(one).collect() };
    let mut block = Block::new(body);
    keep_unknown(node, &["content", "citations"], &mut block);
    Some(block)
}

/// One citation, as a block lists it and as a stream brings it.
pub(super) fn one(node: Node<'_>) -> Citation {
    let web = node.get("location").and_then(|location| location.get("web"));
    let url = web.and_then(|web| web.get("url")).and_then(Node::text);
    let quotes = texts(node.get("sourceContent"));
    Citation {
        url,
        title: node.get("title").and_then(Node::text),
        quote: (!quotes.is_empty()).then(|| Text::concat(&quotes)),
        span: None,
        written: Some((ID, node.json())),
    }
}

fn texts(list: Option<Node<'_>>) -> Vec<Text> {
    let parts = list.into_iter().flat_map(Node::items);
    parts.filter_map(|part| part.get("text")?.text()).collect()
}

pub(super) fn encode(text: &Text, citations: &[Citation], o: &mut Object<'_>) {
    o.array("content", |a| a.object(|o| o.text("text", text)));
    o.array("citations", |a| {
        for citation in citations {
            match written(citation) {
                Some(json) => a.item().json(json),
                None => a.object(|o| encode_one(citation, o)),
            }
        }
    });
}

pub(super) fn encode_one(citation: &Citation, o: &mut Object<'_>) {
    o.text_if("title", citation.title.as_ref());
    if let Some(quote) = &citation.quote {
        o.array("sourceContent", |a| a.object(|o| o.text("text", quote)));
    }
    if let Some(url) = &citation.url {
        o.object("location", |o| o.object("web", |o| o.text("url", url)));
    }
}

/// The citation as this dialect wrote it.
pub(super) fn written(citation: &Citation) -> Option<&interlingua_wire::Json> {
    citation.written.as_ref().filter(|(from, _)| *from == ID).map(|(_, json)| json)
}

/// A place in the text has no place here.
pub(super) fn note_reduced(citations: &[Citation], place: Place, ledger: &mut Ledger) {
    if citations.iter().any(|one| one.span.is_some() && written(one).is_none()) {
        let what = "citations lose their place in the text";
        ledger.loss(note::CITATION_REDUCED, place, what);
    }
}
