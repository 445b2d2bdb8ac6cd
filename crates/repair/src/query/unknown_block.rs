//! Decides whether a foreign block is kept, rewritten, turned into text or dropped, by the
//! profile's rows for its kind.

use interlingua_model::{Block, BlockContent, DialectId, Role, Spelling, WrittenForm};
use interlingua_providers::profile::fields::{BARE_IMAGE_URL, BlockPlacement, ForeignKind};
use interlingua_providers::profile::media::MediaByContainer;
use interlingua_providers::shape::Shape;
use interlingua_wire::{JsonString, RawJson};

use crate::engine::Work;
use crate::profile::TargetProfile;
use crate::shape::{ShapeChecker, Verdict};
use crate::values::block::has_part_type;

/// The action for one block.
pub(crate) enum BlockAction {
    Keep,
    Replace(RawJson),
    ToText(JsonString),
    /// The block is encoded in another form.
    Rewrite,
    Drop,
}

/// The target's rows for foreign blocks, with the checker for their fields.
pub(crate) struct UnknownBlockPolicy<'j> {
    pub(crate) kinds: &'static [ForeignKind],
    pub(crate) checker: ShapeChecker<'j>,
    pub(crate) dialect: DialectId,
    /// Where images may stay as they were written.
    pub(crate) images: MediaByContainer,
}

impl<'j> UnknownBlockPolicy<'j> {
    pub(crate) fn new(kinds: &'static [ForeignKind], profile: &'j TargetProfile) -> Self {
        let checker = profile.shape_checker();
        UnknownBlockPolicy {
            kinds,
            checker,
            dialect: profile.dialect,
            images: profile.media.same_dialect,
        }
    }

    /// Whether the target accepts the part as which a block inside a result is written.
    pub(crate) fn accepts_part(&self, block: &Block) -> bool {
        self.part_kind(block).is_some_and(|kind| self.find(kind.raw(), None).is_some())
    }

    /// `role` is the role of the turn; `None` inside a result.
    pub(crate) fn action(&self, block: &Block, role: Option<Role>) -> BlockAction {
        let BlockContent::Foreign { dialect, kind, json } = &block.content else {
            return match self.part_kind(block) {
                Some(kind) if self.find(kind.raw(), role).is_none() => BlockAction::Rewrite,
                _ => BlockAction::Keep,
            };
        };
        if *dialect != self.dialect {
            return BlockAction::Keep;
        }
        match self.find(&kind.unescape(), role) {
            None => text_of_kind(kind, json).map_or(BlockAction::Drop, BlockAction::ToText),
            Some(ForeignKind { fields: None, .. }) => BlockAction::Keep,
            Some(ForeignKind { fields: Some(keys), allows_unknown: open, .. }) => {
                let shape = if *open { Shape::Open(keys) } else { Shape::Closed(keys) };
                match self.checker.check(json, shape) {
                    Verdict::Keep => BlockAction::Keep,
                    Verdict::Replace(json) => BlockAction::Replace(json),
                    Verdict::Drop => {
                        text_of_kind(kind, json).map_or(BlockAction::Drop, BlockAction::ToText)
                    }
                }
            }
        }
    }

    fn find(&self, kind: &str, role: Option<Role>) -> Option<&'static ForeignKind> {
        // A row for the exact kind overrides rows with a prefix.
        let has_exact_row = self.kinds.iter().any(|row| self.checker.is_same_name(kind, row.kind));
        let is_match = |row: &&ForeignKind| {
            let has_prefix = !has_exact_row
                && row.kind.strip_suffix('*').is_some_and(|start| kind.starts_with(start));
            (self.checker.is_same_name(kind, row.kind) || has_prefix && !kind.is_empty())
                && (self.allows(row.placement, role)
                    || self.checker.ignores_unknown
                        && row.placement != BlockPlacement::Result
                        && is_dialogue(role))
                && self.checker.has_beta(row.beta)
        };
        self.kinds.iter().find(is_match)
    }

    fn allows(&self, placement: BlockPlacement, role: Option<Role>) -> bool {
        match placement {
            BlockPlacement::Anywhere => true,
            BlockPlacement::User => role == Some(Role::User),
            BlockPlacement::Assistant => role == Some(Role::Assistant),
            BlockPlacement::Instructions => matches!(role, Some(Role::System | Role::Developer)),
            BlockPlacement::Result => role.is_none(),
            BlockPlacement::UserOrResult => role.is_none() || role == Some(Role::User),
            BlockPlacement::NotAssistant => role != Some(Role::Assistant),
            BlockPlacement::UserOrAssistant => matches!(role, Some(Role::User | Role::Assistant)),
            BlockPlacement::NotInstructions => {
                matches!(role, None | Some(Role::User | Role::Assistant))
            }
            BlockPlacement::NotResult => role.is_some(),
            BlockPlacement::WhereImages => {
                let media = match role {
                    None => self.images.result,
                    Some(Role::User) => self.images.user,
                    Some(Role::Assistant) => self.images.assistant,
                    Some(Role::System | Role::Developer) => self.images.instructions,
                };
                media.image.data
            }
        }
    }

    /// The kind of the written part, if decoding recorded it.
    fn part_kind(&self, block: &Block) -> Option<JsonString> {
        match block.extras.written(self.dialect) {
            Some(WrittenForm::UntypedPart) => Some(JsonString::EMPTY),
            Some(WrittenForm::PartType(kind)) if kind.is_empty() => {
                Some(JsonString::from_static(EMPTY_TYPE))
            }
            Some(WrittenForm::PartType(kind)) => Some(kind.clone()),
            _ => block
                .extras
                .has(self.dialect, Spelling::BareImageUrl)
                .then_some(JsonString::from_static(BARE_IMAGE_URL)),
        }
    }

    pub(crate) fn kind(&self, block: &Block) -> JsonString {
        match &block.content {
            BlockContent::Foreign { kind, .. } => kind.clone(),
            _ => self
                .part_kind(block)
                .filter(|kind| !kind.is_empty())
                .unwrap_or(JsonString::from_static(UNTYPED_PART)),
        }
    }

    /// Forgets the part as which the block was written.
    pub(crate) fn remove_part_type(&self, block: &mut Block) {
        if has_part_type(block, self.dialect) {
            block.extras.remove_written(self.dialect);
        }
        block.extras.remove_spellings(self.dialect, Spelling::BareImageUrl);
    }
}

fn is_dialogue(role: Option<Role>) -> bool {
    matches!(role, Some(Role::User | Role::Assistant))
}

/// The text of a block that has only text. Reasoning is not turned into text.
pub(crate) fn text_of_kind(kind: &JsonString, json: &RawJson) -> Option<JsonString> {
    if is_reasoning_kind(kind) {
        return None;
    }
    let text = json.to_doc().root().get("text").and_then(interlingua_wire::JsonNode::json_string);
    text.filter(|text| !text.is_blank())
}

/// Whether blocks of this kind have reasoning.
pub(crate) fn is_reasoning_kind(kind: &JsonString) -> bool {
    REASONING_KIND_SUBSTRINGS.iter().any(|word| kind.raw().contains(word))
}

/// Whether a dialect-specific block is sent to the target as it is.
pub(crate) fn is_accepted(work: &Work<'_>, block: &Block, role: Role) -> bool {
    let profile = work.profile;
    let Some(known) = profile.fields.foreign_kinds else { return true };
    let block_action = UnknownBlockPolicy::new(known, profile).action(block, Some(role));
    matches!(block_action, BlockAction::Keep | BlockAction::Replace(_))
}

/// Substrings of the kinds of reasoning blocks.
const REASONING_KIND_SUBSTRINGS: &[&str] = &["reasoning", "thinking", "thought"];
/// Name of a part whose type is empty.
const EMPTY_TYPE: &str = "(empty)";
/// Name of a part without a type, for the ledger.
const UNTYPED_PART: &str = "a part without a type";
