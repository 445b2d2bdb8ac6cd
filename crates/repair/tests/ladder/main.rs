//! What providers say is read as what it means; and what may help stands in its order.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod said;

use interlingua_model::{
    Block, Body, Conversation, DialectId, Failure, FailureKind, Form, Lesson, Lessons, Origin,
    Role, Seal, Thinking, Turn,
};
use interlingua_repair::ladder::{self, Complaint, Kind, Sent, rungs, words};
use interlingua_wire::{Json, Text};

use crate::said::{SAID, Said};

fn dialect(name: &'static str) -> DialectId {
    DialectId(name)
}

fn failure((name, words, beside, _): &Said) -> Failure {
    let mut failure = Failure::new(FailureKind::Shape, Text::new(words));
    if !beside.is_empty() {
        failure.written = Some((dialect(name), Json::parse(*beside).unwrap()));
    }
    failure
}

fn shown(complaint: Option<Complaint>) -> String {
    let Some(Complaint { kind, path, others }) = complaint else { return String::new() };
    let at = path.map(|path| format!(" at {path}")).unwrap_or_default();
    match kind {
        Kind::EmptyText => format!("empty-text{at}"),
        Kind::Seal => format!("seal{at}"),
        Kind::Modified => format!("modified{at}"),
        Kind::Prefix => format!("prefix{at}"),
        Kind::Thinking(habit) => Lesson::Thinking(habit).to_string(),
        Kind::Image(limit) => Lesson::Image(limit).to_string(),
        Kind::Length(most) => Lesson::Length(most).to_string(),
        Kind::Roles => Lesson::Alternation.to_string(),
        Kind::Search => Lesson::NoSearch.to_string(),
        Kind::Field { instead: None } => {
            let others = others.iter().map(|other| format!(" and {other}"));
            format!("field{at}{}", others.collect::<String>())
        }
        Kind::Field { instead: Some(name) } => format!("field{at} as {name}"),
    }
}

#[test]
fn what_providers_say_is_read() {
    for said in SAID {
        let read = shown(ladder::read(dialect(said.0), &failure(said)));
        assert_eq!(read, said.3, "{}: {}", said.0, said.1);
    }
}

#[test]
fn every_row_is_needed() {
    for row in ladder::all() {
        let needs = |said: &Said| {
            let spoken = row.dialects.is_empty() || row.dialects.contains(&said.0);
            spoken && words::find(row.words, said.1).is_some() && !said.3.is_empty()
        };
        assert!(SAID.iter().any(needs), "nobody says {:?}", row.words);
    }
}

#[test]
fn only_a_shape_is_complained_about() {
    let mut limited = failure(&SAID[0]);
    limited.kind = FailureKind::RateLimit;
    assert_eq!(ladder::read(dialect("anthropic"), &limited), None);
}

#[test]
fn lessons_are_written_and_read_as_lines() {
    let lines = [
        "empty-text=strip",
        "thinking=between-tools",
        "image-size=5242880",
        "image-side=8000",
        "crowd-side=2000",
        "max-tokens=8192",
        "roles=alternate",
        "seal=00000000000000aa",
        "field=tools.*.custom.defer_loading",
        "field=max_tokens as=max_completion_tokens",
        "field=context_management betas=a-1,b-2",
    ];
    for line in lines {
        assert_eq!(line.parse::<Lesson>().unwrap().to_string(), line);
    }
    for line in ["", "empty-text", "empty-text=x", "seal=x", "field=", "field=a b", "what=1"] {
        assert!(line.parse::<Lesson>().is_err(), "{line}");
    }
}

#[test]
fn a_newer_lesson_takes_the_place_of_the_older() {
    let known = lessons(&["empty-text=drop", "field=a", "thinking=adaptive", "seal=aa"]);
    let known = known.with("empty-text=space".parse().unwrap());
    let known = known.with("field=a betas=x".parse().unwrap());
    let known = known.with("thinking=budget".parse().unwrap());
    let known = known.with("seal=bb".parse().unwrap());
    let left: Vec<String> = known.iter().map(ToString::to_string).collect();
    let expected = [
        "seal=00000000000000aa",
        "empty-text=space",
        "field=a betas=x",
        "thinking=budget",
        "seal=00000000000000bb",
    ];
    assert_eq!(left, expected);
}

fn lessons(lines: &[&str]) -> Lessons {
    lines.iter().map(|line| line.parse::<Lesson>().unwrap()).collect()
}

/// Two blocks of sealed thinking with a text between them.
fn conversation(between: &str) -> Conversation {
    let thought = |seal: &str| {
        let thinking = Thinking { text: Text::new("so"), form: Form::Full };
        let mut block = Block::new(Body::Thinking(thinking));
        let origin = Origin { issuer: Text::new("somebody"), model: None };
        block.seal = Some(Box::new(Seal { origin, data: Text::new(seal), id: None }));
        block
    };
    let text = Block::new(Body::Text { text: Text::new(between), citations: Vec::new() });
    let mut turn = Turn::new(Role::Assistant);
    turn.blocks = vec![thought("one").into(), text.into(), thought("two").into()];
    let mut conversation = Conversation::new(dialect("anthropic"));
    conversation.turns = vec![Turn::new(Role::User).into(), turn.into()];
    conversation
}

fn climbed(said: &str, between: &str, known: &[&str]) -> Vec<String> {
    let conversation = conversation(between);
    let known = lessons(known);
    let dialect = dialect("anthropic");
    let failure = Failure::new(FailureKind::Shape, Text::new(said));
    let complaint = ladder::read(dialect, &failure).unwrap();
    let betas = ["b-1".to_owned()];
    let sent = Sent { conversation: &conversation, dialect, betas: &betas, lessons: &known };
    let line = |rung: &Vec<Lesson>| {
        let seals = rung.iter().filter(|lesson| matches!(lesson, Lesson::Seal(_))).count();
        if seals > 0 { format!("{seals} seals") } else { rung[0].to_string() }
    };
    rungs(&complaint, sent).iter().map(line).collect()
}

#[test]
fn the_ladder_of_the_empty_text() {
    let (empty, blank) = (
        "messages: text content blocks must be non-empty",
        "messages: text content blocks must contain non-whitespace text",
    );
    let modified = "messages.1.content.2: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.";
    let none: &[&str] = &[];
    let all = ["empty-text=space", "empty-text=drop", "empty-text=strip"];
    assert_eq!(climbed(empty, "", none), all);
    assert_eq!(climbed(empty, "", &["empty-text=space"]), all[1..]);
    assert_eq!(
        climbed(blank, " ", none),
        ["empty-text=drop", "empty-text=keep", "empty-text=strip"]
    );
    assert_eq!(
        climbed(blank, "words", none),
        none,
        "it is not about what stands between reasoning"
    );
    let learned = &["empty-text=drop"];
    assert_eq!(
        climbed(modified, "words", learned),
        ["empty-text=space", "empty-text=keep", "2 seals"]
    );
    assert_eq!(climbed(modified, "words", none), ["2 seals"]);
}

#[test]
fn seals_go_where_they_are_refused() {
    let invalid = "messages.1.content.2: Invalid `signature` in `thinking` block";
    assert_eq!(climbed(invalid, "a", &[]), ["2 seals"]);
    let moved = format!("{invalid}. The block is bound to a different conversation.");
    assert_eq!(climbed(&moved, "a", &[]), ["1 seals"]);
}

#[test]
fn what_is_known_already_helps_no_more() {
    let refused = "context_management: Extra inputs are not permitted";
    assert_eq!(climbed(refused, "a", &[]), ["field=context_management betas=b-1"]);
    let known = &["field=context_management betas=b-1"];
    assert!(climbed(refused, "a", known).is_empty());
    let vital = "messages.0.content: Extra inputs are not permitted";
    assert!(climbed(vital, "a", &[]).is_empty());
}

#[test]
fn fields_that_are_named_at_once_go_at_once() {
    let refused = |name: &str| format!("{name}: Extra inputs are not permitted");
    let both = format!("{}; {}", refused("one"), refused("other.0.field"));
    let failure = Failure::new(FailureKind::Shape, Text::new(&both));
    let complaint = ladder::read(dialect("anthropic"), &failure).unwrap();
    let sent = Sent {
        conversation: &conversation("a"),
        dialect: dialect("anthropic"),
        betas: &[],
        lessons: &lessons(&["field=one"]),
    };
    let [rung] = &rungs(&complaint, sent)[..] else { panic!("there is one rung") };
    let lines: Vec<String> = rung.iter().map(ToString::to_string).collect();
    assert_eq!(lines, ["field=one", "field=other.*.field"]);
    let vital = format!("{}; {}", refused("one"), refused("messages.0.content"));
    assert!(climbed(&vital, "a", &[]).is_empty(), "the other would still be refused");
}

/// What is learned from these words, of a conversation of these roles that asks for so many tokens.
fn taught(said: &str, roles: &[Role], asked: u64) -> Vec<Lesson> {
    let dialect = dialect("openai-chat");
    let mut conversation = Conversation::new(dialect);
    conversation.turns = roles.iter().map(|role| Turn::new(*role).into()).collect();
    conversation.settings.edit().max_tokens = Some(Json::number(asked));
    let failure = Failure::new(FailureKind::Shape, Text::new(said));
    let complaint = ladder::read(dialect, &failure).unwrap();
    let lessons = Lessons::default();
    let sent = Sent { conversation: &conversation, dialect, betas: &[], lessons: &lessons };
    rungs(&complaint, sent).into_iter().flatten().collect()
}

#[test]
fn a_length_is_learned_from_who_asked_for_more() {
    let said = "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]";
    assert_eq!(taught(said, &[Role::User], 32_000), [Lesson::Length(8192)]);
    assert_eq!(taught(said, &[Role::User], 0), []);
}

#[test]
fn roles_are_learned_to_alternate_where_they_do_not() {
    let said = "Conversation roles must alternate user/assistant/user/assistant/...";
    assert_eq!(taught(said, &[Role::User, Role::User], 1), [Lesson::Alternation]);
    assert_eq!(taught(said, &[Role::Assistant, Role::User], 1), []);
}
