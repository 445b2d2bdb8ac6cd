//! Whether reasoning is what the model thought, and stands before what it led to.

use super::ids::kind_of;
use super::mint::Mint;
use super::view::{self, Item};
use crate::rule::string;
use crate::seal::Broken;
use crate::{Evidence, Findings, Request, Rule};

pub(super) const NOT_FOUND: [Rule; 2] = [
    Rule {
        name: "item-not-stored",
        status: 404,
        when: "The server is to keep nothing, and an item is only named, or is reasoning without its encrypted content.",
        words: "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
        evidence: Evidence::Seen,
        source: "oh-my-pi#41, opencode#8987, coder PR#23368",
        check: item_not_stored,
    },
    Rule {
        name: "item-not-found",
        status: 404,
        when: "An item is only named, or is reasoning without its encrypted content, and the server never made it.",
        words: "Item with id '{id}' not found.",
        evidence: Evidence::Quoted,
        source: "several public repositories",
        check: item_not_found,
    },
];

pub(super) const RULES: [Rule; 3] = [
    Rule {
        name: "reasoning-without-follower",
        status: 400,
        when: "Reasoning with an id is not followed by the item that came after it, with that item's id (which may be missing where nothing is stored, or from a call after reasoning that is only named).",
        words: "Item '{id}' of type 'reasoning' was provided without its required following item.",
        evidence: Evidence::Seen,
        source: "continue#8933, continue#10428, vercel/ai#7099, openai-node#1567, openai-agents-js#326, coder PR#23297, vercel/ai PR#15795",
        check: reasoning_without_follower,
    },
    Rule {
        name: "follower-without-reasoning",
        status: 400,
        when: "An item with its id comes without the reasoning that led to it.",
        words: "Item '{id}' of type '{type}' was provided without its required 'reasoning' item: '{reasoning}'.",
        evidence: Evidence::Seen,
        source: "ten public repositories",
        check: follower_without_reasoning,
    },
    Rule {
        name: "encrypted-content",
        status: 400,
        when: "Encrypted content was changed, is of another item, model family, account or provider, or its summary was changed.",
        words: "The encrypted content for item {id} could not be verified. Reason: {reason}\nThe encrypted content {begin}...{end} could not be verified. Reason: {reason}",
        evidence: Evidence::Seen,
        source: "openai/codex#8119, openai/codex#8145, openai/codex#35334, sub2api#2863",
        check: encrypted_content,
    },
];

fn mint<'r>(request: &Request<'r>) -> Option<Mint<'r>> {
    let (provider, model) = (request.flavor, request.model);
    request.key.map(|key| Mint { key, provider, model })
}

fn has_content(item: Item<'_>) -> bool {
    !item.text("encrypted_content").is_empty()
}

/// Items of which only the server can know the contents.
fn named(request: &Request<'_>) -> impl Iterator<Item = (String, String)> {
    let items = view::input(request.body);
    let named = items.filter_map(|item| {
        let only = item.is("item_reference") || item.is("reasoning") && !has_content(item);
        let id = item.id().filter(|_| only)?;
        Some((item.path(), id.to_owned()))
    });
    named.collect::<Vec<_>>().into_iter()
}

fn item_not_stored(request: &Request<'_>, findings: &mut Findings) {
    if !view::keeps_nothing(request) {
        return;
    }
    for (path, id) in named(request) {
        let message = format!(
            "Item with id '{id}' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input."
        );
        findings.add_with(path, message, Some("input"), None);
    }
}

fn item_not_found(request: &Request<'_>, findings: &mut Findings) {
    let Some(mint) = mint(request).filter(|_| !view::keeps_nothing(request)) else { return };
    for (path, id) in named(request).filter(|(_, id)| mint.read(id).is_none()) {
        let message = format!("Item with id '{id}' not found.");
        findings.add_with(path, message, Some("input"), None);
    }
}

/// The id of a reasoning item, be it there or only named.
fn reasoning_id(item: Item<'_>) -> Option<&str> {
    let is = item.is("reasoning") || item.is("item_reference") && item.text("id").starts_with("rs");
    item.id().filter(|_| is)
}

fn reasoning_without_follower(request: &Request<'_>, findings: &mut Findings) {
    let mint = mint(request);
    let nexts = view::input(request.body).skip(1).map(Some).chain([None]);
    for (item, next) in view::input(request.body).zip(nexts) {
        let Some(id) = reasoning_id(item) else { continue };
        let next = next.filter(|next| next.is_models());
        // Where nothing is kept there is nothing to look an id up by: the Vercel AI SDK leaves out
        // all but those of reasoning.
        let unkept = view::keeps_nothing(request) && has_content(item);
        // Where all is kept, it names reasoning and sends the call as it was: its `call_id` tells.
        let named = item.is("item_reference");
        let follows = |next: Item<'_>| match next.id() {
            Some(next) => mint.is_none_or(|mint| mint.follows(id, next)),
            None => unkept || named && !next.text("call_id").is_empty(),
        };
        if !next.is_some_and(follows) {
            let message = format!(
                "Item '{id}' of type 'reasoning' was provided without its required following item."
            );
            findings.add_with(item.path(), message, Some("input"), None);
        }
    }
}

fn follower_without_reasoning(request: &Request<'_>, findings: &mut Findings) {
    let Some(mint) = mint(request).filter(|_| !view::has_state(request.body)) else { return };
    for item in view::input(request.body) {
        let Some((id, reasoning)) = item.id().and_then(|id| Some((id, mint.reasoning_of(id)?)))
        else {
            continue;
        };
        let is = |earlier: Item<'_>| match earlier.id() {
            Some(id) => id == reasoning && reasoning_id(earlier).is_some(),
            None => earlier.is("reasoning") && mint.is_of(earlier.value, &reasoning),
        };
        if !view::input(request.body).take(item.at).rev().any(is) {
            let kind = if item.is("item_reference") { kind_of(id) } else { item.kind() };
            let message = format!(
                "Item '{id}' of type '{kind}' was provided without its required 'reasoning' item: '{reasoning}'."
            );
            findings.add_with(item.path(), message, Some("input"), None);
        }
    }
}

fn encrypted_content(request: &Request<'_>, findings: &mut Findings) {
    let Some(mint) = mint(request) else { return };
    let sealed = |item: &Item<'_>| SEALED.contains(&item.kind()) && has_content(*item);
    for item in view::input(request.body).filter(sealed) {
        let reason = match mint.broken(item.value) {
            None => continue,
            Some(Broken::Provider) => {
                "Encrypted content organization_id did not match the target organization."
            }
            Some(Broken::Prefix) => "Encrypted content item_id did not match the target item id.",
            Some(_) => "Encrypted content could not be decrypted or parsed.",
        };
        let what = match item.id() {
            Some(id) => format!("for item {id}"),
            None => ends(string(item.value, "encrypted_content")),
        };
        let message =
            format!("The encrypted content {what} could not be verified. Reason: {reason}");
        findings.add_with(item.path(), message, None, Some("invalid_encrypted_content"));
    }
}

/// The first four and the last four characters.
fn ends(text: &str) -> String {
    let begin: String = text.chars().take(4).collect();
    let skipped = text.chars().count().saturating_sub(4);
    let end: String = text.chars().skip(skipped).collect();
    format!("{begin}...{end}")
}

const SEALED: &[&str] = &["reasoning", "compaction", "compaction_summary"];
