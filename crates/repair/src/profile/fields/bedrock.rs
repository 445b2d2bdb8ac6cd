//! The fields of Converse: what it does not know it does not look at, but a block must be of a kind.

use super::{ANY, Fields, Foreign, Side, open};
use crate::shape::Kind::{Any, List, Never, Object, One, Open, Spelled, Text};
use crate::shape::{Key, Kind, key, need};

pub(super) const FIELDS: Fields = Fields { foreign: Some(KINDS), ..ANY };

const KINDS: &[Foreign] = &[
    open("cachePoint", Side::NotResult, &[CACHE_POINT]),
    open("guardContent", Side::NotResult, &[need("guardContent", Any)]),
    // Media in a store that nobody else can look into.
    open("image", Side::UserOrResult, &[need("image", Open(IMAGE))]),
    open("document", Side::UserOrResult, &[need("document", Open(DOCUMENT))]),
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

pub(in crate::profile) const CACHE_POINT: Key =
    need("cachePoint", Open(&[need("type", One(&["default"])), key("ttl", One(&["5m", "1h"]))]));
const IMAGE: &[Key] =
    &[need("format", One(&["png", "jpeg", "gif", "webp"])), need("source", STORED)];
const DOCUMENT: &[Key] = &[
    key("format", One(&["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"])),
    need("name", Spelled("-()[]")),
    need("source", FILED),
];
const STORED: Kind = Open(&[need("s3Location", Any), key("bytes", Never)]);
const FILED: Kind = Open(&[
    need("s3Location", Any),
    key("bytes", Never),
    key("text", Never),
    key("content", Never),
]);
const CALL: &[Key] =
    &[need("toolUseId", CALL_ID), need("name", Spelled("_-")), need("input", Object)];
const CALL_ID: Kind = Spelled("_.:-");
const RESULT: &[Key] = &[
    need("toolUseId", CALL_ID),
    need("content", List),
    key("status", One(&["success", "error"])),
    key("type", Text),
];
