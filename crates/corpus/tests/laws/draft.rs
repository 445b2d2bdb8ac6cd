//! Generates conversations independent of any dialect.

use proptest::prelude::*;
use proptest::sample::select;

#[derive(Clone, Debug)]
pub(crate) struct ConversationDraft {
    pub(crate) system: Vec<String>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) spelling: Spelling,
}

/// A user message, tool steps of the model, and its final answer.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    pub(crate) user: Vec<UserInput>,
    pub(crate) steps: Vec<ToolStep>,
    pub(crate) answer: String,
}

#[derive(Clone, Debug)]
pub(crate) enum UserInput {
    Text(String),
    /// Base64 of a PNG.
    Image(String),
}

/// One assistant message with calls, and their results.
#[derive(Clone, Debug)]
pub(crate) struct ToolStep {
    pub(crate) thinking: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) calls: Vec<Call>,
}

#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) id: String,
    pub(crate) name: String,
    /// A JSON object as the model spells it.
    pub(crate) args: String,
    pub(crate) result: String,
    pub(crate) image: Option<String>,
    pub(crate) is_error: bool,
}

/// Spelling of a body, which does not affect its meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spelling {
    Compact,
    Pretty,
    /// Slashes and non-ASCII characters as escapes.
    Escaped,
}

pub(crate) const TOOLS: [&str; 3] = ["read_file", "search", "weather"];

/// A conversation in which every text is unique, so that a lost one is detected.
pub(crate) fn draft() -> impl Strategy<Value = ConversationDraft> {
    let system = prop::collection::vec(text(), 0..3);
    let spelling = select(&[Spelling::Compact, Spelling::Pretty, Spelling::Escaped]);
    (system, prop::collection::vec(round_strategy(), 1..4), spelling).prop_map(
        |(system, rounds, spelling)| {
            let mut draft = ConversationDraft { system, rounds, spelling };
            TextMarker(0).mark(&mut draft);
            draft
        },
    )
}

fn round_strategy() -> impl Strategy<Value = Round> {
    let input =
        prop_oneof![4 => text().prop_map(UserInput::Text), 1 => image().prop_map(UserInput::Image)];
    (prop::collection::vec(input, 1..3), prop::collection::vec(tool_step(), 0..3), text())
        .prop_map(|(user, work, answer)| Round { user, steps: work, answer })
}

fn tool_step() -> impl Strategy<Value = ToolStep> {
    (prop::option::of(text()), prop::option::of(text()), prop::collection::vec(tool_call(), 1..4))
        .prop_map(|(thinking, text, calls)| ToolStep { thinking, text, calls })
}

fn tool_call() -> impl Strategy<Value = Call> {
    let args = select(&[
        r#"{"path":"MARK"}"#,
        r#"{ "n" : 1.50, "big": 12345678901234567890, "query": "MARK" }"#,
        r#"{"nested":{"list":[1,-0,1E2,null,true,"MARK"],"":{}},"ключ":"\u00e9\n"}"#,
    ]);
    (select(&TOOLS), args, text(), prop::option::weighted(0.2, image()), any::<bool>()).prop_map(
        |(name, args, result, image, is_error)| Call {
            id: "call_".into(),
            name: (*name).into(),
            args: args.to_owned(),
            result,
            image,
            is_error,
        },
    )
}

fn text() -> impl Strategy<Value = String> {
    let words = select(&[
        "plain words",
        " ",
        "\n\n",
        "\"quoted\" \\ back/slash",
        "<system-reminder>&amp;</system-reminder>",
        "naïve 日本語 🦀",
        "\u{1}\t\u{7f}\u{2028}",
        "{\"json\": [1]}",
        "data: [DONE]",
    ]);
    prop::collection::vec(words, 0..4).prop_map(|words| words.concat())
}

fn image() -> impl Strategy<Value = String> {
    Just("iVBORw0KGgoAAAANSUhEUgAA".to_owned())
}

/// Adds a unique suffix to every text, call and image.
struct TextMarker(usize);

impl TextMarker {
    fn mark(&mut self, draft: &mut ConversationDraft) {
        draft.system.iter_mut().for_each(|text| self.mark_text(text));
        for round in &mut draft.rounds {
            for user_input in &mut round.user {
                match user_input {
                    UserInput::Text(text) => self.mark_text(text),
                    UserInput::Image(data) => self.mark_image(data),
                }
            }
            round.steps.iter_mut().for_each(|work| self.mark_step(work));
            self.mark_text(&mut round.answer);
        }
    }

    fn mark_step(&mut self, work: &mut ToolStep) {
        work.thinking.iter_mut().chain(&mut work.text).for_each(|text| self.mark_text(text));
        for call in &mut work.calls {
            call.id = format!("call_{}", self.next_marker());
            call.args = call.args.replace("MARK", &format!("arg {}", self.next_marker()));
            self.mark_text(&mut call.result);
            call.image.iter_mut().for_each(|data| self.mark_image(data));
        }
    }

    fn mark_text(&mut self, text: &mut String) {
        *text = format!("{text}mark {}", self.next_marker());
    }

    /// The result is base64, too.
    fn mark_image(&mut self, data: &mut String) {
        *data = format!("{data}{}", self.next_marker().replace('.', "A"));
    }

    /// A unique marker; none is a substring of another.
    fn next_marker(&mut self) -> String {
        self.0 += 1;
        format!("m{:04}.", self.0)
    }
}

impl ConversationDraft {
    /// The conversation as it was this many rounds earlier.
    pub(crate) fn earlier(&self, rounds: usize) -> Self {
        let count = self.rounds.len().saturating_sub(rounds);
        Self { rounds: self.rounds[..count].to_vec(), ..self.clone() }
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.rounds.iter().flat_map(|round| &round.steps).flat_map(|work| &work.calls)
    }

    /// Texts that must not be lost, in any dialect.
    pub(crate) fn unique_texts(&self) -> Vec<String> {
        let mut texts = self.system.clone();
        for round in &self.rounds {
            texts.extend(round.user.iter().map(|user_input| match user_input {
                UserInput::Text(content) | UserInput::Image(content) => content.clone(),
            }));
            for work in &round.steps {
                texts.extend(work.thinking.iter().chain(&work.text).cloned());
                for call in &work.calls {
                    let start = call.args.find("arg m").unwrap_or(0);
                    texts.extend([call.args[start..start + 10].to_owned(), call.result.clone()]);
                }
            }
            texts.push(round.answer.clone());
        }
        texts
    }
}
