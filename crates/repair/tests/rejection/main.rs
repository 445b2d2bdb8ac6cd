//! Tests that rejections are parsed correctly and that candidate lessons come in the right order.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod samples;

use interlingua_model::{
    ApiError, ApiErrorKind, Block, BlockContent, Conversation, DialectId, Lesson, Lessons, Media,
    MediaKind, MediaSource, Reasoning, ReasoningForm, RetryAdvice, Role, Seal, SealOrigin, Turn,
};
use interlingua_repair::rejection::{
    self, RejectedRequest, Rejection, RejectionKind, candidate_lessons, capture,
};
use interlingua_wire::{JsonString, RawJson};

use crate::samples::{OTHER_SERVER_ERRORS, REQUEST_ERRORS, SAMPLES, Sample};

fn dialect(name: &'static str) -> DialectId {
    DialectId(name)
}

fn api_error((name, message, error_body, _): &Sample) -> ApiError {
    let mut error = ApiError::new(ApiErrorKind::InvalidRequest, JsonString::new(message));
    if !error_body.is_empty() {
        error.original = Some((dialect(name), RawJson::parse(*error_body).unwrap()));
    }
    error
}

fn summary(rejection: Option<Rejection>) -> String {
    let Some(Rejection { kind, path, other_paths: others }) = rejection else {
        return String::new();
    };
    let location = path.map(|path| format!(" at {path}")).unwrap_or_default();
    match kind {
        RejectionKind::EmptyText => format!("empty-text{location}"),
        RejectionKind::Seal => format!("seal{location}"),
        RejectionKind::ModifiedReasoning => format!("modified{location}"),
        RejectionKind::ModifiedPrefix => format!("prefix{location}"),
        RejectionKind::Reasoning(reasoning_constraint) => {
            Lesson::Reasoning(reasoning_constraint).to_string()
        }
        RejectionKind::Image(limit) => Lesson::Image(limit).to_string(),
        RejectionKind::MaxTokens(max_tokens) => Lesson::MaxTokens(max_tokens).to_string(),
        RejectionKind::RoleOrder => Lesson::AlternateRoles.to_string(),
        RejectionKind::WebSearch => Lesson::NoWebSearch.to_string(),
        RejectionKind::Media(kind) => Lesson::NoMedia(kind).to_string(),
        RejectionKind::Field { rename_to: None } => {
            let others = others.iter().map(|other| format!(" and {other}"));
            format!("field{location}{}", others.collect::<String>())
        }
        RejectionKind::Field { rename_to: Some(name) } => format!("field{location} as {name}"),
    }
}

#[test]
fn rejections_are_parsed() {
    for sample in SAMPLES {
        let parsed = summary(rejection::parse(dialect(sample.0), &api_error(sample)));
        assert_eq!(parsed, sample.3, "{}: {}", sample.0, sample.1);
    }
}

#[test]
fn every_pattern_has_a_sample() {
    for pattern in rejection::patterns() {
        let matches_sample = |sample: &Sample| {
            let is_applicable = pattern.dialects.is_empty() || pattern.dialects.contains(&sample.0);
            is_applicable
                && capture::find(pattern.pattern, sample.1).is_some()
                && !sample.3.is_empty()
        };
        assert!(SAMPLES.iter().any(matches_sample), "no sample matches {:?}", pattern.pattern);
    }
}

#[test]
fn other_error_kinds_are_not_rejections() {
    let mut limited = api_error(&SAMPLES[0]);
    limited.kind = ApiErrorKind::RateLimit;
    assert_eq!(rejection::parse(dialect("anthropic"), &limited), None);
}

fn server_error(message: &str) -> ApiError {
    ApiError::new(ApiErrorKind::ServerError, JsonString::new(message))
}

#[test]
fn a_server_error_about_the_request_is_a_rejection() {
    for message in REQUEST_ERRORS {
        let mut error = server_error(message);
        assert!(rejection::reclassify(dialect("openai-chat"), &mut error), "{message}");
        assert_eq!((error.kind, error.status), (ApiErrorKind::InvalidRequest, 400), "{message}");
        assert_eq!(error.retry, RetryAdvice::No, "{message}");
    }
    for sample in SAMPLES.iter().filter(|sample| !sample.3.is_empty()) {
        let mut error = ApiError { kind: ApiErrorKind::ServerError, ..api_error(sample) };
        assert!(rejection::reclassify(dialect(sample.0), &mut error), "{}", sample.1);
    }
    for message in OTHER_SERVER_ERRORS {
        let mut error = server_error(message);
        assert!(!rejection::reclassify(dialect("openai-chat"), &mut error), "{message}");
        assert_eq!(error, server_error(message));
    }
}

#[test]
fn every_request_error_wording_has_a_sample() {
    for wording in rejection::request_error_wordings() {
        let matches_sample = |message: &&str| message.to_lowercase().contains(wording.phrase);
        assert!(REQUEST_ERRORS.iter().any(matches_sample), "{wording:?}");
    }
}

#[test]
fn media_are_learned_only_where_the_request_has_some() {
    let candidates = |message: &str, kinds: &[MediaKind]| -> Vec<Lesson> {
        let dialect = dialect("openai-chat");
        let mut conversation = Conversation::new(dialect);
        let mut turn = Turn::new(Role::User);
        for kind in kinds {
            let source = MediaSource::Base64 { mime: None, data: JsonString::new("AAAA") };
            let media = Media { kind: *kind, source, name: None, detail: None };
            turn.blocks.push(Block::new(BlockContent::Media(media.into())).into());
        }
        conversation.turns = vec![turn.into()];
        let rejection = {
            let mut error = server_error(message);
            rejection::reclassify(dialect, &mut error);
            rejection::parse(dialect, &error).unwrap()
        };
        let rejected_request = RejectedRequest {
            conversation: &conversation,
            dialect,
            betas: &[],
            known_lessons: &Lessons::default(),
        };
        candidate_lessons(&rejection, rejected_request).into_iter().flatten().collect()
    };
    let no_images = "image input is not supported - hint: you may need to provide the mmproj";
    let image = Lesson::NoMedia(Some(MediaKind::Image));
    assert_eq!(candidates(no_images, &[MediaKind::Audio, MediaKind::Image]), [image]);
    assert_eq!(candidates(no_images, &[MediaKind::Audio]), []);
    let no_media = "table is not a multimodal model";
    assert_eq!(candidates(no_media, &[MediaKind::Audio]), [Lesson::NoMedia(None)]);
    assert_eq!(candidates(no_media, &[]), []);
}

#[test]
fn lessons_round_trip_as_lines() {
    let lines = [
        "empty-text=strip",
        "thinking=between-tools",
        "image-size=5242880",
        "image-side=8000",
        "crowd-side=2000",
        "max-tokens=8192",
        "roles=alternate",
        "search=none",
        "media=none",
        "image=none",
        "seal=00000000000000aa",
        "field=tools.*.custom.defer_loading",
        "field=max_tokens as=max_completion_tokens",
        "field=context_management betas=a-1,b-2",
    ];
    for line in lines {
        assert_eq!(line.parse::<Lesson>().unwrap().to_string(), line);
    }
    for line in
        ["", "empty-text", "empty-text=x", "seal=x", "field=", "field=a b", "what=1", "what=none"]
    {
        assert!(line.parse::<Lesson>().is_err(), "{line}");
    }
}

#[test]
fn a_newer_lesson_replaces_the_older() {
    let lessons_so_far = lessons(&["empty-text=drop", "field=a", "thinking=adaptive", "seal=aa"]);
    let lessons_so_far = lessons_so_far.with("empty-text=space".parse().unwrap());
    let lessons_so_far = lessons_so_far.with("field=a betas=x".parse().unwrap());
    let lessons_so_far = lessons_so_far.with("thinking=budget".parse().unwrap());
    let lessons_so_far = lessons_so_far.with("seal=bb".parse().unwrap());
    let remaining: Vec<String> = lessons_so_far.iter().map(ToString::to_string).collect();
    let expected = [
        "seal=00000000000000aa",
        "empty-text=space",
        "field=a betas=x",
        "thinking=budget",
        "seal=00000000000000bb",
    ];
    assert_eq!(remaining, expected);
}

fn lessons(lines: &[&str]) -> Lessons {
    lines.iter().map(|line| line.parse::<Lesson>().unwrap()).collect()
}

/// Two blocks of sealed reasoning with a text between them.
fn conversation(text_between: &str) -> Conversation {
    let reasoning_block = |seal: &str| {
        let reasoning = Reasoning { text: JsonString::new("so"), form: ReasoningForm::Full };
        let mut block = Block::new(BlockContent::Reasoning(reasoning));
        let origin = SealOrigin { issuer: JsonString::new("vendor"), model: None };
        block.seal = Some(Box::new(Seal { origin, data: JsonString::new(seal), id: None }));
        block
    };
    let text = Block::new(BlockContent::Text {
        text: JsonString::new(text_between),
        citations: Vec::new(),
    });
    let mut turn = Turn::new(Role::Assistant);
    turn.blocks = vec![reasoning_block("one").into(), text.into(), reasoning_block("two").into()];
    let mut conversation = Conversation::new(dialect("anthropic"));
    conversation.turns = vec![Turn::new(Role::User).into(), turn.into()];
    conversation
}

fn candidates_for(message: &str, text_between: &str, known: &[&str]) -> Vec<String> {
    let conversation = conversation(text_between);
    let known = lessons(known);
    let dialect = dialect("anthropic");
    let error = ApiError::new(ApiErrorKind::InvalidRequest, JsonString::new(message));
    let rejection = rejection::parse(dialect, &error).unwrap();
    let betas = ["b-1".to_owned()];
    let rejected_request = RejectedRequest {
        conversation: &conversation,
        dialect,
        betas: &betas,
        known_lessons: &known,
    };
    let line = |candidate: &Vec<Lesson>| {
        let seals =
            candidate.iter().filter(|lesson| matches!(lesson, Lesson::RejectedSeal(_))).count();
        if seals > 0 { format!("{seals} seals") } else { candidate[0].to_string() }
    };
    candidate_lessons(&rejection, rejected_request).iter().map(line).collect()
}

#[test]
fn candidates_for_an_empty_text() {
    let (empty, blank) = (
        "messages: text content blocks must be non-empty",
        "messages: text content blocks must contain non-whitespace text",
    );
    let modified = "messages.1.content.2: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.";
    let none: &[&str] = &[];
    let all = ["empty-text=space", "empty-text=drop", "empty-text=strip"];
    assert_eq!(candidates_for(empty, "", none), all);
    assert_eq!(candidates_for(empty, "", &["empty-text=space"]), all[1..]);
    assert_eq!(
        candidates_for(blank, " ", none),
        ["empty-text=drop", "empty-text=keep", "empty-text=strip"]
    );
    assert_eq!(
        candidates_for(blank, "words", none),
        none,
        "the text between reasoning has content"
    );
    let learned = &["empty-text=drop"];
    assert_eq!(
        candidates_for(modified, "words", learned),
        ["empty-text=space", "empty-text=keep", "2 seals"]
    );
    assert_eq!(candidates_for(modified, "words", none), ["2 seals"]);
}

#[test]
fn rejected_seals_become_lessons() {
    let invalid = "messages.1.content.2: Invalid `signature` in `thinking` block";
    assert_eq!(candidates_for(invalid, "a", &[]), ["2 seals"]);
    let other_conversation = format!("{invalid}. The block is bound to a different conversation.");
    assert_eq!(candidates_for(&other_conversation, "a", &[]), ["1 seals"]);
}

#[test]
fn known_lessons_are_no_candidates() {
    let message = "context_management: Extra inputs are not permitted";
    assert_eq!(candidates_for(message, "a", &[]), ["field=context_management betas=b-1"]);
    let known = &["field=context_management betas=b-1"];
    assert!(candidates_for(message, "a", known).is_empty());
    let essential = "messages.0.content: Extra inputs are not permitted";
    assert!(candidates_for(essential, "a", &[]).is_empty());
}

#[test]
fn fields_of_one_error_are_one_candidate() {
    let message = |name: &str| format!("{name}: Extra inputs are not permitted");
    let message_for_both = format!("{}; {}", message("one"), message("other.0.field"));
    let error = ApiError::new(ApiErrorKind::InvalidRequest, JsonString::new(&message_for_both));
    let rejection = rejection::parse(dialect("anthropic"), &error).unwrap();
    let rejected_request = RejectedRequest {
        conversation: &conversation("a"),
        dialect: dialect("anthropic"),
        betas: &[],
        known_lessons: &lessons(&["field=one"]),
    };
    let [candidate] = &candidate_lessons(&rejection, rejected_request)[..] else {
        panic!("there is one candidate")
    };
    let lines: Vec<String> = candidate.iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["field=one", "field=other.*.field"]);
    let essential = format!("{}; {}", message("one"), message("messages.0.content"));
    assert!(
        candidates_for(&essential, "a", &[]).is_empty(),
        "the other field would still be rejected"
    );
}

/// The lessons from an error message, for a conversation with these roles and this output limit.
fn lessons_from(message: &str, roles: &[Role], max_tokens: u64) -> Vec<Lesson> {
    let dialect = dialect("openai-chat");
    let mut conversation = Conversation::new(dialect);
    conversation.turns = roles.iter().map(|role| Turn::new(*role).into()).collect();
    conversation.settings.edit().max_tokens = Some(RawJson::number(max_tokens));
    let error = ApiError::new(ApiErrorKind::InvalidRequest, JsonString::new(message));
    let rejection = rejection::parse(dialect, &error).unwrap();
    let lessons = Lessons::default();
    let rejected_request = RejectedRequest {
        conversation: &conversation,
        dialect,
        betas: &[],
        known_lessons: &lessons,
    };
    candidate_lessons(&rejection, rejected_request).into_iter().flatten().collect()
}

#[test]
fn max_tokens_is_learned_only_below_the_request() {
    let message = "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]";
    assert_eq!(lessons_from(message, &[Role::User], 32_000), [Lesson::MaxTokens(8192)]);
    assert_eq!(lessons_from(message, &[Role::User], 0), []);
}

#[test]
fn alternation_is_learned_only_where_roles_repeat() {
    let message = "Conversation roles must alternate user/assistant/user/assistant/...";
    assert_eq!(lessons_from(message, &[Role::User, Role::User], 1), [Lesson::AlternateRoles]);
    assert_eq!(lessons_from(message, &[Role::Assistant, Role::User], 1), []);
}
