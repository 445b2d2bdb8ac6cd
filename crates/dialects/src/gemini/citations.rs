//! Where a text comes from, both ways. The provider counts in bytes, the model in characters.

use interlingua_model::{Block, Body, Citation, Ledger, Place, Verbatim};
use interlingua_wire::json::Array;
use interlingua_wire::{Json, Node, Text};

use super::{ID, names};
use crate::note;

/// A citation whose span is still in bytes, and the part it is about, where that is told.
pub(super) struct Found {
    pub(super) part: Option<usize>,
    citation: Citation,
}

/// What a candidate says of its sources: plain citations, and what a search has found.
pub(super) fn find(candidate: Node<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    if let Some(metadata) = names::get(candidate, "citationMetadata") {
        let sources =
            names::get(metadata, "citationSources").or_else(|| names::get(metadata, "citations"));
        for source in sources.into_iter().flat_map(Node::items) {
            let citation = Citation {
                url: names::get(source, "uri").and_then(Node::text),
                title: names::get(source, "title").and_then(Node::text),
                quote: None,
                span: span(source),
                written: Some((ID, source.json())),
            };
            found.push(Found { part: None, citation });
        }
    }
    if let Some(metadata) = names::get(candidate, "groundingMetadata") {
        find_grounded(metadata, &mut found);
    }
    found
}

fn find_grounded(metadata: Node<'_>, found: &mut Vec<Found>) {
    let chunks: Vec<Node<'_>> =
        names::get(metadata, "groundingChunks").into_iter().flat_map(Node::items).collect();
    for support in names::get(metadata, "groundingSupports").into_iter().flat_map(Node::items) {
        let segment = names::get(support, "segment");
        let indices = names::get(support, "groundingChunkIndices");
        for index in indices.into_iter().flat_map(Node::items).filter_map(Node::count) {
            let Some(chunk) = chunks.get(index as usize) else { continue };
            let source = SOURCES.iter().find_map(|kind| names::get(*chunk, kind));
            let of = |key: &str| source.and_then(|source| names::get(source, key)?.text());
            let citation = Citation {
                url: of("uri"),
                title: of("title"),
                quote: segment.and_then(|segment| names::get(segment, "text")?.text()),
                span: segment.and_then(span),
                written: Some((ID, support.json())),
            };
            let part = segment.and_then(|segment| names::get(segment, "partIndex")?.count());
            found.push(Found { part: part.map(|part| part as usize), citation });
        }
    }
}

/// A start of 0 is not written.
fn span(node: Node<'_>) -> Option<(u64, u64)> {
    let end = names::get(node, "endIndex").and_then(Node::count)?;
    let start = names::get(node, "startIndex").and_then(Node::count).unwrap_or(0);
    Some((start, end))
}

impl Found {
    /// The citation for the text that carries it.
    pub(super) fn within(mut self, text: &str) -> Citation {
        let characters = |bytes: u64| {
            text.char_indices().take_while(|(at, _)| (*at as u64) < bytes).count() as u64
        };
        let span = self.citation.span;
        self.citation.span = span.map(|(start, end)| (characters(start), characters(end)));
        self.citation
    }
}

/// Gives each citation of a whole reply to the text it is about.
pub(super) fn attach(candidate: Node<'_>, blocks: &mut [Verbatim<Block>]) {
    for found in find(candidate) {
        let is_text = |block: &Verbatim<Block>| block.body.as_text().is_some();
        let at = found.part.filter(|part| blocks.get(*part).is_some_and(is_text));
        let Some(at) = at.or_else(|| blocks.iter().rposition(is_text)) else { continue };
        if let Body::Text { text, citations } = &mut blocks[at].edit().body {
            let citation = found.within(&text.contents());
            citations.push(citation);
        }
    }
}

/// Writes the citations of a text as the provider's plain ones. What a search has found stands in
/// metadata of its own.
pub(super) fn write(
    text: &Text,
    citations: &[Citation],
    list: &mut Array<'_>,
    place: Place,
    ledger: &mut Ledger,
) {
    for citation in citations {
        if let Some((ID, written)) = &citation.written {
            if names::get(written.doc().root(), "segment").is_none() {
                list.item().json(written);
            }
            continue;
        }
        let Some(url) = &citation.url else {
            let what = "left out a citation that has no address";
            ledger.loss(note::CITATION_REDUCED, place, what);
            continue;
        };
        if citation.quote.is_some() {
            ledger.loss(note::CITATION_REDUCED, place, "left out the words that are cited");
        }
        list.object(|object| {
            if let Some((start, end)) = citation.span {
                let contents = text.contents();
                object.number("startIndex", bytes(&contents, start));
                object.number("endIndex", bytes(&contents, end));
            }
            object.text("uri", url);
            object.text_if("title", citation.title.as_ref());
        });
    }
}

/// All citations of a reply, as a list.
pub(super) fn of_blocks(blocks: &[Verbatim<Block>], ledger: &mut Ledger) -> Json {
    Json::array(|list| {
        for (at, block) in blocks.iter().enumerate() {
            if let Body::Text { text, citations } = &block.body {
                write(text, citations, list, Place::reply(at), ledger);
            }
        }
    })
}

/// What others say a text is taken from, as clients that asked for a search look for it.
pub(super) fn found(blocks: &[Verbatim<Block>]) -> Option<Json> {
    let mut sources: Vec<&Citation> = Vec::new();
    let mut supports = Vec::new();
    for (at, block) in blocks.iter().enumerate() {
        let Body::Text { text, citations } = &block.body else { continue };
        let ours = |citation: &&Citation| matches!(&citation.written, Some((ID, _)));
        for citation in
            citations.iter().filter(|citation| !ours(citation) && citation.url.is_some())
        {
            let known = sources.iter().position(|one| one.url == citation.url);
            let source = known.unwrap_or(sources.len());
            if known.is_none() {
                sources.push(citation);
            }
            if let Some((start, end)) = citation.span.filter(|(start, end)| start < end) {
                let contents = text.contents();
                supports.push((at, source, bytes(&contents, start), bytes(&contents, end)));
            }
        }
    }
    (!sources.is_empty()).then(|| {
        Json::object(|o| {
            o.array("groundingChunks", |list| {
                for source in &sources {
                    list.object(|o| {
                        o.object("web", |o| {
                            o.text_if("uri", source.url.as_ref());
                            o.text_if("title", source.title.as_ref());
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

fn bytes(text: &str, characters: u64) -> u64 {
    let at = text.char_indices().nth(characters as usize);
    at.map_or(text.len(), |(at, _)| at) as u64
}

/// The kinds of things a search finds.
const SOURCES: &[&str] = &["web", "retrievedContext", "maps", "image"];
