//! The fields of Converse: what it does not know it does not look at, but a block must be of a kind.

use super::{ANY, Fields, Foreign, Side, open};
use crate::shape::Kind::{
    Any, Each, Either, Filled, List, Never, Object, One, Open, Spelled, Text, Title, Union, Yes,
};
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
    open("toolResult", Side::Turns, &[need("toolResult", RESULT)]),
];

pub(in crate::profile) const CACHE_POINT: Key =
    need("cachePoint", Open(&[need("type", One(&["default"])), key("ttl", One(&["5m", "1h"]))]));

const FORMAT: Key = need("format", One(&["png", "jpeg", "gif", "webp"]));
const FILE_FORMAT: Key =
    key("format", One(&["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]));
const NAME: Key = need("name", Title("-()[]"));
const S3: Key = key("s3Location", Any);
const BYTES: Key = key("bytes", Text);

const IMAGE: &[Key] = &[FORMAT, need("source", STORED)];
const DOCUMENT: &[Key] = &[FILE_FORMAT, NAME, need("source", FILED)];
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
const RESULT: Kind = Either(&[
    // What failed says something.
    Open(&[
        need("toolUseId", CALL_ID),
        need("content", Filled(&GIVEN)),
        key("status", One(&["error"])),
        key("type", Text),
    ]),
    Open(&[
        need("toolUseId", CALL_ID),
        need("content", Each(&GIVEN)),
        key("status", One(&["success"])),
        key("type", Text),
    ]),
]);

/// What stands in such a result is read as nothing else, so that all of it must be as it is taken.
const GIVEN: Kind = Union(&[
    key("json", Any),
    key("text", Text),
    key("image", Open(&[FORMAT, need("source", Union(&[BYTES, S3]))])),
    key("document", GIVEN_DOCUMENT),
    key("video", Any),
    key("searchResult", Any),
]);
/// Only with citations is a document taken as text.
const GIVEN_DOCUMENT: Kind = Either(&[
    Open(&[FILE_FORMAT, NAME, need("source", Union(&[BYTES, S3, UNREAD_TEXT, UNREAD_CONTENT]))]),
    Open(&[
        FILE_FORMAT,
        NAME,
        need("source", Union(&[BYTES, S3, key("text", Text), key("content", List)])),
        need("citations", Open(&[need("enabled", Yes)])),
    ]),
]);
const UNREAD_TEXT: Key = key("text", Never);
const UNREAD_CONTENT: Key = key("content", Never);
