//! A rule's words, by who says them.

use super::flavor;
use crate::Request;
use crate::rule::Findings;

/// The wordings of a rule. A server that says none of them does not know the rule.
#[derive(Debug)]
pub(super) struct Words {
    /// All wordings, one in each line.
    pub lines: &'static str,
    pub said: &'static [Said],
}

#[derive(Debug)]
pub(super) struct Said {
    /// The voices ([`flavor::voice`]) that say it; where one voice has several wordings, a name
    /// for the case, by which the rule picks it.
    pub by: &'static [&'static str],
    pub words: &'static str,
}

/// What is refused, for the places that the words leave open.
#[derive(Debug, Default)]
pub(super) struct Refusal<'r> {
    pub path: String,
    pub fills: &'r [(&'r str, &'r str)],
    pub param: Option<&'r str>,
    pub code: Option<&'r str>,
}

/// Wordings and who says them: `words! { VOICES => "words", … }`.
macro_rules! words {
    ($($by:expr => $words:literal),+ $(,)?) => {
        $crate::openai_chat::words::Words {
            lines: concat!($($words, "\n"),+),
            said: &[$($crate::openai_chat::words::Said { by: $by, words: $words }),+],
        }
    };
}
pub(super) use words;

impl Words {
    /// What the provider of this request says; `None` if it does not refuse such things.
    pub(super) fn of(&self, request: &Request<'_>) -> Option<&'static str> {
        self.by(flavor::voice(request))
    }

    pub(super) fn by(&self, voice: &str) -> Option<&'static str> {
        self.said.iter().find(|said| said.by.contains(&voice)).map(|said| said.words)
    }

    /// Refuses, if the provider of this request does.
    pub(super) fn refuse(
        &self,
        request: &Request<'_>,
        findings: &mut Findings,
        refusal: &Refusal<'_>,
    ) {
        if let Some(words) = self.of(request) {
            refuse(words, request, findings, refusal);
        }
    }
}

/// Refuses with these words. A router says whose words it passes on.
pub(super) fn refuse(
    words: &str,
    request: &Request<'_>,
    findings: &mut Findings,
    refusal: &Refusal<'_>,
) {
    let message = fill(words, refusal.fills);
    let upstream = flavor::upstream(request);
    findings.add_with(&refusal.path, message, refusal.param, upstream.or(refusal.code));
}

/// The words with what varies put in.
pub(super) fn fill(words: &str, fills: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, after)) = after.split_once('}') else { break };
        let found = fills.iter().find(|(key, _)| *key == name);
        out.push_str(found.map_or("", |(_, value)| value));
        rest = after;
    }
    out.push_str(rest);
    out
}
