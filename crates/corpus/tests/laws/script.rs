//! Generated conversations, in no dialect: what an agent, its user and its tools say.

use proptest::prelude::*;
use proptest::sample::select;

#[derive(Clone, Debug)]
pub(crate) struct Script {
    pub(crate) system: Vec<String>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) spelling: Spelling,
}

/// The user says something, the model works with tools, then answers.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    pub(crate) user: Vec<Said>,
    pub(crate) work: Vec<Work>,
    pub(crate) answer: String,
}

#[derive(Clone, Debug)]
pub(crate) enum Said {
    Text(String),
    /// Base64 of a PNG.
    Image(String),
}

/// One assistant message with calls, and their results.
#[derive(Clone, Debug)]
pub(crate) struct Work {
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

/// How a body is spelled; nothing of it changes the meaning.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Spelling {
    Compact,
    Pretty,
    /// Slashes and everything beyond ASCII as escapes.
    Escaped,
}

pub(crate) const TOOLS: [&str; 3] = ["read_file", "search", "weather"];

/// A conversation. Every text in it is unlike every other, so that a lost one is missed.
pub(crate) fn script() -> impl Strategy<Value = Script> {
    let system = prop::collection::vec(text(), 0..3);
    let spelling = select(&[Spelling::Compact, Spelling::Pretty, Spelling::Escaped]);
    (system, prop::collection::vec(round(), 1..4), spelling).prop_map(
        |(system, rounds, spelling)| {
            let mut script = Script { system, rounds, spelling };
            Marker(0).mark(&mut script);
            script
        },
    )
}

fn round() -> impl Strategy<Value = Round> {
    let said = prop_oneof![4 => text().prop_map(Said::Text), 1 => image().prop_map(Said::Image)];
    (prop::collection::vec(said, 1..3), prop::collection::vec(work(), 0..3), text())
        .prop_map(|(user, work, answer)| Round { user, work, answer })
}

fn work() -> impl Strategy<Value = Work> {
    (prop::option::of(text()), prop::option::of(text()), prop::collection::vec(call(), 1..4))
        .prop_map(|(thinking, text, calls)| Work { thinking, text, calls })
}

fn call() -> impl Strategy<Value = Call> {
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

/// Gives every text, call and image something of its own.
struct Marker(usize);

impl Marker {
    fn mark(&mut self, script: &mut Script) {
        script.system.iter_mut().for_each(|text| self.text(text));
        for round in &mut script.rounds {
            for said in &mut round.user {
                match said {
                    Said::Text(text) => self.text(text),
                    Said::Image(data) => self.image(data),
                }
            }
            round.work.iter_mut().for_each(|work| self.work(work));
            self.text(&mut round.answer);
        }
    }

    fn work(&mut self, work: &mut Work) {
        work.thinking.iter_mut().chain(&mut work.text).for_each(|text| self.text(text));
        for call in &mut work.calls {
            call.id = format!("call_{}", self.next());
            call.args = call.args.replace("MARK", &format!("arg {}", self.next()));
            self.text(&mut call.result);
            call.image.iter_mut().for_each(|data| self.image(data));
        }
    }

    fn text(&mut self, text: &mut String) {
        *text = format!("{text}mark {}", self.next());
    }

    /// Stays base64.
    fn image(&mut self, data: &mut String) {
        *data = format!("{data}{}", self.next().replace('.', "A"));
    }

    /// No mark is part of another.
    fn next(&mut self) -> String {
        self.0 += 1;
        format!("m{:04}.", self.0)
    }
}

impl Script {
    /// The conversation as it was this many rounds earlier.
    pub(crate) fn before(&self, rounds: usize) -> Self {
        let kept = self.rounds.len().saturating_sub(rounds);
        Self { rounds: self.rounds[..kept].to_vec(), ..self.clone() }
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Call> {
        self.rounds.iter().flat_map(|round| &round.work).flat_map(|work| &work.calls)
    }

    /// Everything that must not get lost, wherever it is written.
    pub(crate) fn marks(&self) -> Vec<String> {
        let mut marks = self.system.clone();
        for round in &self.rounds {
            marks.extend(round.user.iter().map(|said| match said {
                Said::Text(said) | Said::Image(said) => said.clone(),
            }));
            for work in &round.work {
                marks.extend(work.thinking.iter().chain(&work.text).cloned());
                for call in &work.calls {
                    let at = call.args.find("arg m").unwrap_or(0);
                    marks.extend([call.args[at..at + 10].to_owned(), call.result.clone()]);
                }
            }
            marks.push(round.answer.clone());
        }
        marks
    }
}
