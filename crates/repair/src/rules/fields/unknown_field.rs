//! Removes fields that the target does not know.
//!
//! Clients of the same dialect send fields that this target does not know, or not without a beta
//! that the client did not request; some send values of a type that the target cannot parse. All
//! fields that the target knows stay as they are. A legacy list of functions is offered as tools
//! instead.
//!
//! ## Why
//! > context_management: Extra inputs are not permitted
//!
//! > Unknown parameter: 'messages\[1\].reasoning_content'.
//!
//! > Invalid JSON payload received. Unknown name "x" at 'contents\[0\].parts\[0\]': Cannot find field.
//!
//! ## Example
//! ```text
//! before   context_management {…}   user: "hi" {id: 7}
//! after                             user: "hi"
//! ```

use interlingua_model::{
    Block, BlockContent, Extras, LedgerPath, MediaSource, Role, Spelling, SpellingSet, ToolArgs,
    ToolResult, Verbatim,
};
use interlingua_providers::profile::fields::BlockKind;
use interlingua_providers::shape::FieldSpec;
use interlingua_wire::RawJson;

use crate::engine::{Feature, Work};
use crate::profile::TargetProfile;
use crate::query::tool_choice;
use crate::shape::{ShapeChecker, Verdict};
use crate::tools::LEGACY_LIST_FIELD;
use crate::values::list::take_indices;

/// Applies the rule to the fields of the body.
pub(super) fn apply_body(work: &mut Work<'_>) {
    if work.is_same_dialect() {
        remove_from_body(work);
    }
}

pub(super) fn apply(work: &mut Work<'_>) {
    // The name of a tool is not stored in the extras.
    if !work.has(Feature::Extras) && !work.profile.fields.name_only_on_user {
        return;
    }
    for turn in 0..work.turns().len() {
        remove_from_turn(work, turn);
        for block in 0..work.blocks(turn).len() {
            remove_from_block(work, turn, block);
        }
    }
    remove_from_system(work);
}

fn remove_from_body(work: &mut Work<'_>) {
    let profile = work.profile;
    let (Some(known), checker) = (profile.fields.body_fields, profile.shape_checker()) else {
        return;
    };
    let mut at = 0;
    // Indices to remove, in ascending order; they are removed in one pass.
    let mut removed = Vec::new();
    while let Some(field) = work.conversation().top_level_fields.get(at) {
        let name = field.key.unescape();
        let is_ignored = !profile.reasoning.configurable
            && profile.reasoning.request_fields.iter().any(|(field, _)| *field == name);
        let is_forbidden = profile.fields.forbidden_body_fields.contains(&&*name);
        if field.value == RawJson::NULL && (is_ignored || is_forbidden) {
            let text = format!("left out `{name}`, which is null: the target does not know it");
            work.record_change(LedgerPath::BODY, text);
            removed.push(at);
            at += 1;
            continue;
        }
        // Unknown parts of a setting are separate fields, prefixed with the setting's name.
        let is_part_of_setting = name
            .split_once('.')
            .is_some_and(|(prefix, _)| checker.find_field(known, prefix).is_some());
        if is_part_of_setting {
            at += 1;
            continue;
        }
        let verdict = match checker.find_field(known, &name) {
            // Decoded settings are handled by other rules.
            Some(_) if is_forbidden && !field.is_modeled => Verdict::Drop,
            Some(key) => checker.check(&field.value, key.shape),
            None => Verdict::Drop,
        };
        match verdict {
            Verdict::Keep => {}
            Verdict::Replace(json) => {
                let text = format!("left out parts of `{name}` that the target does not know");
                work.record_loss(LedgerPath::BODY, text);
                work.edit_top_level_fields()[at].value = json;
            }
            Verdict::Drop if name == LEGACY_LIST_FIELD && has_legacy_tools(work) => {
                work.discard_tools_text();
                work.record_change(
                    LedgerPath::BODY,
                    "functions are offered as tools: the target does not know the legacy list",
                );
                removed.push(at);
            }
            Verdict::Drop => {
                let text = format!("left out `{name}`: the target does not know it");
                work.record_loss(LedgerPath::BODY, text);
                removed.push(at);
            }
        }
        at += 1;
    }
    if !removed.is_empty() {
        take_indices(work.edit_top_level_fields(), &removed);
    }
}

fn has_legacy_tools(work: &Work<'_>) -> bool {
    tool_choice::has_legacy_tools(work) && !work.conversation().tools.is_empty()
}

fn remove_from_turn(work: &mut Work<'_>, turn: usize) {
    let profile = work.profile;
    if profile.fields.name_only_on_user && work.is_same_dialect() {
        remove_names(work, turn);
    }
    let this = &work.turns()[turn];
    if this.extras.is_empty() {
        return;
    }
    let known = profile.fields.turn_fields.iter().find(|(role, _)| *role == this.role);
    let Some((_, known)) = known else { return };
    let unknown = unknown_names(profile, &this.extras, known);
    if unknown.is_empty() {
        return;
    }
    work.record_loss(LedgerPath::turn(turn), removal_message(&unknown));
    remove_unknown_fields(&mut work.edit_turn(turn).extras, profile, known);
    if unknown.iter().any(|name| name == ANNOTATIONS) {
        remove_citations(work, turn);
    }
}

/// Removes names of messages of other roles than the user.
fn remove_names(work: &mut Work<'_>, turn: usize) {
    let dialect = work.profile.dialect;
    let this = &work.turns()[turn];
    let has_name = |body: &BlockContent| matches!(body, BlockContent::ToolResult(result) if result.name.is_some());
    let has_named_results = this.blocks.iter().any(|block| has_name(&block.content));
    let has_own_name = this.role != Role::User && this.extras.get(dialect, NAME).is_some();
    if !has_named_results && !has_own_name {
        return;
    }
    work.record_loss(LedgerPath::turn(turn), "left out `name`: only the user has one here");
    for block in 0..work.blocks(turn).len() {
        if has_name(&work.block(turn, block).content)
            && let BlockContent::ToolResult(result) = &mut work.edit_block(turn, block).content
        {
            result.name = None;
        }
    }
    work.edit_turn(turn).extras.retain(dialect, |key, _| key != NAME);
}

/// Citations are stored in the block, and written as a field of the turn.
fn remove_citations(work: &mut Work<'_>, turn: usize) {
    for block in 0..work.blocks(turn).len() {
        let has_citations = |body: &BlockContent| matches!(body, BlockContent::Text { citations, .. } if !citations.is_empty());
        if has_citations(&work.block(turn, block).content)
            && let BlockContent::Text { citations, .. } = &mut work.edit_block(turn, block).content
        {
            citations.clear();
        }
    }
}

fn remove_from_block(work: &mut Work<'_>, turn: usize, block: usize) {
    let profile = work.profile;
    let names = unknown_names_in(profile, work.block(turn, block));
    if names.is_empty() {
        return;
    }
    work.record_loss(LedgerPath::block(turn, block), removal_message(&names));
    remove_unknown(work.edit_block(turn, block), profile);
}

fn remove_from_system(work: &mut Work<'_>) {
    let profile = work.profile;
    for at in 0..work.conversation().system.len() {
        let names = unknown_names_in(profile, &work.conversation().system[at]);
        if !names.is_empty() {
            work.record_loss(LedgerPath::system(at), removal_message(&names));
            remove_unknown(work.edit_system()[at].edit(), profile);
        }
    }
}

/// The unknown fields of a block and of its nested blocks.
fn unknown_names_in(profile: &TargetProfile, block: &Block) -> Vec<String> {
    let mut names = known_fields(profile, block)
        .map(|known| unknown_names(profile, &block.extras, known))
        .unwrap_or_default();
    let nested = nested_blocks(&block.content).iter();
    names.extend(nested.flat_map(|inner| unknown_names_in(profile, inner)));
    names
}

fn known_fields(profile: &TargetProfile, block: &Block) -> Option<&'static [FieldSpec]> {
    let kind = BlockKind::from_content(&block.content)?;
    let fields_of = |rows: &'static [(BlockKind, &'static [FieldSpec])]| {
        rows.iter().find(|(row_kind, _)| *row_kind == kind).map(|(_, known)| *known)
    };
    let freeform = match &block.content {
        BlockContent::ToolCall(call) => matches!(call.args, ToolArgs::Freeform(_)),
        BlockContent::ToolResult(_) => block.extras.has(profile.dialect, Spelling::FreeformResult),
        _ => false,
    };
    fields_of(profile.fields.freeform_fields)
        .filter(|_| freeform)
        .or_else(|| fields_of(profile.fields.block_fields))
}

fn unknown_names(profile: &TargetProfile, extras: &Extras, known: &[FieldSpec]) -> Vec<String> {
    let checker = profile.shape_checker();
    let is_unknown =
        |name: &str, value: &RawJson| check_field(&checker, known, name, value) != Verdict::Keep;
    let fields = extras
        .fields_for(profile.dialect)
        .iter()
        .filter(|(key, value)| is_unknown(&key.unescape(), value))
        .map(|(key, _)| key.unescape().into_owned());
    let held = extras.spellings(profile.dialect).iter().filter_map(Spelling::field);
    let held = held.filter(|name| is_unknown(name, &RawJson::NULL)).map(str::to_owned);
    fields.chain(held).collect()
}

/// Removes the unknown fields, also from those whose value the blocks hold.
fn remove_unknown_fields(extras: &mut Extras, profile: &TargetProfile, known: &[FieldSpec]) {
    let (checker, dialect) = (profile.shape_checker(), profile.dialect);
    extras.retain(dialect, |key, value| {
        match check_field(&checker, known, &key.unescape(), value) {
            Verdict::Keep => true,
            Verdict::Replace(json) => {
                *value = json;
                true
            }
            Verdict::Drop => false,
        }
    });
    let is_unknown =
        |name: &str| check_field(&checker, known, name, &RawJson::NULL) == Verdict::Drop;
    let unknown: SpellingSet = extras
        .spellings(dialect)
        .iter()
        .filter(|spelling| spelling.field().is_some_and(is_unknown))
        .collect();
    extras.remove_spellings(dialect, unknown);
}

fn check_field(
    checker: &ShapeChecker<'_>,
    known: &[FieldSpec],
    name: &str,
    value: &RawJson,
) -> Verdict {
    checker.find_field(known, name).map_or(Verdict::Drop, |field| checker.check(value, field.shape))
}

fn remove_unknown(block: &mut Block, profile: &TargetProfile) {
    if let Some(known) = known_fields(profile, block) {
        remove_unknown_fields(&mut block.extras, profile, known);
    }
    let content = match &mut block.content {
        BlockContent::ToolResult(ToolResult { content, .. }) => content,
        BlockContent::Media(media) => match &mut media.source {
            MediaSource::Blocks(blocks) => blocks,
            _ => return,
        },
        _ => return,
    };
    for inner in content {
        if !unknown_names_in(profile, inner).is_empty() {
            remove_unknown(inner.edit(), profile);
        }
    }
}

/// The blocks of a result, or of a document that consists of blocks.
fn nested_blocks(body: &BlockContent) -> &[Verbatim<Block>] {
    match body {
        BlockContent::ToolResult(ToolResult { content, .. }) => content,
        BlockContent::Media(media) => match &media.source {
            MediaSource::Blocks(blocks) => blocks,
            _ => &[],
        },
        _ => &[],
    }
}

fn removal_message(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("left out {}: the target does not know it", names.join(", "))
}

const NAME: &str = "name";
const ANNOTATIONS: &str = "annotations";
