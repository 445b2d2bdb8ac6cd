//! Calls without a result, in call order.

use std::collections::{HashMap, VecDeque};

use interlingua_wire::JsonString;

#[derive(Debug)]
pub(crate) struct UnansweredCall {
    pub(crate) id: JsonString,
    pub(crate) name: JsonString,
    /// The gateway derived the id: the client sent none.
    pub(crate) has_derived_id: bool,
}

#[derive(Debug, Default)]
pub(crate) struct UnansweredCalls {
    /// A short list is scanned and shrinks; in an indexed list, answered calls become `None`.
    calls: Vec<Option<UnansweredCall>>,
    /// Positions in `calls`, built once there are many.
    index: Option<CallIndex>,
    /// All calls before this position are answered.
    first_open: usize,
}

/// Positions by id and by name. Entries of answered calls are removed lazily.
#[derive(Debug, Default)]
struct CallIndex {
    by_id: HashMap<String, VecDeque<usize>>,
    by_name: HashMap<String, VecDeque<usize>>,
    /// By name, for calls with derived ids only.
    by_derived_name: HashMap<String, VecDeque<usize>>,
}

impl UnansweredCalls {
    pub(crate) fn clear(&mut self) {
        self.calls.clear();
        self.index = None;
        self.first_open = 0;
    }

    pub(crate) fn push(&mut self, call: UnansweredCall) {
        if let Some(index) = &mut self.index {
            index.insert(self.calls.len(), &call);
        }
        self.calls.push(Some(call));
        if self.index.is_none() && self.calls.len() > MAX_SCANNED_CALLS {
            let mut index = CallIndex::default();
            for (at, call) in self.calls.iter().enumerate() {
                if let Some(call) = call {
                    index.insert(at, call);
                }
            }
            self.index = Some(index);
        }
    }

    /// Removes the first call with this id and returns its id.
    pub(crate) fn take_by_id(&mut self, id: &JsonString) -> Option<JsonString> {
        self.take_first(id, |index| &mut index.by_id, |call| call.id == *id)
    }

    /// Removes the first call of this name and returns its id.
    pub(crate) fn take_by_name(&mut self, name: &JsonString) -> Option<JsonString> {
        self.take_first(name, |index| &mut index.by_name, |call| call.name == *name)
    }

    /// Removes the first call of this name with a derived id and returns that id.
    pub(crate) fn take_derived_by_name(&mut self, name: &JsonString) -> Option<JsonString> {
        let is_match = |call: &UnansweredCall| call.has_derived_id && call.name == *name;
        self.take_first(name, |index| &mut index.by_derived_name, is_match)
    }

    /// Removes the first call and returns its id.
    pub(crate) fn take_any(&mut self) -> Option<JsonString> {
        while self.calls.get(self.first_open)?.is_none() {
            self.first_open += 1;
        }
        let call = match self.index {
            None => self.calls.remove(self.first_open),
            Some(_) => self.calls[self.first_open].take(),
        };
        call.map(|call| call.id)
    }

    /// Removes all calls with this id.
    pub(crate) fn remove_by_id(&mut self, id: &JsonString) {
        match &mut self.index {
            None => {
                self.calls.retain(|call| call.as_ref().is_some_and(|call| call.id != *id));
            }
            Some(index) => {
                for at in index.by_id.remove(&*id.unescape()).into_iter().flatten() {
                    self.calls[at] = None;
                }
            }
        }
    }

    fn take_first(
        &mut self,
        key: &JsonString,
        select: impl Fn(&mut CallIndex) -> &mut HashMap<String, VecDeque<usize>>,
        is_match: impl Fn(&UnansweredCall) -> bool,
    ) -> Option<JsonString> {
        let calls = &mut self.calls;
        let Some(index) = &mut self.index else {
            let at = calls.iter().position(|call| call.as_ref().is_some_and(&is_match))?;
            return calls.remove(at).map(|call| call.id);
        };
        let index = select(index).get_mut(&*key.unescape())?;
        while let Some(at) = index.pop_front() {
            if let Some(call) = calls[at].take_if(|call| is_match(call)) {
                return Some(call.id);
            }
        }
        None
    }
}

impl CallIndex {
    fn insert(&mut self, at: usize, call: &UnansweredCall) {
        let name = || call.name.unescape().into_owned();
        self.by_id.entry(call.id.unescape().into_owned()).or_default().push_back(at);
        self.by_name.entry(name()).or_default().push_back(at);
        if call.has_derived_id {
            self.by_derived_name.entry(name()).or_default().push_back(at);
        }
    }
}

/// Up to this many calls, a scan is faster than an index.
const MAX_SCANNED_CALLS: usize = 32;
