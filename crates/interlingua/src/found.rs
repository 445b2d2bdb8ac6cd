//! What a provider's own search has found, for clients whose dialect tells of that in blocks.
//!
//! Others say beside a text what it is taken from. When a reply ends that says so, and whose client has left
//! searching to whoever answers, a search stands at its end with everything that was found.

use interlingua_dialects::{Dialect, Search, find, searched};
use interlingua_model::{
    Block, Body, Citation, Delta, DialectId, Event, Exchange, Reply, Verbatim, derive_id,
};
use interlingua_wire::Text;

pub(crate) struct Found {
    to: &'static dyn Dialect,
    search: Search,
    places: Vec<Citation>,
    /// Something was looked for.
    any: bool,
    /// The block that tells of a search in the provider's way, while it is open.
    aside: Option<u32>,
}

impl Found {
    pub(crate) fn within(exchange: &Exchange, to: DialectId) -> Option<Self> {
        let to = find(to.0).filter(|to| exchange.searches && to.tells_at_end())?;
        let id = derive_id("search_", exchange.id.as_ref().unwrap_or(&Text::EMPTY), 0);
        let search = Search { id, query: None };
        Some(Self { to, search, places: Vec::new(), any: false, aside: None })
    }

    /// Hears the next event; whether it is one of a search, of which the client hears at the end.
    pub(crate) fn hears(&mut self, event: &Event) -> bool {
        match event {
            Event::Open { index, block } => {
                self.aside = self.sees(block).then_some(*index);
                self.aside.is_some()
            }
            Event::Delta { delta: Delta::Citation(one), .. } => {
                self.takes(one);
                false
            }
            Event::Close { index } => self.aside.take_if(|aside| aside == index).is_some(),
            _ => false,
        }
    }

    /// Looks at a whole block; whether it tells of a search.
    fn sees(&mut self, block: &Block) -> bool {
        if let Body::Text { citations, .. } = &block.body {
            for one in citations {
                self.takes(one);
            }
        }
        let ours = matches!(&block.body, Body::Foreign { dialect, .. } if *dialect == self.to.id());
        let search = searched(block).filter(|_| !ours);
        let is_search = search.is_some();
        let asked = search.and_then(|search| search.query);
        self.search.query = asked.or(self.search.query.take());
        self.any |= is_search;
        is_search
    }

    fn takes(&mut self, citation: &Citation) {
        let is_new = |url: &Text| self.places.iter().all(|one| one.url.as_ref() != Some(url));
        let ours = |(dialect, _): &(DialectId, _)| *dialect == self.to.id();
        if citation.url.as_ref().is_some_and(is_new) && !citation.written.as_ref().is_some_and(ours)
        {
            self.any = true;
            self.places.push(citation.clone());
        }
    }

    /// The blocks for the end of the reply.
    pub(crate) fn told(&self) -> impl Iterator<Item = Block> {
        let told = self.any.then(|| self.to.tells_found(&self.search, &self.places));
        told.into_iter().flatten().map(Block::new)
    }

    /// A whole reply with what was found at its end, if anything was looked for.
    pub(crate) fn in_whole(reply: &Reply, exchange: &Exchange, to: DialectId) -> Option<Reply> {
        let mut found = Self::within(exchange, to)?;
        let others: Vec<bool> = reply.turn.blocks.iter().map(|block| !found.sees(block)).collect();
        let mut reply = found.any.then(|| reply.clone())?;
        let mut others = others.into_iter();
        reply.turn.blocks.retain(|_| others.next() == Some(true));
        reply.turn.blocks.extend(found.told().map(Verbatim::new));
        Some(reply)
    }
}
