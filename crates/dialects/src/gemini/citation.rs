//! Decodes and encodes citations. The provider counts spans in bytes, the model in characters.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::HashMap;

use interlingua_model::{Block, BlockContent, Citation, Ledger, LedgerPath, Verbatim};
use interlingua_wire::json::ArrayWriter;
use interlingua_wire::{JsonNode, JsonString, RawJson};

use super::field_name;
use super::id::ID;
use crate::common::char_offsets::CharOffsets;
use crate::note;

/// A citation with its span still in bytes, and the index of its part, if given.
pub(super) struct RawCitation {
    pub(super) part_index: Option<usize>,
    citation: Citation,
}

/// Decodes the citations of a candidate: `citationMetadata` and `groundingMetadata`.
pub(super) fn decode_citations(candidate: JsonNode<'_>) -> Vec<RawCitation> {
    let mut citations = Vec::new();
    if let Some(metadata) = field_name::get(candidate, "citationMetadata") {
        let sources = field_name::get(metadata, "citationSources")
            .or_else(|| field_name::get(metadata, "citations"));
        for source in sources.into_iter().flat_map(JsonNode::items) {
            let citation = Citation {
                url: field_name::get(source, "uri").and_then(JsonNode::json_string),
                title: field_name::get(source, "title").and_then(JsonNode::json_string),
                quote: None,
                span: decode_span(source),
                original: Some((ID, source.json())),
            };
            citations.push(RawCitation { part_index: None, citation });
        }
    }
    if let Some(metadata) = field_name::get(candidate, "groundingMetadata") {
        decode_grounding(metadata, &mut citations);
    }
    citations
}

fn decode_grounding(metadata: JsonNode<'_>, citations: &mut Vec<RawCitation>) {
    let chunks: Vec<JsonNode<'_>> = field_name::get(metadata, "groundingChunks")
        .into_iter()
        .flat_map(JsonNode::items)
        .collect();
    for support in
        field_name::get(metadata, "groundingSupports").into_iter().flat_map(JsonNode::items)
    {
        let segment = field_name::get(support, "segment");
        let indices = field_name::get(support, "groundingChunkIndices");
        for index in indices.into_iter().flat_map(JsonNode::items).filter_map(JsonNode::as_u64) {
            let Some(chunk) = chunks.get(index as usize) else { continue };
            let source =
                GROUNDING_SOURCE_KEYS.iter().find_map(|kind| field_name::get(*chunk, kind));
            let source_field =
                |key: &str| source.and_then(|source| field_name::get(source, key)?.json_string());
            let citation = Citation {
                url: source_field("uri"),
                title: source_field("title"),
                quote: segment.and_then(|segment| field_name::get(segment, "text")?.json_string()),
                span: segment.and_then(decode_span),
                original: Some((ID, support.json())),
            };
            let part = segment.and_then(|segment| field_name::get(segment, "partIndex")?.as_u64());
            citations.push(RawCitation { part_index: part.map(|part| part as usize), citation });
        }
    }
}

/// A start of 0 is omitted by the provider.
fn decode_span(node: JsonNode<'_>) -> Option<(u64, u64)> {
    let end = field_name::get(node, "endIndex").and_then(JsonNode::as_u64)?;
    let start = field_name::get(node, "startIndex").and_then(JsonNode::as_u64).unwrap_or(0);
    Some((start, end))
}

impl RawCitation {
    /// Converts the span to characters of `text`.
    pub(super) fn with_char_span(mut self, text: &str, offsets: &CharOffsets) -> Citation {
        let to_char_offset = |byte: u64| offsets.to_char_offset(text, byte);
        let span = self.citation.span;
        self.citation.span = span.map(|(start, end)| (to_char_offset(start), to_char_offset(end)));
        self.citation
    }
}

/// Attaches each citation of a complete reply to the text block it refers to.
pub(super) fn attach_citations(candidate: JsonNode<'_>, blocks: &mut [Verbatim<Block>]) {
    let raw_citations = decode_citations(candidate);
    if raw_citations.is_empty() {
        return;
    }
    let is_text = |block: &Verbatim<Block>| block.content.as_text().is_some();
    let last_text = blocks.iter().rposition(is_text);
    let mut texts: HashMap<usize, (String, CharOffsets)> = HashMap::new();
    for raw_citation in raw_citations {
        let at = raw_citation.part_index.filter(|part| blocks.get(*part).is_some_and(is_text));
        let Some(at) = at.or(last_text) else { continue };
        if let BlockContent::Text { text, citations } = &mut blocks[at].edit().content {
            let (text, offsets) = texts.entry(at).or_insert_with(|| {
                let text = text.unescape().into_owned();
                let offsets = CharOffsets::new(&text);
                (text, offsets)
            });
            citations.push(raw_citation.with_char_span(text, offsets));
        }
    }
}

/// Encodes the citations of a text as `citationSources`. Search results are encoded as grounding
/// metadata instead.
pub(super) fn encode_citations(
    text: &JsonString,
    citations: &[Citation],
    list: &mut ArrayWriter<'_>,
    path: LedgerPath,
    ledger: &mut Ledger,
) {
    if citations.is_empty() {
        return;
    }
    let contents = text.unescape();
    let offsets = LazyCell::new(|| CharOffsets::new(&contents));
    for citation in citations {
        if let Some((ID, original)) = &citation.original {
            if field_name::get(original.to_doc().root(), "segment").is_none() {
                list.item().json(original);
            }
            continue;
        }
        let Some(url) = &citation.url else {
            let message = "left out a citation without a URL";
            ledger.record_loss(note::CITATION_REDUCED, path, message);
            continue;
        };
        if citation.quote.is_some() {
            ledger.record_loss(note::CITATION_REDUCED, path, "left out the quote of a citation");
        }
        list.object(|object| {
            if let Some((start, end)) = citation.span {
                object.number("startIndex", offsets.to_byte_offset(&contents, start));
                object.number("endIndex", offsets.to_byte_offset(&contents, end));
            }
            object.json_string("uri", url);
            object.json_string_opt("title", citation.title.as_ref());
        });
    }
}

pub(super) fn encode_reply_citations(blocks: &[Verbatim<Block>], ledger: &mut Ledger) -> RawJson {
    RawJson::array(|list| {
        for (at, block) in blocks.iter().enumerate() {
            if let BlockContent::Text { text, citations } = &block.content {
                encode_citations(text, citations, list, LedgerPath::reply(at), ledger);
            }
        }
    })
}

/// Encodes citations of other dialects as `groundingMetadata`, where clients that requested a
/// search look for them.
pub(super) fn encode_grounding_metadata(blocks: &[Verbatim<Block>]) -> Option<RawJson> {
    let mut sources: Vec<&Citation> = Vec::new();
    let mut source_positions: HashMap<Cow<'_, str>, usize> = HashMap::new();
    let mut supports = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let BlockContent::Text { text, citations } = &block.content else { continue };
        if citations.is_empty() {
            continue;
        }
        let contents = text.unescape();
        let offsets = LazyCell::new(|| CharOffsets::new(&contents));
        let is_same_dialect = |citation: &&Citation| matches!(&citation.original, Some((ID, _)));
        for citation in citations.iter().filter(|citation| !is_same_dialect(citation)) {
            let Some(url) = &citation.url else { continue };
            let source = *source_positions.entry(url.unescape()).or_insert_with(|| {
                sources.push(citation);
                sources.len() - 1
            });
            if let Some((start, end)) = citation.span.filter(|(start, end)| start < end) {
                supports.push((
                    at,
                    source,
                    offsets.to_byte_offset(&contents, start),
                    offsets.to_byte_offset(&contents, end),
                ));
            }
        }
    }
    (!sources.is_empty()).then(|| {
        RawJson::object(|o| {
            o.array("groundingChunks", |list| {
                for source in &sources {
                    list.object(|o| {
                        o.object("web", |o| {
                            o.json_string_opt("uri", source.url.as_ref());
                            o.json_string_opt("title", source.title.as_ref());
                        });
                    });
                }
            });
            o.array("groundingSupports", |list| {
                for (part, source, start, end) in &supports {
                    list.object(|o| {
                        o.object("segment", |o| {
                            o.number("partIndex", *part as u64);
                            o.number("startIndex", *start);
                            o.number("endIndex", *end);
                        });
                        o.array("groundingChunkIndices", |list| list.item().number(*source as u64));
                    });
                }
            });
        })
    })
}

/// Source keys of a grounding chunk.
const GROUNDING_SOURCE_KEYS: &[&str] = &["web", "retrievedContext", "maps", "image"];
