//! Rules about reasoning items: stored, followed by their item, and with authentic content.

use super::ids::item_type_of_id;
use super::mint::Minter;
use super::view::{self, Item};
use crate::json::str_field;
use crate::seal::SealError;
use crate::{CheckContext, Request};

fn minter<'r>(request: &Request<'r>) -> Option<Minter<'r>> {
    let (provider, model) = (request.flavor, request.model);
    request.seal_key.map(|key| Minter { key, provider, model })
}

fn has_encrypted_content(item: Item<'_>) -> bool {
    !item.str_field("encrypted_content").is_empty()
}

/// References and reasoning without content, which the server must have stored.
fn id_only_items(request: &Request<'_>) -> impl Iterator<Item = (String, String)> {
    let items = view::input(request.body);
    let id_only = items.filter_map(|item| {
        let is_id_only = item.is_type("item_reference")
            || item.is_type("reasoning") && !has_encrypted_content(item);
        let id = item.id().filter(|_| is_id_only)?;
        Some((item.path(), id.to_owned()))
    });
    id_only.collect::<Vec<_>>().into_iter()
}

pub(super) fn item_not_stored(request: &Request<'_>, cx: &mut CheckContext) {
    if !view::is_store_disabled(request) {
        return;
    }
    for (path, id) in id_only_items(request) {
        let message = format!(
            "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."
        );
        cx.reject_with(path, message, Some("input"), None);
    }
}

pub(super) fn item_not_found(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(item_minter) = minter(request).filter(|_| !view::is_store_disabled(request)) else {
        return;
    };
    for (path, id) in id_only_items(request).filter(|(_, id)| item_minter.parse_id(id).is_none()) {
        let message = format!("Item with id '{id}' not found.");
        cx.reject_with(path, message, Some("input"), None);
    }
}

/// The id of a reasoning item or of a reference to one.
fn reasoning_id(item: Item<'_>) -> Option<&str> {
    let is_reasoning = item.is_type("reasoning")
        || item.is_type("item_reference") && item.str_field("id").starts_with("rs");
    item.id().filter(|_| is_reasoning)
}

pub(super) fn reasoning_without_follower(request: &Request<'_>, cx: &mut CheckContext) {
    let item_minter = minter(request);
    let next_items = view::input(request.body).skip(1).map(Some).chain([None]);
    for (item, next) in view::input(request.body).zip(next_items) {
        let Some(id) = reasoning_id(item) else { continue };
        let next = next.filter(|next| next.is_from_model());
        // Without storage, ids need not match: the Vercel AI SDK omits all ids except those of
        // reasoning.
        let may_omit_id = view::is_store_disabled(request) && has_encrypted_content(item);
        // With storage, it refers to reasoning by id and sends the call with its `call_id`.
        let is_reference = item.is_type("item_reference");
        let may_follow = |next: Item<'_>| match next.id() {
            Some(next) => item_minter.is_none_or(|item_minter| item_minter.may_follow(id, next)),
            None => may_omit_id || is_reference && !next.str_field("call_id").is_empty(),
        };
        if !next.is_some_and(may_follow) {
            let message = format!(
                "Item '{id}' of type 'reasoning' was provided without its required following item."
            );
            cx.reject_with(item.path(), message, Some("input"), None);
        }
    }
}

pub(super) fn follower_without_reasoning(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(item_minter) = minter(request).filter(|_| !view::has_server_state(request.body))
    else {
        return;
    };
    for item in view::input(request.body) {
        let Some((id, reasoning)) =
            item.id().and_then(|id| Some((id, item_minter.tied_reasoning_id(id)?)))
        else {
            continue;
        };
        let is_tied_reasoning = |earlier: Item<'_>| match earlier.id() {
            Some(id) => id == reasoning && reasoning_id(earlier).is_some(),
            None => {
                earlier.is_type("reasoning") && item_minter.is_content_of(earlier.value, &reasoning)
            }
        };
        if !view::input(request.body).take(item.index).rev().any(is_tied_reasoning) {
            let kind =
                if item.is_type("item_reference") { item_type_of_id(id) } else { item.item_type() };
            let message = format!(
                "Item '{id}' of type '{kind}' was provided without its required 'reasoning' item: '{reasoning}'."
            );
            cx.reject_with(item.path(), message, Some("input"), None);
        }
    }
}

pub(super) fn encrypted_content(request: &Request<'_>, cx: &mut CheckContext) {
    let Some(item_minter) = minter(request) else { return };
    let is_sealed = |item: &Item<'_>| {
        SEALED_ITEM_TYPES.contains(&item.item_type()) && has_encrypted_content(*item)
    };
    for item in view::input(request.body).filter(is_sealed) {
        let reason = match item_minter.content_error(item.value) {
            None => continue,
            Some(SealError::WrongProvider) => {
                "Encrypted content organization_id did not match the target organization."
            }
            Some(SealError::PrefixChanged) => {
                "Encrypted content item_id did not match the target item id."
            }
            Some(_) => "Encrypted content could not be decrypted or parsed.",
        };
        let description = match item.id() {
            Some(id) => format!("for item {id}"),
            None => first_and_last(str_field(item.value, "encrypted_content")),
        };
        let message =
            format!("The encrypted content {description} could not be verified. Reason: {reason}");
        cx.reject_with(item.path(), message, None, Some("invalid_encrypted_content"));
    }
}

/// The first and last four characters, as error messages quote them.
fn first_and_last(text: &str) -> String {
    let start: String = text.chars().take(4).collect();
    let skipped = text.chars().count().saturating_sub(4);
    let end: String = text.chars().skip(skipped).collect();
    format!("{start}...{end}")
}

const SEALED_ITEM_TYPES: &[&str] = &["reasoning", "compaction", "compaction_summary"];
