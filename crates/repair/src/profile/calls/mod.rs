//! Calls and their results: what each target takes.

mod marks;
mod rows;

pub(super) use rows::ROWS;

use crate::survey::Lengths;

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "a row of data, each yes or no on its own")]
pub struct Calls {
    /// Where the results of calls must stand.
    pub answers: Answers,
    /// Results that answer no call.
    pub strays: Strays,
    /// A call has one result and no more.
    pub one_each: bool,
    /// Which calls must differ in their ids.
    pub unique: Unique,
    /// The model makes all calls, and the user brings all results.
    pub sides: bool,
    /// Calls and results may be written in the old way, without ids.
    pub old: bool,
    /// Where calls may, results may, too.
    pub old_results: bool,
    /// What an id looks like.
    pub ids: Ids,
    /// What an id looks like that comes from another dialect, where a model's name does not always tell
    /// what it takes.
    pub crossing_ids: Option<Ids>,
    /// What arguments look like.
    pub arguments: Arguments,
    /// A result has the name of its call.
    pub named_results: bool,
    /// Results stand in the order of their calls, because nothing else tells whose they are.
    pub ordered_results: bool,
    /// A list of calls may be empty.
    pub empty_list: bool,
    /// What may not be missing in how calls and results are written, by the marks of what does.
    pub complete: &'static [&'static str],
    /// A field of a call that its result repeats.
    pub repeated: Option<&'static str>,
    /// A call may take free text, and not only arguments.
    pub freeform: bool,
    /// What stands among the extras of a result of a call that took free text.
    pub freeform_mark: Option<&'static str>,
    /// Ids that items have besides those of calls.
    pub item_ids: Option<ItemIds>,
    /// The field of a call that says which code made it.
    pub caller: Option<&'static str>,
    /// Fields of the body by which the provider holds the conversation up to here, each with the type
    /// it must have for that, if it has one.
    pub continues: &'static [(&'static str, Option<&'static str>)],
    /// Calls that only this dialect knows, and what answers them.
    pub pairs: &'static [Pair],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answers {
    /// Before anything else that comes after all the model said in a row.
    FirstAfterRun,
    /// Before anything else that comes after the model's turn.
    FirstAfterTurn,
    /// Anywhere in the next turn.
    NextTurn,
    /// As many as there are calls in the next turn; the turn of the calls comes after the user's.
    Counted,
    /// Before the model speaks again.
    BeforeNext,
    /// Anywhere or nowhere.
    Anywhere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strays {
    Refused,
    /// Taken where other results may stand.
    AmongResults,
    /// Taken if any call before has the id.
    AfterTheirCall,
    Taken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unique {
    /// All of the conversation.
    Conversation,
    /// Those of one turn.
    Turn,
    /// Those of which one takes free text and the other does not.
    Kind,
    /// None.
    No,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ids {
    /// What an id may hold; `None` if anything.
    pub of: Option<&'static Letters>,
    /// The fewest and the most characters.
    pub least: usize,
    pub most: usize,
    /// How no id may begin.
    pub reserved: Option<&'static str>,
    /// What no id may be.
    pub never: Option<&'static str>,
    /// Calls and results have no ids at all.
    pub absent: bool,
    /// Only those of calls are looked at: a result may name a call that is not here in any way.
    pub of_calls: bool,
}

/// How ids of items begin, and how long they may be.
#[derive(Clone, Copy, Debug)]
pub struct ItemIds {
    pub most: usize,
    pub message: &'static str,
    pub reasoning: &'static str,
    /// Of calls, and of their results.
    pub call: &'static str,
    /// Of calls that take free text, and of their results.
    pub freeform: &'static str,
    /// What marks such a result.
    pub freeform_mark: &'static str,
    /// Of what only this dialect has.
    pub others: &'static [(&'static str, &'static str)],
    /// What is nothing without its id.
    pub needed: &'static [&'static str],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arguments {
    /// A JSON object.
    Object,
    /// JSON, in a string.
    Json,
    /// As `Json`, or nothing.
    JsonOrNothing,
    /// Any string.
    Any,
}

/// A kind of call that only one dialect knows.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub call: &'static str,
    pub results: Results,
    /// The field of the call, and those of the result (the first that is there), by which they find
    /// each other.
    pub ids: (&'static str, &'static [&'static str]),
    /// How the id of a call must begin.
    pub prefix: Option<&'static str>,
    pub from: Answerer,
    /// Only calls and results with this field and value are such a pair; others are the provider's own
    /// affair.
    pub unless: Option<(&'static str, &'static str)>,
}

/// What answers such a call.
#[derive(Clone, Copy, Debug)]
pub enum Results {
    /// These kinds.
    Kinds(&'static [&'static str]),
    /// Every kind that ends so, but one.
    Ending(&'static str, &'static str),
}

/// Who answers such a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answerer {
    /// The provider, in the model's own words.
    Provider,
    /// The client.
    Client,
}

impl Ids {
    /// Whether all ids fit of which it is known how long they are, and no more.
    pub(crate) fn surely_fit(&self, all: Option<Lengths>) -> bool {
        let Some(all) = all else { return true };
        let anything = self.of.is_none() && self.never.is_none() && self.reserved.is_none();
        let long = self.least.checked_sub(1).is_none_or(|fewer| all.least > fewer * BYTES);
        anything && long && all.most <= self.most
    }

    pub fn fit(&self, id: &str) -> bool {
        let count = if id.is_ascii() { id.len() } else { id.chars().count() };
        (self.least..=self.most).contains(&count)
            && self.of.is_none_or(|letters| letters.spell(id))
            && self.never.is_none_or(|never| id != never)
            && self.reserved.is_none_or(|begin| !id.starts_with(begin))
    }
}

/// How many bytes spell one character at the most: two escapes by number.
const BYTES: usize = 12;

/// Letters and digits of ASCII, and some others of it.
#[derive(Debug, PartialEq, Eq)]
pub struct Letters([bool; 256]);

impl Letters {
    pub(super) const fn and(others: &[u8]) -> Self {
        let mut are = [false; 256];
        let mut byte = 0;
        while byte < are.len() {
            are[byte] = (byte as u8).is_ascii_alphanumeric();
            byte += 1;
        }
        let mut other = 0;
        while other < others.len() {
            are[others[other] as usize] = true;
            other += 1;
        }
        Self(are)
    }

    fn spell(&self, id: &str) -> bool {
        // Without a way out, which would cost more than it saves.
        id.bytes().fold(true, |fits, byte| fits & self.0[usize::from(byte)])
    }
}

impl Results {
    pub fn include(&self, kind: &str) -> bool {
        match self {
            Self::Kinds(kinds) => kinds.contains(&kind),
            Self::Ending(end, but) => kind.ends_with(end) && kind != *but,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Ids;
    use crate::survey::Lengths;

    /// What is said of ids without looking at them is so, however they are spelled.
    #[test]
    fn ids_that_surely_fit_do() {
        let any = Ids {
            of: None,
            least: 2,
            most: 24,
            reserved: None,
            never: None,
            absent: false,
            of_calls: false,
        };
        let fit = |length| any.surely_fit(Some(Lengths { least: length, most: length }));
        let mut sure = 0;
        // A letter, a sign of three bytes, and one that two escapes spell.
        for (character, bytes) in [("a", 1), ("\u{20ac}", 3), ("\u{1f600}", 12)] {
            for count in 0..30 {
                if fit(count * bytes) {
                    assert!(any.fit(&character.repeat(count)), "{count} times {character}");
                    sure += 1;
                }
            }
        }
        assert!(sure > 5, "{sure}");
        assert!(
            any.surely_fit(None)
                && !Ids { never: Some("x"), ..any }
                    .surely_fit(Some(Lengths { least: 20, most: 20 }))
        );
    }
}
