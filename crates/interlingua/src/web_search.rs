//! Adds the results of the provider's own web search as blocks at the end of a reply.
//!
//! Other dialects attach citations to a text. If the client's request enabled web search, and its
//! dialect has result blocks, one search block with all cited pages is written before the end of
//! the reply.

use interlingua_dialects::{Dialect, WebSearch, decode_web_search, find_dialect};
use interlingua_model::{
    Block, BlockContent, Citation, Delta, DialectId, Reply, ReplyContext, StreamEvent, Verbatim,
    derive_id,
};
use interlingua_wire::JsonString;

pub(crate) struct WebSearchCollector {
    to: &'static dyn Dialect,
    search: WebSearch,
    citations: Vec<Citation>,
    /// A search or a citation was seen.
    has_searched: bool,
    /// Index of the provider's own search block while it is open. The client does not get that
    /// block.
    open_search_block: Option<u32>,
}

impl WebSearchCollector {
    pub(crate) fn for_exchange(cx: &ReplyContext, to: DialectId) -> Option<Self> {
        let to =
            find_dialect(to.0).filter(|to| cx.uses_web_search && to.has_web_search_results())?;
        let id = derive_id("search_", cx.fallback_id.as_ref().unwrap_or(&JsonString::EMPTY), 0);
        let search = WebSearch { id, query: None };
        Some(Self {
            to,
            search,
            citations: Vec::new(),
            has_searched: false,
            open_search_block: None,
        })
    }

    /// Processes an event; returns whether it belongs to a search block, which is not forwarded.
    pub(crate) fn observe(&mut self, event: &StreamEvent) -> bool {
        match event {
            StreamEvent::BlockStart { index, block } => {
                self.open_search_block = self.observe_block(block).then_some(*index);
                self.open_search_block.is_some()
            }
            StreamEvent::Delta { delta: Delta::Citation(one), .. } => {
                self.add_citation(one);
                false
            }
            StreamEvent::BlockEnd { index } => {
                self.open_search_block.take_if(|open| open == index).is_some()
            }
            _ => false,
        }
    }

    /// Processes a block; returns whether it is a search block of another dialect.
    fn observe_block(&mut self, block: &Block) -> bool {
        if let BlockContent::Text { citations, .. } = &block.content {
            for one in citations {
                self.add_citation(one);
            }
        }
        let is_native = matches!(&block.content, BlockContent::Foreign { dialect, .. } if *dialect == self.to.id());
        let search = decode_web_search(block).filter(|_| !is_native);
        let is_search = search.is_some();
        let query = search.and_then(|search| search.query);
        self.search.query = query.or(self.search.query.take());
        self.has_searched |= is_search;
        is_search
    }

    fn add_citation(&mut self, citation: &Citation) {
        let is_new =
            |url: &JsonString| self.citations.iter().all(|known| known.url.as_ref() != Some(url));
        let is_native = |(dialect, _): &(DialectId, _)| *dialect == self.to.id();
        if citation.url.as_ref().is_some_and(is_new)
            && !citation.original.as_ref().is_some_and(is_native)
        {
            self.has_searched = true;
            self.citations.push(citation.clone());
        }
    }

    /// The blocks to append to the reply.
    pub(crate) fn result_blocks(&self) -> impl Iterator<Item = Block> {
        let blocks = self
            .has_searched
            .then(|| self.to.encode_web_search_results(&self.search, &self.citations));
        blocks.into_iter().flatten().map(Block::new)
    }

    /// Returns a copy of the reply with the result blocks at its end; `None` if there was no
    /// search.
    pub(crate) fn apply_to_reply(reply: &Reply, cx: &ReplyContext, to: DialectId) -> Option<Reply> {
        let mut web_search_collector = Self::for_exchange(cx, to)?;
        let keep: Vec<bool> = reply
            .turn
            .blocks
            .iter()
            .map(|block| !web_search_collector.observe_block(block))
            .collect();
        let mut reply = web_search_collector.has_searched.then(|| reply.clone())?;
        let mut keep = keep.into_iter();
        reply.turn.blocks.retain(|_| keep.next() == Some(true));
        reply.turn.blocks.extend(web_search_collector.result_blocks().map(Verbatim::new));
        Some(reply)
    }
}
