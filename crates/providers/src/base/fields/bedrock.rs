//! Fields of the Converse API, which ignores unknown fields but requires a known kind of block.

use super::{UNRESTRICTED, open_kind};
use crate::profile::fields::{BlockPlacement, FieldProfile, ForeignKind};
use crate::shape::Shape::{
    Any, AnyList, AnyObject, ExactlyOneField, FirstOf, Forbidden, Identifier, ListOf,
    NonEmptyListOf, OneOf, Open, Text, Title, True,
};
use crate::shape::{FieldSpec, Shape, optional, required};

pub(crate) const FIELDS: FieldProfile =
    FieldProfile { foreign_kinds: Some(FOREIGN_KINDS), ..UNRESTRICTED };

const FOREIGN_KINDS: &[ForeignKind] = &[
    open_kind("cachePoint", BlockPlacement::NotResult, &[CACHE_POINT]),
    open_kind("guardContent", BlockPlacement::NotResult, &[required("guardContent", Any)]),
    // Media in S3, which other providers cannot read.
    open_kind("image", BlockPlacement::UserOrResult, &[required("image", Open(IMAGE))]),
    open_kind("document", BlockPlacement::UserOrResult, &[required("document", Open(DOCUMENT))]),
    open_kind("video", BlockPlacement::NotInstructions, &[required("video", Any)]),
    open_kind("audio", BlockPlacement::UserOrAssistant, &[required("audio", Any)]),
    open_kind("searchResult", BlockPlacement::NotInstructions, &[required("searchResult", Any)]),
    open_kind(
        "citationsContent",
        BlockPlacement::UserOrAssistant,
        &[required("citationsContent", Any)],
    ),
    open_kind("toolAddition", BlockPlacement::UserOrAssistant, &[required("toolAddition", Any)]),
    open_kind("toolRemoval", BlockPlacement::UserOrAssistant, &[required("toolRemoval", Any)]),
    // Calls of tools that the provider runs, and their results.
    open_kind("toolUse", BlockPlacement::UserOrAssistant, &[required("toolUse", Open(CALL))]),
    open_kind("toolResult", BlockPlacement::UserOrAssistant, &[required("toolResult", RESULT)]),
];

pub(crate) const CACHE_POINT: FieldSpec = required(
    "cachePoint",
    Open(&[required("type", OneOf(&["default"])), optional("ttl", OneOf(&["5m", "1h"]))]),
);

const FORMAT: FieldSpec = required("format", OneOf(&["png", "jpeg", "gif", "webp"]));
const FILE_FORMAT: FieldSpec =
    optional("format", OneOf(&["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]));
const NAME: FieldSpec = required("name", Title("-()[]"));
const S3: FieldSpec = optional("s3Location", Any);
const BYTES: FieldSpec = optional("bytes", Text);

const IMAGE: &[FieldSpec] = &[FORMAT, required("source", S3_IMAGE_SOURCE)];
const DOCUMENT: &[FieldSpec] = &[FILE_FORMAT, NAME, required("source", S3_DOCUMENT_SOURCE)];
const S3_IMAGE_SOURCE: Shape = Open(&[required("s3Location", Any), optional("bytes", Forbidden)]);
const S3_DOCUMENT_SOURCE: Shape = Open(&[
    required("s3Location", Any),
    optional("bytes", Forbidden),
    optional("text", Forbidden),
    optional("content", Forbidden),
]);

const CALL: &[FieldSpec] = &[
    required("toolUseId", CALL_ID),
    required("name", Identifier("_-")),
    required("input", AnyObject),
];
const CALL_ID: Shape = Identifier("_.:-");
const RESULT: Shape = FirstOf(&[
    // A failed result requires content.
    Open(&[
        required("toolUseId", CALL_ID),
        required("content", NonEmptyListOf(&RESULT_CONTENT)),
        optional("status", OneOf(&["error"])),
        optional("type", Text),
    ]),
    Open(&[
        required("toolUseId", CALL_ID),
        required("content", ListOf(&RESULT_CONTENT)),
        optional("status", OneOf(&["success"])),
        optional("type", Text),
    ]),
]);

/// All content of such a result must be valid, because nothing of it is decoded.
const RESULT_CONTENT: Shape = ExactlyOneField(&[
    optional("json", Any),
    optional("text", Text),
    optional("image", Open(&[FORMAT, required("source", ExactlyOneField(&[BYTES, S3]))])),
    optional("document", RESULT_DOCUMENT),
    optional("video", Any),
    optional("searchResult", Any),
]);
/// A document is text only with citations.
const RESULT_DOCUMENT: Shape = FirstOf(&[
    Open(&[
        FILE_FORMAT,
        NAME,
        required("source", ExactlyOneField(&[BYTES, S3, NO_TEXT_SOURCE, NO_CONTENT_SOURCE])),
    ]),
    Open(&[
        FILE_FORMAT,
        NAME,
        required(
            "source",
            ExactlyOneField(&[BYTES, S3, optional("text", Text), optional("content", AnyList)]),
        ),
        required("citations", Open(&[required("enabled", True)])),
    ]),
]);
const NO_TEXT_SOURCE: FieldSpec = optional("text", Forbidden);
const NO_CONTENT_SOURCE: FieldSpec = optional("content", Forbidden);
