//! Calls that wait for their response, the first one first.

use std::collections::{HashMap, VecDeque};

use interlingua_wire::Text;

#[derive(Debug)]
pub(super) struct Pending {
    pub id: Text,
    pub name: Text,
    /// The id is ours: the client wrote none.
    pub derived: bool,
}

#[derive(Debug, Default)]
pub(super) struct Waiting {
    /// Few are looked through; of many, those that are answered leave a gap.
    open: Vec<Option<Pending>>,
    /// Where in that list the calls are, once there are many.
    places: Option<Places>,
}

/// Places by the id or the name of what is there, or was.
#[derive(Debug, Default)]
struct Places {
    ids: HashMap<String, VecDeque<usize>>,
    names: HashMap<String, VecDeque<usize>>,
    /// By name, of those whose id is ours.
    derived: HashMap<String, VecDeque<usize>>,
}

impl Waiting {
    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.places = None;
    }

    pub(super) fn push(&mut self, call: Pending) {
        if let Some(places) = &mut self.places {
            places.add(self.open.len(), &call);
        }
        self.open.push(Some(call));
        if self.places.is_none() && self.open.len() > FEW {
            let mut places = Places::default();
            for (at, call) in self.open.iter().enumerate() {
                if let Some(call) = call {
                    places.add(at, call);
                }
            }
            self.places = Some(places);
        }
    }

    /// The id of the first call with this id, which waits no longer.
    pub(super) fn take(&mut self, id: &Text) -> Option<Text> {
        self.first(id, |places| &mut places.ids, |call| call.id == *id)
    }

    /// The same of the first call of this name.
    pub(super) fn take_named(&mut self, name: &Text) -> Option<Text> {
        self.first(name, |places| &mut places.names, |call| call.name == *name)
    }

    /// The same of the first call of this name whose id is ours.
    pub(super) fn take_derived(&mut self, name: &Text) -> Option<Text> {
        let is = |call: &Pending| call.derived && call.name == *name;
        self.first(name, |places| &mut places.derived, is)
    }

    fn first(
        &mut self,
        key: &Text,
        list: impl Fn(&mut Places) -> &mut HashMap<String, VecDeque<usize>>,
        is: impl Fn(&Pending) -> bool,
    ) -> Option<Text> {
        let open = &mut self.open;
        let Some(places) = &mut self.places else {
            let at = open.iter().position(|call| call.as_ref().is_some_and(&is))?;
            return open.remove(at).map(|call| call.id);
        };
        let places = list(places).get_mut(&*key.contents())?;
        while let Some(at) = places.pop_front() {
            if let Some(call) = open[at].take_if(|call| is(call)) {
                return Some(call.id);
            }
        }
        None
    }
}

impl Places {
    fn add(&mut self, at: usize, call: &Pending) {
        let name = || call.name.contents().into_owned();
        self.ids.entry(call.id.contents().into_owned()).or_default().push_back(at);
        self.names.entry(name()).or_default().push_back(at);
        if call.derived {
            self.derived.entry(name()).or_default().push_back(at);
        }
    }
}

/// So many calls are sooner looked through than looked up.
const FEW: usize = 32;
