//! Sets of spellings of calls and results that servers reject.

use interlingua_model::{Spelling, SpellingSet};

/// All omissions.
pub(crate) const ALL_SPELLINGS: SpellingSet = SpellingSet::new(&[
    Spelling::NoId,
    Spelling::EmptyId,
    Spelling::NoType,
    Spelling::NoToolName,
    Spelling::NoArguments,
    Spelling::NullArguments,
    Spelling::ObjectArguments,
    Spelling::OtherArguments,
    Spelling::NoCallId,
    Spelling::EmptyCallId,
    Spelling::NullCallId,
    Spelling::NoName,
]);
/// All omissions except a null call id of a result.
pub(crate) const ALL_BUT_NULL_CALL: SpellingSet =
    ALL_SPELLINGS.without(SpellingSet::new(&[Spelling::NullCallId]));
/// All omissions except blank ids.
pub(crate) const ALL_BUT_BLANK_IDS: SpellingSet =
    ALL_BUT_NULL_CALL.without(SpellingSet::new(&[Spelling::EmptyId, Spelling::EmptyCallId]));
/// All omissions except empty ids; null ids are rejected, as null is anywhere in a message.
pub(crate) const ALL_BUT_EMPTY_IDS: SpellingSet =
    ALL_SPELLINGS.without(SpellingSet::new(&[Spelling::EmptyId, Spelling::EmptyCallId]));
/// Only values of a wrong type, and results without their call id or name.
pub(crate) const LENIENT_SPELLINGS: SpellingSet =
    MORE_LENIENT_SPELLINGS.union(SpellingSet::new(&[Spelling::EmptyCallId]));
pub(crate) const MORE_LENIENT_SPELLINGS: SpellingSet = SpellingSet::new(&[
    Spelling::NullArguments,
    Spelling::ObjectArguments,
    Spelling::OtherArguments,
    Spelling::NoCallId,
    Spelling::NoName,
]);
