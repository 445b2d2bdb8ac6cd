//! Derives candidate lessons from a rejection, the likeliest first.

use interlingua_model::{
    Block, BlockContent, Conversation, DialectId, EmptyTextHandling, Lesson, Lessons, MediaKind,
    RejectedField, Turn,
};

use crate::query::web_search::is_search_tool;
use crate::rejection::path::{canonicalize, ends_with};
use crate::rejection::{Rejection, RejectionKind};
use crate::values::block::{is_assistant, is_reasoning_or_entry, is_result, plain_text};
use crate::values::fingerprint::fingerprint;
use crate::values::number;

/// The request that was rejected.
#[derive(Clone, Copy, Debug)]
pub struct RejectedRequest<'s> {
    /// As it was sent.
    pub conversation: &'s Conversation,
    pub dialect: DialectId,
    /// Beta features that the client requested.
    pub betas: &'s [String],
    /// Lessons that were applied when it was sent.
    pub known_lessons: &'s Lessons,
}

/// Candidates for a retry, each a list of lessons to apply in addition to the known ones.
pub fn candidate_lessons(
    rejection: &Rejection,
    rejected_request: RejectedRequest<'_>,
) -> Vec<Vec<Lesson>> {
    let path = rejection.path.as_deref();
    let mut candidates = match &rejection.kind {
        RejectionKind::EmptyText => empty_text_lessons(rejected_request),
        RejectionKind::Seal => vec![seal_lessons(rejected_request, None)],
        RejectionKind::ModifiedPrefix => vec![seal_lessons(rejected_request, path)],
        RejectionKind::ModifiedReasoning => {
            let mut candidates = modified_reasoning_lessons(rejected_request);
            candidates.push(seal_lessons(rejected_request, None));
            candidates
        }
        RejectionKind::Reasoning(reasoning_constraint) => {
            vec![vec![Lesson::Reasoning(*reasoning_constraint)]]
        }
        RejectionKind::Field { rename_to: instead } => {
            let mut lessons = field_lessons(rejected_request, path, instead.as_deref());
            for other in &rejection.other_paths {
                let other_lessons = field_lessons(rejected_request, Some(other), None);
                // The retry helps only if every rejected field is avoided.
                if lessons.is_empty() || other_lessons.is_empty() {
                    return Vec::new();
                }
                lessons.extend(other_lessons);
            }
            vec![lessons]
        }
        RejectionKind::Image(limit) => vec![vec![Lesson::Image(*limit)]],
        RejectionKind::MaxTokens(max_tokens) => max_tokens_lesson(rejected_request, *max_tokens),
        RejectionKind::RoleOrder => alternation_lesson(rejected_request),
        RejectionKind::WebSearch => web_search_lesson(rejected_request),
        RejectionKind::Media(kind) => media_lesson(rejected_request, *kind),
    };
    let is_new =
        |lesson: &Lesson| !rejected_request.known_lessons.iter().any(|known| known == lesson);
    candidates.retain(|candidate| candidate.iter().any(is_new));
    candidates
}

/// Without a search tool in the request, the lesson changes nothing.
fn web_search_lesson(rejected_request: RejectedRequest<'_>) -> Vec<Vec<Lesson>> {
    let has_search = rejected_request.conversation.tools.iter().any(|tool| is_search_tool(tool));
    if has_search { vec![vec![Lesson::NoWebSearch]] } else { Vec::new() }
}

/// Without such media in the request, the lesson changes nothing.
fn media_lesson(
    rejected_request: RejectedRequest<'_>,
    kind: Option<MediaKind>,
) -> Vec<Vec<Lesson>> {
    let conversation = rejected_request.conversation;
    let blocks = conversation.turns.iter().flat_map(|turn| turn.blocks.iter());
    let has_media = conversation.system.iter().chain(blocks).any(|block| holds_media(block, kind));
    if has_media { vec![vec![Lesson::NoMedia(kind)]] } else { Vec::new() }
}

/// Whether the block is a medium of this kind, or a result with one.
fn holds_media(block: &Block, kind: Option<MediaKind>) -> bool {
    match &block.content {
        BlockContent::Media(media) => kind.is_none_or(|kind| kind == media.kind),
        BlockContent::ToolResult(result) => {
            result.content.iter().any(|inner| holds_media(inner, kind))
        }
        _ => false,
    }
}

/// Tries the ways to handle texts between reasoning that were not sent.
fn empty_text_lessons(rejected_request: RejectedRequest<'_>) -> Vec<Vec<Lesson>> {
    let texts = texts_between_reasoning(rejected_request.conversation);
    let order: &[EmptyTextHandling] = match (texts.empty, texts.blank) {
        (true, _) => &[
            EmptyTextHandling::ReplaceWithSpace,
            EmptyTextHandling::Drop,
            EmptyTextHandling::DropWithReasoning,
        ],
        (false, true) => &[
            EmptyTextHandling::Drop,
            EmptyTextHandling::Keep,
            EmptyTextHandling::DropWithReasoning,
        ],
        (false, false) => &[],
    };
    order.iter().map(|handling| vec![Lesson::EmptyText(*handling)]).collect()
}

/// A text that was dropped or replaced may be the modification.
fn modified_reasoning_lessons(rejected_request: RejectedRequest<'_>) -> Vec<Vec<Lesson>> {
    let dropped = rejected_request
        .known_lessons
        .iter()
        .any(|known| *known == Lesson::EmptyText(EmptyTextHandling::Drop));
    let texts = texts_between_reasoning(rejected_request.conversation);
    let order: &[EmptyTextHandling] = match (dropped, texts.blank) {
        (true, _) => &[EmptyTextHandling::ReplaceWithSpace, EmptyTextHandling::Keep],
        (false, true) => &[EmptyTextHandling::Keep, EmptyTextHandling::Drop],
        (false, false) => &[],
    };
    order.iter().map(|handling| vec![Lesson::EmptyText(*handling)]).collect()
}

/// A lower limit helps only if the request has a higher one.
fn max_tokens_lesson(rejected_request: RejectedRequest<'_>, limit: u64) -> Vec<Vec<Lesson>> {
    let requested =
        rejected_request.conversation.settings.max_tokens.as_ref().and_then(number::parse);
    let exceeds_limit =
        limit > 0 && requested.is_some_and(|requested| number::to_count(requested) > limit);
    if exceeds_limit { vec![vec![Lesson::MaxTokens(limit)]] } else { Vec::new() }
}

/// The lesson helps only if two consecutive turns have one role.
fn alternation_lesson(rejected_request: RejectedRequest<'_>) -> Vec<Vec<Lesson>> {
    let is_message = |turn: &Turn| !turn.blocks.iter().any(|block| is_result(block));
    let mut pairs = rejected_request.conversation.turns.windows(2);
    let has_neighbours = pairs.any(
        |pair| matches!(pair, [one, next] if one.role == next.role && is_message(one) && is_message(next)),
    );
    if has_neighbours { vec![vec![Lesson::AlternateRoles]] } else { Vec::new() }
}

/// Texts without content between two blocks of reasoning.
#[derive(Default)]
struct TextsBetweenReasoning {
    empty: bool,
    blank: bool,
}

fn texts_between_reasoning(conversation: &Conversation) -> TextsBetweenReasoning {
    let mut texts = TextsBetweenReasoning::default();
    for turn in conversation.turns.iter().filter(|turn| is_assistant(turn)) {
        for window in turn.blocks.windows(3) {
            let [before, text, after] = window else { continue };
            let Some(text) = plain_text(text)
                .filter(|_| is_reasoning_or_entry(before) && is_reasoning_or_entry(after))
            else {
                continue;
            };
            texts.empty |= text.is_empty();
            texts.blank |= text.is_blank() && !text.is_empty();
        }
    }
    texts
}

/// The seals of the conversation; from a path on if the error has one, since earlier seals were
/// accepted.
fn seal_lessons(rejected_request: RejectedRequest<'_>, from: Option<&str>) -> Vec<Lesson> {
    let turns = rejected_request.conversation.turns.iter().enumerate();
    let blocks = turns.flat_map(|(turn, turn_data)| {
        turn_data.blocks.iter().enumerate().map(move |(at, block)| ((turn, at), block))
    });
    let seals: Vec<((usize, usize), u64)> =
        blocks.filter_map(|(pos, block)| Some((pos, seal_fingerprint(block)?))).collect();
    let from = from.and_then(block_pos).filter(|from| seals.iter().any(|(pos, _)| pos >= from));
    let from = from.unwrap_or((0, 0));
    let rejected = seals.into_iter().filter(|(pos, _)| *pos >= from);
    rejected.map(|(_, seal)| Lesson::RejectedSeal(seal)).collect()
}

fn seal_fingerprint(block: &Block) -> Option<u64> {
    let seal = block.seal.as_deref().filter(|seal| !seal.data.is_empty())?;
    Some(fingerprint(&seal.data))
}

/// Turn and block index in a path such as `messages.3.content.1`.
fn block_pos(path: &str) -> Option<(usize, usize)> {
    let mut numbers = path.split(['.', '[', ']']).filter_map(|part| part.parse().ok());
    Some((numbers.next()?, numbers.next().unwrap_or(0)))
}

fn field_lessons(
    rejected_request: RejectedRequest<'_>,
    path: Option<&str>,
    instead: Option<&str>,
) -> Vec<Lesson> {
    let Some(path) = path.map(canonicalize) else { return Vec::new() };
    let is_essential = ESSENTIAL_FIELDS.iter().any(|(dialect, end)| {
        (dialect.is_empty() || *dialect == rejected_request.dialect.0) && ends_with(&path, end)
    });
    // A value with its new name in another object would need another form there.
    if is_essential && instead.is_none() || instead.is_some_and(|name| name.contains('.')) {
        return Vec::new();
    }
    let instead = instead.map(str::to_owned);
    vec![Lesson::RejectedField(RejectedField {
        path,
        rename_to: instead,
        betas: rejected_request.betas.to_vec(),
    })]
}

/// Fields without which a request has another meaning or none: their rejection is passed on to the
/// client. Each has a dialect, or any if empty, and the end of the path.
const ESSENTIAL_FIELDS: &[(&str, &str)] = &[
    ("", "model"),
    ("", "messages"),
    ("", "input"),
    ("", "contents"),
    ("", "system"),
    ("", "systemInstruction"),
    ("", "system_instruction"),
    ("", "instructions"),
    ("", "tools"),
    ("", "toolConfig"),
    ("", "tool_config"),
    ("", "functionDeclarations"),
    ("", "function_declarations"),
    ("", "additionalModelRequestFields"),
    ("", "previous_response_id"),
    ("", "conversation"),
    ("", "prompt"),
    ("", "thread"),
    ("anthropic", "max_tokens"),
    ("", "role"),
    ("", "content"),
    ("", "parts"),
    ("", "text"),
    ("", "type"),
    ("", "arguments"),
    ("", "args"),
    ("", "output"),
    ("", "response"),
    ("", "function"),
    ("", "function_call"),
    ("", "functionCall"),
    ("", "function_response"),
    ("", "functionResponse"),
    ("", "tool_calls"),
    ("", "tool_call_id"),
    ("", "tool_use_id"),
    ("", "call_id"),
    ("", "tool_calls.*.id"),
    ("", "tool_use.id"),
    ("", "function.name"),
    ("", "tool_use.name"),
    ("", "tools.*.name"),
    ("", "custom.name"),
    ("", "input_schema"),
    ("", "source"),
    ("", "data"),
    ("", "image_url"),
    ("", "file_data"),
    ("", "inline_data"),
    ("", "inlineData"),
    ("", "signature"),
    ("", "thinking.thinking"),
    ("", "encrypted_content"),
];
