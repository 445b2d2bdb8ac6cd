//! Disagreements with recordings, and the lines of `recorded.txt` that explain them.

use super::recording::Recording;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// The judge rejects what the provider accepted.
    JudgeRejects,
    /// The judge accepts what the provider rejected for its body.
    JudgeAccepts,
    /// An accepted request is sent to the same server with other bytes.
    RequestChanged,
    /// The judge rejects the translation of an accepted request.
    Unsound,
    /// The translation of an accepted request lacks content.
    RequestLost,
    /// A client of the vendor's dialect gets other bytes than the vendor sent.
    ReplyChanged,
    /// A translated reply has other texts, reasoning or calls.
    ReplyLost,
    /// A check panicked.
    Panic,
}

/// A recording that we disagree with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    pub check: Check,
    pub recording_id: String,
    pub subject: String,
    pub detail: String,
}

/// A line of `recorded.txt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Explanation {
    check: String,
    /// `None` for any recording.
    recording_id: Option<String>,
    subject: String,
}

pub(super) fn parse_explanations(text: &str) -> Result<Vec<(&str, Explanation)>, String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let explanation = |line| {
        let explanation = Explanation::parse(line);
        explanation.map(|it| (line, it)).ok_or_else(|| {
            format!("crates/laws/recorded.txt: '{line}' is not 'CHECK: ID: SUBJECT # reason'")
        })
    };
    lines.map(explanation).collect()
}

impl Check {
    pub fn name(self) -> &'static str {
        match self {
            Self::JudgeRejects => "judge-rejects",
            Self::JudgeAccepts => "judge-accepts",
            Self::RequestChanged => "request-changed",
            Self::Unsound => "unsound",
            Self::RequestLost => "request-lost",
            Self::ReplyChanged => "reply-changed",
            Self::ReplyLost => "reply-lost",
            Self::Panic => "panic",
        }
    }
}

impl Disagreement {
    pub(super) fn new(
        check: Check,
        recording: &Recording,
        subject: impl Into<String>,
        detail: impl Into<String>,
    ) -> Self {
        let recording_id = recording.id.clone();
        Self { check, recording_id, subject: subject.into(), detail: detail.into() }
    }
}

impl Explanation {
    fn parse(line: &str) -> Option<Self> {
        let (line, reason) = line.split_once(" # ")?;
        let (check, line) = line.split_once(": ")?;
        let (id, subject) = line.split_once(": ")?;
        Some(Self {
            check: check.to_owned(),
            recording_id: (id != "*").then(|| id.to_owned()),
            subject: subject.trim_end().to_owned(),
        })
        .filter(|_| !reason.trim().is_empty())
    }

    pub(super) fn explains(&self, disagreement: &Disagreement) -> bool {
        self.check == disagreement.check.name()
            && self.subject == disagreement.subject
            && self.recording_id.as_ref().is_none_or(|id| *id == disagreement.recording_id)
    }
}
