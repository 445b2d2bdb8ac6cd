//! Describes which tool calls and results each target accepts.

use interlingua_model::SpellingSet;

use crate::facts::{Fact, FactErrors, FactNode, facts, words};

facts! {
#[derive(Clone, Copy, Debug)]
pub struct CallProfile {
    /// Required position of results.
    pub result_placement: ResultPlacement,
    /// Handling of results without a call.
    pub orphan_results: OrphanResults,
    /// A call must have exactly one result.
    pub one_result_per_call: bool,
    /// Calls with ids that must differ.
    pub unique_ids: UniqueIds,
    /// Calls must be in assistant turns, results in user turns.
    pub checks_roles: bool,
    /// Calls may be in the legacy form, without ids.
    pub legacy_calls: bool,
    /// Results may be in the legacy form as well.
    pub legacy_results: bool,
    /// Format of call ids.
    pub id_format: CallIdFormat,
    /// Format of arguments.
    pub argument_form: ArgumentForm,
    /// A result needs the name of its call.
    pub results_need_name: bool,
    /// Results must be in the order of their calls, because they have no ids.
    pub ordered_results: bool,
    /// A list of calls may be empty.
    pub accepts_empty_list: bool,
    /// Spellings of calls and results that are rejected.
    pub rejected_spellings: SpellingSet,
    /// A field of a call that its result must repeat.
    pub repeated_field: Option<&'static str>,
    /// Freeform calls are supported.
    pub freeform: bool,
    /// Results of freeform calls have a form of their own.
    pub has_freeform_results: bool,
    /// Format of item ids, which exist in addition to call ids.
    pub item_id_format: Option<ItemIdFormat>,
    /// The field of a call that refers to the code which made it.
    pub caller_field: Option<&'static str>,
    /// Fields of the body that refer to a stored conversation, each with the type that its value
    /// must have, if any.
    pub stored_state_fields: &'static [(&'static str, Option<&'static str>)],
    /// Foreign calls and their results.
    pub foreign_pairs: &'static [ForeignPair],
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultPlacement {
    /// Before anything else behind the run of assistant turns.
    FirstAfterRun,
    /// Before anything else behind the assistant turn.
    FirstAfterTurn,
    /// Anywhere in the next turn.
    NextTurn,
    /// As many as calls in the next turn; the turn with the calls must follow a user turn.
    MatchingCount,
    /// Before the next assistant turn.
    BeforeNextAssistant,
    /// Anywhere, or missing.
    Anywhere,
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrphanResults {
    Rejected,
    /// Accepted among other results.
    AmongResults,
    /// Accepted if any earlier call has the id.
    AfterEarlierCall,
    Accepted,
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UniqueIds {
    /// In the whole conversation.
    Conversation,
    /// Within a turn.
    Turn,
    /// Freeform calls and other calls must not share ids.
    PerKind,
    /// Ids may repeat.
    NotRequired,
}
}

facts! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallIdFormat {
    /// Allowed characters; `None` if any.
    pub charset: Option<&'static AsciiSet>,
    /// Length in characters.
    pub min_chars: usize,
    pub max_chars: usize,
    /// A prefix that ids must not have.
    pub reserved_prefix: Option<&'static str>,
    /// A value that ids must not have.
    pub forbidden: Option<&'static str>,
    /// Calls and results have no ids at all.
    pub omitted: bool,
    /// Only ids of calls are checked: a result may refer to an unknown call.
    pub calls_only: bool,
}
}

facts! {
/// Prefixes and length of item ids.
#[derive(Clone, Copy, Debug)]
pub struct ItemIdFormat {
    pub max_chars: usize,
    pub message_prefix: &'static str,
    pub reasoning_prefix: &'static str,
    /// For calls and their results.
    pub call_prefix: &'static str,
    /// For freeform calls and their results.
    pub freeform_prefix: &'static str,
    /// For foreign items.
    pub other_prefixes: &'static [(&'static str, &'static str)],
    /// Kinds that need an id.
    pub id_required_kinds: &'static [&'static str],
}
}

words! {
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentForm {
    /// A JSON object.
    Object,
    /// JSON in a string.
    Json,
    /// As `Json`, or an empty string.
    JsonOrNothing,
    /// Any string.
    Any,
}
}

facts! {
/// A kind of foreign call.
#[derive(Clone, Copy, Debug)]
pub struct ForeignPair {
    pub call_kind: &'static str,
    pub result_kinds: ResultKinds,
    /// The id fields of the call and of the result (the first one that is present).
    pub id_fields: (&'static str, &'static [&'static str]),
    /// Required prefix of the id of a call.
    pub id_prefix: Option<&'static str>,
    pub runner: ToolRunner,
    /// Only calls and results with this field and value form such a pair; others are managed by the
    /// provider.
    pub only_if: Option<(&'static str, &'static str)>,
}
}

/// Kinds of results of a foreign call.
#[derive(Clone, Copy, Debug)]
pub enum ResultKinds {
    /// One of these kinds.
    List(&'static [&'static str]),
    /// Every kind with this suffix except one.
    Suffix(&'static str, &'static str),
}

words! {
/// Where a foreign tool runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolRunner {
    /// At the provider, with the result in the assistant turn.
    Provider,
    /// At the client.
    Client,
}
}

/// Shortest and longest id in bytes, as written in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdLengths {
    pub min: usize,
    pub max: usize,
}

impl CallIdFormat {
    /// Whether ids of these lengths are certainly valid. False does not mean that they are invalid.
    pub fn accepts_lengths(&self, lengths: Option<IdLengths>) -> bool {
        let Some(lengths) = lengths else { return true };
        let allows_any_text =
            self.charset.is_none() && self.forbidden.is_none() && self.reserved_prefix.is_none();
        let is_long_enough = self
            .min_chars
            .checked_sub(1)
            .is_none_or(|too_short| lengths.min > too_short * MAX_ESCAPED_BYTES);
        allows_any_text && is_long_enough && lengths.max <= self.max_chars
    }

    pub fn accepts(&self, id: &str) -> bool {
        let count = if id.is_ascii() { id.len() } else { id.chars().count() };
        (self.min_chars..=self.max_chars).contains(&count)
            && self.charset.is_none_or(|charset| charset.contains_all(id))
            && self.forbidden.is_none_or(|forbidden| id != forbidden)
            && self.reserved_prefix.is_none_or(|prefix| !id.starts_with(prefix))
    }
}

/// Maximum number of bytes of one character in JSON: two `\\u` escapes.
const MAX_ESCAPED_BYTES: usize = 12;

/// Letters and digits of ASCII, and some other ASCII characters.
#[derive(Debug, PartialEq, Eq)]
pub struct AsciiSet([bool; 256]);

impl AsciiSet {
    pub const fn alphanumeric_and(others: &[u8]) -> Self {
        let mut members = [false; 256];
        let mut byte = 0;
        while byte < members.len() {
            members[byte] = (byte as u8).is_ascii_alphanumeric();
            byte += 1;
        }
        let mut other = 0;
        while other < others.len() {
            members[others[other] as usize] = true;
            other += 1;
        }
        Self(members)
    }

    fn contains_all(&self, id: &str) -> bool {
        // Without an early exit, which would cost more than it saves for short ids.
        id.bytes().fold(true, |fits, byte| fits & self.0[usize::from(byte)])
    }
}

/// The characters besides letters and digits, as a string.
impl Fact for AsciiSet {
    fn expected() -> String {
        "a string of ASCII characters that are allowed besides letters and digits".into()
    }

    fn to_node(&self) -> FactNode {
        let members = (0..128_u8).filter(|byte| self.0[usize::from(*byte)]).map(char::from);
        let others: String = members.filter(|member| !member.is_ascii_alphanumeric()).collect();
        FactNode::text(&others)
    }

    fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
        match node.as_text() {
            Some(others) if others.is_ascii() => Some(Self::alphanumeric_and(others.as_bytes())),
            _ => errors.expected::<Self>(node),
        }
    }
}

/// A list of kinds, or a table of suffix and exception.
impl Fact for ResultKinds {
    fn expected() -> String {
        "a list of kinds, or { suffix = …, except = … }".into()
    }

    fn to_node(&self) -> FactNode {
        match self {
            Self::List(kinds) => kinds.to_node(),
            Self::Suffix(suffix, except) => {
                FactNode::table([("suffix", suffix.to_node()), ("except", except.to_node())])
            }
        }
    }

    fn from_node(node: &FactNode, errors: &mut FactErrors) -> Option<Self> {
        match (node.get("suffix"), node.get("except"), node.entries()) {
            (Some(suffix), Some(except), Some([_, _])) => Some(Self::Suffix(
                Fact::from_node(suffix, errors)?,
                Fact::from_node(except, errors)?,
            )),
            (None, None, None) => Fact::from_node(node, errors).map(Self::List),
            _ => errors.expected::<Self>(node),
        }
    }
}

impl ResultKinds {
    pub fn contains(&self, kind: &str) -> bool {
        match self {
            Self::List(kinds) => kinds.contains(&kind),
            Self::Suffix(end, except) => kind.ends_with(end) && kind != *except,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CallIdFormat, IdLengths};

    /// Ids that are accepted by their lengths are accepted by their contents, too.
    #[test]
    fn accepted_lengths_imply_accepted_ids() {
        let any = CallIdFormat {
            charset: None,
            min_chars: 2,
            max_chars: 24,
            reserved_prefix: None,
            forbidden: None,
            omitted: false,
            calls_only: false,
        };
        let fit = |length| any.accepts_lengths(Some(IdLengths { min: length, max: length }));
        let mut checked = 0;
        // Characters of one byte, of three bytes, and with two escapes.
        for (character, bytes) in [("a", 1), ("\u{20ac}", 3), ("\u{1f600}", 12)] {
            for count in 0..30 {
                if fit(count * bytes) {
                    assert!(any.accepts(&character.repeat(count)), "{count} times {character}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 5, "{checked}");
        assert!(
            any.accepts_lengths(None)
                && !CallIdFormat { forbidden: Some("x"), ..any }
                    .accepts_lengths(Some(IdLengths { min: 20, max: 20 }))
        );
    }
}
