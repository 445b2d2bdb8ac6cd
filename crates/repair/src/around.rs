//! What stands around the turns of a request: its settings, its tools, its instructions. Agents send the same
//! with every request, and where a rule found nothing to do it need not look again.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ptr;

use interlingua_model::{DialectId, TopField};
use interlingua_wire::{Kind, Text};

use crate::profile::Row;
use crate::{ALL, About, Profile, Work};

/// What stands around the turns, and what is known of it.
#[derive(Debug)]
pub(crate) struct Around {
    goal: Goal,
    /// Every field but the list of turns, in memory of its own.
    fields: Vec<TopField>,
    /// Bytes of the fields.
    size: usize,
    /// Which rules have nothing to do with it.
    idle: [bool; ALL.len()],
}

/// Everything that rules ask about a target.
#[derive(Debug, PartialEq, Eq)]
struct Goal {
    dialect: DialectId,
    model: Option<Text>,
    betas: Vec<Text>,
    trusting: bool,
    remembers: bool,
    /// Where its rows stand in their tables.
    rows: [usize; 9],
}

/// What was seen lately, the last first.
#[derive(Debug, Default)]
struct Seen {
    all: VecDeque<Box<Around>>,
    size: usize,
}

thread_local! {
    static SEEN: RefCell<Seen> = RefCell::default();
}

impl Around {
    /// What stands around the turns of a request that nobody has touched, if it may be known again.
    pub(crate) fn of(work: &mut Work<'_>) -> Option<Box<Self>> {
        // What turns bring along counts among the tools.
        if !work.is_own() || !work.is_as_it_came() || work.holds(About::Foreign) {
            return None;
        }
        let (profile, fields) = (work.profile, &work.conversation().fields);
        let rows = rows(profile)?;
        if fields.iter().filter(|field| holds_turns(field, profile)).count() != 1 {
            return None;
        }
        let fields = || fields.iter().filter(|field| !holds_turns(field, profile));
        let length = |field: &TopField| field.key.raw().len() + field.value.as_str().len();
        let size = fields().map(length).sum();
        if size > LARGEST {
            return None;
        }
        let is_same = |one: &Self| {
            one.size == size
                && one.goal.is(profile, &rows)
                && one.fields.len() == fields().count()
                && one.fields.iter().zip(fields()).all(|(one, other)| is_same(one, other))
        };
        let known = SEEN.with_borrow_mut(|seen| seen.take(is_same));
        Some(known.unwrap_or_else(|| {
            Box::new(Self {
                goal: Goal::of(profile, rows),
                fields: fields().map(detached).collect(),
                size,
                idle: [false; _],
            })
        }))
    }

    /// Remembers it for the next request.
    pub(crate) fn keep(self: Box<Self>) {
        SEEN.with_borrow_mut(|seen| seen.keep(self));
    }
}

/// Lets a rule look at what stands around the turns, unless it is known to have nothing to do there.
#[inline]
pub(crate) fn look(
    work: &mut Work<'_>,
    apply: fn(&mut Work<'_>),
    known: Option<(&mut Around, usize)>,
) {
    let Some((around, rule)) = known.filter(|_| work.is_as_it_came()) else { return apply(work) };
    if !around.idle[rule] {
        apply(work);
        around.idle[rule] = work.is_as_it_came();
    }
}

impl Goal {
    fn of(profile: &Profile, rows: [usize; 9]) -> Self {
        Self {
            dialect: profile.dialect,
            model: profile.model.as_ref().map(Text::detached),
            betas: profile.betas.iter().map(Text::detached).collect(),
            trusting: profile.trusting,
            remembers: profile.remembers,
            rows,
        }
    }

    fn is(&self, profile: &Profile, rows: &[usize; 9]) -> bool {
        self.rows == *rows
            && self.dialect == profile.dialect
            && self.model == profile.model
            && self.betas == profile.betas
            && (self.trusting, self.remembers) == (profile.trusting, profile.remembers)
    }
}

impl Seen {
    fn take(&mut self, is_it: impl Fn(&Around) -> bool) -> Option<Box<Around>> {
        let found = self.all.iter().position(|around| is_it(around))?;
        let taken = self.all.remove(found)?;
        self.size -= taken.size;
        Some(taken)
    }

    fn keep(&mut self, around: Box<Around>) {
        self.size += around.size;
        self.all.push_front(around);
        while self.all.len() > MOST || self.size > LARGEST_IN_ALL {
            self.size -= self.all.pop_back().map_or(0, |oldest| oldest.size);
        }
    }
}

/// Where the rows of a target stand; nothing for one that has others than stand there.
fn rows(profile: &Profile) -> Option<[usize; 9]> {
    let Profile { cache, calls, fields, media, params, roles, texts, thinking, tools, .. } =
        profile;
    profile.lessons.is_empty().then_some(())?;
    Some([
        ptr::from_ref(*cache).addr(),
        ptr::from_ref(*calls).addr(),
        ptr::from_ref(*fields).addr(),
        place(media)?,
        place(params)?,
        ptr::from_ref(*roles).addr(),
        place(texts)?,
        place(thinking)?,
        ptr::from_ref(*tools).addr(),
    ])
}

fn place<T>(row: &Row<T>) -> Option<usize> {
    match row {
        Row::Known(row) => Some(ptr::from_ref(*row).addr()),
        Row::Learned(_) => None,
    }
}

fn holds_turns(field: &TopField, profile: &Profile) -> bool {
    field.key == profile.roles.list && field.value.kind() == Kind::Array
}

fn is_same(one: &TopField, other: &TopField) -> bool {
    one.key.raw() == other.key.raw() && one.value == other.value && one.known == other.known
}

fn detached(field: &TopField) -> TopField {
    let TopField { key, value, known } = field;
    TopField { key: key.detached(), value: value.detached(), known: *known }
}

/// What is larger is not kept.
const LARGEST: usize = 512 * 1024;
/// What one thread keeps at the most.
const LARGEST_IN_ALL: usize = 1024 * 1024;
const MOST: usize = 32;
