//! The fields of Converse: what it does not know it does not look at, but a block must be of a kind.

use super::{ANY, Fields, Foreign, Side, open};
use crate::shape::Kind::{Any, One, Open, Text, Words};
use crate::shape::{key, need};

pub(super) const FIELDS: Fields = Fields { foreign: Some(KINDS), ..ANY };

const KINDS: &[Foreign] = &[
    open("cachePoint", Side::NotResult, &[need("cachePoint", Open(CACHE_POINT))]),
    open("guardContent", Side::NotResult, &[need("guardContent", Any)]),
    open("video", Side::TurnsOrResult, &[need("video", Any)]),
    open("audio", Side::Turns, &[need("audio", Any)]),
    open("searchResult", Side::TurnsOrResult, &[need("searchResult", Any)]),
    open("citationsContent", Side::Turns, &[need("citationsContent", Any)]),
    open("toolAddition", Side::Turns, &[need("toolAddition", Any)]),
    open("toolRemoval", Side::Turns, &[need("toolRemoval", Any)]),
    // Calls of tools that the provider runs, and what came of them.
    open("toolUse", Side::Turns, &[need("toolUse", Open(CALL))]),
    open("toolResult", Side::Turns, &[need("toolResult", Open(RESULT))]),
];

const CACHE_POINT: &[crate::shape::Key] =
    &[need("type", One(&["default"])), key("ttl", One(&["5m", "1h"]))];
const CALL: &[crate::shape::Key] =
    &[need("toolUseId", Words), need("name", Words), need("input", Any)];
const RESULT: &[crate::shape::Key] = &[
    need("toolUseId", Words),
    need("content", crate::shape::Kind::List),
    key("status", One(&["success", "error"])),
    key("type", Text),
];
