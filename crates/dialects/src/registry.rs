//! The dialects of providers. The native dialect is above them: its values contain theirs.

use crate::anthropic::Anthropic;
#[cfg(feature = "bedrock")]
use crate::bedrock::Bedrock;
use crate::dialect::Dialect;
use crate::gemini::Gemini;
use crate::openai_chat::OpenAiChat;
use crate::openai_responses::OpenAiResponses;

pub(crate) const PROVIDER_DIALECTS: &[&dyn Dialect] = &[
    &Anthropic,
    &OpenAiChat,
    &OpenAiResponses,
    &Gemini,
    #[cfg(feature = "bedrock")]
    &Bedrock,
];

/// Finds the dialect of a provider by its name, such as `openai-chat`.
pub(crate) fn find_provider_dialect(name: &str) -> Option<&'static dyn Dialect> {
    PROVIDER_DIALECTS.iter().copied().find(|dialect| dialect.id().0 == name)
}
