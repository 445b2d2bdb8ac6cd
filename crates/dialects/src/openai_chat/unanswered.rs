//! Calls that wait for their results, in the order they were made.

use std::collections::{HashMap, VecDeque};

use interlingua_model::{Body, Place, Role, Turn, Verbatim, derive_id};
use interlingua_wire::Text;

/// The calls of one turn that no result has answered yet: a result without an id answers one. Nobody looks
/// for them before such a result comes, and few do.
#[derive(Debug, Default)]
pub(super) struct Unanswered {
    /// Turns that were looked at.
    seen: usize,
    /// By id and name. Few are looked through; of many, those that are answered leave a gap.
    open: Vec<Option<(Text, Text)>>,
    /// Where in that list each id and each name may be, once there are many.
    places: Option<Places>,
    /// Before this one, none is open.
    first: usize,
}

#[derive(Debug, Default)]
struct Places {
    ids: HashMap<String, Vec<usize>>,
    names: HashMap<String, VecDeque<usize>>,
}

impl Unanswered {
    /// Looks at the turns that came since it was last asked.
    fn catch_up(&mut self, turns: &[Verbatim<Turn>]) {
        for turn in turns.get(self.seen..).unwrap_or_default() {
            if turn.role == Role::Assistant {
                // Whoever speaks again waits for no result of before.
                self.open.clear();
                self.places = None;
                self.first = 0;
            }
            for block in &turn.blocks {
                match &block.body {
                    Body::ToolCall(call) => self.ask(call.id.clone(), call.name.clone()),
                    Body::ToolResult(result) => self.answer(&result.call),
                    _ => {}
                }
            }
        }
        self.seen = turns.len();
    }

    fn ask(&mut self, id: Text, name: Text) {
        if let Some(places) = &mut self.places {
            places.add(self.open.len(), &id, &name);
        }
        self.open.push(Some((id, name)));
        if self.places.is_none() && self.open.len() > FEW {
            let mut places = Places::default();
            for (at, call) in self.open.iter().enumerate() {
                if let Some((id, name)) = call {
                    places.add(at, id, name);
                }
            }
            self.places = Some(places);
        }
    }

    fn answer(&mut self, id: &Text) {
        match &mut self.places {
            None => self.open.retain(|call| call.as_ref().is_some_and(|(open, _)| open != id)),
            Some(places) => {
                for at in places.ids.remove(&*id.contents()).into_iter().flatten() {
                    self.open[at] = None;
                }
            }
        }
    }

    /// The call a result without an id most likely answers, behind these turns: the first open one of that
    /// name, or the first open one at all.
    pub(super) fn guess(
        &mut self,
        before: &[Verbatim<Turn>],
        name: Option<&Text>,
        place: Place,
    ) -> Text {
        self.catch_up(before);
        // The turn that it stands in takes no more than this one.
        self.seen += 1;
        let of_name = name.and_then(|name| self.first_of(name));
        let call = of_name.or_else(|| self.first()).and_then(|at| self.open[at].take());
        if let Some((id, _)) = call {
            if self.places.is_none() {
                self.open.retain(Option::is_some);
            }
            return id;
        }
        let number = place.index.unwrap_or_default() as usize * CALLS_PER_TURN;
        derive_id("call_", name.unwrap_or(&Text::EMPTY), number)
    }

    fn first_of(&mut self, name: &Text) -> Option<usize> {
        let Some(places) = &mut self.places else {
            return self.open.iter().position(|call| call.as_ref().is_some_and(|it| it.1 == *name));
        };
        let places = places.names.get_mut(&*name.contents())?;
        while let Some(at) = places.pop_front() {
            if self.open[at].is_some() {
                return Some(at);
            }
        }
        None
    }

    fn first(&mut self) -> Option<usize> {
        while self.open.get(self.first)?.is_none() {
            self.first += 1;
        }
        Some(self.first)
    }
}

impl Places {
    fn add(&mut self, at: usize, id: &Text, name: &Text) {
        self.ids.entry(id.contents().into_owned()).or_default().push(at);
        self.names.entry(name.contents().into_owned()).or_default().push_back(at);
    }
}

/// Keeps derived ids of different turns apart.
pub(super) const CALLS_PER_TURN: usize = 128;
/// So many calls are sooner looked through than looked up.
const FEW: usize = 32;
