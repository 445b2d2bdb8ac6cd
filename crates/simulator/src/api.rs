//! The simulated APIs and their judges.

use interlingua_strict::{self as strict, Judge};

/// An API with its own format of requests and replies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    Anthropic,
    Chat,
    Responses,
    Gemini,
    Bedrock,
}

impl Api {
    pub fn judge(self) -> &'static Judge {
        match self {
            Self::Anthropic => &strict::anthropic::JUDGE,
            Self::Chat => &strict::openai_chat::JUDGE,
            Self::Responses => &strict::openai_responses::JUDGE,
            Self::Gemini => &strict::gemini::JUDGE,
            Self::Bedrock => &strict::bedrock::JUDGE,
        }
    }

    pub fn dialect(self) -> &'static str {
        self.judge().dialect
    }
}
