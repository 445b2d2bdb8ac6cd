//! Decodes and encodes text with citations.

use interlingua_model::{Citation, Ledger, LedgerPath};
use interlingua_wire::json::ObjectWriter;
use interlingua_wire::{JsonNode, JsonString};

use super::id::ID;
use crate::note;

/// Decodes one citation of a block or of a stream delta.
pub(super) fn decode_citation(node: JsonNode<'_>) -> Citation {
    let web = node.get("location").and_then(|location| location.get("web"));
    let url = web.and_then(|web| web.get("url")).and_then(JsonNode::json_string);
    let quotes = decode_texts(node.get("sourceContent"));
    Citation {
        url,
        title: node.get("title").and_then(JsonNode::json_string),
        quote: (!quotes.is_empty()).then(|| JsonString::concat(&quotes)),
        span: None,
        original: Some((ID, node.json())),
    }
}

pub(super) fn decode_texts(list: Option<JsonNode<'_>>) -> Vec<JsonString> {
    let parts = list.into_iter().flat_map(JsonNode::items);
    parts.filter_map(|part| part.get("text")?.json_string()).collect()
}

pub(super) fn encode_citations_content(
    text: &JsonString,
    citations: &[Citation],
    o: &mut ObjectWriter<'_>,
) {
    o.array("content", |a| a.object(|o| o.json_string("text", text)));
    o.array("citations", |a| {
        for citation in citations {
            match original_json(citation) {
                Some(json) => a.item().json(json),
                None => a.object(|o| encode_citation(citation, o)),
            }
        }
    });
}

pub(super) fn encode_citation(citation: &Citation, o: &mut ObjectWriter<'_>) {
    o.json_string_opt("title", citation.title.as_ref());
    if let Some(quote) = &citation.quote {
        o.array("sourceContent", |a| a.object(|o| o.json_string("text", quote)));
    }
    if let Some(url) = &citation.url {
        o.object("location", |o| o.object("web", |o| o.json_string("url", url)));
    }
}

/// A citation's original JSON in this dialect.
pub(super) fn original_json(citation: &Citation) -> Option<&interlingua_wire::RawJson> {
    citation.original.as_ref().filter(|(dialect, _)| *dialect == ID).map(|(_, json)| json)
}

/// This dialect has no citation offsets into the text.
pub(super) fn note_reduced_citations(
    citations: &[Citation],
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    if citations.iter().any(|citation| citation.span.is_some() && original_json(citation).is_none())
    {
        let message = "citations lose their span in the text";
        ledger.record_loss(note::CITATION_REDUCED, path, message);
    }
}
